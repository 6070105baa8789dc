"""What a person asks in words not to keep reaches no disk, and what the next turn takes back makes no memory; like words about work or a book do neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import VaultOf
from nights import NIGHT, consolidated

from memoryclaw.app import App
from memoryclaw.text.grammar import codes, grammar
from memoryclaw.text.redaction import POINTS_BACK, TELLS, asked_unkept


def kept(root: Path, *turns: str) -> str:
    """All that a vault holds on disk after these turns, each with an answer, and a night."""
    lines = [
        json.dumps({"ts": f"2026-04-19T18:{n:02}:00Z", "session": "evening", "turn": n, "role": role, "name": "Kim"[: 3 * (role == "user")], "content": text})
        for n, (role, text) in enumerate(pair for text in turns for pair in (("user", text), ("assistant", "All right.")))
    ]  # fmt: skip
    with App(root, clock=lambda: NIGHT) as app:
        assert all(captured.ok for captured in app.capture(lines))
    consolidated(root)
    folders = "logs", "semantic", "episodes", "runs"
    return "".join(path.read_text() for name in folders for path in (root / name).rglob("*.*") if path.is_file())  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "dont save this but my ex is called Pia Voss", "off the record: my ex is called Pia Voss", "my ex is called Pia Voss, pls don't note it",
        "please dont remember that my ex is called Pia Voss", "my ex, pin 4711, is called Pia Voss. don't keep any of this",
        "merk dir das nicht: meine ex heißt Pia Voss", "speicher das bitte nicht, aber meine ex heißt Pia Voss", "meine ex heißt Pia Voss. bitte nicht merken",
        "ne garde pas ça en mémoire : mon ex s'appelle Pia Voss", "no lo recuerdes: mi ex se llama Pia Voss", "non segnarlo, ma la mia ex si chiama Pia Voss",
        "niet opslaan: mijn ex heet Pia Voss", "não guardes isto: a minha ex chama-se Pia Voss",
    ],
)  # fmt: skip
def test_what_a_turn_asks_not_to_keep_reaches_no_disk(vault_of: VaultOf, text: str) -> None:
    on_disk = kept(vault_of({}), text, "my vet is Dr Lunde")
    assert "Voss" not in on_disk
    assert "Lunde" in on_disk


@pytest.mark.parametrize("order", [
    "forget that, dont save it", "ok don't keep that please", "bitte nicht speichern", "no lo guardes", "sla dat niet op",
    "forget that, it's private", "delete what i just said please", "can you forget that?", "vergiss das bitte wieder", "oublie ça, c'est privé",
    "borra eso por favor", "cancella quello che ho appena detto", "onthoud dat maar niet", "esquece o que acabei de dizer",
])  # fmt: skip
def test_what_the_next_turn_takes_back_makes_no_memory(vault_of: VaultOf, order: str) -> None:
    root = vault_of({})
    on_disk = kept(root, "my vet is Dr Lunde", "my ex is called Pia Voss", order)
    made = "".join(
        path.read_text() for name in ("semantic", "episodes") for path in (root / name).glob("*.md")
    )
    assert "Lunde" in made
    assert "Voss" not in made
    assert "Voss" in on_disk, "it was logged before it was taken back"
    assert not consolidated(root).changes.changes


@pytest.mark.parametrize(
    "text",
    [
        "don't forget: my ex is called Pia Voss", "i dont save much, my ex is called Pia Voss", "we don't keep this in the shed", "don't save the file as csv",
        "i don't remember that my keys were there", "don't save it yet, i have to check", "write a function that hashes it, don't store it", "never mind", "forget it",
        "vergiss nicht: meine ex heißt Pia Voss", "das kann ich mir nicht merken", "no recuerdo eso, mi ex se llama Pia", "je ne garde pas ça chez moi",
        "please do not record the meeting on friday", "record this: my knee hurts", "delete that file", "forget that, i live in leeds",
        "scratch that, 4 with the baby", "don't forget that", "delete that and add a retry", "vergeet dat niet", "lösch das bild",
        "never forget that", "vergiss das bloß nicht", "bitte vergiss das nie", "vergeet dat alsjeblieft nooit", "n'oublie jamais ça", "nunca olvida eso",
        "non dimenticare mai questo", "nunca esquece isso", "oublie ça et écris un poème",
    ],
)  # fmt: skip
def test_like_words_ask_nothing_of_the_kind(text: str) -> None:
    assert asked_unkept(text) == ""


@pytest.mark.parametrize("code", codes())
def test_every_phrase_asks_it_alone_and_before_a_colon(code: str) -> None:
    for phrase in (entry.replace("' ", "'") for entry in grammar(code).unkept.entries()):
        assert asked_unkept(f"{phrase}: Pia Voss 4711") == TELLS, phrase
        assert asked_unkept(phrase) in ("", POINTS_BACK), phrase


def test_what_was_kept_before_it_is_taken_back_is_proposed_to_be_forgotten(vault_of: VaultOf) -> None:
    root = vault_of({})
    kept(root, "my vet is Dr Lunde", "my ex is called Pia Voss and i weigh 92 kilos")
    again = {"ts": "2026-04-19T18:30:00Z", "session": "evening", "turn": 30, "role": "user", "name": "Kim", "content": "forget that"}  # fmt: skip
    with App(root, clock=lambda: NIGHT) as app:
        app.capture([json.dumps(again)])
    consolidated(root)
    with App(root, clock=lambda: NIGHT) as app:
        waiting = " ".join(waiting.what for waiting in app.review.list())
    assert "Pia Voss" in waiting
    assert "Lunde" not in waiting


def test_what_a_tool_did_in_between_is_meant_by_delete_that(vault_of: VaultOf) -> None:
    root = vault_of({})
    lines = [
        {"role": "user", "name": "Kim", "content": "my vet is Dr Lunde"},
        {"role": "tool", "tool": "write_file", "args": {"path": "vet.md"}, "result": "ok", "ok": True, "content": ""},
        {"role": "assistant", "content": "I wrote vet.md."},
        {"role": "user", "name": "Kim", "content": "delete that"},
    ]  # fmt: skip
    with App(root, clock=lambda: NIGHT) as app:
        app.capture([json.dumps({"ts": f"2026-04-19T18:{n:02}:00Z", "session": "evening", "turn": n, **line}) for n, line in enumerate(lines)])  # fmt: skip
    consolidated(root)
    assert "Lunde" in "".join(path.read_text() for path in (root / "semantic").glob("*.md"))


@pytest.mark.parametrize(("secret", "answer", "order"), [
    ("my vet is Dr Lunde. Write me a tagline for my bakery Crumb.", "Crumb: every bite counts.", "delete that"),
    ("my vet is Dr Lunde and I added a slider to our site", "Nice.", "remove this please"),
    ("my vet is Dr Lunde", "Here is the draft: dear all", "delete that"),
    ("mein Tierarzt ist Dr Lunde", "Hier ist der Entwurf: Hallo", "lösch das bitte"),
    ("mon vétérinaire est Dr Lunde", "Voici le brouillon : bonjour", "supprime ça"),
    ("mi veterinario es Dr Lunde. Escríbeme un lema", "Vale.", "borra eso"),
    ("il mio veterinario è Dr Lunde", "Ecco la bozza: ciao", "cancella questo"),
    ("mijn dierenarts is Dr Lunde. Schrijf een slogan", "Goed.", "verwijder dat"),
    ("o meu veterinário é Dr Lunde", "Aqui está o rascunho: olá", "apaga isso"),
])  # fmt: skip
def test_a_pronoun_means_the_work_that_stands_beside_what_was_said(
    vault_of: VaultOf, secret: str, answer: str, order: str
) -> None:
    root = vault_of({})
    lines = [("user", secret), ("assistant", answer), ("user", order)]
    with App(root, clock=lambda: NIGHT) as app:
        app.capture([json.dumps({"ts": f"2026-04-19T18:{n:02}:00Z", "session": "evening", "turn": n, "role": role, "content": text}) for n, (role, text) in enumerate(lines)])  # fmt: skip
    consolidated(root)
    assert "Lunde" in "".join(path.read_text() for path in (root / "semantic").glob("*.md"))


def test_words_that_name_what_was_said_take_it_back_beside_work(vault_of: VaultOf) -> None:
    root = vault_of({})
    on_disk = kept(
        root, "my vet is Dr Lunde. Write me a tagline for my bakery Crumb.", "delete what i just said"
    )
    made = "".join(
        path.read_text() for name in ("semantic", "episodes") for path in (root / name).glob("*.md")
    )
    assert "Lunde" in on_disk
    assert "Lunde" not in made
