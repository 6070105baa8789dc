"""What people change, in the words in which they tell it: the new value stands, the old one is history, and nobody else's is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from conftest import VaultOf
from nights import said

from memoryclaw.app import App


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        ("my number is 555-0101", "changed number: 555-0202", "phone: 555-0101", "phone: 555-0202"),
        ("mi número es 600 111 222", "he cambiado de número: 600 333 444", "phone: 600 111 222", "phone: 600 333 444"),
        ("o meu número é 912 111 111", "mudei de número: 912 222 222", "phone: 912 111 111", "phone: 912 222 222"),
        ("il mio numero è 333 111 2222", "ho cambiato numero: 333 444 5555", "phone: 333 111 2222", "phone: 333 444 5555"),
        ("mon numéro est le 06 11 22 33 44", "j'ai changé de numéro: 06 55 66 77 88", "phone: 06 11 22 33 44", "phone: 06 55 66 77 88"),
        ("my dentist is Dr Lee", "switched dentists, it's Dr Novak now", "dentist: Dr Lee", "dentist: Dr Novak"),
        ("my bank is Barclays", "changed banks, I'm with Monzo now", "bank: Barclays", "bank: Monzo"),
    ],
)  # fmt: skip
def test_what_is_told_as_changed_takes_the_place_of_what_was(
    before: str, after: str, old: str, new: str, vault_of: VaultOf
) -> None:
    text = _people_file(vault_of, before, after)
    standing, _, former = text.partition("## History")
    assert f"- {new} [" in standing
    assert f"- {old} [" not in standing
    assert f"- {old} [" in former


@pytest.mark.parametrize(
    ("before", "after", "standing"),
    [
        ("I work at Shell", "Ana had a rough week. Changed jobs, she's at Fugro now.", "works at: Shell"),
        ("my dentist is Dr Lee", "Tom changed his number: 555-0202", "dentist: Dr Lee"),
        ("my number is 555-0101", "Priya changed her number: 555-0202", "phone: 555-0101"),
        ("il mio numero è 333 111 2222", "ha cambiato numero: 333 444 5555", "phone: 333 111 2222"),
        ("my dentist is Dr Lee", "The dentist changed the appointment: Tuesday at 4", "dentist: Dr Lee"),
        ("my dentist is Dr Lee", "I moved my dentist: Friday at 9", "dentist: Dr Lee"),
        ("my dog is called Rex", "switched dog food: Royal Canin", "dog: Rex"),
        ("my dentist is Dr Lee", "Spoke to Tom. Changed dentists, it's Dr Novak", "dentist: Dr Lee"),
        ("my dentist is Dr Lee", "my sister Ana is fine. Switched dentists, she sees Dr Novak now.", "dentist: Dr Lee"),
        ("my number is 555-0101", "the office has changed number: 555-0202", "phone: 555-0101"),
        ("mi número es 600 111 222", "mi hermana ha cambiado de número: 600 333 444", "phone: 600 111 222"),
    ],
)  # fmt: skip
def test_what_others_change_leaves_ones_own_as_it_is(
    before: str, after: str, standing: str, vault_of: VaultOf
) -> None:
    text = _people_file(vault_of, before, after)
    assert f"- {standing} [" in text.partition("# user")[2].partition("## History")[0]


@pytest.mark.parametrize(
    "after", ["renamed the wifi, it's Heron5 now", "we renamed the wifi, it's Heron5 now"]
)
def test_what_is_renamed_has_its_new_name(after: str, vault_of: VaultOf) -> None:
    assert "- wifi: Heron5 [" in _people_file(vault_of, "our wifi is called Otter5", after)


def _people_file(vault_of: VaultOf, before: str, after: str) -> str:
    days = {"2026-10-01": before, "2026-11-02": after}
    logs = {f"logs/{day}/{day}.jsonl": said(day, [("user", text)], day=day) for day, text in days.items()}
    with App(vault_of(logs), clock=lambda: datetime(2026, 11, 2, 20, tzinfo=UTC)) as app:
        app.consolidate(llm="none")
        return (app.root / "semantic/people.md").read_text(encoding="utf-8")
