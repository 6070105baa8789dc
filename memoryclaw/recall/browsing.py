"""Looking around without asking a question: show one thing, list notes, facts and links. Reads only."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import link_key
from memoryclaw.model import Fact, Link
from memoryclaw.ports import Address
from memoryclaw.recall.addresses import address_of, lead_to
from memoryclaw.text import encoding
from memoryclaw.text.language import key_of, keys_of
from memoryclaw.vault.folder import Vault

_NOTE_KINDS = {
    "episodes": "episode",
    "facts": "semantic",
    "fact": "semantic",
    "skills": "skill",
    "notes": "note",
    "logs": "log",
    "turn": "log",
}
KINDS = ("episode", "semantic", "skill", "note", "log")
STATES = ("current", "archived", "pending", "draft")


class ShownUnit(NamedTuple):
    """One thing of the vault as it stands in its file."""

    address: Address
    text: str


class NoteEntry(NamedTuple):
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


def show(id_: str, catalog: Catalog, vault: Vault) -> ShownUnit:
    """The lines of a note, section, fact or turn.

    Raises:
        NotFoundError: nothing has this id.
    """
    address = address_of(id_, catalog, vault)
    text = _text(vault, address.path)
    lines = encoding.LINE.findall(text)
    if address.id == address.note:
        return ShownUnit(address._replace(end_line=max(len(lines), 1)), text)
    return ShownUnit(address, "".join(lines[address.line - 1 : address.end_line]))


def browse(catalog: Catalog, *, kind: str = "", state: str = "current", limit: int = 50) -> list[NoteEntry]:
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
    return [
        NoteEntry(id_, of, path, title, at, tuple(json.loads(tags)), in_)
        for id_, of, path, title, at, tags, in_ in rows
    ]


def facts(
    catalog: Catalog, *, entity: str = "", as_of: date | None = None, history: bool = False
) -> list[tuple[str, Fact]]:
    """Facts with the path of their file: those that hold now, or held on a day, or all of them; then statements, newest first.

    Of what was said, those that nothing later is tied to, or was on that day.

    Args:
        catalog: where they are known from.
        entity: its name, a synonym of it, or the first or last word of it where only one is called so.
        as_of: the day.
        history: all of them.

    Raises:
        NotFoundError: no fact is known of this entity.
    """
    found = _facts_of(entity, catalog) if entity else catalog.facts()
    if entity and not found:
        raise NotFoundError(f"no fact is known of {entity!r}; `memoryclaw facts` lists every entity")
    # What was said comes last, the newest first.
    found = [pair for pair in found if not pair[1].is_statement] + sorted(
        [pair for pair in found if pair[1].is_statement], key=lambda pair: pair[1].said, reverse=True
    )
    if history:
        return found
    held = [pair for pair in found if _holds(pair[1], as_of)]
    # Where the past of a field is known, its current value without a date is younger than that.
    told = {(path, *_field_of(fact)) for path, fact in held if not fact.current and not fact.is_statement}
    return [
        (path, fact)
        for path, fact in held
        if not fact.current or fact.since or (path, *_field_of(fact)) not in told
    ]


def links(id_: str, catalog: Catalog, vault: Vault) -> Links:
    """The links that a note (or a section or a fact of it) holds, and those of other notes that lead to it.

    Raises:
        NotFoundError: nothing has this id.
    """
    address = address_of(id_, catalog, vault)
    return Links(_links_out(address, catalog), _links_back(address, catalog))


def _facts_of(entity: str, catalog: Catalog) -> list[tuple[str, Fact]]:
    key = key_of(entity)
    for keys in (
        {*keys_of(entity), *(key_of(word) for _, word in catalog.synonyms([key]))},
        _called(key, catalog),
    ):
        found = [pair for pair in catalog.facts() if keys.intersection(keys_of(pair[1].entity))]
        if found:
            return found
    return []


def _called(key: str, catalog: Catalog) -> set[str]:
    return {key_of(name) for _, _, name in catalog.names([key], ["part"])}


def _field_of(fact: Fact) -> tuple[str, str]:
    return key_of(fact.entity), fact.field.casefold()


def _links_out(address: Address, catalog: Catalog) -> list[LinkEnd]:
    sql = "select path, target, anchor, label, line, embed from links where path = ? order by seq"
    rows = catalog.rows(sql, (address.path,))
    found = [(str(row[0]), Link(*row[1:])) for row in rows]
    if address.id != address.note:
        found = [(path, link) for path, link in found if address.line <= link.line <= address.end_line]
    return [
        LinkEnd(path, link.line, _written(link), link.label, lead_to(link.target, path, catalog))
        for path, link in found
    ]


def _links_back(address: Address, catalog: Catalog) -> list[LinkEnd]:
    """The links from elsewhere; for a section those that name it, for a fact those that lead to its entity."""
    keys = _link_keys(address, catalog)
    sql = "select path, target, anchor, label, line, embed from links where target_key in (select value from json_each(?)) order by path, seq"
    rows = catalog.rows(sql, [json.dumps(keys)])
    ends = [
        LinkEnd(
            str(r[0]), int(r[4]), _written(Link(*r[1:])), str(r[3]), lead_to(str(r[1]), str(r[0]), catalog)
        )
        for r in rows
    ]
    return [end for end in ends if end.source != address.path and end.to and _same(end, address)]


def _same(end: LinkEnd, address: Address) -> bool:
    if address.entity and address.kind in ("fact", "entity"):
        return end.to.rpartition("#")[2] == address.entity
    heading = address.id.partition("#")[2] if address.id != address.note else ""
    if heading and end.target.rpartition("#")[2].casefold() != heading.casefold():
        return False
    return end.to == address.note


def _link_keys(address: Address, catalog: Catalog) -> list[str]:
    if address.entity and address.kind in ("fact", "entity"):
        return [
            link_key(name)
            for name in (address.entity, *(word for _, word in catalog.synonyms([key_of(address.entity)])))
        ]
    aliases = catalog.rows("select name from names where path = ? and kind = 'alias'", (address.path,))
    return [link_key(address.path), link_key(address.note), *(link_key(str(row[0])) for row in aliases)]


def _text(vault: Vault, path: str) -> str:
    found = vault.read(path)
    if found is None:
        raise NotFoundError(f"{path} is gone; run `memoryclaw sync`")
    return encoding.decode(found[0]).text


def _holds(fact: Fact, as_of: date | None) -> bool:
    if as_of is None:
        return fact.current
    day = as_of.isoformat()
    return (
        (not fact.day or fact.day[:10] <= day)
        and (not fact.until or day < fact.until[:10])
        and (fact.current or bool(fact.until))
    )


def _written(link: Link) -> str:
    return f"{link.target}#{link.anchor}" if link.anchor else link.target


# How far the text of files is to be trusted, as their headers say.


def trust_of(catalog: Catalog, paths: Iterable[str]) -> dict[str, str]:
    """The trust of each of these files that is known; the most that is said of a file counts for all that stands in it."""
    sql = "select path, trust from files where path in (select value from json_each(?))"
    return {str(path): str(trust) for path, trust in catalog.rows(sql, (json.dumps(sorted(set(paths))),))}
