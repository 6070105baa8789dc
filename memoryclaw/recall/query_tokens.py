"""Question text → tokens of the query language. Whatever is not surely syntax is plain words; never fails."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from memoryclaw.text.dates import DateRange, blanked, find_ranges, leading_range, parse_timestamp

_DATE_FIELDS = ("since", "until", "on")
_NAME_FIELDS = ("entity", "person", "project")
_KINDS = ("episode", "fact", "skill", "note", "turn", "log", "semantic", "memory")
_STATES = ("archived", "pending", "draft", "superseded")  # `kind:archived` asks for what is usually left out
_KNOWN_VALUES = {
    "kind": (*_KINDS, *_STATES),
    "trust": ("trusted", "unknown", "untrusted", "quarantined"),
}
_WANTED = dict.fromkeys(_DATE_FIELDS, "date")
_JOINING = ("and", "or", "not", "-", "+")
_NO_OPERAND = ("and", "or", ")")
_OPERATORS = ("AND", "OR", "NOT")
_DEEPEST = 8
_LONGEST_DATE = 80  # characters of a spoken date after `since:`
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"') | {"‘": "'", "‚": "'"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?<![^\s(])(?P<sign>[-+])(?=[^\s+)-])
    |(?<![^\s(+-])(?P<field>tag|kind|entity|person|project|path|title|since|until|on|trust):
        (?:"(?P<quoted>[^"]*)" | '(?P<single>[^'’]*)['’](?=[\s)]|$) | (?P<value>[^\s"()]+))
    |"(?P<phrase>[^"]*)"
    |(?P<paren>[()])
    |(?P<chunk>[^\s"()]+)
    |(?P<stray>")""",
    re.IGNORECASE | re.VERBOSE,
)
_HASHTAG = re.compile(r"#(?=[^\s#]*[^\W\d_])[\w/-]+")
PUNCTUATION = ".,;:!?"


class Token(NamedTuple):
    """A piece of a question: word, phrase, title, filter, hashtag, date, and, or, not, `+`, `-`, `(` or `)`."""

    kind: str
    text: str
    span: tuple[int, int]
    field: str = ""
    quoted: bool = False


class TokenizedQuestion(NamedTuple):
    """The tokens of a question, its spoken dates, and what a person should know about how it was read."""

    tokens: list[Token]
    ranges: list[DateRange]
    notices: list[str]


def scan(text: str, today: date) -> TokenizedQuestion:
    """The tokens of a question, parentheses in balance and operators with something to join."""
    text = _CONTROL.sub(" ", text).translate(_QUOTES)
    notices: list[str] = []
    tokens = list(_lex(text, today, notices))
    ranges = _spoken_dates(text, tokens, today)
    tokens = _settled(_balanced(_without_dates(tokens, ranges, text), notices), notices)
    return TokenizedQuestion(_with_hashtags(tokens), ranges, notices)


def _lex(text: str, today: date, notices: list[str]) -> Iterator[Token]:
    at = 0
    while hit := _TOKEN.match(text, at):
        at = hit.end()
        if hit["field"]:
            token = _field(hit, text, today, notices)
            at = token.span[1]
            yield token
        elif hit["stray"]:
            notices.append('A quotation mark without its partner was ignored: "')
        elif not hit["space"]:
            yield _plain(hit)


def _plain(hit: re.Match[str]) -> Token:
    span = hit.span()
    if hit["phrase"] is not None:
        return Token("phrase", hit["phrase"], span, quoted=True)
    text = hit.group()
    if hit["sign"] or hit["paren"]:
        return Token(text, text, span)
    if text in _OPERATORS:
        return Token(text.lower(), text, span)
    return Token("hashtag" if _HASHTAG.fullmatch(text.rstrip(PUNCTUATION)) else "word", text, span)


def _field(hit: re.Match[str], text: str, today: date, notices: list[str]) -> Token:
    name, value, (start, end) = hit["field"].lower(), _written_value(hit), hit.span()
    quoted = hit["value"] is None
    if name == "title":
        return Token("title", value, (start, end), quoted=quoted)
    if name in _DATE_FIELDS:
        read, end = _date_value(hit, text, today)
    else:
        read = _value(name, value if quoted else value.rstrip(PUNCTUATION))
    if read:
        return Token("filter", read, (start, end), field=name)
    known = " ".join(_KNOWN_VALUES.get(name, ()))
    hint = f"{name} is one of: {known}" if known else f"no {_WANTED.get(name, name)} was found in it"
    notices.append(f"`{hit.group()}` was read as plain words; {hint}")
    return Token("word", hit.group(), (start, end))


def _value(name: str, value: str) -> str:
    value = unicodedata.normalize("NFC", value.strip())
    if name == "tag":
        return value.lstrip("#").strip("/").lower()
    if name in _NAME_FIELDS:
        return value.strip("[]").strip()
    known = _KNOWN_VALUES.get(name)
    if known is None:
        return value
    return next((word for word in known if value.lower() in (word, word + "s")), "")


def _date_value(hit: re.Match[str], text: str, today: date) -> tuple[str, int]:
    """The value of a date field and where it ends; without quotes it may be of several words: `since:last week`."""
    name, quoted = hit["field"].lower(), hit["value"] is None
    start = hit.start("value")
    said = _written_value(hit).strip() if quoted else text[start : start + _LONGEST_DATE]
    found = leading_range(said, today)
    if found and not (said[found.span[1] :].strip() if quoted else _goes_on(said, found.span[1])):
        return _interval(name, found.start, found.end), hit.end() if quoted else start + found.span[1]
    day = parse_timestamp(_written_value(hit))[:10]
    return _interval(name, day, day) if day else "", hit.end()


def _written_value(hit: re.Match[str]) -> str:
    return hit["value"] or hit["quoted"] or hit["single"] or ""


def _goes_on(text: str, at: int) -> bool:
    return text[at : at + 1].strip("()" + PUNCTUATION).strip() != ""


def _interval(name: str, first: str, last: str) -> str:
    return {"since": first, "until": last}.get(name) or f"{first}/{last}"


def _spoken_dates(text: str, tokens: list[Token], today: date) -> list[DateRange]:
    """Dates outside of phrases, fields and exclusions; `|` keeps those from joining what stands beside them."""
    excluded = {i for i, token in enumerate(tokens[:-1], start=1) if token.kind in ("-", "+", "not")}
    for i, token in enumerate(tokens):
        if token.kind not in ("word", "and") or i in excluded:
            text = text[: token.span[0]] + "|" * (token.span[1] - token.span[0]) + text[token.span[1] :]
    return find_ranges(text, today)[0]


def _without_dates(tokens: list[Token], ranges: list[DateRange], text: str) -> list[Token]:
    text = blanked(text, (found.span for found in ranges))
    left: list[Token] = []
    for token in tokens:
        rest = text[token.span[0] : token.span[1]].strip()
        if token.kind == "word":
            left.append(token._replace(text=rest) if rest else token._replace(kind="date"))
        elif rest:  # the AND of "between March AND May" went with its date
            left.append(token)
    return left


def _balanced(tokens: list[Token], notices: list[str]) -> list[Token]:
    opened: list[int] = []
    pairs: set[int] = set()
    for i, token in enumerate(tokens):
        if token.kind == "(":
            opened.append(i)
        elif token.kind == ")" and opened:
            first = opened.pop()
            pairs |= {first, i} if len(opened) < _DEEPEST else set()
    left = [token for i, token in enumerate(tokens) if token.kind not in ("(", ")") or i in pairs]
    if len(left) < len(tokens):
        notices.append(f"Parentheses without a partner, or more than {_DEEPEST} deep, were ignored")
    return left


def _settled(tokens: list[Token], notices: list[str]) -> list[Token]:
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


def _with_hashtags(tokens: list[Token]) -> list[Token]:
    """`#tag` is a filter in a question of nothing but tags, filters and dates; elsewhere it is a word."""
    alone = not any(token.kind in ("word", "phrase", "title") for token in tokens)
    return [_hashtag(token, alone) if token.kind == "hashtag" else token for token in tokens]


def _hashtag(token: Token, alone: bool) -> Token:
    if not alone:
        return token._replace(kind="word")
    return token._replace(kind="filter", field="tag", text=_value("tag", token.text.rstrip(PUNCTUATION)))
