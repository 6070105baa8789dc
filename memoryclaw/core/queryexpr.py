"""The tree of what must match a question, and the laws by which its pieces are joined. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class Expr(NamedTuple):
    """A node of what must match.

    op is `word`, `phrase` (words in `text`, joined by spaces), `prefix`, `fuzzy`, `any`, `all` or `not`. A `not` has one
    part; it stands last in an `all` that also has other parts, or is the whole root (a question that only excludes).
    Words that merely rank beside something required stand in an `any` together with a piece of what is required:
    such an `any` is always true, and yet its words score.
    """

    op: str
    text: str = ""
    column: str = ""  # "" or "title"
    parts: tuple[Expr, ...] = ()


class Piece(NamedTuple):
    """A read piece of a question: `bare` ranks, `need` must match, `drop` must not match, `none` matches nothing."""

    role: str
    expr: Expr = Expr("any")
    joined: Expr | None = None  # what it means under an operator, where that differs: `a.b` is then a phrase
    narrows: bool = False  # holds a filter

    @property
    def firm(self) -> Expr:
        """The meaning of the piece under an operator."""
        return self.joined or self.expr


def beside(pieces: Sequence[Piece]) -> Piece:
    """Pieces side by side: the required ones must match, the excluded ones must not, the bare words rank."""
    real = _real(pieces)
    if len(real) < 2:
        return _lone(pieces, real)
    bare, need, drop = (
        [piece.expr for piece in real if piece.role == role] for role in ("bare", "need", "drop")
    )
    if not bare and not need:
        return Piece("drop", any_of(drop), narrows=_narrows(pieces))
    core = all_of(need) if need else any_of(bare)
    if need and bare:
        core = all_of([core, any_of([_implied(core), *bare])])
    core = all_of([core, *(_not(expr) for expr in drop)])
    return Piece("need" if need else "bare", core, narrows=_narrows(pieces))


def together(pieces: Sequence[Piece]) -> Piece:
    """Pieces joined by AND."""
    real = _real(pieces)
    if len(real) < 2:
        return _lone(pieces, real)
    wanted, dropped = _sides(real)
    if not wanted:
        return Piece("drop", any_of(dropped), narrows=_narrows(pieces))
    return Piece("need", all_of([*wanted, *map(_not, dropped)]), narrows=_narrows(pieces))


def alternatives(pieces: Sequence[Piece]) -> Piece:
    """Pieces joined by OR; an exclusion among others applies to all of them, for nothing can be found by absence."""
    real = _real(pieces)
    if len(real) < 2:
        return _lone(pieces, real)
    wanted, dropped = _sides(real)
    if not wanted:
        return Piece("drop", all_of(dropped), narrows=_narrows(pieces))
    return Piece("need", all_of([any_of(wanted), *map(_not, dropped)]), narrows=_narrows(pieces))


def without(piece: Piece) -> Piece:
    """The piece excluded; excluding an exclusion requires it."""
    if piece.role == "none":
        return piece
    return Piece("need" if piece.role == "drop" else "drop", piece.firm, narrows=piece.narrows)


def required(piece: Piece) -> Piece:
    """The piece, if it is a bare one, as something that must match."""
    return Piece("need", piece.firm, narrows=piece.narrows) if piece.role == "bare" else piece


def root_of(piece: Piece) -> Expr | None:
    """The tree of a whole question, None when nothing in it has to match."""
    if piece.role == "none":
        return None
    return _not(piece.expr) if piece.role == "drop" else piece.expr


def all_of(parts: Iterable[Expr]) -> Expr:
    """The conjunction: flat, each part once, exclusions last."""
    flat = dict.fromkeys(_flat("all", parts))
    ordered = sorted(flat, key=lambda part: part.op == "not")
    return ordered[0] if len(ordered) == 1 else Expr("all", parts=tuple(ordered))


def any_of(parts: Iterable[Expr]) -> Expr:
    """The disjunction: flat, each part once."""
    flat = tuple(dict.fromkeys(_flat("any", parts)))
    return flat[0] if len(flat) == 1 else Expr("any", parts=flat)


def _flat(op: str, parts: Iterable[Expr]) -> Iterator[Expr]:
    for part in parts:
        if part.op == op:
            yield from part.parts
        else:
            yield part


def _implied(expr: Expr) -> Expr:
    """Something small that matches wherever this matches."""
    if expr.op == "all":
        return _implied(expr.parts[0])
    if expr.op == "any":
        return any_of(map(_implied, expr.parts))
    return expr


def _not(expr: Expr) -> Expr:
    return Expr("not", parts=(expr,))


def _real(pieces: Sequence[Piece]) -> list[Piece]:
    return [piece for piece in pieces if piece.role != "none"]


def _lone(pieces: Sequence[Piece], real: Sequence[Piece]) -> Piece:
    return (real[0] if real else Piece("none"))._replace(narrows=_narrows(pieces))


def _narrows(pieces: Sequence[Piece]) -> bool:
    return any(piece.narrows for piece in pieces)


def _sides(pieces: Sequence[Piece]) -> tuple[list[Expr], list[Expr]]:
    wanted = [piece.firm for piece in pieces if piece.role != "drop"]
    return wanted, [piece.expr for piece in pieces if piece.role == "drop"]
