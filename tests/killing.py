"""Work in a process of its own that is killed at its first write, its second, …: `killed_at(3, work)`.

A process is forked and not started anew, so that nothing is imported again; what counts as a write is any call that changes the disk.
`tests/faults/tracing.py` does the same at the system calls themselves, where there is a strace.
"""

from __future__ import annotations

import gc
import hashlib
import os
import signal
import subprocess
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from memoryclaw.vault import files

WRITES = ("write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "fchmod")
_write = os.write


class Killed(NamedTuple):
    """How it ended (0: well), and what it had acknowledged by then."""

    code: int
    acknowledged: bytes


def killed_at(at: int, work: Callable[[Callable[[bytes], int]], object]) -> Killed:
    """Does some work, which is given a way to acknowledge what it did; killed at its write number `at`, 0 lets it through."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        _child(at, work, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as answers:
        acknowledged = answers.read()
    return Killed(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), acknowledged)


def points_of(root: Path, work: Callable[[], object]) -> list[int]:
    """The writes of some work below a folder at which a kill leaves other bytes than at the write before, and the one after the last.

    Much that counts as a write changes no byte: a sync, a process that starts and one that is heard. The work is done to its end.
    """

    def looked_at(acknowledge: Callable[[bytes], int]) -> None:
        count, before = 0, b""

        def step() -> None:
            nonlocal count, before
            count += 1
            now = _digest(root)
            if now != before:
                acknowledge(b"%d " % count)
            before = now

        before_each_write(step)
        work()
        acknowledge(b"%d" % (count + 1))

    ended = killed_at(0, looked_at)
    assert ended.code == 0
    return [int(at) for at in ended.acknowledged.split()]


def _digest(root: Path) -> bytes:
    """A digest of all that stands below a folder."""
    digest = hashlib.blake2b()
    for folder, names, paths in os.walk(root):
        names.sort()
        for path in sorted(paths):
            try:
                with open(os.path.join(folder, path), "rb") as file:
                    mode, data = os.fstat(file.fileno()).st_mode, file.read()
            except FileNotFoundError:  # a git that runs took its lock away
                mode, data = 0, b""
            digest.update(b"%s\0%d %d\0%b" % (os.fsencode(path), mode, len(data), data))
        digest.update(os.fsencode(f"{folder}\0{names}"))
    return digest.digest()


def lives(pid: int) -> bool:
    """True while a process runs; one that has ended and that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _child(at: int, work: Callable[[Callable[[bytes], int]], object], writing: int) -> NoReturn:
    gc.freeze()  # a child that collects would copy all that it shares
    try:
        kill_at(at)
        work(lambda data: _write(writing, data))
        os._exit(0)
    except BaseException:  # noqa: BLE001 - the parent is told by the exit code, whatever it was
        traceback.print_exc()
        os._exit(3)


def kill_at(at: int) -> None:
    """Kills this process before its write number `at`; processes that it starts count when they start and when they are read."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)

    before_each_write(step)


def before_each_write(step: Callable[[], object]) -> None:
    """Has this process call `step` before each of its writes."""

    def counted(module: Any, name: str, when: Callable[..., bool] = lambda *_, **__: True) -> None:
        real = getattr(module, name)

        def call(*args: Any, **options: Any) -> Any:
            if when(*args, **options):
                step()
            return real(*args, **options)

        setattr(module, name, call)

    for name in WRITES:
        counted(os, name)
    counted(files, "_exchange")
    counted(os, "open", lambda path, flags=0, *_, **__: bool(flags & os.O_CREAT))
    counted(subprocess.Popen, "__init__")
    counted(subprocess.Popen, "communicate")
