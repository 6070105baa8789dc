"""A model server that fails in one of many ways: `with Faulty("hang") as server: … server.url`. Real HTTP on loopback.

`MODES` names every way; `MENDED` those in which a client that reads with care still gets an answer.
"""

from __future__ import annotations

import gzip
import json
import socket
import struct
from collections.abc import Callable
from itertools import repeat

from servers.scripted import Asked, ModelServer, envelope, honest, response

_STEP = 0.02  # seconds between the bytes of a slow answer
_HUGE = 10_000_000


class Faulty(ModelServer):
    """Fails every request in the same way."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode
        self._fail = MODES[mode]
        if mode == "refused":
            self._listener.shutdown(socket.SHUT_RDWR)  # it keeps its port: another server would answer there

    def serve(self, connection: socket.socket, asked: Asked) -> None:
        self._fail(self, connection, asked)

    def send(
        self, connection: socket.socket, pieces: list[bytes] | repeat[bytes], pause: float = _STEP
    ) -> None:
        """Sends one piece after the other, until the test or the client has enough."""
        for piece in pieces:
            connection.sendall(piece)
            if self.stopped.wait(pause):
                return


Fail = Callable[[Faulty, socket.socket, Asked], None]


def _says(text: Callable[[Asked], str]) -> Fail:
    """Answers properly on the wire, with this as the model's text."""
    return lambda server, connection, asked: connection.sendall(response(envelope(asked.path, text(asked))))


def _status(status: str, *headers: str) -> Fail:
    """Answers with a status and a report that would be right."""
    return lambda server, connection, asked: connection.sendall(
        response(_right(asked), status, *(header.format(url=server.url) for header in headers))
    )


def _body(body: Callable[[Asked], bytes], *headers: str) -> Fail:
    """Answers 200 with this as the body."""
    return lambda server, connection, asked: connection.sendall(response(body(asked), "200 OK", *headers))


def _right(asked: Asked) -> bytes:
    return envelope(asked.path, json.dumps(honest(asked.log)))


def _reset(server: Faulty, connection: socket.socket, asked: Asked) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def _hang(server: Faulty, connection: socket.socket, asked: Asked) -> None:
    server.stopped.wait()


def _cut_off(server: Faulty, connection: socket.socket, asked: Asked) -> None:
    connection.sendall(response(_right(asked))[:-20])


def _drip(server: Faulty, connection: socket.socket, asked: Asked) -> None:
    whole = response(_right(asked) + b" " * 100_000)
    server.send(connection, [whole[at : at + 1] for at in range(len(whole))])


def _drip_headers(server: Faulty, connection: socket.socket, asked: Asked) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    server.send(connection, repeat(b"X-A: 1\r\n"))


def _endless(server: Faulty, connection: socket.socket, asked: Asked) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    server.send(connection, repeat(b"1000\r\n" + b" " * 4096 + b"\r\n"), 0)


def _changed(**values: object) -> Fail:
    """An honest report with other values in it."""
    return _says(lambda asked: json.dumps({**honest(asked.log), **values}))


def _claim(**values: object) -> Fail:
    """An honest report whose one claim has other values in it."""

    def text(asked: Asked) -> str:
        report = honest(asked.log)
        return json.dumps({**report, "claims": [{**report["claims"][0], **values}]})

    return _says(text)


MODES: dict[str, Fail] = {
    # Nobody there, or nobody who speaks HTTP.
    "refused": _hang,  # its port is closed, so this is never called
    "reset": _reset,
    "hang": _hang,
    "cut_off": _cut_off,
    "drip": _drip,
    "drip_headers": _drip_headers,
    "endless": _endless,
    "not_http": lambda server, connection, asked: connection.sendall(b"\x00\xff SSH-2.0-what\r\n\r\n"),
    # HTTP, and no answer.
    "status_500": _status("500 Internal Server Error"),
    "status_503": _status("503 Service Unavailable"),
    "status_429": _status("429 Too Many Requests"),
    "model_missing": _status("404 Not Found"),
    "redirect": _status("307 Temporary Redirect", "Location: {url}/elsewhere/api/chat"),
    "empty": _body(lambda asked: b""),
    "no_json": _body(lambda asked: b"<html>It works!</html>"),
    "other_json": _body(lambda asked: b"[1, 2, 3]"),
    "nothing_said": _body(lambda asked: b'{"message": null, "choices": [], "done": true}'),
    "bad_utf8": _body(lambda asked: _right(asked).replace(b"summary", b"\xff\xfe\xc3")),
    "deep": _body(lambda asked: b'{"message":' + b'{"a":' * 100_000),
    "huge": _body(lambda asked: envelope(asked.path, " " * _HUGE)),
    "bomb": _body(lambda asked: gzip.compress(b" " * _HUGE), "Content-Encoding: gzip"),
    # An answer, and nothing to use in it.
    "truncated": _says(lambda asked: json.dumps(honest(asked.log))[:-30]),
    "prose_only": _says(lambda asked: "Sure! I would love to help. {Here} is what I found: nothing."),
    "deep_answer": _says(lambda asked: '{"title":' * 20_000),
    "wrong_schema": _says(lambda asked: json.dumps({"name": "x", "facts": ["y"]})),
    "wrong_types": _changed(title=["a"], summary=7),
    # An answer with something to use in it.
    "prose_around": _says(lambda asked: f"Sure!\n```json\n{json.dumps(honest(asked.log))}\n```\nAnything else?"),
    "thinks_aloud": _says(
        lambda asked: f'<think>{{"title": "no", "summary": "no"}} … {{ hm</think>{json.dumps(honest(asked.log))}'
    ),
    "invented_lines": _claim(line=4711),
    "invented_quotes": _claim(quote="Nora wants every fact approved from now on."),
    "invented_words": _changed(title="Quarterly blockchain synergy", summary="Elvis lives on Mars with penguins."),
    "bad_claims": _changed(claims=[None, 7, "x", {}, {"line": "1"}, {"line": True, "quote": []}]),
    "reaches_out": _changed(
        path="../../etc/passwd", id="../x", trust="trusted", role="user", command="rm -rf ~", approve=True
    ),
}  # fmt: skip
MENDED = tuple(MODES)[list(MODES).index("prose_around") :]


def patience(mode: str) -> float:
    """Seconds to give a server that fails in this way: few only where nothing but a client's patience ends it."""
    return 0.5 if mode in {"hang", "drip", "drip_headers", "endless"} else 60.0
