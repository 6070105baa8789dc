"""A run after which a golden question that passes would break is held on its branch, with the reason; nothing is lost, and the next goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Claw, put
from gitvault import git, vault_of
from nights import LATER, NIGHT, consolidated, said, tree

from memoryclaw.app import App
from memoryclaw.consolidation import consolidate as module
from memoryclaw.index import indexer

DEADLINE = "When is the deadline of Boathouse?:\n  answer: 'deadline: 2026-12-11'\n"
MOVED = [("user Nora", "The deadline of Boathouse is now 2026-12-18, the crane comes a week late.")]
DOG = [("user Nora", "My dog is called Biscuit, he is a beagle.")]
FILES = {
    "semantic/projects.md": "# Boathouse\n- deadline: 2026-12-11 [since:: 2026-03-24]\n- contractor: Nordmole\n",
    "semantic/_schema.yaml": "fields:\n  deadline: date\n",
    "eval/questions.yaml": DEADLINE,
    "logs/2026-04-19/evening.jsonl": said("evening", MOVED),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return vault_of(tmp_path / "vault", FILES)


def branches(root: Path) -> list[str]:
    return git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads/memoryclaw").split()


def waiting(root: Path) -> list[tuple[str, str, str]]:
    with App(root, clock=lambda: LATER) as app:
        return [(item.id, item.kind, item.why) for item in app.review.list()]


def approve(app: App, run: str) -> None:
    app.review.approve([item for item in app.review.list() if item.id == run])


def deadline(root: Path) -> str:
    with App(root) as app:
        return next(fact.value for _, fact in app.facts("Boathouse") if fact.field == "deadline")


def test_what_would_break_a_question_waits_on_its_branch_with_the_reason(root: Path) -> None:
    before, head = tree(root), git(root, "rev-parse", "HEAD")
    done = consolidated(root)
    run = done.changes.run
    assert done.mode == "branch"
    assert done.changes.held == (
        "a golden question would break: 'When is the deadline of Boathouse?' "
        "(eval/questions.yaml:1: the context lacks 'deadline: 2026-12-11')"
    )
    assert branches(root) == [f"memoryclaw/{run}"]
    assert (tree(root), git(root, "rev-parse", "HEAD")) == (before, head)
    assert (
        [(kind, f"{done.changes.held}, so nothing of it is in the vault yet") for _, kind, _ in waiting(root)]
        == [(kind, why) for _, kind, why in waiting(root)]
        == [("run", f"{done.changes.held}, so nothing of it is in the vault yet")]
    )
    assert "It was held on a branch: a golden question would break" in git(
        root, "log", "-1", "--format=%B", f"memoryclaw/{run}"
    )
    assert deadline(root) == "2026-12-11"


def test_the_next_run_goes_on_and_approve_takes_the_held_one_over(root: Path, tmp_path: Path) -> None:
    run = consolidated(root).changes.run
    put(root, {"logs/2026-04-20/dog.jsonl": said("dog", DOG, day="2026-04-20")})
    later = consolidated(root, LATER)
    assert (later.mode, later.changes.held) == ("direct", "")
    assert all("evening" not in span for span in later.changes.ranges)
    assert "Biscuit" in (root / "semantic/people.md").read_text()
    assert consolidated(root, LATER).changes.ranges == (), "what is held is read"
    with App(root, clock=lambda: LATER) as app:
        approve(app, run)
    assert deadline(root) == "2026-12-18"
    assert branches(root) == []
    assert waiting(root) == []
    free = vault_of(tmp_path / "free", {path: text for path, text in FILES.items() if "eval" not in path})
    consolidated(free)
    assert (root / "semantic/projects.md").read_text() == (free / "semantic/projects.md").read_text()


def test_a_question_that_failed_before_or_still_passes_holds_nothing(tmp_path: Path) -> None:
    for number, question in enumerate(
        (
            "Who roofs?:\n  answer: nobody knows\nWho is the contractor of Boathouse?:\n  answer: Nordmole\n",
            "When is the deadline of Boathouse?:\n  answer: 2026-12-18\n",
            "no questions\n",
        )
    ):
        root = vault_of(tmp_path / str(number), {**FILES, "eval/questions.yaml": question})
        done = consolidated(root)
        assert (done.mode, done.changes.held) == ("direct", ""), question
        assert deadline(root) == "2026-12-18"
        assert bool(done.changes.notices) == (number == 2)


def test_what_must_not_be_found_holds_too(tmp_path: Path) -> None:
    question = "When is the deadline of Boathouse?:\n  must_not: 'deadline: 2026-12-18'\n"
    root = vault_of(tmp_path / "vault", {**FILES, "eval/questions.yaml": question})
    assert "deadline: 2026-12-18: is in the context" in consolidated(root).changes.held


def test_without_git_what_is_held_waits_as_proposals(tmp_path: Path) -> None:
    root = put(tmp_path / "plain", FILES)
    done = consolidated(root)
    assert done.mode == "propose"
    assert deadline(root) == "2026-12-11"
    assert waiting(root)
    assert all("a golden question would break" in why for _, _, why in waiting(root))


def test_a_vault_without_questions_asks_nothing_and_other_modes_do_not(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a rehearsal costs something")

    monkeypatch.setattr("memoryclaw.recall.evaluation.rehearse", never)
    assert consolidated(root, mode="propose").mode == "propose"
    (root / "eval/questions.yaml").unlink()
    put(root, {"logs/2026-04-20/dog.jsonl": said("dog", DOG, day="2026-04-20")})
    assert consolidated(root, LATER).mode == "direct"


def test_the_copy_is_small_work_and_leaves_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(root, {f"notes/n{n:03}.md": f"# n{n}\n\nbeeswax {n}\n" for n in range(300)})
    with App(root) as app:
        app.sync()
    temp = tmp_path / "temp"
    temp.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temp))
    read: list[str] = []
    real = indexer.read_note

    def counted(path: str, *rest: object) -> object:
        read.append(path)
        return real(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(indexer, "read_note", counted)
    assert consolidated(root).changes.held
    assert not [path for path in read if path.startswith("notes/")], "only what changes is read again"
    assert list(temp.iterdir()) == []


@pytest.mark.parametrize("engine", ["fts5", "whoosh"])
def test_the_rehearsal_says_what_the_run_then_does(tmp_path: Path, engine: str) -> None:
    settings = {"memoryclaw.yaml": f"index:\n  engine: {engine}\n"}
    root = vault_of(tmp_path / "vault", {**FILES, **settings})
    run = consolidated(root).changes.run
    with App(root, clock=lambda: NIGHT) as app:
        assert app.evaluate(budgets=[app.config.budget]).questions[0].misses == ()
        approve(app, run)
        assert app.evaluate(budgets=[app.config.budget]).questions[0].misses == (
            "the context lacks 'deadline: 2026-12-11'",
        )


def test_the_command_says_so_in_a_sentence_and_json_and_nobody_else_hears_it(root: Path) -> None:
    claw = Claw(root)
    ran = claw("consolidate", "--dry-run", "--llm", "none")
    assert "It would be held: a golden question would break: 'When is the deadline of Boathouse?'" in ran.out
    assert branches(root) == []
    others = claw("consolidate", "--dry-run", "--llm", "none", "--json", "--audience", "agent").json
    assert others["held"] == ""
    done = claw("consolidate", "--llm", "none", "--json").json
    assert done["held"].startswith("a golden question would break")
    assert done["mode"] == "branch"
    assert done["run"] in branches(root)[0]
    assert "golden question would break" in claw("review").out
    record = json.loads(git(root, "show", f"{branches(root)[0]}:runs/{done['run']}.json"))
    assert record["held"] == done["held"]


def test_a_run_that_was_cut_short_holds_what_it_had_decided_to_hold(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    real = module.apply
    monkeypatch.setattr(module, "apply", killed)
    with pytest.raises(KeyboardInterrupt):
        consolidated(root)
    monkeypatch.setattr(module, "apply", real)
    put(root, {"eval/questions.yaml": "Who?:\n  answer: nobody\n"})
    done = consolidated(root, LATER)
    assert (done.mode, bool(done.changes.held)) == ("branch", True)
