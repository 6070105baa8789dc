from __future__ import annotations

import pytest
from gitvault import git, pen_for, users_work, vault_of

from memoryclaw.errors import ConflictError, InputError
from memoryclaw.review.undo import undo
from memoryclaw.skills.approve import approve_skill
from memoryclaw.writing.edit import edit, forget
from memoryclaw.writing.remember import remember

FACTS = "# Anna\n- city: Berlin\n\n# Tom\n- city: Rome\n"


def vault(tmp_path):
    return vault_of(
        tmp_path / "v", {"semantic/people.md": FACTS, "notes/a.md": "---\nid: n1\ntags: [a]\n---\nbody\n"}
    )


def people(root):
    return (root / "semantic/people.md").read_text()


def test_an_undo_is_a_commit_that_takes_back_just_that_change(tmp_path):
    root = vault(tmp_path)
    first = remember(pen_for(root), "Bern", entity="Anna", field="city")
    remember(pen_for(root), "Paris", entity="Tom", field="city")
    done = undo(pen_for(root), first.commit[:8])
    assert done.action == "undone"
    assert "- city: Berlin\n\n# Tom\n- city: Paris" in people(root)
    assert git(root, "log", "-1", "--format=%s") == "Undo: Anna: city is Bern\n"
    assert git(root, "rev-list", "--count", "HEAD") == "4\n"
    assert git(root, "status", "--porcelain") == ""


def test_a_run_is_undone_by_its_id(tmp_path):
    root = vault(tmp_path)
    remember(pen_for(root), "hello")
    done = undo(pen_for(root), "remember-20261121T101500-000001")
    assert git(root, "diff", "HEAD~2", "HEAD") == ""
    undo(pen_for(root), done.commit)  # the undo of an undo
    assert git(root, "diff", "HEAD~2", "HEAD") == ""


def test_later_edits_of_a_person_stay(tmp_path):
    root = vault(tmp_path)
    done = edit(pen_for(root), "n1", {"tags": "a, b"})
    path = root / "notes/a.md"
    path.write_text(path.read_text() + "committed\n")
    git(root, "commit", "-qam", "mine")
    path.write_text(path.read_text() + "unsaved\n")
    undo(pen_for(root), done.commit)
    assert path.read_text() == "---\nid: n1\ntags: [a]\n---\nbody\ncommitted\nunsaved\n"
    assert users_work(root)[0][-2:] == [" committed", "+unsaved"]


def test_of_two_new_facts_either_can_go(tmp_path):
    root = vault(tmp_path)
    first = remember(pen_for(root), "1", entity="Anna", field="one")
    remember(pen_for(root), "2", entity="Anna", field="two")
    undo(pen_for(root), first.commit)
    assert people(root).startswith("# Anna\n- city: Berlin\n- two: 2 [since:: 2026-11-21]\n\n# Tom")


def test_a_forgotten_note_is_back_after_the_undo(tmp_path):
    root = vault(tmp_path)
    done = forget(pen_for(root), "n1")
    undo(pen_for(root), done.commit)
    assert (root / "notes/a.md").exists()
    assert not (root / "archive/notes/a.md").exists()


@pytest.mark.parametrize("committed", [True, False])
def test_an_edit_on_the_same_line_is_a_conflict_and_nothing_is_written(tmp_path, committed):
    root = vault(tmp_path)
    done = remember(pen_for(root), "Bern", entity="Anna", field="city")
    path = root / "semantic/people.md"
    path.write_text(people(root).replace("Bern ", "Basel "))
    if committed:
        git(root, "commit", "-qam", "mine")
    before = (people(root), git(root, "rev-parse", "HEAD"), users_work(root))
    with pytest.raises(ConflictError, match="nothing was written"):
        undo(pen_for(root), done.commit)
    assert (people(root), git(root, "rev-parse", "HEAD"), users_work(root)) == before


def test_a_heading_is_not_taken_from_above_later_facts(tmp_path):
    root = vault(tmp_path)
    first = remember(pen_for(root), "1", entity="New", field="one")
    remember(pen_for(root), "0", entity="Newer", field="zero")
    remember(pen_for(root), "2", entity="New", field="two")
    before = (root / "semantic/facts.md").read_text()
    undo(pen_for(root), first.commit)
    assert (root / "semantic/facts.md").read_text() == before.replace("- one: 1 [since:: 2026-11-21]\n", "")


def test_what_is_not_ours_or_undone_or_unknown_is_refused(tmp_path):
    root = vault(tmp_path)
    done = remember(pen_for(root), "hello")
    undo(pen_for(root), done.commit)
    for name, word in (
        (done.commit, "undone already"),
        ("HEAD~9", "no commit"),
        ("0" * 40, "no commit"),
        ("--all", "no commit"),
    ):
        with pytest.raises(InputError, match=word):
            undo(pen_for(root), name)
    with pytest.raises(InputError, match="git revert"):
        undo(pen_for(root), git(root, "rev-list", "--max-parents=0", "HEAD").strip())


def test_without_a_repository_the_sentence_says_so(tmp_path):
    with pytest.raises(InputError, match="no git repository"):
        undo(pen_for(tmp_path), "abcd1234")


def test_no_empty_folder_of_a_skill_stays(tmp_path):
    root = vault_of(
        tmp_path / "v",
        {"skills/_drafts/book/SKILL.md": "---\nname: book\ndescription: Book a train\n---\nx\n"},
    )
    done = approve_skill(pen_for(root), "book")
    assert (root / "skills/book/SKILL.md").exists()
    undo(pen_for(root), done.commit)
    assert (root / "skills/_drafts/book/SKILL.md").exists()
    assert not (root / "skills/book").exists()
