"""Runs the programs of the machine's schedulers. The rule: they are asked in plain C locale, and never for longer than a moment."""

from __future__ import annotations

import os
import subprocess
from typing import NamedTuple

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
        done = subprocess.run(
            command, input=stdin, capture_output=True, env=variables, cwd=cwd, timeout=_LONGEST, check=False
        )
    except FileNotFoundError:
        return Answered(127, b"", f"there is no program {command[0]}")
    except (OSError, subprocess.TimeoutExpired) as error:
        return Answered(126, b"", f"{command[0]} cannot be run ({type(error).__name__})")
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return Answered(done.returncode, done.stdout, lines[-1].strip() if lines else "")
