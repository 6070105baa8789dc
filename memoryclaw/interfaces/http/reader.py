"""One process that reads for the daemon; `readers.py` starts it with the vault and its end of the line."""

from __future__ import annotations

import signal
import sys
import traceback
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from memoryclaw.app import open_vault
from memoryclaw.daemon.daemon import OWN
from memoryclaw.interfaces.http.readers import ReadRequest
from memoryclaw.interfaces.http.routes import BY_NAME, encoded
from memoryclaw.interfaces.requests import VaultPool, refusal_of


def main() -> int:
    """Answers one request after another until the daemon hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the daemon, which then hangs up
    root, line = Path(sys.argv[1]), Connection(int(sys.argv[2]))
    vaults = VaultPool(partial(open_vault, root, patience=OWN), 1)
    line.send(True)
    while True:
        try:
            request: ReadRequest = line.recv()
        except (EOFError, OSError):
            return 0
        answer: Any
        try:
            with vaults.lend() as lent:
                app = lent.seen_by(request.audience)
                app.asked_at(request.at)
                row = BY_NAME[request.verb]
                answer = encoded(row.verb(app, request.name, row.asks.model_construct(**request.asked)))
        except Exception as error:  # noqa: BLE001 - the daemon tells what went wrong
            answer = refusal_of(error) or traceback.format_exc()
        with suppress(OSError):  # the daemon is gone, as the next look at the line will tell
            line.send(answer)


if __name__ == "__main__":
    sys.exit(main())
