"""The command as a process of its own, forked from one that has imported everything already.

A command line that starts costs ten times what most commands do. The rule: a child is what the installed command would be
(its own process, arguments, environment, folder and standard streams; its end through `main`) or `python -c`; only what is
the same in every process is done: the imports, those of the command line and whatever an earlier child imported when it came
to need it; and what the interpreter learns of code, and code of the lists of words that we ship, when it runs for the first time.

Two thirds of what such a child costs is to become a process. So the commands of one test that follow each other in one folder and environment
share a child, as long as each leaves it as it was: no thread, no child of its own and no open file, nor a signal that is handled otherwise.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import io
import itertools
import json
import marshal
import os
import pkgutil
import re
import resource
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

# What Python, or a module while it is imported, reads from its environment: a command that differs here is started anew.
AT_START = ("PYTHON", "LC_", "LANG")
PATIENCE = 300  # seconds for one command; more than any takes on the slowest machine
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
# What a command that goes on imports once it runs, by its verb: nobody tells the stem at its end.
_LASTING = {
    "serve": (
        "memoryclaw.interfaces.http.server", "memoryclaw.interfaces.http.workers", "memoryclaw.interfaces.mcp.transports",
        "memoryclaw.interfaces.ui.site", "memoryclaw.daemon.daemon", "uvicorn.protocols.http.h11_impl", "uvicorn.lifespan.on",
    ),
    "mcp": ("memoryclaw.interfaces.mcp.transports", "memoryclaw.interfaces.mcp.server", "mcp.server.stdio"),
}  # fmt: skip
_QUOTED = re.compile(r"""'[^']*'|"[^"$`\\!]*["]""")  # a shell reads nothing in these
_HOME = re.compile(r"""('[^']*'|"[^"]*")|(?<= )~(?=/)""")
# A command, the file that it reads, and what reads its output.
_PIPED = re.compile(r"""((?:'[^']*'|"[^"]*"|[^|<'"])*?)(?: < (\S+))?(?: \| (.*))?""", re.DOTALL)
_SHELL = frozenset("|&;<>()$`\\*?[]#~{}!\n")


def at_start(environ: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that only a new process reads, and which git is found in it."""
    read = {name: value for name, value in environ.items() if name.startswith(AT_START)}
    return {**read, "git": shutil.which("git", path=environ.get("PATH", "")) or ""}


def plain(script: str) -> list[str]:
    """The arguments of a command line that asks nothing of a shell but to run ours; none for any other."""
    if _SHELL.intersection(_QUOTED.sub("", script)):
        return []
    command, *args = shlex.split(script) or [""]
    return args if command == "memoryclaw" else []


def _in_shell(script: str, typed: str, environ: Mapping[str, str], cwd: Path) -> tuple[int, str]:
    if STEM.fits(environ):
        environ = GRAFT.on_path(environ)
    ended = subprocess.run(
        ["bash", "-c", script], cwd=cwd, env=environ, input=typed, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", timeout=PATIENCE, check=False,
    )  # fmt: skip
    return ended.returncode, ended.stdout


def _began(*args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", __file__, *args],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", start_new_session=True,
    )  # fmt: skip


class Stem:
    """The process that commands are forked from, one after the other; started when it is first asked."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._environ: dict[str, str] = {}

    def fits(self, environ: Mapping[str, str]) -> bool:
        """True when a command with this environment may be forked."""
        if not self._process:
            self._environ = at_start(os.environ)
        return at_start(environ) == self._environ

    def run(
        self,
        args: list[str],
        *,
        stdin: str,
        environ: Mapping[str, str],
        cwd: Path | None,
        joined: bool = False,
    ) -> tuple[int, str, str]:
        """Runs one command to its end: its exit code and what it printed on both streams, or on one that is both."""
        test = "" if args[:1] == ["-c"] else environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        with tempfile.TemporaryDirectory(prefix="forked") as folder:
            streams = [os.path.join(folder, name) for name in ("in", "out", "out" if joined else "err")]
            Path(streams[0]).write_text(stdin, encoding="utf-8", newline="")
            code = self._ask([(args, streams)], environ, cwd, test=test)
            out, err = (Path(name).read_text(encoding="utf-8") for name in streams[1:])
        return code, out, err

    def run_on(
        self, args: list[str], streams: list[str], *, environ: Mapping[str, str], cwd: Path | None = None
    ) -> int:
        """Runs one command to its end on three files or devices; its exit code."""
        return self._ask([(args, streams)], environ, cwd)

    def run_each(
        self, lines: Sequence[list[str]], *, stdin: str, environ: Mapping[str, str]
    ) -> list[tuple[int, str, str]]:
        """Runs commands one after the other in one process: what each of them returns and prints."""
        with tempfile.TemporaryDirectory(prefix="forked") as folder:
            typed, codes = (os.path.join(folder, name) for name in ("in", "codes"))
            Path(typed).write_text(stdin, encoding="utf-8", newline="")
            each = [
                [typed, *(os.path.join(folder, f"{n}.{end}") for end in ("out", "err"))]
                for n in range(len(lines))
            ]
            self._ask([*zip(lines, each, strict=True)], environ, None, codes)
            return [
                (int(code), *(Path(name).read_text(encoding="utf-8") for name in streams[1:]))
                for code, streams in zip(Path(codes).read_text().split(), each, strict=True)
            ]

    def type(self, script: str, *, environ: Mapping[str, str], cwd: Path) -> tuple[int, str]:
        """Runs a command line to its end: its exit code and what it printed on both streams; what needs a shell gets one."""
        script = _HOME.sub(lambda hit: hit[1] or environ.get("HOME", "~"), script)
        parts = _PIPED.fullmatch(script)
        args = plain(parts[1]) if parts else []
        if not parts or not args or not self.fits(environ):
            return _in_shell(script, "", environ, cwd)
        typed = Path(cwd, parts[2]).read_text(encoding="utf-8") if parts[2] else ""
        if not parts[3]:
            return self.run(args, stdin=typed, environ=environ, cwd=cwd, joined=True)[:2]
        _, out, err = self.run(args, stdin=typed, environ=environ, cwd=cwd)
        code, printed = _in_shell(parts[3], out, environ, cwd)
        return code, err + printed

    def start(
        self, args: list[str], streams: list[str], *, environ: Mapping[str, str], cwd: Path | None
    ) -> int:
        """Starts one command on three files and leaves it running, a child of this process as any other; its id."""
        prctl = ctypes.CDLL(None).prctl
        prctl(_SUBREAPER, 1, 0, 0, 0)  # it is left by the one that forked it, and comes to us
        try:
            number = self._ask([(args, streams)], environ, cwd, lasting=True)
        finally:
            prctl(_SUBREAPER, 0, 0, 0, 0)
        assert number, "it did not begin"
        return number

    def _ask(
        self,
        lines: list[tuple[list[str], list[str]]],
        environ: Mapping[str, str],
        cwd: Path | None,
        codes: str = "",
        *,
        lasting: bool = False,
        test: str = "",
    ) -> int:
        memory = resource.getrlimit(resource.RLIMIT_AS)  # as a process of ours would have it
        line = json.dumps([lasting, test, lines, dict(environ), os.fspath(cwd or Path.cwd()), codes, memory])
        process = self._process = self._process or _began()
        assert process.stdin
        assert process.stdout
        process.stdin.write(line + "\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], PATIENCE)[0]:
            self._process = None
            os.killpg(process.pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(line, PATIENCE)
        return int(process.stdout.readline())

    def close(self) -> None:
        """Ends it."""
        process, self._process = self._process, None
        if process:
            process.communicate()


STEM = Stem()


# An installed command for whoever starts one by its path, as a host does: it hands its streams to a process that forks, and ends as its child does.
_GRAFTED = """#!{python} -ISE
import _socket, marshal, os, sys
server = _socket.socket(_socket.AF_UNIX)
server.connect({place!r})
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
request = marshal.dumps((sys.argv, dict(os.environ), os.getcwd()))
server.sendmsg([b"%8d" % len(request)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
server.sendall(request)
code = int(server.recv(8) or b"-9")
if code < 0:
    os.kill(os.getpid(), -code)
os._exit(code)
"""


# The same where no process can be waited for by a file: a host knows no PYTHONPATH, and starts the code that is tested.
_INSTALLED = """#!{python}
import sys
sys.path.insert(0, {root!r})
from memoryclaw.interfaces.cli import main
main()
"""
_ROOT = os.fspath(Path(__file__).parent.parent)


class Graft:
    """The process behind commands that others start by a path: `program(path)` installs one; started when it is first asked."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._folder = ""

    @property
    def command(self) -> str:
        """One that is installed already."""
        self._listens()
        return os.fspath(self.program(Path(self._folder, "bin", "memoryclaw")))

    def on_path(self, environ: Mapping[str, str]) -> dict[str, str]:
        """An environment in which a shell finds it first."""
        folder = os.path.dirname(self.command)
        return {**environ, "PATH": f"{folder}{os.pathsep}{environ.get('PATH', os.defpath)}"}

    def program(self, path: Path) -> Path:
        """An installed command that is forked."""
        self._listens()
        path.parent.mkdir(parents=True, exist_ok=True)
        text = _GRAFTED if sys.platform == "linux" else _INSTALLED
        place = os.path.join(self._folder, "s")
        path.write_text(text.format(python=sys.executable, root=_ROOT, place=place), encoding="utf-8")
        path.chmod(0o755)
        return path

    def _listens(self) -> None:
        self._folder = self._folder or tempfile.mkdtemp(prefix="graft")
        if not self._process and sys.platform == "linux":
            self._process = _began("--graft", os.path.join(self._folder, "s"))
            assert self._process.stdout
            self._process.stdout.readline()

    def close(self) -> None:
        """Ends it."""
        process, self._process = self._process, None
        if process:
            process.communicate()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


GRAFT = Graft()


class Grown(subprocess.Popen[Any]):
    """A command that goes on, forked from the stem."""

    def _execute_child(  # what else a process is, its pipes and its end, stays as it is
        self, args: list[str], _executable: Any, _preexec: Any, _close: Any, _pass: Any, cwd: Any, env: Mapping[str, str],
        _startup: Any, _flags: Any, _shell: Any, p2cread: int, p2cwrite: int, c2pread: int, c2pwrite: int, errread: int, errwrite: int, *_: Any,
    ) -> None:  # fmt: skip
        ends = enumerate((p2cread, c2pwrite, errwrite))
        streams = [f"/proc/{os.getpid()}/fd/{number if end == -1 else end}" for number, end in ends]
        self.pid = STEM.start(args[1:], streams, environ=env, cwd=cwd)
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]


def _preloaded() -> None:
    import memoryclaw.interfaces.cli as door  # noqa: PLC0415

    for module in pkgutil.iter_modules(door.__path__):
        with contextlib.suppress(ImportError):  # a door whose extra is not installed
            importlib.import_module(f"{door.__name__}.{module.name}")


# They go through most of the code that commands share; each has its line of a vault of one note and one turn.
_FILES = {
    "notes/boat.md": "# Boat\n\nOak, see [[larch]].\n\n- [ ] Tar it 2026-05-01\n",
    "logs/2026-04-19/s.jsonl": '{"ts":"2026-04-19T09:00:00Z","session":"s","turn":1,"role":"user","name":"Nora","content":"The deadline of Kiosk is 2026-05-01."}\n',
}
_WARMING = (
    "init", "search oak", "recall oak", "ask 'Which wood?'", "facts", "show notes/boat", "remember oak --entity boat --field wood",
    "consolidate --llm none", "review", "status", "doctor", "history", "undo HEAD",
)  # fmt: skip


def _warmed() -> None:
    """Runs commands here, on a vault and in a home that are gone afterwards; what they print is for nobody."""
    from memoryclaw.interfaces.cli.exit_codes import run  # noqa: PLC0415

    environ = dict(os.environ)
    with tempfile.TemporaryDirectory() as home, contextlib.redirect_stdout(io.StringIO()) as nobody:
        # No settings of the test that comes first: a server that they name would be asked, by threads.
        os.environ.update(HOME=home, XDG_CONFIG_HOME=f"{home}/own", MEMORYCLAW_VAULT=f"{home}/vault")
        for name, text in _FILES.items():
            path = Path(home, "vault", name)
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
        with contextlib.redirect_stderr(nobody):
            for line in _WARMING:
                run(shlex.split(line))
    os.environ.clear()
    os.environ.update(environ)
    assert threading.active_count() == 1, "a process with threads cannot be forked"


def _commands(
    lines: list[tuple[list[str], list[str]]],
    environ: dict[str, str],
    cwd: str,
    codes: str,
    memory: tuple[int, int],
    began: int = 0,
) -> NoReturn:
    from memoryclaw.interfaces.cli import main  # noqa: PLC0415
    from memoryclaw.interfaces.cli.exit_codes import run  # noqa: PLC0415

    _placed(environ, cwd, memory)
    if not codes:
        [(args, streams)] = lines
        _stream(_opened(streams))
        if began:
            os.write(began, b"%d" % os.getpid())
            os.close(began)
        if args[:1] == ["-c"]:
            _python(*args[1:])
        sys.argv = ["memoryclaw", *args]
        main()
    for args, streams in lines:
        _stream(_opened(streams))
        code = run(args)
        sys.stdout.flush()
        sys.stderr.flush()
        with open(codes, "a", encoding="utf-8") as file:
            file.write(f"{code}\n")
    os._exit(0)


def _placed(environ: Mapping[str, str], cwd: str, memory: tuple[int, int]) -> None:
    """Makes this process one of that environment, in that folder."""
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    os.chdir(cwd)
    resource.setrlimit(resource.RLIMIT_AS, memory)


class _Ending(BaseException):
    """The end of a command in a process that goes on."""


class _Branch:
    """A child that runs commands of one test, one after the other, until one of them leaves it otherwise than it was."""

    def __init__(self, key: tuple[Any, ...], answers: int) -> None:
        self.key, self.goes_on = key, True
        self._names, to = _tale()
        self._line, theirs = socket.socketpair()
        gc.freeze()  # a child that collects would copy all that it shares
        self._child = os.fork()
        if not self._child:
            for number in (answers, self._names, self._line.fileno()):
                os.close(number)
            try:
                _in_turn(theirs, _telling(to))
            finally:
                os._exit(3)
        self._number = os.pidfd_open(self._child)
        theirs.close()
        os.close(to)

    def run(self, request: list[Any]) -> int:
        """Runs one command: how it ended."""
        self._line.sendall(json.dumps(request).encode() + b"\n")
        if self._line in select.select([self._line, self._number], [], [])[0] and (
            said := self._line.recv(32)
        ):
            code, self.goes_on = map(int, said.split())
            if not self.goes_on:
                self.end()
            return code
        self.goes_on = False
        return self.end()

    def end(self) -> int:
        """Ends it: how it ended."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)  # whatever else was forked here may hold it, too
        self._line.close()
        os.close(self._number)
        code = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        _learned(self._names)
        return code


def _in_turn(line: socket.socket, leave: Callable[[int], NoReturn]) -> NoReturn:
    """Runs the commands that are asked for here, until nobody asks or this process is not what it was."""
    from memoryclaw.interfaces.cli import main  # noqa: PLC0415

    here, end = os.getpid(), os._exit

    def ends(code: int) -> NoReturn:
        if os.getpid() != here:
            end(code)
        raise _Ending(code)

    asked, handlers = line.makefile("rb"), _handlers()
    before = sorted(os.listdir("/proc/self/fd"))
    for request in asked:
        [([args, streams],), environ, cwd, _, memory] = json.loads(request)
        _placed(environ, cwd, memory)
        _stream(_opened(streams))
        sys.argv, code, os._exit = ["memoryclaw", *args], 3, ends
        try:
            main()
        except _Ending as ending:
            code = ending.args[0]
        os._exit = end
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        same = (
            threading.active_count() == 1
            and not _has_children()
            and sorted(os.listdir("/proc/self/fd")) == before
            and _handlers() == handlers
        )
        line.sendall(b"%d %d" % (code, same))
        if not same:
            break
    leave(0)


def _handlers() -> list[Any]:
    return [
        signal.getsignal(number)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGALRM)
    ]


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _python(code: str, *args: str) -> NoReturn:
    """Runs code as `python -c` does."""
    sys.argv, ended = ["-c", *args], 0
    try:
        exec(code, {"__name__": "__main__"})
    except SystemExit as error:
        ended = int(error.code or 0)
    except BaseException:  # noqa: BLE001 - told as Python tells it
        traceback.print_exc()
        ended = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(ended)


def _opened(names: list[str]) -> Iterator[int]:
    """Three files, to read from the first and to write at the end of the others."""
    for number, name in enumerate(names):
        yield os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND if number else os.O_RDONLY)


def _stream(files: Iterable[int]) -> None:
    """Makes three files the standard streams."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        if file != number:
            os.close(file)
    shapes = [(old.encoding, old.errors) for old in (sys.stdin, sys.stdout, sys.stderr)]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        encoding, errors = shapes[number]
        stream = open(  # noqa: SIM115 - it is the process's own
            number, "w" if number else "r", 1 if number == 2 else -1, encoding, errors, closefd=False
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _tale() -> tuple[int, int]:
    """A pipe for the names of modules, on which nobody ever waits."""
    names, to = os.pipe()
    os.set_blocking(names, False)
    os.set_blocking(to, False)
    return names, to


def _telling(to: int) -> Callable[[int], NoReturn]:
    """An end of the process that first tells which modules it imported."""
    # The names of what was there are not looked at: a child would copy every page that it counts a reference on.
    before, end = len(sys.modules), os._exit

    def ends(code: int) -> NoReturn:
        with contextlib.suppress(OSError):
            late = [*itertools.islice(reversed(sys.modules), max(0, len(sys.modules) - before))]
            os.write(to, "\n".join(late[::-1]).encode())
        end(code)

    return ends


def _learned(names: int) -> None:
    """Imports what a child imported late, so that the next one need not."""
    with contextlib.suppress(BlockingIOError):  # it was killed, and something that it started lives on
        for name in os.read(names, 1 << 16).decode().split():
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    os.close(names)


def _ended(request: list[Any], answers: int) -> int:
    """Runs commands in a child: how it ended."""
    names, to = _tale()
    child = os.fork()
    if not child:
        os.close(answers)
        os.close(names)
        os._exit = _telling(to)
        try:
            _commands(*request)
        finally:
            os._exit(3)
    os.close(to)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    _learned(names)
    return code


def _begun(request: list[Any], answers: int) -> int:
    """Leaves a command running in a child of a child that ends: its id once its streams are its own, else 0."""
    for name in _LASTING.get(request[0][0][0][0], ()):
        importlib.import_module(name)
    gc.freeze()
    begins, began = os.pipe()
    child = os.fork()
    if not child:
        if os.fork():
            os._exit(0)
        os.close(answers)
        os.close(begins)
        signal.signal(
            signal.SIGINT, signal.default_int_handler
        )  # a suite in the background of a shell ignores it
        try:
            _commands(*request, began)
        finally:
            os._exit(3)
    os.close(began)
    os.waitpid(child, 0)
    number = os.read(begins, 32)
    os.close(begins)
    return int(number or 0)


def _serve() -> None:
    asked, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.dup(1)
    _preloaded()
    _warmed()
    branch: _Branch | None = None
    for line in asked:
        gc.freeze()  # a child that collects would copy all that it shares
        lasting, test, *request = json.loads(line)
        if not test or sys.platform != "linux":
            os.write(answers, b"%d\n" % (_begun if lasting else _ended)(request, answers))
            continue
        _, environ, cwd, *_ = request
        key = test, cwd, {**environ, "PYTEST_CURRENT_TEST": ""}
        if branch and branch.key != key:
            branch.end()
            branch = None
        branch = branch or _Branch(key, answers)
        os.write(answers, b"%d\n" % branch.run(request))
        branch = branch if branch.goes_on else None
    if branch:
        branch.end()


def _request(connection: socket.socket) -> tuple[list[int], list[str], dict[str, str], str]:
    """What a grafted command hands over: its streams, arguments, environment and folder."""
    size, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as file:
        argv, environ, cwd = marshal.loads(file.read(int(size)))
    return streams, argv, environ, cwd


def _as_program(streams: list[int], argv: list[str], environ: dict[str, str], cwd: str) -> NoReturn:
    from memoryclaw.interfaces.cli import main  # noqa: PLC0415

    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    os.chdir(cwd)
    _stream(streams)
    sys.argv = argv
    main()
    os._exit(0)


def _graft(place: str) -> None:
    """Forks a command for each that connects, until there is nothing more to read."""
    _preloaded()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen()
    os.write(1, b"\n")
    running: dict[int, tuple[int, int, socket.socket]] = {}  # by what is readable when it has ended
    while True:
        waiting = [connection for *_, connection in running.values()]
        ready = select.select([0, listener, *running, *waiting], [], [])[0]
        if 0 in ready:
            return
        for end, (child, names, connection) in [*running.items()]:
            if end in ready:
                code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                with contextlib.suppress(OSError):
                    connection.sendall(b"%d" % code)
                _learned(names)
            elif connection in ready:  # whoever started it is gone
                os.kill(child, signal.SIGTERM)
            else:
                continue
            del running[end]
            connection.close()
            os.close(end)
        if listener in ready:
            connection, _ = listener.accept()
            streams, *how = _request(connection)
            for name in itertools.chain.from_iterable(_LASTING.get(word, ()) for word in how[0]):
                importlib.import_module(name)
            names, to = _tale()
            gc.freeze()
            if not (child := os.fork()):
                os._exit = _telling(to)
                try:
                    listener.close()
                    signal.signal(signal.SIGINT, signal.default_int_handler)
                    _as_program(streams, *how)
                finally:
                    os._exit(3)
            for number in (to, *streams):
                os.close(number)
            running[os.pidfd_open(child)] = (child, names, connection)


if __name__ == "__main__":
    _graft(sys.argv[2]) if sys.argv[1:2] == ["--graft"] else _serve()
