/** The memory daemon as the plugin sees it: it is there or not, and says so once when that changes. */

import { findDaemon } from "./address.js";
import { Refused, request } from "./http.js";
import { patience } from "./patience.js";
import { startDaemon } from "./starting.js";

const ORDINARY = 10_000; // milliseconds for a request that names no limit
const STALE = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOENT"]);

/** Nobody answers. */
export class Unreachable extends Error {
  constructor(why = "the memory daemon does not run") {
    super(why);
    this.name = "Unreachable";
  }
}

export class Daemon {
  #settings;
  #logger;
  #found = new Map();
  #isDown = false;
  #isClosed = false;
  #first; // until when turns wait for a daemon that has answered none yet; 0 once it has
  #url; // of the daemon that was met last

  constructor(settings, logger) {
    this.#settings = settings;
    this.#logger = logger;
  }

  /** What the daemon answers, to the agent or to the memory's owner; rejects with Refused, Unreachable, or an abort. Never starts it. */
  async ask(method, path, body, { timeoutMs = ORDINARY, owner = false } = {}) {
    const limit = patience(timeoutMs);
    try {
      const answer = await this.#asked(method, path, { body, signal: limit.signal, owner }, true);
      this.#isUp();
      return answer;
    } catch (error) {
      if (error instanceof Refused && error.status !== 401) this.#isUp();
      throw limit.signal.aborted ? limit.signal.reason : error;
    } finally {
      limit.end();
    }
  }

  /** What the daemon answers to a turn. One that is not there is started; for its start and its first answer all turns wait `firstTimeoutMs` once. */
  async askForTurn(method, path, body, limits) {
    const answered = async () => {
      const answer = await this.ask(method, path, body, { timeoutMs: this.#limit(limits) });
      this.#first = 0;
      return answer;
    };
    try {
      return await answered();
    } catch (error) {
      if (error.name === "Unreachable") {
        this.#first ||= undefined;
        if (!await this.#ensureWithin(this.#limit(limits))) throw error;
      } else if (error.name !== "TimeoutError" || this.#first !== undefined) throw error; // else it has just met another daemon
      return answered();
    }
  }

  /** The host stops: nothing is started any more. */
  close() {
    this.#isClosed = true;
  }

  /** Whether the daemon is there, or could be started now; waits for the start. */
  async ensure() {
    if (await findDaemon(this.#settings)) return true;
    return this.#settings.startDaemon && !this.#settings.url && !this.#isClosed ? this.#start() : false;
  }

  /** Starts the daemon in the background, where that is allowed. */
  wake() {
    this.ensure().catch(() => {});
  }

  /** Tells, once for each time that the daemon goes, that turns run without memories. */
  blind(why) {
    if (this.#isDown) return;
    this.#isDown = true;
    this.#logger.warn(`memoryclaw: ${why}; turns go on without memories until it answers`);
  }

  async #asked(method, path, options, again) {
    const found = this.#found.get(options.owner) ?? await within(findDaemon(this.#settings, options.owner), options.signal);
    if (!found) throw new Unreachable();
    this.#found.set(options.owner, found);
    if (found.url !== this.#url && this.#first < Date.now()) this.#first = undefined;
    this.#url = found.url;
    try {
      return await request(found, method, path, options);
    } catch (error) {
      const stale = STALE.has(error.code) || error.status === 401;
      if (!stale) throw error;
      this.#found.clear();
      if (again && !options.signal.aborted) return this.#asked(method, path, options, false);
      throw error instanceof Refused ? error : new Unreachable();
    }
  }

  async #start() {
    const up = await startDaemon(this.#settings, (sentence) => this.#logger.warn(`memoryclaw: ${sentence}`));
    if (up) this.#isUp();
    return up;
  }

  #limit({ timeoutMs, firstTimeoutMs }) {
    const now = Date.now();
    this.#first ??= now + firstTimeoutMs;
    return Math.max(timeoutMs, this.#first - now);
  }

  async #ensureWithin(ms) {
    const limit = patience(ms);
    try {
      return await within(this.ensure(), limit.signal);
    } finally {
      limit.end();
    }
  }

  #isUp() {
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#logger.info?.("memoryclaw: the memory daemon answers again");
  }
}

function within(promise, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
