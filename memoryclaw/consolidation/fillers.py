"""What says nothing worth keeping: greetings, thanks, yeses, heartbeats, bare tool calls; in English, German, French and Spanish."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memoryclaw.consolidation.changes import Segment
from memoryclaw.consolidation.tool_calls import read_call
from memoryclaw.model import Turn
from memoryclaw.talk.own_words import without_command
from memoryclaw.text.fillers import is_filler, plain, spoken
from memoryclaw.text.grammar import grammar

_PERSONS = frozenset({"user", "human"})
_SILENT = re.compile(r"\W*(?:HEARTBEAT_OK|NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)\W*")
_PROMPT = re.compile(r"HEARTBEAT(?:\.md|_OK)|\bheartbeat poll\b|\A\W*heartbeat\W*\Z", re.IGNORECASE)


def nothing_in(segment: Segment) -> str:
    """One sentence why a segment yields no episode; empty when it holds something."""
    if not any(turn.role or turn.name for turn in segment.turns):
        return "no line says who spoke" if segment.turns else "nothing was said"
    talk = [turn for turn in segment.turns if turn.role != "tool"]
    telling = [turn for turn in talk if spoken(without_command(turn.text, grammar("en")))]
    if not telling:
        return (
            "tool calls without a word of a person" if len(talk) < len(segment.turns) else "nothing was said"
        )
    if all(is_heartbeat(turn) for turn in telling):
        return "heartbeats only"
    sayings = [turn for turn in telling if not is_heartbeat(turn) and turn.role != "system"]
    if not sayings:
        return "only notes of the system"
    names = frozenset(word for turn in segment.turns for word in plain(turn.name))
    if any(not is_filler(turn.text, names) for turn in sayings):
        return ""
    acted = len(talk) < len(segment.turns) and any(turn.role in _PERSONS for turn in sayings)
    return "" if acted and _acts(segment.turns) else "only greetings and acknowledgements"


def is_heartbeat(turn: Turn) -> bool:
    """True for a host's regular question whether there is something to do, and for the answer that there is not."""
    if _SILENT.fullmatch(turn.text):
        return True
    if turn.role in ("assistant", ""):
        return "HEARTBEAT_OK" in turn.text and not turn.text.replace("HEARTBEAT_OK", "").strip(" \n.*`_")
    return _PROMPT.search(turn.text) is not None


def _acts(turns: Iterable[Turn]) -> bool:
    """True when a tool did something, rather than look something up."""
    return any(turn.role == "tool" and (call := read_call(turn.text)) and not call.looks_up for turn in turns)
