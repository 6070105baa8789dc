"""`trust` and `quarantine`: one commit each, no other byte, and a line can be trusted no more than its file."""

from __future__ import annotations

import pytest
from gitvault import git, pen_for, vault_of

from memoryclaw.errors import InputError
from memoryclaw.vault.edits import SemanticFile
from memoryclaw.writing.edit import set_trust

FACTS = '# Tam\r\n- car: Saab [since:: 2026-01-01] ^car\r\n- "lives by the sea" [said:: 2026-02-01] [trust:: unknown]\r\n'
TABLE = "| name | city |\n|---|---|\n| Zoe | Rome |\n"
PAGE = "---\n# mine\ntrust: untrusted   # a page\n---\nBuy now.\n"
LOG = '{"ts": "2026-01-01T00:00:00Z", "session": "s", "turn": 1, "role": "tool", "content": "x"}\n'


@pytest.fixture
def root(tmp_path):
    files = {
        "semantic/people.md": FACTS,
        "semantic/contacts.md": TABLE,
        "semantic/web.md": "---\ntrust: untrusted\n---\n# Bo\n- city: Hull\n",
        "notes/page.md": PAGE,
        "logs/2026-01-01/s.jsonl": LOG,
    }
    return vault_of(tmp_path / "v", files)


def trust_of(root, path, field):
    text = (root / path).read_bytes().decode()
    return next(
        fact.trust for fact in SemanticFile(path, frozenset()).facts(text).facts if fact.field == field
    )


def test_a_note_is_trusted_in_its_header_and_nowhere_else(root):
    done = set_trust(pen_for(root), "notes/page", "trusted")
    assert (root / "notes/page.md").read_text() == PAGE.replace("untrusted", "trusted")
    assert git(root, "show", "--format=", "--name-only", done.commit) == "notes/page.md\n"
    assert set_trust(pen_for(root), "notes/page", "trusted").commit == ""


def test_a_fact_is_quarantined_and_comes_back_byte_for_byte(root):
    id_ = "semantic/people#Tam.car"
    set_trust(pen_for(root), id_, "quarantined")
    text = (root / "semantic/people.md").read_bytes().decode()
    assert text == FACTS.replace(" ^car", " [trust:: quarantined] ^car")
    assert trust_of(root, "semantic/people.md", "car") == "quarantined"
    set_trust(pen_for(root), id_, "trusted")
    assert (root / "semantic/people.md").read_bytes().decode() == FACTS


def test_a_statement_is_trusted(root):
    text = (root / "semantic/people.md").read_bytes().decode()
    [said] = [f for f in SemanticFile("semantic/people.md", frozenset()).facts(text).facts if f.is_statement]
    set_trust(pen_for(root), said.id, "trusted")
    assert (root / "semantic/people.md").read_bytes().decode() == FACTS.replace(" [trust:: unknown]", "")


@pytest.mark.parametrize(
    ("id_", "trust", "sentence"),
    [
        (
            "semantic/web#Bo.city",
            "trusted",
            r"semantic/web\.md itself is untrusted; `memoryclaw trust semantic/web`",
        ),
        ("semantic/contacts#Zoe.city", "quarantined", "has no room for its trust"),
        ("log:s/1", "trusted", "part of a log, which is a record"),
    ],
)
def test_what_cannot_be_marked_is_said_and_changes_nothing(root, id_, trust, sentence):
    head = git(root, "rev-parse", "HEAD")
    with pytest.raises(InputError, match=sentence):
        set_trust(pen_for(root), id_, trust)
    assert git(root, "rev-parse", "HEAD") == head
    assert git(root, "status", "--porcelain") == ""
