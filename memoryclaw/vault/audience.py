"""Audiences: who may see a folder, a note, a line or a turn, and what is left of a file for one of them. Pure.

A label names who may see what it stands on, or keeps that on this machine; `owner` and what is no name let nobody else in. What has no
label is for the owner and the agent. Where a folder, a note and a line have labels, all of them must let an audience in. What equals
the word of a label in another case, width or spelling is that label: in doubt, more is hidden, never less.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memoryclaw import late
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import AGENT, EVERYBODY, NOTHING, OWNER, TRUSTS, least_trusted
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.prompts import visible

if TYPE_CHECKING:  # what reads whole notes is imported by who reads one: a search must start fast
    from memoryclaw.text.frontmatter import Split

_NAME = late.pattern(r"[a-z0-9][a-z0-9_-]{0,63}")
_PARTS = late.pattern(r"[\s,|]+")


class Label(NamedTuple):
    """Whom a label lets in (empty: it says nothing of that), and whether what it stands on may leave this machine."""

    audience: str = ""
    export: bool = True


UNLABELLED = Label()
CLOSED = Label(OWNER, export=False)  # of what cannot be read


def audience_name(audience: str) -> str:
    """The audience of a caller, as labels name it. Raises InputError: no label could name it."""
    name = audience.strip().lower()
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{audience[:60]!r} is not an audience; give owner, agent, public, or the name of a group"
        )
    return name


def label_of(value: Any) -> str:
    """An audience as it is compared: names in order, joined by a space; `owner` when it lets nobody else in."""
    from memoryclaw.text.yaml_text import strings  # noqa: PLC0415 - see above

    texts = [value] if isinstance(value, str) else strings(value)
    names = {piece.strip("\"'#").lower() for text in texts for piece in _PARTS.split(plain(text))}
    if EVERYBODY in names:
        return EVERYBODY
    return " ".join(sorted(name for name in names if name != OWNER and _NAME.fullmatch(name))) or OWNER


def common_audience(*labels: str) -> str:
    """Several audiences as one, which lets in whom all of them do; empty when none is given."""
    named = [label for label in labels if label]
    closed = [set(label.split()) - {OWNER} for label in named if label != EVERYBODY]
    if closed:
        return " ".join(sorted(set.intersection(*closed))) or OWNER
    return EVERYBODY if named else ""


def join_labels(labels: Iterable[Label]) -> Label:
    """Several labels as one."""
    several = [label for label in labels if label != UNLABELLED]
    if len(several) < 2:
        return several[0] if several else UNLABELLED
    return Label(
        common_audience(*(label.audience for label in several)), all(label.export for label in several)
    )


def may_see(audience: str, *labels: str) -> bool:
    """True when an audience may see what has these labels, one on top of the other."""
    if audience == OWNER:
        return True
    label = common_audience(*labels) or AGENT
    return label == EVERYBODY or audience in label.split()


def of_folders(path: str, folders: Mapping[str, Any]) -> str:
    """The label of the folders that a path lies in, as the settings give them; case does not matter."""
    low = f"{path.lower()}/"
    inside = (value for folder, value in folders.items() if low.startswith(f"{folder.strip('/').lower()}/"))
    return common_audience(*map(label_of, inside))


# Keys: of a header, of an inline field, of a line of a log, and of a skill.

_YES, _NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})
_LONGEST_KEY = 40


def _is(value: Any, words: frozenset[str]) -> bool:
    return isinstance(value, str | int) and plain(str(value)).strip(" \t\"'").lower() in words


_KEYS: Mapping[str, Callable[[Any], Label]] = {
    "audience": lambda value: Label(label_of(value)),
    "private": lambda value: UNLABELLED if _is(value, _NO) else Label(OWNER),
    "export": lambda value: UNLABELLED if _is(value, _YES) else Label(export=False),
    "noexport": lambda value: UNLABELLED if _is(value, _NO) else Label(export=False),
}
_ALONE = frozenset({"private", "noexport"})  # those that are a label without a value


@lru_cache(maxsize=1024)
def _word(text: str) -> str:
    """A key, or words in brackets, to be compared with the words of labels: without what is no letter or digit."""
    if len(text) > _LONGEST_KEY:
        return ""
    return re.sub(r"[\W_]+", "", plain(text).lower())


def of_keys(values: Mapping[Any, Any]) -> Label:
    """The label that the keys of a mapping are."""
    if not (telling := _telling(tuple(map(str, values)))):
        return UNLABELLED
    return join_labels(_of_key(str(key), value) for key, value in values.items() if str(key) in telling)


@lru_cache(maxsize=32)  # the lines of a log have the same keys
def _telling(keys: tuple[str, ...]) -> frozenset[str]:
    """Those of some keys that are a label."""
    return frozenset(key for key in keys if _word(key) in _KEYS)


def _of_key(key: str, value: Any) -> Label:
    label = _KEYS.get(_word(key))
    return label(value) if label else UNLABELLED


# Text as labels are read in it: what looks like an ASCII character is that character, and what cannot be seen is not there.

_STRANGE = late.pattern(
    "[\xa0\xaa\xad\xb2\xb3\xb9\xba\u0130\u0131\u02b0-\u02b8\u02e0-\u02e4\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1d2c-\u1d6a\u1d78-\u1dbf"
    "\u2000-\u200f\u2028-\u202f\u2045\u2046\u205f-\u209f\u2100-\u218f\u2460-\u24ff\u2772\u2773\u27e6\u27e7\u2c7c\u2c7d\u3000\u3010\u3011"
    "\u3014-\u301b\u3164\ufe00-\ufe6f\ufeff-\uffef\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001d400-\U0001d7ff"
    "\U0001f100-\U0001f1ff\U000e0000-\U000e0fff]"
)
_LIKE = {**dict.fromkeys("【〔〖〘〚❲⟦⁅﹝", "["), **dict.fromkeys("】〕〗〙〛❳⟧⁆﹞", "]"), "İ": "I", "ı": "i"}


def plain(text: str) -> str:
    """A text as labels are read in it; its lines keep their numbers."""
    if text.isascii() or not _STRANGE.search(
        "".join({*text})
    ):  # each sign once: a long text has the same ones again
        return text
    return _STRANGE.sub(lambda hit: _plain(hit[0]), text)


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    return _LIKE.get(character) or visible(unicodedata.normalize("NFKC", character))


def _places(text: str) -> Callable[[int], int]:
    """Tells where in a text a place of its plain form is."""
    if text.isascii():
        return lambda at: at
    shifts, before = [(0, 0)], 0
    for hit in _STRANGE.finditer(text):
        position = shifts[-1][0] + hit.start() - before
        shifts.append((position + len(_plain(hit[0])), hit.end()))
        before = hit.end()

    def place(at: int) -> int:
        plain_at, own_at = shifts[bisect_right(shifts, at, key=lambda pair: pair[0]) - 1]
        return own_at + at - plain_at

    return place


# Marks: `[PRIVATE]`, `[NOEXPORT]`, `[audience:: family]`, `<private>…</private>`. The text of a link is none. In code the first three
# are, spelled as they are here; other words in brackets there are code.

_STEMS = ("private", "audience", "export")  # what every word of a label holds
_EXACT = late.pattern(
    r"[\[(]audience::(?:[^\[\]()\n]*+[\])])?|\[(?!(?-i:private))PRIVATE\]|\[NOEXPORT\]", re.IGNORECASE
)
_BRACKETED = late.pattern(r"\[([^\[\]\n]*+)\]")
_FIELD = late.pattern(
    r"[\[(][^\w\[\]()\n:]*+(audience|private|no[ _-]?export|export)[^\w\[\]()\n:]*+:[ \t]*+:(?:([^\[\]()\n]*+)[\])])?",
    re.IGNORECASE,
)
_SEPARATOR = late.pattern(r"[:=]+")
_LINK = late.pattern(
    r"\[\[[^\[\]\n]*+\]\]|\[\^[^\[\]\n]*+\]"
    r"|\[(?:[^\[\]\n]|\[[^\[\]\n]*+\])*+\]\((?:<[^<>\n]*+>|[^\s()<>]++(?:\([^\s()]*+\)[^\s()<>]*+)?)(?:[ \t]++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?[ \t]*+\)"
)
_REFERENCE = late.pattern(r"\[[^\[\]\n]++\]\[([^\[\]\n]++)\]")
_DEFINITION = late.pattern(r"^ {0,3}\[([^\[\]\n]++)\]:[ \t]*+\S", re.MULTILINE)
_LESS, _MORE = r"(?:<|&lt;|&#0*+60;|&#x0*+3c;|\\u003c)", r"(?:>|&gt;|&#0*+62;|&#x0*+3e;|\\u003e)"
_TAG = late.pattern(
    rf"{_LESS}\s*+(?:(/)\s*+)?private(?![\w@-]|[.:]\w)"
    rf"(?:(?:[^<>&\\]|&(?!(?:[lg]t|#0*+6[02]|#x0*+3[ce]);)|\\(?!u003))*+{_MORE}|(?=\s*+\Z|\s++[\w-]++\s*+=))",
    re.IGNORECASE,
)


class LabelMark(NamedTuple):
    """A mark, and where it stands in the plain text."""

    start: int
    end: int
    label: Label


class Marks(NamedTuple):
    """The marks of a text: words in brackets in their order, and the spans of `<private>`, which reach the end where nothing closes them."""

    words: tuple[LabelMark, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def label(self) -> Label:
        """All of them as one label."""
        return join_labels([*(mark.label for mark in self.words), *([Label(OWNER)] if self.spans else [])])


NO_MARKS = Marks()


def may_hold_labels(text: str) -> bool:
    """False for a text in which no label can be."""
    return _may_hold(plain(text))


def _may_hold(shown: str) -> bool:
    return any(
        map(shown.lower().__contains__, _STEMS)
    )  # a pattern of alternatives takes a hundred times as long


def _without_code(text: str) -> str:
    from memoryclaw.text.markdown import without_code  # noqa: PLC0415 - see above

    return without_code(text)


def marks_in(text: str) -> Marks:
    """The marks in a text."""
    plain_text = plain(text)
    if not _may_hold(plain_text):
        return NO_MARKS
    if "](" in plain_text or "[[" in plain_text or "[^" in plain_text:
        plain_text = _LINK.sub(_blank, plain_text)
    if "][" in plain_text and (names := {name.lower() for name in _DEFINITION.findall(plain_text)}):
        plain_text = _REFERENCE.sub(
            lambda hit: _blank(hit) if hit[1].lower() in names else hit[0], plain_text
        )
    quiet = _without_code(plain_text)
    hits = [_EXACT.finditer(plain_text), _FIELD.finditer(quiet), _BRACKETED.finditer(quiet)]
    labels = (LabelMark(*hit.span(), _of_bracket(hit[0])) for several in hits for hit in several)
    words = sorted({mark for mark in labels if mark.label != UNLABELLED})
    return Marks(tuple(words), tuple(_spans(quiet)))


def private_spans(text: str) -> list[tuple[int, int]]:
    """Where in a text `<private>` begins and ends, in code too."""
    place, plain_text = _places(text), plain(text)
    return [(place(start), place(end)) for start, end in _spans(plain_text)]


def _of_bracket(mark: str) -> Label:
    """The label that a pair of brackets is, or the beginning of one that cannot be read."""
    inside = mark[1:]
    inside = inside[:-1] if inside[-1:] in ("]", ")") else inside
    between = _SEPARATOR.search(inside)
    if between is None:
        word = _word(inside)
        return _of_key(word, "") if word in _ALONE else UNLABELLED
    return _of_key(inside[: between.start()], inside[between.end() :].strip(" \t:"))


def _spans(shown: str) -> Iterator[tuple[int, int]]:
    if "private" not in shown.lower():
        return
    begin = depth = 0
    for hit in _TAG.finditer(shown):
        if not hit[1]:
            begin, depth = (begin, depth + 1) if depth else (hit.start(), 1)
        elif depth:
            depth -= 1
            if not depth:
                yield begin, hit.end()
    if depth:
        yield begin, len(shown)


def _blank(hit: re.Match[str]) -> str:
    return " " * len(hit[0])


def label_in(text: str) -> Label:
    """The label of a piece of text: all marks in it together."""
    return marks_in(text).label


def without_labels(text: str) -> str:
    """A piece of text as it was said, without its marks."""
    marks = marks_in(text).words
    if not marks:
        return text.strip() if "[" in text or "::" in text else text
    place, pieces, end = _places(text), [], 0
    for mark in marks:
        if (start := place(mark.start)) >= end:
            pieces.append(text[end:start])
            end = place(mark.end)
    return "".join((*pieces, text[end:])).strip()


# Files.

_MAYBE_IN_BYTES = (*(stem.encode() for stem in _STEMS), b"\0", b"\\u")  # NUL: UTF-16; `\u`: a letter in JSON
_BEGINS = (b"---", b"+++", b"{", b"\xef\xbb\xbf")  # a header, and a byte order mark before it
# On a line of its own it is a property of the whole note, as in Obsidian.
_OF_NOTE = late.pattern(
    r"^[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?[*_~\"']*+(audience|private|no[ _-]?export|export)[*_~\"' \t]*+:[ \t]*+:[*_~]*+([^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_OF_NOTE_EXACT = late.pattern(r"^[ \t]*+(audience)::([^\n]*)$", re.IGNORECASE | re.MULTILINE)
# A header that is none: in other fences, or behind blank lines.
_FENCED = late.pattern(r"\s*+(?:-{2,}+|—++|\+{3,}+|;{3,}+)[^\n]*+\n(?:[^\S\n]*+\S[^\n]*+(?:\n|\Z))*+")
_KEY_LINE = late.pattern(
    r"^[ \t\"']*+(?:(audience|private)|no[ _-]?export|export)[ \t\"']*+[:=]", re.IGNORECASE | re.MULTILINE
)
_ANY_KEY = late.pattern(r"^[ \t]*+[\w\"'][^:=\n]*[:=](?:\s|\Z)", re.MULTILINE)
# In the text of a skill that is JSON or JavaScript.
_KEY = late.pattern(
    r"""["']?\b(audience|private|no[ _-]?export|export)["']?\s*:\s*(?:\[([^\[\]]*+)\]|["']([^"'\n]*)["']|(true|false|[01])\b)?""",
    re.IGNORECASE,
)


def may_be_labelled(data: bytes) -> bool:
    """False when the bytes of a file cannot hold a label, nor a header that cannot be read."""
    from memoryclaw.text.frontmatter import split  # noqa: PLC0415 - see above

    low = data.lower()
    if any(map(low.__contains__, _MAYBE_IN_BYTES)):
        return True
    is_ascii = low.isascii()
    text = readable(decode(data).text) if low.startswith(_BEGINS) or not is_ascii else ""
    return bool(text) and ((not is_ascii and may_hold_labels(text)) or split(text).broken)


def of_code(text: str) -> Label:
    """The label of a skill in JSON or JavaScript; a value that cannot be read lets nobody in."""
    if "\\u" in text:
        try:
            text = json.dumps(json.loads(text), ensure_ascii=False)
        except (ValueError, RecursionError):
            text = re.sub(r"\\u00([2-7][0-9a-f])", lambda hit: chr(int(hit[1], 16)), text)
    return join_labels(
        _of_key(hit[1], hit[2] or hit[3] or hit[4] or "") for hit in _KEY.finditer(plain(text))
    )


def label_of_note(parts: Split) -> Label:
    """The label of a whole note: of its header, of a mark in that, and of a field on a line of its own in the body.

    A header that cannot be read lets only the owner in.
    """
    header = [*parts.meta.items(), *((path[-1], value) for path, value in parts.shadowed if path)]
    labels = [_of_key(str(key), value) for key, value in header]
    if parts.raw:
        labels.append(label_in(parts.raw))
    plain_body = plain(parts.body) if parts.body and may_hold_labels(parts.body) else ""
    if parts.broken or (plain_body and not parts.raw):
        labels.append(_of_unread_header(parts, plain_body))
    if "::" in plain_body or ": :" in plain_body:
        hits = [*_OF_NOTE_EXACT.finditer(plain_body), *_OF_NOTE.finditer(_without_code(plain_body))]
        labels += [_of_key(hit[1], hit[2].strip(" \t*_~")) for hit in hits]
    return join_labels(labels)


def _of_unread_header(parts: Split, shown: str) -> Label:
    """The label of a header of which nothing is known but its words; of a body, where that begins like one."""
    fenced = _FENCED.match(shown)
    text = plain(parts.raw) if parts.raw else fenced[0] if fenced else ""
    if parts.broken and (not parts.raw or _ANY_KEY.search(text) or _may_hold(text)):
        return Label(OWNER, export=re.search("export", text, re.IGNORECASE) is None)
    keys = list(_KEY_LINE.finditer(text))
    return Label(OWNER if any(hit[1] for hit in keys) else "", all(hit[1] for hit in keys))


# The lines that a label on one of them covers, and those that a line needs to be understood.

_HEADING = late.pattern(r" {0,3}(#{1,6})(?:[ \t]|$)")
_UNDERLINE = late.pattern(r" {0,3}(=+|-{2,})[ \t]*$")
_ITEM = late.pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_FENCE = late.pattern(r" {0,3}(```+|~~~+)")
_OF_LIST = 7  # the rank of a list item: below every heading


class _OpenBlock(NamedTuple):
    """A section or a list item that goes on."""

    rank: int  # the level of a heading, or `_OF_LIST`
    indent: int
    line: int


class Outline:
    """How the lines of a Markdown body hang together, read once and in time proportional to them."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.above: list[int] = []  # the heading, list item or head of a table above each line; -1 for none
        self._begins: list[int] = []  # where the section, item, row or paragraph of each line begins
        self._ends: dict[int, int] = {}
        self._open: list[_OpenBlock] = []
        self.levels = levels = _levels(lines)  # of headings; 0 for every other line
        paragraph, rows = -1, 0
        self._underlines = {n + 1 for n, level in enumerate(levels) if level and not _HEADING.match(lines[n])}
        for number, line in enumerate(lines):
            wide = line.expandtabs(4)
            indent, is_item = len(wide) - len(wide.lstrip()), _ITEM.match(line) is not None
            if levels[number]:
                self._close(number, levels[number], -1)
            elif line.strip() and (is_item or paragraph < 0):
                self._close(number, _OF_LIST, indent)
            above = self._open[-1] if self._open else None
            rows = rows + 1 if line.lstrip().startswith("|") and not levels[number] else 0
            begin = number
            if levels[number] or (is_item and line.strip()):
                self._open.append(_OpenBlock(levels[number] or _OF_LIST, indent, number))
                paragraph = number if is_item and not levels[number] else -1
            elif rows or not line.strip():
                paragraph = -1
            else:
                inside = above.line if above and above.rank == _OF_LIST else number
                begin = paragraph = paragraph if paragraph >= 0 else inside
            head = -1 if above is None else above.line
            # The second row of a table hangs below the first, all others below these two.
            self.above.append(head if rows < 2 else number - 1 if rows == 2 else number - rows + 2)
            self._begins.append(begin)
            self._ends[begin] = number + 1
        self._close(len(lines), 0, -1)

    def reach(self, number: int) -> tuple[int, int]:
        """The lines, from and to, that a label on this one covers."""
        begin = self._begins[number]
        return begin, self._ends[begin]

    def is_underline(self, number: int) -> bool:
        """True for the line below a heading that makes it one."""
        return number in self._underlines

    def _close(self, number: int, rank: int, indent: int) -> None:
        """Ends what a line ends: the list items that are indented as far, and the sections of its level."""
        while self._open and self._open[-1].rank >= rank and self._open[-1].indent >= indent:
            self._ends[self._open.pop().line] = number


def line_labels(lines: Sequence[str], outline: Outline, marks: Marks | None = None) -> list[Label]:
    """The label of each line of a Markdown body.

    A label on a heading covers its section; in a list, the item with all that is nested below it; in a table, its row; elsewhere
    its paragraph. `<private>` covers, besides, all lines up to its end.
    """
    text = "\n".join(lines)
    marks = marks_in(text) if marks is None else marks
    labels = [UNLABELLED for _ in lines]
    if marks == NO_MARKS:
        return labels
    begins = [0, *(hit.end() for hit in re.finditer("\n", plain(text)))]

    def line(at: int) -> int:
        return bisect_right(begins, at) - 1

    marked: dict[tuple[int, int], list[Label]] = {}
    for mark in marks.words:
        marked.setdefault(outline.reach(line(mark.start)), []).append(mark.label)
    for start, end in marks.spans:
        first, last = line(start), line(end - 1)
        for where in ((first, last + 1), outline.reach(first), outline.reach(last)):
            marked.setdefault(where, []).append(Label(OWNER))
    for (begin, end), several in marked.items():
        label = join_labels(several)
        labels[begin:end] = [join_labels((label_there, label)) for label_there in labels[begin:end]]
    return labels


def empty_headings(lines: Sequence[str], outline: Outline, hidden: Collection[int]) -> set[int]:
    """The headings below which nothing is left when these lines are hidden: the name of a section tells of what was in it."""
    empty: set[int] = set()
    populated, lost = set[int](), set[int]()  # the lines above one that is seen, and above one that is hidden
    for number in range(len(lines) - 1, -1, -1):
        if not lines[number].strip() or (number and outline.is_underline(number)):
            continue
        if outline.levels[number] and number in lost and number not in populated:
            under = number + 1
            empty |= {number, under} if under < len(lines) and outline.is_underline(under) else {number}
        (lost if number in hidden or number in empty else populated).add(outline.above[number])
    return empty


def _levels(lines: Sequence[str]) -> list[int]:
    """The level of each line that is a heading, else 0; what looks like one in code is none."""
    levels, fence = [0 for _ in lines], ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif fence:
            continue
        elif heading := _HEADING.match(line):
            levels[number] = len(heading[1])
        elif (
            (under := _UNDERLINE.match(line))
            and number
            and lines[number - 1].strip()
            and not _ITEM.match(lines[number - 1])
        ):
            levels[number - 1] = levels[number - 1] or (1 if under[1][0] == "=" else 2)
    return levels


# Doubts: what came from elsewhere and lets more people see a text, or has it trusted more, than held here. Pure.
# A doubt names a file and a piece of it, the note itself or a line, by their digests, and says how the piece came and what holds
# instead. It counts while the piece stands as it came: whoever changes the label here has the last word. No word of the text is
# kept.

NOTE = ""  # the piece that is the note itself
_NOBODY = "-"  # no label says so


class Standing(NamedTuple):
    """Whom a piece lets in, whether it may leave this machine, and how far it is trusted; what is empty is not said."""

    audience: str = ""
    export: bool = True
    trust: str = ""

    @property
    def label(self) -> Label:
        """Its label."""
        return Label(self.audience, self.export)

    def below(self, *outer: Standing) -> Standing:
        """This and what stands around it as one: the narrower label, and the lower trust."""
        several = (self, *outer)
        trusts = [standing.trust for standing in several if standing.trust]
        return Standing(
            *join_labels(standing.label for standing in several), least_trusted(*trusts) if trusts else ""
        )

    def is_wider_than(self, other: Standing) -> bool:
        """True where this lets in, lets out or has trusted what the other does not."""
        lets_in = self.audience or AGENT
        return (
            common_audience(other.audience or AGENT, lets_in) != common_audience(lets_in)
            or self.export > other.export
            or _level(self.trust) < _level(other.trust)
        )

    @property
    def is_narrow(self) -> bool:
        """True where what says nothing would be wider."""
        return Standing().is_wider_than(self)

    def within(self, other: Standing) -> Standing:
        """The narrower of both, each with what it says by saying nothing."""
        if not self.audience and not other.audience:
            return self.below(other)
        mine, its = (standing._replace(audience=standing.audience or AGENT) for standing in (self, other))
        return mine.below(its)


def _level(trust: str) -> int:
    return TRUSTS.index(trust or TRUSTS[0])


UNSAID = Standing()
GONE = Standing(_NOBODY)  # how a piece came that was deleted


class Doubt(NamedTuple):
    """How a piece came, and what holds instead; one that is `declined` is not asked about."""

    came: Standing
    holds: Standing
    declined: bool = False


class FileDoubts(NamedTuple):
    """The doubts of one file, by their pieces."""

    pieces: Mapping[str, Doubt] = NOTHING

    def of(self, piece: str, standing: Standing) -> Standing:
        """How a piece counts that stands like this in the file."""
        doubt = self.pieces.get(piece)
        return standing.below(doubt.holds) if doubt and doubt.came == standing else standing

    @property
    def counting(self) -> FileDoubts:
        """Those of pieces that are there."""
        return FileDoubts({piece: doubt for piece, doubt in self.pieces.items() if doubt.came != GONE})

    @property
    def mark(self) -> bytes:
        """What tells these doubts from others; empty without one."""
        if not self.pieces:
            return b""
        return _digest(repr(sorted((piece, *doubt[:2]) for piece, doubt in self.pieces.items())))


NO_DOUBTS = FileDoubts()
Doubts = Mapping[str, FileDoubts]  # by the digest of the path


def piece_of(text: str) -> str:
    """What a path, or the words of a line, are known by."""
    return _digest(text).hex()


def _digest(text: str) -> bytes:
    return late.hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def read_doubts(values: Sequence[Mapping[str, Any]], copy: str = "", *, known: bool = False) -> Doubts:
    """The doubts that stand after all lines of the user's own file: what they raise, settle and decline, in their order.

    Args:
        copy: what this copy of the vault is known by; one of which no line tells has the doubts of all copies.
        known: this one was here before, whatever lines there are.
    """
    if known or any(value.get("copy") == copy for value in values):
        values = [value for value in values if value.get("copy") == copy]
    files: dict[str, dict[str, Doubt]] = {}
    for value in values:
        for file, piece, came, holds in _rows(value.get("doubts"), 4):
            stood, narrower = _standing(came), _standing(holds)
            if stood is not None and narrower is not None:
                files.setdefault(str(file), {})[str(piece)] = Doubt(stood, narrower)
        for key in ("settled", "unwanted"):
            for file, piece in _rows(value.get(key), 2):
                pieces = files.get(str(file), {})
                if doubt := pieces.pop(str(piece), None):
                    pieces.update({str(piece): doubt._replace(declined=True)} if key == "unwanted" else {})
    return {file: FileDoubts(pieces) for file, pieces in files.items() if pieces}


def _rows(value: Any, length: int) -> list[list[Any]]:
    rows = value if isinstance(value, list) else []
    return [row for row in rows if isinstance(row, list) and len(row) == length]


def _standing(value: Any) -> Standing | None:
    match value:
        case [str(audience), bool(export), str(trust)] if trust in ("", *TRUSTS):
            return Standing(audience, export, trust)
    return None
