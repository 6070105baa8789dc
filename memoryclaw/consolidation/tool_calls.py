"""What was done: tool calls in the lines of a log, and the steps that they amount to. Arguments are data, never run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memoryclaw.capture.host_turns import CALLS, HOST, call_of, kind_of, tidy
from memoryclaw.consolidation.changes import ToolSequence
from memoryclaw.consolidation.command_lines import COMMAND, FILE, PROMPT, argument, commands
from memoryclaw.model import NOTHING
from memoryclaw.text import words as lists
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.encoding import json_value
from memoryclaw.text.prompts import one_line
from memoryclaw.vault.logs import LogRange, content_text, parse_ranges

_TOOL_LENGTH = 80
_SAID_LENGTH = 400
_OF_FILES = frozenset((*FILE, "pattern", "glob"))  # arguments of a tool that searches, reads or edits files
_COMMAND_LENGTH = 300  # of a command that may be a step
# As capture writes the calls of a message: one a line, the tool and its arguments.
_WRITTEN = re.compile(r"(?P<tool>[A-Za-z_][\w.:/-]{0,79}) (?P<args>\{.*\})", re.ASCII)
# What an agent looks up in its memory is no step of what it does with it.
_OF_MEMORY = re.compile(r"(?:.*(?:__|\.))?memory_(?:search|get|browse|recall|store|feedback)")


class Call(NamedTuple):
    """One call of a tool, or one command that it ran. `ok` is None where the log does not say how it went; `said`: the user's words before it."""

    session: str
    line: int
    tool: str
    args: Mapping[str, Any] = NOTHING
    ok: bool | None = None
    said: str = ""
    project: str = ""
    day: str = ""

    @property
    def step(self) -> str:
        """What was done: the command, else the name of the tool."""
        command = argument(self.args, COMMAND)
        return f"{PROMPT}{command}" if command else self.tool


def calls_in(lines: Sequence[bytes], first: int, last: int) -> list[Call]:
    """The tool calls in these lines of a log (counted from 1, both ends included), each told once, in order.

    A call that a message announces and a tool event answers is the event's.
    """
    reader = _ActionReader()
    for number in range(max(first, 1), min(last, len(lines)) + 1):
        value = _object(lines[number - 1])
        if value:
            reader.read(number, value)
    announced = (
        entry._replace(**dict(zip(("tool", "args"), unwrap(entry.tool, entry.args), strict=True)))
        for entry in reader.announced
    )
    return sorted([*reader.done, *announced], key=lambda call: call.line)


def steps(calls: Iterable[Call]) -> list[Call]:
    """What counts: each command by itself, and calls of other tools than those for files; nothing that failed, none of memory's own tools, the same again and again once."""
    counted: list[Call] = []
    for call in calls:
        if call.ok is False or of_memory(call.tool) or call.tool.startswith(HOST):
            continue
        for step in _parts(call):
            if not counted or counted[-1].step != step.step:
                counted.append(step)
    return counted


def _parts(call: Call) -> Iterator[Call]:
    """A call, or the commands that it ran; nothing of one that only searches, reads or edits files."""
    if not _OF_FILES.isdisjoint(call.args):
        return
    line = argument(call.args, COMMAND)
    if not line:
        yield call
    for command in commands(line):
        if len(command) <= _COMMAND_LENGTH:
            yield call._replace(args={COMMAND[0]: command})


def of_memory(tool: str) -> bool:
    """True for a tool of the memory itself."""
    return _OF_MEMORY.fullmatch(tool) is not None


# A tool that calls another, as hosts offer it for tools that a model has to look up first.
_CALLER = re.compile(r"(?:.*[_.:-])?(?:tool_call|call_tool|use_mcp_tool)", re.IGNORECASE)
_CALLED = ("id", "name", "tool", "tool_name")
_WITH = ("args", "arguments", "params", "input")


def unwrap(tool: str, args: Any) -> tuple[str, Any]:
    """The tool and the arguments of a call; where one tool was called to call another, those of the other."""
    if isinstance(args, Mapping) and _CALLER.fullmatch(tool):
        name = next(
            (args[key] for key in _CALLED if isinstance(args.get(key), str) and args[key].strip()), ""
        )
        inner = next((args[key] for key in _WITH if isinstance(args.get(key), Mapping)), None)
        if name and inner is not None:
            return one_line(name)[:_TOOL_LENGTH], inner
    return tool, args


def by_session(calls: Iterable[Call], range_: LogRange) -> dict[str, list[Call]]:
    """The steps of each session in one stretch of a log; a session that took none is left out."""
    calls_of: dict[str, list[Call]] = {}
    for call in calls:
        session = call.session or range_.path.rpartition("/")[2].removesuffix(".jsonl")
        calls_of.setdefault(session, []).append(call._replace(session=session))
    return {
        session: session_steps for session, taken_by in calls_of.items() if (session_steps := steps(taken_by))
    }


def tool_sequences(calls: Iterable[Call], range_: LogRange) -> list[ToolSequence]:
    """What each session did in one stretch of a log."""
    rows = by_session(calls, range_).items()
    return [
        ToolSequence(session, str(range_), tuple(step.step for step in walk), walk[-1].project, walk[-1].day)
        for session, walk in rows
    ]


def stretches(acted: Iterable[ToolSequence]) -> dict[str, list[ToolSequence]]:
    """What was done by session, in the order of the log; a stretch within one that is there already is left out."""
    by_session: dict[str, list[tuple[LogRange, ToolSequence]]] = {}
    for sequence in acted:
        range_ = next(iter(parse_ranges(sequence.range)), LogRange(sequence.range, 0, 0, ""))
        by_session.setdefault(sequence.session, []).append((range_, sequence))
    merged: dict[str, list[ToolSequence]] = {}
    for session, pairs in by_session.items():
        path, last = "", -1
        for range_, sequence in sorted(pairs, key=lambda pair: (pair[0].path, pair[0].first, -pair[0].last)):
            if range_.path != path or range_.last > last:
                merged.setdefault(session, []).append(sequence)
                path, last = range_.path, range_.last
    return merged


def sessions(acted: Iterable[ToolSequence]) -> dict[str, tuple[str, ...]]:
    """The tools that each session called, in order over all its stretches."""
    return {session: _join(piece.tools for piece in pieces) for session, pieces in stretches(acted).items()}


def _join(pieces: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """The tools of stretches in a row; a tool that ends one and begins the next was called once."""
    tools: list[str] = []
    for stretch in pieces:
        for tool in stretch:
            if not tools or tools[-1] != tool:
                tools.append(tool)
    return tuple(tools)


class _ActionReader:
    """Reads the lines of a log in order; what a message announces waits for the event that answers it."""

    def __init__(self) -> None:
        self.done: list[Call] = []
        self.announced: list[Call] = []
        self._said: dict[str, str] = {}

    def read(self, line: int, value: Mapping[str, Any]) -> None:
        session, role = _text(value.get("session")), _text(value.get("role"))
        tool = _tool(value.get("tool") or value.get("toolName"))
        if role in ("user", "human"):
            self._said[session] = one_line(content_text(value.get("content")))[:_SAID_LENGTH]
        elif tool:
            self._answer(
                Call(
                    session,
                    line,
                    tool,
                    said=self._said.get(session, ""),
                    project=_text(value.get("project")),
                    day=parse_timestamp(_text(value.get("ts")))[:10],
                ),
                value,
            )
        elif role in ("assistant", "ai"):
            self.announced += [
                Call(session, line, name, args, None, self._said.get(session, ""))
                for name, args in _announced_calls(value)
            ]

    def _answer(self, call: Call, value: Mapping[str, Any]) -> None:
        args = _args(value.get("args"))
        waiting = [
            announced
            for announced in self.announced
            if (announced.session, announced.tool) == (call.session, call.tool)
        ]
        match = next(
            (announced for announced in waiting if announced.args == args), next(iter(waiting), None)
        )
        if match:
            self.announced.remove(match)
            args = args or match.args
        tool, args = unwrap(call.tool, args)
        self.done.append(call._replace(tool=tool, args=args, ok=_success(value)))


def _announced_calls(value: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The calls that an assistant's message makes: parts of its content, or whole lines of it as capture writes them."""
    content = value.get("content")
    if isinstance(content, list):
        calls = [call_of(block) for block in content if kind_of(block) in CALLS]
        return [(_tool(tool), _args(args)) for _, tool, args in calls]
    lines = content.splitlines() if isinstance(content, str) else []
    hits = [hit for line in lines if (hit := _WRITTEN.fullmatch(line.strip()))]
    return [(hit["tool"], _args(args)) for hit in hits if (args := _object(hit["args"])) is not None]


def _success(value: Mapping[str, Any]) -> bool | None:
    if isinstance(value.get("ok"), bool):
        return bool(value["ok"])
    return not value["isError"] if isinstance(value.get("isError"), bool) else None


def _object(text: str | bytes) -> dict[str, Any] | None:
    value = json_value(text)
    return value if isinstance(value, dict) else None


def _args(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str) and value.startswith("{"):
        value = _object(value)
    return tidy(value) if isinstance(value, dict) else NOTHING


def _tool(value: Any) -> str:
    return one_line(value)[:_TOOL_LENGTH] if isinstance(value, str) else ""


def _text(value: Any) -> str:
    return one_line(value) if isinstance(value, str) else str(value) if isinstance(value, int) else ""


# The text of a tool's turn → which tool was called, and with what, in one short phrase. Results stay in the log.

_NAME = re.compile(rf"\s*(?!{HOST})([A-Za-z_][\w.:/-]{{0,79}})(?=\s|$)")
# A call that an assistant's message ends with: the tool and its arguments on a line of their own.
_CALL_LINE = re.compile(r"[A-Za-z_][\w.:/-]{0,79} \{.*\}\s*")
_LOOKS = frozenset(lists.words("consolidation.looking"))
_ACTS = frozenset(lists.words("consolidation.acting"))
_NOTES = frozenset(lists.words("consolidation.noting"))
_MAIN = ("title", "subject", "name", "summary", "text", "message", "body", "content", "command", "path", "file_path", "url", "query", "to")  # fmt: skip
_NAMING = tuple(key for key in _MAIN if key not in {"summary", "text", "message", "body", "content"})
_LENGTH = 80
_PARTS = re.compile(r"[A-Za-z][a-z]*")


class ToolText(NamedTuple):
    """One call of a tool."""

    tool: str
    about: str  # the argument that says most, on one line
    failed: bool
    args: Mapping[str, Any] = NOTHING

    @property
    def looks_up(self) -> bool:
        """True when the tool by its name only reads."""
        return bool(self._words & _LOOKS) and not self._words & _ACTS

    @property
    def notes(self) -> bool:
        """True when the tool by its name notes what somebody has to do."""
        return not self._words.isdisjoint(_NOTES)

    @property
    def _words(self) -> set[str]:
        return {word.lower() for word in _PARTS.findall(self.tool)}

    @property
    def phrase(self) -> str:
        """The call in a few words."""
        call = f"{self.tool}: {self.about}" if self.about else self.tool
        return f"{call} (failed)" if self.failed else call


def read_call(text: str) -> ToolText | None:
    """The call that the text of a tool's turn begins with."""
    hit = _NAME.match(text)
    if hit is None:
        return None
    failed = text.rstrip().endswith("(failed)")
    args = _argument_texts(text[hit.end() :].lstrip())
    return ToolText(hit[1], _short(_about(args)), failed, args if isinstance(args, dict) else NOTHING)


def call_text(tool: str, args: Mapping[str, Any], *, failed: bool = False) -> ToolText:
    """One call of a tool, with the argument that names what it is about: no prose, and nothing of its result."""
    about = next((args[key] for key in _NAMING if isinstance(args.get(key), str) and args[key].strip()), "")
    return ToolText(tool, _short(about), failed)


def is_call_line(line: str) -> bool:
    """True for a line of an assistant's message that is a call, not words."""
    return _CALL_LINE.fullmatch(line) is not None


def _argument_texts(text: str) -> Any:
    if not text.startswith("{"):
        return None
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def printed(text: str) -> str:
    """What a tool answered, of the text of its turn."""
    hit = _NAME.match(text)
    answer = text[hit.end() :].lstrip() if hit else ""
    if answer.startswith("{"):
        try:
            answer = answer[json.JSONDecoder().raw_decode(answer)[1] :]
        except (ValueError, RecursionError):
            return ""
    _, arrow, output = answer.partition("→")
    return output.rstrip().removesuffix("(failed)").strip() if arrow else ""


def _about(args: Any) -> str:
    if not isinstance(args, dict):
        return ""
    plain = {key: value for key, value in args.items() if isinstance(value, str) and value.strip()}
    return next((plain[key] for key in _MAIN if key in plain), next(iter(plain.values()), ""))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    if len(flat) <= _LENGTH:
        return flat
    return (flat[:_LENGTH].rpartition(" ")[0] or flat[:_LENGTH]) + " …"
