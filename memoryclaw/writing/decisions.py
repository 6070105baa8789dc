"""`review/decisions.jsonl`: what people decided, one JSON object a line. It holds fingerprints and digests, and no content but reasons."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memoryclaw.text.language import fold
from memoryclaw.vault.edits import line_end
from memoryclaw.vault.forgotten import standing_marks
from memoryclaw.vault.layout import DECISIONS_FILE
from memoryclaw.vault.logs import LogRange, parse_ranges
from memoryclaw.writing.writer import Edit, text_change

APPROVED, REJECTED, UNDONE, PURGED = "approved", "rejected", "undone", "purged"


class Decision(NamedTuple):
    """One decision of a person."""

    at: str
    decision: str  # approved | rejected | undone | forgotten | revived | purged
    kind: str  # fact | conflict | episode | skill | merge | run | commit | lines
    fingerprint: str = ""
    digest: str = ""  # skills: of the approved file
    path: str = ""  # of a skill; of the note in the archive that forgotten lines are evidence of
    ranges: tuple[str, ...] = ()
    run: str = ""
    commit: str = ""
    by: str = ""
    lines: tuple[str, ...] = ()  # the marks of lines that are left out of every answer, or no longer are
    digests: tuple[str, ...] = ()  # keyed, of what was forgotten for good
    reason: str = ""  # that a person gave, in their own words

    def line(self) -> str:
        """The decision as a line of the file; empty values are left out."""
        values = {key: value for key, value in self._asdict().items() if value}
        return json.dumps(values, ensure_ascii=False) + "\n"


class Decisions:
    """All decisions of a vault; a later one of the same thing outweighs an earlier one."""

    def __init__(self, decisions: Iterable[Decision] = (), forgotten: frozenset[str] = frozenset()) -> None:
        self.all = tuple(decisions)
        self.forgotten = forgotten  # the marks of lines that are left out of every answer
        self._latest = {d.fingerprint: d for d in self.all if d.fingerprint}

    @classmethod
    def read(cls, text: str) -> Decisions:
        """The decisions of a file; a line that is none is passed over."""
        return cls((found for line in text.splitlines() if (found := _read(line))), standing_marks(text))

    def of(self, fingerprint: str) -> Decision | None:
        """The latest decision of this fingerprint."""
        return self._latest.get(fingerprint)

    def is_rejected(self, fingerprint: str) -> bool:
        """True when a person said no to this, and not yes since."""
        found = self._latest.get(fingerprint)
        return found is not None and found.decision == REJECTED

    def is_undone(self, fingerprint: str) -> bool:
        """True when a person took this back, and did not say yes since."""
        found = self._latest.get(fingerprint)
        return found is not None and found.decision == UNDONE

    def approved_digests(self) -> frozenset[str]:
        """The digests of skill files that are approved and not rejected since."""
        latest = {d.digest: d for d in self.all if d.digest}
        return frozenset(digest for digest, d in latest.items() if d.decision == APPROVED)

    def ranges(self) -> list[LogRange]:
        """Every log range that a decision cites: it is done, whatever became of it."""
        return [range_ for d in self.all for text in d.ranges for range_ in parse_ranges(text)]


def fingerprint(kind: str, *parts: str) -> str:
    """What a proposal is known by again: 16 hex digits of its kind and its words, whatever their case and spaces."""
    text = "\0".join([kind, *(" ".join(fold(part).split()) for part in parts)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _read(line: str) -> Decision | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("decision"), str):
        return None
    known = {key: value[key] for key in Decision._fields if isinstance(value.get(key), str)}
    lists = {key: _texts(value.get(key)) for key in ("ranges", "lines", "digests")}
    return Decision(**{"at": "", "kind": "", **known, **lists})


def _texts(value: object) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


# Decisions on their way into `review/decisions.jsonl`: appended in the commit of what they decide, never changed again.


def recorded(decisions: Sequence[Decision]) -> Edit:
    """The edit that appends these decisions."""
    lines = "".join(decision.line() for decision in decisions)

    def append(text: str) -> str:
        open_ended = bool(text) and not text.endswith(("\n", "\r"))
        return text + (line_end(text) if open_ended else "") + lines

    return Edit(DECISIONS_FILE, text_change(append))
