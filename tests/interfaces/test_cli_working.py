"""`working` and `feedback` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
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


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ((), 1, "session"),
        (("show",), 2, "--session"),
        (("set", "--session", "s"), 2, "Nothing to set"),
        (("set", "--session", "s", "--fact", "x"), 2, "KEY=VALUE"),
        (("set", "--session", " ", "--goal", "x"), 1, "session"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    asked: Claw, args: tuple[str, ...], code: int, said: str
) -> None:
    ran = asked("working", *args)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_what_is_shown_drives_no_terminal(asked: Claw) -> None:
    goal = "\x1b[31mred\x1b[0m \u202eevil"
    for ran in (
        asked("working", "set", "--session", "s", "--goal", goal),
        asked("working", "--session", "s"),
    ):
        assert ran.out == "goal     [31mred[0m evil\n"


def test_a_rating_is_acknowledged_when_it_is_kept(asked: Claw) -> None:
    assert asked("feedback", "ep-penicillin", "5").out == "rated 5 of 5: ep-penicillin\n"
    told = asked("feedback", "ep-penicillin", "2", "--session", "s", "--note", "late", "--json").json
    assert (told["rating"], told["session"], told["note"]) == (2, "s", "late")
    [ledger] = Path(asked.vault / "ledger").rglob("*.jsonl")
    assert [json.loads(line)["rating"] for line in ledger.read_text().splitlines()] == [5, 2]


@pytest.mark.parametrize(
    ("id_", "rating", "code"), [("ep-nothing", "3", 1), ("ep-penicillin", "6", 2), ("ep-penicillin", "x", 2)]
)
def test_no_other_rating_is_taken(asked: Claw, id_: str, rating: str, code: int) -> None:
    assert asked("feedback", id_, rating).code == code
    assert not (asked.vault / "ledger").exists()
