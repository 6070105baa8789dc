"""Of two orders for one thing the later holds, and what is allowed again is forbidden no more."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import VaultOf

from memoryclaw.app import App

FROM_NOW_ON = "from now on"


def spoken(root: Path, month: int, *lines: str) -> set[str]:
    """Says lines of which the assistant acknowledges each, consolidates, and gives the orders that hold then."""
    moment = datetime(2026, month, 2, 20, tzinfo=UTC)
    turns = []
    for minute, line in enumerate(lines):
        ts = moment.replace(hour=9, minute=2 * minute)
        turns.append(
            {"ts": ts.isoformat(), "session": f"s{month}", "role": "user", "name": "Kim", "content": line}
        )
        turns.append(
            {
                "ts": ts.replace(second=5).isoformat(),
                "session": f"s{month}",
                "role": "assistant",
                "content": "OK.",
            }
        )
    with closing(App(root, clock=lambda: moment)) as app:
        app.capture(turns)
        app.consolidate(llm="none")
        return {fact.value for _, fact in app.facts() if fact.field == FROM_NOW_ON}


@pytest.mark.parametrize(
    ("order", "later"),
    [
        ("please always answer in German", "from now on answer in English"),
        ("answer in German please", "please answer in English"),
        ("keep your answers short", "from now on give me long answers"),
        ("always call me boss", "please call me Kim from now on"),
        ("no bullets please", "bullets please from now on"),
        ("antworte immer auf deutsch", "antworte ab jetzt auf englisch"),
        ("antworte mir auf Deutsch", "bitte ab heute auf Englisch"),
        ("responde em português", "a partir de agora responde em inglês"),
        ("bitte duz mich", "ab jetzt bitte Sie"),
        ("dammi del lei", "puoi darmi del tu"),
        ("use metric units", "use imperial units from now on"),
    ],
)
def test_the_later_of_two_orders_for_one_thing_holds(vault_of: VaultOf, order: str, later: str) -> None:
    root = vault_of({})
    assert len(spoken(root, 10, order)) == 1
    assert spoken(root, 11, later) == {later}


@pytest.mark.parametrize(
    ("order", "later"),
    [
        ("never use emojis", "emojis are ok again from now on"),
        ("don't use emojis", "you can use emojis again"),
        ("always give me full files, not diffs", "actually diffs are fine from now on"),
        ("keep your answers short", "longer answers are fine again"),
        ("bitte keine emojis", "emojis sind wieder ok"),
    ],
)
def test_what_is_allowed_again_is_forbidden_no_more(vault_of: VaultOf, order: str, later: str) -> None:
    root = vault_of({})
    assert len(spoken(root, 10, order)) == 1
    assert spoken(root, 11, later) == set()


@pytest.mark.parametrize(
    ("order", "later"),
    [
        ("always write commit messages in English", "please always answer in German"),
        ("answer in English when I write English", "always answer in German when I write German"),
        ("please keep emails short", "from now on keep your answers long"),
        ("never use emojis", "mondays are fine again"),
        ("call me Bo", "call me back later"),
    ],
)
def test_orders_for_two_things_stand_beside(vault_of: VaultOf, order: str, later: str) -> None:
    root = vault_of({})
    before = spoken(root, 10, order)
    assert before
    assert before <= spoken(root, 11, later)


def test_of_several_orders_the_one_that_is_meant_gives_way(vault_of: VaultOf) -> None:
    root = vault_of({})
    orders = ["always call me boss", "no bullets please", "never use emojis", "keep it short please"]
    assert len(spoken(root, 10, *orders)) == len(orders)
    later = ["bullets please from now on", "emojis are fine again", "from now on call me Kim"]
    assert spoken(root, 11, *later) == {later[0], later[2], "keep it short"}


@pytest.mark.parametrize(
    "order",
    ["ask me before you delete anything", "never push without my ok", "frag mich bevor du was löschst"],
)
def test_to_be_asked_before_something_is_done_is_an_order(vault_of: VaultOf, order: str) -> None:
    assert spoken(vault_of({}), 10, order) == {order}


def test_to_be_asked_before_a_piece_of_work_is_of_the_moment(vault_of: VaultOf) -> None:
    assert spoken(vault_of({}), 10, "can you summarise this file? ask me before you change it") == set()


@pytest.mark.parametrize(
    "order",
    ["please don't push yet", "don't send it yet please", "bitte noch nicht pushen", "no table yet please"],
)
def test_what_is_not_wanted_yet_is_of_the_moment(vault_of: VaultOf, order: str) -> None:
    assert not spoken(vault_of({}), 10, order)


@pytest.mark.parametrize(
    "order", ["please don't touch the second file", "don't touch the second file please"]
)
def test_what_may_not_be_done_to_a_thing_at_hand_is_of_the_moment(vault_of: VaultOf, order: str) -> None:
    assert not spoken(vault_of({}), 10, order)
