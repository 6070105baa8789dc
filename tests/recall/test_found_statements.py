"""What was said is a unit of its own: found by its words, shown with its date, and never mistaken for a value."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest
from conftest import VaultOf
from indexed import kept, rebuilt

from memoryclaw.app import App
from memoryclaw.vault.facts import statement_id

PEOPLE = """# Tam
- email: tam@example.com [since:: 2025-01-01]
- "it is on 5 september, holroyd barn near otley" [said:: 2026-02-11] [source:: [[barn#^l3]]]
- "peat whisky please" [said:: 2026-01-20]
- "no idea yet"

Tam plays the fiddle.

## History
- email: old@example.com [until:: 2025-01-01]
- "perhaps the townhall" [said:: 2026-01-02] [until:: 2026-02-11]

# Ada
- email: ada@example.com
- "the barn has no heating" [said:: 2026-03-01]
"""
BARN, HEATING, PAST, WHISKY, IDEA = (
    statement_id("semantic/people", entity, words)
    for entity, words in (
        ("Tam", "it is on 5 september, holroyd barn near otley"),
        ("Ada", "the barn has no heating"),
        ("Tam", "perhaps the townhall"),
        ("Tam", "peat whisky please"),
        ("Tam", "no idea yet"),
    )
)


@pytest.fixture
def app(vault_of: VaultOf) -> Iterator[App]:
    root = vault_of({"semantic/people.md": PEOPLE, "notes/barn.md": "# Barn\nA barn is for hay.\n"})
    with App(root, clock=lambda: datetime(2026, 4, 20, 8, tzinfo=UTC)) as app:
        yield app


def test_a_statement_is_found_by_its_words_on_its_own_line_and_once(app: App) -> None:
    matches = [match for match in app.search("holroyd").matches if "holroyd" in match.unit.text]
    assert [(m.unit.id, m.unit.kind, m.unit.line, m.unit.when) for m in matches] == [
        (BARN, "fact", 3, "2026-02-11")
    ]
    assert sum(term.value for term in matches[0].terms) == matches[0].score
    prose = [match.unit.text for match in app.search("fiddle").matches]
    assert any("fiddle" in text for text in prose)
    assert not any("holroyd" in text for text in prose)


def test_a_context_shows_the_words_in_quotes_with_their_date(app: App) -> None:
    lines = app.recall("holroyd barn whisky idea", budget=2000).context.splitlines()
    said, number = BARN.rsplit("-", 1)
    at = lines.index(f"{said}- (2026-02-11)")
    assert lines[at + 1] == f' {number} "it is on 5 september, holroyd barn near otley"'
    said, number = IDEA.rsplit("-", 1)
    assert lines[lines.index(f"{said}-") + 1] == f' {number} "no idea yet"'


def test_what_a_later_statement_is_tied_to_is_left_out_as_history_is(app: App) -> None:
    answer = app.search("townhall")
    assert PAST not in [match.unit.id for match in answer.matches]
    assert (PAST, "superseded") in [(omitted.id, omitted.reason) for omitted in answer.left_out]
    then = [match.unit.id for match in app.search("townhall on 2026-01-15").matches]
    assert PAST in then


def test_a_statement_of_another_is_not_left_out_where_the_fact_of_another_is(app: App) -> None:
    answer = app.search("what is the email of Tam, and has the barn a heating?")
    left = {omitted.id: omitted.reason for omitted in answer.left_out}
    assert left["semantic/people#Ada.email"] == "other_entity"
    assert HEATING in [match.unit.id for match in answer.matches]


def test_no_statement_is_left_out_for_another_that_stood_then(app: App) -> None:
    ids = [match.unit.id for match in app.search("What did Tam say about whisky in February 2026?").matches]
    assert {BARN, WHISKY} <= set(ids)


def test_of_a_person_whom_the_question_names_the_newest_statement_comes_first(app: App) -> None:
    ids = [match.unit.id for match in app.search("Tam").matches if ".said-" in match.unit.id]
    assert ids == [BARN, WHISKY, IDEA]


def test_a_field_is_never_found_in_a_statement(app: App) -> None:
    [first, *_] = app.search("Tam email").matches
    assert first.unit.id == "semantic/people#Tam.email"
    assert {term.name for term in first.terms} >= {"entity", "field"}


def test_facts_come_first_then_statements_the_newest_first(app: App) -> None:
    def lines_of(**asked: object) -> list[str]:
        return [fact.value.split()[-1] for _, fact in app.facts("Tam", **asked)]  # type: ignore[arg-type]

    assert lines_of() == ["tam@example.com", "otley", "please", "yet"]
    assert lines_of(history=True) == [
        "tam@example.com",
        "old@example.com",
        "otley",
        "please",
        "townhall",
        "yet",
    ]
    assert lines_of(as_of=date(2026, 1, 31)) == ["tam@example.com", "please", "townhall", "yet"]
    assert lines_of(as_of=date(2026, 2, 11)) == ["tam@example.com", "otley", "please", "yet"]
    assert lines_of(as_of=date(2026, 1, 1)) == ["tam@example.com", "yet"]


def test_a_statement_below_nobody_has_an_address_and_is_found(vault_of: VaultOf) -> None:
    root = vault_of({"semantic/people.md": '- "somebody ate the cake" [said:: 2026-03-01]\n'})
    with App(root) as app:
        [match] = app.search("cake").matches
        assert match.unit.id == statement_id("semantic/people", "", "somebody ate the cake")
        assert app.show(match.unit.id).text == '- "somebody ate the cake" [said:: 2026-03-01]\n'
        assert [fact.entity for _, fact in app.facts()] == [""]


def test_the_index_follows_statements_as_a_rebuild_has_them(vault_of: VaultOf) -> None:
    root = vault_of({"semantic/people.md": "# Tam\n- email: x\n"})
    own = kept(root)
    for text in (
        PEOPLE,
        PEOPLE.replace('- "peat whisky', "- peat: whisky\n- “quoted"),
        '- "alone"\n',
        "# Tam\n",
    ):
        (root / "semantic/people.md").write_text(text)
        own.sync.run()
        assert own.mark() == rebuilt(root)
    own.close()
