"""Lines that a recall brought up and that say another value of the same thing: which of them was said last, and where two people differ. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache, cached_property, lru_cache
from itertools import chain, dropwhile, pairwise, takewhile

from memoryclaw import late
from memoryclaw.index import stemming
from memoryclaw.late import NamedTuple
from memoryclaw.model import TRUSTS, Unit
from memoryclaw.recall.question import Question, letters_apart
from memoryclaw.text import words as lists
from memoryclaw.text.dates import find_ranges, with_blanks
from memoryclaw.text.grammar import (
    UNREAD,
    Clause,
    Grammar,
    WordList,
    clauses,
    codes,
    grammar,
    grammar_of,
    spans_of,
    spoken_in,
    tokens_of,
)
from memoryclaw.text.language import key_of, sentences, words_of
from memoryclaw.text.merging import shared_ends
from memoryclaw.text.snippets import without_block_ids
from memoryclaw.vault.fact_values import KIN, noun_of
from memoryclaw.vault.vocabulary import STREET

LINES = 36  # that are compared, the best first
FORMER = 12  # former facts, the best first, whose values are looked for in these
_DENIED, _NEAR = 3, 10  # words of a value that is denied, and around what denies it
_LONG = 4  # letters of a word in which one may be wrong
# The lists without a word of which, in any language, a sentence ends nothing, parts nothing, and changes or denies nothing.
_ENDED = ("ended", "replacing", "gone")
_PARTED = ("ending_verbs", "no_longer")
_ENDING = ("changes", "renewals", *_ENDED, *_PARTED)
_PAST = 31  # days: one that was no longer ago is not the next of its name
_PLACED = ("", "what", "where")  # forms of questions that a place may answer
_ONE_EACH = frozenset({"email", "phone"})  # forms of which a person has one at a time, whatever it is called
_FORMS = (
    ("address", STREET),
    ("email", late.pattern(r"[^\s@<>()\[\],;:]{1,64}@[^\s@<>()\[\],;:]{1,190}\.[^\W\d_]{2,}")),
    ("clock", late.pattern(r"(?i)(?<![\d.,:])\d{1,2}:\d\d(?![\d:])|\b\d{1,2} ?(?:[ap]m|uhr)\b")),
    ("phone", late.pattern(r"(?<![\w.,/-])[+(]?0[\d() /-]{5,20}\d(?![.,]?\d)|(?<![\w.,/-])\+\d[\d() /-]{6,20}\d")),
    ("amount", late.pattern(r"[$€£¥]\s?\d[\d.,]{0,15}[kKmM]?|(?<![\w.,/-])\d[\d.,]{0,15}\s?(?:[$€£¥]|(?:EUR|USD|GBP|CHF|JPY|euros?|dollars?|pounds?)\b)|(?<![\w.,/-])\d{1,9}[.,]\d\d(?![\w:/-]|[.,]\d)")),
    ("measure", late.pattern(r"(?i)(?<![\w.,/-])\d[\d.,]{0,9}\s?(?:[kmµ]?g|[mc]?l|[kcm]?m|[kmgt]i?b|m?s|min|hours?|stunden|%)(?!\w)")),
    ("number", late.pattern(r"(?<![\w.,:/-])\d{2,12}-\d{2,12}(?![\w:/-]|[.,]\d)")),
)  # fmt: skip
_OF_ONE = frozenset({"address", "email", "phone"})  # forms of a value that one person or thing alone has
_NAMES = late.pattern(
    r"(?<=[^\s.!?:…\"“„] )[^\W\d_a-zß-ÿ][\w-]+(?: [^\W\d_a-zß-ÿ][\w-]+)*"
)  # within a sentence
_DATED = late.pattern(
    r"\d[-./]\d\d?\b(?!\d)|\d(?:st|nd|rd|th|\.)? (?:(?:of|de|di|den) )?[^\W\d_]{3}|[^\W\d_]{3}\.? (?:the )?\d\d?(?!\d|:\d)|[年月日]"
)
_YEAR = late.pattern(r"\d{4}")
_FIGURE = late.pattern(r"\d+|@")
_CLAUSE = late.pattern(r"[,;]\s")
_MARK = late.pattern(r"[,;.!?]\s+|\s[-–—]+\s")
_JOINED = late.pattern(
    r",\s(?:and|und|but|aber|also)\s|\s(?:and|und)\s(?=(?:i|we|he|she|it|they|ich|wir|er|sie|es)\s)"
)


class Later(NamedTuple):
    """What was said of the same thing on a later day."""

    day: str
    value: str  # as it was written; empty where the later line tells none of that form
    old: str = ""  # where the unit tells much besides

    def __str__(self) -> str:
        since = f"superseded since {self.day}" if self.day else "superseded"
        if self.old and not self.value:
            return f"{since}: no longer {self.old}"
        mark = f"{since}: {self.value}" if self.value else since
        return f"{mark} instead of {self.old}" if self.old else mark


class Verdicts(NamedTuple):
    """What stands against lines, by the id of the unit: what was said later, or those whose lines say otherwise."""

    later: dict[str, Later]
    rivals: dict[str, tuple[str, ...]]

    def settled(self) -> Verdicts:
        """These without the disputes of which a line was superseded: what somebody has said since is disputed no longer."""
        over = self.later.keys()
        disputed = {
            id_: rivals for id_, rivals in self.rivals.items() if id_ not in over and over.isdisjoint(rivals)
        }
        return self._replace(rivals=disputed)


class _Line:
    """A sentence about what was asked about. What two lines are compared by is read when they meet: most meet no other."""

    def __init__(
        self,
        unit: Unit,
        sentence: str,
        named: frozenset[frozenset[str]],
        stems: frozenset[str],
        question: Question,
        *,
        of_speaker: frozenset[frozenset[str]] = frozenset(),
    ) -> None:
        self.unit = unit
        self.day = unit.when[:10]
        self._named = named  # the things of the question that it names …
        self._of_speaker = of_speaker  # … and those that it is about where it tells of who said it
        self.stems = stems
        self.sentence = sentence
        self.question = question

    @cached_property
    def about(self) -> frozenset[frozenset[str]]:
        """The things of the question that it is about."""
        tells_more = self._of_speaker - self._named and self._is_own
        return self._of_speaker if tells_more else self._named

    @cached_property
    def who(self) -> str:
        """The key of who said it; empty for what a note says."""
        return key_of(_speaker(self.unit))

    @cached_property
    def _words(self) -> Grammar:
        return _grammar(self.unit, self.question)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tokens_of(self.sentence)

    @property
    def _is_own(self) -> bool:
        words = self._words
        return words.first_person.has_any(self.tokens) or words.possessives_own.has_any(self.tokens)

    @property
    def names_relative(self) -> bool:
        """True where somebody is told of by what they are to another, or an animal: `my son`."""
        return self._words.roles.within(self.tokens)

    @cached_property
    def _clauses(self) -> list[tuple[str, ...]]:
        return [tokens_of(clause) for clause in _CLAUSE.split(self.sentence)]

    @cached_property
    def has_figures(self) -> bool:
        return _has_figures(self.sentence)

    @cached_property
    def values(self) -> Mapping[str, Mapping[str, str]]:
        """By form and what they amount to, as they were written."""
        return exact_values(self.sentence, _day(self.unit, self.question.today))

    @cached_property
    def nouns(self) -> frozenset[str]:
        """The fields that it names."""
        return frozenset(_nouns(tokens_of(self.unit.field) or self.tokens, self._words))

    def _has(self, names: Sequence[str]) -> bool:
        """False where no language has a word of these lists in it: which one it is in need not be known."""
        return _signs(*names).within(self.tokens)

    @cached_property
    def changes(self) -> bool:
        return self._has(("changes", "renewals")) and (
            self._words.changes.within(self.tokens) or self._words.renewals.has_any(self.tokens)
        )

    def tells_change_of(self, name: Sequence[str]) -> bool:
        """True where a clause begins with a name, and has a sign of change."""
        words, size = self._words, len(name)
        return self._has(("changes",)) and any(
            _holds(clause[:size], name)
            and words.changes.at([*dropwhile(lambda token: _is_empty(token, words), clause[size:])])
            for clause in self._clauses
        )

    @cached_property
    def is_event(self) -> bool:
        """True where it has a verb of what happened, or its day was over when it was said."""
        if self._has(("past_event_verbs",)) and self._words.past_event_verbs.within(self.tokens):
            return True
        day_of_line = _day(self.unit, date.max)
        days = exact_values(self.sentence, day_of_line).get("day", {}) if self.unit.when else {}
        return any(
            (day_of_line - date.fromisoformat(f"{day_of_line.year}-{day}")).days % 365 in range(1, _PAST)
            for day, written in days.items()
            if day != "02-29" and not _YEAR.search(written)
        )

    @cached_property
    def denied(self) -> tuple[tuple[str, ...], ...]:
        """The first words of what it says is not so, or no longer."""
        names = ["not_the_other", "ended", "replacing"]
        if not (self.changes and self._words.changes.within(self.tokens)):
            return self._denied(names)
        return self._denied([*names, "source_prepositions", "past_be"])

    def ends(self, tokens: Sequence[str]) -> bool:
        """True where it says that something of other words holds no longer, or belongs together no longer."""
        pairs = (
            [words for words in pair if words] for pair in (*zip(self._ended, strict=True), *self.partings)
        )
        return any(pair and all(_holds(tokens, words) for words in pair) for pair in pairs)

    @cached_property
    def _ended(self) -> tuple[tuple[str, ...], ...]:
        return self._denied(["ended", "replacing"])

    def _denied(self, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        if not self._has((*names, "gone")):
            return ()
        signs = [getattr(self._words, name) for name in names]
        return tuple(words for clause in self._clauses for words in _denied(clause, signs, self._words))

    @cached_property
    def partings(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Which two it says belong together no longer."""
        clauses = self._clauses if self._has(_PARTED) else ()
        return tuple(pair for clause in clauses for pair in _partings(clause, self._words))

    def written(self, words: tuple[str, ...]) -> str:
        """Words of its sentence as they stand there where they are a value, such as `10:35`."""
        values = (value for of_form in self.values.values() for value in of_form.values())
        return next((value for value in values if _holds(tokens_of(value), words)), " ".join(words))

    def place_of(self, name: frozenset[str]) -> tuple[str, ...]:
        """The first words of where a clause says that what has this name, and nothing of it, is or goes; none for a time."""
        words, begins = self._words, tuple(name)
        for clause in _clauses_of(self.sentence, words):
            tokens, ways = clause.tokens, dict(words.place_prepositions.places(clause.tokens))
            way = next((n for n in ways if any(token.startswith(begins) for token in tokens[:n])), -1)
            if way < 0 or not all(
                token.startswith(begins) or token in clause.verb or token in words.fillers or token in words.first_person or _is_empty(token, words)
                for token in tokens[:way]
            ):  # fmt: skip
                continue
            place = _first_words(tokens[way + ways[way] :], words)
            if place and not (place[0][0].isdigit() or words.date_words.has_any(place[:1])):
                return place
        return ()

    @cached_property
    def kin(self) -> frozenset[str]:
        """Who it speaks of in place of somebody that was asked about: `Eero's sister`."""
        names = tuple(frozenset[str]().union(*self.about))
        return frozenset(kin for name, kin in pairwise(self.tokens) if kin in KIN and name.startswith(names))

    def is_newer_than(self, line: _Line, *, is_said: bool) -> bool:
        """True where it takes the place of an earlier line: it says so, or the same one speaks; what a note says without a day is no older than a fact, or than another change."""
        is_same = line.unit.role == "assistant" or bool(line.day and line.who == self.who)
        return bool(self.day) and (bool(line.day or not line.changes) if is_said else is_same)

    @property
    def moves(self) -> bool:
        """True where it may say that something is elsewhere than it was; not of people, who are in several places."""
        return self.changes and not self.question.people and self.question.form in _PLACED

    @cached_property
    def gone(self) -> frozenset[tuple[str, ...]]:
        """The first words of all that it says is not so, or no longer."""
        return frozenset(filter(None, (*self.denied, *chain.from_iterable(self.partings))))

    @cached_property
    def may_restate(self) -> bool:
        """True where it may say otherwise than an earlier line."""
        is_later = self.day or self.changes
        return bool(is_later and (self.unit.is_statement or self.has_figures or self.tells_change))

    @cached_property
    def tells_change(self) -> bool:
        """True where it says that something is otherwise than it was."""
        return bool(self.changes or self.denied or self.partings)


class _Restatement(NamedTuple):
    """How a later line differs from an earlier one."""

    is_said: bool  # in so many words
    form: str = ""  # of the values that differ
    value: str = ""  # that holds since
    words: tuple[str, ...] = ()  # the first ones of what held before


def verdicts(
    question: Question, units: Sequence[Unit], before: Mapping[str, str], ended: Sequence[Unit] = ()
) -> Verdicts:
    """What stands against some of the lines of these units.

    Args:
        question: what the lines are to answer; they are about the same thing where they name what it names.
        units: in rank order.
        before: what was said before a turn of the assistant, by its id.
        ended: former facts and statements, whose values the units may repeat.
    """
    marks = Verdicts({}, {})
    named, topics = _topics(question)
    if not topics:
        return marks
    least = 1 if named else min(2, len(topics))  # of what a question speaks of, that both lines have
    units = [unit for unit in units if unit.kind != "skill" and unit.state == "current"][:LINES]
    lines = list(_comparable(units, question, topics, least, before))
    gone: dict[tuple[Later, str, str], _Restatement] = {}
    for line, later, change in _changes(lines, least, named=named):
        is_vouched_for = TRUSTS.index(later.unit.trust) <= TRUSTS.index(line.unit.trust)
        is_newer = later.is_newer_than(line, is_said=change.is_said)
        if is_vouched_for and not is_newer and line.unit.kind != "episode":
            for side, rival in ((line, later), (later, line)):
                episodes = (unit for unit in units if unit.kind == "episode" and side.sentence in unit.text)
                for unit in (side.unit, *episodes):
                    marks.rivals.setdefault(unit.id, (rival.unit.id,))
        elif is_vouched_for and is_newer:
            old = next(iter(line.values.get(change.form, {}).values()), "") or line.written(change.words)
            news = Later(later.day if line.day < later.day else "", change.value)
            _keep(marks.later, line.unit, news, old)
            gone[news, old, change.form] = change
    repeating = [unit for unit in units if _repeats_others(unit) and unit.id not in marks.later]
    for unit, news, old in _repeating_changed(repeating, gone, question.today):
        _keep(marks.later, unit, news, old)

    def may_name(unit: Unit) -> bool:
        around = f"{unit.title} {unit.entity} {before.get(unit.id, '')}"
        return _may_name(f"{_text(unit)} {around}".lower(), topics, least)

    today = question.today.isoformat()
    ended = [unit for unit in ended if unit.until[:10] <= today]  # until its last day a value holds
    about = [*filter(may_name, units)] if ended else []
    for unit, news in _repeating_ended(about, [*filter(may_name, ended)], question.today):
        marks.later.setdefault(unit.id, news)
    return marks.settled()


def _repeating_changed(
    units: Sequence[Unit], gone: Mapping[tuple[Later, str, str], _Restatement], today: date
) -> Iterator[tuple[Unit, Later, str]]:
    """What repeats a value that held before a change of a line, with that change."""
    for unit in units if gone else ():
        for (news, old, _), change in gone.items():
            if unit.when[:10] < (news.day or "9") and _repeats(unit, old, change, today):
                yield unit, news, old


def _repeating_ended(
    units: Sequence[Unit], ended: Sequence[Unit], today: date
) -> Iterator[tuple[Unit, Later]]:
    """The turns and episodes that repeat what ended after them: an exact value that holds of nothing now, or that of a field which began on their day."""
    standing = [(unit, exact_values(_text(unit), today)) for unit in units if unit.kind in ("fact", "note")]
    spoken = [unit for unit in units if unit.kind in ("turn", "episode") and unit.role != "tool"]
    for former in ended:
        values = {
            form: of_form
            for form, of_form in exact_values(_text(former), _day(former, today)).items()
            if all(of_form.keys().isdisjoint(now.get(form, ())) for _, now in standing)
        }
        phrase = f" {' '.join(words_of(former.value))} " if former.field else ""
        whose = key_of(former.entity), former.field.casefold()
        now = [
            unit
            for unit, _ in standing
            if former.field and (key_of(unit.entity), unit.field.casefold()) == whose
        ]
        for unit in spoken:
            began = (
                phrase
                and unit.when[:10] == former.when[:10]
                and phrase in f" {' '.join(words_of(unit.text))} "
            )
            old = next(
                (
                    value
                    for form, of_form in values.items()
                    for value in of_form.values()
                    if _repeats(unit, value, _Restatement(True, form), today)
                    and (form in _OF_ONE or _shares_topic(former, unit, value))
                ),
                phrase.strip() if began else "",
            )
            if old and unit.when[:10] < former.until[:10]:
                news = [fact.value for fact in now if TRUSTS.index(fact.trust) <= TRUSTS.index(unit.trust)]
                value = news[0] if len(news) == 1 else ""
                yield unit, Later(former.until[:10], value, old if unit.kind == "episode" else "")


def _shares_topic(former: Unit, unit: Unit, value: str) -> bool:
    """True where a text tells of what a former value was of: many things may be on one day, or cost so much."""
    words, text_words = grammar_of(unit.text, unread="en"), words_of(unit.text)
    ignored = words_of(value)
    topic = [
        word
        for word in words_of(former.field or former.value)
        if word not in ignored and not _is_empty(word, words)
    ]
    shared = [about for about in topic if any(word.startswith(about) for word in text_words)]
    return bool(shared) and (len(shared) == len(topic) or (not former.field and len(shared) > 1))


def telling_lines(unit: Unit, question: Question) -> list[_Line]:
    """The sentences of a unit with a sign of an end or a change in some language that is read; none for words of the assistant and of episodes."""
    if _repeats_others(unit):
        return []
    telling = _ending_sentences(_text(unit))
    return [_Line(unit, sentence, frozenset(), frozenset(), question) for sentence in telling]


@lru_cache(maxsize=1024)  # the same later lines share words with many questions
def _ending_sentences(text: str) -> tuple[str, ...]:
    signs, tokens = _signs(*_ENDING), tokens_of(text)
    if not signs.within(tokens):
        return ()
    telling = signs.tellings.intersection(tokens)

    def may_tell(sentence: str) -> bool:
        small = sentence.lower().replace("’", "'")
        return any(map(small.__contains__, telling))

    return tuple(line for line in sentences(text) if may_tell(line) and signs.within(tokens_of(line)))


@cache
def _signs(*names: str) -> WordList:
    """The words of some lists, of all languages."""
    return WordList.of(_signs_by_first(*names))


@lists.kept
def _signs_by_first(*names: str) -> dict[str, list[tuple[str, ...]]]:
    every = [getattr(grammar(code), name) for code in (*codes(), UNREAD) for name in names]
    # Also as they are read when their words stand apart: `d' aujourd'hui`.
    elided = (entry for words in every for entry in words.entries() if "'" in entry)
    return WordList(elided, every).by_first


_clauses_of = lru_cache(maxsize=1024)(clauses)  # of a line, which is compared with many


def end_test(earlier: str, day: date, question: Question) -> Callable[[_Line], bool]:
    """Tells whether a later line says that something of earlier words holds no longer, or another value of what is asked."""
    tokens = tokens_of(earlier)
    said = earlier.partition(": ")[2] or earlier
    names = {name for name in _NAMES.findall(f"is {said}") if _stems(question, words_of(name))}
    name = tokens_of(names.pop()) if len(names) == 1 else ()
    name = () if name == tokens_of(said) else name  # whoever moved house is still one's sister
    topics = _stems(question, question.weights) & _stems(question, words_of(said))

    def ends(line: _Line) -> bool:
        if line.ends(tokens) or (name and line.tells_change_of(name)):
            return True
        if not (line.has_figures and topics and line.changes):
            return False
        if topics.isdisjoint(_stems(question, words_of(line.sentence))):
            return False
        values = exact_values(earlier, day) if line.values else {}
        return any(values[form].keys().isdisjoint(line.values[form]) for form in values.keys() & line.values)

    return ends


def _comparable(
    units: Sequence[Unit],
    question: Question,
    topics: Sequence[frozenset[str]],
    least: int,
    before: Mapping[str, str],
) -> Iterator[_Line]:
    """The lines of the units about one of the topics, but for those of the assistant and of episodes that no other speaks of: they only repeat."""
    # What was said on one day restates nothing, unless somebody put it right by hand.
    days = {unit.when[:10] for unit in units}
    lines = {
        unit.id: list(_lines(unit, question, topics, least, before))
        for unit in units
        if not _repeats_others(unit)
        and (unit.is_statement or (days != {unit.when[:10]} and _may_restate(unit)))
    }
    every = chain.from_iterable(lines.values())
    restating = [line for line in every if line.may_restate and len(line.about) >= least]
    spoken_of = frozenset[frozenset[str]]().union(*(line.about for line in restating))
    only_figures = not any(line.tells_change or line.unit.is_statement for line in restating)
    for unit in units if restating else ():
        about = spoken_of if _repeats_others(unit) else topics
        known = lines.get(unit.id)
        yield from (
            _lines(unit, question, about, least, before, only_figures=only_figures)
            if known is None
            else known
        )


def _may_restate(unit: Unit) -> bool:
    """False for a unit with no line that may say otherwise than an earlier one."""
    text = _text(unit)
    return _has_figures(text) or _signs("not_the_other", *_ENDING).within(tokens_of(text))


def _changes(
    lines: Sequence[_Line], least: int, *, named: bool
) -> Iterator[tuple[_Line, _Line, _Restatement]]:
    """The lines of which a later one, or one of a note without a day, says otherwise."""
    for later in lines:
        if _repeats_others(later.unit) or not later.may_restate or len(later.about) < least:
            continue
        for line in lines:
            if (later.day and line.day > later.day) or line.unit.id == later.unit.id:
                continue
            if (line.unit.field and later.unit.field) or not _may_differ(line, later):
                continue  # facts are compared as such
            about = line.about & later.about
            change = _change(line, later, [*about] if named else []) if len(about) >= least else None
            if change is not None and (line.day == later.day or line.kin == later.kin):
                yield line, later, change


def _may_differ(line: _Line, later: _Line) -> bool:
    """False for two lines that give no form of value twice, and of which the later tells of no change of what the other says; of one day only by hand something is put right."""
    if line.day == later.day:
        return later.unit.is_statement
    if later.has_figures and line.has_figures:
        return True
    return later.moves or any(_holds(line.tokens, words) for words in later.gone)


def _keep(later: dict[str, Later], unit: Unit, news: Later, old: str) -> None:
    news = news._replace(old=old) if unit.kind == "episode" else news
    if unit.id not in later or later[unit.id] < news:
        later[unit.id] = news


def _topics(question: Question) -> tuple[bool, list[frozenset[str]]]:
    """The stems of each thing that a question names, and true; or, where it names nothing, those of each of its words."""
    names = {
        *question.entities,
        *question.people,
        *map(key_of, _NAMES.findall(question.query.text)),
    }
    topics = [stems for name in sorted(names) if (stems := _stems(question, words_of(name)))]
    if topics:
        return True, topics
    return False, [stems for word in question.weights if (stems := _stems(question, [word]))]


def _stems(question: Question, words: Iterable[str]) -> frozenset[str]:
    return frozenset(question.language.telling(words))


def _repeats_others(unit: Unit) -> bool:
    """True for the words of the assistant and for episodes: they only repeat what somebody said."""
    return unit.role == "assistant" or unit.kind == "episode"


def _speaker(unit: Unit) -> str:
    return unit.entity if unit.role == "user" or unit.is_statement else ""


def _text(unit: Unit) -> str:
    if unit.kind != "fact":
        return unit.text
    return unit.value if unit.is_statement else f"{unit.entity} {unit.field}: {unit.value}"


def _grammar(unit: Unit, question: Question) -> Grammar:
    return grammar_of(_text(unit), spoken_in(question.query.text, "en"), unread="en")


def _lines(
    unit: Unit,
    question: Question,
    topics: Collection[frozenset[str]],
    least: int,
    before: Mapping[str, str],
    *,
    only_figures: bool = False,
) -> Iterator[_Line]:
    """The sentences of a unit that are about one of the topics; on demand those with figures alone."""
    text = without_block_ids(_text(unit))
    own = _speaker(unit)
    above = f"{unit.title} {unit.entity}" if unit.kind == "note" else before.get(unit.id, "")
    around = f"{above} {own}".lower()
    if not _may_name(f"{text} {around}".lower(), topics, least):
        return
    named = _stems(question, words_of(above)) if above else frozenset()
    mine = _stems(question, words_of(own)) if own else frozenset()
    is_asked = not mine.isdisjoint(chain.from_iterable(topics))
    for sentence in (part for whole in sentences(text) for part in _JOINED.split(whole)):
        if only_figures and not _has_figures(sentence):
            continue
        if not _may_name(f"{sentence} {around}".lower(), topics, least):
            continue
        stems = _stems(question, words_of(sentence))
        known = stems | named
        about = frozenset(topic for topic in topics if topic <= known)
        may_be_of_speaker = is_asked and _signs("first_person", "possessives_own").has_any(
            tokens_of(sentence)
        )
        of_speaker = frozenset(t for t in topics if t <= known | mine) if may_be_of_speaker else about
        if len(of_speaker) >= least:
            yield _Line(unit, sentence, about, stems, question, of_speaker=of_speaker)


def _may_name(text: str, topics: Iterable[frozenset[str]], least: int) -> bool:
    """False for a text in small letters that cannot name so many of the topics: a stem is, but for its end, how a word begins."""
    return sum(all(map(text.__contains__, _beginnings(topic))) for topic in topics) >= least


@lru_cache(maxsize=1024)
def _beginnings(topic: frozenset[str]) -> tuple[str, ...]:
    return tuple(stem[: max(3, len(stem) - 1)] for stem in topic)


def _day(unit: Unit, today: date) -> date:
    return date.fromisoformat(unit.when[:10]) if unit.when else today


@lru_cache(maxsize=2048)  # a turn, its statement and its episode say the same
def exact_values(text: str, day: date) -> dict[str, dict[str, str]]:
    """The exact values of a text by their form: what they amount to, and how they were written."""
    values: dict[str, dict[str, str]] = {}
    if not _has_figures(text):
        return values
    spans, text = find_ranges(text, day) if _DATED.search(text) else ([], text)
    days = [
        span
        for span in spans
        if (span.start or span.end) == (span.end or span.start) and any(map(str.isdigit, span.text))
    ]
    if days:
        values["day"] = {(day.start or day.end)[5:]: day.text for day in days}
    for form, pattern in _FORMS:
        hits = list(pattern.finditer(text))
        if hits:
            values[form] = {_amounts_to(form, hit[0]): hit[0] for hit in hits}
            text = with_blanks(text, (hit.span() for hit in hits))
    return values


def _has_figures(text: str) -> bool:
    """False for a text that has no exact value."""
    return "@" in text or any(map(str.isdigit, text))


def _amounts_to(form: str, text: str) -> str:
    return text.lower() if form in ("address", "email") else re.sub(r"\D", "", text).lstrip("0")


def _nouns(tokens: tuple[str, ...], words: Grammar) -> Iterator[str]:
    """The fields that a sentence names, or tells by their verbs."""
    for phrase, field in words.verb_fields:
        if phrase[0] in tokens and tokens[tokens.index(phrase[0]) :][: len(phrase)] == phrase:
            yield known.field if (known := noun_of(field)) else field
    at = 0
    while at < len(tokens):
        size = words.things.at(tokens, at) or words.roles.at(tokens, at)
        if size:
            noun = " ".join(tokens[at : at + size])
            yield known.field if (known := noun_of(noun)) else noun
        at += size or 1


def _is_empty(token: str, words: Grammar) -> bool:
    return token in words.small or token in words.light or token in words.determiners


def _first_words(tokens: Sequence[str], words: Grammar) -> tuple[str, ...]:
    """The first words of what some tokens name."""
    named = dropwhile(lambda token: _is_empty(token, words), tokens[:_NEAR])
    return tuple(takewhile(lambda token: not _is_empty(token, words), named))[:_DENIED]


def _last_words(tokens: Sequence[str], words: Grammar) -> tuple[str, ...]:
    """The first ones of the words that name what some tokens end in."""
    ending = dropwhile(lambda token: _is_empty(token, words), tokens[: -_NEAR - 1 : -1])
    named = [*takewhile(lambda token: not _is_empty(token, words), ending)]
    return tuple(named[::-1][:_DENIED])


def _denied(tokens: Sequence[str], signs: Iterable[WordList], words: Grammar) -> Iterator[tuple[str, ...]]:
    """The first words of each thing that a clause denies: `not 48`, `instead of the barn`, `from Kiel to Leeds`."""
    sizes, gone = dict[int, int](), {place for place, _ in words.gone.places(tokens)}
    for place, size in chain.from_iterable(sign.places(tokens) for sign in signs):
        sizes[place] = max(size, sizes.get(place, 0))
    for at in sorted(sizes.keys() | gone):
        if at in sizes and not words.no_longer.at(tokens, at):
            yield _first_words(tokens[at + sizes[at] : at + sizes[at] + _NEAR], words)
        if at in gone:
            yield _last_words(tokens[:at], words)


def _partings(tokens: Sequence[str], words: Grammar) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The first words of each two that belong together no longer: `Ida isn't with Fugro any more`, `Ida left Fugro`."""
    endings = dict(words.ending_verbs.places(tokens))
    no_longer = {place for place, _ in words.no_longer.places(tokens)}
    for at in sorted(endings.keys() | no_longer):
        before = tokens[max(0, at - _NEAR) : at]
        if at in no_longer:
            denial = next((n for n in range(len(before)) if words.negations.at(before, n)), len(before))
            if denial < len(before):
                yield _last_words(before[:denial], words), _last_words(before[denial:], words)
        if size := endings.get(at, 0):
            yield _last_words(before, words), _first_words(tokens[at + size : at + size + _NEAR], words)


def _holds(tokens: Sequence[str], words: Sequence[str]) -> bool:
    """True where some tokens have the first words of a value, but for a slip of the keyboard."""
    size = min(2, len(words))
    return size > 0 and any(
        token[:1] == words[0][:1] and all(map(_is_same_word, tokens[at : at + size], words))
        for at, token in enumerate(tokens[: max(0, len(tokens) - size + 1)])
    )


def _is_same_word(word: str, other: str) -> bool:
    if word == other or min(len(word), len(other)) < _LONG or word[:1] != other[:1]:
        return word == other
    return word.isalpha() and other.isalpha() and letters_apart(word, other, 1) <= 1


def _change(line: _Line, later: _Line, names: Sequence[frozenset[str]]) -> _Restatement | None:
    """How a later line says otherwise of the same field of what both name; None where it does not."""
    if line.day == later.day:
        return _rewritten(line, later)
    has_figures = line.has_figures and later.has_figures
    # Where nothing is named, more than one word must be the same: see `_is_of_one`.
    for form, values in (
        line.values.items() if has_figures and (names or len(line.stems & later.stems) > 1) else ()
    ):
        others = later.values.get(form, {})
        new = [written for value, written in others.items() if value not in values]
        if new and values.keys().isdisjoint(others) and _is_of_one(line, later, form, names):
            return _Restatement(later.changes, form, new[0])
    named = tuple(frozenset[str]().union(*names))
    parted = (
        before if named and behind and behind[0].startswith(named) else behind
        for before, behind in later.partings
        if not (named and before) or before[-1].startswith(named) or (behind and behind[0].startswith(named))
    )
    denied = (
        words for words in (*later.denied, *parted) if words and not (named and words[0].startswith(named))
    )
    words = next((words for words in denied if _holds(line.tokens, words)), ()) or _left(line, later)
    return _Restatement(True, words=words) if words else None


def _left(line: _Line, later: _Line) -> tuple[str, ...]:
    """The first words of where something was by a line, and is no more by a later one: `the drill is in the attic`, `moved the drill to the shed`."""
    name = frozenset[str]().union(*line.about & later.about)
    after = later.place_of(name) if later.moves else ()
    if not after or line.is_event or line.names_relative:
        return ()
    before = line.place_of(name)
    return before if before != after else ()


# Whether later words say anew what earlier ones said, with another value in one place: `standup is at 9:30`, `standup is at 10
# now`. Pure.

_RUN = late.pattern(r"[A-Za-z]++(?:[.+#/-][A-Za-z0-9]++)*|\d[\d.:,]*|\w")
_CLOCK = late.pattern(r"\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?(?:am|pm|uhr|h)\b", re.IGNORECASE)
clock_in = lru_cache(maxsize=8192)(lambda text: _CLOCK.search(text) is not None)  # of all that stands
_ELIDED = late.pattern(r"^(?:[cdjlmnst]|qu)['’](?=\w{3})")  # `n'habite`
_SHORT = 2  # words with a subject, of a span that differs
_TIED, SHARED = 0.5, 2  # of the older one's words that carry a subject: this share, and so many
_ABOUT = 5  # of so many words of a sentence, one must be of what it changes
_FIELD, _OWN = (
    "= ",
    "=own ",
)  # before a field in the subject of a text; of the speaker, where the form of a verb says so
_OF = frozenset("的の")  # between whose it is, or which, and what is told of
_UNSPACED = 5  # characters before it that must be the same, in a script without spaces


def renews(older: str, later: str, *, change: bool) -> bool:
    """True where both have the same words but in one place.

    Args:
        change: the later one has a sign of change. Without it, both must say when on the clock something is, or be in a language that is not read.
    """
    unread = spoken_in(later, "en") not in codes()
    unspaced = not later.isascii() and max(later) > "\u2fff"
    if not (change or unread or unspaced or clock_in(older)):
        return False  # asked of every statement that stands
    if are_unlike(older, later):
        return False  # `the wedding is on 14 June`, `the wedding is down to 80 guests now`
    before, after = (
        (_runs if unspaced else _without_signs)(older),
        (_runs if unspaced else _without_signs)(later),
    )
    if change and before and _subjects(before) == _subjects(after) != frozenset():
        return True  # `i'm a vegetarian`, `i'm no longer a vegetarian`
    first, span_before, span_after = spans_apart(before, after)
    last = len(before) - first - len(span_before)
    if not (span_before and span_after):
        return False
    if unspaced:  # `会议在三号会议室`, `会议在八号会议室`; not `うちの兄は…`, `うちの妹は…`
        is_enough = first >= _UNSPACED or min(first, last) >= _UNSPACED - 2
        return is_enough and _OF.isdisjoint(before[first - 1 : first] + before[len(before) - last :][:1])
    ahead, shared = _subjects(before[:first]), _subjects(before[:first] + before[len(before) - last :])
    if clock_in(older) and all(any(map(str.isdigit, " ".join(span))) for span in (span_before, span_after)):
        is_time = not kinds_of_values(later).isdisjoint(("hour", "day"))
        is_time = is_time or not _subjects([word for word in span_after if not word.isdecimal()])
        is_same = change or (
            not last and before[:first][-1:] == after[:first][-1:] and len(span_before) == len(span_after)
        )
        return bool(ahead) and is_time and is_same  # `the gate code is 4711`, of `the gate opens at 9:00`
    if max(_size(span_before), _size(span_after)) > _SHORT:
        return False
    if not last and before[first - 1 : first] and before[first - 1] in _grammar_of(older).modal_verbs:
        return False  # `Piet can't eat walnuts`, `Piet can't come after all`
    if unread:
        return len(ahead) >= (1 if change else _SHORT)
    named = last and any(
        word.isalpha() and f" {word}" in f" {text.lower()}" and word.title() in text
        for text in (older, later)
        for word in (*span_before, *span_after)
    )
    return change and bool(shared) and 2 * (first + last) >= len(before) and not named


def are_unlike(older: str, later: str) -> bool:
    """True where both tell values, of no form in common."""
    kinds, newer_kinds = (
        frozenset("measure" if kind == "count" else kind for kind in kinds_of_values(text))
        for text in (older, later)
    )
    return bool(kinds and newer_kinds) and kinds.isdisjoint(newer_kinds)


def gives_another(older: str, later: str) -> bool:
    """True where both say the same of one who has one such value at a time, and another value: `Maya only drinks oat milk`, `… soy milk`."""
    words, kinds, tokens = _grammar_of(later, older), kinds_of_values(older) - {"count"}, tokens_of(later)
    is_state = words.be_verbs.has_any(tokens) and subject_of(older, later) == subject_of(later)
    # `our standup is at 9:45`, `… at 10`
    at_a_time = is_state and kinds and kinds == kinds_of_values(later) - {"count"}
    place = next((n for n in range(1, len(tokens)) if words.place_prepositions.at(tokens, n)), 0)
    same = place and tokens_of(older)[: place + 1] == tokens[: place + 1]
    meets = same and tokens[place - 1] not in words.be_verbs  # `meets at Lena's`, not `is at the dentist`
    changes = at_a_time or meets or words.exclusives.within(tokens)
    return bool(changes) and renews(older, later, change=True)


def spans_apart(words: Sequence[str], others: Sequence[str]) -> tuple[int, Sequence[str], Sequence[str]]:
    """How many words at the beginning are the same, and what each has between these and the same words at the end."""
    first, last = shared_ends(words, others)
    return first, words[first : len(words) - last], others[first : len(others) - last]


def _runs(text: str) -> list[str]:
    return [run.lower() for run in _RUN.findall(text)]


@lru_cache(maxsize=4096)
def _without_signs(text: str) -> list[str]:
    """The words of a text without the signs of a change."""
    tokens, words = tokens_of(text), list[str]()
    signs, place = _grammar_of(text), 0
    while place < len(tokens):
        size = signs.changes.at(tokens, place) or signs.renewals.at(tokens, place)
        words += tokens[place : place + 1] if not size else []
        place += size or 1
    return words


def _size(words: Sequence[str]) -> int:
    """How many words with a subject a span has; the figures of one value, such as `06 12 34`, are one."""
    figures = sum(word.isdecimal() for word in words)
    return len(_subjects([word for word in words if not word.isdecimal()])) + (figures > 0)


def _subjects(words: Sequence[str]) -> frozenset[str]:
    return stems(" ".join(words))


_TIMES = frozenset({"day", "hour"})


def told_anew(older: str, later: str) -> bool:
    """True where later words with a sign of change say at least half of the older ones anew, with or without what may have changed: figures, days, sums."""
    if are_unlike(older, later):
        return False  # `Cardew Plumbing charges 55 €`, `Cardew Plumbing now opens at 8:00`
    subject = subject_of(older, later)
    older_stems = _telling_stems(older, _grammar_of(later, older).code, _language_told_by(later))

    def is_enough(same: frozenset[str], needed: frozenset[str], sentence: str) -> bool:
        """True for at least two stems that are more than half of the older ones; for half of them, unless only `now` is a sign and no verb and no field is the same."""
        share = len(same) / max(1, len(needed))
        if len(same) < SHARED or share != _TIED:
            return len(same) >= SHARED and share > _TIED
        verbs = _verbs_beside_now(sentence, older)
        return verbs is None or not same.isdisjoint(verbs) or any(stem.startswith(_FIELD) for stem in same)

    telling = _sentences_of(later)
    for sentence, its_subject, its_stems in telling:
        if len(telling) > 1 and not _has_sign(sentence, later):
            continue  # another one of them changes something
        shared, same = subject & its_subject, older_stems & its_stems
        if any(stem.startswith(_OWN) for stem in shared):
            return True
        if max(len(shared), len(same)) < SHARED:
            continue
        # A long sentence has some words of nearly everything.
        is_about = max(len(shared), len(same)) * _ABOUT >= len(its_stems)
        if is_about and (is_enough(same, older_stems, sentence) or is_enough(shared, subject, sentence)):
            return True
    return False


def is_moved(older: str, later: str) -> bool:
    """True where later words move to another time that of which older ones tell one: `the scan is on 5 May`, `they moved the scan to 9 June`."""
    moved = _moved_to_value(later)
    if not moved:
        return False  # as of nearly all that is said
    if moved != frozenset(stem for stem in subject_of(older, later) if not stem.startswith((_FIELD, _OWN))):
        return False
    return not (kinds_of_values(older) & kinds_of_values(later)).isdisjoint(_TIMES)


@lru_cache(maxsize=4096)
def _moved_to_value(text: str) -> frozenset[str]:
    """The stems of what a text's first clause says was moved to a day or an hour: `swimming moved to Thursdays`, `they moved the scan to 9 June`; none where it says so of nothing."""
    words = _grammar_of(text)
    clause = next(iter(clauses(text, words)), None)
    if clause is None or clause.kind == "be" or not (values := valued(clause.text)):
        return frozenset()
    behind = tokens_of(clause.rest)
    signs = words.changes.covered(behind) | words.change_verbs.covered(behind)
    place = next((n for n, token in enumerate(behind) if token in words.prepositions), len(behind))
    aims = (token for token in behind[place + 1 :] if token not in words.determiners)
    is_aim = words.goal_prepositions.has_any(behind[place : place + 1]) and next(aims, "") in values
    moved = [token for n, token in enumerate(behind[:place]) if n not in signs and token not in words.adverbs]
    thing = moved or (() if words.personal.has_any(clause.subject) else clause.subject)
    return stems(" ".join(thing), text) if is_aim else frozenset()


@lru_cache(maxsize=1024)
def _has_sign(text: str, like: str) -> bool:
    """True where a text has a sign of a change."""
    return _grammar_of(text, like).changing.within(tokens_of(text))


@lru_cache(maxsize=1024)
def _sentences_of(text: str) -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
    """The sentences of a text, each with its subject and its stems."""
    return tuple(
        (sentence, subject_of(sentence, text), stems(sentence, text)) for sentence in sentences(text)
    )


@lru_cache(maxsize=8192)
def _telling_stems(text: str, code: str, language: str) -> frozenset[str]:
    """The stems of a text without its modal verbs, by the grammar of `code`, and the numbers and months of its values."""
    words = grammar(code)
    telling = (
        token
        for token in tokens_of(text)
        if token not in words.modal_verbs and token not in words.months and not token.isdecimal()
    )
    return stems_in(" ".join(telling), language)


def is_told_in_part(older: str, later: str) -> bool:
    """True where older words tell several things, each with words of its own, and later ones nothing of some of them: `the pens are 2.50, the brushes 8.00`, `the pens go up to 3.10`."""
    topics = [_topic_of(part, later) for part in _parts_of(older, later)]
    counted, spoken_of = Counter(chain.from_iterable(topics)), _topic_of(later, later)
    own = [frozenset(stem for stem in topic if counted[stem] == 1) for topic in topics]
    return len(own) > 1 and any(topic and topic.isdisjoint(spoken_of) for topic in own)


def _topic_of(text: str, like: str) -> frozenset[str]:
    """The stems of what a text speaks of and of what its figures count, and the fields that it names."""
    named = " ".join(token for token in tokens_of(text) if token not in valued(text))
    return subject_of(text, like) | stems(named, like)


@lru_cache(maxsize=4096)
def _parts_of(text: str, like: str) -> tuple[str, ...]:
    """The parts of a text that may tell a thing each: behind a word such as `and`, and behind a mark where they have a value, a verb, several names, or a preposition that stands in the others as well."""
    words, parts = _grammar_of(text, like), list[str]()
    for piece in _MARK.split(text):
        tokens, spans, start = tokens_of(piece), spans_of(piece), 0
        ways = {token for token in tokens if token in words.prepositions}
        tells = bool(valued(piece)) or any(clause.kind for clause in clauses(piece, words))
        # `two cats, Tofu and Miso`; not `rain or shine`
        lists_several = words.coordinators.has_any(tokens[1:]) and not words.alternatives.has_any(tokens)
        if parts and not (tells or lists_several) and ways.isdisjoint(tokens_of(" ".join(parts))):
            continue
        for n, token in enumerate(tokens):
            if n and token in words.coordinators:
                parts.append(piece[start : spans[n][0]])
                start = spans[n][1]
        parts.append(piece[start:])
    return tuple(parts)


def gives_up(older: str, later: str) -> bool:
    """True where later words end what the same person has or does by older ones: `Ole drives a Volvo`, `Ole sold the Volvo`."""
    ends = [(whose, ended) for whose, ended in endings(later) if ended <= stems(older, later)]
    if not ends:  # asked of every statement that stands
        return False
    words = _grammar_of(older, later)

    def is_of(clause: Clause, whose: frozenset[str]) -> bool:
        if whose:
            return whose <= stems(" ".join(clause.subject), later)
        of_other = words.roles.within(clause.subject) or words.contracted_subjects.within(clause.tokens[1:2])
        own = any(token in words.first_person or token in words.possessives_own for token in clause.tokens)
        return own and not of_other

    return any(
        is_of(clause, whose) and _closes_with(clause, ended, words, later)
        for clause in clauses(older, words)
        if clause.kind != "event"
        for whose, ended in ends
    )


@lru_cache(maxsize=4096)
def endings(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """What each clause of a text says that somebody has no more, behind whose it was."""
    words = _grammar_of(text)
    ends = (_given_up(clause, words, text) for clause in clauses(text, words))
    return tuple((whose, ended) for whose, ended in ends if ended)


def _given_up(clause: Clause, words: Grammar, like: str) -> tuple[frozenset[str], frozenset[str]]:
    """Whose it was, none for the speaker's, and what a clause says somebody has no more: `Ole sold the Volvo`, `die Brille brauch ich nicht mehr`."""
    tokens = clause.tokens
    ends = [phrase for phrase, field in words.verb_ends if field == "*"]  # not `I left the house`
    idle = set[int]()
    for place in range(len(tokens)):
        size = words.ended.at(tokens, place) or max(
            (len(verb) for verb in ends if tokens[place : place + len(verb)] == verb), default=0
        )
        idle |= set(range(place, place + size))
    if not idle:
        return frozenset(), frozenset()
    pronoun = next((n for n, token in enumerate(tokens) if token in words.nominatives), -1)
    idle |= {max(1, pronoun - 1)} if pronoun >= 0 else set()  # its verb, known or not
    is_own = not clause.subject or (pronoun >= 0 and tokens[pronoun] in words.first_person)
    whose = frozenset[str]() if is_own else stems(" ".join(clause.subject), like)
    named = (
        token
        for n, token in enumerate(tokens)
        if n not in idle and token not in clause.verb and token not in words.small
    )
    return whose, stems(" ".join(named), like) - whose


def _closes_with(clause: Clause, ended: frozenset[str], words: Grammar, like: str) -> bool:
    """True where the object of a clause is what ended: `an old Volvo`, not `a Volvo dealer`."""
    last = max((n for n, token in enumerate(clause.tokens) if stems(token, like) & ended), default=-1)
    behind = clause.tokens[last + 1 : last + 2]
    closes = (
        not behind
        or behind[0] in words.small
        or behind[0] in words.adverbs
        or behind[0] in valued(clause.text)
    )
    return last >= 0 and closes and ended <= stems(clause.text, like)


def speaks_of_another(older: str, later: str, *, of_one: bool = False) -> bool:
    """True where the first clauses speak of two things, neither of which the other text names in full: `the kitchen budget is 900`, `the bathroom budget is 800 now`.

    Args:
        of_one: both stand below the same name, whatever each calls it.
    """
    words = _grammar_of(later, older)
    subject = next((clause.subject for clause in clauses(later, words)), ())
    if words.other_ones.has_any(subject) and not words.other_ones.within(tokens_of(older)):
        return True  # `my other brother`
    known = next((clause.subject for clause in clauses(older, words)), ())
    if any(token.endswith("'s") and token.removesuffix("'s") in known for token in subject[:-1]):
        return True  # `Femi's sister`, of Femi
    if is_moved(older, later):
        return False
    first, second = _spoken_of(older, ""), _spoken_of(later, older)

    def differ(thing: frozenset[str], other: frozenset[str]) -> bool:
        return bool(thing and other) and not (thing <= stems(later, older) or other <= stems(older))

    of_one = (
        of_one or words.people_pronouns.within(tokens_of(later)) or bool(_roles_in(older) & _roles_in(later))
    )
    if first.is_thing and second.is_thing and not of_one and differ(first.subject, second.subject):
        return True
    # `we take the train to the lake` tells no more of the lake
    if not second.aim <= set(tokens_of(older)) and differ(first.moved, second.moved):
        return True
    if words.replacing.within(tokens_of(later)):
        return False
    if not (first.words and second.words):
        return not of_one and _differ_apart(_words_told(older, words), _words_told(later, words))
    is_news = bool(first.words - set(tokens_of(later)) and second.words - set(tokens_of(older)))
    if is_news and not of_one and differ(first.subject, second.subject):
        return True  # `Ines drinks oat milk`, `Malik drinks soy milk now`; not `Tina leads it`, `Abdul leads it now`
    is_same = (first.subject and first.subject <= stems(later, older)) or (
        second.subject and second.subject <= stems(older)
    )
    values, others = valued(older), valued(later)
    at_other = bool(values and others) and values.isdisjoint(others)
    # `I eat lunch at 12 in the canteen`, `… at 1 at my desk now`
    shares = not first.content.isdisjoint(second.content)
    return at_other and not (is_same or shares) and differ(first.content, second.content)


@lru_cache(maxsize=8192)
def _roles_in(text: str) -> frozenset[str]:
    """Which relatives a text names, whatever it calls them: `Mum`, `my mother`."""
    nouns = (noun_of(token) for token in tokens_of(text))
    return frozenset(noun.field for noun in nouns if noun and noun.field in KIN)


def _words_told(text: str, words: Grammar) -> list[str]:
    """The words of a text that carry what it tells, without signs of a change."""
    tokens = tokens_of(text)
    signs = words.changes.covered(tokens)
    idle = (words.adverbs, words.small, words.prepositions, words.noun_openers)
    return [
        token for n, token in enumerate(tokens) if n not in signs and not any(token in each for each in idle)
    ]


def _differ_apart(words: Sequence[str], others: Sequence[str]) -> bool:
    """True for as many words that differ in two places with the same one, no figure, between: `the red team ships on Mondays`, `the blue team ships on Fridays`."""
    if len(words) != len(others):
        return False
    places = [n for n, (word, other) in enumerate(zip(words, others, strict=True)) if word != other]
    own, theirs = ({each[n] for n in places} for each in (words, others))
    between = {words[n] for n in range(places[0], places[-1])} - own if places else set[str]()
    return own.isdisjoint(theirs) and not all(map(str.isdecimal, between))


class _SpokenOf(NamedTuple):
    """Of what the first clause of a text speaks, as stems and words."""

    subject: frozenset[str] = frozenset()  # but for a pronoun
    is_thing: bool = False  # it has an article or a possessive, or tells whose it is
    moved: frozenset[str] = frozenset()  # what was brought to something: `they moved the scan to 9 June`
    aim: frozenset[str] = frozenset()  # the words for what that is
    content: frozenset[str] = frozenset()  # what is told besides values
    words: frozenset[str] = frozenset()  # all words behind the verb that carry what is told


@lru_cache(maxsize=4096)
def _spoken_of(text: str, like: str) -> _SpokenOf:
    words = _grammar_of(text, like)
    clause = next(iter(clauses(text, words)), None)
    if clause is None:
        return _SpokenOf()
    subject, behind = clause.subject, tokens_of(clause.rest)
    is_led = bool(subject) and (subject[0] in words.noun_openers or subject[0].endswith("'s"))
    # `new date for the scan is 5 May` tells what is on that day
    is_dated = len(subject) > 1 and bool(valued(clause.rest))
    is_pronoun = words.personal.has_any(subject) or words.people_pronouns.has_any(subject)
    thing = () if is_pronoun and not is_led else subject[bool(subject) and subject[0] in words.noun_openers :]
    end = next((n for n, token in enumerate(behind) if n and token in words.prepositions), 0)
    leads = clause.kind != "state" or words.goal_prepositions.has_any(behind[end : end + 1])
    is_moved = end and clause.kind != "be" and leads and behind[0] not in words.prepositions
    signs = words.changes.covered(behind)
    telling = [n for n, token in enumerate(behind) if n not in signs and token not in words.adverbs]
    counted = valued(text, units=True)
    moved = (behind[n] for n in telling if n < end and behind[n] not in counted) if is_moved else ()
    carrying = [
        behind[n] for n in telling if behind[n] not in words.small and behind[n] not in words.prepositions
    ]
    return _SpokenOf(
        stems(" ".join(thing), like or text),
        is_led or (is_dated and not is_pronoun),
        stems(" ".join(moved), like or text),
        frozenset(behind[n] for n in telling if n >= end),
        stems(" ".join(token for token in carrying if token not in counted), like or text),
        frozenset(carrying),
    )


@lru_cache(maxsize=4096)
def _verbs_beside_now(text: str, like: str) -> frozenset[str] | None:
    """The stems of a text's verbs where all its signs of change are adverbs: `the choir sings Brahms now`; None beside a sign that says more."""
    words, tokens = _grammar_of(text, like), tokens_of(text)
    if not all(tokens[place] in words.adverbs for place in words.changes.covered(tokens)):
        return None
    return stems(" ".join(verb for clause in clauses(text, words) for verb in clause.verb), like)


@lru_cache(maxsize=4096)
def kinds_of_values(text: str) -> frozenset[str]:
    """What the values of a text are by their form: an hour, a day, a sum, a count of things; a bare figure may be any of them."""
    words, tokens = _grammar_of(text), tokens_of(text)
    kinds = {
        "hour": _CLOCK.search(text),
        "day": any(token in words.weekdays or token in words.months for token in tokens),
        "sum": not set(text).isdisjoint("$€£¥"),
        "measure": any(number.isdigit() and unit in words.units for number, unit in pairwise(tokens)),
        # `40 easels`
        "count": any(
            number.isdigit() and thing.isalpha() and thing not in words.uncounted
            for number, thing in pairwise(tokens)
        ),
        "label": any(
            before in words.prepositions and noun in words.things and figure.isdigit()
            for before, noun, figure in zip(tokens, tokens[1:], tokens[2:], strict=False)
        ),  # `on port 8080`
    }
    return frozenset(kind for kind, is_told in kinds.items() if is_told)


def subject_of(text: str, like: str = "") -> frozenset[str]:
    """The stems of what a text is about, without its figures, days, ages, sums and units, and with the fields that its verbs and nouns name in place of these: `moved to` is where one lives.

    Args:
        like: the words in whose language it is read.
    """
    return subject_in(text, _grammar_of(text, like).code, _language_told_by(like or text))


@lru_cache(maxsize=8192)
def subject_in(text: str, code: str, language: str) -> frozenset[str]:
    """The subject of a text, by the grammar of `code`, with the stems of a language; see `subject_of`."""
    fields, named = fields_in(text, code)
    return stems_in(" ".join(named), language) | fields


@lru_cache(maxsize=8192)
def fields_in(text: str, code: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The fields that the verbs and nouns of a text name, marked so that no word is one; and the words of its subject beside these."""
    words, values = grammar(code), valued(text, units=True)
    tokens, named, fields, place = tokens_of(text), list[str](), set[str](), 0
    while place < len(tokens):
        size, field = _field_at(tokens, place, words)
        if size:
            fields.add(field)
        elif years := words.of_age.at(tokens, place):
            size = years
        elif tokens[place] not in values and tokens[place] not in words.small:
            named.append(tokens[place])
        place += size or 1
    for (verb, *ways), field in words.verb_fields if words.final_verbs else ():
        if (
            len(ways) == 1 and verb in named and ways[0] in tokens[: tokens.index(verb)]
        ):  # `nach Bonn gezogen`
            named.remove(verb)
            fields.add(f"{_FIELD}{field}")
    return frozenset(fields), tuple(named)


def _grammar_of(text: str, like: str = "") -> Grammar:
    return grammar_of(text, _spoken_in(like, "en"))


_spoken_in = lru_cache(maxsize=8192)(spoken_in)  # of every statement that stands


def _field_at(tokens: Sequence[str], place: int, words: Grammar) -> tuple[int, str]:
    """How many tokens from a place on name a field, and that field, marked so that no word is one."""
    ends = words.verb_ends if words.ending_verbs.at(tokens, place) else ()
    for phrase, field in (*words.fields_by_first.get(tokens[place], ()), *ends):
        end = place + len(phrase)
        if field == "*" or tuple(tokens[place:end]) != phrase:
            continue
        if not (
            words.calendar_words.at(tokens, end) or words.weekdays.at(tokens, end)
        ):  # `moved to Thursday`
            return len(phrase), f"{_OWN if phrase[0] in words.first_person else _FIELD}{field}"
    noun = noun_of(tokens[place])
    return (1, f"{_FIELD}{noun.field}") if noun and tokens[place] not in words.small else (0, "")


@lru_cache(maxsize=4096)
def valued(text: str, *, units: bool = False) -> frozenset[str]:
    """The words of a text that tell a figure, or a day of the week or the year; with `units` also what they count."""
    words = _grammar_of(text)
    values = words.counted_values if units else words.values
    return frozenset(token for token in tokens_of(text) if any(map(str.isdigit, token)) or token in values)


def stems(text: str, like: str = "") -> frozenset[str]:
    """The stems of the words that carry the subject of a text, in English or in the language of another: a short one seldom tells its own."""
    return stems_in(text, _language_told_by(like))


@lru_cache(maxsize=8192)
def _language_told_by(text: str) -> str:
    return stemming.language_of([text], stemming.language("en")).code


@lru_cache(maxsize=16384)
def stems_in(text: str, code: str) -> frozenset[str]:
    """The stems of the words that carry the subject of a text, as those of a language."""
    words = words_of(text)
    if "'" in text or "’" in text:
        words = [_ELIDED.sub("", word) for word in words]
    return frozenset(stemming.language(code).telling(words))


def _rewritten(line: _Line, later: _Line) -> _Restatement | None:
    """What somebody put in the place of words of a statement by hand, against the turn that it quotes."""
    if (
        line.unit.role == "assistant"
        or line.unit.kind not in ("turn", "episode")
        or not later.unit.is_statement
    ):
        return None
    # The turn may say more before and behind.
    begins = (n for n, token in enumerate(line.tokens) if token == later.tokens[0])
    ends = (n for n in reversed(range(len(line.tokens))) if line.tokens[n] == later.tokens[-1])
    quoted = line.tokens[next(begins, 0) : next(ends, len(line.tokens)) + 1]
    first, old, new = spans_apart(quoted, later.tokens)
    last = len(quoted) - first - len(old)
    if not (first and last and old and set(new) - set(line.tokens)) or len(new) > first + last:
        return None
    form = next(
        (
            form
            for form in line.values
            if form in later.values and line.values[form].keys() != later.values[form].keys()
        ),
        "",
    )
    return _Restatement(True, form, next(iter(later.values.get(form, {}).values()), ""), tuple(old[:_DENIED]))


def _repeats(unit: Unit, old: str, change: _Restatement, today: date) -> bool:
    """True where a unit has the value that held before."""
    if not change.form:
        return _holds(tokens_of(unit.text), change.words)
    figure = _FIGURE.search(old)
    if not figure or figure[0] not in unit.text:
        return False
    was = exact_values(old, _day(unit, today)).get(change.form, {}).keys()
    lines = (text for text in sentences(unit.text) if figure[0] in text)
    return any(
        not was.isdisjoint(exact_values(text, _day(unit, today)).get(change.form, {})) for text in lines
    )


def _is_of_one(line: _Line, later: _Line, form: str, names: Sequence[frozenset[str]]) -> bool:
    """True where two lines tell the same field of the thing that both name."""
    shared = (line.stems & later.stems).difference(*names)
    if form in _ONE_EACH and names:
        return True
    is_told = len(shared) > (not names)
    if not is_told and not (names and later.changes and form not in ("amount", "number")):
        return False
    is_move = later.changes and form in ("day", "clock")  # `they pulled it forward to 9 May`
    if line.is_event or (later.is_event and not is_move):
        return False
    return is_told and not line.nouns.isdisjoint(later.nouns) if later.nouns and line.nouns else True
