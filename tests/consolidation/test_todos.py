"""To-dos from talk to the vault: which lines get a box, what a later talk makes of them, and that nothing else of a file changes."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import put
from gitvault import git, vault_of

from memoryclaw.app import App
from memoryclaw.consolidation.actions import DONE, TickTodo
from memoryclaw.vault.notes import ReadingSettings, read_note

FIRST = datetime(2026, 3, 2, 18, tzinfo=UTC)
Turns = tuple[str | tuple[str, str], ...]
LINE = re.compile(
    r"^- \[(.)\] (.*?)(?: 📅 (\d{4}-\d\d-\d\d))?(?: \((\[\[.*\]\])\))? \^(l\d+(?:-\d+)?)$", re.MULTILINE
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return put(tmp_path / "vault", {"Home.md": "# Home\n"})


def log(root: Path, day: int, *said: str | tuple[str, str]) -> None:
    """A talk of a day: words of Mira, and of others as (role, words)."""
    when = FIRST + timedelta(days=day)
    lines = []
    for number, turn in enumerate(said, 1):
        role, text = turn if isinstance(turn, tuple) else ("user", turn)
        name = {"user": "Mira", "assistant": "Pip"}.get(role, "")
        ts = f"{when + timedelta(minutes=number):%Y-%m-%dT%H:%M:%SZ}"
        value = {"ts": ts, "session": f"s{day}", "turn": number, "role": role, "name": name, "content": text}
        if role == "tool":
            tool, _, args = text.partition(" ")
            value = {
                **value,
                "content": "",
                "tool": tool,
                "args": json.loads(args),
                "result": "ok",
                "ok": True,
            }
        lines.append(json.dumps(value, ensure_ascii=False))
    put(root, {f"logs/{when:%Y-%m-%d}/s{day}.jsonl": "\n".join(lines) + "\n"})


def app_of(root: Path, day: int) -> App:
    return App(root, clock=lambda: FIRST + timedelta(days=day, hours=6))


def run(root: Path, day: int = 0, **options):
    app = app_of(root, day)
    try:
        return app.consolidate(**{"llm": "none", **options})
    finally:
        app.close()


def talk(root: Path, day: int, *said: str | tuple[str, str]):
    log(root, day, *said)
    return run(root, day)


def episode(root: Path, day: int) -> Path:
    (path,) = root.glob(f"episodes/{FIRST + timedelta(days=day):%Y-%m-%d}_*.md")
    return path


def boxes(root: Path, day: int) -> list[tuple[str, str]]:
    """The to-dos of a day's episode: box and words, without the speaker and links."""
    lines = LINE.findall(episode(root, day).read_text())
    return [(box, text.removeprefix("Mira: ")) for box, text, *_ in lines]


def dues(root: Path, day: int = 0) -> list[str]:
    """The days on which the to-dos of a day's episode are due."""
    return [due for _, _, due, *_ in LINE.findall(episode(root, day).read_text())]


def words(text: str) -> str:
    """Words without the dates that were put behind them."""
    return re.sub(r" \(\d{4}[^)]*\)", "", text)


def todos(root: Path, day: int = 0) -> list[str]:
    return [words(text) for _, text in boxes(root, day)]


CHAT = ("assistant", "Good to hear from you. What can I do?")
TOWNS = [
    "Husum", "Kiel", "Bergen", "Aarhus", "Leeds", "Nantes", "Turku", "Porto", "Gdansk", "Bari", "Cork",
    "Riga", "Split",
]  # fmt: skip


def greeted(number: int, said: str, *, german: bool = False) -> Turns:
    """A talk that ends with these words, and begins in its language from a town of its own."""
    hello = ("hi, mira here, back from the market in", "hallo, ich bin es, wieder zu hause nach dem Markt in")
    return (f"{hello[german]} {TOWNS[number]}", CHAT, said)


def talks(root: Path, *each: Turns, first: int = 0) -> None:
    """A talk a day, read in one night."""
    for day, turns in enumerate(each, first):
        log(root, day, *turns)
    run(root, first + len(each))


SAID_FIRST = {
    "on friday i need to ring the plumber": "ring the plumber on friday",
    "by 3 june i have to renew the passport": "renew the passport by 3 june",
    "next week i have to see the vet": "see the vet next week",
    "am montag muss ich die miete zahlen": "die miete zahlen am montag",
    "i went there on friday, i need to ring the baker": "ring the baker",
}


def test_a_day_that_is_said_first_stays_with_what_is_to_be_done(root: Path) -> None:
    talks(root, *((said,) for said in SAID_FIRST))
    assert [todos(root, day) for day in range(len(SAID_FIRST))] == [[text] for text in SAID_FIRST.values()]


TO_DO = {
    "remind me to return the library books on thursday": ["return the library books on thursday"],
    "i still need to pick up the dry cleaning": ["pick up the dry cleaning"],
    "ugh, dont let me forget the parking permit": ["the parking permit"],
    "add oat milk to my list please": ["oat milk"],
    "i have to call the vet, renew the passport and pay the plumber": ["call the vet", "renew the passport", "pay the plumber"],
    "i need to call mum and dad about easter": ["call mum and dad about easter"],
    "I drop the keys off at the agency on friday, put that on my list": ["I drop the keys off at the agency on friday"],
    "ich muss noch den Keller ausmisten": ["den Keller ausmisten"],
    "erinner mich bitte an den Termin beim Notar": ["den Termin beim Notar"],
    "ich muss noch Brot kaufen, die Miete überweisen und Oma anrufen": ["Brot kaufen", "die Miete überweisen", "Oma anrufen"],
    "erinner mich mal: Impfpass von Jule, bis 3. April": ["Impfpass von Jule, bis 3. April"],
}  # fmt: skip


def test_what_somebody_has_to_do_is_a_line_with_an_open_box(root: Path) -> None:
    talks(root, *(greeted(number, said) for number, said in enumerate(TO_DO)))
    for day, texts in enumerate(TO_DO.values()):
        assert todos(root, day) == texts
        assert {box for box, _ in boxes(root, day)} == {" "}
        points = re.findall(r"^- .*Mira: (.*?)(?: 📅 \S+)? \^", episode(root, day).read_text(), re.MULTILINE)
        assert all([words(point) for point in points].count(text) == 1 for text in texts)


@pytest.mark.parametrize(
    ("asked", "said", "expected"),
    [
        (
            "Anything on the to-do list?",
            "yes: book the ferry, order a cake from Otto, and tell Ines the new date. and fix the gate",
            ["book the ferry", "order a cake from Otto", "tell Ines the new date", "fix the gate"],
        ),
        ("Anything for the to-do list?", "order screws, the long ones", ["order screws, the long ones"]),
        (
            "What is left to do?",
            "the tax return, the boiler and the fence",
            ["the tax return", "the boiler", "the fence"],
        ),
        (
            "Steht sonst noch etwas an?",
            "ja: Auto ummelden, neue Reifen, und die Kündigung vom Fitnessstudio schicken",
            ["Auto ummelden", "neue Reifen", "die Kündigung vom Fitnessstudio schicken"],
        ),
    ],
)
def test_the_answer_to_what_there_is_to_do_is_one_todo_for_each_part(
    root: Path, asked: str, said: str, expected: list[str]
) -> None:
    talk(root, 0, "hi, mira here", ("assistant", asked), said)
    assert todos(root) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("call the bank tomorrow", {"call the bank tomorrow": "2026-03-03"}),
        ("please pay the rent by 2026-02-20", {"please pay the rent by 2026-02-20": "2026-02-20"}),
        ("i need to send the slides before wednesday", {"send the slides before wednesday": "2026-03-03"}),
        ("i have to file the tax form by friday", {"file the tax form by friday": "2026-03-06"}),
        ("morgen muss ich Anna anrufen", {"Anna anrufen morgen": "2026-03-03"}),
        ("ich muss vor Freitag noch das Paket abholen", {"vor Freitag noch das Paket abholen": "2026-03-05"}),
        ("bitte die Rechnung bis zum 15. bezahlen", {"bitte die Rechnung bis zum 15. bezahlen": "2026-03-15"}),
        ("remind me to renew the passport in 3 weeks", {"renew the passport in 3 weeks": "2026-03-23"}),
        ("by 20 june i have to see the vet", {"see the vet by 20 june": "2026-06-20"}),
        ("in two weeks i have to hand in the logbook", {"hand in the logbook in two weeks": "2026-03-16"}),
        ("the car needs to go to the garage on monday", {"the car needs to go to the garage on monday": "2026-03-09"}),
        ("call the bank tomorrow and pay the rent by friday", {"call the bank tomorrow": "2026-03-03", "pay the rent by friday": "2026-03-06"}),
        ("i need to call the bank", {"call the bank": ""}),
        ("i need to write a long letter to my mother", {"write a long letter to my mother": ""}),
        ("i need to make an appointment", {"make an appointment": ""}),
        ("i have to write the report by friday", {"write the report by friday": "2026-03-06"}),
        ("i need to answer the letter from monday", {"answer the letter from monday": ""}),
        ("i should return the ladder by friday", {"return the ladder by friday": "2026-03-06"}),
        ("ich sollte bis Freitag die Miete bezahlen", {"bis Freitag die Miete bezahlen": "2026-03-06"}),
        ("have to be at the notary on 14 may at 9", {"be at the notary on 14 may at 9": "2026-05-14"}),
        ("my boss wants me to finish the slides by friday", {"finish the slides by friday": "2026-03-06"}),
        ("Lena hat mich gebeten, am Freitag einen Salat mitzubringen", {"am Freitag einen Salat mitzubringen": "2026-03-06"}),
        ("ma chef veut que je finisse le rapport avant vendredi", {"finisse le rapport avant vendredi": "2026-03-05"}),
        ("Marta me ha pedido que lleve una ensalada el viernes", {"lleve una ensalada el viernes": "2026-03-06"}),
        ("Giulia mi ha chiesto di portare un'insalata venerdì", {"portare un'insalata venerdì": "2026-03-06"}),
        ("Sanne heeft me gevraagd om vrijdag een salade mee te nemen", {"om vrijdag een salade mee te nemen": "2026-03-06"}),
        ("a minha chefe quer que eu acabe o relatório até sexta", {"acabe o relatório até sexta": "2026-03-06"}),
        ("depois de amanhã tenho de ligar ao banco", {"ligar ao banco depois de amanhã": "2026-03-04"}),
        ("vergiss nicht: Paket abholen am Montag", {"Paket abholen am Montag": "2026-03-09"}),
        ("i promised Lena i'd fix her bike", {"fix her bike": ""}),
        ("ho promesso a Paola di riparare la sua bici", {"riparare la sua bici": ""}),
        ("i need to sand the door and to oil the hinges", {"sand the door": "", "oil the hinges": ""}),
    ],
)  # fmt: skip
def test_what_is_to_be_done_by_a_day_is_due_on_it(root: Path, said: str, expected: dict[str, str]) -> None:
    talk(root, 0, said)
    assert dict(zip(todos(root), dues(root), strict=True)) == expected
    assert not list(root.glob("semantic/*.md"))


# Work for the assistant, and what is no duty of the speaker's, or none by a day.
NO_TO_DO = (
    (
        "draft me a mail to the landlord about the mould", "gimme three options for the menu",
        "i have to say the new bakery is really good", "my neighbour needs to trim her hedge",
        "do i need to bring my own towels?", "if we win the raffle i need to buy a frame",
        "we dont need to repaint the hallway", "i always have to get up at five for the market",
        "schreib mir mal eine Mail an die Hausverwaltung", "ich muss sagen, die neue Bäckerei ist gut",
        "ich musste gestern zwei Stunden am Bahnhof warten", "I need to write a function which parses the dates of a log",
    ),
    (
        "Don't call Bob tomorrow", "water the plants every friday", "send me the draft by friday",
        "answer in Danish from tomorrow", "close the till for day 3", "run the tests", "Please tell Kim.",
        "can you call the bank tomorrow?", "the book club is on friday", "morgen.",
        "the order arrives tomorrow", "opening is pushed back to 16 april",
    ),
    (
        "i might call the bank tomorrow", "i should be in Berlin by friday", "i must take two pills at 8 am", "i should have called the bank on friday",
    ),
    (
        "remind me how to tie a bowline", "erinner mich, wie man einen Palstek macht", "recuérdame cómo se hace", "Tom promised to bring the chairs on friday",
        "my son wants me to read him a story every night", "she asked me to lunch on friday", "have to be honest, the soup was bad", "quiere que Ana termine el viernes", "não te esqueças disso",
    ),
    ("hanne has to pay her rent by friday", "the landlord needs to fix the tap by friday", "the parser needs to handle nulls"),
)  # fmt: skip


@pytest.mark.parametrize("said", NO_TO_DO, ids=["duties", "days", "musts", "asked", "others"])
def test_what_is_not_to_be_done_gets_no_box(root: Path, said: tuple[str, ...]) -> None:
    talks(root, *(greeted(n, words, german=words == "morgen.") for n, words in enumerate(said)))
    assert len(list(root.glob("episodes/*.md"))) == len(said)
    assert {words: boxes(root, day) for day, words in enumerate(said) if boxes(root, day)} == {}


def test_the_day_is_counted_where_the_speaker_is_and_is_known_wherever_it_is_asked_for(root: Path) -> None:
    turn = {"session": "s0", "role": "user", "name": "Mira"}
    app = app_of(root, 0)
    try:
        app.capture(
            json.dumps({**turn, "ts": ts, "content": text})
            for ts, text in (
                ("2026-03-03T00:30:00+09:00", "call the bank tomorrow"),
                ("2026-03-03T00:31:00+09:00", "pay the rent by 2025-05-20"),
                ("2026-03-03T00:32:00+09:00", "sign the lease in 3 weeks"),
            )
        )
        app.consolidate(llm="none")
        assert [(todo.text, todo.due) for todo in app.todos(due="this week")] == [
            ("Mira: call the bank tomorrow (2026-03-04)", "2026-03-04")
        ]
        assert [todo.due for todo in app.todos()] == ["2025-05-20", "2026-03-04", "2026-03-24"]
        asked = app.ask("what is due this week?")
        assert asked.answered
        assert [line.text for line in asked.lines] == [
            "[ ] Mira: call the bank tomorrow (2026-03-04) (due 2026-03-04)"
        ]
        put(root, {"notes/Otto.md": "Otto bakes the cake.\n"})
        ahead = app.recall("who bakes the cake?").context
        assert "due 2026-03-04" in ahead
        assert "2025-05-20" not in ahead
    finally:
        app.close()


def test_a_todo_told_again_without_its_day_keeps_it(root: Path) -> None:
    talk(root, 0, "hi", CHAT, "i need to descale the coffee machine by friday")
    talk(root, 1, "hi", CHAT, "i still need to descale that coffee machine")
    assert dues(root, 1) == ["2026-03-06"]
    talk(root, 2, "the coffee machine is descaled", CHAT)
    assert [box for box, _ in boxes(root, 1)] == ["x"]


def test_a_denied_answer_to_what_there_is_to_do_is_no_todo(root: Path) -> None:
    talk(
        root, 0, "hi, mira from Husum", ("assistant", "Anything on the to-do list?"), "no, nothing this week"
    )
    assert boxes(root, 0) == []


def test_a_reminder_that_a_tool_has_set_is_still_to_do_and_what_a_tool_did_is_not(root: Path) -> None:
    talk(
        root,
        0,
        "remind me to water the lemon tree on monday",
        ("tool", 'reminder_create {"text": "Water the lemon tree"}'),
        ("assistant", "Set."),
        "and dont forget to send Otto the seating plan",
        ("tool", 'send_message {"to": "Otto", "text": "The seating plan is attached."}'),
        ("assistant", "Sent to Otto."),
    )
    assert todos(root) == ["water the lemon tree on monday"]


def test_a_todo_is_no_fact_no_statement_and_no_question_but_who_somebody_is_stays_one(root: Path) -> None:
    talk(root, 0, "hi", CHAT, "i need to call my sister Hedda about the 400 euro deposit before 12 March")
    app = app_of(root, 0)
    try:
        facts = [fact for _, fact in app.facts()]
        waiting = app.review.list()
    finally:
        app.close()
    assert not [item for item in waiting if "deposit" in str(item)]
    assert not [fact for fact in facts if "deposit" in fact.value]
    assert [(fact.field, fact.value) for fact in facts] == [("sister", "Hedda")]
    assert len(boxes(root, 0)) == 1


def test_a_done_todo_is_ticked_by_the_talk_that_says_so_in_one_commit(root: Path) -> None:
    vault_of(root, {})
    talk(root, 0, "hi", CHAT, "i still need to book the ferry and order a cake from Otto")
    before = episode(root, 0).read_bytes()
    done = talk(root, 3, "hello again, ferry is booked!!", ("assistant", "Lovely."))
    assert boxes(root, 0) == [("x", "book the ferry"), (" ", "order a cake from Otto")]
    after = episode(root, 0).read_bytes()
    assert len(before) == len(after)
    assert [(a, b) for a, b in zip(before, after, strict=True) if a != b] == [(ord(" "), ord("x"))]
    block = re.search(r"book the ferry \^(\S+)", after.decode())[1]
    assert (
        f"- [x] Mira: ferry is booked ([[{episode(root, 0).stem}#^{block}]]) ^l1"
        in episode(root, 3).read_text()
    )
    (commit,) = [commit.commit for commit in done.applied.commits if commit.kind == "episode"]
    changed = git(root, "show", "--format=", "--name-only", commit).split()
    assert {"episodes/" + episode(root, day).name for day in (0, 3)} <= set(changed)


ENDED = [
    ("i still need to send Ruben the floor plan", "sent ruben the floor plan this morning", "x"),
    ("remind me to renew the fishing licence", "the licence is sorted", "x"),
    ("i need to book a table at Tonis", "Tonis is cancelled, they closed for good", "-"),
    ("ich muss noch die Gästeliste abgeben", "Gästeliste ist erledigt", "x"),
    ("erinner mich an die Steueranmeldung", "anmeldung ist durch!", "x"),
    ("ich muss noch den Tisch im Anker reservieren", "hab den Tisch im Anker reserviert", "x"),
    ("ich muss noch den Chor für Mai buchen", "der Chor fällt aus", "-"),
]


def test_a_later_word_closes_a_todo(root: Path) -> None:
    german = ["ich muss" in text or "erinner" in text for text, *_ in ENDED]
    for place, first in ((0, 0), (1, 20)):
        each = (greeted(n, row[place], german=german[n]) for n, row in enumerate(ENDED))
        talks(root, *each, first=first)
    for day, (_, _, box) in enumerate(ENDED):
        assert [words for words, _ in boxes(root, day)] == [box]
        assert [words for words, _ in boxes(root, 20 + day)] == [box]
        assert f"([[{episode(root, day).stem}#^l3]])" in episode(root, 20 + day).read_text()


def test_what_is_asked_denied_planned_or_about_something_else_closes_nothing(root: Path) -> None:
    talk(root, 0, "hi", CHAT, "i still need to book the ferry")
    for day, said in enumerate(
        (
            "is the ferry booked?",
            "the ferry isn't booked yet",
            "i'll book the ferry tomorrow night",
            "once the ferry is booked we can plan the rest",
            "Otto says the ferry is booked",
            "the hotel is booked",
            "noch nichts gebucht, die Fähre ist nicht erledigt",
        ),
        2,
    ):
        talk(root, day, f"me again, greetings from {TOWNS[day]}", CHAT, said)
        assert boxes(root, 0) == [(" ", "book the ferry")], said


def test_a_moved_todo_goes_on_in_the_newer_line(root: Path) -> None:
    talk(root, 0, "hi", CHAT, "remind me to drop the van off at the garage on tuesday")
    talk(root, 1, "the garage drop off is pushed to friday", CHAT)
    assert [box for box, _ in boxes(root, 0)] == ["-"]
    assert [box for box, _ in boxes(root, 1)] == [" "]
    talk(root, 5, "van is at the garage, drop off done", CHAT)
    assert [box for box, _ in boxes(root, 1)] == ["x"]


def test_a_todo_told_again_goes_on_in_the_newer_line(root: Path) -> None:
    talk(root, 0, "hi", CHAT, "i need to descale the coffee machine")
    talk(root, 4, "hi", CHAT, "i still need to descale that coffee machine")
    assert [box for box, _ in boxes(root, 0)] == ["-"]
    assert [box for box, _ in boxes(root, 4)] == [" "]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("i need to email Paul about the contract", "i need to email Paul about the invoice"),
        ("i have to renew the car insurance", "i have to renew the home insurance"),
        ("ich muss noch Blumen für Ada kaufen", "ich muss noch Blumen für Jon kaufen"),
    ],
)
def test_a_todo_about_another_thing_leaves_the_first_open(root: Path, first: str, second: str) -> None:
    talk(root, 0, "hi", CHAT, first)
    talk(root, 4, "hi", CHAT, second)
    assert [box for day in (0, 4) for box, _ in boxes(root, day)] == [" ", " "]


@pytest.mark.parametrize(
    ("todo", "later", "box"),
    [
        ("tenho de marcar a consulta", "já marquei a consulta", "x"), ("tengo que devolver la llave", "ya devolví la llave", "x"),
        ("i need to hand in the timesheet", "timesheet's in", "x"), ("tenho de devolver a chave", "devolvi o livro", " "),
        ("i need to book the dentist", "the dentist's in Leeds", " "),
        ("i need to ring the surgery by friday", "rang the surgery", "x"), ("i need to send the slides to Ada", "slides sent to Ada", "x"),
        ("i need to call the vet", "no need to call the vet after all", "-"),
        ("i need to water the ferns", "the letter says water the ferns", " "), ("ik moet vrijdag de loodgieter bellen", "loodgieter gebeld", "x"),
    ],
)  # fmt: skip
def test_a_past_of_a_later_day_closes_what_was_to_be_done(
    root: Path, todo: str, later: str, box: str
) -> None:
    vault_of(root, {})
    talk(root, 0, todo, ("assistant", "Ok."))
    talk(root, 3, later, ("assistant", "Ok."))
    assert [words for words, _ in boxes(root, 0)] == [box]


@pytest.mark.parametrize("text", ["we should really do something about climate change", "temos de fazer alguma coisa pelo clima"])  # fmt: skip
def test_what_nobody_does_on_one_day_is_no_todo(root: Path, text: str) -> None:
    vault_of(root, {})
    talk(root, 0, text, "hi", ("assistant", "Ok."), "i need to do something about the damp by friday")
    assert [words for _, words in boxes(root, 0)] == ["do something about the damp by friday"]


def test_a_todo_that_is_done_in_the_same_talk_is_written_done(root: Path) -> None:
    talk(root, 0, "i need to water the tomatoes", CHAT, "tomatoes are done", ("assistant", "Nice."))
    assert boxes(root, 0) == [("x", "water the tomatoes")]


def test_all_done_closes_what_the_assistant_has_just_named_and_nothing_else(root: Path) -> None:
    talk(root, 0, "hi", CHAT, "i need to book the ferry, paint the gate and order a cake from Otto")
    talk(root, 2, "hi", ("assistant", "You had the ferry to book and the gate to paint."), "both done")
    assert [box for box, _ in boxes(root, 0)] == ["x", "x", " "]
    talk(root, 4, "hi from Husum", ("assistant", "How are you?"), "all done")
    assert [box for box, _ in boxes(root, 0)] == ["x", "x", " "]


def test_that_one_is_done_closes_nothing_where_several_were_named(root: Path) -> None:
    talk(root, 0, "hi", CHAT, "i need to book the ferry and paint the gate")
    talk(
        root, 2, "hi from Husum", ("assistant", "You had the ferry to book and the gate to paint."), "did it"
    )
    assert [box for box, _ in boxes(root, 0)] == [" ", " "]


def test_talks_of_one_run_end_each_others_todos(root: Path) -> None:
    log(root, 0, "hi", CHAT, "i still need to book the ferry")
    log(root, 1, "ferry is booked", CHAT)
    log(root, 2, "the ferry is booked, i told you", CHAT)
    planned = run(root, 2, dry_run=True).changes
    assert run(root, 2).changes == planned
    assert boxes(root, 0) == [("x", "book the ferry")]
    assert [box for box, _ in boxes(root, 1)] == ["x"]
    assert boxes(root, 2) == []


def test_what_is_older_than_sixty_days_stays_as_it_is(root: Path) -> None:
    talk(root, 0, "hi", CHAT, "i still need to book the ferry")
    talk(root, 61, "ferry is booked", CHAT)
    assert boxes(root, 0) == [(" ", "book the ferry")]


def test_a_line_that_a_person_changed_or_ticked_is_left_alone(root: Path) -> None:
    vault_of(root, {})
    talk(root, 0, "hi", CHAT, "i still need to book the ferry and paint the gate")
    path = episode(root, 0)
    edited = path.read_text().replace(
        "- [ ] Mira: paint the gate", "- [x] Mira: paint the gate ✅ 2026-03-03"
    )
    path.write_text(edited)
    git(root, "commit", "-qam", "painted")
    talk(root, 2, "gate is done", CHAT)
    assert path.read_text() == edited


def test_a_tick_changes_one_character_and_only_where_the_line_still_is_what_it_was() -> None:
    tick = TickTodo("episodes/2026-03-02_18-00-00_ferry.md", "l3", DONE, "Mira: book the ferry")
    text = "---\r\nid: a\r\n---\r\n- [ ] Mira: book the ferry ^l3\r\n- [ ] Mira: book the ferry ^l3-2"
    assert tick.patch(text, frozenset()) == text.replace("[ ]", "[x]", 1)
    for other in (
        text.replace("[ ]", "[x]"),
        text.replace("the ferry", "a ferry"),
        "",
        "- [ ] Mira: book the ferry",
    ):
        assert tick.patch(other, frozenset()) == other
    assert tick.patch(None, frozenset()) is None


def test_undoing_the_run_opens_the_todo_again(root: Path) -> None:
    vault_of(root, {})
    talk(root, 0, "hi", CHAT, "i still need to book the ferry")
    before = episode(root, 0).read_bytes()
    done = talk(root, 2, "ferry is booked", CHAT)
    app = app_of(root, 2)
    try:
        app.undo(done.changes.run)
    finally:
        app.close()
    assert episode(root, 0).read_bytes() == before


def test_redo_keeps_what_was_closed_and_the_link(root: Path) -> None:
    vault_of(root, {})
    talk(root, 0, "hi", CHAT, "i still need to book the ferry")
    talk(root, 2, "ferry is booked", CHAT)
    kept = {day: episode(root, day).read_text() for day in (0, 2)}
    app = app_of(root, 3)
    try:
        for since in ("2026-03-01", "2026-03-04"):
            redone = app.redo(since)
            assert "same result" in redone.waits, since
    finally:
        app.close()
    assert {day: episode(root, day).read_text() for day in (0, 2)} == kept


def test_as_proposals_a_tick_waits_with_its_episode(root: Path) -> None:
    vault_of(root, {})
    talk(root, 0, "hi", CHAT, "i still need to book the ferry")
    put(root, {"memoryclaw.yaml": "consolidation:\n  mode: propose\n"})
    git(root, "add", "-A")
    git(root, "commit", "-qm", "settings")
    talk(root, 2, "ferry is booked", CHAT)
    assert boxes(root, 0) == [(" ", "book the ferry")]
    (proposal,) = root.glob("review/episode-*.md")
    app = app_of(root, 2)
    try:
        app.review.approve([app.review.get(proposal.stem)])
    finally:
        app.close()
    assert boxes(root, 0) == [("x", "book the ferry")]


def test_the_lines_of_todos_are_read_without_a_problem_and_link_to_their_episodes(root: Path) -> None:
    talk(root, 0, "hi", CHAT, "i still need to book the ferry")
    talk(root, 2, "ferry is booked", CHAT)
    path = episode(root, 2)
    note = read_note(f"episodes/{path.name}", path.read_bytes(), ReadingSettings())
    assert not note.problems
    assert episode(root, 0).stem in {link.target for link in note.links}
