"""One client on standard input and output. The rule: standard output carries nothing but the protocol."""

from __future__ import annotations

import gc
import logging
import signal
import sys

import anyio
from mcp.server.stdio import stdio_server

from memoryclaw.doors.mcp.lending import Apps, Report
from memoryclaw.doors.mcp.server import server
from memoryclaw.jobs.gates import secret_gate


def run(apps: Apps, report: Report) -> None:
    """Answers until the client closes its end; a call that is under way is finished first."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    logging.getLogger().handlers[0].setFormatter(_Harmless(logging.BASIC_FORMAT))
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that waits for input cannot be told to stop
    gc.freeze()
    gc.enable()
    anyio.run(_serve, apps, report)


class _Harmless(logging.Formatter):
    """The SDK's own remarks; they may hold what a client sent."""

    def format(self, record: logging.LogRecord) -> str:
        """The remark without secrets."""
        return secret_gate().sentence(super().format(record))


async def _serve(apps: Apps, report: Report) -> None:
    answering = server(apps, report)
    async with stdio_server() as (incoming, outgoing):
        await answering.run(incoming, outgoing, answering.create_initialization_options())
