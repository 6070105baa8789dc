"""The laws of asking, with vectors on: answers explain themselves, hide nothing, and are the same however they came about."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest
from conftest import Claw, Files, Own, VaultOf, put, put_own
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st
from indexed import until
from servers.embedder import EmbedServer, settings
from vaults import MONDAY, questions, vaults

from memoryclaw.app import App
from memoryclaw.interfaces import shapes
from memoryclaw.vault.state_folder import state_folder

pytest.importorskip("numpy")
pytestmark = pytest.mark.laws
some = effort(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
strategies = st.sampled_from(("primary_first", "weighted"))


@pytest.fixture(scope="module")
def server() -> Iterator[EmbedServer]:
    with EmbedServer(dimension=16) as server:
        yield server


@contextmanager
def opened(files: Files, text: str) -> Iterator[App]:
    """A vault of somebody whose own settings these are."""
    base = Path(mkdtemp())
    root = put(base / "vault", {"notes/one.md": "# One\n\noak\n", **files})
    try:
        with pytest.MonkeyPatch.context() as patch:
            put_own(base / "own", text, patch)
            with App(root, clock=lambda: MONDAY) as app:
                app.sync()
                yield app
    finally:
        shutil.rmtree(root.parent)


def always(server: EmbedServer, strategy: str, engine: str = "fts5") -> str:
    """Settings under which every question in words asks the vectors."""
    lines = ("minPrimaryResults: 1000", f"blendStrategy: {strategy}")
    return settings(server, *lines) + f"index:\n  engine: {engine}\n"


def answered(app: App, question: str) -> str:
    answers = [
        shapes.search(app.search(question, limit=30)),
        shapes.recall(app.recall(question), trace=True),
    ]
    return json.dumps(
        [{k: v for k, v in shape.items() if k not in ("timings_ms", "receipt")} for shape in answers]
    )


@some
@given(vaults, questions, strategies)
def test_every_answer_explains_itself_and_hides_no_hit_of_words(
    server: EmbedServer, files: dict[str, str], question: str, strategy: str
) -> None:
    with opened(files, always(server, strategy)) as app:
        app.fill_vectors()
        both = app.search(question, limit=1000)
        put(app.root, {"memoryclaw.yaml": "retrieval:\n  fallback: none\n"})
        with App(app.root, clock=lambda: MONDAY) as plain:
            words = plain.search(question, limit=1000)
    assert not both.degraded
    for match in both.matches:
        assert match.score == sum(term.value for term in match.terms)
        assert match.matched
        assert all(term.value * 1024 == int(term.value * 1024) and term.value for term in match.terms)
    # Not by id: of copies that share one, the first keeps it, and vectors may find an earlier copy.
    places = {(match.path, match.unit.line) for match in both.matches}
    assert {(match.path, match.unit.line) for match in words.matches} <= places
    assert [t.score for t in both.trace] == sorted((t.score for t in both.trace), reverse=True)


@some
@given(vaults, questions, strategies, st.randoms())
def test_the_way_in_which_vectors_came_about_changes_no_byte(
    server: EmbedServer, files: dict[str, str], question: str, strategy: str, random
) -> None:
    """Filled at once, filled file by file in another order with one taken away and put back, and after a deleted state."""
    text = always(server, strategy)
    with opened(files, text) as app:
        app.fill_vectors()
        at_once = answered(app, question)
        app.close()
        shutil.rmtree(state_folder(app.root))
        app.sync()
        app.fill_vectors()
        assert answered(app, question) == at_once
    names = list(files)
    random.shuffle(names)
    with opened({}, text) as app:
        for name in [*names[:2], None, *names]:
            if name is None:
                for gone in names[:2]:
                    (app.root / gone).unlink()
            else:
                put(app.root, {name: files[name]})
            app.sync()
            app.fill_vectors()
        assert answered(app, question) == at_once


def test_a_fill_that_is_killed_again_and_again_ends_as_an_undisturbed_one(
    vault_of: VaultOf, own: Own
) -> None:
    notes = {f"notes/n{n}.md": f"# Note {n}\n\nThe hound number {n} of word{n}.\n" for n in range(120)}
    with EmbedServer(dimension=16) as server:
        own(always(server, "weighted"))
        root = vault_of(notes)
        claw, asked = Claw(root), "canine word7 and word80"
        with App(root, clock=lambda: MONDAY) as app:
            app.sync()
            app.fill_vectors()
            undisturbed = answered(app, asked)
        shutil.rmtree(root / ".memoryclaw")
        server.pause = 0.01
        for _ in range(3):
            before = len(server.texts)
            process = claw.start("sync", "--vectors", stdout=subprocess.DEVNULL)
            until(lambda before=before: len(server.texts) > before + 16, 30)
            process.kill()
            process.wait()
            with App(root, clock=lambda: MONDAY) as app:
                assert app._context.vectors.store.sound()
                assert answered(app, "word7")
        server.pause = 0
        with App(root, clock=lambda: MONDAY) as app:
            assert app.fill_vectors().missing == 0
            assert len(server.texts) < 2 * 120 + 5 * 20
            assert answered(app, asked) == undisturbed


@some
@given(vaults, questions, strategies)
def test_both_engines_give_the_same_bytes(
    server: EmbedServer, files: dict[str, str], question: str, strategy: str
) -> None:
    answers = []
    for engine in ("fts5", "whoosh"):
        with opened(files, always(server, strategy, engine)) as app:
            app.fill_vectors()
            answers.append(answered(app, question))
    assert answers[0] == answers[1]


@some
@given(vaults, questions, strategies)
def test_without_vectors_the_bytes_are_those_of_words(
    server: EmbedServer, files: dict[str, str], question: str, strategy: str
) -> None:
    with opened(files, always(server, strategy)) as app:
        ours = json.loads(answered(app, question))
        put(app.root, {"memoryclaw.yaml": "retrieval:\n  fallback: none\n"})
        with App(app.root, clock=lambda: MONDAY) as plain:
            alone = json.loads(answered(plain, question))
    for shape in (*ours, *alone):
        del shape["degraded"]
    assert ours == alone
