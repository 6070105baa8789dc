from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segments import KITCHEN, basis_of, segment_of

from memoryclaw.consolidation.changes import LEVELS, Claim, Extraction
from memoryclaw.consolidation.grounding import ModelAnswer, ModelClaim, proven

BY = "ollama/test"
NAMES = {"boathouse": "Boathouse", "boat house": "Boathouse", "nora": "Nora"}
EMAIL = ModelClaim(3, "My email is nora@example.org.", "Nora", "email", "nora@example.org", True, "high")


def read(
    *claims: ModelClaim, said: object = KITCHEN, basis: Extraction | None = None, **values: object
) -> Extraction:
    told = {"title": "Kitchen wall paint", "summary": "Nora and Tomás agree on Dünensand 14.", **values}
    return proven(ModelAnswer(**told, claims=claims), segment_of(said), basis or basis_of(), NAMES, BY)


def only(extraction: Extraction) -> Claim:
    [claim] = extraction.claims
    return claim


def test_a_model_fills_title_summary_tags_entities_and_claims():
    found = read(EMAIL, tags=("Kitchen Paint", "calendar"), entities=("Farben Kröger", "boathouse", "Elvis"))
    assert (found.title, found.summary) == ("Kitchen wall paint", "Nora and Tomás agree on Dünensand 14.")
    assert found.tags == ("kitchen-paint", "calendar", "kitchen")
    assert found.entities == ("Farben Kröger", "Boathouse")
    assert found.by == BY
    assert only(found) == Claim(
        entity="Nora", field="email", value="nora@example.org", line=3, quote=EMAIL.quote,
        role="user", said="2026-03-10", confidence="high", by=BY,
    )  # fmt: skip


def test_what_patterns_read_stays():
    known = Claim("Anna", "birthday", "12 May", 5, "Anna's birthday is 12 May.", "user", "2026-03-10")
    basis = basis_of(claims=(known,), points=("a point",), entities=("Anna",), project="P", confidence="high")
    found = read(EMAIL, ModelClaim(5, known.quote, "anna", "Birthday", "12 may"), basis=basis)
    assert found.claims == (only(read(EMAIL)), known)
    assert (found.points, found.participants, found.project) == (basis.points, basis.participants, "P")
    assert found.confidence == "high"
    assert found.entities[0] == "Anna"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"line": 77}, "none of these lines"),
        ({"line": 1}, "does not stand in line 1"),
        ({"quote": "My email is nora@evil.example."}, "does not stand"),
        ({"quote": "MY EMAIL IS nora@example.org."}, "does not stand"),
        ({"quote": "My"}, "does not stand"),
        ({"quote": " \n "}, "does not stand"),
        ({"entity": "  "}, "names no entity"),
        ({"field": "[[ ]]"}, "no field"),
        ({"value": "\u200b"}, "no value"),
        ({"entity": "x" * 200}, "names no entity"),
        ({"value": "y " * 100}, "too long"),
        ({"field": "z" * 90}, "too long"),
        ({"value": "nora@evil.example"}, "its value does not stand in line 3"),
        ({"value": "nora@example.org and Elvis"}, "its value does not stand in line 3"),
        ({"value": "♞"}, "its value does not stand in line 3"),
        ({"value": "[REDACTED:api-key:1a2b3c4d]"}, "secret"),
    ],
)  # fmt: skip
def test_a_claim_without_proof_is_left_out_and_that_is_said(change: dict[str, object], why: str):
    found = read(EMAIL._replace(**change))
    assert found.claims == ()
    assert why in found.dropped[0]
    assert len(found.dropped[0]) < 200


def test_spaces_do_not_matter_in_a_quote_and_a_short_one_may_be_the_whole_turn():
    said = [("user Nora", "My\n email   is nora@example.org."), ("user Nora", "Box 7")]
    assert only(read(EMAIL._replace(line=1), said=said)).quote == EMAIL.quote
    assert only(read(ModelClaim(2, "Box 7", "box", "value", "7"), said=said)).line == 2


@pytest.mark.parametrize(
    ("line", "quote", "claim", "sure"),
    [
        (3, "My email is nora@example.org.", ("Nora", "email", "nora@example.org"), "high"),
        (3, "My email is nora@example.org.", ("me", "emails", "nora@example.org"), "high"),
        (5, "Anna's birthday is 12 May.", ("Anna", "birthday", "12 May"), "high"),
        # The words do not say what it is, or not of whom: a person decides.
        (5, "Anna's birthday is 12 May.", ("Anna", "wedding", "12 May"), "medium"),
        (5, "Anna's birthday is 12 May.", ("Boathouse", "birthday", "12 May"), "medium"),
        (5, "Anna's birthday is 12 May.", ("Elvis", "birthday", "12 May"), "low"),
        # The value stands there in another form.
        (6, "I put Farben Kröger in the calendar.", ("Pip", "uses", "calendars"), "low"),
        # Nothing is stated.
        (5, "Maybe the deadline of Boathouse moves?", ("Boathouse", "deadline", "moves"), "low"),
    ],
)
def test_a_claim_is_as_sure_as_its_words(line: int, quote: str, claim: tuple[str, str, str], sure: str):
    assert only(read(ModelClaim(line, quote, *claim, confidence="high"))).confidence == sure


@pytest.mark.parametrize(
    ("text", "claim", "sure"),
    [
        ("My birthday is 12 May.", ("me", "birthday", "12 May"), "high"),
        ("Anna's birthday is 12 May.", ("Nora", "birthday", "12 May"), "medium"),
        ("My sister's birthday is 12 May.", ("me", "birthday", "12 May"), "medium"),
        ("My wife works at Siemens.", ("me", "works at", "Siemens"), "medium"),
        ("Anna's sister Bea lives in Rome.", ("Anna", "lives in", "Rome"), "medium"),
        ("My sister's birthday is 12 May.", ("sister", "birthday", "12 May"), "high"),
        ("It's 12 May, my birthday.", ("me", "birthday", "12 May"), "high"),
    ],
)  # fmt: skip
def test_nobody_gets_the_fact_of_another(text: str, claim: tuple[str, str, str], sure: str):
    claimed = ModelClaim(1, text, *claim, confidence="high")
    assert only(read(claimed, said=[("user Nora", text)])).confidence == sure


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("Anna's birthday is 12 May.", "high"),
        ("Anna's birthday is not 12 May.", "medium"),
        ("I think Anna's birthday is 12 May.", "medium"),
        ("Is Anna's birthday 12 May?", "low"),
        ("If Anna's birthday is 12 May, we bake.", "low"),
        ("> Anna's birthday is 12 May.", "low"),
        ("Look:\n```\nAnna's birthday is 12 May.\n```\n", "low"),
    ],
)  # fmt: skip
def test_doubts_questions_and_pasted_text_state_nothing_firm(text: str, sure: str):
    quote = next(line for line in text.splitlines() if "Anna" in line)
    claimed = ModelClaim(1, quote, "Anna", "birthday", "12 May", True, "high")
    assert only(read(claimed, said=[("user Nora", text)])).confidence == sure


def test_a_model_may_be_less_sure_than_its_words_and_never_more():
    assert only(read(EMAIL._replace(confidence="low"))).confidence == "low"


def test_a_model_that_contradicts_the_patterns_waits_for_a_person():
    known = Claim("Anna", "birthday", "12 May", 5, "Anna's birthday is 12 May.", "user", "2026-03-10")
    other = ModelClaim(5, "Anna's birthday is 12 May.", "Anna", "birthday", "May", True, "high")
    found = read(other, basis=basis_of(claims=(known,)))
    assert [(c.value, c.confidence) for c in found.claims] == [("12 May", "high"), ("May", "low")]


def test_the_role_is_that_of_the_line():
    quoted = ModelClaim(
        4, '{"ok": true, "room": "cellar"}', "calendar_create", "room", "cellar", True, "high"
    )
    assert only(read(quoted)).role == "tool"
    assert (
        only(
            read(ModelClaim(6, "I put Farben Kröger in the calendar.", "Pip", "calendar", "Farben Kröger"))
        ).role
        == "assistant"
    )


def test_who_speaks_of_themselves_goes_by_their_name_else_by_their_role():
    said = [("user", "My email is nora@example.org.")]
    assert only(read(EMAIL._replace(line=1, entity="I"), said=said)).entity == "user"
    assert only(read(EMAIL._replace(entity="I"))).entity == "Nora"


def test_what_is_true_for_the_moment_is_not_durable():
    claimed = ModelClaim(1, "Anna is in Aarhus today.", "Anna", "place", "Aarhus", True, "high")
    assert not only(read(claimed, said=[("user Nora", "Anna is in Aarhus today.")])).durable
    assert not only(read(EMAIL._replace(durable=False))).durable


def test_values_lose_what_markdown_would_take_for_its_own():
    claimed = ModelClaim(1, "My team is [[Anna]] since:: now", "me", "team", "[[Anna]] [since:: now]")
    value = only(read(claimed, said=[("user Nora", "My team is [[Anna]] since:: now")])).value
    assert not {"[[", "]]", "::"} & {value[at : at + 2] for at in range(len(value))}


def test_a_summary_that_does_not_stand_in_the_log_is_not_taken():
    found = read(title="Elvis on Mars", summary="Elvis lives on Mars with seven blue penguins.")
    assert (found.title, found.summary) == (basis_of().title, basis_of().summary)
    assert found.dropped == ("the summary was left out: its words do not stand in the log",)
    assert read(summary="of the and it is").summary == basis_of().summary


def test_what_a_tool_returned_is_no_ground_for_a_summary():
    assert read(summary="The room is the cellar, ok is true.").summary == basis_of().summary


def test_title_and_summary_are_plain_lines_of_bounded_length():
    found = read(
        title="# Kitchen\nwall ![x](https://evil.example/p.png) <img src=x> [[Nora]]",
        summary="Nora and Tomás agree on the kitchen wall. " * 50,
    )
    assert found.title.startswith("Kitchen wall")
    assert not set("\n<>`|") & set(found.title)
    assert "![" not in found.title
    assert "[[" not in found.title
    assert len(found.title) <= 81
    assert len(found.summary) <= 601


def test_words_like_yesterday_get_their_date():
    assert "2026-03-09" in read(summary="Nora and Tomás agree on the kitchen wall since yesterday.").summary


def test_a_language_without_spaces_is_compared_too():
    said = [("user 花子", "茶室の予約は五月十二日です。")]
    claimed = ModelClaim(1, "茶室の予約は五月十二日です。", "茶室", "予約", "五月十二日", True, "high")
    found = read(
        claimed,
        said=said,
        title="茶室の予約",
        summary="茶室の予約は五月十二日。",
        basis=basis_of(participants=()),
    )
    assert (found.title, found.summary) == ("茶室の予約", "茶室の予約は五月十二日。")
    assert only(found).confidence == "high"
    assert read(said=said, summary="火星の企鵝。").summary == basis_of().summary


@pytest.mark.parametrize(
    ("value", "claims"), [("2026-05-12", ["low"]), ("12 May", ["high"]), ("2026-05-13", []), ("2027", [])]
)
def test_a_date_may_be_written_in_another_form_and_no_other_date(value: str, claims: list[str]):
    text = "The wedding of Anna is on 12 May 2026."
    claimed = ModelClaim(1, text, "Anna", "marries on", value, True, "high")
    assert [c.confidence for c in read(claimed, said=[("user Nora", text)]).claims] == claims


def test_a_tag_whose_words_nobody_said_is_no_tag():
    found = read(tags=("log-id-4711", "evil", "kitchen elvis", "Kitchen_Walls", "paint"))
    assert found.tags == ("kitchen-walls", "paint", "kitchen")


TAGS = ("kitchen", "wall", "paint", "matt", "email", "birthday", "deadline", "boathouse", "calendar")


def test_no_more_is_taken_than_a_note_can_bear():
    found = read(
        *[EMAIL._replace(line=n) for n in range(100)],
        tags=("", "!!!", "茶室", "x" * 31, "four words are many", *TAGS),
        entities=("Nora",) * 50,
        unread=3,
    )
    assert found.tags == TAGS[:7]
    assert found.entities == ("Nora",)
    assert len(found.claims) == 1
    assert len(found.dropped) <= 20


anything = st.text(max_size=200) | st.sampled_from(
    [*(text for _, text in KITCHEN), "Nora", "email", "[[x]]", "a::b"]
)
claimed = st.builds(
    ModelClaim,
    st.integers(-3, 9),
    anything,
    anything,
    anything,
    anything,
    st.booleans(),
    st.sampled_from(LEVELS),
)
answers = st.builds(
    ModelAnswer, anything, anything, st.lists(anything, max_size=9).map(tuple), st.lists(anything, max_size=9).map(tuple),
    st.lists(claimed, max_size=6).map(tuple), st.integers(0, 5),
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(answers)
def test_whatever_a_model_says_the_result_is_well_formed(answer: ModelAnswer):
    segment, basis = segment_of(KITCHEN), basis_of()
    found = proven(answer, segment, basis, NAMES, BY)
    texts = {turn.line: " ".join(turn.text.split()) for turn in segment.turns}
    roles = {turn.line: turn.role for turn in segment.turns}
    for claim in found.claims:
        assert claim.quote in texts[claim.line]
        assert claim.role == roles[claim.line]
        assert claim.entity
        assert claim.field
        assert 0 < len(claim.value) <= 120
        assert not {"\n", "\0"} & set(claim.entity + claim.field + claim.value)
        assert claim.confidence in LEVELS
        if claim.confidence != "low" and any(map(str.isalnum, claim.value)):
            assert all(
                word.lower() in texts[claim.line].lower() for word in claim.value.split() if word.isalpha()
            )
    assert found.title
    assert found.summary
    assert "\n" not in found.title + found.summary
    assert len(found.tags) <= 7
