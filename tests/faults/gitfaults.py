"""A git that is killed, or meets an error, at one of the system calls of one of its commands."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from gitkiller import REAL, killed_once
from scenes import Scene, Vaults
from tracing import CALLS, OK, Call, Fault, calls_of, has_strace

needs_strace = pytest.mark.skipif(not has_strace(), reason="strace is not installed, or may not trace")


class BrokenGit(NamedTuple):
    """A folder to be the first of the PATH, whose git does as the real one but for one fault."""

    folder: Path
    log: Path

    def has_fired(self) -> bool:
        """True when the fault came to pass."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "(INJECTED)" in text or text.rstrip().endswith("= ?")


@contextmanager
def broken_git(
    root: Path, command: str, fault: Fault | None, *, with_its_parent: bool = False
) -> Iterator[BrokenGit]:
    """Such a git; without a fault it only writes down its calls."""
    place = Path(tempfile.mkdtemp(prefix="git", dir=root.parent))
    log = place / "calls"
    injected = " ".join(f"-e {words}" for words in fault.injections) if fault else ""
    parent = "kill -9 $PPID; " if with_its_parent else ""
    how = f'strace -qq -s 0 -o {log} -e trace={CALLS} -e signal=none {injected} {REAL} "$@"\ncode=$?\n[ $code -lt 128 ] && exit $code\n{parent}kill -9 $$\n'
    killed_once(place / "bin", how, command)
    try:
        yield BrokenGit(place / "bin", log)
    finally:
        shutil.rmtree(place)


def git_calls(vaults: Vaults, scene: Scene, command: str) -> tuple[Call, ...]:
    """What the first git of this name does in an undisturbed run of a verb."""
    with vaults.fresh(scene) as root, broken_git(root, command, None) as git:
        done = vaults.done(scene.verb, root, bin_=git.folder, watched=False)
        assert done.code == OK, done.output
        assert git.log.exists(), f"{scene.name} starts no git {command}"
        return calls_of(str(git.log))
