"""latest.md: the last session, for hosts that can only read a file. It is replaced whole, and never by nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from memoryclaw.capture.log_files import Logs
from memoryclaw.capture.log_records import file_stem
from memoryclaw.model import AGENT, Turn
from memoryclaw.text.prompts import estimate, fence_block, item, one_line
from memoryclaw.vault import files
from memoryclaw.vault.audience import may_see
from memoryclaw.vault.layout import on_disk, timestamp
from memoryclaw.vault.logs import read_jsonl

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


def _turns(root: str, logs: Logs, session: str) -> list[Turn]:
    if not os.path.isdir(on_disk(root, "logs")):
        return []
    stem = file_stem(session)
    turns: list[Turn] = []
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


def block(turns: Sequence[Turn], working: Sequence[str], budget: int) -> str:
    """The block, the newest turns last; empty when there is nothing to say.

    Args:
        turns: of the session, the oldest first.
        working: the lines of its working memory, escaped already, or none.
        budget: tokens of the whole block; the oldest turns go first.
    """
    shown: list[Turn] = []
    for turn in reversed([turn for turn in turns if turn.role in _SPOKEN and turn.text.strip()]):
        if estimate(_fence([turn, *shown], working)) > budget:
            break
        shown.insert(0, turn)
    return _fence(shown, working) if shown or working else ""


def _fence(turns: Sequence[Turn], working: Sequence[str]) -> str:
    groups = groupby(turns, key=lambda turn: _TRUST.get(turn.role, "unknown"))
    return fence_block([(trust, list(map(_line, group))) for trust, group in groups], working)


def _line(turn: Turn) -> str:
    text, short = turn.text, turn.text[:_LONGEST]
    text = text if text == short else f"{short.rpartition(' ')[0] or short} …"
    return item(turn.id, f"{turn.name or turn.role}: {text}", turn.ts)
