from __future__ import annotations

import pytest

from memoryclaw.consolidation.changes import Segment
from memoryclaw.consolidation.exchanges import is_filler, nothing_in
from memoryclaw.model import Turn
from memoryclaw.vault.logs import LogRange

ACKS = "only greetings and acknowledgements"


def segment(*rows: tuple[str, str]) -> Segment:
    turns = tuple(
        Turn(
            f"log:s/{n}",
            "s",
            str(n),
            "",
            role,
            {"user": "Nora", "assistant": "Pip"}.get(role, ""),
            text,
            n,
            n,
        )
        for n, (role, text) in enumerate(rows, 1)
    )
    return Segment(LogRange("logs/2026-03-10/s.jsonl", 1, len(turns), "0" * 16), turns)


@pytest.mark.parametrize(
    "text",
    [
        "Hi!", "Good morning, Pip.", "ok", "Thanks a lot! 🙏", "Yes, sounds good.", "Hey Nora! How are you?", "👍", "...",
        "Thank you so much, Pip!", "Got it. Will do.", "Great, thanks", "That's great!", "What’s up?", "It's fine.", "How can I help you today", "Talk to you soon, bye!",
        "Guten Morgen!", "Alles klar, danke dir.", "Hallo Pip, wie geht's?", "Vielen Dank, bis morgen", "Passt so.",
        "Bonjour !", "Merci beaucoup, à demain", "D'accord, ça marche.", "Ça va ?",
        "¡Buenos días!", "Muchas gracias, hasta luego", "Vale, perfecto", "¿Qué tal?",
    ],
)  # fmt: skip
def test_greetings_thanks_and_yeses_are_fillers(text: str) -> None:
    assert is_filler(text, {"pip", "nora"})


@pytest.mark.parametrize(
    "text",
    [
        "My sister is called Ana.", "I am allergic to nuts", "Yes, on Thursday.", "The door code is 4711", "Danke, ich wohne jetzt in Bonn.",
        "No sugar", "Zahnarzt um neun", "J'habite à Lyon", "Vivo en Sevilla", "42", "Hello world program", "Thanks for the blue lamp",
        "Morning run: 5 km", "ok https://example.com",
    ],
)  # fmt: skip
def test_a_word_of_its_own_makes_it_more_than_a_filler(text: str) -> None:
    assert not is_filler(text)
    assert nothing_in(segment(("user", text))) == ""


@pytest.mark.parametrize(
    "text", ["Good night, Pip!", "Thank you very much, Nora.", "Gute Nacht, Søren", "Buenas noches, Ana"]
)
def test_a_name_may_follow_what_is_said_to_somebody(text: str) -> None:
    assert is_filler(text)
    assert nothing_in(segment(("user", text))) == "only greetings and acknowledgements"


@pytest.mark.parametrize("text", ["Do it Vienna", "Good night rates, Vienna", "Good night PIP Vienna"])
def test_a_word_after_anything_else_is_no_name(text: str) -> None:
    assert not is_filler(text)


def test_greetings_on_both_sides_yield_nothing() -> None:
    fillers = nothing_in(
        segment(("user", "Hi Pip!"), ("assistant", "Hello Nora! How can I help you?"), ("user", "ok"))
    )
    assert fillers == ACKS


def test_one_fact_among_greetings_is_kept() -> None:
    rows = [
        ("user", "Hi Pip!"),
        ("user", "Thanks!"),
        ("user", "My birthday is 3 May."),
        ("assistant", "Noted!"),
    ]
    assert nothing_in(segment(*rows)) == ""


@pytest.mark.parametrize("answer", ["HEARTBEAT_OK", "**HEARTBEAT_OK**", "NO_REPLY"])
def test_heartbeats_yield_nothing(answer: str) -> None:
    prompt = "Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK."
    rows = [("user", prompt), ("tool", 'read {"path": "HEARTBEAT.md"} → ""'), ("assistant", answer)]
    assert nothing_in(segment(*rows)) == "heartbeats only"


def test_a_heartbeat_that_found_something_is_told() -> None:
    prompt = "Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK."
    assert nothing_in(segment(("user", prompt), ("assistant", "The backup disk is 96 % full."))) == ""


def test_tools_alone_say_nothing_and_silence_says_so() -> None:
    assert nothing_in(segment(("tool", 'ls {} → "a b"'))) == "tool calls without a word of a person"
    assert nothing_in(segment(("user", " "), ("assistant", "[image]"))) == "nothing was said"
    assert nothing_in(segment(("system", "Session started with model x."))) == "only notes of the system"


def test_a_yes_that_made_a_tool_act_is_an_episode_but_a_look_up_is_not() -> None:
    acted = ("tool", 'send_email {"to": "ana@example.com", "subject": "Keys"} → "sent"')
    looked = ("tool", 'weather_forecast {"place": "Aarhus"} → "rain"')
    assert nothing_in(segment(("user", "Yes please."), acted)) == ""
    assert nothing_in(segment(("user", "Yes please."), looked)) == ACKS


def test_redacted_and_private_parts_alone_are_nothing() -> None:
    assert (
        nothing_in(segment(("user", "[REDACTED:api-key:1a2b3c]"), ("user", "[private]")))
        == "nothing was said"
    )


def test_lines_of_which_none_says_who_spoke_yield_nothing() -> None:
    made = segment(("", "\x00\x9f random bytes 4711"), ("", "{not json"))
    assert nothing_in(made) == "no line says who spoke"
    assert nothing_in(segment(("", "noise"), ("user", "The door code is 4711."))) == ""


@pytest.mark.parametrize("text", ["/exit", "/add src/app.ts src/env.ts", "/clear\n"])
def test_a_command_of_a_chat_program_alone_makes_no_episode(text: str) -> None:
    assert nothing_in(segment(("user", text))) == "nothing was said"
    assert nothing_in(segment(("user", text), ("user", "The shed key hangs behind the door."))) == ""
    assert nothing_in(segment(("user", "/ask where does the shed key hang"))) == ""
