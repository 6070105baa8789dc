"""What an id or the target of a link leads to: a note, a section, an entity, a fact or a turn. Reads only."""

from __future__ import annotations

import json
import os
import posixpath
import re
import unicodedata

from memoryclaw.errors import NotFoundError
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import link_key
from memoryclaw.ports import Address
from memoryclaw.text.dates import days_of
from memoryclaw.text.language import key_of
from memoryclaw.vault.days import JOURNALS
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.layout import page_name, places
from memoryclaw.vault.notes import ReadingSettings, read_note

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def address_of(id_: str, catalog: Catalog, vault: Vault) -> Address:
    """Where an id leads; the name of a file, an alias or an entity does as well, as in a link."""
    exact = (
        catalog.resolve(id_)
        or catalog.resolve(places(os.fspath(vault.root)).name_of(id_))
        or _twin(id_, catalog)
        or _section(id_, catalog, vault)
        or _entity(id_, catalog)
    )
    bare = id_.removeprefix("log:")
    if exact is None and posixpath.normpath(f"/{bare.strip()}").strip("/"):  # `..` and `log:` name nothing
        led = lead_to(bare, "", catalog) or lead_to(f"{id_}/SKILL.md", "", catalog)
        exact = catalog.resolve(led) or _entity(led, catalog)
    if exact is None:
        raise NotFoundError(
            f"nothing in this vault has the id {id_!r}; `memoryclaw search` prints the ids of what it finds"
        )
    return exact


def _twin(id_: str, catalog: Catalog) -> Address | None:
    """What stands in a file under an id that another file has too, by the path of the file."""
    path, _, below = id_.partition("#")
    note = catalog.resolve(path) if below else None
    if note is None:
        return None
    sql = """select id, line, end_line, kind, entity, field, state from units
        where path = ? and (id = ? or (kind = 'turn' and 'L' || line = ?)) order by seq limit 1"""
    rows = catalog.rows(sql, (note.path, f"{note.id}#{below}", below))
    if not rows:
        return None
    _, line, end_line, kind, entity, field, state = rows[0]
    return Address(
        id_, note.note, str(kind), note.path, int(line), int(end_line), str(state), str(entity), str(field)
    )


def lead_to(target: str, source: str, catalog: Catalog) -> str:
    """The id that a link's target names, by Obsidian's rules: path, then file name, then alias; then an entity of ours.

    What another note took in leads to that one.
    """
    note_id = _lead_to(target, source, catalog)
    note = catalog.resolve(note_id or target) if (note_id or target) and catalog.has_merged() else None
    return note.note if note and note.id == note.note else note_id


def _lead_to(target: str, source: str, catalog: Catalog) -> str:
    if not target:
        return str(catalog.rows("select id from files where path = ?", (source,))[0][0])
    folder = source.rpartition("/")[0]
    bases = dict.fromkeys(posixpath.normpath(posixpath.join(top, target.lstrip("/"))) for top in ("", folder))
    paths = [path for base in bases for path in (base, f"{base}.md")]
    direct = catalog.rows(
        "select id from files where path in (select value from json_each(?)) order by path limit 1",
        (json.dumps(paths),),
    )
    rows = direct or _by_file_name(target, folder, catalog)
    if rows:
        return str(rows[0][0])
    for sql, value in (
        ("select id from files where id = ? order by path limit 1", target),
        (
            "select f.id from names n join files f on f.path = n.path where n.key = ? and n.kind in ('alias', 'block') order by f.path limit 1",
            key_of(target),
        ),
    ):
        rows = catalog.rows(sql, (value,))
        if rows:
            return str(rows[0][0])
    return _journal(target, catalog) or entity_id(target, catalog)


def _journal(target: str, catalog: Catalog) -> str:
    """The note whose name is nothing but the day that a target names, in whatever form: `[[April 11th, 2021]]`."""
    day = days_of(target) if any(character.isdigit() for character in target) else ""
    if not _DAY.fullmatch(day):
        return ""
    sql = "select id, path from files where at = ? and kind = 'note' and state = 'current' order by path"
    notes = catalog.rows(sql, (day,))
    stems = {day.replace("-", apart) for apart in ("-", "_", ".", "")}
    return next(
        (
            str(id_)
            for id_, path in notes
            if path.startswith(JOURNALS) or path.rpartition("/")[2].removesuffix(".md") in stems
        ),
        "",
    )


def entity_id(name: str, catalog: Catalog) -> str:
    """The id under which an entity is shown: the file with its facts, and its name there; empty where none is known of it."""
    keys = [key_of(name), *(key_of(word) for _, word in catalog.synonyms([key_of(name)]))]
    sql = "select path, entity from facts where entity_key in (select value from json_each(?)) order by current desc, path, seq limit 1"
    rows = catalog.rows(sql, (json.dumps(keys),))
    return f"{str(rows[0][0]).removesuffix('.md')}#{rows[0][1]}" if rows else ""


def _by_file_name(target: str, folder: str, catalog: Catalog) -> list[tuple[object, ...]]:
    """Files of this name, those in the folder of the link first, then the shortest path; folders in the target must fit."""
    ending = _comparable(posixpath.normpath(target))
    named = catalog.rows(
        "select id, path from files where stem = ? and kind != 'settings'", (link_key(target),)
    )
    fitting = [
        row
        for row in named
        if f"/{_comparable(str(row[1]))}".endswith(f"/{ending.removeprefix('../').lstrip('/')}")
    ]
    return sorted(
        fitting, key=lambda row: (str(row[1]).rpartition("/")[0] != folder, len(str(row[1])), str(row[1]))
    )


def _comparable(path: str) -> str:
    name = path.rpartition("/")[2]
    bare = (
        path.removesuffix(f".{name.rpartition('.')[2]}")
        if name.endswith((".md", ".json", ".jsonl", ".js"))
        else path
    )
    return unicodedata.normalize("NFC", page_name(bare)).casefold()


def _entity(id_: str, catalog: Catalog) -> Address | None:
    """The lines that tell of an entity now, for `semantic/contacts#John`."""
    note_id, _, name = id_.partition("#")
    note = catalog.resolve(note_id) if name else None
    if note is None:
        return None
    facts = [fact for path, fact in catalog.facts(name) if path == note.path]
    lines = [fact.line for fact in facts if fact.current] or [fact.line for fact in facts]
    if not lines:
        return None
    return note._replace(id=id_, kind="entity", line=min(lines), end_line=max(lines), entity=facts[0].entity)


def _section(id_: str, catalog: Catalog, vault: Vault) -> Address | None:
    note_id, _, heading = id_.partition("#")
    address = catalog.resolve(note_id) if heading else None
    if address is None:
        return None
    stored = vault.read(address.path)
    note = read_note(address.path, stored[0] if stored else b"", ReadingSettings(collections=frozenset()))
    for section in note.sections:
        if section.heading.casefold() == heading.casefold():
            end = max(s.end_line for s in note.sections if s.trail[: len(section.trail)] == section.trail)
            return address._replace(id=id_, kind="section", line=section.line, end_line=end)
    return None
