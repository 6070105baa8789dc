"""A repository that lost something is damage, not a new beginning: nothing is written beside it, and doctor names it."""

from __future__ import annotations

import shutil

import pytest
from gitvault import NOW, git, pen_for, snapshot, vault_of

from memoryclaw.errors import MemoryClawError
from memoryclaw.health import doctor
from memoryclaw.health.status import git_report
from memoryclaw.history.git import git_state
from memoryclaw.history.repository import History
from memoryclaw.review.undo import undo
from memoryclaw.writing.remember import remember
from memoryclaw.writing.writer import Edit, text_change, write

REF = ".git/refs/heads/main"


def vault(tmp_path):
    root = vault_of(tmp_path / "v", {"semantic/people.md": "# Anna\n- city: Berlin\n"})
    remember(pen_for(root), "Bern", entity="Anna", field="city")
    return root


def change(root):
    return remember(pen_for(root), "Basel", entity="Anna", field="city")


def refused(root, work):
    """The sentence with which some work leaves every byte as it is."""
    before = snapshot(root)
    with pytest.raises(MemoryClawError) as caught:
        work(root)
    assert snapshot(root) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def drop(root, name):
    """Takes an object out of git, as a disk does."""
    oid = git(root, "rev-parse", name).strip()
    (root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    return oid


@pytest.mark.parametrize(
    "text", ["", "0" * 40 + "\n", "0" * 64, "abc\n", "1" * 39, "\0" * 41, "not an id at all\n"]
)
def test_a_branch_that_names_no_commit_is_damage_and_the_last_one_is_told(tmp_path, text):
    root = vault(tmp_path)
    last = git(root, "rev-parse", "HEAD").strip()
    (root / REF).write_text(text)
    state = git_state(str(root))
    assert (state.name, state.writable) == ("damaged", False)
    assert REF in state.sentence
    assert last in state.sentence
    assert "nothing was written: the vault's git repository is damaged" in refused(root, change)
    assert "damaged" in refused(root, lambda root: undo(pen_for(root), "HEAD"))
    assert git_report(History(str(root))) == ("damaged", state.sentence, None)
    assert doctor._git(root)[:3] == ("git", "problem", state.sentence)
    (root / REF).write_text(f"{last}\n")  # as the sentence says
    change(root)
    assert git(root, "rev-list", "--count", "HEAD") == "3\n"
    assert doctor._git(root).level == "ok"


def test_a_branch_that_is_gone_while_its_log_is_there_is_no_new_branch(tmp_path):
    root = vault(tmp_path)
    (root / REF).unlink()
    assert "damaged" in refused(root, change)
    git(root, "checkout", "-q", "--orphan", "fresh")
    assert git_state(str(root)).name == "unborn"


def test_a_packed_branch_is_read_in_the_same_way(tmp_path):
    root = vault(tmp_path)
    last = git(root, "rev-parse", "HEAD").strip()
    git(root, "pack-refs", "--all")
    assert git_state(str(root)).name == "ok"
    packed = root / ".git/packed-refs"
    packed.write_text(packed.read_text().replace(last, "0" * 40))
    assert "damaged" in refused(root, change)


@pytest.mark.parametrize("text", [None, "", "0" * 40, "main\n"])
def test_a_head_that_names_no_branch_is_damage(tmp_path, text):
    root = vault(tmp_path)
    head = root / ".git/HEAD"
    head.unlink() if text is None else head.write_text(text)
    assert git_state(str(root)).name == "damaged"
    assert "damaged" in refused(root, change)
    assert git_report(History(str(root))).state == "damaged"
    assert doctor._git(root).level == "problem"


@pytest.mark.parametrize("name", ["HEAD", "HEAD^{tree}", "HEAD:semantic", "HEAD:semantic/people.md"])
def test_what_the_last_commit_names_and_git_does_not_have_is_never_taken_for_nothing(tmp_path, name):
    root = vault(tmp_path)
    gone = drop(root, name)
    assert "damaged" in refused(root, change)
    check = doctor._git(root)
    assert check.level == "problem"
    assert any(gone in detail.message for detail in check.details)
    if name == "HEAD":
        assert git_report(History(str(root))).state == "damaged"


def test_a_branch_that_names_a_commit_that_is_not_there_gets_no_branch_beside_it(tmp_path):
    root = vault(tmp_path)
    (root / REF).write_text("1" * 40 + "\n")
    assert "damaged" in refused(root, lambda root: History(str(root)).head())


@pytest.mark.parametrize("text", [b"", b"garbage\n", b"DIRC" + b"\0" * 100])
def test_an_index_that_cannot_be_read_is_named_by_doctor_with_the_way_out(tmp_path, text):
    root = vault(tmp_path)
    (root / ".git/index").write_bytes(text)
    refused(root, change)
    check = doctor._git(root)
    assert check.level == "problem"
    assert "git reset" in check.sentence
    shutil.move(root / ".git/index", tmp_path / "away")
    git(root, "reset", "-q")
    change(root)
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.parametrize("text", [b"", b"garbage\n"])
def test_an_object_that_cannot_be_read_is_named_by_doctor(tmp_path, text):
    root = vault(tmp_path)
    oid = git(root, "rev-parse", "HEAD~1:semantic/people.md").strip()
    path = root / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(text)
    check = doctor._git(root)
    assert check.level == "problem"
    assert any(oid in detail.message for detail in check.details)


def test_a_new_repository_and_a_shallow_clone_are_sound(tmp_path):
    root = vault_of(tmp_path / "new", {}, commit=False)
    assert doctor._git(root).level == "ok"
    write(str(root), [Edit("a.md", text_change(lambda _: "a\n"))], lambda: "a\n", verb="test", now=NOW)
    git(tmp_path, "clone", "-q", "--depth", "1", vault(tmp_path).as_uri(), "clone")
    assert doctor._git(tmp_path / "clone").level == "ok"
    change(tmp_path / "clone")
