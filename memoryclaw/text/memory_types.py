"""What people say → what sort of memory it is, by the words and the grammar of it: a decision, a lesson, a preference; else nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, takewhile

from memoryclaw.text import words as lists
from memoryclaw.text.grammar import (
    Grammar,
    WordList,
    clauses,
    codes,
    grammar,
    language_of,
    spoken_in,
    tokens_of,
)
from memoryclaw.text.language import ends_in_question

_NEAR = 3  # words before a verb in which a negation denies it: `we have not yet decided`
_LONGEST = 20_000  # characters that are read


def type_in_text(text: str) -> str:
    """`decision` or `lesson` where a line of a text tells of one, the first before the second; else an empty string."""
    text = text[:_LONGEST]
    tokens = tokens_of(text)
    grammars = [grammar(code) for code in codes()]
    spoken = [g for g in grammars if g.choices.within(tokens) or g.lessons.within(tokens)]
    if not spoken:
        return ""
    lines = [tokens_of(line) for line in text.split("\n") if not ends_in_question(line)]
    if any(_tells(words.choices, line, words) for words in spoken for line in lines):
        return "decision"
    return "lesson" if any(words.lessons.within(line) for words in spoken for line in lines) else ""


@lru_cache(maxsize=4096)  # a file of statements is read anew with each one more
def type_in_speech(text: str) -> str:
    """The same of what somebody said, and `preference` where it says what they like."""
    if type_ := type_in_text(text):
        return type_
    text = text[:_LONGEST]
    tokens = tokens_of(text)
    code = language_of(tokens)
    if code not in codes() or ends_in_question(text):
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


# Whether words are of the work in a repository: its tools, code, commands and conventions. Pure.

_WORK = frozenset(lists.words("consolidation.work"))
_THIS, _PROJECT = (frozenset(lists.words(f"consolidation.{name}")) for name in ("this", "project"))
_WE, _TOOLS = (frozenset(lists.words(f"consolidation.{name}")) for name in ("we", "tools"))
_HERE = {
    code: frozenset(words.split())
    for code, _, words in (row.partition(": ") for row in lists.lines("consolidation.here"))
}
_LABEL = 3  # words of what a rule is about
_PLURALS = ("s", "en", "e", "i")  # ends of words for several things, in the languages that are read
_ENDED = re.compile(r"(?:ing|[^e]ed)\Z")  # of verbs of what was or is being done
# A flag, a path, the name of a file, of a function or of a variable.
_CODE = re.compile(
    r"`|(?<!\S)--?[a-z][\w-]+|[\w.-]/(?:[\w.-]|(?![^\s.,;:!?]))|\w\.(?:[a-z]{1,4}\d?)(?!\w)|\w_\w|[a-z][A-Z]\w|\w\(\)"
)


def names_this_project(text: str) -> bool:
    """True for words that name the repository they are said in: `in this project`."""
    return any(first in _THIS and second in _PROJECT for first, second in pairwise(tokens_of(text)))


def is_told_here(text: str) -> bool:
    """True for words of the work, or of one tool for another, that say where they hold, as in this project: `tests run with vitest here`, `use uv here, not pip`."""
    code, tokens = spoken_in(text, "en"), tokens_of(text)
    words = grammar(code)
    chooses = words.not_the_other.find(tokens) > 0 and not words.determiners.has_any(tokens)
    is_here = not _HERE.get(code, frozenset()).isdisjoint(tokens)
    return names_this_project(text) or (is_here and (chooses or is_of_work(text)))


def states_a_rule(text: str, words: Grammar) -> bool:
    """True for what is said of things of the work in general, or behind a label: `package names start with hx-`, `commit messages: imperative`.

    What is said of one of them (`the test passes now`), of a time or of the speaker is none.
    """
    label, colon, rule = text.partition(": ")
    tokens = tokens_of(label if colon else text)
    small = words.small | words.determiners | words.negations | words.cardinals
    things = list(takewhile(lambda token: token not in small and not token.isdigit(), tokens[:_LABEL]))
    if colon:
        is_label = len(things) == len(tokens) and not _ENDED.search(tokens[-1])
        return bool(rule.strip()) and is_label and not _WORK.isdisjoint(tokens)
    head = next(
        (
            n
            for n, token in enumerate(things)
            if token.endswith(_PLURALS) and not _WORK.isdisjoint(things[: n + 1])
        ),
        -1,
    )
    verb = head + 1
    if head < 0 or len(tokens) <= verb + 1 or tokens[verb] in words.be_verbs or _ENDED.search(tokens[verb]):
        return False
    is_of_now = words.moments.within(tokens) or words.past_event_verbs.at(tokens, verb)
    return not (is_of_now or words.first_person.has_any(tokens))


def says_we(text: str) -> bool:
    """True for words that begin with those who work together: `we use pnpm`."""
    return not _WE.isdisjoint(tokens_of(text)[:1])


def is_of_work(text: str) -> bool:
    """True for words that are of the work in a repository, wherever they are said."""
    if says_we(text) and not _TOOLS.isdisjoint(tokens_of(text)):
        return True
    return not _WORK.isdisjoint(tokens_of(text)) or bool(_CODE.search(text)) or names_this_project(text)
