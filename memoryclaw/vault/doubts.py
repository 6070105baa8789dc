"""Doubts: what came from elsewhere and lets more people see a text, or has it trusted more, than held here. Pure.

A doubt names a file and a piece of it, the note itself or a line, by their digests, and says how the piece came and what holds instead. It
counts while the piece stands as it came: whoever changes the label here has the last word. No word of the text is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memoryclaw import late
from memoryclaw.model import AGENT, NOTHING, TRUSTS, Turn, least_trusted
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.frontmatter import Split, split
from memoryclaw.text.language import fold
from memoryclaw.text.merging import hunks
from memoryclaw.vault.audience import (
    NO_MARKS,
    Label,
    Marks,
    Outline,
    common_audience,
    join_labels,
    label_of_note,
    line_labels,
    marks_in,
    may_be_labelled,
    of_code,
    plain,
    without_labels,
)
from memoryclaw.vault.layout import place_of
from memoryclaw.vault.logs import read_jsonl
from memoryclaw.vault.properties import text_of

_FIELD = re.compile(r"[\[(][\w -]{1,40}::(?:[^\[\]()\n]|\[\[[^\[\]\n]*+\]\])*+[\])]")
_TRUST = re.compile(r"[\[(][ \t]*+trust[ \t]*+::([^\[\]()\n]*+)[\])]", re.IGNORECASE)
_TAG = re.compile(r"</?\s*+private\b[^<>]*+>", re.IGNORECASE)
_MOST = 1_000  # lines that are compared with one another
NOTE = ""  # the piece that is the note itself
_NOBODY = "-"  # no label says so


class Standing(NamedTuple):
    """Whom a piece lets in, whether it may leave this machine, and how far it is trusted; what is empty is not said."""

    audience: str = ""
    export: bool = True
    trust: str = ""

    @property
    def label(self) -> Label:
        """Its label."""
        return Label(self.audience, self.export)

    def below(self, *outer: Standing) -> Standing:
        """This and what stands around it as one: the narrower label, and the lower trust."""
        several = (self, *outer)
        trusts = [one.trust for one in several if one.trust]
        return Standing(*join_labels(one.label for one in several), least_trusted(*trusts) if trusts else "")

    def is_wider_than(self, other: Standing) -> bool:
        """True where this lets in, lets out or has trusted what the other does not."""
        lets_in = self.audience or AGENT
        return (
            common_audience(other.audience or AGENT, lets_in) != common_audience(lets_in)
            or self.export > other.export
            or _level(self.trust) < _level(other.trust)
        )

    @property
    def is_narrow(self) -> bool:
        """True where what says nothing would be wider."""
        return Standing().is_wider_than(self)

    def within(self, other: Standing) -> Standing:
        """The narrower of both, each with what it says by saying nothing."""
        if not self.audience and not other.audience:
            return self.below(other)
        return self._replace(audience=self.audience or AGENT).below(
            other._replace(audience=other.audience or AGENT)
        )


def _level(trust: str) -> int:
    return TRUSTS.index(trust or TRUSTS[0])


UNSAID = Standing()
GONE = Standing(_NOBODY)  # how a piece came that was deleted


class Doubt(NamedTuple):
    """How a piece came, and what holds instead; one that is `declined` is not asked about."""

    came: Standing
    holds: Standing
    declined: bool = False


class FileDoubts(NamedTuple):
    """The doubts of one file, by their pieces."""

    pieces: Mapping[str, Doubt] = NOTHING

    def of(self, piece: str, standing: Standing) -> Standing:
        """How a piece counts that stands like this in the file."""
        doubt = self.pieces.get(piece)
        return standing.below(doubt.holds) if doubt and doubt.came == standing else standing

    @property
    def counting(self) -> FileDoubts:
        """Those of pieces that are there."""
        return FileDoubts({piece: doubt for piece, doubt in self.pieces.items() if doubt.came != GONE})

    @property
    def mark(self) -> bytes:
        """What tells these doubts from others; empty without one."""
        if not self.pieces:
            return b""
        return _digest(repr(sorted((piece, *doubt[:2]) for piece, doubt in self.pieces.items())))


NO_DOUBTS = FileDoubts()
Doubts = Mapping[str, FileDoubts]  # by the digest of the path


def piece_of(text: str) -> str:
    """What a path, or the words of a line, are known by."""
    return _digest(text).hex()


def _digest(text: str) -> bytes:
    return late.hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def read_doubts(values: Sequence[Mapping[str, Any]], copy: str = "", *, known: bool = False) -> Doubts:
    """The doubts that stand after all lines of the user's own file: what they raise, settle and decline, in their order.

    Args:
        copy: what this copy of the vault is known by; one of which no line tells has the doubts of all copies.
        known: this one was here before, whatever lines there are.
    """
    if known or any(value.get("copy") == copy for value in values):
        values = [value for value in values if value.get("copy") == copy]
    files: dict[str, dict[str, Doubt]] = {}
    for value in values:
        for file, piece, came, holds in _rows(value.get("doubts"), 4):
            stood, narrower = _standing(came), _standing(holds)
            if stood is not None and narrower is not None:
                files.setdefault(str(file), {})[str(piece)] = Doubt(stood, narrower)
        for key in ("settled", "unwanted"):
            for file, piece in _rows(value.get(key), 2):
                pieces = files.get(str(file), {})
                if doubt := pieces.pop(str(piece), None):
                    pieces.update({str(piece): doubt._replace(declined=True)} if key == "unwanted" else {})
    return {file: FileDoubts(pieces) for file, pieces in files.items() if pieces}


def _rows(value: Any, length: int) -> list[list[Any]]:
    rows = value if isinstance(value, list) else []
    return [row for row in rows if isinstance(row, list) and len(row) == length]


def _standing(value: Any) -> Standing | None:
    match value:
        case [str(audience), bool(export), str(trust)] if trust in ("", *TRUSTS):
            return Standing(audience, export, trust)
    return None


# How the pieces of a file stand.


class LineStanding(NamedTuple):
    """A line of a file: what it is known by, whatever its labels and fields say, and how it stands in the note."""

    piece: str
    standing: Standing


class FileStanding(NamedTuple):
    """How a file stands: the note itself, and each line that says something."""

    note: Standing = UNSAID
    lines: tuple[LineStanding, ...] = ()

    @property
    def is_narrow(self) -> bool:
        """True where something of it is not for the agent, stays here or is not trusted."""
        return self.note.is_narrow or any(line.standing.is_narrow for line in self.lines)


def piece_of_line(text: str) -> str:
    """What a line is known by: its words, without labels, fields and marks of the list; empty without any."""
    words = re.findall(r"\w+", fold(_TAG.sub(" ", without_labels(_FIELD.sub(" ", plain(text))))))
    return piece_of(" ".join(words)) if words else ""


def standing_of_note(parts: Split, doubts: FileDoubts = NO_DOUBTS) -> Standing:
    """How a note stands as a whole."""
    values = {str(key).lower(): value for key, value in parts.meta.items()}
    trust = _trust(text_of(values["trust"])) if "trust" in values else ""
    return doubts.of(NOTE, Standing(*label_of_note(parts), trust))


def standings_of_lines(
    lines: Sequence[str],
    marks: Marks | None = None,
    outline: Outline | None = None,
    doubts: FileDoubts = NO_DOUBTS,
) -> list[Standing]:
    """How each line of a Markdown body stands, apart from its note."""
    labels = line_labels(lines, outline or Outline(lines), marks)
    standings = (Standing(*label, _trust_in(line)) for line, label in zip(lines, labels, strict=True))
    if not doubts.pieces:
        return list(standings)
    return [
        doubts.of(piece, standing) if (piece := piece_of_line(line)) else standing
        for line, standing in zip(lines, standings, strict=True)
    ]


def standing_of_turn(turn: Turn, doubts: FileDoubts = NO_DOUBTS) -> Standing:
    """How a turn of a log stands."""
    standing = Standing(turn.audience, turn.export)
    piece = piece_of_line(turn.text) if doubts.pieces else ""
    return doubts.of(piece, standing) if piece else standing


def _trust_in(line: str) -> str:
    trusts = [_trust(hit) for hit in _TRUST.findall(line)] if "::" in line else []
    return least_trusted(*trusts) if trusts else ""


def _trust(text: str) -> str:
    text = text.strip().lower()
    return text if text in TRUSTS else "unknown"


def standing_of(path: str, data: bytes, doubts: FileDoubts = NO_DOUBTS) -> FileStanding:
    """How a file stands."""
    text, place = readable(decode(data).text), place_of(path)
    if path.endswith(".jsonl"):
        turns = read_jsonl("", text).turns if place is not None and place.kind == "log" else ()
        return FileStanding(UNSAID, _named((turn.text, standing_of_turn(turn, doubts)) for turn in turns))
    if not path.endswith(".md"):
        return FileStanding(doubts.of(NOTE, Standing(*of_code(text))))
    parts = split(text)
    lines = parts.body.split("\n")
    marks = marks_in(parts.body) if may_be_labelled(data) else NO_MARKS
    standings = standings_of_lines(lines, marks, doubts=doubts)
    return FileStanding(standing_of_note(parts, doubts), _named(zip(lines, standings, strict=True)))


def _named(lines: Iterable[tuple[str, Standing]]) -> tuple[LineStanding, ...]:
    return tuple(LineStanding(piece, standing) for text, standing in lines if (piece := piece_of_line(text)))


# What came.


class ExchangedFile(NamedTuple):
    """A file before and after an exchange; None where it is not there."""

    path: str
    before: bytes | None
    after: bytes | None


Raised = dict[tuple[str, str], Doubt]  # by the digest of the path, and the piece


def doubts_of(versions: Sequence[ExchangedFile], standing: Doubts) -> Raised:
    """What is in doubt of files that came."""
    before, after = dict[str, FileStanding](), dict[str, FileStanding]()
    for path, data, _ in versions:
        if data is not None and path.endswith(_LABELLED):
            doubts = standing.get(piece_of(path), NO_DOUBTS)
            says_something = bool(doubts.pieces) or _may_say(data)
            before[path] = standing_of(path, data, doubts) if says_something else FileStanding()
    narrow = any(file.is_narrow for file in before.values())
    for path, _, data in versions:
        if data is not None and path.endswith(_LABELLED):
            says_something = narrow or piece_of(path) in standing or _may_say(data)
            after[path] = standing_of(path, data) if says_something else FileStanding()
    raised = _widened(before, after, standing)
    for path, file in before.items():
        raised.update(_gone(path, file, after.get(path)))
    return {
        key: doubt
        for key, doubt in raised.items()
        if standing.get(key[0], NO_DOUBTS).pieces.get(key[1], doubt)._replace(declined=False) != doubt
        or key[1] not in standing.get(key[0], NO_DOUBTS).pieces
    }


_LABELLED = (".md", ".jsonl", ".json", ".js", ".mjs")


def _may_say(data: bytes) -> bool:
    return may_be_labelled(data) or b"trust" in data.lower()


def _widened(
    before: Mapping[str, FileStanding], after: Mapping[str, FileStanding], standing: Doubts
) -> Raised:
    raised, known = Raised(), dict[str, Standing]()
    for file in before.values():
        for line in file.lines:
            standing_there = line.standing.below(file.note)
            known[line.piece] = standing_there.within(known.get(line.piece, standing_there))
    moved = _moved(before, after)
    for path, file in after.items():
        name, old = piece_of(path), before.get(path) or before.get(moved.get(path, ""))
        earlier = standing.get(name, NO_DOUBTS).pieces
        note = file.note
        base = old.note if old else _stood(earlier.get(NOTE)) or _fresh(note)
        if note.is_wider_than(base):
            note = note.within(base)
            raised[name, NOTE] = Doubt(file.note, note)
        own = {line.piece: line.standing.below(base) for line in old.lines} if old else {}
        lost = _replaced(old, file) if old else {}
        for line in file.lines:
            stands = line.standing.below(note)
            stood = own.get(line.piece) or _stood(earlier.get(line.piece)) or known.get(line.piece)
            held = stood or _fresh(line.standing).below(base, *lost.get(line.piece, ()))
            if stands.is_wider_than(held):
                raised[name, line.piece] = Doubt(line.standing, stands.within(held))
    return raised


def _stood(doubt: Doubt | None) -> Standing | None:
    """How a piece stood before it was deleted."""
    return doubt.holds if doubt and doubt.came == GONE else None


def _gone(path: str, old: FileStanding, new: FileStanding | None) -> Raised:
    """The pieces that were narrow and are deleted: as they stood, they stand when they come back."""
    name, there = piece_of(path), {line.piece for line in new.lines} if new else set()
    gone = {
        (name, line.piece): Doubt(GONE, line.standing.below(old.note))
        for line in old.lines
        if line.piece not in there and line.standing.is_narrow
    }
    return {**gone, **({(name, NOTE): Doubt(GONE, old.note)} if new is None and old.note.is_narrow else {})}


def _fresh(standing: Standing) -> Standing:
    """What holds of a piece that was not there: whoever wrote it may narrow it, and trusts nothing for this person."""
    return Standing(trust="unknown" if standing.trust == TRUSTS[0] else "")


def _moved(before: Mapping[str, FileStanding], after: Mapping[str, FileStanding]) -> dict[str, str]:
    """New path → the path of a file that is gone, and half of whose lines it has."""
    places: dict[str, list[str]] = {}
    for path in before.keys() - after.keys():
        for line in before[path].lines:
            places.setdefault(line.piece, []).append(path)
    moved = {}
    for path in after.keys() - before.keys():
        shared = Counter(place for line in after[path].lines for place in places.get(line.piece, ())[:_MOST])
        for place, count in shared.most_common(1):
            if 2 * count >= min(len(before[place].lines), len(after[path].lines)):
                moved[path] = place
    return moved


def _replaced(old: FileStanding, new: FileStanding) -> dict[str, list[Standing]]:
    """For each line that stands where lines with a label stood, and is none of those before: how these stood."""
    pieces = [line.piece for line in old.lines], [line.piece for line in new.lines]
    narrow = {line.piece: line.standing for line in old.lines if line.standing.is_narrow}
    lost = narrow.keys() - {*pieces[1]}
    if not lost:
        return {}
    replaced: dict[str, list[Standing]] = {}
    there = {*pieces[0]}
    for start, end, come in _stretches(*pieces):
        gone = [narrow[piece] for piece in pieces[0][start:end] if piece in lost]
        for piece in come:
            if gone and piece not in there:
                replaced.setdefault(piece, []).extend(gone)
    return replaced


def _stretches(old: list[str], new: list[str]) -> Iterator[tuple[int, int, Sequence[str]]]:
    """The stretches that differ; where too much does, all of it is one."""
    first, shorter = 0, min(len(old), len(new))
    while first < shorter and old[first] == new[first]:
        first += 1
    last = 0
    while last < shorter - first and old[-1 - last] == new[-1 - last]:
        last += 1
    mine, come = old[first : len(old) - last], new[first : len(new) - last]
    if max(len(mine), len(come)) > _MOST:
        yield first, first + len(mine), come
        return
    for hunk in hunks(mine, come):
        yield first + hunk.start, first + hunk.end, hunk.lines
