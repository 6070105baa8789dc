"""What a hook is called with, and what it does: a context before a prompt, the new turns after an answer.

The rule: a running daemon is asked first, because it answers at once; without one the own work does the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memoryclaw.core.errors import InputError
from memoryclaw.core.hosts.replies import question_of
from memoryclaw.core.hosts.words import spoken
from memoryclaw.jobs.served import served, state_of

if TYPE_CHECKING:
    from memoryclaw.jobs.hosts.transcripts import Turn

PATIENCE = 0.9  # seconds that a host waits for a context before the prompt goes on without one
_ANSWER = 5.0  # seconds that a daemon is given to keep turns
_LONGEST_NAME = 200


def context_for(hook: Mapping[str, Any], root: str, own: Callable[[str, str], str], end: float) -> str | None:
    """What `own` gives for the words of a prompt, or the daemon's context; None when it would take too long.

    Args:
        hook: what the host handed over.
        root: the vault's folder.
        own: (question, session) → the context, worked out in a process of its own.
        end: when it is too late, on the monotonic clock.
    """
    question, session = question_of(spoken(_text(hook, "prompt", "query"))), session_of(hook)
    if not question.strip():
        return ""
    asked = {"query": question, **({"session": session} if session else {})}
    answer = served(root, "POST", "/v1/recall", asked, end - time.monotonic())
    if answer is not None and isinstance(answer.get("context"), str):
        return str(answer["context"])
    from memoryclaw.adapters.aside import within  # noqa: PLC0415 - only where no daemon answers

    return within(max(0.0, end - time.monotonic()), lambda: own(question, session))


def keep_turns(
    hook: Mapping[str, Any], root: str, own: Callable[[Sequence[Turn]], Sequence[Turn]]
) -> dict[str, int]:
    """Keeps the turns that the host handed over or wrote to its transcript; returns what became of them, counted."""
    from memoryclaw.jobs.hosts.transcripts import count, keep_new  # noqa: PLC0415 - a prompt needs none of it

    session = session_of(hook)

    def keep(turns: Sequence[Turn]) -> Sequence[Turn]:
        answer = served(root, "POST", "/v1/capture", {"turns": list(turns), "session": session}, _ANSWER)
        kept = (answer or {}).get("acknowledged")
        return kept if isinstance(kept, list) and len(kept) == len(turns) else own(turns)

    if not session:
        raise InputError('this hook names no session; give it "session_id"')
    given = hook.get("turns")
    if isinstance(given, list):
        counts = dict.fromkeys(("kept", "again", "left_out", "refused"), 0)
        count(counts, keep([{"session": session, **turn} for turn in given if isinstance(turn, Mapping)]))
        return counts
    path = _text(hook, "transcript_path")
    if not path:
        raise InputError('this hook brings nothing to keep; give it "transcript_path" or "turns"')
    return keep_new(path, session, state_of(root), keep)


def session_of(hook: Mapping[str, Any]) -> str:
    """The session that a hook was called for; a transcript is named after its own."""
    named = _text(hook, "session_id", "session")
    path = _text(hook, "transcript_path")
    return (named or os.path.splitext(os.path.basename(path))[0])[:_LONGEST_NAME]


def ends_session(hook: Mapping[str, Any]) -> bool:
    """True when the host says that its session is over."""
    return hook.get("hook_event_name") == "SessionEnd"


def _text(hook: Mapping[str, Any], *keys: str) -> str:
    return next((value for key in keys if isinstance(value := hook.get(key), str) and value), "")
