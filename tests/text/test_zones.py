from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.dates import local, own_offset, zone_of


@pytest.mark.parametrize(
    ("ts", "zone", "there"),
    [
        ("2026-11-25T04:30:00Z", "-08:00", "2026-11-24T20:30:00-08:00"),
        ("2026-11-25T04:30:00Z", "America/Los_Angeles", "2026-11-24T20:30:00-08:00"),
        ("2026-07-01T22:30:00Z", "Europe/Berlin", "2026-07-02T00:30:00+02:00"),
        ("2026-11-25T04:30:00Z", "", "2026-11-25T04:30:00Z"),
        ("2026-11-25T04:30:00Z", "UTC", "2026-11-25T04:30:00Z"),
        ("2026-11-25T04:30:00Z", "Nowhere/Land", "2026-11-25T04:30:00Z"),
        ("2026-11-25", "-08:00", "2026-11-25"),
        ("0001-01-01T00:30:00Z", "-08:00", "0001-01-01T00:30:00Z"),
        ("", "-08:00", ""),
    ],
)
def test_a_moment_has_the_day_of_its_zone(ts: str, zone: str, there: str) -> None:
    assert local(ts, zone) == there


@pytest.mark.parametrize(
    ("ts", "offset"),
    [
        ("2026-11-24T20:30:00-08:00", "-08:00"),
        ("2026-11-24 20:30:00+0530", "+05:30"),
        ("2026-11-24T20:30:00Z", ""),
        ("2026-11-24T20:30:00+00:00", ""),
        ("2026-11-24", ""),
        ("1772699340000", ""),
    ],
)
def test_only_an_offset_that_is_one_says_where_somebody_is(ts: str, offset: str) -> None:
    assert own_offset(ts) == offset


@given(st.text(max_size=40))
def test_whatever_is_called_a_zone_is_one_or_none(name: str) -> None:
    assert local("2026-11-25T04:30:00Z", name)[:8] == "2026-11-"
    zone_of(name)
