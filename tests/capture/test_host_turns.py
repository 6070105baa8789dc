from __future__ import annotations

import pytest

from memoryclaw.capture.host_turns import RECALLED, HostMessage, PendingToolCalls, read_turn
from memoryclaw.errors import InputError
from memoryclaw.text.prompts import fence_block, item


def read(*messages: object) -> list[HostMessage]:
    calls = PendingToolCalls()
    return [read_turn(message, calls) for message in messages]


def test_a_line_of_our_own_comes_back_as_it_is():
    line = {
        "ts": "2026-03-01T12:00:00Z", "session": "s", "turn": 4, "role": "user", "name": "Nora",
        "content": "Hi",
    }  # fmt: skip
    assert read(line) == [
        HostMessage(ts="2026-03-01T12:00:00Z", session="s", turn="4", role="user", name="Nora", content="Hi")
    ]
    event = {"session": "s", "turn": 5, "tool": "send", "args": {"to": "John"}, "result": "sent", "ok": True}
    assert read(event) == [
        HostMessage(
            session="s", turn="5", role="tool", tool="send", args={"to": "John"}, result="sent", ok=True
        )
    ]


def test_openclaw_names_the_tool_of_a_result_by_the_call_before_it():
    call = {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {"type": "toolCall", "id": "call_1", "name": "exec", "arguments": {"cmd": "ls"}},
        ],
    }
    result = {
        "role": "toolResult",
        "toolCallId": "call1",
        "toolName": "exec",
        "content": [{"type": "text", "text": "a.md"}],
        "isError": True,
        "timestamp": 1712586730000,
    }
    first, second = read(call, result)
    assert (first.content, first.calls) == ("I look.", (("exec", {"cmd": "ls"}),))
    assert (second.tool, second.args, second.result, second.ok, second.ts) == ("exec", {"cmd": "ls"}, "a.md", False, "2024-04-08T14:32:10Z")  # fmt: skip


def test_a_record_of_a_session_file_carries_its_message():
    [said] = read(
        {
            "type": "message",
            "id": "a1b2",
            "timestamp": "2025-04-08T14:32:10.123Z",
            "message": {"role": "user", "content": "Hi"},
        }
    )
    assert (said.host_id, said.ts, said.role, said.content) == ("a1b2", "2025-04-08T14:32:10Z", "user", "Hi")


def test_openai_and_anthropic_and_gemini_speak_of_tools_in_their_own_ways():
    openai = read(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "get", "arguments": '{"q": 1}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c", "content": "found"},
    )
    anthropic = read(
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "get", "input": {"q": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "found"}]},
    )
    gemini = read(
        {"role": "model", "parts": [{"text": "well"}, {"functionCall": {"name": "get", "args": {"q": 1}}}]}
    )
    for first, second in (openai, anthropic):
        assert first.calls == (("get", {"q": 1}),)
        assert (second.role, second.tool, second.args, second.result) == ("tool", "get", {"q": 1}, "found")
    assert (gemini[0].role, gemini[0].content, gemini[0].calls) == ("assistant", "well", (("get", {"q": 1}),))


@pytest.mark.parametrize("tool", ["memory_search", "memoryclaw__memory_get", "vault__memory_recall"])
def test_what_a_tool_read_from_a_memory_is_not_said_once_more(tool):
    [said] = read({"role": "tool", "tool": tool, "args": {"query": "tea"}, "result": "the tea is green"})
    assert (said.args, said.result) == ({"query": "tea"}, RECALLED)


def test_our_own_block_is_removed_from_arguments_and_results_too():
    block = fence_block([("trusted", [item("a", "green tea")])])
    [said] = read(
        {"tool": "write", "args": {"text": f"x {block}"}, "result": [{"type": "text", "text": f"{block} y"}]}
    )
    assert "green tea" not in f"{said.args} {said.result}"


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "not a JSON object"),
        ("hello", "not a JSON object"),
        ({"role": "user"}, "says nothing"),
        ({"content": "x", "ts": "yesterday"}, "not a time"),
        ({"content": "x", "ts": True}, "not a time"),
        ({"content": "x", "turn": "../../etc"}, "cannot be an id"),
        ({"content": "x", "turn": 1.5}, "cannot be an id"),
        ({"content": "x", "turn": {}}, "cannot be an id"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(value, sentence):
    with pytest.raises(InputError, match=sentence):
        read(value)
