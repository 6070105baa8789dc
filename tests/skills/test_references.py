from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.errors import InputError
from memoryclaw.skills.skill_file import DEEPEST, fill, references_in, too_deep

KNOWN = {
    "name": "Nora",
    "count": 3,
    "who": None,
    "found": {"id": 7, "list": ["a", {"b": 1}]},
    "odd": "$name {{count}}",
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$count", 3),
        ("{{ count }}", 3),
        ("${count}", 3),
        ("{count}", 3),
        ("$who", None),
        ("Dear $name, {{count}} times", "Dear Nora, 3 times"),
        ("$name.", "Nora."),
        ("$name.pdf", "Nora.pdf"),
        ("for $who!", "for !"),
        ("$found.id", 7),
        ("{{found.list.1.b}}", 1),
        ("no. $found.id", "no. 7"),
        ("$$name costs $5", "$name costs $5"),
        ("{unknown} {0} {}", "{unknown} {0} {}"),
        ("$odd", "$name {{count}}"),
        ("<$odd>", "<$name {{count}}>"),
        ({"$name": ["$count", {"x": "$name"}]}, {"$name": [3, {"x": "Nora"}]}),
        (5, 5),
    ],
)
def test_names_become_their_values(text: object, value: object) -> None:
    assert fill(text, KNOWN) == value


@pytest.mark.parametrize("text", ["$found.nothing", "{{found.list.9}}", "{{name.first}}", "x $found.a.b"])
def test_a_name_that_leads_to_nothing_is_said(text: str) -> None:
    with pytest.raises(InputError, match="leads to nothing"):
        fill(text, KNOWN)


def test_the_names_of_a_value_are_listed_once() -> None:
    value = {"a": "$x and {{y.z}} and $x", "b": ["${w}", 1, None, "{maybe}", "$$no"]}
    assert references_in(value) == ["x", "y", "w"]
    assert references_in(value, {"maybe"}) == ["x", "y", "w", "maybe"]


def test_what_is_nested_too_deeply_is_seen_whatever_its_depth() -> None:
    value: object = "x"
    for depth in range(1, 5000):
        value = [value] if depth % 2 else {"a": value}
        if depth in (1, DEEPEST, DEEPEST + 1, 4999):
            assert too_deep(value) == (depth > DEEPEST)


@given(st.text(), st.text())
def test_a_value_is_never_looked_at_again(value: str, other: str) -> None:
    assert fill("$name", {"name": value, "other": other}) == value
    assert fill("<{{name}}|$other>", {"name": value, "other": other}) == f"<{value}|{other}>"
