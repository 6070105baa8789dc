"""What may be put into a working memory: JSON of a host or of a file, checked and made harmless. Pure.

The rule: what is not understood is refused by name, and what is marked private never gets in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memoryclaw.core.errors import InputError
from memoryclaw.core.fence import one_line, visible
from memoryclaw.core.hostturns import NAME_LENGTH
from memoryclaw.core.markers import unmarked
from memoryclaw.core.model import Problem
from memoryclaw.core.turnshapes import cleaned
from memoryclaw.core.working import SHORTER, WorkingMemory, changed

KEYS = ("task", "goal", "plan", "facts", "recent_observations", "active_skill")
_SAME = {"observations": "recent_observations"}
_ASIDE = "the next change sets it aside under another name and begins anew"
_TEXTS = ("task", "goal", "active_skill")
Clean = Callable[[str], str]


def session_named(session: str) -> str:
    """The session as its log names it."""
    name = one_line(session)[:NAME_LENGTH].strip()
    if not name:
        raise InputError("a working memory belongs to a session; name it")
    return name


def checked(changes: Mapping[str, Any], clean: Clean | None = None) -> dict[str, Any]:
    """The changes with clean texts.

    `task`, `goal` and `active_skill` are set, `plan` is replaced, `facts` are added or replaced (null removes one),
    `recent_observations` are appended.

    Args:
        changes: as a host or a file gives them.
        clean: makes a text fit to be kept; by default, as a host's text needs it.

    Raises:
        InputError: a key is unknown, or its value is of another kind.
    """
    given = {_SAME.get(key, key): value for key, value in changes.items()}
    unknown = [str(key) for key in given if key not in KEYS]
    if unknown:
        raise InputError(
            f"a working memory has no {', '.join(map(repr, unknown))}; it has {', '.join(KEYS[:-1])} and {KEYS[-1]}"
        )
    clean = clean or _clean
    found: dict[str, Any] = {key: _text(key, given[key], clean) for key in _TEXTS if key in given}
    if "plan" in given:
        found["plan"] = _texts("plan", given["plan"], clean)
    if "facts" in given:
        found["facts"] = _facts(given["facts"], clean)
    if "recent_observations" in given:
        found["observations"] = _texts("recent_observations", given["recent_observations"], clean)
    return found


def stored(memory: WorkingMemory) -> dict[str, Any]:
    """A working memory as its file holds it."""
    return {
        "session": memory.session,
        "updated": memory.updated,
        "task": memory.task,
        "goal": memory.goal,
        "plan": list(memory.plan),
        "facts": dict(memory.facts),
        "recent_observations": list(memory.observations),
        "active_skill": memory.active_skill,
    }


def restored(value: Any, session: str, path: str) -> WorkingMemory:
    """The working memory that a file holds; an empty one with the problem when it holds none of this session."""
    if not isinstance(value, Mapping):
        return unusable(session, path, "this file is no JSON object")
    if value.get("session") != session:
        return unusable(session, path, f"this file is not the working memory of session {session}")
    rest = {key: inner for key, inner in value.items() if key not in ("session", "updated")}
    updated = value.get("updated")
    try:
        return changed(
            WorkingMemory(session=session), checked(rest, str), updated if isinstance(updated, str) else ""
        )
    except InputError as error:
        return unusable(session, path, str(error))


def unusable(session: str, path: str, why: str, hint: str = _ASIDE) -> WorkingMemory:
    """An empty working memory that tells why its file cannot be used, and what becomes of it."""
    return WorkingMemory(session=session, problems=(Problem(path, 0, why, hint),))


def _text(key: str, value: Any, clean: Clean) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{key!r} must be a text")
    return clean(value)


def _texts(key: str, value: Any, clean: Clean) -> list[str]:
    if value is None:
        return []
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise InputError(f"{key!r} must be a list of texts")
    return [text for item in items if (text := clean(item))]


def _facts(value: Any, clean: Clean) -> dict[str, str | None]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError('\'facts\' must be an object of texts, such as {"recipient": "John"}')
    found: dict[str, str | None] = {}
    for key, inner in value.items():
        name = one_line(str(key))[:SHORTER].strip()
        if not name:
            raise InputError("a fact of a working memory needs a name")
        if inner is not None and not isinstance(inner, str | int | float):
            raise InputError(f"the fact {name!r} must be a text, a number, true, false or null")
        found[name] = None if inner is None else clean(_said(inner))
    return found


def _said(value: str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _clean(text: str) -> str:
    """The text without what hosts wrapped around it, what was marked private and what nobody can see."""
    return visible(unmarked(cleaned(text)).text).strip()
