"""A secret that only the turns before a turn tell reaches no disk: what puts one right, answers a question for one, or says one again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import VaultOf
from nights import NIGHT, consolidated

from memoryclaw.app import App
from memoryclaw.text.redaction import MARK


def lines_of(talk: str) -> list[str]:
    """The turns of a talk, `you: …` and `it: …` between slashes, as lines that name no turn."""
    turns = [turn.partition(": ") for turn in talk.split(" / ")]
    return [
        json.dumps({"ts": f"2026-04-19T18:{n:02}:00Z", "session": "evening", "role": "user" if who == "you" else "assistant", "content": text})
        for n, (who, _, text) in enumerate(turns)
    ]  # fmt: skip


def kept(root: Path, lines: list[str]) -> str:
    """All that a vault holds on disk after these lines and a night."""
    with App(root, clock=lambda: NIGHT) as app:
        assert all(captured.ok for captured in app.capture(lines))
    consolidated(root)
    folders = "logs", "semantic", "episodes", "runs", "working"
    return "".join(path.read_text() for name in folders for path in (root / name).rglob("*.*") if path.is_file())  # fmt: skip


@pytest.mark.parametrize(
    ("talk", "secret"),
    [
        ("you: the PIN is 740193 / it: ok / you: oops 740139", "740139"),
        ("you: wifi password: otter4blue / it: ok / you: sorry, otter5blue", "otter5blue"),
        ("you: the wifi password is otter4blue / it: ok / you: otter5blue not otter4blue", "otter"),
        ("you: la contraseña es otter4blue / it: vale / you: perdón, otter5blue", "otter5blue"),
        ("you: die PIN ist 740193 / you: nein, 740139 / it: gut / you: quatsch 740319", "740319"),
        ("it: What's the PIN for the safe? / you: 740193", "740193"),
        ("it: Wie lautet der Code für die Garage? / you: der ist 740193", "740193"),
        ("you: the PIN is 740193 / it: Got it, 740193.", "740193"),
    ],
)
def test_a_secret_that_the_turns_before_tell_is_taken_out(vault_of: VaultOf, talk: str, secret: str) -> None:
    root = vault_of({})
    on_disk = kept(root, lines_of(talk))
    assert secret not in on_disk
    assert MARK.search(on_disk)
    assert kept(root, lines_of(talk)[-1:]) == on_disk, "what comes again alone is known"


@pytest.mark.parametrize(
    ("talk", "words"),
    [
        ("you: the PIN is 740193 / it: ok / you: oops, 740 people came", "740 people"),
        ("you: the PIN is 740193 / it: How many guests? / you: 740", "740"),
        ("you: the PIN is 740193 / it: ok / you: oops, late. 15:30 then", "15:30"),
        ("you: my shed has 740193 screws / it: ok / you: oops 740139", "740139"),
        ("you: wifi password: otter4blue / it: ok / you: sorry, wrong chat", "wrong chat"),
        ("it: Do you use a password manager? / you: yes, otter4blue", "otter4blue"),
    ],
)
def test_a_turn_that_tells_of_something_else_is_kept(vault_of: VaultOf, talk: str, words: str) -> None:
    assert words in kept(vault_of({}), lines_of(talk))
