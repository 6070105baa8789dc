"""Vectors on a server: what one node made is there for all, and each looks through a copy of its own."""

from __future__ import annotations

import contextlib
from typing import Any

from memoryclaw.errors import LockedError
from memoryclaw.index.vectors import Vectors
from memoryclaw.models.embedders import numpy
from memoryclaw_fleet.postgres_index import PostgresVectors

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
        if edition is not None and edition != self.store.followed():
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
                self.store.follow(edition)
        return super().ready()

    def forget_gone(self) -> None:
        """Wipes out at once, here and there, the vectors of what is no longer in the vault."""
        if self.store.exists() or self._server.passages():
            with self.store.filling():
                self.settle()
                self.store.drop()
                self._drop_gone()

    def fetch(self, recipe: str) -> None:
        """Takes the vectors that are missing here and were made before, by this model of these texts."""
        np = numpy()
        missing = sorted({*self.store.units().values()} - self.store.held())
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
        widths, width = self._server.held(recipe), self.store.width()
        fresh = sorted(digest for digest in self.store.held() if widths.get(digest) != width)
        for start in range(0, len(fresh), _AT_ONCE):
            self._server.put(recipe, self.store.rows(fresh[start : start + _AT_ONCE]))
        self._drop_gone()

    def _drop_gone(self) -> None:
        if gone := sorted(self._server.passages() - {*self.store.units().values()}):
            self._server.drop(gone)
