from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.errors import InputError
from memoryclaw.vault.layout import episode_name, free_name, is_minted_id, run_id, safe_path, slug, timestamp

WHEN = datetime(2025, 4, 8, 16, 32, 10, 999, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Project update: e-mail!", "project-update-e-mail"),
        ("Zoë & Jürgen at Łukasz's", "zoe-jurgen-at-lukaszs"),
        ("Straße Ærø", "strasse-aero"),
        ("日本語", "note"),
        ("", "note"),
        ("../../etc/passwd", "etc-passwd"),
        ("word " * 30, "word-word-word-word-word-word-word-word-word"),
        ("x" * 60, "x" * 48),
    ],
)
def test_a_slug_is_plain_ascii_and_short(text, expected):
    assert slug(text) == expected


@given(st.text())
def test_every_episode_name_makes_a_minted_id(text):
    name = episode_name(WHEN, text)
    assert name.startswith("2025-04-08_14-32-10_")
    assert is_minted_id(name.removesuffix(".md"))


def test_times_are_utc():
    assert timestamp(WHEN) == "2025-04-08T14:32:10Z"
    assert timestamp(datetime(2025, 4, 8)) == "2025-04-08T00:00:00Z"  # noqa: DTZ001 - taken as UTC
    assert (
        run_id("remember", datetime(2026, 11, 21, 10, 15, tzinfo=UTC), "ab12cd")
        == "remember-20261121T101500-ab12cd"
    )
    assert is_minted_id("remember-20261121t101500-ab12cd")


def test_a_taken_name_gets_a_number():
    taken = {"a/b.md", "a/b-2.md", "c"}
    assert free_name("a/b.md", taken.__contains__) == "a/b-3.md"
    assert free_name("c", taken.__contains__) == "c-2"
    assert free_name("d.md", taken.__contains__) == "d.md"


@pytest.mark.parametrize("id_", ["", "A", "-a", "a/b", "a b", "../x", "a" * 97, "ä"])
def test_other_ids_are_not_minted(id_):
    assert not is_minted_id(id_)


@pytest.mark.parametrize("path", ["a.md", "ü/日 本.md", "a/b/c.md", ".gitignore", "C:\\x", "a/" + "x" * 255])
def test_paths_in_the_vault_are_safe(path):
    assert safe_path(path) == path


@pytest.mark.parametrize(
    "path",
    ["", "/a", "a/", "../a", "a/./b", ".git/config", "a/.obsidian/x", "a\nb", "a\0", "x" * 256, "é" * 128],
)
def test_paths_out_of_it_are_refused(path):
    with pytest.raises(InputError):
        safe_path(path)
