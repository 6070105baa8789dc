/** A time limit that counts only while this process could listen: a host that was busy itself must not take its daemon for silent. */

const STEPS = 6; // however long the host is busy at a stretch, one of them passes

/** The signal of the limit, and how to end it. */
export function patience(ms) {
  const control = new AbortController();
  let left = STEPS;
  let timer;
  const step = () => {
    if (left === 0) control.abort(new DOMException(`the memory daemon did not answer within ${ms} ms`, "TimeoutError"));
    else {
      left -= 1;
      timer = setTimeout(step, ms / STEPS).unref();
    }
  };
  step();
  return { signal: control.signal, end: () => clearTimeout(timer) };
}
