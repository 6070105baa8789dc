/** The daemon's answers as a few plain lines for a chat. What comes from the memory stands on one line and hides nothing. */

import { plainLine } from "./harmless.js";

const MOST = 12;

/** What was done, what is wrong, and where one fact comes from. */
export function audit(commits, checks, from) {
  const wrong = checks.filter((check) => check.level !== "ok").map((check) => `${check.level}: ${plainLine(check.sentence)}`);
  return lines([
    ...commits.map((one) => `${day(one.when)} ${plainLine(one.subject)} (${short(one.commit)})`),
    ...(commits.length ? [] : ["Nothing has been done yet."]),
    ...(from ? origin(from) : []),
    ...wrong,
  ]);
}

/** Matches of a search. */
export function matches({ matches: found, degraded, did_you_mean: meant }) {
  const hints = Object.entries(meant ?? {}).map(([word, other]) => `Did you mean ${plainLine(other)} instead of ${plainLine(word)}?`);
  return lines([
    ...found.map((one) => `${plainLine(one.title, 80)}: ${plainLine(one.snippet, 160)} [${plainLine(one.id)}]`),
    ...(found.length ? [] : ["Nothing found."]), ...hints, ...(degraded ? [plainLine(degraded)] : []),
  ]);
}

/** What waits for a decision. */
export function waiting(items) {
  if (!items.length) return "Nothing waits for you.";
  const shown = items.slice(0, MOST).map((one) => `${plainLine(one.id)}: ${plainLine(one.what, 160)} (${plainLine(one.why, 120)})`);
  return lines([...shown, ...(items.length > MOST ? [`… and ${items.length - MOST} more`] : [])]);
}

/** What would change if something were approved. */
export function differences(items) {
  return lines(items.flatMap((one) => [
    `${plainLine(one.id)}: ${plainLine(one.what)}`, plainLine(one.why),
    ...(one.evidence ?? []).slice(0, 3).map((id) => `rests on ${plainLine(id)}`),
    ...one.files.flatMap((file) => [plainLine(file.path), ...file.hunks.flat().map(changed).filter((line) => /[^{}[\]+-]/.test(line)).slice(0, 20)]),
  ]));
}

/** What was decided of what waited. */
export function decided(items) {
  return lines(items.map((one) => noted(`${one.action}: ${plainLine(one.what)}`, one)));
}

/** What a verb wrote. */
export function written(done) {
  return noted(`${done.action}: ${plainLine(done.id)}`, done);
}

/** What a consolidation did. */
export function consolidated({ turns, changes, waits, skipped, applied, degraded, run }) {
  if (!changes.length) return skipped.length ? plainLine(skipped[0].reason) : "Nothing new to make memory of.";
  const made = `${turns} turns read, ${changes.length} changes${applied ? "" : " planned, nothing written"}${waits ? `, some wait: ${plainLine(waits)}` : ""}`;
  const shown = changes.slice(0, MOST).map((one) => `${plainLine(one.kind)}: ${plainLine(one.title)}`);
  return lines([made, ...shown, ...(degraded ? [plainLine(degraded)] : []), ...(applied ? [`take it back: memoryclaw undo ${plainLine(run)}`] : [])]);
}

/** A list of skills. */
export function skills(found) {
  return lines([...found.map((one) => `${plainLine(one.name)} (${plainLine(one.state)}): ${plainLine(one.description, 120)}`),
    ...(found.length ? [] : ["There are no skills yet."])]);
}

/** What was decided of a skill. */
export function ruled(done) {
  return noted(`${done.action}: ${plainLine(done.name)}`, done);
}

/** The working memory of a conversation. */
export function working({ goal, plan = [], recent_observations: observations = [] }) {
  if (!goal && !plan.length && !observations.length) return "This conversation has no working memory.";
  return lines([...(goal ? [`goal: ${plainLine(goal)}`] : []), ...plan.map((step) => `plan: ${plainLine(step)}`),
    ...observations.map((seen) => `seen: ${plainLine(seen)}`)]);
}

/** How the memory stands. */
export function status({ vault, notes, behind, problems, degraded, git }) {
  const count = Object.entries(notes).map(([kind, number]) => `${number} ${kind}`).join(", ");
  return lines([
    `${plainLine(vault)}: ${count || "no notes yet"}`,
    behind ? `${behind} ${behind === 1 ? "file" : "files"} behind` : "up to date", `git: ${plainLine(git.sentence || git.state)}`,
    ...problems.slice(0, 5).map((one) => `${plainLine(one.path)}:${one.line} ${plainLine(one.message)}`),
    ...(degraded ? [plainLine(degraded)] : []),
  ]);
}

function origin(from) {
  const by = from.approved ? [`approved by ${plainLine(from.approved.by)}, ${day(from.approved.at)}`] : [];
  const name = [from.entity, from.field].filter(Boolean).map((part) => plainLine(part)).join(" ");
  return [`${name}: ${plainLine(from.value)}`, ...by,
    ...from.sources.slice(0, 5).map((source) => `from ${plainLine(source.id ?? source.path ?? source.source)}`)];
}

function changed(line) {
  const marks = { same: ["", ""], gone: ["[-", "-]"], come: ["{+", "+}"] };
  return plainLine(line.pieces.map(({ kind, text }) => (marks[kind] ?? ["", ""]).join(text)).join(""), 240);
}

function noted(sentence, { commit, notice }) {
  return `${sentence}${commit ? ` (commit ${short(commit)})` : ""}${notice ? `; ${plainLine(notice)}` : ""}`;
}

function day(when) {
  return plainLine(when).slice(0, 16).replace("T", " ");
}

function short(commit) {
  return plainLine(commit).slice(0, 10);
}

function lines(parts) {
  return parts.filter(Boolean).join("\n");
}
