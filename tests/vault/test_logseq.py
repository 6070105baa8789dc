"""A graph of Logseq: its tasks, journals, namespaces, properties of pages and blocks, and the backups that are not read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import put

from memoryclaw.app import App
from memoryclaw.vault.todos import Todo, read_todo, with_tick

GRAPH = {
    "logseq/config.edn": '{:journal/page-title-format "MMMM do, yyyy"}\n',
    "logseq/bak/pages/Boat/2021.md": "- an old anchor\n",
    "journals/2021_04_12.md": "- Met Ana about the anchor, see [[April 11th, 2021]] and [[Acme/Sales]]\n  id:: 64f1b2c3-aaaa-bbbb-cccc-0123456789ab\n  collapsed:: true\n",
    "journals/2021_04_11.md": "- TODO [#A] buy rope\n  DEADLINE: <2026-12-01 Tue .+1w>\n  SCHEDULED: <2026-11-28 Sat>\n- LATER call Jo\n- DONE pay\n- TODO\n- NOWHERE to go\n",
    "pages/Acme___Sales.md": "alias:: Acme Nord\ntags:: trade, [[north]]\nregion:: Bergen\n\n- We sell rope.\n  rating:: 5\n",
    "pages/Links.md": "- [[2021-04-11]] [[Apr 11th, 2021]] [[Sunday, 11.04.2021]] [[Acme Nord]] [[May 1st, 2021]]\n- as said ((64f1b2c3-aaaa-bbbb-cccc-0123456789ab)), ((00000000-aaaa-bbbb-cccc-0123456789ab))\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    root = tmp_path_factory.mktemp("graph")
    for path, text in GRAPH.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    with App(root) as opened:
        opened.sync()
        yield opened


def test_task_words_are_to_dos_with_their_days(app: App) -> None:
    assert [(todo.text, todo.status, todo.due, todo.scheduled) for todo in app.todos(state="all")] == [
        ("buy rope", "open", "2026-12-01", "2026-11-28"),
        ("call Jo", "open", "", ""),
        ("pay", "done", "", ""),
    ]


def test_a_journal_is_of_its_day_and_links_lead_to_days_pages_and_blocks(app: App) -> None:
    assert {note.path: note.at for note in app.browse()}["journals/2021_04_12.md"] == "2021-04-12"
    assert [end.to for end in app.links("journals/2021_04_12").out] == [
        "journals/2021_04_11",
        "pages/Acme___Sales",
    ]
    assert [end.to for end in app.links("pages/Links").out] == ["journals/2021_04_11"] * 3 + [
        "pages/Acme___Sales", "", "journals/2021_04_12", "",
    ]  # fmt: skip
    assert [end.source for end in app.links("journals/2021_04_12").back] == ["pages/Links.md"]
    assert [end.target for end in app.graph.dangling()] == [
        "north",
        "May 1st, 2021",
        "00000000-aaaa-bbbb-cccc-0123456789ab",
    ]
    assert [end.source for end in app.links("journals/2021_04_11").back] == [
        "journals/2021_04_12.md",
        *["pages/Links.md"] * 3,
    ]
    assert [end.source for end in app.links("pages/Acme___Sales").back] == [
        "journals/2021_04_12.md",
        "pages/Links.md",
    ]


def test_backups_are_not_read(app: App) -> None:
    assert [match.path for match in app.search("anchor").matches] == ["journals/2021_04_12.md"]
    assert "logseq/bak/" in app.status().ignored


def test_a_task_word_is_ticked_as_one() -> None:
    assert with_tick("- LATER call Jo", done=True, today="2026-11-26") == "- DONE call Jo"
    assert with_tick("\t- DONE call Jo", done=False, today="2026-11-26") == "\t- TODO call Jo"
    assert read_todo("- now or later") is None
    assert read_todo("- TODO [#A] buy rope") == Todo("open", "buy rope")


def test_journals_are_called_as_their_graph_writes_days(tmp_path: Path) -> None:
    graph = {
        "logseq/config.edn": '{;; :journal/page-title-format "MMM do, yyyy"\n :journal/page-title-format "EEE, dd-MM-yyyy"\n'
        ' :journal/file-name-format "dd_MM_yyyy"}\n',
        "journals/11_04_2021.md": "- Met Ola at the pier\n",
        "pages/Links.md": "- [[Sun, 11-04-2021]] [[2021-04-11]] [[Mon, 12-04-2021]]\n",
    }
    put(tmp_path, graph)
    with App(tmp_path) as app:
        app.sync()
        journal = next(note for note in app.browse() if note.path.startswith("journals/"))
        assert (journal.at, journal.title) == ("2021-04-11", "11_04_2021")
        assert [end.to for end in app.links("pages/Links").out] == [*["journals/11_04_2021"] * 2, ""]
        assert len(app.links("journals/11_04_2021").back) == 2
        assert app.search("what happened on 11 April 2021").matches[0].unit.id == journal.id
        assert app.status().days == {"name": 1}
    config = graph["logseq/config.edn"].replace("EEE, dd-MM-yyyy", "d/M/yyyy")
    put(tmp_path, {"logseq/config.edn": config, "pages/Links.md": "- [[11/4/2021]]\n"})
    with App(tmp_path) as app:  # an index that was made by other formats is made anew
        app.sync()
        assert [end.to for end in app.links("pages/Links").out] == ["journals/11_04_2021"]
