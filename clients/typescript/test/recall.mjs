// Asks a running daemon: node recall.mjs URL TOKEN
import { connect, MemoryClawError } from "../dist/index.js";

const [url, token] = process.argv.slice(2);
const memory = connect({ url, token });
const { context } = await memory.recall({ query: "What does Nora prefer?" });
const shown = await memory.show({ id: "notes/tea & toast" });
const listed = await memory.browse({ kind: "note", limit: 1 });
const refused = await memory.show({ id: "nothing" }).catch((error) => error);
const stranger = await connect({ url, token: "no" }).status().catch((error) => error);
console.log(
  JSON.stringify({
    context,
    shown: shown.text,
    listed: listed.notes.length,
    refused: [refused instanceof MemoryClawError, refused.status, refused.code],
    stranger: stranger.status,
  }),
);
