"""The one exit gate: every way a command can end, as an exit code and at most one sentence. Never a traceback."""

from __future__ import annotations

import sys
from io import StringIO

import click

from memoryclaw.core.errors import MemoryClawError, refused_by_system
from memoryclaw.doors.cli import streams
from memoryclaw.doors.cli.said import Said
from memoryclaw.doors.cli.verbs import cli

FAILED, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130


def run(args: list[str]) -> int:
    """Runs one command; the answer is its exit code."""
    said = Said()
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
    from memoryclaw.jobs.gates import secret_gate  # noqa: PLC0415 - most commands end well

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
    from memoryclaw.jobs.gates import harmless  # noqa: PLC0415 - as above

    click.echo(f"memoryclaw: {harmless(sentence, args)}", err=True)
    return FAILED


def _unforeseen(error: Exception, said: Said, args: list[str]) -> int:
    if refused := refused_by_system(error):
        where = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
        return _failed(f"{refused}{where}", args)
    from memoryclaw.doors.cli.buglog import write  # noqa: PLC0415 - only when something broke
    from memoryclaw.jobs.gates import harmless  # noqa: PLC0415

    path = write(error, said)
    name = harmless(f"{type(error).__name__}: {error}", args)
    click.echo(
        f"memoryclaw: a bug in MemoryClaw stopped this ({name}); please report it with {path}", err=True
    )
    return BUG
