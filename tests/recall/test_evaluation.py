"""The figures of a ranking, and what a bootstrap says of a change."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memoryclaw.recall.evaluation import mean, ndcg, recall_at, reciprocal_rank, share

sys.path.insert(0, os.fspath(Path(__file__).parents[2] / "benchmarks"))
from bootstrap import Interval, paired_bootstrap


def test_recall_is_the_share_of_what_is_wanted_among_the_first() -> None:
    assert recall_at(["a", "b", "c"], {"b", "c", "d"}, 2) == pytest.approx(1 / 3)
    assert recall_at(["a", "b", "c"], {"b", "c"}, 3) == share("abc", "bc") == 1.0
    assert recall_at([], {"b"}, 10) == 0.0
    assert share([], []) == 1.0


def test_early_hits_count_for_more() -> None:
    assert ndcg(["a", "x"], {"a"}) == 1.0
    assert ndcg(["x", "a"], {"a"}) == pytest.approx(0.6309, abs=1e-4)
    assert ndcg(["a", "x", "b"], {"a", "b"}) == pytest.approx(1.5 / 1.6309, abs=1e-4)
    assert ndcg(["x"] * 10 + ["a"], {"a"}) == 0.0
    assert reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"], {"a"}) == 0.0


def test_a_bootstrap_is_certain_of_a_gain_everywhere_and_not_of_noise() -> None:
    before = [0.0, 1.0] * 50
    everywhere = paired_bootstrap(before, [value + 0.5 for value in before], resamples=200)
    assert everywhere == Interval(0.5, 0.5, 0.5)
    assert everywhere.certain
    noise = paired_bootstrap(before, before[::-1], resamples=200)
    assert noise.low < 0 < noise.high
    assert not noise.certain


def test_the_same_numbers_give_the_same_interval_on_every_machine() -> None:
    before, after = [n % 3 / 2 for n in range(60)], [n % 5 / 4 for n in range(60)]
    assert paired_bootstrap(before, after, resamples=500) == paired_bootstrap(before, after, resamples=500)
    interval = paired_bootstrap(before, after, resamples=500)
    assert (round(interval.gain, 6), round(interval.low, 6), round(interval.high, 6)) == (
        0.0,
        -0.129167,
        0.141667,
    )


def test_what_cannot_be_paired_is_refused() -> None:
    with pytest.raises(ValueError, match="2 values cannot be paired with 1"):
        paired_bootstrap([1.0, 0.0], [1.0])
    assert mean([]) == 0.0
