/** The host as the plugin meets it: keeps what is registered, and calls it as OpenClaw does. */

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import plugin from "../index.js";

export const COMMAND = [process.execPath, new URL("command.js", import.meta.url).pathname];

const folders = [];
process.on("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** An empty folder that goes when the tests end. */
export function vaultFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "memoryclaw-plugin-"));
  folders.push(folder);
  return folder;
}

/** The plugin, registered with these settings; `complete` is the host's own model. */
export function hosted(config, complete) {
  const host = { hooks: {}, tools: {}, commands: {}, said: [], capability: undefined, service: undefined };
  plugin.register({
    pluginConfig: { startDaemon: false, command: COMMAND, ...config },
    runtime: complete && { llm: { complete } },
    logger: { warn: (line) => host.said.push(line), info: (line) => host.said.push(line) },
    on: (name, handler) => { host.hooks[name] = handler; },
    registerTool: (factory, { name }) => { host.tools[name] = factory; },
    registerCommand: (command) => { host.commands[command.name] = command; },
    registerMemoryCapability: (capability) => { host.capability = capability; },
    registerService: (service) => { host.service = service; },
  });
  host.fire = (name, event, ctx) => host.hooks[name](event, ctx);
  host.slash = async (name, args, ctx = {}) => (await host.commands[name].handler({ args, sessionId: "s1", senderIsOwner: true, ...ctx })).text;
  host.call = async (name, params, ctx = { sessionId: "s1" }) => {
    const answer = await host.tools[name](ctx).execute("call", params);
    return { text: answer.content[0].text, value: JSON.parse(answer.content[0].text) };
  };
  return host;
}

export const user = (text, timestamp = 1_700_000_000_000) => ({ role: "user", content: [{ type: "text", text }], timestamp });
export const assistant = (text, timestamp = 1_700_000_001_000) => ({ role: "assistant", content: [{ type: "text", text }], timestamp });
export const run = (runId, more = {}) => ({ runId, sessionId: "s1", sessionKey: "agent:main:main", trigger: "user", ...more });

/** Waits until something holds; the test's own time limit ends it. */
export async function until(holds) {
  while (!await holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Whether there is a process with this id. */
export function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
