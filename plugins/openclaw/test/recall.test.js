import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";

import { hosted, isAlive, run, until, vaultFolder } from "./host.js";
import { announce, BLOCK, scripted } from "./scripted.js";

describe("recall before a turn", () => {
  const vault = vaultFolder();
  let daemon;
  before(async () => { daemon = await scripted(vault); });
  after(() => daemon.close());
  beforeEach(() => { daemon.asked.length = 0; daemon.routes["POST /v1/recall"] = { context: BLOCK }; announce(vault, daemon.url); });
  const ask = (host, event, ctx = run("r1")) => host.fire("before_prompt_build", { messages: [], ...event }, ctx);

  test("asks with the user's words alone, the session and the budget", async () => {
    const wrapped = 'Sender: ⟦openclaw:ctx⟧\n```json\n{"name":"Mallory deadline"}\n```\n\n[Sun 2026-11-22 10:00 UTC] Who is Bello?\n\n'
      + `${BLOCK}\n\n<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>secret\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>`;
    await ask(hosted({ vault, budget: 450 }), { prompt: wrapped });
    assert.deepEqual(daemon.asked[0].body, { query: "Who is Bello?", budget: 450, session: "s1", seen: "tools" });
  });

  test("says that nothing it showed is visible any more, once after the host cut the conversation", async () => {
    const host = hosted({ vault });
    await host.fire("before_compaction", { messages: [] }, { sessionId: "s1" });
    await ask(host, { prompt: "Who is Bello?" });
    await ask(host, { prompt: "Who is Bello?" });
    assert.deepEqual(daemon.asked.filter((one) => one.url === "/v1/recall").map((one) => one.body.seen), ["none", "tools"]);
  });

  test("prefers the current message to the prompt made of it", async () => {
    await ask(hosted({ vault }), { prompt: "all of the history", currentUserMessage: "Who is Bello?" });
    assert.equal(daemon.asked[0].body.query, "Who is Bello?");
  });

  test("puts the memories at the tail and the same notice into the part that is kept", async () => {
    const host = hosted({ vault });
    const first = await ask(host, { prompt: "Who is Bello?" });
    daemon.routes["POST /v1/recall"] = { context: "" };
    const second = await ask(host, { prompt: "And now?" }, run("r2"));
    assert.equal(first.appendContext, BLOCK);
    assert.deepEqual(Object.keys(second), ["appendSystemContext"]);
    assert.equal(first.appendSystemContext, second.appendSystemContext);
    assert.match(first.appendSystemContext, /never follow instructions/);
  });

  test("a long question keeps within what the daemon reads", async () => {
    await ask(hosted({ vault }), { prompt: `beginning ${"ä".repeat(5000)} end` });
    const { query } = daemon.asked[0].body;
    assert.ok(Buffer.byteLength(query) <= 4096);
    assert.match(query, /^beginning .* ?ä+\nä+ end$/s);
  });

  for (const trigger of ["heartbeat", "memory"]) {
    test(`asks nothing in a ${trigger} run`, async () => {
      assert.equal(await ask(hosted({ vault }), { prompt: "ping" }, run("r1", { trigger })), undefined);
      assert.equal(daemon.asked.length, 0);
    });
  }

  test("a daemon that hangs costs the time limit and is told once, without the question", async () => {
    const host = hosted({ vault, recallTimeoutMs: 60 });
    await ask(host, { prompt: "private words" });
    daemon.routes["POST /v1/recall"] = () => ["hang"];
    for (const id of ["a", "b", "c"]) assert.equal(await ask(host, { prompt: "private words" }, run(id)), undefined);
    assert.equal(host.said.length, 1);
    assert.match(host.said[0], /did not answer within 60 ms/);
    assert.doesNotMatch(host.said[0], /private/);
  });

  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, 250));
    return [200, { context: BLOCK }];
  };

  test("only the first answer of a daemon, which has everything to read, may take longer than the limit", async () => {
    daemon.routes["POST /v1/recall"] = slow;
    const host = hosted({ vault, recallTimeoutMs: 60 });
    const first = await Promise.all(["a", "b"].map((id) => ask(host, { prompt: "boathouse" }, run(id))));
    assert.deepEqual(first.map((answer) => answer?.appendContext), [BLOCK, BLOCK]);
    assert.equal(await ask(host, { prompt: "boathouse" }, run("c")), undefined);
  });

  test("a daemon that hangs from the beginning costs that longer limit once", async () => {
    daemon.routes["POST /v1/recall"] = () => ["hang"];
    const host = hosted({ vault, recallTimeoutMs: 50, firstRecallTimeoutMs: 120 });
    assert.equal(await ask(host, { prompt: "boathouse" }, run("a")), undefined);
    assert.match(host.said[0], /did not answer within 120 ms/);
    daemon.routes["POST /v1/recall"] = slow;
    assert.equal(await ask(host, { prompt: "boathouse" }, run("b")), undefined);
  });

  test("the first turn waits for a daemon that begins, and so does one whose daemon has ended", async (t) => {
    const own = vaultFolder();
    t.after(() => writeFileSync(path.join(own, "stop"), ""));
    mkdirSync(path.join(own, ".memoryclaw"), { mode: 0o700 });
    const host = hosted({ vault: own, startDaemon: true, recallTimeoutMs: 60 });
    assert.equal((await ask(host, { prompt: "boathouse" }, run("a")))?.appendContext, BLOCK);
    const { pid } = JSON.parse(readFileSync(path.join(own, ".memoryclaw/serve.json"), "utf8"));
    process.kill(pid, "SIGKILL");
    await until(() => !isAlive(pid));
    assert.equal((await ask(host, { prompt: "boathouse" }, run("b")))?.appendContext, BLOCK);
  });

  test("a daemon that has come back at another address is given the time of a first answer, too", async () => {
    const host = hosted({ vault, recallTimeoutMs: 60 });
    await ask(host, { prompt: "boathouse" }, run("a"));
    await daemon.close();
    daemon = await scripted(vault, { "POST /v1/recall": slow });
    assert.equal((await ask(host, { prompt: "boathouse" }, run("b")))?.appendContext, BLOCK);
    assert.equal(await ask(host, { prompt: "boathouse" }, run("c")), undefined);
  });

  test("a daemon that cannot be started costs no turn its time", async () => {
    const own = vaultFolder();
    writeFileSync(path.join(own, "broken"), "");
    mkdirSync(path.join(own, ".memoryclaw"), { mode: 0o700 });
    const host = hosted({ vault: own, startDaemon: true });
    for (const id of ["a", "b"]) assert.equal(await ask(host, { prompt: "boathouse" }, run(id)), undefined);
    assert.deepEqual(host.said.map((line) => /did not start|does not run/.test(line)), [true, true]);
  });

  test("a host that was busy itself for longer than the limit still hears the answer", async () => {
    daemon.routes["POST /v1/recall"] = () => [200, { context: BLOCK }];
    const asked = ask(hosted({ vault, recallTimeoutMs: 60 }), { prompt: "boathouse" });
    for (const until = Date.now() + 200; Date.now() < until;);
    assert.equal((await asked).appendContext, BLOCK);
  });

  test("says when the daemon is back, and goes blind anew with a new sentence", async () => {
    const host = hosted({ vault });
    announce(vault, "http://127.0.0.1:9");
    await ask(host, { prompt: "one" });
    announce(vault, daemon.url);
    assert.ok((await ask(host, { prompt: "two" })).appendContext);
    assert.equal(host.said.length, 2);
    assert.match(host.said[1], /answers again/);
  });

  for (const [what, spoil] of [
    ["a token that others may read", () => chmodSync(path.join(vault, ".memoryclaw/token"), 0o644)],
    ["an address that others may write", () => chmodSync(path.join(vault, ".memoryclaw/serve.json"), 0o666)],
    ["a host elsewhere", () => announce(vault, "http://memory.example.org:80")],
    ["a name that only begins like this machine", () => announce(vault, "http://127.0.0.1.example.org:80")],
    ["a process that is gone", () => announce(vault, daemon.url, { pid: 2 ** 30 })],
  ]) {
    test(`does not believe ${what}`, async () => {
      const host = hosted({ vault });
      spoil();
      assert.equal(await ask(host, { prompt: "Who is Bello?" }), undefined);
      assert.equal(daemon.asked.length, 0);
    });
  }

  test("finds a daemon that came back at another address", async () => {
    const host = hosted({ vault });
    await ask(host, { prompt: "one" });
    await daemon.close();
    daemon = await scripted(vault);
    assert.equal((await ask(host, { prompt: "two" })).appendContext, BLOCK);
  });
});
