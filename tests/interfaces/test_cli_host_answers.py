"""`consolidate --ask` and `--answers`: what an agent reads and hands in, through files and pipes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from conftest import Claw, put
from gitvault import vault_of
from nights import LOGS, NIGHT, VAULT, said
from servers.scripted import honest, log_in


@pytest.fixture
def evening(tmp_path: Path) -> Claw:
    """A vault with logs that nobody has read yet."""
    return Claw(put(vault_of(tmp_path / "vault", VAULT), LOGS), MEMORYCLAW_NOW=NIGHT.isoformat())


def asked(claw: Claw) -> list[dict[str, Any]]:
    """What is printed for an agent."""
    ran = claw("consolidate", "--ask")
    assert (ran.code, ran.err) == (0, "")
    return [json.loads(line) for line in ran.out.splitlines()]


def answered(segments: list[dict[str, Any]]) -> str:
    """What an agent hands in, a line each."""
    answers = (
        {"segment": segment["segment"], "answer": honest(log_in(segment["prompt"]))} for segment in segments
    )
    return "".join(json.dumps(answer) + "\n" for answer in answers)


@pytest.mark.parametrize("way", ["file", "pipe"])
def test_an_agent_is_asked_answers_and_is_asked_no_more(way: str, evening: Claw, tmp_path: Path) -> None:
    segments = asked(evening)
    assert [sorted(segment) for segment in segments] == [["prompt", "schema", "segment", "system"]] * 4
    put(tmp_path, {"night.jsonl": answered(segments)})
    file, given = (tmp_path / "night.jsonl", "") if way == "file" else ("-", answered(segments))
    ran = evening("consolidate", "--answers", file, "--json", stdin=given)
    assert (ran.code, ran.err, ran.json["minds"], ran.json["notices"]) == (0, "", ["host"], [])
    assert evening("consolidate", "--ask").out == ""


def test_as_json_it_is_one_object_as_over_http(evening: Claw) -> None:
    assert evening("consolidate", "--ask", "--json").json == {"segments": asked(evening)}


def test_what_cannot_be_used_is_told_beside_the_answer(evening: Claw, tmp_path: Path) -> None:
    lines = answered(asked(evening)).splitlines()
    put(
        tmp_path,
        {
            "night.jsonl": "\n".join(
                [lines[0], "oops", *lines[1:], '{"segment": "x\\u001b[2J", "answer": ""}']
            )
        },
    )
    ran = evening("consolidate", "--answers", tmp_path / "night.jsonl")
    assert ran.code == 0
    assert ran.err.splitlines() == [
        f'{tmp_path}/night.jsonl:2: this is no answer to a segment; write {{"segment": "logs/…", "answer": {{…}}}} on one line',
        "the answer for 'x[2J' was left out: that is no segment; copy it as `--ask` printed it",
    ]


def test_a_dry_run_shows_what_answers_would_make(evening: Claw) -> None:
    ran = evening("consolidate", "--answers", "-", "--dry-run", stdin=answered(asked(evening)))
    assert ran.out.endswith("Nothing was written.\n")
    assert len(asked(evening)) == 4


def test_a_line_separator_in_a_string_ends_no_line(evening: Claw) -> None:
    given = answered(asked(evening)).replace('"title": "', '"title": "\u2028')
    ran = evening("consolidate", "--answers", "-", stdin=given)
    assert (ran.code, ran.err) == (0, "")


def test_what_is_asked_drives_no_terminal_and_reads_back_whole(tmp_path: Path) -> None:
    text = "The larch \x1b]0;owned\x07 costs 40 € \u202e\u2028 in Ærøskøbing."
    root = put(
        vault_of(tmp_path / "vault", {}), {"logs/2026-04-19/a.jsonl": said("a", [("user Nora", text)])}
    )
    ran = Claw(root, MEMORYCLAW_NOW=NIGHT.isoformat())("consolidate", "--ask")
    assert ran.out.count("\n") == 1
    assert ran.out.removesuffix("\n").isprintable()
    assert "Ærøskøbing" in ran.out
    assert "in Ærøskøbing." in json.loads(ran.out)["prompt"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--ask", "--answers", "-"], "--ask and --answers are two steps"),
        (["--answers", "-", "--llm", "none"], "--answers and --llm none contradict each other"),
        (["--answers", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--after", "-1"], "-1 is not in the range"),
    ],
)
def test_what_makes_no_sense_is_said(words: list[str], why: str, evening: Claw) -> None:
    ran = evening("consolidate", *words)
    assert ran.code == 2
    assert why in ran.err
    assert not list(evening.vault.glob("runs/*.json"))


def test_a_schedule_leaves_new_lines_to_an_agent(evening: Claw) -> None:
    ran = evening("consolidate", "--due", "--after", "48")
    assert ran.out.startswith(
        "Nothing to do: turns wait since 2026-04-18 09:01, and are left to the agent for 48 h"
    )
    evening.env["MEMORYCLAW_NOW"] = "2026-04-20T10:00:00Z"
    assert evening("consolidate", "--due", "--after", "48").out.startswith("15 turns read")
    assert os.listdir(evening.vault / "runs")
