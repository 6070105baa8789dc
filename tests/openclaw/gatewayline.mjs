/** Speaks the gateway's own protocol for a test: one JSON question a line on standard input, one JSON answer a line on standard output. */

import { createInterface } from "node:readline";

const [port, token] = process.argv.slice(2);
const socket = new WebSocket(`ws://127.0.0.1:${port}`);
const answers = new Map(); // id of a request → what to do with its answer
const finals = new Map(); // id of a run → what to do with its last message
let count = 0;

const request = (method, params) => new Promise((resolve) => {
  const id = String(++count);
  answers.set(id, resolve);
  socket.send(JSON.stringify({ type: "req", id, method, params }));
});

const connected = new Promise((resolve) => {
  socket.onmessage = async ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.event === "connect.challenge") resolve(await request("connect", {
      minProtocol: 1, maxProtocol: 99, role: "operator", scopes: ["operator.admin", "operator.read", "operator.write"], caps: [],
      client: { id: "gateway-client", version: "1", platform: "linux", mode: "backend" }, auth: { token },
    }));
    else if (frame.type === "res") answers.get(frame.id)?.(frame);
    else if (frame.event === "chat" && frame.payload.state === "final") finals.get(frame.payload.runId)?.(frame.payload);
  };
});
socket.onclose = () => process.exit(0);

async function say(message, sessionKey) {
  const runId = `run-${process.pid}-${++count}`;
  const said = new Promise((resolve) => finals.set(runId, resolve));
  const sent = await request("chat.send", { sessionKey, message, idempotencyKey: runId });
  return sent.ok ? said : sent;
}

await connected;
for await (const line of createInterface({ input: process.stdin })) {
  const { method, params, say: message, session } = JSON.parse(line);
  console.log(JSON.stringify(message === undefined ? await request(method, params) : await say(message, session)));
}
process.exit(0);
