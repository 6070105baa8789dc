"""Looks for texts in every place of a vault where they may have left a trace: files and their names, and what is derived from them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memoryclaw.consolidation.changes import read_record
from memoryclaw.consolidation.selecting import open_branches
from memoryclaw.erase.purge import place_name
from memoryclaw.errors import VaultError
from memoryclaw.history.repository import History
from memoryclaw.late import NamedTuple
from memoryclaw.ports import Progress
from memoryclaw.text.encoding import decode
from memoryclaw.text.needles import Needles
from memoryclaw.vault.layout import STATE_DIR, places
from memoryclaw.writing.context import WriteContext

INDEX, VECTORS, COPIES, STATE, WAITING = "index", "vectors", "host copies", "state", "runs that wait"
DERIVED = (INDEX, VECTORS, COPIES, STATE, WAITING)
_OPEN = frozenset({"index.lock", "index.seal"})


class Trace(NamedTuple):
    """A place where a text was found."""

    place: str
    path: str
    texts: int = 1  # how many of them
    line: int = 0  # the first line that holds one; 0 where only the name does, or where there are no lines


def in_files(root: str, needles: Needles, progress: Progress | None = None) -> list[Trace]:
    """The files of the vault that hold one of these texts, byte by byte or in their names; git's own are left out."""
    paths = list(_all_files(root))
    traces = []
    for number, path in enumerate(paths, 1):
        text, named = _read(root, path), needles.matches(os.fsencode(path).decode("utf-8", "replace"))
        if count := len([*needles.matches(text), *named]):
            lines = enumerate(text.split("\n"), 1)
            first = next((number for number, line in lines if needles.matches(line)), 0)
            traces.append(Trace(_place(places(root).name_of(path)), path, count, first))
        if progress:
            progress(number, len(paths))
    return traces


def in_rows(rows: Iterable[str], needles: Needles) -> list[Trace]:
    """The same for what the tables of the index hold, which are stored compressed."""
    count = sum(bool(needles.matches(text)) for text in rows)
    return [Trace(INDEX, f"{STATE_DIR}/index.sqlite", count)] if count else []


def drop_from_state(root: str, needles: Needles, *, but: str) -> None:
    """Removes the derived files that hold one of these texts, but those of the index and the one of this name."""
    for path in list(_all_files(root, STATE_DIR)):
        if _place(path) == STATE and path != f"{STATE_DIR}/{but}":
            text = f"{_read(root, path)}\n{os.fsencode(path).decode('utf-8', 'replace')}"
            if needles.matches(text):
                os.unlink(os.path.join(root, path))


def in_branches(context: WriteContext, lines: Mapping[str, Sequence[int]], needles: Needles) -> list[Trace]:
    """The runs that wait on a branch of their own and would bring it back."""
    history = History(context.root)
    traces = []
    for branch in open_branches(history) if history.git_dir else ():
        texts = [branch.record, *(commit.message for commit in branch.commits)]
        changes = (change for commit in branch.commits for change in history.changes(commit.commit))
        texts += [(change.after or b"").decode("utf-8", "replace") for change in changes]
        ranges = read_record(branch.record).ranges
        read = {n for r in ranges for n in lines.get(r.path, ()) if r.first <= n <= r.last}
        if count := len(needles.matches("\n".join(texts))) + len(read):
            traces.append(Trace(WAITING, branch.run, count))
    return traces


def _read(root: str, path: str) -> str:
    try:
        with open(os.path.join(root, path), "rb") as file:
            return decode(file.read()).text
    except OSError as error:
        raise VaultError(
            f"{path} cannot be searched ({error.strerror}); nothing is proven without it"
        ) from error


def _all_files(root: str, under: str = "") -> Iterator[str]:
    for folder, folders, names in os.walk(os.path.join(root, under)):
        folders[:] = sorted(name for name in folders if name != ".git")
        inside = os.path.relpath(folder, root)
        for name in sorted(names):
            path, place = name if inside == "." else f"{inside}/{name}", os.path.join(folder, name)
            if name not in _OPEN and os.path.isfile(place) and not os.path.islink(place):
                yield path


def _place(path: str) -> str:
    if not path.startswith(f"{STATE_DIR}/"):
        return place_name(path)
    name = path.removeprefix(f"{STATE_DIR}/")
    if name.startswith(("index.", "whoosh/")):
        return INDEX
    return VECTORS if name.startswith("vectors/") else COPIES if name.startswith("host-skills/") else STATE
