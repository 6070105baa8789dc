"""`eval` as a command."""

from __future__ import annotations

from pathlib import Path

from conftest import Claw, put

QUESTIONS = (
    "When is the boathouse deadline?:\n  expect: semantic/projects#Boathouse.deadline\n  answer: 2026-12-11\n"
    "Where are the dowels?: [log:kanazawa/2, notes/moon]\n"
)


def test_the_table_the_totals_and_the_misses(asked: Claw) -> None:
    put(asked.vault, {"eval/questions.yaml": QUESTIONS})
    ran = asked("eval")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].split() == ["question", "rank", "@5", "@10", "400", "600", "800", "confidence"]
    assert lines[1].split()[-7:] == ["1", *"●●●●●", "0.73"]
    assert "◐" in lines[2]
    assert "recall@10     0.750" in lines
    assert lines[-3:] == [
        "Misses",
        "  Where are the dowels?  eval/questions.yaml:4",
        "    notes/moon: not a candidate: shares no word with the question",
    ]


def test_json_is_the_same_in_numbers(asked: Claw, tmp_path: Path) -> None:
    file = put(tmp_path, {"mine.yaml": QUESTIONS}) / "mine.yaml"
    done = asked("eval", file, "--json").json
    assert done["path"] == str(file)
    assert done["recall"].keys() == {"5", "10"}
    assert done["in_context"].keys() == {"400", "600", "800"}
    assert [question["line"] for question in done["questions"]] == [1, 4]
    assert (done["degraded"], done["behind"]) == ("", 0)


def test_too_little_recall_exits_with_1_and_the_answer_all_the_same(asked: Claw) -> None:
    put(asked.vault, {"eval/questions.yaml": QUESTIONS})
    assert asked("eval", "--least", "0.7").code == 0
    ran = asked("eval", "--least", "0.8")
    assert (ran.code, ran.err) == (1, "recall@10 is 0.750, below 0.800\n")
    assert "recall@10     0.750" in ran.out
    put(asked.vault, {"eval/questions.yaml": "dowels:\n  answer: tin\n"})
    assert "no question of eval/questions.yaml expects an id" in asked("eval", "--least", "0.8").err


def test_what_must_not_be_in_a_context_counts_as_a_miss_does(asked: Claw) -> None:
    put(asked.vault, {"eval/questions.yaml": "pancakes:\n  must_not: oat milk\n"})
    ran = asked("eval", "--least", "0.8")
    assert (ran.code, ran.err) == (1, "1 of 1 things that must not be in a context were in one\n")
    assert "kept out      0 of 1" in ran.out
    assert ran.out.endswith("    oat milk: is in the context\n")
    put(asked.vault, {"eval/questions.yaml": "pancakes:\n  must_not: syrup\n"})
    assert asked("eval", "--least", "0.8").code == 0
    assert asked("eval", "--json").json["kept_out"] == {"ids": 1, "kept": 1}


def test_what_is_wrong_is_one_sentence(asked: Claw) -> None:
    ran = asked("eval")
    assert (ran.code, ran.out) == (1, "")
    assert "there are no golden questions in eval/questions.yaml" in ran.err
    assert asked("eval", "--least", "2").code == 2
