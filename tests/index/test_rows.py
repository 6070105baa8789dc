"""What the index keeps of a turn: whether it asks."""

from __future__ import annotations

import pytest

from memoryclaw.text.language import ends_in_question


@pytest.mark.parametrize(
    ("text", "is_asking"),
    [
        ("Where to?", True), ('She said: "where to?" \n', True), ("何色にする？", True),
        ("Where to? Home.", False), ("", False), ("Look! [image: a wall]", False),
    ],
)  # fmt: skip
def test_a_turn_asks_when_it_ends_in_a_question(text: str, *, is_asking: bool) -> None:
    assert ends_in_question(text) is is_asking
