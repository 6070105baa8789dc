"""Reads what mem0 exports: a list of sentences, bare or in an object, each with whom it is about. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memoryclaw.connect import sources
from memoryclaw.text.encoding import text_in
from memoryclaw.text.prompts import one_line

_ID = re.compile(r"[0-9a-f-]{16,}|\d+", re.IGNORECASE)


def read_value(value: Any, name: str) -> Iterator[sources.Item]:
    """What one value of an export holds."""
    rows = value
    for key in ("results", "memories", "data"):
        rows = rows[key] if isinstance(rows, Mapping) and isinstance(rows.get(key), list) else rows
    rows = [rows] if isinstance(rows, Mapping) else rows
    memories: list[sources.Item] = [
        _memory(row, name, text)
        for row in sources.as_list(rows)
        if isinstance(row, Mapping) and (text := sources.first_text(row, "memory", "text", "content"))
    ]
    yield from memories or ([] if rows == [] else [sources.OTHER_FORM])


def _memory(row: Mapping[str, Any], name: str, text: str) -> sources.Memory:
    about = sources.first_text(row, "user_id", "agent_id")
    # An id that only a machine reads names nobody.
    entity = sources.USER if not about or _ID.fullmatch(about) else one_line(about)
    day = sources.time_of(row, "updated_at", "created_at")[:10]
    tags = tuple(filter(None, map(text_in, sources.as_list(row.get("categories")))))
    return sources.Memory(
        text.strip(), name + (f", as {row['id']}" if row.get("id") else ""), entity, day, tags=tags
    )


MEM0 = sources.Source("mem0", "mem0", re.compile(r"\.json$", re.IGNORECASE), sources.export_of(read_value))
