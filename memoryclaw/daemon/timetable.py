"""When a vault is consolidated and by which command, in the syntax of each scheduler. Pure.

Whatever a path holds, a scheduler hands it to our command unchanged.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.vault.layout import slug

# Minutes that divide an hour, or hours that divide a day.
EVERY = (5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720)
CRON_LINE = 900  # bytes; cron cuts a command after 998
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_PLAIN = re.compile(r"[A-Za-z0-9_./:=@+,-]+")
_TOLD = re.compile(r"(?:daily at (?P<at>\d\d:\d\d)|every (?P<every>\d+) min)")


class Timetable(NamedTuple):
    """Daily at a time of the machine's own clock, or every so many minutes."""

    at: str = "03:00"
    every: int = 0

    def __str__(self) -> str:
        return f"every {self.every} min" if self.every else f"daily at {self.at}"

    def calendar(self) -> str:
        """The times as systemd's `OnCalendar` takes them."""
        if not self.every:
            return f"*-*-* {self.at}:00"
        return f"*-*-* *:00/{self.every}:00" if self.every < 60 else f"*-*-* 00/{self.every // 60}:00:00"

    def cron(self) -> str:
        """The times as the five fields of cron."""
        if not self.every:
            hour, _, minute = self.at.partition(":")
            return f"{int(minute)} {int(hour)} * * *"
        return f"*/{self.every} * * * *" if self.every < 60 else f"0 */{self.every // 60} * * *"

    def following(self, now: datetime) -> datetime:
        """The first of these times after `now`, which must be in the machine's own zone."""
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        if self.every:
            passed = int((now - midnight).total_seconds() // 60 // self.every)
            return midnight + timedelta(minutes=(passed + 1) * self.every)
        hour, _, minute = self.at.partition(":")
        today = midnight.replace(hour=int(hour), minute=int(minute))
        return today if today > now else today + timedelta(days=1)


def timetable(at: str = "", every: int = 0) -> Timetable:
    """The timetable that a person asks for; daily at 03:00 when they say nothing."""
    if at and every:
        raise InputError("say either a time of day or a number of minutes, not both")
    if every:
        if every not in EVERY:
            choices = ", ".join(map(str, EVERY))
            raise InputError(f"{every} minutes do not divide an hour or a day; choose one of {choices}")
        return Timetable("", every)
    clock = _CLOCK.fullmatch(at or "03:00")
    if clock is None:
        raise InputError(f"{at!r} is not a time of day; write it as 03:00")
    return Timetable(f"{int(clock[1]):02}:{clock[2]}")


def timetable_in(text: str) -> Timetable | None:
    """The timetable that one of our own entries names, or None."""
    hit = _TOLD.search(text)
    if hit is None:
        return None
    return Timetable("", int(hit["every"])) if hit["every"] else Timetable(hit["at"])


def name_of(vault: str) -> str:
    """What the entry of a vault is called: its folder's words, and six digits of its whole path."""
    digest = hashlib.sha256(vault.encode("utf-8", "surrogateescape")).hexdigest()[:6]
    return f"memoryclaw-{slug(vault.rpartition('/')[2])[:40].strip('-')}-{digest}"


def for_systemd(words: Sequence[str]) -> str:
    """A command as `ExecStart` takes it: quoted, with nothing left that systemd would expand."""
    special = [word for word in words if not _PLAIN.fullmatch(word)]
    quoted = {word: '"' + "".join(map(_for_systemd, word)) + '"' for word in special}
    return " ".join(quoted.get(word, word) for word in words)


def for_shell(words: Sequence[str]) -> str:
    """A command as a shell takes it."""
    quoted = {word: "'" + word.replace("'", "'\"'\"'") + "'" for word in words if not _PLAIN.fullmatch(word)}
    return " ".join(quoted.get(word, word) for word in words)


def for_cron(vault: str, words: Sequence[str]) -> str:
    """A command of one line of a crontab; what it prints goes to a log in the vault's state folder."""
    if "\n" in vault or "\r" in vault:
        sentence = "the path of this vault holds a line break, which no crontab can"
        raise InputError(f"{sentence}; use systemd, or rename the folder")
    line = f"cd {for_shell([vault])} && mkdir -m 700 -p .memoryclaw && {for_shell(words)} >>.memoryclaw/consolidate.log 2>&1"
    # Cron ends a command at a percent sign, and takes the backslash that would save it from those of the path.
    line = line.replace("%", "'\"$(printf '\\045')\"'")
    if len(line.encode("utf-8", "surrogateescape")) > CRON_LINE:
        sentence = f"the line for cron would be longer than the {CRON_LINE} bytes that are safe"
        raise InputError(f"{sentence}; use systemd")
    return line


def _for_systemd(char: str) -> str:
    doubled = {"\\": "\\\\", '"': '\\"', "%": "%%", "$": "$$"}
    if char in doubled:
        return doubled[char]
    if char.isprintable():
        return char
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))


# When a consolidation is due: a pure rule, so that every scheduler may ask at any time. A wrong clock never blocks it
# for ever.

LONGEST_WAIT = timedelta(hours=24)  # a conversation that never pauses is cut after that


class Due(NamedTuple):
    """Whether to consolidate now, and why or why not, in words that go on a sentence."""

    due: bool
    reason: str


def due(
    now: datetime,
    *,
    last_run: datetime | None,
    newest_turn: datetime | None,
    oldest_waiting: datetime | None,
    interval_minutes: int,
    idle_minutes: int,
    after_hours: int = 0,
) -> Due:
    """Whether a consolidation is due. All times know their zone.

    However many nights were missed, one run reads all that waits, so nothing is caught up twice.

    Args:
        last_run: when the last run took place; None when there was none.
        newest_turn: when the last turn was said that the logs hold.
        oldest_waiting: when the first turn was said that no run has read; None when nothing waits.
        idle_minutes: how long a conversation must have paused, so that it is not cut in the middle.
        after_hours: how long turns wait at least, so that an agent's host can read them first.
    """
    if oldest_waiting is None:
        return Due(False, "nothing waits in the logs")
    since = f"turns wait since {oldest_waiting:%Y-%m-%d %H:%M}"
    if abs(now - oldest_waiting) < timedelta(hours=after_hours):
        return Due(False, f"{since}, and are left to the agent for {after_hours} h")
    # A time that lies ahead was written by another clock, or before ours was set back: how far it lies counts, and that shrinks.
    since_run = abs(now - last_run) if last_run else None
    if since_run is not None and since_run < timedelta(minutes=interval_minutes):
        last = f"the last run was {_ago(since_run)} ago"
        return Due(False, f"{last}, and the interval is {interval_minutes} min")
    pause = abs(now - newest_turn) if newest_turn else None
    waited = now - oldest_waiting
    if pause is None or pause >= timedelta(minutes=idle_minutes):
        return Due(True, since)
    if waited >= LONGEST_WAIT:
        return Due(True, f"{since}, and the conversation has not paused for a day")
    last = f"its last turn is {_ago(pause)} old"
    return Due(False, f"a conversation is going on: {last}, and {idle_minutes} min end it")


def _ago(span: timedelta) -> str:
    minutes = int(span.total_seconds() // 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"
