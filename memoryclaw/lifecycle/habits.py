"""Habits: the same preference or wish on three days is proposed once, with all its places, whatever words it had."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from memoryclaw.consolidation.actions import SetFact
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.index.catalog import Catalog
from memoryclaw.lifecycle.keeping import FactPlaces, UpkeepContext
from memoryclaw.model import FROM_NOW_ON, Fact, Turn
from memoryclaw.talk.statements import read
from memoryclaw.talk.wishes import are_alike, denies, stems_of
from memoryclaw.text.grammar import codes, grammar, spoken_in, tokens_of
from memoryclaw.vault.edits import name_key
from memoryclaw.vault.validity import is_preference
from memoryclaw.writing.context import fact_in_words

HABIT, FILE = "habit", "semantic/preferences.md"
DAYS = 3  # on which it was shown
_KINDS = frozenset({"prefer", "order", "wish"})  # of statements
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class _Shown(NamedTuple):
    """A preference as it was shown, with the days and places where it was."""

    entity: str
    said: str  # its words, with the verb that is its field
    places: tuple[tuple[str, str], ...]  # (day, id of the line), the earliest first
    stems: frozenset[str]
    denies: bool
    of_wish: bool  # its field says that it is a preference; of a statement its words have to


def habits(context: UpkeepContext) -> Iterator[PlannedChange]:
    """A proposal for each preference that was shown on three days. What is for few people alone is left out."""
    by_entity: dict[str, list[_Shown]] = defaultdict(list)
    decided: dict[str, list[frozenset[str]]] = defaultdict(list)
    places = FactPlaces(context.writing)
    for path, fact in context.catalog.facts():
        if not path.startswith("semantic/"):
            continue
        if fact.field == HABIT:  # current or past: it was decided
            decided[name_key(fact.entity)].append(stems_of(fact.value))
        elif preference := _sample(context.catalog, fact, partial(places.of, path)):
            by_entity[name_key(fact.entity)].append(preference)
    for entity, preferences in sorted(by_entity.items()):
        for group in _groups(sorted(preferences, key=lambda wish: (wish.places[0], wish.said))):
            if not any(are_alike(group[0].stems, stems) for stems in decided[entity]):
                first = group[0]
                spots = sorted({(day, source, shown.said) for shown in group for day, source in shown.places})
                days = sorted(_days(group))
                source = ", ".join(dict.fromkeys(source for _, source, _ in spots))
                action = SetFact(FILE, first.entity, HABIT, first.said, days[0], source, many=True)
                yield PlannedChange(
                    kind=HABIT,
                    title=fact_in_words(first.entity, HABIT, first.said),
                    actions=(action,),
                    evidence=tuple(f'{day}: "{words}" ([[{source}]])' for day, source, words in spots),
                    confidence="medium",
                    reason=f"it was shown on {len(days)} days, from {days[0]} to {days[-1]}",
                )


def _sample(catalog: Catalog, fact: Fact, sources: Callable[[Fact], list[str]]) -> _Shown | None:
    """What a fact shows, if it may be a preference that a person told everybody."""
    holds = fact.current or (fact.is_statement and not fact.until)
    may_tell = fact.is_statement or is_preference(fact.field)
    if not (holds and may_tell) or fact.audience or fact.trust != "trusted":
        return None
    dated = set[tuple[str, str]]()
    for source in sources(fact):  # the day of an episode is in its name
        address = catalog.resolve(source.partition("#")[0])
        if address and address.path.removeprefix("archive/").startswith("episodes/"):
            hit = _DAY.match(address.path.rpartition("/")[2])
            dated |= {(hit[0], source)} if hit else set()
    places = tuple(sorted(dated))
    words = fact.value if fact.is_statement or fact.field == FROM_NOW_ON else f"{fact.field} {fact.value}"
    stems = stems_of(fact.value)
    if not (places and stems):
        return None
    is_denial = fact.field in ("dislikes", "never") or denies(words)
    return _Shown(fact.entity, words, places, stems, is_denial, not fact.is_statement)


def _groups(shown: Sequence[_Shown]) -> Iterator[list[_Shown]]:
    """Those that are alike and were shown on enough days, each named by its earliest; none is in two groups."""
    holding: dict[str, list[int]] = defaultdict(list)
    for place, sign in enumerate(shown):
        for stem in sign.stems:
            holding[stem].append(place)
    grouped: set[int] = set()
    for place, sign in enumerate(shown):
        near = sorted({spot for stem in sign.stems for spot in holding[stem]} - grouped)
        alike = [n for n in near if shown[n].denies == sign.denies and are_alike(sign.stems, shown[n].stems)]
        if place in grouped or len(_days(shown[n] for n in alike)) < DAYS:
            continue
        # Statements are read only here: most of them are like no others.
        wishes = [n for n in alike if shown[n].of_wish or _is_wish(shown[n].said)]
        if place in wishes and len(_days(shown[n] for n in wishes)) >= DAYS:
            grouped.update(wishes)
            yield [sign, *(shown[n] for n in wishes if n != place)]


def _days(shown_in: Iterable[_Shown]) -> set[str]:
    return {day for shown in shown_in for day, _ in shown.places}


def _is_wish(text: str) -> bool:
    """True for a statement in which somebody likes, orders or wishes something, or always does it."""
    turn = Turn(
        id="", session="", turn="", ts="", role="user", name="", text=text, line=1, end_line=1
    )  # fmt: skip
    words, tokens = grammar(_code(text)), tokens_of(text)
    if words.lasting.within(tokens) or words.habitual.within(tokens):
        return True
    return any(statement.kind in _KINDS for statement in read([turn], {}, _code(text)).statements)


def _code(text: str) -> str:
    code = spoken_in(text, "en")
    return code if code in codes() else "en"
