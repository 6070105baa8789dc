"""Ranges of log lines: written and read back, and subtracted only while the lines are the same."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.vault.logs import LogRange, parse_ranges, range_of, unread

PATH = "logs/2026-03-10/evening.jsonl"
LINES = [f'{{"turn": {n}}}\n'.encode() for n in range(1, 9)]


def test_a_range_is_cited_with_the_digest_of_exactly_its_lines() -> None:
    range_ = range_of(PATH, LINES, 2, 3)
    digest = hashlib.sha256(b'{"turn": 2}\n{"turn": 3}\n').hexdigest()[:16]
    assert str(range_) == f"{PATH}#2-3@{digest}"


def test_citations_are_found_in_any_text() -> None:
    first, second = range_of(PATH, LINES, 1, 2), range_of("logs/2026-03-11/über uns.jsonl", LINES, 4, 4)
    assert parse_ranges(f"Source: {first} {second}\nand logs/x#1-2@short is none") == [first, second]


def test_appending_to_a_log_leaves_only_the_new_lines_unread() -> None:
    done = [range_of(PATH, LINES[:5], 1, 5)]
    assert unread(PATH, LINES, done) == [(6, 8)]


def test_a_changed_line_makes_its_whole_range_unread_again() -> None:
    done = [range_of(PATH, LINES, 1, 4), range_of(PATH, LINES, 5, 8)]
    changed = [*LINES[:1], b"{}\n", *LINES[2:]]
    assert unread(PATH, changed, done) == [(1, 4)]


def test_a_range_of_another_log_or_beyond_the_end_counts_for_nothing() -> None:
    done = [range_of("logs/2026-03-10/other.jsonl", LINES, 1, 8), LogRange(PATH, 1, 99, "0" * 16)]
    assert unread(PATH, LINES, done) == [(1, 8)]


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30))))
def test_every_line_is_either_done_or_unread(pairs: list[tuple[int, int]]) -> None:
    lines = [f"{n}\n".encode() for n in range(30)]
    spans = [(min(pair), max(pair)) for pair in pairs]
    left = unread(PATH, lines, [range_of(PATH, lines, *span) for span in spans])
    done = {n for first, last in spans for n in range(first, last + 1)}
    assert {n for first, last in left for n in range(first, last + 1)} == set(range(1, 31)) - done


def test_lines_that_a_merge_put_elsewhere_are_read_all_the_same() -> None:
    done = [range_of(PATH, LINES, 1, 3)]
    fresh = [b'{"content": "of the other machine"}\n']
    assert unread(PATH, [*fresh, *LINES], done) == [(1, 1), (5, len(LINES) + 1)]
