"""Cuts a text of any language into its sentences."""

from __future__ import annotations

import re
from functools import lru_cache

from memoryclaw import late
from memoryclaw.text import words as lists
from memoryclaw.text.language import WORD, plain

# Abbreviations that end no sentence; those that do not before a number; those that do not before a small letter.
_ABBREVIATIONS = frozenset(lists.words("sentences.abbreviations"))
_BEFORE_NUMBER = frozenset(lists.words("sentences.before_number"))
_BEFORE_NUMBER_ENDINGS = tuple(lists.words("sentences.before_number_endings"))
_BEFORE_SMALL = frozenset(lists.words("sentences.before_small"))
_ORDINAL_AFTER = frozenset(lists.words("sentences.ordinal_after"))
_CLAUSE_STARTS = frozenset(lists.words("sentences.clause_starts"))
_DAY_MONTH = late.pattern(r"\d{1,2}\.\d{1,2}")
# The sign that ends a sentence stands first: a pattern that begins with what looks back is tried at every character.
_END = late.pattern(
    r"""[.!?…。！？\n]((?<=[.!?…])["'”’»)\]*_]*\s+(?=\S)|(?<=[。！？])["'”’」』）]*\s*|(?<=\n)\n*)"""
)
_LAST_WORD = late.pattern(r"[\"'“‘(\[]*([^\W_][\w.]*)\.")
_ASIDE = 60  # characters of a bracket on either side of a dot in it
_TAIL = 40  # characters before a dot that tell whether it ends a sentence
_SHORTENED = late.pattern(r"[^\W\d_a-zß-ÿ]{2,4}\b")  # `3. OG`
_MONTH = late.pattern(r"(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)", re.IGNORECASE)


def _small() -> dict[str, frozenset[str]]:
    """The small words of each language: those of `sentences.toml`, or those of the file of its grammar."""
    small_words = {
        name.removeprefix("stop_"): lists.words(f"sentences.{name}")
        for name in lists.names("sentences")
        if name.startswith("stop_")
    }
    for file in lists.files():
        kind, _, code = file.partition("_")
        if kind == "talk" and code not in small_words:
            small_words[code] = lists.text(f"{file}.small").replace(",", " ").split()
    return {code: frozenset(map(plain, small)) for code, small in small_words.items()}


SMALL = _small()  # the words of each language that carry no subject, folded


_QUESTION_MARKS = ("?", "\uff1f", "\u061f")  # also those of Chinese, Japanese and Arabic
_CLOSING = " \t\r\n\"'”’»)*_"


def ends_in_question(text: str) -> bool:
    """True for a text that ends in a question."""
    return text.rstrip(_CLOSING).endswith(_QUESTION_MARKS)


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, each on one line; abbreviations end none."""
    return list(_sentences(text))


@lru_cache(maxsize=1024)  # several readers ask it of the same turns
def _sentences(text: str) -> tuple[str, ...]:
    pieces: list[str] = []
    top = 0
    has_brackets = "(" in text
    for hit in (*_END.finditer(text), None):
        end = hit.start(1) if hit else len(text)
        if (
            hit
            and "\n" not in hit[0]
            and (
                _goes_on(text[max(top, end - _TAIL) : hit.end()], text[hit.end() : hit.end() + _TAIL])
                or (
                    has_brackets
                    and _in_bracket(
                        text[max(top, end - _ASIDE) : hit.end()], text[hit.end() : hit.end() + _ASIDE]
                    )
                )
            )
        ):
            continue
        piece = " ".join((text[top:end] + (hit[1].rstrip() if hit else "")).split())
        if piece:
            pieces.append(piece)
        top = hit.end() if hit else end
    return tuple(pieces)


def _goes_on(before: str, after: str) -> bool:
    """True where the dot ended no sentence: `Dr. Rao`, `Tel. 0561`, `12. Mai`, `1. Milk`, `"Why?" she asked`."""
    before = before.rstrip()
    sign = before[-1]
    if after[:1].islower() and sign in "\"'”’»":
        return True
    last = _LAST_WORD.fullmatch(before.split()[-1]) if sign == "." else None
    if last is None:
        return False
    word = last[1].lower()
    if word[0].isdigit():
        # True where the dot belongs to a day: `12. Mai`, `27.11. Termin`; or to the number of an item
        # in a list.
        if word.isdigit():
            alone = before.strip() == f"{word}."
            if len(word) > 2 or alone or _MONTH.match(after):
                return len(word) < 3
            ordinal = not _is_opener(after) and (
                not _ORDINAL_AFTER.isdisjoint(before.lower().split()[-2:-1])
                or _SHORTENED.match(after) is not None
            )
            return (ordinal or after[:1].islower()) and not _begins_clause(after)
        return _DAY_MONTH.fullmatch(word) is not None and not (_is_opener(after) or _begins_clause(after))
    number, small = after[:1].isdigit() or after[:1] in "+(", after[:1].islower()
    return (
        word in _ABBREVIATIONS
        or (number and (word in _BEFORE_NUMBER or word.endswith(_BEFORE_NUMBER_ENDINGS)))
        or (small and word in _BEFORE_SMALL)
        or (len(word) == 1 and word != "i")
    )


def _in_bracket(before: str, after: str) -> bool:
    """True between the signs of one bracket: `she is pregnant (6. month), so …`."""
    opened = before.rfind("(") > before.rfind(")")
    closed = after.find(")")
    return opened and closed >= 0 and not 0 <= after.find("(") < closed


def _begins_clause(after: str) -> bool:
    first = WORD.match(after)
    return first is not None and first[0].lower() in _CLAUSE_STARTS


def _is_opener(after: str) -> bool:
    """True for a small word with a capital, which only begins a sentence: `Danach`, `The`."""
    first = WORD.match(after)
    return (
        first is not None
        and first[0][0].isupper()
        and any(plain(first[0]) in stop for stop in SMALL.values())
    )
