import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";

import { hosted, vaultFolder } from "./host.js";
import { scripted } from "./scripted.js";

const vault = vaultFolder();
const WAITS = { id: "p-1", kind: "fact", what: "Bello: kind is cat", why: "said once", evidence: ["log:a/1"] };
let daemon;
let host;
before(async () => {
  daemon = await scripted(vault, {
    "GET /v1/history": { commits: [{ commit: "0123456789abcdef", when: "2026-01-02T03:04:05Z", subject: "Bello is \u202ea cat" }], notice: "" },
    "GET /v1/doctor": { checks: [{ level: "ok", sentence: "fine" }, { level: "problem", sentence: "torn line" }] },
    "GET /v1/review": { waiting: [WAITS] },
    "GET /v1/review/p-1": { differences: [{ ...WAITS, files: [{ path: "semantic/pets.md", title: "", hunks: [[{ number: 1, pieces: [{ kind: "same", text: "- kind: " }, { kind: "come", text: "cat" }] }]] }] }] },
    "POST /v1/review/p-1/approve": { decided: [{ id: "p-1", what: "Bello: kind is cat", action: "approved", commit: "fedcba9876543210" }] },
    "POST /v1/consolidate": { turns: 4, changes: [], skipped: [], applied: null, waits: "", degraded: "" },
    "DELETE /v1/notes/semantic%2Fpets%23Bello.kind": { action: "forgotten", id: "semantic/pets#Bello.kind", commit: "", notice: "" },
    "GET /v1/skills": { skills: [{ name: "tea", state: "approved", description: "Makes tea." }] },
    "POST /v1/skills/tea/reject": { name: "tea", action: "withdrawn", commit: "1" },
    "GET /v1/status": { vault: "/v", notes: { note: 2 }, behind: 0, problems: [], degraded: "", git: { sentence: "ready" } },
    "GET /v1/working/s1": { goal: "", plan: ["boil water"], facts: {}, recent_observations: ["the kettle is on"] },
    "PATCH /v1/working/s1": ({ body }) => [200, { goal: body.goal }],
  });
  host = hosted({ vault });
});
after(() => daemon.close());
beforeEach(() => { daemon.asked.length = 0; });

for (const [args, said] of [
  ["audit", "2026-01-02 03:04 Bello is a cat (0123456789)\nproblem: torn line"],
  ["review", "p-1: Bello: kind is cat (said once)"],
  ["review p-1", "p-1: Bello: kind is cat\nsaid once\nrests on log:a/1\nsemantic/pets.md\n- kind: {+cat+}"],
  ["approve p-1", "approved: Bello: kind is cat (commit fedcba9876)"],
  ["forget semantic/pets#Bello.kind", "forgotten: semantic/pets#Bello.kind"],
  ["consolidate", "Nothing new to make memory of."],
  ["skills", "tea (approved): Makes tea."],
  ["skills reject tea", "withdrawn: tea (commit 1)"],
  ["status", "/v: 2 note\nup to date\ngit: ready"],
  ["working", "plan: boil water\nseen: the kettle is on"],
  ["working goal buy tea", "goal: buy tea"],
  ["search", "MemoryClaw: write /mclaw search WORDS"],
  ["reject p-9", "MemoryClaw: nothing here"],
]) {
  test(`/mclaw ${args}`, async () => assert.equal(await host.slash("mclaw", args), said));
}

for (const args of ["", "help", "constructor", "__proto__ x"]) {
  test(`/mclaw ${args || "alone"} explains itself`, async () => assert.match(await host.slash("mclaw", args), /^\/mclaw audit/));
}

test("what changes the memory is for its owner, and nothing reaches the daemon", async () => {
  for (const args of ["approve p-1", "reject p-1", "forget x", "consolidate", "skills approve tea", "working goal x", "working clear"]) {
    assert.match(await host.slash("mclaw", args, { senderIsOwner: false }), /only the owner/);
  }
  assert.match(await host.slash("memory-sleep", "", { senderIsOwner: false }), /only the owner/);
  const revoked = () => { throw new Error("no longer the owner"); };
  assert.match(await host.slash("mclaw", "forget x", { assertOwnerCurrent: revoked }), /no longer the owner/);
  assert.equal(daemon.asked.length, 0);
});

test("a command is sent with the token of who typed it", async () => {
  await host.slash("mclaw", "review");
  await host.slash("mclaw", "review", { senderIsOwner: false });
  await host.slash("mclaw", "review", { assertOwnerCurrent: () => { throw new Error("no longer the owner"); } });
  assert.deepEqual(daemon.asked.map((one) => one.headers.authorization.slice(7, 8)), ["o", "t", "t"]);
});

test("/memory-sleep consolidates now", async () => {
  await host.slash("memory-sleep", "");
  assert.deepEqual([daemon.asked[0].method, daemon.asked[0].url], ["POST", "/v1/consolidate"]);
});
