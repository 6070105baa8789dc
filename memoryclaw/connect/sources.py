"""How the memories of other programs are read: a row a program, and what all of them give: conversations and memories. Pure.

Their files come without a promise, so nothing is taken for granted: what has another shape than expected is passed over and counted.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from memoryclaw.connect.archives import Part, items
from memoryclaw.late import NamedTuple
from memoryclaw.model import Problem
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.encoding import text_in
from memoryclaw.text.prompts import one_line

USER = "user"  # the entity of what a memory says of nobody by name
NO_TEXT, OTHER_FORM = "no text", "of another form than this program writes"

Turn = dict[str, Any]
BytesRead = Callable[[int], None]  # how many bytes more were read


class HostConversation(NamedTuple):
    """Turns for the log, in order."""

    session: str
    title: str
    turns: tuple[Turn | str, ...]
    places: tuple[tuple[str, int], ...] = ()  # of lines of a file: where each turn stands


class Memory(NamedTuple):
    """Something that another program kept: a sentence, or Markdown with a title of its own."""

    text: str
    source: str  # where it stood, for the person who decides
    entity: str = USER
    day: str = ""  # ISO date
    title: str = ""  # of a text that is kept as a note; empty for a sentence
    tags: tuple[str, ...] = ()
    form: str = ""  # curated: its bullets may be facts | lines: so, in a file | dated: its name is its day | note: kept as it is


Item = HostConversation | Memory | Problem | str
"""What a file holds: a string says why something of it stays behind."""


class Source(NamedTuple):
    """One program whose memories are read."""

    name: str
    owner: str  # in a sentence
    files: re.Pattern[str]  # that are read, by their names
    read: Callable[[Part, BytesRead], Iterable[Item]]
    file: str = ""  # that is meant where a folder is named


def export_of(
    read_value: Callable[[Any, str], Iterable[Item]],
) -> Callable[[Part, BytesRead], Iterator[Item]]:
    """The reader of a JSON export from one of its values: an item of the file's list, or all that the file holds."""

    def read(part: Part, advance: BytesRead) -> Iterator[Item]:
        for value in items(part, advance):
            yield from [value] if isinstance(value, Problem) else read_value(value, part.name)

    return read


def conversations_in(value: Any) -> Sequence[Any]:
    """The conversations of a value that holds a list of them, else the value."""
    inner = as_map(value).get("conversations")
    return inner if isinstance(inner, list) else (value,)


def conversation(
    kind: str, value: Mapping[str, Any], ids: Sequence[str], title: str, turns: Iterable[Turn]
) -> HostConversation:
    """A conversation under the first of these ids that it has, else under its digest."""
    session = f"{kind}-{one_line(first_text(value, *ids) or digest(value))}"[:90]
    called, about = one_line(text_in(value.get(title))), {"session": session}
    first = {"topic": called} if called else {}
    texts = (about | turn | (first if not n else {}) for n, turn in enumerate(turns))
    return HostConversation(session, called, tuple(texts))


def attachment(name: str, text: str = "") -> Turn:
    """A document that came with a message: somebody else's words, so it counts as what a tool brought."""
    return {"role": "tool", "tool": "attachment", "args": {"file": name}} | ({"result": text} if text else {})


def digest(value: Mapping[str, Any]) -> str:
    """What a value without an id is known by."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def time_of(value: Mapping[str, Any], *keys: str) -> str:
    """The first time under these keys, as our logs write it; nothing where there is none."""
    times = (time for time in map(value.get, keys) if isinstance(time, str | int | float))
    stamps = (parse_timestamp(str(time)) for time in times if time and not isinstance(time, bool))
    stamp = next(filter(None, stamps), "")
    return stamp if len(stamp) > 10 or not stamp else f"{stamp}T00:00:00Z"


def first_text(value: Mapping[str, Any], *keys: str) -> str:
    """The first text under these keys that says anything."""
    return next((text for key in keys if (text := text_in(value.get(key))).strip()), "")


def as_map(value: Any) -> Mapping[str, Any]:
    """The value where it is an object."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> Sequence[Any]:
    """The value where it is a list."""
    return value if isinstance(value, list) else ()
