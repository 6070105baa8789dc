"""What a model says of a segment, held against the segment's own words. What it cannot prove by a quote is not known.

A model never has the last word: roles, lines, dates, trust, paths and ids come from the log, and what patterns read stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memoryclaw.consolidation import statements as wording
from memoryclaw.consolidation.changes import LEVELS, SPEAKERS, Claim, Extraction, Segment
from memoryclaw.consolidation.episodes import harmless
from memoryclaw.consolidation.fact_values import plain_key, plain_value, resolved
from memoryclaw.consolidation.statements import denies, is_doubtful, is_momentary, statements, supposes
from memoryclaw.model import Turn
from memoryclaw.models.llm import ModelError, Schema
from memoryclaw.text import words as lists
from memoryclaw.text.dates import DateRange, find_ranges
from memoryclaw.text.language import fold, key_of, pairs
from memoryclaw.text.prompts import one_line, visible
from memoryclaw.text.sentences import plain
from memoryclaw.vault import layout

_TITLE, _SUMMARY, _TAG, _NAME, _FIELD, _VALUE = 80, 600, 30, 60, 40, 120  # characters, at most
_TAGS, _TAG_WORDS, _ENTITIES, _CLAIMS, _DROPPED = 7, 3, 20, 20, 20  # how many, at most
_LEAST_QUOTE = 8  # characters; a shorter one must be the whole turn
_GROUNDED = 0.5  # the share of a summary's words that the segment must hold
_HTML = re.compile(r"[<>`|]+")
_SECRET = re.compile(r"\[?REDACTED:", re.IGNORECASE)
_OWN_NAMES = frozenset(lists.lines("consolidation.own_names"))
_SELF, _OTHERS = (frozenset(lists.words(f"consolidation.{name}")) for name in ("self", "others"))
_OWNER = re.compile(r"(?<![^\W\d_])([^\W\d_]++)['’]s\b")
_NO_OWNER = frozenset(lists.words("consolidation.no_owner"))
_UNSPACED = "\u0e00"  # scripts written without spaces come after it


class ModelClaim(NamedTuple):
    """A claim as a model makes it, of the asked form and no more."""

    line: int
    quote: str
    entity: str
    field: str
    value: str
    durable: bool = True
    confidence: str = "medium"


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
    """What patterns read, with what a model adds and the segment's words prove.

    Args:
        answer: what the model said.
        segment: what it read.
        basis: what patterns read; its claims, points and participants stay.
        names: key_of(name) -> name, of the entities that the vault knows.
        by: the model.
    """
    ground = _Ground(segment, basis, names)
    judged = [ground.judged(claimed, by) for claimed in answer.claims[:_CLAIMS]]
    dropped = [each for each in judged if isinstance(each, str)]
    claims = _without_repeats(basis.claims, [each for each in judged if isinstance(each, Claim)])
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
        self._turns = {turn.line: turn for turn in segment.turns}
        self._names = names
        self._patterns = {(key_of(c.entity), fold(c.field), c.line): fold(c.value) for c in basis.claims}
        spoken_turns = [turn for turn in segment.turns if turn.role in SPEAKERS]
        said = [*(turn.text for turn in spoken_turns), *(turn.name for turn in spoken_turns)]
        self._words = frozenset(part for text in (*said, *basis.participants) for part in _parts(text))
        self._stems = frozenset(map(wording.stem, self._words))

    def text(self, text: str, longest: int) -> str:
        """The text on one plain line, if at least half of its words stand in the segment; else nothing."""
        plain = _shortened(harmless(_HTML.sub(" ", text)), longest)
        parts = _parts(plain)
        stop = wording.stops(wording.language_of(parts))
        telling = {wording.stem(part) for part in parts if part not in stop}
        return plain if telling and len(telling & self._stems) >= _GROUNDED * len(telling) else ""

    def dated(self, text: str) -> str:
        """The text with dates behind words like "yesterday", where all lines were said on one day."""
        said = {turn.ts[:10] for turn in self._turns.values()}
        return resolved(text, said.pop(), wording.language_of(_parts(text))) if len(said) == 1 else text

    def entities(self, found: Iterable[str]) -> Iterator[str]:
        """The names that stand in the segment, as the vault writes them."""
        for name in found:
            if self._holds(name) and (known := self._named(name)):
                yield known

    def names(self, tag: str) -> bool:
        """True for a tag whose words all stand in the segment, in any form."""
        parts = _parts(tag.replace("-", " ").replace("_", " "))
        return bool(parts) and self._stems.issuperset(map(wording.stem, parts))

    def judged(self, claimed: ModelClaim, by: str) -> Claim | str:
        """The claim as the log proves it, or one sentence why it is left out."""
        turn = self._turns.get(claimed.line)
        why = _unproven(claimed, turn)
        claim = self._claim(claimed, turn, by) if turn and not why else None
        if claim and turn and not (why := _unfit(claim) or _unsupported(claim, turn)):
            return claim
        about = _shortened(plain_key(one_line(claimed.entity)), _NAME) or "nothing"
        return f"a claim about {about} was left out: {why}"

    def _claim(self, claimed: ModelClaim, turn: Turn, by: str) -> Claim:
        quote = one_line(claimed.quote)
        stated = _stated(quote, turn)
        claim = Claim(
            entity=self._entity(claimed.entity, turn),
            field=plain_key(one_line(claimed.field.replace("_", " "))).lower(),
            value=plain_value(one_line(claimed.value)),
            line=turn.line,
            quote=quote,
            role=turn.role,
            said=turn.ts[:10],
            durable=claimed.durable and not is_momentary(stated),
            by=by,
        )
        sure = self._sure(claim, turn, stated)
        return claim._replace(confidence=min(claimed.confidence, sure, key=LEVELS.index))

    def _entity(self, name: str, turn: Turn) -> str:
        """Who it is about, as the vault writes the name; who speaks of themselves goes by their name, else by their role."""
        if fold(" ".join(name.split())) in _OWN_NAMES:
            return self._named(turn.name) or turn.role or "user"
        return self._named(name)

    def _named(self, name: str) -> str:
        plain = plain_key(one_line(name))
        return self._names.get(key_of(plain), plain) if len(plain) <= _NAME else ""

    def _holds(self, name: str) -> bool:
        parts = _parts(name)
        return bool(parts) and self._words.issuperset(parts)

    def _sure(self, claim: Claim, turn: Turn, stated: str) -> str:
        """How sure the words make it: low where they do not state it at all, high where they state every part of it."""
        text = one_line(turn.text)
        speaker = key_of(claim.entity) == key_of(turn.name or turn.role)
        if not _stands_in(claim.value, text) or not (speaker or self._holds(claim.entity)):
            return "low"
        # Patterns make few claims and mostly right ones; what contradicts them is for a person.
        read = self._patterns.get((key_of(claim.entity), fold(claim.field), claim.line))
        if not stated or supposes(stated) or read not in {None, fold(claim.value)}:
            return "low"
        parts = set(_parts(stated))
        named = _stands_in(claim.entity, stated) or (speaker and not parts.isdisjoint(_SELF))
        told = not set(map(wording.stem, parts)).isdisjoint(map(wording.stem, _parts(claim.field)))
        firm = not (denies(stated) or is_doubtful(stated) or _speaks_of_others(claim, stated))
        return "high" if named and told and _stands_in(claim.value, stated) and firm else "medium"


def _speaks_of_others(claim: Claim, stated: str) -> bool:
    """True where the words name somebody besides the one whom the claim is about: "Anna's sister lives in Rome"."""
    about = {*_parts(claim.entity), *_parts(claim.field), *_parts(claim.value)}
    owners = {plain(hit[1]) for hit in _OWNER.finditer(stated)}
    return bool((set(_parts(stated)) & _OTHERS | owners - _NO_OWNER) - about)


def _stated(quote: str, turn: Turn) -> str:
    """The sentences that a quote is of and that state something: none of a question, of a joke, or of what is pasted."""
    said = statements(visible(turn.text), turn.ts[:10])
    own = (each for each in said if not (each.foreign or each.joking))
    found = dict.fromkeys(each.quote for each in own)
    return " ".join(sentence for sentence in found if quote in sentence or sentence in quote)


def _stands_in(words: str, text: str) -> bool:
    parts = _parts(words)
    return set(_parts(text)).issuperset(parts) if parts else words in text


def _unproven(claimed: ModelClaim, turn: Turn | None) -> str:
    """Why a claim has no proof; empty when its quote stands in the line that it names."""
    if turn is None:
        return f"line {claimed.line} is none of these lines"
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


def _unsupported(claim: Claim, turn: Turn) -> str:
    """Why the value is nobody's word: it stands nowhere in the turn, in no form and as no date that is meant there."""
    text = one_line(turn.text)
    meant = " ".join(one_day for found in _dates(text, turn.ts) for one_day in (found.start, found.end))
    stems = set(map(wording.stem, _parts(f"{text} {meant}")))
    parts = _parts(claim.value)
    stands = stems.issuperset(map(wording.stem, parts)) if parts else claim.value in text
    return "" if stands else f"its value does not stand in line {claim.line}"


def _dates(text: str, said: str) -> Sequence[DateRange]:
    """The days that a turn speaks of; none where the log does not say when it was."""
    return find_ranges(text, date.fromisoformat(said[:10]))[0] if said else ()


def _without_repeats(known: tuple[Claim, ...], new: list[Claim]) -> tuple[Claim, ...]:
    """All claims in the order of their lines; what patterns read is not said twice."""
    seen = {_sameness(claim) for claim in known}
    kept = []
    for claim in new:
        if _sameness(claim) not in seen:
            seen.add(_sameness(claim))
            kept.append(claim)
    return tuple(sorted((*known, *kept), key=lambda claim: claim.line))


def _sameness(claim: Claim) -> tuple[str, str, str]:
    return key_of(claim.entity), fold(claim.field), fold(claim.value)


def _tags(found: Iterable[str], basis: tuple[str, ...]) -> tuple[str, ...]:
    """The model's tags of at most three words that a tag can hold, then those of the patterns."""
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


def _parts(text: str) -> list[str]:
    """The words of a text as they are compared; runs of a script without spaces as their pairs."""
    return [
        part
        for word in wording.words(one_line(text))
        for part in (pairs(word) if max(word, default="") >= _UNSPACED else [word])
        if part
    ]


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
    claims: list[_Claim] = Field(default=[], json_schema_extra={"maxItems": 8})


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
