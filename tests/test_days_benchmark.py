"""The benchmark of questions with days runs to its end, and finds what it wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

DAYS = Path(__file__).parent.parent / "benchmarks/days.py"


def test_days_that_notes_tell_are_recalled_in_whatever_form_they_are_asked_for() -> None:
    run = subprocess.run(
        [sys.executable, DAYS, "--questions", "28", "--json"], capture_output=True, text=True, check=True
    )
    shares = json.loads(run.stdout)
    assert [shares[kind]["recalled"] for kind in ("happened", "no word")] == [1.0, 1.0]
    assert shares["happened"]["answered"] == 1.0
