"""`show`, `browse`, `facts` and `links`: looking around without a question."""

from __future__ import annotations

import sys
from datetime import date
from typing import TYPE_CHECKING

import click

from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.context import CliContext
from memoryclaw.interfaces.cli.printing import as_json, remark, say, styled, table
from memoryclaw.interfaces.cli.verbs import TEXT, verb
from memoryclaw.model import Fact
from memoryclaw.text.bounds import MOST_LISTED
from memoryclaw.text.fence import visible

if TYPE_CHECKING:
    from memoryclaw.index.sync import Freshness
    from memoryclaw.recall.browsing import LinkEnd


def _day(_ctx: click.Context, _param: click.Parameter, value: str | None) -> date | None:
    try:
        return date.fromisoformat(value) if value is not None else None
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a date; write it as 2025-07-01") from None


@verb(
    examples=[
        "show semantic/projects",
        "show 'semantic/projects#Boathouse Aarhus.deadline'",
        "show log:2025-10-21-kanazawa/8 --json",
    ]
)
@click.argument("id_", metavar="ID", type=TEXT)
@click.pass_obj
def show(said: CliContext, id_: str) -> None:
    """Print a note, section, fact or turn as it stands in its file."""
    with said.app() as app:
        shown, fresh = app.show(id_), app.freshness
    if said.json:
        as_json(shapes.show(shown, fresh))
        return
    if sys.stdout.isatty():
        at = shown.address
        say(styled(f"{at.path}:{at.line}-{at.end_line}", dim=True))
    click.echo(visible(shown.text), nl=not shown.text.endswith("\n"))
    _told(fresh)


@verb(examples=["browse", "browse --kind episode --limit 10", "browse --state archived --json"])
@click.option(
    "--kind",
    metavar="KIND",
    default="",
    type=TEXT,
    help="Only one kind: episode, semantic, skill, note or log.",
)
@click.option(
    "--state",
    metavar="STATE",
    default="current",
    show_default=True,
    type=TEXT,
    help="current, archived, pending or draft.",
)
@click.option(
    "--limit",
    metavar="N",
    default=50,
    type=click.IntRange(1, MOST_LISTED),
    show_default=True,
    help="At most so many notes.",
)
@click.pass_obj
def browse(said: CliContext, kind: str, state: str, limit: int) -> None:
    """List notes: pinned ones first, then the newest."""
    with said.app() as app:
        listed, fresh = app.browse(kind=kind, state=state, limit=limit), app.freshness
    if said.json:
        as_json(shapes.browse(listed, fresh))
        return
    rows = [
        [note.id, note.kind, note.at[:10], note.title, " ".join(f"#{tag}" for tag in note.tags)]
        for note in listed
    ]
    table(["id", "kind", "date", "title", "tags"], rows)
    if not rows:
        say("No such notes.")
    _told(fresh)


@verb(examples=["facts", "facts 'Boathouse Aarhus' --history", "facts boathouse --as-of 2025-07-01"])
@click.argument("entity", required=False, default="", type=TEXT)
@click.option("--as-of", metavar="DATE", callback=_day, help="What was held true on that day.")
@click.option("--history", is_flag=True, help="Superseded values too.")
@click.pass_obj
def facts(said: CliContext, entity: str, as_of: date | None, history: bool) -> None:
    """List what is held true, of one entity or of all."""
    with said.app() as app:
        found, fresh = app.facts(entity, as_of=as_of, history=history), app.freshness
    if said.json:
        as_json(shapes.facts(found, fresh))
        return
    dated = history or as_of is not None
    table(
        ["entity", "field", "value", "since", *(["until"] if dated else []), "where"],
        [_fact(*pair, dated) for pair in found],
    )
    if not found:
        say("No such facts.")
    _told(fresh)


@verb(examples=["links semantic/projects", "links ep-20250708-penicillin", "links Home --json"])
@click.argument("id_", metavar="ID", type=TEXT)
@click.pass_obj
def links(said: CliContext, id_: str) -> None:
    """List the links of a note: out of it, and back to it."""
    with said.app() as app:
        found, fresh = app.links(id_), app.freshness
    if said.json:
        as_json(shapes.links(id_, found, fresh))
        return
    rows = [_link("out", end) for end in found.out] + [_link("back", end) for end in found.back]
    table(["", "where", "link", "leads to"], rows)
    if not rows:
        say("No links.")
    _told(fresh)


def _told(fresh: Freshness) -> None:
    if fresh.degraded:
        remark(f"Degraded: {fresh.degraded}")


def _fact(path: str, fact: Fact, dated: bool) -> list[str]:
    until = [fact.until] if dated else []
    return [
        fact.entity,
        "" if fact.field == "value" else fact.field,
        fact.value,
        fact.since,
        *until,
        f"{path}:{fact.line}",
    ]


def _link(direction: str, end: LinkEnd) -> list[str]:
    label = f"{end.target} ({end.label})" if end.label else end.target
    return [direction, f"{end.source}:{end.line}", label, end.to or "nothing yet"]
