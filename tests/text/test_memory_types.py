from __future__ import annotations

import pytest

from memoryclaw.text.memory_types import is_procedure, type_in_speech, type_in_text


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("We decided to rent the smaller hall.", "decision"),
        ("ok, going with the oak table", "decision"),
        ("Wir haben uns für den kleinen Saal entschieden.", "decision"),
        ("We have not decided on a hall yet.", ""),
        ("Did we agree on the hall?", ""),
        ("The hall is by the river.", ""),
        ("I moved to Leeds.", ""),
        ("Lesson learned: book the hall in spring.", "lesson"),
        ("Im Nachhinein war der Saal zu klein.", "lesson"),
        ("I prefer the hall by the river.", "preference"),
        ("I go to the hall on Fridays.", ""),
        ("Ich hasse den großen Saal.", "preference"),
        ("je préfère la petite salle", "preference"),
        ("jag föredrar den lilla salen", ""),
        ("", ""),
    ],
)
def test_the_grammar_tells_what_sort_of_memory_it_is(said, expected):
    assert type_in_speech(said) == expected


def test_one_line_of_an_episode_is_enough_and_a_liking_is_not():
    assert type_in_text("- Ann: I love halls.\n- Ben: We chose the small one.\n") == "decision"
    assert type_in_text("- Ann: I love halls.\n- Ben: Which one was chosen?\n") == ""


def test_a_wish_with_its_occasion_is_a_procedure():
    assert is_procedure("when I send an invoice, add the order number")
    assert is_procedure("wenn ich eine Rechnung schicke, nenne die Nummer")
    assert not is_procedure("keep answers short")
