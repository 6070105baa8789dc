"""Sync: the index follows the files, reads no more than it must, and takes no doubt for a deletion."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time

import pytest
from conftest import STUDIO, put
from indexed import environment, forget_stamps, kept, rebuilt, until

from memoryclaw.errors import VaultError
from memoryclaw.index.sync import Sync, compare


@pytest.fixture
def root(tmp_path):
    return put(tmp_path / "vault", STUDIO)


@pytest.fixture
def own(root):
    own = kept(root)
    yield own
    own.close()


@pytest.fixture
def renames(own):
    """The renames that a sync tells of."""
    steps = []
    own.sync._renamed = lambda old, new: steps.append((old, new))
    return steps


def test_files_are_taken_in_by_their_paths_in_whatever_order_the_disk_has_them():
    listed = dict.fromkeys(("logs/2026-03-02/b.jsonl", "logs/2026-03-01/a.jsonl", "c.md"), b"new")
    assert compare(listed, {"c.md": b"old"}).changed == sorted(listed)


def test_a_first_sync_takes_everything_in_and_a_second_finds_nothing_to_do(own):
    done = own.sync.run()
    assert (done.added, done.changed, done.removed, done.unread, done.total) == (6, 0, 0, 0, 7)
    again = own.sync.run()
    assert (again.added, again.changed, again.removed) == (0, 0, 0)


def test_added_changed_and_removed_files_are_told_apart(own, root):
    own.sync.run()
    put(root, {"notes/new.md": "new", "notes/moon.md": "changed"})
    (root / "semantic/projects.md").unlink()
    done = own.sync.run()
    assert (done.added, done.changed, done.removed) == (1, 1, 1)
    assert own.mark() == rebuilt(root)


def test_a_touched_file_is_not_taken_in_anew(own, root):
    own.sync.run()
    os.utime(root / "notes/moon.md")
    assert "notes/moon.md" in own.sync.behind()[0].changed
    done = own.sync.run()
    assert (done.added, done.changed, done.removed) == (0, 0, 0)


def test_what_another_process_has_taken_in_meanwhile_leaves_the_index_as_it_is(own, root):
    def settled():
        own.sync.run()
        return not own.index.doubtful()

    until(settled)
    os.utime(root / "notes/moon.md", (1, 1))
    put(root, {"notes/new.md": "new"})
    other = kept(root)
    behind, scan = other.sync.behind()
    until(settled)
    edition = own.index.edition()
    done = other.sync.apply(behind, scan)
    assert (done.added, done.changed, done.removed, done.racy) == (0, 0, 0, ())
    assert own.index.edition() == edition
    assert own.mark() == other.mark() == rebuilt(root)
    other.close()


def test_a_file_read_the_moment_it_changed_is_looked_at_again(own, root):
    def read_at_once():  # a busy machine may pause between the two
        put(root, {"notes/moon.md": f"one {time.monotonic_ns()}"})
        return "notes/moon.md" in own.sync.run().racy

    own.sync.run()
    until(read_at_once)
    assert "notes/moon.md" in own.sync.behind()[0].changed


def test_a_file_is_not_behind_while_the_index_holds_its_bytes_although_its_stamp_proves_nothing(own, root):
    put(root, {os.fsdecode(b"notes/n\xe4chte.md"): "nights"})
    own.sync.run()
    forget_stamps(own)
    behind, scan = own.sync.behind()
    assert sorted(behind.changed) == sorted(scan.files)
    assert own.sync.lag(behind, scan) == 0
    put(root, {"notes/moon.md": "changed", "notes/new.md": "new"})
    (root / "semantic/aliases.yaml").write_text("kiosk: [stall]\n")
    (root / "semantic/projects.md").unlink()
    assert own.sync.lag(*own.sync.behind()) == 4


def test_a_file_that_must_be_read_anew_is_behind_although_its_bytes_are_the_same(own, root):
    """Another schema makes other facts of the same bytes."""
    own.sync.run()
    with own.index.writing() as work:
        work.collections(["tools"])
    assert own.sync.lag(*own.sync.behind()) >= 1


def test_how_far_behind_the_index_is_costs_no_reading(own, root):
    own.sync.run()
    put(root, {"notes/a.md": "a", "notes/b.md": "b"})
    (root / "notes/moon.md").unlink()
    behind, scan = own.sync.behind()
    assert {"notes/a.md", "notes/b.md"} <= set(behind.changed)
    assert behind.removed == ["notes/moon.md"]
    assert own.paths_with("pancakes") == ["notes/moon.md"]
    assert len(scan.files) == len(STUDIO) + 1


def test_a_moved_file_is_told_as_a_rename(own, root, renames):
    own.sync.run()
    (root / "notes/moon.md").rename(root / "notes/sun.md")
    own.sync.run()
    assert renames == [("notes/moon.md", "notes/sun.md")]


def test_a_hint_is_enough_for_a_move(own, root, renames):
    own.sync.run()
    (root / "notes/moon.md").rename(root / "sun.md")
    own.sync.paths(["notes/moon.md", "sun.md"])
    assert renames == [("notes/moon.md", "sun.md")]
    assert own.mark() == rebuilt(root)


def test_hints_that_lie_do_no_harm(own, root):
    own.sync.run()
    put(root, {"notes/x.png": "x", ".hidden.md": "x", "notes/y.txt": "y"})
    own.sync.paths(
        ["notes/x.png", ".hidden.md", "notes", "nowhere.md", "notes/y.txt", "", "../outside.md"],
        ["nowhere", ".git"],
    )
    assert own.mark() == rebuilt(root)


def test_a_hint_at_a_note_that_never_was_makes_it_look_everywhere(own, root):
    """An event may carry the name that its folder had before."""
    own.sync.run()
    put(root, {"renamed/n.md": "quicksilver"})
    own.sync.paths(["before/n.md"])
    assert own.paths_with("quicksilver") == ["renamed/n.md"]


def test_a_folder_hint_looks_at_all_below_it(own, root):
    own.sync.run()
    shutil.move(root / "notes", root / "moved")
    put(root, {"moved/deep/n.md": "n"})
    done = own.sync.paths([], ["notes", "moved"])
    assert (done.added, done.removed) == (2, 1)
    assert own.mark() == rebuilt(root)


def test_a_folder_whose_name_is_not_utf8_comes_and_goes_on_a_hint(own, root):
    own.sync.run()
    folder = os.fsdecode(b"f\xfcr")
    put(root, {f"{folder}/n.md": "quicksilver"})
    own.sync.paths([], [folder])
    assert own.paths_with("quicksilver") == [r"f\xfcr/n.md"]
    shutil.rmtree(root / folder)
    own.sync.paths([], [folder])
    assert own.mark() == rebuilt(root)


def test_a_hint_at_one_file_leaves_the_others_alone(own, root):
    own.sync.run()
    put(root, {"notes/moon.md": "pancakes", "notes/other.md": "unhinted"})
    own.sync.paths(["notes/moon.md"])
    assert own.paths_with("unhinted") == []


@pytest.mark.parametrize("how", ["run", "paths"])
def test_a_folder_that_became_a_link_is_gone(own, root, tmp_path, how):
    own.sync.run()
    shutil.move(root / "notes", tmp_path / "outside")
    (root / "notes").symlink_to(tmp_path / "outside")
    own.sync.run() if how == "run" else own.sync.paths(["notes"], ["notes"])
    assert own.paths_with("pancakes") == []
    assert own.mark() == rebuilt(root)


@pytest.mark.parametrize("how", ["run", "paths"])
def test_a_conflict_copy_comes_and_goes_as_a_problem(own, root, how):
    path = "notes/moon.sync-conflict-20250101-101010-ABCDEF.md"
    own.sync.run()
    for step in (lambda: put(root, {path: "copy"}), (root / path).unlink):
        step()
        own.sync.run() if how == "run" else own.sync.paths([path])
        assert own.mark() == rebuilt(root)
        assert [p.path for p in own.index.scan_problems()] == ([path] if (root / path).exists() else [])


def test_synonyms_and_collections_follow_their_files(own, root):
    own.sync.run()
    for files in (
        {"semantic/aliases.yaml": "kiosk: [stall]\n"}, {"semantic/_schema.yaml": "collections: [boathouse]\n"},
        {"semantic/aliases.yaml": "a: &x [b]\n"}, {"semantic/_schema.yaml": "{"},
    ):  # fmt: skip
        put(root, files)
        own.sync.paths(list(files))
        assert own.mark() == rebuilt(root)
    for path in ("semantic/aliases.yaml", "semantic/_schema.yaml"):
        (root / path).unlink()
        own.sync.run()
        assert own.mark() == rebuilt(root)


def test_what_is_wrong_in_the_vocabulary_is_a_problem_of_its_file(own, root):
    put(root, {"semantic/aliases.yaml": "a: &x [b]\n"})
    own.sync.run()
    with own.index.database.guarded() as connection:
        rows = connection.execute(
            "select message from problems where path = 'semantic/aliases.yaml'"
        ).fetchall()
    assert rows


def test_progress_is_told_to_the_end(own, root):
    steps = []
    put(root, {f"notes/n{i}.md": "x" for i in range(300)})
    Sync(own.vault, own.index, progress=lambda done, total: steps.append((done, total))).run()
    assert steps[-1] == (306, 306)
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


def test_an_empty_root_keeps_the_index(own, root, tmp_path):
    """As when the disk under the mount point went away."""
    own.sync.run()
    before = own.mark()
    shutil.move(root, tmp_path / "away")
    root.mkdir()
    (tmp_path / "away/.memoryclaw").rename(root / ".memoryclaw")
    with pytest.raises(VaultError, match="is the disk mounted"):
        own.sync.run()
    assert own.mark() == before


SYNC_AS_NOBODY = """
import os, sys
from pathlib import Path
from memoryclaw.errors import VaultError
from conftest import STUDIO, put
from indexed import kept, rebuilt
root = Path(sys.argv[1])
if os.getuid() == 0:
    rebuilt(put(Path(sys.argv[2]), STUDIO))  # imports all there is to import while it can
    os.setuid(65534)
own = kept(root, Path(sys.argv[3]))
print(own.sync.run()[:5])
(root / "notes/moon.md").chmod(0o000); (root / "semantic/aliases.yaml").chmod(0o000)
print(own.sync.run()[:5], own.paths_with("pancakes"), [p.path for p in own.index.scan_problems()])
with own.index.database.guarded() as connection:
    print(connection.execute("select count(*) from aliases").fetchone())
(root / "notes").chmod(0o000)
try:
    own.sync.run()
except VaultError as error:
    print(error)
print(own.paths_with("pancakes"))
(root / "notes").chmod(0o755); (root / "notes/moon.md").chmod(0o644); (root / "semantic/aliases.yaml").chmod(0o644)
print(own.sync.run()[:5], own.index.scan_problems())
"""


def test_what_may_not_be_read_keeps_what_was_known_of_it(tmp_path):
    """Root may read anything, so root syncs as somebody else."""
    root = put(tmp_path / "vault", STUDIO)
    (tmp_path / "state").mkdir()
    for path in tmp_path.parents[:-2]:  # whoever else works there keeps their rights
        if (mode := stat.S_IMODE(path.stat().st_mode)) & 0o011 != 0o011:
            path.chmod(mode | 0o011)
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
        if not os.getuid():
            os.chown(path, 65534, 65534)
    command = [sys.executable, "-c", SYNC_AS_NOBODY, root, tmp_path / "spare", tmp_path / "state"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert lines[0] == "(6, 0, 0, 0, 7)", done.stderr
    assert lines[1] == "(0, 0, 0, 2, 7) ['notes/moon.md'] ['notes/moon.md', 'semantic/aliases.yaml']"
    assert lines[2] == "(2,)"
    assert lines[3].startswith("the folder notes cannot be read")
    assert lines[4] == "['notes/moon.md']"
    assert lines[5] == "(0, 0, 0, 0, 7) []"
