"""A command as a model: what it is given, what it cannot reach, and that nothing of it is left. Real processes."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from indexed import until
from killing import lives

from memoryclaw.models.command import Command
from memoryclaw.models.llm import MOST_BYTES, ModelError, Prompt
from memoryclaw.writing.secret_gate import without_secrets

PROMPT = Prompt("You report.", 'LOG x BEGINS\n["1 | user | Øats are out."]\nLOG x ENDS')
SCHEMA = {"type": "object", "required": ["title"]}
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PRIVATE = {"OPENAI_API_KEY": "sk-x", "MEMORYCLAW_VAULT": "/v", "PYTHONPATH": "/p", "SSH_AUTH_SOCK": "/s"}


def command(code: str, *, timeout: float = 60.0, **options: Any) -> Command:
    """A Python program as a model."""
    environ = {**os.environ, **PRIVATE, "XDG_STATE_HOME": "/state", "LC_ALL": "C.UTF-8"}
    return Command([sys.executable, "-c", code], timeout, environ, cleaned=without_secrets, **options)


def shell(line: str, **options: Any) -> Command:
    """A line of shell as a model."""
    return Command(
        ["sh", "-c", line], options.pop("timeout", 60.0), os.environ, cleaned=without_secrets, **options
    )


def test_it_is_given_the_prompt_the_ban_on_tools_and_the_schema() -> None:
    given = command("import sys; print(sys.stdin.buffer.read().decode())").ask(PROMPT, SCHEMA)
    assert given.startswith("You report.\n\nAnswer from the text below alone: use no tools")
    assert PROMPT.user in given
    assert json.loads(given.strip().rpartition("\n")[2]) == SCHEMA


def test_it_runs_in_an_empty_folder_that_is_gone_afterwards() -> None:
    said = command(
        "import os; open('mine', 'w'); print(os.getcwd(), os.listdir(), oct(os.stat('.').st_mode))"
    )
    folder, kept, mode = said.ask(PROMPT, SCHEMA).split()
    assert (kept, mode) == ("['mine']", "0o40700")
    assert not Path(folder).exists()


def test_it_sees_its_home_and_language_and_no_key() -> None:
    seen = json.loads(command("import json, os; print(json.dumps(dict(os.environ)))").ask(PROMPT, SCHEMA))
    assert seen["HOME"] == os.environ["HOME"]
    assert (seen["PATH"], seen["XDG_STATE_HOME"], seen["LC_ALL"]) == (os.environ["PATH"], "/state", "C.UTF-8")
    assert not seen.keys() & PRIVATE.keys()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_that_comes_while_it_starts_ends_it_too(number: signal.Signals, monkeypatch: Any) -> None:
    started: list[int] = []
    # A suite that runs in the background of a shell is told to ignore Ctrl-C.
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}

    class Slow(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            started.append(self.pid)
            signal.raise_signal(number)
            started.append(0)  # the signal ends nothing before somebody can end what was started

    monkeypatch.setattr(subprocess, "Popen", Slow)
    try:
        with pytest.raises(KeyboardInterrupt):
            shell("sleep 600 & wait").ask(PROMPT, SCHEMA)
        assert {number: signal.getsignal(number) for number in usual} == usual
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
    assert started[1:] == [0]
    assert not lives(started[0])


def test_its_words_reach_no_shell(tmp_path: Path) -> None:
    word = f"; touch {shlex.quote(os.fspath(tmp_path / 'owned'))} $(touch {tmp_path}/owned)"
    said = Command(["printf", "%s", word], 60.0, os.environ).ask(PROMPT, SCHEMA)
    assert said == word
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("echo first >&2; echo 'you are not logged in' >&2; exit 3", "`sh` ended with exit code 3: you are not logged in"),
        ("exit 1", "`sh` ended with exit code 1"),
        ("echo half an answer; kill -9 $$", "`sh` was killed by signal 9"),
        ("echo; echo 'no credit left' >&2", "`sh` printed nothing: no credit left"),
        ("true", "`sh` printed nothing"),
    ],
)  # fmt: skip
def test_how_it_failed_is_one_sentence(line: str, why: str) -> None:
    with pytest.raises(ModelError) as raised:
        shell(line).ask(PROMPT, SCHEMA)
    assert (str(raised.value), raised.value.lasting) == (why, False)


def test_its_last_words_hold_no_secret_and_drive_no_terminal() -> None:
    with pytest.raises(ModelError) as raised:
        shell(f"printf '\\033]0;owned\\007 the key {SECRET} expired {'x' * 900}' >&2; exit 1").ask(
            PROMPT, SCHEMA
        )
    assert SECRET not in str(raised.value)
    assert "the key [REDACTED:" in str(raised.value)
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("stream", ["1", "2"])
def test_it_is_not_heard_for_ever(stream: str) -> None:
    with pytest.raises(ModelError, match="printed more than 1,000 kB"):
        shell(f"yes >&{stream}").ask(PROMPT, SCHEMA)


def test_an_answer_as_long_as_it_may_be_is_whole() -> None:
    said = command(f"print('x' * {MOST_BYTES - 1})").ask(PROMPT, SCHEMA)
    assert len(said) == MOST_BYTES


def test_a_command_that_reads_nothing_answers() -> None:
    assert shell("exec 0<&-; echo '{}'").ask(Prompt("x" * 3_000_000, "y"), SCHEMA) == "{}\n"


def test_whatever_ends_it_early_ends_its_children_too(tmp_path: Path) -> None:
    line = f"trap '' TERM INT HUP; sleep 600 & echo $$ $! > {tmp_path}/pids; yes"
    with pytest.raises(ModelError, match="printed more than"):
        shell(line).ask(PROMPT, SCHEMA)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    until(lambda: not any(map(lives, pids)))


def test_at_its_time_limit_it_is_given_up() -> None:
    with pytest.raises(ModelError, match="`sleep` took too long"):
        Command(["sleep", "600"], 0.5, os.environ).ask(PROMPT, SCHEMA)


def test_a_command_that_closes_its_streams_and_stays_is_killed_too() -> None:
    with pytest.raises(ModelError, match="`sh` took too long"):
        shell("exec >&- 2>&-; sleep 600", timeout=0.5).ask(PROMPT, SCHEMA)


def test_what_it_leaves_behind_holds_nobody_up_and_is_killed(tmp_path: Path) -> None:
    said = shell("sleep 600 & echo $!").ask(PROMPT, SCHEMA)
    until(lambda: not lives(int(said)))


@pytest.mark.parametrize("name", ["no-such-program", "./here", "bin/here"])
def test_a_program_that_is_not_there_is_said_once(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    for path in (tmp_path / "here", tmp_path / "bin/here"):  # beside us, and not where it would run
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\necho '{}'\n")
        path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ModelError, match=f"no program `{name}`; llm.command must be a name on the PATH"
    ) as raised:
        Command([name], 60.0, os.environ).reach()
    assert raised.value.lasting


def test_a_command_written_as_one_word_is_told_to_be_a_list() -> None:
    with pytest.raises(
        ModelError, match=r"no program `claude -p`; llm.command must be a list, such as \[claude, -p\]"
    ):
        Command(["claude -p"], 60.0, os.environ).reach()


def test_a_refused_command_is_not_run(tmp_path: Path) -> None:
    refused = shell(f"touch {tmp_path}/ran; echo '{{}}'", refusal="not agreed to")
    with pytest.raises(ModelError, match="not agreed to") as raised:
        refused.reach()
    assert raised.value.lasting
    assert not (tmp_path / "ran").exists()


def test_its_name_is_that_of_its_program() -> None:
    assert Command(["/usr/bin/claude", "-p"], 60.0, {}).name == "command/claude"
