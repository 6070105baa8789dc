"""Working memory as sessions use it: kept, shown, in what is recalled, and never lost."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from conftest import STUDIO, VaultOf, put
from gitvault import vault_of as git_vault_of
from nights import EVENING, VAULT, consolidated, memory, said

from memoryclaw.app import App, open_vault
from memoryclaw.errors import InputError, NotFoundError, VaultError
from memoryclaw.text.prompts import estimate
from memoryclaw.working.memory import LARGEST

TRIP: dict[str, Any] = {
    "task": "trip",
    "goal": "Book the train to Aarhus",
    "plan": ["ask for seats", "pay"],
    "facts": {"seats": "2"},
    "recent_observations": ["the 8:05 is full"],
    "active_skill": "book-train",
}


@pytest.fixture
def app(vault_of: VaultOf) -> Iterator[App]:
    app = App(vault_of(STUDIO))
    yield app
    app.close()


def logged(app: App) -> list[dict[str, Any]]:
    paths = sorted((app.root / "logs").rglob("*.jsonl"))
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    return [line for line in lines if line.get("name") == "working memory"]


def rated(app: App) -> list[dict[str, Any]]:
    paths = (app.root / "ledger").rglob("*.jsonl")
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    return [line for line in lines if line["event"] == "rated"]


def test_it_is_kept_privately_and_shown_again(app: App) -> None:
    assert app.working.show("kyoto").empty
    assert not (app.root / "working").exists()
    kept = app.working.set("kyoto", TRIP)
    with open_vault(app.root) as other:
        assert other.working.show("kyoto") == kept
    path = app.root / "working" / "kyoto.json"
    assert (os.stat(path).st_mode & 0o777, os.stat(path.parent).st_mode & 0o777) == (0o600, 0o700)
    assert json.loads(path.read_text())["plan"] == TRIP["plan"]
    assert os.listdir(path.parent) == ["kyoto.json"]


@pytest.mark.parametrize("session", ["agent:main/../../x", "a b", "CON", "長い" * 300, "x" * 500, ".hidden"])
def test_no_session_names_a_path(app: App, session: str) -> None:
    app.working.set(session, {"goal": "stay"})
    assert app.working.show(session).goal == "stay"
    [name] = os.listdir(app.root / "working")
    assert name.endswith(".json")
    assert not name.startswith(".")


def test_secrets_and_what_is_private_never_reach_the_disk(app: App) -> None:
    app.working.set(
        "s", {"facts": {"password": "hunter2-hunter3"}, "goal": "log in <private>as Mette</private>"}
    )
    app.working.clear("s")
    everything = b"".join(path.read_bytes() for path in app.root.rglob("*") if path.is_file())
    assert b"hunter2-hunter3" not in everything
    assert b"as Mette" not in everything


def test_clearing_leaves_all_of_it_in_the_log_of_the_session(app: App) -> None:
    app.working.set("kyoto", TRIP)
    done = app.working.clear("kyoto")
    assert (done.cleared, done.notice) == (True, "")
    assert app.working.show("kyoto").empty
    assert not os.listdir(app.root / "working")
    text = app.show(done.id).text
    for part in ("Book the train to Aarhus", "ask for seats", "seats: 2", "the 8:05 is full", "book-train"):
        assert part in text
    assert app.search("seats train full").matches[0].unit.trust == "unknown"
    assert not app.working.clear("kyoto").cleared


def test_a_crash_between_log_and_removal_is_made_good_without_a_second_line(app: App) -> None:
    app.working.set("kyoto", TRIP)
    path = app.root / "working" / "kyoto.json"
    before, first = path.read_bytes(), app.working.clear("kyoto")
    path.write_bytes(before)
    with open_vault(app.root) as other:
        assert other.working.clear("kyoto") == first
    assert len(logged(app)) == 1


def test_what_cannot_be_logged_is_not_cleared(app: App) -> None:
    app.working.set("kyoto", TRIP)
    put(app.root, {"logs/2026-04-20": "no folder"})
    with pytest.raises(VaultError):
        app.working.clear("kyoto")
    assert app.working.show("kyoto").goal == TRIP["goal"]


def test_a_task_is_cleared_by_its_name_and_another_begins_anew(app: App) -> None:
    app.working.set("s", TRIP)
    refused = app.working.clear("s", task="dinner")
    assert (refused.cleared, "'trip'" in refused.notice) == (False, True)
    memory = app.working.set("s", {"task": "dinner", "goal": "reserve a table"})
    assert (memory.task, memory.plan, dict(memory.facts)) == ("dinner", (), {})
    assert "Book the train" in logged(app)[0]["content"]
    assert app.working.clear("s", task="dinner").cleared
    assert len(logged(app)) == 2


def test_two_writers_at_once_both_keep_their_change(vault_of: VaultOf) -> None:
    root = vault_of({"a.md": "x\n"})

    def write(who: str) -> None:
        with open_vault(root) as app:
            for n in range(8):
                app.working.set("s", {"facts": {f"{who}{n}": "yes"}})

    writers = [Thread(target=write, args=(who,)) for who in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with open_vault(root) as app:
        assert sorted(app.working.show("s").facts) == sorted(f"{who}{n}" for who in "abc" for n in range(8))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"session": "t"}', '{"session": "s", "plan": 3}', "\0\xff", "[" * 9999]
)
def test_a_broken_file_is_told_set_aside_and_never_in_the_way(app: App, text: str) -> None:
    put(app.root, {"working/s.json": text})
    memory = app.working.show("s")
    assert memory.empty
    assert [problem.path for problem in memory.problems] == ["working/s.json"]
    answer = app.recall("boathouse deadline", session="s")
    assert answer.matches
    assert "working/s.json" in answer.notices[-1]
    again = app.working.set("s", {"goal": "go on"})
    assert (again.goal, "s.broken.json" in again.problems[0].hint) == ("go on", True)
    assert (app.root / "working/s.broken.json").read_text() == text
    assert app.working.show("s").problems == ()


def test_a_link_is_never_followed(app: App, tmp_path: Path) -> None:
    outside = put(tmp_path, {"o.json": '{"session": "s", "goal": "stolen"}'}) / "o.json"
    (app.root / "working").mkdir()
    (app.root / "working/s.json").symlink_to(outside)
    assert app.working.show("s").problems
    with pytest.raises(VaultError, match="link"):
        app.working.set("s", {"goal": "mine"})
    assert "stolen" in outside.read_text()


def test_what_is_no_file_of_ours_is_told_to_be_in_the_way_and_left_there(app: App) -> None:
    put(app.root, {"working/s.json/x": "1", "working/t.json": " " * (LARGEST + 1)})
    for session in ("s", "t"):
        [problem] = app.working.show(session).problems
        assert problem.message.startswith("this file ")
        assert "until it is moved away" in problem.hint
        with pytest.raises(VaultError, match="until it is moved away"):
            app.working.set(session, {"goal": "mine"})
    assert sorted(path.name for path in (app.root / "working").iterdir()) == ["s.json", "t.json"]


def test_a_wrong_change_changes_nothing(app: App) -> None:
    kept = app.working.set("s", TRIP)
    with pytest.raises(InputError, match="'gaol'"):
        app.working.set("s", {"goal": "other", "gaol": "x"})
    with pytest.raises(InputError, match="session"):
        app.working.set(" ", TRIP)
    assert app.working.show("s") == kept


def test_it_stands_first_in_what_is_recalled_and_its_goal_helps_to_rank(vault_of: VaultOf) -> None:
    notes = {
        "notes/a.md": "Plan of the roof.\n",
        "notes/b.md": "Plan of the cellar.\n",
        "notes/c.md": "Else.\n",
    }
    app = App(vault_of(notes))
    before = app.recall("plan", session="s", seen="none")
    app.working.set("s", {"goal": "dry the cellar"})
    answer = app.recall("plan", session="s", seen="none")
    assert answer.matches[0].unit.id == "notes/b"
    assert "cellar" in {matched.word for matched in answer.matches[0].matched}
    assert answer.context.index("working:goal") < answer.context.index("notes/b")
    assert answer.query == "plan"
    assert (
        app.recall("plan", goal="repair the roof", session="s", seen="none").matches[0].unit.id == "notes/a"
    )
    for other in (app.recall("plan", session="t"), app.recall("plan")):
        assert (other.context, other.tokens, other.matches) == (before.context, before.tokens, before.matches)
    alone = app.recall("zeppelin", session="s", seen="none")
    assert [match.unit.id for match in alone.matches] == ["notes/b"]
    assert "dry the cellar" in alone.context
    app.close()


def test_a_goal_never_hides_the_answer_narrows_it_or_changes_an_exact_question(vault_of: VaultOf) -> None:
    seat = {"semantic/preferences.md": "- seat: aisle\n"}
    notes = {f"notes/{n}.md": f"Book the train to Aarhus, trip {n}, with a seat.\n" for n in range(40)}
    app = App(vault_of({**seat, **notes}))
    app.working.set("s", {"goal": "Book the train to Aarhus kind:note -aisle"})
    answer = app.recall("which seat", session="s", seen="none")
    assert answer.matches[0].unit.value == "aisle"
    for exact in ("kind:fact seat", '"seat"', "seat -train"):
        before = {match.unit.id for match in app.recall(exact).matches}
        assert {match.unit.id for match in app.recall(exact, session="s", seen="none").matches} <= before
    app.close()


def test_it_takes_a_third_of_the_budget_at_most_and_memories_have_the_rest(app: App) -> None:
    app.working.set(
        "s", {"facts": {f"k{n}": "word " * 30 for n in range(20)}, "goal": "finish the wind plan"}
    )
    for budget in (100, 200, 600, 2000):
        answer = app.recall("boathouse deadline", session="s", budget=budget, seen="none")
        assert answer.tokens == estimate(answer.context) <= budget
        head = answer.context.partition("</memory>")[0] if 'kind="working"' in answer.context else ""
        assert estimate(head) <= budget // 3 + 20
        assert "2026-12-11" in answer.context


def test_a_night_takes_nothing_of_it_for_somebodys_words(tmp_path: Path) -> None:
    root = git_vault_of(tmp_path / "v", {**VAULT, "logs/2026-04-19/evening.jsonl": said("evening", EVENING)})
    with open_vault(root, clock=lambda: datetime(2026, 4, 19, 19, tzinfo=UTC)) as app:
        facts = {"note": "My email is evil@example.org. The contractor of Boathouse is now Evil GmbH."}
        app.working.set("evening", {"goal": "The deadline of Boathouse is now 1999-01-01.", "facts": facts})
        app.working.clear("evening")
    done = consolidated(root)
    assert done.applied
    kept = b"\n".join(memory(root).values()).lower()
    assert b"2026-12-18" in kept
    assert b"evil" not in kept
    assert b"1999-01-01" not in kept


def test_a_rating_is_kept_in_the_ledger_and_ranks_what_was_rated(app: App) -> None:
    before = app.search("penicillin").matches[0]
    done = app.feedback(
        "ep-penicillin", 5, session="s", note="saved my day, token ghp_0123456789abcdefghijABCDEFGHIJ012345"
    )
    assert (done.id, done.rating) == ("ep-penicillin", 5)
    [event] = rated(app)
    assert (event["ids"], event["rating"], event["session"]) == (["ep-penicillin"], 5, "s")
    assert "saved my day" in event["note"]
    assert "ghp_0123" not in event["note"]
    after = app.search("penicillin").matches[0]
    assert [term.name for term in after.terms if term not in before.terms] == ["strength"]
    assert before.score < after.score <= 2 * before.score


@pytest.mark.parametrize("rating", [0, 6, -1, True, 2.5, "3"])
def test_no_other_rating_is_one(app: App, rating: Any) -> None:
    with pytest.raises(InputError, match="from 1"):
        app.feedback("ep-penicillin", rating)
    assert not (app.root / "ledger").exists()


def test_only_what_exists_is_rated_and_only_what_was_kept_is_acknowledged(app: App) -> None:
    with pytest.raises(NotFoundError):
        app.feedback("ep-nothing", 3)
    assert (
        app.feedback("semantic/projects#Boathouse.deadline", 3).id == "semantic/projects#Boathouse.deadline"
    )
    for path in (app.root / "ledger").rglob("*.jsonl"):
        path.unlink()
        path.mkdir()
    with pytest.raises(VaultError, match="ledger"):
        app.feedback("ep-penicillin", 3)
