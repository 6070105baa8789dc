"""A preference that comes up on three days: nights read the talk, and one proposal names all its places."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import put
from nights import said

from memoryclaw.app import App


def nights(root: Path, *days: str | tuple[str, ...], speaker: str = "Nora", language: str = "en") -> Path:
    """A vault in which somebody said something on each of some days, each read in its night."""
    put(root, {"memoryclaw.yaml": f"index:\n  language: {language}\n"})
    for number, words in enumerate(days, 1):
        turns = [(f"user {speaker}", text) for text in ([words] if isinstance(words, str) else words)]
        put(
            root,
            {
                f"logs/2026-04-{number:02}/s{number}.jsonl": said(
                    f"s{number}", turns, day=f"2026-04-{number:02}"
                )
            },
        )
        night(root, number)
    return root


def night(root: Path, day: int) -> None:
    with App(root, clock=lambda: datetime(2026, 4, day, 23, tzinfo=UTC)) as app:
        app.consolidate(llm="none")


def waiting(root: Path) -> list[tuple[str, str]]:
    with App(root, clock=lambda: datetime(2026, 4, 28, tzinfo=UTC)) as app:
        return [(item.what, item.why) for item in app.review.list() if item.kind == "habit"]


@pytest.mark.parametrize(
    "days",
    [
        ("keep it short", "short answers please", "please keep your answers short"),
        ("no emojis please", "please stop using emojis", "no emojis"),
        ("no emojis please", "no emojis please", "no emojis please"),
        ("i prefer window seats", "i like a window seat best", "i prefer window seats"),
        ("bitte keine emojis", "keine emojis bitte", "bitte keine emojis mehr"),
    ],
)
def test_three_days_make_one_proposal_with_all_its_places(tmp_path: Path, days: tuple[str, ...]) -> None:
    root = nights(tmp_path / "vault", *days, language="de" if "keine emojis bitte" in days else "en")
    [(what, why)] = waiting(root)
    assert what.startswith("Nora: habit is ")
    assert why == "it was shown on 3 days, from 2026-04-01 to 2026-04-03"
    [file] = (root / "review").glob("habit-*.md")
    quotes = [line for line in file.read_text("utf-8").splitlines() if line.startswith("> ")]
    assert [line[2:12] for line in quotes] == ["2026-04-01", "2026-04-02", "2026-04-03"]
    with App(root, clock=lambda: datetime(2026, 4, 28, tzinfo=UTC)) as app:
        app.review.approve([item for item in app.review.list() if item.kind == "habit"])
        app.sync()
        [fact] = [fact for _, fact in app.catalog.facts("Nora") if fact.field == "habit"]
    assert fact.current
    assert [source.strip()[:10] for source in fact.source.split(",")] == [
        "2026-04-01",
        "2026-04-02",
        "2026-04-03",
    ]
    assert fact.since == "2026-04-01"
    [line] = [
        line
        for line in (root / "semantic/preferences.md").read_text("utf-8").splitlines()
        if line.startswith("- habit")
    ]
    assert line.count("[[2026-04-0") == 3


@pytest.mark.parametrize(
    "days",
    [
        ("keep it short", "short answers please"),  # two days
        (("keep it short", "short answers please", "please keep your answers short"),),  # one day
        ("no emojis please", "please use emojis", "emojis please"),  # not the same wish
        ("keep it short", "no bullets pls", "always in Danish"),
        ("the barn door sticks in wet weather", "the barn door sticks when it is wet", "the barn door sticks in wet weather"),  # no wish
    ],
)  # fmt: skip
def test_what_is_no_habit_is_not_proposed(tmp_path: Path, days: tuple[str, ...]) -> None:
    assert not waiting(nights(tmp_path / "vault", *days))


def test_a_refusal_and_a_yes_are_remembered_whatever_comes_later(tmp_path: Path) -> None:
    for decide in ("reject", "approve"):
        root = nights(
            tmp_path / decide, "keep it short", "short answers please", "please keep your answers short"
        )
        with App(root, clock=lambda: datetime(2026, 4, 4, tzinfo=UTC)) as app:
            getattr(app.review, decide)([item for item in app.review.list() if item.kind == "habit"])
        put(
            root, {"logs/2026-04-05/s5.jsonl": said("s5", [("user Nora", "short answers")], day="2026-04-05")}
        )
        night(root, 5)
        night(root, 6)
        assert not waiting(root)


def test_the_wishes_of_two_people_and_those_with_a_label_are_not_put_together(tmp_path: Path) -> None:
    root = nights(tmp_path / "vault", "keep it short", "short answers please")
    put(
        root,
        {
            "logs/2026-04-03/s3.jsonl": said(
                "s3", [("user Tom", "please keep your answers short")], day="2026-04-03"
            )
        },
    )
    night(root, 3)
    assert not waiting(root)
    labelled = said("s4", [("user Nora", "[PRIVATE] keep your answers short")], day="2026-04-04")
    put(root, {"logs/2026-04-04/s4.jsonl": labelled})
    night(root, 4)
    assert not waiting(root)
