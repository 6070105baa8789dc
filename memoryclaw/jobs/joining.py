"""Turns that join the candidates without a word of the question: their expression of time means a day that it names.

The rule: where rows happen to lie never shows; a cut falls by day and id.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import date

from memoryclaw.adapters.catalog import Catalog
from memoryclaw.core import days
from memoryclaw.core.boosts import Asked
from memoryclaw.core.timewords import LONGEST
from memoryclaw.jobs.filters import Fields

TELLING = 50  # turns that tell of a time asked about
SPAN = 31  # days that such a time has at most; a longer one finds what was said in it
_OWN = " and entity_key in (select value from json_each(?))"


def joining(known: Collection[int], asked: Asked, fields: Fields | None, catalog: Catalog) -> list[int]:
    """Those that the fields let through.

    Args:
        known: the units that words found.
        asked: the days and the people that the question names.
        fields: its fields.
        catalog: knows the turns.
    """
    joined = [rowid for rowid in dict.fromkeys(_telling(asked, catalog)) if rowid not in known]
    if fields is None or not joined:
        return joined
    through = fields.among(joined)
    return [rowid for rowid in joined if rowid in through]


def _telling(asked: Asked, catalog: Catalog) -> list[int]:
    """Turns whose expression of time means a day asked about; of people who are asked about, what they say themselves.

    Whoever speaks of somebody else names them, and is found by that.
    """
    sql = """select rowid from units where means_from != '' and means_from between ? and ? and means_to >= ?
        and trust != 'untrusted'"""
    who = [json.dumps(list(asked.people))] if asked.people else []
    sql += f"{_OWN if who else ''} order by means_to desc, means_from, at, id, path, seq limit {TELLING}"
    found = []
    for first, last, _ in asked.ranges:
        if first and last and date.fromisoformat(last) < days.plus(date.fromisoformat(first), SPAN):
            begun = days.plus(date.fromisoformat(first), 1 - LONGEST).isoformat()
            found += [int(row[0]) for row in catalog.rows(sql, [begun, last, first, *who])]
    return found
