"""Git is killed while it moves the branch: nothing is torn, no lock stays, and the next change goes through."""

from __future__ import annotations

import os
import signal

import pytest
from git.cmd import Git
from gitkiller import MOMENTS, at_moment, killed_once
from gitvault import NOW, git, users_work, vault_of
from killing import killed_at

from memoryclaw.errors import HistoryError
from memoryclaw.writing.writer import Edit, text_change, write

assert Git  # loaded, so that no child has to


def vault(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "old\n", "mine.md": "1\n"})
    (root / "mine.md").write_text("2\n")
    git(root, "add", "mine.md")
    return root


def change(root, text):
    edit = Edit("a.md", text_change(lambda _: text))
    return write(str(root), [edit], lambda: f"{text}\nRun: r-1\n", verb="test", now=NOW)


def locks(root):
    return [
        path
        for path in (root / ".git").rglob("*")
        if path.name.endswith(".lock") or "memoryclaw" in path.name
    ]


def assert_next_change_goes_through(root, subjects):
    change(root, "next\n")
    assert (root / "a.md").read_text() == "next\n"
    assert git(root, "log", "--format=%s").split() == ["next", *subjects]
    assert users_work(root)[2] == ["M  mine.md"]
    assert locks(root) == []
    assert not (root / ".memoryclaw/pending.json").exists()


@pytest.mark.parametrize("moment", MOMENTS)
def test_git_alone(tmp_path, monkeypatch, moment):
    root = vault(tmp_path)
    killed_once(tmp_path / "bin", at_moment(moment))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    subjects = ["first"]
    if moment == "the branch has moved":
        change(root, "new\n")
        subjects = ["new", "first"]
    else:
        with pytest.raises(HistoryError, match="was killed by signal 9"):
            change(root, "new\n")
        assert (root / "a.md").read_text() == "old\n"
    assert locks(root) == []
    assert_next_change_goes_through(root, subjects)


@pytest.mark.parametrize(("moment", "edited"), [(moment, bool(n % 2)) for n, moment in enumerate(MOMENTS)])
def test_git_and_the_process_that_started_it(tmp_path, monkeypatch, moment, edited):
    root = vault(tmp_path)
    killed_once(tmp_path / "bin", at_moment(moment, with_its_parent=True))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert killed_at(0, lambda _: change(root, "new\n")).code == -signal.SIGKILL
    if edited:  # so that the change cannot be finished any more
        (root / "a.md").write_text("mine\n")
        other = Edit("b.md", text_change(lambda _: "b\n"))
        write(str(root), [other], lambda: "b\n", verb="test", now=NOW)
        assert (root / "a.md").read_text() == "mine\n"
        assert locks(root) == []
    else:
        assert_next_change_goes_through(root, ["new", "first"])


def test_a_lock_of_anothers_keeps_the_change_for_the_next_time(tmp_path, monkeypatch):
    monkeypatch.setattr("memoryclaw.writing.writer.WAIT", 0.1)
    root = vault(tmp_path)
    killed_once(tmp_path / "bin", at_moment("nothing is locked", with_its_parent=True))
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
        assert killed_at(0, lambda _: change(root, "new\n")).code == -signal.SIGKILL
    lock = root / ".git/refs/heads/main.lock"
    lock.write_text(f"{'1' * 40}\n")
    with pytest.raises(HistoryError, match=r"nothing was written: .*main\.lock"):
        change(root, "next\n")
    assert (root / "a.md").read_text() == "new\n"
    assert lock.exists()
    lock.unlink()
    assert_next_change_goes_through(root, ["new", "first"])
