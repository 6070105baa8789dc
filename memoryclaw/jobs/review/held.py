"""What is held true now of what a waiting fact is about. Reads only, and each file once."""

from __future__ import annotations

from memoryclaw.core.factsheet import same
from memoryclaw.core.model import Fact
from memoryclaw.core.places import place_of
from memoryclaw.jobs.pen import Pen


class Held:
    """The facts that hold, file by file as they are asked for."""

    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._schema = pen.schema()
        self._files: dict[str, tuple[Fact, ...]] = {}

    def many(self, field: str) -> bool:
        """True for a field that may hold several values side by side."""
        declared = self._schema.fields.get(" ".join(field.lower().split()))
        return declared is not None and declared.many

    def facts(self, entity: str, field: str) -> list[Fact]:
        """What holds of this field, in the first file that tells it."""
        entity = self._pen.lookup.entity_name(entity)
        for path in self._pen.lookup.entity_files(entity):
            if place_of(path) == ("semantic", "current"):
                found = [f for f in self._read(path) if same(f.entity, entity) and same(f.field, field)]
                if found:
                    return found
        return []

    def beside(self, entity: str, field: str, value: str) -> str:
        """The value that a new one would take the place of; empty where there is none."""
        facts = [] if self.many(field) else self.facts(entity, field)
        return ", ".join(fact.value for fact in facts if fact.value != value)

    def _read(self, path: str) -> tuple[Fact, ...]:
        if path not in self._files:
            found = self._pen.semantic(path).facts(self._pen.text(path)).facts
            self._files[path] = tuple(fact for fact in found if fact.current)
        return self._files[path]
