"""More happens than a watcher hears: it is stopped while the kernel's queue overflows, flooded, or killed; the index follows all the same."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from indexed import kept, rebuilt, until
from scenes import Vaults

from memoryclaw.app import App

QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
pytestmark = pytest.mark.skipif(not QUEUE.exists(), reason="only Linux has such a queue")


class Watch:
    """A watch in a process of its own, and what it has said."""

    def __init__(self, root: Path) -> None:
        self._heard = b""
        self._reading, writing = os.pipe()
        os.set_blocking(self._reading, False)
        self.pid = os.fork()
        if not self.pid:
            try:
                with App(root) as app:
                    app.watching(lambda report: os.write(writing, f"{report.kind}\n".encode())).run()
            finally:
                os._exit(1)
        os.close(writing)

    def said(self) -> list[str]:
        """The kinds of its reports, so far."""
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self._reading, 65536):
                self._heard += piece
        return self._heard.decode().split()

    def send(self, number: int) -> None:
        """Sends a signal; returns when a stop has stopped it."""
        os.kill(self.pid, number)
        if number == signal.SIGSTOP:
            os.waitpid(self.pid, os.WUNTRACED)

    def end(self) -> None:
        """Kills it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._reading)


@contextlib.contextmanager
def watched(root: Path) -> Iterator[Watch]:
    watch = Watch(root)
    try:
        until(lambda: "started" in watch.said())
        yield watch
    finally:
        watch.end()


def overflow(root: Path) -> None:
    """More events than the kernel keeps, and none that is the same as the one before."""
    first, other = root / "notes/a.md", root / "notes/b.md"
    for number in range(int(QUEUE.read_text()) + 500):
        os.utime((first, other)[number % 2])


def changes(root: Path, dice: random.Random, count: int) -> None:
    """What people and programs do to files: made, edited, replaced, renamed, moved with their folder, removed."""
    for number in range(count):
        notes = sorted(path for path in (root / "storm").rglob("*.md")) if (root / "storm").exists() else []
        fresh = root / f"storm/{dice.randrange(6)}/{dice.randrange(10**9)}.md"
        fresh.parent.mkdir(parents=True, exist_ok=True)
        what = dice.choice(("new", "new", "edit", "replace", "rename", "folder", "remove"))
        if what == "new" or not notes:
            fresh.write_text(f"---\nid: storm-{dice.randrange(10**9)}\n---\nWord{number} in a storm\n")
        elif what == "edit":
            dice.choice(notes).write_text(f"Edited{number}\n")
        elif what == "replace":
            temp = fresh.with_suffix(".tmp")
            temp.write_text(f"Replaced{number}\n")
            temp.rename(dice.choice(notes))
        elif what == "rename":
            dice.choice(notes).rename(fresh)
        elif what == "folder":
            folder = dice.choice(notes).parent
            folder.rename(root / f"storm/moved-{dice.randrange(10**9)}")
        else:
            dice.choice(notes).unlink()


def follows(root: Path, said: str = "") -> None:
    """Waits until the index that the watch keeps is what a rebuild gives; nobody else syncs it meanwhile."""
    wanted = rebuilt(root)
    own = kept(root)
    try:
        until(lambda: own.mark() == wanted)
    except AssertionError:
        files, known = own.vault.scan().files, own.index.stamps()
        apart = sorted(path for path in {*files, *known} if files.get(path) != known.get(path))
        raise AssertionError(f"the watch did not follow {said}: {apart[:9]}") from None
    finally:
        own.close()


@pytest.mark.parametrize("seed", range(4))
def test_after_an_overflow_everything_is_looked_at(campaign, vaults: Vaults, seed):
    dice = random.Random(seed)
    root = vaults.copy(vaults.base)
    with campaign("the watcher's queue overflows") as trials, watched(root) as watch:
        for number in range(5):
            with trials.trial(f"seed {seed}, overflow {number}"):
                overflows = watch.said().count("overflow")
                watch.send(signal.SIGSTOP)
                if number % 2:  # some of what happens is heard, and some is not
                    changes(root, dice, 10)
                overflow(root)
                changes(root, dice, 25)
                watch.send(signal.SIGCONT)
                follows(root, "after an overflow")
                if not number % 2 and watch.said().count("overflow") == overflows:
                    trials.missed()  # it was stopped while it began anew, for a folder that had moved, and with it the queue
    shutil.rmtree(root)


@pytest.mark.parametrize("seed", range(4))
def test_thousands_of_files_at_once_are_followed(campaign, vaults: Vaults, seed):
    dice = random.Random(seed)
    root = vaults.copy(vaults.base)
    with campaign("a storm of files under a watcher") as trials, watched(root) as watch:
        for number in range(4):
            with trials.trial(f"seed {seed}, storm {number}"):
                if number % 3 == 1:
                    watch.send(signal.SIGSTOP)
                if number == 0:
                    for file in range(2000):
                        (root / f"notes/s{file % 250}.md").write_text(f"Storm {file}\n")
                changes(root, dice, 150)
                watch.send(signal.SIGCONT)
                follows(root)
    shutil.rmtree(root)


@pytest.mark.parametrize("seed", range(2))
def test_a_watch_that_is_killed_in_a_storm_is_followed_by_the_next(campaign, vaults: Vaults, seed):
    dice = random.Random(seed)
    root = vaults.copy(vaults.base)
    with campaign("the watcher is killed in a storm") as trials:
        for number in range(5):
            with trials.trial(f"seed {seed}, kill {number}"):
                with watched(root):
                    changes(root, dice, dice.randrange(5, 120))
                changes(root, dice, 10)
                with watched(root):
                    follows(root)
    shutil.rmtree(root)
