"""Law 1 to 3 where git is killed: at every call of its `update-ref` that touches a file, alone or with the writer.

Needs strace; `tests/history/test_git_killed.py` plays the same moments without.
"""

from __future__ import annotations

import os
import shutil
import signal

import pytest
from git.cmd import Git
from gitkiller import at_call, killed_once
from gitvault import NOW, git, users_work, vault_of
from killing import killed_at

from memoryclaw.errors import HistoryError
from memoryclaw.writing.writer import Edit, text_change, write

assert Git  # loaded, so that no child has to
pytestmark = [
    pytest.mark.laws,
    pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed"),
]


def change(root, text):
    edit = Edit("a.md", text_change(lambda _: text))
    return write(str(root), [edit], lambda: f"{text}\nRun: r-1\n", verb="test", now=NOW)


@pytest.mark.parametrize("together", [False, True])
def test_killed_at_any_call_of_git_the_change_is_made_or_not_and_the_next_goes_through(
    tmp_path, monkeypatch, together
):
    start = vault_of(tmp_path / "start", {"a.md": "old\n", "mine.md": "1\n"})
    (start / "mine.md").write_text("2\n")
    git(start, "add", "mine.md")
    work, path, locked = users_work(start), os.environ["PATH"], 0
    for at in range(1, 1000):
        root = shutil.copytree(start, tmp_path / str(at))
        folder = tmp_path / f"bin{at}"
        killed_once(folder, at_call(at, folder / "mark", with_its_parent=together))
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{path}")
        code = killed_at(0, lambda _: attempt(root)).code  # noqa: B023 - it is over when this returns
        monkeypatch.setenv("PATH", path)
        if not (folder / "mark").read_text():
            break
        assert code == (-signal.SIGKILL if together else 0)
        locked += bool(locks(root))
        change(root, "next\n")
        assert git(root, "log", "--format=%s").split() in (["next", "first"], ["next", "new", "first"])
        assert users_work(root) == work
        assert locks(root) == []
        assert git(root, "fsck", "--strict", "--no-dangling") == ""
        shutil.rmtree(root)
    assert at > 20
    assert bool(locked) == together  # a writer that lives on tidies up at once


def attempt(root):
    """Makes a change that may fail since git is killed."""
    try:
        change(root, "new\n")
    except HistoryError as error:
        assert "killed" in str(error)  # noqa: PT017


def locks(root):
    return list((root / ".git").rglob("*.lock"))
