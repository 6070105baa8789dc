"""`connect`: one command between a host and a vault, and one that takes it back."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from memoryclaw import rooms
from memoryclaw.connect.table import BY_NAME, OPENCLAW, TABLE, HostRow
from memoryclaw.interfaces.cli.printing import as_json, marked, plural, remark, say, styled
from memoryclaw.interfaces.cli.verbs import TEXT, CliContext, agreed, flag, verb

if TYPE_CHECKING:
    from memoryclaw.app import App

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
DRY_RUN = flag("--dry-run", "Only show what would change.")
YES = flag("--yes", "Do not ask.")


class _FileChange(NamedTuple):
    """One file that changes: how it is shown, and how it is written."""

    path: str
    diff: str
    write: Callable[
        [], tuple[str, Sequence[str]]
    ]  # returns where the file as it was is kept, and what to know


class _Outcome(NamedTuple):
    """What became of connecting or removing."""

    row: HostRow
    action: str
    files: Sequence[_FileChange]
    vault: str = ""
    question: str = ""  # that this vault can answer
    tools: Sequence[str] = ()
    backups: Sequence[str] = ()
    notices: Sequence[str] = ()


@verb(
    "init\nconnect --print",
    "connect codex --vault ~/notes --dry-run",
    "connect claude-code",
    "connect --remove claude-code",
)
@click.argument("host", metavar="[HOST]", required=False, default="", type=TEXT)
@flag("--remove", "Remove from the host's settings what `connect` wrote.")
@flag("--print", "Only print what to add to the settings of this host, or of any other.", name="printed")
@DRY_RUN
@YES
def connect(context: CliContext, host: str, *, remove: bool, printed: bool, dry_run: bool, yes: bool) -> None:
    """Give a host this vault as its memory: claude-code, claude-desktop, codex, cursor, gemini, vscode or openclaw.

    Shows the change to the host's own settings, asks, tries the server, and writes. Nothing else in
    the file changes, and --remove restores it.
    """
    if not host and not printed:
        raise click.UsageError(
            f"Name a host: {', '.join(row.name for row in TABLE)}; for any other, --print."
        )
    row = BY_NAME.get(host) if printed else rooms.connecting.host_named(host)
    if row and remove:
        _removed(context, row, dry_run=dry_run, yes=yes)
        return
    with context.app(quiet=True) as app:
        vault, question = os.fspath(app.root), _first_question(app)
    if printed or row is None:
        _print(context, row, vault)
    else:
        _connected(context, row, vault, question, dry_run=dry_run, yes=yes)


def _first_question(app: App) -> str:
    """Something to ask a host that this vault can answer: about what it knows most of."""
    largest = min(
        app.entities(), key=lambda entry: (-entry.facts - entry.statements, entry.name), default=None
    )
    subject = largest.name if largest else "".join(note.title for note in app.browse(limit=1))
    return f"What do you know about {subject}?" if subject else "What do you remember of what I told you?"


def _print(context: CliContext, row: HostRow | None, vault: str) -> None:
    entries = rooms.connecting.shown_for(row, vault)
    if context.printed(dict, files=[{"path": path, "text": text} for path, text in entries]):
        return
    for path, text in entries:
        if path:
            remark(f"in {path}:")
        say(text.rstrip("\n"))


def _connected(
    context: CliContext, row: HostRow, vault: str, question: str, *, dry_run: bool, yes: bool
) -> None:
    files, tried = _openclaw_connected(vault) if row.name == OPENCLAW else _host_connected(row, vault)
    changed = [file for file in files if file.diff]
    _show(context, changed)
    outcome = _Outcome(row, "would connect" if changed else "unchanged", files, vault, question)
    if not dry_run:
        if changed and not agreed(context, _question(changed), yes=yes):
            say("Nothing was written.")
            return
        tools = tried()
        outcome = _written(
            outcome._replace(action="connected", tools=tools) if changed else outcome._replace(tools=tools)
        )
    _tell(context, outcome)


def _removed(context: CliContext, row: HostRow, *, dry_run: bool, yes: bool) -> None:
    if row.name == OPENCLAW:
        setup = _openclaw(rooms.client.root_of(context.vault))
        files = [_planned(setup, setup.plan_uninstall())]
    else:
        files = [_file_change(change) for change in rooms.connecting.plan_removal(row)]
    changed = [file for file in files if file.diff]
    _show(context, changed)
    outcome = _Outcome(row, "would remove" if changed else "not connected", files)
    if changed and not dry_run:
        if not agreed(context, _question(changed), yes=yes):
            say("Nothing was written.")
            return
        outcome = _written(outcome._replace(action="removed"))
    _tell(context, outcome)


def _host_connected(row: HostRow, vault: str) -> tuple[list[_FileChange], Callable[[], list[str]]]:
    """What changes in a host's files, and how it is tried."""
    changes = rooms.connecting.plan_connection(row, vault)
    return [_file_change(change) for change in changes], lambda: rooms.connecting.try_connection(row, changes)


def _file_change(change: rooms.settings_file.SettingsChange) -> _FileChange:
    def write() -> tuple[str, Sequence[str]]:
        rooms.settings_file.carry_out(change)
        backup = change.path + rooms.settings_file.BACKUP
        return backup if os.path.lexists(backup) else "", ()

    return _FileChange(change.path, change.diff if change.changes else "", write)


def _openclaw_connected(vault: str) -> tuple[list[_FileChange], Callable[[], list[str]]]:
    setup = _openclaw(vault)
    rooms.connecting.lasting_command()
    planned = setup.plan_install()

    def tried() -> list[str]:
        rooms.connecting.try_openclaw(setup.command, vault)
        return []

    return [_planned(setup, planned)], tried


def _openclaw(vault: str) -> rooms.openclaw_setup.Setup:
    from memoryclaw.app.openclaw import openclaw_setup

    setup = openclaw_setup(vault)
    rooms.settings_file.refuse_link(setup.host.path)
    return setup


def _planned(setup: rooms.openclaw_setup.Setup, planned: rooms.openclaw_setup.ConfigChange) -> _FileChange:
    def write() -> tuple[str, Sequence[str]]:
        changed = setup.do(planned)
        return changed.backup, changed.notices

    return _FileChange(planned.config, planned.diff, write)


def _question(files: Sequence[_FileChange]) -> str:
    return f"Write this to {' and '.join(styled(file.path) for file in files)}?"


def _show(context: CliContext, files: Sequence[_FileChange]) -> None:
    if not context.json:
        for file in files:
            show_diff(file.diff)


def show_diff(diff: str) -> None:
    """Prints a change, line by line in its colours."""
    for line in diff.splitlines():
        colour = _COLOURS.get(line[:1])
        say(marked(line, (), **({"fg": colour} if colour else {})))


def _written(outcome: _Outcome) -> _Outcome:
    """The outcome after the files that change were written."""
    written = [file.write() if file.diff else ("", ()) for file in outcome.files]
    notices = [sentence for _, sentences in written for sentence in sentences]
    return outcome._replace(backups=[backup for backup, _ in written], notices=notices)


def _tell(context: CliContext, outcome: _Outcome) -> None:
    row, action = outcome.row, outcome.action
    question = outcome.question if action in {"connected", "unchanged"} else ""
    backups = outcome.backups or [""] * len(outcome.files)
    rows = list(zip(outcome.files, backups, strict=True))
    if context.json:
        files = [{"path": file.path, "changes": bool(file.diff), "backup": backup} for file, backup in rows]
        answer = {"host": row.name, "action": action, "vault": outcome.vault, "files": files}
        as_json({**answer, "tools": list(outcome.tools), "question": question})
        return
    is_change = any(file.diff for file in outcome.files)
    for file, backup in rows:
        before = f" (the file as it was: {styled(backup)})" if backup else ""
        word = action if file.diff or not is_change else "unchanged"
        say(f"{styled(word, bold=True)}: {styled(file.path)}{before}")
    for notice in outcome.notices:
        remark(notice)
    if outcome.tools:
        say(f"tried: the server answers, with {plural(len(outcome.tools), 'tool')}")
    if question:
        say(f"next: {row.restart}, and ask: {question}")
