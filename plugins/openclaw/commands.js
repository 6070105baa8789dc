/** `/mclaw …` and `/memory-sleep`: a person looks at the memory and decides. Only its owner may change it. */

import { plainLine } from "./harmless.js";
import { consolidated } from "./reading.js";
import { sessionOf } from "./recall.js";
import * as say from "./replies.js";

const LONG = 300_000; // milliseconds for the plan of a consolidation
const HELP = [
  "/mclaw audit [ID] — what was done, to everything or to one note or fact, and where it comes from",
  "/mclaw search WORDS — look something up",
  "/mclaw review [ID] — what waits for your decision",
  "/mclaw approve ID · /mclaw reject ID — decide it",
  "/mclaw forget ID — move a note or fact to the archive",
  "/mclaw consolidate [dry] — turn new conversations into memory",
  "/mclaw skills [approve NAME | reject NAME] — skills, and which of them the agent may use",
  "/mclaw working [goal TEXT | clear] — the goal of this conversation",
  "/mclaw status — how the memory stands",
].join("\n");

/** Registers both commands. */
export function registerCommands(api, parts) {
  api.registerCommand({
    name: "mclaw", description: "Look into the long-term memory, and decide what it keeps", acceptsArgs: true,
    handler: (ctx) => answered(parts, ctx, ctx.args),
  });
  api.registerCommand({
    name: "memory-sleep", description: "Turn the conversations so far into memory, now", acceptsArgs: false,
    handler: (ctx) => answered(parts, ctx, "consolidate"),
  });
}

async function answered(parts, ctx, args) {
  const [verb = "", ...words] = String(args ?? "").trim().split(/\s+/).filter(Boolean);
  const known = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (!known) return { text: HELP };
  const owner = isOwner(ctx);
  const daemon = { ask: (method, path, body, options) => parts.daemon.ask(method, path, body, { ...options, owner }) };
  try {
    return { text: await known(daemon, words, ctx, { ...parts, daemon }) };
  } catch (error) {
    if (error.name === "Unreachable") parts.daemon.wake();
    return { text: `MemoryClaw: ${plainLine(error.message, 500)}` };
  }
}

const VERBS = { audit, search, review, approve: decide("approve"), reject: decide("reject"), forget, consolidate, skills, working, status };

async function audit(daemon, words) {
  const id = words.join(" ");
  const wanted = new URLSearchParams({ limit: "10", ...(id && { id }) });
  const { commits } = await daemon.ask("GET", `/v1/history?${wanted}`);
  const checks = id ? [] : (await daemon.ask("GET", "/v1/doctor", undefined, { timeoutMs: 60_000 })).checks;
  const from = id.includes("#") ? await daemon.ask("GET", `/v1/blame/${encodeURIComponent(id)}`).catch(() => undefined) : undefined;
  return say.audit(commits, checks, from);
}

async function search(daemon, words) {
  const query = needed(words, "search WORDS");
  return say.matches(await daemon.ask("GET", `/v1/search?${new URLSearchParams({ q: query, limit: "6" })}`));
}

async function review(daemon, words) {
  if (!words.length) return say.waiting((await daemon.ask("GET", "/v1/review")).waiting);
  return say.differences((await daemon.ask("GET", `/v1/review/${encodeURIComponent(words.join(" "))}`)).differences);
}

function decide(decision) {
  return async (daemon, words, ctx) => {
    ownerOnly(ctx);
    const id = needed(words, `${decision} ID`);
    return say.decided((await daemon.ask("POST", `/v1/review/${encodeURIComponent(id)}/${decision}`, {}, { timeoutMs: 60_000 })).decided);
  };
}

async function forget(daemon, words, ctx) {
  ownerOnly(ctx);
  const id = needed(words, "forget ID");
  return say.written(await daemon.ask("DELETE", `/v1/notes/${encodeURIComponent(id)}`, undefined, { timeoutMs: 60_000 }));
}

async function consolidate(daemon, words, ctx, parts) {
  ownerOnly(ctx);
  const dry = words[0] === "dry" || words[0] === "--dry-run";
  return say.consolidated(dry
    ? await daemon.ask("POST", "/v1/consolidate", { dry_run: true, llm: "none" }, { timeoutMs: LONG })
    : await consolidated(parts));
}

async function skills(daemon, words, ctx) {
  const [decision, ...name] = words;
  if (decision !== "approve" && decision !== "reject") return say.skills((await daemon.ask("GET", "/v1/skills")).skills);
  ownerOnly(ctx);
  const path = `/v1/skills/${encodeURIComponent(needed(name, `skills ${decision} NAME`))}/${decision}`;
  return say.ruled(await daemon.ask("POST", path, {}, { timeoutMs: 60_000 }));
}

async function working(daemon, words, ctx) {
  const session = sessionOf(ctx);
  if (!session) return "This conversation has no name, so it has no working memory.";
  const path = `/v1/working/${encodeURIComponent(session)}`;
  const [what, ...text] = words;
  if (what !== "goal" && what !== "clear") return say.working(await daemon.ask("GET", path));
  ownerOnly(ctx);
  if (what === "goal") return say.working(await daemon.ask("PATCH", path, { goal: needed(text, "working goal TEXT") }));
  await daemon.ask("DELETE", path);
  return "Cleared. What it held is in the log.";
}

async function status(daemon) {
  return say.status(await daemon.ask("GET", "/v1/status"));
}

/** Anybody else who writes in the chat is answered as the agent is, who hears them all. */
function isOwner(ctx) {
  try {
    ownerOnly(ctx);
    return true;
  } catch {
    return false;
  }
}

function ownerOnly(ctx) {
  if (ctx.senderIsOwner === false) throw new Error("only the owner of this memory may do that");
  ctx.assertOwnerCurrent?.();
}

function needed(words, usage) {
  const text = words.join(" ");
  if (!text) throw new Error(`write /mclaw ${usage}`);
  return text;
}
