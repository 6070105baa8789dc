"""What people mark as private in what they say. The rule: in doubt, more is left out, never less."""

from __future__ import annotations

import re
from typing import NamedTuple

_OPEN = r"(?:<|&lt;)\s*private\s*(?:>|&gt;)"
_CLOSE = r"(?:<|&lt;)\s*/\s*private\s*(?:>|&gt;)"
# An opening mark that nobody closed covers the rest.
_PRIVATE_SPAN = re.compile(rf"{_OPEN}.*?(?:{_CLOSE}|\Z)", re.IGNORECASE | re.DOTALL)
_NOMEM = re.compile(r"\[NOMEM\]", re.IGNORECASE)
_WHOLE_TURN = re.compile(r"\A\s*\[NOMEM\]|^[ \t]*\[NOMEM\][ \t]*$", re.IGNORECASE | re.MULTILINE)
_PRIVATE = re.compile(r"\[PRIVATE\]", re.IGNORECASE)
_NOEXPORT = re.compile(r"\[NOEXPORT\]", re.IGNORECASE)


class Marked(NamedTuple):
    """A text as it may be kept, and what its marks ask for."""

    text: str
    unlogged: bool = False  # the whole turn must not be kept
    private: bool = False  # for its owner only
    no_export: bool = False  # not for bundles that leave the vault


def unmarked(text: str) -> Marked:
    """The text without what must not reach the disk.

    `<private>…</private>` becomes `[private]`; a line with [NOMEM] is left out, and the whole turn where the mark begins
    it or stands on a line of its own. [PRIVATE] and [NOEXPORT] stay where they are and are told.
    """
    if "[" not in text and "private" not in text.lower():
        return Marked(text)
    if _WHOLE_TURN.search(text):
        return Marked("", unlogged=True)
    kept = _PRIVATE_SPAN.sub("[private]", text)
    if _NOMEM.search(kept):
        kept = "\n".join(line for line in kept.split("\n") if not _NOMEM.search(line))
        if not kept.strip():
            return Marked("", unlogged=True)
    return Marked(
        kept, False, bool(_PRIVATE.search(kept.replace("[private]", ""))), bool(_NOEXPORT.search(kept))
    )
