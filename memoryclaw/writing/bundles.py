"""Bundles: files of a vault as one `.tar.gz` with a manifest of their digests, and back into a vault, byte for byte.

The same files give the same bytes. A bundle is looked through from end to end before the first file is written, and nothing that is
there is overwritten, so a restore that was cut short is simply made again.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from memoryclaw.config import load, paths_in
from memoryclaw.errors import ConfigError, InputError, MemoryClawError, NotFoundError
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING
from memoryclaw.ports import Progress
from memoryclaw.text.encoding import decode, encode, json_object, readable
from memoryclaw.vault import files
from memoryclaw.vault.edits import remove_fact
from memoryclaw.vault.layout import CONFIG_FILE, LOGS, Place, name_notices, place_of, places, safe_path
from memoryclaw.vault.notes import read_note
from memoryclaw.version import __version__
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.tombstones import Tombstones, text_of_record
from memoryclaw.writing.writer import Edit, recover, write

FORMAT, EDITION = "memoryclaw-bundle", 1
ARTIFACTS = "logs/artifacts/"
_MANIFEST, _INSIDE = "manifest.json", "vault/"
_TEXTS = (".md", ".json", ".jsonl", ".yaml")
_NOT_KEPT = ("working/",)  # of sessions that run on this machine
_WITH_FACTS = (Place("semantic"), Place("note"))
_ARTIFACT = re.compile(rb"logs/artifacts/([0-9a-f]{64})")
_RATIO, _HARMLESS = 200, 64 * 1024 * 1024  # notes do not shrink so far, and what is small does no harm
_TOGETHER, _BYTES = 200, 32 * 1024 * 1024  # files that one commit restores
_READ = 1 << 20
_ERASED = "holds what a person had erased"
_FORGOTTEN = "was forgotten here; `memoryclaw forget --undo` brings it back"


class Packed(NamedTuple):
    """A bundle that was written."""

    path: str
    sha256: str  # of the bundle
    size: int
    files: int
    bytes: int  # of the files in it
    withheld: int  # files of which something stayed here
    notices: tuple[str, ...] = ()


class Restored(NamedTuple):
    """What a restore did, or would do."""

    source: str
    dry_run: bool
    files: int = 0
    written: tuple[str, ...] = ()
    same: int = 0
    differs: tuple[str, ...] = ()  # are there with other bytes, and stay
    left_out: tuple[tuple[str, str], ...] = ()  # path, why
    commit: str = ""  # the last one
    created: bool = False  # a vault was made for it
    notices: tuple[str, ...] = ()

    @property
    def is_new(self) -> bool:
        """True when there is anything to write."""
        return bool(self.written)


def portable_files(root: str) -> Iterator[str]:
    """Every file of a vault that is no hidden one, no link, and not of this machine alone."""
    names = (path.removeprefix("./") for path in files.list_files(root, ""))
    return (path for path in names if not path.startswith(_NOT_KEPT))


Read = Callable[[str], tuple[bytes | None, bool]]
"""The bytes of a file that go into a bundle (None: none), and whether that is all that the caller sees of it."""


def pack(
    target: str, paths: Iterable[str], read: Read, about: Mapping[str, Any], progress: Progress | None = None
) -> Packed:
    """Writes a bundle; the payloads of logs that are cut in their lines come with the lines.

    Args:
        about: what else the manifest says.
    """
    target = os.path.abspath(os.path.expanduser(target))
    if os.path.lexists(target):
        raise InputError(f"{target} is there already; give another name, or move it away")
    if not os.path.isdir(os.path.dirname(target)):
        raise InputError(f"there is no folder {os.path.dirname(target)}; make it first")
    temp = f"{target}.{os.getpid()}.part"
    order = sorted(path for path in paths if not path.startswith(ARTIFACTS))
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as raw:
            packing = _Packing(raw, read)
            for packed_count, path in enumerate(order, 1):
                packing.add(path)
                if progress:
                    progress(packed_count, len(order))
            packing.end(about)
            raw.flush()
            os.fsync(raw.fileno())
        if not packing.rows:
            raise InputError("nothing of this vault would be in the bundle; it was not written")
        _place(temp, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temp)
        raise
    with open(target, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    size = sum(int(row["size"]) for row in packing.rows)
    packed = os.path.getsize(target)
    return Packed(target, digest, packed, len(packing.rows), size, packing.withheld, tuple(packing.notices))


class _Packing:
    """A bundle under way."""

    def __init__(self, raw: IO[bytes], read: Read) -> None:
        self._read = read
        self._squeezed = gzip.GzipFile("", "wb", 6, raw, mtime=0)
        self._tar = tarfile.TarFile(fileobj=self._squeezed, mode="w")
        self._artifacts: set[str] = set()
        self.rows: list[dict[str, Any]] = []
        self.notices: list[str] = []
        self.withheld = 0

    def add(self, path: str) -> None:
        """Adds one file, as far as it may leave."""
        try:
            safe_path(path).encode()
            data, is_whole = self._read(path)
        except NotFoundError:  # it went while the bundle was made
            return
        except (MemoryClawError, UnicodeEncodeError) as error:
            printable = os.fsencode(path).decode("utf-8", "backslashreplace")
            self.notices.append(f"{printable} was left out: {error}")
            return
        self.withheld += not is_whole
        if data is not None:
            if path.startswith(LOGS):
                self._artifacts.update(f"{ARTIFACTS}{name.decode()}" for name in _ARTIFACT.findall(data))
            self.rows.append({"path": path, "size": len(data), "sha256": files.digest_of(data)})
            self._put(_INSIDE + path, data)

    def end(self, about: Mapping[str, Any]) -> None:
        """Adds the payloads that the lines name, and the manifest, which shows that the bundle is whole."""
        for path in sorted(self._artifacts):
            self.add(path)
        rows = sorted(self.rows, key=lambda row: str(row["path"]))
        manifest = {"format": FORMAT, "version": EDITION, "memoryclaw": __version__, **about, "files": rows}
        self._put(_MANIFEST, (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode())
        self._tar.close()
        self._squeezed.close()

    def _put(self, name: str, data: bytes) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode = len(data), 0o600
        self._tar.addfile(info, BytesIO(data))


def _place(temp: str, target: str) -> None:
    """Moves the finished file to its name, never over another."""
    try:
        os.link(temp, target)
    except FileExistsError:
        raise InputError(f"{target} is there by now; give another name") from None
    except OSError:  # a disk without links
        os.rename(temp, target)
        return
    os.unlink(temp)


# Back into a vault.


class Bundle:
    """A bundle that was looked through: each file in it is what the manifest says."""

    def __init__(self, source: str) -> None:
        self.source = os.path.abspath(os.path.expanduser(source))
        if not os.path.isfile(self.source):
            raise InputError(f"there is no file {self.source}")
        self._packed = os.path.getsize(self.source)
        self.digests: dict[str, str] = {}
        self.manifest: dict[str, Any] = {}
        self._settings = b""
        sizes: dict[str, int] = {}
        for name, size, file in self._members():
            if self.manifest:
                raise self._bad(f"{name!r} stands behind the manifest")
            if name == _MANIFEST:
                self.manifest = self._read_manifest(file.read())
                continue
            path = self._path(name)
            if path in self.digests:
                raise self._bad(f"{path!r} is in it twice")
            if size > files.SIZE_LIMIT:
                raise self._bad(
                    f"{path!r} is larger than the {files.SIZE_LIMIT:,} bytes that a file may have"
                )
            sizes[path] = size
            if path == CONFIG_FILE:
                self._settings = file.read()
                self.digests[path] = files.digest_of(self._settings)
            else:
                self.digests[path] = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
        if not self.manifest:
            raise self._bad("it has no manifest: the end of the file is missing")
        self._must_be_as_listed(sizes)

    def _must_be_as_listed(self, sizes: Mapping[str, int]) -> None:
        listed = {row["path"]: (row["size"], row["sha256"]) for row in self.manifest["files"]}
        packed = {path: (sizes[path], digest) for path, digest in self.digests.items()}
        for path in sorted(listed.keys() | packed.keys()):
            if listed.get(path) != packed.get(path):
                lacking = "is missing" if path not in packed else "is not listed"
                raise self._bad(f"{path!r} {'has changed' if path in listed and path in packed else lacking}")

    @property
    def paths(self) -> dict[str, str]:
        """Where its settings put folders, by their names; nothing where they cannot be used."""
        with suppress(ConfigError):
            return paths_in(self._settings.decode("utf-8", "replace"))
        return {}

    def files(self, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """These files, in order."""
        for name, _, file in self._members():
            path = name.removeprefix(_INSIDE)
            if name != _MANIFEST and path in wanted:
                data = file.read()
                if files.digest_of(data) != self.digests.get(path):
                    raise self._bad(f"{path!r} has changed while it was read")
                yield path, data

    def _members(self) -> Iterator[tuple[str, int, IO[bytes]]]:
        total = 0
        try:
            with open(self.source, "rb") as raw, gzip.GzipFile(fileobj=raw) as unsqueezed:
                with tarfile.open(fileobj=unsqueezed, mode="r|") as tar:
                    for info in tar:
                        file = tar.extractfile(info) if info.isreg() else None
                        if file is None:
                            raise self._bad(f"{info.name[:80]!r} is no regular file")
                        total += info.size
                        if total > max(_HARMLESS, _RATIO * self._packed):
                            raise self._bad(f"it would expand from {self._packed:,} to over {total:,} bytes")
                        yield info.name, info.size, file
                while unsqueezed.read(_READ):  # to the end, where its checksum is
                    pass
        except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
            raise self._bad(f"{error}") from None
        except OSError as error:
            raise InputError(f"{self.source} cannot be read ({error.strerror or error})") from None

    def _path(self, name: str) -> str:
        path = name.removeprefix(_INSIDE)
        try:
            safe_path(path)
        except InputError:
            path = ""
        if not path or path == name or path.startswith(_NOT_KEPT):
            raise self._bad(f"{name[:80]!r} may not be written")
        return path

    def _read_manifest(self, data: bytes) -> dict[str, Any]:
        try:
            manifest, types = json.loads(data), {"path": str, "size": int, "sha256": str}
            ok = manifest["format"] == FORMAT and all(
                isinstance(row[key], type_) for row in manifest["files"] for key, type_ in types.items()
            )
        except (ValueError, KeyError, TypeError, RecursionError):
            ok = False
        if not ok:
            raise self._bad("its manifest cannot be read")
        if manifest.get("version") != EDITION:
            raise InputError(
                f"{self.source} was written by a newer MemoryClaw (bundle version {manifest.get('version')!r}); update this one first"
            )
        return dict(manifest)

    def _bad(self, why: str) -> InputError:
        return InputError(f"{self.source} is not a bundle that can be trusted: {why}; nothing was written")


def restore(
    context: WriteContext,
    bundle: Bundle,
    *,
    dry_run: bool = False,
    pristine: Mapping[str, bytes] = NOTHING,
    progress: Progress | None = None,
) -> Restored:
    """Writes the files of a bundle that are not there; one commit for a few hundred of them.

    Args:
        pristine: what `init` wrote, which gives way where nobody has changed it and the folders are in the same places.
    """
    # What a killed restore had under way comes first: nothing else may be left to write.
    mended = "" if dry_run else recover(context.root)
    if bundle.paths != places(context.root).moved:
        pristine = NOTHING  # by other settings, nobody would look where things are here
    restoring = _Restoring(context, bundle, pristine, dry_run=dry_run)
    new = [path for path, digest in bundle.digests.items() if restoring.is_new(path, digest)]
    paths = portable_files(context.root) if new else ()
    restoring.notices.update(dict.fromkeys([*filter(None, [mended]), *name_notices(new, paths)]))
    # The settings first: they say who may see what comes after them.
    for group in ({CONFIG_FILE} & set(new), set(new) - {CONFIG_FILE}):
        for path, data in bundle.files(group) if group else ():
            restoring.take(path, data)
            if progress:
                progress(len(restoring.written), len(new))
        restoring.flush()
        if CONFIG_FILE in group:
            with suppress(ConfigError):  # the next verb tells what is wrong in them
                load(Path(context.root))
    return Restored(
        bundle.source, dry_run, len(bundle.digests), tuple(restoring.written), restoring.same, tuple(restoring.differs),
        tuple(restoring.left_out), restoring.commit, False, tuple(restoring.notices),
    )  # fmt: skip


class _Restoring:
    """A restore under way."""

    def __init__(
        self, context: WriteContext, bundle: Bundle, pristine: Mapping[str, bytes], *, dry_run: bool
    ) -> None:
        self._dry_run = dry_run
        self._context, self._bundle, self._pristine = context, bundle, pristine
        self._erased, self._run = Tombstones.of(context), context.run("import")
        self._erased_payloads = set[str]()
        self._waiting: list[tuple[str, bytes]] = []
        self.written: list[str] = []
        self.same = 0
        self.differs: list[str] = []
        self.left_out: list[tuple[str, str]] = []
        self.commit = ""
        self.notices: dict[str, None] = {}

    def is_new(self, path: str, digest: str) -> bool:
        """True for a file that may have to be written; what becomes of the others is noted."""
        root, ours = self._context.root, self._pristine.get(path)
        digest_there = files.digest_at(root, path) if files.exists(root, path) else None
        gives_way = ours is not None and digest_there == files.digest_of(ours)
        if digest_there == digest:
            self.same += 1
        elif digest_there is None and files.exists(root, f"archive/{path}"):
            self.left_out.append((path, _FORGOTTEN))
        elif digest_there is None or gives_way or _grows(path):
            return True
        else:
            self.differs.append(path)
        return False

    def take(self, path: str, data: bytes) -> None:
        """Lets a file wait for its commit, without what was erased, unless it goes on here where it ends in the bundle."""
        remains = self._without_erased(path, data) if self._erased.known else data
        if remains is None:
            self.left_out.append((path, _ERASED))
        elif _grows(path) and files.exists(self._context.root, path):
            longer = files.read_file(self._context.root, path).data.startswith(remains)
            self.same += longer
            self.differs += [] if longer else [path]
        else:
            self.written.append(path)
            if remains != data:
                self.notices[f"{path} comes without what a person had erased"] = None
            if not self._dry_run:
                self._waiting.append((path, remains))
            if len(self._waiting) >= _TOGETHER or sum(len(data) for _, data in self._waiting) >= _BYTES:
                self.flush()  # as much waits as one commit takes

    def _without_erased(self, path: str, data: bytes) -> bytes | None:
        """What of a file nobody had erased; None where there is nothing else, or it cannot be told apart."""
        if path.startswith(ARTIFACTS):
            return None if path in self._erased_payloads else data
        if path.startswith(LOGS):
            # A log in which erased turns are blank, as long as they were: so the ranges that are cited of it since are right
            lines = data.split(b"\n")
            blank = {n: b" " * len(lines[n]) for n in self._erased_lines(path, data) if n < len(lines)}
            if not blank:
                return data
            gone = b"\n".join(line for n, line in enumerate(lines) if n in blank)
            remains = b"\n".join(blank.get(n, line) for n, line in enumerate(lines))
            named = (
                {f"{ARTIFACTS}{name.decode()}" for name in _ARTIFACT.findall(text)}
                for text in (gone, remains)
            )
            self._erased_payloads |= next(named) - next(named)
            # Lines of UTF-16 end elsewhere.
            return None if not remains.strip() or self._erased_lines(path, remains) else remains
        file = decode(data)
        if place_of(path) in _WITH_FACTS:
            sheet, text = self._context.semantic(path), file.text
            erased = [f for f in sheet.facts(text).facts if self._erased.fact(f.entity, f.field, f.value)]
            try:
                for fact in reversed(erased):  # from below, so that the ids of those above stay
                    text = remove_fact(text, sheet, fact.id)
            except MemoryClawError:
                return None
            file, data = file._replace(text=text), encode(file._replace(text=text)) if erased else data
        return None if path.endswith(_TEXTS) and self._erased.text(readable(file.text)) else data

    def _erased_lines(self, path: str, data: bytes) -> set[int]:
        """The lines of a log, counted from 0, that are of erased turns."""
        lines, numbers = data.split(b"\n"), set[int]()
        for turn in read_note(path, data).turns:
            line = lines[turn.line - 1] if turn.line <= len(lines) else b""
            record = json_object(line.decode("utf-8", "replace"))
            names = (turn.turn, str(record.get("host_id", "")))
            if self._erased.turn(turn.session, names, text_of_record(record) or turn.text):
                numbers.update(range(turn.line - 1, turn.end_line))
        return numbers

    def flush(self) -> None:
        """Writes what waits, in one commit."""
        group, self._waiting = self._waiting, []
        # Those that git mostly does not hold are apart from the others, and not told of.
        for is_untracked, is_told in ((False, True), (True, False)):
            batch = [file for file in group if file[0].startswith(("logs/", "ledger/")) == is_untracked]
            if batch:
                self._write(batch, is_told=is_told)

    def _write(self, group: Sequence[tuple[str, bytes]], *, is_told: bool) -> None:

        def restored(path: str, data: bytes, now: bytes | None) -> bytes:
            if now not in (None, data, self._pristine.get(path)):
                raise InputError(f"{path} was written meanwhile; run the import again")
            return data

        edits = [
            Edit(path, partial(restored, path, data), consumes=path in self._pristine) for path, data in group
        ]
        context, title = self._context, os.path.basename(self._bundle.source)
        paths = [path for path, _ in group]
        message = context.message("restore", run=self._run, count=len(group), title=title, files=paths)
        outcome = write(context.root, edits, message, verb="import", now=context.now)
        self.commit = outcome.commit or self.commit
        if outcome.notice and is_told:
            self.notices[outcome.notice] = None


def _grows(path: str) -> bool:
    """True for a file that is only ever appended to."""
    return path.endswith(".jsonl") or path.startswith(LOGS)
