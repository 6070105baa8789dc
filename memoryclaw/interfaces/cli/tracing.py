"""`history` and `blame`: what was done, and where a fact comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from memoryclaw.interfaces.cli.context import CliContext
from memoryclaw.interfaces.cli.printing import as_json, remark, say, styled, table
from memoryclaw.interfaces.cli.verbs import TEXT, verb
from memoryclaw.text.bounds import MOST_LISTED
from memoryclaw.writing.context import fact_in_words

if TYPE_CHECKING:
    from memoryclaw.review.file_history import Blame, Events, FactSource


@verb(
    examples=["history", "history 'semantic/projects#Boathouse Aarhus.deadline'", "history --limit 5 --json"]
)
@click.argument("id_", metavar="[ID]", required=False, default="", type=TEXT)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1, MOST_LISTED),
    default=20,
    show_default=True,
    help="How many at most.",
)
@click.pass_obj
def history(said: CliContext, id_: str, limit: int) -> None:
    """Show what was done: to the vault, a note or a fact.

    Newest first, what MemoryClaw did and what people did. Each line can be taken back by its commit or its run.
    """
    with said.app() as app:
        events = app.history(id_, limit=limit)
    if said.json:
        from memoryclaw.interfaces import review_shapes  # noqa: PLC0415

        as_json(review_shapes.history(events))
        return
    _events(events)


@verb(examples=["blame 'semantic/projects#Boathouse Aarhus.deadline'", "blame 'Boathouse Aarhus.deadline'"])
@click.argument("fact", metavar="FACT", type=TEXT)
@click.pass_obj
def blame(said: CliContext, fact: str) -> None:
    """Show where a fact comes from.

    The commit that set it, the episode that tells it, the line of the log that said it, and who approved it.
    """
    with said.app() as app:
        found = app.blame(fact)
    if said.json:
        from memoryclaw.interfaces import review_shapes  # noqa: PLC0415

        as_json(review_shapes.blame(found))
        return
    for line in _sentences(found):
        say(line)


def _events(events: Events) -> None:
    rows = [
        (one.when[:16].replace("T", " "), one.commit[:10], one.kind, one.subject, _files(one.files))
        for one in events.commits
    ]
    table(("when", "commit", "by", "what", "files"), rows)
    if events.notice:
        remark(events.notice)


def _files(names: Sequence[str]) -> str:
    # What was decided or goes on waiting comes last: the first name should say what it is about.
    names = sorted(names, key=lambda name: name.startswith(("review/", "semantic/_")))
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "") if names else ""


def _sentences(found: Blame) -> Iterable[str]:
    fact = found.fact
    since = f", since {fact.since}" if fact.since else ""
    yield f"{styled(fact_in_words(fact.entity, fact.field, fact.value), bold=True)}{styled(since)} ({styled(found.path)}:{fact.line})"
    if found.commit:
        one = found.commit
        who = f"by hand, by {one.author}," if not one.run else f"by {one.run}"
        yield f"Set {styled(who)} on {one.when[:10]} in commit {one.commit[:10]}: {styled(one.subject)}"
    elif found.notice:
        yield f"{styled(found.notice[:1].upper() + found.notice[1:])}."
    if found.approved:
        yield f"Approved by {styled(found.approved.by or 'a person')} on {found.approved.at[:10]}."
    for cited in found.sources:
        yield from _cited(cited)
    if not found.sources:
        yield "It names no source."


def _cited(cited: FactSource) -> Iterable[str]:
    if cited.path and cited.quote:
        yield f"Told in {styled(cited.path)}: {styled(cited.quote)}"
    elif cited.path:
        yield f"Told in {styled(cited.path)}"
    if cited.said:
        yield f"Said in {styled(cited.log)}, line {cited.line}: {styled(cited.said)}"
    if cited.notice:
        yield f"But {styled(cited.notice)}."
