"""The commit messages of consolidation. The rule: words of a log stay on lines of their own and never look like a trailer."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from memoryclaw.adapters.templates import Templates
from memoryclaw.core.consolidation.changes import AddPending, ChangeSet, PlannedChange, SetFact
from memoryclaw.core.consolidation.proposals import proposal
from memoryclaw.core.consolidation.runrecord import record_path

PROPOSALS = frozenset({"pending", "skill"})  # kinds that are proposals already
_QUOTES, _RANGES = 12, 20
_NAMES = {
    "episode": ("episode", "episodes"),
    "fact": ("fact", "facts"),
    "waiting": ("waiting fact", "waiting facts"),
    "skill": ("skill draft", "skill drafts"),
    "merge": ("merge", "merges"),
    "proposal": ("proposal", "proposals"),
}


class Teller(NamedTuple):
    """Words the messages of one run."""

    templates: Templates
    run: str

    def change(self, change: PlannedChange) -> str:
        """The message of a change: its title, what was said, where it comes from."""
        return self.templates.commit_message(
            "consolidate-change",
            title=change.title,
            evidence=change.evidence[:_QUOTES],
            run=self.run,
            source=change.source,
            confidence=change.confidence,
        )

    def proposal(self, change: PlannedChange) -> str:
        """The message of the commit of a proposal."""
        return self.templates.commit_message(
            "consolidate-proposal",
            title=change.title,
            reason=change.reason.rstrip("."),
            id=proposal(change, self.run)[0].rpartition("/")[2].removesuffix(".md"),
            run=self.run,
            source=change.source,
            confidence=change.confidence,
        )

    def record(self, changes: ChangeSet, mode: str) -> str:
        """The message of the last commit of a run."""
        more = len(changes.ranges) - _RANGES
        source = [*changes.ranges[:_RANGES], *([f"and {more} more"] if more > 0 else [])]
        return self.templates.commit_message(
            "consolidate-record",
            turns=changes.turns,
            made=made(changes, mode),
            path=record_path(self.run),
            run=self.run,
            source=" ".join(source),
        )


def waits(change: PlannedChange, mode: str) -> bool:
    """True when a change is proposed and not done."""
    return bool(change.reason) or (mode == "propose" and change.kind not in PROPOSALS)


def made(changes: ChangeSet, mode: str) -> str:
    """`2 episodes, 3 facts`: what a change set comes to."""
    counts: Counter[str] = Counter()
    for change in changes.changes:
        if waits(change, mode):
            counts["proposal"] += 1
            continue
        counts[change.kind] += change.kind not in {"fact", "pending"}
        counts["fact"] += sum(isinstance(action, SetFact) for action in change.actions)
        counts["waiting"] += sum(isinstance(action, AddPending) for action in change.actions)
    told = [f"{counts[kind]} {name[counts[kind] != 1]}" for kind, name in _NAMES.items() if counts[kind]]
    return ", ".join(told) or "nothing to keep"
