"""A machine's schedulers as programs of their own in a folder on PATH: they keep what they are told, as the real ones do."""

from __future__ import annotations

import os
from pathlib import Path

SYSTEMCTL = """#!/bin/sh
echo "$*" >>"$STATE/asked"
[ -e "$STATE/no-bus" ] && { echo "Failed to connect to bus: No medium found" >&2; exit 1; }
shift
units="${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user"
for name; do :; done
case "$1" in
  show) echo "Version=252" ;;
  is-active) [ -e "$STATE/active-$name" ] ;;
  daemon-reload) ;;
  enable) [ -e "$units/$name" ] || { echo "Unit file $name does not exist." >&2; exit 1; }
    mkdir -p "$units/timers.target.wants" && ln -sf "$units/$name" "$units/timers.target.wants/$name" ;;
  restart) [ ! -e "$STATE/broken" ] || { echo "Job failed." >&2; exit 1; }
    touch "$STATE/active-$name" ;;
  disable) rm -f "$units/timers.target.wants/$name" "$STATE/active-$name" ;;
  *) exit 64 ;;
esac
"""
CRONTAB = """#!/bin/sh
echo "$*" >>"$STATE/asked"
[ -e "$STATE/forbidden" ] && { echo "You (nora) are not allowed to use this program (crontab)" >&2; exit 1; }
case "$1" in
  -l) [ -e "$STATE/crontab" ] || { echo "no crontab for nora" >&2; exit 1; }; cat "$STATE/crontab" ;;
  -r) rm "$STATE/crontab" ;;
  -) cat >"$STATE/new"
    [ -z "$(tail -c 1 "$STATE/new")" ] || { echo "new crontab file is missing newline before EOF" >&2; exit 1; }
    mv "$STATE/new" "$STATE/crontab" ;;
  *) exit 64 ;;
esac
"""
LOGINCTL = """#!/bin/sh
[ -e "$STATE/lingers" ] && echo "Linger=yes" || echo "Linger=no"
"""


class Machine:
    """A home and two schedulers.

    Args:
        folder: what to make them in.
    """

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.state = folder / "state"
        self.programs = folder / "programs"
        self.units = self.home / ".config/systemd/user"
        for made in (self.home, self.state, self.programs):
            made.mkdir()
        for name, text in (("systemctl", SYSTEMCTL), ("crontab", CRONTAB), ("loginctl", LOGINCTL)):
            (self.programs / name).write_text(text)
            (self.programs / name).chmod(0o755)

    def environment(self) -> dict[str, str]:
        """The variables by which programs find this machine instead of the real one."""
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        return {"HOME": str(self.home), "XDG_CONFIG_HOME": "", "PATH": path, "STATE": str(self.state)}

    def has(self, *names: str) -> Machine:
        """The same machine in a state: no-bus, forbidden, broken, lingers."""
        for name in names:
            (self.state / name).touch()
        return self

    def without(self, program: str) -> Machine:
        """The same machine, on which a program always fails as if it were missing."""
        (self.programs / program).write_text('#!/bin/sh\necho "command not found" >&2\nexit 127\n')
        return self

    @property
    def crontab(self) -> bytes | None:
        """What the user's crontab holds."""
        path = self.state / "crontab"
        return path.read_bytes() if path.exists() else None

    @crontab.setter
    def crontab(self, text: bytes) -> None:
        (self.state / "crontab").write_bytes(text)

    @property
    def asked(self) -> list[str]:
        """What the schedulers were asked so far."""
        path = self.state / "asked"
        return path.read_text().splitlines() if path.exists() else []
