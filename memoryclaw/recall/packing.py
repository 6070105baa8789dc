"""Fits ranked matches into a token budget: never over it, never starved by one long item, each decision with its reason."""

from __future__ import annotations

import hashlib
import math
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from memoryclaw.model import Unit
from memoryclaw.recall.pasted import Mixed, OwnText, mixed
from memoryclaw.text import prompts
from memoryclaw.text.language import runs_of
from memoryclaw.text.prompts import cost, least_cost, whole_tokens
from memoryclaw.text.sentences import sentences
from memoryclaw.text.snippets import cutter, places, snippet, without_block_ids

SHARE = 0.3  # of the budget: the most that one item may take while others wait
TURN = 0.6  # of the budget: a turn that takes no more is whole …
PASSAGE = 0.06  # … and of a longer one the sentences that answer take so much
# Of the budget: a turn that takes more waits for shorter ones that score nearly as much, by this power of how much longer it is.
LONG, LENGTH = 0.12, 0.4
EPISODE = 0.1  # an episode that is not the best takes less: its points are also facts, statements and turns …
POINT, POINTS = 0.02, 0.6  # … and it waits for these, as a long turn does for shorter ones
FIRST = 48  # tokens that one item may always take, so that a small budget still holds something
LEAST = 24  # tokens below which a cut item says nothing
WEAK = 0.05  # of the best score: what scores less would only fill the prompt
FILL = 0.5  # of the budget: the most that what is newest may fill, whatever its score
REPEATED = 4  # words: so much of a text must stand in another to repeat it
_ENDS = ".!?…。！？:"
_BOXES = {"open": " ", "done": "x", "cancelled": "-"}
_WHOLE = frozenset({"episode", "note", "skill"})
_WORDS = re.compile(r"[^\W_]+")
_POINT = re.compile(r"- ([^\s:][^:\n]{0,59}): ")


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

    def worth(self, unit: Unit, score: float) -> float:
        """What a score is worth here: a long turn, or an episode, takes the room of several."""
        share = cost(unit.text) / (100 * self._budget)
        if unit.kind == "turn":
            return score / math.pow(max(share / LONG, 1.0), LENGTH)
        if unit.kind == "episode":
            return score / math.pow(max(min(share, EPISODE) / POINT, 1.0), POINTS)
        return score

    def fill(self, share: float = FILL) -> None:
        """From now on the weak are taken in, too, until they have a share of the budget."""
        self._until = max(self.tokens() + int(self._budget * share) - self._spared // 100, 1)

    def match_refusal(self, unit: Unit, score: float) -> str:
        """Why a match cannot be taken in, however much room there is for it, or an empty string; known before it is explained."""
        reason = self.refusal(unit.kind, score)
        if reason or unit.kind == "turn":  # of which it depends on the words asked for
            return reason
        return self._repeats(unit)

    def offer(self, unit: Unit, score: float, surfaces: frozenset[str]) -> str:
        """Takes a match in if it may and fits: `in`, or the reason why not."""
        reason = self.refusal(unit.kind, score) or self._repeats(unit, surfaces)
        if not reason and unit.kind == "turn" and self._is_said(unit, surfaces):
            reason = "duplicate"
        if reason:
            return reason
        mark = prompts.escape_line(self.marks.get(unit.id, ""))
        where = place(unit)._replace(mark=mark, mixed=mixed(unit, self._own))
        quoted = self._quote(unit, where, surfaces)
        if not quoted:
            self.full = self._budget - self.tokens() < LEAST
            return "budget"
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
            earlier_texts = [before.told for before in self._items if _precedes(before, item)]
            spoken = sentences(item.quoted) if earlier_texts else ()
            if not any(_is_told(sentence, earlier_texts) for sentence in spoken):
                continue
            room = line_cost(item.where, item.quoted)
            shorter = self._passage(item.unit, item.where, item.surfaces, room, earlier_texts, near=True)
            if all(
                _is_told(sentence, earlier_texts) or len(sentence.split()) <= REPEATED for sentence in spoken
            ):
                shorter = ""
            self._render(number, shorter)

    def extend(self) -> None:
        """Gives the room that is left to what was cut, in rank order."""
        for number, item in enumerate(self._items):
            if not item.cut or not item.quoted:
                continue
            if self._budget - self.tokens() < LEAST:
                break
            others = [
                line.told
                for place_, line in enumerate(self._items)
                if place_ != number and line.level <= item.level
            ]
            room = self._outline.left(self._budget, item.where) + line_cost(item.where, item.quoted)
            longer = self._passage(item.unit, item.where, item.surfaces, room, others, near=False)
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
                and first.quoted.rstrip(" …").endswith(_ASKING)
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
        self._outline.replace(
            item.where, line(item.where, item.quoted), line(item.where, quoted) if quoted else ""
        )
        self._items[number] = item._replace(quoted=quoted, told=_plain(quoted) if quoted else "")

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
        """True for a turn of which a statement in the context holds all words that were asked for."""
        if not self._stated:
            return False
        words_of_turn = _word_set(_plain(unit.text))
        words_matched = words_of_turn & {word.casefold() for word in surfaces}
        return any(words and words <= words_of_turn and words_matched <= words for words in self._stated)

    def _visible_texts(self, unit: Unit) -> list[str]:
        """What the context says that is at least as much trusted as a unit."""
        most = _level(unit)
        texts = [(item.level, item.told) for item in self._items if item.quoted]
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
    told: str  # in plain words
    cut: bool  # a part of its unit
    first: str  # digest of what was quoted at first, before the room was shared out
    level: int  # of trust: 0 is most


def _level(unit: Unit) -> int:
    return TRUST_ORDER.index(unit.trust) if unit.trust in TRUST_ORDER else 1


def _precedes(one: _PackItem, other: _PackItem) -> bool:
    """True where what both say is said by the first: it is trusted more, or as much and is what a note only quotes."""
    quotes = other.unit.kind in _WHOLE and one.unit.kind not in _WHOLE
    return (one.level, not quotes) < (other.level, True)


def _is_told(sentence: str, known: Collection[str]) -> bool:
    """True for a sentence of several words that stands in what is known; who said it does not count."""
    plain_text = _plain(_POINT.sub("", sentence))
    return plain_text.count(" ") > REPEATED and _repeats(plain_text, known)


def _repeats(said: str, told: Collection[str]) -> bool:
    """True where plain words are one of the texts, or several words of one."""
    return any(said in one for one in told) if said.count(" ") > REPEATED else said in told


def _fits(where: PackPosition, text: str, room: int) -> bool:
    # No character costs less than a hundredth.
    return max(len(text), least_cost(text)) <= room and line_cost(where, text) <= room


def text_of(unit: Unit) -> str:
    """What is said by a unit alone: a fact as `entity field: value`, a turn with its speaker, a note with its title."""
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
    if not unit.title or text.startswith(unit.title):
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
    """The points of an episode without block ids, each speaker named only where another one spoke before."""
    text = without_block_ids(text)
    if "\n- " not in f"\n{text}":
        return text
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
        return tags + (0 if place.above in group else _line_cost(place.above))

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
    told = sorted((min(items)[0], above) for above, items in groups.items() if items[0][0][0])
    by_day = iter(above for _, above in told)
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


@lru_cache(maxsize=256)  # a pack weighs a line, takes it in and counts it
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
_ASKING = ("?", "？", "؟")
_CALL = 4  # words
_UNSPACED_ENDS = ("。", "！", "？")  # no space follows them


def passage(
    text: str,
    surfaces: frozenset[str],
    fits: Callable[[str], bool],
    told: Iterable[str] = (),
    *,
    near: bool = False,
) -> str:
    """As many sentences as fit, in their order: the best one first, then others with new words, then what surrounds them.

    Args:
        text: of any kind; its line breaks end sentences.
        surfaces: the words of the question as they stand in the text.
        fits: whether a passage may be so long. When no sentence fits, the densest part of the best one is taken.
        told: plain texts; a sentence that repeats one of them, or one that is taken already, is left out.
        near: of what surrounds the words, only the sentences beside them.
    """
    if len(text) > _SCANNED:
        text = snippet(text, surfaces, _SCANNED).text
    candidates = [sentence for sentence in sentences(text) if _WORDS.search(sentence)]
    repeated, chosen = list(told), set[int]()
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
    return sentence.endswith(_ASKING) or (sentence.endswith("!") and sentence.count(" ") < _CALL)


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
