from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from gitvault import git, users_work

from memoryclaw.app import init_vault, open_vault

NOW = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)
PEOPLE = """# Ann
- city: Basel [since:: 2025-01-01]
- desk: room four [since:: 2026-01-01] [expires:: 2026-05-03] ^b1
- "the spare key is with Rolf" [said:: 2026-02-01] [expires:: 2026-05-03]
- hotel: Krone [since:: 2026-05-02] [scope:: session]

| Name | city |
|---|---|
| Tom | Oslo |
"""


@pytest.fixture
def vault(tmp_path):
    root = tmp_path / "v"
    init_vault(root)
    (root / "notes").mkdir()
    (root / "notes/sale.md").write_text(
        "---\nexpires: 2026-05-03\n---\n# Sale\n\nThe kayak shop has a sale.\n"
    )
    (root / "notes/wifi.md").write_text(
        "---\nscope: session:s1\ndate: 2026-04-01\n---\n# Wifi\n\nThe kayak club's door code.\n"
    )
    (root / "notes/rope.md").write_text("# Rope\n\nA kayak rope.\n")
    (root / "semantic/people.md").write_text(PEOPLE)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    said(root, "2026-05-02T10:00:00Z")
    return root


def said(root, ts):
    log = root / f"logs/{ts[:10]}/s1.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as file:
        file.write(
            json.dumps({"ts": ts, "session": "s1", "turn": ts, "role": "user", "content": "hello there"})
            + "\n"
        )


def opened(root, days=0):
    return open_vault(root, clock=lambda: NOW + timedelta(days=days))


def recalled(root, query, days=0):
    with opened(root, days) as app:
        answer = app.recall(query)
    return {match.unit.id for match in answer.matches}, {match.id: match.reason for match in answer.left_out}


def test_the_last_day_counts_and_the_day_after_it_is_out_of_recall(vault):
    assert "notes/sale" in recalled(vault, "kayak", days=-1)[0]
    shown, left = recalled(vault, "kayak")
    assert "notes/sale" not in shown
    assert left["notes/sale"] == "expired"
    assert recalled(vault, "Ann's desk")[1]["semantic/people#Ann.desk"] == "expired"
    assert "notes/sale" in recalled(vault, "kayak kind:expired")[0]


def test_what_is_of_a_session_goes_when_that_has_been_idle_for_a_day(vault):
    assert "notes/wifi" in recalled(vault, "kayak", days=-1)[0]
    assert recalled(vault, "kayak")[1]["notes/wifi"] == "expired"
    said(vault, "2026-05-03T23:00:00Z")
    assert "notes/wifi" in recalled(vault, "kayak")[0]


def test_a_session_nobody_named_is_that_of_its_own_day(vault):
    assert "semantic/people#Ann.hotel" in recalled(vault, "Ann hotel", days=-1)[0]
    assert recalled(vault, "Ann hotel")[1]["semantic/people#Ann.hotel"] == "expired"


def test_a_question_about_a_day_on_which_it_counted_is_answered(vault):
    assert "semantic/people#Ann.desk" in recalled(vault, "What was Ann's desk in March 2026?")[0]


def test_the_night_moves_it_away_one_commit_each_and_deletes_nothing(vault):
    (vault / "notes/rope.md").write_text("# Rope\n\nA red kayak rope.\n")
    before = users_work(vault)
    with opened(vault) as app:
        done = app.consolidate(llm="none").upkeep
    assert {commit.kind for commit in done.applied.commits} == {"archive", "expired"}
    assert len({commit.commit for commit in done.applied.commits}) == 5
    assert (vault / "archive/notes/sale.md").read_text().endswith("The kayak shop has a sale.\n")
    assert not (vault / "notes/sale.md").exists()
    assert (vault / "semantic/people.md").read_text() == (
        "# Ann\n- city: Basel [since:: 2025-01-01]\n\n| Name | city |\n|---|---|\n| Tom | Oslo |\n\n## History\n"
        "- desk: room four [since:: 2026-01-01] [expires:: 2026-05-03] [until:: 2026-05-03]\n"
        '- "the spare key is with Rolf" [said:: 2026-02-01] [expires:: 2026-05-03] [until:: 2026-05-03]\n'
        "- hotel: Krone [since:: 2026-05-02] [scope:: session] [until:: 2026-05-03]\n"
    )
    assert users_work(vault) == before
    assert "its last day was 2026-05-03" in git(vault, "log", "--format=%b")


def test_a_second_night_finds_nothing_and_the_last_day_is_never_a_night_too_early(vault):
    with opened(vault, days=-2) as app:
        assert app.consolidate(llm="none").upkeep is None
    with opened(vault) as app:
        app.consolidate(llm="none")
        head = git(vault, "rev-parse", "HEAD")
        assert app.consolidate(llm="none").upkeep is None
    assert git(vault, "rev-parse", "HEAD") == head


def test_a_dry_run_tells_of_it_and_a_vault_that_proposes_asks_first(vault):
    with opened(vault) as app:
        upkeep = app.consolidate(llm="none", dry_run=True).upkeep
        assert {change.title for change in upkeep.changes.changes} == {
            "Expired: Sale", "Expired: Wifi", "Expired: Ann: desk is room four", "Expired: Ann: hotel is Krone",
            'Expired: Ann said: "the spare key is with Rolf"',
        }  # fmt: skip
        assert (vault / "notes/sale.md").exists()
        app.consolidate(llm="none", mode="propose")
        assert (vault / "notes/sale.md").exists()
        done = app.review.approve(app.review.list())
    assert {outcome.action for outcome in done} == {"approved"}
    assert (vault / "archive/notes/sale.md").exists()
    assert "desk: room four" in (vault / "semantic/people.md").read_text().partition("## History")[2]


def test_what_comes_back_says_that_its_day_is_over_and_gets_another(vault):
    with opened(vault) as app:
        app.consolidate(llm="none")
        back = app.revive("archive/notes/sale")
        assert "its last day was 2026-05-03" in back.notice
        app.edit("notes/sale", {"expires": "2026-06-01"})
    assert (vault / "notes/sale.md").read_text().startswith("---\nexpires: 2026-06-01\n---\n")
    assert "notes/sale" in recalled(vault, "kayak")[0]
    with opened(vault, days=1) as app:
        app.consolidate(llm="none")
    assert (vault / "notes/sale.md").exists()


def test_a_day_that_cannot_be_read_expires_nothing_and_is_reported(vault):
    (vault / "notes/sale.md").write_text("---\nexpires: soon\n---\n# Sale\n\nThe kayak shop has a sale.\n")
    (vault / "semantic/people.md").write_text("# Ann\n- desk: room four [expires:: whenever]\n")
    assert "notes/sale" in recalled(vault, "kayak")[0]
    with opened(vault) as app:
        app.sync()
        problems = [(problem.path, problem.line, problem.message) for problem in app.catalog.problems()]
    assert ("notes/sale.md", 2, "expires: 'soon' is not a date") in problems
    assert ("semantic/people.md", 2, "expires: 'whenever' is not a date") in problems
