"""What a person said, as one quoted bullet: how it is read."""

from __future__ import annotations

import pytest

from memoryclaw.vault.edits import SemanticFile
from memoryclaw.vault.facts import statement_id
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS

FILE = SemanticFile("semantic/people.md", DEFAULT_COLLECTIONS)


def rows_of(text: str, file: SemanticFile = FILE) -> list[tuple[str, ...]]:
    return [(f.type, f.entity, f.field, f.value, f.said, f.until) for f in file.facts(text).facts]


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
    [statement] = FILE.facts(f"# Tam\n{line}\n").facts
    assert (statement.type, statement.entity, statement.value, statement.said) == (
        "statement",
        "Tam",
        words,
        said,
    )
    assert (statement.since, statement.until, statement.source) == ("", "", "")


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
    assert rows_of(text) == facts


def test_the_id_of_a_statement_is_that_of_its_words_whatever_their_case():
    text = '# Tam\n- "So it is"\n- "SO IT IS"\n- "other"\n\n## History\n- "so it is"\n'
    ids = [fact.id for fact in FILE.facts(text).facts]
    base = statement_id("semantic/people", "Tam", "so it is")
    assert ids == [base, f"{base}~2", statement_id("semantic/people", "Tam", "other"), f"{base}~3"]
    assert base.startswith("semantic/people#Tam.said-")
