"""`openclaw`: lets OpenClaw remember with this vault, and imports its old notes."""

from __future__ import annotations

import sys

import click

from memoryclaw import rooms
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.connecting import agreed_to
from memoryclaw.interfaces.cli.printing import padded, plural, remark, say, styled
from memoryclaw.interfaces.cli.tables import flow
from memoryclaw.interfaces.cli.verbs import DRY_RUN, TEXT, YES, CliContext, group, option

_config = option(
    "--config",
    "FILE",
    "OpenClaw's configuration; by default $OPENCLAW_CONFIG_PATH, else openclaw.json in $OPENCLAW_STATE_DIR or ~/.openclaw.",
)


@group(
    "openclaw status", "openclaw install", "openclaw import --dry-run", "openclaw uninstall", default="status"
)
def openclaw() -> None:
    """Use this vault as the memory of OpenClaw.

    `install` shows what it would write into OpenClaw's configuration and asks first; `uninstall` removes exactly that.
    Without a command it shows the status.
    """


@openclaw.verb("openclaw install", "openclaw install --vault ~/notes --yes")
@_config
@YES
@DRY_RUN
def install(context: CliContext, *, config: str, yes: bool, dry_run: bool) -> None:
    """Give OpenClaw's memory slot to this vault.

    Adds the permission that it needs. Shows the change first and keeps a copy of the file. Without a terminal,
    nothing is written without --yes.
    """
    with context.app() as app:
        setup = app.openclaw.setup(config)
    rooms.connecting.lasting_command()
    _carry_out(context, setup, "install", yes=yes, dry_run=dry_run)


@openclaw.verb("openclaw uninstall", "openclaw uninstall --yes --json")
@_config
@YES
@DRY_RUN
def uninstall(context: CliContext, *, config: str, yes: bool, dry_run: bool) -> None:
    """Take back what `install` wrote; what was there before returns."""
    from memoryclaw.app.openclaw import openclaw_setup  # `--help` needs no app

    setup = openclaw_setup(rooms.client.root_of(context.vault), config)
    _carry_out(context, setup, "uninstall", yes=yes, dry_run=dry_run)


@openclaw.verb("openclaw status", "openclaw status --json")
@_config
def status(context: CliContext, config: str) -> None:
    """Check each requirement, and name the command that fixes it."""
    from memoryclaw.app.openclaw import openclaw_status  # `--help` needs no app

    setup_status = openclaw_status(rooms.client.root_of(context.vault), config)
    if context.printed(shapes.openclaw_status, setup_status):
        return
    for check in setup_status.checks:
        mark = styled("ok  ", fg="green") if check.ok else styled("fix ", fg="yellow")
        advice = f"; {check.advice}" if check.advice else ""
        flow(f"{check.detail}{advice}", indent=17, lead=f"{mark} {padded(check.name, 12, bold=True)}")


@openclaw.verb(
    "init\nopenclaw import . --dry-run", "openclaw import ~/.openclaw/workspace --yes", name="import"
)
@click.argument("workspace", metavar="[FOLDER]", required=False, default="", type=TEXT)
@_config
@DRY_RUN
@YES
def import_(context: CliContext, workspace: str, config: str, *, dry_run: bool, yes: bool) -> None:
    """Propose what OpenClaw kept as memories; you decide in `review`.

    It reads MEMORY.md, USER.md and memory/. Without FOLDER it takes the workspace that OpenClaw's configuration names.
    """
    with context.app("importing from OpenClaw") as app:
        if not (dry_run or yes or context.json) and sys.stdin.isatty():
            planned = app.openclaw.import_notes(workspace, config=config, dry_run=True)
            if planned.proposed:
                _tell_import(planned)
                if not click.confirm("Propose this?"):
                    say("Nothing was written.")
                    return
        report = app.openclaw.import_notes(workspace, config=config, dry_run=dry_run)
    if not context.printed(shapes.plain, report):
        _tell_import(report)


def _tell_import(report: rooms.openclaw_notes.ImportReport) -> None:
    for item in report.proposed:
        say(f"{padded(item.kind, 8, bold=True)} {styled(item.what)}  {styled(item.source, dim=True)}")
    verb = "would wait" if report.dry_run else "wait" if len(report.proposed) != 1 else "waits"
    known_already = f"; {plural(report.known, 'thing')} known already" if report.known else ""
    say(f"{plural(len(report.proposed), 'proposal')} {verb} for your decision{known_already}.")
    if report.proposed and not report.dry_run:
        say("`memoryclaw review` shows them.")
    remark(*report.notices)


def _carry_out(context: CliContext, setup: rooms.openclaw_setup.Setup, verb: str, **how: bool) -> None:
    """Shows the change, asks, and makes it; where nobody can be asked, it is only shown."""
    planned = setup.plan_install() if verb == "install" else setup.plan_uninstall()
    may_write = agreed_to(context, {setup.path: planned.diff} if planned.changes else {}, **how, alone=False)
    if may_write is None:
        return
    notice = f"nothing was written; `memoryclaw openclaw {verb} --yes` writes it"
    would = rooms.openclaw_setup.Changed(f"would {verb}", setup.path, planned.diff, notices=(notice,))
    done = setup.do(verb, planned) if may_write else would
    if context.printed(shapes.plain, done):
        return
    say(f"{styled(done.action, bold=True)}: {styled(done.config)}")
    if done.backup:
        remark(f"the file as it was: {done.backup}")
    remark(*done.notices)
