"""Completion: ids, entities and tags of the vault, as bash puts them on the line and as zsh and fish are told them."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import Claw, VaultOf
from forked import GRAFT

FILES = {
    "episodes/2025-07-08_17-25-00_penicillin.md": "---\nid: ep-penicillin\ntimestamp: 2025-07-08T17:25:00Z\ntags: [health, house/roof]\n---\nNora reacted.\n",
    "notes/owner.md": "---\naudience: owner\ntags: [hidden]\n---\nOnly for me.\n",
    "semantic/projects.md": "# Boathouse Aarhus\n- deadline: 2026-12-11\n\n# Tea, cups & 'more'\n- client: Museum\n",
    "semantic/_pending.md": "# Waiting\n\n- [ ] Boathouse Aarhus.gate: green [confidence:: low] [since:: 2026-02-01]\n",
}  # fmt: skip


def words_in_bash(claw: Claw, *words: str) -> list[str]:
    """What bash would put on the line, read back as a shell reads it."""
    script = (
        f'eval "$({shlex.quote(GRAFT.command)} completion bash)"\n'
        f"COMP_WORDS=({' '.join(map(shlex.quote, words))}); COMP_CWORD={len(words) - 1}\n"
        '_memoryclaw_completion memoryclaw\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=GRAFT.on_path(claw.environment()),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    assert done.stderr == ""
    return [word for line in done.stdout.splitlines() for word in shlex.split(line)]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["show", "ep-"], ["ep-penicillin"]),
        (["show", "semantic/projects#Boat"], ["semantic/projects#Boathouse Aarhus.deadline"]),
        (["show", "semantic/projects#Boathouse\\ Aar"], ["semantic/projects#Boathouse Aarhus.deadline"]),
        (["edit", "SEMANTIC/projects#B"], ["semantic/projects#Boathouse Aarhus.deadline"]),
        (["facts", "boat"], ["Boathouse Aarhus"]),
        (["facts", "Tea"], ["Tea, cups & 'more'"]),
        (["timeline", "Boathouse"], ["Boathouse Aarhus"]),
        (["remember", "x", "--entity", "B"], ["Boathouse Aarhus"]),
        (["remember", "x", "--tag", "h"], ["health", "hidden", "house/roof"]),
        (["entity", "B"], ["Boathouse Aarhus"]),
        (["show", "nothing-of-the-kind"], []),
    ],
    ids=" ".join,
)  # fmt: skip
def test_bash_completes_names_of_the_vault(vault_of: VaultOf, words: list[str], offered: list[str]) -> None:
    assert words_in_bash(Claw(vault_of(FILES)), "memoryclaw", *words) == offered


def test_a_name_that_waits_is_completed_for_review(vault_of: VaultOf) -> None:
    claw = Claw(vault_of(FILES))
    [waiting] = [item["id"] for item in claw("review", "--json").json["waiting"]]
    assert words_in_bash(claw, "memoryclaw", "review", "approve", waiting[:3]) == [waiting]


def test_the_vault_and_the_audience_on_the_line_count(vault_of: VaultOf, tmp_path: Path) -> None:
    vault = os.fspath(vault_of(FILES))
    claw = Claw(HOME=os.fspath(tmp_path))
    assert words_in_bash(claw, "memoryclaw", "--vault", vault, "show", "notes/") == ["notes/owner"]
    assert words_in_bash(claw, "memoryclaw", "show", "--vault", vault, "notes/") == ["notes/owner"]
    assert words_in_bash(claw, "memoryclaw", "--audience", "agent", "--vault", vault, "show", "notes/") == []
    assert (
        words_in_bash(claw, "memoryclaw", "show", "notes/") == []
    )  # there is no vault, and nobody is told so


@pytest.mark.parametrize(
    ("shell", "variables"), [("zsh", {"COMP_CWORD": "2"}), ("fish", {"COMP_CWORD": "semantic/projects#B"})]
)
def test_zsh_and_fish_are_told_them_too(vault_of: VaultOf, shell: str, variables: dict[str, str]) -> None:
    claw = Claw(
        vault_of(FILES),
        _MEMORYCLAW_COMPLETE=f"{shell}_complete",
        COMP_WORDS="memoryclaw show semantic/projects#B",
        **variables,
    )
    assert "semantic/projects#Boathouse Aarhus.deadline" in claw().out


def test_completion_does_not_write_into_a_vault(vault_of: VaultOf) -> None:
    root = vault_of(FILES)
    before = {path for path in root.rglob("*") if ".memoryclaw" not in path.parts}
    words_in_bash(Claw(root), "memoryclaw", "show", "ep-")
    assert {path for path in root.rglob("*") if ".memoryclaw" not in path.parts} == before
