"""Date phrases and timestamps, against fixed days."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.dates import find_ranges, leading_range, parse_timestamp, told_ranges

TODAY = date(2025, 4, 9)  # a Wednesday

PHRASES = [
    ("today", "2025-04-09", "2025-04-09"),
    ("last night", "2025-04-08", "2025-04-09"),
    ("this morning", "2025-04-09", "2025-04-09"),
    ("the day before yesterday", "2025-04-07", "2025-04-07"),
    ("a fortnight ago", "2025-03-26", "2025-03-26"),
    ("in a fortnight", "2025-04-23", "2025-04-23"),
    ("next month", "2025-05-01", "2025-05-31"),
    ("last year", "2024-01-01", "2024-12-31"),
    ("last quarter", "2025-01-01", "2025-03-31"),
    ("last Wednesday", "2025-04-02", "2025-04-02"),
    ("this friday", "2025-04-11", "2025-04-11"),
    ("on Monday, June 5, 2023", "2023-06-05", "2023-06-05"),
    ("a week ago", "2025-03-31", "2025-04-06"),
    ("a couple of months ago", "2025-02-01", "2025-02-28"),
    ("4 years ago", "2021-01-01", "2021-12-31"),
    ("in the last week", "2025-04-02", "2025-04-09"),
    ("December 1,2023", "2023-12-01", "2023-12-01"),
    ("Sept. 5, 2024", "2024-09-05", "2024-09-05"),
    ("the 5th of May", "2024-05-05", "2024-05-05"),
    ("on 1 February, 2023", "2023-02-01", "2023-02-01"),
    ("early March", "2025-03-01", "2025-03-10"),
    ("mid-March", "2025-03-11", "2025-03-20"),
    ("late March 2024", "2024-03-21", "2024-03-31"),
    ("the beginning of November 2022", "2022-11-01", "2022-11-10"),
    ("winter 2025", "2024-12-01", "2025-02-28"),
    ("in the fall", "2024-09-01", "2024-11-30"),
    ("over the summer", "2024-06-01", "2024-08-31"),
    ("this spring", "2025-03-01", "2025-05-31"),
    ("2025-04-08", "2025-04-08", "2025-04-08"),
    ("04/2025", "2025-04-01", "2025-04-30"),
    ("2025-03", "2025-03-01", "2025-03-31"),
    ("between August 11 and August 15 2023", "2023-08-11", "2023-08-15"),
    ("from last monday to yesterday", "2025-04-07", "2025-04-08"),
    ("since two weeks ago", "2025-03-24", ""),
    ("before 2024", "", "2023-12-31"),
    ("after March 5, 2024", "2024-03-06", ""),
    ("until tomorrow", "", "2025-04-10"),
    ("by July 10, 2022", "", "2022-07-10"),
    ("the week before 16 November 2023", "2023-11-09", "2023-11-15"),
    ("the Sunday before October 25, 2022", "2022-10-23", "2022-10-23"),
    ("last weekend before April 10, 2023", "2023-04-08", "2023-04-09"),
]

ORDINARY = [
    "may I march in the sun for a second", "this may be the fall of Rome", "we may 5 people",
    "they march 20 miles", "April said that June's room is free", "after may left", "on the march",
    "give me a second last name", "how long ago", "over 2000 people", "episodes/2025-04-08_x.md",
    "v2025-04-08 3.5 days 12:30", "0 days ago, 99999 years ago", "one-year-old", "Q3 review", "2025-04-31",
    "next last this the", "between from 2 to", "budget 2025",
]  # fmt: skip


@pytest.mark.parametrize(("phrase", "start", "end"), PHRASES)
def test_a_spoken_date_is_its_days(phrase: str, start: str, end: str) -> None:
    ranges, rest = find_ranges(phrase, TODAY)
    assert [(span.start, span.end) for span in ranges] == [(start, end)]
    assert rest.replace("the", "").strip() == ""


@given(
    st.dates(date(1800, 1, 1), date(2200, 1, 1)),
    st.sampled_from(["week", "month", "quarter", "year", "weekend"]),
)
def test_the_last_this_and_the_next_of_a_unit_follow_each_other(today: date, unit: str) -> None:
    last, this, following = (
        [*find_ranges(f"{which} {unit}", today)[0]] for which in ("last", "this", "next")
    )
    days = [date.fromisoformat(day) for span in (*last, *this, *following) for day in span[:2]]
    assert len(days) == 6
    assert days == sorted(days)
    gap = 6 if unit == "weekend" else 1
    assert [(days[2] - days[1]).days, (days[4] - days[3]).days] == [gap, gap]
    assert unit == "weekend" or days[2] <= today <= days[3]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_words_stay_words(text: str) -> None:
    assert find_ranges(text, TODAY) == ([], text)


@pytest.mark.parametrize(
    ("today", "phrase", "start", "end"),
    [
        (date(2025, 1, 1), "yesterday", "2024-12-31", "2024-12-31"),
        (date(2025, 1, 1), "last week", "2024-12-23", "2024-12-29"),
        (date(2025, 1, 1), "this week", "2024-12-30", "2025-01-05"),
        (date(2025, 1, 31), "last month", "2024-12-01", "2024-12-31"),
        (date(2025, 1, 31), "next month", "2025-02-01", "2025-02-28"),
        (date(2025, 1, 15), "last quarter", "2024-10-01", "2024-12-31"),
        (date(2026, 1, 15), "this winter", "2025-12-01", "2026-02-28"),
        (date(2026, 1, 15), "last winter", "2024-12-01", "2025-02-28"),
        (date(2024, 2, 29), "a year ago", "2023-01-01", "2023-12-31"),
        (date(2024, 2, 29), "the last year", "2023-02-28", "2024-02-29"),
        (date(2024, 3, 31), "the last month", "2024-02-29", "2024-03-31"),
        (date(2025, 3, 1), "yesterday", "2025-02-28", "2025-02-28"),
        (date(2025, 3, 1), "February 29", "2024-02-29", "2024-02-29"),
        (date(2025, 4, 13), "last weekend", "2025-04-05", "2025-04-06"),
        (date(2025, 4, 14), "last weekend", "2025-04-12", "2025-04-13"),
        (date(2025, 3, 10), "in March", "2025-03-01", "2025-03-31"),
        (date(2025, 3, 10), "last March", "2024-03-01", "2024-03-31"),
    ],
)
def test_dates_cross_the_borders_of_months_and_years(today: date, phrase: str, start: str, end: str) -> None:
    ranges, _ = find_ranges(phrase, today)
    assert [(span.start, span.end) for span in ranges] == [(start, end)]


@pytest.mark.parametrize(
    ("sentence", "day"),
    [
        ("on Monday I start at Kellwerk", "2025-04-14"),
        ("on Monday I went home", "2025-04-07"),
        ("the shop was closed on Monday, I go again tomorrow", "2025-04-07"),
        ("I was ill. On Monday I go back", "2025-04-14"),
        ("the shop is closed on Monday", "2025-04-14"),
        ("we meet Thursday", "2025-04-10"),
        ("last Monday I rest", "2025-04-07"),
        ("on 24 March we fly", "2026-03-24"),
        ("on 24 March we flew", "2025-03-24"),
        ("am Freitag habe ich Zahnarzt", "2025-04-11"),
        ("am Freitag habe ich das Auto abgegeben", "2025-04-04"),
        ("am Freitag war ich beim Zahnarzt", "2025-04-04"),
        ("el viernes tengo dentista", "2025-04-11"),
        ("el viernes fui al dentista", "2025-04-04"),
        ("vendredi je pars à Lyon", "2025-04-11"),
        ("vendredi je suis allé à Lyon", "2025-04-04"),
        ("venerdì parto", "2025-04-11"),
        ("venerdì sono andato via", "2025-04-04"),
        ("op vrijdag heb ik een afspraak", "2025-04-11"),
        ("op vrijdag heb ik gewerkt", "2025-04-04"),
        ("na sexta-feira tenho consulta", "2025-04-11"),
        ("na sexta-feira fui ao médico", "2025-04-04"),
    ],
)
def test_a_day_without_its_year_follows_the_tense_of_what_is_told(sentence: str, day: str) -> None:
    assert next((span.start, span.end) for span in told_ranges(sentence, TODAY)) == (day, day)


def test_the_text_keeps_its_length_and_every_other_word() -> None:
    text = "What was in yesterday's mail, and what last week?"
    ranges, rest = find_ranges(text, TODAY)
    assert [span.text for span in ranges] == ["in yesterday's", "last week"]
    assert [text[slice(*span.span)] for span in ranges] == [span.text for span in ranges]
    assert len(rest) == len(text)
    assert rest.split() == ["What", "was", "mail,", "and", "what", "?"]


def test_the_value_of_a_date_field_may_be_a_bare_year_or_month() -> None:
    ranges = [
        leading_range(text, TODAY) for text in ("2024 plans", "May x", "last week x", "x last week", "")
    ]
    assert [hit and (hit.start, hit.end, hit.text) for hit in ranges] == [
        ("2024-01-01", "2024-12-31", "2024"),
        ("2024-05-01", "2024-05-31", "May"),
        ("2025-03-31", "2025-04-06", "last week"),
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Greta has her birthday 14 may, no surprise party", ["14 may"]),
        ("the eye test is 14 may at 9:05", ["14 may"]),
        ("room 14 may be free", []),
        ("children under 5 may travel free", []),
        ("the rent is due april, 15", ["april, 15"]),
        ("we open from march, 11 to 5", []),  # hours
        ("we open in August, 11 to 5", ["in August"]),
        ("on April 11, 2025", ["on April 11, 2025"]),
    ],
)
def test_a_comma_and_an_hour_end_a_date(text: str, days: list[str]) -> None:
    assert [span.text for span in find_ranges(text, TODAY)[0]] == days


_DATE_WORDS = " ".join(phrase for phrase, _, _ in PHRASES).split() + ORDINARY


@given(st.lists(st.sampled_from(_DATE_WORDS), max_size=12).map(" ".join), st.dates())
def test_any_heap_of_date_words_gives_ordered_ranges_on_any_day(text: str, today: date) -> None:
    ranges, rest = find_ranges(text, today)
    assert (ranges, rest) == find_ranges(text, today)
    assert len(rest) == len(text)
    for span in ranges:
        assert not (span.start and span.end) or span.start <= span.end
        assert span.text == text[slice(*span.span)]


@given(st.text(max_size=60), st.dates())
def test_no_text_makes_dates_fail(text: str, today: date) -> None:
    find_ranges(text, today)
    leading_range(text, today)
    assert parse_timestamp(text) == "" or any(c.isdigit() for c in text)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2025-04-08T14:32:10Z", "2025-04-08T14:32:10Z"), ("2025-04-08 14:32:10", "2025-04-08T14:32:10Z"),
        ("2025-04-08T14:32:10.123456+02:00", "2025-04-08T12:32:10Z"),
        ("2025-04-08 14:32 -0700", "2025-04-08T21:32:00Z"),
        ("2025-01-01T00:30:00+01:00", "2024-12-31T23:30:00Z"),
        ("2025-04-08_14-32-10", "2025-04-08T14:32:10Z"), ("2025-4-8 9:05", "2025-04-08T09:05:00Z"),
        ("2025/04/08", "2025-04-08"), (" 2025-04-08 ", "2025-04-08"), ("1744121530", "2025-04-08T14:12:10Z"),
        ("1744121530.75", "2025-04-08T14:12:10Z"), ("1744121530123", "2025-04-08T14:12:10Z"),
        ("1744121530123456", "2025-04-08T14:12:10Z"), ("2025-13-01", ""), ("2025-02-29", ""),
        ("2025-04-08T25:00:00Z", ""), ("0001-01-01T00:00:00+05:00", ""), ("2025", ""), ("soon", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_a_timestamp_becomes_utc_or_nothing(text: str, iso: str) -> None:
    assert parse_timestamp(text) == iso
