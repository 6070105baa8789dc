"""`migrate` brings a vault to the newest format in one commit: exactly the lines that it must, nothing of the user's, and undo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Claw, VaultOf, git
from gitvault import snapshot
from indexed import kept, rebuilt

SETTINGS = "# Mine\r\nretrieval:\r\n  budget: 400   # small\r\n# the end"
SEND = """{
  "name": "Send the email", "triggers": ["send an email", "mail it"], "retries": 3, "quiet": true, "note": null,
  "description": "Sends an email: first it asks # then it sends.",
  "parameters": {"to": {"type": "email", "optional": false}},
  "steps": [{"tool": "send_email", "args": {"to": "$to", "tags": ["a", "b: c"], "body": "two\\nlines"}}, "say that it is done"]
}
"""
FILES = {
    "memoryclaw.yaml": SETTINGS,
    ".gitignore": ".memoryclaw/\nledger/\nskills/private.json\n",
    "skills/send.json": SEND,
    "skills/_drafts/tidy.json": '{"name": "tidy", "description": "Tidies the desk every evening."}',
    "skills/broken.json": '{"name": "broken",\n  "steps": [1,,]}\n',
    "skills/list.json": "[1]\n",
    "skills/taken.json": '{"name": "taken", "description": "Takes what is there."}',
    "skills/taken/data.txt": "mine\n",
    "skills/row.js": "module.exports = {name: 'row', description: 'Rows the boat over the lake.'}\n",
    "skills/private.json": '{"name": "private", "description": "Only on this machine and in no git."}',
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


def left_of(answer: dict[str, object]) -> dict[str, tuple[int, str]]:
    return {one["path"]: (one["line"], one["message"]) for one in answer["left"]}  # type: ignore[attr-defined,index]


def test_json_skills_become_skill_files_and_everything_else_is_left(vault: Path) -> None:
    claw, before = Claw(vault), snapshot(vault)
    told = claw("migrate", "--dry-run", "--json").json
    assert snapshot(vault) == before
    done = claw("migrate", "--json").json
    assert (done["before"], done["after"]) == (1, 2)
    assert done["files"] == told["files"] == [
        {"path": "skills/send.json", "to": "skills/send-the-email/SKILL.md", "kept": "archive/skills/send.json"},
        {"path": "skills/_drafts/tidy.json", "to": "skills/_drafts/tidy/SKILL.md", "kept": "archive/skills/_drafts/tidy.json"},
    ]  # fmt: skip
    left = left_of(done)
    assert left == left_of(told)
    assert {path: line for path, (line, _) in left.items()} == {
        "skills/broken.json": 2, "skills/list.json": 1, "skills/private.json": 1, "skills/row.js": 1, "skills/taken.json": 1,
    }  # fmt: skip
    assert "this JSON is broken" in left["skills/broken.json"][1]
    assert all(one["hint"] for one in done["left"] if not one["path"].endswith(".js"))
    changed = git(vault, "show", "--name-status", "--no-renames", "--format=", done["commit"]).split("\n")[
        :-1
    ]
    assert changed == [
        "A\tarchive/skills/_drafts/tidy.json", "A\tarchive/skills/send.json", "M\tmemoryclaw.yaml",
        "D\tskills/_drafts/tidy.json", "A\tskills/_drafts/tidy/SKILL.md", "A\tskills/send-the-email/SKILL.md", "D\tskills/send.json",
    ]  # fmt: skip
    assert (vault / "archive/skills/send.json").read_text() == SEND
    assert (vault / "memoryclaw.yaml").read_bytes() == f"{SETTINGS}\r\nvault:\r\n  format: 2".encode()
    again = claw("migrate")
    assert (again.code, again.out) == (0, "The vault has format 2, the newest: nothing to do.\n")
    assert git(vault, "status", "--short") == ""


def test_what_a_skill_said_it_says_after_it(vault: Path) -> None:
    claw = Claw(vault)
    asked = "skills", "show", "Send the email", "--json"
    before = claw(*asked).json
    claw("migrate")
    after = claw("skills", "show", "send-the-email", "--json").json
    for key in ("description", "triggers", "parameters", "tools"):
        assert after.get(key) == before.get(key), key
    text = (vault / "skills/send-the-email/SKILL.md").read_text()
    assert "retries: 3\nquiet: true\nnote: null\n" in text
    assert "1. send_email\n" in text
    assert claw("skills", "lint", "send-the-email").out.startswith("skills/send-the-email/SKILL.md:") is bool(
        before["problems"]
    )
    # Old links and ids lead on.
    assert claw("links", "notes/lake", "--json").json["out"][0]["to"] == "skills/send-the-email/SKILL"
    assert claw("show", "skills/send.json").out == text


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


@pytest.mark.parametrize("how", ["edited", "staged", "untracked"])
def test_a_skill_with_work_of_the_users_is_refused_whole(vault: Path, how: str) -> None:
    path = vault / ("skills/new.json" if how == "untracked" else "skills/send.json")
    path.write_text('{"name": "send", "description": "Sends a letter by the post."}')
    if how == "staged":
        git(vault, "add", "skills/send.json")
    before = snapshot(vault)
    ran = Claw(vault)("migrate")
    assert ran.code == 1
    assert path.name in ran.err
    assert "commit" in ran.err
    after = snapshot(vault)
    assert {p: after[p] for p in before if not p.startswith(".git/")} == {
        p: before[p] for p in before if not p.startswith(".git/")
    }
    assert git(vault, "log", "--format=%s") == "all\n"


def test_the_index_kept_through_it_equals_one_built_anew(vault: Path) -> None:
    Claw(vault)("sync")
    Claw(vault)("migrate")
    index = kept(vault)
    assert index.mark() == rebuilt(vault)
    index.close()


def test_an_approved_skill_must_be_approved_again(vault: Path) -> None:
    claw = Claw(vault)
    (vault / "skills/tell.json").write_text(
        json.dumps({"name": "tell", "description": "Tells Anna what was decided today."})
    )
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "tell")
    assert claw("skills", "approve", "tell").code == 0
    ran = claw("migrate")
    assert "tell must be approved again" in ran.err
    listed = {one["name"]: one["state"] for one in claw("skills", "list", "--json").json["skills"]}
    assert listed["tell"] == "not approved"
    assert claw("skills", "approve", "tell").code == 0


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
