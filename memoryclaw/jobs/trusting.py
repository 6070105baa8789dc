"""How far the text of files is to be trusted, as their headers say. Reads only."""

from __future__ import annotations

import json
from collections.abc import Iterable

from memoryclaw.adapters.catalog import Catalog


def trust_of(catalog: Catalog, paths: Iterable[str]) -> dict[str, str]:
    """The trust of each of these files that is known; the most that is said of a file counts for all that stands in it."""
    sql = "select path, trust from files where path in (select value from json_each(?))"
    return {str(path): str(trust) for path, trust in catalog.rows(sql, (json.dumps(sorted(set(paths))),))}
