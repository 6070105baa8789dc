"""No value that a program may write makes the readers of exports stumble, and what they read is always a turn or a memory."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest
from exports import MEM0, boat_chat, claude_files
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.capture.host_turns import PendingToolCalls, read_turn
from memoryclaw.connect import chatgpt, claude, mem0
from memoryclaw.connect.sources import HostConversation, Item, Memory
from memoryclaw.errors import InputError

KEYS = st.sampled_from(
    [
        "mapping", "current_node", "message", "id", "parent", "children", "content", "parts", "content_type",
        "text", "author", "role", "recipient", "metadata", "create_time", "title", "chat_messages", "uuid",
        "sender", "attachments", "extracted_content", "file_name", "files", "type", "name", "input",
        "conversations_memory", "project_memories", "docs", "prompt_template", "description", "filename",
        "results", "memory", "user_id", "categories", "created_at", "attachments",
        "user_context_message_data",
    ]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.sampled_from(["a", "b", "", "user", "assistant", "tool", "text", "bio", "\ud800"]) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.sampled_from("ab"), inner, max_size=8),
    max_leaves=30,
)  # fmt: skip


def check(items: list[Item]) -> None:
    for conversation in [item for item in items if isinstance(item, HostConversation)]:
        for turn in conversation.turns:
            json.dumps(turn)
            try:
                said = read_turn(turn, PendingToolCalls())
            except InputError:
                continue  # told as a problem, and the other turns come
            assert said.session == conversation.session
    memories = [item for item in items if isinstance(item, Memory)]
    assert all(memory.text.strip() and isinstance(memory.text, str) for memory in memories)


@given(st.sampled_from([chatgpt, claude, mem0]), VALUES)
def test_any_value_is_read_or_passed_over(program: ModuleType, value: Any) -> None:
    check(list(program.read_value(value, "x.json")))


@given(
    st.data(),
    st.sampled_from(
        [
            (chatgpt, boat_chat()),
            (claude, claude_files()["conversations.json"][0]),
            (claude, claude_files()["projects.json"][0]),
            (mem0, MEM0),
        ]
    ),
    VALUES,
)
def test_a_real_export_with_one_odd_value_is_read(
    data: st.DataObject, export: tuple[ModuleType, Any], value: Any
) -> None:
    program, whole = export[0], json.loads(json.dumps(export[1]))
    place = whole
    for _ in range(data.draw(st.integers(0, 5))):
        inner = [
            key
            for key, value in (place.items() if isinstance(place, dict) else enumerate(place))
            if isinstance(value, dict | list) and value
        ]
        if not inner:
            break
        place = place[data.draw(st.sampled_from(inner))]
    place[data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))] = value
    check(list(program.read_value(whole, "x.json")))


@pytest.mark.parametrize(
    ("program", "export"), [(chatgpt, boat_chat()), (claude, claude_files()["conversations.json"][0])]
)
def test_conversations_may_stand_in_an_object(program: ModuleType, export: Any) -> None:
    inside = list(program.read_value({"conversations": [export]}, "x.json"))
    assert inside == list(program.read_value(export, "x.json"))
    assert any(isinstance(item, HostConversation) for item in inside)


def test_a_time_that_no_clock_has_is_no_end_of_the_path() -> None:
    value = {"mapping": {"a": {"message": {"create_time": 10**400}}, "b": {}}, "id": "c"}
    assert [type(item) for item in chatgpt.read_value(value, "x.json")] == [HostConversation]
