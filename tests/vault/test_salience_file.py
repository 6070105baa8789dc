"""What `salience.md` names: which part a line is of, and what of the file is not read."""

from __future__ import annotations

import pytest

from memoryclaw.vault.notes import MOST, ReadingSettings, read_note, read_topics

TWO = "# What matters to me\n- my daughter's school, allergies\n\n# What to ignore\n- weather\n* football results\n"


def test_the_two_headings_of_the_documented_file_part_it() -> None:
    topics = read_topics(TWO)
    assert topics.matters == ("my daughter's school", "allergies")
    assert topics.ignored == ("weather", "football results")
    assert not topics.problems


@pytest.mark.parametrize(
    "heading",
    ["What to ignore", "Ignore", "Not important", "What doesn't matter", "Never keep this", "Noise", "Was ich ignoriere", "Nicht wichtig", "Unwichtig",
     "Egal", "Ce qui n'est pas important", "À ignorer", "Sans importance", "Lo que no importa", "Ignorar"],
)  # fmt: skip
def test_a_heading_that_ignores_or_denies_begins_what_to_ignore(heading: str) -> None:
    for text in (
        f"# {heading}\n- tea\n",
        f"**{heading}**\n- tea\n",
        f"{heading}:\n\ntea\n",
        f"- {heading}: tea\n",
    ):
        assert read_topics(text).ignored == ("tea",), text
        assert not read_topics(text).matters


@pytest.mark.parametrize(
    "heading", ["What matters", "Was mir wichtig ist", "Wichtig", "Family", "Ce qui compte", "Lo que importa"]
)
def test_any_other_heading_begins_what_matters(heading: str) -> None:
    assert read_topics(f"# {heading}\n- tea\n").matters == ("tea",)


def test_a_heading_that_says_neither_or_both_is_of_the_part_above_it() -> None:
    text = "# Salience: what matters, and what to ignore\n- a\n## What to ignore\n### Sport\n- b\n## What matters\n### Work\n- c\n"
    topics = read_topics(text)
    assert (topics.matters, topics.ignored) == (("a", "c"), ("b",))


def test_a_label_before_a_colon_counts_for_its_line_and_alone_for_all_below() -> None:
    topics = read_topics("- ignore: rain, snow\n- tea\n\nIgnore:\n- fog\n\nWichtig:\n- Kaffee\n")
    assert (topics.matters, topics.ignored) == (("tea", "Kaffee"), ("rain", "snow", "fog"))


def test_headers_code_and_comments_are_no_topics() -> None:
    text = "---\ntags: [x]\n---\n%% ask Tom\nabout it %%\n# Ignore\n```\ncode\n```\n- [ ] tea\n"
    topics = read_topics(text)
    assert (topics.matters, topics.ignored) == ((), ("tea",))


def test_only_the_first_characters_are_read_and_the_rest_is_told_with_its_line() -> None:
    lines = ["# What matters", *(f"- topic number {n}" for n in range(400))]
    text = "\n".join(lines) + "\n"
    topics = read_topics(text)
    read = 1 + len(topics.matters)
    assert len("\n".join(lines[:read])) <= MOST < len("\n".join(lines[: read + 1])) + 1
    [problem] = read_note("salience.md", text.encode(), ReadingSettings()).problems
    assert (problem.path, problem.line) == ("salience.md", read + 1)
    assert "4,000" in problem.message
    assert not read_note("notes/salience.md", text.encode(), ReadingSettings()).problems
