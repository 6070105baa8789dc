"""A disk that is full, broken or refuses, at every call that can meet it: one sentence, nothing half done, and all is well afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from gitfaults import broken_git, git_calls, needs_strace
from scenes import VERBS, Scene, Vaults, is_sound, must_hold, opened, settle, snapshot
from tracing import BUG, OK, READS, REFUSED, Call, Fault, faults, run

from memoryclaw.index.index import fingerprint

# Once is a medium with a bad spot; from then on is a disk that stays full, or a folder that stays closed.
ERRORS = {"ENOSPC": True, "EIO": False, "EACCES": True}
SOME = ("remember an episode", "remember a fact", "forget a note", "revive", "undo", "claim that contradicts", "review approve", "capture", "feedback", "working memory", "consolidate", "init")  # fmt: skip
GIT = [
    ("update-index", "edit a fact"),
    ("update-ref", "forget a note"),
]


@needs_strace
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", SOME)
def test_an_error_at_any_call_is_told_in_a_sentence_and_leaves_nothing_half_done(
    campaign, vaults: Vaults, name, error
):
    scene = vaults.scene(name)
    with vaults.fresh(scene) as root:
        whole = vaults.done(scene.verb, root)
    with campaign(f"{error} at a system call of the writer") as trials:
        # Every third call for each error, another third for each: the campaign has an end.
        chosen = faults(error, whole.calls, onwards=ERRORS[error])[list(ERRORS).index(error) :: 3]
        for place, fault in enumerate(chosen):
            with trials.trial(f"{name}: {fault}"), vaults.fresh(scene) as root:
                ended = vaults.done(scene.verb, root, fault)
                if not ended.fired:
                    trials.missed()
                must_hold(root, scene, ended, again=place % 4 == 0)


@needs_strace
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(("command", "name"), GIT)
def test_an_error_in_git_leaves_nothing_half_done(campaign, vaults: Vaults, command, name, error):
    scene = vaults.scene(name)
    with campaign(f"{error} at a system call of git") as trials:
        for place, fault in enumerate(
            faults(error, git_calls(vaults, scene, command), onwards=ERRORS[error])
        ):
            with (
                trials.trial(f"{name}, git {command}: {fault}"),
                vaults.fresh(scene) as root,
                broken_git(root, command, fault) as git,
            ):
                ended = vaults.done(scene.verb, root, bin_=git.folder, watched=False)
                if not git.has_fired():
                    trials.missed()
                if fault.call.name == "unlink" and ended.code == OK:
                    a_lock_that_git_could_not_remove_is_named(vaults, root, scene)
                must_hold(root, scene, ended, again=place % 4 == 0)


def a_lock_that_git_could_not_remove_is_named(vaults: Vaults, root: Path, scene: Scene) -> None:
    """Nobody can tell it from one that another git holds: it stays, the next verb names it, and a person removes it."""
    for lock in (root / ".git").rglob("*.lock"):
        refused = vaults.done(VERBS["remember an episode"], root, watched=False)
        assert refused.code == REFUSED, scene.name
        assert lock.name in refused.output, refused.output
        lock.unlink()


@needs_strace
@pytest.mark.parametrize("error", ["EIO", "EACCES"])
def test_a_note_that_cannot_be_read_is_never_taken_for_one_that_is_gone(campaign, vaults: Vaults, error):
    """The index is in line, then one thing changes and one call that reads fails: what was found before is found still."""
    scene = vaults.scene("sync")

    def asks(root: Path):
        def work(acknowledge):
            with opened(root) as app:
                app.sync()
                acknowledge("synced")

        return work

    with campaign(f"{error} while the vault is read") as trials:
        for name in READS.split(","):
            for number in range(1, 200, 2 if name in {"getdents64", "openat"} else 6):
                with trials.trial(f"{error} at {name} {number}"), vaults.fresh(scene) as root:
                    with opened(root) as app:
                        known = set(app.index.stamps())
                    ended = run(asks(root), Fault(error, Call(name, number)))
                    if not ended.fired:
                        trials.count -= 1  # the last of its name
                        break
                    assert ended.code != BUG, ended.output[-600:]
                    with opened(root) as app:
                        lost = known - set(app.index.stamps())
                        # A damaged or unreadable index is thrown away whole, and built again by who asks next.
                        assert not lost or lost == known, f"{lost} are lost from the index"
                    is_sound(root)


@contextmanager
def small_disk(size: str) -> Iterator[Path]:
    """A file system of a few hundred kilobytes; raises OSError where this process may not mount one."""
    import tempfile  # noqa: PLC0415

    place = Path(tempfile.mkdtemp(prefix="small"))
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        if done.returncode:
            raise OSError(done.stderr.strip())
        yield place
    finally:
        if not done.returncode:
            subprocess.run(["umount", "--lazy", place], check=True)
        place.rmdir()


FULL = ("remember a fact", "forget a note", "capture", "consolidate", "working memory", "undo")  # fmt: skip


@pytest.mark.parametrize("name", FULL)
def test_on_a_disk_with_too_little_room_nothing_is_lost_and_room_makes_all_well(
    campaign, row_skipped, vaults: Vaults, name
):
    row = "a small disk is full"
    scene = vaults.scene(name)
    try:
        with small_disk("64k"):
            pass
    except OSError as error:
        row_skipped(
            row,
            f"no file system can be mounted here ({error}); the rows of ENOSPC at system calls stand for it",
        )
    full = 0
    with campaign(row) as trials:
        for left in (0, 1, 3, 6, 12, 24, 48, 96):
            with trials.trial(f"{name} with {left} pages left"), small_disk("4m") as disk:
                root = disk / "vault"
                shutil.copytree(scene.start, root, symlinks=True)
                with opened(root) as app:
                    app.sync()
                ballast = disk / "ballast"
                fill(ballast, left)
                ended = vaults.done(scene.verb, root, watched=False)
                full += ended.code != OK
                ballast.unlink()
                must_hold(root, scene, ended, again=True)
        assert full, "the disk never was too full"


def fill(ballast: Path, pages: int) -> None:
    """Takes all the room of a disk but a number of pages."""
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            os.ftruncate(file.fileno(), max(0, file.tell() - 4096 * pages))


DROPPED = 65534  # `nobody`


@pytest.mark.parametrize("closed", ["the vault", "semantic", ".git", ".git/objects", ".memoryclaw", "a note"])
@pytest.mark.parametrize(
    "name", ["remember an episode", "edit a note", "remember a fact", "capture", "sync", "consolidate"]
)
def test_a_folder_that_may_not_be_written_is_told_and_opens_again(campaign, vaults: Vaults, name, closed):
    """Root may write everywhere, so a root drops to another user; any other user just closes the folder."""
    scene = vaults.scene(name)
    path = {"the vault": "", "a note": "notes/a.md"}.get(closed, closed)
    with (
        campaign("EACCES: a folder is closed") as trials,
        trials.trial(f"{name}, {closed} is closed"),
        vaults.fresh(scene) as root,
    ):
        own(root, DROPPED)
        mode = (root / path).stat().st_mode & 0o777
        (root / path).chmod(mode & 0o555)
        ended = run(as_user(scene, root), watched=False)
        (root / path).chmod(mode)
        own(root, 0)
        shutil.rmtree(root.parent / "elsewhere", ignore_errors=True)
        must_hold(root, scene, ended, again=True)


def as_user(scene: Scene, root: Path):
    """The verb, done by one who is not root."""

    def work(acknowledge):
        if os.geteuid() == 0:
            for folder in [root.parent, *root.parent.parents]:
                if folder != Path("/"):
                    folder.chmod(folder.stat().st_mode | 0o011)
            elsewhere = root.parent / "elsewhere"
            elsewhere.mkdir(exist_ok=True)
            os.chown(elsewhere, DROPPED, DROPPED)
            os.environ["HOME"] = os.environ["XDG_CACHE_HOME"] = os.fspath(elsewhere)
            os.setgroups([])
            os.setgid(DROPPED)
            os.setuid(DROPPED)
        with opened(root) as app:
            scene.verb.act(app)
            acknowledge("done")

    return work


def own(root: Path, user: int) -> None:
    """Gives all of a vault to a user, where this process may."""
    if os.geteuid() == 0:
        for path in [root, *root.rglob("*")]:
            os.chown(path, user, user, follow_symlinks=False)


def test_the_index_of_a_vault_that_nothing_disturbs_is_that_of_a_rebuild(vaults: Vaults):
    """What all trials are compared with is sound itself."""
    for name in VERBS:
        scene = vaults.scene(name)
        with vaults.fresh(scene) as root:
            settle(root)
            is_sound(root)
            assert snapshot(root) == scene.old
            with opened(root) as app:
                assert fingerprint(app.index)
