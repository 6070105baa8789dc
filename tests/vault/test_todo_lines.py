"""Lines with boxes: read with the marks of Obsidian Tasks and Dataview, and patched on their own line."""

from __future__ import annotations

import pytest

from memoryclaw.errors import InputError
from memoryclaw.model import Unit
from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.todos import Todo, patch_line, read_todo, with_due, with_tick

TODAY = "2026-04-27"


def todos(text: str, path: str = "notes/a.md") -> list[Unit]:
    return [unit for unit in read_note(path, text.encode(), ReadingSettings()).units if unit.kind == "todo"]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("- [ ] ring Ana", Todo("open", "ring Ana")),
        ("  * [x] ring Ana", Todo("done", "ring Ana")),
        ("1. [X] ring Ana", Todo("done", "ring Ana")),
        ("> - [/] ring Ana", Todo("open", "ring Ana")),
        ("+ [-] ring Ana ^a-1", Todo("cancelled", "ring Ana", block="a-1")),
        (
            "- [ ] ring Ana 🔼 ➕ 2026-04-01 🛫 2026-04-10 ⏳ 2026-04-20 📅 2026-04-30 #calls ^b",
            Todo("open", "ring Ana #calls", "2026-04-30", "2026-04-20", "2026-04-10", block="b"),
        ),
        (
            "- [x] ring Ana 🔁 every week on Monday 📆️ 2026-04-30 ✅ 2026-04-29",
            Todo("done", "ring Ana", "2026-04-30", finished="2026-04-29", repeat="every week on Monday"),
        ),
        (
            "- [ ] ring Ana [due:: 2026-04-30] (scheduled:: 2026-04-20) [repeat:: every day] [mood:: good]",
            Todo("open", "ring Ana [mood:: good]", "2026-04-30", "2026-04-20", repeat="every day"),
        ),
        ("- [ ] ring Ana 🆔 abc ⛔ d1,d2 🏁 delete", Todo("open", "ring Ana")),
        ("- [ ] 买牛奶 📅2026-04-30", Todo("open", "买牛奶", "2026-04-30")),
        ("- [ ] the 📅 of the year, 📅 2026-02-31", Todo("open", "the 📅 of the year,")),
    ],
)  # fmt: skip
def test_a_line_says_what_is_to_be_done_and_when(line: str, wanted: Todo) -> None:
    assert read_todo(line) == wanted


@pytest.mark.parametrize(
    "line",
    [
        "- ring Ana", "[ ] ring Ana", "- [ ]", "- [ ] 📅 2026-04-30", "- [link](x.md)", "- [1] a footnote",
        "-[ ] x",
    ],
)  # fmt: skip
def test_anything_else_is_no_to_do(line: str) -> None:
    assert read_todo(line) is None


def test_each_line_with_a_box_is_a_unit_and_stands_nowhere_else() -> None:
    note = "---\nproject: Boat\n---\n# Plan\nprose\n\n## Roof\n- [ ] order slate 📅 2026-04-30\n- [x] call [[Ana]] ^k\n  - her note\n- [ ] order slate\n"
    first, second, third = todos(note)
    assert (first.id, first.text, first.field, first.days, first.line, first.title) == (
        "notes/a#todo-a1948810", "order slate", "open", "2026-04-30", 8, "Plan › Roof",
    )  # fmt: skip
    assert (second.id, second.field, second.properties) == ("notes/a#^k", "done", "Boat")
    assert third.id == f"{first.id}~2"
    prose = [
        unit
        for unit in read_note("notes/a.md", note.encode(), ReadingSettings()).units
        if unit.kind == "note"
    ]
    assert "slate" not in "".join(unit.text for unit in prose)
    assert "her note" in "".join(unit.text for unit in prose)


def test_a_note_of_nothing_but_boxes_is_still_found_as_a_note() -> None:
    units = read_note("notes/Shopping.md", b"- [ ] milk\r\n- [ ] bread", ReadingSettings()).units
    assert [(unit.id, unit.kind) for unit in units] == [
        ("notes/Shopping", "note"), ("notes/Shopping#todo-8825e765", "todo"), ("notes/Shopping#todo-" + units[2].id[-8:], "todo"),
    ]  # fmt: skip


def test_boxes_in_code_and_comments_are_no_to_dos() -> None:
    assert (
        todos("```\n- [ ] a\n```\n%%\n- [ ] b\n%%\n    - [ ] c\n- [ ] run `make x`\n")[-1].text
        == "run `make x`"
    )
    assert "a" not in {unit.text for unit in todos("```\n- [ ] a\n```\n%%\n- [ ] b\n%%\n")}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("- [ ] ring Ana", "- [x] ring Ana"),
        ("\t- [ ] ring Ana  ", "\t- [x] ring Ana  "),
        ("- [/] ring Ana 📅 2026-04-30 ^k", "- [x] ring Ana 📅 2026-04-30 ✅ 2026-04-27 ^k"),
        ("- [ ] ring Ana [due:: 2026-04-30]", "- [x] ring Ana [due:: 2026-04-30]"),
        ("- [x] ring Ana", "- [x] ring Ana"),
    ],
)
def test_ticking_changes_the_box_and_notes_the_day_where_the_line_has_days_by_emoji(
    line: str, wanted: str
) -> None:
    assert with_tick(line, done=True, today=TODAY) == wanted


def test_opening_a_to_do_again_takes_the_day_away() -> None:
    assert (
        with_tick("- [x] a 📅 2026-04-30 ✅ 2026-04-27 ^k", done=False, today=TODAY)
        == "- [ ] a 📅 2026-04-30 ^k"
    )


def test_what_comes_again_is_not_ticked() -> None:
    with pytest.raises(InputError, match="'water' comes again \\(every week\\); tick it in Obsidian"):
        with_tick("- [ ] water 🔁 every week 📅 2026-04-30", done=True, today=TODAY)


@pytest.mark.parametrize(
    ("line", "day", "wanted"),
    [
        ("- [ ] a 📅 2026-04-30 ^k", "2026-05-01", "- [ ] a 📅 2026-05-01 ^k"),
        ("- [ ] a [due:: 2026-04-30] b", "2026-05-01", "- [ ] a [due:: 2026-05-01] b"),
        (
            "- [ ] a [scheduled:: 2026-04-30]",
            "2026-05-01",
            "- [ ] a [scheduled:: 2026-04-30] [due:: 2026-05-01]",
        ),
        ("- [ ] a ^k", "2026-05-01", "- [ ] a 📅 2026-05-01 ^k"),
        ("- [ ] a 📅 2026-04-30 ^k", "", "- [ ] a ^k"),
    ],
)
def test_a_due_day_is_set_in_the_style_of_its_line(line: str, day: str, wanted: str) -> None:
    assert with_due(line, day) == wanted


def test_a_due_day_must_be_one() -> None:
    with pytest.raises(InputError, match="'soon' is not a day; write it as 2026-04-30"):
        with_due("- [ ] a", "soon")


def test_a_line_that_moved_is_found_again_and_one_that_is_gone_refused() -> None:
    def same(todo: Todo) -> bool:
        return todo.text == "a"

    assert "".join(patch_line("new\r\n- [ ] a\r\n", 1, str.upper, same)) == "new\r\n- [ ] A\r\n"
    for text in ("- [ ] b\n", "x\n- [ ] a\n- [ ] a\n"):
        with pytest.raises(InputError, match="not there any more"):
            patch_line(text, 1, str.upper, same)
