"""Fields of a plain note: facts of the entity that it is about, text of any other note, and patches of one value."""

from __future__ import annotations

import pytest

from memoryclaw.errors import InputError
from memoryclaw.model import Note
from memoryclaw.vault.edits import SemanticFile, correct_fact, remove_fact, set_field
from memoryclaw.vault.notes import ReadingSettings, read_note


def note(text: str, path: str = "people/Ines Duarte.md") -> Note:
    return read_note(path, text.encode(), ReadingSettings())


def fields_of(parsed: Note) -> dict[str, str]:
    return {f"{fact.entity}.{fact.field}": fact.value for fact in parsed.facts}


CARD = """---
birthday: 1988-06-14  # on her card
address:
  city: Bern
  street: "Gasse 3"
likes:
- tea
- "rowing, mostly"
tags: [friend]
cssclasses: [wide]
created: 2020-01-01
---
# Ines Duarte

**Employer**:: Kjeldsen Ltd
- shoe size:: 38 ^size
Met at the club (team:: Blue [[Boat]]) in [met:: 2019].
`code:: not` and std::vector
- [ ] ring her [due:: 2026-04-30]
"""


def test_header_and_inline_fields_of_an_entitys_note_are_facts() -> None:
    parsed = note(CARD)
    assert parsed.entity == "Ines Duarte"
    assert fields_of(parsed) == {
        "Ines Duarte.birthday": "1988-06-14",
        "Ines Duarte.address city": "Bern",
        "Ines Duarte.address street": "Gasse 3",
        "Ines Duarte.likes": "tea, rowing, mostly",
        "Ines Duarte.Employer": "Kjeldsen Ltd",
        "Ines Duarte.shoe size": "38",
        "Ines Duarte.team": "Blue [[Boat]]",
        "Ines Duarte.met": "2019",
    }
    facts = {unit.field: unit for unit in parsed.units if unit.kind == "fact"}
    assert (facts["birthday"].id, facts["birthday"].line, facts["birthday"].days) == (
        "people/Ines Duarte#Ines Duarte.birthday", 2, "1988-06-14",
    )  # fmt: skip
    assert (facts["likes"].line, facts["likes"].end_line) == (6, 8)
    prose = "".join(unit.text for unit in parsed.units if unit.kind == "note")
    assert "Kjeldsen" in prose  # a property lends its words to its note
    assert "Met at the club" in prose


@pytest.mark.parametrize(
    ("path", "header", "entity"),
    [
        ("people/Ines Duarte.md", "", "Ines Duarte"),
        ("projectX.md", "", "projectX"),
        ("中村健.md", "", "中村健"),
        ("notes/x.md", "entity: Ines Duarte", "Ines Duarte"),
        ("notes/x.md", "title: Müller & Söhne", "Müller & Söhne"),
        ("Regatta 2026.md", "", "Regatta 2026"),
        ("notes/x.md", "entity: [Ana, Bo]", ""),
        ("daily/2026-04-20.md", "", ""),
        ("daily/2026-04-20 Monday.md", "", ""),
        ("notes/Meeting.md", "date: 2026-04-20", "Meeting"),
        ("notes/Log.md", "project: Boathouse", ""),
        ("notes/Call.md", "participants: [Ana]", ""),
        ("notes/What we should do about the roof.md", "", ""),
        ("notes/Why not?.md", "", ""),
        ("Templates/Person.md", "", ""),
        ("notes/Person.md", "born: '{{date}}'", ""),
        ("semantic/people.md", "", ""),
        ("episodes/2026-04-20_10-00-00_x.md", "", ""),
        ("skills/a/SKILL.md", "", ""),
        ("archive/Ines.md", "", ""),
        ("semantic/_pending.md", "", ""),
    ],
)
def test_a_note_is_about_the_entity_that_its_title_names(path: str, header: str, entity: str) -> None:
    parsed = note(f"---\nstatus: active\n{header}\n---\ntext\n", path)
    assert parsed.entity == entity
    assert bool(parsed.facts) == bool(entity)


@pytest.mark.parametrize("behind", ["(https://example.org)", "[1234]", ": https://example.org"])
def test_the_words_of_a_link_are_no_field(behind: str) -> None:
    assert fields_of(
        note(f"---\ntitle: Ines Duarte\n---\n[Vec::new is slow]{behind} and [team:: Blue]\n")
    ) == {"Ines Duarte.team": "Blue"}


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("- **Timezone:** Europe/Oslo", "Timezone", "Europe/Oslo"),
        ("**Timezone**: Europe/Oslo", "Timezone", "Europe/Oslo"),
        ("1. __Home port:__ Bergen ^port", "Home port", "Bergen"),
        ("Berth :: 12", "Berth", "12"),
    ],
)
def test_a_bold_key_is_a_field(line: str, field: str, value: str) -> None:
    text = f"# Boat\n\nShe floats.\n\n{line}\n"
    assert fields_of(note(text, "Boat.md")) == {f"Boat.{field}": value}
    file = SemanticFile("Boat.md", frozenset())
    id_ = file.facts(text).facts[0].id
    assert correct_fact(text, file, id_, "new").text == text.replace(value, "new")


@pytest.mark.parametrize("path", ["USER.md", "agents/ada/USER.md", "About me.md", "Über mich.md"])
def test_a_note_about_oneself_tells_of_the_owner(path: str) -> None:
    assert fields_of(note("# USER.md - About Your Human\n\n- **Timezone:** Europe/Oslo\n", path)) == {
        "user.Timezone": "Europe/Oslo"
    }


def test_the_head_of_a_skill_that_lies_anywhere_is_no_fact() -> None:
    assert not note("---\nname: mooring\ndescription: How to moor\n---\n# Mooring\n", "tools/SKILL.md").facts


def test_a_broken_header_is_found_by_its_raw_words() -> None:
    parsed = note("---\nbirthday: [1988\nshoe: 38\n---\ntext\n")
    assert "birthday: [1988" in parsed.units[0].properties
    assert (parsed.facts, bool(parsed.problems)) == ((), True)


def test_a_label_on_a_field_is_that_of_its_fact() -> None:
    parsed = note("---\nborn: 1988\n---\nshoe size:: 38 [audience:: family]\n\nteam:: Blue\n")
    assert [(fact.field, fact.audience) for fact in parsed.facts] == [
        ("born", ""),
        ("shoe size", "family"),
        ("team", ""),
    ]
    assert {fact.audience for fact in note("---\naudience: owner\nborn: 1988\n---\n").facts} == {"owner"}


def changed(text: str, field: str, value: str) -> str:
    file = SemanticFile("people/Ines Duarte.md", frozenset())
    id_ = next(fact.id for fact in file.facts(text).facts if fact.field == field)
    return correct_fact(text, file, id_, value).text


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("field", "value", "old", "new"),
    [
        ("birthday", "1988-06-15", "birthday: 1988-06-14  #", "birthday: 1988-06-15  #"),
        ("address city", "Basel: Mitte", "city: Bern", 'city: "Basel: Mitte"'),
        ("address street", "Weg 7", '"Gasse 3"', '"Weg 7"'),
        ("Employer", "Nordlys", "Kjeldsen Ltd", "Nordlys"),
        ("shoe size", "39", "38 ^size", "39 ^size"),
        ("team", "Red", "Blue [[Boat]]", "Red"),
        ("met", "2018", "[met:: 2019]", "[met:: 2018]"),
    ],
)
def test_correcting_a_field_changes_its_value_and_no_other_byte(
    newline: str, field: str, value: str, old: str, new: str
) -> None:
    text = CARD.replace("\n", newline)
    assert text.count(old) == 1
    assert changed(text, field, value) == text.replace(old, new)


def test_a_list_stays_a_list_and_keeps_the_lines_of_what_stays() -> None:
    assert changed(CARD, "likes", "tea, chess") == CARD.replace('- "rowing, mostly"\n', "- chess\n")


def test_a_value_in_a_map_on_one_line_is_patched_there() -> None:
    text = "---\nsize: {w: 12, h: 3} # metres\n---\n"
    assert changed(text, "size w", "14") == text.replace("12", "14")
    assert changed(text, "size w", "1, 2") == text.replace("12", '"1, 2"')


@pytest.mark.parametrize("value", ["2018] and [more:: 1", "2018 [since:: 2020-01-01]"])
def test_a_value_that_would_change_another_field_is_refused(value: str) -> None:
    with pytest.raises(InputError, match="met cannot be changed to that"):
        changed(CARD, "met", value)


def test_a_property_that_only_the_text_has_is_set_there() -> None:
    assert set_field(CARD, "people/Ines Duarte.md", "employer", "Fjord") == CARD.replace(
        "Kjeldsen Ltd", "Fjord"
    )
    assert "mood: good\n---\n" in set_field(CARD, "people/Ines Duarte.md", "mood", "good")


def test_taking_a_field_out_takes_its_lines() -> None:
    file = SemanticFile("people/Ines Duarte.md", frozenset())
    ids = {fact.field: fact.id for fact in file.facts(CARD).facts}
    assert remove_fact(CARD, file, ids["likes"]) == CARD.replace('likes:\n- tea\n- "rowing, mostly"\n', "")
    assert remove_fact(CARD, file, ids["Employer"]) == CARD.replace("**Employer**:: Kjeldsen Ltd\n", "")
    for field in ("team", "address city"):
        with pytest.raises(InputError, match="by hand"):
            remove_fact(CARD, file, ids[field])
