from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_labels import OWNERS, STAY

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.text.encoding import lines_of
from memoryclaw.vault.audience import label_in
from memoryclaw.vault.edits import SemanticFile, correct_fact, remove_fact, set_fact
from memoryclaw.vault.seen import visible_bytes
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS
from memoryclaw.writing.edit import put_back, removal_of

FILE = SemanticFile("semantic/notes.md", DEFAULT_COLLECTIONS)

HEADINGS = """# projectX
- deadline: 2025-04-10 [since:: 2025-03-01]
- stakeholders: [[John]], [[Sarah]]

Prose about it.

## Plans
- [ ] a task

# Other
text
"""
LISTS = """# Contacts
- John: john@example.com ^block
- Sarah: sarah@example.com

# Projects
- projectX:
    deadline: 2025-04-10
    stakeholders: [John, Sarah]
- projectY:
  - deadline: 2025-05-10
"""
TABLE = """# People

| name | email | phone |
|------|-------|:-----:|
| Zoë  | z@x   |       |
| Tom  | t@x   | 12    |
"""
HEADER = "---\nid: n1\nprojectX:\n  deadline: 2025-04-10 # hard\n  lead: Anna\n---\nbody\n"


def changed(text, result):
    """The lines that went and those that came."""
    old, new = lines_of(text), lines_of(result)
    return [line for line in old if line not in new], [line for line in new if line not in old]


def test_a_heading_entity_gets_history_at_the_end_of_its_own_section():
    done = set_fact(
        HEADINGS,
        FILE,
        entity="projectx",
        field="deadline",
        value="2025-04-17",
        since="2025-04-09",
        source="log:[[1]]",
    )
    assert (done.action, done.old) == ("superseded", "2025-04-10")
    assert done.text == HEADINGS.replace(
        "- deadline: 2025-04-10 [since:: 2025-03-01]\n",
        "- deadline: 2025-04-17 [since:: 2025-04-09] [source:: [[log:1]]]\n",
    ).replace(
        "- [ ] a task\n",
        "- [ ] a task\n\n## History\n- deadline: 2025-04-10 [since:: 2025-03-01] [until:: 2025-04-09]\n",
    )
    again = set_fact(
        done.text, FILE, entity="projectX", field="deadline", value="2025-05-01", since="2025-04-20"
    )
    assert again.text.count("## History") == 1
    assert again.text.index("2025-04-10 [since") < again.text.index("2025-04-17 [since")


@pytest.mark.parametrize(
    ("text", "entity", "field", "value", "gone", "come"),
    [
        (
            LISTS,
            "John",
            "value",
            "j@x",
            "- John: john@example.com ^block\n",
            "- John: j@x [since:: D] ^block\n",
        ),
        (
            LISTS,
            "projectX",
            "deadline",
            "2026",
            "    deadline: 2025-04-10\n",
            "    deadline: 2026 [since:: D]\n",
        ),
        (
            LISTS,
            "projecty",
            "Deadline",
            "2026",
            "  - deadline: 2025-05-10\n",
            "  - deadline: 2026 [since:: D]\n",
        ),
        (TABLE, "Zoë", "email", "q@x", "| Zoë  | z@x   |       |\n", "| Zoë  | q@x   |       |\n"),
        (
            TABLE,
            "Tom",
            "email",
            "a|very@long.example",
            "| Tom  | t@x   | 12    |\n",
            "| Tom  | a\\|very@long.example | 12    |\n",
        ),
        (
            HEADER,
            "projectX",
            "deadline",
            "a: b",
            "  deadline: 2025-04-10 # hard\n",
            '  deadline: "a: b" # hard\n',
        ),
    ],
)
def test_a_value_is_superseded_in_the_style_it_stands_in(*, text, entity, field, value, gone, come):
    for end in ("\n", "\r\n"):
        source = text.replace("\n", end)
        done = set_fact(source, FILE, entity=entity, field=field, value=value, since="D")
        went, came = changed(source, done.text)
        assert went == [gone.replace("\n", end)]
        assert came[0] == come.replace("\n", end)
        assert came[-2] == f"# History{end}"
        assert came[-1].startswith(f"- {entity}"[:8])
        assert came[-1].endswith(f"[until:: D]{end}")


def test_lists_and_tables_share_one_history():
    text = LISTS
    for entity, field, value in (
        ("projectX", "deadline", "a"),
        ("John", "value", "b"),
        ("projectX", "deadline", "c"),
    ):
        text = set_fact(text, FILE, entity=entity, field=field, value=value, since="D").text
    assert text.partition("# History\n")[2] == (
        "- projectX.deadline: 2025-04-10 [until:: D]\n- John: john@example.com [until:: D]\n"
        "- projectX.deadline: a [since:: D] [until:: D]\n"
    )


@pytest.mark.parametrize(
    ("text", "entity", "field", "come"),
    [
        (HEADINGS, "projectX", "lead", "- lead: Anna\n"),
        (HEADINGS, "Other", "lead", "- lead: Anna\n"),
        (LISTS, "projectX", "lead", "    lead: Anna\n"),
        (LISTS, "projectY", "lead", "  - lead: Anna\n"),
        (LISTS, "John", "lead", "  - lead: Anna\n"),
        (TABLE, "Zoë", "phone", "| Zoë  | z@x   | Anna  |\n"),
        (TABLE, "Zoë", "lead", "- lead: Anna\n"),
        (HEADER, "projectX", "boss", "  boss: Anna\n"),
        (HEADER, "new", "lead", "- lead: Anna\n"),
        ("", "new", "lead", "- lead: Anna\n"),
    ],
)
def test_a_new_field_is_one_line_in_the_style_of_its_entity(text, entity, field, come):
    done = set_fact(text, FILE, entity=entity, field=field, value="Anna")
    assert done.action == "added"
    went, came = changed(text, done.text)
    assert come in came
    assert len(went) == (1 if come.startswith("|") else 0)
    assert set_fact(done.text, FILE, entity=entity, field=field, value="Anna").action == "confirmed"


def test_a_file_without_a_last_newline_keeps_none():
    assert set_fact("# A\n- b: c", FILE, entity="A", field="d", value="e").text == "# A\n- b: c\n- d: e"
    assert (
        set_fact("# A\r\n- b: c", FILE, entity="A", field="b", value="e").text
        == "# A\r\n- b: e\r\n\r\n## History\r\n- b: c"
    )


def test_several_values_stand_side_by_side_where_the_schema_says_so():
    done = set_fact(HEADINGS, FILE, entity="projectX", field="stakeholders", value="[[Zoë]]", many=True)
    assert "- stakeholders: [[John]], [[Sarah]]\n- stakeholders: [[Zoë]]\n" in done.text
    assert (
        set_fact(HEADINGS, FILE, entity="projectX", field="stakeholders", value="[[Sarah]]", many=True).action
        == "confirmed"
    )


def test_a_correction_leaves_no_history_and_keeps_the_inline_fields():
    done = correct_fact(HEADINGS, FILE, "semantic/notes#projectX.deadline", "2025-04-11")
    assert done.text == HEADINGS.replace("2025-04-10", "2025-04-11")
    with pytest.raises(NotFoundError):
        correct_fact(HEADINGS, FILE, "semantic/notes#projectX.nothing", "x")
    with pytest.raises(InputError):
        correct_fact(HEADINGS, FILE, "semantic/notes#projectX.deadline", " ")


@pytest.mark.parametrize("entity", ["History", "Projects", "notes", "", "a\n# b"])
def test_an_entity_that_would_read_as_something_else_is_refused(entity):
    for text in (HEADINGS, ""):
        try:
            done = set_fact(text, FILE, entity=entity, field="field", value="value")
        except InputError:
            continue
        facts = [f for f in FILE.facts(done.text).facts if f.field == "field"]
        assert [(f.entity, f.value, f.current) for f in facts] == [(" ".join(entity.split()), "value", True)]


ANY = [(text, fact.id) for text in (HEADINGS, LISTS, TABLE, HEADER) for fact in FILE.facts(text).facts]


@pytest.mark.parametrize(("text", "id_"), ANY)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_removed_fact_can_be_put_back_byte_for_byte(text, id_, end):
    source = text.replace("\n", end)
    without = remove_fact(source, FILE, id_)
    assert id_ not in {fact.id for fact in FILE.facts(without).facts}
    assert len(FILE.facts(without).facts) == len(FILE.facts(source).facts) - 1
    assert put_back(without, removal_of(source, without, id_, FILE.path)) == source


LINES = st.lists(
    st.sampled_from(
        [
            "# A",
            "# B",
            "## A",
            "# Projects",
            "## History",
            "# History",
            "- x: 1",
            "- y: 2 [since:: 2025-01-01]",
            "- A: 3",
            "    x: 4",
            "  - y: 5",
            "prose",
            "",
            "| n | x |",
            "|---|---|",
            "| A | 6 |",
            "- A:",
            "* z: 7",
            "```",
            "- A.x: 8 [until:: 2025]",
        ]
    ),
    max_size=12,
)
VALUES = st.text(st.sampled_from("ab1 :-[]{}\"'|#*_~`\\é"), max_size=10)


@given(
    lines=LINES,
    entity=st.sampled_from(["A", "B", "C", "a.b"]),
    field=st.sampled_from(["x", "y", "value", "q.r"]),
    value=VALUES,
    end=st.sampled_from(["\n", "\r\n"]),
    many=st.booleans(),
)
def test_a_fact_is_written_exactly_or_refused_and_no_other_line_changes(
    *, lines, entity, field, value, end, many
):
    text = end.join(lines)
    before = FILE.facts(text).facts
    try:
        done = set_fact(text, FILE, entity=entity, field=field, value=value, since="2026-01-01", many=many)
    except InputError:
        return
    after = FILE.facts(done.text).facts
    assert any(f.current and f.entity.casefold() == entity.casefold() and f.field == field for f in after)
    kept = [
        f for f in before if (f.entity, f.field, f.value) not in {(g.entity, g.field, g.value) for g in after}
    ]
    assert kept == []  # nothing that was known is gone: the old value is in History
    went, _ = changed(text, done.text)
    assert len([line for line in went if line.rstrip("\r\n") + end not in lines_of(done.text)]) <= 1


LABELLED = {
    "bullet": "# Nora\n- rent: 900 {}\n",
    "collection": "# People\n- Nora:\n  - rent: 900 {}\n",
    "before the id": "# Nora\n- rent: 900 {} ^a1\n",
    "before the value": "# Nora\n- rent: {} 900\n",
    "table": "# People\n\n| who | rent |\n|---|---|\n| Nora | 900 {} |\n",
    "spans": "# Nora\n- rent: <private>900</private>\n",
}


@pytest.mark.parametrize("style", LABELLED)
def test_a_new_value_is_for_nobody_whom_the_old_one_did_not_let_in(style: str) -> None:
    file, tried = SemanticFile("semantic/people.md", DEFAULT_COLLECTIONS), 0
    for mark in (*OWNERS, *STAY, "[audience:: family]", "[audience:: public]", "(audience:: owner)"):
        text = LABELLED[style].format(mark)
        fact = next((fact for fact in file.facts(text).facts if "900" in fact.value), None)
        if fact is None:
            continue  # a mark that makes the line prose
        tried += 1
        said = {"since": "2026-03-01"}
        for after in (
            set_fact(text, file, entity="Nora", field=fact.field, value="950", **said).text,
            correct_fact(text, file, fact.id, "950").text,
        ):
            (fresh,) = [fact for fact in file.facts(after).facts if "950" in fact.value and fact.current]
            assert fresh.value == "950", mark
            for audience in ("agent", "family", "public"):
                before, now = (
                    visible_bytes(file.path, data.encode(), audience, {}) or b"" for data in (text, after)
                )
                assert b"900" in before or b"950" not in now, (mark, audience, after)
            assert label_in(text).export or not label_in(after).export, mark
    assert tried > 30


def test_a_label_in_a_value_is_that_of_its_line_and_no_part_of_the_value() -> None:
    for verb in ("add", "set", "correct"):
        text = "# Nora\n" + ("" if verb == "add" else "- rent: 900\n")
        labelled = "950 [PRIVATE] [NOEXPORT]"
        if verb == "correct":
            after = correct_fact(text, FILE, FILE.facts(text).facts[0].id, labelled).text
        else:
            after = set_fact(text, FILE, entity="Nora", field="rent", value=labelled).text
        (fact,) = [fact for fact in FILE.facts(after).facts if fact.current]
        assert (fact.value, fact.audience, label_in(after)) == ("950", "owner", ("owner", False)), after
