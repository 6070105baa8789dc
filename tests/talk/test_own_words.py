"""Whose words a turn holds: what is pasted, quoted or code is none of the speaker's, and nothing else is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from adversaries import superlinear
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.talk.own_words import OwnWords, own_words
from memoryclaw.text.grammar import grammar

GERMAN = ("schrieb", "Brief", "Schreib eine", "bitte", "Hallo")
MARKS = "\"'“”„«»‘’`~>|#*•-–—,;:.!?…()[]{}<>=/\\ \t\n1aZé😂"


def own(text: str) -> OwnWords:
    """What is the speaker's own, read in the language that the text is in."""
    return own_words(text, grammar("de" if any(sign in text for sign in GERMAN) else "en"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("the build breaks\n```py\nmy_rent = 900\n```\nany idea", ["the build breaks", "any idea"]),
        ("the build breaks\n~~~\nmy rent is 900\n~~~", ["the build breaks"]),
        ("```\nmy rent is 900 and nobody closes this", []),
        ("ive set `rent = 900` in the config", ["ive set `rent = 900` in the config"]),
        ("> my rent is 900\nthats what she asked about", ["thats what she asked about"]),
        ("well\n  > my rent is 900\n  > and the heating is extra", ["well"]),
    ],
)
def test_blocks_of_code_and_quoted_lines_are_left_out_and_code_in_a_line_is_sealed(
    text: str, left: list[str]
) -> None:
    words = own(text)
    assert words.seals.open(words.text).splitlines() == left
    assert "900" not in words.text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/add src/app.module.ts src/env.ts", ""),
        ("/drop NLog.config", ""),
        ("/clear\nmy rent is 900", "my rent is 900"),
        ("/clear\n\n/add src/env.ts", ""),
        ("/drop src/env.ts\n/ask where is the port of the proxy set", "where is the port of the proxy set"),
        ("/ask where is the port of the proxy set", "where is the port of the proxy set"),
        ("/home/nora/notes is where they are", "/home/nora/notes is where they are"),
        ("see /add in the manual", "see /add in the manual"),
    ],
)
def test_a_command_of_a_chat_program_says_nothing_but_what_is_asked_behind_it(text: str, left: str) -> None:
    words = own(text)
    assert words.seals.open(words.text).strip() == left


@pytest.mark.parametrize(
    "text",
    [
        'she texted "my rent is 900 from june on" and left it at that',
        "she texted “my rent is 900 from june on” and left it at that",
        "she texted «my rent is 900 from june on» and left it at that",
        "sie schrieb „my rent is 900 from june on“ and left it at that",
        "she texted 'my rent is 900, that's a lot' and left it at that",
        'he says "she told me „my rent is 900 from june on“ last week" and shrugged',
        'what now\n"my rent is 900 from june on.\n\nthe heating is extra',
        "what now\n„my rent is 900 from june on.",
    ],
)
def test_quotations_are_sealed_or_left_out_also_nested_ones_and_those_that_nobody_closed(text: str) -> None:
    words = own(text)
    assert "900" not in words.text
    assert words.text.split()[0] == text.split(maxsplit=1)[0]
    assert words.seals.quotations or words.pasted
    assert words.seals.open(words.text, quotations=False) == words.text


@pytest.mark.parametrize(
    "text",
    [
        'the tin says "wet paint" and i believe it',
        "my desk is 5'10\" wide and the door 6'2\" high",
        "it's Tom's, that's what I'm told, don't ask",
        "i'll pick up the kids' bikes and my parents' car",
    ],
)
def test_apostrophes_inches_and_words_that_are_only_marked_are_no_quotation(text: str) -> None:
    words = own(text)
    assert (words.text, words.pasted, words.seals.marks) == (text, (), ())


MAILS = [
    "From: Ulrike\nTo: me\nSubject: the flat\n\nmy rent is 900",
    "can you sum this up\n\nFrom: Ulrike\nSubject: the flat\n\nmy rent is 900",
    "---- Original Message ----\nmy rent is 900",
    "[Forwarded from Ulrike]\nmy rent is 900",
    "On Monday Ulrike wrote:\nmy rent is 900",
    "what do you make of it\nDear tenant,\nmy rent is 900\nKind regards,\nUlrike Maier",
    "Dear tenant,\nmy rent is 900 from June.\nBest regards,\nUlrike Maier",
    "Hallo,\nmeine Miete ist 900.\nViele Grüße\nUlrike",
    "heres the letter from the landlord\nmy rent is 900",
    "Please translate this message:\nmy rent is 900",
    "Schreib eine Mail: meine Miete ist 900",
    "draft a reply: my rent is 900 and i pay on time",
    "text from my landlord: the rent is 900 from june on",
    "the letter to all of us: the rent is 900 from june on",
    "letter to me: the rent is 900 from june on",
    "newsletter please: The rent is 900 from June on",
]


@pytest.mark.parametrize("text", MAILS)
def test_mails_and_what_is_announced_as_written_by_others_are_left_out(text: str) -> None:
    words = own(text)
    assert "900" not in words.text
    assert len(words.pasted) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Hi Nora, my rent is 900 now. Best, Felix",
        "got this:\n\nHi Nora,\n\nmy rent is 900\n\nFelix",
        "ok\nHallo Nora, ich bin wieder da. Die Miete ist 900.",
        "my rent is 900 from June on.\nPlease confirm.\nKind regards,\nUlrike Maier",
        "heres what the landlord sent\nmy rent is 900",
        "translate this\nmy rent is 900",
        "Bob: hello there\nEve: i think my rent is 900",
        "[10:02] Eve: my rent is 900",
    ],
)
def test_what_greets_the_speaker_or_is_signed_by_another_is_somebody_elses(text: str) -> None:
    words = own_words(text, grammar("de" if "Hallo" in text else "en"), "Nora Lind")
    assert "900" not in words.text
    assert words.pasted


def test_who_says_hello_and_tells_who_they_are_greets_nobody() -> None:
    assert own_words("Hi! Nora, 52, plumber in Leeds", grammar("en"), "Nora Lind").text


@pytest.mark.parametrize(
    "text",
    [
        "hi nora here, my rent is 900",
        "hi pip,\nmy rent is 900.\nbest,\nnora",
        "rings: silver\nrent: 900",
        "i told you this already\nmy rent is 900",
    ],
)
def test_what_the_speaker_signs_or_lists_is_their_own(text: str) -> None:
    words = own_words(text, grammar("en"), "Nora Lind")
    assert "900" in words.text


@pytest.mark.parametrize(
    "text",
    [
        "from the sheet\nname,age,rent\nulrike,44,900\ntom,51,700",
        "from the sheet\nname | age | rent\nulrike | 44 | 900",
        "from the sheet\nname;age;rent\nulrike;44;900",
        "the log\nRentError: 900 is too much\nat pay (rent.js:3)",
        "grandmas cake\n200 g flour, 900 ml milk\n50 g sugar, 2 cups of cream",
        "this is how it went\nUlrike: my rent is 900\nTom: that's a lot",
        "from the chat\n[10:02] Ulrike: my rent is 900\n[10:03] Tom: ouch\n[10:04] Ulrike: 900, yes",
    ],
)  # fmt: skip
def test_tables_errors_recipes_and_dialogues_are_left_out(text: str) -> None:
    words = own(text)
    assert "900" not in words.text
    assert len(words.pasted) == 1


@pytest.mark.parametrize(
    "text",
    [
        "hey pip,\nmy rent is 900",
        "my rent is 900.\n\nthanks,\nnora",
        "hi pip,\nlove the new plan, my rent is 900 though",
        "remember: my rent is 900",
        "please note: my rent is 900",
        "update: my rent is 900",
        "two things:\n- my rent is 900\n- the heating is extra",
        "so 1) my rent is 900 2) the heating is extra",
        "from now on put the date on top like this: 3 may. my rent is 900",
        "my mail is broken, my rent is 900",
    ],
)
def test_own_words_stay_where_they_only_look_like_a_letter_or_a_list(text: str) -> None:
    words = own(text)
    assert "rent is 900" in words.text
    assert words.pasted == ()


def test_a_block_is_named_by_its_first_line() -> None:
    text = 'look\n> from the vet\n> Mog is due\n```sh\nmake all\n```\n"Dear all. The office is closed.\nSee you."'
    assert own(text).pasted == ("make all", "from the vet", "Dear all. The office is closed.")
    mail = "can you sum this up\n\nFrom: Ulrike\nSubject: the flat\n\nDear all,\nthe rent is 900"
    assert own(mail).pasted == ("From: Ulrike",)
    assert own("heres the letter\nDear all,\nthe rent is 900").pasted == ("Dear all,",)


@given(st.text(alphabet=MARKS, max_size=200) | st.text(max_size=200), st.sampled_from(("en", "de")))
def test_any_text_can_be_read_and_nothing_is_added_to_it(text: str, language: str) -> None:
    words = own_words(text, grammar(language))
    assert words == own_words(text, grammar(language))
    shown = words.seals.open(words.text)
    said = [word for line in shown.split("\n") for word in line.replace(" … ", " ").split()]
    assert all(word in text for word in said if word != "…")
    assert all(text.replace("\r\n", "\n").find(first[:20].strip()) >= 0 for first in words.pasted)


@pytest.mark.laws  # `make test` tries the texts that are hard for its patterns (tests/security/test_patterns_are_linear.py)
@pytest.mark.parametrize("mark", [*MARKS, "```", "\n> ", '\n"', "a: b ", "\nAn: x", "Hi Bo,\n", "1,2,3\n"])
def test_a_long_run_of_any_mark_takes_time_in_proportion_to_its_length(mark: str) -> None:
    def work(size: int) -> Callable[[], object]:
        text = (mark * size)[:size]
        return lambda: own_words(text, grammar("en"))

    assert superlinear(work, 200_000, least=2000, quick=1e-6) is None


@pytest.mark.parametrize(
    "mark",
    ["[REDACTED:api-key:0a1b2c3d]", "[REDACTED:phone]", "REDACTED", "[REDACTED:api-key:0a1b", "[private]"],
)
def test_the_mark_of_what_was_taken_out_is_no_word_of_anybody(mark: str) -> None:
    words = own(f"my key is {mark} and we meet at the tower")
    assert "REDACTED" not in words.text
    assert "private" not in words.text
    assert words.text.endswith("and we meet at the tower")


@pytest.mark.parametrize(
    ("code", "request_line", "text"),
    [
        ("en", "Shorten this for Tim:", "I live in Hull and I have two dogs."),
        ("en", "Please proofread this before I submit it tonight:", "I live in Hull and I have two dogs."),
        ("en", "Rephrase this with more punch:", "I live in Hull and I have two dogs."),
        ("en", "Improve this for my application at Arup:", "I live in Hull and I have two dogs."),
        ("de", "Übersetze das für meine Oma Lotte:", "Ich wohne in Ulm und habe zwei Hunde."),
        ("fr", "Traduis ça pour mon patron Marc:", "J'habite à Lyon et j'ai deux chiens."),
        ("es", "Acorta esto sin perder el chiste:", "Vivo en Vigo y tengo dos perros."),
    ],
)
def test_what_a_request_is_for_leaves_its_text_pasted(code: str, request_line: str, text: str) -> None:
    assert own_words(f"{request_line}\n{text}", grammar(code))[1] == (text,)


def test_a_list_about_oneself_is_ones_own() -> None:
    lines = "- name: Nora Lund\n- city: Leeds"
    for lead in ("About me:", "Über mich:"):
        assert own_words(f"{lead}\n{lines}", grammar("en")).text == f"{lead}\n{lines}"
    assert own_words(f"A profile from a site for dates, about me:\n{lines}", grammar("en")).pasted
