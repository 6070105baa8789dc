"""Two machines with one vault: whatever each does at once with the other, nothing is lost, nothing stands twice, and both end up alike."""

from __future__ import annotations

import os
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from gitvault import git
from indexed import rebuilt
from nights import said

from memoryclaw.app import App
from memoryclaw.errors import MemoryClawError
from memoryclaw.index.index import fingerprint as index_fingerprint
from memoryclaw.review.machines import conflict_copy
from memoryclaw.vault.edits import SemanticFile
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS
from memoryclaw.writing.decisions import Decisions, fingerprint
from memoryclaw.writing.pending import PENDING_FILE, read_pending

START = datetime(2026, 5, 1, 8, tzinfo=UTC)
PEOPLE = ("Anna", "Bilal", "Chen", "Dörte")
FIELDS = ("city", "phone", "employer")
NOTES = ("notes/plan.md", "notes/shed.md")
FIRST = {
    "memoryclaw.yaml": "git:\n  track_ledger: true\n  track_logs: true\n",
    ".gitignore": ".memoryclaw/\nworking/\nlogs/\nledger/\n",
    "semantic/people.md": "# Anna\n- city: Bern\n\n# Chen\n- phone: 1\n",
    "notes/plan.md": "---\ntags: [plan]\n---\n# Plan\n\nPaint the door.\nBuy nails.\n",
    "notes/shed.md": "# Shed\r\n\r\nOld wood.\r\n",
}


class Machine:
    """One clone, and what a person and their agent do there."""

    def __init__(self, root: Path, luck: random.Random, ledger: Ledger) -> None:
        self.root, self.luck, self.ledger, self.now = root, luck, ledger, START
        self.runs: list[str] = []

    def app(self) -> App:
        return App(self.root, clock=lambda: self.now)

    def turn(self, now: datetime) -> None:
        """One thing that happens."""
        self.now = now
        act = self.luck.choice(
            (self.remember, self.remember, self.fact, self.fact, self.claim, self.consolidate, self.decide, self.decide, self.undo, self.edit, self.edit, self.forget)
        )  # fmt: skip
        with self.app() as app:
            act(app)

    def word(self) -> str:
        return self.ledger.fresh()

    def remember(self, app: App) -> None:
        word = self.word()
        self.runs.append(app.remember(f"The {word} stands in the yard.").commit)
        self.ledger.said[word] = "text"

    def fact(self, app: App) -> None:
        word, entity, field = self.word(), self.luck.choice(PEOPLE), self.luck.choice(FIELDS)
        app.remember(word, entity=entity, field=field)
        self.ledger.said[word] = "fact"

    def claim(self, app: App) -> None:
        word, entity, field = self.word(), self.luck.choice(PEOPLE), self.luck.choice(FIELDS)
        app.claim(word, entity=entity, field=field, tool="t", session="s")
        self.ledger.said[word] = "claim"

    def consolidate(self, app: App) -> None:
        word, session = self.word(), f"s{self.ledger.count}"
        text = said(
            session, (("user Nora", f"The {word} of Boathouse is now {word}z."),), day=f"{self.now:%Y-%m-%d}"
        )
        path = self.root / f"logs/{self.now:%Y-%m-%d}/{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        app.consolidate(llm="none")
        self.ledger.said[word] = "turn"

    def decide(self, app: App) -> None:
        waiting = [item for item in app.review.list() if item.fact is not None]
        if not waiting:
            return
        item = self.luck.choice(waiting)
        assert item.fact is not None
        known = fingerprint("fact", item.fact.entity, item.fact.field, item.fact.value)
        if self.luck.random() < 0.5:
            app.review.approve([item])
        else:
            app.review.reject([item])
            self.ledger.gone.add(item.fact.value)
            self.ledger.rejected.add(known)

    def undo(self, app: App) -> None:
        if not self.runs:
            return
        commit = self.runs.pop()
        text = git(self.root, "show", "--format=", commit)
        try:
            app.undo(commit)
        except MemoryClawError:
            return  # it was forgotten, here or there
        self.ledger.gone |= {word for word in self.ledger.said if word in text}

    def edit(self, app: App) -> None:
        """A person writes into a note and commits it; sometimes on a line that the other machine may write on, too."""
        word, path = self.word(), self.root / self.luck.choice(NOTES)
        data = path.read_bytes()
        end = b"\r\n" if b"\r\n" in data else b"\n"
        lines = data.splitlines(keepends=True)
        if self.luck.random() < 0.3:
            lines[-1] = lines[-1].rstrip(b"\r\n") + f" {word}".encode() + end
        elif self.luck.random() < 0.5:
            lines.append(f"- {word}".encode() + end)
        else:
            lines.insert(
                self.luck.randrange(4, len(lines) + 1) if len(lines) > 4 else len(lines),
                f"{word} in between.".encode() + end,
            )
        path.write_bytes(b"".join(lines))
        git(self.root, "commit", "-qm", "by hand", "--", str(path.relative_to(self.root)))
        self.ledger.said[word] = "note"

    def forget(self, app: App) -> None:
        episodes = sorted((self.root / "episodes").glob("*.md")) if (self.root / "episodes").is_dir() else []
        if episodes and self.luck.random() < 0.3:
            app.forget(f"episodes/{self.luck.choice(episodes).name}")

    def exchange(self) -> None:
        with self.app() as app:
            app.exchange()
            app.sync()

    def text(self) -> dict[str, str]:
        names = git(self.root, "ls-files", "-z").split("\0")[:-1]
        return {name: (self.root / name).read_bytes().decode() for name in names}


class Ledger:
    """What was said on either machine, and what a person took back."""

    def __init__(self) -> None:
        self.count = 0
        self.said: dict[str, str] = {}
        self.gone: set[str] = set()
        self.rejected: set[str] = set()

    def fresh(self) -> str:
        self.count += 1
        return f"wren{self.count:04}"


def two_clones(tmp_path: Path) -> tuple[Path, Path]:
    hub = tmp_path / "hub.git"
    hub.mkdir()
    git(hub, "init", "-q", "--bare", "-b", "main", "--template=")
    for name in ("a", "b"):
        git(tmp_path, "clone", "-q", "--template=", str(hub), name)
    first = tmp_path / "a"
    git(first, "switch", "-qc", "main")
    for name, text in FIRST.items():
        path = first / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    git(first, "add", "-A")
    git(first, "commit", "-qm", "first")
    git(first, "push", "-q", "origin", "main")
    git(tmp_path / "b", "pull", "-q", "origin", "main")
    return first, tmp_path / "b"


def live_for(tmp_path: Path, seed: int, rounds: int, *, most: int) -> None:
    luck, ledger = random.Random(seed), Ledger()
    machines = [Machine(root, luck, ledger) for root in two_clones(tmp_path)]
    for number in range(rounds):
        for place, machine in enumerate(machines):
            for more in range(luck.randrange(most + 1)):
                machine.turn(START + timedelta(hours=7 * number, minutes=20 * more + 3 * place))
        for machine in luck.sample(machines, luck.choice((0, 1, 2))):
            machine.exchange()
    for machine in machines * 4:  # what each notes of the other's changes goes over once more
        machine.exchange()
    first, second = machines
    assert git(first.root, "rev-parse", "HEAD") == git(second.root, "rev-parse", "HEAD")
    for machine in machines:
        assert git(machine.root, "status", "--porcelain") == "", "something of nobody's is left over"
        assert git(machine.root, "fsck", "--no-dangling", "--no-progress") == ""
        with machine.app() as app:
            app.sync()
            assert index_fingerprint(app.index) == rebuilt(machine.root)
    files = first.text()
    must_hold_everything(files, ledger)


def must_hold_everything(files: dict[str, str], ledger: Ledger) -> None:
    copies = {name: text for name, text in files.items() if ".sync-conflict-" in name}
    memory = {
        n: t for n, t in files.items() if not n.startswith(("logs/", "ledger/", "runs/", "review/decisions"))
    }
    everything = "\n".join(memory.values())
    lost = [word for word, kind in ledger.said.items() if word not in everything and word not in ledger.gone]
    assert not lost, {word: ledger.said[word] for word in lost}
    facts = [f for n, t in files.items() if n.startswith("semantic/") and not n.startswith("semantic/_") and n not in copies
             for f in SemanticFile(n, DEFAULT_COLLECTIONS).facts(t).facts]  # fmt: skip
    twice = [
        key
        for key, n in Counter(
            (f.entity, f.field, f.value, f.current, f.said, f.since, f.until) for f in facts
        ).items()
        if n > 1
    ]
    assert not twice
    current = Counter(
        (f.entity.casefold(), f.field.casefold()) for f in facts if f.current and not f.is_statement
    )
    assert [key for key, n in current.items() if n > 1] == [], "a field has two values"
    for word, kind in ledger.said.items():
        where = [
            name
            for name, text in memory.items()
            if word in text and name not in copies and not name.startswith("semantic/")
        ]
        assert len(where) <= 1 or kind == "turn", (word, where)
    for name in NOTES:
        words = Counter(word for line in files[name].split() for word in [line] if word.startswith("wren"))
        assert max(words.values(), default=0) <= 1, name
    decisions = Decisions.read(files.get("review/decisions.jsonl", ""))
    lines = files.get("review/decisions.jsonl", "").splitlines()
    assert len(lines) == len(set(lines))
    waiting = read_pending(files.get(PENDING_FILE, ""))
    assert len({item.id for item in waiting}) == len(waiting)
    for item in waiting:
        assert not decisions.is_rejected(fingerprint("fact", item.entity, item.field, item.value)), item


def test_two_machines_live_for_a_while(tmp_path: Path) -> None:
    live_for(tmp_path, 1, 4, most=3)


@pytest.mark.laws
def test_two_machines_live_for_two_hundred_rounds(tmp_path: Path) -> None:
    seed = int(os.environ.get("MEMORYCLAW_SEED", "0")) or random.SystemRandom().randrange(1 << 30)
    print(f"MEMORYCLAW_SEED={seed}")  # noqa: T201 - shown where it fails
    live_for(tmp_path, seed, 200, most=2)


def test_the_name_of_a_copy_is_one_that_readers_pass_over() -> None:
    name = conflict_copy("notes/a.b.md", START, "0123456789")
    assert name == "notes/a.b.sync-conflict-20260501-080000-0123456.md"
