import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { assistant, hosted, run, until, user, vaultFolder } from "./host.js";
import { BLOCK, piped, scripted } from "./scripted.js";

const texts = (lines) => lines.map((line) => (typeof line.content === "string" ? line.content : line.content.map((part) => part.text ?? part.name).join()));

async function withDaemon(t, script) {
  const vault = vaultFolder();
  const daemon = await scripted(vault, script);
  t.after(() => daemon.close());
  return { vault, daemon, host: hosted({ vault }) };
}

test("sends exactly the messages that the run added, with calls and results", async (t) => {
  const { daemon, host } = await withDaemon(t);
  const old = [{ ...user("old", 1), content: "old" }, assistant("older answer", 2)];
  await host.fire("before_prompt_build", { prompt: "new", messages: old }, run("r1"));
  const call = { role: "assistant", content: [{ type: "toolCall", id: "call_1", name: "exec", arguments: { a: 1 } }], timestamp: 4, usage: { input: 9 } };
  const result = { role: "toolResult", toolCallId: "call_1", toolName: "exec", content: [{ type: "text", text: "done" }], isError: false, timestamp: 5, details: { big: 1 } };
  const custom = { role: "custom", customType: "openclaw.x", content: "noise" };
  const messages = [...old, custom, user(`new\n\n${BLOCK}`, 3), call, result, assistant("fine", 6)];
  await host.fire("agent_end", { runId: "r1", messages, success: true }, run("r1"));
  const [sent] = daemon.to("/v1/capture");
  assert.equal(sent.body.session, "s1");
  assert.deepEqual(texts(sent.body.turns), [`new\n\n${BLOCK}`, "exec", "done", "fine"]);
  assert.deepEqual(Object.keys(sent.body.turns[2]).sort(), ["content", "host_id", "isError", "role", "timestamp", "toolCallId", "toolName"]);
  assert.equal(new Set(sent.body.turns.map((turn) => turn.host_id)).size, 4);
  assert.ok(!("usage" in sent.body.turns[1]));
});

test("a run that ends twice is sent once", async (t) => {
  const { daemon, host } = await withDaemon(t);
  for (let i = 0; i < 2; i += 1) await host.fire("agent_end", { runId: "r1", messages: [user("hello")], success: true }, run("r1"));
  assert.equal(daemon.to("/v1/capture").length, 1);
});

test("without a known beginning, from the last words of the user on", async (t) => {
  const { daemon, host } = await withDaemon(t);
  const internal = user("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>> x", 4);
  await host.fire("agent_end", { messages: [user("one", 1), assistant("two", 2), user("three", 3), assistant("four", 4), internal], success: false }, run("r9"));
  assert.deepEqual(texts(daemon.kept()), ["three", "four"]);
});

test("a reset sends what was not sent yet, without commands, and ends the working memory", async (t) => {
  const { daemon, host } = await withDaemon(t, { "DELETE /v1/working/s1": { cleared: true } });
  const messages = [user("one", 1), assistant("two", 2)];
  await host.fire("agent_end", { runId: "r1", messages, success: true }, run("r1"));
  const later = [{ ...user("one", 1), content: "one" }, assistant("two", 2), user("/mclaw status", 3), assistant("all is well", 4), user("/etc/hosts is odd", 5), user("left over", 6)];
  await host.fire("before_reset", { messages: later, reason: "reset" }, run("r2"));
  assert.deepEqual(texts(daemon.kept()), ["one", "two", "/etc/hosts is odd", "left over"]);
  assert.equal(daemon.to("/v1/working/s1").length, 1);
});

test("a user's words that have a time of their own in history are known again by their answer's", async (t) => {
  const { daemon, host } = await withDaemon(t);
  const turn = (live) => [user("yes", live), assistant("first", 10), user("yes", live + 20), assistant("second", 40)];
  await host.fire("agent_end", { runId: "r1", messages: turn(5).slice(0, 2), success: true }, run("r1"));
  await host.fire("before_reset", { messages: turn(1), reason: "reset" }, run("r2"));
  assert.deepEqual(texts(daemon.kept()), ["yes", "first", "yes", "second"]);
});

test("words that no person wrote are sent with what the host says of them", async (t) => {
  const { daemon, host } = await withDaemon(t);
  const ctx = run("r1", { inputProvenance: { kind: "inter_session" } });
  await host.fire("before_prompt_build", { prompt: "x", messages: [] }, ctx);
  await host.fire("agent_end", { runId: "r1", messages: [user("do this"), assistant("ok")], success: true }, ctx);
  await host.fire("agent_end", { runId: "r2", messages: [user("beat", 7), assistant("HEARTBEAT_OK", 8)], success: true }, run("r2", { trigger: "heartbeat" }));
  assert.deepEqual(daemon.kept().map((turn) => [turn.role, turn.provenance?.kind]), [["user", "inter_session"], ["assistant", undefined]]);
});

test("without a daemon the turns go to memoryclaw capture by pipe", async () => {
  const vault = vaultFolder();
  const host = hosted({ vault });
  await host.fire("agent_end", { runId: "r1", messages: [user("it's $(touch x) `here`"), assistant("ok")], success: true }, run("r1", { sessionId: "s; rm" }));
  assert.deepEqual(texts(piped(vault)), ["it's $(touch x) `here`", "ok"]);
  assert.equal(piped(vault)[0].session, "s; rm");
});

test("where nobody can take a turn it waits in memory and goes when somebody can, said once", async (t) => {
  const vault = vaultFolder();
  writeFileSync(path.join(vault, "broken"), "");
  const host = hosted({ vault });
  for (const id of ["r1", "r2"]) await host.fire("agent_end", { runId: id, messages: [user(`secret ${id}`, Number(id[1]))], success: true }, run(id));
  assert.equal(host.said.filter((line) => line.includes("held in memory")).length, 1);
  assert.ok(host.said.every((line) => !line.includes("secret")));
  const daemon = await scripted(vault);
  t.after(() => daemon.close());
  await until(() => daemon.kept().length === 2);
  assert.deepEqual(texts(daemon.kept()), ["secret r1", "secret r2"]);
});

for (const [status, where, code = "x"] of [[413, "pipe"], [401, "pipe"], [503, "again"], [400, "again", "config"]]) {
  test(`a daemon that answers ${status} ${code}: ${where}`, async (t) => {
    const { vault, daemon, host } = await withDaemon(t);
    const accept = daemon.routes["POST /v1/capture"];
    daemon.routes["POST /v1/capture"] = (one) => {
      daemon.routes["POST /v1/capture"] = status === 401 ? daemon.routes["POST /v1/capture"] : accept;
      return [status, { error: { code, message: "not now" } }];
    };
    await host.fire("agent_end", { runId: "r1", messages: [user("hello")], success: true }, run("r1"));
    if (where === "pipe") assert.deepEqual(texts(piped(vault)), ["hello"]);
    else await until(() => daemon.to("/v1/capture").length === 2);
  });
}

test("the daemon is started once for many turns, and outlives the plugin", async (t) => {
  const vault = vaultFolder();
  const host = hosted({ vault, startDaemon: true });
  t.after(() => writeFileSync(path.join(vault, "stop"), ""));
  const { mkdirSync, readFileSync } = await import("node:fs");
  mkdirSync(path.join(vault, ".memoryclaw"), { mode: 0o700 });
  await Promise.all([1, 2, 3].map((n) => host.fire("agent_end", { runId: `r${n}`, messages: [user(`turn ${n}`, n)], success: true }, run(`r${n}`))));
  assert.equal(readFileSync(path.join(vault, "starts"), "utf8").trim().split("\n").length, 1);
  assert.deepEqual(piped(vault), []);
  assert.ok((await host.fire("before_prompt_build", { prompt: "hello", messages: [] }, run("r4"))).appendContext);
});
