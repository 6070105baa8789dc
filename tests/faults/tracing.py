"""Work in a process of its own with one fault in it: `run(work, Fault("KILL", Call("write", 7)))` kills it at its seventh write.

The fault is injected at the system call itself; a kill comes before the call is carried out. Each kind of call is counted apart. A process is
forked, so that nothing is imported again, stops itself, is attached to, and goes on: strace counts its calls and not those of its children,
which are git (`tests/gitkiller.py` breaks that). It would stop at every call there is: where the kernel asks us about calls of one name
(`noticing.py`), that injects the fault. Where there is no strace, the calls are those that `killing.before_each_write` knows.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import gc
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from killing import before_each_write
from noticing import Notices, can_be_noticed, noticed

from memoryclaw.errors import MemoryClawError, refused_by_system

# What can change a disk, and `openat`, which does so when it creates.
CALLS = (
    "openat,write,writev,pwrite64,pwritev,sendfile,copy_file_range,ftruncate,truncate,fallocate,fsync,fdatasync,"
    "mkdir,mkdirat,rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,"
    "chmod,fchmod,fchmodat,utimensat"
)
STARTS = "clone,clone3,fork,vfork"  # of a git, which changes the disk on its own
READS = "openat,open,read,pread64,getdents64,newfstatat,fstat,stat,lstat,statx"
_LINE = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+|\?)(.*)")
_TAKES_ROOM = frozenset({"openat", "write", "writev", "pwrite64", "sendfile", "copy_file_range", "fallocate", "ftruncate", "mkdir", "mkdirat", "rename", "renameat", "renameat2", "link", "linkat"})  # fmt: skip
_TOUCHES_MEDIUM = _TAKES_ROOM | {"fsync", "fdatasync", "unlink", "unlinkat"}
_NEEDS_A_RIGHT = frozenset({"openat", "mkdir", "mkdirat", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "chmod", "fchmod", "utimensat"})  # fmt: skip
OK, REFUSED, BUG = 0, 1, 3
PATIENCE = 120  # seconds; a process that needs longer hangs


class Call(NamedTuple):
    """One call of a run without a fault: its name, which of its name it is, whether it changed the disk, and how strace shows it."""

    name: str
    number: int
    changes: bool = True
    shown: str = ""


class Fault(NamedTuple):
    """What goes wrong: KILL or the name of an error, at one call, or at each call from that one on.

    earlier: how many calls of each name there are before, so that `onwards` is known for all of them.
    """

    name: str
    call: Call
    earlier: Mapping[str, int] | None = None

    @property
    def injections(self) -> list[str]:
        """The fault in strace's words."""
        what = "signal=KILL" if self.name == "KILL" else f"error={self.name}"
        if self.earlier is None:
            return [f"inject={self.call.name}:{what}:when={self.call.number}"]
        return [
            f"inject={name}:{what}:when={self.earlier.get(name, 0) + 1}+" for name in sorted(apt(self.name))
        ]

    @property
    def names(self) -> frozenset[str]:
        """The calls that it looks at."""
        return frozenset({self.call.name}) if self.earlier is None else apt(self.name)

    def meets(self, name: str, number: int) -> bool:
        """True at the calls that it meets: the one, or each from that one on."""
        if self.earlier is None:
            return number == self.call.number
        return number > self.earlier.get(name, 0)

    def __str__(self) -> str:
        return f"{self.name} at {self.call.name} {self.call.number}{'' if self.earlier is None else ' and from then on'}"


def apt(error: str) -> frozenset[str]:
    """The calls that an error can meet."""
    return {"ENOSPC": _TAKES_ROOM, "EIO": _TOUCHES_MEDIUM, "EACCES": _NEEDS_A_RIGHT}.get(
        error, frozenset(CALLS.split(","))
    )


def faults(error: str, calls: Sequence[Call], *, onwards: bool = False) -> list[Fault]:
    """This fault at every call of a run that it can meet; those that read are left out, and of what stands there once more some.

    A sync changes no byte: a process that is killed after it leaves what one leaves that is killed before, unless a git was at work since.
    """
    chosen, earlier, same = [], Counter[str](), False
    for call in calls:
        if call.changes and call.name in apt(error):
            if not (same and error == "KILL"):
                chosen.append(Fault(error, call, dict(earlier) if onwards else None))
            same = call.name in {"fsync", "fdatasync"}
        elif call.name in STARTS:
            same = False
        earlier[call.name] += 1
    # SQLite writes pages: dozens of calls that are alike.
    pages = [fault for fault in chosen if fault.call.name == "pwrite64"]
    dull = {fault.call for place, fault in enumerate(pages) if place % 4}
    return [fault for fault in chosen if fault.call not in dull]


def every_other(all_faults: Sequence[Fault]) -> Sequence[Fault]:
    """Half of them, by chance this half or that, as there are more than a campaign needs: the next may try the others."""
    return all_faults[random.randrange(2) :: 2]


class Ended(NamedTuple):
    """How a process ended (0: well, 1: refused in a sentence, 3: a bug, below 0: a signal), and what was seen of it."""

    code: int
    acknowledged: list[str]
    output: str
    fired: bool
    calls: tuple[Call, ...] = ()


@functools.cache
def has_strace() -> bool:
    """True where strace can attach to a process."""
    if not shutil.which("strace"):
        return False
    done = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False)
    return done.returncode == 0


def run(
    work: Callable[[Callable[[str], None]], object], fault: Fault | None = None, *, watched: bool = True
) -> Ended:
    """Does some work, which is given a way to acknowledge what it did, with one fault in it or with none.

    `watched` is False where nobody asks for its calls.
    """
    _adopt()
    heard, telling = socket.socketpair()
    traced, notices = watched and has_strace(), None
    asked = fault if traced and fault and can_be_noticed() else None
    log = f"/tmp/faults-{os.getpid()}.log"
    Path(log).unlink(missing_ok=True)
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        heard.close()
        _child(work, telling, fault, asked, counted=watched and not traced)
    telling.close()
    os.waitpid(pid, os.WUNTRACED)
    if asked:
        notices = Notices(heard, pid, functools.partial(_verdict, asked, pid))
    tracer = _attached(pid, log, fault) if traced and not notices else None
    os.kill(pid, signal.SIGCONT)
    try:
        lines = _said(heard, notices).decode("utf-8", "replace").split("\0")[:-1]
    except TimeoutError:
        os.killpg(pid, signal.SIGKILL)
        lines = ["!it hangs"]
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if tracer:
        tracer.communicate(timeout=PATIENCE)
    _orphans_end(pid, notices)
    words = [line[1:] for line in lines if line[0] == "!"]
    calls = calls_of(log) if tracer else tuple(Call("write", n) for n in range(1, 1 + sum(line == "." for line in lines)))  # fmt: skip
    fired = bool(fault) and (code == -signal.SIGKILL or bool(notices and notices.refused) or any("(INJECTED)" in call.shown for call in calls) or "fired" in lines)  # fmt: skip
    return Ended(code, [line[1:] for line in lines if line[0] == "+"], "\n".join(words), fired, calls)


def _verdict(fault: Fault, pid: int, name: str, number: int) -> int:
    """The error that a call meets, 0 for none."""
    if not fault.meets(name, number):
        return 0
    if fault.name != "KILL":
        return int(getattr(errno, fault.name))
    os.kill(pid, signal.SIGKILL)
    return errno.EINTR


def _said(heard: socket.socket, notices: Notices | None) -> bytes:
    """All that a child says until it ends; meanwhile its calls are answered."""
    said, end = bytearray(), time.monotonic() + PATIENCE
    with heard:
        while (left := end - time.monotonic()) > 0:
            if notices:
                notices.answer(left, heard)
            heard.settimeout(max(left, 0.001))
            if not (part := heard.recv(1 << 16)):
                return bytes(said)
            said += part
    raise TimeoutError


def _child(
    work: Callable[[Callable[[str], None]], object],
    telling: socket.socket,
    fault: Fault | None,
    asked: Fault | None,
    *,
    counted: bool,
) -> NoReturn:
    def say(kind: str, text: str = "") -> None:
        telling.sendall(f"{kind}{text}\0".encode("utf-8", "replace"))  # a call that no fault meets

    gc.freeze()  # a child that collects would copy all that it shares
    code = BUG
    try:
        os.setpgid(0, 0)
        _let_be_traced()
        if asked:
            noticed(asked.names, telling)
        os.kill(os.getpid(), signal.SIGSTOP)
        if counted:
            _without_strace(fault, say)
        work(lambda text: say("+", text))
        code = OK
    except MemoryClawError as error:
        say("!", str(error))
        code = REFUSED
    except BaseException as error:  # noqa: BLE001 - the parent is told, whatever it was
        refused = refused_by_system(error) if isinstance(error, Exception) else ""
        say("!", refused or traceback.format_exc())
        code = REFUSED if refused else BUG
    finally:
        os._exit(code)


def _without_strace(fault: Fault | None, say: Callable[..., None]) -> None:
    count = 0

    def step() -> None:
        nonlocal count
        count += 1
        if fault is None:
            say(".")
        elif count == fault.call.number or (fault.earlier is not None and count > fault.call.number):
            if fault.name == "KILL":
                os.kill(os.getpid(), signal.SIGKILL)
            say("fired")
            number = getattr(errno, fault.name)
            raise OSError(number, os.strerror(number))

    before_each_write(step)


def _attached(pid: int, log: str, fault: Fault | None) -> subprocess.Popen[bytes]:
    traced = f"{CALLS},{STARTS}" if fault is None or fault.call.name in CALLS else READS
    command = [
        "strace", "-qq", "-s", "0", "-o", log, "-p", str(pid), "-e", f"trace={traced}", "-e", "signal=none",
    ]  # fmt: skip
    injected = [part for words in (fault.injections if fault else []) for part in ("-e", words)]
    tracer = subprocess.Popen([*command, *injected], stderr=subprocess.PIPE, process_group=0)
    while not re.search(r"^TracerPid:\t[1-9]", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE):
        if tracer.poll() is not None:
            assert tracer.stderr
            raise AssertionError(f"strace did not attach: {tracer.stderr.read().decode()}")
        time.sleep(0.001)
    return tracer


def calls_of(log: str) -> tuple[Call, ...]:
    """The calls that a strace has written down."""
    chosen, count = [], Counter[str]()
    for line in Path(log).read_text(errors="replace").splitlines():
        name, args, result, _ = match.groups() if (match := _LINE.match(line)) else (line.partition("(")[0], line, "?", "")  # fmt: skip
        changes = (
            not result.startswith("-")
            and name not in STARTS
            and (name != "openat" or "O_CREAT" in args or "O_TRUNC" in args)
        )
        count[name] += 1
        chosen.append(Call(name, count[name], changes, line))
    return tuple(chosen)


def _orphans_end(group: int, notices: Notices | None) -> None:
    """Waits for what a killed process had started: it may still be writing."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if os.waitpid(-group, os.WNOHANG)[0] == 0:
                notices.answer(0.002) if notices else time.sleep(0.002)
        except ChildProcessError:
            if notices:
                notices.close()
            return
    os.killpg(group, signal.SIGKILL)
    raise AssertionError("what a killed process had started did not end")


@functools.cache
def _adopt() -> None:
    """Makes orphans of our children ours, so that we can wait for them."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _let_be_traced() -> None:
    """Lets any process of this user trace this one, where the system allows only parents."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)  # PR_SET_PTRACER
