"""Every check of a vault's health, one sentence each. `fix` repairs derived data only: a note is never touched."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memoryclaw.config import OWN_FILE, Config, own_folder
from memoryclaw.errors import LockedError, VectorsError
from memoryclaw.health.lint import untyped
from memoryclaw.history import journal
from memoryclaw.history.git import other_locks
from memoryclaw.history.repository import History
from memoryclaw.index.catalog import Catalog
from memoryclaw.index.index import Index, fingerprint
from memoryclaw.index.vectors import Vectors
from memoryclaw.late import NamedTuple
from memoryclaw.lifecycle.pages import has_pages, in_words
from memoryclaw.lifecycle.views import View
from memoryclaw.model import Problem
from memoryclaw.models.llm import ModelError
from memoryclaw.recall.graph import dangling
from memoryclaw.vault.conflict_rules import Conflict
from memoryclaw.vault.files import is_running, list_files, writer_lock
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.layout import CONFIG_FILE, FOLDERS, STATE_DIR, name_troubles, name_twins, on_disk
from memoryclaw.vault.state_folder import state_folder

_TEMP = re.compile(r"^\.[0-9a-f]{12}-\d+\.tmp$")
_STATE_TEMP = re.compile(r"^(?:index\.\d+\.new|config\.\d+\.tmp)$")
_FSCK, _SHOWN = 60, 20  # seconds for a look at the whole repository, and how many of its lines are shown
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Check(NamedTuple):
    """One check and what it found; line 0 of a detail means the file or folder as a whole."""

    name: str
    level: str  # ok | advice | problem | mended
    sentence: str
    details: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedVault:
    """A vault with an index that was just brought up to date.

    `rebuild` builds a second index of the same vault in a folder; `mend` throws the real one away and builds it again.
    """

    vault: Vault
    index: Index
    catalog: Catalog
    config: Config
    rebuild: Callable[[Path], Index]
    mend: Callable[[], object]
    conflicts: Callable[[], Sequence[Conflict]]
    announced: Sequence[str]  # what a person is to be told of the vault
    views: Callable[[], Sequence[View]]
    vectors: Vectors | None  # where the settings ask for some


def examine(patient: CheckedVault, *, fix: bool) -> list[Check]:
    """Runs every check."""
    root = patient.vault.root
    checks = [
        _notes(patient.catalog),
        _fields(patient),
        _conflicts(patient.conflicts()),
        _index(patient, fix=fix),
        _settings(patient.config),
        _names([path.removeprefix("./") for path in list_files(os.fspath(root), "")]),
        _git(root),
        _leftovers(root, Path(state_folder(os.fspath(root))), fix=fix),
        _permissions(root, Path(state_folder(os.fspath(root)))),
        _links(patient),
        *(Check("adoption", "advice", sentence) for sentence in patient.announced),
        *(Check("models", "advice", sentence) for sentence in idle_models(patient.config)),
    ]
    if has_pages(os.fspath(root)):
        checks.append(_views(patient.views()))
    return [*checks, _vectors(patient.vectors)] if patient.vectors else checks


def _counted(
    name: str, details: Iterable[Problem], fine: str, noun: str, rest: str, *, level: str = "advice"
) -> Check:
    """`ok`, and that all is fine, where there is nothing to tell; else how many there are."""
    details = tuple(details)
    sentence = f"{_some(len(details), noun)} {rest}"
    return Check(name, level, sentence, details) if details else Check(name, "ok", fine)


def _notes(catalog: Catalog) -> Check:
    count = catalog.files()
    fine, rest = f"{count} notes, all of them read without a problem", f"in {_some(count, 'note')}"
    return _counted("notes", catalog.problems(), fine, "problem", rest, level="problem")


def _fields(patient: CheckedVault) -> Check:
    """What a person wrote by hand is kept and found, whatever its type; here it is told."""
    fine = "every value has the type that its field declares"
    details = untyped(patient.vault, patient.catalog)
    return _counted("fields", details, fine, "value", "of another type than declared")


def _conflicts(conflicts: Sequence[Conflict]) -> Check:
    hint = "`memoryclaw review` lists it with its id; a person says there which value holds"
    details = []
    for conflict in conflicts:
        for path, fact in conflict.facts:
            against = conflict.against(fact.value)
            rivals = ", ".join(f"{other.value!r} in {there}:{other.line}" for there, other in against)
            sentence = f"{fact.entity}: {fact.field} is {fact.value!r} here, and {rivals}"
            details.append(Problem(path, fact.line, sentence, hint))
    if not details:
        return Check("conflicts", "ok", "no single-value field has two values")
    sentence = f"{_some(len(conflicts), 'conflict')} between values that stand"
    return Check("conflicts", "advice", sentence, tuple(details))


def _index(patient: CheckedVault, *, fix: bool) -> Check:
    trouble = _unsound(patient)
    if not trouble:
        return Check("index", "ok", "sound, and equal to one freshly built from the files")
    if not fix:
        return Check("index", "problem", f"{trouble}; `memoryclaw check --fix` builds it again")
    patient.mend()
    return Check("index", "mended", f"{trouble}; it was built again")


def _unsound(patient: CheckedVault) -> str:
    if trouble := patient.index.database.trouble():
        return trouble
    with tempfile.TemporaryDirectory(prefix="memoryclaw-doctor-") as folder:
        fresh = patient.rebuild(Path(folder))
        try:
            same = fingerprint(fresh) == fingerprint(patient.index)
        finally:
            fresh.database.close()
    return "" if same else "the index differs from one built from the files"


def _settings(config: Config) -> Check:
    notices = (notice.partition(": ") for notice in config.notices)
    details = (Problem(file, 0, sentence) for file, _, sentence in notices)
    fine = f"{CONFIG_FILE} is understood"
    return _counted("settings", details, fine, "setting", "cannot be followed", level="problem")


def idle_models(config: Config) -> list[str]:
    """A sentence for Ollama where it is on this machine and the settings ask no model; it is not asked whether it runs."""
    if config.chain or shutil.which("ollama") is None:
        return []
    own = own_folder(os.environ) / OWN_FILE
    return [
        f"Ollama is on this machine, and no model reads your logs; `llm.chain: [ollama]` in {own} turns it on"
    ]


def _names(paths: Collection[str]) -> Check:
    hint = "rename it: another system cannot use it, or takes the two names for one file"
    details = (Problem(path, 0, why, hint) for path, why in name_troubles(paths))
    fine, level = "these file names work on every system", "problem" if any(name_twins(paths)) else "advice"
    return _counted("names", details, fine, "file name", "do not work on every system", level=level)


def _git(root: Path) -> Check:
    history = History(os.fspath(root))
    state = history.state()
    if not state.writable:
        return Check("git", "advice" if state.name == "none" else "problem", state.sentence)
    locks = other_locks(os.fspath(root), state)
    if locks:
        return Check("git", "problem", locks[0], tuple(Problem(".git", 0, lock) for lock in locks[1:]))
    # Packs and loose objects are read whole, and the index is; a reflog may name what git tidied away long ago.
    looked = history.git.report("fsck", "--no-dangling", "--no-progress", "--no-reflogs", seconds=_FSCK)
    if looked is None:
        sentence = f"{state.sentence}; `git fsck` looks at all of it, which takes longer than {_FSCK} seconds"
        return Check("git", "advice", sentence)
    sound, lines = looked
    return Check("git", "ok", state.sentence) if sound else _damaged(lines)


def _damaged(lines: Sequence[str]) -> Check:
    lines_of_git = [line for line in lines if not line.startswith(("notice:", "warning:"))]
    lines_of_git = lines_of_git or ["git fsck failed"]
    details = tuple(Problem(".git", 0, line) for line in lines_of_git[:_SHOWN])
    if any(line.startswith("fatal:") and "index file" in line for line in lines_of_git):
        sentence = "git's index is damaged; move .git/index away and run `git reset`: no file changes, and what was staged can be staged again"
    else:
        sentence = "git's objects or branches are damaged; copy the vault first, then bring what `git fsck` names back from another copy of it"
    return Check("git", "problem", sentence, details)


def _leftovers(root: Path, state: Path, *, fix: bool) -> Check:
    check = partial(Check, "leftovers")
    try:
        with writer_lock(os.fspath(root), wait=0):
            if os.path.exists(root / journal.PATH):
                return check("advice", "a change was cut short; the next change finishes or drops it")
            paths = sorted(_stale(root, state))
            if paths and fix:
                for path in paths:
                    os.unlink(path)
    except LockedError:
        return check("ok", "another process is writing to the vault, so its temp files are in use")
    if not paths:
        return check("ok", "no temp file was left behind")
    if fix:
        return check("mended", f"removed {_some(len(paths), 'temp file')} of an interrupted write")
    names = (os.path.relpath(path, root) for path in paths)
    details = tuple(Problem(name, 0, "was left behind by an interrupted write") for name in names)
    return check("advice", f"{_some(len(paths), 'temp file')} left behind; --fix removes them", details)


def _stale(root: Path, state: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.join(folder, name) for name in names if _TEMP.match(name))
    for entry in os.scandir(state) if state.is_dir() else ():
        if _STATE_TEMP.match(entry.name) and not is_running(int(entry.name.split(".")[1])):
            yield entry.path


def _permissions(root: Path, state: Path) -> Check:
    folders = (Path(on_disk(os.fspath(root), name)) for name in (*FOLDERS, "ledger", "working", STATE_DIR))
    private = [root, *folders, root / CONFIG_FILE]
    if state.is_dir():
        private += sorted(Path(entry.path) for entry in os.scandir(state))
    details = []
    for path in private:
        with suppress(FileNotFoundError):
            mode = os.lstat(path).st_mode
            sentence = f"others may use it (mode {stat.S_IMODE(mode):04o})"
            hint = f"chmod {'700' if stat.S_ISDIR(mode) else '600'} it"
            if mode & _OTHERS:
                details.append(Problem(os.path.relpath(path, root), 0, sentence, hint))
    fine = "nobody else can read the vault"
    return _counted("permissions", details, fine, "place", "open to other users of this machine")


def _links(patient: CheckedVault) -> Check:
    with patient.index.database.reading():  # one state of it, which is looked at once for damage
        ends = dangling(patient.catalog, patient.vault.beside())
    missing = "which does not exist in the vault"
    details = (Problem(end.source, end.line, f"links to {end.target!r}, {missing}") for end in ends)
    return _counted("links", details, "every link leads somewhere", "link", "to what is not there yet")


def _some(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _views(views: Sequence[View]) -> Check:
    written = [view for view in views if view.state not in ("missing", "own")]
    trouble = in_words(written)
    if not trouble:
        return Check("views", "ok", f"{_some(len(written), 'page')}, all of them as compiled now")
    hints = {
        "stale": "`memoryclaw browse views --write` compiles it again",
        "edited": "move your words out of the marks, then `memoryclaw browse views --write`",
        "orphan": "nothing is left to compile it from; remove it if you no longer need it",
    }
    hinted = [view for view in written if view.state in hints]
    details = tuple(Problem(view.path, 0, f"is {view.state}", hints[view.state]) for view in hinted)
    return Check("views", "advice", f"{_some(len(written), 'page')}: {trouble}", details)


# Vectors; looks only.

_MAKE = "`memoryclaw sync --vectors` makes them"
_WORDS = "until then words alone answer"


def _vectors(vectors: Vectors) -> Check:
    check = partial(Check, "vectors")
    try:
        recipe, standing = vectors.recipe, vectors.standing()
        if not vectors.store.exists():
            return check("advice", f"there are none yet; {_MAKE}")
        if not vectors.store.sound():
            return check("problem", f"they are damaged; {_MAKE} again, {_WORDS}")
        if vectors.store.recipe() != recipe:
            return check("advice", f"they are of another model; {_MAKE} again, {_WORDS}")
    except (ModelError, VectorsError) as error:
        return check("problem", f"{error}; {_WORDS}")
    if standing.missing:
        return check("advice", f"{standing.missing} of {standing.units} units have none yet; {_MAKE}")
    return check("ok", f"all {standing.units} units have one by {standing.model}")
