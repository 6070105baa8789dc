"""What other distributions bring, by their entry points: engines that keep the index on a server, settings, and commands."""

from __future__ import annotations

from typing import Any

from memoryclaw.errors import ConfigError

ENGINES = ("postgres",)
ELSEWHERE = {"postgres": "memoryclaw-fleet", "fleet": "memoryclaw-fleet"}  # a name, and who brings it


def extension(kind: str, name: str) -> Any:
    """What a distribution brings of a kind (`engines`, `commands`) under a name.

    Raises:
        ConfigError: no distribution that is installed does, or what that needs itself is missing.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415 - it costs a third of a search

    for entry in entry_points(group=f"memoryclaw.{kind}", name=name):
        try:
            return entry.load()
        except ModuleNotFoundError as error:
            raise ConfigError(f"{name} needs {error.name}: pip install {ELSEWHERE[name]}") from None
    raise ConfigError(f"{name} is in another package: pip install {ELSEWHERE[name]}")


def extra_settings() -> tuple[Any, ...]:
    """The settings that other distributions read."""
    from importlib.metadata import entry_points  # noqa: PLC0415

    return tuple(row for entry in entry_points(group="memoryclaw.settings") for row in entry.load())
