"""Carries out the hooks of a host: a context before a prompt, the new turns after an answer.

A running daemon is asked first, because it answers at once; without one the work is done here, with the same result.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from memoryclaw.capture.log_files import Logs, begin_session, end_session
from memoryclaw.capture.log_records import file_stem
from memoryclaw.connect import PLAIN
from memoryclaw.daemon.client import ask_daemon
from memoryclaw.errors import InputError
from memoryclaw.model import AGENT
from memoryclaw.model import Turn as LogTurn
from memoryclaw.text.host_marks import without_marks
from memoryclaw.text.prompts import estimate, fence_block, item, one_line
from memoryclaw.vault import files
from memoryclaw.vault.audience import may_see
from memoryclaw.vault.layout import on_disk, timestamp
from memoryclaw.vault.logs import read_jsonl
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
    if ends_session(hook):
        end_session(root, session_of(hook))
    elif _text(hook, "hook_event_name"):
        begin_session(root, session_of(hook))


def _text(hook: Mapping[str, Any], *keys: str) -> str:
    return next((value for key in keys if isinstance(value := hook.get(key), str) and value), "")


# latest.md: the last session, for hosts that can only read a file. It is replaced whole, and never by nothing.

PATH = "working/latest.md"
_DAYS = 2  # of a session's logs: what happened last stands at their end


def write_latest(
    root: str, logs: Logs, session: str, *, working: Sequence[str], budget: int, now: datetime
) -> str:
    """Writes down how a session ended; returns the path, or nothing when there is nothing to say.

    Args:
        budget: tokens of the block at most.
    """
    context = block(_turns(root, logs, session), working, budget)
    if not context:
        return ""
    name = one_line(session).replace("-->", "").replace("--", "-")  # which ends no comment
    head = f"<!-- How session {name} ended at {timestamp(now)}; written by memoryclaw, not to be edited. -->"
    data = f"{head}\n{context}\n".encode("utf-8", "replace")
    files.write_file(root, PATH, data, files.digest_at(root, PATH))
    return PATH


def _turns(root: str, logs: Logs, session: str) -> list[LogTurn]:
    if not os.path.isdir(on_disk(root, "logs")):
        return []
    stem = file_stem(session)
    turns: list[LogTurn] = []
    for path in logs.of_session(stem)[-_DAYS:]:
        text = b"\n".join(logs.lines(path, 0)).decode("utf-8", "replace")
        turns += [
            turn
            for turn in read_jsonl(stem, text).turns
            if turn.session == session and may_see(AGENT, turn.audience)
        ]
    return turns


# The end of a session as one fenced block: its working memory and its last turns.

_TRUST = {"user": "trusted"}  # what anybody else said may have come from anywhere
_SPOKEN = frozenset({"user", "assistant"})
_LONGEST = 600  # characters that are quoted of one turn


def block(turns: Sequence[LogTurn], working: Sequence[str], budget: int) -> str:
    """The block, the newest turns last; empty when there is nothing to say.

    Args:
        turns: of the session, the oldest first.
        working: the lines of its working memory, escaped already, or none.
        budget: tokens of the whole block; the oldest turns go first.
    """
    shown: list[LogTurn] = []
    for turn in reversed([turn for turn in turns if turn.role in _SPOKEN and turn.text.strip()]):
        if estimate(_fence([turn, *shown], working)) > budget:
            break
        shown.insert(0, turn)
    return _fence(shown, working) if shown or working else ""


def _fence(turns: Sequence[LogTurn], working: Sequence[str]) -> str:
    groups = groupby(turns, key=lambda turn: _TRUST.get(turn.role, "unknown"))
    return fence_block([(trust, list(map(_line, group))) for trust, group in groups], working)


def _line(turn: LogTurn) -> str:
    text, short = turn.text, turn.text[:_LONGEST]
    text = text if text == short else f"{short.rpartition(' ')[0] or short} …"
    return item(turn.id, f"{turn.name or turn.role}: {text}", turn.ts)


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
