"""Reads what ChatGPT, Claude and mem0 write when they are asked for one's data: conversations as turns, and memories. Pure.

Their files come without a promise, so nothing is taken for granted: what has another shape than expected is passed over and counted.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memoryclaw.capture.host_turns import RESULTS, kind_of
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.prompts import one_line

CHATGPT, CLAUDE, MEM0 = "chatgpt", "claude", "mem0"
OWNER_OF = {CHATGPT: "ChatGPT", CLAUDE: "Claude", MEM0: "mem0"}
USER = "user"  # the entity of what a memory says of nobody by name
_EMPTY, _BRANCH, _HIDDEN = (
    "no text",
    "another branch: an answer or a question that was replaced",
    "hidden by the host",
)
_TEMPORARY = "not to be remembered, as the host says"
# ChatGPT marks its citations and widgets with characters of a private range.
_MARKS = re.compile("\ue200[^\ue200\ue201]*\ue201|[\ue200-\ue206]")
_BOLD = re.compile(r"^[ \t]*\*\*([^*\n]{1,80}?):?\*\*[ \t]*$", re.MULTILINE)
_THOUGHTS = frozenset({"thoughts", "reasoning_recap", "model_editable_context"})
_ID = re.compile(r"[0-9a-f-]{16,}|\d+", re.IGNORECASE)


class ExportedConversation(NamedTuple):
    """A conversation as turns for the log, in order, and why some of it stays behind."""

    session: str
    title: str
    turns: tuple[dict[str, Any], ...]
    left_out: tuple[str, ...] = ()  # why, once for each message


class Memory(NamedTuple):
    """Something that another program kept: a sentence, or Markdown with a title of its own."""

    text: str
    source: str  # where it stood, for the person who decides
    entity: str = USER
    day: str = ""  # ISO date
    title: str = ""  # of a text that is kept as a note; empty for a sentence
    tags: tuple[str, ...] = ()
    curated: bool = False  # Markdown whose bullets may be facts


class Read(NamedTuple):
    """What one value of an export holds."""

    conversations: tuple[ExportedConversation, ...] = ()
    memories: tuple[Memory, ...] = ()
    known: bool = True  # False: it is none of what this program exports


def read_value(kind: str, value: Any, name: str) -> Read:
    """What one value of an export holds.

    Args:
        value: an item of the file's list, or all that it holds.
    """
    if kind == MEM0:
        return _mem0(value, name)
    inside = value.get("conversations") if isinstance(value, Mapping) else None
    if isinstance(inside, list):
        read = [read_value(kind, export, name) for export in inside]
        return Read(
            tuple(export for each in read for export in each.conversations),
            tuple(export for each in read for export in each.memories),
            any(export.known for export in read),
        )
    if not isinstance(value, Mapping):
        return Read(known=False)
    return _chatgpt(value) if kind == CHATGPT else _claude(value, name)


# ChatGPT: a tree of messages, in which `current_node` is the end of the path that is shown.


def _chatgpt(value: Mapping[str, Any]) -> Read:
    nodes = value.get("mapping")
    if not isinstance(nodes, Mapping):
        return Read(known=False)
    title = one_line(_text(value.get("title")))
    session = _session(CHATGPT, value, "conversation_id", "id")
    if value.get("is_do_not_remember") is True:
        return Read((ExportedConversation(session, title, (), (_TEMPORARY,) * len(nodes)),))
    path = _path(nodes, value.get("current_node"))
    ids = {id(node) for node in path}
    left_out = [_BRANCH for node in nodes.values() if id(node) not in ids and _words(_message(node)).strip()]
    turns: list[dict[str, Any]] = []
    memories: list[Memory] = []
    ts, before = _time(value.get("create_time")) or _time(value.get("update_time")), ""
    for node in path:
        message = _message(node)
        ts = _time(message.get("create_time")) or ts
        memories += _memories(message, title, ts)
        id_ = _text(message.get("id") or (node.get("id") if isinstance(node, Mapping) else ""))
        turn = _turn(message, id_, before)
        if isinstance(turn, str):
            left_out += [turn] if turn else []
            continue
        about = {"session": session, **({"ts": ts} if ts else {})}
        turns.append({**about, "id": id_, **turn})
        files = _list(_map(message.get("metadata")).get("attachments"))
        names = [_text(file.get("name")) for file in files if isinstance(file, Mapping)]
        turns += [
            {**about, "id": f"{id_}:{n}", **_attachment(name)} for n, name in enumerate(names, 1) if name
        ]
        before = id_
    return Read((ExportedConversation(session, title, tuple(turns), tuple(left_out)),), tuple(memories))


def _path(nodes: Mapping[str, Any], end: Any) -> list[Any]:
    """The messages from the root to the one that is shown last, or to the newest leaf where none is named."""
    if not isinstance(end, str) or end not in nodes:
        leaves = [
            (_number(_message(node).get("create_time")), key)
            for key, node in nodes.items()
            if not (isinstance(node, Mapping) and node.get("children"))
        ]
        end = max(leaves, default=(0.0, ""))[1]
    path, keys = [], set[str]()
    while isinstance(end, str) and end in nodes and end not in keys:
        keys.add(end)
        path.append(nodes[end])
        end = nodes[end].get("parent") if isinstance(nodes[end], Mapping) else None
    return path[::-1]


def _message(node: Any) -> Mapping[str, Any]:
    message = node.get("message") if isinstance(node, Mapping) else None
    return message if isinstance(message, Mapping) else {}


def _turn(message: Mapping[str, Any], id_: str, before: str) -> dict[str, Any] | str:
    """The turn of a message, or why there is none; nothing where nothing was said."""
    role, about = _role(message), _map(message.get("metadata"))
    text, kind = _words(message), _text(_map(message.get("content")).get("content_type"))
    if not text.strip() or kind in _THOUGHTS:
        return ""
    if (
        role == "system"
        or kind == "user_editable_context"
        or about.get("is_visually_hidden_from_conversation") is True
    ):
        return _HIDDEN
    recipient = _text(message.get("recipient")) or "all"
    if role == "tool":
        name = _text(_map(message.get("author")).get("name")) or "tool"
        return {"role": "tool", "tool": name, "toolCallId": before, "result": text}
    if role == "assistant" and recipient != "all":
        return {"role": role, "content": [{"type": "tool_use", "id": id_, "name": recipient, "input": text}]}
    return {"role": role, "content": text}


def _role(message: Mapping[str, Any]) -> str:
    return _text(_map(message.get("author")).get("role")) or USER


def _words(message: Mapping[str, Any]) -> str:
    """The words of a message; pictures and sound are named where there are none."""
    content = _map(message.get("content"))
    content_parts = content.get("parts")
    if isinstance(content_parts, list):
        texts = [_part(piece) for piece in content_parts]
        texts = texts if any(texts) else [_media_name(piece) for piece in content_parts]
    else:
        head = (
            [content.get("title"), content.get("url")]
            if content.get("content_type") == "tether_quote"
            else []
        )
        texts = [
            _text(text)
            for text in (*head, content.get("text"), content.get("result"), content.get("user_profile"))
        ]
    return _MARKS.sub("", "\n".join(filter(None, texts)))


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    return _text(_map(part).get("text"))


def _media_name(part: Any) -> str:
    """What a part without words is."""
    kind = _text(_map(part).get("content_type"))
    return (
        "[image]"
        if "image" in kind
        else "[audio]"
        if "audio" in kind
        else "[video]"
        if "video" in kind
        else ""
    )


def _memories(message: Mapping[str, Any], title: str, ts: str) -> Iterator[Memory]:
    """What ChatGPT was told to remember: by the person's own instructions, or by its memory tool (`bio`)."""
    content = _map(message.get("content"))
    where = f"conversation {title!r}" if title else "a conversation"
    if content.get("content_type") == "user_editable_context":
        user = _map(_map(message.get("metadata")).get("user_context_message_data"))
        headed = (
            ("About me", user.get("about_user_message") or content.get("user_profile")),
            (
                "How ChatGPT should answer",
                user.get("about_model_message") or content.get("user_instructions"),
            ),
        )
        for heading, text in headed:
            if _text(text).strip():
                yield Memory(_text(text).strip(), "custom instructions", title=heading, curated=True)
    elif _role(message) == "assistant" and message.get("recipient") == "bio":
        for line in _words(message).splitlines():
            if line.strip():
                yield Memory(line.strip(), f"memory, from {where}", day=ts[:10])


# Claude: a list of messages, each with blocks; memories and projects in files of their own.


def _claude(value: Mapping[str, Any], name: str) -> Read:
    if isinstance(value.get("chat_messages"), list):
        return Read((_claude_conversation(value),))
    if "conversations_memory" in value or "project_memories" in value:
        return Read(memories=tuple(_claude_memories(value, name)))
    if "prompt_template" in value or isinstance(value.get("docs"), list):
        return Read(memories=tuple(_claude_project(value, name)))
    return Read(known=False)


def _claude_conversation(value: Mapping[str, Any]) -> ExportedConversation:
    session = _session(CLAUDE, value, "uuid", "id")
    turns: list[dict[str, Any]] = []
    left_out: list[str] = []
    ts = _time(value.get("created_at"))
    for message in value["chat_messages"]:
        if not isinstance(message, Mapping):
            continue
        ts = _time(message.get("created_at")) or ts
        blocks = list(_claude_turns(message))
        left_out += [] if blocks else [_EMPTY]
        id_ = _text(message.get("uuid")) or _digest(message)
        turns += [
            {"session": session, "id": id_ if n == 0 else f"{id_}:{n}", **({"ts": ts} if ts else {}), **turn}
            for n, turn in enumerate(blocks)
        ]
    return ExportedConversation(session, one_line(_text(value.get("name"))), tuple(turns), tuple(left_out))


def _claude_turns(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A message as turns: what was said, each result of a tool, and each document that came with it."""
    role = "assistant" if message.get("sender") == "assistant" else USER
    blocks = [one for one in _list(message.get("content")) if isinstance(one, Mapping)]
    blocks = [one for one in blocks if kind_of(dict(one)) != "token_budget"]
    if not any(_text(one.get("text")).strip() or kind_of(dict(one)) != "text" for one in blocks):
        blocks = [{"type": "text", "text": _text(message.get("text"))}]
    together: list[Mapping[str, Any]] = []
    for block in [*blocks, None]:
        if block is not None and kind_of(dict(block)) not in RESULTS:
            together.append(_plain_block(block))
            continue
        if any(_text(one.get("text")).strip() or "input" in one for one in together):
            yield {"role": role, "content": together}
        together = []
        if block is not None:
            yield {"role": USER, "content": [_plain_block(block)]}
    for one in (*_list(message.get("attachments")), *_list(message.get("files"))):
        name, text = _text(_map(one).get("file_name")), _text(_map(one).get("extracted_content"))
        if name or text.strip():
            yield _attachment(name or "pasted text", text)


def _plain_block(block: Mapping[str, Any]) -> dict[str, Any]:
    """A block without what is for the program that shows it."""
    keys = ("type", "text", "id", "name", "input", "content", "is_error", "tool_use_id", "thinking")
    return {key: block[key] for key in keys if block.get(key) is not None}


def _claude_memories(value: Mapping[str, Any], name: str) -> Iterator[Memory]:
    headed = [("What Claude remembers", value.get("conversations_memory"))]
    headed += [
        (f"What Claude remembers of project {key}", text)
        for key, text in _map(value.get("project_memories")).items()
    ]
    for title, text in headed:
        if _text(text).strip():
            # Claude sets a bold line of its own where others write a heading.
            markdown = _BOLD.sub(r"## \1", _text(text).strip())
            yield Memory(markdown, name, title=title, curated=True)


def _claude_project(value: Mapping[str, Any], name: str) -> Iterator[Memory]:
    title = one_line(_text(value.get("name"))) or "project"
    day = _time(value.get("updated_at"))[:10]
    if value.get("is_starter_project") is True:
        return
    texts = [_text(value.get("description")).strip(), _text(value.get("prompt_template")).strip()]
    if any(texts):
        yield Memory("\n\n".join(filter(None, texts)), name, day=day, title=f"Project {title}")
    for document in _list(value.get("docs")):
        if isinstance(document, Mapping) and _text(document.get("content")).strip():
            file = one_line(_text(document.get("filename"))) or "document"
            source = f"{name}, document {file}"
            yield Memory(_text(document["content"]), source, day=day, title=f"{title}: {file}")


# mem0: a list of sentences, each with whom it is about.


def _mem0(value: Any, name: str) -> Read:
    rows = value
    for key in ("results", "memories", "data"):
        rows = rows[key] if isinstance(rows, Mapping) and isinstance(rows.get(key), list) else rows
    rows = [rows] if isinstance(rows, Mapping) else rows
    memories = [one for row in _list(rows) if isinstance(row, Mapping) and (one := _mem0_row(row, name))]
    return Read(memories=tuple(memories), known=bool(memories) or rows == [])


def _mem0_row(row: Mapping[str, Any], name: str) -> Memory | None:
    text = next((_text(row[key]) for key in ("memory", "text", "content") if _text(row.get(key)).strip()), "")
    if not text:
        return None
    about = next((_text(row[key]) for key in ("user_id", "agent_id") if _text(row.get(key)).strip()), "")
    tags = [_text(tag) for tag in _list(row.get("categories"))]
    day = (_time(row.get("updated_at")) or _time(row.get("created_at")))[:10]
    source = name + (f", as {row['id']}" if row.get("id") else "")
    # An id that only a machine reads names nobody.
    entity = USER if not about or _ID.fullmatch(about) else one_line(about)
    return Memory(text.strip(), source, entity=entity, day=day, tags=tuple(filter(None, tags)))


# What any of them may hold.


def _attachment(name: str, text: str = "") -> dict[str, Any]:
    """A document that came with a message: somebody else's words, so it counts as what a tool brought."""
    return {
        "role": "tool",
        "tool": "attachment",
        "args": {"file": name},
        **({"result": text} if text else {}),
    }


def _session(kind: str, value: Mapping[str, Any], *keys: str) -> str:
    id_ = next((_text(value[key]) for key in keys if _text(value.get(key))), "") or _digest(value)
    return f"{kind}-{one_line(id_)}"[:90]


def _digest(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _time(value: Any) -> str:
    """A time as our logs write it; nothing where there is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not value:
        return ""
    stamp = parse_timestamp(str(value))
    return stamp if len(stamp) > 10 or not stamp else f"{stamp}T00:00:00Z"


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
