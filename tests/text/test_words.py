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
    assert lists.names(path.stem)
    for name in lists.names(path.stem):
        assert lists.words(f"{path.stem}.{name}")
        assert all(line.strip() for line in lists.lines(f"{path.stem}.{name}"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_read_as_the_toml_that_it_is(path: Path) -> None:
    read = {name: lists.text(f"{path.stem}.{name}") for name in lists.names(path.stem)}
    assert read == tomllib.loads(path.read_text(encoding="utf-8"))


def test_a_list_that_no_file_has_is_an_error() -> None:
    with pytest.raises(KeyError, match=r"english\.none"):
        lists.text("english.none")


def test_a_list_in_groups_is_read_line_by_line() -> None:
    assert lists.lines("english.irregular")[0].split() == ["go", "went", "gone"]
    assert "what" in lists.words("english.question")
