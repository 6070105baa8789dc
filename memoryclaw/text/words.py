"""Reads word lists from `memoryclaw/data/*.toml`.

The files hold only comments and `name = '''…'''`, which is valid TOML and can be read by `split` alone: every search reads one
of them, and importing tomllib takes a hundred times as long as that.
"""

from __future__ import annotations

import os
from functools import cache

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data")


def words(name: str) -> list[str]:
    """The words of a list, in order; `english.question` is the list `question` of `english.toml`."""
    return _lists(name.partition(".")[0])[name.partition(".")[2]].split()


def lines(name: str) -> list[str]:
    """The lines of a list; each holds a group of words."""
    return _lists(name.partition(".")[0])[name.partition(".")[2]].strip("\n").split("\n")


@cache
def _lists(file: str) -> dict[str, str]:
    with open(os.path.join(_FOLDER, f"{file}.toml"), encoding="utf-8") as data:
        parts = data.read().split("'''")
    return {before.split()[-2]: text for before, text in zip(parts[::2], parts[1::2], strict=False)}
