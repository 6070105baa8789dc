/** Without a daemon: turns go to `memoryclaw capture` as a child process, so that they are redacted before they are kept. */

import { spawn } from "node:child_process";

const PATIENCE = 30_000; // milliseconds
const LONGEST = 4 << 20; // characters of acknowledgements

/** What became of each turn; rejects when the child does not acknowledge them all. Turns go in by pipe, past any shell. */
export function captureByChild(settings, session, turns, patience = PATIENCE) {
  const [program, ...words] = settings.command;
  const args = [...words, "--vault", settings.vault, "capture", "--json", ...(session ? [`--session=${session}`] : [])];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], timeout: patience, killSignal: "SIGKILL" });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (part) => { said = (said + part).slice(0, LONGEST); });
    child.stdin.on("error", () => {}); // a child that ended early is told by its end
    child.on("error", reject);
    child.on("close", (code) => {
      const done = acknowledgements(said);
      if (done.length === turns.length) resolve(done);
      else reject(new Error(`memoryclaw capture ended with ${code ?? "a signal"} and kept ${done.length} of ${turns.length} turns`));
    });
    child.stdin.end(turns.map((turn) => `${JSON.stringify(turn)}\n`).join(""));
  });
}

function acknowledgements(said) {
  return said.split("\n").filter(Boolean).map(parsed).filter((one) => typeof one?.ok === "boolean");
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
