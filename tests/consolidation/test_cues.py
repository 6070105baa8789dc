"""Turns that say that something went wrong: how they are told from others, and what they do to review and to the next run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import put
from nights import NIGHT, consolidated, said
from segments import segment_of

from memoryclaw.app import App
from memoryclaw.consolidation.actions import AddPending
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.consolidation.cues import CORRECTION, FRUSTRATION, RETRACTION, cues
from memoryclaw.consolidation.proposals import proposal, read_proposal

ANSWER = ("assistant Pip", "Noted.")


def act(role: str, text: str, language: str = "en") -> str:
    found = cues(segment_of([ANSWER, (role, text)]).turns, language)
    return found[0].act if found else ""


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
    assert act("user Nora", text, language) == CORRECTION


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "This is frustrating."), ("en", "ugh it's so annoying"), ("en", "How many times do I have to tell you?"),
        ("en", "i already told you my size"), ("en", "you keep forgetting this"),
        ("de", "Das nervt."), ("de", "Wie oft muss ich dir das noch sagen?"), ("de", "das ist frustrierend"), ("de", "hab ich dir doch schon gesagt"),
    ],
)  # fmt: skip
def test_a_person_loses_patience(language: str, text: str) -> None:
    assert act("user Nora", text, language) == FRUSTRATION


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Sorry, I was mistaken."), ("en", "My mistake, it is on Friday."), ("en", "I misread your message."), ("en", "You're right, I got that wrong."),
        ("de", "Entschuldige, ich habe mich geirrt."), ("de", "Mein Fehler."), ("de", "Da habe ich dich falsch verstanden."),
    ],
)  # fmt: skip
def test_the_assistant_takes_its_words_back(language: str, text: str) -> None:
    assert act("assistant Pip", text, language) == RETRACTION


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
def test_what_only_sounds_like_it_is_no_cue(role: str, language: str, text: str) -> None:
    assert not act(role, text, language)


def test_people_among_themselves_and_a_first_word_correct_no_assistant() -> None:
    assert not cues(segment_of([("user Nora", "The bus is red."), ("user Tom", "That is wrong.")]).turns)
    assert not cues(segment_of([("user Nora", "That is wrong, I never said that.")]).turns)


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


def test_what_is_corrected_waits_at_the_top_of_review_and_bystanders_are_written(tmp_path: Path) -> None:
    pending = (
        "# Waiting for a yes or a no\n\nMine.\n\n- [ ] Tom.city: Bern [confidence:: low]\n  - why: heard\n"
    )
    quiet = night(tmp_path / "quiet", TALK)
    assert "blood type: 0 negative" in semantic(quiet)
    root = night(tmp_path / "vault", [*TALK, WRONG], semantic___pending=pending)
    assert "blood type" not in semantic(root)
    assert "shoe size: 38" in semantic(root)
    assert "Okafor" in semantic(root)  # the assistant took it not up
    (what, why), *_, last = waiting(root)
    assert what == "Nora: blood type is 0 negative"
    assert why.startswith('a later turn says that this is wrong: "That is wrong, I never said that."')
    assert last[0] == "Tom: city is Bern"
    assert (
        (root / "semantic/_pending.md")
        .read_text("utf-8")
        .startswith("# Waiting for a yes or a no\n\nMine.\n\n- [ ] Nora.blood type")
    )
    with App(root, clock=lambda: NIGHT) as app:
        app.review.approve(app.review.list()[:1])
    assert "blood type: 0 negative" in semantic(root)


@pytest.mark.parametrize(
    ("turns", "reason"),
    [
        ([*TALK, ("user Nora", "What did I say?"), ("assistant Pip", "Your blood type.")], ""),
        ([*TALK, ("user Nora", "hm?"), ("assistant Pip", "Sorry, I was mistaken.")], "the assistant took back what it made of this"),
        ([*TALK, WRONG, ("assistant Pip", "My mistake.")], "a later turn says that this is wrong"),
    ],
)  # fmt: skip
def test_the_assistant_may_take_it_back_itself(tmp_path: Path, turns: object, reason: str) -> None:
    root = night(tmp_path / "vault", turns)
    assert ("blood type: 0 negative" in semantic(root)) is not bool(reason)
    assert [why.partition(":")[0] for _, why in waiting(root)] == ([reason] if reason else [])


def test_what_its_speaker_says_anew_asks_nothing(tmp_path: Path) -> None:
    turns = [*TALK, ("user Nora", "That is wrong. My blood type is A positive.")]
    root = night(tmp_path / "vault", turns)
    assert not waiting(root)
    assert "- blood type: A positive" in semantic(root)


def test_lost_patience_only_changes_the_order(tmp_path: Path) -> None:
    turns = [
        ("user Nora", "My rent is 900 i think."),
        ("assistant Pip", "Good to know."),
        ("user Nora", "My height is 170cm i think. My shoe size is 38."),
        ("assistant Pip", "And your name?"),
    ]
    heights = [what for what, _ in waiting(night(tmp_path / "quiet", turns))]
    assert [what.split(": ")[1].split(" is ")[0] for what in heights] == ["rent", "height"]
    root = night(tmp_path / "vault", [*turns, ("user Nora", "i already told you. this is frustrating")])
    (what, why), *_ = waiting(root)
    assert "height" in what
    assert why.startswith('a turn beside it has lost patience: "i already told you."')
    assert "shoe size: 38" in semantic(root)


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


def test_a_fact_that_waits_first_can_be_proposed_and_read_back() -> None:
    for first in (True, False):
        action = AddPending("Nora", "city", "Kiel", "high", "e1", "why", first=first)
        assert read_proposal(
            proposal(PlannedChange("pending", "t", (action,), reason="r"), "run")[1]
        ).actions == (action,)  # type: ignore[union-attr]


def test_a_cue_brings_the_next_run_forward_once_the_conversation_has_paused(tmp_path: Path) -> None:
    root = put(tmp_path / "vault", {"Home.md": "# Home\n"})
    put(root, {"logs/2026-04-19/a.jsonl": said("a", TALK)})
    consolidated(root, datetime(2026, 4, 19, 19, tzinfo=UTC))
    put(
        root,
        {"logs/2026-04-19/b.jsonl": said("b", [*TALK, ("user Nora", "My car is a red Saab 900.")], hour=19)},
    )
    moment = datetime(2026, 4, 19, 19, 40, tzinfo=UTC)
    assert "the interval is 60 min" in consolidated(root, moment, due=True).waits
    put(root, {"logs/2026-04-19/b.jsonl": said("b", [*TALK, WRONG], hour=19)})
    assert "the interval is 60 min" in consolidated(root, moment - timedelta(minutes=30), due=True).waits
    with App(root, clock=lambda: moment) as app:
        assert app.schedule.status().reason.endswith("one of them says that something went wrong")
    assert consolidated(root, moment, due=True).applied is not None
