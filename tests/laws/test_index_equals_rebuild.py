"""Law 1: after any edits, by anybody, in any order, the kept index equals one that is built from nothing."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from indexed import echoed, kept, rebuilt, until, watched

from memoryclaw.errors import IndexBusyError

FOLDERS = (
    "", "episodes", "semantic", "notes", "notes/deep", os.fsdecode(b"f\xfcr"), "skills/pack",
    "skills/pack/data", "logs/2025-01-01", "archive/semantic", "ledger",
)  # fmt: skip
NAMES = (
    "a.md", "b.md", "A.md", "projects.md", "_pending.md", "2025-04-08_14-32-10_mail.md", "é.md", unicodedata.normalize("NFD", "é.md"),
    "中.md", "SKILL.md", "s.json", "log.jsonl", "log.md", "x.txt", "~$a.md", "a.sync-conflict-20250101-101010-ABCDEF.md",
    os.fsdecode(b"caf\xe9.md"),
)  # fmt: skip
WORDS = ("boathouse", "deadline", "Müller", "kiosk", "木栓", "runs", "running", "don't", "budget", "x")
TEXTS = (
    "", "plain words\n", "# Boathouse\n- deadline: 2026-12-11\n\n## History\n- deadline: 2025-06-27 [until:: 2025-11-20]\n",
    '# Boathouse\n- "budget: x" [said:: 2025-01-01]\n- "budget: x"\n\n# People\n- "kiosk"\n- Ana\n  - "runs" [said:: 2025-01-02]\n',
    "# Projects\n- kiosk: 2026\n- boathouse: 2027\n", "# People\n| name | mail |\n|---|---|\n| Ana | a@x.org |\n",
    "---\nid: same\ntags: [a/b, ü]\n---\n\n# One\ntext #tag [[b|see]] ![[a#One]]\n# Two\nmore\n",
    "---\naliases: [x]\ndeadline: 2026-12-11\nsize: {w: 1}\n---\n# Kiosk\npaid:: 木栓\n- [ ] runs 📅 2026-12-11 ^a\n- [x] runs\n- [x] runs\n",
    "---\nbroken: [\n---\nbody\n", "---\nno end\n", "---\nname: pack\ndescription: packs things\n---\n1. do it\n",
    "---\na: 1\na: 2\npin: true\ntimestamp: 2025-04-08T14:32:10Z\nsummary: Mail\n---\r\nsecond\r\n", "\x00\x01binary\ufeff",
    "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", '{"name": "s", "description": "does", "triggers": ["go"]}',
)  # fmt: skip
STOCK = {
    "semantic/contacts.md": "# Contacts\n- Ana: a@x.org\n\n# Boathouse\n- Ana: rows\n- kiosk: near\n", "semantic/aliases.yaml": "kiosk: [stall]\n",
    "episodes/2025-04-08_14-32-10_mail.md": TEXTS[5], "notes/deep/a.md": "plain [[b]]\n", "skills/pack/SKILL.md": TEXTS[8],
    "logs/2025-01-01/s1.jsonl": '{"role": "user", "content": "hello boathouse"}\n{"role": "tool", "content": "budget"}\n',
}  # fmt: skip
SCHEMAS = (
    "",
    "collections: [people]\n",
    "collections: [boathouse, kiosk]\n",
    "fields: {deadline: date}\n",
    ": bad [\n",
)
ALIASES = ("", "boathouse: [rowing club, shed]\n", "- [kiosk, stall]\n", "just text\n", "a: &x [b]\n")
GIT = (
    "git", "-c", "user.name=n", "-c", "user.email=n@x", "-c", "core.hooksPath=/dev/null", "-c",
    "commit.gpgSign=false",
)  # fmt: skip

numbers = st.integers(0, 1_000_000)
paths = st.builds(os.path.join, st.sampled_from(FOLDERS), st.sampled_from(NAMES))
many = st.dictionaries(paths, st.deferred(lambda: texts), min_size=4, max_size=10)
texts = st.one_of(st.sampled_from(TEXTS), st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join))


class EditedVault(RuleBasedStateMachine):
    """A vault under the hands of people, editors and git, and an index that follows."""

    live = False

    def __init__(self):
        super().__init__()
        self.stack = contextlib.ExitStack()
        self.base = Path(tempfile.mkdtemp(prefix="edited-"))
        self.stack.callback(shutil.rmtree, self.base, ignore_errors=True)
        self.root = self.base / "vault"
        self.root.mkdir()
        (self.root / "memoryclaw.yaml").write_text("# settings\n")
        (self.root / ".gitignore").write_text(".memoryclaw/\n")
        self.git("init", "-q")
        self.states: list[str] = []
        self.hints: set[str] = set()
        self.folders: set[str] = set()
        self.kept = kept(self.root)
        self.stack.callback(self.kept.close)

    @initialize(files=many)
    def begin(self, files):
        self.write_many({**STOCK, **files})
        self.kept.sync.run()
        if self.live:
            self.stack.enter_context(watched(self.root))

    # What people do.

    @rule(path=paths, text=texts)
    def write(self, path, text):
        self.put(path, text)

    @rule(files=many)
    def write_many(self, files):
        for path, text in files.items():
            self.put(path, text)

    @precondition(lambda self: len(list(self.visible())) < 12)
    @rule(files=many)
    def come_back_from_lunch(self, files):
        self.write_many(files)

    @rule(n=numbers, text=texts)
    def append(self, n, text):
        if path := self.pick(n):
            with (self.root / path).open("a", encoding="utf-8") as file:
                file.write(text)
            self.hints.add(path)

    @rule(role=st.sampled_from(["user", "tool"]), n=st.integers(1, 3), text=texts)
    def log(self, role, n, text):
        path = f"logs/2025-01-01/s{n}.jsonl"
        if not self.parent(path):
            return
        with (self.root / path).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"ts": "2025-01-01T00:00:00Z", "role": role, "content": text}) + "\n")
        self.hints.add(path)

    @rule(text=st.sampled_from(SCHEMAS))
    def declare(self, text):
        self.put("semantic/_schema.yaml", text)

    @rule(text=st.sampled_from(ALIASES))
    def alias(self, text):
        self.put("semantic/aliases.yaml", text)

    @rule(n=numbers)
    def delete(self, n):
        if path := self.pick(n):
            (self.root / path).unlink()
            self.hints.add(path)

    @rule(n=numbers, to=paths)
    def rename(self, n, to):
        path = self.pick(n)
        if path and self.parent(to) and not (self.root / to).is_dir():
            (self.root / path).rename(self.root / to)
            self.hints |= {path, to}

    @rule(n=numbers, m=numbers)
    def swap(self, n, m):
        first, other = self.pick(n), self.pick(m)
        if first and first != other:
            spare = self.root / "notes.swap"
            (self.root / first).rename(spare)
            (self.root / other).rename(self.root / first)
            spare.rename(self.root / other)
            self.hints |= {first, other, "notes.swap"}

    @rule(n=numbers, to=st.sampled_from(["moved", "notes/moved", ".trash", "semantic", "archive/notes"]))
    def rename_folder(self, n, to):
        folder = self.pick_folder(n)
        below = f"{to}/".startswith(f"{folder}/")
        if folder and not below and not (self.root / to).exists() and self.parent(to):
            (self.root / folder).rename(self.root / to)
            self.folders |= {folder, to}

    @rule(n=numbers)
    def delete_folder(self, n):
        if folder := self.pick_folder(n):
            shutil.rmtree(self.root / folder)
            self.folders.add(folder)

    @rule(n=numbers)
    def move_folder_out(self, n):
        folder = self.pick_folder(n)
        if folder and not (self.base / "out").exists():
            (self.root / folder).rename(self.base / "out")
            self.folders.add(folder)

    @precondition(lambda self: (self.base / "out").exists())
    @rule(to=st.sampled_from(["back", "notes/back", "semantic"]))
    def move_folder_in(self, to):
        if self.parent(to) and not (self.root / to).exists():
            (self.base / "out").rename(self.root / to)
            self.folders.add(to)

    @rule(n=numbers)
    def link(self, n):
        place = self.root / f"notes/link{n % 3}.md"
        if place.is_symlink():
            place.unlink()
        elif self.parent("notes/link"):
            place.symlink_to("../semantic" if n % 2 else "/etc/hostname")
        self.hints.add(f"notes/link{n % 3}.md")

    @rule(n=numbers)
    def replace_folder_by_link(self, n):
        folder = self.pick_folder(n)
        if folder and not (self.base / "out").exists():
            (self.root / folder).rename(self.base / "out")
            (self.root / folder).symlink_to(self.base / "out")
            self.hints.add(folder)
            self.folders.add(folder)

    # What editors do.

    @rule(n=numbers, text=texts)
    def save_by_rename(self, n, text):
        if path := self.pick(n):
            temp = (self.root / path).with_name(".tmp-save")
            temp.write_text(text, encoding="utf-8")
            temp.rename(self.root / path)
            self.hints.add(path)

    @rule(n=numbers, text=texts)
    def save_like_vim(self, n, text):
        if path := self.pick(n):
            file = self.root / path
            backup = file.with_name(f"{file.name}~")
            file.rename(backup)
            file.write_text(text, encoding="utf-8")
            backup.unlink()
            self.hints |= {path, f"{path}~"}

    @rule(n=numbers)
    def edit_without_a_trace(self, n):
        """Same size, and the modification time put back."""
        path = self.pick(n)
        before = (self.root / path).stat() if path else None
        if before and before.st_size:
            data = bytearray((self.root / path).read_bytes())
            data[len(data) // 2] = data[len(data) // 2] % 26 + 97
            (self.root / path).write_bytes(data)
            os.utime(self.root / path, ns=(before.st_atime_ns, before.st_mtime_ns))
            self.hints.add(path)

    @rule(n=numbers, mode=st.sampled_from([0o600, 0o644, 0o755]))
    def chmod(self, n, mode):
        if path := self.pick(n):
            (self.root / path).chmod(mode)
            self.hints.add(path)

    # What git does.

    @precondition(lambda self: len(self.states) < 3)
    @rule()
    def commit(self):
        self.git("add", "-A", ".")
        self.git("commit", "-qm", "state", "--allow-empty")
        self.states.append(self.git("rev-parse", "HEAD").strip())

    @precondition(lambda self: self.states)
    @rule(n=numbers)
    def checkout(self, n):
        self.git("checkout", "-qf", self.states[n % len(self.states)])
        self.hints, self.folders = set(), {"everything"}

    # What we do.

    @rule()
    def sync(self):
        if not self.live:
            self.kept.sync.run()
        self.compare()

    @rule()
    def follow_hints(self):
        if self.live or "everything" in self.folders:
            return self.sync()
        self.kept.sync.paths(sorted(self.hints), sorted(self.folders))
        return self.compare()

    @rule()
    def sync_somewhere_else(self):
        """Another process comes by, and does its own sync; while the index is busy it tries again, as it is told."""
        other = kept(self.root)
        until(lambda: synced(other), 30)
        other.close()
        self.hints, self.folders = set(), set()

    @rule(how=st.sampled_from(["index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "index.seal"]))
    def lose_part_of_the_index(self, how):
        if not self.live:
            (self.root / ".memoryclaw" / how).unlink(missing_ok=True)
            self.folders.add("everything")

    def teardown(self):
        try:
            self.sync()
        finally:
            self.stack.close()

    def compare(self):
        if self.live:
            echoed(self.kept.state)
        assert self.kept.mark() == rebuilt(self.root)
        self.hints, self.folders = set(), set()

    def put(self, path, text):
        if self.parent(path) and not (self.root / path).is_dir():
            (self.root / path).write_text(text, encoding="utf-8")
            self.hints.add(path)

    def parent(self, path):
        """Makes the folder of a path; False where a link or a file is in the way."""
        folder = (self.root / path).parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            return False
        return folder.resolve() == folder and not (self.root / path).is_symlink()

    def pick(self, n):
        files = sorted(
            os.fspath(p.relative_to(self.root)) for p in self.visible() if p.is_file() and not p.is_symlink()
        )
        files = [path for path in files if path != "memoryclaw.yaml"]
        return files[n % len(files)] if files else ""

    def pick_folder(self, n):
        folders = sorted(
            os.fspath(p.relative_to(self.root)) for p in self.visible() if p.is_dir() and not p.is_symlink()
        )
        return folders[n % len(folders)] if folders else ""

    def visible(self):
        for folder, names, files in os.walk(self.root):
            names[:] = [name for name in names if not name.startswith(".")]
            yield from (Path(folder, name) for name in [*names, *files] if not name.startswith("."))

    def git(self, *args):
        done = subprocess.run(
            [*GIT, "-C", str(self.root), *args], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def synced(kept):
    """True when the index was free, and is in line now."""
    try:
        kept.sync.run()
    except IndexBusyError:
        return False
    return True


class WatchedVault(EditedVault):
    """The same with a live watcher: nobody syncs, a cookie must be proof enough."""

    live = True


def ran(machine, examples, steps):
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, database=None,
            suppress_health_check=list(HealthCheck), print_blob=True,
        ),
    )  # fmt: skip


pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")


@pytest.mark.parametrize("machine", [EditedVault, WatchedVault])
def test_a_kept_index_equals_a_rebuilt_one(machine):
    ran(machine, 2, 25)


@pytest.mark.laws
@pytest.mark.parametrize("machine", [EditedVault, WatchedVault])
def test_a_kept_index_equals_a_rebuilt_one_for_thousands_of_steps(machine):
    ran(machine, 110, 50)
