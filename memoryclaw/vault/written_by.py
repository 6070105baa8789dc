"""Who writes a plain note, told by its path and its lines: `data/written_by.json` lists what hosts have agents and models write."""

from __future__ import annotations

import re
from functools import cache

from memoryclaw.model import TRUSTS, least_trusted
from memoryclaw.text import words as lists


def trust_of_file(path: str) -> str:
    """How far a plain note is trusted by who writes the file of this path."""
    return least_trusted(TRUSTS[0], *(trust for row, trust in _rows("files", "path") if row.fullmatch(path)))


def trust_of_lines(text: str) -> str:
    """How far a text is trusted by who speaks in its lines."""
    return least_trusted(TRUSTS[0], *(trust for row, trust in _rows("lines", "begins") if row.search(text)))


@cache
def _rows(kind: str, pattern: str) -> list[tuple[re.Pattern[str], str]]:
    rows = lists.table("written_by")[kind]
    return [(re.compile(row[pattern], re.IGNORECASE | re.MULTILINE), row["trust"]) for row in rows]
