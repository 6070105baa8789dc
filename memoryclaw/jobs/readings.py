"""Units' columns as words and tokens, read from the index with the turns beside them."""

from __future__ import annotations

from collections.abc import Mapping

from memoryclaw.adapters.catalog import Catalog
from memoryclaw.core.explain import Reading, read_columns
from memoryclaw.core.language import Language
from memoryclaw.core.model import Unit

_NOTHING = ("", "")


def readings_of(units: Mapping[int, Unit], catalog: Catalog, language: Language) -> dict[int, Reading]:
    """What BM25 counts in each of these units, by rowid, to be replayed word by word."""
    beside = catalog.texts_beside(units)
    return {rowid: _reading(unit, *beside.get(rowid, _NOTHING), language) for rowid, unit in units.items()}


def _reading(unit: Unit, before: str, after: str, language: Language) -> Reading:
    columns = {
        "title": unit.title, "tags": unit.tags, "properties": unit.properties, "body": unit.text, "prev": before, "next": after,
    }  # fmt: skip
    return read_columns(columns, language)
