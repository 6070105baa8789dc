"""The layout of a vault: which kind of note each path holds. It is defined here alone."""

from __future__ import annotations

import re
from typing import NamedTuple

CONFIG_FILE = "memoryclaw.yaml"
STATE_DIR = ".memoryclaw"
ALIASES_FILE = "semantic/aliases.yaml"
SCHEMA_FILE = "semantic/_schema.yaml"
QUESTIONS_FILE = "eval/questions.yaml"  # no note: only Markdown is one
LOGS = ("logs/", "archive/logs/")  # the folders of turns
FOLDERS = ("episodes", "semantic", "skills", "skills/_drafts", "review", "archive", "logs")

# Sync services and editors leave these beside notes; indexed, they would answer twice or with half a note.
CONFLICT_COPY = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}|\(.*conflicted copy.*\)|\(conflict(?:ed)? .*\d{4}-\d\d-\d\d.*\)",
    re.IGNORECASE,
)
_SKILL_FILES = ("SKILL.md",)


class Place(NamedTuple):
    """The kind of note at a vault path, and the state that its folder gives it."""

    kind: str  # episode | semantic | skill | note | log
    state: str = "current"  # current | archived | pending | draft


def place_of(path: str) -> Place | None:
    """The place of a vault path, or None where there can be no note."""
    folder, _, rest = path.partition("/")
    name = path.rpartition("/")[2]
    if not rest:
        return Place("note") if name.endswith(".md") else None
    rule = _FOLDER_RULES.get(folder)
    if rule is not None:
        return rule(rest, name)
    return Place("note") if name.endswith(".md") else None


def tells_how(path: str) -> bool:
    """True for files in `skills/`, archived ones too; skills need approval."""
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
