"""The skills that we ship hold to what we ask of skills, and name only what exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memoryclaw.interfaces.cli.verbs import VERBS
from memoryclaw.skills.lint import lint
from memoryclaw.skills.skill_file import read_skill

ROOT = Path(__file__).parents[2]
SKILLS = sorted((ROOT / "skills").glob("*/SKILL.md"))
TOOLS = {
    "memory_search", "memory_get", "memory_store", "memory_feedback", "memory_browse", "memory_facts",
    "memory_review",
}  # fmt: skip


def test_the_skills_of_this_issue_are_there() -> None:
    assert [path.parent.name for path in SKILLS] == [
        "memory-consolidate", "memory-search", "memory-store", "memoryclaw", "skill-proposing",
    ]  # fmt: skip


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_shipped_skill_is_sound_and_short(path: Path) -> None:
    data = path.read_bytes()
    assert lint(f"skills/{path.parent.name}/SKILL.md", data) == []
    description = read_skill(f"skills/{path.parent.name}/SKILL.md", data).skill.description
    assert len(description) < 160
    assert description.endswith(".")
    assert len(data) < 5000  # it is read into a prompt


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_shipped_skill_names_only_tools_and_verbs_that_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"\bmemory_[a-z]+", text)) <= TOOLS
    verbs = set(re.findall(r"`memoryclaw ([a-z]+)", text))
    assert verbs
    assert verbs <= VERBS.keys()
