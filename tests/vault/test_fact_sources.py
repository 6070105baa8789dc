from __future__ import annotations

import pytest

from memoryclaw.errors import NotFoundError
from memoryclaw.text.markdown import read_body
from memoryclaw.text.memory_lines import source_field, sources_in
from memoryclaw.vault.edits import SemanticFile, add_source, fact_sources, set_fact
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS

FILE = SemanticFile("semantic/notes.md", DEFAULT_COLLECTIONS)
PLAIN = """# projectX
- deadline: 2025-04-10 [since:: 2025-03-01] [source:: [[a#^l3]]] ^block
- lead: Anna
- client: a long name
  that goes on
- budget: 12 (source:: a call)

# Contacts
- John: john@example.com [source:: talk]

| name | phone |
|------|-------|
| Tom  | 12    |
"""


def fact(text, field):
    return next(fact for fact in FILE.facts(text).facts if field in (fact.field, fact.entity))


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("deadline", "- deadline: 2025-04-10 [since:: 2025-03-01] [source:: [[a#^l3]], [[b#^l7]]] ^block"),
        ("lead", "- lead: Anna [source:: [[b#^l7]]]"),
        ("client", "- client: a long name [source:: [[b#^l7]]]"),
        ("budget", "- budget: 12 (source:: a call, [[b#^l7]])"),
        ("John", "- John: john@example.com [source:: talk, [[b#^l7]]]"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_fact_gets_one_more_source_on_its_own_line(field, line, end):
    text = PLAIN.replace("\n", end)
    done = add_source(text, FILE, fact(text, field).id, "b#^l7")
    assert done.action == "confirmed"
    assert [new for new in done.text.split(end) if new not in text.split(end)] == [line]
    assert len(done.text.split(end)) == len(text.split(end))
    before, after = FILE.facts(text).facts, FILE.facts(done.text).facts
    assert [f._replace(source="") for f in after] == [f._replace(source="") for f in before]
    assert fact_sources(done.text, FILE, fact(text, field).id)[-1] == "b#^l7"


def test_a_source_that_is_there_is_not_written_twice():
    id_ = fact(PLAIN, "deadline").id
    assert add_source(PLAIN, FILE, id_, "a#^l3").text == PLAIN
    once = add_source(PLAIN, FILE, id_, "b#^l7").text
    assert add_source(once, FILE, id_, "b#^l7").text == once
    assert add_source(once, FILE, id_, "a#^l4").text != once


def test_table_cells_and_headers_have_no_room_for_a_source():
    assert add_source(PLAIN, FILE, fact(PLAIN, "phone").id, "b").text == PLAIN
    header = "---\nprojectX:\n  deadline: 2025-04-10\n---\n"
    assert add_source(header, FILE, fact(header, "deadline").id, "b").text == header


def test_a_line_that_holds_several_facts_stays_as_it_is():
    text = "# projectX\n- all: {deadline: 2025-04-10, lead: Anna}\n"
    found = FILE.facts(text).facts
    assert len(found) == 2
    assert add_source(text, FILE, found[0].id, "b").text == text


def test_a_fact_that_is_not_there_is_an_error():
    with pytest.raises(NotFoundError, match="semantic/notes#projectX"):
        add_source(PLAIN, FILE, "semantic/notes#projectX.nothing", "b")


def test_a_hostile_source_cannot_write_a_second_field():
    done = add_source(PLAIN, FILE, fact(PLAIN, "lead").id, "b]] [until:: 2020-01-01]\n- owner: me")
    assert FILE.facts(done.text).facts[1]._replace(source="") == fact(PLAIN, "lead")
    assert len(done.text.split("\n")) == len(PLAIN.split("\n"))


def test_the_sources_of_a_fact_are_links_that_obsidian_follows():
    done = add_source(PLAIN, FILE, fact(PLAIN, "deadline").id, "b#^l7")
    links = [(link.target, link.anchor) for link in read_body(done.text, 1).links]
    assert links == [("a", "^l3"), ("b", "^l7")]
    assert fact(done.text, "deadline").source == "a, b"


def test_a_superseded_fact_keeps_its_sources_and_the_new_one_has_its_own():
    text = add_source(PLAIN, FILE, fact(PLAIN, "deadline").id, "b#^l7").text
    done = set_fact(
        text,
        FILE,
        entity="projectX",
        field="deadline",
        value="2025-04-17",
        since="2025-04-09",
        source="c#^l1",
    )
    now, past = (f for f in FILE.facts(done.text).facts if f.field == "deadline")
    assert (now.value, now.source, past.value, past.source) == ("2025-04-17", "c", "2025-04-10", "a, b")
    assert fact_sources(done.text, FILE, now.id) == ("c#^l1",)
    assert fact_sources(done.text, FILE, past.id) == ("a#^l3", "b#^l7")


def test_sources_are_read_and_written_in_one_form():
    assert source_field("a#^l3", "b", "a#^l3") == " [source:: [[a#^l3]], [[b]]]"
    assert sources_in("- x: y" + source_field("a#^l3", "b")) == ("a#^l3", "b")
    assert sources_in("- x: y [source:: [[a|the talk]], a call]") == ("a", "a call")
    assert source_field("") == ""
