"""What a person said, as one quoted bullet: how it is read, and how it is added, tied, corrected and removed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.text.encoding import lines_of
from memoryclaw.vault.edits import (
    SemanticFile,
    add_source,
    add_statement,
    correct_fact,
    fact_sources,
    quotable,
    remove_fact,
    set_fact,
)
from memoryclaw.vault.facts import statement_id
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS

FILE = SemanticFile("semantic/people.md", DEFAULT_COLLECTIONS)
BARN = "5 september, holroyd barn near otley"

TAM = f"""# Tam
- email: tam@example.com
- "{BARN}" [said:: 2026-02-11] [source:: [[2026-02-11_barn#^l3]]]
- "no idea yet"

Prose about him.

## History
- "12 september" [said:: 2026-01-02] [until:: 2026-02-11]
"""
LIST = """# People
- Tam: tam@example.com
  - "likes it loud" [said:: 2026-01-05]
- Ann
  - "call me Ann"
- Bob: "back in May" [said:: 2026-03-01]

| name | phone |
|------|-------|
| Zoë  | 12    |
"""


def told(text: str, file: SemanticFile = FILE) -> list[tuple[str, ...]]:
    return [(f.type, f.entity, f.field, f.value, f.said, f.until) for f in file.facts(text).facts]


def statements(text: str, *, standing: bool | None = None) -> list[tuple[str, str]]:
    return [
        (f.entity, f.value)
        for f in FILE.facts(text).facts
        if f.is_statement and (standing is None or f.current is standing)
    ]


def id_of(text: str, words: str) -> str:
    return next(fact.id for fact in FILE.facts(text).facts if fact.value == words)


# Reading


def test_a_quoted_bullet_below_an_entity_is_a_statement():
    assert told(TAM) == [
        ("fact", "Tam", "email", "tam@example.com", "", ""),
        ("statement", "Tam", "", BARN, "2026-02-11", ""),
        ("statement", "Tam", "", "no idea yet", "", ""),
        ("statement", "Tam", "", "12 september", "2026-01-02", "2026-02-11"),
    ]
    assert [fact.current for fact in FILE.facts(TAM).facts] == [True, True, True, False]
    assert fact_sources(TAM, FILE, id_of(TAM, BARN)) == ("2026-02-11_barn#^l3",)


def test_a_statement_stands_below_the_bullet_of_its_entity_or_beside_its_name_where_it_is_dated():
    assert told(LIST) == [
        ("fact", "Zoë", "phone", "12", "", ""),
        ("fact", "Tam", "value", "tam@example.com", "", ""),
        ("statement", "Tam", "", "likes it loud", "2026-01-05", ""),
        ("statement", "Ann", "", "call me Ann", "", ""),
        ("statement", "Bob", "", "back in May", "2026-03-01", ""),
    ]


def test_above_any_entity_a_statement_has_none():
    text = '- "somebody ate it" [said:: 2026-03-01]\n\n# People\n- "nobody knows"\n- Tam: x\n'
    assert told(text) == [
        ("statement", "", "", "somebody ate it", "2026-03-01", ""),
        ("statement", "", "", "nobody knows", "", ""),
        ("fact", "Tam", "value", "x", "", ""),
    ]
    assert FILE.facts(text).facts[1].id == statement_id("semantic/people", "", "nobody knows")


@pytest.mark.parametrize(
    ("line", "words", "said"),
    [
        ('- "key: value"', "key: value", ""),
        ('- "a:: b, [c] (d) | e" [said:: 2026-01-01]', "a:: b, [c] (d) | e", "2026-01-01"),
        ('- "[since:: 2020-01-01] of course"', "[since:: 2020-01-01] of course", ""),
        ('* "starred" (said:: 2026-01-01)', "starred", "2026-01-01"),
        ('1. "numbered"', "numbered", ""),
        ("- “curly quotes” [said:: 2026-01-01]", "curly quotes", "2026-01-01"),
        ("- „deutsche Anführung“", "deutsche Anführung", ""),
        ("- „polski cudzysłów”", "polski cudzysłów", ""),
        ('- "marked" [said:: 2026-01-01] ^block', "marked", "2026-01-01"),
        ('- "with a mood" [mood:: glad]', "with a mood", ""),
        ('- "source below"\n  [said:: 2026-01-01]', "source below", "2026-01-01"),
    ],
)
def test_what_stands_inside_the_quotes_does_no_harm(line, words, said):
    [found] = FILE.facts(f"# Tam\n{line}\n").facts
    assert (found.type, found.entity, found.value, found.said) == ("statement", "Tam", words, said)
    assert (found.since, found.until, found.source) == ("", "", "")


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ('# Tam\n- "x": value\n', [("fact", "Tam", "x", "value", "", "")]),
        ('# Tam\n- motto: "never again"\n', [("fact", "Tam", "motto", "never again", "", "")]),
        (
            '# Tam\n- phones:\n  - "12"\n  - "34"\n',
            [("fact", "Tam", "phones", "12", "", ""), ("fact", "Tam", "phones", "34", "", "")],
        ),
        ('# People\n- "Tam"\n  - email: t@x\n', [("fact", "Tam", "email", "t@x", "", "")]),
        ('# People\nTam:\n  - "t@x"\n', [("fact", "Tam", "value", "t@x", "", "")]),
        ('# People\n- Tam: "t@x"\n', [("fact", "Tam", "value", "t@x", "", "")]),
        ('# Tam\n- "one" and "two"\n', []),
        ('# Tam\n- [ ] "to do"\n', []),
        ('# Tam\n- ""\n- " "\n', []),
        ('# Tam\n"no bullet"\n', []),
        ('# Tam\n- he said\n  - "below prose"\n  - more\n', []),
        ('# Tam\n- "quoted"\n  and more\n', []),
        ('# Tam\n```\n- "code"\n```\n', []),
    ],
)
def test_quotes_that_are_not_the_whole_item_mean_what_they_meant(text, facts):
    assert told(text) == facts


def test_the_id_of_a_statement_is_that_of_its_words_whatever_their_case():
    text = '# Tam\n- "So it is"\n- "SO IT IS"\n- "other"\n\n## History\n- "so it is"\n'
    ids = [fact.id for fact in FILE.facts(text).facts]
    base = statement_id("semantic/people", "Tam", "so it is")
    assert ids == [base, f"{base}~2", statement_id("semantic/people", "Tam", "other"), f"{base}~3"]
    assert base.startswith("semantic/people#Tam.said-")


# Adding


def test_a_statement_goes_above_those_that_stand_and_below_the_facts():
    done = add_statement(TAM, FILE, entity="tam", words="the 19th it is", said="2026-03-01", source="ep#^l4")
    assert done.action == "added"
    line = '- "the 19th it is" [said:: 2026-03-01] [source:: [[ep#^l4]]]\n'
    assert done.text == TAM.replace(f'- "{BARN}', f'{line}- "{BARN}')


def test_what_was_said_earlier_goes_below_what_was_said_later():
    text = add_statement(TAM, FILE, entity="Tam", words="in spring", said="2026-01-20").text
    assert [words for _, words in statements(text, standing=True)] == [BARN, "in spring", "no idea yet"]


@pytest.mark.parametrize(
    ("text", "entity", "line", "above"),
    [
        ("# Tam\n- email: t\n\nProse.\n", "Tam", '- "w"', "- email: t"),
        ("# Tam\nProse.\n", "Tam", '- "w"', "# Tam"),
        ("Tam\n===\n* email: t\n", "Tam", '* "w"', "* email: t"),
        ("# People\n- Tam: x\n- Ann: y\n", "tam", '  - "w"', "- Tam: x"),
        (LIST, "Tam", '  - "w"', "- Tam: tam@example.com"),
        ("# People\n- Tam:\n    tel: 1\n- Ann: 2\n", "Tam", '  - "w"', "    tel: 1"),
        (LIST, "Zoë", '- "w"', "# Zoë"),
        ("---\nprojectX:\n  lead: Anna\n---\nbody\n", "projectX", '- "w"', "# projectX"),
        (TAM, "Kim", '- "w"', "# Kim"),
        ("prose\n", "Kim", '- "w"', "# Kim"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_first_statement_is_one_line_in_the_style_of_its_entity(*, text, entity, line, above, end):
    source = text.replace("\n", end)
    done = add_statement(source, FILE, entity=entity, words="w")
    lines = done.text.split(end)
    assert lines[lines.index(line) - 1] == above
    assert [old for old in source.split(end) if old not in lines] == []
    again = add_statement(done.text, FILE, entity=entity, words="later", said="2026-01-01")
    assert [w for _, w in statements(again.text) if w in ("later", "w")] == ["later", "w"]
    assert again.text.count("# ") == done.text.count("# ")


def test_below_a_name_with_its_statement_on_one_line_the_next_is_written_like_it():
    done = add_statement(LIST, FILE, entity="Bob", words="in June", said="2026-04-01")
    assert done.text == LIST.replace("- Bob:", '- Bob: "in June" [said:: 2026-04-01]\n- Bob:')


def test_a_file_without_a_last_newline_keeps_none():
    assert add_statement("# A\n- b: c", FILE, entity="A", words="w").text == '# A\n- b: c\n- "w"'
    assert (
        add_statement("\ufeff# A\r\n- b: c", FILE, entity="A", words="w").text
        == '\ufeff# A\r\n- b: c\r\n- "w"'
    )


def test_words_that_stand_already_are_confirmed_and_get_one_more_source():
    once = add_statement(TAM, FILE, entity="Tam", words=BARN.upper(), said="2026-04-01")
    assert (once.action, once.text) == ("confirmed", TAM)
    more = add_statement(TAM, FILE, entity="Tam", words=BARN, source="ep#^l9")
    assert more.action == "confirmed"
    assert more.text == TAM.replace("[[2026-02-11_barn#^l3]]", "[[2026-02-11_barn#^l3]], [[ep#^l9]]")
    assert add_statement(more.text, FILE, entity="Tam", words=BARN, source="ep#^l9").text == more.text


def test_what_a_statement_is_tied_to_moves_to_history_with_its_sources():
    done = add_statement(
        TAM, FILE, entity="Tam", words="the 19th", said="2026-03-01", replaces=[id_of(TAM, BARN)]
    )
    assert (done.action, done.old) == ("superseded", BARN)
    past = f'"{BARN}" [said:: 2026-02-11] [source:: [[2026-02-11_barn#^l3]]]'
    assert done.text == TAM.replace(f"- {past}", '- "the 19th" [said:: 2026-03-01]').replace(
        "[until:: 2026-02-11]\n", f"[until:: 2026-02-11]\n- {past} [until:: 2026-03-01]\n"
    )
    assert statements(done.text, standing=True) == [("Tam", "the 19th"), ("Tam", "no idea yet")]


def test_lists_and_tables_share_one_history_of_what_was_said():
    text = LIST
    for entity in ("Tam", "Ann", "Bob"):
        ids = [fact.id for fact in FILE.facts(text).facts if fact.entity == entity]
        text = add_statement(text, FILE, entity=entity, words="no", said="2026-05-01", replaces=ids).text
    assert text.partition("# History\n")[2] == (
        '- Tam: "likes it loud" [said:: 2026-01-05] [until:: 2026-05-01]\n'
        '- Ann: "call me Ann" [said::] [until:: 2026-05-01]\n'
        '- Bob: "back in May" [said:: 2026-03-01] [until:: 2026-05-01]\n'
    )
    assert statements(text, standing=True) == [("Tam", "no"), ("Ann", "no"), ("Bob", "no")]


def test_a_statement_is_never_tied_to_a_fact():
    facts = [fact.id for fact in FILE.facts(LIST).facts if not fact.is_statement]
    done = add_statement(LIST, FILE, entity="Kim", words="hello", replaces=[*facts, "semantic/people#no.one"])
    assert done.action == "added"
    assert statements(done.text, standing=True) == [*statements(LIST), ("Kim", "hello")]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ('she said "no"', "she said 'no'"),
        ("one\n  line", "one line"),
        ("[[People]] `code` %%gone%% ~~struck~~ a:: b", "People code gone struck a: b"),
        ("#work is #1, a#b", "work is #1, a#b"),
        ("half \ud83d a character", "half a character"),
    ],
)
def test_words_are_written_so_that_markdown_leaves_them_alone(said, written):
    assert quotable(said) == written
    assert statements(add_statement("", FILE, entity="Tam", words=said).text) == [("Tam", written)]


@pytest.mark.parametrize(("entity", "words"), [("", "w"), ("Tam", " "), ("Tam", "[["), (" ", "")])
def test_a_statement_needs_an_entity_and_words(entity, words):
    with pytest.raises(InputError, match="entity and words"):
        add_statement(TAM, FILE, entity=entity, words=words)


@pytest.mark.parametrize("entity", ["History", "people", "a\n# Tam", "Tam:", "- Tam", "[[Tam]]"])
def test_an_entity_that_would_read_as_something_else_is_refused(entity):
    for text in (TAM, LIST, ""):
        try:
            done = add_statement(text, FILE, entity=entity, words="w")
        except InputError:
            continue
        assert ("statement", " ".join(entity.split()), "", "w", "", "") in told(done.text)


# Correcting, removing, sources


def test_a_correction_replaces_the_words_alone():
    done = correct_fact(TAM, FILE, id_of(TAM, BARN), 'holroyd "barn"')
    assert (done.action, done.old) == ("corrected", BARN)
    assert done.text == TAM.replace(BARN, "holroyd 'barn'")
    assert correct_fact(TAM, FILE, id_of(TAM, BARN), BARN).action == "confirmed"
    with pytest.raises(InputError):
        correct_fact(TAM, FILE, id_of(TAM, BARN), " ")
    for words in ("likes it loud", "call me Ann", "back in May"):
        assert correct_fact(LIST, FILE, id_of(LIST, words), "w: x").text == LIST.replace(words, "w: x")


@pytest.mark.parametrize(("text", "words"), [(t, w) for t in (TAM, LIST) for _, w in statements(t)])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_removal_takes_the_line_and_no_other(text, words, end):
    source = text.replace("\n", end)
    without = remove_fact(source, FILE, id_of(source, words))
    [gone] = [line for line in lines_of(source) if words in line]
    assert without == source.replace(gone, "")
    with pytest.raises(NotFoundError):
        remove_fact(without, FILE, id_of(source, words))


def test_a_source_is_added_behind_the_words_whatever_they_say():
    text = '# Tam\n- "see [source:: [[x]]]" [said:: 2026-01-01] ^block\n'
    id_ = FILE.facts(text).facts[0].id
    assert fact_sources(text, FILE, id_) == ()
    done = add_source(text, FILE, id_, "ep#^l3").text
    assert done == text.replace(" ^block", " [source:: [[ep#^l3]]] ^block")
    assert fact_sources(done, FILE, id_) == ("ep#^l3",)
    assert add_source(done, FILE, id_, "ep#^l3").text == done


def test_facts_are_set_above_statements_and_leave_them_alone():
    text = set_fact(TAM, FILE, entity="Tam", field="phone", value="12", since="2026-03-01").text
    assert text == TAM.replace(f'- "{BARN}', f'- phone: 12 [since:: 2026-03-01]\n- "{BARN}')
    again = set_fact(text, FILE, entity="Tam", field="email", value="t@x", since="2026-04-01").text
    assert statements(again) == statements(TAM)
    listed = set_fact(LIST, FILE, entity="Ann", field="phone", value="12").text
    assert listed == LIST.replace("- Ann\n", "- Ann\n  - phone: 12\n")


LINES = st.lists(
    st.sampled_from(
        [
            "# A", "# B", "## A", "# People", "## History", "# History", "- x: 1", "- A: 3", "    x: 4", "  - y: 5", "prose", "",
            "| n | x |", "|---|---|", "| A | 6 |", "- A:", "- A", '- "w"', '  - "w" [said:: 2026-01-01]',
            '- "v" [said:: 2026-02-01] [source:: [[e]]] ^b', '- A: "u" [said:: 2025-01-01]', "- “t”", "  [until:: 2026]", '    - "s"',
            '- "x": 1', '- A.x: "r" [said::]', "```",
        ]
    ),
    max_size=12,
)  # fmt: skip
WORDS = st.text(st.sampled_from("ab1 :-[]{}()\"'“”„|#*_~`\\%^é\n"), max_size=10)


@given(
    lines=LINES,
    entity=st.sampled_from(["A", "B", "C", "a.b"]),
    words=WORDS,
    said=st.sampled_from(["", "2026-01-15", "2026-03-01"]),
    replaced=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
)
def test_a_statement_is_written_exactly_or_refused_and_no_other_line_changes(
    *, lines, entity, words, said, replaced, end, last
):
    text = end.join(lines) + end * last
    before = FILE.facts(text).facts
    replaces = [fact.id for fact in before] if replaced else []
    try:
        done = add_statement(
            text, FILE, entity=entity, words=words, said=said, source="ep#^l1", replaces=replaces
        )
    except InputError:
        return
    after = FILE.facts(done.text).facts
    standing = [fact for fact in after if fact.is_statement and fact.current]
    assert any(f.entity == entity and f.value.casefold() == quotable(words).casefold() for f in standing)
    if done.action != "confirmed" and quotable(words) not in [f.value for f in before]:
        assert [f.said for f in standing if f.entity == entity and f.value == quotable(words)] == [said]
    gone = {(f.type, f.entity, f.field, f.value) for f in before} - {
        (f.type, f.entity, f.field, f.value) for f in after
    }
    assert gone == set()  # what was said before is in History
    old, new = lines_of(text), lines_of(done.text)
    lost = [
        line for line in old if line.rstrip("\r\n") + end not in [line.rstrip("\r\n") + end for line in new]
    ]
    assert all('"' in line or "“" in line or "until" in line for line in lost)
    assert done.text.endswith(("\n", "\r")) == text.endswith(("\n", "\r")) or not text
    assert (
        add_statement(done.text, FILE, entity=entity, words=words, said=said, source="ep#^l1").text
        == done.text
    )


@given(lines=LINES, words=WORDS, end=st.sampled_from(["\n", "\r\n"]), number=st.integers(0, 5))
def test_a_correction_and_a_removal_change_one_statement_or_are_refused(*, lines, words, end, number):
    text = end.join(lines)
    found = [fact for fact in FILE.facts(text).facts if fact.is_statement]
    if not found:
        return
    one = found[number % len(found)]

    # A date on a line of its own that continues nothing may come to continue the line above.
    rows = lambda text: [row[:4] for row in told(text)]  # noqa: E731
    row = (one.type, one.entity, one.field, one.value)
    for patch, come in (
        (lambda: correct_fact(text, FILE, one.id, words).text, (*row[:3], quotable(words))),
        (lambda: remove_fact(text, FILE, one.id), None),
    ):
        try:
            done = patch()
        except InputError:
            continue
        wanted = Counter(rows(text)) - Counter([row]) + Counter([come] if come else [])
        assert Counter(rows(done)) == wanted
        gone = Counter(text.split(end)) - Counter(done.split(end))
        assert all(
            one.value in line or "until" in line for line in gone
        )  # its line, and those that continue it


@given(
    lines=LINES,
    field=st.sampled_from(["x", "y", "value"]),
    value=st.sampled_from(["1", "z"]),
    many=st.booleans(),
)
def test_a_fact_that_is_set_leaves_every_statement_as_it_was(*, lines, field, value, many):
    text = "\n".join(lines)
    try:
        done = set_fact(text, FILE, entity="A", field=field, value=value, since="2026-01-01", many=many)
    except InputError:
        return
    assert statements(done.text) == statements(text)
