from __future__ import annotations

import pytest

from memoryclaw.capture.log_records import strip_marks


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a [private] c"),
        ("a <PRIVATE>b\nb</Private> c <private>d</private>", "a [private] c [private]"),
        ("a <private>b and no end", "a [private]"),
        ("a &lt;private&gt;b&lt;/private&gt; c", "a [private] c"),
        ("keep\nnot this [NOMEM]\nand this", "keep\nand this"),
        ("private matters and [brackets]", "private matters and [brackets]"),
    ],
)
def test_what_is_private_is_not_kept_and_all_else_is(text, kept):
    assert strip_marks(text).text == kept
    assert not strip_marks(text).unlogged


@pytest.mark.parametrize(
    "text", ["[NOMEM] all of it\nthis too", "all of it\n [nomem] \nthis too", "only one line [NOMEM]"]
)
def test_a_turn_that_is_not_to_be_remembered_leaves_nothing(text):
    assert strip_marks(text) == ("", True, False)


def test_private_and_noexport_stay_and_the_first_is_told():
    marks = strip_marks("[PRIVATE] salary talk [NOEXPORT]")
    assert (marks.text, marks.private) == ("[PRIVATE] salary talk [NOEXPORT]", True)
    assert not strip_marks("a <private>b</private>").private
