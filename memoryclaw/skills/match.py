"""Matches skills to a request by their triggers, names and descriptions, without a model or an index.

A score is exactly the sum of its terms, and every term is explained by its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import takewhile
from typing import NamedTuple

from memoryclaw.model import Matched, Term
from memoryclaw.skills.skill_file import EMAIL, URL, ParameterSpec, SkillFile
from memoryclaw.text.dates import find_ranges, with_blanks
from memoryclaw.text.language import Language, fold, words_of

TRIGGER, NAME, DESCRIPTION = 3.0, 2.0, 1.0  # what all the words of each are worth
ENOUGH = 1.0  # less than this is no match


class SkillMatch(NamedTuple):
    """How a skill matches a request; `values` are parameters that the request gives, `missing` those it does not."""

    skill: SkillFile
    score: float
    terms: tuple[Term, ...]
    matched: tuple[Matched, ...]
    values: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()


def match(request: str, skills: Iterable[SkillFile], language: Language, today: date) -> list[SkillMatch]:
    """The skills that share a word with the request, best first; those below ENOUGH are not a match."""
    words = _by_token(request, language)
    matches = [scored for skill in skills if (scored := _score(words, skill, language)).score > 0]
    for number, fit in enumerate(matches):
        if fit.score >= ENOUGH:
            specs, values = fit.skill.asked, values_in(request, fit.skill.asked, today)
            missing = (spec.name for spec in specs if not spec.optional and spec.name not in values)
            matches[number] = fit._replace(values=tuple(values.items()), missing=tuple(missing))
    return sorted(matches, key=lambda reading: (-reading.score, reading.skill.name, reading.skill.path))


def _by_token(text: str, language: Language) -> dict[str, str]:
    """The words of a text without stop words, by token."""
    words = [word for word in words_of(text) if not language.is_stop(word)]
    return {token: word for word in words for token in language.token(word).split()}


def _score(words: Mapping[str, str], skill: SkillFile, language: Language) -> SkillMatch:
    def hits_in(text: str, field: str) -> tuple[float, list[Matched]]:
        """The share of a text's words that the request has, and these words as the request spells them."""
        theirs = _by_token(text, language)
        both = [(words[token], word) for token, word in theirs.items() if token in words]
        hits = [Matched(our, field, "literal" if fold(our) == fold(word) else "stem") for our, word in both]
        return len(hits) / max(len(theirs), 1), hits

    header = skill.skill
    triggers = [hits_in(trigger, "trigger") for trigger in header.triggers]
    trigger = max(triggers, key=lambda pair: pair[0], default=(0.0, []))
    name = hits_in(header.name.replace("-", " ").replace("_", " "), "name")
    described = hits_in(header.description, "description")
    share = len({m.word for m in described[1]}) / max(len(set(words.values())), 1)
    values = (
        ("trigger", TRIGGER * trigger[0] ** 2, trigger[1]),
        ("name", NAME * name[0] ** 2, name[1]),
        ("description", DESCRIPTION * share, described[1]),
    )
    terms = tuple(Term(term, round(value, 4)) for term, value, _ in values if value)
    matched = tuple(hit for _, value, hits in values if value for hit in hits)
    return SkillMatch(skill, round(sum(term.value for term in terms), 4), terms, matched)


# Parameter values in a request. Only obvious ones are taken; the rest is asked for.

_LONGEST = 2000  # characters of a request that are looked at
_TIME = re.compile(r"(?<![\d:])\d{1,2}:\d\d(?![\d:])")
_NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:[.,]\d+)?(?![\w])")
_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«\s*+([^«»]*[^«»\s])\s*»|(?<!\w)'([^']+)'(?!\w)"
)
_WORD = r"[^\W\d_][\w'’-]*"
_NAMED = re.compile(
    rf"\b(to|for|with|from|at|in|an|für|mit|von|nach|à|pour|avec|de)\s+(?=({_WORD}(?:\s+{_WORD}){{0,3}}))",
    re.IGNORECASE,
)
_PEOPLE = frozenset(
    {"recipient", "recipients", "person", "people", "who", "whom", "client", "customer", "contact", "guest", "attendee", "name", "team"}
)  # fmt: skip
_TOWARDS = frozenset({"to", "for", "with", "an", "für", "mit", "nach", "à", "pour", "avec"})
_FROM = frozenset({"from", "von", "de"})
_PLACES = frozenset({"at", "in", "to", "nach", "à"})
_OF_TYPE = {"email": EMAIL, "url": URL, "time": _TIME, "number": _NUMBER, "integer": _NUMBER}


def values_in(request: str, specs: Sequence[ParameterSpec], today: date) -> dict[str, str]:
    """The values of a skill's parameters, by name, as far as the request gives them plainly.

    Dates are ISO dates, or two of them with a slash between. A person may stand where an address is asked for.
    """
    reader = _ValueReader(request[:_LONGEST], today)
    values = {spec.name: value for spec in specs if (value := reader.by_type(spec))}
    values |= {
        spec.name: value for spec in specs if spec.name not in values and (value := reader.by_lead(spec))
    }
    values |= {
        spec.name: value for spec in specs if spec.name not in values and (value := reader.quote(spec))
    }
    return {spec.name: values[spec.name] for spec in specs if spec.name in values}


class _ValueReader:
    """Takes values from one request, each only once."""

    def __init__(self, request: str, today: date) -> None:
        quotes = list(_QUOTED.finditer(request))
        self._quotes = [next(filter(None, hit.groups())) for hit in quotes]
        ranges, self._rest = find_ranges(with_blanks(request, [hit.span() for hit in quotes]), today)
        # Who asks for something to be done means a day to come; what looks back is a question that stays open.
        ahead = [r for r in ranges if r.start and (not r.end or r.end >= today.isoformat())]
        self._dates = [r.start if r.start == r.end else f"{r.start}/{r.end}" for r in ahead]
        self._names = [
            (hit[1].lower(), name) for hit in _NAMED.finditer(self._rest) if (name := _capitals(hit[2]))
        ]

    def by_type(self, one: ParameterSpec) -> str:
        """A value found by its type."""
        if one.type in ("date", "datetime"):
            return self._dates.pop(0) if self._dates else ""
        pattern = _OF_TYPE.get(one.type)
        hit = pattern.search(self._rest) if pattern else None
        if hit:
            self._rest = with_blanks(self._rest, [hit.span()])
        return hit[0] if hit else ""

    def by_lead(self, one: ParameterSpec) -> str:
        """A name found by the word before it: `to John`, `from Hamburg`."""
        parts, words = {*one.name.lower().replace("-", "_").split("_")}, frozenset[str]()
        if "from" in parts:
            words = _FROM
        elif "to" in parts or one.type in ("email", "entity", "person") or _PEOPLE & parts:
            words = _TOWARDS
        elif {"place", "city", "site", "where"} & parts:
            words = _PLACES
        for place, (before, name) in enumerate(self._names):
            if before in words:
                del self._names[place]
                return name
        return ""

    def quote(self, one: ParameterSpec) -> str:
        """Quoted words, for a parameter of any text."""
        return self._quotes.pop(0) if self._quotes and one.type in ("", "string", "text") else ""


def _capitals(text: str) -> str:
    """The capitalised words at the start of a text: names, in most languages with capitals."""
    names = takewhile(lambda word: word[0].isupper(), text.split())
    return " ".join(re.sub(r"['’]s$", "", name) for name in names)
