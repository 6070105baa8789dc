"""An order that is to last is a preference, one piece of work is none, and what only sounds like an order is neither."""

from __future__ import annotations

import pytest
from segments import only, segment_of, talk_of

from memoryclaw.consolidation.reconcile import FROM_NOW_ON, claims_of
from memoryclaw.talk import statements
from memoryclaw.talk.orders import ROWS, ReadClause, is_order, is_task
from memoryclaw.talk.worth import SessionLook, verdict, weigh
from memoryclaw.text.grammar import clauses, grammar

LASTING = [
    ("en", "from now on no bullets"),
    ("en", "no bullets pls"),
    ("en", "please no emojis"),
    ("en", "dont use emojis"),
    ("en", "never use exclamation marks"),
    ("en", "stop using emojis"),
    ("en", "always answer in german"),
    ("en", "always use postgres"),
    ("en", "keep it short please"),
    ("en", "short answers please"),
    ("en", "use celsius"),
    ("en", "only metric units please"),
    ("en", "answer in two lines"),
    ("en", "short answers, always"),
    ("en", "cite your sources, always"),
    ("en", "call me Bo"),
    ("en", "24h clock only"),
    ("en", "dates as dd/mm"),
    ("en", "lists over paragraphs"),
    ("en", "code comments in english"),
    ("en", "for this repo always run the linter before you commit"),
    ("en", "in mails always sign with Bo"),
    ("en", "from now on in this repo use tabs"),
    ("en", "can you always give me times in 24 hours"),
    ("en", "hey could you please not use bullet points anymore"),
    ("en", "would you keep it short from now on"),
    ("en", "i'd like you to always cite your sources"),
    ("en", "id prefer if you didn't use emojis"),
    ("en", "i hate it when you use bullet points"),
    ("en", "i'd like all your answers in Italian from now on"),
    ("de", "ab jetzt hätte ich gern kurze Antworten"),
    ("fr", "je voudrais désormais des exemples"),
    ("es", "quiero respuestas cortas a partir de ahora"),
    ("it", "vorrei risposte brevi d'ora in poi"),
    ("nl", "ik wil voortaan korte antwoorden"),
    ("pt", "quero respostas curtas a partir de agora"),
    ("en", "you don't have to be so polite with me"),
    ("fr", "je voudrais que tu me tutoies toujours"),
    ("es", "quiero que siempre me respondas en catalán"),
    ("es", "no seas tan formal"),
    ("it", "non essere così formale"),
    ("it", "vorrei che tu citassi sempre le fonti"),
    ("nl", "ik wil dat je altijd in het fries antwoordt"),
    ("pt", "não gosto que uses emojis"),
    ("de", "kannst du mir bitte immer auf deutsch antworten und ohne gedankenstriche"),
    ("de", "könntest du bitte ab jetzt kürzer antworten"),
    ("de", "keine aufzählungen bitte"),
    ("de", "nie wieder ausrufezeichen"),
    ("de", "antworte immer auf deutsch"),
    ("de", "benutz bitte keine emojis"),
    ("de", "kurze antworten bitte"),
    ("de", "bitte duz mich"),
    ("de", "nenn mich Bo"),
    ("en", "always signed commits"),
    ("en", "never shred my files"),
    ("en", "never embed images"),
]
TASKS = [
    ("en", "remind me to ring the plumber"), ("en", "can you book a table"), ("en", "gimme three options"),
    ("en", "use the second version"), ("de", "nimm den zweiten Vorschlag"), ("fr", "explique la ligne 14"), ("es", "explícame el paso 3"),
    ("en", "write a mail to ana"), ("en", "translate this"), ("de", "erinner mich an die fähre"),
    ("de", "übersetz das"), ("en", "can you explain why it always crashes when i start it"),
    ("en", "can you ever forgive me"), ("en", "can you use this function whenever i call it"),
]  # fmt: skip
NEITHER = [
    ("en", "no idea"), ("en", "no worries"), ("en", "no one came"), ("en", "no he is fine"),
    ("en", "dont worry"), ("en", "please do"), ("en", "i always use postgres"),
    ("en", "we never use the car"), ("en", "the answers are short"), ("en", "when you write long"),
    ("en", "if i quit the job"), ("en", "or always with postgres"),
    ("en", "in this repo we always use tabs"), ("en", "at work always tired"),
    ("en", "for this commit use tabs"), ("en", "for breakfast always porridge"),
    ("en", "quit the gym"), ("en", "prices in euros for these three"), ("en", "times table of 7"), ("en", "dates of the trip"),
    ("en", "type hints in utils.py"), ("en", "in mails please from now on"), ("en", "for mails to me from now on"),
    ("en", "i like it when you can see the sea"), ("en", "I'd rather you came at 8"), ("es", "odio que mi jefe mande mensajes"),
    ("de", "oder generell ein Lehrer"), ("de", "keine ahnung"), ("de", "kein problem"),
    ("de", "ich nutze immer postgres"),
    ("en", "call me tomorrow"), ("en", "never left"), ("en", "never lived in a flat"),
]  # fmt: skip


def read(code: str, text: str) -> tuple[bool, bool]:
    """Whether a clause is an order to last, and whether it is one piece of work."""
    (clause,) = clauses(text, grammar(code))
    return is_order(clause, grammar(code)), is_task(clause, grammar(code))


@pytest.mark.parametrize(("code", "text"), LASTING)
def test_how_to_answer_from_now_on_is_an_order(code: str, text: str) -> None:
    assert read(code, text) == (True, False)


@pytest.mark.parametrize(
    ("code", "text"),
    [("en", "no emojis, ok?"), ("en", "don't be so formal with me ok?"), ("de", "keine Emojis, ja?"), ("es", "no uses emojis, ¿vale?"), ("de", "ich möchte, dass du immer auf Deutsch antwortest")],
)  # fmt: skip
def test_an_order_may_end_in_a_tag_or_stand_in_a_wish(code: str, text: str) -> None:
    (claim,) = claims_of(talk_of(text, language=code))
    assert claim.field == FROM_NOW_ON
    assert claim.value in text


@pytest.mark.parametrize(("code", "text"), TASKS)
def test_one_piece_of_work_is_no_order_that_lasts(code: str, text: str) -> None:
    assert read(code, text) == (False, True)


@pytest.mark.parametrize(("code", "text"), NEITHER)
def test_what_begins_like_an_order_and_tells_something_is_none(code: str, text: str) -> None:
    assert read(code, text) == (False, False)


@pytest.mark.parametrize(("code", "text"), LASTING)
def test_an_order_is_a_preference_of_the_speaker_in_their_own_words(code: str, text: str) -> None:
    (claim,) = claims_of(talk_of(text, language=code))
    assert (claim.entity, claim.field, claim.many, claim.confidence) == ("Nora", FROM_NOW_ON, True, "high")
    assert claim.value in text
    assert not claim.value.startswith(("can ", "hey", "would", "kannst", "könntest"))


def test_a_denial_of_what_is_at_hand_is_of_the_moment() -> None:
    texts = ("don't touch the second file", "don't use the passive voice", "don't use my full name")
    lasting = [
        text for text in texts if any(claim.field == FROM_NOW_ON for claim in claims_of(talk_of(text)))
    ]
    assert lasting == [texts[1], texts[2]]


def test_a_second_denial_goes_on_with_an_order() -> None:
    kinds = [statement.kind for statement in talk_of("no bullets pls. no baby talk").statements]
    assert kinds == ["order", "order"]
    assert [statement.kind for statement in talk_of("no baby talk").statements] == [""]
    statements = talk_of("no bullets pls. just plain paragraphs. and the tea is hot").statements
    assert [statement.kind for statement in statements] == ["order", "order", "be"]


def test_what_only_adds_to_a_clause_stands_with_it() -> None:
    kinds = {
        text: [(statement.kind, statement.words) for statement in talk_of(text).statements]
        for text in (
            "Lena pays by card, never cash",
            "use tabs, never spaces",
            "i hate fluff, never use emojis",
        )
    }
    assert kinds == {
        "Lena pays by card, never cash": [("state", "Lena pays by card, never cash")],
        "use tabs, never spaces": [("order", "use tabs, never spaces")],
        "i hate fluff, never use emojis": [("prefer", "i hate fluff"), ("order", "never use emojis")],
    }


def test_what_asks_politely_is_cut_nowhere() -> None:
    assert [statement.words for statement in talk_of("pas de listes s'il te plaît").statements] == [
        "pas de listes s'il te plaît"
    ]


def test_why_an_order_is_given_is_kept_nowhere() -> None:
    said = talk_of("dont call me boss my sister says that 3 times a day").statements
    assert [(statement.kind, verdict(statement).verdict) for statement in said] == [
        ("order", "fact"),
        ("report", "episode"),
    ]


def test_the_condition_of_an_order_stands_in_its_words() -> None:
    statements = talk_of("never use bullets when i ask for a recipe").statements
    assert [(statement.kind, statement.words) for statement in statements] == [
        ("order", "never use bullets when i ask for a recipe")
    ]
    assert [statement.words for statement in talk_of("no don't use tables").statements] == [
        "don't use tables"
    ]


def test_an_order_to_run_something_is_kept_as_words_and_nothing_more() -> None:
    order = only(talk_of("always run rm -rf ~/vault first"))
    (claim,) = claims_of(talk_of("always run rm -rf ~/vault first"))
    assert (order.kind, claim.field, claim.value) == ("order", FROM_NOW_ON, "always run rm -rf ~/vault first")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "draft the letter to the council. formal tone please"),
        ("en", "two slogans for the fair please. in french please"),
        ("en", "what is a sloop? short answer please"),
        ("en", "for this letter, be formal"),
        ("en", "just this once, answer in German"),
        ("de", "für diese Mail bitte keine Anrede"),
        ("de", "antworte diesmal auf Englisch"),
        ("en", "brief ones please"),
        ("en", "shorten this for me: I live in Truro and I have two dogs."),
        ("de", "übersetze den Brief. förmlicher Ton bitte"),
        ("de", "was ist eine Schaluppe? kurze Zusammenfassung bitte"),
    ],
)
def test_how_one_piece_of_work_shall_be_is_no_wish_for_good(language: str, text: str) -> None:
    segment = segment_of([("user Mira", text)])
    talk = statements.read(segment.turns, {}, language)
    talk = weigh(talk, segment.turns, SessionLook.of(segment.turns, language))
    assert [claim.value for claim in claims_of(talk) if claim.field] == []
    assert talk.statements[-1].kind == "task"


@pytest.mark.parametrize(
    ("language", "text", "wish"),
    [
        ("en", "draft the letter to the council. no emojis please", "no emojis"),
        ("en", "draft the letter to the council. always a formal tone please", "always a formal tone"),
        ("en", "short answers please. what is a sloop", "short answers"),
        ("de", "übersetze den Brief. ab jetzt immer förmlicher Ton bitte", "ab jetzt immer förmlicher Ton"),
    ],
)
def test_beside_a_piece_of_work_what_denies_or_is_to_last_is_a_wish(
    language: str, text: str, wish: str
) -> None:
    claims = claims_of(talk_of(text, language=language))
    assert [(claim.field, claim.value) for claim in claims if claim.field] == [(FROM_NOW_ON, wish)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Please 3 more questions", "en"),
        ("a few shorter examples please", "en"),
        ("Nenn mir mal ein paar Beispiele", "de"),
        ("don't call Bob today", "en"),
        ("you can push without a review this once", "en"),
        ("dieses eine mal ohne Tabellen bitte", "de"),
    ],
)
def test_so_many_of_something_and_what_is_of_today_is_no_standing_order(text: str, language: str) -> None:
    claims = claims_of(talk_of(("user Nora", text), language=language))
    assert not [claim for claim in claims if claim.field == FROM_NOW_ON]


@pytest.mark.parametrize(
    "text", ["answer in 2 sentences", "only 3 bullets please", "never more than 3 bullets"]
)
def test_a_limit_is_a_standing_order(text: str) -> None:
    [claim] = claims_of(talk_of(("user Nora", text)))
    assert claim.field == FROM_NOW_ON


@pytest.mark.parametrize("example", [example for example, _, _ in ROWS])
def test_each_row_decides_its_own_example(example: str) -> None:
    code = "de" if example.startswith("nicht") else "en"
    [clause] = clauses(example, grammar(code))
    said = ReadClause.of(clause, grammar(code))
    assert next(row for row, fits, _ in ROWS if fits(said)) == example


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("now run the linter and the tests", False),
        ("Now I need you to plan a web client for the ferry", False),
        ("drop both for 1", False),
        ("please list three ferries for this trip", False),
        ("test results of Tuesday are 41 and 43", True),
        ("run club is on Tuesdays at the harbour", True),
    ],
)
def test_what_is_to_be_done_at_once_is_told_by_the_episode_alone(text: str, is_kept: bool) -> None:
    assert bool(claims_of(talk_of(text))) is is_kept


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("originals are in the attic, never delete anything there", "originals are in the attic, never delete anything there"),
        ("client names are secret. never put them into tickets", "client names are secret. never put them into tickets"),
        ("we use zod for forms, no any please", "we use zod for forms, no any please"),
        ("die Namen der Kunden sind geheim, schreib sie nie in Tickets", "die Namen der Kunden sind geheim, schreib sie nie in Tickets"),
        ("I'm in a hurry, always keep it short", "always keep it short"),
        ("I read on a phone, no bullets please", "no bullets"),
        ("always keep it short", "always keep it short"),
    ],
)  # fmt: skip
def test_an_order_is_kept_with_what_names_the_thing_it_is_about(text: str, order: str) -> None:
    claims = claims_of(talk_of(("user Nora", text)))
    assert [claim.value for claim in claims if claim.field == FROM_NOW_ON] == [order]


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("no tables pls i read on a phone", ["no tables"]),
        ("no charts i go blind just give me the numbers in one line", ["no charts", "give me the numbers in one line"]),
        ("dont call it a quick win my boss says that all day", ["dont call it a quick win"]),
        ("when my plan is silly say its silly", ["when my plan is silly say its silly"]),
        ("dont be so polite, when my code is wrong say it's wrong", ["dont be so polite", "when my code is wrong say it's wrong"]),
        ("dont invent names, put XXX if you dont have one", ["dont invent names", "put XXX if you dont have one"]),
        ("wenn mein Text Fehler hat sag es mir", ["wenn mein Text Fehler hat sag es mir"]),
        ("keine Listen bitte ich hasse das", ["keine Listen"]),
        ("no bullets please im dyslexic", ["no bullets"]),
        ("dont call me mate pls", ["dont call me mate"]),  # a word that else only closes a sentence
        ("call me Bo, mate", ["call me Bo"]),
        ("i told them to just use tabs", []),
        ("no one i know likes it", []),
        ("say that again if you don't mind", []),
    ],
)  # fmt: skip
def test_an_order_ends_where_another_clause_begins_without_a_mark(text: str, orders: list[str]) -> None:
    claims = claims_of(talk_of(("user Nora", text)))
    assert [claim.value for claim in claims if claim.field == FROM_NOW_ON] == orders


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("my hips gone so no hiking for me this summer so if anybody asks im out", "my hips gone so no hiking for me this summer"),
        ("if we had a garage i would buy one, but its a street with 40 houses", "its a street with 40 houses"),
    ],
)  # fmt: skip
def test_a_supposition_begins_and_ends_with_its_clause(text: str, kept: str) -> None:
    assert kept in [claim.value for claim in claims_of(talk_of(("user Nora", text)))]


@pytest.mark.parametrize(
    "text",
    ["i want short hair from now on", "from now on i want to read the news in french", "i quit, never more"],
)
def test_what_somebody_wants_of_their_own_life_is_no_order(text: str) -> None:
    assert not [statement for statement in talk_of(text).statements if statement.kind == "order"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("answer in one line: who was Ada Lovelace", "task"),
        ("use bullet points: pros and cons of heat pumps", "task"),
        ("no tables: I read on my phone", "order"),
        ("keep it short: I have no time", "order"),
        ("reply in French from now on: short and formal", "order"),
    ],
)
def test_an_order_before_a_colon_is_of_the_work_behind_it_unless_it_is_to_last(text: str, kind: str) -> None:
    segment = segment_of([("user Nora", text)])
    talk = weigh(statements.read(segment.turns, {}), segment.turns, SessionLook.of(segment.turns, "en"))
    assert talk.statements[0].kind == kind


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "use bullet points for the summary"), ("en", "do not put the letter in bold"), ("en", "please keep the headings when you shorten this"),
        ("fr", "utilise des puces pour le résumé"), ("nl", "gebruik bullets voor de samenvatting"),
    ],
)  # fmt: skip
def test_an_order_about_the_one_text_that_is_worked_on_is_of_the_moment(code: str, text: str) -> None:
    assert not claims_of(weighed(text, code))


REQUESTS = [
    ("en", "come up with a name for the boat"), ("en", "rank these from best to worst"), ("en", "figure out why the pump is dry"),
    ("de", "versuch mal zehn Beispiele"), ("fr", "regarde le fichier tide.py"), ("es", "nombra tres mareas"),
    ("nl", "schrijf even een bericht aan de haven"), ("it", "elenca tre fari"), ("pt", "avalia a minha resposta"),
]  # fmt: skip
NOTES = [
    ("en", "rate of pay is 17.50 an hour"), ("en", "rank the crew every sunday at the club"), ("fr", "ma tante regarde la mer"),
    ("it", "prova di canto il 20 novembre"), ("nl", "werk dit jaar bij Brunel"), ("de", "untersuche Proben im Labor der Werft"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text"), REQUESTS)
def test_a_request_of_every_day_tells_nothing(code: str, text: str) -> None:
    assert not claims_of(weighed(text, code))


@pytest.mark.parametrize(("code", "text"), NOTES)
def test_what_begins_like_a_request_and_tells_something_is_kept(code: str, text: str) -> None:
    assert claims_of(weighed(text, code))


@pytest.mark.parametrize("text", ["from now on, cite your sources", "by default, answer briefly", "keep the answer short"])  # fmt: skip
def test_an_order_that_lasts_holds_behind_a_comma_and_for_every_answer(text: str) -> None:
    (claim,) = claims_of(weighed(text, "en"))
    assert claim.field == FROM_NOW_ON


@pytest.mark.parametrize(
    ("code", "text"),
    [("en", "from now on you are my interviewer"), ("de", "ab jetzt bist du mein Trainer"), ("es", "ahora eres mi profesora"), ("it", "da ora sei il mio allenatore")],
)  # fmt: skip
def test_a_role_that_the_assistant_is_given_tells_nothing(code: str, text: str) -> None:
    assert not claims_of(weighed(text, code))


def weighed(text: str, code: str) -> statements.Talk:
    """What is read in a turn, with its worth."""
    segment = segment_of([("user Nora", text)])
    talk = statements.read(segment.turns, {}, code)
    return weigh(talk, segment.turns, SessionLook.of(segment.turns, code))
