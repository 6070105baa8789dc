"""Every verb of the Python API, by what it does."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from conftest import STUDIO, VaultOf, git, put
from indexed import is_live, until

from memoryclaw.app import App, init_vault, open_vault, system_clock
from memoryclaw.errors import ConfigError, InputError, NotFoundError, VaultError

NOW = datetime(2026, 4, 20, 8, tzinfo=UTC)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """A vault as `init` makes it, with one of everything, committed."""
    root = tmp_path / "vault"
    init_vault(root, clock=lambda: NOW)
    put(root, STUDIO)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    app = open_vault(root, clock=lambda: NOW)
    yield app
    app.close()


def commits(app: App) -> int:
    return int(git(app.root, "rev-list", "--count", "HEAD"))


def test_init_makes_a_vault_that_can_be_asked_at_once(tmp_path: Path) -> None:
    done = init_vault(tmp_path / "new")
    assert done.commit
    assert (tmp_path / "new/memoryclaw.yaml").exists()
    assert open_vault(tmp_path / "new").search("anything").matches == ()


def test_open_finds_the_vault_that_the_command_line_would(
    vault_of: VaultOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = vault_of({"memoryclaw.yaml": "", **STUDIO})
    monkeypatch.chdir(root / "notes")
    assert open_vault().root == root
    monkeypatch.chdir("/")
    monkeypatch.setenv("MEMORYCLAW_VAULT", str(root))
    assert open_vault().root == root


def test_open_says_what_is_wrong(tmp_path: Path, vault_of: VaultOf) -> None:
    with pytest.raises(VaultError, match="no-such"):
        open_vault(tmp_path / "no-such")
    with pytest.raises(ConfigError, match="budget"):
        open_vault(vault_of({"memoryclaw.yaml": "retrieval:\n  budget: lots\n"}))


def test_the_clock_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYCLAW_NOW", "2026-03-01T12:00:00+02:00")
    assert system_clock() == datetime(2026, 3, 1, 10, tzinfo=UTC)
    monkeypatch.setenv("MEMORYCLAW_NOW", "noon")
    with pytest.raises(InputError, match="noon"):
        system_clock()
    monkeypatch.delenv("MEMORYCLAW_NOW")
    assert system_clock().tzinfo is UTC


def test_search_and_recall_see_a_file_that_was_saved_a_moment_ago(app: App) -> None:
    assert app.search("zeppelin").matches == ()
    put(app.root, {"notes/new.md": "The zeppelin lands at noon.\n"})
    assert [match.unit.id for match in app.search("zeppelin").matches] == ["notes/new"]
    put(app.root, {"notes/new.md": "The zeppelin lands at one.\n"})
    assert "lands at one" in app.recall("zeppelin").context
    (app.root / "notes/new.md").unlink()
    assert app.search("zeppelin").matches == ()


def test_show_browse_facts_and_links_are_as_fresh(app: App) -> None:
    put(app.root, {"notes/new.md": "# New\n\n[[moon]]\n", "semantic/new.md": "# Ferry\n- time: noon\n"})
    assert app.show("notes/new").text == "# New\n\n[[moon]]\n"
    assert "notes/new" in {note.id for note in app.browse()}
    assert [fact.value for _, fact in app.facts("Ferry", as_of=date(2026, 4, 1))] == ["noon"]
    assert [end.source for end in app.links("notes/moon").back] == ["notes/new.md"]


def test_remember_keeps_a_text_and_a_fact_and_both_are_found(app: App) -> None:
    before = commits(app)
    episode = app.remember("The kiln is fixed.", tags=["studio"])
    fact = app.remember("2027-01-15", entity="Boathouse", field="deadline")
    assert commits(app) == before + 2
    assert app.search("kiln").matches[0].unit.id == episode.id
    assert app.search("boathouse deadline").matches[0].unit.value == "2027-01-15"
    assert (fact.action, app.show(fact.id).text.startswith("- deadline: 2027-01-15")) == ("superseded", True)


def test_edit_corrects_a_field(app: App) -> None:
    app.edit("ep-wind", {"summary": "Wind plan, corrected"})
    assert (
        "summary: Wind plan, corrected"
        in (app.root / "episodes/2025-09-04_15-40-00_wind-plan.md").read_text()
    )
    assert app.search("corrected").matches[0].unit.id == "ep-wind"


def test_forget_and_revive_take_away_and_bring_back_the_same_bytes(app: App) -> None:
    path = app.root / "notes/moon.md"
    text = path.read_bytes()
    gone = app.forget("notes/moon")
    assert not path.exists()
    assert app.search("pancakes").matches == ()
    app.revive(gone.id)
    assert path.read_bytes() == text
    assert app.search("pancakes").matches


def test_undo_takes_back_one_change(app: App) -> None:
    text = (app.root / "semantic/projects.md").read_bytes()
    done = app.remember("2027-01-15", entity="Boathouse", field="deadline")
    app.undo(done.commit)
    assert (app.root / "semantic/projects.md").read_bytes() == text
    assert app.search("boathouse deadline").matches[0].unit.value == "2026-12-11"


def test_sync_reports_what_it_did_and_a_second_one_does_nothing(app: App) -> None:
    first = app.sync()
    assert first.added == 6
    put(app.root, {"notes/new.md": "New.\n", "notes/moon.md": "Changed.\n"})
    (app.root / "semantic/projects.md").unlink()
    again = app.sync()
    assert (again.added, again.changed, again.removed) == (1, 1, 1)
    last = app.sync()
    assert (last.added, last.changed, last.removed) == (0, 0, 0)


def test_reindex_and_a_deleted_index_change_no_answer(app: App) -> None:
    before = app.search("boathouse").matches
    assert app.reindex().added > 0
    assert app.search("boathouse").matches == before
    shutil.rmtree(app.root / ".memoryclaw")
    assert app.search("boathouse").matches == before


def test_a_damaged_index_heals_itself(app: App) -> None:
    before = app.search("boathouse").matches
    app.close()
    (app.root / ".memoryclaw/index.sqlite").write_bytes(b"SQLite format 3\0" + b"rubbish" * 5000)
    assert app.search("boathouse").matches == before


def test_status_looks_and_changes_nothing(app: App) -> None:
    before = app.status()
    put(app.root, {"notes/new.md": "New.\n"})
    after = app.status()
    assert after.behind == before.behind + 1
    assert after.notes["note"] == before.notes["note"] + 1
    assert (after.daemon, after.problems, after.degraded) == (None, (), "")
    assert app.status() == after


def test_doctor_finds_what_is_wrong_and_mends_only_derived_data(app: App) -> None:
    put(app.root, {"notes/bad.md": "---\ntags: [a\n---\nBody.\n"})
    checks = {check.name: check for check in app.doctor()}
    assert any(check.level == "problem" for check in checks.values())
    text = (app.root / "notes/bad.md").read_bytes()
    app.doctor(fix=True)
    assert (app.root / "notes/bad.md").read_bytes() == text
    assert git(app.root, "status", "--porcelain", "--untracked-files=no") == ""


def test_progress_is_told_while_indexing(vault_of: VaultOf) -> None:
    steps: list[tuple[int, int]] = []
    app = open_vault(vault_of(STUDIO), progress=lambda done, total: steps.append((done, total)))
    app.sync()
    assert steps[-1][0] == steps[-1][1] > 0


def test_nothing_is_found_by_a_wrong_id(app: App) -> None:
    for verb in (app.show, app.links, app.forget, app.revive):
        with pytest.raises(NotFoundError):
            verb("no-such-thing")


def test_a_vault_inside_a_repository_is_never_taken_for_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    app = App(put(tmp_path / "vault", STUDIO), clock=lambda: NOW)
    app.search("boathouse")
    app.recall("boathouse")
    assert git(tmp_path, "status", "--porcelain", "--untracked-files=no") == ""
    assert (
        subprocess.run(
            ["git", "-C", tmp_path, "rev-parse", "HEAD"], capture_output=True, check=False
        ).returncode
        != 0
    )


def test_a_recall_is_noted_in_the_ledger_of_its_month(app: App) -> None:
    answer = app.recall("boathouse deadline", session="s1")
    [path] = (app.root / "ledger").rglob("2026-04.jsonl")
    event = json.loads(path.read_text())
    assert (event["receipt"], event["session"], event["ids"]) == (
        answer.receipt,
        "s1",
        [m.unit.id for m in answer.matches],
    )


def test_a_watch_takes_a_deleted_skill_from_hosts(app: App) -> None:
    app.skills.new("water-plants", "Waters the plants of the studio on Fridays.")
    app.skills.approve("water-plants")
    copy = Path(app.skills.hosted().folder) / "water-plants" / "SKILL.md"
    assert copy.is_file()
    watcher = open_vault(app.root)
    watch = watcher.watching(lambda _: None)
    thread = threading.Thread(target=watch.run)
    thread.start()
    try:
        until(lambda: is_live(app.root))
        shutil.rmtree(app.root / "skills" / "water-plants")
        until(lambda: not copy.exists())
    finally:
        watch.stop()
        thread.join()
        watcher.close()


def test_a_vault_named_from_the_working_folder_is_consolidated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`App(Path("v"))` works from another folder later on, as git does from the start."""
    monkeypatch.chdir(tmp_path)
    init_vault("v")
    with App(Path("v")) as app:
        app.capture([{"session": "s", "role": "user", "content": "My dentist is Dr Bell."}])
        monkeypatch.chdir(tmp_path.parent)
        app.consolidate(llm="none")
        assert [fact.value for _, fact in app.facts()] == ["Dr Bell"]
