from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.encoding import decode, encode, lines_of, readable

FILES = [
    # bytes, text, encoding, newline, what the problem says
    (b"plain\n", "plain\n", "utf-8", "\n", ""),
    ("Zoë\n".encode(), "Zoë\n", "utf-8", "\n", ""),
    (b"\xef\xbb\xbfa\r\nb", "a\r\nb", "utf-8", "\r\n", ""),
    ("a\nb".encode("utf-16"), "a\nb", "utf-16-le", "\n", ""),
    (b"\xfe\xff" + "é".encode("utf-16-be"), "é", "utf-16-be", "\n", ""),
    ("budget".encode("utf-16-le"), "budget", "utf-16-le", "\n", "without a byte order mark"),
    ("caf\xe9 society".encode("latin-1"), "café society", "latin-1", "\n", "read as Latin-1"),
    (b"a\0b", "a\0b", "utf-8", "\n", "NUL"),
    (b"a\rb\rc\n", "a\rb\rc\n", "utf-8", "\r", ""),
    (b"", "", "utf-8", "\n", ""),
]


@pytest.mark.parametrize(("data", "text", "encoding", "newline", "problem"), FILES)
def test_every_odd_file_becomes_text_and_says_what_is_odd(data, text, encoding, newline, problem):
    read = decode(data)
    assert (read.text, read.encoding, read.newline) == (text, encoding, newline)
    assert [p for p in read.problems if problem in p.message] if problem else not read.problems


def test_a_few_bad_bytes_do_not_turn_a_utf8_file_into_latin1():
    read = decode("Zoë, Jürgen und Łukasz\nschöne Grüße \n".encode() + b"\xff")
    assert "Jürgen" in readable(read.text)
    assert read.problems[0].line == 3
    assert "1 bytes are not UTF-8" in read.problems[0].message


def test_the_line_of_a_nul_counts_every_kind_of_line_end():
    assert decode(b"a\r\nb\rc\nd\0").problems[0].line == 4


@given(st.binary())
def test_any_bytes_decode_and_come_back_unchanged(data):
    assert encode(decode(data)) == data


@given(
    st.text(st.characters(codec="utf-8")),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"]),
)
def test_text_in_any_encoding_comes_back_unchanged(text, encoding):
    data = text.encode(encoding, "replace")
    assert encode(decode(data)) == data


@given(st.text(alphabet="ab\r\n\0\ud800é"))
def test_readable_text_keeps_every_line_in_its_place(text):
    shown = readable(text)
    assert len(lines_of(text)) == len(lines_of(shown))
    assert "".join(lines_of(text)) == text
    shown.encode()
    assert "\r" not in shown
    assert "\0" not in shown
