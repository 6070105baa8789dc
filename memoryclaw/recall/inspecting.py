"""Tells how strongly one memory is remembered, and how each of its uses adds to that. Reads only."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from memoryclaw.index.catalog import Catalog
from memoryclaw.ports import Address
from memoryclaw.recall.addresses import address_of
from memoryclaw.recall.strength import Strength, Strengths
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.ledger import Ledger

_MODES = ("recall", "search", "get")


class Inspected(NamedTuple):
    """One memory and its uses.

    Attributes:
        address: where it stands.
        kind: by which its half-life goes.
        strength: how strongly it is remembered, with each use that counts.
        shown: how often recalls showed it, or a part of it.
        searched: how often a search returned it to a session.
        fetched: how often somebody asked to see it whole.
        cited: how many uses an assistant's reply gave away.
        rated: how many uses were rated.
        worth: of a fact or statement, what spoke for keeping it when it was consolidated.
    """

    address: Address
    kind: str
    strength: Strength
    shown: int
    searched: int
    fetched: int
    cited: int
    rated: int
    worth: str = ""


def inspect(id_: str, catalog: Catalog, vault: Vault, ledger: Ledger, today: date) -> Inspected:
    """How strongly what has this id is remembered on a day.

    Raises:
        NotFoundError: nothing has this id.
    """
    address = address_of(id_, catalog, vault)
    rows = catalog.rows(
        "select kind from units where id = ? order by state != 'current', path, seq limit 1", (address.id,)
    )
    kind = str(rows[0][0]) if rows else address.kind
    strengths = Strengths(ledger.record(), today, catalog.merged_ids())
    is_note = address.id == address.note
    strength = strengths.of_note(address.id, kind) if is_note else strengths.of(address.id, kind)
    uses = [step.use for step in strength.steps]
    times = ledger.counts_by_mode(address.id)
    listed, searched, fetched = (times.get(mode, 0) for mode in _MODES)
    cited, rated = sum(bool(use.cited) for use in uses), sum(bool(use.rating) for use in uses)
    return Inspected(address, kind, strength, listed, searched, fetched, cited, rated)
