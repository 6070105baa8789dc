"""Reads what ChatGPT exports: a tree of messages a conversation, in which `current_node` is the end of the path that is shown. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memoryclaw.connect import sources
from memoryclaw.connect.sources import Item, Memory, Source, Turn
from memoryclaw.text.encoding import text_in
from memoryclaw.text.prompts import one_line

_BRANCH = "another branch: an answer or a question that was replaced"
_HIDDEN, _TEMPORARY = "hidden by the host", "not to be remembered, as the host says"
# ChatGPT marks its citations and widgets with characters of a private range.
_MARKS = re.compile("\ue200[^\ue200\ue201]*\ue201|[\ue200-\ue206]")
_THOUGHTS = frozenset({"thoughts", "reasoning_recap", "model_editable_context"})
_HEADINGS = (
    ("About me", "about_user_message", "user_profile"),
    ("How ChatGPT should answer", "about_model_message", "user_instructions"),
)
_MEDIA = ("image", "audio", "video")


def read_value(value: Any, _name: str) -> Iterator[Item]:
    """What one value of an export holds."""
    for talk in map(sources.as_map, sources.conversations_in(value)):
        nodes = talk.get("mapping")
        if isinstance(nodes, Mapping):
            yield from _conversation(talk, nodes)
        else:
            yield sources.OTHER_FORM


def _conversation(value: Mapping[str, Any], nodes: Mapping[str, Any]) -> Iterator[Item]:
    ids = ("conversation_id", "id")
    if value.get("is_do_not_remember") is True:
        yield sources.conversation("chatgpt", value, ids, "title", ())
        yield from [_TEMPORARY] * len(nodes)
        return
    path = _path(nodes, value.get("current_node"))
    branch = {id(node) for node in path}
    others = (node for node in nodes.values() if id(node) not in branch)
    yield from (_BRANCH for node in others if _words(_message(node)).strip())
    turns: list[Turn] = []
    ts, before = sources.time_of(value, "create_time", "update_time"), ""
    for node in path:
        message = _message(node)
        ts = sources.time_of(message, "create_time") or ts
        yield from _memories(message, one_line(text_in(value.get("title"))), ts)
        id_ = text_in(message.get("id") or sources.as_map(node).get("id"))
        turn = _turn(message, id_, before)
        if isinstance(turn, str):
            yield from [turn] if turn else []
            continue
        files = sources.as_list(sources.as_map(message.get("metadata")).get("attachments"))
        names = [text_in(sources.as_map(file).get("name")) for file in files]
        came = [(f"{id_}:{n}", sources.attachment(name)) for n, name in enumerate(names, 1) if name]
        turns += [{**({"ts": ts} if ts else {}), "id": key, **each} for key, each in ((id_, turn), *came)]
        before = id_
    yield sources.conversation("chatgpt", value, ids, "title", turns)


def _path(nodes: Mapping[str, Any], end: Any) -> list[Any]:
    """The messages from the root to the one that is shown last, or to the newest leaf where none is named."""
    if not isinstance(end, str) or end not in nodes:
        ends = ((key, node) for key, node in nodes.items() if not sources.as_map(node).get("children"))
        times = ((key, _message(node).get("create_time")) for key, node in ends)
        leaves = [(time if isinstance(time, int | float) else 0, key) for key, time in times]
        end = max(leaves, default=(0, ""))[1]
    path, keys = [], set[str]()
    while isinstance(end, str) and end in nodes and end not in keys:
        keys.add(end)
        path.append(nodes[end])
        end = sources.as_map(nodes[end]).get("parent")
    return path[::-1]


def _message(node: Any) -> Mapping[str, Any]:
    return sources.as_map(sources.as_map(node).get("message"))


def _turn(message: Mapping[str, Any], id_: str, before: str) -> Turn | str:
    """The turn of a message, or why there is none; nothing where nothing was said."""
    role, text = _role(message), _words(message)
    kind = text_in(sources.as_map(message.get("content")).get("content_type"))
    if not text.strip() or kind in _THOUGHTS:
        return ""
    hidden = sources.as_map(message.get("metadata")).get("is_visually_hidden_from_conversation") is True
    if role == "system" or kind == "user_editable_context" or hidden:
        return _HIDDEN
    recipient = text_in(message.get("recipient")) or "all"
    if role == "tool":
        name = text_in(sources.as_map(message.get("author")).get("name")) or "tool"
        return {"role": "tool", "tool": name, "toolCallId": before, "result": text}
    if role == "assistant" and recipient != "all":
        return {"role": role, "content": [{"type": "tool_use", "id": id_, "name": recipient, "input": text}]}
    return {"role": role, "content": text}


def _role(message: Mapping[str, Any]) -> str:
    return text_in(sources.as_map(message.get("author")).get("role")) or sources.USER


def _words(message: Mapping[str, Any]) -> str:
    """The words of a message; pictures and sound are named where there are none."""
    content = sources.as_map(message.get("content"))
    pieces = content.get("parts")
    if isinstance(pieces, list):
        texts = [text_in(sources.as_map(piece).get("text", piece)) for piece in pieces]
        texts = texts if any(texts) else [_medium(piece) for piece in pieces]
    else:
        head = ("title", "url") if content.get("content_type") == "tether_quote" else ()
        texts = [text_in(content.get(key)) for key in (*head, "text", "result", "user_profile")]
    return _MARKS.sub("", "\n".join(filter(None, texts)))


def _medium(piece: Any) -> str:
    """What a piece without words is."""
    kind = text_in(sources.as_map(piece).get("content_type"))
    return next((f"[{medium}]" for medium in _MEDIA if medium in kind), "")


def _memories(message: Mapping[str, Any], title: str, ts: str) -> Iterator[Memory]:
    """What ChatGPT was told to remember: by the person's own instructions, or by its memory tool (`bio`)."""
    content = sources.as_map(message.get("content"))
    if content.get("content_type") == "user_editable_context":
        user = sources.as_map(sources.as_map(message.get("metadata")).get("user_context_message_data"))
        for heading, own, shown in _HEADINGS:
            text = text_in(user.get(own) or content.get(shown)).strip()
            if text:
                yield Memory(text, "custom instructions", title=heading, form="curated")
    elif _role(message) == "assistant" and message.get("recipient") == "bio":
        where = f"conversation {title!r}" if title else "a conversation"
        lines = filter(None, map(str.strip, _words(message).splitlines()))
        yield from (Memory(line, f"memory, from {where}", day=ts[:10]) for line in lines)


CHATGPT = Source(
    "chatgpt",
    "ChatGPT",
    re.compile(r"(?:^|/)conversations(?:[-_]\d+)?\.json$", re.IGNORECASE),
    sources.export_of(read_value),
)
