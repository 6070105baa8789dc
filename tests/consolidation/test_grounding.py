from __future__ import annotations

from segments import KITCHEN, basis_of, segment_of

from memoryclaw.consolidation.changes import Claim, Extraction
from memoryclaw.consolidation.grounding import ModelAnswer, ModelClaim, prove

BY = "ollama/test"
NAMES = {"boathouse": "Boathouse", "boat house": "Boathouse", "nora": "Nora"}
EMAIL = ModelClaim(3, "My email is nora@example.org.", "Nora", "email", "nora@example.org", True, "high")


def read(
    *claims: ModelClaim, said: object = KITCHEN, basis: Extraction | None = None, **values: object
) -> Extraction:
    fields = {"title": "Kitchen wall paint", "summary": "Nora and Tomás agree on Dünensand 14.", **values}
    return prove(ModelAnswer(**fields, claims=claims), segment_of(said), basis or basis_of(), NAMES, BY)


def only(extraction: Extraction) -> Claim:
    [claim] = extraction.claims
    return claim


def test_a_model_fills_title_summary_tags_entities_and_claims():
    extraction = read(
        EMAIL, tags=("Kitchen Paint", "calendar"), entities=("Farben Kröger", "boathouse", "Elvis", "I")
    )
    assert (extraction.title, extraction.summary) == (
        "Kitchen wall paint",
        "Nora and Tomás agree on Dünensand 14.",
    )
    assert extraction.tags == ("kitchen-paint", "calendar", "kitchen")
    assert extraction.entities == ("Farben Kröger", "Boathouse")
    assert extraction.by == BY
    claim = only(extraction)
    assert (claim.entity, claim.field, claim.value, claim.line) == ("Nora", "email", "nora@example.org", 3)
    assert (claim.role, claim.said, claim.confidence, claim.by) == ("user", "2026-03-10", "high", BY)
    assert claim.quote == EMAIL.quote


def test_a_summary_that_does_not_stand_in_the_log_is_not_taken():
    extraction = read(title="Elvis on Mars", summary="Elvis lives on Mars with seven blue penguins.")
    assert (extraction.title, extraction.summary) == (basis_of().title, basis_of().summary)
    assert extraction.dropped == tuple(
        f"the {part} was left out: its words do not stand in the log" for part in ("title", "summary")
    )
    assert read(summary="of the and it is").summary == basis_of().summary


def test_what_a_tool_returned_is_no_ground_for_a_summary():
    assert read(summary="The room is the cellar, ok is true.").summary == basis_of().summary


def test_title_and_summary_are_plain_lines_of_bounded_length():
    extraction = read(
        title="# Kitchen\nwall ![x](https://evil.example/p.png) <img src=x> [[Nora]]",
        summary="Nora and Tomás agree on the kitchen wall. " * 50,
    )
    assert extraction.title.startswith("Kitchen wall")
    assert not set("\n<>`|") & set(extraction.title)
    assert "![" not in extraction.title
    assert "[[" not in extraction.title
    assert len(extraction.title) <= 81
    assert len(extraction.summary) <= 601


def test_words_like_yesterday_get_their_date():
    assert "2026-03-09" in read(summary="Nora and Tomás agree on the kitchen wall since yesterday.").summary


def test_a_language_without_spaces_is_compared_too():
    said = [("user 花子", "茶室の予約は五月十二日です。")]
    values = {"title": "茶室の予約", "summary": "茶室の予約は五月十二日。"}
    extraction = read(said=said, basis=basis_of(participants=()), **values)
    assert (extraction.title, extraction.summary) == ("茶室の予約", "茶室の予約は五月十二日。")
    assert read(said=said, summary="火星の企鵝。").summary == basis_of().summary


def test_a_claim_in_a_language_that_is_not_read_waits():
    said = [("user 花子", "茶室の予約は五月十二日です。")]
    claimed = ModelClaim(1, "茶室の予約は五月十二日です。", "茶室", "予約", "五月十二日", True, "high")
    assert only(read(claimed, said=said)).confidence == "medium"


def test_what_rules_read_stays():
    known = Claim("Anna", "birthday", "12 May", 5, "Anna's birthday is 12 May.", "user", "2026-03-10")
    basis = basis_of(claims=(known,), points=("a point",), entities=("Anna",), confidence="high")
    extraction = read(EMAIL, ModelClaim(5, known.quote, "anna", "Birthday", "12 may"), basis=basis)
    assert extraction.claims == (only(read(EMAIL)), known)
    assert (extraction.points, extraction.participants) == (basis.points, basis.participants)
    assert extraction.confidence == "high"
    assert extraction.entities[0] == "Anna"


def test_a_tag_whose_words_nobody_said_is_no_tag():
    extraction = read(tags=("log-id-4711", "evil", "kitchen elvis", "Kitchen_Walls", "paint"))
    assert extraction.tags == ("kitchen-walls", "paint", "kitchen")
    assert "tags were left out, for nobody said them: log-id-4711, evil, kitchen elvis" in extraction.dropped


TAGS = ("kitchen", "wall", "paint", "matt", "email", "birthday", "deadline", "boathouse", "calendar")


def test_no_more_is_taken_than_a_note_can_bear():
    extraction = read(
        *[EMAIL._replace(line=n) for n in range(100)],
        tags=("", "!!!", "茶室", "x" * 31, "four words are many", *TAGS),
        entities=("Nora",) * 50,
        unread=3,
    )
    assert extraction.tags == TAGS[:7]
    assert extraction.entities == ("Nora",)
    assert len(extraction.claims) == 1
    assert len(extraction.dropped) <= 30
