"""What a clause says of which thing, and whether a later clause says otherwise of the same one: `the sofa arrives on 14 November`, `the sofa is delayed till the 28th`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from itertools import pairwise, takewhile

from memoryclaw.late import NamedTuple
from memoryclaw.recall.restated import are_unlike, exact_values, stems_in, valued
from memoryclaw.talk.assertions import has_phrase
from memoryclaw.text.grammar import (
    Clause,
    Grammar,
    clauses,
    codes,
    grammar_of,
    spelled_out,
    tokens_of,
)
from memoryclaw.text.language import sentences

_HOME = "lives in"
_STATES = frozenset({"is", "works as", _HOME})  # fields that a clause with `be` tells as well
_DONE = ("", "event", "other", "decide", "have")  # kinds of verbs of what somebody does
WITHIN_FIGURE = re.compile(r"(?<=\d)[.,](?=\d)")  # `1,240` and `1,310` have no `1` in common
_COUNTED = frozenset({"amount", "measure", "clock"})  # forms that people tell on as a plain figure
_ORDINAL = re.compile(r"([12]?\d|3[01])(?:st|nd|rd|th|er?|º|ª)?")  # a day of a month
_ANY_DAY = date(2000, 1, 1)
_NAMED = 2  # words of a place that tell which one it is


class Predication(NamedTuple):
    """What a clause says, in stems but for its text."""

    text: str
    subject: frozenset[str]  # but for the speaker, and pronouns
    content: frozenset[str]  # all that it names besides its verb, values apart
    places: frozenset[str]  # where something is or goes
    kind: str = "be"  # of its verb
    verb: frozenset[str] = frozenset()
    object: frozenset[str] = frozenset()  # what stands behind the verb, up to a preposition
    aims: frozenset[str] = frozenset()  # what a preposition leads to: `the alarm for work`
    is_name: bool = False  # it says what its subject is called
    is_definite: bool = False  # there is one such object: `the bookings`, `our van`
    denies: bool = False
    changes: bool = False  # it has a sign of change …
    by_verb: bool = False  # … which is a verb: `took over`, not `now`
    adds: bool = False  # it tells of one more: `too`, `another`

    @property
    def thing(self) -> frozenset[str]:
        """What it is about: its subject, or, of what the speaker does, the object."""
        return self.subject or self.object

    def is_contradicted_by(self, later: Predication, people: frozenset[str]) -> bool:
        """True where a later one says something else of the same thing.

        Args:
            later: of a clause of a later day.
            people: who is named there, and the one whose this is.
        """
        if self.kind == "event" or later.adds:
            return False  # what happened stays so
        if self._is_another_state_in(later) or self.is_taken_over_in(later, people):
            return True
        thing = self.thing
        rest, later_rest = (each.content - thing - people - each.places for each in (self, later))
        shares = not rest.isdisjoint(later_rest)
        is_told = not later.subject.isdisjoint(thing)
        is_named = bool(thing) and thing <= later.content and (shares or not thing <= people)
        # `Mia works from home`, of oneself; `the kitchen budget`, of the budget; `the deposit is two months' rent`, of the rent
        is_other = (not self.subject and later.subject & people) or (
            not later.subject <= self.content and (is_told or later.kind == "be")
        )
        aims, later_aims = self.aims - thing, later.aims - thing
        if not is_named or is_other:
            return False
        if self._is_placed and later.places and self.places.isdisjoint(later.places):
            # `I need the passport for the trip to Oslo`
            is_put = not later.subject and later.kind in _DONE
            return (is_told or is_put) and not later.places <= self.content
        if aims and later_aims and aims.isdisjoint(later_aims):
            return False
        if differ(self.text, later.text):
            return is_told or later.changes  # not `we spent 300 of the budget`, nor `I have yoga on Monday`
        return self.denies != later.denies and shares and later.object <= self.content

    @property
    def _is_placed(self) -> bool:
        """True where it says where the thing is; not `Ana has a shop in York`."""
        return bool(self.places) and (not self.subject or self.object <= self.places)

    def _is_another_state_in(self, later: Predication) -> bool:
        """True where the same subject is somewhere else now, or has another name: `Orla is in Galway now`, of `Orla lives in Limerick`."""
        are_alike = bool(self.places and later.places) or (self.is_name and not later.places)
        are_states = self.kind == later.kind == "be" or self.is_name
        is_same = bool(later.subject) and later.subject <= self.subject
        state, later_state = self.content - self.subject, later.content - self.subject
        is_another = bool(state and later_state) and state.isdisjoint(later_state)
        return are_states and later.changes and are_alike and is_same and is_another

    def is_taken_over_in(self, later: Predication, people: frozenset[str]) -> bool:
        """True where somebody else does from now on what somebody did with the one thing: `Rita has taken over the accounts`."""
        return (
            self.is_definite
            and later.is_definite
            and later.changes
            and not later.denies
            and (later.by_verb or bool(self.verb & later.verb))
            and bool(self.subject and self.object and later.subject & people)
            and self.object == later.object
            and self.subject.isdisjoint(later.subject)
            and not differ(self.text, later.text)  # `the 41 bus`, `the 43 bus`
        )


@lru_cache(maxsize=1024)
def clauses_told(text: str, words: Grammar, names: frozenset[str] = frozenset()) -> tuple[Clause, ...]:
    """The clauses of a text, each with its subject; what has none goes on about that of the clause before it: `my sister quit Shell and moved`.

    Args:
        names: the words of known names, before each of which a clause may begin.
    """
    whole = list[Clause]()
    for sentence in sentences(text):
        subject = tuple[str, ...]()
        for typed in clauses(sentence, words, names.__contains__):
            clause = spelled_out(typed, words, names.__contains__)
            is_pronoun = bool(clause.subject) and words.people_pronouns.issuperset(clause.subject)
            goes_on = (not clause.subject or is_pronoun) and clause.kind and not is_spoken(clause, words)
            whole.append(clause._replace(subject=subject) if goes_on and subject else clause)
            subject = whole[-1].subject or subject
    return tuple(whole)


def is_spoken(clause: Clause, words: Grammar) -> bool:
    """True where the speaker is who acts, also behind the verb: `seit heute bin ich`."""
    return any(token in words.nominatives and token in words.first_person for token in clause.tokens)


@lru_cache(maxsize=16384)  # of all that stands
def predications_of(text: str, code: str, field: str = "", owner: str = "") -> tuple[Predication, ...]:
    """What each clause of a text says; of the value of a field one.

    Args:
        code: the language of what it is compared with, in which a short text is read.
        field: the one whose value the text is; empty for words of somebody.
        owner: whose that is; empty for the speaker.
    """
    words = grammar_of(text, code)
    if not field:
        names = frozenset(tokens_of(owner))
        return tuple(predication_of(clause, words) for clause in clauses_told(text, words, names))
    subject, value = _stems(owner if field in _STATES else field, words), _stems(text, words)
    places = value if field == _HOME else _places_in(text, words)
    denies = _denies(f"{field} {text}", words)
    kind = "be" if field in _STATES else "have"
    return (Predication(text, subject, subject | value, places, kind, denies=denies),)


@lru_cache(maxsize=4096)
def predication_of(clause: Clause, words: Grammar) -> Predication:
    """What a clause says."""
    tokens, pronouns = clause.tokens, (words.first_person, words.people_pronouns, words.personal)
    named = [token for token in clause.subject if not any(token in each for each in pronouns)]
    # `the piano lesson` is about the piano
    subject = _stems(" ".join(token for token in named if token not in words.holdings), words)
    behind = tokens_of(clause.rest) if clause.kind else tokens
    end = next((n for n, token in enumerate(behind) if n and token in words.prepositions), len(behind))
    if not clause.kind and words.noun_openers.has_any(behind[:1]):
        end = min(end, 2)  # a verb that no list has stands behind it: `the sofa arrives on the 14th`
    verb, signs = _stems(" ".join(clause.verb), words), words.changes.covered(tokens)
    opens = (token for token in behind[:2] if token not in words.people_pronouns)  # not `her homework`
    return Predication(
        clause.text,
        (subject or _stems(" ".join(named), words)) | _labels_in(clause.subject, words),
        (_stems(clause.text, words) - verb) | _labels_in(tokens, words),
        _places_in(clause.text, words),
        clause.kind,
        verb,
        (_stems(" ".join(behind[:end]), words) - verb) | _labels_in(behind[:end], words),
        _aims_in(tokens, words),
        is_name=words.naming_words.within(tokens),
        is_definite=words.definite_words.has_any(opens),
        denies=_denies(clause.text, words),
        changes=any(
            entries.within(tokens) for entries in (words.turning, words.replacing, words.change_verbs)
        ),
        by_verb=any(tokens[place] not in words.adverbs for place in signs),
        adds=words.other_ones.has_any(tokens) or words.additions.within(clause.typed or tokens),
    )


def _labels_in(tokens: Sequence[str], words: Grammar) -> frozenset[str]:
    """The figures that tell which one of a kind is meant: `room 12`."""
    idle = words.prepositions, words.noun_openers, words.adverbs, words.verbs, words.months, words.date_words
    return frozenset(
        figure
        for noun, figure in pairwise(tokens)
        if figure.isdigit() and noun.isalpha() and not any(noun in each for each in idle)
    )


def _stems(text: str, words: Grammar) -> frozenset[str]:
    """The stems of what a text names, without values, times and signs of a change."""
    tokens, values = tokens_of(text), valued(text, units=True)
    signs = words.changes.covered(tokens)
    idle = words.adverbs, words.empty, words.date_words, words.time_nouns, words.calendar_words, values
    named = (
        token for n, token in enumerate(tokens) if n not in signs and not any(token in each for each in idle)
    )
    return stems_in(" ".join(named), words.code if words.code in codes() else "en")


def _aims_in(tokens: Sequence[str], words: Grammar) -> frozenset[str]:
    behind = (tokens[place + 1 :] for place, token in enumerate(tokens) if token in words.prepositions)
    named = (next((token for token in each if token not in words.noun_openers), "") for each in behind)
    return _stems(" ".join(named), words)


def _places_in(text: str, words: Grammar) -> frozenset[str]:
    """The stems of where a text says that something is or goes; none for a time."""
    tokens, places = tokens_of(text), list[str]()
    times = words.date_words, words.time_nouns, words.weekdays, words.months, words.calendar_words
    ends = words.verbs, words.prepositions, words.noun_openers
    for place, size in words.place_prepositions.places(tokens):
        first = place + size + words.noun_openers.has_any(tokens[place + size : place + size + 1])
        named = [*takewhile(lambda token: not any(token in each for each in ends), tokens[first:])][:_NAMED]
        if named and not named[0][0].isdigit() and not any(named[0] in each for each in times):
            places += named
    return _stems(" ".join(places), words)


def _denies(text: str, words: Grammar) -> bool:
    """True for words that say what is not so, or is not liked."""
    tokens = tokens_of(text)
    dislikes = tokens[:1] == ("dislikes",) or any(
        field == "dislikes" and has_phrase(tokens, verb) for verb, field in words.verb_fields
    )
    return (words.negations.within(tokens) or words.ended.within(tokens)) != dislikes


@lru_cache(maxsize=8192)
def _values_of(text: str) -> dict[str, frozenset[str]]:
    """The values of a text by their form."""
    words, tokens = grammar_of(text, "en"), tokens_of(WITHIN_FIGURE.sub("", text))
    values = {form: frozenset(of_form) for form, of_form in exact_values(text, _ANY_DAY).items()}
    counted = [pair for pair in pairwise((*tokens, "")) if pair[0].isdigit() or pair[0] in words.cardinals]
    figures = frozenset(figure for figure, unit in counted if unit not in words.units)
    named = {
        "weekday": frozenset(token for token in tokens if token in words.weekdays),
        "month": frozenset(token for token in tokens if token in words.months),
        "figure": frozenset() if values else figures,
    }
    measured = {f"in {unit}": frozenset({figure}) for figure, unit in counted if unit in words.units}
    named["day of a month"] = frozenset(day[-2:].lstrip("0") for day in values.get("day", ())) or frozenset(
        hit[1]
        for lead, token, behind in zip(tokens, tokens[1:], (*tokens[2:], ""), strict=False)
        if (hit := _ORDINAL.fullmatch(token))
        and (lead in words.prepositions or lead in words.noun_openers or lead in words.date_words)
        and not (behind in words.units or behind in words.things)
    )  # `the 20th`
    return values | measured | {form: entries for form, entries in named.items() if entries}


def differ(older: str, later: str) -> bool:
    """True where a text has another value of the same form as an older one, or a plain figure for a counted one: `upped it to 100`, of `50 mg`."""
    old, new = _values_of(older), _values_of(later)
    forms = {form: new.get(form, frozenset()) for form in old}
    if "figure" in old and "figure" not in new:
        forms["figure"] = new.get("amount", frozenset())  # `3.12`, of `Python 3.9`
    if _COUNTED.isdisjoint(new):
        figures = new.get("figure", frozenset())
        is_of_form = figures and not are_unlike(older, later)  # not `lends 40 easels`, of `opens at 9:30`
        forms |= {
            form: figures for form in old if is_of_form and (form in _COUNTED or form.startswith("in "))
        }
    return any(values and old[form].isdisjoint(values) for form, values in forms.items())
