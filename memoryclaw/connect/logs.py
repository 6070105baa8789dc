"""Imports the logs of other programs. The source is only read, and a second import adds nothing."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

from memoryclaw.capture.capture import CaptureResult, Recorder
from memoryclaw.capture.log_files import FOLDER
from memoryclaw.errors import InputError
from memoryclaw.model import Problem
from memoryclaw.ports import Progress
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.vault.layout import on_disk
from memoryclaw.vault.logs import read_markdown_log

FORMATS = ("markdown", "openclaw", "jsonl")
_HEADERS = (
    "session",
    "session_meta",
    "turn_context",
)  # records that say of which session, and where, the others are
_BATCH = 2000
_SUFFIXES = {".md": "markdown", ".jsonl": "jsonl"}
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_HINT = "the other lines were imported"
# A line to capture, and where it stands in its file.
_Lines = Iterator[tuple[int, str]]


class Imported(NamedTuple):
    """What an import did."""

    files: int = 0
    added: int = 0
    again: int = 0  # turns that were here already
    left_out: int = 0
    redacted: int = 0
    problems: tuple[Problem, ...] = ()


def import_logs(
    recorder: Recorder, root: str, source: str, *, format_: str = "", progress: Progress | None = None
) -> Imported:
    """Imports one log, or all below a folder.

    Args:
        recorder: captures into the vault.
        root: the vault's folder.
        source: a file or a folder.
        format_: one of FORMATS; told from each file when empty.
        progress: told (done, total) after each file.
    """
    source = os.path.abspath(os.path.expanduser(source))
    if not os.path.exists(source):
        raise InputError(f"there is no file or folder {source}")
    own = os.path.realpath(on_disk(root, FOLDER))
    if os.path.commonpath([os.path.realpath(source), own]) == own:
        raise InputError(f"{source} lies in the vault's own logs, which are searched already")
    if source.lower().endswith(".zip") and os.path.isfile(source):
        raise InputError(
            f"{source} is a zip; `import chatgpt` and `import claude` read theirs, logs must be unpacked"
        )
    found = _files(source, format_)
    total = Imported()
    for number, path in enumerate(found, 1):
        total = _add(total, _one(recorder, path, format_))
        if progress:
            progress(number, len(found))
    return total


def _files(source: str, format_: str) -> list[str]:
    if os.path.isfile(source):
        return [source]
    wanted = (".md",) if format_ == "markdown" else (".jsonl",) if format_ else tuple(_SUFFIXES)
    found: list[str] = []
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [
            os.path.join(folder, name)
            for name in sorted(names)
            if name.endswith(wanted) and not name.startswith(".")
        ]
    return [path for path in found if os.path.isfile(path)]


def _one(recorder: Recorder, path: str, format_: str) -> Imported:
    try:
        with open(path, "rb") as file:
            text = readable(decode(file.read()).text)
            day = f"{datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC):%Y-%m-%d}"
    except OSError as error:
        return Imported(
            problems=(Problem(path, 1, f"cannot be read ({error.strerror})", "check its permissions"),)
        )
    stem = os.path.splitext(os.path.basename(path))[0]
    dated = _DAY.search(os.path.basename(path)) or _DAY.search(os.path.basename(os.path.dirname(path)))
    day = dated[0] if dated else day
    kind = format_ or _kind(path, text)
    readers = {"markdown": _markdown, "openclaw": _session_file, "jsonl": _plain}
    return _captured(recorder, path, stem, readers[kind](stem, text, day))


def _kind(path: str, text: str) -> str:
    if not path.endswith(".jsonl"):
        return "markdown"
    first = _object(text.partition("\n")[0])
    return "openclaw" if first.get("type") in {*_HEADERS, "message", "model_change"} else "jsonl"


def _captured(recorder: Recorder, path: str, stem: str, lines: _Lines) -> Imported:
    total = Imported(files=1)
    while batch := list(islice(lines, _BATCH)):
        acks = recorder.capture((text for _, text in batch), session=stem)
        total = _add(total, _counted(path, [number for number, _ in batch], acks))
    return total


def _counted(path: str, places: list[int], acks: list[CaptureResult]) -> Imported:
    refused = [Problem(path, places[ack.line - 1], ack.error, _HINT) for ack in acks if not ack.ok]
    return Imported(
        added=sum(ack.ok and not ack.again and not ack.left_out for ack in acks),
        again=sum(ack.again for ack in acks),
        left_out=sum(bool(ack.left_out) for ack in acks),
        redacted=sum(ack.redacted for ack in acks),
        problems=tuple(refused),
    )


def _markdown(stem: str, text: str, day: str) -> _Lines:
    parts = split(text)
    for number, turn in enumerate(read_markdown_log(stem, parts.meta, parts.body, parts.body_line).turns, 1):
        if turn.text:
            fields = {
                "session": turn.session,
                "ts": turn.ts or day,
                "role": turn.role or "note",
                "content": turn.text,
            }
            yield turn.line, json.dumps({"id": _host_id(stem, number, turn.text), **fields})


def _session_file(stem: str, text: str, _day: str) -> _Lines:
    """A session file of OpenClaw or Codex: a header, then records."""
    about: dict[str, Any] = {"session": stem}
    for number, line in enumerate(text.split("\n"), 1):
        record = _object(line)
        inner = record.get("payload", record)
        if record.get("type") in _HEADERS and isinstance(inner, dict):
            about |= {"session": str(inner.get("id") or stem)} if record["type"] != "turn_context" else {}
            if record["type"] != "session":  # the workspace of an agent of OpenClaw is no project
                about |= {"cwd": inner["cwd"]} if inner.get("cwd") else {}
                about |= (
                    {"gitBranch": inner["git"].get("branch")} if isinstance(inner.get("git"), dict) else {}
                )
        elif isinstance(record.get("message"), dict) or isinstance(record.get("payload"), dict):
            host = record.get("id") or _host_id(stem, number, line)
            yield number, json.dumps({**about, **record, "id": host, "session": about["session"]})
        elif line.strip():
            yield number, line


def _plain(stem: str, text: str, day: str) -> _Lines:
    """JSON lines of any host; what has no turn of its own is known by its line."""
    for number, line in enumerate(text.split("\n"), 1):
        record = _object(line)
        if not line.strip():
            continue
        if not record:
            yield number, line
            continue
        named = any(
            record.get(key) for key in ("turn", "id", "messageId", "message_id", "uuid", "idempotencyKey")
        )
        dated = any(
            record.get(key) for key in ("ts", "timestamp", "time", "created_at", "createdAt", "message")
        )
        known: dict[str, Any] = {} if named else {"id": _host_id(stem, number, line)}
        yield number, json.dumps({**record, **known, **({} if dated else {"ts": day})})


def _host_id(stem: str, number: int, text: str) -> str:
    """How a turn that its host did not name is known again, though another file of this name be imported too."""
    return f"{stem}:{number}:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _add(one: Imported, other: Imported) -> Imported:
    return Imported(*(a + b for a, b in zip(one, other, strict=True)))  # type: ignore[operator]
