"""The passage that is shown of a unit."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.text.language import fold
from memoryclaw.text.snippets import places, snippet

LETTERS = "abcdefghij ABC äößé 木栓茶室🎉👩‍👧 .!?\n\t'’-_"
texts = st.text(LETTERS, max_size=700)
STORY = (
    "Crate five held 108 dowels. " * 12 + "The other thirty-six lay in a biscuit tin. " + "Nobody knew. " * 30
)


@settings(deadline=None)
@given(texts, st.lists(st.text("abcdeäé木栓", min_size=1, max_size=4), max_size=4), st.integers(20, 300))
def test_highlights_are_exact_offsets_in_order(text: str, surfaces: list[str], width: int) -> None:
    shown = snippet(text, surfaces, width)
    end = 0
    for start, stop in shown.highlights:
        assert end <= start < stop <= len(shown.text)
        assert fold(shown.text[start:stop]) in {fold(surface) for surface in surfaces}
        end = stop
    assert "\n" not in shown.text


@settings(deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([30, 96, 220]))
def test_no_word_is_ever_cut(dice: Random, width: int) -> None:
    words = [
        "".join(dice.choices("abcdé木,.!?’", k=dice.randint(1, 14))) for _ in range(dice.randint(1, 120))
    ]
    shown = snippet(" ".join(words), {word.strip(",.!?’") for word in dice.choices(words, k=3)}, width).text
    passage = shown.removeprefix("… ").removesuffix(" …").split()
    assert any(words[i : i + len(passage)] == passage for i in range(len(words)))
    assert len(shown) <= width + 100


def test_the_densest_passage_is_chosen_and_sentences_are_kept_whole() -> None:
    shown = snippet(STORY, {"biscuit", "tin", "thirty", "six"})
    assert shown.text.startswith("… ")
    assert "The other thirty-six lay in a biscuit tin." in shown.text
    assert [shown.text[a:b] for a, b in shown.highlights] == ["thirty", "six", "biscuit", "tin"]


def test_without_words_the_beginning_is_shown() -> None:
    assert snippet(STORY, ()).text.startswith("Crate five held 108 dowels.")
    assert snippet("", {"x"}) == ("", ())


@pytest.mark.parametrize(
    ("text", "surface", "marked"),
    [
        ("O’Neil came.", "o'neil", ["O’Neil"]),
        ("art is not smart", "art", ["art"]),
        ("茶室の木栓です", "木栓", ["木栓"]),
        ("oat\n  milk", "oat milk", ["oat milk"]),
        ("snake_case", "case", ["case"]),
        ("MÜLLER", "müller", ["MÜLLER"]),
    ],
)
def test_what_is_highlighted(text: str, surface: str, marked: list[str]) -> None:
    shown = snippet(text, {surface})
    assert [shown.text[a:b] for a, b in shown.highlights] == marked


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["the", "The", "cats", "ca", "a", "x1", "1x", " ", " ", "-", "_", "'", "."]),
        max_size=20,
    ).map("".join),
    st.sets(st.sampled_from(["the", "cat", "CAT", "cats", "ca", "a", "x1", "b"]), min_size=1),
)
def test_plain_words_are_found_where_others_are(text: str, forms: set[str]) -> None:
    # A form with an apostrophe, which no text here holds, takes the way that is not for plain words only.
    assert places(text, forms) == places(text, {*forms, "zz'zz"})


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["项目", "目管", "管", "É", "é", "ÿŸ", "’", "😀", "Ａ", " ", "_", "a", "ſ", "K"]),
        max_size=12,
    ).map("".join),
    st.sets(st.sampled_from(["项目", "目管", "管", "é", "Éé", "ÿ", "ａ", "k", "s"]), min_size=1),
)
def test_words_in_other_scripts_are_found_where_others_are(text: str, forms: set[str]) -> None:
    assert places(text, forms) == places(text, {*forms, "zz'zz"})
