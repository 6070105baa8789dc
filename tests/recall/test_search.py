"""Ranking, decisions and explanations, on small vaults whose right answer is plain to see."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import VaultOf

from memoryclaw.app import App
from memoryclaw.errors import InputError
from memoryclaw.model import Answer

PROJECTS = """# Boathouse Aarhus
- deadline: 2026-12-11 [since:: 2026-03-24]
- client: rowing club Havørn

## History
- deadline: 2025-06-13 [since:: 2025-04-09] [until:: 2025-05-20]
- deadline: 2025-06-27 [since:: 2025-05-20] [until:: 2026-03-24]

# Nantes Kiosk
- deadline: 2026-02-19
- note: due after the boathouse

# Lantern Island
- deadline: 2026-04-30 [since:: 2026-04-09]
"""
FILES = {
    "semantic/projects.md": PROJECTS,
    "semantic/contacts.md": "- Søren Kjeldsen:\n    role: chairman of the rowing club\n    likes: salty liquorice\n- Anna:\n    likes: tea\n",
    "semantic/aliases.yaml": "Boathouse Aarhus: [boathouse, rowing club]\n",
    "episodes/2025-05-20_08-30-00_moves.md": "---\ntimestamp: 2025-05-20T08:30:00Z\n---\nThe boathouse deadline moved by two weeks.\n",
}
DEADLINE = "semantic/projects#Boathouse Aarhus.deadline"


@pytest.fixture
def app(vault_of: VaultOf) -> Iterator[App]:
    app = App(vault_of(FILES))
    yield app
    app.close()


def ids(answer: Answer) -> list[str]:
    return [match.unit.id for match in answer.matches]


def reasons(answer: Answer) -> dict[str, str]:
    return {left.id: left.reason for left in answer.left_out}


@pytest.mark.parametrize(
    "question",
    [
        "boathouse deadline",
        "When is the boathouse's deadline?",
        "deadline of Boathouse Aarhus",
        "rowing club deadline",
        "BOATHOUSE DEADLINE",
    ],
)
def test_an_entity_and_a_field_give_that_value_and_no_other_projects(app: App, question: str) -> None:
    answer = app.search(question, limit=50)
    values = {match.unit.value for match in answer.matches if match.unit.field == "deadline"}
    assert values == {"2026-12-11"}
    assert reasons(answer)["semantic/projects#Nantes Kiosk.deadline"] == "other_entity"
    assert reasons(answer)[f"{DEADLINE}~2"] == "superseded"


def test_of_two_entities_named_both_are_answered(app: App) -> None:
    answer = app.search("deadline of the boathouse and of Lantern Island", limit=50)
    assert {m.unit.entity for m in answer.matches if m.unit.field == "deadline"} == {
        "Boathouse Aarhus",
        "Lantern Island",
    }
    assert {m.unit.entity for m in app.search("boathouse or kiosk deadline", limit=50).matches if m.unit.field == "deadline"} >= {
        "Boathouse Aarhus", "Nantes Kiosk",
    }  # fmt: skip


def test_without_an_entity_every_value_of_the_field_is_an_answer(app: App) -> None:
    answer = app.search("deadlines", kind="fact", limit=50)
    assert {m.unit.entity for m in answer.matches} >= {"Boathouse Aarhus", "Lantern Island", "Nantes Kiosk"}


def test_someone_tied_to_the_entity_may_have_a_field_that_it_lacks(app: App) -> None:
    answer = app.search("who is the chairman of the rowing club and what are his likes", limit=50)
    assert "semantic/contacts#Søren Kjeldsen.likes" in ids(answer)
    assert reasons(answer)["semantic/contacts#Anna.likes"] == "other_entity"


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("boathouse deadline in July 2025", "2025-06-27"),
        ("What was the boathouse deadline on 2025-05-01?", "2025-06-13"),
        ("boathouse deadline on:2025-05-20", "2025-06-27"),
        ("boathouse deadline in April 2026", "2026-12-11"),
        ("boathouse deadline", "2026-12-11"),
    ],
)
def test_a_question_about_a_day_gets_the_value_of_that_day(app: App, question: str, value: str) -> None:
    answer = app.search(question, limit=50)
    assert answer.matches[0].unit.value == value
    assert [m.unit.value for m in answer.matches if m.unit.field == "deadline"] == [value]


def test_the_values_of_other_days_are_left_out_with_their_reason(app: App) -> None:
    left = reasons(app.search("boathouse deadline in July 2025"))
    assert (left[DEADLINE], left[f"{DEADLINE}~2"]) == ("other_time", "superseded")


def test_a_time_that_nothing_is_known_of_leaves_the_value_of_today(app: App) -> None:
    assert app.search("boathouse deadline in March 2019").matches[0].unit.id == DEADLINE


def test_a_question_of_nothing_but_time_lists_that_time(vault_of: VaultOf) -> None:
    app = App(vault_of({
        "episodes/2026-04-16_09-00-00_pile.md": "---\ntimestamp: 2026-04-16T09:00:00Z\n---\nThe pile is in.\n",
        "episodes/2026-03-16_09-00-00_check.md": "---\ntimestamp: 2026-03-16T09:00:00Z\n---\nIt happened again, checked.\n",
        "notes/happening.md": "What happened last week, a song.\n",
    }))  # fmt: skip
    for question in ("what happened last week?", "last week", "Did anything happen in the last 7 days"):
        assert ids(app.search(question)) == ["episodes/2026-04-16_09-00-00_pile"]
    assert set(ids(app.search("what happened in March 2026 or in April 2026?"))) == {
        "episodes/2026-04-16_09-00-00_pile", "episodes/2026-03-16_09-00-00_check",
    }  # fmt: skip


def test_the_whole_score_is_told(app: App) -> None:
    match = app.search("boathouse deadline in April 2026").matches[0]
    assert [term.name for term in match.terms] == [
        "boathouse", "deadline", "related", "entity", "field", "date",
    ]  # fmt: skip
    assert match.score == sum(term.value for term in match.terms)
    assert {(m.word, m.via) for m in match.matched} >= {
        ("boathouse", "literal"),
        ("deadline", "literal"),
        ("in April 2026", "date"),
    }
    assert match.path == "semantic/projects.md"
    assert match.unit.line == 2


def test_a_snippet_marks_the_words_that_matched(app: App) -> None:
    match = next(m for m in app.search("moved deadline").matches if m.unit.kind == "episode")
    assert [match.snippet[a:b] for a, b in match.highlights] == ["deadline", "moved"]


def test_more_of_the_words_in_a_better_place_rank_higher(vault_of: VaultOf) -> None:
    app = App(vault_of({
        "notes/both.md": "Oak and larch.\n", "notes/one.md": "Oak and elm.\n", "notes/long.md": "Oak. " + "Many other words here. " * 4,
        "notes/title.md": "---\ntitle: Oak\n---\nBeside elm.\n", "notes/none.md": "Elm.\n",
    }))  # fmt: skip
    assert ids(app.search("oak larch"))[0] == "notes/both"
    assert ids(app.search("oak"))[0] == "notes/title"
    assert ids(app.search("oak"))[-1] == "notes/long"


def test_two_notes_are_enough_to_rank(vault_of: VaultOf) -> None:
    """BM25 alone holds every word of so small a vault for worthless."""
    app = App(
        vault_of(
            {"notes/a.md": "Oak, and much besides that is of no use here.\n", "notes/b.md": "Oak oak oak.\n"}
        )
    )
    answer = app.search("oak")
    assert ids(answer) == ["notes/b", "notes/a"]
    assert answer.matches[0].score > answer.matches[1].score > 0
    assert answer.confidence == 1.0


def test_ties_come_in_the_order_of_their_ids(vault_of: VaultOf) -> None:
    app = App(vault_of({f"notes/{name}.md": "Same words.\n" for name in "cabed"}))
    assert ids(app.search("same")) == [f"notes/{name}" for name in "abcde"]


def test_a_limit_bounds_what_is_shown_and_leaves_nothing_out(app: App) -> None:
    answer = app.search("deadline", limit=2)
    assert len(answer.matches) == 2
    assert "limit" not in reasons(answer).values()
    assert [t.decision for t in answer.trace].count("limit") > 0
    assert app.search("deadline", limit=0).matches == ()
    with pytest.raises(InputError):
        app.search("deadline", limit=-1)


def test_pinned_notes_come_first_among_equals(vault_of: VaultOf) -> None:
    app = App(
        vault_of(
            {"notes/a.md": "Same.\n", "notes/z.md": "---\npin: true\n---\nSame.\n", "notes/x.md": "Else.\n"}
        )
    )
    match = app.search("same").matches[0]
    assert match.unit.id == "notes/z"
    assert ("pin", "pinned") in {(m.word, m.via) for m in match.matched}


def test_an_answer_is_found_through_the_question_before_it(vault_of: VaultOf) -> None:
    lines = ["Which colour for the kitchen wall?", "Dune sand, matt.", "Fine."]
    log = "".join(
        f'{{"session":"s","turn":{n},"role":"user","content":"{text}"}}\n' for n, text in enumerate(lines)
    )
    answer = App(vault_of({"logs/2026-03-10/s.jsonl": log})).search("kitchen wall")
    assert set(ids(answer)[:2]) == {"log:s/1", "log:s/0"}
    beside = next(match for match in answer.matches if match.unit.id == "log:s/1")
    assert {m.via for m in beside.matched} >= {"neighbour"}


def test_copies_with_one_id_are_told_apart_and_can_be_shown(vault_of: VaultOf) -> None:
    same = "---\nid: twin\n---\n"
    app = App(
        vault_of(
            {"notes/a.md": f"{same}Oak one.\n", "notes/b.md": f"{same}Oak two.\n", "notes/c.md": "Elm.\n"}
        )
    )
    answer = app.search("oak")
    assert sorted(ids(answer)) == ["notes/b", "twin"]
    assert {app.show(id_).text for id_ in ids(answer)} == {f"{same}Oak one.\n", f"{same}Oak two.\n"}


def test_turns_with_one_id_are_told_apart_and_can_be_shown(vault_of: VaultOf) -> None:
    line = '{"session":"s","turn":1,"role":"user","content":"oak %s"}\n'
    app = App(
        vault_of(
            {
                "logs/2025-01-01/s.jsonl": line % "one",
                "logs/2025-01-02/s.jsonl": line % "two",
                "notes/c.md": "Elm.\n",
            }
        )
    )
    answer = app.search("oak")
    assert len(set(ids(answer))) == 2
    assert {app.show(id_).text for id_ in ids(answer)} == {line % "one", line % "two"}


@pytest.mark.parametrize("n", [5, 40])
def test_small_and_larger_vaults_rank_alike(vault_of: VaultOf, n: int) -> None:
    filler = {f"notes/filler{i}.md": f"Filler number {i}.\n" for i in range(n)}
    app = App(
        vault_of(
            {
                **filler,
                "notes/a.md": "Oak and larch and elm.\n",
                "notes/b.md": "Oak and larch.\n",
                "notes/c.md": "Oak tree.\n",
            }
        )
    )
    assert ids(app.search("elm larch oak")) == ["notes/a", "notes/b", "notes/c"]


def test_a_kind_beside_words_and_dates_still_searches(app: App) -> None:
    assert ids(app.search("boathouse in May 2025", kind="episode")) == ["episodes/2025-05-20_08-30-00_moves"]
