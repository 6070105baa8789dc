from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.errors import InputError
from memoryclaw.text import yaml_text
from memoryclaw.text.encoding import decode, encode, lines_of
from memoryclaw.text.yaml_text import flow_list, scalar
from memoryclaw.vault.edits import set_property

NOTE = """---
# who wrote this
id:   note-1   # keep me
title: 'It''s odd'
tags: [ email,  projectX ]  # flow
aliases:
  - Anna   # first
  - "Łukasz"

summary: |
  two
  lines
empty:
version: 1.10
---
# Body
text
"""


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("id", "note-2", "id:   note-1   # keep me\n", "id:   note-2   # keep me\n"),
        ("title", "It's odder", "title: 'It''s odd'\n", "title: 'It''s odder'\n"),
        (
            "tags",
            ["email", "a, b"],
            "tags: [ email,  projectX ]  # flow\n",
            'tags: [email, "a, b"]  # flow\n',
        ),
        ("aliases", ["Anna", "Łukasz", "Zoë"], '  - "Łukasz"\n\n', '  - "Łukasz"\n  - Zoë\n\n'),
        ("aliases", ["Łukasz"], "  - Anna   # first\n", ""),
        ("aliases", "Anna", 'aliases:\n  - Anna   # first\n  - "Łukasz"\n', "aliases: Anna\n"),
        ("summary", "short", "summary: |\n  two\n  lines\n", "summary: short\n"),
        ("empty", "no longer: so", "empty:\n", 'empty: "no longer: so"\n'),
        ("version", "1.20", "version: 1.10\n", "version: 1.20\n"),
        ("new", "007", "version: 1.10\n", "version: 1.10\nnew: 007\n"),
    ],
)
def test_only_the_lines_of_the_property_change(key, value, old, new):
    assert NOTE.count(old) == 1
    for text, o, n in (
        (NOTE, old, new),
        *((NOTE.replace("\n", e), old.replace("\n", e), new.replace("\n", e)) for e in ("\r\n", "\r")),
    ):
        assert set_property(text, key, value) == text.replace(o, n)


def test_a_note_without_a_header_gets_one_in_its_own_line_ends():
    assert set_property("# Hi\r\nthere", "pin", "true") == "---\r\npin: true\r\n---\r\n# Hi\r\nthere"
    assert set_property("", "pin", "true") == "---\npin: true\n---\n"


def test_an_equal_value_changes_nothing():
    assert set_property(NOTE, "tags", ["email", "projectX"]) == NOTE


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: a\n",  # never closed
        "---\na: &x 1\nb: *x\n---\n",
        "---\na: 1\n\tb: 2\n---\n",
        "---\n- a\n- b\n---\n",
        "---\na: 1\na: 2\n---\n",
        "---\n{a: 1, b: 2}\n---\n",
        "---\na: !!int 3\n---\n",
    ],
)
def test_what_cannot_be_patched_safely_is_refused(text):
    with pytest.raises(InputError):
        set_property(text, "a", "new")


ODD = st.text(st.sampled_from("ab:#-[]{}\"'|>&*!%@`?, \t~\\éø\u2028\u0085\x00\n\r"), max_size=12)
WORDS = st.text(st.sampled_from("abcøé -'#:"), min_size=1, max_size=8)


@given(ODD)
def test_any_string_reads_back_from_the_scalar_written_for_it(value):
    assert yaml_text.load(f"k: {scalar(value)} # c").value == {"k": value}
    assert yaml_text.load(f"k: {flow_list([value, 'x'])}").value == {"k": [value, "x"]}


LINES = st.sampled_from(
    [
        "# comment", "a: 1 # c", "b:   'it''s'", 'c: "x: y"', "d: [ 1,  2 ]", "e:\n  - p # q\n  - r",
        "f: |\n  x\n\n  y", "g:", "", "h: {k: v}",
    ]
)  # fmt: skip


@given(
    entries=st.lists(LINES, unique=True, max_size=10),
    key=st.sampled_from("abcdefghz"),
    value=ODD | st.lists(ODD, max_size=3),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    body=st.sampled_from(["", "body", "body\n\n# x\n", "---\n"]),
    bom=st.booleans(),
)
def test_a_patch_touches_only_the_lines_of_its_property(*, entries, key, value, end, body, bom):
    text = "---\n" + "".join(f"{entry}\n" for entry in entries) + "---\n" + body
    data = (b"\xef\xbb\xbf" if bom else b"") + text.replace("\n", end).encode()
    read = decode(data)
    after = encode(read._replace(text=set_property(read.text, key, value)))
    entry_of_key = next((entry for entry in entries if entry.startswith(f"{key}:")), "")
    kept = [
        line
        for line in lines_of(data.decode())
        if line.strip() and line.rstrip("\r\n") not in entry_of_key.split("\n")
    ]
    rest = iter(lines_of(after.decode()))
    assert all(line in rest for line in kept)  # every other line is there still, byte for byte and in order
    assert after.startswith(b"\xef\xbb\xbf") == bom
    assert after.decode().endswith(body.replace("\n", end))
