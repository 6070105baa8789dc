"""Laws 1 to 3 of `migrate` under kill -9: killed at any of its writes and run again it leaves what an undisturbed one leaves."""

from __future__ import annotations

import shutil
import signal

import pytest
from git.cmd import Git
from gitvault import branches_of, files_below, git, own_lines, pen_for, vault_of
from indexed import kept, rebuilt
from killing import killed_at, points_of

from memoryclaw.writing.migration import migrate

assert Git  # loaded, so that no child has to
FILES = {
    "memoryclaw.yaml": "retrieval:\n  budget: 400\n# end",
    "skills/send.json": '{"name": "send", "description": "Sends a letter by the post.", "steps": [{"tool": "post"}]}',
    "semantic/people.md": "# Anna\n- city: Bern\n",
    "staged.md": "old\n",
}


def prepared(root):
    """A vault of format 1 in which the user has unsaved, staged and untracked work."""
    vault_of(root, FILES)
    (root / "memoryclaw.yaml").write_text(FILES["memoryclaw.yaml"].replace("400", "500"))
    (root / "staged.md").write_text("staged\n")
    git(root, "add", "staged.md")
    (root / "untracked.md").write_text("mine\n")
    return root


def child(root, at):
    return killed_at(at, lambda _: migrate(pen_for(root), 1)).code


def state(root):
    """The user's files, what every branch holds, and what git shows as the user's own work."""
    files = files_below(root)
    return files, branches_of(root), own_lines(root, files)


@pytest.mark.laws
def test_killed_at_any_write_and_run_again_it_leaves_the_undisturbed_tree(tmp_path):
    start = prepared(tmp_path / "start")
    whole = shutil.copytree(start, tmp_path / "whole")
    points = points_of(whole, lambda: migrate(pen_for(whole), 1))
    wanted = state(whole)
    assert wanted != state(start)
    assert wanted[2] == state(start)[2]
    assert len(points) > 5
    for at in points:
        root = shutil.copytree(start, tmp_path / str(at))
        index = kept(root)
        index.sync.run()
        ended = child(root, at)
        assert ended in (0, -signal.SIGKILL)
        index.sync.run()
        assert child(root, 0) == 0
        assert state(root) == wanted, at
        assert git(root, "fsck", "--strict", "--no-dangling") == ""
        index.sync.run()
        assert index.mark() == rebuilt(root)
        index.close()
        shutil.rmtree(root)
