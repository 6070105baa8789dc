"""Whether a vault says anything about a turn: one sum of named features of the turn and of what was found for it. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from itertools import compress, islice, pairwise

from memoryclaw import late
from memoryclaw.index.bm25 import exact, rarity
from memoryclaw.index.catalog import UnitSummary
from memoryclaw.index.stemming import language
from memoryclaw.model import Relevance, Term, Unit
from memoryclaw.recall.evidence import NOTHING_COUNTED
from memoryclaw.recall.question import MYSELF, OWN_WORDS, Leaf, Question, framing, replying
from memoryclaw.recall.rank import Ranked, Ranking, names_field
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import (
    Clause,
    Grammar,
    clauses,
    grammar_of,
    is_filler,
    is_question,
    spoken_in,
    tokens_of,
)
from memoryclaw.text.language import SMALL, WORD, ends_in_question, key_of, sentences, words_of
from memoryclaw.text.snippets import without_block_ids
from memoryclaw.vault.fact_values import noun_of
from memoryclaw.vault.vocabulary import is_occupation

BEST = 10  # units that are looked at
AROUND = 50  # units that are thought to stand around a vault: in one of five notes no word is rare
LONG = 8  # words of a question: more tell no more
PAIR = 0.5  # words, of two characters of what is not written with spaces
TOLD = 4  # facts and statements among them: more tell no more
# Of what the sets that the weights were learned on do not have.
ALL = 5.0  # all of its words meet in one unit
GOAL = 1.0  # a goal shares words with something
WISH = 3.0  # it asks how the assistant shall do something, and a wish of that kind is known
# it names somebody or something of whom a memory tells, or something of one's own that a fact has
NAMED = 3.0
DAY = 6.0  # something tells a day that it writes out: whatever else it asks
OWN = 2.0  # something of the project that is worked in tells so much of what it says, however many other projects say the same
PHRASE = 2  # words: so short, with a telling one in front, it is no sentence
FEW = 3  # words, which may only close a talk
ALONE = 3  # facts that may stand alone beside a piece of work that shares but a word with them
LOOKED_UP = 0.3  # of the weight of words to look up, no sentence: so much must meet in a unit
WHOLE = 3  # words, if all of a turn's meet in a unit: it is about that, however many copies of it make its words common
_CERTAIN = 30.0  # logarithm of odds
# kinds of fields whose nouns name one's own whatever stands before
_MATTERS = frozenset({"date", "day", "person"})
# kinds of fields whose nouns name a text as well: `rewrite my email`
_FORMS = frozenset({"email", "phone", "url"})
# fields of people whose nouns name parts of texts and programs as well
_OF_TEXTS = frozenset({"name", "address"})
_WARY = frozenset(lists.lines("relevance.wary"))
_WITH = frozenset(lists.words("relevance.with"))

Worth = Mapping[str, tuple[float, float, float]]
_OF_OWN = frozenset({"own found", "own told", "own weight"})  # of a question about oneself alone
_OWNER = late.pattern(r"(?<=\w )\w{2,40}['’]s\b")  # whose something is
_MARKS = late.pattern(r"[^\w\s'’-]+|\n")  # between pieces of talk
_PASTED = (": ", '"', "“", "„", "«", "```", "\n")


def relevance_of(
    ranking: Ranking, best: Sequence[Ranked], owner: Callable[[], AbstractSet[str]]
) -> Relevance:
    """Why a vault has something to say about a turn, or has not: each feature times what it weighs.

    A question with fields or operators, or of a time alone, says itself what is wanted: for that, anything found will do.

    Args:
        ranking: of the whole vault.
        best: what may stand in a context, in rank order.
        owner: tells the keys of the one whose vault it is.
    """
    question, worth = ranking.question, _worth(ranking)
    near = of_vectors(ranking, best)
    is_wished = question.of_manner and any(hit.term("wish") for hit in best)
    if not (
        question.form or asks_about(question) or ends_in_question(question.query.text) or question.of_myself
    ):
        best = [
            *islice(
                (
                    hit
                    for hit in best
                    if not (_is_only_a_field(ranking, hit) and hit.unit.entity_key in owner())
                ),
                BEST,
            )
        ]
    best = best[:BEST]
    if says_what(question):
        most, total = _most_held(ranking, best, worth) if _is_look_up(question) else (1.0, 1.0)
        enough = most >= LOOKED_UP * total or any(hit.term("goal") for hit in best)
        return Relevance((Term("asked for", 1.0 if best and enough else -1.0),))
    weights, values = weights_of("weights"), values_of(ranking, best, worth)
    terms = [Term(name, exact(weights[name] * value)) for name, value in values.items()]
    is_short = sum(part for _, part, _ in worth.values()) < WHOLE
    is_whole = any(_words_held(ranking, worth, hit.unit.rowid) == worth.keys() for hit in best)
    terms += [Term("whole", ALL)] if is_whole and not (is_short and not _asks_what_is(question)) else []
    is_named = any(
        _is_named(question, hit)
        or (not values["general"] and _is_own_matter(question, hit))
        or _is_asked_for(question, hit.unit)
        for hit in best
        if hit.unit.kind == "fact"
    )
    is_named = is_named or (asks_about(question) and any(_is_titled(question, hit.unit) for hit in best))
    is_named = is_named or any(_was_so(ranking, worth, hit) for hit in ranking.units)
    terms += [Term("named", NAMED)] if is_named else []
    terms += [Term("goal", GOAL)] if any(hit.term("goal") for hit in best) else []
    terms += [Term("wish", WISH)] if is_wished else []
    if near:
        terms.append(Term("vector", exact(_odds("vectors", near))))
    if question.scope and (values["question"] or values["own question"]):
        most, total = _most_held(ranking, [hit for hit in best if hit.unit.scope == question.scope], worth)
        terms += [Term("project", OWN)] if most >= LOOKED_UP * total else []
    terms += [Term("day", DAY)] if any(_tells_day(ranking, hit.unit.rowid) for hit in best) else []
    odds = _odds("confidence", values) + (_odds("vectors_confidence", near) if near else 0.0)
    chance = round(1 / (1 + math.exp(-max(min(odds, _CERTAIN), -_CERTAIN))), 2)
    return Relevance(tuple(term for term in terms if term.value), chance if values["weight"] or near else 0.0)


def of_vectors(ranking: Ranking, best: Sequence[Ranked]) -> dict[str, float]:
    """The features of what vectors told, none where they were not asked: how near the nearest is to the turn, and of how many."""
    cosines = [ranking.cosines[hit.unit.rowid] for hit in best if hit.unit.rowid in ranking.cosines]
    units = math.log1p(ranking.evidence.units)
    return {"always": 1.0, "nearness": max([0.0, *cosines]), "units": units} if ranking.near else {}


def _odds(sum_: str, values: Mapping[str, float]) -> float:
    return sum(weight * values[name] for name, weight in weights_of(sum_).items())


def _is_only_a_field(ranking: Ranking, hit: Ranked) -> bool:
    """True for a fact of which a turn says the field alone, that names parts of texts as well: `name: Dana`, for `rename the function to full_name`."""
    unit = hit.unit
    if unit.kind != "fact" or not unit.field:
        return False
    noun = noun_of(unit.field)
    if noun is None or (noun.kind not in _FORMS and noun.field not in _OF_TEXTS):
        return False  # `put the rent into the budget sheet`
    tokens = {token for leaf in _leaves_held(ranking, unit.rowid) for token in leaf.clause.text.split()}
    return tokens.isdisjoint(ranking.question.language.tokens(unit.value))


def of_work(ranking: Ranking, waiting: Sequence[Ranked], owner: AbstractSet[str]) -> list[Ranked]:
    """The facts and statements that may stand alone beside a piece of work: what was told of a thing that it names, and what holds in the project that is worked in and shares a telling word with it.

    Args:
        owner: the keys of the one whose vault it is.
    """
    question, values = ranking.question, of_text(ranking.question)
    if any(values[name] for name in ("general", "bare", "pasted", "question", "own question")):
        return []
    facts = [hit for hit in waiting if hit.unit.kind == "fact"]
    about = [
        hit
        for hit in facts
        if (hit.unit.is_statement or hit.unit.field in _WARY or hit.unit.entity_key in owner)
        and _is_about_work(question, hit)
    ]
    return [*about, *(hit for hit in _conventions(ranking, facts) if hit not in about)][:ALONE]


def _conventions(ranking: Ranking, facts: Sequence[Ranked]) -> list[Ranked]:
    """What holds in the project that is worked in and shares a telling word, no verb of an order, with a piece of work: `add an endpoint`."""
    question, worth = ranking.question, _worth(ranking)
    if not question.scope:
        return []
    verb = words_of(question.query.text)[:1]
    nouns = worth.keys() - {*verb} if _is_order(question) and len(worth) > 1 else worth.keys()
    own = (hit for hit in facts if hit.unit.scope == question.scope)
    return [hit for hit in own if _words_held(ranking, worth, hit.unit.rowid) & nouns]


# Whose a line is: a question of oneself is not answered by what is told of another, whoever said it.

_GIVEN = frozenset(lists.words("names.given"))  # names that are ordinary words as well
_KINDS = frozenset(lists.words("names.beside"))  # and articles
_UNSPACED = late.pattern(r"[\u3041-\u9fff]")
_RELATIVES = tuple(line.split() for line in lists.lines("relevance.relatives_unspaced"))
_UNSPOKEN = late.pattern(r"[^\u3041-\u309f]")  # other than the small words of Japanese
_NAMED = 4  # signs of a name, at most
_NEAR = 3  # words behind an article, of which one is the thing


def is_of_another(question: Question, text: str, names: Callable[[str], bool], own: AbstractSet[str]) -> bool:
    """True where all that a text says of what somebody asks of oneself is told of others: `my sister's dentist is Dr Bell`.

    Args:
        question: of oneself.
        text: somebody's turn or statement, or a sentence of a note.
        names: whether a key names somebody or something in the vault.
        own: the keys of the names of the one who asks.
    """
    words, spoken = grammar_of(text, unread="en"), language(spoken_in(text, "en"))
    stems = question.tokens.union(*(leaf.clause.text.split() for leaf in question.related))
    asked_words = words_of(question.query.text)
    by_pronoun = OWN_WORDS.isdisjoint(asked_words)  # `my dog` may be `she`
    own_words = " ".join(word for before, word in pairwise(asked_words) if before in OWN_WORDS)
    own_stems = frozenset(question.language.tokens(own_words))

    def is_asked(tokens: Sequence[str]) -> bool:
        phrase = " ".join(map(key_of, tokens))
        if len(tokens) == 1 and any(is_other_sex(phrase, key_of(asked)) for asked in asked_words):
            return False
        return phrase in own or not stems.isdisjoint(
            [*question.language.tokens(phrase), *spoken.tokens(phrase)]
        )

    about: list[bool] = []  # of each clause, whether it is about what was asked …
    of_others: list[bool] = []  # … and whether it tells of others
    is_others = False
    for clause in (clause for sentence in sentences(text) for clause in clauses(sentence, words)):
        if clause.subject:  # what has none goes on about that of the clause before it
            people = [*_people(clause, words, names)]
            is_somebody = bool(people) or (by_pronoun and words.people_pronouns.at(clause.subject) > 0)
            is_known = (people and all(map(is_asked, people))) or _is_own(clause, words, is_asked)
            is_others = is_somebody and not is_known and clause.kind != "report"
        of_pronouns = question.language.tokens(" ".join(_roles_of_others(clause, words)))
        is_others = is_others or not own_stems.isdisjoint(of_pronouns)
        about.append(is_asked(clause.tokens))
        of_others.append(is_others)
    telling = [*compress(of_others, about)] if any(about) else of_others
    return bool(telling) and all(telling)


def tells_of_other_sign(asked: str, text: str) -> bool:
    """True in a script without spaces for what is told of another relative, 兄 and 妹, or of another name in the same place: 小王的生日 and 小李的生日."""
    if not _UNSPACED.search(asked) or not _UNSPACED.search(text):
        return False
    sought, named = (
        {n for n, names in enumerate(_RELATIVES) if any(name in line for name in names)}
        for line in (asked, text)
    )
    if sought and named and not sought & named:
        return True
    asked, text = asked.casefold(), text.casefold()
    pairs = enumerate(zip(asked, text, strict=False))
    same = next((n for n, (first, second) in pairs if first != second), min(len(asked), len(text)))
    for size in range(1, _NAMED + 1):
        for other in range(1, _NAMED + 1):
            name, another = asked[same : same + size], text[same : same + other]
            behind = asked[same + size : same + size + 2]
            if len(behind) == 2 and text.startswith(behind, same + other):
                is_name = _UNSPOKEN.search(name)  # not どこ
                return bool(is_name) and name not in another and another not in name
    return False


def tells_of_named(text: str, question: Question, worked_on: Sequence[str] = ()) -> bool:
    """True for a statement about somebody or something that a question calls by name: `Harald quoted 14,300`, `she's called Smilla`; of the words of what is `worked_on` also in small letters: `the kestrel api is down`."""
    named = (
        word for word in question.weights if word not in _GIVEN or word.capitalize() in question.query.text
    )
    words = grammar_of(text, unread="en")
    tokens = tokens_of(text)
    small = {word for word in worked_on if word in tokens and word not in words.ordinary}
    capitals = {word for word in named if word.capitalize() in text or word in small}
    if not capitals:
        return False
    for clause in (clause for sentence in sentences(text) for clause in clauses(sentence, words)):
        subject = clause.subject or clause.tokens[:1]
        names = {name[0] for name in _people(clause, words, lambda _key: False)}
        names.update(() if words.noun_capitals else (name for name in subject if name not in words.ordinary))
        kinds = _KINDS.difference(words.articles)
        names.update(name for kind, name in pairwise(clause.tokens) if kind in kinds)  # `das Projekt Storch`
        behind = (place + size for place, size in words.naming_words.places(clause.tokens[:-1]))
        if not capitals.isdisjoint(names.union(clause.tokens[place] for place in behind)):
            return True
    return False


@lru_cache(maxsize=256)  # of a turn, against each fact
def own_things(text: str, *, is_stated: bool = False, by_article: bool = True) -> frozenset[str]:
    """What a text names as one's own, of one word or two: `my daughter`. A turn may do so by `the boiler` as well, not by `the name of …`, and a statement where a verb follows: `the boiler is …`, not `the build server is …`."""
    words, tokens = grammar_of(text, unread="en"), [key_of(token) for token in tokens_of(text)]

    def is_own(at: int, size: int) -> bool:
        token, behind = tokens[at - 1], at + size
        if token in OWN_WORDS or not by_article:
            return token in OWN_WORDS
        is_definite = token in words.articles and token not in words.indefinite_words
        if is_stated:
            return is_definite and at == 1 and words.verbs.at(tokens, behind) > 0
        return is_definite and not words.owner_prepositions.has_any(tokens[at + 1 : at + 2])

    spans = ((at, size) for at in range(1, len(tokens)) for size in (1, 2))
    return frozenset(" ".join(tokens[at : at + size]) for at, size in spans if is_own(at, size))


def is_other_sex(word: str, other: str) -> bool:
    """True for two words of one stem of which each means one sex, `suegra` and `suegro`; of a trade the one may stand for both."""
    shorter, longer = sorted((word, other), key=len)
    by_vowel = word[:-1] == other[:-1] and {word[-1:], other[-1:]} == {"a", "o"}
    is_pair = by_vowel or longer in (f"{shorter}e", f"{shorter}in")
    return is_pair and not (is_occupation(word) or is_occupation(other))


def _people(clause: Clause, words: Grammar, names: Callable[[str], bool]) -> Iterator[Sequence[str]]:
    """The people in the subject of a clause: by a role, by a name that begins it, or by one behind an `of`."""
    typed_subject = clause.subject or clause.tokens[:1] * (not clause.kind)  # before a verb that no list has
    subject = [key_of(token) if "'" in token else token for token in typed_subject]
    for place, size in words.roles.places(subject):
        yield subject[place : place + size]
    first = words.honorifics.skip(subject)
    is_titled = first + 2 == len(subject) and subject[first] in words.articles  # `o João`
    places = [first + is_titled]
    places += [place for place, before in enumerate(subject[:-1], 1) if before in words.owner_prepositions]
    capitals = {word.lower() for word in WORD.findall(clause.text) if word[0].isupper()}
    for place in places if not is_titled or not words.noun_capitals else places[1:]:
        name, typed = [*subject, ""][place], [*typed_subject, ""][place]
        if name and name not in words.ordinary and (typed in capitals or names(name)):
            is_called = subject[place + 1 : place + 2] and subject[place + 1] in words.noun_openers
            yield subject[place:] if is_called else [name]  # `Rex the dog`


def _roles_of_others(clause: Clause, words: Grammar) -> Iterator[str]:
    """The roles that somebody has to a person who is meant by a pronoun: `her boss`, `o chefe dela`."""
    tokens = ("", *clause.tokens, "")
    for place, size in words.roles.places(tokens):
        is_own = tokens[place - 1] in words.possessives_own
        if not is_own and not words.people_pronouns.isdisjoint((tokens[place - 1], tokens[place + size])):
            yield from tokens[place : place + size]


def _is_own(clause: Clause, words: Grammar, is_asked: Callable[[Sequence[str]], bool]) -> bool:
    """True for a clause that says `I`, `me` or `my`, unless that is `my sister's`; or that tells of the very thing asked about: `Gunnar fixes the roof`."""
    if words.first_person.has_any(clause.tokens):
        return True
    behind = [key_of(token) if "'" in token else token for token in clause.tokens[clause.verb_at :]]
    for place, token in enumerate(behind[:-1], 1):
        role = words.roles.at(behind, place)
        if token in words.possessives_own and (not role or is_asked(behind[place : place + role])):
            return True
        is_definite = token in words.articles and token not in words.indefinite_words
        if is_definite and is_asked(behind[place : place + _NEAR]):
            return True
    return False


def _is_named(question: Question, hit: Ranked) -> bool:
    """True for a fact or a statement about somebody or something that the question names, no word in small letters such as `code`."""
    name = question.entities.get(hit.unit.entity_key, "")
    return (
        name != name.casefold()
        or question.query.text.find(name.capitalize()) > 0
        or (question.names_folder(hit.unit.path) and names_field(question, hit.unit))
        or (hit.unit.is_statement and tells_of_named(hit.unit.value, question, _worked_on(question)))
    )


def _is_own_matter(question: Question, hit: Ranked) -> bool:
    """True for a fact of the one who speaks that the turn names by a noun: `help me with the wedding invitations`, `write to my landlord`; no address, by which a text may be called. Or for one of somebody who is named by what they are to them: `a speech for mums birthday`."""
    unit = hit.unit
    if not unit.field:
        return False
    if unit.entity_key not in question.own:
        whose = noun_of(unit.entity_key)
        return bool(whose and whose.kind == "person" and question.names_field(unit.entity_key))
    noun, phrase = noun_of(unit.field), question.fields.get(unit.field, unit.field)
    if noun and noun.kind in _MATTERS:
        return question.names_field(unit.field) or question.means_field(unit.field)
    typed = f" {' '.join(words_of(question.query.text))} "
    named = [f" {own} {phrase}" for own in OWN_WORDS if f" {own} {phrase}" in typed]
    # `my email`, and nothing besides, asks for it
    return bool(named) and (not (noun and noun.kind in _FORMS) or typed.rstrip() in named)


def _is_asked_for(question: Question, unit: UnitSummary) -> bool:
    """True for a value of the field that is asked for, of the one who asks or of somebody named: `dónde trabajo`."""
    whose = question.own if question.of_myself else question.entities
    is_asked = bool(unit.field) and bool(question.form) and unit.entity_key in whose
    if not is_asked or not (names_field(question, unit) or question.means_field(unit.field)):
        return False
    # A field named by a verb may be asked how it is done: `how do I work out 15 %`.
    is_done = noun_of(unit.field) is None or unit.field.rpartition(" ")[2] in _PLACING
    return not is_done or _HOW.isdisjoint(words_of(question.query.text))


def _was_so(ranking: Ranking, worth: Worth, hit: Ranked) -> bool:
    """True for a former value of the field that is asked for, of the one who asks or of somebody named, and for a former statement that holds all that one asks about oneself: what became of it is told where it ended."""
    question, unit = ranking.question, hit.unit
    if hit.decision != "superseded" or unit.kind != "fact":
        return False
    if not unit.field:
        return question.of_myself and bool(worth) and _words_held(ranking, worth, unit.rowid) == worth.keys()
    return _is_asked_for(question, unit)


def _asks_what_is(question: Question) -> bool:
    """True for a question of oneself that asks what is so, and no advice: `what am I allergic to`, not `what should I eat`."""
    words = grammar_of(question.query.text, unread="en")
    is_advice = words.modal_verbs.within(tokens_of(question.query.text)) or question.of_manner
    return bool(question.form) and question.of_myself and not is_advice


def _is_about_work(question: Question, hit: Ranked) -> bool:
    """True for a fact or a statement about one of the things that work is about, `our boiler is a Worcester` where `the boiler shows EA`, and for a dislike of what it is done with."""
    unit, text = hit.unit, question.query.text
    if unit.field in _WARY:
        disliked, typed = question.language.tokens(unit.value), words_of(text)
        behind = [typed[at + 1 :] for at, word in enumerate(typed) if word in _WITH]
        return bool(disliked) and any(
            {*disliked} <= {*question.language.tokens(" ".join(words))} for words in behind
        )
    things = own_things(unit.value, is_stated=True) if unit.is_statement else {key_of(unit.field)}
    if not (shared := things & own_things(text)):
        return False
    # What everybody has, such as an address or a manager, is meant by `my` alone.
    mine = own_things(text, by_article=False)
    nouns = {thing: noun_of(thing) for thing in shared}
    return any(not noun or (thing in mine and noun.kind not in _FORMS) for thing, noun in nouns.items())


def _tells_day(ranking: Ranking, rowid: int) -> bool:
    """True for a unit in whose text a day of the question stands, where it is no `today`."""
    return any(
        leaf.near and any(sign.isdigit() for sign in leaf.word) for leaf in _leaves_held(ranking, rowid)
    )


def says_what(question: Question) -> bool:
    """True for words to look up, fields or operators, a time alone, or only what is newest; quotation marks in a sentence just quote."""
    quoted = not (question.in_words or question.is_sentence or _is_order(question))
    exact = question.query.filters or question.query.joined or quoted
    only_latest = question.latest and not question.weights.keys() - question.latest
    return bool(exact or not question.weights or only_latest or _is_look_up(question))


def values_of(ranking: Ranking, best: Sequence[Ranked], worth: Worth | None = None) -> dict[str, float]:
    """The features of a turn and of the best of what was found for it, by name."""
    worth = worth or _worth(ranking)
    # `who is the florist`, where a memory names the florist; `what is Aldo's number`, where something names Aldo
    owners = {owner.casefold() for owner in _OWNER.findall(ranking.question.query.text)}
    words_held = [
        (hit.unit.kind, _words_held(ranking, worth, hit.unit.rowid)) for hit in best[:BEST] if worth
    ]
    is_known = any((kind == "fact" and words == worth.keys()) or owners & words for kind, words in words_held)
    by_one_word = bool(words_held) and max(len(words) for _, words in words_held) <= 1 < len(worth)
    of_turn = of_text(ranking.question, is_known=is_known, by_one_word=by_one_word)
    of_units = of_evidence(ranking, best[:BEST], worth)
    of_units |= {name: value * of_turn["own question"] for name, value in of_units.items() if name in _OF_OWN}
    return {"always": 1.0, **of_turn, **of_units}


def _is_titled(question: Question, unit: UnitSummary) -> bool:
    """True for a note by whose name a question asks: `Kiln.md`, of `what do you know about Kiln`."""
    name = question.language.tokens(unit.path.rpartition("/")[2].removesuffix(".md"))
    return unit.kind == "note" and bool(name) and question.tokens.issuperset(name)


@cache
def weights_of(sum_: str) -> dict[str, float]:
    """What each feature weighs in a sum: `weights` of the relevance, `confidence`, or what vectors add to them."""
    rows = (line.rsplit(maxsplit=1) for line in lists.lines(f"relevance.{sum_}"))
    return {name: float(weight) for name, weight in rows}


# What the words of a turn tell by themselves.


def _phrases(name: str) -> frozenset[tuple[str, ...]]:
    return frozenset(
        tuple(words_of(phrase)) for phrase in lists.text(name).replace("\n", ",").split(",") if phrase
    )


_GENERAL, _OFTEN_GENERAL, _ORDERS, _ABOUT = (
    _phrases(f"relevance.{name}") for name in ("general", "often_general", "orders", "about")
)
_BEGINNINGS = _GENERAL | _OFTEN_GENERAL | _ORDERS | _ABOUT
_LONGEST = max(map(len, _BEGINNINGS))
_ORDERS_UNSPACED = tuple(lists.words("relevance.orders_unspaced"))
_POINTING = {
    code: frozenset(words.split())
    for code, _, words in (line.partition(": ") for line in lists.lines("relevance.pointing"))
}
_LIKINGS = frozenset(lists.words("relevance.likings"))
_COMMANDS = frozenset(lists.words("relevance.commands"))
_HOW = frozenset(lists.words("pronouns.how"))
_PLACING = frozenset({"at", "in", "as", "from"})  # end the names of fields that verbs name
_ENGLISH = language("en")


def only_echoes(
    ranking: Ranking, best: Sequence[Ranked], units_of: Callable[[Sequence[Ranked]], Mapping[int, Unit]]
) -> bool:
    """True for a few words that somebody said before, and that stand nowhere but as a whole turn, or as a whole piece of an episode: `cheers mate`."""
    question, text = ranking.question, ranking.question.query.text
    if len(words_of(text)) > FEW or "?" in text or question.query.filters or question.latest:
        return False
    worth, tokens_of_text = _worth(ranking), question.language.tokens
    asked = frozenset(tokens_of_text(text))
    sharing = units_of([hit for hit in best[:BEST] if _words_held(ranking, worth, hit.unit.rowid)]).values()

    def is_echo(unit: Unit) -> bool:
        text = without_block_ids(unit.text)
        pieces = [text] if unit.kind == "turn" else _MARKS.split(text)
        pieces = [piece for piece in pieces if not asked.isdisjoint(tokens_of_text(piece))]
        more = [word for word in words_of(" ".join(pieces)) if asked.isdisjoint(tokens_of_text(word))]
        is_talk = unit.kind in ("turn", "episode") or unit.is_statement
        return is_talk and bool(pieces) and is_filler(" ".join(more))

    return any(unit.kind == "turn" for unit in sharing) and all(map(is_echo, sharing))


def _is_look_up(question: Question) -> bool:
    """True for nothing but telling words that are no order; what is not written with spaces may be a sentence."""
    text = question.query.text
    tells = any(sign.isalpha() for sign in text) and "?" not in text and not _is_bare(question)
    is_cut = any(leaf.via == "bigram" for leaf in question.leaves)
    plain = bool(question.weights) and question.in_words and not question.query.ranges
    typed = words_of(text)
    is_phrase = 0 < len(typed) <= PHRASE and typed[0] in question.weights  # `masts down`
    small = SMALL.get(spoken_in(text, question.language.code), frozenset())
    is_sentence = (question.is_sentence or not small.isdisjoint(typed)) and not is_phrase
    return tells and plain and not (is_cut or is_sentence or _is_order(question))


def _is_order(question: Question) -> bool:
    typed = words_of(question.query.text)
    return bool(typed) and (typed[0] in _COMMANDS or _beginning(typed) in _ORDERS)


def _worked_on(question: Question) -> Sequence[str]:
    """The words of what is worked on by an order that is none of the general ones: `add retries to the kestrel client`."""
    typed = words_of(question.query.text)
    return typed[1:] if typed[:1] and typed[0] in _COMMANDS and _beginning(typed) not in _ORDERS else ()


def _points(question: Question) -> bool:
    """True for a turn about what stands above it or beside it: `why does this fail`; not for `this year` and `these days`."""
    text = question.query.text
    pointing = _POINTING["en"] | _POINTING.get(spoken_in(text, "en"), frozenset())
    return not pointing.isdisjoint({*question.query.words} - framing(text))


def _is_bare(question: Question) -> bool:
    """True for a turn that tells of nothing: thanks, yeses, stop words and numbers."""
    own, english = question.language.is_stop, _ENGLISH.is_stop
    return is_filler(question.query.text, is_stop=lambda word: own(word) or english(word) or word.isdigit())


def _beginning(typed: Sequence[str]) -> tuple[str, ...]:
    """The longest listed beginning that a turn has; empty for none."""
    begins = (tuple(typed[:n]) for n in range(_LONGEST, 0, -1))
    return next((start for start in begins if start in _BEGINNINGS), ())


def asks_about(question: Question) -> bool:
    """True for a question of all that is known about something: `what do you know about Kiln?`."""
    return _beginning(words_of(question.query.text.replace("’", "'"))) in _ABOUT


def _begins_with_its_verb(text: str) -> bool:
    """True for a verb before its subject, which asks in German and Dutch where it tells nothing else: `fahre ich noch Auto`."""
    words, tokens = grammar_of(text, unread="en"), tokens_of(text)
    return bool(words.final_verbs) and words.nominatives.has_any(tokens[1:2]) and tokens[0] not in words.small


def of_text(question: Question, *, is_known: bool = False, by_one_word: bool = False) -> dict[str, float]:
    """The features of a turn itself, each from 0 to 1.

    Args:
        is_known: a memory has all of its telling words, so that it asks for no common knowledge.
        by_one_word: of several telling words no memory has two: `is the earth flat`, beside a flat white.
    """
    text = question.query.text.replace("’", "'")
    typed = words_of(text)
    start = _beginning(typed)
    liking = typed[len(start) : len(start) + 1] and typed[len(start)] in _LIKINGS  # `how do i like my tea`
    own = bool(liking) or any(word in MYSELF for word in typed[len(start) :])
    own = own or (question.of_myself and MYSELF.isdisjoint(typed))  # by words of another language
    names = {word for name in (*question.entities, *question.people) for word in name.split()}
    named = own or names
    asks = start in _ABOUT or "?" in text or "？" in text or question.opens_asking
    asks = asks or _begins_with_its_verb(text)
    asks = asks or any(is_question(sentence, names.__contains__) for sentence in sentences(text))
    beside = {
        "general": start in (_GENERAL | _OFTEN_GENERAL if by_one_word else _GENERAL)
        and not (named or is_known),
        "order": not own and (start in _ORDERS or any(phrase in text for phrase in _ORDERS_UNSPACED)),
        "pointing": _points(question),
        "pasted": any(mark in text for mark in _PASTED),
        "bare": _is_bare(question),
    }
    is_own = own and asks and not beside["bare"]
    # `which model are you?` asks the assistant, not the vault
    is_of_you = question.of_you and not (question.of_manner or start in _ABOUT)
    is_plain = asks and not (is_own or is_of_you or any(beside.values()))
    values = {**beside, "own question": is_own, "question": is_plain}
    return {name: float(value) for name, value in values.items()}


# What was found for it.


def of_evidence(ranking: Ranking, best: Sequence[Ranked], worth: Worth) -> dict[str, float]:
    """The features of what was found for a turn: how much of it meets where, and how rare that is in this vault."""
    question, evidence = ranking.question, ranking.evidence
    most, total = _most_held(ranking, best, worth)
    rarest, values = rarity(evidence.units, 0), worth.values()
    weight = most / (rarity(evidence.units, 1) + _around(evidence.units))
    near = {leaf.word for hit in best for leaf in _leaves_held(ranking, hit.unit.rowid)} & worth.keys()
    near |= {word for hit in best for word in _words_held(ranking, worth, hit.unit.rowid)}
    # A question is as long as it is with the words that only frame it.
    framed = (framing(question.query.text) | replying(question)) - worth.keys()
    frame = sum(not question.language.is_stop(word) for word in framed)
    return {
        "own found": math.fsum(worth[word][0] for word in near) / total,
        "own told": min(sum(hit.unit.kind == "fact" for hit in best), TOLD) / TOLD,
        "own weight": min(weight, 1.0),
        "weight": weight,
        "length": min(frame + sum(part for _, part, _ in values), LONG) / LONG,
        "unknown": sum(weight for weight, _, idf in values if idf >= rarest) / total,
        "name": float(bool(question.entities or question.people)),
        "speaker": float(
            any(hit.unit.kind == "turn" and hit.unit.entity_key in question.any_person for hit in best)
        ),
        "time": float(any(hit.words and hit.term("date") for hit in best)),
    }


def _most_held(ranking: Ranking, best: Sequence[Ranked], worth: Worth) -> tuple[float, float]:
    """What the words that a unit holds weigh at most, and what all of them do."""
    words_of_units = [_words_held(ranking, worth, hit.unit.rowid) for hit in best]
    most = max((math.fsum(worth[word][0] for word in words) for words in words_of_units), default=0.0)
    return most, math.fsum(weight for weight, _, _ in worth.values()) or 1.0


def _around(units: int) -> float:
    """What a word tells besides its rarity: in one of five notes no word is rare."""
    return math.log1p(AROUND / (units + 1))


def _worth(ranking: Ranking) -> Worth:
    """The words of a question, each with what it weighs, as how many words it counts, and its idf; of what is not written with spaces, the pairs."""
    question, evidence = ranking.question, ranking.evidence
    pairs = {leaf.clause.text: n for n, leaf in enumerate(question.leaves) if _is_pair(leaf)}
    cut = {question.leaves[n].word for n in pairs.values()}
    reply = replying(question)  # holds what it recommends, and no `recommend`
    telling = {word: idf for word, idf in question.weights.items() if word not in reply} or question.weights
    parts = {word: (1.0, idf) for word, idf in telling.items() if word not in cut}
    parts |= {text: (PAIR, evidence.weights[n]) for text, n in pairs.items()}
    around = _around(evidence.units)
    return {word: (part * (idf + around), part, idf) for word, (part, idf) in parts.items()}


def _words_held(ranking: Ranking, worth: Worth, rowid: int) -> set[str]:
    """The words of a question that a unit holds, or synonyms of the vault, as they stand in `worth`."""
    question = ranking.question
    leaves = (*question.leaves, *question.aliases)
    counted = [n for n in ranking.evidence.counts.get(rowid, NOTHING_COUNTED).own if n < len(leaves)]
    return {word for n in counted for word in _words_of(leaves[n], n < len(question.leaves)) if word in worth}


def _leaves_held(ranking: Ranking, rowid: int) -> list[Leaf]:
    """All that stands in a unit for what was asked, related words among it."""
    leaves = ranking.question.all_leaves
    return [leaves[n] for n in ranking.evidence.counts.get(rowid, NOTHING_COUNTED).own]


def _words_of(leaf: Leaf, asked: bool) -> list[str]:
    if leaf.near:  # a day is no word
        return []
    if _is_pair(leaf):
        return [leaf.clause.text]
    return [leaf.word] if asked else leaf.word.split()


def _is_pair(leaf: Leaf) -> bool:
    return leaf.via == "bigram" and leaf.share == 1


def is_sign(leaf: Leaf) -> bool:
    """True for one sign of what is written without spaces; Korean has them."""
    return leaf.via == "bigram" and leaf.share < 1 and not "가" <= leaf.clause.text <= "힣"
