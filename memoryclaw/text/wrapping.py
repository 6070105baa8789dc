"""Reads a text as it is meant: without the marks, escapes and line breaks that stand inside its words, and tells where each part stood."""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import NamedTuple

from memoryclaw.text.prompts import UNSEEN
from memoryclaw.text.secret_names import is_identifier

_ENTITIES = {"lt": "<", "gt": ">", "quot": '"', "amp": "&", "nbsp": " ", "apos": "'"}
# Letters and digits of other widths and styles, which compatibility makes plain.
_STYLED = "[\uff01-\uff5e\U0001d400-\U0001d7ff\u24b6-\u24e9]"
_WRAPPED = re.compile(
    rf"""(?=[\\%=&<{UNSEEN[1:-1]}{_STYLED[1:-1]}])(?:  # each begins with one of these: most characters are tried once
    (?P<unseen>(?:(?!\r){UNSEEN})+|<wbr\s?/?>)
    |(?P<line><br\s?/?>)
    |(?P<escape>\\{{1,3}}(?=[_*.~\#+!$=(){{}}\[\]@&|<>-]))
    |%(?:25){{0,3}}(?P<percent>[0-9A-Fa-f]{{2}})
    |\\{{1,2}}(?:u00|x)(?P<code>[2-7][0-9A-Fa-f])
    |=(?P<quoted>3D)(?=\S)
    |&(?:amp;){{0,2}}(?:\#[xX]0{{0,4}}(?P<hex>[0-9A-Fa-f]{{2}})|\#0{{0,4}}(?P<number>\d{{2,3}})|(?P<name>lt|gt|quot|amp|nbsp|apos));
    |(?P<styled>{_STYLED}))""",
    re.VERBOSE,
)
_SIGNS = ("\\", "%", "&", "<", "=3D")
# A word may go on behind one of these.
_BREAK = re.compile(r"(?<=[\w+/=.~-])(?:\\|=)?\r?\n[ \t>|*+#]{0,12}(?=[\w+/=.~-])")
_INSIDE = string.ascii_letters + string.digits + "_+/=.~-"
_LONGEST = 200
_RUN = re.compile(r"[\w+/=.~-]{1,200}")


class MappedText(NamedTuple):
    """A text as it is meant, and where its parts stood in the one it was read from."""

    text: str
    edits: tuple[tuple[int, int, int, int], ...] = ()  # from, to in this text; from, to in the other one

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the text it was read from; marks at its edges do not belong to it."""
        return self._place(bisect_right(self.edits, (start, start, 1 << 62)) - 1, start, 2), self._place(
            bisect_left(self.edits, (end,)) - 1, end, 3
        )

    def _place(self, number: int, at: int, edge: int) -> int:
        if number < 0:
            return at
        edit = self.edits[number]
        return edit[3] + at - edit[1] if edit[1] <= at else edit[edge]


def unwrap(text: str) -> MappedText:
    """The text without invisible marks, Markdown escapes, percent-encoding, entities and the like; equal to it when there are none."""
    if text.isascii() and text.isprintable() and not any(sign in text for sign in _SIGNS):
        return MappedText(text)
    return _read(text, _WRAPPED, _meaning)


def join_lines(text: str) -> MappedText:
    """The text without the line breaks that stand inside a word that is no word of a language."""
    return _read(text, _BREAK, _joint) if "\n" in text else MappedText(text)


def _read(text: str, pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str | None]) -> MappedText:
    pieces: list[str] = []
    edits = []
    end = length = 0
    for hit in pattern.finditer(text):
        meant = meaning(hit)
        if meant is None:
            continue
        length += hit.start() - end
        pieces += [text[end : hit.start()], meant]
        edits.append((length, length + len(meant), hit.start(), hit.end()))
        end, length = hit.end(), length + len(meant)
    return MappedText("".join([*pieces, text[end:]]), tuple(edits)) if edits else MappedText(text)


def _meaning(hit: re.Match[str]) -> str | None:
    """What stands for a wrapped part; none where it is what it looks like."""
    kind = hit.lastgroup or ""
    if kind in {"unseen", "escape"}:
        return ""
    if kind == "line":
        return "\n"
    if kind == "quoted":
        return "="
    if kind == "name":
        return _ENTITIES[hit["name"]]
    if kind == "styled":
        return unicodedata.normalize("NFKC", hit["styled"])
    code = int(hit[kind], 10 if kind == "number" else 16)
    return chr(code) if 0x20 <= code < 0x7F or code == 0x0A else None


def _joint(hit: re.Match[str]) -> str | None:
    """Nothing where both sides are parts of one token; none where a sentence, a list or another token goes on."""
    text, start = hit.string, hit.start()
    after = _RUN.match(text, hit.end())
    if not after or text[after.end() : after.end() + 1] in {":", "("} or "=" in after[0].rstrip("="):
        return None
    if not _is_part(after[0]):  # as most
        return None
    before = text[max(0, start - _LONGEST) : start]
    before = before[len(before.rstrip(_INSIDE)) :]
    return "" if len(before) > 5 and before[:4] != after[0][:4] and _is_part(before) else None


def _is_part(run: str) -> bool:
    """True for what is no word and no name made of words."""
    return bool(re.search(r"[A-Za-z]", run) and re.search(r"\d|[a-z][A-Z]", run)) and not is_identifier(run)
