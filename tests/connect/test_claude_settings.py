"""Our hooks in settings.json: put in without touching a byte of the rest, and taken out again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.connect.claude_code import (
    EVENTS,
    command_in,
    with_hooks,
    without_hooks,
)
from memoryclaw.connect.json5 import parse, put, remove, take
from memoryclaw.errors import InputError

COMMAND = "/usr/bin/memoryclaw {} --vault '/home/nora/my vault'"
SETTINGS = """{
    "model": "opus",   "env": { "A" : "1e400", "é": "\\u00e9" },
    "hooks": {
        "Stop": [ { "hooks": [ {"type": "command", "command": "say done"} ] } ],
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}]}
        ]
    },
    "permissions": {"allow": [
    ]}
}
"""


def commands(text: str) -> list[str]:
    groups = [group for event in json.loads(text)["hooks"].values() for group in event]
    return [hook["command"] for group in groups for hook in group["hooks"]]


@pytest.mark.parametrize(
    "text",
    [
        SETTINGS,
        SETTINGS.replace("\n", "\r\n"),
        SETTINGS.replace("    ", "\t"),
        '{"model":"opus"}',
        '{ "hooks": {"Stop": [{"hooks": [{"command": "x"}]}]} }\n\n',
        '{\n  "model": "opus"\n}',
    ],
)
def test_what_was_put_in_is_taken_out_to_the_byte(text: str) -> None:
    installed = with_hooks(text, COMMAND)
    assert without_hooks(installed) == text
    ours = {COMMAND.format(f"hook {verb}") for _, verb, _ in EVENTS}
    assert ours < {*commands(installed), "-"}
    before, after = json.loads(text), json.loads(installed)
    assert {**after, "hooks": before.get("hooks")} == {**before, "hooks": before.get("hooks")}
    assert command_in(installed) == COMMAND
    assert ("\n" in installed) == ("\n" in text)


@pytest.mark.parametrize("text", ["", " \n", "{}", "{\n}\n"])
def test_an_empty_file_becomes_readable_settings(text: str) -> None:
    installed = with_hooks(text, COMMAND)
    assert set(json.loads(installed)) == {"hooks"}
    assert json.loads(without_hooks(installed)) == {}


def test_our_command_is_taken_out_of_a_group_that_holds_another() -> None:
    mixed = '{"hooks": {"Stop": [{"hooks": [{"command": "a/memoryclaw hook post"}, {"command": "say"}]}]}, "x": 1}'
    assert without_hooks(mixed) == '{"hooks": {"Stop": [{"hooks": [{"command": "say"}]}]}, "x": 1}'


@pytest.mark.parametrize(
    "command", ["echo memoryclaw", "mymemoryclaw hook pre", "memoryclaw status", "memoryclaw hook prepare"]
)
def test_commands_of_others_are_left_alone(command: str) -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"command": command}]}]}})
    assert without_hooks(text) == text
    assert command_in(text) == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not valid JSON"),
        ("[]", "something other than"),
        ('{"hooks": []}', "something else"),
        ('{"hooks": {"Stop": {}}}', "something else"),
        ('{"a": 1, "a": 2}', "twice"),
        ('// mine\n{"a": 1}', "not valid JSON"),
    ],
)
def test_what_cannot_be_understood_is_refused_in_one_sentence(text: str, reason: str) -> None:
    for change in (lambda: with_hooks(text, COMMAND), lambda: without_hooks(text)):
        with pytest.raises(InputError, match=reason):
            change()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(min_size=1, max_size=4), values, max_size=4), st.sampled_from([None, 2, "\t"]))
def test_any_object_takes_one_more_part_and_gives_it_back(
    value: dict[str, object], indent: int | str | None
) -> None:
    text = json.dumps(value, indent=indent)
    more, added = put(text, ("\x00new",), {"deep": [1, {"x": "y"}]})
    assert json.loads(more) == {**value, "\x00new": {"deep": [1, {"x": "y"}]}}
    assert take(more, ("\x00new",), added) == text
    root = parse(more)
    assert json.loads(remove(more, root, root.members[-1])) == value
