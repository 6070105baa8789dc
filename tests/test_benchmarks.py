"""The recall benchmark runs on a folder shaped like LoCoMo, and its figures are what its data makes them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
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


def bench(program: str, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "benchmarks" / f"{program}.py", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def changed(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Rewrites each line of a file."""
    rows(path, [change(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()])


def test_the_recall_benchmark_counts_evidence_as_it_says(tmp_path: Path) -> None:
    done = bench("locomo", "--data", str(data(tmp_path)), "--rows", "conversations", "--json")
    result = json.loads(done.stdout)
    assert result["questions"] == 4
    for figures in (result, result["plain_fts5"]):
        assert set(figures["turn"]) == {"recall@5", "recall@10", "recall@20", "ndcg@10"}
        assert set(figures["session"]) == set(figures["session_nonadversarial"]) == {"recall@5", "recall@10"}
        assert set(figures["budget"]) == {"200", "400", "600", "800"}
        assert figures["ms"]["p50"] <= figures["ms"]["p95"]
        assert figures["turn"]["recall@5"] == 1.0
    assert result["session"]["recall@5"] == result["budget"]["200"] == 1.0


def test_conversations_with_the_same_ids_meet_in_one_vault_and_are_not_mixed_up(tmp_path: Path) -> None:
    folder = data(tmp_path)
    for name in ("turns", "questions"):
        both = [
            json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        rows(folder / f"{name}.jsonl", [{**row, "conv": conv} for conv in ("c-1", "c/2") for row in both])
    changed(folder / "turns.jsonl", lambda turn: {**turn, "text": f"{turn['text']} {turn['conv'][-1] * 5}"})
    changed(
        folder / "questions.jsonl",
        lambda one: {**one, "question": f"{one['question']} {one['conv'][-1] * 5}"},
    )
    done = bench("locomo", "--data", str(folder), "--rows", "pooled,vectors", "--json")
    result = json.loads(done.stdout)
    pooled, vectors = result["pooled"], result["vectors"]
    assert set(result) == {"pooled", "vectors"}
    assert (pooled["turns"], pooled["sessions"]) == (8, 4)
    assert pooled["turn"]["recall@5"] == pooled["session"]["recall@5"] == 1.0
    assert pooled["turn"]["ndcg@10"] == 1.0  # each question finds the turn of its own conversation first
    assert "missing" in vectors or vectors["strategy"] == "weighted"


def test_what_a_conversation_lacks_is_told_in_one_sentence(tmp_path: Path) -> None:
    folder = data(tmp_path)
    changed(
        folder / "turns.jsonl",
        lambda turn: {k: v for k, v in turn.items() if k not in ("caption", "speaker")},
    )
    done = bench("locomo", "--data", str(folder))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "turns.jsonl, line 1: has no 'speaker'\n")
    changed(data(tmp_path) / "questions.jsonl", lambda one: {**one, "conv": "c-9"})
    told = bench("locomo", "--data", str(folder)).stderr
    assert told == "questions.jsonl asks about 'c-9', of which turns.jsonl has no turn\n"


def test_the_ablation_has_a_row_for_each_step_and_keeps_its_rankings(tmp_path: Path) -> None:
    command = ("--data", str(data(tmp_path)), "--cache", str(tmp_path / "kept"))
    done = bench("ablation", *command)
    assert done.returncode == 0, done.stderr
    table = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    steps = {row[0].removeprefix("| "): row for row in table}
    assert {
        "words as written, any of them",
        "stop words",
        "neighbours as columns",
        "`speaker`",
        "`asks`",
    } <= steps.keys()
    assert [float(figure) for figure in steps["`asks`"][1:3]] == [1.0, 1.0]
    assert len(list((tmp_path / "kept").iterdir())) == len(table) - 2  # neither for the head nor for the sum
    for kept in (tmp_path / "kept").iterdir():
        rankings = json.loads(kept.read_text(encoding="utf-8"))
        kept.write_text(json.dumps([[[] for _ in rankings[0]], rankings[1]]), encoding="utf-8")
    assert "| stop words | 0.000 | 0.000 |" in bench("ablation", *command).stdout


def test_tools_that_are_not_installed_are_left_out_with_the_line_that_installs_them(tmp_path: Path) -> None:
    done = bench("peers", "--data", str(data(tmp_path)), "--installed", str(tmp_path / "none"), "--json")
    found = json.loads(done.stdout)["found"]
    assert {
        "MemoryClaw",
        "plain FTS5, unicode61",
        "plain FTS5, porter",
        "Whoosh BM25F, stemmed",
    } == found.keys()
    assert all(row["session"]["recall@5"] == 1.0 for row in found.values())
    assert [line.partition(" ")[0] for line in done.stderr.splitlines()] == [
        "qmd",
        "basic-memory",
        "mind-mem",
    ]


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


@pytest.mark.laws
def test_the_benchmark_of_large_vaults_builds_asks_and_compares(tmp_path: Path) -> None:
    command = [
        sys.executable,
        ROOT / "benchmarks/million.py",
        "--units",
        "1000",
        "--questions",
        "5",
        "--json",
        "--keep",
        tmp_path,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    [figures] = json.loads(done.stdout)
    assert figures["units"] >= 1000
    assert figures["ms"].keys() == {"recall", "search", "plain FTS5, OR"}
    assert figures["lost"]["overlap@10"] == figures["lost"]["proved"] == 1.0
    assert (tmp_path / "vault1000").is_dir()


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
    done = bench("locomo", "--data", str(tmp_path))
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
    done = bench("consolidation", "--data", str(folder), "--json")
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
    assert "(goal 0.5: missed)" in bench("consolidation", "--data", str(tmp_path)).stdout
