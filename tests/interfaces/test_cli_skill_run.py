"""`skills run` and `skills host` on the command line: what they print, what they answer as JSON, how they end."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import COMMAND, Claw, VaultOf, put
from indexed import until
from servers.gateway import Gateway, running

MAIL = """---
name: send-email
description: Sends an email to one person.
parameters:
  recipient: {type: email, description: who gets it}
  key: {type: secret, optional: true}
steps:
  - {tool: echo, args: {to: $recipient, key: $key}}
  - {tool: "openclaw:bad"}
  - {tool: echo}
---
Sends it.
"""


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with running() as server:
        yield server


@pytest.fixture
def mail(vault_of: VaultOf, gateway: Gateway, tmp_path: Path) -> Claw:
    """A vault with an approved skill whose tools are a gateway's."""
    settings = f"openclaw:\n  gatewayUrl: {gateway.url}\nskills:\n  toolHost: openclaw\n"
    put(tmp_path, {"own/memoryclaw/config.yaml": settings})
    root = vault_of({"skills/send-email/SKILL.md": MAIL})
    claw = Claw(root, OPENCLAW_GATEWAY_TOKEN="sesame", XDG_CONFIG_HOME=str(tmp_path / "own"))
    assert claw("skills", "approve", "send-email").code == 0
    return claw


def test_a_dry_run_is_printed_and_calls_nothing(mail: Claw, gateway: Gateway) -> None:
    before = len(gateway.asked)
    ran = mail(
        "skills", "run", "send-email", "--param", "recipient=ann@example.com", "--param", "key=moonlight"
    )
    assert ran.code == 0
    assert "1. echo (openclaw)  planned\n   to: ann@example.com\n   key: [secret]\n" in ran.out
    assert ran.out.endswith("Nothing was called; --apply calls them.\n")
    assert len(gateway.asked) == before
    assert "moonlight" not in ran.out


def test_an_applied_run_stops_at_the_failure_and_exits_with_1(mail: Claw, gateway: Gateway) -> None:
    before = len(gateway.asked)
    ran = mail(
        "skills", "run", "send-email", "--param", "recipient=ann@example.com", "--apply", "--session", "s1",
        "--json",
    )  # fmt: skip
    assert ran.code == 1
    assert [step["state"] for step in ran.json["steps"]] == ["done", "failed", "not run"]
    assert (ran.json["ok"], ran.json["applied"], ran.json["session"], ran.json["steps"][1]["error"]) == (
        False, True, "s1", "it broke",
    )  # fmt: skip
    asked = [body for _, body in gateway.asked[before:]]
    assert asked == [{"tool": "echo", "args": {"to": "ann@example.com"}}, {"tool": "bad", "args": {}}]
    [log] = mail.vault.glob("logs/*/s1.jsonl")
    assert [json.loads(line).get("tool") for line in log.read_text().splitlines()] == [
        "echo",
        "openclaw:bad",
        None,
    ]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "send-email needs recipient; say --param recipient=…"),
        (("--param", "recipient"), "write --param name=value"),
        (("--param", "recipient=a@b.cd", "--param", "recipient=e@f.gh"), "given twice"),
        (("--param", "recipient=nobody"), "recipient must be an address"),
    ],
)
def test_what_is_missing_or_wrong_is_one_sentence(mail: Claw, args: tuple[str, ...], words: str) -> None:
    ran = mail("skills", "run", "send-email", *args)
    assert (ran.code, ran.out, words in ran.err, ran.err.count("\n")) == (1, "", True, 1)


def test_what_a_server_chatters_reaches_no_terminal(vault_of: VaultOf, tmp_path: Path) -> None:
    args = [str(Path(__file__).parent.parent / "servers/plaintools.py"), str(tmp_path / "calls")]
    text = (
        MAIL.partition("parameters:")[0]
        + "steps:\n  - {tool: chatter}\n  - {tool: note, args: {text: c}}\n---\nIt.\n"
    )
    settings = {"mcp": {"servers": {"plain": {"command": sys.executable, "args": args}}}}
    # With the bytecode that is there: to compile the SDK takes longer than the test.
    put(tmp_path, {"own/memoryclaw/config.yaml": json.dumps(settings)})
    root = vault_of({"skills/send-email/SKILL.md": text})
    claw = Claw(root, PYTHONPYCACHEPREFIX="", XDG_CONFIG_HOME=str(tmp_path / "own"))
    assert claw("skills", "approve", "send-email").code == 0
    ran = claw("skills", "run", "send-email", "--apply", "--session", "s1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("2 steps done; kept in the log of session s1.\n")
    assert len((tmp_path / "calls").read_text().splitlines()) == 2


def test_on_a_terminal_what_is_missing_is_asked_for(mail: Claw) -> None:
    leader, follower = pty.openpty()
    command = [COMMAND, "skills", "run", "send-email"]
    process = subprocess.Popen(
        command, env=mail.environment(), stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    os.close(follower)
    os.write(leader, b"ann@example.com\n")
    out, err = process.communicate(timeout=60)
    os.close(leader)
    assert b"recipient (who gets it): " in err
    assert b"recipient = ann@example.com  (asked)" in out
    assert process.returncode == 0


def test_who_ends_it_in_the_middle_is_told_where_to_look(mail: Claw, gateway: Gateway) -> None:
    path = mail.vault / "skills/send-email/SKILL.md"
    path.write_text(MAIL.partition("parameters:")[0] + "steps:\n  - {tool: slow}\n---\nIt.\n")
    assert mail("skills", "approve", "send-email").code == 0
    before = len(gateway.asked)
    process = mail.start("skills", "run", "send-email", "--apply", "--session", "s1", stderr=subprocess.PIPE)
    until(lambda: len(gateway.asked) > before)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, b"in the log of the session" in err) == (130, True)
    [log] = mail.vault.glob("logs/*/s1.jsonl")
    assert "0 of 1 steps done; step 1 failed" in log.read_text()


def test_without_a_token_it_says_so(mail: Claw) -> None:
    own = mail.env["XDG_CONFIG_HOME"]
    ran = Claw(mail.vault, XDG_CONFIG_HOME=own)(
        "skills", "run", "send-email", "--param", "recipient=a@b.cd", "--apply"
    )
    assert (ran.code, "set OPENCLAW_GATEWAY_TOKEN" in ran.err) == (1, True)


def test_the_folder_of_the_hosts_follows_approvals_and_edits(mail: Claw) -> None:
    copy = mail.vault / ".memoryclaw/host-skills/send-email/SKILL.md"
    assert copy.read_text() == MAIL, "an approval brings it there"
    path = mail.vault / "skills/send-email/SKILL.md"
    path.write_text(MAIL + "Changed.\n")
    assert mail("sync").code == 0
    assert copy.read_text() == MAIL
    ran = mail("skills", "host", "--json")
    assert (ran.json["folder"], ran.json["skills"][0]["version"]) == (str(copy.parents[1]), "earlier")
    assert mail("skills", "reject", "send-email").code == 0
    assert not copy.exists()
    assert "No skill is approved" in mail("skills", "host").out
