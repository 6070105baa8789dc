"""Git as a process, through GitPython's command layer. The rule: nothing that a repository configures is ever run."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

from memoryclaw.adapters import gitlocks
from memoryclaw.core.errors import GitKilledError, HistoryError, InputError

if TYPE_CHECKING:
    from git.cmd import Git

_SAFE = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.attributesFile", os.devnull),
    ("core.pager", "cat"),
    ("commit.gpgSign", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("i18n.commitEncoding", "UTF-8"),
)
_LOCK = re.compile(r"Unable to create '((?:(?!Unable to create ').)+?\.lock)': File exists")
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}


class GitCommand:
    """Runs git plumbing on one repository and one working tree, both named outright, so that no parent is searched."""

    def __init__(self, root: str, git_dir: str) -> None:
        self._root = root
        # GitPython hands the whole environment on, so what a caller's git left in it is unset by `env`.
        inherited = [name for name in os.environ if name.startswith("GIT_")]
        scrub = ["env", *(part for name in inherited for part in ("-u", name))] if inherited else []
        settings = [part for key, value in _SAFE for part in ("-c", f"{key}={value}")]
        self._fixed = [f"--git-dir={git_dir}", f"--work-tree={root}", *settings]
        self._scrub = scrub
        self._git: Git | None = None

    def run(self, *args: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> bytes:
        """The output of one command; HistoryError with git's own words when it fails.

        Args:
            args: the subcommand and its arguments.
            stdin: what the command reads.
            env: further variables.
        """
        status, out, err = self._execute(args, stdin, env or {})
        if status:
            raise self._failed(args[0], status, err)
        return out

    def start(self, *args: str, env: dict[str, str] | None = None) -> Callable[[], bytes]:
        """Starts a command that reads nothing; what is returned waits for its output, as `run` gives it."""
        process = self._started(args, env or {})

        def output() -> bytes:
            status, out, err = _ended(process, b"")
            if status:
                raise self._failed(args[0], status, err)
            return out

        return output

    def asks(self, *args: str, stdin: bytes = b"") -> tuple[bool, bytes]:
        """Whether a command that answers by its exit code said yes, and what it printed."""
        status, out, err = self._execute(args, stdin, {})
        if status not in {0, 1}:
            raise self._failed(args[0], status, err)
        return status == 0, out

    def report(self, *args: str, seconds: float) -> tuple[bool, list[str]] | None:
        """Whether a command that looks at the whole repository was content, and its lines; None when it takes longer than that."""
        process = self._started(args, {})
        try:
            out, err = process.communicate(b"", seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        lines = (out + err).decode("utf-8", "replace").splitlines()
        return process.returncode == 0, [line for line in lines if line.strip()]

    def _failed(self, verb: str, status: int, err: str) -> HistoryError:
        if status < 0:
            return GitKilledError(f"git {verb} was killed by signal {-status}; try again")
        if lock := _LOCK.search(err):
            return HistoryError(gitlocks.told(lock[1], self._root))
        words = err.splitlines()
        return HistoryError(f"git {verb} failed: {words[-1] if words else f'exit code {status}'}")

    def _execute(self, args: tuple[str, ...], stdin: bytes, env: dict[str, str]) -> tuple[int, bytes, str]:
        return _ended(self._started(args, env), stdin)

    def _started(self, args: tuple[str, ...], env: dict[str, str]) -> subprocess.Popen[bytes]:
        if any("\0" in arg for arg in args):
            raise InputError("git knows no name with a NUL character in it")
        variables = {**_ENVIRONMENT, **env}
        # `env` unsets first and sets last, so ours survive the scrubbing.
        prefix = (
            [*self._scrub, *(f"{key}={value}" for key, value in variables.items())] if self._scrub else []
        )
        started = self._command_layer().execute(
            [*prefix, "git", *self._fixed, *args], istream=subprocess.PIPE, as_process=True, env=variables
        )
        # GitPython's own handle kills its process when it is let go; the process itself is what we wait for.
        process, started.proc = started.proc, None
        if process is None:
            raise HistoryError("git could not be started; is it installed?")
        return process

    def _command_layer(self) -> Git:
        if self._git is None:
            asked = os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
            from git.cmd import Git  # noqa: PLC0415 - costs 0.1 s, and only writers need it

            if asked == "quiet":
                del os.environ["GIT_PYTHON_REFRESH"]
            self._git = Git(self._root)
        return self._git


def _ended(process: subprocess.Popen[bytes], stdin: bytes) -> tuple[int, bytes, str]:
    out, err = process.communicate(stdin)
    return process.returncode, out, err.decode("utf-8", "replace").strip()
