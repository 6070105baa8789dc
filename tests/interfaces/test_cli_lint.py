"""`lint` finds what is wrong in the files of a person, by line, also in what is staged; its hook warns and never loses a commit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Claw, Ran, VaultOf, git, put

FINE = {
    "semantic/_schema.yaml": "fields:\n  birthday: date\n",
    "semantic/aliases.yaml": "boat: [ship]\n",
    "semantic/people.md": "# Ann\n- birthday: 1988-06-14\n",
    "skills/row-out/SKILL.md": "---\nname: row-out\ndescription: Take the boat out on the lake and bring it back.\n---\n1. Row.\n",
    "eval/questions.yaml": "When was Ann born?: semantic/people#Ann.birthday\n",
    "notes/lake.md": "The lake is cold.\n",
}
WRONG = {
    "semantic/_schema.yaml": "fields:\n  birthday: date\n  size: nmber\n",
    "semantic/aliases.yaml": "just words\n",
    "semantic/people.md": "# Ann\n- name: Ann\n- birthday: soon\n",
    "skills/row-out/SKILL.md": "---\nname: row-out\n---\n1. Row.\n",
    "eval/questions.yaml": "When?: x\nWho?:\n",
    "notes/lake.md": "---\ntags: [a\n---\nThe lake is cold.\n",
}
LINES = {
    "semantic/_schema.yaml:3: size: 'nmber' is not a type",
    "semantic/aliases.yaml:1: there are no synonyms here",
    "semantic/people.md:3: 'soon' is not a date",
    "skills/row-out/SKILL.md:1: this skill has no description",
    "eval/questions.yaml:2: 'expect' must be a text",
    "notes/lake.md:3: this YAML is broken",
}


@pytest.fixture
def vault(vault_of: VaultOf) -> Path:
    root = vault_of(FINE)
    git(root, "init", "-q")
    (root / ".gitignore").write_text(".memoryclaw/\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    return root


def starts(ran: Ran) -> set[str]:
    """The lines about files, each without what follows its first sentence."""
    lines = [line for line in ran.out.splitlines() if ": " in line]
    return {known for known in LINES for line in lines if line.startswith(known)} | {
        line for line in lines if not any(line.startswith(known) for known in LINES)
    }


def commit(root: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A person's own commit, with whatever hook is there."""
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    variables = {**Claw(root).environment(), **env}
    return subprocess.run(
        ["git", *who, "commit", *words], cwd=root, env=variables, capture_output=True, text=True, check=False
    )


def test_a_fine_vault_has_no_problem_and_every_kind_of_file_may_have_one(vault: Path) -> None:
    claw = Claw(vault)
    ran = claw("lint")
    assert (ran.code, ran.out) == (0, "0 problems in 6 files.\n")
    put(vault, WRONG)
    ran = claw("lint")
    assert (ran.code, starts(ran)) == (1, LINES)
    assert all("; " in line for line in ran.out.splitlines()[:-1]), "each has a hint"
    report = claw("lint", "--json").json
    assert (report["sound"], report["files"], len(report["problems"])) == (False, 6, 6)
    doctor = claw("doctor", "--json").json["checks"]
    problems = {
        (detail["path"], detail["line"], detail["message"]) for check in doctor for detail in check["details"]
    }
    assert {(p["path"], p["line"], p["message"]) for p in report["problems"]} & problems >= {
        (p["path"], p["line"], p["message"])
        for p in report["problems"]
        if not p["path"].startswith(("skills", "eval"))
    }


def test_files_and_folders_are_checked_from_their_bytes_without_an_index(vault: Path) -> None:
    put(vault, WRONG)
    claw = Claw(vault)
    for path in WRONG:
        ran = claw("lint", vault / path)
        assert (ran.code, starts(ran)) == (1, {line for line in LINES if line.startswith(path)})
    ran = claw("lint", "semantic", "notes/lake.md", cwd=vault)
    assert starts(ran) == {line for line in LINES if line.startswith(("semantic", "notes"))}
    assert starts(claw("lint", ".", cwd=vault)) == LINES
    assert not (vault / ".memoryclaw").exists()
    for wrong in (vault.parent, vault / "none.md", "/etc/passwd"):
        assert claw("lint", wrong).code == 1
    assert "is not in the vault" in claw("lint", "/etc/passwd").err
    assert claw("lint", "--staged", "notes").code == 2


def test_what_is_staged_is_checked_as_it_is_staged(vault: Path) -> None:
    put(vault, {**WRONG, "notes/new.md": "---\ntags: [b\n---\nNew.\n"})
    claw = Claw(vault)
    assert claw("lint", "--staged").out == "0 problems in 0 files.\n"
    git(vault, "add", "semantic/people.md")
    put(vault, {"semantic/people.md": FINE["semantic/people.md"]})
    ran = claw("lint", "--staged")
    assert (ran.code, starts(ran)) == (1, {"semantic/people.md:3: 'soon' is not a date"})
    git(vault, "add", "-A")
    git(vault, "rm", "-q", "--cached", "notes/lake.md")
    assert starts(claw("lint", "--staged")) == {
        line for line in LINES if not line.startswith(("semantic/people", "notes/lake"))
    } | {
        line
        for line in claw("lint", "notes/new.md", cwd=vault).out.splitlines()
        if line.startswith("notes/new.md:3")
    }
    assert not (vault / ".memoryclaw/index.sqlite").exists()


def test_staging_before_the_first_commit_and_without_a_repository(vault_of: VaultOf) -> None:
    root = vault_of(WRONG)
    claw = Claw(root)
    ran = claw("lint", "--staged")
    assert (ran.code, ran.out) == (1, "")
    assert "no git repository of its own" in ran.err
    assert claw("lint", "--install-hook").code == 1
    git(root, "init", "-q")
    git(root, "add", "notes")
    assert starts(claw("lint", "--staged")) == {line for line in LINES if line.startswith("notes")}


def test_the_hook_warns_of_what_is_committed_and_lets_it_pass(vault: Path) -> None:
    claw, hook = Claw(vault), vault / ".git/hooks/pre-commit"
    assert "it warns, but stops no commit" in claw("lint", "--install-hook").out
    first = hook.read_bytes()
    assert claw("lint", "--install-hook", "--json").json["action"] == "unchanged"
    assert hook.read_bytes() == first
    put(vault, WRONG)
    done = commit(vault, "-qam", "by hand")
    assert done.returncode == 0
    assert "semantic/people.md:3: 'soon' is not a date" in done.stdout + done.stderr
    assert "6 problems in what is committed; the commit goes on" in done.stderr
    put(vault, FINE)
    done = commit(vault, "-qam", "mended")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    # Of a commit of some files, the rest of what is staged is no part.
    put(vault, {"notes/lake.md": WRONG["notes/lake.md"], "notes/pier.md": "A pier.\n"})
    git(vault, "add", "-A")
    assert commit(vault, "-qm", "the pier", "notes/pier.md").stderr == ""


def test_a_strict_hook_stops_a_commit_and_only_for_what_it_found(vault: Path) -> None:
    claw, hook = Claw(vault), vault / ".git/hooks/pre-commit"
    claw("lint", "--install-hook", "--strict")
    put(vault, {"notes/lake.md": WRONG["notes/lake.md"]})
    before = git(vault, "rev-parse", "HEAD")
    assert commit(vault, "-qam", "by hand").returncode == 1
    assert git(vault, "rev-parse", "HEAD") == before
    text = hook.read_text()
    hook.write_text(text.replace(f"python={sys.executable}", "python=/gone/python"))
    assert commit(vault, "-qam", "no python").returncode == 0
    broken = vault.parent / "broken"
    broken.write_text("#!/bin/sh\necho no module >&2\nexit 1\n")
    broken.chmod(0o755)
    hook.write_text(text.replace(f"python={sys.executable}", f"python={broken}"))
    put(vault, {"notes/lake.md": WRONG["notes/lake.md"] + "more\n"})
    assert commit(vault, "-qam", "a broken python").returncode == 0
    assert claw("lint", "--install-hook", "--json").json["checks"] == {"lint": "warn"}


def test_lint_and_eval_share_the_hook_and_each_takes_out_its_own(vault: Path) -> None:
    claw, hook = Claw(vault), vault / ".git/hooks/pre-commit"
    assert claw("lint", "--uninstall-hook", "--json").json["action"] == "not installed"
    claw("lint", "--install-hook")
    assert claw("eval", "--install-hook", "--strict", "--json").json["checks"] == {
        "lint": "warn",
        "eval": "strict",
    }
    put(vault, {"semantic/people.md": "# Ann\n- likes: tea\n"})
    done = commit(vault, "-qam", "the birthday is gone")
    assert done.returncode == 1
    assert "When was Ann born?" in done.stderr
    assert "1 golden question missed; the commit was stopped" in done.stderr
    assert claw("lint", "--uninstall-hook", "--json").json["checks"] == {"eval": "strict"}
    assert "check lint" not in hook.read_text()
    (vault / "eval/questions.yaml").unlink()
    assert commit(vault, "-qam", "no questions").returncode == 0
    assert claw("eval", "--uninstall-hook", "--json").json == {
        "action": "removed",
        "path": str(hook),
        "checks": {},
    }
    assert not hook.exists()


def test_a_hook_of_somebody_else_stays_and_is_told_how_to_call_ours(vault: Path) -> None:
    claw, hook = Claw(vault), vault / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    ran = claw("lint", "--install-hook")
    assert (ran.code, hook.read_text()) == (1, "#!/bin/sh\nexit 0\n")
    line = ran.err.partition("add the line `")[2].partition("`")[0]
    hook.write_text(f"#!/bin/sh\n{line}\nexit 0\n")
    put(vault, {"notes/lake.md": WRONG["notes/lake.md"]})
    done = commit(vault, "-qam", "by hand")
    assert done.returncode == 0
    assert "1 problem in what is committed" in done.stderr
    assert claw("lint", "--uninstall-hook", "--json").json["action"] == "not installed"
    assert line in hook.read_text()
    # Ours with a line of a person's is a person's, too.
    hook.unlink()
    claw("lint", "--install-hook")
    hook.write_text(hook.read_text() + "make all\n")
    assert claw("lint", "--uninstall-hook", "--json").json["action"] == "not installed"
    assert claw("eval", "--install-hook").code == 1


def test_the_folder_that_git_looks_in_is_used_unless_others_look_there_too(
    vault: Path, tmp_path: Path
) -> None:
    claw = Claw(vault)
    git(vault, "config", "core.hooksPath", ".hooks")
    assert claw("lint", "--install-hook", "--json").json["path"] == str(vault / ".hooks/pre-commit")
    put(vault, {"notes/lake.md": WRONG["notes/lake.md"]})
    assert "1 problem" in commit(vault, "-qam", "by hand").stderr
    shared = tmp_path / "shared"
    git(vault, "config", "core.hooksPath", os.fspath(shared))
    ran = claw("lint", "--install-hook")
    assert ran.code == 1
    assert "which other repositories may use" in ran.err
    assert not shared.exists()


def test_our_own_commits_run_no_hook(vault: Path) -> None:
    hook = vault / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {vault.parent}/ran\nexit 1\n")
    hook.chmod(0o755)
    assert Claw(vault)("remember", "Ann likes tea").code == 0
    assert not (vault.parent / "ran").exists()
