"""What is told of the work in a repository holds there; what is told of the person, or of how to talk, holds everywhere."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import Claw

from memoryclaw.app import App, init_vault, open_vault
from memoryclaw.model import Fact


@pytest.fixture
def app(tmp_path: Path) -> App:
    init_vault(tmp_path / "vault")
    return open_vault(tmp_path / "vault", clock=lambda: datetime(2026, 3, 4, 20, tzinfo=UTC))


def repository(tmp_path: Path, name: str) -> Path:
    (tmp_path / name / ".git").mkdir(parents=True)
    (tmp_path / name / "src").mkdir()
    return tmp_path / name


def said(app: App, content: str, cwd: Path | str = "", session: str = "s", **more: Any) -> list[Fact]:
    """What is held true after this, newest last."""
    before = {fact.id for _, fact in app.facts()}
    turn = {
        "session": session,
        "ts": "2026-03-02T09:00:00Z",
        "role": "user",
        "content": content,
        "cwd": str(cwd),
    }
    assert app.capture([json.dumps(turn | more)])[0].ok
    app.consolidate(llm="none")
    return [fact for _, fact in app.facts() if fact.id not in before]


def line(app: App) -> dict[str, Any]:
    [path] = Path(app.root).glob("logs/*/s.jsonl")
    return dict(json.loads(path.read_text().splitlines()[-1]))


@pytest.mark.parametrize(
    "content",
    [
        "in this repo the tests run with tox, not pytest",
        "never use tabs in this repo",
        "always run the linter before you commit",
        "the config lives in conf/app_config.yaml",
        "in this project we use pnpm, never npm",
        "we use Vitest in this project",
        "we use jest",
        "tests run with vitest here",
        "nullable columns need a default here",
        "hier im Projekt heißen Branches nach dem Ticket",
        "please squash before merging in this repo, always",
        "en este proyecto los commits van en inglés",
        "in diesem Projekt schreiben wir Kommentare auf Englisch",
        "dans ce dépôt on utilise uv",
        "keep line length at 88 in this project",
        "mocha is out, tests run on vitest",
        "never edit anything under gen/",
        "we never push to main",
        "we use ruff for linting",
        "we target python 3.10 because the servers are old",
    ],
)
def test_the_conventions_of_a_repository_are_its_own(app: App, tmp_path: Path, content: str) -> None:
    facts = said(app, content, repository(tmp_path, "billing") / "src")
    assert facts
    assert {fact.lifecycle.scope for fact in facts} == {"project:billing"}
    assert line(app)["project"] == "billing"
    assert line(app)["cwd"].endswith("/billing/src")


@pytest.mark.parametrize(
    "content",
    [
        "my cat is called Oskar",
        "always answer in Danish",
        "answer in Danish",
        "we always have lunch at 12",
        "i use neovim",
        "my sister lives in Lisbon",
        "i'm colour blind (red/green), so pick other colours",
        "soy daltónico (rojo/verde), usa otros colores en los tests",
    ],
)
def test_what_is_the_persons_holds_everywhere(app: App, tmp_path: Path, content: str) -> None:
    facts = said(app, content, repository(tmp_path, "billing"))
    assert facts
    assert {fact.lifecycle.scope for fact in facts} == {""}


@pytest.mark.parametrize(
    "content",
    [
        "it prints 7 but i expected 8",
        "i have an array of 5 objects",
        "i have two branches",
        "tests are red on main",
    ],
)
def test_news_of_the_code_at_hand_is_not_kept(app: App, tmp_path: Path, content: str) -> None:
    assert not said(app, content, repository(tmp_path, "billing"))


@pytest.mark.parametrize("content", ["nobody merges on fridays", "niemand mergt freitags"])
def test_what_nobody_does_is_a_rule_and_no_news_of_the_code(app: App, tmp_path: Path, content: str) -> None:
    assert [fact.value for fact in said(app, content, repository(tmp_path, "billing"))] == [content]


@pytest.mark.parametrize("where", ["nowhere", ""])
def test_without_a_repository_there_is_no_project(app: App, tmp_path: Path, where: str) -> None:
    facts = said(app, "the tests run with tox, not pytest", tmp_path / where if where else "")
    assert {fact.lifecycle.scope for fact in facts} == {""}
    assert "project" not in line(app)


def test_two_repositories_have_conventions_of_their_own(app: App, tmp_path: Path) -> None:
    for name, runner in (("billing", "tox"), ("mailer", "nox")):
        said(app, f"our test runner is {runner}", repository(tmp_path, name), session=name)
    facts = {(fact.lifecycle.scope, fact.value) for _, fact in app.facts()}
    assert facts == {
        ("project:billing", "our test runner is tox"),
        ("project:mailer", "our test runner is nox"),
    }


def test_in_a_project_the_conventions_of_others_are_left_out_and_the_trace_says_so(
    app: App, tmp_path: Path
) -> None:
    folders = {name: repository(tmp_path, name) for name in ("billing", "mailer")}
    for name, runner in (("billing", "tox"), ("mailer", "nox")):
        said(app, f"our test runner is {runner}", folders[name], session=name)
    said(app, "always answer in Danish", folders["mailer"], session="style")

    def shown(folder: Path | str) -> str:
        question = "the test runner, and how to answer kind:fact"
        matches = app.recall(question, folder=str(folder), noted=False).matches
        return " ".join(match.unit.value for match in matches)

    assert "tox" in shown(folders["billing"] / "src")
    assert "nox" not in shown(folders["billing"])
    assert "Danish" in shown(folders["billing"])
    recalled = app.recall("test runner kind:fact", folder=str(folders["billing"]), noted=False)
    assert {omitted.reason for omitted in recalled.left_out if "mailer" in omitted.id.lower()} == {
        "other_project"
    }
    assert all(
        sum(term.value for term in match.terms) == pytest.approx(match.score) for match in recalled.matches
    )
    for unknown in ("", tmp_path / "nowhere"):
        assert "nox" in shown(unknown)
        assert "tox" in shown(unknown)


def test_what_waits_holds_for_its_project_once_it_is_approved(app: App, tmp_path: Path) -> None:
    said(app, "I think our linter is ruff 4.2, not flake8", repository(tmp_path, "billing"))
    pending = Path(app.root) / "semantic/_pending.md"
    assert "[scope:: project:billing]" in pending.read_text()
    app.review.approve(app.review.list())
    [(_, fact)] = app.facts()
    assert (fact.lifecycle.scope, "ruff" in fact.value) == ("project:billing", True)


def test_recall_at_the_command_line_leaves_out_what_holds_in_other_projects(
    app: App, tmp_path: Path, claw: Claw
) -> None:
    folders = {name: repository(tmp_path, name) for name in ("billing", "mailer")}
    for name, runner in (("billing", "tox"), ("mailer", "nox")):
        said(app, f"our test runner is {runner}", folders[name], session=name)
    said(app, "my cat is called Oskar", folders["mailer"], session="cat")
    app.close()

    def shown(question: str, *more: object) -> str:
        return claw("recall", question, *more, "--vault", app.root).out

    assert "our test runner is nox" in shown("test runner")
    assert "our test runner is nox" not in shown("test runner", "--folder", folders["billing"])
    assert "our test runner is tox" in shown("test runner", "--folder", folders["billing"])
    assert "Oskar" in shown("what is my cat called?", "--folder", folders["billing"])
    left_out = claw(
        "recall", "test runner", "--folder", folders["billing"], "--json", "--vault", app.root
    ).json["left_out"]
    assert "other_project" in {omitted["reason"] for omitted in left_out}


def test_a_second_work_tree_belongs_to_its_repository(app: App, tmp_path: Path) -> None:
    for command in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "first"],
        ["worktree", "add", "-q", "../copy"],
    ):
        (tmp_path / "billing").mkdir(exist_ok=True)
        about = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
        subprocess.run(["git", *about, *command], cwd=tmp_path / "billing", check=True)
    said(app, "the tests run with tox", tmp_path / "copy")
    assert line(app)["project"] == "billing"


def test_a_folder_that_is_not_here_is_a_project_where_the_host_names_its_branch(app: App) -> None:
    said(app, "the tests run with tox", "/far/away/billing", gitBranch="main")
    assert line(app)["project"] == "billing"


def test_the_repository_of_the_vault_is_no_project(app: App) -> None:
    said(app, "the tests run with tox", app.root)
    assert "project" not in line(app)


@pytest.mark.parametrize(
    ("statement", "question", "own"),
    [
        ("in this repo the linter is {}", "which linter do we use?", ("ruff", "pylint")),
        ("the tests run with {} here", "how do I run the tests?", ("tox", "nox")),
        ("we deploy with {}", "how do we deploy?", ("kamal", "fly.io")),
        ("we format with {}", "how do we format the code?", ("black", "yapf")),
    ],
)
def test_each_of_two_repositories_gets_its_own_convention(
    app: App, tmp_path: Path, statement: str, question: str, own: tuple[str, str]
) -> None:
    folders = [repository(tmp_path, name) for name in ("billing", "mailer")]
    for folder, value in zip(folders, own, strict=True):
        said(app, statement.format(value), folder, session=folder.name)
    for folder, value, other in zip(folders, own, reversed(own), strict=True):
        recalled = app.recall(question, folder=str(folder), noted=False)
        assert value in recalled.context
        assert other not in recalled.context
        others = {omitted.reason for omitted in recalled.left_out if other.replace(".", "-") in omitted.id}
        assert others == {"other_project"}
        assert not app.recall("thanks, that will do", folder=str(folder), noted=False).context
    everywhere = app.recall(question, noted=False).matches
    assert all(any(value in match.unit.text for match in everywhere) for value in own) or not everywhere


def test_an_episode_of_a_persons_own_is_shown_in_every_repository(app: App, tmp_path: Path) -> None:
    said(app, "my optician is Ms Varga", repository(tmp_path, "billing"))
    mailer = repository(tmp_path, "mailer")
    assert "Varga" in app.recall("who is my optician?", folder=str(mailer), noted=False).context
