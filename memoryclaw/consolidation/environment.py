"""The commands that sessions of a project ran → its commands, ports, versions and paths, once they served in three sessions. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from memoryclaw.consolidation.actions import SetFact
from memoryclaw.consolidation.changes import PlannedChange, ToolSequence
from memoryclaw.consolidation.command_lines import PROMPT, pattern_of, words_of_command
from memoryclaw.model import ENVIRONMENT, PROJECT
from memoryclaw.text import words as lists
from memoryclaw.text.redaction import MARK
from memoryclaw.vault.fact_values import plain_key, plain_value
from memoryclaw.vault.validity import canonical_scope

FILE = "semantic/projects.md"
SERVED = 3  # sessions
_LONGEST = 120  # characters of a command or path
_EVERYWHERE = frozenset(lists.words("consolidation.everywhere"))
_PORT = re.compile(r"(?:--?p(?:ort)?[= ]|\bport=|\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[::\]):|(?<![\w./]):)(\d{2,5})\b", re.IGNORECASE)  # fmt: skip
_VERSION = re.compile(r"(?<![\w/.-])(@?[a-z][\w./-]*?)(?:@|==|:|-?(?=\d))v?(\d{1,9}(?:\.\d{1,9}){1,3})(?![\w.])", re.IGNORECASE)  # fmt: skip
_PATH = re.compile(r"\A(?:~|[\w.@-]*+)(?:/[\w.@*-]++)++/?\Z")
_ADDRESS = re.compile(r"^[a-z][\w+.-]*://|@[\w.-]+:|^--?\w", re.IGNORECASE)


class _Served(NamedTuple):
    """What served in the sessions of a project: their names, the ranges of their logs, and their last day."""

    sessions: dict[str, None]
    ranges: dict[str, None]
    last: str
    is_new: bool


def uses(step: str) -> Iterator[tuple[str, str]]:
    """What a command shows of where it ran: (command | port | version | path, value)."""
    if not step.startswith(PROMPT):
        return
    command = step.removeprefix(PROMPT)
    words = words_of_command(command)
    if words and words[0].rpartition("/")[2] not in _EVERYWHERE and pattern_of(command) == command:
        yield "command", command
    for hit in _PORT.finditer(command):
        yield "port", hit[1]
    for hit in _VERSION.finditer(command):
        yield "version", f"{hit[1].rstrip('-')} {hit[2]}"
    for word in words[1:]:
        bare = word.strip("\"'")
        if not _ADDRESS.search(bare) and _PATH.fullmatch(bare):
            yield "path", bare


def environment(
    new: Sequence[ToolSequence],
    earlier: Iterable[ToolSequence],
    is_settled: Callable[[SetFact], bool],
) -> list[PlannedChange]:
    """A change for each project of the new sessions in which something has served in three sessions, or once more.

    Args:
        new: what was done in the stretches that are consolidated now.
        earlier: what earlier runs saw done.
        is_settled: whether a person took such a fact back.
    """
    names = {canonical_scope(f"{PROJECT}{row.project}"): plain_key(row.project) for row in new if row.project}
    rows = ((row, is_new) for sequences, is_new in ((earlier, False), (new, True)) for row in sequences)
    in_order = sorted(rows, key=lambda pair: (pair[0].day, pair[0].range, pair[0].session))
    changes = []
    for scope in sorted(filter(None, names)):
        served: dict[tuple[str, str], _Served] = {}
        for row, is_new in in_order:
            _count(served, row, scope, is_new=is_new)
        facts = [
            (fact, use)
            for (field, value), use in sorted(served.items())
            if use.is_new and len(use.sessions) >= SERVED
            and not is_settled(fact := _fact(names[scope], field, value, scope, use))
        ]  # fmt: skip
        if facts:
            changes.append(_change(names[scope], facts))
    return changes


def _count(served: dict[tuple[str, str], _Served], row: ToolSequence, scope: str, *, is_new: bool) -> None:
    if canonical_scope(f"{PROJECT}{row.project}") != scope:
        return
    for use in dict.fromkeys(use for step in row.tools for use in uses(step)):
        value = use[1]
        if len(value) > _LONGEST or MARK.search(value) or plain_value(value) != value:
            continue
        before = served.get(use, _Served({}, {}, "", is_new=False))
        served[use] = _Served(
            {**before.sessions, row.session: None},
            {**before.ranges, row.range: None},
            max(before.last, row.day),
            before.is_new or is_new,
        )


def _fact(entity: str, field: str, value: str, scope: str, use: _Served) -> SetFact:
    return SetFact(
        FILE, entity, field, value, many=True, memory_type=ENVIRONMENT, scope=scope,
        count=str(len(use.sessions)), last=use.last,
    )  # fmt: skip


def _change(project: str, facts: Sequence[tuple[SetFact, _Served]]) -> PlannedChange:
    ranges = dict.fromkeys(range_ for _, use in facts for range_ in use.ranges)
    return PlannedChange(
        kind="environment",
        title=f"{project}: what served in {SERVED} sessions or more",
        actions=tuple(fact for fact, _ in facts),
        evidence=tuple(
            f"{fact.field} `{fact.value}`: {fact.count} sessions, last on {fact.last} ({', '.join(use.sessions)})"
            for fact, use in facts
        ),
        source=" ".join(ranges),
        confidence="medium",
        id=f"{FILE.removesuffix('.md')}#{project}",
    )
