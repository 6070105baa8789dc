"""What changed in the world, in the order in which it did: facts that began, ended or gave way, what was said, and episodes. Reads only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memoryclaw.errors import NotFoundError
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import link_key
from memoryclaw.model import Fact
from memoryclaw.recall.browsing import facts, paths_about, trust_of
from memoryclaw.text.language import key_of, keys_of

_LEFT_OUT = "quarantined"
_ORDER = ("ended", "superseded", "began", "said", "episode")  # of what happened at the same time


class TimelineEvent(NamedTuple):
    """One thing that changed or happened, with the line that tells it."""

    at: str  # ISO day, or day and time, in the world
    kind: str  # began | superseded | ended | said | episode
    entity: str
    field: str
    value: str  # of a fact, the words of a statement, the title of an episode
    was: str  # the value that gave way
    id: str
    path: str
    line: int


class Timeline(NamedTuple):
    """Events, the oldest first, and how many there are before them."""

    events: tuple[TimelineEvent, ...]
    earlier: int


def timeline(
    catalog: Catalog, *, entity: str = "", since: str = "", until: str = "", limit: int = 50
) -> Timeline:
    """The newest events of an entity, or of everything; what has no date is none.

    Args:
        since: ISO day; from then on.
        until: ISO day; up to its end.

    Raises:
        NotFoundError: nothing is known of this entity.
    """
    pairs, paths = _about(entity, catalog) if entity else (catalog.facts(), None)
    trust = trust_of(catalog, (path for path, _ in pairs))
    pairs = [pair for pair in pairs if _LEFT_OUT not in (pair[1].trust, trust.get(pair[0]))]
    happened = [*_of_facts(pairs), *_episodes(catalog, paths)]
    happened = [row for row in happened if since <= row.at and (not until or row.at[: len(until)] <= until)]
    happened.sort(key=lambda event: (event.at, _ORDER.index(event.kind), event.path, event.line, event.id))
    newest = happened[-limit:] if limit else []
    return Timeline(tuple(newest), len(happened) - len(newest))


def _about(entity: str, catalog: Catalog) -> tuple[list[tuple[str, Fact]], list[str]]:
    """The facts of an entity, and the notes that name it."""
    try:
        pairs = facts(catalog, entity=entity, history=True)
    except NotFoundError:
        pairs = []
    name = next((fact.entity for _, fact in pairs if fact.current), pairs[0][1].entity if pairs else entity)
    names = dict.fromkeys((entity, name, *(word for _, word in catalog.synonyms([key_of(name)]))))
    keys = sorted({key for alias in names for key in (key_of(alias), *keys_of(alias))})
    paths = paths_about(keys, sorted(map(link_key, names)), catalog)
    if not pairs and not paths:
        raise NotFoundError(
            f"nothing is known of {entity!r}; `memoryclaw browse entities` lists every entity"
        )
    return pairs, paths


def _of_facts(facts_told: Iterable[tuple[str, Fact]]) -> Iterator[TimelineEvent]:
    by_field: dict[tuple[str, str, str], list[tuple[str, Fact]]] = {}
    for path, fact in facts_told:
        if fact.is_statement:
            yield from _event(fact.said, "said", path, fact)
        else:
            by_field.setdefault((path, key_of(fact.entity), fact.field.casefold()), []).append((path, fact))
    for values in by_field.values():
        yield from _of_field(values)


def _of_field(values: Sequence[tuple[str, Fact]]) -> Iterator[TimelineEvent]:
    """What became of one field: a value that begins on the day on which another ends takes its place."""
    ended = [fact for _, fact in values if fact.until]
    last = max((fact.until for fact in ended), default="")
    undated = [fact for _, fact in values if fact.current and not fact.since]
    for path, fact in values:
        # Where the past of a field is known, its one value without a date is younger than that.
        began = fact.since or (last if undated == [fact] and not _began(values, last) else "")
        gone = [end.value for end in ended if end.until == began and end is not fact]
        yield from _event(began, "superseded" if gone else "began", path, fact, ", ".join(gone))
        follows = _began(values, fact.until) or (fact.until == last and len(undated) == 1)
        if fact.until and not follows:
            yield from _event(fact.until, "ended", path, fact)


def _began(values: Sequence[tuple[str, Fact]], day: str) -> bool:
    return bool(day) and any(fact.since == day for _, fact in values)


def _event(at: str, kind: str, path: str, fact: Fact, was: str = "") -> Iterator[TimelineEvent]:
    if at:
        yield TimelineEvent(at, kind, fact.entity, fact.field, fact.value, was, fact.id, path, fact.line)


def _episodes(catalog: Catalog, paths: Sequence[str] | None) -> Iterator[TimelineEvent]:
    sql = """select at, title, id, path from files where kind = 'episode' and state = 'current' and at != '' and trust != ?
        and (cast(? as text) is null or path in (select value from json_each(?)))"""
    among = None if paths is None else json.dumps(list(paths))
    for day, title, id_, path in catalog.rows(sql, (_LEFT_OUT, among, among or "[]")):
        yield TimelineEvent(str(day), "episode", "", "", str(title), "", str(id_), str(path), 1)
