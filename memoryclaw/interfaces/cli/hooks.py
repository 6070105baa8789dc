"""`hook install` and `hook uninstall`: MemoryClaw in hosts that run a command at a prompt and after an answer."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from typing import TYPE_CHECKING

import click

from memoryclaw.hosts import CLAUDE_CODE, HOSTS
from memoryclaw.interfaces.cli.printing import as_json, in_colour, say, styled
from memoryclaw.interfaces.cli.verbs import TEXT, CliContext, group
from memoryclaw.text.prompts import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from memoryclaw.hosts.claude_settings import SettingsChange

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_HOST_OPTION = click.option(
    "--host",
    metavar="HOST",
    default=CLAUDE_CODE,
    type=TEXT,
    show_default=True,
    help=f"How it is answered: {' or '.join(HOSTS)}.",
)


@group(
    default="pre",
    examples=[
        "init\nhook install claude-code --dry-run",
        "hook install claude-code --project .",
        'hook pre --host plain <<< \'{"prompt": "When is the boathouse due?"}\'',
        "hook uninstall claude-code",
    ],
)
def hook() -> None:
    """Memory for hosts with shell hooks: context before a prompt, turns kept after.

    `pre`, the default, and `post` read JSON, answer JSON, and always exit with 0.
    """


@hook.command(
    "pre", examples=['init\nhook pre --host plain <<< \'{"prompt": "tea"}\'', "hook pre < prompt.json"]
)
@_HOST_OPTION
@click.pass_obj
def pre(context: CliContext, host: str) -> None:
    """Answer a prompt on standard input with a context for it, in a second at most."""
    _hooked(context, "pre", host)


@hook.command(
    "post",
    examples=[
        'init\nhook post --host plain <<< \'{"session": "monday", "prompt": "Which tea?", "answer": "Oolong."}\'',
        "hook post < stop.json",
    ],
)
@_HOST_OPTION
@click.pass_obj
def post(context: CliContext, host: str) -> None:
    """Keep what is new in the host's transcript, or the turns on standard input; write latest.md when a session ends."""
    _hooked(context, "post", host)


def _into(verb: Callable[..., None]) -> Callable[..., None]:
    """The arguments of `install` and `uninstall`."""
    for option in (
        click.option("--dry-run", is_flag=True, help="Only show what would change."),
        click.option("--project", metavar="DIR", type=click.Path(file_okay=False), help="The settings of one project: DIR/.claude/settings.json."),
        click.option("--user", is_flag=True, help="Your own settings, ~/.claude/settings.json, as without --project."),
        click.argument("host", metavar="claude-code", type=click.Choice([CLAUDE_CODE])),
    ):  # fmt: skip
        verb = option(verb)
    return verb


@hook.command(
    "install",
    examples=["init\nhook install claude-code --dry-run", "hook install claude-code --project ~/site"],
)
@_into
@click.pass_obj
def install(context: CliContext, *, host: str, user: bool, project: str | None, dry_run: bool) -> None:
    """Add our hooks to a host's settings; shows what changes, keeps a backup, and touches nothing else."""
    from memoryclaw.hosts.claude_settings import plan_install

    with context.app(quiet=True) as app:
        root = os.fspath(app.root)
    plan = plan_install(_settings(user, project), f"{_program()} {{}} --vault {shlex.quote(root)}")
    _carry_out(context, plan, "installed", host, dry_run=dry_run)


@hook.command(
    "uninstall", examples=["init\nhook uninstall claude-code", "hook uninstall claude-code --project ~/site"]
)
@_into
@click.pass_obj
def uninstall(context: CliContext, *, host: str, user: bool, project: str | None, dry_run: bool) -> None:
    """Take our hooks out of a host's settings, and nothing else."""
    from memoryclaw.hosts.claude_settings import plan_uninstall

    _carry_out(context, plan_uninstall(_settings(user, project)), "uninstalled", host, dry_run=dry_run)


def _hooked(context: CliContext, verb: str, host: str) -> None:
    from memoryclaw.interfaces.cli.hook_fast_path import hook as run

    run([verb, "--host", host, *(["--vault", context.vault] if context.vault else [])])


def _settings(user: bool, project: str | None) -> str:
    if user and project:
        raise click.UsageError("Give --user or --project, not both.")
    folder = project or os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    return os.path.abspath(
        os.path.join(folder, ".claude", "settings.json") if project else os.path.join(folder, "settings.json")
    )


def _program() -> str:
    """This very program, by its whole path: a host may know another PATH."""
    called = shutil.which(sys.argv[0]) or ""
    if os.path.basename(called).removesuffix(".exe") == "memoryclaw":
        return shlex.quote(os.path.abspath(called))
    return f"{shlex.quote(sys.executable)} -m memoryclaw"


def _carry_out(context: CliContext, plan: SettingsChange, done: str, host: str, *, dry_run: bool) -> None:
    from memoryclaw.hosts.claude_settings import BACKUP, carry_out

    action = "unchanged" if not plan.changes else f"would be {done}" if dry_run else done
    if not context.json:
        _show(plan)
    if plan.changes and not dry_run:
        carry_out(plan)
    backup = plan.path + BACKUP if plan.backup is not None and not dry_run else ""
    if context.json:
        as_json({"host": host, "action": action, "path": plan.path, "backup": backup})
        return
    say(
        f"{styled(action, bold=True)}: {styled(plan.path)}{f' (the old file is kept as {styled(backup)})' if backup else ''}"
    )


def _show(plan: SettingsChange) -> None:
    from difflib import unified_diff

    before, after = ((text or "").splitlines() for text in (plan.before, plan.after))
    for line in unified_diff(before, after, "before", "after", lineterm=""):
        say(click.style(visible(line), fg=_COLOURS.get(line[:1])) if in_colour() else visible(line))
