"""Work in a process of its own that is killed at its first write, its second, …: `killed_at(3, work)`.

A process is forked and not started anew, so that nothing is imported again; what counts as a write is any call that changes the disk.
`tests/faults/tracing.py` does the same at the system calls themselves, where there is a strace.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import re
import signal
import subprocess
import sys
import traceback
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from memoryclaw.vault import files

WRITES = ("write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "fchmod")
_SHELF = re.compile(r"/objects/([0-9a-f]{2})$")
_SYSTEM = {"posix", "_io", "io", "_posixsubprocess", "select", "sqlite3"}
_ON_OPEN = {"write", "fsync", "fchmod", "close", "fspath", "__exit__"}
_BY_NAME = {"open", "mkdir", "rename", "replace", "link", "unlink", "chmod"}  # the interpreter tells which
_NAME = re.compile(rb"[0-9a-f]{40}")
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
    """The writes of some work below a folder at which a kill leaves what no kill at an earlier one leaves, and the one after the last.

    A killed process leaves what is on the disk and nothing else, so each state of it is tried once. Much that counts as a write changes no
    byte: a sync, a process that starts and one that is heard; a lock that is taken and given back leaves what was there before. The work
    is done to its end.
    """

    def looked_at(acknowledge: Callable[[bytes], int]) -> None:
        count, states, objects = 0, set[bytes](), set[str]()

        def step() -> None:
            nonlocal count
            count += 1
            state = _state(root, objects)
            if state not in states:
                states.add(state)
                acknowledge(b"%d " % count)

        before_each_write(step)
        work()
        acknowledge(b"%d" % (count + 1))

    ended = killed_at(0, looked_at)
    assert ended.code == 0
    return [int(at) for at in ended.acknowledged.split()]


def looks_of(work: Callable[[], object]) -> list[int]:
    """The writes of some work between which it does more than write to what it has open and put objects where git keeps them.

    Neither has to do with what somebody else does to a file by its name: what is done before such a write and what is done after it come
    to the same, as long as the work looks at nothing and moves nothing else meanwhile. The work is done to its end.
    """

    def looked_at(acknowledge: Callable[[bytes], int]) -> None:
        count, looked = 0, True

        def step() -> None:
            nonlocal count, looked
            count += 1
            if looked:
                acknowledge(b"%d " % count)
            looked = False

        def called(_frame: object, event: str, function: Any) -> None:
            nonlocal looked
            if event == "c_call" and not looked:
                home = getattr(function, "__module__", None) or type(function.__self__).__module__
                looked = home in _SYSTEM and function.__name__ not in _ON_OPEN | _BY_NAME

        def named(event: str, args: tuple[Any, ...]) -> None:
            nonlocal looked
            if event.startswith(("os.", "open")) and not isinstance(args[0], int):
                looked |= "/objects/" not in os.fsdecode(args[0])

        before_each_write(step)
        sys.addaudithook(named)
        sys.setprofile(called)
        work()
        sys.setprofile(None)

    ended = killed_at(0, looked_at)
    assert ended.code == 0
    return [int(at) for at in ended.acknowledged.split()]


def _state(root: Path, known: set[str]) -> bytes:
    """A digest of all that stands below a folder; what comes to be known of git's objects is added.

    An object that is whole, in the place that its name gives it, counts where a file names it: nobody else asks for it. One that is torn
    counts with its bytes, and so does that one is gone that was there.
    """
    digest, objects, named = hashlib.blake2b(), set[str](), set[str]()
    for folder, names, paths in os.walk(root):
        names.sort()
        shelf = _SHELF.search(folder)
        for path in sorted(paths):
            try:
                with open(os.path.join(folder, path), "rb") as file:
                    mode, data = os.fstat(file.fileno()).st_mode, file.read()
            except FileNotFoundError:  # a git that runs took its lock away
                mode, data = 0, b""
            if shelf and _is_whole(shelf[1] + path, data):
                objects.add(shelf[1] + path)
            else:
                digest.update(b"%s\0%d %d\0%b" % (os.fsencode(path), mode, len(data), data))
                named |= {name.decode() for name in _NAME.findall(data)}
        if not folder.endswith("/objects"):
            digest.update(os.fsencode(f"{folder}\0{names}"))
    known |= objects
    digest.update(repr((sorted(objects & named), sorted(known - objects))).encode())
    return digest.digest()


@functools.cache
def _is_whole(name: str, data: bytes) -> bool:
    """True when a loose object is the one that it is called."""
    try:
        return hashlib.sha1(zlib.decompress(data), usedforsecurity=False).hexdigest() == name
    except zlib.error:
        return False


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
