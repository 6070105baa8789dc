"""Law 5: the same files, question and clock give the same bytes, however the index came to be."""

from __future__ import annotations

import json
import os
import random
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import STUDIO, Claw, Files, put
from hypothesis import HealthCheck, given, settings
from vaults import opened, questions, vaults

from memoryclaw.app import App
from memoryclaw.interfaces import shapes

QUESTIONS = (
    "boathouse deadline", "what happened in 2025", "dowels OR masts", "tag:health", "penicilin~ plan*",
    "salt", "the", "",
)  # fmt: skip
SAMPLE = Path(__file__).parents[2] / "vault"


def plain(shape: dict[str, Any]) -> str:
    """An answer without the two values that may differ."""
    return json.dumps(
        {key: value for key, value in shape.items() if key not in ("timings_ms", "receipt")},
        ensure_ascii=False,
    )


def printed(claw: Claw) -> list[str]:
    return [
        plain(claw(verb, question, "--json").json) for question in QUESTIONS for verb in ("search", "recall")
    ]


def answers(app: App, asked: list[str] | tuple[str, ...]) -> list[str]:
    searched = [plain(shapes.search(app.search(question, limit=50))) for question in asked]
    return searched + [plain(shapes.recall(app.recall(question), trace=True)) for question in asked]


@pytest.fixture(scope="module")
def copy_of_the_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(
        shutil.copytree(
            SAMPLE, tmp_path_factory.mktemp("sample") / "vault", ignore=shutil.ignore_patterns(".memoryclaw")
        )
    )


@pytest.mark.laws
def test_processes_with_other_hash_seeds_print_the_same_bytes(studio: Path) -> None:
    first = printed(Claw(studio, PYTHONHASHSEED="1"))
    assert printed(Claw(studio, PYTHONHASHSEED="4242")) == first
    shutil.rmtree(studio / ".memoryclaw")
    assert printed(Claw(studio, PYTHONHASHSEED="99")) == first


@pytest.mark.parametrize("engine", ["fts5", pytest.param("whoosh", marks=pytest.mark.laws)])
def test_a_deleted_index_changes_no_answer(copy_of_the_sample: Path, engine: str) -> None:
    put(copy_of_the_sample, {"memoryclaw.yaml": f"index:\n  engine: {engine}\n"})
    asked = [
        *QUESTIONS,
        "When is the boathouse deadline?",
        "木栓",
        "Wie war der Zählerstand bei der Übergabe?",
        "-oak kind:fact",
    ]
    runs = []
    for _ in range(2):
        app = App(copy_of_the_sample)
        runs.append(answers(app, asked))
        app.close()
        shutil.rmtree(copy_of_the_sample / ".memoryclaw")
    assert runs[0] == runs[1]


@pytest.mark.parametrize("engine", ["fts5", pytest.param("whoosh", marks=pytest.mark.laws)])
def test_the_order_in_which_files_appear_changes_no_answer(tmp_path: Path, engine: str) -> None:
    settings_file = {"memoryclaw.yaml": f"index:\n  engine: {engine}\n"}
    copies = {f"notes/copy{n}.md": "The same words about salt and masts.\n" for n in range(30)}
    files = [*STUDIO.items(), *copies.items()]
    runs = []
    for seed in (1, 2, 3):
        root = put(tmp_path / str(seed), settings_file)
        random.Random(seed).shuffle(files)
        app = App(root)
        for start in range(0, len(files), 7 * seed):
            put(root, dict(files[start : start + 7 * seed]))
            app.sync()
        for path in files[0][0], files[5][0]:  # a file that comes back is read anew
            text = (root / path).read_bytes()
            os.unlink(root / path)
            app.sync()
            put(root, {path: text})
        runs.append(answers(app, QUESTIONS))
        app.close()
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.laws
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(vaults, questions)
def test_both_engines_give_the_same_answers(files: Files, question: str) -> None:
    with opened(files) as ours, opened(files, engine="whoosh") as oracle:
        assert answers(ours, [question]) == answers(oracle, [question])


def test_uses_rank_alike_with_and_without_the_derived_files_and_no_use_is_no_change(
    copy_of_the_sample: Path,
) -> None:
    asked = ["When is the boathouse deadline?", "kind:fact phone", "Priya"]

    def now() -> datetime:
        return datetime(2026, 4, 20, 12, tzinfo=UTC)

    with App(copy_of_the_sample, clock=now) as app:
        before = answers(app, asked)
        for _ in range(3):
            receipt = app.recall(asked[0], session="s").receipt
            app.show("semantic/projects", session="s")
        assert answers(app, asked) == before, "exposure never ranks"
        turn = {"role": "assistant", "content": "On 11 December.", "receipt": receipt}
        app.capture([turn], session="s")
        assert app.ledger.record().citations
        cited = answers(app, asked)
        assert cited != before
    shutil.rmtree(copy_of_the_sample / ".memoryclaw")
    with App(copy_of_the_sample, clock=now) as app:
        assert answers(app, asked) == cited == answers(app, asked)
    for path in (copy_of_the_sample / "ledger").rglob("*.jsonl"):
        path.unlink()
    with App(copy_of_the_sample, clock=now) as app:
        logs = {answer for answer in answers(app, asked) if "log:s/" not in str(answer)}
        assert all("strength" not in str(log) for log in logs)
