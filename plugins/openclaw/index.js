/** MemoryClaw in OpenClaw: registers the parts, and does nothing else. Each handler catches its own errors: no turn fails for its memory. */

import { capturer } from "./capturing.js";
import { registerCommands } from "./commands.js";
import { Daemon } from "./daemon.js";
import { deliverer } from "./delivery.js";
import { night, nightly, retired } from "./nightly.js";
import { memorySection } from "./prompt.js";
import { Queue } from "./queue.js";
import { modelOf } from "./reading.js";
import { recaller } from "./recall.js";
import { settingsFrom } from "./settings.js";
import { registerTools } from "./tools.js";
import { Turns } from "./turns.js";

const FLUSH = { timeoutMs: 29_000 };

export default {
  id: "memoryclaw",
  name: "MemoryClaw",
  description: "Long-term memory as Markdown that you can read, edit and undo.",
  kind: "memory",
  register(api) {
    const { logger } = api;
    const settings = settingsFrom(api.pluginConfig ?? {});
    const daemon = new Daemon(settings, logger);
    const turns = new Turns();
    const queue = new Queue(deliverer(daemon, settings), logger);
    const capture = capturer({ daemon, queue, turns });
    const schedule = nightly({ settings, logger });
    const retire = retired({ logger });
    const parts = { daemon, model: modelOf(api, settings), logger };
    const on = (name, handler, options) => api.on(name, quiet(handler, name, logger), options);

    on("before_prompt_build", recaller({ daemon, settings, turns }));
    on("agent_end", capture.ended, FLUSH);
    on("before_compaction", capture.compacted, FLUSH);
    on("before_reset", capture.reset, FLUSH);
    on("session_end", capture.closed);
    on("gateway_stop", async (event, ctx) => { await Promise.all([capture.stopped(event, ctx), retire(event, ctx)]); });
    on("cron_reconciled", schedule);
    on("gateway_start", schedule); // of a plugin put into a running gateway, whose scheduler is ready
    on("before_agent_reply", night(parts), { eligibleTriggers: ["cron"] });
    registerTools(api, daemon);
    registerCommands(api, parts);
    api.registerMemoryCapability({ promptBuilder: memorySection });
    api.registerService({ id: "memoryclaw", start: () => daemon.wake(), stop: () => queue.stop() });
  },
};

/** A handler that never throws; what went wrong is said once a kind, without a word of the turn. */
function quiet(handler, name, logger) {
  const told = new Set();
  return async (event, ctx) => {
    try {
      return await handler(event, ctx);
    } catch (error) {
      const what = `${name}: ${error?.name ?? "Error"}`;
      if (!told.has(what)) logger.warn(`memoryclaw: ${what} at ${place(error)}; the turn goes on`);
      told.add(what);
      return undefined;
    }
  };
}

/** Where an error came from, without its words: those may quote what was said. */
function place(error) {
  return String(error?.stack ?? "").match(/([\w-]+\.js:\d+)/)?.[1] ?? "an unknown place";
}
