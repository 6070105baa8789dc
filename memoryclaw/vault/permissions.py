"""What this person permitted on this machine: kept in a folder of their own, so that nothing a vault, a clone or a remote brings permits anything.

A permission names the lines of `review/decisions.jsonl` that were given together by their digests, and says nothing else of them. It
counts only while all of these lines stand in the vault, each as often as it was given. What came from elsewhere and widened a label is
kept beside it as a doubt.
"""

from __future__ import annotations

import json
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from memoryclaw.errors import MemoryClawError, NotFoundError, UnidentifiedError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING
from memoryclaw.text.encoding import json_object, texts_in
from memoryclaw.vault import files
from memoryclaw.vault.audience import NO_DOUBTS, Doubt, Doubts, FileDoubts, piece_of, read_doubts

NAME = "permissions.jsonl"


class Permissions(NamedTuple):
    """All that one person permitted in one vault; `trouble` is why nothing is."""

    batches: tuple[tuple[str, ...], ...] = ()  # digests of lines that were given together
    withdrawn: frozenset[str] = frozenset()  # digests of files that this person said no to last
    declined: frozenset[str] = frozenset()  # digests of lines of others that this person does not want
    trouble: str = ""
    doubts: Doubts = NOTHING

    @classmethod
    def read(cls, text: str, copy: str = "", *, known: bool = False) -> Permissions:
        """The permissions of a file, and the doubts of a copy of the vault; a line that is none is passed over."""
        batches, withdrawn, declined = list[tuple[str, ...]](), set[str](), set[str]()
        values = [value for line in text.splitlines() if (value := json_object(line))]
        for value in values:
            lines, approved, refused, unwanted = (texts_in(value.get(key)) for key in _KEYS)
            batches += [lines] if lines else []
            withdrawn = withdrawn.difference(approved).union(refused)
            declined = declined.difference(lines).union(unwanted)
        doubts = read_doubts(values, copy, known=known)
        return cls(tuple(batches), frozenset(withdrawn), frozenset(declined), doubts=doubts)

    def permits(self, digests: Sequence[str]) -> list[bool]:
        """For each line of a vault, by its digest, whether this person gave it; one that was repeated counts as often as it was given."""
        present = Counter(digests)
        standing = Counter(
            digest for batch in self.batches if all(map(present.__getitem__, batch)) for digest in batch
        )
        result = []
        for digest in digests:
            result.append(standing[digest] > 0)
            standing[digest] -= 1
        return result


_NO_ID = "the vault has no id, so what was decided in it counts for nobody; the next approval gives it one"
_KEYS = ("lines", "approved", "refused", "declined")
NOBODYS = Permissions()


def permission(at: str, **digests: Iterable[str]) -> str:
    """One line: the moment, `lines` that are given together, files that are `approved` or `refused` by them, lines that are `declined`."""
    return _line(at, {key: [*digests.get(key, ())] for key in _KEYS})


def _line(at: str, values: Mapping[str, Any]) -> str:
    values = {key: value for key, value in values.items() if value}
    return json.dumps({"at": at, **values}) + "\n" if values else ""


def line_digest(line: str) -> str:
    """What a line of `review/decisions.jsonl` is known by."""
    return files.digest_of(line.strip().encode("utf-8", "surrogatepass"))


class Store(Protocol):
    """Where the permissions of one vault are kept."""

    def read(self) -> str:
        """All lines; empty where there are none."""

    def append(self, line: str) -> None:
        """Adds a line and waits until it is safe."""

    def edition(self) -> object:
        """What differs when another process has added lines; as cheap as looking at a file."""


class OwnStore(NamedTuple):
    """A file in the user's own folder; an empty folder stands for a vault that has no id."""

    folder: str

    def read(self) -> str:
        """All lines. Raises VaultError: they cannot be read."""
        if not self.folder:
            raise UnidentifiedError(_NO_ID)
        try:
            return files.read_file(self.folder, NAME).data.decode("utf-8", "replace")
        except (NotFoundError, FileNotFoundError):
            return ""
        except (VaultError, OSError) as error:
            if not os.path.lexists(self.folder):
                return ""
            reason = error.strerror if isinstance(error, OSError) else error
            raise VaultError(
                f"{os.path.join(self.folder, NAME)} cannot be read ({reason}); make it readable"
            ) from None

    def append(self, line: str) -> None:
        """Adds a line; the disk has it afterwards. Raises VaultError: it cannot be written."""
        if not self.folder:
            raise UnidentifiedError(_NO_ID)
        try:
            os.makedirs(self.folder, 0o700, exist_ok=True)
            files.append(self.folder, NAME, [line.encode()])
        except OSError as error:
            raise VaultError(
                f"{os.path.join(self.folder, NAME)} cannot be written ({error.strerror}), so nothing was; make it writable"
            ) from None

    def edition(self) -> object:
        """What differs when another process has added lines."""
        try:
            now = os.stat(f"{self.folder}/{NAME}") if self.folder else None
        except OSError:
            return None
        return now and (now.st_size, now.st_mtime_ns, now.st_ino)


# By the root of a vault, as where its folders are. Who opens a vault says so; where nobody did, nothing is permitted.
_stores: dict[str, Store] = {}
_NOWHERE = OwnStore("")
_known: dict[str, tuple[object, Doubts]] = {}  # the doubts of each, and the edition that they are of


def put_store(root: str, store: Store) -> None:
    """Says where the permissions of a vault are kept."""
    _stores[root] = store
    _known.pop(root, None)


def store_of(root: str) -> Store:
    """Where the permissions of a vault are kept."""
    return _stores.get(root, _NOWHERE)


def permissions(root: str) -> Permissions:
    """What this person permitted in a vault; nothing where that cannot be read."""
    try:
        return Permissions.read(store_of(root).read(), _copy(root), known=os.path.exists(moves_file(root)))
    except MemoryClawError as error:
        return Permissions(trouble=str(error))


def doubts(root: str) -> Doubts:
    """What of a vault came from elsewhere and is in doubt."""
    edition = store_of(root).edition()
    known = _known.get(root)
    if known is None or known[0] != edition:
        known = _known[root] = edition, permissions(root).doubts
    return known[1]


def doubts_of_file(root: str, path: str) -> FileDoubts:
    """What of a file came from elsewhere and is in doubt."""
    standing = doubts(root)
    return standing.get(piece_of(path), NO_DOUBTS).counting if standing else NO_DOUBTS


Pieces = Iterable[tuple[str, str]]  # by the digest of a path, and the piece


def doubt(root: str, at: str, raised: Mapping[tuple[str, str], Doubt]) -> None:
    """Keeps what came from elsewhere and is in doubt in this copy of a vault, from now on. Raises VaultError: it cannot be kept."""
    standing = {
        (file, piece): standing_of_piece
        for file, of in doubts(root).items()
        for piece, standing_of_piece in of.pieces.items()
    }
    rows = [
        [*key, [*standing_of_piece.came], [*standing_of_piece.holds]]
        for key, standing_of_piece in sorted({**standing, **raised}.items())
    ]
    declined = [
        key for key, standing_of_piece in standing.items() if standing_of_piece.declined and key not in raised
    ]
    permit(root, _line(at, {"copy": _copy(root), "doubts": rows}))
    if declined:
        permit(root, _line(at, {"copy": _copy(root), "unwanted": sorted(declined)}))


def settle(root: str, at: str, pieces: Pieces, *, unwanted: bool = False) -> None:
    """Keeps that this person said yes to what was in doubt, or does not want it. Raises VaultError: it cannot be kept."""
    doubt(root, at, {})  # a copy of which nothing was told has those of others, too
    key = "unwanted" if unwanted else "settled"
    permit(root, _line(at, {"copy": _copy(root), key: [*map(list, pieces)]}))


def carry(root: str, old: str, new: str) -> None:
    """Has the doubts of a file stand for the path that it has now, too. Raises VaultError: it cannot be kept."""
    pieces = doubts_of_file(root, old).pieces
    doubt(root, "", {(piece_of(new), piece): standing for piece, standing in pieces.items()})


def moves_file(root: str) -> str:
    """Where it is kept what of the moves of a copy's branch was looked through; empty where nothing is."""
    store = store_of(root)
    return f"{store.folder}/moves-{_copy(root)}" if isinstance(store, OwnStore) and store.folder else ""


def _copy(root: str) -> str:
    """What tells the copies of one vault on this machine apart: of a few folders, so four bytes do, and no cryptography is loaded."""
    is_own = isinstance(store_of(root), OwnStore)
    return f"{zlib.crc32(os.fsencode(os.path.realpath(root))):08x}" if is_own else ""


def permit(root: str, line: str) -> None:
    """Keeps what this person permits in a vault.

    Raises:
        VaultError: it cannot be kept, and is more than a refusal that stands in the vault.
    """
    try:
        store_of(root).append(line)
    except MemoryClawError:
        if not {"approved", "refused", "at"}.issuperset(json.loads(line)):
            raise
    finally:
        _known.pop(root, None)
