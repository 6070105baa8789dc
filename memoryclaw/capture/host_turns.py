"""Reads one message as a host sends it: our own lines, and those of OpenClaw, OpenAI, Anthropic and Gemini.

An unknown shape is kept as text; only a message that says nothing at all is refused, in one sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoryclaw.errors import InputError
from memoryclaw.text.dates import own_offset, parse_timestamp, zone_of
from memoryclaw.text.encoding import json_value, text_in
from memoryclaw.text.host_marks import HostRecord, host_records, without_marks
from memoryclaw.text.prompts import CLOSING, OPENING, one_line
from memoryclaw.vault.audience import UNLABELLED, Label, join_labels, of_keys

NAME_LENGTH = 200
_TURN = re.compile(r"[A-Za-z0-9][\w.:-]{0,63}", re.ASCII)
_ROLES = {
    "human": "user", "ai": "assistant", "agent": "assistant", "bot": "assistant", "model": "assistant",
    "function": "tool", "toolresult": "tool", "tool_result": "tool", "developer": "system",
}  # fmt: skip
# A tool that looks into a memory brings back what is remembered already.
_RECALLING = re.compile(r"(?:.*(?:__|\.))?memory_(?:search|get|browse|recall)")
RECALLED = "[recalled memory]"
HOST = "host:"  # begins the name of what a host said itself, in the place of a tool


@dataclass(frozen=True, slots=True, kw_only=True)
class HostMessage:
    """One turn or tool event, in our words; nothing is redacted yet."""

    session: str = ""
    turn: str = ""
    host_id: str = ""
    ts: str = ""  # as our logs write it; empty where the host gave none
    tz: str = ""  # where it was said: an offset, or the name of a zone
    cwd: str = ""  # the folder that was worked in
    branch: str = ""  # of its repository, where the host says that it has one
    project: str = ""  # the name of that repository
    topic: str = ""  # what the host calls the talk
    role: str = ""
    name: str = ""
    content: str = ""
    calls: tuple[tuple[str, Any], ...] = ()  # tools that this message calls, with their arguments
    tool: str = ""
    args: Any = None
    result: Any = None
    ok: bool | None = None
    receipt: str = ""  # of the recall that an assistant had before it
    marks: tuple[str, ...] = ()  # what the host put around or into the words of a person
    label: Label = UNLABELLED  # by the keys `audience` and `export` of the message


class PendingToolCalls:
    """Tool calls that are waiting for their results: the host names the tool in one message and answers it in another."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[str, Any]] = {}

    def note(self, id_: str, name: str, args: Any) -> None:
        """Remembers a call."""
        if id_:
            self._waiting[_plain_id(id_)] = (name, args)

    def of(self, id_: Any) -> tuple[str, Any]:
        """The name and arguments of the call with this id."""
        return self._waiting.pop(_plain_id(id_), ("", None)) if isinstance(id_, str) else ("", None)


def session_of(value: Any) -> str:
    """The session that a message names, or nothing."""
    if not isinstance(value, Mapping):
        return ""
    message = value.get("message")
    inner = {**value, **message} if isinstance(message, Mapping) else value
    name = _first(inner, "session", "sessionId", "session_id", "sessionKey")
    return one_line(str(name or ""))[:NAME_LENGTH]


def read_turn(value: Any, calls: PendingToolCalls) -> HostMessage:
    """What one message says. Raises InputError: it is no message, or its time or turn cannot be used."""
    if not isinstance(value, Mapping):
        raise InputError(
            'this is not a JSON object; give one object per line, such as {"role": "user", "content": "…"}'
        )
    outer, message = value, value.get("message")
    inner: Mapping[str, Any] = {**value, **message} if isinstance(message, Mapping) else value
    content = _first(inner, "content", "parts", "text") if not isinstance(message, str) else message
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    called = [call_of(dict(block)) for block in _calls_in(blocks, inner)]
    for id_, tool, args in called:
        calls.note(id_, tool, args)
    is_result = isinstance(_first(inner, "tool_call_id", "toolCallId"), str)
    zone = text_in(_first(inner, "tz", "timezone"))
    about: dict[str, Any] = {
        "session": session_of(value),
        "turn": _turn(inner.get("turn")),
        "host_id": one_line(str(_first(outer, "host_id", "id", "messageId", "message_id", "uuid", "idempotencyKey") or _first(inner, "id", "idempotencyKey") or ""))[:NAME_LENGTH],
        "ts": _time(when := _first(inner, "ts", "timestamp", "time", "created_at", "createdAt")),
        "tz": own_offset(str(when)) or (zone if zone_of(zone) else ""),
        "cwd": one_line(text_in(outer.get("cwd"))),
        "branch": text_in(outer.get("gitBranch")),
        "topic": one_line(text_in(outer.get("topic")))[:NAME_LENGTH],
        "name": "" if is_result else one_line(text_in(_first(inner, "name", "senderName", "speaker")))[:NAME_LENGTH],
        "label": join_labels((of_keys(value), of_keys(message if isinstance(message, Mapping) else {}))),
    }  # fmt: skip
    role = _first(inner, "role", "sender", "author")
    if not isinstance(role, str) and (isinstance(message, Mapping) or inner.get("type") in ("human", "ai")):
        role = inner.get("type")
    low = one_line(role).lower()[:NAME_LENGTH] if isinstance(role, str) else ""
    role = _ROLES.get(low, low)
    if _is_tool(inner, role, blocks):
        return HostMessage(**about, **_tool(inner, content, blocks, calls))
    text = spoken_text(content)
    if not (text or called or isinstance(message, str) or {"content", "parts", "text"} & inner.keys()):
        raise InputError('this line says nothing; give it "content", or "tool" with "args" and "result"')
    if role in {"user", ""}:
        text, about["marks"], part = without_marks(text)
        if about["marks"] and not text:
            words, role = "\n".join(about.pop("marks")), "tool" if part else "custom"
            return HostMessage(**about, role=role, tool=f"{HOST}{part}", result=words)
    elif role == "assistant":
        text = _THOUGHTS_IN_TEXT.sub("", text)
    tools = tuple((tool, tidy(args)) for _, tool, args in called)
    receipt = one_line(str(inner.get("receipt") or ""))[:NAME_LENGTH]
    return HostMessage(**about, role=role or "user", content=text, calls=tools, receipt=receipt)


def _is_tool(inner: Mapping[str, Any], role: str, parts: list[Mapping[str, Any]]) -> bool:
    if role == "tool" or (isinstance(_first(inner, "tool", "toolName"), str) and role != "assistant"):
        return True
    return bool(parts) and role in {"user", ""} and all(kind_of(block) in RESULTS for block in parts)


def _tool(
    inner: Mapping[str, Any], content: Any, parts: list[Mapping[str, Any]], calls: PendingToolCalls
) -> dict[str, Any]:
    source: Mapping[str, Any] = parts[0] if len(parts) == 1 and kind_of(parts[0]) in RESULTS else inner
    response = source.get("functionResponse")
    source = response if isinstance(response, Mapping) else source
    name, args = calls.of(_first(source, "toolCallId", "tool_call_id", "tool_use_id", "call_id"))
    name = _first(inner, "tool", "toolName", "tool_name") or name or source.get("name") or "tool"
    tool = one_line(str(name))[:NAME_LENGTH]
    arguments = _first(inner, "args", "arguments", "input", "params")
    result = _first(source, "result", "response", "output")
    if result is None:
        result = spoken_text(content) if content is not None else None
    if _RECALLING.fullmatch(tool) and result is not None:
        result = RECALLED
    return {
        "role": "tool",
        "tool": tool,
        "args": tidy(arguments if arguments is not None else args),
        "result": spoken_text(result) if isinstance(result, list) else tidy(result),
        "ok": _worked(inner, source),
    }


def _worked(inner: Mapping[str, Any], whole: Mapping[str, Any]) -> bool | None:
    if isinstance(inner.get("ok"), bool):
        return bool(inner["ok"])
    failed = _first(whole, "isError", "is_error")
    failed = _first(inner, "isError", "is_error", "error") if failed is None else failed
    return None if failed is None else not failed


def _calls_in(parts: list[Mapping[str, Any]], inner: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = inner.get("tool_calls")
    extra = [block for block in listed if isinstance(block, Mapping)] if isinstance(listed, list) else []
    return [block for block in (*parts, *extra) if kind_of(block) in CALLS or "function" in block]


def _turn(turn: Any) -> str:
    if turn is None:
        return ""
    text = str(turn) if isinstance(turn, int) and not isinstance(turn, bool) else turn
    if not isinstance(text, str) or not _TURN.fullmatch(text):
        sentence = "this turn cannot be an id"
        raise InputError(f"{sentence}; give a number, or up to 64 of the characters A-Z a-z 0-9 . _ : -")
    return text


def _time(ts: Any) -> str:
    if ts is None or ts == "":
        return ""
    time = parse_timestamp(str(ts)) if isinstance(ts, str | int | float) and not isinstance(ts, bool) else ""
    if not time:
        sentence = f"{one_line(str(ts))[:40]!r} is not a time"
        raise InputError(f"{sentence}; give ISO 8601, such as 2026-03-01T12:00:00Z, or seconds since 1970")
    return time if len(time) > 10 else f"{time}T00:00:00Z"


def _plain_id(id_: str) -> str:
    """Hosts rewrite the ids of calls between request and history: `call_1` → `call1`."""
    return "".join(filter(str.isalnum, id_))


def _first(places: Mapping[str, Any] | tuple[Mapping[str, Any], ...], *keys: str) -> Any:
    """The first value under one of these keys, in one place or in the first of several."""
    several = places if isinstance(places, tuple) else (places,)
    return next((place[key] for key in keys for place in several if place.get(key) is not None), None)


# Content in any shape as plain text. Images and binaries become placeholders; thoughts are left out.

_DEEPEST = 32
_QUOTE = r"(?:\\{0,3}[\"']|&quot;|&#34;|&#x22;)"
_LESS, _MORE = r"(?:<|&lt;|\\u003c)", r"(?:>|&gt;|\\u003e)"


def _tag_pattern(tag: str) -> str:
    """A tag of our fence as a pattern that also matches it escaped for HTML or JSON."""
    characters = (re.escape(char) for char in tag)
    ways = {re.escape("<"): _LESS, re.escape(">"): _MORE, re.escape('"'): _QUOTE, "/": r"\\?/"}
    return "".join(ways.get(character, character) for character in characters)


_NEWLINE = r"(?:\s|\\{1,3}n)"
_OWN_BLOCK = re.compile(
    rf"{_tag_pattern(OPENING)}.*?(?:{_tag_pattern(CLOSING)}{_NEWLINE}*|(?P<open>\Z))", re.DOTALL
)
# A host that cut the block short left lines that only our block has.
_CUT_BLOCK = re.compile(rf"{_tag_pattern(OPENING)}(?:{_NEWLINE}*+{_LESS}/?(?:memory|m)\b[^\n]*)*")
_DATA_URI = re.compile(
    r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,(?:[A-Za-z0-9+/_=-]{16,}|[A-Za-z0-9+/]*)(?:\\n)?"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{1024,}={0,2}")
_TEXTS = frozenset({"text", "input_text", "output_text", "markdown", "refusal"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning", "thought"})
# Local models think aloud at the head of their text (DeepSeek, Qwen); aider writes such thoughts under a tag of its own.
_THOUGHTS_IN_TEXT = re.compile(
    r"\A\s*<(think|thinking|reasoning|thought|thinking-content-[0-9a-f]{32})>.*?</\1>\s*", re.DOTALL
)
CALLS = frozenset(
    {"toolCall", "tool_call", "tool_use", "function_call", "functionCall", "mcp_call", "server_tool_use"}
)
RESULTS = frozenset({"toolResult", "tool_result", "function_call_output", "functionResponse", "web_search_tool_result", "mcp_tool_result"})  # fmt: skip
_PICTURES = ("image", "image_url", "input_image", "imageUrl")  # no set: a value of JSON may be no key of one


def spoken_text(content: Any) -> str:
    """What a message says: its text, and placeholders for what is no text. Tool calls are not said; `call_of` reads them."""
    return clean(_text(content, 0))


def clean(text: str) -> str:
    """The text without our own recalled block, and without binary data."""
    if "memories note=" in text:
        # What nothing closes reaches the end here, so that nobody looks for its end twice; it is left to the next pattern.
        text = _OWN_BLOCK.sub(lambda hit: "" if hit["open"] is None else hit[0], text)
        text = _CUT_BLOCK.sub("", text)
    return unpack(text)


def unpack(text: str) -> str:
    """The text with placeholders for the binary data in it."""
    if "base64," in text:
        text = _DATA_URI.sub(lambda hit: placeholder(hit[1] or ""), text)
    if len(text) > 1024:
        text = _BASE64.sub(_if_binary, text)
    return text


def tidy(value: Any, depth: int = 0) -> Any:
    """A tool's arguments or result with placeholders for the binary data in it, and without our own block."""
    if isinstance(value, str):
        return clean(value)
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, dict):
        if value.get("type") in _PICTURES:
            return _picture(value)
        return {str(key): tidy(inner, depth + 1) for key, inner in value.items()}
    return [tidy(inner, depth + 1) for inner in value] if isinstance(value, list) else value


def placeholder(mime: str) -> str:
    """What stands for binary data: `[image]`, `[audio]`, `[video]` or `[file]`."""
    medium = mime.partition("/")[0]
    return f"[{medium}]" if medium in ("image", "audio", "video") else "[file]"


def compact(value: Any) -> str:
    """A value as one line of JSON; a string as it is."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return "…"


def call_of(part: dict[str, Any]) -> tuple[str, str, Any]:
    """The id, name and arguments of a tool call, in any host's spelling."""
    wrapped = map(part.get, ("function", "functionCall", "function_call"))
    inner: dict[str, Any] = next((call for call in wrapped if isinstance(call, dict)), {})
    args = _first((part, inner), "arguments", "input", "args", "parameters")
    if isinstance(args, str) and args[:1] in "{[":  # OpenAI's hosts send arguments as a text of JSON
        args = json_value(args, args)
    id_ = _first((part, inner), "id", "call_id", "toolCallId")
    name = _first((part, inner), "name", "toolName")
    return str(id_ or ""), str(name or "tool"), args


def kind_of(part: Any) -> str:
    """What a part of a message is, in the words of the newest hosts."""
    if not isinstance(part, dict):
        return ""
    kind, keys = part.get("type"), ("functionCall", "functionResponse", "inlineData", "image_url")
    return kind if isinstance(kind, str) else next((key for key in keys if key in part), "")


def _text(content: Any, depth: int) -> str:
    if isinstance(content, str):
        return content
    if content is None or depth > _DEEPEST:
        return ""
    if isinstance(content, list):
        return "\n".join(filter(None, (_text(block, depth + 1) for block in content)))
    return _part(content, depth) if isinstance(content, dict) else compact(content)


def _part(part: dict[str, Any], depth: int) -> str:
    kind = kind_of(part)
    if kind in _THOUGHTS or kind in CALLS or part.get("thought") is True:
        return ""
    if kind in RESULTS:
        return _text(_first(part, "content", "output", "result", "functionResponse"), depth + 1)
    if kind in _PICTURES or kind == "inlineData":
        return _picture(part)
    for key in ("text", "content", "refusal", "parts"):
        if key in part and (kind in _TEXTS or not isinstance(part[key], bytes)):
            return _text(part[key], depth + 1)
    return _file(part, kind) if kind else compact(part)


def _picture(part: dict[str, Any]) -> str:
    source = next((part[key] for key in ("source", "image_url", "inlineData", "image") if key in part), part)
    source = source if isinstance(source, dict) else {"url": source}
    url = source.get("url")
    if isinstance(url, str):
        return unpack(url) if url.startswith("data:") else f"[image: {url.partition('?')[0][:200]}]"
    return placeholder(str(_first((source, part), "media_type", "mimeType", "mime_type") or "image/*"))


def _file(part: dict[str, Any], kind: str) -> str:
    source = part.get("source") if isinstance(part.get("source"), dict) else part.get(kind)
    source = source if isinstance(source, dict) else part
    name = str(_first((source, part), "filename", "file_name", "title", "name") or "")[:100]
    return f"[{kind}: {name}]" if name else f"[{kind}]"


def _if_binary(hit: re.Match[str]) -> str:
    data = hit[0]
    mixed = any(map(str.isdigit, data)) and any(map(str.isupper, data)) and any(map(str.islower, data))
    return "[file]" if mixed else data


# One record of a host → the messages in it: a transcript's line of Claude Code, OpenClaw or Codex, or a message as it is. Pure.

_OUTER = ("session", "sessionId", "session_id", "timestamp", "ts", "tz", "cwd", "gitBranch", "id")


# Records that say what the host calls the session, and where.
_TOPICS = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}


def topic_in(record: Any) -> str:
    """What a record of the host says that the session is called; empty where it says no such thing."""
    key = _TOPICS.get(str(record.get("type"))) if isinstance(record, Mapping) else None
    topic = record.get(key) if key and not isinstance(record.get("message"), Mapping) else ""
    return topic if isinstance(topic, str) else ""


def messages_in(record: Any) -> list[Any] | str:
    """The messages that a record holds, each for one turn; or why nothing of it may be kept."""
    if not isinstance(record, Mapping):
        return [record]
    payload = record.get("payload")
    if record.get("type") == "response_item" and isinstance(payload, Mapping):
        about = {key: record[key] for key in _OUTER if record.get(key) is not None}
        match payload.get("type"):
            case "message":
                return [{**about, **payload}]
            case "function_call" | "custom_tool_call" | "local_shell_call":
                arguments = payload.get("arguments", payload.get("input", payload.get("action")))
                call = {**payload, "type": "function_call", "arguments": arguments}
                return [{**about, "role": "assistant", "content": [call]}]
            case "function_call_output" | "custom_tool_call_output":
                return [{**about, "role": "user", "content": [{**payload, "type": "function_call_output"}]}]
        return "a record of the host that is not a message"
    queued = record.get("attachment")
    if isinstance(queued, Mapping) and (queued.get("type"), queued.get("commandMode")) == (
        "queued_command",
        "prompt",
    ):
        # Typed while the model worked: Claude Code writes it in this place alone.
        record = {**record, **queued, "message": {"role": "user", "content": queued.get("prompt")}}
    message = record.get("message")
    inner = {**record, **message} if isinstance(message, Mapping) else record
    if mark := next((mark for mark in host_records() if _is_marked(mark, record, inner)), None):
        if not mark.tool:
            return mark.what
        of_tool = {"role": "tool", "tool": f"{HOST}{mark.tool}"} if inner.get("role") == "user" else {}
        return [{**record, **of_tool}]
    return _split(record, message) if isinstance(message, Mapping) else [record]


def _is_marked(mark: HostRecord, record: Mapping[str, Any], inner: Mapping[str, Any]) -> bool:
    if mark.key == "type":
        return mark.marks(record) and not isinstance(record.get("message"), Mapping) and "role" not in record
    return mark.marks(inner)


def _split(record: Mapping[str, Any], message: Mapping[str, Any]) -> list[Any]:
    """What was said as one turn, and each result of a tool as one of its own: a turn has room for one tool."""
    content = message.get("content")
    results = [part for part in content if kind_of(part) in RESULTS] if isinstance(content, list) else []
    if not isinstance(content, list) or len(content) == 1 or not results:
        return [record]
    spoken = [part for part in content if kind_of(part) not in RESULTS]
    id_, turns = record.get("uuid") or record.get("id"), []
    for place, part in enumerate([*([result] for result in results), *([spoken] if spoken else [])]):
        named = {"uuid": f"{id_}:{place}"} if id_ and place else {}
        turns.append({**record, **named, "message": {**message, "content": part}})
    return turns
