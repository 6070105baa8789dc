"""What our figures are held against: a bare walk and a raw FTS5 loop, the least that works."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

_TABLES = """pragma journal_mode = wal; pragma synchronous = normal;
create table file(id integer primary key, path text unique, mtime integer, size integer);
create virtual table note using fts5(path unindexed, header, body, tokenize = 'unicode61');"""


def walk(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Every Markdown file below a folder with its stat: the least that a rescan must do."""
    stack = [os.fspath(root)]
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".md"):
                    yield entry.path, entry.stat()
                elif entry.name[0] != "." and entry.is_dir():
                    stack.append(entry.path)


def walked(root: Path) -> int:
    """How many files a bare walk sees."""
    return sum(1 for _ in walk(root))


def raw_turns(vault: Path, index: Path) -> None:
    """What each line of a vault's logs says, in one FTS5 table on disk."""
    database = sqlite3.connect(index)
    database.executescript("pragma journal_mode = wal; create virtual table turn using fts5(content)")
    for path in sorted((vault / "logs").rglob("*.jsonl")):
        lines = (json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line)
        database.executemany(
            "insert into turn values (?)", ((str(line.get("content", "")),) for line in lines)
        )
    database.commit()
    database.execute("pragma wal_checkpoint(truncate)")
    database.close()


class RawFts5:
    """Header and body of each note in one FTS5 table on disk: no parsing, no links, no facts, no explanation."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = sqlite3.connect(path)

    def build(self, root: Path) -> None:
        """Indexes a vault from nothing."""
        self._database.executescript(_TABLES)
        for path, status in walk(root):
            self.put(path, status)
        self._database.commit()

    def put(self, path: str, status: os.stat_result) -> None:
        """Takes one file in, in place of what was there."""
        run = self._database.execute
        header, _, body = Path(path).read_text(encoding="utf-8")[4:].partition("\n---\n")
        run("delete from note where rowid in (select id from file where path = ?)", (path,))
        upsert = "insert into file(path, mtime, size) values(?,?,?) on conflict(path) do update set mtime = excluded.mtime, size = excluded.size"
        run(upsert, (path, status.st_mtime_ns, status.st_size))
        number = run("select id from file where path = ?", (path,)).fetchone()[0]
        run("insert into note(rowid, path, header, body) values(?,?,?,?)", (number, path, header, body))

    def save(self, path: str, token: str) -> bool:
        """Takes one file in and asks for a token of it, as a direct call: the floor of a watcher."""
        self.put(path, os.stat(path))
        self._database.commit()
        return bool(
            self._database.execute("select 1 from note where note match ?", (f'"{token}"',)).fetchall()
        )

    def search(self, question: str, *, any_word: bool = False) -> list[tuple[object, ...]]:
        """The ten best with a snippet: all words, or any of them."""
        match = (" OR " if any_word else " ").join(f'"{word}"' for word in question.split())
        sql = """select path, bm25(note, 1, 4, 1), snippet(note, 2, '[', ']', '…', 12) from note where note match ?
            order by rank limit 10"""
        return self._database.execute(sql, (match,)).fetchall()

    def close(self) -> None:
        """Moves the write-ahead log into the file and closes it."""
        self._database.execute("pragma wal_checkpoint(truncate)")
        self._database.close()
