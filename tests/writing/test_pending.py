from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.consolidation.actions import AddPending
from memoryclaw.vault.fact_values import plain_key, plain_value
from memoryclaw.writing.pending import add_pending, read_pending, remove_pending, waiting_id

VAULT = Path(__file__).parents[2] / "vault" / "semantic" / "_pending.md"
ANNA = AddPending(
    entity="Anna",
    field="phone",
    value="040 123456",
    confidence="medium",
    source="2026-03-10_17-48-20_kitchen-wall#^l3",
    why="the assistant said it",
    since="2026-03-01",
    known="040 999999",
)


def test_the_hand_written_file_of_the_sample_vault_is_read():
    first, second = read_pending(VAULT.read_text(encoding="utf-8"))
    assert (first.entity, first.field, first.value) == ("Łukasz Wrona", "birthday", "1987-03-02")
    assert (first.confidence, first.source, first.box) == (
        "low",
        "2025-11-28_19-00-00_jurgens-sixtieth",
        " ",
    )
    assert (first.line, first.end_line, second.line) == (5, 6, 7)
    assert second.value == "RAL 6005, moss green"
    assert second.why.startswith("Søren wants the club's green")


def test_a_fact_added_to_no_file_makes_one_with_a_heading():
    text = add_pending("", ANNA)
    assert text.startswith("# Waiting for a yes or a no\n")
    assert text.endswith(
        "- [ ] Anna.phone: 040 123456 [confidence:: medium] [since:: 2026-03-01]"
        " [source:: [[2026-03-10_17-48-20_kitchen-wall#^l3]]]\n"
        "  - known: 040 999999\n"
        "  - why: the assistant said it\n"
    )
    (waiting,) = read_pending(text)
    assert (waiting.source, waiting.since, waiting.known, waiting.why) == (
        "2026-03-10_17-48-20_kitchen-wall#^l3",
        "2026-03-01",
        "040 999999",
        "the assistant said it",
    )


def test_the_same_fact_waits_once_whatever_its_case_and_spaces():
    text = add_pending("", ANNA)
    assert add_pending(text, replace(ANNA, entity="ANNA", value="040  123456")) == text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n\nWords of mine.\n", "\n- not a fact\n"])
def test_adding_and_removing_leaves_every_other_byte(end, last):
    text = (VAULT.read_text(encoding="utf-8").rstrip("\n") + last).replace("\n", end)
    added = add_pending(text, ANNA)
    assert added != text
    assert ("\n" in added.replace("\r\n", "")) is (end == "\n")
    assert remove_pending(added, waiting_id("Anna", "phone", "040 123456")) == text


def test_removing_takes_exactly_the_lines_of_one_fact():
    text = VAULT.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    assert remove_pending(text, read_pending(text)[0].id) == "".join(lines[:4] + lines[6:])
    assert remove_pending(text, "p-00000000") == text


@pytest.mark.parametrize(
    ("line", "box"),
    [
        ("- [ ] Anna.phone: 12", " "), ("- [x] Anna.phone: 12", "x"), ("* [X] Anna.phone: 12", "x"),
        ("- [-] Anna.phone: 12", "-"), ("- [ ] ~~Anna.phone: 12~~", "-"),
        ("- ~~Anna.phone: 12 [confidence:: low]~~", "-"), ("- Anna.phone: 12", " "),
        ("- [/] Anna.phone: 12 ^block", " "), ('- [ ] "Anna".phone: 12', " "),
    ],
)  # fmt: skip
def test_what_a_person_did_to_a_line_is_read(line, box):
    (waiting,) = read_pending(f"Some words.\n\n{line}\n")
    assert (waiting.entity, waiting.field, waiting.value, waiting.box) == ("Anna", "phone", "12", box)
    assert waiting.line == 3


def test_names_with_dots_and_colons_are_quoted():
    text = add_pending("", replace(ANNA, entity="Dr. No: the film", field="home.phone"))
    assert '- [ ] "Dr. No: the film"."home.phone": 040' in text
    (waiting,) = read_pending(text)
    assert (waiting.entity, waiting.field) == ("Dr. No: the film", "home.phone")


def test_a_box_before_a_name_alone_is_its_one_value():
    (waiting,) = read_pending("- [ ] John: john@example.com\n- a list: no fact\n")
    assert (waiting.entity, waiting.field, waiting.value) == ("John", "value", "john@example.com")


def test_code_and_prose_hold_no_facts():
    assert not read_pending("~~~\n- [ ] Anna.phone: 12\n~~~\nAnna.phone: 12\n- [ ] Anna.phone:\n")


HOSTILE = st.text(
    st.one_of(st.sampled_from("[]:^#`%~|\"'.- \n\tsince"), st.characters(exclude_categories=["Cs"])),
    min_size=1,
    max_size=40,
)


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_any_words_that_are_written_read_back(entity, field, value, why):
    entity, field, value = plain_key(entity), plain_key(field), plain_value(value)
    if not (entity and field and value):
        return
    start = VAULT.read_text(encoding="utf-8")
    text = add_pending(start, AddPending(entity, field, value, "low", "ep#^l1", why))
    waiting = read_pending(text)
    assert len(waiting) == 3
    assert (waiting[-1].entity, waiting[-1].field, waiting[-1].value) == (entity, field, value)
    assert waiting[-1].source == "ep#^l1"
    assert remove_pending(text, waiting[-1].id) == start
