"""Vectors on a server: what one node made is there for all, and each looks through a copy of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from memoryclaw.errors import LockedError
from memoryclaw.index.vectors import Vectors
from memoryclaw.models.embedders import numpy
from memoryclaw.ports import Progress
from memoryclaw.vault.state_folder import write_private
from memoryclaw_fleet.postgres_index import PostgresVectors

_NOTE = "followed"  # the file that names the edition of the vectors on the server that these are
_AT_ONCE = 500  # vectors that are fetched or sent with one command


class SharedVectors(Vectors):
    """The vectors of one vault, as they are on a server.

    Args:
        server: where other nodes find them, or find them made.
        follows: whether another process makes them, and this one only takes them from the server.
    """

    def __init__(self, server: PostgresVectors, follows: bool, *parts: Any, **gates: Any) -> None:
        super().__init__(*parts, **gates)
        self._server, self._follows = server, follows

    def ready(self) -> int:
        """Takes over what changed on the server since the last look, and makes the store ready to be asked."""
        edition = self._server.edition() if self._follows else None
        noted = self.store.folder / _NOTE
        if edition is not None and edition != (noted.read_text("utf-8") if noted.exists() else None):
            with (
                contextlib.suppress(LockedError),
                self.store.filling(),
            ):  # another thread is at it; what is there answers
                recipe = self.recipe
                self.store.begin(recipe)
                self.settle()
                self.store.drop()
                self.fetch(recipe)
                self.store.average()
                write_private(noted.parent, noted.name, edition.encode())
        return super().ready()

    def forget_gone(self) -> None:
        """Wipes out at once, here and there, the vectors of what is no longer in the vault."""
        if self.store.exists() or self._server.passages():
            with self.store.filling():
                self.settle()
                self.store.drop()
                self._drop_gone()

    def work(self, recipe: str, progress: Progress | None, stopping: Callable[[], bool]) -> int:
        """Makes what neither this node nor another has made, and gives it to all."""
        self.fetch(recipe)
        filled = super().work(recipe, progress, stopping)
        self.send(recipe)
        return filled

    def fetch(self, recipe: str) -> None:
        """Takes the vectors that are missing here and were made before, by this model of these texts."""
        np = numpy()
        missing = sorted({*self.store.units().values()} - self.store.embedded())
        for start in range(0, len(missing), _AT_ONCE):
            by_length: dict[int, list[bytes]] = {}
            vectors = self._server.get(recipe, missing[start : start + _AT_ONCE])
            for digest, floats in sorted(vectors.items()):
                by_length.setdefault(len(floats), []).append(digest)
            for digests in by_length.values():
                rows = np.array([np.frombuffer(vectors[digest], "<f4") for digest in digests])
                if self.store.fits(rows):
                    self.store.add(digests, rows)

    def send(self, recipe: str) -> None:
        """Brings the server to what is here."""
        widths, width = self._server.widths(recipe), self.store.width()
        fresh = sorted(digest for digest in self.store.embedded() if widths.get(digest) != width)
        for start in range(0, len(fresh), _AT_ONCE):
            self._server.put(recipe, self.store.rows(fresh[start : start + _AT_ONCE]))
        self._drop_gone()

    def _drop_gone(self) -> None:
        if gone := sorted(self._server.passages() - {*self.store.units().values()}):
            self._server.drop(gone)
