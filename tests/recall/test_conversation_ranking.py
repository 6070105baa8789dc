"""Turns are ranked with the conversation around them, explained, and alike on both engines."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import put

from memoryclaw.app import App
from memoryclaw.recall.evidence import POOL

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
    lent = 0
    for match in matches:
        assert match.score == sum(term.value for term in match.terms)
        assert match.matched
        session = {term.name: term.value for term in match.terms}.get("session", 0.0)
        lenders = [cause.word for cause in match.matched if cause.via == "session"]
        assert bool(session) == bool(lenders)
        assert session >= 0
        assert all(lender.rpartition("/")[0] == match.unit.id.rpartition("/")[0] for lender in lenders)
        lent += any(cause.via == "neighbour" for cause in match.matched)
    assert lent


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


def log(*turns: tuple[str, str], session: str = "s") -> dict[str, str]:
    lines = [
        json.dumps({"session": session, "turn": n, "role": role, "content": text})
        for n, (role, text) in enumerate(turns)
    ]
    return {f"logs/2026-03-10/{session}.jsonl": "\n".join(lines) + "\n"}


def scores(app: App, question: str) -> dict[str, float]:
    return {match.unit.id: match.score for match in app.search(question).matches}


def test_turns_beside_one_lend_it_their_words_the_nearer_the_more(tmp_path: Path) -> None:
    said = ["x1 y1", "The kettle broke.", "x2 y2", "x3 y3", "x4 y4"]
    with App(put(tmp_path / "vault", log(*(("user", text) for text in said)))) as app:
        by_id = scores(app, "kettle")
        assert sorted(by_id, key=lambda id_: -by_id[id_]) == ["log:s/1", "log:s/2", "log:s/0", "log:s/3"]
        beside = next(match for match in app.search("kettle").matches if match.unit.id == "log:s/2")
        assert ("kettle", "prev", "neighbour") in beside.matched
        assert beside.surfaces == frozenset()


def test_nothing_is_lent_from_one_log_to_another(tmp_path: Path) -> None:
    files = log(("user", "The kettle broke.")) | log(("user", "x1 y1"), session="t")
    with App(put(tmp_path / "vault", files)) as app:
        assert list(scores(app, "kettle")) == ["log:s/0"]


def test_a_log_that_grew_lends_nothing_of_what_it_was_before(tmp_path: Path) -> None:
    """Its turns are read anew, behind those that were read before and are remembered."""
    said = ["The harbour froze.", "x2 y2", "x3 y3", "x4 y4", "The kettle broke."]
    root = put(tmp_path / "vault", log(*(("user", text) for text in said)))
    with App(root) as app:
        before = scores(app, "kettle harbour")
        put(root, log(*(("user", text) for text in [*said, "x5 y5"])))
        by_id = scores(app, "kettle harbour")
    assert by_id.keys() - before.keys() == {"log:s/5"}
    with App(root) as fresh:
        assert by_id == scores(fresh, "kettle harbour")


def test_a_tool_rises_by_its_own_words_alone(tmp_path: Path) -> None:
    for reply in ("Buy a new one here. " * 20, "Buy a new one here."):
        files = log(("user", "The kettle broke."), ("tool", reply), ("user", "So be it."))
        with App(put(tmp_path / str(len(reply)), files)) as app:
            assert set(scores(app, "kettle")) == {"log:s/0", "log:s/2"}


def test_an_assistants_long_reply_is_brought_by_what_it_answers_and_by_nothing_else(tmp_path: Path) -> None:
    long = "A new one costs nine crowns at the chandler's. " * 6
    rows = [("user", "The kettle broke."), ("assistant", long), ("user", "So be it."), ("assistant", long)]
    with App(put(tmp_path / "vault", log(*rows, ("user", "The lantern broke.")))) as app:
        by_id = scores(app, "kettle")
        assert by_id["log:s/0"] > by_id["log:s/1"] > 0
        assert set(scores(app, "lantern")) == {"log:s/4", "log:s/2"}


def test_an_assistants_short_answer_is_found_by_the_question_before_it(tmp_path: Path) -> None:
    files = log(("user", "Where are the spare keys of the boat?"), ("assistant", "In the biscuit tin."))
    with App(put(tmp_path / "vault", files)) as app:
        assert set(scores(app, "spare keys")) == {"log:s/0", "log:s/1"}


def test_an_assistant_lends_to_a_person_and_a_tool_does_not(tmp_path: Path) -> None:
    for role, expected in (("assistant", {"log:s/1", "log:s/0"}), ("tool", {"log:s/1"})):
        files = log(("user", "So be it."), (role, "The kettle broke."))
        with App(put(tmp_path / role, files)) as app:
            assert set(scores(app, "kettle")) == expected


def test_a_speaker_called_assistant_is_one(tmp_path: Path) -> None:
    turns = [
        {"session": "s", "turn": n, "role": "user", "name": name, "content": "My kettle broke."}
        for n, name in enumerate(["Nora", "Assistant"])
    ]
    files = {"logs/2026-03-10/s.jsonl": "".join(json.dumps(turn) + "\n" for turn in turns)}
    with App(put(tmp_path / "vault", files)) as app:
        by_id = {m.unit.id: {term.name for term in m.terms} for m in app.search("my kettle").matches}
    assert "assistant" in by_id["log:s/1"]
    assert "assistant" not in by_id["log:s/0"]


def test_the_first_turn_of_a_person_opens_a_session_with_an_assistant(tmp_path: Path) -> None:
    talk = [("user", "The kettle broke."), ("assistant", "Which kettle?"), ("user", "The red kettle.")]
    with App(put(tmp_path / "with", log(*talk))) as app:
        opening = [m.unit.id for m in app.search("kettle").matches if "opens" in {t.name for t in m.terms}]
        assert opening == ["log:s/0"]
    with App(put(tmp_path / "without", log(*(turn for turn in talk if turn[0] == "user")))) as app:
        assert not any("opens" in {t.name for t in m.terms} for m in app.search("kettle").matches)


def test_an_edit_of_a_log_changes_what_its_turn_is_known_to_ask(tmp_path: Path) -> None:
    path = "logs/2026-03-10/s.jsonl"
    turn = (
        '{"ts":"2026-03-10T09:00:00Z","session":"s","turn":0,"role":"user","content":"The kettle broke%s"}\n'
    )
    root = put(tmp_path / "vault", {path: turn % ", did it?"})
    with App(root) as app:
        assert "asks" in {term.name for term in app.search("kettle").matches[0].terms}
        put(root, {path: turn % " two weeks ago."})
        assert "asks" not in {term.name for term in app.search("kettle").matches[0].terms}


def test_the_order_in_which_logs_were_read_shows_in_no_answer(tmp_path: Path) -> None:
    files: dict[str, str] = {}
    for n in range(14):  # more turns tie than are looked at for their neighbours
        files |= log(("user", f"The kettle broke {n}."), ("user", f"Answer {n}."), session=f"s{n:02}")
    ids = []
    for folder, order in (("forward", list(files)), ("backward", list(files)[::-1])):
        with App(put(tmp_path / folder, {"memoryclaw.yaml": ""})) as app:
            for path in order:
                put(tmp_path / folder, {path: files[path]})
                app.sync()
            ids.append([(match.unit.id, match.score) for match in app.search("kettle", limit=100).matches])
    assert ids[0] == ids[1]
    assert 14 < len(ids[0]) < 28


def test_a_single_chinese_character_finds_what_no_pair_does(tmp_path: Path) -> None:
    files = log(("user", "他昨天买了一把小提琴。"), ("user", "琴很贵。"), ("user", "天气不错。"), session="s")
    with App(put(tmp_path / "vault", files)) as app:
        ids = [match.unit.id for match in app.search("小提琴多少钱").matches]
    assert ids[0] == "log:s/0"
    alone = log(("user", "琴很贵。"), session="t")
    with App(put(tmp_path / "other", alone)) as app:
        assert [match.unit.id for match in app.search("小提琴多少钱").matches] == ["log:t/0"]


@pytest.mark.parametrize("question", ["boathouse 茶", 'boathouse "paid 茶"'])
def test_what_a_single_chinese_character_finds_says_so(tmp_path: Path, question: str) -> None:
    with App(put(tmp_path / "vault", {"semantic/projects.md": "# 茶室\n"})) as app:
        (match,) = app.search(question).matches
    assert [(cause.word, cause.field, cause.via) for cause in match.matched] == [("茶", "body", "literal")]


def test_what_a_named_person_said_then_may_answer_without_a_word_of_the_question(tmp_path: Path) -> None:
    said = {
        "s1": ("2026-03-10", "John", "Greetings from Chicago!"),
        "s2": ("2026-03-10", "Tim", "Lucky you."),
        "s3": ("2026-03-13", "John", "The flight back was long."),
        "s4": ("2026-04-20", "John", "Tomorrow I paint the fence."),
        "s5": ("2026-05-20", "Tim", "John was here for the key."),
    }
    files = {
        f"logs/{day}/{session}.jsonl": json.dumps(
            {"session": session, "turn": 0, "ts": f"{day}T09:00:00Z", "role": "user", "name": name, "content": text}
        )
        + "\n"
        for session, (day, name, text) in said.items()
    }  # fmt: skip
    with App(put(tmp_path / "vault", files)) as app:
        ids = [match.unit.id for match in app.search("Where was John from 9 to 11 March 2026?").matches]
        assert {"log:s1/0", "log:s3/0", "log:s5/0"} == set(ids)
        assert ids.index("log:s1/0") < ids.index("log:s3/0")
        early = [match.unit.id for match in app.search("Where was John in January 2026?").matches]
        assert early == ["log:s5/0"]
        required = [match.unit.id for match in app.search("+key John from 9 to 11 March 2026").matches]
        assert required == ["log:s5/0"]
