"""What the index's tables can tell."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterator

import pytest
from conftest import STUDIO, VaultOf

from memoryclaw.app import App
from memoryclaw.index.catalog import Catalog
from memoryclaw.recall.question import nearest_words, slips_in
from memoryclaw.text.language import fold


@pytest.fixture
def catalog(vault_of: VaultOf) -> Iterator[Catalog]:
    files = {
        **STUDIO,
        "semantic/contacts.md": "- Søren Kjeldsen:\n    role: chairman\n- Anna Berg: a@x\n- Anna Holm: h@x\n",
        "notes/words.md": "Über übergeben Ubergang naive naïve oak oaks\n",
        "notes/copy.md": "---\nid: ep-wind\n---\nCopy.\n",
    }
    app = App(vault_of(files))
    app.sync()
    yield app.catalog
    app.close()


def test_words_that_begin_so_whatever_their_accents(catalog: Catalog) -> None:
    assert catalog.words_like("uberg", 9) == ["ubergang", "übergeben"]
    assert catalog.words_like("ÜBER", 9) == ["ubergang", "über", "übergeben"]
    assert catalog.words_like("oak", 1) == ["oak"]
    assert catalog.words_like("naï", 9) == catalog.words_like("nai", 9) == ["naive", "naïve"]
    assert catalog.words_like("zz", 9) == []


def test_words_that_are_the_same_but_for_accents(catalog: Catalog) -> None:
    assert catalog.words_spelt("naive") == catalog.words_spelt("NAÏVE") == ["naive", "naïve"]


def test_counts_of_tokens_are_the_units_that_hold_them(catalog: Catalog) -> None:
    counts = catalog.count_of(["oak", "deadlin", "nonesuch"])
    assert counts == {"oak": 1, "deadlin": 3}


@pytest.mark.parametrize(
    "slip",
    ["oka", "ak", "boak", "boathuose", "oathouse", "baothouse", "deadlime", "kiosc", "naíve", "zzz", "o", ""],
)
def test_words_alike_are_enough_to_find_what_was_meant(catalog: Catalog, slip: str) -> None:
    word = fold(slip)
    every = catalog.rows("select word, spelled from words where spelled")
    alike = catalog.words_alike(word, slips_in(word))
    assert nearest_words(word, alike, 5) == nearest_words(word, every, 5)
    assert len(alike) < len(every) / 4
    assert set(alike) <= set(every)


def test_a_part_of_a_name_names_something_only_where_it_is_the_only_one(catalog: Catalog) -> None:
    assert catalog.names(["soren", "anna", "berg"], ["part"]) == [
        ("berg", "part", "Anna Berg"),
        ("soren", "part", "Søren Kjeldsen"),
    ]
    assert catalog.names(["boathouse", "kiosk", "nobody"], ["entity"]) == [
        ("boathouse", "entity", "Boathouse"),
        ("kiosk", "entity", "Kiosk"),
    ]


def test_synonyms_go_both_ways(catalog: Catalog) -> None:
    assert catalog.synonyms(["boathouse", "rowing club"]) == [
        ("boathouse", "rowing club"),
        ("rowing club", "boathouse"),
    ]


def test_the_fields_of_an_entity_include_those_of_its_past(catalog: Catalog) -> None:
    assert sorted(catalog.fields_of(["boathouse"])) == ["client", "deadline"]
    assert catalog.fields_of([]) == []


def test_facts_of_one_entity_in_file_order(catalog: Catalog) -> None:
    assert [(path, fact.id, fact.current) for path, fact in catalog.facts("BOATHOUSE")] == [
        ("semantic/projects.md", "semantic/projects#Boathouse.deadline", True),
        ("semantic/projects.md", "semantic/projects#Boathouse.client", True),
        ("semantic/projects.md", "semantic/projects#Boathouse.deadline~2", False),
    ]
    assert catalog.entity_files("rowing club") == ["semantic/projects.md"]


@pytest.mark.parametrize(
    ("id_", "kind", "path", "line"),
    [
        ("ep-penicillin", "episode", "episodes/2025-07-08_17-25-00_penicillin.md", 1),
        ("notes/moon", "note", "notes/moon.md", 1),
        ("semantic/projects#Kiosk.deadline", "fact", "semantic/projects.md", 9),
        ("log:kanazawa/2", "turn", "logs/2025-10-21/kanazawa.jsonl", 2),
    ],
)
def test_ids_resolve_to_where_they_stand(catalog: Catalog, id_: str, kind: str, path: str, line: int) -> None:
    units = catalog.resolve(id_)
    assert units is not None
    assert (units.kind, units.path, units.line) == (kind, path, line)
    assert catalog.resolve(f"{id_}x") is None


def test_of_two_notes_with_one_id_the_first_path_wins_and_the_other_is_a_problem(catalog: Catalog) -> None:
    units = catalog.resolve("ep-wind")
    assert units is not None
    assert units.path.startswith("episodes/")
    assert [problem.path for problem in catalog.problems()] == ["notes/copy.md"]


def test_the_tokens_of_a_file_stand_side_by_side(catalog: Catalog) -> None:
    sql = "select rowid from units where path = 'logs/2025-10-21/kanazawa.jsonl' order by seq limit 2"
    first, second = (rowid for (rowid,) in catalog.rows(sql))
    assert second == first + 1
    codes = catalog.coded([first, second, 99_999])
    assert set(codes) == {first, second}
    assert codes[first].file == codes[second].file
    assert codes[first].kind == "turn"
    body = "".join(catalog.codes([word])[word] for word in ("in", "the", "biscuit", "tin"))
    tokens = catalog.tokens([second, 99_999])
    assert tokens == {
        second: {"title": "", "tags": "", "properties": "", "body": body, "also": "", "characters": ""}
    }
    assert len(body) == 4


def test_the_usual_length_of_a_column_is_the_mean_of_its_kind_or_of_all(catalog: Catalog) -> None:
    units = catalog.coded(range(1, 1000))
    bodies: dict[str, list[int]] = {}
    for rowid, columns in catalog.tokens(units).items():
        if columns["body"]:
            bodies.setdefault(units[rowid].kind, []).append(len(columns["body"]))
    every = [length for lengths in bodies.values() for length in lengths]
    assert len(bodies) > 2
    for kind, lengths in bodies.items():
        assert catalog.usual_lengths()[kind, "body"] == max(
            sum(lengths) / len(lengths), sum(every) / len(every)
        )


def test_units_come_back_whole(catalog: Catalog) -> None:
    rows = catalog.rows("select rowid from units where id = 'semantic/projects#Boathouse.deadline'")
    unit = catalog.units([rows[0][0]])[rows[0][0]]  # type: ignore[list-item,index]
    assert (unit.kind, unit.entity, unit.field, unit.value, unit.when) == (
        "fact",
        "Boathouse",
        "deadline",
        "2026-12-11",
        "2025-11-20",
    )
    assert catalog.files() == 9


def test_what_is_read_of_units_is_of_the_present_index(vault_of: VaultOf) -> None:
    def texts(app: App) -> dict[str, str]:
        units = app.catalog.units(range(1, 100))
        assert [*units] == [*app.catalog.coded(units)]
        assert [*units] == [unit.rowid for unit in app.catalog.summaries(units)]
        return {unit.id: unit.text.strip() for unit in units.values()}

    long = "The millrace is dredged every spring. " * 300  # too long to be remembered
    turn = {"ts": "2026-01-02T10:00:00Z", "session": "s", "turn": 1, "role": "user", "content": long}
    root = vault_of(
        {
            "notes/oak.md": "The oak is felled.\n",
            "notes/elm.md": "An elm.\n",
            "logs/2026-01-02/s.jsonl": f"{json.dumps(turn)}\n",
        }
    )
    with App(root) as app, App(root) as other:
        app.sync()
        before = texts(app)
        assert texts(app) == before
        assert before["notes/oak"] == "The oak is felled."
        assert before["log:s/1"] == long.strip()
        (root / "notes/oak.md").write_text("The oak still stands.\n", encoding="utf-8")
        (root / "notes/elm.md").unlink()
        other.sync()
        assert texts(app) == texts(other) == {"notes/oak": "The oak still stands.", "log:s/1": long.strip()}


def test_a_unit_is_read_once_whatever_else_changes(vault_of: VaultOf) -> None:
    root = vault_of({"notes/oak.md": "The oak is felled.\n", "notes/elm.md": "An elm.\n"})
    with App(root) as app:
        app.sync()
        (rowid,) = app.catalog.rowids("select rowid from units where path = 'notes/oak.md'")
        unit = app.catalog.units([rowid])[rowid]
        (root / "notes/elm.md").write_text("Two elms.\n", encoding="utf-8")
        app.sync()
        assert app.catalog.units([rowid])[rowid] is unit


def test_no_number_of_a_unit_or_a_file_is_given_again(vault_of: VaultOf) -> None:
    """What was read of one may be remembered although it has gone since."""
    root = vault_of({"notes/elm.md": "An elm.\n"})
    oak = root / "notes/oak.md"
    rows: list[tuple[int, int]] = []
    with App(root) as app:
        for text in ("stands", "is felled", "", "is back"):
            if text:
                oak.write_text(f"The oak {text}.\n", encoding="utf-8")
            else:
                oak.unlink()
            app.sync()
            rows += app.catalog.rows("select rowid, fid from units where path = 'notes/oak.md'")
    assert len(rows) == len({rowid for rowid, _ in rows}) == len({fid for _, fid in rows}) == 3


def test_a_name_is_in_the_index_once_and_for_as_long_as_a_file_has_it(vault_of: VaultOf) -> None:
    def kept(app: App) -> list[tuple[str, str]]:
        sql = "select name, (select count(*) from naming n where n.nid = called.nid) from called where name glob '*Berg' order by 1"
        return app.catalog.rows(sql)

    note = "---\nid: {0}\nkind: episode\nparticipants: [Anna Berg, Ole Berg]\n---\n# {0}\n\nWe met.\n"
    root = vault_of({f"episodes/2026-01-0{n}_10-00-00_met.md": note.format(f"ep-{n}") for n in (1, 2)})
    with App(root) as app:
        app.sync()
        assert kept(app) == [("Anna Berg", 2), ("Ole Berg", 2)]
        assert len(app.catalog.rows("select key from name where name = 'Anna Berg'")) == 2
        (root / "episodes/2026-01-01_10-00-00_met.md").write_text(
            note.format("ep-1").replace(", Ole Berg", ""), encoding="utf-8"
        )
        app.sync()
        assert kept(app) == [("Anna Berg", 2), ("Ole Berg", 1)]
        (root / "episodes/2026-01-02_10-00-00_met.md").unlink()
        app.sync()
        assert kept(app) == [("Anna Berg", 1)]


def test_other_names_of_all_entities_of_a_file_cost_no_more_each_than_those_of_few(vault_of: VaultOf) -> None:
    def steps(entities: int) -> int:
        """Hundreds of steps that SQLite takes."""
        text = "".join(
            f"# Project {number}\n- lead: {number}\n- city: {number}\n\n" for number in range(entities)
        )
        with contextlib.closing(App(vault_of({"semantic/projects.md": text}))) as app:
            app.sync()
            keys = [f"project {number}" for number in range(entities)]
            with app.catalog._database.guarded() as connection:
                count = itertools.count()
                connection.set_progress_handler(lambda: next(count) < 0, 100)
                assert len(app.catalog.other_names(keys)) == entities
                connection.set_progress_handler(None, 0)
            return next(count)

    assert steps(200) < 6 * steps(50)
