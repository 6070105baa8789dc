"""Decodes files and encodes them to the same bytes: byte order marks, encodings and line ends are kept."""

from __future__ import annotations

import codecs
import json
from collections.abc import Collection
from io import StringIO
from typing import Any

from memoryclaw import late
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Problem

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
LINE = late.pattern(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_ESCAPED = late.pattern("[\udc80-\udcff]")
_WIDE = late.pattern("[^\x00-\x7f]")
_SURROGATE = late.pattern("[\ud800-\udfff]")
_HINT = "save the file as UTF-8"


class DecodedText(NamedTuple):
    """A file's text, and what is needed to write it back byte for byte. Its problems have no path yet."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""
    newline: str = "\n"  # the line end that most lines have
    problems: tuple[Problem, ...] = ()
    errors: str = "strict"  # how bytes that the encoding does not know are carried
    tail: bytes = b""  # the odd last byte of a damaged UTF-16 file


def decode(data: bytes) -> DecodedText:
    """Decodes the bytes of a file; any bytes decode, and `encode` restores them unchanged."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding, mark)
    if b"\0" in data and (guess := _utf16_without_mark(data)):
        text = _marked(data, guess, b"")
        problem = Problem("", 1, f"this file is {guess.upper()} without a byte order mark", _HINT)
        return text._replace(problems=(problem, *text.problems))
    return _plain(data, b"")


def encode(text: DecodedText) -> bytes:
    """Encodes a text as its file was encoded, including the byte order mark."""
    return text.bom + text.text.encode(text.encoding, text.errors) + text.tail


def readable(text: str) -> str:
    r"""The text with `\n` line ends and without NUL or lone surrogates; every line keeps its number."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def lines_of(text: str) -> list[str]:
    r"""Splits a text into lines with their line ends; `\r` alone ends one too."""
    return StringIO(text, newline="").readlines()


def _plain(data: bytes, bom: bytes) -> DecodedText:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return _not_utf8(data, bom, data.count(b"\n", 0, error.start) + 1)
    return DecodedText(text, "utf-8", bom, _newline(text), _nul(text))


def _not_utf8(data: bytes, bom: bytes, line: int) -> DecodedText:
    """Treats a file with more valid than invalid UTF-8 as damaged, any other as Latin-1."""
    text = data.decode("utf-8", "surrogateescape")
    bad = len(_ESCAPED.findall(text))
    if bom or len(_WIDE.findall(text)) > 2 * bad:
        problem = Problem("", line, f"{bad} bytes are not UTF-8, the first on this line", _HINT)
        return DecodedText(text, "utf-8", bom, _newline(text), (problem, *_nul(text)), "surrogateescape")
    text = data.decode("latin-1")
    problem = Problem("", line, "this file is not UTF-8; it was read as Latin-1", _HINT)
    return DecodedText(text, "latin-1", bom, _newline(text), (problem, *_nul(text)))


def _marked(data: bytes, encoding: str, bom: bytes) -> DecodedText:
    if encoding == "utf-8":
        return _plain(data, bom)
    even_length = len(data) & ~1
    text = data[:even_length].decode(encoding, "surrogatepass")
    problems = list(_nul(text))
    if even_length != len(data):
        problems.append(
            Problem("", text.count("\n") + 1, "the last character of this UTF-16 file is cut off", _HINT)
        )
    return DecodedText(
        text, encoding, bom, _newline(text), tuple(problems), "surrogatepass", data[even_length:]
    )


def _utf16_without_mark(data: bytes) -> str:
    """Detects UTF-16 by its NUL bytes: half of Latin text, and which half tells the byte order."""
    even, odd = data[::2].count(0), data[1::2].count(0)
    if 3 * odd > len(data) and not even:
        return "utf-16-le"
    return "utf-16-be" if 3 * even > len(data) and not odd else ""


def _newline(text: str) -> str:
    if "\r" not in text:
        return "\n"
    pairs = text.count("\r\n")
    counts = {"\n": text.count("\n") - pairs, "\r\n": pairs, "\r": text.count("\r") - pairs}
    return max(counts, key=lambda end: counts[end])


def _nul(text: str) -> tuple[Problem, ...]:
    if "\0" not in text:
        return ()
    line = len(lines_of(text[: text.index("\0")] + "|"))
    return (Problem("", line, "a NUL character stands on this line", "delete it, it is not text"),)


def json_value(text: str | bytes, otherwise: Any = None, **how: Any) -> Any:
    """The value that a text is in JSON, read as `json.loads` is told; another where it is none."""
    try:
        return json.loads(text, **how)
    except (ValueError, RecursionError):
        return otherwise


def json_object(text: str | bytes) -> dict[str, Any]:
    """The object that a text is in JSON; empty where it is none."""
    value = json_value(text)
    return value if isinstance(value, dict) else {}


def text_in(value: object) -> str:
    """The value of JSON where it is a text; empty where it is none."""
    return value if isinstance(value, str) else ""


def texts_in(value: object) -> tuple[str, ...]:
    """The texts in a list of JSON; none where it is no list."""
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


def read_json(text: str, otherwise: str) -> Any:
    """The value of a JSON text.

    Args:
        otherwise: one sentence for when it is not.

    Raises:
        InputError: it is none, or an object in it has a key twice: whoever reads it would lose one of the values.
    """
    try:
        return json.loads(text, parse_constant=str, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise InputError(otherwise) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        keys: set[str] = set()
        twice = next(key for key, _ in pairs if key in keys or keys.add(key))  # type: ignore[func-returns-value]
        raise InputError(f"the key {twice[:80]!r} is given twice; give each once")
    return mapping


def without_numbers(text: str, hidden: Collection[int]) -> str:
    """A text in which lines of these numbers, from 0, are empty, so that every other keeps its own."""
    lines = enumerate(lines_of(text))
    return "".join(line[len(line.rstrip("\r\n")) :] if n in hidden else line for n, line in lines)


def same_text(first: bytes | None, other: bytes | None) -> bool:
    """True for two versions of a file that differ in nothing but what git may convert: line ends and encoding."""
    if first is None or other is None:
        return first is other
    return first == other or readable(decode(first).text) == readable(decode(other).text)


def in_form_of(data: bytes, like: bytes) -> bytes:
    """A version of a file in the line ends and the encoding of another: git may hold it otherwise than the file has it."""
    text, form = decode(data), decode(like)
    if ("\r\n" in text.text) != ("\r\n" in form.text):
        text = text._replace(text=readable(text.text).replace("\n", form.newline))
    if text.encoding == form.encoding:
        return encode(text)
    try:
        return encode(form._replace(text=text.text))
    except UnicodeEncodeError:
        return encode(text)
