"""Tells which of the memories that a session was shown an assistant's reply used: by their id, or by words that only they brought in. Reads only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from memoryclaw.index.bm25 import codes_in
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.stemming import language
from memoryclaw.model import Unit
from memoryclaw.text.dates import find_ranges
from memoryclaw.text.language import Language, words_of

MOST = 64  # memories that a reply is compared with: those shown last
_READ = 16_000  # characters of a reply
_LEAST, _ENOUGH = 2, 5  # rare words of a text that a reply must share, the more the longer the text is: …
_SHARE = 12  # … one of so many of its words
_RARE, _RARE_SHARE = 6, 200  # a rare word is held by so many units at most, or by one of so many
_DAYS = 8  # values that are days, looked for in a reply
_MARKED = frozenset({("[", "]"), ("`", "`"), ("(", ")"), ('"', '"'), ("<", ">"), ("'", "'")})
_NO_WORD = re.compile(r"[\d/#:_]")  # an id with one of these is no word of the language
_INSIDE = re.compile(r"[\w/#~-]")  # beside an id, these make it part of something longer


def lately(events: Iterable[Mapping[str, object]], until: str) -> dict[str, str]:
    """What a session was shown last and its host still shows: the receipt that showed it, by id; the newest first.

    Args:
        events: of the session, the oldest first.
        until: when the reply was given (ISO, UTC); what was shown later it cannot have used.
    """
    receipts: dict[str, str] = {}
    for event in reversed([row for row in events if str(row.get("ts", "")) <= until]):
        ids, receipt = event.get("ids"), event.get("receipt")
        for id_ in ids if isinstance(ids, list) else ():
            if len(receipts) == MOST:
                return receipts
            receipts.setdefault(str(id_), receipt if isinstance(receipt, str) else "")
        if event.get("seen") == "none":  # the host has cut the conversation before
            break
    return receipts


def citations(
    reply: str, before: Sequence[str], shown: Iterable[str], catalog: Catalog, units: int
) -> dict[str, str]:
    """How a reply gives away that it used something, `id` or `words`, by the id of each that it used.

    Args:
        before: what was said last before it: a word of that tells nothing.
        catalog: what the caller may see; nothing else can be cited.
    """
    sql = "select id, min(rowid) from units where id in (select value from json_each(?)) and state = 'current' group by id"
    rowids = {str(id_): int(rowid) for id_, rowid in catalog.rows(sql, [json.dumps(list(shown))])}
    reply = reply[:_READ]
    signs = {id_: "id" for id_ in rowids if names(reply, id_)}
    rowids_left = [rowid for id_, rowid in rowids.items() if id_ not in signs]
    repeated = _ReplyWords(reply, before, catalog, units).repeats(rowids_left) if rowids_left else ()
    signs |= dict.fromkeys(repeated, "words")
    return {id_: signs[id_] for id_ in rowids if id_ in signs}


def names(reply: str, id_: str) -> bool:
    """True when an id stands in a reply, and could be nothing else there: a plain word only where it is marked as one."""
    start = reply.find(id_) if id_ else -1
    while start >= 0:
        end = start + len(id_)
        first, after, then = reply[start - 1 : start], reply[end : end + 1], reply[end + 1 : end + 2]
        ends = not after or not (_INSIDE.match(after) or (after in ".:" and _INSIDE.match(then or " ")))
        begins = not first or not (_INSIDE.match(first) or first in ".:")
        if begins and ends and (_NO_WORD.search(id_) or (first, after) in _MARKED):
            return True
        start = reply.find(id_, end)
    return False


class _ReplyWords:
    """The words of a reply that were not said before it."""

    def __init__(self, reply: str, before: Sequence[str], catalog: Catalog, units: int) -> None:
        self._reply = reply
        self._before = "\n".join(before)
        self._catalog = catalog
        self._rare = max(_RARE, units // _RARE_SHARE)
        self._said: dict[str, tuple[str, frozenset[str]]] = {}
        self._days: dict[str, bool] = {}

    def repeats(self, rowids: Sequence[int]) -> list[str]:
        """The ids of the units among these that the reply repeats."""
        units = self._catalog.units(rowids)
        paths = {int(r): str(p) for r, p in self._catalog.rows(_PATHS, [json.dumps(list(units))])}
        codes = {path: code for path, (_, code) in self._catalog.notes(paths.values()).items()}
        spoken = {rowid: language(codes.get(paths[rowid], "none")) for rowid in units}
        texts = self._catalog.tokens(units)
        bodies = {
            r: {*codes_in(texts[r]["body"])} - self._in(spoken[r])[1] if r in texts else set() for r in units
        }
        shared = {
            r: {
                t
                for t, code in self._catalog.codes(self._in(spoken[r])[0].split()).items()
                if code in bodies[r]
            }
            for r in units
        }
        frequencies = self._catalog.count_of(sorted(set().union(*shared.values())))
        rare = {
            r: {t for t in tokens if frequencies.get(t, 0) <= self._rare and (len(t) > 1 or not t.isascii())}
            for r, tokens in shared.items()
        }
        return [
            unit.id
            for rowid, unit in units.items()
            if (
                len(rare[rowid]) >= min(max(_LEAST, len(bodies[rowid]) // _SHARE), _ENOUGH)
                and not all(map(str.isdigit, rare[rowid]))
            )
            or (rare[rowid] and self._holds_value(unit, spoken[rowid]))
            or self._holds_day(unit)
        ]

    def _in(self, spoken: Language) -> tuple[str, frozenset[str]]:
        """The tokens of the reply that are no stop words, and the codes of what was said before, as one language reads them."""
        reading = self._said.get(spoken.code)
        if reading is None:
            words = [word for word in words_of(self._reply) if not spoken.is_stop(word)]
            tokens = " ".join(map(spoken.token, words))
            before = self._catalog.codes(spoken.tokens(self._before)).values()
            reading = self._said[spoken.code] = tokens, frozenset(before)
        return reading

    def _holds_value(self, unit: Unit, spoken: Language) -> bool:
        """Whether the whole value of a fact stands in the reply."""
        value = " ".join(spoken.token(word) for word in words_of(unit.value) if not spoken.is_stop(word))
        return unit.kind == "fact" and bool(value) and f" {value} " in f" {self._in(spoken)[0]} "

    def _holds_day(self, unit: Unit) -> bool:
        """Whether the reply says the day that a fact's value is, in whatever form, and nobody had said it before."""
        day = unit.days if unit.kind == "fact" else ""
        if len(day) != len("2026-04-30") or (day not in self._days and len(self._days) == _DAYS):
            return False
        if day not in self._days:
            self._days[day] = _says(self._reply, day) and not _says(self._before, day)
        return self._days[day]


_PATHS = "select rowid, path from units where rowid in (select value from json_each(?))"


def _says(text: str, day: str) -> bool:
    """Whether a text names a day by its number; read as of that day, `11 December` is the one of its year."""
    try:
        ranges, _ = find_ranges(text, date.fromisoformat(day))
    except ValueError:
        return False
    return any(span.start == span.end == day and any(map(str.isdecimal, span.text)) for span in ranges)
