"""Commits as rows: whole, in order, whatever their words and the names of their files."""

from __future__ import annotations

from gitvault import git, vault_of

from memoryclaw.history import repository
from memoryclaw.history.repository import History


def test_a_row_tells_who_when_what_and_which_files(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "1\n"}, commit=False)
    git(root, "add", "-A")
    message = "Größe\n\nBody: not a trailer\n\nmore\n\nRun: x-1\nSource: s"
    git(
        root,
        "commit",
        "-qm",
        message,
        GIT_AUTHOR_NAME="Łukasz <x",
        GIT_AUTHOR_DATE="2026-03-01T10:00:00+02:00",
    )
    [row] = repository.commit_log(History(str(root)), limit=9)
    assert (row.author, row.when, row.subject) == ("Łukasz x", "2026-03-01T08:00:00Z", "Größe")
    assert row.trailers == {"Run": "x-1", "Source": "s"}
    assert (row.run, row.kind, row.files) == ("x-1", "x", (".gitignore", "a.md"))
    assert row.body.startswith("Body: not a trailer")
    assert repository.log_row(History(str(root)), row.commit) == row


def test_names_of_files_with_spaces_and_marks_are_literal(tmp_path):
    root = vault_of(tmp_path / "v", {"a [b]*.md": "1\n", "a b.md": "2\n", "ü\tx.md": "3\n"})
    history = History(str(root))
    assert repository.commit_log(history, limit=1)[0].files == (
        ".gitignore", "a [b]*.md", "a b.md", "ü\tx.md",
    )  # fmt: skip
    (root / "a b.md").write_text("22\n")
    git(root, "commit", "-qam", "only this")
    assert [row.subject for row in repository.commit_log(history, ["a [b]*.md"], limit=9)] == ["first"]
    assert [(edition.before, edition.after) for edition in repository.editions(history, "a b.md")] == [
        (b"2\n", b"22\n"),
        (None, b"2\n"),
    ]


def test_merges_of_a_person_are_rows_like_others(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "1\n"})
    git(root, "switch", "-qc", "side")
    (root / "b.md").write_text("b\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "side work")
    git(root, "switch", "-q", "main")
    (root / "a.md").write_text("2\n")
    git(root, "commit", "-qam", "main work")
    git(root, "merge", "-q", "--no-ff", "-m", "merged", "side")
    rows = repository.commit_log(History(str(root)), limit=9)
    assert rows[0].subject == "merged"
    assert {row.subject for row in rows[1:]} == {"side work", "main work", "first"}
    assert [row.files for row in rows if row.subject == "side work"] == [("b.md",)]


def test_a_message_in_another_encoding_is_read_as_its_commit_says(tmp_path):
    root = vault_of(tmp_path / "v", {"a.md": "1\n"})
    git(root, "config", "i18n.commitEncoding", "ISO-8859-1")
    (tmp_path / "message").write_bytes("Fähre nach Århus\n\nmit Gepäck\n".encode("latin-1"))
    git(root, "commit", "-q", "--allow-empty", "-F", str(tmp_path / "message"))
    [row, _] = repository.commit_log(History(str(root)), limit=9)
    assert (row.subject, row.body) == ("Fähre nach Århus", "mit Gepäck")
