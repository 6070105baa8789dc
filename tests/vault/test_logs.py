from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.frontmatter import split
from memoryclaw.vault.logs import Log, content_text, read_jsonl, read_markdown_log


def jsonl(*values: object) -> Log:
    return read_jsonl(
        "s9", "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values)
    )


def test_without_session_and_turn_the_file_and_the_line_name_it():
    turns = jsonl({"role": "user", "content": "a"}, "", {"role": "assistant", "content": "b"}).turns
    assert [turn.id for turn in turns] == ["log:s9/1", "log:s9/3"]


def test_one_turn_number_used_twice_gives_two_ids():
    turns = jsonl(
        {"session": "s", "turn": 1, "content": "a"}, {"session": "s", "turn": 1, "content": "b"}
    ).turns
    assert [turn.id for turn in turns] == ["log:s/1", "log:s/1~2"]


CONTENTS = [
    ("plain", "plain"),
    ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "one\ntwo"),
    ([{"type": "image", "data": "AAAA"}, "three"], "[image]\nthree"),
    ([{"type": "toolCall", "name": "mail", "arguments": {"to": "Ana"}}], 'mail {"to": "Ana"}'),
    ([{"type": "toolResult", "content": [{"type": "text", "text": "sent"}]}], "sent"),
    (None, ""),
    (7, "7"),
    ({"type": "text", "text": "bare"}, "bare"),
    ({"odd": 1}, '{"odd": 1}'),
]


@pytest.mark.parametrize(("content", "text"), CONTENTS)
def test_every_shape_of_content_becomes_text(content, text):
    assert content_text(content) == text


def test_a_tool_line_tells_what_was_done_and_what_came_of_it():
    turns = jsonl(
        {"role": "tool", "tool": "mail", "args": {"to": "Zoë"}, "result": "sent", "ok": True},
        {"tool": "mail", "args": {}, "result": {"error": "no net"}, "ok": False},
        {
            "role": "toolResult",
            "toolName": "calendar",
            "content": [{"type": "text", "text": "free"}],
            "isError": False,
        },
    ).turns
    assert [turn.role for turn in turns] == ["tool"] * 3
    assert turns[0].text == 'mail {"to": "Zoë"} → sent'
    assert turns[1].text == 'mail {} → {"error": "no net"} (failed)'
    assert turns[2].text == "calendar\nfree"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"role": "user", "content": "half a li', "not JSON"),
        ("[1, 2]", "not a JSON object"),
        ('"text"', "not a JSON object"),
        ("[" * 50_000, "too deeply"),
        ("plain words", "not JSON"),
    ],
)
def test_a_broken_line_is_reported_and_stays_a_turn_of_its_words(line, message):
    log = jsonl({"content": "fine"}, line)
    assert [(p.line, message in p.message) for p in log.problems] == [(2, True)]
    assert log.turns[1].text == line
    assert log.turns[1].role == ""


def test_surrogates_and_nul_spelled_in_json_do_not_reach_the_index():
    turn = jsonl('{"session": "a\\ud83d", "role": "u\\u0000", "content": "x\\ud83dy\\u0000z"}').turns[0]
    assert turn.text == "x\ufffdy\ufffdz"
    (turn.id + turn.role).encode()


def markdown(text: str) -> Log:
    parts = split(text)
    return read_markdown_log("2025-04-08T14-30-00_telegram_raw", parts.meta, parts.body, parts.body_line)


def test_the_seeds_markdown_log_is_read():
    log = markdown(
        "---\ntimestamp: 2025-04-08T14:30:10.000Z\nchannel: telegram\nmetadata:\n  sessionId: abc\n---\n\n"
        "### user (2025-04-08T14:30:00Z)\n\nSend email\n\n### Steps\n\nto John\n\n### assistant (2025-04-08T14:30:05Z)\n\nDone.\n"
    )
    assert [(t.id, t.role, t.ts, t.text, t.line, t.end_line) for t in log.turns] == [
        ("log:abc/1", "user", "2025-04-08T14:30:00Z", "Send email\n\n### Steps\n\nto John", 8, 14),
        ("log:abc/2", "assistant", "2025-04-08T14:30:05Z", "Done.", 16, 18),
    ]


def test_bold_names_begin_turns_where_no_heading_does():
    log = markdown("Intro\n\n**User:** Hello\nthere\n\n**Assistant**: Hi\n")
    assert [(t.role, t.text, t.line) for t in log.turns] == [
        ("", "Intro", 1),
        ("user", "Hello\nthere", 3),
        ("assistant", "Hi", 6),
    ]


def test_a_journal_in_the_logs_is_one_turn():
    assert [(t.id, t.text) for t in markdown("# Today\n\nNothing.\n").turns] == [
        ("log:2025-04-08T14-30-00_telegram_raw/1", "# Today\n\nNothing.")
    ]
    assert markdown("").turns == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["content", "role", "turn", "session", "tool", "args", "result", "type", "text"]),
            inner,
        )
    ),
)


@given(st.lists(JSON, max_size=4))
def test_any_json_is_a_turn(values):
    log = jsonl(*[json.dumps(value) for value in values])
    assert len(log.turns) == len(values)
    assert len({turn.id for turn in log.turns}) == len(values)
