"""How commands end: exit codes, one sentence, shared options in any place, and help."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
from pathlib import Path
from typing import IO

import pytest
from conftest import COMMAND, Claw, VaultOf
from indexed import until


def test_the_version_is_told(claw: Claw) -> None:
    assert claw("--version") == (0, "memoryclaw 0.2.0\n", "")


def test_python_dash_m_is_the_same_command(studio: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memoryclaw", "search", "dowels", "--vault", studio],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0
    assert "log:kanazawa/1" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    "before",
    [["--vault", "{}", "--json"], ["--vault={}"], ["--json"], []],
    ids=["both before", "vault before", "json before", "after"],
)
def test_vault_and_json_are_accepted_before_and_after_a_verb(
    claw: Claw, studio: Path, before: list[str]
) -> None:
    front = [word.format(studio) for word in before]
    back = [
        *([] if any("vault" in word for word in front) else ["--vault", studio]),
        *([] if "--json" in front else ["--json"]),
    ]
    ran = claw(*front, "search", "penicillin", *back)
    assert ran.code == 0
    assert ran.json["matches"][0]["id"] == "ep-penicillin"


def test_the_vault_said_after_the_verb_wins(claw: Claw, studio: Path, tmp_path: Path) -> None:
    assert claw("--vault", tmp_path / "other", "show", "ep-wind", "--vault", studio).code == 0


def test_the_nearest_vault_upwards_is_found(claw: Claw, studio: Path) -> None:
    (studio / "memoryclaw.yaml").write_text("# all defaults\n")
    assert "Masts down" in claw("show", "ep-wind", cwd=studio / "notes").out


def test_an_empty_vault_option_is_no_silent_default(claw: Claw) -> None:
    ran = claw("status", "--vault", "")
    assert ran.code == 2
    assert "--vault" in ran.err


TYPES = "choose one of decision, preference, lesson, procedure, event, to-do"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], ""), (["search"], ""), (["search", "x", "--nonsense"], ""), (["search", "x", "--limit", "0"], ""), (["facts", "--as-of", "soon"], ""),
        (["edit", "x", "--set", "nothing"], ""), (["edit", "x"], ""), (["completion", "tcsh"], ""),
        (["browse", "--type", "dream"], TYPES), (["facts", "--type", "dream"], TYPES),
        (["working", "show"], "--session"), (["working", "set", "--session", "s"], "Nothing to set"),
        (["working", "set", "--session", "s", "--fact", "x"], "KEY=VALUE"),
        (["feedback", "ep-penicillin", "6"], ""), (["feedback", "ep-penicillin", "x"], ""),
    ],
    ids=str,
)  # fmt: skip
def test_wrong_usage_ends_with_2_and_nothing_on_standard_output(
    asked: Claw, words: list[str], said: str
) -> None:
    ran = asked(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "Error: " in ran.err
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert not (asked.vault / "ledger").exists()


def test_a_misspelt_verb_is_met_with_a_suggestion(claw: Claw) -> None:
    assert "Did you mean 'search'?" in claw("serch", "x").err
    assert "Did you mean 'approve'?" in claw("skills", "aprove", "x").err


def test_no_help_line_is_cut(claw: Claw) -> None:
    assert "..." not in claw("-h").out.partition("Ask:")[2]


def test_a_question_that_begins_with_a_dash_is_told_where_to_go(asked: Claw) -> None:
    assert "go after --" in asked("search", "-draft").err
    assert asked("search", "--", "-dowels", "tin").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "no-such-note"], "no-such-note"),
        (["links", "x"], "x"),
        (["facts", "Atlantis"], "Atlantis"),
        (["remember", "x", "--field", "deadline"], "entity"),
        (["browse", "--kind", "dream"], "dream"),
        (["import", "logs", "nowhere"], "there is no file or folder"),
        (["skills", "show", "send-updat"], "did you mean send-update?"),
        (["working"], "session"),
        (["working", "set", "--session", " ", "--goal", "x"], "session"),
        (["feedback", "ep-nothing", "3"], "ep-nothing"),
        *((["review", verb, "p-00000000"], "p-00000000") for verb in ("show", "diff", "approve", "reject", "edit")),
    ],
    ids=str,
)  # fmt: skip
def test_a_known_failure_ends_with_1_and_one_sentence(asked: Claw, words: list[str], said: str) -> None:
    ran = asked(*words)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("memoryclaw: ")
    assert (ran.err.count("\n"), said in ran.err) == (1, True)
    assert not (asked.vault / "ledger").exists()


def test_a_vault_that_is_not_there_is_a_sentence_that_says_what_to_do(claw: Claw, tmp_path: Path) -> None:
    for verb in (["search", "x"], ["status"], ["sync"], ["doctor"], ["browse"], ["remember", "x"]):
        ran = claw(*verb, "--vault", tmp_path / "gone")
        assert ran.code == 1
        assert "memoryclaw init" in ran.err
        assert ran.err.count("\n") == 1
    assert not (tmp_path / "gone").exists()
    (tmp_path / "file").write_text("x")
    assert claw("search", "x", "--vault", tmp_path / "file").code == 1


def test_settings_and_a_clock_that_cannot_be_used_are_told(asked: Claw) -> None:
    ran = Claw(asked.vault, MEMORYCLAW_NOW="teatime")("search", "x")
    assert (ran.code, "teatime" in ran.err) == (1, True)
    (asked.vault / "memoryclaw.yaml").write_text("retrieval:\n  budget: lots\n")
    ran = asked("search", "x")
    assert ran.code == 1
    assert "retrieval.budget" in ran.err


BROKEN = """
import sys
import click
from memoryclaw.interfaces.cli import exit_codes, verbs
verbs.VERBS["burst"] = "broken"
module = type(sys)("memoryclaw.interfaces.cli.broken")
@verbs.verb("burst")
@click.pass_obj
def broken(said):
    "Burst."
    with said.app():
        raise KeyError("secret\\nof\\x1b[31m the house")
module.burst = broken
sys.modules[module.__name__] = module
sys.exit(exit_codes.run(["burst", *sys.argv[1:]]))
"""


def test_a_bug_ends_with_3_one_sentence_and_a_private_log(studio: Path) -> None:
    Claw(studio)("sync")
    done = subprocess.run(
        [sys.executable, "-c", BROKEN, "--vault", studio], capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr
    [log] = (studio / ".memoryclaw").glob("bug-*.log")
    assert os.fspath(log) in done.stderr
    assert "Traceback" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_reader_that_stops_early_is_no_failure(asked: Claw) -> None:
    for n in range(200):
        (asked.vault / f"notes/n{n}.md").write_text(f"# Note {n}\n" + "word " * 400)
    asked("sync")
    process = asked.start(
        "browse", "--limit", "1000", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 0


def test_a_full_disk_behind_standard_output_is_a_sentence(asked: Claw) -> None:
    with open("/dev/full", "w") as full:
        process = asked.start("search", "dowels", stdout=full, stderr=subprocess.PIPE)
        error = process.stderr.read().decode()
    assert process.wait(60) == 1
    assert (
        error
        == "memoryclaw: the answer could not be written (No space left on device), but the command was carried out\n"
    )


def unread(pipe: IO[bytes]) -> int:
    """How many bytes of a pipe its reader has not taken yet."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_an_interruption_ends_with_130_and_no_traceback(asked: Claw) -> None:
    process = asked.start(
        "remember", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdin.write(b"the kettle")
    process.stdin.flush()
    until(lambda: not unread(process.stdin))  # so it runs, and waits for more
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert b"Traceback" not in process.stderr.read()


def test_a_question_of_undecodable_bytes_is_only_text(asked: Claw) -> None:
    done = subprocess.run(
        [os.fsencode(COMMAND), b"search", b"dow\xffels"],
        env=asked.environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0


def test_a_latin_terminal_gets_what_it_can_show(studio: Path) -> None:
    (studio / "notes/kuri.md").write_text("# 栗の木栓\n\nchestnut\n")
    done = subprocess.run(
        [COMMAND, "search", "chestnut"],
        env={**Claw(studio).environment(), "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert rb"\u6817" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_that_names_us(claw: Claw, shell: str) -> None:
    ran = claw("completion", shell)
    assert ran.code == 0
    assert "_MEMORYCLAW_COMPLETE" in ran.out


def test_completion_offers_verbs_and_options(studio: Path) -> None:
    for typed, offered in (
        ("memoryclaw re", "recall"),
        ("memoryclaw search --ex", "--explain"),
        ("memoryclaw --vau", "--vault"),
    ):
        words = typed.split()
        env = {
            "_MEMORYCLAW_COMPLETE": "bash_complete",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(len(words) - 1),
        }
        assert f"plain,{offered}" in Claw(studio, **env)().out.splitlines()


def test_an_empty_folder_is_never_taken_for_a_deletion(vault_of: VaultOf) -> None:
    vault = vault_of({})
    (vault / "memoryclaw.yaml").unlink()
    ran = Claw(vault)("sync")
    assert ran.code == 1
    assert "empty" in ran.err


@pytest.mark.parametrize("home", [None, "/nonexistent"])
@pytest.mark.parametrize("folder", ["there", "a file"])
def test_a_bug_that_no_file_can_hold_is_told_whole_in_one_sentence(
    studio: Path, folder: str, home: str | None
) -> None:
    """As on a full disk, no file may have a byte."""
    if folder == "there":
        Claw(studio)("sync")
    else:
        (studio / ".memoryclaw").write_text("no folder\n")
    env = {**os.environ, "HOME": home or ""}
    if home is None:
        del env["HOME"]
    full = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    burst = BROKEN.replace("    with said.app():\n        raise", "    raise")
    done = subprocess.run(
        [sys.executable, "-c", full + burst, "--vault", studio],
        capture_output=True, encoding="utf-8", env=env, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    for words in ("KeyError: ", "the house", "no file can be written", "memoryclaw 0.2.0", "broken"):
        assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(studio.glob(".memoryclaw/bug-*"))
