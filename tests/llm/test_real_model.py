"""Real weights, behind a server of Ollama's form, asked through the unmodified client: the answers may be poor, the reading may not be.

`make test-llm` runs it and prints what the model said.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Claw, Own, put
from gitvault import git, vault_of
from nights import NIGHT, PROJECTS, SCHEMA, tree
from nights import said as spoken
from segments import basis_of, segment_of

from memoryclaw import config
from memoryclaw.consolidation.changes import Extraction
from memoryclaw.consolidation.model_chain import model_chain
from memoryclaw.models.llm import Endpoint, Prompt
from memoryclaw.models.ollama import Ollama
from memoryclaw.writing.context import Templates

pytestmark = [
    pytest.mark.llm,
    pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="make test-llm installs it"),
]
SERVER = Path(__file__).parents[1] / "servers" / "realmodel.py"
MODEL = "smollm2:135m"
PAINT = (
    ("user Nora", "Hi Pip, we finally chose the paint for the kitchen wall."),
    ("assistant Pip", "Which one is it?"),
    ("user Nora", "Dünensand 14, matt. My email for the shop is nora@example.org."),
    ("assistant Pip", "I order 7.5 litres from Farben Kröger for Thursday."),
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server with the weights in it, in a process of its own."""
    with subprocess.Popen(
        [sys.executable, SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()


def said(what: object) -> None:
    """Shows what the model said; `make test-llm` lets it through."""
    sys.stdout.write(f"\n{what}\n")


def settings_for(url: str, model: str = MODEL, *, timeout: int = 600, retries: int = 1) -> str:
    """Own settings that name the model at this address."""
    values = {"chain": "[ollama]", "url": url, "model": model, "timeout": timeout, "retries": retries}
    return "llm:\n" + "".join(f"  {key}: {value}\n" for key, value in values.items())


def read(root: Path, url: str, model: str = MODEL) -> Extraction:
    """What comes of a short talk, read with the model at this address."""
    put(root, {"own/memoryclaw/config.yaml": settings_for(url, model)})
    mine = config.load(root, {"XDG_CONFIG_HOME": str(root / "own")})
    return model_chain(mine, Templates(), {}).read(segment_of(PAINT), basis_of(), {})


def test_a_real_model_is_heard_or_the_reading_is_by_patterns(tmp_path: Path, url: str):
    reading = read(tmp_path, url)
    said(reading)
    assert (reading.by == f"ollama/{MODEL}") != bool(reading.degraded)
    lines = dict(enumerate((text for _, text in PAINT), 1))
    assert all(claim.quote in lines[claim.line] for claim in reading.claims)
    assert reading.points == basis_of().points
    assert reading.title
    assert reading.summary


def test_the_wire_holds_and_the_same_prompt_gets_the_same_answer(url: str):
    mind = Ollama(Endpoint("Ollama", "llm.url", url, 600), MODEL)
    schema = {
        "type": "object",
        "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}},
        "required": ["colour"],
    }
    prompt = Prompt("Answer in JSON.", "Which colour is the sky?")
    mind.reach()
    answer = mind.ask(prompt, schema)
    said(answer)
    assert json.loads(answer)["colour"] in {"red", "blue"}
    assert mind.ask(prompt, schema) == answer


def test_a_model_that_the_server_has_not_is_said(tmp_path: Path, url: str):
    assert "Ollama has no model llama3.2" in read(tmp_path, url, "llama3.2").degraded


LOG = "logs/2026-04-19/evening.jsonl"
SAID = (*PAINT, ("user Nora", "The deadline of Boathouse is now 2026-12-18."))


def consolidated(root: Path) -> str:
    """What the command says of a night; it may take its time, the model does."""
    claw = Claw(root, MEMORYCLAW_NOW=NIGHT.isoformat())
    with claw.start("consolidate", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        out, err = command.communicate(timeout=600)
    assert command.returncode == 0, os.fsdecode(err)
    return out.decode()


def test_the_whole_command_makes_memory_of_a_conversation(tmp_path: Path, url: str, own: Own):
    own(settings_for(url, timeout=300, retries=0))
    talk = spoken("evening", SAID)
    files = {
        "semantic/projects.md": PROJECTS,
        "semantic/_schema.yaml": SCHEMA,
    }
    root = put(vault_of(tmp_path / "vault", files), {LOG: talk})
    said(consolidated(root))
    assert (root / LOG).read_text() == talk
    (episode,) = root.glob("episodes/*.md")
    said(episode.read_text())
    assert "Dünensand 14, matt" in episode.read_text()
    (path,) = root.glob("runs/*.json")
    record = json.loads(path.read_text())
    assert (f"ollama/{MODEL}" in record["minds"]) != bool(record["degraded"])
    # What patterns read stays, whatever the model says.
    assert "- deadline: 2026-12-18 " in (root / "semantic/projects.md").read_text()
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "fsck", "--strict", "--no-dangling") == ""
    before, head = tree(root), git(root, "rev-parse", "HEAD")
    consolidated(root)
    assert (tree(root), git(root, "rev-parse", "HEAD")) == (before, head)
