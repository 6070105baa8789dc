"""A vault that is kept in a larger repository: its commits stand there, and nothing else of that repository is touched or told."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Claw, git, put


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with work of the user's: committed, staged, and not staged."""
    put(
        tmp_path,
        {
            "src/app.py": "print(1)\n",
            "README.md": "# App\n",
            "notes/memory/garden.md": "The garden needs turnips.\n",
        },
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "src", "README.md")
    git(tmp_path, "commit", "-qm", "The app")
    put(tmp_path, {"src/app.py": "print(2)\n", "src/new.py": "print(3)\n", "README.md": "# The app\n"})
    git(tmp_path, "add", "src")
    return tmp_path


def _vault(project: Path) -> Claw:
    vault = project / "notes" / "memory"
    done = Claw()("init", vault, "--use-repository", "--commit")
    assert done.code == 0, done.err
    return Claw(vault)


def test_it_commits_there_and_leaves_the_users_work_alone(project: Path) -> None:
    status, readme = (
        git(project, "status", "--porcelain", "src", "README.md"),
        (project / "README.md").read_bytes(),
    )
    claw = _vault(project)
    assert not (project / "notes/memory/.git").exists()
    assert claw("remember", "oolong", "--entity", "Nora", "--field", "tea").code == 0
    assert claw("remember", "Nora drinks sencha now").code == 0
    assert git(project, "status", "--porcelain", "src", "README.md") == status
    assert (project / "README.md").read_bytes() == readme
    changed = git(
        project,
        "log",
        "--format=",
        "--name-only",
        "HEAD",
        "--not",
        git(project, "rev-list", "--max-parents=0", "HEAD").strip(),
    )
    assert {line.partition("/m")[0] for line in changed.split()} == {"notes"}
    assert "garden.md" in changed
    assert git(project, "status", "--porcelain", "notes") == ""
    assert "kept in the repository" not in claw("check").out


def test_what_was_done_is_told_and_undone_as_in_a_repository_of_its_own(project: Path) -> None:
    claw = _vault(project)
    claw("remember", "oolong", "--entity", "Nora", "--field", "tea")
    people = next((project / "notes/memory/semantic").rglob("*.md"))
    put(project, {"src/app.py": "print(4)\n", "notes/memory/garden.md": "The garden needs leeks.\n"})
    git(project, "commit", "-qam", "Both at once")
    history = claw("history", "--json").json["commits"]
    assert "The app" not in {commit["subject"] for commit in history}
    (both,) = (commit for commit in history if commit["subject"] == "Both at once")
    assert both["files"] == ["garden.md"]
    assert "was not made by MemoryClaw" in claw("undo", both["commit"]).err
    assert "oolong" in claw("history", people.relative_to(project / "notes/memory")).out
    (fact,) = claw("facts", "Nora", "--json").json["facts"]
    assert "oolong" in claw("blame", fact["id"]).out
    assert len(claw("facts", "Nora", "--believed-at", "HEAD", "--json").json["facts"]) == 1
    run = next(
        commit for commit in claw("history", "--json").json["commits"] if "oolong" in commit["subject"]
    )
    assert claw("undo", run["commit"]).code == 0
    assert "oolong" not in claw("search", "oolong").out.replace("for oolong", "")
    assert git(project, "fsck", "--strict", "--no-dangling") == ""


def test_what_would_touch_the_rest_of_the_repository_is_refused(project: Path) -> None:
    claw = _vault(project)
    claw("remember", "oolong", "--entity", "Nora", "--field", "tea")
    head = git(project, "rev-parse", "HEAD")
    git(project, "remote", "add", "origin", project / "nowhere.git")
    assert "pull and push that with git itself" in claw("sync", "--with-git").err
    assert "holds more than" in claw("lint", "--install-hook").err
    assert (
        "nothing was erased" in claw("forget", "--purge", "--since", "2020-01-01", "--history", "--yes").err
    )
    assert git(project, "rev-parse", "HEAD") == head


def test_nothing_of_a_parent_counts_that_does_not_name_the_vault(project: Path) -> None:
    other = project / "other"
    put(other, {"a.md": "A pear.\n"})
    assert Claw()("init", other, "--yes").code == 0
    assert (other / ".git").is_dir()
    assert Claw()("init", other, "--use-repository").code != 0
    outside = project.parent / "outside"
    assert "lies in no git repository" in Claw()("init", outside, "--use-repository").err
    vault = _vault(project).vault
    assert vault
    assert "already" in Claw()("init", vault, "--own-repository").err


def test_of_what_the_larger_repository_ignores_only_the_notes_of_the_vault_are_asked_about(
    project: Path,
) -> None:
    put(
        project,
        {
            ".gitignore": "drafts/\n",
            "drafts/x.md": "X\n",
            "notes/memory/drafts/a.md": "The plan is turnips.\n",
        },
    )
    (item,) = _vault(project)("review", "--json").json["waiting"]
    assert "(drafts/)" in item["what"]
