"""What a change costs: the benchmark compares this tree with a commit, and names what is worse by a tenth."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import git

ROOT = Path(__file__).parent.parent
PARTS = ("memoryclaw", "benchmarks", "templates", "skills", "plugins")
TURNS = [
    {"conv": "c", "id": f"D1:{n}", "session": 1, "datetime": "2026-05-01T10:00", "speaker": name, "text": text}
    for n, (name, text) in enumerate([("Ana", "I bought a red kayak."), ("Ben", "Where will you keep it?")])
]  # fmt: skip
QUESTION = {"conv": "c", "question": "What did Ana buy?", "category": "x", "evidence": ["D1:0"]}
LINE = {"ts": "2026-05-01T10:00:00Z", "session": "s", "turn": 1, "role": "user", "name": "Ana", "content": "The deadline of Kayak is 2026-06-01."}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The files of this tree in a repository of their own, with one commit."""
    root = tmp_path / "project"
    for part in PARTS:
        shutil.copytree(
            ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__", "node_modules")
        )
    (root / ".gitignore").write_text("__pycache__/\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "so far")
    return root


def diff(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, os.fspath(project / "benchmarks/diff.py"), *words]
    env = {**os.environ, "TMPDIR": os.fspath(project.parent)}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@pytest.mark.laws
def test_what_is_worse_by_a_tenth_is_named_and_nothing_remains(project: Path) -> None:
    main = project / "memoryclaw/__main__.py"
    main.write_text(f"sum(range(15_000_000))\n{main.read_text()}")
    before = git(project, "status", "--porcelain")
    ran = diff(project, "--base", "HEAD", "--rows", "start", "--runs", "1")
    assert (ran.returncode, ran.stdout.splitlines()[0].split()[0]) == (0, git(project, "rev-parse", "--short", "HEAD").strip())  # fmt: skip
    worse = ran.stdout.splitlines()[-1]
    assert worse.startswith("Worse by a tenth: memoryclaw --help, CPU (+")
    assert "memoryclaw search, CPU (+" in worse
    assert git(project, "status", "--porcelain") == before
    assert [path.name for path in project.parent.iterdir()] == ["project"]
    assert git(project, "worktree", "list").count("\n") == 1


@pytest.mark.laws
def test_every_other_figure_is_measured_of_both_trees_on_the_data_that_is_given(project: Path) -> None:
    data = project.parent / "data"
    for name, rows in {"set/turns": TURNS, "set/sessions": [], "set/questions": [QUESTION], "real/ana": [LINE], "real/ana.questions": [QUESTION]}.items():  # fmt: skip
        path = data / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rows = ("--rows", "index,questions,consolidation", "--notes", "20", "--runs", "1")
    ran = diff(project, "--base", "HEAD", "--data", os.fspath(data), *rows, "--json")
    figures = {row["name"]: row for row in json.loads(ran.stdout)}
    assert ran.returncode == 0
    assert all(row["base"] > 0 and row["here"] > 0 for row in figures.values())
    assert set(figures) == {
        "first index of 20 notes, CPU", "first index of 20 notes, memory", "index of 20 notes, on disk",
        "first index of real turns, CPU", "first index of real turns, memory", "index of real turns, on disk",
        "search, CPU, p50", "search, CPU, p95", "recall, CPU, p50", "recall, CPU, p95",
        "consolidation of 1,000 turns, CPU", "consolidation, memory", "consolidation of twice as much, CPU",
    }  # fmt: skip


@pytest.mark.laws
def test_what_cannot_be_compared_is_told_in_one_sentence(project: Path) -> None:
    assert diff(project, "--base", "nowhere").stderr == "git knows no commit 'nowhere' here\n"
    assert "no turns.jsonl" in diff(project, "--base", "HEAD", "--data", os.fspath(project)).stderr
