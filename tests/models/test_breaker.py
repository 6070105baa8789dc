from __future__ import annotations

from memoryclaw.models.llm import PAUSE, Breaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_it_opens_after_two_failures_in_a_row():
    breaker = Breaker(Clock())
    breaker.failed("slow")
    assert breaker.open_for() == ""
    breaker.worked()
    breaker.failed("slow")
    assert breaker.open_for() == ""
    breaker.failed("hung")
    assert breaker.open_for() == "hung"


def test_after_a_pause_one_try_decides():
    clock = Clock()
    breaker = Breaker(clock)
    breaker.failed("slow")
    breaker.failed("slow")
    clock.now += PAUSE - 0.1
    assert breaker.open_for() == "slow"
    clock.now += 0.1
    assert breaker.open_for() == ""
    breaker.failed("slow again")
    assert breaker.open_for() == "slow again"
    clock.now += PAUSE
    breaker.worked()
    breaker.failed("once")
    assert breaker.open_for() == ""


def test_a_lasting_failure_opens_it_for_good():
    clock = Clock()
    breaker = Breaker(clock)
    breaker.failed("nobody there", lasting=True)
    clock.now += 1e9
    assert breaker.open_for() == "nobody there"
