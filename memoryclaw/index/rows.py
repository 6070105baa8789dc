"""What a parsed note becomes in each table of the index. Pure shapes: the order of values is the order of the columns."""

from __future__ import annotations

import json
import re
import sqlite3
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from memoryclaw.index.bm25 import exact
from memoryclaw.model import Note, Problem, Stamp, Unit
from memoryclaw.text.dates import DateRange, find_ranges
from memoryclaw.vault.entities import key_of, keys_of
from memoryclaw.vault.folder import packed_stamp

RACY_NS = 50_000_000  # coarser than any clock tick a file system stamps with
_COMPRESS_OVER = 120
_WINDOW = -12  # zlib, 4 KiB, no header


class IndexedNote(NamedTuple):
    """A parsed note with what the disk said when it was read."""

    note: Note
    stamp: Stamp
    digest: bytes
    racy: bool = False  # written so recently that its stamp could hide a later write


def packed(text: str) -> bytes | str:
    """A text as it is stored: compressed where that saves room."""
    if len(text) <= _COMPRESS_OVER:
        return text
    # A small window: making a large one ready costs more than compressing a note.
    squeeze = zlib.compressobj(1, zlib.DEFLATED, _WINDOW, 5)
    return squeeze.compress(text.encode("utf-8", "surrogatepass")) + squeeze.flush()


def unpacked(stored: bytes | str) -> str:
    """The text that `packed` stored."""
    if isinstance(stored, str):
        return stored
    try:
        return zlib.decompress(stored, _WINDOW).decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise sqlite3.DatabaseError("a stored text is malformed") from error


@lru_cache(maxsize=4096)
def _one_key(name: str) -> tuple[str, ...]:
    return (key_of(name),)


def _part_keys(name: str) -> tuple[str, ...]:
    """The first and the last word of a name such as `Søren Kjeldsen`, by which people call it."""
    words = name.split()
    return (
        tuple(key_of(word) for word in {words[0]: 0, words[-1]: 0} if not word[0].islower())
        if len(words) > 1
        else ()
    )


_KEYS: Mapping[str, Callable[[str], tuple[str, ...]]] = {"person": _one_key, "part": _part_keys}


def stored_stamp(stamp: Stamp, racy: bool) -> bytes:
    """A stamp as it is stored; empty when the file must be read once more."""
    # A file written within the clock's grain of being read may change again under the same stamp: read it once more.
    return b"" if racy else packed_stamp(stamp)


def file_row(fid: int, filed: IndexedNote) -> tuple[object, ...]:
    """The row of `files`."""
    note = filed.note
    stem = unicodedata.normalize("NFC", note.path.rpartition("/")[2].rpartition(".")[0]).casefold()
    return (
        fid, note.path, stored_stamp(filed.stamp, filed.racy), filed.digest, note.id, note.kind, note.state, note.title,
        note.when, note.until, json.dumps(note.tags, ensure_ascii=False), note.trust, int(note.pinned), stem,
    )  # fmt: skip


def unit_row(rowid: int, fid: int, seq: int, unit: Unit) -> tuple[object, ...]:
    """The row of `unit`; its text compressed where that pays, with what ranking wants to know of a turn's."""
    said = unit.text if unit.kind == "turn" else ""
    return (
        rowid, fid, seq, unit.id, unit.kind, unit.line, unit.end_line, unit.title, unit.tags, unit.properties,
        packed(unit.text), unit.when, unit.until, unit.entity, key_of(unit.entity) if unit.entity else "", unit.field,
        unit.value, unit.trust, int(unit.pinned), unit.state,
        int(asks(said)), *time_told(said, unit.when), int(holds_name(said)),
    )  # fmt: skip


def fact_rows(fid: int, note: Note) -> Iterator[tuple[object, ...]]:
    """The rows of `fact`."""
    for seq, f in enumerate(note.facts):
        yield (
            fid, seq, f.id, f.entity, key_of(f.entity), f.field, f.value, f.since, f.until, f.source, f.line, int(f.current),
        )  # fmt: skip


def name_rows(fid: int, note: Note) -> Iterator[tuple[str, str, int, str]]:
    """The rows of `name`: every key under which a question may call something of this note."""
    named: Mapping[str, Iterable[str]] = {
        "entity": dict.fromkeys([*(f.entity for f in note.facts), *note.entities]),
        "person": dict.fromkeys([*note.people, *(t.name for t in note.turns if t.name)]),
        "project": (note.project,) if note.project else (),
        "alias": note.aliases,
    }
    for kind, names in {
        **named,
        "part": [*(f.entity for f in note.facts), *(t.name for t in note.turns)],
    }.items():
        keys = _KEYS.get(kind, keys_of)
        yield from ((key, kind, fid, name) for name in names for key in keys(name))


def link_rows(fid: int, note: Note) -> Iterator[tuple[object, ...]]:
    """The rows of `link`."""
    for seq, link in enumerate(note.links):
        yield (
            fid,
            seq,
            link.target,
            link_key(link.target),
            link.anchor,
            link.label,
            link.line,
            int(link.embed),
        )


def link_key(target: str) -> str:
    """What two spellings of a link's target share: the last part, without `.md`, case folded, accents composed."""
    return unicodedata.normalize("NFC", target.rpartition("/")[2].removesuffix(".md")).casefold()


def problem_rows(problems: Iterable[Problem]) -> Iterator[tuple[object, ...]]:
    """The rows of `problems`, without their origin."""
    for seq, p in enumerate(problems):
        yield p.path, seq, p.line, p.message, p.hint


def is_racy(stamp: Stamp) -> bool:
    """True for a file changed so recently that it may change once more without a new stamp."""
    return abs(time.time_ns() - stamp.ctime_ns) < RACY_NS


# ── English questions for a time, and the expressions of time that answer them. Pure.

_ASKS_WHEN = re.compile(
    r"\s*(?:when|how long|(?:what|which) (?:year|month|week|day|date)|how many (?:days|weeks|months|years))\b",
    re.IGNORECASE,
)
LONGEST = 7  # days: an expression that means more tells too little of one of them
_LOOKED_AT, _BESIDE = 4, 40  # expressions, and characters beside one in which the rest of it may stand
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_EXPRESSION = re.compile(
    rf"""\b(?:yesterday|today|tonight|tomorrow|recently|just|since
    |(?:last|this|next)\ (?:night|morning|week|weekend|month|year|(?:mon|tue|wed|thu|fri|sat|sun)\w*)
    |(?:\w+\ )?(?:days?|weeks?|weekends?|months?|years?)\ ago|ago
    |in\ (?:{_MONTHS})|20\d\d)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_when(question: str) -> bool:
    """True when a question wants to know a time."""
    return bool(_ASKS_WHEN.match(question))


class TimeExpression(NamedTuple):
    """An expression of time as it is written, and the days that it means, where it tells them to within a week."""

    text: str = ""
    first: str = ""
    last: str = ""


def time_told(text: str, at: str = "") -> TimeExpression:
    """The first expression of time in a text that means certain days, or else the first one.

    Args:
        text: what was said.
        at: when, as an ISO date or date-time; without it no days are known.
    """
    hits = list(islice(_EXPRESSION.finditer(text), _LOOKED_AT))
    day = _day(at)
    told = (_meant(text, hit, day) for hit in hits if day)
    return next((one for one in told if one), TimeExpression(hits[0].group() if hits else ""))


def _day(at: str) -> date | None:
    try:
        return date.fromisoformat(at[:10])
    except ValueError:
        return None


def _meant(text: str, hit: re.Match[str], said: date) -> TimeExpression | None:
    start = max(hit.start() - _BESIDE, 0)
    for found in find_ranges(text[start : hit.end() + _BESIDE], said)[0]:
        first, last = start + found.span[0], start + found.span[1]
        if first < hit.end() and last > hit.start() and found.start and found.end and _is_short(found):
            return TimeExpression(found.text, found.start, found.end)
    return None


def _is_short(found: DateRange) -> bool:
    return date.fromisoformat(found.end) - date.fromisoformat(found.start) < timedelta(days=LONGEST)


# ── English questions that a name answers, and turns that hold one. Pure.

_ASKS_NAME = re.compile(
    r"""^\s*who\b|\bwhere\b|\b(?:which|what)\ (?:country|countries|city|cities|states?|places?|towns?)\b
    |\b(?:names?|named|called|title|books?|movies?|film|songs?|bands?|artists?|games?|series|restaurant)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# A capital inside a sentence; after a comma somebody is mostly spoken to.
_NAME = re.compile(r"(?<=[a-z] )[A-Z][a-z]+")


def asks_name(question: str) -> bool:
    """True when a question wants to know a name: of a person, a place, a book."""
    return bool(_ASKS_NAME.search(question))


def holds_name(text: str) -> bool:
    """True when a text holds a name inside a sentence."""
    return bool(_NAME.search(text))


# ── What a turn of a log gains and loses by the conversation around it. The rule: only turns that hold
# words of the question lend.

Place = tuple[str, int]  # path of a log, place of the turn in it

# Shares of their words' score that turns lend: the one before, the one before that, and the one after.
BEFORE, LONG_BEFORE, AFTER = 0.2, 0.1, 0.1
_STEPS = (-1, -2, 1)
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")  # also those of Chinese, Japanese and Arabic
_CLOSING = " \t\r\n\"'”’»)*_"


class TurnContext(NamedTuple):
    """What the turns around one lend it."""

    value: float
    by: Place  # the one that lends most


def around(words: Mapping[Place, float]) -> dict[Place, TurnContext]:
    """What each turn is lent, from the scores that the words of all of them have."""
    found = {}
    score = words.get
    for place in words:
        path, seq = place
        near = (
            BEFORE * score((path, seq - 1), 0.0),
            LONG_BEFORE * score((path, seq - 2), 0.0),
            AFTER * score((path, seq + 1), 0.0),
        )
        value = exact(sum(near))
        if value:
            found[place] = TurnContext(value, (path, seq + _STEPS[near.index(max(near))]))
    return found


def asks(text: str) -> bool:
    """True when a turn ends in a question."""
    return text.rstrip(_CLOSING).endswith(_QUESTION_MARKS)
