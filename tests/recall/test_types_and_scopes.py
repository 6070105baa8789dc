"""`type:`, `scope:` and `expires:` narrow before ranking, with either engine, whether a file says them or its words do."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime

import pytest
from gitvault import git

from memoryclaw.app import init_vault, open_vault
from memoryclaw.errors import InputError
from memoryclaw.index.index import fingerprint

NOW = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)


@pytest.fixture(scope="module", params=["fts5", "whoosh"])
def made(tmp_path_factory, request):
    """A vault to read from."""
    root = tmp_path_factory.mktemp("types") / "v"
    init_vault(root)
    (root / "memoryclaw.yaml").write_text(f"index:\n  engine: {request.param}\n")
    (root / "notes").mkdir()
    (root / "notes/choice.md").write_text(
        "---\ntype: Decision\nproject: Atlas\n---\nThe map is left out of the release.\n- [ ] tell the map people\n"
    )
    (root / "notes/book.md").write_text(
        "---\ntype: book\n---\n# The Map That Changed The World\n\nBy Simon Winchester.\n"
    )
    (root / "notes/how.md").write_text(
        "---\ntype: lesson\nscope: session:s1\nexpires: 2026-06-30\n---\nPrint the map at A3.\n"
    )
    (root / "semantic/people.md").write_text(
        "# Ann\n- map: Landranger 104 [scope:: project:Atlas Two] [expires:: 2026-05-09]\n- favorite map: the Tube map\n- prefers: a folded map\n"
        "- map due: 2026-05-20\n- from now on: when a map is asked for, give the scale\n- from now on: keep map answers short\n"
        '- "we agreed that the map is sold at 9 pounds" [said:: 2026-05-01]\n- "we have not decided on a map yet" [said:: 2026-05-02]\n'
    )
    (root / "episodes/2026-05-01_10-00-00_map.md").write_text(
        "---\nid: map-day\ntimestamp: 2026-05-01T10:00:00Z\n---\n# Map day\n\n- Ann: In hindsight the map was too big.\n"
    )
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    return root


@pytest.fixture
def vault(made, tmp_path):
    """A copy to write to."""
    return shutil.copytree(made, tmp_path / "v")


def ids_of(root, query):
    with open_vault(root, clock=lambda: NOW) as app:
        answer = app.search(query, limit=50)
    assert answer.notices == ()
    return {match.unit.id.removeprefix("semantic/people#").removeprefix("notes/") for match in answer.matches}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("map type:decision", {"choice", "Ann"}),
        ("map type:decisions -kind:fact", {"choice"}),
        ("type:book", {"book"}),
        ("type:lesson", {"how", "map-day"}),
        ("map type:preference", {"Ann.favorite map", "Ann.prefers", "Ann.from now on~2"}),
        ("type:procedure", {"Ann.from now on"}),
        ("map type:event", {"Ann.map due"}),
        ('map type:"to do"', {"choice#todo"}),
        ("map scope:project:atlas", {"choice", "choice#todo"}),
        ('map scope:"project:Atlas Two"', {"Ann.map"}),
        ("map scope:project", {"choice", "choice#todo", "Ann.map"}),
        ("map scope:session", {"how"}),
        ("map scope:session:s1", {"how"}),
        ("map type:lesson scope:permanent", {"map-day"}),
        ("map expires:<2026-05-10", {"Ann.map"}),
        ("expires:2026-06", {"how"}),
        ('expires:"next month"', {"how"}),
        ("map expires:>=2026-05-09", {"Ann.map", "how"}),
        ("map -expires:>=2026-05-09 type:lesson", {"map-day"}),
    ],
)
def test_a_field_lets_through_what_is_so_and_nothing_else(made, query, expected):
    def plain(ids):  # without the digests of words, and the properties of the notes themselves
        return {id_.partition(".said-")[0].partition("#")[0] for id_ in ids}

    assert plain(ids_of(made, query)) == plain(expected)


def test_what_is_no_scope_or_day_is_read_as_words_and_said_so(made):
    with open_vault(made, clock=lambda: NOW) as app:
        notices = app.search("map scope:atlas expires:never").notices
    assert [notice.partition(" was")[0] for notice in notices] == ["`scope:atlas`", "`expires:never`"]


def test_a_match_says_its_type_scope_and_last_day(made):
    with open_vault(made, clock=lambda: NOW) as app:
        (match,) = app.search("Landranger").matches
    assert match.unit.lifecycle[:3] == ("", "project:atlas two", "2026-05-09")


def test_the_index_that_was_kept_is_the_one_that_is_rebuilt(vault, tmp_path):
    with open_vault(vault, clock=lambda: NOW) as app:
        app.sync()
        (vault / "notes/how.md").write_text(
            "---\ntype: decision\nexpires: 2026-07-01\nverify_by: 2026-01-01\n---\nPrint it.\n"
        )
        (vault / "semantic/_schema.yaml").write_text("fields:\n  city: {type: text, verify: 6 months}\n")
        app.sync()
        rebuilt = app._context.build_in(tmp_path / "again")
        assert fingerprint(app.index) == fingerprint(rebuilt)
        assert app.index.spans() == rebuilt.spans() == {"city": 180}


def test_remember_and_edit_write_them_and_refuse_what_cannot_be_read(vault):
    with open_vault(vault, clock=lambda: NOW) as app:
        app.remember(
            "room four",
            entity="Ann",
            field="desk",
            memory_type="Decisions",
            scope="project:Atlas",
            expires="2026-06-01",
        )
        app.remember(
            "We ship without the index",
            note=True,
            memory_type="decision",
            scope="session:s1",
            expires="2026-06-01",
        )
        path = next(vault.glob("episodes/*index.md"))
        assert "\ntype: decision\nscope: session:s1\nexpires: 2026-06-01\n---\n" in path.read_text()
        line = "- desk: room four [since:: 2026-05-04] [type:: decision] [scope:: project:atlas] [expires:: 2026-06-01]\n"
        assert line in (vault / "semantic/people.md").read_text()
        app.edit("semantic/people#Ann.desk", {"expires": "", "value": "room five"})
        assert (
            "- desk: room five [since:: 2026-05-04] [type:: decision] [scope:: project:atlas]\n"
            in (vault / "semantic/people.md").read_text()
        )
        head = git(vault, "rev-parse", "HEAD")
        for wrong in ({"expires": "soon"}, {"scope": "atlas"}, {"verify_by": "x"}):
            with pytest.raises(InputError, match="cannot be read"):
                app.edit("semantic/people#Ann.desk", wrong)
        with pytest.raises(InputError, match="cannot be read"):
            app.remember("room six", entity="Ann", field="desk", expires="one day")
    assert git(vault, "rev-parse", "HEAD") == head
