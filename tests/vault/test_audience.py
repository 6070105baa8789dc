"""What each audience sees of a file: labels of folders, notes, lines and turns, and how they go together."""

from __future__ import annotations

import json

import pytest

from memoryclaw.errors import InputError
from memoryclaw.vault.audience import audience_name, common_audience, label_in, label_of, may_see
from memoryclaw.vault.export_gate import visible_bytes

NOTE = b"""---
title: Ann
tags: [people]
---

# Ann
- email: ann@example.org
- salary: ninety [audience:: owner]
  - bonus: ten

  paid in March
- talk: Tuesday [audience:: public]
- holiday: June (audience:: family)

## Health [PRIVATE]
She is well.
### Teeth
They are fine.

## Work
One line of prose,
another with a secret [PRIVATE] in it,
and a third.

| name | pay |
|---|---|
| Bo | 1 |
| Cy | 2 [audience:: owner] |

Plans [audience:: owner]
------------------------
A house by the sea.
"""


def lines(data: bytes | None) -> list[str]:
    return [line for line in (data or b"").decode().splitlines() if line.strip()]


def test_the_owner_sees_every_byte() -> None:
    assert visible_bytes("notes/ann.md", NOTE, "owner", {}) is NOTE


def test_the_agent_sees_what_no_label_keeps_for_others_and_every_line_keeps_its_number() -> None:
    data = visible_bytes("notes/ann.md", NOTE, "agent", {})
    assert data is not None
    assert lines(data) == [
        "---", "title: Ann", "tags: [people]", "---", "# Ann", "- email: ann@example.org", "- talk: Tuesday [audience:: public]",
        "## Work", "| name | pay |", "|---|---|", "| Bo | 1 |",
    ]  # fmt: skip
    was = NOTE.splitlines()
    for number, line in enumerate(data.splitlines()):
        assert line in (b"", was[number])


@pytest.mark.parametrize(
    ("audience", "own"), [("public", []), ("family", ["- holiday: June (audience:: family)"])]
)
def test_others_see_what_is_labelled_for_them_below_its_headings(audience: str, own: list[str]) -> None:
    assert lines(visible_bytes("notes/ann.md", NOTE, audience, {})) == [
        "# Ann",
        "- talk: Tuesday [audience:: public]",
        *own,
    ]


def test_a_public_row_comes_with_the_head_of_its_table_and_an_item_with_those_above_it() -> None:
    note = "# A\n\n| a | b |\n|---|---|\n| x | 1 |\n| y | 2 [audience:: public] |\n\n- one\n  - two\n    - three [audience:: public]\n"
    assert lines(visible_bytes("n.md", note.encode(), "public", {})) == [
        "# A", "| a | b |", "|---|---|", "| y | 2 [audience:: public] |", "- one", "  - two", "    - three [audience:: public]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "sees"),
    [
        ("audience: owner", {"owner"}),
        ("Audience: [Agent, family]", {"owner", "agent", "family"}),
        ("audience: public", {"owner", "agent", "family", "public"}),
        ("audience: family", {"owner", "family"}),
        ("audience:", {"owner"}),
        ("audience: {who: family}", {"owner", "family"}),
        ("audience: ../../etc", {"owner"}),
        ("audience: agent\naudience: family", {"owner"}),
        ("audience: [agent", {"owner"}),
        ("title: x [PRIVATE]", {"owner"}),
        ("title: x", {"owner", "agent"}),
    ],
)
def test_a_note_is_for_whom_its_header_says_and_in_doubt_for_the_owner(header: str, sees: set[str]) -> None:
    data = f"---\n{header}\n---\n\ntext\n".encode()
    callers = ("owner", "agent", "family", "public")
    assert {caller for caller in callers if visible_bytes("notes/a.md", data, caller, {}) is not None} == sees


def test_a_property_on_a_line_of_its_own_is_of_the_whole_note() -> None:
    assert visible_bytes("notes/a.md", b"# A\n\naudience:: owner\n\ntext\n", "agent", {}) is None


@pytest.mark.parametrize(
    "mark", ["[audience::", "[audience:: [family]]", "[audience:: ]", "(audience:: own er)"]
)
def test_a_label_that_cannot_be_read_lets_nobody_in(mark: str) -> None:
    assert visible_bytes("notes/a.md", f"a\n\nsecret {mark}\n".encode(), "agent", {}) == b"a\n\n\n"


def test_a_heading_goes_with_all_that_stands_below_it() -> None:
    text = "# A\n\n## Mia\n- doctor: q [audience:: owner]\n\n### History\n- doctor: p [PRIVATE]\n\nTom\n---\nz [PRIVATE]\n\n## Kim\n\n## Lea\ny\n"
    left = visible_bytes("notes/a.md", text.encode(), "agent", {})
    assert left is not None
    assert left.decode() == "# A\n" + "\n" * 11 + "## Kim\n\n## Lea\ny\n"
    assert visible_bytes("notes/a.md", b"# Mia\n- q [PRIVATE]\n", "agent", {}) is None


def test_every_label_on_the_way_must_let_an_audience_in() -> None:
    folders = {"journal": "owner", "Blog/": "public", "home": ["agent", "family"]}
    assert visible_bytes("journal/a.md", b"---\naudience: public\n---\nx\n", "agent", folders) is None
    assert visible_bytes("blog/a.md", b"x\n", "public", folders) == b"x\n"
    assert visible_bytes("blog/a.md", b"x\n\ny [PRIVATE]\n", "public", folders) == b"x\n\n\n"
    assert visible_bytes("home/a.md", b"---\naudience: family\n---\nx\n", "agent", folders) is None
    assert visible_bytes("home/a.md", b"---\naudience: family\n---\nx\n", "family", folders) is not None
    assert visible_bytes("homely/a.md", b"x\n", "family", folders) is None


def test_a_skill_in_json_or_javascript_has_its_label_too() -> None:
    assert visible_bytes("skills/a.json", b'{"name": "a", "audience": "owner"}', "agent", {}) is None
    assert (
        visible_bytes("skills/a.js", b'export default { name: "a", audience: ["family"] }', "agent", {})
        is None
    )
    assert visible_bytes("skills/a.json", b'{"name": "a", "audience": {"x": 1}}', "agent", {}) is None
    assert visible_bytes("skills/a.json", b'{"name": "a"}', "agent", {}) is not None


def turn(role: str, content: str, **more: object) -> str:
    return json.dumps({"session": "s", "role": role, "content": content, **more})


def test_the_answer_to_a_private_turn_is_private_and_so_is_what_a_tool_did_for_it() -> None:
    log = "\n".join([
        turn("user", "hello"), turn("user", "[PRIVATE] ninety", audience="owner"), turn("tool", "pay", tool="look"),
        turn("assistant", "ninety, then"), turn("user", "thanks"), turn("assistant", "welcome"),
        turn("user", "[Private] no label beside it"), '{"audience": "owner", "content": "torn', "",
    ])  # fmt: skip
    left = visible_bytes("logs/2026-01-01/s.jsonl", log.encode(), "agent", {})
    assert left is not None
    assert [n for n, line in enumerate(left.split(b"\n"), 1) if line] == [1, 5, 6]


def test_what_capture_left_of_a_private_part_is_no_label() -> None:
    log = turn("user", "my code is [private], and it rains").encode() + b"\n"
    assert visible_bytes("logs/2026-01-01/s.jsonl", log, "agent", {}) == log


def test_a_log_in_markdown_hides_whole_turns() -> None:
    log = b"---\nsession: s\n---\n\n### user\nhello\n\n### user\none\n\ntwo [PRIVATE]\n\n### assistant\ntwo, then\n\n### user\nbye\n"
    assert lines(visible_bytes("logs/2026-01-01/s.md", log, "agent", {})) == ["---", "session: s", "---", "### user", "hello", "### user", "bye"]  # fmt: skip


def test_line_ends_and_encodings_stay_as_they_are() -> None:
    assert visible_bytes("a.md", b"\xef\xbb\xbf# A\r\n\r\nx [PRIVATE]\r\n\r\ny\r\n", "agent", {}) == b"\xef\xbb\xbf# A\r\n\r\n\r\n\r\ny\r\n"  # fmt: skip
    wide = "a\n\nx [PRIVATE]\n".encode("utf-16")
    left = visible_bytes("a.md", wide, "agent", {})
    assert left is not None
    assert left.decode("utf-16") == "a\n\n\n"


def test_labels_narrow_one_another() -> None:
    assert common_audience() == common_audience("", "") == ""
    assert common_audience("public", "") == "public"
    assert common_audience("public", "agent family") == "agent family"
    assert common_audience("agent", "family") == "owner"
    assert label_of(["b", "A, owner"]) == "a b"
    assert label_in("x [audience:: family] y (audience:: family agent)").audience == "family"
    assert may_see("agent")
    assert not may_see("family")
    assert not may_see("agent", "owner", "public")


@pytest.mark.parametrize("said", ["", " ", "a b", "../x", "a" * 65, "-x"])
def test_what_no_label_could_name_is_no_audience(said: str) -> None:
    with pytest.raises(InputError, match="is not an audience"):
        audience_name(said)
