"""One fact added, superseded, corrected or removed in the text of a semantic file, in the style that is found there.

The rule: after every patch the facts are read again, and unless exactly the one meant has changed, it is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from memoryclaw.core import factcells
from memoryclaw.core.errors import InputError, NotFoundError
from memoryclaw.core.factplaces import history_splice, indent, new_entity, new_field
from memoryclaw.core.facts import VALUE
from memoryclaw.core.factsheet import BULLET, SemanticFile, Sheet, Told, same
from memoryclaw.core.model import Fact
from memoryclaw.core.splices import Splice, spliced

__all__ = ["FactEdit", "SemanticFile", "correct_fact", "remove_fact", "set_fact"]

_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]+$")
_Key = tuple[str, str, str, bool]


class FactEdit(NamedTuple):
    """The text after an edit, what was done (added | confirmed | superseded | corrected), and the value before."""

    text: str
    action: str
    old: str = ""


class _Change(NamedTuple):
    """The facts that go and those that come, as (entity, field, value, current): what a patch may do."""

    gone: tuple[_Key, ...] = ()
    come: tuple[_Key, ...] = ()


def set_fact(
    text: str,
    file: SemanticFile,
    *,
    entity: str,
    field: str,
    value: str,
    since: str = "",
    source: str = "",
    many: bool = False,
) -> FactEdit:
    """The text with this fact in it: added, confirmed as it is, or put in the place of the old value, which goes to History.

    Args:
        text: the text of the file; empty for a new one.
        file: where it is, and the collections of the vault.
        entity: what the fact is about, in any case.
        field: its field; `value` for the one value of an entity.
        value: what holds now.
        since: ISO date from which it holds.
        source: the id of the note it rests on, or a word on where it came from.
        many: True when the field may hold several values side by side.
    """
    entity, field, value = (" ".join(part.split()) for part in (entity, field or VALUE, value))
    if not entity or not value:
        raise InputError("a fact needs an entity and a value")
    sheet = Sheet.of(text, file)
    known = [f for f in sheet.found.facts if f.current and same(f.entity, entity) and same(f.field, field)]
    if any(_holds(fact.value, value) if many else fact.value == value for fact in known):
        return FactEdit(text, "confirmed", value)
    told = Told(value, _inline(since=since, source=source))
    if not known or many:
        first = known[-1] if known else None
        return _add(sheet, first.entity if first else entity, first.field if first else field, told)
    if len(known) > 1:
        raise InputError(f"{entity} has {len(known)} values for {field}; say which one to change, by its id")
    return _supersede(sheet, known[0], told, since)


def correct_fact(text: str, file: SemanticFile, id_: str, value: str) -> FactEdit:
    """The text with another value in the place of this fact's, and no History: it was never right."""
    value, sheet = " ".join(value.split()), Sheet.of(text, file)
    fact = _fact(sheet, id_)
    if fact.value == value:
        return FactEdit(text, "confirmed", value)
    if not value:
        raise InputError("a fact needs a value; `memoryclaw forget` takes one away")
    change = _Change((_key(fact),), ((fact.entity, fact.field, value, fact.current),))
    return FactEdit(_replaced(sheet, fact, Told(value, None), change), "corrected", fact.value)


def remove_fact(text: str, file: SemanticFile, id_: str) -> str:
    """The text without this fact: without its line, or with its table cell or its place above nested lines left empty."""
    sheet = Sheet.of(text, file)
    fact, lines = _fact(sheet, id_), sheet.lines
    first, last = sheet.span(fact)
    splice = Splice(first, last)
    if sheet.in_table(fact):
        splice = Splice(first, last, (factcells.with_cell(sheet, fact, ""),))
    elif any(other is not fact and other.line == fact.line for other in sheet.found.facts):
        raise InputError(f"the line of {id_} holds other facts as well; change it by hand")
    elif last < len(lines) and indent(lines[last]) > indent(lines[first]) and BULLET.match(lines[last]):
        splice = Splice(first, last, (factcells.keyed(lines[first])[0].rstrip(),))
    result = spliced(text, [splice])
    if not _matches(sheet, result, _Change((_key(fact),))):
        raise _refused(fact.entity, fact.field)
    return result


def _supersede(sheet: Sheet, fact: Fact, told: Told, until: str) -> FactEdit:
    now, past = (fact.entity, fact.field, told.value, True), (fact.entity, fact.field, fact.value, False)
    first, last = sheet.span(fact)
    old = fact.value
    if sheet.spot(fact).style in {"heading", "bullet"} and not sheet.in_table(fact):
        line = " ".join(" ".join(sheet.lines[first:last]).split())
        old = _BLOCK_ID.sub("", factcells.keyed(line)[1])
    history = history_splice(sheet, fact, old + _inline(until=until))
    text = _replaced(sheet, fact, told, _Change((_key(fact),), (now, past)), history)
    return FactEdit(text, "superseded", fact.value)


def _replaced(sheet: Sheet, fact: Fact, told: Told, change: _Change, *also: Splice) -> str:
    first, last = sheet.span(fact)
    for form in _forms(told):
        result = spliced(sheet.text, [Splice(first, last, (factcells.replaced(sheet, fact, form),)), *also])
        if _matches(sheet, result, change):
            return result
    raise _refused(fact.entity, fact.field)


def _add(sheet: Sheet, entity: str, field: str, told: Told) -> FactEdit:
    spot = next((spot for spot in sheet.found.spots if same(spot.entity, entity)), None)
    entity = spot.entity if spot else entity
    change = _Change(come=((entity, field, told.value, True),))
    for form in _forms(told):
        for splice in (
            new_field(sheet, spot, field, form) if spot else None,
            new_entity(sheet, entity, field, form),
        ):
            if splice and _matches(sheet, result := spliced(sheet.text, [splice]), change):
                return FactEdit(result, "added")
    raise _refused(entity, field)


def _forms(told: Told) -> Iterator[Told]:
    """The value as it is, then in quotes: one of them reads back as what was meant."""
    yield told
    yield told._replace(value=f'"{told.value}"')


def _fact(sheet: Sheet, id_: str) -> Fact:
    for fact in sheet.found.facts:
        if fact.id == id_:
            return fact
    raise NotFoundError(f"there is no fact {id_}")


def _matches(sheet: Sheet, text: str, change: _Change) -> bool:
    wanted = Counter(map(_key, sheet.found.facts))
    wanted.subtract(change.gone)
    wanted.update(change.come)
    return +wanted == Counter(map(_key, sheet.file.facts(text).facts))


def _refused(entity: str, field: str) -> InputError:
    return InputError(
        f"{field} of {entity} cannot be written there without changing other lines; edit the file by hand"
    )


def _key(fact: Fact) -> _Key:
    return fact.entity, fact.field, fact.value, fact.current


def _holds(known: str, value: str) -> bool:
    return known == value or value in (part.strip() for part in known.split(","))


def _inline(*, since: str = "", until: str = "", source: str = "") -> str:
    cleaned = re.sub(r"[\[\]\r\n]", "", source)
    parts = (("since", since), ("until", until), ("source", f"[[{cleaned}]]" if cleaned else ""))
    return "".join(f" [{name}:: {value}]" for name, value in parts if value)
