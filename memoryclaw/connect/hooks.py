"""Carries out the hooks of a host: a context before a prompt, the new turns after an answer.

A running daemon is asked first, because it answers at once; without one the work is done here, with the same result.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memoryclaw.connect import PLAIN
from memoryclaw.daemon.client import ask_daemon
from memoryclaw.errors import InputError
from memoryclaw.text.host_marks import without_marks
from memoryclaw.vault.state_folder import state_folder

if TYPE_CHECKING:
    from memoryclaw.connect.transcripts import Turn

PATIENCE = 0.9  # seconds that a host waits for a context before the prompt goes on without one
_ANSWER = 5.0  # seconds that a daemon is given to keep turns
_LONGEST_NAME = 200


def context_for(
    hook: Mapping[str, Any], root: str, own: Callable[[str, str, str], str], end: float, audience: str
) -> str | None:
    """What `own` gives for the words of a prompt, or the daemon's context; None when it would take too long.

    Args:
        own: (question, session, folder) → the context, worked out in a process of its own.
        end: when it is too late, on the monotonic clock.
    """
    question, session = question_of(without_marks(_text(hook, "prompt", "query")).own), session_of(hook)
    if not question.strip():
        return ""
    folder = _text(hook, "cwd")  # that is worked in, where the host says so
    about = {"session": session, "folder": folder}
    request = {"query": question, **{key: value for key, value in about.items() if value}}
    answer = ask_daemon(root, "POST", "/v1/recall", request, end - time.monotonic(), audience=audience)
    if answer is not None and isinstance(answer.get("context"), str):
        return str(answer["context"])
    from memoryclaw.daemon.processes import within  # noqa: PLC0415 - only where no daemon answers

    return within(max(0.0, end - time.monotonic()), lambda: own(question, session, folder))


def keep_turns(
    hook: Mapping[str, Any], root: str, own: Callable[[Sequence[Turn]], Sequence[Turn]], audience: str
) -> dict[str, int]:
    """Keeps the turns that the host handed over or wrote to its transcript; returns what became of them, counted."""
    from memoryclaw.connect.transcripts import count, keep_new  # noqa: PLC0415 - a prompt needs none of it

    session = session_of(hook)

    def keep(turns: Sequence[Turn]) -> Sequence[Turn]:
        request = {"turns": list(turns), "session": session}
        answer = ask_daemon(root, "POST", "/v1/capture", request, _ANSWER, audience=audience)
        receipts = (answer or {}).get("acknowledged")
        return receipts if isinstance(receipts, list) and len(receipts) == len(turns) else own(turns)

    if not session:
        raise InputError('this hook names no session; give it "session_id"')
    brought = hook.get("turns")
    if isinstance(brought, list):
        counts = dict.fromkeys(("kept", "again", "left_out", "refused"), 0)
        count(counts, keep([{"session": session, **turn} for turn in brought if isinstance(turn, Mapping)]))
        return counts
    path = _text(hook, "transcript_path")
    if not path:
        raise InputError('this hook brings nothing to keep; give it "transcript_path" or "turns"')
    return keep_new(path, session, state_folder(root), keep)


def session_of(hook: Mapping[str, Any]) -> str:
    """The session that a hook was called for; a transcript is named after its own."""
    named = _text(hook, "session_id", "session")
    path = _text(hook, "transcript_path")
    return (named or os.path.splitext(os.path.basename(path))[0])[:_LONGEST_NAME]


def ends_session(hook: Mapping[str, Any]) -> bool:
    """True when the host says that its session is over."""
    return hook.get("hook_event_name") == "SessionEnd"


def note_session(hook: Mapping[str, Any], root: str) -> None:
    """Notes that a session is under way, or over: of a host that tells of its events, and so of the end as well."""
    from memoryclaw.capture.log_files import begin_session, end_session  # noqa: PLC0415 - a prompt needs none of it

    if ends_session(hook):
        end_session(root, session_of(hook))
    elif _text(hook, "hook_event_name"):
        begin_session(root, session_of(hook))


def _text(hook: Mapping[str, Any], *keys: str) -> str:
    return next((value for key in keys if isinstance(value := hook.get(key), str) and value), "")


# The answer of a hook in the shape its host expects, also where there is no context.

# Of each end of a long prompt; a question counts with 32 words, and no daemon takes endless ones.
WORDS, CHARACTERS = 16, 600


def context_of(host: str, context: str) -> dict[str, Any]:
    """The answer of `hook pre`; Claude Code puts the context beside the prompt."""
    if host == PLAIN:
        return {"context": context}
    return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}


def post_answer(host: str, counts: Mapping[str, int]) -> dict[str, Any]:
    """The answer of `hook post`; Claude Code wants none, and reads unknown keys as a mistake."""
    return dict(counts) if host == PLAIN else {}


def question_of(prompt: str) -> str:
    """As much of a long prompt as is asked: its beginning and its end, where questions stand."""
    words = prompt.split()
    if len(words) <= 2 * WORDS and len(prompt) <= 2 * CHARACTERS:
        return prompt
    middle = min(WORDS, len(words) // 2)
    return f"{' '.join(words[:middle])[:CHARACTERS]} {' '.join(words[middle:][-WORDS:])[-CHARACTERS:]}"
