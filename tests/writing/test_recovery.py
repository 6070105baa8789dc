from __future__ import annotations

import os

import pytest
from gitvault import NOW, git, users_work, vault_of

from memoryclaw.history import journal
from memoryclaw.vault import files
from memoryclaw.writing import writer
from memoryclaw.writing.writer import Edit, recover, text_change, write


class Killed(BaseException):
    """Stops a writer where it stands, as a kill would: nothing of it is tidied up."""


def cut_short(root, monkeypatch, where):
    """A change of a.md and b.md that dies just before the step `where`."""

    def die(*_args, **_options):
        raise Killed

    edits = [Edit(path, text_change(lambda text: text.replace("old", "new"))) for path in ("a.md", "b.md")]
    with monkeypatch.context() as patch:
        if where == "publish":
            patch.setattr(writer, "publish", die)
        else:
            real, count = files.place, iter(range(9))
            patch.setattr(files, "place", lambda *a, **k: real(*a, **k) if next(count) < where else die())
        with pytest.raises(Killed):
            write(str(root), edits, lambda: "Both\n\nRun: r-1\n", verb="test", now=NOW)


def vault(tmp_path):
    return vault_of(tmp_path / "v", {"a.md": "old\n1\n2\n", "b.md": "old\n"})


def texts(root):
    return [(root / name).read_text() for name in ("a.md", "b.md")]


def nothing_left(root):
    return not list(root.glob(".*.tmp")) and not (root / journal.PATH).exists()


def test_a_change_with_no_file_renamed_is_dropped(tmp_path, monkeypatch):
    root = vault(tmp_path)
    cut_short(root, monkeypatch, 0)
    assert recover(str(root)) == ""
    assert texts(root) == ["old\n1\n2\n", "old\n"]
    assert git(root, "rev-list", "--count", "HEAD") == "1\n"
    assert nothing_left(root)


@pytest.mark.parametrize("where", [1, "publish"])
def test_a_change_with_a_file_renamed_is_finished_once(tmp_path, monkeypatch, where):
    root = vault(tmp_path)
    cut_short(root, monkeypatch, where)
    assert recover(str(root)) == recover(str(root)) == ""
    assert texts(root) == ["new\n1\n2\n", "new\n"]
    assert git(root, "log", "--format=%s") == "Both\nfirst\n"
    assert users_work(root) == [[], [], []]
    assert nothing_left(root)


def test_what_a_person_wrote_meanwhile_is_never_overwritten(tmp_path, monkeypatch):
    root = vault(tmp_path)
    cut_short(root, monkeypatch, 1)
    (root / "b.md").write_text("mine\n")
    assert "a.md and b.md was cut short" in recover(str(root))
    assert texts(root) == ["new\n1\n2\n", "mine\n"]
    assert git(root, "rev-list", "--count", "HEAD") == "1\n"
    assert nothing_left(root)


@pytest.mark.parametrize("state", ["committed", "switched", "detached", "no git"])
def test_where_the_branch_has_moved_on_the_change_stays_in_the_files(tmp_path, monkeypatch, state):
    root = vault(tmp_path)
    cut_short(root, monkeypatch, "publish")
    if state == "committed":
        git(root, "commit", "--allow-empty", "-qm", "mine")
    elif state == "switched":
        git(root, "checkout", "-q", "-b", "other")
    elif state == "detached":
        git(root, "checkout", "-q", "--detach")
    else:
        os.rename(root / ".git", tmp_path / "gone")
    assert "in the files but not committed" in recover(str(root))
    assert texts(root) == ["new\n1\n2\n", "new\n"]
    assert nothing_left(root)


@pytest.mark.parametrize("moment", ["refuse_while_locked", "_can_publish"])
def test_a_git_that_outlives_its_writer_and_moves_the_branch_meanwhile_is_followed(
    tmp_path, monkeypatch, moment
):
    root = vault(tmp_path)
    cut_short(root, monkeypatch, "publish")
    pending, real = journal.load(str(root)), getattr(writer, moment)

    def late(*args):
        if moment == "_can_publish":  # it looks, and then the other git is first
            can = real(*args)
            git(root, "update-ref", pending.ref, pending.commit)
            return can
        if git(root, "rev-parse", "HEAD").strip() == pending.parent:
            git(root, "update-ref", pending.ref, pending.commit, pending.parent)
        return real(*args)

    monkeypatch.setattr(writer, moment, late)
    assert recover(str(root)) == ""
    assert texts(root) == ["new\n1\n2\n", "new\n"]
    assert git(root, "log", "--format=%s") == "Both\nfirst\n"
    assert users_work(root) == [[], [], []]
    assert nothing_left(root)


def test_half_a_journal_is_as_good_as_none(tmp_path):
    root = vault(tmp_path)
    (root / ".memoryclaw").mkdir()
    (root / journal.PATH).write_text('["test", [["a.m')
    assert recover(str(root)) == ""
    assert nothing_left(root)


def test_the_next_writer_finishes_what_was_cut_short_before_it_begins(tmp_path, monkeypatch):
    root = vault(tmp_path)
    cut_short(root, monkeypatch, "publish")
    write(
        str(root),
        [Edit("a.md", text_change(lambda text: text + "more\n"))],
        lambda: "More\n",
        verb="test",
        now=NOW,
    )
    assert git(root, "log", "--format=%s") == "More\nBoth\nfirst\n"
    assert users_work(root) == [[], [], []]


def test_a_commit_that_came_in_between_is_built_upon(tmp_path, monkeypatch):
    root, done = vault(tmp_path), []
    real = files.place

    def place_and_commit(*args, **options):
        real(*args, **options)
        if not done:
            done.append(git(root, "commit", "--allow-empty", "-qm", "mine"))

    monkeypatch.setattr(files, "place", place_and_commit)
    outcome = write(
        str(root), [Edit("a.md", text_change(lambda _: "new\n"))], lambda: "Ours\n", verb="test", now=NOW
    )
    assert git(root, "log", "--format=%s") == "Ours\nmine\nfirst\n"
    assert git(root, "rev-parse", "HEAD").strip() == outcome.commit
    assert users_work(root) == [[], [], []]
