"""`capture` and `import` as commands: lines in, acknowledgements out."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest
from conftest import Claw

LINE = '{"role": "user", "content": "The quince jelly is ready."}\n'


@pytest.fixture
def taken(studio: Path, tmp_path: Path) -> Claw:
    """The command, pointed at a vault, with a settings folder of its own."""
    return Claw(studio, XDG_CONFIG_HOME=os.fspath(tmp_path / "config"))


def test_what_was_captured_is_found_at_once(taken: Claw) -> None:
    ran = taken(
        "capture", "--session", "kitchen", stdin=LINE + '{"role": "user", "content": "password: hunter2"}\n'
    )
    assert (ran.code, ran.out) == (0, "2 turns kept, 1 secret redacted.\n")
    match = taken("search", "quince", "--json").json["matches"][0]
    assert (match["id"], match["kind"], match["trust"]) == ("log:kitchen/1", "turn", "trusted")
    assert taken("search", "hunter2", "--json").json["matches"] == []
    assert "[REDACTED:password:" in taken("show", "log:kitchen/2").out


def test_json_gives_one_acknowledgement_a_line(taken: Claw) -> None:
    ran = taken(
        "capture", "--session", "s", "--json", stdin=LINE + "\nnot json\n" + '{"content": "[NOMEM] x"}'
    )
    assert [json.loads(line) for line in ran.out.splitlines()] == [
        {"ok": True, "id": "log:s/1"},
        {"ok": False, "error": "this line is not JSON; give one object a line", "line": 3},
        {"ok": True, "id": "", "left_out": "marked [NOMEM]"},
    ]
    assert ran.code == 1


def test_refused_lines_are_told_and_the_others_kept(taken: Claw) -> None:
    ran = taken("capture", stdin=LINE + '{"session": "s", "content": "kept"}\n')
    assert ran.code == 1
    assert ran.out == "1 turn kept, 1 refused.\n"
    assert ran.err.startswith("line 1: this line names no session")
    assert taken("capture", "--session", "s", stdin="") == (0, "0 turns kept.\n", "")


def test_a_host_that_waits_for_its_answer_gets_it_before_it_says_more(taken: Claw) -> None:
    process = taken.start(
        "capture", "--session", "s", "--json", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    for number in (1, 2, 3):
        process.stdin.write(f'{{"content": "turn {number}"}}\n'.encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == f"log:s/{number}"
    process.stdin.close()
    assert process.wait(60) == 0


def test_the_key_of_the_fingerprints_is_private_and_outside_of_the_vault(taken: Claw, tmp_path: Path) -> None:
    taken("capture", "--session", "s", stdin='{"content": "password: hunter2"}\n')
    key = tmp_path / "config/memoryclaw/redaction.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    secret = key.read_bytes()
    assert all(secret not in path.read_bytes() for path in taken.vault.rglob("*") if path.is_file())
    first = taken("show", "log:s/1").out
    taken("capture", "--session", "t", stdin='{"content": "password: hunter2"}\n')
    mark = first[first.index("[REDACTED") : first.index("]") + 1]
    assert mark in taken("show", "log:t/1").out


def test_import_brings_a_log_in_once(taken: Claw, tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("### user (2025-04-08T14:30:00Z)\nThe quince tree stands.\n")
    assert taken("import", "logs", tmp_path / "old.md").out == "1 file: 1 turn kept.\n"
    done = taken("import", "logs", tmp_path / "old.md", "--json").json
    assert (done["added"], done["again"], done["problems"]) == (0, 1, [])
    assert taken("search", "quince", "--json").json["matches"][0]["id"] == "log:old/1"
