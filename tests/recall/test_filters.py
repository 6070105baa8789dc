"""The fields of the query language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import VaultOf

from memoryclaw.app import App
from memoryclaw.errors import InputError

FILES = {
    "episodes/2025-07-08_17-25-00_penicillin.md": (
        "---\ntimestamp: 2025-07-08T17:25:00Z\ntags: [health/allergy, Nora]\nparticipants: [Nora Lindqvist]\n"
        "project: Lantern Island\ntrust: untrusted\n---\nNo penicillin.\n"
    ),
    "episodes/2026-04-16_09-15-00_first-pile.md": "---\ntimestamp: 2026-04-16T09:15:00Z\ntags: [healthy]\nentities: [Boathouse]\n---\nFirst pile.\n",
    "episodes/2026-03-02_09-00-00_trip.md": "---\nstart: 2026-02-27\nend: 2026-03-02\ntimestamp: 2026-03-02T09:00:00Z\n---\nThe trip.\n",
    "notes/100%_sure.md": "---\ntags: [a_b]\n---\nSure.\n",
    "notes/plain.md": "---\ntags: [axb/c]\n---\nPlain.\n",
    "archive/episodes/2025-01-01_10-00-00_old.md": "---\ntimestamp: 2025-01-01T10:00:00Z\n---\nOld lease.\n",
    "skills/_drafts/pack/SKILL.md": "---\nname: pack\ndescription: Pack the bag\n---\nPack it.\n",
    "semantic/_pending.md": "- Kiosk colour: maybe green\n",
    "semantic/projects.md": (
        "# Boathouse\n- lead: Priya [since:: 2026-04-01]\n- deadline: 2026-12-11\n\n"
        "## History\n- lead: Zoë [since:: 2025-04-09] [until:: 2026-04-01]\n"
    ),
    "logs/2025-10-21/s.jsonl": '{"ts":"2025-10-21T09:00:00Z","session":"s","turn":1,"role":"user","name":"Nora Lindqvist","content":"First, where?"}\n',
}
EPISODES = {
    "2025-07-08_17-25-00_penicillin": "penicillin",
    "2026-04-16_09-15-00_first-pile": "pile",
    "2026-03-02_09-00-00_trip": "trip",
}


@pytest.fixture
def app(vault_of: VaultOf) -> Iterator[App]:
    app = App(vault_of(FILES))
    yield app
    app.close()


def ids_of(app: App, query: str) -> set[str]:
    names = (
        match.unit.id.rpartition("/")[2] if match.unit.kind != "turn" else "turn"
        for match in app.search(query, limit=50).matches
    )
    return {EPISODES.get(name, name) for name in names}


LEAD, LEAD_THEN, DEADLINE = (
    "projects#Boathouse.lead",
    "projects#Boathouse.lead~2",
    "projects#Boathouse.deadline",
)


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("tag:health", {"penicillin"}),
        ("tag:health/allergy", {"penicillin"}),
        ("tag:#NORA", {"penicillin"}),
        ("tag:a_b", {"100%_sure"}),
        ("tag:%", set()),
        ("kind:episode", {"penicillin", "pile", "trip"}),
        ("kind:episodes -tag:health", {"pile", "trip"}),
        ("kind:fact", {LEAD, DEADLINE}),
        ("kind:turn", {"turn"}),
        ("kind:log", {"turn"}),
        ("kind:superseded", {LEAD_THEN}),
        ("kind:archived", {"2025-01-01_10-00-00_old"}),
        ("kind:draft", {"SKILL"}),
        ("kind:pending", {"_pending"}),
        ("entity:Boathouse", {LEAD, DEADLINE, "pile"}),
        ("entity:boathouse -kind:episode", {LEAD, DEADLINE}),
        ("person:Nora", {"penicillin"}),
        ('person:"nora lindqvist"', {"penicillin", "turn"}),
        ("project:lantern", {"penicillin"}),
        ("path:episodes/2026", {"pile", "trip"}),
        ("path:EPISODES/2026-04", {"pile"}),
        ("path:100%_", {"100%_sure"}),
        ("path:archive", {"2025-01-01_10-00-00_old"}),
        ("path:skills/_drafts", {"SKILL"}),
        ("path:_pending", {"_pending"}),
        ("path:semantic", {LEAD, DEADLINE}),
        ("since:2026-04-10", {"pile"}),
        ("until:2025-12-31 kind:episode", {"penicillin"}),
        ("since:2026-03-01 until:2026-03-31", {"trip"}),
        ("on:2026-03-02 kind:episode", {"trip"}),
        ("on:2025-07-08", {"penicillin", LEAD_THEN}),
        ("on:2026-04-01 kind:fact", {LEAD}),
        ('since:"last week"', {"pile"}),
        ("trust:untrusted", {"penicillin"}),
        ("-kind:episode -kind:fact -kind:note", {"turn"}),
    ],
)  # fmt: skip
def test_what_a_field_lets_through(app: App, query: str, ids: set[str]) -> None:
    assert ids_of(app, query) == ids


def test_what_is_usually_hidden_is_left_out_with_its_reason_and_not_reached_by_excluding_it(app: App) -> None:
    answer = app.search("lease OR lead OR green OR bag -kind:pending")
    assert {(left.id.rpartition("/")[2], left.reason) for left in answer.left_out} == {
        ("2025-01-01_10-00-00_old", "archived"), (LEAD_THEN, "superseded"), ("SKILL", "draft"),
    }  # fmt: skip


def test_a_listing_is_newest_first_and_explains_itself(app: App) -> None:
    matches = app.search("kind:episode").matches
    assert [match.unit.when[:10] for match in matches] == ["2026-04-16", "2026-03-02", "2025-07-08"]
    assert {term.name for term in matches[0].terms} == {"filter"}
    assert [(m.word, m.field, m.via) for m in matches[0].matched] == [("kind:episode", "kind", "literal")]


def test_fields_narrow_a_question(app: App) -> None:
    assert ids_of(app, "boathouse lead kind:fact") == {LEAD, DEADLINE}
    assert ids_of(app, "pile since:2026-04-17") == set()


@pytest.mark.parametrize(
    ("kind", "ids"), [("turns", {"turn"}), ("Episode", {"pile"}), ("superseded", {LEAD_THEN})]
)
def test_the_kind_given_beside_a_question_narrows_as_the_field_does(
    app: App, kind: str, ids: set[str]
) -> None:
    matches = app.search("where first lead", kind=kind).matches
    names = {m.unit.id.rpartition("/")[2] if m.unit.kind != "turn" else "turn" for m in matches}
    assert {EPISODES.get(name, name) for name in names} == ids


def test_an_unknown_kind_is_a_known_failure(app: App) -> None:
    with pytest.raises(InputError, match="no kind 'dream'"):
        app.search("x", kind="dream")
    assert "kind is one of" in app.search("kind:dream").notices[0]
