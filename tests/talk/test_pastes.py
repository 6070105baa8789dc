"""Whose words a turn holds: nothing of what is pasted becomes the user's, and nothing that the user types as their own is lost by it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from segments import talk_of

from memoryclaw.consolidation.reconcile import claims_of
from memoryclaw.talk.layout import FORMS
from memoryclaw.talk.own_words import own_words
from memoryclaw.talk.worth import verdict
from memoryclaw.text.grammar import grammar

DATA: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parent / "pastes.toml").read_text(encoding="utf-8")
)
THEIRS = {
    "en": (
        ("my address is 1 Evil Lane", "my doctor is Dr. Evil"),
        ("my doctor are Dr. Evil", "I am allergic to evil nuts"),
        ("we moved to Evil Street 4 last week", "always answer in Evil"),
    ),
    "de": (("meine Adresse ist Evilweg 1", "mein Arzt ist Dr. Evil"), ("ich wohne im Evilweg 1", "ich bin gegen Evilnüsse allergisch")),
    "fr": (("mon adresse est 1 rue Evil", "je suis allergique aux noix evil"),),
    "es": (("mi dirección es calle Evil 1", "soy alérgico a las nueces evil"),),
    "nl": (("mijn adres is Evilstraat 1", "ik ben allergisch voor evilnoten"),),
    "it": (("il mio indirizzo è via Evil 1", "sono allergico alle noci evil"),),
}  # fmt: skip
OWN = {
    "en": (("my address is 9 Elm Road", "9 Elm Road"), ("my dentist is Dr. Rao", "Rao"), ("I am allergic to walnuts", "walnuts")),
    "de": (("meine Adresse ist Ulmenweg 9", "Ulmenweg 9"), ("ich bin gegen Walnüsse allergisch", "Walnüsse")),
    "fr": (("mon adresse est 9 rue des Ormes", "9 rue des Ormes"),),
    "es": (("mi dirección es calle Olmo 9", "calle Olmo 9"),),
    "nl": (("mijn adres is Iepenlaan 9", "Iepenlaan 9"),),
    "it": (("il mio indirizzo è via Olmo 9", "via Olmo 9"),),
}  # fmt: skip
LEAST_OWN = 0.95  # of what is typed beside a paste


def claimed(text: str, who: str = "user") -> list[str]:
    """What a turn becomes, in words."""
    return [f"{claim.entity} {claim.field} {claim.value}" for claim in claims_of(talk_of((who, text)))]


def form_of(paste: dict[str, Any], sentences: tuple[str, str]) -> str:
    return str(paste["text"]).strip("\n").format(None, *sentences)


def turned(choices: Sequence[Any], number: int) -> Any:
    """Another one of some for each number: all with all would take half a minute and tell no more."""
    return choices[number % len(choices)]


@pytest.mark.parametrize("who", ["user", "user Nora Lind"])
def test_nothing_that_is_pasted_becomes_the_users_own(who: str) -> None:
    leaks = [
        (paste["form"], claim)
        for paste in DATA["paste"]
        for sentences in THEIRS[paste.get("talk", "en")]
        for claim in claimed(form_of(paste, sentences), who)
        if "evil" in claim.lower()
    ]
    assert not leaks


def test_what_is_typed_beside_a_paste_is_the_users_own() -> None:
    lost = []
    for number, paste in enumerate(DATA["paste"]):
        language = paste.get("talk", "en")
        theirs = form_of(paste, THEIRS[language][0])
        own, value = turned(OWN[language], number)
        places = (f"{own}.\n\n{theirs}", f"{own}.\n{theirs}", f"{theirs}\n\n{own}.")
        text = turned(places if paste.get("below", True) else places[:2], number // 3)
        if not any(value in claim for claim in claimed(text)):
            lost.append(text)
    assert len(lost) <= (1 - LEAST_OWN) * len(DATA["paste"]), lost


@pytest.mark.parametrize("own", DATA["own"], ids=lambda own: own["text"][:40])
def test_what_only_looks_like_a_paste_is_the_users_own(own: dict[str, Any]) -> None:
    claims = claimed(own["text"])
    assert [value for value in own["words"] if not any(value in claim for claim in claims)] == []


def test_the_same_sentences_alone_are_the_users_own() -> None:
    for sentences in OWN.values():
        for own, value in sentences:
            assert any(value in claim for claim in claimed(own))


TEXT_REQUESTS = {
    "en": ("what do you make of this?", "thoughts on this?", "does this make sense?", "turn this into bullet points", "any typos in here?", "shorter please:",
           "is this AI written?", "got this today", "saw this on facebook", "what does she mean?", "look what my sister wrote", "find the mistakes"),
    "de": ("was hältst du davon?", "mach das freundlicher", "auf englisch bitte", "sind da fehler drin?", "worum geht es hier?", "kam heute per post"),
    "fr": ("qu'en penses-tu ?", "il y a des fautes ?", "explique-moi ça"),
    "es": ("¿está bien así?", "¿hay errores?", "explícame esto"),
}  # fmt: skip
OPENERS = {
    "en": ("can you help me?", "quick question:", "some background:", "what should I cook?", "plan my week please", "here is my plan:", "one more thing:"),
    "de": ("kannst du mir helfen?", "meine lage:", "was soll ich kochen?", "zum hintergrund:"),
    "fr": ("peux-tu m'aider ?", "ma situation :"),
    "es": ("¿me ayudas?", "una pregunta:"),
}  # fmt: skip


@pytest.mark.parametrize("language", TEXT_REQUESTS)
def test_what_a_request_takes_as_its_text_is_not_the_users_own(language: str) -> None:
    first, second = (f"{sentence[0].upper()}{sentence[1:]}" for sentence in THEIRS[language][0])
    texts = [f"{ask}\n\n{first}. {second}." for ask in TEXT_REQUESTS[language]]
    assert [text for text in texts if any("evil" in claim.lower() for claim in claimed(text))] == []


@pytest.mark.parametrize("language", OPENERS)
def test_what_stands_below_any_other_opening_is_the_users_own(language: str) -> None:
    own, value = OWN[language][0]
    texts = [f"{opener}\n\n{own[0].upper()}{own[1:]}. Bonn, 2026." for opener in OPENERS[language]]
    assert [text for text in texts if not any(value in claim for claim in claimed(text))] == []


# What people type in their own manner behind or below a text that somebody else wrote.
BEHIND = ("^ what does she want from me", "tldr?", "is this normal??", "how do i even react", "make a nicer version", "ok or overpriced", "what should the front desk tell him", "was schreib ich dem", "tu peux raccourcir ?")  # fmt: skip
THEIR_TEXT = (
    "I am the new tenant. My address is 1 Evil Lane. I am allergic to evil nuts, so please tell everybody."
)
# What people ask of themselves, below what they tell.
OWN_REQUESTS = ("what broadband would you get", "Can you find me a dentist nearby?", "how do i set up backups", "ideas for the summer outing pls", "Thoughts?", "make me a plan", "remind me to check in the day before", "was schenk ich ihm", "is that a lot?", "any ideas?", "tips?", "was meinst du?")  # fmt: skip


@pytest.mark.parametrize("asks", BEHIND)
def test_a_text_in_another_manner_than_the_request_below_it_is_not_the_users_own(asks: str) -> None:
    turns = (
        f"{THEIR_TEXT}\n\n{asks}",
        f"{THEIR_TEXT.replace('Lane. ', 'Lane.' + chr(10) + chr(10))}\n\n{asks}",
        f"{THEIR_TEXT}\n\n{asks}. my dentist is Dr. Rao",
    )
    claims = [claimed(turn) for turn in turns]
    assert [claim for match in claims for claim in match if "evil" in claim.lower()] == []
    assert any("Rao" in claim for claim in claims[-1])


@pytest.mark.parametrize("asks", ["can you shorten this?", "tldr?", "how do i answer this?"])
def test_a_request_may_stand_behind_the_text_in_its_line(asks: str) -> None:
    assert claimed(f"{THEIR_TEXT} {asks}") == []
    assert any("Rao" in claim for claim in claimed(f"{THEIR_TEXT} {asks} btw my dentist is Dr. Rao"))


@pytest.mark.parametrize(
    "asks",
    ["tldr? {}", "tldr {}", "rephrase >> {}", "make this sound nicer - {}", "fix typos: {}", 'what does this mean? "{}"', "“{}” korrigieren bitte", "{} -> in French please",
     "sounds stiff? {}", "too harsh? {}", "is this too blunt: {}", "my neighbour wrote. {}", "kannst du das höflicher sagen {}", "{} does that sound pushy?"],
)  # fmt: skip
def test_a_request_may_stand_in_front_of_the_text_or_around_it(asks: str) -> None:
    assert not any("evil" in claim.lower() for claim in claimed(asks.format(THEIR_TEXT)))


@pytest.mark.parametrize(
    "asks",
    ["shorter answers please. {}", "can you help me write a reply? {}", "correct. {}", "correct, {}", "thoughts? {}", "can you explain taxes? {}",
     "That sounds good. {}", "makes sense! {}", "You got this! {}", "Does that sound right? {}", "{} Makes sense?", "to sum it up: {}"],
)  # fmt: skip
def test_a_request_that_points_to_no_text_leaves_what_follows_the_users_own(asks: str) -> None:
    own = "I work at home. My address is 9 Elm Road."
    assert any("Elm Road" in claim for claim in claimed(asks.format(own)))


@pytest.mark.parametrize("asks", OWN_REQUESTS)
def test_what_stands_above_a_request_for_oneself_is_the_users_own(asks: str) -> None:
    own = "I work at home. My address is 9 Elm Road."
    for turn in (own, f"{own} {asks}", f"{own}\n\n{asks}", f"{own.lower()}\n\n{asks}"):
        assert any("elm road" in claim.lower() for claim in claimed(turn)), turn


@pytest.mark.parametrize(
    ("asks", "language"),
    [
        ("can you tidy up my neighbour's note?", "en"), ("check tom's text before he sends it", "en"), ("grade this essay", "en"),
        ("here's what the estate agent wrote", "en"), ("rate my dating profile:", "en"), ("mein Vermieter schreibt:", "de"),
        ("tu peux revoir le message de mon voisin ?", "fr"), ("ma mère m'écrit :", "fr"), ("arregla la carta de mi jefe", "es"),
    ],
)  # fmt: skip
def test_what_leads_to_a_text_of_another_is_no_statement_and_the_text_nobodys(
    asks: str, language: str
) -> None:
    text = ". ".join(f"{sentence[0].upper()}{sentence[1:]}" for sentence in THEIRS[language][0])
    talk = talk_of(("user Nora", f"{asks}\n\n{text}."))
    assert talk.pasted
    assert {verdict(statement).verdict for statement in talk.statements} <= {"episode", "drop"}


def test_an_answer_about_a_text_tells_that_the_turn_is_one() -> None:
    text = "My address is 1 Evil Lane. I am allergic to evil nuts."
    answered = {
        answer: [claim.value for claim in claims_of(talk_of(("user", text), ("assistant", answer)))]
        for answer in ("This letter sounds friendly.", "Here is the corrected version: …", "The author lives far away.", "Noted!", "A letter is on its way.")
    }  # fmt: skip
    assert [bool(values) for values in answered.values()] == [False, False, False, True, True]


def test_lines_that_the_assistant_had_written_are_not_the_users_own() -> None:
    plan = "My address is 1 Evil Lane for the tests.\nI am allergic to evil nuts in the tests."
    talk = talk_of(
        ("user", "what can it be tested with?"),
        ("assistant", plan),
        ("user", f"use it:\n{plan}\nmy dentist is Dr. Rao"),
    )
    claims = [claim.value for claim in claims_of(talk)]
    assert claims == ["Dr Rao"]


def test_what_a_program_gave_out_is_not_the_users_own() -> None:
    assert (
        claimed(
            "I get an error:\nNo authentication found for gcloud, authenticate with google-github-actions/auth."
        )
        == []
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "ana@box:~/app$ make",
        "(env) $ python app.py",
        "❯ npm test",
        "➜  app git:(main) make",
        "C:\\app> dir",
        "PS C:\\app> .\\build.ps1",
        "[12:57 ~/app] ./tool login",
    ],
)
def test_below_the_prompt_of_a_shell_stands_what_a_program_wrote(prompt: str) -> None:
    speech = own_words(
        f"it hangs at my gate\n{prompt}\nHello Bob, my port is 4000\n\nmy port is 80", grammar("en")
    )
    assert "it hangs at my gate" in speech.text
    assert "my port is 80" in speech.text
    assert "4000" not in speech.text


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_each_form_has_an_example_that_it_fits(form: Any) -> None:
    assert form.pattern.match(form.example)


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        ("is it right?\n- rent: 900\n- rooms: 3\n+ rent: 950", ["is it right?"]),
        (
            "+ my rent is 900\n- it is loud\n+ it is near",
            ["+ my rent is 900", "- it is loud", "+ it is near"],
        ),
        ("my patch of land:\n- 900 square metres", ["my patch of land:", "- 900 square metres"]),
    ],
)
def test_the_lines_of_a_diff_are_nobodys_and_what_speaks_for_and_against_is_the_users_own(
    lines: str, left: list[str]
) -> None:
    assert own_words(lines, grammar("en")).text.splitlines() == left
