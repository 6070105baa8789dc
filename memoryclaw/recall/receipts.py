"""What the ledger keeps of what was shown, without a word of it: what a session has seen, and a recall read back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memoryclaw.index.catalog import Catalog
from memoryclaw.late import NamedTuple
from memoryclaw.model import Match
from memoryclaw.ports import Address
from memoryclaw.recall.packing import digest_of, item_text
from memoryclaw.recall.recall import Recalled
from memoryclaw.text.encoding import texts_in

LEFT_OUT = 64  # ids in a receipt of what was left out; the rest is counted
LINES = 400  # of something that is read: no host shows more of it
SEEN = ("all", "tools", "none")

Digests = dict[str, set[str]]


class Decided(NamedTuple):
    """What a recall decided on one thing, and what has become of that since."""

    id: str
    path: str
    line: int
    decision: str  # `in`, or the reason why it was left out
    changed: bool  # it says something else now


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack:
    """A recall, as its receipt tells of it; no text is kept in a receipt."""

    receipt: str
    ts: str
    session: str
    tokens: int
    budget: int
    decided: tuple[Decided, ...]
    more: Mapping[str, int]  # what was left out besides, counted by reason
    gone: int = 0  # of what was decided on: no longer there, or not for who asks


def digests_seen(events: Iterable[Mapping[str, Any]], which: str) -> Digests:
    """The digests of what a session was shown, by id.

    Args:
        events: of the session, the oldest first.
        which: `all` of it; what `tools` showed, for a host that keeps nothing of what was recalled; or `none`, from now on, for
            a host that has cut the conversation.
    """
    shown_digests: Digests = {}
    for event in events:
        if event.get("seen") == "none":
            shown_digests.clear()
        digests = event.get("digests")
        if isinstance(digests, dict) and (which == "all" or event.get("mode") != "recall"):
            for id_, digest in digests.items():
                shown_digests.setdefault(id_, set()).add(str(digest).partition("/")[0])
    return {} if which == "none" else shown_digests


def event_of(answer: Recalled) -> dict[str, Any]:
    """What a receipt keeps of a recall: ids, digests and reasons."""
    ids_by_reason: dict[str, list[str]] = {}
    for omitted in answer.left_out[:LEFT_OUT]:
        ids_by_reason.setdefault(omitted.reason, []).append(omitted.id)
    beyond = Counter(omitted.reason for omitted in answer.left_out[LEFT_OUT:])
    return {
        "ids": [match.unit.id for match in answer.matches],
        "digests": dict(answer.sent),
        "left_out": ids_by_reason,
        **({"more": dict(sorted(beyond.items()))} if beyond else {}),
        "tokens": answer.tokens,
        "budget": answer.budget,
    }


def whole_matches(matches: Iterable[Match]) -> dict[str, str]:
    """The digests of those matches of a search of which the snippet is all."""
    return {
        match.unit.id: digest_of(item_text(match.unit))
        for match in matches
        if match.snippet.split() == match.unit.text.split()
    }


def whole_units(address: Address, catalog: Catalog) -> dict[str, str]:
    """The digests of the units that stand in what was read."""
    sql = "select rowid from units where path = ? and line >= ? and end_line <= ? and end_line < ?"
    values = (address.path, address.line, address.end_line, address.line + LINES)
    units = catalog.units([row[0] for row in catalog.rows(sql, values)])
    return {unit.id: digest_of(item_text(unit)) for unit in units.values()}


def read_back(event: Mapping[str, Any], catalog: Catalog) -> ReadBack:
    """A recall as it was, of what is still there for whom the catalog is."""
    reasons_left_out = event.get("left_out")
    decided = [(id_, "in") for id_ in texts_in(event.get("ids"))]
    if isinstance(reasons_left_out, dict):
        decided += [(id_, str(reason)) for reason, ids in reasons_left_out.items() for id_ in texts_in(ids)]
    digests, beyond = event.get("digests"), event.get("more")
    digests = digests if isinstance(digests, dict) else {}
    sql = """select id, rowid, path, line from units where id in (select value from json_each(?))
        order by id, state != 'current', path, seq"""
    places: dict[str, tuple[int, str, int]] = {}
    for id_, *place in catalog.rows(sql, [json.dumps([id_ for id_, _ in decided])]):
        places.setdefault(id_, (place[0], place[1], place[2]))
    units = catalog.units([places[id_][0] for id_ in digests if id_ in places])
    rows = []
    for id_, decision in decided:
        if id_ in places:
            rowid, path, line = places[id_]
            digest = digest_of(item_text(units[rowid])) if rowid in units else ""
            changed = id_ in digests and str(digests[id_]).rpartition("/")[2] != digest
            rows.append(Decided(id_, path, line, decision, changed))
    return ReadBack(
        receipt=str(event.get("receipt")),
        ts=str(event.get("ts")),
        session=str(event.get("session") or ""),
        tokens=int(event.get("tokens") or 0),
        budget=int(event.get("budget") or 0),
        decided=tuple(rows),
        more=dict(beyond) if isinstance(beyond, dict) else {},
        gone=len(decided) - len(rows),
    )
