"""Timers of the user's systemd. Only units of exactly our name are written, started, stopped or removed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from memoryclaw.errors import NotFoundError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.vault import files

_WANTS = "timers.target.wants"


def trouble() -> str:
    """Why no timer can be installed here, or nothing."""
    answer = _systemctl("show", "--property=Version")
    return f"systemd cannot be used here ({answer.words or 'no answer'})" if answer.code else ""


def folder() -> str:
    """Where the user's units are."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(home):
        home = os.path.expanduser("~/.config")
    return os.path.join(home, "systemd", "user")


def install(name: str, written: Sequence[tuple[str, str]]) -> bool:
    """Writes the units of a timer, each a path and a text, and starts it; False when all was so already."""
    units = {os.path.basename(path): text for path, text in written}
    if {unit: _read(unit) for unit in units} == units and is_active(name):
        return False
    os.makedirs(folder(), 0o700, exist_ok=True)
    for unit, text in units.items():
        new = text.encode("utf-8", "surrogateescape")
        files.write_file(folder(), unit, new, files.digest_at(folder(), unit))
    # A restart, unlike `enable --now`, also takes new times over.
    for step in (["daemon-reload"], ["enable", f"{name}.timer"], ["restart", f"{name}.timer"]):
        answer = _systemctl(*step)
        if answer.code:
            remove(name)
            sentence = f"systemctl --user {' '.join(step)} failed: {answer.words}"
            raise VaultError(f"{sentence}; nothing was installed")
    return True


def remove(name: str) -> bool:
    """Stops a timer and removes its units; False when there were none. A consolidation under way goes on to its end."""
    mine = [unit for unit in (f"{name}.timer", f"{name}.service") if _read(unit)]
    if not mine:
        return False
    _systemctl("disable", "--now", f"{name}.timer")
    for unit in (*mine, f"{_WANTS}/{name}.timer"):  # without a running systemd nobody took the link away
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(folder(), unit))
    _systemctl("daemon-reload")
    return True


def entry(name: str) -> str:
    """The text of a timer's unit; empty when there is none."""
    return _read(f"{name}.timer")


def is_active(name: str) -> bool:
    """True while systemd waits for the timer's next time."""
    return _systemctl("is-active", f"{name}.timer").code == 0


def ends_with_the_session() -> bool:
    """True when systemd says that it stops the user's timers when the user logs out."""
    answer = ask("loginctl", "show-user", str(os.getuid()), "--property=Linger")
    return answer.code == 0 and answer.out.strip() == b"Linger=no"


def _read(unit: str) -> str:
    try:
        return files.read_file(folder(), unit).data.decode("utf-8", "surrogateescape")
    except (NotFoundError, VaultError):
        return ""


def _systemctl(*words: str) -> Answered:
    return ask("systemctl", "--user", *words)


# Runs systemctl and crontab, in the C locale and with a short timeout.

_LONGEST = 20.0


class Answered(NamedTuple):
    """How a program ended and what it said."""

    code: int
    out: bytes
    words: str  # the last line of what it complained of


def ask(
    *command: str, stdin: bytes = b"", environment: dict[str, str] | None = None, cwd: str = "/"
) -> Answered:
    """Runs a program; one that is missing or does not end has failed."""
    variables = {**(os.environ if environment is None else environment), "LC_ALL": "C"}
    try:
        process = subprocess.run(
            command, input=stdin, capture_output=True, env=variables, cwd=cwd, timeout=_LONGEST, check=False
        )
    except FileNotFoundError:
        return Answered(127, b"", f"there is no program {command[0]}")
    except (OSError, subprocess.TimeoutExpired) as error:
        return Answered(126, b"", f"{command[0]} cannot be run ({type(error).__name__})")
    lines = process.stderr.decode("utf-8", "replace").strip().splitlines()
    return Answered(process.returncode, process.stdout, lines[-1].strip() if lines else "")
