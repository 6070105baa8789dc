from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.model import Note, Unit
from memoryclaw.vault.notes import (
    CUT_CHARS,
    SECTION_CHARS,
    SECTION_WORDS,
    ReadingSettings,
    parts,
    read_note,
)


def note_of(text: str, path: str = "notes/a.md") -> Note:
    return read_note(path, text.encode(), ReadingSettings())


def shape(units: tuple[Unit, ...]) -> list[tuple[str, str, int, int]]:
    return [(unit.id, unit.kind, unit.line, unit.end_line) for unit in units]


def words(count: int) -> str:
    return " ".join(f"w{number}" for number in range(count))


def test_a_short_note_is_one_unit_that_begins_on_its_first_line():
    note = note_of(
        "---\ntitle: T\naliases: [Other]\nsummary: S\ntags: x\nmood: glad\npeople: [Ana]\n---\n\n# A\none\n## B\ntwo\n"
    )
    assert shape(note.units) == [("notes/a", "note", 10, 13)]
    unit = note.units[0]
    assert (unit.title, unit.tags, unit.properties, unit.text) == (
        "T · Other · S", "x", "Ana, mood: glad", "A\none\nB\ntwo\n",
    )  # fmt: skip


def test_a_long_note_is_one_unit_a_section():
    note = note_of(f"before\n# A\n{words(150)}\n## Empty\n### B\n{words(100)}\n# A\nagain\n")
    assert shape(note.units) == [
        ("notes/a", "note", 1, 1),
        ("notes/a#A", "note", 2, 3),
        ("notes/a#B", "note", 5, 6),
        ("notes/a#A~2", "note", 7, 8),
    ]
    assert note.units[2].title == "a › A › Empty › B"


def test_a_long_section_is_cut_at_paragraphs_and_keeps_its_lines():
    note = note_of("# A\n" + "\n\n".join(words(200) for _ in range(7)) + "\n# B\n")
    assert [(unit.id, unit.line) for unit in note.units] == [
        ("notes/a#A", 1), ("notes/a#A~2", 6), ("notes/a#A~3", 12), ("notes/a#B", 15),
    ]  # fmt: skip
    assert all(len(unit.text.split()) <= SECTION_WORDS for unit in note.units)


def test_a_line_of_a_megabyte_is_cut_at_spaces():
    parsed = note_of(words(150_000)[:1_000_000])
    assert {unit.text[-1] for unit in parsed.units[:-1]} == {" "}
    assert max(len(unit.text) for unit in parsed.units[:-1]) <= CUT_CHARS
    assert {(unit.line, unit.end_line) for unit in parsed.units} == {(1, 1)}
    assert parsed.problems == ()


@given(st.text(alphabet=st.sampled_from("ab  \n"), max_size=300).map(lambda text: text * 60))
def test_parts_add_up_to_the_text(text):
    pieces = list(parts(text))
    assert "".join(pieces) == text
    assert all(len(part) <= SECTION_CHARS and len(part.split()) <= SECTION_WORDS for part in pieces)


def test_beyond_a_megabyte_only_the_words_are_kept_and_a_problem_says_so():
    note = note_of("# A\n" + "plain words here\n" * 70_000 + "the needle\n" + "plain words here\n" * 1000)
    rest = note.units[-1]
    assert rest.id == "notes/a#~rest"
    assert rest.text.split() == ["plain", "words", "here", "the", "needle"]
    assert "larger than 1 MiB" in note.problems[0].message
    assert note.problems[0].line == rest.line + 1


def test_the_last_word_of_a_huge_note_is_still_a_word_to_find():
    note = note_of(words(500_000))
    assert note.units[-1].text.endswith("w499999")


def test_a_fact_without_a_field_name_is_titled_by_its_entity():
    assert note_of("# Contacts\n- John: j@x\n", "semantic/contacts.md").units[0].title == "John"


def test_the_headings_above_a_fact_are_searched_with_it():
    note = note_of("# Museum\n- rooms: 1\n", "semantic/work.md")
    assert [unit.properties for unit in note.units] == ["work"]
    note = read_note("semantic/work.md", b"# Clients\n- Museum: 1\n", ReadingSettings(frozenset({"clients"})))
    assert [unit.properties for unit in note.units] == ["work, Clients"]


def test_facts_in_the_header_are_not_once_more_properties():
    note = note_of("---\nmood: glad\nprojectX: {deadline: 2025}\n---\nprose\n", "semantic/a.md")
    assert [(unit.kind, unit.properties) for unit in note.units] == [("note", "glad"), ("fact", "a")]


def test_an_empty_note_is_found_by_its_name():
    assert [(unit.id, unit.title, unit.text) for unit in note_of("", "notes/Ideas.md").units] == [
        ("notes/Ideas", "Ideas", "")
    ]
