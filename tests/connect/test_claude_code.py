"""Lines of Claude Code's transcripts → turns, in the shapes that it writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.capture.host_turns import HostMessage, PendingToolCalls, read_turn
from memoryclaw.connect.hooks import CHARACTERS, WORDS, context_of, post_answer, question_of
from memoryclaw.connect.transcripts import turns_of


def line(kind: str, content: Any, **more: Any) -> str:
    message = {"role": kind, "content": content, **more.pop("message", {})}
    about = {"type": kind, "uuid": "u-1", "timestamp": "2026-04-19T10:00:00.123Z", "sessionId": "other"}
    return json.dumps({**about, "message": message, **more})


def messages(text: str) -> list[HostMessage]:
    """What a line of a transcript becomes on its way to the log."""
    calls = PendingToolCalls()
    read = [read_turn(turn, calls) for turn in turns_of(text, "s")]
    return [
        message
        for message in read
        if message.role != "custom" and (message.content or message.calls or message.tool)
    ]


def test_what_a_person_and_a_model_say_becomes_a_turn_of_the_session_of_the_hook() -> None:
    [asked] = messages(line("user", "Where are the dowels?"))
    assert (asked.session, asked.host_id, asked.ts) == ("s", "u-1", "2026-04-19T10:00:00Z")
    assert (asked.role, asked.content) == ("user", "Where are the dowels?")
    parts = [
        {"type": "text", "text": "Looking."},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
    ]
    [answer] = messages(line("assistant", parts))
    assert (answer.role, answer.content, answer.calls) == (
        "assistant",
        "Looking.",
        (("Bash", {"command": "ls"}),),
    )


def test_results_of_several_tools_in_one_message_are_turns_of_their_own() -> None:
    results = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": f"out {n}"} for n in (1, 2)]
    read = messages(line("user", [*results, {"type": "text", "text": "and go on"}]))
    assert [(turn.host_id, turn.role, turn.result or turn.content) for turn in read] == [
        ("u-1", "tool", "out 1"),
        ("u-1:1", "tool", "out 2"),
        ("u-1:2", "user", "and go on"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        line("user", "Caveat", isMeta=True),
        line("user", "This session is being continued", isCompactSummary=True),
        line("assistant", "I am a subagent", isSidechain=True),
        line("assistant", "API Error", isApiErrorMessage=True),
        line("assistant", "No response requested.", message={"model": "<synthetic>"}),
        line("user", "<system-reminder>\nUse the tool.\n</system-reminder>"),
        line("user", [{"type": "text", "text": "<local-command-stdout>x</local-command-stdout>"}]),
        line("user", "[Request interrupted by user for tool use]"),
        line("user", []),
        line("user", None),
        json.dumps({"type": "summary", "summary": "Dowels", "leafUuid": "u-1"}),
        json.dumps({"type": "file-history-snapshot", "messageId": "m"}),
        "[]",
        "{",
        "",
        "[" * 100_000,
    ],
)
def test_what_the_host_wrote_for_itself_is_no_turn(text: str) -> None:
    assert messages(text) == []


def test_a_line_without_an_id_is_known_by_its_bytes_and_a_false_time_is_no_time() -> None:
    text = json.dumps({"type": "user", "timestamp": "soon", "message": {"content": "hello"}})
    [first], [again] = turns_of(text, "s"), turns_of(text, "s")
    assert first == again
    assert len(first["uuid"]) == 32
    assert "timestamp" not in first


@given(st.recursive(st.none() | st.text(max_size=5) | st.integers(), lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(["type", "message", "content", "text", "user", "uuid"]), x, max_size=4), max_leaves=20))  # fmt: skip
def test_any_line_of_json_is_read_without_a_failure(value: Any) -> None:
    for text in (json.dumps(value), json.dumps({"type": "user", "message": {"content": value}})):
        assert all(turn["session"] == "s" for turn in turns_of(text, "s"))


def test_each_host_is_answered_in_its_own_shape() -> None:
    assert context_of("plain", "x") == {"context": "x"}
    assert context_of("claude-code", "x")["hookSpecificOutput"] == {
        "hookEventName": "UserPromptSubmit",
        "additionalContext": "x",
    }
    assert post_answer("claude-code", {"kept": 1}) == {}
    assert post_answer("plain", {"kept": 1}) == {"kept": 1}


def test_of_a_long_prompt_the_beginning_and_the_end_are_asked() -> None:
    asked = question_of("first " + "filler " * 2000 + "last")
    assert len(asked.split()) == 2 * WORDS
    assert asked.split()[:: 2 * WORDS - 1] == ["first", "last"]
    assert len(question_of("x" * 5000 + " " + "y" * 5000)) == 2 * CHARACTERS + 1
    assert question_of("When is it due?\nSoon") == "When is it due?\nSoon"
