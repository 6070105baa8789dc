"""The working memory of a session, and how changes and a budget are applied to it.

It stays small: whatever is put in, it is trimmed until it fits its budget or has reached the floor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from memoryclaw.capture.host_turns import NAME_LENGTH, clean
from memoryclaw.capture.log_records import strip_marks
from memoryclaw.errors import InputError
from memoryclaw.model import Problem
from memoryclaw.text import prompts
from memoryclaw.text.prompts import estimate, one_line, visible

BUDGET = 2000  # tokens of one working memory, as it would stand in a prompt
OBSERVATIONS = 5  # the newest are kept
STEPS, FACTS = 32, 64  # of a plan the first, of facts the newest
LONGEST = 4000  # characters of one text
SHORT, SHORTER = 200, 80  # characters that a text keeps where room is short
FLOOR_OBSERVATIONS, FLOOR_FACTS, FLOOR_STEPS = 2, 3, 3  # stay as long as anything is left to cut
OPENING, CLOSING = '<memory trust="unknown" kind="working">', "</memory>"
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemory:
    """The working memory of one session."""

    session: str
    task: str = ""
    goal: str = ""
    plan: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)  # the newest last
    observations: tuple[str, ...] = ()  # the newest last
    active_skill: str = ""
    by_hand: tuple[str, ...] = ()  # the keys that somebody set; capture fills only the others
    updated: str = ""
    problems: tuple[Problem, ...] = ()  # why its file could not be used

    @property
    def empty(self) -> bool:
        """True if it holds nothing."""
        return not (
            self.task or self.goal or self.plan or self.facts or self.observations or self.active_skill
        )


def change(
    memory: WorkingMemory, changes: Mapping[str, Any], now: str = "", *, by_hand: bool = True
) -> WorkingMemory:
    """Applies changes that were checked by `check`, and trims the result to the budget."""
    facts = dict(memory.facts)
    for key, value in changes.get("facts", {}).items():
        facts.pop(key, None)  # a fact that is said again is the newest
        if value:
            facts[key] = shorten(value, LONGEST)
    plan = tuple(shorten(step, LONGEST) for step in changes.get("plan", memory.plan)[:STEPS])
    fresh = (shorten(text, LONGEST) for text in changes.get("observations", ()))
    keys_set = {*memory.by_hand, *(SAME.get(key, key) for key in changes if by_hand)}
    return trim(
        replace(
            memory,
            task=shorten(changes.get("task", memory.task), SHORT),
            goal=shorten(changes.get("goal", memory.goal), LONGEST),
            plan=plan,
            facts=dict(list(facts.items())[-FACTS:]),
            observations=(*memory.observations, *fresh)[-OBSERVATIONS:],
            active_skill=shorten(changes.get("active_skill", memory.active_skill), SHORT),
            by_hand=tuple(key for key in KEYS if key in keys_set),
            updated=now or memory.updated,
        )
    )


def render(memory: WorkingMemory) -> list[str]:
    """Its lines for a fenced block, escaped; none if it is empty."""
    items = [
        ("goal", memory.goal),
        *((f"plan/{number}", step) for number, step in enumerate(memory.plan, 1)),
        ("skill", memory.active_skill),
        *((f"facts/{key}", value) for key, value in memory.facts.items()),
        *((f"seen/{number}", observation) for number, observation in enumerate(memory.observations, 1)),
    ]
    lines = [prompts.item(f"working:{name}", text) for name, text in items if text]
    return [OPENING, *lines, CLOSING] if lines else []


def within(memory: WorkingMemory, budget: int, alone: bool = False) -> list[str]:
    """Its lines for a prompt, trimmed to a budget; none if even the floor is too large. What capture filled in does not stand there `alone`."""
    lines = render(trim(set_by_hand(memory) if alone else memory, budget))
    return lines if _cost(lines) <= budget else []


def trim(memory: WorkingMemory, budget: int = BUDGET) -> WorkingMemory:
    """Trims the working memory step by step until it fits or has reached the floor; each step is repeated until it changes nothing."""
    for rung in _RUNGS if tokens(memory) > budget else ():
        while (less := rung(memory)) != memory:
            memory = less
            if tokens(memory) <= budget:
                return memory
    return memory


def tokens(memory: WorkingMemory) -> int:
    """Its size in a prompt, in tokens."""
    return _cost(render(memory))


def set_by_hand(memory: WorkingMemory) -> WorkingMemory:
    """The same without what capture filled in from turns."""
    empty: dict[str, Any] = {"goal": "", "plan": (), "observations": (), "active_skill": ""}
    filled = {key: value for key, value in empty.items() if SAME.get(key, key) not in memory.by_hand}
    return replace(memory, **filled)


def as_text(memory: WorkingMemory) -> str:
    """What somebody set in it, as a text for a log; the rest was filled in from turns, which stand there already."""
    memory = set_by_hand(memory)
    lines = [
        f"task: {memory.task}" if memory.task else "",
        f"goal: {memory.goal}" if memory.goal else "",
        f"plan: {'; '.join(memory.plan)}" if memory.plan else "",
        f"active skill: {memory.active_skill}" if memory.active_skill else "",
        *(f"fact: {key}: {value}" for key, value in memory.facts.items()),
        *(f"observed: {text}" for text in memory.observations),
    ]
    return "\n".join(filter(None, lines))


def _cost(lines: list[str]) -> int:
    return estimate("\n".join(lines)) + 1 if lines else 0  # the line break after it, rounded up


def _observations(least: int) -> Callable[[WorkingMemory], WorkingMemory]:
    return lambda memory: replace(memory, observations=_without_first(memory.observations, least))


def _facts(least: int) -> Callable[[WorkingMemory], WorkingMemory]:
    return lambda memory: replace(memory, facts=dict(_without_first(tuple(memory.facts.items()), least)))


def _plan(least: int) -> Callable[[WorkingMemory], WorkingMemory]:
    return lambda memory: replace(memory, plan=memory.plan[: max(least, len(memory.plan) - 1)])


def _texts(most: int) -> Callable[[WorkingMemory], WorkingMemory]:
    return lambda memory: replace(
        memory,
        plan=tuple(shorten(step, most) for step in memory.plan),
        facts={key: shorten(value, most) for key, value in memory.facts.items()},
        observations=tuple(shorten(text, most) for text in memory.observations),
        active_skill=shorten(memory.active_skill, most),
    )


def _without_first(items: tuple[T, ...], least: int) -> tuple[T, ...]:
    return items[1:] if len(items) > least else items


def shorten(text: str, most: int) -> str:
    """At most so many characters of a text."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


# What is old goes first and the goal is cut last; below its floor only a share of a small context makes anything go.
_RUNGS: tuple[Callable[[WorkingMemory], WorkingMemory], ...] = (
    _observations(FLOOR_OBSERVATIONS),
    _texts(SHORT),
    _facts(FLOOR_FACTS),
    _plan(FLOOR_STEPS),
    _texts(SHORTER),
    lambda memory: replace(memory, goal=shorten(memory.goal, max(SHORTER, len(memory.goal) * 3 // 4))),
    _observations(0),
    _facts(0),
    _plan(0),
)


# Input: JSON of a host or of a file, checked and cleaned.

KEYS = ("task", "goal", "plan", "facts", "recent_observations", "active_skill")
SAME = {"observations": "recent_observations"}  # the key of its file for what is called otherwise in the code
_ASIDE = "the next change sets it aside under another name and begins anew"
Clean = Callable[[str], str]


def session_name(session: str) -> str:
    """The name of a session, as its log has it."""
    name = one_line(session)[:NAME_LENGTH].strip()
    if not name:
        raise InputError("a working memory belongs to a session; name it")
    return name


def check(changes: Mapping[str, Any], clean: Clean | None = None) -> dict[str, Any]:
    """Checks changes and cleans their texts.

    `task`, `goal` and `active_skill` are set, `plan` is replaced, `facts` are added or replaced (null removes one),
    `recent_observations` are appended.

    Args:
        clean: cleans a text; the default suits text of a host.

    Raises:
        InputError: a key is unknown, or its value has the wrong type.
    """
    named = {SAME.get(key, key): value for key, value in changes.items()}
    unknown = [str(key) for key in named if key not in KEYS]
    if unknown:
        raise InputError(
            f"a working memory has no {', '.join(map(repr, unknown))}; it has {', '.join(KEYS[:-1])} and {KEYS[-1]}"
        )
    clean, called = clean or _clean, {key: name for name, key in SAME.items()}
    checks = ((key, checked) for key, checked in _CHECKS.items() if key in named)
    return {called.get(key, key): checked(key, named[key], clean) for key, checked in checks}


def dump(memory: WorkingMemory) -> dict[str, Any]:
    """A working memory in the form of its file."""
    fields = {key: name for name, key in SAME.items()}
    keys = ("session", "updated", *KEYS, "by_hand")
    values = ((key, getattr(memory, fields.get(key, key))) for key in keys)
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values}


def load(value: Any, session: str, path: str) -> WorkingMemory:
    """Reads a working memory from the content of its file; an empty one with a problem if it is not this session's."""
    if not isinstance(value, Mapping):
        return unusable(session, path, "this file is not a JSON object")
    if value.get("session") != session:
        return unusable(session, path, f"this file is not the working memory of session {session}")
    content = {key: inner for key, inner in value.items() if key not in ("session", "updated", "by_hand")}
    updated = value.get("updated")
    try:
        at = updated if isinstance(updated, str) else ""
        memory = change(WorkingMemory(session=session), check(content, str), at)
        keys_set = value.get("by_hand")
        # A file without the key is from before anything was filled in: what it holds was set.
        if not isinstance(keys_set, list):
            keys_set = [key for key in memory.by_hand if content.get(key)]
        return replace(memory, by_hand=tuple(key for key in KEYS if key in keys_set))
    except InputError as error:
        return unusable(session, path, str(error))


def unusable(session: str, path: str, why: str, hint: str = _ASIDE) -> WorkingMemory:
    """An empty working memory with the problem of its file."""
    return WorkingMemory(session=session, problems=(Problem(path, 0, why, hint),))


def _text(key: str, value: Any, clean: Clean) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{key!r} must be a text")
    return clean(value)


def _check_texts(key: str, value: Any, clean: Clean) -> list[str]:
    if value is None:
        return []
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise InputError(f"{key!r} must be a list of texts")
    return [text for item in items if (text := clean(item))]


def _check_facts(_key: str, value: Any, clean: Clean) -> dict[str, str | None]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError('\'facts\' must be an object of texts, such as {"recipient": "John"}')
    facts: dict[str, str | None] = {}
    for key, inner in value.items():
        name = one_line(str(key))[:SHORTER].strip()
        if not name:
            raise InputError("a fact of a working memory needs a name")
        if inner is not None and not isinstance(inner, str | int | float):
            raise InputError(f"the fact {name!r} must be a text, a number, true, false or null")
        said = str(inner).lower() if isinstance(inner, bool) else str(inner)
        facts[name] = None if inner is None else clean(said)
    return facts


_CHECKS: Mapping[str, Callable[[str, Any, Clean], Any]] = {
    **dict.fromkeys(("task", "goal", "active_skill"), _text),
    "plan": _check_texts,
    "facts": _check_facts,
    "recent_observations": _check_texts,
}


def _clean(text: str) -> str:
    """Removes what hosts wrapped around a text, what is marked private, and invisible characters."""
    return visible(strip_marks(clean(text)).text).strip()
