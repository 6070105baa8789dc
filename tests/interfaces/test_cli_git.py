"""What `status`, `doctor` and the writing verbs say of a repository that is in no state to be written."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from conftest import Claw


@pytest.fixture
def vault(claw: Claw, tmp_path: Path) -> Claw:
    """A new vault with a fact in it."""
    assert claw("init", tmp_path / "v").code == 0
    there = Claw(tmp_path / "v")
    assert there("remember", "Berlin", "--entity", "Anna", "--field", "city").code == 0
    return there


def state(vault: Claw) -> tuple[str, str, int]:
    """What `status` and `doctor --fix` say of git, and the exit code of the latter."""
    status, doctor = vault("status", "--json"), vault("doctor", "--fix", "--json")
    assert status.code == 0
    check = next(check for check in doctor.json["checks"] if check["name"] == "git")
    assert (check["level"] == "problem") == (doctor.code == 1)
    return status.json["git"]["sentence"], check["sentence"], doctor.code


@pytest.mark.parametrize("name", ["HEAD.lock", "refs/heads/main.lock", "packed-refs.lock", "config.lock"])
def test_a_lock_that_was_left_behind_is_told_by_status_and_by_doctor(vault: Claw, name: str) -> None:
    lock = vault.vault / ".git" / name
    lock.touch()
    os.utime(lock, (time.time() - 7300,) * 2)
    status, doctor, code = state(vault)
    assert f".git/{name} (2 hours old)" in status
    assert f".git/{name} (2 hours old)" in doctor
    assert code == 1
    assert lock.exists()
    assert vault("status").out.count(".git/") == 1


def test_a_verb_that_a_lock_keeps_from_writing_names_it_in_one_sentence(vault: Claw) -> None:
    (vault.vault / ".git/HEAD.lock").touch()
    ran = vault("remember", "Bern", "--entity", "Anna", "--field", "city")
    assert ran.code == 1
    assert "nothing was written: git's lock .git/HEAD.lock (" in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "Berlin" in (vault.vault / "semantic/facts.md").read_text()


def test_a_damaged_repository_is_told_by_status_and_by_doctor_and_nothing_is_written(vault: Claw) -> None:
    branch = vault.vault / ".git/refs/heads/main"
    last = branch.read_text().strip()
    branch.write_text("0" * 40 + "\n")
    status, doctor, code = state(vault)
    assert last in status
    assert last in doctor
    assert code == 1
    ran = vault("remember", "Bern", "--entity", "Anna", "--field", "city")
    assert ran.code == 1
    assert len(ran.err.splitlines()) == 1
    assert branch.read_text() == "0" * 40 + "\n"
    for verb in (("history",), ("sync",), ("recall", "Anna"), ("review",), ("undo", "HEAD")):
        assert vault(*verb).code in {0, 1}
    assert "Berlin" in vault("recall", "Anna city").out
