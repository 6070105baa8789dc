"""The same wish beside a piece of work in three sessions is a standing order, and in two it is none."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import put
from nights import said

from memoryclaw.app import App
from memoryclaw.model import FROM_NOW_ON

ASKED = "can you write the letter to the harbour office? {}"


def orders(root: Path, *wishes: str, speakers: str = "NNN", at_once: bool = False) -> list[tuple[str, str]]:
    """Who has which standing orders once each of some sessions asked for a letter, and wished something of it."""
    put(root, {})
    for number, wish in enumerate(wishes, 1):
        day = f"2026-04-{number:02}"
        turns = [(f"user {speakers[number - 1]}ora", ASKED.format(wish)), ("assistant Pip", "Here it is.")]
        put(root, {f"logs/{day}/s{number}.jsonl": said(f"s{number}", turns, day=day)})
        if not at_once or number == len(wishes):
            with App(root, clock=lambda n=number: datetime(2026, 4, n, 23, tzinfo=UTC)) as app:
                app.consolidate(llm="none")
    with App(root, clock=lambda: datetime(2026, 4, 28, tzinfo=UTC)) as app:
        app.sync()
        return [
            (fact.entity, fact.value)
            for _, fact in app.catalog.facts()
            if fact.field == FROM_NOW_ON and fact.current
        ]


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize(
    "wishes",
    [
        ("no bullets please", "please no bullets", "no bullets"),
        ("please use metric units", "only use metric units", "use metric units"),
    ],
)
def test_the_third_session_makes_it_stand(tmp_path: Path, wishes: tuple[str, ...], *, at_once: bool) -> None:
    assert orders(tmp_path / "vault", *wishes, at_once=at_once) == [("Nora", wishes[2])]


@pytest.mark.parametrize(
    ("wishes", "speakers"),
    [
        (("no bullets please", "no bullets please"), "NN"),
        (("no bullets please", "use bullets please", "no bullets please"), "NNN"),  # not the same wish
        (("no bullets please", "use metric units", "answer in danish"), "NNN"),
        (("no bullets please", "no bullets please", "no bullets please"), "NDN"),  # another's
        (
            ("no bullets in this one", "no bullets in this one", "no bullets in this one"),
            "NNN",
        ),  # of the moment
    ],
)
def test_fewer_sessions_other_wishes_and_other_people_make_none(
    tmp_path: Path, wishes: tuple[str, ...], speakers: str
) -> None:
    assert orders(tmp_path / "vault", *wishes, speakers=speakers) == []


def test_a_run_reads_no_wish_of_later_sessions(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    assert orders(root, "no bullets please", "no bullets please") == []
    early = said("s0", [("user Nora", ASKED.format("no bullets please"))], day="2026-03-01")
    put(root, {"logs/2026-03-01/s0.jsonl": early})
    with App(root, clock=lambda: datetime(2026, 4, 5, 23, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        app.sync()
        assert [fact.value for _, fact in app.catalog.facts() if fact.field == FROM_NOW_ON] == []
    records = [json.loads(path.read_text("utf-8")) for path in sorted((root / "runs").glob("*.json"))]
    assert sorted((wish["session"], wish["words"]) for record in records for wish in record["wishes"]) == [
        ("s0", "no bullets"), ("s1", "no bullets"), ("s2", "no bullets"),
    ]  # fmt: skip
