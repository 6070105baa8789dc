from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.vault.notes import read_javascript_skill, read_json_skill, read_markdown_skill

SEED_JSON = """{
  "name": "send_email",
  "triggers": ["send email", "email"],
  "preconditions": {"recipient": {"type": "email"}, "subject": {"type": "string", "optional": false}},
  "steps": [{"action": "call_tool", "tool": "email_api", "params": {"to": "$recipient"}}]
}"""
SEED_JS = """// name: 'not_this'
/* description: "nor this" */
export default {
  name: 'send_email',
  description: "Sends it's mail: \\"now\\"",
  triggers: ['send email', "e-mail"],
  async run(params, context) { const url = 'https://x.org'; return { name: 'other' }; }
};"""


def test_the_seeds_json_skill_is_read():
    skill = read_json_skill(SEED_JSON)
    assert (skill.name, skill.triggers, skill.parameters) == (
        "send_email",
        ("send email", "email"),
        "recipient, subject",
    )
    assert "email_api" in skill.steps
    assert skill.problems == ()


def test_the_seeds_javascript_skill_is_scanned_without_its_comments():
    skill = read_javascript_skill(SEED_JS)
    assert (skill.name, skill.triggers) == ("send_email", ("send email", "e-mail"))
    assert skill.description == 'Sends it\'s mail: "now"'
    assert skill.problems == ()


def test_a_markdown_skill_needs_a_name_and_a_description():
    meta = {
        "name": "x",
        "description": "does y",
        "parameters": [{"name": "date", "type": "date"}, "note"],
        "triggers": "a, b",
    }
    skill = read_markdown_skill(meta)
    assert (skill.triggers, skill.parameters, skill.problems) == (("a", "b"), "date, note", ())
    assert "no name and no description" in read_markdown_skill({}).problems[0].message


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"name": "x",\n "steps": [}', 2, "broken"),
        ("[1]", 1, "not a skill"),
        ('{"steps": []}', 1, "no name"),
        ("[" * 100_000, 1, "too deeply"),
        ('{"name": "x", "a": ' + "[" * 900 + "]" * 900 + "}", 1, ""),
        ("", 1, "broken"),
    ],
)
def test_a_json_skill_that_cannot_be_used_says_why(text, line, message):
    problems = read_json_skill(text).problems
    assert [(p.line, message in p.message) for p in problems] == ([(line, True)] if message else [])


def test_surrogates_spelled_in_json_do_not_reach_the_index():
    read_json_skill('{"name": "a\\ud83d", "description": "\\ud800"}').searched.encode()


WORD = st.text("abc XYZ(){};.$", min_size=1, max_size=20).filter(str.strip)
JUNK = st.text("nametrigsdcpo:'\"[]`\\/*{} \n")
CALLS = "require('fs').writeFileSync(process.env.OUT, 'ran'); eval('1'); fetch(`https://x.org/${name}`);"


@given(WORD, WORD, st.lists(WORD, min_size=1, max_size=3), st.sampled_from("'\"`"), JUNK)
def test_any_javascript_is_scanned(name, description, triggers, quote, junk):
    values = ", ".join(f"{quote}{trigger}{quote}" for trigger in triggers)
    text = f"""{CALLS}
// name: 'a comment'
export default {{ name: {quote}{name}{quote}, description: {quote}{description}{quote}, triggers: [{values}],
  async run() {{ {CALLS} }} }};
{junk}"""
    skill = read_javascript_skill(text)
    said = [" ".join(text.split()) for text in (name, description)]
    assert [skill.name, skill.description, skill.problems] == [*said, ()]
    assert list(skill.triggers) == list(dict.fromkeys(trigger.strip() for trigger in triggers))


@given(JUNK)
def test_what_is_no_javascript_says_that_it_has_no_name(junk):
    skill = read_javascript_skill(junk)
    assert bool(skill.name) != bool(skill.problems)
    assert bare(skill.name) in bare(junk)


def bare(text):
    return "".join(text.replace("\\", "").split())


def test_no_javascript_is_run(tmp_path):
    left, script = (
        tmp_path / "left",
        "import sys; from memoryclaw.vault.notes import read_javascript_skill as read\n",
    )
    audit = """
def watch(event, args):
    if event in ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork", "socket.connect", "exec", "compile"):
        raise SystemExit(f"{event} {args}")
sys.addaudithook(watch)
"""
    text = f"require('fs').writeFileSync({str(left)!r}, 'ran'); name: 'x', description: `${{1 + 1}}`"
    done = subprocess.run(
        [sys.executable, "-c", f"{script}{audit}print(read({text!r}).description)"], capture_output=True, encoding="utf-8", check=False
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "${1 + 1}\n", "")
    assert not left.exists()
