"""`schedule`: a timer of this machine that consolidates on time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoryclaw.errors import InputError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.context import CliContext
from memoryclaw.interfaces.cli.printing import as_json, padded, remark, say, styled, table
from memoryclaw.interfaces.cli.verbs import TEXT, group, verb

if TYPE_CHECKING:
    from memoryclaw.daemon.scheduling import Scheduled
    from memoryclaw.recall.evaluate import Evaluated, QuestionResult


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
def install(said: CliContext, *, at: str, every: int | None, using: str | None, dry_run: bool) -> None:
    """Install the timer, or give it new times."""
    with said.app() as app:
        _tell(said, app.schedule.install(at=at, every=every or 0, using=using or "", dry_run=dry_run))


@schedule.command(examples=["schedule remove"])
@click.pass_obj
def remove(said: CliContext) -> None:
    """Take the timer away, and nothing else."""
    with said.app() as app:
        _tell(said, app.schedule.remove())


@schedule.command(examples=["schedule status", "schedule status --json"])
@click.pass_obj
def status(said: CliContext) -> None:
    """Tell how the timer stands, when it runs next, and whether a run is due now."""
    with said.app() as app:
        now = app.schedule.status()
    if said.json:
        as_json(shapes.schedule_standing(now))
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


def _tell(said: CliContext, done: Scheduled) -> None:
    if said.json:
        as_json(shapes.scheduled(done))
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


# ── `eval`: a vault's own golden questions, asked and counted.

_WIDEST = 58  # columns of a question in the table; longer ones are cut


def _numbers(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[int, ...]:
    try:
        found = tuple(sorted({int(part) for part in (value or "").split(",") if part.strip()}))
    except ValueError:
        raise click.BadParameter(f"{value!r} are not numbers; write them as 5,10") from None
    if any(number < 1 for number in found):
        raise click.BadParameter(f"{value!r} must be from 1 on")
    return found


@verb(examples=["eval", "eval questions.yaml --k 3,10", "eval --budget 400 --least 0.8", "eval --json"])
@click.argument("file", required=False, type=TEXT)
@click.option("--k", "ks", metavar="N,N", callback=_numbers, help="Found means: among the first N; 5,10.")
@click.option(
    "--budget", "budgets", metavar="N,N", callback=_numbers, help="Tokens of contexts; 400,600,800."
)
@click.option(
    "--least",
    metavar="SHARE",
    type=click.FloatRange(0, 1),
    help="Exit with 1 when recall at the last N is below.",
)
@click.pass_obj
def eval(  # noqa: A001 - the verb's name
    said: CliContext, *, file: str | None, ks: tuple[int, ...], budgets: tuple[int, ...], least: float | None
) -> None:
    """Ask the vault its golden questions, and show what was found.

    The questions stand in eval/questions.yaml, or in FILE. Writes nothing.
    """
    with said.app() as app:
        done, fresh = app.evaluate(file, ks=ks, budgets=budgets), app.freshness
    if said.json:
        as_json({**shapes.evaluated(done), "degraded": fresh.degraded, "behind": fresh.behind})
    else:
        _tell_evaluation(done)
        if fresh.degraded:
            remark(f"Degraded: {fresh.degraded}")
    if least is not None:
        click.get_current_context().exit(int(not _reaches(done, least)))


def _reaches(done: Evaluated, least: float) -> bool:
    if not done.recall:
        raise InputError(f"no question of {done.path} expects an id, so there is no recall to compare")
    last, reached = list(done.recall.items())[-1]
    if reached < least:
        remark(f"recall@{last} is {reached:.3f}, below {least:.3f}")
    return reached >= least


def _tell_evaluation(done: Evaluated) -> None:
    heads = ["question", "rank", *(f"@{k}" for k in done.recall), *map(str, done.held), "confidence"]
    table(heads, [_row(one, done) for one in done.questions])
    say()
    for name, text in _totals(done):
        say(f"{name:<14}{text}")
    misses = [one for one in done.questions if one.misses]
    if misses:
        say(f"\n{styled('Misses', bold=True)}")
    for one in misses:
        say(f"  {styled(one.question)}  {styled(f'{done.path}:{one.line}', dim=True)}")
        for miss in one.misses:
            say(f"    {styled(miss)}")


def _row(one: QuestionResult, done: Evaluated) -> list[str]:
    asked = one.question if len(one.question) <= _WIDEST else one.question[: _WIDEST - 1] + "…"
    ranks = ", ".join(str(expected.rank or "-") for expected in one.expected)
    found = [_mark(one.recall[k]) if one.recall else "" for k in done.recall]
    return [asked, ranks, *found, *map(_mark, one.held.values()), f"{one.confidence:.2f}"]


def _mark(share: float) -> str:
    return "●" if share == 1 else "◐" if share else "○"


def _totals(done: Evaluated) -> list[tuple[str, str]]:
    kept, all_ = done.kept_out
    counted = sum(bool(one.expected) for one in done.questions)
    return [
        ("questions", f"{len(done.questions)}, {counted} with ids"),
        *((f"recall@{k}", f"{value:.3f}") for k, value in done.recall.items()),
        ("MRR", f"{done.mrr:.3f}"),
        ("nDCG@10", f"{done.ndcg:.3f}"),
        *((f"in {budget}", f"{value:.3f} of what is wanted") for budget, value in done.held.items()),
        *([("kept out", f"{kept} of {all_}")] if all_ else []),
    ]
