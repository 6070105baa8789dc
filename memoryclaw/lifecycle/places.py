"""Where facts were said: the lines of episodes that their own lines name. The index knows the episodes alone."""

from __future__ import annotations

from memoryclaw.model import Fact
from memoryclaw.text.encoding import lines_of, readable
from memoryclaw.vault.edits import sources_in
from memoryclaw.writing.context import WriteContext


class FactPlaces:
    """The places of facts; each file is read once."""

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._files: dict[str, list[str]] = {}

    def of(self, path: str, fact: Fact) -> list[str]:
        """The sources of a fact as its line has them, with their blocks: `episode#^l3`."""
        if path not in self._files:
            self._files[path] = lines_of(readable(self._context.text(path)))
        lines = self._files[path]
        return list(sources_in(lines[fact.line - 1])) if 0 < fact.line <= len(lines) else []
