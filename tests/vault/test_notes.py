from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoryclaw.model import Note, Unit
from memoryclaw.text.language import words_of
from memoryclaw.vault.notes import MAX_PROBLEMS, ReadingSettings, read_note

SETTINGS = ReadingSettings()


def note_of(text: str, path: str = "notes/a.md") -> Note:
    return read_note(path, text.encode(), SETTINGS)


def searched(note: Note) -> str:
    return " ".join(f"{u.title} {u.tags} {u.properties} {u.text} {u.value}" for u in note.units)


TITLES = [
    ("---\ntitle: T\nsummary: S\n---\n# H\n", "episodes/e.md", "T"),
    ("---\nsummary: S\n---\n# H\n", "episodes/e.md", "S"),
    ("---\nsummary: S\n---\n## no\n# H\n", "notes/e.md", "e"),
    ("text", "notes/My idea.md", "My idea"),
    ("---\nname: n\ndescription: d\n---\n# H\n", "skills/x/SKILL.md", "n"),
    ("# H\n", "skills/x/SKILL.md", "x"),
    ("# Ann\n- a: b\n", "semantic/people.md", "people"),
    ("# Steps {#steps}\n", "notes/e.md", "Steps"),
    ('# <a name="x"></a>The **red** [[Boat|boat]]\n', "notes/e.md", "The red boat"),
    ("# ![logo](logo.png)\n", "notes/e.md", "e"),
]


@pytest.mark.parametrize(("text", "path", "title"), TITLES)
def test_a_title_is_the_first_that_there_is(text, path, title):
    assert note_of(text, path).title == title


TIMES = [
    ("timestamp: 2025-04-08T14:32:10+02:00", "2025-04-08T12:32:10Z"),
    ("date: 2025-04-08", "2025-04-08"),
    ("created: 2025-04-08 10:00", "2025-04-08T10:00:00Z"),
    ("date: soon", "2025-01-02T03:04:05Z"),
    ("x: y", "2025-01-02T03:04:05Z"),
]


@pytest.mark.parametrize(("line", "when"), TIMES)
def test_a_note_knows_its_time_from_header_or_name(line, when):
    note = note_of(f"---\nid: x\n{line}\n---\n", "episodes/2025-01-02_03-04-05_x.md")
    assert note.when == when
    assert [p.line for p in note.problems] == ([3] if "soon" in line else [])


def test_a_daily_note_has_its_day_from_its_name():
    assert note_of("x", "daily/2025-04-08.md").when == "2025-04-08"
    assert note_of("x", "daily/2025-04-0812.md").when == ""


def test_trust_and_pin_are_read_and_unknown_trust_is_a_problem():
    assert note_of("---\ntrust: Untrusted\npin: true\n---\n").trust == "untrusted"
    assert note_of("---\npin: yes\n---\n").pinned
    note = note_of("---\na: b\ntrust: maybe\n---\n")
    assert (note.trust, note.problems[0].line) == ("unknown", 3)


def test_an_id_that_would_break_addresses_is_refused():
    note = note_of("---\nid: a#b\n---\n")
    assert (note.id, note.problems[0].line) == ("notes/a", 2)
    assert note_of("---\nid: 007\n---\n").id == "007"


def test_one_name_in_two_unicode_forms_is_one_id():
    assert note_of("", "notes/Zoe\u0308.md").id == note_of("", "notes/Zo\u00eb.md").id


def test_other_header_values_are_searched_but_settings_and_numbers_are_not():
    note = note_of(
        "---\nmood: glad\nversion: 1.10\nimportance: 5\nconfidence: high\nsource: logs/a.jsonl#1\nplace: {city: Bonn}\n---\n"
    )
    assert note.units[0].properties == "glad, Bonn"


PLACES = [
    ("archive/episodes/a.md", "episode", "archived"),
    ("archive/semantic/a.md", "note", "archived"),
    ("semantic/_pending.md", "note", "pending"),
    ("skills/_drafts/x/SKILL.md", "skill", "draft"),
    ("review/a.md", "note", "pending"),
]


@pytest.mark.parametrize(("path", "kind", "state"), PLACES)
def test_the_place_gives_a_note_its_state(path, kind, state):
    note = note_of("# A\n- b: c\n", path)
    assert (note.kind, note.state, note.facts) == (kind, state, ())
    assert {unit.state for unit in note.units} == {state}


def test_block_ids_are_kept():
    assert note_of("---\na: b\n---\ntext ^x1\n").blocks == (("x1", 4),)


ODD = {
    "bad YAML: a colon": (b"---\ntitle: needle: b\n---\nBody\n", "broken"),
    "bad YAML: a tab": (b"---\na:\n\tneedle: b\n---\nBody\n", "broken"),
    "bad YAML: an open quote": (b"---\na: 'needle\n---\nBody\n", "broken"),
    "a list for a header": (b"---\n- needle\n---\nBody\n", "not a list of keys"),
    "an alias": (b"---\na: &x needle\nb: *x\n---\nBody\n", "anchor"),
    "an unclosed header": (b"---\na: b\nneedle Body\n", "never closed"),
    "a duplicate key": (b"---\nmood: needle\nmood: two\n---\nBody\n", "on line 2"),
    "a header of 70 KiB": (b"---\na: needle " + b"x" * 70_000 + b"\n---\nBody\n", "64 KiB"),
    "NUL": (b"needle\0\nBody\n", "NUL"),
    "NUL in the header": (b"---\na: needle\0\n---\nBody\n", "NUL"),
    "Latin-1": ("needle Bücher Body\n".encode("latin-1"), "Latin-1"),
    "UTF-16": ("needle Body".encode("utf-16"), ""),
    "UTF-16 without a mark": ("needle Body".encode("utf-16-le"), "byte order mark"),
    "a byte order mark": (b"\xef\xbb\xbf---\na: needle\n---\nBody\n", ""),
    "CRLF": (b"---\r\na: needle\r\n---\r\nBody\r\n", ""),
    "CR": (b"---\ra: needle\r---\rBody\r", ""),
    "a rule above prose": (b"---\n\nneedle Body\n", ""),
    "a merge conflict": (b"<<<<<<< HEAD\nneedle\n=======\nBody\n>>>>>>> x\n", "merge conflict"),
    "a lone surrogate": (b"needle \xed\xa0\x80 Body", "not UTF-8"),
    "a line of 400 kB": (b"x " * 100_000 + b"needle Body " + b"y " * 100_000, ""),
    "over 1 MiB": (b"x\n" * 530_000 + b"needle Body\n", "1 MiB"),
    "unclosed code and comment": (b"```\nneedle %% Body\n", ""),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    "path", ["notes/a.md", "episodes/a.md", "semantic/a.md", "skills/x/SKILL.md", "logs/d/a.md"]
)
def test_an_odd_file_is_reported_and_found_by_its_words(odd, path):
    data, problem = ODD[odd]
    note = read_note(path, data, SETTINGS)
    said = [p for p in note.problems if "this skill has no" not in p.message]
    assert [p for p in said if problem in p.message] if problem else not said
    assert all(p.path == path and p.line >= 1 for p in note.problems)
    if not path.startswith("logs/"):
        assert {"needle", "body"} <= set(words_of(searched(note)))


def test_a_markdown_log_with_a_broken_header_is_found_by_all_of_its_words():
    turns = note_of("---\na: needle: b\n---\n### user\nhi\n", "logs/d/a.md").turns
    assert [(turn.role, turn.line) for turn in turns] == [("", 1), ("user", 4)]
    assert "needle" in turns[0].text


def test_the_line_of_a_problem_is_the_line_in_the_file():
    assert note_of("---\na: 1\nb: 2\na: 3\n---\n").problems[0].line == 4
    assert note_of("---\na: 1\nb: [x\nc: y\n---\n").problems[0].line in (3, 4)
    assert note_of("a\nb\n<<<<<<< x\n").problems[0].line == 3


def test_a_flood_of_problems_is_counted_not_listed():
    problems = note_of("---\n" + "a: b\n" * 1000 + "---\n").problems
    assert len(problems) == MAX_PROBLEMS + 1
    assert problems[-1].message == "949 more problems from here on"


PATHS = st.sampled_from(
    ["a.md", "semantic/projects.md", "episodes/2025-13-41_99-00-00_x.md", "skills/x/SKILL.md", "skills/x.json", "skills/x.js",
     "logs/d/s.jsonl", "logs/d/s.md", "archive/skills/a.json", "skills/SKILL.md", "", "/", "\udcff.md", "review/x.md", "x/y.bin"]
)  # fmt: skip
PIECES = st.sampled_from(
    [b"---\n", b"...\n", b"a: b\n", b"tags: [x, #y]\n", b"id: 1\n", b"- k: v\n", b"    n: m\n", b"# H\n", b"## History\n", b"| a | b |\n|-|-|\n",
     b"```\n", b"%%", b"`", b"[[a|b]]", b"{", b"}", b"[", b"]", b"&a ", b"*a", b"<<: ", b"!x ", b"\r", b"\0", b"\xff\xfe", b"\xef\xbb\xbf",
     b"\xed\xa0\x80", b"\xe4", b'{"content": "\\ud83d"}\n', b"<<<<<<< H\n", b"=======\n", b"[since:: ", b"trust: x\n", b"#t/", b" ^id\n"]
)  # fmt: skip


@given(PATHS | st.text(), st.binary() | st.lists(PIECES | st.binary(max_size=4), max_size=20).map(b"".join))
@example("semantic/a.md", b"- a|b\n|-|\n")
@example("\0", b"")
def test_reading_never_raises_and_whatever_it_finds_can_be_stored(path, data):
    note = read_note(path, data, SETTINGS)
    assert note.path == path
    assert len({unit.id for unit in note.units}) == len(note.units)
    for unit in note.units:
        assert 1 <= unit.line <= unit.end_line
        assert_storable(unit)
    (note.id + note.title + "".join(note.tags)).encode()


def assert_storable(unit: Unit) -> None:
    text = (
        unit.id
        + unit.title
        + unit.tags
        + unit.properties
        + unit.text
        + unit.entity
        + unit.field
        + unit.value
        + unit.when
    )
    assert "\0" not in text
    text.encode()


KEYS = "".join(f"key{n}: value {n}\n" for n in range(120_000))


@pytest.mark.parametrize("end", ["---\n", "...\n"])
def test_a_header_above_the_limit_is_refused_where_it_begins_and_the_note_below_it_is_read(end: str) -> None:
    header = f"---\n{KEYS}last: zebra\n{end}"
    text = f"{header}# Plan\nMasts down. See [[Moon]].\n"
    assert len(header) > 2 * 1024 * 1024
    note = read_note("episodes/2025-09-04_plan.md", text.encode(), ReadingSettings())
    [problem] = note.problems
    assert (problem.path, problem.line) == ("episodes/2025-09-04_plan.md", 2)
    assert "larger than 64 KiB" in problem.message
    assert problem.hint
    plan, far = note.units
    assert (plan.line, plan.title, plan.properties) == (120_004, "Plan", "")
    assert (far.line, far.properties) == (1, "")
    assert {"key119999", "zebra"} <= set(far.text.split())
    assert [(link.target, link.line) for link in note.links] == [("Moon", 120_005)]


def test_a_large_header_is_held_once_however_many_sections_there_are() -> None:
    body = "".join(f"# Part {n}\n{'word ' * 40}\n" for n in range(200))
    text = f"---\na: *alias\n{KEYS[:50_000]}zebra: last\n---\n{body}"
    units = read_note("notes/a.md", text.encode(), ReadingSettings()).units
    assert len(units) == 201
    assert sum("zebra" in f"{unit.text} {unit.properties}" for unit in units) == 1
    assert sum(len(unit.text) + len(unit.properties) for unit in units) < 2 * len(text)


def test_prose_between_two_rules_is_no_header_however_long() -> None:
    text = f"---\n\nOnce upon a time.\n{'word ' * 300_000}\n\n---\nThe end.\n"
    note = read_note("notes/a.md", text.encode(), ReadingSettings())
    assert "Once upon a time." in "".join(unit.text for unit in note.units)


def test_the_lines_of_the_links_of_a_header_are_told() -> None:
    text = '---\na: "[[One]] and [x](two.md)"\nb: x\nc: "[[#only]] [[Three]]"\n---\n[[Four]]\n'
    links = read_note("notes/a.md", text.encode(), ReadingSettings()).links
    assert [(link.target, link.line) for link in links] == [
        ("One", 2),
        ("two.md", 2),
        ("Three", 4),
        ("Four", 6),
    ]
