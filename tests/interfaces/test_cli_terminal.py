"""What a person sees on a terminal: colour, tables, progress; and what a terminal must never be sent."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import COMMAND, Claw, VaultOf

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b1m\u202ered\u200b"


# The installed command, but for how long work must take before its progress is shown.
PATIENT = "import sys; from memoryclaw.interfaces.cli import main, printing; printing.PATIENCE = float(sys.argv.pop(1)); main()"


def on_terminal(
    claw: Claw, *args: str, stream: str = "stdout", command: tuple[str | Path, ...] = (COMMAND,)
) -> str:
    """What one stream of a command shows when it is a terminal; the other one is a pipe."""
    leader, follower = pty.openpty()
    other = "stderr" if stream == "stdout" else "stdout"
    env = {**claw.environment(), "TERM": "xterm-256color", "COLUMNS": "100"}
    process = subprocess.Popen([*command, *args], env=env, **{stream: follower, other: subprocess.DEVNULL})
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # the terminal closes with its last writer
            break
        if not part:
            break
        shown += part
    os.close(leader)
    assert process.wait(60) == 0
    return shown.decode().replace("\r\n", "\n")


def test_matched_words_are_highlighted(asked: Claw) -> None:
    assert "\x1b[33m\x1b[1mpenicillin\x1b[0m" in on_terminal(asked, "search", "penicillin")


def test_words_matched_in_the_title_are_highlighted_too(asked: Claw) -> None:
    first = on_terminal(asked, "search", "boathouse deadline").splitlines()[0]
    assert first.count("\x1b[33m\x1b[1m") == 2
    assert COLOUR.sub("", first).startswith(" 1 Boathouse deadline")


@pytest.mark.parametrize(
    "words", [["search", "boathouse", "--explain"], ["browse"], ["facts"], ["status"], ["doctor"], ["recall", "boathouse", "--trace"]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_no_colour_where_none_is_wanted(studio: Path, words: list[str]) -> None:
    if words == ["doctor"]:
        (studio / "episodes/2025-07-08_17-25-00_penicillin.md").unlink()
    assert COLOUR.search(on_terminal(Claw(studio), *words))
    assert not COLOUR.search(on_terminal(Claw(studio, NO_COLOR="1"), *words))
    assert "\x1b" not in Claw(studio)(*words).out


def test_a_table_on_a_terminal_is_drawn(asked: Claw) -> None:
    assert "──" in on_terminal(asked, "facts")
    assert "──" not in asked("facts").out


@pytest.mark.parametrize(
    "words", [["search", "beeswax", "--explain"], ["recall", "beeswax", "--trace"], ["show", "notes/evil"], ["browse"],
              ["facts"], ["links", "notes/evil"], ["status"], ["search", "beeswax", "--json"]], ids=" ".join,
)  # fmt: skip
def test_a_note_cannot_drive_the_terminal(asked: Claw, words: list[str]) -> None:
    assert asked.vault
    (asked.vault / "notes/evil.md").write_text(f"# Title {HOSTILE}\n\nbeeswax {HOSTILE} [[a {HOSTILE}]]\n")
    (asked.vault / "semantic/evil.md").write_text(f"# Evil{HOSTILE}\n- key{HOSTILE}: value {HOSTILE}\n")
    shown = COLOUR.sub("", on_terminal(asked, *words))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b]", shown)


def test_errors_are_harmless_too(asked: Claw) -> None:
    assert "\x1b" not in asked("show", f"x{HOSTILE}").err


@pytest.mark.parametrize(("patience", "shown"), [("0", "reading notes"), ("inf", "")])
def test_work_longer_than_its_patience_shows_its_progress(
    vault_of: VaultOf, patience: str, shown: str
) -> None:
    claw = Claw(vault_of({f"notes/n{n}.md": f"# Note {n}\n" for n in range(300)}))
    command = (sys.executable, "-P", "-c", PATIENT, patience)
    seen = on_terminal(claw, "reindex", stream="stderr", command=command)
    assert shown in seen if shown else seen == ""


def test_without_a_terminal_no_progress_is_shown(vault_of: VaultOf) -> None:
    claw = Claw(vault_of({f"notes/n{n}.md": f"# Note {n}\n" for n in range(300)}))
    done = subprocess.run(
        [sys.executable, "-P", "-c", PATIENT, "0", "reindex"],
        env=claw.environment(), capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert done.stderr == ""
