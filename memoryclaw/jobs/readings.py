"""A unit's columns as words and tokens, read from the index with the turns beside it."""

from __future__ import annotations

from memoryclaw.adapters.catalog import Brief, Catalog
from memoryclaw.core.explain import Reading, read_columns
from memoryclaw.core.language import Language
from memoryclaw.core.model import Unit


def reading_of(unit: Unit, brief: Brief, catalog: Catalog, language: Language) -> Reading:
    """What BM25 counts in a unit, to be replayed word by word."""
    before, after = catalog.texts_beside(brief.path, brief.seq) if unit.kind == "turn" else ("", "")
    columns = {
        "title": unit.title, "tags": unit.tags, "properties": unit.properties, "body": unit.text, "prev": before, "next": after,
    }  # fmt: skip
    return read_columns(columns, language)
