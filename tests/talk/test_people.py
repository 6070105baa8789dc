"""Names in a conversation, and who is what to whom."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from segments import talk_of

from memoryclaw.consolidation.reconcile import claims_of
from memoryclaw.talk.people import Names, relations
from memoryclaw.text.grammar import clauses, grammar
from memoryclaw.text.language import key_of


def names(*known: str, speaker: str = "Nora") -> Names:
    return Names({key_of(name): name for name in known}, [speaker])


def claims_in(text: str, language: str = "en") -> list[tuple[str, str, str]]:
    """Whose what somebody is, as a talk tells it."""
    said = talk_of(text, names=("Ana", "Ben Lund"), language=language).statements
    return [
        (assertion.entity, assertion.field, assertion.value)
        for statement in said
        for assertion in statement.assertions
        if assertion.how == "role"
    ]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("my sister Ulla sails", ("", "sister", "Ulla")),
        ("my sister chichi lives in oslo", ("", "sister", "Chichi")),
        ("my brother is called bertram", ("", "brother", "Bertram")),
        ("my sister is Ulla", ("", "sister", "Ulla")),
        ("Biscuit is my cat", ("", "cat", "Biscuit")),
        ("my dentist is ana", ("", "dentist", "Ana")),
        ("our cat biscuit is fat", ("", "cat", "Biscuit")),
        ("my new neighbour Ines plays the drums", ("", "neighbour", "Ines")),
        ("Ana's husband Tom cooks", ("Ana", "husband", "Tom")),
        ("i went there with my cousin Bertram", ("", "cousin", "Bertram")),
        ("my boss is José Ortega y Gasset", ("", "manager", "José Ortega y Gasset")),
        ("my boss is Ana Lucía de la Torre", ("", "manager", "Ana Lucía de la Torre")),
        ("my boss is called ana lucia de la torre", ("", "manager", "Ana Lucia de la Torre")),
    ],
)
def test_who_is_introduced_is_what_they_are_to_whom(text: str, relation: tuple[str, str, str]) -> None:
    assert claims_in(text) == [relation]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("meine Schwester Ulla segelt", ("", "sister", "Ulla")),
        ("mein Bruder heißt Bertram", ("", "brother", "Bertram")),
        ("meine Zahnärztin ist Ana", ("", "dentist", "Ana")),
        ("Anas Mann Tom kocht", ("Ana", "husband", "Tom")),
        ("mein Hausarzt ist jetzt Dr. Yilmaz, der alte ist in Rente", ("", "doctor", "Dr Yilmaz")),
    ],
)
def test_german_introductions_give_the_same_roles(text: str, relation: tuple[str, str, str]) -> None:
    (claim,) = claims_in(text, "de")
    assert (claim[0], claim[2]) == (relation[0], relation[2])


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "my sister is late"), ("en", "my sister is vegan"), ("en", "my brother is a baker"),
        ("en", "my boss is French"), ("en", "my sister will come on Monday"), ("en", "my friend went home"),
        ("en", "the sister of somebody"), ("en", "a doctor told me"), ("de", "meine Schwester ist krank"),
        ("de", "mein Bruder ist Bäcker"), ("de", "meine Mutter fährt Auto"),
    ],
)  # fmt: skip
def test_what_somebody_is_like_or_does_is_no_name(language: str, text: str) -> None:
    assert claims_in(text, language) == []


@pytest.mark.parametrize(
    ("language", "text", "who"),
    [
        ("de", "Frau Behrens ist unsere Hebamme", "Frau Behrens"), ("de", "Herr von Stein ist mein Vermieter", "Herr von Stein"),
        ("fr", "le docteur Petit est notre voisin", "Docteur Petit"), ("es", "la señora Ruiz es mi casera", "Señora Ruiz"),
        ("it", "il dottor Rossi è il mio padrone di casa", "Dottor Rossi"), ("nl", "meneer de Wit is mijn buurman", "Meneer de Wit"),
        ("pt", "o doutor Matos é o meu senhorio", "Doutor Matos"), ("en", "Mrs Oakes is my landlady", "Mrs Oakes"),
    ],
)  # fmt: skip
def test_a_name_with_its_title_is_introduced_before_the_role(language: str, text: str, who: str) -> None:
    assert [(row[0], row[2]) for row in claims_in(text, language)] == [("", who)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Frau Adler ist meine"), ("de", "Frau Adler war meine Chefin"), ("de", "die Frau von Jens ist meine Chefin"),
        ("de", "die Frau von Jens ist Anwältin"), ("en", "Dr Hale and Mrs Oakes are my neighbours"),
    ],
)  # fmt: skip
def test_a_title_is_no_relation(language: str, text: str) -> None:
    assert claims_in(text, language) == []


def test_one_who_was_introduced_is_known_by_name_from_then_on() -> None:
    said = talk_of("my sister chichi lives in oslo", "chichi has three cats").statements
    assert [(statement.about, statement.subject) for statement in said] == [
        ("", "relative"),
        ("Chichi", "named"),
    ]


def test_a_possessive_that_nobody_marks_is_one_of_a_known_name() -> None:
    known = names("Ana")
    (clause,) = clauses("anas sister Ulla sails", grammar("en"))
    assert [(r.whose, r.role, r.who) for r in relations(clause, grammar("en"), known)] == [
        ("Ana", "sister", "Ulla")
    ]
    assert "Ulla" in known.people


def test_names_are_found_by_a_part_with_a_possessive_and_in_any_case() -> None:
    known = names("Ben Lund", "projectX")
    assert known.in_text("ben's kayak and PROJECTX, not Benno") == ["Ben Lund", "projectX"]
    assert known.spelled("ben lund") == "Ben Lund"
    assert known.spelled("ulla maier") == "Ulla Maier"
    assert known.spelled("nginx-2X") == "nginx-2X"
    assert not known.is_name("lund's")  # a second name alone is not sure


def test_what_has_a_capital_inside_a_sentence_is_a_name_and_what_begins_one_is_not() -> None:
    known = names()
    known.learn(
        "Yesterday we met Ilse Brandt at the Kestrel Arms. Tomorrow is Monday, I think. SHOUTING IS LOUD.",
        "en",
    )
    assert known.in_text("ilse and the kestrel") == ["Ilse Brandt", "Kestrel Arms"]
    assert not any(
        known.is_name(word) for word in ("yesterday", "tomorrow", "monday", "i", "loud", "shouting")
    )


def test_the_capitals_of_a_headline_name_nobody() -> None:
    known = names()
    known.learn("Connect All Offices Wirelessly. My Name Is Ben Stone. Ilse Brandt Lives In Leeds.", "en")
    assert known.in_text("offices wirelessly and ben stone") == []


def test_a_german_noun_is_no_name_behind_an_article() -> None:
    known = names()
    known.learn("wir haben der Katze und dem Hund zugesehen, gestern kam Ilse Brandt", "de")
    assert known.is_name("ilse")
    assert not any(known.is_name(word) for word in ("katze", "hund"))


@given(st.text(max_size=80), st.sampled_from(("en", "de")))
def test_any_text_can_be_learned_and_its_names_stand_in_it(text: str, language: str) -> None:
    known = names("Ana")
    known.learn(text, language)
    assert all(name in ("Ana", "Nora") or name.split()[0] in text for name in known.in_text(f"{text} ana"))


def subjects(*turns: str | tuple[str, str]) -> list[tuple[str, str, str]]:
    """What is told of named persons."""
    return [
        (fact.entity, fact.field, fact.value)
        for said in talk_of(*turns).statements
        for fact in said.assertions
        if fact.entity
    ]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Maria Gomez's email is m@example.org", [("Maria Gomez", "email", "m@example.org")]),
        ("John Smith's phone is 0161 496 0101. Anna Smith's phone is 0161 496 0202.", [("John Smith", "phone", "0161 496 0101"), ("Anna Smith", "phone", "0161 496 0202")]),
        ("Nora Pell works at Shell. Nora Quist works at Fugro.", [("Nora Pell", "works at", "Shell"), ("Nora Quist", "works at", "Fugro")]),
        ("Luc Moreau habite à Lille. Luc Pétrel habite à Reims.", [("Luc Moreau", "lives in", "Lille"), ("Luc Pétrel", "lives in", "Reims")]),
        ("Peter Kurz wohnt in Hof. Peter Langs Telefonnummer ist 0161 496 0101", [("Peter Kurz", "lives in", "Hof"), ("Peter Lang", "phone", "0161 496 0101")]),
        ("Rosa lives in Paris", [("Rosa", "lives in", "Paris")]),
        ("Rosa is allergic to nuts", [("Rosa", "allergy", "nuts")]),
        ("Jan van der Berg lives in Delft", [("Jan van der Berg", "lives in", "Delft")]),
        ("Anneke van der Berg's phone number is 0161 496 0101", [("Anneke van der Berg", "phone", "0161 496 0101")]),
        ("J. R. Hartley works at Fugro", [("J. R. Hartley", "works at", "Fugro")]),
        ("A. J. Hartley lives in Leek", [("A. J. Hartley", "lives in", "Leek")]),
        ("April Jones's birthday is 1990-04-04", [("April Jones", "birthday", "1990-04-04")]),
        ("Mei Ling Chow's phone number is 0161 496 0101", [("Mei Ling Chow", "phone", "0161 496 0101")]),
        ("Will Turner lives in Ely", [("Will Turner", "lives in", "Ely")]),
        ("Will Turner live in Ely?", []),
        ("Mark Stone's birthday is 1977-07-07", [("Mark Stone", "birthday", "1977-07-07")]),
        ("Mark Siemens's email as spam", []),
        ("Hope Lindgren is allergic to nuts", [("Hope Lindgren", "allergy", "nuts")]),
        ("I met Maria today. Hope Maria lives in Bonn by now", []),
        ("Min Ho Park's email is mh@example.org", [("Min Ho Park", "email", "mh@example.org")]),
        ("Last week Rosa Kerr moved to Rye", [("Rosa Kerr", "lives in", "Rye")]),
        ("Jan van der Berg's phone is 0161 496 0101", [("Jan van der Berg", "phone", "0161 496 0101")]),
        ("Ingrid Solbergs Telefonnummer ist 0161 496 0101", [("Ingrid Solberg", "phone", "0161 496 0101")]),
        ("Karl von Trapp arbeitet bei Siemens", [("Karl von Trapp", "works at", "Siemens")]),
        ("my cousin Bea is a vegetarian", [("Bea", "is", "a vegetarian")]),
        ("my friend April is vegan", [("April", "is", "vegan")]),
        ("my brother Wen is tired", []),
        ("this is my neighbour tess warner, her email is tw@example.org", [("Tess Warner", "email", "tw@example.org")]),
        ("this is sanne de boer, her email is sb@example.org", [("Sanne de Boer", "email", "sb@example.org")]),
        ("my colleague ravi patel works at Shell", [("Ravi Patel", "works at", "Shell")]),
        ("my sister is called tess. she lives in Leith", [("Tess", "lives in", "Leith")]),
        ("this is rose gold, her email is rg@example.org", []),
        ("this is my sister crying again", []),
        ("this is Maya, works at Shell", [("Maya", "works at", "Shell")]),
        ("Maria Gomez is our new architect", [("Maria Gomez", "is", "architect")]),
        ("my brother Pieter works at Shell", [("Pieter", "works at", "Shell")]),
        ("Docker lives in containers", []),
        ("Stripe works at scale", []),
        ("Install Docker first", []),
    ],
)  # fmt: skip
def test_what_is_said_of_a_person_is_a_fact_of_the_whole_name(
    text: str, facts: list[tuple[str, str, str]]
) -> None:
    assert subjects(("user Nora", text)) == facts


def test_a_role_has_the_whole_name_also_at_the_beginning() -> None:
    assert claims_in("Maria Gomez is my new architect") == [("", "architect", "Maria Gomez")]


@pytest.mark.parametrize(
    "texts",
    [
        ["Maya is my flatmate, she lives in Leith"],
        ["Maya is my flatmate.", "She lives in Leith."],
        ["i met Maya yesterday. She lives in Leith"],
        ["Maya's birthday is 4 May, she lives in Leith"],
        ["i talked to Maya this morning", "she lives in Leith"],
    ],
)
def test_she_is_the_one_person_named_in_this_turn_or_the_two_before(texts: list[str]) -> None:
    turns = [turn for text in texts for turn in (("user Nora", text), ("assistant Pip", "Noted."))]
    assert ("Maya", "lives in", "Leith") in subjects(*turns)


def test_she_is_also_the_one_without_a_name_of_whom_something_was_just_told() -> None:
    assert ("Nora's mum", "lives in", "Leith") in subjects(
        ("user Nora", "my mum's birthday is 4 May, she lives in Leith")
    )


@pytest.mark.parametrize(
    "texts",
    [
        ["i met Maya and Ines. She lives in Leith"],
        ["Tom and Ben came. He lives in Leith"],
        ["my aunt Ines visited.", "my sister Maya came too.", "she lives in Leith"],
        ["my aunt Ines visited. my sister Maya came too. she lives in Leith"],
        ["She lives in Leith"],
        ["i went to Bristol", "she lives in Leith"],
        ["Maya is my flatmate.", "what a day", "She lives in Leith."],
    ],
)
def test_without_an_antecedent_or_with_two_nobody_is_meant(texts: list[str]) -> None:
    turns = [turn for text in texts for turn in (("user Nora", text), ("assistant Pip", "Noted."))]
    assert not [fact for fact in subjects(*turns) if fact[1] == "lives in"]


def test_a_first_name_alone_is_the_one_who_was_named_last() -> None:
    turns = ("John Smith works at Shell.", "John Doe works at Fugro.", "John lives in Leith.")
    assert subjects(*(("user Nora", text) for text in turns))[-1] == ("John Doe", "lives in", "Leith")


def about(*texts: str, name: str = "", language: str = "en") -> list[str]:
    """Whom the last of some turns tells of; empty for the speaker."""
    turns = [turn for text in texts for turn in ((f"user {name}".strip(), text), ("assistant Pip", "Noted."))]
    talk = talk_of(*turns, language=language)
    last = max(statement.turn for statement in talk.statements)
    return [statement.about for statement in talk.statements if statement.turn == last]


@pytest.mark.parametrize(
    ("texts", "who"),
    [
        (["Wilma only drinks rice milk"], "Wilma"),
        (["wilma only drinks rice milk"], "Wilma"),
        (["Otis broke his ankle"], "Otis"),
        (["no lentils when Otis comes over"], "Otis"),
        (["Aunt Colette can't sit near the door"], "Colette"),
        (["my nephew Emil is in year 4 at Hollins Primary"], "Emil"),
        (["my brother has a boat"], "brother"),
        (["mum has a boat"], "mum"),
        (["gf is lactose intolerant"], "gf"),
        (["my brother called", "he's bought a boat"], "brother"),
        (["I have a present for my dad, he fishes for carp", "he reads Westerns"], "dad"),
        (["the choir rehearses in the methodist hall"], "choir"),
        (["our quiz team needs a logo"], "quiz team"),
        (["Lena's bakery closes at 2 on saturdays"], "Lena's bakery"),
        (["my doctor put me on 40 mg of lisinopril"], ""),
        (["Anna's brother is a vet"], "Anna's brother"),
        (["her sister is a vet"], ""),
        (["my parents have a boat"], ""),
        (["the inspector slipped to the 23rd"], ""),
        (["our rent is due on the 3rd"], ""),
        (["Apples are for all"], ""),
        (["WAL didn't cut it for us"], ""),
        (["She's waiting for a job in Rochester", "She turns 23 on july 9"], ""),
    ],
)
def test_a_statement_tells_of_the_one_who_is_its_subject(texts: list[str], who: str) -> None:
    assert about(*texts) == [who]


@pytest.mark.parametrize(
    ("language", "text", "who"),
    [
        ("de", "Henning trinkt nur alkoholfreies Bier", "Henning"),
        ("en", "Torsten spielt Posaune", "Torsten"),
        ("fr", "Jean de La Tour boit du thé", "Jean de La Tour"),
        ("de", "Der Chor trifft sich jetzt dienstags um 19 Uhr", "Chor"),
        ("de", "Mein Schwager Detlef ist jetzt bei der Bahn", "Detlef"),
        ("es", "el equipo de pádel juega los jueves", "equipo de pádel"),
        ("fr", "Camille ne boit que du thé vert", "Camille"),
        ("it", "la Giulia ha preso un cane", "Giulia"),
        ("nl", "Joost rijdt tegenwoordig op een bakfiets", "Joost"),
        ("pt", "o Tiago só toma café descafeinado", "Tiago"),
    ],
)
def test_whom_a_statement_tells_of_is_read_in_other_languages(language: str, text: str, who: str) -> None:
    assert about(text, language=language) == [who]


@pytest.mark.parametrize(
    ("language", "texts", "facts"),
    [
        ("it", ["ieri ho visto Luca Ferri.", "Lavora alla Fiat e abita a Torino."], [("Luca Ferri", "works at", "Fiat"), ("Luca Ferri", "lives in", "Torino")]),
        ("it", ["Luca lavora alla Fiat.", "È allergico alle noci."], [("Luca", "works at", "Fiat"), ("Luca", "allergy", "noci")]),
        ("es", ["ayer vi a Lucía Torres.", "Trabaja en Iberia."], [("Lucía Torres", "works at", "Iberia")]),
        ("pt", ["A Joana é minha colega.", "Trabalha na Sonae."], [("Joana", "works at", "Sonae")]),
        ("de", ["gestern traf ich Katja.", "Sie wohnt in Bremen und arbeitet bei Siemens."], [("Katja", "lives in", "Bremen"), ("Katja", "works at", "Siemens")]),
        ("en", ["i met Maya.", "Works at Shell."], [("Maya", "works at", "Shell")]),
        ("it", ["ieri ho visto Luca e Marco.", "Lavora alla Fiat."], []),
        ("it", ["ieri ho visto Luca.", "Lavoro alla Fiat."], []),
        ("it", ["ieri ho visto Luca.", "Usa pnpm in questo progetto."], []),
        ("en", ["i met Maya.", "Works for me!"], []),
        ("en", ["Maya does infra, and there's a temp who i forget, lives in Lima"], []),
    ],
)  # fmt: skip
def test_a_verb_without_a_subject_tells_of_the_one_who_was_named(
    language: str, texts: list[str], facts: list[tuple[str, str, str]]
) -> None:
    turns = [turn for text in texts for turn in (("user", text), ("assistant Pip", "ok"))]
    statements = talk_of(*turns, language=language).statements
    assert [
        (fact.entity, fact.field, fact.value)
        for each in statements
        for fact in each.assertions
        if fact.entity
    ] == facts


def test_two_people_in_one_sentence_are_two_statements() -> None:
    assert about("Otis has a boat, Wilma has a van") == ["Otis", "Wilma"]


def test_the_relatives_of_one_who_is_named_are_theirs_by_name_until_their_own_is_told() -> None:
    assert about("my brother has a boat", name="Ann") == ["Ann's brother"]
    assert about("my brother Pieter sails", "my brother has a boat", name="Ann") == ["Pieter"]


def facts(text: str, language: str = "en") -> set[tuple[str, str, str]]:
    """What a talk tells of whom, without who is what to whom."""
    statements = talk_of(text, names=("Nora",), language=language).statements
    claims = [claim for statement in statements for claim in statement.assertions if claim.how != "role"]
    return {(claim.entity, claim.field, claim.value) for claim in claims}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("my wife, Ingrid, works at Fugro", ("Ingrid", "works at", "Fugro")),
        ("Pieter, my brother, lives in Ely", ("Pieter", "lives in", "Ely")),
        ("Rachel (my boss) lives in Oslo", ("Rachel", "lives in", "Oslo")),
        ("my brother Tom, who works at Shell, is here", ("Tom", "works at", "Shell")),
        ("my sister, who lives in York, is a nurse", ("Nora's sister", "lives in", "York")),
        ("a present for my mum, who loves gardening?", ("Nora's mum", "likes", "gardening")),
        ("I meet Ana (she's vegan), where should we eat?", ("Ana", "is", "vegan")),
    ],
)
def test_what_is_told_of_somebody_by_the_way_is_theirs(text: str, fact: tuple[str, str, str]) -> None:
    assert fact in facts(text)


def test_what_is_told_by_the_way_is_told_in_other_languages_too() -> None:
    assert facts("meine Frau, Anna, arbeitet bei Bosch", "de") == {("Anna", "works at", "Bosch")}
    assert ("Lucie", "lives in", "Lyon") in facts("ma soeur Lucie, qui habite à Lyon, est là", "fr")


@pytest.mark.parametrize(
    "text", ["my friends, Sam, Jo and Kit, are here", "Ana, Tom, my brother, and I cook", "book it for my wife, Nora"]
)  # fmt: skip
def test_a_list_and_who_is_called_introduce_nobody(text: str) -> None:
    assert claims_in(text) == []


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("what can I give my brother Tom for his 40th?", ("", "brother", "Tom")),
        ("name three gifts for my wife Ingrid", ("", "wife", "Ingrid")),
    ],
)
def test_whom_a_request_names_is_known(text: str, relation: tuple[str, str, str]) -> None:
    assert claims_in(text) == [relation]


def test_what_is_asked_or_supposed_of_somebody_is_not_told() -> None:
    assert claims_in("is my dentist Dr Lund or Dr Vogn?") == []
    assert claims_in("imagine my brother Tom were a pirate, what would he say?") == []


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("My brother Tom and his wife Elena have a baby. She works at Siemens.", "Elena"),
        ("My brother Tom and his wife Elena have a baby. He works at Siemens.", "Tom"),
        ("my cat Pip and my sister Ulla are home. She works at Siemens.", "Ulla"),
    ],
)
def test_a_she_is_no_brother_and_no_animal_where_a_person_was_named(text: str, who: str) -> None:
    assert facts(text) == {(who, "works at", "Siemens")}


def test_where_a_pronoun_may_mean_two_nothing_is_told() -> None:
    assert facts("I took my dog Bruno to Maya's yesterday. She lives in Leith.") == set()
    assert facts("I met Sofia. Her dog is called Max. She drives a Fiat.") == set()
    assert facts("Uso Notion para todo. Vive en la nube.", "es") == {("", "uses", "Notion")}


def test_a_question_is_kept_that_alone_says_of_whom_something_is_told() -> None:
    statement = talk_of("what can I cook for my dad? he can't eat gluten").statements[-1]
    assert statement.words == "what can I cook for my dad? he can't eat gluten"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("My mum, Jewish, keeps kosher.", "en"),
        ("My brother (Leeds) and my sister (Hull) call daily.", "en"),
        ("Claude, my friend, write a poem.", "en"),
        ("My father is the Mayor.", "en"),
        ("Mein Vater, Rentner, lebt in Graz.", "de"),
        ("Mi padre es el Alcalde.", "es"),
        ("How do you say my brother Max is tall in French?", "en"),
        ("Should I ask my boss Rachel or my boss Tim?", "en"),
        ("My manager, who Ana told me is gone, lives in Bath.", "en"),
    ],
)
def test_what_is_no_name_is_none_of_a_relative(text: str, language: str) -> None:
    assert claims_in(text, language) == []


def test_a_who_clause_leaves_the_rest_of_its_sentence() -> None:
    kept = [claim.value for claim in claims_of(talk_of("My cat, who is called Momo, is diabetic."))]
    assert "Momo" in kept
    assert "My cat, who is called Momo, is diabetic" in kept


def test_a_question_tells_whom_the_answer_means_and_no_firm() -> None:
    talk = talk_of(("assistant Pip", "How is Aoife?"), "grand, she lives in Cork now")
    assert {(c.entity, c.value) for s in talk.statements for c in s.assertions} == {("Aoife", "Cork")}
    talk = talk_of(("assistant Pip", "Did Microsoft reply?"), "They moved. He works at BP.")
    assert [c for s in talk.statements for c in s.assertions] == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("my wife Ana is away. her mum stays with us. she is allergic to nuts", "en"),
        ("my brother Ben is over. his boss hates remote work. he lives in Hull", "en"),
        ("meine Frau Ana ist weg. ihre Mutter zieht ein. sie ist allergisch gegen Nüsse", "de"),
    ],
)
def test_a_pronoun_behind_a_relative_of_a_relative_tells_no_fact_of_the_first(
    text: str, language: str
) -> None:
    assert facts(text, language) == set()


def test_a_pronoun_behind_one_relative_is_of_them() -> None:
    assert ("Ana", "allergy", "nuts") in facts("my wife Ana is away. she is allergic to nuts")
