"""What this person permitted on this machine: kept in a folder of their own, so that nothing a vault, a clone or a remote brings permits anything.

A permission names the lines of `review/decisions.jsonl` that were given together by their digests, and says nothing else of them. It
counts only while all of these lines stand in the vault, each as often as it was given.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from memoryclaw.errors import MemoryClawError, NotFoundError, UnidentifiedError, VaultError
from memoryclaw.vault import files

NAME = "permissions.jsonl"


class Permissions(NamedTuple):
    """All that one person permitted in one vault; `trouble` is why nothing is."""

    batches: tuple[tuple[str, ...], ...] = ()  # digests of lines that were given together
    withdrawn: frozenset[str] = frozenset()  # digests of files that this person said no to last
    declined: frozenset[str] = frozenset()  # digests of lines of others that this person does not want
    trouble: str = ""

    @classmethod
    def read(cls, text: str) -> Permissions:
        """The permissions of a file; a line that is none is passed over."""
        batches, withdrawn, declined = list[tuple[str, ...]](), set[str](), set[str]()
        for line in text.splitlines():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(value, dict):
                continue
            lines, approved, refused, unwanted = (_texts(value.get(key)) for key in _KEYS)
            batches += [lines] if lines else []
            withdrawn = withdrawn.difference(approved).union(refused)
            declined = declined.difference(lines).union(unwanted)
        return cls(tuple(batches), frozenset(withdrawn), frozenset(declined))

    def counted(self, digests: Sequence[str]) -> list[bool]:
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
    values: dict[str, Any] = {key: list(lines) for key in _KEYS if (lines := digests.get(key))}
    return json.dumps({"at": at, **values}) + "\n" if values else ""


def line_digest(line: str) -> str:
    """What a line of `review/decisions.jsonl` is known by."""
    return files.digest_of(line.strip().encode("utf-8", "surrogatepass"))


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


class Store(Protocol):
    """Where the permissions of one vault are kept."""

    def read(self) -> str:
        """All lines; empty where there are none."""

    def append(self, line: str) -> None:
        """Adds a line and waits until it is safe."""


class OwnStore(NamedTuple):
    """A file in the user's own folder; an empty folder stands for a vault that has no id."""

    folder: str

    def read(self) -> str:
        """All lines.

        Raises:
            VaultError: they cannot be read.
        """
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
        """Adds a line; the disk has it afterwards.

        Raises:
            VaultError: it cannot be written.
        """
        if not self.folder:
            raise UnidentifiedError(_NO_ID)
        try:
            os.makedirs(self.folder, 0o700, exist_ok=True)
            files.append(self.folder, NAME, [line.encode()])
        except OSError as error:
            raise VaultError(
                f"{os.path.join(self.folder, NAME)} cannot be written ({error.strerror}), so nothing was; make it writable"
            ) from None


# By the root of a vault, as where its folders are. Who opens a vault says so; where nobody did, nothing is permitted.
_stores: dict[str, Store] = {}
_NOWHERE = OwnStore("")


def put_store(root: str, store: Store) -> None:
    """Says where the permissions of a vault are kept."""
    _stores[root] = store


def store_of(root: str) -> Store:
    """Where the permissions of a vault are kept."""
    return _stores.get(root, _NOWHERE)


def permissions(root: str) -> Permissions:
    """What this person permitted in a vault; nothing where that cannot be read."""
    try:
        return Permissions.read(store_of(root).read())
    except MemoryClawError as error:
        return Permissions(trouble=str(error))


def permit(root: str, line: str) -> None:
    """Keeps what this person permits in a vault.

    Raises:
        VaultError: it cannot be kept, and is more than a refusal that stands in the vault.
    """
    try:
        store_of(root).append(line)
    except MemoryClawError:
        if not {"lines", "declined"}.isdisjoint(json.loads(line)):
            raise
