"""Whether a vault says anything about a turn: one sum of named features of the turn and of what was found for it. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

from memoryclaw.index.bm25 import K1, exact, rarity
from memoryclaw.index.stemming import language
from memoryclaw.model import Relevance, Term
from memoryclaw.recall.evidence import NOTHING_COUNTED
from memoryclaw.recall.question import Question
from memoryclaw.recall.rank import Ranked, Ranking
from memoryclaw.text import words as lists
from memoryclaw.text.fillers import is_filler
from memoryclaw.text.language import words_of

BEST = 10  # units that are looked at
AROUND = 50  # units that are thought to stand around a vault: in one of five notes no word is rare
MANY = 5  # words that meet in a unit: more tell no more
LONG = 8  # words of a question: more tell no more
# Of what the sets that the weights were learned on do not have.
GOAL = 1.0  # a goal shares words with something
VECTOR = 2.0  # vectors found something near in meaning
LOOKED_UP = 0.3  # of the weight of words to look up, no sentence: so much must meet in a unit
_CERTAIN = 30.0  # logarithm of odds
_PASTED = (": ", '"', "“", "„", "«", "```", "\n")


def relevance_of(ranking: Ranking, best: Sequence[Ranked]) -> Relevance:
    """Why a vault has something to say about a turn, or has not: each feature times what it weighs.

    A question with fields or operators, or of a time alone, says itself what is wanted: for that, anything found will do.

    Args:
        ranking: of the whole vault.
        best: what may stand in a context, in rank order.
    """
    question = ranking.question
    if says_what(question):
        partly = question.weights and (_is_look_up(question) or question.query.ranges)
        enough = not partly or of_evidence(ranking, best[:BEST])["share"] >= LOOKED_UP
        enough = enough or any(one.term("goal") for one in best)
        return Relevance((Term("asked for", 1.0 if best and enough else -1.0),))
    weights, values = _weights(), values_of(ranking, best)
    terms = [Term(name, exact(weights[name][0] * value)) for name, value in values.items()]
    terms += [Term("goal", GOAL)] if any(one.term("goal") for one in best) else []
    terms += [Term("vector", VECTOR)] if any(one.term("vector") for one in best) else []
    return Relevance(tuple(term for term in terms if term.value))


def says_what(question: Question) -> bool:
    """True for words to look up, fields or operators, a time, or what is newest; quotation marks in a sentence just quote."""
    exact = question.query.filters or question.query.joined or not (question.in_words or question.is_sentence)
    return (
        bool(exact)
        or not question.weights
        or question.of_latest
        or bool(question.query.ranges)
        or _is_look_up(question)
    )


def confidence_of(ranking: Ranking, best: Sequence[Ranked]) -> float:
    """The chance, in hundredths, that the best of what was found holds what answers the question."""
    odds = sum(_weights()[name][1] * value for name, value in values_of(ranking, best).items())
    return round(1 / (1 + math.exp(-max(min(odds, _CERTAIN), -_CERTAIN))), 2)


def values_of(ranking: Ranking, best: Sequence[Ranked]) -> dict[str, float]:
    """The features of a turn and of the best of what was found for it, by name."""
    of_turn, of_units = of_text(ranking.question), of_evidence(ranking, best[:BEST])
    both = {"own found": of_turn["own question"] * of_units["share"]}
    return {"always": 1.0, **of_turn, **of_units, **both}


@cache
def _weights() -> dict[str, tuple[float, float]]:
    rows = (line.rsplit(maxsplit=2) for line in lists.lines("relevance.weights"))
    return {name: (float(relevance), float(confidence)) for name, relevance, confidence in rows}


# What the words of a turn tell by themselves.


def _phrases(name: str) -> frozenset[tuple[str, ...]]:
    return frozenset(
        tuple(words_of(phrase)) for phrase in lists.text(name).replace("\n", ",").split(",") if phrase
    )


_GENERAL, _ORDERS = _phrases("relevance.general"), _phrases("relevance.orders")
_LONGEST = max(map(len, _GENERAL | _ORDERS))
_ORDERS_UNSPACED = tuple(lists.words("relevance.orders_unspaced"))
_DEFINITE = frozenset(lists.words("relevance.definite"))
_POINTING = frozenset(lists.words("relevance.pointing"))
_ASKING = frozenset(lists.words("relevance.asking"))
_COMMANDS = frozenset(lists.words("relevance.commands"))
_OWN = frozenset(lists.words("pronouns.myself"))
_ENGLISH = language("en")


def _is_look_up(question: Question) -> bool:
    """True for nothing but telling words, of which the first is no order; what is not written with spaces may be a sentence."""
    typed = words_of(question.query.text)
    tells = (
        not _is_bare(question)
        and any(sign.isalpha() for word in typed for sign in word)
        and "?" not in question.query.text
    )
    is_cut = any(leaf.via == "bigram" for leaf in question.leaves)
    plain = bool(question.weights) and question.in_words and not question.query.ranges
    return tells and plain and not (is_cut or question.is_sentence) and typed[0] not in _COMMANDS


def _is_bare(question: Question) -> bool:
    """True for a turn that tells of nothing: thanks, yeses, stop words and numbers."""

    def is_stop(word: str) -> bool:
        return question.language.is_stop(word) or _ENGLISH.is_stop(word) or word.isdigit()

    return is_filler(question.query.text, is_stop=is_stop)


def of_text(question: Question) -> dict[str, float]:
    """The features of a turn itself, each from 0 to 1."""
    text = question.query.text
    typed = words_of(text)
    begins = next((n for n in range(_LONGEST, 0, -1) if tuple(typed[:n]) in _GENERAL | _ORDERS), 0)
    start = tuple(typed[:begins])
    own = any(word in _OWN for word in typed[begins:])
    asks = "?" in text or "？" in text or (bool(typed) and typed[0] in _ASKING)
    values = {
        "general": start in _GENERAL and not own,
        "order": start in _ORDERS or any(phrase in text for phrase in _ORDERS_UNSPACED),
        "definite": any(word in _DEFINITE for word in typed[:-1]),
        "own": own,
        "own question": own and asks,
        "pointing": any(word in _POINTING for word in typed),
        "pasted": any(mark in text for mark in _PASTED),
        "asks": asks,
        "bare": _is_bare(question),
    }
    return {name: float(value) for name, value in values.items()}


# What was found for it.


def of_evidence(ranking: Ranking, best: Sequence[Ranked]) -> dict[str, float]:
    """The features of what was found for a turn: how much of it meets where, and how rare that is in this vault."""
    question, evidence = ranking.question, ranking.evidence
    around = math.log1p(AROUND / (evidence.units + 1))
    weights = {word: weight + around for word, weight in question.weights.items()}
    total = sum(weights.values()) or 1.0
    scale = rarity(evidence.units, 1) + around  # what a word tells that one unit alone holds
    held = [words_held(question, evidence.counts.get(one.unit.rowid, NOTHING_COUNTED).own) for one in best]
    most = max((sum(weights[word] * part for word, part in words.items()) for words in held), default=0.0)
    return {
        "share": most / total,
        "weight": most / scale,
        "gain": max((one.words for one in best), default=0.0)
        / ((sum(question.weights.values()) or 1.0) * (K1 + 1)),
        "meeting": min(max((sum(words.values()) for words in held), default=0.0), MANY) / MANY,
        "length": min(len(weights), LONG) / LONG,
        "unknown": sum(weights[word] for word in question.unknown if word in weights) / total,
        "name": float(bool(question.entities or question.people)),
        "speaker": float(
            any(one.unit.kind == "turn" and one.unit.entity_key in question.any_person for one in best)
        ),
    }


def words_held(question: Question, counts: Mapping[int, float]) -> dict[str, float]:
    """The words of a question that a unit holds, or synonyms of the vault; of one that is cut into pairs of characters, a part."""
    held: dict[str, float] = {}
    leaves = (*question.leaves, *question.aliases)
    for number in counts:
        if number >= len(leaves) or leaves[number].near:
            continue
        leaf = leaves[number]
        if leaf.via == "bigram" and number < len(question.leaves):
            pairs = sum(other.word == leaf.word and other.share == leaf.share for other in question.leaves)
            part = 1 / pairs if leaf.share == 1 else 0.0
            held[leaf.word] = held.get(leaf.word, 0.0) + part
        else:
            held |= dict.fromkeys(leaf.word.split() if number >= len(question.leaves) else (leaf.word,), 1.0)
    return {word: min(part, 1.0) for word, part in held.items() if part and word in question.weights}
