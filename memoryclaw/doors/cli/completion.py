"""`completion`: the script that teaches a shell to complete our verbs and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from memoryclaw.doors.cli.verbs import cli, verb


@verb(
    examples=[
        "completion bash >> ~/.bashrc",
        "completion zsh >> ~/.zshrc",
        "completion fish > ~/.config/fish/completions/memoryclaw.fish",
    ]
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell."""
    kind = get_completion_class(shell)
    if kind is None:
        raise click.BadParameter(f"there is no completion for {shell}")
    click.echo(kind(cli, {}, "memoryclaw", "_MEMORYCLAW_COMPLETE").source())
