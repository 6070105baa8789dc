"""What the page asks of the app and every interface has: lean history, a recall that leaves no trace, numbered events, entities."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from time import sleep

import pytest
from conftest import STUDIO, VaultOf, git
from indexed import is_live, until, watched

from memoryclaw import open_vault
from memoryclaw.app import App
from memoryclaw.daemon.daemon import Events
from memoryclaw.errors import ForbiddenError, InputError, NotFoundError
from memoryclaw.index.watching import WatchReport
from memoryclaw.interfaces import shapes
from memoryclaw.vault.folder import Scan, Vault


@pytest.fixture
def root(vault_of: VaultOf) -> Path:
    vault = vault_of({**STUDIO, **{f"notes/{n:02}.md": f"Note {n}\n" for n in range(30)}})
    git(vault, "init", "-q", "-b", "main")
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "All of it")
    for n in range(5):
        (vault / "notes/00.md").write_text(f"Note 0, edition {n}\n")
        git(vault, "commit", "-qam", f"Edition {n}")
    return vault


@pytest.fixture
def app(root: Path) -> App:
    return open_vault(root)


def test_history_comes_in_pages_that_new_commits_do_not_move(app: App, root: Path) -> None:
    first = app.history(limit=2)
    (root / "notes/01.md").write_text("news\n")
    git(root, "commit", "-qam", "News")
    subjects, place = [commit.subject for commit in first.commits], first.next
    while place:
        page = app.history(limit=2, before=place)
        subjects += [commit.subject for commit in page.commits]
        place = page.next
    assert subjects == ["Edition 4", "Edition 3", "Edition 2", "Edition 1", "Edition 0", "All of it"]


def test_history_of_a_note_and_of_a_fact_has_pages_too(app: App) -> None:
    first = app.history("notes/00", limit=4)
    second = app.history("notes/00", limit=4, before=first.next)
    assert [commit.subject for commit in second.commits] == ["Edition 0", "All of it"]
    assert not second.next
    only = app.history("semantic/projects#Boathouse.deadline", limit=1)
    assert (len(only.commits), only.next) == (1, "")


@pytest.mark.parametrize("place", ["x", "HEAD.3", f"{'0' * 40}.1", "--all.1", f"{'a' * 40}.-1"])
def test_a_place_that_is_none_is_refused(app: App, place: str) -> None:
    with pytest.raises(InputError, match="is not a page of this history"):
        app.history(before=place)


def test_a_commit_of_many_files_names_twenty(app: App) -> None:
    shape = shapes.history(app.history(limit=6))["commits"][-1]
    assert len(shape["files"]) == 20
    assert shape["more_files"] == len(app.history(limit=6).commits[-1].files) - 20
    commit = app.commit(shape["commit"])
    assert (len(commit.files), commit.more) == (20, shape["more_files"])


def test_one_commit_word_by_word(app: App) -> None:
    shape = shapes.change_made(app.commit("HEAD"))
    assert shape["commit"]["subject"] == "Edition 4"
    pieces = shape["files"][0]["hunks"][0][0]["pieces"]
    assert [(piece["kind"], piece["text"]) for piece in pieces if piece["kind"] != "same"] == [
        ("gone", "3"),
        ("come", "4"),
    ]
    with pytest.raises(InputError):
        app.commit("--output=x")
    with pytest.raises(ForbiddenError):
        app.seen_by("agent").commit("HEAD")


def test_a_recall_that_is_not_noted_leaves_the_ledger_as_it_is(app: App, root: Path) -> None:
    noted = app.recall("boathouse deadline")
    ledger = {path: path.read_bytes() for path in (root / "ledger").rglob("*") if path.is_file()}
    looked = app.recall("boathouse deadline", noted=False)
    assert (looked.context, looked.receipt) == (noted.context, "")
    assert ledger == {path: path.read_bytes() for path in (root / "ledger").rglob("*") if path.is_file()}
    with pytest.raises(ForbiddenError):
        app.seen_by("agent").recall("boathouse deadline", noted=False)


def test_events_have_numbers_and_say_what_was_missed() -> None:
    events = Events(lambda: datetime(2026, 4, 20, tzinfo=UTC), most=3)
    assert events.after(0) == (0, (), False)
    for n in range(5):
        events.add(WatchReport("synced", f"{n}", 1, 1.0, (f"{n}.md",)))
    assert [event.number for event in events.after(3).events] == [4, 5]
    assert events.after(3).events[0].paths == ("3.md",)
    assert not events.after(2).missed
    assert events.after(1).missed, "2 is not kept any more"
    assert events.after(9).missed, "another daemon counted to 9"
    assert shapes.plain(events.after(4)) == {
        "last": 5,
        "missed": False,
        "events": [
            {
                "number": 5,
                "at": "2026-04-20T00:00:00Z",
                "kind": "synced",
                "text": "4",
                "files": 1,
                "paths": ["4.md"],
            }
        ],
    }


def test_a_sync_tells_which_files_it_took_in(app: App, root: Path) -> None:
    app.sync()
    (root / "notes/new.md").write_text("New\n")
    (root / "notes/02.md").unlink()
    assert app.sync().paths == ("notes/new.md", "notes/02.md")


def test_entities_are_listed_with_what_is_known_of_them(app: App) -> None:
    entities = {entity.name: (entity.kind, entity.facts) for entity in app.entities()}
    assert entities["Boathouse"] == ("projects", 2)
    assert [entity.name for entity in app.entities("kio")] == ["Kiosk"]
    assert app.entities(kind="people") == []


def test_one_entity_is_found_by_its_other_name(app: App, root: Path) -> None:
    (root / "episodes/2025-08-01_10-00-00_quay.md").write_text(
        "---\nentities: [Boathouse, Kiosk]\n---\nBoth stand at a quay.\n"
    )
    entity = app.entity("rowing club")
    assert (entity.name, entity.also) == ("Boathouse", ("rowing club",))
    assert [fact.value for _, fact in entity.facts if fact.field == "deadline"] == [
        "2026-12-11",
        "2025-06-27",
    ]
    assert [episode.path for episode in entity.episodes] == ["episodes/2025-08-01_10-00-00_quay.md"]
    assert [(neighbour.name, neighbour.episodes) for neighbour in entity.neighbours] == [("Kiosk", 1)]
    with pytest.raises(NotFoundError):
        app.entity("Atlantis")


@pytest.mark.parametrize("name", ["Łukasz Øst", "ŁUKASZ ØST", "Anna-Lena", "100% Wool_Co", "李雷"])
def test_a_neighbour_is_known_by_any_letters(vault_of: VaultOf, name: str) -> None:
    facts = f"# {name}\n- role: carpenter\n\n# Boathouse\n- lead: {name.title()}\n- price: 100\n"
    with open_vault(vault_of({"semantic/x.md": facts})) as app:
        assert [(neighbour.name, neighbour.fields) for neighbour in app.entity(name).neighbours] == [
            ("Boathouse", ("lead",))
        ]


def test_when_a_note_was_shown(app: App) -> None:
    app.recall("boathouse deadline", session="monday")
    assert [use["session"] for use in app.uses("semantic/projects")] == ["monday"]
    assert app.uses("notes/03") == []


def test_what_looks_several_times_waits_for_the_watch_once_and_then_knows_what_came_later(
    app: App, root: Path
) -> None:
    app.sync()
    with watched(root):
        until(lambda: is_live(root))
        cookies = root / ".memoryclaw/cookies"
        with app.looking():
            before = cookies.stat().st_mtime_ns  # of the folder: it changes with every cookie
            sleep(0.05)  # and a clock that stamps files may be coarse
            assert app.search("quaystone").matches == ()
            first = cookies.stat().st_mtime_ns
            assert first > before
            assert [app.browse(limit=1) for _ in range(3)]
            assert cookies.stat().st_mtime_ns == first
        for number in range(5):
            (root / "notes/new.md").write_text(f"quaystone {number}\n")
            assert [match.unit.text.strip() for match in app.search("quaystone").matches] == [
                f"quaystone {number}"
            ]


def test_what_looks_several_times_looks_at_the_files_once(
    app: App, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walks, scan = list[str](), Vault.scan

    def counted(vault: Vault, under: str = "") -> Scan:
        walks.append(under)
        return scan(vault, under)

    monkeypatch.setattr(Vault, "scan", counted)
    app.sync()
    app.browse(limit=1)
    before = len(walks)
    with app.looking():
        assert all(app.browse(limit=1) for _ in range(3))
    assert len(walks) == before + 1
    (root / "notes/new.md").write_text("quaystone\n")
    with app.looking():
        assert len(app.search("quaystone").matches) == 1
