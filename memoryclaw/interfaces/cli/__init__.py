"""The command line. This module imports nothing heavy, so that an interruption is quiet from the first moment on."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

from memoryclaw.errors import SystemUnfitError
from memoryclaw.unix import must_be_unix

FAILED, INTERRUPTED = 1, 130


def main() -> NoReturn:
    """Runs one command and exits with its code."""
    gc.disable()  # imports make no garbage; `CliContext.app` turns it on again before the work begins
    args = sys.argv[1:]
    try:
        must_be_unix()
        # The imports stand inside, so that Ctrl-C during them is quiet too.
        if args[:1] == ["hook"] and args[1:2] in (["pre"], ["post"]) and not {"-h", "--help"} & {*args}:
            # A host runs it at every prompt: around Click, and fast.
            from memoryclaw.interfaces.cli.hook_fast_path import hook
            from memoryclaw.interfaces.cli.streams import prepare

            prepare()
            code = hook(args[1:])
        else:
            from memoryclaw.interfaces.cli.exit_codes import run

            code = run(args)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except SystemUnfitError as error:
        print(f"memoryclaw: {error}", file=sys.stderr)  # noqa: T201 - nothing that prints better can be loaded
        code = FAILED
    # Everything is closed and flushed by now, and to take the interpreter apart would cost as much as a search.
    os._exit(code)
