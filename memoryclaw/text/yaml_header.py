"""python-frontmatter's YAML handler with our guard inside; it reads headers and never dumps one."""

from __future__ import annotations

import re
from typing import Any

from frontmatter.default_handlers import YAMLHandler

from memoryclaw.text import yaml_text

_OPEN = re.compile(r"---[ \t]*(?:\n|\Z)")
_CLOSE = re.compile(r"(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")


class GuardedHandler(YAMLHandler):  # type: ignore[misc] # the package is read as untyped
    """Finds and reads a YAML header: `---` on the first line to `---` or `...`."""

    FM_BOUNDARY = _OPEN

    def split(self, text: str) -> tuple[str, str]:
        """The header's text and the body.

        Raises:
            ValueError: the header is never closed.
        """
        start = _OPEN.match(text)
        end = _CLOSE.search(text, start.end() - 1) if start else None
        if start is None or end is None:
            raise ValueError("no closed header")
        return text[start.end() : end.start() + 1], text[end.end() :]

    def load(self, fm: str, **_options: object) -> Any:
        """The header's values; scalars keep their spelling."""
        return self.read(fm).value

    def read(self, fm: str) -> yaml_text.Yaml:
        """The header's values with their lines, for a header that begins on line 2 of its file."""
        return yaml_text.load(fm, 2)

    def export(self, metadata: dict[str, object], **_options: object) -> str:
        """Refuses: a dump would lose the comments and the spelling of the user's header."""
        raise NotImplementedError(f"a header of {len(metadata)} keys is patched in place, never dumped")
