"""`semantic/_pending.md`: facts that wait for a yes or a no, one checkbox line each, written by jobs and ticked by people.

Every byte but those of the line meant stays, and what is written reads back as what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memoryclaw.late import NamedTuple
from memoryclaw.model import VALUE
from memoryclaw.text.encoding import lines_of, readable
from memoryclaw.text.memory_lines import (
    field_text,
    line_fields,
    source_field,
    sources_in,
    without_fields,
    without_ids,
)
from memoryclaw.vault.audience import label_of
from memoryclaw.vault.edits import Splice, apply_splices, line_end, quotable
from memoryclaw.vault.fact_values import plain_key, plain_value
from memoryclaw.vault.facts import split_address, statement_in
from memoryclaw.vault.properties import canonical_scope

PENDING_FILE = "semantic/_pending.md"
_INTRO = (
    "# Waiting for a yes or a no", "",
    "Facts that were heard but not certain enough to be held true. Tick what is right, strike what is not.", "",
)  # fmt: skip
_ITEM = re.compile(r" ?[-*+][ \t]+(?:\[([ xX/-])\][ \t]+)?(~~)?(?=\S)")
_ADDRESS = re.compile(
    r"((?:\"(?:[^\"]|\"\")++\"|[^\":]+?)\.(?:\"(?:[^\"]|\"\")++\"|[^\".:]++))[ \t]*+:(?:[ \t]+|$)"
)
_NAME = re.compile(r"(\"(?:[^\"]|\"\")++\"|[^\":]++)[ \t]*+:(?:[ \t]+|$)")
_INLINE = "confidence|since|said|until|source|audience|scope"
_NOTE = re.compile(r"[ \t]+(?:[-*+][ \t]+)?(why|known)[ \t]*::?[ \t]*(.*)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_BOXES = {"x": "x", "X": "x", "-": "-"}


class PendingFact(NamedTuple):
    """A fact that waits, or a statement, which has no field and was made on the day `since`. `box` is what a person did to it: nothing (" "), ticked it ("x") or struck it ("-")."""

    id: str
    entity: str
    field: str
    value: str
    confidence: str = ""
    since: str = ""
    source: str = ""  # ids of episodes with their blocks, joined by ", "
    why: str = ""
    known: str = ""  # the value that is held true now
    audience: str = ""  # whom it is for; empty without a label
    line: int = 0  # of the file, 1-based
    end_line: int = 0
    box: str = " "
    scope: str = ""  # what it holds for, such as `project:atlas`


def waiting_id(entity: str, field: str, value: str) -> str:
    """The id of a waiting fact, the same for the same words in any case."""
    from memoryclaw.writing.decisions import fingerprint  # noqa: PLC0415 - a search that finds a rival needs no id

    return "p-" + fingerprint("fact", entity, field, value)[:8]


@lru_cache(maxsize=4)  # the file is looked at for every page, and read again before and after each change
def read_pending(text: str) -> tuple[PendingFact, ...]:
    """The facts that wait in a text, in order; lines that are none are passed over."""
    facts: list[PendingFact] = []
    lines, fence = readable(text).split("\n"), ""
    for number, line in enumerate(lines, 1):
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and (waiting := _waiting_fact(line, number)):
            facts.append(_with_notes(waiting, lines))
    return tuple(facts)


def add_pending(text: str, fact: PendingFact) -> str:
    """The text with one more fact that waits; unchanged where the same one waits already."""
    return add_all_pending(text, [fact])


def add_all_pending(text: str, facts: Iterable[PendingFact]) -> str:
    """The text with more facts that wait, but for those that wait already; it is read once, however many they are."""
    waiting = read_pending(text)
    ids, lines = {waiting_fact.id for waiting_fact in waiting}, list[str]()
    for fact in facts:
        entity, field = plain_key(fact.entity), plain_key(fact.field)
        id_ = waiting_id(entity, field, plain_value(fact.value) if field else quotable(fact.value))
        if id_ not in ids:
            ids.add(id_)
            lines += _lines(fact, entity, field)
    return _append(text, waiting, lines) if lines else text


def _lines(fact: PendingFact, entity: str, field: str) -> list[str]:
    value = plain_value(fact.value) if field else quotable(fact.value)
    since = plain_value(fact.since)
    named = f"{_address(entity, field)}: {value}" if field else f'{_address(entity)}: "{value}"'
    inline = (
        field_text({"confidence": plain_value(fact.confidence) or "low", "since": since if field else ""}),
        "" if field else f" [said:: {since}]",  # also without a day: it tells a statement from a fact
        source_field(*(cited.strip() for cited in fact.source.split(","))),
        field_text({"audience": fact.audience and label_of(fact.audience), "scope": plain_value(fact.scope)}),
    )
    notes = (("known", fact.known), ("why", fact.why))
    return [
        f"- [ ] {named}{''.join(inline)}",
        *(f"  - {key}: {plain_value(note)}" for key, note in notes if note),
    ]


def remove_pending(text: str, id_: str) -> str:
    """The text without the lines of this fact; unchanged when it does not wait."""
    fact = next((waiting for waiting in read_pending(text) if waiting.id == id_), None)
    return apply_splices(text, [Splice(fact.line - 1, fact.end_line)]) if fact else text


def _address(*names: str) -> str:
    return ".".join(f'"{name}"' if re.search(r"[.#:]", name) else name for name in names)


def _append(text: str, waiting: Sequence[PendingFact], lines: list[str]) -> str:
    if not text.strip():
        return "\n".join((*_INTRO, *lines)) + "\n"
    if waiting:
        place = waiting[-1].end_line
        return apply_splices(text, [Splice(place, place, tuple(lines))])
    newline, count = line_end(text), len(lines_of(text))
    if not text.endswith(("\n", "\r")):
        text += newline
    blank = lines_of(text)[-1].strip()
    return text + "".join(line + newline for line in ([""] if blank and count else []) + lines)


def _waiting_fact(line: str, number: int) -> PendingFact | None:
    bullet = _ITEM.match(line)
    address = _ADDRESS.match(line, bullet.end()) if bullet else None
    # A box before a name alone makes it the one value of that entity.
    name = _NAME.match(line, bullet.end()) if bullet and bullet[1] and not address else None
    if bullet is None or not (key := address or name):
        return None
    named = split_address(key[1].strip()) if address else (key[1].strip().strip('"'), VALUE)
    start = key.end()
    value = " ".join(without_fields(without_ids(line[start:]), _INLINE).replace("~~", "").split())
    if named is None or not value:
        return None
    inline = {field.key: field.value.strip() for field in line_fields(line, _INLINE, start)}
    if named[1] == VALUE and "said" in inline and (statement := statement_in(value)):
        named, value = (named[0], ""), statement.words
    box = "-" if bullet[2] else _BOXES.get(bullet[1] or " ", " ")
    return PendingFact(
        id=waiting_id(*named, value),
        entity=named[0],
        field=named[1],
        value=value,
        confidence=inline.get("confidence", ""),
        since=inline.get("since" if named[1] else "said", ""),
        source=", ".join(sources_in(line)),
        audience=label_of(inline["audience"]) if "audience" in inline else "",
        line=number,
        end_line=number,
        box=box,
        scope=canonical_scope(inline.get("scope", "")),
    )


def _with_notes(waiting: PendingFact, lines: list[str]) -> PendingFact:
    """The fact with what stands indented below it."""
    notes: dict[str, str] = {}
    end = waiting.line
    while end < len(lines) and lines[end].strip() and lines[end][0] in " \t" and not _is_item(lines[end]):
        if hit := _NOTE.match(lines[end]):
            notes.setdefault(hit[1], " ".join(hit[2].split()))
        end += 1
    return waiting._replace(why=notes.get("why", ""), known=notes.get("known", ""), end_line=end)


def _is_item(line: str) -> bool:
    return _waiting_fact(line, 0) is not None
