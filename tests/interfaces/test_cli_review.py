"""`review`, `history` and `blame` as a person types them, and as a program reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import STUDIO, Claw, VaultOf, git, put

from memoryclaw.consolidation.actions import NewFile, SetFact
from memoryclaw.consolidation.changes import PlannedChange, proposal
from memoryclaw.writing.pending import waiting_id

RUN = "consolidate-20260419T080000-abc123"
PENDING = (
    "# Waiting for a yes or a no\n\n- [ ] Boathouse.deadline: 2027-01-31 [confidence:: low] [source:: [[ep-wind]]]\n"
    "  - known: 2026-12-11\n  - why: Nora was not sure\n- [ ] Kiosk.lead: Anna\n"
)
CHANGE = PlannedChange(
    kind="episode",
    title="Kiosk colour agreed",
    actions=(
        NewFile(
            "episodes/2026-04-19_08-00-00_kiosk.md", "---\nid: kiosk\n---\n- Nora: It is \x1b[31mred. ^l3\n"
        ),
        SetFact("semantic/projects.md", "Kiosk", "colour", "red", "2026-04-19", "kiosk#^l3"),
    ),
    evidence=('Nora: "It is red"',),
    reason="everything is proposed first",
)
PATH = proposal(CHANGE, RUN)[0]
ID = PATH.removeprefix("review/").removesuffix(".md")
DEADLINE, LEAD = (
    waiting_id(*fact) for fact in (("Boathouse", "deadline", "2027-01-31"), ("Kiosk", "lead", "Anna"))
)


@pytest.fixture
def desk(vault_of: VaultOf) -> Claw:
    """The command, on a vault in which two facts, a proposal and a draft wait."""
    draft = "---\nname: book-trains\ndescription: Book a train\n---\nx\n"
    waits = {
        "semantic/_pending.md": PENDING,
        PATH: proposal(CHANGE, RUN)[1],
        "skills/_drafts/book-trains/SKILL.md": draft,
    }
    root = vault_of({**STUDIO, ".gitignore": ".memoryclaw/\nlogs/\nledger/\n", **waits})
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Nora")
    git(root, "config", "user.email", "nora@example.org")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return Claw(root)


def root_of(desk: Claw) -> Path:
    return desk.vault


def commits(desk: Claw) -> int:
    return int(git(root_of(desk), "rev-list", "--count", "HEAD"))


def test_what_waits_is_listed_with_its_reason(desk: Claw) -> None:
    assert desk("review").out == desk("review", "list").out
    lines = desk("review").out.splitlines()
    assert lines[0].split() == ["id", "kind", "what", "why"]
    assert "Boathouse: deadline is 2027-01-31 (now 2026-12-11)" in lines[1]
    assert "Nora was not sure" in lines[1]
    waiting = desk("review", "--json").json["waiting"]
    assert [item["id"] for item in waiting] == [DEADLINE, LEAD, ID, "book-trains"]
    assert waiting[2]["run"] == RUN
    assert waiting[2]["evidence"] == ['Nora: "It is red"']


def test_nothing_waits(studio: Path) -> None:
    put(studio, {"notes/x.md": "x\n"})
    assert Claw(studio)("review").out == "Nothing waits.\n"
    assert Claw(studio)("review", "apply").out == "Nothing to decide.\n"
    assert Claw(studio)("review", "--json").json == {"waiting": []}


def test_a_difference_is_told_word_by_word_without_colour(desk: Claw) -> None:
    ran = desk("review", "show", DEADLINE)
    assert "  waits: Nora was not sure\n" in ran.out
    assert "  ~ - deadline: [-2026-12-11-]{+2027-01-31+} [since:: " in ran.out  # a date is one word
    assert "\x1b" not in desk("review", "diff", ID).out
    files = desk("review", "diff", RUN, "--json").json["differences"][0]["files"]
    assert [file["path"] for file in files] == [
        "episodes/2026-04-19_08-00-00_kiosk.md",
        "semantic/projects.md",
    ]
    [line] = [line for line in files[1]["hunks"][0] if line["pieces"][0]["kind"] == "come"]
    assert line["pieces"] == [
        {"kind": "come", "text": "- colour: red [since:: 2026-04-19] [source:: [[kiosk#^l3]]]"}
    ]


def test_yes_and_no_are_commits_by_name(desk: Claw) -> None:
    ran = desk("review", "approve", DEADLINE, ID)
    assert ran.code == 0
    assert ran.out.startswith("approved: Boathouse: deadline is 2027-01-31 (now 2026-12-11) (")
    assert desk("facts", "Kiosk", "--json").json["facts"][-1]["value"] == "red"
    done = desk("review", "reject", LEAD, "--json").json["decided"]
    assert [(decision["id"], decision["action"]) for decision in done] == [(LEAD, "rejected")]
    assert commits(desk) == 4
    decided = [
        json.loads(line) for line in (root_of(desk) / "review/decisions.jsonl").read_text().splitlines()
    ]
    assert {decision["by"] for decision in decided} == {"Nora"}
    assert [item["id"] for item in desk("review", "--json").json["waiting"]] == ["book-trains"]


def test_a_run_is_named_as_well_as_an_id(desk: Claw) -> None:
    assert desk("review", "reject", RUN).code == 0
    assert (root_of(desk) / f"archive/{PATH}").exists()


def test_everything_is_decided_only_after_a_yes(desk: Claw) -> None:
    assert desk("review", "approve").code == 2
    assert desk("review", "approve", DEADLINE, "--all").code == 2
    ran = desk("review", "approve", "--all")
    assert (ran.code, commits(desk)) == (2, 1)
    assert "--yes" in ran.err
    assert desk("review", "approve", "--all", "--yes").code == 0
    assert commits(desk) == 4


def test_a_skill_is_decided_elsewhere(desk: Claw) -> None:
    ran = desk("review", "approve", "book-trains")
    assert ran.code == 1
    assert "memoryclaw skills approve book-trains" in ran.err
    assert commits(desk) == 1
    assert desk("review", "show", "book-trains").code == 0


def test_one_failure_among_several_is_told_and_the_exit_code_is_1(desk: Claw) -> None:
    path = root_of(desk) / "semantic/projects.md"
    path.write_text(path.read_text().replace("2026-12-11", "2026-12-24"))
    ran = desk("review", "approve", DEADLINE, LEAD)
    assert ran.code == 1
    assert ran.out.splitlines()[0].startswith("failed: Boathouse")
    assert ran.out.splitlines()[1].startswith("approved: Kiosk")
    assert "commit them" in ran.err
    assert "2026-12-24" in path.read_text()


def test_ticked_boxes_are_shown_and_done(desk: Claw) -> None:
    pending, ticked = root_of(desk) / "semantic/_pending.md", root_of(desk) / PATH
    pending.write_text(PENDING.replace("- [ ] Kiosk", "- [x] Kiosk").replace("- [ ] Boat", "- [-] Boat"))
    ticked.write_text(ticked.read_text().replace("- [ ] approve", "- [x] approve"))
    ran = desk("review", "apply")
    assert (ran.code, commits(desk)) == (2, 1)
    assert "+ - lead: Anna" in ran.out
    assert "no to: Boathouse" in ran.out
    ran = desk("review", "apply", "--yes")
    assert ran.code == 0
    assert "approved: Kiosk: lead is Anna" in ran.out
    assert "rejected: Boathouse" in ran.out
    assert commits(desk) == 4
    assert git(root_of(desk), "status", "--porcelain") == ""


def test_both_boxes_ticked_is_a_failure_that_says_so(desk: Claw) -> None:
    path = root_of(desk) / PATH
    path.write_text(path.read_text().replace("- [ ] ", "- [x] "))
    ran = desk("review", "apply", "--yes")
    assert ran.code == 1
    assert "both boxes" in ran.err
    assert path.exists()


def test_an_editor_puts_it_in_other_words_and_it_goes_on_waiting(desk: Claw, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/2027-01-31/2027-02-01/' \"$1\"\n")
    editor.chmod(0o755)
    done = Claw(desk.vault, VISUAL=str(editor))("review", "edit", DEADLINE, "--json").json
    assert done["action"] == "edited"
    assert "Boathouse: deadline is 2027-02-01" in desk("review").out
    assert commits(desk) == 2
    lazy = Claw(desk.vault, VISUAL="true")("review", "edit", ID)
    assert lazy.code == 0
    assert "nothing was changed" in lazy.err
    assert commits(desk) == 2


@pytest.mark.parametrize("editor", ["false", "/no/such/editor", "vi 'open"])
def test_an_editor_that_fails_ends_with_one_sentence(desk: Claw, editor: str) -> None:
    ran = Claw(desk.vault, VISUAL=editor)("review", "edit", DEADLINE)
    assert ran.code == 1
    assert ran.err.count("\n") == 1
    assert "the editor failed" in ran.err


def test_history_and_blame_tell_who_and_when(desk: Claw) -> None:
    desk("review", "approve", ID)
    lines = desk("history").out.splitlines()
    assert lines[0].split() == ["when", "commit", "by", "what", "files"]
    assert "approve  Approve: Kiosk colour agreed" in lines[1]
    assert "by hand  first" in lines[2]
    [commit] = desk("history", "Kiosk.colour", "--json").json["commits"]
    assert (commit["kind"], commit["author"], commit["run"][:8]) == ("approve", "Nora", "approve-")
    blame = desk("blame", "Kiosk.colour").out.splitlines()
    assert blame[0] == "Kiosk: colour is red, since 2026-04-19 (semantic/projects.md:10)"
    assert blame[1].startswith("Set by approve-")
    assert blame[2:4] == [
        "Approved by Nora on 2026-04-20.",
        "Told in episodes/2026-04-19_08-00-00_kiosk.md: Nora: It is [31mred.",
    ]
    blamed = desk("blame", "Kiosk.colour", "--json").json
    assert blamed["approved"] == {"by": "Nora", "at": "2026-04-20T08:00:00Z"}
    assert desk("blame", "Kiosk.deadline").out.splitlines()[1].startswith("Set by hand, by Nora,")
    assert desk("history", "nothing/here").code == 1
    assert desk("blame", "ep-wind").code == 1


def test_what_history_names_can_be_taken_back(desk: Claw) -> None:
    desk("review", "approve", ID)
    [commit, *_] = desk("history", "--json").json["commits"]
    assert desk("undo", commit["run"]).code == 0
    assert (root_of(desk) / PATH).exists()
