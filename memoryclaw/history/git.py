"""Git as it is on this machine: the state of a vault's own repository, git's locks in it, and git as a process."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from memoryclaw import late
from memoryclaw.errors import GitBusyError, GitKilledError, HistoryError, InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Stamp

if TYPE_CHECKING:
    from git.cmd import Git

# What state the repository of a vault is in, read from its files; no process is started. It is the vault's own, or a larger one whose
# settings name the vault as theirs: nothing else of a parent counts.

_BARE = re.compile(r"^[^\S\n]*bare[^\S\n]*=[^\S\n]*(?:true|yes|on|1)\b", re.IGNORECASE | re.MULTILINE)
_USER = re.compile(r"^[ \t]*\[user\](.*?)(?=^[ \t]*\[|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_WHO = re.compile(r"^[ \t]*(name|email)[ \t]*=[ \t]*([^\n#;]*)", re.IGNORECASE | re.MULTILINE)
_FORMAT = re.compile(r"^[^\S\n]*objectformat[^\S\n]*=[^\S\n]*sha256\b", re.IGNORECASE | re.MULTILINE)
_SHARES = re.compile(r"^[ \t]*\[memoryclaw\](.*?)(?=^[ \t]*\[|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_FOLDER = re.compile(r"^[ \t]*vault[ \t]*=([^\n]*)", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(r'^"([^\n]*)"$')
SHARED = "memoryclaw.vault"  # the setting of a larger repository that names the folder of a vault
_SIGNS = re.compile(r"^[ \t]*gpgsign[ \t]*(?:=[ \t]*(\w*))?", re.IGNORECASE | re.MULTILINE)
UNSIGNED = "you have git sign commits (commit.gpgSign), and MemoryClaw's own are not signed"
_YES = frozenset({"", "true", "yes", "on", "1"})
_MERGES = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFTABLE = "refs/heads/.invalid"
_LOADING = threading.Lock()  # of the environment that the command layer is loaded with


class GitState(NamedTuple):
    """The state of the vault's repository: `name` is none, ok, unborn, detached, merging, rebasing, bare, locked or damaged."""

    name: str
    sentence: str
    git_dir: str = ""
    ref: str = ""  # the branch that commits go to; empty where it takes git to tell
    lock: str = ""  # the file that is in the way, of a repository that is locked
    top: str = ""  # the folder of a larger repository that the vault is kept in
    common: str = ""  # the folder of the repository itself, as `common_dir` gives it
    hash_name: str = "sha1"  # how it names its objects

    @property
    def writable(self) -> bool:
        """True when a commit can be made now."""
        return self.name in {"ok", "unborn"}


def git_state(root: str, *, shared: bool = False) -> GitState:
    """The state of the repository whose `.git` is in this folder, or of the larger one that the vault is kept in.

    Args:
        shared: as if the larger one that there is were that of the vault.
    """
    git_dir, top = _git_dir(root), ""
    if not git_dir and not os.path.lexists(os.path.join(root, ".git")):
        top, larger = larger_repository(root)
        git_dir = larger if larger and (shared or _shares(larger, folder_in(top, root))) else ""
    if not git_dir:
        if all(os.path.exists(os.path.join(root, name)) for name in ("HEAD", "objects", "refs")):
            return GitState(
                "bare", "the vault folder is itself a bare git repository; use a working copy of it"
            )
        if os.path.isdir(os.path.join(root, ".git", "objects")):
            return GitState(
                "damaged", damage(".git/HEAD is gone; bring it back from another copy of the vault")
            )
        return GitState("none", "the vault has no git repository of its own, so changes cannot be undone")
    common = common_dir(git_dir)
    settings = _text(os.path.join(common, "config"))
    if _BARE.search(settings) and git_dir == common:
        state = GitState("bare", "the vault's git repository is bare; set core.bare to false", git_dir)
    else:
        state = _busy(git_dir) or _branch(root, git_dir, common)
    return state._replace(top=top, common=common, hash_name=_hash_name_in(settings))


def larger_repository(root: str) -> tuple[str, str]:
    """The nearest folder above this one that has a repository of the same user, and where that is; empty where there is none."""
    folder, below = os.path.dirname(os.path.realpath(root)), ""
    while folder != below:
        if git_dir := _git_dir(folder):
            # Whoever else may write there would have git's settings, and ours, say what they like.
            return (folder, git_dir) if os.stat(git_dir).st_uid == os.getuid() else ("", "")
        folder, below = os.path.dirname(folder), folder
    return "", ""


def folder_in(top: str, root: str) -> str:
    """The folder of a vault as a larger repository names it."""
    return os.path.relpath(os.path.realpath(root), top).replace(os.sep, "/")


def _shares(git_dir: str, folder: str) -> bool:
    sections = _SHARES.findall(_text(os.path.join(common_dir(git_dir), "config")))
    values = (value.strip() for section in sections for value in _FOLDER.findall(section))
    return any(re.sub(r"\\(.)", r"\1", _QUOTED.sub(r"\1", value)) == folder for value in values)


def other_locks(root: str, state: GitState) -> list[str]:
    """A sentence about each lock of git's that keeps no commit away, but something else."""
    if not state.git_dir:
        return []
    common = common_dir(state.git_dir)
    paths = [path for name in _OTHERS if os.path.exists(path := os.path.join(common, name))]
    for folder, folders, names in os.walk(os.path.join(common, "refs")):  # of any branch or tag
        folders.sort()
        paths += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".lock")]
    return [lock_sentence(path, root) for path in paths if path != state.lock]


def index_stamp(git_dir: str) -> Stamp | None:
    """The stamp of this working tree's index, or None before there is one."""
    try:
        info = os.stat(os.path.join(git_dir, "index"))
    except FileNotFoundError:
        return None
    return Stamp(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def configured_author(git_dir: str) -> tuple[str, str]:
    """The user's name and address from the repository's settings, else from their own; empty where none are set."""
    fields: dict[str, str] = {}
    for settings in _settings(git_dir):
        for section in _USER.findall(settings):
            fields.update((key.lower(), value.strip().strip('"')) for key, value in _WHO.findall(section))
    return fields.get("name", ""), fields.get("email", "")


def _settings(git_dir: str) -> list[str]:
    """The settings of git's user, then those of the repository."""
    home = os.path.expanduser("~")
    shared = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    own = os.path.join(shared, "git", "config"), os.path.join(home, ".gitconfig")
    return [_text(place) for place in (*own, os.path.join(common_dir(git_dir), "config"))]


def wants_signatures(git_dir: str) -> bool:
    """True where the user has git sign every commit, which ours never are: there may be nobody to give the key."""
    values = [(hit[1] or "").lower() for settings in _settings(git_dir) for hit in _SIGNS.finditer(settings)]
    return bool(values) and values[-1] in _YES


def hash_name(git_dir: str) -> str:
    """How the repository names its objects, also where it has none yet."""
    return _hash_name_in(_text(os.path.join(common_dir(git_dir), "config")))


def _hash_name_in(settings: str) -> str:
    return "sha256" if _FORMAT.search(settings) else "sha1"


def common_dir(git_dir: str) -> str:
    """The folder of the repository itself, which the folder of a further working tree points to."""
    shared = _text(os.path.join(git_dir, "commondir")).strip()
    return os.path.normpath(os.path.join(git_dir, shared)) if shared else git_dir


def config_files(git_dir: str) -> tuple[str, str]:
    """The settings of the repository, and those of this working tree alone."""
    return os.path.join(common_dir(git_dir), "config"), os.path.join(git_dir, "config.worktree")


def _busy(git_dir: str) -> GitState | None:
    if any(os.path.exists(os.path.join(git_dir, name)) for name in ("rebase-merge", "rebase-apply")):
        return GitState(
            "rebasing", "a git rebase is under way in the vault; finish or abort it first", git_dir
        )
    if any(os.path.exists(os.path.join(git_dir, name)) for name in _MERGES):
        return GitState("merging", "a git merge is under way in the vault; commit or abort it first", git_dir)
    return None


def _branch(root: str, git_dir: str, common: str) -> GitState:
    head = _text(os.path.join(git_dir, "HEAD")).strip()
    if not head.startswith("ref:"):
        if not _is_id(head):
            trouble = (
                ".git/HEAD names no branch; write `ref: refs/heads/` and the name of your branch into it"
            )
            return GitState("damaged", damage(trouble), git_dir)
        return GitState(
            "detached", "the vault's git HEAD is on no branch; run `git switch` to a branch first", git_dir
        )
    ref = head.removeprefix("ref:").strip()
    places = [os.path.join(git_dir, name) for name in _BLOCKING]
    places += [os.path.join(common, name) for name in (f"{ref}.lock", *_SHARED)]
    if lock := next(filter(os.path.exists, places), ""):
        return GitState("locked", lock_sentence(lock, root), git_dir, ref, lock)
    if ref == _REFTABLE:
        return GitState("ok", "the vault's git repository is ready", git_dir)
    value = _value(common, ref)
    if value is None and not _last_commit(common, ref):
        sentence = "the vault's git repository has no commit yet; the next change makes the first"
        return GitState("unborn", sentence, git_dir, ref)
    if value is None or not (_is_id(value) or value.startswith("ref:")):
        path, last_commit = os.path.join(common, ref), _last_commit(common, ref)
        name = os.path.relpath(path, root) if path.startswith(f"{root}{os.sep}") else path
        way = "bring it back from another copy of the vault"
        if last_commit:
            way = f"git's log of it names {last_commit} as the last: check that with `git fsck {last_commit[:12]}`, then write it into the file"
        return GitState("damaged", damage(f"{name} names no commit; {way}"), git_dir, ref)
    return GitState("ok", "the vault's git repository is ready", git_dir, ref)


def last_commit(state: GitState) -> str:
    """The commit that the branch of a repository is at, where a file says it; empty where it takes git to tell."""
    value = _value(state.common, state.ref) if state.ref.startswith("refs/heads/") else ""
    return value if value and _is_id(value) else ""


def is_unborn(git_dir: str) -> bool:
    """True when there may be no commit yet; False when there was one, and what names it cannot be used."""
    head, common = _text(os.path.join(git_dir, "HEAD")).strip(), common_dir(git_dir)
    ref = head.removeprefix("ref:").strip()
    if ref == head:
        return False
    return ref == _REFTABLE or (_value(common, ref) is None and not _last_commit(common, ref))


def damage(what: str) -> str:
    """One sentence about a repository that cannot be read or written as it is."""
    return f"the vault's git repository is damaged: {what}"


def may_have_refs(git_dir: str, prefix: str) -> bool:
    """False where files say that no branch or tag has a name that begins so, and git need not be asked."""
    common = common_dir(git_dir)
    is_loose = any(os.path.lexists(os.path.join(common, name)) for name in ("reftable", prefix))
    return is_loose or f" {prefix}" in _text(os.path.join(common, "packed-refs"))


def _value(common: str, ref: str) -> str | None:
    """What a branch holds, None where there is no such branch."""
    path = os.path.join(common, ref)
    if os.path.isfile(path):
        return _text(path).strip()
    packed = _text(os.path.join(common, "packed-refs")).splitlines()
    return next((line.partition(" ")[0] for line in packed if line.endswith(f" {ref}")), None)


def _last_commit(common: str, ref: str) -> str:
    """The last commit that git's own log of a branch names; git removes the log with its branch."""
    lines = _text(os.path.join(common, "logs", ref)).splitlines()
    return next(
        (words[1] for line in reversed(lines) if _is_id((words := [*line.split(" "), "", ""])[1])), ""
    )


def _is_id(text: str) -> bool:
    return bool(_ID.fullmatch(text) and text.strip("0"))


def _git_dir(root: str) -> str:
    path = os.path.join(root, ".git")
    if os.path.isdir(path):
        return path if os.path.exists(os.path.join(path, "HEAD")) else ""
    pointer = _text(path)
    if not pointer.startswith("gitdir:"):
        return ""
    target = os.path.normpath(os.path.join(root, pointer[7:].strip()))
    return target if os.path.exists(os.path.join(target, "HEAD")) else ""


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


# Git's locks: which are there, who holds them, and which an `update-ref` of ours left when it was killed. A lock goes
# only where it is provably ours; any other is reported with its path, its age and its process.

OUR_INDEX = "memoryclaw.index"  # our copy of the index; a lock that is the same file is ours
# What blocks a commit, in the order in which it is told; the folder of a working tree, then that of the repository.
_BLOCKING, _SHARED = ("index.lock", "HEAD.lock"), ("reftable/tables.list.lock",)
_OTHERS = ("packed-refs.lock", "config.lock")
_SLACK, _SPAN = 1.0, 10.0  # seconds: how coarse the times of files are, and how long an `update-ref` may take
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def lock_sentence(path: str, root: str) -> str:
    """One sentence about a lock: where it is, how old, whose, and what to do."""
    inside = path.startswith(f"{root}{os.sep}")
    try:
        seconds = max(0, int(time.time() - os.stat(path).st_mtime))
    except FileNotFoundError:
        seconds = 0
    size, unit = next((unit_row for unit_row in _UNITS if seconds >= unit_row[0]), _UNITS[-1])
    age = f"{seconds // size} {unit}{'s' * (seconds // size != 1)}"
    name = f"git's lock {os.path.relpath(path, root) if inside else path} ({age} old)"
    if is_our_index(path):
        return f"{name} is MemoryClaw's own, of a change that was cut short; the next change clears it"
    holder = next(_holders(path), 0)
    if pid := holder or next(_gits_in(root), 0):
        process = f"process {pid} ({_process_name(pid)})"
        what = (
            f"is held by {process}" if holder else f"may be that of {process}, which is at work in the vault"
        )
        return f"{name} {what}; wait until that is done, then try again"
    state = "no process is seen to hold it" if os.path.isdir("/proc/self/fd") else "it is in the way"
    return f"{name}: {state}; remove it if no git command is at work in the vault, then try again"


def is_our_index(path: str) -> bool:
    """True for a lock of the index that a writer of ours took."""
    try:
        return os.path.samefile(path, os.path.join(os.path.dirname(path), OUR_INDEX))
    except FileNotFoundError:
        return False


def clear_our_locks(root: str, git_dir: str, ref: str, commit: str, since: float) -> None:
    """Removes the locks of an `update-ref` of ours that was killed; `since` is when it was about to begin.

    It makes the branch's lock, writes the commit into it, makes HEAD's, renames the branch's into its place, removes
    HEAD's. So the branch's holds our commit or nothing yet, and HEAD's stands beside it or beside the branch that moved.
    To remove a branch it also takes the lock of the packed ones.
    """
    common = common_dir(git_dir)
    head_lock, ref_lock = os.path.join(git_dir, "HEAD.lock"), os.path.join(common, f"{ref}.lock")
    is_heads = _text(os.path.join(git_dir, "HEAD")).removeprefix("ref:").strip() == ref
    named = _lock_text(ref_lock)
    packed = os.path.join(common, "packed-refs.lock")
    if not is_heads and _is_of_then(packed, since) and not any(_gits_in(root)):
        drop(packed)
    if named == commit:
        # HEAD's first: alone it would not be known.
        if is_heads and _lock_text(head_lock) == "":
            drop(head_lock)
        # Of a branch that was to begin with this commit, git writes the log before there is the branch.
        log = os.path.join(common, "logs", ref)
        moves = _text(log).splitlines()
        is_first = len(moves) == 1 and re.match(rf"0+ {commit} ", moves[0])
        if is_first and _value(common, ref) is None:
            drop(log)
        drop(ref_lock)
    elif named == "" and _is_of_then(ref_lock, since):
        drop(ref_lock)
    elif (
        is_heads
        and named is None
        and _lock_text(os.path.join(common, ref)) == commit
        and _is_of_then(head_lock, since)
    ):
        drop(head_lock)


def _is_of_then(path: str, since: float) -> bool:
    """True for an empty lock that came within moments of a time and that no process holds."""
    try:
        info = os.stat(path)
    except FileNotFoundError:
        return False
    close = -_SLACK <= info.st_mtime - since <= _SPAN
    return close and not info.st_size and not any(_holders(path))


def _holders(path: str) -> Iterator[int]:
    """The processes that have a file open, as far as this system tells."""
    real = os.path.realpath(path)
    for pid in _processes():
        with suppress(OSError):
            for handle in os.scandir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    if os.readlink(handle.path) == real:
                        yield pid


def _gits_in(root: str) -> Iterator[int]:
    """The git processes that are at work in a folder: git closes a lock that it goes on to hold."""
    real = os.path.realpath(root)
    for pid in _processes():
        with suppress(OSError):
            place = os.readlink(f"/proc/{pid}/cwd")
            if (place == real or place.startswith(f"{real}{os.sep}")) and _process_name(pid).startswith(
                "git"
            ):
                yield pid


def _processes() -> list[int]:
    try:
        return sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
    except FileNotFoundError:
        return []


def _process_name(pid: int) -> str:
    return _lock_text(f"/proc/{pid}/comm") or "?"


def _lock_text(path: str) -> str | None:
    """What a small file holds, None where there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(4096).strip() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else ""
    except OSError:
        return None


def drop(path: str) -> None:
    """Removes a file, if it is there."""
    with suppress(FileNotFoundError):
        os.unlink(path)


# Git as a process, through GitPython's command layer. Nothing that a repository configures is ever run.

QUIET = (  # whatever git does for us: no program of others, no tidying up beside it, and no network that is not named
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
)
_SAFE = (
    *QUIET,
    ("core.untrackedCache", "false"),
    ("core.attributesFile", os.devnull),
    ("core.pager", "cat"),
    ("commit.gpgSign", "false"),
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
# What hosts leave in the environment for commands that edit, show or reach out: plumbing reads none of it, and `env` is a process more.
_IDLE = {"GIT_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_SEQUENCE_EDITOR", "GIT_SSL_CAINFO"}


def options_of(settings: Iterable[tuple[str, str]]) -> list[str]:
    """Settings as options of one git command."""
    return [argument for key, value in settings for argument in ("-c", f"{key}={value}")]


class GitCommand:
    """Runs git plumbing on one repository and one working tree, both named outright, so that no parent is searched."""

    def __init__(self, root: str, git_dir: str) -> None:
        self._root = root
        self._git_dir = git_dir
        # GitPython hands the whole environment on, so what a caller's git left in it is unset by `env`.
        inherited = [name for name in os.environ if name.startswith("GIT_") and name not in _IDLE]
        self._scrub = ["env", *(word for name in inherited for word in ("-u", name))] if inherited else []
        self._fixed = [f"--git-dir={git_dir}", f"--work-tree={root}", *options_of(_SAFE)]
        self._git: Git | None = None

    def run(self, *args: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> bytes:
        """The output of one command; HistoryError with git's own words when it fails."""
        return self.start(*args, stdin=stdin, env=env)()

    def names(self, *args: str, env: dict[str, str] | None = None) -> list[str]:
        """The names, or lines, that one command lists with a NUL behind each."""
        return self.run(*args, env=env).decode("utf-8", "surrogateescape").split("\0")[:-1]

    def start(
        self, *args: str, stdin: bytes = b"", env: dict[str, str] | None = None, fine: Collection[int] = (0,)
    ) -> Callable[[], bytes]:
        """Starts a command; what is returned waits for its output, as `run` gives it, if its exit code is `fine`."""
        process = self._start(args, env or {})

        def output() -> bytes:
            status, out, err = _finish(process, stdin)
            if status not in fine:
                raise self._failure(args[0], status, err)
            return out

        return output

    def start_reader(self, *args: str) -> subprocess.Popen[bytes]:
        """Starts a command that is asked again and again through its pipes; who starts it closes them and waits for its end."""
        return self._start(args, {})

    def asks(self, *args: str) -> tuple[bool, bytes]:
        """Whether a command that answers by its exit code said yes, and what it printed."""
        status, out, err = _finish(self._start(args, {}), b"")
        if status not in {0, 1}:
            raise self._failure(args[0], status, err)
        return status == 0, out

    def report(self, *args: str, seconds: float) -> tuple[bool, list[str]] | None:
        """Whether a command that looks at the whole repository was content, and its lines; None when it takes longer than that."""
        process = self._start(args, {})
        try:
            out, err = process.communicate(b"", seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        lines = (out + err).decode("utf-8", "replace").splitlines()
        return process.returncode == 0, [line for line in lines if line.strip()]

    def _failure(self, verb: str, status: int, err: str) -> HistoryError:
        if status < 0:
            return GitKilledError(f"git {verb} was killed by signal {-status}; try again")
        if lock := _LOCK.search(err):
            return GitBusyError(lock_sentence(lock[1], self._root))
        words = err.splitlines()
        return HistoryError(f"git {verb} failed: {words[-1] if words else f'exit code {status}'}")

    def _start(self, args: tuple[str, ...], env: dict[str, str]) -> subprocess.Popen[bytes]:
        if any("\0" in arg for arg in args):
            raise InputError("a name in git cannot contain a NUL character")
        variables = {**_ENVIRONMENT, **env}
        if args[0] == "update-index":
            variables |= self._without_filters()
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

    def _without_filters(self) -> dict[str, str]:
        """What keeps git from running the repository's filters: to write an index it may read files that are as new as that is."""
        places = config_files(self._git_dir)
        if not any(word in _text(place).lower() for place in places for word in ("filter", "include")):
            return {}
        _, out = self.asks("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
        keys = sorted({key for key in out.decode("utf-8", "surrogateescape").split("\0") if key})
        # The environment and not `-c`, as a filter's name may hold anything.
        environment = {"GIT_CONFIG_COUNT": str(len(keys))}
        for number, key in enumerate(keys):
            environment[f"GIT_CONFIG_KEY_{number}"] = key
            environment[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith(".required") else ""
        return environment

    def _command_layer(self) -> Git:
        if self._git is None:
            with _LOADING:
                refresh = os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
                self._git = late.git_process.Git(self._root)
                if refresh == "quiet":
                    del os.environ["GIT_PYTHON_REFRESH"]
        return self._git


def _finish(process: subprocess.Popen[bytes], stdin: bytes) -> tuple[int, bytes, str]:
    out, err = process.communicate(stdin)
    return process.returncode, out, err.decode("utf-8", "replace").strip()
