"""`serve`, `ui`, `mcp` and `sync --watch`: processes that run until they are told to stop."""

from __future__ import annotations

import gc
import json
import os
import signal
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from memoryclaw import rooms
from memoryclaw.errors import InputError
from memoryclaw.interfaces import http
from memoryclaw.interfaces import mcp as mcp_server
from memoryclaw.interfaces import ui as page
from memoryclaw.interfaces.cli.printing import padded, plural, remark, say, styled
from memoryclaw.interfaces.cli.streams import is_heard
from memoryclaw.interfaces.cli.verbs import CliContext, flag, option, verb
from memoryclaw.model import AGENT, OWNER

# What each extra brings, by module, as people call it.
_NEEDS = {
    "serve": {"starlette": "starlette", "uvicorn": "uvicorn"},
    "mcp": {"mcp": "the MCP SDK"},
    "ui": {"starlette": "starlette", "uvicorn": "uvicorn", "markdown_it": "markdown-it-py", "nh3": "nh3"},
}


def _missing(extra: str) -> str:
    return " and ".join(name for module, name in _NEEDS[extra].items() if find_spec(module) is None)


def _must_have(extra: str, what: str) -> None:
    if packages := _missing(extra):
        raise InputError(f"{what} needs {packages}: pip install 'memoryclaw[{extra}]'")


@verb(
    "init\nserve --port 0",
    "serve --port 0 --json",
    "serve --vault ~/notes --host 192.168.1.5 --allow-remote",
    "serve --stop",
)
@option("--host", "HOST", "The address to listen on; by default as in the settings.", default=None)
@option(
    "--port",
    "N",
    "The port; 0 for any free one; by default as in the settings.",
    type=click.IntRange(0, 65535),
)
@flag("--any-port", "Take any free port if that one is taken.")
@flag("--allow-remote", "Accept other machines; they need the token too.")
@option(
    "--after",
    "HOURS",
    "Leave new lines to your agent for this many hours; see `consolidate --ask`.",
    type=click.IntRange(min=0),
    default=0,
)
@flag("--stop", "Stop the daemon of this vault.")
def serve(
    context: CliContext,
    *,
    host: str | None,
    port: int | None,
    any_port: bool,
    allow_remote: bool,
    after: int,
    stop: bool,
) -> None:
    """Serve the vault over HTTP, watch its files and consolidate when it is due.

    A vault has one daemon. It listens on this machine only. Stop it with Ctrl-C or `serve --stop`.
    """
    if stop:
        with context.app() as app:
            pid = rooms.client.stop(Path(rooms.state_folder.state_folder(app.root)))
        stopped = f"stopped process {pid}" if pid else "no daemon serves this vault"
        say(json.dumps({"stopped": pid or None}) if context.json else stopped)
        return
    _must_have("serve", "serving")
    from memoryclaw.app import open_vault, system_clock
    from memoryclaw.interfaces.cli import exit_codes

    with context.app() as app:
        root = app.root
    opening = partial(open_vault, root, patience=rooms.daemon.OWN)

    def tell(sentence: str) -> None:
        remark(f"memoryclaw: {sentence}")

    daemon = rooms.daemon.Daemon(root, opening, tell, system_clock, after=after)
    config = daemon.config
    host = config.host if host is None else host
    report = partial(exit_codes.report_bug, context=context)
    try:
        listener = http.listening(host, config.port if port is None else port, allow_remote=allow_remote)
    except InputError:
        if not any_port:
            raise
        listener = http.listening(host, 0, allow_remote=allow_remote)

    def ready(address: dict[str, Any]) -> None:
        plan = daemon.schedule.plan()
        gc.freeze()  # what is loaded by now stays, and need not be looked through again and again
        if context.json:
            say(json.dumps({**address, "vault": os.fspath(daemon.root), "consolidation": plan}))
        else:
            say(f"serving {styled(os.fspath(daemon.root))} at {address['url']} (process {address['pid']})")
            say(_planned(plan))

    mounted = partial(_guests, report, None if allow_remote else daemon)
    ended_by = http.serve(daemon, listener, host, ready=ready, report=report, mounted=mounted)
    if daemon.failure:
        raise daemon.failure
    if ended_by == signal.SIGINT:
        raise KeyboardInterrupt


@verb("init\nui --no-open", "ui --no-open", "ui --vault ~/notes --plain-host")
@flag("--no-open", "Only print the address, for another browser or for `ssh -L`.")
@flag(
    "--plain-host",
    "Use 127.0.0.1, for a browser that cannot resolve *.localhost; programs on other ports may then receive the page's cookie.",
)
def ui(context: CliContext, *, no_open: bool, plain_host: bool) -> None:
    """Open the page where you see and correct what your agent remembers.

    Starts the daemon if none is running. The address that it prints works once, within a minute.
    """
    _must_have("ui", "the page")
    if context.caller() != OWNER:
        raise InputError("the page is for the owner; call it without --audience")
    root = rooms.client.root_of(context.vault)
    request = {"plain_host": plain_host}
    ticket = rooms.client.ask_daemon(root, "POST", page.TICKETS, request, audience=OWNER)
    if ticket is None:
        if pid := rooms.state_folder.watcher(rooms.state_folder.state_folder(root))[0]:
            sentence = f"process {pid} watches this vault but serves no page, or has another MEMORYCLAW_NOW"
            raise InputError(f"{sentence}; end it (`memoryclaw serve --stop`), then try again")
        with context.app() as app:
            root = os.fspath(app.root)
        ticket = rooms.processes.first_answer(root, "POST", page.TICKETS, request, audience=OWNER)
    if context.json:
        say(json.dumps(ticket))
    else:
        say(ticket["url"])
        remark(_planned(ticket["consolidation"]))
    if not no_open:
        import webbrowser

        if not webbrowser.open(ticket["url"]):
            remark("no browser could be opened; open the address above yourself, within a minute")


def _guests(
    report: Callable[[Exception], str], daemon: rooms.daemon.Daemon | None, apps: Any
) -> dict[str, Any]:
    """What is mounted beside the verbs; the page, which is for this machine's own browser, where its daemon is given."""
    guests: dict[str, Any] = {}
    if not _missing("mcp"):
        guests["/mcp"] = mcp_server.Mounted(apps, report)
    if daemon is not None and not _missing("ui"):
        site = page.Site(apps, report, daemon)
        guests |= {page.PAGE: site, page.TICKETS: page.TicketOffice(site, apps, daemon.schedule.plan)}
    return guests


def _planned(plan: Mapping[str, Any]) -> str:
    """When new turns become memory, in the time of this machine."""
    moment = datetime.fromisoformat(plan["next"]).astimezone()
    return f"New turns are consolidated from {moment:%H:%M} on, every {plural(plan['interval'], 'minute')}; `memoryclaw consolidate` does it now."


# `mcp`: a server that a host starts and speaks the Model Context Protocol with.


@verb("init\nmcp", "mcp --vault ~/notes")
def mcp(context: CliContext) -> None:
    """Serve the vault over MCP, on standard input and output.

    Hosts start it themselves. It answers for the agent, unless --audience names another.
    """
    _must_have("mcp", "this")
    from memoryclaw.app import open_vault  # `--help` needs no vault
    from memoryclaw.interfaces.cli import exit_codes

    opening = partial(open_vault, context.vault, audience=context.caller(AGENT), listening=True)
    mcp_server.run(opening, partial(exit_codes.report_bug, context=context))


# `sync --watch`: follows the files, and reports each step in a line.

_WATCH_COLOURS = {"problem": "red", "overflow": "yellow", "polling": "yellow", "started": "green"}


def watch_files(context: CliContext) -> None:
    """Updates the index as files are edited, until Ctrl-C."""
    with context.app() as app:
        ended = rooms.watching.watch_until_stopped(app.watching(partial(_tell_report, context)))
    if ended == signal.SIGINT:
        raise KeyboardInterrupt


def _tell_report(context: CliContext, report: rooms.watching.WatchReport) -> None:
    if context.json:
        click.echo(json.dumps(report._asdict()))
    else:
        cost = f" ({plural(report.files, 'file')} in {report.ms:.0f} ms)" if report.files else ""
        say(f"{padded(report.kind, 9, fg=_WATCH_COLOURS.get(report.kind))}{styled(report.text)}{cost}")
    if not is_heard():  # a watch is its reports: nobody ends one that nobody reads
        raise BrokenPipeError
