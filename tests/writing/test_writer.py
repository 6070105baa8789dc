from __future__ import annotations

import pytest
from gitvault import NOW, UNFIT_STATES, git, snapshot, users_work, vault_of

from memoryclaw.errors import ConflictError, HistoryError, InputError
from memoryclaw.writing.writer import Edit, Move, text_change, write


def vault(tmp_path, **files):
    return vault_of(tmp_path / "vault", files)


def put(root, path, change, message="Change\n\nRun: r-1\n"):
    return write(str(root), [Edit(path, text_change(change))], lambda: message, verb="test", now=NOW)


def replaced(old, new):
    def change(text):
        if old not in text:
            raise InputError("not there")
        return text.replace(old, new)

    return change


def test_the_commit_holds_the_change_and_nothing_else(tmp_path):
    root = vault(tmp_path, **{"a.md": "one\ntwo\n", "sub/b.md": "b\n"})
    done = put(root, "sub/b.md", replaced("b", "c"))
    assert (root / "sub/b.md").read_text() == "c\n"
    assert git(root, "show", "--format=%an <%ae>%n%B", "--stat", done.commit).splitlines()[:4] == [
        "MemoryClaw <memoryclaw@localhost>", "Change", "", "Run: r-1",
    ]  # fmt: skip
    assert git(root, "diff", "--name-only", "HEAD~1", "HEAD") == "sub/b.md\n"
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "fsck", "--strict", "--full") == ""


WORDS = "".join(f"line {i}\n" for i in range(20))


def test_staged_unstaged_and_untracked_work_stays_as_it_was(tmp_path):
    root = vault(tmp_path, **{"a.md": WORDS, "b.md": WORDS, "c.md": WORDS, "d.md": WORDS})
    (root / "a.md").write_text(WORDS.replace("line 3\n", "mine 3\n"))  # unstaged, in the very file
    (root / "b.md").write_text(WORDS.replace("line 4\n", "mine 4\n"))
    git(root, "add", "b.md")
    (root / "c.md").write_text(WORDS.replace("line 5\n", "mine 5\n"))
    git(root, "add", "c.md")
    (root / "c.md").write_text(WORDS.replace("line 5\n", "mine 5\n").replace("line 9\n", "mine 9\n"))
    (root / "new.md").write_text("mine")
    git(root, "rm", "-q", "--cached", "d.md")
    before = users_work(root)

    put(root, "a.md", replaced("line 17\n", "ours 17\n"))

    after = users_work(root)
    assert after == before
    assert git(root, "show", "HEAD:a.md") == WORDS.replace("line 17\n", "ours 17\n")
    assert "ours 17" in (root / "a.md").read_text()
    assert "mine 3" in (root / "a.md").read_text()
    git(root, "commit", "-qm", "mine")
    assert git(root, "diff", "--name-only", "HEAD~1", "HEAD").split() == ["b.md", "c.md", "d.md"]


def test_what_is_staged_in_the_same_file_stays_staged_and_alone(tmp_path):
    root = vault(tmp_path, **{"a.md": WORDS})
    (root / "a.md").write_text(WORDS.replace("line 3\n", "mine 3\n"))
    git(root, "add", "a.md")
    before = users_work(root)
    put(root, "a.md", replaced("line 17\n", "ours 17\n"))
    assert users_work(root) == before
    git(root, "commit", "-qm", "mine")
    assert [line for line in git(root, "diff", "-U0", "HEAD~1", "HEAD").splitlines() if line[:1] in "+-"][
        2:
    ] == ["-line 3", "+mine 3"]


@pytest.mark.parametrize("staged", [False, True])
def test_lines_that_the_user_changed_are_refused_and_nothing_is_written(tmp_path, staged):
    root = vault(tmp_path, **{"a.md": WORDS})
    (root / "a.md").write_text(WORDS.replace("line 3\n", "mine 3\n"))
    if staged:
        git(root, "add", "a.md")
    before = (snapshot(root), git(root, "rev-parse", "HEAD"))
    with pytest.raises(ConflictError, match=r"a\.md has uncommitted changes of yours"):
        put(root, "a.md", replaced("mine 3\n", "ours 3\n"))
    assert (snapshot(root), git(root, "rev-parse", "HEAD")) == before


def test_untracked_and_ignored_files_are_written_but_not_committed(tmp_path):
    root = vault(tmp_path, **{"a.md": "a\n"})
    (root / "mine.md").write_text("b\n")
    head = git(root, "rev-parse", "HEAD")
    for path in ("mine.md", "logs/new.md"):
        done = put(root, path, lambda text: text + "more\n")
        assert (done.changed, done.commit) == (True, "")
        assert f"changes to {path} cannot be undone" in done.notice
        assert (root / path).read_text().endswith("more\n")
    assert git(root, "rev-parse", "HEAD") == head
    assert git(root, "status", "--porcelain") == "?? mine.md\n"


@pytest.mark.parametrize("state", ["untracked", "ignored", "staged"])
def test_what_git_does_not_hold_is_never_overwritten(tmp_path, state):
    root = vault(tmp_path, **{"a.md": "a\n", ".gitignore": "ignored.md\n"})
    path = "ignored.md" if state == "ignored" else "mine.md"
    (root / path).write_text("mine 1\nmine 2\n")
    if state == "staged":
        git(root, "add", path)
    before = (snapshot(root), git(root, "rev-parse", "HEAD"))
    with pytest.raises(ConflictError, match=rf"{path} is not in git.*commit the file first") as refused:
        put(root, path, replaced("mine 2\n", "ours 2\n"))
    assert "\n" not in str(refused.value)
    assert (snapshot(root), git(root, "rev-parse", "HEAD")) == before
    git(root, "add", "-f", path)
    git(root, "commit", "-qm", "mine")
    assert put(root, path, replaced("mine 2\n", "ours 2\n")).commit


def test_a_line_that_git_does_not_hold_may_go_where_the_same_change_keeps_it(tmp_path):
    root = vault(tmp_path, **{"a.md": "a\n"})
    (root / "mine.md").write_text("mine 1\nmine 2\n")
    edits = [
        Edit("mine.md", text_change(replaced("mine 2\n", ""))),
        Edit("kept.md", text_change(lambda _: "> quoted\n    mine 2\n")),
    ]
    assert write(str(root), edits, lambda: "Keep\n\nRun: r-1\n", verb="test", now=NOW).changed
    assert (root / "mine.md").read_text() == "mine 1\n"


def test_without_a_repository_the_file_is_written_and_the_notice_says_so(tmp_path):
    git(tmp_path, "init", "-q")  # the parent's repository is none of ours
    root = tmp_path / "vault"
    root.mkdir()
    done = put(root, "a.md", lambda text: "a\n")
    assert (root / "a.md").read_text() == "a\n"
    assert not done.commit
    assert "no git repository" in done.notice
    assert git(tmp_path, "status", "--porcelain") == "?? vault/\n"
    assert git(tmp_path, "rev-list", "--all") == ""


def test_the_vaults_own_repository_is_used_inside_a_parents(tmp_path):
    git(tmp_path, "init", "-q")
    root = vault(tmp_path, **{"a.md": "a\n"})
    put(root, "a.md", lambda text: "b\n")
    assert git(root, "log", "--format=%s").split() == ["Change", "first"]
    assert git(tmp_path, "rev-list", "--all") == ""


def test_an_unborn_branch_gets_our_commit_as_its_root(tmp_path):
    root = tmp_path / "vault"
    root.mkdir()
    git(root, "init", "-q", "-b", "trunk")
    (root / "mine.md").write_text("mine")
    git(root, "add", "mine.md")
    done = put(root, "sub/a.md", lambda text: "a\n")
    assert git(root, "rev-parse", "trunk").strip() == done.commit
    assert git(root, "ls-tree", "-r", "--name-only", "HEAD") == "sub/a.md\n"
    assert git(root, "status", "--porcelain") == "A  mine.md\n"
    assert git(root, "fsck", "--strict") == ""


def test_a_linked_worktree_is_a_normal_vault(tmp_path):
    main = vault(tmp_path, **{"a.md": "a\n"})
    root = tmp_path / "linked"
    git(main, "worktree", "add", "-q", "-b", "side", str(root))
    done = put(root, "a.md", lambda text: "b\n")
    assert git(root, "rev-parse", "side").strip() == done.commit
    assert git(main, "status", "--porcelain") == ""
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.parametrize(("prepare", "word"), UNFIT_STATES)
def test_in_a_state_that_takes_no_commit_nothing_is_written(tmp_path, prepare, word):
    root = vault(tmp_path, **{"a.md": "a\n", "b.md": "b\n"})
    prepare(root)
    before = snapshot(root)
    with pytest.raises(HistoryError, match=word):
        put(root, "b.md", lambda text: "c\n")
    assert snapshot(root) == before


def test_a_lock_of_the_users_is_waited_for_and_never_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("memoryclaw.writing.writer.WAIT", 0.2)
    root = vault(tmp_path, **{"a.md": "a\n"})
    (root / ".git/index.lock").touch()
    with pytest.raises(HistoryError, match=r"index\.lock"):
        put(root, "a.md", lambda text: "b\n")
    assert (root / ".git/index.lock").exists()
    assert (root / "a.md").read_text() == "a\n"


def test_a_file_keeps_its_mode_and_a_new_one_is_private(tmp_path):
    root = vault(tmp_path, **{"a.md": "a\n"})
    (root / "a.md").chmod(0o640)
    put(root, "a.md", lambda text: "b\n")
    put(root, "x/y.md", lambda text: "b\n")
    assert (root / "a.md").stat().st_mode & 0o777 == 0o640
    assert (root / "x/y.md").stat().st_mode & 0o777 == 0o600
    assert (root / "x").stat().st_mode & 0o777 == 0o700


def test_a_move_keeps_the_users_edits_as_the_users(tmp_path):
    root = vault(tmp_path, **{"n.md": WORDS})
    (root / "n.md").write_text(WORDS + "mine\n")
    done = write(str(root), [Move("n.md", "archive/n.md")], lambda: "Move\n", verb="test", now=NOW)
    assert (root / "archive/n.md").read_text() == WORDS + "mine\n"
    assert not (root / "n.md").exists()
    assert git(root, "show", "--format=", "--name-status", "-M", done.commit) == "R100\tn.md\tarchive/n.md\n"
    assert git(root, "status", "--porcelain") == " M archive/n.md\n"


def test_several_files_change_in_one_commit_or_not_at_all(tmp_path):
    root = vault(tmp_path, **{"a.md": "a\n", "b.md": "b\n"})
    (root / "b.md").write_text("mine\n")
    before = snapshot(root)
    edits = [Edit("a.md", text_change(lambda _: "A\n")), Edit("b.md", text_change(lambda _: "B\n"))]
    with pytest.raises(ConflictError):
        write(str(root), edits, lambda: "Both\n", verb="test", now=NOW)
    assert snapshot(root) == before
    git(root, "checkout", "-q", "b.md")
    write(str(root), edits, lambda: "Both\n", verb="test", now=NOW)
    assert git(root, "log", "--format=%s", "--name-only", "-1").split() == ["Both", "a.md", "b.md"]


def test_crlf_in_the_working_file_and_lf_in_git_are_each_kept(tmp_path):
    root = vault(tmp_path, **{"a.md": "one\ntwo\n"})
    git(root, "config", "core.autocrlf", "true")
    (root / "a.md").write_bytes(b"one\r\ntwo\r\n")
    put(root, "a.md", lambda text: text.replace("two", "2"))
    assert (root / "a.md").read_bytes() == b"one\r\n2\r\n"
    assert git(root, "show", "HEAD:a.md") == "one\n2\n"


@pytest.mark.parametrize(
    "path", ["../x.md", "/etc/x", ".git/config", "a//b.md", "a/../b.md", "x\n.md", ".memoryclaw/x", ""]
)
def test_no_path_leaves_the_vault_or_enters_its_hidden_folders(tmp_path, path):
    root = vault(tmp_path)
    with pytest.raises(InputError):
        put(root, path, lambda text: "x")
