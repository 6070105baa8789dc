"""Makes the one line of a log from a turn: private parts left out, secrets redacted, payloads cut. Pure.

Every text passes through here before its first byte reaches a disk.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from memoryclaw.capture.host_turns import HostMessage, compact
from memoryclaw.late import NamedTuple
from memoryclaw.model import OWNER
from memoryclaw.text.redaction import MARK, TELLS, Redactor, asked_unkept
from memoryclaw.vault.audience import UNLABELLED, Label, join_labels, label_in, plain, private_spans
from memoryclaw.vault.layout import is_minted_id, slug
from memoryclaw.vault.logs import CUT

PAYLOAD = 8 * 1024  # bytes of one payload that a line holds; longer ones are cut
ARTIFACTS = "logs/artifacts"
_HEAD, _TAIL = 6 * 1024, 1024
_SURROGATE = re.compile("[\ud800-\udfff]")
_COMPARED = ("role", "name", "content", "tool", "args", "result", "ok")


class RedactedTurn(NamedTuple):
    """A turn as it may be written: the line's fields, the whole payloads by their digest, and the kinds of secrets taken out."""

    record: dict[str, Any]
    artifacts: dict[str, bytes]
    kinds: tuple[str, ...]
    left_out: str = ""  # why nothing of it may be kept


def redact_turn(said: HostMessage, redactor: Redactor) -> RedactedTurn:
    """The turn without what must not be kept."""
    values: dict[str, Any] = {
        "ts": said.ts, "tz": said.tz, "session": said.session, "turn": said.turn, "host_id": said.host_id, "role": said.role, "name": said.name,
        "cwd": said.cwd, "project": said.project, "topic": said.topic,
        "content": said.content, "calls": [list(call) for call in said.calls], "tool": said.tool, "args": said.args, "result": said.result, "ok": said.ok,
        "marks": [mark for mark in said.marks if _strip(mark) == (mark, UNLABELLED)],
    }  # fmt: skip
    marks = _Marks()
    for key in ("name", "topic", "content", "calls", "tool", "args", "result"):
        values[key] = marks.of(values[key])
    if marks.unlogged:
        return RedactedTurn({}, {}, (), "marked [NOMEM]")
    if said.role == "user" and asked_unkept(said.content) == TELLS:
        return RedactedTurn({}, {}, (), "its words ask that it is not kept")
    if said.role == "custom":
        return RedactedTurn({}, {}, (), "a note of the host to itself")
    if not any(values[key] not in (None, "", []) for key in ("content", "calls", "tool", "result")):
        return RedactedTurn({}, {}, (), "nothing that was said")
    said_here = {key: value for key, value in values.items() if value not in (None, "") or key == "content"}
    redacted = redactor.value(_whole(said_here))
    # As text only now: inside the arguments of a call a secret is known by the name it stands under.
    called = redacted.value.pop("calls")
    calls = (tool if args is None else f"{tool} {compact(args)}" for tool, args in called)
    redacted.value["content"] = "\n".join(filter(None, (redacted.value["content"], *calls)))
    record = {key: value for key, value in redacted.value.items() if value not in (None, "", [])}
    label = join_labels((said.label, marks.label))
    if label.audience:
        record["audience"] = label.audience
    if not label.export:
        record["export"] = False
    artifacts: dict[str, bytes] = {}
    for key in ("content", "args", "result", "marks"):
        if key in record:
            record[key] = _cut(record[key], artifacts)
    return RedactedTurn(record, artifacts, redacted.kinds)


def line_of(record: dict[str, Any]) -> bytes:
    """The bytes of one line of a log, its newline included."""
    return (json.dumps(record, ensure_ascii=False, separators=(", ", ": ")) + "\n").encode()


def likeness(record: dict[str, Any]) -> bytes:
    """A digest of what a line says, so that it is known again; fingerprints of secrets do not count."""
    text = json.dumps([record.get(key) for key in _COMPARED], ensure_ascii=False, sort_keys=True)
    if "[REDACTED:" in text:
        text = MARK.sub(r"[REDACTED:\1]", text)
    if "logs/artifacts/" in text:
        # A payload's artifact is named by its digest, which changes with the fingerprints in it.
        text = re.sub(r"logs/artifacts/[0-9a-f]{64}", "", text)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def file_stem(session: str) -> str:
    """The name of a session's file: the session itself where that is safe, else its words and six digits of its digest."""
    if is_minted_id(session):
        return session
    return f"{slug(session)}-{hashlib.sha256(session.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


class _Marks:
    """Reads the private marks of all texts of one turn."""

    def __init__(self) -> None:
        self.unlogged = False
        self.label = UNLABELLED

    def of(self, value: Any) -> Any:
        if isinstance(value, str):
            piece = _strip(value)
            if piece is None:
                self.unlogged = True
                return ""
            self.label = join_labels((self.label, piece[1]))
            return piece[0]
        if isinstance(value, dict):
            return {key: self.of(inner) for key, inner in value.items()}
        return [self.of(inner) for inner in value] if isinstance(value, list) else value


def _whole(value: Any) -> Any:
    """The value without lone surrogates, which no file can hold."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_whole(key): _whole(inner) for key, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list) else value


def _cut(value: Any, artifacts: dict[str, bytes]) -> Any:
    """The value with every long text in it cut; a value that is long in many short parts becomes one cut text."""
    if isinstance(value, str):
        return _cut_text(value, artifacts)
    if not isinstance(value, dict | list):
        return value
    if isinstance(value, dict):
        shorter: Any = {key: _cut(inner, artifacts) for key, inner in value.items()}
    else:
        shorter = [_cut(inner, artifacts) for inner in value]
    text = compact(shorter)
    return shorter if len(text.encode()) <= PAYLOAD else _cut_text(compact(value), artifacts)


def _cut_text(text: str, artifacts: dict[str, bytes]) -> str:
    data = text.encode()
    if len(data) <= PAYLOAD:
        return text
    digest = hashlib.sha256(data).hexdigest()
    artifacts[digest] = data
    head, tail = data[:_HEAD].decode(errors="ignore"), data[-_TAIL:].decode(errors="ignore")
    return f"{head}\n[cut: {len(data):,} bytes, whole in {ARTIFACTS}/{digest}]\n{tail}"


# Parts that people mark as private. In doubt, more is left out, never less.

_NOMEM = re.compile(r"\[[^\w\[\]\n]*+no[ _-]?mem[^\w\[\]\n]*+\]", re.IGNORECASE)
_WHOLE_TURN = re.compile(
    rf"\A\s*+{_NOMEM.pattern}|^[ \t]*+{_NOMEM.pattern}[ \t]*+$", re.IGNORECASE | re.MULTILINE
)


class Marked(NamedTuple):
    """A text as it may be kept, and what its marks ask for."""

    text: str
    unlogged: bool = False  # the whole turn must not be kept
    private: bool = False  # for its owner only


def strip_marks(text: str) -> Marked:
    """The text without what must not reach the disk.

    `<private>…</private>` becomes `[private]`; a line with [NOMEM] is left out, and the whole turn where the mark begins
    it or stands on a line of its own. [PRIVATE] and [NOEXPORT] stay where they are; the first is told.
    """
    marked = _strip(text)
    if marked is None:
        return Marked("", unlogged=True)
    return Marked(marked[0], private=marked[1].audience == OWNER)


def _strip(text: str) -> tuple[str, Label] | None:
    """The text as it may be kept, and the label that its marks are; None where nothing may be kept."""
    plain_text = plain(text)
    if "[" not in plain_text and "private" not in plain_text.lower():
        return text, UNLABELLED
    if _WHOLE_TURN.search(plain_text):
        return None
    pieces, cut = [], 0
    for start, end in private_spans(text):
        pieces.append(text[cut:start])
        cut = end
    pieces.append(text[cut:])
    label = label_in("\n".join(pieces) if len(pieces) > 1 else text)
    remaining = CUT.join(pieces)
    if _NOMEM.search(plain_text):
        remaining = "\n".join(line for line in remaining.split("\n") if not _NOMEM.search(plain(line)))
        if not remaining.strip():
            return None
    return remaining, label
