"""Vault path → what kind of file lives there. The layout of the vault is written here and nowhere else."""

from __future__ import annotations

import re
from typing import NamedTuple

CONFIG_FILE = "memoryclaw.yaml"
STATE_DIR = ".memoryclaw"
ALIASES_FILE = "semantic/aliases.yaml"
SCHEMA_FILE = "semantic/_schema.yaml"
QUESTIONS_FILE = "eval/questions.yaml"  # no note: only Markdown is one
LOGS = ("logs/", "archive/logs/")  # where the turns are
FOLDERS = ("episodes", "semantic", "skills", "skills/_drafts", "review", "archive", "logs")

# Sync services and editors leave these beside notes; indexing them would answer twice, or with half a note.
CONFLICT_COPY = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}|\(.*conflicted copy.*\)|\(conflict(?:ed)? .*\d{4}-\d\d-\d\d.*\)",
    re.IGNORECASE,
)
_SKILL_FILES = ("SKILL.md",)


class Place(NamedTuple):
    """What a vault path holds: `kind` of note, and the `state` that its folder gives it."""

    kind: str  # episode | semantic | skill | note | log
    state: str = "current"  # current | archived | pending | draft


def place_of(path: str) -> Place | None:
    """The place of a vault path (`/` between parts), or None where no note can live."""
    folder, _, rest = path.partition("/")
    name = path.rpartition("/")[2]
    if not rest:
        return Place("note") if name.endswith(".md") else None
    rule = _FOLDER_RULES.get(folder)
    if rule is not None:
        return rule(rest, name)
    return Place("note") if name.endswith(".md") else None


def tells_how(path: str) -> bool:
    """True for what stands in `skills/`, or stood there before it was archived: how things are done, which needs a yes."""
    return path.removeprefix("archive/").startswith("skills/")


def _episode(_rest: str, name: str) -> Place | None:
    return Place("episode") if name.endswith(".md") else None


def _semantic(_rest: str, name: str) -> Place | None:
    if not name.endswith(".md"):
        return None
    return Place("note", "pending") if name.startswith("_") else Place("semantic")


def _skill(rest: str, name: str) -> Place | None:
    state = "draft" if rest.startswith("_drafts/") else "current"
    if name in _SKILL_FILES or (name.endswith((".json", ".js", ".mjs")) and rest.count("/") <= 1):
        return Place("skill", state)
    return Place("note", state) if name.endswith(".md") else None


def _review(_rest: str, name: str) -> Place | None:
    return Place("note", "pending") if name.endswith(".md") else None


def _archive(rest: str, _name: str) -> Place | None:
    was = place_of(rest)
    return Place(was.kind if was.kind != "semantic" else "note", "archived") if was else None


def _log(_rest: str, name: str) -> Place | None:
    return Place("log") if name.endswith((".jsonl", ".md")) else None


def _nothing(_rest: str, _name: str) -> Place | None:
    return None


_FOLDER_RULES = {
    "episodes": _episode,
    "semantic": _semantic,
    "skills": _skill,
    "review": _review,
    "archive": _archive,
    "logs": _log,
    "ledger": _nothing,
    "runs": _nothing,
    "working": _nothing,
}
