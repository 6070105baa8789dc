"""Later words that say anew what earlier ones said, with another value, take their place; what is said of somebody else stays."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import VaultOf
from nights import said

from memoryclaw.app import App, open_vault
from memoryclaw.recall.restated import (
    gives_up,
    is_told_in_part,
    renews,
    speaks_of_another,
    told_anew,
)


@pytest.mark.parametrize(
    ("older", "later", "change"),
    [
        ("standup is at 9:30", "standup is at 10 now", True),
        ("standup is at 9:30", "standup is at 10:15", False),
        ("standup is at 9:30", "standup moved to 10:15", True),
        ("the gym is on mondays", "the gym is on tuesdays now", True),
        ("I drive to work", "I cycle to work now", True),
        ("I am a vegetarian", "I'm no longer a vegetarian", True),
        ("the workshop is in room 4.12", "the workshop is in the annex instead", True),
        ("il mio capo è Paolo", "il mio capo adesso è Giulia", True),
        ("mon numéro est le 06 12 34 56 78", "mon nouveau numéro est le 06 98 76 54 32", True),
        ("项目的数据库是PostgreSQL", "项目的数据库是MySQL", False),
        ("会议在三号会议室", "会议在八号会议室", False),
        ("min bil står på plan 2 i garaget vid Odenplan och den är röd", "min bil står på plan 4 i garaget vid Odenplan och den är röd", False),
    ],
)  # fmt: skip
def test_the_same_words_with_another_value_say_it_anew(older: str, later: str, *, change: bool) -> None:
    assert renews(older, later, change=change)


@pytest.mark.parametrize(
    ("older", "later", "change"),
    [
        ("my son Tim plays football", "my son Max plays football now", True),
        ("the gym is on mondays", "the gym is on tuesdays", False),
        ("I drive to work", "I swim on sundays now", True),
        ("I ran 5 km", "I ran 7 km", False),
        ("我喜欢喝绿茶", "我喜欢喝红茶", False),
        ("うちの兄は東京で働いています", "うちの妹は東京で働いています", False),
        ("公司在上海的办公室很大", "公司在北京的办公室很大", False),
        ("J'aime le chocolat", "J'aime le fromage", False),
        ("standup is at 9:30", "the train is at 9:45", False),
        ("the wedding is on 14 June", "the wedding is down to 80 guests now", True),
    ],
)
def test_other_words_stand_beside(older: str, later: str, *, change: bool) -> None:
    assert not renews(older, later, change=change)


@pytest.mark.parametrize(
    ("older", "later", "another"),
    [
        ("the passports are in the blue folder", "the tickets aren't in the blue folder any more", True),
        ("the kitchen budget is 900 euros", "the bathroom budget is 800 euros now", True),
        ("my rent is 900", "the landlord raised the rent to 950", False),
        ("Dmitri is responsible for the newsletter", "Aisha is responsible for the newsletter now", False),
    ],
)
def test_two_things_are_told_apart_by_what_the_words_speak_of(
    older: str, later: str, *, another: bool
) -> None:
    assert speaks_of_another(older, later) == another


def test_a_night_ends_what_later_words_end(vault_of: VaultOf) -> None:
    october = [
        "I work at Shell.",
        "Standup is at 9:30.",
        "our broadband is with Sonic",
        "my sister Ulla lives in Turku",
        "you can reach me on 0176 553232",
    ]
    november = [
        "turns out I'm no longer at Shell",
        "my new number is 0176 554411",
        "standup is at 10 now",
        "we switched our broadband from Sonic to Hyperion",
    ]
    abroad = {
        "fr": ("j'habite à Lyon", "je n'habite plus à Lyon, je suis à Nantes"),
        "nl": ("ik woon in Utrecht", "ik woon niet meer in Utrecht, ik zit nu in Zwolle"),
        "pt": ("moro em Braga", "já não moro em Braga, agora estou em Faro"),
    }
    first = {"a": october, **{code: [before] for code, (before, _) in abroad.items()}}
    root = vault_of(
        {
            f"logs/2026-10-02/{name}.jsonl": said(name, [("user", text) for text in texts], day="2026-10-02")
            for name, texts in first.items()
        }
    )
    night(root, 3, 10)
    for name, texts in {
        "b": november,
        **{f"{code}2": [after] for code, (_, after) in abroad.items()},
    }.items():
        late = root / f"logs/2026-11-02/{name}.jsonl"
        late.parent.mkdir(exist_ok=True)
        late.write_text(said(name, [("user", text) for text in texts], day="2026-11-02"), encoding="utf-8")
    night(root, 3, 11)
    with open_vault(root) as app:
        standing = [f"{fact.entity} {fact.field} {fact.value}" for _, fact in app.facts()]
        past = [fact.value for _, fact in app.facts(history=True) if not fact.current and fact.until]
    assert not any(
        "9:30" in line or line == "user works at Shell" or "with Sonic" in line for line in standing
    )
    assert any("10 now" in line for line in standing)
    assert not any("553232" in line for line in standing)
    # One person told all of it, and lives in one place.
    assert any(town in line for town in ("Nantes", "Zwolle", "Faro") for line in standing)
    former = [f"user  {before}" for before, _ in abroad.values()]
    former += [f"user lives in {town}" for town in ("Lyon", "Utrecht", "Braga")]
    assert not set(former) & set(standing)
    assert any("Turku" in line for line in standing)
    assert {"Shell", "with Sonic"} < {value.removesuffix(".") for value in past}


def test_what_says_the_old_figure_of_somebody_ends_with_the_fact(vault_of: VaultOf) -> None:
    october = [
        "Ulla's phone number is 0176 553232",
        "got a text from 0176 553232, that's Ulla",
        "my code is 0176 553232",
    ]
    root = vault_of(
        {
            "semantic/people.md": "# Ulla\n- city: Bonn\n",
            "logs/2026-10-02/a.jsonl": said("a", [("user", text) for text in october], day="2026-10-02"),
        }
    )
    night(root, 3, 10)
    late = root / "logs/2026-11-02/b.jsonl"
    late.parent.mkdir()
    late.write_text(
        said("b", [("user", "Ulla has a new number, 0188 553232")], day="2026-11-02"), encoding="utf-8"
    )
    night(root, 3, 11)
    with open_vault(root) as app:
        standing = [(fact.field, fact.value) for _, fact in app.facts() if "55" in fact.value]
        assert standing == [("phone", "0188 553232"), ("code", "0176 553232")]
        past = [fact for _, fact in app.facts(history=True) if fact.is_statement and not fact.current]
        assert any("a text from" in fact.value and fact.until for fact in past)


def test_what_is_remembered_in_a_language_that_is_not_read_is_renewed(vault_of: VaultOf) -> None:
    root = vault_of({"a.md": "x\n"})
    with open_vault(root) as app:
        assert app.remember("项目的数据库是PostgreSQL").action == "added"
        assert app.remember("项目的数据库是MySQL").action == "superseded"
        answer = app.ask("项目的数据库是什么？")
        assert answer.answered
        assert [line.text for line in answer.lines] == ['user: "项目的数据库是MySQL"']


def test_what_is_told_in_german_answers_in_german(vault_of: VaultOf) -> None:
    root = vault_of({"logs/2026-10-02/a.jsonl": said("a", [("user", "ich wohne in Bonn")], day="2026-10-02")})
    night(root, 3, 10)
    with open_vault(root) as app:
        answer = app.ask("wo wohne ich?")
        assert answer.answered
        assert answer.lines[0].text == "user lives in: Bonn"


def night(root: Path, day: int, month: int) -> None:
    """Reads what was said, as of a night."""
    with App(root, clock=lambda: datetime(2026, month, day, 3, tzinfo=UTC)) as app:
        app.consolidate(llm="none")


def test_what_is_used_no_more_ends_the_words_of_its_use_and_nothing_else(vault_of: VaultOf) -> None:
    october = [
        "We track issues in Jira",
        "my sister works with Jira",
        "my girlfriend is Anna",
        "my daughter Susan is driving me",
        "my phone number is 07700 900118",
    ]
    november = [
        "we've switched from Jira to Linear",
        "Anna and I broke up",
        "Susan and Mark have split up I'm sorry to say",
        "btw new number 07700 900552",
    ]
    nights = {"2026-10-02": october, "2026-11-02": november}
    root = vault_of(
        {
            f"logs/{day}/{day}.jsonl": said(day, [("user", text) for text in texts], day=day)
            for day, texts in nights.items()
        }
    )
    with open_vault(root, clock=lambda: datetime(2026, 11, 2, 22, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        standing = [f"{fact.field}: {fact.value}" for _, fact in app.facts() if fact.current]
    assert not any(gone in line for line in standing for gone in ("track issues", "partner: Anna", "900118"))
    assert all(
        any(kept in line for line in standing)
        for kept in ("Linear", "sister works", "daughter: Susan", "900552")
    )


@pytest.mark.parametrize(
    ("older", "later"),
    [
        ("The grant application is due on 14 March", "The deadline of the grant application was extended to 4 April"),
        ("The team meeting is at 9:30 on Mondays", "From now on the team meeting is at 11:00 on Wednesdays"),
        ("My parents live in Tromsø", "My parents moved to Bergen in the spring"),
        ("vivo en Madrid", "me he mudado a Málaga"),
    ],
)  # fmt: skip
def test_a_change_of_the_same_thing_needs_not_its_old_words(older: str, later: str) -> None:
    assert told_anew(older, later)


@pytest.mark.parametrize(
    ("older", "later"),
    [
        ("Mein Mann Ole fährt einen alten Volvo", "Ole hat den Volvo verkauft"),
        ("Ich nehme seit Montag Ibuprofen wegen der Schulter", "Ibuprofen brauch ich nicht mehr"),
        ("we have a subscription to the FT", "we cancelled the FT"),
        ("our van is a blue Transit", "we sold the Transit"),
        ("Rosa plays the cello", "Rosa gave up the cello"),
    ],
)
def test_what_somebody_gives_up_ends_that_they_have_or_do_it(older: str, later: str) -> None:
    assert gives_up(older, later)


@pytest.mark.parametrize(
    ("older", "later"),
    [
        ("I have a coffee subscription", "I no longer drink coffee"),
        ("I work at a Volvo dealer", "I sold the Volvo"),
        ("my brother Pieter drives a Volvo", "I sold the Volvo"),
        ("Rosa plays the cello", "Tim gave up the cello"),
        ("Mama verträgt kein Ibuprofen", "Ibuprofen brauch ich nicht mehr"),
        ("meine Schwester spielt Geige", "Geige spiel ich nicht mehr"),
    ],
)  # fmt: skip
def test_what_is_given_up_is_only_that(older: str, later: str) -> None:
    assert not gives_up(older, later)


@pytest.mark.parametrize(
    ("older", "later"),
    [
        ("My parents live in Tromsø", "My brother moved to Bergen"),
        ("The gym costs 30 euros a month", "The library opens at 9 now"),
        ("la mia bici è blu", "la macchina adesso è rossa"),
        ("Cardew Plumbing charges 55 € an hour", "Cardew Plumbing now opens at 8:00"),
        ("the wedding is on 14 June", "the wedding cake comes on 12 June now"),
        ("the reading group meets in the canteen", "the reading group reads Middlemarch now"),
        ("der Chor probt in der Aula", "der Chor singt jetzt Brahms"),
        ("the museum opens at 9:30", "the museum lends 40 easels now"),
        ("the museum opens at 9:30", "the museum code is 4711 now"),
        ("Piet can't eat walnuts", "Piet can't come on Sunday after all"),
        ("the choir room is room 4 in the annex", "we moved the bike to room 7"),
        (
            "we bought the house in Horsforth",
            "since I retired from the railway I am mending an old wreck of a house on Garfield Avenue in Duluth, bought for next to nothing from a cousin of the former owner",
        ),
    ],
)
def test_a_change_of_another_thing_leaves_it(older: str, later: str) -> None:
    assert not told_anew(older, later)
    assert not renews(older, later, change=True)


@pytest.mark.parametrize(
    ("older", "later", "in_part"),
    [
        ("the pens are 2.50, the brushes 8.00", "the pens go up to 3.10", True),
        ("die Stifte kosten 2,50 und die Pinsel 8", "die Stifte kosten jetzt 3,10", True),
        ("the quiz has 12 questions and 30 points", "the quiz has 14 questions now", True),
        ("the hall is run by Ada, the garden by Bo", "the hall is run by Cy now", True),
        ("we have a canoe and a kayak", "we sold the canoe", True),
        ("the pens are 2.50, the brushes 8.00", "the pens are 3.10 and the brushes 9.00 now", False),
        ("rehearsals are on mondays and fridays at 19:30", "rehearsals are on tuesdays at 20:00 now", False),
        ("the fair is on 4 May, 2027", "the fair is on 11 May now", False),
        ("we have two cats, Tofu and Miso", "Tofu died last week", True),
        ("the fair is at 18:00, rain or shine", "the fair is at 19:00 now", False),
    ],
)
def test_of_several_things_only_that_which_is_said_anew_may_have_changed(
    older: str, later: str, *, in_part: bool
) -> None:
    assert is_told_in_part(older, later) == in_part


@pytest.mark.parametrize(
    ("older", "later"),
    [
        ("the pens are 2.50, the brushes 8.00", "the pens go up to 3.10"),
        ("we have a Skoda and a Fiat", "we sold the Skoda"),
        ("the loom is called Vera", "the loom is noisy now"),
        # another value, place or hand, in other words
        ("the wardrobe arrives on 3 March", "the wardrobe has been held up till the 17th"),
        ("the spare bulbs are in the cellar", "put the spare bulbs into the garage"),
        ("Owen does the newsletter", "Owen had enough, Rita has taken over the newsletter"),
    ],
)
def test_what_tells_more_than_has_changed_waits_and_stands(vault_of: VaultOf, older: str, later: str) -> None:
    nights = {"2026-10-02": older, "2026-11-02": later}
    root = vault_of(
        {f"logs/{day}/{day}.jsonl": said(day, [("user", text)], day=day) for day, text in nights.items()}
    )
    with open_vault(root, clock=lambda: datetime(2026, 11, 2, 22, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
    (note,) = (path.read_text() for path in root.glob("semantic/*.md") if older in path.read_text())
    assert "## History" not in note
    (line,) = (line for line in note.splitlines() if older in line)
    assert "[overtaken:: " in line


def test_a_change_ends_what_stands_beside_in_another_form(vault_of: VaultOf) -> None:
    changes = {
        "I take 20 mg of lisinopril every day.": "My doctor put me on 40 mg of lisinopril instead.",
        "I prefer tabs over spaces.": "I changed my mind, I prefer spaces over tabs now.",
        "My yoga class is on Tuesdays at 18:00.": "My yoga class moved to Thursdays at 19:00.",
        "I drive a Volvo V60.": "I sold the Volvo and drive a Skoda Octavia now.",
        "Our accountant is Mr. Feldman.": "We have a new accountant, Mrs. Okafor.",
        "My wife's name is Ingrid.": "Ingrid and I are divorced.",
    }
    earlier = {f"2026-10-02/{at}": text for at, text in enumerate(changes)}
    later = {f"2026-11-02/{at}": text for at, text in enumerate(changes.values())}
    kept = {
        "2026-10-02/k": "I take 5 mg of folic acid.",
        "2026-10-02/l": "My swimming class is on Fridays at 7:00.",
        "2026-10-02/m": "I'm 50 years old.",
        "2026-11-02/n": "Our bull calves are sold when they are 18 months old. Our cows are sold at 30 months.",
    }
    root = vault_of(
        {
            f"logs/{place}.jsonl": said(place.replace("/", "-"), [("user", text)], day=place[:10])
            for place, text in (earlier | kept | later).items()
        }
    )
    night(root, 3, 11)
    with open_vault(root) as app:
        standing = " | ".join(fact.value for _, fact in app.facts() if fact.current)
    assert all(new in standing for new in ("40 mg", "spaces over tabs", "Thursdays", "Skoda", "Okafor"))
    assert all(new in standing for new in ("folic", "Fridays"))
    assert not any(
        old in standing for old in ("20 mg", "tabs over spaces", "Tuesdays", "V60", "Feldman", "Ingrid |")
    )


@pytest.mark.parametrize(
    ("first", "second", "standing"),
    [
        ("I take 5 mg ramipril", "I take 10 mg ramipril", {"10 mg ramipril"}),
        ("ich nehme 5 mg Ramipril", "ich nehme 10 mg Ramipril", {"10 mg Ramipril"}),
        ("wir nutzen PHP 7.4", "wir nutzen PHP 8.2", {"PHP 8.2"}),
        ("uso Python 3.9", "uso Python 3.12", {"Python 3.12"}),
        ("I take 5 mg ramipril", "I take 10 mg lisinopril", {"5 mg ramipril", "10 mg lisinopril"}),
        ("I love Terminator 2", "I love Terminator 3", {"Terminator 2", "Terminator 3"}),
    ],
)
def test_of_values_side_by_side_the_same_one_in_another_number_takes_its_place(
    vault_of: VaultOf, first: str, second: str, standing: set[str]
) -> None:
    nights = {"2026-10-02": first, "2026-11-02": second}
    root = vault_of(
        {f"logs/{day}/{day}.jsonl": said(day, [("user", text)], day=day) for day, text in nights.items()}
    )
    with open_vault(root, clock=lambda: datetime(2026, 11, 2, 22, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        assert {fact.value for _, fact in app.facts() if fact.current and fact.field} == standing


def test_two_doses_told_on_one_day_stand_side_by_side(vault_of: VaultOf) -> None:
    texts = ("I take 5 mg ramipril", "I take 10 mg ramipril")
    root = vault_of(
        {"logs/2026-10-02/a.jsonl": said("a", [("user", text) for text in texts], day="2026-10-02")}
    )
    with open_vault(root, clock=lambda: datetime(2026, 11, 2, 22, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        assert len([fact for _, fact in app.facts() if fact.current and fact.field == "takes"]) == len(texts)
