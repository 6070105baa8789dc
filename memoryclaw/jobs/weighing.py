"""Scores candidates: what their words gave, what the conversation lends them, and every boost; and decides on them."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.core.boosts import Asked, Boost, Traits, boosts, recency, said
from memoryclaw.core.conversation import around
from memoryclaw.jobs.candidates import Candidate
from memoryclaw.jobs.deciding import Decider


def weigh(candidates: Sequence[Candidate], asked: Asked, decider: Decider) -> None:
    """Gives every candidate its boosts, its score and its decision."""
    _lend([candidate for candidate in candidates if candidate.brief.kind == "turn"])
    plain = asked.names_nothing
    for candidate in candidates:
        brief, base = candidate.brief, candidate.base
        if plain and not brief.pinned:
            told = brief.told if asked.when else ""
            candidate.boosts = [
                *said(base, told, asks=bool(brief.asks), names=asked.name and bool(brief.names)),
                *recency(base, brief.at, asked.today),
            ]
        else:
            candidate.boosts = _boosts(candidate, asked, decider)
        candidate.score = base + sum([boost.term.value for boost in candidate.boosts])
        candidate.decision = decider.reason(brief)


def _lend(turns: Sequence[Candidate]) -> None:
    by_place = {(turn.brief.path, turn.brief.seq): turn for turn in turns}
    loans = around({place: turn.own + turn.vector for place, turn in by_place.items()})
    for place, loan in loans.items():
        turn = by_place[place]
        if turn.brief.trust != "untrusted":  # what a tool brought in rises by its own words alone
            turn.lent, turn.lender = loan.value, by_place[loan.by].brief.id


def _boosts(candidate: Candidate, asked: Asked, decider: Decider) -> list[Boost]:
    brief = candidate.brief
    asked_field = brief.entity_key in asked.entities and decider.names_field(brief.field)
    traits = Traits(
        kind=brief.kind,
        at=brief.at,
        until=brief.until,
        entity_key=brief.entity_key,
        pinned=bool(brief.pinned),
        asked_field=asked_field,
        asks=bool(brief.asks),
        told=brief.told,
        means=(brief.means_from, brief.means_to),
        names=bool(brief.names),
        absent=bool(asked.company) and brief.path not in asked.company,
    )
    return boosts(candidate.base, traits, asked)
