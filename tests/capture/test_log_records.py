from __future__ import annotations

import hashlib
import json

import pytest

from memoryclaw.capture.host_turns import PendingToolCalls, read_turn
from memoryclaw.capture.log_records import PAYLOAD, RedactedTurn, file_stem, likeness, line_of, redact_turn
from memoryclaw.text.redaction import Redactor


def keep(value: dict[str, object], key: bytes = b"k") -> RedactedTurn:
    return redact_turn(read_turn({"session": "s", **value}, PendingToolCalls()), Redactor(key))


def test_a_secret_under_a_name_goes_from_calls_arguments_and_results():
    call = keep(
        {
            "role": "assistant",
            "content": [
                {"type": "toolCall", "id": "1", "name": "login", "arguments": {"password": "sunshine"}}
            ],
        }
    )
    event = keep({"tool": "login", "args": {"password": "sunshine"}, "result": '{"password": "sunshine"}'})
    assert "sunshine" not in json.dumps([call.record, event.record])
    assert call.record["content"].startswith('login {"password": "[REDACTED:password:')
    assert event.kinds == ("password", "password")


def test_a_long_payload_is_cut_and_kept_whole_without_its_secrets():
    text = "begin " + "word " * 4000 + "password: hunter2 end"
    turn = keep({"tool": "fetch", "args": {"url": "x", "body": text}, "result": text})
    [(digest, whole)] = turn.artifacts.items()
    assert digest == hashlib.sha256(whole).hexdigest()
    assert whole.decode().startswith("begin word")
    assert b"hunter2" not in whole
    assert b"[REDACTED:password:" in whole
    for cut in (turn.record["result"], turn.record["args"]["body"]):
        assert cut.startswith("begin word")
        assert cut.endswith("end")
        assert f"logs/artifacts/{digest}" in cut
    assert len(line_of(turn.record)) < 3 * PAYLOAD


def test_a_payload_that_is_long_in_many_short_parts_is_cut_too():
    turn = keep({"tool": "list", "result": [{"n": n} for n in range(5000)]})
    assert len(line_of(turn.record)) < 2 * PAYLOAD
    assert len(turn.artifacts) == 1


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"role": "user", "content": "[NOMEM] the surprise"}, "marked [NOMEM]"),
        ({"tool": "send", "args": {"text": "[NOMEM]\nthe surprise"}, "result": "sent"}, "marked [NOMEM]"),
        ({"role": "user", "content": ""}, "nothing that was said"),
        ({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}, "nothing that was said"),
        ({"role": "custom", "customType": "openclaw.x", "content": "x"}, "a note of the host to itself"),
    ],
)
def test_what_must_not_be_kept_leaves_no_record(value, why):
    assert keep(value) == RedactedTurn({}, {}, (), why)


def test_who_may_read_a_turn_is_written_beside_it():
    record = keep({"role": "user", "content": "[PRIVATE] salary [NOEXPORT] <private>12</private>"}).record
    assert (record["audience"], record["export"]) == ("owner", False)
    assert "12" not in record["content"]


def test_the_same_words_are_known_again_under_another_key():
    first, second = (
        keep({"role": "user", "content": "password: hunter2"}, key).record for key in (b"a", b"b")
    )
    assert first != second
    assert likeness(first) == likeness(second)
    assert likeness(first) != likeness(keep({"role": "user", "content": "password: none"}).record)


def test_a_line_is_one_line_whatever_was_said():
    line = line_of(keep({"role": "user", "content": "a\nb\u2028c\x00\ud800 é"}).record)
    assert line.count(b"\n") == 1
    assert json.loads(line)["content"] == "a\nb\u2028c\x00\ufffd é"


def test_a_session_never_becomes_a_path_and_two_never_share_a_file():
    assert file_stem("2026-03-10-evening") == "2026-03-10-evening"
    names = [
        "agent:main:u1",
        "agent/main/u1",
        "../../etc/passwd",
        "Évora",
        "evora ",
        "x" * 300,
        "x" * 301,
        "CON",
        ".",
        "a\nb",
    ]
    stems = [file_stem(name) for name in names]
    assert len(set(stems)) == len(names)
    assert all(stem.replace("-", "").replace("_", "").isalnum() and len(stem) < 100 for stem in stems)
