"""What is said later and what is known: statements are tied, facts superseded, and the old value stays in History."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import put
from gitvault import git, vault_of
from nights import consolidated, said

from memoryclaw.app import App
from memoryclaw.model import Fact

Evenings = Callable[..., "Memory"]


class Memory:
    """What a vault holds after some evenings."""

    def __init__(self, root: Path) -> None:
        self.root = root
        app = App(root, clock=lambda: datetime(2026, 4, 20, tzinfo=UTC))
        self.facts: list[Fact] = [fact for _, fact in app.facts(history=True)]
        app.close()

    def values(self, *, current: bool) -> list[str]:
        return [fact.value for fact in self.facts if fact.current == current]

    @property
    def waiting(self) -> str:
        path = self.root / "semantic/_pending.md"
        return path.read_text() if path.exists() else ""


@pytest.fixture
def evenings(tmp_path: Path) -> Evenings:
    """Plays one evening after another, a night after each; a turn is Nora's words or a (`role name`, text)."""

    def play(*days: object, files: dict[str, str] | None = None, in_git: bool = False) -> Memory:
        root = (vault_of if in_git else put)(tmp_path / "vault", {"Home.md": "# Home\n", **(files or {})})
        for number, turns in enumerate(days):
            day = 10 + number
            spoken = [
                ("user Nora", turn) if isinstance(turn, str) else turn
                for turn in ([turns] if isinstance(turns, str) else turns)
            ]  # type: ignore[attr-defined]
            put(root, {f"logs/2026-03-{day}/s{day}.jsonl": said(f"s{day}", spoken, day=f"2026-03-{day}")})
            consolidated(root, now=datetime(2026, 3, day + 1, 3, tzinfo=UTC))
        return Memory(root)

    return play


# Statements


@pytest.mark.parametrize(
    ("language", "first", "later"),
    [
        ("en", "we take the car to the lake on saturday", "we take the train to the lake after all"),
        ("en", "party is at 18:00 on friday", "party is at 19:00 on friday now"),
        ("de", "wir nehmen am Samstag das Auto zum See", "wir nehmen am Samstag doch den Zug zum See"),
    ],
)
def test_a_sign_of_change_ties_a_statement_to_the_one_it_says_anew(
    evenings: Evenings, language: str, first: str, later: str
) -> None:
    memory = evenings(first, later, files={"memoryclaw.yaml": f"index:\n  language: {language}\n"})
    assert (memory.values(current=True), memory.values(current=False)) == ([later], [first])
    (old,) = [fact for fact in memory.facts if not fact.current]
    assert (old.said, old.until) == ("2026-03-10", "2026-03-11")
    assert (
        f'- "{first}" [said:: 2026-03-10]'
        in (memory.root / "semantic/people.md").read_text().partition("## History")[2]
    )


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("we take the car to the lake on saturday", "we take the train to the lake on saturday"),  # no sign
        ("we take the car to the lake on saturday", "my brother sold his violin after all"),  # nothing shared
    ],
)
def test_without_a_sign_or_common_words_both_statements_stand_the_newest_first(
    evenings: Evenings, first: str, later: str
) -> None:
    memory = evenings(first, later)
    assert memory.values(current=True) == [later, first]
    assert memory.values(current=False) == []


def test_an_older_log_read_later_ties_nothing_that_was_said_since(tmp_path: Path) -> None:
    root = vault_of(tmp_path / "vault", {"Home.md": "# Home\n"})
    logs = [
        ("2026-03-12", "we take the car to the lake on saturday"),
        ("2026-03-10", "we take the train to the lake now"),
    ]
    for day, text in logs:
        put(root, {f"logs/{day}/s.jsonl": said(f"s{day}", [("user Nora", text)], day=day)})
        consolidated(root)
    assert Memory(root).values(current=False) == []


def test_a_statement_that_was_taken_back_stands_only_in_its_episode_when_it_is_said_again(
    evenings: Evenings,
) -> None:
    root = evenings("we keep the shed key under the blue pot", in_git=True).root
    app = App(root, clock=lambda: datetime(2026, 3, 12, tzinfo=UTC))
    app.undo(next(root.glob("runs/*.json")).stem)
    app.close()
    again = (
        ("user Nora", "we keep the shed key under the blue pot"),
        ("user Nora", "the ladder is in the barn now"),
    )
    put(root, {"logs/2026-03-12/s12.jsonl": said("s12", again, day="2026-03-12")})
    consolidated(root, now=datetime(2026, 3, 13, 3, tzinfo=UTC))
    assert Memory(root).values(current=True) == ["the ladder is in the barn now"]
    assert "blue pot" in next(root.glob("episodes/2026-03-12*.md")).read_text()
    record = json.loads(max(root.glob("runs/consolidate-*.json")).read_text())
    assert [decision["reason"] for decision in record["decided"] if decision["action"] == "drop"] == [
        "you took this back before; it stands in its episode"
    ]


def test_a_statement_said_again_is_one_statement_with_two_sources(evenings: Evenings) -> None:
    memory = evenings(
        "we decided on the copper gutters for 1400", "we decided on the copper gutters for 1400!"
    )
    (fact,) = memory.facts
    assert fact.source.count("2026-03-1") == 2


def test_what_is_said_twice_before_a_night_is_one_statement_with_two_sources(tmp_path: Path) -> None:
    words = 'we decided on the "copper" gutters for 1400, see `[[roof]]`'
    beside = {
        10: "the scaffolding comes down in June",
        11: "Piet lent us his long ladder for the attic window",
    }
    turns = {day: [("user Nora", words), ("user Nora", text)] for day, text in beside.items()}
    logs = {f"logs/2026-03-{day}/s.jsonl": said(f"s{day}", turns[day], day=f"2026-03-{day}") for day in turns}
    root = put(tmp_path / "vault", {"Home.md": "# Home\n", **logs})
    assert consolidated(root, now=datetime(2026, 3, 12, 3, tzinfo=UTC)).changes.notices == ()
    (fact,) = (fact for fact in Memory(root).facts if "copper" in fact.value)
    assert fact.source.count("2026-03-1") == 2


def test_a_tie_is_a_commit_of_its_own_that_says_what_it_replaced(evenings: Evenings) -> None:
    memory = evenings(
        "on friday we take the car to the lake",
        "on friday we take the train to the lake after all",
        in_git=True,
    )
    subjects = git(memory.root, "log", "--format=%s").splitlines()
    (subject,) = [subject for subject in subjects if "(was " in subject]
    assert subject.startswith('Nora said: "on friday we take the train to the lake after all"')


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("they pulled lanternfish forward to september 19", "they pulled marzipan forward to october 3"),
        ("they postponed the boiler service to 5 May", "they postponed the roof inspection to 9 June"),
        ("we switched the kids room to LED bulbs", "we switched the hallway to smart bulbs"),
        ("Ines drinks oat milk", "Malik drinks soy milk now"),
        ("Milo weighs 12 kilos", "Luna weighs 5 kilos now"),
        ("the red team ships on mondays", "the blue team ships on fridays now"),
        ("on a décalé le dentiste au 5 mai", "on a décalé le contrôle technique au 9 juin"),
        ("Ruby geht um acht ins Bett", "Theo geht jetzt um neun ins Bett"),
    ],
)
def test_what_changes_of_another_thing_or_person_leaves_an_older_statement_as_it_is(
    evenings: Evenings, first: str, later: str
) -> None:
    memory = evenings(first, later)
    assert {*memory.values(current=True)} == {first, later}
    assert not any(fact.lifecycle.verify_by for fact in memory.facts)


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("the scan is on 5 may", "they moved the scan to 9 june"),
        ("deadline lanternfish: december 30", "they pulled lanternfish forward to september 19"),
        ("la clase es el martes", "han movido la clase al jueves"),
        ("der Kurs ist am Dienstag", "der Kurs wurde auf Donnerstag verschoben"),
    ],
)
def test_what_moves_a_thing_to_another_time_takes_the_place_of_its_time(
    evenings: Evenings, first: str, later: str
) -> None:
    memory = evenings(first, later)
    assert (memory.values(current=True), memory.values(current=False)) == ([later], [first])


# Facts


@pytest.mark.parametrize(
    ("first", "later", "value"),
    [
        ("Ana's birthday is on 4 May", "i had Ana's birthday wrong, it's 14 May", "14 May"),
        ("Ana's birthday is on 4 May", "you have Ana's birthday wrong. it's 14 May", "14 May"),
        ("Annas Geburtstag ist am 4. Mai", "ich habe mich bei Annas Geburtstag vertan, er ist am 14. Mai", "14 May"),
        ("l'anniversaire de Léa est le 4 mai", "je me suis trompée pour l'anniversaire de Léa, c'est le 14 mai", "14 May"),
        ("mi número es 600 111 222", "me equivoqué con mi número, es el 600 111 333", "600 111 333"),
        ("Tom lives in Bristol", "i was wrong about Tom, he lives in Bath", "Bath"),
        ("my sister's number is 0151 2234455", "my sister's number changed, it's 0151 2234466", "0151 2234466"),
    ],
)  # fmt: skip
def test_who_had_something_wrong_puts_it_right(
    evenings: Evenings, first: str, later: str, value: str
) -> None:
    memory = evenings(first, later)
    facts = [fact for fact in memory.facts if not fact.is_statement]
    assert [fact.value for fact in facts if fact.current] == [value]
    assert [fact.until for fact in facts if not fact.current] == ["2026-03-11"]
    assert memory.waiting == ""


def test_a_birthday_that_is_told_otherwise_waits(evenings: Evenings) -> None:
    memory = evenings("Ana's birthday is on 4 May", "Ana's birthday is on 14 May")
    assert memory.values(current=True) == ["4 May"]
    assert "14 May" in memory.waiting


ANSWERS = (
    ("When is Ana's birthday?", "14 May", ("Ana", "birthday", "14 May")),
    ("What's your phone number?", "0176 55 43 14", ("Nora", "phone", "0176 55 43 14")),
    ("What is your address?", "it's 12 Elm Road, Leeds", ("Nora", "address", "12 Elm Road, Leeds")),
    ("What's your favourite colour?", "green", ("Nora", "favorite colour", "green")),
    ("Qual è il tuo numero?", "è il 333 1234567", ("Nora", "phone", "333 1234567")),
    # How somebody is, what passes, and what is asked back are no values.
    ("How is the new job?", "brutal", None),
    ("For your sister Ana?", "no, for Kim", None),
    ("What's the deadline for the grant?", "what grant?", None),
    ("What's your rent?", "900 last year, 950 now", None),
)


@pytest.mark.parametrize(("question", "answer", "fact"), ANSWERS)
def test_what_answers_a_question_for_a_field_is_its_value(
    evenings: Evenings, question: str, answer: str, fact: tuple[str, str, str] | None
) -> None:
    memory = evenings([("assistant Pip", question), ("user Nora", answer)])
    facts = [(each.entity, each.field, each.value) for each in memory.facts if not each.is_statement]
    assert facts == ([fact] if fact else [])


@pytest.mark.parametrize(
    ("question", "answer", "later", "fact"),
    [
        ("what's Ana's number", "I have 0176 55 63 60 here.", "no, it's 0176 55 43 14", ("Ana", "phone", "0176 55 43 14")),
        ("what's my shoe size", "You told me 42.", "no, 43", ("Nora", "shoe size", "43")),
    ],
)  # fmt: skip
def test_who_puts_an_answer_right_tells_what_was_asked(
    evenings: Evenings, question: str, answer: str, later: str, fact: tuple[str, str, str]
) -> None:
    memory = evenings([("user Nora", question), ("assistant Pip", answer), ("user Nora", later)])
    assert [(each.entity, each.field, each.value) for each in memory.facts] == [fact]


def test_a_pronoun_of_a_relative_is_kept_with_who_it_is(evenings: Evenings) -> None:
    memory = evenings("my brother is staying with us until june. He is allergic to nuts")
    assert "brother: He is allergic to nuts" in memory.values(current=True)


def test_a_new_day_stands_with_what_it_is_of(evenings: Evenings) -> None:
    words = "the dinner with Ana on Tuesday is off, new date 12 May"
    assert evenings(words).values(current=True) == [words]


@pytest.mark.parametrize(
    ("first", "later", "old", "new"),
    [
        ("the deadline of projectX is 2026-05-03", "the deadline of projectX is 2026-05-12", "2026-05-03", "2026-05-12"),  # dates
        ("my budget is 900", "my budget is 1200", "900", "1200"),  # figures
        ("the deadline of projectX is 3 May", "the deadline of projectX moved to 12 May", "2026-05-03", "2026-05-12"),  # a change
        ("my boss is Marlene", "my boss is Ottilie", "Marlene", "Ottilie"),  # a role that one person has
    ],
)  # fmt: skip
def test_a_newer_value_supersedes_where_there_is_one_at_a_time(
    evenings: Evenings, first: str, later: str, old: str, new: str
) -> None:
    memory = evenings(first, later)
    facts = [fact for fact in memory.facts if not fact.is_statement]
    assert [fact.value for fact in facts if fact.current] == [new]
    (past,) = [fact for fact in facts if not fact.current]
    assert (past.value, past.since, past.until) == (old, "2026-03-10", "2026-03-11")
    assert memory.waiting == ""


def test_a_sign_of_change_supersedes_what_is_no_figure(evenings: Evenings) -> None:
    memory = evenings("i live in Leeds", "i moved to York")
    facts = [fact for fact in memory.facts if not fact.is_statement]
    assert [(fact.value, fact.current) for fact in facts] == [("York", True), ("Leeds", False)]


def test_without_a_sign_another_value_waits_beside_the_known_one(evenings: Evenings) -> None:
    memory = evenings("i live in Leeds", "i live in York")
    assert [fact.value for fact in memory.facts] == ["Leeds"]
    assert "lives in: York" in memory.waiting
    assert "known: Leeds" in memory.waiting


def test_a_role_that_several_have_collects_them(evenings: Evenings) -> None:
    memory = evenings("my sister Ulla sails", "my sister Berta sings")
    assert [fact.value for fact in memory.facts if fact.field == "sister"] == ["Ulla", "Berta"]


def test_a_preference_stands_beside_another(evenings: Evenings) -> None:
    memory = evenings("no bullets pls", "always answer in german")
    assert sorted(fact.value for fact in memory.facts) == ["always answer in german", "no bullets"]


def test_what_is_only_asked_or_hedged_supersedes_nothing(evenings: Evenings) -> None:
    memory = evenings(
        "the deadline of projectX is 2026-05-03",
        ["is the deadline of projectX 2026-05-09?", "maybe the deadline of projectX is 2026-05-10"],
    )
    assert [fact.value for fact in memory.facts if fact.current] == ["2026-05-03"]
    assert memory.values(current=False) == []


def test_the_assistant_supersedes_nothing(evenings: Evenings) -> None:
    memory = evenings(
        "my budget is 900", [("assistant Pip", "Your budget is 1200 now."), "the weather was lovely today"]
    )
    assert [fact.value for fact in memory.facts if fact.field == "budget"] == ["900"]


# What a person decided


def test_what_was_rejected_is_not_asked_or_kept_again(evenings: Evenings) -> None:
    memory = evenings("i live in Leeds", "i live in York")
    app = App(memory.root, clock=lambda: datetime(2026, 3, 13, tzinfo=UTC))
    app.review.reject(app.review.list())
    app.close()
    put(
        memory.root,
        {"logs/2026-03-14/s.jsonl": said("s14", [("user Nora", "i live in York")], day="2026-03-14")},
    )
    consolidated(memory.root, now=datetime(2026, 3, 15, 3, tzinfo=UTC))
    again = Memory(memory.root)
    assert [fact.value for fact in again.facts if fact.field == "lives in"] == ["Leeds"]
    assert "lives in: York" not in again.waiting


def test_a_day_puts_two_questions_of_doubt_to_a_person_and_the_rest_are_dated_statements(
    evenings: Evenings,
) -> None:
    """Where the speaker's facts are kept, and once, however often it is said."""
    doubts = [
        "my dentist might be Kim",
        "my landlord is maybe Okafor",
        "i think my rent is 900",
        "my budget could be 700",
    ]
    memory = evenings([doubts[0], *doubts], files={"semantic/family.md": "# Nora\n- shoe size: 39\n"})
    assert memory.waiting.count("- [ ]") == 2
    stated = [fact for fact in memory.facts if fact.is_statement and fact.current]
    assert len(stated) == 2
    assert {fact.value for fact in stated} < set(doubts)
    assert {fact.id.partition("#")[0] for fact in stated} == {"semantic/family"}


def test_every_conflict_with_what_is_known_is_asked(evenings: Evenings) -> None:
    known = ["i live in Leeds", "i work at Siemens", "i drive a Skoda", "my email is nora@leeds.example.org"]
    different = ["i live in York", "i work at Bosch", "i drive a Volvo", "my email is nora@york.example.org"]
    assert evenings(known, different).waiting.count("- [ ]") == 4


@pytest.mark.parametrize(
    ("first", "second", "ends", "stands"),
    [
        ("Ana works at Fugro", "Ana no longer works at Fugro", "Fugro", None),
        ("Ana works at Shell", "Ana left Shell and is at Fugro now", "Shell", ("works at", "Fugro")),
        ("Ana works at Shell", "Ana left Shell for Fugro", "Shell", ("works at", "Fugro")),
        ("Ana works at Shell", "Ana has left Shell, she works for Fugro these days", "Shell", ("works at", "Fugro")),
        ("i work at Shell in York", "i left Shell last week and joined Fugro", "Shell in York", ("works at", "Fugro")),
        ("i love Chinese food", "i hate Chinese food", "Chinese food", ("dislikes", "Chinese food")),
        ("my gym is PureGym", "i cancelled PureGym", "PureGym", None),
        ("my car is a Skoda Fabia", "i sold the Skoda", "a Skoda Fabia", None),
        ("my car is a Skoda Fabia", "sold the Skoda", "a Skoda Fabia", None),
        ("i have a cat called Biscuit", "Biscuit died on Sunday", "Biscuit", None),
        ("my dentist is Dr Vogt", "i changed dentists, i'm with Dr Amsel now", "Dr Vogt", ("dentist", "Dr Amsel")),
        ("mijn tandarts is dokter Vos", "ik ben van tandarts veranderd, het is nu dokter Hendriks", "Dokter Vos", ("dentist", "Hendriks")),
        ("i'm vegan", "i'm pescatarian now", "vegan", ("is", "pescatarian")),
        ("i prefer window seats", "i prefer aisle seats now", "window seats", ("prefers", "aisle seats")),
        ("my favourite band is Radiohead", "my favourite band these days is Big Thief", "Radiohead", ("favorite band", "Big Thief")),
        ("my email is nora@old.example", "my new email is nora@new.example", "nora@old.example", ("email", "nora@new.example")),
    ],
)  # fmt: skip
def test_what_a_person_says_to_be_over_is_moved_to_history_with_its_source(
    evenings: Evenings, first: str, second: str, ends: str, stands: tuple[str, str] | None
) -> None:
    memory = evenings(["i live in Leeds", first], second)
    assert memory.waiting == ""
    [past] = [fact for fact in memory.facts if not fact.current and not fact.is_statement]
    assert (past.value, past.until) == (ends, "2026-03-11")
    now = {(fact.field, fact.value) for fact in memory.facts if fact.current and not fact.is_statement}
    assert ("lives in", "Leeds") in now
    assert stands is None or stands in now


def test_a_new_home_is_not_ended_by_what_its_own_line_tells_on(evenings: Evenings) -> None:
    memory = evenings(["i live in Hull"], "we've moved to York, new flat, third floor")
    now = [fact.value for fact in memory.facts if fact.current and fact.field == "lives in"]
    assert now == ["York"]


@pytest.mark.parametrize(
    ("first", "second", "subject"),
    [
        ("Ana works at Fugro", "Ana no longer works at Fugro", "No longer"),
        ("i'm vegan", "i'm pescatarian now", "was vegan"),
    ],
)
def test_the_commit_of_what_is_over_says_so(
    evenings: Evenings, first: str, second: str, subject: str
) -> None:
    memory = evenings(["i live in Leeds", first], second, in_git=True)
    assert subject in git(memory.root, "log", "--format=%s")


@pytest.mark.parametrize(
    "second",
    [
        "Ana no longer works at Shell",
        "maybe Ana no longer works at Fugro",
        "Tom said Ana no longer works at Fugro",
        "i left the house",
        "Ana left Rome for Lisbon",
    ],
)
def test_an_ending_of_something_else_or_with_a_doubt_ends_nothing(evenings: Evenings, second: str) -> None:
    memory = evenings(["Ana works at Fugro", "my house is the red house"], second)
    assert not [fact for fact in memory.facts if not fact.current]


@pytest.mark.parametrize(
    ("language", "first", "later"),
    [
        ("en", "my daughter Tilda is in Year 5", "Tilda's cousin Ned went up to Year 6"),
        ("es", "mi hermano Pablo vive en Vigo", "la novia de Pablo se ha mudado a León"),
        ("pt", "o meu irmão Paulo mora em Braga", "a namorada do Paulo mudou-se para Faro"),
    ],
)
def test_what_somebodys_relative_does_ends_nothing_of_theirs(
    evenings: Evenings, language: str, first: str, later: str
) -> None:
    memory = evenings(first, later, files={"memoryclaw.yaml": f"index:\n  language: {language}\n"})
    assert memory.values(current=False) == []
    assert first.rpartition(" ")[2] in " ".join(memory.values(current=True))
