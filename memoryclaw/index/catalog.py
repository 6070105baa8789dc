"""Questions to the index's tables: what an id names, which units these are, what words and entities there are. Reads only."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from memoryclaw.index.database import ACCENTED, LIFECYCLE, ROWS_OF, sample_of, unpack
from memoryclaw.late import NamedTuple
from memoryclaw.model import COUNTED, SESSION, VALUE, Fact, Lifecycle, Problem, Unit, least_trusted
from memoryclaw.ports import Address, IndexDatabase
from memoryclaw.text import words as lists
from memoryclaw.text.language import fold, key_of
from memoryclaw.text.memory_lines import log_line

_UNIT = (
    "rowid, text, id, kind, line, end_line, at, until, days, entity, role, field, value, trust, pinned, state"
)
_UNIT += "".join(f", {name}" for name in LIFECYCLE)
_IN = "in (select value from json_each(?))"
_NEWEST_LOGS = 200  # that are looked through for who speaks
_COUNTED = 10_000  # tokens of questions whose counts are kept
_KEPT = 10_000  # units of which what ranking needs is kept, unless …
_LONG = 4_000  # … their text is longer: characters
_USER = "user"  # where no name is known of who says `I`
BODY = COUNTED.index("body")
_LAST_CHARACTER = 0x10FFFF  # sorts after every other


def _begun(table: str, column: str) -> str:
    """The rows of a table that begin so in a column, from the first to the last of each beginning."""
    return f"""(select json_extract(value, '$.low') as low, json_extract(value, '$.high') as high from json_each(?)) as begun
        cross join {table} on {column} >= begun.low and {column} < begun.high"""


_BEGUN = _begun("words", "word")
_ADDRESSED = """select u.id, f.id, u.kind, u.path, u.line, u.end_line, u.state, u.entity, u.field from units u
    join files f on f.path = u.path where {} order by u.state != 'current', u.path, u.seq limit 1"""


T = TypeVar("T")


class UnitSummary(NamedTuple):
    """What ranking needs of a unit, without its text."""

    rowid: int
    id: str
    kind: str
    path: str
    seq: int
    line: int
    at: str
    until: str
    entity_key: str
    field: str
    value: str
    trust: str
    pinned: int
    state: str
    role: str  # of who spoke in a turn
    asks: int  # a turn that ends in a question
    opens: int  # the turn with which somebody opens a session with an assistant
    days: str = ""  # that its value is
    memory_type: str = ""
    scope: str = ""
    expires: str = ""
    verify_by: str = ""
    verified: str = ""

    @property
    def first(self) -> int:
        """The rowid of the first unit of its file: those of one reading of it stand side by side."""
        return self.rowid - self.seq

    @property
    def is_statement(self) -> bool:
        """True for the unit of a statement."""
        return self.kind == "fact" and not self.field

    @property
    def lifecycle(self) -> Lifecycle:
        """Its lifecycle."""
        return Lifecycle(self.memory_type, self.scope, self.expires, self.verify_by, self.verified)


class Coded(NamedTuple):
    """The tokens of a unit, each as its code."""

    file: int  # the number of this reading of its file; neighbours in it have neighbouring rowids
    kind: str  # `turn` for one whose words count in the turns beside it
    columns: str  # one below the other

    @property
    def body(self) -> str:
        """Those of its text."""
        return self.columns.split("\n", BODY + 1)[BODY]


class Catalog:
    """The read side of an index."""

    def __init__(self, database: IndexDatabase, owner: str = "") -> None:
        self._database = database
        self._owner = owner

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of one query, with SQLite's errors told apart."""
        with self._database.guarded() as connection:
            return connection.execute(sql, tuple(values)).fetchall()

    def rowids(self, sql: str, values: Sequence[object] = ()) -> list[int]:
        """The units of one query that asks for nothing else."""
        return [int(row[0]) for row in self.rows(sql, values)]

    def reading(self) -> AbstractContextManager[None]:
        """One state of the index for all that is asked in the block; nests."""
        return self._database.reading()

    def constant(self, name: str, read: Callable[[], T]) -> T:
        """What changes only with the index, read once for each state of it; nobody may change it."""
        return self._database.constant(name, read)

    def summaries(self, rowids: Iterable[int]) -> list[UnitSummary]:
        """What ranking needs of these units; one that has gone may be among them where it was read before."""
        select = f"select {', '.join(UnitSummary._fields)} from units"
        return [*self._read("units", rowids, select, lambda row: (row[0], UnitSummary._make(row))).values()]

    def units(self, rowids: Sequence[int]) -> dict[int, Unit]:
        """These units, whole."""
        there, sample = self.constant("units that are there", set[int]), self._sample()
        if unsure := [rowid for rowid in rowids if rowid not in there]:
            there.update(self.rowids(f"select rowid from unit where rowid {_IN}", [_array(unsure)]))
        read, select = there.intersection(rowids), f"select {_UNIT} from units"
        return self._read(
            "whole units", read, select, lambda row: (row[0], _unit(row, sample)), lambda u: len(u.text)
        )

    def texts_in(self, packed: bytes) -> list[str]:
        """The title, tags, properties, search words and text of a unit, as it is stored."""
        return unpack(packed, self._sample())

    def _sample(self) -> bytes:
        with self._database.guarded() as connection:
            return self._database.constant("sample", lambda: sample_of(connection))

    def coded(self, rowids: Iterable[int]) -> dict[int, Coded]:
        """The tokens of these units; unknown ones are absent, but for one that was read before it went."""
        select = "select fid, kind, columns, rowid from tokens"
        return self._read(
            "tokens",
            rowids,
            select,
            lambda row: (row[3], Coded._make(row[:3])),
            lambda unit: len(unit.columns),
        )

    def _read(
        self,
        name: str,
        rowids: Iterable[int],
        select: str,
        made: Callable[[tuple[Any, ...]], tuple[int, T]],
        size: Callable[[T], int] = lambda _: 0,
    ) -> dict[int, T]:
        """What was made of the rows of units, in their order; kept beyond a change of the index, but for what is long."""
        cached = self.constant(f"{ROWS_OF}{name}", dict[int, T])
        if len(cached) > _KEPT:
            cached.clear()
        rowids = sorted({*rowids})
        missing = [rowid for rowid in rowids if rowid not in cached]
        rows = dict(map(made, self.rows(f"{select} where rowid {_IN}", [_array(missing)]))) if missing else {}
        cached.update((rowid, unit) for rowid, unit in rows.items() if size(unit) <= _LONG)
        return {rowid: unit for rowid in rowids if (unit := rows.get(rowid) or cached.get(rowid))}

    def tokens(self, rowids: Iterable[int]) -> dict[int, dict[str, str]]:
        """The codes of the tokens of these units by column; unknown ones are absent."""
        units = self.coded(rowids).items()
        return {rowid: dict(zip(COUNTED, unit.columns.split("\n"), strict=True)) for rowid, unit in units}

    def usual_lengths(self) -> dict[tuple[str, str], float]:
        """The tokens that a column usually has in the units of a kind: (kind, column) → tokens.

        That is the mean of the kind or of all units, whichever is more: a note is at no disadvantage by being longer than
        a turn, and a fact is short.
        """
        return self.constant("usual lengths", self._usual_lengths)

    def _usual_lengths(self) -> dict[tuple[str, str], float]:
        counted = self.rows("select kind, field, units, tokens from lengths")
        units, tokens = Counter[str](), Counter[str]()
        for _, column, n, m in counted:
            units[column] += n
            tokens[column] += m
        return {(kind, column): max(m / n, tokens[column] / units[column]) for kind, column, n, m in counted}

    def paths(self) -> list[str]:
        """The paths of all notes, in order."""
        return [
            path for (path,) in self.rows("select path from files where kind != 'settings' order by path")
        ]

    def notes(self, paths: Iterable[str]) -> dict[str, tuple[str, str]]:
        """The id of the note at each path, and the code of the language that it is in."""
        rows = self.rows(f"select path, id, language from files where path {_IN}", [json.dumps(list(paths))])
        return {path: (id_, code) for path, id_, code in rows}

    def languages(self) -> list[str]:
        """The codes of the languages that the notes are in, each found by one step in the index."""
        sql = """with recursive spoken(code) as (select min(language) from files where language > '' union all select (
            select min(language) from files where language > code) from spoken where code is not null)
            select code from spoken where code is not null"""
        return self.constant("languages", lambda: [code for (code,) in self.rows(sql)])

    def count_of(self, tokens: Collection[str]) -> dict[str, int]:
        """How many units hold each token; unknown ones are absent."""
        return {token: count for token, (count, _) in self._counted(tokens).items()}

    def codes(self, tokens: Collection[str]) -> dict[str, str]:
        """What each token is in `tokens`; unknown ones are absent."""
        return {token: code for token, (_, code) in self._counted(tokens).items()}

    def _counted(self, tokens: Collection[str]) -> dict[str, tuple[int, str]]:
        counts = self.constant("token counts", dict[str, tuple[int, str]])
        if len(counts) > _COUNTED:
            counts.clear()
        if missing := [token for token in tokens if token not in counts]:
            sql = f"select word, held, code from words where word {_IN} and held > 0"
            rows = {word: (count, code) for word, count, code in self.rows(sql, [json.dumps(missing)])}
            counts.update(dict.fromkeys(missing, (0, "")) | rows)
        return {token: counts[token] for token in tokens if counts[token][0]}

    def words_like(self, prefix: str, limit: int) -> list[str]:
        """Words of the vault that begin so, whatever the case and the accents, the most frequent first."""
        begin = fold(prefix)
        sql = f"""select word, spelled from words where spelled > 0 and (word >= ?1 and word < ?2 or word >= ?3 and word < ?4)
            union select word, spelled from words where spelled > 0 and {ACCENTED}"""
        rows = self.rows(sql, (prefix, prefix + "\U0010ffff", begin, begin + "\U0010ffff"))
        near = [(-n, word) for word, n in rows if fold(word).startswith(begin)]
        return [word for _, word in sorted(near)[:limit]]

    def words_beginning(self, begins: Iterable[str], longest: int, limit: int) -> list[str]:
        """Words of the vault that begin so, letter by letter, and have at most so many, the most frequent first."""
        sql = f"""select distinct word, spelled from {_BEGUN} where spelled > 0 and length(word) <= ?
            order by spelled desc, word limit ?"""
        return [word for word, _ in self.rows(sql, (_prefix(begins), longest, limit))]

    def words_spelt(self, word: str) -> list[str]:
        """Words of the vault that are the same but for case and accents."""
        plain = fold(word)
        sql = f"""select word from words where spelled > 0 and word = ? union
            select word from words where spelled > 0 and {ACCENTED} order by word"""
        return [spelling for (spelling,) in self.rows(sql, (plain,)) if fold(str(spelling)) == plain]

    def words_alike(self, word: str, slips: int) -> list[tuple[str, int]]:
        """Words of the vault, with their counts, that may be so many slips from a folded one: as long, and of its letters.

        They also begin alike: the first letter is the same, was swapped, lost or put before, or the next two are the same.
        """
        letters, inner = sorted(set(word)), word[1:3]
        # The letters that words of the vault begin with, each found by one step in the index.
        begin = f"""with recursive begun(letter) as (select substr(min(word), 1, 1) from words union all select (
            select substr(word, 1, 1) from words where word > letter || char({_LAST_CHARACTER}) order by word limit 1)
            from begun where letter is not null) select letter from begun where letter is not null"""
        after_one = {f"{first}{ending}" for (first,) in self.rows(begin) for ending in (word[:1], inner)}
        lacking = " + ".join(["(instr(word, ?) = 0)"] * len(letters)) or "0"
        sql = f"""select distinct word, spelled from {_BEGUN} where spelled > 0 and length(word) between ? and ? and {lacking} <= ?"""
        begun = _prefix({*word[:2], *after_one})
        return self.rows(sql, (begun, len(word) - slips, len(word) + slips, *letters, slips))

    def names(self, keys: Sequence[str], kinds: Sequence[str]) -> list[tuple[str, str, str]]:
        """Which of these keys name something, and only one thing: (key, kind, name)."""
        sql = f"""select key, kind, min(name) from name where key {_IN} and kind {_IN}
            group by key, kind having kind != 'part' or count(distinct lower(name)) = 1 order by key, kind"""
        return self.rows(sql, (json.dumps(list(keys)), json.dumps(list(kinds))))

    def sharing(self, part: str) -> list[str]:
        """The names that begin or end with a word, where none is that word alone: of `Ana`, Ana Prieto and Ana Torres."""
        sql = "select distinct name from name where key = ? and kind = ? order by name"
        return (
            [] if self.rows(sql, (part, "entity")) else [name for (name,) in self.rows(sql, (part, "part"))]
        )

    def first_words(self, words: Iterable[str], kinds: Sequence[str]) -> set[str]:
        """Those of these words with which a key begins that names something."""
        sql = f"select distinct key from {_begun('name', 'key')} where kind {_IN}"
        begun = json.dumps([{"low": word, "high": f"{word}!"} for word in sorted({*words})])  # behind a blank
        return {key.partition(" ")[0] for (key,) in self.rows(sql, (begun, json.dumps(list(kinds))))}

    def paths_to_verify(self, fields: Iterable[str]) -> list[str]:
        """Paths of the files that name a day by which something is to be verified, or hold a fact of one of these fields."""
        sql = f"""select path from files where state = 'current' and verify_by != '' union
            select path from facts where state = 'current' and current = 1 and (verify_by != '' or lower(field) {_IN})
            order by path"""
        names = json.dumps(sorted(fields))
        return self.constant(f"to verify {names}", lambda: [path for (path,) in self.rows(sql, [names])])

    def last_day(self) -> str:
        """The ISO day of the newest unit; empty where none has a day."""
        sql = "select max(at) from unit where at != ''"
        return self.constant("last day", lambda: (self.rows(sql)[0][0] or "")[:10])

    def episodes_on(self, day: str) -> list[tuple[str, str]]:
        """The episodes of an ISO day, as (id, path)."""
        sql = """select id, path from files where at >= ? and at < ? || '~' and kind = 'episode' and state = 'current'
            order by path"""
        return self.rows(sql, (day, day))

    def episodes_titled(self, title: str) -> list[tuple[str, str]]:
        """The episodes with this title, as (id, path)."""
        # Without the plus, SQLite would fetch each file by way of its path.
        sql = "select id, path from files where title = ? and kind = 'episode' and state = 'current' order by +path"
        return self.rows(sql, (title,))

    def episodes_with(self, marks: Sequence[str], first: str, last: str) -> list[tuple[str, str]]:
        """The episodes of a time that have a to-do whose line begins with one of some marks, as (path, time)."""
        sql = """select u.path, f.at, u.value from units u join files f on f.path = u.path
            where f.at >= ? and f.at <= ? and f.kind = 'episode' and f.state = 'current' and u.kind = 'todo'
            order by u.path, u.seq"""
        episodes = [
            (path, ts) for path, ts, line in self.rows(sql, (first, last)) if line.startswith(tuple(marks))
        ]
        return list(dict.fromkeys(episodes))

    def todos(self, statuses: Sequence[str]) -> list[tuple[Unit, str]]:
        """The to-dos of these statuses that are not put away, with the path of their file, in file order."""
        sql = f"""select {_UNIT}, path from units where kind = 'todo' and field {_IN} and state = 'current'
            order by path, seq"""
        sample = self._sample()
        return [
            (_unit(row[:-1], sample), str(row[-1])) for row in self.rows(sql, [json.dumps(list(statuses))])
        ]

    def synonyms(self, keys: Sequence[str]) -> list[tuple[str, str]]:
        """The synonyms of these words, and the names of the owner for one another: (word, synonym)."""
        has_any = self.constant("has synonyms", lambda: bool(self.rows("select 1 from aliases limit 1")))
        sql = f"select key, expansion from aliases where key {_IN} order by key, expansion"
        rows = self.rows(sql, [json.dumps(list(keys))]) if has_any else []
        own = {key_of(name): name for name in self.names_of_owner(self._owner)}
        return [*rows, *((key, own[other]) for key in keys if key in own for other in own if other != key)]

    def names_of_owner(self, name: str) -> tuple[str, ...]:
        """The names under which the owner of the vault stands, the own one first; none for the name of anybody else."""
        if not self._owner:
            return ()
        own = {key_of(self._owner), _USER, *lists.words("pronouns.speaker")}
        return (self._owner, _USER) if key_of(name) in own else ()

    def other_names(self, keys: Iterable[str]) -> list[tuple[str, str]]:
        """What else these entities are called, by `aliases.yaml`, by their own notes or as owner: (key, key of the other name)."""
        keys = sorted(keys)
        json_keys = [json.dumps(keys)]
        sql = f"""select distinct one.key, other.key from name one join name other
            on other.fid = one.fid and other.name = one.name and other.kind = one.kind
            where one.kind = 'entity' and one.key {_IN} and other.key != one.key"""
        by_notes = self.rows(sql, json_keys)
        # What two notes are called is a name of neither.
        sql = f"""select n.key from name n join files f using (fid) where n.kind = 'entity' and n.key {_IN} and f.kind = 'note'
            and exists(select 1 from fact where fact.fid = f.fid and fact.entity = n.name) group by n.key having count(distinct n.name) > 1"""
        told_keys = json.dumps(sorted({key for pair in by_notes for key in pair}))
        shared = {key for (key,) in self.rows(sql, [told_keys])} if by_notes else set()
        return sorted(
            {
                *(pair for pair in by_notes if shared.isdisjoint(pair)),
                *((key, key_of(word)) for key, word in self.synonyms(keys)),
            }
        )

    def namesakes(self, entities: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Of notes with the entities that they are about, those that merely have one name: what each is called with its folder, by path."""
        notes: dict[str, set[str]] = {}
        for path, entity in entities:
            if not path.startswith("semantic/"):
                notes.setdefault(key_of(entity), set()).add(path)
        key_by_path = {path: key for key, paths in notes.items() if len(paths) > 1 for path in paths}
        if not key_by_path:
            return {}
        sql = f"select path, title from files where path {_IN} and kind = 'note' order by path"
        named: dict[str, list[str]] = {}
        for path, title in self.rows(sql, [json.dumps(sorted(key_by_path))]):
            bare = path.removesuffix(".md")
            if key_by_path[path] in (key_of(title), key_of(bare.rpartition("/")[2])):
                named.setdefault(key_by_path[path], []).append(bare)
        return {f"{bare}.md": bare for paths in named.values() if len(paths) > 1 for bare in paths}

    def problems(self) -> list[Problem]:
        """Everything wrong in the vault's files, by path and line; ids and names that two notes share included."""
        recorded = [Problem(*row) for row in self.rows("select path, line, message, hint from problems")]
        sql = """select path, id, (select min(path) from files g where g.id = f.id and g.kind != 'settings') from files f
            where kind != 'settings' and id in (select id from files where kind != 'settings' group by id having count(*) > 1)"""
        hint = "give one of the two another id"
        twins = [
            Problem(str(path), 1, f"has the id {id_!r} that {first} has too; the first path wins", hint)
            for path, id_, first in self.rows(sql)
            if path != first
        ]
        return sorted({*recorded, *twins})

    def dated_notes(self, path: str = "") -> list[tuple[str, str, str]]:
        """The plain notes that have a day, as (path, time, title): that at a path, or all."""
        sql = "select path, at, title from files where kind = 'note' and state = 'current' and at != '' and (?1 = '' or path = ?1)"
        return self.rows(sql, (path,))

    def files(self) -> int:
        """How many notes there are."""
        return int(self.rows("select count(*) from files where kind != 'settings'")[0][0])

    def facts(self, entity: str | None = None) -> list[tuple[str, Fact]]:
        """Facts with the path of their file, in file order; of one entity or of all."""
        return self._facts("entity_key = ?", key_of(entity)) if entity else self._facts("true")

    def facts_called(self, keys: Iterable[str]) -> list[tuple[str, Fact]]:
        """The same of the entities that have one of these keys."""
        sql = f"select distinct name from name where kind = 'entity' and key {_IN}"
        called = {key_of(name) for (name,) in self.rows(sql, [json.dumps(sorted(keys))])}
        return self._facts(f"entity_key {_IN}", json.dumps(sorted(called)))

    def facts_in(self, path: str) -> list[tuple[str, Fact]]:
        """The same of one file."""
        return self._facts("path = ?", path)

    def _facts(self, where: str, *values: str) -> list[tuple[str, Fact]]:
        sql = f"select path, {_columns('facts')} from facts where {where} order by path, seq"
        return [(path, _fact(row)) for path, *row in self.rows(sql, values)]

    def standing_facts(self, keys: Iterable[str]) -> list[tuple[str, Fact]]:
        """What facts hold of these entities now, with the path of their file; each is trusted no more than its file."""
        sql = f"""select files.path, files.trust, {_columns("fact")} from fact join files using (fid)
            where entity_key {_IN} and current = 1 and type = 'fact' and files.state = 'current' order by files.path, seq"""
        pairs = [
            (path, trust, _fact(row)) for path, trust, *row in self.rows(sql, [json.dumps(sorted(keys))])
        ]
        return [(path, fact._replace(trust=least_trusted(trust, fact.trust))) for path, trust, fact in pairs]

    def current_values(self, keys: Iterable[str], fields: Iterable[str]) -> list[tuple[str, str]]:
        """What these fields of these entities hold now: (field, value)."""
        sql = f"""select distinct field, value from fact join files using (fid) where entity_key {_IN} and field {_IN}
            and current = 1 and type = 'fact' and files.state = 'current' order by field, value"""
        return self.rows(sql, [json.dumps(sorted(keys)), json.dumps(sorted({*fields}))])

    def contested_keys(self) -> set[str]:
        """The keys of the entities of which one field may have two values."""
        return self.constant("contested keys", self._read_contested_keys)

    def _read_contested_keys(self) -> set[str]:
        from memoryclaw.vault.fact_values import field_key  # noqa: PLC0415 - a search asks for none

        sql = """select entity_key, field, count(distinct value) from fact where current = 1 and type = 'fact'
            group by entity_key, field"""
        values, bare = Counter[tuple[str, str]](), Counter[str]()
        for key, field, number in self.rows(sql):
            if field == VALUE:  # it may be an address as well
                bare[key] += number
            else:
                values[key, field_key(field)] += number
        repeated = {key for (key, _), number in values.items() if number + bare[key] > 1}
        keys = {key for key, _ in values} | bare.keys()
        linked = {key for pair in self.other_names(keys) if keys.issuperset(pair) for key in pair}
        return repeated | linked | {key for key, number in bare.items() if number > 1}

    def last_active(self, scopes: Iterable[str]) -> dict[str, str]:
        """The ISO day of the last turn of each session that such a scope (`session:<name>`) names, where a turn of it is known."""
        days: dict[str, str] = {}
        for scope in sorted(set(scopes)):
            kind, _, name = scope.partition(":")
            if kind == SESSION and name:
                sql = "select max(at) from unit where kind = 'turn' and id >= ? and id < ?"
                last = self.rows(sql, (f"log:{name}/", f"log:{name}0"))[0][0]
                days |= {scope: str(last)[:10]} if last else {}
        return days

    def speakers(
        self, lines: Iterable[tuple[str, str, str, str]]
    ) -> dict[tuple[str, str, str, str], frozenset[str]]:
        """Who said the turns that current facts rest on, by the keys of their names; people without a name are left out."""
        facts_asked = set(lines)
        if not facts_asked:
            return {}
        sql = f"""select distinct t.path, f.entity, f.field, f.value, l.anchor, u.line, u.entity_key from fact f
                join files t on t.fid = f.fid join link l on l.fid = f.fid and l.line = f.line
                join cited c on c.key = l.target_key join files g on g.path = c.path join unit u on u.fid = g.fid
            where f.entity_key {_IN} and t.path {_IN} and f.current = 1 and u.kind = 'turn' and u.role = 'user' and u.entity_key != ''
                and u.line between c.first and c.last"""
        keys, paths = {key_of(entity) for _, entity, _, _ in facts_asked}, {path for path, *_ in facts_asked}
        speakers_by_fact: dict[tuple[str, str, str, str], set[str]] = {}
        for path, entity, field, value, anchor, turn, speaker in self.rows(
            sql, (json.dumps(sorted(keys)), json.dumps(sorted(paths)))
        ):
            fact = (path, entity, field, value)
            if fact in facts_asked and log_line(anchor.removeprefix("^")) == turn:
                speakers_by_fact.setdefault(fact, set()).add(speaker)
        return {fact: frozenset(names) for fact, names in speakers_by_fact.items()}

    def usual_speaker(self) -> tuple[str, int]:
        """The name that speaks as a person in most of the newest logs, and in how many of them; nothing where no name does."""
        return self.constant("usual speaker", self._read_usual_speaker)

    def _read_usual_speaker(self) -> tuple[str, int]:
        sql = """select max(u.entity), count(distinct u.fid) from unit u where u.kind = 'turn' and u.role = 'user' and u.entity != ''
            and u.fid in (select fid from files where kind = 'log' order by at desc limit ?) group by u.entity_key order by 2 desc, 1"""
        from memoryclaw.vault.logs import role_of  # noqa: PLC0415 - a search names no speaker

        named = [row for row in self.rows(sql, [_NEWEST_LOGS]) if not role_of(row[0])]
        first, second = [*named, ("", 0), ("", 0)][:2]
        return first if first[1] > 2 * second[1] else ("", 0)

    def own_keys(self) -> frozenset[str]:
        """The keys of the names under which stands who says `I`."""

        def read() -> frozenset[str]:
            names = (_USER, *self.names_of_owner(_USER), self.usual_speaker()[0])
            return frozenset(key_of(name) for name in names if name)

        return self.constant("own keys", read)

    def superseded_in(
        self, turns: Iterable[tuple[str, int]], episodes: Iterable[tuple[str, str]]
    ) -> list[tuple[str, str, str, Fact]]:
        """What rested on these lines and no longer holds, or waits to be checked: (path, block, the file of the fact, the fact); the block of a log is `^l` and the number of its line.

        Args:
            episodes: episodes, each with a name by which facts cite it, as `link_key` gives it.
        """
        names = _columns("f")
        past = """join fact f on f.fid = l.fid and f.line = l.line and instr(f.source, l.target) > 0 and (f.current = 0
            or f.verify_by != '') join files t on t.fid = f.fid"""
        sql = f"""with turn(path, line) as (select json_extract(value, '$[0]'), cast(json_extract(value, '$[1]') as integer) from json_each(?)),
            episode(path, key) as (select json_extract(value, '$[0]'), json_extract(value, '$[1]') from json_each(?))
            select turn.path, '^l' || turn.line, t.path, f.seq, {names} from turn
                join cited c on c.path = turn.path and turn.line between c.first and c.last
                join link l on l.target_key = c.key and (l.anchor = '^l' || turn.line or l.anchor glob '^l' || turn.line || '-*')
                {past} where t.state = 'current' and not exists(select 1 from cited d where d.fid = c.fid
                    and d.path != c.path and turn.line between d.first and d.last)
            union
            select episode.path, l.anchor, t.path, f.seq, {names} from episode
                join link l on l.target_key = episode.key and l.anchor glob '^l[0-9]*' {past} where t.state = 'current'
            order by 1, 2, 3, 4"""
        rows = self.rows(sql, (json.dumps(list(turns)), json.dumps(list(episodes))))
        return [(path, block, of_fact, _fact(row)) for path, block, of_fact, _, *row in rows]

    def overtaking(self, path: str, line: int, day: str) -> str:
        """What was said on a day and rests on a turn which a line of a fact names beside its own source; empty where there is none."""
        sql = """select fact.value from link join files using (fid) join unit on unit.at = ? and unit.kind = 'fact'
            join fact on fact.fid = unit.fid and fact.id = unit.id
            join link other on other.fid = fact.fid and other.line = fact.line
            and other.target_key = link.target_key and other.anchor = link.anchor
            where files.path = ? and link.line = ? and fact.current = 1 and fact.audience = ''
            and fact.trust = 'trusted' order by fact.type desc, fact.id limit 1"""
        return next((value for (value,) in self.rows(sql, (day, path, line))), "")

    def fields_of(self, keys: Sequence[str]) -> list[str]:
        """The fields that facts of these entities have or had."""
        sql = f"select distinct field from fact where type = 'fact' and entity_key {_IN}"
        return [field for (field,) in self.rows(sql, [json.dumps(list(keys))])]

    def habits(self, fields: Iterable[str], share: float, sharing: int, notes: int) -> set[str]:
        """Which of these fields say nothing: so large a share of all plain notes have them, and few values.

        Args:
            sharing: how many notes a value has on average, at least.
            notes: in a vault of fewer plain notes, there are none.
        """
        fields, sql = sorted(fields), "select count(*) from files where kind = 'note' and state = 'current'"
        plain = self.rows(sql)[0][0] if fields else 0
        if plain < notes:
            return set()
        sql = f"""select field from fact join files using (fid) where files.kind = 'note' and field {_IN}
            group by field having count(distinct fid) >= ? and count(distinct value) * ? <= count(distinct fid)"""
        return {str(field) for (field,) in self.rows(sql, (json.dumps(fields), share * plain, sharing))}

    def entity_name(self, entity: str) -> str:
        """The name under which facts of this entity stand, also when asked by a synonym; as given when none do."""
        return self._standing(entity)[0]

    def entity_files(self, entity: str) -> list[str]:
        """Paths of the files that hold facts of this entity, those with current facts first."""
        return [*self._standing(entity)[1]]

    def _standing(self, entity: str) -> tuple[str, list[str]]:
        """The name under which facts of this entity stand, and where; pages and plans ask it of the same ones."""
        known = self.constant("standing entities", dict[str, tuple[str, list[str]]])
        if len(known) > _COUNTED:
            known.clear()
        if entity not in known:
            synonyms = [word for _, word in self.synonyms([key_of(entity)])]
            name, *others = dict.fromkeys((*(self.names_of_owner(entity) or (entity,)), *synonyms))
            key = key_of(name)
            keys = json.dumps([key, *map(key_of, others)])
            sql = f"""select entity, path, current from facts where entity_key {_IN} group by entity, entity_key, path, current
                order by entity != ?, entity_key != ?, current desc, path, min(seq)"""
            rows = self.rows(sql, [keys, name, key])
            current = {path for _, path, is_current in rows if is_current}
            paths = sorted({path for _, path, _ in rows}, key=lambda path: (path not in current, path))
            known[entity] = (str(rows[0][0]) if rows else name, paths)
        return known[entity]

    def resolve(self, id_: str) -> Address | None:
        """The address of whatever an id names: a note (also by path), a fact, a section or a turn."""
        sql = "select id, kind, path, state from files where {} and kind != 'settings' order by path limit 1"
        notes = self.rows(sql.format("id = ?"), (id_,))
        notes = notes or self.rows(sql.format("path in (?1, ?1 || '.md')"), (id_,))
        if not notes or notes[0][3] == "archived":
            sql = """select f.id, f.kind, f.path, f.state from name n join files f using (fid)
                where n.key = ? and n.kind = 'merged' and f.id != ? order by f.path limit 1"""
            notes = self.rows(sql, (id_, id_)) or notes
        if notes:
            note, kind, path, state = notes[0]
            return Address(str(note), str(note), str(kind), str(path), 1, 1, str(state))
        rows = self.rows(_ADDRESSED.format("u.id = ?"), (id_,)) or self._under_another_name(id_)
        return Address(*rows[0]) if rows else None

    def twins(self, paths: Iterable[str]) -> set[str]:
        """Those of these files whose id stands for another, the first path that has it."""
        sql = f"""select f.path from files f join files g on g.id = f.id and g.path < f.path and g.kind != 'settings'
            where f.path {_IN}"""
        return {path for (path,) in self.rows(sql, [json.dumps(sorted(paths))])}

    def texts(self) -> Iterator[str]:
        """The text of every unit, in no order that means anything; that of a fact with its entity."""
        last = 0
        while True:
            sql = "select rowid, kind, entity, text from unit where rowid > ? order by rowid limit 1000"
            rows = self.rows(sql, (last,))
            if not rows:
                return
            for _, kind, entity, text in rows:
                *_, said = self.texts_in(text)
                yield f"{entity}: {said}" if kind == "fact" else said
            last = int(rows[-1][0])

    def has_merged(self) -> bool:
        """True when some note took in another."""
        sql = "select 1 from name where kind = 'merged' limit 1"
        return self.constant("has merged", lambda: bool(self.rows(sql)))

    def merged_ids(self) -> dict[str, str]:
        """The ids of notes that others took in, each with the id of the note that did."""
        sql = "select n.key, f.id from name n join files f using (fid) where n.kind = 'merged' order by f.path desc"
        return self.constant("merged", lambda: {str(old): str(new) for old, new in self.rows(sql)})

    def _under_another_name(self, id_: str) -> list[tuple[Any, ...]]:
        """The fact whose entity went by another name when it had this id."""
        from memoryclaw.vault.facts import split_address  # noqa: PLC0415 - hardly ever asked, and a search must start fast

        note, _, address = id_.partition("#")
        address_parts = split_address(address) if address else None
        if address_parts is None:
            return []
        keys = [key_of(word) for _, word in self.synonyms([key_of(address_parts[0])])]
        sql = _ADDRESSED.format(
            f"u.kind = 'fact' and f.id = ? and u.entity_key {_IN} and lower(u.field) = lower(?)"
        )
        return self.rows(sql, (note, json.dumps(keys), address_parts[1])) if keys else []


_FACT = ("entity", "field", "value", "line", "since", "until", "source", "current", "id", "type", "said", "trust", "audience")  # fmt: skip

_CURRENT = _FACT.index("current")


def _array(rowids: Iterable[int]) -> str:
    """Whole numbers as JSON."""
    return str([*rowids])


def _prefix(begins: Iterable[str]) -> str:
    """What `_BEGUN` is asked with."""
    return json.dumps([{"low": begin, "high": begin + chr(_LAST_CHARACTER)} for begin in sorted(set(begins))])


def _columns(table: str) -> str:
    return ", ".join(f"{table}.{name}" for name in (*_FACT, *LIFECYCLE))


def _fact(row: Sequence[Any]) -> Fact:
    # The columns stand in the order of the fields.
    values, lifecycle = [*row[: len(_FACT)]], row[len(_FACT) :]
    values[_CURRENT] = bool(values[_CURRENT])
    fact = Fact(*values)
    return fact._replace(lifecycle=Lifecycle(*lifecycle)) if any(lifecycle) else fact


def _unit(row: Sequence[Any], sample: bytes) -> Unit:
    """A row of `_UNIT`, whose columns behind the text stand in the order of the fields."""
    try:
        _, packed, id_, kind, line, end_line, *columns = row
        title, tags, properties, also, text = unpack(packed, sample)
        *between, pinned, state = columns[: -len(LIFECYCLE)]
        lifecycle = Lifecycle(*map(str, columns[-len(LIFECYCLE) :]))
        texts = title, tags, properties, text, also
        return Unit._make((id_, kind, line, end_line, *texts, *between, bool(pinned), state, lifecycle))
    except TypeError as error:
        raise sqlite3.DatabaseError("a stored unit is malformed") from error
