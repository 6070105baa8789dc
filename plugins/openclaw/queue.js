/** Turns on their way to the logs, in order, held in memory until they are acknowledged; bounded, and honest about what it drops. */

const ITEMS = 500; // batches
const BYTES = 16 << 20;
const FIRST_WAIT = 1_000; // milliseconds, doubled after each failure
const LONGEST_WAIT = 60_000;
const REFUSALS = 5; // after which a line that is refused is given up

export class Queue {
  #deliver;
  #logger;
  #limits;
  #waiting = [];
  #bytes = 0;
  #running;
  #timer;
  #failures = 0;
  #told = new Set();

  /** @param deliver takes (session, turns) and resolves with one acknowledgement for each turn. */
  constructor(deliver, logger, limits = {}) {
    this.#deliver = deliver;
    this.#logger = logger;
    this.#limits = { items: ITEMS, bytes: BYTES, wait: FIRST_WAIT, ...limits };
  }

  get size() {
    return this.#waiting.length;
  }

  /** Takes a batch of one session; the oldest ones make room where there is none. */
  add(session, turns) {
    if (!turns.length) return;
    const bytes = Buffer.byteLength(JSON.stringify(turns));
    this.#waiting.push({ session, turns, bytes, refused: 0 });
    this.#bytes += bytes;
    while (this.#waiting.length > 1 && this.#isFull()) this.#drop();
  }

  /** Sends what waits, now; resolves when all is kept, when a try has failed, or after the time limit. */
  async flush(timeoutMs = 20_000) {
    clearTimeout(this.#timer);
    this.#running ??= this.#drain().finally(() => { this.#running = undefined; });
    await within(this.#running, timeoutMs);
  }

  /** No more tries by itself. */
  stop() {
    clearTimeout(this.#timer);
  }

  async #drain() {
    while (this.#waiting.length) {
      const batch = this.#waiting[0];
      const left = await this.#tried(batch);
      if (left === undefined) return this.#again();
      this.#failures = 0;
      if (this.#waiting[0] !== batch) continue; // dropped meanwhile
      batch.turns = left;
      batch.refused += left.length ? 1 : 0;
      if (left.length && batch.refused < REFUSALS) return this.#again();
      if (left.length) this.#say("refused", `${left.length} lines of a turn were refused ${REFUSALS} times and are not kept`);
      this.#waiting.shift();
      this.#bytes -= batch.bytes;
    }
    this.#told.delete("held");
    return undefined;
  }

  /** The turns that were not kept; undefined when nobody took any. */
  async #tried(batch) {
    try {
      const done = await this.#deliver(batch.session, batch.turns);
      return batch.turns.filter((_, at) => !done[at]?.ok);
    } catch (error) {
      this.#wait = error.retryAfterMs;
      this.#say("held", `turns are held in memory until they can be kept (${error.message})`);
      return undefined;
    }
  }

  #wait = 0;

  #again() {
    const wait = Math.max(this.#wait || 0, Math.min(this.#limits.wait * 2 ** this.#failures, LONGEST_WAIT));
    this.#failures += 1;
    this.#wait = 0;
    this.#timer = setTimeout(() => this.flush().catch(() => {}), wait);
    this.#timer.unref();
  }

  #isFull() {
    return this.#waiting.length > this.#limits.items || this.#bytes > this.#limits.bytes;
  }

  #drop() {
    this.#bytes -= this.#waiting.shift().bytes;
    this.#say("dropped", "too many turns wait; the oldest are not kept");
  }

  #say(what, sentence) {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.#logger.warn(`memoryclaw: ${sentence}`);
  }
}

function within(promise, timeoutMs) {
  let timer;
  const limit = new Promise((resolve) => { timer = setTimeout(resolve, timeoutMs); });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}
