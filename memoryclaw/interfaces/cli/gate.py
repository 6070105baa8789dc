"""The one exit gate: every way a command can end, as an exit code and at most one sentence. Never a traceback."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
import traceback
from io import StringIO
from pathlib import Path

import click

from memoryclaw import __version__, config
from memoryclaw.errors import MemoryClawError, refused_by_system
from memoryclaw.interfaces.cli import streams
from memoryclaw.interfaces.cli.context import CliContext
from memoryclaw.interfaces.cli.verbs import cli
from memoryclaw.writing.secret_gate import secret_gate

FAILED, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130


def run(args: list[str]) -> int:
    """Runs one command; the answer is its exit code."""
    said = CliContext()
    streams.prepare()
    try:
        return _ended(cli.main(args, prog_name="memoryclaw", standalone_mode=False, obj=said), args)
    except click.ClickException as error:
        return _usage(error, args)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except MemoryClawError as error:
        return _failed(str(error), args)
    except BrokenPipeError:
        return 0  # a watch, or a host, whose reader has enough of it
    except Exception as error:  # noqa: BLE001 - the gate: what nobody foresaw is logged and told in one sentence
        return _unforeseen(error, said, args)


def _ended(code: object, args: list[str]) -> int:
    sys.stdout.flush()
    if trouble := streams.trouble():
        return _failed(f"the answer could not be written ({trouble}); what was asked for is done", args)
    return code if isinstance(code, int) else 0


def _usage(error: click.ClickException, args: list[str]) -> int:
    from memoryclaw.writing.secret_gate import secret_gate  # noqa: PLC0415 - most commands end well

    shown = StringIO()
    error.show(file=shown)
    click.echo(secret_gate().sentence(shown.getvalue(), args), err=True, nl=False)
    if (
        isinstance(error, click.NoSuchOption)
        and error.ctx
        and any(p.name == "query" for p in error.ctx.command.params)
    ):
        click.echo(
            "Words that begin with - go after --, as in: memoryclaw search -- boathouse -draft", err=True
        )
    return USAGE


def _failed(sentence: str, args: list[str]) -> int:
    from memoryclaw.writing.secret_gate import harmless  # noqa: PLC0415 - as above

    click.echo(f"memoryclaw: {harmless(sentence, args)}", err=True)
    return FAILED


def _unforeseen(error: Exception, said: CliContext, args: list[str]) -> int:
    if refused := refused_by_system(error):
        where = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
        return _failed(f"{refused}{where}", args)
    from memoryclaw.writing.secret_gate import harmless  # noqa: PLC0415

    path = write(error, said)
    name = harmless(f"{type(error).__name__}: {error}", args)
    click.echo(
        f"memoryclaw: a bug in MemoryClaw stopped this ({name}); please report it with {path}", err=True
    )
    return BUG


# ── Where the details of a bug go: a private file under the vault's state folder, for the person to read
# and send.


def write(error: Exception, said: CliContext) -> str:
    """Where the traceback is now: the path of a file, or, where none can be written, a sentence that says all that must be known; no secret in either."""
    text = "\n".join([
        f"memoryclaw {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"arguments: {sys.argv[1:]!r}",
        "".join(traceback.format_exception(error)),
    ])  # fmt: skip
    text = secret_gate().sentence(text, sys.argv)
    name = f"bug-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}.log"
    trouble = ""
    for folder in (_folder, _passing_folder):
        try:
            return _put(folder(said), name, text)
        except Exception as other:  # noqa: BLE001 - whatever is in the way here must not hide the bug itself
            trouble = getattr(other, "strerror", None) or str(other)
    return (
        f"what is said here, as no file can be written ({trouble}): memoryclaw {__version__}, {_place(error)}"
    )


def _place(error: Exception) -> str:
    """The line of ours in which it happened, and who called that."""
    frames = [
        f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)
    ]
    return " from ".join(reversed(frames[-4:])) or "nowhere"


def _folder(said: CliContext) -> Path:
    folder = Path(state_folder(config.find_root(said.vault, dict(os.environ), config.here())))
    if not folder.is_dir():
        raise FileNotFoundError(folder)  # a bug must not make folders where no vault is
    return folder


def _passing_folder(_said: CliContext) -> Path:
    return Path(tempfile.mkdtemp(prefix="memoryclaw-"))


def _put(folder: Path, name: str, text: str) -> str:
    path = folder / name
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        os.unlink(path)  # a full disk leaves a stump
        raise
    return os.fspath(path)
