"""A note's text is written as a person gave it: digest-checked, one commit, and lines that stay keep their bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import VaultOf, git

from memoryclaw import open_vault
from memoryclaw.app import App
from memoryclaw.errors import ConflictError, ForbiddenError, InputError, NotFoundError

NOTE = b"\xef\xbb\xbf---\r\ntags: [a]\r\n---\r\nOne.\r\nTwo.\nThree."


@pytest.fixture
def root(vault_of: VaultOf) -> Path:
    vault = vault_of(
        {"notes/mixed.md": NOTE, "notes/plain.md": "One.\nTwo.\n", "semantic/a.md": "# Boat\n- b: c\n"}
    )
    (vault / "notes/latin.md").write_bytes(b"caf\xe9\n")
    (vault / "skills").mkdir()
    (vault / "skills/x.json").write_text('{"name": "x", "description": "y", "steps": []}')
    for args in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "mine")):
        git(vault, *args)
    return vault


@pytest.fixture
def app(root: Path) -> App:
    return open_vault(root)


def test_a_browser_gives_other_line_ends_and_the_file_keeps_its_own(app: App, root: Path) -> None:
    shown = app.show("notes/mixed")
    typed = "---\ntags: [a]\n---\nOne.\nTwo and a half.\nTwo.\nThree.".replace("\n", "\r\n")
    done = app.rewrite("notes/mixed", typed, digest=shown.digest)
    assert (root / "notes/mixed.md").read_bytes() == NOTE.replace(b"Two.\n", b"Two and a half.\r\nTwo.\n")
    assert done.written is not None
    assert done.written.action == "edited"
    assert git(root, "show", "--format=%s", "--name-only", "HEAD").split("\n\n")[1] == "notes/mixed.md\n"


def test_the_same_text_changes_nothing(app: App, root: Path) -> None:
    head = git(root, "rev-parse", "HEAD")
    done = app.rewrite("notes/mixed", app.show("notes/mixed").text, digest=app.show("notes/mixed").digest)
    assert done.written is not None
    assert done.written.commit == ""
    assert (root / "notes/mixed.md").read_bytes() == NOTE
    assert git(root, "rev-parse", "HEAD") == head


def test_a_preview_tells_and_writes_nothing(app: App, root: Path) -> None:
    shown = app.show("notes/plain")
    rewritten = app.rewrite("notes/plain", "---\ntags: [a\n---\nOne.\n", digest=shown.digest, dry_run=True)
    assert rewritten.written is None
    assert (rewritten.before, rewritten.after) == ("One.\nTwo.\n", "---\ntags: [a\n---\nOne.\n")
    assert rewritten.problems
    assert rewritten.problems[0].path == "notes/plain.md"
    assert (root / "notes/plain.md").read_text() == "One.\nTwo.\n"


def test_a_file_that_changed_is_never_overwritten(app: App, root: Path) -> None:
    digest = app.show("notes/plain").digest
    (root / "notes/plain.md").write_text("One, by an editor.\nTwo.\n")
    with pytest.raises(ConflictError, match="has changed since it was read; nothing was written"):
        app.rewrite("notes/plain", "Mine.\n", digest=digest)
    assert (root / "notes/plain.md").read_text() == "One, by an editor.\nTwo.\n"


def test_work_that_git_does_not_have_yet_stays_the_users_own(app: App, root: Path) -> None:
    path = root / "notes/long.md"
    lines = [f"Line {n}.\n" for n in range(9)]
    path.write_text("".join(lines))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    path.write_text("".join(lines).replace("Line 1.", "Line one, by an editor."))
    shown = app.show("notes/long")
    app.rewrite("notes/long", shown.text.replace("Line 7.", "Line seven."), digest=shown.digest)
    assert "Line one, by an editor." in path.read_text()
    assert "Line seven." in path.read_text()
    committed = git(root, "show", "HEAD:notes/long.md")
    assert "Line seven." in committed
    assert "by an editor" not in committed, "what a person did not commit is in no commit of ours"
    shown = app.show("notes/long")
    with pytest.raises(ConflictError, match=r"commit it, then save again|uncommitted"):
        app.rewrite("notes/long", shown.text.replace("by an editor", "by me"), digest=shown.digest)
    assert path.read_text() == shown.text


def test_a_secret_is_taken_out_and_that_is_said(app: App, root: Path) -> None:
    shown, secret = app.show("notes/plain"), "ghp_" + "a1B2" * 9
    done = app.rewrite("notes/plain", f"One.\nToken {secret}\n", digest=shown.digest)
    assert secret not in (root / "notes/plain.md").read_text()
    assert secret not in git(root, "show", "HEAD")
    assert done.notice


def test_what_stands_may_stay(app: App, root: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    (root / "notes/kept.md").write_text(f"Mine: {secret}\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    app.rewrite("notes/kept", f"Mine: {secret}\nMore.\n", digest=app.show("notes/kept").digest)
    assert (root / "notes/kept.md").read_text() == f"Mine: {secret}\nMore.\n"


@pytest.mark.parametrize("id_", ["semantic/a#Boat.b", "skills/x.json"])
def test_what_is_no_note_of_its_own_is_refused(app: App, id_: str) -> None:
    with pytest.raises(InputError):
        app.rewrite(id_, "x", digest=app.show(id_).digest)


def test_only_the_owner_writes_and_only_what_is_there(app: App) -> None:
    with pytest.raises(ForbiddenError):
        app.seen_by("agent").rewrite("notes/plain", "x", digest="")
    with pytest.raises(NotFoundError):
        app.rewrite("notes/none", "x", digest="")


def test_a_file_in_another_encoding_keeps_it(app: App, root: Path) -> None:
    shown = app.show("notes/latin")
    if "\udce9" in shown.text:  # carried as half a character: no browser gives it back
        with pytest.raises(InputError, match="open the file itself"):
            app.rewrite("notes/latin", "x", digest=shown.digest)
        return
    app.rewrite("notes/latin", f"{shown.text}more\n", digest=shown.digest)
    assert (root / "notes/latin.md").read_bytes() == b"caf\xe9\nmore\n"
