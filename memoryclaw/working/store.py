"""Working memories on disk: `working/<session>.json`. Concurrent changes are all kept, and what is dropped goes to the log."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from memoryclaw.capture.capture import CaptureResult, KeptTurn
from memoryclaw.capture.log_records import file_stem
from memoryclaw.consolidation.tool_calls import call_text, of_memory, unwrap
from memoryclaw.errors import MemoryClawError, NotFoundError, VaultError
from memoryclaw.model import AGENT
from memoryclaw.text.fillers import is_filler
from memoryclaw.text.prompts import one_line
from memoryclaw.vault import files
from memoryclaw.vault.audience import may_see, of_folders
from memoryclaw.vault.files import folder_lock
from memoryclaw.vault.layout import timestamp, writable_moment
from memoryclaw.working.memory import (
    SAME,
    SHORT,
    WorkingMemory,
    as_text,
    change,
    check,
    dump,
    load,
    session_name,
    shorten,
    unusable,
)

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
    tool, args = turn.get("tool"), turn.get("args")
    if not isinstance(tool, str):
        return
    tool, args = unwrap(tool, args)
    if of_memory(tool):
        return
    args = args if isinstance(args, Mapping) else {}
    plan, skill = _plan(args), _skill(tool, args)
    if plan is not None and turn.get("ok") is not False:
        yield "plan", plan
    elif skill and turn.get("ok") is not False:
        yield "active_skill", skill
    else:
        phrase = call_text(one_line(tool), args, failed=turn.get("ok") is False).phrase
        yield "observations", [shorten(phrase, SHORT)]


def _plan(args: Mapping[str, Any]) -> list[str] | None:
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
