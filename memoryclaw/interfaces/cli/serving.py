"""`serve`, `mcp` and `watch`: processes that run until they are told to stop."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import click

from memoryclaw.errors import InputError
from memoryclaw.interfaces import http
from memoryclaw.interfaces import mcp as mcp_server
from memoryclaw.interfaces.cli.printing import padded, plural, remark, say, styled
from memoryclaw.interfaces.cli.streams import is_heard
from memoryclaw.interfaces.cli.verbs import TEXT, CliContext, verb

if TYPE_CHECKING:
    from memoryclaw.app.daemon import Daemon
    from memoryclaw.index.watching import WatchReport


@verb(
    examples=[
        "serve",
        "serve --port 0 --json",
        "serve --vault ~/notes --host 192.168.1.5 --allow-remote",
        "serve --stop",
    ]
)
@click.option("--host", metavar="HOST", type=TEXT, help="Address to listen on; else as in the settings.")
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    help="Port; 0 for any free one; else as in the settings.",
)
@click.option("--allow-remote", is_flag=True, help="Accept other machines; they need the token too.")
@click.option(
    "--after",
    metavar="HOURS",
    type=click.IntRange(min=0),
    default=0,
    help="Leave new lines to your agent for so many hours before consolidating them; see `consolidate --ask`.",
)
@click.option("--stop", is_flag=True, help="Stop the daemon of this vault.")
@click.pass_obj
def serve(
    context: CliContext, *, host: str | None, port: int | None, allow_remote: bool, after: int, stop: bool
) -> None:
    """Serve the vault over HTTP, watch its files and consolidate on time.

    One daemon per vault. It listens on this machine only; programs find its address and its token in the state folder
    of the vault. Ends with Ctrl-C or `serve --stop`. With --json it prints one line when it is ready.
    """
    if stop:
        _stop(context)
        return
    if gone := http.missing():
        raise InputError(f"serving needs {' and '.join(gone)}: pip install 'memoryclaw[serve]'")
    from memoryclaw.app.daemon import Daemon  # noqa: PLC0415 - `--help` needs no daemon
    from memoryclaw.interfaces.cli import exit_codes  # noqa: PLC0415

    with context.app() as app:
        root = app.root
    daemon = Daemon(root, _log, after=after)
    config = daemon.config
    host = config.host if host is None else host

    def report(error: Exception) -> str:
        return exit_codes.report_bug(error, context)

    told = http.serve(
        daemon,
        http.listening(host, config.port if port is None else port, allow_remote=allow_remote),
        host,
        ready=lambda address: _ready(context, daemon, address),
        report=report,
        mounted=lambda apps: {} if mcp_server.missing() else {"/mcp": mcp_server.asgi(apps, report)},
    )
    if daemon.failure:
        raise daemon.failure
    if told == signal.SIGINT:
        raise KeyboardInterrupt


def _stop(context: CliContext) -> None:
    from memoryclaw.app.daemon import end_daemon  # noqa: PLC0415 - as above

    with context.app() as app:
        pid = end_daemon(app.root)
    if context.json:
        say(json.dumps({"stopped": pid or None}))
    else:
        say(f"stopped process {pid}" if pid else "no daemon serves this vault")


def _ready(context: CliContext, daemon: Daemon, address: dict[str, Any]) -> None:
    gc.freeze()  # what is loaded by now stays, and need not be looked through again and again
    if context.json:
        say(json.dumps({**address, "vault": os.fspath(daemon.root)}))
    else:
        say(f"serving {styled(os.fspath(daemon.root))} at {address['url']} (process {address['pid']})")
    sys.stdout.flush()


def _log(sentence: str) -> None:
    remark(f"memoryclaw: {sentence}")
    sys.stderr.flush()


# `mcp`: a server that a host starts and speaks the Model Context Protocol with.


@verb(examples=["mcp", "mcp --vault ~/notes"])
@click.pass_obj
def mcp(context: CliContext) -> None:
    """Serve the vault over MCP, on standard input and output.

    Hosts start it themselves. If the vault cannot be opened, the answer to each call says so, and the next call tries
    again.
    """
    if mcp_server.missing():
        raise InputError("this needs the MCP SDK: pip install 'memoryclaw[mcp]'")
    from memoryclaw.app import open_vault  # noqa: PLC0415 - `--help` needs no vault
    from memoryclaw.interfaces.cli import exit_codes  # noqa: PLC0415

    mcp_server.stdio(lambda: open_vault(context.vault), lambda error: exit_codes.report_bug(error, context))


# `watch`: follows the files, and reports each step in a line.

_WATCH_COLOURS = {"problem": "red", "overflow": "yellow", "polling": "yellow", "started": "green"}


@verb(examples=["watch", "watch --vault ~/notes --json"])
@click.pass_obj
def watch(context: CliContext) -> None:
    """Update the index as files are edited.

    Ends with Ctrl-C. With --json each report is one line: kind, text, files and ms.
    """
    from memoryclaw.index.watching import watch_until_stopped  # noqa: PLC0415 - `--help` needs no watcher

    with context.app() as app:
        told = watch_until_stopped(app.watching(_tell_report_json if context.json else _tell_report))
    if told == signal.SIGINT:
        raise KeyboardInterrupt


def _tell_report(report: WatchReport) -> None:
    cost = f" ({plural(report.files, 'file')} in {report.ms:.0f} ms)" if report.files else ""
    say(f"{padded(report.kind, 9, fg=_WATCH_COLOURS.get(report.kind))}{styled(report.text)}{cost}")
    _heard()


def _tell_report_json(report: WatchReport) -> None:
    click.echo(json.dumps(report._asdict()))
    _heard()


def _heard() -> None:
    """A watch is its reports: nobody ends one that nobody reads."""
    if not is_heard():
        raise BrokenPipeError
