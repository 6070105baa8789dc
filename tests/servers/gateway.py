"""A small HTTP server on loopback that answers as OpenClaw's gateway does on `/tools/invoke`. Real HTTP, no OpenClaw."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Gateway(ThreadingHTTPServer):
    """Keeps what it was asked; the tool `echo` answers with its arguments."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Gateway

    def do_POST(self) -> None:
        """Answers one call."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body))
        if self.headers["Authorization"] != "Bearer sesame":
            self.say(401, {"error": "no"})
        elif body["tool"] == "elsewhere":
            self.send_response(307)
            self.send_header("Location", f"{self.server.url}/moved")
            self.end_headers()
        elif body["tool"] == "slow":
            time.sleep(30)
        elif body["tool"] == "echo":
            content = [{"type": "text", "text": json.dumps(body["args"])}]
            self.say(200, {"ok": True, "result": {"content": content, "details": {"id": 7}}})
        elif body["tool"] == "plain":
            self.say(200, {"ok": True, "result": body["args"]})
        elif body["tool"] == "bad":
            self.say(
                200,
                {"ok": True, "result": {"content": [{"type": "text", "text": "it broke"}], "isError": True}},
            )
        elif body["tool"] == "refused":
            self.say(400, {"ok": False, "error": {"type": "invalid", "message": "text is missing"}})
        else:
            self.say(404, {"ok": False})

    def say(self, status: int, value: Any) -> None:
        """Sends one answer."""
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def running() -> Iterator[Gateway]:
    """The server, for as long as the block lasts."""
    with Gateway() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
