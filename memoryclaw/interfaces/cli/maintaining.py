"""`sync`, `status`, `check`, `adopt` and `completion`: upkeep of the vault, its index and the shell."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import click
from click.shell_completion import get_completion_class

from memoryclaw import rooms
from memoryclaw.errors import NotFoundError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import Bar, padded, plural, remark, say, styled
from memoryclaw.interfaces.cli.tables import flow, pairs, table
from memoryclaw.interfaces.cli.verbs import DRY_RUN, TEXT, YES, CliContext, agreed, cli, flag, group, verb
from memoryclaw.model import Problem, grouped

_EXAMPLES = 3  # of each kind of problem
_VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")  # what differs from one problem of a kind to the next
_COLOURS = {"ok": "green", "mended": "cyan", "advice": "yellow", "problem": "red"}


@verb("init\nsync", "sync --watch", "sync --vectors", "sync --with-git", "sync --vault ~/notes --json")
@flag("--watch", "Continue while files are edited, until Ctrl-C.")
@flag("--vectors", "Also make the missing vectors.")
@flag("--with-git", "First fetch, merge and push with git.")
def sync(context: CliContext, *, watch: bool, vectors: bool, with_git: bool) -> None:
    """Update the index from the files; with --with-git, first exchange changes with another machine."""
    if watch:
        if vectors or with_git:
            raise click.UsageError("--watch takes no other option.")
        from memoryclaw.interfaces.cli.serving import watch_files  # `--help` needs no watcher

        watch_files(context)
        return
    filled = None
    with context.app() as app:
        exchanged = app.exchange() if with_git else None
        synced = app.sync()
        if vectors:
            with Bar("making vectors") as bar:
                filled = app.fill_vectors(progress=bar)
    if context.printed(shapes.synced, shapes.SyncShown(synced, filled, exchanged)):
        return
    if exchanged:
        merged = f" and merged (commit {styled(exchanged.merge[:10])})" if exchanged.merge else ""
        received, sent = (plural(count, "commit") for count in (exchanged.received, exchanged.sent))
        outcome = f"{received} received{merged}, {sent} sent"
        is_new = exchanged.received or exchanged.sent
        say(f"{styled(exchanged.remote)}: {outcome if is_new else 'nothing new, here or there'}.")
        remark(*exchanged.told, exchanged.notice)
    _tell_synced(synced)
    if filled is None:
        return
    missing = f", {plural(filled.missing, 'unit')} still without" if filled.missing else ""
    made = f"{plural(filled.filled, 'vector')} made by {styled(filled.model)}"
    say(f"{made} for {plural(filled.units, 'unit')}{missing}.")
    remark(filled.notice)


@verb("init\nstatus", "status --usage", "status --json")
@flag("--usage", "Instead, how the vault grows, how it is used and what waits.")
def status(context: CliContext, *, usage: bool) -> None:
    """Show the state of files, index, git and watcher; changes nothing."""
    printer: Callable[..., None] = _show_usage if usage else _show_status
    context.carry_out(printer, "stats" if usage else "status", {}, quiet=not usage)


_DAY_FROM = {
    "name": "names of notes", "heading": "first headings", "folder": "folders", "header": "headers",
}  # fmt: skip


def _show_status(now: rooms.status.Status) -> None:
    kinds = ", ".join(f"{count} {kind}" for kind, count in now.notes.items()) or "none"
    last, count = now.git.last, now.index.bytes
    size = f"{count / 1_000_000:.1f} MB" if count >= 100_000 else f"{count / 1000:.0f} kB"
    pairs([
        ("vault", now.vault),
        ("files", kinds),
        ("index", f"{now.index.engine}, {plural(now.index.units, 'unit')}, {size}"),
        ("days", ", ".join(f"{count} from {_DAY_FROM[source]}" for source, count in now.days.items())),
        ("behind", f"{plural(now.behind, 'file')} behind" if now.behind else "up to date"),
        ("waiting", _waits(now.waiting, "turn", "to be consolidated")),
        ("watcher", f"running (process {now.daemon})" if now.daemon else "not running"),
        ("vectors", vectors_in_words(now.vectors) if now.vectors else ""),
        ("git", now.git.sentence),
        ("last change", f"{last.commit[:10]} {last.when[:10]} {last.subject}" if last else ""),
        ("problems", plural(len(now.problems), "problem")),
        ("ignored", ", ".join(now.ignored) or "nothing"),
    ])  # fmt: skip
    _list(now.problems)
    remark(*now.notices, now.degraded)


def _waits(waits: rooms.status.Waits, what: str, how: str) -> str:
    if not waits.number:
        return f"no {what} {how}"
    days = waits.hours // 24
    age = plural(days, "day") if days else plural(waits.hours, "hour")
    return f"{plural(waits.number, what)} {how}{f', the oldest for {age}' if waits.since else ''}"


def _show_usage(stats: rooms.status.Stats) -> None:
    kinds = ", ".join(f"{count} {kind}" for kind, count in stats.notes.items()) or "none"
    rated = f", {plural(stats.ratings, 'rating')} of {stats.rating:.1f} on average" if stats.ratings else ""
    cited = f", {stats.cited} cited" if stats.cited else ""
    pairs([
        ("notes", kinds),
        ("holds", f"{plural(stats.facts, 'fact')} and statements, {plural(stats.turns, 'turn')}"),
        ("use", f"{plural(stats.recalls, 'recall')}{cited}{rated}"),
        ("most shown", ", ".join(f"{id_} ({times})" for id_, times in stats.shown)),
        ("strongest", ", ".join(f"{id_} ({strength:.2f})" for id_, strength in stats.hottest)),
        ("waiting", _waits(stats.waiting, "turn", "to be consolidated")),
        ("review", _waits(stats.review, "item", "for your decision")),
    ])  # fmt: skip
    if stats.months:
        say()
        table(list(stats.months[0]._fields), [[str(cell) for cell in month] for month in stats.months])


@group(
    "init\ncheck",
    "check --fix",
    "check lint semantic",
    "check migrate --dry-run",
    default="vault",
    takes=True,
)
def check() -> None:
    """Check the vault; exits with 1 when there are problems.

    Checks notes, index, settings, names, git, permissions and links.
    """


@check.verb(
    "init\ncheck vault",
    "check --fix",
    "check --json",
    of="doctor",
    fails=lambda checks: any(check.level == "problem" for check in checks),
    quiet=True,
)
@flag("--fix", "Repair what is derived: rebuild the index, remove stale temporary files.")
def vault(checks: Sequence[rooms.doctor.Check]) -> None:
    """Check files, index, git and settings. Exits with 1 when there are problems."""
    for check in checks:
        level = padded(check.level, 9, fg=_COLOURS[check.level])
        flow(check.sentence, indent=22, lead=f"{level}{padded(check.name, 13)}")
        _list(check.details)


@check.verb("init\ncheck reindex", "check reindex --vault ~/notes", of="reindex")
def reindex(synced: rooms.sync.Synced) -> None:
    """Delete the index and build it again from the files."""
    _tell_synced(synced)


@check.verb(
    "init\ncheck migrate --dry-run", "check migrate", "undo COMMIT", of="migrate", without=("dry_run",)
)
@DRY_RUN
def migrate(migrated: rooms.migration.Migrated, dry_run: bool) -> None:
    """Bring a vault of an older format to the newest. It is one commit, and no command needs it."""
    if migrated.before == migrated.after:
        say(f"The vault has format {migrated.after}, the newest: nothing to do.")
        remark(migrated.notice)
        return
    say(f"memoryclaw.yaml: vault.format {migrated.before} -> {migrated.after}")
    if dry_run:
        say("Nothing was written; run it without --dry-run.")
    elif migrated.commit:
        say(f"One commit; `memoryclaw undo {migrated.commit[:10]}` takes it back.")
    remark(migrated.notice)


def _tell_synced(synced: rooms.sync.Synced) -> None:
    unread = f", {synced.unread} that cannot be read" if synced.unread else ""
    changed = f"{synced.added} added, {synced.changed} changed, {synced.removed} removed{unread}"
    say(f"{plural(synced.total, 'file')}: {changed}.")


def vectors_in_words(now: rooms.vectors.VectorStatus) -> str:
    """The model, and how many units have no vector of it yet."""
    if not now.units:
        return f"{now.model}, nothing to make one for yet"
    missing = f"{now.missing} of {plural(now.units, 'unit')} missing" if now.missing else "none missing"
    return f"{now.model}, {missing}"


def _list(problems: tuple[Problem, ...]) -> None:
    """Each kind of problem once: how many there are, and the first of them."""
    kinds = grouped((each.hint or _VARYING.sub("", each.message), each) for each in problems)
    for alike in kinds.values():
        for problem in alike[:_EXAMPLES]:
            hint = f"; {problem.hint}" if problem.hint else ""
            place = f"{problem.path}:{problem.line or ''}"
            say(f"    {styled(place, fg='cyan')} {styled(problem.message + hint)}")
        if (unlisted := len(alike) - _EXAMPLES) > 0:
            say(f"    … and {plural(unlisted, 'more', 'more')} of this kind; --json lists them all")


# `completion`: the script that teaches a shell to complete our verbs and options.


@verb(
    "completion bash >> ~/.bashrc",
    "completion zsh >> ~/.zshrc",
    "completion fish > ~/.config/fish/completions/memoryclaw.fish",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell."""
    kind: Any = get_completion_class(shell)
    click.echo(kind(cli, {}, "memoryclaw", "_MEMORYCLAW_COMPLETE").source())


# `adopt`: what a vault asks for counts only where this person allows it, and this is where they do.


@verb("init\nadopt --dry-run", "adopt", "adopt llm.chain --yes")
@click.argument("what", nargs=-1, type=TEXT)
@DRY_RUN
@YES
def adopt(context: CliContext, *, what: tuple[str, ...], dry_run: bool, yes: bool) -> None:
    """Allow what this vault asks for, for yourself and on this machine.

    Lists what the vault asks for that your settings do not allow, where it comes from and what it
    would permit, and asks once.
    """
    with context.app(quiet=True) as app:
        items = [item for item in app.adoptable() if not what or item.what in what]
        if missing := sorted({*what} - {item.what for item in items}):
            waits = "`memoryclaw adopt --dry-run` lists what does"
            raise NotFoundError(f"nothing called {missing[0]!r} waits to be adopted; {waits}")
        if not context.json:
            for item in items:
                say(f"{styled(item.line, bold=True)} ({styled(item.origin)})")
                say(f"    {styled(item.allows)}")
        if adopted := bool(items) and not dry_run and agreed(context, "Adopt all of this?", yes=yes):
            app.adopt(items)
    if not context.printed(shapes.plain, {"adopted": adopted, "items": items}):
        nothing = "Nothing was adopted." if items else "There is nothing to adopt."
        say("Adopted, for you and on this machine." if adopted else nothing)
