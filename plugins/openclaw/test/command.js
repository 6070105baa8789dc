/** Stands in for the command `memoryclaw`: `capture` appends what it is given to a file of the vault; `serve` announces a server. */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";

const [, vault, verb, ...words] = process.argv.slice(2);

if (existsSync(path.join(vault, "broken"))) process.exit(1);
if (verb === "capture") {
  const session = words.find((word) => word.startsWith("--session="))?.slice(10);
  for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    appendFileSync(path.join(vault, "captured.jsonl"), `${JSON.stringify({ ...JSON.parse(line), session })}\n`);
    console.log(JSON.stringify({ ok: true, id: "log:s/1" }));
  }
}
if (verb === "serve") {
  const { scripted } = await import("./scripted.js");
  appendFileSync(path.join(vault, "starts"), `${words.join(" ")}\n`);
  await scripted(vault);
  setTimeout(() => process.exit(0), 20_000).unref();
  setInterval(() => existsSync(path.join(vault, "stop")) && process.exit(0), 20);
}
