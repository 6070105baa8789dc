"""`/mcp` of a running daemon through the SDK's own client, by the protocol of today and by the one with a handshake."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import STUDIO, put
from daemons import Daemon, serving
from httpx2 import AsyncClient
from mcp.client.streamable_http import streamable_http_client
from mcpclients import Asker, connected

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with serving(put(tmp_path_factory.mktemp("mcp") / "vault", STUDIO)) as running:
        yield running


def client(daemon: Daemon, **options: Any) -> Any:
    http = AsyncClient(headers={"Authorization": f"Bearer {daemon.token}"}, timeout=60)
    return connected(streamable_http_client(f"{daemon.address['url']}/mcp", http_client=http), **options)


@pytest.fixture(scope="module")
def ask(daemon: Daemon) -> Iterator[Asker]:
    with client(daemon) as asker:
        yield asker


def test_each_kind_of_request_is_answered_as_by_the_daemons_own_routes(ask: Asker, daemon: Daemon) -> None:
    answer = ask("memory_search", query="boathouse deadline", limit=3)
    asked = daemon.get("/v1/search?q=boathouse+deadline&limit=3")
    assert set(re.findall('<m id="([^"]*)"', answer.text)) == {match["id"] for match in asked["matches"]}
    assert "deadline: 2026-12-11" in ask.read("memory://note/semantic%2Fprojects%23Boathouse.deadline")
    (message,) = ask.do(lambda: ask.client.get_prompt("recall", {"question": "boathouse deadline"})).messages
    assert "2026-12-11" in message.content.text
    assert ask("memory_get", id="../../etc/passwd").text.startswith("not_found: ")


def test_what_is_stored_through_it_is_found_at_every_other_door(ask: Asker, daemon: Daemon) -> None:
    things = ("The bolts are", "Anna's new door handle is", "Half of the museum's bells are")
    answers = ask.at_once([("memory_store", {"text": f"{thing} made of bronze."}) for thing in things])
    assert not [answer.text for answer in answers if answer.failed]
    known = daemon.get("/v1/search?q=bronze&kind=episode")["matches"]
    assert {match["id"] for match in known} == {answer.text.split()[1] for answer in answers}


def test_a_client_that_shakes_hands_first_is_answered_too(daemon: Daemon) -> None:
    with client(daemon, mode="legacy") as ask:
        assert ask.client.protocol_version < "2026"
        assert '<m id="skills/send-update/SKILL"' in ask("memory_browse", kind="skill").text
        assert len(ask.do(ask.client.list_tools).tools) == 8


def test_nobody_is_answered_without_the_token(daemon: Daemon) -> None:
    assert daemon.ask("POST", "/mcp", PING, headers=ACCEPT).status == 200
    assert daemon.ask("POST", "/mcp", PING, headers={**ACCEPT, "Authorization": None}).status == 401
    assert (
        daemon.ask("POST", "/mcp", PING, headers={**ACCEPT, "Origin": "https://evil.example"}).status == 403
    )


def test_there_is_no_stream_that_could_hang(daemon: Daemon) -> None:
    assert daemon.ask("GET", "/mcp", headers=ACCEPT).status == 405
    assert daemon.ask("DELETE", "/mcp").status == 405


def test_a_vault_whose_text_changes_under_it_is_read_anew(ask: Asker, daemon: Daemon) -> None:
    moon: Path = daemon.vault / "notes/moon.md"
    moon.write_text("# Moon pancakes\n\nChestnut flour.\n")
    assert "Chestnut flour" in ask("memory_get", id="notes/moon").text


def test_a_daemon_that_no_client_asked_has_not_imported_the_sdk() -> None:
    code = "import sys\nfrom memoryclaw.interfaces.mcp import Mounted\nMounted(None, None)\nassert 'mcp' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
