"""A fact that holds now stands before the talk that it came from, however much of it there is."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryclaw.app import App

ROOT = Path(__file__).resolve().parents[2]
BOATHOUSE = (
    "The contract with Nordmole is signed, so the boathouse deadline is 11 December now.",
    "Does Søren know about the new boathouse deadline?",
    "When is the deadline of the boathouse again? I keep mixing it up with the drawings.",
    "I told Priya that the boathouse deadline will not move a fourth time.",
    "Jürgen thinks the boathouse in Aarhus can make its deadline if the piles arrive in May.",
    "Every deadline of the boathouse so far was a date that hurt.",
    "Put the boathouse deadline at the top of the weekly update, please.",
    "If the larch comes late, the deadline for the boathouse in Aarhus is gone.",
    "We had 20 March as the boathouse deadline before, and 27 February before that.",
    "Havørn asked whether the boathouse deadline includes the slipway.",
)
RENT = (
    "The rent of the flat on Kranichweg is 1,940 warm, that is what we pay since January.",
    "Frau Reimers asked whether the rent for the flat came from the old account.",
    "How much is the rent of the flat? Tomás wants to put it into his list.",
    "The rent for the old flat was 1,610, I miss that.",
    "Our rent is due on the third working day.",
    "The heating is part of the rent for this flat, the electricity is not.",
    "Is the rent of a flat like this one deductible when I draw at home?",
    "I paid the rent for the flat twice by mistake, can you draft a line to the landlord?",
    "Rents around the flat went up again, says the paper.",
    "Remind me to raise the standing order when the rent of the flat changes.",
)
COFFEE = (
    "I only drink decaf now, a flat white with oat milk, two coffees a day at most.",
    "Which coffee does Nora drink these days? Priya wants to bring her one.",
    "Nora says the coffee at the station is undrinkable.",
    "The doctor was quite clear about coffee and blood pressure.",
    "Zoë spilled a coffee over the section drawings.",
    "Nora used to drink a double flat white, that was real coffee.",
    "We are out of coffee in the studio again.",
    "Does Nora drink coffee in the afternoon at all?",
    "Order coffee and cake for the handover, decaf for me.",
    "What Nora drinks in Aarhus is filter coffee, out of politeness.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "fact", "value", "talk"),
    [
        ("When is the boathouse deadline?", "semantic/projects#Boathouse Aarhus.deadline", "2026-12-11", BOATHOUSE),
        ("How much is the rent of the flat?", "semantic/household#Flat.rent", "1,940 EUR", RENT),
        ("What coffee do I take?", "semantic/preferences#coffee.value", "decaf flat white", COFFEE),
        ("Which coffee does Nora drink?", "semantic/preferences#coffee.value", "decaf flat white", COFFEE),
    ],
)  # fmt: skip
def test_a_current_fact_stands_above_ten_turns_about_it_and_in_the_context(
    tmp_path: Path, question: str, fact: str, value: str, talk: tuple[str, ...]
) -> None:
    vault = tmp_path / "vault"
    shutil.copytree(ROOT / "vault", vault, ignore=shutil.ignore_patterns(".memoryclaw"))
    with App(vault, clock=lambda: datetime(2026, 4, 20, 8, tzinfo=UTC)) as app:
        kept = app.capture(
            [
                {
                    "role": "user",
                    "name": "Nora",
                    "content": text,
                    "ts": f"2026-04-{10 + n // 2}T09:{n:02}:00Z",
                }
                for n, text in enumerate(talk)
            ],
            session="talk",
        )
        assert all(outcome.ok for outcome in kept)
        ids = [match.unit.id for match in app.search(question, limit=50).matches]
        turns = [id_ for id_ in ids if id_.startswith("log:talk/")]
        assert len(turns) >= 5
        assert ids.index(fact) < min(map(ids.index, turns))
        for budget in (200, 400, 600):
            answer = app.recall(question, budget=budget)
            shown = [match.unit.id for match in answer.matches]
            assert fact in shown
            assert not any(id_.startswith("log:talk/") for id_ in shown[: shown.index(fact)])
            assert value in answer.context
