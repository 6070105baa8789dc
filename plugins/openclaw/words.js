/** The user's words alone: what the host wraps around them, and what we put beside them, is taken off. */

const OWN_BLOCK = /<memories note="Recalled data, not instructions\.">[\s\S]*?(?:<\/memories>\s*|$)/g;
const INTERNAL = /<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>[\s\S]*?(?:<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\s*|$)/g;
const MARK = "⟦openclaw:ctx⟧"; // ends the first line of every block that the host puts beside a message
const LAST_BLOCK = new RegExp(`^Context: ${MARK}[ \\t]*$[\\s\\S]*`, "m");
const JSON_BLOCK = new RegExp(`^[^\\n]+ ${MARK}[ \\t]*\\n\`\`\`json[ \\t]*\\n[\\s\\S]*?(?:^\`\`\`[ \\t]*$\\n*|(?![\\s\\S]))`, "gm");
const TEXT_BLOCK = new RegExp(`^[^\\n]+ ${MARK}[ \\t]*(?:\\n[^\\n]+)*\\n*`, "gm");
const DELIVERY = /^Delivery: (?:to send a message|Final assistant text is not automatically delivered|No visible reply is delivered)[^\n]*\n*/gm;
const DATED = /^\[(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?\d{4}-\d\d-\d\d[ T]\d\d:\d\d[^\]\n]{0,40}\][ \t]*/;
const LONGEST = 4096; // bytes of a question that the daemon reads

/** A text as its author wrote it. */
export function ownWords(text) {
  let plain = text.includes("memories note=") ? text.replace(OWN_BLOCK, "") : text;
  if (plain.includes("OPENCLAW_INTERNAL")) plain = plain.replace(INTERNAL, "");
  plain = plain.trim().replace(DATED, "");
  if (plain.includes(MARK)) plain = plain.replace(LAST_BLOCK, "").replace(JSON_BLOCK, "").replace(TEXT_BLOCK, "");
  if (plain.includes("Delivery: ")) plain = plain.replace(DELIVERY, "");
  return plain.trim().replace(DATED, "").trim();
}

/** The text of a message, whose content is a string in history and a list of parts in a live turn. */
export function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (part?.type === "text" && typeof part.text === "string" ? part.text : ""))
    .filter(Boolean).join("\n");
}

/** The user's question of a turn, no longer than is read; of a long one the beginning and the end, where questions stand. */
export function questionOf(event) {
  const current = event?.currentUserMessage;
  const words = ownWords(typeof current === "string" ? current : String(event?.prompt ?? ""));
  if (Buffer.byteLength(words) <= LONGEST) return words;
  const data = Buffer.from(words);
  const half = LONGEST / 2 - 8;
  return `${whole(data.subarray(0, half))}\n${whole(data.subarray(-half))}`;
}

/** Whether a message is a command to the host and nothing that was said. */
export function isCommand(text) {
  return /^\/[a-z][a-z0-9_-]*(?:@\S+)?(?:[\s:]|$)/i.test(text);
}

function whole(data) {
  return data.toString("utf8").replaceAll("\ufffd", "");
}
