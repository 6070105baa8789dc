"""python-frontmatter's YAML handler with our boundary and our guarded loader; it reads headers and never dumps one."""

from __future__ import annotations

import re

from frontmatter.default_handlers import YAMLHandler

from memoryclaw.text import yaml_text


class GuardedHandler(YAMLHandler):  # type: ignore[misc] # the package is read as untyped
    """Splits off and loads a YAML header: `---` on the first line to `---` or `...`; no byte of the text is lost."""

    FM_BOUNDARY = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)

    def load(self, fm: str) -> yaml_text.Yaml:
        """The header's values with their lines; scalars keep their spelling. A header begins on line 2 of its file."""
        return yaml_text.load(fm, 2)
