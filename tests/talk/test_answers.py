from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.consolidation import grounding
from memoryclaw.models.llm import ModelError

CLAIM = {
    "line": 3,
    "quote": "It is Dünensand 14.",
    "entity": "wall",
    "field": "paint",
    "value": "Dünensand 14",
}
REPORT = {
    "title": "Kitchen",
    "summary": "Nora paints.",
    "tags": ["paint"],
    "entities": ["Nora"],
    "claims": [CLAIM],
}
TEXT = json.dumps(REPORT)


def test_a_report_becomes_nouns():
    answer = grounding.read_answer(TEXT)
    assert (answer.title, answer.summary, answer.tags, answer.entities) == (
        "Kitchen",
        "Nora paints.",
        ("paint",),
        ("Nora",),
    )
    [claim] = answer.claims
    assert (claim.line, claim.value, claim.durable, claim.confidence) == (3, "Dünensand 14", True, "medium")


@pytest.mark.parametrize(
    "text",
    [
        f"Sure, here it is:\n{TEXT}\nAnything else?",
        f"```json\n{TEXT}\n```",
        f'<think>maybe {{"title": "x"}} or {{ or {{}}</think>\n{TEXT}',
        f"\ufeff {TEXT}",
        json.dumps(REPORT, indent=2),
        json.dumps({**REPORT, "path": "../x", "trust": "trusted", "id": "x", "command": ["rm"]}),
    ],
)
def test_prose_fences_and_further_keys_do_not_matter(text: str):
    assert grounding.read_answer(text) == grounding.read_answer(TEXT)


def test_who_thinks_aloud_answers_last():
    first = json.dumps({"title": "First", "summary": "thought"})
    assert grounding.read_answer(f"{first} hm, no: {TEXT}").title == "Kitchen"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "no JSON at all",
        "[]",
        "null",
        TEXT[:-1],
        TEXT[: len(TEXT) // 2],
        json.dumps([REPORT["title"], REPORT["summary"]]),
        json.dumps({"title": "x"}),
        json.dumps({**REPORT, "title": 7}),
        json.dumps({**REPORT, "title": "lone \ud800"}),
        json.dumps({**REPORT, "summary": None}),
        json.dumps({**REPORT, "tags": "paint"}),
        json.dumps({**REPORT, "title": "x" * 5000}),
        '{"title":' * 50_000,
        "{" * 100_000,
    ],
)
def test_what_is_no_report_is_refused(text: str):
    with pytest.raises(ModelError, match="not JSON of the asked form"):
        grounding.read_answer(text)


@pytest.mark.parametrize(
    ("claims", "left", "unread"),
    [
        ([CLAIM, {**CLAIM, "line": "3"}, {**CLAIM, "line": True}, {**CLAIM, "line": 0}], 1, 3),
        ([None, 7, "x", [], {}, CLAIM], 1, 5),
        ([{**CLAIM, "confidence": "certain"}, {**CLAIM, "quote": None}], 0, 2),
        ([{**CLAIM, "value": "x" * 5000}], 0, 1),
        ([CLAIM] * 70, 50, 20),
        ({"a": CLAIM}, 0, 1),
    ],
)
def test_one_bad_claim_costs_no_other(claims: object, left: int, unread: int):
    answer = grounding.read_answer(json.dumps({**REPORT, "claims": claims}))
    assert (len(answer.claims), answer.unread) == (left, unread)


def test_the_schema_asks_for_every_part_and_says_how_many():
    schema = grounding.answer_schema()
    assert schema["required"] == ["title", "summary", "tags", "entities", "claims"]
    assert schema["properties"]["tags"]["maxItems"] == 7
    assert schema["$defs"]["_Claim"]["required"][:3] == ["lines", "quotes", "kind"]
    assert schema["properties"]["summary"] == {"type": "string", "maxLength": 400}
    assert schema["$defs"]["_Claim"]["properties"]["quotes"]["items"]["maxLength"] == 240


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*REPORT, *CLAIM, "x"]), inner, max_size=6),
    max_leaves=12,
)  # fmt: skip


@settings(deadline=None)
@given(st.text(max_size=300) | st.builds(lambda report, cut: json.dumps({**REPORT, **report})[:cut], st.dictionaries(st.sampled_from([*REPORT]), values, max_size=5), st.integers(0, 2000)) | values.map(json.dumps))  # fmt: skip
def test_any_text_is_a_report_or_refused(text: str):
    try:
        answer = grounding.read_answer(text)
    except ModelError:
        return
    assert isinstance(answer.title, str)
    assert all(isinstance(claim.line, int) and isinstance(claim.quote, str) for claim in answer.claims)
