"""`schedule` as a command, on a machine with schedulers of its own; what it installs is run as a scheduler would."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import Claw, put
from schedulers import Machine

TURN = '{"ts":"2026-04-19T09:00:00Z","session":"s","turn":1,"role":"user","content":"The boathouse deadline is 2026-12-11."}\n'


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Schedulers and a home of its own for one test."""
    return Machine(tmp_path)


@pytest.fixture
def timed(machine: Machine, tmp_path: Path) -> Claw:
    """The command on that machine, pointed at a vault with a difficult name."""
    return Claw(put(tmp_path / "100% Nora's $vault", {"notes/moon.md": "# Moon\n"}), **machine.environment())


def test_a_timer_comes_and_goes(timed: Claw, machine: Machine) -> None:
    ran = timed("schedule", "install")
    assert ran.code == 0
    assert ran.out.startswith("installed: memoryclaw-100-noras-vault-")
    assert "(systemd, daily at 03:00; next: " in ran.out
    assert "enable-linger" in ran.err
    assert timed("schedule", "install").out.startswith("unchanged: ")
    assert timed("schedule").out.splitlines()[0].split(maxsplit=1) == ["timer", "systemd, daily at 03:00"]
    assert timed("schedule", "remove").out.startswith("removed: ")
    assert timed("schedule", "remove").out.startswith("not installed: ")
    assert "not installed" in timed("schedule", "status").out
    assert not list(machine.units.glob("*.*er*"))


def test_the_line_in_the_crontab_does_what_it_is_there_for(timed: Claw, machine: Machine) -> None:
    assert timed("schedule", "install", "--using", "cron", "--at", "4:30").code == 0
    line = next(
        line for line in (machine.crontab or b"").decode().splitlines() if line.startswith("30 4 * * * ")
    )
    command = line.removeprefix("30 4 * * * ")
    assert "%" not in command
    subprocess.run(["/bin/sh", "-c", command], cwd="/", env=timed.environment(), check=True)
    log = timed.vault / ".memoryclaw/consolidate.log"
    assert log.read_text() == "Nothing to do: nothing waits in the logs.\n"
    put(timed.vault, {"logs/2026-04-19/s.jsonl": TURN})
    assert timed("schedule", "--json").json["due"] is True
    subprocess.run(["/bin/sh", "-c", command], cwd="/", env=timed.environment(), check=True)
    assert list(timed.vault.glob("runs/consolidate-*.json"))
    now = timed("schedule", "--json").json
    assert (now["last_run"], now["due"], now["reason"]) == (
        "2026-04-20T08:00:00Z",
        False,
        "nothing waits in the logs",
    )


def test_answers_are_one_object(timed: Claw) -> None:
    done = timed("schedule", "install", "--every", "60", "--dry-run", "--json").json
    assert (done["action"], done["times"], len(done["files"])) == ("would install", "every 60 min", 2)
    assert timed("schedule", "remove", "--json").json["action"] == "not installed"
    assert json.loads(timed("--json", "schedule").out)["installed"] is False


def test_what_makes_no_sense_is_told_in_one_sentence(timed: Claw, machine: Machine) -> None:
    for words in (["--at", "soon"], ["--every", "7"], ["--at", "3:00", "--every", "60"]):
        ran = timed("schedule", "install", *words)
        assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert timed("schedule", "install", "--using", "launchd").code == 2
    machine.has("no-bus", "forbidden")
    ran = timed("schedule", "install")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "consolidate --due" in ran.err
