from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryclaw.app import App, init_vault


@pytest.fixture
def app(tmp_path: Path):
    init_vault(tmp_path / "v")
    with App(tmp_path / "v") as opened:
        yield opened


def commits(app: App) -> int:
    return len(app.history().commits)


def test_what_one_sentence_says_becomes_a_fact_that_one_undo_takes_back(app: App) -> None:
    done = app.remember("Ines prefers tea")
    assert (done.id, done.action) == ("semantic/preferences#Ines.prefers", "added")
    assert "a fact: entity 'Ines', field 'prefers', value 'tea'" in done.notice
    assert [(fact.field, fact.value) for _, fact in app.facts("Ines")] == [("prefers", "tea")]
    app.undo(done.commit)
    assert app.facts() == []


def test_no_word_that_carries_the_subject_is_lost_and_all_of_it_is_one_commit(app: App) -> None:
    before = commits(app)
    done = app.remember("Ines lives in Bern and works at SBB")
    facts = {(fact.field, fact.value) for _, fact in app.facts("Ines")}
    assert facts == {("lives in", "Bern"), ("works at", "SBB")}
    assert commits(app) == before + 1
    app.undo(done.commit)
    assert app.facts() == []


def test_what_is_known_by_another_name_goes_below_that_name(app: App) -> None:
    app.remember("ines@example.org", entity="Ines Duarte", field="email")
    done = app.remember("Ines prefers tea")
    assert done.id.endswith("#Ines Duarte.prefers")


def test_a_newer_value_says_what_it_replaces(app: App) -> None:
    app.remember("Tam lives in Bern")
    done = app.remember("Tam lives in Lyon")
    assert done.action == "superseded"
    assert "it replaces 'Bern'" in done.notice


@pytest.mark.parametrize(
    ("fact", "over"),
    [
        ("I love figs", "I no longer like figs"),
        ("we use Jenkins for builds", "we no longer use Jenkins, builds run on Drone"),
        ("ich wohne in Bonn", "ich wohne nicht mehr in Bonn"),
        ("Yann travaille chez Safran", "Yann ne travaille plus chez Safran"),
        ("me encanta el té", "ya no me gusta el té"),
        ("Rita lavora alla Fiat", "Rita non lavora più alla Fiat"),
        ("ik woon in Assen", "ik woon niet meer in Assen"),
    ],
)
def test_words_that_say_what_is_over_end_it_in_each_language(app: App, fact: str, over: str) -> None:
    app.remember(fact)
    app.remember(over)
    assert [fact.value for _, fact in app.facts() if fact.current and fact.type == "fact"] == []


def test_what_holds_no_longer_goes_to_the_history_and_what_never_held_makes_no_fact(app: App) -> None:
    app.remember("Tam works at Fugro")
    done = app.remember("Tam no longer works at Fugro")
    assert "the end of a fact: entity 'Tam', field 'works at'" in done.notice
    facts = [
        (fact.field, fact.value, fact.current)
        for _, fact in app.facts("Tam", history=True)
        if fact.type == "fact"
    ]
    assert facts == [("works at", "Fugro", False)]
    app.undo(done.commit)
    assert [fact.current for _, fact in app.facts("Tam") if fact.type == "fact"] == [True]
    app.remember("Ines doesn't drive a Skoda")
    assert not [fact for _, fact in app.facts() if fact.field == "drives"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("maybe we should buy a boat", "only supposed"),
        ("What does Ines drink?", "a question"),
        ("I'm allergic to penicillin. Should we buy a boat?", "a question"),
    ],
)
def test_what_states_nothing_is_kept_word_for_word_as_a_note(app: App, text: str, why: str) -> None:
    done = app.remember(text)
    assert done.path.startswith("episodes/")
    assert done.notice == f"kept as a note: {why}"
    assert text in (app.root / done.path).read_text()
    assert app.facts() == []


def test_a_person_who_asks_for_a_note_gets_one(app: App) -> None:
    for more in ({"note": True}, {"tags": ["drinks"]}):
        done = app.remember("Ines prefers tea", **more)
        assert (done.path.startswith("episodes/"), done.notice) == (True, "")
    assert app.facts() == []


def test_a_date_is_no_phone_number(app: App) -> None:
    done = app.remember("Project Boathouse has deadline 2026-12-11")
    assert "phone" not in done.notice


def test_what_one_has_to_do_is_a_to_do_with_its_day_that_a_later_talk_closes(tmp_path: Path) -> None:
    init_vault(tmp_path / "todo")
    with App(tmp_path / "todo", clock=lambda: datetime(2026, 11, 25, 12, tzinfo=UTC)) as app:
        done = app.remember("need to call Tom tomorrow")
        assert done.notice == "kept as a note: a to-do"
        assert [(todo.text, todo.due) for todo in app.todos()] == [("user: call Tom tomorrow", "2026-11-26")]
        assert "need to call Tom tomorrow" in (app.root / done.path).read_text()
        app.remember("Tom hates mondays. I need to buy stamps by friday")
        assert {(todo.text, todo.due) for todo in app.todos("stamps")} == {
            ("user: buy stamps by friday", "2026-11-27")
        }
        assert any("Tom hates mondays." in path.read_text() for path in app.root.glob("episodes/*.md"))
    with App(tmp_path / "todo", clock=lambda: datetime(2026, 11, 26, 12, tzinfo=UTC)) as app:
        app.capture([json.dumps({"session": "s", "role": "user", "content": "called Tom this morning"})])
        app.consolidate(llm="none")
        assert "- [x] user: call Tom tomorrow 📅 2026-11-26" in (app.root / done.path).read_text()
