from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.skills.lint import lint
from memoryclaw.skills.skill_file import read_parameters, read_skill, tools_in

ROOT = Path(__file__).parent.parent.parent
GOOD = """---
name: send-email
description: Sends an email to one person.
triggers: [send an email, mail to]
parameters:
  recipient: {type: email, description: who gets it}
  note: {type: string, optional: true}
steps:
  - look up $recipient in semantic/contacts
  - send $note
---
# Send an email

1. Ask before sending.
"""
PATH = "skills/send-email/SKILL.md"


def lint_of(text, path=PATH):
    return [(problem.line, problem.message) for problem in lint(path, text.encode())]


def test_a_skill_as_it_should_be_has_no_problem():
    assert lint_of(GOOD) == []
    assert lint_of(GOOD, "skills/_drafts/send-email/SKILL.md") == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "vault/skills").rglob("*.*")), ids=lambda path: path.parent.name
)
def test_the_skills_of_the_sample_vault_are_sound(path):
    assert lint(str(path.relative_to(ROOT / "vault")), path.read_bytes()) == []


def test_the_skill_that_ships_is_sound():
    assert lint("skills/memoryclaw/SKILL.md", (ROOT / "skills/memoryclaw/SKILL.md").read_bytes()) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("name: send-email\n", "", 1, "this skill has no name"),
        ("send-email", "Send Email", 2, "'Send Email' is not a name for a skill"),
        ("send-email", "a--b", 2, "'a--b' is not a name for a skill"),
        ("send-email", "a" * 65, 2, f"{'a' * 65!r} is not a name for a skill"),
        ("send-email", "send-mail", 2, "the skill send-mail is in the folder send-email"),
        ("description: Sends an email to one person.\n", "", 1, "this skill has no description"),
        ("Sends an email to one person.", "Sends mail", 3, "'Sends mail' is too short to find the skill by"),
        ("Sends", "Sends " * 200, 3, "this description has 1,223 characters, more than the 1,024 that hosts take"),
        ("[send an email, mail to]", "{a: b}", 4, "triggers are a list of words or phrases"),
        ("[send an email, mail to]", "[[a], b]", 4, "triggers are a list of words or phrases"),
        ("[send an email, mail to]", "", 4, "these triggers are empty"),
        ("mail to]", "to do]", 4, "the trigger 'to do' would match nearly everything"),
        ("type: email", "type: mial", 6, "'mial' is not a parameter type"),
        ("optional: true", "optional: perhaps", 7, "optional: 'perhaps' is neither true nor false"),
        ("send $note", "send $notes", 10, "$notes is not a parameter of this skill"),
        ("Ask before", "Ask\u202e before", 14, "this line holds a character that nobody sees (U+202E)"),
        ("---\n# Send", "# Send", 1, "the header that begins here is never closed"),
        ("triggers: [", "triggers: [[", 5, "this YAML is broken: did not find expected ',' or ']'"),
    ],
)  # fmt: skip
def test_every_problem_is_told_with_its_line_and_a_hint(old, new, line, message):
    text = GOOD.replace(old, new, 1)
    assert (line, message) in lint_of(text)
    assert all(problem.hint and problem.path == PATH for problem in lint(PATH, text.encode()))


def test_a_file_without_a_header_or_without_a_word_says_so():
    assert lint_of("# Send an email\n") == [(1, "this skill has no header")]
    head = "---\nname: send-email\ndescription: Sends one email.\n---\n\n \n"
    assert lint_of(head) == [(5, "this skill does not say what to do")]


def test_emoji_and_right_to_left_words_are_no_problem():
    assert lint_of(GOOD.replace("Ask before", "👩‍🌾 ☀️ مرحبا שלום Ask before")) == []


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"name": "x",\n "steps": [', 2, "broken"),
        ('{"name": "x"}', 1, "no description"),
        ('{"name": "x",\n "description": "does it",\n "parameters": "a"}', 2, "too short"),
        (
            '{"name": "x", "description": "does it all",\n "parameters": {"to": {"type": "mial"}}}',
            2,
            "not a parameter type",
        ),
    ],
)
def test_json_skills_are_linted_too(text, line, message):
    [problem, *_] = lint("skills/x.json", text.encode())
    assert (problem.line, message in problem.message) == (line, True)


def test_a_javascript_skill_is_read_and_never_run():
    good = "export default { name: 'send_email', description: 'Sends an email now' }; throw new Error()"
    assert lint("skills/send_email.js", good.encode()) == []
    assert [p.message for p in lint("skills/x.js", b"x")] == ["no name was found in this skill"]


@pytest.mark.parametrize(
    ("meta", "asked"),
    [
        ({"parameters": {"to": {"type": "email"}, "note": None}}, [("to", "email", False), ("note", "", False)]),
        ({"parameters": ["to", {"name": "note", "optional": "true"}]}, [("to", "", False), ("note", "", True)]),
        ({"Preconditions": {"to": {"optional": "false"}}}, [("to", "", False)]),
        ({"parameters": {"type": "object", "properties": {"to": {"type": "string"}, "cc": {}}, "required": ["to"]}}, [("to", "string", False), ("cc", "", True)]),
        ({"parameters": "to, cc"}, [("to", "", False), ("cc", "", False)]),
        ({}, []),
    ],
)  # fmt: skip
def test_parameters_are_read_in_every_spelling(meta, asked):
    assert [
        (parameter.name, parameter.type, parameter.optional) for parameter in read_parameters(meta)
    ] == asked


def test_tools_come_from_the_header_or_from_steps():
    assert tools_in({"tools": ["a", "b"]}) == ("a", "b")
    assert tools_in({"steps": [{"action": "call_tool", "tool": "x"}, {"action": "ask"}]}) == ("x",)
    assert tools_in({"steps": ["send"], "tools": "a"}) == ()


@given(
    st.binary(max_size=300)
    | st.text(alphabet="-nametrigsdcpo:'\"[]{}`\\/*$ \n", max_size=300).map(str.encode)
)
def test_any_bytes_are_linted(data):
    for path in (PATH, "skills/x.json", "skills/x.js"):
        lint(path, data)
        assert read_skill(path, data).name is not None
