"""Names of people who speak: their logs come first, and being greeted counts little."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import put

from memoryclaw.app import App
from memoryclaw.model import Match
from memoryclaw.recall.rank import ABSENT, CALLED


def log(session: str, turns: list[tuple[str, str]]) -> tuple[str, str]:
    lines = [
        json.dumps({"ts": "2026-02-01T10:00:00Z", "session": session, "turn": f"{n}", "role": "user", "name": who, "content": text})
        for n, (who, text) in enumerate(turns)
    ]  # fmt: skip
    return f"logs/2026-02-01/{session}.jsonl", "\n".join(lines) + "\n"


def talk(*told: tuple[str, list[tuple[str, str]]]) -> dict[str, str]:
    filler = [("Kim", f"number {n} lamp {n * 3} shelf") for n in range(60)]
    return dict(log(session, turns) for session, turns in (("zz", filler), *told))


OF_NORA = ("nora", [("Nora", "hello there"), ("Jon", "my boat has a leak"), ("Nora", "oh no")])
OF_OTHERS = ("others", [("Kim", "hello there"), ("Jon", "my boat has a leak"), ("Kim", "oh no")])
GREETS = ("greets", [("Jon", "hey Nora"), ("Nora", "the boat is mended")])


def asked(root: Path, question: str, files: dict[str, str], engine: str = "fts5") -> list[Match]:
    app = App(put(root / "vault", {**files, "memoryclaw.yaml": f"index: {{engine: {engine}}}\n"}))
    app.sync()
    try:
        return list(app.search(question, limit=20).matches)
    finally:
        app.close()


def terms(match: Match) -> dict[str, float]:
    return {term.name: term.value for term in match.terms}


def test_a_log_in_which_nobody_speaks_who_is_named_loses(tmp_path: Path) -> None:
    found = {m.unit.id: m for m in asked(tmp_path, "Nora boat leak", talk(OF_NORA, OF_OTHERS))}
    here, elsewhere = found["log:nora/1"], found["log:others/1"]
    assert "absent" not in terms(here)
    assert terms(elsewhere)["absent"] < 0
    base = sum(v for name, v in terms(elsewhere).items() if name not in ("absent", "recency", "asks"))
    assert terms(elsewhere)["absent"] == pytest.approx(-ABSENT * base, abs=1 / 512)
    assert here.score > elsewhere.score


def test_a_name_that_never_speaks_changes_nothing(tmp_path: Path) -> None:
    note = {"people/ada.md": "---\nparticipants: [Ada]\n---\nAda sails.\n"}
    for match in asked(tmp_path, "Ada boat leak", {**talk(OF_NORA, OF_OTHERS), **note}):
        assert "absent" not in terms(match)


@pytest.mark.parametrize("engine", ["fts5", "whoosh"])
def test_being_greeted_counts_for_less_than_what_is_asked_and_adds_up(tmp_path: Path, engine: str) -> None:
    alone = {m.unit.id: m for m in asked(tmp_path / "alone", "Nora", talk(GREETS), engine)}
    found = asked(tmp_path / "both", "Nora boat", talk(GREETS), engine)
    assert found[0].unit.id == "log:greets/1"
    assert all(match.score == sum(terms(match).values()) for match in found)
    greeting = next(match for match in found if match.unit.id == "log:greets/0")
    whole = terms(alone["log:greets/0"])["nora"]
    assert terms(greeting)["nora"] == pytest.approx(CALLED * whole, abs=1 / 256)
