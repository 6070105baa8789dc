"""Lists of words: what the small reader makes of a file is what TOML says."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import memoryclaw
from memoryclaw.text.words import lines, words

FILES = sorted((Path(memoryclaw.__file__).parent / "data").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_list_reads_as_toml_reads_it(path: Path) -> None:
    lists = tomllib.loads(path.read_text(encoding="utf-8"))
    assert lists
    for name, text in lists.items():
        assert words(f"{path.stem}.{name}") == text.split() != []
        assert lines(f"{path.stem}.{name}") == text.splitlines()


def test_a_list_in_groups_is_read_line_by_line() -> None:
    assert lines("english.irregular")[0].split() == ["go", "went", "gone"]
    assert "what" in words("english.question")
