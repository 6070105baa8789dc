"""What a clause tells of what: entity, field and value, where all three can be told from its words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segments import talk_of

from memoryclaw.consolidation.reconcile import claims_of
from memoryclaw.talk.worth import verdict
from memoryclaw.text.prompts import one_line
from memoryclaw.vault.edits import SemanticFile, add_statement, set_fact
from memoryclaw.vault.fact_values import date_value, plain_key, plain_value
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS

NAMES = ("Ana", "Ben Lund", "projectX", "Slipway Road")


def assertions_of(text: str, language: str = "en") -> list[tuple[str, str, str, str]]:
    said = talk_of(text, names=NAMES, language=language).statements
    return [
        (assertion.entity, assertion.field, assertion.value, assertion.how)
        for statement in said
        for assertion in statement.assertions
    ]


@pytest.mark.parametrize(
    ("text", "language", "fact", "ended"),
    [
        ("we use Postgres not MySQL", "en", ("uses", "Postgres"), ("uses", "MySQL")),
        ("Ana works at Fugro rather than Shell", "en", ("works at", "Fugro"), ("works at", "Shell")),
        ("wir nutzen Postgres nicht MySQL", "de", ("uses", "Postgres"), ("uses", "MySQL")),
    ],
)
def test_the_other_value_that_is_denied_behind_one_ends(
    text: str, language: str, fact: tuple[str, str], ended: tuple[str, str]
) -> None:
    (said,) = talk_of(text, names=NAMES, language=language).statements
    assert [(assertion.field, assertion.value) for assertion in said.assertions] == [fact]
    assert [(ending.field, ending.value) for ending in said.ended] == [ended]


@pytest.mark.parametrize(
    ("text", "entity", "field", "value", "how"),
    [
        ("my email is nora@example.org", "", "email", "nora@example.org", "noun"),
        ("my new phone number is +49 170 1234567", "", "phone", "+49 170 1234567", "noun"),
        ("The deadline of projectX is 2026-04-10", "projectX", "deadline", "2026-04-10", "noun"),
        ("the deadline of projectX is 3 May", "projectX", "deadline", "3 May", "noun"),
        ("nginx's port is 8080", "nginx", "port", "8080", "noun"),
        ("the port of nginx is 8080", "nginx", "port", "8080", "noun"),
        ("Ana's birthday is 3 May", "Ana", "birthday", "3 May", "noun"),
        ("anas birthday is 3 May", "Ana", "birthday", "3 May", "noun"),
        ("the budget for Slipway Road is $14,000", "Slipway Road", "budget", "$14,000", "noun"),
        ("budget is 14k", "", "budget", "14k", "bare"),
        ("the deadline of projectX moved to 12 May", "projectX", "deadline", "12 May", "noun"),
        ("my rent is 900", "", "rent", "900", "noun"),
        ("my favourite drink is dry cider", "", "favorite drink", "dry cider", "noun"),
        ("Odile's favourite drink is Fanta", "Odile", "favorite drink", "Fanta", "noun"),
        ("my rent went up to 900", "", "rent", "900", "noun"),
        ("Ana's email is ana@example.org now", "Ana", "email", "ana@example.org", "noun"),
        ("i live in Leeds", "", "lives in", "Leeds", "verb"),
        ("i work at Siemens", "", "works at", "Siemens", "verb"),
        ("i'm allergic to nuts", "", "allergy", "nuts", "verb"),
        ("Ana is allergic to nuts", "Ana", "allergy", "nuts", "verb"),
        ("Ana's allergic to nuts", "Ana", "allergy", "nuts", "verb"),
        ("i hate coriander", "", "dislikes", "coriander", "verb"),
        ("you can reach Ana at ana@example.org", "Ana", "email", "ana@example.org", "contact"),
        ("my sister Ulla sails", "", "sister", "Ulla", "role"),
        ("i was born on 3 May", "", "birthday", "3 May", "verb"),
        ("I turn 40 on the 3rd of May", "", "birthday", "3rd of May", "verb"),
        ("Ana will be 23 on July 9", "Ana", "birthday", "July 9", "verb"),
        ("my phone number is now +49 30 2222", "", "phone", "+49 30 2222", "noun"),
        ("we live at 14 Mill Lane", "", "address", "14 Mill Lane", "verb"),
        ("Ben Lund lives in Leeds", "Ben Lund", "lives in", "Leeds", "verb"),
        ("our contact at Slipway Road is Ben Lund", "Slipway Road", "contact", "Ben Lund", "noun"),
        ("budget for projectX: 9,500 euros", "projectX", "budget", "9,500 euros", "noun"),
        ("my new shoe size: 41", "", "shoe size", "41", "noun"),
        ("deadline projectX: 12 May, not later", "projectX", "deadline", "12 May", "noun"),
        ("Ana has a new number, 0161 496 0000", "Ana", "phone", "0161 496 0000", "noun"),
        ("found a new dentist, Dr Petrov", "", "dentist", "Dr Petrov", "role"),
        ("The neighbours moved. new address is 14 Mill Lane", "", "address", "14 Mill Lane", "bare"),
        ("i am a nurse at a small hospice", "", "is", "a nurse at a small hospice", "verb"),
        ("Ana is a retired welder", "Ana", "is", "a retired welder", "verb"),
        ("i'm vegan", "", "is", "vegan", "verb"),
        ("to be clear - i am 41 years old now", "", "age", "41 years old", "verb"),
        ("i'm 41", "", "age", "41", "verb"),
        ("i own Spindle Yarns", "", "owns", "Spindle Yarns", "verb"),
        ("we use pnpm", "", "uses", "pnpm", "verb"),
        ("please put my docker username: nlund", "", "docker username", "nlund", "noun"),
        ("the sign i want is for my bakery company, 'Lund & Sons'", "", "bakery company", "Lund & Sons", "noun"),
    ],
)  # fmt: skip
def test_a_clause_tells_of_what_it_names(text: str, entity: str, field: str, value: str, how: str) -> None:
    assert assertions_of(text) == [(entity, field, value, how)]


@pytest.mark.parametrize(
    ("text", "entity", "field", "value"),
    [
        ("meine E-Mail ist nora@example.org", "", "email", "nora@example.org"),
        ("Anas Geburtstag ist am 3. Mai", "Ana", "birthday", "3. Mai"),
        ("Frau Adlers Nummer ist 0361 998877", "Frau Adler", "phone", "0361 998877"),
        ("das Budget von projectX ist 900 Euro", "projectX", "budget", "900 Euro"),
        ("der Port von nginx ist 8080", "nginx", "port", "8080"),
        ("ich wohne in Köln", "", "lives in", "Köln"),
        ("ich bin allergisch gegen Nüsse", "", "allergy", "Nüsse"),
        ("ich hasse Koriander", "", "dislikes", "Koriander"),
        ("Budget für projectX: 900 Euro", "projectX", "budget", "900 Euro"),
        ("Ana hat eine neue Nummer, 0161 496 0000", "Ana", "phone", "0161 496 0000"),
        ("ich bin Lehrerin an einer Grundschule", "", "is", "Lehrerin an einer Grundschule"),
        ("ich bin 41 Jahre alt", "", "age", "41 Jahre alt"),
    ],
)
def test_german_words_give_the_same_fields(text: str, entity: str, field: str, value: str) -> None:
    assert [assertion[:3] for assertion in assertions_of(text, "de")] == [(entity, field, value)]


def test_what_is_said_of_a_thing_of_mine_is_not_said_of_me() -> None:
    assert assertions_of("mein neues Auto ist ein Skoda", "de") == []


@pytest.mark.parametrize(
    "text",
    [
        "is my birthday on 3 May?", "if my budget is 900 we stay", "my email is not x@example.org",
        "my job is great", "the main thing is that it works", "it is 900", "they live in Leeds",
        "Tom said his email is x@example.org", "the ferry leaves at nine", "i am allergic to mondays",
        "what i need is a kayak", "i got a new phone, 2 days old", "i study 3 days and work the rest",
        "he raised me and my sister who is 5 years younger than me", "the price of the second one is 20",
        "note: 5", "is the budget for projectX: 900?", "the birth rate of a heron is 40%",
        "the price of each ticket is 20", "the port of your server is 8080", "your budget is 900",
        "her rent is 900", "i met Ana, her name is Ruth", "their deadline is 12 May",
        "my keyboard is doing something odd", "when i use vim it breaks", "i have a problem with my car",
        "i have a question", "i take 30 min to eat", "i'm an hour late", "we're 4 tonight",
        "i'm a bit tired", "i'm on a loaner laptop", "i am a great fan", "React is a library",
        "i was a nurse", "my new one is a joy", "let us talk about my job: i hate it", "",
        "im a 43 now", "i'm an idiot", "Tom moved to the Leeds office",
        "I'm back in Hull for a week",
    ],
)  # fmt: skip
def test_what_does_not_say_what_of_what_tells_nothing(text: str) -> None:
    assert assertions_of(text) == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "i dont live in Leeds"), ("en", "i no longer live in Leeds"),
        ("en", "i used to live in Leeds"), ("en", "i don't work at Siemens anymore"),
        ("en", "i'm not allergic to nuts"), ("en", "Ana isn't allergic to nuts"),
        ("en", "my rent isn't 900"), ("en", "my rent was 900"), ("en", "my boss was Marlene"),
        ("en", "my sister isn't called Ulla"), ("en", "i want to live in Leeds"),
        ("en", "i almost moved to Leeds"), ("de", "ich wohne nicht in Köln"),
        ("de", "ich wohne nicht mehr in Köln"), ("de", "ich bin nicht allergisch gegen Nüsse"),
        ("de", "meine Miete war 900 Euro"),
    ],
)  # fmt: skip
def test_what_is_denied_wished_or_held_once_is_no_value_of_today(language: str, text: str) -> None:
    assert assertions_of(text, language) == []


def test_a_denial_may_be_the_verb_or_the_change_may_be_told_in_the_past() -> None:
    assert assertions_of("i can't stand coriander") == [("", "dislikes", "coriander", "verb")]
    assert assertions_of("the deadline of projectX was moved to 12 May")[0][:3] == (
        "projectX",
        "deadline",
        "12 May",
    )


@pytest.mark.parametrize(
    ("language", "text", "field", "value", "since"),
    [
        ("en", "we moved to Cork three days ago", "lives in", "Cork", "2026-03-07"),
        ("en", "i moved last month to Cork", "lives in", "Cork", "2026-02-01"),
        ("en", "i work since february at Siemens", "works at", "Siemens", "2026-02-01"),
        ("en", "i moved to Cork last year", "lives in", "Cork", ""),
        ("en", "my rent is 900 since february", "rent", "900", "2026-02-01"),
        ("en", "i work at Monday Books", "works at", "Monday Books", ""),
        ("de", "ich wohne seit gestern in Köln", "lives in", "Köln", "2026-03-09"),
        ("de", "ich arbeite bei Siemens seit Februar", "works at", "Siemens", "2026-02-01"),
    ],
)  # fmt: skip
def test_a_time_is_no_part_of_a_value_but_its_day(
    language: str, text: str, field: str, value: str, since: str
) -> None:
    claims = [claim for claim in claims_of(talk_of(text, names=NAMES, language=language)) if claim.field]
    assert [(claim.field, claim.value, claim.since) for claim in claims] == [(field, value, since)]


def test_what_begins_later_is_kept_as_it_was_said() -> None:
    [claim] = claims_of(talk_of("i work at Siemens from next monday"))
    assert (claim.field, claim.value) == ("", "i work at Siemens from next monday")


@pytest.mark.parametrize(
    "text",
    [
        "Ana's sister lives in Leeds",
        "Ana moved to platform",
        "Ana moved to 2 November at 16:00",
        "Ana works at home",
        "the projectX call moved to 9:40",
        "my yoga class moved to Kiel",
    ],
)
def test_what_belongs_to_somebody_is_not_that_one(text: str) -> None:
    assert [assertion for assertion in assertions_of(text) if assertion[3] != "bare"] == []


@pytest.mark.parametrize(
    ("language", "text", "entity"),
    [
        ("en", "projectX is in trouble, the budget is 12k now", "projectX"),
        ("en", "projectX again. budget is 12k now", "projectX"),
        ("en", "they cut the budget of projectX to 12k", "projectX"),
        ("en", "projectX and Slipway Road are in trouble, the budget is 12k now", ""),
        ("en", "Nora here, budget is 12k now", ""),
        ("en", "Ana is in trouble. her budget is 12k", "Ana"),
        ("de", "projectX verzögert sich, das Budget ist jetzt 12.000 Euro", "projectX"),
    ],
)
def test_a_field_without_an_owner_is_of_the_one_thing_that_was_named(
    language: str, text: str, entity: str
) -> None:
    assertions = [assertion for assertion in assertions_of(text, language) if assertion[1] == "budget"]
    assert [(assertion[0], assertion[3]) for assertion in assertions] == [
        (entity, "noun" if entity == "Ana" else "bare")
    ]


def test_what_is_on_its_way_somewhere_is_not_of_that_place() -> None:
    assert assertions_of("my flight to Slipway Road is on 2 April at 6:40") == []


def test_a_german_noun_behind_an_article_is_no_name() -> None:
    assert assertions_of("das Budget des Umbaus ist 900 Euro", "de") == []


def test_the_value_is_only_as_long_as_a_value_is() -> None:
    assert (
        assertions_of("my plan is to leave at nine and then go on to the lake with the children and the dog")
        == []
    )


def test_of_two_clauses_each_tells_its_own() -> None:
    assert assertions_of("i live in Leeds and i work at Siemens") == [
        ("", "lives in", "Leeds", "verb"),
        ("", "works at", "Siemens", "verb"),
    ]


PIECES = st.sampled_from(
    [
        "my email is ", "i live in ", "remember: ", "Ana's ", "the deadline of projectX is ", "[[", "]]", "::", "5 May", "Kiel", "\n", ". ", ", ",
        " and ", '"', "^l3", "[since:: 2020]", "`", "%%", "a@b.de", "i hate ", "x" * 130, "😂", "- ", "# ", "always send ", ": ", "\t", "é", "|",
        "## History\n", "my sister ", "Ulla ", "is ", "called ", "+49 170 12345678", "---\n", "(source:: x)", "[ ] ", "\\", "<b>", "$9",
    ]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_whatever_is_said_each_claim_can_be_written_and_reads_back_as_it_was_made(text: str) -> None:
    """As a fact or a statement below its entity, in the speaker's words, and without touching what stands beside it."""
    file = SemanticFile("semantic/facts.md", DEFAULT_COLLECTIONS)
    for claim in claims_of(talk_of(text, names=NAMES)):
        assert claim.value == plain_value(claim.value)
        entity, note = plain_key(claim.entity), "# Other\n- a: b\n"
        if claim.is_statement:
            done = add_statement(
                note, file, entity=entity, words=claim.value, said=claim.said, source="ep#^l1", replaces=()
            )
        else:
            field = plain_key(claim.field)
            done = set_fact(note, file, entity=entity, field=field, value=claim.value, source="ep#^l1")
        facts = file.facts(done.text).facts
        assert [(f.entity, f.field, f.value) for f in facts if f.entity == "Other"] == [("Other", "a", "b")]
        (made,) = [f for f in facts if f.entity != "Other"]
        assert (made.entity, made.source.partition("#")[0]) == (entity, "ep")
        assert made.is_statement == claim.is_statement
        if not claim.is_statement:
            assert (made.field, made.value) == (plain_key(claim.field), claim.value)
        assert claim.quote in one_line(text.replace("’", "'")) or "no wait" in text or not claim.quote


@pytest.mark.parametrize(
    "text", ["my phone is [REDACTED:phone:0a1b2c3d]", "remember: my password is [REDACTED:password:0a1b2c3d]"]
)
def test_a_secret_that_was_taken_out_is_no_value(text: str) -> None:
    assert assertions_of(text) == []
    assert not any("REDACTED" in claim.value for claim in claims_of(talk_of(text)))


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("my number changed, it's 0161 496 0202", "phone", "0161 496 0202"),
        ("the rent changed. It is 950 now", "rent", "950"),
        ("my new email is nora@example.org", "email", "nora@example.org"),
        ("my new laptop is an m4 macbook", "laptop", "an m4 macbook"),
        ("i moved from Kiel to Leeds", "lives in", "Leeds"),
        ("i moved from Kiel to Leeds last month", "lives in", "Leeds"),
        ("we have a new vet, Dr Okoro", "vet", "Dr Okoro"),
        ("i had my shoe size wrong, it's 43", "shoe size", "43"),
    ],
)
def test_a_new_value_is_told_with_a_sign_of_change(text: str, field: str, value: str) -> None:
    [said] = [said for said in talk_of(("user Nora", text)).statements if said.assertions]
    assert [(fact.field, fact.value) for fact in said.assertions] == [(field, value)]
    assert said.change


def test_a_verb_at_the_end_is_read_as_one_at_the_beginning() -> None:
    for text in ("ich bin nach Bonn gezogen", "ich bin letzten Monat von Kiel nach Bonn gezogen"):
        assert assertions_of(text, "de") == [("", "lives in", "Bonn", "verb")]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("Ana no longer works at Fugro", ("Ana", "works at", "Fugro")),
        ("i'm no longer allergic to nuts", ("", "allergy", "nuts")),
        ("i don't live in Leeds any more", ("", "lives in", "Leeds")),
        ("Ana left Shell", ("Ana", "works at", "Shell")),
        ("Ana has left Shell", ("Ana", "works at", "Shell")),
        ("Ana left Shell for Fugro", ("Ana", "works at", "Shell")),
        ("i cancelled PureGym", ("", "*", "PureGym")),
        ("ich wohne nicht mehr in Köln", ("", "lives in", "Köln")),
        ("ich mag keinen Tee mehr", ("", "likes", "Tee")),
        ("ich nutze kein Jenkins mehr", ("", "uses", "Jenkins")),
        ("ich mag kein Lakritz", None),
        ("maybe Ana no longer works at Fugro", None),
        ("if i no longer live in Leeds we can meet", None),
        ("does Ana no longer work at Fugro?", None),
        ("i live in Leeds", None),
        ("Ana isn't allergic to nuts after all", ("Ana", "allergy", "nuts")),
        ("ana's not allergic to nuts after all", ("Ana", "allergy", "nuts")),
        ("i don't speak French", ("", "languages", "French")),
        ("ich bin nicht allergisch gegen Nüsse", ("", "allergy", "Nüsse")),
        ("i'm not only allergic to nuts", None),
        ("i'm not working at Siemens today", None),
    ],
)
def test_what_holds_no_longer_is_told(text: str, end: tuple[str, str, str] | None) -> None:
    language = "de" if text.startswith("ich") else "en"
    ended = [
        fact
        for said in talk_of(("user Nora", text), names=NAMES, language=language).statements
        for fact in said.ended
    ]
    assert [(fact.entity, fact.field, fact.value) for fact in ended] == ([end] if end else [])


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("staging moved to port 5545", ("staging", "port", "5545")),
        ("I live at 14 Harbour Street, Whitby", ("", "address", "14 Harbour Street, Whitby")),
        ("I live at 14 Harbour Street, Thanks!", ("", "address", "14 Harbour Street")),
        ("our new address is 3 Mill Lane, 24103 Kiel", ("", "address", "3 Mill Lane, 24103 Kiel")),
        ("my address is 3 Mill Lane, 12 May", ("", "address", "3 Mill Lane")),
        (
            "my address is Flat 2, 3 Mill Lane, Leith EH6 7AB",
            ("", "address", "Flat 2, 3 Mill Lane, Leith EH6 7AB"),
        ),
        (
            "our address: The Old Mill, Mill Lane, Leith EH6 7AB",
            ("", "address", "The Old Mill, Mill Lane, Leith EH6 7AB"),
        ),
        ("my dentist is Dr Lund, Ada and Ben see her", ("", "dentist", "Dr Lund")),
        ("I live at 14 Harbour Street, but not for long", ("", "address", "14 Harbour Street")),
        ("vivo en la calle Mayor 3, Madrid", ("", "address", "calle Mayor 3, Madrid")),
        ("abito in via Roma 12", ("", "address", "via Roma 12")),
        ("j'habite au 12 rue des Lilas", ("", "address", "12 rue des Lilas")),
        ("ik woon op de Kerkstraat 5", ("", "address", "Kerkstraat 5")),
        ("ich wohne in der Lindenstraße 5, 53113 Bonn", ("", "address", "Lindenstraße 5, 53113 Bonn")),
        ("moro na rua das Flores, 10", ("", "address", "rua das Flores, 10")),
        ("ik woon nu op de Singel 40", ("", "address", "Singel 40")),
        ("vivo en Madrid desde 2019", ("", "lives in", "Madrid")),
        ("we have a new dog called Pepper", ("", "dog", "Pepper")),
        ("we have a new accountant, Mrs. Okafor", ("", "accountant", "Mrs Okafor")),
        ("my wife's name is Ingrid", ("", "wife", "Ingrid")),
        ("these days my favourite tea is rooibos", ("", "favorite tea", "rooibos")),
    ],
)
def test_a_value_is_whole_and_of_what_it_is_told(text: str, fact: tuple[str, str, str]) -> None:
    assert [assertion[:3] for assertion in assertions_of(text)] == [fact]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("We have a new vet. Her name is Dr. Okoro.", {("Nora", "vet", "Dr Okoro")}),
        ("Wir haben einen Hund. Er heißt Bruno.", {("Nora", "dog", "Bruno")}),
        ("I have a dog. He is called home by my son.", set()),
        ("The landlord is Mr Holt. The flat is damp, the rent is €900.", {("Nora", "landlord", "Mr Holt"), ("Nora", "rent", "€900")}),
        ("we use postgres 14 and run migrations with alembic", {("Nora", "uses", "postgres 14")}),
    ],
)  # fmt: skip
def test_what_goes_on_from_a_clause_is_told_of_it(text: str, claims: set[tuple[str, str, str]]) -> None:
    read = {(claim.entity, claim.field, claim.value) for claim in claims_of(talk_of(("user Nora", text)))}
    assert {claim for claim in read if claim[1]} == claims


def test_a_clause_without_a_subject_is_kept_with_the_one_it_goes_on_from() -> None:
    claims = claims_of(talk_of(("user Nora", "we use postgres 14 and run migrations with alembic")))
    assert [claim.value for claim in claims if not claim.field] == ["we use postgres 14 and run migrations with alembic"]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "ich werde am 3. Mai 40"),
        ("de", "Ana wird 40 am 3. Mai"),
        ("es", "cumplo 40 el 3 de mayo"),
        ("fr", "j'aurai 40 ans le 3 mai"),
        ("fr", "ma sœur Ana fête ses 40 ans le 3 mai"),
        ("it", "mia sorella Ana compie 40 anni il 3 maggio"),
        ("nl", "ik word op 3 mei 40"),
        ("pt", "minha irmã Ana faz 40 anos no dia 3 de maio"),
    ],
)
def test_the_day_on_which_somebody_turns_an_age_is_their_birthday(language: str, text: str) -> None:
    days = [value for _, field, value, _ in assertions_of(text, language) if field == "birthday"]
    assert [date_value(day, "2026-01-05") for day in days] == ["2026-05-03"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "we will be 7 on 4 March"),
        ("en", "Ana turns up on 4 March at 7"),
        ("en", "i will be 7 weeks in Spain from 4 March"),
        ("de", "ich werde am 9. Juli 23 Leute einladen"),
        ("fr", "j'aurai 40 invités le 3 mai"),
        ("nl", "ik word op 4 maart geopereerd"),
        ("pt", "faço 40 flexões em 3 de maio"),
    ],
)
def test_a_number_and_a_day_alone_are_no_birthday(language: str, text: str) -> None:
    assert "birthday" not in {field for _, field, _, _ in assertions_of(text, language)}


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [
        ("my number is 0176 559788 in case you need it", "en", "0176 559788"),
        ("my number is 0176 559788, if you need me", "en", "0176 559788"),
        ("meine Nummer ist 0176 559788, falls du sie brauchst", "de", "0176 559788"),
        ("mon numéro est le 0176 559788, au cas où", "fr", "0176 559788"),
    ],
)
def test_a_condition_out_of_courtesy_supposes_nothing(text: str, language: str, number: str) -> None:
    assert assertions_of(text, language) == [("", "phone", number, "noun")]


def test_other_conditions_suppose() -> None:
    [statement] = talk_of("my number would be 0176 559788 if I moved").statements
    assert "supposed" in statement.doubts


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("my freezer alarm is at -18 degrees", ("freezer alarm", "-18 degrees")),
        ("my balance is -£200", ("balance", "-£200")),
        ("my budget is 5-10 euros", ("budget", "5-10 euros")),
        ("i was born on March 3, 1984", ("birthday", "March 3, 1984")),
        ("my anniversary is June 12, 2015, at the lake", ("anniversary", "June 12, 2015")),
        ("i grew up in Cork but moved to Leeds in 2012", ("lives in", "Leeds")),
        ("i lease a van and live in Hull", ("lives in", "Hull")),
    ],
)
def test_a_value_keeps_its_sign_and_its_year_and_ends_where_the_next_clause_begins(
    text: str, fact: tuple[str, str]
) -> None:
    statements = talk_of(text).statements
    assert fact in [(claim.field, claim.value) for each in statements for claim in each.assertions]


@pytest.mark.parametrize(
    ("text", "language", "entity", "field", "value"),
    [
        ("the dog of my cousin is called Tufty", "en", "cousin", "dog", "Tufty"),
        ("my cousin's dog is called Tufty", "en", "cousin", "dog", "Tufty"),
        ("die Katze meines Bruders heißt Mohrle", "de", "bruder", "cat", "Mohrle"),
        ("die Nummer meines Vaters ist 0171 555 0199", "de", "vater", "phone", "0171 555 0199"),
        ("la jefa de mi hermano es Nuria", "es", "hermano", "manager", "Nuria"),
        ("le mari de ma cousine s'appelle Gaspard", "fr", "cousine", "husband", "Gaspard"),
        ("il cane di mia zia si chiama Birba", "it", "zia", "dog", "Birba"),
        ("de baas van mijn broer heet Wouter", "nl", "broer", "manager", "Wouter"),
        ("o gato da minha tia chama-se Tareco", "pt", "tia", "cat", "Tareco"),
    ],
)
def test_what_is_told_of_a_relatives_is_theirs_and_not_the_relatives_name(
    text: str, language: str, entity: str, field: str, value: str
) -> None:
    said = talk_of(("user", text), language=language).statements
    assert [assertion[:3] for statement in said for assertion in statement.assertions] == [
        (entity, field, value)
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [("el nombre de mi hermana es Alba", "es"), ("le prénom de ma sœur est Alba", "fr")],
)
def test_the_name_of_a_relative_is_the_relative(text: str, language: str) -> None:
    (said,) = talk_of(("user", text), language=language).statements
    assert [assertion[:3] for assertion in said.assertions] == [("", "sister", "Alba")]


def test_a_number_on_which_a_relative_is_reached_is_theirs() -> None:
    (said,) = talk_of(("user", "you can reach my mum on 07700 900123")).statements
    assert [assertion[:3] for assertion in said.assertions] == [("mum", "phone", "07700 900123")]


def test_a_favourite_colour_is_no_mood() -> None:
    (said,) = talk_of(("user", "my favourite colour is blue")).statements
    assert [assertion[1:3] for assertion in said.assertions] == [("favorite colour", "blue")]
    assert verdict(said).verdict == "fact"


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("we stopped using Trello", "en", "Trello"),
        ("we quit using Trello", "en", "Trello"),
        ("wir haben aufgehört Trello zu benutzen", "de", "Trello"),
        ("dejamos de usar Trello", "es", "Trello"),
        ("on a arrêté d'utiliser Trello", "fr", "Trello"),
        ("abbiamo smesso di utilizzare Trello", "it", "Trello"),
        ("we zijn gestopt met Trello", "nl", "Trello"),
        ("ik ben gestopt met Trello te gebruiken", "nl", "Trello"),
        ("paramos de usar o Trello", "pt", "Trello"),
    ],
)
def test_what_somebody_stopped_using_ends_and_is_not_used(text: str, language: str, value: str) -> None:
    (said,) = talk_of(("user", text), language=language).statements
    assert not said.assertions
    assert [(ending.field in ("uses", "*"), ending.value) for ending in said.ended] == [(True, value)]


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("tengo número nuevo, es el 622 55 66 11", "es", "622 55 66 11"),
        ("ho un numero nuovo, è 347 765 4311", "it", "347 765 4311"),
        ("tenho um número novo, é o 912 345 611", "pt", "912 345 611"),
        ("j'ai un nouveau numéro, c'est le 06 12 34 56 11", "fr", "06 12 34 56 11"),
    ],
)
def test_a_new_number_is_told_in_the_clause_behind(text: str, language: str, value: str) -> None:
    said = talk_of(("user", text), language=language).statements
    assert [assertion[1:3] for statement in said for assertion in statement.assertions] == [("phone", value)]
    assert any(statement.change for statement in said if statement.assertions)


@pytest.mark.parametrize(
    ("text", "language", "fact"),
    [
        ("June lives in Stroud", "en", ("June", "lives in", "Stroud")),
        ("Autumn is allergic to nuts", "en", ("Autumn", "allergy", "nuts")),
        ("Summer's email is s@dune.example", "en", ("Summer", "email", "s@dune.example")),
        ("a Inês Carvalho faz anos a 4 de maio", "pt", ("Inês Carvalho", "birthday", "4 de maio")),
        ("Inés cumple años el 4 de mayo", "es", ("Inés", "birthday", "4 de mayo")),
        ("Anna compie gli anni il 4 maggio", "it", ("Anna", "birthday", "4 maggio")),
        ("ma dentiste est la docteure Vasseur", "fr", ("", "dentist", "Docteure Vasseur")),
    ],
)
def test_a_name_is_one_by_what_is_told_of_it(text: str, language: str, fact: tuple[str, str, str]) -> None:
    (said,) = talk_of(("user", text), language=language).statements
    assert [assertion[:3] for assertion in said.assertions] == [fact]


@pytest.mark.parametrize(
    "text",
    [
        "June is cold",
        "Summer is here",
        "Dawn's early light is nice",
        "Hope this works",
        "D'accord : on y va. C'est bon",
    ],
)
def test_a_word_that_begins_a_sentence_is_no_name(text: str) -> None:
    said = talk_of(("user", text)).statements
    assert {(statement.about, statement.assertions) for statement in said} <= {("", ())}


def test_of_two_with_one_first_name_the_last_one_named_in_a_turn_is_meant() -> None:
    said = talk_of(
        ("user", "Marcus Lund lives in Aarhus. Marcus Bell lives in Truro."),
        ("user", "Marcus works at Tesco."),
    ).statements
    assert [assertion[:3] for assertion in said[-1].assertions] == [("Marcus Bell", "works at", "Tesco")]
