"""`links`: the links of a note, and the graph of notes and entities: paths, neighbours, what is tied to nothing, DOT."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoryclaw import rooms
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import print_freshness, remark, say, styled
from memoryclaw.interfaces.cli.tables import table
from memoryclaw.interfaces.cli.verbs import ID, CliContext, flag, group
from memoryclaw.text.prompts import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_LINKED = "init\nremember oolong --entity Nora --field tea\nremember Nora --entity Tomas --field friend\n"
_TIES = {"link": ("links to", "linked from"), "mention": ("names", "named in"), "cited": ("cited with",) * 2}
_STYLES = {"link": "", "mention": ' style="dashed"', "cited": ' style="dotted" dir="none"'}


@group(
    f"{_LINKED}links",
    "links path Home 'Boathouse Aarhus'",
    "links --dot | dot -Tsvg -o vault.svg",
    default="show",
    takes=True,
)
def links() -> None:
    """List links, and show how notes and entities are connected.

    With an ID, its links; without one, the whole graph. If an ID is also a command name, put `--`
    before it.
    """


@links.verb(
    f"{_LINKED}links show",
    "links ep-20250708-penicillin",
    "links Home --json",
    "links --dot",
    of="graph.whole",
)
@click.argument("id_", metavar="[ID]", required=False, default="", type=ID)
@flag("--dot", "Print the graph for Graphviz.")
def show(context: CliContext, id_: str, *, dot: bool, limit: int) -> None:
    """List the links from a note and to it. Without an ID, the whole graph."""
    if id_ and dot:
        raise click.UsageError("--dot shows the whole graph; give no ID.")
    if id_:
        context.carry_out(_links_of, "links", {"id_": id_})
        return
    with context.app() as app:
        drawn, fresh = app.graph.whole(limit=limit), app.freshness
    if dot:
        for line in _dot(drawn):
            click.echo(line)
    elif context.printed(shapes.graph, drawn, fresh):
        return
    else:
        edges = drawn.graph.edges
        # Of all nodes, not of those alone that are shown.
        nothing = "" if drawn.notice else "Nothing is linked yet."
        _ties(((edge, edge.source, edge.target) for edge in edges), nothing)
    remark(drawn.notice)
    print_freshness(fresh)


@links.verb(
    f"{_LINKED}links path semantic/facts#Nora semantic/facts#Tomas",
    "links path Home Nora --json",
    of="graph.path",
)
def path(way: rooms.graph.PathShown) -> None:
    """Show the shortest path from one note or entity to another."""
    _ties((step.edge, step.source.id, step.target.id) for step in way.steps or ())
    if way.steps is None:
        say(f"There is no path from {styled(way.start.id)} to {styled(way.end.id)}.")
    elif not way.steps:
        say("Both are the same.")


@links.verb(
    f"{_LINKED}links neighbours semantic/facts#Nora",
    "links neighbours Home --limit 5 --json",
    of="graph.neighbours",
)
def neighbours(shown: rooms.graph.NeighboursShown) -> None:
    """List the neighbours of a note or an entity, the closest first."""
    rows = []
    for beside in shown.neighbours:
        kinds = ", ".join(dict.fromkeys(edge.kind for edge in beside.edges))
        rows.append([f"{beside.weight:.2f}", beside.node.id, kinds, beside.edges[0].place])
    table(["weight", "neighbour", "by", "where"], rows)
    if not shown.neighbours:
        say("Nothing is linked to it.")
    elif shown.total > len(shown.neighbours):
        remark(f"{len(shown.neighbours)} of {shown.total} are shown; --limit shows more")


@links.verb(
    "init\nremember oolong --entity Nora --field tea\nlinks orphans",
    "links orphans --json",
    of="graph.orphans",
)
def orphans(nodes: Sequence[rooms.graph.GraphNode]) -> None:
    """List notes and entities without any link."""
    rows = [[node.id, node.kind, node.title] for node in nodes]
    table(["id", "kind", "title"], rows, "Everything is linked to something.")


@links.verb("init\nlinks dangling", "links dangling --json", of="graph.dangling")
def dangling(ends: Sequence[rooms.browsing.LinkEnd]) -> None:
    """List links that lead nowhere."""
    rows = [[f"{end.source}:{end.line}", _written(end)] for end in ends]
    table(["where", "link"], rows, "Every link leads somewhere.")


def _links_of(links: rooms.browsing.Links) -> None:
    ends = [*(("out", end) for end in links.out), *(("back", end) for end in links.back)]
    rows = [[way, f"{end.source}:{end.line}", _written(end), end.to or "nothing yet"] for way, end in ends]
    table(["", "where", "link", "leads to"], rows, "No links.")


def _written(end: rooms.browsing.LinkEnd) -> str:
    return f"{end.target} ({end.label})" if end.label else end.target


def _ties(edges: Iterable[tuple[rooms.graph.Edge, str, str]], nothing: str = "") -> None:
    """Prints what ties two nodes, as seen from the first of them."""
    rows = [(a, _TIES[edge.kind][edge.source != a], b, edge.place) for edge, a, b in edges]
    table(["from", "", "to", "where"], rows, nothing)


def _dot(shown: rooms.graph.GraphShown) -> Iterable[str]:
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
