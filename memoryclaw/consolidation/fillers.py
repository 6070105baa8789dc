"""What says nothing worth keeping: greetings, thanks, yeses, heartbeats, bare tool calls; in English, German, French and Spanish."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memoryclaw.consolidation.changes import Segment
from memoryclaw.consolidation.tool_calls import read_call
from memoryclaw.model import Turn
from memoryclaw.text import words as lists
from memoryclaw.text.language import WORD, fold

_PERSONS = frozenset({"user", "human"})
_SILENT = re.compile(r"\W*(?:HEARTBEAT_OK|NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)\W*")
_PROMPT = re.compile(r"HEARTBEAT(?:\.md|_OK)|\bheartbeat poll\b|\A\W*heartbeat\W*\Z", re.IGNORECASE)
# Placeholders for what is no text, and our own marks.
_PLACEHOLDER = re.compile(
    r"\[(?:image|audio|video|file|document|private|recalled memory)\]|\[REDACTED:[^\[\]]*\]"
)
_PHRASES = sorted(
    (tuple(phrase.split()) for phrase in lists.lines("consolidation.filler_phrases")), key=len, reverse=True
)
_STARTS: dict[str, list[tuple[str, ...]]] = {}
for _phrase in _PHRASES:
    _STARTS.setdefault(_phrase[0], []).append(_phrase)
_WORDS = frozenset(lists.words("consolidation.filler_words"))
_GREETINGS = frozenset(lists.words("consolidation.greetings"))
# Phrases that begin so are said to somebody, whose name may follow.
_HAILS = frozenset(lists.words("consolidation.greeting_starts"))
_MOST = 24  # words: what is longer was meant to say something


def nothing_in(segment: Segment) -> str:
    """One sentence why a segment yields no episode; empty when it holds something."""
    if not any(turn.role or turn.name for turn in segment.turns):
        return "no line says who spoke" if segment.turns else "nothing was said"
    said = [turn for turn in segment.turns if turn.role != "tool"]
    spoken = [turn for turn in said if _spoken(turn.text)]
    if not spoken:
        return (
            "tool calls without a word of a person" if len(said) < len(segment.turns) else "nothing was said"
        )
    if all(is_heartbeat(turn) for turn in spoken):
        return "heartbeats only"
    left = [turn for turn in spoken if not is_heartbeat(turn) and turn.role != "system"]
    if not left:
        return "only notes of the system"
    names = frozenset(word for turn in segment.turns for word in _words(turn.name))
    if any(not is_filler(turn.text, names) for turn in left):
        return ""
    acted = len(said) < len(segment.turns) and any(turn.role in _PERSONS for turn in left)
    return "" if acted and _acts(segment.turns) else "only greetings and acknowledgements"


def is_heartbeat(turn: Turn) -> bool:
    """True for a host's regular question whether there is something to do, and for the answer that there is not."""
    if _SILENT.fullmatch(turn.text):
        return True
    if turn.role in ("assistant", ""):
        return "HEARTBEAT_OK" in turn.text and not turn.text.replace("HEARTBEAT_OK", "").strip(" \n.*`_")
    return _PROMPT.search(turn.text) is not None


def is_filler(text: str, names: Iterable[str] = ()) -> bool:
    """True for a text of nothing but greetings, thanks, yeses and the like.

    Args:
        text: what was said.
        names: folded words that only address somebody.
    """
    spoken = _spoken(text)
    found = _words(spoken)
    if len(found) > _MOST:
        return False
    known = frozenset(names)
    written = WORD.findall(spoken)
    at, hailed = 0, False
    while at < len(found):
        phrase = _phrase_at(found, at)
        step = phrase or int(found[at] in _WORDS or found[at] in known or (hailed and _is_name(written[at])))
        if not step:
            return False
        hailed = found[at] in (_HAILS if phrase else _GREETINGS)
        at += step
    return True


def _words(text: str) -> list[str]:
    return [fold(word).replace("'", "").replace("’", "") for word in WORD.findall(text)]


def _phrase_at(found: list[str], at: int) -> int:
    for phrase in _STARTS.get(found[at], ()):
        if tuple(found[at : at + len(phrase)]) == phrase:
            return len(phrase)
    return 0


def _is_name(written: str) -> bool:
    """A capitalised word right after a greeting is somebody's name: `Hi Pip`, `good night, Nora`."""
    return written[:1].isupper() and not written.isupper()


def _spoken(text: str) -> str:
    """The text without placeholders; empty when no letter or digit is left of it."""
    left = _PLACEHOLDER.sub(" ", text).strip()
    return left if WORD.search(left) else ""


def _acts(turns: Iterable[Turn]) -> bool:
    """True when a tool did something, rather than look something up."""
    return any(turn.role == "tool" and (call := read_call(turn.text)) and not call.looks_up for turn in turns)
