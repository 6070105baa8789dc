"""`init`, `remember`, `edit`, `forget`, `revive` and `undo` as commands, in a vault with git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import Claw, git

DEADLINE = "semantic/projects#Boathouse.deadline"


@pytest.fixture
def kept(asked: Claw) -> Claw:
    """The vault with one of everything, committed by its owner."""
    asked("init", asked.vault)
    git(asked.vault, "add", "-A")
    git(asked.vault, "commit", "-qm", "mine")
    return asked


def subjects(vault: Path) -> list[str]:
    return git(vault, "log", "--format=%s").splitlines()


def test_init_makes_a_private_vault_with_one_commit(claw: Claw, tmp_path: Path) -> None:
    vault = tmp_path / "new"
    ran = claw("init", vault)
    assert ran.code == 0
    assert (vault / "memoryclaw.yaml").exists()
    assert vault.stat().st_mode & 0o777 == 0o700
    assert len(subjects(vault)) == 1
    assert git(vault, "status", "--porcelain") == ""
    assert claw("init", vault, "--json").json["action"] == "confirmed"
    assert claw("init", "--vault", tmp_path / "named").code == 0
    assert (tmp_path / "named/memoryclaw.yaml").exists()
    assert Claw(tmp_path / "from-environment")("init").code == 0
    assert (tmp_path / "from-environment/memoryclaw.yaml").exists()


def test_init_in_an_impossible_place_is_a_sentence(claw: Claw, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "file/below", Path("/proc/nowhere")):
        ran = claw("init", place)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.count("\n") == 1


def test_remember_writes_an_episode_that_is_found_at_once(kept: Claw) -> None:
    done = kept("remember", "Nora", "wants", "receipts", "--tag", "money", "--json").json
    assert (kept.vault / done["path"]).exists()
    assert git(kept.vault, "show", "--name-only", "--format=", done["commit"]).split() == [done["path"]]
    assert kept("search", "receipts tag:money", "--json").json["matches"][0]["id"] == done["id"]
    done = kept("remember", "-", "--json", stdin="Minutes\n\nThe quay is wet.\n").json
    assert "The quay is wet." in (kept.vault / done["path"]).read_text()


def test_remember_supersedes_a_fact_and_keeps_its_history(kept: Claw) -> None:
    done = kept("remember", "2027-01-31", "--entity", "Boathouse", "--field", "deadline", "--json").json
    assert done["action"] == "superseded"
    assert kept("facts", "Boathouse", "--json").json["facts"][0]["value"] == "2027-01-31"
    assert "2026-12-11" in [
        fact["value"] for fact in kept("facts", "Boathouse", "--history", "--json").json["facts"]
    ]


def test_with_an_entity_alone_what_is_remembered_is_a_statement(kept: Claw) -> None:
    done = kept("remember", "the piles", "come in May", "--entity", "boathouse", "--json").json
    assert done["action"] == "added"
    assert kept("show", done["id"]).out == '- "the piles come in May" [said:: 2026-04-20]\n'
    assert kept("undo", done["commit"]).code == 0
    assert kept("show", done["id"]).code == 1


def test_edit_changes_one_line_and_commits_it_alone(kept: Claw) -> None:
    (kept.vault / "notes/moon.md").write_text("# Moon\n\nmy unfinished work\n")
    ran = kept("edit", DEADLINE, "--set", "value=2027-02-01")
    assert ran.code == 0
    assert ran.out.startswith(f"corrected: {DEADLINE} (semantic/projects.md, commit ")
    assert git(kept.vault, "diff", "--numstat", "HEAD~1", "HEAD").split() == [
        "1",
        "1",
        "semantic/projects.md",
    ]
    assert git(kept.vault, "status", "--porcelain").split() == ["M", "notes/moon.md"]
    assert kept("edit", "ep-wind", "--set", "pin=true", "--set", "summary=Wind: a = b").code == 0
    text = (kept.vault / "episodes/2025-09-04_15-40-00_wind-plan.md").read_text()
    assert ("pin: true\n" in text, "Wind: a = b" in text) == (True, True)


@pytest.mark.parametrize("id_", ["ep-wind", DEADLINE])
def test_what_is_forgotten_is_revived_byte_for_byte(kept: Claw, id_: str) -> None:
    before = git(kept.vault, "ls-tree", "-r", "HEAD")
    done = kept("forget", id_, "--json").json
    assert done["path"].startswith("archive/")
    assert id_ not in [
        match["id"] for match in kept("search", "wind plan boathouse deadline", "--json").json["matches"]
    ]
    assert kept("revive", done["id"]).code == 0
    assert git(kept.vault, "ls-tree", "-r", "HEAD") == before


def test_a_line_of_a_log_is_forgotten_and_its_file_stays(kept: Claw) -> None:
    log = kept.vault / "logs/2025-10-21/kanazawa.jsonl"
    before = log.read_bytes()
    assert kept("forget", "log:kanazawa/1").code == 0
    assert log.read_bytes() == before
    assert "log:kanazawa/1" not in kept("search", "dowels").out
    assert kept("revive", "log:kanazawa/1").code == 0
    assert "log:kanazawa/1" in kept("search", "dowels").out


def test_trust_asks_first_and_quarantine_takes_out_of_every_answer(kept: Claw) -> None:
    before = git(kept.vault, "rev-parse", "HEAD")
    refused = kept("trust", "ep-wind")
    assert (refused.code, git(kept.vault, "rev-parse", "HEAD")) == (2, before)
    assert "give --yes" in refused.err
    assert kept("quarantine", "ep-wind", "--json").json["action"] == "edited"
    for verb in ("search", "recall"):
        assert "ep-wind" not in [match["id"] for match in kept(verb, "wind plan", "--json").json["matches"]]
    assert kept("trust", "ep-wind", "--yes").code == 0
    assert "ep-wind" in [match["id"] for match in kept("recall", "wind plan", "--json").json["matches"]]


def test_undo_takes_back_one_change_by_commit_and_by_run(kept: Claw) -> None:
    for number, name in enumerate(("commit", "run")):
        done = kept("edit", DEADLINE, "--set", f"value=203{number}-01-01", "--json").json
        run = git(kept.vault, "log", "-1", "--format=%(trailers:key=Run,valueonly)", done["commit"]).strip()
        undone = kept("undo", done["commit"][:8] if name == "commit" else run)
        assert undone.code == 0
        assert kept("facts", "Boathouse", "--json").json["facts"][0]["value"] == "2026-12-11"
        again = kept("undo", done["commit"])
        assert again.code == 1
        assert "already" in again.err


def test_what_the_user_committed_is_not_undone(kept: Claw) -> None:
    ran = kept("undo", git(kept.vault, "rev-parse", "HEAD").strip())
    assert ran.code == 1
    assert "git revert" in ran.err


def test_the_start_of_a_vault_is_undone_only_with_yes(claw: Claw, tmp_path: Path) -> None:
    assert claw("init", str(tmp_path / "new")).code == 0
    new = Claw(tmp_path / "new")
    refused = new("undo", "HEAD")
    assert refused.code == 1
    assert "--yes" in refused.err
    assert new("undo", "HEAD", "--yes").code == 0


def test_without_git_nothing_is_overwritten_and_what_adds_says_that_it_cannot_be_undone(asked: Claw) -> None:
    before = (asked.vault / "semantic/projects.md").read_bytes()
    ran = asked("edit", DEADLINE, "--set", "value=2027-02-01")
    assert (ran.code, "memoryclaw init --commit" in ran.err) == (1, True)
    assert (asked.vault / "semantic/projects.md").read_bytes() == before
    ran = asked("remember", "larch", "--entity", "Boathouse", "--field", "cladding")
    assert (ran.code, "undone" in ran.err) == (0, True)


def test_a_vault_that_cannot_be_written_loses_nothing(kept: Claw) -> None:
    before = git(kept.vault, "rev-parse", "HEAD")
    limited = "ulimit -f 0; exec \"$0\" edit 'semantic/projects#Boathouse.deadline' --set value=2030-01-01"
    from conftest import COMMAND  # noqa: PLC0415

    done = subprocess.run(
        ["bash", "-c", limited, COMMAND], env=kept.environment(), capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert git(kept.vault, "rev-parse", "HEAD") == before
    assert git(kept.vault, "status", "--porcelain") == ""
    assert kept("facts", "Boathouse", "--json").json["facts"][0]["value"] == "2026-12-11"
