"""A night costs what was said that day, not what the vault holds: files opened and processes started are counted, not seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from conftest import Claw, put
from gitvault import git, vault_of
from nights import EVENING, NIGHT, PROJECTS, SCHEMA, said

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
# The command in a process that tells on itself: which files of the vault it opened, and what it started.
WATCHED = """
import os, sys
def hook(event, args):
    if event in ("open", "subprocess.Popen"):
        os.write(2, f"{event} {os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else args[0]}\\n".encode("utf-8", "replace"))
sys.addaudithook(hook)
from memoryclaw.doors.cli import main
sys.argv = ["memoryclaw", "--vault", sys.argv[1], "consolidate", "--llm", "none", "--json"]
main()
"""
SMALL, LARGE = 100, 3000


def vault_with(root: Path, notes: int) -> Path:
    """A vault of so many notes, all committed and indexed."""
    vault_of(root, {"semantic/projects.md": PROJECTS, "semantic/_schema.yaml": SCHEMA}, commit=False)
    made = [sys.executable, BENCHMARKS / "generate.py", str(notes), root]
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "my notes so far")
    assert Claw(root)("sync").code == 0
    return root


def night(root: Path, day: int) -> tuple[list[str], list[str]]:
    """The files of the vault that were opened and the processes that were started, in the night after 20 turns."""
    when = NIGHT + timedelta(days=day)
    talk = [(who, f"{words} That was on day {day}, round {n}.") for n in range(5) for who, words in EVENING]
    put(root, {f"logs/{when:%Y-%m-%d}/s{day}.jsonl": said(f"s{day}", talk, day=f"{when:%Y-%m-%d}", hour=0)})
    env = {**os.environ, "MEMORYCLAW_NOW": when.isoformat()}
    done = subprocess.run([sys.executable, "-c", WATCHED, root], env=env, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["turns"] == 20
    seen = [line.partition(" ")[::2] for line in done.stderr.splitlines()]
    opened = [path for event, path in seen if event == "open"]
    inside = [path for path in opened if not path.startswith("/") or path.startswith(os.fspath(root))]
    return inside, [name for event, name in seen if event == "subprocess.Popen"]


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[list[str], list[str]]]:
    """The second night in a small and in a large vault; the first one also reads what stands there for all nights."""
    found = []
    for notes in (SMALL, LARGE):
        root = vault_with(tmp_path_factory.mktemp("cost") / "vault", notes)
        night(root, 0)
        found.append(night(root, 1))
    return found


def test_no_more_git_processes_in_a_large_vault(nights) -> None:
    (_, small), (_, large) = nights
    assert small
    assert len(large) == len(small)


def test_no_more_files_are_opened_in_a_large_vault(nights) -> None:
    (small, _), (large, _) = nights
    assert len(small) > 10
    assert len(large) <= len(small) + 10, [path for path in large if path not in small]
