"""Finds the commands and calls that sessions made again and again, in order, and drafts skills of them. A draft that was refused is not proposed again in other words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from memoryclaw.consolidation.actions import SetFact
from memoryclaw.consolidation.changes import PlannedChange, ToolSequence
from memoryclaw.consolidation.exchanges import (
    COMMAND,
    OPEN,
    PROMPT,
    Call,
    by_session,
    pattern_of,
    stretches,
    words_of_command,
)
from memoryclaw.late import NamedTuple
from memoryclaw.model import ENVIRONMENT, PROJECT
from memoryclaw.skills.skill_file import holds_reference, too_deep
from memoryclaw.text import words as lists
from memoryclaw.text.language import Language, fold, words_of
from memoryclaw.text.prompts import one_line, visible
from memoryclaw.text.redaction import MARK
from memoryclaw.text.yaml_text import flow
from memoryclaw.vault.fact_values import plain_key, plain_value
from memoryclaw.vault.layout import slug
from memoryclaw.vault.logs import parse_ranges
from memoryclaw.vault.properties import canonical_scope
from memoryclaw.writing.decisions import Decisions, fingerprint

PATTERN = 8  # steps that are looked for; what is longer grows from there
LONGEST = 20  # steps of a draft
_SURE, _OF = 3, 7  # of so many sessions that make a skill of any calls, so many make one of commands alone
ALIKE = 0.7  # of the shorter one's steps; two patterns that share so many, in order, are one skill

CallsOf = Callable[[str], Sequence[Call]]


# A repeated sequence of steps → the draft of a skill, whose steps are the tools' own calls. Only a person's yes makes it one that
# runs.

DRAFTS = "skills/_drafts"
_SHOWN = 20  # sessions that the evidence names
_FOR_OTHERS = ("sudo", "doas")  # programs that run another one
_NAMED = 6  # tools that the description names all
_TRIGGER = 4  # words
_WORD = re.compile(r"[a-z][a-z-]*")  # of a command that has commands of its own
_SERVER = re.compile(r"\A.*(?:__|[.:/])(?=.)")
_ENGLISH = Language("en", None, frozenset())  # knows which words carry a question but not its subject

Render = Callable[..., str]


class Occurrence(NamedTuple):
    """The calls of one session that are the steps of a pattern; none where its log is gone."""

    session: str
    ranges: tuple[str, ...]
    calls: tuple[Call, ...] = ()


class SkillDraft(NamedTuple):
    """A skill that is proposed; `text` is its SKILL.md."""

    name: str
    description: str
    text: str
    fingerprint: str
    evidence: tuple[str, ...]  # a line for each session, of very many for the first
    ranges: tuple[str, ...] = ()
    title: str = ""
    tools: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where the draft waits."""
        return f"{DRAFTS}/{self.name}/SKILL.md"


def propose(
    tools: Sequence[str], occurrences: Sequence[Occurrence], render: Render, name: str = ""
) -> SkillDraft:
    """The draft of a skill with these steps.

    Args:
        tools: what is called, in order.
        occurrences: the sessions in which it was; at least one with its calls.
        render: gives the text of a template.
        name: the name to take; else it is made of the steps.
    """
    with_calls = [occurrence for occurrence in occurrences if occurrence.calls]
    called = [call.tool for call in with_calls[0].calls]
    steps, parameters = generalise(called, [[call.args for call in case.calls] for case in with_calls])
    words = ", then ".join(" ".join(re.findall(r"[^\W_]+", _bare(tool))) or "tool" for tool in tools)
    name, title = name or name_of(tools), one_line(words[:1].upper() + words[1:])
    triggers = _triggers(with_calls)
    names = [_shown(tool) for tool in tools]
    listed = names[:-1] if len(names) <= _NAMED else [*names[:3], f"{len(names) - 4} more"]
    does = "Runs" if all(tool.startswith(PROMPT) for tool in tools) else "Calls"
    calls = f"{does} {', '.join(listed)} and then {names[-1]}, in this order."
    use = f" Use when asked for: {', '.join(triggers)}." if triggers else ""
    description = f"{calls}{use} Proposed after {len(occurrences)} sessions did the same."
    more = len(occurrences) - _SHOWN
    evidence = (*map(_evidence, occurrences[:_SHOWN]), *[f"and {more} more sessions"] * (more > 0))
    values = {
        "name": name, "title": title, "description": description, "triggers": triggers, "support": len(occurrences),
        "tools": list(tools), "steps": [_step_text(step) for step in steps], "calls": [_call(step) for step in steps],
        "parameters": parameters, "evidence": evidence,
    }  # fmt: skip
    text = render("notes/skill-draft.md.j2", **values)
    ranges = tuple(dict.fromkeys(range_ for case in occurrences for range_ in case.ranges))
    return SkillDraft(
        name, description, text, fingerprint("skill", *tools), evidence, ranges, title, tuple(tools)
    )


def is_fixed(tools: Sequence[str], occurrences: Sequence[Occurrence]) -> bool:
    """True where a step says the same in every session: a command with a word of its own, or an argument of a call."""
    with_calls = [occurrence.calls for occurrence in occurrences if occurrence.calls]
    return any(
        _says_the_same(tool, [calls[place].args for calls in with_calls])
        for place, tool in enumerate(tools)
        if with_calls
    )


def _says_the_same(tool: str, args: Sequence[Mapping[str, Any]]) -> bool:
    if tool.startswith(PROMPT):
        words = tool.removeprefix(PROMPT).split()
        return OPEN not in tool or any(OPEN not in word and not word.startswith("-") for word in words[2:])
    return any(
        value not in ("", None, [], {})
        and not MARK.search(_dump(value))
        and all(call.get(key, _MISSING) == value for call in args)
        for key, value in args[0].items()
    )


def name_of(tools: Sequence[str]) -> str:
    """A name for these steps, of the tools' own names; of many steps the first and the last."""
    names = [slug(_bare(tool)) for tool in tools]
    joined = slug(" ".join(dict.fromkeys(names)))
    return joined if len(tools) <= 3 else slug(f"{names[0]} to {names[-1]}")


def _bare(tool: str) -> str:
    """The tool's name without the server that offers it: `mcp__mail__send_email` → `send_email`; of a command its first words."""
    if tool.startswith(PROMPT):
        words = words_of_command(tool.removeprefix(PROMPT))
        words = words[words[0] in _FOR_OTHERS and len(words) > 1 :]
        program = words[0].rpartition("/")[2]
        return " ".join((program, *(word for word in words[1:2] if _WORD.fullmatch(word))))
    return _SERVER.sub("", tool)


def _triggers(occurrences: Sequence[Occurrence]) -> list[str]:
    """What the user said before the first step in every session, as far as it was the same."""
    openings = [list(dict.fromkeys(map(fold, words_of(case.calls[0].said)))) for case in occurrences]
    if len(openings) < 2:
        return []
    common = [
        word
        for word in openings[0]
        if not _ENGLISH.is_stop(word)
        and word.isalpha()
        and len(word) > 2
        and all(word in others for others in openings[1:])
    ]
    return [" ".join(common[:_TRIGGER])] if common else []


def _call(step: DraftStep) -> DraftStep:
    """A step for the header: the call as YAML, its names and values exactly as they were."""
    args = tuple(
        (key if _KEY.fullmatch(key) else flow(key), value if _is_reference(value) else flow(value))
        for key, value in step.args
    )
    return DraftStep(flow(step.tool), args)


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and _REFERENCE.fullmatch(value) is not None


def _step_text(step: DraftStep) -> DraftStep:
    args = ((_plain(key), value if _is_reference(value) else as_json(value)) for key, value in step.args)
    return DraftStep(_plain(step.tool), tuple(args))


def _shown(tool: str) -> str:
    """A step as the description has it."""
    if not tool.startswith(PROMPT):
        return _plain(tool)
    command = one_line(tool.removeprefix(PROMPT)).replace("`", "'")
    return f"`{command if len(command) <= _EXAMPLE else f'{command[: _EXAMPLE - 1].rstrip()}…'}`"


def _evidence(occurrence: Occurrence) -> str:
    lines = ", ".join(str(call.line) for call in occurrence.calls)
    where = f"lines {lines}" if lines else "its log is gone"
    session = re.sub(r"[\[\]`|]", "", one_line(occurrence.session))[:80]
    return f"session {session}, {where}: {' '.join(f'`{range_}`' for range_ in occurrence.ranges)}"


# The arguments of the same steps in several sessions → what is constant, and parameters for what varies. Values are
# data.

_CONSTANT = 1000  # characters; what is longer is asked for, though it was always the same
_KEY = re.compile(r"(?!(?:yes|no|on|off|true|false|null|y|n)\Z)[a-z_][a-z0-9_-]*", re.ASCII | re.IGNORECASE)
_REFERENCE = re.compile(r"\$[a-z][a-z0-9_]*")
_EXAMPLE = 60
_EXAMPLES = 2
_NAME = 40
_DEEP = 3  # levels of a value in a step; a header has eight
_MISSING = object()


class DraftParameter(NamedTuple):
    """One argument that differs from session to session."""

    name: str
    type: str  # one of skill_file.TYPES
    of: str  # where it goes: `send_email to`
    optional: bool = False
    examples: tuple[str, ...] = ()
    default: str = ""  # as YAML


class DraftStep(NamedTuple):
    """One step with its arguments: (name, value with `$parameter` where it varies), in the order in which they were first given."""

    tool: str
    args: tuple[tuple[str, Any], ...] = ()


def generalise(
    tools: Sequence[str], occurrences: Sequence[Sequence[Mapping[str, Any]]]
) -> tuple[list[DraftStep], list[DraftParameter]]:
    """The steps of a pattern and the parameters that they share, given for each occurrence the arguments of each step.

    What was the same each time is written out, also inside a map that always had the same keys. The rest becomes parameters; where
    two of them always had the same value, they are one.
    """
    named = _ParameterNames()
    steps = []
    for place, tool in enumerate(tools):
        calls = [occurrence[place] for occurrence in occurrences]
        keys = dict.fromkeys(key for args in calls for key in args)
        args = tuple(
            (key, named.argument(tool, key, [call.get(key, _MISSING) for call in calls])) for key in keys
        )
        steps.append(DraftStep(tool, args))
    return steps, [*named.parameters.values()]


def as_json(value: Any) -> str:
    """A value as JSON on one line that a code span can hold and a reader can see."""
    return visible(_dump(value)).replace("`", "\\u0060")


class _ParameterNames:
    """Gives each varying argument its parameter."""

    def __init__(self) -> None:
        self.parameters: dict[str, DraftParameter] = {}
        self._by_values: dict[str, str] = {}

    def argument(self, tool: str, key: str, values: Sequence[Any]) -> Any:
        """The constant or the parameter; of commands that differ in some words these are parameters."""
        if key not in COMMAND or not all(isinstance(value, str) for value in values):
            return self.describe(tool, key, values)
        words = [words_of_command(value) for value in values]
        patterns = {pattern_of(value) for value in values}
        if len(set(values)) == 1 or len(patterns) > 1 or holds_reference(patterns.pop()):
            return self.describe(tool, key, values)
        return " ".join(str(self.describe(tool, "text", column)) for column in zip(*words, strict=True))

    def describe(self, tool: str, key: str, values: Sequence[Any], depth: int = 0) -> Any:
        """The constant, or `$name` of the parameter; of a map, each of its values so."""
        real = [value for value in values if value is not _MISSING]
        private = any(MARK.search(_dump(value)) for value in real)
        same = len(real) == len(values) and len({_dump(value) for value in real}) == 1
        short = len(_dump(real[0])) <= _CONSTANT and not too_deep(real[0], _DEEP)
        constant = same and short and not private
        if constant and not holds_reference(real[0]):
            return real[0]
        if not constant and depth < _DEEP and len(real) == len(values) and (keys := _same_keys(real)):
            return {
                name: self.describe(tool, name, [mapping[name] for mapping in real], depth + 1)
                for name in keys
            }
        all_values = _dump([None if value is _MISSING else [value] for value in values])
        name = self._by_values.get(all_values) if len(real) > 1 else None
        if name is None:
            name = self._free(key, tool)
            self._by_values[all_values] = name
            kind = "secret" if private else _type(real)
            examples = () if private else _examples(real)
            of = f"{_plain(tool)} {_plain(key)}"
            default = (
                flow(real[0]) if constant else ""
            )  # a text in which a name would be filled in, if it stood in a step
            self.parameters[name] = DraftParameter(name, kind, of, len(real) < len(values), examples, default)
        return f"${name}"

    def _free(self, key: str, tool: str) -> str:
        base = _identifier(key)
        for name in (base, f"{_identifier(tool)}_{base}"[: 2 * _NAME]):
            if name not in self.parameters:
                return name
        number = 2
        while f"{base}_{number}" in self.parameters:
            number += 1
        return f"{base}_{number}"


def _same_keys(maps: Sequence[Any]) -> tuple[str, ...]:
    """The keys of several maps that all have the same ones; none of anything else."""
    if (
        not all(isinstance(mapping, dict) for mapping in maps)
        or len({frozenset(mapping) for mapping in maps}) > 1
    ):
        return ()
    return tuple(maps[0])


def _dump(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except RecursionError:
        return '"…"'


def _identifier(key: str) -> str:
    """A name of small letters, digits and `_`, that begins with a letter."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key)
    name = re.sub(r"[^a-z0-9]+", "_", fold(split)).strip("_")[:_NAME].strip("_")
    return name if name[:1].isalpha() else f"value_{name}".strip("_")


def _plain(name: str) -> str:
    return re.sub(r"[^\w.:/-]+", "_", one_line(name))[:80] or "_"


def _type(values: Sequence[Any]) -> str:
    kinds = {_type_of(value) for value in values}
    return kinds.pop() if len(kinds) == 1 else "string"


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "list" if isinstance(value, list) else "map" if isinstance(value, dict) else "string"


def _examples(values: Sequence[Any]) -> tuple[str, ...]:
    texts = (one_line(value) if isinstance(value, str) else as_json(value) for value in values)
    short = (text if len(text) <= _EXAMPLE else f"{text[: _EXAMPLE - 1].rstrip()}…" for text in texts if text)
    return tuple(dict.fromkeys(short))[:_EXAMPLES]


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


# The commands that sessions of a project ran → its commands, ports, versions and paths, once they served in three sessions. Pure.

FILE = "semantic/projects.md"
SERVED = 3  # sessions
_LONGEST = 120  # characters of a command or path
_EVERYWHERE = frozenset(lists.words("consolidation.everywhere"))
_PORT = re.compile(r"(?:--?p(?:ort)?[= ]|\bport=|\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[::\]):|(?<![\w./]):)(\d{2,5})\b", re.IGNORECASE)  # fmt: skip
_VERSION = re.compile(r"(?<![\w/.-])(@?[a-z][\w./-]*?)(?:@|==|:|-?(?=\d))v?(\d{1,9}(?:\.\d{1,9}){1,3})(?![\w.])", re.IGNORECASE)  # fmt: skip
_PATH = re.compile(r"\A(?:~|[\w.@-]*+)(?:/[\w.@*-]++)++/?\Z")
_ADDRESS = re.compile(r"^[a-z][\w+.-]*://|@[\w.-]+:|^--?\w", re.IGNORECASE)


class _Served(NamedTuple):
    """What served in the sessions of a project: their names, the ranges of their logs, and their last day."""

    sessions: dict[str, None]
    ranges: dict[str, None]
    last: str
    is_new: bool


def uses(step: str) -> Iterator[tuple[str, str]]:
    """What a command shows of where it ran: (command | port | version | path, value)."""
    if not step.startswith(PROMPT):
        return
    command = step.removeprefix(PROMPT)
    words = words_of_command(command)
    if words and words[0].rpartition("/")[2] not in _EVERYWHERE and pattern_of(command) == command:
        yield "command", command
    for hit in _PORT.finditer(command):
        yield "port", hit[1]
    for hit in _VERSION.finditer(command):
        yield "version", f"{hit[1].rstrip('-')} {hit[2]}"
    for word in words[1:]:
        bare = word.strip("\"'")
        if not _ADDRESS.search(bare) and _PATH.fullmatch(bare):
            yield "path", bare


def environment(
    new: Sequence[ToolSequence],
    earlier: Iterable[ToolSequence],
    is_settled: Callable[[SetFact], bool],
) -> list[PlannedChange]:
    """A change for each project of the new sessions in which something has served in three sessions, or once more.

    Args:
        new: what was done in the stretches that are consolidated now.
        earlier: what earlier runs saw done.
        is_settled: whether a person took such a fact back.
    """
    names = {canonical_scope(f"{PROJECT}{row.project}"): plain_key(row.project) for row in new if row.project}
    rows = ((row, is_new) for sequences, is_new in ((earlier, False), (new, True)) for row in sequences)
    in_order = sorted(rows, key=lambda pair: (pair[0].day, pair[0].range, pair[0].session))
    changes = []
    for scope in sorted(filter(None, names)):
        served: dict[tuple[str, str], _Served] = {}
        for row, is_new in in_order:
            _count(served, row, scope, is_new=is_new)
        facts = [
            (fact, use)
            for (field, value), use in sorted(served.items())
            if use.is_new and len(use.sessions) >= SERVED
            and not is_settled(fact := _fact(names[scope], field, value, scope, use))
        ]  # fmt: skip
        if facts:
            changes.append(_change(names[scope], facts))
    return changes


def _count(served: dict[tuple[str, str], _Served], row: ToolSequence, scope: str, *, is_new: bool) -> None:
    if canonical_scope(f"{PROJECT}{row.project}") != scope:
        return
    for use in dict.fromkeys(use for step in row.tools for use in uses(step)):
        value = use[1]
        if len(value) > _LONGEST or MARK.search(value) or plain_value(value) != value:
            continue
        before = served.get(use, _Served({}, {}, "", is_new=False))
        served[use] = _Served(
            {**before.sessions, row.session: None},
            {**before.ranges, row.range: None},
            max(before.last, row.day),
            before.is_new or is_new,
        )


def _fact(entity: str, field: str, value: str, scope: str, use: _Served) -> SetFact:
    return SetFact(
        FILE, entity, field, value, many=True, memory_type=ENVIRONMENT, scope=scope,
        count=str(len(use.sessions)), last=use.last,
    )  # fmt: skip


def _change(project: str, facts: Sequence[tuple[SetFact, _Served]]) -> PlannedChange:
    ranges = dict.fromkeys(range_ for _, use in facts for range_ in use.ranges)
    return PlannedChange(
        kind="environment",
        title=f"{project}: what served in {SERVED} sessions or more",
        actions=tuple(fact for fact, _ in facts),
        evidence=tuple(
            f"{fact.field} `{fact.value}`: {fact.count} sessions, last on {fact.last} ({', '.join(use.sessions)})"
            for fact, use in facts
        ),
        source=" ".join(ranges),
        confidence="medium",
        id=f"{FILE.removesuffix('.md')}#{project}",
    )
