from __future__ import annotations

import itertools
import os
import stat

from gitvault import NOW, git, pen_for, snapshot

from memoryclaw.text import yaml_text
from memoryclaw.vault.vocabulary import read_schema
from memoryclaw.writing.context import Templates
from memoryclaw.writing.init import init
from memoryclaw.writing.remember import remember

OURS = [".gitattributes", ".gitignore", "memoryclaw.yaml", "semantic/_schema.yaml"]


def start(root):
    count = itertools.count(1)
    return init(str(root), Templates(), NOW, lambda: f"{next(count):06x}", "0" * 32)


def test_a_new_vault_is_private_and_committed(tmp_path):
    root = tmp_path / "deep" / "vault"
    done = start(root)
    assert done.action == "created"
    assert git(root, "ls-tree", "-r", "--name-only", "HEAD").split() == OURS
    assert git(root, "rev-parse", "HEAD").strip() == done.commit
    assert git(root, "status", "--porcelain") == ""
    for folder in ("", "episodes", "semantic", "skills/_drafts", "review", "archive", "logs", ".memoryclaw"):
        assert stat.S_IMODE((root / folder).stat().st_mode) == 0o700
    for name in OURS:
        assert stat.S_IMODE((root / name).stat().st_mode) == 0o600
    assert not os.path.exists(root / ".git/hooks")
    hidden = ["logs/x", "ledger/x", "working/x", ".memoryclaw/x"]
    assert git(root, "check-ignore", *hidden).split() == hidden
    assert git(root, "check-attr", "merge", "ledger/d/x.jsonl") == "ledger/d/x.jsonl: merge: union\n"


def test_the_settings_say_the_format_alone_and_the_schema_reads_without_problems(tmp_path):
    start(tmp_path / "v")
    text = (tmp_path / "v/memoryclaw.yaml").read_text()
    assert yaml_text.load(text).value == {"vault": {"format": "2", "id": "0" * 32}}
    uncommented = "".join(
        f"{line[2:] if line.startswith('# ') and ':' in line else ''}\n" for line in text.splitlines()[3:]
    )
    assert yaml_text.load(uncommented).problems == ()
    schema = read_schema((tmp_path / "v/semantic/_schema.yaml").read_text())
    assert schema.problems == ()
    assert schema.fields["email"].many
    assert not schema.fields["deadline"].many


def test_a_second_time_says_so_and_changes_nothing(tmp_path):
    start(tmp_path / "v")
    before = snapshot(tmp_path / "v")
    done = start(tmp_path / "v")
    assert (done.action, done.commit) == ("confirmed", "")
    assert "already" in done.notice
    assert snapshot(tmp_path / "v") == before


def test_a_folder_with_notes_gets_only_what_is_missing(tmp_path):
    root = tmp_path / "v"
    root.mkdir()
    (root / "note.md").write_text("mine")
    (root / ".gitignore").write_text("mine/\n")
    start(root)
    assert git(root, "ls-tree", "-r", "--name-only", "HEAD").split() == [
        name for name in OURS if name != ".gitignore"
    ]
    assert (root / ".gitignore").read_text() == "mine/\n"
    assert "?? note.md" in git(root, "status", "--porcelain")


def test_an_existing_repository_keeps_its_work(tmp_path):
    root = tmp_path / "v"
    root.mkdir()
    git(root, "init", "-q", "-b", "trunk")
    (root / "a.md").write_text("a")
    git(root, "add", "a.md")
    start(root)
    assert git(root, "diff", "--cached", "--name-only") == "a.md\n"
    assert git(root, "ls-tree", "-r", "--name-only", "trunk").split() == OURS


def test_a_vault_inside_another_repository_gets_its_own(tmp_path):
    git(tmp_path, "init", "-q")
    start(tmp_path / "v")
    assert git(tmp_path, "rev-list", "--all") == ""
    assert git(tmp_path / "v", "rev-list", "--count", "HEAD") == "1\n"
    assert remember(pen_for(tmp_path / "v"), "hello").commit
