// Compiled, never run: what the types promise.
import { connect, type components } from "../src/index.js";

const memory = connect({ token: "secret" });
const recalled = await memory.recall({ query: "When is the boathouse deadline?", budget: 400 });
const context: string = recalled.context;
const scores: number[] = recalled.matches.map((match) => match.score);
const matches: components["schemas"]["PackedMatch"][] = recalled.matches;
const text: string = (await memory.show({ id: "semantic/projects" })).text;
await memory.status();

// @ts-expect-error -- no such field
recalled.contxt;
// @ts-expect-error -- no such verb
memory.recal;
// @ts-expect-error -- a question is needed
memory.recall({});
// @ts-expect-error -- it is a text
memory.recall({ query: 1 });
// @ts-expect-error -- no such parameter
memory.recall({ query: "x", limt: 3 });
// @ts-expect-error -- an id is needed
memory.show();

export { context, matches, scores, text };
