"""What threads write while another writes lands together: a commit each, and whatever goes wrong with one is its own."""

from __future__ import annotations

import json
import shutil
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from git.cmd import Git
from gitvault import NOW, git, pen_for, vault_of
from indexed import until
from killing import killed_at

from memoryclaw.consolidation.understood import claim
from memoryclaw.errors import ConflictError, HistoryError, InputError, LockedError
from memoryclaw.vault.files import writer_lock
from memoryclaw.writing import writer
from memoryclaw.writing.remember import remember
from memoryclaw.writing.writer import Edit, new_file, recover, text_change, write

assert Git  # loaded, so that no child has to
FILES = {"a.md": "one\ntwo\nthree\n", "b.md": "b\n"}


@pytest.fixture
def root(tmp_path):
    return vault_of(tmp_path / "v", FILES)


def change(root, *edits, name="ours"):
    return write(str(root), edits, lambda: f"{name}\n", verb="test", now=NOW)


def together(root, *works):
    """What becomes of works that all wait while this thread has the lock: what they return, or raise."""
    queue = writer._queue(str(root))

    def outcome(work):
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            return error

    with ThreadPoolExecutor(len(works)) as pool:
        with writer_lock(str(root)):
            futures = [pool.submit(outcome, work) for work in works]
            until(lambda: len(queue._waiting) == len(works))
        return [future.result() for future in futures]


def commits(root):
    """The files of each commit after the first, oldest first."""
    listed = git(root, "log", "--reverse", "--format=%x01%H", "--name-only").split("\x01")[2:]
    return {entry.split()[0]: entry.split()[1:] for entry in listed}


def test_each_of_many_has_a_commit_with_its_own_file_and_the_branch_moves_once(root):
    before = len(git(root, "reflog").splitlines())
    done = together(root, *(lambda n=n: remember(pen_for(root), f"Text number {n}") for n in range(8)))
    assert {written.commit: [written.path] for written in done} == commits(root)
    assert len(set(commits(root))) == 8
    assert len(git(root, "reflog").splitlines()) == before + 1
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "fsck", "--strict", "--full", "--no-dangling") == ""


def test_each_is_made_on_what_the_one_before_it_left(root):
    done = together(
        root, *(lambda n=n: remember(pen_for(root), f"v{n}", entity=f"E{n}", field="f") for n in range(5))
    )
    assert [written.action for written in done] == ["added"] * 5
    assert list(commits(root).values()) == [["semantic/facts.md"]] * 5
    assert all(f"- f: v{n}" in git(root, "show", "HEAD:semantic/facts.md") for n in range(5))


def test_what_cannot_be_made_fails_alone(root):
    (root / "a.md").write_text("one\nmine\nthree\n")

    def wrong(_):
        raise ZeroDivisionError

    good, theirs, outside, bug, unknown, last = together(
        root,
        lambda: change(root, new_file("c.md", "c\n"), name="good"),
        lambda: change(root, Edit("a.md", text_change(lambda text: text.replace("mine", "ours")))),
        lambda: change(root, new_file("../x.md", "x\n")),
        lambda: change(root, new_file("d.md", "d\n"), Edit("b.md", wrong)),
        lambda: change(root, Edit("b.md", text_change(lambda _: f"{1 / 0}"))),
        lambda: change(root, Edit("b.md", text_change(lambda text: text + "more\n")), name="last"),
    )
    assert isinstance(theirs, ConflictError)
    assert isinstance(outside, InputError)
    assert isinstance(bug, ZeroDivisionError)
    assert isinstance(unknown, ZeroDivisionError)
    assert {good.commit: ["c.md"], last.commit: ["b.md"]} == commits(root)
    assert (root / "a.md").read_text() == "one\nmine\nthree\n"
    assert not (root / "d.md").exists()
    assert git(root, "status", "--porcelain") == " M a.md\n"
    assert git(root, "fsck", "--strict", "--full", "--no-dangling") == ""


def test_where_git_takes_no_commit_each_is_told_and_nothing_is_written(root):
    (root / ".git/MERGE_HEAD").write_text(git(root, "rev-parse", "HEAD"))
    done = together(root, *(lambda n=n: change(root, new_file(f"{n}.md", "x")) for n in range(3)))
    assert [type(written) for written in done] == [HistoryError] * 3
    assert commits(root) == {}
    assert not (root / "0.md").exists()


def test_a_name_that_another_took_meanwhile_is_left_to_it(root):
    done = together(root, *(lambda n=n: remember(pen_for(root), f"Same title\nbody {n}") for n in range(4)))
    assert [written.action for written in done] == ["added"] * 4
    assert {written.commit: [written.path] for written in done} == commits(root)
    assert len({written.path for written in done}) == 4
    assert all(f"body {n}" in (root / written.path).read_text() for n, written in enumerate(done))


def test_agents_that_say_the_same_at_once_are_kept_once(root):
    done = together(
        root, *(lambda n=n: claim(pen_for(root), "The same words", session=str(n)) for n in range(4))
    )
    assert sorted(written.action for written in done) == ["added", "existing", "existing", "existing"]
    assert len({written.path for written in done}) == len(commits(root)) == 1


def test_who_waits_too_long_for_another_writer_is_told_so(root, monkeypatch):
    monkeypatch.setattr(writer, "WAIT", 0.1)
    with ThreadPoolExecutor(3) as pool:
        with writer_lock(str(root)):
            futures = [
                pool.submit(change, root, new_file(f"{number}.md", "x\n"), name="late") for number in range(3)
            ]
            errors = [future.exception() for future in futures]
        assert [type(error) for error in errors] == [LockedError] * 3
    monkeypatch.undo()
    assert change(root, new_file("c.md", "c\n")).commit in commits(root)


THREE = ("x", "y", "z")


def three_at_once(root, acknowledge):
    """Three writes in one group; each is acknowledged when it is made."""
    guard = threading.Lock()

    def write(name):
        done = change(
            root,
            new_file(f"new/{name}.md", f"{name}\n"),
            Edit("b.md", text_change(lambda text: f"{text}{name}\n")),
            name=name,
        )
        with guard:
            acknowledge(json.dumps([name, done.commit]).encode() + b"\n")

    together(root, *(lambda name=name: write(name) for name in THREE))


@pytest.mark.laws
def test_killed_at_any_write_of_a_group_nothing_acknowledged_is_lost_and_nothing_is_torn(tmp_path):
    start, points, counts = vault_of(tmp_path / "start", FILES), 0, set()
    for at in range(1, 1000):
        root = shutil.copytree(start, tmp_path / str(at))
        killed = killed_at(at, lambda acknowledge: three_at_once(root, acknowledge))  # noqa: B023 - it is over when this returns
        assert killed.code in (0, -signal.SIGKILL)
        assert killed_at(0, lambda _: recover(str(root))).code == 0  # noqa: B023
        made = commits(root)
        for line in killed.acknowledged.splitlines():
            name, commit = json.loads(line)
            assert made[commit] == ["b.md", f"new/{name}.md"]
        assert all(paths[0] == "b.md" and len(paths) == 2 for paths in made.values())
        names = [paths[1][4] for paths in made.values()]
        assert (root / "b.md").read_text() == "b\n" + "".join(f"{name}\n" for name in names)
        assert sorted(path.name[0] for path in root.glob("new/*")) == sorted(names)
        assert git(root, "status", "--porcelain") == ""
        assert git(root, "fsck", "--strict", "--no-dangling") == ""
        assert not list(root.rglob("*.tmp"))
        counts.add(len(names))
        shutil.rmtree(root)
        if killed.code == 0:
            break
        points += 1
    assert points > 20
    assert counts == {0, 3}  # a group lands whole
