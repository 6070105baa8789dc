"""People who talk with each other do so behind a pause, too: who had spoken in a session before, and no assistant, is company."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime

import pytest
from conftest import VaultOf

from memoryclaw.app import App

MORNING = [("Ines", "morning, is the ferry late again?"), ("Otto", "an hour, they say")]
EVENING = [("Ines", "we have seven canoes in the boathouse at Brunnen")]


def kept(vault_of: VaultOf, opening: list[tuple[str, str]], *, nights: int) -> bool:
    """Whether what is told in the evening is kept, with a night between or without."""
    root = vault_of({})
    with closing(App(root, clock=lambda: datetime(2026, 3, 3, 1, tzinfo=UTC))) as app:
        for hour, lines in (("09", opening), ("19", EVENING)):
            for minute, (name, text) in enumerate(lines):
                role = "assistant" if name == "Pip" else "user"
                ts = f"2026-03-02T{hour}:0{minute}:00Z"
                app.capture([{"session": "s", "ts": ts, "role": role, "name": name, "content": text}])
            if nights == 2:
                app.consolidate(llm="none")
        app.consolidate(llm="none")
    return any("canoes" in path.read_text() for path in (root / "semantic").rglob("*.md"))


@pytest.mark.parametrize("nights", [1, 2])
@pytest.mark.parametrize(
    ("opening", "is_own"),
    [
        (MORNING, False),
        ([("Ines", "morning, is the ferry late again?"), ("Pip", "By an hour.")], True),
        ([*MORNING, ("Pip", "It leaves at ten.")], True),
        ([("Ines", "morning, the ferry is late again")], True),
    ],
)
def test_a_pause_parts_no_talk_of_several_into_talks_of_each(
    vault_of: VaultOf, opening: list[tuple[str, str]], is_own: bool, nights: int
) -> None:
    assert kept(vault_of, opening, nights=nights) == is_own
