"""What state a vault's own repository is in, read from its files. The rule: no process is started and no parent is searched."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from memoryclaw.adapters import gitlocks
from memoryclaw.core.model import Stamp

_BARE = re.compile(r"^[^\S\n]*bare[^\S\n]*=[^\S\n]*(?:true|yes|on|1)\b", re.IGNORECASE | re.MULTILINE)
_USER = re.compile(r"^[ \t]*\[user\](.*?)(?=^[ \t]*\[|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_WHO = re.compile(r"^[ \t]*(name|email)[ \t]*=[ \t]*([^\n#;]*)", re.IGNORECASE | re.MULTILINE)
_MERGES = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_REBASES = ("rebase-merge", "rebase-apply")
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFTABLE = "refs/heads/.invalid"


class GitState(NamedTuple):
    """The state of the vault's repository: `name` is none, ok, unborn, detached, merging, rebasing, bare, locked or damaged."""

    name: str
    sentence: str
    git_dir: str = ""
    ref: str = ""  # the branch that commits go to; empty where it takes git to tell
    lock: str = ""  # the file that is in the way, of a repository that is locked

    @property
    def writable(self) -> bool:
        """True when a commit can be made now."""
        return self.name in {"ok", "unborn"}


def git_state(root: str) -> GitState:
    """The state of the repository whose `.git` is in this folder."""
    git_dir = _git_dir(root)
    if not git_dir:
        if all(os.path.exists(os.path.join(root, part)) for part in ("HEAD", "objects", "refs")):
            return GitState(
                "bare", "the vault folder is itself a bare git repository; use a working copy of it"
            )
        if os.path.isdir(os.path.join(root, ".git", "objects")):
            return GitState(
                "damaged", damage(".git/HEAD is gone; bring it back from another copy of the vault")
            )
        return GitState("none", "the vault has no git repository of its own, so changes cannot be undone")
    common = common_dir(git_dir)
    if _BARE.search(_text(os.path.join(common, "config"))) and git_dir == common:
        return GitState("bare", "the vault's git repository is bare; set core.bare to false", git_dir)
    return _busy(git_dir) or _astray(git_dir) or _branch(root, git_dir, common)


def other_locks(root: str, state: GitState) -> list[str]:
    """A sentence about each lock of git's that keeps no commit away, but something else."""
    found = gitlocks.others(common_dir(state.git_dir)) if state.git_dir else ()
    return [gitlocks.told(path, root) for path in found if path != state.lock]


def index_stamp(git_dir: str) -> Stamp | None:
    """The stamp of this working tree's index, or None before there is one."""
    try:
        info = os.stat(os.path.join(git_dir, "index"))
    except FileNotFoundError:
        return None
    return Stamp(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def configured_author(git_dir: str) -> tuple[str, str]:
    """The user's name and address from the repository's settings, else from their own; empty where none are set."""
    home = os.path.expanduser("~")
    shared = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    places = (
        os.path.join(shared, "git", "config"),
        os.path.join(home, ".gitconfig"),
        os.path.join(common_dir(git_dir), "config"),
    )
    known: dict[str, str] = {}
    for place in places:
        for section in _USER.findall(_text(place)):
            known.update((key.lower(), value.strip().strip('"')) for key, value in _WHO.findall(section))
    return known.get("name", ""), known.get("email", "")


def common_dir(git_dir: str) -> str:
    """The folder of the repository itself, which the folder of a further working tree points to."""
    shared = _text(os.path.join(git_dir, "commondir")).strip()
    return os.path.normpath(os.path.join(git_dir, shared)) if shared else git_dir


def _busy(git_dir: str) -> GitState | None:
    if any(os.path.exists(os.path.join(git_dir, name)) for name in _REBASES):
        return GitState(
            "rebasing", "a git rebase is under way in the vault; finish or abort it first", git_dir
        )
    if any(os.path.exists(os.path.join(git_dir, name)) for name in _MERGES):
        return GitState("merging", "a git merge is under way in the vault; commit or abort it first", git_dir)
    return None


def _astray(git_dir: str) -> GitState | None:
    head = _text(os.path.join(git_dir, "HEAD")).strip()
    if head.startswith("ref:"):
        return None
    if not _is_id(head):
        what = ".git/HEAD names no branch; write `ref: refs/heads/` and the name of your branch into it"
        return GitState("damaged", damage(what), git_dir)
    return GitState(
        "detached", "the vault's git HEAD is on no branch; run `git switch` to a branch first", git_dir
    )


def _branch(root: str, git_dir: str, common: str) -> GitState:
    ref = _text(os.path.join(git_dir, "HEAD")).strip().removeprefix("ref:").strip()
    if lock := gitlocks.blocking(git_dir, common, ref):
        return GitState("locked", gitlocks.told(lock, root), git_dir, ref, lock)
    if ref == _REFTABLE:
        return GitState("ok", "the vault's git repository is ready", git_dir)
    value = _value(common, ref)
    if value is None and not _last_known(common, ref):
        sentence = "the vault's git repository has no commit yet; the next change makes the first"
        return GitState("unborn", sentence, git_dir, ref)
    if value is None or not (_is_id(value) or value.startswith("ref:")):
        return GitState("damaged", _lost(root, common, ref), git_dir, ref)
    return GitState("ok", "the vault's git repository is ready", git_dir, ref)


def is_unborn(git_dir: str) -> bool:
    """True when there may be no commit yet; False when there was one, and what names it cannot be used."""
    head, common = _text(os.path.join(git_dir, "HEAD")).strip(), common_dir(git_dir)
    ref = head.removeprefix("ref:").strip()
    if ref == head:
        return False
    return ref == _REFTABLE or (_value(common, ref) is None and not _last_known(common, ref))


def damage(what: str) -> str:
    """One sentence about a repository that cannot be read or written as it is."""
    return f"the vault's git repository is damaged: {what}"


def _value(common: str, ref: str) -> str | None:
    """What a branch holds, None where there is no such branch."""
    path = os.path.join(common, ref)
    if os.path.isfile(path):
        return _text(path).strip()
    packed = _text(os.path.join(common, "packed-refs")).splitlines()
    return next((line.partition(" ")[0] for line in packed if line.endswith(f" {ref}")), None)


def _last_known(common: str, ref: str) -> str:
    """The last commit that git's own log of a branch names; git removes the log with its branch."""
    lines = _text(os.path.join(common, "logs", ref)).splitlines()
    return next(
        (words[1] for line in reversed(lines) if _is_id((words := [*line.split(" "), "", ""])[1])), ""
    )


def _lost(root: str, common: str, ref: str) -> str:
    path, known = os.path.join(common, ref), _last_known(common, ref)
    name = os.path.relpath(path, root) if path.startswith(f"{root}{os.sep}") else path
    way = "bring it back from another copy of the vault"
    if known:
        way = f"git's log of it names {known} as the last: check that with `git fsck {known[:12]}`, then write it into the file"
    return damage(f"{name} names no commit; {way}")


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
