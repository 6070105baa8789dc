"""The benchmark of commits runs, and prints each figure beside git's own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent.parent / "benchmarks/commits.py"


@pytest.mark.laws
def test_the_commit_benchmark_measures_ours_beside_gits() -> None:
    command = [sys.executable, PROGRAM, "--files", "20", "--runs", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    [row] = json.loads(done.stdout)
    assert row["files"] == 20
    assert row["times git"] == pytest.approx(row["one commit"] / row["git commit --only"])
    assert row["commits a second"] > 0
