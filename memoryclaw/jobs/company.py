"""Who takes part in the conversations that a question about people may be answered from.

The rule: a person who speaks in no log among the candidates changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.adapters.catalog import Catalog
from memoryclaw.core.boosts import Asked
from memoryclaw.core.entities import key_of
from memoryclaw.core.ports import Clause, TextIndex
from memoryclaw.core.scoring import CALLED, SMALL, exact
from memoryclaw.jobs.asking import Question
from memoryclaw.jobs.candidates import Candidate


def in_company(
    candidates: Sequence[Candidate], question: Question, asked: Asked, catalog: Catalog, engine: TextIndex
) -> Asked:
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
