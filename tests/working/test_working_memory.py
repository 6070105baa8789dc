"""What a session is at: changes, and the ladder that keeps it small."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.errors import InputError
from memoryclaw.text.prompts import estimate, fence_block
from memoryclaw.working.memory import (
    BUDGET,
    FACTS,
    SHORTER,
    WorkingMemory,
    as_text,
    change,
    check,
    dump,
    load,
    render,
    session_name,
    tokens,
    trim,
    within,
)

BLANK = WorkingMemory(session="s")
SEED = {
    "goal": "send email to John about project update",
    "plan": ["get_recipient", "compose", "send"],
    "facts": {"recipient_email": "john@example.org", "project_deadline": "2025-04-10"},
    "recent_observations": ["draft created"],
    "active_skill": "send_email",
}
texts = st.builds(
    lambda text, times: text * times,
    st.text("ab <&>'\"\n木Ü🦀.", min_size=1, max_size=12),
    st.sampled_from((1, 1, 2, 30, 700)),
)
changes = st.fixed_dictionaries(
    {},
    optional={
        "task": texts,
        "goal": texts,
        "plan": st.lists(texts, max_size=50),
        "facts": st.dictionaries(st.text("kx木'", min_size=1, max_size=200), texts, max_size=70),
        "recent_observations": st.lists(texts, max_size=12),
        "active_skill": texts,
    },
)


def after(*given_: dict[str, Any]) -> WorkingMemory:
    memory = BLANK
    for value in given_:
        memory = change(memory, check(value), "2026-04-20T08:00:00Z")
    return memory


@settings(max_examples=25)
@given(st.lists(changes, min_size=1, max_size=3))
def test_whatever_is_put_in_the_rest_fits_the_budget_and_keeps_the_newest(
    given_: list[dict[str, Any]],
) -> None:
    memory = after(*given_)
    assert tokens(memory) <= BUDGET
    assert tokens(memory) == (estimate("\n".join(render(memory))) + 1 if render(memory) else 0)
    assert len(memory.observations) <= 5
    assert len(memory.facts) <= FACTS
    assert load(json.loads(json.dumps(dump(memory))), "s", "x") == memory


@settings(max_examples=25)
@given(changes, st.integers(0, 900))
def test_the_ladder_ends_within_any_budget_or_at_its_floor(given_: dict[str, Any], budget: int) -> None:
    memory = trim(after(given_), budget)
    at_the_floor = not (memory.plan or memory.facts or memory.observations)
    assert tokens(memory) <= budget or (
        at_the_floor and max(len(memory.goal), len(memory.active_skill)) <= SHORTER
    )
    lines = within(after(given_), budget)
    assert estimate("\n".join(lines)) <= budget
    if lines:
        assert len(ET.fromstring(fence_block([], lines))[0]) == len(lines) - 2


def test_the_seeds_example_is_taken_and_given_back_as_it_is() -> None:
    memory = after(SEED)
    assert {key: dump(memory)[key] for key in SEED} == SEED
    assert render(memory) == [
        '<memory trust="unknown" kind="working">',
        '<m id="working:goal">send email to John about project update</m>',
        '<m id="working:plan/1">get_recipient</m>',
        '<m id="working:plan/2">compose</m>',
        '<m id="working:plan/3">send</m>',
        '<m id="working:skill">send_email</m>',
        '<m id="working:facts/recipient_email">john@example.org</m>',
        '<m id="working:facts/project_deadline">2025-04-10</m>',
        '<m id="working:seen/1">draft created</m>',
        "</memory>",
    ]
    assert tokens(memory) < 160


def test_a_change_sets_replaces_adds_removes_and_appends() -> None:
    memory = after(
        SEED,
        {
            "plan": ["send"],
            "facts": {
                "recipient_email": "j@example.org", "project_deadline": None, "tries": 3, "urgent": True,
            },
            "observations": ["sent", "bounced"],
            "goal": None,
        },
    )  # fmt: skip
    assert memory.goal == ""
    assert memory.plan == ("send",)
    assert dict(memory.facts) == {"recipient_email": "j@example.org", "tries": "3", "urgent": "true"}
    assert memory.observations == ("draft created", "sent", "bounced")
    assert memory.active_skill == "send_email"


def test_only_the_newest_observations_stay() -> None:
    memory = after(*({"recent_observations": f"saw {n}"} for n in range(9)))
    assert memory.observations == tuple(f"saw {n}" for n in range(4, 9))


def test_old_observations_and_facts_go_before_the_plan_and_the_goal_is_cut_last() -> None:
    full = {
        "goal": "g" * 300,
        "plan": ["step" + " of it" * 25] * 9,
        "facts": {f"k{n}": "so" + " it is" * 25 for n in range(45)},
        "recent_observations": ["and" + " he saw" * 21] * 5,
    }
    memory = change(BLANK, check(full))
    assert tokens(memory) <= BUDGET
    assert (len(memory.observations), len(memory.goal), len(memory.plan)) == (2, 300, 9)
    assert list(memory.facts)[-1] == "k44"
    assert 3 < len(memory.facts) < 45
    less = trim(memory, 400)
    assert (len(less.facts), len(less.plan), less.goal) == (3, 3, "g" * 300)
    assert trim(memory, 60).goal == "g" * 79 + "…"


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"gaol": "x"}, "'gaol'"),
        ({"goal": 3}, "'goal'"),
        ({"plan": [1]}, "'plan'"),
        ({"plan": {"a": "b"}}, "'plan'"),
        ({"facts": ["a"]}, "'facts'"),
        ({"facts": {"a": ["b"]}}, "'a'"),
        ({"facts": {" ": "b"}}, "name"),
        ({"recent_observations": [None]}, "'recent_observations'"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match=named):
        check(wrong)


def test_private_parts_and_our_own_block_never_get_in() -> None:
    block = fence_block([("trusted", ['<m id="a">b</m>'])])
    memory = after(
        {
            "goal": f"{block}\nask <private>about the illness</private> politely",
            "plan": ["[NOMEM] buy the ring", "call\u200b Nora"],
        }
    )
    assert (memory.goal, memory.plan) == ("ask [private] politely", ("call Nora",))


def test_what_it_leaves_in_the_log_says_all_of_it() -> None:
    text = as_text(after({**SEED, "task": "update"}))
    said = [*SEED["plan"], *SEED["facts"].values(), SEED["goal"], "draft created", "send_email", "update"]
    assert all(part in text for part in said)
    assert as_text(BLANK) == ""


@pytest.mark.parametrize(
    "value", [[], "x", {}, {"session": "t"}, {"session": "s", "plan": 3}, {"session": "s", "x": 1}]
)
def test_a_foreign_file_is_an_empty_memory_with_a_problem(value: Any) -> None:
    memory = load(value, "s", "working/s.json")
    assert memory.empty
    assert [problem.path for problem in memory.problems] == ["working/s.json"]


def test_a_working_memory_needs_a_session() -> None:
    assert session_name(" a\n b ") == "a b"
    with pytest.raises(InputError, match="session"):
        session_name(" \u200b")
