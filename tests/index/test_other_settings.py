"""Two processes with other settings each replace the index of the other; an answer never comes from an empty one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import STUDIO, Own, put

from memoryclaw.app.context import VaultContext
from memoryclaw.errors import IndexBehindError, IndexBusyError
from memoryclaw.vault import files

NOW = datetime(2026, 4, 20, 8, tzinfo=UTC)


@pytest.fixture
def contexts(tmp_path: Path, own: Own) -> tuple[VaultContext, VaultContext]:
    """Mine, and one of a process that was started before the settings changed."""
    root = put(tmp_path / "vault", STUDIO)
    own("audience:\n  folders: {journal: owner}\n")
    earlier = VaultContext(root, clock=lambda: NOW, progress=None, patience=0.1)
    own("audience:\n  folders: {diary: owner}\n")
    return VaultContext(root, clock=lambda: NOW, progress=None, patience=0.1), earlier


def paths(context: VaultContext) -> set[str]:
    return set(context.index.stamps())


def test_what_was_replaced_under_a_question_is_asked_again(
    contexts: tuple[VaultContext, VaultContext],
) -> None:
    mine, earlier = contexts
    mine.refresh()
    whole = paths(mine)
    assert whole
    answers: list[set[str]] = []

    def question() -> set[str]:
        if not answers:
            earlier.refresh()
        answers.append(paths(mine))
        return answers[-1]

    assert mine.read(question) == whole
    assert answers == [set(), whole]  # the first was of the new, empty index


def test_a_process_that_replaces_it_every_time_is_told_of(
    contexts: tuple[VaultContext, VaultContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, earlier = contexts

    def question() -> set[str]:
        earlier.refresh()
        return paths(mine)

    with pytest.raises(IndexBusyError, match="with other settings"):
        mine.read(question)
    monkeypatch.setattr(files, "WAIT", 0.1)
    refresh = mine.refresh

    def replaced() -> object:
        freshness = refresh()
        earlier.refresh()
        paths(mine)
        return freshness

    monkeypatch.setattr(mine, "refresh", replaced)
    with pytest.raises(IndexBehindError, match="with other settings"):
        mine.must_refresh()
