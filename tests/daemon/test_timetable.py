"""What schedulers are told: times, and commands that arrive as they were meant, whatever a path holds."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from memoryclaw.daemon.timetable import (
    EVERY,
    for_cron,
    for_shell,
    for_systemd,
    name_of,
    timetable,
    timetable_in,
)
from memoryclaw.errors import InputError

HOSTILE = (
    "with spaces", "100% mine", "%h %% %i", "it's \"quoted\"", "$HOME ${PATH} $$", "back\\slash", "odd\\%s \\\\% end\\",
    "`id` $(id)", "a;b & c | d > e", "#hash *", "Überseekontor 茶室", "-dash", "tab\there", "byte\udcff", "=eq~tilde!",
)  # fmt: skip
MONDAY = datetime(2026, 4, 20, 8, 10)  # noqa: DTZ001 - a time of the machine's own clock


def systemd_words(line: str) -> list[str]:
    """A command line read by the rules of systemd.syntax(7) and systemd.service(5)."""
    words: list[str] = []
    for quoted, bare in re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', line):
        text = quoted or bare
        text = re.sub(
            rb'\\(?:x([0-9a-f]{2})|(["\\]))',
            lambda hit: bytes([int(hit[1], 16)]) if hit[1] else hit[2],
            os.fsencode(text),
        ).decode("utf-8", "surrogateescape")
        assert not re.search(r"(?<!%)(?:%%)*%(?!%)", text), "a specifier is left"
        assert not re.search(r"(?<!\$)(?:\$\$)*\$(?!\$)", text), "a variable is left"
        words.append(text.replace("%%", "%").replace("$$", "$"))
    return words


def cron_command(line: str) -> str:
    """What Vixie's cron gives to the shell: up to the first percent sign that no backslash saves."""
    command, escaped = "", False
    for char in line:
        if escaped:
            command = command[:-1] + char if char == "%" else command + char
            escaped = False
            continue
        escaped = char == "\\"
        if char == "%":
            break
        command += char
    return command


@pytest.mark.parametrize("name", [*HOSTILE, "line\nbreak"])
def test_systemd_hands_every_path_over_as_it_is(name: str) -> None:
    words = ["/usr/bin/python3", "--vault", f"/srv/{name}", name]
    line = for_systemd(words)
    assert "\n" not in line
    assert systemd_words(line) == words


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_itself_accepts_the_units(tmp_path: Path) -> None:
    for number, name in enumerate([*HOSTILE, "line\nbreak"]):
        text = f"[Service]\nType=oneshot\nExecStart={for_systemd(['/bin/echo', name])}\n"
        (tmp_path / f"hostile{number}.service").write_bytes(text.encode("utf-8", "surrogateescape"))
    for number, times in enumerate([timetable("3:07"), *(timetable(every=every) for every in EVERY)]):
        (tmp_path / f"times{number}.timer").write_text(
            f"[Timer]\nOnCalendar={times.calendar()}\nPersistent=true\n"
        )
        (tmp_path / f"times{number}.service").write_text("[Service]\nExecStart=/bin/true\n")
    units = sorted(map(str, tmp_path.iterdir()))
    env = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_UNIT_PATH": f"{tmp_path}:"}
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", *units], env=env, capture_output=True, text=True, check=False
    )
    # Not of the machine's own units, which the folder may be too long for.
    assert [
        line for line in done.stderr.splitlines() if line.startswith((str(tmp_path), "hostile", "times"))
    ] == []


@pytest.mark.parametrize("name", HOSTILE)
def test_cron_hands_every_path_over_as_it_is(name: str, tmp_path: Path) -> None:
    vault = tmp_path / name
    vault.mkdir()
    show = "import json, os, sys; print(json.dumps([os.fsencode(arg).hex() for arg in sys.argv[1:]]))"
    line = for_cron(str(vault), [sys.executable, "-c", show, "--vault", str(vault)])
    assert "%" not in line
    subprocess.run(["/bin/sh", "-c", cron_command(line)], cwd="/", check=True)
    report = json.loads((vault / ".memoryclaw/consolidate.log").read_text())
    assert [bytes.fromhex(arg) for arg in report] == [b"--vault", os.fsencode(vault)]


def test_a_vault_that_is_gone_is_not_made_anew(tmp_path: Path) -> None:
    line = for_cron(str(tmp_path / "unmounted"), ["echo", "ran"])
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["/srv/line\nbreak", "/srv/" + "long" * 200])
def test_what_a_crontab_cannot_hold_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="use systemd"):
        for_cron(path, ["python3", "--vault", path])


def test_a_plain_command_stays_readable() -> None:
    words = [
        "/usr/bin/python3", "-P", "-m", "memoryclaw", "--vault", "/home/nora/studio", "consolidate", "--due",
    ]  # fmt: skip
    assert for_systemd(words) == for_shell(words) == " ".join(words)


@pytest.mark.parametrize(
    ("at", "every", "cron", "calendar", "following"),
    [
        ("", 0, "0 3 * * *", "*-*-* 03:00:00", "2026-04-21T03:00:00"),
        ("9:05", 0, "5 9 * * *", "*-*-* 09:05:00", "2026-04-20T09:05:00"),
        ("08:10", 0, "10 8 * * *", "*-*-* 08:10:00", "2026-04-21T08:10:00"),
        ("", 15, "*/15 * * * *", "*-*-* *:00/15:00", "2026-04-20T08:15:00"),
        ("", 60, "0 */1 * * *", "*-*-* 00/1:00:00", "2026-04-20T09:00:00"),
        ("", 720, "0 */12 * * *", "*-*-* 00/12:00:00", "2026-04-20T12:00:00"),
    ],
)
def test_times_as_each_scheduler_writes_them(
    at: str, every: int, cron: str, calendar: str, following: str
) -> None:
    times = timetable(at, every)
    assert (times.cron(), times.calendar(), times.following(MONDAY).isoformat()) == (
        cron,
        calendar,
        following,
    )
    assert timetable_in(f"# >>> name, {times}: made by") == times


@pytest.mark.parametrize(
    ("at", "every"), [("25:00", 0), ("3", 0), ("03:00\n", 0), ("", 7), ("", -5), ("03:00", 60)]
)
def test_times_that_make_no_sense_are_refused(at: str, every: int) -> None:
    with pytest.raises(InputError):
        timetable(at, every)


def test_a_name_is_plain_and_belongs_to_one_vault() -> None:
    names = {name_of(f"/srv/{name}") for name in (*HOSTILE, "a" * 300)} | {name_of("/other/-dash")}
    assert len(names) == len(HOSTILE) + 2
    assert all(re.fullmatch(r"memoryclaw-[a-z0-9][a-z0-9-]{0,39}-[0-9a-f]{6}", name) for name in names)
