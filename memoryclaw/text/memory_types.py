"""What people say → what sort of memory it is, by the words and the grammar of it: a decision, a lesson, a preference; else nothing."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.text.clauses import clauses
from memoryclaw.text.grammar import Grammar, WordList, codes, grammar, language_of, tokens_of

_NEAR = 3  # words before a verb in which a negation denies it: `we have not yet decided`
_LONGEST = 20_000  # characters that are read
_ASKING = ("?", "\uff1f", "\u061f")


def type_in_text(text: str) -> str:
    """`decision` or `lesson` where a line of a text tells of one, the first before the second; else an empty string."""
    text = text[:_LONGEST]
    tokens = tokens_of(text)
    grammars = [grammar(code) for code in codes()]
    spoken = [g for g in grammars if g.choices.within(tokens) or g.lessons.within(tokens)]
    if not spoken:
        return ""
    lines = [tokens_of(line) for line in text.split("\n") if not line.rstrip(" \"'”").endswith(_ASKING)]
    if any(_tells(words.choices, line, words) for words in spoken for line in lines):
        return "decision"
    return "lesson" if any(words.lessons.within(line) for words in spoken for line in lines) else ""


def type_in_speech(text: str) -> str:
    """The same of what somebody said, and `preference` where it says what they like."""
    if type_ := type_in_text(text):
        return type_
    text = text[:_LONGEST]
    tokens = tokens_of(text)
    code = language_of(tokens)
    if code not in codes() or text.rstrip(" \"'”").endswith(_ASKING):
        return ""
    words = grammar(code)
    likes = words.preference_verbs.within(tokens) or words.preference_words.within(tokens)
    return "preference" if likes and any(clause.kind == "prefer" for clause in clauses(text, words)) else ""


def is_procedure(text: str) -> bool:
    """True for a wish that tells when to do what: `when I send an invoice, add the order number`."""
    tokens = tokens_of(text)
    return any(grammar(code).occasions.within(tokens) for code in codes())


def _tells(wanted: WordList, tokens: Sequence[str], words: Grammar) -> bool:
    """True where one of these stands among the tokens, and nothing just before it denies it."""
    place = wanted.find(tokens)
    return place >= 0 and not words.negations.has_any(tokens[max(0, place - _NEAR) : place])
