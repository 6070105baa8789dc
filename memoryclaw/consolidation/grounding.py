"""What a model says of a segment, judged by the segment's own words. What they do not bear out is left out, or waits for a person.

A model never has the last word: roles, lines, dates, trust, paths and ids come from the log, and what rules read stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from memoryclaw.consolidation.actions import OPEN
from memoryclaw.consolidation.changes import SPEAKERS, Claim, Extraction, Quote, Segment
from memoryclaw.consolidation.episodes import harmless
from memoryclaw.consolidation.reconcile import statement_of
from memoryclaw.index import stemming
from memoryclaw.late import NamedTuple
from memoryclaw.model import FROM_NOW_ON, PROJECT, Turn
from memoryclaw.models.llm import ModelError, Schema
from memoryclaw.talk.assertions import ANY_FIELD
from memoryclaw.talk.corrections import corrected
from memoryclaw.talk.own_words import own_words
from memoryclaw.talk.statements import Statement, read
from memoryclaw.text import words as lists
from memoryclaw.text.dates import deadline, find_ranges, is_week_or_less
from memoryclaw.text.grammar import (
    Grammar,
    clauses,
    codes,
    grammar,
    grammar_of,
    language_of,
    spoken_in,
    tokens_of,
)
from memoryclaw.text.language import SPEAKER, fold, key_of, pairs, sentences, words_of
from memoryclaw.text.prompts import cut_short, one_line
from memoryclaw.vault import layout
from memoryclaw.vault.fact_values import (
    date_value,
    plain_key,
    plain_value,
    resolve_dates,
    same_field,
    same_value,
    timeless,
    without_owner,
)
from memoryclaw.vault.facts import MOST_ALSO
from memoryclaw.vault.properties import canonical_scope
from memoryclaw.writing.secret_gate import without_secrets

_TITLE, _SUMMARY, _TAG, _NAME, _FIELD, _VALUE = 80, 600, 30, 60, 40, 120  # characters, at most
_TAGS, _TAG_WORDS, _ENTITIES, _CLAIMS, _DROPPED = 7, 3, 20, 30, 30  # how many, at most
_LEAST_QUOTE = 8  # characters; a shorter one must be a whole sentence
_COMPOUND = 4  # letters of a word that may begin a longer one
_GROUNDED = 0.5  # the share of a summary's words that the segment must hold
_BACK = 4  # turns before a line, of either side, in which a person whom a claim is about must be named
_OFFERED = 2  # turns before a line, in which the assistant may have offered what it picks
_UNNAMED = "it is not named near it"
_DAYS_AWAY = 366  # of a day that is only numbered, such as "the 17th"
_ORDINAL = re.compile(r"(?<![\w.:/-])(\d{1,2})(?:st|nd|rd|th|\.)(?![\w:/-]|\.?\d)")
_PLAIN_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_IN_PASSING = frozenset({"reported", "mood"})  # who somebody is may be told beside what they say
_UNKEPT = frozenset({"asked", "supposed", "joke", "mood"})  # a statement with one of these is not kept
_HTML = re.compile(r"[<>`|]+")
_SECRET = re.compile(r"\[?REDACTED:", re.IGNORECASE)
_OWN_NAMES = frozenset(lists.lines("consolidation.own_names"))
_ASSISTANT = frozenset({"assistant", "assistent", "you", "the assistant", "agent", "bot"})
_UNSPACED = "\u0e00"  # scripts written without spaces come after it
KINDS = ("fact", "statement", "order", "lesson", "to-do", "nothing")
# What older answers call a claim: facts, of which those in `_DOUBTED` wait.
EARLIER_KINDS = ("state", "decision", "preference", "plan", "wish", "joke", "retold")
_DOUBTED = {"joke": "it was said in jest", "retold": "it is somebody else's word"}
_AS_SAID = frozenset({"statement", "lesson"})
TYPES = ("person", "thing", "speaker", "assistant")


class ModelClaim(NamedTuple):
    """A claim as a model makes it, of the asked form and no more."""

    line: int
    quote: str
    entity: str
    field: str
    value: str
    durable: bool = True
    confidence: str = "medium"
    kind: str = "fact"  # one of KINDS, or of those of older answers
    type: str = ""  # of the entity, one of TYPES; empty where the model does not say
    beside: tuple[tuple[int, str], ...] = ()  # further lines that it rests on, and their quotes
    date: str = ""  # ISO, of the day that its words name
    replaces: str = ""  # the id or the value of what it takes the place of
    ends: str = ""  # the same of what holds no longer
    scope: str = ""  # `project:<name>`
    search_words: tuple[str, ...] = ()


class ModelAnswer(NamedTuple):
    """A model's answer, of the asked form and not yet believed."""

    title: str
    summary: str
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    claims: tuple[ModelClaim, ...] = ()
    unread: int = 0  # claims that were not of the asked form


def prove(
    answer: ModelAnswer, segment: Segment, basis: Extraction, names: Mapping[str, str], by: str
) -> Extraction:
    """What rules read, with what a model adds and the segment's words bear out.

    Args:
        basis: what rules read; its claims, points and participants stay.
        names: key_of(name) -> name, of the entities that the vault knows.
    """
    ground = _Ground(segment, basis, names)
    proposed_claims = [claimed for claimed in answer.claims[:_CLAIMS] if claimed.kind != "nothing"]
    verdicts = [ground.judge(claimed, by) for claimed in proposed_claims]
    dropped = [each for each in verdicts if isinstance(each, str)]
    claims = _merge(basis.claims, [each for each in verdicts if isinstance(each, Claim)])
    todos = [each for each in verdicts if isinstance(each, Quote)]
    if todos:
        boxed = {point.line for point in basis.points if point.box}
        todos = [each for each in todos if each.line not in boxed]
    missing = answer.unread + len(answer.claims[_CLAIMS:])
    if missing:
        dropped.append(f"left out: {missing} of its claims, too many or not of the asked form")
    title, summary = (
        ground.text(answer.title, _TITLE),
        ground.resolve_dates(ground.text(answer.summary, _SUMMARY)),
    )
    for name, proposal, text in (("title", answer.title, title), ("summary", answer.summary, summary)):
        if proposal.strip() and not text:
            dropped.append(f"the {name} was left out: its words do not stand in the log")
    unsaid = [cut_short(one_line(tag), _TAG) for tag in answer.tags[:_TAGS] if not ground.names(tag)]
    if unsaid:
        dropped.append(f"tags were left out, for nobody said them: {', '.join(unsaid)}")
    return basis._replace(
        title=title or basis.title,
        summary=summary or basis.summary,
        tags=_tags(filter(ground.names, answer.tags), basis.tags),
        entities=_distinct((*basis.entities, *ground.entities(answer.entities)), _ENTITIES),
        points=(*basis.points, *todos),
        claims=claims,
        by=by,
        dropped=(*basis.dropped, *dropped[:_DROPPED]),
    )


class _Ground:
    """The words of a segment, which everything must stand on."""

    def __init__(self, segment: Segment, basis: Extraction, names: Mapping[str, str]) -> None:
        self._segment = segment.turns
        self._turns = {turn.line: turn for turn in segment.turns}
        self._names = names
        talk = read(segment.turns, names)
        self._statements: dict[int, list[Statement]] = {}
        for statement in talk.statements:
            self._statements.setdefault(statement.line, []).append(statement)
        self._people = talk.people
        self._several = len({turn.name for turn in segment.turns if turn.role == "user"}) > 1
        spoken_turns = [turn for turn in segment.turns if turn.role in SPEAKERS]
        texts = [
            *(turn.text for turn in spoken_turns),
            *(turn.name for turn in spoken_turns),
            *basis.participants,
        ]
        self._language = stemming.language_of([turn.text for turn in spoken_turns], stemming.language("en"))
        self._stems = frozenset(stem for text in texts for stem in self._stem(text))

    def _stem(self, text: str) -> list[str]:
        """The words of a text as they are compared; runs of a script without spaces as their pairs."""
        stems: list[str] = []
        for word in words_of(one_line(text)):
            stems += pairs(word) if max(word, default="") >= _UNSPACED else self._language.token(word).split()
        return stems

    def text(self, text: str, longest: int) -> str:
        """The text on one plain line, if at least half of its words stand in the segment; else nothing."""
        plain = cut_short(harmless(_HTML.sub(" ", text)), longest)
        telling = {
            stem for word in words_of(plain) if not self._language.is_stop(word) for stem in self._stem(word)
        }
        return plain if telling and len(telling & self._stems) >= _GROUNDED * len(telling) else ""

    def resolve_dates(self, text: str) -> str:
        """The text with dates behind words like "yesterday", where all lines were said on one day."""
        days = {turn.ts[:10] for turn in self._turns.values()}
        return resolve_dates(text, days.pop(), language_of(tokens_of(text))) if len(days) == 1 else text

    def entities(self, names: Iterable[str]) -> Iterator[str]:
        """The names that stand in the segment, as the vault writes them."""
        for name in names:
            is_pronoun = _names_nobody(name) or key_of(name) in SPEAKER
            if (
                self._stems.issuperset(self._stem(name))
                and not is_pronoun
                and (as_written := self._full_name(name))
            ):
                yield as_written

    def names(self, tag: str) -> bool:
        """True for a tag whose words all stand in the segment, in any form."""
        stems = self._stem(tag.replace("-", " ").replace("_", " "))
        return bool(stems) and self._stems.issuperset(stems)

    def _full_name(self, name: str) -> str:
        plain = plain_key(one_line(name))
        return self._names.get(key_of(plain), plain) if len(plain) <= _NAME else ""

    def judge(self, claimed: ModelClaim, by: str) -> Claim | Quote | str:
        """The claim as the log bears it out, a to-do as its episode tells it, or one sentence why it is left out.

        The first rule that fails decides: lines and quotes, own words, the clause, doubts, and whom it is about.
        """
        claimed = self._at_its_line(claimed)
        turn = self._turns.get(claimed.line)
        statement = self._statement_of(claimed, turn) if turn else None
        reason = self._why_unproven(claimed, turn) or (
            self._why_unsaid(claimed, turn, statement) if turn else ""
        )
        if turn is None or reason:
            return f"a claim about {cut_short(plain_key(one_line(claimed.entity)), _NAME) or 'nothing'} was left out: {reason}"
        return self._todo(claimed, turn, statement) or self._claim(claimed, by, turn, statement)

    def _at_its_line(self, claimed: ModelClaim) -> ModelClaim:
        """A claim of several lines as that of the first in which a person says its value."""
        places = ((claimed.line, claimed.quote), *claimed.beside)
        spoken = [
            (line, quote) for line, quote in places if (turn := self._turns.get(line)) and turn.role == "user"
        ]
        first = next(
            ((line, quote) for line, quote in spoken if self._stands(claimed.value, self._turns[line].text)),
            None,
        )
        first = first or next(iter(spoken), places[0])
        return claimed._replace(
            line=first[0], quote=first[1], beside=tuple(place for place in places if place != first)
        )

    def _todo(self, claimed: ModelClaim, turn: Turn, statement: Statement | None) -> Quote | None:
        if claimed.kind != "to-do" or statement is None:
            return None
        return Quote(turn.line, statement.who, statement.words, OPEN, due=self._day(claimed, turn))

    def _claim(self, claimed: ModelClaim, by: str, turn: Turn, statement: Statement | None) -> Claim | str:
        speaker = self._full_name(turn.name) or turn.role
        entity = self._entity(claimed.entity, turn)
        field, past = timeless(plain_key(one_line(claimed.field.replace("_", " ").replace(":", " "))).lower())
        field = without_owner(field, entity)
        doubt = _doubt(claimed, statement) or (_why_denied(claimed, statement, turn) if statement else "")
        if doubt and self._is_affirmed(claimed, turn):
            doubt = ""
        unsure = "" if claimed.kind == "order" else self._why_misnamed(claimed, entity, statement, turn)
        if unsure and self._several:  # it may be another person's
            doubt = doubt or unsure
        spoken = statement or Statement(
            0, turn.line, speaker, turn.ts[:10], one_line(turn.text)[:_VALUE], one_line(claimed.quote), ""
        )
        day = self._day(claimed, turn)
        value, since = _dated(plain_value(one_line(claimed.value)), day, turn.ts[:10])
        claim = statement_of(spoken)._replace(
            entity=entity, field=field, value=value, quote=one_line(claimed.quote), by=by, since=since, day=day,
            confidence="low" if doubt else "medium" if unsure else "high", durable=claimed.durable, how=claimed.kind, unnamed=unsure == _UNNAMED, person=entity == speaker or entity in self._people or claimed.type == "person",
            replaces=claimed.replaces.strip(), scope=self._scope(claimed, turn), search_words=self._search_words(claimed, turn),
        )  # fmt: skip
        if claimed.kind in _AS_SAID:
            if doubt and spoken.doubts & _UNKEPT:
                return f"a claim about {entity or 'nothing'} was left out: {doubt}"
            claim = claim._replace(
                entity=speaker if unsure or not entity else entity, field="", value=plain_value(claim.words), how="said",
                person=claim.person or bool(unsure), confidence="high",
            )  # fmt: skip
        elif claimed.kind == "order":
            claim = claim._replace(
                entity=speaker, field=FROM_NOW_ON, value=plain_value(spoken.words), how="prefers", many=True, person=True
            )  # fmt: skip
        elif claimed.ends:
            claim = claim._replace(field=ANY_FIELD, value=claimed.ends.strip(), how="end", replaces="")
        unfit = _why_unfit(claim) or ("it held once" if past else "")
        return f"a claim about {entity or 'nothing'} was left out: {unfit}" if unfit else claim

    def _statement_of(self, claimed: ModelClaim, turn: Turn) -> Statement | None:
        """The statement that a claim makes: that of its value, or of its quote where the words are what is kept."""
        if not _by_quote(claimed):
            return self._statement_with(claimed.value, turn)
        quote = one_line(claimed.quote)
        quoted = [
            statement
            for statement in self._statements.get(turn.line, ())
            if self._stands(statement.words, quote)
            or self._stands(quote, f"{statement.quote} {statement.instead}")
        ]
        holding = [
            statement
            for statement in quoted
            if claimed.value and self._stands(claimed.value, statement.words)
        ] or quoted
        return _last_sure(holding)

    def _is_affirmed(self, claimed: ModelClaim, turn: Turn) -> bool:
        """True where the same person says yes to it further on: the number in one line, the yes two lines later."""
        for line, _ in claimed.beside:
            later = self._turns[line]
            if line <= turn.line or later.role != "user" or later.name != turn.name:
                continue
            words = grammar_of(later.text, unread="en")
            doubts = {doubt for statement in self._statements.get(line, ()) for doubt in statement.doubts}
            if not doubts and not words.negations.within(tokens_of(later.text)):
                return True
        return False

    def _day(self, claimed: ModelClaim, turn: Turn) -> str:
        """The day that a claim names, where the words of its line bear it out."""
        try:
            day = date.fromisoformat(claimed.date.strip()[:10]) if claimed.date.strip() and turn.ts else None
        except ValueError:
            return ""
        if day is None:
            return ""
        spoken_on, text = date.fromisoformat(turn.ts[:10]), one_line(turn.text)
        spoken = any(
            range_.start and range_.start <= day.isoformat() <= (range_.end or range_.start)
            and is_week_or_less(range_.start, range_.end or range_.start)
            for range_ in find_ranges(text, spoken_on)[0]
        )  # fmt: skip
        numbered = any(int(number) == day.day for number in _ORDINAL.findall(text))
        near = abs((day - spoken_on).days) <= _DAYS_AWAY
        return (
            day.isoformat()
            if spoken or deadline(text, spoken_on) == day.isoformat() or (numbered and near)
            else ""
        )

    def _scope(self, claimed: ModelClaim, turn: Turn) -> str:
        """The project that a claim is for, where the log names it."""
        scope = canonical_scope(one_line(claimed.scope))
        name = scope.removeprefix(PROJECT) if scope.startswith(PROJECT) else ""
        return scope if name and (name == turn.project or self._stems.issuperset(self._stem(name))) else ""

    def _search_words(self, claimed: ModelClaim, turn: Turn) -> tuple[str, ...]:
        """Words that one might ask with and that the line does not hold; none for what an agent passes on."""
        if turn.by:
            return ()
        about = claimed.entity if claimed.kind == "order" else f"{claimed.entity} {claimed.field}"
        standing = set(self._stem(f"{turn.text} {about}"))
        named = (
            (claimed.field,) if claimed.kind == "order" else ()
        )  # what kind of order it is, it does not say
        return search_words(
            words for words in (*named, *claimed.search_words) if not standing.issuperset(self._stem(words))
        )

    def _why_unproven(self, claimed: ModelClaim, turn: Turn | None) -> str:
        """Why a claim has no proof; empty when its quotes stand in the lines that it names, the first of which a person says."""
        if turn is not None and turn.role != "user":
            return f"no person says it in line {claimed.line}"
        for line, quoted in ((claimed.line, claimed.quote), *claimed.beside):
            if (cited := self._turns.get(line)) is None:
                return f"line {line} is none of these lines"
            quote, text = one_line(quoted), one_line(cited.text)
            if not quote or quote not in text or (len(quote) < _LEAST_QUOTE and quote not in sentences(text)):
                return f"its quote does not stand in line {line}"
        if _SECRET.search(f"{claimed.entity} {claimed.field} {claimed.value}"):
            return "it rests on a secret that was taken out"
        return ""

    def _entity(self, name: str, turn: Turn) -> str:
        """Who it is about, as the vault writes the name; who speaks of themselves goes by their name, else by their role."""
        if fold(" ".join(name.split())) in _OWN_NAMES:
            return self._full_name(turn.name) or turn.role or "user"
        return "" if _names_nobody(name) else self._full_name(name)

    def _why_unsaid(self, claimed: ModelClaim, turn: Turn, statement: Statement | None) -> str:
        """Why the value is none of the speaker's own words: nobody said it, it is pasted, or the turn puts it right."""
        if _by_quote(claimed):
            is_own = statement or self._stands(claimed.quote, self._own_words(turn))
            return (
                ""
                if is_own
                else f"its quote is no own word of line {claimed.line}: it is quoted, pasted or put right"
            )
        statements = self._statements.get(turn.line, ())
        wrong = [spoken.instead.partition(", first ")[2] for spoken in statements if spoken.instead]
        if any(fold(first) == fold(claimed.value) for first in wrong):
            return f"line {claimed.line} puts its value right"
        if self._stands(claimed.value, self._own_words(turn)) or claimed.value in _days_meant(turn):
            return ""
        if any(
            self._stands(claimed.value, text)
            for text in (turn.text, *(spoken.instead for spoken in statements))
        ):
            return f"its value is no own word of line {claimed.line}: it is quoted, pasted or put right"
        exchange = " ".join(f"{spoken.asked} {spoken.words}" for spoken in statements)
        stands = self._stands(claimed.value, exchange) or self._is_chosen(claimed, turn)
        return "" if stands else f"its value does not stand in line {claimed.line}"

    def _is_chosen(self, claimed: ModelClaim, turn: Turn) -> bool:
        """True where the person picks by its place what the assistant has just offered, in a line that the claim quotes: `the second one`."""
        place = self._segment.index(turn)
        offering = {
            near.line for near in self._segment[max(0, place - _OFFERED) : place] if near.role == "assistant"
        }
        offered = any(
            line in offering and self._stands(claimed.value, quote) for line, quote in claimed.beside
        )
        code = spoken_in(turn.text, "en")
        if not offered or code not in codes():
            return False
        words, tokens = grammar(code), tokens_of(claimed.quote)
        return any(
            choice.at(tokens)
            for choice in (words.first_choice, words.second_choice, words.third_choice, words.last_choice)
        )

    def _own_words(self, turn: Turn) -> str:
        """The turn's own words, put right where the turn puts them right."""
        code = spoken_in(turn.text, "en")
        if code not in codes():
            return turn.text
        words = grammar(code)
        speech = own_words(turn.text, words, turn.name)
        return speech.seals.open(corrected(speech.text, words).text, quotations=False)

    def _stands(self, words: str, text: str) -> bool:
        """True where every word stands in the text, also as the beginning of a longer one: `Dackel` in `dackelmix`."""
        needed, stems = set(self._stem(words)), set(self._stem(text))
        missing = needed - stems
        return (bool(needed) or words in text) and all(
            len(word) >= _COMPOUND and any(longer.startswith(word) for longer in stems) for word in missing
        )

    def _statement_with(self, value: str, turn: Turn) -> Statement | None:
        """The statement of a line that holds a value, the last one without a doubt; None where only its question does."""
        spoken = self._statements.get(turn.line, ())
        return _last_sure([statement for statement in spoken if self._stands(value, statement.words)])

    def _why_misnamed(self, claimed: ModelClaim, entity: str, statement: Statement | None, turn: Turn) -> str:
        """Why it is not sure whom a statement is about; empty where its words tell."""
        if statement is None:
            return "its words are the question's"
        words = grammar(statement.language)
        tokens = tokens_of(statement.words)
        if claimed.type == "assistant" or fold(claimed.entity) in _ASSISTANT:
            orders = statement.kind == "order" or words.order_signs.within(tokens) or words.orders.at(tokens)
            return "" if orders else "it orders nothing"
        if key_of(entity) == key_of(self._full_name(turn.name) or turn.role):
            return self._why_not_speaker(claimed, statement, words, tokens)
        if self._mentions(entity, statement.words):
            return "a relative is the subject" if self._has_a_relative(entity, claimed, statement) else ""
        if statement.kind == "order":
            return "it is an order to the assistant"
        if entity in self._people or claimed.type == "person":
            if statement.subject == "own" and not self._mentions(entity, turn.text):
                return "the speaker is the subject"
            near = f"{turn.text} {self._before(turn, _BACK)}"
            return "" if self._mentions(entity, near) else "somebody else may be meant"
        if self._mentions(entity, turn.text) or self._mentions(entity, self._before(turn)):
            return ""
        if claimed.entity[:1].islower() and statement.subject != "named":
            return ""  # a thing of the speaker, such as the wedding or the house
        return _UNNAMED

    def _why_not_speaker(
        self, claimed: ModelClaim, statement: Statement, words: Grammar, tokens: Sequence[str]
    ) -> str:
        first = words.first_person.within(tokens) or words.possessives_own.within(tokens)
        claim_tokens = tokens_of(f"{claimed.field} {claimed.value}")
        owners = [
            token[:-2] for token in tokens if token.endswith("'s") and token not in words.contracted_subjects
        ]
        if any(owner not in claim_tokens and f"{owner}'s" not in claim_tokens for owner in owners):
            return f"it is said of {owners[0]}"
        if (
            statement.subject == "named"
            and statement.about
            and not self._mentions(statement.about, claimed.value)
            and not first
        ):
            return f"{statement.about} is the subject"
        if statement.subject == "relative" and not words.roles.within(claim_tokens):
            return "a relative is the subject"
        if statement.subject == "other" and not first and tokens and tokens[0] in words.people_pronouns:
            return "somebody else is the subject"
        return ""

    def _has_a_relative(self, name: str, claimed: ModelClaim, statement: Statement) -> bool:
        """True where the value is said of a relative of somebody, `Anna's sister Bea`, and the claim does not say so."""
        words = grammar(statement.language)
        if words.roles.within(tokens_of(f"{claimed.entity} {claimed.field} {claimed.value}")):
            return False
        texts = [tokens_of(text) for text in sentences(statement.words) if self._stands(claimed.value, text)]
        return any(
            self._mentions(name, token) and words.roles.at(tokens, n + 1) > 0
            for tokens in texts
            for n, token in enumerate(tokens)
        )

    def _mentions(self, name: str, text: str) -> bool:
        """True where one of the words of a name stands in a text, with a possessive or without."""
        forms = {
            form for token in tokens_of(text) for form in (key_of(token), key_of(token).removesuffix("s"))
        }
        name_words = [form for form in key_of(name).split() if len(form) > 1]
        return any(form in forms or form.removesuffix("s") in forms for form in name_words)

    def _before(self, turn: Turn, most: int | None = None) -> str:
        """What was said before a turn in the segment, or in the last turns of it."""
        end = next((n for n, near in enumerate(self._segment) if near.line == turn.line), 0)
        start = 0 if most is None else max(0, end - most)
        return " ".join(near.text for near in self._segment[start:end] if near.role in SPEAKERS)


def _last_sure(statements: Sequence[Statement]) -> Statement | None:
    """The last one without a doubt, else the last one."""
    sure = [statement for statement in statements if not statement.doubts]
    return next(reversed(sure or statements), None)


def _names_nobody(name: str) -> bool:
    """True for a pronoun, which is whoever was named before it: `she`, `it`."""
    token = fold(" ".join(name.split()))
    return token not in _ASSISTANT and any(token in grammar(code).pronouns for code in codes())


def _by_quote(claimed: ModelClaim) -> bool:
    """True for a claim that keeps the words of its quote, and rests on no value."""
    return claimed.kind in (*_AS_SAID, "order", "to-do") or bool(claimed.ends and not claimed.value)


def _dated(value: str, day: str, spoken_on: str) -> tuple[str, str]:
    """A value with the day that its words name behind them, and the day since when it holds, where that is past."""
    if not day or day in value:
        return value, ""
    if find_ranges(value, date.fromisoformat(spoken_on))[0] or _ORDINAL.search(value):
        return (value if date_value(value, recurs=True) else f"{value} ({day})"), ""
    return (value, day) if day <= spoken_on else (f"{value} ({day})", "")


def search_words(words: Iterable[str]) -> tuple[str, ...]:
    """At most six words to search with, as a line may hold them: plain, short, each once, and no secret."""
    plain = (" ".join(_PLAIN_WORDS.findall(one_line(each))) for each in words)
    fit = (each for each in plain if each and len(each) <= _TAG and each.count(" ") < _TAG_WORDS)
    return _distinct((each for each in fit if without_secrets(each) == each), MOST_ALSO)


def _days_meant(turn: Turn) -> set[str]:
    """The days that a turn speaks of, as ISO dates; none where the log does not say when it was."""
    ranges = find_ranges(one_line(turn.text), date.fromisoformat(turn.ts[:10]))[0] if turn.ts else ()
    return {day for range_ in ranges for day in (range_.start, range_.end) if day}


def _doubt(claimed: ModelClaim, statement: Statement | None) -> str:
    """Why a person has to decide, by what kind of statement it is."""
    if claimed.kind in _DOUBTED:
        return _DOUBTED[claimed.kind]
    if claimed.confidence == "low":
        return "the model is not sure"
    if statement is None:
        return ""
    tokens = tokens_of(f"{claimed.field} {claimed.value}")
    passing = _IN_PASSING if grammar(statement.language).roles.within(tokens) else frozenset()
    for doubt, reason in _DOUBTS.items():
        if doubt in statement.doubts - passing:
            return reason
    return "it says of a thing what it is" if fold(claimed.value) == fold(claimed.entity) else ""


def _why_denied(claimed: ModelClaim, statement: Statement, turn: Turn) -> str:
    """Why a value is not what was said to hold: `not 12 May`, `i used to live there`, `it was 9, now it is 10`."""
    words, value, tokens = grammar(statement.language), tokens_of(claimed.value), tokens_of(statement.words)
    own_tokens = _without_reasons(statement.words, value, words)
    if words.former.within(own_tokens) and not words.former.within(
        tokens_of(f"{claimed.field} {claimed.value}")
    ):
        return "it held once"
    if not value or words.negations.within(value) or words.negations.within(tokens_of(claimed.field)):
        return ""
    places = _places(value, tokens)
    if places and all(
        tokens[place - 1] in words.negations or words.not_the_other.ending_at(tokens, place)
        for place in places
    ):
        return "it is denied"
    line = tokens_of(turn.text)
    past = [place for place in _places(value, line) if line[place - 1] in words.past_be]
    return "it held once" if past and words.changes.within(line[past[-1] + len(value) :]) else ""


def _without_reasons(text: str, value: Sequence[str], words: Grammar) -> tuple[str, ...]:
    """The words of a text without the reason of what is said of a value, or what that is the reason of: `now Berta, because Ole can't any more`."""
    telling = clauses(text, words)
    holding = [clause for clause in telling if value and set(value) <= set(clause.typed)]
    if any(words.reasons.at(clause.typed) for clause in holding):
        telling = holding
    elif holding:
        telling = [clause for clause in telling if clause in holding or not words.reasons.at(clause.typed)]
    return tuple(token for clause in telling for token in clause.typed)


def _places(value: Sequence[str], tokens: Sequence[str]) -> list[int]:
    """Where a value stands, but for the very beginning."""
    return [place for place in range(1, len(tokens)) if tokens[place : place + len(value)] == value]


_DOUBTS = {
    "asked": "it is a question", "supposed": "it is only supposed", "reported": "it is somebody else's word", "hedged": "it was said with some doubt",
    "joke": "it was said in jest", "mood": "it is a mood",
}  # fmt: skip


def _why_unfit(claim: Claim) -> str:
    """Why a claim cannot be written as a fact."""
    as_said = claim.is_statement or claim.field in (FROM_NOW_ON, ANY_FIELD)
    if not claim.entity or not claim.value or (not claim.field and claim.how != "said"):
        return "it names no entity, no field or no value"
    if len(claim.field) > _FIELD or (len(claim.value) > _VALUE and not as_said):
        return "it is too long for a fact"
    return ""


def _merge(claims: tuple[Claim, ...], new: list[Claim]) -> tuple[Claim, ...]:
    """All claims in the order of their lines: what rules read is not said twice, and a statement of which facts tell all goes.

    Another value for what rules read in the same line waits.
    """
    by_key = {_sameness(claim): claim for claim in claims}
    words: dict[int, tuple[str, ...]] = {}  # to search with, by what rules read
    added: list[Claim] = []
    for claim in new:
        beside = [old for old in claims if old.line == claim.line]
        rivals = [old for old in beside if not old.many and _of_one_field(old, claim)]
        same = by_key.get(_sameness(claim)) or next(
            (old for old in rivals if same_value(old.value, claim.value)), None
        )
        if same is not None:
            words[id(same)] = search_words((*words.get(id(same), ()), *claim.search_words))
        elif not (claim.is_statement and _facts_tell(claim, beside)):
            by_key[_sameness(claim)] = claim
            added.append(claim._replace(confidence="medium") if rivals and not claim.replaces else claim)
    sure = [claim for claim in added if claim.confidence == "high"]
    stay = [
        claim._replace(search_words=words.get(id(claim), ()))
        for claim in claims
        if not (claim.is_statement and _facts_tell(claim, sure))
    ]
    return tuple(sorted((*stay, *added), key=lambda claim: claim.line))


def _facts_tell(statement: Claim, facts: Sequence[Claim]) -> bool:
    """True where facts of the same line hold every word of a statement that carries a subject, but one."""
    tokens = {
        token
        for fact in facts
        if fact.line == statement.line and not fact.is_statement
        for token in tokens_of(f"{fact.entity} {fact.field} {fact.value}")
    }
    return bool(tokens) and len(set(statement.content) - tokens) < 2


def _of_one_field(claim: Claim, rival: Claim) -> bool:
    return (
        key_of(claim.entity) == key_of(rival.entity)
        and not claim.is_statement
        and same_field(claim.field, rival.field)
    )


def _sameness(claim: Claim) -> tuple[str, str, str]:
    return key_of(claim.entity), fold(claim.field), fold(claim.value)


def _tags(names: Iterable[str], basis: tuple[str, ...]) -> tuple[str, ...]:
    """The model's tags of at most three words that a tag can hold, then those of the rules."""
    spelled = (tag for tag in map(one_line, names) if any(c.isascii() and c.isalnum() for c in fold(tag)))
    slugs = (layout.slug(tag) for tag in spelled)
    return _distinct(
        (*(tag for tag in slugs if len(tag) <= _TAG and tag.count("-") < _TAG_WORDS), *basis), _TAGS
    )


def _distinct(names: Iterable[str], most: int) -> tuple[str, ...]:
    by_key: dict[str, str] = {}
    for name in names:
        by_key.setdefault(fold(name), name)
    return tuple(by_key.values())[:most]


# The text that a model answers, read as data of one form; whatever else is in it is not even read

_STRICT = ConfigDict(strict=True, extra="ignore", json_schema_serialization_defaults_required=True)
_LONGEST_ANSWER = 200_000  # characters of an answer that are looked at
_MOST_OBJECTS, _MOST_CLAIMS = 20, 50  # JSON objects in its prose that are tried; claims of one
_DECODER = json.JSONDecoder()


def _at_most(text: int) -> dict[str, Any]:
    """What a text is asked to be at most; what is longer is cut later, and costs no answer."""
    return {"maxLength": text}


class _Claim(BaseModel):
    model_config = ConfigDict(
        strict=True,
        extra="ignore",
        json_schema_extra={"required": ["lines", "quotes", "kind", "entity", "field", "value"]},
    )

    lines: list[Annotated[int, Field(ge=1, le=999_999_999)]] = Field(min_length=1, max_length=6)
    quotes: list[Annotated[str, Field(max_length=2000, json_schema_extra=_at_most(240))]] = Field(
        min_length=1, max_length=6
    )
    kind: Literal[KINDS + EARLIER_KINDS] = Field("fact", json_schema_extra={"enum": [*KINDS]})  # type: ignore[valid-type]
    entity: str = Field("", max_length=200, json_schema_extra=_at_most(60))
    type: Literal["person", "thing", "speaker", "assistant", ""] = ""
    field: str = Field("", max_length=200, json_schema_extra=_at_most(40))
    value: str = Field("", max_length=500, json_schema_extra=_at_most(120))
    date: str = Field("", max_length=40, json_schema_extra=_at_most(10))
    replaces: str = Field("", max_length=500, json_schema_extra=_at_most(120))
    ends: str = Field("", max_length=500, json_schema_extra=_at_most(120))
    scope: str = Field("", max_length=200, json_schema_extra=_at_most(60))
    search_words: list[Annotated[str, Field(json_schema_extra=_at_most(30))]] = Field(
        default=[], max_length=50, json_schema_extra={"maxItems": MOST_ALSO}
    )
    confidence: Literal["low", "medium", "high"] = "high"
    durable: SkipJsonSchema[bool] = True  # of older answers


class _AnswerForm(BaseModel):
    model_config = _STRICT

    title: str = Field(max_length=1000, json_schema_extra=_at_most(80))
    summary: str = Field(max_length=5000, json_schema_extra=_at_most(400))
    tags: list[Annotated[str, Field(json_schema_extra=_at_most(30))]] = Field(
        default=[], max_length=50, json_schema_extra={"maxItems": 7}
    )
    entities: list[Annotated[str, Field(json_schema_extra=_at_most(60))]] = Field(
        default=[], max_length=100, json_schema_extra={"maxItems": 10}
    )


class _WholeAnswer(_AnswerForm):
    claims: list[_Claim] = Field(default=[], json_schema_extra={"maxItems": 30})


@cache
def answer_schema() -> Schema:
    """The JSON schema that a model is held to."""
    return dict(_without_titles(_WholeAnswer.model_json_schema(mode="serialization")))


def read_answer(text: str) -> ModelAnswer:
    """The answer in a model's text, from which prose and fences around it are taken off; ModelError when there is none."""
    for form in _objects(text[:_LONGEST_ANSWER]):
        try:
            answer = _AnswerForm.model_validate(form)
        except ValidationError:
            continue
        claims, unread = _claims(form.get("claims", []))
        return ModelAnswer(
            answer.title, answer.summary, tuple(answer.tags), tuple(answer.entities), tuple(claims), unread
        )
    raise ModelError("its answer was not JSON of the asked form")


def _claims(value: Any) -> tuple[list[ModelClaim], int]:
    """The claims that have the asked form, and how many have not: one bad claim must not cost the others."""
    if not isinstance(value, list):
        return [], 1
    claims, unread = [], 0
    for each in value[:_MOST_CLAIMS]:
        try:
            form = _Claim.model_validate(_in_today_form(each))
            if len(form.lines) != len(form.quotes):
                raise ValueError("each line needs its quote")
            values = form.model_dump(exclude={"lines", "quotes"}) | {"search_words": tuple(form.search_words)}
            # The first of its lines, where its value stands, is its own.
            (line, quote), *beside = zip(form.lines, form.quotes, strict=True)
            claims.append(ModelClaim(line=line, quote=quote, beside=tuple(beside), **values))
        except ValueError:  # pydantic's are some
            unread += 1
    return claims, unread + len(value[_MOST_CLAIMS:])


def _in_today_form(claim: Any) -> Any:
    """A claim of an older answer, which names one line, in the form of today."""
    if not isinstance(claim, dict) or "lines" in claim:
        return claim
    older = {"confidence": "medium", **claim}
    return {**older, "lines": [older.get("line")], "quotes": [older.get("quote")]}


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object of a text that is in no other; a model that thinks aloud answers last, so the last comes first."""
    objects: list[Any] = []
    start = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if start < 0:
            break
        try:
            value, start = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
        else:
            objects.append(value)
        start = text.find("{", start)
    yield from reversed(objects)


def _without_titles(value: Any) -> Any:
    """The schema without what only a person reads; small servers make a grammar of it, token by token."""
    if isinstance(value, dict):
        fields = {
            k: v for k, v in value.items() if k not in {"title", "default", "maximum"} or isinstance(v, dict)
        }
        return {k: _without_titles(v) for k, v in fields.items()}
    return [_without_titles(each) for each in value] if isinstance(value, list) else value
