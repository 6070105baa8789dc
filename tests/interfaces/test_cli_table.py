"""Commands that are made from the verbs of the app."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from conftest import Claw, VaultOf

from memoryclaw.app import open_vault
from memoryclaw.interfaces.cli.table import method_of
from memoryclaw.interfaces.cli.verbs import VERBS, Verb, cli
from memoryclaw.interfaces.http import routes

LISTING = """
import sys
from memoryclaw.interfaces.cli.exit_codes import run
code = run(["--help"])
sys.stderr.write(" ".join(sys.modules))
sys.exit(code)
"""


def commands(command: click.Command, words: str) -> Iterator[tuple[str, Verb]]:
    """A command and those below it."""
    if isinstance(command, Verb):
        yield words, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{words} {name}")


def test_the_list_of_commands_needs_neither_the_app_nor_the_index() -> None:
    listed = subprocess.run(
        [sys.executable, "-c", LISTING], capture_output=True, encoding="utf-8", check=True
    )
    assert "browse" in listed.stdout
    packages = {".".join(module.split(".")[:2]) for module in listed.stderr.split()}
    dear = {
        "app", "index", "recall", "writing", "consolidation", "capture", "history", "lifecycle", "config",
        "model", "vault",
    }  # fmt: skip
    assert not packages & {f"memoryclaw.{name}" for name in dear}


def test_every_option_of_the_app_is_explained() -> None:
    made = 0
    for verb in VERBS:
        command = cli.get_command(click.Context(cli), verb)
        assert command is not None
        for words, each in commands(command, verb):
            if not each.of:
                continue
            made += 1
            names = inspect.signature(method_of(each.of)).parameters.keys()
            for param in each.params:
                if isinstance(param, click.Option) and param.name in names:
                    assert param.help, (words, param.name)
    assert made > 20


@pytest.mark.parametrize(
    "words",
    [
        ["browse", "--type", "dream"],
        ["facts", "--as-of", "2025-02-30"],
        ["timeline", "--limit", "-1"],
        ["browse", "--limit", "0"],
        ["show"],
        ["entity", "a", "b"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_an_option_is_told_as_one(vault_of: VaultOf, words: list[str]) -> None:
    ran = Claw(vault_of({"notes/a.md": "# Lantern\n"}))(*words)
    assert ran.code == 2, ran
    assert ran.err.startswith("Usage: ")


def test_a_type_of_ones_own_is_kept_at_every_door(vault_of: VaultOf) -> None:
    root, route = vault_of({"notes/a.md": "# Lantern\n"}), routes.BY_NAME["remember"]
    assert Claw(root)("remember", "Soup needs salt.", "--type", "recipe", "--tag", "soup").code == 0
    with open_vault(root) as app:
        route.verb(app, "", route.asks(text="Bread needs time.", type="recipe", tags=["bread"]))
    assert [path.read_text().count("type: recipe") for path in root.glob("episodes/*.md")] == [1, 1]
