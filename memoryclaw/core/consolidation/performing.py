"""A planned change as patches of text, one a file. The rule: a patch that was made already changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import NamedTuple

from memoryclaw.core.consolidation.changes import (
    Action,
    AddPending,
    AddSource,
    ConfirmFact,
    MoveFile,
    NewFile,
    PlannedChange,
    Replace,
    SetFact,
)
from memoryclaw.core.consolidation.pending import PENDING_FILE, add_pending
from memoryclaw.core.edits import set_property
from memoryclaw.core.errors import InputError, NotFoundError
from memoryclaw.core.factedits import set_fact
from memoryclaw.core.facts import VALUE, Facts, facts_in
from memoryclaw.core.factsheet import SemanticFile, same
from memoryclaw.core.factsources import add_source
from memoryclaw.core.frontmatter import split
from memoryclaw.core.textfile import readable

_HALF = re.compile("[\ud800-\udfff]")

Patch = Callable[[str | None], str | None]  # of a file's text; None: there is no such file


class Rewrite(NamedTuple):
    """What a change does to one file."""

    path: str
    patch: Patch


class _SameFile(SemanticFile):
    """A semantic file in which one action reads what the last one left: the same text is not read twice."""

    __slots__ = ()

    def facts(self, text: str) -> Facts:
        return _facts(self, text)


@lru_cache(maxsize=8)
def _facts(file: SemanticFile, text: str) -> Facts:
    return facts_in(file.path, text, file.collections)


def rewrites(change: PlannedChange, collections: frozenset[str]) -> list[Rewrite]:
    """The patches of a change in the order of its actions, those of one file made one; moves are left out.

    Args:
        change: what is to be done.
        collections: the headings that are no entities (`collections:` of the schema).
    """
    patches: dict[str, list[Patch]] = {}
    for action in change.actions:
        if not isinstance(action, MoveFile):
            path = PENDING_FILE if isinstance(action, AddPending) else action.path
            patches.setdefault(path, []).append(partial(_performed, action, collections))
    return [Rewrite(path, partial(_in_turn, tuple(several))) for path, several in patches.items()]


def moves(change: PlannedChange) -> list[MoveFile]:
    """The files that a change moves as they are."""
    return [action for action in change.actions if isinstance(action, MoveFile)]


def outcome_of(
    changes: Iterable[PlannedChange], collections: frozenset[str], read: Callable[[str], str | None]
) -> dict[str, tuple[str, str]]:
    """The text before and after of every file that the changes touch; a change that cannot be made is left out.

    Args:
        changes: what is to be done, in order.
        collections: the headings that are no entities.
        read: path → the text that stands there now, None where there is no file.
    """
    before: dict[str, str | None] = {}
    after: dict[str, str | None] = {}

    def now(path: str) -> str | None:
        if path not in before:
            before[path] = after[path] = read(path)
        return after[path]

    for change in changes:
        try:
            fresh = {found.path: found.patch(now(found.path)) for found in rewrites(change, collections)}
        except (InputError, NotFoundError):
            continue
        for move in moves(change):
            if now(move.path) is not None and now(move.to) is None:
                fresh[move.to], fresh[move.path] = now(move.path), None
        after.update(fresh)
    return {path: (text or "", after[path] or "") for path, text in before.items()}


def _in_turn(patches: Iterable[Patch], text: str | None) -> str | None:
    for patch in patches:
        text = patch(text)
    return text


def _performed(action: Action, collections: frozenset[str], text: str | None) -> str | None:
    match action:
        case NewFile():
            # What stands there is the same file from an earlier try, perhaps edited by a person since.
            result = _whole(action.text) if text is None else text
        case Replace() if text is not None:
            result = _whole(action.text)
        case AddPending():
            result = add_pending(text or "", action)
        case SetFact():
            result = _with_fact(action, _SameFile(action.path, collections), text or "")
        case ConfirmFact() if text is not None:
            result = _confirmed(action, _SameFile(action.path, collections), text)
        case AddSource() if text is not None:
            result = _with_sources(action, text)
        case _:
            return text
    return result


def _whole(text: str) -> str:
    """The text without halves of characters, which no file can hold; logs have them where a host cut a string."""
    return text.encode("utf-8", "replace").decode() if _HALF.search(text) else text


def _with_fact(action: SetFact, file: SemanticFile, text: str) -> str:
    if _was_held(action, file, text):
        return text
    return set_fact(
        text,
        file,
        entity=action.entity,
        field=action.field,
        value=action.value,
        since=action.since,
        source=action.source,
        many=action.many,
    ).text


def _was_held(action: SetFact, file: SemanticFile, text: str) -> bool:
    """True when History has this very value, from this day or later: it was set once, and something newer came."""
    value, field = " ".join(action.value.split()), action.field or VALUE
    if value not in text:
        return False  # most are new, and need no reading
    return any(
        not fact.current
        and same(fact.entity, action.entity)
        and same(fact.field, field)
        and fact.value == value
        and fact.since >= action.since
        for fact in file.facts(text).facts
    )


def _confirmed(action: ConfirmFact, file: SemanticFile, text: str) -> str:
    """One more source, as long as the fact says what is confirmed: a person or a newer statement may have changed it."""
    holds = any(
        fact.current and fact.id == action.fact and same(fact.value, action.value)
        for fact in file.facts(text).facts
    )
    return add_source(text, file, action.fact, action.source).text if holds else text


def _with_sources(action: AddSource, text: str) -> str:
    known = split(readable(text)).meta.get("source")
    if known and not isinstance(known, str | list):
        raise InputError(f"the source of {action.path} is no text and no list; change it by hand")
    sources = [known] if isinstance(known, str) else [str(item) for item in known or ()]
    fresh = [range_ for range_ in action.ranges if range_ not in sources]
    return set_property(text, "source", [*sources, *fresh]) if fresh else text
