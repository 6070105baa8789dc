"""A skill is approved, or not, as somebody was shown it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import VaultOf, git

from memoryclaw.app import App, open_vault
from memoryclaw.errors import ConflictError

SKILL = "---\nname: water\ndescription: Waters the plants of the studio on Fridays.\n---\n# Water\n\nTwo litres.\n"


@pytest.fixture
def root(vault_of: VaultOf) -> Path:
    root = vault_of({"skills/water/SKILL.md": SKILL, "skills/water/how.txt": "slowly"})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    return root


def version(app: App) -> str:
    return app.skills.show("water").listed.version


@pytest.mark.parametrize("name", ["SKILL.md", "how.txt"])
def test_a_file_that_changed_since_is_not_approved(root: Path, name: str) -> None:
    with open_vault(root) as app:
        shown = version(app)
        (root / "skills/water" / name).write_text(SKILL.replace("Two", "Nine"))
        with pytest.raises(ConflictError, match="has changed since it was shown"):
            app.skills.approve("water", version=shown)
        assert app.skills.show("water").listed.state == "not approved"
        assert not (root / "review/decisions.jsonl").exists()


def test_what_was_shown_is_approved_and_withdrawn(root: Path) -> None:
    with open_vault(root) as app:
        shown = version(app)
        assert app.skills.approve("water", version=shown).action == "approved"
        assert version(app) == shown
        with pytest.raises(ConflictError):
            app.skills.reject("water", version="0" * 16)
        assert app.skills.reject("water", version=shown).action == "withdrawn"
