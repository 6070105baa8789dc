/** Memory on its way to a model or a person: data that cannot act as markup, and characters that cannot hide. */

// Controls, zero-width and bidirectional marks can hide text from its reader.
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|\udb40[\udc00-\udfff]/g;
const ACTIVE = /[<>&\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|\udb40[\udc00-\udfff]/g;

/** A value as JSON in which no tag, no remote image and no hidden character stands; it parses to exactly the value. */
export function asData(value) {
  return JSON.stringify(value, null, 1).replace(ACTIVE, escaped).replaceAll("![", "!\\u005b");
}

/** A text on one line for a person: nothing hidden in it, nothing that a chat would fetch. */
export function plainLine(text, most = 200) {
  const line = String(text ?? "").replace(/\s+/g, " ").replace(UNSEEN, "").replace(/!\[/g, "[").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

function escaped(found) {
  return [...found].flatMap((char) => char.split("")).map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}
