"""Lists of words, read from `memoryclaw/data/*.toml`, and tables, from `*.json` beside them."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data")


def words(name: str) -> list[str]:
    """The words of a list, in order; `english.question` is the list `question` of `english.toml`."""
    return text(name).split()


def lines(name: str) -> list[str]:
    """The lines of a list; each holds a group of words."""
    return text(name).splitlines()


def files() -> list[str]:
    """The names of all files of lists."""
    return sorted(name.removesuffix(".toml") for name in os.listdir(_FOLDER) if name.endswith(".toml"))


def names(file: str) -> tuple[str, ...]:
    """The names of the lists of a file."""
    return tuple(_lists(file))


def text(name: str) -> str:
    """A list as it is written in its file."""
    file, _, list_ = name.partition(".")
    if list_ not in _lists(file):
        raise KeyError(name)
    return _lists(file)[list_]


@cache
def _lists(file: str) -> dict[str, str]:
    # All the TOML that these files hold. A search reads a few of their lists, and to import the parser would cost more than to read them.
    pieces = source(file).split("'''")
    names_ = (before.rpartition("\n")[2].removesuffix(" = ") for before in pieces[::2])
    return {name: list_[1:] for name, list_ in zip(names_, pieces[1::2], strict=False)}


def table(file: str) -> Any:
    """What a table of data holds."""
    return json.loads(_read(f"{file}.json"))


@cache
def entries(file: str) -> frozenset[str]:
    """Every entry of all lists of a file, as it is written there."""
    return frozenset(map(str.strip, source(file).replace("\n", ",").split(",")))


@cache
def written(file: str) -> frozenset[str]:
    """Every word of the lists of a file: read in a fraction of the time that these take."""
    return frozenset(" ".join(_lists(file).values()).replace(",", " ").split())


@cache
def source(file: str) -> str:
    """A file as it is written."""
    return f"\n{_read(f'{file}.toml')}\n"


def _read(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()
