"""A command line that a tool ran → the commands in it, and what of them may differ from one session to the next. Pure: nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memoryclaw.text import words as lists

COMMAND = ("command", "cmd", "script")  # what a tool calls the argument that is a command line
FILE = ("file_path", "path", "notebook_path", "filePath", "filename", "file")
PROMPT = "$ "  # before a command among the steps of a session, which are names of tools else
_IDLE = frozenset((*lists.words("consolidation.looking"), *lists.words("consolidation.idle_commands")))
_SHELL = ("-c", "-lc")  # of a shell that is given its command
_HERE = re.compile(r"<<-?\s*['\"]?\w+.*", re.DOTALL)
_PART = re.compile(r"""(?:"[^"\n]*"|'[^'\n]*'|[^;\n"'&|]|(?<!&)&(?!&)|(?<!\|)\|(?!\|)|["'])+""")
_PIPED = re.compile(r"\s(?:\d?>{1,2}&?|\|)\s?\S.*$|\s?2>&1.*$")
_WORD = re.compile(r"""(?:"[^"]*"?|'[^']*'?|[^\s"'])+""")
# What one session says and no other: quoted words, digests, days.
_OWN = re.compile(r"\"[^\"]*\s[^\"]*\"?|'[^']*\s[^']*'?|\b(?=\w*\d)[0-9a-f]{7,40}\b|\b\d{4}-\d\d-\d\d\S*")
OPEN = "…"  # in the pattern of a command: what differs


def argument(args: Mapping[str, Any], keys: Iterable[str]) -> str:
    """The first of these arguments that says something; of a list its words, of a shell its command."""
    for value in map(args.get, keys):
        words = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        if words and all(isinstance(word, str) for word in words):
            text = words[2] if len(words) == 3 and words[1] in _SHELL else " ".join(words)
            if text.strip():
                return text.strip()
    return ""


def commands(text: str) -> Iterator[str]:
    """The commands of a line that do something, each as a person would type it, without where its output went."""
    for piece in _PART.findall(_HERE.sub("", text)):
        command = " ".join(_PIPED.sub("", piece).split())
        if not is_idle(command.partition(" ")[0].rpartition("/")[2]):
            yield command


def is_idle(command: str) -> bool:
    """True for the name of a program that only looks, prints or goes somewhere."""
    return not command[:1].isalpha() or command.lower() in _IDLE


def words_of_command(command: str) -> list[str]:
    """The words of a command, quoted ones together."""
    return _WORD.findall(command)


def pattern_of(command: str) -> str:
    """A command without what only one session says."""
    return " ".join(_OWN.sub(OPEN, word) for word in words_of_command(command))
