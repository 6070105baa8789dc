"""Lists of words."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import memoryclaw
from memoryclaw.text import words as lists

FILES = sorted((Path(memoryclaw.__file__).parent / "data").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_list_of_a_file_holds_words(path: Path) -> None:
    found = lists._lists(path.stem)
    assert found
    for name in found:
        assert lists.words(f"{path.stem}.{name}")
        assert all(line.strip() for line in lists.lines(f"{path.stem}.{name}"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_read_as_the_toml_that_it_is(path: Path) -> None:
    assert lists._lists(path.stem) == tomllib.loads(path.read_text(encoding="utf-8"))


def test_a_list_in_groups_is_read_line_by_line() -> None:
    assert lists.lines("english.irregular")[0].split() == ["go", "went", "gone"]
    assert "what" in lists.words("english.question")
