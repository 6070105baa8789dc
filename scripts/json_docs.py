"""Prints docs/json.md: the JSON answer of every verb, described and shown as it comes from a copy of the sample vault.

`python scripts/json_docs.py > docs/json.md` writes the page anew; tests/doors/test_json_docs.py fails when it is out of date.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
COMMAND = Path(sys.executable).with_name("memoryclaw")
NOW = "2026-04-20T08:00:00Z"
SHOWN = 2  # items of a long list
LISTS = {"matches", "left_out", "trace", "notes", "facts", "out", "back", "checks"}
FACT = "semantic/projects#Boathouse Aarhus.deadline"


class Verb(NamedTuple):
    """One verb of the page: its example and what its keys mean."""

    command: str
    about: str
    keys: dict[str, str]


HEAD = """# JSON answers

Every verb answers with one JSON object when `--json` is given, before or after the verb (`watch` and `capture` with one object a line). The
HTTP and MCP doors return the same objects. Text is exact: what a note holds is what the JSON holds. Characters that a terminal
would obey are written as `\\\\uXXXX`. A failure prints nothing on standard output: one sentence on standard error, and an
exit code of 1 (known failure), 2 (usage), 3 (a bug; the sentence names a file with the details) or 130 (interrupted).
`doctor` also exits with 1 when it found problems.

The examples are real: they come from the sample vault in this repository, with the clock at 2026-04-20. Lists are cut after
their second item here, and nowhere else. Keys may be added in later versions; none is renamed or removed.

Words used throughout:

- `id` names a note, `note#Heading` a section, `note#Entity.field` a fact, `log:session/turn` a turn; `show` takes any of them.
- `path` is relative to the vault, lines count from 1, dates are ISO 8601 and empty when unknown.
- `kind` of a match is episode, fact, skill, note or turn; of a note episode, semantic, skill, note or log.
- `state` is current, superseded, archived, pending or draft.
- `trust` is trusted, unknown, untrusted or quarantined.
- A *problem* is `{"path", "line", "message", "hint"}`: something wrong in a file, and what to do about it; line 0 means the file as a whole.
"""

VERBS = (
    Verb(
        'search "boathouse deadline" --limit 1',
        "Ranked matches, best first; ties go by id.",
        {
            "confidence": "the share of the question's weight, 0 to 1, that the best matches hold",
            "degraded": "why the answer may be behind the files; empty when it is not",
            "behind": "how many files the index does not know as they are",
            "matches[].layer": "episodic (episodes), semantic (facts), procedural (skills), log (turns) or note",
            "matches[].highlights": "start and end, in the snippet, of each matched word",
            "matches[].why.terms": "named parts of the score; they add up to `score` exactly",
            "matches[].why.matched": "which word was found in which field, and how: literal, stem, phrase, prefix, bigram, alias, "
            "entity, fuzzy, date, neighbour, feedback, link, vector or pinned; never empty",
            "left_out": "candidates that are no match, each with its reason",
            "did_you_mean": "for words that the vault does not know, the nearest one that it does",
            "notices": "sentences about parts of the question that were not understood as meant",
        },
    ),
    Verb(
        'recall "When is the boathouse deadline?" --budget 120 --trace',
        "As `search`, and packed into a budget.",
        {
            "context": "what to paste into a prompt: fenced, escaped, labelled with its trust, each item with its id",
            "tokens": "what the context costs, framing included; never more than `budget`",
            "matches[].tokens": "what this one adds",
            "trace": "with `--trace`: every candidate, with the one decision made of it; `reason` is empty for what is in",
            "receipt": "names this recall in the ledger; unlike everything else it differs from run to run",
        },
    ),
    Verb(f"show {shlex.quote(FACT)}", "One thing as it stands in its file.", {"text": "its lines as they stand there"}),
    Verb("browse --limit 1", "Notes, pinned ones first, then the newest.", {"at": "when the note happened or was written"}),
    Verb(
        "facts boathouse --as-of 2025-07-01",
        "Facts that hold now, held on a day (`--as-of`), or all (`--history`).",
        {"current": "false for a value that stands under History", "since, until": "the days between which it holds; empty when open"},
    ),
    Verb("links ep-20250708-penicillin", "Links of a note.", {"to": "the id that the link leads to; empty when nothing answers to it"}),
    Verb("sync", "What changed on disk since the last sync. `reindex` answers the same.", {"unread": "files that could not be read; the index keeps what it knew"}),
    Verb(
        "status",
        "How the vault stands; nothing is changed, not even the index.",
        {
            "notes": "files on disk by kind",
            "behind": "how many files a sync would take in or remove",
            "problems": "problems, as of the last sync",
            "degraded": "why the files or the index cannot be looked at; empty when they can",
            "ignored": "what is passed over on purpose: conflict copies, Obsidian's folders",
            "git.state": "ok, unborn, none, detached, merging, rebasing, bare or locked",
            "git.last": "the newest commit that MemoryClaw made: commit, when, subject, run; or null",
            "daemon": "process id of a live watcher, or null",
        },
    ),
    Verb(
        "doctor",
        "Every check of the vault's health; exits with 1 when a level is `problem`.",
        {"sound": "true when there is no problem", "checks[].level": "ok, advice, problem, or mended (with `--fix`)", "checks[].details": "problems"},
    ),
    Verb(
        f"edit {shlex.quote(FACT)} --set value=2027-01-15",
        "What a change did. `init`, `remember`, `forget`, `revive` and `undo` answer the same.",
        {
            "id": "what was written; after `forget`, what `revive` takes",
            "commit": "the commit that holds this change and nothing else; empty when there is none",
            "action": "added, confirmed, superseded, corrected, edited, forgotten, revived, undone, created or completed",
            "notice": "what else there is to know, such as why nothing was committed",
        },
    ),
)  # fmt: skip

WATCH = """## watch

One object a line, as things happen.

| key | meaning |
|---|---|
| `kind` | started, synced, overflow, polling, problem or stopped |
| `text` | the same in a sentence |
| `files` | how many files a `synced` took in |
| `ms` | how long that took |
"""

CAPTURE = """## capture

One acknowledgement a line, in the order of the lines that came in. Each is printed once its line is on the disk.

| key | meaning |
|---|---|
| `ok` | false when the line was refused |
| `id` | `log:session/turn`; empty when nothing was kept on purpose |
| `again` | true when the line was kept before; else the key is absent |
| `left_out` | why nothing of it was kept, such as `marked [NOMEM]`; else the key is absent |
| `redacted` | how many secrets were taken out; absent when none |
| `error`, `line` | of a refused line: one sentence, and its number |

`import` answers with one object: how many `files` were read, how many turns were `added`, were there `again`, or were
`left_out`, how many secrets were `redacted`, and the `problems`.
"""


def main() -> None:
    """Prints the page."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        shutil.copytree(ROOT / "vault", vault, ignore=shutil.ignore_patterns(".memoryclaw"))
        env = environment(folder)
        for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "My notes so far"]):
            subprocess.run(["git", *command], cwd=vault, env=env, check=True)
        parts = [HEAD, *(section(verb, vault, env) for verb in VERBS), WATCH, CAPTURE]
        sys.stdout.write("\n".join(parts).replace(os.fspath(vault), "/home/nora/vault"))


def environment(home: str) -> dict[str, str]:
    """An environment in which every run prints the same."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "MEMORYCLAW_", "XDG_"))
    }
    who = {
        f"GIT_{role}_{key}": f"nora@{key.lower()}"
        for role in ("AUTHOR", "COMMITTER")
        for key in ("NAME", "EMAIL")
    }
    return {**kept, **who, "HOME": home, "MEMORYCLAW_NOW": NOW, "GIT_CONFIG_GLOBAL": os.devnull}


def section(verb: Verb, vault: Path, env: dict[str, str]) -> str:
    """One verb: what it is, its example, its keys."""
    command = [COMMAND, *shlex.split(verb.command), "--json"]
    done = subprocess.run(
        command,
        env={**env, "MEMORYCLAW_VAULT": os.fspath(vault)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if not done.stdout:
        raise SystemExit(f"{verb.command}: {done.stderr}")
    example = json.dumps(shortened(json.loads(done.stdout)), ensure_ascii=False, indent=2)
    keys = [f"| `{key}` | {meaning} |" for key, meaning in verb.keys.items()]
    table = ["| key | meaning |", "|---|---|", *keys, ""] if keys else []
    name = verb.command.partition(" ")[0]
    return "\n".join(
        [
            f"## {name}",
            "",
            verb.about,
            "",
            *table,
            f"`memoryclaw {verb.command} --json`",
            "",
            "```json",
            steady(example),
            "```",
            "",
        ]
    )


def shortened(value: Any, key: str = "") -> Any:
    """The value with its long lists cut."""
    if isinstance(value, dict):
        return {name: shortened(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [shortened(inner) for inner in (value[:SHOWN] if key in LISTS else value)]
    return value


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    text = re.sub(r'("(?:fresh|answer)": )[\d.]+', r"\g<1>1.0", text)
    text = re.sub(r'("bytes": )\d+', r"\g<1>400000", text)
    text = re.sub(r'("receipt": "r-\w+)-\w+"', r'\1-3fa94c"', text)
    text = re.sub(r'("commit": )"[0-9a-f]{40}"', r'\1"8c2b1f0e5d7a49632b8e0c1d4f5a6b7c8d9e0f1a"', text)
    return re.sub(
        r"(\"highlights\": )\[\s+([^\"]*?)\s+\](?=,\n)",
        lambda hit: hit[1] + "[" + re.sub(r"\s+", " ", hit[2]).replace("[ ", "[").replace(" ]", "]") + "]",
        text,
    )


if __name__ == "__main__":
    main()
