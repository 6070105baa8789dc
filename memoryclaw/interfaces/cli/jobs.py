"""`fleet work` and `fleet jobs`: the nightly work of a fleet."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from memoryclaw.interfaces.cli.fleet import INDEX, answered, fleet, fleet_of, listed
from memoryclaw.interfaces.cli.printing import as_json, remark, say, styled
from memoryclaw.interfaces.cli.verbs import TEXT, CliContext, flag, option

if TYPE_CHECKING:
    from memoryclaw.config import Config
    from memoryclaw.fleet.jobs import Jobs


@fleet.command("work", examples=["fleet work", "fleet work --concurrency 8", "fleet work --once"])
@option("--concurrency", "N", "Vaults at a time.", type=click.IntRange(1, 256), default=4, show_default=True)
@flag("--once", "End when nothing waits, for cron.")
@INDEX
def work(context: CliContext, *, concurrency: int, once: bool, url: str | None) -> int:
    """Consolidate the vaults of a fleet, each once a night.

    Any number of workers share the work, on any machine that reaches the server and the nodes. Ends with Ctrl-C or SIGTERM, after
    what it has begun.
    """
    from memoryclaw.fleet.jobs import Worker  # `--help` needs no server

    config, jobs = _jobs(url)

    def tell(sentence: str) -> None:
        remark(f"memoryclaw: {sentence}")
        sys.stderr.flush()

    if not context.json:
        say(f"working for {styled(str(jobs.server))}")
        sys.stdout.flush()
    worker = Worker(jobs, fleet_of(url), concurrency=concurrency, llm_calls=config.llm_calls, tell=tell)
    return int(bool(worker.run(once=once) and once))


@fleet.group("jobs", default="list", examples=["fleet jobs", "fleet jobs ask ann", "fleet jobs retry 17"])
def jobs() -> None:
    """Show what waits, runs and is dead in the queue of nightly work."""


@jobs.command("list", examples=["fleet jobs list", "fleet jobs list --json"])
@INDEX
def list_(context: CliContext, *, url: str | None) -> None:
    """List the jobs; a dead one has failed so often that a person must look."""
    found = _jobs(url)[1].queued()
    rows = [
        [
            str(one.id),
            one.vault,
            one.state,
            str(one.tries),
            f"{one.next:%H:%M:%S}" if one.next else "-",
            one.error,
        ]
        for one in found
    ]
    shape = {"jobs": [{**one._asdict(), "next": one.next.isoformat() if one.next else ""} for one in found]}
    head = ["job", "vault", "state", "tries", "next", "error"]
    listed(context, shape, head, rows, "Nothing waits, nothing runs, nothing is dead.")


@jobs.command("ask", examples=["fleet jobs ask ann bob"])
@click.argument("names", metavar="VAULT...", type=TEXT, nargs=-1, required=True)
@INDEX
def ask(context: CliContext, names: tuple[str, ...], *, url: str | None) -> None:
    """Have vaults consolidated as soon as it is their turn."""
    made = fleet_of(url)
    for name in names:
        made.vault(name)
    asked = _jobs(url)[1].ask(names)
    if context.json:
        as_json({"asked": asked})
        return
    for name in names:
        say(f"{styled(name)} {'waits for its turn' if name in asked else 'was waiting already'}.")


@jobs.command("retry", examples=["fleet jobs retry 17"])
@click.argument("id_", metavar="JOB", type=click.IntRange(1))
@INDEX
def retry(context: CliContext, id_: int, *, url: str | None) -> None:
    """Have a dead job tried again."""
    name = _jobs(url)[1].retry(id_)
    answered(context, {"retried": id_, "vault": name}, f"{styled(name)} waits for its turn.")


def _jobs(url: str | None) -> tuple[Config, Jobs]:
    """The user's own settings, and the queue."""
    from memoryclaw import config as settings
    from memoryclaw.fleet.jobs import Jobs, night
    from memoryclaw.index.postgres import Postgres

    config = settings.load(settings.own_folder(os.environ))
    server = Postgres(config.jobs_url) if config.jobs_url and not url else fleet_of(url).server
    made = Jobs(server, night=night(config.night))
    made.migrate()
    return config, made
