"""`links`: the links of a note, and the graph of notes and entities: paths, neighbours, what is tied to nothing, DOT."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoryclaw.config import BESIDE, DRAWN, MOST_LISTED
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.looking import print_freshness
from memoryclaw.interfaces.cli.printing import as_json, remark, say, styled
from memoryclaw.interfaces.cli.tables import table
from memoryclaw.interfaces.cli.verbs import ID, CliContext, group
from memoryclaw.text.prompts import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoryclaw.recall.browsing import LinkEnd
    from memoryclaw.recall.graph import Edge, GraphShown

_STYLES = {"link": "", "mention": ' style="dashed"', "cited": ' style="dotted" dir="none"'}


@group(
    default="show",
    takes=True,
    examples=[
        "init\nremember oolong --entity Nora --field tea\nremember Nora --entity Tomas --field friend\nlinks",
        "links path Home 'Boathouse Aarhus'",
        "links --dot | dot -Tsvg -o vault.svg",
    ],
)
def links() -> None:
    """List links, and show how notes and entities are tied.

    With an ID, its links; without one, the whole graph. An ID that is called as a command is: links -- path.
    """


@links.command(
    "show",
    examples=[
        "init\nremember oolong --entity Nora --field tea\nremember Nora --entity Tomas --field friend\nlinks show",
        "links ep-20250708-penicillin",
        "links Home --json",
        "links --dot",
    ],
)
@click.argument("id_", metavar="[ID]", required=False, default="", type=ID)
@click.option("--dot", is_flag=True, help="The whole graph in the language of Graphviz.")
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1, MOST_LISTED),
    default=DRAWN,
    show_default=True,
    help="At most so many nodes of the whole graph, those with the strongest ties.",
)
@click.pass_obj
def show(context: CliContext, id_: str, *, dot: bool, limit: int) -> None:
    """List the links from a note and to it; without an ID, everything that ties notes and entities."""
    if id_:
        if dot:
            raise click.UsageError("--dot shows the whole graph; give no ID.")
        _links_of(context, id_)
        return
    with context.app() as app:
        whole, fresh = app.graph.whole(limit=limit), app.freshness
    if dot:
        for line in _dot(whole):
            click.echo(line)
    elif context.json:
        as_json(shapes.graph(whole, fresh))
        return
    else:
        table(["from", "", "to", "where"], [_edge(edge) for edge in whole.graph.edges])
        if not whole.graph.edges:
            say("Nothing is tied to anything yet.")
    if whole.notice:
        remark(whole.notice)
    print_freshness(fresh)


@links.command(
    "path",
    examples=[
        "init\nremember oolong --entity Nora --field tea\nremember Nora --entity Tomas --field friend\nlinks path semantic/facts#Nora semantic/facts#Tomas",
        "links path Home Nora --json",
    ],
)
@click.argument("start", metavar="A", type=ID)
@click.argument("end", metavar="B", type=ID)
@click.pass_obj
def path(context: CliContext, start: str, end: str) -> None:
    """Show the shortest way from one note or entity to another."""
    with context.app() as app:
        found, fresh = app.graph.path(start, end), app.freshness
    if context.json:
        as_json(shapes.path(found, fresh))
        return
    table(
        ["from", "", "to", "where"],
        [
            [one.source.id, _tie(one.edge, one.source.id), one.target.id, one.edge.place]
            for one in found.steps or ()
        ],
    )
    if found.steps is None:
        say(f"No way leads from {styled(found.start.id)} to {styled(found.end.id)}.")
    elif not found.steps:
        say("Both are the same.")
    print_freshness(fresh)


@links.command(
    "neighbours",
    examples=[
        "init\nremember oolong --entity Nora --field tea\nremember Nora --entity Tomas --field friend\nlinks neighbours semantic/facts#Nora",
        "links neighbours Home --limit 5 --json",
    ],
)
@click.argument("id_", metavar="ID", type=ID)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1, MOST_LISTED),
    default=BESIDE,
    show_default=True,
    help="At most so many.",
)
@click.pass_obj
def neighbours(context: CliContext, id_: str, limit: int) -> None:
    """List what a note or an entity is tied to, the strongest ties first."""
    with context.app() as app:
        found, fresh = app.graph.neighbours(id_, limit=limit), app.freshness
    if context.json:
        as_json(shapes.neighbours(found, fresh))
        return
    table(
        ["weight", "neighbour", "by", "where"],
        [
            [
                f"{one.weight:.2f}",
                one.node.id,
                ", ".join(dict.fromkeys(edge.kind for edge in one.edges)),
                one.edges[0].place,
            ]
            for one in found.neighbours
        ],
    )
    if not found.neighbours:
        say("Nothing is tied to it.")
    elif found.total > len(found.neighbours):
        remark(f"{len(found.neighbours)} of {found.total} are shown; --limit shows more")
    print_freshness(fresh)


@links.command(
    "orphans",
    examples=["init\nremember oolong --entity Nora --field tea\nlinks orphans", "links orphans --json"],
)
@click.pass_obj
def orphans(context: CliContext) -> None:
    """List the notes and entities that nothing is tied to."""
    with context.app() as app:
        found, fresh = app.graph.orphans(), app.freshness
    if context.json:
        as_json(shapes.orphans(found, fresh))
        return
    table(["id", "kind", "title"], [[one.id, one.kind, one.title] for one in found])
    if not found:
        say("Everything is tied to something.")
    print_freshness(fresh)


@links.command("dangling", examples=["init\nlinks dangling", "links dangling --json"])
@click.pass_obj
def dangling(context: CliContext) -> None:
    """List the links that lead nowhere."""
    with context.app() as app:
        found, fresh = app.graph.dangling(), app.freshness
    if context.json:
        as_json(shapes.dangling(found, fresh))
        return
    table(["where", "link"], [[f"{end.source}:{end.line}", _written(end)] for end in found])
    if not found:
        say("Every link leads somewhere.")
    print_freshness(fresh)


def _links_of(context: CliContext, id_: str) -> None:
    with context.app() as app:
        found, fresh = app.links(id_), app.freshness
    if context.json:
        as_json(shapes.links(id_, found, fresh))
        return
    rows = [_link("out", end) for end in found.out] + [_link("back", end) for end in found.back]
    table(["", "where", "link", "leads to"], rows)
    if not rows:
        say("No links.")
    print_freshness(fresh)


def _link(direction: str, end: LinkEnd) -> list[str]:
    return [direction, f"{end.source}:{end.line}", _written(end), end.to or "nothing yet"]


def _written(end: LinkEnd) -> str:
    return f"{end.target} ({end.label})" if end.label else end.target


def _edge(edge: Edge) -> list[str]:
    return [edge.source, _tie(edge, edge.source), edge.target, edge.place]


def _tie(edge: Edge, source: str) -> str:
    """What ties two nodes, as seen from one of them."""
    words = {
        "link": ("links to", "linked from"),
        "mention": ("names", "named in"),
        "cited": ("cited with",) * 2,
    }
    return words[edge.kind][edge.source != source]


def _dot(shown: GraphShown) -> Iterable[str]:
    """The graph in DOT; a link is a line, a mention dashed, what replies cited together dotted."""
    yield "digraph vault {"
    if shown.notice:
        yield f"  // {one_line(shown.notice)}"
    yield '  node [shape="box"];'
    for node in shown.graph.nodes.values():
        shape = ' shape="ellipse"' if node.kind == "entity" else ""
        yield f"  {_quoted(node.id)} [label={_quoted(node.title or node.id)}{shape}];"
    for edge in shown.graph.edges:
        yield f"  {_quoted(edge.source)} -> {_quoted(edge.target)} [label={_quoted(edge.kind)}{_STYLES[edge.kind]}];"
    yield "}"


def _quoted(text: str) -> str:
    """A string of DOT: on one line, and nothing in it ends it or is an escape."""
    text = one_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
