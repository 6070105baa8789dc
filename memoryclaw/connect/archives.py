"""Opens what another program exported, a file, a folder or a zip, part by part. It is only read, and nothing is unpacked to the disk."""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO, cast

from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Problem

LARGEST = 256 * 1024 * 1024  # characters of one item, or bytes of one file that is read whole
_RATIO, _HARMLESS = 200, 64 * 1024 * 1024  # text does not shrink so far, and what is small does no harm
_CHUNK = 1 << 20
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|["{}\[\]]', re.DOTALL)
_SPACE, _BETWEEN, _NEXT = re.compile(r"\s*+"), re.compile(r"[\s,]*+"), re.compile(r"[,\[\]{\s]")
_CUT = "the file ends in the middle of this item"
_HINT = "ask for the export again, or download it again; what could be read was taken"


class Part(NamedTuple):
    """One file of an export."""

    name: str  # its path inside, with `/`
    open: Callable[[], BinaryIO]
    size: int = 0  # bytes
    folder: str = ""  # that it lies in; empty in a zip


def parts_of(source: str) -> list[Part]:
    """The files of an export, in the order of their names; zips in a folder are looked into."""
    source = os.path.abspath(os.path.expanduser(source))
    if os.path.isdir(source):
        return [part for path, name in files_below(source) for part in _in_file(path, name)]
    if not os.path.isfile(source):
        raise InputError(f"there is no file or folder {source}")
    return _in_file(source, os.path.basename(source))


def files_below(top: str, *, links: bool = False) -> Iterator[tuple[str, str]]:
    """The files of a folder but hidden ones, each with its name in it; `links`: those that a link leads to, too."""
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name[0] != "." and name != "__MACOSX")
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name[0] != "." and stat.S_ISREG((os.stat if links else os.lstat)(path).st_mode):
                yield path, os.path.relpath(path, top).replace(os.sep, "/")


def _in_file(path: str, name: str) -> list[Part]:
    if not name.lower().endswith(".zip"):
        return [Part(name, partial(opened, path), os.path.getsize(path), os.path.dirname(path))]
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise InputError(f"{path} cannot be read as a zip ({error}); download it again") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from None
    for info in infos:
        _must_be_harmless(path, info)
    sizes = {info.filename: info.file_size for info in infos}
    shown = [name for name in sorted(sizes) if "__MACOSX" not in name and not re.search(r"(^|/)\.", name)]
    return [Part(inside, partial(_opened_inside, path, inside), sizes[inside]) for inside in shown]


def _must_be_harmless(path: str, info: zipfile.ZipInfo) -> None:
    name = info.filename
    if name.startswith("/") or "\\" in name or ".." in name.split("/") or re.match(r"[A-Za-z]:", name):
        sentence = f"{path} holds {name[:80]!r}, which would lie outside of it"
        raise InputError(f"{sentence}; no export is like this, so it was not read")
    if info.flag_bits & 1:
        raise InputError(f"{path} is locked with a password; unpack it and import the folder")
    if info.file_size > max(_HARMLESS, _RATIO * info.compress_size):
        sizes = f"from {info.compress_size:,} to {info.file_size:,} bytes"
        sentence = f"{name[:80]!r} in {path} would expand {sizes}; it was not read"
        raise InputError(f"{sentence}. If you trust it, unpack it and import the folder")


def opened(path: str) -> BinaryIO:
    """A file, to be read."""
    return open(path, "rb")


def _opened_inside(path: str, name: str) -> BinaryIO:
    return cast("BinaryIO", zipfile.ZipFile(path).open(name))


@contextmanager
def _reading(part: Part) -> Iterator[BinaryIO]:
    try:
        with part.open() as file:
            yield file
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(f"{part.name} is damaged ({error}); download the export again") from None
    except OSError as error:
        raise InputError(f"{part.name} cannot be read ({error.strerror or error})") from None


def whole(part: Part) -> bytes:
    """All bytes of a file. Raises InputError: it is damaged, or larger than one that is read whole."""
    with _reading(part) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InputError(f"{part.name} is larger than the {LARGEST:,} bytes that are read of one file")
    return data


def items(part: Part, advance: Callable[[int], None] = lambda _: None) -> Iterator[Any | Problem]:
    """The items of a list in a JSON file one after the other, else all that the file holds; a Problem for what cannot be read.

    No more than one item is in memory at a time, however large the file is.

    Args:
        advance: called with how many bytes more were read.
    """
    with _reading(part) as file:
        yield from _Items(part.name, file, advance)


class _Items:
    """Cuts a JSON text into the items of its list by its brackets, and leaves each to the parser."""

    def __init__(self, name: str, file: BinaryIO, advance: Callable[[int], None]) -> None:
        self._name = name
        self._advance = advance
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text, self._at = "", 0  # what was read, and how far it is done with
        self._line, self._column = 1, 1  # of the character there
        self._ended = False

    def __iter__(self) -> Iterator[Any | Problem]:
        is_list = self._begins(_SPACE) and self._text[self._at] == "["
        self._skip(int(is_list))
        count = 0
        while self._begins(_BETWEEN if is_list else _SPACE):
            if is_list and self._text[self._at] == "]":
                return
            count += 1
            end = self._end()
            if not end:
                too_long = len(self._text) - self._at > LARGEST
                message = f"this item has more than {LARGEST:,} characters" if too_long else _CUT
                yield self._problem(0, message, count)
                return
            try:
                value = json.loads(self._text[self._at : end])
            except json.JSONDecodeError as error:
                value = self._problem(error.pos, f"this is not JSON ({error.msg.lower()})", count)
            except (ValueError, RecursionError):
                deep = "this is nested too deeply, or holds a number that is too long"
                value = self._problem(0, deep, count)
            yield value
            self._skip(end - self._at)
            if not is_list:
                return
        if is_list:
            yield self._problem(0, "the list is never closed: the end of the file is missing", count)
        elif not count:
            yield self._problem(0, "there is no JSON in this file", 0)

    def _begins(self, between: re.Pattern[str]) -> bool:
        """True when something follows, once what stands between two items is skipped."""
        while True:
            hit = between.match(self._text, self._at)
            self._skip(hit.end() - self._at if hit else 0)
            if self._at < len(self._text):
                return True
            self._text, self._at = "", 0
            if not self._more():
                return False

    def _end(self) -> int:
        """Where the item ends; 0 when it does not."""
        if self._text[self._at] not in '{["':
            # A number or a word, or no JSON: up to where the next may begin.
            while not (hit := _NEXT.search(self._text, self._at + 1)) and self._more():
                pass
            return hit.start() if hit else len(self._text)
        depth, at = 0, self._at
        while True:
            for hit in _TOKEN.finditer(self._text, at):
                if hit[0] == '"':  # it goes on in what was not read yet
                    break
                at = hit.end()
                depth += (hit[0] in "{[") - (hit[0] in "}]")
                if depth <= 0:
                    return at
            if len(self._text) - self._at > LARGEST or not self._more():
                return 0

    def _more(self) -> bool:
        """Reads on: as much as is held already, so that a long item is not looked through again and again."""
        if self._ended:
            return False
        data = self._file.read(max(_CHUNK, len(self._text) - self._at))
        self._ended = not data
        self._advance(len(data))
        self._text += self._decoder.decode(data, final=self._ended)
        return bool(data)

    def _skip(self, count: int) -> None:
        self._line, self._column = self._place(count)
        self._at += count
        if self._at > _CHUNK:
            self._text, self._at = self._text[self._at :], 0

    def _place(self, after: int) -> tuple[int, int]:
        end = self._at + after
        breaks = self._text.count("\n", self._at, end)
        if breaks:
            return self._line + breaks, end - self._text.rfind("\n", self._at, end)
        return self._line, self._column + after

    def _problem(self, after: int, message: str, count: int) -> Problem:
        line, column = self._place(after)
        where = f"item {count}, " if count else ""
        return Problem(self._name, line, f"{where}column {column:,}: {message}", _HINT)
