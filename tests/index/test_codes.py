"""Tokens as the index keeps those of a unit."""

from __future__ import annotations

from memoryclaw.index.bm25 import code_of, coded, codes_in, length, without_digits

NUMBERS = (0, 1, 0xD7DF, 0xD7E0, 0x7F7DF, 0x7F7E0, 0x87800, 1 << 25)


def test_every_token_has_a_code_of_its_own_that_stands_in_no_other() -> None:
    codes = {code_of(number, token): (number, token) for number in NUMBERS for token in ("oak", "m4")}
    assert len(codes) == 2 * len(NUMBERS)
    text = "".join(codes)
    text.encode("utf-8")
    assert "\n" not in text
    assert codes_in(text) == list(codes)
    assert length(text) == len(codes)
    assert [text.count(code) for code in codes] == [1] * len(codes)


def test_tokens_with_a_digit_are_told_from_others() -> None:
    words, numbers = ([code_of(number, token) for number in NUMBERS] for token in ("oak", "m4"))
    mixed = "".join(code for pair in zip(words, numbers, strict=True) for code in pair)
    assert without_digits(mixed) == "".join(words)


def test_of_words_that_are_not_all_known_there_is_no_code() -> None:
    codes = {"oak": "A", "elm": "B"}
    assert coded("oak elm oak", codes) == "ABA"
    assert coded("oak larch", codes) == ""
