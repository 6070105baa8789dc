"""Scores candidates: what their words gave, what the conversation lends them, and every boost; and decides on them."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.index.bm25 import CALLED, SMALL, exact
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.rows import around
from memoryclaw.ports import Clause, TextIndex
from memoryclaw.recall.boosts import Boost, QuestionTraits, UnitTraits, boosts, recency, said
from memoryclaw.recall.candidates import Candidate
from memoryclaw.recall.exclusions import Decider
from memoryclaw.recall.question import Question
from memoryclaw.vault.entities import key_of


def weigh(candidates: Sequence[Candidate], asked: QuestionTraits, decider: Decider) -> None:
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


def _boosts(candidate: Candidate, asked: QuestionTraits, decider: Decider) -> list[Boost]:
    brief = candidate.brief
    asked_field = brief.entity_key in asked.entities and decider.names_field(brief.field)
    traits = UnitTraits(
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


# ── Who takes part in the conversations that a question about people may be answered from.


def in_company(
    candidates: Sequence[Candidate],
    question: Question,
    asked: QuestionTraits,
    catalog: Catalog,
    engine: TextIndex,
) -> QuestionTraits:
    """What is asked, with the logs in which a person asked about speaks; in turns their names count for less from here on."""
    turns = [candidate for candidate in candidates if candidate.brief.kind == "turn"]
    if not asked.people or not turns:
        return asked
    speaking = catalog.speaking(list(asked.people), {turn.brief.path for turn in turns})
    if asked.units >= SMALL:
        _discount(turns, question, {key for key, _ in speaking}, engine)
    return asked._replace(company=frozenset(path for _, path in speaking))


def _discount(turns: Sequence[Candidate], question: Question, speakers: set[str], engine: TextIndex) -> None:
    """Whoever speaks is seldom named by their own turns, and often by those who only greet them."""
    names = {part for key in speakers for part in key.split()}
    question.called = {leaf.word for leaf in question.leaves if key_of(leaf.word) in names}
    leaves = [leaf for leaf in question.leaves if leaf.word in question.called]
    if not leaves or len(leaves) == len(question.leaves) or not question.in_words:
        question.called = set()
        return
    by_rowid = {turn.brief.rowid: turn for turn in turns if turn.text}
    clause = Clause("any", parts=tuple(leaf.clause for leaf in leaves))
    for hit in engine.find(clause, max(len(by_rowid), 1), list(by_rowid)):
        turn = by_rowid[hit.rowid]
        turn.text = exact(max(turn.text - (1 - CALLED) * hit.score, 0.0))
