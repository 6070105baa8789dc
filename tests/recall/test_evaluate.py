"""A vault's golden questions: ranks, contexts and reasons, and that asking them leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import put

from memoryclaw.app import App, open_vault
from memoryclaw.errors import InputError

DEADLINE = "semantic/projects#Boathouse.deadline"


@pytest.fixture
def app(studio: Path) -> Iterator[App]:
    with open_vault(studio) as app:
        yield app


def judged(app: App, text: str, **options: list[int]):
    put(app.root, {"eval/questions.yaml": text})
    return app.evaluate(**options)


def test_a_right_answer_has_its_rank_and_stands_in_every_context(app: App) -> None:
    done = judged(app, f"When is the boathouse deadline?:\n  expect: {DEADLINE}\n  answer: 2026-12-11\n")
    question = done.questions[0]
    assert (question.expected[0].id, question.expected[0].rank, question.misses) == (DEADLINE, 1, ())
    assert question.recall == done.recall == {5: 1.0, 10: 1.0}
    assert question.held == done.held == {400: 1.0, 600: 1.0, 800: 1.0}
    assert (done.mrr, done.ndcg, done.kept_out) == (1.0, 1.0, (0, 0))


def test_the_id_of_a_note_a_section_an_entity_and_a_beginning_count_for_what_they_hold(app: App) -> None:
    done = judged(
        app,
        "wind plan for the island: ep-wind\nmasts down: ep-wind#Plan\nmoon pancakes: notes/mo\n"
        "boathouse client: semantic/projects#Boathouse\nbiscuit tin: log:kanazawa/2\npenicillin: episodes/2025-07-08_17-25-00_penicillin\n",
    )
    assert [question.misses for question in done.questions] == [()] * 6
    assert done.recall[5] == 1.0


def test_a_note_and_its_section_may_both_be_expected(app: App) -> None:
    question = judged(app, "masts down: [ep-wind, ep-wind#Plan]\n").questions[0]
    assert [(e.id, e.rank) for e in question.expected] == [("ep-wind", 1), ("ep-wind#Plan", 2)]
    assert question.recall[5] == 1.0


@pytest.mark.parametrize(
    ("text", "miss"),
    [
        ("moon?: ep-nothing", "ep-nothing: nothing in this vault has this id"),
        ("moon?: ep-", "ep-: could be any of 2: ep-penicillin, ep-wind"),
        ("pancakes: ep-wind", "ep-wind: not a candidate: shares no word with the question"),
        (f"boathouse deadline: {DEADLINE}~2", f"{DEADLINE}~2: left out: superseded"),
        ("pancakes:\n  answer: syrup", "the context lacks 'syrup'"),
        ("pancakes:\n  answer: moon\n  not: notes/moon", "notes/moon: is in the context"),
    ],
)
def test_a_miss_says_why(app: App, text: str, miss: str) -> None:
    assert judged(app, text).questions[0].misses[0] == miss


@pytest.mark.parametrize(
    ("unwanted", "miss"),
    [
        ("notes/moon", "notes/moon: is in the context"),
        ("notes/mo", "notes/mo: is in the context"),
        ("OAT milk", "OAT milk: is in the context"),
        ("[syrup, buckwheat]", "buckwheat: is in the context"),
        ("ep-wind", ""),
        ("oat syrup", ""),
        ("ep", ""),  # words, though ids begin so
        ("semantic/gone#Boathouse.deadline", ""),
    ],
)
def test_what_must_not_be_in_the_answer_is_an_id_or_words_and_may_be_all_there_is(
    app: App, unwanted: str, miss: str
) -> None:
    done = judged(app, f"pancakes:\n  must_not: {unwanted}\nmoon: notes/moon\n")
    assert done.questions[0].misses == ((miss,) if miss else ())
    count = unwanted.count(",") + 1
    assert done.kept_out == (count - bool(miss), count)
    assert (done.questions[0].held, done.held[600]) == ({}, 1.0), "nothing is wanted of it"


def test_a_rank_below_the_last_that_counts_is_told(app: App) -> None:
    many = {f"notes/n{n:02}.md": f"# n{n:02}\n\nbeeswax beeswax\n" for n in range(30)}
    put(app.root, {**many, "notes/z.md": f"# long\n\nbeeswax {'and much else ' * 40}\n"})
    question = judged(app, "beeswax: notes/z", ks=[3], budgets=[200]).questions[0]
    assert question.expected[0].rank == 31
    assert question.misses == ("notes/z: rank 31",)
    assert question.recall == {3: 0.0}


def test_what_was_found_and_did_not_fit_says_so(app: App) -> None:
    put(app.root, {f"notes/n{n}.md": f"# n{n}\n\nbeeswax {n} {'wood ' * 60}\n" for n in range(4)})
    wanted = "".join(f"  - notes/n{n}\n" for n in range(4))
    question = judged(app, f"beeswax:\n{wanted}", budgets=[100]).questions[0]
    assert question.recall[5] == 1.0
    assert 0 < question.held[100] < 1
    assert "not in the context: budget" in " ".join(question.misses)


def test_a_question_is_asked_on_its_day(app: App) -> None:
    text = "What happened last week?:\n  expect: ep-wind\n  as of: 2025-09-10\n"
    assert judged(app, text).questions[0].expected[0].rank == 1
    assert judged(app, "What happened last week?: ep-wind\n").questions[0].expected[0].rank != 1


def test_asking_leaves_nothing_behind(app: App) -> None:
    put(app.root, {"eval/questions.yaml": f"boathouse deadline: {DEADLINE}\n"})
    app.sync()
    before = {path for path in app.root.rglob("*") if ".memoryclaw" not in path.parts}
    app.evaluate()
    assert {path for path in app.root.rglob("*") if ".memoryclaw" not in path.parts} == before
    assert not (app.root / "ledger").exists()
    assert not app.search("kind:note path:eval").matches  # and the questions are no note


def test_a_file_that_cannot_be_used_is_one_sentence(app: App) -> None:
    with pytest.raises(InputError, match=r"no golden questions in eval/questions.yaml \(No such file"):
        app.evaluate()
    with pytest.raises(InputError, match=r"^eval/questions.yaml:2: nothing is expected of 'b'; write it as"):
        judged(app, "a: x\nb: {not: y}\n")
    with pytest.raises(InputError, match="from 80 to 100,000"):
        judged(app, "a: x\n", budgets=[5])
    with pytest.raises(InputError, match="from 1 to 100,000"):
        judged(app, "a: x\n", ks=[0, 5])
