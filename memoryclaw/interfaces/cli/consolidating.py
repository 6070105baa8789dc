"""`consolidate`: the logs become episodes, facts and proposals, each change a commit."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, TextIO

import click

from memoryclaw import rooms
from memoryclaw.errors import InputError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import json_text, plural, remark, say, styled
from memoryclaw.interfaces.cli.tables import aligned, pairs
from memoryclaw.interfaces.cli.verbs import DRY_RUN, CliContext, choice, flag, group, option

if TYPE_CHECKING:
    from memoryclaw.app import App
    from memoryclaw.app.verbs import Mode, Model


_LONGEST = 40  # commits that are told one by one
_MOST_ANSWERS = 64_000_000  # characters of a file of answers


@group(
    "init\nconsolidate --dry-run",
    "consolidate",
    "consolidate --again --since 2026-03-01",
    "consolidate --ask > asked.jsonl",
    "consolidate --answers answered.jsonl",
    "consolidate schedule install --at 03:00",
    default="run",
    takes=True,
)
def consolidate() -> None:
    """Turn new conversations into episodes, facts, statements and skill drafts.

    Each change is a commit. What is not certain waits for `review`.
    """


@consolidate.verb("init\nconsolidate --dry-run", "consolidate --due", "consolidate --llm none --json")
@DRY_RUN
@flag("--due", "Do nothing if it is too early or another run is in progress.")
@choice("--llm", ("auto", "none"), "Ask the models of the settings, or none.", default="auto")
@choice(
    "--mode",
    ("direct", "branch", "propose"),
    "Commit on this branch, on a separate branch, or write proposals; by default as in the settings.",
)
@flag("--ask", "Print each new part of the logs as a prompt for your agent, and write nothing.")
@option(
    "--answers",
    "FILE",
    "Use your agent's answers to --ask instead of a model; - reads standard input.",
    type=click.File("r", encoding="utf-8", errors="replace"),
)
@option(
    "--after",
    "HOURS",
    "With --due: leave new lines to your agent for this many hours.",
    type=click.IntRange(min=0),
    default=0,
)
@flag("--again", "Read the logs from --since on again; the result waits on a branch.")
@option("--since", "DATE", "With --again: the first day to read.")
@flag("--agree", "Agree that the command of llm.command may read your conversations.")
def run(
    context: CliContext,
    *,
    dry_run: bool,
    due: bool,
    llm: Model,
    mode: Mode | None,
    ask: bool,
    answers: TextIO | None,
    after: int,
    again: bool,
    since: str,
    agree: bool,
) -> None:
    """Consolidate now."""
    if again != bool(since):
        raise click.UsageError("--again and --since go together.")
    if again and (dry_run or due or ask or answers or mode):
        raise click.UsageError("--again takes only --since and --llm.")
    if ask and answers:
        raise click.UsageError("--ask and --answers are two steps; give one of them.")
    if answers and llm == "none":
        raise click.UsageError("--answers and --llm none contradict each other; give one of them.")
    with context.app("consolidating") as app:
        if agree:
            app.agree()
        if again:
            _tell(context, app.redo(since, llm=llm), dry_run=False)
            return
        if ask:
            segments = app.segments(due=due)
            for segment in () if context.printed(shapes.segments, segments) else segments:
                say(json_text(segment._asdict()))
            return
        if llm == "auto" and not answers and not due:
            _offer_agreement(app)
        outcome = app.consolidate(
            dry_run=dry_run,
            due=due,
            llm=llm,
            mode=mode or "",
            answers=_lines(answers) if answers else None,
            answers_file=answers.name if answers else "",
            after=after,
        )
    _tell(context, outcome, dry_run=dry_run)


def _lines(file: TextIO) -> list[str]:
    text = file.read(_MOST_ANSWERS + 1)
    if len(text) > _MOST_ANSWERS:
        most = f"{file.name} holds more than {_MOST_ANSWERS:,} characters"
        raise InputError(f"{most}; send the answers in several parts")
    return text.split("\n")


def _offer_agreement(app: App) -> None:
    """Asks a person at a terminal once whether a command may read conversations; elsewhere the run says how to agree."""
    command = app.unagreed_command
    if not (command and sys.stdin.isatty() and sys.stderr.isatty()):
        return
    question = f"`{command}` will read your conversations, of all vaults, and may send them to other machines. Agree?"
    if click.confirm(question, default=False, err=True):
        app.agree()


def _tell(context: CliContext, run: rooms.consolidate.Consolidated, *, dry_run: bool) -> None:
    if context.printed(shapes.consolidated, run):
        return
    changes, reads = run.changes, run.changes.ranges and not run.waits
    waits = "would wait" if dry_run else "waiting"
    if reads:
        # One sentence that is true in every mode: what is done is told apart from what waits for a yes or a no.
        applied = [change for change in changes.changes if not rooms.apply.waits(change, run.mode)]
        kinds = Counter(change.kind for change in applied)
        acts = Counter(type(action).__name__ for change in applied for action in change.actions)
        proposed = len(changes.changes) - len(applied)
        words = [plural(kinds["episode"], "episode")] * bool(kinds["episode"] or not proposed)
        words += [plural(acts["SetFact"], "new fact")] * bool(acts["SetFact"])
        words += [plural(acts["AddStatement"], "new statement")] * bool(acts["AddStatement"])
        words += [f"{acts['ConfirmFact']} confirmed"] * bool(acts["ConfirmFact"])
        words += [f"{acts['AddPending']} waiting for your decision"] * bool(acts["AddPending"])
        words += [plural(kinds["skill"], "skill draft")] * bool(kinds["skill"])
        words += [plural(kinds["merge"], "merge")] * bool(kinds["merge"])
        words += [f"{plural(proposed, 'proposal')} {waits} in review/"] * bool(proposed)
        branch = " of its own" if dry_run else f" memoryclaw/{changes.run}"
        where = f", all on a branch{branch}" if run.mode == "branch" else ""
        say(f"{plural(changes.turns, 'turn')} read: {', '.join(words)}{where}.")
        _tell_changes(run, dry_run=dry_run)
        remark(f"degraded: {changes.degraded}" if changes.degraded else "")
    elif run.upkeep is None:
        say(f"Nothing to do: {run.waits or 'every line of the logs is consolidated'}.")
    if run.upkeep is not None:
        if reads:
            say()
        # What was done and proposed with what is there already.
        changes = run.upkeep.changes
        proposed = sum(rooms.apply.waits(change, run.upkeep.mode) for change in changes.changes)
        changed = len(changes.changes) - proposed
        words = [f"{plural(changed, 'change')} {'would be ' * dry_run}made"] * bool(changed)
        words += [f"{plural(proposed, 'proposal')} {waits} in review/"] * bool(proposed)
        say(f"Upkeep: {', '.join(words)}.")
        _tell_changes(run.upkeep, dry_run=dry_run)
    remark(*run.notices)


def _tell_changes(run: rooms.consolidate.Consolidated, *, dry_run: bool) -> None:
    if run.changes.held:
        say(f"It {'would be' if dry_run else 'is'} held: {styled(run.changes.held)}.")
    if dry_run:
        _planned(run.changes)
    else:
        applied = run.applied
        assert applied is not None  # noqa: S101 - told so by the caller
        for commit in applied.commits[:_LONGEST]:
            say(f"{styled(commit.commit[:10] or '-', fg='yellow')} {styled(commit.title)}")
        if len(applied.commits) > _LONGEST:
            say(f"… and {len(applied.commits) - _LONGEST:,} more; `memoryclaw history` lists them")
        for path in applied.proposed:
            say(styled(f"waits: {path}"))
        say()
        if run.mode == "branch":
            applies = f"`memoryclaw review approve {run.changes.run}` applies it"
            say(f"Nothing in the vault has changed yet: {applies}.")
        elif any(commit.commit for commit in applied.commits):
            say(f"Undo the whole run with `memoryclaw undo {run.changes.run}`.")
        remark(*applied.notices)


def _planned(changes: rooms.changes.ChangeSet) -> None:
    for planned in changes.changes:
        say()
        say(styled(planned.title, bold=True))
        lines = []
        for action in planned.actions:
            values = action.values()
            size = plural(str(values.get("text", "")).count("\n"), "line")
            lines.append(_ACTIONS.get(type(action).__name__, "~ {path}").format_map({**values, "size": size}))
        lines += planned.evidence
        lines += [f"waits: {planned.reason}"] * bool(planned.reason)
        for line in lines:
            say(f"    {styled(line)}")
    out = [(decision.claim, decision.reason) for decision in changes.decided if decision.action == "drop"]
    dropped = [(f"{claim.entity}, {claim.field}: {claim.value}", reason) for claim, reason in out]
    skipped = aligned([(skip.range.partition("@")[0], skip.reason) for skip in changes.skipped])
    for head, lines in (("nothing to keep", skipped), ("left out", [*aligned(dropped), *changes.dropped])):
        if lines:
            say(f"\n{styled(head, fg='cyan')}")
        for line in lines:
            say(f"    {styled(line)}")
    say("\nNothing was written.")


_ACTIONS = {
    "NewFile": "+ {path} ({size})",
    "SetFact": "+ {path}  {entity}, {field}: {value}",
    "AddPending": "+ semantic/_pending.md  {entity}, {field}: {value}",
    "AddStatement": '+ {path}  {entity}: "{words}"',
    "ConfirmFact": "= {fact}: {value}, one more source",
    "MoveFile": "> {path} to {to}",
}


# `schedule`: a timer of this machine that consolidates on time.


@consolidate.part(
    "init\nconsolidate schedule",
    "consolidate schedule install --at 03:00",
    "consolidate schedule remove",
    default="status",
)
def schedule() -> None:
    """Consolidate automatically, every night.

    A timer calls `consolidate --due`. Without a command, it shows the state of the timer.
    """


@schedule.verb(
    "init\nconsolidate schedule install --using cron --dry-run",
    "consolidate schedule install --at 22:30 --using cron",
    "consolidate schedule install --every 60 --dry-run",
)
@option("--at", "HH:MM", "The time of day; 03:00 by default.")
@option("--every", "MINUTES", "Instead, every so many minutes.", type=click.IntRange(min=1))
@choice("--using", ("systemd", "cron"), "The scheduler; by default systemd, else cron.")
@DRY_RUN
def install(context: CliContext, *, at: str, every: int | None, using: str | None, dry_run: bool) -> None:
    """Install the timer, or change its times."""
    with context.app() as app:
        timer = app.schedule.install(at=at, every=every or 0, using=using or "", dry_run=dry_run)
    _tell_timer(context, timer)


@schedule.verb("init\nconsolidate schedule remove")
def remove(context: CliContext) -> None:
    """Remove the timer, and nothing else."""
    with context.app() as app:
        _tell_timer(context, app.schedule.remove())


@schedule.verb("init\nconsolidate schedule status", "consolidate schedule status --json")
def status(context: CliContext) -> None:
    """Show the timer, its next run, and whether a run is due now."""
    with context.app() as app:
        standing = app.schedule.status()
    if context.printed(shapes.plain, standing):
        return
    timer = f"{standing.by}, {standing.times}" if standing.installed else "not installed"
    pairs([
        ("timer", timer if standing.active or not standing.installed else f"{timer}, asleep"),
        ("next run", standing.next or "none"),
        ("last run", standing.last_run or "none"),
        ("due now", f"{'yes' if standing.due else 'no'}: {standing.reason}"),
    ])  # fmt: skip
    remark(*standing.notices)


def _tell_timer(context: CliContext, timer: rooms.scheduling.Scheduled) -> None:
    if context.printed(shapes.scheduled, timer):
        return
    by = f"{timer.by}, {timer.times}; next: {timer.next}" if timer.times else timer.by
    where = f" ({by})" if by else ""
    say(f"{styled(timer.action, bold=True)}: {styled(timer.name + where)}")
    for path, text in timer.files if timer.action == "would install" else ():
        say()
        say(styled(path, fg="cyan"))
        for line in text.splitlines():
            say(f"    {styled(line)}")
    remark(*timer.notices)
