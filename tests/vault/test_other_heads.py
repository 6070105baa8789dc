"""Heads in TOML and JSON, as Hugo and exports of Org write them, are read as YAML is."""

from __future__ import annotations

import pytest

from memoryclaw.errors import InputError
from memoryclaw.model import Note
from memoryclaw.vault.audience import may_be_labelled
from memoryclaw.vault.edits import set_property
from memoryclaw.vault.export_gate import visible_bytes
from memoryclaw.vault.notes import ReadingSettings, read_note

TOML = """+++
title = "Rhubarb Cellar"
date = 2026-03-04
version = 1.10
tags = ["jam", "cellar"]
[params]
shelf = "third"
+++

# Steps {#steps}

Boil it. [plums]({{< relref "plum_cellar#cool" >}}) {{% ref "/posts/x.md" %}}
"""
JSON = '{\n  "title": "Plum Cellar",\n  "date": "2025-01-02",\n  "shelf": 4\n}\n\nPlums keep.\n'


def note(text: str) -> Note:
    return read_note("garden/x.md", text.encode(), ReadingSettings())


def test_toml_is_read() -> None:
    parsed = note(TOML)
    assert (parsed.title, parsed.when, parsed.tags, parsed.problems) == (
        "Rhubarb Cellar",
        "2026-03-04",
        ("jam", "cellar"),
        (),
    )
    assert [(fact.field, fact.value, fact.line) for fact in parsed.facts] == [
        ("version", "1.10", 4),
        ("params shelf", "third", 7),
    ]
    assert [section.heading for section in parsed.sections] == ["Steps"]
    assert [(link.target, link.anchor, link.line) for link in parsed.links] == [
        ("plum_cellar", "cool", 12),
        ("/posts/x.md", "", 12),
    ]


def test_json_is_read() -> None:
    parsed = note(JSON)
    assert (parsed.title, parsed.when, parsed.sections[0].line) == ("Plum Cellar", "2025-01-02", 7)
    assert [(fact.field, fact.value, fact.line) for fact in parsed.facts] == [("shelf", "4", 4)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('+++\ntitle = "x\n+++\nHeather.\n', 2),
        ("+++\ntitle = 1\nHeather.\n", 1),
        ('{\n "title": x\n}\nHeather.\n', 2),
        ("+++\na = " + "[" * 12 + "]" * 12 + "\n+++\nHeather.\n", 2),
    ],
)
def test_what_is_not_understood_is_a_problem_and_lets_only_the_owner_in(text: str, line: int) -> None:
    parsed = note(text)
    assert [problem.line for problem in parsed.problems] == [line]
    assert "Heather" in parsed.units[0].text
    assert may_be_labelled(text.encode())
    assert visible_bytes("garden/x.md", text.encode(), "agent", {}) is None


@pytest.mark.parametrize(
    "text", ["+++\nSomething\n+++\nMore.\n", "{ a thought }\n", "{{< toc >}}\n\nText.\n", "{\ncode\n}\n"]
)
def test_text_that_only_begins_like_a_head_is_text(text: str) -> None:
    parsed = note(text)
    assert (parsed.problems, parsed.meta) == ((), {})
    assert visible_bytes("garden/x.md", text.encode(), "agent", {}) is not None


@pytest.mark.parametrize("text", [TOML, JSON])
def test_such_a_head_is_never_written(text: str) -> None:
    with pytest.raises(InputError, match="only you can change it"):
        set_property(text, "shelf", "fourth")


def test_a_label_in_such_a_head_counts() -> None:
    for text in (
        TOML.replace("version = 1.10", 'audience = "owner"'),
        JSON.replace('"shelf": 4', '"audience": "owner"'),
    ):
        assert visible_bytes("garden/x.md", text.encode(), "agent", {}) is None
