from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.app.context import within, within_budget
from memoryclaw.errors import InputError
from memoryclaw.text.encoding import read_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_json_that_says_each_key_once_is_read_as_it_is(value: object) -> None:
    assert read_json(json.dumps(value), "no JSON") == value


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 1}', '[{"b": {"a": 1, "c": 2, "a": 3}}]', '{"a": 1, "\\u0061": 2}']
)
def test_a_key_that_stands_twice_is_named(text: str) -> None:
    with pytest.raises(InputError, match="the key 'a' is given twice"):
        read_json(text, "no JSON")


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "9" * 5000, "{'a': 1}"])
def test_what_is_no_json_is_told_in_the_words_of_the_door(text: str) -> None:
    with pytest.raises(InputError, match="no JSON"):
        read_json(text, "no JSON")


@pytest.mark.parametrize("number", [-1, 0, 6, 10**20, pytest.param(10**5000, id="5001 digits")])
def test_a_number_outside_is_refused_however_large(number: int) -> None:
    with pytest.raises(InputError, match="a rating must be from 1 to 5"):
        within(number, 1, 5, "a rating")


def test_a_budget_has_a_least_and_a_most() -> None:
    assert within_budget(80) == 80
    for tokens in (79, 100_001):
        with pytest.raises(InputError, match="from 80 to 100,000"):
            within_budget(tokens)
