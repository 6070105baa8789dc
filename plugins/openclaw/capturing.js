/** After a turn: what was said in it goes to the logs; before a session is cut or closed, what is left of it. */

import { sessionOf } from "./recall.js";

const ENDED = new Set(["new", "reset", "idle", "daily", "deleted"]); // reasons after which nobody goes on with a session

/** The handlers of `agent_end`, `before_compaction`, `before_reset`, `session_end` and `gateway_stop`. */
export function capturer({ daemon, queue, turns }) {
  const left = async (event, ctx) => {
    queue.add(sessionOf(ctx), turns.left(event?.messages, ctx));
    await queue.flush();
  };
  return {
    ended: async (event, ctx) => {
      queue.add(sessionOf(ctx), turns.ended(event, ctx));
      await queue.flush();
    },
    compacted: async (event, ctx) => {
      turns.cut.add(sessionOf(ctx));
      await left(event, ctx);
    },
    reset: async (event, ctx) => {
      await left(event, ctx);
      await forgetTask(daemon, sessionOf(ctx));
    },
    closed: async (event, ctx) => {
      await queue.flush(1_000);
      if (ENDED.has(event?.reason)) await forgetTask(daemon, String(event.sessionId || sessionOf(ctx)));
    },
    stopped: async () => {
      daemon.close();
      await queue.flush(4_000);
      queue.stop();
    },
  };
}

/** The working memory of a session that is over goes to the log; where nobody answers, it stays for the next time. */
async function forgetTask(daemon, session) {
  if (!session) return;
  await daemon.ask("DELETE", `/v1/working/${encodeURIComponent(session)}`, undefined, { timeoutMs: 1_000 }).catch(() => {});
}
