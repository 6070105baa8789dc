"""From the first request to the last: the door, the threads behind it, and the daemon beside it begin and end together."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from socket import socket
from typing import Any

from memoryclaw.app.daemon import Daemon
from memoryclaw.doors.http.assembly import Door, Report, asgi
from memoryclaw.doors.http.guests import Apps, Guest
from memoryclaw.doors.http.lanes import Lanes
from memoryclaw.doors.http.server import Server
from memoryclaw.doors.http.sockets import address, hosts

# Seconds that a busy thread keeps the interpreter when others wait. A look at 10,000 files gives it up 20,000 times: with the 5 ms of
# Python's own, one busy thread beside it makes that minutes.
_SWITCH = 0.0005


def serve(
    daemon: Daemon,
    listener: socket,
    host: str,
    *,
    ready: Callable[[dict[str, Any]], None],
    report: Report,
    guests: Callable[[Apps], Mapping[str, Guest]],
) -> int:
    """Answers until a signal ends it, and returns that signal; see `memoryclaw.doors.http.serve`."""
    sys.setswitchinterval(_SWITCH)
    told = address(listener)
    lanes = Lanes(daemon.open)

    def begun() -> None:
        if daemon.start(told, server.end):
            ready(told)

    server = Server(
        asgi(
            Door(
                daemon=daemon,
                lanes=lanes,
                hosts=hosts((host, told["host"]), told["port"]),
                rate=daemon.config.rate,
                report=report,
                guests=guests(lanes.guests.lend),
            )
        ),
        begun,
    )
    try:
        asyncio.run(server.serve(sockets=[listener]))
    finally:
        daemon.stop()
        lanes.close()
    return server.told
