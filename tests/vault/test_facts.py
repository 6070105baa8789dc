from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.vault.facts import Facts, FactSpot, fact_id, facts_in, split_address
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS

PROJECTS = "semantic/projects.md"


def facts_of(text: str, path: str = PROJECTS) -> Facts:
    return facts_in(path, text, DEFAULT_COLLECTIONS)


def rows_of(text: str, path: str = PROJECTS) -> list[tuple[str, str, str, int]]:
    return [(f.entity, f.field, f.value, f.line) for f in facts_of(text, path).facts]


FORMS = {
    "the seed's contacts: a key with one value": (
        "# Contacts\n- John: john@example.com\n- Sarah: sarah@work.com\n",
        [("John", "value", "john@example.com", 2), ("Sarah", "value", "sarah@work.com", 3)],
    ),
    "the seed's projects: YAML below a bullet": (
        "# Projects\n- projectX:\n    deadline: 2025-04-10\n    stakeholders: [John, Sarah]\n- site:\n    deadline: 2025-06-01\n",
        [
            ("projectX", "deadline", "2025-04-10", 3),
            ("projectX", "stakeholders", "John, Sarah", 4),
            ("site", "deadline", "2025-06-01", 6),
        ],
    ),
    "an entity heading with bullets": (
        "# projectX\n- deadline: 2025-04-17\n* **lead**: [[Ann]]\n+ team:: A, B\n",
        [
            ("projectX", "deadline", "2025-04-17", 2),
            ("projectX", "lead", "[[Ann]]", 3),
            ("projectX", "team", "A, B", 4),
        ],
    ),
    "an entity heading below a collection": (
        "# Projects\n## projectX\n- deadline: 1\n## projectY\n- deadline: 2\n",
        [("projectX", "deadline", "1", 3), ("projectY", "deadline", "2", 5)],
    ),
    "nested bullets": (
        "# People\n- Ann\n  - email: a@x\n  - phones:\n    - 12\n    - 34\n  - home:\n    - city: Bonn\n",
        [
            ("Ann", "email", "a@x", 3),
            ("Ann", "phones", "12", 5),
            ("Ann", "phones", "34", 6),
            ("Ann", "home city", "Bonn", 8),
        ],
    ),
    "YAML without bullets": (
        "# Projects\nprojectX:\n  deadline: 1\n  tags:\n  - a\n  - b\n",
        [("projectX", "deadline", "1", 3), ("projectX", "tags", "a", 5), ("projectX", "tags", "b", 6)],
    ),
    "an inline map": (
        "# Projects\n- projectX: {deadline: 2025-04-10, lead: Ann} [since:: 2025-01-01]\n",
        [("projectX", "deadline", "2025-04-10", 2), ("projectX", "lead", "Ann", 2)],
    ),
    "a table: the first column is the entity": (
        "# Team\n\n| Name | Role | Note |\n|:--|---|--:|\n| Ann \\| B | dev | |\n| Bob | ops | late |\n| | ghost | |\n",
        [("Ann | B", "Role", "dev", 5), ("Bob", "Role", "ops", 6), ("Bob", "Note", "late", 6)],
    ),
    "a table of fields and values below an entity": (
        "# projectX\n| field | value |\n|---|---|\n| deadline | 2025 |\n",
        [("projectX", "deadline", "2025", 4)],
    ),
    "maps in the header": (
        "---\ntags: [x]\nprojectX: {deadline: 1}\npeople:\n  Ann: a@x\n  Bob:\n    email: b@x\n    langs: [de, en]\n---\n",
        [
            ("projectX", "deadline", "1", 3),
            ("Ann", "value", "a@x", 5),
            ("Bob", "email", "b@x", 7),
            ("Bob", "langs", "de, en", 8),
        ],
    ),
    "keys before any heading belong to the file's own collection": (
        "- projectX: done\n",
        [("projectX", "value", "done", 1)],
    ),
    "a value that goes on": ("# A\n- bio: long\n  and longer\n", [("A", "bio", "long and longer", 2)]),
    "quotes, block ids and links in keys": (
        '# A\n- "odd key": "v"\n- [[Ann]]: x ^id1\n',
        [("A", "odd key", "v", 2), ("A", "Ann", "x", 3)],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_facts_is_read(form):
    text, expected = FORMS[form]
    assert rows_of(text) == expected


PROSE = [
    "# A\nJust prose: with a colon\nand a second line\n",
    "# A\n- meet at 12:30\n- https://x.org\n- [ ] task: no\n- He arrived late! So: no\n",
    "# A\n```\n- deadline: no\n```\n%%\n- deadline: no\n%%\n",
    "# A\n> - deadline: no\n",
    "# A\n- a very long sentence that just happens to have a colon: here\n",
    "| a | b |\n",
    "| a | b |\n|---|---|\n| lonely | |\n",
    "# A\n- empty:\n- dated: [since:: 2025-01-01]\n",
]


@pytest.mark.parametrize("text", PROSE)
def test_prose_stays_prose(text):
    read = facts_of(text, "semantic/a-file.md")
    assert not read.facts
    assert not read.lines


def test_names_with_dots_are_quoted_in_ids_and_come_apart_again():
    assert fact_id("n", "Dr. No", "v.1") == 'n#"Dr. No"."v.1"'
    assert split_address('"Dr. No"."v.1"') == ("Dr. No", "v.1")
    assert split_address("Dr. No.phone") == ("Dr. No", "phone")
    assert split_address("Dr. No") is None


def test_the_header_id_begins_the_ids_of_its_facts():
    assert facts_of("---\nid: mine\n---\n# A\n- b: c\n").facts[0].id == "mine#A.b"


def test_history_below_an_entity_holds_its_old_values():
    read = facts_of(
        "# A\n- b: new\n\n## History\n- b: old [until:: 2025]\n### 2024\n- b: older\n\n# B\n- b: x\n"
    )
    assert [(f.entity, f.value, f.current) for f in read.facts] == [
        ("A", "new", True), ("A", "old", False), ("A", "older", False), ("B", "x", True),
    ]  # fmt: skip
    assert "History" not in {spot.entity for spot in read.spots}


def test_lists_and_tables_share_one_history_at_the_end():
    text = (
        "# Projects\n- Dr. A:\n    phone: 1\n- x: new\n# History\n- Dr. A.phone: 0\n- x: old\n- Dr. A:\n    fax: 9\n"
        '- "b.c".phone: 8\n## x\n- lead: Z\n'
    )
    read = facts_of(text)
    assert [(f.entity, f.field, f.value) for f in read.facts if not f.current] == [
        ("Dr. A", "phone", "0"), ("x", "value", "old"), ("Dr. A", "fax", "9"), ("b.c", "phone", "8"), ("x", "lead", "Z"),
    ]  # fmt: skip
    assert read.history == (5, 12)


def test_a_current_value_has_the_plain_id_even_below_its_history():
    read = facts_of("# History\n- A.b: old\n# A\n- b: new\n")
    assert {f.value: f.id for f in read.facts} == {
        "new": "semantic/projects#A.b",
        "old": "semantic/projects#A.b~2",
    }


def test_both_sides_of_a_merge_conflict_are_read():
    text = "# A\n- b: 0\n<<<<<<< HEAD\n- c: 1\n=======\n- c: 2\n>>>>>>> x\n"
    assert rows_of(text) == [("A", "b", "0", 2), ("A", "c", "1", 4), ("A", "c", "2", 6)]


SPOTS = [
    ("# A\n- b: c\n- d: e\n\nprose\n", FactSpot("A", "heading", 1, 3, "- ")),
    ("# A\n\n* b: c\n## History\n* b: x\n", FactSpot("A", "heading", 1, 3, "* ", 0, 4, 5)),
    ("# Projects\n- A:\n    b: c\n    d: e\n", FactSpot("A", "bullet", 2, 4, "    ")),
    ("# Projects\n- A:\n  - b: c\n", FactSpot("A", "bullet", 2, 3, "  - ")),
    ("# Projects\n- A: b\n", FactSpot("A", "bullet", 2, 2, "")),
    ("# Projects\n| n | b |\n|-|-|\n| A | c |\n", FactSpot("A", "table", 4, 4, "", 2)),
    ("---\nA:\n  b: c\n  d: e\n---\n", FactSpot("A", "frontmatter", 2, 4, "  ")),
    ("# A\n", FactSpot("A", "heading", 1, 1, "- ")),
]


@pytest.mark.parametrize(("text", "spot"), SPOTS)
def test_a_writer_learns_where_an_entity_stands(text, spot):
    assert facts_of(text).spots == (spot,)


LINES = st.sampled_from(
    ["# A", "# Projects", "## History", "# History", "- k: v", "- k:", "  - n: m", "    y: z", "- plain", "prose", "", "| a | b |",
     "|-|-|", "| c | d |", "- k: {a: b}", "k: v", "<<<<<<< x", "```", "- A.b: c [since:: 1]"]
)  # fmt: skip


@given(st.lists(LINES, max_size=14))
def test_facts_of_any_file_have_their_own_ids_and_stand_on_their_lines(lines):
    read = facts_of("\n".join(lines))
    assert len({fact.id for fact in read.facts}) == len(read.facts)
    assert {fact.line for fact in read.facts} <= read.lines
    assert all(1 <= line <= len(lines) for line in read.lines)
    assert all(1 <= spot.line <= spot.end_line <= len(lines) for spot in read.spots)
    lower = facts_of("\n".join(["", *lines]))
    assert [fact._replace(line=fact.line - 1) for fact in lower.facts] == [*read.facts]
    assert {line - 1 for line in lower.lines} == read.lines


def matched(work: Callable[[], object]) -> int:
    """How often some work asks a pattern."""
    count = 0

    def see(_frame: object, event: str, called: object) -> None:
        nonlocal count
        count += event == "c_call" and isinstance(getattr(called, "__self__", None), re.Pattern)

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def test_a_file_with_one_line_more_is_read_as_far_as_that_line_is_new():
    day = "[said:: 2026-03-09] [source:: [[talk#^l3]]]"
    text = "# Ada\n- city: Bern\n" + "".join(f'- "we met {n} times" {day}\n' for n in range(200))
    assert matched(lambda: facts_of(text)) > 200
    longer = f'{text}- "never again" {day}\n'
    assert matched(lambda: facts_of(longer)) < 50
    assert [fact.value for fact in facts_of(longer).facts][-2:] == ["we met 199 times", "never again"]
