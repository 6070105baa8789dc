"""The synthetic set: made from its seed alone, its halves strangers to each other, and recall above a floor in every trap.

`benchmarks/traps.py` measures all of it; here is what fits into two seconds. Floors stand some way below what is measured.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, os.fspath(BENCHMARKS))
import traps  # noqa: E402 - the folder above is what makes it found
from trapset.data import HALVES, Half, half, write  # noqa: E402

from memoryclaw.index.stemming import language  # noqa: E402

HALF_NAMES = ("dev", "test")
EACH = 8  # questions of a vault that are asked here
ENGLISH = language("en")


class Floor(NamedTuple):
    """The least recall@10, and the least share of the evidence in 400 tokens."""

    recall: float
    packed: float


FLOORS = {
    "speaker": Floor(0.6, 0.6),
    "next": Floor(0.5, 0.5),
    "dates": Floor(0.5, 0.5),
    "paraphrase": Floor(0.2, 0.2),
    "twins": Floor(0.9, 0.9),
    "facts": Floor(0.95, 0.95),
    "tags": Floor(0.9, 0.9),
    "language": Floor(0.9, 0.9),
    "cjk": Floor(0.85, 0.85),
}


@pytest.fixture(scope="module", params=HALF_NAMES)
def made(request: pytest.FixtureRequest) -> Half:
    return half(request.param)


def test_the_same_half_is_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write(half("dev", conversations=1), tmp_path / name)
    first, other = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("one", "other")
    )
    assert first == other
    assert {"turns.jsonl", "sessions.jsonl", "questions.jsonl"} <= {path.name for path in first}


def test_all_evidence_is_there_and_every_trap_has_sixty_questions(made: Half) -> None:
    turns = {(turn["conv"], turn["id"]): turn for turn in made.turns}
    for question in made.questions:
        assert all((question["conv"], id_) in turns for id_ in question["evidence"]), question
        assert question["sessions"] == sorted(
            {turns[question["conv"], e]["session"] for e in question["evidence"]}
        )
    counts = dict.fromkeys(traps.CATEGORIES, 0)
    for vault in made.vaults:
        ids = {piece["id"] for piece in vault.pieces}
        assert all({*q["evidence"], *q["not"]} <= ids for q in vault.questions)
    for question in [*made.questions, *(q for vault in made.vaults for q in vault.questions)]:
        counts[question["category"]] += 1
    assert min(counts.values()) >= 60, counts


def test_a_paraphrase_shares_no_word_that_says_something(made: Half) -> None:
    turns = {(turn["conv"], turn["id"]): turn for turn in made.turns}
    for question in made.questions:
        if question["category"] == "paraphrase":
            turn = turns[question["conv"], question["evidence"][0]]
            assert not words_of(question["question"]) & words_of(turn["text"]), (
                question["question"],
                turn["text"],
            )


def words_of(text: str) -> set[str]:
    """The stems of a text that say something."""
    return {ENGLISH.token(word) for word in re.findall(r"[\w']+", text.lower()) if not ENGLISH.is_stop(word)}


def test_the_halves_share_no_person_no_subject_and_no_sentence() -> None:
    (talk, test), (other_talk, other_held) = HALVES["dev"], HALVES["test"]
    for dev, other in ((talk, other_talk), (test, other_held)):
        assert dev.seed != other.seed
        shared = set(texts(dev)) & set(texts(other))
        assert {text for text in shared if len(text.split()) > 3} <= {"the day before yesterday"}
    assert not {name for pair in talk.pairs for name in pair} & {
        name for pair in other_talk.pairs for name in pair
    }
    assert not {act.noun for act in talk.acts} & {act.noun for act in other_talk.acts}
    assert not {*test.entities, *test.fields, *test.people} & {
        *other_held.entities,
        *other_held.fields,
        *other_held.people,
    }
    assert len(talk.acts) >= 40
    assert len(other_talk.acts) >= 40


def texts(value: object) -> list[str]:
    """Every text of a half's words, forms and rows alike."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in texts(part)]
    return [text for part in value for text in texts(part)] if isinstance(value, tuple) else []


@pytest.fixture(scope="module")
def figures() -> traps.Row:
    made = half("dev", conversations=1)
    for vault in made.vaults:
        vault.questions[:] = vault.questions[:: len(vault.questions) // EACH]
    return traps.measure(made)


@pytest.mark.parametrize("category", FLOORS)
def test_recall_stays_above_the_floor_of_every_trap(figures: traps.Row, category: str) -> None:
    ours = figures[category]["ours"]
    assert ours["recall@10"] >= FLOORS[category].recall
    assert ours["in_400"] >= FLOORS[category].packed
    assert ours["clean"] in (None, 1.0)  # no superseded value ever stands in a context


def test_plain_fts5_finds_less(figures: traps.Row) -> None:
    ours, plain = figures["all"]["ours"], figures["all"]["plain_fts5"]
    assert 0.4 <= plain["recall@10"] <= 0.8
    assert plain["recall@5"] < ours["recall@5"] - 0.15
    assert plain["mrr"] < ours["mrr"] - 0.15
