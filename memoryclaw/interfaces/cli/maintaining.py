"""`sync`, `reindex`, `status`, `doctor` and `completion`: upkeep of the vault, its index and the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

from memoryclaw.index.sync import Synced
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import Bar, as_json, padded, plural, remark, say, styled
from memoryclaw.interfaces.cli.verbs import CliContext, cli, verb
from memoryclaw.model import Problem

if TYPE_CHECKING:
    from memoryclaw.index.vectors import VectorStatus

_SHOWN = 20
_COLOURS = {"ok": "green", "mended": "cyan", "advice": "yellow", "problem": "red"}


@verb(examples=["sync", "sync --vectors", "sync --vault ~/notes --json"])
@click.option("--vectors", is_flag=True, help="Also make the missing vectors.")
@click.pass_obj
def sync(context: CliContext, vectors: bool) -> None:
    """Update the index from the files now."""
    with context.app() as app:
        done = app.sync()
        if not vectors:
            _tell_synced(context, done)
            return
        with Bar("making vectors") as bar:
            filled = app.fill_vectors(progress=bar)
    if context.json:
        as_json(shapes.synced(done, filled))
        return
    _tell_synced(context, done)
    missing = f", {plural(filled.missing, 'unit')} still without" if filled.missing else ""
    say(
        f"{plural(filled.filled, 'vector')} made by {styled(filled.model)} for {plural(filled.units, 'unit')}{missing}."
    )
    if filled.notice:
        remark(filled.notice)


@verb(examples=["reindex", "reindex --vault ~/notes"])
@click.pass_obj
def reindex(context: CliContext) -> None:
    """Delete the index and build it again from the files."""
    with context.app() as app:
        _tell_synced(context, app.reindex())


@verb(examples=["status", "status --json"])
@click.pass_obj
def status(context: CliContext) -> None:
    """Show the state of files, index, git and watcher; changes nothing."""
    with context.app() as app:
        now = app.status()
    if context.json:
        as_json(shapes.status(now))
        return
    kinds = ", ".join(f"{count} {kind}" for kind, count in now.notes.items()) or "none"
    last = now.git.last
    rows = [
        ["vault", now.vault],
        ["files", kinds],
        ["index", f"{now.index.engine}, {plural(now.index.units, 'unit')}, {_size(now.index.bytes)}"],
        ["behind", f"{plural(now.behind, 'file')} behind" if now.behind else "up to date"],
        ["watcher", f"running (process {now.daemon})" if now.daemon else "not running"],
        *([["vectors", _vectors(now.vectors)]] if now.vectors else []),
        ["git", now.git.sentence],
        *([["last change", f"{last.commit[:10]} {last.when[:10]} {last.subject}"]] if last else []),
        ["problems", plural(len(now.problems), "problem")],
        ["ignored", ", ".join(now.ignored) or "nothing"],
    ]
    for name, text in rows:
        say(f"{padded(name, 13, bold=True)}{styled(text)}")
    _list(now.problems)
    for sentence in (*now.notices, now.degraded):
        if sentence:
            remark(sentence)


@verb(examples=["doctor", "doctor --fix", "doctor --json"])
@click.option(
    "--fix", is_flag=True, help="Repair derived data: build the index again, remove our own stale temp files."
)
@click.pass_context
def doctor(ctx: click.Context, fix: bool) -> None:
    """Check the vault; exits with 1 when there are problems."""
    said: CliContext = ctx.obj
    with said.app() as app:
        checks = app.doctor(fix=fix)
    if said.json:
        as_json(shapes.doctor(checks))
    else:
        for check in checks:
            level = padded(check.level, 9, fg=_COLOURS[check.level])
            say(f"{level}{padded(check.name, 13)}{styled(check.sentence)}")
            _list(check.details)
    ctx.exit(int(any(check.level == "problem" for check in checks)))


def _tell_synced(context: CliContext, done: Synced) -> None:
    if context.json:
        as_json(shapes.synced(done))
        return
    unread = f", {done.unread} that cannot be read" if done.unread else ""
    say(
        f"{plural(done.total, 'file')}: {done.added} added, {done.changed} changed, {done.removed} removed{unread}."
    )


def _vectors(now: VectorStatus) -> str:
    if not now.units:
        return f"{now.model}, nothing to make one for yet"
    missing = f"{now.missing} of {plural(now.units, 'unit')} missing" if now.missing else "none missing"
    return f"{now.model}, {missing}"


def _list(problems: tuple[Problem, ...]) -> None:
    for problem in problems[:_SHOWN]:
        hint = f"; {problem.hint}" if problem.hint else ""
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        say(f"    {styled(place, fg='cyan')} {styled(problem.message + hint)}")
    if len(problems) > _SHOWN:
        say(f"    … and {plural(len(problems) - _SHOWN, 'more', 'more')}; --json lists them all")


def _size(count: int) -> str:
    return f"{count / 1_000_000:.1f} MB" if count >= 100_000 else f"{count / 1000:.0f} kB"


# `completion`: the script that teaches a shell to complete our verbs and options.


@verb(
    examples=[
        "completion bash >> ~/.bashrc",
        "completion zsh >> ~/.zshrc",
        "completion fish > ~/.config/fish/completions/memoryclaw.fish",
    ]
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell."""
    kind = get_completion_class(shell)
    if kind is None:
        raise click.BadParameter(f"there is no completion for {shell}")
    click.echo(kind(cli, {}, "memoryclaw", "_MEMORYCLAW_COMPLETE").source())
