"""undo takes away what its commit brought, and nothing that only seems to have come with it."""

from __future__ import annotations

import itertools

import pytest
from gitvault import NOW, git, pen_for, snapshot, vault_of

from memoryclaw.errors import HistoryError, InputError
from memoryclaw.review.undo import undo
from memoryclaw.writing.context import Templates
from memoryclaw.writing.init import init
from memoryclaw.writing.remember import remember


def vault(tmp_path):
    root = vault_of(
        tmp_path / "v", {"semantic/people.md": "# Anna\n- city: Berlin\n", "notes/a.md": "mine\n"}
    )
    remember(pen_for(root), "Bern", entity="Anna", field="city")
    remember(pen_for(root), "Met Zoë")
    return root


def refused(root, name, error):
    """The sentence of an undo that leaves every byte as it was."""
    before = snapshot(root)
    with pytest.raises(error) as caught:
        undo(pen_for(root), name)
    assert snapshot(root) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_last_commit_of_a_shallow_clone_is_not_taken_for_the_first_of_all(tmp_path):
    git(tmp_path, "clone", "-q", "--depth", "1", vault(tmp_path).as_uri(), "clone")
    root = tmp_path / "clone"
    assert "git fetch --unshallow" in refused(root, "HEAD", HistoryError)
    remember(pen_for(root), "Basel", entity="Anna", field="city")
    undo(pen_for(root), "HEAD")  # what came after the clone has its parent here
    assert "- city: Bern " in (root / "semantic/people.md").read_text()
    git(root, "fetch", "-q", "--unshallow")
    assert undo(pen_for(root), "HEAD~2").action == "undone"
    assert (root / "notes/a.md").read_text() == "mine\n"


def test_a_run_that_a_shallow_clone_cuts_is_refused_whole(tmp_path):
    root = vault(tmp_path)
    run = "Run: consolidate-20261121T101500-abcdef"
    for number in range(3):
        (root / f"notes/{number}.md").write_text(f"{number}\n")
        git(root, "add", "-A")
        git(root, "commit", "-qm", f"{number}\n\n{run}")
    git(tmp_path, "clone", "-q", "--depth", "2", root.as_uri(), "clone")
    refused(tmp_path / "clone", run.removeprefix("Run: "), HistoryError)


def test_a_commit_that_a_graft_calls_the_first_takes_no_other_file_away(tmp_path):
    root = vault(tmp_path)
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/grafts").write_text(git(root, "rev-parse", "HEAD"))
    refused(root, "HEAD", HistoryError)


def test_a_file_whose_old_version_is_gone_from_git_is_not_taken_for_a_new_one(tmp_path):
    root = vault(tmp_path)
    was = git(root, "rev-parse", "HEAD~2:semantic/people.md").strip()
    (root / ".git/objects" / was[:2] / was[2:]).unlink()
    assert "semantic/people.md" in refused(root, "HEAD~1", HistoryError)


def test_what_makes_a_folder_a_vault_is_taken_back_only_when_it_is_said_twice(tmp_path):
    root, count = tmp_path / "v", itertools.count(1)
    done = init(str(root), Templates(), NOW, lambda: f"{next(count):06x}", "0" * 32)
    assert "--yes" in refused(root, "HEAD", InputError)
    assert undo(pen_for(root), "HEAD", yes=True).action == "undone"
    assert not (root / "memoryclaw.yaml").exists()
    undo(pen_for(root), "HEAD")
    assert git(root, "diff", done.commit) == ""
    assert "--yes" in refused(root, "HEAD", InputError)  # it would take them away once more
