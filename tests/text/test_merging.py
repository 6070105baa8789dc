from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.merging import merge, same_patch

TEXT = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "d"]), max_size=8).map("".join)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        ("a\nb\nc\n", "a\nb\nc\nd\n", "A\nb\nc\n", "A\nb\nc\nd\n"),
        ("h\nx\n", "h\nx\ny\n", "h\n", "h\ny\n"),  # taking back a line above a later one
        ("h\nx\nz\n", "h\nx\ny\nz\n", "h\nz\n", "h\ny\nz\n"),
        ("a\nb\n", "a\nB\n", "a\nB\n", "a\nB\n"),  # both did the same
        ("a\nb\n", "a\nB\n", "a\nX\n", None),
        ("a\n", "a\nx\n", "a\ny\n", None),  # both put a line in the same place
        ("a\nb\n", "a\nb", "a\nb\nc\n", None),  # the last line has lost its end
        ("a\nb\nc\n", "a\nc\n", "a\nB\nc\n", None),
    ],
)
def test_changes_of_different_lines_are_joined_and_others_are_conflicts(base, ours, theirs, expected):
    assert merge(base, ours, theirs) == expected


@given(TEXT, TEXT)
def test_with_one_side_unchanged_the_other_wins(base, other):
    assert merge(base, base, other) == other
    assert merge(base, other, base) == other
    assert merge(base, other, other) == other


@given(TEXT, TEXT, TEXT)
def test_no_line_comes_from_nowhere(base, ours, theirs):
    merged = merge(base, ours, theirs)
    if merged is not None:
        known = {line for text in (base, ours, theirs) for line in text.splitlines()}
        assert {line for line in merged.splitlines() if line} <= known


def test_two_patches_are_the_same_by_the_lines_they_take_and_put():
    assert same_patch("a\nb\n", "a\nB\n", "x\r\na\r\nb\r\n", "x\r\na\r\nB\r\n")
    assert same_patch("a\n", "a\n\nb\n", "a\nz\n", "a\nz\nb\n")
    assert not same_patch("a\nb\n", "a\nB\n", "a\nc\n", "a\nB\n")
    assert not same_patch("a\n", "a\nb\n", "", "# h\nb\n")
