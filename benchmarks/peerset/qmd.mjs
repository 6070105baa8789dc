// Asks QMD's BM25, one question a line: node qmd.mjs INSTALL DOCUMENTS STATE.
// A text is what `qmd search` gets, and wants all its words. A list of texts is what `qmd query` gets as lines that begin
// with `lex:`, its ranks fused, without the models that would rewrite and rerank.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [install, documents, state] = process.argv.slice(2);
const home = join(install, "node_modules/@tobilu/qmd");
const { createStore } = await import(pathToFileURL(join(home, "dist/index.js")).href);
const collections = { documents: { path: documents, pattern: "**/*.md" } };
const store = await createStore({ dbPath: join(state, "index.sqlite"), config: { collections } });
await store.update();
const say = (found) => process.stdout.write(JSON.stringify(found) + "\n");
say({ version: JSON.parse(readFileSync(join(home, "package.json"), "utf-8")).version });
for await (const line of createInterface({ input: process.stdin })) {
  const { question, limit } = JSON.parse(line);
  const started = performance.now();
  const hits = Array.isArray(question)
    ? await store.search({ queries: question.map((query) => ({ type: "lex", query })), rerank: false, limit })
    : await store.searchLex(question, { limit });
  const ms = performance.now() - started;
  say({ ms, files: hits.map((hit) => (hit.filepath ?? hit.file).split("/").pop()) });
}
await store.close();
