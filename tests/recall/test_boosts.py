"""What counts besides words."""

from __future__ import annotations

from datetime import date

import pytest

from memoryclaw.recall.boosts import Boost, QuestionTraits, UnitTraits, boosts, covers, held

MONDAY = date(2026, 4, 20)
ASKED = QuestionTraits({}, {}, (), 100, MONDAY)
FACT = UnitTraits("fact", "", "", "boathouse", pinned=False, asked_field=False)
EPISODE = UnitTraits("episode", "2026-04-20T08:00:00Z", "", "", pinned=False, asked_field=False)


def names(found: list[Boost]) -> list[str]:
    return [boost.term.name for boost in found]


def value(found: list[Boost], name: str) -> float:
    return next(boost.term.value for boost in found if boost.term.name == name)


def test_a_fact_of_the_entity_asked_about_gains_and_more_so_with_the_field() -> None:
    asked = ASKED._replace(entities={"boathouse": "Boathouse"})
    assert names(boosts(2.0, FACT, asked)) == ["entity"]
    assert names(boosts(2.0, FACT._replace(asked_field=True), asked)) == ["entity", "field"]
    assert boosts(2.0, FACT._replace(entity_key="kiosk"), asked) == []
    assert boosts(2.0, FACT, asked)[0].matched is not None


def test_a_date_in_the_question_lifts_what_happened_then() -> None:
    asked = ASKED._replace(ranges=[("2026-04-13", "2026-04-19", "last week")])
    assert "date" not in names(boosts(2.0, EPISODE, asked))
    assert "date" in names(boosts(2.0, EPISODE._replace(at="2026-04-16"), asked))


def test_a_value_that_held_then_is_lifted_and_one_that_did_not_gains_nothing_from_its_entity() -> None:
    asked = ASKED._replace(
        entities={"boathouse": "Boathouse"}, ranges=[("2025-07-01", "2025-07-31", "in July 2025")]
    )
    then = FACT._replace(at="2025-05-20", until="2025-11-20")
    assert names(boosts(2.0, then, asked)) == ["entity", "date", "recency"]
    later = FACT._replace(at="2026-03-24")
    assert names(boosts(2.0, later, asked)) == ["recency"]
    assert names(boosts(2.0, later._replace(asked_field=True), asked)) == ["entity", "field", "recency"]
    assert names(boosts(2.0, FACT._replace(at="2025-03-24"), asked)) == ["entity", "date", "recency"]
    assert names(boosts(2.0, FACT, asked)) == ["entity"]


def test_who_is_named_is_lifted_in_logs_where_they_speak() -> None:
    turn = EPISODE._replace(kind="turn", entity_key="nora")
    found = boosts(10.0, turn, ASKED._replace(people={"nora": "Nora"}))
    assert value(found, "speaker") == 8.0
    assert "speaker" not in names(boosts(10.0, turn, ASKED))


def test_a_turn_loses_where_nobody_speaks_who_is_named() -> None:
    turn = EPISODE._replace(kind="turn", entity_key="jon", absent=True)
    assert value(boosts(10.0, turn, ASKED._replace(people={"nora": "Nora"})), "absent") == -4.0


def test_a_turn_that_holds_a_name_gains_when_a_name_is_asked_for() -> None:
    turn = EPISODE._replace(kind="turn", names=True)
    assert value(boosts(10.0, turn, ASKED._replace(name=True)), "names") == pytest.approx(4.0, abs=0.001)
    assert "names" not in names(boosts(10.0, turn, ASKED))


def test_a_turn_that_tells_a_time_gains_when_a_time_is_asked_for() -> None:
    turn = EPISODE._replace(kind="turn", told="last week")
    found = boosts(10.0, turn, ASKED._replace(when=True))
    assert value(found, "when") == 5.0
    assert [boost.matched.word for boost in found if boost.matched] == ["last week"]
    assert "when" not in names(boosts(10.0, turn, ASKED))
    assert "when" not in names(boosts(10.0, turn._replace(told=""), ASKED._replace(when=True)))


def test_a_turn_that_ends_in_a_question_loses() -> None:
    assert value(boosts(10.0, EPISODE._replace(kind="turn", asks=True), ASKED), "asks") == pytest.approx(
        -3.0, abs=0.001
    )
    assert "asks" not in names(boosts(10.0, EPISODE._replace(kind="turn"), ASKED))


def test_what_is_said_soon_after_a_day_gains_the_less_the_later() -> None:
    asked = ASKED._replace(ranges=[("2026-04-01", "2026-04-05", "early April")])
    turn = EPISODE._replace(kind="turn")
    days = ["2026-04-05", "2026-04-06", "2026-04-10", "2026-04-18"]
    found = [value(boosts(2.0, turn._replace(at=f"{day}T09:00:00Z"), asked), "date") for day in days]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(days)
    for other in (
        turn._replace(at="2026-03-31"),
        turn._replace(at="2026-04-19"),
        EPISODE._replace(at=days[1]),
    ):
        assert "date" not in names(boosts(2.0, other, asked))
    until = ASKED._replace(ranges=[("", "2026-04-05", "until the fifth")])
    assert "date" not in names(boosts(2.0, turn._replace(at=days[1]), until))


def test_a_turn_that_tells_of_a_day_gains_as_if_said_on_it() -> None:
    asked = ASKED._replace(ranges=[("2026-04-01", "2026-04-01", "on 1 April")])
    later = EPISODE._replace(kind="turn", at="2026-04-12", told="last Wednesday")
    tells = boosts(2.0, later._replace(means=("2026-04-01", "2026-04-01")), asked)
    assert value(tells, "date") == value(boosts(2.0, later._replace(at="2026-04-01"), asked), "date")
    assert [boost.matched.word for boost in tells if boost.matched] == ["last Wednesday"]
    of_another_day = boosts(2.0, later._replace(means=("2026-04-08", "2026-04-08")), asked)
    assert value(of_another_day, "date") == value(boosts(2.0, later, asked), "date") < value(tells, "date")


def test_pins_and_youth_add_a_share_of_the_words() -> None:
    found = boosts(8.0, EPISODE._replace(pinned=True), ASKED)
    assert value(found, "pinned") == 2.0
    assert value(found, "recency") == pytest.approx(0.4, abs=0.001)
    old = boosts(8.0, EPISODE._replace(at="2025-12-16"), ASKED)
    assert value(old, "recency") == pytest.approx(0.2, abs=0.001)
    assert names(boosts(8.0, EPISODE._replace(at="not a date"), ASKED)) == []


def test_a_listing_without_words_is_newest_first_and_pinned_before_all() -> None:
    asked = ASKED._replace(listing=True)
    score = [sum(b.term.value for b in boosts(0.0, traits, asked)) for traits in (
        EPISODE._replace(at="2024-01-01", pinned=True), EPISODE, EPISODE._replace(at="2026-04-19"), EPISODE._replace(at=""),
    )]  # fmt: skip
    assert score == sorted(score, reverse=True)
    assert len(set(score)) == 4


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
