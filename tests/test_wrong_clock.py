"""A clock that nothing can be dated with: whatever writes refuses it in one sentence, and nothing is written; questions are answered."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime

import pytest
from conftest import Claw
from gitvault import git, snapshot, vault_of

from memoryclaw.app import App, init_vault
from memoryclaw.errors import ClockError, MemoryClawError

WRONG = [datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(1900, 1, 1, tzinfo=UTC), datetime(2101, 1, 1, tzinfo=UTC), datetime(9998, 7, 1, tzinfo=UTC)]  # fmt: skip
RIGHT = [datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 12, 31, 23, 59, 59, tzinfo=UTC)]
FILES = {"memoryclaw.yaml": "# mine\n", "notes/a.md": "---\nid: n1\ntags: [a]\n---\nThe lantern.\n", "semantic/people.md": "# Anna\n- city: Bern\n"}  # fmt: skip
TURN = {"session": "s", "turn": 1, "role": "user", "content": "My sister Anna lives in Oslo."}
WRITES = {
    "remember": lambda app: app.remember("Met Zoë at the slipway", tags=["zoe"]),
    "fact": lambda app: app.remember("Rome", entity="Anna", field="city"),
    "claim": lambda app: app.claim("Rome", entity="Anna", field="city", tool="memory_store"),
    "edit": lambda app: app.edit("n1", {"tags": ["b"]}),
    "forget": lambda app: app.forget("n1"),
    "purge": lambda app: app.purge("n1"),
    "trust": lambda app: app.trust("n1"),
    "undo": lambda app: app.undo("HEAD"),
    "capture": lambda app: app.capture([TURN]),
    "working memory": lambda app: app.working.set("s", {"goal": "a boathouse"}),
    "consolidate": lambda app: app.consolidate(llm="none"),
    "skill": lambda app: app.skills.new("send-update", description="Send the weekly update to everyone"),
    "feedback": lambda app: app.feedback("n1", 5),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """One for all: each test leaves it as it was."""
    root = vault_of(tmp_path_factory.mktemp("clock") / "v", FILES)
    with App(root) as app:
        app.remember("Oslo", entity="Bert", field="city")
        app.capture([{**TURN, "session": "before"}])
        app.sync()
    return root


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("now", WRONG, ids=str)
def test_nothing_is_written_with_a_date_that_cannot_be(root, name, now):
    before = snapshot(root)
    with App(root, clock=lambda: now) as app, pytest.raises(MemoryClawError, match="the clock says"):
        WRITES[name](app)
    assert snapshot(root) == before
    assert git(root, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize("now", RIGHT, ids=str)
def test_the_first_and_the_last_year_are_written(root, tmp_path, now):
    root = shutil.copytree(root, tmp_path / "v")
    with App(root, clock=lambda: now) as app:
        assert app.remember("Met Zoë at the slipway", tags=["zoe"]).commit
        assert app.status().git.last
    assert git(root, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize("now", WRONG, ids=str)
def test_questions_are_answered_all_the_same(root, now):
    with App(root, clock=lambda: now) as app:
        assert app.search("lantern").matches
        assert "lantern" in app.recall("where is the lantern?").context
        assert app.facts("Anna")
        app.status()
    assert not list((root / "ledger").rglob(f"*/{now:%Y}*"))


@pytest.mark.parametrize("verb", [["remember", "Met Zoë at the slipway"], ["search", "lantern"]])
@pytest.mark.parametrize(
    "now",
    [
        "1969-12-31T23:59:59Z",
        "2101-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-12:00",
    ],
)
def test_the_variable_is_refused_by_its_name(root, monkeypatch, verb, now):
    before = snapshot(root)
    monkeypatch.setenv("MEMORYCLAW_NOW", now)
    done = Claw(root)(*verb)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "MEMORYCLAW_NOW" in done.err
    assert snapshot(root) == before
    assert Claw(root)("status").code == 0


def test_no_vault_is_begun(tmp_path):
    with pytest.raises(ClockError):
        init_vault(tmp_path / "v", clock=lambda: WRONG[0])
    assert not list((tmp_path / "v").rglob("*"))


def test_status_tells_of_a_vault_that_has_such_a_commit(root, tmp_path):
    """Earlier versions wrote them."""
    root = shutil.copytree(root, tmp_path / "v")
    commit = git(root, "cat-file", "commit", "HEAD")
    author = next(line for line in commit.splitlines() if line.startswith("author "))
    wrong = author.rpartition("> ")[0] + "> -1 +0000"
    text = "\n".join(
        wrong
        if line == author
        else wrong.replace("author", "committer", 1)
        if line.startswith("committer ")
        else line
        for line in commit.splitlines()
    )
    (root / "commit").write_text(text + "\n")
    made = git(root, "hash-object", "-t", "commit", "-w", "--literally", "commit").strip()
    (root / "commit").unlink()
    git(root, "update-ref", "HEAD", made)
    shown = Claw(root)("status", "--json")
    assert shown.code == 0, shown.err
    assert json.loads(shown.out)["git"]["state"] == "ok"
