"""Two people of one vault: what each calls "our" is theirs, in sessions of their own and in one that they share."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from gitvault import git

from memoryclaw.app import init_vault, open_vault

TURNS = (
    ("s1", "Ann", "Our address is 4 Mill Lane, Leeds."),
    ("s2", "Ben", "Our address is 9 Quay Road, Bristol."),
    ("s2", "Ben", "We decided to go with the blue sofa for our lounge."),
    ("s3", "Ann", "Our landlord is Mrs Brook. Our daughter is Zoe."),
    ("s3", "Ben", "Our landlord is Mr Hale. Our daughter is Mia."),
    ("s3", "Ann", "Our rent is 900 pounds, all agreed."),
)


def test_what_one_calls_ours_never_replaces_what_the_other_does(tmp_path):
    init_vault(tmp_path / "v")
    for number, (session, who, text) in enumerate(TURNS):
        log = tmp_path / f"v/logs/2026-05-01/{session}.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as file:
            line = {
                "ts": f"2026-05-01T09:{number:02}:00Z",
                "session": session,
                "turn": str(number),
                "role": "user",
                "name": who,
                "content": text,
            }
            file.write(json.dumps(line) + "\n")
    with open_vault(tmp_path / "v", clock=lambda: datetime(2026, 5, 2, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        assert app.review.list() == []
        facts = app.facts(history=True)
        values = {(fact.entity, fact.field): fact.value for _, fact in facts if not fact.is_statement}
        assert not [fact for _, fact in facts if not fact.current]
        assert {key: values[key] for key in values if key[1] in ("address", "landlord", "daughter")} == {
            ("Ann", "address"): "4 Mill Lane, Leeds",
            ("Ben", "address"): "9 Quay Road, Bristol",
            ("Ann", "landlord"): "Mrs Brook",
            ("Ben", "landlord"): "Mr Hale",
            ("Ann", "daughter"): "Zoe",
            ("Ben", "daughter"): "Mia",
        }
        assert {
            fact.value for _, fact in facts if fact.is_statement and fact.lifecycle.memory_type == "decision"
        } == {"We decided to go with the blue sofa for our lounge"}
        rent = next(fact for _, fact in facts if fact.field == "rent")
        assert rent.lifecycle.memory_type == "decision"
        assert "[type:: decision]" in (tmp_path / "v/semantic/people.md").read_text()
        (match, *_) = app.recall("What is Ben's address?").matches
        assert match.unit.id == "semantic/people#Ben.address"


def say(root, *turns: tuple[str, str, str, str]) -> None:
    """Writes turns of people to the logs: day, session, speaker (may be empty), text."""
    for day, session, who, text in turns:
        log = root / f"logs/{day}/{session}.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        number = len(log.read_text().splitlines()) if log.exists() else 0
        line = {"ts": f"{day}T09:{number:02}:00Z", "session": session, "turn": str(number), "role": "user"}
        with log.open("a") as file:
            file.write(json.dumps({**line, **({"name": who} if who else {}), "content": text}) + "\n")


def rents(app) -> list[str]:
    return sorted(fact.value for _, fact in app.facts("boathouse") if fact.field == "rent")


RHEA = ("2026-05-01", "s1", "Rhea", "The rent of the boathouse is 700 euros.")
BRUNO = ("2026-05-02", "s2", "Bruno", "The rent of the boathouse is 900 euros.")


@pytest.mark.parametrize("nights", [1, 2])
@pytest.mark.parametrize("session", ["s1", "s2"])
def test_what_two_people_say_differently_stands_as_a_conflict(tmp_path, nights, session):
    root = tmp_path / "v"
    init_vault(root)
    other = ("2026-05-01" if session == "s1" else "2026-05-02", session, *BRUNO[2:])
    with open_vault(root, clock=lambda: datetime(2026, 5, 3, tzinfo=UTC)) as app:
        say(root, RHEA)
        if nights == 2:
            app.consolidate(llm="none")
        say(root, other)
        app.consolidate(llm="none")
        assert rents(app) == ["700 euros", "900 euros"]
        (conflict,) = [item for item in app.review.list() if item.kind == "conflict"]
        assert "700 euros" in conflict.why
        assert "900 euros" in conflict.why
        context = app.recall("what is the rent of the boathouse?").context
        assert context.count("(conflicts with semantic/facts#boathouse.rent") == 2
        say(root, ("2026-05-02", "s4", "Rhea", BRUNO[3]))
        app.consolidate(llm="none")
        (conflict,) = [item for item in app.review.list() if item.kind == "conflict"]  # both still stand
        app.review.approve([conflict], value=2, reason="Rhea looked it up")
        assert len(rents(app)) == 1
        assert [item for item in app.review.list() if item.kind == "conflict"] == []


@pytest.mark.parametrize(
    ("schema", "second"),
    [
        ("", ("2026-05-02", "s2", "Bruno", "The rent of the boathouse is 900 euros now.")),
        ("", ("2026-05-02", "s2", "Rhea", "The rent of the boathouse is 900 euros.")),
        ("", ("2026-05-02", "s2", "", "The rent of the boathouse is 900 euros.")),
        ("fields:\n  rent: {supersede: true}\n", BRUNO),
    ],
)
def test_a_change_that_is_told_and_what_one_person_says_later_takes_the_place(tmp_path, schema, second):
    root = tmp_path / "v"
    init_vault(root)
    if schema:
        (root / "semantic").mkdir(exist_ok=True)
        (root / "semantic/_schema.yaml").write_text(schema)
    with open_vault(root, clock=lambda: datetime(2026, 5, 3, tzinfo=UTC)) as app:
        say(root, RHEA)
        app.consolidate(llm="none")
        say(root, second)
        app.consolidate(llm="none")
        assert rents(app) == ["900 euros"]
        assert [item for item in app.review.list() if item.kind == "conflict"] == []


def test_what_one_confirmed_is_said_by_both(tmp_path):
    root = tmp_path / "v"
    init_vault(root)
    with open_vault(root, clock=lambda: datetime(2026, 5, 5, tzinfo=UTC)) as app:
        say(root, RHEA, ("2026-05-02", "s2", "Bruno", RHEA[3]))
        app.consolidate(llm="none")
        say(root, ("2026-05-03", "s3", "Bruno", BRUNO[3]))
        app.consolidate(llm="none")
        assert rents(app) == ["900 euros"]


def test_blocks_that_are_no_lines_and_odd_words_name_nobody(tmp_path):
    root = tmp_path / "v"
    init_vault(root)
    with open_vault(root, clock=lambda: datetime(2026, 5, 5, tzinfo=UTC)) as app:
        say(root, RHEA)
        app.consolidate(llm="none")
        facts = root / "semantic/facts.md"
        facts.write_text(facts.read_text().replace("#^l1]]", "#^l1-by-hand]]"))
        git(root, "commit", "-qam", "mine")
        say(root, ("2026-05-02", "s2", "Bruno", "The rent of the boathouse is 900\0 euros."))
        say(root, ("2026-05-02", "s2", "Bruno", "The rent of the boathouse is 950 euros."))
        app.consolidate(llm="none")
        assert rents(app) == ["950 euros"]
        assert [item for item in app.review.list() if item.kind == "conflict"] == []
