"""Block ids are addresses: they stay in the file and in the index, and never stand in what a reader is shown."""

from __future__ import annotations

import pytest

from memoryclaw.model import Unit
from memoryclaw.recall.recall import Pack, text_of
from memoryclaw.text.snippets import snippet, without_block_ids

POINTS = "- Nora: It is Dünensand 14, the matt one. ^l3\n- Pip: Noted. ^l4  \n\n^whole-list\n"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (POINTS, "- Nora: It is Dünensand 14, the matt one.\n- Pip: Noted.\n\n\n"),
        ("no mark at all\n", "no mark at all\n"),
        ("x^2 is not one, nor is ^this in a line\n", "x^2 is not one, nor is ^this in a line\n"),
        ("see [[plan#^l3]]\n", "see [[plan#^l3]]\n"),
        ("```\ngrep ^anchor\n```\nafter ^a1", "```\ngrep ^anchor\n```\nafter"),
        ("a caret alone ^\nand ^umlaut-ö\n", "a caret alone ^\nand ^umlaut-ö\n"),
    ],
)
def test_what_is_a_block_id(text: str, plain: str) -> None:
    assert without_block_ids(text) == plain


def test_highlights_stay_exact_after_a_block_id() -> None:
    shown = snippet(without_block_ids(POINTS), {"noted", "matt"})
    assert "^" not in shown.text
    assert [shown.text[a:b] for a, b in shown.highlights] == ["matt", "Noted"]


def test_a_context_holds_no_block_ids_and_a_turn_stays_as_it_was_said() -> None:
    episode = Unit(id="e", kind="episode", line=1, end_line=4, title="Kitchen wall", text=POINTS)
    pack = Pack(400, 5)
    assert pack.offer(episode, 1.0, frozenset()) == "in"
    assert "matt one." in pack.context()
    assert "^" not in pack.context()
    turn = Unit(id="log:s/1", kind="turn", line=1, end_line=1, entity="Nora", text="the square is x ^2")
    assert text_of(turn) == "Nora: the square is x ^2"


def test_notes_that_differ_in_block_ids_alone_say_the_same() -> None:
    pack = Pack(400, 5)
    for id_, text in (("a", "Masts down. ^l1"), ("b", "Masts down. ^l9")):
        decided = pack.offer(Unit(id=id_, kind="note", line=1, end_line=1, text=text), 1.0, frozenset())
    assert decided == "duplicate"
