"""What a person excludes is not read: by settings, by `.memoryclawignore`, by what Obsidian excludes."""

from __future__ import annotations

import pytest
from conftest import VaultOf

from memoryclaw.app import App
from memoryclaw.vault.folder import read_excluded


@pytest.mark.parametrize(
    ("pattern", "hidden", "read"),
    [
        ("Attic/", ["Attic/a.md", "x/Attic/a.md"], ["Attic.md", "x/Atticus/a.md"]),
        ("/Attic", ["Attic/x/a.md"], ["x/Attic/a.md"]),
        ("draft-*.md", ["draft-1.md", "x/draft-2.md"], ["x/my-draft-2.md"]),
        ("x/*/a.md", ["x/y/a.md"], ["x/a.md", "x/y/z/a.md"]),
        ("x/**/a.md", ["x/a.md", "x/y/z/a.md"], ["a.md"]),
        ("x/**", ["x/a.md", "x/y/a.md"], ["y/x.md"]),
        ("*" * 3 + "a*" * 12 + "b", [], ["a" * 200 + ".md"]),
        ("**", ["a.md"], ["episodes/2026-01-01_00-00-00_a.md", "semantic/a.md", "skills/a/SKILL.md", "logs/a.jsonl"]),
    ],
)  # fmt: skip
def test_a_glob_names_notes(pattern: str, hidden: list[str], read: list[str]) -> None:
    excluded = read_excluded([pattern])
    assert [path for path in (*hidden, *read) if excluded.hides(path)] == hidden


def test_the_last_pattern_that_fits_decides() -> None:
    excluded = read_excluded((), "# mine\nAttic/\n!Attic/keys.md\n")
    assert (excluded.hides("Attic/a.md"), excluded.hides("Attic/keys.md")) == (True, False)


def test_what_is_excluded_is_in_no_answer_and_comes_back(vault_of: VaultOf) -> None:
    files = {
        "memoryclaw.yaml": "index:\n  exclude: [Attic/]\n",
        ".memoryclawignore": "draft-*\n",
        ".obsidian/app.json": '{"userIgnoreFilters": ["Old Stuff/", "/^x[0-9]+/"]}',
        **dict.fromkeys(("a.md", "Attic/b.md", "x/draft-c.md", "old stuff/d.md", "x1.md"), "The lantern.\n"),
    }  # fmt: skip
    root = vault_of(files)
    with App(root) as app:
        assert [match.path for match in app.search("lantern").matches] == ["a.md", "x1.md"]
        status = app.status()
        assert "3 notes that you exclude" in status.ignored
        assert [problem.path for problem in status.problems] == [".obsidian/app.json"]
        (root / ".memoryclawignore").unlink()
        assert len(app.search("lantern").matches) == 3
        assert (root / "Attic/b.md").read_text() == "The lantern.\n"
