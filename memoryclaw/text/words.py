"""Lists of words, read from `memoryclaw/data/*.toml`, and tables, from `*.json` beside them."""

from __future__ import annotations

import json
import marshal
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar, cast

T = TypeVar("T")
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


def kept(make: Callable[..., T]) -> Callable[..., T]:
    """A function that makes something of lists alone: what it made is kept as Python keeps a compiled module, and made anew when a file that it is made of has changed."""

    @cache
    def made(*of: str) -> T:
        compiled = vars(sys.modules[make.__module__])["__spec__"].cached
        place = f"{os.path.splitext(compiled)[0]}.{'.'.join((make.__name__, *of))}"
        present = [*_stamps(), _stamp(make.__code__.co_filename)]
        with suppress(OSError, EOFError, ValueError, TypeError), open(place, "rb") as file:
            stamps, value = marshal.loads(file.read())  # noqa: S302 - as sound as the module beside it
            if stamps == present:
                return cast("T", value)
        value = make(*of)
        if sys.dont_write_bytecode:
            return value
        with suppress(OSError):  # an installation that is not the person's own
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(f"{place}.{os.getpid()}", "wb") as fresh:
                fresh.write(marshal.dumps([present, value]))
            os.replace(fresh.name, place)
        return value

    return made


@cache
def _stamps() -> list[tuple[str, int, int]]:
    """What the disk says of the lists, and of the modules here, which read them."""
    paths = [entry.path for folder in (_FOLDER, os.path.dirname(__file__)) for entry in os.scandir(folder)]
    return sorted(_stamp(path) for path in paths if path.endswith((".toml", ".py")))


def _stamp(path: str) -> tuple[str, int, int]:
    status = os.stat(path)
    return os.path.basename(path), status.st_size, status.st_mtime_ns


def _read(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()
