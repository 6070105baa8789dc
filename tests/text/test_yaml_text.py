from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.yaml_text import load, strings


def test_scalars_keep_their_spelling():
    text = "id: 007\nv: 1.10\non: no\nat: 2025-04-08T14:32:10Z\nhex: 0x1F\nq: 'null'\nlist: [1, yes]"
    assert load(text).value == {
        "id": "007", "v": "1.10", "on": "no", "at": "2025-04-08T14:32:10Z", "hex": "0x1F", "q": "null", "list": ["1", "yes"],
    }  # fmt: skip


def test_only_an_empty_plain_value_is_nothing():
    assert load("a:\nb: ~\nc: null\nd: ''\ne: # comment").value == {
        "a": None, "b": None, "c": None, "d": "", "e": None,
    }  # fmt: skip


def test_every_key_knows_its_line():
    lines = load("a: 1\nb:\n  c: 2\n  d:\n    - e\nf: x", 10).lines
    assert lines == {("a",): 10, ("b",): 11, ("b", "c"): 12, ("b", "d"): 13, ("f",): 15}


def test_of_duplicate_keys_the_last_wins_and_the_first_stays_known():
    read = load("title: one\nx: 1\ntitle: two", 2)
    assert read.value == {"title": "two", "x": "1"}
    assert read.shadowed == ((("title",), "one"),)
    assert read.problems[0].line == 4
    assert "title stands here and on line 2" in read.problems[0].message


REFUSED = [
    # text, line of the problem when it begins on line 2, what it says
    ("a: &x 1\nb: *x", 2, "anchor &x"),
    ("a: 1\nb: *x", 3, "alias *x"),
    ("base: 1\n<<: {a: b}", 3, "merge keys"),
    ("a: !!python/object:os.system x", 2, "tag"),
    ("a: !mine x", 2, "tag !mine"),
    ("? [a, b]\n: c", 2, "cannot be a key"),
    ("[" * 9 + "]" * 9, 2, "deeper than 8"),
    ("[" * 60_000, 2, "deeper than 8"),
    ("{a: " * 12_000, 2, "deeper than 8"),
    ("a: b\n" * 14_000, 2, "larger than 64 KiB"),
    ("a: " + "é" * 40_000, 2, "larger than 64 KiB"),
    ("title: Meeting: budget", 2, "broken"),
    ("a: 'open", 2, "broken"),
    ("a: 1\n\tb: 2", 3, "broken"),
    ("a: [b", 2, "broken"),
    ("a: \x01", 2, "broken"),
]


@pytest.mark.parametrize(("text", "line", "message"), REFUSED)
def test_what_is_refused_or_broken_says_where_and_what_to_do(text, line, message):
    read = load(text, 2)
    assert read.value is None
    assert message in read.problems[0].message
    assert line <= read.problems[0].line <= line + 1
    assert read.problems[0].hint


def test_a_list_of_seven_levels_is_read():
    assert list(strings(load("[" * 8 + "x" + "]" * 8).value)) == ["x"]


def test_a_second_document_is_reported_and_not_read():
    read = load("a: 1\n---\nb: 2")
    assert read.value == {"a": "1"}
    assert read.problems[0].line == 2


@pytest.mark.parametrize(
    "bomb", ["[" * 65_000, "{" * 65_000, "a: &a [x]\n" + "b: *a\n" * 5000, "- " * 30_000, "? " * 30_000]
)
def test_bombs_are_refused_at_once(bomb):
    assert load(bomb).problems


@given(st.text())
def test_any_text_is_read_or_refused(text):
    read = load(text)
    assert read.value is None or not isinstance(read.value, bool | int | float)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.from_regex(r"[a-z0-9.]{1,12}", fullmatch=True)
    )
)
def test_plain_keys_and_values_come_back_as_written(pairs):
    expected = {key: None if value == "null" else value for key, value in pairs.items()}
    assert load("".join(f"{key}: {value}\n" for key, value in pairs.items())).value == (expected or None)
