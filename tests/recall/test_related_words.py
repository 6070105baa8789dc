"""A question finds what was said in other words of everyday language, for less than its own words, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import put

from memoryclaw.app import App
from memoryclaw.model import Match

FILLER = {
    f"filler/{n:03}.md": f"Entry number {n} about nothing much, words {n * 7} lamp.\n" for n in range(80)
}
NOTES = {
    **FILLER,
    "a.md": "Anna walked her dog by the canal.\n",
    "b.md": "A shop for pet supplies opened by the canal.\n",
    "c.md": "The bakery closed early.\n",
}


def asked(root: Path, question: str, settings: str = "", **more: str) -> list[Match]:
    app = App(put(root / "vault", {**NOTES, **more, "memoryclaw.yaml": settings}))
    app.sync()
    try:
        return list(app.search(question, limit=20).matches)
    finally:
        app.close()


def terms(match: Match) -> dict[str, float]:
    return {term.name: term.value for term in match.terms}


@pytest.mark.parametrize("engine", ["fts5", "whoosh"])
def test_a_related_word_is_found_explained_and_below_the_word_asked(tmp_path: Path, engine: str) -> None:
    answer = asked(tmp_path, "any pets?", f"index: {{engine: {engine}}}\n")
    assert [match.note for match in answer] == ["b", "a"]
    assert "related" in terms(answer[1])
    assert answer[1].score == sum(terms(answer[1]).values())
    assert [(cause.word, cause.field, cause.via) for cause in answer[1].matched] == [
        ("pets", "body", "alias")
    ]
    assert "dog" in answer[1].surfaces


def test_a_small_vault_counts_them_too(tmp_path: Path) -> None:
    app = App(put(tmp_path / "vault", {name: NOTES[name] for name in ("a.md", "b.md", "c.md")}))
    app.sync()
    matches = app.search("any pets?").matches
    app.close()
    assert [match.note for match in matches] == ["b", "a"]
    assert matches[1].score == sum(terms(matches[1]).values())


def test_words_that_many_units_hold_stand_for_nothing(tmp_path: Path) -> None:
    dogs = {f"dogs/{n}.md": f"The dog of house {n}.\n" for n in range(30)}
    assert [match.note for match in asked(tmp_path, "any pets?", **dogs)] == ["b"]


def test_names_and_exact_questions_have_no_related_words(tmp_path: Path) -> None:
    person = "---\nentities: [Pet]\n---\nA person called so.\n"
    assert not any("related" in terms(m) for m in asked(tmp_path / "1", "Pet", **{"d.md": person}))
    assert not any("related" in terms(m) for m in asked(tmp_path / "2", '"pet supplies" AND canal'))


def test_where_words_are_compared_as_written_there_are_none(tmp_path: Path) -> None:
    assert [match.note for match in asked(tmp_path, "pet", "index: {language: none}\n")] == ["b"]


def test_a_related_word_is_no_confidence_and_a_synonym_of_the_vault_is(tmp_path: Path) -> None:
    notes = {name: text for name, text in NOTES.items() if name != "b.md"}
    with App(put(tmp_path / "vault", notes)) as app:
        answer = app.search("any pets?")
        assert [match.note for match in answer.matches] == ["a"]
        assert answer.confidence == 0
        put(app.root, {"semantic/aliases.yaml": "pets: [dog]\n"})
        assert app.search("any pets?").confidence > 0.6


def test_what_a_quarter_of_a_small_vault_holds_may_stand_for_another_word(tmp_path: Path) -> None:
    dogs = {f"dogs/{n}.md": f"The dog of house {n}.\n" for n in range(20)}
    answer = asked(tmp_path, "any pets?", **dogs)
    assert answer[0].note == "b"
    assert len(answer) > 10


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("wann ist bootsfest", "Das Fest am Steg ist am Freitag, jedes Boot ist geschmückt."),
        ("waar is de fietssleutel", "De sleutel van mijn fiets ligt in de keuken."),
    ],
)
def test_a_compound_that_stands_nowhere_finds_its_two_words(tmp_path: Path, question: str, note: str) -> None:
    language = "de" if question.startswith("wann") else "nl"
    answer = asked(tmp_path, question, f"language: {language}\n", **{"told.md": note})
    assert [match.note for match in answer[:1]] == ["told"]


def test_the_stem_of_another_word_is_no_part_of_a_compound(tmp_path: Path) -> None:
    """`noti` stands in the index, of `notieren`, and nobody wrote it."""
    files = {
        "told.md": "Wir notieren das gerne, und zwar morgen.",
        "first.md": "Das ist der erste Tag, das erste Mal.",
    }
    assert asked(tmp_path, "was du notierste", "language: de\n", **files) == []


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("ma dentiste a déménagé rue Fleury", "where is my dentist"),
        ("mein Vermieter zieht nach Husum", "what does my landlord want"),
        ("mi jefa es muy estricta", "how is my boss"),
        ("mijn huisarts zit in de Kerkstraat", "wo ist mein Hausarzt"),
        ("the gp gave me drops", "was hat mir der Arzt gegeben"),
    ],
)
def test_what_somebody_is_to_one_is_found_by_the_word_of_another_language(
    tmp_path: Path, note: str, question: str
) -> None:
    answer = asked(tmp_path, question, **{"told.md": note})
    assert "told" in [match.note for match in answer]


def test_words_that_only_frame_a_question_find_nothing(tmp_path: Path) -> None:
    more = {"frame.md": "We are currently at the bar.", "told.md": "Twelve boxes stand in the cellar."}
    assert [match.note for match in asked(tmp_path, "which boxes do we currently have", **more)] == ["told"]


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("We got a beagle yesterday", "what pet do we have?"),
        ("The doctor put me on ramipril", "which blood pressure tablets do I take?"),
        ("Wir haben seit gestern einen Beagle", "was für ein Haustier haben wir?"),
        ("Ma fille joue du violoncelle depuis lundi", "quel instrument joue ma fille ?"),
        ("Billing runs on postgres", "which database does billing use?"),
    ],
)
def test_which_one_of_a_kind_is_recalled_by_what_is_of_it(tmp_path: Path, line: str, question: str) -> None:
    with App(put(tmp_path / "vault", {**FILLER, "semantic/me.md": f'# user\n- "{line}"\n'})) as app:
        assert line in app.recall(question).context
        for general in (
            "which pet is the quietest?",
            "what type of database is neo4j?",
            "which pet should I buy?",
        ):
            assert line not in app.recall(general).context
