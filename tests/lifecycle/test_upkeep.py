from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from gitvault import git, users_work

from memoryclaw.app import init_vault, open_vault
from memoryclaw.consolidation.actions import MoveFile, SetFact
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.lifecycle import upkeep

NOW = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)
OLD = "episodes/2026-01-01_09-00-00_rope.md"


def moved(_context):
    yield PlannedChange(
        "archive",
        "Archive: rope",
        (MoveFile(OLD, OLD.replace("episodes", "archive/episodes")),),
        ("it is over",),
    )


def asked(_context):
    action = SetFact("semantic/people.md", "Ann", "city", "Bern", since="2026-05-01")
    yield PlannedChange("fact", "Ann: city is Bern", (action,), reason="it is only a guess")


@pytest.fixture
def vault(tmp_path, monkeypatch):
    root = tmp_path / "v"
    init_vault(root)
    (root / OLD).write_text("---\nid: rope\ntimestamp: 2026-01-01T09:00:00Z\n---\n# Rope\n\nA blue rope.\n")
    (root / "semantic/people.md").write_text("# Ann\n- city: Basel\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    monkeypatch.setattr(upkeep, "KEEPERS", (moved, asked))
    return root


def night(root, days=0, **how):
    with open_vault(root, clock=lambda: NOW + timedelta(days=days)) as app:
        return app.consolidate(llm="none", **how)


def test_what_would_break_a_golden_question_is_proposed_with_the_reason(vault):
    (vault / "eval").mkdir()
    (vault / "eval/questions.yaml").write_text("Which rope?: rope\n")
    done = night(vault).upkeep
    assert (done.mode, [commit.kind for commit in done.applied.commits]) == (
        "propose",
        ["proposal", "proposal"],
    )
    assert done.changes.held.startswith("a golden question would break: 'Which rope?'")
    assert (vault / OLD).exists()
    with open_vault(vault) as app:
        assert any(item.why == done.changes.held for item in app.review.list())
    assert night(vault, 1).upkeep is None, "it waits"


def test_what_time_asks_for_is_done_or_proposed_each_in_a_commit_of_its_own(vault):
    (vault / "semantic/people.md").write_text("# Ann\n- city: Basel\n- tea: green\n")
    before = users_work(vault)
    done = night(vault)
    assert done.waits == ""
    assert [commit.kind for commit in done.upkeep.applied.commits] == ["archive", "proposal"]
    assert (vault / OLD.replace("episodes", "archive/episodes")).read_text().endswith("A blue rope.\n")
    assert not (vault / OLD).exists()
    assert git(vault, "log", "-2", "--format=%s") == "Waits for review: Ann: city is Bern\nArchive: rope\n"
    assert "it is over" in git(vault, "log", "-1", "--skip=1", "--format=%b")
    assert users_work(vault) == before
    with open_vault(vault) as app:
        (item,) = app.review.list()
        assert item.kind == "fact"
        assert item.why == "it is only a guess"


def test_a_second_night_finds_nothing_to_do(vault):
    night(vault)
    head = git(vault, "rev-parse", "HEAD")
    assert night(vault, days=1).upkeep is None
    assert git(vault, "rev-parse", "HEAD") == head


def test_a_dry_run_tells_and_writes_nothing(vault):
    head = git(vault, "rev-parse", "HEAD")
    planned = night(vault, dry_run=True).upkeep
    assert [change.kind for change in planned.changes.changes] == ["archive", "fact"]
    assert git(vault, "rev-parse", "HEAD") == head
    assert (vault / OLD).exists()


def test_what_was_taken_back_is_not_done_again_and_what_was_refused_not_asked_again(vault):
    run = night(vault).upkeep.changes.run
    with open_vault(vault) as app:
        app.undo(run)
    assert (vault / OLD).exists()
    assert not list((vault / "review").glob("*.md"))
    assert night(vault, days=1).upkeep is None


def test_a_refusal_is_remembered(vault):
    night(vault)
    with open_vault(vault) as app:
        app.review.reject(app.review.list())
    assert night(vault, days=1).upkeep is None


def test_where_everything_is_to_be_proposed_nothing_is_done(vault):
    done = night(vault, mode="propose").upkeep
    assert (vault / OLD).exists()
    assert {commit.kind for commit in done.applied.commits} == {"proposal"}
    with open_vault(vault) as app:
        item = next(waiting for waiting in app.review.list() if waiting.kind == "archive")
        app.review.approve([item])
    assert not (vault / OLD).exists()


def test_a_run_that_looks_whether_it_is_due_does_it_once_a_day(vault, monkeypatch):
    assert night(vault, due=True).upkeep is not None
    monkeypatch.setattr(upkeep, "KEEPERS", (lambda _context: pytest.fail("asked again"),))
    assert night(vault, due=True).upkeep is None
    seen = []
    monkeypatch.setattr(upkeep, "KEEPERS", (lambda _context: seen,))
    night(vault, days=1, due=True)


def test_another_audience_hears_nothing_of_it(vault):
    with open_vault(vault, audience="agent", clock=lambda: NOW) as app:
        assert app.consolidate(llm="none").upkeep is None
    assert not (vault / OLD).exists()
