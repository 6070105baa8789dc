"""`salience.md` in the root of a vault: what matters to its user and what to ignore. It is read as words, and tells nobody what to do."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from memoryclaw.model import Problem
from memoryclaw.text import words as lists
from memoryclaw.text.frontmatter import split
from memoryclaw.text.grammar import codes, grammar, tokens_of
from memoryclaw.text.language import WORD
from memoryclaw.text.markdown import read_body, sections_of
from memoryclaw.text.memory_lines import read_line

MOST = 4000  # characters that are read
MATTERS, IGNORE = "matters", "ignore"
_LABEL_WORDS = 6  # of a line before its colon
_BOLD = re.compile(r"(\*\*|__)([^*_]+)\1")
_PARTS = re.compile(r"[,;，；、]")


class Topics(NamedTuple):
    """The topics of both parts, each in the words of the file, and what of the file is not read."""

    matters: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_topics(text: str) -> Topics:
    """The topics that a text names: to be ignored below a heading that says ignore or denies, of weight below any other.

    A line is a topic, or several with commas between them. A heading that says neither is of the part of the one above it, and so is one
    that says both. A line that is bold or ends in a colon is a heading; what stands behind the colon is of that part alone.
    """
    topics: dict[str, dict[str, None]] = {MATTERS: {}, IGNORE: {}}
    note = split(text[: _end(text)])
    body = read_body(note.body, note.body_line)
    for section in sections_of(body._replace(text=body.quiet), note.body_line):
        topic_kind = next(filter(None, map(_part, reversed(section.trail))), MATTERS)
        for line in section.text.splitlines():
            label, colon, topics_text = _label(read_line(line.lstrip(" \t>")).content)
            of = _part(label) if len(tokens_of(label)) <= _LABEL_WORDS else ""
            if of and not topics_text.strip():
                topic_kind = of
                continue
            for topic in _PARTS.split(topics_text if of else f"{label}{colon}{topics_text}"):
                if named := " ".join(hit[0] for hit in WORD.finditer(topic)):
                    topics[of or topic_kind][named] = None
    problems: tuple[Problem, ...] = ()
    if len(text) > MOST:
        first_unread = text.count("\n", 0, _end(text)) + 1
        message = f"only the first {MOST:,} characters are read as what matters and what to ignore"
        problems = (Problem("", first_unread, message, "shorten the file, or write what is below elsewhere"),)
    return Topics(tuple(topics[MATTERS]), tuple(topics[IGNORE]), problems)


def says_which(word: str) -> bool:
    """True for a word that says which part a line is of, and no topic: `important`, `ignore`, `not`."""
    word = word.lower()
    return word in _list("matters") or word in _list("ignores") or _denies(word)


def _label(line: str) -> tuple[str, str, str]:
    """What stands before a colon, the colon, and what stands behind it; a bold line has a colon at its end."""
    if bold := _BOLD.fullmatch(line.strip()):
        return bold[2].rstrip(" :"), ":", ""
    label, colon, text = line.partition(":")
    return (label, colon, text.lstrip("*_")) if colon else ("", "", line)


def _part(heading: str) -> str:
    """Which part a heading says that it begins; empty where it says none, or both."""
    words = [word.lower() for word in tokens_of(heading)]
    if any(map(_denies, words)):
        return IGNORE
    matters = any(word in _list("matters") for word in words)
    ignores = any(word in _list("ignores") for word in words)
    return "" if matters == ignores else MATTERS if matters else IGNORE


def _denies(word: str) -> bool:
    return word in _list("denies") or any(word in grammar(code).negations for code in codes())


@cache
def _list(name: str) -> frozenset[str]:
    return frozenset(lists.words(f"salience.{name}"))


def _end(text: str) -> int:
    """Where reading ends: at a line, within the characters that are read."""
    return len(text) if len(text) <= MOST else text.rfind("\n", 0, MOST) + 1 or MOST
