"""Recall: ranks as a search does, then packs what fits into the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from memoryclaw.model import Match, Recalled
from memoryclaw.recall.packing import Pack
from memoryclaw.recall.rank import Ranked, Ranking
from memoryclaw.recall.search import Searcher

WORKING_SHARE = 0.33  # of the budget: the most that the session's working memory takes
CHUNK = 12  # units looked at together; those that have a chance are explained


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

    The words of `goal`, what the agent is working on, help to rank. Turns of the running `session` are left out: the host still
    shows them; what is untrusted, and a skill that is not approved, are left out whatever is asked. What the session is working on stands first:
    `working` gives its lines for a share of the budget.
    """
    head = working(int(budget * WORKING_SHARE)) if working else []
    pack = Pack(budget, max_results, head)
    with searcher.reading():
        found = searcher.find(text, goal=goal, newest=True)
        open_ = found.open
        refused = _visible(open_, session) | _untrusted(open_) | _unapproved(searcher, open_)
        waiting = [one for one in open_ if one.unit.rowid not in refused]
        matches, packed = _packed(searcher, found, waiting, pack)
        answer = searcher.answer(text, found, matches, refused | packed)
    return Recalled(**answer, context=pack.context(), tokens=pack.tokens(), budget=budget)


def _visible(open_: Sequence[Ranked], session: str) -> dict[int, str]:
    """The turns that the host still shows."""
    if not session:
        return {}
    running = f"log:{session}/"
    return {one.unit.rowid: "already_visible" for one in open_ if one.unit.id.startswith(running)}


def _untrusted(open_: Sequence[Ranked]) -> dict[int, str]:
    """What a tool or a web page said: a search finds it, and nothing brings it into a prompt by itself."""
    return {one.unit.rowid: "untrusted" for one in open_ if one.unit.trust == "untrusted"}


def _unapproved(searcher: Searcher, open_: Sequence[Ranked]) -> dict[int, str]:
    """A draft keeps its reason even where the question asks for drafts: a prompt gets only what a person approved."""
    states = {one.unit.rowid: one.unit.state for one in open_}
    doubtful = searcher.unapproved(open_)
    return {rowid: "not_approved" if states[rowid] == "current" else states[rowid] for rowid in doubtful}


def _packed(
    searcher: Searcher, found: Ranking, waiting: Sequence[Ranked], pack: Pack
) -> tuple[list[Match], dict[int, str]]:
    """What the pack took in, in rank order, and the decision on every unit: the room that the matches leave goes to what is newest."""
    decisions: dict[int, str] = {}
    taken = list(_offered(searcher, found, waiting, pack, decisions))
    pack.fill()
    newest = [one for one in waiting if one.unit.rowid in found.evidence.newest]
    weak = [one for one in newest if decisions[one.unit.rowid] == "weak"]
    taken += _offered(searcher, found, weak, pack, decisions)
    gained = pack.extend()
    return [one._replace(tokens=one.tokens + gained.get(n, 0)) for n, one in enumerate(taken)], decisions


def _offered(
    searcher: Searcher, found: Ranking, waiting: Iterable[Ranked], pack: Pack, decisions: dict[int, str]
) -> Iterator[Match]:
    """What the pack takes of units that are offered in rank order; only what has a chance is explained."""
    left = iter(waiting)
    while chunk := _next(left, pack, decisions):
        units = searcher.units(chunk)
        hopeful = []
        for one in chunk:
            decisions[one.unit.rowid] = reason = pack.turned_down(units[one.unit.rowid], one.score)
            hopeful += [] if reason else [one]
        for one, match in zip(hopeful, searcher.matches(found, hopeful), strict=True):
            decisions[one.unit.rowid], tokens = pack.offer(match.unit, match.score, match.surfaces)
            if decisions[one.unit.rowid] == "in":
                yield match._replace(tokens=tokens)


def _next(waiting: Iterator[Ranked], pack: Pack, decisions: dict[int, str]) -> list[Ranked]:
    """The next `CHUNK` units that the pack may still take; those before that it may not are refused."""
    chunk: list[Ranked] = []
    for one in waiting:
        decisions[one.unit.rowid] = reason = pack.refused(one.unit.kind, one.score)
        if not reason:
            chunk.append(one)
            if len(chunk) == CHUNK:
                break
    return chunk
