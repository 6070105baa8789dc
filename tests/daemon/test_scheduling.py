"""A timer is installed, changed, told of and taken away, and nothing else on the machine is touched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from indexed import LONG
from schedulers import Machine

from memoryclaw.daemon import systemd
from memoryclaw.daemon.scheduling import Schedule, command_of, last_run
from memoryclaw.daemon.timetable import Due, name_of
from memoryclaw.errors import InputError, VaultError
from memoryclaw.writing.context import Templates

NOW = datetime(2026, 4, 20, 8, tzinfo=UTC)
OTHERS = b"MAILTO=nora@example.org\n*/5 * * * * /usr/bin/fetch \\%mail\r\n\n# a note\xff\n"


NOTHING = Due(False, "nothing waits in the logs")


def schedule(vault: Path, due: Due = NOTHING, python: str = sys.executable) -> Schedule:
    vault.mkdir(exist_ok=True)
    return Schedule(str(vault), Templates(), lambda: NOW, lambda: due, python=python)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Schedulers and a home of its own for one test."""
    machine = Machine(tmp_path)
    for name, value in machine.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(systemd, "_LONGEST", LONG)  # a Python that starts on a busy machine is no broken one
    return machine


@pytest.fixture
def studio(tmp_path: Path) -> Path:
    """The folder of a vault."""
    return tmp_path / "studio"


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_systemd_timer_is_installed_once(machine: Machine, studio: Path) -> None:
    done = schedule(studio).install()
    name = name_of(str(studio))
    assert (done.action, done.by, done.times) == ("installed", "systemd", "daily at 03:00")
    service, timer = ((machine.units / f"{name}.{kind}").read_text() for kind in ("service", "timer"))
    assert f"ExecStart={sys.executable} -P -m memoryclaw --vault {studio} consolidate --due\n" in service
    assert "OnCalendar=*-*-* 03:00:00\n" in timer
    assert "Persistent=true\n" in timer
    assert (machine.units / f"timers.target.wants/{name}.timer").exists()
    assert machine.asked[-4:-1] == [
        f"--user {step}" for step in ("daemon-reload", f"enable {name}.timer", f"restart {name}.timer")
    ]
    before = tree(machine.home)
    assert schedule(studio).install().action == "unchanged"
    assert tree(machine.home) == before
    assert machine.crontab is None


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_itself_accepts_what_is_installed(machine: Machine, studio: Path) -> None:
    schedule(studio).install()
    env = {**os.environ, "XDG_RUNTIME_DIR": str(machine.state), "SYSTEMD_UNIT_PATH": f"{machine.units}:"}
    units = [str(path) for path in machine.units.glob("memoryclaw-*")]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", *units], env=env, capture_output=True, text=True, check=False
    )
    assert [line for line in done.stderr.splitlines() if "memoryclaw" in line] == []


def test_new_times_take_the_place_of_the_old(machine: Machine, studio: Path) -> None:
    for by in ("systemd", "cron"):
        schedule(studio).install(using=by)
        assert schedule(studio).install(using=by, at="22:30").action == "installed"
        assert schedule(studio).status().times == "daily at 22:30"
        assert schedule(studio).install(using=by, every=60).times == "every 60 min"
        assert schedule(studio).status().next.startswith("2026-04-20T")
        schedule(studio).remove()


def test_without_systemd_the_crontab_gets_a_block_and_keeps_every_other_byte(
    machine: Machine, studio: Path
) -> None:
    machine.has("no-bus").crontab = OTHERS
    done = schedule(studio).install()
    assert (done.action, done.by) == ("installed", "cron")
    assert machine.crontab
    assert machine.crontab.startswith(OTHERS)
    block = machine.crontab.removeprefix(OTHERS).decode().splitlines()
    assert block[1].startswith("0 3 * * * cd ")
    assert block[2].startswith("@reboot cd ")
    assert schedule(studio).install().action == "unchanged"
    machine.crontab = machine.crontab + b"0 1 * * * later\n"
    assert schedule(studio).remove().action == "removed"
    assert machine.crontab == OTHERS + b"0 1 * * * later\n"
    assert not machine.units.exists()


def test_a_crontab_that_was_not_there_is_gone_again(machine: Machine, studio: Path) -> None:
    schedule(studio).install(using="cron")
    assert machine.crontab
    schedule(studio).remove()
    assert machine.crontab is None
    assert schedule(studio).remove().action == "not installed"


def test_a_crontab_that_cannot_be_read_is_never_written(machine: Machine, studio: Path) -> None:
    machine.crontab = OTHERS
    machine.has("forbidden")
    with pytest.raises(VaultError, match="not allowed"):
        schedule(studio).install(using="cron")
    assert machine.crontab == OTHERS


def test_half_a_block_is_left_to_the_person(machine: Machine, studio: Path) -> None:
    text = f"# >>> {name_of(str(studio))}, daily at 03:00: made by\n0 3 * * * x\n".encode() + OTHERS
    machine.crontab = text
    with pytest.raises(VaultError, match="crontab -e"):
        schedule(studio).install(using="cron")
    assert machine.crontab == text


def test_two_vaults_have_timers_of_their_own(machine: Machine, tmp_path: Path) -> None:
    first, other = schedule(tmp_path / "one"), schedule(tmp_path / "one two")
    for by in ("systemd", "cron"):
        first.install(using=by)
        other.install(using=by, at="4:00")
        first.remove()
        assert not first.status().installed
        assert (other.status().by, other.status().times) == (by, "daily at 04:00")
        other.remove()
    assert tree(machine.home) == {}


def test_a_change_of_scheduler_leaves_one_timer(machine: Machine, studio: Path) -> None:
    schedule(studio).install(using="cron")
    done = schedule(studio).install(using="systemd")
    assert machine.crontab is None
    assert "The entry in cron was taken away." in done.notices
    schedule(studio).install(using="cron")
    assert not tree(machine.home)


def test_a_timer_that_systemd_does_not_take_leaves_nothing(machine: Machine, studio: Path) -> None:
    machine.has("broken")
    with pytest.raises(VaultError, match=r"restart .* failed: Job failed.; nothing was installed"):
        schedule(studio).install()
    assert tree(machine.home) == {}


def test_units_are_removed_though_systemd_does_not_answer(machine: Machine, studio: Path) -> None:
    schedule(studio).install()
    assert schedule(machine.has("no-bus") and studio).status().active is False
    assert schedule(studio).remove().action == "removed"
    assert tree(machine.home) == {}
    assert not list(machine.units.glob("timers.target.wants/*"))


def test_where_nothing_runs_on_time_a_sentence_holds_the_command(machine: Machine, tmp_path: Path) -> None:
    machine.has("no-bus").without("crontab")
    with pytest.raises(VaultError) as refused:
        schedule(tmp_path / "my studio").install()
    assert "systemd cannot be used here (Failed to connect to bus" in str(refused.value)
    assert "cron cannot be used here (command not found)" in str(refused.value)
    assert str(refused.value).endswith(f"-P -m memoryclaw --vault '{tmp_path}/my studio' consolidate --due")
    assert tree(machine.home) == {}


@pytest.mark.parametrize("by", ["systemd", "cron"])
def test_a_dry_run_shows_what_would_be_written_and_writes_nothing(
    machine: Machine, studio: Path, by: str
) -> None:
    shown = schedule(studio).install(using=by, dry_run=True)
    assert shown.action == "would install"
    assert tree(machine.home) == {}
    assert machine.crontab is None
    schedule(studio).install(using=by)
    written = {
        path: (machine.crontab or b"").decode() if by == "cron" else Path(path).read_text()
        for path, _ in shown.files
    }
    assert written == dict(shown.files)


def test_status_tells_the_last_run_and_whether_one_is_due(machine: Machine, studio: Path) -> None:
    assert schedule(studio).status().last_run == ""
    (studio / "runs").mkdir()
    for name in (
        "consolidate-20260418T030000-aaaaaa.json",
        "consolidate-20260419T030001-bbbbbb.json",
        "notes.json",
    ):
        (studio / "runs" / name).touch()
    assert last_run(str(studio)) == datetime(2026, 4, 19, 3, 0, 1, tzinfo=UTC)
    now = schedule(studio, Due(True, "turns wait since then")).status()
    assert (now.installed, now.last_run, now.due, now.reason) == (
        False, "2026-04-19T03:00:01Z", True, "turns wait since then",
    )  # fmt: skip
    schedule(studio).install()
    now = schedule(studio).status()
    assert (now.installed, now.active, now.by) == (True, True, "systemd")
    assert datetime.fromisoformat(now.next).astimezone().strftime("%H:%M") == "03:00"
    assert NOW < datetime.fromisoformat(now.next) <= NOW + timedelta(days=1)


def test_a_timer_that_ends_with_the_session_is_told(machine: Machine, studio: Path) -> None:
    assert "enable-linger" in schedule(studio).install().notices[0]
    machine.has("lingers")
    assert schedule(studio).status().notices == ()


def test_a_timer_that_was_stopped_by_hand_is_told_and_started_again(machine: Machine, studio: Path) -> None:
    machine.has("lingers")
    schedule(studio).install()
    (machine.state / f"active-{name_of(str(studio))}.timer").unlink()
    now = schedule(studio).status()
    assert (now.installed, now.active, now.next) == (True, False, "")
    assert "schedule install" in now.notices[0]
    schedule(studio).install()
    assert schedule(studio).status().active


def test_a_git_that_no_scheduler_would_find_is_made_known_to_it(tmp_path: Path) -> None:
    show = tmp_path / "python with spaces=$HOME"
    show.write_text('#!/bin/sh\necho "$PATH" "$@"\n')
    show.chmod(0o755)
    command = command_of("/srv/v", str(show), "/opt/homebrew/bin/git")
    done = subprocess.run(command, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True)
    assert (
        done.stdout == "/usr/bin:/bin:/opt/homebrew/bin -P -m memoryclaw --vault /srv/v consolidate --due\n"
    )
    assert command_of("/srv/v", "/usr/bin/python3", "/usr/bin/git")[0] == "/usr/bin/python3"


def test_what_would_not_start_at_night_is_not_installed(machine: Machine, studio: Path) -> None:
    with pytest.raises(InputError, match="does not start outside of this shell"):
        schedule(studio, python="/bin/false").install()
    assert tree(machine.home) == {}
