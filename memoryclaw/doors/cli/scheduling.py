"""`schedule`: a timer of this machine that consolidates on time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoryclaw.doors import scheduleshapes
from memoryclaw.doors.cli.groups import group
from memoryclaw.doors.cli.printing import as_json, padded, remark, say, styled
from memoryclaw.doors.cli.said import Said
from memoryclaw.doors.cli.verbs import TEXT

if TYPE_CHECKING:
    from memoryclaw.jobs.scheduling import Scheduled


@group(default="status", examples=["schedule", "schedule install --at 03:00", "schedule remove"])
def schedule() -> None:
    """Let this machine consolidate by itself, every night.

    A timer calls `consolidate --due`, which does nothing while nothing waits, too little time has passed, or a
    conversation is going on. Without a word more, tells how the timer stands.
    """


@schedule.command(
    examples=[
        "schedule install",
        "schedule install --at 22:30 --using cron",
        "schedule install --every 60 --dry-run",
    ]
)
@click.option("--at", metavar="HH:MM", default="", type=TEXT, help="Time of day; 03:00 when nothing is said.")
@click.option("--every", metavar="MINUTES", type=click.IntRange(min=1), help="Every so many minutes instead.")
@click.option(
    "--using", type=click.Choice(["systemd", "cron"]), help="Which scheduler; else systemd, else cron."
)
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.pass_obj
def install(said: Said, *, at: str, every: int | None, using: str | None, dry_run: bool) -> None:
    """Install the timer, or give it new times."""
    with said.app() as app:
        _tell(said, app.schedule().install(at=at, every=every or 0, using=using or "", dry_run=dry_run))


@schedule.command(examples=["schedule remove"])
@click.pass_obj
def remove(said: Said) -> None:
    """Take the timer away, and nothing else."""
    with said.app() as app:
        _tell(said, app.schedule().remove())


@schedule.command(examples=["schedule status", "schedule status --json"])
@click.pass_obj
def status(said: Said) -> None:
    """Tell how the timer stands, when it runs next, and whether a run is due now."""
    with said.app() as app:
        now = app.schedule().status()
    if said.json:
        as_json(scheduleshapes.standing(now))
        return
    timer = f"{now.by}, {now.times}" if now.installed else "not installed"
    rows = [
        ("timer", timer if now.active or not now.installed else f"{timer}, asleep"),
        ("next run", now.next or "none"),
        ("last run", now.last_run or "none"),
        ("due now", f"{'yes' if now.due else 'no'}: {now.reason}"),
    ]
    for name, text in rows:
        say(f"{padded(name, 10, bold=True)}{styled(text)}")
    for notice in now.notices:
        remark(notice)


def _tell(said: Said, done: Scheduled) -> None:
    if said.json:
        as_json(scheduleshapes.scheduled(done))
        return
    where = (
        f" ({done.by}, {done.times}; next: {done.next})" if done.times else f" ({done.by})" if done.by else ""
    )
    say(f"{styled(done.action, bold=True)}: {styled(done.name + where)}")
    for path, text in done.files if done.action == "would install" else ():
        say()
        say(styled(path, fg="cyan"))
        for line in text.splitlines():
            say(f"    {styled(line)}")
    for notice in done.notices:
        remark(notice)
