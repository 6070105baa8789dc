"""skills run: an approved skill is carried out over real MCP servers, seen by what they wrote down; anything else does nothing."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import put

from memoryclaw.app import App, open_vault
from memoryclaw.errors import ConfigError, InputError

SERVERS = Path(__file__).parent.parent / "servers"
INJECTIONS = (SERVERS.parent / "injections.txt").read_text(encoding="utf-8").splitlines()
MAIL = """---
name: send-email
description: Sends an email to one person.
parameters:
  recipient: {type: email, source: semantic or user}
  subject: {type: string}
  count: {type: integer, optional: true}
steps:
  - {tool: note, args: {text: "To $recipient: {{subject}}", count: $count}}
---
Sends it.
"""
JSON = {
    "name": "tell",
    "description": "Tells somebody a thing or two.",
    "preconditions": {"who": {"type": "entity"}, "email": {"type": "email", "source": "semantic"}},
    "steps": [
        {"action": "call_tool", "tool": "find", "params": {"name": "$who"}, "id": "found"},
        {"action": "call_tool", "tool": "note", "params": {"text": "$found.mail", "count": "$found.id"}},
        {"action": "call_tool", "tool": "plain.note", "params": {"text": "$email"}},
    ],
}
FACTS = (
    "# Contacts\n\n# John\n- email: john@example.com\n\n# Nora Lind\n- email: nora@example.org\n- phone: 12\n"
)
FILES = {
    "skills/send-email/SKILL.md": MAIL,
    "skills/tell.json": json.dumps(JSON),
    "skills/script.js": "export default {name: 'script', description: 'Does it all by itself.', triggers: ['whole thing']}",
    "semantic/contacts.md": FACTS,
}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return tmp_path / "calls"


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of the user's own: no vault names servers."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def app(tmp_path: Path, book: Path) -> App:
    return vault(tmp_path, book, FILES)


def vault(tmp_path, book, files, extra=""):
    command = f"command: {sys.executable}, args: [{SERVERS / 'plaintools.py'}, {book}]"
    settings = f"mcp:\n  toolTimeout: 60\n  servers:\n    plain: {{{command}}}\n{extra}"
    put(tmp_path, {"config/memoryclaw/config.yaml": settings})
    return open_vault(put(tmp_path / "vault", files))


def skill(tmp_path, book, steps, parameters="{}"):
    text = f"---\nname: it\ndescription: Does the one thing.\nparameters: {parameters}\nsteps:\n{steps}---\nIt.\n"
    app = vault(tmp_path, book, {**FILES, "skills/it/SKILL.md": text})
    app.skills.approve("it")
    return app


def calls(book):
    return [json.loads(line) for line in book.read_text().splitlines()] if book.exists() else []


def logged(app):
    lines = [
        line for path in sorted(app.root.glob("logs/*/*.jsonl")) for line in path.read_text().splitlines()
    ]
    return [json.loads(line) for line in lines]


def used(app):
    return [
        json.loads(line)
        for path in app.root.glob("ledger/*/*.jsonl")
        for line in path.read_text().splitlines()
    ]


def test_a_dry_run_shows_each_call_and_makes_none(app, book):
    app.skills.approve("send-email")
    done = app.skills.run("send-email", {"recipient": "ann@example.com", "subject": "Tea"})
    [step] = done.steps
    assert (step.tool, step.host, step.state) == ("note", "mcp:plain", "planned")
    assert step.args == {"text": "To ann@example.com: Tea"}
    assert (done.ok, done.applied, calls(book), logged(app), used(app)) == (True, False, [], [], [])


def test_an_applied_run_calls_logs_and_records(app, book):
    app.skills.approve("send-email")
    values = {"recipient": "ann@example.com", "subject": "Tea", "count": "3"}
    done = app.skills.run("send-email", values, apply=True, session="s1")
    assert calls(book) == [["note", {"text": "To ann@example.com: Tea", "count": 3}]]
    assert [(step.state, step.result) for step in done.steps] == [("done", "noted To ann@example.com: Tea")]
    event, outcome = logged(app)
    assert (event["session"], event["tool"], event["ok"], event["args"]) == (
        "s1", "note", True, calls(book)[0][1],
    )  # fmt: skip
    assert outcome["content"] == "Ran the skill send-email: 1 of 1 steps done."
    [ran] = used(app)
    assert (ran["event"], ran["ok"], ran["done"], ran["digest"]) == ("ran", True, 1, done.digest)
    assert app.skills.show("send-email").listed.outcomes.rate == 1


def test_the_form_of_the_seed_runs_and_steps_use_the_results_of_earlier_ones(app, book):
    app.skills.approve("tell")
    done = app.skills.run("tell", {"who": "John"}, apply=True)
    assert done.ok
    assert calls(book) == [
        ["find", {"name": "John"}],
        ["note", {"text": "John@example.com", "count": 7}],
        ["note", {"text": "john@example.com"}],
    ]
    assert {value.name: value.source for value in done.values}["email"].endswith("#John.email")


def test_a_person_stands_for_an_address(app):
    app.skills.approve("send-email")
    [step] = app.skills.run("send-email", {"recipient": "Nora Lind", "subject": "Hi"}).steps
    assert step.args["text"] == "To nora@example.org: Hi"
    with pytest.raises(InputError, match="recipient must be an address such as"):
        app.skills.run("send-email", {"recipient": "Nobody", "subject": "Hi"})


def test_what_is_missing_is_named_or_asked_for(app):
    app.skills.approve("send-email")
    with pytest.raises(
        InputError, match="needs recipient and subject; say --param recipient=… --param subject=…"
    ):
        app.skills.run("send-email", {})
    answers = {"recipient": "John", "subject": "Tea"}
    done = app.skills.run("send-email", {}, ask=lambda need: answers[need.name])
    assert done.steps[0].args["text"] == "To john@example.com: Tea"
    with pytest.raises(InputError, match="did you mean subject"):
        app.skills.run("send-email", {"subjekt": "x"})


def test_only_the_approved_bytes_run(app, book):
    with pytest.raises(InputError, match=r"is not approved, so it is not run; .*skills approve send-email"):
        app.skills.run("send-email", {"recipient": "a@b.cd", "subject": "x"}, apply=True)
    app.skills.approve("send-email")
    path = app.root / "skills/send-email/SKILL.md"
    path.write_text(MAIL.replace("To $recipient", "Tp $recipient"))
    with pytest.raises(InputError, match="was changed since it was approved, so it is not run"):
        app.skills.run("send-email", {"recipient": "a@b.cd", "subject": "x"}, apply=True)
    path.write_text(MAIL.replace("name: send-email", "name: send-email\nstatus: approved"))
    with pytest.raises(InputError, match="not run"):
        app.skills.run("send-email", {"recipient": "a@b.cd", "subject": "x"}, apply=True)
    assert (calls(book), logged(app)) == ([], [])


def test_a_line_that_is_proposed_can_be_pasted_whatever_the_skill_is_called(tmp_path, book):
    app = vault(tmp_path, book, {"skills/x/SKILL.md": MAIL.replace("send-email", "x; rm -rf ~", 1)})
    with pytest.raises(InputError, match=r"`memoryclaw skills show 'x; rm -rf ~'`"):
        app.skills.run("x", {})


def test_it_stops_at_the_first_failure(tmp_path, book):
    steps = "".join(
        f"  - {{tool: {tool}, args: {{text: {word}}}}}\n"
        for tool, word in (("note", "a"), ("fail", "b"), ("note", "c"))
    )
    app = skill(tmp_path, book, steps)
    done = app.skills.run("it", {}, apply=True)
    assert [step.state for step in done.steps] == ["done", "failed", "not run"]
    assert (done.ok, done.steps[1].error) == (False, "no: b")
    assert [call[0] for call in calls(book)] == ["note", "fail"]
    assert [line.get("ok") for line in logged(app)] == [True, False, None]
    assert logged(app)[-1]["content"] == "Ran the skill it: 1 of 3 steps done; step 2 failed."
    assert (used(app)[0]["ok"], used(app)[0]["done"]) == (False, 1)


def hurried(app):
    """What the skill `it` does where the server gets the least time in which it starts: on most machines a second."""
    settings = app.root.parent / "config/memoryclaw/config.yaml"
    patient = settings.read_text()
    for seconds in (1, 4, 16):
        settings.write_text(patient.replace("toolTimeout: 60", f"toolTimeout: {seconds}"))
        with open_vault(app.root) as again, contextlib.suppress(InputError):
            return again.skills.run("it", {}, apply=True)
    settings.write_text(patient)
    with open_vault(app.root) as again:
        return again.skills.run("it", {}, apply=True)


@pytest.mark.parametrize(
    ("tool", "words"), [("die", "the MCP server plain failed"), ("hang", "took too long")]
)
def test_a_server_that_dies_or_hangs_is_a_failed_step(tmp_path, book, tool, words):
    app = skill(tmp_path, book, f"  - {{tool: {tool}}}\n  - {{tool: note, args: {{text: c}}}}\n")
    done = hurried(app)
    assert [step.state for step in done.steps] == ["failed", "not run"]
    assert words in done.steps[0].error or "timed out" in done.steps[0].error.lower()
    assert [call[0] for call in calls(book)] == [tool]


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ("  - {tool: note, args: {text: a}}\n  - {tool: nope}\n", "no tool is called 'nope'"),
        ("  - {tool: note, args: {text: a}}\n  - {tool: plain.nite}\n", "did you mean note"),
        ("  - {tool: note, args: {text: a}}\n  - {tool: note, args: {count: 1}}\n", "'text' is a required property"),
        ("  - {tool: note, args: {text: a}}\n  - {tool: note, args: {text: a, count: many}}\n", "is not of type 'integer'"),
        ("  - {tool: note, args: {text: a}}\n  - {tool: note, args: {text: a, other: 1}}\n", "'other' was unexpected"),
    ],
)  # fmt: skip
def test_what_would_fail_is_found_before_the_first_step(tmp_path, book, steps, words):
    app = skill(tmp_path, book, steps)
    with pytest.raises(InputError, match=r"step 2 .*nothing was done") as error:
        app.skills.run("it", {}, apply=True)
    assert words in str(error.value)
    done = app.skills.run("it", {})
    assert (done.ok, words in done.steps[1].error) == (False, True)
    assert (calls(book), logged(app)) == ([], [])


def test_what_a_value_says_is_never_obeyed(tmp_path, book):
    """A value that looks like a step, a template or an order is a text, in one argument, of one call."""
    texts = [
        *INJECTIONS, "$other", "{{other}}", "${other}", "{other}", "$$", "steps: [{tool: die}]",
        '"}, {"tool": "die"',
    ]  # fmt: skip
    app = skill(
        tmp_path,
        book,
        "  - {tool: note, args: {text: '$words|$other'}}\n",
        "{words: {type: string}, other: {type: string}}",
    )
    for text in ("$other {{other}}", texts[-1]):
        done = app.skills.run("it", {"words": text, "other": "SECOND"})
        assert [step.args["text"] for step in done.steps] == [f"{text}|SECOND"]
    every = "\n".join(texts)
    app.skills.run("it", {"words": every, "other": "SECOND"}, apply=True)
    assert calls(book) == [["note", {"text": f"{every}|SECOND"}]]


def test_what_a_fact_or_a_result_says_is_never_obeyed(tmp_path, book):
    steps = "  - {tool: find, args: {name: $name}, as: found}\n  - {tool: note, args: {text: '$found.said and $name'}}\n"
    app = skill(
        tmp_path,
        book,
        steps,
        "{name: {type: string, source: 'semantic/evil#Eve.motto'}, recipient: {type: string}}",
    )
    put(app.root, {"semantic/evil.md": "# Eve\n- motto: $recipient {{found}} steps [tool=die]\n"})
    done = app.skills.run("it", {"recipient": "R"}, apply=True)
    motto = "$recipient {{found}} steps [tool=die]"
    assert calls(book) == [
        ["find", {"name": motto}],
        ["note", {"text": f"$recipient {{{{recipient}}}} and {motto}"}],
    ]
    assert done.ok


def test_what_nobody_vouches_for_is_no_value(app):
    app.skills.approve("send-email")
    put(
        app.root,
        {"semantic/web.md": "---\ntrust: untrusted\n---\n# Mallory\n- email: mallory@evil.example\n"},
    )
    with pytest.raises(InputError, match="recipient must be an address"):
        app.skills.run("send-email", {"recipient": "Mallory", "subject": "Hi"})


def test_a_secret_is_used_and_never_told_or_kept(tmp_path, book):
    app = skill(tmp_path, book, "  - {tool: note, args: {text: 'key=$key'}}\n", "{key: {type: secret}}")
    put(app.root, {"semantic/keys.md": "# it\n- key: from-memory\n"})
    with pytest.raises(InputError, match="needs key"):
        app.skills.run("it", {})
    done = app.skills.run("it", {"key": "moonlight-sonata"}, apply=True)
    assert calls(book) == [["note", {"text": "key=moonlight-sonata"}]]
    assert "moonlight" not in json.dumps([done._asdict(), logged(app), used(app)])


def test_a_secret_that_the_schema_refuses_is_not_told_either(tmp_path, book):
    secret = 'moonlight "sonata" isn\'t ' + "long " * 100
    app = skill(tmp_path, book, "  - {tool: note, args: {text: a, count: $key}}\n", "{key: {type: secret}}")
    texts = [json.dumps(app.skills.run("it", {"key": secret})._asdict())]
    with pytest.raises(InputError, match="is not of type 'integer'") as error:
        app.skills.run("it", {"key": secret}, apply=True)
    assert not [text for text in (*texts, str(error.value)) if "moonlight" in text or "long long" in text]


def test_a_result_may_be_named_as_every_form_does_and_what_it_lacks_is_said(tmp_path, book):
    steps = "  - {tool: find, args: {name: J}, as: found}\n  - {tool: note, args: {text: a, count: '{found.id}'}}\n"
    app = skill(tmp_path, book, steps + "  - {tool: note, args: {text: $found.none}}\n")
    done = app.skills.run("it", {}, apply=True)
    assert calls(book)[1:] == [["note", {"text": "a", "count": 7}]]
    assert (done.steps[2].args, done.steps[2].state) == ({"text": "$found.none"}, "failed")


def test_a_default_is_of_the_type_that_is_asked_for(tmp_path, book):
    app = skill(
        tmp_path,
        book,
        "  - {tool: note, args: {text: $text, count: $n}}\n",
        "{text: {type: string, default: 5}, n: {type: integer, default: 1.5}}",
    )
    with pytest.raises(InputError, match=r"n must be a whole number, not '1\.5'"):
        app.skills.run("it", {}, apply=True)
    app.skills.run("it", {"n": "2"}, apply=True)
    assert calls(book) == [["note", {"text": "5", "count": 2}]]


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ("  - write five lines\n", "step 1 is text for an agent"),
        ("  - {action: ask_user, tool: note}\n", "is the action 'ask_user', not a call of a tool"),
        ("  - {tool: note, if: '$x'}\n", "has a key 'if' that no step may have"),
        ("  - {tool: note, args: [a]}\n", "has arguments that are not a map"),
        ("  - {args: {text: a}}\n", "names no tool"),
        ("  - {tool: note, args: {text: '{{nothing}}'}}\n", "names $nothing"),
        ("  - {tool: note, args: {text: a}, as: 'x y'}\n", "cannot be called"),
    ],
)
def test_what_is_no_call_of_a_tool_is_not_run(tmp_path, book, steps, words):
    app = skill(tmp_path, book, steps)
    with pytest.raises(InputError) as error:
        app.skills.run("it", {}, apply=True)
    assert words in str(error.value)
    assert str(error.value).startswith("skills/it/SKILL.md:")


def test_javascript_is_listed_and_matched_and_not_run(app, book):
    app.skills.approve("script")
    assert app.skills.match("the whole thing")[0].offered
    with pytest.raises(InputError, match="a JavaScript skill is not run"):
        app.skills.run("script", {}, apply=True)
    assert not book.exists()


def test_what_somebody_ends_in_the_middle_is_recorded(tmp_path, book):
    app = skill(
        tmp_path,
        book,
        "  - {tool: note, args: {text: c}}\n  - {tool: hang}\n  - {tool: note, args: {text: d}}\n",
    )

    def end(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, end)
    threading.Thread(target=when_called, args=(book, "hang")).start()
    with pytest.raises(KeyboardInterrupt):
        app.skills.run("it", {}, apply=True)
    signal.signal(signal.SIGALRM, before)
    assert [call[0] for call in calls(book)] == ["note", "hang"]
    assert logged(app)[-1]["content"] == "Ran the skill it: 1 of 3 steps done; step 2 failed."
    assert (used(app)[0]["ok"], used(app)[0]["done"]) == (False, 1)


def when_called(book, tool):
    """Rings the main thread once this tool was called."""
    while [call[0] for call in calls(book)][-1:] != [tool]:
        time.sleep(0.01)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)


def test_a_server_that_cannot_be_started_is_one_sentence(tmp_path, book):
    app = vault(tmp_path, book, FILES, "    other: {command: /nowhere/at/all}\n")
    app.skills.approve("send-email")
    with pytest.raises(InputError, match="the MCP server other cannot be used"):
        app.skills.run("send-email", {"recipient": "a@b.cd", "subject": "x"}, apply=True)


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ("{}", "either `command:` or `url:`"),
        ("{command: a, url: 'https://x.example'}", "either `command:` or `url:`"),
        ("{url: 'http://x.example/mcp'}", "https://"),
        ("{command: [a, b]}", "one program under command"),
        ("{command: a, shell: true}", "has no key 'shell'"),
        ("{command: a, env: {KEY: '${NO_SUCH_VARIABLE}'}}", r"needs \$NO_SUCH_VARIABLE"),
        ("hello", "must hold"),
    ],
)
def test_a_server_that_is_configured_wrong_is_one_sentence(tmp_path, book, server, words):
    app = vault(tmp_path, book, FILES, f"    other: {server}\n")
    app.skills.approve("send-email")
    with pytest.raises(ConfigError, match=words):
        app.skills.run("send-email", {"recipient": "a@b.cd", "subject": "x"})


PLAIN_JSON = """{
  "name": "send_email",
  "triggers": ["send email", "email"],
  "preconditions": {
    "recipient": {"type": "email", "source": "semantic or user"},
    "subject": {"type": "string", "optional": false},
    "body": {"type": "string", "optional": false}
  },
  "steps": [
    {"action": "call_tool", "tool": "email_api", "params": {
      "to": "$recipient",
      "subject": "$subject",
      "body": "$body"
    }}
  ]
}
"""
PLAIN_JS = """export default {
  name: 'send_letter',
  triggers: ['send letter'],
  async run(params, context) {
    // implementation
  }
};
"""


def test_a_json_skill_without_a_description_is_proposed_one_approved_and_run(tmp_path, book):
    files = {
        "skills/send_email.json": PLAIN_JSON,
        "semantic/facts.md": "# Contacts\n- John: john@example.com\n",
    }
    with vault(tmp_path, book, files) as app:
        [problem] = app.skills.lint("send_email")
        proposed = '`"description": "Send email with email_api. Use when asked for: send email, email."`'
        assert problem.hint.endswith(proposed)
        done = app.skills.approve("send_email")
        assert (done.action, "again" in done.notice) == ("approved", False)
        assert "“Send email with email_api. Use when asked for: send email, email.”" in done.notice
        assert (app.root / "skills/send_email.json").read_text() == PLAIN_JSON
        params = {"recipient": "John", "subject": "Project update", "body": "Hi John"}
        assert app.skills.run("send_email", params, apply=True).ok
        mail = {"to": "john@example.com", "subject": "Project update", "body": "Hi John"}
        assert calls(book) == [["email_api", mail]]
        (app.root / "skills/send_email.json").write_text(PLAIN_JSON.replace('"email_api"', '"note"'))
        with pytest.raises(InputError, match="was changed since it was approved"):
            app.skills.run("send_email", params, apply=True)


def test_a_javascript_skill_is_approved_and_matched_and_never_run(tmp_path, book):
    with vault(tmp_path, book, {"skills/send_letter.js": PLAIN_JS}) as app:
        app.skills.approve("send_letter")
        [offer] = app.skills.match("send a letter to John")
        assert (offer.offered, offer.match.skill.name) == (True, "send_letter")
        with pytest.raises(InputError, match="a JavaScript skill is not run"):
            app.skills.run("send_letter", {}, apply=True)


def test_a_skill_for_hosts_is_not_approved_without_a_description(tmp_path, book):
    text = "---\nname: send-letter\ntriggers: [send letter]\n---\n# Send a letter\n\n1. Write it.\n"
    with (
        vault(tmp_path, book, {"skills/send-letter/SKILL.md": text}) as app,
        pytest.raises(
            InputError, match=r'such as `description: "Send letter. Use when asked for: send letter."`'
        ),
    ):
        app.skills.approve("send-letter")


def test_the_ledger_keeps_which_step_failed_and_why(tmp_path, book):
    steps = "  - {tool: note, args: {text: hello}}\n  - {tool: fail, args: {text: nobody is home}}\n"
    app = skill(tmp_path, book, steps)
    assert not app.skills.run("it", {}, apply=True).ok
    [ran] = used(app)
    assert (ran["by"], ran["step"], ran["tool"], ran["done"]) == ("tool", 2, "fail", 1)
    assert "nobody is home" in ran["why"]
    last = app.skills.show("it").listed.outcomes.last_failure
    assert last.where == "step 2 (fail)"


def test_a_tool_that_is_gone_is_told_by_lint_and_counts_for_no_failure(tmp_path, book):
    app = skill(tmp_path, book, "  - {tool: vanished, args: {}}\n")
    with pytest.raises(InputError, match="nothing was done"):
        app.skills.run("it", {}, apply=True)
    outcomes = app.skills.show("it").listed.outcomes
    assert (outcomes.telling, outcomes.stopped.tool) == ((), "vanished")
    assert "could not begin: step 1 (vanished)" in app.skills.lint("it")[0].message
    path = app.root / "skills/it/SKILL.md"
    path.write_text(path.read_text().replace("vanished", "note"))
    assert app.skills.lint("it") == []
