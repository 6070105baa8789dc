"""Turns become statements: whose words, about whom, of what kind, how sure, and what they answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segments import only, talk_of

from memoryclaw.consolidation.reconcile import claims_of
from memoryclaw.talk.statements import LONGEST, Statement
from memoryclaw.text.prompts import one_line


def asks(text: str) -> tuple[str, str]:
    return "assistant Pip", text


def last(*said: str | tuple[str, str], **more: object) -> Statement:
    """The last statement of a conversation."""
    return talk_of(*said, **more).statements[-1]  # type: ignore[arg-type]


# Who said it, and when


def test_a_statement_is_of_its_speaker_line_and_day() -> None:
    first, other = talk_of(
        "i live in leeds", asks("I live in a box."), ("tool", "i live in a file"), ("user Tom", "i live in york"), first=4
    ).statements  # fmt: skip
    assert [(s.who, s.line, s.said, s.words) for s in (first, other)] == [
        ("Nora", 4, "2026-03-10", "i live in leeds"),
        ("Tom", 7, "2026-03-10", "i live in york"),
    ]


def test_who_has_no_name_is_the_user() -> None:
    assert only(talk_of(("user", "i live in leeds"))).who == "user"


def test_two_people_of_one_log_keep_their_own_languages() -> None:
    said = talk_of(
        ("user Ulla", "ich habe die Karten für den Zug gekauft"),
        ("user Nora", "we are going to take the train then"),
        ("user Ulla", "der Schuppen ist trocken"),
    ).statements
    assert [(statement.who, statement.language) for statement in said] == [
        ("Ulla", "de"),
        ("Nora", "en"),
        ("Ulla", "de"),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "vi har tagit tåget till min systers hus och det är sent",
        "我的电话号码是13800138000。",
        "мою собаку зовут Рекс",
        "jeg bor sammen med min datter på Vesterbro, og hun er otte",
    ],
)
def test_in_a_language_that_is_not_read_a_sentence_is_a_statement_as_it_was_said(sentence: str) -> None:
    asked, said = talk_of(f"Tack !\n{sentence.rstrip('。')} ?", sentence).statements[-2:]
    assert (asked.kind, said.kind) == ("unread", "unread")
    assert (said.quote, said.assertions, said.doubts) == (sentence, (), frozenset())
    assert "asked" in asked.doubts


@pytest.mark.parametrize("marks", ["。", "！！ ？", "…"])
def test_marks_without_a_word_are_no_statement(marks: str) -> None:
    talk = talk_of("我的电话号码是13800138000。", f"好的\n{marks}")
    assert not [statement for statement in talk.statements if not any(map(str.isalnum, statement.words))]


# What kind of thing was said


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("we decided on the blue tiles", "decide"), ("i prefer the blue tiles", "prefer"),
        ("my sister owns a kayak", "state"), ("we have three kayaks", "have"),
        ("the kayak is under the stairs", "be"), ("i went to the lake", "event"),
        ("i'd love to see the lake", "wish"), ("Tom said the lake is frozen", "report"),
        ("need to ring the plumber", "duty"), ("the plumber is done", "done"),
        ("the trip is cancelled", "off"), ("remind me to ring the plumber", "task"),
        ("always answer in two lines", "order"), ("a blue kayak for two", ""),
    ],
)  # fmt: skip
def test_a_statement_has_the_kind_of_its_verb(text: str, kind: str) -> None:
    assert talk_of(text).statements[0].kind == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("wir haben uns für die blauen Fliesen entschieden", "decide"),
        ("ich mag die blauen Fliesen", "prefer"),
        ("meine Schwester wohnt in Kiel", "state"),
        ("das Boot ist unter der Treppe", "be"),
        ("ich muss noch den Klempner anrufen", "duty"),
        ("der Klempner ist erledigt", "done"),
        ("antworte bitte immer kurz", "order"),
    ],
)
def test_german_statements_have_kinds_too(text: str, kind: str) -> None:
    assert talk_of(text, language="de").statements[0].kind == kind


# About whom


@pytest.mark.parametrize(
    ("text", "about", "subject"),
    [
        ("i own a kayak", "", "own"),
        ("our kayak is red", "", "own"),
        ("Ana owns a kayak", "Ana", "named"),
        ("the roof of the shed is gone", "", "thing"),
        ("they own a kayak", "", "other"),
        ("sold the kayak", "", "none"),
    ],
)
def test_the_subject_tells_whom_a_statement_is_about(text: str, about: str, subject: str) -> None:
    statement = last(text, names=("Ana",))
    assert (statement.about, statement.subject) == (about, subject)


def test_a_pronoun_goes_on_about_what_was_said_before_it() -> None:
    statement = only(talk_of("we took the plain rings. theyre silver"))
    assert statement.words == "we took the plain rings. theyre silver"
    assert statement.kind == "decide"


def test_fragments_join_the_clause_they_go_on_from() -> None:
    statement = only(talk_of("we took the plain rings, silver, no stone"))
    assert statement.words == "we took the plain rings, silver, no stone"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("my aunt Ida (she's 70) moved her lesson from Monday to Friday, 4pm.", "my aunt Ida (she's 70) moved her lesson from Monday to Friday, 4pm"),
        ("the attic (3rd floor) closes at 6 :)", "the attic (3rd floor) closes at 6"),
        ("rowing is on Mondays now :( and Ida left", "rowing is on Mondays now :( and Ida left"),
        ("k.falk@example.org. write there", "k.falk@example.org"),
        ("our new address is Hafenstr. 12, 91052 Erlangen.", "our new address is Hafenstr. 12, 91052 Erlangen"),
    ],
)  # fmt: skip
def test_marks_inside_a_statement_part_nothing(text: str, words: str) -> None:
    assert talk_of(text).statements[0].words == words


def test_a_sentence_is_one_statement_but_for_what_is_doubted() -> None:
    said = [statement.words for statement in talk_of("the shed is dry and i painted the door").statements]
    assert said == ["the shed is dry and i painted the door"]
    said = [
        statement.words for statement in talk_of("the shed is dry, if it rains we paint the door").statements
    ]
    assert said[0] == "the shed is dry"


def test_names_and_people_of_a_talk_are_collected() -> None:
    talk = talk_of("my sister Ulla met Bertram at the Kestrel Arms", asks("Ulla again!"))
    assert {"Ulla", "Bertram"} <= set(talk.named)
    assert talk.named.count("Ulla") == 2
    assert talk.people == {"Ulla"}


# What it answers


@pytest.mark.parametrize(
    ("question", "answer", "words"),
    [
        ("Which colour do you want?", "sage green", "sage green"),
        ("How many guests will there be?", "23", "23"),
        ('Shall I call it "Harbour light" or "Morning fog"?', "the second one", "Morning fog"),
        ("Oiled, painted or waxed?", "the last one", "waxed"),
        ("Do you want it oiled or painted?", "painted", "painted"),
    ],
)
def test_an_answer_is_joined_to_its_question(question: str, answer: str, words: str) -> None:
    statement = last(asks(question), answer)
    assert (statement.asked, statement.words) == (question, words)
    assert statement.kind in ("answer", "choice")


def test_a_choice_by_its_place_is_what_was_on_offer() -> None:
    statement = last(asks("I have three ideas: 1. a kite 2. a kayak 3. a tent"), "2 please")
    assert (statement.kind, statement.words) == ("choice", "a kayak")


def test_a_german_choice_is_read_too() -> None:
    statement = last(asks("Lieber geölt oder lackiert?"), "das zweite", language="de")
    assert (statement.kind, statement.words) == ("choice", "lackiert")


def test_a_yes_to_an_offer_is_no_answer_worth_keeping() -> None:
    statement = last(asks("Shall I book the table?"), "yes")
    assert (statement.asked, statement.content) == ("", frozenset())


def test_a_question_of_the_speaker_is_no_answer() -> None:
    statement = last(asks("Which colour do you want?"), "which ones are there?")
    assert statement.asked == ""
    assert "asked" in statement.doubts


@pytest.mark.parametrize(
    "text", ["rings. we took the plain silver ones", "rings: we took the plain silver ones"]
)
def test_a_noun_alone_is_the_topic_of_the_next_sentence(text: str) -> None:
    statement = only(talk_of(text))
    assert (statement.topic, statement.words) == ("rings", "we took the plain silver ones")


def test_what_judges_is_no_topic_of_the_next_sentence() -> None:
    statements = talk_of("looks good. tests run with tox, mostly").statements
    assert [(statement.topic, statement.words) for statement in statements][-1] == (
        "",
        "tests run with tox, mostly",
    )


def test_id_without_an_apostrophe_begins_a_clause_only_before_a_verb() -> None:
    statement = only(talk_of("branch names start with the ticket id, e.g. BILL-123-fix"))
    assert statement.words == "branch names start with the ticket id, e.g. BILL-123-fix"
    assert [statement.words for statement in talk_of("i take the train id prefer a bus").statements][
        -1
    ].endswith("id prefer a bus")


def test_whom_one_greets_is_no_topic() -> None:
    statement = talk_of("Hello dear. My grandson Alfie set this up").statements[-1]
    assert (statement.topic, statement.words) == ("", "My grandson Alfie set this up")


# How sure it is


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("does the ferry go at nine?", "asked"), ("what time does the ferry go", "asked"),
        ("whats annas number", "asked"), ("quick question, is Anna in the choir", "asked"),
        ("if it rains we take the car", "supposed"), ("Tom said the ferry is broken", "reported"),
        ("maybe we take the car", "hedged"), ("2,000 from the co-op, i think", "hedged"),
        ("the kiosk is closed today", "moment"), ("i'm so tired of this", "mood"),
        ("i live on the moon lol", "joke"), ("i live on the moon ;)", "joke"),
        ("i live on the moon 😂", "joke"), ("i live on the moon, jk", "joke"),
        ("i live on the moon. haha", "joke"), ("i live on the moon. just kidding!", "joke"),
    ],
)  # fmt: skip
def test_doubts_are_told(text: str, doubt: str) -> None:
    assert doubt in talk_of(text).statements[0].doubts


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("geht die Fähre um neun?", "asked"),
        ("wenn es regnet, nehmen wir das Auto", "supposed"),
        ("Tom sagt, die Fähre ist kaputt", "reported"),
        ("vielleicht nehmen wir das Auto", "hedged"),
        ("ich wohne auf dem Mond haha", "joke"),
        ("ich wohne auf dem Mond. nur spaß", "joke"),
    ],
)
def test_doubts_are_told_in_german(text: str, doubt: str) -> None:
    assert doubt in talk_of(text, language="de").statements[0].doubts


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("my son Jo is 7 and has the flu", "en", "my son Jo is 7 and has the flu"),
        ("Mein Sohn Jannis ist 7 und hat Zöliakie", "de", "Mein Sohn Jannis ist 7 und hat Zöliakie"),
        ("Wir haben zwei Neue, jetzt sind es 26", "de", "Wir haben zwei Neue, jetzt sind es 26"),
        ("jetzt ist die Werkstatt in Kiel", "de", "jetzt ist die Werkstatt in Kiel"),
        ("Morgen ist der Zahnarzt", "de", "Morgen ist der Zahnarzt"),
        ("i eat fish again", "en", "i eat fish again"),
    ],
)
def test_a_verb_in_front_asks_only_where_its_clause_begins(text: str, language: str, words: str) -> None:
    said = last(text, language=language)
    assert (said.words, "asked" in said.doubts) == (words, False)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("und ist das Wasser kalt", "de"), ("guten morgen ist der Saal frei", "de"),
        ("ich geh los, hast du den Schlüssel", "de"), ("im off, is Anna in", "en"), ("i'm leaving and have you got the key", "en"),
    ],
)  # fmt: skip
def test_a_question_without_its_mark_stays_one(text: str, language: str) -> None:
    assert "asked" in last(text, language=language).doubts


@pytest.mark.parametrize(
    "text",
    [
        "i live in leeds",
        "i live in leeds. my boss is in a band lol",
        "haha ok. so i live in leeds",
        "do you know it? i live in leeds",
        "i read JK Rowling. i live in leeds",
        "i live in leeds, where are you",
        "not sure if i told you, i live in leeds",
        "don't know if she is coming, i live in leeds",
        "idk if it matters but i live in leeds",
    ],
)
def test_a_doubt_about_something_else_does_not_spread(text: str) -> None:
    (statement,) = [statement for statement in talk_of(text).statements if "leeds" in statement.words]
    assert statement.doubts == frozenset()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "for my novel: I live in Atlantis and I own a trident"), ("de", "für meinen Roman: ich wohne in Atlantis"), ("fr", "pour mon roman : je vis à Atlantis"),
        ("es", "para mi novela: vivo en Atlantis"), ("it", "per il mio romanzo: abito ad Atlantide"), ("nl", "voor mijn roman: ik woon in Atlantis"),
        ("pt", "para o meu romance: moro em Atlântida"), ("en", "a verse from my poem: my home is in Avalon"), ("en", "what does this lyric mean: my heart is in Havana"),
        ("en", "make it rhyme. I own three parrots"), ("en", "rewrite in the third person. I own three parrots"),
    ],
)  # fmt: skip
def test_what_somebody_makes_up_or_shows_is_not_told_of_them(language: str, text: str) -> None:
    assert not [
        claim for statement in talk_of(text, language=language).statements for claim in statement.assertions
    ]


@pytest.mark.parametrize("text", ["remember: the shed key is under the pot", "note to self: the shed key is under the pot", "dont forget that the shed key is under the pot", "for your notes: the shed key is under the pot"])  # fmt: skip
def test_what_is_to_be_remembered_is_stressed(text: str) -> None:
    statement = talk_of(text).statements[-1]
    assert statement.stressed
    assert "the shed key is under the pot" in statement.words


def test_a_sign_of_change_a_figure_and_a_word_of_health_are_seen() -> None:
    assert last("we take the car now after all").change
    assert not last("we take the car").change
    assert last("the car costs 900").firm
    assert last("my brother has asthma").firm
    assert not last("the car is red").firm


def test_a_correction_within_a_turn_stands_with_what_it_corrects() -> None:
    statement = last("the dentist is at 11am, no wait 13:00")
    assert statement.words == "the dentist is at 13:00"
    assert statement.instead == "13:00, first 11am"
    assert statement.quote == "the dentist is at 13:00"


# What is left out


def test_words_of_others_are_named_and_not_read() -> None:
    talk = talk_of(
        'my landlord sent this\n> the rent is 900\n> from june\n"We are sorry. We are very sorry."'
    )
    assert not any("900" in statement.words or "sorry" in statement.words for statement in talk.statements)
    assert {(text.who, text.line) for text in talk.pasted} == {("Nora", 1)}


@pytest.mark.parametrize(
    "text",
    [
        "the flag isn't what we want, we want the flag to be `--local-clock`, default is UTC",
        "at the end of a `shop sync` we KNOW the file changed, so the extra request is wasted",
        "the Otter loader polls every second while the Heron, Plover and Stork loaders use inotify events",
        "the config lives in ~/conf/app_config.yaml (not in the repo)",
        "we deploy with `make ship` from ../ops/deploy.sh every friday",
        'we keep the keys in "the blue drawer of the desk" (second floor)',
        "my backup host is “heron” [the old one]",
        "the nightly script needs --dry_run_all on the server",
        "our docs are at https://docs.heron.example/a_b/(c) and the wiki stands below it",
        "always sign my mails with Maren P., not Maren Petersen",
        "we always call push(batch, 3) with an empty list first",
        "our order numbers match ^[A-Z]{2}-[0-9]{4}$ and nothing else",
        "our test names follow should_<verb>_when_<state>",
        "we keep the keys in config[prod][db] (never config[dev])",
    ],
)
def test_what_somebody_says_is_kept_whole(text: str) -> None:
    assert [statement.words for statement in talk_of(text).statements] == [text]


PIECES = (
    "my", "the", "rent", "is", "900", "we", "use", "heron", "and", "because", "not", "a", "backup", ",", ".", ";", "(", ")", "[", "]", "{", "}", '"', "“", "”",
    "`make ship`", "`a`", "../billing", "~/conf/app.yaml", "/etc/hosts", "--dry-run", "https://a.example/x_(y)", "f(x)", "{k: 1}", "«", "»", "…", "😂", "–", "don’t",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), min_size=3, max_size=24), st.sampled_from((" ", " ", "")))
@settings(max_examples=100)
def test_what_is_kept_stands_in_what_was_typed_and_its_brackets_are_closed(
    pieces: list[str], gap: str
) -> None:
    typed = f"my backup host {gap.join(pieces)}"
    for statement in talk_of(typed).statements:
        assert statement.words in " ".join(typed.split())
        assert is_closed(statement.words), statement.words


@pytest.mark.parametrize(
    "typed",
    [
        "we use heron because - ( (a ] rent … ) } ] we and b) rent",
        'we use heron and 5" have 900 ] the backup : 5" not a « b) » rent is 900',
        "my rent [is ) 900] and heron } is a backup",
    ],
)
def test_brackets_that_cross_part_what_is_kept(typed: str) -> None:
    for claim in claims_of(talk_of(typed)):
        assert is_closed(claim.value.replace('5"', "5")), claim.value
        assert claim.value in typed


def is_closed(text: str) -> bool:
    """True where each bracket and each quote closes what was opened last."""
    closers = {"(": ")", "[": "]", "{": "}", "“": "”", "«": "»", '"': '"'}
    waiting: list[str] = []
    for sign in text:
        if waiting and sign == waiting[-1]:
            waiting.pop()
        elif sign in closers:
            waiting.append(closers[sign])
        elif sign in closers.values():
            return False
    return not waiting


def test_a_sentence_that_nobody_types_is_not_read() -> None:
    long = "the shed key is under the pot and " * 20
    assert len(long) > LONGEST
    assert talk_of(long).statements == ()
    assert only(talk_of(f"{long}. i live in leeds")).words == "i live in leeds"


# Any talk

PIECES = st.sampled_from(
    [
        "i live in leeds", "my sister Ulla ", "is ", "no wait ", "13:00", ". ", ", ", "\n", "?", "!", "lol", " maybe ", "remember: ", "the second one",
        "ich wohne ", "wir haben ", "entschieden", "keine Listen bitte", "> quoted\n", '"said she. ok."', "`code`", "rings. ", "900 €", "and ", "she ",
        "says ", "always answer ", "[[x]]", "#tag ", "^l3", "[source:: x]", "😂", "Ana's ", "email ", "a@b.de", "x" * 150, "\x00", "﷽",
    ]
)  # fmt: skip
TURNS = st.tuples(
    st.sampled_from(("user Nora", "user Tom", "assistant Pip", "tool", "user", "system")),
    st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=80),
)


@settings(deadline=None)
@given(st.lists(TURNS, max_size=5), st.sampled_from(("en", "de")))
def test_whatever_is_said_statements_are_of_users_and_of_their_own_words(
    said: list[tuple[str, str]], language: str
) -> None:
    talk = talk_of(*said, names=("Ana", "Red Kayak"), language=language)
    assert talk == talk_of(*said, names=("Ana", "Red Kayak"), language=language)
    texts = {line: (who, text) for line, (who, text) in enumerate(said, 1)}
    for statement in talk.statements:
        who, text = texts[statement.line]
        assert who.startswith("user")
        assert statement.who == (who.partition(" ")[2] or "user")
        assert statement.words
        assert len(statement.words) <= 2 * LONGEST
        if not statement.instead and "no wait" not in text and statement.kind != "choice":
            plain = one_line(text.replace("’", "'"))
            assert all(token in plain.lower() for token in statement.content)
    assert all(text.who in ("Nora", "Tom", "user") for text in talk.pasted)


@pytest.mark.parametrize(
    "asked",
    ['say "\n" or "\t" or "red"?', '"." "," "?"', "1. \n2. x\n3. \n", '" " or "  "?', "Red or , or …?"],
)
def test_options_without_words_are_none(asked: str) -> None:
    statements = talk_of(("assistant", asked), "the second one").statements
    assert all(statement.words.strip() for statement in statements)


@pytest.mark.parametrize(
    ("language", "text", "last"),
    [
        ("en", "i say my prayers at nine", "i say my prayers at nine"),
    ],
)  # fmt: skip
def test_what_somebody_says_is_no_supposition(language: str, text: str, last: str) -> None:
    statement = talk_of(text, language=language).statements[-1]
    assert (statement.words, statement.doubts) == (last, frozenset())


def test_a_verb_of_being_alone_orders_nothing() -> None:
    assert not [
        statement for statement in talk_of("what would my tax be").statements if statement.kind == "order"
    ]


def test_a_doubt_in_a_reason_is_not_of_what_it_explains() -> None:
    statement = only(talk_of("we chose Hetzner because AWS would be too expensive"))
    assert statement.words == "we chose Hetzner because AWS would be too expensive"
    assert statement.doubts.isdisjoint({"supposed", "hedged"})
    assert not only(talk_of("I moved because my sister might live in Rome")).assertions


@pytest.mark.parametrize(
    "text", ["it could be that Lotte is allergic to kiwi", "podría ser que Lotte sea alérgica al kiwi"]
)
def test_what_may_be_so_is_doubted_of_whom_it_is(text: str) -> None:
    statement = only(talk_of(text))
    assert "hedged" in statement.doubts
    assert [(fact.entity, fact.field) for fact in statement.assertions] == [("Lotte", "allergy")]


@pytest.mark.parametrize(
    "text",
    [
        "the tin is gone, look in the shed",
        "Nils is out of the kitchen project, Ida runs it now",
        "the old number is dead, use 0176 559876",
        "the meeting on Tuesday is off, new date 12 May",
        "la clé n'est plus dans la boîte, regarde dans la cave",
    ],
)
def test_what_takes_the_place_of_what_ends_is_told_with_it(text: str) -> None:
    assert [statement.words for statement in talk_of(text).statements] == [text]


def test_a_request_behind_an_end_stands_for_itself() -> None:
    statements = talk_of("the meeting on Monday is cancelled, send me the notes").statements
    assert [statement.words for statement in statements] == [
        "the meeting on Monday is cancelled",
        "send me the notes",
    ]


def test_a_figure_answers_a_question_that_may_ask_for_more() -> None:
    statement = last(asks("Wie ist deine Adresse?"), "Lindenstr. 12", language="de")
    assert [(fact.field, fact.value) for fact in statement.assertions] == [("address", "Lindenstr. 12")]
