from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from gitvault import git, users_work

from memoryclaw.app import App, init_vault, open_vault
from memoryclaw.errors import ConflictError, InputError, NotFoundError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.exit_codes import run
from memoryclaw.model import AGENT

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
FACTS = "# Atlas\n- deadline: 2026-05-02 [since:: 2026-04-20]\n- lead: Nora\n"
NOTE = "---\ndeadline: 2026-06-01\nstatus: open\n---\n# Atlas\n\nThe boat.\n"


def vault_of(root: Path, files: dict[str, str]) -> Path:
    init_vault(root, clock=lambda: NOW)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    return root


def opened(root: Path, audience: str = "owner") -> App:
    return open_vault(root, clock=lambda: NOW, audience=audience)


def waiting(root: Path, audience: str = "owner"):
    with opened(root, audience) as app:
        return [item for item in app.review.list() if item.kind == "conflict"]


def approve(root: Path, value: int, **how):
    with opened(root) as app:
        [item] = [item for item in app.review.list() if item.kind == "conflict"]
        return app.review.approve([item], value=value, **how)[0]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return vault_of(tmp_path / "v", {"semantic/projects.md": FACTS, "Atlas.md": NOTE})


def values(root: Path) -> list[tuple[str, ...]]:
    return [item.conflict.values for item in waiting(root)]


def test_a_property_and_a_fact_that_disagree_are_listed_with_both_places(vault):
    [item] = waiting(vault)
    assert item.conflict.values == ("2026-06-01", "2026-05-02")
    assert "Atlas.md:2" in item.why
    assert "semantic/projects.md:2" in item.why
    shape = shapes.waiting_item(item)
    assert [(rival["number"], rival["value"], rival["facts"][0]["path"]) for rival in shape["values"]] == [
        (1, "2026-06-01", "Atlas.md"),
        (2, "2026-05-02", "semantic/projects.md"),
    ]


def test_both_values_are_in_the_context_and_each_names_the_other(vault):
    with opened(vault) as app:
        answer = app.recall("What is the deadline of Atlas?")
    assert "2026-05-02 (since 2026-04-20) (conflicts with Atlas#Atlas.deadline)" in answer.context
    assert "2026-06-01 (conflicts with semantic/projects#Atlas.deadline)" in answer.context
    conflicts = {m["id"]: m["conflicts"] for m in shapes.recall(answer)["matches"] if m["kind"] == "fact"}
    assert conflicts["Atlas#Atlas.deadline"] == ["semantic/projects#Atlas.deadline"]
    assert conflicts["semantic/projects#Atlas.deadline"] == ["Atlas#Atlas.deadline"]
    assert answer.tokens <= answer.budget
    with opened(vault) as app:
        matches = shapes.search(app.search("Atlas deadline"))["matches"]
        listed = app.facts("Atlas")
        rows = shapes.facts(listed, app.freshness, app.conflicting(listed))["facts"]
    apart = {"Atlas#Atlas.deadline", "semantic/projects#Atlas.deadline"}
    assert {m["id"] for m in matches if m["conflicts"]} == apart
    assert {r["id"] for r in rows if r["conflicts"]} == apart


def test_where_the_property_holds_the_fact_moves_to_history(vault):
    before = users_work(vault)
    done = approve(vault, 1, reason="the boatyard\nRun: evil")
    assert done.action == "approved"
    assert (vault / "semantic/projects.md").read_text() == (
        "# Atlas\n- lead: Nora\n\n## History\n- deadline: 2026-05-02 [since:: 2026-04-20] [until:: 2026-05-04]\n"
    )
    assert (vault / "Atlas.md").read_text() == NOTE
    assert users_work(vault) == before
    message = git(vault, "log", "-1", "--format=%B")
    assert message.startswith("Approve: Atlas: deadline is 2026-06-01 (was 2026-05-02)\n")
    assert "Decided because: the boatyard Run: evil" in message
    assert "1: 2026-06-01 (Atlas.md:2)" in message
    assert set(git(vault, "show", "--format=", "--name-only", "HEAD").split()) == {
        "semantic/projects.md", "review/decisions.jsonl",
    }  # fmt: skip
    decision = json.loads((vault / "review/decisions.jsonl").read_text().splitlines()[-1])
    assert (decision["decision"], decision["kind"], decision["reason"]) == (
        "approved", "conflict", "the boatyard Run: evil",
    )  # fmt: skip
    assert waiting(vault) == []
    with opened(vault) as app:
        assert "conflicts" not in app.recall("deadline of Atlas").context


def test_where_the_fact_holds_the_property_is_put_right_and_every_other_byte_stays(tmp_path):
    note = NOTE.replace("deadline: 2026-06-01", "deadline:   '2026-06-01'  # ask").replace("\n", "\r\n")
    root = vault_of(tmp_path / "v", {"semantic/projects.md": FACTS, "Atlas.md": note})
    approve(root, 2)
    assert (root / "Atlas.md").read_bytes() == note.replace("2026-06-01", "2026-05-02").encode()
    assert (root / "semantic/projects.md").read_text() == FACTS
    assert waiting(root) == []


def test_a_resolution_can_be_taken_back(vault):
    done = approve(vault, 1)
    with opened(vault) as app:
        app.undo(done.commit)
    assert (vault / "semantic/projects.md").read_text() == FACTS
    assert values(vault) == [("2026-06-01", "2026-05-02")]


def test_both_may_stand_and_that_is_remembered_until_a_value_changes(vault):
    with opened(vault) as app:
        [item] = app.review.list()
        [done] = app.review.reject([item], reason="one is the soft one")
    assert waiting(vault) == []
    assert "both are kept" in git(vault, "log", "-1", "--format=%s")
    with opened(vault) as app:
        assert "conflicts" not in app.recall("deadline of Atlas").context
        assert app.doctor()[2].level == "ok"
    (vault / "Atlas.md").write_text(NOTE.replace("2026-06-01", "2026-07-01"))
    assert values(vault) == [("2026-07-01", "2026-05-02")]
    (vault / "Atlas.md").write_text(NOTE)
    with opened(vault) as app:
        app.undo(done.commit)
    assert values(vault) == [("2026-06-01", "2026-05-02")]


def test_a_person_has_to_say_which_value_holds(vault):
    with opened(vault) as app:
        [item] = app.review.list()
        for value in (0, 3):
            with pytest.raises(InputError, match=r"--value: 1: 2026-06-01 .*; 2: 2026-05-02"):
                app.review.approve([item], value=value)
    assert (vault / "semantic/projects.md").read_text() == FACTS


def test_what_changed_since_it_was_shown_is_not_decided(vault):
    with opened(vault) as app:
        [item] = app.review.list()
        (vault / "Atlas.md").write_text(NOTE.replace("2026-06-01", "2026-07-01"))
        with pytest.raises(NotFoundError):
            app.review.approve([item], value=1)
    assert (vault / "semantic/projects.md").read_text() == FACTS


def test_a_line_that_cannot_be_changed_safely_is_named_and_nothing_is_written(tmp_path):
    note = "---\nplan: {deadline: 2026-06-01}\nentity: Atlas\n---\nThe boat.\n"
    facts = "---\nx: y\n---\n# Atlas\n- plan deadline: 2026-05-02\n"
    note = note.replace("{deadline: 2026-06-01}", "\n  deadline: |\n    2026-06-01")
    root = vault_of(tmp_path / "v", {"semantic/projects.md": facts, "boat.md": note})
    head = git(root, "rev-parse", "HEAD")
    with pytest.raises(InputError, match=r"boat.md cannot be changed safely: .*line 3"):
        approve(root, 2)
    assert (root / "boat.md").read_text() == note
    assert git(root, "rev-parse", "HEAD") == head


CONTACTS = {"semantic/_schema.yaml": "collections: [contacts]\nfields: {crew: many, likes: one}\n"}
# What stands of one entity, by the files of it; and whether that is a conflict.
STANDING = [
    ({"a": "- depth: 3 metres", "b": "- depth: 5 metres"}, True),
    ({"a": "- depth: 3 metres", "b": "- Depth: 3 Metres."}, False),
    ({"a": "- depth: 3 metres\n- depth: 5 metres"}, False),  # one hand
    ({"a": "- due date: 2026-05-02", "b": "- deadline: 2 May 2026"}, False),
    ({"a": "- due date: 2026-05-02", "b": "- deadline: 3 May 2026"}, True),
    ({"a": "- deadline: May 2026", "b": "- deadline: 2026-05-03"}, False),
    ({"a": "- boss: Priya", "b": "- boss: Priya Raman"}, False),
    ({"a": "- city: Bern", "b": "- city: Basel [since:: 2026-09-01]"}, False),
    ({"a": "- city: Bern", "b": "- city: Basel [until:: 2026-01-01]"}, False),
    ({"a": "- city: Bern", "b": "## History\n- city: Basel"}, False),
    ({"a": "- city: Bern", "b": "- city: Basel [trust:: untrusted]"}, False),  # what nobody vouches for stands against nothing
    ({"a": "- city: Bern\n- city: Basel [source:: [[ep]]]"}, True),  # a hand, and talk
    ({"a": "- nurse: Tam [source:: [[e]]]\n- nurse: Bo [source:: [[f]]]"}, False),
    ({"a": "- deadline: 2026-05-02 [source:: [[e]]]\n- deadline: 2026-05-03 [source:: [[f]]]"}, True),
    ({"a": "- city: Bern", "archive/semantic/b": "- city: Basel"}, False),
    ({"a": "- prefers: tea", "b": "- prefers: rain"}, False),
    ({"a": "- crew: Tam", "b": "- crew: Bo"}, False),
    ({"a": "- likes: tea", "b": "- likes: rain"}, True),  # as the schema says
    ({"a": "- email: a@x.org, b@x.org", "b": "- email: b@x.org"}, False),
    ({"a": "- email: a@x.org, b@x.org", "b": "- email: c@x.org"}, True),
    ({"contacts": "a@x.org", "note": "email: b@x.org"}, True),
    ({"contacts": "a@x.org", "note": "phone: 0123 456789"}, False),
]  # fmt: skip
NAMES = [
    "Adele", "Bogdan", "Chiara", "Dmitri", "Eleni", "Fergus", "Gudrun", "Hamza", "Ingeborg", "Jarmila", "Kwame",
    "Lourdes", "Mirela", "Ngozi", "Odile", "Pascal", "Quirin", "Rasmus", "Svetla", "Tiberiu", "Urszula", "Viveka",
]  # fmt: skip


def test_what_is_a_conflict_and_what_is_none(tmp_path):
    files = dict(CONTACTS)
    for name, (texts, _) in zip(NAMES, STANDING, strict=True):
        for place, text in texts.items():
            if place == "contacts":
                files["semantic/contacts.md"] = files.get("semantic/contacts.md", "") + f"- {name}: {text}\n"
            elif place == "note":
                files[f"{name}.md"] = f"---\n{text}\n---\n"
            else:
                files[f"{place if '/' in place else f'semantic/{place}'}-{name}.md"] = f"# {name}\n{text}\n"
    root = vault_of(tmp_path / "v", files)
    conflicting = {name for name, (_, is_one) in zip(NAMES, STANDING, strict=True) if is_one}
    items = waiting(root)
    assert sorted(item.entity for item in items) == sorted(conflicting)
    with opened(root) as app:
        facts = app.facts()
        marked = set(app.conflicting(facts))
        check = next(check for check in app.doctor() if check.name == "conflicts")
    assert {fact.entity for _, fact in facts if fact.id in marked} == conflicting
    assert check.level == "advice"
    assert check.sentence.startswith(f"{len(conflicting)} conflicts")


def test_doctor_tells_of_each_line(vault):
    with opened(vault) as app:
        check = next(check for check in app.doctor() if check.name == "conflicts")
    assert check.sentence == "1 conflict between values that stand"
    assert [(detail.path, detail.line) for detail in check.details] == [
        ("Atlas.md", 2),
        ("semantic/projects.md", 2),
    ]
    assert "'2026-05-02' in semantic/projects.md:2" in check.details[0].message


def test_three_values_and_one_that_holds(tmp_path):
    root = vault_of(
        tmp_path / "v",
        {
            "semantic/a.md": "# Pond\n- depth: 3 metres\n",
            "semantic/b.md": "# Pond\n- depth: 5 metres\n- depth: 5 metres\n- owner: Ida\n",
            "semantic/c.md": "| pond | depth |\n|---|---|\n| Pond | 7 metres |\n",
        },
    )
    [item] = waiting(root)
    assert item.conflict.values == ("3 metres", "5 metres", "7 metres")
    approve(root, 1)
    assert (root / "semantic/b.md").read_text() == (
        "# Pond\n- owner: Ida\n\n## History\n- depth: 5 metres [until:: 2026-05-04]\n- depth: 5 metres [until:: 2026-05-04]\n"
    )
    with opened(root) as app:
        assert [(f.field, f.value) for _, f in app.facts("Pond")] == [("depth", "3 metres"), ("owner", "Ida")]


def test_lines_that_nobody_committed_are_not_swept_into_a_decision(vault):
    path = vault / "semantic/projects.md"
    path.write_text(FACTS + "- colour: red\n")
    (vault / "Atlas.md").write_text(NOTE.replace("status", "colour: blue\nstatus"))
    head = git(vault, "rev-parse", "HEAD")
    with opened(vault) as app:
        [item] = [item for item in app.review.list() if item.field == "colour"]
        with pytest.raises(ConflictError, match="uncommitted"):
            app.review.approve([item], value=1)
    assert path.read_text() == FACTS + "- colour: red\n"
    assert git(vault, "rev-parse", "HEAD") == head
    git(vault, "commit", "-qam", "mine too")
    with opened(vault) as app:
        app.review.approve(app.review.list([item.id]), value=1)
        assert [f.value for _, f in app.facts("Atlas") if f.field == "colour"] == ["blue"]


def test_what_an_audience_may_not_see_conflicts_with_nothing_for_it(tmp_path):
    hidden = "# Atlas\n- deadline: 2026-06-01 [audience:: owner]\n"
    root = vault_of(tmp_path / "v", {"semantic/a.md": FACTS, "semantic/b.md": hidden})
    assert len(waiting(root)) == 1
    assert waiting(root, AGENT) == []
    with opened(root, AGENT) as app:
        answer = app.recall("deadline of Atlas")
        listed = app.facts("Atlas")
        assert app.conflicting(listed) == {}
        assert all(not match.conflicts for match in app.search("deadline of Atlas").matches)
    assert "2026-05-02" in answer.context
    assert "conflicts" not in answer.context
    assert "2026-06-01" not in answer.context


def test_what_two_machines_learned_apart_is_found_after_their_merge(tmp_path):
    vault = vault_of(tmp_path / "one", {"semantic/projects.md": "# Atlas\n- lead: Nora\n"})
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "hub.git")
    git(vault, "branch", "-M", "main")
    git(vault, "remote", "add", "origin", str(tmp_path / "hub.git"))
    git(vault, "push", "-qu", "origin", "main")
    git(tmp_path, "clone", "-q", str(tmp_path / "hub.git"), "two")
    two = tmp_path / "two"
    git(two, "config", "user.name", "Nora")
    git(two, "config", "user.email", "nora@example.com")
    with opened(vault) as app:
        app.remember("2026-05-02", entity="Atlas", field="deadline")
        app.exchange()
    (two / "Atlas.md").write_text(NOTE)
    git(two, "add", "-A")
    git(two, "commit", "-qm", "by hand")
    with opened(two) as app:
        assert app.conflicting(app.facts()) == {}
        app.exchange()
    [item] = waiting(two)
    assert item.conflict.values == ("2026-06-01", "2026-05-02")
    done = approve(two, 1)
    assert waiting(two) == []
    assert "## History" in (two / "semantic/projects.md").read_text()
    with opened(two) as app:
        app.undo(done.commit)
    assert len(waiting(two)) == 1


def test_a_yes_to_everything_leaves_conflicts(vault, capsys):
    assert run(["--vault", str(vault), "review", "approve", "--all", "--yes"]) == 0
    assert "Nothing to decide." in capsys.readouterr().out
    assert len(waiting(vault)) == 1


def test_the_command_line_numbers_the_values_and_takes_a_number(vault, capsys, monkeypatch):
    monkeypatch.setenv("MEMORYCLAW_NOW", NOW.isoformat())
    [item] = waiting(vault)
    assert run(["--vault", str(vault), "review", "show", item.id]) == 0
    assert "  2: 2026-05-02 (semantic/projects.md:2, since 2026-04-20)" in capsys.readouterr().out
    assert (
        run(["--vault", str(vault), "review", "approve", item.id, "--value", "2", "--reason", "Nora says so"])
        == 0
    )
    assert "approved: Atlas: deadline is 2026-05-02" in capsys.readouterr().out
    assert "deadline: 2026-05-02" in (vault / "Atlas.md").read_text()
    assert "Decided because: Nora says so" in git(vault, "log", "-1", "--format=%b")


BOAT = "# Atlas\n- deadline: 2026-05-02 [since:: 2026-04-20]\n"
OTHER = "# Sea Project\n- deadline: 2026-06-01 [since:: 2026-04-21]\n"


@pytest.mark.parametrize(
    "files",
    [
        {"semantic/aliases.yaml": "Atlas: [Sea Project]\n"},
        {"Boats/Atlas.md": "---\naliases: [Sea Project]\nstatus: open\n---\n# Atlas\n\nThe boat.\n"},
    ],
)
def test_two_names_of_one_entity_conflict_as_one_does(tmp_path, files):
    root = vault_of(tmp_path / "v", {"semantic/projects.md": BOAT, "semantic/sea.md": OTHER, **files})
    [item] = waiting(root)
    assert item.conflict.values == ("2026-05-02", "2026-06-01")
    assert "2026-06-01 (semantic/sea.md:2, of Sea Project, since 2026-04-21)" in item.why
    with opened(root) as app:
        assert "conflicts" in app.recall("what is the deadline of Atlas?").context
        assert "conflicts" in app.recall("when is Sea Project due?").context
        assert "1 conflict between values that stand" in [check.sentence for check in app.doctor()]
    approve(root, 2)
    assert "# Atlas\n\n## History\n- deadline: 2026-05-02" in (root / "semantic/projects.md").read_text()
    assert waiting(root) == []


def test_both_names_may_keep_their_values_when_a_person_says_so(tmp_path):
    root = vault_of(
        tmp_path / "v",
        {
            "semantic/projects.md": BOAT,
            "semantic/sea.md": OTHER,
            "semantic/aliases.yaml": "Atlas: [Sea Project]\n",
        },
    )
    with opened(root) as app:
        [item] = [item for item in app.review.list() if item.kind == "conflict"]
        app.review.reject([item])
    assert waiting(root) == []


def test_two_that_are_each_linked_with_a_third_are_not_one(tmp_path):
    files = {
        "semantic/people.md": "# Ana\n- email: ana@example.org\n\n# Ben\n- email: ben@example.org\n",
        "semantic/aliases.yaml": "team: [Ana, Ben]\n",
        "semantic/more.md": "# team\n- city: Ulm\n",
    }
    assert waiting(vault_of(tmp_path / "v", files)) == []


def test_a_verb_and_a_noun_for_one_field_conflict(tmp_path):
    files = {
        "semantic/people.md": "# Ana\n- works at: Nordmole\n",
        "People/Ana.md": "---\nemployer: Farben Kröger\n---\n# Ana\n",
    }
    [item] = waiting(vault_of(tmp_path / "v", files))
    assert sorted(item.conflict.values) == ["Farben Kröger", "Nordmole"]
