"""`recall` and `search`: a question, and the answer with its reasons."""

from __future__ import annotations

import click

from memoryclaw.core.fence import visible
from memoryclaw.core.language import words_of
from memoryclaw.doors import shapes
from memoryclaw.doors.cli import matches
from memoryclaw.doors.cli.printing import as_json, remark, say, styled
from memoryclaw.doors.cli.said import Said
from memoryclaw.doors.cli.verbs import TEXT, verb
from memoryclaw.jobs.answers import Answer


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
    with said.app() as app:
        answer = app.search(" ".join(query), kind=kind, limit=limit)
    if said.json:
        as_json(shapes.search(answer))
        return
    for place, found in enumerate(answer.matches, 1):
        matches.show(place, found, explain=explain)
    if not answer.matches:
        say(_nothing("search", "found", answer.query))
    _remarks(answer)


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
    with said.app() as app:
        answer = app.recall(" ".join(query), goal=goal, session=session, budget=budget)
    if said.json:
        as_json(shapes.recall(answer, trace=trace))
        return
    say(visible(answer.context) or _nothing("recall", "recalled", answer.query))
    say(f"\n{answer.tokens} of {answer.budget} tokens, confidence {answer.confidence:.2f}")
    if trace:
        say()
        matches.show_trace(answer.trace)
    _remarks(answer)


def _nothing(verb: str, done: str, query: str) -> str:
    if words_of(query):
        return f"Nothing {done} for {styled(query)}."
    return f"There is no word to look for; ask with some, as in: memoryclaw {verb} boathouse deadline"


def _remarks(answer: Answer) -> None:
    for word, better in answer.did_you_mean.items():
        remark(f"Did you mean {better!r} instead of {word!r}?")
    for notice in answer.notices:
        remark(notice)
    if answer.degraded:
        remark(f"Degraded: {answer.degraded}")
