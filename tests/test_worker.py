"""A worker tries a table as one test: every row, and all that fail are told; a row with a fixture of its own stays a test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import put

TESTS = """
import pytest

@pytest.fixture(scope="module")
def shop():
    return 3

@pytest.mark.parametrize(["a"], [(1,), (2,)])
@pytest.mark.parametrize("b", [(1, 2), pytest.param((2, 3), id="x")])
def test_that_holds(a, b, shop):
    assert a in (1, 2) and len(b) == 2 and shop == 3
    with open("rows", "a") as file:
        file.write(f"{a}{b} ")

@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 2), (2, 2), (3, 4)])
def test_that_fails_twice(a, b):
    assert a == b

@pytest.mark.parametrize("a", [1, 2])
def test_that_skips(a):
    pytest.skip()

@pytest.mark.parametrize("a", [1, pytest.param(2, marks=pytest.mark.laws)])
def test_with_a_mark_of_its_own(a):
    assert a == 1

@pytest.mark.parametrize("part", range(2))
def test_in_parts(part):
    assert part < 2

@pytest.mark.parametrize("a", [1, 2])
def test_with_a_folder_for_each(a, tmp_path):
    assert not list(tmp_path.iterdir())
    (tmp_path / "x").touch()
"""


@pytest.mark.laws
def test_a_table_is_one_test_and_each_row_that_fails_is_told(tmp_path: Path) -> None:
    put(tmp_path, {"test_rows.py": TESTS, "pytest.ini": "[pytest]\nmarkers = laws: long\n"})
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "worker", "-n", "1", "-m", "not laws", "-q", "--rootdir", tmp_path, "test_rows.py"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.fspath(Path(__file__).parent)}, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert "1 failed, 6 passed, 1 skipped" in ran.stdout, ran
    assert re.findall(r"in a=(\d), b=(\d)", ran.stdout) == [("1", "2"), ("3", "4")]
    assert "2 rows of the table" in ran.stdout
    assert sorted((tmp_path / "rows").read_text().split(") ")) == ["", "1(1, 2", "1(2, 3", "2(1, 2", "2(2, 3"]
