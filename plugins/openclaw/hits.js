/** Our matches in the shape that OpenClaw's own memory answers with; nothing but the plugin knows that shape. */

const LINES = 400; // of a note in one answer
const REFERENCE = /^(.+?)#L(\d+)(?:-L?(\d+))?$/;

/** One match. Their scores end at 1; ours do not, and stand beside it. */
export function hit(match) {
  const corpus = match.kind === "turn" ? "sessions" : "memory";
  return {
    path: match.path,
    startLine: match.line,
    endLine: match.end_line,
    score: Math.round((match.score / (match.score + 1)) * 10_000) / 10_000,
    textScore: match.score,
    snippet: match.snippet,
    source: corpus,
    corpus,
    citation: `${match.path}#L${match.line}-L${match.end_line}`,
    id: match.id,
    title: match.title,
    when: match.when,
    trust: match.trust,
  };
}

/** What a path, an id or a citation asks for. */
export function asked({ id, path, from, lines }) {
  const name = String(id || path || "").trim();
  const cited = name.match(REFERENCE);
  if (!cited) return { name, from, lines };
  const [, file, first, last = first] = cited;
  return { name: file, from: from ?? Number(first), lines: lines ?? Math.max(1, Number(last) - Number(first) + 1) };
}

/** The lines of a note that were asked for, counted as in its file, and where to go on. */
export function excerpt(shown, from, lines) {
  const all = shown.text.split("\n");
  if (all.length > 1 && all.at(-1) === "") all.pop();
  const start = Math.max(from ?? shown.line, shown.line);
  const count = Math.min(Math.max(lines ?? LINES, 1), LINES);
  const part = all.slice(start - shown.line, start - shown.line + count);
  const next = start + part.length;
  const more = next < shown.line + all.length;
  return { from: start, lines: part.length, text: part.join("\n"), ...(more && { truncated: true, nextFrom: next }) };
}
