"""`connect`: one command between a host and a vault, and one that takes it back."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import click

from memoryclaw import rooms
from memoryclaw.connect.table import BY_NAME, OPENCLAW, HostRow
from memoryclaw.interfaces.cli.printing import marked, plural, remark, say, styled
from memoryclaw.interfaces.cli.verbs import DRY_RUN, TEXT, YES, CliContext, agreed, flag, verb
from memoryclaw.late import NamedTuple

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
# What is said to be done, to be done without --dry-run, and of files that do not change: of a removal, of a connection.
_ACTIONS = ("removed", "would remove", "not connected"), ("connected", "would connect", "unchanged")


class _FileChange(NamedTuple):
    """One file that changes: how it is shown, and how it is written."""

    path: str
    diff: str
    # Returns where the file as it was is kept, and what to know.
    write: Callable[[], tuple[str, Sequence[str]]]


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
def connect(context: CliContext, /, host: str, *, remove: bool, printed: bool, **how: bool) -> None:
    """Give a host this vault as its memory: claude-code, claude-desktop, codex, cursor, gemini, vscode or openclaw.

    Shows the change to the host's own settings, asks, tries the server, and writes. Nothing else in
    the file changes, and --remove restores it.
    """
    if not host and not printed:
        raise click.UsageError(f"Name a host: {', '.join(BY_NAME)}; for any other, --print.")
    row = BY_NAME.get(host) if printed else rooms.connecting.host_named(host)
    if row and remove:
        if row.name == OPENCLAW:
            setup = _openclaw(rooms.client.root_of(context.vault))
            files = [_planned(setup, "uninstall")]
        else:
            files = [_file_change(change) for change in rooms.connecting.plan_removal(row)]
        _carry_out(context, row, files, None, vault="", question="", **how)
        return
    with context.app(quiet=True) as app:
        # Something to ask a host that this vault can answer: about what it knows most of.
        names = sorted((-entry.facts - entry.statements, entry.name) for entry in app.entities())
        subject = names[0][1] if names else "".join(note.title for note in app.browse(limit=1))
        vault, question = os.fspath(app.root), "What do you remember of what I told you?"
        question = f"What do you know about {subject}?" if subject else question
    if printed or row is None:
        _print(context, row, vault)
        return
    tried: Callable[[], Sequence[str]]
    if row.name == OPENCLAW:
        setup = _openclaw(vault)
        rooms.connecting.lasting_command()
        files = [_planned(setup, "install")]
        tried = partial(rooms.connecting.try_openclaw, setup.command, vault)
    else:
        changes = rooms.connecting.plan_connection(row, vault)
        files = [_file_change(change) for change in changes]
        tried = partial(rooms.connecting.try_connection, row, changes)
    _carry_out(context, row, files, tried, vault=vault, question=question, **how)


def _print(context: CliContext, row: HostRow | None, vault: str) -> None:
    entries = rooms.connecting.shown_for(row, vault)
    if context.printed(dict, files=[{"path": path, "text": text} for path, text in entries]):
        return
    for path, text in entries:
        if path:
            remark(f"in {path}:")
        say(text.rstrip("\n"))


def _carry_out(
    context: CliContext,
    row: HostRow,
    files: Sequence[_FileChange],
    tried: Callable[[], Sequence[str]] | None,
    *,
    vault: str,
    question: str,
    **how: bool,
) -> None:
    """Shows the change, asks, tries the server, where there is one to try, and writes; `question` is one that this vault can answer."""
    changed = [file for file in files if file.diff]
    dry_run, diffs = how["dry_run"], {file.path: file.diff for file in changed}
    may_write = agreed_to(context, diffs, **how)
    if may_write is None:
        return
    done, would, nothing = _ACTIONS[bool(tried)]
    action = nothing if not changed else done if may_write else would
    tools = tried() if tried and not dry_run else []
    written = {file.path: file.write() for file in changed if not dry_run}
    backups = {path: backup for path, (backup, _) in written.items() if backup}
    ask = question if action in {"connected", "unchanged"} else ""
    names = [(file.path, bool(file.diff), backups.get(file.path, "")) for file in files]
    shown = [{"path": path, "changes": changes, "backup": backup} for path, changes, backup in names]
    about = {"host": row.name, "action": action, "vault": vault, "files": shown, "tools": tools}
    if context.printed(dict, **about, question=ask):
        return
    for file in files:
        before = f" (the file as it was: {styled(backups[file.path])})" if file.path in backups else ""
        word = action if file.diff or not changed else "unchanged"
        say(f"{styled(word, bold=True)}: {styled(file.path)}{before}")
    remark(*(sentence for _, sentences in written.values() for sentence in sentences))
    if tools:
        say(f"tried: the server answers, with {plural(len(tools), 'tool')}")
    if ask:
        say(f"next: {row.restart}, and ask: {ask}")


def agreed_to(
    context: CliContext, diffs: Mapping[str, str], *, yes: bool, dry_run: bool, alone: bool | None = None
) -> bool | None:
    """Shows what would change in each file, and asks whether to write it; None when a person says no.

    Args:
        alone: the answer where nobody can be asked; without one, `--yes` must be given there.
    """
    for diff in diffs.values() if not context.json else ():
        for line in diff.splitlines():
            colour = _COLOURS.get(line[:1])
            say(marked(line, (), **({"fg": colour} if colour else {})))
    if dry_run or not diffs:
        return not diffs
    if not yes and alone is not None and (context.json or not sys.stdin.isatty()):
        return alone
    if agreed(context, f"Write this to {' and '.join(map(styled, diffs))}?", yes=yes):
        return True
    say("Nothing was written.")
    return None


def _file_change(change: rooms.settings_file.SettingsChange) -> _FileChange:
    diff = change.diff if change.changes else ""
    return _FileChange(change.path, diff, lambda: (rooms.settings_file.carry_out(change), ()))


def _openclaw(vault: str) -> rooms.openclaw_setup.Setup:
    from memoryclaw.app.openclaw import openclaw_setup

    setup = openclaw_setup(vault)
    rooms.settings_file.refuse_link(setup.path)
    return setup


def _planned(setup: rooms.openclaw_setup.Setup, verb: str) -> _FileChange:
    planned = setup.plan_install() if verb == "install" else setup.plan_uninstall()
    diff = planned.diff if planned.changes else ""
    return _FileChange(setup.path, diff, lambda: setup.do(verb, planned)[-2:])
