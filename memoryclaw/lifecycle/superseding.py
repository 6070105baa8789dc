"""Conflicts that a rule decides, because the schema says so of their field: trust, then explicitness, then date. Any other waits for a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memoryclaw.consolidation.actions import Action, EndFact, Stands
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.lifecycle.conflict_decisions import KIND, side_in_words, standing_conflicts
from memoryclaw.lifecycle.keeping import UpkeepContext, resting
from memoryclaw.model import TRUSTS, Fact
from memoryclaw.ports import Lookup
from memoryclaw.vault.conflict_rules import Conflict
from memoryclaw.vault.layout import SEMANTIC, place_of
from memoryclaw.writing.context import fact_in_words

_TALK = frozenset({"episode", "turn", "log"})  # kinds of sources from which facts are inferred


class _Standing(NamedTuple):
    """How much one value has for it, the strongest of its lines."""

    trust: int
    explicit: bool
    since: str

    def beats(self, other: _Standing) -> str:
        """The rule by which it holds rather than another, as a sentence; empty where no rule says so."""
        if self.trust != other.trust:
            return "what is trusted more holds" if self.trust > other.trust else ""
        if self.explicit != other.explicit:
            return (
                "what a person wrote holds rather than what was inferred from talk" if self.explicit else ""
            )
        dated = bool(self.since and other.since)
        return "the later one holds" if dated and self.since > other.since else ""


def superseding(context: UpkeepContext) -> Iterator[PlannedChange]:
    """The conflicts that are decided now. A property of a note is a person's line, and is never changed by a rule."""
    writing = context.writing
    for conflict in standing_conflicts(writing):
        if not conflict.supersede:
            continue
        strength = [max(_strength(writing.lookup, fact) for _, fact in side) for side in conflict.sides]
        for number, (side, own_strength) in enumerate(zip(conflict.sides, strength, strict=True)):
            rules = [own_strength.beats(rival) for n, rival in enumerate(strength) if n != number]
            value = side[0][1].value
            if all(rules) and all(place_of(path) == SEMANTIC for path, _ in conflict.against(value)):
                yield from _decision(context, conflict, value, list(dict.fromkeys(rules)))


def _strength(lookup: Lookup, fact: Fact) -> _Standing:
    source = lookup.resolve(fact.source) if fact.source else None
    inferred = source is not None and source.kind in _TALK
    return _Standing(-TRUSTS.index(fact.trust), not inferred, fact.since[:10])


def _decision(
    context: UpkeepContext, conflict: Conflict, value: str, rules: list[str]
) -> Iterator[PlannedChange]:
    ended = conflict.against(value)
    others = " or ".join(dict.fromkeys(fact.value for _, fact in ended))
    reason = f"{conflict.field} may be superseded by rule (semantic/_schema.yaml): {', and '.join(rules)}"
    path, holds = next(side[0] for side in conflict.sides if side[0][1].value == value)
    actions: list[Action] = [Stands(path, holds.entity, holds.field, value)]
    actions += [
        EndFact(path, fact.entity, fact.field, fact.value, context.writing.today) for path, fact in ended
    ]
    bound = [one for action in actions if (one := resting(context, action))]
    if len(bound) == len(actions):
        yield PlannedChange(
            KIND,
            f"{fact_in_words(conflict.entity, conflict.field, value)} (was {others})",
            tuple(bound),
            (reason, *(side_in_words(side, conflict.entity) for side in conflict.sides)),
        )
