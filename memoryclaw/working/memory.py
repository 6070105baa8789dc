"""The working memory of a session, and how changes and a budget are applied to it.

It stays small: whatever is put in, it is trimmed until it fits its budget or has reached the floor.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from memoryclaw.capture.host_turns import NAME_LENGTH, clean
from memoryclaw.capture.log_records import file_stem, strip_marks
from memoryclaw.errors import InputError, MemoryClawError, NotFoundError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.model import AGENT, Problem
from memoryclaw.text import prompts
from memoryclaw.text.grammar import is_filler
from memoryclaw.text.prompts import estimate, one_line, visible
from memoryclaw.vault import files
from memoryclaw.vault.audience import may_see, of_folders
from memoryclaw.vault.files import folder_lock
from memoryclaw.vault.layout import timestamp, writable_moment

if TYPE_CHECKING:
    from memoryclaw.capture.capture import CaptureResult, KeptTurn

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


# Working memories on disk: `working/<session>.json`. Concurrent changes are all kept, and what is dropped goes to the log.

FOLDER = "working"
LARGEST = 256 * 1024  # bytes of a file; ours are far smaller
RUNNING = timedelta(days=1)  # after which a silent session is over
_AWAY = "nothing of this session is kept until it is moved away"
SPEAKER = "working memory"  # of what it leaves in the log


class Cleared(NamedTuple):
    """The result of clearing: the turn of the log that keeps the content, or why nothing was cleared."""

    session: str
    cleared: bool
    id: str = ""
    notice: str = ""


_StoredMemory = tuple[WorkingMemory, str | None]  # and the digest of its file


class WorkingStore(NamedTuple):
    """The working memories of one vault."""

    root: str
    redacted: Callable[[Any], Any]
    capture: Callable[[list[str]], list[CaptureResult]]
    clock: Callable[[], datetime]

    def show(self, session: str) -> WorkingMemory:
        """Returns the working memory of a session, empty if it has none; a file that cannot be used is a problem."""
        return self._read(session_name(session))[0]

    def change(self, session: str, changes: Mapping[str, Any]) -> WorkingMemory:
        """Changes it; another task starts a new one, and the content of the old one goes to the log."""
        session, clean_changes = session_name(session), self.redacted(check(changes))
        with folder_lock(self.root, FOLDER):
            memory, digest = self._usable(session)
            if memory.task and clean_changes.get("task") and clean_changes["task"] != memory.task:
                self._log(memory)
                memory = WorkingMemory(session=session)
            memory = change(memory, clean_changes, timestamp(writable_moment(self.clock())))
            self._write(memory, digest)
        return memory

    def follow(self, turns: Iterable[KeptTurn], folders: Mapping[str, Any]) -> None:
        """Fills in what new turns of running sessions say of them, as far as nobody has set that; a file that cannot be used stays as it is.

        What an agent may not see is passed over. A session that begins ends those that have been silent for a day and hold nothing that
        somebody set. The turns are kept, and nothing fails here.
        """
        now = self.clock()
        since, until = timestamp(now - RUNNING), timestamp(now + RUNNING)
        by_session: dict[str, list[Mapping[str, Any]]] = {}
        for turn in turns:
            ts = turn.record["ts"]
            seen = may_see(AGENT, of_folders(f"logs/{ts[:10]}/{turn.session}", folders), turn.audience)
            if seen and since <= ts <= until and turn.record.get("role") in ("user", "tool"):
                by_session.setdefault(turn.session, []).append(turn.record)
        for session, records in by_session.items():
            with suppress(MemoryClawError, OSError):
                self._follow(session, records)

    def _follow(self, session: str, turns: Sequence[Mapping[str, Any]]) -> None:
        memory = self.show(session)
        if memory.problems or not fill(memory, turns):
            return
        if memory.empty:
            self._end_silent()
        with folder_lock(self.root, FOLDER):
            memory, digest = self._read(session)
            additions = {} if memory.problems else fill(memory, turns)
            if additions:
                now = timestamp(writable_moment(self.clock()))
                self._write(change(memory, additions, now, by_hand=False), digest)

    def clear(self, session: str, task: str = "") -> Cleared:
        """Clears it: its content goes to the log, then its file is removed. With a task, only if it is for that task."""
        session = session_name(session)
        if not files.exists(self.root, _path(session)):
            return Cleared(session, cleared=False, notice=f"session {session} has no working memory")
        with folder_lock(self.root, FOLDER):
            memory, digest = self._usable(session)
            if task and memory.task != task:
                of = f"of task {memory.task!r}" if memory.task else "of no task"
                notice = f"the working memory is {of}; nothing was cleared"
                return Cleared(session, cleared=False, notice=notice)
            id_ = self._log(memory)
            if digest is not None:
                files.remove_file(self.root, _path(session), digest)
        notice = "; ".join(f"{problem.message}; {problem.hint}" for problem in memory.problems)
        return Cleared(session, digest is not None, id_, notice)

    def _read(self, session: str) -> _StoredMemory:
        path = _path(session)
        try:
            stored = files.read_file(self.root, path, LARGEST)
            return load(json.loads(stored.data), session, path), stored.digest
        except NotFoundError:
            return WorkingMemory(session=session), None
        except (VaultError, OSError) as error:
            reason = f"cannot be read ({error.strerror})" if isinstance(error, OSError) else str(error)
            why = f"this file {reason.removeprefix(path).strip()}"
            return unusable(session, path, why, _AWAY), None
        except (ValueError, RecursionError):
            return unusable(session, path, "this file is not JSON"), stored.digest

    def _write(self, memory: WorkingMemory, digest: str | None) -> None:
        data = json.dumps(dump(memory), ensure_ascii=False, indent=2) + "\n"
        files.write_file(self.root, _path(memory.session), data.encode("utf-8", "replace"), digest)

    def _end_silent(self) -> None:
        since = timestamp(self.clock() - RUNNING)
        for path in files.list_files(self.root, FOLDER, ".json"):
            with suppress(MemoryClawError, OSError, ValueError, RecursionError):
                content = json.loads(files.read_file(self.root, path, LARGEST).data)
                session = str(content["session"]) if isinstance(content, dict) else ""
                memory = self.show(session)
                silent = bool(memory.updated) and memory.updated < since
                if _path(session) == path and silent and not memory.by_hand:
                    self.clear(session)

    def _usable(self, session: str) -> _StoredMemory:
        """Reads the file for a change; one with other content is renamed first."""
        memory, digest = self._read(session)
        if not memory.problems:
            return memory, digest
        problem, path = memory.problems[0], _path(session)
        if digest is None:
            raise VaultError(f"{path}: {problem.message}; {problem.hint}")
        aside = files.free_path(self.root, f"{path.removesuffix('.json')}.broken.json")
        files.write_file(self.root, aside, files.read_file(self.root, path, LARGEST).data, None)
        files.remove_file(self.root, path, digest)
        told_where = problem._replace(hint=f"it was set aside as {aside}")
        return replace(memory, problems=(told_where,)), None

    def _log(self, memory: WorkingMemory) -> str:
        """Logs its content as a system line of its session; returns the line's id."""
        text = as_text(memory)
        if not text:
            return ""
        # Named by what it says and when: a second try, after a crash in between, finds it kept already.
        mark = hashlib.sha256(f"{memory.updated}\n{text}".encode("utf-8", "replace")).hexdigest()[:16]
        line = {"session": memory.session, "role": "system", "name": SPEAKER, "host_id": f"working-{mark}"}
        [captured] = self.capture([json.dumps({**line, "content": text})])
        if not captured.ok:
            raise VaultError(
                f"the working memory was not cleared, as it could not be logged: {captured.error}"
            )
        return captured.id


def _path(session: str) -> str:
    return f"{FOLDER}/{file_stem(session)}.json"


# What the turns of a running session say of what it is at: its goal, its plan, its skill and what was done. Pure.

_COMMAND = re.compile(r"/[a-z][\w:-]*(?:\s|\Z)")  # to the host
# Plans as hosts keep them: `plan` of OpenClaw's progress_card and of Codex, `todos` of Claude Code.
_PLANS = ("plan", "todos", "steps", "tasks", "items")
_STEPS = ("step", "content", "title", "text", "description", "name")
_OVER = frozenset({"completed", "done", "cancelled", "canceled", "skipped"})
_SKILL_FILE = re.compile(r"(?:.*[/\\])?([a-z0-9][a-z0-9_-]{0,63})[/\\]SKILL\.md", re.IGNORECASE)
_SKILL_NAME = re.compile(r"[a-z0-9][a-z0-9_:-]{0,63}", re.IGNORECASE)


def fill(memory: WorkingMemory, turns: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The changes that these turns make to a working memory, in the form of `check`; what was set by hand stays.

    Args:
        memory: of their session; nothing is filled into an empty one before a person has asked for something.
        turns: lines of its log, the oldest first.
    """
    changes: dict[str, Any] = {}
    begun, observed = not memory.empty, list(memory.observations)
    for turn in turns:
        if turn.get("role") == "user" and not memory.goal and "goal" not in changes:
            # A greeting, or a command to the host, asks for nothing.
            content = turn.get("content")
            text = one_line(content) if isinstance(content, str) else ""
            request = "" if _COMMAND.match(text) or is_filler(text) else shorten(text, SHORT)
            if request and "goal" not in memory.by_hand:
                changes["goal"] = request
            begun = begun or bool(request)
        elif begun and turn.get("role") == "tool":
            for key, value in _call_changes(turn):
                if key != "observations":
                    changes[key] = value
                elif observed[-1:] != value:
                    observed += value
                    changes.setdefault(key, []).extend(value)
    return {key: value for key, value in changes.items() if SAME.get(key, key) not in memory.by_hand}


def _call_changes(turn: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What one call of a tool says: the plan, the skill that is read, or that it was called."""
    from memoryclaw.consolidation.exchanges import call_text, of_memory, unwrap  # noqa: PLC0415 - a recall only reads

    tool, args = turn.get("tool"), turn.get("args")
    if not isinstance(tool, str):
        return
    tool, args = unwrap(tool, args)
    if of_memory(tool):
        return
    args = args if isinstance(args, Mapping) else {}
    plan, skill = _plan_in(args), _skill(tool, args)
    if plan is not None and turn.get("ok") is not False:
        yield "plan", plan
    elif skill and turn.get("ok") is not False:
        yield "active_skill", skill
    else:
        phrase = call_text(one_line(tool), args, failed=turn.get("ok") is False).phrase
        yield "observations", [shorten(phrase, SHORT)]


def _plan_in(args: Mapping[str, Any]) -> list[str] | None:
    """The steps that are still to do, where the arguments are a plan: a list of steps that each have a status."""
    for key in _PLANS:
        steps = args.get(key)
        if isinstance(steps, list) and steps and all(isinstance(s, Mapping) and "status" in s for s in steps):
            open_ = (step for step in steps if str(step["status"]).lower() not in _OVER)
            return [shorten(text, SHORT) for step in open_ if (text := _first(step, _STEPS))]
    return None


def _skill(tool: str, args: Mapping[str, Any]) -> str:
    """The skill that a call reads: its SKILL.md, or its name where the tool is for skills."""
    for value in args.values():
        if isinstance(value, str) and (hit := _SKILL_FILE.fullmatch(value.strip())):
            return hit[1]
    name = _first(args, ("skill", "name", "command")) if tool.lower() == "skill" else ""
    return name if _SKILL_NAME.fullmatch(name) else ""


def _first(place: Mapping[str, Any], keys: Collection[str]) -> str:
    texts = (place[key] for key in keys if isinstance(place.get(key), str))
    return next((text for raw in texts if (text := one_line(raw))), "")
