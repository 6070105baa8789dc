"""What is to be remembered when a change is taken back, so that it stays taken back. Pure: texts and decisions in, decisions out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memoryclaw.core.consolidation.decisions import APPROVED, UNDONE, Decision, Decisions, fingerprint
from memoryclaw.core.factsheet import SemanticFile


def facts_that_came(file: SemanticFile, before: str, after: str) -> Iterator[str]:
    """The fingerprints of the facts that hold after a change of a semantic file and did not before it."""
    old = Counter(_key(file, before))
    for key, count in Counter(_key(file, after)).items():
        if count > old[key]:
            yield fingerprint("fact", *key)


def restored(before: str, after: str, now: str, *, at: str, by: str) -> Iterator[Decision]:
    """The decisions that put things back as they were decided before a change of the decisions file.

    A decision that a later one has outweighed since is left alone.

    Args:
        before: the decisions before the change that is taken back.
        after: the decisions after it.
        now: the decisions as they are.
        at: the moment.
        by: who takes it back.
    """
    old, made = Decisions.read(before).all, Decisions.read(after).all
    current = Decisions.read(now).all
    for decision in made[len(old) :]:
        key = _known_by(decision)
        if not any(key):
            yield _other(decision)._replace(at=at, by=by)
        elif _latest(current, key) == decision:
            was = _latest(old, key)
            yield (was or _other(decision))._replace(at=at, by=by)


def _key(file: SemanticFile, text: str) -> list[tuple[str, str, str]]:
    return [(fact.entity, fact.field, fact.value) for fact in file.facts(text).facts if fact.current]


def _known_by(decision: Decision) -> tuple[str, str]:
    return decision.fingerprint, decision.digest


def _latest(decisions: tuple[Decision, ...], key: tuple[str, str]) -> Decision | None:
    return next((decision for decision in reversed(decisions) if _known_by(decision) == key), None)


def _other(decision: Decision) -> Decision:
    return decision._replace(decision=APPROVED if decision.decision == UNDONE else UNDONE)
