"""Which skills fit what somebody asks for, and why: triggers first, then names, then descriptions. No model, no index.

The rule: a score is exactly the sum of its terms, and every term is explained by the words that made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from memoryclaw.core.language import Language, fold, words_of
from memoryclaw.core.model import Matched, Term
from memoryclaw.core.skillfile import SkillFile
from memoryclaw.core.skillvalues import values_in

TRIGGER, NAME, DESCRIPTION = 3.0, 2.0, 1.0  # what all the words of each are worth
ENOUGH = 1.0  # less than this is no match


class SkillMatch(NamedTuple):
    """How a skill fits a request; `values` are parameters with what the request says of them, `missing` what it does not say."""

    skill: SkillFile
    score: float
    terms: tuple[Term, ...]
    matched: tuple[Matched, ...]
    values: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()


def match(request: str, skills: Iterable[SkillFile], language: Language, today: date) -> list[SkillMatch]:
    """The skills that share a word with the request, the best first; those below ENOUGH do not fit."""
    asked = _Words(request, language)
    found = [scored for skill in skills if (scored := _scored(asked, skill)).score > 0]
    with_values = [_filled(one, request, today) if one.score >= ENOUGH else one for one in found]
    return sorted(with_values, key=lambda one: (-one.score, one.skill.name, one.skill.path))


class _Words:
    """The words of a text that say something, by their token."""

    def __init__(self, text: str, language: Language) -> None:
        self.language = language
        words = [word for word in words_of(text) if not language.is_stop(word)]
        self.by_token = {token: word for word in words for token in language.token(word).split()}

    def other(self, text: str) -> _Words:
        """The words of another text, in the same language."""
        return _Words(text, self.language)


def _scored(asked: _Words, skill: SkillFile) -> SkillMatch:
    said = skill.skill
    triggers = [_hits(asked, trigger, "trigger") for trigger in said.triggers]
    trigger = max(triggers, key=lambda found: found[0], default=(0.0, []))
    name = _hits(asked, said.name.replace("-", " ").replace("_", " "), "name")
    described = _hits(asked, said.description, "description")
    told = len({m.word for m in described[1]}) / max(len(set(asked.by_token.values())), 1)
    values = (
        ("trigger", TRIGGER * trigger[0] ** 2, trigger[1]),
        ("name", NAME * name[0] ** 2, name[1]),
        ("description", DESCRIPTION * told, described[1]),
    )
    terms = tuple(Term(term, round(value, 4)) for term, value, _ in values if value)
    matched = tuple(hit for _, value, hits in values if value for hit in hits)
    return SkillMatch(skill, round(sum(term.value for term in terms), 4), terms, matched)


def _hits(asked: _Words, text: str, field: str) -> tuple[float, list[Matched]]:
    """Which share of a text's words the request has, and which these are, as the request says them."""
    theirs = asked.other(text).by_token
    both = [token for token in theirs if token in asked.by_token]
    hits = [
        Matched(asked.by_token[token], field, _via(asked.by_token[token], theirs[token])) for token in both
    ]
    return len(both) / max(len(theirs), 1), hits


def _via(one: str, other: str) -> str:
    return "literal" if fold(one) == fold(other) else "stem"


def _filled(found: SkillMatch, request: str, today: date) -> SkillMatch:
    asked = found.skill.asked
    values = values_in(request, asked, today)
    missing: Sequence[str] = [one.name for one in asked if not one.optional and one.name not in values]
    return found._replace(values=tuple(values.items()), missing=tuple(missing))
