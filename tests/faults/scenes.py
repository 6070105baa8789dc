"""The vault that the campaign breaks, every verb that writes, and what must hold after each fault."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from gitvault import OURS, at_rest, branches_of, digest_of, files_below, git, once, own_lines, vault_of
from indexed import rebuilt
from nights import EVENING, said
from tracing import OK, Ended, Fault, run

import memoryclaw.app
import memoryclaw.app.context
from memoryclaw.app import App, init_vault
from memoryclaw.errors import VaultError
from memoryclaw.index.index import RACY_NS, fingerprint
from memoryclaw.interfaces.mcp import tools
from memoryclaw.review.queue import ReviewItem
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.writing.writer import recover

NOW = datetime(2026, 11, 21, 10, 15, tzinfo=UTC)
_TICK = 1.2 * RACY_NS / 1e9
PEOPLE = "# Anna\n- city: Berlin\n- phone: 1\n"
FILES = {
    "memoryclaw.yaml": "consolidation:\n  skillThreshold: 2\nvault:\n  id: 0123456789abcdef0123456789abcdef\n",
    "semantic/people.md": PEOPLE,
    "semantic/projects.md": "# Boathouse\n- deadline: 2026-12-11 [since:: 2026-03-24]\n- contractor: Nordmole\n",
    "semantic/_schema.yaml": "fields:\n  deadline: date\n",
    "notes/a.md": "---\nid: n1\ntags: [a]\n---\nThe lantern stands in the oak.\n",
    "notes/b.md": "---\nid: n2\n---\r\nA note with CRLF\r\nand no last newline",
    "notes/c.md": "---\nid: n3\n---\nTo be forgotten and revived.\n",
    "skills/send-update/SKILL.md": "---\nname: send-update\ndescription: Send the weekly update to everyone\n---\n\n1. Write five lines.\n2. Send them.\n",
    "staged.md": "old\n",
    "mine.md": "one\ntwo\n",
    "logs/2026-04-19/evening.jsonl": said("evening", EVENING),
}
APART = {
    "logs",
    "ledger",
    "working",
}  # appended or rewritten alone, and not by a commit: each has a check of its own
TURNS = ("one", "two " + "long " * 3000, "three")
Acknowledge = Callable[[str], None]


class Snapshot(NamedTuple):
    """A vault at rest: its files, what its branches hold and say, and the user's own work in it."""

    files: Mapping[str, bytes]
    refs: Mapping[str, tuple[str, str]]
    work: list[list[str]]


class Verb(NamedTuple):
    """A verb that writes.

    whole: it is one commit, so that the vault is as it was or as it will be; else it is done again after a fault.
    before: what the vault of this verb has on top of what every vault has.
    by_hand: what a person does to its files since the index was last in line.
    """

    act: Callable[[App], object]
    whole: bool = True
    before: Callable[[App], object] = lambda app: None
    by_hand: Callable[[Path], object] = lambda root: None


class Scene(NamedTuple):
    """A verb with the vault it is done to, before and after an undisturbed run."""

    name: str
    verb: Verb
    start: Path
    old: Snapshot
    new: Snapshot


def _waiting(app: App) -> list[ReviewItem]:
    return [item for item in app.review.list() if item.fact]


def _branches(app: App) -> list[ReviewItem]:
    return [item for item in app.review.list() if item.branch]


def _capture(app: App) -> None:
    for number, text in enumerate(TURNS, 1):
        app.capture([{"session": "s", "turn": number, "role": "user", "content": text}])


def _edited(root: Path) -> None:
    """What a person did by hand since the index was last in line."""
    (root / "mine.md").write_text("one\ntwo\nthree\n")
    (root / "notes/new.md").write_text("Written by hand.\n")


VERBS = {
    "remember an episode": Verb(lambda app: app.remember("Met Zoë at the slipway", tags=["zoe"])),
    "remember a fact": Verb(lambda app: app.remember("Rome", entity="Anna", field="city")),
    "edit a note": Verb(lambda app: app.edit("n1", {"tags": ["a", "b"]})),
    "edit a fact": Verb(lambda app: app.edit("semantic/people#Anna.phone", {"value": "2"})),
    "forget a note": Verb(lambda app: app.forget("n2")),
    "forget a fact": Verb(lambda app: app.forget("semantic/people#Anna.phone")),
    "revive": Verb(lambda app: app.revive("n3")),
    "trust": Verb(lambda app: app.trust("n1")),
    "quarantine": Verb(lambda app: app.quarantine("semantic/projects#Boathouse.contractor")),
    "claim over MCP": Verb(lambda app: tools.store(app, "Dana", entity="Boathouse", field="lead", session="s1")),
    "claim that contradicts": Verb(lambda app: app.claim("2027-01-01", entity="Boathouse", field="deadline", tool="memory_store")),
    "review approve": Verb(lambda app: app.review.approve(_waiting(app))),
    "review reject": Verb(lambda app: app.review.reject(_waiting(app))),
    "skills approve": Verb(lambda app: app.skills.approve("send-update")),
    "undo": Verb(
        lambda app: app.undo("HEAD"), before=lambda app: app.remember("Oslo", entity="Boathouse", field="place")
    ),
    "consolidate": Verb(lambda app: app.consolidate(llm="none"), whole=False),
    "consolidate to a branch": Verb(lambda app: app.consolidate(llm="none", mode="branch"), whole=False),
    "approve a branch": Verb(
        lambda app: app.review.approve(_branches(app)), whole=False, before=lambda app: app.consolidate(llm="none", mode="branch")
    ),
    "reject a branch": Verb(
        lambda app: app.review.reject(_branches(app)), whole=False, before=lambda app: app.consolidate(llm="none", mode="branch")
    ),
    "capture": Verb(_capture, whole=False),
    "feedback": Verb(lambda app: app.feedback("n1", 5), whole=False),
    "working memory": Verb(lambda app: app.working.set("s1", {"task": "build", "goal": "a boathouse"}), whole=False),
    "sync": Verb(lambda app: app.sync(), by_hand=_edited),
    "reindex": Verb(lambda app: app.reindex()),
    "init": Verb(lambda app: init_vault(app.root, clock=lambda: NOW), whole=False),
}  # fmt: skip


class Vaults:
    """Makes vaults and scenes, each once in a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._scenes: dict[str, Scene] = {}
        self._number = itertools.count()
        base = vault_of(folder / "base", FILES)
        with opened(base) as app:
            app.remember("Bern", entity="Anna", field="city")
            app.forget("n3")
            app.claim("Paris", entity="Anna", field="city", tool="memory_store")
        users_own(base)
        self.base = base
        with opened(self.copy(base)) as app:
            app.consolidate(
                llm="none"
            )  # all that a night loads and compiles is there before any child is forked

    def place(self) -> Path:
        """A path that nothing has."""
        return self.folder / f"v{next(self._number)}"

    def copy(self, of: Path) -> Path:
        """A copy of a vault with its index in line."""
        root = self.place()
        shutil.copytree(of, root, symlinks=True)
        if (root / ".memoryclaw").exists():
            time.sleep(
                _TICK
            )  # what is read in the tick of its last change is read once more, and each run shall make the same calls
            with opened(root) as app:
                app.sync()
        return root

    def scene(self, name: str) -> Scene:
        """What a verb does to a vault when nothing disturbs it."""
        if name in self._scenes:
            return self._scenes[name]
        verb, start = VERBS[name], self.place()
        if name == "init":
            start.mkdir()
            (start / "mine.md").write_text("mine\n")
        else:
            shutil.copytree(self.base, start, symlinks=True)
        with opened(start) as app:
            verb.before(app)
        whole = self.copy(start)
        verb.by_hand(whole)
        done = self.done(verb, whole, watched=False)
        assert done.code == OK, done.output
        settle(whole)
        before = self.copy(start)
        verb.by_hand(before)
        made = Scene(name, verb, start, snapshot(before), snapshot(whole))
        assert made.old != made.new or name in {"sync", "reindex", "capture", "feedback", "working memory"}
        self._scenes[name] = made
        return made

    @contextlib.contextmanager
    def fresh(self, scene: Scene) -> Iterator[Path]:
        """A vault for one trial."""
        root = self.copy(scene.start)
        scene.verb.by_hand(root)
        time.sleep(_TICK)
        try:
            yield root
        finally:
            shutil.rmtree(root, ignore_errors=True)

    @staticmethod
    def done(
        verb: Verb, root: Path, fault: Fault | None = None, *, bin_: Path | None = None, watched: bool = True
    ) -> Ended:
        """Does a verb in a process of its own; what it gives back is acknowledged before the process ends.

        Args:
            verb: what to do.
            root: the vault.
            fault: what goes wrong in the process.
            bin_: a folder that is the first of the PATH.
            watched: False where nobody asks for its calls.
        """

        def work(acknowledge: Acknowledge) -> None:
            if bin_:
                os.environ["PATH"] = f"{bin_}{os.pathsep}{os.environ['PATH']}"
            with opened(root) as app:
                if verb is VERBS["capture"]:
                    for number, text in enumerate(TURNS, 1):
                        [kept] = app.capture(
                            [{"session": "s", "turn": number, "role": "user", "content": text}]
                        )
                        if not kept.ok:
                            raise VaultError(kept.error)
                        acknowledge(str(number))
                else:
                    verb.act(app)
                    acknowledge("done")

        return run(work, fault, watched=watched)


@contextlib.contextmanager
def opened(root: Path, now: datetime = NOW) -> Iterator[App]:
    """A vault whose clock stands still and whose ids count up, so that two runs of a verb can be compared."""
    count = itertools.count(1)
    app_context = memoryclaw.app.context
    before = app_context.new_id, app_context.new_vault_id
    app_context.new_id = memoryclaw.app.new_id = lambda: f"{next(count):06x}"
    app_context.new_vault_id = memoryclaw.app.new_vault_id = lambda: "0123456789abcdef" * 2
    app = App(root, clock=lambda: now)
    try:
        yield app
    finally:
        app.close()
        app_context.new_id, app_context.new_vault_id = before
        memoryclaw.app.new_id, memoryclaw.app.new_vault_id = before


def users_own(root: Path) -> None:
    """The user has unsaved work in a file that verbs write too, staged and untracked work, and both in one file."""
    people = root / "semantic/people.md"
    people.write_text(people.read_text() + "\n# Mine\n- note: unsaved\n")
    (root / "staged.md").write_text("staged\n")
    (root / "mine.md").write_text("one\nstaged\n")
    git(root, "add", "staged.md", "mine.md")
    (root / "mine.md").write_text("one\nunstaged\n")
    (root / "untracked.md").write_text("mine\n")


def files_of(root: Path) -> dict[str, bytes]:
    """Every file that a commit of ours may change, or a person has."""
    return files_below(root, OURS | APART)


def snapshot(root: Path) -> Snapshot:
    """The vault at rest."""
    files = files_of(root)
    if not (root / ".git/HEAD").exists():
        return Snapshot(files, {}, [])
    return Snapshot(files, branches_of(root), own_lines(root, files))


def settle(root: Path) -> str:
    """What the next verb does first: ends what was cut short, and brings the index in line; the index's fingerprint."""
    if (root / ".git").exists() or (root / ".memoryclaw").exists():
        recover(str(root))
    return synced(root)


def synced(root: Path) -> str:
    """The fingerprint of the index, once it is in line."""
    with opened(root) as app:
        app.sync()
        return fingerprint(app.index)


def nothing_is_torn(root: Path, scene: Scene) -> None:
    """Before anything is repaired: each file is whole, as it was or as it will be."""
    for path, data in files_of(root).items():
        if Path(path).name.startswith(".") and path.endswith(".tmp"):
            continue  # hidden, and gone with the next verb
        allowed = {scene.old.files.get(path), scene.new.files.get(path)}
        assert data in allowed, f"{path} is torn: {data[:200]!r}"
    gone = [path for path in scene.old.files if path in scene.new.files and not (root / path).exists()]
    assert not gone, f"{gone} are gone"


def is_sound(root: Path, mark: str = "") -> None:
    """The index, of this fingerprint once it was in line, is what a rebuild gives, git finds nothing wrong, and nothing of ours is left lying about."""
    mark = mark or synced(root)
    whole = once(("rebuilt", digest_of(files_below(root))), lambda: rebuilt(root))
    assert mark == whole, "the index is not what a rebuild gives"
    if (root / ".git/HEAD").exists():
        assert git(root, "fsck", "--strict", "--no-dangling") == "", "git fsck found damage"
    nothing_is_left(root, *APART, ".git.new", ".memoryclaw/.plan.tmp")


def nothing_is_left(root: Path, *less: str) -> None:
    """No lock, no temp file, no journal and no copy of git's index stays behind, but below these, where the next write sweeps."""
    left = [
        os.path.relpath(os.path.join(folder, name), root)
        for folder, folders, names in os.walk(root)
        for name in (*folders, *names)
        if name.endswith((".tmp", ".new", ".new-journal"))
        or (name.endswith(".lock") and ".git" in folder.split(os.sep))
        or name.startswith("memoryclaw.index")
    ]
    assert [name for name in left if not name.startswith(less)] == [], f"left behind: {left}"
    assert not (root / ".memoryclaw/pending.json").exists(), "the journal is left"


def whole_lines(root: Path, folder: str) -> None:
    """Every line of what is only appended to can be read; a torn last one is told as a problem and spoils no other."""
    for path in sorted((root / folder).rglob("*.jsonl")):
        note = read_note(str(path.relative_to(root)), path.read_bytes(), ReadingSettings())
        assert len(note.problems) <= 1, note.problems


def nothing_acknowledged_is_lost(root: Path, scene: Scene, ended: Ended) -> None:
    """What the process was told is done can be read."""
    if scene.name == "capture":
        log = root / "logs/2026-11-21/s.jsonl"
        text = log.read_text() if log.exists() else ""
        kept = [json.loads(line)["turn"] for line in text.splitlines() if line.endswith("}")]
        assert sorted(set(kept)) == kept, f"turns are kept twice: {kept}"
        assert len(kept) >= len(ended.acknowledged), (
            f"{ended.acknowledged} were acknowledged, {kept} are kept"
        )
    elif ended.acknowledged and scene.name == "feedback":
        lines = [
            line for path in (root / "ledger").rglob("*.jsonl") for line in path.read_text().splitlines()
        ]
        assert any(json.loads(line)["event"] == "rated" for line in lines), (
            "a rating was acknowledged and is not kept"
        )
    elif ended.acknowledged and scene.name == "working memory":
        with opened(root) as app:
            assert app.working.show("s1").goal == "a boathouse"


def must_hold(root: Path, scene: Scene, ended: Ended, *, again: bool) -> None:
    """Everything that holds after a fault: first as it was left, then after the next verb."""
    assert ended.code != 3, f"a bug and not a sentence: {ended.output[-600:]}"
    nothing_is_torn(root, scene)
    mark = settle(root)
    state = snapshot(root)
    if scene.verb.whole:
        assert state in (scene.old, scene.new), _difference(state, scene)
        if ended.acknowledged:
            assert state == scene.new, f"it was acknowledged and is not there: {_difference(state, scene)}"
    elif scene.name != "init":
        assert state.work in (scene.old.work, scene.new.work), f"the user's work was touched: {state.work}"
    nothing_acknowledged_is_lost(root, scene, ended)
    whole_lines(root, "logs")
    is_sound(root, mark)
    if not scene.verb.whole or (again and state == scene.old):
        an_hour_passes(root)
        once(("again", scene.name, mark, at_rest(root)), lambda: done_again(root, scene))


def done_again(root: Path, scene: Scene) -> None:
    """The verb goes through, and leaves what it leaves where nothing disturbs it."""
    repeated = Vaults.done(scene.verb, root, watched=False)
    assert repeated.code == OK, f"it does not go through afterwards: {repeated.output}"
    settle(root)
    assert snapshot(root) == scene.new, (
        f"done again it is not what it would have been: {_difference(snapshot(root), scene)}"
    )
    if scene.name == "capture":  # the payload that was kept is not written once more; the next one is
        with opened(root) as app:
            app.capture([{"session": "s", "turn": 9, "role": "user", "content": "another " * 5000}])
            app.working.set("s", {"task": "build"})  # nor is what the session works with
    nothing_is_left(root)


def an_hour_passes(root: Path) -> None:
    """What a killed process left lies about for a while: only then is it told from what one that runs is writing."""
    for path in root.rglob(".*.tmp"):
        os.utime(path, (path.stat().st_mtime - 3600,) * 2)


def _difference(state: Snapshot, scene: Scene) -> str:
    parts = []
    for name, wanted in (("old", scene.old), ("new", scene.new)):
        files = sorted(
            path for path in {*state.files, *wanted.files} if state.files.get(path) != wanted.files.get(path)
        )
        refs = sorted(
            ref for ref in {*state.refs, *wanted.refs} if state.refs.get(ref) != wanted.refs.get(ref)
        )
        parts.append(
            f"against {name}: files {files}, refs {refs}, work {'same' if state.work == wanted.work else [state.work, wanted.work]}"
        )
    return "; ".join(parts)
