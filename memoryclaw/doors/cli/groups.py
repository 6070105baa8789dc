"""Verbs that have verbs of their own: `skills list`, `review show`. Without one the first question is answered: what is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

import click

from memoryclaw.doors.cli.verbs import Verb


class Group(Verb, click.Group):
    """A verb with verbs of its own; all of them take `--vault` and `--json`, in any place.

    Args:
        default: the verb that is meant when none is given.
    """

    command_class = Verb

    def __init__(self, *args: Any, default: str, **kwargs: Any) -> None:
        super().__init__(*args, invoke_without_command=True, **kwargs)
        self.default = default

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as Click calls it
        """The names of its verbs, in the order in which they are written down."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb that was asked for, else the default one."""
        found = super().invoke(ctx)
        return found if ctx.invoked_subcommand else ctx.invoke(self.commands[self.default])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that was asked for; a slip of the pen gets a suggestion."""
        close = [] if args[0] in self.commands else get_close_matches(args[0], self.commands, 1)
        if close:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)


def group(*, default: str, examples: Sequence[str]) -> Callable[[Callable[..., Any]], Group]:
    """Makes a function with an empty body a group; `@name.command("list", examples=[…])` gives it a verb."""
    return click.group(cls=Group, default=default, examples=examples)
