"""What a repository has beside the code: files that can be read, and commands in them that can be given."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import yaml

from memoryclaw import __version__
from memoryclaw.interfaces.cli.verbs import cli

ROOT = Path(__file__).parents[2]


def test_the_image_starts_a_command_that_there_is() -> None:
    last = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()[-1]
    words = json.loads(last.removeprefix("CMD "))
    command = cli.get_command(click.Context(cli), words[1])
    assert command
    command.make_context(words[1], words[2:])


def test_the_workflows_run_what_there_is() -> None:
    for path in (ROOT / ".github").rglob("*.yml"):
        assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict), path
    text = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    assert (ROOT / re.findall(r"(\.ci/\w+)", text)[0]).is_file()
    assert "make dist" in (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    assert re.search(r"^dist:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_citation_is_of_this_version() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == __version__


def test_the_guides_of_the_repository_lead_to_what_there_is() -> None:
    for name in ("AGENTS.md", "SECURITY.md", "CODE_OF_CONDUCT.md"):
        for target in re.findall(r"\]\(([^)#]+)", (ROOT / name).read_text(encoding="utf-8")):
            assert (ROOT / target).exists(), (name, target)
