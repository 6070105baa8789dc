"""Patches of facts, statements and their sources: any of them changes what it names and no other byte; the examples show in which style."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_labels import OWNERS, STAY

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.text.encoding import lines_of
from memoryclaw.text.markdown import read_body
from memoryclaw.text.memory_lines import source_field, sources_in
from memoryclaw.vault.audience import label_in
from memoryclaw.vault.edits import (
    FactEdit,
    SemanticFile,
    add_source,
    add_statement,
    correct_fact,
    fact_sources,
    quotable,
    remove_fact,
    set_fact,
)
from memoryclaw.vault.export_gate import visible_bytes
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS
from memoryclaw.writing.edit import put_back, removal_of

FILE = SemanticFile("semantic/notes.md", DEFAULT_COLLECTIONS)

HEADINGS = """# projectX
- deadline: 2025-04-10 [since:: 2025-03-01] [source:: [[a#^l3]]] ^block
- stakeholders: [[John]], [[Sarah]]
- client: a long name
  that goes on
- budget: 12 (source:: a call)

Prose about it.

## Plans
- [ ] a task

# Other
text
"""
LISTS = """# Contacts
- John: john@example.com ^block
- Sarah: sarah@example.com [source:: talk]

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
BARN = "5 september, holroyd barn near otley"
TAM = f"""# Tam
- email: tam@example.com
- "{BARN}" [said:: 2026-02-11] [source:: [[2026-02-11_barn#^l3]]]
- "no idea yet"

Prose about him.

## History
- "12 september" [said:: 2026-01-02] [until:: 2026-02-11]
"""
SAID = """# People
- Tam: tam@example.com
  - "likes it loud" [said:: 2026-01-05]
- Ann
  - "call me Ann"
- Bob: "back in May" [said:: 2026-03-01]

| name | phone |
|------|-------|
| Zoë  | 12    |
"""
FILES = (HEADINGS, LISTS, TABLE, HEADER, TAM, SAID)


def facts(text):
    return FILE.facts(text).facts


def fact(text, words):
    """The first fact of a field, an entity or a value."""
    return next(row for row in facts(text) if words in (row.field, row.entity, row.value))


def set_to(entity, field, value, **more):
    return partial(set_fact, file=FILE, entity=entity, field=field, value=value, **more)


def say(entity, words, **more):
    return partial(add_statement, file=FILE, entity=entity, words=words, **more)


def on(verb, words, *more):
    """A verb on the fact that is found by some words."""
    return lambda text: verb(text, FILE, fact(text, words).id, *more)


def history(*lines, level="#"):
    return f"\n{level} History\n" + "".join(f"- {line}\n" for line in lines)


END = ""  # what comes at the end of the file

EXAMPLES = [
    # A value that is superseded stands in the style of the old one, which goes to the history of its entity or of the file.
    ("superseded", HEADINGS, set_to("projectx", "deadline", "2025-04-17", since="2025-04-09", source="log:[[1]]"), {
        "2025-04-10 [since:: 2025-03-01] [source:: [[a#^l3]]]": "2025-04-17 [since:: 2025-04-09] [source:: [[log:1]]]",
        "- [ ] a task\n": "- [ ] a task\n" + history("deadline: 2025-04-10 [since:: 2025-03-01] [source:: [[a#^l3]]] [until:: 2025-04-09]", level="##")}),
    ("superseded", LISTS, set_to("John", "value", "j@x", since="D"), {
        "john@example.com": "j@x [since:: D]", END: history("John: john@example.com [until:: D]")}),
    ("superseded", LISTS, set_to("projectX", "deadline", "2026", since="D"), {
        "    deadline: 2025-04-10": "    deadline: 2026 [since:: D]", END: history("projectX.deadline: 2025-04-10 [until:: D]")}),
    ("superseded", LISTS, set_to("projecty", "Deadline", "2026", since="D"), {
        "2025-05-10": "2026 [since:: D]", END: history("projectY.deadline: 2025-05-10 [until:: D]")}),
    ("superseded", TABLE, set_to("Zoë", "email", "q@x", since="D"), {"z@x": "q@x", END: history("Zoë.email: z@x [until:: D]")}),
    ("superseded", TABLE, set_to("Tom", "email", "a|very@long.example", since="D"), {
        "t@x  ": "a\\|very@long.example", END: history("Tom.email: t@x [until:: D]")}),
    ("superseded", HEADER, set_to("projectX", "deadline", "a: b", since="D"), {
        "2025-04-10 #": '"a: b" #', END: history("projectX.deadline: 2025-04-10 [until:: D]")}),
    # A new field is one line in the style of its entity.
    ("added", HEADINGS, set_to("projectX", "lead", "Anna"), {"(source:: a call)\n": "(source:: a call)\n- lead: Anna\n"}),
    ("added", HEADINGS, set_to("projectX", "stakeholders", "[[Zoë]]", many=True), {"(source:: a call)\n": "(source:: a call)\n- stakeholders: [[Zoë]]\n"}),
    ("added", HEADINGS, set_to("Other", "lead", "Anna"), {"# Other\n": "# Other\n- lead: Anna\n\n"}),
    ("added", LISTS, set_to("projectX", "lead", "Anna"), {"[John, Sarah]\n": "[John, Sarah]\n    lead: Anna\n"}),
    ("added", LISTS, set_to("projectY", "lead", "Anna"), {"2025-05-10\n": "2025-05-10\n  - lead: Anna\n"}),
    ("added", LISTS, set_to("John", "lead", "Anna"), {"^block\n": "^block\n  - lead: Anna\n"}),
    ("added", TABLE, set_to("Zoë", "phone", "Anna"), {"|       |": "| Anna  |"}),
    ("added", TABLE, set_to("Zoë", "lead", "Anna"), {END: "\n# Zoë\n- lead: Anna\n"}),
    ("added", HEADER, set_to("projectX", "boss", "Anna"), {"lead: Anna\n": "lead: Anna\n  boss: Anna\n"}),
    ("added", HEADER, set_to("new", "lead", "Anna"), {END: "\n# new\n- lead: Anna\n"}),
    ("added", "# A\n- b: c", set_to("A", "d", "e"), {END: "\n- d: e"}),
    ("added", TAM, set_to("Tam", "phone", "12"), {"example.com\n": "example.com\n- phone: 12\n"}),
    ("added", SAID, set_to("Ann", "phone", "12"), {"- Ann\n": "- Ann\n  - phone: 12\n"}),
    # Statements stand below the facts, the latest first, a first one in the style of its entity.
    ("added", TAM, say("tam", "the 19th it is", said="2026-03-01", source="ep#^l4"), {
        f'- "{BARN}': f'- "the 19th it is" [said:: 2026-03-01] [source:: [[ep#^l4]]]\n- "{BARN}'}),
    ("added", TAM, say("Tam", "in spring", said="2026-01-20"), {'- "no idea': '- "in spring" [said:: 2026-01-20]\n- "no idea'}),
    ("added", "# Tam\nProse.\n", say("Tam", "w"), {"# Tam\n": '# Tam\n- "w"\n\n'}),
    ("added", "Tam\n===\n* email: t\n", say("Tam", "w"), {END: '* "w"\n'}),
    ("added", SAID, say("tam", "w"), {'  - "likes': '  - "w"\n  - "likes'}),
    ("added", SAID, say("Zoë", "w"), {END: '\n# Zoë\n- "w"\n'}),
    ("added", SAID, say("Bob", "in June", said="2026-04-01"), {"- Bob:": '- Bob: "in June" [said:: 2026-04-01]\n- Bob:'}),
    ("added", "---\nprojectX:\n  lead: Anna\n---\nbody\n", say("projectX", "w"), {END: '\n# projectX\n- "w"\n'}),
    ("added", "\ufeff# A\n- b: c", say("A", "w"), {END: '\n- "w"'}),
    ("confirmed", TAM, say("Tam", BARN.upper(), said="2026-04-01"), {}),
    ("confirmed", TAM, say("Tam", BARN, source="ep#^l9"), {"[[2026-02-11_barn#^l3]]": "[[2026-02-11_barn#^l3]], [[ep#^l9]]"}),
    # A correction takes the place of the words alone and leaves no history.
    ("corrected", HEADINGS, on(correct_fact, "deadline", "2025-04-11"), {"2025-04-10": "2025-04-11"}),
    ("corrected", TAM, on(correct_fact, BARN, 'holroyd "barn"'), {BARN: "holroyd 'barn'"}),
    ("confirmed", TAM, on(correct_fact, BARN, BARN), {}),
    ("corrected", SAID, on(correct_fact, "back in May", "w: x"), {"back in May": "w: x"}),
    # A source goes on the line of its fact, in the form that stands there; cells, headers and lines of several facts have no room for one.
    ("confirmed", HEADINGS, on(add_source, "deadline", "b#^l7"), {"[[a#^l3]]": "[[a#^l3]], [[b#^l7]]"}),
    ("confirmed", HEADINGS, on(add_source, "deadline", "a#^l3"), {}),
    ("confirmed", HEADINGS, on(add_source, "client", "b#^l7"), {"a long name": "a long name [source:: [[b#^l7]]]"}),
    ("confirmed", HEADINGS, on(add_source, "budget", "b#^l7"), {"a call)": "a call, [[b#^l7]])"}),
    ("confirmed", LISTS, on(add_source, "John", "b#^l7"), {" ^block": " [source:: [[b#^l7]]] ^block"}),
    ("confirmed", LISTS, on(add_source, "Sarah", "b#^l7"), {"talk]": "talk, [[b#^l7]]]"}),
    ("confirmed", TABLE, on(add_source, "phone", "b"), {}),
    ("confirmed", HEADER, on(add_source, "deadline", "b"), {}),
    ("confirmed", "# projectX\n- all: {deadline: 2025-04-10, lead: Anna}\n", on(add_source, "2025-04-10", "b"), {}),
    ("confirmed", '# Tam\n- "see [source:: [[x]]]" [said:: 2026-01-01] ^block\n', on(add_source, "Tam", "ep#^l3"), {
        " ^block": " [source:: [[ep#^l3]]] ^block"}),
]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_each_patch_stands_in_the_style_of_its_place_and_changes_nothing_twice(end: str) -> None:
    for action, text, patch, changes in EXAMPLES:
        source, wanted = text.replace("\n", end), text
        for old, new in changes.items():
            assert not old or wanted.count(old) == 1, old
            wanted = wanted.replace(old, new) if old else wanted + new
        done = patch(source)
        assert (done.action, done.text) == (action, wanted.replace("\n", end))
        if action == "added":
            assert patch(done.text) == FactEdit(done.text, "confirmed", patch(done.text).old)


def test_what_comes_to_one_history_stands_in_the_order_in_which_it_ended() -> None:
    text = LISTS
    for entity, field, value in (("projectX", "deadline", "a"), ("John", "value", "b"), ("projectX", "deadline", "c")):  # fmt: skip
        text = set_fact(text, FILE, entity=entity, field=field, value=value, since="D").text
    assert text.partition("# History\n")[2] == (
        "- projectX.deadline: 2025-04-10 [until:: D]\n- John: john@example.com [until:: D]\n"
        "- projectX.deadline: a [since:: D] [until:: D]\n"
    )
    text = SAID
    for entity in ("Tam", "Ann", "Bob"):
        ids = [
            row.id for row in facts(text) if row.entity == entity
        ]  # those of facts among them are not tied
        text = add_statement(text, FILE, entity=entity, words="no", said="2026-05-01", replaces=ids).text
    assert text.partition("# History\n")[2] == (
        '- Tam: "likes it loud" [said:: 2026-01-05] [until:: 2026-05-01]\n'
        '- Ann: "call me Ann" [said::] [until:: 2026-05-01]\n'
        '- Bob: "back in May" [said:: 2026-03-01] [until:: 2026-05-01]\n'
    )
    assert [(row.entity, row.value) for row in facts(text) if row.is_statement and row.current] == [
        ("Tam", "no"), ("Ann", "no"), ("Bob", "no")
    ]  # fmt: skip


def test_what_is_superseded_keeps_its_sources_as_links_that_obsidian_follows() -> None:
    text = add_source(HEADINGS, FILE, fact(HEADINGS, "deadline").id, "b#^l7").text
    assert [(link.target, link.anchor) for link in read_body(text, 1).links][:2] == [("a", "^l3"), ("b", "^l7")]  # fmt: skip
    text = set_fact(text, FILE, entity="projectX", field="deadline", value="2025-04-17", source="c#^l1").text
    now, past = (row for row in facts(text) if row.field == "deadline")
    assert (now.source, past.source) == ("c", "a, b")
    assert fact_sources(text, FILE, now.id) == ("c#^l1",)
    assert fact_sources(text, FILE, past.id) == ("a#^l3", "b#^l7")
    assert source_field("a#^l3", "b", "a#^l3") == " [source:: [[a#^l3]], [[b]]]"
    assert sources_in("- x: y" + source_field("a#^l3", "b")) == ("a#^l3", "b")
    assert sources_in("- x: y [source:: [[a|the talk]], a call]") == ("a", "a call")
    assert source_field("") == ""


def test_a_statement_that_is_tied_to_another_ends_it_where_it_stands() -> None:
    done = add_statement(TAM, FILE, entity="Tam", words="the 19th", said="2026-03-01", replaces=[fact(TAM, BARN).id, "semantic/people#no.one"])  # fmt: skip
    past = f'"{BARN}" [said:: 2026-02-11] [source:: [[2026-02-11_barn#^l3]]]'
    assert (done.action, done.old) == ("superseded", BARN)
    assert done.text == TAM.replace(f"- {past}", '- "the 19th" [said:: 2026-03-01]').replace(
        "[until:: 2026-02-11]\n", f"[until:: 2026-02-11]\n- {past} [until:: 2026-03-01]\n"
    )


@pytest.mark.parametrize(("text", "id_"), [(text, row.id) for text in FILES for row in facts(text)])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_removed_fact_can_be_put_back_byte_for_byte(text, id_, end):
    source = text.replace("\n", end)
    without = remove_fact(source, FILE, id_)
    assert [row._replace(line=0, end_line=0) for row in facts(without)] == [
        row._replace(line=0, end_line=0) for row in facts(source) if row.id != id_
    ]
    assert put_back(without, removal_of(source, without, id_, FILE.path)) == source
    with pytest.raises(NotFoundError, match="there is no fact"):
        remove_fact(without, FILE, id_)


LINES = st.lists(
    st.sampled_from(
        [
            "# A", "# B", "## A", "# People", "# Projects", "## History", "# History", "- x: 1", "- y: 2 [since:: 2025-01-01]", "- A: 3", "    x: 4",
            "  - y: 5", "prose", "", "| n | x |", "|---|---|", "| A | 6 |", "- A:", "- A", "* z: 7", "```", "- A.x: 8 [until:: 2025]", '- "w"',
            '  - "w" [said:: 2026-01-01]', '- "v" [said:: 2026-02-01] [source:: [[e]]] ^b', '- A: "u" [said:: 2025-01-01]', "- “t”",
            "  [until:: 2026]", '    - "s"', '- "x": 1', '- A.x: "r" [said::]',
        ]
    ),
    max_size=12,
)  # fmt: skip
WORDS = st.text(st.sampled_from("ab1 :-[]{}()\"'“”„|#*_~`\\%^é\n"), max_size=10)
ENTITIES = st.sampled_from(["A", "B", "C", "a.b"])


def row_of(row):
    return row.type, row.entity, row.field, row.value


@given(
    lines=LINES,
    entity=ENTITIES,
    field=st.sampled_from(["x", "y", "value", "q.r"]),
    words=WORDS,
    said=st.sampled_from(["", "2026-01-15", "2026-03-01"]),
    tied=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
)
def test_a_fact_or_a_statement_is_written_exactly_or_refused_and_no_other_line_changes(
    *, lines, entity, field, words, said, tied, end, last
):
    text = end.join(lines) + end * last
    before = facts(text)
    replaces = [row.id for row in before] if tied else []
    for patch, wanted, plain in (
        (set_to(entity, field, words, since="2026-01-01", many=tied), ("fact", entity.casefold(), field), "|-*:"),
        (say(entity, words, said=said, source="ep#^l1", replaces=replaces), ("statement", entity.casefold(), ""), '"“'),
    ):  # fmt: skip
        try:
            done = patch(text)
        except InputError:
            continue
        after = facts(done.text)
        standing = [row for row in after if row.current and (row.type, row.entity.casefold(), row.field) == wanted]  # fmt: skip
        if wanted[0] == "statement":
            assert quotable(words).casefold() in [row.value.casefold() for row in standing]
            if done.action != "confirmed" and quotable(words) not in [row.value for row in before]:
                assert [row.said for row in standing if row.value == quotable(words)] == [said]
            assert patch(done.text).text == done.text
        else:
            assert standing
            assert [row_of(row) for row in after if row.is_statement] == [row_of(row) for row in before if row.is_statement]  # fmt: skip
        # Nothing that was known is gone: what no longer stands is in the history.
        assert {row_of(row) for row in before} <= {row_of(row) for row in after}
        new = [line.rstrip("\r\n") for line in lines_of(done.text)]
        lost = [line for line in lines_of(text) if line.rstrip("\r\n") not in new]
        assert all(set(plain) & set(line) or "until" in line for line in lost)
        assert len(lost) <= 1 or wanted[0] == "statement"
        assert done.text.endswith(("\n", "\r")) == text.endswith(("\n", "\r")) or not text


@given(lines=LINES, words=WORDS, end=st.sampled_from(["\n", "\r\n"]), number=st.integers(0, 11))
def test_a_correction_a_source_and_a_removal_change_one_fact_or_are_refused(*, lines, words, end, number):
    text = end.join(lines)
    before = facts(text)
    if not before:
        return
    row = before[number % len(before)]
    key = row.type, row.entity, row.field
    for patch, come in (
        (lambda: correct_fact(text, FILE, row.id, words).text, [(*key, quotable(words))]),
        (lambda: add_source(text, FILE, row.id, f"b]] [until:: 2020-01-01]{end}- owner: me").text, [row_of(row)]),
        (lambda: remove_fact(text, FILE, row.id), []),
    ):  # fmt: skip
        try:
            done = patch()
        except InputError:
            continue
        now = Counter(map(row_of, facts(done)))
        left = Counter(map(row_of, before)) - Counter([row_of(row)])
        assert left <= now
        if row.is_statement:  # the value of a fact is written as its place asks
            assert now == left + Counter(come)
        assert sum(now.values()) == len(before) - (not come)
        gone = Counter(text.split(end)) - Counter(done.split(end))
        assert all(row.value in line or "until" in line for line in gone)


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
    for mark in (*OWNERS, *STAY, "[audience:: family]", "[audience:: public]", "(audience:: owner)")[:: 1 if "{}" in LABELLED[style] else 60]:  # fmt: skip
        text = LABELLED[style].format(mark)
        standing = next((row for row in file.facts(text).facts if "900" in row.value), None)
        if standing is None:
            continue  # a mark that makes the line prose
        tried += 1
        for after in (
            set_fact(text, file, entity="Nora", field=standing.field, value="950", since="2026-03-01").text,
            correct_fact(text, file, standing.id, "950").text,
        ):
            (fresh,) = [row for row in file.facts(after).facts if "950" in row.value and row.current]
            assert fresh.value == "950", mark
            for audience in ("agent", "family", "public"):
                before, now = (visible_bytes(file.path, data.encode(), audience, {}) or b"" for data in (text, after))  # fmt: skip
                assert b"900" in before or b"950" not in now, (mark, audience, after)
            assert label_in(text).export or not label_in(after).export, mark
    assert tried > (30 if "{}" in LABELLED[style] else 0)


def test_a_label_in_a_value_is_that_of_its_line_and_no_part_of_the_value() -> None:
    for text, patch in (
        ("# Nora\n", set_to("Nora", "rent", "950 [PRIVATE] [NOEXPORT]")),
        ("# Nora\n- rent: 900\n", set_to("Nora", "rent", "950 [PRIVATE] [NOEXPORT]")),
        ("# Nora\n- rent: 900\n", on(correct_fact, "rent", "950 [PRIVATE] [NOEXPORT]")),
    ):
        after = patch(text).text
        (row,) = [row for row in facts(after) if row.current]
        assert (row.value, row.audience, label_in(after)) == ("950", "owner", ("owner", False)), after


def test_a_statement_of_somebody_new_replaces_the_last_one_of_a_file() -> None:
    text = add_statement("", FILE, entity="user", words="Ivo leads it", said="2026-05-01").text
    ids = [fact.id for fact in FILE.facts(text).facts]
    done = add_statement(text, FILE, entity="Ivo", words="Ivo left", said="2026-06-01", replaces=ids)
    rows = {(fact.entity, fact.value, fact.current) for fact in FILE.facts(done.text).facts}
    assert rows == {("user", "Ivo leads it", False), ("Ivo", "Ivo left", True)}
