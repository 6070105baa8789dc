"""Whose words a line holds, and whether they are meant: what is pasted or said for a laugh is not a fact of the speaker."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.consolidation.changes import Claim, Segment
from memoryclaw.consolidation.claims import claims_in, cut
from memoryclaw.consolidation.statements import statements
from memoryclaw.model import Turn
from memoryclaw.text.language import key_of
from memoryclaw.vault.logs import LogRange

NAMES = {key_of(name): name for name in ("Nora", "Priya")}


def claims(text: str) -> tuple[Claim, ...]:
    turn = Turn("log:s/1", "s", "1", "2026-03-10T10:00:00Z", "user", "Nora", text, 1, 1)
    return claims_in(Segment(LogRange("logs/2026-03-10/s.jsonl", 1, 1, "0" * 16), (turn,)), NAMES)


def told(text: str) -> list[tuple[str, str, str, str]]:
    return [(c.entity, c.field, c.value, c.confidence) for c in claims(text)]


@pytest.mark.parametrize(
    "text",
    [
        'look at this\n\n"Hi Nora, thanks for asking. My day rate is 900 EUR. I am based in Harrogate. Best, Felix"',
        "he just wrote „Hallo Nora. Ich wohne jetzt in Köln. LG Tom“ und jetzt?",
        "she texted «I moved to Lyon. I work at Acme.» can you believe it",
        "he said ‘nothing’, then “I live in Rome. I work at Acme.” and left",
        "she said 'it's fine. I live in Rome. I work at Acme.' and left",
        'what is this about\n"Hi. I live in Leeds now.\n\nI work at Acme.',
        "Tom wrote: I live in Leeds now. I work at Acme.",
        "Tom schrieb: Ich wohne in Köln. Ich arbeite bei Siemens.",
        "heres what the plumber sent back\nLUPE!! all good. I live in Rome now.",
        "Got this:\n\nHi Nora,\n\nI live in Leeds now. I am allergic to nuts.\n\nTom",
        "ok\nHallo Nora, ich bin wieder da. Ich wohne in Kiel.",
        "Hi Nora, I live in Leeds now. I work at Acme. Best, Tom",
        "Hallo Nora, ich wohne in Kiel. Ich arbeite bei Siemens. Viele Grüße Tom",
        "Re: lunch\nI live in Leeds now. I work at Acme.",
        "what do you make of this\n> I live in Leeds now.\n> I work at Acme.",
        "On Mon, 3 Mar 2026, Tom <tom@x.org> wrote:\nI live in Leeds now.",
        "from the clinic\n~~~\nI live in Leeds now.\n~~~",
    ],
)
def test_what_is_pasted_is_no_claim_of_the_speaker(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Hi Pip,\nI live in Leeds.",
        "\nHey Pip, I live in Leeds.",
        "My desk is 5'10\" wide. I live in Leeds. The other one is 6'2\" wide.",
        'My favourite is "The Third Man". I live in Leeds.',
        'She said "see you". I live in Leeds.',
        '"He was nice. He was kind." That is what they all say. I live in Leeds.',
        "I live in Leeds.\n\nThanks,\nNora",
        "It's Tom's, that's what I'm told. I live in Leeds. Don't ask.",
    ],
)
def test_own_words_beside_a_quotation_stay_own(text: str) -> None:
    assert ("Nora", "lives in", "Leeds", "high") in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to Mondays lol",
        "lol I'm allergic to Mondays",
        "I'm allergic to Mondays. Haha.",
        "I'm allergic to Mondays\nhahahah",
        "I'm allergic to Mondays /s",
        "I'm allergic to Mondays, jk",
        "I'm allergic to Mondays ;)",
        "I'm allergic to Mondays ;-)",
        "I'm allergic to Mondays 😂",
        "Ich bin allergisch gegen Mondays, hihi",
    ],
)
def test_what_is_said_with_a_laugh_waits_for_a_person(text: str) -> None:
    assert told(text) == [("Nora", "allergy", "Mondays", "low")]


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to nuts.",
        "haha ok. Now in earnest. I'm allergic to nuts.",
        "I'm allergic to nuts. The server does 30k msg/s lol",
        "That was fun, haha. I'm allergic to nuts; path is a/s/d.",
    ],
)
def test_a_laugh_about_something_else_takes_nothing_back(text: str) -> None:
    assert ("Nora", "allergy", "nuts", "high") in told(text)


def test_names_with_letters_of_a_laugh_are_no_laugh() -> None:
    assert told("I love JK Rowling") == [("Nora", "likes", "JK Rowling", "high")]
    assert told("I use Adobe XD") == [("Nora", "uses", "Adobe XD", "high")]


def test_a_joke_said_again_in_earnest_counts() -> None:
    assert told("I'm allergic to nuts lol. No joke here. I'm allergic to nuts.")[0][3] == "high"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Priya works at Datadog now, lucky her", "Datadog"),
        ("Priya works at Datadog now lucky her", "Datadog"),
        ("I live in Leeds, sadly", "Leeds"),
        ("I live in Portland, Oregon", "Portland, Oregon"),
        ("I live in Portland, Oregon, close to the river", "Portland, Oregon"),
        ("My address is 12 High Street, flat 3, Leeds, come round", "12 High Street, flat 3, Leeds"),
        ("I like olives, capers and blue cheese, yum", "olives, capers and blue cheese"),
        ("I love hiking, swimming, biking", "hiking, swimming, biking"),
        ("I speak German, English, and some French", "German, English, and some French"),
        ("I'm allergic to nuts, boring right", "nuts"),
        ("My boss is Tom Berg, great guy and all", "Tom Berg"),
        ("Ich arbeite bei Siemens, Glück gehabt", "Siemens"),
        ("Ich wohne jetzt in Köln, leider", "Köln"),
    ],
)
def test_a_value_ends_where_its_clause_ends(text: str, value: str) -> None:
    assert [claim.value for claim in claims(text)] == [value]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The deadline of projectX is 2026-04-10", ("projectX", "deadline", "2026-04-10", "high")),
        ("projectX's deadline is 2026-04-10", ("projectX", "deadline", "2026-04-10", "high")),
        ("the version of api_v2 is 5.1", ("api_v2", "version", "5.1", "high")),
        ("Die Frist von projektX ist der 10.4.2026", ("projektX", "deadline", "2026-04-10", "high")),
        ("nginx's port is 8080", ("nginx", "port", "8080", "medium")),
        ("the port of nginx is 8080", ("nginx", "port", "8080", "medium")),
        ("Der Port von nginx ist 8080", ("nginx", "port", "8080", "medium")),
        ("bob's email is bob@x.org", ("bob", "email", "bob@x.org", "medium")),
    ],
)
def test_a_name_need_not_begin_with_a_capital(text: str, fact: tuple[str, str, str, str]) -> None:
    assert told(text) == [fact]


@pytest.mark.parametrize(
    "text",
    [
        "my sister's dog is cute",
        "the deadline of the project is 2026-04-10",
        "the deadline of my thesis is 2026-04-10",
        "the deadline for us is 2026-04-10",
        "everyone's budget is 5000",
        "someone's phone number is 040 1234567",
        "today's deadline is 2026-04-10",
        "a friend's birthday is 3 May",
        "its port is 8080",
        "it's port is 8080",
        "the size of things is 5",
        "nginx port is 8080",
        "das Budget ist 5000 Euro",
        "alles Budget ist 5000",
        "die Frist von heute ist der 10.4.2026",
        "die Frist von uns ist der 10.4.2026",
    ],
)
def test_common_nouns_and_pronouns_are_no_names(text: str) -> None:
    assert told(text) == []


@given(
    st.text(alphabet="a Bé,.&1'\"“”„«»\n", max_size=60),
    st.sampled_from(("and", "now", "lol", "/s", ", jk", "flat 3")),
)
def test_any_words_have_an_end(words: str, more: str) -> None:
    for text in (f"{words} {more}", f"{words}, {more} {words}", f"{more}{words}"):
        assert len(cut(text)) <= len(text)
        list(statements(text, "2026-03-10"))
