"""`hook` as a host runs it: JSON in, JSON out, exit code 0 whatever happens; and its place in the host's settings."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import COMMAND, Claw, Ran
from indexed import until

QUESTION = json.dumps(
    {"session_id": "s-1", "hook_event_name": "UserPromptSubmit", "prompt": "boathouse deadline"}
)
NO_CONTEXT = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": ""}}


@pytest.fixture
def hooked(studio: Path, tmp_path: Path) -> Claw:
    """The command, pointed at a vault, with settings folders of its own."""
    home = os.fspath(tmp_path / "home")
    return Claw(studio, XDG_CONFIG_HOME=os.fspath(tmp_path / "config"), HOME=home)


def context(hooked: Claw, *args: str, stdin: str = QUESTION) -> Ran:
    """What `hook pre` answers once it has the time: a slow machine may need another prompt for it."""
    return until(lambda: "in time" not in (ran := hooked("hook", "pre", *args, stdin=stdin)).err and ran)


def said(number: int, kind: str, content: Any) -> str:
    about = {
        "type": kind,
        "uuid": f"u-{number}",
        "timestamp": f"2026-04-19T10:00:0{number}Z",
        "sessionId": "s-1",
    }
    return json.dumps({**about, "message": {"role": kind, "content": content}}) + "\n"


TALK = (
    json.dumps({"type": "file-history-snapshot", "messageId": "m"}) + "\n"
    + said(1, "user", "Where is the quince jelly? <private>in the safe</private>")
    + said(2, "assistant", [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "find jelly"}}])
    + said(3, "user", [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "password: hunter2", "is_error": False}])
    + said(4, "assistant", [{"type": "text", "text": "On the third shelf."}])
)  # fmt: skip


def event(name: str, transcript: Path) -> str:
    return json.dumps(
        {"session_id": "s-1", "transcript_path": os.fspath(transcript), "hook_event_name": name}
    )


def test_pre_answers_claude_code_with_a_context_for_the_prompt(hooked: Claw) -> None:
    ran = context(hooked)
    answer = ran.json["hookSpecificOutput"]
    assert (ran.code, ran.err, answer["hookEventName"]) == (0, "", "UserPromptSubmit")
    assert "2026-12-11" in answer["additionalContext"]
    assert answer["additionalContext"].startswith("<memories note=")
    again = context(hooked, "--host=plain", stdin=QUESTION.replace("s-1", "s-2"))  # s-1 has seen it
    assert again.json == {"context": answer["additionalContext"]}


@pytest.mark.parametrize(
    ("args", "stdin", "remark"),
    [
        ([], "not json", "no JSON object"),
        (["--nope"], QUESTION, "does not know '--nope'"),
        (["--vault", "/nowhere"], QUESTION, "there is no vault"),
        ([], '{"prompt": 7}', ""),
        (["--host", "emacs"], QUESTION, "not a known host"),
    ],
)
def test_pre_answers_with_no_context_in_any_trouble(
    hooked: Claw, args: list[str], stdin: str, remark: str
) -> None:
    ran = context(hooked, *args, stdin=stdin)
    assert (ran.code, ran.json) == (0, NO_CONTEXT)
    assert remark in ran.err
    assert ran.err.count("\n") <= 1


def test_pre_is_quiet_about_a_full_disk_and_an_index_that_is_locked(hooked: Claw) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [COMMAND, "hook", "pre"],
            input=QUESTION,
            stdout=full,
            env=hooked.environment(),
            text=True,
            check=False,
        )
    assert done.returncode == 0
    assert hooked("sync").code == 0  # a hook that has no time left makes no index
    index = sqlite3.connect(hooked.vault / ".memoryclaw/index.sqlite", isolation_level=None)
    index.execute("BEGIN EXCLUSIVE")
    (hooked.vault / "notes/new.md").write_text("The boathouse deadline has moved.\n")
    ran = hooked("hook", "pre", stdin=QUESTION)
    index.close()
    assert ran.code == 0
    assert ran.json.keys() == NO_CONTEXT.keys()


def test_a_host_that_says_nothing_is_not_waited_for(hooked: Claw) -> None:
    process = hooked.start(
        "hook", "pre", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert json.loads(process.stdout.read()) == NO_CONTEXT, "though standard input is still open"
    process.stdin.close()
    assert process.wait(60) == 0


def test_post_keeps_what_is_new_in_a_transcript_once(hooked: Claw, tmp_path: Path) -> None:
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_text(TALK)
    stop = event("Stop", transcript)
    hooked("sync")  # where its state folder is, a hook remembers how far it read
    ran = hooked("hook", "post", stdin=stop)
    assert (ran.code, ran.out, ran.err) == (0, "{}\n", "")
    log = (hooked.vault / "logs/2026-04-19/s-1.jsonl").read_text()
    turns = [json.loads(line) for line in log.splitlines()]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "tool", "assistant"]
    assert (turns[2]["tool"], turns[2]["args"], turns[2]["ok"]) == ("Bash", {"command": "find jelly"}, True)
    assert "hunter2" not in log
    assert "in the safe" not in log
    assert hooked("hook", "post", "--host", "plain", stdin=stop).json["kept"] == 0
    with transcript.open("a") as file:
        file.write(said(5, "user", "Thanks, the boathouse is next."))
    assert hooked("hook", "post", "--host", "plain", stdin=stop).json == {
        "kept": 1, "again": 0, "left_out": 0, "refused": 0,
    }  # fmt: skip
    assert transcript.read_text().startswith(TALK)


def test_what_our_own_hook_told_the_model_is_never_kept(hooked: Claw, tmp_path: Path) -> None:
    shown = context(hooked, "--host", "plain").json["context"]
    transcript = tmp_path / "s-1.jsonl"
    injected = f"<system-reminder>\nUserPromptSubmit hook additional context: {shown}\n</system-reminder>"
    transcript.write_text(
        said(1, "user", f"{injected}\nWhen is it due?\n{shown}")
        + said(2, "user", [{"type": "text", "text": injected}])
    )
    hooked("hook", "post", stdin=event("Stop", transcript))
    log = (hooked.vault / "logs/2026-04-19/s-1.jsonl").read_text()
    assert log.count("\n") == 1
    assert "When is it due?" in log
    assert "2026-12-11" not in log


def test_the_end_of_a_session_leaves_a_file_for_hosts_that_only_read(hooked: Claw, tmp_path: Path) -> None:
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_text(TALK)
    hooked("working", "set", "--session", "s-1", "--goal", "find the <jelly>")
    assert hooked("hook", "post", stdin=event("SessionEnd", transcript)).code == 0
    latest = (hooked.vault / "working/latest.md").read_text()
    assert latest.startswith("<!-- How session s-1 ended")
    assert "find the &lt;jelly&gt;" in latest
    assert latest.index("quince jelly") < latest.index("third shelf")
    assert "hunter2" not in latest
    assert latest.endswith("</memories>\n")
    assert not (hooked.vault / "working/s-1.json").exists()
    assert "goal: find the <jelly>" in "".join(
        path.read_text() for path in hooked.vault.glob("logs/*/s-1.jsonl")
    )
    assert hooked("search", "third shelf", "--json").json["matches"][0]["kind"] == "turn", (
        "the file itself is no note"
    )


def test_turns_may_come_on_standard_input(hooked: Claw) -> None:
    turns = [
        {"role": "user", "content": "The larch is paid.", "id": "a"},
        {"role": "assistant", "content": "Noted.", "id": "b"},
    ]
    given = json.dumps({"session": "plain one", "turns": turns})
    assert hooked("hook", "post", "--host", "plain", stdin=given).json["kept"] == 2
    assert hooked("hook", "post", "--host", "plain", stdin=given).json["again"] == 2


def test_turns_that_could_not_be_kept_are_kept_the_next_time(hooked: Claw, tmp_path: Path) -> None:
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_text(TALK)
    hooked("sync")
    (hooked.vault / "logs/2026-04-19").write_text("a file in the way of the folder")
    ran = hooked("hook", "post", stdin=event("Stop", transcript))
    assert (ran.code, ran.out) == (0, "{}\n")
    assert ran.err.startswith("memoryclaw: ")
    (hooked.vault / "logs/2026-04-19").unlink()
    assert hooked("hook", "post", "--host", "plain", stdin=event("Stop", transcript)).json["kept"] == 4


@pytest.mark.parametrize(
    "stdin",
    [
        "",
        "[]",
        "{}",
        '{"session_id": "s"}',
        '{"session_id": "s", "transcript_path": "/dev/null"}',
        '{"turns": [{"content": "x"}]}',
    ],
)
def test_post_ends_well_with_nothing_to_keep(hooked: Claw, stdin: str) -> None:
    ran = hooked("hook", "post", stdin=stdin)
    assert (ran.code, ran.out) == (0, "{}\n")
    assert ran.err.startswith("memoryclaw: ")
    assert ran.err.count("\n") == 1


def test_install_shows_the_change_and_uninstall_takes_exactly_that_back(hooked: Claw, tmp_path: Path) -> None:
    settings = tmp_path / "home/.claude/settings.json"
    settings.parent.mkdir(parents=True)
    before = '{\n  "model": "opus", "hooks" : { }\n}'
    settings.write_text(before)
    shown = hooked("hook", "install", "claude-code", "--dry-run")
    assert settings.read_text() == before
    ran = hooked("hook", "install", "claude-code")
    assert shown.out.splitlines()[:-1] == ran.out.splitlines()[:-1]
    assert {line[0] for line in ran.out.splitlines()[:-1]} <= {"-", "+", "@", " "}
    assert ran.out.count("memoryclaw hook post") == 3
    assert hooked("hook", "install", "claude-code", "--json").json["action"] == "unchanged"
    hooks = json.loads(settings.read_text())["hooks"]
    assert set(hooks) == {"UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
    command = hooks["UserPromptSubmit"][0]["hooks"][0]["command"]
    context(hooked)  # the index is made by now
    for number in range(20):
        asked = QUESTION.replace("s-1", f"t-{number}")
        done = subprocess.run(
            command, shell=True, input=asked, capture_output=True, text=True, check=True, cwd="/"
        )
        if "in time" not in done.stderr:
            break
    assert "2026-12-11" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert hooked("hook", "uninstall", "claude-code").code == 0
    assert settings.read_text() == before
    assert os.listdir(settings.parent) == ["settings.json"]


def test_install_into_a_project_makes_its_settings(hooked: Claw, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    done = hooked("hook", "install", "claude-code", "--project", tmp_path / "site", "--json").json
    settings = tmp_path / "site/.claude/settings.json"
    assert done == {"host": "claude-code", "action": "installed", "path": os.fspath(settings), "backup": ""}
    hooked("hook", "uninstall", "claude-code", "--project", tmp_path / "site")
    assert not settings.exists()


def test_install_into_settings_that_are_no_json_changes_nothing(hooked: Claw, tmp_path: Path) -> None:
    settings = tmp_path / "home/.claude/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text("{")
    ran = hooked("hook", "install", "claude-code")
    assert ran.code == 1
    assert "not valid JSON" in ran.err
    assert settings.read_text() == "{"
