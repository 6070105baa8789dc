"""What served in three sessions of a project becomes a fact of the project, by a commit that can be undone."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from gitvault import git

from memoryclaw.app import App, init_vault, open_vault
from memoryclaw.consolidation.mining import uses

RUN = "make winch PORT=8080"


@pytest.fixture
def app(tmp_path: Path) -> App:
    init_vault(tmp_path / "vault")
    return open_vault(tmp_path / "vault", clock=lambda: datetime(2026, 3, 9, 20, tzinfo=UTC))


def session(app: App, number: int, *commands: str, project: str = "winch", ok: bool = True) -> None:
    """A session of a day in which these commands ran."""
    shared = {"session": f"s{number}", "ts": f"2026-03-0{number}T09:00:00Z", "project": project}
    turns = [{"role": "user", "content": "Please build the winch."}]
    turns += [
        {"role": "tool", "tool": "Bash", "args": {"command": command}, "result": "", "ok": ok}
        for command in commands
    ]
    lines = "".join(f"{json.dumps(shared | turn)}\n" for turn in turns)
    path = app.root / f"logs/2026-03-0{number}/s{number}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(lines)


def projects(app: App) -> str:
    path = app.root / "semantic/projects.md"
    return path.read_text() if path.exists() else ""


def test_what_served_in_three_sessions_is_a_fact_of_the_project_and_counted_on(app: App) -> None:
    before = projects(app)
    for number in (1, 2):
        session(app, number, RUN, "git push")
    app.consolidate(llm="none")
    assert projects(app) == before
    session(app, 3, RUN, "git push")
    app.consolidate(llm="none")
    fields = "[type:: environment] [scope:: project:winch]"
    assert f"- command: {RUN} {fields} [count:: 3] [last:: 2026-03-03] [trust:: unknown]" in projects(app)
    assert f"- port: 8080 {fields}" in projects(app)
    assert "git push" not in projects(app)
    facts = {(fact.entity, fact.field): fact for _, fact in app.facts()}
    assert set(facts) == {("winch", "command"), ("winch", "port")}
    assert {fact.lifecycle.memory_type for fact in facts.values()} == {"environment"}
    assert {fact.trust for fact in facts.values()} == {"unknown"}
    matches = app.search("type:environment winch port").matches
    assert {match.unit.id for match in matches} == {fact.id for fact in facts.values()}
    session(app, 4, RUN)
    app.consolidate(llm="none")
    assert projects(app).count("[count:: 4] [last:: 2026-03-04]") == 2
    body = git(app.root, "log", "-1", "--format=%B", "--", "semantic/projects.md")
    assert f"command `{RUN}`: 4 sessions, last on 2026-03-04 (s1, s2, s3, s4)" in body
    commit = git(app.root, "log", "-1", "--format=%H", "--", "semantic/projects.md").strip()
    assert git(app.root, "show", "--format=", "--name-only", commit).split() == ["semantic/projects.md"]


def test_undo_restores_the_bytes_and_what_was_taken_back_does_not_come_again(app: App) -> None:
    before = projects(app)
    for number in (1, 2, 3):
        session(app, number, RUN)
    run = app.consolidate(llm="none").changes.run
    assert projects(app) != before
    app.undo(run)
    assert projects(app) == before
    session(app, 4, RUN)
    app.consolidate(llm="none")
    assert projects(app) == before


@pytest.mark.parametrize(
    "play",
    [
        lambda app: [session(app, number, RUN, ok=False) for number in (1, 2, 3)],
        lambda app: [session(app, number, RUN, project="") for number in (1, 2, 3)],
        lambda app: [session(app, number, RUN, project=f"p{number}") for number in (1, 2, 3)],
        lambda app: [session(app, number, f"make winch{number}") for number in (1, 2, 3)],
        lambda app: session(app, 1, RUN, "ls", RUN, "true", RUN),
    ],
    ids=["failed", "no project", "three projects", "another each time", "one session"],
)
def test_what_did_not_serve_in_three_sessions_of_one_project_is_none(
    app: App, play: Callable[[App], object]
) -> None:
    play(app)
    app.consolidate(llm="none")
    assert list(app.facts()) == []


def test_the_same_range_makes_the_same_bytes(tmp_path: Path) -> None:
    texts = []
    for name in ("a", "b"):
        init_vault(tmp_path / name)
        with open_vault(tmp_path / name, clock=lambda: datetime(2026, 3, 9, 20, tzinfo=UTC)) as app:
            for number in (1, 2, 3):
                session(app, number, RUN, "docker run -p 9090:80 redis:7.2", "tox -c ops/tox.ini")
            app.consolidate(llm="none")
            texts.append(projects(app))
    assert texts[0] == texts[1]
    assert "- version: redis 7.2 " in texts[0]
    assert "- path: ops/tox.ini " in texts[0]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("npm run dev -- --port 5173", [("command", "npm run dev -- --port 5173"), ("port", "5173")]),
        ("curl http://localhost:8000/health", [("port", "8000")]),
        ("pip install flask==3.0.1", [("command", "pip install flask==3.0.1"), ("version", "flask 3.0.1")]),
        ("python3.12 -m tox", [("command", "python3.12 -m tox"), ("version", "python 3.12")]),
        ("pytest tests/quay", [("command", "pytest tests/quay"), ("path", "tests/quay")]),
        ('git commit -m "raise the port to 8080"', []),
        ("git clone https://example.com/a/b", []),
    ],
)
def test_what_a_command_shows_of_where_it_ran(command: str, shown: list[tuple[str, str]]) -> None:
    assert list(uses(f"$ {command}")) == shown


def test_what_waits_as_a_proposal_makes_the_same_fact(app: App) -> None:
    for number in (1, 2, 3):
        session(app, number, RUN)
    app.consolidate(llm="none", mode="propose")
    [item] = [waiting for waiting in app.review.list() if waiting.kind == "environment"]
    before = projects(app)
    app.review.approve([item])
    assert projects(app) != before
    assert "[count:: 3] [last:: 2026-03-03] [trust:: unknown]" in projects(app)
