"""Runs a command and turns every ending into an exit code and at most one sentence, never a traceback."""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import import_module
from io import StringIO

import click

from memoryclaw import __version__, rooms
from memoryclaw.errors import MemoryClawError, refused_by_system
from memoryclaw.interfaces.cli import streams
from memoryclaw.interfaces.cli.verbs import CliContext, cli

FAILED, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130


def run(args: list[str]) -> int:
    """Runs one command; the answer is its exit code."""
    context = CliContext()
    streams.prepare()
    if "_MEMORYCLAW_COMPLETE" in os.environ:
        import_module("memoryclaw.interfaces.cli.completing")  # it tells Click how bash is answered
    try:
        code = cli.main(args, prog_name="memoryclaw", standalone_mode=False, obj=context)
        sys.stdout.flush()
        if trouble := streams.trouble():
            sentence = f"the answer could not be written ({trouble}), but the command was carried out"
            return _failed(sentence, args)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        message = StringIO()
        error.show(file=message)
        click.echo(rooms.secret_gate.secret_gate().sentence(message.getvalue(), args), err=True, nl=False)
        params = error.ctx.command.params if isinstance(error, click.NoSuchOption) and error.ctx else ()
        if any(param.name == "query" for param in params):
            hint = "Words that begin with - go after --, as in: memoryclaw search -- boathouse -draft"
            click.echo(hint, err=True)
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except MemoryClawError as error:
        return _failed(str(error), args)
    except BrokenPipeError:
        return 0  # a watch, or a host, whose reader has enough of it
    except Exception as error:  # noqa: BLE001 - a bug: logged, and told in one sentence
        if refused := refused_by_system(error):
            where = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
            return _failed(f"{refused}{where}", args)
        path = report_bug(error, context)
        name = rooms.secret_gate.without_secrets(f"{type(error).__name__}: {error}", args)
        click.echo(
            f"memoryclaw: a bug in MemoryClaw stopped this ({name}); please report it with {path}", err=True
        )
        return BUG


def _failed(sentence: str, args: list[str]) -> int:
    click.echo(f"memoryclaw: {rooms.secret_gate.without_secrets(sentence, args)}", err=True)
    return FAILED


# The details of a bug go to a private file under the vault's state folder, for the person to read and send.


def report_bug(error: Exception, context: CliContext) -> str:
    """Writes the traceback to a file and returns its path, or, where none can be written, a sentence with all that must be known.

    Neither holds a secret.
    """
    import platform  # commands that end well need none of these
    import tempfile
    import time
    import traceback

    text = "\n".join([
        f"memoryclaw {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"arguments: {sys.argv[1:]!r}",
        "".join(traceback.format_exception(error)),
    ])  # fmt: skip
    text = rooms.secret_gate.secret_gate().sentence(text, sys.argv)
    name = f"bug-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}.log"
    trouble = ""

    def state() -> str:
        folder = rooms.state_folder.state_folder(rooms.client.root_of(context.vault))
        if not os.path.isdir(folder):
            raise FileNotFoundError(folder)  # a bug must not make folders where no vault is
        return folder

    for folder in (state, partial(tempfile.mkdtemp, prefix="memoryclaw-")):
        try:
            place = folder()
            rooms.state_folder.write_private(place, name, text.encode("utf-8", "backslashreplace"))
            return os.path.join(place, name)
        except Exception as other:  # noqa: BLE001 - whatever is in the way here must not hide the bug itself
            trouble = getattr(other, "strerror", None) or str(other)
    stack = traceback.extract_tb(error.__traceback__)
    frames = [f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in stack]
    where = " from ".join(reversed(frames[-4:])) or "nowhere"
    return f"what is said here, as no file can be written ({trouble}): memoryclaw {__version__}, {where}"
