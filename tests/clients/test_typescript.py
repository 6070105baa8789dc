"""The TypeScript client: its types are those of the served document, a wrong name does not compile, and it asks a real daemon."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import VaultOf
from daemons import serving

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients/typescript"
TOOLS = Path(os.environ.get("TYPESCRIPT_TOOLS", ROOT / ".venv/typescript"))


def test_the_verbs_are_those_of_the_document() -> None:
    made = runpy.run_path(str(ROOT / "scripts/typescript_client.py"))["verbs"]()
    assert (CLIENT / "src/verbs.ts").read_text() == made, "an answer or a request changed: run `make client`"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "client"
    shutil.copytree(CLIENT, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (folder / "node_modules").symlink_to(TOOLS / "node_modules")
    return folder


def tsc(package: Path, project: str) -> str:
    command = [TOOLS / "node_modules/.bin/tsc", "-p", package / project]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.openclaw
def test_the_types_are_those_of_the_document_and_a_wrong_name_does_not_compile(package: Path) -> None:
    made = runpy.run_path(str(ROOT / "scripts/typescript_client.py"))["schema"](TOOLS)
    assert (CLIENT / "src/schema.ts").read_text() == made, "run `make client`"
    assert tsc(package, "test") == ""
    promises = package / "test/types.ts"
    promises.write_text(promises.read_text().replace("recalled.context;", "recalled.contest;"))
    assert "Property 'contest' does not exist" in tsc(package, "test")


@pytest.mark.openclaw
def test_the_client_asks_a_daemon(package: Path, vault_of: VaultOf) -> None:
    assert tsc(package, "tsconfig.json") == ""
    text = "# Tea & toast\nNora prefers Assam.\n"
    with serving(vault_of({"notes/tea & toast.md": text})) as daemon:
        command = ["node", package / "test/recall.mjs", daemon.address["url"], daemon.agents_token]
        answers = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert "Nora prefers Assam." in answers.pop("context")
    assert answers == {
        "shown": text,
        "listed": 1,
        "refused": [True, 404, "not_found"],
        "stranger": 401,
    }
