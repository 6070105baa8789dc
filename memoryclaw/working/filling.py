"""What the turns of a running session say of what it is at: its goal, its plan, its skill and what was done. Pure.

The words of a person and the calls of the agent are read, never what a tool answered: a result may come from anywhere, and working
memory stands in prompts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from memoryclaw.consolidation.tool_calls import call_text, of_memory, unwrap
from memoryclaw.text.fillers import is_filler
from memoryclaw.text.prompts import one_line
from memoryclaw.working.memory import SHORT, WorkingMemory, shorten

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
            request = _request(turn.get("content"))
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
    return {key: value for key, value in changes.items() if _IN_FILE.get(key, key) not in memory.by_hand}


_IN_FILE = {"observations": "recent_observations"}


def _request(content: Any) -> str:
    """What a person asks for, in short; empty for a greeting or a command to the host."""
    text = one_line(content) if isinstance(content, str) else ""
    return "" if _COMMAND.match(text) or is_filler(text) else shorten(text, SHORT)


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
            texts = (_first(step, _STEPS) for step in open_)
            return [shorten(text, SHORT) for text in texts if text]
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
