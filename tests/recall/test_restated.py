"""A line that somebody has said otherwise since is marked, and two people's values of one thing are a conflict, kept as facts or not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest

from memoryclaw.app import App
from memoryclaw.model import Unit
from memoryclaw.recall.question import Question
from memoryclaw.recall.restated import telling_lines
from memoryclaw.text.grammar import codes, grammar
from tests.vaults import put

OTHERS = ("the kettle is descaled", "we argued about compost", "the gutter leaks")
Talk = Sequence[tuple[str, str, str]]  # a day, who, and what


def contexts(root: Path, talk: Talk, question: str, files: dict[str, str] | None = None) -> list[str]:
    """The lines of the context for a question; nothing was consolidated."""
    logs: dict[str, str] = {}
    for day, name, text in [*talk, *(("2026-01-02", "Maren", other) for other in OTHERS)]:
        path = f"logs/{day}/{day}-{name}.jsonl"
        role = "assistant" if name == "Pip" else "user"
        turn = 1 + logs.get(path, "").count("\n")
        row = {
            "session": f"{day}-{name}",
            "day": day,
            "turn": turn,
            "ts": f"{day}T10:{turn:02}:00Z",
            "role": role,
            "name": name,
        }
        logs[path] = logs.get(path, "") + json.dumps({**row, "content": text}) + "\n"
    put(root, {"memoryclaw.yaml": "", **logs, **(files or {})})
    with App(root, clock=lambda: datetime(2026, 6, 1, tzinfo=UTC)) as app:
        return app.recall(question).context.splitlines()


@pytest.mark.parametrize(
    ("first", "later", "old", "new"),
    [
        ("Copperline has to be out by 15 December", "new deadline for Copperline: 20 March", "15 December", "20 March"),
        ("careful, Katinka can't have cat dander", "Katinka got tested, it's kiwi, not cat dander", "have cat dander", ""),
        ("you can reach Hyun at 0176 559788", "Hyun switched carrier, it's 0176 555323 from now on", "559788", "0176 555323"),
        ("Dorte Quast picks up at the Nordmole archive", "at the Nordmole archive it's Bo Lind, Dorte Quast retired", "picks up", ""),
        ("Greer handles us at Nordmole", "Greer doesn't work at Nordmole any longer, ask for Pascoe", "handles us", ""),
        ("Katinka is allergic to wasp stings", "Katinka isn't allergic to wasp stings after all", "is allergic", ""),
        ("post for Hyun goes to Ahornweg 12", "Hyun's new place is 3 Weaver Street", "goes to", "3 Weaver Street"),
        ("Hyun takes 20 mg of lisinopril", "Hyun takes 40 mg of lisinopril now", "20 mg", "40 mg"),
        ("Nordmole charges 39.90 an hour", "Nordmole is at 56.61 euros now, was 39.90", "charges", ""),
        ("the deadline of Copperline is 2026-11-30", "they pulled Copperline forward to 19 September", "deadline", "19 September"),
        ("i keep Nordmole in the guest room", "moved Nordmole to the wine crate", "i keep", ""),
    ],
)  # fmt: skip
def test_what_was_said_before_a_change_is_marked(
    tmp_path: Path, first: str, later: str, old: str, new: str
) -> None:
    name = next(word for word in ("Copperline", "Katinka", "Hyun", "Nordmole") if word in first)
    lines = contexts(
        tmp_path, [("2026-02-01", "Maren", first), ("2026-03-01", "Maren", later)], f"what about {name}?"
    )
    [marked] = [line for line in lines if old in line and later not in line]
    assert marked.endswith(f"(superseded since 2026-03-01{f': {new}' if new else ''})")
    assert not any("superseded" in line for line in lines if later in line)


@pytest.mark.parametrize(
    ("first", "later", "old"),
    [
        ("the deploy key of Nordmole is in the vault", "the shop Nordmole runs in Frankfurt now", "deploy key"),
        ("Katinka works for the council", "Katinka's husband left the council", "works for"),
        ("Hyun's email is hyun@post.example", "Hyun's sister has a new mail, aino@post.example", "hyun@"),
        ("Katinka lives in Leith", "Katinka has a new dog, no cats any more", "Leith"),
        ("Hyun lives at 14 Parsonage Road", "Hyun works at 3 Weaver Street now", "Parsonage"),
        ("Nordmole is in the harbour", "Nordmole opens at ten now", "harbour"),
    ],
)  # fmt: skip
def test_a_change_of_something_else_marks_nothing(tmp_path: Path, first: str, later: str, old: str) -> None:
    name = next(word for word in ("Katinka", "Hyun", "Nordmole") if word in first)
    lines = contexts(
        tmp_path, [("2026-02-01", "Maren", first), ("2026-03-01", "Maren", later)], f"what about {name}?"
    )
    [line] = [line for line in lines if old in line]
    assert "superseded" not in line


def test_the_assistants_repeating_of_the_old_value_is_marked_too(tmp_path: Path) -> None:
    talk = [
        ("2026-02-01", "Maren", "the budget of Saltworks is 43,350 euros"), ("2026-02-02", "Pip", "You told me: 43,350 euros for Saltworks."),
        ("2026-03-01", "Maren", "they cut the budget of Saltworks to 40,000 euros now"),
    ]  # fmt: skip
    lines = contexts(tmp_path, talk, "what is the budget of Saltworks?")
    assert [line for line in lines if "43,350" in line]
    assert all("superseded since 2026-03-01: 40,000 euros" in line for line in lines if "43,350" in line)


def test_two_people_who_differ_are_a_conflict_until_it_is_said_again(tmp_path: Path) -> None:
    talk = [
        ("2026-02-01", "Maren", "the deadline for Lanternfish is 22 September"), ("2026-02-20", "Priya", "the deadline for Lanternfish is 27 August"),
    ]  # fmt: skip
    lines = contexts(tmp_path / "two", talk, "when is the deadline for Lanternfish?")
    assert sum("(conflicts with log:" in line for line in lines) == 2
    settled = [*talk, ("2026-03-01", "Maren", "the deadline for Lanternfish is now 27 August")]
    lines = contexts(tmp_path / "settled", settled, "when is the deadline for Lanternfish?")
    assert not any("conflicts" in line for line in lines)
    assert any("22 September (superseded since 2026-03-01" in line for line in lines)


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("Rosa ran 5 km along the river", "Rosa ran 7 km along the river"),  # it happened again
        ("Rosa's birthday is on 3 May", "Rosa's wedding is on 5 July"),  # another field
        ("Rosa saw the dentist on 3 March", "Rosa saw the dentist on 10 March"),
        ("Rosa lives at Larch Row 5", "Ulf moved, he lives at Quay Lane 7 now"),  # somebody else
        ("Rosa has two cats", "Rosa has a new bike now"),
        ("Rosa sings in Kiel", "Rosa is from Kiel"),  # `from` without a change
    ],
)
def test_what_is_no_change_of_the_same_thing_is_not_marked(tmp_path: Path, first: str, later: str) -> None:
    lines = contexts(
        tmp_path, [("2026-03-12", "Maren", first), ("2026-03-20", "Maren", later)], "what about Rosa?"
    )
    assert any(first in line for line in lines)
    assert not any("superseded" in line or "conflicts" in line for line in lines)


def test_a_property_of_a_note_and_a_later_word_are_a_conflict(tmp_path: Path) -> None:
    files = {"people/Priya.md": "phone:: 0176554702\n"}
    lines = contexts(
        tmp_path,
        [("2026-03-01", "Priya", "update, my new number is 0176556009")],
        "what is Priya's phone number?",
        files,
    )
    assert any("0176554702 (superseded since 2026-03-01: 0176556009)" in line for line in lines)


def test_a_property_without_a_day_is_no_older_than_a_fact(tmp_path: Path) -> None:
    files = {
        "people/Lorcan.md": "email:: lorcan@fjord.example\n",
        "semantic/people.md": "# Lorcan\n- email: lorcan@post.example [since:: 2026-01-16]\n",
    }
    lines = contexts(tmp_path, [], "what is Lorcan's email?", files)
    [own] = [line for line in lines if "lorcan@fjord.example" in line]
    assert "(conflicts with " in own


def test_a_change_without_a_day_is_a_conflict_with_an_earlier_one(tmp_path: Path) -> None:
    lines = contexts(
        tmp_path,
        [("2026-03-19", "Tobi", "Hyun is at hyun@fjord.example now")],
        "where do I send the invitation for Hyun?",
        {"people/Hyun.md": "Hyun has another mail address now, hyun@post.example\n"},
    )
    assert [line for line in lines if "hyun@post.example" in line and "(conflicts with log:" in line]
    assert not [line for line in lines if "superseded" in line]


def test_what_repeats_a_value_that_ended_is_marked(tmp_path: Path) -> None:
    files = {
        "semantic/facts.md": "# Saltworks\n- lead: Ida\n\n## History\n- hourly rate: 36.61 euros [since:: 2026-01-20] [until:: 2026-03-01]\n"
    }
    talk = [
        ("2026-02-01", "Tobi", "what is the hourly rate of Saltworks?"),
        ("2026-02-02", "Pip", "The hourly rate of Saltworks is 36.61 euros."),
        ("2026-04-02", "Pip", "Saltworks took 36.61 euros an hour once."),
    ]
    lines = contexts(tmp_path, talk, "what is the hourly rate of Saltworks?", files)
    marked = {line.partition(" Pip: ")[2] for line in lines if "superseded since 2026-03-01" in line}
    assert marked == {"The hourly rate of Saltworks is 36.61 euros. (superseded since 2026-03-01)"}


@pytest.mark.parametrize(
    ("first", "later", "question", "new"),
    [
        ("i extract the samples with the Tessaline kit", "Tessaline is dead to me, we switched to Orbion", "which kit do i extract samples with", "Orbion"),
        ("a lad called Corwin digs the trench for 22 an hour", "Corwin quit, he has joined the fire brigade", "who digs the trench", "fire brigade"),
        ("our stage queue runs on Marlstream", "ok so we are ditching Marlstream for Pandion", "what does the stage queue run on", "Pandion"),
    ],
)  # fmt: skip
def test_what_ends_a_line_stands_beside_it_without_a_word_of_the_question(
    tmp_path: Path, first: str, later: str, question: str, new: str
) -> None:
    lines = contexts(tmp_path, [("2026-03-01", "Maren", first), ("2026-04-01", "Maren", later)], question)
    assert [line for line in lines if new in line], lines


def test_what_ends_a_line_is_explained_and_scores_as_much(tmp_path: Path) -> None:
    talk = [
        ("2026-03-01", "Maren", "i extract the samples with the Tessaline kit"),
        ("2026-04-01", "Maren", "Tessaline is dead to me, we switched to Orbion"),
        ("2026-04-02", "Pip", "Tessaline is dead, so I write Orbion from now on"),
    ]
    contexts(tmp_path, talk, "which kit do i extract samples with")
    with App(tmp_path, clock=lambda: datetime(2026, 6, 1, tzinfo=UTC)) as app:
        by_id = {match.unit.id: match for match in app.recall("which kit do i extract samples with").matches}
    first, later = by_id["log:2026-03-01-Maren/1"], by_id["log:2026-04-01-Maren/1"]
    assert later.score == first.score == sum(term.value for term in later.terms)
    assert [(word.word, word.via) for word in later.matched] == [(first.unit.id, "link")]
    assert not [id_ for id_ in by_id if "Pip" in id_]  # the assistant only repeats it


@pytest.mark.parametrize("code", codes())
def test_every_sign_of_an_end_or_a_change_is_looked_at(code: str) -> None:
    words, question = (
        grammar(code),
        cast("Question", None),
    )  # of which nothing is read before a line is compared
    lists = (words.changes, words.renewals, words.ended, words.replacing, words.gone, words.no_longer)
    signs = [
        *(entry for phrases in lists for entry in phrases.entries()),
        *(" ".join(verb) for verb, _ in words.verb_ends),
    ]
    for sign in signs:
        telling = f"Zzz {sign}{'' if sign.endswith(chr(39)) else ' '}azz."  # `au lieu d'azz`
        unit = turn(f"Zzz zzz zzz. {telling}")
        assert [line.sentence for line in telling_lines(unit, question)] == [telling]
        assert telling_lines(unit._replace(role="assistant"), question) == []
    assert telling_lines(turn("Zzz zzz zzz."), question) == []


def turn(text: str) -> Unit:
    """A turn of a person."""
    return Unit(
        id="log:s/1",
        kind="turn",
        line=1,
        end_line=1,
        title="",
        tags="",
        properties="",
        text=text,
        role="user",
    )
