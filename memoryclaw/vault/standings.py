"""How the pieces of a file stand, and which of them came wider than they held here. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memoryclaw.late import NamedTuple
from memoryclaw.model import TRUSTS, FileChange, Turn, grouped, least_trusted
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.frontmatter import Split, split
from memoryclaw.text.language import fold
from memoryclaw.text.merging import hunks, shared_ends
from memoryclaw.vault import audience
from memoryclaw.vault.audience import (
    GONE,
    NO_DOUBTS,
    NOTE,
    UNSAID,
    Doubt,
    Doubts,
    FileDoubts,
    Standing,
    piece_of,
)
from memoryclaw.vault.layout import place_of
from memoryclaw.vault.logs import read_jsonl
from memoryclaw.vault.properties import text_of

_FIELD = re.compile(r"[\[(][\w -]{1,40}::(?:[^\[\]()\n]|\[\[[^\[\]\n]*+\]\])*+[\])]")
_TRUST = re.compile(r"[\[(][ \t]*+trust[ \t]*+::([^\[\]()\n]*+)[\])]", re.IGNORECASE)
_TAG = re.compile(r"</?\s*+private\b[^<>]*+>", re.IGNORECASE)
_MOST = 1_000  # lines that are compared with one another


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
    text = audience.without_labels(_FIELD.sub(" ", audience.plain(text)))
    words = re.findall(r"\w+", fold(_TAG.sub(" ", text)))
    return piece_of(" ".join(words)) if words else ""


def standing_of_note(parts: Split, doubts: FileDoubts = NO_DOUBTS) -> Standing:
    """How a note stands as a whole."""
    values = {str(key).lower(): value for key, value in parts.meta.items()}
    trust = _trust(text_of(values["trust"])) if "trust" in values else ""
    return doubts.of(NOTE, Standing(*audience.label_of_note(parts), trust))


def standings_of_lines(
    lines: Sequence[str],
    marks: audience.Marks | None = None,
    outline: audience.Outline | None = None,
    doubts: FileDoubts = NO_DOUBTS,
) -> list[Standing]:
    """How each line of a Markdown body stands, apart from its note."""
    standings = []
    labels = audience.line_labels(lines, outline or audience.Outline(lines), marks)
    for line, label in zip(lines, labels, strict=True):
        trusts = [_trust(hit) for hit in _TRUST.findall(line)] if "::" in line else []
        standing = Standing(*label, least_trusted(*trusts) if trusts else "")
        piece = piece_of_line(line) if doubts.pieces else ""
        standings.append(doubts.of(piece, standing) if piece else standing)
    return standings


def standing_of_turn(turn: Turn, doubts: FileDoubts = NO_DOUBTS) -> Standing:
    """How a turn of a log stands."""
    standing = Standing(turn.audience, turn.export)
    piece = piece_of_line(turn.text) if doubts.pieces else ""
    return doubts.of(piece, standing) if piece else standing


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
        return FileStanding(doubts.of(NOTE, Standing(*audience.of_code(text))))
    parts = split(text)
    lines = parts.body.split("\n")
    marks = audience.marks_in(parts.body) if audience.may_be_labelled(data) else audience.NO_MARKS
    standings = standings_of_lines(lines, marks, doubts=doubts)
    return FileStanding(standing_of_note(parts, doubts), _named(zip(lines, standings, strict=True)))


def _named(lines: Iterable[tuple[str, Standing]]) -> tuple[LineStanding, ...]:
    return tuple(LineStanding(piece, standing) for text, standing in lines if (piece := piece_of_line(text)))


# What came.


Raised = dict[tuple[str, str], Doubt]  # by the digest of the path, and the piece


def doubts_of(versions: Sequence[FileChange], standing: Doubts) -> Raised:
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
    earlier = {key: standing.get(key[0], NO_DOUBTS).pieces.get(key[1]) for key in raised}
    stood = {key: doubt._replace(declined=False) for key, doubt in earlier.items() if doubt}
    return {key: doubt for key, doubt in raised.items() if stood.get(key) != doubt}


_LABELLED = (".md", ".jsonl", ".json", ".js", ".mjs")


def _may_say(data: bytes) -> bool:
    return audience.may_be_labelled(data) or b"trust" in data.lower()


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
            standing_now = stood or _fresh(line.standing).below(base, *lost.get(line.piece, ()))
            if stands.is_wider_than(standing_now):
                raised[name, line.piece] = Doubt(line.standing, stands.within(standing_now))
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
    gone = before.keys() - after.keys()
    places = grouped((line.piece, path) for path in gone for line in before[path].lines)
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
    first, last = shared_ends(old, new)
    mine, come = old[first : len(old) - last], new[first : len(new) - last]
    if max(len(mine), len(come)) > _MOST:
        yield first, first + len(mine), come
        return
    for hunk in hunks(mine, come):
        yield first + hunk.start, first + hunk.end, hunk.lines
