"""The test servers themselves: who hangs up in the middle of a request or of an answer leaves no thread and no traceback behind."""

from __future__ import annotations

import socket

import pytest
from servers.faulty import Faulty
from servers.scripted import ModelServer

HEAD = b"POST /api/chat HTTP/1.1\r\nContent-Length: 100\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"POST /a", HEAD, HEAD + b'{"model"'])
def test_a_client_that_hangs_up_stops_nobody(sent: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    with ModelServer() as server, Faulty("hang") as other:
        for url in (server.url, other.url):
            host, port = url.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port))) as client:
                client.sendall(sent)
    assert not [thread for thread in (*server._threads, *other._threads) if thread.is_alive()]
    assert capfd.readouterr() == ("", "")
