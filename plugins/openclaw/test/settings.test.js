import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { settingsFrom } from "../settings.js";

test("the vault is the configured one, else the variable's, else the person's own, else the common one", (t) => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "mclaw-settings-"));
  t.after(() => fs.rmSync(home, { recursive: true }));
  const folder = path.join(home, "memoryclaw");
  const vaultOf = (given, env) => settingsFrom(given, { XDG_CONFIG_HOME: home, ...env }).vault;
  const common = path.join(os.homedir(), ".memoryclaw/vault");
  assert.equal(vaultOf({}), common);
  fs.mkdirSync(folder);
  for (const [text, expected] of [
    ["vault:\n  default: /srv/notes\n", "/srv/notes"],
    ['llm:\n  chain: []\n\nvault:\n  # mine\n  default: "/srv/My Notes: #1"\nindex:\n  language: de\n', "/srv/My Notes: #1"],
    ["vault:\r\n  default: ~/notes # mine\r\n", path.join(os.homedir(), "notes")],
    ["vault:\n  default: notes\n", path.join(os.homedir(), "notes")],
    ["index:\n  default: /srv/other\n", common],
    ["# vault:\n#   default: /srv/other\n", common],
    ["vault:\nindex:\n  default: /srv/other\n", common],
  ]) {
    fs.writeFileSync(path.join(folder, "config.yaml"), text);
    assert.equal(vaultOf({}), expected, text);
  }
  assert.equal(vaultOf({}, { MEMORYCLAW_VAULT: "/srv/b" }), "/srv/b");
  assert.equal(vaultOf({ vault: "/srv/a" }, { MEMORYCLAW_VAULT: "/srv/b" }), "/srv/a");
});
