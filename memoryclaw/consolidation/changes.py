"""The nouns of consolidation: what a mind reads out of a log, what is decided of it, and the change set that results.

segment     consecutive turns of one log that belong together
claim       one fact that a log line states, with the words that state it
extraction  what a mind makes of a segment                decided   what becomes of a claim, and why
action      one edit of one file, as data                 change    actions that become one commit
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from memoryclaw.model import Turn
from memoryclaw.vault.logs import LogRange

LEVELS = ("low", "medium", "high")  # of confidence


class Segment(NamedTuple):
    """Consecutive turns of one log that belong together."""

    range: LogRange
    turns: tuple[Turn, ...]
    cut: str = ""  # why it begins where it does: session | gap | hole | topic | length


class Quote(NamedTuple):
    """Words of one line of a log, as they stand there."""

    line: int
    who: str  # the speaker's name, else the role
    text: str


class Claim(NamedTuple):
    """One fact that a line of a log states. `value` is written as a fact's value would be."""

    entity: str
    field: str
    value: str
    line: int  # of the log
    quote: str  # words of that line
    role: str  # who stated it: user | assistant | tool | …
    said: str  # ISO date of the statement, from the log's own clock; empty when the log has none
    since: str = ""  # ISO date from which it holds, where the words say so
    confidence: str = "high"  # one of LEVELS
    durable: bool = True  # False: true for the moment only
    by: str = "patterns"  # patterns, or the model that read it


class Extraction(NamedTuple):
    """What a mind makes of a segment."""

    title: str
    summary: str
    tags: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    project: str = ""
    points: tuple[Quote, ...] = ()  # the body: what was said that is worth keeping, in order
    claims: tuple[Claim, ...] = ()
    confidence: str = "medium"
    by: str = "patterns"
    degraded: str = ""  # why a model that was asked did not answer
    dropped: tuple[str, ...] = ()  # what a model claimed and could not prove, one sentence each


class ClaimDecision(NamedTuple):
    """What becomes of a claim."""

    claim: Claim
    action: str  # add | confirm | supersede | pending | drop
    reason: str  # one sentence for people
    path: str = ""  # the semantic file
    fact: str = ""  # id of the known fact that is confirmed or superseded
    known: str = ""  # its value
    many: bool = False
    since: str = ""  # the date the fact gets


class NewFile(NamedTuple):
    """Writes a file that is not there yet."""

    path: str
    text: str


class Replace(NamedTuple):
    """Replaces a note that a run wrote by what is made of the same lines today."""

    path: str
    text: str


class SetFact(NamedTuple):
    """Adds a fact, or puts its value in the place of the old one, which goes to History."""

    path: str
    entity: str
    field: str
    value: str
    since: str = ""
    source: str = ""  # id of the episode
    many: bool = False


class ConfirmFact(NamedTuple):
    """Gives a fact that is known one more source."""

    path: str
    fact: str
    value: str
    source: str


class AddPending(NamedTuple):
    """Writes a line to `semantic/_pending.md` that waits for a yes or a no."""

    entity: str
    field: str
    value: str
    confidence: str
    source: str
    why: str
    since: str = ""
    known: str = ""  # the value that is held true now, where the two disagree


class AddSource(NamedTuple):
    """Gives an episode the log ranges of another one that is merged into it."""

    path: str
    ranges: tuple[str, ...]


class MoveFile(NamedTuple):
    """Moves a file as it is; merges move the twin to the archive."""

    path: str
    to: str


Action = NewFile | Replace | SetFact | ConfirmFact | AddPending | AddSource | MoveFile


class PlannedChange(NamedTuple):
    """What becomes one commit."""

    kind: str  # episode | fact | pending | skill | merge
    title: str  # the subject of the commit, as a person would say it
    actions: tuple[Action, ...]
    evidence: tuple[str, ...] = ()  # lines for the body of the commit: `Nora: "…"`
    source: str = ""  # range or ranges, joined by a space
    confidence: str = ""
    reason: str = ""  # why it is proposed and not done; empty where it may be done
    id: str = ""  # of the episode, fact or skill that it makes


class Skipped(NamedTuple):
    """Lines that yield nothing, and why."""

    range: str
    turns: int
    reason: str


class ToolSequence(NamedTuple):
    """The tools that one stretch of a session called, in order; mining counts these."""

    session: str
    range: str
    tools: tuple[str, ...]


class ChangeSet(NamedTuple):
    """Everything that one consolidation would do. Nothing of it is written yet."""

    run: str
    ranges: tuple[str, ...] = ()  # every line that was read
    changes: tuple[PlannedChange, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    decided: tuple[ClaimDecision, ...] = ()
    acted: tuple[ToolSequence, ...] = ()
    minds: tuple[str, ...] = ()  # who read: patterns, ollama/…
    degraded: str = ""
    dropped: tuple[str, ...] = ()
    turns: int = 0
    notices: tuple[str, ...] = ()


# ── A change set as JSON and back, so that a run that was killed is taken up where it stood.

_NOUNS = {
    kind.__name__: kind
    for kind in (
        ChangeSet, PlannedChange, Skipped, ClaimDecision, Claim, ToolSequence, NewFile, Replace,
        SetFact, ConfirmFact, AddPending, AddSource, MoveFile,
    )
}  # fmt: skip


def write_plan(changes: ChangeSet) -> str:
    """The change set as one line of JSON."""
    return json.dumps(_plain(changes), ensure_ascii=True)


def read_plan(text: str) -> ChangeSet | None:
    """The change set that a text holds, or None where it holds no whole one."""
    try:
        value = _noun(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return value if isinstance(value, ChangeSet) else None


def _plain(value: Any) -> Any:
    fields = getattr(value, "_fields", None)
    if fields:
        return {"": type(value).__name__, **{k: _plain(v) for k, v in zip(fields, value, strict=True)}}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _noun(value: Any) -> Any:
    if isinstance(value, dict):
        kind = _NOUNS[value.pop("")]
        return kind(**{key: _noun(inner) for key, inner in value.items()})
    return tuple(_noun(item) for item in value) if isinstance(value, list) else value
