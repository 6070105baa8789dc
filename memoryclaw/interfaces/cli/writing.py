"""`init`, `remember`, `edit`, `forget`, `revive` and `undo`: changes, each a commit of its own."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from memoryclaw import config
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import as_json, remark, say, styled
from memoryclaw.interfaces.cli.verbs import AS_IS, TEXT, CliContext, agreed, verb
from memoryclaw.text.prompts import visible

if TYPE_CHECKING:
    from memoryclaw.writing.context import Written


@verb(examples=["init ~/notes", "init", "init --vault ~/obsidian --json"])
@click.argument("folder", metavar="[DIR]", required=False)
@click.pass_obj
def init(context: CliContext, folder: str | None) -> None:
    """Make a folder a vault; existing files are not touched.

    Adds the folders, settings with comments and a git repository, as far as they are missing. Without DIR it
    takes the folder that every other verb would use.
    """
    from memoryclaw.app import init_vault  # noqa: PLC0415 - `--help` needs no app

    tell(context, init_vault(config.find_root(folder or context.vault, os.environ, config.here())))


@verb(
    examples=[
        "remember 'Nora wants the receipts before Friday' --tag money",
        "remember 2026-12-11 --entity 'Boathouse Aarhus' --field deadline",
        "remember 'the wedding is on 5 september, near Otley' --entity Tam",
        "remember - < minutes.txt",
    ]
)
@click.argument("text", nargs=-1, required=True, type=TEXT)
@click.option(
    "--entity",
    metavar="E",
    default="",
    type=TEXT,
    help="The person, project or thing that this is about.",
)
@click.option(
    "--field", metavar="F", default="", type=TEXT, help="Which of its fields; the text is the value."
)
@click.option(
    "--tag", "tags", metavar="T", multiple=True, type=TEXT, help="A tag of the episode; may be repeated."
)
@AS_IS
@click.pass_obj
def remember(
    context: CliContext, *, text: tuple[str, ...], entity: str, field: str, tags: tuple[str, ...], as_is: bool
) -> None:
    """Store a fact, a statement or an episode.

    With --entity and --field the text is the value of a fact, with --entity alone a statement, which keeps the words
    with today's date. Else it is an episode. A text of - is read from standard input.
    """
    words = sys.stdin.read() if text == ("-",) else " ".join(text)
    with context.app() as app:
        tell(context, app.remember(words, entity=entity, field=field, tags=tags, as_is=as_is))


@verb(
    examples=[
        "edit 'semantic/projects#Boathouse Aarhus.deadline' --set value=2026-12-11",
        "edit ep-20250708-penicillin --set pin=true --set tags='[health, nora]'",
    ]
)
@click.argument("id_", metavar="ID", type=TEXT)
@click.option(
    "--set",
    "pairs",
    metavar="F=V",
    multiple=True,
    required=True,
    type=TEXT,
    help="A field and its value; may be repeated.",
)
@AS_IS
@click.pass_obj
def edit(context: CliContext, *, id_: str, pairs: tuple[str, ...], as_is: bool) -> None:
    """Set fields of a note, or the value of a fact; no other byte changes."""
    fields = dict(_pair(pair) for pair in pairs)
    with context.app() as app:
        tell(context, app.edit(id_, fields, as_is=as_is))


@verb(examples=["forget episodes/2025-04-15_08-05-00_printer-lease", "forget 'semantic/contacts#John.value'"])
@click.argument("id_", metavar="ID", type=TEXT)
@click.pass_obj
def forget(context: CliContext, id_: str) -> None:
    """Move a note or a fact to the archive; revive brings it back."""
    with context.app() as app:
        tell(context, app.forget(id_))


@verb(examples=["revive archive/episodes/2025-04-15_08-05-00_printer-lease"])
@click.argument("id_", metavar="ID", type=TEXT)
@click.pass_obj
def revive(context: CliContext, id_: str) -> None:
    """Restore what was forgotten, unchanged."""
    with context.app() as app:
        tell(context, app.revive(id_))


@verb(examples=["trust ep-20250814-timber-packaging", "trust 'semantic/facts#Tam.car' --yes"])
@click.argument("id_", metavar="ID", type=TEXT)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def trust(context: CliContext, id_: str, *, yes: bool) -> None:
    """Trust what an agent, a tool or a web page said.

    Shows the text and asks first. What is trusted is recalled as your own words are.
    """
    with context.app() as app:
        if not yes:
            click.echo(visible(app.show(id_).text))
        if agreed(context, "Do you trust this?", yes=yes):
            tell(context, app.trust(id_))


@verb(examples=["quarantine ep-20250814-timber-packaging"])
@click.argument("id_", metavar="ID", type=TEXT)
@click.pass_obj
def quarantine(context: CliContext, id_: str) -> None:
    """Take a note or a fact out of every answer; it stays in its file, and trust brings it back."""
    with context.app() as app:
        tell(context, app.quarantine(id_))


@verb(examples=["undo 1a2b3c4", "undo remember-20261121T101500-ab12cd"])
@click.argument("commit", metavar="RUN|COMMIT", type=TEXT)
@click.option("--yes", is_flag=True, help="Take back also what makes the folder a vault.")
@click.pass_obj
def undo(context: CliContext, commit: str, *, yes: bool) -> None:
    """Revert a change that MemoryClaw made, or a whole run.

    Every later edit is kept. The undo is a commit too, and what was taken back is not consolidated again.
    """
    with context.app() as app:
        tell(context, app.undo(commit, yes=yes))


def _pair(text: str) -> tuple[str, str]:
    field, equals, value = text.partition("=")
    if not equals or not field.strip():
        raise click.BadParameter(f"{text!r} is not FIELD=VALUE", param_hint="--set")
    return field.strip(), value


def tell(context: CliContext, done: Written) -> None:
    """Prints what a writing verb did."""
    if context.json:
        as_json(shapes.written(done))
        return
    commit = f", commit {done.commit[:10]}" if done.commit else ""
    where = f"{done.id} ({done.path}{commit})" if done.id and done.path else f"{done.path or done.id}{commit}"
    say(f"{styled(done.action, bold=True)}: {styled(where)}")
    if done.notice:
        remark(done.notice)
