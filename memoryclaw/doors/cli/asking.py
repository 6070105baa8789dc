"""`recall` and `search`: a question, and the answer with its reasons. What a running daemon can answer, it answers: it is faster.

The rule: one shape is told, wherever it comes from, so that the bytes are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from memoryclaw.core.fence import visible
from memoryclaw.doors.cli.printing import as_json, remark, say, styled
from memoryclaw.doors.cli.said import Said
from memoryclaw.doors.cli.verbs import TEXT, verb


@verb(
    examples=[
        "search boathouse deadline",
        "search 'kind:episode \"oat milk\" since:2025-06' --limit 3",
        "search 'dowels in October 2025' --explain",
    ]
)
@click.argument("query", nargs=-1, required=True, type=TEXT)
@click.option(
    "--kind", metavar="KIND", default="", type=TEXT, help="Only one kind: episode, fact, skill, note or turn."
)
@click.option(
    "--limit",
    metavar="N",
    default=10,
    type=click.IntRange(1, 1000),
    show_default=True,
    help="At most so many matches.",
)
@click.option("--explain", is_flag=True, help="Show each term of every score, and which words matched where.")
@click.pass_obj
def search(said: Said, *, query: tuple[str, ...], kind: str, limit: int, explain: bool) -> None:
    """Find what answers a question, best first; leaves no trace.

    A question may be plain words, or use phrases in quotes, AND OR NOT -word, proj*, jonh~, and
    tag: kind: entity: person: project: path: title: since: until: on:
    """
    if said.json and (found := said.served("GET", "/v1/search", q=" ".join(query), kind=kind, limit=limit)):
        as_json(found)
        return
    from memoryclaw.doors import shapes  # noqa: PLC0415 - what a daemon's answer needs none of
    from memoryclaw.doors.cli import matches  # noqa: PLC0415

    with said.app() as app:
        answer = app.search(" ".join(query), kind=kind, limit=limit)
    if said.json:
        as_json(shapes.search(answer))
        return
    for place, match in enumerate(answer.matches, 1):
        matches.show(place, match, explain=explain)
    if not answer.matches:
        say(_nothing("search", "found", answer.query))
    _remarks(shapes.search(answer))


@verb(
    examples=[
        "recall 'When is the boathouse deadline?'",
        "recall 'what coffee does Nora drink' --budget 400",
        "recall 'spare key' --goal 'let the plumber in' --trace",
    ]
)
@click.argument("query", nargs=-1, required=True, type=TEXT)
@click.option(
    "--goal", metavar="TEXT", default="", type=TEXT, help="What the agent is at; its words help to rank."
)
@click.option("--budget", metavar="N", type=int, help="Tokens of the context at most, framing included.")
@click.option(
    "--session", metavar="S", default="", type=TEXT, help="The running session; its own turns are left out."
)
@click.option("--trace", is_flag=True, help="List every candidate with the one decision made of it.")
@click.pass_obj
def recall(
    said: Said, *, query: tuple[str, ...], goal: str, budget: int | None, session: str, trace: bool
) -> None:
    """Answer with a context to paste into a prompt, within a budget."""
    asked: dict[str, Any] = {
        "query": " ".join(query),
        "goal": goal,
        "session": session,
        "budget": budget,
        "trace": trace,
    }
    found = said.served("POST", "/v1/recall", **asked) or _recalled(said, **asked)
    if said.json:
        as_json(found)
        return
    say(visible(found["context"]) or _nothing("recall", "recalled", found["query"]))
    say(f"\n{found['tokens']} of {found['budget']} tokens, confidence {found['confidence']:.2f}")
    if trace:
        from memoryclaw.doors.cli import matches  # noqa: PLC0415

        say()
        matches.show_trace(found["trace"])
    _remarks(found)


def _recalled(said: Said, query: str, *, trace: bool, **asked: Any) -> Mapping[str, Any]:
    from memoryclaw.doors import shapes  # noqa: PLC0415

    with said.app() as app:
        return shapes.recall(app.recall(query, **asked), trace=trace)


def _nothing(verb: str, done: str, query: str) -> str:
    from memoryclaw.core.language import words_of  # noqa: PLC0415

    if words_of(query):
        return f"Nothing {done} for {styled(query)}."
    return f"There is no word to look for; ask with some, as in: memoryclaw {verb} boathouse deadline"


def _remarks(found: Mapping[str, Any]) -> None:
    for word, better in found["did_you_mean"].items():
        remark(f"Did you mean {better!r} instead of {word!r}?")
    for notice in found["notices"]:
        remark(notice)
    if found["degraded"]:
        remark(f"Degraded: {found['degraded']}")
