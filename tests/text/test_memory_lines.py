"""One grammar of a memory line: what is taken apart is the line again, and a change of its fields is nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.memory_lines import (
    inline_field,
    read_line,
    without_block_mark,
    without_fields,
    without_ids,
)

PIECES = (
    "- ", "1. ", "\t", " ", "\u00a0", "\u2028", "\r", "^", "^l3", " ^l3", "\t^a-b ", "[since:: 2026-01-01]", " (trust:: unknown)",
    " [source:: [[a#^l3]], [[b]]]", "[[", "]", "word", '"said"', "\ud800", "📅 2026-05-01",
)  # fmt: skip
LINES = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=7).map("".join)


@given(LINES)
def test_a_line_taken_apart_is_the_line_again(line: str) -> None:
    memory = read_line(line)
    assert memory.text() == line
    assert memory.with_fields({}) == memory
    assert not read_line(without_block_mark(line)).block or "\n" in line or line.count("^") > 1


@given(LINES.filter(lambda line: "[" not in line and "(" not in line and "\n" not in line))
def test_a_field_that_is_set_and_taken_away_leaves_the_line(line: str) -> None:
    memory = read_line(line)
    labelled = memory.with_fields({"trust": "unknown", "since": ""})
    assert labelled.text() == memory.plus(" [trust:: unknown]")
    assert (labelled.block, labelled.end) == (memory.block, memory.end)
    assert read_line(labelled.text()).with_fields({"trust": ""}).text() == line


@pytest.mark.parametrize(
    ("line", "words", "block"),
    [
        ("- deadline: 17 April ^l3\r", "deadline: 17 April", "l3"),
        ("  2) call Ada\t^a-b \t", "call Ada", "a-b"),
        ("three ^l9 ^l10", "three ^l9", "l10"),
        ("^whole-list", "", "whole-list"),
        ("plain\u00a0^id\r\n", "plain", "id"),
        ("a caret alone ^", "a caret alone ^", ""),
        ("x^2", "x^2", ""),
        ("see [[plan#^l3]]", "see [[plan#^l3]]", ""),
        ("not at ^l3 the end", "not at ^l3 the end", ""),
        ("and ^umlaut-ö", "and ^umlaut-ö", ""),
    ],
)
def test_the_block_id_ends_a_line(line: str, words: str, block: str) -> None:
    assert (read_line(line).words, read_line(line).block) == (words, block)


def test_fields_are_taken_out_in_the_middle_too() -> None:
    line = "- lead: Ada [since:: 2026-01-01] (trust:: unknown) and [source:: [[a#^l3]], [[b]]] ^l3"
    assert without_fields(line, "trust", "source") == "- lead: Ada [since:: 2026-01-01] and ^l3"
    fresh = read_line(line).with_fields({"since": "2026-02-02", "expires": "2026-05-01"}).text()
    assert fresh == (
        "- lead: Ada (trust:: unknown) and [source:: [[a#^l3]], [[b]]] [since:: 2026-02-02] [expires:: 2026-05-01] ^l3"
    )
    assert [hit[2] or hit[4] for hit in inline_field("trust|source").finditer(line)] == [
        "unknown",
        "[[a#^l3]], [[b]]",
    ]


def test_ids_go_from_every_line_of_a_text() -> None:
    assert without_ids("one ^l1\r\ntwo\n\t^l2\nx^2 ^l3") == "one\r\ntwo\n\nx^2"
    assert without_block_mark("say it ^loud") == "say it loud"
