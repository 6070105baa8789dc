"""Installs a timer of this machine that calls `consolidate --due`. Installing is idempotent and can be undone."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from memoryclaw.daemon import cron, systemd, timetable
from memoryclaw.daemon.processes import Child
from memoryclaw.daemon.systemd import ask
from memoryclaw.errors import InputError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.vault.layout import on_disk, timestamp
from memoryclaw.writing.context import Templates

_RUN = re.compile(r"consolidate-(\d{8}T\d{6})-[0-9a-z]+\.json", re.ASCII)
_FOUND_BY_ALL = ("/usr/bin", "/bin")
_SCHEDULERS: Mapping[str, Any] = {"systemd": systemd, "cron": cron}  # modules of the same functions


class Scheduled(NamedTuple):
    """What was done about the timer of a vault."""

    action: str  # installed | unchanged | would install | removed | not installed
    name: str
    by: str = ""  # systemd | cron
    times: str = ""
    next: str = ""  # ISO, in the machine's own zone
    files: tuple[tuple[str, str], ...] = ()  # what was, or would be, written, and where
    notices: tuple[str, ...] = ()


class ScheduleStatus(NamedTuple):
    """How the timer of a vault stands, and what it would do now."""

    installed: bool
    name: str
    by: str = ""
    active: bool = False
    times: str = ""
    next: str = ""
    last_run: str = ""
    due: bool = False
    reason: str = ""
    notices: tuple[str, ...] = ()


class Schedule:
    """The timer of one vault."""

    def __init__(
        self,
        root: str,
        templates: Templates,
        clock: Callable[[], datetime],
        due: Callable[[], timetable.Due],
        *,
        python: str = sys.executable,
    ) -> None:
        self._root = os.path.abspath(root)
        self._name = timetable.name_of(self._root)
        self._templates = templates
        self._clock = clock
        self._due = due
        self._python = python

    def install(self, *, at: str = "", every: int = 0, using: str = "", dry_run: bool = False) -> Scheduled:
        """Installs the timer, or gives the one that is there new times.

        Args:
            every: minutes, instead of a time of day.
            using: `systemd` or `cron`; what works here when empty.
        """
        times = timetable.timetable(at, every)
        command = command_of(self._root, self._python, shutil.which("git") or "")
        troubles = {} if using else {by: scheduler.trouble() for by, scheduler in _SCHEDULERS.items()}
        by = using or next((by for by, trouble in troubles.items() if not trouble), "")
        if not by:
            reasons, line = " and ".join(troubles.values()), timetable.for_shell(command)
            raise VaultError(f"{reasons}; let whatever schedules commands here run this {times}: {line}")
        about = {"name": self._name, "timetable": str(times)}
        if by == "systemd":
            program, unit = timetable.for_systemd(command), os.path.join(systemd.folder(), self._name)
            service = self._templates.render("units/service.j2", command=program, **about)
            timer = self._templates.render("units/timer.j2", calendar=times.calendar(), **about)
            written: tuple[tuple[str, str], ...] = (f"{unit}.service", service), (f"{unit}.timer", timer)
        else:
            line, daily = timetable.for_cron(self._root, command), not times.every
            block = self._templates.render(
                "units/crontab.j2", times=times.cron(), command=line, daily=daily, **about
            )
            written = (("crontab", block),)
        scheduled = Scheduled("would install", self._name, by, str(times), self._next(times), written)
        if dry_run:
            return scheduled
        # A scheduler has neither this shell's folder nor its variables, so what starts here need not start there.
        bare = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        answer = ask(self._python, "-P", "-m", "memoryclaw", "--version", environment=bare)
        if answer.code:
            sentence = f"{self._python} -m memoryclaw does not start outside of this shell ({answer.words})"
            raise InputError(f"{sentence}; install MemoryClaw for this Python")
        changed = _SCHEDULERS[by].install(self._name, written)
        others = (other for other in _SCHEDULERS if other != by)
        replaced = next((other for other in others if _SCHEDULERS[other].remove(self._name)), "")
        notices = (*([f"The entry in {replaced} was taken away."] if replaced else []), *_remarks(by))
        return scheduled._replace(action="installed" if changed else "unchanged", notices=notices)

    def remove(self) -> Scheduled:
        """Takes away exactly what `install` put there."""
        gone = [by for by, scheduler in _SCHEDULERS.items() if scheduler.remove(self._name)]
        return Scheduled("removed" if gone else "not installed", self._name, " and ".join(gone))

    def status(self) -> ScheduleStatus:
        """Whether there is a timer, when it runs next, when the last run was, and whether one is due now."""
        due, last = self._due(), last_run(self._root)
        ran = f"{last:%Y-%m-%dT%H:%M:%SZ}" if last else ""
        standing = ScheduleStatus(False, self._name, last_run=ran, due=due.due, reason=due.reason)
        entries = {by: scheduler.entry(self._name) for by, scheduler in _SCHEDULERS.items()}
        by = next((by for by, text in entries.items() if text), "")
        if not by:
            return standing
        times = timetable.timetable_in(entries[by])
        active = by == "cron" or systemd.is_active(self._name)
        asleep = "systemd does not run this timer; `memoryclaw consolidate schedule install` starts it again."
        notices = _remarks(by) if active else (asleep, *_remarks(by))
        following = self._next(times) if active else ""
        return standing._replace(
            installed=True, by=by, active=active, times=str(times or ""), next=following, notices=notices
        )

    def _next(self, times: timetable.Timetable | None) -> str:
        return times.following(self._clock().astimezone()).isoformat(timespec="minutes") if times else ""


def command_of(vault: str, python: str, git: str) -> tuple[str, ...]:
    """The command that a scheduler runs.

    Without `-P` Python would take a `click.py` that lies in the folder where a scheduler starts for the real one. A git that
    lies where schedulers do not look is made known to it.
    """
    command = (python, "-P", "-m", "memoryclaw", "--vault", vault, "consolidate", "--due")
    place = os.path.dirname(git)
    if place in ("", *_FOUND_BY_ALL) and "$" not in python:
        return command  # systemd expands nothing in arguments, but the name of a program
    with_git = 'PATH="$PATH:$0" && export PATH && exec "$@"'
    return "/bin/sh", "-c", with_git, place or _FOUND_BY_ALL[0], *command


def last_run(root: str) -> datetime | None:
    """When the newest run record says that its consolidation began; None when there is none."""
    try:
        names = os.listdir(on_disk(root, "runs"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    stamps = [hit[1] for name in names if (hit := _RUN.fullmatch(name))]
    return datetime.strptime(max(stamps), "%Y%m%dT%H%M%S").replace(tzinfo=UTC) if stamps else None


def _remarks(by: str) -> tuple[str, ...]:
    if by == "systemd" and systemd.ends_with_the_session():
        return ("systemd runs this while you are logged in; `loginctl enable-linger` lets it run always.",)
    return ()


# The schedule of a daemon: runs `consolidate --due` again and again, each in a separate process, and reports failures.

FIRST = 3600.0  # seconds after the start until the first look: who begins is not surprised by commits within an hour


class DaemonSchedule:
    """Looks after consolidation while a daemon runs; its own process, so that it takes neither time nor memory from the answers.

    Args:
        every: seconds between two looks; `consolidate --due` itself decides whether there is something to do.
        tell: is given one sentence for every run that did something or failed.
        first: seconds until the first look, in which what was missed is not made up for, either.
        after: hours for which new lines are left to an agent.
        wait: waits so many seconds, and is True when there is nothing more to do.
    """

    def __init__(
        self,
        root: str,
        every: float,
        tell: Callable[[str], None],
        *,
        clock: Callable[[], datetime],
        first: float = FIRST,
        after: int = 0,
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        command = [sys.executable, "-P", "-m", "memoryclaw", "--vault", root, "consolidate", "--due"]
        self._child = Child([*command, "--after", str(after)] if after else command)
        self._every, self._first, self._tell, self._clock = every, first, tell, clock
        self._stop = threading.Event()
        self._wait = wait or self._stop.wait
        self.next = clock() + timedelta(seconds=first)

    def run(self) -> None:
        """Works until `stop` is called."""
        seconds = self._first
        while not self._wait(seconds):
            try:
                ended = self._child.run()
            except OSError as error:
                ended = None
                self._tell(f"consolidation could not be started ({error.strerror})")
            # One sentence worth a line in the log; what the logs of the vault hold is never in it.
            if ended is not None and ended.code:
                last = ended.err.strip().rpartition("\n")[2].removeprefix("memoryclaw: ")
                self._tell(f"consolidation failed (exit code {ended.code}): {last or 'it said nothing'}")
            elif ended is not None and not ended.out.startswith("Nothing to do"):
                self._tell(f"consolidated: {ended.out.partition(chr(10))[0]}")
            seconds = self._every
            self.next = self._clock() + timedelta(seconds=seconds)

    def plan(self) -> dict[str, Any]:
        """When the next look is, and how many minutes lie between two, as programs are told."""
        return {"next": timestamp(self.next), "interval": int(self._every // 60)}

    def stop(self) -> None:
        """Ends the work, and the process that is at it; safe from other threads."""
        self._stop.set()
        self._child.end()
