/** Starts the daemon of a vault as a process of its own, one at a time; it outlives the gateway, which may not be its only client. */

import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";

import { findDaemon } from "./address.js";
import { request } from "./http.js";

const PATIENCE = 20_000; // milliseconds until it must answer
const STEP = 100;
const AFTER = ["--after", "48"]; // hours that the daemon leaves new lines to the nightly job: two nights
const REST = [5_000, 30_000, 120_000, 300_000]; // between attempts that fail
const attempts = new Map(); // vault → the attempt that runs, or when the next may

/** Starts the daemon, and waits until it answers; false when it does not, or may not be tried again yet. */
export function startDaemon(settings, say, patience = PATIENCE) {
  const known = attempts.get(settings.vault) ?? { failures: 0, notBefore: 0, running: undefined };
  attempts.set(settings.vault, known);
  if (known.running || Date.now() < known.notBefore) return known.running ?? Promise.resolve(false);
  known.running = attempt(settings, say, patience).then((up) => {
    known.running = undefined;
    known.failures = up ? 0 : known.failures + 1;
    known.notBefore = up ? 0 : Date.now() + REST[Math.min(known.failures, REST.length) - 1];
    return up;
  });
  return known.running;
}

async function attempt(settings, say, patience) {
  const child = spawned(settings);
  const until = Date.now() + patience;
  while (Date.now() < until) {
    if (await answers(settings)) return true;
    if (child.ended !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, STEP));
  }
  if (await answers(settings)) return true; // another process was first
  say(`memoryclaw serve did not start (${child.ended ?? "no answer"}); its own words are in ${logOf(settings)}`);
  return false;
}

function spawned(settings) {
  const [program, ...words] = settings.command;
  const log = opened(logOf(settings));
  const state = { ended: undefined };
  try {
    const reads = settings.readWithModel && settings.nightly.trim();
    const child = spawn(program, [...words, "--vault", settings.vault, "serve", "--port", "0", ...(reads ? AFTER : [])], {
      detached: true,
      stdio: ["ignore", "ignore", log ?? "ignore"],
    });
    child.on("error", (error) => { state.ended = error.code ?? "not started"; });
    child.on("exit", (code, signal) => { state.ended ??= signal ?? `exit code ${code}`; });
    child.unref();
  } catch (error) {
    state.ended = error.code ?? "not started";
  }
  if (log !== undefined) closeSync(log);
  return state;
}

async function answers(settings) {
  const found = await findDaemon(settings);
  if (!found) return false;
  return request(found, "GET", "/readyz", { signal: AbortSignal.timeout(1_000) }).then(() => true, () => false);
}

/** The daemon's standard error, which holds no word of a turn. */
function opened(file) {
  try {
    return openSync(file, "w", 0o600);
  } catch {
    return undefined;
  }
}

function logOf(settings) {
  return path.join(settings.state, "serve.log");
}
