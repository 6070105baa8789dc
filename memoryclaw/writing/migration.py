"""`migrate`: what changes in a vault's files from one format to the next, in one commit.

A reader of any format reads the files of all older ones, so nothing has to be migrated to be found.
"""

from __future__ import annotations

from memoryclaw.config import FORMAT
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.vault import files
from memoryclaw.vault.edits import with_setting
from memoryclaw.vault.layout import CONFIG_FILE, must_take_writes
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.writer import Edit, text_change, writing


class Migrated(NamedTuple):
    """From which format to which a vault was brought, or would be."""

    before: int
    after: int
    commit: str = ""
    notice: str = ""


def migrate(context: WriteContext, before: int, *, dry_run: bool = False) -> Migrated:
    """Brings a vault to the newest format from the one `before`, in one commit that can be undone."""
    must_take_writes(context.root)
    migrated = Migrated(before, FORMAT)
    if before == FORMAT:
        return migrated
    if not files.exists(context.root, CONFIG_FILE):
        sentence = f"there is no {CONFIG_FILE} here"
        raise InputError(f"{sentence}; `memoryclaw init` makes a vault of the newest format")
    change = text_change(lambda text: with_setting(text, "vault.format", str(FORMAT), CONFIG_FILE))
    change(files.read_file(context.root, CONFIG_FILE).data)  # raises where it cannot be said
    if dry_run:
        return migrated
    message = context.message("migrate", run=context.run("migrate"), **migrated._asdict())
    with writing(context.root) as writer:  # what a killed migration began is ended first
        outcome = writer.write(
            [Edit(CONFIG_FILE, change, undoable=True)], message, verb="migrate", now=context.now
        )
    return migrated._replace(commit=outcome.commit, notice=outcome.notice)
