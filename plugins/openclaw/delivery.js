/** The way of a batch of turns: to the daemon, to a daemon that is started for it, or to a child process. */

import { captureByChild } from "./fallback.js";
import { Refused } from "./http.js";

const PATIENCE = 15_000; // milliseconds
const LATER = new Set([408, 423, 429, 502, 503]); // the same batch may be taken another time
const PIPED = new Set([401, 413, 500]); // a pipe knows no token and no largest request

/** Delivers a batch; one acknowledgement a turn. Rejects when nobody could take it: then it must be kept and tried again. */
export function deliverer(daemon, settings) {
  return async (session, turns) => {
    const sent = () => daemon.ask("POST", "/v1/capture", { turns, session }, { timeoutMs: PATIENCE, owner: true }); // they are the owner's words
    try {
      return (await sent()).acknowledged;
    } catch (error) {
      if (error instanceof Refused) return refused(error, settings, session, turns);
      if (error.name !== "Unreachable") return captureByChild(settings, session, turns);
    }
    if (await daemon.ensure()) return (await sent()).acknowledged;
    return captureByChild(settings, session, turns);
  };
}

/** A daemon that is busy is asked again; lines that are wrong stay wrong. */
function refused(error, settings, session, turns) {
  if (PIPED.has(error.status)) return captureByChild(settings, session, turns);
  if (LATER.has(error.status) || error.code === "config") throw error; // a person is at the settings
  return turns.map(() => ({ ok: false, error: error.message }));
}
