"""The command line. This module imports nothing heavy, so that an interruption is quiet from the first moment on."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def main() -> None:
    """Runs one command and exits with its code."""
    try:
        from memoryclaw.doors.cli.gate import run  # noqa: PLC0415 - inside, so that Ctrl-C during the import is quiet too

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)
