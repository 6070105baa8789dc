"""Golden questions are read as they were written, and never guessed at."""

from __future__ import annotations

from datetime import date

import pytest

from memoryclaw.recall.evaluation import GoldenQuestion, read_goldens


def test_a_question_names_its_id_its_ids_or_all_it_wants() -> None:
    read = read_goldens(
        "# mine\n"
        "When is it due?: semantic/projects#Boathouse.deadline\n"
        "Who rows?: [a, b]\n"
        '"And then: what?":\n  expect: c\n  answer: [oat milk, "7"]\n  not: d\n  as of: 2025-07-01\n'
    )
    assert read.problems == ()
    assert read.questions == (
        GoldenQuestion("When is it due?", 2, ("semantic/projects#Boathouse.deadline",)),
        GoldenQuestion("Who rows?", 3, ("a", "b")),
        GoldenQuestion("And then: what?", 4, ("c",), ("oat milk", "7"), ("d",), date(2025, 7, 1)),
    )


def test_a_question_may_have_nothing_but_what_must_not_be_in_its_answer() -> None:
    read = read_goldens("a?:\n  must_not: [notes/b, sugar]\n")
    assert read.questions == (GoldenQuestion("a?", 1, must_not=("notes/b", "sugar")),)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "no questions"),
        ("- a\n- b\n", 1, "no questions"),
        ("a?: x\nb?:\n", 2, "must be a text"),
        ("a?: x\nb?:\n  not: c\n", 2, "nothing is expected"),
        ("a?: x\nb?:\n  must_not: {c: d}\n", 3, "must be a text"),
        ("a?:\n  expect: x\n  because: y\n", 3, "'because' says nothing"),
        ("a?:\n  expect: x\n  as of: July\n", 3, "'July' is not a day"),
        ("a?:\n  answer: {x: y}\n", 2, "must be a text"),
        ("a?: x\na?: y\n", 2, "stands here and on line 1"),
        ("a?: [x\n", 2, "YAML is broken"),
        ("a?: x\n# " + "y" * 65536, 1, "more than 64 KiB"),
        ("a?: &x y\n", 1, "anchor"),
    ],
)
def test_what_cannot_be_used_is_a_problem_with_its_line(text: str, line: int, words: str) -> None:
    first = read_goldens(text).problems[0]
    assert words in first.message
    assert first.line == line
    assert first.hint
