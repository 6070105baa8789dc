from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from gitvault import NOW, git, vault_of
from hostilegit import HARMLESS, VECTORS, script

from memoryclaw.errors import ConflictError, HistoryError, InputError
from memoryclaw.history.git import git_state
from memoryclaw.history.journal import clear_stale, index_ready
from memoryclaw.history.repository import History, StagedUpdate, Version, object_id, parse_tree


def made_of(history, files, message="ours\n"):
    base = history.base(list(files))
    draft = history.draft(base, {path: Version(data) for path, data in files.items()}, message, NOW)
    history.store(draft.objects, base.tree.hash_name)
    return draft.made


def commit(root, files, message="Change\n\nbody\n\nRun: r-1\nSource: log:1\n"):
    history = History(str(root))
    made = made_of(history, files, message)
    with index_ready(history, made.follow, made.stamp) as put:
        history.move(made, "test")
        put()
    return made.commit


def plain_git_runs_it(root, mark):
    """The proof that a vector is one: what the user's own git does with it."""
    (root / "a.md").write_text("mine\n")
    for ask in (["status"], ["diff"], ["add", "a.md"], ["commit", "-qm", "m"], ["log", "-p", "-1"]):
        git(root, *ask, check=False)
    return mark.exists()


@pytest.mark.parametrize("name", VECTORS)
def test_nothing_that_the_repository_configures_is_run(tmp_path, name):
    root, mark = vault_of(tmp_path / "v", {"a.md": "x\n"}), tmp_path / "ran"
    VECTORS[name](root, script(root, mark))
    mark.unlink(missing_ok=True)
    # As old as a file of its: git then reads that file again when it writes the index, through the filters of the repository.
    os.utime(root / ".git/index", ns=((root / "a.md").stat().st_mtime_ns,) * 2)
    made = commit(root, {"c.md": b"y\n", "sub/b.md": b"z\n"})
    history = History(str(root))
    assert [change.path for change in history.changes(made)] == ["c.md", "sub/b.md"]
    assert history.find("r-1").commit == made
    assert history.ask_ignored(["logs/x", "b.md"])() == {"logs/x"}
    assert not mark.exists()
    assert plain_git_runs_it(root, mark) == (name not in HARMLESS)


def test_variables_of_a_calling_git_do_not_reach_ours(tmp_path, monkeypatch):
    root, other = vault_of(tmp_path / "v", {"a.md": "x\n"}), vault_of(tmp_path / "w", {"a.md": "x\n"})
    for name, value in {
        "GIT_DIR": str(other / ".git"), "GIT_INDEX_FILE": str(other / ".git/index"), "GIT_WORK_TREE": str(other),
        "GIT_OBJECT_DIRECTORY": str(other / ".git/objects"), "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "evil", "GIT_CONFIG_GLOBAL": "/dev/zero",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    made = commit(root, {"a.md": b"y\n"})
    assert git(root, "rev-parse", "HEAD").strip() == made
    assert git(other, "rev-list", "--count", "HEAD") == "1\n"
    assert git(root, "status", "--porcelain") == " M a.md\n"


def test_programs_that_a_host_names_for_git_are_not_run(tmp_path, monkeypatch):
    root, mark, program = vault_of(tmp_path / "v", {"a.md": "x\n"}), tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    for name in ("GIT_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_SEQUENCE_EDITOR"):
        monkeypatch.setenv(name, str(program))
    made = commit(root, {"a.md": b"y\n"})
    assert [change.path for change in History(str(root)).changes(made)] == ["a.md"]
    assert not mark.exists()


def test_the_user_is_the_author_where_one_is_configured(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text(
        '[core]\n\teditor = vi\n[user]\n\tname = "Zoë <Z>"\n\temail = zoe@example.com ; c\n'
    )
    root = vault_of(tmp_path / "v", {"a.md": "x\n"})
    commit(root, {"a.md": b"y\n"})
    assert (
        git(root, "log", "-1", "--format=%an|%ae|%cn|%aI")
        == "Zoë Z|zoe@example.com|Zoë Z|2026-11-21T10:15:00+00:00\n"
    )
    git(root, "config", "user.email", "other@example.com")
    commit(root, {"a.md": b"z\n"})
    assert git(root, "log", "-1", "--format=%ae") == "other@example.com\n"


def test_a_commit_is_found_by_its_beginning_and_by_its_run(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "x\n"})
    made = commit(root, {"a.md": b"y\n"})
    history = History(str(root))
    named = history.find(made[:7])
    assert (named.commit, named.trailers) == (made, {"Run": "r-1", "Source": "log:1"})
    assert history.find("r-1").commit == made
    assert history.find("HEAD").commit == made
    for name in ("r-", "r.1", "HEAD~9", "HEAD@{0}", "--all", "", "ffff"):
        with pytest.raises(InputError):
            history.find(name)


def test_files_deep_down_come_and_go_without_leaving_empty_folders(tmp_path):
    root = vault_of(tmp_path / "v", {"a/b/c.md": "x\n", "a-b.md": "y\n", "a.md": "z\n"})
    commit(root, {"a/b/c.md": None, "ü/日本.md": b"1\n", "a0.md": b"2\n"})
    assert git(root, "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD").split("\n")[:-1] == [
        ".gitignore", "a-b.md", "a.md", "a0.md", "ü/日本.md",
    ]  # fmt: skip
    assert git(root, "fsck", "--strict", "--full") == ""


def test_an_executable_file_stays_one(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "x\n"})
    git(root, "update-index", "--chmod=+x", "a.md")
    git(root, "commit", "-qm", "x")
    commit(root, {"a.md": b"y\n"})
    assert git(root, "ls-tree", "HEAD", "a.md").startswith("100755")


def test_a_branch_that_moved_meanwhile_is_never_overwritten(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "x\n"})
    history = History(str(root))
    made = made_of(history, {"a.md": b"y\n"})
    git(root, "commit", "--allow-empty", "-qm", "theirs")
    with pytest.raises(ConflictError, match="same moment"):
        history.move(made, "test")
    assert git(root, "log", "-1", "--format=%s") == "theirs\n"


def test_a_submodule_is_not_written_into(tmp_path):
    inner, root = vault_of(tmp_path / "i", {"a.md": "x\n"}), vault_of(tmp_path / "v", {"a.md": "x\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    git(root, "commit", "-qm", "sub")
    with pytest.raises(HistoryError, match="submodule"):
        commit(root, {"sub/a.md": b"y\n"})


def test_an_index_entry_follows_only_while_it_is_as_expected(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "x\n", "b.md": "x\n"})
    history = History(str(root))
    made = made_of(history, {"a.md": b"y\n", "b.md": b"y\n"})
    (root / "a.md").write_text("mine\n")
    git(root, "add", "a.md")  # after we had looked
    with index_ready(history, made.follow, made.stamp) as put:
        history.move(made, "test")
        put()
    assert git(root, "show", ":a.md") == "mine\n"
    assert git(root, "show", ":b.md") == "y\n"


def test_a_lock_of_the_users_git_is_waited_for_and_left(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "x\n"})
    history, lock = History(str(root)), root / ".git/index.lock"
    entry = history.index_entries(["a.md"])["a.md"]
    lock.touch()
    with (
        pytest.raises(HistoryError, match=r"index\.lock"),
        index_ready(history, [StagedUpdate("a.md", entry, None)], None, wait=0.1),
    ):
        pass
    assert lock.exists()
    assert not (root / ".git/memoryclaw.index").exists()


def test_only_a_lock_of_the_index_that_is_provably_ours_is_cleared(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "x\n"})
    history, folder = History(str(root)), root / ".git"
    (folder / "index.lock").touch()
    clear_stale(history)
    assert (folder / "index.lock").exists()
    (folder / "index.lock").unlink()
    (folder / "memoryclaw.index").write_bytes((folder / "index").read_bytes())
    (folder / "memoryclaw.index.lock").touch()
    os.link(folder / "memoryclaw.index", folder / "index.lock")
    clear_stale(history)
    assert not [path for path in folder.rglob("*") if path.suffix == ".lock"]


def test_states_are_told_in_a_sentence(tmp_path):
    assert git_state(str(tmp_path)).name == "none"
    root = tmp_path / "v"
    git(tmp_path, "init", "-q", str(root))
    assert git_state(str(root)).name == "unborn"
    vault_of(root, {"a.md": "x\n"})
    git(root, "pack-refs", "--all")
    assert git_state(str(root)).name == "ok"
    git(root, "checkout", "-q", "--detach")
    assert git_state(str(root)).name == "detached"
    git(tmp_path, "init", "-q", "--bare", "bare")
    assert git_state(str(tmp_path / "bare")).name == "bare"
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd/.git").write_text("gitdir: ../nowhere\n")
    assert git_state(str(tmp_path / "odd")).name == "none"


def test_a_repository_with_sha256_works_too(tmp_path):
    root = tmp_path / "v"
    done = subprocess.run(
        ["git", "init", "-q", "--object-format=sha256", str(root)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("this git has no SHA-256")
    (root / "a.md").write_text("x\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    commit(root, {"b/c.md": b"y\n"})
    assert git(root, "fsck", "--strict", "--full") == ""


def test_objects_and_ids_are_gits_own(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "x\n"})
    (root / ".git/objects").chmod(0o2775)
    big = next(
        data
        for data in (bytes([n]) * 100_000 for n in range(256))
        if not (root / ".git/objects" / object_id("blob", data, "sha1")[:2]).exists()
    )
    History(str(root)).store([("blob", b""), ("blob", big), ("blob", b"")], "sha1")
    for data in (b"", big):
        oid = object_id("blob", data, "sha1")
        assert git(root, "cat-file", "-t", oid) == "blob\n"
        kept = root / ".git/objects" / oid[:2] / oid[2:]
        assert [path.stat().st_mode & 0o7777 for path in (kept, kept.parent)] == [0o444, 0o2775]
    assert git(root, "fsck", "--strict", "--full", "--no-dangling") == ""
    raw = subprocess.run(
        ["git", "-C", root, "cat-file", "tree", "HEAD^{tree}"], capture_output=True, check=True
    ).stdout
    assert sorted(parse_tree(raw, 20)) == [b".gitignore", b"a.md"]


def test_an_object_that_a_killed_writer_began_is_written_whole(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "x\n"})
    oid = object_id("blob", b"whole\n", "sha1")
    folder = root / ".git/objects" / oid[:2]
    folder.mkdir(exist_ok=True)
    (folder / f"tmp_obj_{oid[2:]}").write_bytes(b"ha")
    History(str(root)).store([("blob", b"whole\n")], "sha1")
    assert git(root, "cat-file", "-p", oid) == "whole\n"
    assert [path.name for path in folder.iterdir()] == [oid[2:]]


_SWEEP = """
import contextlib, os, sys
while True:
    for folder in [one.path for one in os.scandir(sys.argv[1]) if len(one.name) == 2]:
        with contextlib.suppress(OSError):
            os.rmdir(folder)
"""


@pytest.mark.laws
def test_objects_are_written_while_git_removes_empty_folders_in_the_background(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "x\n"})
    store, objects = root / ".git/objects", [("blob", b"%d" % n) for n in range(2000)]
    sweeper = subprocess.Popen([sys.executable, "-c", _SWEEP, str(store)])
    try:
        for n in range(0, len(objects), 250):
            History(str(root)).store(objects[n : n + 250], "sha1")
            git(root, "repack", "-a", "-d", "-q", "--keep-unreachable")
        assert sweeper.poll() is None
    finally:
        sweeper.kill()
        sweeper.wait()
    stored = git(root, "cat-file", "--batch-check", "--batch-all-objects")
    assert {object_id(kind, raw, "sha1") for kind, raw in objects} <= {
        line.split()[0] for line in stored.splitlines()
    }


def test_many_threads_may_use_git_for_the_first_time_at_once(tmp_path):
    root = str(vault_of(tmp_path / "v", {"a.md": "x\n"}))
    before, switching = dict(os.environ), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda _: History(root).git._command_layer(), range(600)))
    finally:
        sys.setswitchinterval(switching)
    assert dict(os.environ) == before


def test_the_index_follows_on_a_drive_without_hard_links(tmp_path, monkeypatch):
    def refused(*_args, **_options):
        raise PermissionError(errno.EPERM, "no links here")

    root = vault_of(tmp_path / "v", {"a.md": "x\n"})
    monkeypatch.setattr(os, "link", refused)
    commit(root, {"a.md": b"y\n"})
    assert git(root, "show", ":a.md") == "y\n"
    assert not (root / ".git/index.lock").exists()
