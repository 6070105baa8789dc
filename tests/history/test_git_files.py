"""What is read from git's own files is what git says of them; in any doubt nothing is said."""

from __future__ import annotations

import os
import subprocess

import pytest
from gitvault import git, vault_of
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.history.git import git_state, move_branch
from memoryclaw.history.git_files import index_entries, index_with, loose_object, may_ignore
from memoryclaw.history.repository import History, _LooseObjects, _PackedError

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


def written_by_us(root, changes, id_length=20, *, later=10):
    """The index with changes as we write it, asked of git; None where it is left to git. `later`: seconds since its newest file."""
    index = root / ".git/index"
    os.utime(index, ns=((index.stat().st_mtime_ns + later * 10**9),) * 2)
    named = {name.encode(): entry for name, entry in changes.items()}
    data = index_with(index.read_bytes(), named, id_length, index.stat().st_mtime_ns)
    if data is not None:
        index.write_bytes(data)
    return data and (listed(root), git(root, "fsck", "--strict"))


@pytest.fixture(scope="module", params=["sha1", "sha256"])
def indexed(request, tmp_path_factory):
    """A repository, and two ids of blobs of its."""
    root = tmp_path_factory.mktemp("indexing") / "v"
    root.mkdir()
    git(root, "init", "-q", f"--object-format={request.param}")
    for name, text in {**FILES, "b.md": "z\n", "semantic.md": "-\n"}.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    git(root, "status")
    return root, (root / ".git/index").read_bytes(), [listed(root)[name][1] for name in ("a.md", "b.md")]


_PATH = st.sampled_from([*FILES, "b.md", "semantic.md", "0.md", "semantic/zz.md", "zz/é.md", "a.md0", "semantic-x/a.md", "w" * 5000])  # fmt: skip


@given(
    changes=st.dictionaries(
        _PATH, st.none() | st.tuples(st.sampled_from(["100644", "100755"]), st.integers(0, 1)), min_size=1
    )
)
def test_an_index_that_we_write_is_what_git_would_have_written(indexed, changes):
    root, before, oids = indexed
    (root / ".git/index").write_bytes(before)
    entries = {name: entry and (entry[0], oids[entry[1]]) for name, entry in changes.items()}
    expected = {name: entry for name, entry in (listed(root) | entries).items() if entry}
    told, troubles = written_by_us(root, entries, len(oids[0]) // 2)
    assert [*told.items()] == sorted(expected.items(), key=lambda row: row[0].encode())
    assert troubles == ""
    (root / ".git/index").write_bytes(before)
    rows = "".join(
        f"{' '.join(entry or ('0', '0' * len(oids[0])))}\t{name}\0" for name, entry in entries.items()
    )
    subprocess.run(["git", "update-index", "-z", "--index-info"], cwd=root, input=rows.encode(), check=True)
    assert listed(root) == told


@pytest.mark.parametrize(
    ("name", "later"),
    [("a.md/below.md", 10), ("semantic", 10), ("a.md", 0)],  # the last: a file is as new as the index
)
def test_where_entries_are_in_the_way_or_in_doubt_git_writes_the_index(tmp_path, name, later):
    root = vault_of(tmp_path / "v", FILES)
    (root / "a.md").write_text("y\n")
    git(root, "add", "a.md")
    entry, saved = listed(root)["a.md"], (root / "a.md").stat().st_mtime_ns
    os.utime(root / ".git/index", ns=(saved, saved))
    assert written_by_us(root, {name: entry}, later=later) is None
    assert written_by_us(root, {"a.md": entry}) is not None


def test_a_branch_is_moved_as_git_moves_it_or_left_to_git(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "x\n"})
    folder, old = root / ".git", git(root, "rev-parse", "HEAD").strip()
    new = git(root, "commit-tree", "-m", "new", "-p", "HEAD", "HEAD^{tree}").strip()
    note = "Me <me@here> 1795910733 +0000\ttest"

    def moved(old, new, ref="refs/heads/main"):
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        is_moved = move_branch(str(folder), ref, old, new, note)
        after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        assert is_moved or before == after
        return is_moved

    assert not moved(new, old)  # it is elsewhere
    assert not moved(old, new, "refs/heads/other")
    for lock in (folder / "HEAD.lock", folder / "refs/heads/main.lock"):
        lock.touch()
        assert not moved(old, new)
        lock.unlink()
    assert moved(old, new)
    assert git(root, "rev-parse", "HEAD").strip() == new
    assert git(root, "reflog", "--format=%H %gs", "main").splitlines()[0] == f"{new} test"
    assert git(root, "reflog", "--format=%H %gs", "HEAD").splitlines()[0] == f"{new} test"
    assert git(root, "fsck", "--strict") == ""
    assert not [*folder.rglob("*.lock")]
    git(root, "pack-refs", "--all")
    assert not moved(new, old)
    git(root, "switch", "-q", "-c", "else")
    assert not moved(new, old)


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
