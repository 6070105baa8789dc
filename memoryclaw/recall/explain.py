"""Why a unit answers a question: which words stand in which field, and how each was found. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memoryclaw.index.codes import codes_in
from memoryclaw.late import NamedTuple
from memoryclaw.model import ALSO, COLUMNS, Matched, Term
from memoryclaw.ports import IndexClause
from memoryclaw.recall.query import Filter
from memoryclaw.recall.question import Leaf
from memoryclaw.text.language import Language, fold, words_of

# How a filter found a unit, and where, if not literally in the field of its name.
_FILTER_VIA = dict.fromkeys(("entity", "person", "project"), "entity") | dict.fromkeys(
    ("since", "until", "on"), "date"
)
_FILTER_FIELD = {"tag": "tags"} | dict.fromkeys(("since", "until", "on", "expires"), "date")


UnitWords = Mapping[str, tuple[Sequence[str], Sequence[str]]]  # of a column, the words written and as tokens


class Reasons(NamedTuple):
    """Where the words of a question were found in a unit."""

    matched: list[Matched]
    surfaces: set[str]  # words as written that should be highlighted


def read_columns(
    columns: Mapping[str, str], stored: Mapping[str, str], tokens_of: Mapping[str, str], language: Language
) -> UnitWords:
    """A unit's texts by column, each word beside its token; but for columns that hold none of the tokens.

    Args:
        stored: the codes that the index keeps of its tokens.
        tokens_of: what codes stand for; where it is none of these, a word has no token.
        language: that of the note, for words with several tokens.
    """
    reading: dict[str, tuple[Sequence[str], Sequence[str]]] = {}
    for name, text in columns.items():
        words, codes = words_of(text) if text else [], codes_in(stored.get(name, ""))
        if len(codes) != len(words):
            reading[name] = words, [*map(language.known.__getitem__, words)]
        elif not tokens_of.keys().isdisjoint(codes):
            reading[name] = words, [tokens_of.get(code, "") for code in codes]
    return reading


def reasons(leaves: Iterable[Leaf], reading: UnitWords) -> Reasons:
    """Where these leaves stand in the columns of a unit."""
    collected = Reasons([], set())
    leaves = list(leaves)
    if not leaves:
        return collected
    places = _places({leaf.clause.text for leaf in leaves if leaf.clause.op == "token"}, reading)
    tokens = {token for _, token in places}
    columns = [column for column in (*COLUMNS, ALSO) if column in reading]
    for leaf in leaves:
        if leaf.clause.op == "token" and leaf.clause.text not in tokens:
            continue
        for column in leaf.clause.columns or columns:
            surfaces = (
                places.get((column, leaf.clause.text), ())
                if leaf.clause.op == "token"
                else _phrases(leaf.clause, reading, column)
            )
            if surfaces:
                via = "search word" if column == ALSO else leaf.via
                if via == "literal":
                    folded = fold(leaf.word)
                    via = "literal" if any(fold(surface) == folded for surface in surfaces) else "stem"
                collected.surfaces.update(surfaces)
                matched = Matched(word=leaf.word, field=column, via=via)
                if matched not in collected.matched:
                    collected.matched.append(matched)
    return collected


def _places(wanted: set[str], reading: UnitWords) -> dict[tuple[str, str], list[str]]:
    """Where the wanted tokens stand: (column, token) → the words as written."""
    places: dict[tuple[str, str], list[str]] = {}
    for column, (words, tokens) in reading.items():
        for token in wanted.intersection(tokens):
            places[column, token] = [words[place] for place in _all_of(token, tokens)]
        for joined in tokens if " ".join(tokens).count(" ") >= len(tokens) else ():
            for token in joined.split() if " " in joined else ():
                if token in wanted:
                    places.setdefault((column, token), []).append(token)
    return places


def _all_of(token: str, tokens: Sequence[str]) -> Iterator[int]:
    place = -1
    for _ in range(tokens.count(token)):
        place = tokens.index(token, place + 1)
        yield place


def _phrases(clause: IndexClause, reading: UnitWords, column: str) -> list[str]:
    words, tokens = reading.get(column, ((), ()))
    phrase = clause.text.split()
    flat = [(word, token) for word, joined in zip(words, tokens, strict=True) for token in joined.split()]
    return [
        " ".join(dict.fromkeys(word for word, _ in flat[i : i + len(phrase)]))
        for i in range(len(flat) - len(phrase) + 1)
        if all(flat[i + k][1] == token_ for k, token_ in enumerate(phrase))
    ]


def filter_causes(filters: Sequence[Filter]) -> list[Matched]:
    """What each filter that holds contributes to the explanation; an exclusion is a cause where there is no other."""
    filters_in_force = [item for item in filters if not item.negated]
    if not filters_in_force:
        return [Matched(word=f"-{item.written}", field="filter", via="literal") for item in filters]
    return [
        Matched(
            word=item.value if item.field == "tag" else item.written,
            field=_FILTER_FIELD.get(item.field, item.field),
            via=_FILTER_VIA.get(item.field, "literal"),
        )
        for item in filters_in_force
    ]


def rounded(terms: Sequence[Term], score: float) -> list[tuple[str, int]]:
    """Each term in thousandths, so that they add up to the score in thousandths.

    What rounding leaves over goes, one thousandth each, to the terms that it changed most.
    """
    exact = [term.value * 1000 for term in terms]
    floors = [int(value // 1) for value in exact]
    order = sorted(range(len(terms)), key=lambda i: (floors[i] - exact[i], terms[i].name))
    for i in order[: round(score * 1000) - sum(floors)]:
        floors[i] += 1
    return [(term.name, value) for term, value in zip(terms, floors, strict=True)]
