"""`working` and `feedback` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Claw


def test_a_session_is_set_shown_and_cleared(asked: Claw) -> None:
    made = asked(
        "working", "set", "--session", "kyoto", "--task", "trip", "--goal", "book the train", "--plan", "ask", "--plan", "pay",
        "--fact", "to=Kyoto", "--fact", "seats=2", "--observe", "window seats are sold out", "--skill", "book-train",
    )  # fmt: skip
    assert made.code == 0
    assert made.out.splitlines() == [
        "task     trip",
        "goal     book the train",
        "plan     ask",
        "         pay",
        "skill    book-train",
        "facts    to = Kyoto",
        "         seats = 2",
        "seen     window seats are sold out",
    ]
    changed = asked("working", "--json", "set", "--session", "kyoto", "--fact", "seats=", "--plan", "").json
    assert (changed["facts"], changed["plan"], changed["goal"]) == ({"to": "Kyoto"}, [], "book the train")
    assert changed == asked("working", "--session", "kyoto", "--json").json
    assert changed == asked("working", "show", "--session", "kyoto", "--json").json
    stored = json.loads((asked.vault / "working/kyoto.json").read_text())
    assert stored.items() <= changed.items()
    kept = asked("working", "clear", "--session", "kyoto", "--task", "dinner")
    assert (kept.out, "'trip'" in kept.err) == ("Nothing was cleared.\n", True)
    assert asked("working", "clear", "--session", "kyoto").out.endswith(
        "what it held is kept as log:kyoto/1\n"
    )
    assert not list((asked.vault / "working").iterdir())
    assert asked("working", "--session", "kyoto").out == "Session kyoto has no working memory.\n"


def test_a_rating_is_acknowledged_when_it_is_kept(asked: Claw) -> None:
    assert asked("feedback", "ep-penicillin", "5").out == "rated 5 of 5: ep-penicillin\n"
    rated = asked("feedback", "ep-penicillin", "2", "--session", "s", "--note", "late", "--json").json
    assert (rated["rating"], rated["session"], rated["note"]) == (2, "s", "late")
    [ledger] = Path(asked.vault / "ledger").rglob("*.jsonl")
    assert [json.loads(line)["rating"] for line in ledger.read_text().splitlines()] == [5, 2]
