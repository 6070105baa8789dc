"""What a folder holds before it becomes a vault: looks at the files and at git, and changes nothing."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memoryclaw.errors import HistoryError, InputError, VaultError
from memoryclaw.history.repository import History, object_id
from memoryclaw.index.stemming import language_of
from memoryclaw.ports import Progress
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.frontmatter import is_filled_in, split
from memoryclaw.text.language import Language
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.layout import CONFIG_FILE, MEANINGS, STATE_DIR, is_safe_path
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.writing.secret_gate import secret_gate

_CODE = frozenset({
    ".c", ".cc", ".cpp", ".cs", ".css", ".go", ".h", ".hpp", ".html", ".java", ".js", ".jsx", ".kt", ".lua", ".mjs", ".php", ".py",
    ".rb", ".rs", ".scala", ".sh", ".sql", ".swift", ".ts", ".tsx", ".vue",
})  # fmt: skip
_MOST_FILES = 200_000  # of a folder that is no folder of notes; counting ends there
_SCRIPTS = (("ja", "\u3040", "\u30ff"), ("ko", "\uac00", "\ud7a3"), ("zh", "\u4e00", "\u9fff"))
_UNTOLD = Language("", None, frozenset())


@dataclass(frozen=True, slots=True)
class Named:
    """A folder of the user's whose name means something to MemoryClaw."""

    folder: str
    files: int
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What a folder holds. `place` says what kind of folder it is: missing | empty | home | code | notes | vault."""

    folder: str
    place: str
    kinds: Mapping[str, int]  # kind → notes
    tags: int = 0  # different ones
    links: int = 0
    templates: int = 0
    languages: Mapping[str, int]  # code → notes with enough words to tell
    problems: int = 0
    other: Mapping[str, int]  # suffix → files that are no notes
    obsidian: bool = False
    named: tuple[Named, ...] = ()
    untracked: tuple[str, ...] = ()  # notes that a commit would take in
    ignored: int = 0  # notes that git's ignore rules leave out
    secret: tuple[str, ...] = ()  # notes that seem to hold a secret
    changed: tuple[str, ...] = ()  # files with changes that the user staged or did not commit

    @property
    def notes(self) -> int:
        """How many notes there are."""
        return sum(self.kinds.values())


def survey(vault: Vault, *, shared: bool = False, progress: Progress | None = None) -> Survey:
    """Looks at a folder that is to become a vault, and is `shared` by the larger repository that it lies in or has its own."""
    root = vault.root
    folder = os.fspath(root)
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise InputError(f"{folder} is a file; a vault is a folder, such as {os.path.dirname(folder)}/notes")
    place = _place(root)
    if place in ("missing", "empty", "home"):
        return Survey(folder=folder, place=place, kinds={}, languages={}, other={})
    files = list(_files(folder))
    others = Counter(os.path.splitext(name)[1].lower() for name in files)
    notes = others.pop(".md", 0)
    code = sum(count for suffix, count in others.items() if suffix in _CODE)
    if place == "notes" and code and code >= notes:
        return Survey(folder=folder, place="code", kinds={".md": notes}, languages={}, other=others)
    other = dict(sorted((suffix, count) for suffix, count in others.items() if suffix))
    # The folders of the user's under a name that means something here.
    counted = Counter(path.partition("/")[0] for path in files if "/" in path and place != "vault")
    named = tuple(Named(name, counted[name], means) for name, means in MEANINGS.items() if counted[name])
    seen = Survey(folder=folder, place=place, kinds={}, languages={}, other=other, named=named)
    return _notes(vault, seen, History(folder, shared=shared), progress)


def _place(root: Path) -> str:
    if not root.exists():
        return "missing"
    home = os.environ.get("HOME") or os.path.expanduser("~")
    if os.path.realpath(root) in (os.path.realpath(home), os.path.sep):
        return "home"
    try:
        names = [name for name in os.listdir(root) if name != STATE_DIR]
    except OSError as error:
        raise VaultError(f"{root} cannot be read ({error.strerror}); check its permissions") from None
    if CONFIG_FILE in names:
        return "vault"
    return "notes" if any(not name.startswith(".") for name in names) else "empty"


def _files(folder: str) -> Iterator[str]:
    """The paths of the files in a folder, without hidden ones."""
    count = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if not name.startswith("."):
                yield os.path.relpath(os.path.join(place, name), folder)
                count += 1
        if count > _MOST_FILES:
            return


def _notes(vault: Vault, seen: Survey, history: History, progress: Progress | None) -> Survey:
    root, gate = vault.root, secret_gate()
    scan = vault.scan()
    kinds, languages = Counter[str](), Counter[str]()
    tags, links, templates, problems = set[str](), 0, 0, len(scan.problems)
    secret, data_of = [], dict[str, bytes]()
    for number, path in enumerate(sorted(scan.files), 1):
        file = vault.read(path, scan.raw.get(path))
        if progress:
            progress(number, len(scan.files))
        if file is None or not path.endswith((".md", ".jsonl")):
            continue
        note = read_note(path, file[0], ReadingSettings())
        kinds[note.kind] += 1
        tags.update(note.tags)
        links += len(note.links)
        text = readable(decode(file[0]).text)
        templates += note.kind == "note" and is_filled_in(f"{split(text).raw}\n{note.title}")
        problems += len(note.problems)
        if code := _language(text):
            languages[code] += 1
        if path not in scan.raw and is_safe_path(path):
            data_of[path] = file[0]
            if gate.text(text) != text:
                secret.append(path)
    untracked, ignored, changed = _in_git(history, data_of)
    return replace(
        seen, kinds=dict(sorted(kinds.items())), tags=len(tags), links=links, templates=templates,
        languages=dict(languages.most_common()), problems=problems, obsidian=(root / ".obsidian").is_dir(),
        untracked=tuple(path for path in untracked if path not in secret), ignored=ignored,
        secret=tuple(path for path in secret if path in untracked), changed=changed,
    )  # fmt: skip


def _language(text: str) -> str:
    """The language of a text by its script or its stop words; empty where there are too few of them to tell."""
    letters = [char for char in text if char.isalpha()]
    for code, first, last in _SCRIPTS:
        if sum(first <= char <= last for char in letters) * 5 > len(letters) > 0:
            return code
    return language_of([text], _UNTOLD).code


def _in_git(history: History, notes: Mapping[str, bytes]) -> tuple[list[str], int, tuple[str, ...]]:
    """Which of these notes git neither holds nor ignores, how many it ignores, and what the user has changed or staged."""
    # Without what is in a repository of its own further down, or in a submodule.
    inner = {path: [f"{history.root}/{up}/.git" for up in list(Path(path).parents)[:-1]] for path in notes}
    paths = {path for path, gits in inner.items() if not any(map(os.path.lexists, gits))}
    state = history.state()
    if state.name == "none":
        return sorted(paths), 0, ()
    if not state.git_dir or state.name in ("bare", "damaged"):
        return [], 0, ()
    try:
        entries = history.index_entries([])
        new = sorted(paths - entries.keys())
        ignored = history.ask_ignored(new)() if new else set()
        # The files that differ from the last commit in the user's index, and notes that differ from the index.
        staged = set(entries)
        if head := history.head():
            out = history.git.run("diff-index", "--cached", "--name-only", "-z", "--no-renames", head)
            staged = set(history.names_of(out.decode("utf-8", "surrogateescape").split("\0"))) - {""}
        oids = ((path, data, entries[path].oid) for path, data in notes.items() if path in entries)
        kind = history.hash_name
        edited = {path for path, data, oid in oids if object_id("blob", data, kind) != oid}
        return [path for path in new if path not in ignored], len(ignored), tuple(sorted(staged | edited))
    except HistoryError:
        return [], 0, ()
