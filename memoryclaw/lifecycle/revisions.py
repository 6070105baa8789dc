"""Revisions: an episode that later ones contradict is proposed to be refined. What was told stays; below it stands what took its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoryclaw.consolidation.actions import NoteBelow
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.consolidation.proposals import FOLDER
from memoryclaw.lifecycle.keeping import FactPlaces, UpkeepContext, is_open
from memoryclaw.model import Fact
from memoryclaw.text.language import key_of
from memoryclaw.vault import files
from memoryclaw.writing.context import fact_in_words

REVISION = "revision"
TWICE, SHARE = 2, 0.5  # of the facts of an episode that were superseded: so many, or this share
WAITING = 3  # revisions that wait at a time


class _Contradiction(NamedTuple):
    """A line of an episode, the fact that rested on it, and the one that took its place."""

    block: str
    was: Fact
    now: Fact
    source: str  # where the later one was said


def revisions(context: UpkeepContext) -> Iterator[PlannedChange]:
    """A proposal for each episode of which two facts, or half of all, were superseded by what later ones say; a few at a time."""
    waiting = files.list_files(context.writing.root, FOLDER.rstrip("/"))
    room = WAITING - sum(path.startswith(f"{FOLDER}{REVISION}-") for path in waiting)
    # What has a label names what few may see, and a line of an episode has none.
    places = FactPlaces(context.writing)
    facts = [
        fact._replace(source=", ".join(places.of(path, fact)))
        for path, fact in context.catalog.facts()
        if path.startswith("semantic/") and not (fact.is_statement or fact.audience)
    ]
    resting: dict[str, int] = defaultdict(int)
    by_field: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    contradictions: dict[str, list[_Contradiction]] = defaultdict(list)
    for fact in facts:
        by_field[key_of(fact.entity), key_of(fact.field)].append(fact)
        for note in {note for note, _ in _lines(fact)}:
            resting[note] += 1
    for fact in facts:
        later = (
            told_fact
            for told_fact in by_field[key_of(fact.entity), key_of(fact.field)]
            if told_fact.id != fact.id and told_fact.since >= fact.until and told_fact.value != fact.value
        )
        is_past = bool(not fact.current and fact.until)
        successor = min(
            later, key=lambda told_fact: (told_fact.since, not told_fact.current, told_fact.id), default=None
        )
        lines = _lines(successor) if successor and is_past else []
        notes = {note for note, _ in lines}
        for note, block in _lines(fact):
            if successor and lines and note not in notes:
                contradictions[note].append(_Contradiction(block, fact, successor, "#^".join(lines[0])))
    contradictions = {
        note: sorted(each, key=lambda told_fact: (told_fact.block, told_fact.was.id))
        for note, each in contradictions.items()
        if len(each) >= TWICE or len(each) >= SHARE * resting[note]
    }
    days = {note: max(pair.now.since for pair in pairs) for note, pairs in contradictions.items()}
    for note in sorted(days, key=lambda note: (days[note], note), reverse=True):
        address = context.catalog.resolve(note) if room > 0 else None
        if address is None or not address.path.startswith("episodes/"):
            continue
        change = _proposal(address.path, note, contradictions[note])
        if is_open(context, change):
            room -= 1
            yield change


def _lines(fact: Fact) -> list[tuple[str, str]]:
    """The lines of episodes that a fact rests on, as (episode, block id)."""
    links = (source.strip().partition("#^") for source in fact.source.split(","))
    return [(note, block) for note, _, block in links if note and block]


def _proposal(path: str, note: str, contradictions: Sequence[_Contradiction]) -> PlannedChange:
    actions = tuple(
        NoteBelow(path, pair.block, f"superseded by [[{pair.source}]]: {_words(pair.now)} ({pair.now.since})")
        for pair in contradictions
    )
    evidence = (
        f"{_words(pair.was)} (until {pair.was.until}); [[{pair.source}]] says {pair.now.value}"
        for pair in contradictions
    )
    many = f"{len(contradictions)} facts" if len(contradictions) > 1 else "a fact"
    return PlannedChange(
        kind=REVISION,
        title=f"Revise {note}",
        actions=actions,
        evidence=tuple(evidence),
        reason=f"what it tells as {many} was superseded later",
        id=note,
    )


def _words(fact: Fact) -> str:
    return fact_in_words(fact.entity, fact.field, fact.value)
