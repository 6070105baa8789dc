"""Imports the logs of other programs. The source is only read, and a second import adds nothing."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from memoryclaw.capture.capture import Recorder
from memoryclaw.capture.host_turns import session_of
from memoryclaw.capture.log_files import FOLDER
from memoryclaw.connect.archives import Part, files_below, opened
from memoryclaw.connect.importing import TURNS, SourceReading
from memoryclaw.connect.sources import BytesRead, HostConversation, Source
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Problem
from memoryclaw.ports import Progress
from memoryclaw.text.encoding import decode, json_object, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.vault.layout import on_disk
from memoryclaw.vault.logs import read_markdown_log

# Records that say of which session, and where, the others are.
_HEADERS = ("session", "session_meta", "turn_context")
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NAMED = ("turn", "id", "messageId", "message_id", "uuid", "idempotencyKey")
_DATED = ("ts", "timestamp", "time", "created_at", "createdAt", "message")
_UNREAD = "check its permissions"
_LOGS = re.compile(r"\.(?:md|jsonl)$")
# A line to capture, and where it stands in its file.
_Lines = Iterator[tuple[int, dict[str, Any] | str]]


class Imported(NamedTuple):
    """What an import did."""

    files: int = 0
    added: int = 0
    again: int = 0  # turns that were here already
    left_out: int = 0
    redacted: int = 0
    problems: tuple[Problem, ...] = ()


def import_logs(recorder: Recorder, root: str, source: str, *, progress: Progress | None = None) -> Imported:
    """Imports one log, or all below a folder.

    Args:
        progress: told (done, total) after each file.
    """
    source = os.path.abspath(os.path.expanduser(source))
    if not os.path.exists(source):
        raise InputError(f"there is no file or folder {source}")
    own_logs = os.path.realpath(on_disk(root, FOLDER))
    if os.path.commonpath([os.path.realpath(source), own_logs]) == own_logs:
        raise InputError(f"{source} lies in the vault's own logs, which are searched already")
    if source.lower().endswith(".zip") and os.path.isfile(source):
        why = "`import chatgpt` and `import claude` read theirs, logs must be unpacked"
        raise InputError(f"{source} is a zip; {why}")
    logs = Source("logs", "", _LOGS, _read)
    below = (path for path, name in files_below(source, links=True) if logs.files.search(name))
    paths = [source] if os.path.isfile(source) else list(below)
    reading = SourceReading(recorder)
    reading.run(logs, [Part(path, partial(opened, path), 1) for path in paths], progress)
    unread = sum(problem.hint == _UNREAD for problem in reading.problems)
    added, again, redacted = (reading.totals[key] for key in ("added", "again", "redacted"))
    left_out, problems = reading.left_out.total(), tuple(reading.problems)
    return Imported(len(paths) - unread, added, again, left_out, redacted, problems)


def _read(part: Part, advance: BytesRead) -> Iterator[HostConversation | Problem]:
    """A log, some thousand lines at a time."""
    folder, name = os.path.split(part.name)
    try:
        with part.open() as file:
            text = readable(decode(file.read()).text)
            day = f"{datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC):%Y-%m-%d}"
    except OSError as error:
        yield Problem(part.name, 1, f"cannot be read ({error.strerror})", _UNREAD)
        advance(1)
        return
    stem = os.path.splitext(name)[0]
    dated = _DAY.search(name) or _DAY.search(os.path.basename(folder))
    reader: Callable[[str, str, str], _Lines] = _markdown
    if name.endswith(".jsonl"):
        first = json_object(text.partition("\n")[0])
        reader = _session_file if first.get("type") in (*_HEADERS, "message", "model_change") else _plain
    lines = reader(stem, text, dated[0] if dated else day)
    while batch := list(islice(lines, TURNS)):
        # A turn that names no session is of that of its file.
        turns = [
            turn if isinstance(turn, str) or session_of(turn) else {**turn, "session": stem}
            for _, turn in batch
        ]
        yield HostConversation(stem, "", tuple(turns), tuple((part.name, number) for number, _ in batch))
    advance(1)


def _markdown(stem: str, text: str, day: str) -> _Lines:
    blocks = split(text)
    turns = read_markdown_log(stem, blocks.meta, blocks.body, blocks.body_line).turns
    for number, turn in enumerate(turns, 1):
        if turn.text:
            fields = {"ts": turn.ts or day, "role": turn.role or "note", "content": turn.text}
            yield turn.line, {"id": _host_id(stem, number, turn.text), "session": turn.session, **fields}


def _session_file(stem: str, text: str, _day: str) -> _Lines:
    """A session file of OpenClaw or Codex: a header, then records."""
    about: dict[str, Any] = {"session": stem}
    for number, line in enumerate(text.split("\n"), 1):
        record = json_object(line)
        inner = record.get("payload", record)
        if record.get("type") in _HEADERS and isinstance(inner, dict):
            about |= {"session": str(inner.get("id") or stem)} if record["type"] != "turn_context" else {}
            if record["type"] != "session":  # the workspace of an agent of OpenClaw is no project
                about |= {"cwd": inner["cwd"]} if inner.get("cwd") else {}
                git = inner.get("git")
                about |= {"gitBranch": git.get("branch")} if isinstance(git, dict) else {}
        elif isinstance(record.get("message"), dict) or isinstance(record.get("payload"), dict):
            host = record.get("id") or _host_id(stem, number, line)
            yield number, {**about, **record, "id": host, "session": about["session"]}
        elif line.strip():
            yield number, record or line


def _plain(stem: str, text: str, day: str) -> _Lines:
    """JSON lines of any host; what has no turn of its own is known by its line."""
    for number, line in enumerate(text.split("\n"), 1):
        record = json_object(line)
        if not record:
            yield from [(number, line)] if line.strip() else []
            continue
        own = {} if any(map(record.get, _NAMED)) else {"id": _host_id(stem, number, line)}
        yield number, {**record, **own, **({} if any(map(record.get, _DATED)) else {"ts": day})}


def _host_id(stem: str, number: int, text: str) -> str:
    """How a turn that its host did not name is known again, though another file of this name be imported too."""
    return f"{stem}:{number}:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
