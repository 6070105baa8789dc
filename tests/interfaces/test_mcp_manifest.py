"""docs/reference/mcp-manifest.json is what the server lists, and no tool changes unnoticed; docs/reference/mcp.md tells of each."""

from __future__ import annotations

import hashlib
import os
import re
import runpy
from pathlib import Path

import pytest

from memoryclaw.interfaces.mcp.tools import ROWS
from memoryclaw.interfaces.requests import FAILURES

ROOT = Path(__file__).parent.parent.parent
MANIFEST, PAGE = ROOT / "docs/reference/mcp-manifest.json", ROOT / "docs/reference/mcp.md"
DIGEST = "64335867b041e249388ddacb13438b3805953fe7bab95b301fe01940c1594b8c"


def test_the_manifest_is_what_the_server_lists_today(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(os.fspath(ROOT / "scripts/mcp_manifest.py"), run_name="__main__")
    listed = capsys.readouterr().out
    assert listed == MANIFEST.read_text(encoding="utf-8"), (
        "run: python scripts/mcp_manifest.py > docs/reference/mcp-manifest.json"
    )


def test_the_manifest_is_the_one_that_was_agreed_on() -> None:
    """A host may ask its user again when a tool changes; so a change is made on purpose, and this digest with it."""
    assert hashlib.sha256(MANIFEST.read_bytes()).hexdigest() == DIGEST


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_length_and_number_has_a_limit(row) -> None:
    for name, field in row.takes.model_json_schema()["properties"].items():
        kind = field.get("type")
        assert {
            "string": {"maxLength", "enum", "pattern"},
            "integer": {"maximum", "minimum"},
            "array": {"maxItems"},
            "object": {"maxProperties"},
            "boolean": {"type"},
        }[kind] & field.keys(), name


def test_the_page_tells_of_every_tool_and_what_it_does() -> None:
    words = {"reads": "no", "adds": "adds", "takes away": "yes"}
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(memory_\w+)` \| ([^|]+) \| ([^|]+) \|", page, re.MULTILINE)
    assert [(name, takes, does) for name, takes, does in rows] == [
        (row.name, ", ".join(f"`{name}`" for name in row.takes.model_fields), words[row.does]) for row in ROWS
    ]
    codes = {code for _, _, code in FAILURES} - {"not_acknowledged", "moved", "unreachable"}  # of a fleet
    assert set(re.findall(r"^\| `([a-z_]+)` \| (?!`)", page, re.MULTILINE)) == codes | {"system", "bug"}
