"""Whose a line is: a question of oneself is not answered by what is told of another, whoever said it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import compress, pairwise

from memoryclaw import late
from memoryclaw.index.stemming import language
from memoryclaw.recall.question import Question
from memoryclaw.text import words as lists
from memoryclaw.text.clauses import Clause, clauses
from memoryclaw.text.grammar import Grammar, grammar_of, spoken_in, tokens_of
from memoryclaw.text.language import WORD, key_of, words_of
from memoryclaw.text.sentences import sentences
from memoryclaw.vault.value_forms import is_occupation

_OWN = frozenset(lists.words("pronouns.own"))
_GIVEN = frozenset(lists.words("names.given"))  # names that are ordinary words as well
_KINDS = frozenset(lists.words("names.beside"))  # and articles
_UNSPACED = late.pattern(r"[\u3041-\u9fff]")
_RELATIVES = tuple(line.split() for line in lists.lines("relevance.relatives_unspaced"))
_UNSPOKEN = late.pattern(r"[^\u3041-\u309f]")  # other than the small words of Japanese
_NAMED = 4  # signs of a name, at most
_NEAR = 3  # words behind an article, of which one is the thing


def asks_of_oneself(question: Question) -> bool:
    """True for a question of the one who asks, also where a verb alone says so: `¿dónde trabajo?`."""
    text = question.query.text
    words, tokens = grammar_of(text, unread="en"), tokens_of(text)
    signs = (words.first_person, words.contracted_subjects, words.possessives_own)
    return question.of_myself or any(sign.has_any(tokens) for sign in signs)


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
    by_pronoun = _OWN.isdisjoint(asked_words)  # `my dog` may be `she`
    own_words = " ".join(word for before, word in pairwise(asked_words) if before in _OWN)
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
    small = {word for word in worked_on if word in tokens and _is_name(word, words)}
    capitals = {word for word in named if word.capitalize() in text or word in small}
    if not capitals:
        return False
    for clause in (clause for sentence in sentences(text) for clause in clauses(sentence, words)):
        subject = clause.subject or clause.tokens[:1]
        names = {name[0] for name in _people(clause, words, lambda _key: False)}
        names.update(() if words.noun_capitals else (name for name in subject if _is_name(name, words)))
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
        if token in _OWN or not by_article:
            return token in _OWN
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
        if name and _is_name(name, words) and (typed in capitals or names(name)):
            is_called = subject[place + 1 : place + 2] and subject[place + 1] in words.noun_openers
            yield subject[place:] if is_called else [name]  # `Rex the dog`


def _roles_of_others(clause: Clause, words: Grammar) -> Iterator[str]:
    """The roles that somebody has to a person who is meant by a pronoun: `her boss`, `o chefe dela`."""
    tokens = ("", *clause.tokens, "")
    for place, size in words.roles.places(tokens):
        is_own = tokens[place - 1] in words.possessives_own
        if not is_own and not words.people_pronouns.isdisjoint((tokens[place - 1], tokens[place + size])):
            yield from tokens[place : place + size]


def _is_name(word: str, words: Grammar) -> bool:
    """True for no ordinary word of a language."""
    return not any(word in list_ for list_ in (words.common, words.subjects, words.nouns, words.everyday))


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
