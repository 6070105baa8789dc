"""What describes MemoryClaw to hosts and registries says the same everywhere, and names commands that there are."""

from __future__ import annotations

import json
import runpy
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import click
import pytest

from memoryclaw import __version__
from memoryclaw.connect.claude_code import EVENTS
from memoryclaw.interfaces.cli.verbs import cli

ROOT = Path(__file__).parents[2]
HOSTS = (".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "gemini-extension.json")
VERSIONED = (
    *HOSTS,
    "server.json",
    "plugins/openclaw/package.json",
    "plugins/openclaw/openclaw.plugin.json",
    "clients/typescript/package.json",
)


def read(path: str) -> Any:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def can_be_given(words: list[str]) -> bool:
    """Whether the command line takes these words."""
    assert words[0] == "memoryclaw"
    command = cli.get_command(click.Context(cli), words[1])
    assert command
    command.make_context(words[1], words[2:])
    return True


@pytest.mark.parametrize("path", VERSIONED)
def test_the_version_is_that_of_the_program(path: str) -> None:
    assert read(path)["version"] == __version__


def test_the_version_of_the_distributions_is_that_of_the_program() -> None:
    assert read("server.json")["packages"][0]["version"] == __version__
    fleet = tomllib.loads((ROOT / "memoryclaw-fleet/pyproject.toml").read_text(encoding="utf-8"))
    assert fleet["project"]["version"] == __version__
    assert (
        "version"
        in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dynamic"]
    )


def test_the_registry_finds_its_name_in_what_pypi_shows() -> None:
    assert f"<!-- mcp-name: {read('server.json')['name']} -->" in (ROOT / "README.md").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("path", HOSTS)
def test_a_host_starts_the_server_that_there_is(path: str) -> None:
    server = read(path)["mcpServers"]["memoryclaw"]
    assert can_be_given([server["command"], *server["args"]])


def test_the_hooks_of_the_plugin_are_those_that_connecting_writes() -> None:
    hooks = read(".claude-plugin/plugin.json")["hooks"]
    commands = {event: groups[0]["hooks"][0]["command"] for event, groups in hooks.items()}
    assert commands == {event: f"memoryclaw hook {part}" for event, part, _ in EVENTS}
    assert all(can_be_given(command.split()) for command in commands.values())


def test_a_bundle_holds_the_wheel_and_starts_the_server(tmp_path: Path) -> None:
    dist = runpy.run_path(str(ROOT / "scripts/dist.py"))
    wheel = tmp_path / "memoryclaw-0-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    with zipfile.ZipFile(dist["bundle"](wheel, tmp_path / "memoryclaw.mcpb")) as packed:
        assert packed.read(wheel.name) == b"a wheel"
        project = tomllib.loads(packed.read("pyproject.toml").decode())
        manifest = json.loads(packed.read("manifest.json"))
        assert manifest["server"]["entry_point"] in packed.namelist()
    assert project["tool"]["uv"]["sources"]["memoryclaw"]["path"] == wheel.name
    assert manifest["version"] == __version__


def test_the_package_of_the_openclaw_plugin_declares_its_tools() -> None:
    about = read("plugins/openclaw/package.json")
    assert "private" not in about
    declared = read("plugins/openclaw/openclaw.plugin.json")
    assert set(declared["contracts"]["tools"]) == set(declared["toolMetadata"])
