"""What counts besides words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pytest

from memoryclaw.index.catalog import UnitSummary
from memoryclaw.index.stemming import language
from memoryclaw.recall.evidence import Evidence
from memoryclaw.recall.query import Query
from memoryclaw.recall.question import Question
from memoryclaw.recall.rank import Ranked, causes, covers, held, rank
from memoryclaw.text.dates import DateRange

EPISODE = UnitSummary(
    rowid=1, id="e", kind="episode", path="e.md", seq=0, line=1, at="2026-04-20T08:00:00Z", until="", entity_key="",
    field="", value="", trust="trusted", pinned=0, state="current", asks=0, told="", means_from="", means_to="", names=0,
)  # fmt: skip
FACT = EPISODE._replace(kind="fact", at="", entity_key="boathouse", field="deadline")
TURN = EPISODE._replace(kind="turn")


def asked(
    text: str = "",
    *,
    entities: Mapping[str, str] | None = None,
    people: Mapping[str, str] | None = None,
    ranges: Sequence[tuple[str, str, str]] = (),
    tokens: frozenset[str] = frozenset(),
) -> Question:
    spoken = tuple(DateRange(first, last, said, (0, 0)) for first, last, said in ranges)
    query = Query(text, None, (), (), spoken, explicit=False, notices=())
    return Question(
        query, language("en"), date(2026, 4, 20), None, (), (), (), (), entities or {}, people or {}, {}, {}, tokens, (), ()
    )  # fmt: skip


def ranked(base: float, unit: UnitSummary, question: Question, **evidence: Any) -> Ranked:
    """A unit with the score `base` from its words."""
    found = Evidence(100, [unit], {unit.rowid: base}, {}, {}, {}, listed=False)
    return rank(question, found._replace(**evidence))[0]


def names(found: Ranked) -> list[str]:
    return [name for name, _ in found.terms]


def value(found: Ranked, name: str) -> float:
    return dict(found.terms)[name]


PLAIN = asked()


def test_the_highest_score_comes_first_and_ties_break_by_id() -> None:
    units = [EPISODE._replace(rowid=n, id=id_, at="") for n, id_ in enumerate("bza", 1)]
    found = Evidence(100, units, {1: 2.0, 2: 3.0, 3: 2.0}, {}, {}, {}, listed=False)
    assert [one.unit.id for one in rank(PLAIN, found)] == ["z", "a", "b"]


def test_a_fact_of_the_entity_asked_about_gains_and_more_so_with_the_field() -> None:
    boathouse = {"boathouse": "Boathouse"}
    assert names(ranked(2.0, FACT, asked(entities=boathouse))) == ["entity"]
    field = asked(entities=boathouse, tokens=frozenset({"deadlin"}))
    assert names(ranked(2.0, FACT, field)) == ["entity", "field"]
    assert names(ranked(2.0, FACT._replace(entity_key="kiosk"), asked(entities=boathouse))) == []
    assert [cause.word for cause in causes(field, ranked(2.0, FACT, field))] == ["Boathouse"]


def test_a_date_in_the_question_lifts_what_happened_then() -> None:
    question = asked(ranges=[("2026-04-13", "2026-04-19", "last week")])
    assert "date" not in names(ranked(2.0, EPISODE, question))
    assert "date" in names(ranked(2.0, EPISODE._replace(at="2026-04-16"), question))


def test_a_value_that_held_then_is_lifted_and_one_that_did_not_gains_nothing_from_its_entity() -> None:
    july = {"entities": {"boathouse": "Boathouse"}, "ranges": [("2025-07-01", "2025-07-31", "in July 2025")]}
    question, field = asked(**july), asked(**july, tokens=frozenset({"deadlin"}))
    then = FACT._replace(at="2025-05-20", until="2025-11-20")
    assert names(ranked(2.0, then, question)) == ["entity", "date", "recency"]
    later = FACT._replace(at="2026-03-24")
    assert names(ranked(2.0, later, question)) == ["recency"]
    assert names(ranked(2.0, later, field)) == ["entity", "field", "recency"]
    assert names(ranked(2.0, FACT._replace(at="2025-03-24"), question)) == ["entity", "date", "recency"]
    assert names(ranked(2.0, FACT, question)) == ["entity"]


def test_who_is_named_is_lifted_in_logs_where_they_speak() -> None:
    turn, question = TURN._replace(entity_key="nora"), asked(people={"nora": "Nora"})
    found = ranked(10.0, turn, question)
    assert value(found, "speaker") == 8.0
    assert [cause.word for cause in causes(question, found)] == ["Nora"]
    assert "speaker" not in names(ranked(10.0, turn, PLAIN))


def test_a_turn_loses_where_nobody_speaks_who_is_named() -> None:
    turn, question = TURN._replace(entity_key="jon"), asked(people={"nora": "Nora"})
    assert value(ranked(10.0, turn, question, company=frozenset({"other.jsonl"})), "absent") == -4.0
    assert "absent" not in names(ranked(10.0, turn, question, company=frozenset({turn.path})))


def test_a_turn_that_holds_a_name_gains_when_a_name_is_asked_for() -> None:
    turn = TURN._replace(names=1)
    assert value(ranked(10.0, turn, asked("who was it")), "names") == pytest.approx(4.0, abs=0.001)
    assert "names" not in names(ranked(10.0, turn, PLAIN))


def test_a_turn_that_tells_a_time_gains_when_a_time_is_asked_for() -> None:
    turn, question = TURN._replace(told="last week"), asked("when was it")
    found = ranked(10.0, turn, question)
    assert value(found, "when") == 5.0
    assert [cause.word for cause in causes(question, found)] == ["last week"]
    assert "when" not in names(ranked(10.0, turn, PLAIN))
    assert "when" not in names(ranked(10.0, TURN, question))


def test_a_turn_that_ends_in_a_question_loses() -> None:
    assert value(ranked(10.0, TURN._replace(asks=1), PLAIN), "asks") == pytest.approx(-3.0, abs=0.001)
    assert "asks" not in names(ranked(10.0, TURN, PLAIN))


def test_what_is_said_soon_after_a_day_gains_the_less_the_later() -> None:
    question = asked(ranges=[("2026-04-01", "2026-04-05", "early April")])
    days = ["2026-04-05", "2026-04-06", "2026-04-10", "2026-04-18"]
    found = [value(ranked(2.0, TURN._replace(at=f"{day}T09:00:00Z"), question), "date") for day in days]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(days)
    for other in (
        TURN._replace(at="2026-03-31"),
        TURN._replace(at="2026-04-19"),
        EPISODE._replace(at=days[1]),
    ):
        assert "date" not in names(ranked(2.0, other, question))
    until = asked(ranges=[("", "2026-04-05", "until the fifth")])
    assert "date" not in names(ranked(2.0, TURN._replace(at=days[1]), until))


def test_a_turn_that_tells_of_a_day_gains_as_if_said_on_it() -> None:
    question = asked(ranges=[("2026-04-01", "2026-04-01", "on 1 April")])
    later = TURN._replace(at="2026-04-12", told="last Wednesday")
    tells = ranked(2.0, later._replace(means_from="2026-04-01", means_to="2026-04-01"), question)
    assert value(tells, "date") == value(ranked(2.0, later._replace(at="2026-04-01"), question), "date")
    assert [cause.word for cause in causes(question, tells)] == ["last Wednesday"]
    of_another_day = ranked(2.0, later._replace(means_from="2026-04-08", means_to="2026-04-08"), question)
    assert value(of_another_day, "date") == value(ranked(2.0, later, question), "date") < value(tells, "date")


def test_pins_and_youth_add_a_share_of_the_words() -> None:
    found = ranked(8.0, EPISODE._replace(pinned=1), PLAIN)
    assert value(found, "pinned") == 2.0
    assert value(found, "recency") == pytest.approx(0.4, abs=0.001)
    old = ranked(8.0, EPISODE._replace(at="2025-12-16"), PLAIN)
    assert value(old, "recency") == pytest.approx(0.2, abs=0.001)
    assert names(ranked(8.0, EPISODE._replace(at="not a date"), PLAIN)) == []


def test_a_listing_without_words_is_newest_first_and_pinned_before_all() -> None:
    units = (
        EPISODE._replace(at="2024-01-01", pinned=1), EPISODE, EPISODE._replace(at="2026-04-19"), EPISODE._replace(at=""),
    )  # fmt: skip
    scores = [ranked(0.0, unit, PLAIN, listed=True).score for unit in units]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


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
    assert held(since, until, day, day, open_end=open_end) is was_held
