"""The day until which something is to be done, as people say it of what lies ahead of them."""

from __future__ import annotations

from datetime import date

import pytest

from memoryclaw.text.dates import deadline, leading_range

TODAY = date(2026, 11, 25)  # a Wednesday

AHEAD = """
pay the deposit before the end of the month  2026-11-30
bezahlen vor Ende des Jahres                 2026-12-31
payer avant la fin du mois                   2026-11-30
rendre les clés avant le 30                  2026-11-29
pagare entro il 15                           2026-12-15
pagar até o dia 12                           2026-12-12
betalen voor de 15                           2026-12-14
call the bank tomorrow                       2026-11-26
call the bank the day after tomorrow         2026-11-27
pay the rent by 2026-12-20                   2026-12-20
pay the rent by 2026-05-20                   2026-05-20
pay the rent by 20 May                       2027-05-20
pay the rent by the 1st                      2026-12-01
pay the rent on the 28th of November         2026-11-28
send it before wednesday                     2026-12-01
send it by friday                            2026-11-27
send it by friday at noon                    2026-11-27
send it on monday                            2026-11-30
send it on wednesday                         2026-12-02
send it monday                               2026-11-30
send it next week                            2026-12-06
send it this weekend                         2026-11-29
send it before the weekend                   2026-11-27
send it no later than friday                 2026-11-27
send it by the end of the month              2026-11-30
send it by the end of the week               2026-11-29
send it end of next week                     2026-12-06
send it by March                             2027-03-31
send it in 3 weeks                           2026-12-16
send it in two days                          2026-11-27
send it within a month                       2026-12-25
send it 10 days from now                     2026-12-05
send the notes of 3 May by friday            2026-11-27
send it tonight                              2026-11-25
send it tmrw                                 2026-11-26
send it by sat                               2026-11-28
send it by thurs next week                   2026-12-03
pagar a renda até segunda                    2026-11-30
zaterdag de fiets ophalen                    2026-11-28
vor Freitag das Paket abholen                2026-11-26
bis Freitag das Paket abholen                2026-11-27
bis zum 3. Dezember bezahlen                 2026-12-03
bis zum 15. bezahlen                         2026-12-15
spätestens am Montag bezahlen                2026-11-30
bis Ende der Woche bezahlen                  2026-11-29
bis zum Wochenende bezahlen                  2026-11-29
am Montag anrufen                            2026-11-30
morgen anrufen                               2026-11-26
in drei Wochen anrufen                       2026-12-16
innerhalb von 2 Wochen anrufen               2026-12-09
nächste Woche anrufen                        2026-12-06
appeler la banque demain                     2026-11-26
payer avant vendredi                         2026-11-26
payer d'ici vendredi                         2026-11-27
payer dans 3 semaines                        2026-12-16
llamar al banco mañana                       2026-11-26
pagar antes del viernes                      2026-11-26
pagar el viernes                             2026-11-27
pagar dentro de 3 semanas                    2026-12-16
pagar en 3 semanas                           2026-12-16
明天给银行打电话                              2026-11-26
周五之前付房租                                2026-11-26
三周后付房租                                  2026-12-16
"""
NONE = """
where we sat
dry it in the sun
mon chien
a segunda vez
call the bank
fix what broke yesterday
answer the letter from Monday
send the minutes of last week
feed them before the 2 kids wake up
meet them devant le 30 rue Monge
pay the rent after friday
collect it since Monday
look at the talk of 2026-05-20
buy 3 weeks of milk
buy milk for the week
read the book of the month
print the May invoice
vor drei Wochen
ab Freitag
"""


def rows(table: str) -> list[list[str]]:
    return [line.rsplit(None, 1) for line in table.strip().splitlines()]


@pytest.mark.parametrize(("text", "day"), rows(AHEAD))
def test_what_is_to_be_done_has_a_day_that_lies_ahead(text: str, day: str) -> None:
    assert deadline(text, TODAY) == day


@pytest.mark.parametrize("text", NONE.strip().splitlines())
def test_a_day_that_has_passed_or_only_begins_something_is_no_deadline(text: str) -> None:
    assert deadline(text, TODAY) == ""


def test_the_first_and_the_last_days_of_the_calendar_are_days_as_well() -> None:
    for today in (date.min, date.max):
        assert len(deadline("call the bank today", today)) == 10
        deadline("by friday, in 3 weeks, before 29 February", today)


def test_a_short_weekday_that_nothing_leads_to_is_a_word_of_any_language() -> None:
    assert leading_range("mon chien s'appelle Rex", TODAY) is None
    assert leading_range("monday we row", TODAY) is not None
