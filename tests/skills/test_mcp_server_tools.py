"""Tools of MCP servers made with the official SDK: one over HTTP for the whole module, one over standard input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from memoryclaw.errors import InputError
from memoryclaw.skills.mcp_tools import McpTools, trouble
from memoryclaw.skills.tools import ToolServer

SERVER = Path(__file__).parent.parent / "servers" / "toolserver.py"


class Running(NamedTuple):
    server: ToolServer
    book: Path

    def tools(self, **changes: object) -> McpTools:
        return McpTools([self.server._replace(**changes)], 60, "/")

    @property
    def calls(self) -> list[object]:
        return [json.loads(line) for line in self.book.read_text().splitlines()] if self.book.exists() else []


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server over HTTP, with its token."""
    folder = tmp_path_factory.mktemp("server")
    book, port = folder / "calls", folder / "port"
    # With the bytecode that is there: to compile the SDK takes longer than all these tests.
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPYCACHEPREFIX"}
    process = subprocess.Popen([sys.executable, SERVER, book, port], env=env)
    try:
        while not port.exists() or not port.read_text():
            assert process.poll() is None
            time.sleep(0.02)
        url = f"http://127.0.0.1:{port.read_text()}/mcp"
        yield Running(ToolServer("notes", url=url, headers={"Authorization": "Bearer sesame"}), book)
    finally:
        process.terminate()
        process.wait(60)


def test_tools_are_found_checked_and_called_over_http(notes: Running) -> None:
    before = len(notes.calls)
    with notes.tools() as tools:
        for name in ("note", "notes.note", "notes__note", "mcp__notes__note", "notes/note"):
            tool = tools.find(name)
            assert tool is not None
            assert (tool.host, tool.name) == ("mcp:notes", "note")
        assert tools.find("nothing") is None
        assert "'text' is a required property" in trouble({}, tool.schema or {}, frozenset())
        assert trouble({}, tool.schema or {}, frozenset({"text"})) == ""
        done = tools.call(tool, {"text": "tea", "count": "2"})
        assert (done.ok, done.text, done.value) == (True, "noted tea", "noted tea")
        assert notes.calls[before:] == [["note", {"text": "tea", "count": 2}]]


def test_structured_answers_are_values(notes: Running) -> None:
    with notes.tools() as tools:
        tool = tools.find("measure")
        assert tool is not None
        assert tools.call(tool, {"text": "two words"}).value == {"letters": 9, "words": 2}


def test_an_error_of_a_tool_is_a_result_that_is_not_ok(notes: Running) -> None:
    with notes.tools() as tools:
        tool = tools.find("note")
        assert tool is not None
        done = tools.call(tool, {"text": "fail"})
    assert not done.ok
    assert "no such page" in done.text or "failed" in done.text.lower() or "error" in done.text.lower()


def test_a_wrong_token_or_a_wrong_address_is_one_sentence(notes: Running) -> None:
    with (
        notes.tools(headers={}) as tools,
        pytest.raises(InputError, match="the MCP server notes cannot be used"),
    ):
        tools.find("note")
    with (
        notes.tools(url="http://127.0.0.1:9/mcp") as tools,
        pytest.raises(InputError, match="cannot be used"),
    ):
        tools.find("note")


def test_a_bare_name_that_two_servers_have_is_not_guessed(notes: Running) -> None:
    twin = notes.server._replace(name="twin")
    with McpTools([notes.server, twin], 60, "/") as tools:
        with pytest.raises(InputError, match=r"write notes\.note and twin\.note, whichever is meant"):
            tools.find("note")
        tool = tools.find("twin.note")
        assert tool is not None
        assert tool.host == "mcp:twin"


@pytest.mark.laws
def test_a_server_over_standard_input_is_started_and_stopped(tmp_path: Path) -> None:
    book = tmp_path / "calls"
    server = ToolServer("local", command=sys.executable, args=(str(SERVER), "calls"), cwd=str(tmp_path))
    with McpTools([server], 60, "/") as tools:
        tool = tools.find("local.note")
        assert tool is not None
        assert tools.call(tool, {"text": "here"}).ok
    assert json.loads(book.read_text()) == ["note", {"text": "here", "count": 1}]


def test_a_server_that_does_not_start_is_waited_for_only_once(tmp_path: Path) -> None:
    started = tmp_path / "started"
    code = f"open({str(started)!r}, 'a').write('x')"
    server = ToolServer("notes", sys.executable, ("-c", code))
    with McpTools([server], 60, str(tmp_path)) as tools:
        for name in ("notes.note", "notes.other", "bare"):
            with pytest.raises(InputError, match="the MCP server notes cannot be used"):
                tools.find(name)
    assert started.read_text() == "x"


def test_without_a_step_no_server_is_started() -> None:
    with McpTools([ToolServer("none", command="/nowhere/at/all")], 1, "/") as tools:
        assert tools
