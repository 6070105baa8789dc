"""Reads and writes files of the vault safely: no symbolic link is followed, and no file is ever half written.

A file is replaced by a temp file, fsync and an exchange of names, and only while its digest is the one that was read. What was
displaced is looked at once more, so that text which an editor saved in that very moment goes back to its place.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from memoryclaw import late
from memoryclaw.errors import ConflictError, InputError, LockedError, NotFoundError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.unix import is_locked
from memoryclaw.vault.layout import free_name, must_take_writes, on_disk, places

SIZE_LIMIT = 256 * 1024 * 1024
OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# To exchange two names, and the one flag that asks for it: Linux and macOS call it differently and mean the same.
_EXCHANGES, _EXCHANGE = ("renameat2", "renameatx_np"), 2
_CANNOT_EXCHANGE = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM})
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Of `write_file`; those of a journal are called otherwise.
_TEMP = late.pattern(r"\.[0-9a-f]{12}-p([1-9][0-9]{0,9})\.tmp")
_OLD = 60.0  # seconds; a write takes moments


class FileRead(NamedTuple):
    """The bytes of a file, and their digest."""

    data: bytes
    digest: str


def digest_of(data: bytes) -> str:
    """SHA-256 of a file's bytes, in hex."""
    return late.hashlib.sha256(data).hexdigest()


def read_file(root: str, path: str, limit: int = SIZE_LIMIT) -> FileRead:
    """Reads one regular file of the vault; NotFoundError when there is none."""
    with _parent(root, path) as (folder, name):
        file = _read_at(folder, name, path, limit)
    if file is None:
        raise NotFoundError(f"there is no file {path} in the vault")
    return file


def read_growth(
    root: str, path: str, start: int, file: tuple[int, int], limit: int
) -> tuple[int, bytes, tuple[int, int]]:
    """Reads what a file that only grows has gained since it was read to `start`; all of it when it is another file, or shorter than that.

    Returns:
        From where on it was read, the bytes, and which file it was (device and inode).
    """
    with _parent(root, path) as (folder, name), _open_for_reading(folder, name, path) as handle:
        if handle is None:
            raise NotFoundError(f"there is no file {path} in the vault")
        info = os.fstat(handle)
        identity = (info.st_dev, info.st_ino)
        begin = start if identity == file and start <= info.st_size else 0
        _within(info.st_size - begin, path, limit)
        return begin, os.pread(handle, info.st_size - begin, begin), identity


def exists(root: str, path: str) -> bool:
    """True when anything has this name, whatever its type."""
    try:
        with _parent(root, path) as (folder, name):
            return _mode_of(folder, name) is not None
    except NotFoundError:
        return False


def free_path(root: str, path: str) -> str:
    """The first name like this one that nothing has: the path itself, or with `-2`, `-3` … before its extension."""
    return free_name(path, lambda name: exists(root, name))


def digest_at(root: str, path: str) -> str | None:
    """The digest of the file, or None without one."""
    try:
        return read_file(root, path).digest
    except NotFoundError:
        return None


def data_at(root: str, path: str) -> bytes | None:
    """The bytes of the file, or None without one."""
    try:
        return read_file(root, path).data
    except NotFoundError:
        return None


def write_file(root: str, path: str, data: bytes, expected: str | None) -> None:
    """Writes a file durably if its digest is still `expected` (None: if there is no file)."""
    temp = f".{digest_of(data)[:12]}-p{os.getpid()}.tmp"
    prepare(root, path, temp, data)
    try:
        place(root, path, temp, expected)
    except BaseException:
        discard(root, path, temp)
        raise
    sweep(root, path)


def sweep(root: str, path: str) -> None:
    """Removes the temp files that killed processes left beside a file; no journal knows of these."""
    with _parent(root, path) as (folder, _):
        for name in os.listdir(folder):
            if (match := _TEMP.fullmatch(name)) and not is_running(int(match[1])):
                with suppress(OSError):
                    # On a shared folder a process may be alive that this system does not see.
                    changed = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
                    if abs(time.time() - changed) > _OLD:
                        os.unlink(name, dir_fd=folder)


def is_running(pid: int) -> bool:
    """True while there is a process of this number on this machine, whoever's it is."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def prepare(root: str, path: str, temp: str, data: bytes) -> None:
    """Writes the data, fsynced, to a hidden temp file beside the path; makes missing folders, private to the user."""
    must_take_writes(root, path)
    with _parent(root, path, create=True) as (folder, name):
        mode = _mode_of(folder, name)
        with suppress(FileNotFoundError):
            os.unlink(temp, dir_fd=folder)
        handle = os.open(temp, _NEW, 0o600, dir_fd=folder)
        try:
            _write_all(handle, data)
            if mode is not None:
                os.fchmod(handle, mode)
            os.fsync(handle)
        except BaseException:
            # A full disk leaves a stump, which must not stay behind in the user's folder.
            os.unlink(temp, dir_fd=folder)
            raise
        finally:
            os.close(handle)


def place(root: str, path: str, temp: str, expected: str | None, *, settled: bool = True) -> None:
    """Moves a prepared temp file to its path if the file there still has the expected digest; else ConflictError.

    Args:
        settled: the name is on the disk afterwards; else `settle` sees to that for many at once.
    """
    with _parent(root, path) as (folder, name):
        if expected is None:
            _to_free_name(folder, temp, name, f"{path} exists by now; nothing was written. Try again")
            with suppress(FileNotFoundError):
                os.unlink(temp, dir_fd=folder)
        else:
            _check(folder, name, path, expected)
            written = _digest(folder, temp)
            if not _exchange(folder, temp, name):
                # A file system that cannot exchange names has nothing better than to have looked first.
                os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
            elif _digest(folder, temp) == expected:
                os.unlink(temp, dir_fd=folder)
            else:  # an editor saved between the look and the exchange
                _give_back(folder, temp, name, written)
                raise _conflict(path)
        if settled:
            os.fsync(folder)


def settle(root: str, paths: Iterable[str]) -> None:
    """Waits until the names in the folders of these files are on the disk."""
    for path in {path.rpartition("/")[0]: path for path in paths}.values():
        with (
            suppress(NotFoundError),
            _parent(root, path) as (folder, _),
        ):  # who took it away has the last word
            os.fsync(folder)


def hand_back(root: str, path: str, temp: str, before: str | None, after: str | None) -> None:
    """Gives an editor its save back that `place` or `remove_file` had displaced when it was cut short: the temp file is neither text."""
    with suppress(FileNotFoundError, NotFoundError, VaultError), _parent(root, path) as (folder, name):
        if _digest(folder, name) == after and _digest(folder, temp) not in {None, before, after}:
            if after is None:
                _return(folder, temp, name)
            else:
                _give_back(folder, temp, name, after)


def discard(root: str, path: str, temp: str) -> None:
    """Removes a prepared temp file if it still exists."""
    with suppress(FileNotFoundError, NotFoundError), _parent(root, path) as (folder, _):
        os.unlink(temp, dir_fd=folder)


def remove_file(root: str, path: str, expected: str, temp: str = "") -> None:
    """Removes a file if it still has the expected digest; on the way it has a temp name, of which a journal may know."""
    must_take_writes(root, path)
    temp = temp or f".{expected[:12]}-p{os.getpid()}.tmp"
    with _parent(root, path) as (folder, name):
        _check(folder, name, path, expected)
        os.rename(name, temp, src_dir_fd=folder, dst_dir_fd=folder)
        if _digest(folder, temp) != expected:  # an editor saved between the look and the move
            _return(folder, temp, name)
            raise _conflict(path)
        os.unlink(temp, dir_fd=folder)
        os.fsync(folder)


def set_executable(root: str, path: str, *, on: bool) -> None:
    """Lets the user run a file, or not; a file that is not there, or is so already, is left alone."""
    with suppress(NotFoundError, FileNotFoundError), _parent(root, path) as (folder, name):
        mode = _mode_of(folder, name)
        if mode is not None and bool(mode & stat.S_IXUSR) != on:
            os.chmod(name, mode ^ stat.S_IXUSR, dir_fd=folder, follow_symlinks=False)


@contextmanager
def open_for_append(root: str, path: str) -> Iterator[int]:
    """Opens a regular file of the vault for appending and reading; makes a missing one, private to the user."""
    must_take_writes(root, path)
    with _parent(root, path, create=True) as (folder, name):
        new = _mode_of(folder, name) is None
        try:
            handle = os.open(name, _APPEND, 0o600, dir_fd=folder)
        except OSError as error:
            if error.errno not in {errno.ELOOP, errno.ENXIO, errno.EISDIR}:
                raise
            raise VaultError(f"{path} is a link, a folder or a socket; only regular files are used") from None
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise VaultError(f"{path} is not a regular file; only regular files are used")
            if new:
                os.fsync(folder)
            yield handle
        finally:
            os.close(handle)


def append(root: str, path: str, lines: Sequence[bytes]) -> int:
    """Appends whole lines, one write each, and waits until they are on the disk; returns how long the file is now.

    A line that a killed writer left torn is ended first, so that it spoils no line but itself.
    """
    with open_for_append(root, path) as handle:
        size = os.fstat(handle).st_size
        torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        for number, line in enumerate(lines):
            _write_all(handle, b"\n" + line if torn and number == 0 else line)
        os.fsync(handle)
        return os.fstat(handle).st_size


@contextmanager
def _parent(root: str, path: str, *, create: bool = False) -> Iterator[tuple[int, str]]:
    *folders, name = places(root).on_disk(path).split("/")
    if not name or any(folder in {"", ".", ".."} for folder in (*folders, name)) or "\0" in path:
        raise InputError(f"{path!r} is not a path inside the vault")
    try:
        handle = os.open(root, OPEN_FOLDER)
    except OSError as error:
        raise VaultError(f"the vault {root} cannot be opened: {error.strerror}") from None
    try:
        for folder in folders:
            # `handle` is the next one before this one is closed: behind a Ctrl-C, the end would else close it twice.
            outer, handle = handle, _enter(handle, folder, path, create=create)
            os.close(outer)
        yield handle, name
    finally:
        os.close(handle)


def _enter(folder: int, part: str, path: str, *, create: bool) -> int:
    try:
        return os.open(part, OPEN_FOLDER | os.O_NOFOLLOW, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise NotFoundError(f"there is no file {path} in the vault") from None
    except OSError as error:
        if error.errno not in {errno.ELOOP, errno.ENOTDIR}:
            raise
        raise VaultError(
            f"{path} leads through {part!r}, which is a link or a file; only real folders are used"
        ) from None
    with suppress(FileExistsError):
        os.mkdir(part, 0o700, dir_fd=folder)
    os.fsync(folder)
    return os.open(part, OPEN_FOLDER | os.O_NOFOLLOW, dir_fd=folder)


@contextmanager
def _open_for_reading(folder: int, name: str, path: str) -> Iterator[int | None]:
    """A regular file for reading; None when there is none."""
    try:
        handle = os.open(name, OPEN_FILE, dir_fd=folder)
    except FileNotFoundError:
        yield None
        return
    except OSError as error:
        if error.errno not in {errno.ELOOP, errno.ENXIO}:
            raise
        raise VaultError(f"{path} is a link or a socket; only regular files are used") from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise VaultError(f"{path} is not a regular file; only regular files are used")
        yield handle
    finally:
        os.close(handle)


def _within(size: int, path: str, limit: int) -> None:
    if size > limit:
        raise VaultError(f"{path} has {size:,} bytes, more than the {limit:,} that are read")


def _read_at(folder: int, name: str, path: str, limit: int = SIZE_LIMIT) -> FileRead | None:
    with _open_for_reading(folder, name, path) as handle:
        if handle is None:
            return None
        _within(os.fstat(handle).st_size, path, limit)
        with open(handle, "rb", closefd=False) as file:
            data = file.read()
    return FileRead(data, digest_of(data))


def _to_free_name(folder: int, name: str, new: str, message: str) -> None:
    """Links a file to a free name of its folder; unlike a rename, a link never replaces another file."""
    try:
        os.link(name, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise ConflictError(message) from None
    except OSError as error:
        # A file system without hard links (exFAT, some network drives) has nothing better than to look first.
        if error.errno not in NO_LINKS:
            raise
        if _mode_of(folder, new) is not None:
            raise ConflictError(message) from None
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=folder)


def _return(folder: int, temp: str, name: str) -> None:
    """Gives a file its name again, unless an editor has saved there once more."""
    try:
        _to_free_name(folder, temp, name, "")
        os.fsync(folder)  # before its other name goes
    except ConflictError:
        pass
    with suppress(FileNotFoundError):
        os.unlink(temp, dir_fd=folder)


def _give_back(folder: int, temp: str, name: str, put: str | None) -> None:
    """Exchanges back until what comes out of the name is what was put there: each time a newer save may be displaced."""
    displaced = _digest(folder, temp)
    while _exchange(folder, temp, name) and (out := _digest(folder, temp)) != put:
        put, displaced = displaced, out


def _digest(folder: int, name: str) -> str | None:
    """The digest of what has the name; a link or a socket has one that no text has."""
    try:
        file = _read_at(folder, name, name)
    except VaultError:
        info = os.stat(name, dir_fd=folder, follow_symlinks=False)
        return f"{info.st_dev}:{info.st_ino}"
    return file.digest if file else None


def _exchange(folder: int, name: str, other: str) -> bool:
    """Exchanges two names of a folder in one step; False where that cannot be done."""
    library = late.ctypes.CDLL(None, use_errno=True)
    exchange = next((f for n in _EXCHANGES if (f := getattr(library, n, None))), None)
    if exchange is None:
        return False
    if exchange(folder, os.fsencode(name), folder, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = late.ctypes.get_errno()
    if number in _CANNOT_EXCHANGE:
        return False
    if number == errno.ENOENT:
        raise _conflict(other)
    raise OSError(number, os.strerror(number), other)


def _check(folder: int, name: str, path: str, expected: str) -> None:
    current = _read_at(folder, name, path)
    if current is None or current.digest != expected:
        raise _conflict(path)


def _conflict(path: str) -> ConflictError:
    return ConflictError(f"{path} was changed while it was being worked on; nothing was written. Try again")


def _mode_of(folder: int, name: str) -> int | None:
    try:
        return stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def list_files(root: str, folder: str, suffix: str | tuple[str, ...] = "") -> list[str]:
    """The regular files below a folder whose names end so, in order, without hidden ones and links."""
    return [path for path, is_file in _below(root, folder) if is_file and path.endswith(suffix)]


def is_file(root: str, path: str) -> bool:
    """True for a regular file; a link to one is none."""
    try:
        return _is_regular(on_disk(root, path))
    except OSError:
        return False


def list_odd(root: str, folder: str) -> list[str]:
    """What is neither a regular file nor a folder below a folder, mostly links; without hidden ones."""
    return [path for path, is_file in _below(root, folder) if not is_file]


def _below(root: str, folder: str) -> Iterator[tuple[str, bool]]:
    mapping, tops = places(root), [folder]
    if not folder:  # a walk does not come to what lies in a hidden folder
        tops += [name for name, location in mapping.moved.items() if f"/{location}".find("/.") >= 0]
    for place, folders, names in (visit for top in tops for visit in os.walk(on_disk(root, top))):
        inside = mapping.name_of(os.path.relpath(place, root))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        visible = (name for name in sorted(names) if not name.startswith("."))
        yield from ((f"{inside}/{name}", _is_regular(os.path.join(place, name))) for name in visible)
        yield from (
            (f"{inside}/{name}", False) for name in folders if os.path.islink(os.path.join(place, name))
        )


def _is_regular(path: str) -> bool:
    return stat.S_ISREG(os.lstat(path).st_mode)


# The writer lock: an flock on the vault directory itself, so that a killed writer leaves none behind.

WAIT = 5.0
_PAUSE = 0.005


class _Held:
    """One vault's lock in this process; threads wait on `guard`, the outermost holder owns `handle`."""

    def __init__(self) -> None:
        self.guard = threading.RLock()
        self.depth, self.handle = 0, -1


_known: dict[tuple[int, int], _Held] = {}
_known_guard = threading.Lock()


@contextmanager
def writer_lock(root: str, wait: float = WAIT, served: Callable[[], bool] = lambda: False) -> Iterator[bool]:
    """Holds the vault's writer lock. The same thread may hold it again; others wait up to `wait` seconds.

    Args:
        served: asked while another process has it; once there is nothing left to do, the lock is not held, and what is given is False.
    """
    try:
        info = os.stat(root)
    except OSError as error:
        raise VaultError(f"the vault {root} cannot be opened: {error.strerror}") from None
    with _known_guard:
        lock = _known.setdefault((info.st_dev, info.st_ino), _Held())
    if not lock.guard.acquire(timeout=wait):
        raise locked_error(root)
    try:
        if lock.depth == 0:
            lock.handle = _flock(root, wait, served)
        if lock.handle < 0:
            yield False
            return
        lock.depth += 1
        try:
            yield True
        finally:
            lock.depth -= 1
            if lock.depth == 0:
                os.close(lock.handle)
    finally:
        lock.guard.release()


def make_folder(root: str, folder: str) -> str:
    """Makes a folder of the vault, private to the user, where there is none; returns where it is on the disk."""
    path = root
    for segment in places(root).on_disk(folder).split("/"):
        path = f"{path}/{segment}"
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)
    return path


@contextmanager
def folder_lock(root: str, folder: str) -> Iterator[None]:
    """Holds the lock of one folder of a vault, made if missing; other folders are not locked."""
    path = make_folder(root, folder)
    if os.path.islink(path) or not os.path.isdir(path):
        raise VaultError(f"{path} is a link or a file; only a real folder is used")
    with writer_lock(path):
        yield


def _flock(root: str, wait: float, served: Callable[[], bool]) -> int:
    """A handle that has the lock; -1 when another served what it was wanted for."""
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    end = time.monotonic() + wait
    while not is_locked(handle):
        is_over = served()
        if is_over or time.monotonic() >= end:
            os.close(handle)
            if is_over:
                return -1
            raise locked_error(root)
        time.sleep(_PAUSE)
    return handle


def locked_error(root: str) -> LockedError:
    """Says that another writes."""
    return LockedError(
        f"another MemoryClaw process is writing to {root}; wait until it is done, then try again"
    )
