"""Looking around without asking a question: show one thing, list notes, facts and links. Reads only."""

from __future__ import annotations

import json
import os
import posixpath
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import link_key
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTE_KINDS, NOTE_STATES, Fact, Unit
from memoryclaw.ports import Address
from memoryclaw.recall.conflicts import ShownLines, Superseded, successors
from memoryclaw.recall.strength import Strength, Strengths
from memoryclaw.text import encoding
from memoryclaw.text.dates import days_of, falls_in, find_ranges, leading_range, next_occurrence
from memoryclaw.text.encoding import readable
from memoryclaw.text.grammar import UNREAD, grammar
from memoryclaw.text.language import Language, key_of, keys_of, words_of
from memoryclaw.vault.files import digest_of
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.layout import page_name, place_of, places, slug
from memoryclaw.vault.ledger import Ledger
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.properties import JOURNALS, check_type, day_in_name, plain_name, source_of_day
from memoryclaw.vault.todos import read_todo

_NOTE_KINDS = {
    "episodes": "episode",
    "facts": "semantic",
    "fact": "semantic",
    "skills": "skill",
    "notes": "note",
    "logs": "log",
    "turn": "log",
}
_SAID = 80  # characters of a turn that stand for it
TODO_STATES = {"open": ("open",), "done": ("done", "cancelled"), "all": ("open", "done", "cancelled")}


class ShownUnit(NamedTuple):
    """One thing of the vault as it stands in its file."""

    address: Address
    text: str
    digest: str = ""  # of its whole file
    superseded: tuple[Superseded, ...] = ()  # what its lines told and holds no longer
    day: str = ""  # of a plain note
    day_from: str = ""  # name | heading | folder | header


class NoteEntry(NamedTuple):
    """One line of `browse`."""

    id: str
    kind: str
    path: str
    title: str
    at: str
    tags: tuple[str, ...]
    state: str
    hot: bool = False  # used often; told by `browse` alone


class LinkEnd(NamedTuple):
    """One link with what it leads to; `to` is empty when nothing in the vault answers to it."""

    source: str  # path of the note that holds it
    line: int
    target: str  # as written
    label: str
    to: str  # id it leads to


class Links(NamedTuple):
    """The links of one note in both directions."""

    id: str
    out: list[LinkEnd]
    back: list[LinkEnd]


# What an id or the target of a link leads to: a note, a section, an entity, a fact or a turn. Reads only.

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


def show(id_: str, catalog: Catalog, vault: Vault, today: date) -> ShownUnit:
    """The lines of a note, section, fact or turn, and what of a log or an episode was superseded since.

    Raises:
        NotFoundError: nothing has this id.
    """
    address = address_of(id_, catalog, vault)
    data = _bytes(vault, address.path)
    text, digest = encoding.decode(data).text, digest_of(data)
    lines = encoding.LINE.findall(text)
    if address.id == address.note:
        address = address._replace(end_line=max(len(lines), 1))
    excerpt = "".join(lines[address.line - 1 : address.end_line])
    place = place_of(address.path)
    if place is None or place.kind not in ("episode", "log"):
        dated = catalog.dated_notes(address.path)
        day, source = (dated[0][1][:10], source_of_day(*dated[0])) if dated else ("", "")
        return ShownUnit(address, excerpt, digest, day=day, day_from=source)
    episode = readable(excerpt) if place.kind == "episode" else ""
    lines_shown = ShownLines(address.path, address.line, address.end_line, episode)
    outdated = successors(catalog, [lines_shown], today.isoformat()) if episode or place.kind == "log" else {}
    return ShownUnit(address, excerpt, digest, tuple(outdated.get(0, ())))


def browse(
    catalog: Catalog,
    *,
    kind: str = "",
    state: str = "current",
    memory_type: str = "",
    limit: int = 50,
    strengths: Strengths | None = None,
) -> list[NoteEntry]:
    """Notes, pinned ones first, then the newest, of equals those that are used often; what is given narrows the list.

    Args:
        strengths: how strongly they are remembered; None where nothing was ever used.

    Raises:
        InputError: there is no such kind, state or type.
    """
    note_kind, sort = _NOTE_KINDS.get(kind, kind), check_type(memory_type)
    if note_kind and note_kind not in NOTE_KINDS:
        raise InputError(f"there is no kind {kind!r}; choose one of {', '.join(NOTE_KINDS)}")
    if state not in NOTE_STATES:
        raise InputError(f"there is no state {state!r}; choose one of {', '.join(NOTE_STATES)}")
    hot = _hot_notes(catalog, strengths) if strengths else set()
    sql = """select id, kind, path, title, at, tags, state from files f where kind != 'settings' and state = ?1 and (?2 = '' or kind = ?2)
        and (?3 = '' or memory_type = ?3 or exists(select 1 from unit u where u.fid = f.fid and u.memory_type = ?3 and u.state = f.state))
        order by pinned desc, at desc, id in (select value from json_each(?4)) desc, path limit ?5"""
    rows = catalog.rows(sql, (state, note_kind, sort, json.dumps(sorted(hot)), limit))
    return [
        NoteEntry(id_, of, path, title, day, tuple(json.loads(tags)), in_, id_ in hot)
        for id_, of, path, title, day, tags, in_ in rows
    ]


def _hot_notes(catalog: Catalog, strengths: Strengths) -> set[str]:
    """The ids of the notes that are used often, by their own uses and those of all their parts."""
    sql = "select id, min(kind) from files where id in (select value from json_each(?)) group by id"
    rows = catalog.rows(sql, [json.dumps(sorted(strengths.notes))])
    return {str(id_) for id_, kind in rows if strengths.of_note(str(id_), str(kind)).is_hot}


def facts(
    catalog: Catalog,
    *,
    entity: str = "",
    as_of: date | None = None,
    history: bool = False,
    memory_type: str = "",
    among: list[tuple[str, Fact]] | None = None,
) -> list[tuple[str, Fact]]:
    """Facts with the path of their file: those that hold now, or held on a day, or all of them; then statements, newest first.

    Of what was said, those that nothing later is tied to, or was on that day.

    Args:
        entity: its name, a synonym of it, or the first or last word of it where only one is called so.
        among: instead of those that the index knows.

    Raises:
        NotFoundError: no fact is known of this entity.
        InputError: there is no such type.
    """
    sort = check_type(memory_type)
    if entity:
        known = _facts_of(entity, catalog, among)
        if not known:
            raise NotFoundError(f"there are no facts about {entity!r}; `memoryclaw facts` lists every entity")
    else:
        known = catalog.facts() if among is None else among
    known = [pair for pair in known if sort in ("", pair[1].lifecycle.memory_type)]
    statements = [pair for pair in known if pair[1].is_statement]
    known = [pair for pair in known if not pair[1].is_statement]
    known += sorted(statements, key=lambda pair: pair[1].said, reverse=True)
    if history:
        return known
    holding = [pair for pair in known if _holds(pair[1], as_of)]
    # Where the past of a field is known, its current value without a date is younger than that.
    dated_fields = {
        (path, *_field_of(fact)) for path, fact in holding if not fact.current and not fact.is_statement
    }
    return [
        (path, fact)
        for path, fact in holding
        if not fact.current or fact.since or (path, *_field_of(fact)) not in dated_fields
    ]


class TodoEntry(NamedTuple):
    """One to-do; days are ISO dates, empty where its line names none."""

    id: str
    status: str  # open | done | cancelled
    text: str
    due: str
    scheduled: str
    start: str
    finished: str  # the day on which it was done
    repeat: str
    title: str  # of its note, and the headings above it
    note: str
    path: str
    line: int
    trust: str


def todos(
    catalog: Catalog,
    language: Language,
    *,
    words: str = "",
    first: str = "",
    last: str = "",
    state: str = "open",
) -> list[TodoEntry]:
    """To-dos: open ones first, the soonest first.

    Args:
        words: all of them stand in the to-do, the title or tags of its note, or the names in it; whatever their endings.
        first: ISO date; those that are due, or scheduled, from then on.
        last: ISO date; until then.

    Raises:
        InputError: there is no such state.
    """
    if state not in TODO_STATES:
        raise InputError(f"there is no state {state!r}; choose one of {', '.join(TODO_STATES)}")
    tokens = set(" ".join(map(language.token, words_of(words))).split())
    entries = []
    for unit, path in catalog.todos(TODO_STATES[state]):
        todo = read_todo(unit.value)
        if todo is None or ((first or last) and not falls_in(unit.days, first, last)):
            continue
        if tokens and not tokens.issubset(_tokens_of(unit, language)):
            continue
        note = unit.id.rpartition("#")[0]
        entries.append(
            TodoEntry(
                unit.id,
                unit.field,
                unit.text,
                todo.due,
                todo.scheduled,
                todo.start,
                todo.finished,
                todo.repeat,
                unit.title,
                note,
                path,
                unit.line,
                unit.trust,
            )
        )
    return sorted(
        entries,
        key=lambda entry: (
            entry.status != "open",
            entry.due or entry.scheduled or "9999",
            entry.path,
            entry.line,
        ),
    )


def due_in(text: str, today: date) -> tuple[str, str]:
    """The first and the last ISO day of a time in words: `this week`, `30 April`, `next month`; what comes again is the next.

    Raises:
        InputError: it cannot be read.
    """
    ranges, rest_of_text = find_ranges(text, today)
    if not ranges or words_of(rest_of_text):
        ranges = [
            range_
            for range_ in (leading_range(text, today),)
            if range_ and not words_of(text[range_.span[1] :])
        ]
    if not ranges:
        raise InputError(
            f"{text[:60]!r} is not a time; write it as 2026-04-30, `this week`, `30 April` or `next month`"
        )
    range_ = next_occurrence(ranges[0], today) or ranges[0]
    return range_.start, range_.end


def _tokens_of(unit: Unit, language: Language) -> set[str]:
    words = words_of(f"{unit.text} {unit.title} {unit.tags} {unit.properties}")
    return set(" ".join(map(language.token, words)).split())


def links(id_: str, catalog: Catalog, vault: Vault) -> Links:
    """The links that a note (or a section or a fact of it) holds, and those of other notes that lead to it.

    Raises:
        NotFoundError: nothing has this id.
    """
    address = address_of(id_, catalog, vault)
    out, back = _link_ends(catalog, "path = ?", address.path), _links_back(address, catalog)
    if address.id != address.note:
        out = [end for end in out if address.line <= end.line <= address.end_line]
    return Links(id_, out, back)


def _facts_of(entity: str, catalog: Catalog, among: list[tuple[str, Fact]] | None) -> list[tuple[str, Fact]]:
    if "/" in entity:
        known = catalog.facts_in(f"{entity}.md") if among is None else among
        # One of several notes of a name is named with its folder.
        if of_note := [pair for pair in known if pair[0] == f"{entity}.md"]:
            return of_note
    key = key_of(entity)
    whose, _, own = key.partition(" ")  # `my brother`
    for keys in (
        {
            *(part for name in catalog.names_of_owner(entity) or (entity,) for part in keys_of(name)),
            *(key_of(word) for _, word in catalog.synonyms([key])),
        },
        _keys_of_name(key, catalog),
        {own, *_keys_of_name(own, catalog)} if whose in grammar(UNREAD).possessives_own else set[str](),
    ):
        known = catalog.facts_called(keys) if among is None else among
        pairs = [pair for pair in known if keys.intersection(keys_of(pair[1].entity))]
        if pairs:
            return pairs
    return []


def _keys_of_name(key: str, catalog: Catalog) -> set[str]:
    return {key_of(name) for _, _, name in catalog.names([key], ["entity", "part"])}


def _field_of(fact: Fact) -> tuple[str, str]:
    return key_of(fact.entity), fact.field.casefold()


def _link_ends(catalog: Catalog, where: str, value: str) -> list[LinkEnd]:
    rows = catalog.rows(
        f"select path, line, target, anchor, label from links where {where} order by path, seq", (value,)
    )
    return [
        LinkEnd(path, line, f"{target}#{anchor}" if anchor else target, label, lead_to(target, path, catalog))
        for path, line, target, anchor, label in rows
    ]


def _links_back(address: Address, catalog: Catalog) -> list[LinkEnd]:
    """The links from elsewhere; for a section those that name it, for a fact those that lead to its entity."""
    keys = json.dumps(_link_keys(address, catalog))
    # A journal is linked to by its day, in whatever form.
    is_journal = address.note.startswith(JOURNALS) or day_in_name(address.note.rpartition("/")[2])
    days = " or target glob '*[0-9]*'" if is_journal else ""
    ends = _link_ends(catalog, f"(target_key in (select value from json_each(?)){days})", keys)
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
    sql = "select name from names where path = ? and kind in ('alias', 'block', 'merged')"
    names = [str(row[0]) for row in catalog.rows(sql, (address.path,))]
    return [link_key(name) for name in (address.path, address.note, *names)]


def _bytes(vault: Vault, path: str) -> bytes:
    stored = vault.read(path)
    if stored is None:
        raise NotFoundError(f"{path} is gone; run `memoryclaw sync`")
    return stored[0]


def _holds(fact: Fact, as_of: date | None) -> bool:
    if as_of is None:
        return fact.current
    day = as_of.isoformat()
    return (
        (not fact.day or fact.day[:10] <= day)
        and (not fact.until or day < fact.until[:10])
        and (fact.current or bool(fact.until))
    )


def logs_of(session: str, catalog: Catalog) -> list[str]:
    """The files that hold turns of a session, the oldest first.

    Raises:
        NotFoundError: there is none.
    """
    begin = f"log:{session}/"
    sql = "select path, min(at) from units where kind = 'turn' and id >= ? and id < ? group by path order by 2, 1"
    paths = [str(row[0]) for row in catalog.rows(sql, (begin, f"log:{session}0"))]
    if not paths:
        raise NotFoundError(f"no log of this vault holds a turn of a session called {session!r}")
    return paths


def successors_in(catalog: Catalog, vault: Vault, path: str, today: date) -> dict[int, list[Superseded]]:
    """What the lines of a log told and holds no longer, by line."""
    lines = len(encoding.LINE.findall(encoding.decode(_bytes(vault, path)).text))
    outdated = successors(catalog, [ShownLines(path, 1, max(lines, 1))], today.isoformat()).get(0, [])
    return {
        line: list(lines_told) for line, lines_told in groupby(outdated, key=lambda successor: successor.line)
    }


def titles(catalog: Catalog, ids: Iterable[str]) -> dict[str, str]:
    """What each of these notes, facts and turns is called, as far as they are known."""
    keys = json.dumps(sorted(set(ids)))
    sql = "select id, title from files where id in (select value from json_each(?))"
    names = {str(id_): str(title) for id_, title in catalog.rows(sql, (keys,))}
    rows = catalog.rows("select rowid from unit where id in (select value from json_each(?))", (keys,))
    for unit in catalog.units([row[0] for row in rows]).values():
        if unit.kind == "fact":
            names[unit.id] = f"{unit.title}: {unit.value}"
        elif unit.kind == "turn":
            names[unit.id] = f"{unit.entity or unit.role}: {unit.text[:_SAID]}"
        else:
            names.setdefault(unit.id, unit.title)
    return names


# How far the text of files is to be trusted, as their headers say.


def trust_of(catalog: Catalog, paths: Iterable[str]) -> dict[str, str]:
    """The trust of each of these files that is known; the most that is said of a file counts for all that stands in it."""
    sql = "select path, trust from files where path in (select value from json_each(?))"
    return dict(catalog.rows(sql, (json.dumps(sorted(set(paths))),)))


# Entities: what facts are known of, and who is told of together with whom.

_MOST_EPISODES = 200
_MOST_NEIGHBOURS = 40
NAMED = ("person", "entity", "project")  # how a note names what it is about
_NOT_ASCII = re.compile(r"[^0-9A-Za-z]+")


class EntityEntry(NamedTuple):
    """One line of `entities`."""

    name: str
    kind: str  # the file that holds its facts: people, projects, …
    facts: int  # that hold now
    statements: int
    last: str  # ISO date of the newest fact or statement


class Neighbour(NamedTuple):
    """An entity that another is told of together with."""

    name: str
    kind: str  # of the entity
    fields: tuple[str, ...]  # of facts that link the two
    episodes: int  # and other notes that name both


class EntityShown(NamedTuple):
    """One entity: every fact of it, what happened, and its neighbours."""

    name: str
    kind: str
    also: tuple[str, ...]  # its other names
    facts: tuple[tuple[str, Fact], ...]
    episodes: tuple[NoteEntry, ...]  # newest first
    neighbours: tuple[Neighbour, ...]  # the nearest first


def entities(catalog: Catalog, *, words: str = "", kind: str = "") -> list[EntityEntry]:
    """Everything that facts are known of, by name.

    Args:
        kind: only those whose facts stand in this file of `semantic/`, such as `people`.
    """
    keys = [key_of(word) for word in words.split()]
    listed = [entry for entry in _entities_by_key(catalog).values() if not kind or entry.kind == kind]
    return [entry for entry in listed if all(word in key_of(entry.name) for word in keys)]


def _entities_by_key(catalog: Catalog) -> Mapping[str, EntityEntry]:
    return catalog.constant("entities", lambda: _read_entities(catalog))


def _read_entities(catalog: Catalog) -> Mapping[str, EntityEntry]:
    sql = """select entity, path, count(case when current = 1 and type = 'fact' then 1 end),
        count(case when type = 'statement' then 1 end), max(case when since > said then since else said end)
        from facts where entity != '' group by entity_key, entity, path order by entity_key, sum(current) desc, path, entity"""
    entries = dict[str, EntityEntry]()
    rows = catalog.rows(sql)
    called = catalog.namesakes((path, name) for name, path, *_ in rows)
    for name, path, fact_count, statement_count, last in rows:
        entry = EntityEntry(called.get(path, name), _kind_of(path), fact_count, statement_count, last or "")
        earlier = entries.setdefault(key_of(entry.name), entry)
        if earlier is not entry:
            entries[key_of(entry.name)] = earlier._replace(
                facts=earlier.facts + entry.facts,
                statements=earlier.statements + entry.statements,
                last=max(earlier.last, entry.last),
            )
    return entries


def entity(name: str, catalog: Catalog) -> EntityShown:
    """One entity with its past, what happened, and its neighbours.

    Raises:
        NotFoundError: no fact is known of it.
    """
    pairs = facts(catalog, entity=name, history=True)
    named = next((fact.entity for _, fact in pairs if fact.current), pairs[0][1].entity)
    name = name if "/" in name and pairs[0][0] == f"{name}.md" else named
    kind = _kind_of(next((path for path, fact in pairs if fact.entity == named), pairs[0][0]))
    also = tuple(dict.fromkeys(word for _, word in catalog.synonyms([key_of(name)])))
    keys = sorted({key_of(name), *keys_of(name), *map(key_of, also)})
    links = sorted({link_key(word) for word in (name, *also)})
    entries = _entities_by_key(catalog)
    paths = paths_about(keys, links, catalog)
    return EntityShown(
        name,
        kind,
        also,
        tuple(pairs),
        _episodes(paths, catalog),
        _neighbours((name, *also, *keys), pairs, paths, entries, catalog),
    )


def _kind_of(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md") if path.startswith("semantic/") else "note"


def paths_about(keys: list[str], links: list[str], catalog: Catalog) -> list[str]:
    """The notes that name an entity in their header or link to it."""
    sql = """select path from names where key in (select value from json_each(?)) and kind in (select value from json_each(?))
        union select path from links where target_key in (select value from json_each(?))"""
    rows = catalog.rows(sql, (json.dumps(keys), json.dumps(NAMED), json.dumps(links)))
    return sorted(str(path) for (path,) in rows if not str(path).startswith("semantic/"))


def _episodes(paths: list[str], catalog: Catalog) -> tuple[NoteEntry, ...]:
    sql = """select id, kind, path, title, at, tags, state from files where path in (select value from json_each(?))
        and kind in ('episode', 'note') and state = 'current' order by at desc, path limit ?"""
    rows = catalog.rows(sql, (json.dumps(paths), _MOST_EPISODES))
    headings = _headings(catalog, (str(row[0]) for row in rows))
    return tuple(
        NoteEntry(i, k, p, headings.get(i, t), day, tuple(json.loads(tags)), s)
        for i, k, p, t, day, tags, s in rows
    )


def _headings(catalog: Catalog, ids: Iterable[str]) -> dict[str, str]:
    """The titles of those of these episodes that are named by one: it is their first line, and elsewhere a summary stands for it."""
    sql = "select rowid from unit where kind = 'episode' and id in (select value from json_each(?))"
    units = catalog.units([row[0] for row in catalog.rows(sql, (json.dumps(list(ids)),))]).values()
    first = {unit.id: unit.text.partition("\n")[0] for unit in units}
    return {id_: line for id_, line in first.items() if f"_{slug(line)}" in id_}


def _neighbours(
    names: tuple[str, ...],
    facts_told: list[tuple[str, Fact]],
    paths: list[str],
    known: Mapping[str, EntityEntry],
    catalog: Catalog,
) -> tuple[Neighbour, ...]:
    """Who stands in a value of the one's facts or has it in its own, and who is named in the same notes."""
    keys = {key_of(name) for name in names}
    fields = dict[str, list[str]]()
    for _, fact in facts_told:
        if fact.current and (neighbour := known.get(key_of(plain_name(fact.value)))):
            fields.setdefault(key_of(neighbour.name), []).append(fact.field)
    sql = "select entity_key, field, value from facts where current = 1 and type = 'fact' and value like ?"
    # SQLite folds the case of ASCII alone: whatever else a name holds is left open here, and compared by key.
    for like in sorted({_NOT_ASCII.sub("%", f"%{name}%") for name in names}):
        for entity_key, field, value in catalog.rows(sql, (like,)):
            if key_of(plain_name(str(value))) in keys and str(entity_key) in known:
                fields.setdefault(str(entity_key), []).append(str(field))
    sql = """select key, count(distinct path) from names where path in (select value from json_each(?))
        and kind in (select value from json_each(?)) group by key"""
    together = {str(k): int(n) for k, n in catalog.rows(sql, (json.dumps(paths), json.dumps(NAMED)))}
    neighbours = [
        Neighbour(entry.name, entry.kind, tuple(dict.fromkeys(fields.get(key, ()))), together.get(key, 0))
        for key, entry in known.items()
        if key not in keys and (key in fields or key in together)
    ]
    neighbours.sort(key=lambda entity: (not entity.fields, -entity.episodes, entity.name))
    return tuple(neighbours[:_MOST_NEIGHBOURS])


# Tells how strongly one memory is remembered, and how each of its uses adds to that. Reads only.

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


# What changed in the world, in the order in which it did: facts that began, ended or gave way, what was said, and episodes. Reads
# only.

_LEFT_OUT = "quarantined"
_ORDER = ("ended", "superseded", "began", "said", "episode")  # of what happened at the same time


class TimelineEvent(NamedTuple):
    """One thing that changed or happened, with the line that tells it."""

    at: str  # ISO day, or day and time, in the world
    kind: str  # began | superseded | ended | said | episode
    entity: str
    field: str
    value: str  # of a fact, the words of a statement, the title of an episode
    was: str  # the value that gave way
    id: str
    path: str
    line: int


class Timeline(NamedTuple):
    """Events, the oldest first, and how many there are before them."""

    events: tuple[TimelineEvent, ...]
    earlier: int


def timeline(
    catalog: Catalog, *, entity: str = "", since: str = "", until: str = "", limit: int = 50
) -> Timeline:
    """The newest events of an entity, or of everything; what has no date is none.

    Args:
        since: ISO day; from then on.
        until: ISO day; up to its end.

    Raises:
        NotFoundError: nothing is known of this entity.
    """
    pairs, paths = _about(entity, catalog) if entity else (catalog.facts(), None)
    trust = trust_of(catalog, (path for path, _ in pairs))
    pairs = [pair for pair in pairs if _LEFT_OUT not in (pair[1].trust, trust.get(pair[0]))]
    of_facts = [
        row for row in _of_facts(pairs) if since <= row.at and (not until or row.at[: len(until)] <= until)
    ]
    # Of many, only what is no older than the last that is shown is put in order.
    oldest = sorted(row.at for row in of_facts)[-limit] if 0 < limit < len(of_facts) else ""
    episodes, number = _told_in_episodes(catalog, paths, since, until, limit)
    happened = [*(row for row in of_facts if row.at >= oldest), *episodes]
    happened.sort(key=lambda event: (event.at, _ORDER.index(event.kind), event.path, event.line, event.id))
    newest = happened[-limit:] if limit else []
    return Timeline(tuple(newest), len(of_facts) + number - len(newest))


def _about(entity: str, catalog: Catalog) -> tuple[list[tuple[str, Fact]], list[str]]:
    """The facts of an entity, and the notes that name it."""
    try:
        pairs = facts(catalog, entity=entity, history=True)
    except NotFoundError:
        pairs = []
    name = next((fact.entity for _, fact in pairs if fact.current), pairs[0][1].entity if pairs else entity)
    names = dict.fromkeys((entity, name, *(word for _, word in catalog.synonyms([key_of(name)]))))
    keys = sorted({key for alias in names for key in (key_of(alias), *keys_of(alias))})
    paths = paths_about(keys, sorted(map(link_key, names)), catalog)
    if not pairs and not paths:
        raise NotFoundError(
            f"nothing is known of {entity!r}; `memoryclaw browse entities` lists every entity"
        )
    return pairs, paths


def _of_facts(facts_told: Iterable[tuple[str, Fact]]) -> Iterator[TimelineEvent]:
    by_field: dict[tuple[str, str, str], list[tuple[str, Fact]]] = {}
    for path, fact in facts_told:
        if fact.is_statement:
            yield from _event(fact.said, "said", path, fact)
        else:
            by_field.setdefault((path, key_of(fact.entity), fact.field.casefold()), []).append((path, fact))
    for values in by_field.values():
        yield from _of_field(values)


def _of_field(values: Sequence[tuple[str, Fact]]) -> Iterator[TimelineEvent]:
    """What became of one field: a value that begins on the day on which another ends takes its place."""
    ended, starts = [fact for _, fact in values if fact.until], {fact.since for _, fact in values} - {""}
    last = max((fact.until for fact in ended), default="")
    undated = [fact for _, fact in values if fact.current and not fact.since]
    for path, fact in values:
        # Where the past of a field is known, its one value without a date is younger than that.
        began = fact.since or (last if undated == [fact] and last not in starts else "")
        gone = [end.value for end in ended if end.until == began and end is not fact]
        yield from _event(began, "superseded" if gone else "began", path, fact, ", ".join(gone))
        follows = fact.until in starts or (fact.until == last and len(undated) == 1)
        if fact.until and not follows:
            yield from _event(fact.until, "ended", path, fact)


def _event(at: str, kind: str, path: str, fact: Fact, was: str = "") -> Iterator[TimelineEvent]:
    if at:
        yield TimelineEvent(at, kind, fact.entity, fact.field, fact.value, was, fact.id, path, fact.line)


def _told_in_episodes(
    catalog: Catalog, paths: Sequence[str] | None, since: str, until: str, limit: int
) -> tuple[list[TimelineEvent], int]:
    """The newest episodes of a time, and how many there are in all."""
    episodes = """from files where kind = 'episode' and state = 'current' and at != '' and trust != ? and at >= ? and at <= ?
        and (cast(? as text) is null or path in (select value from json_each(?)))"""
    among = None if paths is None else json.dumps(list(paths))
    # Every moment of the last day sorts before it with the last of all characters behind.
    values = (_LEFT_OUT, since, f"{until}\U0010ffff", among, among or "[]")
    sql = f"select at, title, id, path {episodes} order by at desc, path desc limit ?"
    newest = [
        TimelineEvent(str(day), "episode", "", "", str(title), "", str(id_), str(path), 1)
        for day, title, id_, path in catalog.rows(sql, (*values, limit))
    ]
    return newest, int(catalog.rows(f"select count(*) {episodes}", values)[0][0])
