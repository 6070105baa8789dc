"""The graph of a vault: notes and entities, and what ties them. A pure function of the index and of what replies cited. Reads only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations, pairwise

from memoryclaw.errors import NotFoundError
from memoryclaw.index.catalog import Catalog
from memoryclaw.late import NamedTuple
from memoryclaw.recall.browsing import NAMED, LinkEnd, address_of, entity_id, lead_to
from memoryclaw.text.frontmatter import is_filled_in
from memoryclaw.text.language import key_of, keys_of
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.ledger_usage import Cited

LINKED = 1.0  # what a link counts; nothing else reaches it, so a link by hand comes first
MENTIONED = 0.5  # a note that names an entity in its header, a fact whose value is another entity
CITED = 0.15  # two that one reply cites
_MOST_CITED = 20  # of one reply that are tied to one another
_NOTES = ("episode", "note", "semantic", "skill")


class GraphNode(NamedTuple):
    """A note or an entity."""

    id: str
    kind: str  # episode, note, semantic, skill, log or entity
    title: str
    path: str
    state: str = "current"


class Edge(NamedTuple):
    """All ties of one kind from one node to another."""

    source: str
    target: str
    kind: str  # link, mention or cited (which has no direction: its source is the first by id)
    times: int
    path: str  # where the first of them stands; empty for cited
    line: int
    last: str  # ISO date of the last reply that cited both

    @property
    def place(self) -> str:
        """Where it can be read, in words."""
        if self.kind != "cited":
            return f"{self.path}:{self.line}"
        replies = "one reply" if self.times == 1 else f"{self.times} replies"
        return f"{replies}, {'' if self.times == 1 else 'the last '}on {self.last}"


class Graph(NamedTuple):
    """Nodes by id, and the edges between them in the order of source, target and kind."""

    nodes: Mapping[str, GraphNode]
    edges: tuple[Edge, ...]

    def beside(self) -> dict[str, dict[str, list[Edge]]]:
        """The neighbours of each node that has one, each with the edges to it, in order of ids."""
        neighbours: dict[str, dict[str, list[Edge]]] = {}
        for edge in self.edges:
            for start, end in ((edge.source, edge.target), (edge.target, edge.source)):
                neighbours.setdefault(start, {}).setdefault(end, []).append(edge)
        return {id_: dict(sorted(neighbours[id_].items())) for id_ in sorted(neighbours)}


class NodeBeside(NamedTuple):
    """A neighbour of a node, and what ties the two."""

    node: GraphNode
    weight: float
    edges: tuple[Edge, ...]


class PathStep(NamedTuple):
    """One step of a path, by the strongest edge there is; it may go against the direction of a link."""

    source: GraphNode
    target: GraphNode
    edge: Edge


def graph(catalog: Catalog, replies: Iterable[Cited] = ()) -> Graph:
    """The graph of what an index knows, with co-citation from some replies; what the index does not know is not in it."""
    return _GraphReader(catalog).read(replies)


def weight(edges: Iterable[Edge]) -> float:
    """How strongly two nodes are tied: 1 for links, and what else there is, a + b - ab for a mention and each reply, below 1."""
    kinds = {edge.kind: edge.times for edge in edges}
    apart = (1 - MENTIONED) ** ("mention" in kinds) * (1 - CITED) ** kinds.get("cited", 0)
    return round(LINKED * ("link" in kinds) + 1 - apart, 4)


def node_of(id_: str, graph: Graph, catalog: Catalog, vault: Vault) -> GraphNode:
    """The node that an id, a name or an alias leads to: the entity of a fact, the note of a section, the log of a turn.

    Raises:
        NotFoundError: nothing has this id, or it is no part of the graph.
    """
    if id_ in graph.nodes:
        return graph.nodes[id_]
    address = address_of(id_, catalog, vault)
    named = address.entity if address.kind in ("fact", "entity") else ""
    ids = [*([entity_id(named, catalog)] if named else []), address.id, address.note]
    if node := next((graph.nodes[known] for known in ids if known in graph.nodes), None):
        return node
    raise NotFoundError(
        f"{address.id!r} is not in the graph, which holds notes, entities, and the logs that something is tied to"
    )


def neighbours(id_: str, graph: Graph) -> list[NodeBeside]:
    """What a node is tied to, the strongest first, then by id."""
    beside = graph.beside().get(id_, {})
    ties = [NodeBeside(graph.nodes[to], weight(edges), tuple(edges)) for to, edges in beside.items()]
    return sorted(ties, key=lambda tie: (-tie.weight, tie.node.id))


def path(start: str, end: str, graph: Graph) -> list[PathStep] | None:
    """The fewest steps from one node to another, of several ways the first by the ids on it; None where there is no way."""
    beside = graph.beside()
    came = {start: ""}
    reached = [start]
    for current in reached:  # which grows meanwhile, the nearest first
        fresh = [neighbour for neighbour in beside.get(current, {}) if neighbour not in came]
        came.update(dict.fromkeys(fresh, current))
        reached += fresh
    if end not in came:
        return None
    ids = [end]
    while came[ids[-1]]:
        ids.append(came[ids[-1]])
    ids.reverse()
    return [
        PathStep(
            graph.nodes[current],
            graph.nodes[neighbour],
            max(beside[current][neighbour], key=lambda edge: weight([edge])),
        )
        for current, neighbour in pairwise(ids)
    ]


def orphans(graph: Graph) -> list[GraphNode]:
    """Notes, episodes and entities that nothing is tied to, by id; what is in the archive, files of facts and skills are left out."""
    tied = {id_ for edge in graph.edges for id_ in (edge.source, edge.target)}
    kinds = ("episode", "note", "entity")
    return [
        node
        for id_, node in sorted(graph.nodes.items())
        if id_ not in tied and node.kind in kinds and node.state == "current"
    ]


def dangling(catalog: Catalog, is_file: Callable[[str, str], bool]) -> list[LinkEnd]:
    """The links that lead nowhere, by path and line.

    Args:
        is_file: whether a target, as it is written in the note at a path, is a file that is no note.
    """
    # By target, and where that names folders by the folder of the note, too: many notes show one picture.
    leads: dict[tuple[str, str], bool] = {}

    def is_there(path: str, target: str) -> bool:
        place = (path.rpartition("/")[0] if "/" in target else "", target)
        if place not in leads:
            leads[place] = is_file(path, target) or bool(lead_to(target, path, catalog))
        return leads[place]

    rows = catalog.rows(
        "select path, line, target, anchor, label from links where target != '' order by path, seq"
    )
    return [
        LinkEnd(path, line, f"{target}#{anchor}" if anchor else target, label, "")
        for path, line, target, anchor, label in rows
        if not is_filled_in(target) and "://" not in target and not is_there(path, target)
    ]


def strongest(graph: Graph, limit: int) -> Graph:
    """At most so many nodes, those with the strongest ties in all, then by id, and the edges between them."""
    if len(graph.nodes) <= limit:
        return graph
    ties = {id_: sum(weight(edges) for edges in beside.values()) for id_, beside in graph.beside().items()}
    ids = set(sorted(graph.nodes, key=lambda id_: (-ties.get(id_, 0.0), id_))[:limit])
    return Graph(
        {id_: node for id_, node in graph.nodes.items() if id_ in ids},
        tuple(edge for edge in graph.edges if edge.source in ids and edge.target in ids),
    )


class _GraphReader:
    """Reads the graph from the tables of one index."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._led: dict[tuple[str, str], str] = {}  # what a target in a folder leads to
        self._entities: dict[str, str] = {}  # ids of entities by name
        self._nodes: dict[str, GraphNode] = {}
        self._logs: dict[str, GraphNode] = {}  # a part of the graph only where something is tied to them
        self._notes: dict[str, GraphNode] = {}  # by path
        self._edges: dict[tuple[str, str, str], Edge] = {}

    def read(self, replies: Iterable[Cited]) -> Graph:
        """Nodes, then edges of each kind."""
        self._read_notes()
        facts = self._read_entities()
        self._link(facts)
        self._mention(facts)
        self._cite(list(replies))
        return Graph(
            dict(sorted(self._nodes.items())), tuple(edge for _, edge in sorted(self._edges.items()))
        )

    def _read_notes(self) -> None:
        sql = "select id, kind, title, path, state from files where state in ('current', 'archived') order by path"
        for row in self._catalog.rows(sql):
            node = GraphNode(*row)
            if node.kind in _NOTES:
                self._notes[node.path] = self._nodes.setdefault(node.id, node)
            elif node.kind == "log":
                self._notes[node.path] = self._logs.setdefault(node.id, node)

    def _read_entities(self) -> list[tuple[str, int, str, str]]:
        """Makes the nodes of entities; tells of each line about one: (path, line, id of the entity, value that holds now)."""
        sql = """select path, line, entity, case when current = 1 and type = 'fact' then value else '' end from facts
            where entity != '' order by current desc, path, seq"""
        lines = []
        for path_, line, name, value in self._catalog.rows(sql):
            if path_ not in self._notes:
                continue
            if name not in self._entities:
                id_ = self._entities[name] = entity_id(name, self._catalog)
                self._nodes.setdefault(id_, GraphNode(id_, "entity", id_.partition("#")[2], path_))
            lines.append((path_, line, self._entities[name], value))
        return lines

    def _link(self, facts: Iterable[tuple[str, int, str, str]]) -> None:
        """Links: those in the line of a fact in `semantic/` are its entity's."""
        entity_at = {
            (path_, line): id_ for path_, line, id_, _ in facts if self._notes[path_].kind == "semantic"
        }
        for path_, target, line in self._catalog.rows(
            "select path, target, line from links order by path, seq"
        ):
            if path_ in self._notes and target:
                source = entity_at.get((path_, line)) or self._notes[path_].id
                place = (target, path_.rpartition("/")[0])
                if place not in self._led:
                    self._led[place] = lead_to(target, path_, self._catalog)
                self._tie(Edge(source, self._led[place], "link", 1, path_, line, ""))

    def _mention(self, facts: Iterable[tuple[str, int, str, str]]) -> None:
        """Entities that notes name in their headers, and those that are the value of another's fact."""
        id_by_key: dict[str, str] = {}
        for name, id_ in sorted(self._entities.items()):
            for key in keys_of(name):
                id_by_key.setdefault(key, id_)
        for key, expansion in self._catalog.rows(
            "select key, expansion from aliases order by key, expansion"
        ):
            if key_of(expansion) in id_by_key:
                id_by_key.setdefault(key, id_by_key[key_of(expansion)])
        sql = "select path, key from names where kind in (select value from json_each(?)) order by path, key"
        named = [
            (path_, id_by_key[key])
            for path_, key in self._catalog.rows(sql, (json.dumps(NAMED),))
            if key in id_by_key
        ]
        for path_, id_ in dict.fromkeys(named):
            if path_ in self._notes and self._notes[path_].kind not in ("semantic", "log"):
                self._tie(Edge(self._notes[path_].id, id_, "mention", 1, path_, 1, ""))
        for path_, line, id_, value in facts:
            target = id_by_key.get(key_of(value), "") if value else ""
            if (id_, target, "link") not in self._edges:  # a value may be written as a link
                self._tie(Edge(id_, target, "mention", 1, path_, line, ""))

    def _cite(self, replies: list[Cited]) -> None:
        nodes = self._cited_nodes({id_ for reply in replies for id_ in reply.ids})
        for reply in replies:
            cited = dict.fromkeys(nodes[id_] for id_ in reply.ids if id_ in nodes)
            for source, target in combinations(sorted(list(cited)[:_MOST_CITED]), 2):
                self._tie(Edge(source, target, "cited", 1, "", 0, reply.day))

    def _cited_nodes(self, ids: set[str]) -> dict[str, str]:
        """The node of each cited id that is still there."""
        json_ids = json.dumps(sorted(ids))
        sql = """select u.id, u.kind, u.entity, u.path from units u
            where u.id in (select value from json_each(?)) order by u.path desc, u.seq desc"""
        nodes: dict[str, str] = {}
        for id_, kind, name, path_ in self._catalog.rows(sql, (json_ids,)):
            node = self._notes.get(path_)
            if node is not None:
                nodes[id_] = self._entities.get(name, node.id) if kind == "fact" else node.id
        nodes.update((id_, id_) for id_ in ids if id_ in self._nodes)
        for id_ in ids - nodes.keys():  # a section, or a line that was rewritten since
            if (note := id_.partition("#")[0]) in self._nodes:
                nodes[id_] = note
        return nodes

    def _tie(self, edge: Edge) -> None:
        """Adds a tie to those of its kind between the two, if both are there and apart."""
        source, target, _kind = place = edge[:3]
        for id_ in (source, target):
            if id_ in self._logs:
                self._nodes.setdefault(id_, self._logs[id_])
        if source == target or source not in self._nodes or target not in self._nodes:
            return
        earlier = self._edges.get(place)
        repeated = earlier and earlier._replace(times=earlier.times + 1, last=max(earlier.last, edge.last))
        self._edges[place] = repeated or edge


# What the verbs show of it.


class PathShown(NamedTuple):
    """The way from one node to another; `steps` is None where there is none."""

    start: GraphNode
    end: GraphNode
    steps: list[PathStep] | None


class GraphShown(NamedTuple):
    """The graph, or the part of it with the strongest ties."""

    graph: Graph
    nodes: int  # that there are in all
    edges: int

    @property
    def notice(self) -> str:
        """What was left out, in one sentence."""
        shown = len(self.graph.nodes)
        if shown == self.nodes:
            return ""
        return f"only the {shown} of {self.nodes} nodes with the strongest ties are shown; --limit shows more"


class NeighboursShown(NamedTuple):
    """The neighbours of one node, the strongest first."""

    node: GraphNode
    neighbours: list[NodeBeside]
    total: int
