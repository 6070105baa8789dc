"""What search and recall answer, as values that every door can print."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from memoryclaw.model import LeftOut, Match


class Traced(NamedTuple):
    """One candidate of a trace: what it scored and the one decision that was made of it."""

    id: str
    path: str
    score: float
    decision: str  # `in`, or the reason why it was left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A ranked, explained answer."""

    query: str
    matches: tuple[Match, ...]
    left_out: tuple[LeftOut, ...]
    trace: tuple[Traced, ...]
    confidence: float
    did_you_mean: dict[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    degraded: str = ""  # why the answer may be behind the files; empty when it is not
    behind: int = 0
    timings_ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled(Answer):
    """An answer packed into a budget, ready to be pasted into a prompt."""

    context: str = ""
    tokens: int = 0
    budget: int = 0
    receipt: str = ""
