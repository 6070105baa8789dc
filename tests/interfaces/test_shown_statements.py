"""Every interface tells a statement from a fact, shows its date, and never calls it current."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Claw, VaultOf

from memoryclaw.app import App
from memoryclaw.interfaces.http import routes
from memoryclaw.interfaces.mcp import tools

BARN = "5 september, holroyd barn near otley"
PEOPLE = f"""# Tam
- email: tam@example.com [since:: 2025-01-01]
- "peat whisky please"
- "{BARN}" [said:: 2026-02-11]

## History
- "12 september" [said:: 2026-01-02] [until:: 2026-02-11]
"""
KEYS = ("type", "entity", "field", "value", "since", "said", "until", "current", "standing")
EMAIL = ("fact", "Tam", "email", "tam@example.com", "2025-01-01", "", "", True, False)
SAID = ("statement", "Tam", "", BARN, "", "2026-02-11", "", False, True)
PEAT = ("statement", "Tam", "", "peat whisky please", "", "", "", False, True)
PAST = ("statement", "Tam", "", "12 september", "", "2026-01-02", "2026-02-11", False, False)


@pytest.fixture
def vault(vault_of: VaultOf) -> Path:
    return vault_of({"semantic/people.md": PEOPLE})


@pytest.fixture
def app(vault: Path) -> Iterator[App]:
    with App(vault) as app:
        yield app


def rows(shape: object) -> list[tuple[object, ...]]:
    facts = json.loads(json.dumps(shape))["facts"]
    return [tuple(fact[key] for key in KEYS) for fact in facts]


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ((), [EMAIL, SAID, PEAT]),
        (("Tam", "--history"), [EMAIL, SAID, PAST, PEAT]),
        (("Tam", "--as-of", "2026-01-15"), [EMAIL, PAST, PEAT]),
        (("Tam", "--as-of", "2026-02-11"), [EMAIL, SAID, PEAT]),
    ],
)
def test_the_command_lists_facts_then_statements_newest_first(
    vault: Path, asked: tuple[str, ...], wanted: list[tuple[object, ...]]
) -> None:
    assert rows(Claw(vault)("facts", *asked, "--json").json) == wanted


def test_a_table_shows_the_words_in_quotes_and_when_they_were_said(vault: Path) -> None:
    lines = Claw(vault)("facts", "tam").out.splitlines()
    assert [line.split() for line in lines[1:3]] == [
        ["Tam", "email", "tam@example.com", "2025-01-01", "semantic/people.md:2"],
        ["Tam", "said", *f'"{BARN}"'.split(), "2026-02-11", "semantic/people.md:4"],
    ]


def test_programs_get_what_the_command_line_prints(app: App, vault: Path) -> None:
    printed = Claw(vault)("facts", "--json").json
    assert (
        json.loads(json.dumps(routes.BY_NAME["facts"].verb(app, "", routes.BY_NAME["facts"].asks())))
        == printed
    )
    assert f'on="2026-02-11">Tam: "{BARN}"</m>' in tools.facts(app)


def test_a_statement_is_shown_blamed_edited_and_forgotten_by_its_id(vault: Path) -> None:
    claw = Claw(vault)
    assert claw("init", "--commit").code == 0
    [id_] = [fact["id"] for fact in claw("facts", "--json").json["facts"] if fact["value"] == BARN]
    assert claw("show", id_).out == f'- "{BARN}" [said:: 2026-02-11]\n'
    lines = claw("blame", id_).out.splitlines()
    assert lines[0] == f'Tam said: "{BARN}", on 2026-02-11 (semantic/people.md:4)'
    assert claw("blame", id_, "--json").json["type"] == "statement"
    edited = claw("edit", id_, "--set", "value=the 12th", "--json").json["id"]
    assert claw("show", edited).out == '- "the 12th" [said:: 2026-02-11]\n'
    done = claw("forget", edited, "--json").json
    assert claw("show", edited).code == 1
    assert claw("revive", done["id"]).code == 0
    assert (vault / "semantic/people.md").read_text() == PEOPLE.replace(BARN, "the 12th")


def test_nothing_is_wrong_with_a_statement(vault: Path) -> None:
    claw = Claw(vault)
    assert claw("status", "--json").json["problems"] == []
    checks = {check["name"]: check["level"] for check in claw("doctor", "--json").json["checks"]}
    assert (checks["notes"], checks["index"]) == ("ok", "ok")


SKILL = """---
name: call
description: Calls somebody on the phone, when a word in person is needed.
parameters:
  tam: {type: string}
steps:
  - {tool: echo, args: {to: $tam}}
---
Calls.
"""


def test_a_statement_is_no_value_for_a_skill(vault_of: VaultOf) -> None:
    root = vault_of(
        {"semantic/people.md": f'# Tam\n- "{BARN}" [said:: 2026-02-11]\n', "skills/call/SKILL.md": SKILL}
    )
    claw = Claw(root)
    assert claw("skills", "approve", "call").code == 0
    ran = claw("skills", "run", "call", "--json")
    assert ran.code == 1
    assert BARN not in ran.out + ran.err
    assert "tam" in ran.out + ran.err


def test_a_search_says_what_it_found_and_when_it_was_said(vault: Path) -> None:
    first, *_ = Claw(vault)("search", "holroyd barn").out.splitlines()
    assert first.split() == ["1", "Tam", "statement,", "2026-02-11"]
