"""latest.md: what happened last, for hosts that can read a file and nothing else. The rule: it is replaced whole, and only by more than nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime

from memoryclaw.adapters import files
from memoryclaw.adapters.logs import Logs
from memoryclaw.core.fence import one_line
from memoryclaw.core.hosts.lastsession import block
from memoryclaw.core.logrecords import file_stem
from memoryclaw.core.logs import read_jsonl
from memoryclaw.core.model import Turn
from memoryclaw.core.naming import timestamp

PATH = "working/latest.md"
_DAYS = 2  # of a session's logs: what happened last stands at their end


def write_latest(
    root: str, logs: Logs, session: str, *, working: Sequence[str], budget: int, now: datetime
) -> str:
    """Writes down how a session ended; returns the path, or nothing when there is nothing to say.

    Args:
        root: the vault's folder.
        logs: its logs.
        session: the one that ended.
        working: the lines of its working memory.
        budget: tokens of the block at most.
        now: when it ended.
    """
    said = block(_turns(root, logs, session), working, budget)
    if not said:
        return ""
    head = f"<!-- How session {_harmless(session)} ended at {timestamp(now)}; written by memoryclaw, not to be edited. -->"
    data = f"{head}\n{said}\n".encode("utf-8", "replace")
    files.write_file(root, PATH, data, files.digest_at(root, PATH))
    return PATH


def _turns(root: str, logs: Logs, session: str) -> list[Turn]:
    if not os.path.isdir(os.path.join(root, "logs")):
        return []
    stem = file_stem(session)
    found: list[Turn] = []
    for path in logs.of_session(stem)[-_DAYS:]:
        text = b"\n".join(logs.lines(path, 0)).decode("utf-8", "replace")
        found += [turn for turn in read_jsonl(stem, text).turns if turn.session == session]
    return found


def _harmless(session: str) -> str:
    """A session's name that ends no comment."""
    return one_line(session).replace("-->", "").replace("--", "-")
