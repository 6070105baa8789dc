"""benchmarks/notes.py: the four vaults as people write them are whole, and what is asked of them is found."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, os.fspath(Path(__file__).parent.parent / "benchmarks"))
import notes


def test_the_vaults_hold_a_hundred_notes_and_a_line_for_each_of_sixty_questions() -> None:
    vaults = {name: notes.notes_of(notes.DATA / f"{file}.txt") for name, file in notes.FILES.items()}
    assert sum(path.endswith(".md") for vault in vaults.values() for path in vault) == 100
    assert len(list(notes.questions(notes.DATA, vaults))) == 60


def test_what_is_asked_is_found() -> None:
    ranks = [ours for _, ours, _ in notes.measure()]
    assert notes.recall(ranks, 5) > 0.95
    assert notes.recall(ranks, 1) > 0.85
