"""Recall: ranks as a search does, then packs what fits into the budget."""

from __future__ import annotations

import hashlib
import json
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date
from functools import cache, lru_cache
from itertools import compress, islice
from types import MappingProxyType
from typing import Any

from memoryclaw.index.catalog import Catalog
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING, PROJECT, Answer, LineMark, Match, Matched, Unit
from memoryclaw.ports import Address
from memoryclaw.recall.evidence import NOTHING_COUNTED, PARTED
from memoryclaw.recall.question import Question
from memoryclaw.recall.rank import OVER, Ranked, Ranking
from memoryclaw.recall.relevance import of_work, only_echoes, relevance_of
from memoryclaw.recall.restated import LINES, end_test, telling_lines
from memoryclaw.recall.search import CHUNK, Searcher, folding_of, marked
from memoryclaw.text import prompts
from memoryclaw.text.dates import falls_in
from memoryclaw.text.encoding import texts_in
from memoryclaw.text.grammar import is_filler, only_asks
from memoryclaw.text.language import ends_in_question, runs_of, sentences, words_of
from memoryclaw.text.prompts import cost, least_cost, mark_of, whole_tokens
from memoryclaw.text.snippets import cutter, places, snippet, without_block_ids
from memoryclaw.vault.properties import canonical_scope

WORKING_SHARE = 0.33  # of the budget: the most that the session's working memory takes
# of the best score: what answers so well comes before what is due soon, and what is weaker after it
ANSWERS = 0.2
UPCOMING = 0.15  # of the budget: the most that what is due soon takes
IDLE = 200  # characters: a longer turn was meant to say something
ASIDE = 3  # words of a turn that asks, beside those that are asked for again
UNVOUCHED = 2  # notes for which nobody vouches that may stand before what a person wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled(Answer):
    """An answer packed into a budget, ready to be pasted into a prompt."""

    context: str = ""
    tokens: int = 0
    budget: int = 0
    aside: int = 0  # tokens of what is due soon and answers nothing, and of what holds in the project
    receipt: str = ""
    sent: Mapping[str, str] = field(default_factory=dict)  # the digest of what is quoted of each match, by id


# Fits ranked matches into a token budget: never over it, never starved by one long item, each decision with its reason.

SHARE = 0.3  # of the budget: the most that one item may take while others wait
TURN = 0.6  # of the budget: a turn that takes no more is whole …
PASSAGE = 0.06  # … and of a longer one the sentences that answer take so much
EPISODE = 0.1  # an episode that is not the best takes less: its points are also facts, statements and turns
ROOM = 0.25  # what takes more room waits for what takes less and scores nearly as much, by this power of how much more it is
FIRST = 48  # tokens that one item may always take, so that a small budget still holds something
LEAST = 24  # tokens below which a cut item says nothing
WEAK = 0.05  # of the best score: what scores less would only fill the prompt
FILL = 0.5  # of the budget: the most that what is newest may fill, whatever its score
REPEATED = 4  # words: so much of a text must stand in another to repeat it
SAID = 0.6  # of the words of a turn: a statement that holds so many of them says it
_ENDS = ".!?…。！？:"
_BOXES = {"open": " ", "done": "x", "cancelled": "-"}
_WHOLE = frozenset({"episode", "note", "skill"})
_WORDS = re.compile(r"[^\W_]+")
_POINT = re.compile(r"- ([^\s:][^:\n]{0,59}): ")


# What somebody pasted into a turn, as it is shown: in brackets that say so, for nothing in it is the speaker's own word.

OwnText = Callable[[str, str], str]  # the text of a turn, and who said it → what of it is that one's own
# A single sentence without these is nobody else's.
_MAY_PASTE = re.compile(r"[\n:`>\"“„«»]|(?<!\w)'|'(?!\w)|[.!?…]\s|\s[-–—]\s")
PASTED = "[pasted: "
_BRACKETS = str.maketrans("[]", "()")  # a paste closes no bracket of ours


class Mixed(NamedTuple):
    """The own words of a turn that holds others' as well."""

    words: str
    lines: tuple[str, ...]

    def marked(self, text: str) -> str:
        """A part of the turn with what is pasted in brackets."""
        parts, pasted = list[str](), list[str]()
        for sentence in sentences(text):
            bare = sentence.strip("… ")
            if not bare:  # a gap
                (pasted or parts).append(sentence)
                continue
            if f" {bare} " in self.words:
                parts += [*_in_brackets(pasted), sentence]
                pasted = []
                continue
            lead = max((line for line in self.lines if bare.startswith(line)), key=len, default="")
            parts += [*_in_brackets(pasted), lead] if lead else []
            pasted = [*([] if lead else pasted), sentence.replace(lead, "", 1).strip()]
        return " ".join((*parts, *_in_brackets(pasted)))


def _in_brackets(pasted: list[str]) -> list[str]:
    return [f"{PASTED}{' '.join(pasted).translate(_BRACKETS)}]"] if pasted else []


def mixed(unit: Unit, own_text: OwnText) -> Mixed | None:
    """The own words of the person who spoke a turn; None where all its words are."""
    if unit.kind != "turn" or unit.role != "user" or not _MAY_PASTE.search(unit.text):
        return None
    own = own_text(unit.text, unit.entity)
    if own == unit.text:
        return None
    typed = (f"{unit.entity}: {own}" if unit.entity else own).split("\n")
    lines = tuple(" ".join(line.split()) for line in typed if line.strip())
    return Mixed(f" {' '.join(lines)} ", lines)


class Pack:
    """A context being filled, in rank order.

    Args:
        budget: tokens of the whole block, framing included.
        max_results: whole notes at most; facts and turns are bounded by the budget alone.
        head: lines that stand before all matches; they fit the budget with room to spare.
        seen: what the host still shows, by id: the digests of the texts.
        own: what of a turn is its speaker's own.
    """

    def __init__(
        self,
        budget: int,
        max_results: int,
        head: Sequence[str] = (),
        seen: Mapping[str, AbstractSet[str]] = MappingProxyType({}),
        own: OwnText = lambda text, _speaker: text,
    ) -> None:
        self._own = own
        self._budget = budget
        self._max_results = max_results
        self._outline = PackOutline(head)
        self._items: list[_PackItem] = []
        self._seen = seen
        self._visible: list[tuple[int, str]] = []  # trust and plain words of what the host still shows
        self._spared = 0  # what it would have cost
        self.marks: dict[str, str] = {}  # what is to be said of a unit besides, by id
        self.outdated: dict[str, tuple[LineMark, ...]] = {}  # and of its lines that hold no longer
        self._stated: list[frozenset[str]] = []
        self._notes = 0
        self._best = 0.0
        self.full = False
        self._until = 0  # tokens up to which the weak may fill the room

    def refusal(self, kind: str, score: float) -> str:
        """Why a candidate need not even be looked at, or an empty string."""
        if self._until:
            return "budget" if self.full or self.tokens() >= self._until else ""
        if score < self._best * WEAK:
            return "weak"
        if kind in _WHOLE and self._notes >= self._max_results:
            return "max_results"
        return "budget" if self.full else ""

    def by_worth(self, scores: Sequence[tuple[Unit, float]]) -> Iterator[int]:
        """The numbers of these, the best of all first and then by what a score is worth for the room that it takes beside what is taken in by then."""
        places = [place(unit) for unit, _ in scores]
        around = [*map(self._outline.adding, places)]
        first = int(bool(scores) and not self._items)
        yield from range(first)

        @cache
        def worths(number: int) -> tuple[float, float]:
            unit, score = scores[number]
            text = item_text(unit)
            room = least = least_cost(text)
            if self._most(unit, least) == least:  # else it takes all that it may, whatever its line costs
                room = line_cost(places[number], text)
            room = self._most(unit, room)
            return score / math.pow(room, ROOM), score / math.pow(room + around[number], ROOM)

        def worth(number: int) -> float:
            below, alone = worths(number)
            return below if self._outline.holds(places[number]) else alone

        # The room of those alone is counted that might be worth the most by the least room that they may take.
        highest = {
            number: max(score, 0.0) / math.pow(self._most(unit, least_cost(item_text(unit)) or 1), ROOM)
            for number, (unit, score) in enumerate(scores[first:], first)
        }
        waiting = sorted(highest, key=lambda number: -highest[number])
        while waiting and not self.full:
            best, most = waiting[0], worth(waiting[0])
            for number in waiting[1:]:
                if highest[number] < most:
                    break
                if (value := worth(number)) > most or (value == most and number < best):
                    best, most = number, value
            waiting.remove(best)
            yield best
        yield from sorted(waiting)  # for which there is no room in any order

    def _most(self, unit: Unit, room: int) -> int:
        """Hundredths of a token, of those of its line, that a unit takes at most; of a turn that would be cut, as if it were whole."""
        share = EPISODE if unit.kind in _WHOLE else SHARE  # a note waits for no episode that scores less
        return room if unit.kind == "turn" else min(room, int(self._budget * share) * 100)

    def fill(self, share: float = FILL) -> None:
        """From now on the weak are taken in, too, until they have a share of the budget."""
        self._until = max(self.tokens() + int(self._budget * share) - self._spared // 100, 1)

    def match_refusal(self, unit: Unit, score: float) -> str:
        """Why a match cannot be taken in, however much room there is for it, or an empty string; known before it is explained."""
        reason = self.refusal(unit.kind, score)
        if reason or unit.kind == "turn":  # of which it depends on the words asked for
            return reason
        return self._repeats(unit)

    def room_refusal(self, unit: Unit) -> str:
        """Why there is no room for a match by now, whatever words it holds, or an empty string; what is pasted in it only takes more."""
        has_room = self._has_room(unit, place(unit)._replace(mark=self._mark(unit)))
        return "" if has_room else self._out_of_room()

    def _has_room(self, unit: Unit, where: PackPosition) -> bool:
        room = self._outline.left(self._budget, where)
        return room >= LEAST * 100 or _fits(where, item_text(unit), room)

    def _out_of_room(self) -> str:
        self.full = self._budget - self.tokens() < LEAST
        return "budget"

    def offer(self, unit: Unit, score: float, surfaces: frozenset[str]) -> str:
        """Takes a match in if it may and fits: `in`, or the reason why not."""
        reason = self.refusal(unit.kind, score) or self._repeats(unit, surfaces)
        if not reason and unit.kind == "turn" and self._is_said(unit, surfaces):
            reason = "duplicate"
        if reason:
            return reason
        where = place(unit)._replace(mark=self._mark(unit))
        if not self._has_room(unit, where):
            return self._out_of_room()
        where = where._replace(mixed=mixed(unit, self._own))
        quoted = self._quote(unit, where, surfaces)
        where = where._replace(mark=self._mark(unit, quoted))
        if not quoted:
            return self._out_of_room()
        self._best = max(self._best, score)
        is_whole = quoted == item_text(unit)
        digests_seen = self._seen.get(unit.id)
        if digests_seen and not digests_seen.isdisjoint((digest_of(item_text(unit)), digest_of(quoted))):
            self._visible.append((_level(unit), _plain(quoted)))
            self._spared += line_cost(where, quoted)
            return "already_visible"
        plain_text = _plain(_own_words(unit) if is_whole else quoted)
        item = _PackItem(
            unit, where, surfaces, quoted, plain_text, not is_whole, digest_of(quoted), _level(unit)
        )
        self._outline.add(where, line(where, quoted))
        self._items.append(item)
        if unit.kind == "turn":
            self._join(len(self._items) - 1)
        if unit.is_statement:
            self._stated.append(_word_set(_plain(unit.value)))
        self._notes += unit.kind in _WHOLE
        return "in"

    def settle(self) -> None:
        """Leaves out what came in again later, from a source more trusted, or, of a note, as the line that it quotes."""
        for number, item in enumerate(self._items):
            earlier_texts = [before.text for before in self._items if _precedes(before, item)]
            spoken = sentences(item.quoted) if earlier_texts else ()
            if not any(_is_told(sentence, earlier_texts) for sentence in spoken):
                continue
            if all(
                _is_told(sentence, earlier_texts) or len(sentence.split()) <= REPEATED for sentence in spoken
            ):
                self._render(number, "")
                continue
            room = line_cost(item.where, item.quoted)
            where = item.where._replace(mark=self._mark(item.unit))
            passages = (
                self._passage(item.unit, where, item.surfaces, room, earlier_texts, near=near)
                for near in (True, False)  # an answer stands behind a question that is told already
            )
            shorter = next(filter(None, passages), "")
            self._render(number, shorter)

    def extend(self) -> None:
        """Gives the room that is left to what was cut, in rank order."""
        for number, item in enumerate(self._items):
            if not item.cut or not item.quoted:
                continue
            if self._budget - self.tokens() < LEAST:
                break
            others = [
                line.text
                for place_, line in enumerate(self._items)
                if place_ != number and line.level <= item.level
            ]
            room = self._outline.left(self._budget, item.where) + line_cost(item.where, item.quoted)
            where = item.where._replace(mark=self._mark(item.unit))
            longer = self._passage(item.unit, where, item.surfaces, room, others, near=False)
            if line_cost(item.where, longer) > line_cost(item.where, item.quoted):
                self._render(number, longer)

    def costs(self) -> dict[int, int]:
        """Tokens that each item costs with the lines it needs around it, by its number; none for one of which nothing is left."""
        outline, costs_by_number = PackOutline(self._outline.head), dict[int, int]()
        for number, item in enumerate(self._items):
            if item.quoted:
                before = outline.tokens()
                outline.add(item.where, line(item.where, item.quoted))
                costs_by_number[number] = outline.tokens() - before
        return costs_by_number

    def _join(self, number: int) -> None:
        """Puts a question beside its answer where these are not trusted alike; the label of one that is trusted less stays with it."""
        item_joined = self._items[number]
        for place_, item in enumerate(self._items):
            first, then = sorted((item_joined, item), key=lambda item: item.unit.line)
            if (
                (item.where.above, abs(item_joined.unit.line - item.unit.line))
                == (item_joined.where.above, 1)
                and item.quoted
                and first.where.trust != then.where.trust
                and first.unit.entity != then.unit.entity
                and ends_in_question(first.quoted.rstrip(" …"))
            ):
                lower = TRUST_ORDER.index(first.where.trust) > TRUST_ORDER.index(then.where.trust)
                label = f" [{first.where.trust}]" if lower else ""
                self._move(
                    number if first is item_joined else place_,
                    first.where._replace(trust=then.where.trust, own=first.where.own + label),
                )

    def _move(self, number: int, where: PackPosition) -> None:
        """Puts an item elsewhere, if there is room for it."""
        item = self._items[number]
        if self._outline.left(self._budget, where) >= line_cost(where, item.quoted):
            self._outline.replace(item.where, line(item.where, item.quoted), "")
            self._outline.add(where, line(where, item.quoted))
            self._items[number] = item._replace(where=where)

    def _render(self, number: int, quoted: str) -> None:
        """Quotes an item anew, or not at all any more."""
        item = self._items[number]
        where = item.where._replace(mark=self._mark(item.unit, quoted))
        self._outline.replace(where, line(item.where, item.quoted), line(where, quoted) if quoted else "")
        self._items[number] = item._replace(where=where, quoted=quoted, text=_plain(quoted) if quoted else "")

    def _mark(self, unit: Unit, quoted: str = "") -> str:
        """What stands behind the words that are quoted of a unit; behind any that may be, where none are yet."""
        outdated = self.outdated.get(unit.id, ())
        if quoted:
            shown = [mark for mark in outdated if not mark.line or shows(quoted, mark.line)]
        else:  # a mark holds no more than a few, the longest of which may be those that are shown
            shown = sorted(outdated, key=lambda mark: -cost(mark.text))
        marks = (mark_of((), shown), self.marks.get(unit.id, ""))
        return prompts.escape_line(" ".join(filter(None, marks)))

    def tokens(self) -> int:
        """What the block costs so far."""
        return self._outline.tokens()

    def context(self) -> str:
        """The block to paste into a prompt; empty when nothing was taken in."""
        return self._outline.context()

    def _repeats(self, unit: Unit, surfaces: frozenset[str] = frozenset()) -> str:
        """What a text says that is at least as much trusted need not be said again."""
        visible_texts = self._visible_texts(unit)
        if not visible_texts:
            return ""
        plain_text = _plain(unit.value if unit.is_statement else _own_words(unit))
        words = _word_set(plain_text) if unit.is_statement else frozenset[str]()
        if words and any(map(words.issubset, map(_word_set, visible_texts))):
            return "duplicate"  # a turn or an episode that is quoted already holds the words
        spoken = sentences(unit.text) if unit.kind == "turn" else ()
        if any(_is_told(sentence, visible_texts) for sentence in spoken):
            new = (
                sentence
                for sentence in map(_plain, spoken)
                if not any(sentence in text for text in visible_texts)
            )
            new_words = {word for sentence in new for word in sentence.split()}
            if len(new_words) <= REPEATED and not new_words & {word.casefold() for word in surfaces}:
                return "duplicate"  # an episode, a fact or another turn quotes it
        return "duplicate" if _repeats(plain_text, visible_texts) else ""

    def _is_said(self, unit: Unit, surfaces: frozenset[str]) -> bool:
        """True for a turn of which a statement in the context holds the most, and all words that were asked for."""
        if not self._stated:
            return False
        words_of_turn = _word_set(_plain(unit.text))
        words_matched = words_of_turn & {word.casefold() for word in surfaces}
        most = SAID * len(words_of_turn)
        return any(most <= len(words) and words_matched <= words <= words_of_turn for words in self._stated)

    def _visible_texts(self, unit: Unit) -> list[str]:
        """What the context says that is at least as much trusted as a unit."""
        most = _level(unit)
        texts = [(item.level, item.text) for item in self._items if item.quoted]
        return [text for level, text in (*texts, *self._visible) if level <= most]

    def sent(self) -> dict[str, str]:
        """The digest of what was quoted first of each item, by id, and behind a slash that of all of it where it is cut."""
        sent: dict[str, str] = {}
        for item in self._items:
            digest = digest_of(item_text(item.unit))
            if item.quoted:
                sent[item.unit.id] = f"{item.first}/{digest}" if item.first != digest else digest
        return sent

    def _room(self, where: PackPosition, share: float = SHARE) -> int:
        """Hundredths of a token that an item may cost."""
        return min(self._outline.left(self._budget, where), max(int(self._budget * share), FIRST) * 100)

    def _quote(self, unit: Unit, where: PackPosition, surfaces: frozenset[str]) -> str:
        """As much of a unit as there is room for; empty when that would say nothing."""
        text, is_turn = item_text(unit), unit.kind == "turn"
        room = self._room(where, TURN if is_turn else SHARE)
        if (is_turn or room < LEAST * 100) and _fits(where, text, room):
            return text
        if is_turn or (unit.kind == "episode" and self._items):
            room = self._room(where, PASSAGE if is_turn else EPISODE)
        if room < LEAST * 100:
            return ""
        return self._passage(unit, where, surfaces, room, self._visible_texts(unit), near=True)

    def _passage(
        self,
        unit: Unit,
        where: PackPosition,
        surfaces: frozenset[str],
        room: int,
        known: Sequence[str],
        *,
        near: bool,
    ) -> str:
        """A unit, whole or cut to the room, without what is `known`; a part without new words is empty. A turn that is cut keeps its speaker."""
        text = item_text(unit)
        spoken = sentences(text) if unit.kind in _WHOLE and known else ()
        if _fits(where, text, room) and not any(_is_told(sentence, known) for sentence in spoken):
            return text
        speaker = f"{unit.entity}: " if unit.kind == "turn" and unit.entity else ""
        excerpt = passage(
            text[len(speaker) :],
            surfaces,
            lambda part: _fits(where, speaker + part, room),
            known,
            near=near,
        )
        return excerpt and speaker + excerpt


class _PackItem(NamedTuple):
    """An item of a context as it is quoted; items are numbered as they were taken in."""

    unit: Unit
    where: PackPosition
    surfaces: frozenset[str]
    quoted: str  # empty: it is gone
    text: str  # in plain words
    cut: bool  # a part of its unit
    first: str  # digest of what was quoted at first, before the room was shared out
    level: int  # of trust: 0 is most


def _level(unit: Unit) -> int:
    return TRUST_ORDER.index(unit.trust) if unit.trust in TRUST_ORDER else 1


def _precedes(first: _PackItem, other: _PackItem) -> bool:
    """True where what both say is said by the first: it is trusted more, or as much and is what a note only quotes."""
    quotes = other.unit.kind in _WHOLE and first.unit.kind not in _WHOLE
    return (first.level, not quotes) < (other.level, True)


def _is_told(sentence: str, known: Collection[str]) -> bool:
    """True for a sentence of several words that stands in what is known; who said it does not count."""
    plain_text = _plain(_POINT.sub("", sentence))
    return plain_text.count(" ") > REPEATED and _repeats(plain_text, known)


def _repeats(words: str, known: Collection[str]) -> bool:
    """True where plain words are one of the texts, or several words of one."""
    return any(words in text for text in known) if words.count(" ") > REPEATED else words in known


def shows(quoted: str, line_of_unit: str) -> bool:
    """True where a passage of an episode shows a sentence of one of its lines, or a part of one."""
    said, shown = _POINT.sub("", without_block_ids(line_of_unit)), _plain(quoted)
    parts = filter(str.strip, map(_plain, quoted.split(_GAP.strip())))
    return any(_plain(sentence) in shown for sentence in sentences(said)) or any(
        part in _plain(said) for part in parts
    )


def _fits(where: PackPosition, text: str, room: int) -> bool:
    # No character costs less than a hundredth.
    return max(len(text), least_cost(text)) <= room and line_cost(where, text) <= room


def text_of(unit: Unit) -> str:
    """What is said by a unit alone: a fact as `entity field: value`, a turn with its speaker, a note with its title, unless it says it again."""
    if unit.is_statement:
        return f'{unit.entity}: "{unit.value}"' if unit.entity else f'"{unit.value}"'
    if unit.kind == "fact":
        label = unit.entity if unit.field == "value" else f"{unit.entity} {unit.field}"
        return f"{label}: {unit.value}{_ended(unit)}"
    if unit.kind == "turn":
        return f"{unit.entity}: {unit.text}" if unit.entity else unit.text
    if unit.kind == "todo":
        due = f" (due {unit.days})" if unit.days and unit.field == "open" else ""
        return f"[{_BOXES[unit.field]}] {unit.text}{due}"
    text = _speakers_once(unit.text)
    if not unit.title or text.startswith(unit.title) or _is_told(unit.title, (_plain(text),)):
        return text
    return f"{unit.title}{'' if unit.title[-1] in _ENDS else '.'} {text}"


def _ended(unit: Unit) -> str:
    """From when to when a fact held that holds no longer."""
    if unit.state != "superseded" or not unit.until:
        return ""
    since = f"since {unit.when[:10]}, " if unit.when else ""
    return f" ({since}until {unit.until[:10]})"


@lru_cache(maxsize=1024)  # a pack looks at an episode again and again
def _speakers_once(text: str) -> str:
    """The points of an episode without block ids, but for a heading that one of them says and a speaker who spoke just before."""
    text = without_block_ids(text)
    if "\n- " not in f"\n{text}":
        return text
    heading, _, points = text.partition("\n\n")
    text = points if _is_told(heading, (_plain(points),)) else text
    last, lines = "", list[str]()
    for text_line in text.split("\n"):
        hit = _POINT.match(text_line)
        lines.append(f"- {text_line[hit.end() :]}" if hit and hit[1] == last else text_line)
        last = hit[1] if hit else last if not text_line.strip() else ""
    return "\n".join(lines)


def item_text(unit: Unit) -> str:
    """What a line says after the id: of a fact, whose id names it, the value and since when."""
    if unit.kind != "fact" or "#" not in unit.id:
        return text_of(unit)
    if unit.is_statement:
        return f'"{unit.value}"'
    since = f" (since {unit.when[:10]})" if unit.when else ""
    return f"{unit.value}{_ended(unit) or since}"


def digest_of(text: str) -> str:
    """What a text is known by in the ledger."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _own_words(unit: Unit) -> str:
    if unit.kind == "todo":  # who said it stands before the words, where an episode tells it
        return _POINT.sub("", f"- {unit.text}").removeprefix("- ")
    # The title of a copied note may be nothing but the name of its file.
    return (unit.kind in _WHOLE and _speakers_once(unit.text)) or text_of(unit)


@lru_cache(maxsize=4096)  # one recall asks it of the same texts again and again
def _plain(text: str) -> str:
    """The words alone, between spaces; the text itself when it has none."""
    words = runs_of(text)
    return f" {' '.join(words)} " if words else prompts.one_line(text.casefold())


@lru_cache(maxsize=1024)
def _word_set(plain_text: str) -> frozenset[str]:
    return frozenset(plain_text.split())


# The lines of a context: what stands in one file or session stands under one line that names it, so that it is named
# once.

TRUST_ORDER = ("trusted", "unknown", "untrusted")
_LINE_BREAK = "\n"


class PackPosition(NamedTuple):
    """Where an item stands: under which line, and what it is called there."""

    trust: str
    above: str  # the line of the group
    own: str  # the rest of the id, as it begins the line; empty when the line above is all of it
    order: tuple[str, int]  # when it was said, and in which line; equal ones stay in rank order
    mark: str = ""  # stands behind its text
    mixed: Mixed | None = None  # of a turn that holds words of others


class PackOutline:
    """A context being filled line by line; what it costs is always known."""

    def __init__(self, head: Sequence[str] = ()) -> None:
        self.head = head
        self._groups: dict[str, dict[str, list[tuple[tuple[str, int], str]]]] = {t: {} for t in TRUST_ORDER}
        self._cost = sum(map(_line_cost, (prompts.OPENING, *head, prompts.CLOSING)))
        self._empty = not head

    def adding(self, place: PackPosition) -> int:
        """Hundredths of a token that the lines around one more item would cost."""
        group = self._groups[place.trust]
        tags = 0 if group else sum(map(_line_cost, prompts.tags(place.trust)))
        return tags + (0 if self.holds(place) else _line_cost(place.above))

    def holds(self, place: PackPosition) -> bool:
        """True where the line above an item is there already."""
        return place.above in self._groups[place.trust]

    def left(self, budget: int, place: PackPosition) -> int:
        """Hundredths of a token that an item with its own id may cost."""
        return budget * 100 - self._cost - self.adding(place)

    def add(self, place: PackPosition, line: str) -> None:
        """Takes in an item whose line is rendered already."""
        self._cost += self.adding(place) + _line_cost(line)
        self._groups[place.trust].setdefault(place.above, []).append((place.order, line))
        self._empty = False

    def replace(self, place: PackPosition, old: str, new: str) -> None:
        """Renders an item anew, or takes it out if it says nothing any more."""
        group = self._groups[place.trust]
        items = group[place.above]
        items[items.index((place.order, old))] = (place.order, new)
        self._cost += _line_cost(new) - _line_cost(old) if new else -_line_cost(old)
        if not new:
            items.remove((place.order, new))
            if not items:
                del group[place.above]
            self._cost -= self.adding(place)
            self._empty = not (self.head or any(self._groups.values()))

    def tokens(self) -> int:
        """What the whole block costs."""
        return 0 if self._empty else whole_tokens(self._cost)

    def context(self) -> str:
        """The block to paste into a prompt; empty when nothing was taken in."""
        groups = [(trust, _lines(self._groups[trust])) for trust in TRUST_ORDER]
        return prompts.fence_block(groups, self.head)


def _lines(groups: dict[str, list[tuple[tuple[str, int], str]]]) -> list[str]:
    lines = []
    by_place = sorted((min(items)[0], above) for above, items in groups.items() if items[0][0][0])
    by_day = iter(above for _, above in by_place)
    for group, items in groups.items():
        above = next(by_day) if items[0][0][0] else group
        lines += [above, *(text for _, text in sorted(groups[above], key=lambda item: item[0]))]
    return lines


def place(unit: Unit) -> PackPosition:
    """Turns stand in the order they were said under their session, sessions in that of their days, statements under their speaker and day, facts under their file, a note alone."""
    day = unit.when[:10]
    order = ("", 0)
    above, label = unit.id, ""
    if unit.kind == "turn" and "/" in unit.id:
        above, _, label = unit.id.rpartition("/")
        above, order = f"{above}/", (unit.when, unit.line)
    elif unit.is_statement and "-" in unit.id:
        above, _, label = unit.id.rpartition("-")
        above = f"{above}-"
    elif unit.kind in ("fact", "todo") and "#" in unit.id:
        above, _, label = unit.id.partition("#")
        above, day = f"{above}#", ""
    dated = (
        f"{prompts.escape_line(above)} ({prompts.escape_line(day)})"
        if day and day not in above
        else prompts.escape_line(above)
    )
    label = f"{label}:" if unit.kind in ("fact", "todo") and label and not unit.is_statement else label
    return PackPosition(
        unit.trust if unit.trust in TRUST_ORDER else "unknown", dated, prompts.escape_line(label), order
    )


@lru_cache(maxsize=1024)  # a pack weighs a line, takes it in and counts it
def line(place: PackPosition, text: str) -> str:
    """The line of an item; its text is made harmless here, and what is pasted in it marked."""
    text = place.mixed.marked(text) if place.mixed else text
    return " " + " ".join(filter(None, (place.own, prompts.escape_line(text), place.mark)))


def line_cost(place: PackPosition, text: str) -> int:
    """What this line costs, in hundredths of a token."""
    return _line_cost(line(place, text))


def _line_cost(text: str) -> int:
    return cost(text + _LINE_BREAK)


# The sentences of a text that answer, where there is no room for all of it: those with the words of the question first.

_SCANNED = 20_000  # characters: of a longer text the densest part is read
_GAP = " … "
_LEAST = 1000  # hundredths of a token
_CALL = 4  # words
_UNSPACED_ENDS = ("。", "！", "？")  # no space follows them


def passage(
    text: str,
    surfaces: frozenset[str],
    fits: Callable[[str], bool],
    known: Iterable[str] = (),
    *,
    near: bool = False,
) -> str:
    """As many sentences as fit, in their order: the best one first, then others with new words, then what surrounds them.

    Args:
        text: of any kind; its line breaks end sentences.
        surfaces: the words of the question as they stand in the text.
        fits: whether a passage may be so long. When no sentence fits, the densest part of the best one is taken.
        known: plain texts; a sentence that repeats one of them, or one that is taken already, is left out.
        near: of what surrounds the words, only the sentences beside them.
    """
    if len(text) > _SCANNED:
        text = snippet(text, surfaces, _SCANNED).text
    candidates = [sentence for sentence in sentences(text) if _WORDS.search(sentence)]
    repeated, chosen = list(known), set[int]()
    for number in _by_worth(candidates, surfaces, near):
        if _is_told(candidates[number], repeated):
            continue
        if fits(_join(candidates, chosen | {number})):
            chosen.add(number)
            repeated.append(_plain(candidates[number]))
        elif not chosen:
            return _part(candidates, number, surfaces, fits)
    return _join(candidates, chosen) if chosen else ""


def _by_worth(sentences: list[str], surfaces: frozenset[str], near: bool) -> Iterator[int]:
    if not sentences:
        return
    words_held = _words_of(sentences, surfaces)
    idle = [_says_little(sentence) for sentence in sentences]
    best = max(range(len(sentences)), key=lambda number: (len(words_held[number]), not idle[number], -number))
    covered, chosen = set(words_held[best]), [best]
    yield best
    while fresh := [n for n in range(len(sentences)) if n not in chosen and words_held[n] - covered]:
        number = max(fresh, key=lambda n: (len(words_held[n] - covered), not idle[n], -abs(n - best)))
        covered |= words_held[number]
        chosen.append(number)
        yield number
    # What follows answers more often than what went before.
    away = {n: min(abs(n - number) - 0.5 * (n > number) for number in chosen) for n in range(len(sentences))}
    around = sorted(away, key=lambda n: (idle[n], not words_held[n], away[n]))
    yield from (n for n in around if n not in chosen and (words_held[n] or away[n] <= 1 or not near))


def _says_little(sentence: str) -> bool:
    """A question, or a call such as `Wow, great!`."""
    return ends_in_question(sentence) or (sentence.endswith("!") and sentence.count(" ") < _CALL)


def _words_of(sentences: list[str], surfaces: frozenset[str]) -> list[set[str]]:
    """The words of the question that each sentence holds."""
    joined = "\n".join(sentences)
    starts = [0]
    for sentence in sentences:
        starts.append(starts[-1] + len(sentence) + 1)
    words_held: list[set[str]] = [set() for _ in sentences]
    for start, end in places(joined, surfaces):
        words_held[bisect_right(starts, start) - 1].add(joined[start:end].lower())
    return words_held


def _join(sentences: list[str], chosen: set[int]) -> str:
    """The chosen sentences, each gap between them marked."""
    pieces: list[str] = []
    last = -1
    for number in sorted(chosen):
        between = "" if pieces and pieces[-1].endswith(_UNSPACED_ENDS) else " "
        pieces += ["… " if last < 0 else _GAP] if number != last + 1 else [between] if pieces else []
        pieces.append(sentences[number])
        last = number
    return "".join(pieces) + (" …" if last < len(sentences) - 1 else "")


def _part(sentences: list[str], number: int, surfaces: frozenset[str], fits: Callable[[str], bool]) -> str:
    width, cut = len(sentences[number]), cutter(sentences[number], surfaces)
    while width:
        excerpt = cut(width).text
        excerpt = excerpt if not number or excerpt.startswith("…") else f"… {excerpt}"
        excerpt = excerpt if number == len(sentences) - 1 or excerpt.endswith("…") else f"{excerpt} …"
        if fits(excerpt):
            return excerpt if cost(excerpt) >= _LEAST else ""
        width = width * 4 // 5
    return ""


# Later lines that say that an earlier one holds no longer, whatever was asked: `PowerSoil is dead to me`, of the kit that a
# question is about.

FOLLOWED = 3  # of the best units, to which what was said later is looked for
BEHIND = 0.9  # of the score of a line, for one that only names the same
FEW = 12  # units that hold a name of which a later line is news
_NAME = re.compile(r"(?<=[^\s.!?:…\"“„] )[^\W\d_a-zß-ÿ][\w-]+")  # within a sentence
COMPARED = 36  # units that share words with them
_SPOKEN = frozenset({"fact", "turn"})


class Earlier(NamedTuple):
    """A line that somebody said on a day."""

    id: str
    day: str
    text: str


class Sequel(NamedTuple):
    """A sentence of a later unit that ends an earlier line."""

    of: str  # the id of the earlier line
    hit: Ranked
    unit: Unit
    sentence: str
    share: float = 1.0  # of the score of the line, for what may say that it holds no longer


def later_words(searcher: Searcher, texts: Sequence[str], day: str) -> list[Ranked]:
    """What people said after a day and shares rare words with these texts."""
    return [
        hit
        for hit in (searcher.sharing(texts, COMPARED, day) if texts else ())
        if hit.unit.kind in _SPOKEN
        and not hit.unit.asks
        and hit.unit.trust not in ("untrusted", "quarantined")
        and hit.unit.role != "assistant"
        and hit.unit.at[:10] > day
    ]


def naming(
    searcher: Searcher, question: Question, text: str, day: str, *, is_value: bool, about: str = ""
) -> tuple[frozenset[str], list[Ranked]]:
    """What few units name of what a line names, as index tokens, and the turns of later days that share it, the newest first: of the owner and of whom the question names.

    Such a turn may tell that the line holds no longer, in whatever words.

    Args:
        is_value: every word of the text counts as a name, and not those alone that stand with a capital in a sentence or are asked for.
        about: of whom and what a value is: what of it is asked for counts as well.
    """
    telling = question.language.telling
    asked = [word for word in words_of(f"{about} {text}") if not question.tokens.isdisjoint(telling([word]))]
    named = words_of(" ".join((*((text,) if is_value else _NAME.findall(text)), *asked)))
    names = searcher.rare((word for word in named if not word.isdigit()), FEW)
    if not (names and day) or question.days:
        return names, []
    speakers = searcher.own_keys() | question.any_entity.keys() | question.any_person.keys()
    hits = (hit for hit in later_words(searcher, [" ".join(named)], day) if hit.unit.kind == "turn")
    by_speakers = [hit for hit in hits if hit.unit.entity_key in speakers]
    return names, sorted(by_speakers, key=lambda hit: hit.unit.at, reverse=True)


def sequels(searcher: Searcher, question: Question, lines: Sequence[Earlier]) -> Iterator[Sequel]:
    """The sentences of later units that end these lines."""
    first = min((line.day for line in lines), default="")
    hits = later_words(searcher, [line.text for line in lines], first)
    units = searcher.units(hits) if hits else {}
    telling = {rowid: later for rowid, unit in units.items() if (later := telling_lines(unit, question))}
    for line in lines if telling else ():
        ends = end_test(line.text, date.fromisoformat(line.day), question)
        words = f" {' '.join(words_of(line.text))} "
        for hit in hits:
            unit = units[hit.unit.rowid]
            later = telling.get(hit.unit.rowid, []) if unit.when[:10] > line.day else []
            ending = next(filter(ends, later), None)
            # What is said again ends nothing: `my kettle died on me`.
            if ending and f" {' '.join(words_of(ending.sentence))} " not in words:
                yield Sequel(line.id, hit, unit, ending.sentence)


def _news(
    searcher: Searcher, question: Question, line: Earlier, own: OwnText, *, is_value: bool
) -> Iterator[Sequel]:
    """What names the same as a line in later words of one's own, the newest first; what the question names it finds by itself."""
    names, hits = naming(searcher, question, line.text, line.day, is_value=is_value)
    units = searcher.units(hits) if hits else {}
    for hit in hits:
        unit = units[hit.unit.rowid]
        words = words_of(own(unit.text, unit.entity))
        if not (names - question.tokens).isdisjoint(question.language.telling(words)):
            yield Sequel(line.id, hit, unit, unit.text, BEHIND)


def _when(sequel: Sequel) -> tuple[str, str]:
    return sequel.unit.when, sequel.unit.id


def followed(searcher: Searcher, ranking: Ranking, best: Sequence[Ranked], own: OwnText) -> Ranking:
    """The ranking, in which what ends one of the best lines scores as much as that line, and a little less what names the same as the first since; of a question with fields nothing but what it asks for."""
    if ranking.question.query.filters:
        return ranking
    spoken = [
        hit for hit in best if hit.unit.kind in _SPOKEN and hit.unit.role != "assistant" and hit.unit.at
    ]
    units = [*searcher.units(spoken[:FOLLOWED]).values()]
    lines = [
        Earlier(unit.id, unit.when[:10], unit.value if unit.kind == "fact" else unit.text) for unit in units
    ]
    newest = {row.of: row for row in sorted(sequels(searcher, ranking.question, lines), key=_when)}
    if lines and lines[0].id not in newest:
        news = _news(searcher, ranking.question, lines[0], own, is_value=bool(units[0].field))
        newest.update((row.of, row) for row in islice(news, 1))
    if not newest:
        return ranking
    ranked = {hit.unit.rowid: hit for hit in ranking.units}
    scores, lifted = {hit.unit.id: hit.score for hit in ranking.units}, dict[int, Ranked]()
    for sequel in newest.values():
        rowid, score = sequel.hit.unit.rowid, scores[sequel.of] * sequel.share
        hit = lifted.get(rowid) or ranked.get(rowid) or sequel.hit
        if not hit.decision and hit.score < score:
            gained = ("sequel", score - hit.score)
            lifted[rowid] = hit._replace(score=score, terms=[*hit.terms, gained], ends=sequel.of)
    if not lifted:
        return ranking
    others = (hit for hit in ranking.units if hit.unit.rowid not in lifted)
    # What is newer stands before what it ends.
    in_order = sorted([*lifted.values(), *others], key=lambda hit: hit.score, reverse=True)
    return ranking._replace(units=in_order)


def recall(
    searcher: Searcher,
    text: str,
    *,
    goal: str,
    session: str,
    budget: int,
    max_results: int,
    working: Callable[[int, bool], list[str]] | None = None,
    seen: Mapping[str, AbstractSet[str]] = NOTHING,
    begins: bool = False,
    floor: bool = True,
    project: str = "",
    own: OwnText = lambda text, _speaker: text,
    ranking: Ranking | None = None,
) -> Recalled:
    """Answers a question with a context of at most `budget` tokens.

    The words of `goal`, what the agent is working on, help to rank. Turns of the running `session` are left out: the host still
    shows them; what is untrusted, and a skill that is not approved, are left out whatever is asked. What the session is working on stands first:
    `working` gives its lines for a share of the budget, and whether they stand there alone. What it has `seen` (digests of texts, by id) the host still shows as well. What holds in
    another `project` than the one that is worked in is left out; where that is not known, nothing is.
    Where nothing in the vault is about the question, nothing is said, unless there is no `floor`: only what holds in the project and shares a word with the
    work and, where a session `begins`, what is due soon.
    What of a turn is not its speaker's `own` is marked as pasted. `ranking`, where the question was searched for already.
    """
    with searcher.reading():
        ranking = ranking or to_do(searcher, searcher.find(text, goal=goal, newest=True, project=project))
        waiting, refused = _waiting(searcher, ranking, session, project)
        best = [hit for hit in waiting if hit.score or ranking.question.latest]
        best = [] if only_echoes(ranking, best, searcher.units) else best
        relevance = relevance_of(ranking, best, searcher.own_keys)
        speaks = relevance.passes or not floor
        if speaks and (later := followed(searcher, ranking, best, own)) is not ranking:
            ranking = later
            waiting, refused = _waiting(searcher, ranking, session, project)
        head = working(int(budget * WORKING_SHARE), not speaks) if working else []
        pack = Pack(budget, max_results, head, seen, own)
        if speaks:
            matches, packed, aside = _pack(searcher, ranking, waiting, pack)
        else:
            soon = set(ranking.evidence.upcoming) if begins else set()
            alone = [hit._replace(score=0.0) for hit in waiting if hit.unit.rowid in soon]
            alone += [
                hit for hit in of_work(ranking, waiting, searcher.own_keys()) if hit.unit.rowid not in soon
            ]
            working_memory = pack.tokens()
            matches, packed, _ = _pack(searcher, ranking, alone, pack)
            aside = pack.tokens() - working_memory
            packed = dict.fromkeys((hit.unit.rowid for hit in waiting), "irrelevant") | packed
        answer = searcher.answer(text, ranking, matches, refused | packed, relevance)
    return Recalled(
        **answer, context=pack.context(), tokens=pack.tokens(), budget=budget, aside=aside, sent=pack.sent()
    )


def to_do(searcher: Searcher, ranking: Ranking) -> Ranking:
    """The to-dos that are not over, and due on one of the days that a question names, where it asks for all of them; else the ranking as it is."""
    if not ranking.question.lists_duties:
        return ranking
    due, listed = ranking.question.days, searcher.find("kind:todo")
    is_due = [
        not due or any(falls_in(hit.unit.days, span.start, span.end) for span in due) for hit in listed.units
    ]
    open_ = [hit for hit in compress(listed.units, is_due) if hit.unit.field not in OVER]
    return listed._replace(units=open_)


def _waiting(
    searcher: Searcher, ranking: Ranking, session: str, project: str
) -> tuple[list[Ranked], dict[int, str]]:
    """What may be in the context, in rank order, and why the rest may not."""
    open_, refused = ranking.open, dict[int, str]()
    episodes = {hit.unit.path for hit in open_ if hit.unit.kind == "episode" and hit.score}
    running, own = f"log:{session}/", canonical_scope(f"{PROJECT}{project}")
    unapproved = searcher.unapproved_units(open_)
    for unit in (hit.unit for hit in open_):
        if unit.rowid in unapproved:
            # A draft keeps its reason even where the question asks for drafts: a prompt gets only what a person approved.
            refused[unit.rowid] = "not_approved" if unit.state == "current" else unit.state
        elif unit.trust == "untrusted":  # a search finds it, and nothing brings it into a prompt by itself
            refused[unit.rowid] = "untrusted"
        elif own and unit.scope.startswith(PROJECT) and unit.scope != own:
            refused[unit.rowid] = "other_project"
        elif session and unit.id.startswith(running):  # the host still shows it
            refused[unit.rowid] = "already_visible"
        elif unit.kind == "todo" and not unit.days and unit.path in episodes:  # that tell it among the rest
            refused[unit.rowid] = "duplicate"
    return _put_vouched_first([hit for hit in open_ if hit.unit.rowid not in refused]), refused


def _put_vouched_first(waiting: Sequence[Ranked]) -> list[Ranked]:
    """In rank order, but that after the first `UNVOUCHED` notes for which nobody vouches, further ones wait for all else."""
    unvouched = [hit for hit in waiting if hit.unit.kind in PARTED and hit.unit.trust != "trusted"]
    late = {hit.unit.rowid for hit in unvouched[UNVOUCHED:]}
    return sorted(waiting, key=lambda ranked: ranked.unit.rowid in late)


def _pack(
    searcher: Searcher, ranking: Ranking, waiting: Sequence[Ranked], pack: Pack
) -> tuple[list[Match], dict[int, str], int]:
    """What the pack took in, in rank order, the decision on every unit, and the tokens of what is due soon and answers nothing."""
    offering = _Offering(searcher, ranking, waiting, pack)
    decisions = offering.decisions
    soon = [hit for rowid in ranking.evidence.upcoming for hit in waiting if hit.unit.rowid == rowid]
    only_soon = {hit.unit.rowid for hit in soon if not hit.score}
    decisions.update(dict.fromkeys(only_soon, "weak"))
    matching = [hit for hit in waiting if hit.unit.rowid not in only_soon]
    least = ANSWERS * max((hit.score for hit in matching), default=0.0) if soon else 0.0
    weaker = {hit.unit.rowid: hit for hit in matching if hit.score < least}
    offering.offer((hit for hit in matching if hit.unit.rowid not in weaker), by_worth=True)
    decisions.update(dict.fromkeys(weaker, "weak"))
    soon = [hit for hit in soon if decisions[hit.unit.rowid] == "weak"]
    pack.fill(UPCOMING)
    taken_before, tokens_before = len(offering.taken), pack.tokens()
    offering.offer(soon)
    offering.taken[taken_before:] = [(hit, _due(match)) for hit, match in offering.taken[taken_before:]]
    aside = pack.tokens() - tokens_before
    due = {hit.unit.rowid for hit in soon}
    offering.offer([hit for rowid, hit in weaker.items() if rowid not in due])
    crowded_out = {hit.unit.rowid for hit in soon if decisions[hit.unit.rowid] == "budget"}
    pack.fill()
    newest = [hit for hit in waiting if hit.unit.rowid in ranking.evidence.newest]
    offering.offer(
        [hit for hit in newest if decisions[hit.unit.rowid] == "weak" or hit.unit.rowid in crowded_out]
    )
    decisions.update((rowid, "upcoming") for rowid in sorted(crowded_out) if decisions[rowid] == "budget")
    pack.settle()
    pack.extend()
    costs = pack.costs()
    packed: list[tuple[int, Match]] = []
    ranks = {hit.unit.rowid: place for place, hit in enumerate(ranking.units)}
    for number, (hit, match) in enumerate(offering.taken):
        if number not in costs:
            decisions[hit.unit.rowid] = "duplicate"
        else:
            marked = offering.folding.marked(hit.unit, match._replace(tokens=costs[number]))
            packed.append((ranks[hit.unit.rowid], marked))
    return [match for _, match in sorted(packed, key=lambda pair: pair[0])], decisions, aside


def _due(match: Match) -> Match:
    """What is due within a week and answers nothing that was asked: its day is why it is there."""
    cause = Matched(word=match.unit.days, field="date", via="upcoming")
    if not match.score:  # whatever words it holds, they bring nothing
        match = match._replace(matched=(), terms=())
    return match._replace(matched=(*match.matched, cause))


class _Offering:
    """Offers units to a pack in rank order; only what has a chance is explained."""

    def __init__(self, searcher: Searcher, ranking: Ranking, waiting: Sequence[Ranked], pack: Pack) -> None:
        self._searcher = searcher
        self._ranking = ranking
        self._pack = pack
        best = waiting[:LINES]
        self._best = searcher.units(best)
        self._verdicts = searcher.verdicts(ranking, best, self._best)
        self.folding = folding_of(ranking)
        self._words: list[frozenset[int]] = []  # of the question, that each thing taken in holds
        self.decisions: dict[int, str] = {}
        self.taken: list[tuple[Ranked, Match]] = []

    def offer(self, waiting: Iterable[Ranked], *, by_worth: bool = False) -> None:
        """Takes in what may be taken and fits, in this order or by what each is worth beside the others; there is a decision on each unit afterwards."""
        remaining = iter(waiting)
        decisions, pack = self.decisions, self._pack
        while chunk := self._next_chunk(remaining, LINES if by_worth else CHUNK):
            unread = [ranked for ranked in chunk if ranked.unit.rowid not in self._best]
            units = self._best | (self._searcher.units(unread) if unread else {})
            # The turns that say nothing by themselves, unless they answer a question.
            is_stop = self._ranking.question.language.is_stop
            idle = [
                ranked.unit
                for ranked in chunk
                if ranked.unit.kind == "turn"
                and len(units[ranked.unit.rowid].text) <= IDLE
                and is_filler(units[ranked.unit.rowid].text, is_stop=is_stop)
            ]
            before = {(unit.rowid, unit.path) for unit in self._searcher.before(idle) if unit.asks}
            empty = {unit.rowid for unit in idle if (unit.rowid - 1, unit.path) not in before}
            conflicts = self._searcher.conflicts(chunk, self._verdicts)
            superseded = self._searcher.superseded(chunk, units, self._verdicts)
            pack.marks.update((id_, mark_of(ids, ())) for id_, ids in conflicts.items())
            pack.outdated.update(superseded)
            for id_, reason in self._searcher.overdue(chunk, units).items():
                pack.marks[id_] = f"{pack.marks.get(id_, '')} ({reason})".strip()
            for ranked in chunk:
                rowid, unit = ranked.unit.rowid, units[ranked.unit.rowid]
                decisions[rowid] = "empty" if rowid in empty else pack.match_refusal(unit, ranked.score)
            hopeful = [ranked for ranked in chunk if not decisions[ranked.unit.rowid]]
            reading_of = self._searcher.reader(self._ranking, hopeful, units)
            scores = [(units[ranked.unit.rowid], ranked.score) for ranked in hopeful]
            for number in pack.by_worth(scores) if by_worth else range(len(scores)):
                ranked, (unit, score) = hopeful[number], scores[number]
                words, asked = self._searcher.body(ranked), self._words_asked(ranked)
                reason = self.folding.reason(ranked.unit, words) or pack.match_refusal(unit, score)
                # What only asks, of no more than something else tells or asks, is no answer.
                if not reason and any(map(asked.issubset, self._words)) and self._only_asks(unit):
                    reason = "empty"
                if not reason and unit.kind != "turn":  # a turn may be refused for the words that it holds
                    reason = pack.room_refusal(unit)
                if not reason:
                    reading = reading_of(ranked)
                    reason = pack.offer(unit, score, reading.surfaces)
                decisions[ranked.unit.rowid] = reason
                if reason == "in":
                    self.folding.show(ranked.unit, words)
                    self._words.append(asked)
                    match = self._searcher.match(self._ranking, reading)
                    self.taken.append((ranked, marked(match, conflicts, superseded)))

    def _only_asks(self, unit: Unit) -> bool:
        """True for a person's turn of nothing but questions, that names hardly anything besides what is asked: a long one tells something as well."""
        if (
            unit.kind != "turn"
            or unit.role == "assistant"
            or len(unit.text) > IDLE
            or not only_asks(unit.text)
        ):
            return False
        question = self._ranking.question
        known = {*words_of(question.query.text), *question.weights}
        others = [
            word for word in words_of(unit.text) if word.removesuffix("'s") not in known and len(word) > 1
        ]
        names = sum(f" {word.capitalize()}" in unit.text for word in others)
        telling = sum(not question.language.is_stop(word) for word in others)
        return telling <= ASIDE and names <= 1 and not any(map(str.isdigit, others))

    def _words_asked(self, hit: Ranked) -> frozenset[int]:
        """The words of the question in a unit, by number."""
        return frozenset(self._ranking.evidence.counts.get(hit.unit.rowid, NOTHING_COUNTED).own)

    def _next_chunk(self, waiting: Iterator[Ranked], count: int) -> list[Ranked]:
        """The next units, so many, that the pack may still take; those before that it may not are refused."""
        chunk: list[Ranked] = []
        for ranked in waiting:
            self.decisions[ranked.unit.rowid] = reason = self._pack.refusal(ranked.unit.kind, ranked.score)
            if not reason:
                chunk.append(ranked)
                if len(chunk) == count:
                    break
        return chunk


# What the ledger keeps of what was shown, without a word of it, and a recall read back.

LEFT_OUT = 64  # ids in a receipt of what was left out; the rest is counted
READ_LINES = 400  # of something that is read: no host shows more of it
SEEN = ("all", "tools", "none")


class Decided(NamedTuple):
    """What a recall decided on one thing, and what has become of that since."""

    id: str
    path: str
    line: int
    decision: str  # `in`, or the reason why it was left out
    changed: bool  # it says something else now


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack:
    """A recall, as its receipt tells of it; no text is kept in a receipt."""

    receipt: str
    ts: str
    session: str
    tokens: int
    budget: int
    decided: tuple[Decided, ...]
    more: Mapping[str, int]  # what was left out besides, counted by reason
    gone: int = 0  # of what was decided on: no longer there, or not for who asks


def event_of(answer: Recalled) -> dict[str, Any]:
    """What a receipt keeps of a recall: ids, digests and reasons."""
    ids_by_reason: dict[str, list[str]] = {}
    for omitted in answer.left_out[:LEFT_OUT]:
        ids_by_reason.setdefault(omitted.reason, []).append(omitted.id)
    beyond = Counter(omitted.reason for omitted in answer.left_out[LEFT_OUT:])
    return {
        "ids": [match.unit.id for match in answer.matches],
        "digests": dict(answer.sent),
        "left_out": ids_by_reason,
        **({"more": dict(sorted(beyond.items()))} if beyond else {}),
        "tokens": answer.tokens,
        "budget": answer.budget,
    }


def whole_matches(matches: Iterable[Match]) -> dict[str, str]:
    """The digests of those matches of a search of which the snippet is all."""
    return {
        match.unit.id: digest_of(item_text(match.unit))
        for match in matches
        if match.snippet.split() == match.unit.text.split()
    }


def whole_units(address: Address, catalog: Catalog) -> dict[str, str]:
    """The digests of the units that stand in what was read."""
    sql = "select rowid from units where path = ? and line >= ? and end_line <= ? and end_line < ?"
    values = (address.path, address.line, address.end_line, address.line + READ_LINES)
    units = catalog.units([row[0] for row in catalog.rows(sql, values)])
    return {unit.id: digest_of(item_text(unit)) for unit in units.values()}


def read_back(event: Mapping[str, Any], catalog: Catalog) -> ReadBack:
    """A recall as it was, of what is still there for whom the catalog is."""
    reasons_left_out = event.get("left_out")
    decided = [(id_, "in") for id_ in texts_in(event.get("ids"))]
    if isinstance(reasons_left_out, dict):
        decided += [(id_, str(reason)) for reason, ids in reasons_left_out.items() for id_ in texts_in(ids)]
    digests, beyond = event.get("digests"), event.get("more")
    digests = digests if isinstance(digests, dict) else {}
    sql = """select id, rowid, path, line from units where id in (select value from json_each(?))
        order by id, state != 'current', path, seq"""
    places: dict[str, tuple[int, str, int]] = {}
    for id_, *place in catalog.rows(sql, [json.dumps([id_ for id_, _ in decided])]):
        places.setdefault(id_, (place[0], place[1], place[2]))
    units = catalog.units([places[id_][0] for id_ in digests if id_ in places])
    rows = []
    for id_, decision in decided:
        if id_ in places:
            rowid, path, line = places[id_]
            digest = digest_of(item_text(units[rowid])) if rowid in units else ""
            changed = id_ in digests and str(digests[id_]).rpartition("/")[2] != digest
            rows.append(Decided(id_, path, line, decision, changed))
    return ReadBack(
        receipt=str(event.get("receipt")),
        ts=str(event.get("ts")),
        session=str(event.get("session") or ""),
        tokens=int(event.get("tokens") or 0),
        budget=int(event.get("budget") or 0),
        decided=tuple(rows),
        more=dict(beyond) if isinstance(beyond, dict) else {},
        gone=len(decided) - len(rows),
    )
