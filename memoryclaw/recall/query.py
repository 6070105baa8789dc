"""Question text → Query: what must match, what ranks, what narrows, and what could not be read. Never fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from memoryclaw.recall.query_tokens import PUNCTUATION, Token, scan
from memoryclaw.text.dates import DateRange
from memoryclaw.text.language import words_of

# ── The tree of what must match a question, and the laws by which its pieces are joined. Pure.


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


class QueryPart(NamedTuple):
    """A read piece of a question: `bare` ranks, `need` must match, `drop` must not match, `none` matches nothing."""

    role: str
    expr: Expr = Expr("any")
    joined: Expr | None = None  # what it means under an operator, where that differs: `a.b` is then a phrase
    narrows: bool = False  # holds a filter

    @property
    def firm(self) -> Expr:
        """The meaning of the piece under an operator."""
        return self.joined or self.expr


def beside(pieces: Sequence[QueryPart]) -> QueryPart:
    """Pieces side by side: the required ones must match, the excluded ones must not, the bare words rank."""
    real = _real(pieces)
    if len(real) < 2:
        return _lone(pieces, real)
    bare, need, drop = (
        [piece.expr for piece in real if piece.role == role] for role in ("bare", "need", "drop")
    )
    if not bare and not need:
        return QueryPart("drop", any_of(drop), narrows=_narrows(pieces))
    core = all_of(need) if need else any_of(bare)
    if need and bare:
        core = all_of([core, any_of([_implied(core), *bare])])
    core = all_of([core, *(_not(expr) for expr in drop)])
    return QueryPart("need" if need else "bare", core, narrows=_narrows(pieces))


def together(pieces: Sequence[QueryPart]) -> QueryPart:
    """Pieces joined by AND."""
    real = _real(pieces)
    if len(real) < 2:
        return _lone(pieces, real)
    wanted, dropped = _sides(real)
    if not wanted:
        return QueryPart("drop", any_of(dropped), narrows=_narrows(pieces))
    return QueryPart("need", all_of([*wanted, *map(_not, dropped)]), narrows=_narrows(pieces))


def alternatives(pieces: Sequence[QueryPart]) -> QueryPart:
    """Pieces joined by OR; an exclusion among others applies to all of them, for nothing can be found by absence."""
    real = _real(pieces)
    if len(real) < 2:
        return _lone(pieces, real)
    wanted, dropped = _sides(real)
    if not wanted:
        return QueryPart("drop", all_of(dropped), narrows=_narrows(pieces))
    return QueryPart("need", all_of([any_of(wanted), *map(_not, dropped)]), narrows=_narrows(pieces))


def without(piece: QueryPart) -> QueryPart:
    """The piece excluded; excluding an exclusion requires it."""
    if piece.role == "none":
        return piece
    return QueryPart("need" if piece.role == "drop" else "drop", piece.firm, narrows=piece.narrows)


def required(piece: QueryPart) -> QueryPart:
    """The piece, if it is a bare one, as something that must match."""
    return QueryPart("need", piece.firm, narrows=piece.narrows) if piece.role == "bare" else piece


def root_of(piece: QueryPart) -> Expr | None:
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


def _real(pieces: Sequence[QueryPart]) -> list[QueryPart]:
    return [piece for piece in pieces if piece.role != "none"]


def _lone(pieces: Sequence[QueryPart], real: Sequence[QueryPart]) -> QueryPart:
    return (real[0] if real else QueryPart("none"))._replace(narrows=_narrows(pieces))


def _narrows(pieces: Sequence[QueryPart]) -> bool:
    return any(piece.narrows for piece in pieces)


def _sides(pieces: Sequence[QueryPart]) -> tuple[list[Expr], list[Expr]]:
    wanted = [piece.firm for piece in pieces if piece.role != "drop"]
    return wanted, [piece.expr for piece in pieces if piece.role == "drop"]


__all__ = ["Expr", "Filter", "Limits", "Query", "parse"]

_MARKS = {"*": "prefix", "~": "fuzzy"}
_SYNTAX = "*~:+"
_NOTHING = QueryPart("none")


class Limits(NamedTuple):
    """How much of a question is read; the rest is cut off with a notice."""

    size: int = 4096  # bytes of UTF-8
    words: int = 32  # and as many filters


class Filter(NamedTuple):
    """A `field:value` that narrows the answer; all filters of a question hold together.

    value: `since` and `until` hold an ISO date (inclusive), `on` two, joined by `/`; tags are in lower case, without `#`.
    """

    field: str  # tag kind entity person project path since until on trust
    value: str
    negated: bool
    written: str


class Query(NamedTuple):
    """A question, understood."""

    text: str  # the part of the question that was read
    root: Expr | None
    words: tuple[
        str, ...
    ]  # as written, in lower case and order, without operators, exclusions and spoken dates
    filters: tuple[Filter, ...]
    ranges: tuple[DateRange, ...]
    explicit: bool  # an operator or a field was used
    notices: tuple[str, ...]
    joined: bool = False  # AND, OR or `+` was used: every word of it counts, stop words included


_LIMITS = Limits()


def parse(text: str, *, today: date, limits: Limits = _LIMITS) -> Query:
    """Reads a question; any text at all is fine, plain words are never an operator."""
    encoded = text.encode("utf-8", "replace")
    text = encoded[: limits.size].decode("utf-8", "ignore")
    found = scan(text, today)
    reader = _QueryParser(found.tokens, text, limits)
    root = root_of(reader.sequence())
    cut = len(encoded) > limits.size
    notices = [f"Only the first {limits.size} bytes of the question were read"] if cut else []
    return Query(
        text=text,
        root=root,
        words=tuple(reader.words),
        filters=tuple(reader.filters),
        ranges=tuple(found.ranges),
        explicit=reader.explicit,
        joined=reader.joined,
        notices=tuple(dict.fromkeys([*notices, *found.notices, *reader.notices])),
    )


class _QueryParser:
    """Recursive descent over settled tokens: NOT binds before AND, AND before OR, OR before standing side by side."""

    def __init__(self, tokens: Sequence[Token], text: str, limits: Limits) -> None:
        self.words: list[str] = []
        self.filters: list[Filter] = []
        self.notices: list[str] = []
        self.explicit = False
        self.joined = False
        self._tokens = tokens
        self._text = text
        self._limits = limits
        self._left = limits.words
        self._at = 0
        self._negated = False

    def sequence(self) -> QueryPart:
        """Reads up to the end of the group or of the question."""
        pieces = []
        while self._kind() not in ("", ")"):
            pieces.append(self._either())
        return beside(pieces)

    def _kind(self) -> str:
        return self._tokens[self._at].kind if self._at < len(self._tokens) else ""

    def _takes(self, *kinds: str) -> bool:
        if self._kind() not in kinds:
            return False
        self.joined |= self._kind() in ("and", "or", "+")
        self._at += 1
        self.explicit = True
        return True

    def _either(self) -> QueryPart:
        pieces = [self._both()]
        while self._takes("or"):
            pieces.append(self._both())
        if len(pieces) == 1:
            return pieces[0]
        if any(piece.narrows for piece in pieces):
            self.notices.append("OR does not reach fields: every field narrows the whole answer")
        roles = {piece.role for piece in pieces}
        if "drop" in roles and roles & {"bare", "need"}:
            self.notices.append("An exclusion beside OR applies to all of its alternatives")
        return alternatives(pieces)

    def _both(self) -> QueryPart:
        pieces = [self._one()]
        while self._takes("and"):
            pieces.append(self._one())
        return together(pieces) if len(pieces) > 1 else pieces[0]

    def _one(self) -> QueryPart:
        before = self._negated
        while self._takes("not", "-"):
            self._negated = not self._negated
        needed = self._takes("+")
        piece = self._atom()
        flipped, self._negated = self._negated != before, before
        if flipped:
            return without(piece)
        return required(piece) if needed else piece

    def _atom(self) -> QueryPart:
        if self._kind() in ("", ")"):
            return _NOTHING
        token = self._tokens[self._at]
        self._at += 1
        if token.kind == "(":
            piece = self.sequence()
            self._at += self._kind() == ")"
            return piece
        self.explicit |= token.kind in ("phrase", "title", "filter")
        if token.kind == "date":
            return _NOTHING
        return self._filter(token) if token.kind == "filter" else self._words(token)

    def _filter(self, token: Token) -> QueryPart:
        if len(self.filters) >= self._limits.words:
            self.notices.append(f"Only the first {self._limits.words} fields were used")
            return _NOTHING
        written = self._text[slice(*token.span)]
        self.filters.append(Filter(token.field, token.text, self._negated, written))
        return QueryPart("none", narrows=True)

    def _words(self, token: Token) -> QueryPart:
        words, mark = self._take(words_of(token.text)), "" if token.quoted else _mark(token.text)
        if not words:
            if token.text and not token.text.strip(_SYNTAX):
                self.notices.append(f"`{token.text}` means nothing by itself and was ignored")
            return _NOTHING
        column = "title" if token.kind == "title" else ""
        self.explicit |= mark != ""
        leaves = [Expr("word", word, column) for word in words]
        leaves[-1] = leaves[-1]._replace(op=_MARKS.get(mark, "word"))
        joined = all_of(leaves) if mark else Expr("phrase", " ".join(words), column)
        if token.kind == "phrase" or (token.quoted and not mark):
            return QueryPart("need", Expr("phrase", " ".join(words), column))
        if column:
            return QueryPart("need", joined if len(words) > 1 else leaves[0])
        return QueryPart("bare", any_of(leaves), joined=joined if len(words) > 1 else None)

    def _take(self, words: list[str]) -> list[str]:
        taken = words[: self._left]
        if len(taken) < len(words):
            self.notices.append(f"Only the first {self._limits.words} words of the question were used")
        self._left -= len(taken)
        if not self._negated:
            self.words += taken
        return taken


def _mark(text: str) -> str:
    """The `*` or `~` at the end of a word, where it is one; elsewhere in a word it is nothing."""
    text = text.rstrip(PUNCTUATION)
    mark = text[-1:]
    return mark if mark in _MARKS and text.count(mark) == 1 and text[-2:-1].isalnum() else ""
