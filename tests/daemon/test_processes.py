"""Work that is waited for only so long."""

from __future__ import annotations

import os
from pathlib import Path

from memoryclaw.daemon.processes import within


def test_what_the_work_gives_comes_back_even_when_it_is_nothing_or_long() -> None:
    for answer in ("a context", "", "ø" * 300_000):
        assert within(30, lambda answer=answer: answer) == answer


def test_work_that_fails_gives_nothing() -> None:
    assert within(30, lambda: str(1 // 0)) is None


def test_work_that_takes_too_long_is_not_waited_for_and_still_comes_to_its_end(tmp_path: Path) -> None:
    gate, done = tmp_path / "gate", tmp_path / "done"
    os.mkfifo(gate)
    os.mkfifo(done)

    def work() -> str:
        gate.read_text()
        done.write_text("finished")
        return "too late"

    assert within(0.01, work) is None
    gate.write_text("go on")
    assert done.read_text() == "finished"
