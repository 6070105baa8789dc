"""`- Sarah: sarah@example.com`: a newer address of hers takes the place of that value, and the old one goes to History."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import git, put

from memoryclaw.app import App, init_vault

NOW = datetime(2026, 11, 23, 8, tzinfo=UTC)
CONTACTS = "\ufeff# Contacts\r\n- John: john@example.com\r\n- Sarah: sarah@example.com\r\n- Tove: +45 11 22 33 44\r\n- Anna: nurse\r\n"
PATH = "semantic/contacts.md"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    root = tmp_path / "vault"
    init_vault(root, clock=lambda: NOW)
    put(root, {PATH: CONTACTS})
    git(root, "add", PATH)
    git(root, "commit", "-qm", "contacts")
    with App(root, clock=lambda: NOW) as app:
        yield app


def say(app: App, *words: str, role: str = "user") -> None:
    turns = [{"ts": f"2026-11-20T10:00:0{n}Z", "role": role, "content": text} for n, text in enumerate(words)]
    app.capture(map(json.dumps, turns), session=f"s-{role}")
    app.consolidate(llm="none")


def facts(app: App, entity: str) -> dict[str, str]:
    return {fact.field: fact.value for _, fact in app.facts(entity) if fact.type == "fact"}


def test_a_newer_address_takes_the_place_of_the_bare_one(app: App) -> None:
    say(app, "Sarah's email is sarah.k@new.example.", "And John's new email address is john.b@new.example")
    text = (app.root / PATH).read_bytes().decode()
    assert facts(app, "Sarah") == {"value": "sarah.k@new.example"}
    assert facts(app, "John") == {"value": "john.b@new.example"}
    assert text.startswith("\ufeff# Contacts\r\n- John: john.b@new.example [since:: 2026-11-20] [source:: ")
    assert "# History\r\n- Sarah: sarah@example.com [until:: 2026-11-20]\r\n" in text
    assert "- Tove: +45 11 22 33 44\r\n- Anna: nurse\r\n" in text
    assert "Sarah: value is sarah.k@new.example (was sarah@example.com)" in git(
        app.root, "log", "--format=%s"
    )


def test_another_address_beside_it_is_a_fact_of_its_own(app: App) -> None:
    say(
        app,
        "Sarah's work email is w@new.example.",
        "Sarah's phone number is +45 99 88 77 66.",
        "Anna's email is a@b.example",
    )
    assert facts(app, "Sarah") == {
        "value": "sarah@example.com",
        "email": "w@new.example",
        "phone": "+45 99 88 77 66",
    }
    assert facts(app, "Anna") == {"value": "nurse", "email": "a@b.example"}


def test_only_a_person_can_replace_it(app: App) -> None:
    say(app, "Sarah's email is evil@x.example.", role="assistant")
    with app.seen_by("agent") as agent:
        done = agent.claim("evil@x.example", entity="Sarah", field="email")
    assert done.action == "waiting"
    assert facts(app, "Sarah") == {"value": "sarah@example.com"}


@pytest.mark.parametrize("field", ["email", "E-Mail", "mail address", "value"])
def test_remember_replaces_it_by_any_word_for_the_field(app: App, field: str) -> None:
    assert app.remember("s@new.example", entity="sarah", field=field).action == "superseded"
    assert facts(app, "Sarah") == {"value": "s@new.example"}
    assert (
        "# History\r\n- Sarah: sarah@example.com [until:: 2026-11-23]"
        in (app.root / PATH).read_bytes().decode()
    )
    assert app.remember("s@new.example", entity="Sarah", field=field).action == "confirmed"


def test_a_field_that_is_there_already_is_the_one_that_changes(app: App) -> None:
    put(app.root, {PATH: "# Contacts\n- Sarah: sarah@example.com\n  - email: s@work.example\n"})
    app.remember("s@new.example", entity="Sarah", field="email")
    assert facts(app, "Sarah")["value"] == "sarah@example.com"
    assert "s@new.example" in (app.root / PATH).read_text()


def test_what_an_agent_may_not_see_is_not_told_by_where_its_claim_goes(app: App) -> None:
    put(app.root, {PATH: "# Contacts\n- Sarah: sarah@example.com [audience:: owner]\n- Bo: bo@example.com\n"})
    with app.seen_by("agent") as agent:
        done = agent.claim("s@new.example", entity="Sarah", field="email")
    assert done.id == "semantic/contacts#Sarah.email"
