"""docs/reference/python.md is the example test of the Python API: every example runs, and every verb has one."""

from __future__ import annotations

import doctest
import inspect
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import git

import memoryclaw
from memoryclaw.app import App
from memoryclaw.app.openclaw import OpenClaw
from memoryclaw.app.review import Review
from memoryclaw.app.skills import Skills
from memoryclaw.app.transfer import Transfer
from memoryclaw.app.working import Working

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reference" / "python.md"


@pytest.mark.docs
def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYCLAW_NOW", datetime(2026, 4, 20, 8, tzinfo=UTC).isoformat())
    monkeypatch.setenv("OPENCLAW_GATEWAY_TOKEN", "never used: nothing is called")
    studio = tmp_path / "studio"
    shutil.copytree(ROOT / "vault", studio)
    golden = (
        studio / "eval/questions.yaml"
    )  # asked before and after each of nine plans: a few of them show as much
    golden.write_text("\n\n".join(golden.read_text().split("\n\n")[:5]))
    git(studio, "init", "-q")
    git(studio, "add", "-A")
    git(studio, "commit", "-qm", "mine")
    ran = doctest.testfile(str(PAGE), module_relative=False, globs={"studio": studio}, encoding="utf-8")
    assert ran.attempted > 30
    assert ran.failed == 0


def test_every_verb_has_an_example() -> None:
    shown = set(re.findall(r"\bapp\.(\w+(?:\.\w+)?)", PAGE.read_text(encoding="utf-8")))
    parts = {
        "": App, "openclaw.": OpenClaw, "review.": Review, "skills.": Skills, "transfer.": Transfer, "working.": Working,
    }  # fmt: skip
    verbs = {
        prefix + name
        for prefix, part in parts.items()
        for name, _ in inspect.getmembers(part, inspect.isfunction)
        if not name.startswith("_")
    }
    assert verbs <= shown


def test_the_package_has_its_public_names() -> None:
    assert {name: getattr(memoryclaw, name) is not None for name in memoryclaw.__all__} == dict.fromkeys(
        memoryclaw.__all__, True
    )
    with pytest.raises(AttributeError, match="no attribute 'open_valut'"):
        memoryclaw.open_valut  # noqa: B018
