"""A fact that the assistant repeats and a person says is wrong: it waits with the turn, is marked until somebody decides, and is rated 1."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from conftest import VaultOf
from nights import said

from memoryclaw.app import App

PEOPLE = "# Ana\n- birthday: 2 May 1980\n- city: Bonn\n- phone: 0170 1234567\n\n# user\n- lives in: Lyon\n"
TALKS = {
    "a": ("when is Ana's birthday?", "Ana's birthday is 2 May 1980.", "No, that is wrong."),
    "b": ("wo wohnt Ana?", "Ana wohnt in Bonn.", "das stimmt nicht mehr"),
    "c": ("Ana's number?", "It is 0170 1234567.", "No that is wrong, her number is 0170 7654321"),
    "d": ("where do I live", "You live in Lyon.", "thanks, that is right"),
}


def test_what_a_person_denies_waits_with_the_turn_and_is_marked_until_decided(vault_of: VaultOf) -> None:
    logs = {
        f"logs/2026-11-02/{name}.jsonl": said(
            name, [("user", ask), ("assistant", answer), ("user", denial)], day="2026-11-02", hour=hour
        )
        for hour, (name, (ask, answer, denial)) in enumerate(TALKS.items(), 8)
    }
    root = vault_of({"semantic/people.md": PEOPLE, **logs})
    file = root / "semantic/people.md"
    with App(root, clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        waiting = {item.what: item for item in app.review.list()}
        assert set(waiting) == {"Ana: birthday is 2 May 1980", "Ana: city is Bonn"}
        assert waiting["Ana: birthday is 2 May 1980"].why.endswith(": user: No, that is wrong.")
        assert "2 May 1980 (to be checked" in app.recall("when is Ana's birthday?").context
        rated = [
            json.loads(line)
            for path in root.glob("ledger/*/*.jsonl")
            for line in path.read_text("utf-8").splitlines()
        ]
        ratings = {event["ids"][0]: event["rating"] for event in rated if event["event"] == "rated"}
        assert ratings == {"semantic/people#Ana.birthday": 1, "semantic/people#Ana.city": 1}
        assert "- phone: 0170 7654321" in file.read_text(encoding="utf-8")
        assert "- lives in: Lyon\n" in file.read_text(encoding="utf-8")
        app.review.reject([waiting["Ana: birthday is 2 May 1980"]])
        app.review.approve([waiting["Ana: city is Bonn"]])
        assert not app.review.list()
        assert "birthday" not in file.read_text(encoding="utf-8").partition("## History")[0]
        assert "denied" not in file.read_text(encoding="utf-8").partition("## History")[0]
        assert "to be checked" not in app.recall("where does Ana live?").context


def test_what_a_person_wants_forgotten_waits_line_by_line(vault_of: VaultOf) -> None:
    people = '# Ana\n- city: Bonn\n- birthday: 2 May 1980\n\n# user\n- lives in: Lyon\n- "Ana and Bo came late" [said:: 2026-10-01]\n'
    turns = [
        ("user", "Bitte vergiss, was ich über Ana gesagt habe"),
        ("user", "I forget what Bo said about Ana"),
    ]
    root = vault_of(
        {"semantic/people.md": people, "logs/2026-11-02/a.jsonl": said("a", turns, day="2026-11-02")}
    )
    file = root / "semantic/people.md"
    with App(root, clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        waiting = {item.value: item for item in app.review.list()}
        assert set(waiting) == {"Bonn", "2 May 1980", "Ana and Bo came late"}
        city, birthday, late = waiting["Bonn"], waiting["2 May 1980"], waiting["Ana and Bo came late"]
        assert city.what == "Forget: Ana: city is Bonn"
        assert "- city: Bonn" not in app.review.diff(city)[0].after
        assert city.why.endswith(": user: Bitte vergiss, was ich über Ana gesagt habe")
        app.review.approve([city])
        app.review.reject([birthday])
        assert [item.id for item in app.review.list()] == [late.id]
    text = file.read_text(encoding="utf-8")
    assert "Bonn" not in text
    assert "- birthday: 2 May 1980\n" in text
    assert any("Bonn" in path.read_text(encoding="utf-8") for path in (root / "archive").rglob("*.md"))


KIM = "# Ana\n- birthday: 1980-05-02\n- lives in: Lyon\n- phone: 555-2020\n\n# Kim\n- dentist: Dr Koch\n- address: 12 Baker Street\n- drives: Golf\n- works at: Initech\n"
LINES = '- "the press key rotates every 30 days" [said:: 2026-10-01]\n- "Miso and Nori sleep in the barn" [said:: 2026-10-01]\n'


def night_of(vault_of: VaultOf, *turns: str) -> set[str]:
    """What waits after one conversation of Kim, whose turns alternate with those of the assistant."""
    lines = [("assistant" if n % 2 else "user Kim", text) for n, text in enumerate(turns)]
    root = vault_of(
        {"semantic/people.md": KIM + LINES, "logs/2026-11-02/a.jsonl": said("a", lines, day="2026-11-02")}
    )
    with App(root, clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        return {item.what for item in app.review.list()}


@pytest.mark.parametrize(
    ("ask", "reply", "denial", "waiting"),
    [
        # A day in other words than the vault's, with and without its year; whose it is, by the question or by the reply.
        ("when is Ana's birthday?", "Ana's birthday is 2 May 1980.", "No, that is wrong.", "Ana: birthday is 1980-05-02"),
        ("when is Ana's birthday?", "On 2 May.", "that's not right", "Ana: birthday is 1980-05-02"),
        ("who is my dentist?", "Dr Koch.", "no longer", "Kim: dentist is Dr Koch"),
        ("draft my bio", "You work at Initech.", "not any more", "Kim: works at Initech"),
        ("how often does the key rotate?", "Every 30 days.", "that's outdated", 'Kim said: "the press key rotates every 30 days"'),
        # It held once, in words that name no day; one word is read in the language of what it answers.
        ("who is my dentist?", "Dr Koch.", "that hasn't been true for ages", "Kim: dentist is Dr Koch"),
        ("who is my dentist?", "Your dentist is Dr Koch.", "no no, that's my old one", "Kim: dentist is Dr Koch"),
        ("wer ist mein dentist?", "Dein dentist ist Dr Koch, und er ist gut.", "falsch", "Kim: dentist is Dr Koch"),
        ("mijn dentist?", "Je dentist is Dr Koch, dat is wat je zei.", "klopt niet", "Kim: dentist is Dr Koch"),
        ("mi dentist?", "Tu dentist es el Dr Koch, como me dijiste.", "ya no", "Kim: dentist is Dr Koch"),
        ("mi dentist?", "Tu dentist es el Dr Koch, como me dijiste.", "eso ya no es así", "Kim: dentist is Dr Koch"),
        ("wer ist mein dentist?", "Dein dentist ist Dr Koch.", "das ist nicht mehr so", "Kim: dentist is Dr Koch"),
        ("mon dentist ?", "Ton dentist est Dr Koch, comme tu me l'as dit.", "ce n'est plus vrai", "Kim: dentist is Dr Koch"),
        # What was told is over, by a word of an end: of the field that it names where the answer gave two.
        ("who is my dentist?", "Dr Koch.", "no, she retired", "Kim: dentist is Dr Koch"),
        ("wer ist mein dentist?", "Dein dentist ist Dr Koch.", "nein, sie ist in Rente", "Kim: dentist is Dr Koch"),
        ("mi dentist?", "Tu dentist es el Dr Koch.", "no, se ha jubilado", "Kim: dentist is Dr Koch"),
        ("mijn dentist?", "Je dentist is Dr Koch.", "nee, hij is met pensioen", "Kim: dentist is Dr Koch"),
        ("who is my dentist?", "Dr Koch.", "thanks, she left a message", ""),
        ("who is my dentist?", "Dr Koch.", "she's gone on holiday", ""),
        ("who is my dentist?", "Dr Koch.", "ok, gone to bed now", ""),
        ("wer ist mein dentist?", "Dein dentist ist Dr Koch.", "Er ist weg bis Montag", ""),
        ("who is my dentist?", "Dr Koch.", "she hasn't retired yet", ""),
        ("who is my dentist?", "Dr Koch.", "what if she quit?", ""),
        ("who is my dentist?", "Dr Koch.", "wrong window, sorry, ignore this", ""),
        # Something else is said instead, in words that name no field and give no value.
        ("who is my dentist?", "Dr Koch.", "wrong, I asked about Paris", "Kim: dentist is Dr Koch"),
        ("mon dentist ?", "Ton dentist est Dr Koch, comme tu me l'as dit.", "non, elle a pris sa retraite", "Kim: dentist is Dr Koch"),
        ("who is my dentist?", "Dr Koch. Since when?", "that was last year", ""),
        ("who is my dentist?", "Dr Koch.", "no, she is great", ""),
        # Nobody denies it: another day, an answer to a question, a wish, words of somebody else.
        ("when is Ana's birthday?", "On 3 May.", "that's not right", ""),
        ("are we going by train?", "You work at Initech. Do you go by train?", "no, I'll take the car", ""),
        ("draft my bio", "Kim works at Initech.", "no, make it shorter please", ""),
        ("who is Bo's dentist?", "Bo goes to Dr Lind.", "that's wrong", ""),
        # What is to be forgotten, by what it says.
        ("please forget that I drive a Golf", "Done.", "thanks", "Forget: Kim: drives is Golf"),
        ("forget about Nori please, she belongs to my ex", "Done.", "thanks", 'Forget: Kim said: "Miso and Nori sleep in the barn"'),
        ("please remove everything on Nori", "Done.", "thanks", 'Forget: Kim said: "Miso and Nori sleep in the barn"'),
        ("scratch what I told you about Nori", "Done.", "thanks", 'Forget: Kim said: "Miso and Nori sleep in the barn"'),
        ("remove Nori from your memory please", "Done.", "thanks", 'Forget: Kim said: "Miso and Nori sleep in the barn"'),
        ("i dont want you to remember anything on Nori", "Done.", "thanks", 'Forget: Kim said: "Miso and Nori sleep in the barn"'),
        ("lösch Nori aus deinem Gedächtnis", "Gut.", "danke", 'Forget: Kim said: "Miso and Nori sleep in the barn"'),
        ("remove Nori from the guest list", "Done.", "thanks", ""),
        ("forget Nori and the barn, which hymn is it?", "Psalm 23.", "thanks", ""),
        ("please remove everything on line 3", "Done.", "thanks", ""),
        ("don't forget that I drive a Golf", "I won't.", "thanks", ""),
        ("forget that, let's begin again", "Sure.", "thanks", ""),
    ],
)  # fmt: skip
def test_what_waits_after_a_denial_or_an_order_to_forget(
    vault_of: VaultOf, ask: str, reply: str, denial: str, waiting: str
) -> None:
    assert night_of(vault_of, ask, reply, denial) == ({waiting} if waiting else set())


@pytest.mark.parametrize(
    ("ask", "reply", "denial", "fact"),
    [
        ("who is my dentist?", "Dr Koch.", "no, it's Dr Pohl", "Kim.dentist: Dr Pohl"),
        ("who is my dentist?", "Dr Koch.", "nope, Dr Pohl", "Kim.dentist: Dr Pohl"),
        ("who is my dentist?", "Dr Koch.", "that's outdated, Dr Pohl now. And I'm tired", "Kim.dentist: Dr Pohl"),
        ("wer ist mein Zahnarzt?", "Dein Zahnarzt ist Dr Koch.", "nein, das ist Frau Pohl", "Kim.dentist: Frau Pohl"),
        ("draft my bio", "You work at Initech.", "no, that's wrong, Fugro", "Kim.works at: Fugro"),
        ("and Ana?", "Ana lives in Lyon.", "No, that's wrong, she lives in Nantes", "Ana.lives in: Nantes"),
        ("and Ana's number?", "Ana's number is 555-2020.", "wrong, her number is 555-3030", "Ana.phone: 555-3030"),
        ("what address do you have?", "I have 12 Baker Street.", "nope, it's 47 Canal Road", "Kim.address: 47 Canal Road"),
        # Also where no word denies it.
        ("who is my dentist?", "Your dentist is Dr Koch.", "Dr Pohl actually", "Kim.dentist: Dr Pohl"),
        ("who is my dentist?", "Your dentist is Dr Koch.", "not Koch, Pohl", "Kim.dentist: Dr Pohl"),
        ("and Ana's number?", "Ana's number is 555-2020.", "it's 555-3030", "Ana.phone: 555-3030"),
        ("and Ana's number?", "Ana's number is 555-2020.", "555-2020 was the old one, 555-3030 now", "Ana.phone: 555-3030"),
    ],
)  # fmt: skip
def test_a_value_beside_a_denial_takes_the_place_of_what_is_denied(
    vault_of: VaultOf, ask: str, reply: str, denial: str, fact: str
) -> None:
    lines = [("user Kim", ask), ("assistant", reply), ("user Kim", denial)]
    root = vault_of(
        {"semantic/people.md": KIM, "logs/2026-11-02/a.jsonl": said("a", lines, day="2026-11-02")}
    )
    with App(root, clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        current = {f"{fact.entity}.{fact.field}: {fact.value}" for _, fact in app.facts() if fact.current}
        field = fact.partition(":")[0]
        assert {line for line in current if line.startswith(field)} == {fact}
        assert len(current) == len(KIM.split("\n- ")) - 1
        assert [item.kind for item in app.review.list()] == []


@pytest.mark.parametrize(
    "order",
    [
        "vergiss, was ich über Ana gesagt habe", "oublie ce que j'ai dit sur Ana", "olvida lo que dije de Ana", "dimentica quello che ho detto su Ana",
        "vergeet wat ik over Ana zei", "esquece o que eu disse sobre a Ana", "please remove everything on Ana",
        "can you delete all notes on Ana?", "forget Ana", "olvida a Ana", "cancella Ana dalla tua memoria",
    ],
)  # fmt: skip
def test_an_order_to_forget_is_proposed_with_its_lines_and_no_statement_itself(
    vault_of: VaultOf, order: str
) -> None:
    log = said("a", [("user Kim", order), ("assistant", "ok")], day="2026-11-02")
    root = vault_of({"semantic/people.md": "# Ana\n- city: Bonn\n", "logs/2026-11-02/a.jsonl": log})
    with App(root, clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        assert [item.what for item in app.review.list()] == ["Forget: Ana: city is Bonn"]
        assert [fact.value for _, fact in app.facts()] == ["Bonn"]


def test_what_was_denied_answers_marked_until_decided(vault_of: VaultOf) -> None:
    turns = [
        ("user Kim", "who is my dentist?"),
        ("assistant", "Dr Koch."),
        ("user Kim", "not any more, I go to Dr Lehto now"),
    ]
    people = {"semantic/people.md": KIM, "logs/2026-11-02/a.jsonl": said("a", turns, day="2026-11-02")}
    root = vault_of(people)
    with App(root, clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        assert app.ask("who is Kim's dentist?").answered
        app.consolidate(llm="none")
    with App(root, clock=lambda: datetime(2026, 11, 3, 20, tzinfo=UTC)) as app:
        asked = app.ask("who is Kim's dentist?")
        assert not asked.answered
        assert any("Dr Koch (to be checked since" in line.text for line in asked.lines)
        app.review.approve([item for item in app.review.list() if "Koch" in item.what])
        assert not any("Koch (to be checked" in line.text for line in app.ask("who is Kim's dentist?").lines)


@pytest.mark.parametrize(
    ("first", "answer", "second", "question"),
    [
        ("the spare key is under the mat", "Under the mat, noted.", "no, that's wrong", "where is the spare key?"),
        ("my dentist is Dr Lee", "Dr Lee, noted.", "that's wrong", "who is my dentist?"),
        ("audit on the 13th", "The audit is on the 13th.", "not the 13th! the 31st", "when is the audit?"),
    ],
)  # fmt: skip
def test_a_turn_of_which_the_next_says_otherwise_answers_nothing_for_sure(
    vault_of: VaultOf, first: str, answer: str, second: str, question: str
) -> None:
    turns = [("user", first), ("assistant", answer), ("user", second)]
    root = vault_of({"logs/2026-11-02/a.jsonl": said("a", turns, day="2026-11-02")})
    with App(root, clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        assert app.ask(question).answered
        app.consolidate(llm="none")
        assert not app.ask(question).answered


@pytest.mark.parametrize(
    ("first", "answer", "second", "current", "waiting"),
    [
        ("my berth is 61", "Noted.", "16, not 61", {"Kim.berth: 16"}, set()),
        ("my mail is kim@harbour.example", "Noted.", "harbor without u: kim@harbor.example", {"Kim.email: kim@harbor.example"}, set()),
        ("mein Hund heißt Bolle", "", "sorry, Balle", {"Kim.dog: Balle"}, set()),
        ("my berth is 61 and my box is 75", "Noted.", "sorry, 74", {"Kim.berth: 61"}, {"Kim: box is 74"}),
        ("my berth is 61", "How long is the boat in metres?", "9", {"Kim.berth: 61"}, set()),
        ("I live in Fife", "So you live in Fife, with two dogs?", "i never said i have dogs", {"Kim.lives in: Fife"}, set()),
        ("I live in Fife", "So you live in Fife.", "that's wrong", set(), {"Kim: lives in Fife"}),
    ],
)  # fmt: skip
def test_a_value_put_right_in_the_next_turn_stands_alone(
    vault_of: VaultOf, first: str, answer: str, second: str, current: set[str], waiting: set[str]
) -> None:
    lines = [("user Kim", first), *([("assistant", answer)] if answer else []), ("user Kim", second)]
    root = vault_of({"logs/2026-11-02/a.jsonl": said("a", lines, day="2026-11-02")})
    with App(root, clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        facts = {
            f"{fact.entity}.{fact.field}: {fact.value}" for _, fact in app.facts() if not fact.is_statement
        }
        assert facts == current
        assert not [fact.value for _, fact in app.facts() if fact.is_statement and not answer.endswith("?")]
        assert {item.what for item in app.review.list()} == waiting


@pytest.mark.parametrize(
    ("question", "reply", "known", "now"),
    [
        ("Is your dentist still Dr Lee?", "no, it's Dr Novak now", "dentist: Dr Lee", "dentist: Dr Novak"),
        ("Your dentist is Dr Lee, right?", "No, that is wrong. It's Dr Novak.", "dentist: Dr Lee", "dentist: Dr Novak"),
        ("And do you still live in Bonn?", "no, that was years ago, I live in York", "lives in: Bonn", "lives in: York"),
        ("Dein Zahnarzt ist Dr. Klein, oder?", "nein, es ist jetzt Dr. Groß", "dentist: Dr. Klein", "dentist: Dr. Groß"),
        ("¿Tu jefe sigue siendo Pablo?", "no, ahora es Marta", "manager: Pablo", "manager: Marta"),
    ],
)  # fmt: skip
def test_no_to_a_question_of_what_is_known_puts_what_follows_in_its_place(
    question: str, reply: str, known: str, now: str, vault_of: VaultOf
) -> None:
    talk = said("a", [("assistant", question), ("user", reply)], day="2026-11-02")
    root = vault_of({"semantic/people.md": f"# user\n- {known}\n", "logs/2026-11-02/a.jsonl": talk})
    with App(root, clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        assert not app.review.list()
    standing, _, former = (root / "semantic/people.md").read_text(encoding="utf-8").partition("## History")
    assert f"- {now} [since:: 2026-11-02]" in standing
    assert f"- {known}" in former


@pytest.mark.parametrize(
    ("question", "reply", "known"),
    [
        ("You drive a Volvo, right?", "nope", "drives: Volvo"),
        ("Are you still working at Shell?", "no, I quit in June", "works at: Shell"),
        ("Und wohnst du noch in Bonn?", "nein, nicht mehr", "lives in: Bonn"),
        ("Do you still live in Bonn?", "no, Ghent", "lives in: Bonn"),
        ("Arbeitest du noch bei Siemens?", "nein, Elternzeit", "works at: Siemens"),
    ],
)
def test_no_to_a_question_of_what_is_known_waits_and_is_marked(
    question: str, reply: str, known: str, vault_of: VaultOf
) -> None:
    talk = said("a", [("assistant", question), ("user", reply)], day="2026-11-02")
    root = vault_of({"semantic/people.md": f"# user\n- {known}\n", "logs/2026-11-02/a.jsonl": talk})
    with App(root, clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        [item] = app.review.list()
        field, value = known.split(": ")
        assert (item.entity, item.field, item.value) == ("user", field, value)
        assert "to be checked" in app.recall(f"my {field} {value}").context


OTHER_QUESTIONS = (
    ("Should I invite your sister Ana?", "No, Bea"),
    ("Is your sister Ana coming?", "no, Bea is"),
    ("Should I call your dentist Dr Lee?", "no, I'll do it"),
    ("Is your sister still Ana?", "no worries, let's move on"),
    ("Who is your dentist?", "no idea"),
    ("Your sister is Ana and your dentist is Dr Lee. Anything else?", "no"),
    ("It rains in Leeds today. Are you there?", "no, Paris"),
    ("Are you in Leeds?", "no, York"),
    ("Bist du in Leeds?", "nein, im Zug"),
    ("For your sister Ana?", "no, for Kim"),
    ("Does he still live in Leeds?", "no, Hull"),
    ("Your sister Ana is off, right?", "no"),
    ("With your dentist Dr Lee, right?", "no, Dr Pohl"),
)


def test_no_to_another_question_leaves_what_is_known_as_it_is(vault_of: VaultOf) -> None:
    people = "# user\n- sister: Ana\n- dentist: Dr Lee\n- lives in: Leeds\n"
    logs = {
        f"logs/2026-11-02/{name}.jsonl": said(
            name, [("assistant", question), ("user", reply)], day="2026-11-02"
        )
        for name, (question, reply) in zip("abcdefghijklmnop", OTHER_QUESTIONS, strict=False)
    }
    root = vault_of({"semantic/people.md": people, **logs})
    with App(root, clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        assert len([*root.glob("episodes/*.md")]) > 1
        assert not app.review.list()
    assert (root / "semantic/people.md").read_text(encoding="utf-8").startswith(people.rstrip("\n"))
