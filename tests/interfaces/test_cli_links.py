"""`links` on the command line: of one note, and the graph with its paths, neighbours, loose ends and DOT."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Claw, VaultOf

ODD = 'say "hi" \\'
VAULT = {
    "memoryclaw.yaml": "",
    "Home.md": "[[path]] [[show]] [[odd]] [[Nowhere|there]]\n",
    "path.md": "---\ntitle: The <b>towpath</b>\n---\n[[Home]]\n",
    "show.md": "The play.\n",
    "-dash.md": "[[Home]]\n",
    "odd.md": f"---\nid: '{ODD}'\ntitle: \"Line\\none -> {{two}}; // three\"\n---\nOdd.\n",
    "alone.md": "Alone.\n",
    "semantic/projects.md": "# Boathouse\n- lead: Ann\n",
    "semantic/people.md": "- Ann:\n    phone: 1\n",
}  # fmt: skip
# What the grammar of DOT allows of a statement, with quoted ids alone: https://graphviz.org/doc/info/lang.html
QUOTED = r'"(?:[^"\\\n]|\\.)*"'
STATEMENT = re.compile(
    rf"\s*(?:(?P<node>{QUOTED})(?: -> (?P<to>{QUOTED}))?|node)(?: \[(?P<with>(?:\s*\w+={QUOTED})*)\])?;\s*"
)


@pytest.fixture
def claw(vault_of: VaultOf) -> Claw:
    return Claw(vault_of(VAULT))


def unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def parsed(dot: str) -> tuple[dict[str, dict[str, str]], list[tuple[str, str]]]:
    """The nodes and the edges of a graph in DOT."""
    lines = [line for line in dot.splitlines() if not line.lstrip().startswith("//")]
    assert (lines[0], lines[-1]) == ("digraph vault {", "}")
    body, at, nodes, edges = "\n".join(lines[1:-1]), 0, {}, []
    while at < len(body):
        statement = STATEMENT.match(body, at)
        assert statement, body[at : at + 80]
        attributes = {
            name: unquoted(value) for name, value in re.findall(rf"(\w+)=({QUOTED})", statement["with"] or "")
        }
        if statement["to"]:
            edges.append((unquoted(statement["node"]), unquoted(statement["to"])))
        elif statement["node"]:
            nodes[unquoted(statement["node"])] = attributes
        at = statement.end()
    return nodes, edges


def test_links_of_a_note_are_listed_as_ever(claw: Claw) -> None:
    assert [end["to"] for end in claw("links", "Home", "--json").json["out"]] == ["path", "show", ODD, ""]
    assert claw("links", "--json", "Home").json == claw("links", "show", "Home", "--json").json


@pytest.mark.parametrize(
    "words", [["links", "--", "path"], ["links", "show", "path"], ["links", "--json", "--", "path"]]
)
def test_a_note_that_is_called_as_a_command_is_reached(claw: Claw, words: list[str]) -> None:
    ran = claw(*words, "--json") if "--" not in words else claw("--json", *words)
    assert ran.json["id"] == "path"
    assert [end["to"] for end in ran.json["out"]] == ["Home"]


def test_options_may_stand_before_the_command(claw: Claw) -> None:
    assert claw("links", "--vault", str(claw.vault), "--json", "orphans").json["orphans"]
    assert claw("links", "--audience", "agent", "path", "Home", "show").code == 0
    assert claw("links", "--", "-dash").code == 0
    assert "neighbours" in claw("links", "--help").out
    assert "--dot" in claw("links", "show", "--help").out


def test_a_path_is_told_step_by_step(claw: Claw) -> None:
    assert claw("links", "path", "show", "path").out.splitlines()[1:] == [
        "show  linked from  Home  Home.md:1",
        "Home  links to     path  Home.md:1",
    ]
    assert claw("links", "path", "Boathouse", "Ann").out.splitlines()[1].split() == [
        "semantic/projects#Boathouse", "names", "semantic/people#Ann", "semantic/projects.md:2",
    ]  # fmt: skip
    assert claw("links", "path", "Home", "alone").out == "There is no path from Home to alone.\n"
    assert claw("links", "path", "Home", "alone", "--json").json["found"] is False
    assert claw("links", "path", "Home", "nothing").code == 1
    assert claw("links", "path", "Home").code == 2


def test_neighbours_orphans_and_dangling_are_listed(claw: Claw) -> None:
    lines = claw("links", "neighbours", "path").out.splitlines()
    assert lines == ["weight  neighbour  by    where", "1.00    Home       link  Home.md:1"]
    cut = claw("links", "neighbours", "Home", "--limit", "1")
    assert "1 of 4 are shown" in cut.err
    assert claw("links", "orphans").out.splitlines()[1:] == ["alone  note  alone"]
    assert claw("links", "dangling").out.splitlines()[1:] == ["Home.md:1  Nowhere (there)"]


def test_dot_is_the_graph_whatever_stands_in_ids_and_titles(claw: Claw) -> None:
    whole = claw("links", "--json").json
    nodes, edges = parsed(claw("links", "--dot").out)
    assert set(nodes) == {node["id"] for node in whole["nodes"]} >= {ODD, "semantic/people#Ann"}
    assert edges == [(edge["source"], edge["target"]) for edge in whole["edges"]]
    assert nodes[ODD]["label"] == "Line one -> {two}; // three"
    assert nodes["path"]["label"] == "The <b>towpath</b>"
    assert nodes["semantic/people#Ann"]["shape"] == "ellipse"


def test_a_graph_that_is_cut_says_so(claw: Claw) -> None:
    ran = claw("links", "--dot", "--limit", "2")
    assert len(parsed(ran.out)[0]) == 2
    total = claw("links", "--json").json["total"]["nodes"]
    sentence = f"only the 2 of {total} nodes with the strongest ties are shown"
    assert sentence in ran.err
    assert sentence in ran.out
    cut = claw("links", "--json", "--limit", "2").json
    assert (len(cut["nodes"]), cut["total"]["nodes"]) == (2, total)
    assert sentence in cut["notice"]


def test_a_vault_without_ties_says_so(vault_of: VaultOf, tmp_path: Path) -> None:
    claw = Claw(vault_of({"memoryclaw.yaml": "", "a.md": "A.\n"}))
    assert claw("links").out == "Nothing is linked yet.\n"
    assert claw("links", "neighbours", "a").out == "Nothing is linked to it.\n"
    assert claw("links", "dangling").out == "Every link leads somewhere.\n"
    assert claw("links", "a", "--dot").code == 2
