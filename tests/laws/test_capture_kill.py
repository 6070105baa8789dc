"""Laws 6 and 7 of a log under kill -9: every acknowledged line can be read, no secret is ever on the disk."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from killing import Killed, killed_at

from memoryclaw.capture.capture import Recorder
from memoryclaw.capture.log_files import Logs
from memoryclaw.text.redaction import Redactor
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.writing.secret_gate import secret_key

WORDS = ("one password: hunter2", "two", "three " + "long " * 3000, "four", "five")


def child(root: Path, at: int) -> Killed:
    """Captures the words, and acknowledges each line when it is taken."""
    root.mkdir(parents=True, exist_ok=True)

    def work(acknowledge: Callable[[bytes], int]) -> None:
        key = secret_key(f"{root}/../config").key
        recorder = Recorder(Logs(str(root)), Redactor(key), lambda: datetime(2026, 11, 21, tzinfo=UTC))
        for number, text in enumerate(WORDS, 1):
            [done] = recorder.capture(
                [json.dumps({"session": "s", "turn": number, "role": "user", "content": text})]
            )
            acknowledge((json.dumps(done) + "\n").encode())

    return killed_at(at, work)


def texts(root: Path) -> tuple[list[str], int]:
    """The turns of the log in order, those of torn lines left out, and how many lines are torn."""
    log = root / "logs/2026-11-21/s.jsonl"
    if not log.exists():
        return [], 0
    note = read_note("logs/2026-11-21/s.jsonl", log.read_bytes(), ReadingSettings())
    torn = {problem.line for problem in note.problems}
    return [turn.text for turn in note.turns if turn.line not in torn], len(torn)


@pytest.mark.laws
def test_killed_at_any_write_every_acknowledged_line_is_read_and_a_second_run_completes_the_log(tmp_path):
    whole = tmp_path / "whole/vault"
    assert child(whole, 0).code == 0
    complete, torn = texts(whole)
    assert (len(complete), torn) == (len(WORDS), 0)
    points = 0
    for at in range(1, 500):
        root = tmp_path / str(at) / "vault"
        killed = child(root, at)
        assert killed.code in (0, -signal.SIGKILL)
        acknowledged = [json.loads(line) for line in killed.acknowledged.splitlines()]
        lines, _ = texts(root)
        assert all(done[1] for done in acknowledged)
        assert len(lines) >= len(acknowledged)
        assert [text.split()[0] for text in lines] == [text.split()[0] for text in WORDS[: len(lines)]]
        again = child(root, 0)
        assert again.code == 0
        assert sorted(text.split()[0] for text in texts(root)[0]) == sorted(text.split()[0] for text in WORDS)
        assert all(b"hunter2" not in path.read_bytes() for path in root.rglob("*") if path.is_file())
        if killed.code == 0:
            break
        points += 1
    assert points > 20


@pytest.mark.laws
@pytest.mark.parametrize("left", [1, 30, 60])
def test_a_line_that_was_torn_in_the_middle_is_reported_and_spoils_no_other(tmp_path, left):
    """A kill inside one write: the disk has the beginning of a line."""
    root = tmp_path / "vault"
    child(root, 0)
    log = root / "logs/2026-11-21/s.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-1]) + lines[-1][:left])
    assert child(root, 0).code == 0
    whole, torn = texts(root)
    assert (len(whole), torn) == (len(WORDS), 1)
    note = read_note("logs/2026-11-21/s.jsonl", log.read_bytes(), ReadingSettings())
    assert note.problems[0].hint
