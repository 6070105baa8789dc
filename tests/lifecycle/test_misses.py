"""What was asked in vain and then opened in the same session: its words are proposed as search words, a batch a week; never from what is private."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from gitvault import vault_of

from memoryclaw.app import App

ASKED = datetime(2026, 5, 5, 9, 0, tzinfo=UTC)  # a Tuesday
NEXT_WEEK = ASKED + timedelta(days=7)
PEOPLE = "# Nora\n- insurance: Helvetia, policy 4711\n- code word: heron [audience:: private]\n"
INSURANCE = "semantic/people#Nora.insurance"
QUESTION = "our indemnity provider?"


def looked_for(
    root: Path,
    question: str,
    opened: str,
    *,
    to: str = "s1",
    after: int = 1,
    night: datetime = NEXT_WEEK,
    **label: Any,
) -> list[Any]:
    """What waits in a night after a question of session s1, and a memory that a session opened so many minutes later."""
    vault_of(root, {"memoryclaw.yaml": "timezone: UTC\n", "semantic/people.md": PEOPLE})
    with App(root, clock=lambda: ASKED) as app:
        turn = {
            "session": "s1",
            "ts": f"{ASKED:%Y-%m-%dT%H:%M:%SZ}",
            "role": "user",
            "content": question,
            **label,
        }
        app.capture([turn])
        app.recall(question, session="s1")
    with App(root, clock=lambda: ASKED + timedelta(minutes=after)) as app:
        app.show(opened, session=to)
    with App(root, clock=lambda: night) as app:
        app.consolidate(llm="none")
        return [item for item in app.review.list() if item.kind == "search-words"]


def test_the_words_that_lacked_find_the_memory_once_somebody_says_yes_and_are_undone_like_any_line(
    tmp_path: Path,
) -> None:
    root = tmp_path / "v"
    [item] = looked_for(root, QUESTION, INSURANCE)
    [file] = (root / "review").glob("search-words-*.md")
    assert QUESTION in file.read_text("utf-8")
    assert "Helvetia" in file.read_text("utf-8")
    with App(root, clock=lambda: NEXT_WEEK) as app:
        assert not app.search("indemnity provider", kind="fact").matches
        [decided] = app.review.approve([item])
        assert "[also:: indemnity, provider]" in (root / "semantic/people.md").read_text("utf-8")
        [match] = app.search("indemnity provider", kind="fact").matches
        assert match.unit.id == INSURANCE
        app.undo(decided.commit)
    assert (root / "semantic/people.md").read_text("utf-8") == PEOPLE


@pytest.mark.parametrize(
    "case",
    [
        {"question": QUESTION, "audience": "private"},
        {"question": QUESTION, "export": False},
        {"question": "our indemnity key AKIAIOSFODNN7EXAMPLE?"},
        {"question": QUESTION, "opened": "semantic/people#Nora.code word"},
        {"question": QUESTION, "to": "s2"},
        {"question": QUESTION, "after": 40},
        {"question": QUESTION, "night": ASKED + timedelta(days=1)},
        {"question": "Nora's insurance policy?"},
    ],
    ids=[
        "labelled", "not to leave", "redacted", "line of few", "another session", "much later", "this week",
        "it was shown",
    ],
)  # fmt: skip
def test_nothing_is_learned_from_what_is_private_or_is_no_miss(tmp_path: Path, case: dict[str, Any]) -> None:
    assert not looked_for(tmp_path / "v", **{"opened": INSURANCE, **case})


@pytest.mark.parametrize(("asked_first", "is_missed"), [("", True), ("Nora's insurance policy?", False)])
def test_a_search_of_a_session_that_found_nothing_teaches_as_a_recall_does(
    tmp_path: Path, asked_first: str, is_missed: bool
) -> None:
    root = tmp_path / "v"
    vault_of(root, {"memoryclaw.yaml": "timezone: UTC\n", "semantic/people.md": PEOPLE})
    with App(root, clock=lambda: ASKED) as app:
        app.capture(
            [{"session": "s1", "ts": f"{ASKED:%Y-%m-%dT%H:%M:%SZ}", "role": "user", "content": QUESTION}]
        )
        if asked_first:  # just before, and it showed what is opened
            app.search(asked_first, session="s1")
        assert not app.search("indemnity provider", session="s1", kind="fact").matches
    with App(root, clock=lambda: ASKED + timedelta(minutes=1)) as app:
        app.show(INSURANCE, session="s1")
    with App(root, clock=lambda: NEXT_WEEK) as app:
        app.consolidate(llm="none")
        waiting = [item for item in app.review.list() if item.kind == "search-words"]
    assert bool(waiting) is is_missed


def test_a_recall_that_found_nothing_at_all_before_its_turn_was_captured_teaches_too(tmp_path: Path) -> None:
    root = tmp_path / "v"
    vault_of(root, {"memoryclaw.yaml": "timezone: UTC\n", "semantic/people.md": PEOPLE})
    with App(root, clock=lambda: ASKED) as app:
        assert not app.recall(QUESTION, session="s1").trace
        app.capture(
            [{"session": "s1", "ts": f"{ASKED:%Y-%m-%dT%H:%M:%SZ}", "role": "user", "content": QUESTION}]
        )
    with App(root, clock=lambda: ASKED + timedelta(minutes=1)) as app:
        app.show(INSURANCE, session="s1")
    with App(root, clock=lambda: NEXT_WEEK) as app:
        app.consolidate(llm="none")
        [item] = [item for item in app.review.list() if item.kind == "search-words"]
    assert "indemnity" in (root / item.path).read_text("utf-8")


def test_a_ledger_of_another_device_may_have_any_times(tmp_path: Path) -> None:
    root = tmp_path / "v"
    times = ("2026-05-05T09:00:30", "2026-05-05T11:00:30+02:00", "soon", 7)
    event = {"event": "shown", "session": "s1", "mode": "get", "ids": [INSURANCE]}
    lines = "".join(json.dumps({**event, "ts": ts}) + "\n" for ts in times)
    vault_of(root, {"ledger/laptop/2026-05.jsonl": lines})
    assert looked_for(root, QUESTION, INSURANCE)
