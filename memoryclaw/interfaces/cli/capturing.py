"""`capture` and `import`: turns on their way into the logs."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import as_json, plural, remark, say
from memoryclaw.interfaces.cli.verbs import TEXT, CliContext, verb

if TYPE_CHECKING:
    from memoryclaw.capture.capture import CaptureResult

_CHUNK = 1 << 18
_SHOWN = 20


@verb(
    examples=[
        "capture --session monday < turns.jsonl",
        'capture --json <<< \'{"session": "monday", "role": "user", "content": "Thursday, after Henrik."}\'',
    ]
)
@click.option("--session", metavar="S", default="", type=TEXT, help="The session of lines that name none.")
@click.pass_context
def capture(ctx: click.Context, session: str) -> None:
    """Append turns and tool events to the logs; reads one JSON object per line.

    Each line is on the disk when it is acknowledged; secrets and private parts never get there. Lines that cannot be
    kept are told, the others are kept, and the exit code is 1.
    """
    context: CliContext = ctx.obj
    counts: Counter[str] = Counter()
    first = 1
    with context.app() as app:
        for lines in _batches(sys.stdin.fileno()):
            for done in app.capture(lines, session=session, first=first):
                _acknowledge(context, done, counts)
            sys.stdout.flush()
            first += len(lines)
        if app.capture_notice:
            remark(app.capture_notice)
    if not context.json:
        say(_summary(counts))
    ctx.exit(int(counts["refused"] > 0))


@verb(
    examples=[
        "import logs ~/old-vault/logs",
        "import logs ~/.openclaw/agents/main/sessions --format openclaw",
    ]
)
@click.argument("what", metavar="logs", type=click.Choice(["logs"]))
@click.argument("path", metavar="PATH", type=click.Path())
@click.option(
    "--format",
    "format_",
    type=click.Choice(["markdown", "openclaw", "jsonl"]),
    help="How the files are written; told from each file when it is not given.",
)
@click.pass_context
def import_(ctx: click.Context, what: str, path: str, format_: str | None) -> None:  # noqa: ARG001 - one thing to import so far
    """Import the logs of another program; they are only read, and imported once."""
    context: CliContext = ctx.obj
    with context.app("importing logs") as app:
        done = app.import_logs(path, format_=format_ or "")
        notice = app.capture_notice
    if context.json:
        as_json(shapes.imported(done))
    else:
        counts = Counter(kept=done.added, again=done.again, left_out=done.left_out, redacted=done.redacted)
        say(f"{plural(done.files, 'file')}: {_summary(counts)}")
        for problem in done.problems[:_SHOWN]:
            remark(f"{problem.path}:{problem.line} {problem.message}")
        if len(done.problems) > _SHOWN:
            remark(f"… and {len(done.problems) - _SHOWN:,} more; --json lists them all")
    if notice:
        remark(notice)
    ctx.exit(int(bool(done.problems)))


def _batches(handle: int) -> Iterator[list[str]]:
    """The lines of a stream, as many at a time as have come: a host that waits for its answer gets it."""
    rest: list[bytes] = []
    while chunk := os.read(handle, _CHUNK):
        head, newline, tail = chunk.rpartition(b"\n")
        if newline:
            yield [line.decode("utf-8", "replace") for line in b"".join([*rest, head]).split(b"\n")]
            rest = []
        rest.append(tail)
    last = b"".join(rest)
    if last.strip():
        yield [last.decode("utf-8", "replace")]


def _acknowledge(context: CliContext, done: CaptureResult, counts: Counter[str]) -> None:
    counts[
        "refused" if not done.ok else "again" if done.again else "left_out" if done.left_out else "kept"
    ] += 1
    counts["redacted"] += done.redacted
    if context.json:
        click.echo(json.dumps(shapes.acknowledged(done)))
    elif not done.ok:
        remark(f"line {done.line}: {done.error}")


def _summary(counts: Counter[str]) -> str:
    words = [plural(counts["kept"], "turn") + " kept"]
    words += [f"{counts['again']:,} known already"] * (counts["again"] > 0)
    words += [f"{counts['left_out']:,} left out"] * (counts["left_out"] > 0)
    words += [f"{counts['refused']:,} refused"] * (counts["refused"] > 0)
    words += [f"{plural(counts['redacted'], 'secret')} redacted"] * (counts["redacted"] > 0)
    return ", ".join(words) + "."
