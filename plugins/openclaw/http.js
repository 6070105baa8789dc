/** One request to the daemon, straight over a loopback socket: no proxy, no redirect, bounded in time and size. */

import http from "node:http";

const LARGEST = 16 << 20; // bytes of an answer
const agent = new http.Agent({ keepAlive: true, maxSockets: 8, timeout: 60_000 });

/** What the daemon refused, in its own sentence. */
export class Refused extends Error {
  constructor(status, body, retryAfter) {
    super(body?.error?.message || `the memory daemon answered ${status}`);
    this.name = "Refused";
    this.status = status;
    this.code = body?.error?.code || "";
    this.retryAfterMs = Number(retryAfter) > 0 ? Number(retryAfter) * 1000 : 0;
  }
}

/** The JSON that an address answers with; rejects with Refused, or with the error of the socket. */
export async function request({ url, token }, method, path, { body, signal } = {}) {
  const { status, headers, text } = await exchanged(new URL(path, url), token, method, body, signal);
  const value = parsed(text);
  if (status >= 300) throw new Refused(status, value, headers["retry-after"]);
  if (value === undefined) throw new Refused(502, { error: { message: "the memory daemon did not answer with JSON" } });
  return value;
}

function exchanged(url, token, method, body, signal) {
  return new Promise((resolve, reject) => {
    const data = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
    if (data) Object.assign(headers, { "content-type": "application/json", "content-length": data.length });
    const sent = http.request(url, { method, headers, agent, signal }, (answer) => {
      collected(answer).then((text) => resolve({ status: answer.statusCode, headers: answer.headers, text }), reject);
    });
    sent.on("error", reject);
    sent.end(data);
  });
}

async function collected(answer) {
  const parts = [];
  let size = 0;
  for await (const part of answer) {
    size += part.length;
    if (size > LARGEST) throw new Error("the memory daemon's answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
