"""A process whose system calls of some names wait for a word of ours: carried out, refused with an error, or never, as it was killed.

The kernel asks by seccomp's user notification: nothing else that the process does is slowed down, as it is by a tracer that stops at every call.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import fcntl
import functools
import os
import platform
import select
import signal
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection

NUMBERS = {
    "read": 0, "write": 1, "open": 2, "stat": 4, "fstat": 5, "lstat": 6, "pread64": 17, "pwrite64": 18, "writev": 20, "sendfile": 40,
    "fsync": 74, "fdatasync": 75, "truncate": 76, "ftruncate": 77, "rename": 82, "mkdir": 83, "rmdir": 84, "link": 86, "unlink": 87,
    "symlink": 88, "chmod": 90, "fchmod": 91, "getdents64": 217, "openat": 257, "mkdirat": 258, "newfstatat": 262, "unlinkat": 263,
    "renameat": 264, "linkat": 265, "symlinkat": 266, "fchmodat": 268, "utimensat": 280, "fallocate": 285, "pwritev": 296,
    "renameat2": 316, "copy_file_range": 326, "statx": 332,
}  # fmt: skip
_NAMES = {number: name for name, number in NUMBERS.items()}
_SECCOMP, _SET_MODE_FILTER, _NEW_LISTENER, _NO_NEW_PRIVS = 317, 1, 8, 38
_RECEIVE, _SEND, _CONTINUE = 0xC0502100, 0xC0182101, 1
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ASK, _ALLOW = 0x7FC00000, 0x7FFF0000
_NOTICE, _ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")


def noticed(names: Collection[str], to: socket.socket) -> None:
    """Has these calls of this process, and of all that it starts, wait for who holds what is sent to it."""
    numbers = [NUMBERS[name] for name in names if name in NUMBERS]
    steps = [(_LOAD, 0, 0, 0)]
    steps += [(_JUMP_IF_EQUAL, len(numbers) - place, 0, number) for place, number in enumerate(numbers)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ASK)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    head = struct.pack("HP", len(steps), ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    listener = libc.syscall(_SECCOMP, _SET_MODE_FILTER, _NEW_LISTENER, head)
    if listener < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    # `send_fds` of the standard library would do, but for a name that it imports then.
    to.sendmsg([b"f"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))])
    os.close(listener)


class Notices:
    """The calls of a process that wait: `verdict(name, number)` gives the error that its call of that name and number meets, or 0."""

    def __init__(self, heard: socket.socket, pid: int, verdict: Callable[[str, int], int]) -> None:
        _, [self._listener], _, _ = socket.recv_fds(heard, 1, 1)
        self._pid, self._verdict = pid, verdict
        self._count = Counter[str]()
        self.refused = 0
        self._poll = select.poll()
        self._poll.register(self._listener, select.POLLIN)

    def answer(self, seconds: float, heard: socket.socket | None = None) -> None:
        """Answers calls for some time, or until there is something to hear."""
        end = time.monotonic() + seconds
        if heard:
            self._poll.register(heard, select.POLLIN)
        while (left := end - time.monotonic()) > 0:
            events = dict(self._poll.poll(left * 1000))
            mine = events.get(self._listener, 0)
            if mine & select.POLLIN:
                self._answer_one()
            elif mine:  # nobody is left who could ask
                self._poll.unregister(self._listener)
            if heard and heard.fileno() in events:
                self._poll.unregister(heard)
                return

    def _answer_one(self) -> None:
        notice, error = bytearray(_NOTICE.size), 0
        try:
            fcntl.ioctl(self._listener, _RECEIVE, notice)
            asked, pid, _, number, *_ = _NOTICE.unpack(notice)
            if pid == self._pid:  # and not a process that it started
                name = _NAMES[number]
                self._count[name] += 1
                error = self._verdict(name, self._count[name])
                self.refused += bool(error)
            fcntl.ioctl(self._listener, _SEND, _ANSWER.pack(asked, 0, -error, 0 if error else _CONTINUE))
        except FileNotFoundError:
            pass  # who asked is gone

    def close(self) -> None:
        """Nobody is left who could ask."""
        os.close(self._listener)


@functools.cache
def can_be_noticed() -> bool:
    """True where the kernel asks and takes our answer, and the numbers are ours."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    heard, telling = socket.socketpair()
    pid = os.fork()
    if not pid:
        try:
            noticed(["mkdir"], telling)
            os.mkdir("/")
        except FileExistsError:
            os._exit(0)
        finally:
            os._exit(1)
    telling.close()
    with heard, contextlib.suppress(OSError, ValueError):
        notices = Notices(heard, pid, lambda _name, _number: 0)
        notices.answer(10, heard)
        notices.close()
    os.kill(pid, signal.SIGKILL)  # one that nobody answered
    return os.waitpid(pid, 0)[1] == 0
