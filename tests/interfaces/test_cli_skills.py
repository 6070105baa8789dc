"""`skills` on the command line: what it prints, what it answers as JSON, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Claw, git


@pytest.fixture
def kept(studio: Path) -> Claw:
    """The vault with one of everything, in git."""
    git(studio, "init", "-q")
    (studio / ".gitignore").write_text(".memoryclaw/\nlogs/\nledger/\n")
    git(studio, "add", "-A")
    git(studio, "commit", "-qm", "first")
    return Claw(studio)


def test_without_a_verb_the_skills_are_listed(asked: Claw) -> None:
    ran = asked("skills")
    assert ran == asked("skills", "list")
    assert "send-update" in ran.out
    assert "not approved" in ran.out


def test_a_skill_is_written_linted_approved_and_changed(kept: Claw) -> None:
    made = kept(
        "skills", "new", "water-plants", "--description", "Waters the plants on Fridays.", "--json"
    ).json
    assert (made["action"], made["path"]) == ("created", "skills/water-plants/SKILL.md")
    assert kept("skills", "lint", "water-plants") == (0, "No problems.\n", "")
    approved = kept("skills", "approve", "water-plants")
    digest = kept("skills", "show", "water-plants", "--json").json["digest"]
    assert digest in approved.out
    with (kept.vault / "skills/water-plants/SKILL.md").open("a") as file:
        file.write("\n")
    listed = kept("skills", "list", "--json").json["skills"]
    assert {skill["name"]: skill["state"] for skill in listed}["water-plants"] == "changed since approval"
    assert kept("skills", "reject", "water-plants", "--json").json["action"] == "withdrawn"
    assert kept("skills", "reject", "water-plants").code == 1


def test_lint_tells_file_line_and_hint_and_exits_with_1(asked: Claw) -> None:
    (asked.vault / "skills/send-update/SKILL.md").write_text("---\nname: send-update\n---\nx\n")
    ran = asked("skills", "lint")
    assert ran.code == 1
    assert ran.out.startswith(
        "skills/send-update/SKILL.md:1: this skill has no description; say in one sentence"
    )
    linted = asked("skills", "lint", "send-update", "--json")
    assert (linted.code, linted.json["sound"], linted.json["problems"][0]["line"]) == (1, False, 1)


def test_match_tells_which_skill_why_and_that_nobody_approved_it(asked: Claw) -> None:
    ran = asked("skills", "match", "send", "an", "update", "to", "Søren")
    assert ran.code == 0
    assert ran.out.startswith("send-update  ")
    assert "not offered: nobody has approved it here; `memoryclaw skills approve send-update`" in ran.out
    [match] = asked("skills", "match", "send an update", "--json").json["skills"]
    assert sum(term["value"] for term in match["why"]["terms"]) == pytest.approx(match["score"])
    assert match["offered"] is False
    assert asked("skills", "match", "moonlight").out.startswith("No skill shares a word with this")


def test_show_prints_the_file_and_tells_its_digest_beside_it(asked: Claw) -> None:
    ran = asked("skills", "show", "send-update")
    assert ran.out == (asked.vault / "skills/send-update/SKILL.md").read_text()
    assert "not approved, sha256 " in ran.err
