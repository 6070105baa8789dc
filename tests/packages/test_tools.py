"""The hosts' own programs take the packages: `make test-hosts` fetches them from npm the first time (0.8 GB)."""

from __future__ import annotations

import os
import runpy
import subprocess
from pathlib import Path

import pytest
from conftest import COMMAND

pytestmark = pytest.mark.hosts
ROOT = Path(__file__).parents[2]
TOOLS = Path(os.environ.get("HOST_TOOLS", ROOT / ".venv/hosts")) / "node_modules/.bin"


def run(home: Path, *words: str | Path) -> str:
    """What a host's program prints; it knows no other home than this one, and `memoryclaw` by name."""
    environ = {
        "HOME": os.fspath(home),
        "CODEX_HOME": os.fspath(home / ".codex"),
        "PATH": f"{Path(COMMAND).parent}{os.pathsep}{os.environ['PATH']}",
        "MCP_TIMEOUT": "60000",
    }
    (home / ".codex").mkdir(exist_ok=True)
    ran = subprocess.run(
        [TOOLS / words[0], *words[1:]],
        cwd=home,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with a vault of its own."""
    subprocess.run(
        [COMMAND, "init", tmp_path / "notes", "--default", "--yes"],
        env=os.environ | {"HOME": os.fspath(tmp_path)},
        check=True,
    )
    return tmp_path


def test_claude_code_installs_the_plugin_and_reaches_the_server(home: Path) -> None:
    assert "Validation passed" in run(home, "claude", "plugin", "validate", ROOT)
    run(home, "claude", "plugin", "marketplace", "add", ROOT)
    run(home, "claude", "plugin", "install", "memoryclaw@memoryclaw")
    about = run(home, "claude", "plugin", "details", "memoryclaw@memoryclaw")
    assert "Hooks (4)" in about
    assert "memory-consolidate" in about
    assert "Connected" in run(home, "claude", "mcp", "list")


def test_codex_installs_the_plugin(home: Path) -> None:
    run(home, "codex", "plugin", "marketplace", "add", ROOT)
    run(home, "codex", "plugin", "add", "memoryclaw@memoryclaw")
    assert "enabled" in run(home, "codex", "mcp", "list")


def test_gemini_takes_the_extension_and_reaches_the_server(home: Path) -> None:
    assert "successfully validated" in run(home, "gemini", "extensions", "validate", ROOT)
    run(home, "gemini", "extensions", "link", ROOT, "--consent")
    assert "Connected" in run(home, "gemini", "mcp", "list")


def test_the_bundle_is_one(home: Path) -> None:
    wheel = home / "memoryclaw-0-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    packed = runpy.run_path(os.fspath(ROOT / "scripts/dist.py"))["bundle"](wheel, home / "memoryclaw.mcpb")
    run(home, "mcpb", "unpack", packed, home / "bundle")
    assert "passes" in run(home, "mcpb", "validate", home / "bundle/manifest.json")
