"""Whether words are of the work in a repository: its tools, code, commands and conventions. Pure."""

from __future__ import annotations

import re

from memoryclaw.text import words as lists
from memoryclaw.text.grammar import tokens_of

_WORK = frozenset(lists.words("consolidation.work"))
# A flag, a path, the name of a file, of a function or of a variable.
_CODE = re.compile(
    r"`|(?<!\S)--?[a-z][\w-]+|[\w.-]/[\w.-]|\w\.(?:[a-z]{1,4}\d?)(?!\w)|\w_\w|[a-z][A-Z]\w|\w\(\)"
)


def is_of_work(text: str) -> bool:
    """True for words that are of the work in a repository, wherever they are said."""
    return not _WORK.isdisjoint(tokens_of(text)) or bool(_CODE.search(text))
