"""Turns that share no word with a question are found by the day that they tell of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import put

from memoryclaw.app import App
from memoryclaw.model import Match

ON_A_DAY = "What did Nora do on 19 May 2021?"
FILLING = [(("Jon", "Nora")[n % 2], f"Nothing of note, {n} times over.") for n in range(40)]
TOLD = [
    ("Jon", "How are you?"),
    ("Nora", "Last Wednesday I swam to the island!"),
    ("Jon", "Last Wednesday I slept."),
    ("tool", "Last Wednesday: sunny."),
]


def vault(root: Path, said: list[tuple[str, str]], settings: str = "") -> App:
    lines = [
        json.dumps({"ts": "2021-05-22T10:00:00Z", "session": "s", "turn": n, "content": text}
        | ({"role": "tool"} if name == "tool" else {"role": "user", "name": name}))
        for n, (name, text) in enumerate([*said, *FILLING])
    ]  # fmt: skip
    return App(put(root, {"logs/2021-05-22/s.jsonl": "\n".join(lines) + "\n", "memoryclaw.yaml": settings}))


def found(app: App, question: str, turn: int) -> Match | None:
    return next((match for match in app.search(question).matches if match.unit.id == f"log:s/{turn}"), None)


@pytest.mark.parametrize("engine", ["fts5", "whoosh"])
def test_what_somebody_did_on_a_day_is_found_by_the_day_that_they_tell_of(
    tmp_path: Path, engine: str
) -> None:
    with vault(tmp_path / "vault", TOLD, f"index:\n  engine: {engine}\n") as app:
        best = app.search(ON_A_DAY).matches[0]
        assert best.unit.id == "log:s/1"
        assert ("Last Wednesday", "date", "date") in best.matched
        assert best.score == sum(term.value for term in best.terms)
        assert found(app, ON_A_DAY, 2) is None  # Jon's day
        assert found(app, ON_A_DAY, 3) is None  # what a tool brought in
        assert found(app, "What did Nora do on 20 May 2021?", 1) is None
        assert "island" in app.recall(ON_A_DAY).context


def test_a_day_narrows_what_fields_and_must_haves_let_through_and_opens_nothing(tmp_path: Path) -> None:
    with vault(tmp_path / "vault", TOLD) as app:
        assert found(app, f"{ON_A_DAY} kind:turn", 1) is not None
        assert found(app, f"{ON_A_DAY} kind:fact", 1) is None
        assert found(app, "+orchard on 19 May 2021", 1) is None


def test_an_edit_changes_the_day_that_a_turn_tells_of(tmp_path: Path) -> None:
    with vault(tmp_path / "vault", TOLD) as app:
        assert found(app, ON_A_DAY, 1) is not None
        vault(tmp_path / "vault", [TOLD[0], ("Nora", "Yesterday I swam to the island!")]).close()
        assert found(app, ON_A_DAY, 1) is None
        assert found(app, "What did Nora do on 21 May 2021?", 1) is not None
