"""Finds what sessions did again and again, in order, and drafts skills of it. A draft that was refused is not proposed again in other words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

from memoryclaw.consolidation.changes import ToolSequence
from memoryclaw.consolidation.skill_drafts import Occurrence, Render, SkillDraft, name_of, propose
from memoryclaw.consolidation.tool_calls import Call, by_session, stretches
from memoryclaw.vault.logs import parse_ranges
from memoryclaw.writing.decisions import Decisions, fingerprint

PATTERN = 8  # steps that are looked for; what is longer grows from there
LONGEST = 20  # steps of a draft
ALIKE = 0.7  # of the shorter one's steps; two patterns that share so many, in order, are one skill

CallsOf = Callable[[str], Sequence[Call]]


def plan_skills(
    new: Sequence[ToolSequence],
    known: Sequence[ToolSequence],
    threshold: int,
    decisions: Decisions,
    *,
    existing: Collection[str],
    calls_of: CallsOf,
    render: Render,
) -> list[SkillDraft]:
    """Drafts for what at least `threshold` sessions did, one of the new ones among them.

    Args:
        new: what was done in the stretches that are consolidated now.
        known: what earlier runs saw done.
        threshold: how many different sessions make a skill.
        decisions: what was rejected or undone.
        existing: names and fingerprints of the skills and drafts that there are.
        calls_of: the calls in a range of a log; none where it is gone.
        render: gives the text of a template.
    """
    done = _by_time(stretches([*known, *new]))
    recent = {one.session for one in new}
    taken, calls_of = set(existing), cache(calls_of)
    drafts = []
    for items in _chosen(done, recent, threshold, lambda tools: _is_settled(tools, decisions, existing)):
        occurrences = [one for own in done.values() if (one := _occurrence(own, items, calls_of))]
        if len(occurrences) >= threshold and any(one.calls for one in occurrences):
            draft = propose(items, occurrences, render, _free(name_of(items), taken))
            taken.add(draft.name)
            drafts.append(draft)
    return drafts


def _chosen(
    done: Mapping[str, Sequence[ToolSequence]],
    recent: Collection[str],
    threshold: int,
    is_settled: Callable[[Items], bool],
) -> list[Items]:
    """Of patterns that are alike the longest, and of those the one with the least between its steps."""
    sequences = [[tool for tool, _ in _tools(own)] for own in done.values()]
    among = [place for place, session in enumerate(done) if session in recent]
    found = frequent(sequences, threshold, longest=PATTERN, among=among) if among else []
    different = list(dict.fromkeys(map(tuple, sequences)))
    chosen: list[Items] = []
    seen: list[Items] = []
    for pattern in sorted(found, key=_rank):
        items = _whole(pattern, different)
        if len(set(items)) < 2 or any(alike(items, other) for other in seen):
            continue
        seen.append(items)
        if not any(is_settled(part) for part in _nearly(items)):
            chosen.append(items)
    # A skill that is settled also stands for its parts, which the new sessions may have done alone.
    every = frequent(sequences, threshold, longest=PATTERN) if chosen else []
    settled = [items for pattern in every if is_settled(items := _whole(pattern, different))]
    return [items for items in chosen if not any(alike(items, other) for other in settled)]


def _rank(pattern: Pattern) -> tuple[int, float, int, Items]:
    return -len(pattern.items), pattern.span / pattern.support, -pattern.support, pattern.items


def _whole(pattern: Pattern, sequences: Sequence[Sequence[str]]) -> Items:
    """A pattern as long as they get, with the steps before and after it that the same sequences have."""
    items = pattern.items
    if len(items) < PATTERN:
        return items
    holding = [sequence for sequence in sequences if tightest(sequence, items)]
    while len(items) < LONGEST:
        around = dict.fromkeys(item for sequence in holding[:1] for item in _around(sequence, items))
        longer = ((*items, item) if after else (item, *items) for after, item in around)
        grown = next((one for one in longer if all(tightest(sequence, one) for sequence in holding)), None)
        if grown is None:
            break
        items = grown
    return items


def _around(sequence: Sequence[str], items: Items) -> Iterator[tuple[bool, str]]:
    """What stands next to the items, nearest first: (after them, item)."""
    places = tightest(sequence, items)
    for at in range(places[-1] + 1, min(places[-1] + GAP + 2, len(sequence))):
        yield True, sequence[at]
    for at in range(places[0] - 1, max(places[0] - GAP - 2, -1), -1):
        yield False, sequence[at]


def _by_time(done: Mapping[str, list[ToolSequence]]) -> dict[str, list[ToolSequence]]:
    """The sessions in the order of their logs, whichever run read them."""
    return dict(sorted(done.items(), key=lambda pair: ([one.range for one in pair[1]], pair[0])))


def _is_settled(tools: Items, decisions: Decisions, existing: Collection[str]) -> bool:
    known = fingerprint("skill", *tools)
    return known in existing or decisions.of(known) is not None


def _nearly(items: Items) -> Iterator[Items]:
    """The steps, and what is left without a few of them: a skill that is known under those is this one."""
    for length in range(len(items), 1, -1):
        if length >= ALIKE * len(items):
            yield from (tuple(part) for part in combinations(items, length))


def alike(one: Items, other: Items) -> bool:
    """True when the two share most steps of the shorter one, in the same order."""
    row = [0] * (len(other) + 1)
    for item in one:
        above = row[:]
        for at, theirs in enumerate(other, 1):
            row[at] = above[at - 1] + 1 if item == theirs else max(above[at], row[at - 1])
    return row[-1] >= ALIKE * min(len(one), len(other))


def _tools(own: Sequence[ToolSequence]) -> list[tuple[str, int]]:
    """The tools of a session in order, each with the place of its stretch; what goes on over an end was called once."""
    tools: list[tuple[str, int]] = []
    for place, one in enumerate(own):
        tools += [
            (tool, place) for at, tool in enumerate(one.tools) if at or not tools or tools[-1][0] != tool
        ]
    return tools


def _occurrence(own: Sequence[ToolSequence], items: Items, calls_of: CallsOf) -> Occurrence | None:
    """How one session took these steps, or None; the calls are left out where the log does not show them any more."""
    tools = _tools(own)
    places = tightest([tool for tool, _ in tools], items)
    if not places:
        return None
    ranges = [own[place].range for place in sorted({tools[at][1] for at in places})]
    calls = [call for text in ranges for call in _calls(text, own[0].session, calls_of)]
    found = tightest([call.tool for call in calls], items)
    return Occurrence(own[0].session, tuple(ranges), tuple(calls[place] for place in found))


def _calls(text: str, session: str, calls_of: CallsOf) -> list[Call]:
    return [
        call for range_ in parse_ranges(text) for call in by_session(calls_of(text), range_).get(session, [])
    ]


def _free(name: str, taken: Collection[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


# Repeated ordered sequences, by PrefixSpan: support is the number of sequences that hold a pattern, whatever stands
# between.

GAP = 2
STEPS = 400_000
LEVEL = 250

Items = tuple[str, ...]
# By sequence: each place where the pattern ends, and the latest place where it begins for that.
_Ends = dict[int, dict[int, int]]


class Pattern(NamedTuple):
    """Items in order, how many sequences hold them, and over how many places they stretch there at their tightest, in all."""

    items: Items
    support: int
    span: int = 0


def frequent(
    sequences: Sequence[Sequence[str]],
    support: int,
    shortest: int = 2,
    longest: int = 8,
    *,
    among: Collection[int] | None = None,
) -> list[Pattern]:
    """The patterns that at least `support` sequences hold, and that no longer pattern of the same support holds.

    The best supported come first, then the longest, then by their items.

    Args:
        sequences: where to look.
        support: how many of them must hold a pattern.
        shortest: the least number of items.
        longest: the greatest number of items.
        among: places of sequences of which at least one must hold a pattern; None asks for no special one.
    """
    found = _Search(sequences, max(support, 1), None if among is None else frozenset(among)).run(longest)
    kept = [pattern for pattern in _closed(found) if len(pattern.items) >= shortest]
    return sorted(kept, key=lambda pattern: (-pattern.support, -len(pattern.items), pattern.items))


def tightest(sequence: Sequence[str], items: Sequence[str]) -> tuple[int, ...]:
    """Where the items stand in a sequence, as close together as they do anywhere in it; empty when they do not."""
    ways: list[tuple[int, ...]] = [(at,) for at, item in enumerate(sequence) if item == items[0]]
    for item in items[1:]:
        latest: dict[int, tuple[int, ...]] = {}
        for way in ways:
            for at in range(way[-1] + 1, min(way[-1] + GAP + 2, len(sequence))):
                if sequence[at] == item and (at not in latest or way[0] > latest[at][0]):
                    latest[at] = (*way, at)
        ways = list(latest.values())
    return min(ways, key=lambda way: (way[-1] - way[0], way), default=())


class _Search:
    """One search over some sequences."""

    def __init__(
        self, sequences: Sequence[Sequence[str]], support: int, among: frozenset[int] | None
    ) -> None:
        self._sequences = sequences
        self._support = support
        self._among = among
        self._steps = 0

    def run(self, longest: int) -> list[Pattern]:
        level = self._ranked({(item,): ends for item, ends in self._firsts().items()})
        found: list[Pattern] = []
        for length in range(1, longest + 1):
            found += [Pattern(items, len(ends), _span(ends)) for items, ends in level[:LEVEL]]
            if length < longest:
                level = self._longer(level[:LEVEL])
        return found

    def _firsts(self) -> dict[str, _Ends]:
        firsts: dict[str, _Ends] = {}
        for index, sequence in enumerate(self._sequences):
            for at, item in enumerate(sequence):
                firsts.setdefault(item, {}).setdefault(index, {})[at] = at
        return firsts

    def _longer(self, level: list[tuple[Items, _Ends]]) -> list[tuple[Items, _Ends]]:
        grown: dict[Items, _Ends] = {}
        for items, ends in level:
            if self._steps > STEPS:
                break
            grown |= {(*items, item): more for item, more in self._grown(ends).items()}
        return self._ranked(grown)

    def _grown(self, ends: _Ends) -> dict[str, _Ends]:
        grown: dict[str, _Ends] = {}
        for index, places in ends.items():
            sequence = self._sequences[index]
            self._steps += len(places) * (GAP + 1)
            for end, begin in places.items():
                for at in range(end + 1, min(end + GAP + 2, len(sequence))):
                    own = grown.setdefault(sequence[at], {}).setdefault(index, {})
                    own[at] = max(begin, own.get(at, begin))
        return {item: more for item, more in grown.items() if self._is_enough(more)}

    def _is_enough(self, ends: _Ends) -> bool:
        return len(ends) >= self._support and (self._among is None or not self._among.isdisjoint(ends))

    def _ranked(self, patterns: dict[Items, _Ends]) -> list[tuple[Items, _Ends]]:
        enough = [(items, ends) for items, ends in patterns.items() if self._is_enough(ends)]
        return sorted(enough, key=lambda pair: (_span(pair[1]) / len(pair[1]), -len(pair[1]), pair[0]))


def _span(ends: _Ends) -> int:
    return sum(min(end - begin + 1 for end, begin in places.items()) for places in ends.values())


def _closed(found: Sequence[Pattern]) -> list[Pattern]:
    """Those that are held by no longer one of the same support: what remains when items are taken out of a longer one is marked."""
    by_length: dict[int, list[Pattern]] = {}
    for pattern in found:
        by_length.setdefault(len(pattern.items), []).append(pattern)
    kept: list[Pattern] = []
    marked: dict[Items, int] = {}  # what is left of longer ones → their greatest support
    for length in range(max(by_length, default=0), 0, -1):
        here = by_length.get(length, [])
        kept += [pattern for pattern in here if marked.get(pattern.items, 0) < pattern.support]
        whole = dict(marked)
        for pattern in here:
            whole[pattern.items] = max(pattern.support, whole.get(pattern.items, 0))
        marked = {}
        for items, support in whole.items():
            for at in range(length):
                left = items[:at] + items[at + 1 :]
                marked[left] = max(support, marked.get(left, 0))
    return kept
