"""What is told of an earlier time, or of another side of a thing, neither ends nor doubts what stands; what is told otherwise of the same thing ends it."""

from __future__ import annotations

import pytest
from conftest import VaultOf
from test_doubt_waits import after


@pytest.mark.parametrize(
    ("standing", "apart"),
    [
        ("i'm vegan", "i used to eat meat every day"),
        ("i live in Crail", "in 2015 i lived in Hull"),
        ("we use kafka", "we used rabbitmq until 2022"),
        ("my car is a Saab", "my first car was a Lada"),
        ("mein Auto ist ein Saab", "mein erstes Auto war ein Lada"),
        ("ma voiture est une Saab", "ma première voiture était une Lada"),
        ("mi coche es un Saab", "mi primer coche era un Lada"),
        ("la mia macchina è una Saab", "la mia prima macchina era una Lada"),
        ("mijn auto is een Saab", "mijn eerste auto was een Lada"),
        ("o meu carro é um Saab", "o meu primeiro carro era um Lada"),
        ("prod runs on Hetzner", "staging moved to OVH"),
        ("we use Postgres at work", "for my side project i switched to sqlite"),
        ("my brother lives in Whitby", "my other brother moved to Filey"),
        ("meine Schwester wohnt in Trier", "meine andere Schwester ist nach Bonn gezogen"),
        ("ma sœur habite à Caen", "mon autre sœur a déménagé à Metz"),
        ("i love running", "i hate running for the bus"),
        ("i love coffee", "i hate coffee cake"),
    ],
)
def test_what_stands_holds(vault_of: VaultOf, standing: str, apart: str) -> None:
    root = vault_of({})
    before, _ = after(root, standing)
    both, waiting = after(root, standing, apart)
    assert before
    assert set(before) <= set(both)
    assert waiting == []


@pytest.mark.parametrize(
    ("standing", "change"),
    [
        ("i live in Crail", "i used to live in Crail"),
        ("i live in Crail", "in 2015 i moved to Hull"),
        ("my rent is 900", "my rent was raised to 990"),
        ("prod runs on Hetzner", "prod moved to OVH"),
        ("we use Postgres at work", "at work we switched to sqlite"),
    ],
)
def test_what_names_it_or_a_change_bears_on_it(vault_of: VaultOf, standing: str, change: str) -> None:
    root = vault_of({})
    before, _ = after(root, standing)
    both, waiting = after(root, standing, change)
    assert not set(before) <= set(both) or waiting


@pytest.mark.parametrize(
    ("standing", "value", "change"),
    [
        ("i love jazz", "jazz", "cant stand jazz any more"),
        ("i hate olives", "olives", "turns out i like olives now"),
        ("odio las aceitunas", "aceitunas", "ahora me gustan las aceitunas"),
        ("i work as a nurse at Fjord Clinic", "nurse at Fjord Clinic", "i work at Nordby School now"),
        (
            "ich arbeite als Pfleger im Klinikum Kiel",
            "Pfleger im Klinikum Kiel",
            "ich arbeite jetzt bei Bosch",
        ),
        ("I'm single", "I'm single", "i have a boyfriend now"),
        ("je suis végétarienne", "végétarienne", "je remange de la viande"),
    ],
)
def test_a_change_in_plain_words_ends_it(vault_of: VaultOf, standing: str, value: str, change: str) -> None:
    root = vault_of({})
    before, _ = after(root, standing)
    both, _ = after(root, standing, change)
    assert before == [value]
    assert value not in both


@pytest.mark.parametrize(
    ("standing", "beside"),
    [
        ("i hate olives", "i like olive oil soap now"),
        ("i love jazz", "my sister can't stand jazz any more"),
        ("i hate olives", "i still don't like olives, now less than ever"),
        ("i work as a nurse", "i work at Nordby School now"),
        ("i work as a nurse at Fjord Clinic", "my wife works at Nordby School now"),
        ("I'm single", "my sister has a boyfriend now"),
        ("I live in Bath", "we've moved to GitHub Actions"),
        ("I live in Bath", "we moved to slack"),
        ("I live in Bath", "we moved to a four day week"),
        ("I live in Bath", "we moved to the new API"),
    ],
)
def test_what_is_told_beside_it_leaves_it(vault_of: VaultOf, standing: str, beside: str) -> None:
    root = vault_of({})
    before, _ = after(root, standing)
    both, waiting = after(root, standing, beside)
    assert set(before) <= set(both)
    assert waiting == []
