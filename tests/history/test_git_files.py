"""What is read from git's own files is what git says of them; in any doubt nothing is said."""

from __future__ import annotations

import subprocess

import pytest
from gitvault import git, vault_of
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.history.git import git_state
from memoryclaw.history.repository import (
    History,
    _LooseObjects,
    _PackedError,
    index_entries,
    loose_object,
    may_ignore,
)

FILES = {
    "a.md": "x\n",
    "semantic/people.md": "- Anna\n",
    "semantic/é.md": "y\n",
    f"{'d' * 200}/{'n' * 250}": "z\n",
}


def listed(root):
    """Mode and id of every entry, as git lists them."""
    rows = (row.partition("\t") for row in git(root, "ls-files", "--stage", "-z").split("\0")[:-1])
    return {path: tuple(entry.split(" ")[:2]) for entry, _, path in rows}


def read_index(root, *names, id_length=20):
    entries = index_entries((root / ".git/index").read_bytes(), [name.encode() for name in names], id_length)
    return entries if entries is None else {name.decode(): entry for name, entry in entries.items()}


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_entries_of_the_index_are_those_that_git_lists(tmp_path, kind):
    root = tmp_path / "v"
    root.mkdir()
    git(root, "init", "-q", f"--object-format={kind}")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    (root / "a.md").chmod(0o755)
    git(root, "add", "-A")
    (root / "new.md").write_text("n\n")
    git(root, "add", "--intent-to-add", "new.md")  # an entry of the longer form
    names = [*FILES, "new.md"]
    assert read_index(root, *names, "none.md", id_length=20 if kind == "sha1" else 32) == listed(root)
    assert {entry.oid for entry in History(str(root)).base(names).sides["a.md"][1:2]} == {
        listed(root)["a.md"][1]
    }


@pytest.mark.parametrize("change", ["version", "split", "conflict", "torn"])
def test_of_another_index_git_is_asked(tmp_path, change):
    root = vault_of(tmp_path / "v", FILES)
    if change == "version":
        git(root, "update-index", "--index-version", "4")
    elif change == "split":
        git(root, "update-index", "--split-index")
    elif change == "conflict":
        oid = listed(root)["a.md"][1]
        rows = f"0 {'0' * 40}\ta.md\n" + "".join(f"100644 {oid} {stage}\ta.md\n" for stage in (1, 2, 3))
        subprocess.run(["git", "update-index", "--index-info"], cwd=root, input=rows.encode(), check=True)
    else:
        index = root / ".git/index"
        index.write_bytes(index.read_bytes()[:-30])
    assert read_index(root, "a.md") is None


def test_objects_are_those_of_git_and_packed_ones_are_left_to_it(tmp_path):
    root = vault_of(tmp_path / "v", FILES)
    names = [
        "HEAD", "HEAD:", "HEAD:semantic", "HEAD:semantic/é.md", "HEAD:a.md", "HEAD:none/at.all",
        "HEAD:a.md/below",
    ]  # fmt: skip
    loose = [_LooseObjects(git_state(str(root))).named(name) for name in names]
    git(root, "repack", "-a", "-d", "-q")
    with pytest.raises(_PackedError):
        _LooseObjects(git_state(str(root))).named("HEAD")
    assert History(str(root)).objects(names) == loose
    assert loose[3][2] == b"y\n"
    assert loose[5:] == [None, None]


def test_an_object_is_read_whole_or_not_at_all(tmp_path):
    root = vault_of(tmp_path / "v", FILES)
    oid = listed(root)["a.md"][1]
    file = root / ".git/objects" / oid[:2] / oid[2:]
    stored = file.read_bytes()
    assert loose_object(stored) == ("blob", b"x\n")
    assert loose_object(stored[:-3]) is None
    assert loose_object(b"") is None


_NAME = st.text("ab.*!/# \\[]?x", max_size=8)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return vault_of(tmp_path_factory.mktemp("ignoring") / "v", {"a.md": "x\n"})


@given(
    rules=st.lists(_NAME, max_size=3),
    parts=st.lists(st.text("ab.x# ", min_size=1, max_size=3), min_size=1, max_size=3),
)
def test_what_no_rule_can_be_about_git_does_not_ignore(repository, rules, parts):
    path = "/".join(part for part in parts if part.strip(".")) or "a"
    (repository / ".gitignore").write_text("\n".join(rules) + "\n")
    command = ["git", "check-ignore", "-q", "--no-index", "--", f"./{path}"]
    ignored = subprocess.run(command, cwd=repository, check=False).returncode == 0
    assert may_ignore("\n".join(rules) + "\n", path) or not ignored


@pytest.mark.parametrize(
    ("rules", "path", "doubtful"),
    [
        ("logs/\n.memoryclaw/\n", "episodes/a.md", False),
        ("logs/\n", "logs/a.jsonl", True),
        ("/views/topics\n", "views/entities/a.md", False),
        ("/views/topics\n", "views/topics/a.md", True),
        ("*.tmp\n# a.md\n", "a.md", False),
        ("*.md\r\n", "b/a.md", True),
        ("a?.md\n", "b.md", True),
        ("\ufefflogs\n", "logs/a", True),
    ],
)
def test_rules_are_about_a_path_or_surely_not(rules, path, doubtful):
    assert may_ignore(rules, path) is doubtful


def test_every_place_of_ignore_rules_counts(tmp_path, monkeypatch):
    root, shared = (
        vault_of(tmp_path / "v", {"a.md": "x\n", "sub/.gitignore": "inner.md\n"}),
        tmp_path / "shared",
    )
    (shared / "git").mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(shared))
    (shared / "git/ignore").write_text("mine.md\n")
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("here.md\n")
    paths = ["mine.md", "here.md", "sub/inner.md", "inner.md", "sub/other.md"]
    assert History(str(root)).ask_ignored(paths)() == {"mine.md", "here.md", "sub/inner.md"}
    (root / "rules").write_text("other.md\n")
    git(root, "config", "core.excludesFile", str(root / "rules"))
    assert History(str(root)).ask_ignored(["sub/other.md"])() == {"sub/other.md"}
    (root / "link").symlink_to(root / "rules")
    (root / ".gitignore").unlink(missing_ok=True)
    (root / ".gitignore").symlink_to(root / "rules")
    assert History(str(root)).ask_ignored(["a b.md"])() == set()
