"""A run whose model fails, in every way a model can: the logs stay, the episode comes, and the run says that it is degraded."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import Own, put
from gitvault import git, vault_of
from servers.faulty import MENDED, MODES, Faulty, patience

from memoryclaw.app import App

NOW = datetime(2026, 4, 20, 8, tzinfo=UTC)
LOG = "logs/2026-04-19/evening.jsonl"
SAID = "The rowing club wants a second slipway beside the old oak, and Nordmole builds it in June."

# One of each family; a reading meets every way there is in test_model_chain, and a whole night every other one in the law tests.
USUAL = {"refused", "hang", "status_500", "truncated", "prose_only", "invented_quotes", "reaches_out", "deep"}


@pytest.mark.parametrize(
    "mode", [mode if mode in USUAL else pytest.param(mode, marks=pytest.mark.laws) for mode in MODES]
)
def test_a_failing_model_costs_nothing_but_its_words(mode: str, tmp_path: Path, own: Own) -> None:
    line = {"ts": "2026-04-19T18:00:00Z", "session": "evening", "turn": 1, "role": "user", "content": SAID}
    root = vault_of(tmp_path / "vault", {"Home.md": "# Home\n"})
    raw = json.dumps(line) + "\n"
    with Faulty(mode) as server:
        own(f"llm:\n  chain: [ollama]\n  url: {server.url}\n  timeout: {patience(mode)}\n  retries: 0\n")
        put(root, {LOG: raw})
        app = App(root, clock=lambda: NOW)
        done = app.consolidate()
        app.close()
    assert (root / LOG).read_text() == raw
    (path,) = root.glob("episodes/*.md")
    assert "second slipway beside the old oak" in path.read_text()
    record = json.loads((root / done.applied.record).read_text())
    assert bool(record["degraded"]) == (mode not in MENDED)
    assert not list(root.rglob("*.tmp"))
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "fsck", "--strict", "--no-dangling") == ""


def test_without_models_none_is_asked_and_nothing_is_degraded(tmp_path: Path, own: Own) -> None:
    root = vault_of(tmp_path / "vault", {"Home.md": "# Home\n"})
    line = {"ts": "2026-04-19T18:00:00Z", "session": "evening", "turn": 1, "role": "user", "content": SAID}
    with Faulty(next(iter(MODES))) as server:
        own(f"llm:\n  chain: [ollama]\n  url: {server.url}\n")
        put(root, {LOG: json.dumps(line) + "\n"})
        app = App(root, clock=lambda: NOW)
        done = app.consolidate(llm="none")
        app.close()
    assert done.changes.models == ("rules",)
    assert not done.changes.degraded
