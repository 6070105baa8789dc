"""Turns in which a person corrects the assistant, or wants something forgotten.

A correction is told by what a clause does, not by its sentence: a verdict that points to what was just said, a second person who erred.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from memoryclaw.consolidation.changes import DENIED, UNWANTED, Claim
from memoryclaw.consolidation.facets import UNSTATED, facets_of, is_word_of, turns_in
from memoryclaw.index import stemming
from memoryclaw.model import Fact, Turn
from memoryclaw.talk.assertions import has_phrase
from memoryclaw.talk.corrections import put_right
from memoryclaw.talk.own_words import own_words
from memoryclaw.text.clauses import Clause, clauses
from memoryclaw.text.dates import day_of, days_of, find_ranges
from memoryclaw.text.grammar import (
    Grammar,
    WordList,
    codes,
    grammar,
    grammar_of,
    spoken_in,
    tokens_of,
)
from memoryclaw.text.language import fold, key_of, words_of
from memoryclaw.text.sentences import ends_in_question, sentences

_LONGEST, _SCANNED = 400, 4000  # characters of a sentence that is read, and of a turn
_SHOWN = 100  # characters of the words that are quoted
_MOST_DENIED = 3  # facts of one answer
_FEW = 12  # words of a turn that only says that something is over
_MOST_OF = 0.6  # of the words of a statement, where an exchange repeats it
_PAUSE = re.compile(r"[,;]|\s[-–—]+\s")  # behind which an order says why
_SPEAKERS = frozenset({"user", "i"})


class Correction(NamedTuple):
    """A turn that says that the assistant is wrong: its place among the turns, and its words."""

    at: int
    words: str


@lru_cache(maxsize=2)  # what is claimed and what is denied in a segment ask it
def corrections(turns: tuple[Turn, ...], language: str = "en") -> tuple[Correction, ...]:
    """The corrections among some turns of one conversation, in order; at most one a turn, and none before the assistant has spoken.

    Args:
        turns: in the order in which they were said.
        language: of the vault, where the words of a turn do not tell another.
    """
    hits = list[Correction]()
    spoken = False
    for place, turn in enumerate(turns):
        if spoken and turn.role == "user" and (words := _correcting(turn, language)):
            hits.append(Correction(place, words))
        if turn.role == "assistant":  # one word, `falsch`, is read in the language of what it answers
            spoken, language = True, spoken_in(turn.text[:_SCANNED], language)
    return tuple(hits)


def _correcting(turn: Turn, language: str) -> str:
    """The words of a turn that say that the assistant is wrong; empty where none do."""
    text = turn.text[:_SCANNED]
    code = spoken_in(text, language)
    if code not in codes():
        return ""
    words = grammar(code)
    tokens = tokens_of(text)
    if not words.reproaches.within(tokens):
        return ""  # most turns hold none of these words, and need no reading
    speech = own_words(text, words, turn.name)
    correcting = (
        sentence
        for sentence in sentences(speech.text)
        if words.reproaches.may_be_in(tokens_of(sentence)) and _corrects(sentence, words)
    )
    return " ".join(speech.seals.open(next(correcting, "")).split())[:_SHOWN].strip()


def _corrects(sentence: str, words: Grammar) -> bool:
    """True for a sentence, no question and no supposition, of which a clause says that the assistant is wrong."""
    if len(sentence) > _LONGEST or ends_in_question(sentence):
        return False
    stated = (
        clause
        for clause in clauses(sentence, words)
        if not (
            (clause.under and clause.tokens[0] not in words.pointing) or words.unreal.within(clause.tokens)
        )
    )
    return any(
        _is_verdict(clause, words, words.wrong_words) or _errs(clause, words) or _denies_saying(clause, words)
        for clause in stated
    )


def _is_verdict(clause: Clause, words: Grammar, verdicts: WordList) -> bool:
    """True for a verdict that points to what was said, and speaks of nothing else: `no, thats completely wrong`."""
    tokens = list(clause.typed)
    while tokens and (lead := words.fillers.at(tokens)) and not verdicts.at(tokens):
        del tokens[:lead]
    place = verdicts.find(tokens)
    if place < 0:
        return False
    others = [*tokens[:place], *tokens[place + verdicts.at(tokens, place) :]]
    return words.negations.isdisjoint(others) and words.beside_verdicts.issuperset(others)


def _denies_saying(clause: Clause, words: Grammar) -> bool:
    """True for `i never said that` and `i didnt say i want it`, not for `i never said that to her`."""
    tokens = clause.tokens
    place = words.denials.find(tokens)
    if place < 0 or words.others.has_any(tokens):
        return False
    behind = tokens[place + words.denials.at(tokens, place) :]
    is_told = bool(behind) and (behind[0] in words.nominatives or behind[0] in words.contracted_subjects)
    points = not behind or words.pointing.has_any(tokens)
    return (is_told or points) and words.first_person.has_any(tokens)


def _errs(clause: Clause, words: Grammar) -> bool:
    """True where the one spoken to is named first, and erred: `you mixed up the days`, `da hast du mich falsch verstanden`."""
    tokens = clause.tokens
    place = words.errors.find(tokens)
    if place < 0 or words.negations.has_any(tokens):
        return False
    behind = tokens[place + words.errors.at(tokens, place) :]
    pronoun = next((t for t in tokens if t in words.first_person or t in words.second_person), "")
    carries = behind and behind[0] not in words.carried  # "you took the wrong train"
    return pronoun in words.second_person and not carries


def cued(claims: Sequence[Claim], turns: Sequence[Turn], language: str = "en") -> tuple[Claim, ...]:
    """The claims, of which those know it that a correction is about: what the assistant's last turn took up of what was said before it.

    What its speaker says anew of the same field needs no question, and a value that stands beside the correction takes the place of the one that is known.
    """
    cued_claims = list(claims)
    for correction in corrections(tuple(turns), language) if claims else ():
        answer = _answer_before(turns, correction.at)
        first = _answer_before(turns, answer) + 1
        lines = {turn.line for turn in turns[first : answer + 1]}
        later = [claim for claim in claims if claim.line > turns[answer].line]
        said_anew = {(claim.entity, claim.field) for claim in later if claim.field}
        denies, again = _topic(turns[correction.at], turns[answer], language)
        answered = _stems(turns[answer].text[:_SCANNED])
        for place, claim in enumerate(cued_claims):
            if claim.line == turns[correction.at].line and claim.field:
                cued_claims[place] = claim._replace(change=True)
            elif (
                claim.line in lines
                and (claim.entity, claim.field) not in said_anew
                and (claim.line == turns[answer].line or not answered.isdisjoint(_stems_of(claim)))
                and (not denies or not denies.isdisjoint(_stems_of(claim)))
                and again.isdisjoint(_stems_of(claim))
            ):
                cue = f'a later turn says that this is wrong: "{correction.words}"'
                cued_claims[place] = claim._replace(cue=claim.cue or cue)
    return tuple(cued_claims)


def _topic(turn: Turn, answer: Turn, language: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a correction denies having said, `i never said i have dogs`, and what it says that the assistant had otherwise: `wrong, Tern with a T`."""
    words = _words_of(turn.text, language)
    signs = (words.denials, words.wrong_words, words.corrections, words.errors)
    idle = words.idle.union(*(entries.entries() for entries in signs))
    stems = _stems(turn.text[:_SCANNED]) - _stems(" ".join(idle))
    is_denial = words.denials.within(tokens_of(turn.text[:_SCANNED]))
    return (stems, frozenset()) if is_denial else (frozenset(), stems - _stems(answer.text[:_SCANNED]))


def _stems_of(claim: Claim) -> frozenset[str]:
    return _stems(f"{claim.field} {claim.value} {claim.words or claim.quote}")


class _Exchange:
    """A question, what the assistant answered, and the turn that says it is wrong."""

    def __init__(self, question: str, reply: str, denial: Turn, language: str) -> None:
        self._question, self._reply = question[:_SCANNED], reply[:_SCANNED]
        self._denial = denial
        self.words = _words_of(self._reply, language)
        self.stems = _stems(f"{self._question} {self._reply}")

    def tells_of(self, fact: Fact) -> bool:
        """True where the reply gives a fact's value, and the exchange names whose it is; of a statement, where it says most of it."""
        if fact.is_statement:
            stems = _stems(fact.value)
            is_repeated = not stems.isdisjoint(_stems(self._reply))
            return is_repeated and len(stems & self.stems) >= _MOST_OF * len(stems)
        return self.repeats(fact.value) and self._names(key_of(fact.entity), fact.field)

    def repeats(self, value: str) -> bool:
        """True where the reply holds a value, or the days that it is, with or without their year."""
        if f" {' '.join(words_of(fold(value)))} " in f" {' '.join(words_of(fold(self._reply)))} ":
            return True
        days, said = days_of(value).split(), day_of(self._denial.ts)
        spans = find_ranges(self._reply, said)[0] if days and said else ()
        return bool(days) and all(
            any(
                span.start == span.end
                and (span.start == day or (span.start[5:] == day[5:] and span.start[:4] not in span.text))
                for span in spans
            )
            for day in days
        )

    def _names(self, key: str, field: str) -> bool:
        if key not in _SPEAKERS and key != key_of(self._denial.name):
            return set(key.split()) <= set(key_of(f"{self._question} {self._reply}").split())
        question, reply = tokens_of(self._question), tokens_of(self._reply)
        return not self.stems.isdisjoint(_stems(field)) or any(
            words.own_pronouns.has_any(question) or words.second_person.has_any(reply)
            for words in map(grammar, codes())
        )


def denied(
    turns: Sequence[Turn],
    claims: Sequence[Claim],
    known_facts: Callable[[], Iterable[Fact]],
    language: str = "en",
) -> Iterator[Claim]:
    """What is known and the assistant repeats, and a person then says is wrong: claims that deny it, or that give what it is instead."""
    denials = [*corrections(tuple(turns), language)]
    denials += _contradictions(turns, {claim.line for claim in claims if not claim.field}, language)
    facts = [*dict.fromkeys(fact for fact in known_facts() if fact.current)] if denials else []
    for denial in denials if facts else ():
        turn, answer = turns[denial.at], _answer_before(turns, denial.at)
        exchange = _Exchange(turns[answer - 1].text if answer else "", turns[answer].text, turn, language)
        said_anew = any(
            claim.field
            and claim.how != "end"
            and claim.line == turn.line
            and not exchange.repeats(claim.value)
            for claim in claims
        )
        repeated = [fact for fact in facts if exchange.tells_of(fact)]
        matches = [fact for fact in repeated if not exchange.stems.isdisjoint(_stems(fact.field))] or repeated
        fields = [fact for fact in matches if not fact.is_statement]
        ending = _endings(turn.text, exchange.words)
        if ending:
            ends = (claim.value for claim in claims if claim.line == turn.line and claim.how == "end")
            words, tokens = grammar_of(turn.text, exchange.words.code), tokens_of(turn.text)
            denies = words.corrections.at(tokens) or words.negations.at(tokens)
            over = [] if any(map(exchange.repeats, ends)) else _ended_by(ending, repeated, exchange.words)
            matches = over or (repeated if denies and len(repeated) == 1 else [])
        fix = None if ending else put_right(turn.text, turns[answer].text, exchange.words, answers=True)
        if fix and fix.is_sure and fix.wrong:
            fields = [fact for fact in fields if fix.wrong in fact.value]
        value = ""
        if fix and len(fields) == 1 and (fix.is_sure or not fix.wrong):
            value = fields[0].value.replace(fix.wrong, fix.right) if fix.wrong else fix.right
        if value and any(has_phrase(tokens_of(fact.value), tokens_of(value)) for fact in matches):
            continue  # it says again what stands
        is_alike = (
            bool(value)
            and len(fields) == 1
            and any(map(str.isdigit, value)) == any(map(str.isdigit, fields[0].value))
        )
        if turn.by or (said_anew and not is_alike):
            continue
        for fact in fields if is_alike else matches[:_MOST_DENIED]:
            yield Claim(
                entity=fact.entity, field=fact.field, value=value if is_alike else fact.value, line=turn.line, quote=denial.words,
                role="user", said=turn.ts[:10], how="" if is_alike else DENIED, change=is_alike, speaker=turn.name,
            )  # fmt: skip


def _contradictions(turns: Sequence[Turn], lines: AbstractSet[int], language: str) -> Iterator[Correction]:
    """The turns that answer the assistant with something else, if only in these lines: `nope, it's 0 negative`, `no, Dr Pohl`."""
    for place, (answer, turn) in enumerate(pairwise(turns), 1):
        if answer.role != "assistant" or ends_in_question(answer.text) or turn.role != "user":
            continue
        words, tokens = _words_of(turn.text, language), tokens_of(turn.text[:_LONGEST])
        of_answer = _words_of(answer.text, language)
        if (
            (words.corrections.at(tokens) and turn.line in lines)
            or _endings(turn.text, of_answer)
            or put_right(turn.text, answer.text, of_answer, answers=True)
        ):
            yield Correction(place, " ".join(turn.text.split())[:_SHOWN])


def _endings(text: str, words: Grammar) -> list[Clause]:
    """The clauses of a few words that say of whom or what was just told that it is over: `no, she retired`, `he doesn't work there any more`."""
    if ends_in_question(text) or len(text.split()) > _FEW:
        return []
    words = grammar_of(text, words.code)
    pieces = (clause for piece in _PAUSE.split(text) for clause in clauses(piece, words))
    # a verdict is of all that was told: `das ist nicht mehr so`
    return [
        clause
        for clause in pieces
        if _tells_end(clause, words) and not _is_verdict(clause, words, words.wrong_words)
    ]


def _tells_end(clause: Clause, words: Grammar) -> bool:
    tokens, subject = clause.tokens, clause.subject[:1]
    pronouns = words.people_pronouns, words.thing_pronouns, words.pointing
    is_of_told = not subject or words.gone.at(tokens) or any(each.has_any(subject) for each in pronouns)
    if not is_of_told or clause.kind in UNSTATED or words.conditionals.within(tokens):
        return False
    for sign in (words.gone, words.ending_verbs, words.ended)[: 3 if subject else 1]:
        for place, size in sign.places(tokens):
            behind = tokens[place + size :]
            is_denied = sign is not words.ended and words.negations.within([*tokens[:place], *behind])
            goes_on = any(
                not (token[0].isdigit() or token in words.dating or token in words.carried)
                for token in behind
            )
            carries = goes_on and not turns_in(clause, words)  # `she left a message`, `gone to bed`
            if not (is_denied or carries):
                return True
    return False


def _ended_by(ending: Sequence[Clause], facts: Sequence[Fact], words: Grammar) -> list[Fact]:
    """The facts that some clauses say are over: of a facet or a field that they name."""
    tokens = [token for clause in ending for token in clause.tokens if token not in words.small]
    stems = _stems(" ".join(clause.text for clause in ending))
    fields = {
        field
        for phrase, field in words.verb_ends
        if any(has_phrase(clause.tokens, phrase) for clause in ending)
    }
    return [
        fact
        for fact in facts
        if fact.field in fields
        or not stems.isdisjoint(_stems(fact.field))
        or any(
            is_word_of(facet, token, words.code)
            for facet in facets_of(fact.field, fact.value, words.code)
            for token in tokens
        )
    ]


def _words_of(text: str, language: str) -> Grammar:
    return grammar_of(text[:_SCANNED], language, unread=language)


def unwanted(
    turns: Sequence[Turn],
    names: Iterable[str],
    known_facts: Callable[[Iterable[str]], Iterable[Fact]],
    language: str = "en",
) -> Iterator[Claim]:
    """What the vault holds of somebody, where a person wants forgotten what was said of them, `forget what I said about Ana`, or what an earlier turn told: `forget that`."""
    for turn in turns:
        if turn.takes_back and not turn.by:
            yield from _taken_back(turn, turn.takes_back, names, known_facts)
        order = _to_forget(turn.text, language) if turn.role == "user" and not turn.by else None
        if not order:
            continue
        words = {word for token in order.topic for word in key_of(token.removesuffix("'s")).split()}
        meant = [name for name in dict.fromkeys(names) if set(key_of(name).split()) <= words]
        if order.is_bare and words != {word for name in meant for word in key_of(name).split()}:
            continue  # `drop the second line`
        current = [fact for fact in known_facts([*meant, turn.name]) if fact.current]
        telling = [fact for fact in current if _is_about(fact, meant)]
        first = _to_forget(_PAUSE.split(turn.text)[0], language) if not telling else None
        if first:  # `forget that I drive a Golf, …`
            stems = _stems(" ".join(first.topic))
            telling = [fact for fact in current if stems and stems <= _stems(f"{fact.field} {fact.value}")]
            telling = telling if len(telling) <= _MOST_DENIED else []
        yield from (_unwanted(fact, turn) for fact in telling)


def _taken_back(
    turn: Turn, withdrawn: Turn, names: Iterable[str], known_facts: Callable[[Iterable[str]], Iterable[Fact]]
) -> Iterator[Claim]:
    """What the vault holds from a turn that its speaker takes back."""
    exchange = _Exchange("", withdrawn.text, withdrawn, "en")
    words = set(key_of(withdrawn.text).split())
    whose = [name for name in dict.fromkeys(names) if set(key_of(name).split()) <= words]
    for fact in known_facts([*whose, turn.name]):
        is_of_day = fact.current and withdrawn.ts[:10] in (fact.day, fact.source[:10])
        if is_of_day and (
            _stems(fact.value) <= exchange.stems if fact.is_statement else exchange.repeats(fact.value)
        ):
            yield _unwanted(fact, turn)


def _unwanted(fact: Fact, turn: Turn) -> Claim:
    return Claim(
        entity=fact.entity, field=fact.field, value=fact.value, line=turn.line, quote=" ".join(turn.text.split())[:_SHOWN],
        role="user", said=turn.ts[:10], how=UNWANTED,
    )  # fmt: skip


def _is_about(fact: Fact, names: Iterable[str]) -> bool:
    whose = set(key_of(f"{fact.entity} {fact.value if fact.is_statement else ''}").split())
    return any(set(key_of(name).split()) <= whose for name in names)


def is_order_to_forget(turn: Turn, language: str = "en", *, is_known: bool = False) -> bool:
    """True for a person's `forget what I said about Ana`, whatever is held of her, and for `forget Ana` where something is: its words are no statement."""
    order = _to_forget(turn.text, language) if turn.role == "user" else None
    return order is not None and (is_known or not order.is_bare)


class _OrderToForget(NamedTuple):
    topic: Sequence[str]  # the words that say what
    is_bare: bool = False  # it says no more: `forget Ana`


@lru_cache(maxsize=512)
def _to_forget(text: str, language: str) -> _OrderToForget | None:
    """The order to forget that a text is, if it is one and nothing else."""
    if len(text) > _LONGEST or len([*sentences(text)]) > 1:
        return None
    # The likeliest language first: the few words of an order seldom tell one.
    likely = dict.fromkeys((spoken_in(text, language), language, *codes()))
    orders = (_order_in(tokens_of(text), grammar(code)) for code in likely if code in codes())
    return next(filter(None, orders), None)


def _order_in(tokens: Sequence[str], words: Grammar) -> _OrderToForget | None:
    start = words.request_openers.at(tokens, words.fillers.skip(tokens))
    order = words.forget_orders.find(tokens)
    if order < 0 or not (order == start or words.courtesies.issuperset(tokens[start:order])):
        return None
    behind = tokens[order + words.forget_orders.at(tokens, order) :]
    topic, place = words.forget_what.find(behind), words.forget_from.find(behind)
    if topic >= 0:
        return _OrderToForget(behind[topic + words.forget_what.at(behind, topic) :])
    if place > 0:  # `remove Ana from your memory`
        return _OrderToForget(behind[:place])
    link = next((at for at, token in enumerate(behind) if token not in words.courtesies), len(behind))
    if words.forget_links.at(behind, link):
        return _OrderToForget(behind[link + 1 :])
    bare = [token for token in behind if not (token in words.courtesies or token in words.prepositions)]
    return _OrderToForget(bare, is_bare=True) if bare else None


def _answer_before(turns: Sequence[Turn], place: int) -> int:
    """The place of the assistant's last turn before a place; -1 where there is none."""
    return next((n for n in range(place - 1, -1, -1) if turns[n].role == "assistant"), -1)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stemming.language_of([text], stemming.language("en")).telling(words_of(text)))
