from __future__ import annotations

import json

from memoryclaw.capture.host_turns import PendingToolCalls, read_turn
from memoryclaw.capture.log_records import line_of, redact_turn
from memoryclaw.consolidation.changes import ToolSequence
from memoryclaw.consolidation.exchanges import Call, calls_in, sessions, steps, stretches, tool_sequences
from memoryclaw.text.redaction import Redactor
from memoryclaw.vault.logs import LogRange, range_of

RANGE = LogRange("logs/2026-03-10/kitchen.jsonl", 1, 9, "0123456789abcdef")


def lines(*values):
    return [value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n" for value in values]


def calls(*values):
    logged = lines(*values)
    return calls_in(logged, 1, len(logged))


def test_tool_events_are_calls_with_the_users_words_before_them():
    read = calls(
        {"session": "s", "role": "user", "content": "Send the plan\nto Mette"},
        {
            "session": "s",
            "role": "tool",
            "tool": "send",
            "args": {"to": "Mette"},
            "result": "sent",
            "ok": True,
        },
    )
    assert read == [Call("s", 2, "send", {"to": "Mette"}, ok=True, said="Send the plan to Mette")]


def test_only_the_lines_of_the_stretch_count():
    logged = lines(*({"session": "s", "tool": f"t{n}"} for n in range(5)))
    assert [call.tool for call in calls_in(logged, 2, 3)] == ["t1", "t2"]
    assert calls_in(logged, 4, 99)[-1].tool == "t4"


def test_a_call_that_capture_wrote_into_a_message_is_told_once():
    """The host's assistant calls a tool in one message and gets the result in another; the log holds both."""
    messages = [
        {"role": "assistant", "content": [{"type": "text", "text": "I do."}, {"type": "tool_use", "id": "c1", "name": "send", "input": {"to": "Mette"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "sent"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c2", "name": "wait", "input": {"for": "it"}}]},
    ]  # fmt: skip
    waiting, redactor = PendingToolCalls(), Redactor(b"k" * 32)
    logged = [line_of(redact_turn(read_turn(message, waiting), redactor).record) for message in messages]
    read = calls_in(logged, 1, 3)
    assert [(call.line, call.tool, dict(call.args)) for call in read] == [
        (2, "send", {"to": "Mette"}),
        (3, "wait", {"for": "it"}),
    ]


def test_calls_inside_a_message_as_hosts_send_it_are_read():
    part = {"type": "toolCall", "name": "send", "arguments": '{"to": "Mette"}'}
    assert [(c.tool, c.args) for c in calls({"role": "assistant", "content": [part]})] == [
        ("send", {"to": "Mette"})
    ]


def test_words_that_look_like_a_call_count_only_where_an_assistant_says_them():
    said = 'send {"to": "Mette"}'
    assert calls({"role": "user", "content": said}, {"role": "system", "content": said}) == []
    assert calls({"role": "assistant", "content": f"I will {said} now"}) == []
    assert calls({"role": "assistant", "content": "send {no json}"}) == []
    assert len(calls({"role": "assistant", "content": said})) == 1


def test_lines_that_are_no_objects_are_passed_over():
    assert calls(
        b"{torn", b"[1]\n", b"\xff\xfe\n", {"tool": 7}, b"[" * 5000, {"tool": "x", "args": "{torn"}
    ) == [Call("", 6, "x")]


def test_failed_calls_and_the_memorys_own_tools_are_no_steps_and_repeats_are_one():
    read = [
        Call("s", n, tool, ok=ok)
        for n, (tool, ok) in enumerate(
            [("memory_search", True), ("a", False), ("b", True), ("b", None), ("mcp__memoryclaw__memory_get", None), ("b", True), ("a", True)]
        )
    ]  # fmt: skip
    assert [(step.line, step.tool) for step in steps(read)] == [(2, "b"), (6, "a")]


def test_each_session_of_a_stretch_is_told_by_itself_and_the_file_names_one_that_has_no_name():
    read = [Call("one", 1, "a"), Call("", 2, "b"), Call("one", 3, "c"), Call("two", 4, "d", ok=False)]
    assert tool_sequences(read, RANGE) == [
        ToolSequence("one", str(RANGE), ("a", "c")),
        ToolSequence("kitchen", str(RANGE), ("b",)),
    ]


def test_stretches_of_a_session_are_joined_in_the_order_of_the_log():
    text = [b"x\n"] * 40
    parts = [
        ToolSequence("s", str(range_of("logs/2026-03-11/s.jsonl", text, 1, 4)), ("d",)),
        ToolSequence("s", str(range_of("logs/2026-03-10/s.jsonl", text, 11, 20)), ("b", "c")),
        ToolSequence("s", str(range_of("logs/2026-03-10/s.jsonl", text, 2, 10)), ("a", "b")),
        ToolSequence("t", str(range_of("logs/2026-03-10/t.jsonl", text, 1, 2)), ("z",)),
    ]
    assert sessions(parts) == {"s": ("a", "b", "c", "d"), "t": ("z",)}


def test_a_stretch_that_was_read_again_counts_once():
    text = [b"x\n"] * 40
    whole = ToolSequence("s", str(range_of("logs/2026-03-10/s.jsonl", text, 1, 20)), ("a", "b"))
    part = ToolSequence("s", str(range_of("logs/2026-03-10/s.jsonl", text, 5, 9)), ("a",))
    assert stretches([part, whole, whole]) == {"s": [whole]}
