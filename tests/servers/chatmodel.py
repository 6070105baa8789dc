"""A chat model on loopback that does what it is told, in the wire form that OpenClaw streams. Real HTTP, no model.

`CALL tool {"json": "arguments"}` in the user's text makes it call that tool; a tool's answer it repeats; asked about a log, it reports
what stands there, and obeys a `CALL` in it all the same; all else it echoes.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from servers.scripted import honest, log_in

# OpenClaw adds a last user message of its own, which no user wrote.
_INTERNAL = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
_RECALLED = re.compile(r"<memories .*?</memories>", re.DOTALL)
_CALL = re.compile(r"CALL (\w+) (\{.*\})")


def words_of(message: Mapping[str, Any]) -> str:
    """What a message says, whether it is a text or a list of parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or [])


def said(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The messages of a request without the host's own."""
    return [each for each in body.get("messages", []) if not words_of(each).startswith(_INTERNAL)]


def answer(body: Mapping[str, Any]) -> dict[str, Any]:
    """What the model says to a request, as a message."""
    messages = said(body)
    if messages and messages[-1].get("role") == "tool":
        return {"role": "assistant", "content": "TOOL SAID: " + words_of(messages[-1])}
    users = [words_of(each) for each in messages if each.get("role") == "user"]
    text = _RECALLED.sub("", users[-1]) if users else ""
    is_log = " BEGINS\n[" in text
    if hit := _CALL.search(text.replace('\\"', '"') if is_log else text):
        call = {"id": "call_1", "type": "function", "function": {"name": hit[1], "arguments": hit[2]}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    if is_log:
        return {"role": "assistant", "content": json.dumps(honest(log_in(text)))}
    return {"role": "assistant", "content": f"Noted: {text.strip()[-60:]}"}


class ChatModel:
    """Listens on a free port while the block runs; `asked` holds every request body, `meanwhile` is done before an answer."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.meanwhile: Callable[[], None] = lambda: None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(60)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Says nothing."""

            def do_GET(self) -> None:
                self._send("application/json", [json.dumps({"object": "list", "data": [{"id": "scripted"}]})])

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                model.asked.append(body)
                model.meanwhile()
                message = answer(body)
                end = "tool_calls" if "tool_calls" in message else "stop"
                if not body.get("stream"):
                    choice = {"index": 0, "message": message, "finish_reason": end}
                    self._send("application/json", [json.dumps(_chunk("chat.completion", [choice]))])
                    return
                calls = [{**call, "index": 0} for call in message.pop("tool_calls", [])]
                delta = {**message, **({"tool_calls": calls} if calls else {})}
                pieces = [
                    [{"index": 0, "delta": delta, "finish_reason": None}],
                    [{"index": 0, "delta": {}, "finish_reason": end}],
                    [],
                ]
                lines = [
                    f"data: {json.dumps(_chunk('chat.completion.chunk', piece))}\n\n" for piece in pieces
                ]
                self._send("text/event-stream", [*lines, "data: [DONE]\n\n"])

            def _send(self, kind: str, parts: list[str]) -> None:
                data = "".join(parts).encode()
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        return Handler


def _chunk(kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {
        "id": "c-1", "object": kind, "created": 1, "model": "scripted", "choices": choices, "usage": usage,
    }  # fmt: skip
