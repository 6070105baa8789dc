"""What was said on the command line for every verb: which vault, and JSON or text. Opens the vault on request."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoryclaw.app import App


@dataclass(slots=True)
class Said:
    """The options that every verb shares."""

    vault: str | None = None
    json: bool = False

    @contextmanager
    def app(self, work: str = "reading notes") -> Iterator[App]:
        """The open vault, closed at the end of the block; a long first indexing shows its progress."""
        from memoryclaw.app import open_vault  # noqa: PLC0415 - `--help` and completion need no vault
        from memoryclaw.doors.cli.progress import Bar  # noqa: PLC0415

        gc.freeze()
        gc.enable()
        with Bar(work) as bar, open_vault(self.vault, progress=bar) as app:
            yield app
