"""`facts --believed-at`: what the files held true in the last commit of a day, whatever they say now."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from conftest import Claw, VaultOf, put

from memoryclaw.app import App, init_vault
from memoryclaw.errors import ForbiddenError, InputError, MemoryClawError, NotFoundError
from memoryclaw.vault.layout import put_folders

LEAD = "# Boathouse\n- lead: Priya [since:: 2025-01-01]\n"
NOTE = "---\ntitle: Bo Lind\nshoe size: {}\n---\nBo rows.\n"


def committed(root: Path, day: str, files: dict[str, str]) -> str:
    """A commit by hand on a day; its id."""
    put(root, files)
    who = {f"GIT_{role}_{what}": said for role in ("AUTHOR", "COMMITTER") for what, said in (("NAME", "Ann"), ("EMAIL", "a@b.c"), ("DATE", f"{day}T12:00:00Z"))}  # fmt: skip
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", f"of {day}"]):
        subprocess.run(["git", *words], cwd=root, env={**os.environ, **who}, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True)
    return head.stdout.strip()


@pytest.fixture
def vault(vault_of: VaultOf) -> Path:
    root = vault_of({".gitignore": ".memoryclaw/\n", "semantic/aliases.yaml": "boathouse: [rowing club]\n"})
    committed(root, "2026-01-10", {"semantic/projects.md": LEAD, "people/Bo Lind.md": NOTE.format(38)})
    committed(
        root,
        "2026-02-10",
        {
            "semantic/projects.md": "# Boathouse\n- lead: Marek [since:: 2025-06-01]\n\n## History\n- lead: Priya [since:: 2025-01-01] [until:: 2025-06-01]\n"
        },
    )
    committed(
        root,
        "2026-03-10",
        {"semantic/projects.md": "# Shed\n- roof: tar\n", "people/Bo Lind.md": NOTE.format(39)},
    )
    put(root, {"semantic/projects.md": "# Shed\n- roof: slate\n"})  # nobody committed it
    return root


def values(app: App, entity: str = "", **when: object) -> list[str]:
    return [fact.value for _, fact in app.facts(entity, **when)]  # type: ignore[arg-type]


def test_a_day_is_the_last_commit_of_it_and_a_commit_is_itself(vault: Path) -> None:
    with App(vault) as app:
        assert values(app, "Shed") == ["slate"]
        assert values(app, "Shed", believed_at="2026-04-01") == ["tar"], "what is not committed was not there"
        assert values(app, "Boathouse", believed_at="2026-01-31") == ["Priya"]
        assert values(app, "rowing club", believed_at="2026-02-10") == ["Marek"]
        assert values(app, "Boathouse", believed_at="2026-02-10T11:59:00Z") == ["Priya"]
        assert values(app, "Boathouse", believed_at="HEAD~1") == ["Marek"]
        assert values(app, "Boathouse", believed_at=app.commit_at("2026-01-10").commit[:9]) == ["Priya"]
        assert values(app, "Bo Lind", believed_at="2026-02-20") == ["38"]
        assert values(app, believed_at="2026-03-10") == ["39", "tar"]


def test_with_a_day_of_the_world_it_is_what_was_held_of_that_day(vault: Path) -> None:
    with App(vault) as app:
        spring = date(2025, 3, 1)
        assert values(app, "Boathouse", as_of=spring, believed_at="2026-01-31") == ["Priya"]
        assert values(app, "Boathouse", as_of=spring, believed_at="2026-02-28") == ["Priya"]
        later = date(2025, 7, 1)
        assert values(app, "Boathouse", as_of=later, believed_at="2026-01-31") == ["Priya"], (
            "nobody knew of Marek"
        )
        assert values(app, "Boathouse", as_of=later, believed_at="2026-02-28") == ["Marek"]
        assert values(app, "Boathouse", history=True, believed_at="2026-02-28") == ["Marek", "Priya"]


def test_what_cannot_be_told_is_one_sentence_and_only_its_owner_asks(vault: Path) -> None:
    with App(vault) as app:
        for wrong in ("2025-12-31", "2026-13-01", "no-such-commit", "deadbeef"):
            with pytest.raises(InputError):
                app.facts(believed_at=wrong)
        with pytest.raises(NotFoundError):
            app.facts("Boathouse", believed_at="2026-03-10")
        with pytest.raises(ForbiddenError):
            app.seen_by("agent").facts(believed_at="2026-03-10")


def test_without_a_repository_it_says_so(tmp_path: Path) -> None:
    root = put(tmp_path / "plain", {"semantic/people.md": "# Ann\n- likes: tea\n"})
    with App(root) as app, pytest.raises(MemoryClawError, match="no git repository of its own"):
        app.facts(believed_at="2026-03-10")


def test_machine_changes_and_folders_that_lie_elsewhere(tmp_path: Path) -> None:
    def clock(day: int) -> datetime:
        return datetime(2026, 5, day, 9, tzinfo=UTC)

    root = tmp_path / "vault"
    init_vault(root, paths={"semantic": "facts/held"}, clock=lambda: clock(1))
    for day, value in ((2, "tea"), (4, "coffee")):
        with App(root, clock=lambda day=day: clock(day)) as app:
            app.remember(value, entity="Ann", field="drink")
    with App(root) as app:
        assert values(app, "Ann", believed_at="2026-05-03") == ["tea"]
        assert next(path for path, _ in app.facts("Ann", believed_at="2026-05-03")).startswith("semantic/")
        assert values(app, "Ann", believed_at="2026-05-04") == ["coffee"]
    put_folders(os.fspath(root), {})


def test_the_command_says_which_commit_it_was(vault: Path) -> None:
    claw = Claw(vault)
    ran = claw("facts", "Boathouse", "--believed-at", "2026-01-31")
    assert "Priya" in ran.out
    assert "of 2026-01-10T12:00:00Z: of 2026-01-10" in ran.err
    listed = claw("facts", "Boathouse", "--believed-at", "2026-01-31", "--json").json
    assert listed["believed_at"]["when"] == "2026-01-10T12:00:00Z"
    assert [fact["value"] for fact in listed["facts"]] == ["Priya"]
    assert "believed_at" not in claw("facts", "--json").json
