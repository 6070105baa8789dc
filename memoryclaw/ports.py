"""The interfaces of the index, which its engines and its users share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from memoryclaw.late import NamedTuple

T = TypeVar("T")


class Address(NamedTuple):
    """The place of an id in the vault."""

    id: str
    note: str  # id of the note it belongs to
    kind: str  # episode | semantic | fact | skill | note | log | turn | section
    path: str
    line: int = 1
    end_line: int = 1
    state: str = "current"
    entity: str = ""
    field: str = ""


class Lookup(Protocol):
    """Looks up ids and entities; the catalogue implements it."""

    def resolve(self, id_: str) -> Address | None:
        """The address of a note, section, fact or turn; of two notes with one id, the first path."""

    def entity_name(self, entity: str) -> str:
        """The name of this entity in its facts, also for a synonym; the given name if it has none."""

    def entity_files(self, entity: str) -> Sequence[str]:
        """Paths of the files that hold facts of this entity (name or alias, any case), current ones first."""

    def paths_to_verify(self, fields: Iterable[str]) -> Sequence[str]:
        """Paths of the files that name a day by which something is to be verified, or hold a fact of one of these fields."""

    def standing_facts(self, keys: Iterable[str]) -> Sequence[tuple[str, Any]]:
        """What facts (`model.Fact`) hold of these entities now (named by key), with the path of their file."""

    def speakers(
        self, lines: Iterable[tuple[str, str, str, str]]
    ) -> Mapping[tuple[str, str, str, str], frozenset[str]]:
        """Who said the turns that current facts (path, entity, field, value) rest on, by the keys of their names."""

    def other_names(self, keys: Iterable[str]) -> Sequence[tuple[str, str]]:
        """What else these entities are called, by `aliases.yaml` or by their own notes: (key, key of the other name)."""

    def namesakes(self, entities: Iterable[tuple[str, str]]) -> Mapping[str, str]:
        """Of notes (path, entity), those that merely have one name: what each is called with its folder, by path."""

    def contested_keys(self) -> Collection[str]:
        """The keys of the entities of which one field may have two values."""

    def paths(self) -> Sequence[str]:
        """The paths of all notes, in order."""

    def usual_speaker(self) -> tuple[str, int]:
        """The name that speaks as a person in most of the newest logs, and in how many of them; nothing where no name does."""

    def episodes_titled(self, title: str) -> Sequence[tuple[str, str]]:
        """The episodes with this title, as (id, path)."""


Progress = Callable[[int, int], None]  # called with what is done, and the total

Columns = tuple[str, str, str, str]  # in the order of model.COLUMNS


class IndexRow(NamedTuple):
    """A unit for a text index: analysed tokens per column, joined by spaces."""

    rowid: int
    columns: Columns


class Hit(NamedTuple):
    """A unit that a text index found, and its BM25 score (higher is better)."""

    rowid: int
    score: float


class IndexClause(NamedTuple):
    """A boolean question over index tokens, as all engines understand it.

    op is `token` (text: one token), `phrase` (text: tokens joined by spaces, adjacent and in order),
    `any`, `all` (parts) or `not` (one part: hits of the `all` around it that do not match it).
    columns restricts a token or phrase to some of model.COLUMNS; empty means all of them.
    """

    op: str
    text: str = ""
    columns: tuple[str, ...] = ()
    parts: tuple[IndexClause, ...] = ()


class Rows(Protocol):
    """What a statement found."""

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows that are left."""

    def fetchone(self) -> Any:
        """The next row, or None."""

    def __iter__(self) -> Iterator[Any]:
        """One row after the other."""


class IndexConnection(Protocol):
    """Runs SQL over the tables of an index, in SQLite's language; an engine on a server translates what it says otherwise."""

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Rows:
        """Runs one statement."""

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Runs one statement for many rows."""


class IndexDatabase(Protocol):
    """Where the tables of an index are: a SQLite file, or a server."""

    rebuilt: bool  # it was empty, or thrown away, and was not filled since

    @property
    def place(self) -> str:
        """Where it is, for people."""

    def connection(self) -> IndexConnection:
        """The connection; what is damaged, foreign or outdated is replaced by an empty index first."""

    def is_current(self) -> bool:
        """True while the connection is to the index that is there, and nobody else has changed that."""

    def exists(self) -> bool:
        """True when there is an index."""

    def bytes(self) -> int:
        """How much room it takes."""

    def trouble(self) -> str:
        """What is wrong with the store itself; empty when it is sound."""

    def has_waited(self) -> bool:
        """True when another process was writing just now, and what it wrote is there."""

    def writing(self) -> AbstractContextManager[IndexConnection]:
        """One write transaction."""

    def reading(self) -> AbstractContextManager[None]:
        """One state of the index for all that is asked in the block; nests."""

    def guarded(self) -> AbstractContextManager[IndexConnection]:
        """The connection, with the errors of the store told apart."""

    def telling(self) -> AbstractContextManager[None]:
        """Turns the errors of the store into ours."""

    def constant(self, name: str, read: Callable[[], T]) -> T:
        """What changes only with the index; where asking is dear, it is read once for each state of it."""

    def discard(self) -> None:
        """Throws the index away; the next use builds it again from the files."""

    def close(self) -> None:
        """Closes the connection; the object can be used again."""


class TextIndex(Protocol):
    """A text index. All engines pass tests/index/engine_contract.py."""

    def add(self, rows: Iterable[IndexRow]) -> None:
        """Adds units; a rowid is never used twice in the life of an index."""

    def remove(self, rows: Iterable[IndexRow]) -> None:
        """Removes units; the columns must be those they were added with."""

    def find(self, clause: IndexClause, limit: int, within: Sequence[int] | None = None) -> list[Hit]:
        """The best `limit` units by BM25, with all that tie with the last, best first (ties by rowid)."""

    def count(self, clause: IndexClause) -> int:
        """How many units match."""

    def size(self) -> tuple[int, int]:
        """How many units there are, and how many tokens they hold over all columns."""

    def clear(self) -> None:
        """Forgets everything."""

    def settle(self, *, keep: bool) -> None:
        """Commits or rolls back what was added and removed since the last call."""


class ServerEngine(Protocol):
    """Keeps indexes on a server; a distribution brings it as an entry point of the group `memoryclaw.engines`."""

    def open(
        self,
        settings: Mapping[str, Any],
        root: str,
        audience: str,
        recipe: str,
        *,
        keeps: bool,
        may: Callable[[Any], None] | None,
    ) -> tuple[IndexDatabase, TextIndex]:
        """The tables and the text engine of one vault.

        Args:
            settings: what the user's own settings say of extensions, by key.
            audience: whose view it is; empty for that of everything.
            recipe: what the content depends on; under another one the index is made anew.
            keeps: False where another process keeps the index, and this one only reads.
            may: asked with the transaction before anything is written; may raise.
        """

    def vectors(self, database: IndexDatabase, *, follows: bool) -> Callable[..., Any]:
        """What makes the vectors beside such tables, as `index.vectors.Vectors` is made; `follows` where another process fills them."""
