/** The plugin with the real `memoryclaw serve` of this checkout; left out, loudly, where no Python has it. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { assistant, hosted, isAlive, run, until, user, vaultFolder } from "./host.js";

const ROOT = path.resolve(new URL("../../..", import.meta.url).pathname);
const PYTHON = [process.env.MEMORYCLAW_PYTHON, path.join(ROOT, ".venv/bin/python"), "python3"].filter(Boolean)
  .find((python) => spawnSync(python, ["-c", "import memoryclaw, starlette, uvicorn"], { cwd: ROOT }).status === 0);
const SKIP = PYTHON ? false : "NO PYTHON WITH memoryclaw[serve] WAS FOUND; set MEMORYCLAW_PYTHON";

describe("with the real daemon", { skip: SKIP, timeout: 90_000 }, () => {
  const vault = path.join(vaultFolder(), "vault");
  const command = [PYTHON, "-m", "memoryclaw"];
  let host;
  before(() => {
    execFileSync(PYTHON, ["-m", "memoryclaw", "init", vault], { cwd: ROOT, stdio: "ignore" });
    host = hosted({ vault, command, startDaemon: true, recallTimeoutMs: 3_000 });
  });
  after(async () => {
    const pid = stop("SIGTERM");
    await until(() => !isAlive(pid));
    rmSync(path.dirname(vault), { recursive: true, force: true });
  });
  const end = (id, ...messages) => host.fire("agent_end", { runId: id, messages, success: true }, run(id));

  test("a turn starts the daemon and is in the logs, without its secret", async () => {
    await end("r1", user("my key is ghp_0123456789abcdefghijABCDEFGHIJ012345", Date.now()), assistant("Noted.", Date.now() + 1));
    assert.deepEqual(logged().map((line) => line.role), ["user", "assistant"]);
    assert.match(logged()[0].content, /REDACTED/);
  });

  test("what is stored is recalled, searched and read", async () => {
    await host.call("memory_store", { text: "Tabby cat", entity: "Bello", field: "kind" });
    const { appendContext } = await host.fire("before_prompt_build", { prompt: "What kind is Bello?", messages: [] }, run("r2"));
    assert.match(appendContext, /Tabby cat/);
    const [first] = (await host.call("memory_search", { query: "Bello kind" })).value.results;
    assert.match((await host.call("memory_get", { path: first.citation })).value.text, /Tabby cat/);
    assert.equal((await host.call("memory_feedback", { id: first.id, rating: 5 })).value.rating, 5);
    assert.match(await host.slash("mclaw", "audit"), /Bello: kind is Tabby cat/);
  });

  test("a daemon that is killed loses no turn, and one that is sent again is kept once", async () => {
    const pid = stop("SIGKILL");
    await until(() => !isAlive(pid)); // until then its address counts as that of a daemon
    const turn = user("after the crash", Date.now());
    await end("r3", turn);
    await host.fire("before_reset", { messages: [turn], reason: "reset" }, run("r4"));
    await hosted({ vault, command, startDaemon: true }).fire("before_reset", { messages: [turn] }, run("r5"));
    assert.equal(logged().filter((line) => line.content === "after the crash").length, 1);
  });

  function logged() {
    const days = path.join(vault, "logs");
    return readdirSync(days, { recursive: true }).filter((name) => name.endsWith("s1.jsonl"))
      .flatMap((name) => readFileSync(path.join(days, name), "utf8").trim().split("\n").map((line) => JSON.parse(line)));
  }

  function stop(signal) {
    const { pid } = JSON.parse(readFileSync(path.join(vault, ".memoryclaw/serve.json"), "utf8"));
    process.kill(pid, signal);
    return pid;
  }
});
