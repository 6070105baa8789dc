"""Turns that correct the assistant: how they are told from others, and what they do to review and to the next run."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import put
from nights import NIGHT, consolidated, said
from segments import segment_of

from memoryclaw.app import App
from memoryclaw.consolidation.planning import corrections

ANSWER = ("assistant Pip", "Noted.")


def corrects(role: str, text: str, language: str = "en") -> bool:
    return bool(corrections(segment_of([ANSWER, (role, text)]).turns, language))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "That is wrong, I never said that."), ("en", "no thats completely wrong"), ("en", "this isn't right"), ("en", "Wrong!"),
        ("en", "That's not what I meant"), ("en", "i didnt say i like tea"), ("en", "you got that wrong"), ("en", "You mixed up the two dentists."),
        ("en", "You misunderstood me. It is on Friday."), ("en", "you're mistaken, it was on a friday"),
        ("de", "Das ist falsch, das habe ich nie gesagt."), ("de", "nein das stimmt nicht"), ("de", "das hab ich so nicht gesagt"),
        ("de", "du hast das verwechselt"), ("de", "da hast du mich falsch verstanden"), ("de", "Du irrst dich."),
    ],
)  # fmt: skip
def test_a_person_corrects_the_assistant(language: str, text: str) -> None:
    assert corrects("user Nora", text, language)


@pytest.mark.parametrize(
    ("role", "language", "text"),
    [
        ("user Nora", "en", "the wrong size came"), ("user Nora", "en", "i took the wrong train"), ("user Nora", "en", "my sister says that's wrong"),
        ("user Nora", "en", "is that wrong?"), ("user Nora", "en", "if that's wrong tell me"), ("user Nora", "en", "nothing wrong with that"),
        ("user Nora", "en", "you're not wrong"), ("user Nora", "en", "i never said that to her"), ("user Nora", "en", "i was wrong about the bus"),
        ("user Nora", "en", "my boss is so frustrating"), ("user Nora", "en", "it was frustrating"), ("user Nora", "en", "that's right"),
        ("user Nora", "en", "> That is wrong, I never said that.\nthis is what her mail says"),
        ("user Nora", "en", "something's wrong with the boiler"), ("user Nora", "de", "das hab ich ihm nie gesagt"),
        ("user Nora", "de", "mit dem auto stimmt was nicht"), ("user Nora", "de", "er hat sich geirrt"), ("user Nora", "de", "der drucker nervt"),
        ("assistant Pip", "en", "I'm sorry to hear that."), ("assistant Pip", "en", "Did I get that wrong?"), ("assistant Pip", "en", "Tell me if I got that wrong."),
        ("assistant Pip", "en", "You made a mistake in line 3."), ("assistant Pip", "en", "That is wrong in the manual."),
        ("assistant Pip", "de", "Das tut mir leid."), ("tool mail", "en", "That is wrong, I never said that."),
    ],
)  # fmt: skip
def test_what_only_sounds_like_it_is_no_correction(role: str, language: str, text: str) -> None:
    assert not corrects(role, text, language)


def test_people_among_themselves_and_a_first_word_correct_no_assistant() -> None:
    assert not corrections(
        segment_of([("user Nora", "The bus is red."), ("user Tom", "That is wrong.")]).turns
    )
    assert not corrections(segment_of([("user Nora", "That is wrong, I never said that.")]).turns)


def night(folder: Path, turns: object, **files: str) -> Path:
    root = put(
        folder,
        {"Home.md": "# Home\n", **{name.replace("__", "/") + ".md": text for name, text in files.items()}},
    )
    put(root, {"logs/2026-04-19/evening.jsonl": said("evening", turns)})
    consolidated(root)
    return root


def semantic(root: Path) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted((root / "semantic").glob("[!_]*.md")))


def waiting(root: Path) -> list[tuple[str, str]]:
    with App(root, clock=lambda: NIGHT) as app:
        return [(item.what, item.why) for item in app.review.list()]


TALK = [
    ("user Nora", "My shoe size is 38."),
    ("assistant Pip", "Good to know."),
    ("user Nora", "My doctor is called Okafor and my blood type is 0 negative."),
    ("assistant Pip", "I noted that your blood type is 0 negative."),
]
WRONG = ("user Nora", "That is wrong, I never said that.")


def test_what_is_corrected_waits_in_review_and_bystanders_are_written(tmp_path: Path) -> None:
    pending = (
        "# Waiting for a yes or a no\n\nMine.\n\n- [ ] Tom.city: Bern [confidence:: low]\n  - why: heard\n"
    )
    quiet = night(tmp_path / "quiet", TALK)
    assert "blood type: 0 negative" in semantic(quiet)
    root = night(tmp_path / "vault", [*TALK, WRONG], semantic___pending=pending)
    assert "blood type" not in semantic(root)
    assert "shoe size: 38" in semantic(root)
    assert "Okafor" in semantic(root)  # the assistant took it not up
    why = dict(waiting(root))["Nora: blood type is 0 negative"]
    assert why.startswith('a later turn says that this is wrong: "That is wrong, I never said that."')
    assert (root / "semantic/_pending.md").read_text("utf-8").startswith(pending)
    with App(root, clock=lambda: NIGHT) as app:
        app.review.approve([item for item in app.review.list() if "blood type" in item.what])
    assert "blood type: 0 negative" in semantic(root)


def test_what_its_speaker_says_anew_asks_nothing(tmp_path: Path) -> None:
    turns = [*TALK, ("user Nora", "That is wrong. My blood type is A positive.")]
    root = night(tmp_path / "vault", turns)
    assert not waiting(root)
    assert "- blood type: A positive" in semantic(root)


def test_a_german_correction(tmp_path: Path) -> None:
    turns = [
        ("user Nora", "Meine Schuhgröße ist 38, und ich wohne in Kiel."),
        ("assistant Pip", "Notiert: Schuhgröße 38."),
        ("user Nora", "Das stimmt nicht, das habe ich nie gesagt."),
    ]
    root = night(tmp_path / "vault", turns)
    assert "Schuhgröße" not in semantic(root)
    assert "Kiel" in semantic(root)
    assert "stimmt nicht" in waiting(root)[0][1]
