"""What is said of third persons is filed under them, gives way to what is said later, and waits where two people differ."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import put
from nights import consolidated, said

from memoryclaw.app import App


def after(root: Path, *days: tuple[str, str]) -> App:
    """The vault after some days, of each of which one (speaker, text) is told."""
    put(root, {"Home.md": "# Home\n"})
    for number, (who, text) in enumerate(days, 10):
        day = f"2026-03-{number}"
        put(root, {f"logs/{day}/s.jsonl": said(f"s{number}", [(f"user {who}".strip(), text)], day=day)})
        consolidated(root, now=datetime(2026, 3, number + 1, 3, tzinfo=UTC))
    return App(root, clock=lambda: datetime(2026, 4, 20, tzinfo=UTC))


def standing(app: App, entity: str) -> list[str]:
    return [fact.value for _, fact in app.entity(entity).facts if fact.current]


@pytest.mark.parametrize(
    ("entity", "first", "later"),
    [
        ("Wilma", "Wilma only drinks rice milk", "Wilma only drinks almond milk"),
        ("book club", "the book club meets at Lena's", "the book club meets at Ruth's"),
        ("Lena's bakery", "Lena's bakery closes at 2 on saturdays", "Lena's bakery closes at 4 on saturdays"),
        ("quiz team", "our quiz team is called Quizteama", "our quiz team is called The Brains"),
    ],
)
def test_of_two_values_of_one_thing_the_later_stands_and_of_two_speakers_one_waits(
    tmp_path: Path, entity: str, first: str, later: str
) -> None:
    with after(tmp_path / "one", ("Ann", first), ("Ann", later)) as app:
        assert standing(app, entity) == [later]
        past = [fact for _, fact in app.entity(entity).facts if not fact.current]
        assert [(fact.value, fact.until) for fact in past] == [(first, "2026-03-11")]
    with after(tmp_path / "two", ("Ann", first), ("Ben", later)) as app:
        assert standing(app, entity) == [first]
        assert later in (tmp_path / "two/semantic/_pending.md").read_text()


@pytest.mark.parametrize(
    ("entity", "first", "later"),
    [
        ("Wilma", "Wilma has a cat", "Wilma has a dog"),
        ("Otis", "no lentils when Otis comes over", "no garlic when Otis comes over"),
        ("Otis", "Otis is at the dentist in Ghent", "Otis is at the office in Ghent"),
    ],
)
def test_what_may_hold_beside_the_other_stands_beside_it(
    tmp_path: Path, entity: str, first: str, later: str
) -> None:
    with after(tmp_path / "v", ("", first), ("", later)) as app:
        assert {first, later} <= {*standing(app, entity)}


def test_a_change_ends_what_was_said_of_somebody_else(tmp_path: Path) -> None:
    first, later = "Wilma is responsible for the newsletter", "Otis is responsible for the newsletter now"
    with after(tmp_path / "v", ("", first), ("", later)) as app:
        assert standing(app, "Otis") == [later]
        assert standing(app, "Wilma") == []


def test_what_is_said_of_a_relative_without_a_name_is_its_speakers(tmp_path: Path) -> None:
    days = ("Ann", "my brother has two boats in Leith"), ("Ben", "my brother has three boats in Leith now")
    with after(tmp_path / "v", *days) as app:
        assert standing(app, "Ann") == ["my brother has two boats in Leith"]
        assert standing(app, "Ben") == ["my brother has three boats in Leith now"]


def test_a_relative_is_filed_under_the_name_that_was_told_once(
    tmp_path: Path,
) -> None:
    days = (
        ("", "my brother Pieter works at Shell"),
        ("", "my brother can't stand coriander"),
    )
    with after(tmp_path / "v", *days) as app:
        assert set(standing(app, "Pieter")) == {"Shell", "coriander"}


def test_a_first_name_that_two_people_have_waits_until_one_of_them_is_named(tmp_path: Path) -> None:
    two = ("", "Uma Torres works at Shell. Uma Prieto works at Fugro.")
    with after(tmp_path / "none", two, ("", "Uma is allergic to nuts")) as app:
        assert "Uma" not in {fact.entity for _, fact in app.facts()}
        assert "Uma may be Uma Prieto or Uma Torres" in (tmp_path / "none/semantic/_pending.md").read_text()
    with after(tmp_path / "named", two, ("", "saw Uma Torres today. Uma is allergic to nuts")) as app:
        assert standing(app, "Uma Torres") == ["Shell", "nuts"]
        assert standing(app, "Uma Prieto") == ["Fugro"]
