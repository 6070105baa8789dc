"""What counts besides words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import pytest

from memoryclaw.index.bm25 import K1
from memoryclaw.index.catalog import UnitSummary
from memoryclaw.index.stemming import language
from memoryclaw.model import FROM_NOW_ON
from memoryclaw.ports import IndexClause
from memoryclaw.recall.evidence import Counts, Evidence
from memoryclaw.recall.query import ParsedQuery
from memoryclaw.recall.question import Leaf, Question
from memoryclaw.recall.rank import (
    ASKS,
    ASSISTANT,
    OPENS,
    PINNED,
    REPLY,
    SESSION,
    SPEAKER,
    Ranked,
    causes,
    covers,
    rank,
    was_so,
)
from memoryclaw.text.dates import DateRange

EPISODE = UnitSummary(
    rowid=1, id="e", kind="episode", path="e.md", seq=0, line=1, at="2026-04-20T08:00:00Z", until="", entity_key="",
    field="", value="", trust="trusted", pinned=0, state="current", role="", asks=0,
    opens=0,
)  # fmt: skip
FACT = EPISODE._replace(kind="fact", at="", entity_key="boathouse", field="deadline")
TURN = EPISODE._replace(kind="turn", role="user")
WORD = Leaf(IndexClause("token", "word"), "word", "literal")


def asked(
    text: str = "",
    *,
    entities: Mapping[str, str] | None = None,
    people: Mapping[str, str] | None = None,
    ranges: Sequence[tuple[str, str, str]] = (),
    tokens: frozenset[str] = frozenset(),
) -> Question:
    spoken = tuple(DateRange(first, last, said, (0, 0)) for first, last, said in ranges)
    query = ParsedQuery(text, None, (), (), spoken, notices=())
    return Question(
        query, language("en"), date(2026, 4, 20), None, (WORD,), (), (), (), entities or {}, people or {}, {}, {}, tokens, (), ()
    )  # fmt: skip


def evidence(scores: Mapping[int, float], units: Sequence[UnitSummary], *, listed: bool = False) -> Evidence:
    """Units with these scores from their words."""
    counts = {rowid: Counts({0: score / (K1 + 1 - score) * K1}) for rowid, score in scores.items() if score}
    return Evidence(100, units, counts, [1.0], listed)


def ranked(
    base: float, unit: UnitSummary, question: Question, *others: UnitSummary, listed: bool = False
) -> Ranked:
    """A unit with the score `base` from its words, which is the best of all."""
    scores = {unit.rowid: base, **{other.rowid: base / 2 for other in others}}
    return next(
        ranked
        for ranked in rank(question, evidence(scores, [unit, *others], listed=listed))
        if ranked.unit == unit
    )


def names(unit: Ranked) -> list[str]:
    return [name for name, _ in unit.terms]


def value(unit: Ranked, name: str) -> float:
    return dict(unit.terms)[name]


PLAIN = asked()


def test_the_highest_score_comes_first_and_ties_break_by_id() -> None:
    units = [EPISODE._replace(rowid=n, id=id_, at="") for n, id_ in enumerate("bza", 1)]
    order = rank(PLAIN, evidence({1: 1.0, 2: 1.5, 3: 1.0}, units))
    assert [ranked.unit.id for ranked in order] == ["z", "a", "b"]


def test_a_fact_of_the_entity_asked_about_gains_and_more_so_with_the_field() -> None:
    boathouse = {"boathouse": "Boathouse"}
    assert names(ranked(2.0, FACT, asked(entities=boathouse))) == ["entity"]
    field = asked(entities=boathouse, tokens=frozenset({"deadlin"}))
    assert names(ranked(2.0, FACT, field)) == ["entity", "field"]
    assert names(ranked(2.0, FACT._replace(entity_key="kiosk"), asked(entities=boathouse))) == []
    # What somebody wants from now on is not about that one.
    assert names(ranked(2.0, FACT._replace(field=FROM_NOW_ON), asked(entities=boathouse))) == []
    assert [cause.word for cause in causes(field, evidence({}, []), ranked(2.0, FACT, field))] == [
        "Boathouse"
    ]


def test_a_date_in_the_question_lifts_what_happened_then() -> None:
    question = asked(ranges=[("2026-04-13", "2026-04-19", "last week")])
    assert "date" not in names(ranked(2.0, EPISODE, question))
    assert "date" in names(ranked(2.0, EPISODE._replace(at="2026-04-16"), question))


def test_a_value_that_held_then_is_lifted_and_one_that_did_not_gains_nothing_from_its_entity() -> None:
    july = {"entities": {"boathouse": "Boathouse"}, "ranges": [("2025-07-01", "2025-07-31", "in July 2025")]}
    question, field = asked(**july), asked(**july, tokens=frozenset({"deadlin"}))
    then = FACT._replace(at="2025-05-20", until="2025-11-20")
    assert names(ranked(2.0, then, question)) == ["entity", "date"]
    later = FACT._replace(at="2026-03-24")
    assert names(ranked(2.0, later, question)) == []
    assert names(ranked(2.0, later, field)) == ["entity", "field"]
    assert names(ranked(2.0, FACT._replace(at="2025-03-24"), question)) == ["entity", "date"]
    assert names(ranked(2.0, FACT, question)) == ["entity"]


def test_turns_of_others_lose_where_somebody_speaks_who_is_named() -> None:
    question = asked(people={"nora": "Nora"})
    own, other = TURN._replace(entity_key="nora"), TURN._replace(rowid=2, id="other", entity_key="tom")
    counts = {1: Counts({0: 1.0}), 2: Counts({0: 1.0})}
    both = Evidence(9, [own, other], counts, [2.0])
    by_nora, by_tom = rank(question, both)
    assert (by_nora.unit, by_tom.unit) == (own, other)
    assert value(by_tom, "speaker") == pytest.approx(-SPEAKER * by_tom.words, abs=0.001)
    assert "speaker" not in names(by_nora)
    assert [cause.word for cause in causes(question, both, by_nora)] == ["Nora"]
    assert [cause.word for cause in causes(question, both, by_tom)] == ["-Nora"]
    # Who does not speak takes nothing from those who do, and a fact is nobody's turn.
    assert "speaker" not in names(ranked(2.0, other, question))
    assert all("speaker" not in names(ranked) for ranked in rank(PLAIN, both))
    with_fact = both._replace(candidates=[own, FACT._replace(rowid=2)])
    assert all("speaker" not in names(ranked) for ranked in rank(question, with_fact))


def test_a_turn_that_ends_in_a_question_loses() -> None:
    assert value(ranked(2.0, TURN._replace(asks=1), PLAIN), "asks") == pytest.approx(-ASKS * 2.0, abs=0.001)
    assert "asks" not in names(ranked(2.0, TURN, PLAIN))


def test_what_is_said_soon_after_a_day_gains_the_less_the_later() -> None:
    question = asked(ranges=[("2026-04-01", "2026-04-05", "early April")])
    days = ["2026-04-05", "2026-04-06", "2026-04-08", "2026-04-11"]
    values = [value(ranked(2.0, TURN._replace(at=f"{day}T09:00:00Z"), question), "date") for day in days]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(days)
    for other in (
        TURN._replace(at="2026-03-31"),
        TURN._replace(at="2026-04-12"),
        EPISODE._replace(at=days[1]),
    ):
        assert "date" not in names(ranked(2.0, other, question))
    until = asked(ranges=[("", "2026-04-05", "until the fifth")])
    assert "date" not in names(ranked(2.0, TURN._replace(at=days[1]), until))


def test_a_pin_adds_a_share_of_the_words() -> None:
    assert value(ranked(2.0, EPISODE._replace(pinned=1), PLAIN), "pinned") == pytest.approx(
        PINNED * 2.0, abs=0.001
    )


def test_an_assistants_turn_loses_where_the_question_is_about_the_one_who_asks() -> None:
    turn = TURN._replace(role="assistant")
    unit = ranked(2.0, turn, asked("what did I decide about my boat"))
    assert value(unit, "assistant") == pytest.approx(-ASSISTANT * 2.0, abs=0.001)
    assert "assistant" not in names(ranked(2.0, turn, asked("what did Nora decide")))
    assert "assistant" not in names(ranked(2.0, TURN, asked("what did I decide")))


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("Which tyres did you recommend for my bike?", True), ("what was the recipe you gave me", True),
        ("Was hast du mir für meinen Rücken empfohlen?", True), ("que m'as-tu conseillé pour mon dos ?", True),
        ("I read the book you suggested. I liked my evening with it.", False), ("can you recommend tyres for my bike?", False),
        ("what did my doctor recommend?", False),
    ],
)  # fmt: skip
def test_an_assistants_turn_gains_where_it_is_asked_what_the_assistant_said(
    question: str, *, is_asked: bool
) -> None:
    unit = ranked(2.0, TURN._replace(role="assistant"), asked(question))
    share = REPLY if is_asked else -ASSISTANT
    assert value(unit, "reply" if is_asked else "assistant") == pytest.approx(share * 2.0, abs=0.001)
    assert not {"reply", "assistant"} & {*names(ranked(2.0, TURN, asked(question)))}


@pytest.mark.parametrize(
    ("question", "of_myself"),
    [
        ("What’s my sister called?", True), ("I'm late, why?", True), ("Wie heißt meine Schwester?", True),
        ("¿Cómo se llama mi hermana?", True), ("j'ai dit quoi", True), ("我妹妹叫什么", True),
        ("What is the sister of Mia called?", False), ("", False),
    ],
)  # fmt: skip
def test_whether_a_question_is_about_the_one_who_asks(question: str, *, of_myself: bool) -> None:
    assert asked(question).of_myself is of_myself


def test_the_turn_that_opens_a_session_gains() -> None:
    assert value(ranked(2.0, TURN._replace(opens=1), PLAIN), "opens") == pytest.approx(OPENS * 2.0, abs=0.001)
    assert "opens" not in names(ranked(2.0, TURN, PLAIN))


def test_the_best_turn_of_a_session_lends_to_the_others_of_it_and_is_named() -> None:
    best = TURN._replace(rowid=2, id="best", path="s.jsonl")
    other, apart = TURN._replace(rowid=3, path="s.jsonl"), TURN._replace(rowid=4, path="t.jsonl")
    scores = {2: 2.0, 3: 1.0, 4: 1.0}
    by_rowid = {ranked.unit.rowid: ranked for ranked in rank(PLAIN, evidence(scores, [best, other, apart]))}
    assert value(by_rowid[3], "session") == pytest.approx(SESSION * 1.0, abs=0.001)
    assert [(cause.word, cause.via) for cause in causes(PLAIN, evidence(scores, [best]), by_rowid[3])] == [
        ("best", "session")
    ]
    assert names(by_rowid[2]) == names(by_rowid[4]) == []


def test_what_a_tool_brought_in_neither_lends_nor_borrows() -> None:
    turn, tool = TURN._replace(rowid=2), TURN._replace(rowid=3, role="tool", trust="untrusted")
    for scores in ({2: 2.0, 3: 1.0}, {2: 1.0, 3: 2.0}):
        assert [names(ranked) for ranked in rank(PLAIN, evidence(scores, [turn, tool]))] == [[], []]


def test_a_listing_without_words_has_pinned_notes_first() -> None:
    units = EPISODE._replace(rowid=2), EPISODE._replace(pinned=1)
    assert [ranked.unit.pinned for ranked in rank(PLAIN, evidence({}, units, listed=True))] == [1, 0]


@pytest.mark.parametrize(
    ("at", "until", "first", "last", "is_covered"),
    [
        ("2025-07-08T17:25:00Z", "", "2025-07-08", "2025-07-08", True),
        ("2025-07-08", "", "2025-07-09", "", False),
        ("2025-07-08", "2025-07-10", "2025-07-09", "2025-07-09", True),
        ("2025-07-08", "", "", "2025-07-07", False),
        ("", "", "", "", False),
    ],
)
def test_the_time_of_an_event(at: str, until: str, first: str, last: str, is_covered: bool) -> None:
    assert covers(at, until, first, last) is is_covered


@pytest.mark.parametrize(
    ("since", "until", "day", "open_end", "was_held"),
    [
        ("2025-05-20", "2025-11-20", "2025-05-20", False, True),
        ("2025-05-20", "2025-11-20", "2025-11-19", False, True),
        ("2025-05-20", "2025-11-20", "2025-11-20", False, False),
        ("", "2025-11-20", "2020-01-01", False, True),
        ("2025-05-20", "", "2026-01-01", True, True),
        ("2025-05-20", "", "2026-01-01", False, False),
        ("2025-05-20", "2025-05-20", "2025-05-20", False, True),
        ("", "", "2025-05-20", True, False),
    ],
)
def test_a_value_holds_from_its_first_day_to_the_day_before_it_ceased(
    since: str, until: str, day: str, open_end: bool, was_held: bool
) -> None:
    assert was_so(since, until, day, day, open_end=open_end) is was_held
