"""Several changes that land together: a commit each, every one made on what the one before left."""

from __future__ import annotations

import os
import stat

import pytest
from gitvault import NOW, git, snapshot, users_work, vault_of

from memoryclaw.errors import ConflictError, InputError
from memoryclaw.vault import files
from memoryclaw.writing.writer import Edit, Move, PendingCommit, new_file, text_change, writing

LINES = "".join(f"line {i}\n" for i in range(20))


@pytest.fixture
def root(tmp_path):
    return vault_of(tmp_path / "v", {"a.md": LINES, "b.md": "b\n"})


def item(name, *changes):
    return PendingCommit(changes, lambda: f"{name}\n\nRun: {name}\n")


def edit(path, old, new):
    def change(text):
        if old not in text:
            raise InputError(f"{old!r} is not there")
        return text.replace(old, new)

    return Edit(path, text_change(change))


def new(path, text):
    return Edit(path, lambda _: text.encode())


def write_all(root, *items):
    with writing(str(root)) as writer:
        return writer.write_all(items, verb="test", now=NOW)


def subjects(root):
    return git(root, "log", "--reverse", "--format=%s").split()[1:]


def test_each_change_is_a_commit_on_top_of_the_one_before(root):
    done, refused = write_all(
        root,
        item("one", edit("a.md", "line 3\n", "first\n"), new("sub/c.md", "c\n")),
        item("two", edit("a.md", "first\n", "second\n"), edit("sub/c.md", "c", "d")),
        item("three", Move("sub/c.md", "sub/e.md")),
    )
    assert refused is None
    assert [outcome.commit for outcome in done] == git(root, "rev-list", "--reverse", "HEAD").split()[1:]
    assert subjects(root) == ["one", "two", "three"]
    assert git(root, "show", "HEAD~2:a.md") == LINES.replace("line 3\n", "first\n")
    assert git(root, "show", "HEAD~1:sub/c.md") == "d\n"
    assert git(root, "ls-tree", "-r", "--name-only", "HEAD", "sub") == "sub/e.md\n"
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "fsck", "--strict", "--full", "--no-dangling") == ""


def test_the_first_that_cannot_be_made_ends_the_batch_and_what_came_before_it_stays(root):
    done, refused = write_all(
        root,
        item("one", edit("a.md", "line 3\n", "ours\n")),
        item("two", edit("a.md", "nowhere", "x"), edit("b.md", "b", "c")),
        item("three", edit("b.md", "b", "d")),
    )
    assert [outcome.changed for outcome in done] == [True]
    assert isinstance(refused, InputError)
    assert subjects(root) == ["one"]
    assert (root / "b.md").read_text() == "b\n"
    done, refused = write_all(root, item("four", new("../x", "x")))
    assert (done, str(refused)[:6]) == ([], "'../x'")


def test_work_of_the_users_is_in_none_of_the_commits(root):
    (root / "a.md").write_text(LINES.replace("line 9\n", "mine 9\n"))
    git(root, "add", "a.md")
    (root / "a.md").write_text(LINES.replace("line 9\n", "mine 9\n").replace("line 15\n", "mine 15\n"))
    before = users_work(root)
    done, refused = write_all(
        root,
        item("one", edit("a.md", "line 3\n", "one\n")),
        item("two", edit("a.md", "one\n", "two\n")),
        item("three", edit("a.md", "mine 15\n", "ours\n")),
    )
    assert [outcome.changed for outcome in done] == [True, True]
    assert isinstance(refused, ConflictError)
    assert users_work(root) == before
    assert "mine" not in git(root, "log", "-p", "-2")


def test_what_is_made_and_unmade_leaves_the_file_as_it_was(root):
    done, _ = write_all(
        root,
        item("one", edit("b.md", "b", "c"), new("x.md", "x")),
        item("two", edit("b.md", "c", "b"), Edit("x.md", lambda _: None)),
    )
    assert [outcome.changed for outcome in done] == [True, True]
    assert git(root, "status", "--porcelain") == ""
    assert not list(root.glob(".*.tmp"))
    assert not (root / "x.md").exists()


def test_a_landing_that_fails_leaves_every_file_as_it_was(root, monkeypatch):
    before = snapshot(root)
    real = files.place

    def place(where, path, temp, expected, **options):
        if path == "b.md":
            raise OSError(28, "No space left on device")
        real(where, path, temp, expected, **options)

    monkeypatch.setattr(files, "place", place)
    with pytest.raises(OSError, match="No space"):
        write_all(root, item("one", edit("a.md", "line 3\n", "x\n")), item("two", edit("b.md", "b", "c")))
    assert snapshot(root) == before


def test_a_file_that_the_user_saves_meanwhile_is_worked_out_again(root, monkeypatch):
    real, done = files.place, []

    def place(where, path, temp, expected, **options):
        if not done:
            done.append((root / "a.md").write_text(LINES + "mine\n"))
        real(where, path, temp, expected, **options)

    monkeypatch.setattr(files, "place", place)
    write_all(root, item("one", edit("a.md", "line 3\n", "one\n")), item("two", edit("b.md", "b", "c")))
    assert (root / "a.md").read_text() == LINES.replace("line 3\n", "one\n") + "mine\n"
    assert subjects(root) == ["one", "two"]
    assert [line for line in git(root, "diff", "-U0").splitlines() if line[:1] in "+-"][2:] == ["+mine"]


def test_the_disk_is_waited_for_once_for_all_names_of_a_folder(root, monkeypatch):
    """Once for the journal, once for each file, and once for the folder that got the names."""
    waits, real = [], os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (waits.append(stat.S_ISDIR(os.fstat(handle).st_mode)), real(handle))
    )
    items = [item(f"n{n}", new_file(f"notes{n}.md", "new\n")) for n in range(3)]
    write_all(root, *items)
    assert (waits.count(True), waits.count(False)) == (1, 4)
