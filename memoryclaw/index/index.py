"""The index: notes go in and out, whole files at a time. Derived from the files; equal to a rebuild after any edits."""

from __future__ import annotations

import contextlib
import json
import math
import sqlite3
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from memoryclaw import late
from memoryclaw.errors import IndexDamagedError
from memoryclaw.index.bm25 import WEIGHTS, code_of, codes_in, sound
from memoryclaw.index.database import (
    LIFECYCLE,
    SAMPLE,
    Database,
    meta_of,
    packer,
    sample_of,
    short_key,
    unpack,
)
from memoryclaw.index.stemming import language, language_of
from memoryclaw.late import NamedTuple
from memoryclaw.model import COLUMNS, COUNTED, PERMANENT, Note, Problem, Stamp, Unit
from memoryclaw.ports import Hit, IndexClause, IndexConnection, IndexDatabase, IndexRow, TextIndex
from memoryclaw.text.language import Language, characters, ends_in_question, key_of, keys_of, words_of
from memoryclaw.vault.folder import pack_stamp
from memoryclaw.vault.layout import page_name

VERSION = "42"  # of the tables and of the analysis; another number means another index
_APART = "|"  # a token that no word is
_FILE_SQL = f"insert into files values({','.join('?' * 21)})"
_UNIT_SQL = f"insert into unit values({','.join('?' * 26)})"

_PROBLEM_SQL = "insert into problems(path, seq, line, message, hint, origin) values(?,?,?,?,?,'{}')"
_META_SQL = "insert into meta values(?,?) on conflict(key) do update set value = excluded.value"
_HIDDEN_SQL = """insert into hidden values(?,?,?)
    on conflict(path) do update set stamp = excluded.stamp, digest = excluded.digest"""
_COUNT_SQL = """insert into words values(?,?,?,?) on conflict(word) do update set spelled = words.spelled + excluded.spelled,
    held = words.held + excluded.held, code = coalesce(words.code, excluded.code)"""
_LENGTH_SQL = """insert into lengths values(?,?,?,?)
    on conflict(kind, field) do update set units = lengths.units + excluded.units, tokens = lengths.tokens + excluded.tokens"""


_Texts = tuple[str, str, str, str, str]  # of a unit: title, tags, properties, text, search words
_TEXT = 3
_Columns = list[tuple[list[str], str]]  # of a unit: the tokens of each of them, one by one and joined


class _Analysed(NamedTuple):
    """What the texts of a unit are to the index."""

    language: str
    columns: _Columns
    words: set[str]
    tokens: set[str]
    packed: bytes = b""


class Index:
    """All that is known of a vault.

    Args:
        database: the tables: one SQLite file, or those on a server.
        language: the analysis; part of the recipe, so that a change of it means another index.
    """

    def __init__(self, database: IndexDatabase, engine: TextIndex, language: Language) -> None:
        self.database = database
        self.engine = engine
        self.language = language

    def stamps(self) -> dict[str, bytes]:
        """The packed stamp of every file as it was indexed."""
        return self.database.constant("stamps", lambda: dict(self._rows("select path, stamp from looked_at")))

    def stamps_near(self, paths: Collection[str], folders: Collection[str]) -> dict[str, bytes]:
        """The same for these files and for all below these folders."""
        of_paths = "select path, stamp from looked_at where path in (select value from json_each(?))"
        below = "select path, stamp from looked_at where path > ? || '/' and path < ? || '0'"
        stamps = dict(self._rows(of_paths, json.dumps(list(paths))))
        for folder in folders:
            stamps.update(self._rows(below, folder, folder))
        return stamps

    def digests(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The digests of files as they were indexed."""
        sql = "select path, digest from looked_at where path in (select value from json_each(?))"
        return dict(self._rows(sql, json.dumps(paths)))

    def doubtful(self) -> dict[str, bytes]:
        """The digests of the files that were read so soon after a change that no stamp can tell whether they changed again."""
        return dict(self._rows("select path, digest from looked_at where stamp = x'' and digest != x''"))

    def is_partial(self) -> bool:
        """True when some file holds something that the agent may not see; to be asked in the same state as what it is asked for."""
        return bool(self._rows("select 1 from files where partial > 0 limit 1"))

    def edition(self) -> str:
        """Names the present content of this very index; it changes with every change."""
        sql = "select value from meta where key in ('born', 'changes') order by key"
        return " ".join(str(value) for (value,) in self._rows(sql))

    def followed_edition(self) -> str:
        """The edition of the index that this one has followed."""
        return self._meta("followed") or ""

    def collections(self) -> frozenset[str] | None:
        """The collection headings that the vault's schema names, or None when there was none."""
        text = self._meta("collections")
        return None if text is None else frozenset(text.split("\n"))

    def spans(self) -> dict[str, int]:
        """The fields whose values the vault's schema asks to check again, with the days after which it does."""
        return self.database.constant("spans", lambda: dict(json.loads(self._meta("spans") or "{}")))

    def forgotten(self) -> frozenset[str]:
        """The marks of the lines that people took out of every answer."""
        return frozenset(filter(None, (self._meta("forgotten") or "").split("\n")))

    def scan_problems(self) -> list[Problem]:
        """What the last walk over the folder found odd, sorted."""
        sql = "select path, line, message, hint from problems where origin = 'scan' order by path, seq"
        return self.database.constant("scan problems", lambda: [Problem(*row) for row in self._rows(sql)])

    def _rows(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        with self.database.guarded() as connection:
            return connection.execute(sql, values).fetchall()

    def _meta(self, key: str) -> str | None:
        with self.database.guarded() as connection:
            return meta_of(connection, key)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Writing]:
        """One transaction over tables, text engine and word counts."""
        with self.database.writing() as connection:
            transaction = Writing(connection, self.engine, self.language)
            try:
                yield transaction
                transaction.count_words()
            except BaseException:
                self.engine.settle(keep=False)
                raise
            self.engine.settle(keep=True)

    def size(self) -> tuple[int, int]:
        """How many units there are, and how many tokens they hold."""
        with self.database.guarded():
            return self.engine.size()

    def discard(self) -> None:
        """Throws everything away; the next sync builds it again."""
        self.database.discard()
        with self.database.writing():
            self.engine.clear()


class Writing:
    """The write side of one transaction."""

    def __init__(self, connection: IndexConnection, engine: TextIndex, language: Language) -> None:
        self._connection = connection
        self._engine = engine
        self._language = language
        self._words, self._tokens = Counter[str](), Counter[str]()  # in how many units each is more
        self._lost = Counter[str](), Counter[str]()  # and less
        self._lengths: dict[tuple[str, str], list[int]] = {}  # (kind, column) → units, tokens
        self._codes: dict[str, str] = {}  # token → its code, as far as they are needed
        keys = ("next", "coded", "files")
        self._next, self._coded, self._files = (int(meta_of(connection, key) or 0) for key in keys)
        self._sample = sample_of(connection)
        self._pack = packer(self._sample)
        self._earlier: dict[_Texts, _Analysed] | None = (
            None  # while files are replaced: most of each stays as it was
        )

    def put(self, filed: Sequence[IndexedNote]) -> None:
        """Takes notes in, in place of whatever the index held under their paths."""
        self._earlier = {}
        self.remove([f.note.path for f in filed])
        if not self._sample:  # there is one once there is enough text for it
            texts = " ".join(unit.text for f in filed for unit in f.note.units)
            sample = texts.replace("\0", "").encode("utf-8", "ignore")
            if len(sample) > SAMPLE:
                self._keep("sample", sample[-SAMPLE:].decode("utf-8", "ignore"))
                self._sample = sample_of(self._connection)
                self._pack = packer(self._sample)
        notes = [(self._next_file(), f.note) for f in filed]
        rows: list[IndexRow] = []
        tokens: list[tuple[int, int, str, _Columns]] = []
        codes: list[str] = []  # of the languages
        run = self._connection.executemany
        run(
            _UNIT_SQL,
            (row for fid, note in notes for row in self._unit_rows(fid, note, codes, rows, tokens)),
        )
        filed_as = zip(notes, filed, codes, strict=True)
        run(_FILE_SQL, (file_row(fid, f, code) for (fid, _), f, code in filed_as))
        self._learn_codes()
        code = self._codes.__getitem__
        run(
            "insert into tokens values(?,?,?,?)",
            (
                (*head, "\n".join(["".join(map(code, column)) for column, _ in columns]))
                for *head, columns in tokens
            ),
        )
        self._engine.add(rows)
        for sql, rows_of in _ROWS_OF_NOTES:
            run(sql, [row for fid, note in notes for row in rows_of(fid, note)])
        self._earlier = None

    def hide(self, path: str, stamp: Stamp, digest: bytes, *, racy: bool) -> None:
        """Remembers that there is nothing to see in a file, until it changes."""
        self.remove([path])
        row = (path, stored_stamp(stamp, racy), digest)
        self._connection.execute(_HIDDEN_SQL, row)

    def follow(self, edition: str) -> None:
        """Notes which edition of another index this one has followed."""
        self._keep("followed", edition)

    def remove(self, paths: Sequence[str]) -> None:
        """Forgets files and all that came from them."""
        run, listed = self._connection.execute, "in (select value from json_each(?))"
        run(f"delete from hidden where path {listed}", (json.dumps(paths),))
        sql = f"select fid, path, language, tags from files where path {listed}"
        files = run(sql, (json.dumps(paths),)).fetchall()
        if not files:
            return
        rowids: list[int] = []
        for fid, _, code, _ in files:
            rowids += self._remove_units(fid, language(code) if code else self._language)
        run(f"delete from tokens where rowid {listed}", (json.dumps(rowids),))
        tags = ((tag.lower(), fid) for fid, _, _, tags in files for tag in json.loads(tags or "[]"))
        self._connection.executemany("delete from tag where tag = ? and fid = ?", tags)
        fids = json.dumps([fid for fid, *_ in files])
        for table in ("files", "fact", "name", "link", "cited", "unit"):
            run(f"delete from {table} where fid {listed}", (fids,))
        sql = f"delete from problems where path {listed} and origin = 'note'"
        run(sql, (json.dumps([path for _, path, *_ in files]),))

    def touch(self, path: str, stamp: Stamp, *, racy: bool) -> None:
        """Notes a new stamp of a file whose bytes are the same."""
        for table in ("files", "hidden"):
            sql = f"update {table} set stamp = ? where path = ?"
            self._connection.execute(sql, (stored_stamp(stamp, racy), path))

    def settings_file(
        self, path: str, stamp: Stamp, digest: bytes, *, racy: bool, problems: Sequence[Problem]
    ) -> None:
        """Remembers a settings file (aliases, schema) so that a change of it is seen."""
        self._connection.executemany(_PROBLEM_SQL.format("note"), problem_rows(problems))
        self._connection.execute("delete from files where path = ?", (path,))
        file = self._next_file(), path, stored_stamp(stamp, racy), digest, path, "settings"
        row = (*file, *[""] * 6, 0, "", "", 0, *PERMANENT)
        self._connection.execute(_FILE_SQL, row)

    def aliases(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Replaces the synonyms."""
        self._connection.execute("delete from aliases")
        self._connection.executemany("insert into aliases values(?,?) on conflict do nothing", pairs)

    def scan_problems(self, problems: Sequence[Problem]) -> None:
        """Replaces what the walk over the folder found odd."""
        self._connection.execute("delete from problems where origin = 'scan'")
        self._connection.executemany(_PROBLEM_SQL.format("scan"), problem_rows(sorted(problems)))

    def collections(self, collections: Sequence[str]) -> None:
        """Keeps the collection headings; when they changed, every semantic file counts as changed."""
        value = "\n".join(collections)
        if meta_of(self._connection, "collections") != value:
            self._keep("collections", value)
            self._connection.execute(
                "update files set stamp = x'', digest = x'' where path glob 'semantic/*' and kind != 'settings'"
            )
            self._connection.execute(
                "update hidden set stamp = x'', digest = x'' where path glob 'semantic/*'"
            )

    def spans(self, spans: Mapping[str, int]) -> None:
        """Keeps the days after which values of fields are to be checked again; no file is read anew for them."""
        self._keep("spans", json.dumps(dict(sorted(spans.items()))))

    def forgotten(self, marks: frozenset[str]) -> None:
        """Keeps the marks of lines that are left out; the files of those that came or went count as changed."""
        earlier = frozenset(filter(None, (meta_of(self._connection, "forgotten") or "").split("\n")))
        if earlier == marks:
            return
        self._keep("forgotten", "\n".join(sorted(marks)))
        names = {mark.rpartition("#")[0].rpartition("/")[2] for mark in earlier ^ marks}
        self._connection.executemany(
            "update files set stamp = x'', digest = x'' where substr(path, length(path) - length(?1) + 1) = ?1 and kind != 'settings'",
            ((f"/{name}",) for name in names),
        )

    def count_words(self) -> None:
        """Brings the counts of words, tokens and lengths up to date; called once, at the end of the transaction."""
        for counter, lost in zip((self._words, self._tokens), self._lost, strict=True):
            counter.subtract(lost)
        counts = (
            (word, self._words.get(word, 0), self._tokens.get(word, 0), self._codes.get(word))
            for word in sorted(self._words.keys() | self._tokens.keys())
        )
        rows = [row for row in counts if row[1] or row[2]]
        self._connection.executemany(_COUNT_SQL, rows)
        gone = [(word,) for word, n, m, _ in rows if n < 0 or m < 0]
        self._connection.executemany("delete from words where word = ? and spelled <= 0 and held <= 0", gone)
        lengths = ((*place, *counts) for place, counts in sorted(self._lengths.items()))
        self._connection.executemany(_LENGTH_SQL, lengths)
        self._connection.execute("delete from lengths where units <= 0")
        self._keep("next", str(self._next))
        self._keep("coded", str(self._coded))
        self._keep("files", str(self._files))
        self._connection.execute(
            "update meta set value = cast(cast(value as integer) + 1 as text) where key = 'changes'"
        )

    def _keep(self, key: str, value: str) -> None:
        self._connection.execute(_META_SQL, (key, value))

    def _learn_codes(self) -> None:
        """Learns the codes of all tokens met; what the index has never had gets the next, what is frequent the shortest."""
        fresh = islice(self._tokens, len(self._codes), None)  # behind those that have their codes
        missing = sorted(sorted(fresh), key=self._tokens.__getitem__, reverse=True)
        sql = (
            "select word, code from words where word in (select value from json_each(?)) and code is not null"
        )
        earlier = dict(self._connection.execute(sql, (json.dumps(missing),)).fetchall())
        for token in missing:
            # A server knows what is long by a shorter key.
            code = earlier.get(token) or earlier.get(short_key(token)) if earlier else None
            if code is None:
                code = code_of(self._coded, token)
                self._coded += 1
            self._codes[token] = code

    def _next_file(self) -> int:
        self._files += 1  # as those of units, the number of a file is never given again
        return self._files

    def _unit_rows(
        self,
        fid: int,
        note: Note,
        codes: list[str],
        rows: list[IndexRow],
        tokens: list[tuple[int, int, str, _Columns]],
    ) -> Iterator[tuple[object, ...]]:
        texts = [(u.title, u.tags, u.properties, u.text, u.also) for u in note.units]
        kinds = [kind_of(unit.kind, unit.trust) for unit in note.units]
        spoken, analysed = self._analyse(texts, kinds, None, sign=1)
        codes.append(spoken.code)
        first = self._next  # the units of a file stand side by side: their neighbours are found by number
        self._next += len(note.units)
        for rowid, (kind, analysis) in enumerate(zip(kinds, analysed, strict=True), first):
            rows.append(_index_row(rowid, analysis.columns))
            tokens.append((rowid, fid, kind, analysis.columns))
        opening = opening_turn(note.units)
        for seq, unit in enumerate(note.units):
            title, tags, properties, text, also = texts[seq]
            packed = analysed[seq].packed or self._pack((title, tags, properties, also, text))
            yield unit_row(first + seq, fid, seq, unit, packed, opens=unit is opening)

    def _remove_units(self, fid: int, spoken: Language) -> list[int]:
        """Takes the units of a file out of the text engine and the counts; their rows are for the caller to delete."""
        sql = "select rowid, kind, trust, text from unit where fid = ? order by seq"
        rows = self._connection.execute(sql, (fid,)).fetchall()
        texts = [
            (title, tags, properties, text, also)
            for title, tags, properties, also, text in (unpack(row[3], self._sample) for row in rows)
        ]
        kinds = [kind_of(row[1], row[2]) for row in rows]
        _, analysed = self._analyse(texts, kinds, spoken, sign=-1)
        self._engine.remove(
            [_index_row(row[0], unit.columns) for row, unit in zip(rows, analysed, strict=True)]
        )
        if self._earlier is not None:
            triples = zip(texts, analysed, rows, strict=True)
            self._earlier.update((text, unit._replace(packed=row[3])) for text, unit, row in triples)
        return [row[0] for row in rows]

    def _analyse(
        self, texts: Sequence[_Texts], kinds: Sequence[str], spoken: Language | None, *, sign: int
    ) -> tuple[Language, list[_Analysed]]:
        """What each unit is to the index; `spoken` is told by the words where it is None."""
        known = [self._earlier.get(text) if self._earlier else None for text in texts]
        words = [[] if analysis else _words(text) for text, analysis in zip(texts, known, strict=True)]
        spelled = [columns[_TEXT] for columns in words] if all(words) else []
        spoken = spoken or language_of([text[_TEXT] for text in texts], self._language, spelled)
        analysed = [
            analysis if analysis and analysis.language == spoken.code else _analysed(text, columns, spoken)
            for text, columns, analysis in zip(texts, words, known, strict=True)
        ]
        for analysis, kind in zip(analysed, kinds, strict=True):
            for name, (column, _) in zip(COUNTED, analysis.columns, strict=True):
                if column:
                    length = self._lengths.setdefault((kind, name), [0, 0])
                    length[0] += sign
                    length[1] += sign * len(column)
        words_of_units = [analysis.words for analysis in analysed]
        tokens_of_units = [analysis.tokens for analysis in analysed]
        # A turn holds a word, too, when the one before or after it does: that is where its subject was named.
        if kinds and kinds[0] in ("turn", "untrusted"):
            tokens_of_units = [
                set().union(*tokens_of_units[max(i - 1, 0) : i + 2]) for i in range(len(tokens_of_units))
            ]
        counters = (self._words, self._tokens) if sign > 0 else self._lost
        for counter, seen in zip(counters, (words_of_units, tokens_of_units), strict=True):
            counter.update(chain.from_iterable(seen))
        return spoken, analysed


def _words(text: _Texts) -> list[list[str]]:
    return [words_of(column) if column else [] for column in text]


def _analysed(text: _Texts, words: list[list[str]], spoken: Language) -> _Analysed:
    """The tokens of each column, and last the single characters of all of them."""
    words = words or _words(text)
    columns = [spoken.tokens_of_words(column) if column else ([], "") for column in words]
    single = characters(" ".join(text))
    columns.append((single, " ".join(single)))
    tokens = set().union(*(column for column, _ in columns))
    return _Analysed(spoken.code, columns, set().union(*words), tokens)


def _index_row(rowid: int, columns: _Columns) -> IndexRow:
    """What the text engine is given: single characters stand at the end of the body and search words at that of the properties, where no phrase meets them."""
    title, tags, properties, body, also, single = (joined for _, joined in columns)
    properties = f"{properties} {_APART} {also}".lstrip() if also else properties
    return IndexRow(rowid, (title, tags, properties, f"{body} {single}" if single else body))


# The default text index: SQLite FTS5 over tokens that we analysed ourselves. Contentless, so it holds no text twice.


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# The tokens are already folded and stemmed, so the tokenizer only has to keep them whole: `unicode61` would cut at an
# apostrophe and at the vowel signs of Devanagari.
_TOKENIZER = "ascii tokenchars " + _quote("""!"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~""")
# What a transaction gathers before it writes a segment: fewer segments, a smaller index.
_HASH_BYTES = 8 << 20
# Most tokens stand in the body: FTS5 writes the number of a column beside every place but those in the first.
_ORDER = sorted(COLUMNS, key=lambda column: column != "body")
FTS5_SCHEMA = f"""
create virtual table text using fts5({", ".join(_ORDER)}, content='', tokenize={_quote(_TOKENIZER)});
create virtual table occurrences using fts5vocab(text, instance);
insert into text(text, rank) values('hashsize', {_HASH_BYTES});
insert into text(text, rank) values('rank', 'bm25({", ".join(str(WEIGHTS[c]) for c in _ORDER)})');
"""
_TIES = 100  # more than wanted that are asked for: ties with the last are common, and asking twice is scoring twice
_NAMES = ", ".join(COLUMNS)
_MARKS = ", ".join("?" for _ in COLUMNS)
_FIND = "select rowid, -rank from text where text match ? order by rank, rowid limit ?"
# Without the plus, SQLite would ask FTS5 anew for every single rowid. FTS5 itself reads from the first to the last of them: a
# sync takes files in by their paths, so that what was said around a day stands together.
_FIND_WITHIN = """select rowid, -rank from text where text match ? and rowid >= ? and rowid <= ?
    and +rowid in (select value from json_each(?)) order by rank, rowid limit ?"""


class Fts5:
    """The FTS5 engine, on the connection that `connect` gives."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect

    def add(self, rows: Iterable[IndexRow]) -> None:
        """Adds units to the index."""
        self._connect().executemany(
            f"insert into text(rowid, {_NAMES}) values(?, {_MARKS})",
            ((row.rowid, *row.columns) for row in rows),
        )

    def remove(self, rows: Iterable[IndexRow]) -> None:
        """Removes units; a contentless index needs the very tokens they were added with."""
        self._connect().executemany(
            f"insert into text(text, rowid, {_NAMES}) values('delete', ?, {_MARKS})",
            ((row.rowid, *row.columns) for row in rows),
        )

    def find(self, clause: IndexClause, limit: int, within: Sequence[int] | None = None) -> list[Hit]:
        """The best units by BM25, with all that tie with the last of them."""
        match, most = expression(clause), limit + _TIES
        if not match or limit < 1 or (within is not None and not within):
            return []
        sql, values = _FIND, list[object]([match])
        if within is not None:
            sql, values = _FIND_WITHIN, [match, min(within), max(within), str([*within])]
        while True:
            rows = self._connect().execute(sql, (*values, most)).fetchall()
            if rows and rows[0][1] is None:
                raise IndexDamagedError(
                    "the text index holds a unit without its length; it is being built again"
                )
            last = rows[limit - 1][1] if len(rows) > limit else -math.inf
            if len(rows) < most or rows[-1][1] < last:
                return [Hit(*row) for row in rows if row[1] >= last]
            most *= 4

    def instances(self) -> Iterator[tuple[str, list[tuple[int, str, int]]]]:
        """Every token with each of its places (rowid, column, place), in the order of the tokens."""
        rows = self._connect().execute("select term, doc, col, offset from occurrences")
        for term, places in groupby(rows, key=itemgetter(0)):
            yield term, [(doc, column, offset) for _, doc, column, offset in places]

    def count(self, clause: IndexClause) -> int:
        """How many units match."""
        match = expression(clause)
        sql = "select count(*) from text where text match ?"
        return int(self._connect().execute(sql, (match,)).fetchone()[0]) if match else 0

    def size(self) -> tuple[int, int]:
        """Units and tokens as of the last commit, from the averages record that FTS5 keeps for BM25 itself."""
        row = self._connect().execute("select block from text_data where id = 1").fetchone()
        numbers, value = list[int](), 0
        for byte in row[0] if row and row[0] else b"\0":
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                numbers.append(value)
                value = 0
        return numbers[0], sum(numbers[1:])

    def clear(self) -> None:
        """Forgets everything."""
        self._connect().execute("insert into text(text) values('delete-all')")

    def settle(self, *, keep: bool) -> None:
        """Nothing to do: the tables around it commit or roll back, and FTS5 with them."""


def expression(clause: IndexClause) -> str:
    """A clause as an FTS5 match expression, empty when nothing can match; every token is quoted, so no text can be syntax."""
    cleaned = sound(clause)
    return _expression(cleaned) if cleaned is not None else ""


def _expression(clause: IndexClause) -> str:
    if clause.op in ("token", "phrase"):
        quoted = '"' + clause.text.replace('"', '""') + '"'
        return f"{{{' '.join(clause.columns)}}} : {quoted}" if clause.columns else quoted
    required = [_group(inner) for inner in clause.parts if inner.op != "not"]
    barred = [_group(inner.parts[0]) for inner in clause.parts if inner.op == "not"]
    text = (" OR " if clause.op == "any" else " AND ").join(required)
    # Beside the last part alone, which comes to the same: FTS5 forgets words that it has seen already of an alternative within an AND
    # that stands below anything else.
    return f"{text} NOT {_bracket(' OR '.join(barred), len(barred))}" if barred else text


def _group(clause: IndexClause) -> str:
    return _bracket(_expression(clause), len(clause.parts))


def _bracket(text: str, parts: int) -> str:
    # Every bracket that is not needed would count against the depth of SQLite's parser.
    return f"({text})" if parts > 1 else text


def open_index(
    folder: Path,
    *,
    engine: str,
    language: Language,
    labels: Mapping[str, object] = {},
    zone: str = "",
    journals: str = "",
    elsewhere: Callable[[str], tuple[IndexDatabase, TextIndex]] | None = None,
) -> Index:
    """The index in `folder`, or on a server, with the text engine that the settings name.

    Args:
        engine: `fts5`, `whoosh` or that of an extension.
        labels: of folders, on which its content depends too.
        zone: of the days in it, where a turn names none.
        journals: how their days are written, where not as usual.
        elsewhere: with the engine of an extension, makes the tables and the text engine of a recipe.
    """
    recipe = " ".join(filter(None, (VERSION, engine, language.code, "sqlite", zone, journals)))
    if labels:
        recipe = f"{recipe} {json.dumps(labels, sort_keys=True, default=str)}"
    if elsewhere is not None:
        return Index(*elsewhere(recipe), language)
    if engine == "whoosh":
        from memoryclaw.index.whoosh_engine import WhooshIndex  # noqa: PLC0415 - an import of 100 ms

        database = Database(folder, recipe)
        return Index(database, WhooshIndex(folder / "whoosh", database.connection), language)
    database = Database(folder, recipe, FTS5_SCHEMA)
    return Index(database, Fts5(database.connection), language)


# One digest over all that an index knows. Two indexes of the same files have the same one, however each came about.

# Everything but what the disk says of a file and the numbers that rows happened to get.
_LIFECYCLE = ", ".join(LIFECYCLE)
_TABLES = (
    f"""select path, digest, id, kind, state, title, at, until, tags, trust, pinned, stem, language, partial, {_LIFECYCLE}
        from files order by path""",
    "select path, digest from hidden order by path",
    "select kind, field, units, tokens from lengths order by kind, field",
    f"""select path, seq, id, entity, entity_key, field, value, since, until, source, line, current, type, said, trust, audience,
        {_LIFECYCLE} from facts order by path, seq""",
    "select path, tag from tags order by path, tag",
    "select path, kind, key, name from names order by path, kind, key, name",
    "select path, seq, target, target_key, anchor, label, line, embed from links order by path, seq",
    """select files.path, cited.path, first, last, key from cited join files using (fid)
        order by files.path, cited.path, first, last, key""",
    "select path, origin, seq, line, message, hint from problems order by path, origin, seq",
    "select key, expansion from aliases order by key, expansion",
    "select word, spelled, held from words order by word",
)
_UNITS = f"""select path, seq, id, kind, line, end_line, at, until, days, entity, entity_key, field, value, trust, pinned, state, role,
    asks, opens, {_LIFECYCLE}, text from units order by path, seq"""
_UUID = 36  # characters
_PLACES = "select rowid, path, seq from units"
_CODED = "select path, seq, t.kind, t.columns from tokens t join units using (rowid) order by path, seq"

Place = tuple[str, int]


def fingerprint(index: Index) -> str:
    """The digest of an index's tables and of its text lane, down to the place of every token."""
    digest = late.hashlib.sha256()
    with index.database.reading():  # as of one moment: a watcher may write meanwhile
        for row in _rows(index):
            shown = row if isinstance(row, str) else repr(_storable(row))
            digest.update(shown.encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _storable(value: Any) -> Any:
    """A value as every engine can keep it: one on a server knows no NUL and cuts long keys."""
    if isinstance(value, tuple | list):
        return [_storable(element) for element in value]
    return short_key(value.replace("\0", "\ufffd")) if isinstance(value, str) else value


def _rows(index: Index) -> Iterator[object]:
    """The rows of all tables, and for each token of the text lane one text with its places."""
    with index.database.guarded() as connection:
        for sql in _TABLES:
            yield from connection.execute(sql)
        sample = sample_of(connection)
        for *columns, packed in connection.execute(_UNITS):
            yield *columns, *unpack(packed, sample)
        tokens = {
            code: word
            for word, code in connection.execute("select word, code from words where code is not null")
        }
        for *place, columns in connection.execute(_CODED):
            yield *place, [[tokens[code] for code in codes_in(column)] for column in columns.split("\n")]
        places = {rowid: (path, seq) for rowid, path, seq in connection.execute(_PLACES)}
        yield index.size()
        instances = getattr(index.engine, "instances", None)
        if instances is None:
            words = connection.execute("select word from words where held order by word").fetchall()
            for (token,) in words:
                hits = index.engine.find(IndexClause("token", token), len(places) + 1)
                yield (
                    token,
                    sorted((places.get(hit.rowid, ("", hit.rowid)), round(hit.score, 9)) for hit in hits),
                )
        else:
            # Numbers in the order of the places, which the rows of units tell: there are millions of them.
            order = {rowid: n for n, rowid in enumerate(sorted(places, key=places.__getitem__))}
            for term, entries in instances():
                yield repr(
                    (_storable(term), sorted((order.get(doc, -doc), column, n) for doc, column, n in entries))
                )


# What a parsed note becomes in each table of the index. Pure shapes: the order of values is the order of the columns.

RACY_NS = 50_000_000  # coarser than any clock tick a file system stamps with


class IndexedNote(NamedTuple):
    """A parsed note with what the disk said when it was read."""

    note: Note
    stamp: Stamp
    digest: bytes
    racy: bool = False  # written so recently that its stamp could hide a later write
    partial: int = 0  # 1: the agent sees less of it than its owner


@lru_cache(maxsize=4096)
def _one_key(name: str) -> tuple[str, ...]:
    return (key_of(name),)


def _part_keys(name: str) -> tuple[str, ...]:
    """The first and the last word of a name such as `Søren Kjeldsen`, by which people call it."""
    words = name.split()
    return (
        tuple(key_of(word) for word in {words[0]: 0, words[-1]: 0} if not word[0].islower())
        if len(words) > 1
        else ()
    )


_KEYS: Mapping[str, Callable[[str], tuple[str, ...]]] = {
    "person": _one_key,
    "part": _part_keys,
    "merged": lambda name: (name,),
}


_as_json = json.JSONEncoder(ensure_ascii=False).encode


def stored_stamp(stamp: Stamp, racy: bool) -> bytes:
    """A stamp as it is stored; empty when the file must be read once more."""
    # A file written within the clock's grain of being read may change again under the same stamp: read it once more.
    if racy and stamp.doubts:  # with which doubts it was read is not forgotten
        return pack_stamp(stamp._replace(ctime_ns=0))
    return b"" if racy else pack_stamp(stamp)


def file_row(fid: int, filed: IndexedNote, code: str) -> tuple[object, ...]:
    """The row of `files`."""
    note = filed.note
    stem = link_key(note.path.rpartition("/")[2].rpartition(".")[0])
    return (
        fid, note.path, stored_stamp(filed.stamp, filed.racy), filed.digest, note.id, note.kind, note.state, note.title,
        note.when, note.until, _as_json(note.tags) if note.tags else "[]", note.trust, int(note.pinned), stem,
        code, filed.partial, *note.lifecycle,
    )  # fmt: skip


def unit_row(
    rowid: int, fid: int, seq: int, unit: Unit, packed: bytes, *, opens: bool = False
) -> tuple[object, ...]:
    """The row of `unit`, with its packed texts and what ranking wants to know of a turn's."""
    turn_text = unit.text if unit.kind == "turn" else ""
    return (
        rowid, fid, seq, unit.id, unit.kind, unit.line, unit.end_line, packed,
        unit.when, unit.until, unit.days, unit.entity, key_of(unit.entity) if unit.entity else "", unit.field, unit.value, unit.trust,
        int(unit.pinned), unit.state,
        unit.role, int(ends_in_question(turn_text)), int(opens), *unit.lifecycle,
    )  # fmt: skip


def kind_of(kind: str, trust: str) -> str:
    """The kind of a unit whose tokens are counted: what a tool brought in is no turn, whose words count in those beside it."""
    return "untrusted" if kind == "turn" and trust == "untrusted" else kind


def opening_turn(units: Sequence[Unit]) -> Unit | None:
    """The turn with which somebody opens a session with an assistant: it says what the session is about."""
    if not any(unit.role == "assistant" for unit in units):
        return None
    return next((unit for unit in units if unit.role == "user"), None)


def fact_rows(fid: int, note: Note) -> Iterator[tuple[object, ...]]:
    """The rows of `fact`, each with the memory type of its unit."""
    for seq, f in enumerate(note.typed_facts):
        yield (
            fid, seq, f.id, f.entity, key_of(f.entity), f.field, f.value, f.since, f.until, f.source, f.line, int(f.current),
            f.type, f.said, f.trust, f.audience, *f.lifecycle,
        )  # fmt: skip


def name_rows(fid: int, note: Note) -> Iterator[tuple[str, str, int, str]]:
    """The rows of `name`: every key under which a question may call something of this note."""
    named: Mapping[str, Iterable[str]] = {
        "entity": dict.fromkeys([*(f.entity for f in note.facts if f.entity), *note.entities]),
        "person": dict.fromkeys([*note.people, *(t.name for t in note.turns if t.name)]),
        "project": (note.project,) if note.project else (),
        "alias": note.aliases,
        "merged": note.merged_from,
    }
    for kind, names in {
        **named,
        "part": [*(f.entity for f in note.facts), *(t.name for t in note.turns)],
    }.items():
        keys = _KEYS.get(kind, keys_of)
        yield from ((key, kind, fid, name) for name in names for key in keys(name))
    # A block of Logseq is named by a number that only it has; those of Obsidian count within their note.
    yield from ((key_of(block), "block", fid, block) for block, _ in note.blocks if len(block) == _UUID)
    if note.entity:  # an entity's own note says what else it is called
        others = dict.fromkeys(key for name in (note.title, *note.aliases) for key in keys_of(name))
        yield from ((key, "entity", fid, note.entity) for key in others)


def link_rows(fid: int, note: Note) -> Iterator[tuple[object, ...]]:
    """The rows of `link`."""
    for seq, link in enumerate(note.links):
        yield (
            fid,
            seq,
            link.target,
            link_key(link.target),
            link.anchor,
            link.label,
            link.line,
            int(link.embed),
        )


def cited_rows(fid: int, note: Note) -> Iterator[tuple[object, ...]]:
    """The rows of `cited`: the lines of logs that an episode was made of, with each name by which facts cite it."""
    if note.kind != "episode" or "source" not in note.meta:
        return
    from memoryclaw.text.yaml_text import strings  # noqa: PLC0415 - a search reads no file
    from memoryclaw.vault.logs import parse_ranges  # noqa: PLC0415

    for range_ in parse_ranges(" ".join(strings(note.meta["source"]))):
        for key in {link_key(note.id), link_key(note.path)}:
            yield fid, range_.path, range_.first, range_.last, key


def link_key(target: str) -> str:
    """What two spellings of a link's target share: the last part, without `.md`, case folded, accents composed."""
    last = page_name(target).rpartition("/")[2].removesuffix(".md")
    return unicodedata.normalize("NFC", last).casefold()


def problem_rows(problems: Iterable[Problem]) -> Iterator[tuple[object, ...]]:
    """The rows of `problems`, without their origin."""
    for seq, p in enumerate(problems):
        yield p.path, seq, p.line, p.message, p.hint


# The other tables of a note, in the order in which they are filled.
_ROWS_OF_NOTES: tuple[tuple[str, Callable[[int, Note], Iterable[tuple[object, ...]]]], ...] = (
    (f"insert into fact values({','.join('?' * 21)})", fact_rows),
    (
        "insert into tag values(?,?) on conflict do nothing",
        lambda fid, note: ((tag.lower(), fid) for tag in note.tags),
    ),
    ("insert into name values(?,?,?,?)", lambda fid, note: dict.fromkeys(name_rows(fid, note))),
    ("insert into link values(?,?,?,?,?,?,?,?)", link_rows),
    ("insert into cited values(?,?,?,?,?) on conflict do nothing", cited_rows),
    (_PROBLEM_SQL.format("note"), lambda _, note: problem_rows(note.problems)),
)


def is_racy(stamp: Stamp) -> bool:
    """True for a file changed so recently that it may change once more without a new stamp."""
    return abs(time.time_ns() - stamp.ctime_ns) < RACY_NS
