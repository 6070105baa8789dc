"""`watch`: follows the files until it is told to stop, and says in a line what it does."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import click

from memoryclaw.doors.cli.printing import padded, plural, say, styled
from memoryclaw.doors.cli.said import Said
from memoryclaw.doors.cli.streams import is_heard
from memoryclaw.doors.cli.verbs import verb

if TYPE_CHECKING:
    from memoryclaw.jobs.watching import Report

_COLOURS = {"problem": "red", "overflow": "yellow", "polling": "yellow", "started": "green"}


@verb(examples=["watch", "watch --vault ~/notes --json"])
@click.pass_obj
def watch(said: Said) -> None:
    """Keep the index in line with the files as they are edited.

    Ends with Ctrl-C. With --json each report is one line: kind, text, files and ms.
    """
    from memoryclaw.jobs.watching import watch_until_told  # noqa: PLC0415 - `--help` needs no watcher

    with said.app() as app:
        told = watch_until_told(app.watching(_tell_json if said.json else _tell))
    if told == signal.SIGINT:
        raise KeyboardInterrupt


def _tell(report: Report) -> None:
    cost = f" ({plural(report.files, 'file')} in {report.ms:.0f} ms)" if report.files else ""
    say(f"{padded(report.kind, 9, fg=_COLOURS.get(report.kind))}{styled(report.text)}{cost}")
    _heard()


def _tell_json(report: Report) -> None:
    click.echo(json.dumps(report._asdict()))
    _heard()


def _heard() -> None:
    """A watch is its reports: nobody ends one that nobody reads."""
    if not is_heard():
        raise BrokenPipeError
