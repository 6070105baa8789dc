"""A recorder of a vault's logs, and what it kept, as the vault's own reader reads it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from memoryclaw.capture.capture import Recorder
from memoryclaw.capture.log_files import Logs
from memoryclaw.text.redaction import Redactor
from memoryclaw.vault.notes import ReadingSettings, read_note

NOW = datetime(2026, 11, 21, 10, 15, tzinfo=UTC)


def recorder(root: Path, key: bytes = b"k") -> Recorder:
    return Recorder(Logs(str(root)), Redactor(key), lambda: NOW)


def turns(root: Path):
    """Every turn of the vault's logs."""
    paths = sorted(root.glob("logs/*/*.jsonl"))
    notes = [read_note(str(p.relative_to(root)), p.read_bytes(), ReadingSettings()) for p in paths]
    assert [problem for note in notes for problem in note.problems] == []
    return [turn for note in notes for turn in note.turns]
