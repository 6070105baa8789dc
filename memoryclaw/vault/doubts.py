"""Doubts: what came from elsewhere and lets more people see a text, or has it trusted more, than held here. Pure.

A doubt names a file and a piece of it, the note itself or a line, by their digests, and says how the piece came and what holds instead. It
counts while the piece stands as it came: whoever changes the label here has the last word. No word of the text is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.model import AGENT, NOTHING, TRUSTS, least_trusted
from memoryclaw.vault.audience import Label, common_audience, join_labels

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
        trusts = [standing.trust for standing in several if standing.trust]
        return Standing(
            *join_labels(standing.label for standing in several), least_trusted(*trusts) if trusts else ""
        )

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
        mine, its = (standing._replace(audience=standing.audience or AGENT) for standing in (self, other))
        return mine.below(its)


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
