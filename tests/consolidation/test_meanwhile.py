"""What a person writes while a run is on its way stays theirs: a plan acts on what it saw, and waits where that has changed."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import Own, put
from gitvault import git, vault_of
from nights import NIGHT, said, tree
from servers.scripted import Asked, ModelServer

from memoryclaw.app import App
from memoryclaw.consolidation.actions import NewFile
from memoryclaw.errors import IndexBehindError
from memoryclaw.index.index import RACY_NS
from memoryclaw.lifecycle.upkeep import KEEPERS, upkeep
from memoryclaw.vault import files as locks

FLAT = "semantic/projects.md"
OLD = "# Flat\n- landlord: Ms. Brandt [since:: 2026-01-04]\n- lead: Søren\n"
TALK = [
    ("user Nora", "The landlord of Flat is now Mr. Haas."),
    ("user Nora", "The rent of Flat is 900 euros."),
]
MINE = "- landlord: Mr. Okafor [since:: 2026-03-10]"
Edit = Callable[[Path], None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = vault_of(tmp_path / "vault", {FLAT: OLD})
    return put(root, {"logs/2026-03-09/s.jsonl": said("s", TALK, day="2026-03-09")})


def by_hand(root: Path, path: str, change: Callable[[str], str], *, commit: bool) -> None:
    (root / path).write_text(change((root / path).read_text()))
    if commit:
        git(root, "add", "-A", path)
        git(root, "commit", "-qm", "mine")


def moved_in(root: Path, *, commit: bool = True) -> None:
    by_hand(
        root,
        FLAT,
        lambda text: text.replace("- landlord: Ms. Brandt [since:: 2026-01-04]", MINE),
        commit=commit,
    )


def app_of(root: Path, now: datetime = NIGHT, edit: Edit | None = None, *, applying: bool = True) -> App:
    """The vault; `edit` is made when all is planned: before the run holds the lock, or behind (`applying`)."""
    if edit:
        with App(root, clock=lambda: now) as app:
            app.sync()
            time.sleep(
                2 * RACY_NS / 1e9
            )  # no stamp is doubtful any more, so that planning is the first that tells its progress
            app.sync()

    def progress(number: int, total: int) -> None:
        nonlocal edit
        if edit and (number == 0 if applying else number == total):
            edit, mine = None, edit
            mine(root)

    return App(root, clock=lambda: now, progress=progress)


def night(
    root: Path, edit: Edit | None = None, *, now: datetime = NIGHT, applying: bool = True, **how: object
):
    with app_of(root, now, edit, applying=applying) as app:
        return app.consolidate(**{"llm": "none", **how})


def record(root: Path) -> dict[str, object]:
    return json.loads(max(root.glob("runs/consolidate-*.json")).read_text())


def current(root: Path, path: str = FLAT) -> str:
    return (root / path).read_text().partition("## History")[0]


def proposals(root: Path) -> str:
    return "".join(path.read_text() for path in root.glob("review/*.md"))


# An index that another process keeps busy


@pytest.mark.parametrize(
    "verb",
    [
        lambda app: app.consolidate(llm="none"),
        lambda app: app.consolidate(llm="none", due=True),
        lambda app: app.consolidate(llm="none", dry_run=True),
        lambda app: app.redo("2026-03-01", llm="none"),
        lambda app: app.segments(),
        lambda app: app.purge(source="s"),
        lambda app: app.purge(source="s", dry_run=True),
        lambda app: app.transfer.export_bundle(f"{app.root}-bundle.tar.gz"),
    ],
    ids=["consolidate", "due", "dry run", "redo", "segments", "purge", "dry purge", "export"],
)
def test_nothing_is_planned_by_an_index_that_is_behind(
    root: Path, verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "WAIT", 0.1)
    with app_of(root) as app:
        app.sync()
        moved_in(root)
        before = tree(root), git(root, "rev-parse", "HEAD"), git(root, "for-each-ref")
        with closing(sqlite3.connect(app.index.database.path, isolation_level=None)) as holder:
            holder.execute("begin immediate")
            with pytest.raises(IndexBehindError, match=r"nothing was done: .*1 file behind"):
                verb(app)
            holder.execute("rollback")
    assert (tree(root), git(root, "rev-parse", "HEAD"), git(root, "for-each-ref")) == before
    assert not Path(f"{root}-bundle.tar.gz").exists()


def test_once_the_index_is_free_what_was_written_meanwhile_is_seen(root: Path) -> None:
    with app_of(root) as app:
        app.sync()
        moved_in(root)
        app.consolidate(llm="none")
    assert MINE in current(root)
    assert "rent" in current(root)


def test_a_busy_index_is_waited_for(root: Path) -> None:
    with app_of(root) as app:
        app.sync()
        moved_in(root)
        holder = sqlite3.connect(app.index.database.path, isolation_level=None, check_same_thread=False)
        holder.execute("begin immediate")
        release = threading.Timer(0.6, lambda: holder.execute("rollback"))
        release.start()
        app.consolidate(llm="none")
        release.join()
        holder.close()
    assert MINE in current(root)


# A person writes while a run plans


@pytest.mark.parametrize("commit", [True, False], ids=["committed", "not committed"])
@pytest.mark.parametrize("applying", [True, False], ids=["under the lock", "while it plans"])
def test_a_value_that_changed_meanwhile_waits_and_the_rest_goes_on(
    root: Path, applying: bool, commit: bool
) -> None:
    night(root, lambda root: moved_in(root, commit=commit), applying=applying)
    assert MINE in current(root)
    assert "Haas" not in (root / FLAT).read_text()
    assert "Haas" in proposals(root)
    assert "has changed since this was planned" in proposals(root)
    (sentence,) = record(root)["notices"]  # type: ignore[misc]
    assert "Mr. Haas" in sentence
    assert "has changed since this was planned" in sentence
    assert "rent" in current(root)
    assert list(root.glob("episodes/*.md"))


@pytest.mark.parametrize("applying", [True, False], ids=["under the lock", "while it plans"])
def test_a_branch_replaces_no_value_that_was_committed_meanwhile(root: Path, applying: bool) -> None:
    done = night(root, moved_in, mode="branch", applying=applying)
    with app_of(root) as app:
        app.review.approve([app.review.get(done.changes.run)])
    assert MINE in current(root)
    assert "Haas" not in (root / FLAT).read_text()
    assert "Haas" in proposals(root)
    assert "rent" in current(root)


def test_what_was_not_there_when_it_was_planned_is_not_replaced(root: Path) -> None:
    rent = "- rent: 950 euros [since:: 2026-03-10]"
    night(root, lambda root: by_hand(root, FLAT, lambda text: text + rent + "\n", commit=True))
    assert rent in current(root)
    assert "900" not in (root / FLAT).read_text()
    assert "900" in proposals(root)
    assert "- landlord: Mr. Haas" in current(root)


def test_a_later_day_of_the_same_value_counts_as_another(root: Path) -> None:
    later = "Ms. Brandt [since:: 2026-03-10]"
    night(root, lambda root: by_hand(root, FLAT, lambda text: text.replace("Ms. Brandt [since:: 2026-01-04]", later), commit=True))  # fmt: skip
    assert later in current(root)
    assert "Haas" in proposals(root)


def test_what_waits_is_made_by_a_yes(root: Path) -> None:
    night(root, moved_in)
    with app_of(root) as app:
        (item,) = [waiting for waiting in app.review.list() if "Haas" in waiting.what]
        app.review.approve([item])
    assert "- landlord: Mr. Haas" in current(root)
    assert MINE.removeprefix("- ") in (root / FLAT).read_text().partition("## History")[2]


def test_a_private_value_that_came_meanwhile_is_named_nowhere_else(root: Path) -> None:
    mine = MINE + " [audience:: owner]"
    night(root, lambda root: by_hand(root, FLAT, lambda text: text.replace("- landlord: Ms. Brandt [since:: 2026-01-04]", mine), commit=True))  # fmt: skip
    assert mine in current(root)
    assert "Okafor" not in proposals(root) + json.dumps(record(root)) + git(root, "log", "--format=%B")


def test_an_edit_while_a_model_reads_is_seen(root: Path, own: Own) -> None:
    def answer(asked: Asked) -> str:
        if MINE not in (root / FLAT).read_text():
            moved_in(root)
        line = next(n for n, text in enumerate(asked.log, 1) if "Haas" in text)
        claim = {"line": line, "quote": TALK[0][1], "entity": "Flat", "field": "landlord", "value": "Mr. Haas", "durable": True, "confidence": "high"}  # fmt: skip
        return json.dumps(
            {"title": "The flat", "summary": TALK[0][1], "tags": [], "entities": ["Flat"], "claims": [claim]}
        )

    with ModelServer(answer) as server:
        own(f"llm:\n  chain: [ollama]\n  url: {server.url}\n")
        night(root, llm="auto")
        assert server.asked
    assert MINE in current(root)
    assert "Haas" in proposals(root)


def test_a_plan_that_is_taken_up_days_later_waits_as_well(root: Path) -> None:
    def stop(_root: Path) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        night(root, stop)
    assert (root / ".memoryclaw/plan.json").exists()
    moved_in(root)
    night(root)
    assert MINE in current(root)
    assert "Haas" in proposals(root)


def test_a_statement_that_was_put_in_other_words_is_not_replaced(tmp_path: Path) -> None:
    root = vault_of(tmp_path / "vault", {"Home.md": "# Home\n"})
    put(root, {"logs/2026-03-09/a.jsonl": said("a", [("user Nora", "we take the car to the lake on saturday")], day="2026-03-09")})  # fmt: skip
    night(root)
    put(root, {"logs/2026-03-10/b.jsonl": said("b", [("user Nora", "we take the train to the lake after all")], day="2026-03-10")})  # fmt: skip
    path = "semantic/people.md"

    def change(text: str) -> str:
        assert "[said:: 2026-03-09]" in text
        return text.replace("[said:: 2026-03-09]", "[said:: 2026-03-12]")

    night(root, lambda root: by_hand(root, path, change, commit=True), now=NIGHT.replace(hour=5))
    assert "[said:: 2026-03-12]" in current(root, path)
    assert "train" in proposals(root)


def test_a_note_that_came_to_the_name_of_an_episode_stays_and_the_episode_waits(root: Path) -> None:
    with app_of(root) as app:
        changes = app.consolidate(llm="none", dry_run=True).changes.changes
    (path,) = [action.paths[0] for action in changes[0].actions if isinstance(action, NewFile)]
    night(root, lambda root: put(root, {path: "# My own note\n"}))
    assert [path.read_text() for path in root.glob("episodes/*.md")] == ["# My own note\n"]
    assert "900 euros" in proposals(root)


# Near duplicates

LONG = [
    (
        "user Nora",
        "The paint for the kitchen wall of the flat is Dünensand 14, the matt one, in two buckets.",
    ),
    ("user Nora", "The carpenter delivers the larch boards for the terrace on Thursday before noon."),
]


def same_day(root: Path, first: list, later: list) -> str:
    """Two talks of a day, of which the first is an episode; returns its path."""
    put(root, {"logs/2026-03-09/s.jsonl": said("s", first, day="2026-03-09", hour=8)})
    night(root)
    (path,) = root.glob("episodes/*.md")
    put(root, {"logs/2026-03-09/t.jsonl": said("t", later, day="2026-03-09", hour=18)})
    return str(path.relative_to(root))


def test_an_episode_that_was_cut_meanwhile_does_not_stand_for_another(tmp_path: Path) -> None:
    root = vault_of(tmp_path / "vault", {"Home.md": "# Home\n"})
    path = same_day(root, LONG, LONG)

    def cut(text: str) -> str:
        return "".join(line for line in text.splitlines(keepends=True) if "larch" not in line)

    night(root, lambda root: by_hand(root, path, cut, commit=True), now=NIGHT.replace(hour=5))
    assert "logs/2026-03-09/t.jsonl" not in (root / path).read_text()
    assert "logs/2026-03-09/t.jsonl" in proposals(root)


def test_an_episode_that_grew_meanwhile_does_not_go_to_the_archive(tmp_path: Path) -> None:
    root = vault_of(tmp_path / "vault", {"Home.md": "# Home\n"})
    path = same_day(root, LONG[:1], LONG)
    night(root, lambda root: by_hand(root, path, lambda text: text + "\nI chose it myself.\n", commit=True), now=NIGHT.replace(hour=5))  # fmt: skip
    assert "I chose it myself." in (root / path).read_text()
    assert not list((root / "archive").rglob("*.md"))


# Redo


def test_an_episode_that_was_edited_while_redo_planned_is_not_replaced(root: Path) -> None:
    night(root)
    (path,) = root.glob("episodes/*.md")
    name = str(path.relative_to(root))
    git(root, "rm", "-q", "--cached", name)
    path.write_text(path.read_text() + "an older tool wrote this line\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "old", "-m", "Run: consolidate-20260101T000000-abcdef")
    mine = "My own thoughts on this.\n"
    with app_of(root, NIGHT, lambda root: by_hand(root, name, lambda text: text + mine, commit=True)) as app:
        done = app.redo("2026-03-01", llm="none")
    with app_of(root) as app:
        app.review.approve([app.review.get(done.changes.run)])
    assert path.read_text().endswith(mine)
    assert "an older tool" not in path.read_text()


# Upkeep

DAYS = datetime(2026, 5, 4, 3, tzinfo=UTC)


def kept_up(root: Path, path: str, change: Callable[[str], str], *, commit: bool = True) -> None:
    """A night's upkeep in which the person edits when everything is planned."""
    with app_of(root, DAYS) as app:
        context = app._context.looking()

        def person(_context):
            by_hand(root, path, change, commit=commit)
            return iter(())

        done = upkeep(context, mode="direct", loss_budget=1.0, keepers=(*KEEPERS, person))
    assert done.changes.changes, "nothing was planned"


@pytest.mark.parametrize("commit", [True, False], ids=["committed", "not committed"])
def test_what_was_given_a_later_last_day_meanwhile_does_not_expire(tmp_path: Path, commit: bool) -> None:
    note, fact = (
        "---\nexpires: 2026-04-01\n---\n# Sale\n",
        "# Flat\n- discount: 10 % [expires:: 2026-04-01]\n",
    )
    for path, text in (("sale.md", note), (FLAT, fact)):
        root = vault_of(tmp_path / path.replace("/", "-"), {path: text})
        kept_up(root, path, lambda text: text.replace("2026-04-01", "2027-04-01"), commit=commit)
        assert (root / path).read_text() == text.replace("2026-04-01", "2027-04-01")
        assert list(root.glob("review/*.md"))


def test_a_value_goes_to_history_only_while_the_one_that_holds_instead_stands(tmp_path: Path) -> None:
    schema = "fields:\n  deadline: {type: date, supersede: true}\n"
    old, new = (
        "# Atlas\n- deadline: 2026-05-02 [since:: 2026-04-20]\n",
        "# Atlas\n- deadline: 2026-06-01 [since:: 2026-04-28]\n",
    )
    files = {"semantic/_schema.yaml": schema, "semantic/a.md": old, "semantic/b.md": new}
    root = vault_of(tmp_path / "vault", files)
    kept_up(root, "semantic/b.md", lambda _: "# Atlas\n- lead: Nora\n")
    assert (root / "semantic/a.md").read_text() == old
    with app_of(root, DAYS) as app:
        (item,) = [waiting for waiting in app.review.list() if waiting.path.startswith("review/")]
        app.review.approve([item])
    assert "- deadline" not in current(root, "semantic/a.md")
