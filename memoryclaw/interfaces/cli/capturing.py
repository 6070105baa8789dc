"""`capture`: turns on their way into the logs."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator

import click

from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import plural, remark, say
from memoryclaw.interfaces.cli.verbs import CliContext, option, verb

_CHUNK = 1 << 18


@verb(
    'init\ncapture <<< \'{"session": "monday", "role": "user", "content": "Thursday, after Henrik."}\'',
    "capture --session monday < turns.jsonl",
)
@option("--session", "S", "The session for lines that name none.")
def capture(context: CliContext, session: str) -> int:
    """Append turns and tool events to the logs; reads one JSON object per line.

    Secrets and private parts never reach the disk, and a repeated line is kept once. Lines that
    cannot be kept are reported, the others are kept, and the exit code is 1.
    """
    counts: Counter[str] = Counter()
    first = 1
    with context.app(quiet=True) as app:
        for lines in _batches(sys.stdin.fileno()):
            for done in app.capture(lines, session=session, first=first):
                state = "again" if done.again else "left_out" if done.left_out else "kept"
                counts.update({state if done.ok else "refused": 1, "redacted": done.redacted})
                if context.json:
                    click.echo(json.dumps(shapes.acknowledged(done)))
                elif not done.ok:
                    remark(f"line {done.line}: {done.error}")
            first += len(lines)
        remark(app.capture_notice)
    if not context.json:
        say(summary(counts))
    return int(counts["refused"] > 0)


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


def summary(counts: Counter[str]) -> str:
    """What became of some turns, in one sentence."""
    words = [plural(counts["kept"], "turn") + " kept"]
    others = {"again": "known already", "left_out": "left out", "refused": "refused"}
    words += [f"{counts[key]:,} {what}" for key, what in others.items() if counts[key]]
    words += [f"{plural(counts['redacted'], 'secret')} redacted"] * (counts["redacted"] > 0)
    return ", ".join(words) + "."
