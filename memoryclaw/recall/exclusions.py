"""Decides which candidates may not be in an answer, and why: their state, their trust, or because they are about something else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from memoryclaw.index.catalog import Catalog, UnitSummary
from memoryclaw.recall.boosts import held
from memoryclaw.recall.filters import asks_for_state, moments
from memoryclaw.recall.question import Question
from memoryclaw.text.language import Language

Key = tuple[str, str]  # entity and field


class Decider:
    """The decisions of one question.

    Args:
        question: the question, understood.
        briefs: all its candidates.
        language: the analysis of words.
        catalog: knows fields and synonyms of entities.
    """

    def __init__(
        self, question: Question, briefs: Iterable[UnitSummary], language: Language, catalog: Catalog
    ) -> None:
        self._question = question
        self._facts = [brief for brief in briefs if brief.kind == "fact"]
        self._language = language
        self._catalog = catalog
        self._any_state = asks_for_state(question.query.filters)
        spoken = [(spoken.start, spoken.end) for spoken in question.query.ranges]
        self._moments = [*spoken, *moments(question.query.filters)]

    def reason(self, brief: UnitSummary) -> str:
        """Why this one is left out, or an empty string."""
        if (
            brief.state != "current"
            and not self._any_state
            and not (brief.state == "superseded" and self._held_then(brief))
        ):
            return brief.state
        if brief.trust == "quarantined":
            return "quarantined"
        if brief.kind != "fact":
            return ""
        if self._is_of_another(brief):
            return "other_entity"
        return "other_time" if _key(brief) in self._told_then and not self._held_then(brief) else ""

    def names_field(self, field: str) -> bool:
        """True when the question says this field's name, or a synonym of it."""
        tokens = self._language.tokens(field)
        return bool(tokens) and self._question.tokens.issuperset(tokens)

    def _held_then(self, brief: UnitSummary) -> bool:
        return any(
            held(brief.at, brief.until, *moment, open_end=brief.state == "current")
            for moment in self._moments
        )

    @cached_property
    def _told_then(self) -> set[Key]:
        """What is known to have had a value at the time that the question is about: its other values mislead."""
        if self._any_state:
            return set()
        return {_key(brief) for brief in self._facts if self._held_then(brief)} if self._moments else set()

    def _is_of_another(self, brief: UnitSummary) -> bool:
        question, key = self._question, brief.entity_key
        if (
            not question.entities
            or key in question.entities
            or key in question.parts
            or not self.names_field(brief.field)
        ):
            return False
        words = set(self._language.tokens(brief.field))
        asked = [entity for entity in question.entities if set(self._language.tokens(entity)) != words]
        return bool(asked) and (brief.field.casefold() in self._fields or key not in self._tied)

    @cached_property
    def _fields(self) -> set[str]:
        """The fields that the entities of the question have themselves."""
        return {field.casefold() for field in self._catalog.fields_of(list(self._question.entities))}

    @cached_property
    def _tied(self) -> set[str]:
        """The entities with a value that names an entity of the question: the chairman *of the rowing club*."""
        names = [
            *self._question.entities,
            *(name for _, name in self._catalog.synonyms(list(self._question.entities))),
        ]
        tokens = [self._language.tokens(name) for name in names]
        return {
            brief.entity_key
            for brief in self._facts
            if _names_one(self._language.tokens(brief.value), tokens)
        }


def _names_one(value: Sequence[str], names: Sequence[Sequence[str]]) -> bool:
    return any(name and set(name).issubset(value) for name in names)


def _key(brief: UnitSummary) -> Key:
    return brief.entity_key, brief.field.casefold()
