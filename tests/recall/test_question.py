"""How a question is understood, seen by what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from conftest import VaultOf

from memoryclaw.app import App

Asks = Callable[[str], list[str]]
NOTES = {
    "notes/oak.md": "Oak boards, pegged with dowels. Oat milk is in the fridge.\n",
    "notes/larch.md": "---\ntitle: Larch cladding\ntags: [wood/soft, site]\n---\nLarch boards and red paint. Milk, then oats.\n",
    "notes/elm.md": "---\ntags: [woodland]\n---\nElm chairs by John Müller. He went to Zürich.\n",
    "notes/bill.md": "The facture of March lies on the desk.\n",
    "notes/kana.md": "栗の木栓は中村健が作りました。\n",
    "notes/filler.md": "Nothing of interest.\n",
    "semantic/aliases.yaml": "invoice: [bill, facture]\nfast food: [chips, Fritten]\n",
}


@pytest.fixture
def app(vault_of: VaultOf) -> Iterator[App]:
    app = App(vault_of(NOTES))
    yield app
    app.close()


@pytest.fixture
def asks(app: App) -> Asks:
    return lambda question: sorted(
        match.unit.id.removeprefix("notes/") for match in app.search(question).matches
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("oak", ["oak"]),
        ("oak larch", ["larch", "oak"]),
        ("What about the oak?", ["oak"]),
        ('"oat milk"', ["oak"]),
        ('"milk oat"', []),
        ("boards AND paint", ["larch"]),
        ("paint OR chairs", ["elm", "larch"]),
        ("boards -paint", ["oak"]),
        ("boards NOT paint", ["oak"]),
        ("boards -the", ["larch"]),
        ("+paint boards", ["larch"]),
        ("(oak OR elm) -chairs", ["oak"]),
        ("xyzzy OR plugh", []),
        ("xyzzy AND boards", []),
        ("boa*", ["larch", "oak"]),
        ("müll*", ["elm"]),
        ("zur*", ["elm"]),
        ("jonh~", ["elm"]),
        ("jonh", []),
        ("muller", ["elm"]),
        ("MÜLLER", ["elm"]),
        ("go", ["elm"]),
        ("going", ["elm"]),
        ("title:larch", ["larch"]),
        ("title:boards", []),
        ("tag:wood", ["larch"]),
        ("tag:wood/soft", ["larch"]),
        ("#site", ["larch"]),
        ("木栓", ["kana"]),
        ("木栓は誰が作りましたか", ["kana"]),
        ('"木栓は"', ["kana"]),
        ('"栓木"', []),
        ("invoice", ["bill"]),
        ("bill", ["bill"]),
        ("the", ["bill", "oak"]),
        ("", []),
        ("?! …", []),
        ("-boards", []),
        ("C++", []),
    ],
)
def test_what_a_question_finds(asks: Asks, question: str, expected: list[str]) -> None:
    assert asks(question) == expected


def test_stop_words_alone_are_searched_as_words(app: App) -> None:
    assert [match.unit.id for match in app.search("with").matches] == ["notes/oak"]


def test_stop_words_count_where_an_operator_joins_them(asks: Asks) -> None:
    assert asks("with OR paint") == ["larch", "oak"]
    assert asks("with AND boards") == ["oak"]
    assert asks("with paint") == ["larch"]


def test_ten_thousand_bytes_are_an_ordinary_question(app: App) -> None:
    answer = app.search("oak " * 2500)
    assert [match.unit.id for match in answer.matches] == ["notes/oak"]
    assert answer.notices


def test_a_title_quoted_in_a_sentence_is_asked_by_its_words(app: App) -> None:
    answer = app.search('What does "The red larch" say of boards?')
    assert answer.matches[0].unit.id == "notes/larch"
    assert answer.notices == ()


def test_quotation_marks_bind_in_a_short_query_and_quote_in_a_sentence(asks: Asks) -> None:
    assert asks('"oat milk" boards') == ["oak"]
    assert asks('Who made the boards for "oat milk", and of what?') == ["larch", "oak"]
    assert asks('-"oat milk" boards, of what?') == ["larch"]


def test_a_phrase_that_stands_nowhere_amid_other_words_is_asked_by_its_words(app: App) -> None:
    answer = app.search('"The red larch" boards')
    assert answer.matches[0].unit.id == "notes/larch"
    assert answer.notices == ('"the red larch" stands nowhere as a phrase; its words were searched instead',)


def test_a_phrase_alone_is_meant_as_it_stands(app: App) -> None:
    answer = app.search('"red larch"')
    assert answer.matches == ()
    assert answer.notices == ()


def test_a_synonym_finds_and_says_so_but_scores_below_the_word_itself(vault_of: VaultOf) -> None:
    app = App(vault_of({
        "notes/said.md": "The invoice came on Monday.\n", "notes/meant.md": "The facture came on Monday.\n",
        "notes/also.md": "An invoice and again an invoice.\n", "notes/x.md": "Nothing.\n", "semantic/aliases.yaml": "invoice: [facture]\n",
    }))  # fmt: skip
    answer = app.search("invoice")
    assert [match.unit.id for match in answer.matches][-1] == "notes/meant"
    assert answer.matches[-1].score < answer.matches[-2].score
    assert [(m.word, m.field, m.via) for m in answer.matches[-1].matched] == [("invoice", "body", "alias")]
    assert answer.confidence == 1.0


def test_a_rare_synonym_never_beats_a_common_word_in_a_larger_vault(vault_of: VaultOf) -> None:
    notes = {f"notes/{n:03}.md": f"Invoice number {n} of many.\n" for n in range(40)}
    other = {f"notes/x{n:03}.md": f"Something else of many {n}.\n" for n in range(80)}
    app = App(
        vault_of(
            {
                **notes,
                **other,
                "notes/alias.md": "Facture number 7 of many.\n",
                "semantic/aliases.yaml": "invoice: [facture]\n",
            }
        )
    )
    matches = app.search("invoice", limit=60).matches
    assert matches[-1].unit.id == "notes/alias"
    assert matches[-1].score < matches[-2].score


def test_synonyms_of_several_words_work_both_ways(vault_of: VaultOf) -> None:
    app = App(vault_of({"notes/a.md": "We had chips.\n", "notes/b.md": "All fast food.\n", "notes/c.md": "Fast cars and dog food.\n",
                        "semantic/aliases.yaml": "fast food: [chips]\n"}))  # fmt: skip
    assert {match.unit.id for match in app.search("chips").matches} == {"notes/a", "notes/b"}
    assert app.search("fast food").matches[-1].score < app.search("fast food").matches[0].score
    assert "notes/a" in {match.unit.id for match in app.search("fast food?").matches}


def test_a_word_that_is_known_or_too_far_is_no_slip(vault_of: VaultOf) -> None:
    app = App(vault_of({"notes/a.md": "Susan is staying; think of the line for Carmen.\n"}))
    assert app.ask("what is she studying? do I like it? thanks").did_you_mean == {}
    assert app.ask("escribe un cartel").did_you_mean == {}
    assert app.ask("is she stayng?").did_you_mean == {"stayng": "staying"}


def test_what_nobody_wrote_is_guessed_from_the_vaults_own_words(app: App) -> None:
    assert app.search("larhc cladding").did_you_mean == {"larhc": "larch"}
    assert app.search("chairz").did_you_mean == {"chairz": "chairs"}
    assert app.search("larch").did_you_mean == {}
    assert app.search("learch stuff").did_you_mean == {"learch": "larch"}
    assert app.search("qqqqqqqq").did_you_mean == {}


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("What is the deadline of projectX?", ("projectX",)),
        ("projectX?", ("projectX",)),
        ("Who is Ada Lovelace?", ("Ada Lovelace",)),
        ("Does Müller know Zoë and Jean-Luc's boat?", ("Zoë", "Jean-Luc")),
        ("Was kostet die Eiche bei AcmeSoft?", ("AcmeSoft",)),
        ("Quand arrive Amélie ?", ("Amélie",)),
        ("Who made the chairs, John or Bob? Bob, I guess.", ("Bob",)),
        # Ordinary words are no names, with a capital or without.
        ("Wann ist die Wanderung mit dem Verein?", ()),
        ("What did I say on Monday about the PDF in English?", ()),
        ("What Is The Deadline Of Everything", ()),
        ("WHERE IS IT", ()),
        ("Zeppelins. Where are they?", ()),
        ("where is zanzibar", ()),
        ("Does Müller like the Oak?", ()),
        ("the bill of the fridge in v2 at 5pm, user_id 7", ()),
        ("栗の木栓 について", ()),
        ('"Ada Lovelace"', ()),
    ],
)  # fmt: skip
def test_a_name_that_nothing_here_has_is_said_to_be_unknown(
    app: App, question: str, unknown: tuple[str, ...]
) -> None:
    answer = app.search(question)
    assert answer.unknown == unknown
    notices = [notice for notice in answer.notices if "is called" in notice]
    assert notices == [f"Nothing here is called {name}." for name in unknown]
    assert app.recall(question).unknown == unknown


def test_a_name_of_somebody_an_agent_may_not_know_is_unknown_to_it(vault_of: VaultOf) -> None:
    root = vault_of(
        {"notes/a.md": "Zelda lives in Hove. [PRIVATE]\n", "notes/b.md": "Bread is on the table.\n"}
    )
    with App(root) as app:
        assert app.search("Where does Zelda live?").unknown == ()
        assert app.seen_by("agent").search("Where does Zelda live?").unknown == ("Zelda",)


def test_confidence_is_the_share_of_the_question_that_was_found(app: App) -> None:
    assert app.search("larch paint").confidence == 1.0
    assert app.search('"oat milk"').confidence == 1.0
    assert app.search("boa*").confidence == 1.0
    assert 0 < app.search("larch zeppelin").confidence < 0.6
    assert app.search("zeppelin").confidence == 0.0


def test_a_question_that_only_excludes_says_that_it_finds_nothing(app: App) -> None:
    assert app.search("-boards").notices
    assert {match.unit.id for match in app.search("kind:note -boards").matches} >= {"notes/elm", "notes/kana"}
    assert "notes/oak" not in {match.unit.id for match in app.search("kind:note -boards").matches}


def test_fields_and_exclusions_do_not_turn_synonyms_and_stop_words_off(app: App) -> None:
    assert [match.unit.id for match in app.search("kind:note where is the invoice").matches] == ["notes/bill"]


@pytest.mark.parametrize(
    ("code", "text", "question"),
    [
        ("fr", "La réunion est réservée.", "reserve"), ("fr", "L’été à l’hôpital.", "hopitaux"),
        ("fr", "Elle est reservee.", "réservée"), ("de", "Die Häuser am Fluss.", "haus"),
        ("de", "Der Zählerstand.", "zahlerstand"), ("sv", "Båtarna ligger kvar.", "båt"),
        ("es", "Dos canciones.", "cancion"), ("ru", "Книги на столе.", "книга"),
        ("ru", "Ёлка стоит.", "елка"), ("none", "Straße", "strasse"),
    ],
)  # fmt: skip
def test_other_languages_stem_and_forgive_accents(
    vault_of: VaultOf, code: str, text: str, question: str
) -> None:
    app = App(
        vault_of(
            {
                "memoryclaw.yaml": f"index:\n  language: {code}\n",
                "notes/a.md": f"{text}\n",
                "notes/b.md": "x\n",
            }
        )
    )
    assert [match.unit.id for match in app.search(question).matches] == ["notes/a"]
    app.close()


def test_a_common_word_is_asked_when_the_vault_knows_no_other(vault_of: VaultOf) -> None:
    turns = "".join(
        f'{{"session":"s","turn":{n},"role":"user","content":"harbour {n}"}}\n' for n in range(1100)
    )
    with closing(App(vault_of({"logs/2026-03-10/s.jsonl": turns}))) as app:
        assert len(app.search("the harbour of zanzibar").matches) == 10


def test_who_plays_a_role_is_found_as_surely_as_by_name(vault_of: VaultOf) -> None:
    ships = "".join(f'- "the sister ship came into port {n}" [said:: 2026-02-0{n}]\n' for n in range(1, 4))
    people = f'# user\n- sister: Ulla\n\n# Ulla\n- "Ulla reads law in Turku" [said:: 2026-01-03]\n\n# Harbour\n{ships}'
    with App(vault_of({"memoryclaw.yaml": "", "semantic/people.md": people})) as app:
        texts = [match.unit.text for match in app.search("what does my sister do?").matches]
        assert texts.index("Ulla reads law in Turku") < texts.index("the sister ship came into port 3")
