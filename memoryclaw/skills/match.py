"""Matches skills to a request by their triggers, names and descriptions, without a model or an index.

A score is exactly the sum of its terms, and every term is explained by its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from memoryclaw.model import Matched, Term
from memoryclaw.skills.skill_file import SkillFile
from memoryclaw.text.language import Language, fold, words_of

TRIGGER, NAME, DESCRIPTION = 3.0, 2.0, 1.0  # what all the words of each are worth
ENOUGH = 1.0  # less than this is no match


class SkillMatch(NamedTuple):
    """How a skill matches a request."""

    skill: SkillFile
    score: float
    terms: tuple[Term, ...]
    matched: tuple[Matched, ...]


def match(request: str, skills: Iterable[SkillFile], language: Language) -> list[SkillMatch]:
    """The skills that share a word with the request, best first; those below ENOUGH are not a match."""
    words = _by_token(request, language)
    matches = [scored for skill in skills if (scored := _score(words, skill, language)).score > 0]
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
