"""What a person typed → the person's own words: nothing pasted, code and quotations sealed. What was pasted is named, not read."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, insort
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from memoryclaw.late import NamedTuple
from memoryclaw.talk.layout import (
    CLEAR,
    ENOUGH,
    LABEL,
    LEAST,
    VAGUE,
    asks_beside,
    asks_of_text,
    block_end,
    blocks_of,
    contrast,
    dialogue,
    greets,
    is_about_a_text,
    is_asked,
    is_message,
    is_record,
    is_typed,
    letter_lines,
    listed,
    message_lines,
    pasted_lines,
    speaks,
)
from memoryclaw.text.grammar import EMOTICON, UNREAD, Grammar, codes, grammar, spans_of, spoken_in, tokens_of
from memoryclaw.text.language import sentences

_CUT = " … "  # stands where a secret was left out of a line
_TAKEN = "…"  # stands where a quotation was taken out behind a colon
_FENCED = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|```.*?(?:```|\Z)")
_QUOTED_LINES = re.compile(r"(?m)(?:^[ \t]*>.*$\n?)+")
# A quotation of a few words only marks them.
_PAIRS = (('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"))
_QUOTED = re.compile(  # the opening sign stands first, else each character is tried
    "[\"“„«»'](?:"
    + "|".join(rf"(?<=(?<!\w){a})([^{a}{b}]*+)[{b}](?!\w)" for a, b in _PAIRS)
    + r"|(?<=(?<![\w'])')((?:[^'\n]|(?<=\w)'(?=\w))*+)'(?!\w))"
)
_UNCLOSED = re.compile(r"(?ms)(?:^|(?<=[\s:]))(?:\"(?=[^\"]*+\Z)|[“„](?=[^“”„]*+\Z)|«(?=[^«»]*+\Z))\S.*")
_MARKED_NAME = re.compile(
    r"(?m)^> ?@?[\w.-]{2,20}[ \t]*$\n?"
)  # `> tom`, by which a copied chat shows who speaks below
_FEW, _LONG = 3, 80  # words of a quotation that stay; characters of one that is named
_COLON = re.compile(r":(?=\s|$)|：")
_LEAD = 200  # characters before a colon that may announce what stands behind it
_NOTHING = re.compile(r"\s*+\Z")
_MORE = re.compile(r"\s*+(?:\S++(?<![.!?])\s++){2}\S")  # a sentence of more than a few words
_CONTACT = re.compile(
    r"\s*+(?:[^\s,;@]++@[^\s,;@]+\.\w|https?://|\+?\d[\d ()/-]{5,}\d)"
)  # an address, which is no text
_ENDS = re.compile(r"[.!?…]\s|\n")
_BREAK = re.compile(
    r"[.!?…:。！？：]\s+|\s(?:[-–—]{1,2}|[-=]>|<-|>>|→)\s+"
)  # between a request and a text in its line
_FIRST_SENTENCES, _LAST_SENTENCES = 2, 3  # of a line, in which it is looked for
_DASHES = (" - ", " – ", " — ", " -- ")
_SEAM = 1.0  # of a capital that no sign stands before
_MANY_SIGNS = 3  # of a line that are no marks of a sentence
_TITLE_WORDS = 3  # of a line that only names a text: `the letter`
_WORK = 3.0  # of what asks for work on what stands behind its colon
_LABEL_WORDS = 2  # of a line that a program names itself: `Fatal error: …`
_ASKING = 20  # words, at most, of a request for work on a text
_HEADER = re.compile(
    r"(?im)^[ \t]*(?:-{3,}\s*(?:original message|forwarded|weitergeleitet)|begin forwarded|\[[^\]\n]{0,60}\b(?:forwarded|fwd)\b"
    r"|(?:from|von|sender|to|an|cc|subject|betreff|sent|gesendet|date|datum|re|aw|wg|fwd?|de|para|à|asunto|assunto|objet|oggetto|onderwerp)[ \t]*:[ \t]*\S"
    r"|(?:on|am|le|el|op|il|em)\b(?=[^\n\d]{0,60}\d)[^\n:]{4,60}(?::\d\d[^\n:]{0,60})?\b(?:wrote|schrieb|a écrit|escribió|schreef|ha scritto|escreveu)\b[^\n:]{0,60}:[ \t]*$)"
)
_TABLE = re.compile(r"[^\s,;|]*+(?:[,;|\t][^\s,;|]*+){2,}$|[ \t]*\|.*\|[ \t]*$|(?:[^|\n]*\|){2}")
_CODE_LINE = re.compile(
    r"\s*(?:at |def |import |from \w+ import|func |return |\$ |#include|</?\w+|[\w.]+(?:Error|Exception)\b)|(?>.*?\w\().*\)\s*[;:{]?$"
)
_CODE_SIGN = re.compile(r"[{};=:0](?:(?<=[{};])\s*$|(?<==)>|(?<=:):\w|(?<=0)x[0-9a-f]{2,})")
_SHELL_LINE = re.compile(
    r"\s*(?:\$ )?(?:sudo )?[a-z][a-z0-9_.+-]*+(?: [\w./:@~=+|-]++){0,6}? (?:-{1,2}[A-Za-z][\w-]*+|--(?= -)|&&)(?=[\s=]|$)"
)
_PARTICLES = frozenset({"up", "down"})  # of a command: `compose up`
_REMARK = re.compile(r"[ \t]*(?:#|//|--|%|;) ?\S")
_SIGNS = re.compile(r"[=*^{}\[\];<>|\\]|(?<=\w)\(|\)(?=[\w.;])")
_SIGN_CHARACTERS = "=*^{}[];<>|\\()"
# A word with closed brackets in it, `list[int]`, `test_<case>.py`, in what somebody says.
_SIGNED = re.compile(
    r"(?<!\S)(?:[^\s\[\]{}<>()`\"]*+(?:\[[^\s\[\]]*\]|\{[^\s{}]*\}|<\w+>))+[^\s\[\]{}<>()`\"]*+(?!\S)"
)
_SPEECH = re.compile(r"(?<=[.!?…]) +(?=[A-Z][\w.'’-]{0,20}:\s)")  # `A: I'm in. B: me too`
_STOP = re.compile(r"[,;:.!?]\s")
_LIST = re.compile(r"[ \t]*(?:[-*•+–]|\d{1,2}[.)])[ \t]+\S")
_MEASURE = re.compile(
    r"\d\s?(?:g|kg|mg|ml|cl|l|el|tl|oz|lb|lbs|tsp|tbsp|cups?|c|min|°c?f?|grad)\b", re.IGNORECASE
)


# The mark of a secret that was taken out, whole or cut, and of what was private.
_HIDDEN = re.compile(r"\[?\bREDACTED\b(?::[^\]\s]*)?\]?|\[private\]")


_COMMAND = re.compile(r"/[a-z][a-z_:-]{1,30}(?=\s|$)")


# Code, paths, options and quotations in a sentence stand as one word while it is read, and are put back whole in what is kept.

# Letters that no living language uses: a word of its own to every pattern.
_FIRST, _MOST = 0x10600, 256
_SEALS = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + _MOST - 1)}]")
_CODE = re.compile(
    r"`[^`\n]+`|(?<!\S)--[A-Za-z][\w-]*+(?:=[^\s,;]*+)?"
    r"|(?<![\w.:/@~])(?:~|\.{1,2})/[\w.@+/-]*+|(?<![\w.:/@~])(?:/[\w@+-][\w.@+-]*+){2,}/?|(?<![\w.:/@~-])\w[\w-]*+(?:/[\w-]++)*+/[\w-]++\.[a-z]\w{0,4}\b"
)
_CODE_SIGNS = ("`", "/", "--")  # one of them stands in each of these
_CALL = re.compile(  # not `file(s)`
    r"(?<![\w.])[A-Za-z_][\w.]*+\((?!(?:e?[nrs]|e|a|in|innen)\))(?:[^()\s]|(?<=,) ){0,80}+\)"
)
_END = ".,;:!?"  # ends a sentence rather than a path
_CLOSERS = {"(": ")", "[": "]", "{": "}", "“": "”", "„": "“”", "«": "»", '"': '"'}
_CLOSING = frozenset(")]}”»")


class Seals(NamedTuple):
    """What was taken out of a text, by the mark that stands for it."""

    marks: tuple[str, ...] = ()
    quotations: frozenset[int] = frozenset()

    def open(self, text: str, *, quotations: bool = True) -> str:
        """The text with what was taken out put back; `quotations`: also those."""

        def behind(hit: re.Match[str]) -> str:
            number = ord(hit[0]) - _FIRST
            if number >= len(self.marks) or (number in self.quotations and not quotations):
                return hit[0]
            return self.open(self.marks[number], quotations=quotations)

        return _SEALS.sub(behind, text) if self.marks else text


class Sealing:
    """Takes parts out of one text."""

    def __init__(self, text: str) -> None:
        self._marks: list[str] = []
        self._quotations: set[int] = set()
        self._closed = _SEALS.search(text) is not None  # its own letters could not be told from marks

    def seal(self, piece: str, *, quotation: bool = False) -> str:
        """What stands for a part."""
        if self._closed or len(self._marks) == _MOST:
            return " … "
        self._quotations |= {len(self._marks)} if quotation else set()
        self._marks.append(piece)
        return chr(_FIRST + len(self._marks) - 1)

    def code(self, text: str) -> str:
        """The text with its code, paths and options sealed."""
        return _CODE.sub(self._sealed, text) if any(sign in text for sign in _CODE_SIGNS) else text

    def calls(self, text: str) -> str:
        """The text with calls of functions sealed: `push(batch)`."""
        return _CALL.sub(self._sealed, text) if "(" in text else text

    def sealed(self) -> Seals:
        """What was taken out so far."""
        return Seals(tuple(self._marks), frozenset(self._quotations))

    def _sealed(self, hit: re.Match[str]) -> str:
        piece = hit[0] if hit[0][0] == "`" else hit[0].rstrip(_END)
        return self.seal(piece) + hit[0][len(piece) :] if len(piece) > 1 else hit[0]


def closed(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of a text between two places, longer or shorter by what closes each of its brackets and quotes.

    What nobody closes parts the text: of the part to either side, the one that holds most of it stays.
    """
    pairs, singles = _pairs(text)
    edges = [-1, *singles, len(text)]
    first, last = max(
        ((max(a + 1, start), min(b, end)) for a, b in pairwise(edges)),
        key=lambda stretch: stretch[1] - stretch[0],
    )
    for opens, closes in pairs:  # each within the part, or beside it
        if first <= opens < last or first <= closes < last:
            first, last = min(first, opens), max(last, closes + 1)
    return first, last


def balanced(text: str) -> str:
    """A text without what nobody closes, and the smaller part beside it."""
    return text[slice(*closed(text, 0, len(text)))].strip()


def _pairs(text: str) -> tuple[list[tuple[int, int]], list[int]]:
    """Where brackets and quotes open and close, the inner ones first, and where one stands alone, as does a pair around it; an inch is no quote."""
    pairs: list[tuple[int, int]] = []
    singles: list[int] = []
    waiting: list[int] = []
    for place, sign in enumerate(EMOTICON.sub(lambda hit: " " * len(hit[0]), text)):
        if waiting and sign in _CLOSERS.get(text[waiting[-1]], ""):
            pairs.append((waiting.pop(), place))
        elif sign in _CLOSERS and not (sign == '"' and text[place - 1 : place].isdigit()):
            waiting.append(place)
        elif sign in _CLOSING:
            singles.append(place)
    singles = sorted([*singles, *waiting])
    unbroken: list[tuple[int, int]] = []
    for opens, closes in pairs:
        if bisect_left(singles, opens) != bisect_left(singles, closes):
            insort(singles, opens)
            insort(singles, closes)
        else:
            unbroken.append((opens, closes))
    return unbroken, singles


class OwnWords(NamedTuple):
    """The words that are a person's own, and what was left out of the turn."""

    text: (
        str  # lines that belong together stay lines; a mark stands for each piece of code and each quotation
    )
    pasted: tuple[str, ...] = ()  # the first line of each block that was left out
    seals: Seals = Seals()


class Replies(NamedTuple):
    """What the assistant wrote before and behind a turn tells of it."""

    repeated: frozenset[str] = frozenset()  # lines of the turn that it had written before
    answer: str = ""  # how its answer begins


_ALONE = Replies()


def _is_talk(parts: Sequence[str], words: Grammar) -> bool:
    """True for the parts of a line in which somebody speaks again, or letters and parts do: `A: … B: …`; not for `Work: … Home: …`."""
    labels = [part.partition(":")[0].strip() for part in parts if LABEL.match(part)]
    return (len({*labels}) < len(labels) or all(map(str.isupper, labels))) and bool(dialogue(parts, words))


@lru_cache(maxsize=256)  # of the turns of a segment, which several readers look through
def own_words(text: str, words: Grammar, speaker: str = "", exchange: Replies = _ALONE) -> OwnWords:
    """The own words of one turn.

    Args:
        speaker: who typed it; a line that greets them, and a letter that they have not signed, are somebody else's.
        words: the grammar of its language; `written_things`, `rework_verbs` and `reporting_verbs` announce words of others.
        exchange: that it stands in.
    """
    pasted: list[str] = []

    def block(hit: re.Match[str]) -> str:
        pasted.append(_first_line(hit[0]))
        return "\n"

    text = without_command(without_secrets(text), words)
    text = text.replace("\r\n", "\n")
    if text.strip() and all(_is_shell_line(line, words) for line in text.split("\n") if line.strip()):
        return OwnWords("", (_first_line(text),))
    is_chat = len(_MARKED_NAME.findall(text)) > 1

    def quoted(hit: re.Match[str]) -> str:
        return hit[0] if is_chat and _MARKED_NAME.fullmatch(hit[0]) else block(hit)

    for signs, pattern, replacement in (
        (("```", "~~~"), _FENCED, block),
        (">", _QUOTED_LINES, quoted),
        ('"“„«', _UNCLOSED, block),
    ):
        text = pattern.sub(replacement, text) if any(sign in text for sign in signs) else text
    sealing = Sealing(text)

    def quotation(hit: re.Match[str]) -> str:
        quote = next((group for group in hit.groups() if group is not None), "")
        if len(tokens_of(quote)) <= _FEW and "\n" not in quote:
            return sealing.seal(hit[0]) if _STOP.search(quote) else hit[0]  # `"less, but better"`
        before, behind = hit.string[: hit.start()], hit.string[hit.end() : hit.end() + 2].lstrip(".,!?")[:1]
        lead = before[before.rfind("\n") + 1 :].strip()
        is_alone = not lead or lead.endswith((".", "!", "?", "…")) or asks_beside(lead, words) >= _IN_LINE
        is_last = (
            behind in ("", "\n") or asks_beside(hit.string[hit.end() :].partition("\n")[0], words) >= _IN_LINE
        )
        is_apart = "\n" in quote or (is_alone and is_last)
        if is_apart or len(quote) > _LONG:
            pasted.append(_first_line(sealing.sealed().open(quote)))
        if is_apart:  # … so that nothing further is looked for behind a colon
            return f"{_TAKEN}\n" if lead.endswith((":", "：")) else "\n"
        return sealing.seal(hit[0], quotation=True)

    def sign(hit: re.Match[str]) -> str:
        before = hit.string[hit.string.rfind("\n", 0, hit.start()) + 1 : hit.start()]
        piece = hit[0].rstrip(",.;:!?")
        return (
            sealing.seal(piece) + hit[0][len(piece) :] if speaks(before, words, to_somebody=False) else hit[0]
        )

    text = _SIGNED.sub(sign, text) if any(bracket in text for bracket in "[{<") else text
    typed = _QUOTED.sub(quotation, sealing.code(text)).split("\n")

    speeches = ([line] if line.count(": ") < 2 else _SPEECH.split(line) for line in typed)
    typed = [part for parts in speeches for part in (parts if _is_talk(parts, words) else [" ".join(parts)])]
    # Of several paragraphs, or beside a quotation, the request may be about another.
    ahead = not pasted and len([*blocks_of(typed)]) == 1
    pieces = [piece for n, line in enumerate(typed) for piece in _opened(line, words, ahead=ahead and not n)]
    own_lines, others = _parted(pieces, words, next(iter(tokens_of(speaker)), ""), exchange)
    text = sealing.calls("\n".join(own_lines))  # only now: that they are calls tells code from talk
    seals = sealing.sealed()
    return OwnWords(text, tuple(filter(tokens_of, (*pasted, *map(seals.open, others)))), seals)


@lru_cache(maxsize=1024)  # recall and ask read the same turns, and a daemon the same ones again
def own_text(text: str, speaker: str, language: str) -> str:
    """The own words of a turn as they were typed.

    Args:
        language: of the vault, where the words of the turn do not tell another.
    """
    code = spoken_in(text, language)
    speech = own_words(text, grammar(code if code in codes() else UNREAD), speaker)
    return speech.seals.open(speech.text) if speech.pasted else text


def without_command(text: str, words: Grammar) -> str:
    """A turn without the commands of a chat program that it begins with: `/add src/app.ts` says nothing, `/ask where is the port set` asks."""
    while command := _COMMAND.match(text):
        line, _, below = text[command.end() :].partition("\n")
        if any(token in words.small for token in tokens_of(line)):
            return f"{line}\n{below}"
        text = below.lstrip("\n")
    return text


def _parted(
    pieces: Sequence[_LinePart], words: Grammar, me: str, exchange: Replies
) -> tuple[list[str], list[str]]:
    """The lines of a turn that are the speaker's own, and the first one of each block that is not."""
    lines = [piece.line for piece in pieces]
    letters = letter_lines(lines, me)
    others = pasted_lines(lines, words, me) | letters | _tables(lines, words)
    others |= {number for number, piece in enumerate(pieces) if piece.is_text}
    others |= {number for number, line in enumerate(lines) if line.strip() in exchange.repeated}
    others |= message_lines(lines, words, me)
    material, asking = _material(lines, others, words, letters)
    others |= material
    if not others and exchange.answer:
        block = _longest_text(lines, words)
        text = " ".join(lines[place] for place in block)
        is_whole = len(sentences(text)) > 1 and not is_typed(text)
        others = set(block) if is_whole and is_about_a_text(exchange.answer, text, words) else others
    announced: dict[int, int] = {}  # where words of others begin in a line that announces them
    end = 0
    last = next((number for number in reversed(range(len(lines))) if lines[number].strip()), -1)
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        if number >= end and me and greets(line, me):
            end = _letter_end(lines, number, letters)
        elif number >= end and _HEADER.match(line):
            end = _mail_end(lines, number, letters)
        if number in others or number < end:
            others.add(number)
            continue
        if number in asking:
            continue
        before, reach = _before_others(line, words, last=number == last)
        announced[number] = len(before)
        if reach == _BLOCK:
            end = block_end(lines, number)
    if is_typed(lines[last]) and not lines[last - 1].strip() and listed("asides").at(tokens_of(lines[last])):
        others.discard(last)
    return _own_and_named(lines, others, announced)


def _own_and_named(
    lines: Sequence[str], others: Collection[int], announced: Mapping[int, int]
) -> tuple[list[str], list[str]]:
    """The own lines, and the first line of each block that is not.

    Args:
        others: the places of those that are wholly of others.
        announced: where words of others begin in a line that announces them.
    """
    own_lines: list[str] = []
    pasted: list[str] = []
    inside = False  # a block that was named already
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        start = 0 if number in others else announced.get(number, len(line))
        own_lines += [line[:start]] * (number not in others)
        tail = line[start:].strip()
        pasted += [tail] * (bool(tail) and not (inside and not start))
        inside = bool(tail)
    return own_lines, pasted


def _longest_text(lines: Sequence[str], words: Grammar) -> range:
    """The block with the most words that asks nothing: the answer is about it."""
    blocks = [range(*block) for block in blocks_of(lines)]
    asking = [any(is_asked(lines[number], words) for number in block) for block in blocks]
    texts = [block for block, asks in zip(blocks, asking, strict=True) if not asks]
    return max(texts, key=lambda block: sum(len(lines[number]) for number in block), default=range(0))


def _mail_end(lines: Sequence[str], number: int, letters: Collection[int]) -> int:
    """Where a mail ends that has its header at a place: its text stands in the same block, or below; that of one line goes on as a letter does."""
    if lines[number].rstrip().endswith(":"):
        return _letter_end(lines, number + 1, letters)
    end = block_end(lines, number)
    text = [line for line in lines[number:end] if not (_COLON.search(line) or greets(line))]
    return end if text and not _HEADER.match(lines[end - 1]) else _letter_end(lines, end, letters)


def _letter_end(lines: Sequence[str], start: int, letters: Collection[int]) -> int:
    """Where the letter ends that is the first of the lines from a place on; what begins otherwise goes on to the end."""
    first = next((number for number in range(start, len(lines)) if lines[number].strip()), start)
    behind = (number for number in range(first + 1, len(lines)) if number not in letters)
    return next(behind, len(lines)) if first in letters else len(lines)


def _tables(lines: Sequence[str], words: Grammar) -> set[int]:
    """The lines of tables and code, with what goes on from them until somebody speaks of themselves or asks."""
    tables: set[int] = set()
    goes_on = False
    for first, end in blocks_of(lines):
        block = range(first, end)
        goes_on = goes_on and not speaks(lines[first], words, to_somebody=False) and "?" not in lines[first]
        of_code = {number for number in block if _has_code(lines[number])}
        sign, columns = _columns(lines[first]) if len(block) > 1 else ("", 0)
        for number in block:
            line = lines[number]
            if (
                (
                    number
                    and (number in of_code or _TABLE.match(line.strip()) or len(_MEASURE.findall(line)) > 1)
                )
                or (columns and line.count(sign) >= columns)
                or (of_code and _REMARK.match(line))
                or _has_many_signs(line)
            ):
                goes_on = goes_on or not _is_item(line)
                tables.add(number)
            elif goes_on:
                tables.add(number)
    return tables


def _text_end(lines: Sequence[str], number: int, words: Grammar, letters: Collection[int]) -> int:
    """Where a text ends that a line announces: what a program wrote before the block in which somebody speaks of themselves, a letter with its signature, any other at the end."""
    is_below = False
    for first, end in blocks_of(lines):
        block = range(max(first, number + 1), end)
        if not block:
            continue
        block_lines = [lines[place] for place in block]
        if not any(is_record(line) or _has_code(line) or _has_many_signs(line) for line in block_lines):
            is_own = is_below and speaks(lines[block[0]], words, to_somebody=False)
            return block[0] if is_own else _letter_end(lines, block[0], letters)
        is_below = True
    return len(lines)


_BLOCK, _ALL = "block", "all"  # how far words of others go on: to the next empty line, to the end


class _LinePart(NamedTuple):
    """A line, or what was parted of it."""

    line: str
    is_text: bool = False  # that the other piece asks about


def _opened(line: str, words: Grammar, *, ahead: bool) -> list[_LinePart]:
    """A line, parted where a sentence asks about the text behind or before it: `sounds weird? I am …`, `I am … too harsh?`.

    Args:
        ahead: what stands behind a sentence is looked at too.
    """
    stops = [*_BREAK.finditer(line)]
    starts = [0, *(stop.end() for stop in stops)]
    ends = [*(stop.end() for stop in stops), len(line)]
    leading: dict[int, float] = {}  # where the line may be parted behind a request, and how much tells it
    seam = _seam(line, words) if ahead else 0
    if not (stops or seam):
        return [_LinePart(line)]
    if seam:
        leading[seam] = _asked_beside(line[:seam], line[seam:], words) + _SEAM
    for start, end in [*zip(starts, ends, strict=True)][: _FIRST_SENTENCES * ahead]:
        leading[end] = _asked_beside(line[start:end], line[end:], words)
    parts = dict(leading)  # … or before one
    for start, end in [*zip(starts, ends, strict=True)][1:][-_LAST_SENTENCES:]:
        if line[:start].endswith(_DASHES):
            continue  # behind a dash goes on what stands before it
        total = _asked_beside(line[start:end], line[:start], words)
        if total > parts.get(start, -math.inf) and is_asked(line[start:end], words):
            parts[start] = total
    if is_message(line, words, "") and is_asked(
        line[starts[-1] :], words
    ):  # what is asked behind a message is no part of it
        parts.setdefault(starts[-1], 0.0)
        parts[starts[-1]] = max(parts[starts[-1]], _IN_LINE)
    best = max(parts, key=lambda place: parts[place], default=0)
    if not best or parts[best] < _IN_LINE:
        return [_LinePart(line)]
    asks_first = ahead and parts[best] == leading.get(best)
    return [_LinePart(line[:best].rstrip(" -–—>→")), _LinePart(line[best:], asks_first)]


def _asked_beside(sentence: str, text: str, words: Grammar) -> float:
    """How far a sentence asks about the text beside it in its line."""
    sentence = sentence.rstrip(" -–—>→")
    if not _MORE.match(text) or (asks := asks_beside(sentence, words)) < _LEADING:
        return -math.inf
    if is_asked(text, words) and not speaks(text, words, to_somebody=False):  # and is no text of anybody
        return -math.inf
    differs = contrast(sentence, text, words)
    return asks + (max(differs, 0.0) if asks >= _SURE else differs if differs > 0 else -math.inf)


def _seam(line: str, words: Grammar) -> int:
    """Where a text begins behind typed words without any sign: `kannst du das netter sagen Ich habe …`; 0 where none does.

    `I` is a capital everywhere, so that it tells behind a request alone.
    """
    if not is_typed(line):
        return 0
    tokens, spans = tokens_of(line), spans_of(line)
    request = listed("requests").at(tokens)
    for place in range(1, min(len(tokens), _ASKING)):
        start, end = spans[place]
        is_begun = (
            line[start].isupper()
            and line[start - 2].isalnum()
            and line[start - 1] == " "
            and len(tokens) - place > _FEW
        )
        if is_begun and (
            place == request
            if end == start + 1
            else tokens[place] in words.small or listed("greetings").at(tokens, place)
        ):
            return start
    return 0


def _asks_about(line: str, text: str, words: Grammar, *, least: float = LEAST, vague: float = VAGUE) -> float:
    """How far a line asks about a text beside it; not at all, where its own words ask too little, and less by `vague`, where they may ask for advice."""
    if not text.strip() or (asks := asks_of_text(line, words)) < least:
        return -math.inf
    return asks + contrast(line, text, words) - vague * (asks < CLEAR)


class _TextRequest(NamedTuple):
    """A line that may ask about the text above or below it."""

    total: float
    number: int
    text: range


def _requests(lines: Sequence[str], others: Collection[int], words: Grammar) -> list[_TextRequest]:
    """The lines that ask about a text beside them, those that tell most first; nothing is asked about what is known to be of others."""
    requests: list[_TextRequest] = []
    full = [number for number, line in enumerate(lines) if line.strip()]
    edges = frozenset((*full[:_EDGE], *full[-_EDGE:]))
    for number in full:
        line = lines[number]
        if number in others or _is_item(line):
            continue
        before, reach = _before_others(line, words, last=number == full[-1])
        if reach and line[len(before) :].strip() == _TAKEN:
            continue
        leads = bool(reach) and (before == line or before.rstrip().endswith(_LEADS))
        if reach == _ALL:  # it says where its text stands
            requests.append(_TextRequest(math.inf, number, range(number + 1, len(lines))))
        if reach == _ALL or (number not in edges and asks_of_text(line, words) < _SURE):
            continue
        above = range(0) if leads else _beside(lines, others, number, -1)
        below = range(0) if reach and not leads else _beside(lines, (), number, 1)
        likely_below = _asks_about(line, _text_of(lines, below), words, least=_LEADING, vague=0.0)
        paragraph, whole = (
            _text_of(lines, above),
            _text_of(lines, range(max((n + 1 for n in others if n < number), default=0), number)),
        )
        alone = len(sentences(paragraph)) == 1  # the speaker may tell it first
        likely_above = _asks_about(line, paragraph, words) - alone
        if above and whole != paragraph:
            likely_above = max(likely_above, _asks_about(line, whole, words))
        is_above = likely_above - likely_below > _MORE_LIKELY
        request = _TextRequest(max(likely_above, likely_below), number, above if is_above else below)
        requests += [request] * (request.total >= ENOUGH)
    return sorted(requests, key=lambda request: -request.total)


def _beside(lines: Sequence[str], others: Collection[int], number: int, step: int) -> range:
    """The lines of the paragraph directly below, or with a step of -1 above a line; none where it is known to be of others."""
    inside = range(len(lines))
    first = number + step
    while first in inside and not lines[first].strip():
        first += step
    end = first
    while end in inside and lines[end].strip() and end not in others:
        end += step
    return range(first, end) if step > 0 else range(end + 1, first + 1)


def _text_of(lines: Sequence[str], block: range) -> str:
    return " ".join(lines[place].strip() for place in block[:_BESIDE])


def _material(
    lines: Sequence[str], others: Collection[int], words: Grammar, letters: Collection[int]
) -> tuple[set[int], set[int]]:
    """The lines of a text that the turn asks to have reworked or judged, and of a part that somebody plays; and those that ask about what stands above them."""
    material: set[int] = set()
    for block in blocks_of(lines):
        part = next((number for number in range(*block) if _is_part(lines[number], words)), block[1])
        material.update(range(part, block[1]))
    asking: set[int] = set()
    for request in _requests(lines, others, words) if len(lines) > 1 else ():
        if request.number in material:
            continue
        if request.text.start > request.number:
            end = _text_end(lines, request.number, words, letters)
            material.update(set(range(request.number + 1, end)) - asking)
            continue
        asking.add(request.number)
        text = request.text
        while text and asking.isdisjoint(text):
            material.update(text)
            text = _beside(lines, others, text.start, -1)
            if contrast(lines[request.number], _text_of(lines, text), words) < _GOES_ON:
                break
    return material, asking


_SURE = 4.0  # of a line that asks for nothing but work on a text
_IN_LINE = 3.5  # of a request and the contrast of a text before it in its line
_LEADING = 1.5  # of a line that asks about the text below it: a speaker leads over to much that is told
_EDGE = 3  # lines at the beginning and at the end of a turn, where people ask: a text may ask within
_LEADS = (":", "：", "-", "–", "—")
_GOES_ON = 1.5  # the contrast of a paragraph above a text that belongs to it
_MORE_LIKELY = 2.0  # by which a text above a request must be it rather than one below: above stands what the speaker tells first
_BESIDE = 60  # lines of a text that are looked at: of many that ask, none reads them all


def _is_part(line: str, words: Grammar) -> bool:
    """True for a line of which a sentence begins a game: `let's role-play: I am a pirate`, `you are my boss and I am your clerk`."""
    in_line = tokens_of(line)
    if not (listed("parts").within(in_line) or listed("own_roles").within(in_line)):
        return False
    pieces = [(sentence, tokens_of(sentence)) for sentence in _ENDS.split(line)]
    openings = [(sentence, tokens[words.openers.skip(tokens) :]) for sentence, tokens in pieces]
    return any(
        listed("parts").at(tokens)
        or (listed("roles").at(tokens) and listed("own_roles").within(tokens))
        or (
            place
            and ":" in sentence
            and listed("own_roles").at(tokens)
            and listed("roles").at(openings[place - 1][1])
        )
        for place, (sentence, tokens) in enumerate(openings)
    )


def without_secrets(text: str) -> str:
    """The text with a cut where something was taken out for being secret or private: nothing is named or told by that."""
    return _HIDDEN.sub(_CUT, text) if "REDACTED" in text or "[private]" in text else text


def _first_line(block: str) -> str:
    lines = block.split("\n")
    if len(lines) > 1 and lines[0].lstrip().startswith(("```", "~~~")):
        del lines[0]  # it names the language of the code
    return next(filter(None, (line.strip(' \t>"“„«»`~') for line in lines)), "")


def _is_shell_line(line: str, words: Grammar) -> bool:
    """True for a command of a shell, by its form: a program, then an option or an operator, and no word of a sentence."""
    if not _SHELL_LINE.match(line):
        return False
    return words.sentence_words.isdisjoint(set(line.lower().split()) - _PARTICLES)


def _has_code(line: str) -> bool:
    return bool(_CODE_LINE.match(line) or _CODE_SIGN.search(line))


def _has_many_signs(line: str) -> bool:
    # Most lines have none of these characters.
    return sum(map(line.count, _SIGN_CHARACTERS)) > _MANY_SIGNS and len(_SIGNS.findall(line)) > _MANY_SIGNS


def _columns(line: str) -> tuple[str, int]:
    """The sign between the columns that a first line names, `id,name,comment`, and how often it stands there; 0 where the line names none."""
    sign = next((sign for sign in ",;\t|" if line.count(sign) > 1), "")
    if not sign or not all(re.fullmatch(r"[\w.-]{1,30}", name) for name in line.strip().split(sign)):
        return "", 0
    return sign, line.count(sign)


def _is_item(line: str) -> bool:
    return _LIST.match(line) is not None


def _reworks(clause: Sequence[str], words: Grammar) -> bool:
    """True for a request for work on a text, `in German please`, but not for `to answer that`."""
    if words.first_person.has_any(clause) and not listed("requests").within(clause):
        return False
    hits = [entries.find(clause) for entries in (words.rework_verbs, listed("requests"), listed("subjects"))]
    return any(
        place >= 0 and not (place and clause[place - 1] in words.goal_prepositions and place < 2)
        for place in hits
    )


def _is_own(clause: Sequence[str], words: Grammar) -> bool:
    """True for something written that is the speaker's: `summary of my week`, not `a message from my landlord`."""
    place = words.written_things.find(clause)
    behind = clause[place + words.written_things.at(clause, place) :]
    return (place > 0 and clause[place - 1] in words.possessives_own) or (
        len(behind) > 1 and behind[0] in words.owner_prepositions and behind[1] in words.possessives_own
    )


@lru_cache(maxsize=64)  # of a turn, whose lines are looked at for requests and for announcements
def _before_others(line: str, words: Grammar, *, last: bool) -> tuple[str, str]:
    """The line up to where it announces words of others, and how far these go on."""
    for colon in _COLON.finditer(line):
        sentence = re.split(r"[.!?…]\s|,\s", line[max(0, colon.start() - _LEAD) : colon.start()])[-1]
        if not tokens_of(sentence) or words.remember_phrases.within(tokens_of(sentence)):
            continue
        ends = _NOTHING.match(line, colon.end()) is not None
        if is_record(line[colon.end() :]) or _announces(sentence, line, colon, words):
            is_output = listed("outputs").within(tokens_of(sentence))
            return line[: colon.end()], _ALL if ends and not is_output else _BLOCK
        if ends and not last:
            return line, ""
    return line, _ALL if not last and _announces_below(_ENDS.split(line)[-1], words) else ""


def _announces(sentence: str, line: str, colon: re.Match[str], words: Grammar) -> bool:
    """True where words of others stand behind a colon."""
    clause = tokens_of(sentence)
    if any(token in words.second_person and token not in words.nominatives for token in clause):
        return False
    if (
        listed("sources").within(clause)
        or _quotes(clause, words)
        or _reworks(clause, words)
        or asks_of_text(f"{sentence}:", words) >= _WORK
    ):
        return True
    # `Error: exit code 1` is a line of the program itself.
    if (
        len(clause) > _LABEL_WORDS
        and listed("outputs").within(clause)
        and not speaks(line[colon.end() :], words)
    ):
        return True
    if listed("fictions").within(clause) and (
        _NOTHING.match(line, colon.end()) or _is_of_fiction(clause, words)
    ):
        return True
    written = words.written_things.within(clause) and not (
        _is_own(clause, words) or clause[0] in words.purposes
    )
    behind = line[colon.end() :]
    is_text = _MORE.match(behind) and not _CONTACT.match(behind)
    return written and bool(_NOTHING.match(behind) or is_text or greets(behind))


def _is_of_fiction(clause: Sequence[str], words: Grammar) -> bool:
    """True for what stands for or in something that the speaker makes up: `for my novel`, `a line from my play`."""
    places = (place for place, token in enumerate(clause) if token in words.possessives_own)
    return words.fiction_links.has_any(clause) and any(
        listed("fictions").at(clause, place + 1) for place in places
    )


def _quotes(clause: Sequence[str], words: Grammar) -> bool:
    """True for `what she wrote`, not for `what i wrote to her`, `das hab ich ihm geschrieben`, `she asked for it`."""
    place = words.reporting_verbs.find(clause)
    if place < 0:
        return False
    behind = place + words.reporting_verbs.at(clause, place)
    subject = next((token for token in reversed(clause[:place]) if token in words.nominatives), "")
    return subject not in words.first_person and not (
        behind < len(clause) and clause[behind] in words.purposes
    )


def _announces_below(sentence: str, words: Grammar) -> bool:
    """True for `this is what she said`, `translate this` and `here is the letter` at the end of a line."""
    tail = tokens_of(sentence)
    works = _quotes(tail, words) or words.rework_verbs.within(tail)
    if words.written_things.within(tail):
        pointers = listed("text_pointers")
        points = pointers.at(tail) > 0 or (pointers.within(tail) and is_asked(sentence, words))
        return works or points or (words.deictics.at(tail) > 0 and len(tail) <= _TITLE_WORDS)
    return works and any(token in words.deictics and token in words.pronouns for token in tail)
