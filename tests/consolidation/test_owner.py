"""The person is one: `user`, "I" and the name that the vault's `owner:` gives are one entity, whoever wrote it down."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Claw

from memoryclaw.app import App, init_vault, open_vault


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    init_vault(tmp_path / "v", owner="Mira Vogt")
    with open_vault(tmp_path / "v") as opened:
        yield opened


def say(app: App, session: str, text: str, name: str = "Mira Vogt") -> None:
    app.capture([json.dumps({"session": session, "role": "user", "name": name, "content": text})])
    app.consolidate(llm="none")


def current(app: App, entity: str) -> dict[str, str]:
    return {fact.field: fact.value for _, fact in app.facts(entity) if not fact.is_statement}


def test_what_is_remembered_and_what_is_told_is_of_one_person(app: App) -> None:
    assert app.config.owner == "Mira Vogt"
    app.remember("I live in Bern")
    app.remember("Dr Lind", entity="user", field="dentist")
    say(app, "a", "I live in Lyon now")
    say(app, "b", "my budget is 900", name="")
    say(app, "c", "Tom lives in Paris.", name="Tom")
    say(app, "d", "my landlord is Otto Brand", name="Mira")
    expected = {"lives in": "Lyon", "dentist": "Dr Lind", "budget": "900", "landlord": "Otto Brand"}
    for name in ("user", "Mira Vogt", "I", "me"):
        assert current(app, name) == expected
    assert {fact.entity for _, fact in app.facts("user")} == {"Mira Vogt"}
    for question in ("where do I live?", "where does Mira Vogt live?", "where does the user live?"):
        asked = app.ask(question)
        assert asked.answered
        assert "Lyon" in asked.lines[0].text
        assert not any("Tom" in line.text for line in asked.lines if line.kind == "fact")


def test_an_older_vault_that_learns_its_owner_has_one_person_and_nothing_is_moved(tmp_path: Path) -> None:
    root = tmp_path / "v"
    init_vault(root)
    with open_vault(root) as app:
        app.remember("I live in Bern")
        app.remember("my dentist is Dr Lind")
        say(app, "a", "my budget is 900. my plumber is Otto Brand")
        say(app, "b", "my dentist is Dr Park")
    people = (root / "semantic/people.md").read_text()
    assert "# user" in people
    assert "# Mira Vogt" in people
    settings = root / "memoryclaw.yaml"
    settings.write_text(f"owner: Mira Vogt\n{settings.read_text()}")
    with open_vault(root) as app:
        assert (root / "semantic/people.md").read_text() == people
        both = [(fact.field, fact.value) for _, fact in app.facts("user")]
        assert both == [(fact.field, fact.value) for _, fact in app.facts("Mira Vogt")]
        assert {("dentist", "Dr Lind"), ("dentist", "Dr Park"), ("budget", "900")} <= set(both)
        assert any(facts for facts in app.conflicting(app.facts("user")).values())
        say(app, "c", "I live in Lyon now")
        assert current(app, "user")["lives in"] == "Lyon"
        assert [f.value for _, f in app.facts("user", history=True) if f.field == "lives in"] == [
            "Lyon",
            "Bern",
        ]
        app.remember("my budget is 1200")
        assert current(app, "I")["budget"] == "1200"
        assert "Otto Brand" in app.ask("who is my plumber?").lines[0].text


def test_without_an_owner_nobody_is_the_user(tmp_path: Path) -> None:
    init_vault(tmp_path / "v")
    with open_vault(tmp_path / "v") as app:
        app.remember("I live in Bern")
        say(app, "a", "I live in Lyon")
        assert (current(app, "user"), current(app, "Mira Vogt")) == (
            {"lives in": "Bern"},
            {"lives in": "Lyon"},
        )


def test_init_writes_the_owner_that_it_is_given(claw: Claw, tmp_path: Path) -> None:
    assert claw("init", tmp_path / "v", "--owner", 'Mira "M" Vogt: the first').code == 0
    with open_vault(tmp_path / "v") as app:
        assert app.config.owner == 'Mira "M" Vogt: the first'
