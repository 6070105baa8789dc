"""What an update hides from the agent is told once, by the first command after it."""

from __future__ import annotations

from pathlib import Path

from conftest import Claw, put

FILES = {
    "notes/spelled.md": "# A\n\nquibbet [ private ]\n",
    "notes/plain.md": "# B\n\nquibbet [PRIVATE]\n",
    "notes/broken.md": "---\ntitle: [a\n---\n\nquibbet\n",
    "notes/open.md": "# C\n\nquibbet [TODO]\n",
    "notes/cut.md": "# D\n\n[private](https://example.org)\n",
}


def test_the_notes_that_are_hidden_since_an_update_are_listed_once(tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", {"memoryclaw.yaml": "", ".memoryclaw/.keep": "", **FILES})
    claw = Claw(vault, XDG_CONFIG_HOME=str(tmp_path / "own"))
    first = claw("search", "quibbet")
    assert "labels that older versions did not read: notes/broken.md, notes/spelled.md;" in first.err
    assert "notes/plain.md" not in first.err
    assert "older versions" not in claw("search", "quibbet").err
    assert "older versions" not in claw("status").out


def test_a_new_vault_is_told_of_no_older_version(tmp_path: Path) -> None:
    vault = put(tmp_path / "vault", FILES)
    assert (
        "older versions" not in Claw(vault, XDG_CONFIG_HOME=str(tmp_path / "other"))("search", "quibbet").err
    )
    claw = Claw(vault, XDG_CONFIG_HOME=str(tmp_path / "own"))
    assert claw("init").code == 0
    assert "older versions" not in claw("search", "quibbet").err
