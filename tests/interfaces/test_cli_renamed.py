"""The names that verbs had still work; on a terminal they say the new one, unless a file holds them."""

from __future__ import annotations

import shlex
import subprocess

import click
import pytest
from conftest import Claw, VaultOf, git, put
from test_cli_terminal import on_terminal

from memoryclaw.interfaces.cli.verbs import MEANT, RENAMED, VERBS, cli

# An old command line, and what is said today.
SAME = {
    "inspect ep-wind --json": "show ep-wind --as uses --json",
    "entity Boathouse --json": "show Boathouse --as entity --json",
    "entities --json": "browse entities --json",
    "views --json": "browse views --json",
    "stats --json": "status --usage --json",
    "doctor --json": "check --json",
    "lint --json": "check lint --json",
    "eval": "check eval",
    "migrate --dry-run --json": "check migrate --dry-run --json",
    "schedule status --json": "consolidate schedule status --json",
    "redo --since 2999-01-01 --llm none --json": "consolidate --again --since 2999-01-01 --llm none --json",
    "why r-nothing": "show r-nothing --as recall",
    "revive nothing": "forget --undo nothing",
    "quarantine nothing": "trust --quarantine nothing",
    "watch --help": "sync --help",
    "tokens list ann": "fleet tokens list ann",
    "work --once": "fleet work --once",
    "jobs list": "fleet jobs list",
    "serve --vaults /nowhere --node one": "fleet serve /nowhere --node one",
    "serve --vaults=/nowhere": "fleet serve /nowhere",
    "reindex --json": "check reindex --json",
}


@pytest.mark.parametrize("old", SAME)
def test_an_old_name_does_what_the_new_one_does(asked: Claw, old: str) -> None:
    former, present = (asked(*shlex.split(line)) for line in (old, SAME[old]))
    assert former.out == present.out
    assert (former.code, former.err) == (present.code, present.err)
    assert "No such command" not in former.err


def test_every_old_name_is_tried_here() -> None:
    assert {line.split()[0] for line in SAME} == {name.split()[0] for name in RENAMED}
    assert not RENAMED.keys() & VERBS.keys()


def test_forgetting_is_undone_and_trust_is_withdrawn(vault_of: VaultOf) -> None:
    root = vault_of({"notes/moon.md": "# Moon pancakes\n\nBuckwheat.\n"})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Mine")
    asked, note = Claw(root), root / "notes/moon.md"
    before = note.read_bytes()
    assert asked("forget", "notes/moon").code == 0
    assert not note.exists()
    assert asked("forget", "--undo", "archive/notes/moon").code == 0
    assert note.read_bytes() == before
    assert asked("trust", "notes/moon", "--quarantine").code == 0
    assert b"trust: quarantined" in note.read_bytes()
    assert asked("forget", "notes/moon", "--undo", "--purge", "--yes").code == 2


@pytest.mark.parametrize("old", ["doctor", "entities", "stats"])
def test_on_a_terminal_it_says_the_new_name(asked: Claw, old: str) -> None:
    shown = on_terminal(asked, old, stream="stderr")
    assert shown.startswith(f"`memoryclaw {old}` is now `memoryclaw {RENAMED[old]}`\n")
    assert "is now" not in asked(old).err


@pytest.mark.parametrize("words", ["lint", "check", "status"])
def test_a_name_of_today_or_of_a_hook_says_nothing(asked: Claw, words: str) -> None:
    assert "is now" not in on_terminal(asked, words, stream="stderr")


def test_a_hook_of_git_calls_what_works(vault_of: VaultOf) -> None:
    root = vault_of({"notes/a.md": "# A\n"})
    git(root, "init", "-q")
    assert Claw(root)("check", "lint", "--install-hook", "--strict").code == 0
    put(
        root,
        {
            "semantic/rules.md": "# Nora\n- birthday: soon\n",
            "semantic/_schema.yaml": "fields: {birthday: date}\n",
        },
    )
    git(root, "add", "-A")
    with pytest.raises(subprocess.CalledProcessError) as stopped:
        git(root, "commit", "-qm", "Birthday")
    assert "semantic/rules.md:2" in stopped.value.stdout + stopped.value.stderr
    assert "is now" not in stopped.value.stderr


def test_a_recall_is_read_back_by_its_receipt(asked: Claw) -> None:
    receipt = asked("recall", "dowels", "--json").json["receipt"]
    assert asked("show", receipt, "--json").json["decided"]
    assert asked("show", receipt).out == asked("why", receipt).out


def test_a_word_that_people_try_is_a_command_of_today() -> None:
    for meant in MEANT.values():
        assert cli.get_command(click.Context(cli), meant.split()[0])
