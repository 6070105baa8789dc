from __future__ import annotations

import pytest

from memoryclaw.consolidation.planning import NEAR, NearDuplicate, near_duplicate

SAID = "- Nora: The paint for the kitchen wall is Dünensand 14, the matt one, two buckets. ^l3\n- Pip: I order both today. ^l4\n"


def test_case_accents_marks_and_block_ids_say_nothing():
    other = "* NORA - the paint for the kitchen wall is dunensand 14; the matt one, two buckets. ^l33\nPip: I order both today! ^x"
    assert near_duplicate(SAID, [("a", other)]) == NearDuplicate("a", "contained", 1.0)


def test_texts_of_nothing_in_common_are_not_alike():
    assert near_duplicate(SAID, [("a", "The wind blows from the east on Friday evening."), ("b", "")]) is None
    assert near_duplicate("", [("a", SAID), ("b", "")]) is None


def test_one_changed_number_is_never_held_by_the_other():
    words = " ".join(f"word{n}" for n in range(200))
    found = near_duplicate(
        f"{words} deadline 14 May {words[::-1]}", [("a", f"{words} deadline 15 May {words[::-1]}")]
    )
    assert found
    assert found.kind == "near"
    assert NEAR < found.score < 1


def test_what_is_told_whole_elsewhere_is_contained_and_the_other_way_round():
    longer = SAID + "- Nora: And a roller for the ceiling of the bathroom. ^l5\n"
    assert near_duplicate(SAID, [("x", "nothing of it"), ("a", longer)]) == NearDuplicate(
        "a", "contained", 1.0
    )
    assert near_duplicate(longer, [("a", SAID)]) == NearDuplicate("a", "contains", 1.0)
    assert near_duplicate(SAID, [("b", SAID), ("a", SAID)]) == NearDuplicate("a", "contained", 1.0)


@pytest.mark.parametrize("text", ["Thank you very much, Pip.", "ok", "", "…"])
def test_a_few_words_are_held_by_nothing(text):
    assert near_duplicate(text, [("a", f"{text} {SAID}"), ("b", f"{SAID} {text}")]) is None


def test_scripts_without_spaces_are_compared_too():
    one = "木栓が三十六本足りません。作っていただける大工さんはいらっしゃいますか。"
    assert near_duplicate(one, [("a", one + "中村さんに電話します。")]) == NearDuplicate(
        "a", "contained", 1.0
    )
    assert near_duplicate(one, [("a", "断らないと思います。")]) is None
