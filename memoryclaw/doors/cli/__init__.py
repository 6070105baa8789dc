"""The command line. This module imports nothing heavy, so that an interruption is quiet from the first moment on."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

INTERRUPTED = 130


def main() -> NoReturn:
    """Runs one command and exits with its code."""
    gc.disable()  # imports make no garbage; `Said.app` turns it on again before the work begins
    try:
        from memoryclaw.doors.cli.gate import run  # noqa: PLC0415 - inside, so that Ctrl-C during the import is quiet too

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    # Everything is closed and flushed by now, and to take the interpreter apart would cost as much as a search.
    os._exit(code)
