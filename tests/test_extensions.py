"""What another distribution brings: where it is not installed, one sentence says what to install, and nothing else asks for it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memoryclaw import config
from memoryclaw.extensions import ELSEWHERE

PACKAGE = Path(__file__).parent.parent / "memoryclaw"
ENGINE = "index:\n  engine: postgres\n"
ALONE = """import importlib.metadata
importlib.metadata.entry_points = lambda **_: ()  # no other distribution is installed
from memoryclaw.interfaces.cli import main
main()"""
SEARCH = """import sys
from memoryclaw.app import open_vault
with open_vault(sys.argv[1]) as app:
    app.search("x")
print("importlib.metadata" in sys.modules)"""


def alone(*words: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Runs a command where no other distribution is installed."""
    return subprocess.run(
        [sys.executable, "-c", ALONE, *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | env,
    )


@pytest.mark.parametrize("words", ["fleet", "fleet serve /srv --help", "tokens list ann"])
def test_a_command_of_another_distribution_says_what_to_install(words: str) -> None:
    ran = alone(*words.split())
    assert ran.returncode == 2
    assert "fleet is in another package: pip install memoryclaw-fleet" in ran.stderr


def test_the_name_of_an_engine_is_no_command() -> None:
    assert "No such command 'postgres'" in alone("postgres").stderr
    assert "Did you mean 'fleet'?" in alone("flete").stderr


def test_an_engine_of_another_distribution_says_what_to_install(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": os.fspath(tmp_path / "own")}
    own = config.own_folder(environ)
    own.mkdir(parents=True)
    (own / config.OWN_FILE).write_text(ENGINE)
    ran = alone("--vault", tmp_path, "search", "x", **environ)
    assert ran.returncode
    assert "postgres is in another package: pip install memoryclaw-fleet" in ran.stderr


def test_a_vault_that_asks_for_it_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "memoryclaw.yaml").write_text(f"{ENGINE}fleet:\n  night: 01:00-02:00\n")
    (tmp_path / "tea.md").write_text("Nora drinks oolong.\n")
    ran = alone("--vault", tmp_path, "search", "oolong")
    assert "Nora drinks oolong." in ran.stdout
    assert "index.engine: postgres" in ran.stderr


def test_the_package_knows_other_distributions_only_by_the_table() -> None:
    distributions = {name for names in ELSEWHERE.values() for name in names.values()}
    modules = "|".join(name.replace("-", "_") for name in distributions)
    names = re.compile(rf"\b(?:psycopg\w*|procrastinate|{modules})\b")
    assert not [path for path in PACKAGE.rglob("*.py") if names.search(path.read_text(encoding="utf-8"))]


def test_a_search_does_not_look_for_extensions(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("Nora drinks oolong.\n")
    ran = subprocess.run([sys.executable, "-c", SEARCH, tmp_path], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
