"""The OpenClaw plugin as files: what its manifest promises is what it registers, and it stays small, plain and harmless.

`python -m tests.interfaces.test_plugin_files` copies the shipped skills into the plugin's folder.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
PLUGIN = ROOT / "plugins" / "openclaw"
MODULES = sorted(PLUGIN.glob("*.js"))
TOOLS = ["memory_search", "memory_get", "memory_store", "memory_feedback", "memory_browse"]
WRITES = re.compile(
    r"\b(writeFile|appendFile|createWriteStream|writeSync|copyFile|writev?|rename|unlink|mkdir)\w*\("
)
REGISTERED = """
import plugin from %s;
const tools = [], commands = [];
plugin.register({ pluginConfig: {}, logger: {}, on() {}, registerTool: (_, { name }) => tools.push(name),
  registerCommand: ({ name }) => commands.push(name), registerMemoryCapability() {}, registerService() {} });
console.log(JSON.stringify({ id: plugin.id, tools, commands }));
"""


def read(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((PLUGIN / name).read_text(encoding="utf-8"))
    return value


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_manifest_declares_the_slot_the_tools_and_every_setting() -> None:
    manifest = read("openclaw.plugin.json")
    assert (manifest["id"], manifest["kind"]) == ("memoryclaw", "memory")
    assert manifest["contracts"]["tools"] == TOOLS
    assert {name: about["profiles"] for name, about in manifest["toolMetadata"].items()} == {
        name: ["coding", "messaging"] for name in TOOLS
    }
    schema = manifest["configSchema"]
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == set(manifest["uiHints"])


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_what_is_registered_is_what_the_manifest_promises() -> None:
    script = REGISTERED % json.dumps((PLUGIN / "index.js").as_uri())
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", script], capture_output=True, check=True, timeout=60
    )
    report = json.loads(done.stdout)
    manifest = read("openclaw.plugin.json")
    assert (report["id"], report["tools"]) == (manifest["id"], manifest["contracts"]["tools"])
    assert report["commands"] == [alias["name"] for alias in manifest["commandAliases"]]


def test_the_package_needs_nothing_and_builds_nothing() -> None:
    package = read("package.json")
    assert not [key for key in package if "ependenc" in key]
    assert package["type"] == "module"
    assert package["openclaw"]["extensions"] == ["./index.js"]
    assert set(package["scripts"]) == {"test"}
    assert package["version"] == read("openclaw.plugin.json")["version"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_a_module_is_small_says_its_purpose_and_imports_only_node_and_us(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("/** ")
    assert len(text.splitlines()) <= 150
    for target in re.findall(r'^(?:import|export) [^;]*?from "([^"]+)"', text, re.MULTILINE):
        assert target.startswith(("node:", "./"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_module_writes_to_the_disk_or_goes_through_a_shell(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not WRITES.search(text)
    assert not re.search(r"\bshell\s*:|\bexecSync\(|\beval\(|new Function", text)


def test_the_settings_page_names_every_setting() -> None:
    page = (ROOT / "docs" / "reference" / "openclaw.md").read_text(encoding="utf-8")
    assert not [
        name
        for name in read("openclaw.plugin.json")["configSchema"]["properties"]
        if f"| `{name}` |" not in page
    ]


def test_the_plugin_brings_the_shipped_skills() -> None:
    assert read("openclaw.plugin.json")["skills"] == ["./skills"]
    assert files(PLUGIN / "skills") == files(ROOT / "skills"), "python -m tests.interfaces.test_plugin_files"


if __name__ == "__main__":
    shutil.rmtree(PLUGIN / "skills", ignore_errors=True)
    shutil.copytree(ROOT / "skills", PLUGIN / "skills")
