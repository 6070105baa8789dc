"""A server on loopback that speaks as Claude's API does, and asks for what a test tells it to. Real HTTP, no model."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from servers.scripted import Asked, ModelServer, response


class Step(NamedTuple):
    """What a tool was asked for, and what it answered."""

    input: Mapping[str, Any]
    answer: str
    failed: bool


class ClaudeServer(ModelServer):
    """Asks for one use of the memory tool after the other, then says that it is ready."""

    def __init__(self, commands: Iterable[Mapping[str, Any]]) -> None:
        super().__init__()
        self.commands = list(commands)
        self._next = 0

    def serve(self, connection: socket.socket, asked: Asked) -> None:
        block: dict[str, Any] = {"type": "text", "text": "Ready."}
        if self._next < len(self.commands):
            use = {"id": f"toolu_{self._next}", "name": "memory", "input": self.commands[self._next]}
            block, self._next = {"type": "tool_use", **use}, self._next + 1
        answer = {
            "id": f"msg_{self._next}",
            "type": "message",
            "role": "assistant",
            "model": asked.body["model"],
            "content": [block],
            "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        connection.sendall(response(json.dumps(answer).encode()))

    @property
    def steps(self) -> list[Step]:
        """What came of each command."""
        results = {  # a client may send all that was said, or only what is new
            block["tool_use_id"]: block
            for asked in self.asked
            for message in asked.body["messages"]
            for block in message["content"]
            if isinstance(block, dict) and block["type"] == "tool_result"
        }
        return [
            Step(command, _text(block["content"]), bool(block.get("is_error")))
            for command, block in zip(self.commands, results.values(), strict=True)
        ]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)
