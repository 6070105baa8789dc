"""Question text → Query: what must match, what ranks, what narrows, and what could not be read. Never fails."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import chain

from memoryclaw import late
from memoryclaw.late import NamedTuple
from memoryclaw.text.dates import (
    DateRange,
    find_ranges,
    leading_range,
    parse_timestamp,
    plus_days,
    with_blanks,
)
from memoryclaw.text.language import words_of
from memoryclaw.vault.properties import canonical_scope, canonical_type

# The tree of what must match a question, and the laws by which its pieces are joined.


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
    bare, need, drop = (
        [piece.expr for piece in pieces if piece.role == role] for role in ("bare", "need", "drop")
    )
    if not bare or len(bare) + len(need) + len(drop) < 2:
        return joined("all", pieces)
    core = all_of([*need, any_of([_implication(all_of(need)), *bare])]) if need else any_of(bare)
    core = all_of([core, *map(_not, drop)])
    return QueryPart("need" if need else "bare", core, narrows=_narrows(pieces))


def joined(op: str, pieces: Sequence[QueryPart]) -> QueryPart:
    """Pieces joined by AND (`all`) or OR (`any`); an exclusion among others applies to all of them, for nothing can be found by absence."""
    real = [piece for piece in pieces if piece.role != "none"]
    if len(real) < 2:
        return (real[0] if real else QueryPart("none"))._replace(narrows=_narrows(pieces))
    join, join_excluded = (all_of, any_of) if op == "all" else (any_of, all_of)
    required = [piece.firm for piece in real if piece.role != "drop"]
    excluded = [piece.expr for piece in real if piece.role == "drop"]
    if not required:
        return QueryPart("drop", join_excluded(excluded), narrows=_narrows(pieces))
    core = all_of([join(required), *map(_not, excluded)])
    return QueryPart("need", core, narrows=_narrows(pieces))


def without(piece: QueryPart) -> QueryPart:
    """The piece excluded; excluding an exclusion requires it."""
    if piece.role == "none":
        return piece
    return QueryPart("need" if piece.role == "drop" else "drop", piece.firm, narrows=piece.narrows)


def require(piece: QueryPart) -> QueryPart:
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
    for expr in parts:
        if expr.op == op:
            yield from expr.parts
        else:
            yield expr


def _implication(expr: Expr) -> Expr:
    """Something small that matches wherever this matches."""
    if expr.op == "all":
        return _implication(expr.parts[0])
    if expr.op == "any":
        return any_of(map(_implication, expr.parts))
    return expr


def _not(expr: Expr) -> Expr:
    return Expr("not", parts=(expr,))


def _narrows(pieces: Sequence[QueryPart]) -> bool:
    return any(piece.narrows for piece in pieces)


__all__ = ["Expr", "Filter", "Limits", "ParsedQuery", "parse"]

_MARKS = {"*": "prefix", "~": "fuzzy"}
_SYNTAX = "*~:+"
_NOTHING = QueryPart("none")


class Limits(NamedTuple):
    """How much of a question is read; the rest is cut off with a notice."""

    size: int = 4096  # bytes of UTF-8
    words: int = 32  # and as many filters


class Filter(NamedTuple):
    """A `field:value` that narrows the answer; all filters of a question hold together.

    value: `since` and `until` hold an ISO date (inclusive), `on` and `expires` two (empty: open), joined by `/`; tags are in lower case, without `#`.
    """

    field: str  # tag kind entity person project path since until on trust type scope expires
    value: str
    negated: bool
    written: str


class ParsedQuery(NamedTuple):
    """A question, understood."""

    text: str  # the part of the question that was read
    root: Expr | None
    words: tuple[
        str, ...
    ]  # as written, in lower case and order, without operators, exclusions and spoken dates
    filters: tuple[Filter, ...]
    ranges: tuple[DateRange, ...]
    notices: tuple[str, ...]
    joined: bool = False  # AND, OR or `+` was used: every word of it counts, stop words included


_LIMITS = Limits()


def parse(text: str, *, today: date, limits: Limits = _LIMITS) -> ParsedQuery:
    """Reads a question; any text at all is fine, plain words are never an operator."""
    encoded = text.encode("utf-8", "replace")
    text = encoded[: limits.size].decode("utf-8", "ignore")
    tokenized = scan(text, today)
    reader = _QueryParser(tokenized.tokens, text, limits)
    root = root_of(reader.sequence())
    cut = len(encoded) > limits.size
    notices = [f"Only the first {limits.size} bytes of the question were read"] if cut else []
    return ParsedQuery(
        text=text,
        root=root,
        words=tuple(reader.words),
        filters=tuple(reader.filters),
        ranges=tuple(tokenized.ranges),
        joined=reader.joined,
        notices=tuple(dict.fromkeys([*notices, *tokenized.notices, *reader.notices])),
    )


class _QueryParser:
    """Recursive descent over settled tokens: NOT binds before AND, AND before OR, OR before standing side by side."""

    def __init__(self, tokens: Sequence[QueryToken], text: str, limits: Limits) -> None:
        self.words: list[str] = []
        self.filters: list[Filter] = []
        self.notices: list[str] = []
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
        return joined("any", pieces)

    def _both(self) -> QueryPart:
        pieces = [self._unary()]
        while self._takes("and"):
            pieces.append(self._unary())
        return joined("all", pieces) if len(pieces) > 1 else pieces[0]

    def _unary(self) -> QueryPart:
        before = self._negated
        while self._takes("not", "-"):
            self._negated = not self._negated
        needed = self._takes("+")
        piece = self._atom()
        flipped, self._negated = self._negated != before, before
        if flipped:
            return without(piece)
        return require(piece) if needed else piece

    def _atom(self) -> QueryPart:
        if self._kind() in ("", ")"):
            return _NOTHING
        token = self._tokens[self._at]
        self._at += 1
        if token.kind == "(":
            piece = self.sequence()
            self._at += self._kind() == ")"
            return piece
        if token.kind == "date":
            return _NOTHING
        if token.kind != "filter":
            return self._words(token)
        if len(self.filters) >= self._limits.words:
            self.notices.append(f"Only the first {self._limits.words} fields were used")
            return _NOTHING
        written = self._text[slice(*token.span)]
        self.filters.append(Filter(token.field, token.text, self._negated, written))
        return QueryPart("none", narrows=True)

    def _words(self, token: QueryToken) -> QueryPart:
        words, mark = self._take(words_of(token.text)), "" if token.quoted else _mark(token.text)
        if not words:
            if token.text and not token.text.strip(_SYNTAX):
                self.notices.append(f"`{token.text}` means nothing by itself and was ignored")
            return _NOTHING
        column = "title" if token.kind == "title" else ""
        leaves = [Expr("word", word, column) for word in words]
        leaves[-1] = leaves[-1]._replace(op=_MARKS.get(mark, "word"))
        together = all_of(leaves) if mark else Expr("phrase", " ".join(words), column)
        if token.kind == "phrase" or (token.quoted and not mark):
            return QueryPart("need", Expr("phrase", " ".join(words), column))
        if column:
            return QueryPart("need", together if len(words) > 1 else leaves[0])
        return QueryPart("bare", any_of(leaves), joined=together if len(words) > 1 else None)

    def _take(self, words: list[str]) -> list[str]:
        words_taken = words[: self._left]
        if len(words_taken) < len(words):
            self.notices.append(f"Only the first {self._limits.words} words of the question were used")
        self._left -= len(words_taken)
        if not self._negated:
            self.words += words_taken
        return words_taken


def _mark(text: str) -> str:
    """The `*` or `~` at the end of a word, where it is one; elsewhere in a word it is nothing."""
    text = text.rstrip(PUNCTUATION)
    mark = text[-1:]
    return mark if mark in _MARKS and text.count(mark) == 1 and text[-2:-1].isalnum() else ""


# Question text → tokens of the query language. Whatever is not surely syntax is plain words; never fails.

_DATE_FIELDS = ("since", "until", "on", "expires")
_NAME_FIELDS = ("entity", "person", "project")
_KINDS = ("episode", "fact", "skill", "note", "todo", "turn", "log", "semantic", "memory", "task")
_STATES = ("archived", "pending", "draft", "superseded")  # `kind:archived` asks for what is usually left out
_EXPIRED = "expired"  # of a unit whose last day is over; it is no state of a file
_KNOWN_VALUES = {
    "kind": (*_KINDS, *_STATES, _EXPIRED),
    "trust": ("trusted", "unknown", "untrusted", "quarantined"),
}
_SCOPES = ("permanent", "project", "session")
_WANTED = dict.fromkeys(_DATE_FIELDS, "date") | {"scope": "permanent, project:<name> or session"}
_JOINING = ("and", "or", "not", "-", "+")
_NO_OPERAND = ("and", "or", ")")
_OPERATORS = ("AND", "OR", "NOT")
_DEEPEST = 8
_LONGEST_DATE = 80  # characters of a spoken date after `since:`
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"') | {"‘": "'", "‚": "'"})
_SENTENCE = 5  # words beside a quotation, or a mark such as a question mark, make a sentence
# 9/5/2020 is a day of May or of September, by who wrote it: what the vault holds decides
_EITHER_DAY = late.pattern(r"(?<![\w/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\w/])")
_SENTENCE_MARK = late.pattern(r"[?!.,;](?:\s|$)|[？！。，；]")
_CONTROL = late.pattern(r"[\x00-\x1f\x7f-\x9f]")
_TOKEN = late.pattern(
    r"""(?P<space>\s+)
    |(?<![^\s(])(?P<sign>[-+])(?=[^\s+)-])
    |(?<![^\s(+-])(?P<field>tag|kind|entity|person|project|path|title|since|until|on|trust|type|scope|expires):
        (?:"(?P<quoted>[^"]*)" | '(?P<single>[^'’]*)['’](?=[\s)]|$) | (?P<value>[^\s"()]+))
    |"(?P<phrase>[^"]*)"
    |(?P<paren>[()])
    |(?P<chunk>[^\s"()]+)
    |(?P<stray>")""",
    re.IGNORECASE | re.VERBOSE,
)
_BOUND = late.pattern(r"([<>]=?)\s*(\S+)$")
_HASHTAG = late.pattern(r"#(?=[^\s#]*[^\W\d_])[\w/-]+")
PUNCTUATION = ".,;:!?"


class QueryToken(NamedTuple):
    """A piece of a question: word, phrase, title, filter, hashtag, date, and, or, not, `+`, `-`, `(` or `)`."""

    kind: str
    text: str
    span: tuple[int, int]
    field: str = ""
    quoted: bool = False


class TokenizedQuestion(NamedTuple):
    """The tokens of a question, its spoken dates, and what a person should know about how it was read."""

    tokens: list[QueryToken]
    ranges: list[DateRange]
    notices: list[str]


def scan(text: str, today: date) -> TokenizedQuestion:
    """The tokens of a question, parentheses in balance and operators with something to join."""
    text = _CONTROL.sub(" ", text).translate(_QUOTES)
    notices: list[str] = []
    tokens = _unquote(list(_lex(text, today, notices)), text)
    ranges = _spoken_dates(text, tokens, today)
    tokens = _settle(_balance(_without_dates(tokens, ranges, text), notices), notices)
    # `#tag` is a filter in a question of nothing but tags, filters and dates; elsewhere it is a word.
    in_words = any(token.kind in ("word", "phrase", "title") for token in tokens)
    for i, token in enumerate(tokens):
        if token.kind == "hashtag":
            tag = _value("tag", token.text.rstrip(PUNCTUATION))
            tokens[i] = (
                token._replace(kind="word")
                if in_words
                else token._replace(kind="filter", field="tag", text=tag)
            )
    return TokenizedQuestion(tokens, ranges, notices)


def _lex(text: str, today: date, notices: list[str]) -> Iterator[QueryToken]:
    position = 0
    while hit := _TOKEN.match(text, position):
        position = hit.end()
        if hit["field"]:
            token = _field(hit, text, today, notices)
            position = token.span[1]
            yield token
        elif hit["stray"]:
            notices.append('A quotation mark without its partner was ignored: "')
        elif not hit["space"]:
            yield _plain(hit)


def _plain(hit: re.Match[str]) -> QueryToken:
    span = hit.span()
    if hit["phrase"] is not None:
        return QueryToken("phrase", hit["phrase"], span, quoted=True)
    text = hit.group()
    if hit["sign"] or hit["paren"]:
        return QueryToken(text, text, span)
    if text in _OPERATORS:
        return QueryToken(text.lower(), text, span)
    return QueryToken("hashtag" if _HASHTAG.fullmatch(text.rstrip(PUNCTUATION)) else "word", text, span)


def _field(hit: re.Match[str], text: str, today: date, notices: list[str]) -> QueryToken:
    name, value, (start, end) = hit["field"].lower(), _written_value(hit), hit.span()
    quoted = hit["value"] is None
    if name == "title":
        return QueryToken("title", value, (start, end), quoted=quoted)
    if name in _DATE_FIELDS:
        read, end = _date_value(hit, text, today)
    else:
        read = _value(name, value if quoted else value.rstrip(PUNCTUATION))
    if read == _EXPIRED:  # a word for what its day makes of it
        name, read = "expires", f"/{plus_days(today, -1).isoformat()}"
    if read:
        return QueryToken("filter", read, (start, end), field=name)
    values = " ".join(_KNOWN_VALUES.get(name, ()))
    hint = f"{name} is one of: {values}" if values else f"no {_WANTED.get(name, name)} was found in it"
    notices.append(f"`{hit.group()}` was read as plain words; {hint}")
    return QueryToken("word", hit.group(), (start, end))


def _value(name: str, value: str) -> str:
    value = unicodedata.normalize("NFC", value.strip())
    if name == "tag":
        return value.lstrip("#").strip("/").lower()
    if name in _NAME_FIELDS:
        return value.strip("[]").strip()
    if name == "type":
        return canonical_type(value)
    if name == "scope":
        return value if value.lower() in _SCOPES else canonical_scope(value)
    values = _KNOWN_VALUES.get(name)
    if values is None:
        return value
    return next((word for word in values if value.lower() in (word, word + "s")), "")


def _date_value(hit: re.Match[str], text: str, today: date) -> tuple[str, int]:
    """The value of a date field and where it ends; without quotes it may be of several words: `since:last week`."""
    name, quoted = hit["field"].lower(), hit["value"] is None
    start = hit.start("value")
    if name == "expires" and (bound := _BOUND.match(_written_value(hit))):
        day = parse_timestamp(bound[2])[:10]
        if not day:
            return "", hit.end()
        sign, step = bound[1], {"<": -1, ">": 1}.get(bound[1], 0)
        limit = plus_days(date.fromisoformat(day), step).isoformat()
        return f"/{limit}" if sign.startswith("<") else f"{limit}/", hit.end()
    phrase = _written_value(hit).strip() if quoted else text[start : start + _LONGEST_DATE]
    range_ = leading_range(phrase, today)
    behind = phrase[range_.span[1] :] if range_ else ""
    behind = behind if quoted else behind[:1].strip("()" + PUNCTUATION)
    if range_ and not behind.strip():
        return _interval(name, range_.start, range_.end), hit.end() if quoted else start + range_.span[1]
    day = parse_timestamp(_written_value(hit))[:10]
    return _interval(name, day, day) if day else "", hit.end()


def _written_value(hit: re.Match[str]) -> str:
    return hit["value"] or hit["quoted"] or hit["single"] or ""


def _unquote(tokens: list[QueryToken], text: str) -> list[QueryToken]:
    """In a whole sentence without operators, quotation marks quote: nothing has to stand word for word."""
    quoted = [token for token in tokens if token.kind == "phrase"]
    if not quoted or any(token.kind not in ("word", "phrase", "hashtag") for token in tokens):
        return tokens
    outside = with_blanks(text, [token.span for token in quoted])
    if len(tokens) - len(quoted) < _SENTENCE and not _SENTENCE_MARK.search(outside):
        return tokens
    return [
        token._replace(kind="word", quoted=False) if token.kind == "phrase" else token for token in tokens
    ]


def _interval(name: str, first: str, last: str) -> str:
    return {"since": first, "until": last}.get(name) or f"{first}/{last}"


def _spoken_dates(text: str, tokens: list[QueryToken], today: date) -> list[DateRange]:
    """Dates outside of phrases, fields and exclusions; `|` keeps those from joining what stands beside them."""
    excluded = {i for i, token in enumerate(tokens[:-1], start=1) if token.kind in ("-", "+", "not")}
    for i, token in enumerate(tokens):
        if token.kind not in ("word", "and") or i in excluded:
            text = text[: token.span[0]] + "|" * (token.span[1] - token.span[0]) + text[token.span[1] :]
    ranges = find_ranges(text, today)[0]
    if not _EITHER_DAY.search(with_blanks(text, (range_.span for range_ in ranges))):
        return ranges
    either = (find_ranges(_EITHER_DAY.sub(order, text), today)[0] for order in (r"\3/\2/\1", r"\3/\1/\2"))
    return [*dict.fromkeys(chain.from_iterable(either))]


def _without_dates(tokens: list[QueryToken], ranges: list[DateRange], text: str) -> list[QueryToken]:
    text = with_blanks(text, sorted({range_.span for range_ in ranges}))  # one span may be either of two days
    remaining: list[QueryToken] = []
    for token in tokens:
        undated = text[token.span[0] : token.span[1]].strip()
        if token.kind == "word":
            remaining.append(token._replace(text=undated) if undated else token._replace(kind="date"))
        elif undated:  # the AND of "between March AND May" went with its date
            remaining.append(token)
    return remaining


def _balance(tokens: list[QueryToken], notices: list[str]) -> list[QueryToken]:
    opened: list[int] = []
    pairs: set[int] = set()
    for i, token in enumerate(tokens):
        if token.kind == "(":
            opened.append(i)
        elif token.kind == ")" and opened:
            first = opened.pop()
            pairs |= {first, i} if len(opened) < _DEEPEST else set()
    balanced = [token for i, token in enumerate(tokens) if token.kind not in ("(", ")") or i in pairs]
    if len(balanced) < len(tokens):
        notices.append(f"Parentheses without a partner, or more than {_DEEPEST} deep, were ignored")
    return balanced


def _settle(tokens: list[QueryToken], notices: list[str]) -> list[QueryToken]:
    """Operators and signs that have nothing to join become the words that they spell."""
    kinds = [token.kind for token in tokens]
    for i in reversed(range(len(kinds))):
        follows = kinds[i + 1] if i + 1 < len(kinds) else ")"
        apart = kinds[i] in ("-", "+") and follows != ")" and tokens[i].span[1] != tokens[i + 1].span[0]
        if kinds[i] in _JOINING and (follows in _NO_OPERAND or apart):
            kinds[i] = "word"
    for i, kind in enumerate(kinds):
        if kind in ("and", "or") and (i == 0 or kinds[i - 1] in ("(", *_JOINING)):
            kinds[i] = "word"
        if kinds[i] != tokens[i].kind:
            notices.append(f"`{tokens[i].text}` joins nothing there and was read as a word")
    return [token._replace(kind=kind) for token, kind in zip(tokens, kinds, strict=True)]
