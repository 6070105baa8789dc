"""`review/decisions.jsonl`: what people decided, one JSON object a line. It holds fingerprints and digests, and no content but reasons.

A line that came with a clone or from another machine may only narrow: what it would permit is a proposal until this person permits it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.text.encoding import decode, json_object, texts_in
from memoryclaw.text.language import fold
from memoryclaw.vault import files
from memoryclaw.vault.forgotten import REVIVED, standing_marks
from memoryclaw.vault.layout import DECISIONS_FILE
from memoryclaw.vault.logs import LogRange, parse_ranges
from memoryclaw.vault.permissions import NOBODYS, Permissions, line_digest, permission, permissions

if TYPE_CHECKING:
    from memoryclaw.writing.writer import Edit

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

    @property
    def widens(self) -> bool:
        """True for a decision that makes something act, or be seen, that did not before."""
        return self.decision in (APPROVED, REVIVED)

    def line(self) -> str:
        """The decision as a line of the file; empty values are left out."""
        values = {key: value for key, value in self._asdict().items() if value}
        return json.dumps(values, ensure_ascii=False) + "\n"


class Decisions:
    """All decisions of a vault; a later one of the same thing outweighs an earlier one.

    Args:
        forgotten: the marks of lines that are left out of every answer.
        foreign: the places of those that would widen something, and that this person did not take on this machine.
        withdrawn: digests of files of skills that this person said no to last.
        proposals: the foreign ones that would change something.
    """

    def __init__(
        self,
        decisions: Iterable[Decision] = (),
        forgotten: frozenset[str] = frozenset(),
        foreign: Collection[int] = (),
        withdrawn: Collection[str] = (),
        proposals: Sequence[Decision] = (),
    ) -> None:
        self.all = tuple(decisions)
        self.counting = tuple(d for place, d in enumerate(self.all) if place not in foreign)
        self.forgotten, self.proposals = forgotten, tuple(proposals)
        self._latest = {d.fingerprint: d for d in self.all if d.fingerprint}
        self._standing = dict[str, Decision]()
        for d in self.counting:
            earlier = self._standing.get(d.fingerprint)
            # A no is outweighed by what was said later, and not by what was put behind it.
            if d.fingerprint and not (earlier and not earlier.widens and earlier.at > d.at):
                self._standing[d.fingerprint] = d
        self._withdrawn = withdrawn

    @classmethod
    def read(cls, text: str, permitted: Permissions = NOBODYS) -> Decisions:
        """The decisions of a file, and what of them this person permitted; a line that is none is passed over."""
        read = [(decision, line_digest(line)) for line in text.splitlines() if (decision := _read(line))]
        decisions = [decision for decision, _ in read]
        counted = permitted.permits([digest for _, digest in read])
        foreign = {place for place, d in enumerate(decisions) if d.widens and not counted[place]}
        forgotten = standing_marks(text, permitted)
        record = cls(decisions, forgotten, foreign, permitted.withdrawn)
        if foreign:
            pending = {
                place for place in foreign if line_digest(decisions[place].line()) not in permitted.declined
            }
            last, approved = {d.digest: d for d in record.all if d.digest}, record.approved_digests()
            allowed = standing_marks(text, None)

            def matters(d: Decision) -> bool:
                of_skill = last.get(d.digest) is d and d.digest not in approved
                refused = record.is_rejected(d.fingerprint) or record.is_undone(d.fingerprint)
                back = not record.forgotten.difference(allowed).isdisjoint(d.lines)
                return of_skill or (record._latest.get(d.fingerprint) is d and refused) or back

            moments = {(d.at, d.kind) for place in pending if matters(d := record.all[place])}
            record.proposals = tuple(
                (d for place, d in enumerate(record.all) if place in pending and (d.at, d.kind) in moments)
            )
        return record

    def of(self, fingerprint: str) -> Decision | None:
        """The latest decision of this fingerprint, whoever took it."""
        return self._latest.get(fingerprint)

    def is_rejected(self, fingerprint: str) -> bool:
        """True when a person said no to this, and this person not yes since."""
        standing = self._standing.get(fingerprint)
        return standing is not None and standing.decision == REJECTED

    def is_undone(self, fingerprint: str) -> bool:
        """True when a person took this back, and this person did not say yes since."""
        standing = self._standing.get(fingerprint)
        return standing is not None and standing.decision == UNDONE

    def approved_digests(self) -> frozenset[str]:
        """The digests of skill files that this person approved and nobody rejected since."""
        latest = {d.digest: d for d in self.counting if d.digest}
        approved = (digest for digest, d in latest.items() if d.decision == APPROVED)
        return frozenset(approved).difference(self._withdrawn)

    def ranges(self) -> list[LogRange]:
        """Every log range that a decision cites: it is done, whatever became of it."""
        return [range_ for d in self.all for text in d.ranges for range_ in parse_ranges(text)]


def fingerprint(kind: str, *parts: str) -> str:
    """What a proposal is known by again: 16 hex digits of its kind and its words, whatever their case and spaces."""
    text = "\0".join([kind, *(" ".join(fold(words).split()) for words in parts)])
    return late.hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def decisions_of(root: str) -> Decisions:
    """The decisions of a vault, and what of them this person permitted."""
    data = files.data_at(root, DECISIONS_FILE)
    return Decisions() if data is None else Decisions.read(decode(data).text, permissions(root))


def effects(line: str) -> set[tuple[str, ...]]:
    """What a line of the file narrows, apart from when, by whom and why; nothing where it widens or is no decision."""
    d = _read(line)
    if d is None or d.widens:
        return set()
    names = {"fingerprint": (d.fingerprint,), "digest": (d.digest,), "run": (d.run,), "commit": (d.commit,)}
    values = {**names, "lines": d.lines, "digests": d.digests, "ranges": d.ranges}
    return {(d.decision, d.kind, key, each) for key, several in values.items() for each in several if each}


def without_reason(line: str) -> str:
    """A line of the file without what a person said."""
    remaining = {key: value for key, value in json.loads(line).items() if key != "reason"}
    return json.dumps(remaining, ensure_ascii=False)


def _read(line: str) -> Decision | None:
    value = json_object(line)
    if not isinstance(value.get("decision"), str):
        return None
    texts = {key: value[key] for key in Decision._fields if isinstance(value.get(key), str)}
    lists = {key: texts_in(value.get(key)) for key in ("ranges", "lines", "digests")}
    return Decision(**{"at": "", "kind": "", **texts, **lists})


# Decisions on their way into `review/decisions.jsonl`: appended in the commit of what they decide, never changed again.


def record_edit(decisions: Sequence[Decision]) -> Edit:
    """The edit that appends these decisions, which this person takes."""
    from memoryclaw.vault.edits import line_end  # noqa: PLC0415 - a search reads decisions and makes none
    from memoryclaw.writing.writer import Edit, text_change  # noqa: PLC0415

    lines = "".join(decision.line() for decision in decisions)

    def append(text: str) -> str:
        open_ended = bool(text) and not text.endswith(("\n", "\r"))
        return text + (line_end(text) if open_ended else "") + lines

    return Edit(DECISIONS_FILE, text_change(append), permits=permits(decisions))


def permits(decisions: Sequence[Decision]) -> str:
    """What this person permits, or no longer does, by taking these decisions together."""
    widening = [d for d in decisions if d.widens]
    return permission(
        decisions[0].at if decisions else "",
        lines=[line_digest(d.line()) for d in widening],
        approved=[d.digest for d in widening if d.digest],
        refused=[d.digest for d in decisions if d.digest and not d.widens],
    )
