"""`hook install` and `hook uninstall`: MemoryClaw in hosts that run a command at a prompt and after an answer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from memoryclaw import rooms
from memoryclaw.connect import CLAUDE_CODE, HOSTS
from memoryclaw.interfaces.cli.connecting import agreed_to
from memoryclaw.interfaces.cli.printing import say, styled
from memoryclaw.interfaces.cli.verbs import DRY_RUN, YES, CliContext, flag, group, option

if TYPE_CHECKING:
    from collections.abc import Callable


_HOST_OPTION = option(
    "--host", "HOST", f"The form of the answer: {' or '.join(HOSTS)}.", default=CLAUDE_CODE, show_default=True
)


@group(
    "init\nhook install claude-code --dry-run",
    "hook install claude-code --project .",
    'hook pre --host plain <<< \'{"prompt": "When is the boathouse due?"}\'',
    "hook uninstall claude-code",
    default="pre",
)
def hook() -> None:
    """Give memory to hosts with shell hooks: a context before a prompt, turns kept afterwards.

    `pre`, the default, and `post` read JSON, answer JSON, and always exit with 0.
    """


@hook.verb('init\nhook pre --host plain <<< \'{"prompt": "tea"}\'', "hook pre < prompt.json")
@_HOST_OPTION
def pre(context: CliContext, host: str) -> None:
    """Answer a prompt on standard input with a context. It takes a second at most."""
    _hooked(context, "pre", host)


@hook.verb(
    'init\nhook post --host plain <<< \'{"session": "monday", "prompt": "Which tea?", "answer": "Oolong."}\'',
    "hook post < stop.json",
)
@_HOST_OPTION
def post(context: CliContext, host: str) -> None:
    """Keep what is new in the host's transcript or on standard input. Writes latest.md when a session ends."""
    _hooked(context, "post", host)


def _into(verb: Callable[..., None]) -> Callable[..., None]:
    """The arguments of `install` and `uninstall`."""
    for parameter in (
        YES,
        DRY_RUN,
        option("--project", "DIR", "The settings of one project: DIR/.claude/settings.json.", type=click.Path(file_okay=False)),
        flag("--user", "Your own settings, ~/.claude/settings.json; the default."),
        click.argument("host", metavar="claude-code", type=click.Choice([CLAUDE_CODE])),
    ):  # fmt: skip
        verb = parameter(verb)
    return verb


@hook.verb("init\nhook install claude-code --dry-run", "hook install claude-code --project ~/site")
@_into
def install(context: CliContext, /, *, host: str, user: bool, project: str | None, **how: bool) -> None:
    """Add MemoryClaw's hooks to a host's settings. Shows what changes, keeps a backup, and touches nothing else."""
    with context.app(quiet=True) as app:
        root = os.fspath(app.root)
    command = rooms.connecting.hook_command(rooms.connecting.lasting_command(), root)
    plan = rooms.settings_file.plan_install(_settings(user, project), rooms.claude_code.HOOKS, command)
    _carry_out(context, plan, "installed", host, **how)


@hook.verb("init\nhook uninstall claude-code", "hook uninstall claude-code --project ~/site")
@_into
def uninstall(context: CliContext, /, *, host: str, user: bool, project: str | None, **how: bool) -> None:
    """Remove MemoryClaw's hooks from a host's settings. Nothing else changes."""
    plan = rooms.settings_file.plan_uninstall(_settings(user, project), rooms.claude_code.HOOKS)
    _carry_out(context, plan, "uninstalled", host, **how)


def _hooked(context: CliContext, verb: str, host: str) -> None:
    from memoryclaw.interfaces.cli.hook_fast_path import hook as run

    run([verb, "--host", host, *(["--vault", context.vault] if context.vault else [])])


def _settings(user: bool, project: str | None) -> str:
    if user and project:
        raise click.UsageError("Give --user or --project, not both.")
    if project:
        return os.path.abspath(os.path.join(project, ".claude", "settings.json"))
    files = rooms.table.BY_NAME[CLAUDE_CODE].files
    [places] = [file.places for file in files if file.editor is rooms.claude_code.HOOKS]
    return rooms.connecting.path_of(places)


def _carry_out(
    context: CliContext, plan: rooms.settings_file.SettingsChange, done: str, host: str, **how: bool
) -> None:
    dry_run = how["dry_run"]
    action = "unchanged" if not plan.changes else f"would be {done}" if dry_run else done
    diffs = {plan.path: plan.diff} if plan.changes else {}
    # Where nobody can be asked, whoever called it has said so.
    may_write = agreed_to(context, diffs, **how, alone=True)
    if may_write is None:
        return
    if may_write and plan.changes:
        rooms.settings_file.carry_out(plan)
    backup = plan.path + rooms.settings_file.BACKUP if plan.backup is not None and not dry_run else ""
    if context.printed(dict, host=host, action=action, path=plan.path, backup=backup):
        return
    before = f" (the old file is kept as {styled(backup)})" if backup else ""
    say(f"{styled(action, bold=True)}: {styled(plan.path)}{before}")
