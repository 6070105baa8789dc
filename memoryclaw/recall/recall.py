"""Recall: ranks as a search does, then packs what fits into the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from memoryclaw.model import NOTHING, PROJECT, Answer, Match, Matched
from memoryclaw.recall.folding import PARTED
from memoryclaw.recall.packing import Pack
from memoryclaw.recall.pasted import OwnText
from memoryclaw.recall.rank import Ranked, Ranking
from memoryclaw.recall.relevance import of_work, only_echoes, relevance_of
from memoryclaw.recall.restated import LINES
from memoryclaw.recall.search import CHUNK, Searcher, folding_of, marked
from memoryclaw.recall.sequels import followed
from memoryclaw.text.fillers import is_filler
from memoryclaw.text.prompts import mark_of
from memoryclaw.vault.validity import canonical_scope

WORKING_SHARE = 0.33  # of the budget: the most that the session's working memory takes
# of the best score: what answers so well comes before what is due soon, and what is weaker after it
ANSWERS = 0.2
UPCOMING = 0.15  # of the budget: the most that what is due soon takes
IDLE = 200  # characters: a longer turn was meant to say something
UNVOUCHED = 2  # notes for which nobody vouches that may stand before what a person wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled(Answer):
    """An answer packed into a budget, ready to be pasted into a prompt."""

    context: str = ""
    tokens: int = 0
    budget: int = 0
    aside: int = 0  # tokens of what is due soon and answers nothing, and of what holds in the project
    receipt: str = ""
    sent: Mapping[str, str] = field(default_factory=dict)  # the digest of what is quoted of each match, by id


def recall(
    searcher: Searcher,
    text: str,
    *,
    goal: str,
    session: str,
    budget: int,
    max_results: int,
    working: Callable[[int, bool], list[str]] | None = None,
    seen: Mapping[str, AbstractSet[str]] = NOTHING,
    begins: bool = False,
    floor: bool = True,
    project: str = "",
    own: OwnText = lambda text, _speaker: text,
    ranking: Ranking | None = None,
) -> Recalled:
    """Answers a question with a context of at most `budget` tokens.

    The words of `goal`, what the agent is working on, help to rank. Turns of the running `session` are left out: the host still
    shows them; what is untrusted, and a skill that is not approved, are left out whatever is asked. What the session is working on stands first:
    `working` gives its lines for a share of the budget, and whether they stand there alone. What it has `seen` (digests of texts, by id) the host still shows as well. What holds in
    another `project` than the one that is worked in is left out; where that is not known, nothing is.
    Where nothing in the vault is about the question, nothing is said, unless there is no `floor`: only what holds in the project and shares a word with the
    work and, where a session `begins`, what is due soon.
    What of a turn is not its speaker's `own` is marked as pasted. `ranking`, where the question was searched for already.
    """
    with searcher.reading():
        ranking = ranking or searcher.find(text, goal=goal, newest=True, project=project)
        waiting, refused = _waiting(searcher, ranking, session, project)
        best = [hit for hit in waiting if hit.score or ranking.question.latest]
        best = [] if only_echoes(ranking, best, searcher.units) else best
        relevance = relevance_of(ranking, best)
        speaks = relevance.passes or not floor
        if speaks and (later := followed(searcher, ranking, best)) is not ranking:
            ranking = later
            waiting, refused = _waiting(searcher, ranking, session, project)
        head = working(int(budget * WORKING_SHARE), not speaks) if working else []
        pack = Pack(budget, max_results, head, seen, own)
        if speaks:
            matches, packed, aside = _pack(searcher, ranking, waiting, pack)
        else:
            soon = set(ranking.evidence.upcoming) if begins else set()
            alone = [hit._replace(score=0.0) for hit in waiting if hit.unit.rowid in soon]
            alone += [
                hit for hit in of_work(ranking, waiting, searcher.own_keys()) if hit.unit.rowid not in soon
            ]
            working_memory = pack.tokens()
            matches, packed, _ = _pack(searcher, ranking, alone, pack)
            aside = pack.tokens() - working_memory
            packed = dict.fromkeys((hit.unit.rowid for hit in waiting), "irrelevant") | packed
        answer = searcher.answer(text, ranking, matches, refused | packed, relevance)
    return Recalled(
        **answer, context=pack.context(), tokens=pack.tokens(), budget=budget, aside=aside, sent=pack.sent()
    )


def _waiting(
    searcher: Searcher, ranking: Ranking, session: str, project: str
) -> tuple[list[Ranked], dict[int, str]]:
    """What may be in the context, in rank order, and why the rest may not."""
    open_, refused = ranking.open, dict[int, str]()
    episodes = {hit.unit.path for hit in open_ if hit.unit.kind == "episode" and hit.score}
    running, own = f"log:{session}/", canonical_scope(f"{PROJECT}{project}")
    unapproved = searcher.unapproved_units(open_)
    for unit in (hit.unit for hit in open_):
        if unit.rowid in unapproved:
            # A draft keeps its reason even where the question asks for drafts: a prompt gets only what a person approved.
            refused[unit.rowid] = "not_approved" if unit.state == "current" else unit.state
        elif unit.trust == "untrusted":  # a search finds it, and nothing brings it into a prompt by itself
            refused[unit.rowid] = "untrusted"
        elif own and unit.scope.startswith(PROJECT) and unit.scope != own:
            refused[unit.rowid] = "other_project"
        elif session and unit.id.startswith(running):  # the host still shows it
            refused[unit.rowid] = "already_visible"
        elif unit.kind == "todo" and not unit.days and unit.path in episodes:  # that tell it among the rest
            refused[unit.rowid] = "duplicate"
    return _put_vouched_first([hit for hit in open_ if hit.unit.rowid not in refused]), refused


def _put_vouched_first(waiting: Sequence[Ranked]) -> list[Ranked]:
    """In rank order, but that after the first `UNVOUCHED` notes for which nobody vouches, further ones wait for all else."""
    unvouched = [hit for hit in waiting if hit.unit.kind in PARTED and hit.unit.trust != "trusted"]
    late = {hit.unit.rowid for hit in unvouched[UNVOUCHED:]}
    return sorted(waiting, key=lambda ranked: ranked.unit.rowid in late)


def _pack(
    searcher: Searcher, ranking: Ranking, waiting: Sequence[Ranked], pack: Pack
) -> tuple[list[Match], dict[int, str], int]:
    """What the pack took in, in rank order, the decision on every unit, and the tokens of what is due soon and answers nothing."""
    offering = _Offering(searcher, ranking, waiting, pack)
    decisions = offering.decisions
    soon = [hit for rowid in ranking.evidence.upcoming for hit in waiting if hit.unit.rowid == rowid]
    only_soon = {hit.unit.rowid for hit in soon if not hit.score}
    decisions.update(dict.fromkeys(only_soon, "weak"))
    matching = [hit for hit in waiting if hit.unit.rowid not in only_soon]
    least = ANSWERS * max((hit.score for hit in matching), default=0.0) if soon else 0.0
    weaker = {hit.unit.rowid: hit for hit in matching if hit.score < least}
    offering.offer(offering.by_worth([hit for hit in matching if hit.unit.rowid not in weaker]))
    decisions.update(dict.fromkeys(weaker, "weak"))
    soon = [hit for hit in soon if decisions[hit.unit.rowid] == "weak"]
    pack.fill(UPCOMING)
    taken_before, tokens_before = len(offering.taken), pack.tokens()
    offering.offer(soon)
    offering.taken[taken_before:] = [(hit, _due(match)) for hit, match in offering.taken[taken_before:]]
    aside = pack.tokens() - tokens_before
    due = {hit.unit.rowid for hit in soon}
    offering.offer([hit for rowid, hit in weaker.items() if rowid not in due])
    crowded_out = {hit.unit.rowid for hit in soon if decisions[hit.unit.rowid] == "budget"}
    pack.fill()
    newest = [hit for hit in waiting if hit.unit.rowid in ranking.evidence.newest]
    offering.offer(
        [hit for hit in newest if decisions[hit.unit.rowid] == "weak" or hit.unit.rowid in crowded_out]
    )
    decisions.update((rowid, "upcoming") for rowid in sorted(crowded_out) if decisions[rowid] == "budget")
    pack.settle()
    pack.extend()
    costs = pack.costs()
    packed: list[tuple[int, Match]] = []
    ranks = {hit.unit.rowid: place for place, hit in enumerate(ranking.units)}
    for number, (hit, match) in enumerate(offering.taken):
        if number not in costs:
            decisions[hit.unit.rowid] = "duplicate"
        else:
            marked = offering.folding.marked(hit.unit, match._replace(tokens=costs[number]))
            packed.append((ranks[hit.unit.rowid], marked))
    return [match for _, match in sorted(packed, key=lambda pair: pair[0])], decisions, aside


def _due(match: Match) -> Match:
    """What is due within a week and answers nothing that was asked: its day is why it is there."""
    cause = Matched(word=match.unit.days, field="date", via="upcoming")
    if not match.score:  # whatever words it holds, they bring nothing
        match = match._replace(matched=(), terms=())
    return match._replace(matched=(*match.matched, cause))


class _Offering:
    """Offers units to a pack in rank order; only what has a chance is explained."""

    def __init__(self, searcher: Searcher, ranking: Ranking, waiting: Sequence[Ranked], pack: Pack) -> None:
        self._searcher = searcher
        self._found = ranking
        self._pack = pack
        best = waiting[:LINES]
        self._best = searcher.units(best)
        self._verdicts = searcher.verdicts(ranking, best, self._best)
        self.folding = folding_of(ranking)
        self.decisions: dict[int, str] = {}
        self.taken: list[tuple[Ranked, Match]] = []

    def by_worth(self, hits: Sequence[Ranked]) -> list[Ranked]:
        """The best, and behind it the others by what they are worth beside each other; in rank order those that are hardly reached."""
        near = [hit for hit in hits[1:] if hit.unit.rowid in self._best]
        near.sort(key=lambda hit: -self._pack.worth(self._best[hit.unit.rowid], hit.score))
        return [*hits[:1], *near, *(hit for hit in hits[1:] if hit.unit.rowid not in self._best)]

    def offer(self, waiting: Iterable[Ranked]) -> None:
        """Takes in what may be taken and fits; there is a decision on each unit afterwards."""
        remaining = iter(waiting)
        decisions, pack = self.decisions, self._pack
        while chunk := self._next_chunk(remaining):
            unread = [ranked for ranked in chunk if ranked.unit.rowid not in self._best]
            units = self._best | (self._searcher.units(unread) if unread else {})
            # The turns that say nothing by themselves, unless they answer a question.
            is_stop = self._found.question.language.is_stop
            idle = [
                ranked.unit
                for ranked in chunk
                if ranked.unit.kind == "turn"
                and len(units[ranked.unit.rowid].text) <= IDLE
                and is_filler(units[ranked.unit.rowid].text, is_stop=is_stop)
            ]
            before = {(unit.rowid, unit.path) for unit in self._searcher.before(idle) if unit.asks}
            empty = {unit.rowid for unit in idle if (unit.rowid - 1, unit.path) not in before}
            conflicts = self._searcher.conflicts(chunk, self._verdicts)
            superseded = self._searcher.superseded(chunk, units, self._verdicts)
            pack.marks.update((id_, mark_of(ids, ())) for id_, ids in conflicts.items())
            pack.marks.update((id_, mark_of((), superseding)) for id_, superseding in superseded.items())
            for id_, reason in self._searcher.overdue(chunk, units).items():
                pack.marks[id_] = f"{pack.marks.get(id_, '')} ({reason})".strip()
            for ranked in chunk:
                rowid, unit = ranked.unit.rowid, units[ranked.unit.rowid]
                decisions[rowid] = "empty" if rowid in empty else pack.match_refusal(unit, ranked.score)
            hopeful = [ranked for ranked in chunk if not decisions[ranked.unit.rowid]]
            for reading in self._searcher.readings(self._found, hopeful, units):
                ranked, unit, surfaces = reading.hit, reading.unit, reading.surfaces
                words = self._searcher.body(ranked)
                reason = self.folding.reason(ranked.unit, words) or pack.offer(unit, ranked.score, surfaces)
                decisions[ranked.unit.rowid] = reason
                if reason == "in":
                    self.folding.show(ranked.unit, words)
                    match = self._searcher.match(self._found, reading)
                    self.taken.append((ranked, marked(match, conflicts, superseded)))

    def _next_chunk(self, waiting: Iterator[Ranked]) -> list[Ranked]:
        """The next `CHUNK` units that the pack may still take; those before that it may not are refused."""
        chunk: list[Ranked] = []
        for ranked in waiting:
            self.decisions[ranked.unit.rowid] = reason = self._pack.refusal(ranked.unit.kind, ranked.score)
            if not reason:
                chunk.append(ranked)
                if len(chunk) == CHUNK:
                    break
        return chunk
