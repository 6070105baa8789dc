"""Looking around without asking a question: show one thing, list notes, facts and links. Reads only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from memoryclaw.adapters.catalog import Catalog
from memoryclaw.adapters.index import link_key
from memoryclaw.adapters.vault import Vault
from memoryclaw.core import textfile
from memoryclaw.core.entities import key_of
from memoryclaw.core.errors import InputError, NotFoundError
from memoryclaw.core.model import Fact, Link
from memoryclaw.core.notes import ReadingSettings, read_note
from memoryclaw.core.ports import Address

_NOTE_KINDS = {"episodes": "episode", "facts": "semantic", "fact": "semantic", "skills": "skill", "notes": "note", "logs": "log", "turn": "log"}
KINDS = ("episode", "semantic", "skill", "note", "log")
STATES = ("current", "archived", "pending", "draft")


class Shown(NamedTuple):
    """One thing of the vault as it stands in its file."""

    address: Address
    text: str


class Listed(NamedTuple):
    """One line of `browse`."""

    id: str
    kind: str
    path: str
    title: str
    at: str
    tags: tuple[str, ...]
    state: str


class LinkEnd(NamedTuple):
    """One link with what it leads to; `to` is empty when nothing in the vault answers to it."""

    source: str  # path of the note that holds it
    line: int
    target: str  # as written
    label: str
    to: str  # id it leads to


class Links(NamedTuple):
    """The links of one note in both directions."""

    out: list[LinkEnd]
    back: list[LinkEnd]


def show(id_: str, catalog: Catalog, vault: Vault) -> Shown:
    """The lines of a note, section, fact or turn.

    Raises:
        NotFoundError: nothing has this id.
    """
    address = catalog.resolve(id_) or _section(id_, catalog, vault)
    if address is None:
        raise NotFoundError(f"nothing in this vault has the id {id_!r}; `memoryclaw search` prints the ids of what it finds")
    text = _text(vault, address.path)
    if address.id == address.note:
        return Shown(address._replace(end_line=text.count("\n") + (not text.endswith("\n"))), text)
    lines = text.splitlines(keepends=True)[address.line - 1 : address.end_line]
    return Shown(address, "".join(lines))


def browse(catalog: Catalog, *, kind: str = "", state: str = "current", limit: int = 50) -> list[Listed]:
    """Notes, pinned ones first, then the newest; `kind` and `state` narrow the list.

    Raises:
        InputError: there is no such kind or state.
    """
    wanted = _NOTE_KINDS.get(kind, kind)
    if wanted and wanted not in KINDS:
        raise InputError(f"there is no kind {kind!r}; it is one of {', '.join(KINDS)}")
    if state not in STATES:
        raise InputError(f"there is no state {state!r}; it is one of {', '.join(STATES)}")
    sql = """select id, kind, path, title, at, tags, state from files where kind != 'settings' and state = ?
        and (? = '' or kind = ?) order by pinned desc, at desc, path limit ?"""
    rows = catalog.rows(sql, (state, wanted, wanted, limit))
    return [Listed(*row[:5], tuple(json.loads(str(row[5]))), str(row[6])) for row in rows]  # type: ignore[arg-type]


def facts(catalog: Catalog, *, entity: str = "", as_of: date | None = None, history: bool = False) -> list[tuple[str, Fact]]:
    """Facts with the path of their file: those that hold now, or held on a day, or all of them.

    Raises:
        NotFoundError: no fact is known of this entity.
    """
    keys = [key_of(entity), *(key_of(word) for _, word in catalog.synonyms([key_of(entity)]))] if entity else []
    found = [pair for pair in catalog.facts() if not keys or key_of(pair[1].entity) in keys]
    if entity and not found:
        raise NotFoundError(f"no fact is known of {entity!r}; `memoryclaw facts` lists every entity")
    if history:
        return found
    return [pair for pair in found if _holds(pair[1], as_of)]


def links(id_: str, catalog: Catalog) -> Links:
    """The links that a note holds, and those of other notes that lead to it.

    Raises:
        NotFoundError: nothing has this id.
    """
    address = _must(id_, catalog)
    return Links(_links_out(address, catalog), _links_back(address, catalog))


def _links_out(address: Address, catalog: Catalog) -> list[LinkEnd]:
    sql = "select path, target, anchor, label, line, embed from links where path = ? order by seq"
    rows = catalog.rows(sql, (address.path,))
    found = [(str(row[0]), Link(*row[1:])) for row in rows]  # type: ignore[arg-type]
    return [LinkEnd(path, link.line, _written(link), link.label, lead_to(link.target, path, catalog)) for path, link in found]


def _links_back(address: Address, catalog: Catalog) -> list[LinkEnd]:
    """For a fact's id, the links that lead to its entity."""
    keys = _link_keys(address, catalog)
    sql = "select path, target, anchor, label, line, embed from links where target_key in (select value from json_each(?)) order by path, seq"
    rows = catalog.rows(sql, [json.dumps(keys)])
    ends = [LinkEnd(str(r[0]), int(r[4]), _written(Link(*r[1:])), str(r[3]), lead_to(str(r[1]), str(r[0]), catalog)) for r in rows]  # type: ignore[arg-type,call-overload]
    return [end for end in ends if end.source != address.path and end.to and _same(end.to, address, catalog)]


def lead_to(target: str, source: str, catalog: Catalog) -> str:
    """The id that a link's target names, by Obsidian's rules: path, then file name, then alias; then an entity of ours."""
    if not target:
        return str(catalog.rows("select id from files where path = ?", (source,))[0][0])
    folder = source.rpartition("/")[0]
    paths = [p for base in (target, f"{folder}/{target}" if folder else target) for p in (base, f"{base}.md")]
    for sql, value in (
        ("select id from files where path in (select value from json_each(?)) order by path limit 1", json.dumps(paths)),
        ("select id from files where stem = ? and kind != 'settings' order by length(path), path limit 1", link_key(target)),
        ("select id from files where id = ? order by path limit 1", target),
        ("select f.id from names n join files f on f.path = n.path where n.key = ? and n.kind = 'alias' order by f.path limit 1", key_of(target)),
        ("select path || '#' || entity from facts where entity_key = ? order by current desc, path limit 1", key_of(target)),
    ):
        found = catalog.rows(sql, (value,))
        if found:
            return str(found[0][0]).replace(".md#", "#")
    return ""


def _must(id_: str, catalog: Catalog) -> Address:
    address = catalog.resolve(id_)
    if address is None:
        raise NotFoundError(f"nothing in this vault has the id {id_!r}; `memoryclaw browse` lists what there is")
    return address


def _same(found: str, address: Address, catalog: Catalog) -> bool:
    if address.kind == "fact":
        return found.rpartition("#")[2] == address.entity
    return found == address.note or catalog.resolve(found) == address


def _link_keys(address: Address, catalog: Catalog) -> list[str]:
    if address.kind == "fact":
        return [link_key(address.entity)]
    aliases = catalog.rows("select name from names where path = ? and kind = 'alias'", (address.path,))
    return [link_key(address.path), link_key(address.note), *(link_key(str(row[0])) for row in aliases)]


def _section(id_: str, catalog: Catalog, vault: Vault) -> Address | None:
    note_id, _, heading = id_.partition("#")
    address = catalog.resolve(note_id) if heading else None
    if address is None:
        return None
    found = vault.read(address.path)
    note = read_note(address.path, found[0] if found else b"", ReadingSettings(collections=frozenset()))
    for section in note.sections:
        if section.heading.casefold() == heading.casefold():
            end = max(s.end_line for s in note.sections if s.trail[: len(section.trail)] == section.trail)
            return address._replace(id=id_, kind="section", line=section.line, end_line=end)
    return None


def _text(vault: Vault, path: str) -> str:
    found = vault.read(path)
    if found is None:
        raise NotFoundError(f"{path} is gone; run `memoryclaw sync`")
    return textfile.decode(found[0]).text


def _holds(fact: Fact, as_of: date | None) -> bool:
    if as_of is None:
        return fact.current
    day = as_of.isoformat()
    return (not fact.since or fact.since[:10] <= day) and (not fact.until or day < fact.until[:10]) and (fact.current or bool(fact.until))


def _written(link: Link) -> str:
    return f"{link.target}#{link.anchor}" if link.anchor else link.target


