"""The recall benchmark runs on a folder shaped like LoCoMo, and its figures are what its data makes them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SAID = (
    "I bought a red kayak yesterday!",
    "Where will you keep it?",
    "In the boathouse.",
    "My dentist moved to Rome.",
)
ASKED = (
    ("What colour is the kayak that Ana bought?", "single-hop", ["D1:1"]),
    ("Where did the dentist move?", "single-hop", ["D2:2"]),
    ("What did Ben buy?", "adversarial", ["D1:1"]),
    ("Does anybody like tulips?", "open-domain", []),
)


def rows(path: Path, found: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")


def data(folder: Path) -> Path:
    turns = [
        {
            "conv": "c-1", "id": f"D{1 + i // 2}:{1 + i % 2}", "session": 1 + i // 2, "n": i % 2, "speaker": ("Ana", "Ben")[i % 2],
            "datetime": f"2023-05-0{1 + i // 2}T10:00", "text": text, "caption": "",
        }
        for i, text in enumerate(SAID)
    ]  # fmt: skip
    rows(folder / "turns.jsonl", turns)
    rows(
        folder / "sessions.jsonl",
        [{"conv": "c-1", "session": n, "datetime": f"2023-05-0{n}T10:00"} for n in (1, 2)],
    )
    questions = [
        {"conv": "c-1", "qid": f"q{i}", "question": text, "category": category, "evidence": evidence, "sessions": [int(e[1]) for e in evidence]}
        for i, (text, category, evidence) in enumerate(ASKED)
    ]  # fmt: skip
    rows(folder / "questions.jsonl", questions)
    return folder


def locomo(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "benchmarks/locomo.py", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_recall_benchmark_counts_evidence_as_it_says(tmp_path: Path) -> None:
    done = locomo("--data", str(data(tmp_path)), "--json")
    result = json.loads(done.stdout)
    assert result["questions"] == 4
    for figures in (result, result["plain_fts5"]):
        assert set(figures["turn"]) == {"recall@5", "recall@10", "recall@20", "ndcg@10"}
        assert set(figures["session"]) == set(figures["session_nonadversarial"]) == {"recall@5", "recall@10"}
        assert set(figures["budget"]) == {"200", "400", "600", "800"}
        assert figures["ms"]["p50"] <= figures["ms"]["p95"]
        assert figures["turn"]["recall@5"] == 1.0
    assert result["session"]["recall@5"] == result["budget"]["200"] == 1.0


@pytest.mark.laws
def test_the_night_benchmark_consolidates_and_counts() -> None:
    command = [
        sys.executable,
        ROOT / "benchmarks/night.py",
        *["--rows", "day", "--turns", "40", "--runs", "1", "--json"],
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert {"plan and apply 40 turns, wall", "one commit", "peak memory"} <= rows.keys()
    assert rows["plan and apply 40 turns, wall"]["goal"] == "<= 10 s"


def test_the_same_seed_talks_alike(tmp_path: Path) -> None:
    talks = []
    for name in ("one", "other"):
        command = [sys.executable, ROOT / "benchmarks/talk.py", "2", tmp_path / name, "--turns", "60"]
        assert int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) >= 120
        logs = sorted((tmp_path / name).rglob("*.jsonl"))
        talks.append([(path.relative_to(tmp_path / name), path.read_bytes()) for path in logs])
    assert talks[0] == talks[1]
    turns = [json.loads(line) for _, data in talks[0] for line in data.splitlines()]
    assert {turn["role"] for turn in turns} == {"user", "assistant", "tool"}


def test_a_folder_without_the_data_is_told_in_one_sentence(tmp_path: Path) -> None:
    done = locomo("--data", str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert "has no turns, sessions, questions.jsonl" in done.stderr


def test_the_consolidation_benchmark_answers_from_what_was_written_alone(tmp_path: Path) -> None:
    folder = data(tmp_path)
    rows(
        folder / "observations.jsonl",
        [
            {
                "conv": "c-1",
                "session": 1,
                "speaker": "Ana",
                "text": "Ana bought a red kayak.",
                "evidence": ["D1:1"],
            }
        ],
    )
    done = consolidation("--data", str(folder), "--json")
    result = json.loads(done.stdout)
    assert (result["questions"], result["turns"], result["episodes"], result["skipped"]) == (2, 4, 2, {})
    found = result["found"]
    assert found["ours"]["recall@10"] == found["episodes"]["recall@10"] == found["raw"]["recall@10"] == 1.0
    assert found["reference"]["recall@10"] == 0.5
    assert found["episodes"]["turns_a_hit"] == 2.0
    assert found["raw"]["turns_a_hit"] == 1.0
    assert result["compression"] == round(result["tokens_out"] / result["tokens_in"], 4)
    assert result["compression"] > 1  # four short turns cost less than the headers of two notes


def test_the_consolidation_benchmark_prints_whether_its_goal_is_met(tmp_path: Path) -> None:
    rows(data(tmp_path) / "observations.jsonl", [])
    assert "(goal 0.5: missed)" in consolidation("--data", str(tmp_path)).stdout


def consolidation(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "benchmarks/consolidation.py", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)
