from __future__ import annotations

import pytest
from gitvault import git, pen_for, users_work, vault_of

from memoryclaw.errors import ConflictError, InputError
from memoryclaw.writing.edit import forget, revive
from memoryclaw.writing.remember import remember

NOTE = b"---\r\nid: n1\r\n---\r\nno last newline"
FACTS = "# People\n- Anna: a@example.com  \n- Zoë:\n    - city: Bern\n    - phone: 1\n\n| person | mail |\n|---|---|\n| Tom | t@x |\n"
LOG = '{"ts": "2026-11-21T10:00:00Z", "session": "s", "turn": 1, "role": "user", "content": "hi"}\n'
SKILL = "---\nname: mail\ndescription: d\n---\n"


def vault(tmp_path):
    files = {
        "episodes/e.md": NOTE, "semantic/people.md": FACTS, "logs/2026-11-21/s.jsonl": LOG,
        "skills/mail/SKILL.md": SKILL, "skills/mail/run.js": "x",
    }  # fmt: skip
    return vault_of(tmp_path / "v", files)


def test_a_note_goes_to_the_archive_and_comes_back_byte_for_byte(tmp_path):
    root = vault(tmp_path)
    done = forget(pen_for(root), "n1")
    assert (done.path, done.action) == ("archive/episodes/e.md", "forgotten")
    assert not (root / "episodes/e.md").exists()
    assert git(root, "show", "--format=", "-M", "--name-status", done.commit).split() == [
        "R100",
        "episodes/e.md",
        done.path,
    ]
    back = revive(pen_for(root), "n1")
    assert (back.path, back.action) == ("episodes/e.md", "revived")
    assert (root / "episodes/e.md").read_bytes() == NOTE
    assert git(root, "diff", "HEAD~2", "HEAD") == git(root, "status", "--porcelain") == ""


def test_a_skill_goes_with_all_its_files(tmp_path):
    root = vault(tmp_path)
    done = forget(pen_for(root), "skills/mail/SKILL")
    assert sorted(p.name for p in (root / "archive/skills/mail").iterdir()) == ["SKILL.md", "run.js"]
    revive(pen_for(root), done.id)
    assert git(root, "diff", "HEAD~2", "HEAD") == ""


@pytest.mark.parametrize("field", ["Anna.value", "Zoë.city", "Zoë.phone", "Tom.mail"])
def test_a_forgotten_fact_comes_back_byte_for_byte(tmp_path, field):
    root = vault(tmp_path)
    done = forget(pen_for(root), f"semantic/people#{field}")
    after = (root / "semantic/people.md").read_text()
    assert after != FACTS
    assert git(root, "show", "--format=", "--name-only", "HEAD").split() == sorted(
        [done.path, "semantic/people.md"]
    )
    back = revive(pen_for(root), done.id)
    assert back.id == f"semantic/people#{field}"
    assert (root / "semantic/people.md").read_text() == FACTS
    assert git(root, "diff", "HEAD~2", "HEAD") == git(root, "status", "--porcelain") == ""


def test_a_fact_comes_back_also_when_the_file_was_edited_meanwhile(tmp_path):
    root = vault(tmp_path)
    done = forget(pen_for(root), "semantic/people#Zoë.phone")
    path = root / "semantic/people.md"
    path.write_text("intro\n\n" + path.read_text() + "\n- Kim: k@x\n")
    git(root, "commit", "-qam", "mine")
    revive(pen_for(root), done.id)
    assert path.read_text() == "intro\n\n" + FACTS + "\n- Kim: k@x\n"


def test_the_users_unsaved_work_goes_with_the_note_and_stays_the_users(tmp_path):
    root = vault(tmp_path)
    (root / "episodes/e.md").write_bytes(NOTE + b" more")
    (root / "new.md").write_text("mine")
    forget(pen_for(root), "n1")
    assert (root / "archive/episodes/e.md").read_bytes() == NOTE + b" more"
    assert git(root, "status", "--porcelain") == " M archive/episodes/e.md\n?? new.md\n"


def test_staged_work_in_the_note_is_never_lost(tmp_path):
    root = vault(tmp_path)
    (root / "episodes/e.md").write_bytes(NOTE + b" more")
    git(root, "add", "episodes/e.md")
    before = users_work(root)
    with pytest.raises(ConflictError, match="staged"):
        forget(pen_for(root), "n1")
    assert users_work(root) == before


def test_an_archive_note_that_the_user_has_changed_is_not_thrown_away(tmp_path):
    root = vault(tmp_path)
    done = forget(pen_for(root), "semantic/people#Zoë.phone")
    (root / done.path).write_text((root / done.path).read_text() + "mine\n")
    with pytest.raises(ConflictError):
        revive(pen_for(root), done.id)
    assert "mine" in (root / done.path).read_text()
    assert "phone" not in (root / "semantic/people.md").read_text()


def test_a_new_note_in_the_old_place_is_not_overwritten(tmp_path):
    root = vault(tmp_path)
    forget(pen_for(root), "n1")
    (root / "episodes/e.md").write_text("new")
    with pytest.raises(ConflictError, match="exists already"):
        revive(pen_for(root), "n1")
    assert (root / "episodes/e.md").read_text() == "new"


def test_what_is_forgotten_already_is_refused(tmp_path):
    root = vault(tmp_path)
    for id_ in ("n1", "log:s/1"):
        with pytest.raises(InputError, match="not forgotten"):
            revive(pen_for(root), id_)
        forget(pen_for(root), id_)
        with pytest.raises(InputError, match="already"):
            forget(pen_for(root), id_)


def test_a_note_without_an_id_is_found_again_by_its_old_one(tmp_path):
    root = vault(tmp_path)
    (root / "plain.md").write_text("plain")
    done = forget(pen_for(root), "plain")
    assert done.id == "archive/plain"
    assert "does not track" in done.notice
    assert revive(pen_for(root), "plain").path == "plain.md"
    assert (root / "plain.md").read_text() == "plain"


def test_without_a_repository_forgetting_works_all_the_same(tmp_path):
    root = tmp_path / "v"
    root.mkdir()
    done = remember(pen_for(root), "hello")
    gone = forget(pen_for(root), done.id)
    assert (root / gone.path).exists()
    assert not (root / done.path).exists()
