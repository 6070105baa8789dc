"""The sample vault answers as it was recorded to: the same units with the same scores, to the last bit.

A change that is meant to leave scores alone is proved by it. One that means to change them writes them anew, and shows in its figures that they
became better: `python -m tests.recall.test_recorded_answers`.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from memoryclaw.app import App

ROOT = Path(__file__).resolve().parents[2]
RECORDED = Path(__file__).with_name("recorded_answers.json")
SHOWN = 5
Answers = dict[str, list[list[object]]]


def answers(folder: Path, questions: list[str]) -> Answers:
    """The best units of each question, with their scores."""
    shutil.copytree(ROOT / "vault", folder, ignore=shutil.ignore_patterns(".memoryclaw"))
    with App(folder, clock=lambda: datetime(2026, 4, 20, 8, tzinfo=UTC)) as app:
        return {
            question: [
                [match.unit.id, match.score] for match in app.search(question, limit=10).matches[:SHOWN]
            ]
            for question in questions
        }


def test_every_score_is_the_recorded_one(tmp_path: Path) -> None:
    recorded: Answers = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert len(recorded) > 50
    assert answers(tmp_path / "vault", list(recorded)) == recorded


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        fresh = answers(Path(place) / "vault", list(json.loads(RECORDED.read_text(encoding="utf-8"))))
    lines = ",\n".join(
        f" {json.dumps(q, ensure_ascii=False)}: {json.dumps(a, ensure_ascii=False)}" for q, a in fresh.items()
    )
    RECORDED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
