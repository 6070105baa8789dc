"""Whether later words say anew what earlier ones said, with another value in one place: `standup is at 9:30`, `standup is at 10 now`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from memoryclaw import late
from memoryclaw.index import stemming
from memoryclaw.text.clauses import Clause, clauses
from memoryclaw.text.grammar import (
    Grammar,
    codes,
    grammar,
    grammar_of,
    spoken_in,
    tokens_of,
)
from memoryclaw.text.language import words_of
from memoryclaw.text.sentences import sentences
from memoryclaw.vault.fact_values import noun_of

_RUN = late.pattern(r"[A-Za-z]++(?:[.+#/-][A-Za-z0-9]++)*|\d[\d.:,]*|\w")
_CLOCK = late.pattern(r"\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?(?:am|pm|uhr|h)\b", re.IGNORECASE)
clock_in = lru_cache(maxsize=8192)(lambda text: _CLOCK.search(text) is not None)  # of all that stands
_LABELLED = late.pattern(r"\b([^\W\d_]{2,30}) (\d[\d.]{0,8})(?![\w%€$£])")
_ELIDED = late.pattern(r"^(?:[cdjlmnst]|qu)['’](?=\w{3})")  # `n'habite`
_SHORT = 2  # words with a subject, of a span that differs
_TIED, SHARED = 0.5, 2  # of the older one's words that carry a subject: this share, and so many
_ABOUT = 5  # of so many words of a sentence, one must be of what it changes
_FIELD, _OWN = (
    "= ",
    "=own ",
)  # before a field in the subject of a text; of the speaker, where the form of a verb says so
_OF = frozenset("的の")  # between whose it is, or which, and what is told of
_UNSPACED = 5  # characters before it that must be the same, in a script without spaces


def share_a_word(older: str, later: str) -> bool:
    """True where two texts have a stem or a field in common, or may in a language of their own; without one, neither says the other anew, ends what it has, or gives it another value."""
    language = _language_told_by(later)
    if language != _language_told_by(older) or not (later.isascii() or max(later) < "\u3000"):
        return True  # without spaces, a beginning may be the same of words that say nothing
    return not _marks(older, _grammar_of(older, later).code, language).isdisjoint(
        _marks_of_later(later, language)
    )


@lru_cache(maxsize=8192)
def _marks(text: str, code: str, language: str) -> frozenset[str]:
    words = text if text.isascii() else f"{text} {' '.join(tokens_of(text))}"  # where an accent stands apart
    return stems_in(words, "en") | stems_in(words, language) | subject_in(text, code, language)


@lru_cache(maxsize=1024)
def _marks_of_later(text: str, language: str) -> frozenset[str]:
    pieces = (_marks(piece, _grammar_of(piece, text).code, language) for piece in (text, *sentences(text)))
    return frozenset[str]().union(*pieces, *(ended for _, ended in endings(text)))


def renews(older: str, later: str, *, change: bool) -> bool:
    """True where both have the same words but in one place.

    Args:
        change: the later one has a sign of change. Without it, both must say when on the clock something is, or be in a language that is not read.
    """
    unread = spoken_in(later, "en") not in codes()
    unspaced = not later.isascii() and max(later) > "\u2fff"
    if not (change or unread or unspaced or clock_in(older)):
        return False  # asked of every statement that stands
    if _are_unlike(older, later):
        return False  # `the wedding is on 14 June`, `the wedding is down to 80 guests now`
    before, after = (
        (_runs if unspaced else _without_signs)(older),
        (_runs if unspaced else _without_signs)(later),
    )
    if change and before and _subjects(before) == _subjects(after) != frozenset():
        return True  # `i'm a vegetarian`, `i'm no longer a vegetarian`
    first, span_before, span_after = spans_apart(before, after)
    last = len(before) - first - len(span_before)
    if not (span_before and span_after):
        return False
    if unspaced:  # `会议在三号会议室`, `会议在八号会议室`; not `うちの兄は…`, `うちの妹は…`
        is_enough = first >= _UNSPACED or min(first, last) >= _UNSPACED - 2
        return is_enough and _OF.isdisjoint(before[first - 1 : first] + before[len(before) - last :][:1])
    ahead, shared = _subjects(before[:first]), _subjects(before[:first] + before[len(before) - last :])
    if clock_in(older) and all(any(map(str.isdigit, " ".join(span))) for span in (span_before, span_after)):
        is_same = change or (
            not last and before[:first][-1:] == after[:first][-1:] and len(span_before) == len(span_after)
        )
        return bool(ahead) and is_same
    if max(_size(span_before), _size(span_after)) > _SHORT:
        return False
    if not last and before[first - 1 : first] and before[first - 1] in _grammar_of(older).modal_verbs:
        return False  # `Piet can't eat walnuts`, `Piet can't come after all`
    if unread:
        return len(ahead) >= (1 if change else _SHORT)
    named = last and any(
        word.isalpha() and f" {word}" in f" {text.lower()}" and word.title() in text
        for text in (older, later)
        for word in (*span_before, *span_after)
    )
    return change and bool(shared) and 2 * (first + last) >= len(before) and not named


def _are_unlike(older: str, later: str) -> bool:
    """True where both tell values, of no form in common."""
    kinds, newer_kinds = kinds_of_values(older), kinds_of_values(later)
    return bool(kinds and newer_kinds) and kinds.isdisjoint(newer_kinds)


def gives_another(older: str, later: str) -> bool:
    """True where both say the same of one who has one such value at a time, and another value: `Maya only drinks oat milk`, `… soy milk`."""
    words, kinds, tokens = _grammar_of(later, older), kinds_of_values(older), tokens_of(later)
    is_state = words.be_verbs.has_any(tokens) and subject_of(older, later) == subject_of(later)
    at_a_time = is_state and kinds and kinds == kinds_of_values(later)  # `our standup is at 9:45`, `… at 10`
    place = next((n for n in range(1, len(tokens)) if words.place_prepositions.at(tokens, n)), 0)
    same = place and tokens_of(older)[: place + 1] == tokens[: place + 1]
    meets = same and tokens[place - 1] not in words.be_verbs  # `meets at Lena's`, not `is at the dentist`
    changes = at_a_time or meets or words.exclusives.within(tokens)
    return bool(changes) and renews(older, later, change=True)


def spans_apart(words: Sequence[str], others: Sequence[str]) -> tuple[int, Sequence[str], Sequence[str]]:
    """How many words at the beginning are the same, and what each has between these and the same words at the end."""
    pairs = zip(words, others, strict=False)
    first = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(words), len(others)))
    ends = zip(words[first:][::-1], others[first:][::-1], strict=False)
    last = next((n for n, (a, b) in enumerate(ends) if a != b), min(len(words), len(others)) - first)
    return first, words[first : len(words) - last], others[first : len(others) - last]


def _runs(text: str) -> list[str]:
    return [run.lower() for run in _RUN.findall(text)]


@lru_cache(maxsize=4096)
def _without_signs(text: str) -> list[str]:
    """The words of a text without the signs of a change."""
    tokens, words = tokens_of(text), list[str]()
    signs, place = _grammar_of(text), 0
    while place < len(tokens):
        size = signs.changes.at(tokens, place) or signs.renewals.at(tokens, place)
        words += tokens[place : place + 1] if not size else []
        place += size or 1
    return words


def _size(words: Sequence[str]) -> int:
    """How many words with a subject a span has; the figures of one value, such as `06 12 34`, are one."""
    figures = sum(word.isdecimal() for word in words)
    return len(_subjects([word for word in words if not word.isdecimal()])) + (figures > 0)


def _subjects(words: Sequence[str]) -> frozenset[str]:
    return stems(" ".join(words))


def told_anew(older: str, later: str) -> bool:
    """True where later words with a sign of change say at least half of the older ones anew, with or without what may have changed: figures, days, sums."""
    if _are_unlike(older, later):
        return False  # `Cardew Plumbing charges 55 €`, `Cardew Plumbing now opens at 8:00`
    subject = subject_of(older, later)
    older_stems = _telling_stems(older, _grammar_of(later, older).code, _language_told_by(later))

    def is_enough(same: frozenset[str], needed: frozenset[str], sentence: str) -> bool:
        """True for at least two stems that are more than half of the older ones; for half of them, unless only `now` is a sign and no verb and no field is the same."""
        share = len(same) / max(1, len(needed))
        if len(same) < SHARED or share != _TIED:
            return len(same) >= SHARED and share > _TIED
        verbs = _verbs_beside_now(sentence, older)
        return verbs is None or not same.isdisjoint(verbs) or any(stem.startswith(_FIELD) for stem in same)

    telling = _sentences_of(later)
    for sentence, its_subject, its_stems in telling:
        if len(telling) > 1 and not _has_sign(sentence, later):
            continue  # another one of them changes something
        shared, same = subject & its_subject, older_stems & its_stems
        if any(stem.startswith(_OWN) for stem in shared):
            return True
        if max(len(shared), len(same)) < SHARED:
            continue
        renumbered = _labels(older).items() - _labels(later).items()
        if len(same) >= SHARED and any(label in _labels(sentence) for label, _ in renumbered):
            return True
        # A long sentence has some words of nearly everything.
        is_about = max(len(shared), len(same)) * _ABOUT >= len(its_stems)
        if is_about and (is_enough(same, older_stems, sentence) or is_enough(shared, subject, sentence)):
            return True
    return False


@lru_cache(maxsize=1024)
def _has_sign(text: str, like: str) -> bool:
    """True where a text has a sign of a change."""
    words, tokens = _grammar_of(text, like), tokens_of(text)
    signs = words.changes, words.renewals, words.ending_verbs, words.news
    return any(sign.within(tokens) for sign in signs)


@lru_cache(maxsize=1024)
def _sentences_of(text: str) -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
    """The sentences of a text, each with its subject and its stems."""
    return tuple(
        (sentence, subject_of(sentence, text), stems(sentence, text)) for sentence in sentences(text)
    )


@lru_cache(maxsize=8192)
def _telling_stems(text: str, code: str, language: str) -> frozenset[str]:
    """The stems of a text without its modal verbs, by the grammar of `code`, and the numbers and months of its values."""
    words = grammar(code)
    telling = (
        token
        for token in tokens_of(text)
        if token not in words.modal_verbs and token not in words.months and not token.isdecimal()
    )
    return stems_in(" ".join(telling), language)


def gives_up(older: str, later: str) -> bool:
    """True where later words end what the same person has or does by older ones: `Ole drives a Volvo`, `Ole sold the Volvo`."""
    ends = [(whose, ended) for whose, ended in endings(later) if ended <= stems(older, later)]
    if not ends:  # asked of every statement that stands
        return False
    words = _grammar_of(older, later)

    def is_of(clause: Clause, whose: frozenset[str]) -> bool:
        if whose:
            return whose <= stems(" ".join(clause.subject), later)
        of_other = words.roles.within(clause.subject) or words.contracted_subjects.within(clause.tokens[1:2])
        own = any(token in words.first_person or token in words.possessives_own for token in clause.tokens)
        return own and not of_other

    return any(
        is_of(clause, whose) and _closes_with(clause, ended, words, later)
        for clause in clauses(older, words)
        if clause.kind != "event"
        for whose, ended in ends
    )


@lru_cache(maxsize=4096)
def endings(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """What each clause of a text says that somebody has no more, behind whose it was."""
    words = _grammar_of(text)
    ends = (_given_up(clause, words, text) for clause in clauses(text, words))
    return tuple((whose, ended) for whose, ended in ends if ended)


def _given_up(clause: Clause, words: Grammar, like: str) -> tuple[frozenset[str], frozenset[str]]:
    """Whose it was, none for the speaker's, and what a clause says somebody has no more: `Ole sold the Volvo`, `die Brille brauch ich nicht mehr`."""
    tokens = clause.tokens
    ends = [phrase for phrase, field in words.verb_ends if field == "*"]  # not `I left the house`
    idle = set[int]()
    for place in range(len(tokens)):
        size = words.ended.at(tokens, place) or max(
            (len(verb) for verb in ends if tokens[place : place + len(verb)] == verb), default=0
        )
        idle |= set(range(place, place + size))
    if not idle:
        return frozenset(), frozenset()
    pronoun = next((n for n, token in enumerate(tokens) if token in words.nominatives), -1)
    idle |= {max(1, pronoun - 1)} if pronoun >= 0 else set()  # its verb, known or not
    is_own = not clause.subject or (pronoun >= 0 and tokens[pronoun] in words.first_person)
    whose = frozenset[str]() if is_own else stems(" ".join(clause.subject), like)
    named = (
        token
        for n, token in enumerate(tokens)
        if n not in idle and token not in clause.verb and token not in words.small
    )
    return whose, stems(" ".join(named), like) - whose


def _closes_with(clause: Clause, ended: frozenset[str], words: Grammar, like: str) -> bool:
    """True where the object of a clause is what ended: `an old Volvo`, not `a Volvo dealer`."""
    last = max((n for n, token in enumerate(clause.tokens) if stems(token, like) & ended), default=-1)
    behind = clause.tokens[last + 1 : last + 2]
    closes = (
        not behind
        or behind[0] in words.small
        or behind[0] in words.adverbs
        or behind[0] in valued(clause.text)
    )
    return last >= 0 and closes and ended <= stems(clause.text, like)


@lru_cache(maxsize=4096)
def _labels(text: str) -> dict[str, str]:
    """The figure behind each name or thing that it distinguishes: `Postgres 16`, `room 4`."""
    words = _grammar_of(text)
    hits = ((hit, hit[1].lower()) for hit in _LABELLED.finditer(text))
    return {
        label: hit[2]
        for hit, label in hits
        if label in words.things
        or (hit.start() and hit[1][0].isupper() and label not in words.months and label not in words.small)
    }


def speaks_of_another(older: str, later: str) -> bool:
    """True where the first clauses speak of two things, neither of which the other text names in full: `the kitchen budget is 900`, `the bathroom budget is 800 now`."""
    words = _grammar_of(later, older)
    subject = next((clause.subject for clause in clauses(later, words)), ())
    if words.other_ones.has_any(subject) and not words.other_ones.within(tokens_of(older)):
        return True  # `my other brother`
    first, second = _thing_spoken_of(older, ""), _thing_spoken_of(later, older)
    is_known = first <= stems(later, older) or second <= stems(older)
    return bool(first and second) and not (is_known and _owners_in(later, older) <= stems(older))


@lru_cache(maxsize=4096)
def _owners_in(text: str, like: str) -> frozenset[str]:
    """The stems of whose the subject of a text's first clause is by the words behind an `of`: `the deadline of the other tender`."""
    words = _grammar_of(text, like)
    subject = next((clause.subject for clause in clauses(text, words)), ())
    behind = next((n for n in range(1, len(subject)) if subject[n] in words.owner_prepositions), len(subject))
    return stems(" ".join(subject[behind + 1 :]), like or text)


@lru_cache(maxsize=4096)
def _thing_spoken_of(text: str, like: str) -> frozenset[str]:
    """The stems of the subject of a text's first clause where that has an article or a possessive, or begins with an owner: `Tilda's cousin`."""
    words = _grammar_of(text, like)
    subject = next((clause.subject for clause in clauses(text, words)), ())
    return (
        stems(" ".join(subject[1:]), like or text)
        if subject and (subject[0] in words.noun_openers or subject[0].endswith("'s"))
        else frozenset()
    )


@lru_cache(maxsize=4096)
def _verbs_beside_now(text: str, like: str) -> frozenset[str] | None:
    """The stems of a text's verbs where all its signs of change are adverbs: `the choir sings Brahms now`; None beside a sign that says more."""
    words, tokens = _grammar_of(text, like), tokens_of(text)
    signs = {n for place in range(len(tokens)) for n in range(place, place + words.changes.at(tokens, place))}
    if not all(tokens[place] in words.adverbs for place in signs):
        return None
    return stems(" ".join(verb for clause in clauses(text, words) for verb in clause.verb), like)


@lru_cache(maxsize=4096)
def kinds_of_values(text: str) -> frozenset[str]:
    """What the values of a text are by their form: an hour, a day, a sum; a bare figure may be any of them."""
    words, tokens = _grammar_of(text), tokens_of(text)
    kinds = {
        "hour": _CLOCK.search(text),
        "day": any(token in words.weekdays or token in words.months for token in tokens),
        "sum": not set(text).isdisjoint("$€£¥"),
        "measure": any(number.isdigit() and unit in words.units for number, unit in pairwise(tokens)),
        "label": any(
            before in words.prepositions and noun in words.things and figure.isdigit()
            for before, noun, figure in zip(tokens, tokens[1:], tokens[2:], strict=False)
        ),  # `on port 8080`
    }
    return frozenset(kind for kind, is_told in kinds.items() if is_told)


def subject_of(text: str, like: str = "") -> frozenset[str]:
    """The stems of what a text is about, without its figures, days, ages, sums and units, and with the fields that its verbs and nouns name in place of these: `moved to` is where one lives.

    Args:
        like: the words in whose language it is read.
    """
    return subject_in(text, _grammar_of(text, like).code, _language_told_by(like or text))


@lru_cache(maxsize=8192)
def subject_in(text: str, code: str, language: str) -> frozenset[str]:
    """The subject of a text, by the grammar of `code`, with the stems of a language; see `subject_of`."""
    fields, named = fields_in(text, code)
    return stems_in(" ".join(named), language) | fields


@lru_cache(maxsize=8192)
def fields_in(text: str, code: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The fields that the verbs and nouns of a text name, marked so that no word is one; and the words of its subject beside these."""
    words, values = grammar(code), valued(text, units=True)
    tokens, named, fields, place = tokens_of(text), list[str](), set[str](), 0
    while place < len(tokens):
        size, field = _field_at(tokens, place, words)
        if size:
            fields.add(field)
        elif years := words.of_age.at(tokens, place):
            size = years
        elif tokens[place] not in values and tokens[place] not in words.small:
            named.append(tokens[place])
        place += size or 1
    for (verb, *ways), field in words.verb_fields if words.final_verbs else ():
        if (
            len(ways) == 1 and verb in named and ways[0] in tokens[: tokens.index(verb)]
        ):  # `nach Bonn gezogen`
            named.remove(verb)
            fields.add(f"{_FIELD}{field}")
    return frozenset(fields), tuple(named)


def _grammar_of(text: str, like: str = "") -> Grammar:
    return grammar_of(text, _spoken_in(like, "en"))


_spoken_in = lru_cache(maxsize=8192)(spoken_in)  # of every statement that stands


def _field_at(tokens: Sequence[str], place: int, words: Grammar) -> tuple[int, str]:
    """How many tokens from a place on name a field, and that field, marked so that no word is one."""
    ends = words.verb_ends if words.ending_verbs.at(tokens, place) else ()
    for phrase, field in (*words.fields_by_first.get(tokens[place], ()), *ends):
        end = place + len(phrase)
        if field == "*" or tuple(tokens[place:end]) != phrase:
            continue
        if not (
            words.calendar_words.at(tokens, end) or words.weekdays.at(tokens, end)
        ):  # `moved to Thursday`
            return len(phrase), f"{_OWN if phrase[0] in words.first_person else _FIELD}{field}"
    noun = noun_of(tokens[place])
    return (1, f"{_FIELD}{noun.field}") if noun and tokens[place] not in words.small else (0, "")


@lru_cache(maxsize=4096)
def valued(text: str, *, units: bool = False) -> frozenset[str]:
    """The words of a text that tell a figure, or a day of the week or the year; with `units` also what they count."""
    words = _grammar_of(text)
    values = (
        words.months,
        words.weekdays,
        words.cardinals,
        *((words.units, words.number_words) if units else ()),
    )
    return frozenset(
        token
        for token in tokens_of(text)
        if any(map(str.isdigit, token)) or any(token in entries for entries in values)
    )


def stems(text: str, like: str = "") -> frozenset[str]:
    """The stems of the words that carry the subject of a text, in English or in the language of another: a short one seldom tells its own."""
    return stems_in(text, _language_told_by(like))


@lru_cache(maxsize=8192)
def _language_told_by(text: str) -> str:
    return stemming.language_of([text], stemming.language("en")).code


@lru_cache(maxsize=16384)
def stems_in(text: str, code: str) -> frozenset[str]:
    """The stems of the words that carry the subject of a text, as those of a language."""
    words = words_of(text)
    if "'" in text or "’" in text:
        words = [_ELIDED.sub("", word) for word in words]
    return frozenset(stemming.language(code).telling(words))
