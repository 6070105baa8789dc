"""What is read without a YAML parser is what the parser would have read."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoryclaw.model import Problem
from memoryclaw.text import yaml_text
from memoryclaw.text.yaml_text import read_plain

_PIECES = (
    *(
        "key",
        "a",
        "tags",
        "null",
        "true",
        "1",
        "007",
        ": ",
        ":",
        " ",
        "  ",
        "- ",
        "\n",
        "\n",
        "[",
        "]",
        ",",
        ", ",
        "'",
        '"',
        "#",
        " #",
    ),
    *(
        "x:y", "12:30", "é", "日", "~", "?", "!", "&", "*", "|", ">", "%", "@", "`", "{", "}", "=", "-",
        "---", "...", ".", "/", "\\", "(",
    ),
    *("<<", "\u00a0", "\u2028", "\x85", "\u0301", "²", "_", "+", "$", "^", ";", "\ufeff", "\t", "٣"),
)  # fmt: skip


def parsed(text: str) -> yaml_text.Yaml:
    """What PyYAML's parser says, without the shortcut."""
    reader = yaml_text._YamlBuilder(yaml_text._machinery()[1], 2)
    try:
        value = reader.read(yaml_text._machinery()[0](text))
    except (yaml_text._Refused, yaml_text._machinery()[2]):
        return yaml_text.Yaml(problems=(Problem("", 2, "broken"),))
    return yaml_text.Yaml(value, reader.lines, tuple(reader.problems), tuple(reader.shadowed))


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join), st.booleans())
@example("a: b\n- c", False)
@example("a:\n  - b\n - c", False)
@example("a: [null, b ]\nb: 'it''s'", False)
def test_whatever_is_taken_for_plain_means_the_same_to_yaml(text, keyed):
    text = f"k: {text}" if keyed else text
    plain = read_plain(text, 2)
    if plain is not None:
        assert parsed(text) == yaml_text.Yaml(plain.values or None, plain.lines)


def test_the_headers_that_people_write_are_plain():
    text = 'title: A note\ntags: [a, b c]\nwhen: 2025-04-08T14:32:10Z\nsummary: "Said: yes # no"\npeople:\n  - Zoë\n  - null\nempty:\n'
    plain = read_plain(text, 2)
    assert plain is not None
    assert plain.values == {
        "title": "A note", "tags": ["a", "b c"], "when": "2025-04-08T14:32:10Z", "summary": "Said: yes # no",
        "people": ["Zoë", None], "empty": None,
    }  # fmt: skip
    assert plain.lines == {
        ("title",): 2, ("tags",): 3, ("when",): 4, ("summary",): 5, ("people",): 6, ("empty",): 9,
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["a: b: c", "a: |\n x", "a: {b: c}", "a: b\na: c", "a: &x b", "a: b # c", "- a", " a: b", "a: b\n  c"],
)
def test_anything_else_is_left_to_the_parser(text):
    assert read_plain(text, 2) is None
