"""Prints docs/json.md: the JSON answer of every verb, described and shown as it comes from a copy of the sample vault.

`python scripts/json_docs.py > docs/json.md` writes the page anew; tests/interfaces/test_json_docs.py fails when it is out of date.
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
LONG = 160  # characters of a text of a file
LISTS = {
    "matches", "left_out", "trace", "notes", "facts", "out", "back", "checks", "changes", "ranges", "decided", "commits", "waiting",
    "skills", "files", "questions",
}  # fmt: skip
FACT = "semantic/projects#Boathouse Aarhus.deadline"
EDITED = "semantic/projects#Boathouse Aarhus.piles"
TALK = (ROOT / "scripts" / "talk.jsonl").read_text(encoding="utf-8")
NIGHT = '{"session": "night", "turn": 1, "ts": "2026-04-19T21:00:00Z", "role": "user", "content": "Good night!"}\n'


class Verb(NamedTuple):
    """One verb of the page: its example and what its keys mean."""

    command: str
    about: str
    keys: dict[str, str]
    title: str = ""  # where it is more than the first word of the command
    before: tuple[str, ...] = ()  # lines of logs that are captured first


HEAD = """# JSON answers

Every verb answers with one JSON object when `--json` is given, before or after the verb (`watch`, `serve` and `capture` with one object a line). The
HTTP and MCP doors (`serve`, `mcp`) return the same objects. Text is exact: what a note holds is what the JSON holds. Characters that a terminal
would obey are written as `\\\\uXXXX`. A failure prints nothing on standard output: one sentence on standard error, and an
exit code of 1 (known failure), 2 (usage), 3 (a bug; the sentence names a file with the details) or 130 (interrupted).
`doctor` also exits with 1 when it found problems.

The examples are real: they come from the sample vault in this repository, with the clock at 2026-04-20. Long lists are cut
after their second item here, texts of files after 160 characters, and nowhere else. Keys may be added in later versions; none is renamed or removed.

Words used throughout:

- `id` names a note, `note#Heading` a section, `note#Entity.field` a fact, `log:session/turn` a turn; `show` takes any of them.
- `path` is relative to the vault, lines count from 1, dates are ISO 8601 and empty when unknown.
- `kind` of a match is episode, fact, skill, note or turn; of a note episode, semantic, skill, note or log.
- `state` is current, superseded, archived, pending or draft.
- `trust` is trusted, unknown, untrusted or quarantined.
- `degraded` says why an answer may be behind the files, `behind` how many files the index does not know as they are; empty and
  0 when all is well.
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
    Verb("sync", "What changed on disk since the last sync. `reindex` answers the same.", {"unread": "files that could not be read; the index keeps what it knew", "vectors": "with `--vectors`: the model, how many units there are, how many texts got a vector (`filled`), how many units are `missing` one, and a `notice`"}),
    Verb(
        "status",
        "How the vault stands; nothing is changed, not even the index.",
        {
            "notes": "files on disk by kind",
            "behind": "how many files a sync would take in or remove",
            "problems": "problems, as of the last sync",
            "degraded": "why the files or the index cannot be looked at; empty when they can",
            "ignored": "what is passed over on purpose: conflict copies, Obsidian's folders",
            "git.state": "ok, unborn, none, detached, merging, rebasing, bare, locked or damaged",
            "git.last": "the newest commit that MemoryClaw made: commit, when, subject, run; or null",
            "daemon": "process id of a live watcher, or null",
            "vectors": "the embedding model, how many units there are and how many of them are `missing` a vector; null without `retrieval.fallback: vector`",
        },
    ),
    Verb(
        "doctor",
        "Every check of the vault's health; exits with 1 when a level is `problem`.",
        {"sound": "true when there is no problem", "checks[].level": "ok, advice, problem, or mended (with `--fix`)", "checks[].details": "problems"},
    ),
    Verb(
        "eval --k 5,10 --budget 400",
        "What the golden questions of the vault found ([evaluation.md](evaluation.md)). With `--least` below it exits with 1, the answer all the same.",
        {
            "recall": "the mean share of the expected ids among the first 5, 10; empty when no question expects an id",
            "mrr": "the mean of one over the rank of the first that is expected",
            "ndcg@10": "normalised discounted cumulative gain of the first ten",
            "in_context": "the mean share of what is wanted (ids and words) that stands in a context of so many tokens",
            "kept_out": "how many ids must not be in a context, and how many were in none",
            "questions[].expected[].rank": "its rank, 0 when it has none; `reason` says why it is not among the first",
            "questions[].misses": "everything that went wrong, one sentence each",
        },
    ),
    Verb(
        f"edit {shlex.quote(EDITED)} --set value=28",
        "What a change did. `init`, `remember`, `forget`, `revive`, `undo`, `review edit` and `skills new` answer the same.",
        {
            "id": "what was written; after `forget`, what `revive` takes",
            "commit": "the commit that holds this change and nothing else; empty when there is none",
            "action": "added, confirmed, superseded, corrected, edited, unchanged, forgotten, revived, undone, created or completed",
            "notice": "what else there is to know, such as why nothing was committed, or that a secret was taken out",
        },
    ),
)  # fmt: skip

LATER = (
    Verb(
        "consolidate --llm none",
        "What a run read, decided and did; with `--dry-run` what it would do. `redo` answers the same.",
        {
            "mode": "direct, branch or propose",
            "waits": "why nothing was done at all (`--due`, `redo`); empty otherwise",
            "ranges": "every line of the logs that was read",
            "changes[].kind": "episode, fact, pending, skill or merge; each change becomes one commit",
            "changes[].actions": "what it does: NewFile, Replace, SetFact, ConfirmFact, AddPending, AddSource or MoveFile, each with its values",
            "changes[].reason": "why it waits and is not done; empty where it may be done",
            "skipped": "lines that yield nothing, and why",
            "decided[].action": "what became of a statement: add, confirm, supersede, pending or drop; `known` is the value before",
            "decided[].by": "patterns, or the model that read it",
            "dropped": "what a model claimed and could not prove, one sentence each",
            "minds": "who read: patterns, or models",
            "degraded": "why a model that should have been asked did not answer; empty when all is well",
            "applied": "null when nothing was written",
            "applied.commits[].kind": "as above, or proposal or record; `commit` is empty without a repository",
            "applied.proposed": "the files in `review/` in which something waits",
            "applied.notices": "what else there is to know",
        },
        before=(TALK, NIGHT),
    ),
    Verb(
        "review list",
        "What waits for a yes or a no. `review` alone answers the same.",
        {
            "waiting[].kind": "fact, skill, run, or the kind of a proposal",
            "waiting[].run": "the run that it came from; empty when none is known",
            "waiting[].source": "of a fact, the lines of episodes; of a proposal, ranges of logs",
            "waiting[].box": "what is ticked in its file: approve, reject, both, or nothing",
            "waiting[].evidence": "words that a proposal quotes",
        },
        title="review list",
    ),
    Verb(
        "review show p-9c4c23c9",
        "What would change, word by word. `review diff` answers the same, of one thing or several.",
        {
            "differences[]": "as in `waiting`, and `files`",
            "files[].title": "the commit, where a run has several",
            "files[].hunks": "stretches of lines; `line` is the number in the new text, 0 for a line that goes",
            "pieces[].kind": "same, gone or come",
        },
        title="review show",
    ),
    Verb(
        "review approve p-9c4c23c9",
        "What was decided. `review reject` and `review apply` answer the same; one that failed makes the verb exit with 1.",
        {"decided[].action": "approved, rejected or failed", "decided[].notice": "why it failed, or what else there is to know"},
        title="review approve",
    ),
    Verb(
        "history --limit 2",
        "Commits, newest first.",
        {
            "commits[].kind": "the verb of ours that made it, or `by hand`",
            "commits[].run": "its run; empty for a commit of a person",
            "commits[].source": "its trailer `Source:`",
            "notice": "why there is no history",
        },
    ),
    Verb(
        "blame 'Boathouse Aarhus.door colour'",
        "A fact as in `facts`, and where it comes from.",
        {
            "commit": "the commit that gave it its value, as in `history`; null when there is none, and `notice` says why",
            "approved": "who said yes, and when; null when nobody had to",
            "sources[].source": "as the fact names it",
            "sources[].path, quote": "the episode, and the words it quotes",
            "sources[].log, line, said": "the range of the log, the line, and what that line says",
            "sources[].notice": "what of this is gone",
        },
    ),
    Verb(
        "schedule status",
        "How the timer of the vault stands. `schedule` alone answers the same.",
        {
            "by": "systemd or cron; empty when not installed",
            "active": "false when systemd does not run the timer",
            "next": "in the machine's own zone",
            "due, reason": "whether `consolidate --due` would do something now, and why",
        },
        title="schedule status",
    ),
    Verb(
        "schedule install --using cron --dry-run",
        "What was done about the timer. `schedule remove` answers the same.",
        {
            "action": "installed, unchanged, would install, removed or not installed",
            "files": "what is written, and where",
        },
        title="schedule install",
    ),
    Verb(
        "skills list",
        "Skills and drafts. `skills` alone answers the same.",
        {"state": "approved, changed since approval, not approved or draft", "digest": "SHA-256 of the file"},
        title="skills list",
    ),
    Verb(
        "skills show pack-the-site-bag",
        "One skill.",
        {"files": "the digest of each of its files, by path", "problems": "what `skills lint` says of it"},
        title="skills show",
    ),
    Verb(
        "skills lint",
        "Everything wrong with a skill, or with all; exits with 1 when there is something.",
        {"problems": "with path, line and hint"},
        title="skills lint",
    ),
    Verb(
        'skills match "book a train to Aarhus on Friday"',
        "The skills that share a word with a request, best first.",
        {
            "skills[].offered": "whether a host would be offered it; `reason` says why or why not",
            "skills[].why": "as in `search`: named terms that add up to `score`, and the words that made them",
            "skills[].values": "parameters that the request names",
            "skills[].missing": "those that it does not",
        },
        title="skills match",
    ),
    Verb(
        "skills approve book-train-travel",
        "What was decided. `skills reject` answers the same.",
        {"action": "approved, rejected or withdrawn", "digest": "SHA-256 of the file as it is now"},
        title="skills approve",
    ),
    Verb(
        "openclaw status --config /etc/openclaw.json",
        "How OpenClaw stands to the vault. `openclaw` alone answers the same.",
        {
            "installed": "true when the plugin has an entry",
            "ok": "true when every check is",
            "checks[].advice": "the command that mends it; empty where nothing is to be mended",
        },
        title="openclaw status",
    ),
    Verb(
        "skills host",
        "The folder that hosts read, after it was brought up to date.",
        {
            "skills[].digest": "SHA-256 of the SKILL.md that is given",
            "skills[].version": "current, or earlier: the file was changed since it was approved",
            "left_out": "skills with an approval that are not given, and why",
        },
        title="skills host",
    ),
    Verb(
        "working set --session kyoto --task trip --goal 'Book the train' --plan 'ask which day' --fact seats=1 --observe 'the 8:05 is full'",
        "What a session is at, after the change. `working show` answers the same.",
        {
            "facts": "the newest last, as are `recent_observations`",
            "updated": "when it was last changed; empty when there is none",
            "tokens": "what it costs in a prompt as a whole",
            "problems": "why its file could not be used",
        },
        title="working set",
    ),
    Verb(
        "working clear --session kyoto",
        "What became of it.",
        {"cleared": "false when there was none, or one of another task", "id": "the turn of the log that keeps what it held"},
        title="working clear",
    ),
    Verb(
        "feedback ep-20250708-penicillin 5 --session kyoto --note 'asked at the pharmacy'",
        "A rating as the ledger keeps it.",
        {"id": "what was rated", "rating": "1 (useless) to 5 (just right)", "note": "without secrets"},
    ),
)  # fmt: skip

WATCH = """## watch

One object a line, as things happen.

| key | meaning |
|---|---|
| `kind` | started, synced, vectors, overflow, polling, problem or stopped |
| `text` | the same in a sentence |
| `files` | how many files a `synced` took in |
| `ms` | how long that took |
"""

OPENCLAW = """## openclaw install

What was written into OpenClaw's configuration, or would be. `openclaw uninstall` answers the same.

| key | meaning |
|---|---|
| `action` | installed, uninstalled, unchanged, not installed; would install and would uninstall where `--yes` was not said |
| `config` | the configuration file |
| `diff` | the change as a unified diff, the values of secrets left out |
| `backup` | the copy of the file as it was; empty where there is none, or it was needless and is gone |

## openclaw import

What OpenClaw's own notes hold, as proposals.

| key | meaning |
|---|---|
| `workspace`, `files` | the folder, and the files of it that were read |
| `proposed[].id`, `proposed[].what` | as in `review` |
| `proposed[].kind` | fact, episode or note |
| `proposed[].source` | the file below the workspace |
| `known` | how many things were not proposed: they wait, were decided, or are in the vault |
| `commit` | the commit of the proposals; empty when nothing was written |
"""

SERVE = """## serve

One object on one line, when it listens; nothing after it.

| key | meaning |
|---|---|
| `pid` | the process id of the daemon |
| `host`, `port`, `url` | where a program of this machine asks it |
| `started`, `version` | since when it runs, and which version |
| `vault` | the folder that it answers for |

`.memoryclaw/serve.json` holds the same, but for `vault`. [http.md](http.md) tells what it answers.
"""

RUN = """## skills run

One run of a skill, or without `--apply` what one would do. When it fails, or would, the verb exits with 1.

| key | meaning |
|---|---|
| `run` | its id; empty where nothing was called |
| `name`, `path`, `digest` | the skill, and the SHA-256 of the file that was run |
| `session` | whose log keeps the steps; empty where nothing was called |
| `applied` | whether tools were called |
| `ok` | whether all went well, or would |
| `values[].name`, `value` | a parameter; `[secret]` in place of what is secret, null for one that is left out |
| `values[].source` | `given`, `asked`, `default`, or the id of the fact that says it; empty for nobody |
| `steps[].step`, `tool`, `args` | the number of the call, the tool as the skill names it, its arguments |
| `steps[].host` | `mcp:SERVER` or `openclaw`; empty where there is no such tool |
| `steps[].state` | planned, done, failed or not run |
| `steps[].result`, `error` | what the tool answered, and what went wrong; at most 2,000 characters |
| `notice` | what else there is to know |
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

HOOK = """## hook

`hook pre` and `hook post` answer in the words of their host, with or without `--json`; [hooks.md](hooks.md) shows both.
`hook install` and `hook uninstall` answer with one object.

| key | meaning |
|---|---|
| `host` | whose settings |
| `action` | installed, uninstalled, unchanged, `would be installed` or `would be uninstalled` |
| `path` | the settings file; where a link leads to it, the file itself |
| `backup` | where the old file is kept; empty when there is none |
"""


def main() -> None:
    """Prints the page."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        shutil.copytree(ROOT / "vault", vault, ignore=shutil.ignore_patterns(".memoryclaw"))
        env = environment(folder)
        when = {f"GIT_{role}_DATE": "2026-04-17T18:00:00Z" for role in ("AUTHOR", "COMMITTER")}
        for command in (
            ["init", "-q", "-b", "main"],
            ["config", "user.name", "Nora"],
            ["config", "user.email", "nora@example.org"],
            ["add", "-A"],
            ["commit", "-qm", "My notes so far"],
        ):
            subprocess.run(["git", *command], cwd=vault, env={**env, **when}, check=True)
        parts = [
            HEAD,
            *(section(verb, vault, env) for verb in VERBS),
            WATCH,
            OPENCLAW,
            SERVE,
            CAPTURE,
            HOOK,
            RUN,
        ]
        parts += [section(verb, vault, env) for verb in LATER]
        sys.stdout.write("\n".join(parts))


def environment(home: str) -> dict[str, str]:
    """An environment in which every run prints the same."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "MEMORYCLAW_", "XDG_"))
    }
    return {**kept, "HOME": home, "MEMORYCLAW_NOW": NOW, "GIT_CONFIG_GLOBAL": os.devnull, "TZ": "UTC"}


def section(verb: Verb, vault: Path, env: dict[str, str]) -> str:
    """One verb: what it is, its example, its keys."""
    env = {**env, "MEMORYCLAW_VAULT": os.fspath(vault)}
    for lines in verb.before:
        capture = [os.fspath(COMMAND), "capture", "--json"]
        subprocess.run(capture, env=env, input=lines, capture_output=True, encoding="utf-8", check=True)
    command = [os.fspath(COMMAND), *shlex.split(verb.command), "--json"]
    done = subprocess.run(command, env=env, capture_output=True, encoding="utf-8", check=False)
    if not done.stdout:
        raise SystemExit(f"{verb.command}: {done.stderr}")
    answer = json.loads(done.stdout.replace(os.fspath(vault), "/home/nora/vault"))
    example = json.dumps(shortened(answer), ensure_ascii=False, indent=2)
    keys = [f"| `{key}` | {meaning} |" for key, meaning in verb.keys.items()]
    table = ["| key | meaning |", "|---|---|", *keys, ""] if keys else []
    name = verb.title or verb.command.partition(" ")[0]
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
    """The value with its long lists and texts cut."""
    if isinstance(value, dict):
        return {name: shortened(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [shortened(inner) for inner in (value[:SHOWN] if key in LISTS else value)]
    if key == "text" and len(value) > LONG:
        return f"{value[:LONG]}…"
    return value


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    text = re.sub(r'("(?:fresh|answer)": )[\d.]+', r"\g<1>1.0", text)
    text = re.sub(r'("bytes": )\d+', r"\g<1>400000", text)
    text = re.sub(r"((?:edit|approve|skill)-20260420T080000-)[0-9a-f]{6}", r"\1ab12cd", text)
    text = re.sub(r"(memoryclaw-vault-)[0-9a-f]{6}", r"\g<1>3f9a1c", text)
    text = re.sub(r"(?:/bin/sh -c '.*?' \S+ )?[^\s=]*/python\S*(?= -P )", "/usr/bin/python3", text)
    text = re.sub(r'("receipt": "r-\w+)-\w+"', r'\1-3fa94c"', text)
    text = re.sub(r'("commit": )"[0-9a-f]{40}"', r'\1"8c2b1f0e5d7a49632b8e0c1d4f5a6b7c8d9e0f1a"', text)
    return re.sub(
        r"(\"highlights\": )\[\s+([^\"]*?)\s+\](?=,\n)",
        lambda hit: hit[1] + "[" + re.sub(r"\s+", " ", hit[2]).replace("[ ", "[").replace(" ]", "]") + "]",
        text,
    )


if __name__ == "__main__":
    main()
