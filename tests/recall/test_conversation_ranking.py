"""Turns are ranked with the conversation around them, explained, alike on both engines, and within a stated bound of the pool."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import put

from memoryclaw.app import App
from memoryclaw.recall.rank import AFTER, BEFORE, LONG_BEFORE, NAMES, RECENCY, SPEAKER, WHEN, Ranking
from memoryclaw.recall.search import Searcher
from memoryclaw.recall.text_lane import POOL

LENT = BEFORE + LONG_BEFORE + AFTER
QUESTIONS = (
    "harbour lantern kettle",
    "When did Nora see the harbour?",
    "lantern w7",
    "what did Nora say of w3 w4",
)


def talk(turns: int) -> dict[str, str]:
    """Logs of two people: `harbour` stands in every second turn, `kettle` in few."""
    chance = random.Random(4)
    files: dict[str, str] = {}
    for number in range(turns):
        words = [f"w{chance.randrange(60)}" for _ in range(chance.randrange(3, 18))]
        words += ["harbour"] * (chance.random() < 0.5) + ["lantern"] * (chance.random() < 0.2)
        words += ["kettle"] * (chance.random() < 0.02) + ["last week"] * (chance.random() < 0.1)
        chance.shuffle(words)
        day = number // 40
        line = {
            "ts": f"2026-02-{day + 1:02}T10:00:00Z", "session": f"s{day}", "turn": f"{number:04}", "role": "user",
            "name": ("Nora", "Jon")[number % 2], "content": " ".join(words) + ".?"[chance.random() < 0.2],
        }  # fmt: skip
        path = f"logs/2026-02-{day + 1:02}/s{day}.jsonl"
        files[path] = files.get(path, "") + json.dumps(line) + "\n"
    return files


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    app = App(put(tmp_path_factory.mktemp("talk") / "vault", talk(900)))
    app.sync()
    yield app
    app.close()


def found(app: App, question: str, wanted: int) -> Ranking:
    searcher = Searcher(app.index, app.catalog, app.clock().date())
    with searcher.reading():
        return searcher.find(question, wanted=wanted)


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_the_pool_leaves_out_stays_below_the_bound(app: App, question: str) -> None:
    pool, every = found(app, question, 10).units, found(app, question, 10_000).units
    assert 0 < POOL <= len(pool) < len(every)
    inside = {candidate.unit.id: candidate for candidate in pool}
    words = [candidate.text for candidate in pool]
    share = 1 + SPEAKER + WHEN + NAMES + RECENCY
    for candidate in every:
        counted = inside.get(candidate.unit.id)
        if counted is None:
            assert candidate.text <= min(words)
            assert candidate.score <= (min(words) + LENT * max(words)) * share
        else:
            assert abs(candidate.score - counted.score) <= LENT * min(words) * share


@pytest.mark.parametrize("question", QUESTIONS)
def test_asking_for_more_changes_nothing_before_it(app: App, question: str) -> None:
    more = [(match.unit.id, match.score) for match in app.search(question, limit=POOL).matches]
    assert len(more) > 60
    for limit in (1, 10, 60):
        few = [(match.unit.id, match.score) for match in app.search(question, limit=limit).matches]
        assert few == more[:limit]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_loan_is_explained_and_counted(app: App, question: str) -> None:
    matches = app.search(question, limit=60).matches
    assert len(matches) == 60
    loans = 0
    for match in matches:
        assert match.score == sum(term.value for term in match.terms)
        lent = {term.name: term.value for term in match.terms}.get("around", 0.0)
        lenders = [cause.word for cause in match.matched if cause.field == "around"]
        assert bool(lent) == bool(lenders)
        for lender in lenders:
            own, other = int(match.unit.id[-4:]), int(lender[-4:])
            assert other - own in (-2, -1, 1)
        loans += len(lenders)
    # Every second turn holds the harbour: the first 60 need to borrow nothing.
    assert loans or question == QUESTIONS[1]


def test_both_engines_rank_a_conversation_alike(tmp_path: Path) -> None:
    files = {**talk(300), "memoryclaw.yaml": "index:\n  engine: whoosh\n"}
    oracle = App(put(tmp_path / "whoosh", files))
    ours = App(put(tmp_path / "fts5", talk(300)))
    for question in QUESTIONS:
        first, second = ours.search(question, limit=40), oracle.search(question, limit=40)
        assert len(first.matches) == 40
        assert [(t.id, t.score) for t in first.trace] == [(t.id, t.score) for t in second.trace]
    ours.close()
    oracle.close()


def test_a_turn_two_after_the_one_that_names_it_gains(tmp_path: Path) -> None:
    said = ["The kettle broke.", "Oh no.", "It was the switch of the old one.", "I see.", "The switch, then."]
    lines = [
        json.dumps({"session": "s", "turn": n, "role": "user", "content": text})
        for n, text in enumerate(said)
    ]
    app = App(put(tmp_path / "vault", {"logs/2026-03-10/s.jsonl": "\n".join(lines) + "\n"}))
    near, far = (
        next(match for match in app.search("kettle switch").matches if match.unit.id == f"log:s/{n}")
        for n in (2, 4)
    )
    assert near.score > far.score
    assert {term.name for term in near.terms} >= {"around", "switch"}
    app.close()


def test_what_a_tool_brought_in_is_lent_nothing(tmp_path: Path) -> None:
    lines = [
        json.dumps({"session": "s", "turn": n, "role": role, "content": text})
        for n, (role, text) in enumerate(
            [("user", "The kettle broke."), ("tool", "Buy a new one here."), ("user", "So be it.")]
        )
    ]
    app = App(put(tmp_path / "vault", {"logs/2026-03-10/s.jsonl": "\n".join(lines) + "\n"}))
    lent = {
        match.unit.id: "around" in {term.name for term in match.terms}
        for match in app.search("kettle").matches
    }
    assert lent == {"log:s/0": True, "log:s/1": False}
    app.close()


def test_an_edit_of_a_log_changes_what_its_turn_is_known_to_tell(tmp_path: Path) -> None:
    log = "logs/2026-03-10/s.jsonl"
    turn = '{"session":"s","turn":0,"role":"user","content":"The kettle broke%s"}\n'
    root = put(tmp_path / "vault", {log: turn % ", did it?"})
    app = App(root)
    assert "asks" in {term.name for term in app.search("kettle").matches[0].terms}
    put(root, {log: turn % " last week."})
    terms = app.search("When did the kettle break? kettle").matches[0]
    assert {term.name for term in terms.terms} >= {"kettle", "when"}
    assert "asks" not in {term.name for term in terms.terms}
    assert ("last week", "date", "date") in terms.matched
    app.close()
