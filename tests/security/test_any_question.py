"""A question is made to be slow, to break out of the index's language, or to be huge: it is answered, as words, within its bounds."""

from __future__ import annotations

import os
import random
from datetime import date

import pytest
from conftest import STUDIO, put

from memoryclaw.app import App
from memoryclaw.recall.query import parse
from memoryclaw.recall.search import search

MONDAY = date(2026, 4, 20)

PIECES = [
    "boathouse", "deadline", "'", ";", "--", "/*", "*/", "%", "_", "(", ")", "[", "]", "{", "}", "^", "+",
    "-", "~", "*", "?", ":", "=", "<", ">", "|", "&", "!", "@", "#", "$", ",", ".", "0", "NEAR", "NEAR(a,2)",
    "AND", "OR", "NOT", "tag:", "kind:fact", "since:2025", "until:", "on:2025-02-30", "entity:", "title:x",
    "a*", "*a", "**", "~~", "a~9", "-a", "--", "-", "茶室", "हिन्दी", "ı", "ß", "ﬀ", "ṩ", "';", "drop", "table",
    "units;", "units", "MATCH", "rowid", "body:x", "{body}:y", "^x", "x^2", "%00", "../../etc/passwd", "last",
    "week", "in", "9999", "on", "31.02.2025", "tomorrow",
]  # fmt: skip
PIECES += ['"oak"', '"', '""', "\\", "\x00", "\x1b", "\u202e", "\u200b", "\U0001f469\u200d\U0001f467"]


def question(dice: random.Random) -> str:
    """A heap of syntax, of words, or of letters."""
    kind = dice.random()
    if kind < 0.1:
        return "".join(
            chr(dice.choice((dice.randrange(0x250), dice.randrange(0xD7FF))))
            for _ in range(dice.randint(0, 30))
        )
    if kind < 0.12:
        return dice.choice(PIECES) * dice.randint(1, 6000)
    return dice.choice(("", " ")).join(dice.choices(PIECES, k=dice.randint(0, 30)))


@pytest.fixture(scope="module")
def studio_app(tmp_path_factory: pytest.TempPathFactory) -> App:
    return App(put(tmp_path_factory.mktemp("any") / "vault", STUDIO))


@pytest.mark.parametrize(
    ("count", "seed"),
    [
        (2_000, 17),
        *(pytest.param(20_000, part, marks=pytest.mark.laws) for part in ("one part", "the other")),
    ],
)
def test_no_question_fails_and_each_is_read_within_its_bounds(
    studio_app: App, count: int, seed: int | str
) -> None:
    """Every question is read, and one in twenty is asked of the index too; the laws ask others each time."""
    if isinstance(seed, str):
        seed = int(os.environ.get("MEMORYCLAW_SEED", "0")) or random.SystemRandom().randrange(1 << 30)
        print(f"MEMORYCLAW_SEED={seed}")  # noqa: T201 - shown where it fails
    dice = random.Random(seed)
    studio_app.sync()
    searcher = (
        studio_app._searcher()
    )  # nothing changes meanwhile, so there is no need to look for it each time
    for number in range(count):
        asked = question(dice)
        read = parse(asked, today=MONDAY)
        assert len(read.words) <= 32, asked
        assert len(read.filters) <= 32, asked
        assert len(read.text.encode()) <= 4096, asked
        if number % 20 == 0:
            answer = search(searcher, asked, kind="", limit=3)
            assert all(match.matched for match in answer.matches), asked


@pytest.mark.parametrize(
    ("asked", "notice"),
    [
        ("boathouse " * 1000, "Only the first 4096 bytes of the question were read"),
        (" ".join(f"word{n}" for n in range(40)), "Only the first 32 words of the question were used"),
        (" ".join(f"tag:t{n}" for n in range(40)), "Only the first 32 fields were used"),
    ],
)
def test_what_is_cut_off_is_said(studio_app: App, asked: str, notice: str) -> None:
    assert notice in " ".join(studio_app.search(asked).notices)
