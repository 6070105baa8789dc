"""The first line of `consolidate` and `redo` is true in every mode: what is done is told apart from what waits."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Claw, put
from gitvault import git, vault_of
from nights import LOGS, NIGHT, VAULT


@pytest.fixture
def evening(tmp_path: Path) -> Claw:
    """A vault with logs that nobody has read yet."""
    root = vault_of(tmp_path / "vault", VAULT)
    put(root, LOGS)
    return Claw(root, MEMORYCLAW_NOW=NIGHT.isoformat())


def first_line(claw: Claw, *words: str) -> str:
    ran = claw(*words, "--llm", "none")
    assert ran.code == 0, ran
    return ran.out.splitlines()[0]


def test_in_direct_mode_it_says_what_was_done(evening: Claw) -> None:
    said = first_line(evening, "consolidate")
    root = evening.vault
    episodes = len(list(root.glob("episodes/*.md")))
    assert f" read: {episodes} episodes, 2 new facts, 3 new statements, " in said
    assert "proposal" not in said
    assert "branch" not in said


def test_in_propose_mode_nothing_is_told_as_done(evening: Claw) -> None:
    said = first_line(evening, "consolidate", "--mode", "propose")
    root = evening.vault
    assert not list(root.glob("episodes/*.md"))
    assert f" {len(list(root.glob('review/*.md')))} proposals waiting in review/." in said
    assert "episode" not in said
    assert "fact" not in said


def test_a_dry_run_says_that_they_would_wait(evening: Claw) -> None:
    before = git(evening.vault, "rev-parse", "HEAD")
    assert "would wait in review/." in first_line(evening, "consolidate", "--dry-run", "--mode", "propose")
    assert not list(evening.vault.glob("review/*.md"))
    assert git(evening.vault, "rev-parse", "HEAD") == before


def test_on_a_branch_it_names_the_branch_and_review_says_why_it_waits(evening: Claw) -> None:
    said = first_line(evening, "consolidate", "--mode", "branch")
    root = evening.vault
    branch = git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads/memoryclaw").strip()
    assert said.endswith(f", all on a branch {branch}.")
    assert "consolidation.mode is `branch`" in evening("review", "--json").out
    assert evening("review", "approve", branch.rpartition("/")[2]).code == 0


def test_a_redo_waits_because_logs_were_read_again(evening: Claw) -> None:
    first_line(evening, "consolidate")
    root = evening.vault
    episode = min(root.glob("episodes/*.md"))
    path, made = episode.relative_to(root).as_posix(), episode.read_text()
    git(root, "rm", "-q", "--cached", path)
    episode.write_text(made.replace("## ", "# ") + "an older tool wrote this line\n")
    git(root, "add", path)
    git(root, "commit", "-qm", "old", "-m", "Run: consolidate-20260101T000000-abcdef")
    assert "all on a branch memoryclaw/redo-" in first_line(evening, "redo", "--since", "2026-04-01")
    why = evening("review", "--json").out
    assert "these logs were read again" in why
    assert "consolidation.mode" not in why
