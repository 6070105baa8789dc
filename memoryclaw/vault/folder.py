"""Lists and reads the files of a vault. Never follows links, never leaves the folder, never writes."""

from __future__ import annotations

import errno
import json
import os
import posixpath
import stat
import struct
import time
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from memoryclaw.errors import VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING, OWNER, Problem, Stamp
from memoryclaw.vault.audience import FileDoubts
from memoryclaw.vault.files import OPEN_FILE, OPEN_FOLDER
from memoryclaw.vault.layout import (
    ALIASES_FILE,
    BACKUPS,
    CONFLICT_COPY,
    DECISIONS_FILE,
    NO_NOTES,
    SCHEMA_FILE,
    Place,
    place_of,
    places,
)
from memoryclaw.vault.permissions import doubts, doubts_of_file
from memoryclaw.vault.properties import GRAPH_FILE, JournalNames, read_journal_names

IGNORE_FILE, OBSIDIAN_FILE = ".memoryclawignore", ".obsidian/app.json"
_NOTE = Place("note")


class ExcludePattern(NamedTuple):
    """One pattern over vault paths: `*` stays within a name, `**` stands for any folders; without a `/` inside, it is a name anywhere."""

    parts: tuple[str, ...]
    of_folders: bool = False  # it ends in `/`
    takes_back: bool = False  # it begins with `!`


class Excluded(NamedTuple):
    """What is left unread, with what could not be understood of it."""

    patterns: tuple[ExcludePattern, ...] = ()
    beginnings: tuple[str, ...] = ()  # of paths, in any case, as Obsidian has them
    problems: tuple[Problem, ...] = ()

    def hides(self, path: str) -> bool:
        """True for a plain note that the person excludes; MemoryClaw's own folders are always read."""
        if not (self.patterns or self.beginnings) or place_of(path) != _NOTE:
            return False
        parts = tuple(path.removeprefix("_/").split("/"))
        hidden = bool(self.beginnings) and "/".join(parts).casefold().startswith(self.beginnings)
        for pattern in self.patterns:
            if pattern.takes_back == hidden and _covers(pattern, parts):
                hidden = not pattern.takes_back
        return hidden


def read_excluded(globs: Sequence[str], ignore_file: str = "", obsidian: str = "") -> Excluded:
    """Reads what is excluded: the globs of the settings, the text of `.memoryclawignore`, and that of Obsidian's `app.json`."""
    lines = [line.strip() for line in ignore_file.splitlines()]
    patterns = [_pattern(line) for line in (*globs, *lines) if line and not line.startswith("#")]
    beginnings, problems = _of_obsidian(obsidian) if obsidian else ([], [])
    return Excluded(tuple(p for p in patterns if p.parts), tuple(beginnings), tuple(problems))


def _pattern(text: str) -> ExcludePattern:
    bare = text.removeprefix("!")
    parts = [part for part in bare.split("/") if part]
    anywhere = len(parts) == 1 and not bare.startswith("/")
    return ExcludePattern(
        ("**", *parts) if anywhere and parts != ["**"] else tuple(parts), bare.endswith("/"), bare != text
    )


def _covers(pattern: ExcludePattern, parts: tuple[str, ...]) -> bool:
    """True where the pattern fits the path, or a folder that it lies in."""
    last = len(parts) - pattern.of_folders
    return any(_fits(pattern.parts, parts[:end]) for end in range(1, last + 1))


def _fits(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    reached = {0}  # how much of the path the pattern so far may stand for
    for piece in pattern:
        if piece == "**":
            reached = set(range(min(reached), len(parts) + 1)) if reached else reached
        else:
            reached = {n + 1 for n in reached if n < len(parts) and fnmatchcase(parts[n], piece)}
    return len(parts) in reached


def _of_obsidian(text: str) -> tuple[list[str], list[Problem]]:
    try:
        settings = json.loads(text)
    except ValueError:
        return [], [
            Problem(OBSIDIAN_FILE, 1, "this is not JSON, so what Obsidian excludes is read all the same")
        ]
    filters = settings.get("userIgnoreFilters") if isinstance(settings, dict) else None
    beginnings, problems = list[str](), list[Problem]()
    for item in filters if isinstance(filters, list) else ():
        name = str(item)
        if len(name) > 1 and name.startswith("/") and name.endswith("/"):
            message = f"Obsidian excludes by the expression {name[:60]}, which is not read here"
            problems.append(
                Problem(OBSIDIAN_FILE, 1, message, f"name the same files in index.exclude or {IGNORE_FILE}")
            )
        elif name:
            beginnings.append(name.casefold())
    return beginnings, problems


_SUFFIXES: dict[str, tuple[str, ...]] = {
    "skills": (".md", ".json", ".js", ".mjs"),
    "archive": (".md", ".json", ".js", ".mjs", ".jsonl"),
    "logs": (".md", ".jsonl"),
    **dict.fromkeys(NO_NOTES, ()),
}
_MIXED = ("skills/", "archive/")  # folders where a suffix alone does not make a note: a skill may carry data
_SETTINGS_FILES = (ALIASES_FILE, SCHEMA_FILE, DECISIONS_FILE)
_JUNK = (".", "~$", "#")  # hidden files and what editors leave beside a note under its own suffix
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_ATTEMPTS = 3
_LOGSEQ = BACKUPS[0].partition("/")[0]
_MOST_SETTINGS = 1024 * 1024  # bytes read of a file of settings
_NOTHING_EXCLUDED = Excluded()
_FEW = 8  # files of a folder that is listed anew only where it changed, as those of a day's logs
_SETTLED = 2_000_000_000  # nanoseconds after which a change has another time than one before: clocks of file systems are coarse
_KNOWN_FOLDERS = 20_000
# The files of folders that hold nothing else, by the state of the folder.
_few: dict[tuple[int | str, ...], Sequence[str]] = {}
_PACK, _PACKED = struct.Struct("<qqqQ").pack, struct.calcsize("<qqqQ")
MAX_BYTES = 256 * 1024 * 1024


class Scan(NamedTuple):
    """The result of a walk: the packed stamp of each file, problems, and what was skipped on purpose."""

    files: dict[str, bytes]
    problems: list[Problem]
    ignored: list[str]
    raw: dict[str, bytes]  # the true name of files whose name is not UTF-8


class Vault:
    """One vault folder on disk, as one audience sees it: whatever is read has lost what is for others."""

    def __init__(
        self,
        root: Path,
        audience: str = OWNER,
        labels: Mapping[str, Any] = NOTHING,
        zone: str = "",
        exclude: Sequence[str] = (),
    ) -> None:
        self.root = root
        self.audience = audience
        self.labels = labels
        self.zone = zone
        self.exclude = exclude
        self.entered: Callable[[str], None] | None = None  # told of each folder that a walk is about to list
        self._prefix = os.fspath(root) + "/"
        self._places = places(os.fspath(root))

    def must_exist(self) -> None:
        """Raises VaultError unless there is a folder."""
        if not os.path.isdir(self.root):
            raise VaultError(_no_vault(self.root))

    def scan(self, under: str = "") -> Scan:
        """Walks the vault (or the folder `under`) and returns the stamp of every file that may hold a note.

        A walk that did not see everything raises VaultError: it must never be taken for a deletion.
        """
        if under and (is_hidden(under) or not self._is_reached(f"{under}/")):
            return Scan({}, [], [], {})
        for _ in range(_ATTEMPTS):
            scan = Scan({}, [], [], {})
            # A folder that vanishes under the walk was moved, maybe to where the walk has already been.
            if self._walk(under, scan):
                break
        if not under:
            for path in _SETTINGS_FILES:
                stamp = self.stamp(path)
                if stamp is not None:
                    scan.files[path] = stamp
            if not scan.files and all(name.startswith(".") for name in os.listdir(self.root)):
                raise VaultError(
                    f"{self.root} is an empty folder: is the disk mounted? Run `memoryclaw init {self.root}` to start a vault there"
                )
        self._leave_out(scan)
        if doubts(self._prefix[:-1]):
            for path in scan.files:
                scan.files[path] = scan.files[path][:_PACKED] + self.doubts(path).mark
        return scan

    def _leave_out(self, seen: Scan) -> None:
        """Takes out what the person excludes, and says how many notes that is."""
        excluded = self._excluded()
        seen.problems.extend(excluded.problems)
        paths = seen.files if excluded != _NOTHING_EXCLUDED else ()
        hidden = [path for path in paths if excluded.hides(path)]
        for path in hidden:
            del seen.files[path]
        if hidden:
            seen.ignored.append(f"{len(hidden)} {'note' if len(hidden) == 1 else 'notes'} that you exclude")

    def _excluded(self) -> Excluded:
        texts = [self._text(name) for name in (IGNORE_FILE, OBSIDIAN_FILE)]
        return read_excluded(self.exclude, *texts) if self.exclude or any(texts) else _NOTHING_EXCLUDED

    @property
    def journals(self) -> JournalNames:
        """How a graph of Logseq writes the days of its journals."""
        return read_journal_names(self._text(GRAPH_FILE))

    def _text(self, name: str) -> str:
        """The text of a hidden file of settings; empty where it is not there."""
        try:
            with open(os.open(self._prefix + name, OPEN_FILE), "rb") as file:
                return file.read(_MOST_SETTINGS).decode("utf-8", "replace")
        except OSError:
            return ""

    def read(self, path: str, raw: bytes | None = None) -> tuple[bytes, Stamp] | None:
        """A file's bytes with the stamp they were read at, or None when there is no regular file or nothing to see in it."""
        file = self.look(path, raw)
        return None if file is None or file[0] is None else (file[0], file[1])

    def look(self, path: str, raw: bytes | None = None) -> tuple[bytes | None, Stamp] | None:
        """The same, where a file in which there is nothing to see has its stamp."""
        file = self._bytes(path, raw)
        return file and (self._visible(path, file[0], self.audience), file[1])

    def is_partial(self, path: str, data: bytes, audience: str) -> bool:
        """True when an audience sees less of a file than is seen here."""
        return self._visible(path, data, audience) != data

    def _visible(self, path: str, data: bytes, audience: str) -> bytes | None:
        if audience == OWNER:
            return data

        from memoryclaw.vault.export_gate import visible_bytes  # noqa: PLC0415 - the owner's own reading needs none

        return visible_bytes(path, data, audience, self.labels, self.doubts(path))

    def doubts(self, path: str) -> FileDoubts:
        """What of a file came from elsewhere and is in doubt."""
        return doubts_of_file(self._prefix[:-1], path)

    def _bytes(self, path: str, raw: bytes | None) -> tuple[bytes, Stamp] | None:
        if not self._is_reached(os.fsdecode(raw) if raw else path):
            return None
        try:
            fd = os.open(self._at(os.fsdecode(raw) if raw else path), OPEN_FILE)
        except OSError as error:
            if error.errno in _GONE or error.errno == errno.ENXIO:
                return None
            raise _unseen(f"{path} cannot be read", error) from error
        try:
            before = os.fstat(fd)
            if not stat.S_ISREG(before.st_mode):
                return None
            data = _read_all(fd, min(before.st_size, MAX_BYTES))
        except OSError as error:
            raise _unseen(f"{path} cannot be read", error) from error
        finally:
            os.close(fd)
        times = before.st_mtime_ns, before.st_ctime_ns
        return data, Stamp(before.st_size, *times, before.st_ino, self.doubts(path).mark)

    def stamp(self, path: str) -> bytes | None:
        """The packed stamp of one file now, or None when a walk would not find it as a plain file.

        Raises:
            VaultError: it cannot be told whether the file is there.
        """
        return self.stamps([path]).get(path)

    def stamps(self, paths: Collection[str]) -> dict[str, bytes]:
        """The same of several files, without those that have none."""
        excluded, stamps = self._excluded(), dict[str, bytes]()
        for path in paths:
            if is_wanted(path) and self._is_reached(path) and not excluded.hides(path):
                info = self._look(path)
                if info and stat.S_ISREG(info.st_mode):
                    stamps[path] = _pack(info) + self.doubts(path).mark
        return stamps

    def beside(self) -> Callable[[str, str], bool]:
        """Tells whether a target that a note at a path names is any file of the folder: from its root, from the note's own folder, or by its name anywhere."""
        named: dict[str, list[str]] = {}
        inside = f"{self.root}{os.sep}"

        def is_beside(source: str, target: str) -> bool:
            places = (self.root / target, (self.root / source).parent / target)
            if any(os.path.normpath(at).startswith(inside) and os.path.lexists(at) for at in places):
                return True
            if not named:
                named.update(self._files_by_name())
            ending = _plain_name(posixpath.normpath(target)).lstrip("./")
            return any(f"/{path}".endswith(f"/{ending}") for path in named.get(ending.rpartition("/")[2], ()))

        return is_beside

    def _files_by_name(self) -> dict[str, list[str]]:
        """The paths of all files of the folder by their name, whatever its case; hidden ones are none of it."""
        named: dict[str, list[str]] = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if not name.startswith(".")]
            above = os.path.relpath(folder, self.root).replace(os.sep, "/")
            for name in names:
                named.setdefault(_plain_name(name), []).append(_plain_name(f"{above}/{name}"))
        return named

    def is_odd(self, path: str) -> bool:
        """True when a walk has something to say about the file at this path besides its stamp, or may have had."""
        name = path.rpartition("/")[2]
        if is_hidden(path) or name.startswith(_JUNK):
            return False
        if not path.isprintable() or CONFLICT_COPY.search(name):
            return True
        info = self._look(path) if self._is_reached(path) else None
        return info is not None and not stat.S_ISREG(info.st_mode) and not stat.S_ISDIR(info.st_mode)

    def _at(self, path: str) -> str:
        return self._prefix + self._places.on_disk(path)

    def _look(self, path: str) -> os.stat_result | None:
        try:
            return os.lstat(self._at(path))
        except OSError as error:
            if error.errno in _GONE or error.errno == errno.ENAMETOOLONG:
                return None
            raise _unseen(f"{path} cannot be looked at", error) from error

    def _is_reached(self, path: str) -> bool:
        """True when every folder above the path is a real folder: a walk does not pass through links."""
        path = self._places.on_disk(path)
        end = path.find("/")
        while end > 0:
            info = self._look(self._places.name_of(path[:end]))
            if info is None or not stat.S_ISDIR(info.st_mode):
                return False
            end = path.find("/", end + 1)
        return True

    def _walk(self, under: str, seen: Scan) -> bool:
        stack, complete = [under], True
        for name in self._places.moved if not under else ():
            info = self._look(name) if self._is_reached(f"{name}/") else None
            stack += [name] if info is not None and stat.S_ISDIR(info.st_mode) else []
        while stack:
            folder = stack.pop()
            if self.entered:
                self.entered(folder)
            try:
                fd = os.open(self._at(folder), OPEN_FOLDER | (os.O_NOFOLLOW if folder else 0))
                try:
                    folders: list[str] = []
                    _look_through(fd, folder, folders, seen)
                    if folder == _LOGSEQ:
                        seen.ignored.extend(f"{name}/" for name in folders if f"{name}/" in BACKUPS)
                        folders = [name for name in folders if f"{name}/" not in BACKUPS]
                    stack += self._names(folders) if self._places.moved else folders
                finally:
                    os.close(fd)
            except OSError as error:
                if error.errno not in _GONE:
                    name = _readable(folder or os.fspath(self.root))
                    raise _unseen(f"the folder {name} cannot be read", error) from error
                if not folder:
                    raise VaultError(_no_vault(self.root)) from error
                complete = False
        return complete

    def _names(self, names: list[str]) -> list[str]:
        """The names of folders as a walk goes on with them: without those of ours, which are walked by their own names."""
        paths = [self._places.on_disk(name) if "/" in name else name for name in names]
        return [self._places.name_of(path) for path in paths if path not in self._places.moved.values()]


def pack_stamp(stamp: Stamp) -> bytes:
    """Packs a stamp as scans and the index hold it; ten thousand of these are compared in a moment."""
    return _PACK(*stamp[:-1]) + stamp.doubts


def doubts_in(stamp: bytes) -> bytes:
    """What tells the doubts with which a file was read from others, by its packed stamp."""
    return stamp[_PACKED:]


def _look_through(fd: int, folder: str, stack: list[str], seen: Scan) -> None:
    """Takes the stamps of one folder's files, and lists it where it is not a folder of few files in which none came or went."""
    if len(_few) > _KNOWN_FOLDERS:
        _few.clear()
    status = os.fstat(fd)
    state = (status.st_dev, status.st_ino, status.st_ctime_ns, folder)
    names = _few.get(state, ())
    try:
        for name in names:
            seen.files[f"{folder}/{name}"] = _pack(os.stat(name, dir_fd=fd, follow_symlinks=False))
    except FileNotFoundError:
        names = ()
    if not names:
        names = _list(fd, folder, stack, seen)
        if folder and 0 < len(names) <= _FEW and time.time_ns() - status.st_ctime_ns > _SETTLED:
            _few[state] = names


def _list(fd: int, folder: str, stack: list[str], seen: Scan) -> Sequence[str]:
    """Lists one folder of a walk; returns its files where it holds nothing else. Every instruction here runs once a file, on every search."""
    prefix = f"{folder}/" if folder else ""
    suffixes = _suffixes(prefix)
    if prefix.startswith(_MIXED):
        suffixes = tuple(suffix for suffix in suffixes if place_of(f"{prefix}x{suffix}"))
    files, printable, names, count = seen.files, prefix.isprintable(), list[str](), 0
    with os.scandir(fd) as entries:
        for entry in entries:
            name = entry.name
            count += 1
            if name.endswith(suffixes):
                info = entry.stat(follow_symlinks=False)
                if (
                    info.st_mode & 0o170000 == stat.S_IFREG
                    and printable
                    and name.isprintable()
                    and name[0] not in ".~#"
                    and "onflict" not in name
                ):
                    names.append(name)
                    files[prefix + name] = _PACK(
                        info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino
                    )
                elif not name.startswith(_JUNK):
                    _odd_entry(prefix + name, info, stack, seen)
            elif name[0] == ".":
                if not folder and name in (".obsidian", ".trash"):
                    seen.ignored.append(f"{name}/")
            elif entry.is_dir(follow_symlinks=False):
                stack.append(prefix + name)
            elif entry.is_symlink():
                _link(prefix + name, seen)
    return names if len(names) == count else ()


def _suffixes(path: str) -> tuple[str, ...]:
    return _SUFFIXES.get(path.partition("/")[0], (".md",)) if "/" in path else (".md",)


def is_hidden(path: str) -> bool:
    """True for what lies in a hidden folder, or is hidden itself."""
    return path.startswith(".") or "/." in path


def is_wanted(path: str) -> bool:
    """True for a path that a walk takes: of a note, or of the vault's vocabulary."""
    if path in _SETTINGS_FILES:
        return True
    name = path.rpartition("/")[2]
    is_junk = is_hidden(path) or path.startswith(BACKUPS) or name.startswith(_JUNK)
    if is_junk or not name.endswith(_suffixes(path)):
        return False
    return place_of(path) is not None and not CONFLICT_COPY.search(name)


def _unseen(what: str, error: OSError) -> VaultError:
    return VaultError(f"{what} ({error.strerror}); the index keeps what it knew")


def _no_vault(root: Path) -> str:
    return f"there is no vault at {root}; name yours with --vault, or make a folder one with `memoryclaw init DIR --default`"


def _plain_name(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _pack(status: os.stat_result) -> bytes:
    return _PACK(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _read_all(fd: int, size: int) -> bytes:
    data = os.read(fd, size + 1)
    if len(data) <= size and (len(data) == size or size == 0):
        return data
    chunks = [data]
    while len(chunk := os.read(fd, 1 << 20)) and sum(map(len, chunks)) < MAX_BYTES:
        chunks.append(chunk)
    return b"".join(chunks)


def _odd_entry(path: str, status: os.stat_result, stack: list[str], seen: Scan) -> None:
    if stat.S_ISDIR(status.st_mode):
        stack.append(path)
    elif stat.S_ISLNK(status.st_mode):
        _link(path, seen)
    elif not stat.S_ISREG(status.st_mode):
        message = "is not a regular file; it was passed over"
        seen.problems.append(Problem(_readable(path), 1, message, "move it out of the vault"))
    elif CONFLICT_COPY.search(path.rpartition("/")[2]):
        seen.ignored.append(_readable(path))
        message = "is a copy that a sync service made of a conflict; it is not searched"
        hint = "compare it with the note it was copied from, then delete it"
        seen.problems.append(Problem(_readable(path), 1, message, hint))
    else:
        readable_path = _readable(path)
        if readable_path != path:
            seen.raw[readable_path] = os.fsencode(path)
            hint = "rename it; until then the note can be searched, not edited"
            seen.problems.append(Problem(readable_path, 1, "has a name that is not UTF-8", hint))
        seen.files[readable_path] = _pack(status)


def _link(path: str, seen: Scan) -> None:
    if place_of(path) or os.path.splitext(path)[1] == "":
        message = "is a symbolic link; links are not followed"
        seen.problems.append(Problem(_readable(path), 1, message, "put the file itself into the vault"))


def _readable(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")
