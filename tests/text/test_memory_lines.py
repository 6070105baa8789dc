"""One grammar of a memory line: what is taken apart is the line again, and a change of its fields is nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.memory_lines import (
    first_fields,
    head_of,
    inline_field,
    last_fields,
    line_fields,
    log_line,
    read_line,
    source_field,
    sources_in,
    without,
    without_block_mark,
    without_fields,
    without_ids,
)

PIECES = (
    "- ", "1. ", "[ ] ", "[x]", "> ", "\t", " ", "\u00a0", "\u2028", "\r", "^", "^l3", " ^l3", "\t^a-b ", "[since:: 2026-01-01]", " (trust:: unknown)",
    " [source:: [[a#^l3]], [[b]]]", "[[", "]", "word", '"said"', "\ud800", "📅 2026-05-01",
)  # fmt: skip
LINES = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=7).map("".join)


@given(LINES)
def test_a_line_taken_apart_is_the_line_again(line: str) -> None:
    memory = read_line(line)
    assert memory.text() == line == memory.body + memory.tail
    assert line.startswith("".join(head_of(line)))
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


@given(LINES)
def test_what_is_read_of_a_field_stands_where_it_says(line: str) -> None:
    fields = list(line_fields(line))
    for field in fields:
        assert line[field.start] + line[field.end - 1] in ("[]", "()")
        assert line[field.value_start : field.end - 1] == field.value
        assert line[field.value_start : field.value_end] == field.value.rstrip()
    gone = {at for field in fields for at in range(field.start, field.end)}
    stays = "".join(character for at, character in enumerate(line) if at not in gone)
    assert "".join(without(line, fields).split()) == "".join(stays.split())
    behind = line[last_fields(line) :]
    assert not without(behind, list(line_fields(behind))).strip(" \t")


@pytest.mark.parametrize(
    ("line", "head"),
    [
        ("  - [ ] call", ("  ", "- ", "[ ] ")),
        ("1) [x]", ("", "1) ", "")),
        ("\t[-] no bullet", ("\t", "", "[-] ")),
        ("-no item", ("", "", "")),
        ("-  ", ("", "-  ", "")),
        ("> - quoted", ("", "", "")),
    ],
)
def test_a_line_begins_with_its_indentation_its_bullet_and_its_box(line: str, head: tuple[str, ...]) -> None:
    assert head_of(line) == head


def test_fields_side_by_side_are_those_of_the_value_before_them() -> None:
    line = "ring [since:: 1]  (until:: 2) tomorrow [said:: 3] (mine:: 4)"
    assert first_fields(line, "since|until|said") == " [since:: 1]  (until:: 2)"
    assert line[: last_fields(line)] == "ring [since:: 1]  (until:: 2) tomorrow"
    assert last_fields("none of [them] here ") == len("none of [them] here")


def test_sources_are_written_as_they_are_read() -> None:
    sources = ("a#^l3", "b", "a call")
    assert source_field(*sources, "a#^l3", " ") == " [source:: [[a#^l3]], [[b]], [[a call]]]"
    assert sources_in(f"- lead: Ada{source_field(*sources)} (source:: notes, [[c|the other]])") == (
        *sources,
        "notes",
        "c",
    )
    assert source_field() == ""


def test_a_block_names_the_line_of_the_log_that_it_quotes() -> None:
    blocks = ("l3", "l3-2", "l", "l3-", "al3", "l1234567890", "")
    assert [log_line(block) for block in blocks] == [3, 3, 0, 0, 0, 0, 0]


def test_ids_go_from_every_line_of_a_text() -> None:
    assert without_ids("one ^l1\r\ntwo\n\t^l2\nx^2 ^l3") == "one\r\ntwo\n\nx^2"
    assert without_block_mark("say it ^loud") == "say it loud"
