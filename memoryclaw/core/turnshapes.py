"""Every shape in which hosts send what was said → plain text. Images and binaries become placeholders; thoughts are left out.

The rule: our own recalled block never comes back in as something that was said.
"""

from __future__ import annotations

import json
import re
from typing import Any

from memoryclaw.core.fence import CLOSING, OPENING

_DEEPEST = 32
_QUOTE = r"(?:\\{0,3}[\"']|&quot;|&#34;|&#x22;)"
_LESS, _MORE = r"(?:<|&lt;|\\u003c)", r"(?:>|&gt;|\\u003e)"


def _spelled(tag: str) -> str:
    """A tag of our fence as a pattern that also matches it escaped for HTML or JSON."""
    parts = (re.escape(char) for char in tag)
    ways = {re.escape("<"): _LESS, re.escape(">"): _MORE, re.escape('"'): _QUOTE, "/": r"\\?/"}
    return "".join(ways.get(part, part) for part in parts)


_NEWLINE = r"(?:\s|\\{1,3}n)"
_OWN_BLOCK = re.compile(rf"{_spelled(OPENING)}.*?(?:{_spelled(CLOSING)}{_NEWLINE}*|(?P<open>\Z))", re.DOTALL)
# A host that cut the block short left lines that only our block has.
_CUT_BLOCK = re.compile(rf"{_spelled(OPENING)}(?:{_NEWLINE}*+{_LESS}/?(?:memory|m)\b[^\n]*)*")
_INTERNAL = re.compile(
    r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?(?:<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\s*|\Z)", re.DOTALL
)
_ENVELOPE = re.compile(r"\A\[(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?(?: ?[A-Z]{1,5}(?:[+-]\d{1,2})?| ?[+-]\d\d:?\d\d)?\][ \t]+")  # fmt: skip
_DATA_URI = re.compile(
    r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,([A-Za-z0-9+/_=-]{16,}|[A-Za-z0-9+/]*)(?:\\n)?"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{1024,}={0,2}")
_MAGIC = {
    "iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp",
    "JVBERi0": "application/pdf", "UEsDB": "application/zip", "SUQz": "audio/mpeg", "T2dnUw": "audio/ogg",
}  # fmt: skip
_TEXTS = frozenset({"text", "input_text", "output_text", "markdown", "refusal"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning", "thought"})
CALLS = frozenset(
    {"toolCall", "tool_call", "tool_use", "function_call", "functionCall", "mcp_call", "server_tool_use"}
)
RESULTS = frozenset({"toolResult", "tool_result", "function_call_output", "functionResponse", "web_search_tool_result", "mcp_tool_result"})  # fmt: skip
_PICTURES = frozenset({"image", "image_url", "input_image", "imageUrl"})


def said(content: Any) -> str:
    """What a message says: its text, and placeholders for what is no text. Tool calls are not said; `call_of` reads them."""
    return cleaned(_text(content, 0))


def cleaned(text: str) -> str:
    """The text without our own recalled block, without what the host put around it, and without binary data."""
    if "memories note=" in text:
        # What nothing closes reaches the end here, so that nobody looks for its end twice; it is left to the next pattern.
        text = _OWN_BLOCK.sub(lambda hit: "" if hit["open"] is None else hit[0], text)
        text = _CUT_BLOCK.sub("", text)
    if "OPENCLAW_INTERNAL" in text:
        text = _INTERNAL.sub("", text)
    if text.startswith("["):
        text = _ENVELOPE.sub("", text, count=1)
    return unpacked(text)


def unpacked(text: str) -> str:
    """The text with placeholders for the binary data in it."""
    if "base64," in text:
        text = _DATA_URI.sub(lambda hit: placeholder(hit[1] or "", hit[2]), text)
    if len(text) > 1024:
        text = _BASE64.sub(_if_binary, text)
    return text


def tidy(value: Any, depth: int = 0) -> Any:
    """A tool's arguments or result with placeholders for the binary data in it, and without our own block."""
    if isinstance(value, str):
        return cleaned(value)
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, dict):
        if value.get("type") in _PICTURES:
            return _picture(value)
        return {str(key): tidy(inner, depth + 1) for key, inner in value.items()}
    return [tidy(inner, depth + 1) for inner in value] if isinstance(value, list) else value


def placeholder(mime: str, data: str) -> str:
    """`[image: image/png, 12 kB]`, with the size that the Base64 text stands for."""
    mime = mime or next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), "")
    what = mime.partition("/")[0] if mime.startswith(("image/", "audio/", "video/")) else "file"
    return f"[{what}: {mime or 'binary'}, {_size(len(data) * 3 // 4)}]"


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
    inner: dict[str, Any] = next(
        (
            part[key]
            for key in ("function", "functionCall", "function_call")
            if isinstance(part.get(key), dict)
        ),
        {},
    )
    args = _first((part, inner), ("arguments", "input", "args", "parameters"))
    return (
        str(_first((part, inner), ("id", "call_id", "toolCallId")) or ""),
        str(_first((part, inner), ("name", "toolName")) or "tool"),
        _decoded(args),
    )


def kind_of(part: Any) -> str:
    """What a part of a message is, in the words of the newest hosts."""
    if not isinstance(part, dict):
        return ""
    kind = part.get("type")
    if isinstance(kind, str):
        return kind
    return next(
        (key for key in ("functionCall", "functionResponse", "inlineData", "image_url") if key in part), ""
    )


def _text(content: Any, depth: int) -> str:
    if isinstance(content, str):
        return content
    if content is None or depth > _DEEPEST:
        return ""
    if isinstance(content, list):
        return "\n".join(filter(None, (_text(part, depth + 1) for part in content)))
    return _part(content, depth) if isinstance(content, dict) else compact(content)


def _part(part: dict[str, Any], depth: int) -> str:
    kind = kind_of(part)
    if kind in _THOUGHTS or kind in CALLS or part.get("thought") is True:
        return ""
    if kind in RESULTS:
        return _text(_first((part,), ("content", "output", "result", "functionResponse")), depth + 1)
    if kind in _PICTURES or kind == "inlineData":
        return _picture(part)
    for key in ("text", "content", "refusal", "parts"):
        if key in part and (kind in _TEXTS or not isinstance(part[key], bytes)):
            return _text(part[key], depth + 1)
    return _file(part, kind) if kind else compact(part)


def _picture(part: dict[str, Any]) -> str:
    source = next((part[key] for key in ("source", "image_url", "inlineData", "image") if key in part), part)
    if isinstance(source, str):
        source = {"url": source}
    if not isinstance(source, dict):
        return "[image]"
    url, data = source.get("url"), source.get("data", part.get("data"))
    if isinstance(url, str) and url.startswith("data:"):
        return unpacked(url)
    if isinstance(data, str):
        return placeholder(
            str(_first((source, part), ("media_type", "mimeType", "mime_type")) or "image/*"), data
        )
    return f"[image: {url.partition('?')[0][:200]}]" if isinstance(url, str) else "[image]"


def _file(part: dict[str, Any], kind: str) -> str:
    source = part.get("source") if isinstance(part.get("source"), dict) else part.get(kind)
    source = source if isinstance(source, dict) else part
    data = _first((source,), ("data", "file_data"))
    name = str(_first((source, part), ("filename", "file_name", "title", "name")) or "")[:100]
    mime = str(_first((source, part), ("media_type", "mimeType", "mime_type", "format")) or "")
    size = _size(len(data) * 3 // 4) if isinstance(data, str) else ""
    about = ", ".join(filter(None, (name, mime, size)))
    return f"[{kind}: {about}]" if about else f"[{kind}]"


def _if_binary(hit: re.Match[str]) -> str:
    data = hit[0]
    mixed = any(map(str.isdigit, data)) and any(map(str.isupper, data)) and any(map(str.islower, data))
    return placeholder("", data) if mixed else data


def _decoded(args: Any) -> Any:
    """OpenAI's hosts send arguments as a text of JSON."""
    if isinstance(args, str) and args[:1] in "{[":
        try:
            return json.loads(args)
        except (ValueError, RecursionError):
            return args
    return args


def _first(places: tuple[dict[str, Any], ...], keys: tuple[str, ...]) -> Any:
    return next((place[key] for key in keys for place in places if place.get(key) is not None), None)


def _size(count: int) -> str:
    return (
        f"{count} B"
        if count < 1000
        else f"{count / 1000:.0f} kB"
        if count < 1_000_000
        else f"{count / 1_000_000:.1f} MB"
    )
