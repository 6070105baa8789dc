"""Reads the history that aider keeps beside a repository: Markdown, in which the person, aider and the model begin their lines differently. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import groupby

from memoryclaw.connect.archives import Part, whole
from memoryclaw.connect.sources import OTHER_FORM, BytesRead, HostConversation, Item, Source, Turn
from memoryclaw.text.encoding import decode, readable

HISTORY = ".aider.chat.history.md"
_START = re.compile(
    r"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t]*+$", re.MULTILINE | re.ASCII
)
_FENCE = re.compile(r"`{3,}|~{3,}")
_USER, _TOOL = "#### ", "> "
_WORDS = re.compile(r"/(?:ask|code|architect|help|context)[ \t]++")  # before what the person says


def _read(part: Part, advance: BytesRead) -> Iterator[Item]:
    head, *chats = _START.split(readable(decode(whole(part)).text))
    advance(part.size)
    if head.strip() or not chats:
        yield OTHER_FORM
    for stamp, text in zip(chats[::2], chats[1::2], strict=True):
        session = f"aider-{stamp.replace(' ', '_').replace(':', '-')}"
        turns = list(_turns(text))
        if not any(turn["role"] == "user" for turn in turns):  # it was only started
            turns = []
        about = {"session": session, "ts": stamp, **({"cwd": part.folder} if part.folder else {})}
        digests = (hashlib.sha256(str(turn).encode()).hexdigest()[:12] for turn in turns)
        named = enumerate(zip(digests, turns, strict=True), 1)
        texts = ({**about, "id": f"{n}:{digest}", **turn} for n, (digest, turn) in named)
        yield HostConversation(session, "", tuple(texts))


def _turns(text: str) -> Iterator[Turn]:
    for role, lines in groupby(_lines(text), key=lambda line: line[0]):
        words = "\n".join(line for _, line in lines).strip()
        if role == _TOOL:
            yield {"role": "tool", "tool": "aider", "result": words}
        elif role == _USER and words.startswith(("/", "!")) and not _WORDS.match(words):
            yield {"role": "tool", "tool": "aider", "args": {"command": words}}
        elif role and words:
            spoken = _WORDS.sub("", words, count=1) if role == _USER else words
            yield {"role": "user" if role == _USER else "assistant", "content": spoken}


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Each line with how those of its speaker begin; what stands in a fence is the model's, whatever it begins with."""
    role, fence = "", ""
    for line in text.split("\n"):
        begins = next((mark for mark in (_USER, _TOOL) if line.startswith(mark) and not fence), "")
        if begins:
            role = begins
        elif line.strip() or role not in ("", _USER, _TOOL):
            role = "assistant"
            mark = _FENCE.match(line)
            fence = fence if not mark else "" if fence and mark[0].startswith(fence) else fence or mark[0]
        else:
            role = ""  # a blank line ends what a person or aider says
        yield role, line[len(begins) :].rstrip()


AIDER = Source("aider", "aider", re.compile(r"(?:^|/)\.aider\.chat\.history\.md$"), _read, HISTORY)
