import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { COMMAND, hosted, until, vaultFolder } from "./host.js";
import { scripted } from "./scripted.js";

const SEGMENTS = ["a", "b", "c", "d"].map((name) => ({
  segment: `logs/2026-01-01/${name}.jsonl#1-2@0123456789abcdef`, system: "You read.", prompt: `LOG ${name}`, schema: { type: "object" },
}));
const DONE = { run: "r", turns: 8, changes: [{ kind: "episode", title: "A" }], skipped: [], waits: "", degraded: "", applied: {} };

/** A daemon with these segments to be read, a plugin whose model answers in this way, and the message of our job. */
async function night(t, complete, segments = SEGMENTS, config = {}) {
  const vault = vaultFolder();
  const daemon = await scripted(vault, { "POST /v1/consolidate": ({ body }) => [200, body.ask ? { segments } : DONE] });
  t.after(() => daemon.close());
  const host = hosted({ vault, readWithModel: true, ...config }, complete);
  const jobs = [];
  const cron = { list: async () => jobs, add: async (job) => jobs.push(job) };
  await host.fire("cron_reconciled", { enabled: true }, { getCron: () => cron });
  const turn = { cleanedBody: `[cron:1 nightly] ${jobs[0].payload.message ?? ""}\nCurrent time: now` };
  return { host, daemon, job: jobs[0], turn, bodies: () => daemon.to("/v1/consolidate").map((one) => one.body) };
}

test("the job is a turn without tools, which the model never sees", async (t) => {
  const { job } = await night(t, async () => ({ text: "{}" }));
  assert.deepEqual([job.payload.kind, job.payload.toolsAllow, job.delivery.mode], ["agentTurn", [], "none"]);
});

test("without the setting it is a command, as before", async (t) => {
  const { job } = await night(t, async () => ({ text: "{}" }), SEGMENTS, { readWithModel: false });
  assert.deepEqual([job.payload.kind, job.payload.argv.slice(-2)], ["command", ["consolidate", "--due"]]);
});

test("a job of an earlier version becomes one of this", async () => {
  const old = { id: "j1", declarationKey: "memoryclaw:nightly", schedule: { kind: "cron", expr: "30 3 * * *" }, payload: { kind: "command", argv: COMMAND } };
  const patches = [];
  const cron = { list: async () => [old], update: async (id, patch) => patches.push([id, patch.payload.kind]) };
  await hosted({ vault: vaultFolder(), readWithModel: true }).fire("cron_reconciled", { enabled: true }, { getCron: () => cron });
  assert.deepEqual(patches, [["j1", "agentTurn"]]);
});

test("the model is asked about each segment, in a fresh context, and the daemon is given its words as they are", async (t) => {
  const asked = [];
  const { host, turn, bodies } = await night(t, async (params) => { asked.push(params); return { text: `{"n": ${asked.length}}` }; });
  const answer = await host.fire("before_agent_reply", turn, { trigger: "cron" });
  assert.equal(answer.handled, true);
  assert.match(answer.reply.text, /^8 turns read, 1 changes/);
  assert.deepEqual(bodies(), [
    { ask: true, due: true },
    { answers: SEGMENTS.map(({ segment }, at) => ({ segment, answer: `{"n": ${at + 1}}` })) },
  ]);
  assert.equal(asked.length, 4);
  assert.match(asked[0].systemPrompt, /^You read\.\n\nAnswer with one JSON object of this JSON schema, and nothing else:\n\{"type":"object"\}$/);
  assert.deepEqual(asked[0].messages, [{ role: "user", content: "LOG a" }]);
  assert.equal(asked[0].execution.mode, "isolated-agent-runtime");
});

test("nobody else's turn is ours, and nobody else can start one", async (t) => {
  const { host, turn, daemon } = await night(t, async () => assert.fail("asked"));
  assert.equal(await host.fire("before_agent_reply", turn, { trigger: "user" }), undefined);
  assert.equal(await host.fire("before_agent_reply", turn, {}), undefined);
  assert.equal(await host.fire("before_agent_reply", { cleanedBody: "Water the plants." }, { trigger: "cron" }), undefined);
  assert.equal(daemon.to("/v1/consolidate").length, 0);
});

test("a model that fails twice in a row is asked no more, and what it read counts", async (t) => {
  let count = 0;
  const { host, turn, bodies } = await night(t, async () => {
    count += 1;
    if (count > 1) throw Object.assign(new Error("said: my secret"), { code: "LLM_COMPLETION_TIMEOUT" });
    return { text: "{}" };
  });
  await host.fire("before_agent_reply", turn, { trigger: "cron" });
  assert.equal(count, 3);
  assert.deepEqual(bodies()[1], { answers: [{ segment: SEGMENTS[0].segment, answer: "{}" }] });
  assert.match(host.said.join("\n"), /the model read 1 of 4 parts of the logs \(LLM_COMPLETION_TIMEOUT\)/);
  assert.doesNotMatch(host.said.join("\n"), /secret/);
});

test("at night the logs wait for a model that gives no answer; a person who asks gets the rules", async (t) => {
  const { host, turn, bodies } = await night(t, async () => { throw new Error("no credit"); });
  const answer = await host.fire("before_agent_reply", turn, { trigger: "cron" });
  assert.deepEqual([answer.handled, answer.reply.text], [true, "nothing was consolidated (the model gave no answer, so the logs wait)"]);
  assert.deepEqual(bodies(), [{ ask: true, due: true }]);
  assert.match(await host.slash("memory-sleep", ""), /^8 turns read/);
  assert.deepEqual(bodies().slice(1), [{ ask: true, due: false }, {}]);
});

test("where nothing is to be read, the rest is consolidated when it is due", async (t) => {
  const { host, turn, bodies } = await night(t, async () => assert.fail("asked"), []);
  await host.fire("before_agent_reply", turn, { trigger: "cron" });
  assert.deepEqual(bodies(), [{ ask: true, due: true }, { due: true }]);
});

test("a host without a model of its own to lend leaves it to the daemon", async (t) => {
  const { host, turn, bodies } = await night(t, undefined);
  await host.fire("before_agent_reply", turn, { trigger: "cron" });
  assert.deepEqual(bodies(), [{ due: true }]);
});

test("a daemon that is not there fails no turn, and no model is asked instead", async (t) => {
  const { host, turn, daemon } = await night(t, async () => assert.fail("asked"));
  await daemon.close();
  const answer = await host.fire("before_agent_reply", turn, { trigger: "cron" });
  assert.deepEqual([answer.handled, answer.reply.text], [true, "nothing was consolidated (the memory daemon does not run)"]);
});

test("only its owner makes the model read, and a dry run asks nobody", async (t) => {
  const { host, bodies } = await night(t, async () => assert.fail("asked"));
  assert.match(await host.slash("mclaw", "consolidate", { senderIsOwner: false }), /only the owner/);
  await host.slash("mclaw", "consolidate dry");
  assert.deepEqual(bodies(), [{ dry_run: true, llm: "none" }]);
});

for (const [config, words] of [[{ readWithModel: true }, " --after 48"], [{ readWithModel: true, nightly: "" }, ""], [{}, ""]]) {
  test(`a daemon that is started leaves the logs to the night only where there is one: ${JSON.stringify(config)}`, async () => {
    const vault = vaultFolder();
    hosted({ vault, startDaemon: true, ...config }).service.start();
    const starts = () => { try { return readFileSync(path.join(vault, "starts"), "utf8"); } catch { return ""; } };
    await until(starts);
    writeFileSync(path.join(vault, "stop"), "");
    assert.equal(starts(), `--port 0${words}\n`);
  });
}
