"""The user's git index never stays behind a commit of ours: a plain `git commit` of theirs takes nothing back."""

from __future__ import annotations

import errno
import os
import resource
import signal
from contextlib import contextmanager

import pytest
from git.cmd import Git
from gitvault import NOW, git, snapshot, users_work, vault_of
from killing import killed_at

from memoryclaw.history.git import git_state
from memoryclaw.history.repository import History
from memoryclaw.writing.writer import Edit, text_change, write

assert Git  # loaded, so that no child has to


@contextmanager
def no_room_beyond(size):
    """No file can grow beyond this size, as on a disk that is full."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


def vault(tmp_path):
    """A vault whose index is by far the largest file that a write makes, with staged work of the user's."""
    many = {f"{a}/{b}/{c}.md": f"{a}{b}{c}\n" for a in range(6) for b in range(6) for c in range(6)}
    root = vault_of(tmp_path / "v", {"a.md": "old\n", "mine.md": "1\n", **many})
    (root / "mine.md").write_text("2\n")
    git(root, "add", "mine.md")
    return root


def change(root, text, path="a.md"):
    edit = Edit(path, text_change(lambda _: text))
    return write(str(root), [edit], lambda: f"{text}\nRun: r-1\n", verb="test", now=NOW)


def test_a_disk_too_full_for_the_index_takes_no_part_of_the_change(tmp_path):
    root = vault(tmp_path)
    before, size = snapshot(root), (root / ".git/index").stat().st_size
    with no_room_beyond(size - 1000), pytest.raises(OSError, match="too large"):
        change(root, "new\n")
    assert snapshot(root) == before
    assert users_work(root)[2] == ["M  mine.md"]
    change(root, "new\n")
    git(root, "commit", "-qm", "the user's own")
    assert git(root, "show", "--format=", "--name-only", "HEAD") == "mine.md\n"
    assert git(root, "show", "HEAD:a.md") == "new\n"


def test_an_index_that_could_not_be_put_in_place_is_brought_up_by_the_next_change(tmp_path, monkeypatch):
    root, real = vault(tmp_path), os.rename

    def full(source, target, **where):
        if str(target).endswith("/index"):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(source, target, **where)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", full)
        with pytest.raises(OSError, match="No space"):
            change(root, "new\n")
    assert (root / "a.md").read_text() == git(root, "show", "HEAD:a.md") == "new\n"
    (root / "a.md").write_text("new\nand mine\n")  # meanwhile
    change(root, "b\n", "b.md")
    assert users_work(root)[2] == [" M a.md", "M  mine.md"]
    assert git(root, "log", "--format=%s").split() == ["b", "new", "first"]


def killed_before_the_index(root):
    """A change whose writer is killed when the branch has moved and the index has not."""
    real = History.move

    def work(_):
        def move(*args):
            real(*args)
            os.kill(os.getpid(), signal.SIGKILL)

        History.move = move
        change(root, "new\n")

    assert killed_at(0, work).code == -signal.SIGKILL
    assert git(root, "show", "HEAD:a.md") == "new\n"


def test_a_lock_of_the_index_that_a_killed_writer_left_is_known_as_ours(tmp_path):
    root = vault(tmp_path)
    killed_before_the_index(root)
    assert "MemoryClaw's own" in git_state(str(root)).sentence
    (root / ".memoryclaw/pending.json").unlink()  # what is in this folder may be thrown away
    change(root, "b\n", "b.md")
    assert git(root, "log", "--format=%s").split() == ["b", "new", "first"]
    assert not list((root / ".git").rglob("*.lock"))


@pytest.mark.laws
def test_after_a_kill_what_the_user_staged_or_committed_since_is_theirs(tmp_path):
    for case in ("edited", "staged", "committed"):
        root = vault(tmp_path / case)
        killed_before_the_index(root)
        (root / ".git/index.lock").unlink(missing_ok=True)  # as the user does who is told to
        (root / "a.md").write_text("mine\n")
        if case == "staged":
            git(root, "add", "a.md")
        if case == "committed":
            git(root, "commit", "-qm", "user")  # with the index as it is
        staged = git(root, "show", ":a.md")
        change(root, "b\n", "b.md")
        assert (root / "a.md").read_text() == "mine\n"
        assert git(root, "show", ":a.md") == ("new\n" if case == "edited" else staged), case
        assert git(root, "log", "--format=%s").split()[-2:] == ["new", "first"]
