"""Where the properties of notes stand in answers: before the note where their key is asked for, else nowhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import VaultOf

from memoryclaw.app import App

FILES = {
    "2024 Norway Trip.md": "---\ncategories: [Trips]\nloc: Norway\nstart: 2024-06-03\nend: 2024-06-14\ncover: fjord.jpg\nmobile: true\n---\n"
    "We took the ferry from Bergen.\n",
    "Carl One.md": "---\ncolour: teal\ndate: 2024-05-19\n---\nMet on the pier.\n",
    "Dora Two.md": "---\ncolour: red\n---\nSails with Carl.\n",
    "garden.md": "---\ntitle: Garden\nstatus: active\nrating: 4\nkanban-plugin: basic\n---\n# Garden plan\nBeans go along the south wall.\n",
    "Well.md": "---\ndepth: 14 m\n---\nThe pump is primed from the can.\n",
    "docs/Index.md": "---\nsearch: false\nsidebar_position: 3\nhead: noindex\n---\n# Index\nRebuild the index after you move the folder.\n",
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    root = tmp_path_factory.mktemp("vault")
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    with App(root) as opened:
        yield opened


def ids(app: App, question: str) -> list[str]:
    return [match.unit.id for match in app.search(question).matches]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("When was the Norway trip?", ["2024 Norway Trip#2024 Norway Trip.end", "2024 Norway Trip#2024 Norway Trip.start"]),
        ("Where was the Norway trip?", ["2024 Norway Trip#2024 Norway Trip.loc"]),
        ("what colour is Carl One", ["Carl One#Carl One.colour"]),
        ("how deep is the well", ["Well#Well.depth"]),
        ("what is the garden plan", ["garden"]),
        ("how do I rebuild the search index", ["docs/Index"]),
        ("Norway ferry", ["2024 Norway Trip"]),
    ],
)  # fmt: skip
def test_a_property_answers_where_its_key_is_asked_for(app: App, question: str, first: list[str]) -> None:
    matches = ids(app, question)
    assert sorted(matches[: len(first)]) == first
    assert not [id_ for id_ in matches[len(first) :] if "#" in id_]


def test_what_kind_names_lists_all_properties(app: App) -> None:
    assert len(ids(app, "kind:fact Norway")) == 4
    assert {left.reason for left in app.search("Norway ferry").left_out} == {"property"}


def test_a_key_that_most_notes_have_with_the_same_values_says_nothing(vault_of: VaultOf) -> None:
    notes = {
        f"n/{name} paper.md": f"---\nstage: {('raw', 'ready')[n % 2]}\nink: {name}\n---\nPaper of the {name} sort.\n"
        for n, name in enumerate(
            [
                "ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan",
                "willow",
            ]
        )
    }  # fmt: skip
    with App(vault_of(notes)) as app:
        assert ids(app, "which stage has the larch paper")[0] == "n/larch paper"
        assert ids(app, "which ink has the larch paper")[0] == "n/larch paper#larch paper.ink"
