/** What was said in a turn, exactly and once: the messages that a run added, each under an id that stays the same. */

import { createHash } from "node:crypto";

import { isSilent } from "./recall.js";
import { isCommand, ownWords, textOf } from "./words.js";

const RUNS = 500; // that are kept in mind
const SENT = 5_000; // ids of messages, over all sessions
const KEPT = ["role", "content", "timestamp", "toolName", "toolCallId", "isError", "name", "senderName", "audience", "export", "private", "noexport", "provenance"];

export class Turns {
  cut = new Set(); // sessions whose conversation the host has cut since the last recall
  #runs = new Map(); // run id → how long the session was, and where its words come from
  #done = new Bounded(RUNS);
  #sent = new Bounded(SENT);

  /** A run begins: remembers how long its session is. A prompt that is built again changes nothing. */
  begins(event, ctx) {
    const run = ctx?.runId;
    if (!run || this.#runs.has(run) || !Array.isArray(event?.messages)) return;
    this.#runs.set(run, { length: event.messages.length, origin: ctx.inputProvenance?.kind ?? "" });
    if (this.#runs.size > RUNS) this.#runs.delete(this.#runs.keys().next().value);
  }

  /** A run has ended: what it added, ready to be sent; nothing the second time. */
  ended(event, ctx) {
    const run = event?.runId ?? ctx?.runId ?? "";
    if (run && !this.#done.add(run)) return [];
    const begun = this.#runs.get(run);
    this.#runs.delete(run);
    const own = spoken(sliceOf(event?.messages ?? [], begun?.length));
    const about = { trigger: ctx?.trigger, provenance: { kind: begun?.origin ?? ctx?.inputProvenance?.kind ?? "" } };
    return this.#news(own, run, { silent: isSilent(ctx), about });
  }

  /** A session is about to be cut or closed: whatever of it was not sent yet. */
  left(messages, ctx) {
    if (!Array.isArray(messages)) return [];
    return this.#news(withoutCommands(spoken(messages)), ctx?.runId ?? "", { silent: false, about: {} });
  }

  #news(messages, run, { silent, about }) {
    const lines = messages.map((message, at) => lineOf(message, { place: `${run}:${at}`, when: whenOf(messages, at), about }));
    const fresh = lines.filter((line) => this.#sent.add(line.host_id));
    return silent ? [] : fresh;
  }
}

/** The messages of a run: what came after it began; where that is unknown, from the last words of a user on. */
function sliceOf(messages, length) {
  const added = length === undefined ? [] : messages.slice(length);
  const first = added.find((message) => message?.role !== "custom");
  return first?.role === "user" ? added : messages.slice(lastUser(messages));
}

function lastUser(messages) {
  const at = messages.findLastIndex((message) => message?.role === "user" && hasWords(message));
  return at < 0 ? messages.length : at;
}

/** Messages that say something: none of the host's own, none that is only the host's wrapping. */
function spoken(messages) {
  return messages.filter((message) => message && typeof message === "object"
    && ["user", "assistant", "toolResult", "tool"].includes(message.role)
    && (message.role !== "user" || hasWords(message)));
}

function hasWords(message) {
  const text = textOf(message.content);
  if (text) return ownWords(text) !== "";
  return Array.isArray(message.content) && message.content.some((part) => part?.type !== "text");
}

/** History holds commands to the host and its replies; they are not part of a conversation. */
function withoutCommands(messages) {
  let skipping = false;
  return messages.filter((message) => {
    if (message.role === "user") skipping = isCommand(ownWords(textOf(message.content)));
    return !skipping;
  });
}

/** A message as the host holds it: whose words it has, and what of them is the host's, is read where it is kept. */
function lineOf(message, { place, when, about }) {
  const line = Object.fromEntries(KEPT.filter((key) => message[key] !== undefined).map((key) => [key, message[key]]));
  return { host_id: idOf(message, place, when), ...(line.role === "user" && about), ...line };
}

/** The time that a message is known by: a user's words have one time in a live turn and another in history, so theirs is the answer's. */
function whenOf(messages, at) {
  const answer = messages[at].role === "user" ? messages.slice(at).find((message) => message.role === "assistant") : undefined;
  return answer?.timestamp ?? messages[at].timestamp ?? "";
}

/** The same in a live turn and in history, where content changes its shape and ids of calls lose their marks. */
function idOf(message, place, when) {
  const call = String(message.toolCallId ?? "").replace(/[^A-Za-z0-9]/g, "");
  if (when === "" && !call) return `oc-${place}`;
  const words = ownWords(textOf(message.content));
  return `oc-${createHash("sha256").update(JSON.stringify([when, message.role, call, words])).digest("hex").slice(0, 24)}`;
}

/** A set that forgets its oldest. */
class Bounded {
  #seen = new Set();

  constructor(most) {
    this.most = most;
  }

  /** Whether this is new; it is known from now on. */
  add(key) {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    if (this.#seen.size > this.most) this.#seen.delete(this.#seen.values().next().value);
    return true;
  }
}
