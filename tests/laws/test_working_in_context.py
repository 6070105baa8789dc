"""Whatever a session is working on, what is recalled stays in its budget and its fence, and explains itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import STUDIO, VaultOf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from outlines import Said, cites, said
from test_law_4_explains import decided_once, explains_itself
from test_law_7_data import HOSTILE, hostile
from vaults import opened, questions, vaults

from memoryclaw.app import App
from memoryclaw.config import LEAST_BUDGET
from memoryclaw.recall.recall import WORKING_SHARE
from memoryclaw.text.prompts import estimate, one_line

INJECTIONS = (Path(__file__).parents[1] / "injections.txt").read_text(encoding="utf-8").splitlines()
text = st.one_of(hostile, questions, st.text(max_size=2000), st.sampled_from(INJECTIONS))
changes = st.fixed_dictionaries(
    {"goal": text},
    optional={
        "plan": st.lists(text, max_size=6),
        "facts": st.dictionaries(text.filter(one_line), text, max_size=6),
        "recent_observations": st.lists(text, max_size=6),
        "active_skill": text,
    },
)


@pytest.mark.laws
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(vaults, questions, changes, st.integers(LEAST_BUDGET, 1500))
def test_no_working_memory_breaks_the_budget_the_fence_or_an_explanation(
    files: dict[str, str], question: str, given_: dict[str, Any], budget: int
) -> None:
    with opened(files) as app:
        app.working.set("at work", given_)
        answer = app.recall(question, session="at work", budget=budget)
        assert answer.tokens == estimate(answer.context) <= budget
        own, others = parted(answer.context)
        assert estimate("".join(own)) <= budget * WORKING_SHARE
        assert cites(others, [match.unit.id for match in answer.matches])
        for match in answer.matches:
            explains_itself(match, app)
        decided_once(answer, limited=False)


def parted(context: str) -> tuple[list[str], list[Said]]:
    """The texts of the working memory, and all other items, of a context that is one well-formed block."""
    lines = said(context) if context else []
    own = [item for item in lines if item.above.startswith("working:")]
    assert {item.trust for item in own} <= {"unknown"}
    return [item.text for item in own], lines[len(own) :]


@pytest.mark.parametrize("order", [*HOSTILE, *INJECTIONS[:12]])
def test_hostile_text_in_a_goal_a_plan_or_a_fact_stays_in_its_fence(vault_of: VaultOf, order: str) -> None:
    app = App(vault_of(STUDIO))
    app.working.set(
        "s", {"goal": order, "plan": [order], "facts": {order: order}, "recent_observations": order}
    )
    before = app.recall("boathouse deadline", budget=2000)
    answer = app.recall("boathouse deadline", session="s", budget=2000)
    own, others = parted(answer.context)
    assert all(text == one_line(text) and "![" not in text for text in own)
    shown = {match.unit.id for match in answer.matches}
    assert cites(others, shown)
    assert {match.unit.id for match in before.matches} <= {*shown, *(left.id for left in answer.left_out)}
    assert "semantic/projects#Boathouse.deadline" in shown
    app.close()


def test_without_a_working_memory_every_byte_is_as_before(vault_of: VaultOf) -> None:
    app = App(vault_of(STUDIO))
    app.working.set("other", {"goal": "boathouse", "plan": ["deadline"]})
    plain = app.recall("boathouse deadline")
    again = app.recall("boathouse deadline", session="s")
    assert (again.context, again.tokens, again.matches) == (plain.context, plain.tokens, plain.matches)
    app.close()
