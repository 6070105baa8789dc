"""What a clause tells of what: entity, field and value, where all three can be told from its words. `my rent is 900`, `nginx's port is 8080`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from itertools import pairwise

from memoryclaw.late import NamedTuple
from memoryclaw.model import FROM_NOW_ON
from memoryclaw.talk.own_words import balanced
from memoryclaw.talk.people import (
    FORMER,
    PARTICLES,
    PLACED,
    Names,
    Relation,
    begins_as_names_do,
    has_genitive,
    relations,
    role_itself,
)
from memoryclaw.text import words as lists
from memoryclaw.text.dates import find_ranges, leading_range, with_blanks
from memoryclaw.text.grammar import (
    Clause,
    Grammar,
    WordList,
    clauses,
    first_clause,
    grammar_of,
    spans_of,
    tokens_of,
    trimmed,
    typed_from,
)
from memoryclaw.text.language import plain
from memoryclaw.vault.fact_values import date_value, noun_of, plain_key, plain_value
from memoryclaw.vault.properties import is_preference
from memoryclaw.vault.vocabulary import STREET, is_occupation, misfit

ANY_FIELD = "*"  # of a value that ends, whatever it was the value of
ANY_ROLE = "role"  # of one who is no longer there, or of what does not take place, whatever it was
COUPLE = ("partner", "wife", "husband")  # one field, of which people have several names
_BIRTHPLACE, _BIRTHDAY = "birthplace", "birthday"
_ANY_DAY = date(2000, 1, 1)
_VALUE_WORDS, _FIELD_WORDS, _THING_WORDS = 9, 4, 5
_TOLD_WORDS = 12  # of a value that tells what it is by itself
_OLDEST = 120
_EMAIL = re.compile(r"[^\s@<>()\[\],;:]+@[^\s@<>()\[\],;:]+\.[^\W\d_]{2,}")
_PHONE = re.compile(r"(?<![\w.,/-])(?=(?:\D*\d){6})[+(0]\+?\(?\d?[\d\s()/-]{4,22}\d(?![.,]?\d)")
_ANY_PHONE = re.compile(rf"{_PHONE.pattern}|(?<![\w.,/-])\d(?:[ ()/-]{{0,2}}\d){{6,14}}(?![.,]?\d)")
# within a word: `FastAPI`, `next.js`; not `St.Gallen`
_PROGRAM = re.compile(r"[a-z]{2}[A-Z]|[a-z]\d|\w\.[a-z]")
_SERVICES = ("bank", "broadband", "energy", "phone contract", "gym")  # kinds with names that towns have, too
HARD = re.compile(r"\d|[$€£%]")
# Where a value ends: not at the dot of `Hofstr. 12`.
_MARK = re.compile(
    r"(?<!\d),|,(?!\d)|[;()!?…]|(?<!\b\d)(?<!\b\d\d)\.(?=\s+\D)|\.(?=\s*$)|\s[-–—]\s"
)  # not in `14. Mai`
# also one that is sealed
_QUOTED = re.compile(r"(['\"‘’`])[^'\"‘’`]{1,60}(['\"‘’`])|[\U00010600-\U000106ff]")
# a street, a town or a region of an address, behind its comma
_PLACE = re.compile(
    r"\s*,\s*((?:\d[\w-]{0,9}\s)?[A-ZÀ-Þ][\w'’]{1,30}(?:(?:-|[ ](?=[A-ZÀ-Þ0-9]))[\w'’]{1,30}){0,3})(?=\s*(?:[.,;!?]|\Z))"
)
_PLACES = 3  # behind the first line of an address, at most
_NUMBERED = re.compile(r"(?<!\w)[^\W\d_a-zß-ÿ]\w{2,40} \d{1,4}[a-z]?\Z")  # `Singel 40`
_POSTAL = 4  # digits of the shortest postal code
_ADDRESS, _HOME = "address", "lives in"
_OF_FIRMS = ("works at", "bank")
_POSSESSIVE = re.compile(r"['’]s?$")


class Assertion(NamedTuple):
    """One value of one field of an entity ("" for the speaker), and how it was told: role, noun, bare, hers, verb or contact.

    A bare noun (`budget is 14k`) says of nobody that it is theirs: it changes a field that is known, and makes no new one. What is
    hers (`her budget is 14k`) is of whom the pronoun points to.
    """

    entity: str
    field: str
    value: str
    how: str
    words: str  # the words of the clause that say so
    when: str = ""  # its words for the time since when it is so: "last week"
    stated: bool = False  # who somebody is, by a verb and not in passing
    replaces: str = ""  # the value that ends in the same sentence: only where that is held is this a fact


def assertions_in(
    clause: Clause,
    words: Grammar,
    names: Names,
    subject: tuple[str, str],
    behind: str = "",
    *,
    among: bool = False,
) -> tuple[Assertion, ...]:
    """What a clause tells of what, the surest forms only.

    Args:
        names: the names of the talk; persons who are introduced are taken up.
        subject: whom the clause is about, and how that is told, as `Names.subject` has it.
        behind: what stands behind it in its sentence, with the mark between.
        among: people talk to each other, so that a value alone tells no field.
    """
    clause = without_contrast(_over_by_verb(_without_lead(clause, words, names), words), words)
    introduced = relations(clause, words, names)
    assertions = [_assertion_of(relation) for relation in introduced]
    if words.partings.within(clause.tokens):
        return tuple(role for role in assertions if role.field not in COUPLE)
    if len(introduced) == 1 and not introduced[0].stated and _holds(clause, words):
        whose = introduced[0].who, "named"
        passing = _by_turning(clause, words, names, whose)
        passing = passing or _by_verb(clause, words, names, whose) or _by_value(clause, words, names, whose)
        assertions += [passing] if passing else []  # `my brother Pieter works at Shell`
    if not assertions and (aside := _beside_own_thing(clause, words, names, behind)):
        assertions = [aside]
    if not assertions and _holds(clause, words):
        assertion = (
            _by_change(clause, words, names)
            or _by_noun(clause, words, names)
            or _by_mark(clause, words, names, behind)
            or _by_turning(clause, words, names, subject)
            or _by_verb(clause, words, names, subject)
            or (not among and _by_value(clause, words, names, subject))
            or _contact(clause, words, names)
        )
        assertions = [assertion] if assertion else []
    return tuple(
        _with_places(fact, behind, words)
        for fact in assertions
        if fact.value.lower() != fact.entity.lower() and balanced(fact.value) == fact.value
    )


def introduced_in(clause: Clause, words: Grammar, names: Names) -> tuple[Assertion, ...]:
    """Who the speaker's are whom a clause names in passing, whatever it asks for: `what can I give my wife Ana?`; not `is my dentist Dr Lund?`, `my old boss Tim`, one of two, nor words that are to be said."""
    tokens = clause.tokens
    asks_who = any(verb in words.be_verbs and own in words.possessives_own for verb, own in pairwise(tokens))
    if asks_who or words.reporting_verbs.within(tokens) or not FORMER.isdisjoint(tokens):
        return ()
    passing = [
        relation
        for relation in relations(clause, words, names)
        if not (relation.stated or relation.whose) and begins_as_names_do(relation.who, words)
    ]
    is_one_each = len({relation.role for relation in passing}) == len(passing)
    return tuple(map(_assertion_of, passing)) if is_one_each else ()


def _with_places(fact: Assertion, behind: str, words: Grammar) -> Assertion:
    """An address with the town behind its comma, and what leads up to a street or a postal code: `Flat 3, 14 Harbour Street, Whitby YO21 1AA`; not with a name behind it."""
    fact = _at_street(fact, behind)
    if not fact.field.endswith(_ADDRESS) or " " not in fact.value:  # `10.0.0.4`
        return fact
    rest, places = behind.partition(fact.value)[2] or behind, list[str]()
    while len(places) < _PLACES and (place := _PLACE.match(rest)):
        tokens, is_number = tokens_of(place[1]), place[1][0].isdigit()
        is_next = bool(places) and is_number and len(tokens[0]) < _POSTAL  # another address
        is_day = words.months.has_any(tokens[1:2])
        # `14 Harbour Street, Thanks!`
        if is_next or is_day or words.closers.at(tokens):
            break
        places.append(place[1])
        rest = rest[place.end() :]
    last = max((n for n, place in enumerate(places) if HARD.search(place)), default=0)
    value = ", ".join((fact.value, *places[: last + 1]))
    return fact._replace(value=value) if HARD.search(value) else fact


def _at_street(fact: Assertion, behind: str = "") -> Assertion:
    """A home as an address where it has a street and the number of a house, with the number behind its comma: `rua das Flores, 10`, `Singel 40`."""
    if fact.field != _HOME:
        return fact
    street = STREET.search(f"{fact.value}{behind.partition(fact.value)[2] or behind}")
    if street and street.start() < len(fact.value):
        return fact._replace(
            field=_ADDRESS, value=fact.value if street.start() else max(fact.value, street[0], key=len)
        )
    return fact._replace(field=_ADDRESS) if _NUMBERED.search(fact.value) else fact


def ends_in(clause: Clause, words: Grammar, names: Names, subject: tuple[str, str]) -> Assertion | None:
    """The value that a clause says holds no longer: `Rosa no longer works at Fugro`, `Pieter left Shell`."""
    ended = _ending(clause, words, names, subject)
    return ended and _at_street(ended)


def _ending(clause: Clause, words: Grammar, names: Names, subject: tuple[str, str]) -> Assertion | None:
    clause = _over_by_verb(clause, words)
    if (plain := without_contrast(clause, words)) is not clause:
        assertion = _by_noun(plain, words, names) or _by_verb(plain, words, names, subject)
        former = _value(clause.text[_other_value(clause, words)[1] :], words)
        return _ended(assertion.entity, assertion.field, former, clause) if assertion else None
    place = words.ended.find(clause.tokens)
    if place >= 0 and (ended := _no_longer(clause, words, names, subject, place)):
        return ended
    if place >= 0 and not clause.verb:
        return None
    if place < 0 and (affirmed := _affirmed(clause, words)):
        denied = _by_verb(affirmed, words, names, subject) or _by_value(affirmed, words, names, subject)
        if denied:
            return None if denied.when else denied
    if (place := words.partings.find(clause.tokens)) >= 0:
        return _parted(clause, place, words)
    if gone := _gone(clause, words):
        return _ended("", ANY_ROLE, gone, clause)
    if allowed := _allowed(clause, words):
        return _ended("", FROM_NOW_ON, allowed, clause)
    elided = not (clause.verb_at and clause.kind)  # `sold the Skoda`
    return _left_behind(clause, words, subject) if elided or subject[1] in ("own", "named") else None


def _left_behind(clause: Clause, words: Grammar, subject: tuple[str, str]) -> Assertion | None:
    """The value that a verb of ending has for its object: `Pieter left Shell`, `we switched our broadband from Sonic to Hyperion`."""
    spans, (source, goal) = spans_of(clause.text), _way(clause.tokens, words)
    if source and words.changes.within(clause.tokens):  # `we switched our broadband from Sonic to Hyperion`
        first = source + words.source_prepositions.at(clause.tokens, source)
        return _ended(
            subject[0], ANY_FIELD, _value(clause.text[spans[first][0] : spans[goal][0]], words), clause
        )
    # `ich hab bei Bosch gekündigt`; `we zijn gestopt met Jira`
    plain_texts = dict.fromkeys((_verb_first(clause.text, words), clause.text))
    left = (_object_of_ending(first_clause(text, words, clause), words, subject) for text in plain_texts)
    return next(filter(None, left), None) if words.ending_verbs.may_be_in(clause.tokens) else None


def _object_of_ending(clause: Clause, words: Grammar, subject: tuple[str, str]) -> Assertion | None:
    """The value that stands behind a verb of ending: `has left Shell`."""
    spans, first = spans_of(clause.text), clause.verb_at if clause.kind else 0
    places: Sequence[int] = range(first, clause.verb_at + len(clause.verb) + 1)
    if not clause.kind:  # `my brother handed in his notice` is of others
        places = [n for n in places if words.small.issuperset(clause.tokens[:n])]
    for phrase, field in words.verb_ends:
        end = next(
            (place + len(phrase) for place in places if clause.tokens[place : place + len(phrase)] == phrase),
            0,
        )
        if 0 < end < len(clause.tokens):
            text, _ = _without_time(clause.text[spans[end][0] :])
            last = next((place for place, _ in _goals(text, field, words)), len(text))
            return _ended(subject[0], field, _value(text[:last], words, stops=True), clause)
    return None


def _gone(clause: Clause, words: Grammar) -> str:
    """Who or what a clause says is no longer there, or does not take place, at its end: `Biscuit died on Sunday`, `the dinner is off`."""
    if not words.gone.may_be_in(clause.tokens):
        return ""
    text, _ = _without_time(clause.text)
    tokens, spans = tokens_of(text), spans_of(text)
    end = len(tokens)
    while end and tokens[end - 1] in words.empty:
        end -= 1
    ends = (
        place for place in range(1, end) if words.gone.at(tokens, place) in (end - place, len(tokens) - place)
    )
    place = next(ends, 0)
    while place > 1 and (tokens[place - 1] in words.auxiliaries or tokens[place - 1] in words.adverbs):
        place -= 1
    # `Dr Petersen hat die Praxis zugemacht`
    place = next((n for n in range(1, place) if tokens[n] in words.auxiliaries), place)
    if not place or words.not_now.within(tokens):
        return ""
    name = _value(text[: spans[place][0]], words)
    return name[: ending.start()] if (ending := _POSSESSIVE.search(name)) else name  # `Helen's retiring`


def _allowed(clause: Clause, words: Grammar) -> str:
    """What a clause says the assistant may do again, or from now on: `emojis are ok again`, `you can use emojis again`."""
    tokens, end, signs = clause.typed, len(clause.typed), set[str]()
    verb = words.permissions.at(tokens)
    if not (verb or words.allowances.within(tokens)):  # asked of every clause
        return ""
    while end > 1 and (sign := _sign_before(tokens, end, words)):
        signs.add(sign[0])
        end -= sign[1]
    if clause.kind == "be" and {"allowances"} < signs:
        return " ".join(clause.subject)
    return " ".join(tokens[verb:end]) if signs and 0 < verb < end else ""


def _sign_before(tokens: Sequence[str], end: int, words: Grammar) -> tuple[str, int] | None:
    """What ends at a place, and of how many tokens it is: what is allowed, that it is so again, or from now on."""
    names = ("returns", "lasting", "allowances")
    signs = ((name, getattr(words, name).ending_at(tokens, end)) for name in names)
    return next(((name, size) for name, size in signs if 0 < size < end), None)


def _goals(text: str, field: str, words: Grammar) -> Iterator[tuple[int, str]]:
    """Where words stand that lead to a new value of a field, and what begins behind them with a capital."""
    tokens, spans = tokens_of(text), spans_of(text)
    for place in range(1, len(tokens)):
        named = min(place + (tokens[place] in words.determiners), len(tokens) - 1)  # `for a Leaf`
        for phrase, of in words.verb_goals if text[spans[named][0]].isupper() else ():
            first = place - len(phrase)
            if of == field and first >= 0 and tuple(tokens[first:place]) == phrase:
                first -= first > 0 and tokens[first - 1] in words.coordinators
                yield spans[first][0], text[spans[place][0] :]


def succeeds(ended: Assertion, clause: Clause, words: Grammar) -> Assertion | None:
    """What holds instead of a value that ends in the same sentence: `Pieter left Shell and is at Fugro now`, `left Shell for Fugro`."""
    goals = _goals(_without_time(clause.text)[0], ended.field, words) if ended.field != ANY_FIELD else ()
    for _, behind in goals:
        value = "" if behind.startswith(ended.value) else _value(behind, words, stops=True)
        if value:
            return Assertion(ended.entity, ended.field, value, "verb", clause.text, replaces=ended.value)
    return None


def _ended(entity: str, field: str, value: str, clause: Clause) -> Assertion | None:
    return Assertion(entity, field, value, "end", clause.text) if value else None


def _way(tokens: Sequence[str], words: Grammar) -> tuple[int, int]:
    """Where the words for where something was and for where it goes begin, `from Berlin to Lisbon`; 0 and 0 where either is not told."""
    source = next((place for place, _ in words.source_prepositions.places(tokens) if place), len(tokens))
    goal = next(
        (place for place in range(source + 2, len(tokens) - 1) if tokens[place] in words.goal_prepositions), 0
    )
    return (source, goal) if goal else (0, 0)


def _parted(clause: Clause, place: int, words: Grammar) -> Assertion | None:
    """Who is a couple no more, by the place of what says so: `Anna and I broke up`, `I broke up with Anna`, `Susan and Mark have split up`."""
    typed = [clause.text[a:b] for a, b in spans_of(clause.text)]
    name_places = [
        n for n, word in enumerate(typed) if word[:1].isupper() and word.lower() not in words.small
    ]
    before = [typed[n] for n in name_places if n < place]
    if words.first_person.has_any(clause.tokens[:place]):
        pair = ["", *before, *(typed[n] for n in name_places if n > place)]
    else:
        pair = before if len(before) > 1 else [typed[n] for n in name_places]  # `Julia divorced Mark`
    return _ended(pair[0], COUPLE[0], pair[1], clause) if len(pair) == 2 else None


def signs_of_change(tokens: Sequence[str], words: Grammar) -> bool:
    """True where words say that something is no longer as it was: `now`, `instead`, or that somebody left, sold or moved something."""
    return words.changes.within(tokens) or words.ending_verbs.within(tokens)


def _no_longer(
    clause: Clause, words: Grammar, names: Names, subject: tuple[str, str], place: int
) -> Assertion | None:
    """What a clause says without the words at a place, which deny that it is so any more."""
    spans = spans_of(clause.text)
    last = place + words.ended.at(clause.tokens, place) - 1
    text = f"{clause.text[: spans[place][0]]}{clause.text[spans[last][1] :].lstrip()}"
    plain = first_clause(text, words, clause)
    plain_subject = names.subject(plain, words, "")
    whose = subject if plain_subject[1] == "other" else plain_subject
    return _by_verb(plain, words, names, whose) or _be_no_longer(plain, words, whose)


def _over_by_verb(clause: Clause, words: Grammar) -> Clause:
    """The clause in which its verb holds no longer, where that is said of its noun: `ich mag Tee nicht mehr` for `ich mag keinen Tee mehr`."""
    tokens = clause.tokens
    place = words.negative_determiners.find(tokens)
    if place < 0 or not tokens[place + 1 : -1]:  # as most
        return clause
    sign = next((sign for sign in words.ended.entries() if sign.split()[1:] == [*tokens[-1:]]), "")
    if not sign or sign.startswith(tokens[place]):
        return clause
    spans = spans_of(clause.text)
    text = f"{clause.text[: spans[place][0]]}{clause.text[spans[place + 1][0] : spans[-1][0]]}{sign}"
    return first_clause(text, words, clause)


def without_contrast(clause: Clause, words: Grammar) -> Clause:
    """The clause without the other value that it denies behind its own: `we use Postgres not MySQL`, `the port is 8080 instead of 80`."""
    first, _ = _other_value(clause, words)
    return first_clause(clause.text[:first], words, clause) if first else clause


def _other_value(clause: Clause, words: Grammar) -> tuple[int, int]:
    """Where the words begin that deny another value behind the clause's own, and that value; 0 and 0 without one."""
    tokens, spans = clause.tokens, spans_of(clause.text)
    is_beside = clause.verb and words.not_the_other.may_be_in(tokens)
    for place in range(clause.verb_at + len(clause.verb) + 1, len(tokens) - 1) if is_beside else ():
        behind = place + words.not_the_other.at(tokens, place)
        value_tokens = tokens[behind : behind + _FIELD_WORDS + 1]
        is_value = (
            place < behind
            and 0 < len(value_tokens) <= _FIELD_WORDS
            and tokens[place - 1] not in words.unfinished
        )
        if is_value and not any(token in words.small or token in words.adverbs for token in value_tokens):
            return spans[place][0], spans[behind][0]
    return 0, 0


def _affirmed(clause: Clause, words: Grammar) -> Clause | None:
    """The clause without the one word that denies its verb: `Wren's not allergic to kiwi`, `he doesn't eat meat`; None where none does."""
    tokens, spans = clause.tokens, spans_of(clause.text)
    denying = [place for place, _ in words.negations.places(tokens)]
    if len(denying) != 1 or words.limits.at(tokens, denying[0] + 1):
        return None  # `not only`
    place = denying[0]
    verb = tokens[place].removesuffix("n't")
    stays = verb if verb in words.be_verbs and verb != tokens[place] else ""  # `isn't`, but not `doesn't`
    text = f"{clause.text[: spans[place][0]]}{stays}{clause.text[spans[place][1] :].removeprefix(' ' * (not stays))}"
    return next(iter(clauses(text, words)), None)


def _be_no_longer(clause: Clause, words: Grammar, subject: tuple[str, str]) -> Assertion | None:
    """`I'm no longer at Shell`: whatever field holds it."""
    tokens, spans = tokens_of(clause.rest), spans_of(clause.rest)
    place = next((place for place, token in enumerate(tokens) if token not in words.prepositions), -1)
    if clause.kind != "be" or subject[1] not in ("own", "named") or place < 0:
        return None
    return _ended(
        subject[0], ANY_FIELD, _value(typed_from(clause.rest, spans, place), words, stops=True), clause
    )


def field_noun(clause: Clause, words: Grammar, names: Names) -> str:
    """The words of a clause that name a field or a role, of which the next may tell the value: `my number changed`, `we have a dog`; empty where none do."""
    spans = spans_of(clause.text)
    noun = _noun_had(clause, words) if clause.kind == "have" else ()
    is_new = words.renewals.has_any(clause.tokens) and _is_field(noun, words)
    if noun and (is_new or words.roles.at(noun) == len(noun)):
        return clause.text
    change = words.changes.find(clause.tokens)
    size = len(clause.subject) or max(change, 0)
    places = [(0, size)] if clause.tokens[:size] == (clause.subject or clause.tokens[:size]) else []
    for start, end in [*places, *had_wrong(clause, words)]:
        typed = [clause.text[slice(*span)] for span in spans[start:end]]
        owner = _owner_and_noun(clause.tokens[start:end], typed, words, names) if typed else None
        if owner and _is_field(tokens_of(owner.noun), words):
            return clause.text[spans[start][0] : spans[end - 1][1]]
    return ""


_YOURS = frozenset(lists.words("pronouns.yourself"))


def field_asked(question: str, words: Grammar, names: Names) -> str:
    """The words that name the field that a question asks for, that of the one who is asked as the speaker's own: `Ana's number`, `my number`, of `what's your number?`; empty where none do."""
    tokens, spans = tokens_of(question), spans_of(question)
    own = min((word for word in words.possessives_own.entries() if " " not in word), default="")
    frame = (words.question_words, words.be_verbs, words.fillers, words.politeness)
    # not `for your sister Ana?`
    asks = words.question_words.has_any(tokens) and not words.past_be.has_any(tokens)
    ends = [n for n, token in enumerate(tokens) if any(token in each for each in frame)]
    runs = _runs_beside(tokens, ends, words) if asks else []
    if len(runs) != 1:  # `what was it then`, `what would you like`
        return ""
    [(first, end)] = runs
    start = first + (tokens[first] in words.articles and words.second_person.has_any(tokens[first + 1 : end]))
    is_yours = tokens[start] in words.determiners and (
        tokens[start] in words.second_person or tokens[start] in _YOURS
    )
    typed = [question[slice(*span)] for span in spans[start:end]]
    typed = [own, *typed[1:]] if is_yours else typed
    owner = _owner_and_noun(tokens_of(" ".join(typed)), typed, words, names)
    # `what's the doctor's name?` may be asked of anybody's, `your new address` holds later
    is_clear = tokens[start] not in words.articles and words.renewals.isdisjoint(tokens[start:end])
    if owner is None or owner.how != "noun" or not (is_clear and _is_field(tokens_of(owner.noun), words)):
        return ""
    entry = noun_of(owner.noun)  # a sum is asked for what is at hand: `what's your budget?`
    return "" if entry and entry.kind == "amount" else " ".join(typed)


def _runs_beside(tokens: Sequence[str], ends: Sequence[int], words: Grammar) -> list[tuple[int, int]]:
    """The runs of tokens between some places, without the preposition that leads to one."""
    runs = pairwise((-1, *ends, len(tokens)))
    starts = (
        (start + 1 + words.prepositions.has_any(tokens[start + 1 : end][:1]), end) for start, end in runs
    )
    return [(start, end) for start, end in starts if start < end]


def had_wrong(clause: Clause, words: Grammar) -> list[tuple[int, int]]:
    """Where the words stand of which a clause says that the speaker, or the one spoken to, had them wrong: `I had Ana's birthday wrong`, `ich habe mich bei Anas Nummer vertan`; none where it says so of nothing, or of another."""
    tokens, who = clause.tokens, clause.subject or clause.tokens
    place = words.errors.find(tokens)
    by_talker = words.first_person.has_any(who) or words.second_person.has_any(clause.subject)
    if place < 0 or not by_talker or words.negations.has_any(tokens):
        return []
    wrong = range(place, place + words.errors.at(tokens, place))
    frame = (words.first_person, words.second_person, words.auxiliaries, words.reporting_verbs)
    ends = [n for n, token in enumerate(tokens) if n in wrong or any(token in each for each in frame)]
    return _runs_beside(tokens, ends, words)


def admits_error(text: str, whom: str) -> bool:
    """True for words that say what was wrong of somebody, named by their name, or empty for the speaker: `I had Ana's birthday wrong, it's 14 May`."""
    words = grammar_of(text)
    if not words.errors.may_be_in(tokens_of(text)):
        return False
    runs = [
        clause.tokens[start:end] for clause in clauses(text, words) for start, end in had_wrong(clause, words)
    ]
    if not whom:
        return any(words.possessives_own.has_any(run) for run in runs)
    return any(token.startswith(tokens_of(whom)[:1]) for run in runs for token in run)


def value_of_it(clause: Clause, words: Grammar) -> str:
    """What a clause says that `it` is, or is called: `it's 0161 496 0000`, `er heißt Bruno`; empty where it says so of nothing."""
    tokens, spans = clause.tokens, spans_of(clause.text)
    lead = words.changes.at(tokens)
    if lead and tokens[lead : lead + 1] and tokens[lead] in words.be_verbs:  # `ahora es el 698 765 432`
        return clause.text[spans[lead][1] :] if HARD.search(clause.text) else ""
    if words.contrasts.at(tokens) and HARD.search(clause.text) and not clause.kind:  # `…, sondern 42`
        return clause.text[spans[words.contrasts.at(tokens)][0] :] if len(tokens) > 1 else ""
    if words.introductions.at(tokens) and words.naming_words.within(
        tokens[: words.introductions.skip(tokens)]
    ):
        return clause.text
    if not tokens or tokens[0] not in words.thing_pronouns:
        return ""
    place = 1 if tokens[0] in words.contracted_subjects or tokens[0] in words.be_verbs else 2  # `è 42`
    if (
        place >= len(tokens)
        or (place == 2 and tokens[1] not in words.be_verbs)
        or tokens[place - 1] in words.past_be
    ):
        return ""
    value = clause.text[spans[place][0] :]
    is_day = words.calendar_words.has_any(tokens[place:]) or words.weekdays.has_any(tokens[place:])
    is_name = value[:1].isupper() and not (words.noun_capitals or is_day)  # `it's Dr Kimura`
    return value if is_name or HARD.search(value) else ""


def switched(clause: Clause, words: Grammar) -> str:
    """The role or field of which a clause says that somebody changed it: `I changed therapists`, `ich hab den Zahnarzt gewechselt`; empty where it says so of none."""
    place = words.switching_verbs.find(clause.tokens)
    if place < 0 or (place and not clause.subject):  # `switched dentists, it's Dr Novak now`
        return ""
    verb = range(place, place + words.switching_verbs.at(clause.tokens, place))
    behind = range(len(clause.subject), len(clause.tokens))
    tokens = [clause.tokens[n] for n in behind if n not in verb]
    noun = " ".join(token for token in tokens if token not in words.frame_words)
    forms = (form for form in (noun.removesuffix("s"), noun) if form)
    return next((form for form in forms if form in words.roles or _is_field([form], words)), "")


def successor_in(clause: Clause, about: str, noun: str, words: Grammar) -> Assertion | None:
    """Who or what it is since somebody changed it, in the clause behind: `I see Dr Osei now`, `it's on 20 September now`."""
    spans, tokens = spans_of(clause.text), clause.tokens
    typed = [clause.text[start:end] for start, end in spans]
    firm_places = (
        place for place in range(1, len(tokens)) if typed[place][0].isupper() or typed[place][0].isdigit()
    )
    place = next(firm_places, len(tokens))
    is_now = words.changes.at(tokens) and words.be_verbs.has_any(tokens[:place])  # `ora è 347`
    least = 1 + (tokens[0] not in words.contracted_subjects)  # `I'm A negative`
    if not (tokens[0] in words.personal or is_now) or not least <= place < min(len(tokens), 1 + _FIELD_WORDS):
        return None
    value = _value(clause.text[spans[place][0] :], words, stops=True)
    role, field = "role" if noun in words.roles else "noun", _field(noun)
    field = "works at" if field == "job" else field  # `I switched jobs, I'm at Fugro`
    if role == "role" and words.calendar_words.within(tokens_of(value)):
        return None  # `switched therapists, it's Monday now`
    return Assertion(about, field, value, role, f"{noun} {value}") if value else None


def _holds(clause: Clause, words: Grammar) -> bool:
    """False for what is denied, wished, or held once: `i'm not allergic`, `i want to live there`, `my rent was 900`."""
    past = clause.kind == "be" or " ".join(clause.verb).endswith("ing")  # `was living`
    past = past and words.past_be.within(clause.verb)
    past = past and not words.change_verbs.at(tokens_of(clause.rest))  # `was cut to 32k` holds
    past = past and not any(
        words.past_be.within(phrase) and has_phrase(clause.tokens, phrase) for phrase, _ in words.verb_fields
    )
    if past or clause.kind == "wish" or words.former.within(clause.tokens):
        return False
    place = 0 if words.negations.may_be_in(clause.tokens) else len(clause.tokens)
    while place < len(clause.tokens):
        size = next(
            (
                len(denial)
                for denial in _denying(words)
                if clause.tokens[place : place + len(denial)] == denial
            ),
            0,
        )
        if not size and words.negations.at(clause.tokens, place):
            return False
        place += max(1, size)
    return True


def has_phrase(tokens: Sequence[str], phrase: Sequence[str]) -> bool:
    """True where the words of a phrase stand among the tokens one behind another."""
    return phrase[0] in tokens and any(
        tuple(tokens[place : place + len(phrase)]) == phrase for place in range(len(tokens))
    )


@cache
def _denying(words: Grammar) -> list[tuple[str, ...]]:
    """The verbs that name a field by a denial: `can't stand`."""
    return [phrase for phrase, _ in words.verb_fields if words.negations.within(phrase)]


def _assertion_of(relation: Relation) -> Assertion:
    """Who somebody is, as a fact: the role is a field of the one whose it is, unless it is but what they are."""
    if relation.whose == relation.who:  # `Maria Gomez is our new architect`
        return Assertion(relation.who, "is", relation.role, "verb", f"{relation.who} {relation.role}")
    return Assertion(
        relation.whose, _field(relation.role), relation.who, "role", f"{relation.role} {relation.who}",
        stated=relation.stated,
    )  # fmt: skip


def _field(noun: str) -> str:
    entry = noun_of(noun)
    return entry.field if entry else plain_key(noun).lower()


def _by_noun(clause: Clause, words: Grammar, names: Names) -> Assertion | None:
    """`my rent is 900`, `the deadline of projectX is 2026-04-10`, `Ana's email is …`, `budget: 14k`."""
    if clause.kind != "be" or not clause.subject or not clause.rest:
        return None
    place = clause.tokens.index(clause.subject[0])
    size = len(clause.subject) - words.thing_pronouns.has_any(clause.subject[1:][-1:])  # `mon numéro c'est`
    typed = [clause.text[a:b] for a, b in spans_of(clause.text)[place : place + size]]
    owner = _owner_and_noun(clause.subject[:size], typed, words, names)
    if owner is None:
        return None
    timeless, when = _without_time(clause.rest, since=True)
    value = _value(timeless, words)
    if not value or clause.subject[-1] in words.reflexives:
        return None  # nor has `mes parents se sont installés à Vannes` a value
    noun = tokens_of(owner.noun)
    if words.noun_capitals and words.roles.at(noun) == len(noun) and not names.in_text(value):
        return None  # `die Frau von Jens ist Anwältin`
    is_field, explicit = _is_field(noun, words), owner.how == "noun"
    # of a favourite colour, `blue` is no mood
    is_named = is_preference(_field(owner.noun)) or _names_a_thing(value, words)
    if not (is_field or explicit) or not (
        _is_firm(value, words, names) or (is_field and explicit and is_named)
    ):
        return None
    return _assertion(owner, value)._replace(when=when)


def _is_firm(value: str, words: Grammar, names: Names) -> bool:
    """True for a number, an address, a name that is known, or what begins with a capital behind its article: `the Old Customs House`."""
    pieces = [piece for piece in value.split() if piece.lower() not in words.definite_words]
    return bool(
        HARD.search(value)
        or _EMAIL.fullmatch(value)
        or names.in_text(value)
        or (pieces and pieces[0][0].isupper())
    )


def _assertion(owner: _Owned, value: str) -> Assertion:
    field = _field(owner.noun)
    if _EMAIL.fullmatch(value) and field.endswith(_ADDRESS):  # `my work address`
        owner = owner._replace(noun=f"{field.removesuffix(_ADDRESS)}email")
    return Assertion(owner.entity, _field(owner.noun), value, owner.how, f"{owner.noun} {value}")


def _is_field(tokens: Sequence[str], words: Grammar) -> bool:
    """True for words that name a field by themselves."""
    return noun_of(" ".join(tokens)) is not None or words.things.at(tokens[-1:]) > 0


def _by_mark(clause: Clause, words: Grammar, names: Names, behind: str) -> Assertion | None:
    """`deadline for Atlas: 12 May`, `Ana has a new number, 0161 496 0000`, `he cambiado de número: 600 333 444`: the value stands behind a mark."""
    finds = words.finding_verbs.within(clause.verb) and words.renewals.has_any(clause.tokens)
    has = clause.kind == "have" or finds
    clause, behind = _named_within(clause, behind, words)
    mark = behind.lstrip()[:1]
    changed = "" if has else _noun_changed(clause.tokens, words)
    if not (mark == ":" or (has and mark == ",")) or not (has or changed or not clause.kind):
        return None
    text = clause.text
    if has:
        noun = _noun_had(clause, words)
        entity, subject = names.subject(clause, words, "")
        is_news = subject == "none" and words.renewals.has_any(clause.tokens)  # `got a new dentist, Dr Kim`
        if not noun or not (is_news or _is_of_itself(clause, words, names, (entity, subject))):
            return None
        if words.roles.at(noun) == len(noun):
            return _new_holder(entity, " ".join(noun), behind.lstrip()[1:].strip(), words)
        if not _is_field(noun, words):
            return None
        owner: _Owned | None = _Owned(entity, " ".join(noun), "noun")
    elif changed:
        owner = _owner_of_changed(clause, changed, words, names)
    else:
        owner = _owner_and_noun(clause.tokens, [text[a:b] for a, b in spans_of(text)], words, names)
    if owner is None or not _is_field(tokens_of(owner.noun), words):
        return None
    value = _value(_MARK.split(behind.lstrip()[1:].strip(), maxsplit=1)[0], words)
    if words.naming_words.at([owner.noun]) and words.roles.at(tokens_of(owner.entity)):
        return _new_holder("", owner.entity, value, words)  # `my dentist's name changed, it's Dr Kimura`
    is_whole = _is_firm(value, words, names) and len(value.split()) <= _THING_WORDS
    if not is_whole or _is_other_thing(value, owner.noun, words, changed=bool(changed)):
        return None
    return _assertion(owner, value)


def _is_other_thing(value: str, noun: str, words: Grammar, *, changed: bool) -> bool:
    """True for a value that a field cannot have: `a new phone, two days old`, `moved my dentist: Friday at 9`."""
    entry = noun_of(noun)
    if entry is None or (entry.kind == "date" and date_value(value, f"{_ANY_DAY}")):
        return False
    is_time = any(map(str.isdigit, value)) or words.date_words.within(tokens_of(value))
    return bool(misfit(value, entry.kind)) or (changed and entry.kind in ("name", "person") and is_time)


def _noun_had(clause: Clause, words: Grammar) -> list[str]:
    """What a clause says that somebody has, without its articles and that it is new."""
    tokens = tokens_of(clause.rest)
    place = next((n for n, token in enumerate(tokens) if token not in words.determiners), 0)
    return [token for token in tokens[place:] if token not in words.renewals]


def _owner_of_changed(clause: Clause, noun: str, words: Grammar, names: Names) -> _Owned | None:
    """Whose field a clause says was changed: the speaker's own, also where `I` is left out, or that of somebody known by name."""
    entity, subject = names.subject(clause, words, "")
    is_elided = words.switching_verbs.at(clause.tokens) > 0 or _is_bare_news(clause.tokens, words)
    is_own = subject == "own" or (subject == "none" and is_elided)
    return _Owned(entity, noun, "noun") if is_own or (subject == "named" and entity) else None


def _noun_changed(tokens: Sequence[str], words: Grammar) -> str:
    """The noun of the field that a clause ends with and says was changed: `número` of `he cambiado de número`; empty without one."""
    if not signs_of_change(tokens, words):
        return ""
    verb = words.switching_verbs
    end = len(tokens) - verb.ending_at(tokens, len(tokens))
    for size in (2, 1):
        noun, before = tokens[max(end - size, 0) : end], tokens[end - size - 1 : end - size]
        is_whole = not before or before[0] in words.determiners or words.prepositions.has_any(before)
        is_whole = (
            is_whole
            or verb.within(before)
            or before[0] in words.renewals
            or words.possessives_own.has_any(before)
        )
        if len(noun) == size and noun_of(" ".join(noun)) and is_whole:
            return " ".join(noun)
    return ""


def _named_within(clause: Clause, behind: str, words: Grammar) -> tuple[Clause, str]:
    """The clause up to a word of naming, with the name behind a comma, `we have a new dog called Pepper`; else as it is."""
    place = words.naming_words.find(clause.tokens) if clause.kind == "have" else -1
    # `une chatte qui s'appelle Minka`
    place -= place > 0 and clause.tokens[place - 1] in words.relative_words
    if place <= 0:
        return clause, behind
    start = spans_of(clause.text)[place][0]
    return first_clause(clause.text[:start], words, clause), f", {clause.text[start:]}"


def _new_holder(about: str, role: str, text: str, words: Grammar) -> Assertion | None:
    """Who has a role of somebody's now, from the words behind it: `we have a new vet, Dr. Okoro`, `…, her name is Ilse`."""
    text = typed_from(text, spans_of(text), words.introductions.skip(tokens_of(text)))
    titled = words.honorifics.at(tokens_of(text))
    who = plain_value(_MARK.split(text.replace(".", "", 1) if titled else text, maxsplit=1)[0])
    is_name = who[:1].isupper() and len(who.split()) <= _THING_WORDS
    return Assertion(about, _field(role), who, "role", f"{role} {who}") if is_name else None


def _beside_own_thing(clause: Clause, words: Grammar, names: Names, behind: str) -> Assertion | None:
    """`use my docker username: nlund`, `a logo for my company, "Lund & Sons"`: what it is called stands behind a mark, whatever else is said."""
    tokens, mark = clause.tokens, behind.lstrip()[:1]
    possessive = max(
        (place for place, token in enumerate(tokens) if token in words.possessives_own), default=-1
    )
    noun = tokens[possessive + 1 :]
    if (
        possessive < 0
        or mark not in (":", ",")
        or not 0 < len(noun) <= _FIELD_WORDS
        or not (_is_field(noun, words) or noun_of(noun[-1]))
    ):
        return None
    typed = _MARK.split(behind.lstrip()[1:].strip(), maxsplit=1)[0].strip()
    quoted = _QUOTED.fullmatch(typed) is not None
    value = _value(typed, words)
    if (
        not value
        or words.roles.at(noun[-1:])
        or any(map(_POSSESSIVE.search, noun))  # `my sister's number` is hers
        or not (quoted or (mark == ":" and _names_a_thing(value, words)) or names.whole(value))
    ):
        return None
    return _assertion(_Owned("", " ".join(noun), "noun"), value)


class _Owned(NamedTuple):
    """A field by its words, whose it is, and how that is told: noun (outright), bare or hers."""

    entity: str
    noun: str
    how: str


def _owner_and_noun(
    tokens: Sequence[str], typed: Sequence[str], words: Grammar, names: Names
) -> _Owned | None:
    """Whose field some words name; what is of the one spoken to is nobody's."""
    if _names_itself(tokens, words) or tokens[-1] in words.relative_words:
        return None
    lead = words.hedges.at(tokens) % len(tokens)  # `maybe the rent is 900`
    # `il suo numero`
    lead += tokens[lead] in words.articles and words.whose.has_any(tokens[lead + 1 : lead + 2])
    end = len(tokens) - (len(tokens) > lead + 2 and tokens[-1] in words.people_pronouns)  # `o número dela`
    is_own = tokens[lead] in words.possessives_own
    is_hers = end < len(tokens) or tokens[lead] in words.people_pronouns
    manner = "noun" if is_own else "hers" if is_hers else "bare"
    tokens, typed = tokens[lead:end], typed[lead:end]
    start = int(tokens[0] in words.noun_openers)
    # The field of `my new laptop` is `laptop`.
    start += start + 1 < len(tokens) and tokens[start] in words.renewals and typed[start].islower()
    last = len(tokens) - (len(tokens) > start + 1 and tokens[-1] in words.renewals)  # `mi correo nuevo`
    tokens, typed = tokens[start:last], typed[start:last]
    if not tokens or len(tokens) > _FIELD_WORDS + 3:
        return None
    for place in range(len(tokens) - 1 if noun_of(" ".join(tokens)) is None else 0):
        # `nuestro proveedor de internet`
        is_compound = is_own and words.verb_leads and typed[-1].islower() and not names.in_text(typed[-1])
        if place and tokens[place] in words.owner_prepositions and not is_compound:
            return _owner_behind(tokens, typed, place, words, names)
        owner = _owner_word(tokens[place], typed[place], names)
        if not (owner or is_own) and (not place or tokens[place - 1] in words.honorifics):
            owner = _genitive(tokens[place:], typed[place], words)
        if owner:
            name = _entity(" ".join((*typed[:place], owner)), names)
            noun = tokens[place + 1 :]
            return _Owned(name, " ".join(noun), "noun") if name and len(noun) <= _FIELD_WORDS else None
    if owned := _field_of_relative(tokens, words) or _field_and_name(tokens, typed, words, names):
        return owned
    first = names.in_text(typed[0])
    if first and len(tokens) > 1:
        return _Owned(first[0], " ".join(tokens[1:]), "bare")
    if (
        len(tokens) > _FIELD_WORDS
        or any(names.is_name(token) for token in tokens)
        or (words.roles.at(tokens[-1:]) and not (manner == "bare" and _is_office(tokens)))
    ):
        return None
    return _Owned("", " ".join(tokens), manner)


def _genitive(tokens: Sequence[str], typed: str, words: Grammar) -> str:
    """Whose field the words name that begin with a name with its ending, where nouns have capitals: `Anas Nummer`, not `Autos`; else empty."""
    is_name = words.noun_capitals and typed[0].isupper() and tokens[0][:-1] not in words.common_nouns
    return typed[:-1] if is_name and has_genitive(tokens[0]) and noun_of(" ".join(tokens[1:])) else ""


def _is_office(tokens: Sequence[str]) -> bool:
    """True for a role that passes from one to another, `landlord`; not for kin."""
    noun = noun_of(" ".join(tokens))
    return noun is not None and noun.kind == "name"


def _field_of_relative(tokens: Sequence[str], words: Grammar) -> _Owned | None:
    """`die Nummer meiner Mutter`: one of the speaker's behind a field, without a word between."""
    own = next((n for n in range(1, len(tokens)) if tokens[n] in words.possessives_own), len(tokens))
    role = tokens[own + 1 :]
    is_field = words.roles.at(role) == len(role) > 0 and tokens[0] not in words.naming_words
    return _Owned(role_itself(role, words), " ".join(tokens[:own]), "noun") if is_field else None


def _field_and_name(
    tokens: Sequence[str], typed: Sequence[str], words: Grammar, names: Names
) -> _Owned | None:
    """`our contact at Nordmole`, `deadline Atlas`: a name behind a field that is known; before it, a title is none: `Frau Adler`."""
    for place in range(1, 0 if words.honorifics.at(tokens) else len(tokens)):
        start = place + (tokens[place] in words.prepositions)
        if tokens[place] not in words.owner_prepositions and tokens[place] in words.ways:
            continue  # `flight to Lisbon`
        if _is_field(tokens[:place], words) and (name := names.whole(" ".join(typed[start:]))):
            return _Owned(name, " ".join(tokens[:place]), "noun")
    return None


def _names_itself(tokens: Sequence[str], words: Grammar) -> bool:
    """True for a subject that is a pronoun, or is of the one spoken to: `i`, `that`, `it's`, `your flat`; not `that flat`."""
    return (
        tokens[0] in words.addressed
        or (tokens[0] in words.first_person and tokens[0] not in words.possessives_own)
        or (tokens[0] in words.pronouns and not (tokens[0] in words.determiners and len(tokens) > 1))
    )


def _owner_behind(
    tokens: Sequence[str], typed: Sequence[str], place: int, words: Grammar, names: Names
) -> _Owned | None:
    """`the deadline of projectX`, `das Budget des Umbaus`: the owner stands behind a preposition; `the price of a ticket` has none."""
    article = tokens[place] in words.determiners
    start = place + 1
    if tokens[start] in words.pronouns or (
        tokens[start] in words.determiners and tokens[start] not in words.definite_words
    ):
        return None
    if tokens[start] in words.noun_openers:
        start, article = start + 1, True
    behind = " ".join(typed[start:])
    if article and words.noun_capitals.entries() and not names.in_text(behind):
        return None  # where every noun has a capital, it is no name
    name = _entity(behind, names)
    return _Owned(name, " ".join(tokens[:place]), "noun") if name and place <= _FIELD_WORDS else None


def _owner_word(token: str, typed: str, names: Names) -> str:
    """A word without its possessive ending; empty where it has none."""
    if ending := _POSSESSIVE.search(typed):
        return typed[: ending.start()]
    return typed[:-1] if names.is_name(token) and not names.is_name_itself(token) else ""


def _entity(typed: str, names: Names) -> str:
    """The entity that some words name outright: known, written as a name, or a word of its own as `nginx`."""
    entities = names.in_text(typed)
    if entities and len(typed.split()) <= 3:
        return entities[0]
    pieces = typed.split()
    is_single = len(pieces) == 1 and len(typed) > 2
    is_name = len(pieces) <= 4 and all(
        piece[0].isupper() or piece[0].isdigit() or (place and piece in PARTICLES)
        for place, piece in enumerate(pieces)
    )
    return plain_key(typed) if is_single or is_name else ""


def _by_change(clause: Clause, words: Grammar, names: Names) -> Assertion | None:
    """`the deadline moved to 12 May`, `rent went up to 900`, `we pushed the launch to June 3`."""
    tokens, spans = clause.tokens, spans_of(clause.text)
    verb = clause.verb_at
    change = verb + words.change_verbs.find(tokens[verb:])
    goal = next(
        (place for place in range(verb, len(tokens) - 1) if tokens[place] in words.goal_prepositions), -1
    )
    if change < verb or goal < 0:
        return None
    behind = range(verb + len(clause.verb), goal)
    last = next((place for place in reversed(behind) if tokens[place] in words.things), -1)
    noun_at = range(behind.start, last + 1) if last >= 0 else range(max(0, verb - len(clause.subject)), verb)
    typed = [clause.text[slice(*spans[place])] for place in noun_at]
    end = spans[change][0] if change > goal else len(clause.text)
    value = _value(clause.text[spans[goal][1] : end], words)
    label, _, figure = value.partition(" ")
    if typed and HARD.search(figure) and (noun_of(label) or label.lower() in words.things):
        entity = _entity(" ".join(typed), names)  # `staging moved to port 5545`
        return _assertion(_Owned(entity, label.lower(), "noun"), figure) if entity else None
    owner = _owner_and_noun(tokens[noun_at.start : noun_at.stop], typed, words, names) if typed else None
    if owner is None or not (HARD.search(value) or words.weekdays.within(tokens_of(value))):
        return None
    # Any noun may name what is known already: `my yoga class moved to Thursdays`.
    return _assertion(owner if _is_field(tokens_of(owner.noun), words) else owner._replace(how="bare"), value)


def _is_of_itself(clause: Clause, words: Grammar, names: Names, whose: tuple[str, str]) -> bool:
    """True where the speaker or a name is the subject, not what is theirs: `Ana's sister`, `the Atlas call`."""
    entity, subject = whose
    if subject != "named" and entity in names.people:
        return True  # `my brother`
    if subject == "own" and clause.subject and clause.subject[0] in words.possessives_own:
        return clause.subject[-1] in words.first_person  # `my wife and I`, not `my yoga class`
    if subject != "named" or not clause.subject or clause.subject[0] in words.people_pronouns:
        return subject in ("own", "named")
    # `Maya se mudó`
    last = next(token for token in reversed(clause.subject) if token not in words.verb_leads)
    return tokens_of(entity)[-1] == plain(last) or names.named(last) == entity


def _by_verb(clause: Clause, words: Grammar, names: Names, whose: tuple[str, str]) -> Assertion | None:
    """`i live in Leeds`, `Romy is allergic to nuts`: verbs that have a field of their own."""
    entity, _ = whose
    if not _is_of_itself(clause, words, names, whose) or clause.tokens[0] in words.question_words:
        return None  # `when i use vim`
    first = clause.verb_at
    timeless, when = _without_time(clause.text)
    moved = _without_source(timeless, words)
    changed = _without_signs(timeless, words)
    # `i live since May in Leeds`; `i live in May Street`; `i moved from Kiel to Leeds last week`; `ich bin nach Bonn gezogen`
    for text in dict.fromkeys((timeless, clause.text, moved, _verb_first(moved, words), changed)):
        tokens, spans = tokens_of(text), spans_of(text)
        start = spans_of(clause.text)[first][0] if first < len(clause.tokens) else len(text)
        verb_place = next((n for n, (begin, _) in enumerate(spans) if begin >= start), len(tokens))
        for place in range(verb_place, min(len(tokens), verb_place + len(clause.verb) + 2)):
            for phrase, field in words.fields_by_first.get(tokens[place], ()):
                end = place + len(phrase)
                noun = place and tokens[place - 1] in words.noun_leads  # `my own life`
                if noun or tuple(tokens[place:end]) != phrase or _is_over(tokens, place, end, words):
                    continue
                end += field in PLACED and _is_before_name(
                    text, spans[end : end + _FIELD_WORDS], field, words
                )
                value = _value(text[spans[end][0] :], words, stops=True) if end < len(spans) else ""
                is_visit = field in _OF_FIRMS and _is_visit(
                    value, phrase, tokens[place + len(phrase) :], words
                )
                if is_visit or not _is_of_kind(value, field, phrase, words):
                    continue
                if value and _names_a_thing(value, words):
                    if field == _BIRTHPLACE and not any(map(str.isalpha, find_ranges(value, _ANY_DAY)[1])):
                        field = _BIRTHDAY  # noqa: PLW2901 - `born in 1979`
                    is_act = field == "from" and words.verb_leads and value.islower()  # `je viens de manger`
                    if is_act or (field in PLACED and _is_no_place(value, field, clause, entity, words)):
                        return None
                    return Assertion(
                        entity, field, value, "verb", clause.text, "" if text is clause.text else when
                    )
                return None
    return None


def _by_turning(clause: Clause, words: Grammar, names: Names, whose: tuple[str, str]) -> Assertion | None:
    """`i turn 40 on 3 May`, `Romy wird am 9. Juli 23`: an age that begins on a day tells the birthday; whom a pronoun means is not sure enough for it: `Tom has a dog. He turns 3 on 2 April`."""
    first = clause.tokens[:1]
    is_meant = words.people_pronouns.has_any(first) and not words.first_person.has_any(first)
    day = "" if is_meant else _day_of_turning(clause, words)
    is_of_itself = day and _is_of_itself(clause, words, names, whose)
    return Assertion(whose[0], _BIRTHDAY, day, "verb", clause.text) if is_of_itself else None


def _day_of_turning(clause: Clause, words: Grammar) -> str:
    """The day of the year on which a clause says that somebody is of an age, and nothing else: `turns 23 on July 9`, `wird am 9. Juli 23`; else empty."""
    tokens = clause.tokens
    subject = clause.subject[:1]
    are_several = words.several_people.has_any(subject) and words.first_person.has_any(subject)
    if are_several or not words.turning_verbs.may_be_in(tokens):
        return ""
    days = [day for day in find_ranges(clause.text, _ANY_DAY)[0] if words.months.has_any(tokens_of(day.text))]
    if len(days) != 1 or days[0].start != days[0].end:
        return ""
    spans, (first, last) = spans_of(clause.text), days[0].span
    others = [n for n, (start, _) in enumerate(spans) if not first <= start < last]
    ages = [n for n in others if tokens[n].isdigit() and 0 < int(tokens[n]) <= _OLDEST]
    if len(ages) != 1 or words.prepositions.ending_at(tokens, ages[0]):
        return ""  # `turns up on 4 March at 7`
    light = words.determiners, words.auxiliaries, words.adverbs, words.prepositions, words.roles
    known = {*ages}.union(
        *(entries.covered(tokens) for entries in (words.turning_verbs, words.of_age, *light))
    )
    # What stands before a verb that no other list knows is its subject: `Lena faz 30 anos`.
    first_verb = 0 if clause.kind else words.turning_verbs.find(tokens)
    if not all(n in known or n < first_verb or tokens[n] in clause.subject for n in others):
        return ""
    of_day = (n for n in range(len(spans)) if n not in others)  # `on July 9`, of which "on" tells none
    named = next(n for n in of_day if tokens[n][0].isdigit() or words.months.has_any(tokens[n : n + 1]))
    return clause.text[spans[named][0] : last]


def _is_visit(value: str, phrase: Sequence[str], behind: Sequence[str], words: Grammar) -> bool:
    """True for somebody at whose place one is, and whom an article names: `je suis chez le coiffeur`, `ik zit bij de kapper`; not `chez les pompiers`, where people work."""
    sits = phrase[0] in words.be_verbs or phrase[-1] in words.articles
    is_bound = phrase[-1] in words.articles or words.articles.has_any(behind[:1])
    if sits and words.honorifics.has_any(tokens_of(value)[:1]):
        return True  # `ich bin jetzt bei Frau Dr. Sommer`
    return sits and is_bound and value.islower() and not words.workplaces.within(tokens_of(value))


def _is_over(tokens: Sequence[str], place: int, end: int, words: Grammar) -> bool:
    """True for a verb that stands in or beside one of ending: `stopped using Jira`, `ben gestopt met Jira te gebruiken`."""
    return words.ending_verbs.at(tokens, end) > 0 or any(
        place < n + words.ending_verbs.at(tokens, n) for n in range(max(0, place - _FIELD_WORDS), place)
    )


def _is_of_kind(value: str, field: str, phrase: Sequence[str], words: Grammar) -> bool:
    """False where what somebody works at is no place, `a novel`, or what they use for everything no program: `lowercase`."""
    tokens = tokens_of(value)
    if not (phrase[-1] in words.indefinite_words or words.all_words.within(phrase)):
        return True
    if field == "works at":
        return any(token.endswith(place) for token in tokens for place in words.workplaces)
    return field != "uses" or _programs().within(tokens)


@cache
def _programs() -> WordList:
    """The names of programs of which somebody has one at a time."""
    rows = (line.partition(": ") for line in lists.lines("consolidation.kinds_in_turn"))
    programs = (names for kinds, _, names in rows if kinds.partition(",")[0] not in _SERVICES)
    return WordList(name for names in programs for name in names.split(", "))


def is_program(value: str) -> bool:
    """True for what is named or written as a program is: `slack`, `GitHub Actions`, `FastAPI`."""
    return _PROGRAM.search(value.partition(" ")[0]) is not None or _programs().at(tokens_of(value)) > 0


def _is_no_place(value: str, field: str, clause: Clause, entity: str, words: Grammar) -> bool:
    """True for a time, for one word in small letters where a name stands with a capital, and for a home that is written as a program is: `I work at night`, `Marek moved to platform`, `we moved to FastAPI`."""
    tokens = tokens_of(value)
    is_named = field == _HOME and value != value.lower()  # March is a town
    if not is_named and all(token.isdigit() or token in words.placeless for token in tokens):
        return True
    if any(map(str.isdigit, value)):  # `moved to 2 November at 16:00`
        timeless = tokens_of(find_ranges(value, _ANY_DAY)[1])
        if all(token[0].isdigit() or token in words.small or token in words.units for token in timeless):
            return True
    # `the Leeds office` is no home
    if field == _HOME and (is_program(value) or words.workplaces.has_any(value.split()[-1:])):
        return True
    return len(tokens) == 1 and entity != "" and entity in clause.text and value.islower()


def _by_value(clause: Clause, words: Grammar, names: Names, whose: tuple[str, str]) -> Assertion | None:
    """`i am a nurse`, `i'm 50 years old`, `i take 5 mg ramipril`: a value that is read whole tells its field."""
    if words.first_person.has_any(clause.verb[:1]):
        whose = "", "own"  # `ich nehme 5 mg Ramipril`
    entity, subject = whose
    takes = words.taking.within(clause.verb)
    is_things = subject != "named" and words.possessives_own.at(clause.subject)  # `my new car is an Enyaq`
    is_under = clause.under or words.subordinators.has_any(clause.subject)  # `veggie since i'm 16`
    if not (clause.kind == "be" or takes) or is_under or is_things:
        return None
    person = subject == "own" or entity in names.people or names.is_known(entity)
    person = person and _is_of_itself(clause, words, names, whose)
    value = _value(clause.rest, words, most=_TOLD_WORDS) if person else ""
    tokens = tokens_of(value)
    if not tokens:
        return None
    if tokens_of(clause.rest)[0] in words.prepositions:
        return None  # `i'm on a loaner`
    if takes:
        dosed = tokens[0] not in words.small and words.medicine.within(tokens)
        return Assertion(entity, "takes", value, "verb", clause.text) if dosed else None
    value, field = _what_somebody_is(value, clause, words)
    return Assertion(entity, field, value, "verb", clause.text) if field else None


def _what_somebody_is(value: str, clause: Clause, words: Grammar) -> tuple[str, str]:
    """The value of a verb of being, and its field: `age`, or `is` for what somebody is for good; the field is empty for what judges or passes."""
    tokens = tokens_of(value)
    years = (
        tokens[0].isdigit()
        and 0 < int(tokens[0]) <= _OLDEST
        and not words.several_people.has_any(clause.subject[:1])
    )
    # `I'm a 43`, of a size
    if years and len(tokens) == 1 and not words.determiners.has_any(tokens_of(clause.rest)):
        return value, "age"
    if years and words.of_age.at(tokens, 1) == len(tokens) - 1 > 0:
        return value, "age"
    article = value.split(maxsplit=1)[0].lower() in words.indefinite_words
    behind = tokens[article:]
    if not behind or behind[0] in words.passing:
        return value, ""
    lasting = (
        article
        or words.roles.at(tokens)
        or words.lasting_states.at(tokens) == len(tokens)
        or is_occupation(value)
    )
    return value, "is" if lasting else ""


def _without_source(text: str, words: Grammar) -> str:
    """The text without the words for where something was: `moved from Berlin to Lisbon`."""
    spans, (source, goal) = spans_of(text), _way(tokens_of(text), words)
    return text[: spans[source][0]] + text[spans[goal][0] :] if source else text


def _without_signs(text: str, words: Grammar) -> str:
    """The text with blanks for single words that are signs of a change: `arbeite jetzt bei Bosch`."""
    adverbs = [
        span for token, span in zip(tokens_of(text), spans_of(text), strict=True)
        if token in words.changes and token in words.adverbs
    ]  # fmt: skip
    return with_blanks(text, adverbs)


def _verb_first(text: str, words: Grammar) -> str:
    """The text with a verb that ends it behind the first one, in a language where one does: `bin gezogen nach Bonn`."""
    tokens, spans = tokens_of(text), spans_of(text)
    place = next((place for place, token in enumerate(tokens) if token in words.helpers), len(tokens))
    relative = words.relative_words - words.articles  # `een kat die Minka heet`
    if not words.final_verbs.entries() or place + 2 >= len(tokens) or not relative.isdisjoint(tokens[place:]):
        return text
    end, last = spans[place][1], spans[-1][0]
    return f"{text[:end]} {text[last:]}{text[end:last].rstrip()}"


def _without_lead(clause: Clause, words: Grammar, names: Names) -> Clause:
    """The clause without the words of time that it begins with: `these days my favourite tea is rooibos`, `as of May rent is 900`."""
    spans = spans_of(clause.text)
    place = words.changes.find(clause.tokens[: clause.verb_at])
    in_subject = place > 0 and clause.kind == "be" and clause.tokens[place] not in words.articles
    if in_subject and not words.ended.at(clause.tokens, place):  # `my favourite tea these days is rooibos`
        start, last = spans[place][0], spans[place + words.changes.at(clause.tokens, place) - 1][1]
        text = f"{clause.text[:start]}{clause.text[last:].lstrip()}"
        return first_clause(text, words, clause)._replace(start=clause.start, end=clause.end)
    length = 0 if words.ended.at(clause.tokens) else words.changes.at(clause.tokens)  # `ya no vivo en Madrid`
    end = spans[length - 1][1] if length else 0
    is_name = names.is_name("".join(clause.tokens[:1]))  # `June's birthday`
    may_lead = not length and clause.kind and not is_name
    lead = leading_range(clause.text, _ANY_DAY) if may_lead else None
    end = lead.span[1] if lead and not lead.span[0] else end
    behind = clause.text[end:].lstrip(" ,")
    pieces = clauses(behind, words) if end and behind else []
    if len(pieces) != 1 or pieces[0].kind != clause.kind:
        return clause
    return pieces[0]._replace(start=clause.start, end=clause.end, joined=clause.joined)


def _without_time(text: str, *, since: bool = False) -> tuple[str, str]:
    """The text with blanks where it tells a time as an adverbial does, and the first of these: not in the name `USA Today`.

    Args:
        since: only a time from which on something is so: `since May`.
    """
    times = [
        hit for hit in find_ranges(text, _ANY_DAY)[0] if hit.text[0].islower() and not (since and hit.end)
    ]
    return with_blanks(text, [hit.span for hit in times]), times[0].text if times else ""


def _contact(clause: Clause, words: Grammar, names: Names) -> Assertion | None:
    """`you can reach Tobias on 0171 5550143`, `new number 07700 900552`: an address or a number tells its field."""
    is_reached = words.reaching.within(clause.tokens)
    for field, pattern in (("email", _EMAIL), ("phone", _ANY_PHONE if is_reached else _PHONE)):
        if hit := pattern.search(clause.text):
            lead = clause.text[: hit.start()]
            tokens, before = tokens_of(lead), set(names.in_text(lead))
            before |= set(names.relatives(tokens, words))  # `my mum is on 07700 900123`
            is_own = not before and (
                is_reached or words.possessives_own.within(tokens) or _is_bare_news(tokens, words)
            )
            if is_own or len(before) == 1:
                value = plain_value(hit[0].strip(" .,;:!?)("))
                return Assertion("" if is_own else before.pop(), field, value, "contact", clause.text)
    return None


def tells_where_reached(clause: Clause, words: Grammar) -> bool:
    """True for `call me on 07700 900551`, which orders nothing and asks nothing."""
    is_told = words.reaching.within(clause.tokens)
    return is_told and bool(_EMAIL.search(clause.text) or _ANY_PHONE.search(clause.text))


def _is_bare_news(tokens: Sequence[str], words: Grammar) -> bool:
    """True for `new number`, `got a new email address`, of nobody else: who says so tells it of themselves."""
    renewal = next((renewal for renewal, token in enumerate(tokens) if token in words.renewals), -1)
    behind = tokens[renewal + 1 :]
    is_field = any(_is_field(behind[start:], words) for start in range(min(2, len(behind))))
    return renewal >= 0 and is_field and words.announcements.skip(tokens) >= renewal


def _value(text: str, words: Grammar, *, stops: bool = False, most: int = _VALUE_WORDS) -> str:
    """The words as the value of a fact: without fillers, and no longer than one is; with `stops` up to what goes on with a sentence."""
    tokens, spans = tokens_of(text), spans_of(text)
    first = 0
    while first < len(tokens) - 1 and (
        tokens[first] in words.value_leads
        or (tokens[first] in words.determiners and tokens[first + 1][0].isdigit())  # `den 12. Mai`
    ):
        first += 1
    end, _ = next(
        words.courteous_conditions.places(tokens), (len(tokens), 0)
    )  # `0176 559788 in case you need it`
    while end - 1 > first and (length := _aside_before(tokens, end, words)) < end - first:
        if not length:
            break
        end -= length
    text = text[: spans[end][0]] if end < len(tokens) else text
    stop = next((n for n in range(max(first, 1), end) if stops and tokens[n] in words.value_stops), end)
    if stop < end:
        text = text[: spans[stop][0]]
    value = plain_value(trimmed(typed_from(text, spans, first) if first else text, words)).strip(
        " .,;:!?…\"'"
    )
    return value if 0 < len(value.split()) <= most and re.search(r"\w", value) else ""


def _is_before_name(text: str, spans: Sequence[tuple[int, int]], field: str, words: Grammar) -> bool:
    """True for an article before a word with a capital, or a workplace: `for the Red Cross`, `bei der Post`, `at the harbour office`; not for `The Hague`."""
    article, *name = [text[slice(*span)] for span in spans] or [""]
    is_definite = bool(name) and article in words.articles and article not in words.indefinite_words
    works = field == "works at" and words.workplaces.within([token.lower() for token in name])
    return is_definite and (name[0][0].isupper() or works)


def _aside_before(tokens: Sequence[str], end: int, words: Grammar) -> int:
    """How many tokens before a place are no part of a value: `18 dec now`, `nuts after all`, `RAL 5008, i think`."""
    if tokens[end - 1] in words.adverbs and tokens[end - 1] in words.changes:
        return 1
    change = words.changes.ending_at(tokens, end)
    return max(words.hedges.ending_at(tokens, end), change if change > 1 else 0)


def _names_a_thing(value: str, words: Grammar) -> bool:
    """True for a few words that name something, without a verb or a word that only points or goes on with a sentence."""
    tokens = tokens_of(value)
    dated = HARD.search(value) is not None
    tokens = tuple(token for token in tokens if not (dated and token in words.months)) or tokens  # `3 May`
    plain = len(tokens) <= _THING_WORDS and not words.predicates.has_any(tokens)
    days = words.weekdays.issuperset(tokens)  # nobody is allergic to Mondays
    # `i study 3 days`
    amount = len(tokens) > 1 and dated and words.units.issuperset(tokens[1:])
    return (
        plain and not days and not amount and tokens[0] not in words.small and not _is_judgement(value, words)
    )


def _is_judgement(value: str, words: Grammar) -> bool:
    """True for what judges or points instead of naming a value."""
    tokens = tokens_of(value)
    return not tokens or tokens[0] in words.judgements or words.empty.issuperset(tokens)
