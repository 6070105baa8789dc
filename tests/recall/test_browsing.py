"""Looking around: show, browse, facts, links."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from conftest import STUDIO, VaultOf

from memoryclaw.app import App
from memoryclaw.errors import InputError, NotFoundError

LINKED = {
    "Home.md": "See [[moon]], [[Moon Pancakes#Dough|the dough]], [[deep/plan]], [[plan]], [[Nowhere]] and [[John]].\n![[moon^salt]]\n[md](notes/moon.md#Dough)\n",
    "notes/moon.md": "---\naliases: [Moon Pancakes]\n---\nTop [[#Dough]].\n\n# Dough\n\nFlour. [[Home]] ^salt\n\n## Rest\n\nAn hour.\n\n# Sauce\n\nPlum.\n",
    "notes/plan.md": "Short path.\n",
    "notes/deep/plan.md": "[[plan]] beside me, [[other/plan]] nowhere, [up](../moon.md).\n",
    "notes/deep/moon.md": "Another moon. [[moon]]\n",
    "a/zebra.md": "[[ZEBRA]] and [[Żółw]] and [[mystery|x]].\n",
    "a/Z\u0307o\u0301łw.md": "Turtle.\n",
    "semantic/contacts.md": "# Contacts\n- John: john@example.com\n- Ann:\n    phone: 1\n    email: ann@example.com\n",
    "semantic/aliases.yaml": "John: [Johnny]\n",
    "notes/about.md": "Met [[John]] and [[Johnny]].\n",
}


@pytest.fixture
def app(vault_of: VaultOf) -> Iterator[App]:
    app = App(vault_of(STUDIO))
    yield app
    app.close()


@pytest.fixture
def linked(vault_of: VaultOf) -> Iterator[App]:
    app = App(vault_of(LINKED))
    yield app
    app.close()


@pytest.mark.parametrize(
    ("id_", "kind", "lines", "text"),
    [
        ("ep-wind", "episode", (1, 14), "---\nid: ep-wind"),
        ("episodes/2025-09-04_15-40-00_wind-plan", "episode", (1, 14), "---\nid: ep-wind"),
        ("episodes/2025-09-04_15-40-00_wind-plan.md", "episode", (1, 14), "---\nid: ep-wind"),
        ("2025-09-04_15-40-00_wind-plan", "episode", (1, 14), "---\nid: ep-wind"),
        ("ep-wind#After", "section", (12, 14), "# After\n\nA perfect Saturday.\n"),
        ("ep-wind#after", "section", (12, 14), "# After\n\nA perfect Saturday.\n"),
        (
            "semantic/projects#Boathouse.deadline",
            "fact",
            (2, 2),
            "- deadline: 2026-12-11 [since:: 2025-11-20]\n",
        ),
        ("semantic/projects#Boathouse.deadline~2", "fact", (6, 6), "- deadline: 2025-06-27"),
        ("semantic/projects#Boathouse", "section", (1, 7), "# Boathouse\n- deadline"),
        ("Kiosk", "entity", (9, 9), "- deadline: 2026-02-19\n"),
        ("log:kanazawa/2", "turn", (2, 2), '{"ts":"2025-10-21T09:01:00Z"'),
        ("log:kanazawa", "log", (1, 2), '{"ts":"2025-10-21T09:00:00Z"'),
        ("skills/send-update", "skill", (1, 7), "---\nname: send-update"),
        ("send-update", "skill", (1, 7), "---\nname: send-update"),
    ],
)
def test_what_an_id_shows(app: App, id_: str, kind: str, lines: tuple[int, int], text: str) -> None:
    shown = app.show(id_)
    assert (shown.address.kind, (shown.address.line, shown.address.end_line)) == (kind, lines)
    assert shown.text.startswith(text)


@pytest.mark.parametrize(
    "id_",
    [
        "",
        " ",
        "#",
        "nope",
        "ep-wind#Nope",
        "semantic/aliases",
        "../outside",
        "log:kanazawa/9",
        "Kiosk.deadline.x",
    ],
)
def test_what_is_not_there_is_a_known_failure(app: App, id_: str) -> None:
    with pytest.raises(NotFoundError, match="nothing in this vault"):
        app.show(id_)


def test_every_result_of_a_search_can_be_shown(app: App) -> None:
    for question in ("kind:fact", "kind:turn", "kind:episode", "kind:note", "kind:skill", "kind:superseded"):
        for match in app.search(question, limit=50).matches:
            shown = app.show(match.unit.id)
            assert shown.address.path == match.path
            assert match.unit.line >= shown.address.line


def test_lines_are_those_of_the_file_whatever_ends_them(vault_of: VaultOf) -> None:
    app = App(vault_of({"notes/crlf.md": "# One\r\nform\x0cfeed\x0b\u2028\r\n\r\n# Two\r\nlast\r\n"}))
    assert app.show("notes/crlf#Two").text == "# Two\r\nlast\r\n"


def test_browse_lists_pinned_notes_and_then_the_newest(app: App) -> None:
    assert [note.id for note in app.browse()][:4] == [
        "ep-penicillin",
        "ep-wind",
        "logs/2025-10-21/kanazawa.jsonl",
        "notes/moon",
    ]
    assert app.browse()[0].tags == ("health", "nora")


@pytest.mark.parametrize(
    ("kind", "ids"),
    [
        ("episode", ["ep-penicillin", "ep-wind"]),
        ("skills", ["skills/send-update/SKILL"]),
        ("facts", ["semantic/projects"]),
        ("log", ["logs/2025-10-21/kanazawa.jsonl"]),
        ("note", ["notes/moon"]),
    ],
)
def test_browse_narrows_to_a_kind(app: App, kind: str, ids: list[str]) -> None:
    assert [note.id for note in app.browse(kind=kind)] == ids
    assert len(app.browse(kind=kind, limit=1)) == 1


def test_browse_shows_hidden_states_only_when_asked(vault_of: VaultOf) -> None:
    app = App(
        vault_of(
            {
                **STUDIO,
                "archive/notes/old.md": "Old.\n",
                "semantic/_pending.md": "- x: y\n",
                "skills/_drafts/d/SKILL.md": "Draft.\n",
            }
        )
    )
    current = {note.id for note in app.browse()}
    for state, id_ in (
        ("archived", "archive/notes/old"),
        ("pending", "semantic/_pending"),
        ("draft", "skills/_drafts/d/SKILL"),
    ):
        assert [note.id for note in app.browse(state=state)] == [id_]
        assert id_ not in current


@pytest.mark.parametrize(("kind", "state"), [("dream", "current"), ("", "lost")])
def test_an_unknown_kind_or_state_is_a_known_failure(app: App, kind: str, state: str) -> None:
    with pytest.raises(InputError, match="one of"):
        app.browse(kind=kind, state=state)


def values(app: App, entity: str, as_of: date | None = None, *, history: bool = False) -> list[str]:
    return [fact.value for _, fact in app.facts(entity, as_of=as_of, history=history)]


def test_facts_are_those_that_hold_now_or_held_then_or_all(app: App) -> None:
    assert values(app, "Boathouse") == ["2026-12-11", "[[Nordmole]]"]
    assert values(app, "Boathouse", date(2025, 7, 1)) == ["[[Nordmole]]", "2025-06-27"]
    assert values(app, "Boathouse", date(2025, 11, 20)) == ["2026-12-11", "[[Nordmole]]"]
    assert values(app, "Boathouse", history=True) == ["2026-12-11", "[[Nordmole]]", "2025-06-27"]
    assert len(app.facts()) == 3


@pytest.mark.parametrize("name", ["boathouse", "BOATHOUSE", "rowing club", "Boathouse’s"])
def test_an_entity_is_found_by_any_spelling_or_synonym(app: App, name: str) -> None:
    assert values(app, name) == ["2026-12-11", "[[Nordmole]]"]


def test_an_entity_is_found_by_one_word_of_its_name_where_only_one_is_called_so(vault_of: VaultOf) -> None:
    app = App(
        vault_of({"semantic/contacts.md": "- Søren Kjeldsen: s@x\n- Anna Berg: a@x\n- Anna Holm: h@x\n"})
    )
    assert values(app, "soren") == ["s@x"]
    with pytest.raises(NotFoundError):
        app.facts("anna")


def test_a_value_without_a_date_is_younger_than_what_its_past_tells(vault_of: VaultOf) -> None:
    text = "# X\n- deadline: new\n\n## History\n- deadline: old [since:: 2025-03-01] [until:: 2025-04-09]\n"
    app = App(vault_of({"semantic/projects.md": text}))
    assert values(app, "X", date(2025, 3, 15)) == ["old"]
    assert values(app, "X", date(2025, 4, 9)) == ["new"]


def test_an_unknown_entity_is_a_known_failure(app: App) -> None:
    with pytest.raises(NotFoundError, match="there are no facts about 'Nobody'"):
        app.facts("Nobody")


def out(app: App, id_: str) -> list[tuple[str, str]]:
    return [(end.target, end.to) for end in app.links(id_).out]


def test_links_lead_where_obsidian_leads_them(linked: App) -> None:
    assert out(linked, "Home") == [
        ("moon", "notes/moon"), ("Moon Pancakes#Dough", "notes/moon"), ("deep/plan", "notes/deep/plan"), ("plan", "notes/plan"),
        ("Nowhere", ""), ("John", "semantic/contacts#John"), ("moon#^salt", "notes/moon"), ("notes/moon.md#Dough", "notes/moon"),
    ]  # fmt: skip


def test_a_name_that_two_files_have_is_first_the_one_beside_and_then_the_shortest_path(linked: App) -> None:
    assert out(linked, "notes/deep/plan") == [
        ("plan", "notes/deep/plan"),
        ("other/plan", ""),
        ("../moon.md", "notes/moon"),
    ]
    assert out(linked, "notes/deep/moon") == [("moon", "notes/deep/moon")]


def test_case_and_composition_of_a_name_do_not_matter(linked: App) -> None:
    assert [to for _, to in out(linked, "a/zebra")] == ["a/zebra", "a/Żółw", ""]


def test_links_back_come_from_every_spelling(linked: App) -> None:
    back = linked.links("notes/moon").back
    assert [(end.source, end.line, end.target) for end in back] == [
        ("Home.md", 1, "moon"), ("Home.md", 1, "Moon Pancakes#Dough"), ("Home.md", 2, "moon#^salt"), ("Home.md", 3, "notes/moon.md#Dough"), ("notes/deep/plan.md", 1, "../moon.md"),
    ]  # fmt: skip


def test_links_of_a_section_are_those_on_its_lines_and_those_that_name_it(linked: App) -> None:
    links = linked.links("notes/moon#Dough")
    assert [(end.line, end.target) for end in links.out] == [(8, "Home")]
    assert {end.target for end in links.back} == {"Moon Pancakes#Dough", "notes/moon.md#Dough"}


def test_links_to_an_entity_are_found_by_all_its_names(linked: App) -> None:
    assert [(end.source, end.target) for end in linked.links("semantic/contacts#John.value").back] == [
        ("Home.md", "John"), ("notes/about.md", "John"), ("notes/about.md", "Johnny"),
    ]  # fmt: skip
    assert linked.show("semantic/contacts#John").text == "- John: john@example.com\n"
    assert linked.show("semantic/contacts#Ann").text == "    phone: 1\n    email: ann@example.com\n"


def test_every_place_a_link_leads_to_can_be_shown(linked: App) -> None:
    for note in linked.browse():
        for end in linked.links(note.id).out:
            assert not end.to or linked.show(end.to).text
