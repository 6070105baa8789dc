"""`skills` on the command line: what it prints, what it answers as JSON, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Claw, git

SHARED = ("--vault DIR", "--json")


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


def test_vault_and_json_are_taken_anywhere(asked: Claw, claw: Claw) -> None:
    wanted = asked("skills", "list", "--json").json
    for args in (["--json", "--vault", asked.vault, "skills"], ["skills", "--vault", asked.vault, "--json"], ["skills", "--json", "list", "--vault", asked.vault]):  # fmt: skip
        assert claw(*args).json == wanted


def test_a_slip_gets_a_suggestion(asked: Claw) -> None:
    ran = asked("skills", "aprove", "x")
    assert ran.code == 2
    assert "Did you mean 'approve'?" in ran.err


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
    assert {one["name"]: one["state"] for one in listed}["water-plants"] == "changed since approval"
    assert kept("skills", "reject", "water-plants", "--json").json["action"] == "withdrawn"
    assert kept("skills", "reject", "water-plants").code == 1


def test_lint_tells_file_line_and_hint_and_exits_with_1(asked: Claw) -> None:
    (asked.vault / "skills/send-update/SKILL.md").write_text("---\nname: send-update\n---\nx\n")
    ran = asked("skills", "lint")
    assert ran.code == 1
    assert ran.out.startswith(
        "skills/send-update/SKILL.md:1: this skill has no description; say in one sentence"
    )
    found = asked("skills", "lint", "send-update", "--json")
    assert (found.code, found.json["sound"], found.json["problems"][0]["line"]) == (1, False, 1)


def test_match_tells_which_skill_why_and_that_nobody_approved_it(asked: Claw) -> None:
    ran = asked("skills", "match", "send", "an", "update", "to", "Søren")
    assert ran.code == 0
    assert ran.out.startswith("send-update  ")
    assert "not offered: nobody has approved it here; `memoryclaw skills approve send-update`" in ran.out
    [found] = asked("skills", "match", "send an update", "--json").json["skills"]
    assert sum(term["value"] for term in found["why"]["terms"]) == pytest.approx(found["score"])
    assert found["offered"] is False
    assert asked("skills", "match", "moonlight").out.startswith("No skill shares a word with this")


def test_show_prints_the_file_and_tells_its_digest_beside_it(asked: Claw) -> None:
    ran = asked("skills", "show", "send-update")
    assert ran.out == (asked.vault / "skills/send-update/SKILL.md").read_text()
    assert "not approved, sha256 " in ran.err


def test_what_is_not_there_ends_with_1_and_one_sentence(asked: Claw) -> None:
    ran = asked("skills", "show", "send-updat")
    assert (ran.code, ran.out) == (1, "")
    assert "did you mean send-update?" in ran.err


def test_nothing_in_a_skill_reaches_the_terminal_unmade_harmless(asked: Claw) -> None:
    evil = '---\nname: evil\ndescription: "send \\e[31m red \\u202e"\n---\n\x1b[2J\u202e send\n'
    (asked.vault / "skills/evil").mkdir()
    (asked.vault / "skills/evil/SKILL.md").write_text(evil)
    for args in (
        ["list"],
        ["show", "evil"],
        ["match", "send"],
        ["lint"],
        ["list", "--json"],
        ["show", "evil", "--json"],
    ):
        ran = asked("skills", *args)
        assert "\x1b" not in ran.out + ran.err
        assert "\u202e" not in ran.out + ran.err
