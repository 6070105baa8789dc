"""Finds the commands and calls that sessions made again and again, in order, and drafts skills of them. A draft that was refused is not proposed again in other words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

from memoryclaw.consolidation.changes import ToolSequence
from memoryclaw.consolidation.command_lines import PROMPT, pattern_of
from memoryclaw.consolidation.skill_drafts import (
    Occurrence,
    Render,
    SkillDraft,
    is_fixed,
    name_of,
    propose,
)
from memoryclaw.consolidation.tool_calls import Call, by_session, stretches
from memoryclaw.vault.logs import parse_ranges
from memoryclaw.writing.decisions import Decisions, fingerprint

PATTERN = 8  # steps that are looked for; what is longer grows from there
LONGEST = 20  # steps of a draft
_SURE, _OF = 3, 7  # of so many sessions that make a skill of any calls, so many make one of commands alone
ALIKE = 0.7  # of the shorter one's steps; two patterns that share so many, in order, are one skill

CallsOf = Callable[[str], Sequence[Call]]


def plan_skills(
    new: Sequence[ToolSequence],
    earlier: Sequence[ToolSequence],
    threshold: int,
    decisions: Decisions,
    *,
    existing: Collection[str],
    calls_of: CallsOf,
    render: Render,
) -> list[SkillDraft]:
    """Drafts for what at least `threshold` sessions did, or fewer where all of it are commands, one of the new ones among them.

    Args:
        new: what was done in the stretches that are consolidated now.
        earlier: what earlier runs saw done.
        threshold: how many different sessions make a skill.
        decisions: what was rejected or undone.
        existing: names and fingerprints of the skills and drafts that there are.
        calls_of: the calls in a range of a log; none where it is gone.
        render: gives the text of a template.
    """
    by_session = stretches([*earlier, *new]).items()
    # In the order of their logs, whichever run read them.
    sessions = dict(sorted(by_session, key=lambda pair: ([stretch.range for stretch in pair[1]], pair[0])))
    recent = {sequence.session for sequence in new}
    names, calls_of = set(existing), cache(calls_of)
    drafts = []
    for pattern in _choose(
        sessions, recent, threshold, lambda tools: _is_settled(tools, decisions, existing)
    ):
        occurrences = [
            case for session in sessions.values() if (case := _occurrence(session, pattern, calls_of))
        ]
        if len(occurrences) >= _enough(pattern, threshold) and is_fixed(pattern, occurrences):
            draft = propose(pattern, occurrences, render, _free(name_of(pattern), names))
            names.add(draft.name)
            drafts.append(draft)
    return drafts


def _choose(
    sessions: Mapping[str, Sequence[ToolSequence]],
    recent: Collection[str],
    threshold: int,
    is_settled: Callable[[Items], bool],
) -> list[Items]:
    """Of patterns that are alike the longest, and of those the one with the least between its steps."""
    sequences = [[tool for tool, _ in _tools(steps)] for steps in sessions.values()]
    among = [place for place, session in enumerate(sessions) if session in recent]
    least = min(threshold, _enough((PROMPT,), threshold))
    patterns = frequent(sequences, least, longest=PATTERN, among=among) if among else []
    patterns = [pattern for pattern in patterns if pattern.support >= _enough(pattern.items, threshold)]
    different = list(dict.fromkeys(map(tuple, sequences)))
    chosen: list[Items] = []
    candidates: list[Items] = []
    for pattern in sorted(patterns, key=_rank):
        candidate = _extend(pattern, different)
        if len(set(candidate)) < 2 or any(are_alike(candidate, earlier) for earlier in candidates):
            continue
        candidates.append(candidate)
        if not any(is_settled(subset) for subset in _subsets(candidate)):
            chosen.append(candidate)
    # A skill that is settled also stands for its parts, which the new sessions may have done alone.
    known_patterns = frequent(sequences, least, longest=PATTERN) if chosen else []
    settled = [
        candidate for pattern in known_patterns if is_settled(candidate := _extend(pattern, different))
    ]
    return [
        candidate for candidate in chosen if not any(are_alike(candidate, earlier) for earlier in settled)
    ]


def _enough(steps: Items, threshold: int) -> int:
    """How many sessions make a skill of these steps: a command that went well says all that it did, a call does not."""
    of_commands = max(min(threshold, _SURE), threshold * _SURE // _OF)
    return of_commands if all(step.startswith(PROMPT) for step in steps) else threshold


def _rank(pattern: Pattern) -> tuple[int, float, int, Items]:
    return -len(pattern.items), pattern.span / pattern.support, -pattern.support, pattern.items


def _extend(pattern: Pattern, sequences: Sequence[Sequence[str]]) -> Items:
    """A pattern as long as they get, with the steps before and after it that the same sequences have."""
    steps = pattern.items
    if len(steps) < PATTERN:
        return steps
    holding = [sequence for sequence in sequences if tightest(sequence, steps)]
    while len(steps) < LONGEST:
        around = dict.fromkeys(step for sequence in holding[:1] for step in _around(sequence, steps))
        longer = ((*steps, step) if after else (step, *steps) for after, step in around)
        grown = next((run for run in longer if all(tightest(sequence, run) for sequence in holding)), None)
        if grown is None:
            break
        steps = grown
    return steps


def _around(sequence: Sequence[str], steps: Items) -> Iterator[tuple[bool, str]]:
    """What stands next to the items, nearest first: (after them, item)."""
    places = tightest(sequence, steps)
    for place in range(places[-1] + 1, min(places[-1] + GAP + 2, len(sequence))):
        yield True, sequence[place]
    for place in range(places[0] - 1, max(places[0] - GAP - 2, -1), -1):
        yield False, sequence[place]


def _is_settled(tools: Items, decisions: Decisions, existing: Collection[str]) -> bool:
    digest = fingerprint("skill", *tools)
    return digest in existing or decisions.of(digest) is not None


def _subsets(steps: Items) -> Iterator[Items]:
    """The steps, and what is left without a few of them: a skill that is known under those is this one."""
    for length in range(len(steps), 1, -1):
        if length >= ALIKE * len(steps):
            yield from (tuple(subset) for subset in combinations(steps, length))


def are_alike(shorter: Items, pattern: Items) -> bool:
    """True when the two share most steps of the shorter one, in the same order."""
    row = [0] * (len(pattern) + 1)
    for step in shorter:
        above = row[:]
        for column, theirs in enumerate(pattern, 1):
            row[column] = above[column - 1] + 1 if step == theirs else max(above[column], row[column - 1])
    return row[-1] >= ALIKE * min(len(shorter), len(pattern))


def _tools(stretches: Sequence[ToolSequence]) -> list[tuple[str, int]]:
    """The tools of a session in order, each with the place of its stretch; what goes on over an end was called once."""
    tools: list[tuple[str, int]] = []
    for place, stretch in enumerate(stretches):
        for tool in map(step_of, stretch.tools):
            if not tools or tools[-1][0] != tool:
                tools.append((tool, place))
    return tools


def step_of(deed: str) -> str:
    """What was done, without what only one session says."""
    return f"{PROMPT}{pattern_of(deed.removeprefix(PROMPT))}" if deed.startswith(PROMPT) else deed


def _occurrence(stretches: Sequence[ToolSequence], pattern: Items, calls_of: CallsOf) -> Occurrence | None:
    """How one session took these steps, or None; the calls are left out where the log does not show them any more."""
    tools = _tools(stretches)
    places = tightest([tool for tool, _ in tools], pattern)
    if not places:
        return None
    ranges = [stretches[place].range for place in sorted({tools[n][1] for n in places})]
    calls = [call for text in ranges for call in _calls(text, stretches[0].session, calls_of)]
    steps = tightest([step_of(call.step) for call in calls], pattern)
    return Occurrence(stretches[0].session, tuple(ranges), tuple(calls[place] for place in steps))


def _calls(text: str, session: str, calls_of: CallsOf) -> list[Call]:
    return [
        call for range_ in parse_ranges(text) for call in by_session(calls_of(text), range_).get(session, [])
    ]


def _free(name: str, names: Collection[str]) -> str:
    number, free = 1, name
    while free in names:
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
        support: how many of them must hold a pattern.
        shortest: the least number of items.
        longest: the greatest number of items.
        among: places of sequences of which at least one must hold a pattern; None asks for no special one.
    """
    patterns = _Search(sequences, max(support, 1), None if among is None else frozenset(among)).run(longest)
    closed = [pattern for pattern in _close(patterns) if len(pattern.items) >= shortest]
    return sorted(closed, key=lambda pattern: (-pattern.support, -len(pattern.items), pattern.items))


def tightest(sequence: Sequence[str], pattern: Sequence[str]) -> tuple[int, ...]:
    """Where the items stand in a sequence, as close together as they do anywhere in it; empty when they do not."""
    ways: list[tuple[int, ...]] = [(place,) for place, step in enumerate(sequence) if step == pattern[0]]
    for step in pattern[1:]:
        latest: dict[int, tuple[int, ...]] = {}
        for way in ways:
            for place in range(way[-1] + 1, min(way[-1] + GAP + 2, len(sequence))):
                if sequence[place] == step and (place not in latest or way[0] > latest[place][0]):
                    latest[place] = (*way, place)
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
        level = self._rank({(step,): ends for step, ends in self._firsts().items()})
        patterns: list[Pattern] = []
        for length in range(1, longest + 1):
            patterns += [Pattern(steps, len(ends), _span(ends)) for steps, ends in level[:LEVEL]]
            if length < longest:
                level = self._longer(level[:LEVEL])
        return patterns

    def _firsts(self) -> dict[str, _Ends]:
        firsts: dict[str, _Ends] = {}
        for index, sequence in enumerate(self._sequences):
            for place, step in enumerate(sequence):
                firsts.setdefault(step, {}).setdefault(index, {})[place] = place
        return firsts

    def _longer(self, level: list[tuple[Items, _Ends]]) -> list[tuple[Items, _Ends]]:
        grown: dict[Items, _Ends] = {}
        for steps, ends in level:
            if self._steps > STEPS:
                break
            grown |= {(*steps, step): places for step, places in self._grow(ends).items()}
        return self._rank(grown)

    def _grow(self, ends: _Ends) -> dict[str, _Ends]:
        grown: dict[str, _Ends] = {}
        for index, places in ends.items():
            sequence = self._sequences[index]
            self._steps += len(places) * (GAP + 1)
            for end, begin in places.items():
                for place in range(end + 1, min(end + GAP + 2, len(sequence))):
                    begins = grown.setdefault(sequence[place], {}).setdefault(index, {})
                    begins[place] = max(begin, begins.get(place, begin))
        return {step: starts for step, starts in grown.items() if self._is_enough(starts)}

    def _is_enough(self, ends: _Ends) -> bool:
        return len(ends) >= self._support and (self._among is None or not self._among.isdisjoint(ends))

    def _rank(self, patterns: dict[Items, _Ends]) -> list[tuple[Items, _Ends]]:
        enough = [(steps, ends) for steps, ends in patterns.items() if self._is_enough(ends)]
        return sorted(enough, key=lambda pair: (_span(pair[1]) / len(pair[1]), -len(pair[1]), pair[0]))


def _span(ends: _Ends) -> int:
    return sum(min(end - begin + 1 for end, begin in places.items()) for places in ends.values())


def _close(patterns: Sequence[Pattern]) -> list[Pattern]:
    """Those that are held by no longer one of the same support: what remains when items are taken out of a longer one is marked."""
    by_length: dict[int, list[Pattern]] = {}
    for pattern in patterns:
        by_length.setdefault(len(pattern.items), []).append(pattern)
    closed: list[Pattern] = []
    marked: dict[Items, int] = {}  # what is left of longer ones → their greatest support
    for length in range(max(by_length, default=0), 0, -1):
        current = by_length.get(length, [])
        closed += [pattern for pattern in current if marked.get(pattern.items, 0) < pattern.support]
        supports = dict(marked)
        for pattern in current:
            supports[pattern.items] = max(pattern.support, supports.get(pattern.items, 0))
        marked = {}
        for steps, support in supports.items():
            for place in range(length):
                shorter = steps[:place] + steps[place + 1 :]
                marked[shorter] = max(support, marked.get(shorter, 0))
    return closed
