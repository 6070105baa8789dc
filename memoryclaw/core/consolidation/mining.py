"""What sessions did again and again, in order → drafts of skills. The rule: a draft once refused does not come back in another coat."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

from memoryclaw.core.consolidation.actions import Call, by_session, stretches
from memoryclaw.core.consolidation.changes import Acted
from memoryclaw.core.consolidation.decisions import Decisions, fingerprint
from memoryclaw.core.consolidation.prefixspan import GAP, Items, Pattern, frequent, tightest
from memoryclaw.core.consolidation.ranges import parse_ranges
from memoryclaw.core.consolidation.skilldrafts import Occurrence, Render, SkillDraft, name_of, propose

PATTERN = 8  # steps that are looked for; what is longer grows from there
LONGEST = 20  # steps of a draft
ALIKE = 0.7  # of the shorter one's steps; two patterns that share so many, in order, are one skill

CallsOf = Callable[[str], Sequence[Call]]


def plan_skills(
    new: Sequence[Acted],
    known: Sequence[Acted],
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
    done: Mapping[str, Sequence[Acted]],
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
        if len(set(items)) < 2 or any(_alike(items, other) for other in seen):
            continue
        seen.append(items)
        if not any(is_settled(part) for part in _nearly(items)):
            chosen.append(items)
    # A skill that is settled also stands for its parts, which the new sessions may have done alone.
    every = frequent(sequences, threshold, longest=PATTERN) if chosen else []
    settled = [items for pattern in every if is_settled(items := _whole(pattern, different))]
    return [items for items in chosen if not any(_alike(items, other) for other in settled)]


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


def _by_time(done: Mapping[str, list[Acted]]) -> dict[str, list[Acted]]:
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


def _alike(one: Items, other: Items) -> bool:
    """True when the two share most steps of the shorter one, in the same order."""
    row = [0] * (len(other) + 1)
    for item in one:
        above = row[:]
        for at, theirs in enumerate(other, 1):
            row[at] = above[at - 1] + 1 if item == theirs else max(above[at], row[at - 1])
    return row[-1] >= ALIKE * min(len(one), len(other))


def _tools(own: Sequence[Acted]) -> list[tuple[str, int]]:
    """The tools of a session in order, each with the place of its stretch; what goes on over an end was called once."""
    tools: list[tuple[str, int]] = []
    for place, one in enumerate(own):
        tools += [
            (tool, place) for at, tool in enumerate(one.tools) if at or not tools or tools[-1][0] != tool
        ]
    return tools


def _occurrence(own: Sequence[Acted], items: Items, calls_of: CallsOf) -> Occurrence | None:
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
