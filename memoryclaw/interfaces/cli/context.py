"""What was said on the command line for every verb: which vault, and JSON or text. Opens the vault on request."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoryclaw.app import App


@dataclass(slots=True)
class CliContext:
    """The options that every verb shares."""

    vault: str | None = None
    json: bool = False

    @contextmanager
    def app(self, work: str = "reading notes") -> Iterator[App]:
        """The open vault, closed at the end of the block; a long first indexing shows its progress."""
        from memoryclaw.app import open_vault  # noqa: PLC0415 - `--help` and completion need no vault
        from memoryclaw.interfaces.cli.progress import Bar  # noqa: PLC0415

        gc.freeze()
        gc.enable()
        with Bar(work) as bar, open_vault(self.vault, progress=bar) as app:
            yield app

    def served(self, method: str, path: str, **asked: Any) -> dict[str, Any] | None:
        """What the vault's daemon answers, if one runs; else None, and the own work gives the same."""
        from memoryclaw.daemon.client import query_of, root_of, served  # noqa: PLC0415

        if method == "GET":
            return served(root_of(self.vault), method, path + query_of(asked))
        return served(root_of(self.vault), method, path, asked)
