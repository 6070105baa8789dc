"""Date phrases in languages beside English, and sentences that only look as if they held one."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text import dates
from memoryclaw.text.dates import find_ranges, leading_range

TODAY = date(2025, 4, 9)  # a Wednesday

GERMAN = """
heute                               2025-04-09 2025-04-09
gestern                             2025-04-08 2025-04-08
vorgestern                          2025-04-07 2025-04-07
übermorgen                          2025-04-11 2025-04-11
uebermorgen                         2025-04-11 2025-04-11
heute Morgen                        2025-04-09 2025-04-09
letzte Nacht                        2025-04-08 2025-04-09
letzte Woche                        2025-03-31 2025-04-06
vorletzte Woche                     2025-03-24 2025-03-30
diese Woche                         2025-04-07 2025-04-13
nächste Woche                       2025-04-14 2025-04-20
naechste Woche                      2025-04-14 2025-04-20
im letzten Monat                    2025-03-01 2025-03-31
voriges Jahr                        2024-01-01 2024-12-31
letztes Quartal                     2025-01-01 2025-03-31
dieses Wochenende                   2025-04-12 2025-04-13
vor einem Monat                     2025-03-01 2025-03-31
vor ein paar Tagen                  2025-04-04 2025-04-07
in den letzten drei Monaten         2025-01-09 2025-04-09
am Montag                           2025-04-07 2025-04-07
letzten Mittwoch                    2025-04-02 2025-04-02
nächsten Freitag                    2025-04-11 2025-04-11
im Maerz                            2025-03-01 2025-03-31
letzten Mai                         2024-05-01 2024-05-31
3. Jan. 2024                        2024-01-03 2024-01-03
05.04.2024                          2024-04-05 2024-04-05
am 3.5.                             2024-05-03 2024-05-03
Anfang März                         2025-03-01 2025-03-10
Mitte Mai 2024                      2024-05-11 2024-05-20
Ende letzten Jahres                 2024-09-01 2024-12-31
im Sommer                           2024-06-01 2024-08-31
letzten Winter                      2024-12-01 2025-02-28
Herbst 2023                         2023-09-01 2023-11-30
erstes Quartal 2024                 2024-01-01 2024-03-31
im 3. Quartal 2024                  2024-07-01 2024-09-30
im Jahr 2019                        2019-01-01 2019-12-31
vom 3.–7. Mai                       2024-05-03 2024-05-07
vom 3. auf den 4. Mai               2024-05-03 2024-05-04
zwischen November und Februar       2024-11-01 2025-02-28
von März 2023 bis Mai               2023-03-01 2023-05-31
3. März bis 2. April 2024           2024-03-03 2024-04-02
seit zwei Wochen                    2025-03-24 -
ab 2020                             2020-01-01 -
vor dem 3. März 2024                - 2024-03-02
nach dem 3. März                    2025-03-04 -
bis Dienstag                        - 2025-04-08
bis zum 1. Mai 2024                 - 2024-05-01
zwei Wochen vor dem 11. August 2023 2023-07-24 2023-07-30
"""
FRENCH = """
aujourd'hui                         2025-04-09 2025-04-09
avant-hier                          2025-04-07 2025-04-07
hier soir                           2025-04-08 2025-04-08
demain                              2025-04-10 2025-04-10
après-demain                        2025-04-11 2025-04-11
ce matin                            2025-04-09 2025-04-09
la nuit dernière                    2025-04-08 2025-04-09
cette semaine                       2025-04-07 2025-04-13
la semaine prochaine                2025-04-14 2025-04-20
ce mois-ci                          2025-04-01 2025-04-30
l’an dernier                        2024-01-01 2024-12-31
le trimestre dernier                2025-01-01 2025-03-31
ce week-end                         2025-04-12 2025-04-13
il y a une semaine                  2025-03-31 2025-04-06
il y a quelques jours               2025-04-04 2025-04-07
ces trois derniers mois             2025-01-09 2025-04-09
lundi                               2025-04-07 2025-04-07
mercredi dernier                    2025-04-02 2025-04-02
vendredi prochain                   2025-04-11 2025-04-11
lundi 3 mars 2025                   2025-03-03 2025-03-03
en mars de l'année dernière         2024-03-01 2024-03-31
3 janv. 2024                        2024-01-03 2024-01-03
le 03/04/2024                       2024-04-03 2024-04-03
début mars                          2025-03-01 2025-03-10
fin 2023                            2023-09-01 2023-12-31
en été                              2024-06-01 2024-08-31
au printemps 2023                   2023-03-01 2023-05-31
premier trimestre 2024              2024-01-01 2024-03-31
du 3 au 7 mai                       2024-05-03 2024-05-07
entre le 3 et le 7 mai              2024-05-03 2024-05-07
entre novembre et février           2024-11-01 2025-02-28
de mars 2023 à mai                  2023-03-01 2023-05-31
depuis deux mois                    2025-02-01 -
avant 2020                          - 2019-12-31
après le 3 mars                     2025-03-04 -
jusqu'au 3 mai 2024                 - 2024-05-03
jusqu’en mai 2024                   - 2024-05-31
deux semaines avant le 11 août 2023 2023-07-24 2023-07-30
"""
SPANISH = """
hoy                                 2025-04-09 2025-04-09
ayer                                2025-04-08 2025-04-08
anteayer                            2025-04-07 2025-04-07
anoche                              2025-04-08 2025-04-09
mañana                              2025-04-10 2025-04-10
pasado mañana                       2025-04-11 2025-04-11
esta mañana                         2025-04-09 2025-04-09
la semana pasada                    2025-03-31 2025-04-06
la semana que viene                 2025-04-14 2025-04-20
el mes pasado                       2025-03-01 2025-03-31
este fin de semana                  2025-04-12 2025-04-13
hace tres días                      2025-04-06 2025-04-06
hace un mes                         2025-03-01 2025-03-31
hace unos días                      2025-04-04 2025-04-07
dos semanas atrás                   2025-03-24 2025-03-30
el lunes                            2025-04-07 2025-04-07
el miércoles pasado                 2025-04-02 2025-04-02
el próximo viernes                  2025-04-11 2025-04-11
marzo del año pasado                2024-03-01 2024-03-31
primero de mayo                     2024-05-01 2024-05-01
el 03/04/2024                       2024-04-03 2024-04-03
en verano                           2024-06-01 2024-08-31
otoño de 2023                       2023-09-01 2023-11-30
primer trimestre de 2024            2024-01-01 2024-03-31
entre el 3 y el 7 de mayo           2024-05-03 2024-05-07
del 3 al 7 de mayo                  2024-05-03 2024-05-07
desde marzo hasta mayo de 2023      2023-03-01 2023-05-31
entre noviembre y febrero           2024-11-01 2025-02-28
desde hace dos meses                2025-02-01 -
después del 3 de marzo              2025-03-04 -
hasta el 3 de mayo de 2024          - 2024-05-03
dos semanas antes del 11 de agosto de 2023 2023-07-24 2023-07-30
"""
CHINESE = """
今天            2025-04-09 2025-04-09
昨天            2025-04-08 2025-04-08
前天            2025-04-07 2025-04-07
大前天          2025-04-06 2025-04-06
明天            2025-04-10 2025-04-10
后天            2025-04-11 2025-04-11
昨晚            2025-04-08 2025-04-08
上个星期        2025-03-31 2025-04-06
上上周          2025-03-24 2025-03-30
本周            2025-04-07 2025-04-13
下个礼拜        2025-04-14 2025-04-20
前年            2023-01-01 2023-12-31
今年            2025-01-01 2025-12-31
上季度          2025-01-01 2025-03-31
这周末          2025-04-12 2025-04-13
两年以前        2023-01-01 2023-12-31
几天前          2025-04-04 2025-04-07
最近三个月      2025-01-09 2025-04-09
过去的一周      2025-04-02 2025-04-09
上周一          2025-03-31 2025-03-31
这周五          2025-04-11 2025-04-11
下周三          2025-04-16 2025-04-16
星期天          2025-04-06 2025-04-06
十二月          2024-12-01 2024-12-31
去年的夏天      2024-06-01 2024-08-31
2024年03月05日  2024-03-05 2024-03-05
上个月15号      2025-03-15 2025-03-15
3月初           2025-03-01 2025-03-10
三月上旬        2025-03-01 2025-03-10
3月中旬         2025-03-11 2025-03-20
去年5月底       2024-05-21 2024-05-31
去年年底        2024-09-01 2024-12-31
2024年第一季度  2024-01-01 2024-03-31
去年下半年      2024-07-01 2024-12-31
3月5日到3月8日  2025-03-05 2025-03-08
3月5日至8日     2025-03-05 2025-03-08
3月5-8日        2025-03-05 2025-03-08
在3月5日和3月8日之间 2025-03-05 2025-03-08
2024年以来      2024-01-01 -
从3月起         2025-03-01 -
3月5日之前      - 2025-03-04
3月5日以后      2025-03-06 -
截至2024年5月   - 2024-05-31
"""
NO_GERMAN = """
Was ist hier passiert?
Guten Morgen, Frau August
am Morgen
jeden Montag
Mai Thi hat zugesagt
Juli kommt mit April
das Jahr war lang
vor der Tür
bis zum Schluss
von 2000 Leuten
im Wagen 3. Klasse
Version 3.4.2
mehr als 2024 Stück
Herbst und Winter im Überblick
montags geschlossen
alle drei Wochen
dieser Tag
um 12.30 Uhr
"""
NO_FRENCH = """
la planète Mars
une barre de Mars
Avril et Mai sont venues
il a été malade
il est allé
tous les lundis
chaque lundi
un an
il y a du pain
dans deux pièces
de 3 à 5 personnes
depuis toujours
avant tout
la dernière fois
plus de 2000 personnes
mardi gras
les quatre saisons
cette année-là
"""
NO_SPANISH = """
por la mañana
cada mañana
todos los lunes
este libro
el este de la ciudad
Julio y Abril
mayo y mostaza
hace frío
hace falta
la última vez
de 10 a 12 personas
más de 2000 personas
antes de comer
tres semanas de trabajo
desde luego
el pasado
primavera
"""
NO_CHINESE = """
每周一
每天三次
三天
一个月
天前面
十五个人
月亮
2024个
上面的书
下个人
第三天
3号线
周年
以前的事
春天的花
现在
每月
第3页
"""
NO_DATES = (NO_GERMAN, NO_FRENCH, NO_SPANISH, NO_CHINESE)


def _rows(table: str) -> list[tuple[str, str, str]]:
    rows = [line.rsplit(maxsplit=2) for line in table.strip().splitlines()]
    return [(phrase, *(day.strip("-") for day in days)) for phrase, *days in rows]


@pytest.mark.parametrize("table", [GERMAN, FRENCH, SPANISH, CHINESE], ids=["de", "fr", "es", "zh"])
def test_a_date_is_read_as_a_speaker_of_the_language_means_it(table: str) -> None:
    read = {phrase: find_ranges(phrase, TODAY) for phrase, _, _ in _rows(table)}
    assert {phrase: [span[:2] for span in ranges] for phrase, (ranges, _) in read.items()} == {
        phrase: [(first, last)] for phrase, first, last in _rows(table)
    }
    besides = {"in", "der", "den", "la", "les", "los", "ces", "en", "à"}
    assert [phrase for phrase, (_, rest) in read.items() if not {*rest.split()} <= besides] == []


@pytest.mark.parametrize("table", NO_DATES, ids=["de", "fr", "es", "zh"])
def test_what_only_looks_like_a_date_stays_words(table: str) -> None:
    lines = table.strip().splitlines()
    assert {text: find_ranges(text, TODAY) for text in lines} == {text: ([], text) for text in lines}


@pytest.mark.parametrize(
    ("text", "days", "rest"),
    [
        ("我们上周在哪里吃饭？", ["上周"], "我们    在哪里吃饭？"),
        ("冯浩然3月5日到8日去了哪里", ["3月5日到8日"], "冯浩然        去了哪里"),
        (
            "Wo war ich letzte Woche, und wo am 3. März?",
            ["letzte Woche", "am 3. März"],
            "Wo war ich , und wo ?",
        ),
        ("Qu'ai-je dit à Marie hier ?", ["hier"], "Qu'ai-je dit à Marie ?"),
        ("¿Qué dijo Julio ayer por la mañana?", ["ayer por la mañana"], "¿Qué dijo Julio ?"),
        ("What did Mai say hier, last week?", ["last week"], "What did Mai say hier, ?"),
    ],
)
def test_the_rest_of_a_question_stays_words(text: str, days: list[str], rest: str) -> None:
    ranges, left = find_ranges(text, TODAY)
    assert [span.text for span in ranges] == days
    assert len(left) == len(text)
    assert left.split() == rest.split()


_PIECES = [
    piece
    for table in (GERMAN, FRENCH, SPANISH, CHINESE, *NO_DATES)
    for line in table.strip().splitlines()
    for piece in (line.rsplit(maxsplit=2)[0], *line.split())
]


@given(
    st.lists(st.sampled_from(_PIECES) | st.text(max_size=4), max_size=8),
    st.sampled_from(["", " ", ", ", "-"]),
    st.dates(),
)
def test_in_any_text_dates_are_apart_and_in_order(pieces: list[str], between: str, today: date) -> None:
    text = between.join(pieces)
    ranges, rest = find_ranges(text, today)
    assert len(rest) == len(text)
    at = 0
    for span in ranges:
        start, end = span.span
        assert at <= start < end <= len(text)
        assert span.text == text[start:end]
        assert span.start or span.end
        assert not (span.start and span.end) or span.start <= span.end
        at = end
    leading_range(text, today)


def test_a_date_in_another_spelling_of_its_characters_is_the_same_date() -> None:
    for text in ("le 3 février", "am 3. März", "el miércoles", "1º de mayo"):
        spelled = unicodedata.normalize("NFD", text)
        assert [span[:2] for span in find_ranges(spelled, TODAY)[0]] == [
            span[:2] for span in find_ranges(text, TODAY)[0]
        ]


def test_a_digit_that_stands_for_a_word_is_read_and_no_sign_is() -> None:
    (tomorrow,) = find_ranges("call them 2moro", date(2026, 1, 1))[0]
    assert (tomorrow.start, tomorrow.text) == ("2026-01-02", "2moro")
    assert find_ranges("call (moro), and 2moros", date(2026, 1, 1))[0] == []


def test_a_number_in_one_character_with_its_point_is_no_date() -> None:
    assert find_ranges("⒊", TODAY) == ([], "⒊")
    assert find_ranges("x ⒊ y", TODAY) == ([], "x ⒊ y")


def test_an_accent_without_a_letter_is_no_word() -> None:
    assert [span[:2] for span in find_ranges("x \u0301 on 3 May 2024", TODAY)[0]] == [
        ("2024-05-03", "2024-05-03")
    ]


def test_the_examples_of_the_documentation_are_dates() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "reference" / "recall.md").read_text(
        encoding="utf-8"
    )
    [paragraph] = [
        part for part in page.split("\n\n") if part.startswith("**Dates** are read in nine languages")
    ]
    languages = re.findall(r"[A-Z]\w+\s\(([^)]+)\)", paragraph)
    examples = [example for language in languages for example in re.findall(r"`([^`]+)`", language)]
    assert len(languages) == 9
    for example in examples:
        assert [span.text for span in find_ranges(example, TODAY)[0]] == [example]


FURTHER = """
ieri                                2025-04-08 2025-04-08
l'altro ieri                         2025-04-07 2025-04-07
tre giorni fa                       2025-04-06 2025-04-06
tra due settimane                   2025-04-21 2025-04-27
lunedì scorso                       2025-04-07 2025-04-07
a marzo                             2025-03-01 2025-03-31
ontem                               2025-04-08 2025-04-08
há três dias                        2025-04-06 2025-04-06
em 5 de maio de 2023                2023-05-05 2023-05-05
semana passada                      2025-03-31 2025-04-06
вчера                               2025-04-08 2025-04-08
три дня назад                       2025-04-06 2025-04-06
через две недели                    2025-04-21 2025-04-27
5 мая 2023                          2023-05-05 2023-05-05
в мае                               2024-05-01 2024-05-31
어제                                  2025-04-08 2025-04-08
3일 전                               2025-04-06 2025-04-06
2024년 3월 5일                        2024-03-05 2024-03-05
지난주                                2025-03-31 2025-04-06
8 days from now                     2025-04-17 2025-04-17
in two days                         2025-04-11 2025-04-11
in drei Wochen                      2025-04-28 2025-05-04
dans trois jours                    2025-04-12 2025-04-12
三天后                                2025-04-12 2025-04-12
on 2020.09.05                       2020-09-05 2020-09-05
20200905                            2020-09-05 2020-09-05
"""


def test_further_languages_and_days_ahead_are_read() -> None:
    rows = [re.split(r"\s{2,}| (?=\d{4}-\d\d-\d\d)", line.strip()) for line in FURTHER.strip().splitlines()]
    read = {phrase: [span[:3] for span in find_ranges(phrase, TODAY)[0]] for phrase, _, _ in rows}
    assert read == {phrase: [(start, end, phrase)] for phrase, start, end in rows}


@pytest.mark.parametrize("text", ["version 20201305 of it", "1.2020.09.05", "build 120200905", "ho tre case"])
def test_what_only_looks_like_one_of_them_is_no_date(text: str) -> None:
    assert find_ranges(text, TODAY)[0] == []


def test_no_chinese_date_is_told_without_a_digit_or_a_letter_of_its_own():
    """So its words need not be read for most texts."""
    chinese = dict(zip(dates._LANGUAGES, dates._languages(), strict=True))["zh"]
    assert not [word for word in chinese.nouns if word.isascii() and not any(map(str.isdecimal, word))]
    assert not [word for word in chinese.leads if word.isascii()]
