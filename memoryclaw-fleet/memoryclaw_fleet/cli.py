"""`fleet`: many vaults on one PostgreSQL server."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from memoryclaw.errors import InputError
from memoryclaw.interfaces import http
from memoryclaw.interfaces.cli.printing import plural, remark, say, styled
from memoryclaw.interfaces.cli.tables import table
from memoryclaw.interfaces.cli.verbs import TEXT, CliContext, agreed, flag, group, option
from memoryclaw_fleet import rooms

_SECONDS = 60.0  # that a command waits for a node to do its part
INDEX = option(
    "--index",
    "URL",
    "The PostgreSQL server; else `index.url` in your own settings, or $MEMORYCLAW_INDEX_URL.",
    name="url",
    default=None,
)


def fleet_of(url: str | None, *, most: int | None = None, migrate: bool = True) -> rooms.store.Fleet:
    """The fleet on the server that was named, or that the user's own settings name.

    Raises:
        InputError: nobody names one.
    """
    own = rooms.settings.FleetSettings.own()
    if not (named := url or own.url):
        raise InputError(
            "name the server with --index postgresql://user@host/database, or set index.url in your own settings or MEMORYCLAW_INDEX_URL"
        )
    made = rooms.store.Fleet(
        rooms.postgres.server_of(named, prepared=own.prepared, most=most or own.connections)
    )
    if migrate:
        made.migrate()
    return made


@group(
    "fleet migrate",
    "fleet add ann --remote git@git.example.org:memory/ann.git",
    "fleet list",
    "fleet move ann node-2",
    "fleet check",
    default="list",
)
def fleet() -> None:
    """Keep many vaults on one PostgreSQL server: where each is at home, and whether all is well."""


@fleet.verb("fleet list", "fleet list --node node-1", name="list")
@option("--node", "NAME", "Only the vaults of this node.")
@INDEX
def list_(context: CliContext, *, node: str, url: str | None) -> None:
    """List the vaults with their homes."""
    vaults = rooms.commands.list_vaults(fleet_of(url), node)
    rows = [
        [
            vault.name,
            f"{vault.node or '-'}{'' if vault.is_up else ' (down)'}",
            str(vault.fence),
            vault.head[:12] or "-",
            vault.synced or "never",
            vault.notice,
        ]
        for vault in vaults
    ]
    nothing = "There are no vaults; `memoryclaw fleet add NAME --remote ADDRESS` makes one known."
    head = ["vault", "home", "fence", "commit", "indexed", "notice"]
    listed(context, {"vaults": [vault._asdict() for vault in vaults]}, head, rows, nothing)


@fleet.verb("fleet nodes", name="nodes")
@INDEX
def nodes(context: CliContext, *, url: str | None) -> None:
    """List the nodes."""
    members = fleet_of(url).nodes()
    nodes = [
        {"name": node.name, "address": node.address, "up": node.is_up, "until": iso(node.until)}
        for node in members
    ]
    rows = [
        [node.name, node.address, "up" if node.is_up else f"silent since {node.until:%Y-%m-%d %H:%M:%S}"]
        for node in members
    ]
    nothing = "There are no nodes; `memoryclaw fleet serve DIR` starts one."
    listed(context, {"nodes": nodes}, ["node", "address", "state"], rows, nothing)


@fleet.verb("fleet migrate --index postgresql://memoryclaw_owner@db/memoryclaw", name="migrate")
@INDEX
def migrate(context: CliContext, *, url: str | None) -> None:
    """Make the tables, or bring them to this version; the owner of the schema does this."""
    made = fleet_of(url, migrate=False)
    made.server.migrate("index", rooms.postgres_index.STEPS)
    rooms.jobs.Jobs(made.server).migrate()
    server = str(made.server)
    answered(context, {"server": server}, f"The tables at {styled(server)} are those of this version.")


@fleet.verb(
    "fleet add ann --remote git@git.example.org:memory/ann.git",
    "fleet add bob --remote /srv/git/bob.git --node node-2",
    name="add",
)
@click.argument("name", metavar="VAULT", type=TEXT)
@option("--remote", "ADDRESS", "Its git remote: an empty repository, or one that holds a vault.")
@option("--node", "NAME", "Its first home; else any node.")
@flag("--no-wait", "Do not wait until it is at home.")
@INDEX
def add(context: CliContext, name: str, *, remote: str, node: str, no_wait: bool, url: str | None) -> None:
    """Make a vault known; a node clones it, or begins a new one."""
    done = rooms.commands.add(fleet_of(url), name, remote, node=node, seconds=0 if no_wait else _SECONDS)
    answered(
        context,
        done._asdict(),
        f"{styled(done.name)} is at home on {done.node}."
        if done.node
        else f"{styled(done.name)} waits for a node.",
    )
    remark(done.notice)


@fleet.verb("fleet move ann node-2", name="move")
@click.argument("name", metavar="VAULT", type=TEXT)
@click.argument("node", metavar="NODE", type=TEXT)
@INDEX
def move(context: CliContext, name: str, node: str, *, url: str | None) -> None:
    """Give a vault another home, while it answers."""
    done = rooms.commands.move(fleet_of(url), name, node, seconds=_SECONDS)
    answered(context, done._asdict(), f"{styled(done.name)} is at home on {done.node}.")


@fleet.verb("fleet drop ann --yes", name="drop")
@click.argument("name", metavar="VAULT", type=TEXT)
@flag("--yes", "Do not ask first.")
@INDEX
def drop(context: CliContext, name: str, *, yes: bool, url: str | None) -> None:
    """Forget a vault, its tokens and its index; its files and its remote stay."""
    made = fleet_of(url)
    made.vault(name)
    if not agreed(context, f"Drop {name}, with its tokens and its index?", yes=yes):
        say("Nothing was dropped.")
        return
    rooms.commands.drop(made, name)
    answered(context, {"dropped": name}, f"{styled(name)} is dropped; its files and its remote stay.")


@fleet.verb("fleet limit ann --notes 10000 --bytes 100000000 --requests 600", "fleet limit ann", name="limit")
@click.argument("name", metavar="VAULT", type=TEXT)
@option("--notes", "N", "Notes that it may hold.", type=click.IntRange(0))
@option("--bytes", "N", "Bytes that its files may take.", name="size", type=click.IntRange(0))
@option("--requests", "N", "Requests a minute.", type=click.IntRange(1))
@INDEX
def limit(
    context: CliContext,
    name: str,
    *,
    notes: int | None,
    size: int | None,
    requests: int | None,
    url: str | None,
) -> None:
    """Set the quotas of a vault; what is not given has no limit."""
    fleet_of(url).limit(name, notes=notes, size=size, requests=requests)
    limits = {"vault": name, "notes": notes, "bytes": size, "requests": requests}
    shown = ", ".join(f"{value:,} {what}" for what, value in limits.items() if isinstance(value, int))
    answered(
        context,
        limits,
        f"{styled(name)} may have {shown}{' a minute' if requests is not None else ''}."
        if shown
        else f"{styled(name)} has no limits.",
    )


@fleet.verb("fleet check", "fleet check ann --folder /srv/vaults", name="check")
@click.argument("name", metavar="[VAULT]", type=TEXT, default="")
@option(
    "--folder",
    "DIR",
    "The folder of a node: its vaults are compared with their files, too.",
    type=click.Path(file_okay=False, path_type=Path, resolve_path=True),
)
@INDEX
def check(context: CliContext, name: str, *, folder: Path | None, url: str | None) -> int:
    """Compare files, index, remote and lease of one vault, or of all; exits with 1 where they differ."""
    differences = rooms.commands.check(fleet_of(url), name, folder=folder)
    wrong = sum(difference.is_wrong for difference in differences)
    if not context.printed(
        dict, differences=[difference._asdict() for difference in differences], wrong=wrong
    ):
        for difference in differences:
            say(
                f"{styled(difference.vault, fg='red' if difference.is_wrong else 'yellow') + ': ' if difference.vault else ''}{difference.what}"
            )
        say(f"{plural(wrong, 'difference')}." if wrong else "Files, index, remotes and leases agree.")
    return int(bool(wrong))


# Tokens.


@fleet.part(
    "fleet tokens make ann agent --note laptop",
    "fleet tokens list ann",
    "fleet tokens revoke ann 1a2b3c4d",
    default="list",
    takes=True,
)
def tokens() -> None:
    """Make, list and revoke the tokens of a vault."""


@tokens.verb("fleet tokens list ann", name="list")
@click.argument("name", metavar="VAULT", type=TEXT)
@INDEX
def list_tokens(context: CliContext, name: str, *, url: str | None) -> None:
    """List the tokens of a vault; the tokens themselves are kept nowhere."""
    made = fleet_of(url)
    made.vault(name)
    issued = made.tokens(name)
    tokens = [{**token._asdict(), "made": iso(token.made), "until": iso(token.until)} for token in issued]
    rows = [
        [
            token.id,
            token.audience,
            f"{token.made:%Y-%m-%d}",
            f"{token.until:%Y-%m-%d}" if token.until else "-",
            token.note,
        ]
        for token in issued
    ]
    nothing = f"{styled(name)} has no tokens; `memoryclaw fleet tokens make {name} agent` makes one."
    listed(context, {"tokens": tokens}, ["id", "audience", "made", "until", "note"], rows, nothing)


@tokens.verb(
    "fleet tokens make ann agent", "fleet tokens make ann owner --days 30 --note 'phone of Ann'", name="make"
)
@click.argument("name", metavar="VAULT", type=TEXT)
@click.argument("whom", metavar="AUDIENCE", type=TEXT)
@option("--note", "TEXT", "Who or what it is for.")
@option("--days", "N", "Days for which it lets in; else until it is revoked.", type=click.IntRange(1))
@INDEX
def make(context: CliContext, name: str, whom: str, *, note: str, days: int | None, url: str | None) -> None:
    """Make a token for one vault and one audience, and show it this one time."""
    from memoryclaw.vault.audience import audience_name

    token, kept = fleet_of(url).make_token(name, audience_name(whom), note=note, days=days)
    if context.printed(dict, token=token, id=kept.id, vault=name, audience=kept.audience):
        return
    say(token)
    remark(
        f"this is shown once; {kept.id} is its id, `memoryclaw fleet tokens revoke {name} {kept.id}` ends it"
    )


@tokens.verb("fleet tokens revoke ann 1a2b3c4d", name="revoke")
@click.argument("name", metavar="VAULT", type=TEXT)
@click.argument("id_", metavar="ID", type=TEXT)
@INDEX
def revoke(context: CliContext, name: str, id_: str, *, url: str | None) -> None:
    """End a token at once."""
    fleet_of(url).revoke(name, id_)
    answered(context, {"revoked": id_}, f"{styled(id_)} lets nobody in any more.")


def iso(moment: datetime | None) -> str:
    """A moment as JSON has it; empty for none."""
    return moment.isoformat() if moment else ""


def answered(context: CliContext, shape: Mapping[str, Any], sentence: str) -> None:
    """Prints what was done, in a sentence or as JSON."""
    if not context.printed(dict, shape):
        say(sentence)


def listed(
    context: CliContext, shape: Mapping[str, Any], head: list[str], rows: list[list[str]], nothing: str
) -> None:
    """Prints a table, or what to do where it has no rows; or all of it as JSON."""
    if not context.printed(dict, shape):
        table(head, rows, nothing)


# One node.


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and not (parts.query or parts.fragment or parts.username)
        )
    except ValueError:
        return False


@fleet.verb(
    "fleet serve /srv/vaults --index postgresql://memoryclaw@db/memoryclaw --node node-1", name="serve"
)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path, resolve_path=True))
@option("--host", "HOST", "Address to listen on.", default="127.0.0.1", show_default=True)
@option(
    "--port", "N", "Port; 0 for any free one.", type=click.IntRange(0, 65535), default=7411, show_default=True
)
@flag("--allow-remote", "Accept other machines; they need a token too.")
@INDEX
@option("--replica", "URL", "A replica of the server, to read the vaults of other nodes from.", default=None)
@option("--node", "NAME", "The name of this node; else that of this machine.", default=None)
@option("--address", "URL", "Where the other nodes reach it.", default=None)
@option(
    "--name",
    "HOST",
    "Another name by which clients ask, such as that of a load balancer.",
    name="names",
    multiple=True,
)
@option(
    "--lease",
    "SECONDS",
    "The silence after which others take its vaults over.",
    type=click.FloatRange(1, 3600),
    default=15.0,
    show_default=True,
)
@option(
    "--connections", "N", "Connections to the server at most; 16 by default.", type=click.IntRange(2, 1000)
)
@flag("--proxy", "Pass writes on to the home of a vault, instead of naming it.")
@click.option(
    "--log",
    type=click.Choice(["text", "json"]),
    default="text",
    help="json logs each request, without what it says.",
)
@flag("--open-metrics", "/metrics answers other machines, too.")
def serve(
    context: CliContext,
    folder: Path,
    *,
    host: str,
    port: int,
    allow_remote: bool,
    url: str | None,
    replica: str | None,
    node: str | None,
    address: str | None,
    names: tuple[str, ...],
    lease: float,
    connections: int | None,
    proxy: bool,
    log: str,
    open_metrics: bool,
) -> None:
    """Serve the vaults of a folder over HTTP, as one node of the fleet; memoryclaw-fleet/docs/fleet.md describes it.

    Ends with Ctrl-C or SIGTERM. With --json it prints one line when it is ready.
    """
    made = fleet_of(url, most=connections or 16)
    reads = fleet_of(replica, most=connections or 16) if replica else None
    from memoryclaw.interfaces.cli import exit_codes

    def tell(sentence: str) -> None:
        if log == "json":
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            remark(json.dumps({"time": now, "node": name, "event": sentence}))
        else:
            remark(f"memoryclaw: {sentence}")
        sys.stderr.flush()

    def log_request(fields: Mapping[str, Any]) -> None:
        if log == "json":
            remark(json.dumps(fields))
            sys.stderr.flush()

    if address is None and host in ("0.0.0.0", "::"):  # noqa: S104 - what means every address
        raise InputError(
            f"{host} is every address of this machine; say with --address where others reach this node, as in --address http://10.0.0.7:7411"
        )
    if address is not None and not _is_address(address):
        raise InputError(f"{address!r} cannot be --address; write it as http://HOST:PORT")
    listening = http.listening(host, port, allow_remote=allow_remote)
    name = node or socket.gethostname().split(".")[0].lower()
    place = address or f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"

    def ready(details: dict[str, Any]) -> None:
        gc.freeze()
        say(
            json.dumps(details)
            if context.json
            else f"node {styled(name)} serves {styled(os.fspath(folder))} at {details['url']} (process {details['pid']})"
        )
        sys.stdout.flush()

    settings = rooms.server.NodeSettings(
        rooms.node.FleetNode(folder, name, place, made, tell=tell, lease=lease, replica=reads),
        log_request,
        lambda error: exit_codes.report_bug(error, context),
        proxy,
        open_metrics,
        names,
        readers=max(2, (connections or 16) // 2),
    )
    ended_by = rooms.server.serve(settings, listening, host, ready=ready)
    if ended_by == signal.SIGINT:
        raise KeyboardInterrupt


# Nightly work.


@fleet.verb("fleet work", "fleet work --concurrency 8", "fleet work --once", name="work")
@option("--concurrency", "N", "Vaults at a time.", type=click.IntRange(1, 256), default=4, show_default=True)
@flag("--once", "End when nothing waits, for cron.")
@INDEX
def work(context: CliContext, *, concurrency: int, once: bool, url: str | None) -> int:
    """Consolidate the vaults of a fleet, each once a night.

    Any number of workers share the work, on any machine that reaches the server and the nodes. Ends with Ctrl-C or SIGTERM, after
    what it has begun.
    """
    own, jobs = _jobs(url)

    def tell(sentence: str) -> None:
        remark(f"memoryclaw: {sentence}")
        sys.stderr.flush()

    if not context.json:
        say(f"working for {styled(str(jobs.server))}")
        sys.stdout.flush()
    worker = rooms.jobs.Worker(
        jobs, fleet_of(url), concurrency=concurrency, llm_calls=own.llm_calls, tell=tell
    )
    return int(bool(worker.run(once=once) and once))


@fleet.part("fleet jobs", "fleet jobs ask ann", "fleet jobs retry 17", default="list")
def jobs() -> None:
    """Show what waits, runs and is dead in the queue of nightly work."""


@jobs.verb("fleet jobs list", "fleet jobs list --json", name="list")
@INDEX
def list_jobs(context: CliContext, *, url: str | None) -> None:
    """List the jobs; a dead one has failed so often that a person must look."""
    queue = _jobs(url)[1].queued()
    rows = [
        [
            str(job.id),
            job.vault,
            job.state,
            str(job.tries),
            f"{job.next:%H:%M:%S}" if job.next else "-",
            job.error,
        ]
        for job in queue
    ]
    shape = {"jobs": [{**job._asdict(), "next": iso(job.next)} for job in queue]}
    head = ["job", "vault", "state", "tries", "next", "error"]
    listed(context, shape, head, rows, "Nothing waits, nothing runs, nothing is dead.")


@jobs.verb("fleet jobs ask ann bob", name="ask")
@click.argument("names", metavar="VAULT...", type=TEXT, nargs=-1, required=True)
@INDEX
def ask(context: CliContext, names: tuple[str, ...], *, url: str | None) -> None:
    """Have vaults consolidated as soon as it is their turn."""
    made = fleet_of(url)
    for name in names:
        made.vault(name)
    asked = _jobs(url)[1].ask(names)
    if context.printed(dict, asked=asked):
        return
    for name in names:
        say(f"{styled(name)} {'waits for its turn' if name in asked else 'was waiting already'}.")


@jobs.verb("fleet jobs retry 17", name="retry")
@click.argument("id_", metavar="JOB", type=click.IntRange(1))
@INDEX
def retry(context: CliContext, id_: int, *, url: str | None) -> None:
    """Have a dead job tried again."""
    name = _jobs(url)[1].retry(id_)
    answered(context, {"retried": id_, "vault": name}, f"{styled(name)} waits for its turn.")


def _jobs(url: str | None) -> tuple[rooms.settings.FleetSettings, rooms.jobs.Jobs]:
    """The user's own settings, and the queue."""
    own = rooms.settings.FleetSettings.own()
    server = rooms.postgres.Postgres(own.jobs_url) if own.jobs_url and not url else fleet_of(url).server
    made = rooms.jobs.Jobs(server, night=rooms.jobs.night(own.night))
    made.migrate()
    return own, made
