"""What of a unit is embedded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.index.vectors import MOST, digest, vector_text

texts = st.builds(lambda text, times: text * times, st.text(max_size=12), st.sampled_from((1, 1, 1, 300)))
kinds = st.sampled_from(("turn", "fact", "note", "episode", "skill"))


def test_a_turn_is_told_as_it_was_said() -> None:
    assert vector_text("turn", "", "In the tin.") == "In the tin."


def test_a_fact_is_told_as_a_sentence_and_a_note_with_its_title() -> None:
    assert vector_text("fact", "Boathouse deadline", "2026-12-11") == "Boathouse deadline: 2026-12-11"
    assert vector_text("episode", "Wind plan", "Masts down.") == "Wind plan\nMasts down."
    assert vector_text("note", "Moon", "Moon\n\nMore salt.") == "Moon\n\nMore salt."


@given(kinds, texts, texts)
def test_every_unit_has_a_text_that_every_model_can_read(kind: str, title: str, text: str) -> None:
    embedded = vector_text(kind, title, text)
    assert embedded.strip()
    assert len(embedded) <= MOST
    assert "\0" not in embedded
    assert embedded.encode("utf-8").decode("utf-8") == embedded


@given(texts, texts)
def test_texts_are_one_when_their_digests_are(first: str, other: str) -> None:
    first, other = (vector_text("note", "", text) for text in (first, other))
    assert (digest(first) == digest(other)) is (first == other)
    assert len(digest(first)) == 16
