"""A model server on loopback that answers what a test tells it to, in the wire forms of Ollama and of OpenAI. Real HTTP, no model."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Self

Report = Mapping[str, Any]


class Asked(NamedTuple):
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def prompt(self) -> str:
        """What the model was asked."""
        return str(self.body["messages"][-1]["content"])

    @property
    def log(self) -> list[str]:
        """The lines of the log in the prompt."""
        return log_in(self.prompt)


class Line(NamedTuple):
    """One line of the log, taken apart."""

    number: int
    role: str
    text: str


def log_in(prompt: str) -> list[str]:
    """The JSON array in a prompt."""
    begin = prompt.index("\n[", prompt.index(" BEGINS")) + 1
    return list(json.JSONDecoder().raw_decode(prompt, begin)[0])


def line_of(item: str) -> Line:
    """A string of the array, taken apart."""
    number, _, rest = item.partition(" | ")
    before, _, text = rest.partition(" | ")
    if before[:2].isdigit():  # the time, where the log has one
        before, _, text = text.partition(" | ")
    return Line(int(number), before.partition(" ")[0], text)


def honest(log: list[str]) -> dict[str, Any]:
    """What an honest model would say of a log: its first line of a user, and one fact of that line."""
    line = next(each for each in map(line_of, log) if each.role == "user")
    words = line.text.split()
    claim = {
        "line": line.number, "quote": line.text, "entity": words[0], "field": words[1],
        "value": words[-1].strip("."), "durable": True, "confidence": "high",
    }  # fmt: skip
    return {
        "title": " ".join(words[:6]),
        "summary": line.text,
        "tags": [words[0]],
        "entities": [words[0]],
        "claims": [claim],
    }


def envelope(path: str, text: str) -> bytes:
    """A model's text as Ollama or as an OpenAI-compatible endpoint sends it."""
    message = {"role": "assistant", "content": text}
    if path.endswith("/api/chat"):
        answer = {"model": "m", "created_at": "2026-04-20T08:00:00Z", "done": True, "message": message}
    else:
        answer = {"id": "1", "object": "chat.completion", "choices": [{"index": 0, "message": message}]}
    return json.dumps(answer).encode()


def response(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    """A whole HTTP answer."""
    head = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*head, "Connection: close", "", ""]).encode() + body


class ModelServer:
    """Listens on a free port of loopback while the block runs; each connection is handed to `serve` in a thread of its own."""

    def __init__(self, answer: Callable[[Asked], str] | None = None) -> None:
        self._answer = answer or (lambda asked: json.dumps(honest(asked.log)))
        self.asked: list[Asked] = []
        self.connections = 0
        self.stopped = threading.Event()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def serve(self, connection: socket.socket, asked: Asked) -> None:
        """Answers one request; other kinds of servers override this."""
        connection.sendall(response(envelope(asked.path, self._answer(asked))))

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(60)

    def _start(self, work: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.stopped.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._start(self._handle, connection)

    def _handle(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):  # who asked may be gone by now
            if asked := _read(connection):
                self.asked.append(asked)
                self.serve(connection, asked)


def _read(connection: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := connection.recv(65536)):
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        if not (more := connection.recv(65536)):
            return None
        body += more
    return Asked(first.split(" ")[1], headers, json.loads(body or b"{}"))
