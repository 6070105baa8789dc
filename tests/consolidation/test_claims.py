from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.consolidation.changes import Segment
from memoryclaw.consolidation.claims import claims_in, plain_key, plain_value
from memoryclaw.model import Turn
from memoryclaw.text.language import key_of
from memoryclaw.vault.edits import SemanticFile, set_fact
from memoryclaw.vault.logs import LogRange
from memoryclaw.vault.vocabulary import DEFAULT_COLLECTIONS

KNOWN = {
    "Boathouse Aarhus": ("Boathouse Aarhus", "boathouse"),
    "Zoë Achterberg": ("Zoë Achterberg", "Zoë"),
    "Priya Raman": ("Priya Raman", "Priya"),
    "Gunnar": ("Gunnar", "my father"),
    "projectX": ("projectX",),
    "Nora": ("Nora",),
}
NAMES = {key_of(name): entity for entity, names in KNOWN.items() for name in names}


def segment(*said, ts="2026-03-10T10:00:00Z"):
    """Turns as (role, name, text), or the words of Nora."""
    whole = [turn if isinstance(turn, tuple) else ("user", "Nora", turn) for turn in said]
    turns = tuple(
        Turn(f"log:s/{n}", "s", str(n), ts, role, name, text, n, n)
        for n, (role, name, text) in enumerate(whole, 1)
    )
    return Segment(LogRange("logs/2026-03-10/s.jsonl", 1, len(turns), "0" * 16), turns)


def told(*said, **more):
    return [(c.entity, c.field, c.value) for c in claims_in(segment(*said, **more), NAMES)]


def only(text):
    (claim,) = claims_in(segment(text), NAMES)
    return claim


@pytest.mark.parametrize(
    ("text", "entity", "field", "value"),
    [
        ("My email is nora@halde.example.com.", "Nora", "email", "nora@halde.example.com"),
        ("By the way, my new phone number is +49 170 1234567, delete the old one.", "Nora", "phone", "+49 170 1234567"),
        ("Zoë's email is zoe@halde.example.com now.", "Zoë Achterberg", "email", "zoe@halde.example.com"),
        ("Zoë is zoe@halde.example.com", "Zoë Achterberg", "email", "zoe@halde.example.com"),
        ("The deadline of Boathouse Aarhus moved to 18 December 2026.", "Boathouse Aarhus", "deadline", "2026-12-18"),
        ("The deadline for the boathouse has been postponed from 11 December to Friday, 18 December.", "Boathouse Aarhus", "deadline", "2026-12-18"),
        ("Boathouse Aarhus's deadline is now next Friday.", "Boathouse Aarhus", "deadline", "2026-03-13"),
        ("We moved the boathouse deadline to 18 December.", "Boathouse Aarhus", "deadline", "2026-12-18"),
        ("Boathouse Aarhus: the due date is 18 December", "Boathouse Aarhus", "deadline", "2026-12-18"),
        ("- projectX deadline: 5 May 2026", "projectX", "deadline", "2026-05-05"),
        ("The boathouse is due on 18 December.", "Boathouse Aarhus", "deadline", "2026-12-18"),
        ("The budget of the boathouse is 6.2 million DKK.", "Boathouse Aarhus", "budget", "6.2 million DKK"),
        ("The lead of the boathouse is Priya.", "Boathouse Aarhus", "lead", "Priya Raman"),
        ("Priya takes over the boathouse.", "Boathouse Aarhus", "lead", "Priya Raman"),
        ("Priya is now the lead for projectX.", "projectX", "lead", "Priya Raman"),
        ("My birthday is on 3 May.", "Nora", "birthday", "3 May"),
        ("I was born on 3 May 1979 in Lund.", "Nora", "birthday", "1979-05-03"),
        ("I moved to Berlin last month.", "Nora", "lives in", "Berlin"),
        ("I work at Studio Halde as an architect.", "Nora", "works at", "Studio Halde"),
        ("I work as a model maker.", "Nora", "works as", "a model maker"),
        ("I'm allergic to penicillin and amoxicillin.", "Nora", "allergy", "penicillin and amoxicillin"),
        ("I prefer tea over coffee in the morning.", "Nora", "prefers", "tea over coffee in the morning"),
        ("You know I love hiking, it keeps me sane!", "Nora", "likes", "hiking"),
        ("I don't like cilantro.", "Nora", "dislikes", "cilantro"),
        ('Please call me "Nono".', "Nora", "called", "Nono"),
        ("My favourite book is The Hobbit.", "Nora", "favorite book", "The Hobbit"),
        ("I don't eat meat.", "Nora", "diet", "no meat"),
        ("We celebrated my daughter Sara's birthday.", "Nora", "daughter", "Sara"),
        ("Priya loves cycling.", "Priya Raman", "likes", "cycling"),
        ("From now on, send the weekly update on Mondays.", "Nora", "from now on", "send the weekly update on Mondays"),
        ("Ich wohne in Köln.", "Nora", "lives in", "Köln"),
        ("Zoës Geburtstag ist am 11. Februar 1989.", "Zoë Achterberg", "birthday", "1989-02-11"),
        ("Die Frist für das Boathouse wurde auf den 18. Dezember verschoben.", "Boathouse Aarhus", "deadline", "2026-12-18"),
        ("Meine Telefonnummer ist 040 1234567.", "Nora", "phone", "040 1234567"),
        ("Ich bin allergisch gegen Nüsse.", "Nora", "allergy", "Nüsse"),
        ("Ich trinke lieber Tee als Kaffee.", "Nora", "prefers", "Tee als Kaffee"),
        ("Meine Frau heißt Ana.", "Nora", "wife", "Ana"),
        ("Merk dir, dass meine Miete 1200 Euro ist.", "Nora", "rent", "1200 Euro"),
    ],
)  # fmt: skip
def test_a_plain_statement_is_a_fact(text, entity, field, value):
    claim = only(text)
    assert (claim.entity, claim.field, claim.value) == (entity, field, value)
    assert (claim.confidence, claim.durable, claim.role, claim.said, claim.by) == (
        "high",
        True,
        "user",
        "2026-03-10",
        "patterns",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Is my birthday on 3 May?",
        "If I lived in Berlin, my rent is lower.",
        "My email is not x@y.de.",
        "The deadline of projectX is no longer 5 May.",
        "I used to live in Kiel.",
        "I lived in Kiel.",
        "I would prefer tea.",
        "He said his email is x@y.de",
        'She wrote "my email is x@y.de" on it.',
        "> My email is x@y.de",
        "```\nmy email is x@y.de\n```",
        "From: Ana\n\nMy email is x@y.de",
        "My favorite part is the end.",
        "I love how you did that.",
        "I love it.",
        "I love Melanie's painting.",
        "My job is stressful.",
        "My mother is French.",
        "My doctor is on Main Street.",
        "The main issue is that the build fails.",
        "The meeting moved to Friday.",
        "Otherwise an address is split at its last dot.",
        "Call me tomorrow.",
        "Never mind.",
        "From now on, I will be careful.",
        "Everyone likes sushi.",
        "Remember that my password is hunter2.",
        "My phone number is [REDACTED:phone:ab12].",
        "Zählerstand Strom: 48.213 kWh",
        "Hello, how are you.",
        "",
    ],
)
def test_what_states_nothing_yields_nothing(text):
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I think my birthday is on 3 May.",
        "Maybe my birthday is on 3 May.",
        "Ana said my birthday is on 3 May.",
        "Ich glaube, mein Geburtstag ist am 3. Mai.",
    ],
)
def test_a_hedge_or_the_word_of_another_makes_it_doubtful(text):
    assert only(text).confidence == "low"


@pytest.mark.parametrize(
    "text", ["I'm tired.", "I am so busy this week.", "My phone number is 040 1234567 right now."]
)
def test_what_holds_for_the_moment_is_marked(text):
    assert not only(text).durable


def test_a_date_of_today_is_no_passing_matter():
    claim = only("The deadline of projectX is today.")
    assert (claim.value, claim.durable) == ("2026-03-10", True)


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("I've lived in Oslo since 2019.", "2019-01-01"),
        ("From 1 May my rent is 1,200 EUR.", "2026-05-01"),
        ("Since March, my rent is 1,200 EUR.", "2026-03-01"),
        ("As of today Priya is the lead of Boathouse Aarhus.", "2026-03-10"),
        ("Ich wohne seit März in Kiel.", "2026-03-01"),
        ("Ab sofort ist meine E-Mail a@b.de", ""),
        ("We moved the deadline of projectX from 3 May to 5 May.", ""),
    ],
)
def test_since_when_it_holds_is_read_from_the_words(text, since):
    assert [c.since for c in claims_in(segment(text), NAMES)] == ([since] if "sofort" not in text else [])


def test_what_is_to_be_remembered_weighs_more():
    assert only("My locker is 12, remember that my locker code is 1234.").value == "1234"
    assert only("My favorite colour is green.").confidence == "medium"
    assert only("Please remember that my favorite colour is green.").confidence == "high"
    assert only("Can you remember that my favorite colour is green?").confidence == "high"
    assert only("Remember that I think my birthday is on 3 May.").confidence == "low"


def test_a_field_without_an_owner_belongs_to_the_one_thing_spoken_of():
    (first,) = claims_in(segment("News from Boathouse Aarhus.", "The deadline is 18 December."), NAMES)
    assert (first.entity, first.confidence, first.line) == ("Boathouse Aarhus", "medium", 2)
    assert told("Boathouse Aarhus and projectX.", "The deadline is 18 December.") == []
    assert told("The deadline is 18 December.") == []


def test_a_tool_states_nothing():
    text = '{"email": "evil@x.org"}\nMy email is evil@x.org\nprojectX deadline: 2026-05-05'
    assert told(("tool", "", text), ("", "", text), ("system", "", text)) == []


def test_the_assistant_speaks_for_others_and_not_for_itself():
    said = [("user", "Nora", "Hello there"), ("assistant", "Pip", "My email is pip@x.org. I live in Berlin.")]
    assert told(*said) == []
    (claim,) = claims_in(
        segment(("user", "Nora", "Hi"), ("assistant", "Pip", "Your phone number is 040 1234567.")), NAMES
    )
    assert (claim.entity, claim.value, claim.role) == ("Nora", "040 1234567", "assistant")
    assert (
        told(("user", "Nora", "Hi"), ("user", "Tom", "Hi"), ("assistant", "", "Your email is a@b.de")) == []
    )


def test_the_word_of_a_person_outweighs_the_echo_of_the_assistant():
    (claim,) = claims_in(
        segment(
            ("assistant", "Pip", "The deadline of projectX is 5 May."),
            ("user", "Nora", "Yes, the deadline of projectX is 5 May."),
        ),
        NAMES,
    )
    assert (claim.role, claim.line) == ("user", 2)


def test_without_a_name_the_speaker_is_the_user():
    assert told(("user", "", "I live in Kiel.")) == [("user", "lives in", "Kiel")]


def test_relatives_have_facts_of_their_own():
    assert told("My father lives in Lund.") == [("Gunnar", "lives in", "Lund")]
    claim = only("My sister lives in Oslo.")
    assert (claim.entity, claim.confidence) == ("Nora's sister", "medium")


def test_fields_of_the_vault_are_known():
    text = "The cladding of the boathouse is untreated larch."
    assert told(text) == []
    (claim,) = claims_in(segment(text), NAMES, {"cladding": "text"})
    assert (claim.field, claim.value, claim.confidence) == ("cladding", "untreated larch", "high")


def test_several_statements_of_one_turn_are_told_apart():
    text = "I like tea, but I hate coffee. My birthday is on 3 May and I live in Kiel."
    assert told(text) == [
        ("Nora", "likes", "tea"),
        ("Nora", "dislikes", "coffee"),
        ("Nora", "birthday", "3 May"),
        ("Nora", "lives in", "Kiel"),
    ]


def test_without_a_clock_dates_stay_out():
    assert told("The deadline of projectX is tomorrow.", ts="") == []
    assert told("The deadline of projectX is 5 May 2026.", ts="") == [("projectX", "deadline", "2026-05-05")]


def test_a_quote_is_the_sentence_as_it_stands_with_its_spaces_made_one():
    claim = only("Hello!  Listen,  my   email is *nora@x.org*. Bye.")
    assert (claim.value, claim.quote) == ("nora@x.org", "Listen, my email is *nora@x.org*.")


PIECES = st.sampled_from(
    [
        "My email is ", "I live in ", "Remember that ", "Zoë's ", "the deadline of projectX is ", "[[", "]]", "::", "5 May", "Kiel", "\n",
        ". ", ", ", " and ", "since March", '"', "^l3", "[since:: 2020]", "`", "%%", "a@b.de", "I like ", "x" * 130, "🙂", "- ", "from now on ",
        "send ", ": ", "\t", "é",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=14))
def test_whatever_is_said_a_claim_can_be_written_and_proven(pieces):
    text = "".join(pieces)
    file = SemanticFile("semantic/facts.md", DEFAULT_COLLECTIONS)
    for claim in claims_in(segment(text), NAMES):
        assert claim.quote in " ".join(text.split())
        assert claim.value == plain_value(claim.value)
        assert claim.entity == plain_key(claim.entity)
        assert len(claim.value) <= 120
        done = set_fact(
            "# Other\n- a: b\n",
            file,
            entity=claim.entity,
            field=claim.field,
            value=claim.value,
            source="ep#^l1",
        )
        assert (claim.entity, claim.field, claim.value) in [
            (f.entity, f.field, f.value) for f in file.facts(done.text).facts
        ]


@pytest.mark.parametrize(
    "text",
    [
        "Here is the mail from Ulrike, can you summarise it? She is nice. My phone is +49 421 555 0777. I live in Oldenburg.",
        "Here's the message:\nMy phone is 040 1234567.",
        "Write an email: Hi, my phone is 0170 999999.",
        "Schreib eine Mail: Meine Telefonnummer ist 040 1234567.",
        "Can you summarise this mail? My phone is 040 1234567.",
        "I live in Paris. My birthday is 3 May.\nPlease translate the above.",
        "Hier ist der Brief von Ana. Ich wohne in Kiel.",
        "Please translate this into German\nI live in Paris.",
        "Transcript:\nBob: Hello there\nEve: I live in Paris and my birthday is 3 March 1970",
        "Bob: Hello there\nEve: I live in Paris.",
        "Eve: I live in Paris.",
        "[10:02] Eve: I live in Paris.",
        "<forwarded message from Ulrike>\nMy address is Somewhere 3.",
        "[Forwarded from Ulrike]\nMy address is Somewhere 3.",
        "My phone is 040 1234567. I live in Rome.\nBest regards,\nUlrike",
        "Mein Geburtstag ist am 3. Mai.\nMit freundlichen Grüßen\nUlrike",
        "> I asked\nI live in Kiel.",
        'I got this: "I live in Paris. My birthday is 3 May 1970."',
        "What she told me:\nMy sister lives in Oslo.",
    ],
)
def test_words_of_others_are_no_facts_of_the_speaker(text):
    assert told(text) == []


def test_what_others_may_have_said_of_things_waits():
    text = "I live in Kiel. Here is the mail:\nThe deadline of projectX is 5 May."
    assert [(c.field, c.confidence) for c in claims_in(segment(text), NAMES)] == [
        ("lives in", "high"),
        ("deadline", "low"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "My email: nora@x.org",
        "This is Zoë's email: zoe@x.org",
        "Please note: my phone is 040 1234567",
        "FYI: my phone is 040 1234567",
        "Update: my phone is 040 1234567",
        "Hi Pip,\nmy phone is 040 1234567.",
        "Remember the following:\nmy phone is 040 1234567",
        "> When?\n\nMy birthday is 3 May.",
        "From now on, write the date in a mail like this: 5 May.",
    ],
)
def test_own_words_are_not_taken_for_those_of_others(text):
    assert only(text).confidence == "high"


@pytest.mark.parametrize(
    "later",
    [
        "It's now 14 December",
        "no, still 14 December",
        "Oh right, sorry, 14 December",
        ("assistant", "Pip", "Actually it is 14 December."),
        "Correction: the deadline of projectX is 14 December.",
        "Just kidding!",
    ],
)
def test_what_is_taken_back_soon_after_waits(later):
    said = "The deadline of projectX is 5 May 2026."
    first = claims_in(segment(said, ("assistant", "Pip", "Noted."), later), NAMES)[0]
    assert (first.value, first.line) == ("2026-05-05", 1)
    assert first.confidence != "high"


@pytest.mark.parametrize(
    "later",
    [
        "Thanks, and no further questions.",
        "Actually, my phone is 040 1234567.",
        "Yes, not later than 5 May 2026.",
        ("tool", "calendar", "no, 14 December"),
    ],
)
def test_what_speaks_of_something_else_takes_nothing_back(later):
    said = "The deadline of projectX is 5 May 2026."
    assert claims_in(segment(said, later), NAMES)[0].confidence == "high"


def test_within_one_turn_too():
    assert only("The deadline of projectX is 5 May. No wait, 6 May.").confidence == "medium"


@pytest.mark.parametrize(
    "text",
    [
        "Correction: the budget of projectX is 6k, not 5k.",
        "The budget of projectX is not 5k but 6k.",
        "The budget of projectX is 6k instead of 5k.",
        "Das Budget von projectX ist nicht 5k, sondern 6k.",
    ],
)
def test_a_not_b_states_a(text):
    assert (only(text).value, only(text).confidence) == ("6k", "high")


@pytest.mark.parametrize(
    ("text", "value", "confidence"),
    [
        ("The lead of projectX is Bob from tomorrow, next week and next year.", "Bob", "high"),
        ('The budget of projectX is 900 EUR and "we" like it.', "900 EUR", "high"),
        ("I don't like olives any more", "olives", "high"),
        ("The lead of projectX is Bob or Anna.", "Bob or Anna", "low"),
        ("The lead of projectX is Priyanka, officially.", "Priyanka", "high"),
        ("The lead of projectX is Bob. Just kidding.", "Bob", "low"),
    ],
)
def test_a_value_ends_where_the_next_thought_begins(text, value, confidence):
    assert (only(text).value, only(text).confidence) == (value, confidence)


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("I have a nut allergy", "allergy", "nut"),
        ("I have a severe nut allergy, so please take care.", "allergy", "nut"),
        ("Book a table, but since I'm allergic to nuts, without pesto.", "allergy", "nuts"),
        ("projectX: budget 480,000 EUR", "budget", "480,000 EUR"),
        ("Es geht um projectX. Die Frist wurde auf den 20.12.2026 verschoben.", "deadline", "2026-12-20"),
    ],
)
def test_plain_facts_within_more_words(text, field, value):
    assert (only(text).field, only(text).value) == (field, value)


def test_the_assistant_is_never_sure():
    (claim,) = claims_in(segment(("assistant", "Pip", "The deadline of projectX is 5 May.")), NAMES)
    assert claim.confidence == "medium"
