"""A model's claims are judged by the words of the log: each rule, and that a claim is left out, waits, or is believed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segments import KITCHEN, basis_of, segment_of

from memoryclaw.consolidation.changes import LEVELS, Claim, Extraction
from memoryclaw.consolidation.grounding import EARLIER_KINDS, KINDS, TYPES, ModelAnswer, ModelClaim, prove

BY = "ollama/test"
NAMES = {"ana": "Ana", "boathouse": "Boathouse"}
Said = tuple[str | tuple[str, str], ...]


def judged(said: Said, *claims: ModelClaim, basis: Extraction | None = None) -> Extraction:
    """What a model's claims come to; what has no `role name` is said by Nora."""
    turns = [turn if isinstance(turn, tuple) else ("user Nora", turn) for turn in said]
    answer = ModelAnswer("Talk", turns[-1][1], claims=claims)
    return prove(answer, segment_of(turns), basis or basis_of(), NAMES, BY)


def about(said: Said, entity: str, field: str, value: str, **more: object) -> ModelClaim:
    """A claim that quotes the last line whole, as firmly as a model can."""
    text = said[-1] if isinstance(said[-1], str) else said[-1][1]
    made = {"line": len(said), "quote": text, "confidence": "high", **more}
    return ModelClaim(entity=entity, field=field, value=value, **made)  # type: ignore[arg-type]


def verdict(said: Said, entity: str, field: str, value: str, **more: object) -> str:
    """high: believed; medium, low: waits for a person; else why it was left out."""
    extraction = judged(said, about(said, entity, field, value, **more))
    return extraction.claims[0].confidence if extraction.claims else extraction.dropped[0]


# Proof: line, quote, own words


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"line": 77}, "line 77 is none of these lines"),
        ({"line": 1, "quote": "i live in a lighthouse"}, "its quote does not stand in line 1"),
        ({"quote": "I LIVE IN LEEDS"}, "its quote does not stand"),
        ({"quote": "in"}, "its quote does not stand"),
        ({"quote": " \n "}, "its quote does not stand"),
        ({"value": "York"}, "its value does not stand in line 1"),
        ({"value": "Leeds and York"}, "its value does not stand in line 1"),
        ({"value": "♞"}, "its value does not stand in line 1"),
        ({"value": "[REDACTED:api-key:1a2b3c4d]"}, "it rests on a secret that was taken out"),
        ({"entity": " "}, "it names no entity"),
        ({"field": "[[ ]]"}, "it names no entity, no field or no value"),
        ({"field": "z" * 90}, "it is too long for a fact"),
        ({"entity": "x" * 200}, "it names no entity"),
    ],
)
def test_a_claim_without_proof_is_left_out_and_that_is_said(change: dict[str, object], why: str) -> None:
    claim = about(("i live in Leeds",), "Nora", "lives in", "Leeds")._replace(**change)
    extraction = judged(("i live in Leeds",), claim)
    assert extraction.claims == ()
    assert why in extraction.dropped[0]
    assert len(extraction.dropped[0]) < 200


@pytest.mark.parametrize("who", ["assistant Pip", "tool", "system", ""])
def test_only_a_person_states_anything(who: str) -> None:
    said = ((who, "Nora lives in Leeds."),)
    assert "no person says it in line 1" in verdict(said, "Nora", "lives in", "Leeds")


@pytest.mark.parametrize(
    "text",
    [
        "> i live in Leeds",
        "look\n```\ni live in Leeds\n```",
        'she wrote "i live in Leeds now, come over"',
        "heres the letter from my aunt\ni live in Leeds",
    ],
)
def test_words_of_others_state_nothing(text: str) -> None:
    quote = next(line for line in text.splitlines() if "Leeds" in line)
    assert "is no own word of line 1" in verdict((text,), "Nora", "lives in", "Leeds", quote=quote)


def test_the_right_value_of_a_correction_is_believed_and_the_wrong_one_left_out() -> None:
    said = ("the dentist is at 11am, no wait 13:00",)
    assert verdict(said, "Nora", "dentist", "13:00") == "high"
    assert "puts its value right" in verdict(said, "Nora", "dentist", "11am")


@pytest.mark.parametrize(
    ("value", "result"), [("2026-03-11", True), ("tomorrow", True), ("2026-03-12", False)]
)
def test_a_day_may_be_written_as_a_date_and_no_other_day(value: str, result: bool) -> None:
    said = ("we leave for Rome tomorrow",)
    assert bool(judged(said, about(said, "Nora", "departure", value)).claims) == result


def test_spaces_do_not_matter_in_a_quote_and_a_short_one_may_be_the_whole_turn() -> None:
    said = ("i live\n   in  Leeds",)
    assert verdict(said, "Nora", "lives in", "Leeds", quote="i live in Leeds") == "high"
    assert verdict(("Box 7",), "box", "number", "7") in ("high", "medium")


# The clause: what kind of word it is


@pytest.mark.parametrize(
    ("text", "value", "sure"),
    [
        ("i live not Leeds but York", "Leeds", "low"),
        ("my number is not 12", "12", "low"),
        ("i used to live in Leeds", "Leeds", "low"),
        ("my number is 12, because Ole can't have it any more", "12", "high"),
        ("Ole can't have it any more, so my number is 12", "12", "high"),
        ("my number is no longer 12, because Ole is back", "12", "low"),
        ("i no longer live in Leeds", "Leeds", "low"),
        ("my rent was 900, now it is 950", "900", "low"),
        ("my rent was 900, now it is 950", "950", "high"),
        ("my rehearsal is on thursday instead of wednesday", "wednesday", "low"),
        ("my deposit was 900", "900", "high"),
        ("my number is not 12", "not 12", "high"),
        ("my number is 12, not that it matters", "12", "high"),
        ("i dont eat nuts", "nuts", "high"),
    ],
)
def test_a_value_that_the_words_deny_waits(text: str, value: str, sure: str) -> None:
    assert verdict((text,), "Nora", "note", value) == sure


@pytest.mark.parametrize(
    "text",
    [
        "is it Leeds?", "if we win the lottery we move to Leeds", "maybe i move to Leeds",
        "i guess i move to Leeds", "my aunt said i move to Leeds", "i live in Leeds lol",
        "i live in Leeds, jk",
    ],
)  # fmt: skip
def test_what_the_log_doubts_waits(text: str) -> None:
    assert verdict((text,), "Nora", "lives in", "Leeds") == "low"


@pytest.mark.parametrize(
    ("kind", "sure"),
    [("fact", "high"), ("state", "high"), ("decision", "high"), ("preference", "high"), ("plan", "high"), ("wish", "high"), ("joke", "low"), ("retold", "low")],
)  # fmt: skip
def test_a_plan_and_a_wish_are_facts_and_what_a_model_calls_a_joke_or_retold_waits(
    kind: str, sure: str
) -> None:
    assert verdict(("we go to Leeds",), "Nora", "trip", "Leeds", kind=kind) == sure


def test_a_model_may_be_less_sure_than_the_words_and_never_more() -> None:
    assert verdict(("we go to Leeds",), "Nora", "trip", "Leeds", confidence="low") == "low"
    assert verdict(("maybe we go to Leeds",), "Nora", "trip", "Leeds", confidence="high") == "low"


def test_what_holds_for_the_moment_is_not_durable() -> None:
    said = ("we go to Leeds",)
    assert not judged(said, about(said, "Nora", "trip", "Leeds", durable=False)).claims[0].durable


def test_the_field_need_not_be_named() -> None:
    assert verdict(("we painted the hall sage green",), "hall", "colour", "sage green") == "high"


def test_a_choice_is_believed_by_what_was_on_offer() -> None:
    said = (("assistant Pip", "Rome or Oslo?"), "the second")
    assert verdict(said, "Nora", "trip", "Oslo") == "high"
    assert verdict(said, "Nora", "trip", "Rome") != "high"


# Whom it is about


@pytest.mark.parametrize(
    ("said", "entity", "sure"),
    [
        (("i live in Rome",), "Nora", "high"),
        (("i live in Rome",), "me", "high"),
        (("Ana lives in Rome",), "Ana", "high"),
        (("Ana lives in Rome",), "Nora", "medium"),
        (("my sister lives in Rome",), "Nora", "medium"),
        (("she lives in Rome",), "Nora", "medium"),
        (("my sister's flat is in Rome",), "Nora", "medium"),
        (("Bertram's flat is in Rome",), "Nora", "medium"),
        (("Ana's sister Bea lives in Rome",), "Ana", "medium"),
        (("thats Ana's sister. Ana lives in Rome",), "Ana", "high"),
        (("my sister Ulla rang", "she lives in Rome"), "Ulla", "high"),
        (("my sister Ulla rang", "and my cousin Berta", "she lives in Rome"), "Ulla", "high"),
        (("my cousin Berta rang", "ok", "so", "well", "listen", "she lives in Rome"), "Berta", "medium"),
        (("i live in Rome",), "Elvis", "medium"),
        (("the boathouse is for sale", "it stands in Rome"), "Boathouse", "high"),
        (("it stands in Rome",), "Boathouse", "medium"),
    ],
)
def test_a_claim_is_about_one_whom_the_words_name_or_it_waits(said: Said, entity: str, sure: str) -> None:
    assert verdict(said, entity, "place", "Rome") == sure


def test_what_another_person_said_and_names_nobody_is_in_doubt() -> None:
    """A claim that is only unsure may take the place of an older value; the word of somebody else must not."""
    alone, among = ("we met", "it stands in Rome"), ("we met", ("user Tom", "it stands in Rome"))
    assert verdict(alone, "Boathouse", "place", "Rome") == "medium"
    assert verdict(among, "Boathouse", "place", "Rome") == "low"


def test_who_speaks_of_themselves_goes_by_their_name_else_by_their_role() -> None:
    named, unnamed = ("i live in Rome",), (("user", "i live in Rome"),)
    assert judged(named, about(named, "I", "place", "Rome")).claims[0].entity == "Nora"
    assert judged(unnamed, about(unnamed, "I", "place", "Rome")).claims[0].entity == "user"


@pytest.mark.parametrize(
    ("text", "value", "sure"),
    [("no bullets pls", "no bullets", "high"), ("we had the soup", "soup", "medium")],
)
def test_a_claim_about_the_assistant_must_be_an_order(text: str, value: str, sure: str) -> None:
    assert verdict((text,), "assistant", "style", value, type="assistant") == sure


def test_names_are_spelled_as_the_vault_spells_them() -> None:
    said = ("the boathouse stands in Rome",)
    assert judged(said, about(said, "boathouse", "place", "Rome")).claims[0].entity == "Boathouse"


# Beside what the rules read


def rule(line: int, entity: str, field: str, value: str) -> Claim:
    return Claim(
        entity,
        field,
        value,
        line,
        value,
        "user",
        "2026-03-10",
        words=value,
        content=tuple(value.lower().split()),
    )


def test_what_rules_read_stays_and_is_not_said_twice() -> None:
    known = rule(1, "Nora", "lives in", "Leeds")
    said = ("i live in Leeds",)
    extraction = judged(said, about(said, "nora", "Lives In", "leeds"), basis=basis_of(claims=(known,)))
    assert extraction.claims == (known,)


@pytest.mark.parametrize(
    ("value", "confidences"),
    [("12 May", ["high"]), ("2026-05-12", ["high"]), ("3 May", ["high", "medium"])],
)
def test_another_value_for_what_rules_read_in_a_line_waits(value: str, confidences: list[str]) -> None:
    known = rule(1, "projectX", "deadline", "2026-05-12")
    said = ("the deadline of projectX moved from 3 May to 12 May",)
    extraction = judged(said, about(said, "projectX", "due date", value), basis=basis_of(claims=(known,)))
    assert extraction.claims[0] == known
    assert [claim.confidence for claim in extraction.claims] == confidences


def test_a_statement_of_which_facts_tell_every_word_gives_way_to_them() -> None:
    stated = rule(1, "Nora", "", "live Leeds")
    said = ("i live in Leeds",)
    extraction = judged(said, about(said, "Nora", "live", "Leeds"), basis=basis_of(claims=(stated,)))
    assert [(claim.field, claim.by) for claim in extraction.claims] == [("live", BY)]


def test_claims_come_in_the_order_of_their_lines_and_thirty_at_most() -> None:
    said = tuple(f"the box number {n} is in Rome" for n in range(1, 41))
    claims = [
        ModelClaim(n, f"the box number {n} is in Rome", f"box {n}", "place", "Rome") for n in range(40, 0, -1)
    ]
    extraction = judged(said, *claims)
    assert [claim.line for claim in extraction.claims] == list(range(11, 41))
    assert any("10 of its claims, too many" in why for why in extraction.dropped)


def test_values_lose_what_markdown_would_take_for_its_own() -> None:
    said = ("my team is Ana [since:: now]",)
    (claim,) = judged(said, about(said, "me", "team", "Ana [since:: now]")).claims
    assert not {"[[", "]]", "::"} & {claim.value[at : at + 2] for at in range(len(claim.value))}


# Any claim

WORDS = st.sampled_from(
    [
        *(text for _, text in KITCHEN),
        "Nora",
        "Ana",
        "email",
        "12 May",
        "Anna",
        "[[x]]",
        "a::b",
        "assistant",
        "♞",
        "",
    ]
)
CLAIMS = st.builds(
    ModelClaim, st.integers(-1, 8), WORDS | st.text(max_size=60), WORDS | st.text(max_size=60), WORDS | st.text(max_size=50),
    WORDS | st.text(max_size=140), st.booleans(), st.sampled_from(("low", "medium", "high")), st.sampled_from((*KINDS, *EARLIER_KINDS)), st.sampled_from((*TYPES, "")),
)  # fmt: skip


ANYTHING = WORDS | st.text(max_size=200)
ANSWERS = st.builds(
    ModelAnswer, ANYTHING, ANYTHING, st.lists(ANYTHING, max_size=9).map(tuple), st.lists(ANYTHING, max_size=9).map(tuple),
    st.lists(CLAIMS, max_size=6).map(tuple), st.integers(0, 5),
)  # fmt: skip


@settings(deadline=None)
@given(ANSWERS)
def test_whatever_a_model_answers_is_well_formed_and_its_claims_are_a_users_and_of_the_line_that_they_quote(
    answer: ModelAnswer,
) -> None:
    segment = segment_of(KITCHEN)
    extraction = prove(answer, segment, basis_of(), NAMES, BY)
    texts = {turn.line: " ".join(turn.text.split()) for turn in segment.turns}
    for claim in extraction.claims:
        assert segment.turns[claim.line - 1].role == claim.role == "user"
        assert claim.quote in texts[claim.line]
        assert claim.confidence in LEVELS
        assert claim.entity
        assert claim.field or claim.how == "said"
        assert 0 < len(claim.value) <= (300 if claim.how in ("said", "prefers") else 120)
        assert claim.words
        assert not {"\n", "\0"} & set(claim.entity + claim.field + claim.value)
        if claim.confidence == "high" and claim.value.isascii():
            words = [word.strip(".,!?").lower() for word in claim.value.split()]
            assert all(word in texts[claim.line].lower() for word in words if word.isalpha())
        if claim.confidence != "low" and any(map(str.isalnum, claim.value)):
            words = [word.lower() for word in claim.value.split() if word.isalpha()]
            assert all(word in texts[claim.line].lower() for word in words)
    assert extraction.title
    assert extraction.summary
    assert "\n" not in extraction.title + extraction.summary
    assert len(extraction.tags) <= 7
    assert extraction == prove(answer, segment, basis_of(), NAMES, BY)
