from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.text.markdown import Body, read_body, sections_of


def body_of(text: str) -> Body:
    return read_body(text, 1)


def headings(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in body_of(text).headings]


HEADINGS = [
    ("# One\n## Two ##\n   ### Three\n", [(1, "One"), (2, "Two"), (3, "Three")]),
    ("#no\n#######no\n    # no\n#\n", []),
    ("C#\n# About C#\n", [(1, "About C#")]),
    ("Title\n=====\nSub\n---\n", [(1, "Title"), (2, "Sub")]),
    ("- item\n---\n\n---\n| a |\n---\n> q\n---\n", []),
    ("```\n# no\n```\n# yes\n", [(1, "yes")]),
    ("~~~ python\n# no\n```\n# no\n~~~\n# yes\n", [(1, "yes")]),
    ("```\n# never closed\n", []),
    ("%%\n# no\n%%\n# yes\n", [(1, "yes")]),
    ("<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", []),
]


@pytest.mark.parametrize(("text", "expected"), HEADINGS)
def test_headings_are_found_outside_code_and_comments(text, expected):
    assert headings(text) == expected


LINKS = [
    ("[[Note]]", [("Note", "", "", False)]),
    ("[[Note|label]]", [("Note", "", "label", False)]),
    ("[[Note#Heading|label]]", [("Note", "Heading", "label", False)]),
    ("[[Note#^b1]] [[Note^b1]]", [("Note", "^b1", "", False)] * 2),
    ("[[Note#A#B]]", [("Note", "A#B", "", False)]),
    ("![[pic.png|100]]", [("pic.png", "", "100", True)]),
    ("| [[Note\\|label]] |", [("Note", "", "label", False)]),
    ("[text](sub/some%20note.md#Part)", [("sub/some note.md", "Part", "text", False)]),
    ("[text](<a.md>)", [("a.md", "", "text", False)]),
    ("[no](https://x.org/a.md) [no](a.png) [no](mailto:a@b.md)", []),
    ("`[[no]]` ``[[no]] ` ``\n```\n[[no]]\n```\n%%[[no]]%%", []),
    ("[[]] [[ ]] [ [no] ]", []),
]


@pytest.mark.parametrize(("text", "expected"), LINKS)
def test_links_are_read_as_obsidian_reads_them(text, expected):
    assert [(link.target, link.anchor, link.label, link.embed) for link in body_of(text).links] == expected


TAGS = [
    ("#one and #two/three, #four.", ("one", "two/three", "four")),
    ("#1984 #y1984 #1/2", ("y1984",)),
    ("a#b (#no) https://x.org/#no \\#no # no ##no", ()),
    ("`#no` %%#no%% [[#no]]\n```\n#no\n```", ()),
    ("#Zoë #中文 #a-b_c #x/", ("Zoë", "中文", "a-b_c", "x")),
    ("#same #same", ("same",)),
]


@pytest.mark.parametrize(("text", "expected"), TAGS)
def test_inline_tags_follow_obsidians_rules(text, expected):
    assert body_of(text).tags == expected


def test_comments_are_neither_searched_nor_read_and_lines_stay_in_place():
    body = body_of("before %%hidden #no%% after\n%%\nsecret [[no]]\n%%\nlast [[yes]]")
    assert "hidden" not in body.text
    assert "secret" not in body.text
    assert body.text.split("\n")[0].split() == ["before", "after"]
    assert [(link.target, link.line) for link in body.links] == [("yes", 5)]


def test_code_stays_searchable_and_may_hold_percent_signs():
    body = body_of("```\n%% no comment\n```\n`100%%` and `50%%` and 7%%\n")
    assert "no comment" in body.text
    assert "100%%" in body.text


def test_block_ids_know_their_lines():
    assert body_of("text ^a1\n\n- item ^b-2\n2^10 x^y z\n").blocks == (("a1", 1), ("b-2", 3))


def test_sections_know_their_trail_and_lines():
    sections = sections_of(read_body("\nintro\n# A\na\n\n## B\nb\n# C\nTwo\n---\nlast", 5), 5)
    assert [(s.heading, s.trail, s.line, s.end_line) for s in sections] == [
        ("", (), 6, 6),
        ("A", ("A",), 7, 9),
        ("B", ("A", "B"), 10, 11),
        ("C", ("C",), 12, 12),
        ("Two", ("C", "Two"), 13, 15),
    ]
    assert sections[1].text == "a\n\n"


@given(st.text(alphabet="a#`~%[]|()^ \n=-!.md"))
def test_any_body_keeps_its_length_and_its_lines(text):
    body = read_body(text, 1)
    assert len(body.text) == len(body.quiet) == len(text)
    assert [i for i, c in enumerate(body.quiet) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]
    sections = sections_of(body, 1)
    for section in sections:
        if section.heading:
            # A comment in a heading is blank.
            said, quiet = (lines.split("\n")[section.line - 1] for lines in (text, body.quiet))
            assert section.heading in said or section.heading in quiet


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("今日は #料理 と #買い物、明日は休み。 #旅行/京都。", ("料理", "買い物", "旅行/京都")),
        ("这是 #读书笔记，关于历史（ #书）。", ("读书笔记", "书")),
    ],
)
def test_a_tag_ends_at_the_punctuation_of_chinese_and_japanese(text, tags):
    assert body_of(text).tags == tags
