"""What the vault holds true while a consolidation is planned: its names, its facts, and what the plan has added to them so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoryclaw.adapters.catalog import Catalog
from memoryclaw.core.consolidation.changes import Claim, Decided, Segment
from memoryclaw.core.consolidation.decisions import Decisions
from memoryclaw.core.consolidation.reconcile import Homes, after, reconcile
from memoryclaw.core.entities import candidates, key_of
from memoryclaw.core.language import WORD, words_of
from memoryclaw.core.model import Fact
from memoryclaw.core.vocabulary import Schema

# Of two things with one key, the kind that comes later here gives the name.
_KINDS = ("part", "person", "project", "entity")
_LONGEST = 4  # words of a name

Known = list[tuple[str, Fact]]


class Knowing:
    """Decides claim after claim, each in the light of those before it."""

    def __init__(self, catalog: Catalog, schema: Schema, decisions: Decisions, *, today: str = "") -> None:
        self._catalog = catalog
        self._schema = schema
        self._decisions = decisions
        self._today = today
        self._facts: dict[str, Known] = {}
        self._firsts: set[str] | None = None

    @property
    def fields(self) -> dict[str, str]:
        """The fields that the vault declares, in lower case, with their types."""
        return {name: field.type for name, field in self._schema.fields.items()}

    def names(self, segment: Segment) -> dict[str, str]:
        """The names of things known in the vault that the segment's words may stand for, by their key."""
        texts = [text for turn in segment.turns for text in (turn.name, turn.text) if text]
        lines = {line for text in texts for line in text.splitlines()}
        keys = {key for line in lines for key in self._keys(words_of(line))}
        # One word of a longer name counts only where it is written as a name: not every flat is "Old flat".
        written = {key_of(word) for line in texts for word in WORD.findall(line) if not word[:1].islower()}
        found = self._catalog.names(sorted(keys), _KINDS)
        by_rank = sorted(found, key=lambda row: (_KINDS.index(row[1]), row[2]))
        return {key: name for key, kind, name in by_rank if kind != "part" or key in written}

    def _keys(self, words: Sequence[str]) -> Iterator[str]:
        """The keys that neighbouring words may stand for, from each word on that begins a name of the vault."""
        if self._firsts is None:
            self._firsts = self._catalog.first_words(_KINDS)
        for at, word in enumerate(words):
            if key_of(word) in self._firsts or not word.isascii():
                yield from (c.key for c in candidates(words[at : at + _LONGEST]) if c.first == 0)

    def decide(self, claim: Claim, source: str) -> Decided:
        """What becomes of a claim; it counts for those that follow."""
        claim = claim._replace(entity=self._catalog.entity_name(claim.entity))
        key = key_of(claim.entity)
        known = self._facts.get(key)
        if known is None:
            known = self._catalog.facts(claim.entity)
        decided = reconcile(
            claim, known, self._schema, self._decisions, homes=self._homes(claim.entity), today=self._today
        )
        self._facts[key] = after(known, decided, source)
        return decided

    def _homes(self, entity: str) -> Homes:
        return Homes(self._catalog.entity_files(entity))
