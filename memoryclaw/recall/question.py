"""Turns a parsed query into a question to the index: tokens, synonyms, entities, and how rare each word is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from whoosh.support.levenshtein import damerau_levenshtein

from memoryclaw.index.bm25 import idf, rarity
from memoryclaw.index.catalog import Catalog
from memoryclaw.ports import Clause, TextIndex
from memoryclaw.recall.explain import Leaf
from memoryclaw.recall.query import Expr, Query, all_of, any_of, parse
from memoryclaw.recall.related_words import related
from memoryclaw.text.language import Language, fold
from memoryclaw.vault import entities

PREFIX_WORDS = 32  # a prefix stands for at most so many words of the vault, the most frequent ones
FUZZY_WORDS = 8
RELATED_SHARE = 0.1  # of all units: what more of them hold is too common to stand for another word
COMMON_SHARE, COMMON_UNITS = 0.2, 1000  # in a large vault a word that every fifth unit holds only costs time

_OWN = ("title", "tags", "properties", "body")  # a related word beside a turn says too little


@dataclass(slots=True)
class Question:
    """A query as the index understands it."""

    query: Query
    clause: Clause | None = None
    leaves: list[Leaf] = field(default_factory=list)
    aliases: list[Leaf] = field(default_factory=list)
    related: list[Leaf] = field(
        default_factory=list
    )  # words of everyday language that may stand for those asked
    goal: list[Leaf] = field(default_factory=list)  # of what the agent is at
    entities: dict[str, str] = field(default_factory=dict)  # key → name as the vault has it
    people: dict[str, str] = field(default_factory=dict)
    parts: dict[str, str] = field(
        default_factory=dict
    )  # named by one word of a longer name: likely, so only boosted
    weights: dict[str, float] = field(default_factory=dict)  # content word → idf
    tokens: set[str] = field(default_factory=set)  # of the content words and their synonyms
    unknown: list[str] = field(default_factory=list)
    spelled: dict[str, list[str]] = field(default_factory=dict)  # word → tokens of its other spellings
    called: set[str] = field(
        default_factory=set
    )  # words that name people who speak; they count for less in turns
    notices: list[str] = field(default_factory=list)

    @property
    def in_words(self) -> bool:
        """True when nothing but words is looked up, none of which must stand."""
        return _is_plain(self.query)

    @property
    def open_to_goal(self) -> bool:
        """True when a goal may find something by itself: the question is in plain words, not exact or of a time alone."""
        return self.query.root is not None and _is_plain(self.query)


def ask(text: str, *, catalog: Catalog, language: Language, index: TextIndex, today: date) -> Question:
    """Understands a question without a model.

    Args:
        text: the question.
        catalog: knows the vault's words, names and synonyms.
        language: the analysis of words.
        index: counts units.
        today: the clock's UTC day, for "last week".
    """
    query = parse(text, today=today)
    words = [word for word in query.words if not language.is_stop(word)]
    if not words and (query.ranges or query.filters) and _is_plain(query):
        query = query._replace(root=None, words=())  # "what happened last week" asks for all of last week
    question = Question(query, notices=list(query.notices))
    words = words or list(query.words)
    units = index.size()[0]
    _weigh(question, words, catalog, language, units)
    _name(question, words, catalog)
    if _is_plain(query):
        _synonyms(question, words, catalog, language)
        _relate(question, words, catalog, language, units)
    if query.root is not None:
        resolver = _Resolver(question, catalog, language, frozenset(words), units)
        question.clause = resolver.clause(_loosened(query.root, question, language, index))
    return question


def _is_plain(query: Query) -> bool:
    """True when nothing but words, dates and fields was written."""
    root = query.root
    if root is None or query.joined:
        return root is None
    return root.op in ("word", "any") and all(
        part.op == "word" and not part.column for part in root.parts or (root,)
    )


def _loosened(root: Expr, question: Question, language: Language, index: TextIndex) -> Expr:
    """A phrase amid other words that stands nowhere, such as a title quoted from memory, is asked by its words."""
    needs = [part for part in root.parts if part.op == "phrase"]
    ranking = [part for part in root.parts if part.op == "any" and needs and part.parts[0] == needs[0]]
    if root.op != "all" or question.query.joined or not ranking:
        return root
    lost = [
        part
        for part in needs
        if not index.count(Clause("phrase", " ".join(language.tokens(part.text)), _columns(part)))
    ]
    if not lost:
        return root
    question.notices += [
        f'"{part.text}" stands nowhere as a phrase; its words were searched instead' for part in lost
    ]
    words = [Expr("word", word) for part in lost for word in part.text.split()]
    left = [part for part in root.parts if part not in (*lost, ranking[0])]
    found = [part for part in left if part.op != "not"]
    loose = any_of([*found[:1], *(part for part in ranking[0].parts if part not in lost), *words])
    return all_of([*found, loose, *(part for part in left if part.op == "not")])


def _weigh(
    question: Question, words: Sequence[str], catalog: Catalog, language: Language, units: int
) -> None:
    tokens = {word: language.token(word).split() for word in words}
    counts = catalog.count_of([token for found in tokens.values() for token in found])
    for word, own in tokens.items():
        found = own
        if not any(token in counts for token in own):
            found = _spelled_otherwise(question, word, catalog, language)
            counts.update(catalog.count_of(found))
        question.weights[word] = max(
            (rarity(units, counts.get(token, 0)) for token in found), default=rarity(units, 0)
        )
        question.tokens.update(own, found)
        if not found:
            question.unknown.append(word)


def _spelled_otherwise(question: Question, word: str, catalog: Catalog, language: Language) -> list[str]:
    """Tokens of `Café` for `cafe`: most stemmers treat letters with and without accents unlike."""
    if language.folds_first:
        return []
    others = [token for other in catalog.words_spelled(word) for token in language.token(other).split()]
    question.spelled[word] = list(dict.fromkeys(others))
    return question.spelled[word]


def _name(question: Question, words: Sequence[str], catalog: Catalog) -> None:
    said = entities.candidates(question.query.words or words)
    keys = {candidate.key: candidate.key for candidate in said}
    keys.update((entities.key_of(other), key) for key, other in catalog.synonyms(list(keys)))
    found = catalog.names(list(keys), ("entity", "person", "part"))
    for target, kind in (
        (question.entities, "entity"),
        (question.people, "person"),
        (question.parts, "part"),
    ):
        names = {keys[key]: name for key, of, name in found if of == kind}
        for candidate in entities.select(said, names):
            target[entities.key_of(names[candidate.key])] = names[candidate.key]


def _synonyms(question: Question, words: Sequence[str], catalog: Catalog, language: Language) -> None:
    keys = dict.fromkeys(candidate.key for candidate in entities.candidates(words))
    for said, synonym in catalog.synonyms(list(keys)):
        tokens = language.tokens(synonym)
        if tokens and not question.tokens.issuperset(tokens):
            op = "token" if len(tokens) == 1 else "phrase"
            question.aliases.append(Leaf(Clause(op, " ".join(tokens)), said, "alias"))
    question.tokens.update(token for leaf in question.aliases for token in leaf.clause.text.split())


def _relate(
    question: Question, words: Sequence[str], catalog: Catalog, language: Language, units: int
) -> None:
    names = {part for key in (*question.entities, *question.people, *question.parts) for part in key.split()}
    plain = [word for word in words if entities.key_of(word) not in names]
    akin = {word: related(language.token(word), language) for word in plain}
    counts = catalog.count_of([token for tokens in akin.values() for token in tokens])
    most = max(1, units * RELATED_SHARE)
    question.related = [
        Leaf(Clause("token", token, _OWN), word, "alias")
        for word, tokens in akin.items()
        for token in tokens
        if token not in question.tokens and 0 < counts.get(token, 0) <= most
    ]


class _Resolver:
    def __init__(
        self, question: Question, catalog: Catalog, language: Language, known: frozenset[str], units: int
    ) -> None:
        self._question = question
        self._catalog = catalog
        self._language = language
        self._known = known
        self._units = units
        self._exact = question.query.joined
        self._by_op: dict[str, Callable[[Expr], Clause | None]] = {
            "word": self._word, "phrase": self._phrase, "prefix": self._prefix, "fuzzy": self._fuzzy,
            "any": self._any, "all": self._all, "not": self._not,
        }  # fmt: skip

    def clause(self, expr: Expr) -> Clause | None:
        """The clause of one expression, or None when nothing of it can be looked up."""
        return self._by_op[expr.op](expr)

    def _word(self, expr: Expr) -> Clause | None:
        tokens = self._language.token(expr.text).split()
        via = "bigram" if len(tokens) > 1 else "literal"
        return self._leaves(expr, self._question.spelled.get(expr.text) or tokens, expr.text, via)

    def _phrase(self, expr: Expr) -> Clause | None:
        tokens = self._language.tokens(expr.text)
        if len(tokens) < 2:
            return self._leaves(expr, tokens, expr.text, "literal")
        leaf = Leaf(Clause("phrase", " ".join(tokens), _columns(expr)), expr.text, "phrase")
        self._question.leaves.append(leaf)
        return leaf.clause

    def _prefix(self, expr: Expr) -> Clause | None:
        found = self._catalog.words_like(expr.text, PREFIX_WORDS)
        tokens = dict.fromkeys(token for word in found for token in self._language.token(word).split())
        return self._leaves(expr, list(tokens), f"{expr.text}*", "prefix")

    def _fuzzy(self, expr: Expr) -> Clause | None:
        word = fold(expr.text)
        close = near(word, self._catalog.words_alike(word, slips_in(word)), FUZZY_WORDS)
        tokens = dict.fromkeys(token for found in close for token in self._language.token(found.word).split())
        return self._leaves(expr, list(tokens), f"{expr.text}~", "fuzzy")

    def _leaves(self, expr: Expr, tokens: Sequence[str], word: str, via: str) -> Clause | None:
        leaves = [Leaf(Clause("token", token, _columns(expr)), word, via) for token in tokens]
        self._question.leaves.extend(leaves)
        return _joined("any", [leaf.clause for leaf in leaves])

    def _any(self, expr: Expr) -> Clause | None:
        telling = [part for part in expr.parts if not self._says_nothing(part)]
        parts = [(part, self.clause(part)) for part in telling or expr.parts]
        kept = [clause for part, clause in parts if clause is not None and not self._common(part)]
        unknown = self._question.unknown
        if all(part.text in unknown for part, clause in parts if clause in kept):
            kept = [clause for _, clause in parts if clause is not None]
        else:
            dropped = {part.text for part, clause in parts if clause is not None and self._common(part)}
            self._question.leaves = [leaf for leaf in self._question.leaves if leaf.word not in dropped]
        return _joined("any", kept)

    def _says_nothing(self, part: Expr) -> bool:
        return part.op == "word" and not part.column and not self._exact and part.text not in self._known

    def _common(self, part: Expr) -> bool:
        if part.op != "word" or self._units < COMMON_UNITS or self._exact:
            return False
        return self._question.weights.get(part.text, 9.0) < idf(self._units, int(self._units * COMMON_SHARE))

    def _all(self, expr: Expr) -> Clause | None:
        parts = [(part.op == "not", self.clause(part)) for part in expr.parts]
        wanted = [clause for negated, clause in parts if clause is not None and not negated]
        missing = any(clause is None for negated, clause in parts if not negated)
        if not wanted or missing:
            return None
        barred = [clause for negated, clause in parts if clause is not None and negated]
        return _joined("all", [*wanted, *barred])

    def _not(self, expr: Expr) -> Clause | None:
        before, exact = len(self._question.leaves), self._exact
        self._exact = True
        inner = self.clause(expr.parts[0])
        self._exact = exact
        del self._question.leaves[before:]  # what must be absent explains nothing
        return Clause("not", parts=(inner,)) if inner is not None else None


def _columns(expr: Expr) -> tuple[str, ...]:
    return (expr.column,) if expr.column else ()


def _joined(op: str, clauses: Sequence[Clause]) -> Clause | None:
    return (
        clauses[0]
        if len(clauses) == 1 and clauses[0].op != "not"
        else Clause(op, parts=tuple(clauses))
        if clauses
        else None
    )


# ── Words of the vault that are spelled like a given word, for `jonh~` and "did you mean". Pure; Whoosh
# measures the distance.

_SHORTEST = 3  # a shorter word is one typing slip away from too many others
_TWO_SLIPS = 6  # words of this length may differ in two places


class Near(NamedTuple):
    """A word of the vault and how many slips (letter added, lost, changed, or two swapped) it is away."""

    word: str
    distance: int
    frequency: int


def slips_in(word: str) -> int:
    """How many slips a word of this length may hold."""
    return 0 if len(word) < _SHORTEST else 1 if len(word) < _TWO_SLIPS else 2


def near(word: str, vocabulary: Iterable[tuple[str, int]], limit: int) -> list[Near]:
    """The words of a vocabulary (folded word, frequency) nearest to a word: by distance, frequency, then word.

    One slip is allowed in words of three to five letters, two in longer ones. A known word is nearest to itself.
    """
    word = fold(word)
    slips = slips_in(word)
    found = []
    for candidate, frequency in _alike(word, vocabulary, slips):
        distance = _distance(word, candidate, slips)
        if distance <= slips:
            found.append(Near(candidate, distance, frequency))
    return sorted(found, key=lambda hit: (hit.distance, -hit.frequency, hit.word))[:limit]


def _alike(word: str, vocabulary: Iterable[tuple[str, int]], slips: int) -> list[tuple[str, int]]:
    """Throws out, at a glance, words too long, too short, begun otherwise or made of other letters."""
    first, second, inner, letters = word[:1], word[1:2], word[1:3], set(word)
    shortest, longest = len(word) - slips, len(word) + slips
    return [
        (other, frequency)
        for other, frequency in vocabulary
        if shortest <= len(other) <= longest
        # The first letter is the same, was swapped, lost, put before, or the two letters after it are the same.
        and (other[:1] == first or other[:1] == second or other[1:2] == first or other[1:3] == inner)
        and len(letters.difference(other)) <= slips
        and len(set(other).difference(letters)) <= slips
    ]


def _distance(word: str, other: str, slips: int) -> int:
    if word == other:
        return 0
    start, end = 0, min(len(word), len(other))
    while start < end and word[start] == other[start]:
        start += 1
    back = 0
    while back < end - start and word[-1 - back] == other[-1 - back]:
        back += 1
    # Measured without the common beginning and end: the measuring is quadratic, and most slips are one letter.
    return int(damerau_levenshtein(word[start : len(word) - back], other[start : len(other) - back], slips))
