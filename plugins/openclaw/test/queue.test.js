import assert from "node:assert/strict";
import { test } from "node:test";

import { Queue } from "../queue.js";
import { until } from "./host.js";

function queue(deliver, limits) {
  const said = [];
  const one = new Queue(deliver, { warn: (line) => said.push(line) }, { wait: 5, ...limits });
  return { one, said };
}
const kept = (turns) => turns.map(() => ({ ok: true }));
const fails = async () => { throw new Error("down"); };

test("the oldest make room, and that is said once", async () => {
  const { one, said } = queue(fails, { items: 2, wait: 60_000 });
  for (let n = 0; n < 5; n += 1) one.add("s", [{ n }]);
  assert.equal(one.size, 2);
  assert.equal(said.filter((line) => line.includes("oldest")).length, 1);
  one.stop();
});

test("bytes are bounded too, and one batch is always held", async () => {
  const { one } = queue(fails, { bytes: 50 });
  one.add("s", [{ text: "x".repeat(1000) }]);
  assert.equal(one.size, 1);
  one.add("s", [{ n: 1 }]);
  assert.equal(one.size, 1);
});

test("order is kept over failures", async () => {
  const got = [];
  let broken = 3;
  const { one } = queue(async (_, turns) => { if (broken-- > 0) throw new Error("down"); got.push(...turns); return kept(turns); });
  one.add("s", [1]);
  one.add("s", [2]);
  await one.flush();
  await until(() => got.length === 2);
  assert.deepEqual(got, [1, 2]);
});

test("only the lines that were not kept are sent again, and given up in the end", async () => {
  const sent = [];
  const { one, said } = queue(async (_, turns) => { sent.push(turns); return turns.map((turn) => ({ ok: turn !== "bad" })); });
  one.add("s", ["good", "bad"]);
  one.add("s", ["after"]);
  await one.flush();
  await until(() => one.size === 0);
  assert.deepEqual(sent, [["good", "bad"], ["bad"], ["bad"], ["bad"], ["bad"], ["after"]]);
  assert.match(said.at(-1), /1 lines? .*refused 5 times/);
});

test("a flush ends in its time though nobody answers", async () => {
  const { one } = queue(() => new Promise(() => {}));
  one.add("s", [1]);
  await one.flush(20);
  assert.equal(one.size, 1);
});
