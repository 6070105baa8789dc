"""What a golden question expects: an id, or the beginning of one → the units that count for it. Reads only."""

from __future__ import annotations

from typing import NamedTuple

from memoryclaw.adapters.catalog import Catalog
from memoryclaw.adapters.vault import Vault
from memoryclaw.core.errors import NotFoundError
from memoryclaw.jobs.addresses import address_of

_FIRST = 3  # ids named when a beginning fits several


class Target(NamedTuple):
    """An id as it was written, with its units; `trouble` says why it names none."""

    id: str
    units: frozenset[str] = frozenset()
    rowids: tuple[int, ...] = ()
    trouble: str = ""


def target_of(id_: str, catalog: Catalog, vault: Vault) -> Target:
    """The units of a note, section, fact or turn; those of all lines that an id covers, if it is no unit itself."""
    exact = catalog.rows("select rowid, id from units where id = ? order by path, seq limit 1", (id_,))
    note = catalog.rows("select path from files where id = ? or path in (?, ? || '.md')", (id_, id_, id_))
    if note:
        sql = "select rowid, id from units where path = ? order by seq"
        return _target(id_, catalog.rows(sql, (note[0][0],)))
    if exact:
        return _target(id_, exact)
    return _covered(id_, catalog, vault) or _begun(id_, catalog)


def _begun(id_: str, catalog: Catalog) -> Target:
    """The one file or unit whose id begins so."""
    sql = """select distinct path, id from (select path, id from files where kind != 'settings' union all select path, id from units)
        where substr(id, 1, length(?)) = ? order by id"""
    rows = catalog.rows(sql, (id_, id_))
    if not rows:
        return Target(id_, trouble="nothing in this vault has this id")
    if len({path for path, _ in rows}) > 1 or ("#" in id_ and len(rows) > 1):
        named = ", ".join(str(row[1]) for row in rows[:_FIRST])
        return Target(id_, trouble=f"could be any of {len(rows)}: {named}{', …' * (len(rows) > _FIRST)}")
    if "#" in id_ or id_.startswith("log:"):
        return _target(id_, catalog.rows("select rowid, id from units where id = ?", (rows[0][1],)))
    return _target(id_, catalog.rows("select rowid, id from units where path = ?", (rows[0][0],)))


def _covered(id_: str, catalog: Catalog, vault: Vault) -> Target | None:
    """The units on the lines that a section or an entity takes; the facts alone of an entity."""
    try:
        at = address_of(id_, catalog, vault)
    except NotFoundError:
        return None
    sql = "select rowid, id from units where path = ? and line <= ? and end_line >= ? and (? != 'entity' or kind = 'fact') order by seq"
    return _target(id_, catalog.rows(sql, (at.path, at.end_line, at.line, at.kind)))


def _target(id_: str, rows: list[tuple[object, ...]]) -> Target:
    return Target(id_, frozenset(str(row[1]) for row in rows), tuple(int(str(row[0])) for row in rows))
