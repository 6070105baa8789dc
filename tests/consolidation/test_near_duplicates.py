from __future__ import annotations

import pytest

from memoryclaw.consolidation.planning import holds

SAID = "- Nora: The paint for the kitchen wall is Dünensand 14, the matt one, two buckets. ^l3\n- Pip: I order both today. ^l4\n"


def test_case_accents_marks_and_block_ids_say_nothing():
    other = "* NORA - the paint for the kitchen wall is dunensand 14; the matt one, two buckets. ^l33\nPip: I order both today! ^x"
    assert holds(other, SAID)


def test_texts_of_nothing_in_common_hold_nothing_of_each_other():
    assert not holds("The wind blows from the east on Friday evening.", SAID)
    assert not holds(SAID, "")
    assert not holds("", SAID)


def test_one_changed_number_is_never_held_by_the_other():
    words = " ".join(f"word{n}" for n in range(200))
    assert not holds(f"{words} deadline 15 May {words[::-1]}", f"{words} deadline 14 May {words[::-1]}")


def test_only_the_longer_one_holds_the_other():
    longer = SAID + "- Nora: And a roller for the ceiling of the bathroom. ^l5\n"
    assert holds(longer, SAID)
    assert not holds(SAID, longer)


@pytest.mark.parametrize("text", ["Thank you very much, Pip.", "ok", "", "…"])
def test_a_few_words_are_held_by_nothing(text):
    assert not holds(f"{text} {SAID}", text)


def test_scripts_without_spaces_are_compared_too():
    first = "木栓が三十六本足りません。作っていただける大工さんはいらっしゃいますか。"
    assert holds(first + "中村さんに電話します。", first)
    assert not holds("断らないと思います。", first)
