"""The floor of every server in Python: a bare Starlette application under uvicorn that says what it was told.

Run as `python benchmarks/echo.py`; it prints the port when it listens.
"""

from __future__ import annotations

import socket
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def echo(request: Request) -> Response:
    """The body of the request."""
    return Response(await request.body(), media_type="application/json")


def main() -> int:
    """Listens on a free port, says which, and answers until it is ended."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    print(listener.getsockname()[1], flush=True)
    app = Starlette(routes=[Route("/{path:path}", echo, methods=["GET", "POST"])])
    uvicorn.Server(uvicorn.Config(app, http="h11", log_level="critical")).run([listener])
    return 0


if __name__ == "__main__":
    sys.exit(main())
