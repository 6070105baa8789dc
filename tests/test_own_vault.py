"""A person's own vault: remembered by `init`, and where every interface looks when no other is named."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from conftest import COMMAND, Claw, put
from indexed import until
from mcp import StdioServerParameters, stdio_client
from mcpclients import connected

from memoryclaw import open_vault

NOTE = {"Nora.md": "# Nora\n\nShe prefers oat milk.\n"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with notes in it, and settings with a comment."""
    return put(
        tmp_path / "home",
        {"notes/Nora.md": NOTE["Nora.md"], ".config/memoryclaw/config.yaml": "# mine\nllm:\n  chain: []\n"},
    )


@pytest.fixture
def mc(home: Path) -> Claw:
    """The command, of somebody at home there who names no vault."""
    return Claw(HOME=os.fspath(home))


def settings(home: Path) -> str:
    return (home / ".config/memoryclaw/config.yaml").read_text()


def test_init_remembers_the_persons_own_vault_and_keeps_the_rest_of_the_settings(
    mc: Claw, home: Path
) -> None:
    assert not mc("init", home / "notes", "--yes", "--json").json["default"]
    assert settings(home) == "# mine\nllm:\n  chain: []\n"
    assert mc("init", home / "notes", "--yes", "--default", "--json").json["default"]
    after = settings(home)
    assert after == f"# mine\nllm:\n  chain: []\nvault:\n  default: {home}/notes\n"
    mc("init", home / "notes", "--yes", "--default")
    assert settings(home) == after
    mc("init", home / "other", "--yes", "--default")
    assert settings(home) == after.replace("notes", "other")


def test_every_interface_looks_there(
    mc: Claw, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mc("init", home / "notes", "--yes", "--default")
    elsewhere = put(tmp_path / "elsewhere", {"x.txt": ""})
    assert mc("search", "oat", "--json", cwd=elsewhere).json["matches"][0]["path"] == "Nora.md"
    prompt = json.dumps({"session_id": "s", "prompt": "Does Nora prefer oat milk or cow's milk?"})
    hooked = ("hook", "pre", "--host", "plain")
    assert "oat milk" in until(lambda: mc(*hooked, stdin=prompt, cwd=elsewhere).json["context"])
    server = StdioServerParameters(
        command=os.fspath(COMMAND), args=["mcp"], env=mc.environment(), cwd=elsewhere
    )
    with connected(stdio_client(server)) as asker:
        assert "oat milk" in asker("memory_search", query="oat").text
    monkeypatch.setenv("HOME", os.fspath(home))
    monkeypatch.chdir(elsewhere)
    with open_vault() as app:
        assert app.root == home / "notes"


def test_it_comes_after_what_is_named_and_the_folders_upwards(mc: Claw, home: Path, tmp_path: Path) -> None:
    mc("init", home / "notes", "--yes", "--default")
    other = put(tmp_path / "other", {"memoryclaw.yaml": "", "deep/x.txt": ""})
    assert mc("status", "--json", cwd=other / "deep").json["vault"] == os.fspath(other)
    assert mc("status", "--json", "--vault", other).json["vault"] == os.fspath(other)
    named = Claw(other, HOME=os.fspath(home))
    assert named("status", "--json", cwd=tmp_path).json["vault"] == os.fspath(other)


def test_a_vault_that_came_from_elsewhere_names_none(mc: Claw, home: Path, tmp_path: Path) -> None:
    trap = put(tmp_path / "trap", {"memoryclaw.yaml": f"vault:\n  default: {tmp_path}/trap\n"})
    assert "vault.default" in mc("status", "--vault", trap).err
    assert mc("search", "x", cwd=tmp_path).code == 1


def test_a_temporary_folder_is_never_remembered(mc: Claw, home: Path, tmp_path: Path) -> None:
    ran = mc("init", tmp_path / "passing", "--default", "--yes")
    assert ran.code == 1
    assert "temporary folder" in ran.err
    assert not (tmp_path / "passing").exists()
    assert "vault" not in settings(home)


@pytest.mark.parametrize(("typed", "remembers"), [("Mira\ny\n", True), ("\nn\n", False)])
def test_on_a_terminal_init_asks_who_you_are_and_whose_vault_it_is(
    mc: Claw, home: Path, typed: str, remembers: bool
) -> None:
    leader, follower = pty.openpty()
    os.write(leader, typed.encode())
    done = subprocess.run(
        [COMMAND, "init", home / "fresh"], stdin=follower, capture_output=True, encoding="utf-8", env=mc.environment(), timeout=120, check=False
    )  # fmt: skip
    os.close(leader), os.close(follower)
    assert "Is this your own vault" in done.stdout
    assert (f"default: {home}/fresh" in settings(home)) == remembers
    assert ("\nowner: Mira " in (home / "fresh/memoryclaw.yaml").read_text()) == remembers


def test_where_there_is_no_vault_the_sentence_makes_no_second_one(
    mc: Claw, home: Path, tmp_path: Path
) -> None:
    err = mc("search", "x", cwd=tmp_path).err
    assert f"there is no vault at {home}/.memoryclaw/vault" in err
    assert "memoryclaw init DIR --default" in err
