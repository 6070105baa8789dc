"""Vaults with a real git repository, and the questions that tests ask of it."""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import shutil
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from memoryclaw.ports import Address
from memoryclaw.text.language import key_of
from memoryclaw.vault.layout import place_of
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.permissions import OwnStore, put_store
from memoryclaw.writing.context import Templates, WriteContext

NOW = datetime(2026, 11, 21, 10, 15, tzinfo=UTC)
ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
# A commit starts a process that looks whether there is much to pack, and finds that there is not.
ENV |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false"}
ENV |= {f"GIT_{role}_{key}": f"user@{key}" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}


def git(root, *args, check=True, **env):
    """What a git command of the user's prints."""
    command = ["git", "-C", str(root), *args]
    done = subprocess.run(command, env={**ENV, **env}, capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, done.stderr
    return done.stdout


def _merging(root):
    for branch, text in (("other", "other\n"), ("main", "main\n")):
        git(root, "checkout", "-q", *(["-b"] if branch == "other" else []), branch)
        (root / "a.md").write_text(text)
        git(root, "add", "a.md")
        git(root, "commit", "-qm", branch)
    git(root, "merge", "other", check=False)


def _rebasing(root):
    _merging(root)
    git(root, "merge", "--abort")
    git(root, "rebase", "other", check=False)


# How a repository comes into a state that takes no commit, and a word of what is said then.
UNFIT_STATES = [
    (lambda root: git(root, "checkout", "-q", "--detach"), "no branch"),
    (_merging, "merge"),
    (_rebasing, "rebase"),
    (lambda root: git(root, "config", "core.bare", "true"), "bare"),
]


@functools.cache
def _empty():
    """What `git init` makes: its folders, and its files with their bytes."""
    with tempfile.TemporaryDirectory() as folder:
        git(folder, "init", "-q", "-b", "main", "--template=")  # without 14 hooks that sleep
        below = sorted(Path(folder).rglob("*"))
        names = {path: path.relative_to(folder) for path in below}
        return [(names[path], path.read_bytes() if path.is_file() else None) for path in below]


def init(root):
    """A folder becomes a repository without a commit, as `git init` makes one."""
    for name, data in _empty():
        (root / name).mkdir(exist_ok=True) if data is None else (root / name).write_bytes(data)


def copy_repositories(made, to):
    """Copies a folder of repositories that know one another by their paths."""
    shutil.copytree(made, to, symlinks=True, dirs_exist_ok=True)
    for config in (*to.glob("*/.git/config"), *to.glob("*.git/config")):
        config.write_text(config.read_text().replace(os.fspath(made), os.fspath(to)))
    for folder in to.glob("*/.git"):
        git(
            folder.parent, "update-index", "-q", "--refresh"
        )  # the copies are other files than those that it knows


def vault_of(root, files, *, commit=True):
    """A vault with these files (path → text or bytes), committed by the user."""
    root.mkdir(parents=True, exist_ok=True)
    init(root)
    for name, text in {".gitignore": ".memoryclaw/\nworking/\nlogs/\nledger/\n", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    if commit:
        git(root, "add", "-A")
        git(root, "commit", "-qm", "first")
    return root


def snapshot(root):
    """Every file of the vault with its bytes, git's own but its objects included."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(Path(root).rglob("*"))
        if path.is_file() and "objects" not in path.parts and ".memoryclaw" not in path.parts
    }


OURS = {".git", ".git.new", ".memoryclaw"}


def files_below(root, less=OURS):
    """Every file of a vault with its bytes, those of some folders at its top left out."""
    files = {}
    for folder, folders, names in os.walk(root):
        if folder == os.fspath(root):
            folders[:] = [name for name in folders if name not in less]
            names = [name for name in names if name not in less]  # noqa: PLW2901 - a further working tree has a file `.git`
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                files[os.path.relpath(path, root)] = Path(path).read_bytes()
    return files


_ANSWERS = {}


def once(key, asked):
    """What is asked of a vault in a state of which the key tells all: it is the same in every vault in that state."""
    if key not in _ANSWERS:
        _ANSWERS[key] = asked()
    return _ANSWERS[key]


def digest_of(files):
    """One digest of files by their paths."""
    digest = hashlib.blake2b()
    for path, data in sorted(files.items()):
        digest.update(b"%s\0%d\0%b" % (os.fsencode(path), len(data), data))
    return digest.digest()


# Of these files it tells something when they were changed, and where they lie.
_OF_INDEX = {
    "index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "index.seal", "index.lock", "config.json",
}  # fmt: skip


def at_rest(root):
    """All that a run can come upon in a vault in which nothing is under way, but for what its index holds."""
    below = [
        (os.path.relpath(folder, root), *sorted([*folders, *names]))
        for folder, folders, names in os.walk(root)
        if "objects" not in folder.split(os.sep)
    ]
    asked = (("ls-files", "--stage"), ("for-each-ref", "--format=%(refname) %(objectname)"))
    of_git = [git(root, *ask) for ask in asked] if (root / ".git/HEAD").exists() else []
    ours = digest_of(files_below(root / ".memoryclaw", _OF_INDEX))
    return digest_of(files_below(root)), ours, tuple(sorted(below)), *of_git


def _commit(root, number):
    return git(root, "ls-tree", "-r", number), git(root, "log", "--format=%s", number)


def branches_of(root):
    """What every branch holds, and the subjects of its commits."""
    shown = git(root, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    refs = dict(map(str.split, shown))
    return {ref: once(number, functools.partial(_commit, root, number)) for ref, number in refs.items()}


def own_lines(root, files):
    """The lines that git shows as the user's own work in a vault that has these files."""
    # It has the object of each file of git's index that is another one than in the last commit.
    index = git(root, "status", "--porcelain=v2", "--branch")
    return once((index, digest_of(files)), lambda: work_of(users_work(root)))


def users_work(root):
    """What git shows as the user's own work, without the ids of blobs."""
    asked = [git(root, *ask) for ask in (("diff",), ("diff", "--cached"), ("status", "--porcelain"))]
    return [[line for line in text.splitlines() if not line.startswith("index ")] for text in asked]


def work_of(shown):
    """The user's own added and removed lines, whatever stands around them."""
    return [
        [line for line in part if not line.startswith(("@@", " ", "+++", "---", "diff", "?? .memory"))]
        for part in shown
    ]


@functools.lru_cache(maxsize=4096)
def _read(path, data):
    """A note; the same bytes are looked at again and again."""
    return read_note(path, data, ReadingSettings())


class Shelf:
    """Finds ids by reading every note of the vault: the smallest real Lookup."""

    def __init__(self, root):
        self.root = Path(root)

    def _notes(self):
        for path in sorted(self.root.rglob("*")):
            name = str(path.relative_to(self.root))
            if path.is_file() and place_of(name) and not name.startswith("."):
                yield _read(name, path.read_bytes())

    def resolve(self, id_):
        for note in self._notes():
            if note.id == id_:
                return Address(note.id, note.id, note.kind, note.path, state=note.state)
            for fact in note.facts:
                if fact.id == id_:
                    return Address(
                        id_, note.id, "fact", note.path, fact.line, entity=fact.entity, field=fact.field
                    )
            for turn in note.turns:
                if turn.id == id_:
                    return Address(id_, note.id, "turn", note.path, turn.line)
            for section in note.sections:
                if f"{note.id}#{section.heading}" == id_:
                    return Address(id_, note.id, "section", note.path, section.line)
        return None

    def paths_to_verify(self, fields):
        return [note.path for note in self._notes() if note.state == "current" and note.facts]

    def entity_name(self, entity):
        names = [f.entity for n in self._notes() for f in n.facts]
        return next((name for name in names if name.casefold() == entity.casefold()), entity)

    def entity_files(self, entity):
        return [
            n.path for n in self._notes() if any(f.entity.casefold() == entity.casefold() for f in n.facts)
        ]

    def _standing(self):
        notes = (n for n in self._notes() if n.state == "current")
        return [(n.path, f) for n in notes for f in n.facts if f.current and not f.is_statement]

    def standing_facts(self, keys):
        return [(path, fact) for path, fact in self._standing() if key_of(fact.entity) in set(keys)]

    def namesakes(self, entities):
        return {}

    def other_names(self, keys):
        return []

    def speakers(self, lines):
        return {}

    def contested_keys(self):
        return {key_of(f.entity) for _, f in self._standing()}

    def usual_speaker(self):
        return "", 0

    def episodes_titled(self, title):
        return [(n.id, n.path) for n in self._notes() if n.kind == "episode" and n.title == title]


def pen_for(root, now=NOW):
    """A context whose clock stands still and whose ids count up; what is permitted with it is kept beside the vault."""
    put_store(str(root), OwnStore(f"{root}.own"))
    count = itertools.count(1)
    return WriteContext(
        root=str(root),
        lookup=Shelf(root),
        templates=Templates(),
        now=now,
        new_id=lambda: f"{next(count):06x}",
    )
