"""What hosts are given: exactly what a person approved, whatever happens to the files and the copies."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from gitvault import git, pen_for, vault_of

from memoryclaw.errors import InputError
from memoryclaw.skills.approve import approve_skill, reject_skill
from memoryclaw.skills.host_skills import HostFolder, host_skills
from memoryclaw.skills.lint import lint
from memoryclaw.skills.listing import everything, list_skills

MAIL = "---\nname: mail\ndescription: Sends an email to one person.\n---\nAsk first.\n"
DRAFT = "---\nname: wind-plan\ndescription: Sends the wind plan to the crew.\n---\nLook, then send.\n"
FILES = {
    "skills/mail/SKILL.md": MAIL,
    "skills/mail/forms/short.md": "Dear X,\n",
    "skills/chase.json": '{"name": "chase", "description": "Chases an invoice that is late."}\n',
    "skills/_drafts/wind-plan/SKILL.md": DRAFT,
    "skills/unseen/SKILL.md": MAIL.replace("mail", "unseen"),
}


@pytest.fixture
def root(tmp_path):
    return vault_of(tmp_path / "v", FILES)


def state(root):
    return root / ".memoryclaw"


def refreshed(root):
    return host_skills(str(root), HostFolder(str(state(root))), sees=everything)


def given(root):
    """What a host finds, after a refresh."""
    folder = root / ".memoryclaw/host-skills"
    assert str(folder) == refreshed(root).folder
    files = {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}
    assert not [name for name in os.listdir(state(root)) if name != "host-skills"], "nothing is left behind"
    return files


def test_only_what_is_approved_is_given_with_all_its_files(root):
    assert given(root) == {}
    approve_skill(pen_for(root), "mail")
    assert given(root) == {"mail/SKILL.md": MAIL, "mail/forms/short.md": "Dear X,\n"}
    approve_skill(pen_for(root), "wind-plan")
    assert given(root)["wind-plan/SKILL.md"] == DRAFT


def test_a_changed_byte_leaves_the_approved_version_in_place_until_the_new_one_is_approved(root):
    approve_skill(pen_for(root), "mail")
    before = given(root)
    (root / "skills/mail/SKILL.md").write_text(MAIL.replace("Ask first", "Ask last!"))
    assert given(root) == before
    assert [(skill.name, skill.version) for skill in refreshed(root).skills] == [("mail", "earlier")]
    approve_skill(pen_for(root), "mail")
    assert "Ask last!" in given(root)["mail/SKILL.md"]
    assert [skill.version for skill in refreshed(root).skills] == ["current"]


@pytest.mark.parametrize("committed", [False, True])
def test_the_copies_may_be_deleted_at_any_moment(root, committed):
    approve_skill(pen_for(root), "mail")
    before = given(root)
    (root / "skills/mail/SKILL.md").write_text(MAIL + "More.\n")
    (root / "skills/mail/extra.md").write_text("x")
    if committed:
        git(root, "commit", "-qam", "edited")
    shutil.rmtree(state(root))
    assert given(root) == before


def test_a_version_that_is_nowhere_any_more_is_not_served_and_that_is_said(root):
    path = root / "skills/new/SKILL.md"
    path.parent.mkdir()
    path.write_text(MAIL.replace("mail", "new", 1))
    approve_skill(pen_for(root), "new")
    assert "new/SKILL.md" in given(root)
    path.write_text("changed")
    assert given(root)["new/SKILL.md"] == MAIL.replace("mail", "new", 1), "the copy itself still holds it"
    shutil.rmtree(state(root))
    assert given(root) == {}
    [left] = refreshed(root).left_out
    assert (left.name, "memoryclaw skills approve new" in left.reason) == ("new", True)


def test_what_was_withdrawn_rejected_or_taken_away_is_removed(root):
    approve_skill(pen_for(root), "mail")
    approve_skill(pen_for(root), "wind-plan")
    assert len(given(root)) == 3
    reject_skill(pen_for(root), "mail")
    assert list(given(root)) == ["wind-plan/SKILL.md"]
    shutil.rmtree(root / "skills/wind-plan")
    assert given(root) == {}


def test_withdrawing_takes_the_earlier_version_too(root):
    approve_skill(pen_for(root), "mail")
    (root / "skills/mail/SKILL.md").write_text(MAIL + "More.\n")
    reject_skill(pen_for(root), "mail")
    assert given(root) == {}


def test_a_status_written_by_hand_changes_nothing(root):
    (root / "skills/mail/SKILL.md").write_text(
        MAIL.replace("---\nAsk", "status: approved\napproved: true\n---\nAsk")
    )
    assert given(root) == {}


def test_a_mix_of_two_approved_versions_is_not_a_version(root):
    approve_skill(pen_for(root), "mail")
    for path, text in (("SKILL.md", MAIL + "Two.\n"), ("forms/short.md", "Dear Y,\n")):
        (root / "skills/mail" / path).write_text(text)
    approve_skill(pen_for(root), "mail")
    refreshed(root)
    (root / "skills/mail/forms/short.md").write_text("Dear X,\n")
    assert given(root) == {"mail/SKILL.md": MAIL + "Two.\n", "mail/forms/short.md": "Dear Y,\n"}


def test_a_copy_that_somebody_changed_is_made_anew(root):
    approve_skill(pen_for(root), "mail")
    before = given(root)
    copy = root / ".memoryclaw/host-skills/mail"
    (copy / "SKILL.md").write_text("Do evil.")
    assert given(root) == before
    (copy / ".hidden.md").write_text("Do evil.")
    assert given(root) == before
    (copy / "empty").symlink_to(root)
    assert given(root) == before
    (root / ".memoryclaw/host-skills/planted").mkdir()
    (root / ".memoryclaw/host-skills/planted/SKILL.md").write_text(MAIL)
    assert given(root) == before
    for name in ("old", "new", "x" * 255):
        (root / ".memoryclaw/host-skills" / name).write_text("Do evil.")
    assert given(root) == before


@pytest.mark.parametrize("at", ["", "mail", "mail/SKILL.md", "mail/forms"])
def test_no_link_is_followed(root, tmp_path, at):
    approve_skill(pen_for(root), "mail")
    before = given(root)
    outside = tmp_path / "outside"
    (outside / "mail/forms").mkdir(parents=True)
    for name in ("SKILL.md", "mail/SKILL.md", "short.md"):
        (outside / name).write_text("mine")
    place = root / ".memoryclaw/host-skills" / at
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    place.symlink_to(outside / "SKILL.md" if at.endswith(".md") else outside)
    kept = {p: p.read_text() for p in outside.rglob("*") if p.is_file()}
    assert given(root) == before
    assert {p: p.read_text() for p in outside.rglob("*") if p.is_file()} == kept
    assert not place.is_symlink()


def test_an_approval_that_names_a_path_outside_is_none(root):
    line = '{"at": "2026-01-01T00:00:00Z", "decision": "approved", "kind": "skill", "digest": "%s", "path": "%s"}\n'
    decisions = root / "review/decisions.jsonl"
    decisions.parent.mkdir()
    decisions.write_text(
        line % ("ab" * 32, "skills/mail/../../SKILL.md") + line % ("ab" * 32, "/etc/SKILL.md")
    )
    assert given(root) == {}


def test_a_skill_in_json_or_javascript_is_given_as_a_folder_that_says_how_to_run_it(root):
    steps = '"parameters": {"client": {"type": "entity"}}, "steps": [{"tool": "mail.send", "args": {"to": "$client"}}]'
    written = {
        "skills/chase.json": '{"name": "chase", "description": "Chases an invoice that is late."}\n',
        "skills/send_bill.json": f'{{"name": "send_bill", {steps}}}',
        "skills/tide.js": "const name = 'tide'\nconst description = 'Prints the tide of a harbour.'\n",
    }
    for path, text in written.items():
        (root / path).write_text(text)
    notices = [approve_skill(pen_for(root), name).notice for name in ("chase", "send_bill", "tide")]
    assert notices == ["", "it has no description; hosts are given “Send bill with mail.send.”", ""]
    copies = given(root)
    assert {path for path in copies if not path.endswith(".md")} == {
        "chase/chase.json", "send-bill/send_bill.json", "tide/tide.js",
    }  # fmt: skip
    assert copies["send-bill/send_bill.json"] == written["skills/send_bill.json"]
    ways = {
        "chase": "Read it and take its steps one after another.",
        "send-bill": "memoryclaw skills run send_bill --param client=…`",
        "tide": "`node tide.js`",
    }
    for name, way in ways.items():
        assert way in copies[f"{name}/SKILL.md"]
        assert lint(f"skills/{name}/SKILL.md", copies[f"{name}/SKILL.md"].encode()) == []
    (root / "skills/chase.json").write_text("{}")
    assert given(root) == copies, "what was approved last is given until the new text is approved"
    shutil.rmtree(state(root) / "host-skills/chase")
    assert given(root) == copies
    reject_skill(pen_for(root), "tide")
    assert "tide/tide.js" not in given(root)


def test_a_skill_with_a_name_of_another_is_left_out_and_said(root):
    approve_skill(pen_for(root), "mail")
    twin = root / "skills/more/mail"
    twin.mkdir(parents=True)
    (twin / "SKILL.md").write_text(MAIL + "Twin.\n")
    approve_skill(pen_for(root), "skills/more/mail")
    assert given(root)["mail/SKILL.md"] == MAIL
    assert {omitted.path for omitted in refreshed(root).left_out} == {"skills/more/mail/SKILL.md"}


def test_several_at_once_leave_it_right(root):
    approve_skill(pen_for(root), "mail")
    with ThreadPoolExecutor(4) as pool:
        for outcome in pool.map(lambda _: refreshed(root), range(8)):
            assert [skill.name for skill in outcome.skills] == ["mail"]
    assert given(root)["mail/SKILL.md"] == MAIL


def test_looking_writes_nothing(root):
    approve_skill(pen_for(root), "mail")
    hosted = host_skills(str(root), HostFolder(str(state(root))), sees=everything, refresh=False)
    assert not (state(root) / "host-skills").exists()
    assert (hosted.skills, hosted.left_out[0].name) == ((), "mail")
    refreshed(root)
    [skill] = host_skills(str(root), HostFolder(str(state(root))), sees=everything, refresh=False).skills
    assert skill.name == "mail"


def test_what_is_right_already_is_not_written_again(root):
    approve_skill(pen_for(root), "mail")
    refreshed(root)
    copy = root / ".memoryclaw/host-skills/mail"
    before = copy.stat().st_ino, copy.stat().st_mtime_ns
    refreshed(root)
    assert (copy.stat().st_ino, copy.stat().st_mtime_ns) == before


@pytest.mark.parametrize("at", ["link.md", "forms/link.md", "more", "pipe"])
def test_a_link_that_is_put_into_an_approved_skill_takes_the_approval_from_it_and_is_never_followed(
    root, tmp_path, at
):
    approve_skill(pen_for(root), "mail")
    before = given(root)
    (tmp_path / "secret.md").write_text("theirs\n")
    place = root / "skills/mail" / at
    if at == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(tmp_path if at == "more" else tmp_path / "secret.md")
    [mail] = [skill for skill in list_skills(str(root)) if skill.name == "mail"]
    assert mail.state == "changed since approval"
    assert given(root) == before
    assert refreshed(root).skills[0].version == "earlier"
    with pytest.raises(InputError, match=rf"skills/mail/{at} is a link"):
        approve_skill(pen_for(root), "mail")
    place.unlink()
    assert [skill.state for skill in list_skills(str(root)) if skill.name == "mail"] == ["approved"]
    assert given(root) == before


def test_a_draft_with_a_link_in_it_is_not_approved_and_can_be_rejected(root, tmp_path):
    (root / "skills/_drafts/wind-plan/link").symlink_to(tmp_path)
    with pytest.raises(InputError, match="link"):
        approve_skill(pen_for(root), "wind-plan")
    reject_skill(pen_for(root), "wind-plan")
    assert not (root / "skills/_drafts/wind-plan/SKILL.md").exists()
    assert given(root) == {}
