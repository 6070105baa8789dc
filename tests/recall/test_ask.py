"""A line answers for sure where what speaks for it says so; everything else is shown as the nearest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import VaultOf
from nights import said

from memoryclaw.app import App
from memoryclaw.vault.vocabulary import holds_form
from tests.vaults import put

TURN = '{{"session": "{day}", "turn": {turn}, "ts": "{day}T10:0{turn}:00Z", "role": "user", "content": "{text}"}}\n'
SAID = {
    "2026-03-01": ("the roof inspection is with Petra Holm", "the lock on Quay Lane is kept by Ulf Berg", "the printer jams on thick paper"),
    "2026-03-08": ("the lock on Quay Lane is kept by Bo Lind now", "the ferry to Samso takes us and the dog across", "the ferry leaves from the north pier",
        "can you review this mail?\\n\\nHi Ana,\\n\\nthe sluice gate is painted by Jens Frost.\\n\\nBest, Jens"),
}  # fmt: skip
NIGHT = """---
id: night
timestamp: 2026-03-08T20:00:00Z
---
# The night on the lock

- Ana: Who wants the key of the lock house? – Bjarne, for the whole winter
- Ana: the pump is greased
- pasted: “the harbour master is Kaj Munk of Odense”
- Ana: pasted: “Hi all. The mole is kept by Ib Juul of Odense. Yours, Ib”
- Ana: yesterday (2026-03-07) the sluice froze
- Ana: the bell rings at nine now – assistant: “Nine.” (was: the bell of the old chapel rings at seven)
"""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    files = {
        f"logs/{day}/{day}.jsonl": "".join(TURN.format(day=day, turn=n, text=text) for n, text in enumerate(texts))
        for day, texts in SAID.items()
    }  # fmt: skip
    root: Path = tmp_path_factory.mktemp("ask")
    files |= {f"other/{n}.md": f"Number {n} stands in a long list of things.\n" for n in range(20)}
    files["yard.md"] = (
        "# Yard\n\n## 27 April 2021\n\nWren fixed the pump. It took long.\n\n## Fair\n\nOn 24 June Wren sells honey.\n"
    )
    put(root, {"memoryclaw.yaml": "", "episodes/2026-03-08_20-00-00_night.md": NIGHT, **files})
    with App(root, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "is_sure"),
    [
        ("who does the roof inspection", True),  # a name
        ("when is the roof inspection", False),  # no day stands there
        ("how much is the roof inspection", False),  # nor a number
        ("which colour has the ferry to Samso", False),  # nothing tells that any of it is a colour
        ("printer thick paper", True),  # looked up
        ("who wants the key of the lock house", True),
        ("who is the harbour master", False),  # others say so, and nobody here
        ("who keeps the mole", False),
        ("who paints the sluice gate", False),  # a mail that is to be read
    ],
)
def test_what_has_the_form_that_is_asked_for_answers(app: App, question: str, is_sure: bool) -> None:
    answer = app.ask(question)
    assert answer.lines
    assert answer.answered is is_sure
    assert all((not line.against) is is_sure for line in answer.lines[:1])


def test_what_is_pasted_into_a_turn_is_marked_wherever_the_turn_is_quoted(app: App) -> None:
    letter = "[pasted: Hi Ana, the sluice gate is painted by Jens Frost. Best, Jens]"
    question = "who paints the sluice gate"
    assert f"user: can you review this mail? {letter}" in app.recall(question).context
    assert letter in app.ask(question).lines[0].text
    assert "[pasted: " in app.recall(question, budget=120).context  # of which it quotes a part
    assert "pasted:" not in app.recall("who does the roof inspection").context


def test_what_another_day_said_since_is_not_sure(app: App) -> None:
    answer = app.ask("who kept the lock on Quay Lane")
    assert [line.text for line in answer.lines] == ["user: the lock on Quay Lane is kept by Bo Lind now"]
    assert answer.answered
    lines = {line.best: line for line in app.ask("how much is kept of the lock on Quay Lane").lines}
    line = lines["user: the lock on Quay Lane is kept by Ulf Berg"]
    assert "form" in line.against


def test_a_question_in_an_episode_is_shown_with_its_answer(app: App) -> None:
    answer = app.ask("who wants the key of the lock house")
    assert any(line.text.endswith("Bjarne, for the whole winter") for line in answer.lines)


def test_what_was_so_before_stands_behind_what_is_so_now(app: App) -> None:
    answer = app.ask("when does the bell of the old chapel ring?")
    (line,) = [line for line in answer.lines if "chapel" in line.text]
    assert line.best.startswith("Ana: the bell rings at nine now")


def test_the_nearest_are_shown_with_the_lines_around_them(app: App) -> None:
    answer = app.ask("what colour has the pump of the lock")
    assert not answer.answered
    assert any("pump is greased" in line.text and "Bjarne" in line.text for line in answer.lines)


def test_turns_of_one_log_are_shown_together_in_their_order(tmp_path: Path) -> None:
    spoken = (
        "the kiln is loud",
        "nice weather",
        "thanks",
        "the old kiln of the club",
        "the kiln of the club is hungry",
    )
    logs = {
        f"logs/2026-03-0{day}/a{day}.jsonl": "".join(TURN.format(day=f"2026-03-0{day}", turn=n, text=text) for n, text in enumerate(texts))
        for day, texts in ((1, spoken), (2, ("a kiln for sale",)))
    }  # fmt: skip
    put(tmp_path, {"memoryclaw.yaml": "", **logs})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        answer = opened.ask("how much did the new kiln of the club cost us")
    assert not answer.answered
    (first,) = [line for line in answer.lines if line.path.endswith("a1.jsonl")]
    assert first.text.endswith("…\nuser: the old kiln of the club\nuser: the kiln of the club is hungry")
    assert first.text.startswith("user: the kiln is loud\n")
    assert first.best in first.text.split("\n")


@pytest.mark.parametrize(
    ("form", "text", "holds"),
    [
        ("who", "Ana: the key is with Bjarne", True),
        ("who", "Ana: the key is in the drawer", False),
        ("who", "Improve Customer Satisfaction", False),  # a title
        ("when", "we meet on 12 April", True),
        ("when", "it opens at 9:30", True),
        ("when", "it opens early", False),
        ("where", "it moved to src/watch.go", True),
        ("where", "she works in Aarhus now", True),
        ("where", "it is somewhere", False),
        ("where", "Frau Petersen lobt die alte Wohnung", False),  # a name, and nothing goes there
        ("much", "we have twelve of them", True),
        ("much", "we have enough of them", False),
        ("what", "anything", False),
    ],
)
def test_what_a_sentence_holds(form: str, text: str, holds: bool) -> None:
    today = datetime(2026, 3, 10, tzinfo=UTC).date()
    assert holds_form(form, text, frozenset({"ana"}), today) is holds
    assert not holds_form("who", "the key is with Bjarne", frozenset({"bjarne"}), today)


def test_of_a_day_alone_the_lines_that_tell_it_answer(app: App) -> None:
    answer = app.ask("what happened on 7 March?")
    assert answer.answered
    assert [line.text for line in answer.lines] == ["Ana: yesterday (2026-03-07) the sluice froze"]


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "what happened on 2021-04-27?",
            ["27 April 2021: Wren fixed the pump."],
        ),  # a heading alone tells nothing
        ("what did Wren do on 27.04.2021?", ["Wren fixed the pump."]),
        ("what happens on 24 June?", ["On 24 June Wren sells honey."]),  # no year stands there
        ("was ist am 24. Juni?", ["On 24 June Wren sells honey."]),
    ],
)
def test_of_a_day_in_a_note_what_stands_there_answers(app: App, question: str, lines: list[str]) -> None:
    answer = app.ask(question)
    assert answer.answered
    assert [line.text for line in answer.lines] == lines


def test_what_is_of_another_day_is_not_sure(app: App) -> None:
    answer = app.ask("what did Wren do on 5 May 2020?")
    assert not answer.answered
    assert all("day" in line.against for line in answer.lines)


def test_where_no_line_is_sure_a_screen_of_the_nearest_is_shown(app: App) -> None:
    answer = app.ask("which colour has the long list of things")
    assert not answer.answered
    assert len(answer.lines) == 10


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("I moved from Berlin to Lisbon", "Where do I live?", "Lisbon"),
        ("we relocated to Ghent last month", "where do I live now?", "Ghent"),
        ("ich bin von Kiel nach Leipzig gezogen", "Wo wohne ich?", "Leipzig"),
        ("me mudé de Sevilla a Valencia", "¿Dónde vivo?", "Valencia"),
        ("my dentist is Dr Okonkwo", "Who is my dentist?", "Okonkwo"),
    ],
)
def test_what_was_said_today_answers_before_the_night(
    tmp_path: Path, text: str, question: str, answer: str
) -> None:
    texts = (
        "can you make a packing list for the lake?", "alright", text, "noted", "the printer jams again",
        "sorry", "explain monads", "with pleasure",
    )  # fmt: skip
    log = "".join(TURN.format(day="2026-03-09", turn=n, text=text) for n, text in enumerate(texts))
    put(tmp_path, {"memoryclaw.yaml": "", "logs/2026-03-09/2026-03-09.jsonl": log})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 9, 12, tzinfo=UTC)) as app:
        assert answer in app.ask(question).lines[0].text


@pytest.mark.parametrize(("confidence", "is_sure"), [("high", False), ("medium", True)])
def test_what_another_value_waits_to_replace_is_not_sure(
    vault_of: VaultOf, confidence: str, is_sure: bool
) -> None:
    waiting = f"# Waiting\n\n- [ ] Wren.lives in: Leith [confidence:: {confidence}] [since:: 2026-03-02]\n  - known: Hull\n  - why: user said so\n"
    people = "# Wren\n- lives in: Hull [since:: 2026-03-01]\n"
    with App(vault_of({"semantic/people.md": people, "semantic/_pending.md": waiting})) as app:
        assert app.ask("where does Wren live?").answered is is_sure
        assert (
            "conflicts with semantic/_pending" in app.recall("where does Wren live?").context
        ) is not is_sure


def test_a_fact_answers_the_words_by_which_people_ask_for_its_field(vault_of: VaultOf) -> None:
    people = "# user\n- address: 14 Mill Lane\n- email: kim@example.org\n- occupation: cooper\n- lives in: Leith\n\n# Wren\n- allergy: cashews\n- lives in: Leith\n"
    episode = "---\ntimestamp: 2026-03-08T20:00:00Z\nentities: [I]\n---\n# Talk\n\n- user: what now\n"
    with App(
        vault_of({"semantic/people.md": people, "episodes/2026-03-08_20-00-00_talk.md": episode})
    ) as app:
        for question, value in (
            ("where do I live?", "14 Mill Lane"),
            ("what is Wren allergic to?", "cashews"),
            ("what do I do for a living?", "cooper"),
            ("mi correo", "kim@example.org"),
            ("mon adresse mail", "kim@example.org"),
            ("where does Wren live?", "Leith"),
        ):
            answer = app.ask(question)
            assert answer.answered, question
            assert value in answer.lines[0].text
        assert not app.ask("what machine do I work on?").answered


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ("a midwife", True),
        ("a primary school teacher", True),
        ("Tischlerin", True),
        ("enfermera en Vigo", True),
        ("boulangère", True),
        ("left-handed", False),
        ("a vegetarian", False),
        ("a mother", False),
        ("a smoker", False),
        ("Mutter", False),
    ],
)
def test_an_occupation_answers_the_words_that_ask_for_it(vault_of: VaultOf, value: str, is_one: bool) -> None:
    people = f"# Joan\n- is: {value}\n\n# Finn\n- is: a tree surgeon\n"
    with App(vault_of({"memoryclaw.yaml": "owner: Joan\n", "semantic/people.md": people})) as app:
        for question in ("what do I do for a living?", "what's my job?", "was bin ich von Beruf?"):
            answer = app.ask(question)
            assert [line.text for line in answer.lines if answer.answered] == [f"Joan is: {value}"] * is_one


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("a qué me dedico", "enfermera"),
        ("en qué trabajo", "enfermera"),
        ("quel est mon métier", "infirmier"),
        ("qu'est-ce que je fais dans la vie", "infirmier"),
        ("che lavoro faccio", "infermiera"),
        ("di cosa mi occupo", "infermiera"),
        ("qual é a minha profissão", "enfermeira"),
        ("wat doe ik voor werk", "verpleegkundige"),
        ("was mache ich beruflich", "Krankenpfleger"),
    ],
)
def test_a_bare_occupation_answers_in_its_own_language_what_it_is_and_not_where(
    vault_of: VaultOf, question: str, value: str
) -> None:
    with App(vault_of({"memoryclaw.yaml": "", "semantic/people.md": f"# user\n- is: {value}\n"})) as app:
        answer = app.ask(question)
        assert [line.text for line in answer.lines if answer.answered] == [f"user is: {value}"]
        for other in ("where do i work?", "dónde trabajo", "dove lavoro", "waar werk ik"):
            assert not app.ask(other).answered


def test_an_occupation_is_not_sure_where_a_later_line_tells_of_work(vault_of: VaultOf) -> None:
    teacher = "# user\n- is: a teacher [since:: 2026-01-02]\n"
    for later, is_sure in (("I work at a bank now", False), ("Ann works at a bank now", True)):
        said = f'- "{later}" [said:: 2026-02-02]\n'
        with App(vault_of({"memoryclaw.yaml": "", "semantic/people.md": teacher + said})) as app:
            assert app.ask("what is my job?").answered is is_sure


PEOPLE = """# user
- sister: Ulla [since:: 2026-01-02]
- manager: Ada [since:: 2026-01-02]
- son: Ravi [since:: 2026-01-02]
- son: Dev [since:: 2026-01-02]

# Ulla
- lives in: Turku [since:: 2026-02-02]
- manager: Kai [since:: 2026-02-02]

# Ada
- phone: 07700 900333 [since:: 2026-02-02]

# Kai
- phone: 07700 900444 [since:: 2026-02-02]

# Ravi
- lives in: Ely [since:: 2026-02-02]
"""


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("where does my sister live?", "Ulla lives in: Turku"),
        ("wo wohnt meine Schwester", "Ulla lives in: Turku"),
        ("où habite ma sœur", "Ulla lives in: Turku"),
        ("dónde vive mi hermana", "Ulla lives in: Turku"),
        ("waar woont mijn zus", "Ulla lives in: Turku"),
        ("what is my boss's number?", "Ada phone: 07700 900333"),
        ("what is the number of Ulla's boss?", "Kai phone: 07700 900444"),
        ("who is my sister?", "user sister: Ulla"),
        ("where do I live?", ""),
        ("what is my number?", ""),
        ("where does my brother live?", ""),
        ("where does my son live?", ""),  # which of them
        ("who are my bosses?", ""),  # one is known
    ],
)
def test_somebody_is_asked_for_by_what_he_or_she_is_to_somebody(
    vault_of: VaultOf, question: str, first: str
) -> None:
    with App(vault_of({"memoryclaw.yaml": "", "semantic/people.md": PEOPLE})) as app:
        answer = app.ask(question)
        assert (answer.lines[0].text if answer.answered else "") == first


KIN = """# user
- brother: Luc [since:: 2026-01-02]
- wife: Clara [since:: 2026-01-02]
- sister: Clara [since:: 2026-01-02]

# Luc
- lives in: Lille [since:: 2026-01-02]
- wife: Ines [since:: 2026-01-02]

# Clara
- lives in: Rome [since:: 2026-02-02]
"""


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("who is my brother?", "user brother: Luc"),
        ("what's my brother's name?", "user brother: Luc"),
        ("wie heißt mein Bruder?", "user brother: Luc"),
        ("comment s'appelle mon frère ?", "user brother: Luc"),
        ("¿cómo se llama mi hermano?", "user brother: Luc"),
        ("come si chiama mio fratello?", "user brother: Luc"),
        ("hoe heet mijn broer?", "user brother: Luc"),
        ("qual é o nome do meu irmão?", "user brother: Luc"),
        ("is Luc my brother?", "user brother: Luc"),
        ("where does my brother live?", "Luc lives in: Lille"),
        ("what does my brother do?", ""),
        ("is my brother married?", ""),
        ("does my brother have kids?", ""),
        ("was macht mein Bruder?", ""),
        ("que fait mon frère ?", ""),
        ("¿qué hace mi hermano?", ""),
        ("cosa fa mio fratello?", ""),
        ("wat doet mijn broer?", ""),
        ("o que faz o meu irmão?", ""),
        ("what does my brother's wife do?", ""),
        ("where does my wife live?", ""),  # which Clara
        ("who is my wife?", "user wife: Clara"),
    ],
)
def test_who_somebody_is_answers_nothing_else_that_is_asked_of_that_one(
    vault_of: VaultOf, question: str, first: str
) -> None:
    with App(vault_of({"memoryclaw.yaml": "", "semantic/people.md": KIN})) as app:
        answer = app.ask(question)
        assert (answer.lines[0].text if answer.answered else "") == first


@pytest.mark.parametrize(
    ("fact", "said", "question"),
    [
        ("Giulia\n- studies: medicina a Pavia [since:: 2026-03-01]", "Mia figlia Giulia studia medicina a Pavia", "dove studia mia figlia?"),
        ('Leo\n- "Mio figlio Leo ha 7 anni" [said:: 2026-03-01]', "Mio figlio Leo ha 7 anni", "quanti anni ha mio figlio?"),
        ('Leo\n- "O meu filho Leo tem 7 anos" [said:: 2026-03-01]', "O meu filho Leo tem 7 anos", "quantos anos tem o meu filho?"),
    ],
)  # fmt: skip
def test_a_fact_is_no_rival_of_the_line_from_which_it_was_read(
    vault_of: VaultOf, fact: str, said: str, question: str
) -> None:
    files = {
        "semantic/people.md": f"# user\n- daughter: Giulia\n- son: Leo\n\n# {fact}\n",
        "logs/2026-03-01/2026-03-01.jsonl": TURN.format(day="2026-03-01", turn=0, text=said),
    }
    with App(vault_of({"memoryclaw.yaml": "", **files})) as app:
        assert app.ask(question).answered


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Hana is in Osaka till friday", "where is Hana?"),
        ("Hana ist bis Freitag in Osaka", "wo ist Hana?"),
        ("Hana está en Osaka hasta el viernes", "¿dónde está Hana?"),
    ],
)
def test_what_was_so_until_a_day_is_not_sure_behind_it(vault_of: VaultOf, said: str, question: str) -> None:
    people = f'# Hana\n- "{said}" [said:: 2026-10-01]\n'
    root = vault_of({"memoryclaw.yaml": "", "semantic/people.md": people})
    for day, is_sure in ((2, True), (20, False)):
        with App(root, clock=lambda day=day: datetime(2026, 10, day, tzinfo=UTC)) as app:
            answer = app.ask(question)
            assert (answer.answered, "Osaka" in answer.lines[0].text) == (is_sure, True)


@pytest.mark.parametrize(
    ("said", "question", "is_sure"),
    [
        ("I used to live in Whitby", "where do I live?", False),
        ("I used to live in Whitby", "where did I live?", True),
        ("I live in Whitby", "where do I live?", True),
        ("I no longer live in Whitby", "where did I live?", True),
        ("früher hab ich in Gera gewohnt", "wo wohne ich?", False),
        ("ich wohne in Gera", "wo wohne ich?", True),
        ("autrefois j'habitais à Nantes", "où est-ce que j'habite ?", False),
    ],
)
def test_what_was_so_at_an_earlier_time_is_sure_where_the_past_is_asked_for(
    vault_of: VaultOf, said: str, question: str, *, is_sure: bool
) -> None:
    people = f'# user\n- "{said}" [said:: 2026-10-01]\n'
    with App(vault_of({"memoryclaw.yaml": "", "semantic/people.md": people})) as app:
        answer = app.ask(question)
        assert (answer.answered, said in answer.lines[0].text) == (is_sure, True)


def test_a_name_is_no_place_where_the_next_line_tells_one(vault_of: VaultOf) -> None:
    note = "Hana is my physio. She's at the Leith clinic.\n"
    with App(vault_of({"memoryclaw.yaml": "", "people.md": note})) as app:
        answer = app.ask("where is Hana?")
        assert "Leith" in answer.lines[0].text


def test_how_old_somebody_is_is_answered_by_the_day_of_birth(vault_of: VaultOf) -> None:
    people = "# user\n- birthday: 1979-05-03\n"
    with App(vault_of({"memoryclaw.yaml": "", "semantic/people.md": people})) as app:
        for question in ("how old am I?", "what's my age?", "quel âge ai-je ?"):
            assert app.ask(question).answered
        assert not app.ask("how old is the universe?").answered


def test_what_is_asked_of_oneself_is_not_answered_for_sure_by_what_another_has(vault_of: VaultOf) -> None:
    people = "# Joan\n- address: 3 Fen Road\n\n# Susan\n- phone: 07911 123456\n- lives in: Ely\n"
    with App(vault_of({"memoryclaw.yaml": "owner: Joan\n", "semantic/people.md": people})) as app:
        assert not app.ask("what is my phone number?").answered
        assert app.ask("what is Susan's phone number?").answered
        assert app.ask("what is my address?").lines[0].text == "Joan address: 3 Fen Road"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("do I like attrs?", "Dana dislikes: attrs"),
        ("do I hate pydantic?", "Dana likes: pydantic"),
        ("does Tom like coriander?", "Tom likes: coriander"),
        ("do I like mango?", ""),  # nothing says so, and what else is liked is no answer
        ("is Tom allergic to kiwi?", ""),
        ("what do I like?", "Dana likes: pydantic"),
    ],
)
def test_whether_somebody_likes_a_thing_is_answered_by_what_is_held_of_that_thing(
    tmp_path: Path, question: str, answer: str
) -> None:
    facts = "# Dana\n- dislikes: attrs\n- likes: pydantic\n- dislikes: coriander\n\n# Tom\n- likes: coriander\n- allergy: nuts\n"
    put(tmp_path, {"memoryclaw.yaml": "owner: Dana\n", "semantic/preferences.md": facts})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        answered = opened.ask(question)
    assert [line.text for line in answered.lines if answered.answered] == [answer] * bool(answer)


@pytest.mark.parametrize(
    ("earlier", "later", "question", "new"),
    [
        ("our plumber is Karl Hett", "Karl Hett has moved to Spain, Ines Wolk does the pipes", "who is our plumber?", "Ines Wolk"),
        ("my dentist is Dr. Quill", "Dr. Quill retired in May, I go to Dr. Sato", "who is my dentist?", "Sato"),
        ("Elke Brand ist meine Hausärztin", "Elke Brand ist in Rente gegangen, Frau Öz macht das", "wer ist meine Hausärztin?", "Öz"),
        ("we take the minutes in Notion", "Notion is dead, we are in Coda", "where do we take the minutes?", "Coda"),
        ("the grand opening of the cellar is planned for 2 April", "opening postponed, 16 April suits the band", "when is the grand opening of the cellar?", "16 April"),
        ("the grand opening of the cellar is planned for 2 April", "rehearsals start on 16 April now", "when is the grand opening of the cellar?", ""),
        ("our plumber is Karl Hett", "Karl Hett sent his bill", "who is our plumber?", ""),
        ("our plumber is Karl Hett", "Ines says that Karl Hett never uses Notion any more", "who is our plumber?", ""),
        ("my dentist is Dr. Quill", "do not call Dr. Quill before nine", "who is my dentist?", ""),
        ("we take the minutes in Notion", "did Notion stop working?", "where do we take the minutes?", ""),
    ],
)  # fmt: skip
def test_what_a_later_day_ends_is_not_sure_and_stands_behind_it(
    tmp_path: Path, earlier: str, later: str, question: str, new: str
) -> None:
    logs = {
        "2026-03-01": ("I live in Ghent", "thanks", earlier),
        "2026-03-08": ("hello", "nice weather", later),
    }
    files = {
        f"logs/{day}/{day}.jsonl": "".join(TURN.format(day=day, turn=n, text=text) for n, text in enumerate(texts))
        for day, texts in logs.items()
    }  # fmt: skip
    put(tmp_path, {"memoryclaw.yaml": "", **files})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        answer = opened.ask(question)
    assert answer.answered is not bool(new)
    assert (new or earlier) in answer.lines[0].text
    assert not new or any(earlier in line.text for line in answer.lines[1:])


@pytest.mark.parametrize(
    ("earlier", "later", "question", "is_shown"),
    [
        ("my physio is called Ines", "Ines broke her wrist so Rafael treats me", "who is my physio?", True),
        ("Tove works at Ikea", "saw Tove behind the till at Lidl", "where does Tove work?", True),
        ("we rent a Volvo", "the Volvo went back to Hertz", "do we rent a Volvo?", True),
        ("my physio is called Ines", "if Ines were richer she would fly", "who is my physio?", False),
        ("my physio is called Ines", "is Ines ill?", "who is my physio?", False),
        ("my physio is called Ines", "my brother's physio is Kurt", "who is my physio?", False),
        ("my physio is called Ines", "the bread is in the oven", "who is my physio?", False),
        ("my physio is called Ines", "write a story in which Ines robs a bank", "who is my physio?", False),
    ],
)  # fmt: skip
def test_behind_a_sure_line_stands_the_newest_later_line_that_names_the_same(
    tmp_path: Path, earlier: str, later: str, question: str, is_shown: bool
) -> None:
    files = {
        f"logs/{day}/{day}.jsonl": TURN.format(day=day, turn=1, text=text)
        for day, text in (("2026-03-01", earlier), ("2026-03-08", later))
    }
    put(tmp_path, {"memoryclaw.yaml": "", **files})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        answer = opened.ask(question)
    assert answer.answered
    assert earlier in answer.lines[0].text
    assert [later in line.text for line in answer.lines if line.against == ("later",)] == [True] * is_shown


@pytest.mark.parametrize(
    ("speaker", "later", "is_brought"),
    [
        ("user", "since the outage at Hetzner all of it runs on Scaleway", True),
        ("Bob", "Hetzner and Scaleway both called me", False),
        ("user", "fix this:\\n```python\\nHetzner.delete(scaleway=True)\\n```", False),
    ],
)
def test_a_context_has_what_was_said_since_of_what_its_best_line_names(
    tmp_path: Path, speaker: str, later: str, is_brought: bool
) -> None:
    said = TURN.format(day="2026-03-08", turn=1, text=later).replace('"user"', f'"{speaker}"')
    files = {
        "logs/2026-03-01/a.jsonl": "".join(
            TURN.format(day="2026-03-01", turn=turn, text=text)
            for turn, text in enumerate(("I live in Ghent", "nice weather", "Our database is on Hetzner."))
        ),
        "logs/2026-03-08/b.jsonl": said,
        "deal.md": "# Deal\n- promo: Hetzner for Scaleway [since:: 2026-03-02] [expires:: 2026-03-09]\n",
    }
    put(tmp_path, {"memoryclaw.yaml": "", **files})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        context = opened.recall("where is our database?").context
    assert "Our database is on Hetzner" in context
    assert ("scaleway" in context.lower()) is is_brought


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which car do I have?", "user drives: Skoda Fabia"),
        ("welches Auto habe ich?", "user drives: Skoda Fabia"),
        ("which city am I in?", "user lives in: Ghent"),
        ("bei welcher Firma bin ich?", "user works at: Fugro"),
        ("which car should I buy?", ""),
        ("is my car insured?", ""),
        ("where's my car?", ""),
    ],
)
def test_which_one_of_a_kind_is_ones_own_is_answered_by_the_field_that_holds_it(
    tmp_path: Path, question: str, answer: str
) -> None:
    card = "# user\n- drives: Skoda Fabia\n- lives in: Ghent\n- works at: Fugro\n"
    put(tmp_path, {"memoryclaw.yaml": "", "semantic/people.md": card})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        answered = opened.ask(question)
        assert bool(opened.recall(question).tokens) is bool(answer)
    assert [line.text for line in answered.lines if answered.answered] == [answer] * bool(answer)


CHINESE = ("湖边诊所周三不开门", "自行车放在车库后面", "楼下的面包店换了老板", "会议改到下午三点")


def test_a_question_without_spaces_is_not_answered_for_sure_by_two_of_its_signs(tmp_path: Path) -> None:
    lines = "".join(TURN.format(day="2026-03-01", turn=n, text=text) for n, text in enumerate(CHINESE))
    put(tmp_path, {"memoryclaw.yaml": "", "logs/2026-03-01/a.jsonl": lines})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        other, same = opened.ask("陈阿姨介绍的那家牙科诊所收费贵不贵？"), opened.ask("湖边诊所周三开门吗？")
    assert not other.answered
    assert "湖边诊所" in same.lines[0].text
    assert same.lines[0].share > other.lines[0].share if other.lines else True


def test_what_is_asked_aside_from_the_asking_words_is_the_same_in_every_process() -> None:
    program = (
        "from memoryclaw.recall.question import without_asking; print(ascii(without_asking('弟弟住在哪里')))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in "012345"
    }  # fmt: skip
    assert answers == {ascii("弟弟住在 ") + "\n"}


def test_what_has_the_form_that_is_asked_for_stands_before_what_only_shares_words(tmp_path: Path) -> None:
    spoken = (
        "the kiln of the pottery club, the kiln with the crack, is an old one",
        "the electrician for the pottery club's kiln is coming on 14 May",
    )
    lines = "".join(TURN.format(day="2026-03-01", turn=n, text=text) for n, text in enumerate(spoken))
    put(tmp_path, {"memoryclaw.yaml": "", "logs/2026-03-01/a.jsonl": lines})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        answer = opened.ask("when will the kiln of the pottery club with the crack be seen to?")
    assert not answer.answered
    assert "14 May" in (answer.lines[0].best or answer.lines[0].text)


def test_of_a_day_a_line_answers_for_sure_only_if_it_holds_what_else_is_asked(app: App) -> None:
    assert app.ask("what was fixed on 27 April 2021?").answered
    assert not app.ask("which pump did Wren sell to the harbour on 27 April 2021?").answered


OWN = """# user
- cat: Pippin
- sister: Hanna
- dog: Bruno
- drives: Volvo
- phone: Pixel 8
- favorite restaurant: Osteria Lupo
- birthday: 4 May 1990
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is my cat called?", "user cat: Pippin"),
        ("what's my cat's name again?", "user cat: Pippin"),
        ("which car do I drive?", "user drives: Volvo"),
        ("what is my favorite restaurant?", "user favorite restaurant: Osteria Lupo"),
        ("what can't my cat eat?", ""),
        ("was darf meine Katze nicht fressen?", ""),
        ("what is my dog afraid of?", ""),
        ("who is my sister married to?", ""),
        ("what is my wife's sister called?", ""),
        ("which restaurant do I like besides Osteria Lupo?", ""),
        ("what phone did I have before the Pixel?", ""),
        ("what must I do before my meeting?", "user: I have to print the slides before the meeting with Ole"),
        ("what do I have to buy for the meeting?", ""),
        ("who did I meet before Ole?", ""),  # a weekday is no name
        ("when is the meeting with Ole?", "user: the meeting with Ole is on Thursday at 3 pm"),
    ],
)  # fmt: skip
def test_a_fact_answers_only_what_it_holds_and_never_what_the_question_names(
    tmp_path: Path, question: str, answer: str
) -> None:
    said = (
        "the meeting with Ole is on Thursday at 3 pm",
        "I have to print the slides before the meeting with Ole",
    )
    log = "".join(TURN.format(day="2026-03-01", turn=n, text=text) for n, text in enumerate(said))
    put(tmp_path, {"memoryclaw.yaml": "", "semantic/people.md": OWN, "logs/2026-03-01/2026-03-01.jsonl": log})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 2, tzinfo=UTC)) as opened:
        answered = opened.ask(question)
    assert [line.text for line in answered.lines[:1] if answered.answered] == [answer] * bool(answer)


def test_a_question_of_all_that_is_to_be_done_is_answered_by_what_is_open(tmp_path: Path) -> None:
    note = "# Yard\n\n- [ ] tar the slip\n- [x] sell the boat\n- [ ] call the bank 📅 2026-04-01\n"
    said = TURN.format(day="2026-03-01", turn=0, text="she turns 23 in July")
    put(tmp_path, {"memoryclaw.yaml": "", "yard.md": note, "logs/2026-03-01/2026-03-01.jsonl": said})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 2, tzinfo=UTC)) as opened:
        answered, age = opened.ask("what do I have to do?"), opened.ask("how old am I?")
    texts = {line.text for line in answered.lines}
    assert answered.answered
    assert texts == {"[ ] tar the slip", "[ ] call the bank (due 2026-04-01)"}
    assert not age.answered  # she is somebody else


@pytest.mark.parametrize("question", ["", "...", "😀"])
def test_a_question_without_words_is_answered_by_nothing(app: App, question: str) -> None:
    answer = app.ask(question)
    assert not answer.answered
    assert not answer.lines


LANDLORDS = """# user
- landlord: Mr Dunne [since:: 2026-02-01]
- lives in: York [since:: 2026-02-01]

## History
- landlord: Mr Hale [since:: 2025-06-01] [until:: 2026-02-01]
- landlord: Mrs Orr [since:: 2024-06-01] [until:: 2025-06-01]
- lives in: Leeds [since:: 2024-06-01] [until:: 2026-02-01]

# Maya
- phone: 0161 555 0220 [since:: 2026-02-01]

## History
- phone: 0161 555 0110 [since:: 2025-06-01] [until:: 2026-02-01]
"""


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("where did I live before?", "user lives in: Leeds (since 2024-06-01, until 2026-02-01)"),
        ("where did I use to live?", "user lives in: Leeds (since 2024-06-01, until 2026-02-01)"),
        ("what was Maya's old number?", "Maya phone: 0161 555 0110 (since 2025-06-01, until 2026-02-01)"),
        ("who was my landlord before Mr Dunne?", "user landlord: Mr Hale (since 2025-06-01, until 2026-02-01)"),
        ("wo habe ich früher gewohnt?", "user lives in: Leeds (since 2024-06-01, until 2026-02-01)"),
        ("¿dónde vivía antes?", "user lives in: Leeds (since 2024-06-01, until 2026-02-01)"),
        ("où est-ce que j'habitais avant ?", "user lives in: Leeds (since 2024-06-01, until 2026-02-01)"),
        ("dove abitavo prima?", "user lives in: Leeds (since 2024-06-01, until 2026-02-01)"),
        ("waar woonde ik vroeger?", "user lives in: Leeds (since 2024-06-01, until 2026-02-01)"),
        ("onde eu morava antes?", "user lives in: Leeds (since 2024-06-01, until 2026-02-01)"),
        ("where do I live?", "user lives in: York"),
        ("who is my landlord?", "user landlord: Mr Dunne"),
        ("what is Maya's number?", "Maya phone: 0161 555 0220"),
        ("what is Maya's number before breakfast?", "Maya phone: 0161 555 0220"),
    ],
)  # fmt: skip
def test_what_held_before_answers_a_question_of_it_and_no_other(
    tmp_path: Path, question: str, first: str
) -> None:
    put(tmp_path, {"memoryclaw.yaml": "", "semantic/people.md": LANDLORDS})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        answer = opened.ask(question)
    assert answer.answered
    assert answer.lines[0].text == first


def test_a_context_has_what_held_before_where_that_is_asked_for(tmp_path: Path) -> None:
    put(tmp_path, {"memoryclaw.yaml": "", "semantic/people.md": LANDLORDS})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        before, now = (
            opened.recall(text).context for text in ("where did I live before?", "where do I live?")
        )
    assert "Leeds (since 2024-06-01, until 2026-02-01)" in before
    assert "Leeds" not in now


def test_where_nothing_ended_what_holds_now_is_no_answer_to_what_held_before(tmp_path: Path) -> None:
    put(
        tmp_path,
        {"memoryclaw.yaml": "", "semantic/people.md": "# user\n- lives in: York [since:: 2026-02-01]\n"},
    )
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        answer = opened.ask("where did I live before?")
    assert not answer.answered
    assert answer.lines[0].text == "user lives in: York"


@pytest.mark.parametrize(
    ("works", "lives", "question", "other"),
    [
        ("my wife works at the harbour in Turku", "my sister lives in Kiel", "where does my wife live?", "where does my wife work?"),
        ("meine Frau arbeitet am Hafen in Turku", "meine Schwester wohnt in Kiel", "wo wohnt meine Frau?", "wo arbeitet meine Frau?"),
        ("ma femme travaille au port de Brest", "ma sœur habite à Lyon", "où habite ma femme ?", "où travaille ma femme ?"),
        ("mi mujer trabaja en el puerto de Vigo", "mi hermana vive en Cádiz", "¿dónde vive mi mujer?", "¿dónde trabaja mi mujer?"),
        ("a minha mulher trabalha no porto de Sines", "a minha irmã mora em Faro", "onde mora a minha mulher?", "onde trabalha a minha mulher?"),
    ],
)  # fmt: skip
def test_where_somebody_works_is_not_where_they_live(
    vault_of: VaultOf, works: str, lives: str, question: str, other: str
) -> None:
    episode = f"---\ntimestamp: 2026-03-02T10:00:00Z\nsummary: {works}; {lives}\n---\n# {works}\n\n- user: {works} ^l1\n- user: {lives} ^l3\n"
    with App(vault_of({"memoryclaw.yaml": "", "episodes/2026-03-02_10-00-00_kin.md": episode})) as app:
        assert [app.ask(text).answered for text in (question, other)] == [False, True]


def test_what_is_asked_of_a_relative_is_not_answered_by_what_is_ones_own(tmp_path: Path) -> None:
    put(
        tmp_path,
        {"memoryclaw.yaml": "", "semantic/people.md": "# user\n- lives in: York [since:: 2026-02-01]\n"},
    )
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        asked = {text: opened.ask(text).answered for text in ("where does my sister live?", "¿dónde vive mi hermano?", "where do I live?")}  # fmt: skip
    assert asked == {
        "where does my sister live?": False,
        "¿dónde vive mi hermano?": False,
        "where do I live?": True,
    }


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who is the owner of the Loft index?", ["Loft/Index owner: Bo"]),
        ("Who is the owner of Barn/Index?", ["Barn/Index owner: Ada"]),
        ("Who is the owner of the index?", ["Barn/Index owner: Ada", "Loft/Index owner: Bo"]),
        ("What is the port of heron?", ["heron/Overview port: 9090"]),
    ],
)
def test_of_two_notes_of_one_name_the_one_answers_whose_folder_is_named(
    vault_of: VaultOf, question: str, answers: list[str]
) -> None:
    notes = {
        "Barn/Index.md": "---\nowner: Ada\n---\nhello\n",
        "Loft/Index.md": "---\nowner: Bo\n---\nhello\n",
        "otter/README.md": "---\nport: 8080\n---\n# Overview\n",
        "heron/README.md": "---\nport: 9090\n---\n# Overview\n",
    }
    with App(vault_of(notes), clock=lambda: datetime(2026, 3, 1, tzinfo=UTC)) as app:
        app.sync()
        answer = app.ask(question)
        assert answer.answered
        assert sorted(line.text for line in answer.lines) == answers
        assert not answer.notices
        context = app.recall(question, noted=False).context
        assert all(line.rpartition(": ")[2] in context for line in answers)
        others = {"Ada", "Bo", "8080", "9090"} - {line.rpartition(": ")[2] for line in answers}
        assert not [other for other in others if other in context]


@pytest.mark.parametrize(
    "question",
    [
        "what did I say on 2026-02-26?",
        "what did I say last Thursday?",
        "what did I write 3 days ago?",
        "was habe ich letzten Donnerstag gesagt?",
        "was habe ich am 26. Februar gemacht?",
        "qu'est-ce qui s'est passé le 26 février ?",
        "¿qué hice el 26 de febrero?",
        "cosa è successo il 26 febbraio?",
        "wat deed ik op 26 februari?",
        "o que fiz em 26 de fevereiro?",
        "2月26日我做了什么",
        "2월 26일에 뭐 했어?",
    ],
)
def test_what_was_said_on_a_day_is_all_that_was_said_on_it(vault_of: VaultOf, question: str) -> None:
    turns = {
        "2026-02-26": "the plumber comes at nine",
        "2026-02-20": "I said that the roof leaks",
    }
    with App(vault_of({}), clock=lambda: datetime(2026, 3, 1, 12, tzinfo=UTC)) as app:
        for day, text in turns.items():
            turn = {"session": day, "ts": f"{day}T09:00:00Z", "role": "user", "content": text}
            assert app.capture([json.dumps(turn)])[0].ok
        answer = app.ask(question)
        assert answer.answered
        assert [line.text for line in answer.lines] == ["user: the plumber comes at nine"]


def test_an_episode_tells_no_day_of_the_one_that_it_continues(vault_of: VaultOf) -> None:
    turns = {
        "2026-02-20": "we went hiking on the Sintra trail with Tom",
        "2026-02-26": "I fixed the sink and bought a tap for 34 euros",
        "2026-02-27": "my dentist is Dr Pereira and the clinic is in Faro",
    }
    logs = {f"logs/{day}/trip.jsonl": said("trip", [("user", text)], day=day) for day, text in turns.items()}
    with App(vault_of(logs), clock=lambda: datetime(2026, 3, 1, 12, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        heads = [path.read_text("utf-8") for path in app.root.glob("episodes/*.md")]
        assert sum("continues:" in head for head in heads) == 2
        answer = app.ask("what did I do 3 days ago?")
        assert answer.answered
        assert {line.when for line in answer.lines} == {"2026-02-26"}
        assert "Faro" not in app.recall("what happened on 26 February?").context
        assert not app.search("kind:episode Sintra").matches[1:]


def test_where_no_word_of_a_question_is_known_what_was_on_its_day_is_shown(vault_of: VaultOf) -> None:
    log = said("sink", [("user", "I fixed the sink and bought a tap for 34 euros")], day="2026-02-26")
    with App(
        vault_of({"logs/2026-02-26/sink.jsonl": log}), clock=lambda: datetime(2026, 3, 1, tzinfo=UTC)
    ) as app:
        answer = app.ask("what did we eat on 26 February?")
        assert not answer.answered
        assert "I fixed the sink" in answer.lines[0].text
        assert not app.ask("what did we eat on 25 February?").lines


@pytest.mark.parametrize(
    ("question", "own", "other"),
    [
        ("what is John Smith's extension?", "4471", "4410"),
        ("when is Ana's birthday?", "June 4", "May 3"),
        ("who is Ana's vet?", "Dr Ruiz", "Dr Pohl"),
    ],
)
def test_what_others_have_is_no_answer_for_somebody_whom_the_line_does_not_name(
    question: str, own: str, other: str, vault_of: VaultOf
) -> None:
    people = "".join(f"# {name}\n- likes: tea\n\n" for name in ("Anna Smith", "John Smith", "Tom", "Ana"))
    notes = {
        "a.md": "Anna Smith's extension is 4410.\n\nTom's birthday is May 3.\n\nTom's vet is Dr Pohl.\n",
        "b.md": "John Smith's extension is 4471.\n\nAna's birthday is June 4.\n\nAna's vet is Dr Ruiz.\n",
    }
    with App(vault_of({"semantic/people.md": people, "a.md": notes["a.md"]})) as app:
        assert not app.ask(question).answered
        assert any(other in line.text for line in app.ask(question).lines)
        put(app.root, {"b.md": notes["b.md"]})
        answer = app.ask(question)
        assert answer.answered
        assert [own in line.text for line in answer.lines] == [True]


@pytest.mark.parametrize(
    ("statement", "question"),
    [
        ("the recital is in 3 weeks", "what is on 22 October?"),
        ("the inspection is in 10 days", "what is on October 11?"),
        ("in drei Wochen ist das Konzert", "was ist am 22. Oktober?"),
        ("il controllo è domani alle 10", "cosa c'è il 2 ottobre?"),
    ],
)
def test_a_day_told_as_a_distance_is_found_by_its_date(
    vault_of: VaultOf, statement: str, question: str
) -> None:
    moment = datetime(2026, 10, 1, 9, tzinfo=UTC)
    with App(vault_of({}), clock=lambda: moment) as app:
        turn = {"session": "s", "ts": moment.isoformat(), "role": "user", "content": statement}
        assert app.capture([json.dumps(turn)])[0].ok
        app.consolidate(llm="none")
    with App(app.root, clock=lambda: datetime(2026, 10, 10, 9, tzinfo=UTC)) as app:
        lines = app.ask(question).lines
        assert any(statement.rsplit(maxsplit=1)[-1] in line.text for line in lines)


OF_ONESELF = ("ich arbeite bei Bosch", "the ferry takes my brother to Ystad", "our cat Mimi weighs 4 kilos", "Gunnar fixes the roof", "Hanne is our midwife", "moro no Porto")  # fmt: skip
OF_OTHERS = ("Bram works at Philips and lives in Eindhoven", "my sister's dentist is Dr Bell", "Solveig earns 4,100 a month", "der Zahnarzt meiner Mutter heißt Dr. Kern",
    "ma sœur habite à Lyon", "el cumpleaños de Lucía es el 3 de mayo", "mio fratello lavora alla Fugro", "Sanne woont in Utrecht", "she is allergic to latex")  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("where do i work?", ""),
        ("where do we live?", ""),
        ("who is my dentist?", ""),
        ("who is my brother's dentist?", ""),
        ("how much do i earn?", ""),
        ("am i allergic to anything?", ""),
        ("wie heißt mein zahnarzt?", ""),
        ("où est-ce que j'habite ?", ""),
        ("¿cuándo es mi cumpleaños?", ""),
        ("dove lavoro?", ""),
        ("waar woon ik?", ""),
        ("wo arbeite ich?", OF_ONESELF[0]),
        ("how much does my cat weigh?", OF_ONESELF[2]),
        ("who fixes our roof?", OF_ONESELF[3]),
        ("who is our midwife?", OF_ONESELF[4]),
        ("onde moro?", OF_ONESELF[5]),
        ("where does Bram work?", OF_OTHERS[0]),
        ("who is my sister's dentist?", OF_OTHERS[1]),
    ],
)
def test_a_question_of_oneself_is_not_answered_by_what_is_told_of_another(
    question: str, answer: str, tmp_path: Path
) -> None:
    turns = [
        {"ts": f"2026-03-0{n % 5 + 1}T10:00:00Z", "session": str(n), "turn": "0", "role": "user", "name": "Kim", "content": text}
        for n, text in enumerate((*OF_OTHERS, *OF_ONESELF))
    ]  # fmt: skip
    with App(
        put(tmp_path, {"memoryclaw.yaml": ""}), clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)
    ) as vault:
        vault.capture(turns)
        reply = vault.ask(question)
    assert reply.answered == bool(answer), reply.lines
    assert answer in (reply.lines[0].text if answer else "")


@pytest.mark.parametrize(
    ("statement", "question", "is_sure"),
    [
        ("Martin said his landlord is a crook", "who is my landlord", False),
        ("Jonas hat gesagt sein Chef ist ein Choleriker", "wer ist mein Chef", False),
        ("a Marta disse que o chefe dela é o Nuno", "quem é o meu chefe", False),
        ("Marcus Pike is our landlord", "who is my landlord", True),
        ("mi cuñada trabaja en Correos", "dónde trabaja mi cuñado", False),
        ("mia suocera abita a Lecce", "dove abita mio suocero", False),
        ("mia suocera abita a Lecce", "dove abita mia suocera", True),
        ("i dreamt i worked at Nasa", "where do i work", False),
        ("ik had een rare droom dat ik in Oslo woonde", "waar woon ik", False),
        ("wie stell ich beim handy den wecker leiser", "welches handy hab ich", False),
        ("come pulisco la mia bici", "che bici ho", False),
        ("if the deadline were april 10 we could add the export", "when is the deadline", False),
        ("the deadline was meant to be april 10, we moved it to the 12th", "when is the deadline", True),
        ("would love to have a caravan one day", "do i have a caravan", False),
        ("would love to have a caravan one day", "what would i love to have", True),
        ("i think the backup runs at 3", "when does the backup run", False),
        ("i can't eat gluten", "what can't i eat", True),
        ("my car is in the garage again", "which car do i have", False),
        ("we use a Bosch boiler", "which boiler do we have", True),
        ("the passport is in the desk drawer", "where is the passport", True),
        ("we want to get married on 14 June", "when do we get married", True),
        ("my mum thinks i work for the post", "where do i work", False),
        ("ich wünschte ich hätte eine Katze", "habe ich eine Katze", False),
        ("i don't have a tv, never needed one", "do i have a tv", False),
        ("i can't eat peanuts", "can i eat peanuts", True),
        ("my train doesn't leave until 6:42", "when does my train leave", True),
        ("wir treffen uns nicht am Dom, sondern am Bahnhof", "wo treffen wir uns", True),
        ("my bank says my new card comes on tuesday", "when does my new card come", True),
        ("my lawyer, Mrs Frost, thinks we could win", "who is my lawyer", True),
        ("no tengo coche", "tengo coche", False),
        ("deploy branch is release, not main", "what is the deploy branch", True),
        ("i don't like olives", "what don't i like", True),
        ("ya no soy vegetariana", "soy vegetariana", True),
        ("deploys go through Noor now", "why do deploys go through Noor", False),
        (
            "deploys go through Noor because too many people broke prod",
            "why do deploys go through Noor",
            True,
        ),
    ],
)
def test_what_is_anothers_dreamt_or_asked_is_no_sure_answer(
    statement: str, question: str, is_sure: bool, tmp_path: Path
) -> None:
    turn = {
        "ts": "2026-03-01T10:00:00Z",
        "session": "s",
        "turn": "0",
        "role": "user",
        "name": "Kim",
        "content": statement,
    }
    with App(
        put(tmp_path, {"memoryclaw.yaml": ""}), clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)
    ) as vault:
        vault.capture([turn])
        reply = vault.ask(question)
    assert any(statement in line.text for line in reply.lines)
    assert reply.answered == is_sure, reply.lines


def test_a_no_of_another_keeps_no_yes_from_being_sure(tmp_path: Path) -> None:
    texts = ("my sister has no car", "I have a car")
    log = "".join(TURN.format(day="2026-03-01", turn=n, text=text) for n, text in enumerate(texts))
    put(tmp_path, {"memoryclaw.yaml": "", "logs/2026-03-01/2026-03-01.jsonl": log})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as opened:
        answer = opened.ask("do I have a car")
    assert answer.answered
    assert "I have a car" in answer.lines[0].text


@pytest.mark.parametrize(
    ("question", "due"),
    [
        ("what do i have to do tomorrow?", ["sheep"]),
        ("what do i need to do by saturday?", ["sheep", "rope"]),
        ("was muss ich morgen erledigen?", ["sheep"]),
        ("¿qué tengo que hacer mañana?", ["sheep"]),
        ("what do i have to do on monday?", []),
        ("what do i have to do?", ["sheep", "rope", "tiller", "bank"]),
        ("what's left to do?", ["sheep", "rope", "tiller", "bank"]),
        ("any open tasks?", ["sheep", "rope", "tiller", "bank"]),
        ("was muss ich noch erledigen?", ["sheep", "rope", "tiller", "bank"]),
    ],
)
def test_duties_of_a_day_are_those_due_on_it(question: str, due: list[str], tmp_path: Path) -> None:
    todos = "- [ ] worm the sheep [due:: 2026-03-11]\n- [ ] splice the rope [due:: 2026-03-14]\n- [ ] varnish the tiller [due:: 2026-11-20]\n- [ ] call the bank\n"
    put(tmp_path, {"memoryclaw.yaml": "", "todo.md": todos + "- [x] oil the gate [due:: 2026-03-11]\n"})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as vault:
        reply, recalled = vault.ask(question), vault.recall(question)
    assert reply.answered == bool(due)
    things = {"sheep", "rope", "tiller", "bank", "gate"}
    assert {thing for thing in things if any(thing in line.text for line in reply.lines)} == set(due)
    assert {thing for thing in things if thing in recalled.context} == set(due)


def test_a_statement_that_waits_to_be_checked_is_not_sure_in_the_turn_that_told_it(tmp_path: Path) -> None:
    log = TURN.format(day="2026-03-01", turn=0, text="the server has 16 GB of ram")
    text = '# user\n- "the server has 16 GB of ram" [said:: 2026-03-01]'
    put(tmp_path, {"memoryclaw.yaml": "", "logs/2026-03-01/a.jsonl": log, "semantic/told.md": f"{text}\n"})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as vault:
        assert vault.ask("how much ram does the server have?").answered
        put(tmp_path, {"semantic/told.md": f"{text} [verify_by:: 2026-03-05]\n"})
        reply = vault.ask("how much ram does the server have?")
    assert not reply.answered
    assert "16 GB" in reply.lines[0].text


def test_a_value_that_waits_to_be_checked_is_not_sure_in_the_line_that_told_it(tmp_path: Path) -> None:
    log = TURN.format(day="2026-03-01", turn=0, text="I live in Bonn")
    text = "# user\n- lives in: Bonn [since:: 2026-03-01]"
    put(tmp_path, {"memoryclaw.yaml": "", "logs/2026-03-01/a.jsonl": log, "semantic/told.md": f"{text}\n"})
    with App(tmp_path, clock=lambda: datetime(2026, 3, 10, tzinfo=UTC)) as vault:
        assert vault.ask("where do I live?").answered
        put(tmp_path, {"semantic/told.md": f"{text} [verify_by:: 2026-03-05]\n"})
        reply = vault.ask("where do I live?")
    assert not reply.answered
    assert "Bonn" in reply.lines[0].text


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("where do I work?", "Fugro"), ("who do I work for?", "Fugro"), ("which company am I at?", "Fugro"), ("do I work at Fugro?", "Fugro"),
        ("voor wie werk ik?", "Fugro"), ("para quem trabalho?", "Fugro"), ("who's my employer?", "Fugro"), ("dónde trabajo?", "Fugro"),
        ("what city do I live in?", "Alba"), ("in welcher Stadt wohne ich?", "Alba"), ("dans quelle ville j'habite ?", "Alba"),
        ("qual è il mio numero?", "0161 496"), ("c'est quoi mon numéro ?", "0161 496"), ("wie lautet meine Nummer?", "0161 496"), ("how much rent do I pay?", "900"),
        ("who do I work with?", ""), ("what am I working on?", ""), ("woran arbeite ich?", ""), ("how do I work out?", ""),
        ("who do I live with?", ""), ("mit wem wohne ich?", ""), ("con quién vivo?", ""), ("what street do I live on?", ""), ("what country do I live in?", ""),
    ],
)  # fmt: skip
def test_a_fact_answers_what_is_asked_of_its_field_and_nothing_beside_it(
    question: str, value: str, vault_of: VaultOf
) -> None:
    facts = "# user\n- works at: Fugro\n- lives in: Alba\n- drives: Skoda Fabia\n- phone: 0161 496 0101\n- rent: 900\n"
    with App(vault_of({"semantic/people.md": facts})) as app:
        answer = app.ask(question)
        assert answer.answered is bool(value)
        assert value in answer.lines[0].text
        assert value in app.recall(question).context


NOTES = {
    "Contacts.md": "# Contacts\n\n| Name | Phone | Trade |\n|---|---|---|\n| Ana Ruiz | 600 111 222 | plumber |\n| Bo Chen | 555 0199 | |\n",
    "Boiler.md": "# Boiler\n\n## Service log\n- 2024-09-12 serviced, 140\n- 2025-10-02 serviced, 95\n- 2023-08-01 serviced, 120\n",
    "Garden.md": "# Garden\n\nThe roses get cut in February.\n\n> [!tip] Slugs\n> Beer traps beat copper tape.\n\n## Open questions\n- Who mows?\n- Where to?\n",
    "Wifi.md": "Network: Heron\nGuest network: Egret\nThe router is in the hall cupboard.\n",
}


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("what trade is Ana Ruiz?", "Name: Ana Ruiz; Phone: 600 111 222; Trade: plumber"),
        ("when was the boiler serviced?", "2025-10-02 serviced, 95"),  # of a log, the newest
        ("what beats slugs?", "Slugs: Beer traps beat copper tape."),  # a heading alone answers nothing
        ("which questions about the garden are open?", "Open questions: Who mows? Where to?"),
        ("where is the router?", "The router is in the hall cupboard."),
        ("what is the guest network?", "Guest network: Egret"),
    ],
)
def test_a_line_of_a_note_is_quoted_as_a_reader_takes_it(question: str, line: str, vault_of: VaultOf) -> None:
    with App(vault_of(NOTES)) as app:
        answer, recalled = app.ask(question).lines[0], app.recall(question)
    assert (answer.best or answer.text) == line
    assert line.rsplit(maxsplit=1)[-1] in recalled.context


def test_a_note_is_recalled_where_its_name_is_asked_for(vault_of: VaultOf) -> None:
    with App(vault_of(NOTES)) as app:
        for question in (
            "what do you know about the boiler?",
            "was weißt du über Boiler?",
            "que sais-tu de Boiler ?",
        ):
            assert "serviced" in app.recall(question).context
        for question in ("my Boiler won't start", "how do I drain a boiler?", "write a poem about a Garden"):
            assert not app.recall(question).tokens


@pytest.mark.parametrize(
    ("question", "holders"),
    [
        ("who works at Bosch?", {"Ulla", "Tom"}),
        ("wer wohnt in Ulm?", {"Kai"}),
        ("who lives in Rome?", set()),
        ("who does Kai live with?", set()),
    ],
)
def test_who_has_a_value_is_asked_for_by_it(question: str, holders: set[str], vault_of: VaultOf) -> None:
    facts = "# Ulla\n- works at: Bosch\n\n# Tom\n- works at: Bosch\n\n# Kai\n- lives in: Ulm\n"
    with App(vault_of({"semantic/people.md": facts})) as app:
        answer = app.ask(question)
    assert {line.text.split()[0] for line in answer.lines if answer.answered} == holders


@pytest.mark.parametrize(
    ("question", "is_sure"),
    [
        ("what is my ledger code", False),  # in the second sentence of what the assistant said
        ("where do we hold the regatta", False),  # in the first, of which a sentence is only the beginning
        ("what is my winch number", False),  # a question of one's own is no answer
        ("what is my berth number", True),
    ],
)
def test_what_only_the_assistant_said_in_an_episode_is_not_sure(
    question: str, is_sure: bool, vault_of: VaultOf
) -> None:
    episode = """---
timestamp: 2026-03-02T10:00:00Z
participants: [Ana]
---
# Moorings

- Ana: my berth number is 31 – assistant: “Noted. Remember to show your ledger code 4417.”
- Ana: who do I ring to change the winch number – assistant: “Ring the dock master on 0417.”
- Ana: ideas for the regatta – assistant: “Hold the regatta at Kelpie Dock. Bring a band.”
"""
    with App(vault_of({"episodes/2026-03-02_10-00-00_moorings.md": episode})) as app:
        assert app.ask(question).answered is is_sure
