import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { COMMAND, hosted, vaultFolder } from "./host.js";

/** A scheduler that keeps its jobs. */
function scheduler() {
  let next = 1;
  const jobs = new Map();
  return {
    jobs, changes: 0,
    async list() { return [...jobs.values()]; },
    async add(job) { const id = `j${next++}`; jobs.set(id, { ...job, id }); this.changes += 1; },
    async update(id, patch) { jobs.set(id, { ...jobs.get(id), ...patch }); this.changes += 1; },
    async remove(id) { jobs.delete(id); this.changes += 1; },
  };
}
const vault = vaultFolder();
const reconcile = (cron, config, event = { enabled: true }) => hosted({ vault, ...config })
  .fire("cron_reconciled", event, { getCron: () => cron, abortSignal: new AbortController().signal });

test("the job is there once, whatever happens how often", async () => {
  const cron = scheduler();
  for (let i = 0; i < 3; i += 1) await reconcile(cron, {});
  const [job] = cron.jobs.values();
  assert.deepEqual([cron.jobs.size, cron.changes, job.declarationKey, job.schedule.expr], [1, 1, "memoryclaw:nightly", "30 3 * * *"]);
  assert.deepEqual(job.payload.argv, [...COMMAND, "--vault", vault, "consolidate", "--due"]);
});

test("new settings change it, and what the user switched off stays off", async () => {
  const cron = scheduler();
  await reconcile(cron, {});
  cron.jobs.get("j1").enabled = false;
  await reconcile(cron, { nightly: "0 5 * * *" });
  assert.deepEqual([cron.jobs.get("j1").schedule.expr, cron.jobs.get("j1").enabled], ["0 5 * * *", false]);
});

test("surplus jobs go, all of them where none is wanted, and never another's", async () => {
  const cron = scheduler();
  await cron.add({ declarationKey: "other:nightly" });
  for (let i = 0; i < 3; i += 1) await cron.add({ declarationKey: "memoryclaw:nightly" });
  await reconcile(cron, {});
  assert.equal(cron.jobs.size, 2);
  await reconcile(cron, { nightly: "" });
  assert.deepEqual([...cron.jobs.values()].map((job) => job.declarationKey), ["other:nightly"]);
});

test("a scheduler that is off, gone or broken is left alone", async () => {
  const cron = scheduler();
  await reconcile(cron, {}, { enabled: false });
  await reconcile(undefined, {});
  await reconcile({ list: async () => { throw new Error("not ready"); } }, {});
  assert.equal(cron.changes, 0);
});

test("two hooks at once make one job", async () => {
  const cron = scheduler();
  const host = hosted({ vault });
  await Promise.all(["gateway_start", "cron_reconciled"].map((name) => host.fire(name, {}, { getCron: () => cron })));
  assert.equal(cron.jobs.size, 1);
});

test("a plugin that was taken out of the configuration takes its job along, and one that is only loaded anew does not", async (t) => {
  const cron = scheduler();
  const host = hosted({ vault });
  const file = path.join(vault, "openclaw.json");
  process.env.OPENCLAW_CONFIG_PATH = file;
  t.after(() => { delete process.env.OPENCLAW_CONFIG_PATH; });
  await reconcile(cron, {});
  const stop = (reason) => host.fire("gateway_stop", { reason }, { getCron: () => cron });
  await stop("plugin replacement"); // there is no file, so nobody knows
  writeFileSync(file, "{ plugins: { slots: { memory: 'memoryclaw' } } }");
  await stop("plugin replacement");
  writeFileSync(file, "{}");
  await stop("gateway stopping");
  assert.equal(cron.jobs.size, 1);
  await stop("plugin replacement");
  assert.equal(cron.jobs.size, 0);
});
