"""The state folder: a real folder, private to the user; no link in it is followed or written through."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from memoryclaw.errors import VaultError
from memoryclaw.vault.layout import STATE_DIR

_DEPTH = (
    2  # folders in folders that are looked into: beyond them nothing is opened by a name that is known before
)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def state_folder(root: str | os.PathLike[str]) -> str:
    """Where what can be rebuilt is kept: `.memoryclaw/` in the vault, or a cache folder beside a vault that is read-only."""
    vault = os.fspath(root)
    inside = os.path.join(vault, STATE_DIR)
    must_be_real(inside)
    if os.access(inside if os.path.isdir(inside) else vault, os.W_OK):
        return inside
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    import hashlib  # noqa: PLC0415 - it starts a cryptography library, which most vaults never need

    return os.path.join(cache, "memoryclaw", hashlib.sha256(os.fsencode(vault)).hexdigest()[:16])


def must_hold_no_link(state: str | os.PathLike[str]) -> None:
    """Raises VaultError if the state folder holds a symbolic link: MemoryClaw creates none."""
    if found := _link_in(os.fspath(state), _DEPTH):
        raise _link(found)


def must_be_real(folder: str | os.PathLike[str]) -> None:
    """Raises VaultError if the folder is a symbolic link."""
    if os.path.islink(folder):
        raise _link(os.fspath(folder))


def made(folder: str | os.PathLike[str]) -> None:
    """Makes a folder, private to the user, and its parents except the vault; an existing one must be real.

    Raises:
        VaultError: the folder, or the state folder above it, is a link or a file.
    """
    path = os.fspath(folder)
    above, name = os.path.split(path)
    # A vault that is not there (a disk that is not mounted) must not come into being as an empty folder.
    if name != STATE_DIR and (STATE_DIR in above.split(os.sep) or not os.path.isdir(above)):
        made(above)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    found = os.lstat(path).st_mode
    if stat.S_ISLNK(found):
        raise _link(path)
    if not stat.S_ISDIR(found):
        raise VaultError(f"{path} is in the way: a folder belongs there, so move it or delete it")


def touch(path: str | os.PathLike[str]) -> None:
    """Makes an empty file, private to the user, for a library to open; an existing one becomes private.

    Raises:
        OSError: it is a link, or cannot be made.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(handle, 0o600)
    finally:
        os.close(handle)


def put(folder: str | os.PathLike[str], name: str, data: bytes) -> None:
    """Writes a small file atomically, private to the user, replacing whatever has its name.

    Raises:
        OSError: it cannot be written.
    """
    path = os.path.join(folder, name)
    temporary = f"{path}.{os.getpid()}.tmp"
    with suppress(FileNotFoundError):
        os.unlink(temporary)
    try:
        with open(os.open(temporary, _NEW, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _link_in(folder: str, depth: int) -> str:
    inner = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_symlink():
                    return entry.path
                if depth and entry.is_dir(follow_symlinks=False):
                    inner.append(entry.path)
    except OSError:
        return ""  # there is none yet, or whoever opens it will say what is wrong
    return next(filter(None, (_link_in(path, depth - 1) for path in inner)), "")


def _link(path: str) -> VaultError:
    return VaultError(
        f"{path} is a symbolic link, and none is followed there; delete the link, then try again"
    )
