"""A segment as a model reads it: one JSON array of strings, one a line of the log, and a fence that no line can close.

The rule: nothing that was said can leave its string or its fence. Results of tools stay in the log: what strangers wrote is not
summed up as if the conversation had said it.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import NamedTuple

from memoryclaw.consolidation.changes import Quote, Segment
from memoryclaw.consolidation.tool_calls import read_call
from memoryclaw.model import Turn
from memoryclaw.text import tokens
from memoryclaw.text.fence import one_line, visible

BUDGET = 6000  # tokens of one prompt's log
_LONGEST = 4000  # characters of one turn
SPOKEN = frozenset({"user", "assistant"})  # whose lines are read in full
_LONGEST_NAME = 60
# What chat templates of models read as their own marks: `<|im_end|>`, `<start_of_turn>`, `[INST]`.
_MARK = re.compile(r"<|\[(?=/?[A-Z_]{2,20}\])")


class Transcript(NamedTuple):
    """The lines as JSON, empty where nobody spoke, and the word that fences them: a digest, so that no line can hold it."""

    fence: str
    lines: str


def transcript(segment: Segment, budget: int = BUDGET) -> Transcript:
    """The segment for a prompt, at most `budget` tokens; what does not fit is left out of the middle, and that is said."""
    said = [(turn, _said(turn)) for turn in segment.turns]
    if not any(text for turn, text in said if turn.role in SPOKEN):
        return Transcript("", "")
    items = _bounded([_item(turn, text) for turn, text in said if text], budget)
    lines = "[" + ",\n ".join(items) + "]"
    digest = hashlib.sha256(lines.encode()).hexdigest()[:16]
    return Transcript(digest, lines)


def _said(turn: Turn) -> str:
    """What a person or the assistant said, or which tool was called; nothing else is read."""
    if turn.role in SPOKEN:
        return visible(turn.text).strip()
    call = read_call(turn.text) if turn.role == "tool" else None
    return one_line(call.phrase) if call else ""


def _item(turn: Turn, text: str) -> str:
    who = " ".join(filter(None, (turn.role, one_line(turn.name)[:_LONGEST_NAME])))
    when = turn.ts[:16].replace("T", " ")
    return _quoted(" | ".join(filter(None, (str(turn.line), when, who, _cut(text, _LONGEST)))))


def _quoted(text: str) -> str:
    """A JSON string in which no mark of a chat template stands as such; read back, it is the same text."""
    return _MARK.sub(lambda hit: f"\\u{ord(hit[0]):04x}", json.dumps(text, ensure_ascii=False))


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail]} […] {text[-tail:]}"


def _bounded(items: list[str], budget: int) -> list[str]:
    costs = [tokens.estimate(item) for item in items]
    if sum(costs) <= budget:
        return items
    first, last, spent = 0, len(items), 0
    while first < last:
        # From both ends, the beginning first: it says what the talk is about, the end what came of it.
        at = first if first <= len(items) - last else last - 1
        if spent + costs[at] > budget:
            break
        spent += costs[at]
        first, last = (first + 1, last) if at == first else (first, at)
    left_out = last - first
    return [*items[:first], json.dumps(f"({left_out} lines are left out here)"), *items[last:]]


# ── What was said → a line of a note. The rule: quoted words stay words; none becomes a link, tag, comment,
# code fence or block id.

_LINKS = re.compile(r"!?\[\[+|!\[|\]\]+")
_TAG = re.compile(r"(?<!\S)#+(?=[^\s\d#])")
_COMMENT = re.compile(r"%%+|<!--+|(?<!-)--+>")
_BLOCK_ID = re.compile(r"(?:(?<=\s)|^)\^(?=[A-Za-z0-9-]+\s*$)")
_LEADING = re.compile(r"(?:[#>+*=~-]+|\d{1,9}[.)]|\[[ xX]?\])(?=\s|$)\s*")
_NAME = re.compile(r"[\[\]|^#`*<>:%\\]+")

_HIDDEN = re.compile(r"\[?\bREDACTED\b(?::[^\]\s]*)?\]?")


def harmless(text: str) -> str:
    """The text on one line, as part of a note's prose."""
    flat = one_line(text)
    start = 0
    while hit := _LEADING.match(flat, start):
        start = hit.end()
    flat = flat[start:]
    flat = _LINKS.sub(lambda hit: hit[0].lstrip("!")[:1], flat)
    flat = _COMMENT.sub(lambda hit: " " if hit[0][0] == "%" else hit[0].replace("--", "- "), flat)
    flat = _TAG.sub("", flat)
    if "``" in flat or "~~~" in flat or flat.count("`") % 2:
        flat = flat.replace("`", "'").replace("~~~", "~")
    return " ".join(_BLOCK_ID.sub("", flat).split())


def shown(text: str) -> str:
    """The text with a full stop where something was taken out for being secret: no name, title or tag is made of that."""
    return _HIDDEN.sub(" . ", text) if "REDACTED" in text else text


def speaker(name: str) -> str:
    """A name as it stands before what its bearer said."""
    return " ".join(_NAME.sub(" ", one_line(name)).split())[:_LONGEST_NAME].strip() or "somebody"


def bullet(quote: Quote) -> str:
    """A quote as one point of an episode, with the block id that facts cite."""
    return f"- {speaker(quote.who)}: {harmless(quote.text)} ^l{quote.line}"
