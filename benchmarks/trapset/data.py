"""A half of the set as files: LoCoMo's three for the conversations, and `vaults/` with notes, pieces and questions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from trapset import dev_holdings, dev_speech, held_holdings, held_speech
from trapset.holdings import Holdings
from trapset.speech import Speech
from trapset.talks import conversation
from trapset.vaults import Holding, holdings_of

Row = dict[str, Any]
HALVES: dict[str, tuple[Speech, Holdings]] = {
    "dev": (dev_speech.SPEECH, dev_holdings.HOLDINGS),
    "test": (held_speech.SPEECH, held_holdings.HOLDINGS),
}


class Half(NamedTuple):
    """Everything of one half."""

    turns: list[Row]
    sessions: list[Row]
    questions: list[Row]
    vaults: list[Holding]


def half(name: str, *, conversations: int = 6) -> Half:
    """A half, or its first conversations with all of its vaults; the same name gives the same half."""
    speech, holdings = HALVES[name]
    made = Half([], [], [], holdings_of(holdings))
    for number in range(conversations):
        turns, sessions, questions = conversation(speech, number).rows()
        made.turns.extend(turns)
        made.sessions.extend(sessions)
        made.questions.extend(questions)
    return made


def write(made: Half, folder: Path) -> None:
    """Writes a half: `benchmarks/locomo.py --data FOLDER` reads its conversations."""
    for name in ("turns", "sessions", "questions"):
        _lines(folder / f"{name}.jsonl", getattr(made, name))
    for vault in made.vaults:
        for path, text in vault.files.items():
            place = folder / "vaults" / vault.id / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    _lines(folder / "vaults/pieces.jsonl", [row for vault in made.vaults for row in vault.pieces])
    _lines(folder / "vaults/questions.jsonl", [row for vault in made.vaults for row in vault.questions])


def _lines(path: Path, rows: Iterable[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
