"""What is said with doubt, wherever in its sentence the doubt stands, waits in review and takes the place of nothing."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import VaultOf

from memoryclaw.app import App


def after(root: Path, *lines: str) -> tuple[list[str], list[str]]:
    """What holds, and what waits in review, when each of the lines was said in a month of its own."""
    for month, line in enumerate(lines, 3):
        moment = datetime(2026, month, 2, 20, tzinfo=UTC)
        turns = [("user", "Kim", line), ("assistant", "Pip", "OK.")]
        with closing(App(root, clock=lambda moment=moment: moment)) as app:
            app.capture(
                {
                    "ts": moment.isoformat(),
                    "session": f"s{month}",
                    "role": role,
                    "name": name,
                    "content": text,
                }
                for role, name, text in turns
            )
            app.consolidate(llm="none")
            app.sync()
            holding = [fact.value for _, fact in app.facts() if fact.current or fact.type == "statement"]
            waiting = [proposal.what for proposal in app.review.list()]
    return holding, waiting


@pytest.mark.parametrize(
    ("sure", "doubted"),
    [
        ("my locker is number 4", "my locker is number 25 if I've got that right"),
        ("my badge number is 4", "my badge number should be 25, if I recall correctly"),
        ("my room is number 4", "my room is number 25. not sure though"),
        ("my room is number 4", "my room is number 25? not sure"),
        ("my room is number 4", "my room is number 25, not 100 % sure"),
        ("the wifi name is Heron", "the wifi name is Plover25 if memory serves"),
        ("meine Schuhgröße ist 38", "meine Schuhgröße ist 25, muss ich noch nachschauen"),
        ("mi casero es Joost", "mi casero es Pim25, si mal no recuerdo"),
        ("mon dentiste est Roth", "mon dentiste est Pohl25, sauf erreur"),
        ("il mio dentista è Roth", "il mio dentista è Pohl25, se mi ricordo bene"),
        ("mijn tandarts is Bos", "mijn tandarts is Vos25, als ik het goed heb"),
        ("o meu dentista é Roth", "o meu dentista é Pohl25, salvo erro"),
    ],
)
def test_a_doubt_at_the_end_waits(vault_of: VaultOf, sure: str, doubted: str) -> None:
    root = vault_of({})
    [before], _ = after(root, sure)
    holding, waiting = after(root, sure, doubted)
    assert holding == [before]
    assert [line for line in waiting if "25" in line]
    assert not [line for line in waiting if "sure" in line or "right" in line or "check" in line]


@pytest.mark.parametrize(
    ("sure", "newer"),
    [
        ("my room is number 4", "my room is number 25 now. not sure why they moved me"),
        ("my room is number 4", "my room is number 25 now, the old one had to be checked for mould"),
        ("my landlord is Joost", "my landlord is Pim25 now"),
        ("my landlord is Joost", "my landlord is Pim25 now. I have to check the boiler with him"),
    ],
)
def test_what_is_sure_is_no_doubt(vault_of: VaultOf, sure: str, newer: str) -> None:
    holding, _ = after(vault_of({}), sure, newer)
    assert [value for value in holding if "25" in value]


def test_at_most_two_doubts_of_a_day_wait_and_the_run_record_says_of_the_others(vault_of: VaultOf) -> None:
    root = vault_of({})
    values = (("locker", "number 4"), ("badge", "number 5"), ("seat", "number 6"), ("room", "number 7"))
    lines = [f"my {thing} is {value} I think" for thing, value in values]
    with closing(App(root, clock=lambda: datetime(2026, 3, 2, 20, tzinfo=UTC))) as app:
        for place, line in enumerate(lines):
            turn = {"session": "s", "ts": f"2026-03-02T09:0{place}:00Z", "role": "user", "content": line}
            app.capture([turn])
        app.consolidate(llm="none")
        assert len(app.review.list()) == 2
    [record] = [path.read_text() for path in (root / "runs").glob("*.json")]
    assert record.count("kept as it was said") == 2
