"""Reads what is new in a host's transcript, turn by turn. The file is only read, and a turn counts as read once it is kept.

Where the last look ended is remembered in the state folder. Without that the file is read from its beginning: what is in the
logs already is known by its id, and is not kept twice.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from memoryclaw.capture.host_turns import messages_in, topic_in
from memoryclaw.errors import InputError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.encoding import json_object
from memoryclaw.vault.state_folder import make_private_folder, write_private

FOLDER = "hooks"  # in the state folder
_LONGEST = 32 * 1024 * 1024  # bytes of a line; a longer one is passed over
_BATCH = 192 * 1024  # bytes of turns that are handed on at once
_TAIL = 256  # bytes before the place where a look ended, by which a file is known again

Turn = dict[str, Any]
Keep = Callable[[Sequence[Turn]], Sequence[Turn]]
"""Keeps turns and acknowledges each, as `capture --json` does."""


class ReadPosition(NamedTuple):
    """How far a transcript was read, and how to tell that it still is the same one."""

    file: str = ""
    offset: int = 0
    tail: str = ""


def keep_new(path: str, session: str, state: str, keep: Keep) -> dict[str, int]:
    """Keeps what is new in the transcript; returns how many turns were kept, known already, left out or refused.

    Args:
        state: the state folder, where the place is remembered.
        keep: keeps turns; those that it does not keep are read again the next time.
    """
    counts = dict.fromkeys(("kept", "again", "left_out", "refused"), 0)
    name = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:16]
    mark = os.path.join(state, FOLDER, f"{name}.json")
    try:
        handle = os.open(os.path.expanduser(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"the transcript {path} cannot be read ({error.strerror})") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise InputError(f"the transcript {path} is not a regular file")
    with open(handle, "rb") as file:
        # Behind what was read, if this is the same file and it only grew.
        last = ReadPosition()
        with suppress(OSError, ValueError, TypeError), open(mark, encoding="utf-8") as known:
            last = ReadPosition(**json.load(known))
        start = last.offset if last.offset and _place(file, last.offset) == last else 0
        file.seek(start)
        for turns, end in _batches(file, session):
            count(counts, keep(turns) if turns else [])
            if counts["refused"]:
                break
            start = end
        _remember(mark, _place(file, start))
    return counts


def count(counts: dict[str, int], acknowledged: Sequence[Turn]) -> None:
    """Adds up what became of turns."""
    for receipt in acknowledged:
        outcome = next((key for key in ("again", "left_out") if receipt.get(key)), "kept")
        counts[outcome if receipt.get("ok") else "refused"] += 1


def _batches(file: BinaryIO, session: str) -> Iterator[tuple[list[Turn], int]]:
    """Turns, some at a time, each time with the place behind the last whole line that they came from."""
    waiting: list[Turn] = []
    size, end, topic = 0, file.tell(), ""
    while line := file.readline(_LONGEST):
        complete = line.endswith(b"\n") or _skip_line(file, line)
        text = line.decode("utf-8", "replace")
        turns = turns_of(text, session)
        if turns and topic:
            turns[0]["topic"], topic = topic, ""
        topic = topic_in(json_object(text)) or topic
        waiting += turns
        size += len(line)
        end = file.tell() if complete else end
        if size >= _BATCH:
            yield waiting, end
            waiting, size = [], 0
    yield waiting, end


def _skip_line(file: BinaryIO, line: bytes) -> bool:
    """Reads a line that is too long to its end; False for one that its writer has not ended yet."""
    while len(line) == _LONGEST and not line.endswith(b"\n"):
        line = file.readline(_LONGEST)
    return line.endswith(b"\n")


def _place(file: BinaryIO, offset: int) -> ReadPosition:
    info = os.fstat(file.fileno())
    tail = os.pread(file.fileno(), min(_TAIL, offset), max(0, offset - _TAIL))
    return ReadPosition(f"{info.st_dev}:{info.st_ino}", offset, hashlib.sha256(tail).hexdigest()[:16])


def _remember(mark: str, place: ReadPosition) -> None:
    """What cannot be remembered is only read again; a state folder that is not there is not made for this."""
    folder = os.path.dirname(mark)
    if not os.path.isdir(os.path.dirname(folder)):
        return
    with suppress(OSError, VaultError):
        make_private_folder(folder)
        write_private(folder, os.path.basename(mark), json.dumps(place._asdict()).encode())


# A transcript's lines as turns for `capture`, which takes off what the host put around the words.


# A record as it stands on the disk holds more, such as whole files that a tool has read.
_SENT = ("type", "role", "tool", "name", "message", "content", "toolCallId", "toolName", "cwd", "gitBranch")


def turns_of(line: str, session: str) -> list[Turn]:
    """The turns that one line of a transcript holds: none, one, or as many as it has results of tools."""
    record = json_object(line)
    messages = messages_in(record)
    if isinstance(messages, str) or not record.keys() & {"message", "payload", "role"}:
        return []
    digest, turns = hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:32], []
    for place, message in enumerate(messages):
        if isinstance(message, Mapping):
            turn = {key: message[key] for key in _SENT if message.get(key) is not None}
            stamp = message.get("timestamp")  # a line without gets the moment of its capture
            turn |= {"timestamp": stamp} if isinstance(stamp, str) and parse_timestamp(stamp) else {}
            id_ = message.get("uuid") or message.get("id") or (f"{digest}:{place}" if place else digest)
            turns.append({**turn, "session": session, "uuid": str(id_)})
    return turns
