"""Hints that wait: what is whole is due at once, what may still be written a little later, a cookie makes all of it due."""

from __future__ import annotations

from memoryclaw.index.watching import SETTLING, PendingHints
from memoryclaw.vault.watcher import COOKIE, IN_FOLDER, LOST, SAVED, STATE, TOUCHED, Hint


def pending(*hints, at=100.0):
    waiting = PendingHints()
    for hint in hints:
        waiting.note(Hint(*hint), at)
    return waiting


def test_nothing_is_due_when_nothing_happened():
    assert pending().next_at() is None
    assert pending().take(100.0) == (frozenset(), frozenset(), ())


def test_a_saved_file_is_due_at_once():
    hints = pending((SAVED, "a.md"))
    assert hints.next_at() == 100.0
    assert hints.take(100.0).paths == {"a.md"}
    assert hints.next_at() is None


def test_a_touched_file_is_given_a_moment_to_be_closed():
    hints = pending((TOUCHED, "a.md"), (TOUCHED, "a.md"))
    assert hints.next_at() == 100.0 + SETTLING
    assert hints.take(100.0).paths == frozenset()
    assert hints.take(100.0 + SETTLING).paths == {"a.md"}


def test_closing_a_touched_file_makes_it_due():
    assert pending((TOUCHED, "a.md"), (SAVED, "a.md")).take(100.0).paths == {"a.md"}


def test_a_file_that_is_written_all_the_time_is_still_read():
    hints = pending((TOUCHED, "a.md"))
    hints.note(Hint(TOUCHED, "a.md"), 100.0 + SETTLING)
    assert hints.take(100.0 + SETTLING).paths == {"a.md"}


def test_a_cookie_asks_for_everything_that_came_before_it():
    hints = pending((TOUCHED, "a.md"), (IN_FOLDER, "f"), (COOKIE, "1-2"))
    assert hints.is_urgent()
    assert hints.take(100.0) == ({"a.md"}, {"f"}, ("1-2",))
    assert not hints.is_urgent()


def test_what_was_lost_or_taken_away_is_due_at_once_and_forgotten_with_the_rest():
    for hint in ((LOST, "why"), (STATE, ".memoryclaw")):
        hints = pending(hint, (SAVED, "a.md"))
        assert hints.next_at() == 0.0
        hints.forget()
        assert hints.next_at() is None
        assert not hints.lost
        assert not hints.disturbed


def test_a_second_look_does_not_put_off_a_first():
    hints = pending((SAVED, "a.md"))
    hints.look_again(["a.md", "b.md"], 101.0)
    assert hints.take(100.0).paths == {"a.md"}
    assert hints.take(101.0).paths == {"b.md"}


def test_a_cookie_does_not_hurry_a_second_look_but_takes_what_was_saved_since_the_first():
    hints = pending((COOKIE, "1-2"))
    hints.look_again(["a.md", "b.md"], 101.0)
    hints.note(Hint(SAVED, "b.md"), 100.0)
    assert hints.take(100.0).paths == {"b.md"}
    assert hints.next_at() == 101.0
    assert hints.take(101.0).paths == {"a.md"}
    hints.look_again(["a.md"], 102.0)
    hints.forget()
    assert hints.next_at() is None
