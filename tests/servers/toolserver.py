"""An MCP server made with the official SDK: `python toolserver.py FILE [PORT-FILE]`, over standard input, or over HTTP on loopback.

Every call is a line of FILE. Over HTTP it tells its port in PORT-FILE, and serves only who brings `Authorization: Bearer sesame`.
"""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer

BOOK = Path(sys.argv[1])
server = MCPServer("notes")


@server.tool()
def note(text: str, count: int = 1) -> str:
    """Notes a text."""
    if text == "fail":
        raise ValueError("no such page")
    with BOOK.open("a") as file:
        file.write(json.dumps(["note", {"text": text, "count": count}]) + "\n")
    return f"noted {text}"


@server.tool()
def measure(text: str) -> dict[str, int]:
    """Counts letters and words."""
    return {"letters": len(text), "words": len(text.split())}


def serve(port_file: Path) -> None:
    """Serves over HTTP until it is ended."""
    import uvicorn  # noqa: PLC0415

    inner = server.streamable_http_app()
    listener = socket.create_server(("127.0.0.1", 0))
    port_file.write_text(str(listener.getsockname()[1]))

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and dict(scope["headers"]).get(b"authorization") != b"Bearer sesame":
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        else:
            await inner(scope, receive, send)

    uvicorn.Server(uvicorn.Config(guarded, log_level="error")).run(sockets=[listener])


if __name__ == "__main__":
    serve(Path(sys.argv[2])) if len(sys.argv) > 2 else server.run()
