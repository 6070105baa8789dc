"""Conflicts: values from different hands that stand for one field, of which only one can hold. Found by rules alone. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

from memoryclaw.late import NamedTuple
from memoryclaw.model import TRUSTS, VALUE, Fact, grouped
from memoryclaw.text.dates import days_of
from memoryclaw.text.language import key_of
from memoryclaw.vault.fact_values import (
    declared_field,
    field_key,
    has_one_at_a_time,
    holds_many,
    is_exact,
    same_value,
    says_less,
)
from memoryclaw.vault.properties import plain_name
from memoryclaw.vault.vocabulary import SHAPES, DeclaredField, Schema

_ADDRESSES = ("email", "phone", "url")  # what the one value of a contact may be
# A comma within a number parts nothing.
_PARTS = re.compile(r"(?<!\d)[,;] ?|[,;] | (?:and|und|&) ")

FactAt = tuple[str, Fact]  # a fact with the path of its file
Key = tuple[str, str, str, str]  # path, entity, field and value of a fact
Speakers = Callable[[Iterable[Key]], Mapping[Key, frozenset[str]]]  # who said what facts rest on

Namesakes = Callable[[Iterable[tuple[str, str]]], Mapping[str, str]]


class Conflict(NamedTuple):
    """Values of one field of which only one can hold; each with all the lines that say it, in the order of files and lines."""

    entity: str
    field: str
    sides: tuple[tuple[FactAt, ...], ...]
    supersede: bool = False  # the vault lets a rule decide

    @property
    def values(self) -> tuple[str, ...]:
        """What each side says, as its first line does."""
        return tuple(side[0][1].value for side in self.sides)

    @property
    def facts(self) -> tuple[FactAt, ...]:
        """Every line that takes part."""
        return tuple(fact for side in self.sides for fact in side)

    def against(self, value: str) -> tuple[FactAt, ...]:
        """The lines that cannot hold where this value does."""
        return tuple((path, fact) for path, fact in self.facts if not agree(fact.value, value))

    def rivals(self, value: str) -> tuple[FactAt, ...]:
        """The same, of each side its first line."""
        against = set(self.against(value))
        return tuple(side[0] for side in self.sides if side[0] in against)


def conflicts(
    facts: Iterable[FactAt],
    schema: Schema,
    *,
    today: str,
    allowed: Callable[[Fact, Fact], bool] = lambda _fact, _other: False,
    linked: Iterable[tuple[str, str]] = (),
    speakers: Speakers = lambda _: {},
    namesakes: Namesakes = lambda _: {},
) -> list[Conflict]:
    """The conflicts among some facts, in their order.

    Args:
        facts: facts with the paths of their files; their trust is that of line and file together.
        today: ISO date; what holds on other days only stands beside nothing.
        allowed: tells of two facts whether a person said that both may stand.
        linked: pairs of keys that are names of one entity.
        speakers: tells who said what a fact rests on; asked only where one file has several values.
        namesakes: tells of notes with their entities those that merely have one name: what each is called, by path.
    """
    facts = list(facts)
    called = namesakes((path, fact.entity) for path, fact in facts)
    pairs = {frozenset(pair) for pair in linked}
    # The first key among all that a key is linked with, over others as well.
    first: dict[str, str] = {}
    for pair in pairs:
        keys = {first.get(key, key) for key in pair}
        least = min(keys)
        first |= {key: least for key, known in first.items() if known in keys} | dict.fromkeys(pair, least)
    keyed = (
        (key_of(called.get(path, fact.entity)), path, fact) for path, fact in facts if stands(fact, today)
    )
    groups = grouped(((first.get(key, key), key_of_fact(fact)), (path, fact)) for key, path, fact in keyed)

    def apart(first: Fact, other: Fact) -> bool:
        keys = frozenset((key_of(first.entity), key_of(other.entity)))
        return (len(keys) > 1 and keys not in pairs) or allowed(first, other)

    several, of_one_file = list[list[FactAt]](), list[Key]()
    for group in (group for group in groups.values() if len(group) > 1):
        field = group[0][1].field
        if not holds_many(field, declared_field(schema, field)):
            several.append(group)
            # Who wrote lines of different files is apart already.
            files = Counter(path for path, fact in group if fact.source)
            of_one_file += [_key(row) for row in group if row[1].source and files[row[0]] > 1]
    who = speakers(of_one_file)
    listed = (_conflict(group, schema, apart, who) for group in several)
    return [conflict for conflict in listed if conflict is not None]


def key_of_fact(fact: Fact) -> str:
    """What facts of one field have in common; the bare value of a contact counts as the address that it is."""
    if fact.field != VALUE:
        return field_key(fact.field)
    value = fact.value.strip()
    return next((kind for kind in _ADDRESSES if SHAPES[kind][0].fullmatch(value)), VALUE)


def agree(value: str, other: str) -> bool:
    """True for values that may both be right: the same in other words, or one says less than the other."""
    first, second = plain_name(value), plain_name(other)
    if same_value(first, second) or says_less(first, second) or says_less(second, first):
        return True
    days, others = days_of(first), days_of(second)
    if days and others:
        return _within(days, others) or _within(others, days)
    fewer, larger = sorted((_parts(first), _parts(second)), key=len)
    return len(larger) > 1 and all(any(same_value(element, longer) for longer in larger) for element in fewer)


def _within(days: str, span: str) -> bool:
    """True for days, as `days_of` gives them, that are those of the other value or lie in the one span that it is."""
    first, _, last = span.partition("/")
    return days == span or (
        " " not in span and all(first <= day[:10] and day[-10:] <= last for day in days.split())
    )


def _parts(value: str) -> list[str]:
    return [piece for piece in _PARTS.split(" ".join(value.split())) if piece]


def stands(fact: Fact, today: str) -> bool:
    """True for a value that holds today, as far as its line says, and that may be brought into a prompt."""
    is_current = fact.current and not fact.is_statement and fact.trust in TRUSTS[:2]
    return is_current and fact.since[:10] <= today and (not fact.until or today < fact.until[:10])


def _conflict(
    group: Sequence[FactAt],
    schema: Schema,
    allowed: Callable[[Fact, Fact], bool],
    said: Mapping[Key, frozenset[str]],
) -> Conflict | None:
    field = group[0][1].field
    declared = declared_field(schema, field)
    apart = {
        number
        for (n, first), (m, second) in combinations(enumerate(group), 2)
        if _oppose(first, second, declared, said) and not allowed(first[1], second[1])
        for number in (n, m)
    }
    values: list[list[FactAt]] = []
    for number in sorted(apart):
        pair = group[number]
        side = next((side for side in values if same_value(side[0][1].value, pair[1].value)), None)
        if side is None:
            values.append([pair])
        else:
            side.append(pair)
    if len(values) < 2:
        return None
    return Conflict(
        group[0][1].entity, field, tuple(map(tuple, values)), declared is not None and declared.supersede
    )


def _key(placed: FactAt) -> Key:
    path, fact = placed
    return path, fact.entity, fact.field, fact.value


def _oppose(
    first: FactAt, other: FactAt, declared: DeclaredField | None, said: Mapping[Key, frozenset[str]]
) -> bool:
    """True for two values of different hands that cannot both hold."""
    (path, fact), (other_path, rival) = first, other
    who, others = said.get(_key(first)), said.get(_key(other))
    if path == other_path and not (who and others and who != others):
        if (fact.source, fact.trust) == (rival.source, rival.trust):
            # The same hand wrote both: as a list, or one above the other where the field has one value at a time.
            if fact.source or not (declared or has_one_at_a_time(fact.field)):
                return False
            return not agree(fact.value, rival.value)
        # Consolidation adds a value of one speaker beside another only where the words tell that there are several.
        are_sourced = bool(fact.source and rival.source) and fact.trust == rival.trust
        if are_sourced and declared is None and not is_exact(fact.field):
            return False
    return not agree(fact.value, rival.value)
