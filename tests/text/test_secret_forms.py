"""Forms of secrets beyond keys and names, each seen to survive before its rule was written, and lines that look like them."""

from __future__ import annotations

import harmless
import pytest
import secretforms
from secretforms import AFTER, FIRST, Form

from memoryclaw.text.redaction import MARK, Redactor, join_lines, unwrap

REDACTOR = Redactor(b"a key")
GITHUB = "ghp_" + "aB3dE5gH7" * 4
GITLAB = "glpat-" + "xY9z_W8v-" * 3


def redacted(text: str) -> str:
    return str(REDACTOR.text(text).value)


@pytest.mark.parametrize("forms", [FIRST, AFTER], ids=["first", "after"])
def test_of_the_forms_at_most_one_in_twenty_survives(forms: tuple[Form, ...]) -> None:
    samples = list(secretforms.written(20261125, forms))
    missed = [sample for sample in samples if secretforms.survives(sample, redacted(sample.text))]
    assert len(missed) <= len(samples) * 0.05, missed


def test_no_line_without_a_secret_is_touched() -> None:
    lines = list(harmless.lines(20261125, 10))
    assert len(lines) > 2000
    assert [line for line in lines if redacted(line) != line] == []


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ("see \u200b", GITHUB[:9] + "\u200b" + GITHUB[9:], "\u200b, see"),
        ("token ", GITHUB.replace("_", "\\_"), " \\*new\\*"),
        ("x=", GITHUB.replace("_", "%5F"), "&page=2%20"),
        ("see ", GITHUB[:20] + "<br>" + GITHUB[20:], " ok<br>next"),
        ("> mail\n> ", GITHUB[:22] + "\n> " + GITHUB[22:], "\n> end of v2"),
        ("password: ", "Lantern\u00ad2481", " please"),
        ("clone oauth2:", "tr0ub4dorX", "@git.example.org/a.git"),
        ("https://example.org/reset/", "aB3dE5gH7jK9mN1p", "?lang=de"),
    ],
)
def test_exactly_the_secret_is_replaced(before: str, secret: str, after: str) -> None:
    out = redacted(before + secret + after)
    assert out.startswith(before)
    assert out.endswith(after)
    assert MARK.fullmatch(out[len(before) : len(out) - len(after)])


def test_tokens_on_lines_of_their_own_stay_apart_and_take_no_line_that_follows() -> None:
    text = f"GH={GITHUB}\nOTHER_NAME=plain\n{GITHUB}\nbuild-2024-final2 is out\n"
    out = redacted(text)
    assert MARK.sub("#", out) == "GH=#\nOTHER_NAME=plain\n#\nbuild-2024-final2 is out\n"


@pytest.mark.parametrize(
    "value",
    [
        {"kty": "EC", "crv": "P-256", "d": "walnut-lantern"},
        {"kind": "Secret", "data": {"user": "bm9yYQ==", "nested": {"a": "walnut-lantern"}}},
        {"items": [{"kind": "Secret", "stringData": {"x": "walnut-lantern"}}]},
    ],
)
def test_in_a_value_the_place_counts(value: dict[str, object]) -> None:
    done = REDACTOR.value(value).value
    assert "walnut-lantern" not in str(done)
    assert "bm9yYQ" not in str(done)
    assert REDACTOR.value(done).value == done


def test_a_reading_tells_where_each_part_stood() -> None:
    text = "a\u200bb\\_c%20d &amp; <br>e"
    read = unwrap(text)
    assert read.text == "ab_c d & \ne"
    for start, end, there in (
        (0, 2, "a\u200bb"),
        (2, 4, "_c"),
        (4, 5, "%20"),
        (7, 8, "&amp;"),
        (9, 10, "<br>"),
    ):
        assert text[slice(*read.span(start, end))] == there
    assert unwrap("nothing here").edits == ()
    assert join_lines("one line\nand another\n").edits == ()
