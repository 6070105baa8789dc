"""What only Unix has stands in one module, and a system without it gets one sentence."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from test_architecture import MODULES, name_of, nodes_of

WITHOUT = "import sys; sys.modules['fcntl'] = None; sys.argv[0] = 'memoryclaw'\n"
COMMAND = f"{WITHOUT}from memoryclaw.interfaces.cli import main; main()"
LIBRARY = f"{WITHOUT}import memoryclaw; memoryclaw.open_vault()"


@pytest.mark.parametrize("args", [("search", "tea"), ("hook", "pre"), ("--help",)])
def test_a_command_says_where_it_runs(args: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, "-c", COMMAND, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("memoryclaw: MemoryClaw runs on Linux and macOS; on Windows")
    assert len(done.stderr.splitlines()) == 1


def test_the_library_says_where_it_runs() -> None:
    done = subprocess.run([sys.executable, "-c", LIBRARY], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith("memoryclaw.errors.SystemUnfitError: MemoryClaw runs on")


def test_no_other_module_asks_for_it() -> None:
    importing = [
        name_of(path)
        for path in MODULES
        for node in nodes_of(path)
        if isinstance(node, ast.Import)
        and {alias.name for alias in node.names} & {"fcntl", "pwd", "grp", "termios"}
    ]
    assert importing == ["unix"]
