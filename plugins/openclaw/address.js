/** Where the daemon of a vault listens, and its token. The rule: files that others could have written are not believed. */

import { readFile, stat } from "node:fs/promises";
import path from "node:path";

import { isLoopback } from "./settings.js";

/** The address and token of the daemon, or nothing: no daemon, a dead one, or files that are not ours alone. `owner`: the token of the memory's owner, where it is here. */
export async function findDaemon(settings, owner = false) {
  const token = (owner && await secret(settings.ownerTokenFile)) || await secret(settings.tokenFile);
  if (!token) return undefined;
  if (settings.url) return isLoopback(settings.url) ? { url: settings.url, token } : undefined;
  const written = parsed(await secret(path.join(settings.state, "serve.json")));
  if (!written || !isLoopback(written.url) || !isAlive(written.pid)) return undefined;
  return { url: written.url, token };
}

async function secret(file) {
  try {
    const about = await stat(file);
    const ours = typeof process.getuid !== "function" || (about.uid === process.getuid() && !(about.mode & 0o077));
    return about.isFile() && about.size < 10_000 && ours ? (await readFile(file, "utf8")).trim() : "";
  } catch {
    return "";
  }
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
