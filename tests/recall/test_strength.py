from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.recall.strength import CITED, HALF_LIVES, HOT, RATED, Strengths, in_words, strength_of
from memoryclaw.vault.ledger import Ledger
from memoryclaw.vault.ledger_usage import LedgerEvents, LedgerUsage, Use, read_events

FIRST = date(2026, 1, 1)


def day(number: int) -> str:
    return (FIRST + timedelta(days=number)).isoformat()


def used(number: int, rating: int = 0, receipt: str = "") -> Use:
    return Use(f"{day(number)}T12:00:00Z", receipt, cited="" if rating else "id", rating=rating)


def replayed(uses: list[Use], days: set[str], today: str, half_life: int) -> float:
    """The same day by day, as a program would that wrote every night what is left."""
    x, now = 0.0, FIRST.isoformat()
    while True:
        for use in uses:
            if use.ts[:10] == now:
                c = {0: 0.6, 1: -0.5, 2: -0.5, 3: 0.4, 4: 0.95, 5: 0.95}[use.rating]
                x = x + c * (1 - x) if c > 0 else x + c * (1 + x)
        if now == today:
            return 2**x
        if now in days:
            x *= 2 ** (-1 / half_life)
        now = (date.fromisoformat(now) + timedelta(days=1)).isoformat()


@given(
    uses=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 5)), max_size=12),
    others=st.sets(st.integers(0, 400), max_size=60),
    today=st.integers(0, 420),
    half_life=st.sampled_from(sorted(set(HALF_LIVES.values()))),
)
def test_the_closed_form_is_what_a_replay_day_by_day_gives(
    uses: list[tuple[int, int]], others: set[int], today: int, half_life: int
) -> None:
    strengths = sorted(used(number, rating) for number, rating in uses)
    days = {day(number) for number in others} | {use.ts[:10] for use in strengths}
    strength = strength_of(strengths, sorted(days), day(today), half_life)
    assert strength.value == pytest.approx(replayed(strengths, days, day(today), half_life), abs=1e-9)
    assert 0.5 <= strength.value <= 2
    if not strength.steps:
        assert strength.value == 1.0
    for before, after in pairwise(strength.steps):
        assert abs(after.faded) <= abs(before.x)


def test_half_of_it_is_left_after_a_half_life_of_days_on_which_the_vault_was_used() -> None:
    days = [day(number) for number in range(0, 60, 2)]  # every other day: thirty of them
    assert strength_of([used(0)], days, day(0), 30).x == CITED
    assert strength_of([used(0)], days, day(60), 30).x == pytest.approx(CITED / 2)
    assert strength_of([used(0)], days, day(4000), 30).x == pytest.approx(CITED / 2), "an idle vault"


def test_what_happens_today_fades_nothing_today() -> None:
    assert strength_of([used(0)], [day(0)], day(5), 30) == strength_of(
        [used(0)], [day(0), day(5)], day(5), 30
    )


def test_a_use_counts_by_its_rating_or_its_citation_and_never_by_both() -> None:
    assert RATED == {1: -0.5, 2: -0.5, 3: 0.4, 4: 0.95, 5: 0.95}
    for rating, credit in RATED.items():
        both = used(0, rating)._replace(cited="words")
        assert strength_of([both], [day(0)], day(0), 30).x == credit
    assert in_words(strength_of([used(0), used(1), used(2, 4)], [], day(9), 30)) == "cited twice, rated 4"
    assert strength_of([used(0)], [], day(0), 30).is_hot is False
    assert strength_of([used(0), used(0)], [], day(0), 30).is_hot
    assert strength_of([used(0, 5)], [], day(0), 30).value > HOT


def test_a_section_is_remembered_with_its_note_and_a_fact_by_itself() -> None:
    lines = [
        b'{"ts": "2026-01-01T00:00:00Z", "event": "rated", "ids": ["a"], "rating": 5}',
        b'{"ts": "2026-01-01T00:00:00Z", "event": "cited", "ids": ["semantic/p"]}',
    ]
    strengths = Strengths(LedgerUsage([read_events(b"\n".join(lines))]), FIRST)
    assert strengths.of("a#Plan", "note").x == strengths.of("a", "note").x == 0.95
    assert strengths.of("a#Plan", "episode").half_life == HALF_LIVES["episode"]
    assert strengths.of("semantic/p#Tam.job", "fact").x == 0
    assert strengths.of("ab", "note").x == 0


def test_what_absorbed_another_has_its_uses_and_one_of_both_counts_once() -> None:
    receipt = "r-20260101t000000-abc123"
    lines = [
        f'{{"ts": "2026-01-01T00:00:01Z", "event": "cited", "receipt": "{receipt}", "ids": ["old", "new"]}}',
        f'{{"ts": "2026-01-02T00:00:01Z", "event": "rated", "receipt": "{receipt}", "ids": ["old"], "rating": 3}}',
        '{"ts": "2026-01-03T00:00:00Z", "event": "cited", "ids": ["older"]}',
    ]
    record = LedgerUsage([read_events("\n".join(lines).encode())])
    merged = Strengths(record, date(2026, 1, 3), {"old": "new", "older": "old"})
    assert [step.credit for step in merged.of("new", "note").steps] == [0.4, 0.6]
    assert merged.of("old", "note").x == 0
    assert Strengths(record, FIRST, {"a": "b", "b": "a"}).of("new", "note").x == 0.6


@given(st.randoms(use_true_random=False))
def test_neither_the_order_of_files_nor_the_device_changes_a_strength(random_: random.Random) -> None:
    events = [
        f'{{"ts": "2026-0{1 + n % 3}-1{n % 7}T00:00:00Z", "event": "rated", "ids": ["a"], "rating": {1 + n % 5}}}'
        for n in range(20)
    ]
    whole = Strengths(LedgerUsage([read_events("\n".join(events).encode())]), date(2026, 4, 1)).of(
        "a", "fact"
    )
    random_.shuffle(events)
    cut = random_.randint(0, len(events))
    parts: list[LedgerEvents] = [
        read_events("\n".join(some).encode()) for some in (events[:cut], events[cut:])
    ]
    assert Strengths(LedgerUsage(parts), date(2026, 4, 1)).of("a", "fact") == whole


def test_exposure_never_counts(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    for number in range(50):
        now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
        ledger.append("shown", {"receipt": f"r-{number}", "mode": "recall", "ids": ["a"]}, now)
        ledger.append("shown", {"mode": "get", "session": "s", "ids": ["a"]}, now)
    assert not ledger.record().uses
    assert Strengths(ledger.record(), date(2026, 3, 1)).of("a", "fact").value == 1.0
