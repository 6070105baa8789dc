"""The other copy of a vault: what its branch holds is fetched, and commits are pushed there. Never asks, never hangs, runs nothing of the vault's.

Git works here in an empty repository of ours that shares the vault's objects. So it follows the settings of the user (credentials,
ssh, proxies), and none of the vault's own: these only say where the other copy is.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from memoryclaw.errors import GitKilledError, HistoryError
from memoryclaw.history.git import QUIET, common_dir, options_of
from memoryclaw.history.repository import History
from memoryclaw.late import NamedTuple
from memoryclaw.vault.layout import STATE_DIR
from memoryclaw.vault.state_folder import make_private_folder, write_private

FOLDER = f"{STATE_DIR}/remote"  # locked while two copies are brought together
_SECONDS = 900  # that one command may take
_PAUSE = 0.2  # seconds before another try, more each time
HEADS = "refs/heads/"
_FETCHED = "refs/memoryclaw/fetched"
_PATH = re.compile(r"(?:file://|(?![^/]*:))")
_SSH = re.compile(r"(?:ssh|git\+ssh|ssh\+git)://|(?!\w+://)[^/]*:")
_SAFE = (
    *QUIET,
    ("core.askPass", ""),
    ("credential.interactive", "false"),
    *((f"protocol.{name}.allow", "always") for name in ("file", "git", "ssh", "http", "https")),
    ("fetch.recurseSubmodules", "false"),
    ("push.recurseSubmodules", "no"),
    ("push.gpgSign", "false"),
    ("transfer.fsckObjects", "true"),
    ("http.lowSpeedLimit", "1"),
    ("http.lowSpeedTime", "60"),
)
# A repository in a folder of this machine could name programs too; they are not run.
_THERE = "git -c core.hooksPath=/dev/null -c core.alternateRefsCommand=true -c receive.autogc=false"
_KEPT = frozenset(
    {"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_EXEC_PATH"}
)
_RACED = re.compile(
    r"\[rejected\]|cannot lock ref|failed to update ref|incorrect old value|reference already exists"
)
_SHA256 = "\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"  # of the settings
_SECRET = re.compile(r"(?<=://)[^/@\s]+@")


def without_secrets(address: str) -> str:
    """The address of a remote without a name and password in it."""
    return _SECRET.sub("", address)


class RemoteBranch(NamedTuple):
    """Where a branch goes: the name of the other copy, its branch, the addresses to fetch from and to push to, and our note of it."""

    remote: str
    branch: str  # without `refs/heads/`
    fetch: str
    push: str
    tracking: str  # refs/remotes/…; empty where git keeps none


def remote_of(history: History) -> RemoteBranch:
    """Where the current branch goes, as git has it configured; of several remotes without a word, `origin`."""
    ref, top = history.state().ref, history.state().top
    if top:
        raise HistoryError(
            f"the vault is kept in the repository of {top}, which holds more than the vault; pull and push that with git itself"
        )
    branch = ref.removeprefix(HEADS)
    _, out = history.git.asks("config", "--null", "--get-regexp", r"^(branch|remote)\.")
    settings: dict[str, str] = {}
    for record in out.decode("utf-8", "replace").split("\0"):
        key, _, value = record.partition("\n")
        settings.setdefault(key, value)
    names = sorted({key[7:-4] for key in settings if key.startswith("remote.") and key.endswith(".url")})
    name = settings.get(f"branch.{branch}.remote", "")
    if name not in names:
        name = names[0] if len(names) == 1 else "origin" if "origin" in names else ""
    if not name:
        which, command = "this vault has no remote", "`git remote add origin ADDRESS` in the vault"
        if names:
            which = f"none of the remotes {', '.join(names)} is that of {branch}"
            command = f"`git push -u NAME {branch}` once"
        raise HistoryError(f"{which}; run {command}, then try again")
    is_own = settings.get(f"branch.{branch}.remote") == name
    merge = settings.get(f"branch.{branch}.merge", ref) if is_own else ref
    if not merge.startswith(HEADS):
        raise HistoryError(
            f"{branch} follows {merge}, which is not a branch; set branch.{branch}.merge to one"
        )
    remote_branch = merge.removeprefix(HEADS)
    url = settings[f"remote.{name}.url"]
    follows = settings.get(f"remote.{name}.fetch", "") == f"+{HEADS}*:refs/remotes/{name}/*"
    tracking = f"refs/remotes/{name}/{remote_branch}" if follows else ""
    return RemoteBranch(name, remote_branch, url, settings.get(f"remote.{name}.pushurl", url), tracking)


class Remote:
    """The other copy of a vault's branch."""

    def __init__(self, history: History, at: RemoteBranch, *, seconds: float = _SECONDS) -> None:
        self._history = history
        self.at = at
        self._seconds = seconds
        self._folder = os.path.join(history.root, FOLDER, "git")

    @property
    def name(self) -> str:
        """The branch, as a person knows it."""
        return f"{self.at.remote}/{self.at.branch}"

    def fetch(self) -> str:
        """The last commit of the branch there, brought here; empty when there is no such branch yet.

        Raises:
            HistoryError: it cannot be reached; git's own words.
        """
        self._ready()
        source = f"+{HEADS}{self.at.branch}:{_FETCHED}"
        options = ("--no-tags", "--no-write-fetch-head")
        code, _, err = self._run("fetch", self.at.fetch, [source], "upload-pack", options)
        if code and "find remote ref" in err:
            return ""
        if code:
            raise self._failure("fetch", code, err)
        with open(os.path.join(self._folder, _FETCHED), encoding="ascii") as file:
            commit = file.read().strip()
        self._note(commit)
        return commit

    def push(self, commit: str) -> bool:
        """Makes a commit the last of the branch there; False when another came first.

        Raises:
            HistoryError: it is refused, or cannot be reached; git's own words.
        """
        self._ready()
        target, options = f"{commit}:{HEADS}{self.at.branch}", ("--porcelain", "--no-verify")
        code, out, err = self._run("push", self.at.push, [target], "receive-pack", options)
        if not code:
            self._note(commit)
            return True
        if _RACED.search(out) or _RACED.search(err):
            return False
        refused = next((line.split("\t")[-1] for line in out.splitlines() if line.startswith("!")), "")
        raise self._failure("push", code, "\n".join(filter(None, (err, refused))))

    def wait(self, attempt: int) -> None:
        """Waits a moment before another try."""
        time.sleep(_PAUSE * (attempt + 1))

    def _note(self, commit: str) -> None:
        """Notes where the branch there is, as git itself does; that another git is at work on the note does not matter."""
        if self.at.tracking:
            with suppress(HistoryError):
                self._history.git.run("update-ref", "-m", "memoryclaw: sync", self.at.tracking, commit)

    def _ready(self) -> None:
        history, folder = self._history, self._folder
        if os.path.exists(os.path.join(common_dir(history.git_dir), "shallow")):
            raise HistoryError(
                "this copy of the vault lacks its older commits, so it cannot be merged; run `git fetch --unshallow` once"
            )
        head = history.head()
        # Emptied each time: what a vault from elsewhere brought there could lead git to settings of its own.
        shutil.rmtree(folder, ignore_errors=True)
        for subfolder in ("", "refs", "refs/heads", "refs/memoryclaw", "objects"):
            make_private_folder(os.path.join(folder, subfolder))
        kind = _SHA256 if len(head) == 64 else ""
        write_private(folder, "config", f"[core]\n\tbare = true\n{kind}".encode())
        write_private(folder, "HEAD", b"ref: refs/heads/none\n")
        if head:
            write_private(os.path.join(folder, "refs/heads"), "here", f"{head}\n".encode())

    def _run(
        self, verb: str, address: str, refs: Sequence[str], program: str, options: Sequence[str]
    ) -> tuple[int, str, str]:
        """One command on what is moved; `program` of git's answers there."""
        there = [f"--{program}={_THERE} {program}"] if _PATH.match(address) else []
        command = ["git", f"--git-dir={self._folder}", *options_of(_SAFE), verb, "--quiet", *options, *there]
        environment = self._environment(address)
        return _finish([*command, "--", address, *refs], self._history.root, environment, self._seconds)

    def _environment(self, address: str) -> dict[str, str]:
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in _KEPT
        }
        for name in ("SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY"):
            environment.pop(name, None)  # nothing is to open a window and wait
        environment |= {
            "GIT_OBJECT_DIRECTORY": os.path.join(common_dir(self._history.git_dir), "objects"),
            "GIT_TERMINAL_PROMPT": "0",
            "GCM_INTERACTIVE": "never",
            "SSH_ASKPASS_REQUIRE": "never",
            "LC_ALL": "C",
        }
        if _SSH.match(address) and not environment.keys() & {"GIT_SSH", "GIT_SSH_COMMAND"}:
            command = ["git", f"--git-dir={self._folder}", "config", "--get", "core.sshCommand"]
            ssh_command = _finish(command, self._history.root, environment, self._seconds)[1].strip()
            environment["GIT_SSH_COMMAND"] = (
                f"{ssh_command or 'ssh'} -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15"
            )
        return environment

    def _failure(self, verb: str, code: int, err: str) -> HistoryError:
        if code < 0:
            return GitKilledError(f"git {verb} was killed by signal {-code}; try again")
        lines = [line.strip() for line in err.splitlines() if line.strip() and not line.startswith("hint:")]
        message = _SECRET.sub("", "; ".join(lines))[:600]
        return HistoryError(f"git {verb} of {self.name} failed: {message or f'exit code {code}'}")


def _finish(command: list[str], root: str, variables: dict[str, str], seconds: float) -> tuple[int, str, str]:
    """A command without a terminal, so that nothing it starts can ask; it and all it started end with us or after too long."""
    try:
        process = subprocess.Popen(
            command, cwd=root, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )  # fmt: skip
    except FileNotFoundError:
        raise HistoryError("git could not be started; is it installed?") from None
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise HistoryError(f"git did not finish within {seconds:g} seconds; try again") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
