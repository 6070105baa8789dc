"""Lists of words, read from `memoryclaw/data/*.toml`.

The files hold nothing but comments and `name = '''…'''`, which two calls of `split` read. They are TOML for people and editors;
importing tomllib costs more than all the rest of reading them, and every search reads one.
"""

from __future__ import annotations

import os
from functools import cache

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data")


def words(name: str) -> list[str]:
    """The words of a list, in their order; `english.question` is the list `question` of `english.toml`."""
    return _lists(name.partition(".")[0])[name.partition(".")[2]].split()


def lines(name: str) -> list[str]:
    """The lines of a list, for one whose words stand in groups."""
    return _lists(name.partition(".")[0])[name.partition(".")[2]].strip("\n").split("\n")


@cache
def _lists(file: str) -> dict[str, str]:
    with open(os.path.join(_FOLDER, f"{file}.toml"), encoding="utf-8") as data:
        parts = data.read().split("'''")
    return {before.split()[-2]: text for before, text in zip(parts[::2], parts[1::2], strict=False)}
