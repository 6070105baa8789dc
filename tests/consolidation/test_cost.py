"""A night costs what was said that day, not what the vault holds: files opened and processes started are counted, not seconds."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import Claw, put
from gitvault import git, vault_of
from nights import EVENING, NIGHT, PROJECTS, SCHEMA, said

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
# The command in a process that tells on itself: which files of the vault it opened, and what it started.
WATCHED = """
import os, sys
def hook(event, args):
    if event in ("open", "subprocess.Popen"):
        os.write(2, f"{event} {os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else args[0]}\\n".encode("utf-8", "replace"))
sys.addaudithook(hook)
from memoryclaw.interfaces.cli import main
sys.argv = ["memoryclaw", "--vault", sys.argv[1], "consolidate", "--llm", "none", "--json"]
main()
"""


class Seen(NamedTuple):
    """The files of the vault that a night opened, and the processes that it started."""

    opened: list[str]
    started: list[str]


def vault_with(root: Path, notes: int) -> Path:
    """A vault of so many notes, all committed, packed and indexed."""
    vault_of(root, {"semantic/projects.md": PROJECTS, "semantic/_schema.yaml": SCHEMA}, commit=False)
    made = [sys.executable, BENCHMARKS / "generate.py", str(notes), root]
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "my notes so far")
    git(
        root, "repack", "-adq"
    )  # else a night packs what is there of many notes, and git is asked for that, once
    assert Claw(root)("sync").code == 0
    return root


DOUBTED = 3  # files of a night: what was written within the last 50 ms is read again, and that depends on the machine


def night(root: Path, day: int) -> Seen:
    """What it took to consolidate 20 turns of a day. Folders do not count: they are looked through for new files."""
    when = NIGHT + timedelta(days=day)
    talk = [(who, f"{words} That was on day {day}, round {n}.") for n in range(5) for who, words in EVENING]
    put(root, {f"logs/{when:%Y-%m-%d}/s{day}.jsonl": said(f"s{day}", talk, day=f"{when:%Y-%m-%d}", hour=0)})
    done = Claw(root, MEMORYCLAW_NOW=when.isoformat())("-c", WATCHED, root)
    assert done.code == 0, done.err
    assert done.json["turns"] == 20
    seen = [line.partition(" ")[::2] for line in done.err.splitlines()]
    opened = [path for event, path in seen if event == "open"]
    inside = [path for path in opened if not path.startswith("/") or path.startswith(os.fspath(root))]
    files = {path for path in inside if not os.path.isdir(path)}
    return Seen(sorted(files), [name for event, name in seen if event == "subprocess.Popen"])


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    return second_night(tmp_path_factory.mktemp("small") / "vault", 50)


def second_night(root: Path, notes: int) -> Seen:
    """The second night in a vault; the first one also reads what stands there for all nights."""
    vault_with(root, notes)
    night(root, 0)
    return night(root, 1)


@pytest.mark.parametrize("notes", [100, pytest.param(3000, marks=pytest.mark.laws)])
def test_a_large_vault_costs_no_more_files_and_no_more_processes(
    small: Seen, tmp_path: Path, notes: int
) -> None:
    large = second_night(tmp_path / "vault", notes)
    assert small.started
    assert large.started == small.started
    assert len(small.opened) > 10
    assert abs(len(large.opened) - len(small.opened)) <= DOUBTED
