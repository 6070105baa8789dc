from __future__ import annotations

import pytest

from memoryclaw.consolidation.spoken_dates import date_value, same_day, since_date

TUESDAY = "2026-03-10"


@pytest.mark.parametrize(
    ("words", "date"),
    [
        ("2026-12-18", "2026-12-18"),
        ("18 December", "2026-12-18"),
        ("December 18th", "2026-12-18"),
        ("Friday, 18 December 2026.", "2026-12-18"),
        ("the 3rd of May", "2026-05-03"),
        ("5 January", "2027-01-05"),
        ("29 February", "2028-02-29"),
        ("on Friday", "2026-03-13"),
        ("next Tuesday", "2026-03-17"),
        ("tomorrow", "2026-03-11"),
        ("in two weeks", "2026-03-24"),
        ("next month", "2026-04"),
        ("May 2026", "2026-05"),
        ("February", "2027-02"),
        ("next Friday at 9am", "2026-03-13 at 9am"),
        ("am 11. Februar", "2027-02-11"),
        ("11.02.2027", "2027-02-11"),
        ("11.02.", "2027-02-11"),
        ("bis Freitag", "2026-03-13"),
        ("übermorgen", "2026-03-12"),
        ("in zwei Wochen", "2026-03-24"),
        *((words, "") for words in ("soon", "end of March", "31 February", "7", "noon", "Friday or so", "")),
    ],
)
def test_a_day_without_a_year_lies_ahead(words, date):
    assert date_value(words, TUESDAY) == date


@pytest.mark.parametrize(
    ("words", "date"),
    [("3 May", "3 May"), ("am 3. Mai", "3 May"), ("3 May 1979", "1979-05-03"), ("tomorrow", "11 March")],
)
def test_a_birthday_without_a_year_has_none(words, date):
    assert date_value(words, TUESDAY, recurs=True) == date


def test_without_a_clock_only_whole_dates_are_read():
    assert date_value("18 December 2026") == "2026-12-18"
    assert date_value("18 December") == date_value("tomorrow") == date_value("Friday") == ""


@pytest.mark.parametrize(
    ("word", "words", "date"),
    [
        ("since", "March", "2026-03-01"),
        ("since", "May", "2025-05-01"),
        ("since", "2019", "2019-01-01"),
        ("since", "yesterday", "2026-03-09"),
        ("since", "last year", "2025-01-01"),
        ("from", "May", "2026-05-01"),
        ("from", "1 May", "2026-05-01"),
        ("starting", "Monday", "2026-03-16"),
        ("as of", "today", "2026-03-10"),
        ("seit", "März", "2026-03-01"),
        ("ab", "dem 1. Mai", "2026-05-01"),
        ("ab", "sofort", "2026-03-10"),
        ("from", "Lund", ""),
        ("since", "I was a child", ""),
    ],
)
def test_since_looks_back_and_from_looks_ahead(word, words, date):
    assert since_date(word, words, TUESDAY) == date


def test_one_day_in_two_spellings_is_the_same_day():
    assert same_day("18 Dec 2026", "2026-12-18")
    assert same_day("9 January", "1984-01-09")
    assert not same_day("9 January", "1984-01-10")
    assert not same_day("larch", "larch")
