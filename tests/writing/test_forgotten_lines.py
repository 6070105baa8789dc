"""What was forgotten is not told again by the lines that it came from; every promise on a vault that the real verbs filled."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from conftest import Claw
from gitvault import copy_repositories, snapshot

from memoryclaw.app import init_vault, open_vault
from memoryclaw.vault.forgotten import ForgottenLines, ForgottenMark
from memoryclaw.vault.logs import LogRange, range_of, whole_lines

TURNS = [
    ("s1", 1, "2026-03-08T10:00:00Z", "user", "Hi, my name is Tom. My doctor is Zanthrax Quellmore in Bern and I live in Basel."),
    ("s1", 2, "2026-03-08T10:00:30Z", "assistant", "Noted: Zanthrax Quellmore is your doctor."),
    ("s1", 3, "2026-03-08T10:01:00Z", "user", "My sister Anna works at Siemens."),
    ("s2", 1, "2026-03-09T10:01:00Z", "user", "My car is a purple Wobblemobil."),
]  # fmt: skip
DOCTOR, CAR = "semantic/people#user.doctor", "semantic/people#user.car"


def turn(session, number, ts, role, content):
    return {"session": session, "turn": number, "ts": ts, "role": role, "content": content}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    init_vault(folder / "v")
    with open_vault(folder / "v") as app:
        app.capture([turn(*line) for line in TURNS])
        app.consolidate(llm="none")
    return folder


@pytest.fixture
def app(template, tmp_path):
    copy_repositories(template, tmp_path)
    with open_vault(tmp_path / "v") as app:
        yield app


def answer_of(app, question):
    """Everything that an answer shows."""
    return " ".join(
        [
            app.recall(question).context,
            *(m.snippet + m.unit.text + m.unit.title for m in app.search(question).matches),
        ]
    )


def test_a_forgotten_fact_is_not_told_by_its_episode_or_its_log(app):
    assert "Zanthrax" in answer_of(app, "who is my doctor")
    done = app.forget(DOCTOR)
    before = {
        path: data for path, data in snapshot(app.root).items() if path.startswith(("logs/", "episodes/"))
    }
    assert "zanthrax" not in answer_of(app, "who is my doctor").lower()
    assert "zanthrax" not in answer_of(app, "Zanthrax Quellmore").lower()
    assert "Basel" in answer_of(app, "where do I live"), "what else the same line says stays"
    assert "Siemens" in answer_of(app, "where does Anna work")
    app.revive(done.id)
    assert "Zanthrax" in answer_of(app, "who is my doctor")
    assert {path: data for path, data in snapshot(app.root).items() if path in before} == before


def test_a_turn_is_forgotten_and_comes_back(app):
    before = (app.root / "logs/2026-03-08/s1.jsonl").read_bytes()
    done = app.forget("log:s1/3")
    assert (done.id, done.action) == ("log:s1/3", "forgotten")
    assert "semantic/people#user.sister" in done.notice
    assert not [m for m in app.search("Siemens").matches if m.unit.kind == "turn"]
    assert (app.root / "logs/2026-03-08/s1.jsonl").read_bytes() == before
    with pytest.raises(Exception, match="forgotten already"):
        app.forget("log:s1/3")
    app.revive("log:s1/3")
    assert "log:s1/3" in [m.unit.id for m in app.search("Siemens").matches]


def test_a_forgotten_turn_is_not_consolidated_and_a_revived_one_is(app):
    app.capture(
        [
            turn("s3", 1, "2026-03-10T09:00:00Z", "user", "My dentist is Orlo Brandywine."),
            turn("s3", 2, "2026-03-10T09:00:09Z", "user", "My dog is called Bello."),
        ]
    )
    app.forget("log:s3/1")
    app.consolidate(llm="none")
    assert "Bello" in answer_of(app, "what is my dog called")
    assert not [fact for _, fact in app.facts() if "Brandywine" in fact.value]
    app.redo("2026-03-01", llm="none")
    app.revive("log:s3/1")
    app.consolidate(llm="none")
    assert [fact.field for _, fact in app.facts() if "Brandywine" in fact.value] == ["dentist"]


def test_a_forgotten_episode_is_not_told_by_its_log(app):
    app.forget(CAR)
    [episode] = [note.id for note in app.browse(kind="episode") if "wobblemobil" in note.id]
    done = app.forget(episode)
    assert "wobblemobil" not in answer_of(app, "purple Wobblemobil").lower()
    app.revive(done.id)
    assert "wobblemobil" not in answer_of(app, "what car do I have").lower(), "the fact is forgotten still"


def test_what_is_forgotten_is_so_for_every_index(app):
    app.forget(DOCTOR)
    app.forget("log:s1/3")
    kept = [app.search(q).matches for q in ("doctor Zanthrax", "Anna Siemens", "Basel")]
    app.close()
    shutil.rmtree(app.root / ".memoryclaw")
    assert [app.search(q).matches for q in ("doctor Zanthrax", "Anna Siemens", "Basel")] == kept


def test_decisions_hold_no_word_of_what_was_forgotten(app):
    app.forget(CAR)
    lines = (app.root / "review/decisions.jsonl").read_text().splitlines()
    [decision] = [json.loads(line) for line in lines]
    assert all("@" in mark and "#" in mark for mark in decision["lines"])
    assert "purple" not in re.sub(
        r'"(?:episodes|logs)/[^"#]*#', "", lines[0]
    )  # a file may be called after it


def test_the_command_line_and_a_log_that_grew(app):
    app.forget("log:s2/1")
    app.capture([turn("s2", 2, "2026-03-09T10:02:00Z", "user", "It needs new tyres.")])
    app.close()
    run = Claw(app.root)
    assert run("search", "purple Wobblemobil", "--kind", "turn", "--json").json["matches"] == []
    assert run("search", "tyres", "--json").json["matches"][0]["id"] == "log:s2/2"
    assert run("show", "log:s2/1").code == 0


def test_a_mark_follows_its_lines_and_one_that_fits_nothing_costs_nothing():
    data = b"a\nb\nc\nd\n"
    lines = whole_lines(data)
    marks = [
        ForgottenMark(range_of("logs/x/s.jsonl", lines, 2, 3)),
        ForgottenMark(range_of("logs/x/s.jsonl", lines, 4, 4), 1, 2),
    ]
    forged = [
        ForgottenMark(LogRange("logs/x/s.jsonl", 1, 999_999_999, "0" * 16)),
        ForgottenMark(LogRange("logs/x/s.jsonl", 0, 0, "0" * 16)),
    ]
    known = ForgottenLines.of(map(str, marks + forged))

    def digests_of(data):
        return {
            n: [(m.place.first, m.place.last, m.end) for m in ms]
            for n, ms in known.within("logs/y/s.jsonl", data).items()
        }

    assert digests_of(data) == {2: [(2, 3, 0)], 4: [(4, 4, 2)]}
    assert digests_of(b"new\n" + data) == {3: [(3, 4, 0)], 5: [(5, 5, 2)]}
    assert digests_of(b"b\n") == digests_of(b"") == {}
