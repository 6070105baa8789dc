"""Secrets that are given with a request that fails: in no error, no remark and no report of a bug, not even their beginnings."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Claw
from daemons import serving
from mcpclients import started
from secretset import samples, survives

from memoryclaw import open_vault
from memoryclaw.app import App
from memoryclaw.interfaces.cli import exit_codes
from memoryclaw.interfaces.cli.verbs import CliContext

NOTE = "notes/moon"
SAMPLES = [s for s in samples(20261121, ("{}", "I wrote it down: {}"), 1) if s.kind != "pin"]
TELLING = [sample for sample in SAMPLES if "\n" not in sample.line]


@pytest.fixture
def app(studio: Path) -> Iterator[App]:
    """The vault, opened."""
    with open_vault(studio) as opened:
        yield opened


def test_a_refused_time_is_not_told_back(app: App) -> None:
    for sample in SAMPLES:
        line = json.dumps({"role": "user", "content": "x", "session": "s", "ts": sample.line})
        (done,) = app.capture([line])
        assert not done.ok
        assert "is not a time" in done.error
        assert not survives(sample, done.error), done.error


@pytest.mark.parametrize(
    "words",
    [
        ["show", "{}"],
        ["edit", NOTE, "--set", "{}"],
        ["edit", "{}", "--set", "a=b"],
        ["forget", "{}"],
        ["undo", "{}"],
        ["facts", "{}"],
        ["facts", "--as-of", "{}"],
        ["search", "--kind", "{}", "wind"],
        ["search", "--limit", "{}", "wind"],
        ["skills", "new", "{}"],
        ["skills", "run", "send-update", "--param", "{}"],
        ["skills", "run", "send-update", "--param", "{}=1"],
        ["review", "show", "{}"],
        ["redo", "--since", "{}"],
        ["working", "set", "--session", "s", "--fact", "{}"],
        ["--{}"],
        ["{}"],
    ],
    ids=" ".join,
)
def test_a_command_that_is_refused_does_not_tell_a_secret_back(studio: Path, words: list[str]) -> None:
    refused = 0
    some = ([sample for sample in TELLING if sample.prefixed] if words == ["--{}"] else TELLING)[::8]
    given = [sample.line.strip() if words != ["--{}"] else sample.secret for sample in some]
    typed = [[word.replace("{}", line) for word in words] for line in given]
    for sample, ran in zip(some, Claw(studio).each(typed), strict=True):
        refused += ran.code in (1, 2)
        assert ran.code != 3, ran
        if ran.code:
            assert not survives(sample, ran.out + ran.err), (sample.kind, ran)
    assert refused


def test_nor_does_a_request_over_http(studio: Path) -> None:
    with serving(studio) as daemon:
        for sample in TELLING[::5]:
            line = sample.line
            asked: list[tuple[str, str, Any]] = [
                ("POST", "/v1/recall", {"query": "wind", line: 1}),
                ("POST", "/v1/recall", {"query": "wind", "budget": line}),
                ("PATCH", "/v1/notes/nothing-here", {"set": {line: line}}),
                ("POST", "/v1/undo", {"what": line}),
                ("POST", "/v1/feedback", {"id": line, "rating": 3}),
            ]
            for method, path, body in asked:
                reply = daemon.ask(method, path, body)
                assert 400 <= reply.status < 500, reply
                assert not survives(sample, reply.body.decode()), (sample.kind, reply)
            turns = [{"role": "user", "content": "x", "ts": line}]
            reply = daemon.ask("POST", "/v1/capture", {"turns": turns, "session": "s"})
            assert not survives(sample, reply.body.decode()), (sample.kind, reply)


def test_nor_does_a_tool_over_mcp(studio: Path) -> None:
    with started(studio, studio.parent / "mcp.log") as ask:
        for sample in TELLING[::5]:
            line = sample.line
            calls: list[tuple[str, dict[str, Any]]] = [
                ("memory_get", {"id": line}),
                ("memory_search", {"query": "wind", line: 1}),
                ("memory_search", {"query": "wind", "limit": line}),
                ("memory_facts", {"entity": line}),
                ("memory_facts", {"as_of": line}),
                ("memory_review", {"id": line}),
            ]
            for tool, arguments in calls:
                done = ask(tool, **arguments)
                assert done.failed
                assert not survives(sample, done.text), (sample.kind, done)
    printed = (studio.parent / "mcp.log").read_text()
    assert not [sample.kind for sample in TELLING if survives(sample, printed)]


def test_nor_does_the_report_of_a_bug(studio: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_vault(studio) as app:
        app.sync()
    sample = next(sample for sample in SAMPLES if sample.kind == "anthropic")
    monkeypatch.setattr("sys.argv", ["memoryclaw", "remember", sample.line])
    report = Path(exit_codes.report_bug(KeyError(sample.line[:60]), CliContext(vault=os.fspath(studio))))
    assert report.parent == studio / ".memoryclaw"
    assert "KeyError" in report.read_text()
    assert not survives(sample, report.read_text())
