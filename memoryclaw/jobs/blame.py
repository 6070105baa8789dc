"""blame: a fact back to the commit that set it, the episode that tells it, the log line that said it, and who approved it.

The rule: what is gone is said to be gone; the part of the way that is left is shown.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memoryclaw.adapters import files, gitlog
from memoryclaw.adapters.gitlog import Logged
from memoryclaw.adapters.history import History
from memoryclaw.core.consolidation.decisions import (
    APPROVED,
    DECISIONS_FILE,
    Decision,
    Decisions,
    fingerprint,
)
from memoryclaw.core.consolidation.ranges import LogRange, parse_ranges, range_of
from memoryclaw.core.errors import InputError, MemoryClawError, NotFoundError
from memoryclaw.core.factsheet import SemanticFile
from memoryclaw.core.factsources import fact_sources
from memoryclaw.core.model import Fact, Turn
from memoryclaw.core.notes import ReadingSettings, read_note
from memoryclaw.core.textfile import decode, readable
from memoryclaw.core.yamltext import strings
from memoryclaw.jobs.consolidation.selecting import lines_of
from memoryclaw.jobs.histories import fact_named
from memoryclaw.jobs.pen import Pen

_LOG_LINE = re.compile(r"l(\d{1,9})")
_MARKS = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+|(?<![ \t])[ \t]++\^[A-Za-z0-9-]+[ \t]*$")


class Cited(NamedTuple):
    """One source of a fact: the episode with the words it quotes, and the line of the log where they were said."""

    source: str  # as the fact names it
    path: str = ""  # of the episode; empty when it is gone
    quote: str = ""
    log: str = ""  # the range that the episode cites
    line: int = 0  # of the log
    said: str = ""  # that line as the log has it, with who said it
    notice: str = ""  # what of this is missing, and why


class Blame(NamedTuple):
    """Where a fact comes from."""

    id: str
    fact: Fact
    path: str
    commit: Logged | None = None  # that gave it its value
    approved: Decision | None = None
    sources: tuple[Cited, ...] = ()
    notice: str = ""  # why no commit is named


def blame(pen: Pen, id_: str) -> Blame:
    """Where the current value of a fact comes from.

    Raises:
        InputError: this is no fact.
        NotFoundError: there is no such fact.
    """
    address = fact_named(pen, id_) or pen.find(id_)
    id_ = address.id
    if address.kind != "fact":
        raise InputError(f"{id_} is no fact; `memoryclaw history {id_}` shows what was done to it")
    file, text = pen.semantic(address.path), pen.text(address.path)
    fact = next((found for found in file.facts(text).facts if found.id == id_), None)
    if fact is None:
        raise NotFoundError(f"there is no fact {id_} in {address.path} any more")
    commit, notice = _set_by(pen, file, fact)
    decided = Decisions.read(pen.text(DECISIONS_FILE)).of(
        fingerprint("fact", fact.entity, fact.field, fact.value)
    )
    return Blame(
        id=id_,
        fact=fact,
        path=address.path,
        commit=commit,
        approved=decided if decided and decided.decision == APPROVED else None,
        sources=tuple(_cited(pen, source) for source in fact_sources(text, file, id_)),
        notice=notice,
    )


def _set_by(pen: Pen, file: SemanticFile, fact: Fact) -> tuple[Logged | None, str]:
    """The commit from which on the file has said this, without a break until now."""
    history = History(pen.root)
    state = history.state()
    if not state.git_dir or not history.head():
        return None, state.sentence
    found = ""
    for edition in gitlog.editions(history, file.path):
        if not _holds(file, fact, edition.after):
            break
        found = edition.commit
        if not _holds(file, fact, edition.before):
            break
    if not found:
        return None, f"this was written into {file.path} by hand and is not committed yet"
    return gitlog.logged(history, found), ""


def _holds(file: SemanticFile, fact: Fact, data: bytes | None) -> bool:
    return any(
        (one.entity, one.field, one.value, one.current) == (fact.entity, fact.field, fact.value, fact.current)
        for one in file.facts(decode(data or b"").text).facts
    )


def _cited(pen: Pen, source: str) -> Cited:
    """One source, followed as far as it leads."""
    name, _, block = source.partition("#^")
    address = pen.lookup.resolve(name)
    path = address.path if address else _named(pen, name)
    if not path:
        return Cited(source, notice=f"nothing in the vault is called {name} now")
    if address is not None and address.kind == "turn":
        return Cited(
            source,
            address.path,
            log=address.path,
            line=address.line,
            said=_turn(pen, address.path, address.line),
        )
    note = read_note(path, _bytes(pen, path), ReadingSettings())
    at = dict(note.blocks).get(block, 0)
    lines = readable(decode(_bytes(pen, path)).text).split("\n")
    cited = Cited(source, path, quote=_MARKS.sub("", lines[at - 1]) if at else "")
    ranges = [one for text in strings(note.meta.get("source")) for one in parse_ranges(text)]
    hit = _LOG_LINE.fullmatch(block)
    number = int(hit[1]) if hit else 0
    for range_ in ranges:
        if range_.first <= number <= range_.last:
            return _said(pen, cited, range_, number)
    what = "cites no log" if not ranges else "does not say which line of its log it quotes"
    return cited._replace(log=" ".join(map(str, ranges)), notice=f"{path} {what}")


def _named(pen: Pen, name: str) -> str:
    """The path of a note that a link calls by the name of its file; empty when there is none."""
    for path in (f"episodes/{name}.md", f"archive/episodes/{name}.md", f"{name}.md"):
        try:
            files.read_file(pen.root, path)
        except MemoryClawError:
            continue
        return path
    return ""


def _said(pen: Pen, cited: Cited, range_: LogRange, number: int) -> Cited:
    """The line of the log itself, if the log is still there and still what was read."""
    cited = cited._replace(log=str(range_), line=number)
    try:
        data = files.read_file(pen.root, range_.path).data
    except MemoryClawError:
        return cited._replace(notice=f"{range_.path} is gone; the episode keeps the words")
    if range_of(range_.path, lines_of(data), range_.first, range_.last) != range_:
        return cited._replace(notice=f"{range_.path} is no longer what was read; the episode keeps the words")
    return cited._replace(said=_turn(pen, range_.path, number))


def _turn(pen: Pen, path: str, line: int) -> str:
    turns = read_note(path, _bytes(pen, path), ReadingSettings()).turns
    return next((_told(turn) for turn in turns if turn.line == line), "")


def _told(turn: Turn) -> str:
    who = turn.name or turn.role
    return f"{who}: {turn.text}" if who else turn.text


def _bytes(pen: Pen, path: str) -> bytes:
    return files.read_file(pen.root, path).data
