"""Which plain notes a person wants left unread: by `index.exclude`, `.memoryclawignore`, and what Obsidian excludes. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from memoryclaw.model import Problem
from memoryclaw.vault.layout import Place, place_of

IGNORE_FILE, OBSIDIAN_FILE = ".memoryclawignore", ".obsidian/app.json"
_NOTE = Place("note")


class ExcludePattern(NamedTuple):
    """One pattern over vault paths: `*` stays within a name, `**` stands for any folders; without a `/` inside, it is a name anywhere."""

    parts: tuple[str, ...]
    of_folders: bool = False  # it ends in `/`
    takes_back: bool = False  # it begins with `!`


class Excluded(NamedTuple):
    """What is left unread, with what could not be understood of it."""

    patterns: tuple[ExcludePattern, ...] = ()
    beginnings: tuple[str, ...] = ()  # of paths, in any case, as Obsidian has them
    problems: tuple[Problem, ...] = ()

    def hides(self, path: str) -> bool:
        """True for a plain note that the person excludes; MemoryClaw's own folders are always read."""
        if not (self.patterns or self.beginnings) or place_of(path) != _NOTE:
            return False
        parts = tuple(path.removeprefix("_/").split("/"))
        hidden = bool(self.beginnings) and "/".join(parts).casefold().startswith(self.beginnings)
        for pattern in self.patterns:
            if pattern.takes_back == hidden and _covers(pattern, parts):
                hidden = not pattern.takes_back
        return hidden


def read_excluded(globs: Sequence[str], ignore_file: str = "", obsidian: str = "") -> Excluded:
    """Reads what is excluded: the globs of the settings, the text of `.memoryclawignore`, and that of Obsidian's `app.json`."""
    lines = [line.strip() for line in ignore_file.splitlines()]
    patterns = [_pattern(line) for line in (*globs, *lines) if line and not line.startswith("#")]
    beginnings, problems = _of_obsidian(obsidian) if obsidian else ([], [])
    return Excluded(tuple(p for p in patterns if p.parts), tuple(beginnings), tuple(problems))


def _pattern(text: str) -> ExcludePattern:
    bare = text.removeprefix("!")
    parts = [part for part in bare.split("/") if part]
    anywhere = len(parts) == 1 and not bare.startswith("/")
    return ExcludePattern(
        ("**", *parts) if anywhere and parts != ["**"] else tuple(parts), bare.endswith("/"), bare != text
    )


def _covers(pattern: ExcludePattern, parts: tuple[str, ...]) -> bool:
    """True where the pattern fits the path, or a folder that it lies in."""
    last = len(parts) - pattern.of_folders
    return any(_fits(pattern.parts, parts[:end]) for end in range(1, last + 1))


def _fits(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    reached = {0}  # how much of the path the pattern so far may stand for
    for piece in pattern:
        if piece == "**":
            reached = set(range(min(reached), len(parts) + 1)) if reached else reached
        else:
            reached = {n + 1 for n in reached if n < len(parts) and fnmatchcase(parts[n], piece)}
    return len(parts) in reached


def _of_obsidian(text: str) -> tuple[list[str], list[Problem]]:
    try:
        settings = json.loads(text)
    except ValueError:
        return [], [
            Problem(OBSIDIAN_FILE, 1, "this is not JSON, so what Obsidian excludes is read all the same")
        ]
    filters = settings.get("userIgnoreFilters") if isinstance(settings, dict) else None
    beginnings, problems = list[str](), list[Problem]()
    for item in filters if isinstance(filters, list) else ():
        name = str(item)
        if len(name) > 1 and name.startswith("/") and name.endswith("/"):
            message = f"Obsidian excludes by the expression {name[:60]}, which is not read here"
            problems.append(
                Problem(OBSIDIAN_FILE, 1, message, f"name the same files in index.exclude or {IGNORE_FILE}")
            )
        elif name:
            beginnings.append(name.casefold())
    return beginnings, problems
