/** The nightly job in the host's scheduler: there once, as the settings say, or gone. What the user switched off stays off. */

import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { consolidated } from "./reading.js";
import * as say from "./replies.js";

export const KEY = "memoryclaw:nightly";
// A model sees these words only where this plugin is gone and its job is not.
const MESSAGE = "[memoryclaw:nightly] The MemoryClaw plugin answers this by itself. If you read it, answer NO_REPLY.";

/** The handler of `cron_reconciled` and `gateway_start`. */
export function nightly({ settings, logger }) {
  return async (event, ctx) => {
    const cron = ctx?.getCron?.();
    if (event?.enabled === false || !cron || ctx.abortSignal?.aborted) return;
    try {
      await converge(cron, settings, ctx.abortSignal);
    } catch (error) {
      logger.warn(`memoryclaw: the nightly job could not be set (${error.message})`);
    }
  };
}

/** The handler of `before_agent_reply`: the turn of our job is ours, and the model is asked about the logs instead. */
export function night(parts) {
  return async (event, ctx) => {
    if (ctx?.trigger !== "cron" || !String(event?.cleanedBody ?? "").includes(MESSAGE)) return undefined;
    try {
      if (!await parts.daemon.ensure()) throw new Error("the memory daemon does not run");
      return { handled: true, reply: { text: say.consolidated(await consolidated(parts, { due: true })) } };
    } catch (error) {
      const sentence = `nothing was consolidated (${error.message})`;
      parts.logger.warn(`memoryclaw: ${sentence}`);
      return { handled: true, reply: { text: sentence } };
    }
  };
}

/** The handler of `gateway_stop`: a plugin that was taken out of a running gateway takes its job along. */
export function retired({ logger }) {
  return async (event, ctx) => {
    const cron = ctx?.getCron?.();
    if (event?.reason !== "plugin replacement" || !cron || isConfigured()) return;
    try {
      await converge(cron, { nightly: "" });
    } catch (error) {
      logger.warn(`memoryclaw: the nightly job could not be removed (${error.message})`);
    }
  };
}

/** Whether the host's configuration still names us; it hands out the one from before the change, so the file is asked. */
function isConfigured() {
  const state = process.env.OPENCLAW_STATE_DIR || path.join(process.env.HOME || os.homedir(), ".openclaw");
  try {
    return readFileSync(process.env.OPENCLAW_CONFIG_PATH || path.join(state, "openclaw.json"), "utf8").includes("memoryclaw");
  } catch {
    return true; // nobody knows, so nothing is taken away
  }
}

let last = Promise.resolve(); // two hooks ask at once when a gateway starts, and neither may see half of the other's work

function converge(cron, settings, signal) {
  last = last.catch(() => undefined).then(() => converged(cron, settings, signal));
  return last;
}

async function converged(cron, settings, signal) {
  const wanted = settings.nightly.trim() ? jobFor(settings) : undefined;
  const mine = (await cron.list({ includeDisabled: true })).filter((job) => job.declarationKey === KEY);
  const [kept, ...surplus] = mine;
  for (const job of wanted ? surplus : mine) {
    if (signal?.aborted) return;
    await cron.remove(job.id);
  }
  if (!wanted || signal?.aborted) return;
  if (!kept) await cron.add(wanted);
  else if (!isSame(kept, wanted)) await cron.update(kept.id, { schedule: wanted.schedule, payload: wanted.payload });
}

function jobFor({ nightly: expr, command, vault, readWithModel }) {
  const timeoutSeconds = 1800;
  return {
    declarationKey: KEY,
    name: "MemoryClaw nightly consolidation",
    description: "[managed-by=memoryclaw] Turns new log lines into memory.",
    enabled: true,
    schedule: { kind: "cron", expr: expr.trim() },
    sessionTarget: "isolated",
    wakeMode: "now",
    payload: readWithModel
      ? { kind: "agentTurn", message: MESSAGE, lightContext: true, toolsAllow: [], timeoutSeconds }
      : { kind: "command", argv: [...command, "--vault", vault, "consolidate", "--due"], timeoutSeconds },
    delivery: { mode: "none" },
  };
}

function isSame(job, wanted) {
  return job.schedule?.kind === "cron" && job.schedule.expr === wanted.schedule.expr
    && ["kind", "argv", "message"].every((key) => JSON.stringify(job.payload?.[key]) === JSON.stringify(wanted.payload[key]));
}
