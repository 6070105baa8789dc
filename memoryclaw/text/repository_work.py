"""Whether words are of the work in a repository: its tools, code, commands and conventions. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from memoryclaw.text import words as lists
from memoryclaw.text.grammar import spoken_in, tokens_of

_WORK = frozenset(lists.words("consolidation.work"))
_THIS, _PROJECT = (frozenset(lists.words(f"consolidation.{name}")) for name in ("this", "project"))
_WE = frozenset(lists.words("consolidation.we"))
_HERE = {
    code: frozenset(words.split())
    for code, _, words in (row.partition(": ") for row in lists.lines("consolidation.here"))
}
# A flag, a path or a folder (`gen/`), the name of a file, of a function or of a variable.
_CODE = re.compile(
    r"`|(?<!\S)--?[a-z][\w-]+|[\w.-]/[\w.-]|\w\w/(?=[\s,;]|\Z)|\w\.(?:[a-z]{1,4}\d?)(?!\w)|\w_\w|[a-z][A-Z]\w|\w\(\)"
)


def names_this_project(text: str) -> bool:
    """True for words that name the repository they are said in: `in this project`."""
    return any(first in _THIS and second in _PROJECT for first, second in pairwise(tokens_of(text)))


def is_told_here(text: str) -> bool:
    """True for words of the work that say where they hold, as in this project: `tests run with vitest here`."""
    here = _HERE.get(spoken_in(text, "en"), frozenset())
    return names_this_project(text) or (not here.isdisjoint(tokens_of(text)) and is_of_work(text))


def says_we(text: str) -> bool:
    """True for words that begin with those who work together: `we use pnpm`."""
    return not _WE.isdisjoint(tokens_of(text)[:1])


def is_of_work(text: str) -> bool:
    """True for words that are of the work in a repository, wherever they are said."""
    return not _WORK.isdisjoint(tokens_of(text)) or bool(_CODE.search(text)) or names_this_project(text)
