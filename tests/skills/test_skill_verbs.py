from __future__ import annotations

import json
from pathlib import Path

import pytest
from gitvault import git, pen_for, users_work, vault_of

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.index.stemming import language
from memoryclaw.review.undo import undo
from memoryclaw.skills.approve import approve_skill, new_skill, reject_skill
from memoryclaw.skills.listing import (
    approved_files,
    find,
    known_skills,
    lint_skills,
    list_skills,
    match_skills,
    show_skill,
)
from memoryclaw.vault.folder import Vault
from memoryclaw.writing.decisions import Decisions, fingerprint

MAIL = (
    "---\nname: mail\ndescription: Sends an email to one person.\ntriggers: [send email]\n---\nAsk first.\n"
)
DRAFT = "---\nname: wind-plan\ndescription: Sends the wind plan to the crew.\ntools: [weather, send]\n---\nLook, then send.\n"
JSON = '{"name": "chase", "description": "Chases an invoice that is late."}\n'
FILES = {
    "skills/mail/SKILL.md": MAIL,
    "skills/chase.json": JSON,
    "skills/_drafts/wind-plan/SKILL.md": DRAFT,
    "skills/_drafts/wind-plan/table.csv": "a,b\n",
    "notes/x.md": "x\n",
}


def vault(tmp_path, **more):
    return vault_of(tmp_path / "v", {**FILES, **more})


def states(root):
    return {skill.name: skill.state for skill in list_skills(str(root))}


def decisions(root):
    return Decisions.read((root / "review/decisions.jsonl").read_text())


def test_skills_drafts_and_their_states_are_listed(tmp_path):
    root = vault(tmp_path)
    assert states(root) == {"chase": "not approved", "mail": "not approved", "wind-plan": "draft"}
    assert [skill.name for skill in list_skills(str(root))][-1] == "wind-plan"
    assert list_skills(str(vault_of(tmp_path / "empty", {"x.md": "x"}))) == []


def test_the_files_of_approved_skills_are_told_from_all_others(tmp_path):
    more = {
        "skills/mail/notes/tone.md": "Be brief.\n",
        "skills/mail/inner/SKILL.md": MAIL.replace("mail", "inner"),
        "skills/mail/table.json": JSON.replace("chase", "table"),
        "skills/other.json": JSON.replace("chase", "other"),
        "archive/skills/mail/SKILL.md": MAIL,
    }
    root = vault(tmp_path, **more)
    (root / "skills/linked").mkdir()
    (root / "skills/linked/SKILL.md").symlink_to(root / "skills/mail/SKILL.md")
    every = [str(path.relative_to(root)) for path in root.rglob("*.*") if ".git" not in path.parts]
    assert approved_files(str(root), every) == set()
    for name in ("skills/mail", "chase"):
        approve_skill(pen_for(root), name)
        approved = {
            path for skill in list_skills(str(root)) if skill.state == "approved" for path in skill.digests
        }
        assert approved_files(str(root), every) == approved
    assert approved == {
        "skills/mail/SKILL.md", "skills/mail/notes/tone.md", "skills/mail/inner/SKILL.md",
        "skills/mail/table.json", "skills/chase.json",
    }  # fmt: skip
    assert approved_files(str(root), ["skills/mail/notes/tone.md"]) == {"skills/mail/notes/tone.md"}


def test_an_approval_is_one_commit_that_remembers_the_digest(tmp_path):
    root = vault(tmp_path)
    done = approve_skill(pen_for(root), "mail")
    assert states(root)["mail"] == "approved"
    assert done.digest == find(list_skills(str(root)), "mail").skill.digest
    assert done.digest in git(root, "log", "-1", "--format=%B")
    assert git(root, "show", "--format=", "--name-only", done.commit).split() == ["review/decisions.jsonl"]
    [decision] = decisions(root).all
    assert (decision.decision, decision.kind, decision.digest) == ("approved", "skill", done.digest)
    assert decision.path == "skills/mail/SKILL.md"
    assert decision.by == git(root, "log", "-1", "--format=%an").strip()
    assert users_work(root) == [[], [], []]


def test_one_changed_byte_is_not_approved(tmp_path):
    root = vault(tmp_path)
    approve_skill(pen_for(root), "mail")
    path = root / "skills/mail/SKILL.md"
    path.write_text(MAIL + " ")
    assert states(root)["mail"] == "changed since approval"
    path.write_text(MAIL)
    assert states(root)["mail"] == "approved"


def test_another_file_in_its_folder_is_part_of_what_is_approved(tmp_path):
    root = vault(tmp_path, **{"skills/mail/run.js": "send()"})
    done = approve_skill(pen_for(root), "mail")
    assert "skills/mail/run.js" in done.notice
    assert "run" not in states(root)
    assert states(root)["mail"] == "approved"
    (root / "skills/mail/run.js").write_text("send(everything)")
    assert states(root)["mail"] == "changed since approval"
    (root / "skills/mail/run.js").write_text("send()")
    (root / "skills/mail/more.js").write_text("x")
    assert states(root)["mail"] == "changed since approval"


def test_no_word_inside_a_file_approves_it(tmp_path):
    claims = MAIL.replace("---\nAsk", "status: approved\napproved: true\nstate: approved\n---\nAsk")
    root = vault(tmp_path, **{"skills/mail/SKILL.md": claims})
    assert states(root)["mail"] == "not approved"
    [offer, *_] = match_skills(list_skills(str(root)), "send email", language("en"))
    assert (offer.offered, offer.why.startswith("nobody has approved it here")) == (False, True)


def test_a_decision_in_another_file_approves_nothing(tmp_path):
    root = vault(tmp_path)
    digest = find(list_skills(str(root)), "mail").skill.digest
    line = json.dumps(
        {"decision": "approved", "kind": "skill", "digest": digest, "path": "skills/mail/SKILL.md"}
    )
    (root / "skills/mail/decisions.jsonl").write_text(line + "\n")
    (root / "notes/x.md").write_text(line)
    assert states(root)["mail"] == "not approved"


def test_an_approved_draft_moves_to_its_place_in_the_same_commit(tmp_path):
    root = vault(tmp_path)
    done = approve_skill(pen_for(root), "wind-plan")
    assert done.path == "skills/wind-plan/SKILL.md"
    assert (root / done.path).read_text() == DRAFT
    assert states(root)["wind-plan"] == "approved"
    assert not (root / "skills/_drafts/wind-plan/SKILL.md").exists()
    shown = git(root, "show", "--format=", "-M", "--name-status", done.commit).split("\n")
    assert sorted(filter(None, shown)) == [
        "A\treview/decisions.jsonl",
        "R100\tskills/_drafts/wind-plan/SKILL.md\tskills/wind-plan/SKILL.md",
        "R100\tskills/_drafts/wind-plan/table.csv\tskills/wind-plan/table.csv",
    ]


def test_an_approval_can_be_undone(tmp_path):
    root = vault(tmp_path)
    done = approve_skill(pen_for(root), "wind-plan")
    undo(pen_for(root), done.commit)
    assert states(root)["wind-plan"] == "draft"
    assert git(root, "show", "HEAD:skills/_drafts/wind-plan/SKILL.md") == DRAFT
    assert not decisions(root).approved_digests()


def test_a_draft_whose_place_is_taken_is_not_approved(tmp_path):
    root = vault(tmp_path, **{"skills/wind-plan/SKILL.md": DRAFT})
    before = git(root, "rev-parse", "HEAD")
    with pytest.raises(InputError, match="2 skills are called wind-plan"):
        approve_skill(pen_for(root), "wind-plan")
    with pytest.raises(InputError, match="there is a skill called wind-plan already"):
        approve_skill(pen_for(root), "_drafts/wind-plan")
    assert git(root, "rev-parse", "HEAD") == before


def test_a_skill_with_problems_is_not_approved(tmp_path):
    root = vault(tmp_path, **{"skills/mail/SKILL.md": MAIL.replace("name: mail", "name: post")})
    with pytest.raises(InputError, match=r"skills/mail/SKILL.md:2: the skill post is in the folder mail"):
        approve_skill(pen_for(root), "post")
    assert not (root / "review/decisions.jsonl").exists()


def test_approving_twice_changes_nothing(tmp_path):
    root = vault(tmp_path)
    approve_skill(pen_for(root), "chase")
    head = git(root, "rev-parse", "HEAD")
    assert approve_skill(pen_for(root), "skills/chase.json").notice == "it is approved already"
    assert git(root, "rev-parse", "HEAD") == head


def test_a_rejected_draft_is_kept_in_the_archive_and_remembered(tmp_path):
    root = vault(tmp_path)
    done = reject_skill(pen_for(root), "wind-plan")
    assert done.path == "archive/skills/_drafts/wind-plan/SKILL.md"
    assert (root / done.path).read_text() == DRAFT
    assert (root / "archive/skills/_drafts/wind-plan/table.csv").exists()
    assert "wind-plan" not in states(root)
    assert decisions(root).is_rejected(fingerprint("skill", "weather", "send"))
    assert git(root, "log", "--format=%s", "-1") == "Reject the skill draft wind-plan\n"
    (root / "skills/_drafts/wind-plan").mkdir(parents=True, exist_ok=True)
    (root / "skills/_drafts/wind-plan/SKILL.md").write_text(DRAFT)
    assert reject_skill(pen_for(root), "wind-plan").path == "archive/skills/_drafts/wind-plan-2/SKILL.md"


def test_an_approval_is_withdrawn_also_after_an_edit(tmp_path):
    root = vault(tmp_path)
    done = approve_skill(pen_for(root), "mail")
    (root / "skills/mail/SKILL.md").write_text(MAIL + "more\n")
    back = reject_skill(pen_for(root), "mail")
    assert (back.action, back.digest) == ("withdrawn", done.digest)
    assert states(root)["mail"] == "not approved"
    assert not decisions(root).approved_digests()
    assert (root / "skills/mail/SKILL.md").read_text() == MAIL + "more\n"
    with pytest.raises(InputError, match="not approved"):
        reject_skill(pen_for(root), "mail")
    approve_skill(pen_for(root), "mail")
    assert states(root)["mail"] == "approved"


def test_the_users_own_work_stays_his(tmp_path):
    root = vault(tmp_path)
    (root / "notes/x.md").write_text("mine\n")
    (root / "skills/mail/SKILL.md").write_text(MAIL + "mine\n")
    git(root, "add", "notes/x.md")
    before = users_work(root)
    approve_skill(pen_for(root), "mail")
    assert users_work(root) == before
    assert states(root)["mail"] == "approved"


def test_a_new_skill_is_sound_and_one_commit(tmp_path):
    root = vault(tmp_path)
    done = new_skill(pen_for(root), "water-plants", 'Waters the plants: #1, "daily" {{ 7 }}.')
    assert (done.path, done.action) == ("skills/water-plants/SKILL.md", "created")
    assert lint_skills(str(root), "water-plants") == []
    shown = show_skill(str(root), "water-plants")
    assert shown.listed.skill.skill.description == 'Waters the plants: #1, "daily" {{ 7 }}.'
    assert shown.listed.state == "not approved"
    assert git(root, "show", "--format=", "--name-only", done.commit).split() == [done.path]
    new_skill(pen_for(root), "null")
    assert lint_skills(str(root), "null") == []


@pytest.mark.parametrize(
    "name", ["Send Mail", "../x", "a/b", "", "-x", "a" * 65, "mail", "wind-plan", "chase"]
)
def test_a_name_that_is_taken_or_no_name_is_refused(tmp_path, name):
    root = vault(tmp_path)
    before = git(root, "rev-parse", "HEAD")
    with pytest.raises(InputError):
        new_skill(pen_for(root), name)
    assert git(root, "rev-parse", "HEAD") == before
    assert users_work(root) == [[], [], []]


def test_lint_names_every_file_and_two_skills_of_one_name(tmp_path):
    root = vault(tmp_path, **{"skills/post/SKILL.md": MAIL, "skills/x.json": "{"})
    problems = [(problem.path, problem.line) for problem in lint_skills(str(root))]
    assert problems == [("skills/post/SKILL.md", 1), ("skills/post/SKILL.md", 2), ("skills/x.json", 1)]
    assert lint_skills(str(root), "chase") == []


def test_only_an_approved_skill_is_offered(tmp_path):
    root = vault(tmp_path)

    def offers(request):
        return {
            match.match.skill.name: (match.offered, match.state)
            for match in match_skills(list_skills(str(root)), request, language("en"))
        }

    assert offers("send the wind plan by email") == {
        "wind-plan": (False, "draft"),
        "mail": (False, "not approved"),
    }
    approve_skill(pen_for(root), "mail")
    assert offers("send an email to John") == {"mail": (True, "approved"), "wind-plan": (False, "draft")}
    (root / "skills/mail/SKILL.md").write_text(MAIL + "x")
    assert offers("send an email to John")["mail"] == (False, "changed since approval")
    assert offers("one person") == {"mail": (False, "changed since approval")}


def test_a_skill_is_found_by_name_folder_and_path_and_a_slip_gets_a_hint(tmp_path):
    every = list_skills(str(vault(tmp_path)))
    for name in ("wind-plan", "_drafts/wind-plan", "skills/_drafts/wind-plan/SKILL.md", "skills/_drafts/wind-plan/SKILL", "skills/_drafts/wind-plan/"):  # fmt: skip
        assert find(every, name).name == "wind-plan"
    assert find(every, "chase").skill.path == "skills/chase.json"
    with pytest.raises(NotFoundError, match="did you mean mail"):
        find(every, "mial")


def test_what_need_not_be_proposed_is_known_by_name_and_by_tools(tmp_path):
    known = known_skills(Vault(Path(vault(tmp_path))))
    assert {"mail", "chase", "wind-plan", fingerprint("skill", "weather", "send")} <= known


def test_without_git_all_of_it_works_and_says_that_there_is_no_undo(tmp_path):
    root = tmp_path / "bare"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    done = approve_skill(pen_for(root), "wind-plan")
    assert done.commit == ""
    assert done.notice
    assert states(root)["wind-plan"] == "approved"


def test_a_link_in_the_skills_folder_is_not_followed(tmp_path):
    root = vault(tmp_path)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/SKILL.md").write_text(MAIL)
    (root / "skills/outside").symlink_to(tmp_path / "outside")
    (root / "skills/link.json").symlink_to(tmp_path / "outside/SKILL.md")
    assert "skills/outside/SKILL.md" not in [skill.skill.path for skill in list_skills(str(root))]
    assert len(list_skills(str(root))) == 3
