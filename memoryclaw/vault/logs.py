"""Reads log files into turns: JSONL of MemoryClaw and its hosts, and Markdown. A broken line stays a turn."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.model import Problem, Turn
from memoryclaw.text.dates import local, own_offset, parse_timestamp
from memoryclaw.text.host_marks import without_marks
from memoryclaw.vault import audience
from memoryclaw.vault.properties import text_of

_SURROGATE = late.pattern("[\ud800-\udfff]")
_ROLES = "user|human|assistant|ai|agent|bot|system|tool|toolresult|function|developer"
_TURN_HEADING = late.pattern(rf"^ {{0,3}}#{{1,6}}[ \t]+({_ROLES})\b([^\n]*)$", re.IGNORECASE | re.MULTILINE)
_TURN_PARAGRAPH = late.pattern(
    rf"^(?:\*\*|__)({_ROLES})(?:[ \t]*\(([^)\n]*)\))?(?::(?:\*\*|__)|(?:\*\*|__):)[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_AROUND_TIME = " \t()[]:,—–-"
_SAME_ROLE = {"human": "user", **dict.fromkeys(("ai", "agent", "bot"), "assistant"), "function": "tool"}
ROLES = frozenset({"user", "assistant", "tool"})
CUT = "[private]"  # what capture leaves of a part that it did not keep, which is no label
_HINT = "the line is searched as plain text; delete it if it is junk"


class Log(NamedTuple):
    """The turns of one log file."""

    turns: tuple[Turn, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_jsonl(stem: str, text: str, zone: str = "") -> Log:
    """Reads one JSON object a line; `stem` is the session where a line names none, `zone` where it was said."""
    reader = _LogReader(stem, zone)
    for number, line in enumerate(text.split("\n"), 1):
        if line and not line.isspace():
            reader.line(number, line)
    return Log(_with_replies(reader.turns), tuple(reader.problems))


def _with_replies(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns, where an answer is for no more people than what it answers: it may say the same again."""
    answers: list[Turn] = []
    questions: dict[str, Turn] = {}  # session → its last turn of a person
    for turn in map(_in_own_words, turns):
        last = turn if turn.role == "user" else questions.get(turn.session, turn)
        questions[turn.session] = last
        answer = audience.common_audience(last.audience, turn.audience), turn.export and last.export
        answers.append(turn._replace(audience=answer[0], export=answer[1]))
    return tuple(answers)


def _when(text: str, zone: str) -> str:
    """The time of a turn, with the day of whoever spoke: by its own offset, else in the zone."""
    return local(parse_timestamp(text), own_offset(text) or zone)


def _in_own_words(turn: Turn) -> Turn:
    """The turn without what a host put around a person's words, as logs of other programs hold it; one of nothing else is a tool's."""
    if turn.role != "user" or not (text := without_marks(turn.text)).marks:
        return turn
    return turn._replace(text=text.own) if text.own else turn._replace(role="tool")


def read_markdown_log(stem: str, meta: Mapping[str, Any], body: str, first_line: int, zone: str = "") -> Log:
    """Reads a Markdown log: a heading (`### user (time)`) or a bold name (`**User:**`) begins each turn."""
    session = _session(meta) or stem
    headings = []
    for hit in _TURN_HEADING.finditer(body):
        tail = hit[2].strip()
        # Only a time follows the role in a heading: `### user (2025-04-08T14:30:00Z)`.
        if not tail or tail[0] in "([:" or parse_timestamp(tail.strip(_AROUND_TIME)):
            headings.append(hit)
    begins = headings or list(_TURN_PARAGRAPH.finditer(body))
    spans = [(hit.start(), hit.end(), _role(hit[1]), (hit[2] or "").strip(_AROUND_TIME)) for hit in begins]
    if body[: spans[0][0] if spans else None].strip():
        spans.insert(0, (0, 0, "", ""))
    turns = []
    ends = [*(span[0] for span in spans[1:]), len(body)]
    line, position = first_line, 0
    for number, ((start, below, role, ts), end) in enumerate(zip(spans, ends, strict=False), 1):
        line += body.count("\n", position, start)
        position = start
        raw = body[below:end]
        words = raw.strip()
        last = line + body.count("\n", start, below + len(raw.rstrip()))
        turns.append(
            Turn(
                id=f"log:{session}/{number}",
                session=session,
                turn=str(number),
                ts=_when(ts, zone) or _when(text_of(meta.get("timestamp")), zone),
                role=role,
                name="",
                text=words,
                line=line,
                end_line=last,
                **audience.label_in(words)._asdict(),
            )
        )
    return Log(_with_replies(turns))


def content_text(content: Any) -> str:
    """The text of a message, from a string or an array of parts; images and tool calls are named."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, (_part(block) for block in content)))
    return "" if content is None else _part(content)


class _LogReader:
    def __init__(self, stem: str, zone: str) -> None:
        self._stem = stem
        self._zone = zone
        self._seen: dict[str, int] = {}
        self.turns: list[Turn] = []
        self.problems: list[Problem] = []

    def line(self, number: int, line: str) -> None:
        try:
            value = json.loads(line)
        except ValueError:
            self._broken(number, line, "this line is not JSON")
        except RecursionError:
            self._broken(number, line, "this line is nested too deeply")
        else:
            if isinstance(value, dict):
                self._add(number, value, text_of_turn(value))
            else:
                self._broken(number, line, "this line is not a JSON object")

    def _broken(self, number: int, line: str, message: str) -> None:
        self.problems.append(Problem("", number, message, _HINT))
        self._add(number, {}, line.strip())

    def _add(self, number: int, value: Mapping[str, Any], said: str) -> None:
        session = _plain(value.get("session")) or self._stem
        turn = _plain(value.get("turn")) or str(number)
        id_ = f"log:{session}/{turn}"
        count = self._seen[id_] = self._seen.get(id_, 0) + 1
        role = _role(_plain(value.get("role"))) or ("tool" if "tool" in value else "")
        self.turns.append(
            Turn(
                id=id_ if count == 1 else f"{id_}~{count}",
                session=session,
                turn=turn,
                ts=_when(
                    _plain(value.get("ts") or value.get("timestamp")), _plain(value.get("tz")) or self._zone
                ),
                role=role,
                name=_plain(value.get("name")),
                text=_scrub(said).strip(),
                line=number,
                end_line=number,
                **label_of_turn(value, said)._asdict(),
                by=_plain(value.get("by")),
                project=_plain(value.get("project")),
                topic=_plain(value.get("topic")),
            )
        )


def text_of_turn(value: Mapping[str, Any]) -> str:
    """What the line of a turn says: its words, and the call of a tool with its result."""
    words = content_text(value.get("content"))
    tool = value.get("tool") or value.get("toolName")
    return words if tool is None else "\n".join(filter(None, (_tool_text(str(tool), value), words)))


def label_of_turn(value: Mapping[str, Any], said: str) -> audience.Label:
    """The label of a turn: of the keys of its line and the marks in it; a broken line that speaks of one is closed."""
    if not value and audience.may_hold_labels(said):
        return audience.CLOSED
    return audience.join_labels((audience.of_keys(value), audience.label_in(said.replace(CUT, ""))))


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return _compact(part)
    kind = part.get("type")
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if kind in ("toolCall", "tool_call", "tool_use"):
        return _tool_text(str(part.get("name", "")), {"args": part.get("arguments", part.get("input"))})
    if kind in ("toolResult", "tool_result"):
        return content_text(part.get("content"))
    return f"[{kind}]" if isinstance(kind, str) else _compact(part)


def _tool_text(tool: str, value: Mapping[str, Any]) -> str:
    args, result, ok = value.get("args"), value.get("result"), value.get("ok")
    words = [tool, "" if args is None else _compact(args)]
    if result is not None:
        words += ["→", content_text(result) if isinstance(result, list) else _compact(result)]
    if ok is False or value.get("isError") is True:
        words.append("(failed)")
    return " ".join(filter(None, words))


def _compact(value: Any) -> str:
    try:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "…"


def _plain(value: Any) -> str:
    if value is None or isinstance(value, bool | dict | list):
        return ""
    text = value if isinstance(value, str) else str(value)
    return " ".join(_scrub(text).split())


def _scrub(text: str) -> str:
    """Text without NUL and lone surrogates, which JSON can spell but no index can store."""
    if "\0" in text or not text.isascii():
        return _SURROGATE.sub("\ufffd", text.replace("\0", "\ufffd"))
    return text


def role_of(name: str) -> str:
    """The role that the name of a speaker is, such as `Assistant`; empty when it is none."""
    role = _role(name)
    return role if role in ROLES else ""


def _role(role: str) -> str:
    low = role.lower()
    return _SAME_ROLE.get(low, low if low != "toolresult" else "tool")


def _session(meta: Mapping[str, Any]) -> str:
    inner = meta.get("metadata")
    places, keys = (meta, inner if isinstance(inner, dict) else {}), ("session", "sessionId", "session_id")
    return next(filter(None, (text_of(place.get(key)) for place in places for key in keys)), "")


# Ranges of log lines: `logs/2026-03-10/s1.jsonl#1-6@<digest>`.

_RANGE = late.pattern(
    r"(?P<path>logs/[^\x00-\x1f#@]{1,1024})#(?P<first>\d{1,9})-(?P<last>\d{1,9})@(?P<digest>[0-9a-f]{16})"
)


class LogRange(NamedTuple):
    """Lines of one log, both ends included, and the digest of their bytes; `str` gives it as notes cite it."""

    path: str
    first: int
    last: int
    digest: str

    def __str__(self) -> str:
        return f"{self.path}#{self.first}-{self.last}@{self.digest}"


def range_of(path: str, lines: list[bytes], first: int, last: int) -> LogRange:
    """The range of lines `first` to `last`, counted from 1, of a log given as lines with their line ends."""
    digest = hashlib.sha256(b"".join(lines[first - 1 : last])).hexdigest()[:16]
    return LogRange(path, first, last, digest)


def whole_lines(data: bytes) -> list[bytes]:
    """The lines of a log with their ends; the last gets one if it has none, so that its digest stays when more is appended."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in (lines if lines[-1] else lines[:-1])]


def parse_ranges(text: str) -> list[LogRange]:
    """Every range that a text cites, in order."""
    return [
        LogRange(hit["path"], int(hit["first"]), int(hit["last"]), hit["digest"])
        for hit in _RANGE.finditer(text)
    ]


def unread(path: str, lines: list[bytes], done: Iterable[LogRange]) -> list[tuple[int, int]]:
    """The runs of lines (first, last) that no range with unchanged lines covers, where they were or where a merge put them."""
    is_read = [False] * len(lines)
    moved: dict[int, set[str]] = {}  # how many lines → the digests of ranges that are not where they were
    for range_ in done:
        size = range_.last - range_.first + 1
        if range_.path != path or not 1 <= size <= len(lines):
            continue
        if range_.last <= len(lines) and range_of(path, lines, range_.first, range_.last) == range_:
            is_read[range_.first - 1 : range_.last] = [True] * size
        else:
            moved.setdefault(size, set()).add(range_.digest)
    for size, digests in moved.items():
        for first in range(1, len(lines) - size + 2):
            last = first + size - 1
            if not all(is_read[first - 1 : last]) and range_of(path, lines, first, last).digest in digests:
                is_read[first - 1 : last] = [True] * size
    stretches, first = [], 0
    for number, was_read in enumerate([*is_read, True], 1):
        if not was_read and not first:
            first = number
        elif was_read and first:
            stretches.append((first, number - 1))
            first = 0
    return stretches
