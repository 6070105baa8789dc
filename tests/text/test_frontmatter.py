from __future__ import annotations

import pytest

from memoryclaw.text.encoding import readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.yaml_header import GuardedHandler


def test_header_and_body_are_told_apart_with_their_lines():
    parts = split("---\ntitle: A\ntags: [x]\n---\n\nBody\n")
    assert parts.meta == {"title": "A", "tags": ["x"]}
    assert (parts.raw, parts.body, parts.body_line) == ("title: A\ntags: [x]\n", "\nBody\n", 5)
    assert parts.lines[("tags",)] == 3


HEADERS = [
    # text, keys read, body, line of the body, what the problem says
    ("no header\n", {}, "no header\n", 1, ""),
    ("", {}, "", 1, ""),
    ("---\n---\nx", {}, "x", 3, ""),
    ("---\na: b\n...\nx", {"a": "b"}, "x", 4, ""),
    ("---  \na: b\n---\t\nx", {"a": "b"}, "x", 4, ""),
    ("\ufeff---\na: b\n---\nx", {"a": "b"}, "x", 4, ""),
    ("---\r\na: b\r\n---\r\nx\r\n", {"a": "b"}, "x\n", 4, ""),
    ("---\na: b\n---", {"a": "b"}, "", 3, ""),
    ("----\na: b\n----\nx", {}, "----\na: b\n----\nx", 1, ""),
    (" ---\na: b\n---\nx", {}, " ---\na: b\n---\nx", 1, ""),
    ("---\na: b\nx: y\n", {}, "---\na: b\nx: y\n", 1, "never closed"),
    ("---\n\nA rule above prose.\n", {}, "---\n\nA rule above prose.\n", 1, ""),
    ("---\n- a\n- b\n---\nx", {}, "x", 5, "not a list of keys"),
    ("---\njust words\n---\nx", {}, "x", 4, "not a list of keys"),
    ("---\na: b: c\n---\nx", {}, "x", 4, "broken"),
    ("---\na: &b c\n---\nx", {}, "x", 4, "anchor"),
    ("---\na: 1\na: 2\n---\nx", {"a": "2"}, "x", 5, "on line 2"),
]


@pytest.mark.parametrize(("text", "meta", "body", "line", "problem"), HEADERS)
def test_no_header_is_too_odd_to_split(text, meta, body, line, problem):
    parts = split(readable(text))
    assert (dict(parts.meta), parts.body, parts.body_line) == (meta, body, line)
    assert [p for p in parts.problems if problem in p.message] if problem else not parts.problems


def test_a_broken_header_is_kept_as_text():
    parts = split("---\ntitle: a: secret\n---\nx")
    assert parts.broken
    assert "secret" in parts.raw


@pytest.mark.parametrize(
    "text", ["---\na: b\n\n---\n\n\nx\n\n", "---  \n\n# c\na: b\n...\t\n---\nx", "---\n---\n"]
)
def test_python_frontmatter_splits_with_our_boundary_and_loses_nothing(text):
    header, body = GuardedHandler().split(text)
    first, close = text.index("\n") + 1, len(text) - len(body)
    assert text[first:].startswith(header)
    assert text[first + len(header) : close].strip(" \t\n") in {"---", "..."}
    assert text.endswith(body)


def test_python_frontmatter_hands_the_header_to_our_guarded_loader():
    loaded = GuardedHandler().load("id: 007\nok: no\n")
    assert loaded.value == {"id": "007", "ok": "no"}
    assert loaded.lines[("ok",)] == 3
    assert "alias" in GuardedHandler().load("a: *b\n").problems[0].message
