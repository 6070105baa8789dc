"""A fact that a property of a person's note holds is set there: one line, one commit, and an undo."""

from __future__ import annotations

from conftest import VaultOf
from gitvault import git

from memoryclaw.app import open_vault

NOTE = '---\n# who\nphone: "0101"   # mobile\ncity: Bonn\n---\nA friend.\n'


def test_remember_sets_the_property_that_holds_the_fact(vault_of: VaultOf) -> None:
    root = vault_of({"People/Ana Berg.md": NOTE})
    note = root / "People/Ana Berg.md"
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    with open_vault(root) as app:
        written = app.remember("0202", entity="Ana Berg", field="telephone number")
        assert (written.path, written.action) == ("People/Ana Berg.md", "corrected")
        assert note.read_text(encoding="utf-8") == NOTE.replace("0101", "0202")
        assert git(root, "show", "--name-only", "--format=", "HEAD").split("\n")[0] == "People/Ana Berg.md"
        assert "its value was 0101" in git(root, "show", "-s", "HEAD")
        assert [fact.value for _, fact in app.facts("Ana Berg") if fact.field == "phone"] == ["0202"]
        app.undo("HEAD")
        assert note.read_text(encoding="utf-8") == NOTE


def test_a_note_with_work_of_its_own_stays_as_it_is_and_both_values_wait(vault_of: VaultOf) -> None:
    root = vault_of({"People/Ana Berg.md": NOTE})
    git(root, "init", "-q")
    with open_vault(root) as app:
        app.remember("0202", entity="Ana Berg", field="phone")
        assert (root / "People/Ana Berg.md").read_text(encoding="utf-8") == NOTE
        assert [item.kind for item in app.review.list()] == ["conflict"]
