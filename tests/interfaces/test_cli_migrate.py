"""`migrate` brings a vault to the newest format in one commit: exactly the line that it must, nothing of the user's, and undo."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Claw, VaultOf, git
from gitvault import snapshot
from indexed import kept, rebuilt

SETTINGS = "# Mine\r\nretrieval:\r\n  budget: 400   # small\r\n# the end"
FILES = {
    "memoryclaw.yaml": SETTINGS,
    ".gitignore": ".memoryclaw/\nledger/\n",
    "skills/send.json": '{"name": "send", "description": "Sends a letter by the post."}',
    "skills/_drafts/tidy.json": '{"name": "tidy", "description": "Tidies the desk every evening."}',
    "notes/lake.md": "The lake is cold. See [[skills/send.json]].\n",
    "staged.md": "old\n",
}


@pytest.fixture
def vault(vault_of: VaultOf) -> Path:
    root = vault_of(FILES)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    return root


def test_only_the_format_changes(vault: Path) -> None:
    claw, before = Claw(vault), snapshot(vault)
    planned = claw("migrate", "--dry-run", "--json").json
    assert snapshot(vault) == before
    done = claw("migrate", "--json").json
    assert {**done, "commit": ""} == planned == {"before": 1, "after": 2, "commit": "", "notice": ""}
    changed = git(vault, "show", "--name-status", "--no-renames", "--format=", done["commit"])
    assert changed == "M\tmemoryclaw.yaml\n"
    assert (vault / "memoryclaw.yaml").read_bytes() == f"{SETTINGS}\r\nvault:\r\n  format: 2".encode()
    again = claw("migrate")
    assert (again.code, again.out) == (0, "The vault has format 2, the newest: nothing to do.\n")
    assert git(vault, "status", "--short") == ""


def test_undo_gives_back_the_same_bytes(vault: Path) -> None:
    before, claw = snapshot(vault), Claw(vault)
    commit = claw("migrate", "--json").json["commit"]
    assert claw("undo", commit).code == 0
    after = snapshot(vault)
    work = {path for path in before if not path.startswith(".git/")}
    assert {path: after[path] for path in work} == {path: before[path] for path in work}
    assert {path for path in after if not path.startswith((".git/", "ledger/"))} == work
    assert claw("migrate", "--json").json["commit"]


def test_nothing_of_the_users_is_swept_in(vault: Path) -> None:
    (vault / "staged.md").write_text("staged\n")
    git(vault, "add", "staged.md")
    (vault / "notes/lake.md").write_text("The lake is warm.\n")
    (vault / "memoryclaw.yaml").write_bytes(SETTINGS.replace("400", "500").encode())
    (vault / "untracked.md").write_text("mine\n")
    before = git(vault, "diff", "--cached"), (vault / "notes/lake.md").read_text()
    done = Claw(vault)("migrate", "--json").json
    assert (git(vault, "diff", "--cached"), (vault / "notes/lake.md").read_text()) == before
    assert "budget: 500" not in git(vault, "show", done["commit"])
    assert "budget: 500" in (vault / "memoryclaw.yaml").read_text()
    assert git(vault, "status", "--short").split("\n")[:-1] == [" M memoryclaw.yaml", " M notes/lake.md", "M  staged.md", "?? untracked.md"]  # fmt: skip


def test_the_index_kept_through_it_equals_one_built_anew(vault: Path) -> None:
    Claw(vault)("sync")
    Claw(vault)("migrate")
    index = kept(vault)
    assert index.mark() == rebuilt(vault)
    index.close()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "vault:\n  format: 2\n"),
        ("vault: {format: 1}  # 1 is old\n", "vault: {format: 2}  # 1 is old\n"),
        (
            "vault:\n  format: '1'\ngit:\n  track_logs: false",
            "vault:\n  format: '2'\ngit:\n  track_logs: false",
        ),
        (
            "\ufeff# a\n\ngit:\n  track_logs: false\n",
            "\ufeff# a\n\ngit:\n  track_logs: false\nvault:\n  format: 2\n",
        ),
        ("vault:\n# end\n", "vault:\n  format: 2\n# end\n"),
        ("a: {}\nvault:", "a: {}\nvault:\n  format: 2"),
        ("vault: {} # mine\n", "vault: {format: 2, } # mine\n"),
        ("vault:\n   id: x # mine\n", "vault:\n   format: 2\n   id: x # mine\n"),
    ],
)
def test_only_the_line_of_the_format_changes(vault_of: VaultOf, before: str, after: str) -> None:
    root = vault_of({"memoryclaw.yaml": before})
    assert Claw(root)("migrate").code == 0
    assert (root / "memoryclaw.yaml").read_text() == after


def test_settings_that_cannot_be_told_are_said(vault_of: VaultOf) -> None:
    root = vault_of({"memoryclaw.yaml": "? vault\n: \n", "skills/a.json": FILES["skills/_drafts/tidy.json"]})
    before = snapshot(root)
    ran = Claw(root)("migrate")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "write `format: 2` below `vault:`" in ran.err
    assert snapshot(root) == before


def test_a_new_vault_has_the_newest_format(tmp_path: Path) -> None:
    claw = Claw(tmp_path / "new")
    assert claw("init", tmp_path / "new").code == 0
    assert "nothing to do" in claw("migrate").out
    assert "\nvault:\n  format: 2 " in (tmp_path / "new/memoryclaw.yaml").read_text()


WRITES = (
    "remember x", "edit notes/lake --set tags=x", "forget notes/lake", "undo EARLIER", "migrate", "consolidate", "capture --session s",
    "feedback notes/lake 5", "working set --session s --goal x", "skills new sew", "skills approve tidy",
    "trust notes/lake --yes", "init .", "sync --with-git",
)  # fmt: skip


def test_a_newer_vault_is_read_and_not_written(vault: Path) -> None:
    claw = Claw(vault)
    earlier = claw("remember", "y", "--json").json["commit"]
    (vault / "memoryclaw.yaml").write_text("vault:\n  format: 3\n")
    (vault / "logs/2026-04-19").mkdir(parents=True)
    turn = '{"role": "user", "content": "I prefer oak", "session": "s", "ts": "2026-04-19T10:00:00Z"}\n'
    (vault / "logs/2026-04-19/t.jsonl").write_text(turn)
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "newer")
    before = {path: data for path, data in snapshot(vault).items() if path != ".git/index"}
    assert "The lake is cold" in claw("recall", "lake", "--session", "s").out
    assert claw("search", "lake", "--session", "s", "--json").json["matches"]
    assert "format 3" in claw("status").err
    assert claw("doctor").code == 1
    for words in WRITES:
        said = words.replace("EARLIER", earlier).split()
        ran = claw(*said, "--vault", vault, stdin=turn, cwd=vault)
        if "capture" not in words:
            assert ran.code == 1, words
        assert "memoryclaw.yaml: the vault has format 3" in ran.err, words
        assert "update MemoryClaw" in ran.err
        assert {path: data for path, data in snapshot(vault).items() if path != ".git/index"} == before, words
    assert claw("reindex").code == 0


def test_the_format_of_all_vaults_is_not_for_the_user_to_say(vault: Path, tmp_path: Path) -> None:
    own = tmp_path / "own/memoryclaw/config.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("vault:\n  format: 7\n")
    ran = Claw(vault, XDG_CONFIG_HOME=str(tmp_path / "own"))("remember", "x")
    assert ran.code == 0
    assert (
        "vault.format is read only from the settings of a vault"
        in Claw(vault, XDG_CONFIG_HOME=str(tmp_path / "own"))("status").err
    )
