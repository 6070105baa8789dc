"""Prints docs/reference/json.md: the JSON answer of every verb, described and shown as it comes from a copy of the sample vault.

`python scripts/json_docs.py > docs/reference/json.md` writes the page anew; tests/interfaces/test_json_docs.py fails when it is out of date.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
Run = Callable[[list[str], str, dict[str, str]], tuple[int, str, str]]
COMMAND = Path(sys.executable).with_name("memoryclaw")
NOW = "2026-04-20T08:00:00Z"
LONG = 44  # characters of a text
WIDE = 140  # characters of a line
ALIKE = 4  # keys that an object shares with one that is shown already,
FEW = 4  # and keys of its own, where only these are shown
REMARKS = (
    "degraded",
    "behind",
    "did_you_mean",
    "unknown",
    "notices",
    "notice",
)  # left out where they are empty
FACT = "semantic/projects#Boathouse Aarhus.deadline"
EDITED = "semantic/projects#Boathouse Aarhus.piles"
PANCAKES = (ROOT / "vault/notes/moon-pancakes.md").read_bytes()
TALK = (ROOT / "scripts" / "talk.jsonl").read_text(encoding="utf-8")
NIGHT = '{"session": "night", "turn": 1, "ts": "2026-04-19T21:00:00Z", "role": "user", "content": "Good night!"}\n'


class Verb(NamedTuple):
    """One verb of the page: its example and what its keys mean."""

    command: str
    about: str
    keys: dict[str, str]
    title: str = ""  # where it is more than the first word of the command
    before: tuple[str, ...] = ()  # lines of logs that are captured first
    stdin: str = ""


HEAD = """# JSON answers

With `--json`, every command prints one JSON object; `sync --watch`, `serve` and `capture` print one object per line. HTTP (`serve`) and MCP (`mcp`) return the same objects. A
failure prints nothing on standard output, and one sentence on standard error ([exit codes](cli.md#for-every-command)).

The examples come from the sample vault, with the clock at 2026-04-20. `…` marks what is cut: lists after their first object, long texts, and what an object has
in common with one shown before. Later versions may add keys; they never rename or remove one.

In every answer:

- `id` names a note, `note#Heading` a section, `note#Entity.field` a fact, `note#Entity.said-1a2b3c4d` a statement, `log:session/turn` a turn; `show` takes any of them.
- `path` is the name of a file in the vault ([`paths:`](vault-format.md#folders-that-lie-elsewhere) may put it elsewhere). Lines count from 1. Dates are ISO 8601, and empty if unknown.
- `kind` of a match is episode, fact, skill, note, todo or turn; of a note episode, semantic, skill, note or log.
- `state` is current, superseded, archived, pending or draft; of a current statement, standing. `trust` is trusted, unknown, untrusted or quarantined.
- `degraded` says why an answer may be behind the files, and `behind` how many files the index does not know yet.
- `commit` is the commit of a change, empty if there is none; `notice` and `notices` are remarks. Examples omit `degraded`, `behind`, `did_you_mean`, `unknown` and remarks where they are empty.
- A *problem* is `{"path", "line", "message", "hint"}`; line 0 means the whole file.
"""

VERBS = (
    Verb('search "boathouse deadline" --limit 1', "Ranked matches, best first.", {
        "confidence": "the chance, 0 to 1, that the matches hold the answer",
        "matches[].highlights": "start and end, in the snippet, of each matched word",
        "matches[].why.terms": "the [terms](recall.md#score) of the score; they add up to it exactly",
        "matches[].why.matched": "which word was found in which field, and how: literal, stem, phrase, prefix, bigram, alias, entity, fuzzy, date, upcoming, neighbour, session, link, vector or pinned",
        "matches[].copies, sections": "near copies, and further sections of its note, that are not shown",
        "matches[].conflicts": "the ids of facts that contradict it",
        "matches[].superseded": "of a turn or an episode: what is true now instead",
        "left_out": "other candidates, with the [reason](recall.md#decisions)",
        "did_you_mean": "for each unknown word, the nearest known one",
        "unknown": "names in the question that are not in the vault",
    }),
    Verb('recall "When is the boathouse deadline?" --budget 120 --trace', "The same, packed into a budget.", {
        "context": "the text to paste into a prompt, fenced and escaped",
        "tokens": "its tokens, never more than `budget`; `matches[].tokens` is each match's share",
        "aside": "tokens of what is due soon, besides the answer, and of what holds in the project where nothing else is about the question",
        "trace": "with `--trace`: every candidate with its decision",
        "receipt": "names this recall in the ledger",
    }),
    Verb("show r-20260420t080000-3fa94c", "An earlier recall. The ledger keeps no text.", {
        "decided": "what was in the context, or left out for a `reason`; `changed` if it says something else now",
        "more": "further candidates that were left out, by reason",
        "gone": "how many are no longer there",
    }, title="show --as recall"),
    Verb(f"show {shlex.quote(FACT)}", "One note, section, fact or turn.", {
        "text": "its lines, exactly",
        "digest": "the SHA-256 of its file, for `edit --text`",
        "superseded": "of an episode or a turn: each line whose fact has changed: `fact`, `entity`, `field`, `value`, and the value `now`, `since` when",
        "day, day_from": "the day of a plain note, and whether its `header`, `name`, `heading` or `folder` says so",
    }),
    Verb(f"show --as uses {shlex.quote(FACT)}", "How strongly a memory is [remembered](recall.md#strength).", {
        "half_life, idle": "active days in which `x` halves, and those since the last use",
        "shown, searched, fetched": "how often it was shown; this counts for nothing",
        "worth": "why consolidation kept it",
        "uses[]": "`cited` by `id` or `words`, or a `rating`, with `x` `before` and after it",
    }, title="show --as uses"),
    Verb("browse --limit 1", "Notes: pinned notes first, then the newest.", {"at": "when it happened or was written"}, title="browse"),
    Verb("browse entities boathouse", "Everything that has facts, by name.", {"kind": "the file of `semantic/` that holds them", "last": "the date of the newest fact or statement"}, title="browse entities"),
    Verb("show --as entity boathouse", "One entity.", {
        "also": "its other names",
        "facts": "as in `facts`, including those of the past",
        "episodes": "the notes that name it, newest first",
        "neighbours[]": "the `fields` that link the two, and how many `episodes` name both",
    }, title="show --as entity"),
    Verb("browse views 'Nantes Kiosk'", "The [generated pages](vault-format.md#generated-pages).", {
        "state": "[missing, current, stale, edited, orphan or own](cli.md#browse)",
        "sources": "how many notes it is compiled from",
        "text": "with a name: the page as it would be now",
        "written": "the files that `--write` wrote",
    }, title="browse views"),
    Verb("facts boathouse --as-of 2025-07-01", "Facts, then statements, newest first.", {
        "type": "`fact` or `statement`",
        "entity, field": "empty if unknown; a statement has no `field`",
        "current": "false for values under History, and for statements",
        "standing": "true for a statement until a later one replaces it",
        "said": "the day of a statement",
        "believed_at": "with `--believed-at`: the commit",
        "conflicts": "the ids of facts that contradict it",
    }),
    Verb("timeline boathouse --limit 3", "What happened, the newest last.", {
        "kind": "`began`, `superseded`, `ended` (of a fact), `said` or `episode`",
        "value, was": "the value of the fact (or the words, or the title), and the one it replaced",
        "earlier": "how many precede the first one listed",
    }),
    Verb("todos slipway", "To-dos, open ones first, the soonest first.", {
        "status": "open, done or cancelled",
        "finished": "the day on which it was done",
        "repeat": "the rule by which it recurs",
        "title": "of its note, with the headings above the line",
    }),
    Verb('ask "When is the boathouse deadline?"', "The lines that answer a question.", {
        "answered": "false if no line is sure to answer; the lines are then only the nearest",
        "lines[].share": "of the question's weight that the line holds",
        "lines[].against": "what keeps it from being an [answer](recall.md#what-answers)",
        "lines[].best": "of the nearest, the line itself; `text` has those around it, too",
    }),
    Verb("links ep-20250708-penicillin", "The links of a note. `links show` returns the same.", {"to": "the id that the link leads to; empty if there is none"}),
    Verb("links --limit 2", "The graph of notes and entities.", {
        "edges[].kind": "link, mention, or cited (without a direction)",
        "edges[].times": "how many links, mentions or replies",
        "edges[].path, line": "where the first of them is",
        "edges[].last": "the day of the last reply that cited both",
    }, title="links, without an id"),
    Verb("links path Home Nora", "The shortest path between two nodes.", {"steps[].edge": "the strongest edge between the two; it may point the other way"}, title="links path"),
    Verb("links neighbours 'Boathouse Aarhus' --limit 1", "The neighbours of a node, the closest first. `links orphans` and `links dangling` list `orphans` (nodes) and `dangling` (links).", {}, title="links neighbours"),
    Verb("sync", "What changed on disk since the last sync. `check reindex` returns the same.", {
        "unread": "files that could not be read",
        "vectors": "with `--vectors`: the model, and how many texts were `filled` and are `missing`",
        "git": "with `--with-git`: the `remote`, how many commits were `received` and `sent`, the `merge` commit, the `files` that it changed here, and what you should know of it (`told`)",
    }),
    Verb("status", "The state of the vault.", {
        "notes": "files on disk, by kind",
        "days": "where plain notes have their day from",
        "ignored": "what is ignored on purpose, such as conflict copies",
        "git.state": "ok, unborn, none, detached, merging, rebasing, bare, locked or damaged",
        "git.last": "the newest commit of MemoryClaw, or null",
        "waiting": "turns that no consolidation has read",
        "daemon": "the process id of a running watcher, or null",
        "vectors": "the model, units, and units that are `missing` a vector; null if vectors are off",
    }),
    Verb("status --usage", "Growth, use, and what waits.", {
        "facts": "current facts and statements",
        "months": "the last twelve in which something happened",
        "shown, hottest": "the ids recalled most often, and the strongest ones",
        "cited": "uses by an assistant's reply",
    }, title="status --usage"),
    Verb("vectors", "Whether vectors are on. `vectors off` and `vectors status` return the same; `vectors on` adds `made`, and `gained`: the golden questions before and after.", {}, title="vectors"),
    Verb("check", "All checks; exits with 1 if one is a `problem`. `check vault` returns the same.", {"checks[].level": "ok, advice, problem, or mended (with `--fix`)"}, title="check"),
    Verb("check lint", "Problems in the files that a person writes; exits with 1 if there are any.", {
        "action, path, checks": "with `--install-hook` or `--uninstall-hook` instead: what was done, the hook, and `warn` or `strict` for each check",
    }, title="check lint"),
    Verb("check migrate --dry-run", "What a migration changed, or would change.", {
        "before, after": "the two formats",
    }, title="check migrate"),
    Verb("adopt --dry-run", "What the vault asks for and you have not allowed.", {
        "adopted": "true if it counts from now on",
        "items": "the `kind`, `what` it is, its `value`, the file it comes from (`origin`), and what it `allows`",
    }),
    Verb("check eval", "The results of the [golden questions](evaluation.md).", {
        "in_context": "the mean share of what is wanted in a context of that many tokens",
        "kept_out": "how many ids and words must not be in a context, and how many were not",
        "questions[].expected[].rank": "0 if it has none; `reason` says why",
    }, title="check eval"),
    Verb(f"edit {shlex.quote(EDITED)} --set value=28", "The result of a change. `init`, `remember`, `forget`, `trust`, `undo`, `review edit` and `skills new` return the same; `init` adds `default` (whether it is your own vault) and `found` (what the folder held).", {
        "id": "what was written; after `forget`, the id for `forget --undo`",
        "action": "added, confirmed, superseded, corrected, edited, unchanged, forgotten, revived, undone, created or completed; over MCP and HTTP also existing, waiting or rejected",
    }),
    Verb(f"edit notes/moon-pancakes --text - --digest {hashlib.sha256(PANCAKES).hexdigest()} --dry-run", "A new text for a note.", {
        "files": "as in `review show`",
        "problems": "what is wrong in the new text; it can be written all the same",
        "written": "as above; null with `--dry-run`",
    }, title="edit --text", stdin=f"{PANCAKES.decode()}More butter.\n"),
    Verb("forget --purge log:2025-10-21-kanazawa/8 --dry-run", "What a purge emptied, or would empty. Exits with 1 if there are `hits`; needs `--yes` or `--dry-run`.", {
        "emptied": "the files; `whole` if nothing of one is left",
        "hits": "where something is still found: place, file and `line`, or an object of git",
        "searched": "how many texts were looked for",
        "history": "kept (git still holds it), rewritten, or none; empty with `--dry-run`",
        "bundle": "with `--history`: the backup, which holds all of it",
        "steps": "commands that take it out of a history that was kept",
    }, title="forget --purge"),
)  # fmt: skip

LATER = (
    Verb("consolidate --ask", "What no run has read yet, as prompts for your agent. Without `--json`, each segment is one line.", {
        "segments[].segment": "the lines of the log; the answer names them",
        "segments[].schema": "the JSON schema of an answer",
    }, title="consolidate --ask", before=(TALK, NIGHT)),
    Verb("consolidate --llm none", "What a run read, decided and did, or would do. `--again` and `consolidate run` return the same.", {
        "waits": "why nothing was done (`--due`, `--again`)",
        "held": "the golden question that would break, if the run waits for that",
        "changes[]": "each becomes one commit, unless `reason` says why it waits; `kind` is episode, fact, pending, skill or merge",
        "changes[].actions": "NewFile, Replace, SetFact, AddStatement, ConfirmFact, AddPending, AddSource or MoveFile, each with its values",
        "decided[].action": "on a fact: add, confirm, supersede, pending or drop; on a statement: state or drop",
        "decided[].by, minds": "who read: `rules`, the model, or `host` for your agent",
        "dropped": "claims of a model without evidence",
        "degraded": "why a configured model did not answer",
        "applied": "null if nothing was written",
        "applied.proposed": "the files in `review/` in which something waits",
    }),
    Verb("review list", "What waits for your decision. `review` alone returns the same.", {
        "waiting[].kind": "fact, conflict, skill, run, or the kind of a proposal",
        "waiting[].values": "of a conflict: each value with its `number` and its `facts`",
        "waiting[].source": "lines of episodes, or ranges of logs",
        "waiting[].box": "the box that is ticked in its file: approve, reject, both, or nothing",
        "waiting[].now": "the current value, which an approval would replace",
        "waiting[].digest": "of what is shown, for `review approve --digest`",
        "waiting[].evidence": "the words that a proposal quotes",
    }, title="review list"),
    Verb("review show p-9c4c23c9", "What would change, word by word. `review diff` returns the same, for one item or several.", {
        "details": "for the owner: the current values (`holds`) and those `before`, rival answers, where it was `said`, and whether the field may hold `many` values",
        "files[].hunks": "groups of lines; `line` is the number in the new text, 0 for a removed line",
        "pieces[].kind": "same, gone (removed) or come (added)",
    }, title="review show"),
    Verb("review approve p-9c4c23c9", "What was decided. `review reject` and `review apply` return the same; exits with 1 if a decision failed.", {"decided[].action": "approved, rejected or failed"}, title="review approve"),
    Verb("history --limit 2", "Commits, newest first.", {
        "commits[].files": "the first 20; `more_files` counts the rest",
        "commits[].kind": "the command that made it, or `by hand`",
        "next": "where the next page begins (`--before`)",
    }),
    Verb("history --commit HEAD", "One commit, word by word; `files` as in `review show`, the first 20.", {}, title="history --commit"),
    Verb("blame 'Boathouse Aarhus.door colour'", "A fact as in `facts`, and its origin.", {
        "commit": "the commit that gave it its value, or null",
        "approved": "who approved it, and when, or null",
        "sources[]": "the `source` that the fact names, the episode (`path`) and its `quote`, the range of the `log` and what its `line` `said`; `notice` if one is gone",
    }),
    Verb("consolidate schedule status", "The state of the timer. `consolidate schedule` alone returns the same.", {
        "active": "false if systemd does not run it",
        "due, reason": "whether `consolidate --due` would do something now, and why",
    }, title="consolidate schedule status"),
    Verb("consolidate schedule install --using cron --dry-run", "What was done to the timer. `consolidate schedule remove` returns the same.", {
        "action": "installed, unchanged, would install, removed or not installed",
    }, title="consolidate schedule install"),
    Verb("skills list", "Skills and drafts. `skills` alone returns the same.", {
        "state": "approved, changed since approval, not approved or draft",
        "outcomes": "how its runs ended; `degraded` if it failed twice in a row as it is now, `stopped` if the last run could not begin",
    }, title="skills list"),
    Verb('skills outcome book-train-travel failed --why "no seat left"', "How following a skill went.", {
        "by": "`person`, `agent`, or what ended a run: `tool`, `check` or `interrupted`",
    }, title="skills outcome"),
    Verb("skills show pack-the-site-bag", "One skill.", {"files": "the digest of each of its files"}, title="skills show"),
    Verb("skills lint", "All problems of one skill, or of all; exits with 1 if there are any.", {}, title="skills lint"),
    Verb('skills match "book a train to Aarhus on Friday"', "The skills that share a word with a request, best first.", {
        "skills[].offered": "whether hosts are offered it; `reason` says why",
        "skills[].instead": "a skill that did better, if this one failed twice in a row",
    }, title="skills match"),
    Verb("skills approve book-train-travel", "What was decided. `skills reject` returns the same.", {"action": "approved, rejected or withdrawn"}, title="skills approve"),
    Verb("openclaw status --config /etc/openclaw.json", "The state of the installation. `openclaw` alone returns the same.", {"checks[].advice": "the command that fixes it"}, title="openclaw status"),
    Verb("skills host", "The folder that hosts read.", {
        "skills[].version": "current, or earlier: the file has changed since it was approved",
        "left_out": "approved skills that are not there, and why",
    }, title="skills host"),
    Verb("working set --session kyoto --task trip --goal 'Book the train' --plan 'ask which day' --fact seats=1 --observe 'the 8:05 is full'", "The working memory after the change. `working` and `working show` return the same.", {
        "by_hand": "what somebody set, and is not filled in again",
        "tokens": "its tokens in a prompt",
    }, title="working set"),
    Verb("working clear --session kyoto", "The result of clearing it.", {"id": "the turn of the log that keeps its contents"}, title="working clear"),
    Verb("feedback ep-20250708-penicillin 5 --session kyoto --note 'asked at the pharmacy'", "The rating as it is in the ledger.", {}),
)  # fmt: skip

PLAIN = """## Answers without an example

| command | keys |
|---|---|
| `sync --watch`, a line for each event | `kind` (started, synced, vectors, overflow, polling, problem or stopped), `text`, `files`, `ms`, and the first 50 `paths` |
| `connect` | `host`; `action` (connected, unchanged, removed, not connected, `would connect`, `would remove`); `vault`; `files[]` with `path`, `changes` and `backup`; the `tools` that the server answered with; the `question` to ask first |
| `connect --print` | `files[].path` and the `text` to add there |
| `openclaw install`, `openclaw uninstall` | `action`; `config`; `diff`; `backup` |
| `openclaw import` | `workspace`; `files`; `proposed[]` as in `review`; how many are `known` already; `commit` |
| `serve`, one line once it listens | `pid`, `host`, `port`, `url`, `started`, `version`, `clock` (the `MEMORYCLAW_NOW` that it was started with), `vault` |
| `ui` | `url`, which works once, within a minute |
| `capture`, a line for each turn | `ok`; `id`; `again` if it was there already; `left_out`, why nothing of it was kept; `redacted`, how many secrets; `error` and `line` of a refused line |
| `import logs` | `files`, `added`, `again`, `left_out`, `redacted`, `problems` |
| `import` | `kind`; `source`; `conversations[]` with `session`, `title`, `first`, `last`, `turns`, `new`; `turns`, `added`, `again`, `redacted`; `proposed[]`; `notes`; `known`; `left_out` by reason; `commit` |
| `import bundle` | `files`; the paths `written`; how many are the `same`; those that `differ`; `left_out` with `why`; `commit`; `created` |
| `export` | `path`, `size`, `sha256`; `files`, `bytes`; how many files had something `withheld` |
| `export memory-md`, `.memoryclaw/latest.json` | `audience`, `budget`, `tokens`, `left_out`, `context`, `facts`, `episodes` |
| `export latest` | the paths `markdown` and `json`, `audience`, `tokens` |
| `hook pre`, `hook post` | the form of their host ([hooks](hooks.md)) |
| `hook install`, `hook uninstall` | `host`, `action`, `path`, `backup` |
| `skills run` | `run`; `name`, `path`, `digest`; `session`; `applied`; `ok`; `values[]` with `name`, `value` and `source` (`given`, `asked`, `default` or a fact); `steps[]` with `step`, `tool`, `args`, `host`, `state` (planned, done, failed, not run), `result`, `error` |
"""


def main() -> None:
    """Prints the page."""
    sys.stdout.write(page(anew))


def page(run: Run) -> str:
    """The page, with the answers that come when commands are run that way."""
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
        shown: list[frozenset[str]] = []  # the forms of objects that stand on the page already
        parts = [
            HEAD,
            *(section(verb, vault, env, run, shown) for verb in VERBS),
        ]
        parts += [section(verb, vault, env, run, shown) for verb in LATER]
        return "\n".join([*parts, PLAIN])


def anew(words: list[str], stdin: str, env: dict[str, str]) -> tuple[int, str, str]:
    """Runs the installed command: its exit code and what it printed on both streams."""
    done = subprocess.run(
        [COMMAND, *words], env=env, input=stdin, capture_output=True, encoding="utf-8", check=False
    )
    return done.returncode, done.stdout, done.stderr


def environment(home: str) -> dict[str, str]:
    """An environment in which every run prints the same."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "MEMORYCLAW_", "XDG_"))
    }
    return {**kept, "HOME": home, "MEMORYCLAW_NOW": NOW, "GIT_CONFIG_GLOBAL": os.devnull, "TZ": "UTC"}


def section(verb: Verb, vault: Path, env: dict[str, str], run: Run, shown: list[frozenset[str]]) -> str:
    """One verb: what it is, its example, its keys."""
    env = {**env, "MEMORYCLAW_VAULT": os.fspath(vault)}
    for lines in verb.before:
        code, _, err = run(["capture", "--json"], lines, env)
        if code:
            raise SystemExit(f"capture: {err}")
    for path in (vault / "ledger").rglob("*.jsonl"):
        path.write_text(steady(path.read_text(encoding="utf-8")), encoding="utf-8")
    _, out, err = run([*shlex.split(verb.command), "--json"], verb.stdin, env)
    if not out:
        raise SystemExit(f"{verb.command}: {err}")
    answer = json.loads(out.replace(os.fspath(vault), "/home/nora/vault"))
    answer = {key: value for key, value in answer.items() if value or key not in REMARKS}
    example = laid_out(shortened(answer, shown))
    keys = [f"- `{key}`: {meaning}" for key, meaning in verb.keys.items()]
    table = [*keys, ""] if keys else []
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


def shortened(value: Any, shown: list[frozenset[str]], key: str = "") -> Any:
    """The value without what repeats itself: the first object of a list, the beginning of a text, an object of each form once."""
    if isinstance(value, dict):
        if key == "schema":
            return {"…": "…"}
        form = frozenset(value)
        if seen := max(shown, key=lambda other: len(other & form), default=None):
            new = [name for name in value if name not in seen]
            if len(form) - len(new) >= ALIKE and len(new) <= FEW:
                kept = dict.fromkeys([next(iter(value)), *new])
                return {**{name: shortened(value[name], shown, name) for name in kept}, "…": "…"}
        if key:
            shown.append(form)
        return {name: shortened(inner, shown, name) for name, inner in value.items()}
    if isinstance(value, list):
        objects = value and isinstance(value[0], dict)
        items = [shortened(item, shown, key) for item in (value[:1] if objects else value[:2])]
        return [*items, "…"] if len(value) > len(items) else items
    if isinstance(value, str) and len(value) > LONG and not value.startswith(("/", "logs/")):
        return f"{value[:LONG]}…"
    return value


def laid_out(value: Any, indent: str = "") -> str:
    """The value as JSON: on one line where it fits, else a line for each key or item."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= WIDE or not value or not isinstance(value, dict | list):
        return line
    deeper = f"{indent}  "
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(key, ensure_ascii=False)}: {laid_out(inner, deeper)}"
            for key, inner in value.items()
        ]
        return "{\n" + ",\n".join(f"{deeper}{part}" for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(f"{deeper}{laid_out(inner, deeper)}" for inner in value) + f"\n{indent}]"


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    text = re.sub(r'("(?:fresh|answer)": )[\d.]+', r"\g<1>1.0", text)
    text = re.sub(r'("bytes": )\d+', r"\g<1>400000", text)
    text = re.sub(r"((?:edit|approve|skill)-20260420T080000-)[0-9a-f]{6}", r"\1ab12cd", text)
    text = re.sub(r"(memoryclaw-vault-)[0-9a-f]{6}", r"\g<1>3f9a1c", text)
    text = re.sub(r"(?:/bin/sh -c '.*?' \S+ )?[^\s=]*/python\S*(?= -P )", "/usr/bin/python3", text)
    text = re.sub(r'("receipt": "r-\w+)-\w+"', r'\1-3fa94c"', text)
    text = re.sub(r'("next": )"[0-9a-f]{40}\.', r'\1"8c2b1f0e5d7a49632b8e0c1d4f5a6b7c8d9e0f1a.', text)
    return re.sub(r'("commit": )"[0-9a-f]{40}"', r'\1"8c2b1f0e5d7a49632b8e0c1d4f5a6b7c8d9e0f1a"', text)


if __name__ == "__main__":
    main()
