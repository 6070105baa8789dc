"""The plugin as it is published: OpenClaw installs the packed archive and loads its tools."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hostrig import program

PLUGIN = Path(__file__).parents[2] / "plugins/openclaw"


@pytest.mark.openclaw
def test_openclaw_installs_the_packed_plugin_and_loads_its_tools(tmp_path: Path) -> None:
    node = Path(program()[0]).parent
    env = {
        "HOME": os.fspath(tmp_path),
        "PATH": f"{node}:{os.environ['PATH']}",
        "OPENCLAW_STATE_DIR": os.fspath(tmp_path / "state"),
        "OPENCLAW_CONFIG_PATH": os.fspath(tmp_path / "openclaw.json"),
    }

    def run(*words: str | Path) -> str:
        return subprocess.run(words, env=env, cwd=PLUGIN, capture_output=True, text=True, check=True).stdout

    packed = (
        tmp_path
        / run(shutil.which("npm") or "npm", "pack", "--silent", "--pack-destination", tmp_path).strip()
    )
    run(*program(), "plugins", "install", "--force", "--accept-capabilities", packed)
    shown = json.loads(run(*program(), "plugins", "inspect", "memoryclaw", "--runtime", "--json"))["plugin"]
    assert (shown["status"], shown["source"]) == (
        "loaded",
        f"{tmp_path}/state/extensions/memoryclaw/index.js",
    )
    assert (
        shown["toolNames"] == json.loads((PLUGIN / "openclaw.plugin.json").read_text())["contracts"]["tools"]
    )
