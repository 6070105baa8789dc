"""`review`: lists what waits for a person, shows it word by word, and takes the decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from memoryclaw import rooms
from memoryclaw.errors import InputError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import as_json, in_colour, plural, remark, say, styled
from memoryclaw.interfaces.cli.tables import beginning, table
from memoryclaw.interfaces.cli.verbs import AS_IS, WAITING, YES, CliContext, agreed, flag, group, option
from memoryclaw.model import OWNER
from memoryclaw.review.word_diff import COME, GONE, SAME, DiffLine, mark_up, word_diff
from memoryclaw.text.prompts import visible

_WAITS = 'init\ncapture <<< \'{"session": "monday", "role": "user", "content": "The deadline of Atlas is 2027-03-01, I think."}\'\nconsolidate\n'
_WIDTH = 68  # columns of a cell in a list; `review show` has all of it
_ASKED = {"approved": "Approve", "rejected": "Reject"}
_ALL = flag(
    "--all", "Everything except skills, conflicts, permissions, labels and settings.", name="everything"
)
_DIGEST = option("--digest", "D", "Only if it is still as shown: the digest in `review list --json`.")
_REASON = option("--reason", "TEXT", "Why, for the commit and the record of decisions.")


@group(f"{_WAITS}review", "review show p-1a2b3c4d", "review approve p-1a2b3c4d", default="list")
def review() -> None:
    """Approve or reject pending changes.

    Uncertain facts, conflicting values, proposals, and runs on their own branch wait for you. Each
    decision is one commit. Skills have `skills approve` and `skills reject`.
    """


@review.verb(f"{_WAITS}review list", "review list --json", name="list", of="review.list")
def list_(items: Sequence[rooms.queue.ReviewItem]) -> None:
    """List pending changes, each with its reason."""
    rows = [(i.id, i.kind, beginning(i.what, _WIDTH), beginning(i.why, _WIDTH)) for i in items]
    table(("id", "kind", "what", "why"), rows, "Nothing waits.")


@review.verb(f"{_WAITS}review show p-8228d1c4")
@click.argument("id_", metavar="ID", type=WAITING)
def show(context: CliContext, id_: str) -> None:
    """Show one pending change: why, who said it, and what would change."""
    with context.app() as app:
        item = app.review.get(id_)
        files = app.review.diff(item) if item.can_be_shown else []
        if context.json:
            details = app.review.details(item) if app.audience == OWNER else None
            as_json(shapes.review_item(shapes.DifferencesShown((shapes.ItemShown(item, files),), details)))
            return
    _print_item(item, files, whole=True)


@review.verb(f"{_WAITS}review diff", "review diff p-1a2b3c4d")
@click.argument("names", metavar="[ID|RUN]...", nargs=-1, type=WAITING)
def diff(context: CliContext, names: tuple[str, ...]) -> None:
    """Show what would change, word by word."""
    with context.app() as app:
        items = app.review.list(names)
        differences = [shapes.ItemShown(item, app.review.diff(item)) for item in items if item.can_be_shown]
    if context.printed(shapes.differences, differences):
        return
    if not differences:
        say("Nothing waits.")
    for item, files in differences:
        _print_item(item, files, whole=False)


@review.verb(
    f"{_WAITS}review approve p-8228d1c4",
    "review approve conflict-9c8d7e6f --value 2",
    "review approve --all --yes",
)
@click.argument("names", metavar="[ID|RUN]...", nargs=-1, type=WAITING)
@option(
    "--value",
    "N",
    "The value of a conflict to keep, or the answer; `review show` numbers them.",
    type=click.IntRange(1),
)
@_REASON
@_ALL
@_DIGEST
@YES
def approve(context: CliContext, /, names: tuple[str, ...], *, value: int | None, **how: Any) -> int:
    """Apply pending changes, one commit each.

    In a conflict, one value is kept, and the others move to History.
    """
    return _decide(context, names, "approved", value=value or 0, **how)


@review.verb(f"{_WAITS}review reject p-8228d1c4", "review reject consolidate-20261121T101500-ab12cd")
@click.argument("names", metavar="[ID|RUN]...", nargs=-1, type=WAITING)
@_REASON
@_ALL
@_DIGEST
@YES
def reject(context: CliContext, /, names: tuple[str, ...], **how: Any) -> int:
    """Reject pending changes; they are not proposed again.

    Rejecting a conflict keeps all of its values.
    """
    return _decide(context, names, "rejected", **how)


@review.verb(f"{_WAITS}review edit p-8228d1c4")
@click.argument("id_", metavar="ID", type=WAITING)
@AS_IS
def edit(context: CliContext, *, id_: str, as_is: bool) -> None:
    """Edit a pending change in $VISUAL or $EDITOR; it stays pending."""
    from memoryclaw.interfaces.cli.writing import tell_written

    context.carry_out(tell_written, "review.edit", {"id_": id_, "rewrite": _edited, "as_is": as_is})


@review.verb(f"{_WAITS}review apply", "review apply --yes")
@YES
def apply(context: CliContext, *, yes: bool) -> int:
    """Apply what is ticked in semantic/_pending.md and review/*.md.

    In _pending.md `[x]` approves and `[-]` rejects. What is ticked is shown first.
    """
    with context.app() as app:
        boxes = app.review.ticked()
        if boxes.is_empty:
            return _print_decisions(context, ())
        if not context.json:
            for item in boxes.approved:
                _print_item(item, app.review.diff(item), whole=False)
            for item in boxes.rejected:
                say(f"{styled('no to', bold=True)}: {styled(item.what)} ({styled(item.id)})")
        count = len(boxes.approved) + len(boxes.rejected)
        if count and not agreed(context, f"Do {plural(count, 'of these', 'of these')}?", yes=yes):
            return 0
        decisions = app.review.apply(boxes)
    return _print_decisions(context, decisions)


def _edited(text: str) -> str:
    try:
        return click.edit(text, extension=".md") or text
    except (click.ClickException, ValueError) as error:  # ValueError: a quote in $EDITOR is never closed
        trouble = error.message if isinstance(error, click.ClickException) else str(error)
        raise InputError(f"the editor failed ({trouble}); nothing was stored") from None


def _decide(
    context: CliContext, names: Sequence[str], decision: str, *, everything: bool, yes: bool, **how: Any
) -> int:
    if bool(names) == everything:
        raise click.UsageError("Give ids or runs, or --all.", click.get_current_context())
    with context.app() as app:
        items = [item for item in app.review.list(names) if not item.is_skill]
        if everything:  # which value holds is decided one by one
            items = [item for item in items if not item.is_alone]
        if everything and items:
            if not context.json:
                for item in items:
                    say(f"{styled(item.id)}  {styled(item.what)}")
            if not agreed(context, f"{_ASKED[decision]} {plural(len(items), 'thing')}?", yes=yes):
                return 0
        decide = app.review.approve if decision == "approved" else app.review.reject
        decisions = decide(items, **how)
    return _print_decisions(context, decisions)


def _print_decisions(context: CliContext, decisions: Sequence[rooms.decide.ReviewDecision]) -> int:
    if not context.printed(shapes.decided, decisions):
        for decided in decisions:
            commit = f", commit {decided.commit[:10]}" if decided.commit else ""
            say(f"{styled(decided.action, bold=True)}: {styled(decided.what)} ({styled(decided.id)}{commit})")
            remark(decided.notice)
        if not decisions:
            say("Nothing to decide.")
    return int(any(decided.action == "failed" for decided in decisions))


def _print_item(
    item: rooms.queue.ReviewItem, files: Sequence[rooms.file_history.FileDiff], *, whole: bool
) -> None:
    say(f"{styled(item.what, bold=True)} ({styled(item.id)})")
    if whole:
        values = {"waits": item.why, "run": item.run, "file": item.path, "source": item.source}
        for name, value in {**values, "confidence": item.confidence}.items():
            if value:
                say(f"  {name}: {styled(value)}")
        for quote in item.change.evidence if item.change else ():
            say(f"  > {styled(quote)}")
    if item.conflict:
        for number, side in enumerate(item.conflict.sides, 1):
            say(f"  {number}: {styled(rooms.conflict_decisions.side_in_words(side, item.conflict.entity))}")
    for file in files:
        show_difference(file)
    say()


# Differences on a terminal, word by word: in colour where there is colour, else with `[-old-]{+new+}`.

_SIGNS = {SAME: " ", GONE: "-", COME: "+"}
_COLOURS = {SAME: None, GONE: "red", COME: "green"}


def show_difference(file: rooms.file_history.FileDiff) -> None:
    """Prints what changes in one file."""
    title = f": {styled(file.title)}" if file.title else ""
    say(f"  {styled(file.path, underline=True)}{title}")
    for number, hunk in enumerate(word_diff(file.before, file.after)):
        if number:
            say("    …")
        for line in hunk:
            kinds = {piece.kind for piece in line.pieces}
            say(f"  {_SIGNS[kinds.pop()] if len(kinds) == 1 else '~'} {_told_words(line)}".rstrip())


def _told_words(line: DiffLine) -> str:
    if not in_colour():
        return _clean(line.pieces[0].text if len(line.pieces) == 1 else mark_up(line.pieces))
    texts = []
    for piece in line.pieces:
        style: dict[str, Any] = {"fg": _COLOURS[piece.kind], "strikethrough": piece.kind == GONE or None}
        texts.append(click.style(_clean(piece.text), **style))
    return "".join(texts)


def _clean(text: str) -> str:
    # Unlike `one_line` this keeps the indentation: it is Markdown.
    return visible(text).replace("\n", " ").replace("\t", "    ")
