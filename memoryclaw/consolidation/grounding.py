"""What a model says of a segment, judged by the segment's own words. What they do not bear out is left out, or waits for a person.

A model never has the last word: roles, lines, dates, trust, paths and ids come from the log, and what rules read stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memoryclaw.consolidation.changes import SPEAKERS, Claim, Extraction, Segment
from memoryclaw.consolidation.claims import statement_of
from memoryclaw.consolidation.episodes import harmless
from memoryclaw.consolidation.talk import Statement, read
from memoryclaw.index import stemming
from memoryclaw.model import Turn
from memoryclaw.models.llm import ModelError, Schema
from memoryclaw.text import words as lists
from memoryclaw.text.corrections import corrected
from memoryclaw.text.dates import find_ranges
from memoryclaw.text.grammar import Grammar, codes, grammar, language_of, spoken_in, tokens_of
from memoryclaw.text.language import fold, key_of, pairs, words_of
from memoryclaw.text.own_words import own_words
from memoryclaw.text.prompts import one_line
from memoryclaw.text.sentences import sentences
from memoryclaw.vault import layout
from memoryclaw.vault.fact_values import (
    plain_key,
    plain_value,
    resolved,
    same_field,
    same_value,
    timeless,
    without_owner,
)

_TITLE, _SUMMARY, _TAG, _NAME, _FIELD, _VALUE = 80, 600, 30, 60, 40, 120  # characters, at most
_TAGS, _TAG_WORDS, _ENTITIES, _CLAIMS, _DROPPED = 7, 3, 20, 30, 30  # how many, at most
_LEAST_QUOTE = 8  # characters; a shorter one must be the whole turn
_COMPOUND = 4  # letters of a word that may begin a longer one
_GROUNDED = 0.5  # the share of a summary's words that the segment must hold
_BACK_PERSON, _BACK_THING = 2, 6  # turns before a line in which the one that a claim is about may be named
_HTML = re.compile(r"[<>`|]+")
_SECRET = re.compile(r"\[?REDACTED:", re.IGNORECASE)
_OWN_NAMES = frozenset(lists.lines("consolidation.own_names"))
_ASSISTANT = frozenset({"assistant", "assistent", "you", "the assistant", "agent", "bot"})
_UNSPACED = "\u0e00"  # scripts written without spaces come after it
KINDS = ("state", "decision", "preference", "plan", "wish", "joke", "retold")
_BELIEVED = frozenset({"state", "decision", "preference"})
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
    kind: str = "state"  # one of KINDS
    type: str = ""  # of the entity, one of TYPES; empty where the model does not say


class ModelAnswer(NamedTuple):
    """A model's answer, of the asked form and not yet believed."""

    title: str
    summary: str
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    claims: tuple[ModelClaim, ...] = ()
    unread: int = 0  # claims that were not of the asked form


def proven(
    answer: ModelAnswer, segment: Segment, basis: Extraction, names: Mapping[str, str], by: str
) -> Extraction:
    """What rules read, with what a model adds and the segment's words bear out.

    Args:
        answer: what the model said.
        segment: what it read.
        basis: what rules read; its claims, points and participants stay.
        names: key_of(name) -> name, of the entities that the vault knows.
        by: the model.
    """
    ground = _Ground(segment, basis, names)
    judged = [ground.judged(claimed, by) for claimed in answer.claims[:_CLAIMS]]
    dropped = [each for each in judged if isinstance(each, str)]
    claims = _merged(basis.claims, [each for each in judged if isinstance(each, Claim)])
    missing = answer.unread + len(answer.claims[_CLAIMS:])
    if missing:
        dropped.append(f"left out: {missing} of its claims, too many or not of the asked form")
    title, summary = ground.text(answer.title, _TITLE), ground.dated(ground.text(answer.summary, _SUMMARY))
    if not summary:
        dropped.append("the summary was left out: its words do not stand in the log")
    return basis._replace(
        title=title or basis.title,
        summary=summary or basis.summary,
        tags=_tags(filter(ground.names, answer.tags), basis.tags),
        entities=_distinct((*basis.entities, *ground.entities(answer.entities)), _ENTITIES),
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
        for one in talk.statements:
            self._statements.setdefault(one.line, []).append(one)
        self._people = talk.people
        self._several = len({turn.name for turn in segment.turns if turn.role == "user"}) > 1
        spoken_turns = [turn for turn in segment.turns if turn.role in SPEAKERS]
        said = [
            *(turn.text for turn in spoken_turns),
            *(turn.name for turn in spoken_turns),
            *basis.participants,
        ]
        self._language = stemming.language_of([turn.text for turn in spoken_turns], stemming.language("en"))
        self._stems = frozenset(stem for text in said for stem in self._stemmed(text))

    def _stemmed(self, text: str) -> list[str]:
        """The words of a text as they are compared; runs of a script without spaces as their pairs."""
        found: list[str] = []
        for word in words_of(one_line(text)):
            found += pairs(word) if max(word, default="") >= _UNSPACED else self._language.token(word).split()
        return found

    def text(self, text: str, longest: int) -> str:
        """The text on one plain line, if at least half of its words stand in the segment; else nothing."""
        plain = _shortened(harmless(_HTML.sub(" ", text)), longest)
        telling = {
            stem
            for word in words_of(plain)
            if not self._language.is_stop(word)
            for stem in self._stemmed(word)
        }
        return plain if telling and len(telling & self._stems) >= _GROUNDED * len(telling) else ""

    def dated(self, text: str) -> str:
        """The text with dates behind words like "yesterday", where all lines were said on one day."""
        said = {turn.ts[:10] for turn in self._turns.values()}
        return resolved(text, said.pop(), language_of(tokens_of(text))) if len(said) == 1 else text

    def entities(self, found: Iterable[str]) -> Iterator[str]:
        """The names that stand in the segment, as the vault writes them."""
        for name in found:
            if self._stems.issuperset(self._stemmed(name)) and (known := self._named(name)):
                yield known

    def names(self, tag: str) -> bool:
        """True for a tag whose words all stand in the segment, in any form."""
        stems = self._stemmed(tag.replace("-", " ").replace("_", " "))
        return bool(stems) and self._stems.issuperset(stems)

    def _named(self, name: str) -> str:
        plain = plain_key(one_line(name))
        return self._names.get(key_of(plain), plain) if len(plain) <= _NAME else ""

    def judged(self, claimed: ModelClaim, by: str) -> Claim | str:
        """The claim as the log bears it out, or one sentence why it is left out.

        The first rule that fails decides: line and quote, own words, the clause, doubts, and whom it is about.
        """
        turn = self._turns.get(claimed.line)
        why = _unproven(claimed, turn) or (self._unsaid(claimed, turn) if turn else "")
        if turn is None or why:
            return f"a claim about {_shortened(plain_key(one_line(claimed.entity)), _NAME) or 'nothing'} was left out: {why}"
        own = self._holding(claimed.value, turn)
        speaker = self._named(turn.name) or turn.role
        entity = self._entity(claimed.entity, turn)
        field, past = timeless(plain_key(one_line(claimed.field.replace("_", " "))).lower())
        field = without_owner(field, entity)
        doubt = _doubt(claimed, own) or (_denied(claimed, own, turn) if own else "")
        unsure = "its words are the question's" if own is None else self._misnamed(claimed, entity, own, turn)
        if unsure and self._several:  # it may be another person's
            doubt = doubt or unsure
        told = own or Statement(
            0, turn.line, speaker, turn.ts[:10], one_line(turn.text)[:_VALUE], one_line(claimed.quote), ""
        )
        said = statement_of(told)
        claim = said._replace(
            entity=entity, field=field, value=plain_value(one_line(claimed.value)), quote=one_line(claimed.quote), by=by,
            confidence="low" if doubt else "medium" if unsure else "high", durable=claimed.durable, how=claimed.kind, person=entity == speaker or entity in self._people or claimed.type == "person",
        )  # fmt: skip
        unfit = _unfit(claim) or ("it held once" if past else "")
        return f"a claim about {entity or 'nothing'} was left out: {unfit}" if unfit else claim

    def _entity(self, name: str, turn: Turn) -> str:
        """Who it is about, as the vault writes the name; who speaks of themselves goes by their name, else by their role."""
        if fold(" ".join(name.split())) in _OWN_NAMES:
            return self._named(turn.name) or turn.role or "user"
        return self._named(name)

    def _unsaid(self, claimed: ModelClaim, turn: Turn) -> str:
        """Why the value is none of the speaker's own words: nobody said it, it is pasted, or the turn puts it right."""
        wrong = [
            one.instead.partition(", first ")[2] for one in self._statements.get(turn.line, ()) if one.instead
        ]
        if any(fold(first) == fold(claimed.value) for first in wrong):
            return f"line {claimed.line} puts its value right"
        if self._stands(claimed.value, self._own(turn)) or claimed.value in _meant(turn):
            return ""
        if self._stands(claimed.value, turn.text) or any(
            self._stands(claimed.value, one.instead) for one in self._statements.get(turn.line, ())
        ):
            return f"its value is no own word of line {claimed.line}: it is quoted, pasted or put right"
        asked = " ".join(f"{one.asked} {one.words}" for one in self._statements.get(turn.line, ()))
        return (
            "" if self._stands(claimed.value, asked) else f"its value does not stand in line {claimed.line}"
        )

    def _own(self, turn: Turn) -> str:
        """The turn's own words, put right where the turn puts them right."""
        code = spoken_in(turn.text, "en")
        if code not in codes():
            return turn.text
        words = grammar(code)
        return corrected(own_words(turn.text, words, turn.name).text, words).text

    def _stands(self, words: str, text: str) -> bool:
        """True where every word stands in the text, also as the beginning of a longer one: `Dackel` in `dackelmix`."""
        wanted, held = set(self._stemmed(words)), set(self._stemmed(text))
        missing = wanted - held
        return (bool(wanted) or words in text) and all(
            len(word) >= _COMPOUND and any(other.startswith(word) for other in held) for word in missing
        )

    def _holding(self, value: str, turn: Turn) -> Statement | None:
        """The statement of a line that holds a value, the last one without a doubt; None where only its question does."""
        found = [one for one in self._statements.get(turn.line, ()) if self._stands(value, one.words)]
        return next((one for one in reversed(found) if not one.doubts), found[-1] if found else None)

    def _misnamed(self, claimed: ModelClaim, entity: str, own: Statement, turn: Turn) -> str:
        """Why it is not sure whom a statement is about; empty where its words tell."""
        words = grammar(own.language)
        tokens = tokens_of(own.words)
        if claimed.type == "assistant" or fold(claimed.entity) in _ASSISTANT:
            orders = (
                own.kind == "order"
                or words.negations.within(tokens)
                or words.lasting.within(tokens)
                or words.order_topics.within(tokens)
                or words.orders.at(tokens)
            )
            return "" if orders else "it orders nothing"
        if key_of(entity) == key_of(self._named(turn.name) or turn.role):
            return self._not_of_speaker(claimed, own, words, tokens)
        if self._mentions(entity, own.words):
            if self._has_a_relative(entity, claimed, own):
                return "a relative is the subject"
            return (
                ""
                if own.about in ("", entity) or self._mentions(entity, own.about) or own.subject != "named"
                else f"{own.about} is nearer"
            )
        if own.kind == "order":
            return "it is an order to the assistant"
        before = self._before(turn, _BACK_PERSON)
        line = turn.text[: max(0, fold(turn.text).find(fold(claimed.value)))] or turn.text
        if entity in self._people or claimed.type == "person":
            if own.subject == "own" and not self._mentions(entity, turn.text):
                return "the speaker is the subject"
            last = self._last_person(line) or self._last_person(turn.text) or self._last_person(before)
            return (
                ""
                if last and (self._mentions(entity, last) or self._mentions(last, entity))
                else "somebody else may be meant"
            )
        if self._mentions(entity, turn.text) or self._mentions(entity, self._before(turn, _BACK_THING)):
            return (
                ""
                if own.subject != "named" or self._mentions(entity, own.about) or not own.about
                else f"{own.about} is the subject"
            )
        if claimed.entity[:1].islower() and own.subject != "named":
            return ""  # a thing of the speaker, such as the wedding or the house
        return f"{entity} is not named near it"

    def _not_of_speaker(
        self, claimed: ModelClaim, own: Statement, words: Grammar, tokens: Sequence[str]
    ) -> str:
        first = words.first_person.within(tokens) or words.possessives_own.within(tokens)
        told = tokens_of(f"{claimed.field} {claimed.value}")
        owners = [
            token[:-2] for token in tokens if token.endswith("'s") and token not in words.contracted_subjects
        ]
        if any(owner not in told and f"{owner}'s" not in told for owner in owners):
            return f"it is said of {owners[0]}"
        if (
            own.subject == "named"
            and own.about
            and not self._mentions(own.about, claimed.value)
            and not first
        ):
            return f"{own.about} is the subject"
        if own.subject == "relative" and not words.roles.within(told):
            return "a relative is the subject"
        if own.subject == "other" and not first and tokens and tokens[0] in words.people_pronouns:
            return "somebody else is the subject"
        return ""

    def _has_a_relative(self, name: str, claimed: ModelClaim, own: Statement) -> bool:
        """True where the value is said of a relative of somebody, `Anna's sister Bea`, and the claim does not say so."""
        words = grammar(own.language)
        if words.roles.within(tokens_of(f"{claimed.entity} {claimed.field} {claimed.value}")):
            return False
        parts = [tokens_of(part) for part in sentences(own.words) if self._stands(claimed.value, part)]
        return any(
            self._mentions(name, token) and words.roles.at(tokens, at + 1) > 0
            for tokens in parts
            for at, token in enumerate(tokens)
        )

    def _mentions(self, name: str, text: str) -> bool:
        """True where one of the words of a name stands in a text, with a possessive or without."""
        found = {
            part for token in tokens_of(text) for part in (key_of(token), key_of(token).removesuffix("s"))
        }
        parts = [part for part in key_of(name).split() if len(part) > 1]
        return any(part in found or part.removesuffix("s") in found for part in parts)

    def _before(self, turn: Turn, most: int) -> str:
        at = next((n for n, other in enumerate(self._segment) if other.line == turn.line), 0)
        return " ".join(
            other.text for other in self._segment[max(0, at - most) : at] if other.role in SPEAKERS
        )

    def _last_person(self, text: str) -> str:
        """The person who is named last in a text."""
        places = {
            name: max(
                (
                    hit.start()
                    for part in name.split()
                    for hit in re.finditer(rf"\b{re.escape(fold(part))}", fold(text))
                ),
                default=-1,
            )
            for name in self._people
        }
        best = max(places, key=lambda name: places[name], default="")
        return best if best and places[best] >= 0 else ""


def _meant(turn: Turn) -> set[str]:
    """The days that a turn speaks of, as ISO dates; none where the log does not say when it was."""
    found = find_ranges(one_line(turn.text), date.fromisoformat(turn.ts[:10]))[0] if turn.ts else ()
    return {day for one in found for day in (one.start, one.end) if day}


def _doubt(claimed: ModelClaim, own: Statement | None) -> str:
    """Why a person has to decide, by what kind of statement it is."""
    if claimed.kind not in _BELIEVED:
        return f"it is a {claimed.kind}"
    if claimed.confidence == "low":
        return "the model is not sure"
    if own is None:
        return ""
    for doubt, why in _DOUBTS.items():
        if doubt in own.doubts:
            return why
    return "it says of a thing what it is" if fold(claimed.value) == fold(claimed.entity) else ""


def _denied(claimed: ModelClaim, own: Statement, turn: Turn) -> str:
    """Why a value is not what was said to hold: `not 12 May`, `i used to live there`, `it was 9, now it is 10`."""
    words, value, tokens = grammar(own.language), tokens_of(claimed.value), tokens_of(own.words)
    if words.former.within(tokens) and not words.former.within(tokens_of(f"{claimed.field} {claimed.value}")):
        return "it held once"
    if not value or words.negations.within(value) or words.negations.within(tokens_of(claimed.field)):
        return ""
    places = _places(value, tokens)
    if places and all(
        tokens[at - 1] in words.negations or _is_the_other(tokens[:at], words) for at in places
    ):
        return "it is denied"
    line = tokens_of(turn.text)
    past = [at for at in _places(value, line) if line[at - 1] in words.past_be]
    return "it held once" if past and words.changes.within(line[past[-1] + len(value) :]) else ""


def _places(value: Sequence[str], tokens: Sequence[str]) -> list[int]:
    """Where a value stands, but for the very beginning."""
    return [at for at in range(1, len(tokens)) if tokens[at : at + len(value)] == value]


def _is_the_other(before: Sequence[str], words: Grammar) -> bool:
    """True behind `instead of` and the like."""
    return any(words.not_the_other.at(before, len(before) - n) == n for n in range(1, min(4, len(before))))


_DOUBTS = {
    "asked": "it is a question", "supposed": "it is only supposed", "reported": "it is somebody else's word", "hedged": "it was said with a doubt",
    "joke": "it was said in jest", "mood": "it is a mood",
}  # fmt: skip


def _unproven(claimed: ModelClaim, turn: Turn | None) -> str:
    """Why a claim has no proof; empty when its quote stands in the line that it names."""
    if turn is None:
        return f"line {claimed.line} is none of these lines"
    if turn.role != "user":
        return f"no person says it in line {claimed.line}"
    quote, text = one_line(claimed.quote), one_line(turn.text)
    if not quote or quote not in text or (len(quote) < _LEAST_QUOTE and quote != text):
        return f"its quote does not stand in line {claimed.line}"
    if _SECRET.search(f"{claimed.entity} {claimed.field} {claimed.value}"):
        return "it rests on a secret that was taken out"
    return ""


def _unfit(claim: Claim) -> str:
    """Why a claim cannot be written as a fact."""
    if not claim.entity or not claim.field or not claim.value:
        return "it names no entity, no field or no value"
    if len(claim.field) > _FIELD or len(claim.value) > _VALUE:
        return "it is too long for a fact"
    return ""


def _merged(known: tuple[Claim, ...], new: list[Claim]) -> tuple[Claim, ...]:
    """All claims in the order of their lines: what rules read is not said twice, and a statement of which facts tell all goes.

    Another value for what rules read in the same line waits.
    """
    seen = {_sameness(claim) for claim in known}
    kept: list[Claim] = []
    for claim in new:
        rivals = [
            one for one in known if one.line == claim.line and not one.many and _of_one_field(one, claim)
        ]
        if _sameness(claim) not in seen and not any(same_value(one.value, claim.value) for one in rivals):
            seen.add(_sameness(claim))
            kept.append(claim._replace(confidence="medium") if rivals else claim)
    sure = [claim for claim in kept if claim.confidence == "high"]
    stay = [claim for claim in known if not (claim.is_statement and _told_by_facts(claim, sure))]
    return tuple(sorted((*stay, *kept), key=lambda claim: claim.line))


def _told_by_facts(statement: Claim, facts: Sequence[Claim]) -> bool:
    """True where facts of the same line hold every word of a statement that carries a subject, but one."""
    told = {
        token
        for fact in facts
        if fact.line == statement.line
        for token in tokens_of(f"{fact.entity} {fact.field} {fact.value}")
    }
    return bool(told) and len(set(statement.content) - told) < 2


def _of_one_field(one: Claim, other: Claim) -> bool:
    return (
        key_of(one.entity) == key_of(other.entity)
        and not one.is_statement
        and same_field(one.field, other.field)
    )


def _sameness(claim: Claim) -> tuple[str, str, str]:
    return key_of(claim.entity), fold(claim.field), fold(claim.value)


def _tags(found: Iterable[str], basis: tuple[str, ...]) -> tuple[str, ...]:
    """The model's tags of at most three words that a tag can hold, then those of the rules."""
    spelled = (tag for tag in map(one_line, found) if any(c.isascii() and c.isalnum() for c in fold(tag)))
    slugs = (layout.slug(tag) for tag in spelled)
    return _distinct(
        (*(tag for tag in slugs if len(tag) <= _TAG and tag.count("-") < _TAG_WORDS), *basis), _TAGS
    )


def _distinct(found: Iterable[str], most: int) -> tuple[str, ...]:
    by_key: dict[str, str] = {}
    for name in found:
        by_key.setdefault(fold(name), name)
    return tuple(by_key.values())[:most]


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return (text[:longest].rpartition(" ")[0] or text[: longest - 1]).rstrip(" ,;:-") + "…"


# The text that a model answers, read as data of one form; whatever else is in it is not even read

_STRICT = ConfigDict(strict=True, extra="ignore", json_schema_serialization_defaults_required=True)
_LONGEST_ANSWER = 200_000  # characters of an answer that are looked at
_MOST_OBJECTS, _MOST_CLAIMS = 20, 50  # JSON objects in its prose that are tried; claims of one
_DECODER = json.JSONDecoder()


def _at_most(text: int) -> dict[str, Any]:
    """What a text is asked to be at most; what is longer is cut later, and costs no answer."""
    return {"maxLength": text}


class _Claim(BaseModel):
    model_config = _STRICT

    line: int = Field(ge=1, le=999_999_999)
    quote: str = Field(max_length=2000, json_schema_extra=_at_most(240))
    entity: str = Field(max_length=200, json_schema_extra=_at_most(60))
    field: str = Field(max_length=200, json_schema_extra=_at_most(40))
    value: str = Field(max_length=500, json_schema_extra=_at_most(120))
    durable: bool = True
    confidence: Literal["low", "medium", "high"] = "medium"
    kind: Literal["state", "decision", "preference", "plan", "wish", "joke", "retold"] = "state"
    type: Literal["person", "thing", "speaker", "assistant", ""] = ""


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
    for found in _objects(text[:_LONGEST_ANSWER]):
        try:
            answer = _AnswerForm.model_validate(found)
        except ValidationError:
            continue
        claims, unread = _claims(found.get("claims", []))
        return ModelAnswer(
            answer.title, answer.summary, tuple(answer.tags), tuple(answer.entities), tuple(claims), unread
        )
    raise ModelError("its answer was not JSON of the asked form")


def _claims(found: Any) -> tuple[list[ModelClaim], int]:
    """The claims that have the asked form, and how many have not: one bad claim must not cost the others."""
    if not isinstance(found, list):
        return [], 1
    claims, unread = [], 0
    for each in found[:_MOST_CLAIMS]:
        try:
            claims.append(ModelClaim(**_Claim.model_validate(each).model_dump()))
        except ValidationError:
            unread += 1
    return claims, unread + len(found[_MOST_CLAIMS:])


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object of a text that is in no other; a model that thinks aloud answers last, so the last comes first."""
    found: list[Any] = []
    at = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            break
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            found.append(value)
        at = text.find("{", at)
    yield from reversed(found)


def _without_titles(value: Any) -> Any:
    """The schema without what only a person reads; small servers make a grammar of it, token by token."""
    if isinstance(value, dict):
        kept = {
            k: v for k, v in value.items() if k not in {"title", "default", "maximum"} or isinstance(v, dict)
        }
        return {k: _without_titles(v) for k, v in kept.items()}
    return [_without_titles(each) for each in value] if isinstance(value, list) else value
