"""Episodes that later ones contradict: what is proposed, and what each answer to it does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import put
from gitvault import copy_repositories, git, vault_of
from nights import said

from memoryclaw.app import App
from memoryclaw.consolidation.actions import NoteBelow
from memoryclaw.lifecycle.upkeep import WAITING

SCHEMA = "fields:\n  deadline: date\n  budget: text\n  architect: text\n  contractor: text\n"
PROJECT = "# Boathouse\n- colour: green\n"
FIRST = "The deadline of Boathouse is 2026-12-11."
LATER = "The deadline of Boathouse is now 2026-12-18."


def night(root: Path, day: int, *said_: str) -> None:
    if said_:
        turns = [("user Nora", text) for text in said_]
        put(root, {f"logs/2026-04-{day:02}/s{day}.jsonl": said(f"s{day}", turns, day=f"2026-04-{day:02}")})
    with opened(root, day) as app:
        app.consolidate(llm="none")


def opened(root: Path, day: int) -> App:
    return App(root, clock=lambda: datetime(2026, 4, 1, 23, tzinfo=UTC) + timedelta(days=day - 1))


def waiting(root: Path) -> list[str]:
    with opened(root, 28) as app:
        return [item.what for item in app.review.list() if item.kind == "revision"]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = vault_of(
        tmp_path_factory.mktemp("made") / "vault",
        {"semantic/projects.md": PROJECT, "semantic/_schema.yaml": SCHEMA},
    )
    night(made, 1, FIRST)
    return made


@pytest.fixture
def root(template: Path, tmp_path: Path) -> Path:
    copy_repositories(template.parent, tmp_path)
    return tmp_path / template.name


def episode(root: Path, day: int) -> Path:
    [path] = (root / "episodes").glob(f"2026-04-{day:02}*.md")
    return path


def test_an_episode_whose_fact_was_superseded_is_proposed_and_a_yes_adds_one_line(root: Path) -> None:
    assert not waiting(root)
    night(root, 2, LATER)
    old, new = episode(root, 1), episode(root, 2)
    assert waiting(root) == [f"Revise {old.stem}"]
    before = old.read_text("utf-8")
    with opened(root, 3) as app:
        [item] = [waiting for waiting in app.review.list() if waiting.kind == "revision"]
        assert item.why == "what it tells as a fact was superseded later"
        [change] = app.review.diff(item)
        assert change.path == f"episodes/{old.name}"
        app.review.approve([item])
    line = f"  - superseded by [[{new.stem}#^l1]]: Boathouse: deadline is 2026-12-18 (2026-04-02)\n"
    statement = next(line for line in before.splitlines(keepends=True) if line.rstrip().endswith("^l1"))
    assert old.read_text("utf-8") == before.replace(statement, statement + line)
    night(root, 4)
    assert not waiting(root)
    with opened(root, 5) as app:
        app.undo(git(root, "log", "-1", "--format=%H", "--", f"episodes/{old.name}").strip())
    assert old.read_text("utf-8") == before
    assert waiting(root) == [f"Revise {old.stem}"]  # the question is back, and once
    night(root, 6)
    assert len(waiting(root)) == 1


def test_a_no_keeps_the_episode_and_is_remembered(root: Path) -> None:
    night(root, 2, LATER)
    before = episode(root, 1).read_text("utf-8")
    with opened(root, 3) as app:
        app.review.reject([waiting for waiting in app.review.list() if waiting.kind == "revision"])
    night(root, 4)
    assert not waiting(root)
    assert episode(root, 1).read_text("utf-8") == before
    night(root, 5, "The deadline of Boathouse is now 2026-12-24.")
    assert waiting(root) == [f"Revise {episode(root, 2).stem}"]  # the first is answered


def test_what_is_edited_into_the_proposal_is_what_is_done(root: Path) -> None:
    night(root, 2, LATER)
    [file] = (root / "review").glob("revision-*.md")
    part = "episodes/2026-04-01_18-00-00_deadline.md"
    put(
        root,
        {
            f"review/{file.name}": file.read_text("utf-8")
            + f"\n## New file\n\n- file: {part}\n\n~~~markdown\n# Deadline\n\n- it was the 11th\n~~~\n"
        },
    )
    with opened(root, 3) as app:
        app.review.approve([waiting for waiting in app.review.list() if waiting.kind == "revision"])
    assert (root / part).read_text("utf-8") == "# Deadline\n\n- it was the 11th\n"
    assert "superseded by" in episode_of(root, "2026-04-01_18-01").read_text("utf-8")


def episode_of(root: Path, stem: str) -> Path:
    [path] = (root / "episodes").glob(f"{stem}*.md")
    return path


def test_one_of_three_facts_is_not_enough_and_two_are(tmp_path: Path) -> None:
    root = vault_of(tmp_path / "vault", {"semantic/projects.md": PROJECT, "semantic/_schema.yaml": SCHEMA})
    night(root, 1, FIRST, "The budget of Boathouse is 14k.", "The architect of Boathouse is Okafor.")
    night(root, 2, LATER)
    assert not waiting(root)
    night(root, 3, "The budget of Boathouse is now 16k.")
    assert waiting(root) == [f"Revise {episode(root, 1).stem}"]
    with opened(root, 4) as app:
        app.review.approve([waiting for waiting in app.review.list() if waiting.kind == "revision"])
    assert episode(root, 1).read_text("utf-8").count("superseded by [[") == 2


def test_what_is_changed_by_hand_or_for_few_contradicts_no_episode(root: Path) -> None:
    path = root / "semantic/projects.md"
    path.write_text(path.read_text("utf-8").replace("2026-12-11", "2027-01-01"), "utf-8")
    git(root, "commit", "-qam", "by hand")
    night(root, 2)
    assert not waiting(root)
    night(root, 3, "[PRIVATE] The deadline of Boathouse is now 2027-02-02.")
    assert "2027-02-02" in path.read_text("utf-8")
    assert not waiting(root)


def test_only_a_few_wait_at_a_time(tmp_path: Path) -> None:
    root = vault_of(tmp_path / "vault", {"semantic/projects.md": PROJECT, "semantic/_schema.yaml": SCHEMA})
    for day in range(1, WAITING + 4):
        night(root, day, f"The deadline of Boathouse is now 2026-12-{day:02}.")
    night(root, 20)
    assert len(waiting(root)) == WAITING
    with opened(root, 21) as app:
        app.review.reject([waiting for waiting in app.review.list() if waiting.kind == "revision"])
    night(root, 22)
    assert len(waiting(root)) == 2  # those that were left


def test_a_line_is_written_once_and_keeps_every_other_byte() -> None:
    action = NoteBelow("episodes/a.md", "l3", "superseded by [[b#^l1]]")
    text = "---\r\nid: a\r\n---\r\n- Nora: x ^l33\r\n- Nora: y ^l3\r\n  - mine\r\n- Nora: z ^l4"
    done = action.patch(text, frozenset())
    assert done == text.replace("  - mine\r\n", "  - mine\r\n  - superseded by [[b#^l1]]\r\n")
    assert action.patch(done, frozenset()) == done
    assert action.patch("no such line\n", frozenset()) == "no such line\n"
    assert action.patch(None, frozenset()) is None
    assert action.may_be_proposed()
    assert not NoteBelow("semantic/a.md", "l3", "x").may_be_proposed()
