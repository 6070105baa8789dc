"""Our skill among those of Claude Code, a file that is all ours: `/memory-consolidate` has its model read the logs. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from memoryclaw.connect.settings_file import SettingsEditor
from memoryclaw.errors import InputError

NAME = "memory-consolidate"
FILE = f"skills/{NAME}/SKILL.md"
_BEGINS, _HOLDS = f"---\nname: {NAME}\n", "consolidate --answers "  # what is ours
_COMMAND = re.compile(r"(?m)(?<=`)memoryclaw (?=\w)|(?<=   )memoryclaw (?=\w)")


def skill_for(text: str, words: Sequence[str], vault: str) -> str:
    """The shipped skill with the command that the host runs, and the vault that it is of."""
    command = f"{shlex.join(words)} --vault {shlex.quote(vault)} "
    return _COMMAND.sub(lambda _: command, text)


def _skill_in(text: str) -> str:
    return text if text.startswith(_BEGINS) and _HOLDS in text else ""


def _with_skill(text: str, skill: str) -> str:
    if text.strip() and not _skill_in(text):
        raise InputError(f"another skill is called {NAME}; give it another name first")
    return skill


def _without_skill(text: str, before: str) -> str:
    return before if _skill_in(text) else text


SKILL = SettingsEditor(_skill_in, _with_skill, _without_skill, folders=2)
