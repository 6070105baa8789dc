"""Lists of words."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


def test_what_is_kept_of_lists_follows_every_change_of_them(tmp_path: Path) -> None:
    package = tmp_path / "memoryclaw"
    shutil.copytree(FILES[0].parents[1], package, ignore=shutil.ignore_patterns("__pycache__"))
    words = package / "data" / "talk_nl.toml"
    place = package / "text" / "__pycache__" / f"grammar.{sys.implementation.cache_tag}._languages_of_words"
    ask = "from memoryclaw.text.grammar import grammar; print(*grammar('nl').known(frozenset(['zwaluw'])))"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def known() -> str:
        process = [sys.executable, "-c", ask]
        return subprocess.check_output(process, cwd=tmp_path, env=environment, text=True).strip()

    assert known() == ""
    kept = place.read_bytes()
    assert known() == ""
    assert place.read_bytes() == kept
    words.write_text(
        words.read_text(encoding="utf-8") + "\nbirds = '''\nzwaluw, mus\n'''\n", encoding="utf-8"
    )
    assert known() == "zwaluw"
    place.write_bytes(kept[:100])
    assert known() == "zwaluw"
    place.unlink()
    place.mkdir()  # nothing can be kept there
    assert known() == "zwaluw"
