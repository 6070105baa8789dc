"""What a person sees on a terminal: colour, tables, progress; and what a terminal must never be sent."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from conftest import COMMAND, Claw, VaultOf, git
from forked import STEM

from memoryclaw.interfaces.cli.printing import width

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b1m\u202ered\u200b"


# The installed command, but for how long work must take before its progress is shown.
PATIENT = "import sys; from memoryclaw.interfaces.cli import main, printing; printing.PATIENCE = float(sys.argv.pop(1)); main()"


def on_terminal(
    claw: Claw, *args: str, stream: str = "stdout", command: tuple[str | Path, ...] = (), columns: int = 100
) -> str:
    """What one stream of a command shows when it is a terminal; the other one is nothing. A command of its own is started anew."""
    leader, follower = pty.openpty()
    shown: list[bytes] = []
    reading = threading.Thread(target=lambda: shown.extend(iter(partial(part_of, leader), b"")))
    reading.start()
    env = {**claw.environment(), "TERM": "xterm-256color", "COLUMNS": f"{columns}"}
    if command or not STEM.fits(env):
        other = "stderr" if stream == "stdout" else "stdout"
        code = subprocess.run(
            [*(command or [COMMAND]), *args],
            env=env,
            check=False,
            **{stream: follower, other: subprocess.DEVNULL},
        ).returncode
    else:
        streams = [os.devnull] * 3
        streams[1 + (stream == "stderr")] = os.ttyname(follower)
        code = STEM.run_on([*args], streams, environ=env)
    os.close(follower)
    reading.join()
    os.close(leader)
    assert code == 0
    return b"".join(shown).decode().replace("\r\n", "\n")


def test_where_nothing_is_sure_to_answer_a_terminal_shows_the_three_nearest_lines(vault_of: VaultOf) -> None:
    notes = {f"boat-{n}.md": f"The dinghy lies at berth {n}.\n\nIt has a red sail.\n" for n in range(6)}
    claw = Claw(vault_of(notes))
    question = "who sails the dinghy at the berth"
    shown = COLOUR.sub("", on_terminal(claw, "ask", question)).splitlines()
    assert shown[0] == "No line is sure to answer that. The nearest:"
    assert len([line for line in shown if "dinghy" in line]) == 3
    assert len([line for line in shown if "red sail" in line]) == 3  # each with what stands around it
    piped = claw("ask", question).out
    assert piped.count("dinghy") == 6
    assert "red sail" in piped


def part_of(leader: int) -> bytes:
    """What was written on a terminal since; nothing once its last writer has closed it."""
    try:
        return os.read(leader, 65536)
    except OSError:
        return b""


def test_matched_words_are_highlighted(asked: Claw) -> None:
    assert "\x1b[33m\x1b[1mpenicillin\x1b[0m" in on_terminal(
        asked, "search", "penicillin", command=(COMMAND,)
    )


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


LONG = {
    "episodes/2026-04-16_09-15-00_first-pile-in-aarhus.md": (
        "---\ntimestamp: 2026-04-16T09:15:00Z\nsummary: First pile of the boathouse turned into the quay in Aarhus, "
        "and Priya gave the signal to lower the second one before the tide came in again\n"
        "tags: [project/boathouse, site, milestone]\n---\nThe pile stands. See [[semantic/contacts]].\n\n"
        "- [ ] Thank the harbour pilots for the two hours in which they kept everybody else out of the basin\n"
    ),
    "semantic/contacts.md": "# 田中さくら\n- role: curator of timber joints at the Museum of Everyday Craft in Kanazawa, until autumn\n- pile: [[2026-04-16_09-15-00_first-pile-in-aarhus]]\n",
    "skills/rope/SKILL.md": f"---\nname: rope\ndescription: {'Ties the boat to the pile with two ropes. ' * 4}\n---\n## Steps\n1. Tie.\n",
}  # fmt: skip
PLACES = {
    "browse": [
        "episodes/2026-04-16_09-15-00_first-pile-in-aarhus",
        "#project/boathouse",
        "semantic/contacts",
    ],
    "facts": ["semantic/contacts.md:2", "田中さくら"],
    "todos": ["episodes/2026-04-16_09-15-00_first-pile-in-aarhus#todo-"],
    "timeline": ["episodes/2026-04-16_09-15-00_first-pile-in-aarhus.md:1"],
    "history": ["episodes/2026-04-16_09-15-00_first-pile-in-aarhus.md and "],
    "links": ["semantic/contacts#田中さくら", "semantic/contacts.md:3"],
    "links semantic/contacts": [
        "semantic/contacts.md:3",
        "episodes/2026-04-16_09-15-00_first-pile-in-aarhus",
    ],
    "views": ["views/entities/"],
    "skills": ["skills/rope/SKILL.md"],
    "entity 田中さくら": ["semantic/contacts.md:2"],
    "search pile": ["episodes/2026-04-16_09-15-00_first-pile-in-aarhus.md:6"],
    "ask Where does the pile stand?": ["episodes/2026-04-16_09-15-00_first-pile-in-aarhus.md:6"],
    "status": ["fts5"],
    "doctor": ["these file names work on every system"],
}


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("words", PLACES)
def test_what_is_listed_fits_the_terminal_and_ids_are_whole(
    vault_of: VaultOf, words: str, columns: int
) -> None:
    root = vault_of(LONG)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "What I wrote in the spring and the summer of this year, " * 5)
    verb, _, rest = words.partition(" ")
    shown = on_terminal(
        Claw(root, MEMORYCLAW_NOW="2026-04-20T08:00:00Z"), verb, *filter(None, [rest]), columns=columns
    )
    lines = COLOUR.sub("", shown).splitlines()
    assert [line for line in lines if width(line) > columns] == []
    for place in PLACES[words]:
        assert any(place in line for line in lines), (place, shown)


@pytest.mark.parametrize(("verb", "most"), [("browse", 3), ("history", 2), ("skills", 2)])
def test_a_row_takes_a_line_and_its_places(vault_of: VaultOf, verb: str, most: int) -> None:
    root = vault_of(LONG)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "What I wrote in the spring and the summer of this year, " * 5)
    rows = len(Claw(root)(verb).out.splitlines()) - 1
    assert rows > 0
    assert len(on_terminal(Claw(root), verb, columns=80).splitlines()) - 2 <= most * rows


@pytest.mark.parametrize("columns", [80, 200])
def test_why_something_waits_is_told_whole_on_a_terminal(vault_of: VaultOf, columns: int) -> None:
    reason = "the club wants the green of its own flag, and the approved drawings of the quay still name another one"
    root = vault_of({"semantic/_pending.md": f"- [ ] Boathouse.door: RAL 6005\n  - why: {reason}\n"})
    shown = COLOUR.sub("", on_terminal(Claw(root), "review", columns=columns))
    assert reason in " ".join(shown.split())
    assert all(width(line) <= columns for line in shown.splitlines())
    assert "…" in Claw(root)("review").out


def test_a_pipe_is_told_everything(vault_of: VaultOf) -> None:
    shown = Claw(vault_of(LONG), COLUMNS="40")("browse").out
    assert "before the tide came in again  #project/boathouse" in shown
    assert "…" not in shown


def test_a_note_cannot_drive_the_terminal(asked: Claw) -> None:
    (asked.vault / "notes/evil.md").write_text(f"# Title {HOSTILE}\n\nbeeswax {HOSTILE} [[a {HOSTILE}]]\n")
    (asked.vault / "semantic/evil.md").write_text(f"# Evil{HOSTILE}\n- key{HOSTILE}: value {HOSTILE}\n")
    for line in ("search beeswax --explain", "recall beeswax --trace", "show notes/evil", "browse", "facts", "links notes/evil"):  # fmt: skip
        shown = COLOUR.sub("", on_terminal(asked, *line.split()))
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b]", shown)


@pytest.mark.parametrize(("patience", "shown"), [("0", "reading notes"), ("inf", "")])
def test_work_longer_than_its_patience_shows_its_progress(
    vault_of: VaultOf, patience: str, shown: str
) -> None:
    claw = Claw(vault_of({f"notes/n{n}.md": f"# Note {n}\n" for n in range(300)}))
    command = (sys.executable, "-P", "-c", PATIENT, patience)
    seen = on_terminal(claw, "check", "reindex", stream="stderr", command=command)
    assert shown in seen if shown else seen == ""


def test_without_a_terminal_no_progress_is_shown(vault_of: VaultOf) -> None:
    claw = Claw(vault_of({f"notes/n{n}.md": f"# Note {n}\n" for n in range(300)}))
    done = subprocess.run(
        [sys.executable, "-P", "-c", PATIENT, "0", "reindex"],
        env=claw.environment(), capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert done.stderr == ""
