"""What an assistant's reply used of what its session was shown, and what that does to ranks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import put

from memoryclaw.app import App
from memoryclaw.errors import InputError
from memoryclaw.recall import rank
from memoryclaw.recall.citing import MOST, lately, names

FILES = {
    "memoryclaw.yaml": "",
    "semantic/projects.md": "# Boathouse\n- deadline: 2026-12-11\n- contractor: Nordmole Byg\n- piles: 26\n",
    "heron.md": "---\nid: n-heron\n---\nThe heron nests behind the sluice and breeds in a willow.\n",
    "private.md": "---\naudience: owner\n---\nThe boathouse key hangs behind the walnut barometer.\n",
    **{f"other/{n}.md": f"Something else about number {n} and the boathouse.\n" for n in range(12)},
}


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(tmp_path: Path, clock: Clock) -> Iterator[App]:
    with App(put(tmp_path / "v", FILES), clock=clock) as opened:
        yield opened


def talk(app: App, question: str, reply: str, session: str = "s", **values: object) -> None:
    app.capture([{"role": "user", "content": question}], session=session)
    app.recall(question, session=session)
    app.capture([{"role": "assistant", "content": reply, **values}], session=session)


def cited(app: App) -> list[tuple[str, str]]:
    """The ids that the last reply cited, and how."""
    record = app.ledger.record()
    return [
        (id_, record.uses_of(id_)[-1].cited) for citation in record.citations[-1:] for id_ in citation.ids
    ]


DEADLINE, CONTRACTOR = "semantic/projects#Boathouse.deadline", "semantic/projects#Boathouse.contractor"


@pytest.mark.parametrize(
    ("question", "reply", "expected"),
    [
        ("boathouse deadline?", f"See [{DEADLINE}].", [(DEADLINE, "id")]),
        ("boathouse deadline?", "It is on 11 December.", [(DEADLINE, "words")]),
        ("boathouse deadline?", "It is on 2026-12-11.", [(DEADLINE, "words")]),
        ("boathouse deadline?", "It is on 12 December.", []),
        ("Who builds the boathouse?", "Nordmole Byg does.", [(CONTRACTOR, "words")]),
        ("Who builds the boathouse?", "I do not know that, sorry; shall I ask somebody about the deadline?", []),
        ("Does Nordmole Byg build the boathouse?", "Yes, Nordmole Byg does.", []),
        ("boathouse heron?", "It breeds in a willow behind the sluice.", [("n-heron", "words")]),
        ("boathouse heron?", "A heron is a bird that breeds in many places.", []),
        ("boathouse heron?", "As n-heron-2 says, or xn-heron.", []),
    ],
)  # fmt: skip
def test_a_reply_cites_what_only_what_it_was_shown_could_tell_it(
    app: App, question: str, reply: str, expected: list[tuple[str, str]]
) -> None:
    talk(app, question, reply)
    assert cited(app) == expected


def test_what_was_not_shown_to_the_session_is_not_cited_unless_the_host_names_the_receipt(app: App) -> None:
    receipt = app.recall("Who builds the boathouse?").receipt
    app.recall("Who builds the boathouse?", session="another")
    app.capture([{"role": "assistant", "content": "Nordmole Byg does."}], session="t")
    assert cited(app) == []
    app.capture([{"role": "assistant", "content": "Nordmole Byg!", "receipt": receipt}], session="s")
    assert cited(app) == [(CONTRACTOR, "words")]
    assert app.ledger.record().uses_of(CONTRACTOR)[0].receipt == receipt


def test_a_turn_that_was_captured_before_cites_nothing_again(app: App) -> None:
    reply = {"role": "assistant", "content": "Nordmole Byg does.", "turn": 2, "session": "s"}
    app.recall("Who builds the boathouse?", session="s")
    for _ in range(3):
        app.capture([reply])
    assert len(app.ledger.record().citations) == 1


def test_each_reply_of_a_batch_is_held_against_what_was_shown_before_it(app: App, clock: Clock) -> None:
    turns = []
    for question, reply in (
        ("Who sings here?", "Nordmole Byg is a choir, I believe."),
        ("And who builds the boathouse?", "A firm."),
    ):
        if "builds" in question:
            app.recall(question, session="s")
        ts = clock.now.isoformat()
        turns += [
            {"role": "user", "content": question, "ts": ts},
            {"role": "assistant", "content": reply, "ts": ts},
        ]
        clock.now += timedelta(minutes=10)
    app.capture(turns, session="s")
    assert cited(app) == []


def test_an_audience_cites_nothing_that_it_does_not_see(app: App) -> None:
    for session in "st":
        app.recall("Where is the boathouse key?", session=session)
    reply = {"role": "assistant", "content": "Behind the walnut barometer (private)."}
    app.seen_by("agent").capture([reply], session="s")
    assert cited(app) == []
    app.capture([reply], session="t")
    assert cited(app) == [("private", "id")]


def test_a_rating_is_about_the_use_that_is_named_or_the_last_one_of_its_session(
    app: App, clock: Clock
) -> None:
    first = app.recall("Who builds the boathouse?", session="s").receipt
    clock.now += timedelta(days=1)
    last = app.recall("Who builds the boathouse?", session="t").receipt
    clock.now += timedelta(days=1)
    for id_, rating, named in (
        (CONTRACTOR, 5, {"session": "s"}),
        (CONTRACTOR, 4, {}),
        (CONTRACTOR, 2, {"receipt": first}),
        ("n-heron", 2, {}),
    ):
        app.feedback(id_, rating, **named)
        clock.now += timedelta(minutes=1)
    rated = app.ledger.events_of("rated")
    assert [event.get("receipt", "") for event in rated] == [first, last, first, ""]
    uses = app.ledger.record().uses[CONTRACTOR]
    assert [(use.ts[:10], use.rating) for use in uses] == [("2026-05-04", 2), ("2026-05-05", 4)]
    with pytest.raises(InputError, match="showed n-heron"):
        app.feedback("n-heron", 2, receipt=first)


def ranking(app: App) -> list[tuple[str, float]]:
    return [
        (match.unit.id, match.score) for match in app.search("something boathouse number", limit=40).matches
    ]


def test_exposure_never_ranks_and_citation_does_by_a_term_that_says_so(app: App, clock: Clock) -> None:
    before = ranking(app)
    for _ in range(20):
        app.recall("something boathouse number")
        app.search("something boathouse number", session="s")
        app.show("other/7", session="s")
        clock.now += timedelta(days=1)
    assert ranking(app) == before
    app.recall("boathouse", session="s")
    app.ledger.append("cited", {"session": "s", "ids": ["other/7"]}, clock.now)
    (first, *_) = app.search("something boathouse number").matches
    assert first.unit.id == "other/7"
    assert first.score == sum(term.value for term in first.terms)
    term = next(term.value for term in first.terms if term.name == "strength")
    words = sum(term.value for term in first.terms if term.name != "strength")
    assert term == pytest.approx((2**0.6 - 1) * words, abs=0.01)
    assert [(cause.word, cause.via) for cause in first.matched if cause.via == "feedback"] == [
        ("cited once", "feedback")
    ]


def test_a_bad_rating_lowers_at_most_to_half_and_a_good_one_lifts_at_most_to_twice(app: App) -> None:
    word = dict(ranking(app))["other/3"]
    for _ in range(9):
        app.ledger.append("rated", {"ids": ["other/3"], "rating": 1}, app.clock())
        app.ledger.append("rated", {"ids": ["other/4"], "rating": 5}, app.clock())
    ranks = dict(ranking(app))
    assert word / 2 <= ranks["other/3"] < word * 0.51
    assert word * 1.99 < ranks["other/4"] <= word * 2


def test_equals_stand_by_strength_before_their_ids_and_one_constant_takes_it_all_out(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ranking(app)
    app.ledger.append("cited", {"ids": ["other/7"]}, app.clock())
    answer = app.search("kind:note path:other")
    assert answer.matches[0].unit.id == "other/7", "no words: all have the same score"
    assert ranking(app) != before
    monkeypatch.setattr(rank, "STRENGTH", 0.0)
    assert ranking(app) == before
    assert app.search("kind:note path:other").matches[0].unit.id == "other/0"


def test_a_ledger_that_cannot_be_read_takes_only_the_uses_away(app: App) -> None:
    before = ranking(app)
    app.ledger.append("cited", {"ids": ["other/7"]}, app.clock())
    (path,) = (app.root / "ledger").rglob("*.jsonl")
    path.unlink()
    path.mkdir()
    assert ranking(app) == before


def test_what_a_session_was_shown_lately_is_bounded_and_begins_anew_where_the_host_cut(clock: Clock) -> None:
    events = [
        {"ts": f"2026-05-0{n}T00:00:00Z", "receipt": f"r-{n}", "ids": [f"{n}-{m}" for m in range(40)]}
        for n in range(1, 5)
    ]
    recent = lately(events, "2026-05-03T00:00:00Z")
    assert len(recent) == MOST
    assert next(iter(recent)) == "3-0"
    assert recent["2-5"] == "r-2"
    assert "4-0" not in recent
    events[2]["seen"] = "none"
    assert set(lately(events, "2026-05-03T00:00:00Z").values()) == {"r-3"}


@pytest.mark.parametrize(
    ("reply", "id_", "is_cited"),
    [
        ("from notes/a.", "notes/a", True),
        ("from notes/a.md", "notes/a", False),
        ("from notes/a#b", "notes/a", False),
        ("from notes/ab, notes/a", "notes/a", True),
        ("the email said so", "email", False),
        ("as `email` says, [email]", "email", True),
        ("log:s/1 and log:s/12", "log:s/12", True),
        ("log:s/12", "log:s/1", False),
        ("nothing", "", False),
    ],
)
def test_an_id_stands_in_a_reply_only_as_itself(reply: str, id_: str, is_cited: bool) -> None:
    assert names(reply, id_) is is_cited


def test_capture_goes_on_when_the_use_cannot_be_kept(app: App) -> None:
    app.recall("Who builds the boathouse?", session="s")
    (folder,) = (app.root / "ledger").iterdir()
    data = next(folder.iterdir()).read_bytes()
    (done,) = app.capture([{"role": "assistant", "content": "Nordmole Byg."}], session="s")
    assert done.ok
    assert json.loads(next(folder.iterdir()).read_bytes()[len(data) :])["event"] == "cited"
    next(folder.iterdir()).chmod(0o400)
    folder.rename(folder.with_name("gone"))
    folder.write_text("in the way")
    (done,) = app.capture([{"role": "assistant", "content": "Nordmole Byg, really."}], session="s")
    assert done.ok
