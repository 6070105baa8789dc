"""What is marked private in a conversation stays so in all that a night makes of it, and what must not leave is sent nowhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Own, put
from nights import NIGHT, consolidated
from servers.scripted import ModelServer

from memoryclaw.app import App, open_vault

TURNS = (
    ("user", "Our office is at Skolegade 4 in Aarhus."),
    ("assistant", "Noted."),
    ("user", "[PRIVATE] My salary is 91000 euros. The doctor of Mia is called Quistgaard."),
    ("assistant", "I will keep to myself that you earn 91000 euros and that Quistgaard is the doctor."),
    ("user", "[NOEXPORT] The code name of the launch is Zugspitze."),
    ("assistant", "Zugspitze it is."),
    ("user", "My dentist is Dr Vinterberg, the practice opens at seven."),
)
SECRETS = ("91000", "quistgaard")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = put(tmp_path / "vault", {"semantic/projects.md": "# Boathouse\n- deadline: 2026-12-11\n"})
    lines = [
        json.dumps({"ts": f"2026-04-19T18:0{n}:00Z", "session": "evening", "turn": n, "role": role, "content": text})
        for n, (role, text) in enumerate(TURNS, 1)
    ]  # fmt: skip
    with App(root, clock=lambda: NIGHT) as app:
        kept = app.capture(lines)
    assert all(outcome.ok for outcome in kept)
    return root


def texts(root: Path) -> str:
    return "".join(path.read_text() for path in root.rglob("*.md")).lower()


def test_memory_made_of_private_talk_is_for_the_owner_alone(vault: Path) -> None:
    consolidated(vault)
    assert all(secret in texts(vault) for secret in SECRETS), "the owner keeps what was said"
    with open_vault(vault) as owner, open_vault(vault, audience="agent") as agent:
        for secret in SECRETS:
            assert owner.search(secret).matches
            assert not agent.search(secret, limit=100).matches
        values = [fact.value.lower() for _, fact in agent.facts(history=True)]
        assert not any(secret in value for secret in SECRETS for value in values)
        assert agent.search("Skolegade").matches
        assert agent.search("Vinterberg").matches
        for note in agent.browse(limit=100):
            shown = agent.show(note.id).text.lower()
            assert not any(secret in shown for secret in SECRETS), note.path


def test_a_mark_is_no_part_of_what_was_said(vault: Path) -> None:
    consolidated(vault)
    assert "private]" not in texts(vault)
    assert "noexport]" not in texts(vault)


def test_an_agent_that_starts_the_night_hears_of_no_private_change(vault: Path) -> None:
    with App(vault, clock=lambda: NIGHT, audience="agent") as agent:
        for dry_run in (True, False):
            report = repr(agent.consolidate(llm="none", dry_run=dry_run)).lower()
            assert "skolegade" in report
            assert not any(secret in report for secret in SECRETS)
            assert "for others" in report


def test_a_later_open_word_about_a_private_value_tells_nobody_what_it_was(vault: Path) -> None:
    consolidated(vault)
    with App(vault, clock=lambda: NIGHT) as app:
        app.capture([json.dumps({"ts": "2026-04-20T01:00:00Z", "session": "night", "turn": 1, "role": "user", "content": "My salary is now 95000 euros."})])  # fmt: skip
    consolidated(vault, NIGHT.replace(hour=4))
    with open_vault(vault, audience="agent") as agent:
        assert not agent.search("91000", limit=100).matches
        assert "91000" not in "".join(agent.show(note.id).text for note in agent.browse(limit=100))
        assert "91000" not in "".join(agent.show(note.id).text for note in agent.browse(state="pending"))


def test_no_part_that_must_stay_is_given_to_a_host_or_to_another_machine(vault: Path) -> None:
    with open_vault(vault) as owner, open_vault(vault, audience="agent") as agent:
        for app in (owner, agent):
            asked = " ".join(segment.prompt for segment in app.segments()).lower()
            assert "skolegade" in asked
            assert "zugspitze" not in asked
            assert not any(secret in asked for secret in SECRETS)


def test_a_model_on_this_machine_reads_it_and_what_it_makes_keeps_the_label(vault: Path, own: Own) -> None:
    with ModelServer() as server:
        own(f"llm:\n  chain: [ollama]\n  url: {server.url}\n  retries: 0\n")
        consolidated(vault, llm="auto")
    assert any("91000" in parameter.prompt for parameter in server.asked)
    with open_vault(vault, audience="agent") as agent:
        assert not agent.search("91000", limit=100).matches


def test_what_must_not_leave_says_so_in_its_episode(vault: Path) -> None:
    consolidated(vault)
    (episode,) = [path for path in vault.glob("episodes/*.md") if "Zugspitze" in path.read_text()]
    assert "export: false\n" in episode.read_text()
