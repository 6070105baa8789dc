from __future__ import annotations

import pytest
from gitvault import git, pen_for, snapshot, vault_of

from memoryclaw.errors import ConflictError, InputError, NotFoundError
from memoryclaw.writing.edit import edit

NOTE = b"\xef\xbb\xbf---\r\n# mine\r\nid: n1\r\ntags: [a]  # two?\r\n---\r\nBody"
FACTS = "# Anna\n- city: Berlin [since:: 2025-01-01]\n- phone: 1\n"
LOG = '{"ts": "2026-11-21T10:00:00Z", "session": "s", "turn": 1, "role": "user", "content": "hi"}\n'


def vault(tmp_path):
    files = {
        "notes/a.md": NOTE,
        "semantic/people.md": FACTS,
        "skills/x.json": "{}",
        "logs/2026-11-21/s.jsonl": LOG,
    }
    return vault_of(tmp_path / "v", files)


def test_only_the_property_changes_in_the_file_and_in_the_commit(tmp_path):
    root = vault(tmp_path)
    done = edit(pen_for(root), "n1", {"tags": "a, #b"})
    assert (root / "notes/a.md").read_bytes() == NOTE.replace(b"[a]", b"[a, b]")
    assert git(root, "show", "--format=%s", "--name-only", done.commit).split("\n")[:3] == [
        "Edit n1: tags = a, #b",
        "",
        "notes/a.md",
    ]


def test_several_properties_change_in_one_commit(tmp_path):
    root = vault(tmp_path)
    edit(pen_for(root), "n1", {"pin": "true", "summary": "a: b"})
    assert (root / "notes/a.md").read_bytes() == NOTE.replace(
        b"\r\n---\r\nBody", b'\r\npin: true\r\nsummary: "a: b"\r\n---\r\nBody'
    )
    assert git(root, "rev-list", "--count", "HEAD") == "2\n"


@pytest.mark.parametrize(
    ("id_", "fields"),
    [
        ("notes/mine", {"summary": "ours"}),
        ("notes/mine", {"tags": "new"}),
        ("semantic/mine#Zoe.city", {"value": "Bern"}),
    ],
)
def test_an_untracked_note_is_refused_before_anything_is_written(tmp_path, id_, fields):
    root = vault(tmp_path)
    (root / "notes/mine.md").write_text("---\nsummary: mine\n---\nBody\n")
    (root / "semantic/mine.md").write_text("# Zoe\n- city: Rome\n")
    before = (snapshot(root), git(root, "rev-parse", "HEAD"))
    with pytest.raises(ConflictError, match=r"mine\.md is not in git, .*commit the file first"):
        edit(pen_for(root), id_, fields)
    assert (snapshot(root), git(root, "rev-parse", "HEAD")) == before
    git(root, "add", "-f", "notes/mine.md", "semantic/mine.md")
    git(root, "commit", "-qm", "mine")
    assert edit(pen_for(root), id_, fields).commit


def test_a_fact_is_corrected_in_place_without_history(tmp_path):
    root = vault(tmp_path)
    done = edit(pen_for(root), "semantic/people#Anna.city", {"value": "Bern"})
    assert done.action == "corrected"
    assert (root / "semantic/people.md").read_text() == FACTS.replace("Berlin", "Bern")


def test_an_entity_is_refused_with_the_command_that_sets_one_of_its_facts(tmp_path):
    root = vault(tmp_path)
    with pytest.raises(InputError, match="remember VALUE --entity 'Anna' --field 'city'` sets one"):
        edit(pen_for(root), "semantic/people#Anna", {"city": "Bern", "email": "a@example.com"})
    assert (root / "semantic/people.md").read_text() == FACTS


def test_what_says_so_already_makes_no_commit(tmp_path):
    root = vault(tmp_path)
    done = edit(pen_for(root), "semantic/people#Anna.city", {"value": "Berlin"})
    assert (done.action, done.commit, done.notice) == ("confirmed", "", "it says so already")


@pytest.mark.parametrize(
    ("id_", "fields", "error"),
    [
        ("nothing", {"a": "b"}, NotFoundError),
        ("n1", {}, InputError),
        ("log:s/1", {"a": "b"}, InputError),
        ("skills/x.json", {"a": "b"}, InputError),
        ("semantic/people#Anna.city", {"phone": "2"}, InputError),
        ("semantic/people#Anna.city", {"value": ""}, InputError),
        ("../../etc/passwd", {"a": "b"}, NotFoundError),
    ],
)
def test_what_cannot_be_edited_is_refused_in_a_sentence(tmp_path, id_, fields, error):
    root = vault(tmp_path)
    with pytest.raises(error):
        edit(pen_for(root), id_, fields)
    assert git(root, "status", "--porcelain") == ""
