"""The graph of notes and entities: what ties them, how strongly, and the ways through it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import VaultOf, put

from memoryclaw.app import App, open_vault
from memoryclaw.errors import ForbiddenError, InputError, NotFoundError
from memoryclaw.recall.graph import Edge, weight

TIED = {
    "memoryclaw.yaml": "",
    "Home.md": "See [[plan]] and [[Atlas]], and [[plan]] again.\n",
    "notes/plan.md": "---\nentities: [Atlas]\n---\nThe plan of [[Nowhere]], with [[chart.png]] and [here](gone.md).\n",
    "notes/chart.png": "no picture",
    "notes/old.md": "Linked [[alone]].\n",
    "notes/alone.md": "Back to [[old]], by an [[Home#Top|anchor]].\n",
    "notes/orphan.md": "Nobody knows me.\n",
    "notes/path.md": "A note that is called as a command is: [[Home]].\n",
    "episodes/2026-03-01_10-00-00_kick-off.md": (
        "---\nid: ep-kick-off\ntimestamp: 2026-03-01T10:00:00Z\nsummary: The kick-off\nparticipants: [Rosa Blau]\nproject: Atlas\n"
        "---\nWe began.\n"
    ),
    "episodes/2026-03-02_10-00-00_crane.md": "---\nid: ep-crane\ntimestamp: 2026-03-02T10:00:00Z\nsummary: The crane\n---\nIt came.\n",
    "archive/notes/attic.md": "Kept: [[plan]].\n",
    "semantic/projects.md": (
        "# Atlas\n- lead: Rosa Blau [source:: [[2026-03-01_10-00-00_kick-off]]]\n- budget: 40,000 EUR\n\n# Borealis\n- lead: Rosa Blau\n"
        "- sister: [[Atlas]]\n\n# Quiet\n- deadline: 2026-09-01\n"
    ),
    "semantic/people.md": "- Rosa Blau:\n    phone: 12345\n",
    "semantic/aliases.yaml": "Rosa Blau: [Rosie]\n",
    "notes/about.md": "---\npeople: [Rosie]\n---\nRosie was here.\n",
}  # fmt: skip
ATLAS, BOREALIS, ROSA = "semantic/projects#Atlas", "semantic/projects#Borealis", "semantic/people#Rosa Blau"


@pytest.fixture
def vault(vault_of: VaultOf) -> Path:
    return vault_of(TIED)


@pytest.fixture
def app(vault: Path) -> Iterator[App]:
    with open_vault(vault) as app:
        yield app


def cited(vault: Path, *replies: tuple[str, ...]) -> None:
    """Notes what replies cited, one a minute of one day."""
    lines = [
        {
            "ts": f"2026-04-{1 + n // 60:02}T10:{n % 60:02}:00Z",
            "event": "cited",
            "session": "s",
            "ids": list(ids),
        }
        for n, ids in enumerate(replies)
    ]
    put(vault, {"ledger/desk/2026-04.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})


def edges(app: App) -> list[tuple[str, str, str]]:
    return [(edge.source, edge.kind, edge.target) for edge in app.graph.whole().graph.edges]


def beside(app: App, id_: str) -> list[tuple[str, float]]:
    return [(neighbour.node.id, neighbour.weight) for neighbour in app.graph.neighbours(id_).neighbours]


def test_links_mentions_and_values_tie_notes_and_entities(app: App) -> None:
    assert edges(app) == sorted([
        ("Home", "link", ATLAS), ("Home", "link", "notes/plan"),
        ("archive/notes/attic", "link", "notes/plan"), ("ep-kick-off", "mention", ROSA),
        ("ep-kick-off", "mention", ATLAS), ("notes/about", "mention", ROSA), ("notes/alone", "link", "Home"),
        ("notes/alone", "link", "notes/old"), ("notes/old", "link", "notes/alone"),
        ("notes/path", "link", "Home"), ("notes/plan", "mention", ATLAS), (ATLAS, "link", "ep-kick-off"),
        (ATLAS, "mention", ROSA), (BOREALIS, "link", ATLAS), (BOREALIS, "mention", ROSA),
    ], key=lambda edge: (edge[0], edge[2], edge[1]))  # fmt: skip
    whole = app.graph.whole().graph
    twice = next(edge for edge in whole.edges if (edge.source, edge.target) == ("Home", "notes/plan"))
    assert (twice.times, twice.place) == (2, "Home.md:1")
    source = next(edge for edge in whole.edges if (edge.source, edge.target) == (ATLAS, "ep-kick-off"))
    assert source.place == "semantic/projects.md:2"
    assert whole.nodes[ROSA] == (ROSA, "entity", "Rosa Blau", "semantic/people.md", "current")
    assert whole.nodes["archive/notes/attic"].state == "archived"


def test_every_end_of_an_edge_is_a_node_that_can_be_shown(app: App) -> None:
    whole = app.graph.whole().graph
    assert {end for edge in whole.edges for end in (edge.source, edge.target)} <= whole.nodes.keys()
    for id_ in whole.nodes:
        assert app.show(id_).text


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ([], 0.0),
        ([("link", 1)], 1.0),
        ([("link", 9)], 1.0),
        ([("mention", 1)], 0.5),
        ([("cited", 1)], 0.15),
        ([("cited", 2)], 0.2775),
        ([("mention", 3), ("cited", 1)], 0.575),
        ([("link", 1), ("cited", 1)], 1.15),
    ],
)
def test_a_weight_is_that_of_a_link_and_what_uses_add_to_it(
    kinds: list[tuple[str, int]], expected: float
) -> None:
    assert weight(Edge("a", "b", kind, times, "", 0, "") for kind, times in kinds) == pytest.approx(expected)


def test_what_replies_cite_together_ties_it_and_the_more_often_the_stronger(vault: Path) -> None:
    """Weights change this answer, the order of neighbours, and no other: recall does not follow the graph."""
    with open_vault(vault) as app:
        assert beside(app, "notes/orphan") == []
    cited(
        vault,
        ("notes/orphan", "ep-crane"),
        ("notes/orphan", "notes/about", "notes/orphan"),
        ("notes/about", "notes/orphan"),
    )
    with open_vault(vault) as app:
        # Without weights `ep-crane` would be first, by its id.
        assert beside(app, "notes/orphan") == [("notes/about", 0.2775), ("ep-crane", 0.15)]
        tie = app.graph.neighbours("notes/orphan").neighbours[0].edges[0]
        assert (tie.kind, tie.times, tie.last) == ("cited", 2, "2026-04-01")
        assert tie.place == "2 replies, the last on 2026-04-01"
        assert "notes/orphan" not in {note.id for note in app.graph.orphans()}


def test_a_link_by_hand_is_stronger_than_any_use_and_uses_order_what_is_linked(vault: Path) -> None:
    cited(vault, *[("Home", "notes/orphan")] * 40, ("Home", ATLAS))
    with open_vault(vault) as app:
        assert beside(app, "Home")[0] == (ATLAS, 1.15)
        neighbours = dict(beside(app, "Home"))
        assert neighbours["notes/plan"] == 1.0
        assert 0.99 < neighbours["notes/orphan"] < 1.0


def test_a_citation_counts_for_the_note_or_entity_that_it_is_part_of(vault: Path) -> None:
    put(vault, {"logs/2026-04-01/s.jsonl": json.dumps({"ts": "2026-04-01T09:00:00Z", "session": "s", "turn": 1, "role": "user", "content": "Hello there"}) + "\n"})  # fmt: skip
    cited(
        vault,
        (f"{ATLAS}.budget", f"{ATLAS}.lead", "notes/orphan#Some heading"),
        ("log:s/1", "ep-crane"),
        ("gone", "notes/never", "ep-crane"),
    )
    with open_vault(vault) as app:
        assert beside(app, "notes/orphan") == [(ATLAS, 0.15)]
        assert beside(app, "ep-crane") == [("logs/2026-04-01/s.jsonl", 0.15)]
        assert app.graph.neighbours("log:s/1").node.kind == "log"


def test_a_reply_that_cites_everything_ties_only_so_many(vault: Path) -> None:
    cited(vault, tuple(f"{ATLAS}.lead" if n == 0 else f"notes/n{n}" for n in range(60)))
    put(vault, {f"notes/n{n}.md": "Text.\n" for n in range(60)})
    with open_vault(vault) as app:
        tied = [edge for edge in app.graph.whole().graph.edges if edge.kind == "cited"]
    assert len(tied) == 20 * 19 / 2


def test_the_ledger_of_a_renamed_note_still_counts(vault: Path) -> None:
    cited(vault, ("notes/orphan", "ep-crane"))
    with open_vault(vault) as app:
        app.sync()
        (vault / "notes/orphan.md").rename(vault / "notes/found.md")
        assert beside(app, "notes/found") == [("ep-crane", 0.15)]


# Whatever the order in which things are read, the graph is the same.


def test_the_graph_of_an_index_kept_up_to_date_is_that_of_a_new_one(vault: Path) -> None:
    cited(vault, ("notes/orphan", "ep-crane"))
    with open_vault(vault) as app:
        before = app.graph.whole()
        (vault / "Home.md").write_text("Nothing.\n")
        assert app.graph.whole() != before
        (vault / "Home.md").write_text(TIED["Home.md"])
        assert app.graph.whole() == before
        app.reindex()
        assert app.graph.whole() == before


# Paths.


def ids(app: App, start: str, end: str) -> list[tuple[str, str, str]] | None:
    steps = app.graph.path(start, end).steps
    return steps and [(step.source.id, step.edge.kind, step.target.id) for step in steps]


def test_a_path_is_the_shortest_and_goes_both_ways(app: App) -> None:
    assert ids(app, "notes/alone", "Rosie") == [
        ("notes/alone", "link", "Home"),
        ("Home", "link", ATLAS),
        (ATLAS, "mention", ROSA),
    ]
    back = ids(app, "Rosie", "notes/alone")
    assert back is not None
    assert [step[0] for step in back] == [ROSA, ATLAS, "Home"]
    assert ids(app, "Home", "Home") == []
    assert app.graph.path("Home", "notes/orphan").steps is None


def test_of_several_shortest_paths_the_first_by_id_is_taken(vault_of: VaultOf) -> None:
    ways = {f"{name}.md": "[[z]]\n" for name in ("m", "b", "x")}
    with open_vault(
        vault_of({"memoryclaw.yaml": "", "a.md": "[[x]] [[m]] [[b]]\n", "z.md": "End.\n", **ways})
    ) as app:
        assert ids(app, "a", "z") == [("a", "link", "b"), ("b", "link", "z")]
        assert ids(app, "z", "a") == [("z", "link", "b"), ("b", "link", "a")]


def test_a_step_tells_its_strongest_tie(app: App) -> None:
    assert ids(app, "ep-kick-off", "Atlas") == [("ep-kick-off", "link", ATLAS)]
    step = app.graph.path("ep-kick-off", "Atlas").steps
    assert step is not None
    assert (step[0].edge.source, step[0].edge.place) == (ATLAS, "semantic/projects.md:2")


@pytest.mark.parametrize("end", ["nothing of this name", "notes/plan#Nowhere"])
def test_an_id_that_leads_nowhere_is_a_known_failure(app: App, end: str) -> None:
    with pytest.raises(NotFoundError):
        app.graph.path("Home", end)
    with pytest.raises(NotFoundError):
        app.graph.neighbours(end)


# Ends of links, and what has none.


def test_orphans_are_notes_and_entities_that_nothing_is_tied_to(app: App) -> None:
    assert [note.id for note in app.graph.orphans()] == [
        "ep-crane",
        "notes/orphan",
        "semantic/projects#Quiet",
    ]


def test_dangling_links_are_those_that_doctor_tells_of(app: App) -> None:
    links = [(link.source, link.line, link.target) for link in app.graph.dangling()]
    assert links == [("notes/plan.md", 4, "Nowhere"), ("notes/plan.md", 4, "gone.md")]
    check = next(check for check in app.doctor() if check.name == "links")
    assert [(detail.path, detail.line) for detail in check.details] == [
        (path, line) for path, line, _ in links
    ]


def test_a_link_leads_to_any_file_that_is_there(vault_of: VaultOf) -> None:
    text = (
        "![[Books.base]] ![[a pic.png|100]] ![[A PIC.png#left]] [[Plan.canvas]] [[paper.pdf#page=3]] ![[shots/a.png]] [[img/a pic.png]]\n"
        "[[https://example.org]] ![[no pic.png]] ![[other/a.png]] [[../../etc/passwd]]\n"
    )
    files = (
        "Bases/Books.base", "img/a pic.png", "Boards/Plan.canvas", "x/paper.pdf", "x/shots/a.png",
        ".trash/no pic.png",
    )  # fmt: skip
    with open_vault(vault_of({"memoryclaw.yaml": "", "idx.md": text, **dict.fromkeys(files, "x")})) as app:
        assert [link.target for link in app.graph.dangling()] == [
            "no pic.png",
            "other/a.png",
            "../../etc/passwd",
        ]


def test_a_part_of_the_graph_is_that_with_the_strongest_ties(app: App) -> None:
    shown = app.graph.whole(limit=3)
    assert set(shown.graph.nodes) == {ATLAS, "Home", "notes/plan"}
    assert all({edge.source, edge.target} <= shown.graph.nodes.keys() for edge in shown.graph.edges)
    assert shown.nodes == app.graph.whole().nodes > 3
    assert "only the 3 of" in shown.notice
    assert not app.graph.whole().notice
    with pytest.raises(InputError):
        app.graph.whole(limit=0)
    with pytest.raises(InputError):
        app.graph.neighbours("Home", limit=0)


# Audiences.

HIDDEN = {
    "memoryclaw.yaml": "",
    "notes/open.md": "---\naudience: public\n---\nOpen, see [[secret]].\n",
    "notes/also.md": "---\naudience: public\n---\nOpen, too.\n",
    "notes/secret.md": "---\naudience: owner\n---\nSecret, see [[open]].\n",
}


@pytest.mark.parametrize(
    ("audience", "expected"),
    [
        ("owner", [("notes/secret", 1.15), ("notes/also", 0.15)]),
        ("agent", [("notes/also", 0.15)]),
        ("public", []),
        ("family", []),
    ],
)
def test_an_audience_sees_only_ties_between_what_it_sees(
    vault_of: VaultOf, audience: str, expected: list[tuple[str, float]]
) -> None:
    vault = vault_of(HIDDEN)
    cited(vault, ("notes/open", "notes/secret", "notes/also"))
    with open_vault(vault, audience=audience) as app:
        assert beside(app, "notes/open") == expected
        shown = json.dumps([app.graph.whole(), app.graph.orphans()], default=list)
        assert ("notes/secret" in shown) == (audience == "owner")
        if audience != "owner":
            with pytest.raises(NotFoundError):
                app.graph.path("notes/open", "notes/secret")
            with pytest.raises(ForbiddenError):
                app.graph.dangling()
