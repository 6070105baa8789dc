"""What other distributions bring, by their entry points: engines that keep the index on a server, settings, and commands."""

from __future__ import annotations

from typing import Any

from memoryclaw import late
from memoryclaw.errors import ConfigError

# By kind: the names that are known here, and the distribution that brings each.
ELSEWHERE = {"engines": {"postgres": "memoryclaw-fleet"}, "commands": {"fleet": "memoryclaw-fleet"}}
ENGINES, COMMANDS = map(tuple, ELSEWHERE.values())


def extension(kind: str, name: str) -> Any:
    """What a distribution brings of a kind (`engines`, `commands`) under a name.

    Raises:
        ConfigError: no distribution that is installed does, or what that needs itself is missing.
    """
    for entry in late.packages.entry_points(group=f"memoryclaw.{kind}", name=name):
        try:
            return entry.load()
        except ModuleNotFoundError as error:
            raise ConfigError(f"{name} needs {error.name}: pip install {ELSEWHERE[kind][name]}") from None
    raise ConfigError(f"{name} is in another package: pip install {ELSEWHERE[kind][name]}")


def extra_settings() -> tuple[Any, ...]:
    """The settings that other distributions read."""
    return tuple(
        row for entry in late.packages.entry_points(group="memoryclaw.settings") for row in entry.load()
    )
