"""What a person said, as one quoted bullet: how it is read."""

from __future__ import annotations

import pytest
from test_patches import BARN, TAM
from test_patches import SAID as LIST

from memoryclaw.vault.edits import SemanticFile, fact_sources
from memoryclaw.vault.facts import statement_id
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS

FILE = SemanticFile("semantic/people.md", DEFAULT_COLLECTIONS)


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
