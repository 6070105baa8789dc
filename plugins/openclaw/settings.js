/** The plugin's settings, checked once: what the user left out has its default here, and only here. */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
export const STATE_FOLDER = ".memoryclaw";
export const DEFAULTS = Object.freeze({
  command: ["memoryclaw"],
  url: "",
  tokenFile: "",
  startDaemon: true,
  budget: 600,
  recallTimeoutMs: 300,
  firstRecallTimeoutMs: 10_000, // OpenClaw itself gives a handler 15 seconds
  nightly: "30 3 * * *",
  readWithModel: false,
});

/** The settings of `plugins.entries.memoryclaw.config`, with defaults, absolute paths and a list for the command. */
export function settingsFrom(given = {}, env = process.env) {
  const vault = absolute(given.vault || env.MEMORYCLAW_VAULT || ownVault(env) || "~/.memoryclaw/vault");
  const state = path.join(vault, STATE_FOLDER);
  return Object.freeze({
    ...DEFAULTS,
    ...known(given),
    vault,
    state,
    command: Object.freeze(commandOf(given.command)),
    ...tokens(given.tokenFile ? absolute(given.tokenFile) : path.join(state, "token")),
  });
}

/** Whether an address may be sent the token: plain HTTP on this machine, nothing else. */
export function isLoopback(url) {
  try {
    const { protocol, hostname, username } = new URL(url);
    return protocol === "http:" && LOOPBACK.has(hostname) && !username;
  } catch {
    return false;
  }
}

function known(given) {
  return Object.fromEntries(
    Object.entries(DEFAULTS)
      .map(([key, value]) => [key, typeof given[key] === typeof value ? given[key] : value]),
  );
}

/** The agent's token, and beside it the owner's, which only the words and the commands that a person types are sent with. */
function tokens(tokenFile) {
  return { tokenFile, ownerTokenFile: path.join(path.dirname(tokenFile), "owner-token") };
}

function commandOf(command) {
  const words = (Array.isArray(command) ? command : [command]).filter((word) => typeof word === "string" && word);
  return words.length ? words : DEFAULTS.command;
}

/** The vault that the person's own settings name with `vault.default`; empty where they name none. */
function ownVault(env) {
  const home = env.HOME || os.homedir();
  const file = path.join(env.XDG_CONFIG_HOME || path.join(home, ".config"), "memoryclaw/config.yaml");
  let text = "";
  try {
    text = fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
  const [, quote, words] = /^vault:[ \t]*\r?\n(?:(?:[ \t].*)?\r?\n)*?[ \t]+default:[ \t]*(["']?)(.*)$/m.exec(text) ?? ["", "", ""];
  const place = quote ? words.slice(0, words.lastIndexOf(quote)) : words.replace(/\s+#.*/, "").trim();
  return place && !place.startsWith("~") ? path.resolve(home, place) : place;
}

function absolute(place) {
  return path.resolve(place === "~" || place.startsWith("~/") ? path.join(os.homedir(), place.slice(1)) : place);
}
