"""Builds what is published into dist/: wheels, source archives, the bundle for Claude Desktop, and for npm the OpenClaw plugin and the client.

`python scripts/dist.py` builds; with `--try` it then installs the wheel in an empty environment and runs the demonstration from it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
ABOUT = json.loads((ROOT / ".claude-plugin/plugin.json").read_text(encoding="utf-8"))


def manifest() -> dict[str, object]:
    """The manifest of an MCP bundle: the host brings uv, which fetches what the wheel needs."""
    return {
        "manifest_version": "0.4",
        "display_name": "MemoryClaw",
        **{key: ABOUT[key] for key in ("name", "version", "description", "author", "license", "keywords")},
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "server.py"],
                "env": {"MEMORYCLAW_VAULT": "${user_config.vault}"},
            },
        },
        "user_config": {
            "vault": {
                "type": "directory",
                "title": "Vault",
                "description": "The folder of your notes; `memoryclaw init` makes it a vault.",
                "required": True,
            }
        },
        "compatibility": {"platforms": ["darwin", "linux"], "runtimes": {"python": ">=3.11"}},
    }


def bundle(wheel: Path, target: Path) -> Path:
    """Packs a wheel as an MCP bundle."""
    project = f"""[project]
name = "memoryclaw-bundle"
version = "{ABOUT["version"]}"
requires-python = ">=3.11"
dependencies = ["memoryclaw[mcp]"]

[tool.uv.sources]
memoryclaw = {{ path = "{wheel.name}" }}
"""
    server = """import sys

from memoryclaw.interfaces.cli import main

sys.argv = ["memoryclaw", "mcp"]
main()
"""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("manifest.json", json.dumps(manifest(), indent=2))
        packed.writestr("pyproject.toml", project)
        packed.writestr("server.py", server)
        packed.write(wheel, wheel.name)
    return target


def build() -> Path:
    """Builds all of it; returns the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    for folder in (ROOT, ROOT / "memoryclaw-fleet"):
        subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", DIST], cwd=folder, check=True)
    [wheel] = DIST.glob("memoryclaw-*.whl")
    bundle(wheel, DIST / f"memoryclaw-{ABOUT['version']}.mcpb")
    if npm := shutil.which("npm"):
        with tempfile.TemporaryDirectory(prefix="memoryclaw-client-") as folder:
            client = shutil.copytree(ROOT / "clients/typescript", Path(folder) / "client")
            subprocess.run([npm, "install", "--ignore-scripts", "--silent"], cwd=client, check=True)
            for package in (ROOT / "plugins/openclaw", client):
                subprocess.run([npm, "pack", "--silent", "--pack-destination", DIST], cwd=package, check=True)
    else:
        print("npm is not on this machine: the packages for it were not built", file=sys.stderr)
    return wheel


def tried(wheel: Path) -> None:
    """Runs the demonstration from a wheel that is installed in an empty environment."""
    with tempfile.TemporaryDirectory(prefix="memoryclaw-dist-") as folder:
        venv.create(folder, with_pip=True)
        programs = Path(folder) / "bin"
        subprocess.run(
            [programs / "pip", "install", "--quiet", "--disable-pip-version-check", wheel], check=True
        )
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        subprocess.run([ROOT / "scripts/demo.sh"], check=True, env=os.environ | {"PATH": path})


if __name__ == "__main__":
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--try", action="store_true", dest="tries", help="install the wheel and run the demonstration"
    )
    chosen = options.parse_args()
    wheel = build()
    if chosen.tries:
        tried(wheel)
    for path in sorted(DIST.iterdir()):
        print(f"{path.stat().st_size:>10,}  {path.relative_to(ROOT)}")
