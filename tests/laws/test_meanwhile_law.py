"""Law 2 while a run writes: whatever a person saves at any of its writes, committed or not, stands afterwards where the person put it."""

from __future__ import annotations

import itertools
import os
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from changesets import FILES, KITCHEN, RUN, TWIN, TWIN_NOTE, deadline, note
from gitvault import git, pen_for, vault_of
from killing import before_each_write, killed_at, looks_of

from memoryclaw.consolidation.actions import (
    Action,
    AddPending,
    AddSource,
    AddStatement,
    ConfirmFact,
    EndFact,
    MoveFile,
    NewFile,
    Replace,
    SetFact,
    Stands,
    TickTodo,
)
from memoryclaw.consolidation.apply import apply
from memoryclaw.consolidation.changes import ChangeSet, PlannedChange

PATH, NOTE = "semantic/projects.md", "episodes/2026-11-19_09-00-00_kitchen-wall.md"
SAID = '# Nora\n- "we take the car" [said:: 2026-03-09]\n'
TODO = TWIN_NOTE + "- [ ] Nora: order the paint ^l4\n"
OTHER = "semantic/people.md"


def line(pattern: str, mine: str) -> Callable[[str], str]:
    """Puts a line in place of the first above History that matches; at the end where there is none."""

    def change(text: str) -> str:
        now, mark, past = text.partition("\n## History")
        changed, count = re.subn(pattern, lambda _: mine, now, count=1, flags=re.MULTILINE)
        return (changed if count else f"{now.rstrip()}\n{mine}\n") + mark + past

    return change


class Case(NamedTuple):
    """What is planned of which files, and what the person makes of one of them meanwhile."""

    actions: Sequence[Action]
    path: str
    change: Callable[[str], str]
    mine: str
    files: dict[str, str] = {}  # noqa: RUF012 - nobody changes it
    needs_file: bool = True  # the person edits only what is there


DEADLINE, RENT = "- deadline: 2026-12-24 [since:: 2026-11-25]", "- paint: red [since:: 2026-11-25]"
CASES = {
    "a fact replaced": Case((deadline(),), PATH, line("^- deadline: .*$", DEADLINE), DEADLINE),
    "a fact added": Case(
        (SetFact(PATH, "Kitchen", "paint", "white", "2026-11-20"),), PATH, line("^- paint: .*$", RENT), RENT
    ),
    "a statement replaced": Case(
        (AddStatement(OTHER, "Nora", "we take the train", "2026-03-10", "", ("semantic/people#Nora.said-87ad9a1c",)),),
        OTHER, line('^- "we take the car".*$', '- "we take the car" [said:: 2026-03-20]'), '"we take the car" [said:: 2026-03-20]', {OTHER: SAID},
    ),
    "a fact confirmed": Case(
        (ConfirmFact(PATH, "semantic/projects#Boathouse Aarhus.lead", "Søren", "talk#^l3"),),
        PATH, line("^- lead: .*$", "- lead: Nora"), "- lead: Nora",
    ),
    "a fact ended": Case(
        (EndFact(PATH, "Boathouse Aarhus", "lead", "Søren", "2026-11-20"),),
        PATH, line("^- lead: .*$", "- lead: Søren [expires:: 2027-01-01]"), "- lead: Søren [expires:: 2027-01-01]",
    ),
    "a fact ended for another": Case(
        (Stands(PATH, "Boathouse Aarhus", "client", "Nordmole"), EndFact(OTHER, "Boathouse Aarhus", "client", "Sydbyg", "2026-11-20")),
        PATH, line("^- client: .*$", "- client: Vestbo"), "- client: Vestbo", {OTHER: "# Boathouse Aarhus\n- client: Sydbyg\n"},
    ),
    "a waiting fact": Case(
        (AddPending("Nora", "likes", "oak", "medium", "talk#^l3", "the assistant said it"),),
        "semantic/_pending.md", line(r"^- \[ \] Anna.*$", "- [x] Anna.birthday: 1987-03-03"), "- [x] Anna.birthday: 1987-03-03",
    ),
    "a to-do": Case(
        (TickTodo(NOTE, "l4", "x", "Nora: order the paint"),),
        NOTE, line("^- .*order the paint.*$", "- [ ] Nora: order the paint and a roller ^l4"), "order the paint and a roller", {NOTE: TODO},
    ),
    "an episode": Case(
        (NewFile("episodes/2026-11-20_08-00-00_new.md", note("new", "New", KITCHEN)),),
        "episodes/2026-11-20_08-00-00_new.md", lambda _: "# My own\n", "# My own\n", needs_file=False,
    ),
    "an episode replaced": Case(
        (Replace(NOTE, TWIN_NOTE + "Anew.\n"),), NOTE, lambda text: text + "I chose it.\n", "I chose it.\n"
    ),
    "an episode of more lines": Case(
        (AddSource(NOTE, (KITCHEN,)),), NOTE, lambda text: text + "I chose it.\n", "I chose it.\n"
    ),
    "an episode archived": Case(
        (MoveFile(NOTE, f"archive/{NOTE}"),), NOTE, lambda text: text + "I chose it.\n", "I chose it.\n"
    ),
}  # fmt: skip


def planned(case: Case, texts: dict[str, str]) -> ChangeSet:
    """The case as a change set, each action with what it saw."""
    collections = frozenset({"projects"})
    actions = tuple(
        replace(action, basis=action.rests_on(texts.get(action.paths[0]), collections))
        for action in case.actions
    )
    change = PlannedChange("fact", "A change", actions, source=TWIN)
    return ChangeSet(RUN, ranges=(TWIN,), changes=(change,), turns=4)


def writes_with(root: Path, case: Case, changes: ChangeSet, at: int, *, commit: bool) -> bool:
    """Applies the change set in a process in which the person saves at its write number `at`; False where it has fewer."""

    def work(acknowledge: Callable[[bytes], object]) -> None:
        count, busy = 0, False

        def step() -> None:
            nonlocal count, busy
            if busy:
                return
            count += 1
            if count == at:
                busy = True
                acknowledge(b"edited" if edited(root, case, commit=commit) else b"gone")
                busy = False

        before_each_write(step)
        apply(pen_for(root), changes, mode="direct", loss_budget=1.0)

    done = killed_at(0, work)
    assert done.code == 0
    return done.acknowledged == b"edited"


def edited(root: Path, case: Case, *, commit: bool) -> bool:
    """Saves as an editor does, with a rename; False where there is nothing to edit."""
    path = root / case.path
    if case.needs_file and not path.exists():
        return False
    text = path.read_text() if path.exists() else ""
    path.parent.mkdir(exist_ok=True)
    temp = path.with_name("saved.tmp~")
    temp.write_text(case.change(text))
    os.replace(temp, path)
    if commit:
        with suppress(
            AssertionError
        ):  # git's own lock may be taken just now: the person has saved all the same
            git(root, "commit", "-qm", "mine", "--", case.path)
    return True


def prepared(tmp_path: Path, case: Case) -> tuple[Path, ChangeSet]:
    files = {**FILES, **case.files}
    return vault_of(tmp_path / "start", files), planned(case, files)


def check(start: Path, changes: ChangeSet, case: Case, at: int, *, commit: bool) -> bool:
    root = start.with_name(str(at))
    shutil.copytree(start, root, symlinks=True)
    if not writes_with(root, case, changes, at, commit=commit):
        return False
    stands = (root / case.path).read_text().partition("\n## History")[0]
    assert case.mine in stands, f"saved at write {at}"
    assert git(root, "fsck", "--no-dangling") == ""
    shutil.rmtree(root)
    return True


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """One run in this process: all that a run loads and compiles is there before any child is forked."""
    root, changes = prepared(tmp_path_factory.mktemp("warm"), CASES["a fact replaced"])
    apply(pen_for(root), changes, mode="direct", loss_budget=1.0)


@pytest.mark.parametrize("commit", [True, False], ids=["committed", "not committed"])
@pytest.mark.parametrize("name", CASES)
def test_what_is_saved_before_the_first_write_stands(tmp_path: Path, name: str, commit: bool) -> None:
    assert check(*prepared(tmp_path, CASES[name]), CASES[name], 1, commit=commit)


@pytest.mark.laws
@pytest.mark.parametrize("commit", [True, False], ids=["committed", "not committed"])
@pytest.mark.parametrize("name", CASES)
def test_what_is_saved_at_any_write_stands(tmp_path: Path, name: str, commit: bool) -> None:
    start, changes = prepared(tmp_path, CASES[name])
    whole = shutil.copytree(start, start.with_name("whole"), symlinks=True)
    points = looks_of(lambda: apply(pen_for(whole), changes, mode="direct", loss_budget=1.0))
    tried = itertools.takewhile(lambda at: check(start, changes, CASES[name], at, commit=commit), points)
    assert len([*tried]) > 10, "the run wrote hardly anything"
