"""Reads what Claude exports: a list of messages, each with blocks; memories and projects in files of their own. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memoryclaw.capture.host_turns import RESULTS, kind_of
from memoryclaw.connect import sources
from memoryclaw.connect.sources import Item, Memory, Source, Turn
from memoryclaw.text.encoding import text_in
from memoryclaw.text.prompts import one_line

_BOLD = re.compile(r"^[ \t]*\*\*([^*\n]{1,80}?):?\*\*[ \t]*$", re.MULTILINE)
_BLOCK = ("type", "text", "id", "name", "input", "content", "is_error", "tool_use_id", "thinking")


def read_value(value: Any, name: str) -> Iterator[Item]:
    """What one value of an export holds."""
    for conversation in map(sources.as_map, sources.conversations_in(value)):
        if isinstance(conversation.get("chat_messages"), list):
            yield from _conversation(conversation)
        elif "conversations_memory" in conversation or "project_memories" in conversation:
            yield from _memories(conversation, name)
        elif "prompt_template" in conversation or isinstance(conversation.get("docs"), list):
            yield from _project(conversation, name)
        else:
            yield sources.OTHER_FORM


def _conversation(value: Mapping[str, Any]) -> Iterator[Item]:
    turns: list[Turn] = []
    ts = sources.time_of(value, "created_at")
    for message in [each for each in value["chat_messages"] if isinstance(each, Mapping)]:
        ts = sources.time_of(message, "created_at") or ts
        blocks = list(_turns(message))
        yield from [] if blocks else [sources.NO_TEXT]
        id_, at = text_in(message.get("uuid")) or sources.digest(message), {"ts": ts} if ts else {}
        turns += [{"id": f"{id_}:{n}" if n else id_, **at, **turn} for n, turn in enumerate(blocks)]
    yield sources.conversation("claude", value, ("uuid", "id"), "name", turns)


def _turns(message: Mapping[str, Any]) -> Iterator[Turn]:
    """A message as turns: what was said, each result of a tool, and each document that came with it."""
    role = "assistant" if message.get("sender") == "assistant" else sources.USER
    blocks = [dict(block) for block in sources.as_list(message.get("content")) if isinstance(block, Mapping)]
    blocks = [block for block in blocks if kind_of(block) != "token_budget"]
    if not any(text_in(block.get("text")).strip() or kind_of(block) != "text" for block in blocks):
        blocks = [{"type": "text", "text": text_in(message.get("text"))}]
    together: list[Turn] = []
    for block in [*blocks, None]:
        # Without what is for the program that shows it.
        plain = {key: block[key] for key in _BLOCK if block.get(key) is not None} if block else {}
        if block is not None and kind_of(block) not in RESULTS:
            together.append(plain)
            continue
        if any(text_in(each.get("text")).strip() or "input" in each for each in together):
            yield {"role": role, "content": together}
        together = []
        if block is not None:
            yield {"role": sources.USER, "content": [plain]}
    came = (*sources.as_list(message.get("attachments")), *sources.as_list(message.get("files")))
    for file in map(sources.as_map, came):
        name, text = text_in(file.get("file_name")), text_in(file.get("extracted_content"))
        if name or text.strip():
            yield sources.attachment(name or "pasted text", text)


def _memories(value: Mapping[str, Any], name: str) -> Iterator[Memory]:
    headed = {"What Claude remembers": value.get("conversations_memory")}
    for key, text in sources.as_map(value.get("project_memories")).items():
        headed[f"What Claude remembers of project {key}"] = text
    for title, text in headed.items():
        if words := text_in(text).strip():
            # Claude sets a bold line of its own where others write a heading.
            yield Memory(_BOLD.sub(r"## \1", words), name, title=title, form="curated")


def _project(value: Mapping[str, Any], name: str) -> Iterator[Memory]:
    title = one_line(text_in(value.get("name"))) or "project"
    day = sources.time_of(value, "updated_at")[:10]
    if value.get("is_starter_project") is True:
        return
    texts = [text_in(value.get(key)).strip() for key in ("description", "prompt_template")]
    if any(texts):
        yield Memory("\n\n".join(filter(None, texts)), name, day=day, title=f"Project {title}")
    for document in map(sources.as_map, sources.as_list(value.get("docs"))):
        if text_in(document.get("content")).strip():
            file = one_line(text_in(document.get("filename"))) or "document"
            yield Memory(document["content"], f"{name}, document {file}", day=day, title=f"{title}: {file}")


CLAUDE = Source(
    "claude",
    "Claude",
    re.compile(
        r"(?:^|/)(?:(?:conversations|memories|projects)(?:[-_]\d+)?|(?:conversations|memories|projects)/[^/]+)\.json$",
        re.IGNORECASE,
    ),
    sources.export_of(read_value),
)
