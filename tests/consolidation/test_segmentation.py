from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.consolidation.planning import cut
from memoryclaw.vault.logs import range_of, read_jsonl, unread

PATH = "logs/2026-03-10/s1.jsonl"


def log(*values: Any) -> tuple[list[bytes], Any]:
    lines = [v if isinstance(v, bytes) else (json.dumps(v) + "\n").encode() for v in values]
    return lines, read_jsonl("s1", b"".join(lines).decode()).turns


def said(minute: int, text: str, **more: Any) -> dict[str, Any]:
    ts = f"2026-03-10T{minute // 60:02}:{minute % 60:02}:00Z"
    return {"ts": ts, "session": "s1", "role": "user", "name": "Nora", "content": text, **more}


def spans(values: Any, **limits: int) -> list[tuple[int, int]]:
    lines, turns = log(*values)
    return [(s.range.first, s.range.last) for s in cut(PATH, lines, turns, **limits)]


def test_a_pause_cuts_and_what_is_close_stays_together() -> None:
    values = [said(0, "One."), said(30, "Two."), said(61, "Three.")]
    assert spans(values) == [(1, 2), (3, 3)]
    assert spans(values, gap=20) == [(1, 1), (2, 2), (3, 3)]


def test_a_new_session_cuts_without_a_pause() -> None:
    assert spans([said(0, "One."), said(1, "Two.", session="s2")]) == [(1, 1), (2, 2)]


def test_lines_that_were_read_already_cut() -> None:
    lines, turns = log(*(said(n, "Something.") for n in range(5)))
    segments = cut(PATH, lines, [t for t in turns if t.line != 3])
    assert [(s.range.first, s.range.last) for s in segments] == [(1, 2), (4, 5)]


def test_blank_lines_are_no_hole() -> None:
    assert spans([said(0, "One."), b"\n", said(1, "Two.")]) == [(1, 3)]


def test_a_question_waits_for_its_answer_across_a_pause() -> None:
    values = [
        said(0, "The mast is up."),
        said(1, "Which rope do we take?"),
        said(120, "The blue one.", name="Pip", role="assistant"),
    ]
    assert spans(values) == [(1, 1), (2, 3)]
    assert spans(values[1:]) == [(1, 2)]


def test_a_question_that_nobody_answered_for_a_day_waits_no_longer() -> None:
    answer = said(0, "Hello.", name="Pip", role="assistant") | {"ts": "2026-03-12T08:00:00Z"}
    assert spans([said(0, "Which rope do we take?"), answer]) == [(1, 1), (2, 2)]


def test_a_long_talk_is_cut_at_its_longest_pause() -> None:
    values = [said(n + (5 if n >= 31 else 0), f"Number {n} is here.") for n in range(50)]
    assert spans(values, longest=40) == [(1, 31), (32, 50)]


def test_a_session_without_a_pause_is_one_segment() -> None:
    assert len(spans([said(n, f"Number {n} is here.") for n in range(120)])) == 1


def test_a_cut_never_parts_a_call_from_what_follows_it() -> None:
    call = {"session": "s1", "role": "tool", "tool": "bake", "args": {}, "result": "ok"}
    values = [said(n, "The loaf is by the oven.") for n in range(60)]
    values[30] = call | {"ts": values[30]["ts"]}
    values[31] = said(31, "The loaf is by the oven.", role="assistant", name="Pip")
    begins = [first for first, _ in spans(values, longest=31)]
    assert len(begins) > 1
    assert not {31, 32} & set(begins)


def test_no_segment_is_longer_than_allowed() -> None:
    values = [said(n // 4, "Where is it?" if n % 2 else f"Number {n} is here.") for n in range(130)]
    segments = spans(values, longest=20)
    assert max(last - first + 1 for first, last in segments) <= 20


def test_days_without_a_time_cut_between_days_only() -> None:
    values = [said(0, "One.") | {"ts": ts} for ts in ("2026-03-10", "2026-03-10T09:00:00Z", "2026-03-11")]
    assert [first for first, _ in spans(values)] == [1, 3]


def test_no_turns_make_no_segments() -> None:
    assert cut(PATH, [], ()) == []


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 50),
            st.sampled_from(("One rope.", "Which?", "", "bread bread", "🙂")),
            st.sampled_from(("user", "assistant", "tool", "")),
        ),
        max_size=60,
    ),
    st.integers(1, 45),
)
def test_segments_hold_every_turn_once_in_order_and_their_ranges_are_read(
    rows: list[tuple[int, str, str]], longest: int
) -> None:
    minute, values = 0, []
    for pause, text, role in rows:
        minute += pause
        values.append(said(minute % 1440, text, role=role))
    lines, turns = log(*values)
    segments = cut(PATH, lines, turns, longest=longest)
    assert [turn for segment in segments for turn in segment.turns] == list(turns)
    assert all(s.range == range_of(PATH, lines, s.range.first, s.range.last) for s in segments)
    assert unread(PATH, lines, [s.range for s in segments]) == []
    assert segments == cut(PATH, lines, turns, longest=longest)
