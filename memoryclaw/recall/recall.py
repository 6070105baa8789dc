"""Recall: search, then pack what fits into the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memoryclaw.model import Match, Recalled
from memoryclaw.recall.candidates import Candidate
from memoryclaw.recall.packing import Pack
from memoryclaw.recall.search import Ranking, Searcher, answer_fields

WORKING_SHARE = 0.33  # of the budget: the most that the session's working memory takes
CHUNK = 12  # candidates looked at together; those that have a chance are explained


def recall(
    searcher: Searcher,
    text: str,
    *,
    goal: str,
    session: str,
    budget: int,
    max_results: int,
    working: Callable[[int], list[str]] | None = None,
) -> Recalled:
    """Answers a question with a context of at most `budget` tokens.

    The words of `goal`, what the agent is at, help to rank. Turns of the running `session` are left out: the host still
    shows them; a skill that is not approved is left out whatever is asked. What the session is working on stands first:
    `working` gives its lines for a share of the budget.
    """
    head = working(int(budget * WORKING_SHARE)) if working else []
    pack = Pack(budget, max_results, head)
    with searcher.reading():
        found = searcher.find(text, goal=goal)
        _leave_visible(found, session)
        _leave_unapproved(searcher, found)
        matches = _packed(searcher, found, pack)
        answered = answer_fields(text, searcher, found, matches)
    return Recalled(**answered, context=pack.context(), tokens=pack.tokens(), budget=budget)


def _leave_visible(found: Ranking, session: str) -> None:
    for candidate in found.candidates:
        if session and not candidate.decision and candidate.brief.id.startswith(f"log:{session}/"):
            candidate.decision = "already_visible"


def _leave_unapproved(searcher: Searcher, found: Ranking) -> None:
    """A draft keeps its reason even where the question asks for drafts: a prompt gets only what a person said yes to."""
    undecided = [candidate for candidate in found.candidates if not candidate.decision]
    for candidate in searcher.unapproved(undecided):
        state = candidate.brief.state
        candidate.decision = "not_approved" if state == "current" else state


def _packed(searcher: Searcher, found: Ranking, pack: Pack) -> list[Match]:
    waiting = iter([candidate for candidate in found.candidates if not candidate.decision])
    taken: list[Match] = []
    while chunk := _next(waiting, pack):
        units = searcher.units(chunk)
        for candidate in chunk:
            candidate.decision = pack.turned_down(units[candidate.brief.rowid], candidate.score)
        hopeful = [candidate for candidate in chunk if not candidate.decision]
        for candidate, match in zip(hopeful, searcher.matches(found, hopeful), strict=True):
            candidate.decision, tokens = pack.offer(match.unit, match.score, match.surfaces)
            if candidate.decision == "in":
                taken.append(match._replace(tokens=tokens))
    return taken


def _next(waiting: Iterator[Candidate], pack: Pack) -> list[Candidate]:
    """The next `CHUNK` candidates that the pack may still take; those before that it may not are refused."""
    chunk: list[Candidate] = []
    for candidate in waiting:
        candidate.decision = pack.refused(candidate.brief.kind, candidate.score)
        if not candidate.decision:
            chunk.append(candidate)
            if len(chunk) == CHUNK:
                break
    return chunk
