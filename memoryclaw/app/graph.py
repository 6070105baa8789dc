"""`app.graph`: how notes and entities are tied to one another."""

from __future__ import annotations

from memoryclaw import config as settings
from memoryclaw import rooms
from memoryclaw.app.context import AppPart, within
from memoryclaw.app.verbs import AGENTS, End, Listed, NodeId, verb
from memoryclaw.model import OWNER
from memoryclaw.recall import graph
from memoryclaw.recall.graph import Graph, GraphNode, GraphShown, NeighboursShown, PathShown


class VaultGraph(AppPart):
    """The graph of the notes and entities of a vault."""

    @verb("GET /v1/graph", "Look", "links", anywhere=True)
    def whole(self, *, limit: Listed = settings.DRAWN) -> GraphShown:
        """All nodes and the edges between them; of more than `limit` nodes those with the strongest ties.

        Raises:
            InputError: no such limit.
        """
        within(limit, 1, settings.MOST_LISTED, "how many nodes are shown")
        drawn = self._context.read(self._graph)
        return GraphShown(graph.strongest(drawn, limit), len(drawn.nodes), len(drawn.edges))

    @verb("GET /v1/graph/path", "Look", "links path A B", anywhere=True)
    def path(self, start: End, end: End) -> PathShown:
        """The shortest way from one thing to another along links, mentions and what replies cited together.

        Raises:
            NotFoundError: nothing has one of the two ids.
        """

        def look() -> PathShown:
            drawn = self._graph()
            first, last = self._node(start, drawn), self._node(end, drawn)
            return PathShown(first, last, graph.path(first.id, last.id, drawn))

        return self._context.read(look)

    @verb("GET /v1/graph/neighbours", "Look", "links neighbours ID", anywhere=True)
    def neighbours(self, id_: NodeId, *, limit: Listed = settings.BESIDE) -> NeighboursShown:
        """What a note or an entity is tied to, the strongest ties first.

        Raises:
            NotFoundError: nothing has this id.
            InputError: no such limit.
        """
        within(limit, 1, settings.MOST_LISTED, "how many neighbours are shown")

        def look() -> NeighboursShown:
            drawn = self._graph()
            node = self._node(id_, drawn)
            beside = graph.neighbours(node.id, drawn)
            return NeighboursShown(node, beside[:limit], len(beside))

        return self._context.read(look)

    @verb("GET /v1/graph/orphans", "Look", "links orphans", anywhere=True)
    def orphans(self) -> list[GraphNode]:
        """Notes, episodes and entities that nothing is tied to."""
        return self._context.read(lambda: graph.orphans(self._graph()))

    # It tells of every file of the folder whether it is there.
    @verb("GET /v1/graph/dangling", "Look", "links dangling", audience=(OWNER,), anywhere=True)
    def dangling(self) -> list[rooms.browsing.LinkEnd]:
        """The links that lead nowhere."""
        return self._context.read(lambda: graph.dangling(self._context.catalog, self._context.vault.beside()))

    def _graph(self) -> Graph:
        context = self._context
        # What replies cited is for the owner, and for the agent, who made them: to others it would tell what those two talk of.
        replies = context.ledger.record().citations if context.audience in AGENTS else ()
        with context.index.database.reading():  # one state of it, which is looked at once for damage
            return graph.graph(context.catalog, replies)

    def _node(self, id_: str, drawn: Graph) -> GraphNode:
        return graph.node_of(id_, drawn, self._context.catalog, self._context.vault)
