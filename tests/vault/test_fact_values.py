from __future__ import annotations

import pytest

from memoryclaw.vault.fact_values import (
    date_value,
    holds_value,
    misfit,
    resolve_dates,
    same_day,
    same_field,
    same_value,
    says_less,
    timeless,
    without_owner,
)

TUESDAY = "2026-03-10"
MONDAY = "2023-05-08T13:56:00Z"


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
        ("by Fri", "2026-03-13"),
        ("Thurs at 9am", "2026-03-12 at 9am"),
        ("2. May", "2026-05-02"),
        ("now", TUESDAY),
        ("last Friday", "2026-03-06"),
        ("lundi", "2026-03-16"),
        ("3 de mayo", "2026-05-03"),
        *(
            (words, "")
            for words in (
                "soon", "end of March", "31 February", "7", "noon", "Friday or so", "month", "the week", "",
            )
        ),
    ],
)  # fmt: skip
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


def test_one_day_in_two_spellings_is_the_same_day():
    assert same_day("18 Dec 2026", "2026-12-18")
    assert same_day("9 January", "1984-01-09")
    assert same_day("3 de mayo", "3 May")
    assert not same_day("9 January", "1984-01-10")
    assert not same_day("larch", "larch")


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("en", "We leave tomorrow.", "tomorrow (2023-05-09)"),
        ("en", "It began last week.", "last week (2023-05-01 to 2023-05-07)"),
        ("en", "I moved here last year.", "last year (2022)"),
        ("en", "We camp next month.", "next month (2023-06)"),
        ("en", "That was two days ago.", "two days ago (2023-05-06)"),
        ("en", "Keep it until tomorrow.", "until tomorrow (2023-05-09)"),
        ("de", "Ich war gestern dort.", "gestern (2023-05-07)"),
        ("de", "Wir fahren morgen.", "morgen (2023-05-09)"),
        ("de", "Ich war heute morgen dort.", "heute (2023-05-08) morgen dort"),
        ("fr", "Je l'ai vu hier.", "hier (2023-05-07)"),
        ("es", "Lo vi ayer.", "ayer (2023-05-07)"),
        ("es", "Salimos por la mañana.", "por la mañana."),
        ("it", "La visita è domani alle 10.", "domani (2023-05-09) alle 10"),
        ("nl", "De keuring is morgen om 10 uur.", "morgen (2023-05-09) om 10"),
        ("nl", "Elke morgen ga ik hardlopen.", "Elke morgen ga"),
        ("pt", "A vistoria é depois de amanhã.", "depois de amanhã (2023-05-10)"),
        ("en", "The recital is in 3 weeks.", "in 3 weeks (2023-05-29)"),
        ("en", "8 days from now we get the keys.", "8 days from now (2023-05-16) we"),
        ("en", "She practises every 3 weeks for 2 days.", "every 3 weeks for 2 days."),
        ("de", "In drei Wochen ist das Konzert.", "In drei Wochen (2023-05-29) ist"),
        ("de", "Kommende Woche ist frei.", "Kommende Woche (2023-05-15 to 2023-05-21)"),
        ("fr", "Le concert est dans 10 jours.", "dans 10 jours (2023-05-18)"),
        ("it", "Il concerto è fra tre settimane.", "fra tre settimane (2023-05-29)"),
    ],
)
def test_what_counts_from_today_gets_its_date(language: str, text: str, wanted: str) -> None:
    assert wanted in resolve_dates(text, MONDAY, language)


@pytest.mark.parametrize(
    "text", ["On Friday.", "In May.", "The last lamp.", "This time it held.", "May I?", "2023-05-01"]
)
def test_what_may_lie_ahead_or_behind_stays_as_it_is(text: str) -> None:
    assert resolve_dates(text, MONDAY) == text
    assert resolve_dates("yesterday", "") == "yesterday"


def test_types_of_the_schema():
    fine = [
        ("a@b.de", "email"), ("+49 40 123", "phone"), ("https://x.de/a", "url"), ("x.org", "url"), ("6.2 million", "number"),
        ("2026-12-18", "date"), ("2026-12-18 at noon", "date"), ("anything", "text"), ("[[x]]", "link"),
    ]  # fmt: skip
    assert [misfit(value, type_, "f") for value, type_ in fine] == [""] * len(fine)
    wrong = [("soon", "phone"), ("123", "phone"), ("not far", "url"), ("many", "number"), ("3 May", "date")]
    assert all(misfit(value, type_, "deadline") for value, type_ in wrong)
    assert misfit("3 May", "date", "birthday") == ""


def test_sameness_of_values_and_fields():
    assert not same_value("2026-12-18", "2026-12-19")
    assert not same_value("26", "22")
    assert holds_value("penicillin and amoxicillin", "penicillin")
    assert not says_less("Priya Raman", "Priya")
    assert not says_less("larch", "untreated larch")
    assert same_field("Due-date", "deadline")
    assert same_field("E-Mail", "email")
    assert not same_field("colour", "color scheme")


@pytest.mark.parametrize(
    ("field", "plain", "past"),
    [("price from april", "price", False), ("old rent", "rent", True), ("rent (old)", "rent", True), ("rent", "rent", False)],
)  # fmt: skip
def test_a_field_is_called_the_same_whatever_time_stands_with_it(
    field: str, plain: str, *, past: bool
) -> None:
    assert timeless(field) == (plain, past)


@pytest.mark.parametrize(
    ("field", "entity", "plain"),
    [
        ("price of the crate", "crate", "price"),
        ("the crate's price", "crate", "price"),
        ("budget für die wohnung", "Wohnung", "budget"),
        ("crate", "crate", "crate"),
        ("price of the frame", "crate", "price of the frame"),
    ],
)
def test_a_field_does_not_name_its_entity_again(field: str, entity: str, plain: str) -> None:
    assert without_owner(field, entity) == plain
