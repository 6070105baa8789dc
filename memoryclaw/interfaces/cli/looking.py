"""`show`, `browse`, `facts`, `todos`, `timeline`, `history` and `blame`: the vault without a question."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING

import click

from memoryclaw.config import MOST_LISTED
from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import as_json, plural, remark, say, styled
from memoryclaw.interfaces.cli.tables import flow, pairs, table
from memoryclaw.interfaces.cli.verbs import ANYTHING, ENTITY, ID, TEXT, CliContext, group, verb
from memoryclaw.model import Fact
from memoryclaw.text.prompts import visible
from memoryclaw.vault.validity import check_type
from memoryclaw.writing.context import fact_in_words

if TYPE_CHECKING:
    from memoryclaw.app import App
    from memoryclaw.app.verbs import TodoState
    from memoryclaw.index.sync import Freshness
    from memoryclaw.recall.timeline import TimelineEvent
    from memoryclaw.review.file_history import Blame, CommitList, CommitShown, FactSource


def _day(_ctx: click.Context, _param: click.Parameter, value: str | None) -> date | None:
    try:
        return date.fromisoformat(value) if value is not None else None
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a date; write it as 2025-07-01") from None


def _type(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    try:
        return check_type(value)
    except InputError as error:
        raise click.BadParameter(str(error)) from None


@verb(
    examples=[
        "init\nremember oolong --entity Nora --field tea\nshow Nora",
        "show 'semantic/projects#Boathouse Aarhus.deadline'",
        "show log:2025-10-21-kanazawa/8 --json",
    ]
)
@click.argument("id_", metavar="ID", type=ANYTHING)
@click.option(
    "--session",
    metavar="S",
    default="",
    type=TEXT,
    help="The session that is shown it; no recall sends it that again.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "entity", "uses", "recall"]),
    help="Instead of its text: an entity with its past, what happened and its neighbours; how it was used; or a recall, read back.",
)
@click.pass_obj
def show(context: CliContext, id_: str, *, session: str, form: str | None) -> None:
    """Print a note, section, fact, turn or entity as it stands in its file, or read a recall back by its receipt."""
    with context.app() as app:
        try:
            _VIEWS[form or "text"](context, app, id_, session)
        except NotFoundError:
            if form or not id_.startswith("r-"):
                raise
            _show_recall(context, app, id_, session)


def _show_text(context: CliContext, app: App, id_: str, session: str) -> None:
    shown = app.show(id_, session=session)
    if context.json:
        as_json(shapes.show(shown, app.freshness))
        return
    if sys.stdout.isatty():
        at = shown.address
        say(styled(f"{at.path}:{at.line}-{at.end_line}", dim=True))
    click.echo(visible(shown.text), nl=not shown.text.endswith("\n"))
    for one in shown.superseded:
        told = fact_in_words(one.entity, one.field, one.value)
        remark(f"line {one.line}: {told} ({one.mark()})")
    print_freshness(app.freshness)


def _show_entity(context: CliContext, app: App, name: str, _session: str) -> None:
    found, fresh = app.entity(name), app.freshness
    if context.json:
        as_json(shapes.entity(found, fresh))
        return
    also = f", also {', '.join(found.also)}" if found.also else ""
    say(f"{styled(found.name, bold=True)} ({styled(found.kind + also)})")
    table(
        ["entity", "field", "value", "since", "until", "where"],
        [_fact(*pair, True, False) for pair in found.facts],
    )
    say()
    table(["date", "what happened", "id"], [(one.at[:10], one.title, one.id) for one in found.episodes])
    say()
    table(
        ["neighbour", "kind", "by", "notes"],
        [(one.name, one.kind, ", ".join(one.fields), str(one.episodes)) for one in found.neighbours],
    )
    print_freshness(fresh)


def _show_uses(context: CliContext, app: App, id_: str, _session: str) -> None:
    found, fresh = app.inspect(id_), app.freshness
    if context.json:
        as_json(shapes.inspected(found, fresh))
        return
    strength = found.strength
    hot = " (hot)" if strength.is_hot else ""
    faded = f"by half in {strength.half_life} active days ({found.kind}); last used {strength.idle} active days ago"
    pairs([
        ("strength", f"{strength.value:.3f}{hot} = 2 ^ {strength.x:.3f}"),
        ("fades", faded if strength.steps else ""),
        ("used", "" if strength.steps else "never cited nor rated"),
        ("exposure", f"shown {found.shown}, searched {found.searched}, fetched {found.fetched} (reported; counts nothing)"),
    ])  # fmt: skip
    if strength.steps:
        say()
        table(
            ["day", "use", "credit", "x before", "x after", "receipt"],
            [
                [
                    step.use.ts[:10],
                    f"rated {step.use.rating}" if step.use.rating else f"cited by {step.use.cited}",
                    f"{step.credit:+.2f}",
                    f"{step.faded:.3f}",
                    f"{step.x:.3f}",
                    step.use.receipt or "-",
                ]
                for step in strength.steps
            ],
        )
    print_freshness(fresh)


def _show_recall(context: CliContext, app: App, receipt: str, _session: str) -> None:
    found, fresh = app.why(receipt), app.freshness
    if context.json:
        as_json(shapes.read_back(found, fresh))
        return
    of = f" for session {styled(found.session)}" if found.session else ""
    say(f"{found.ts}{of}: {found.tokens} of {found.budget} tokens\n")
    rows = [
        [
            one.decision,
            shapes.REASONS.get(one.decision, "") + ("; it says something else now" * one.changed),
            one.id,
        ]
        for one in found.decided
    ]
    table(["decision", "because", "id"], rows)
    for reason, count in found.more.items():
        say(f"{count} more: {shapes.REASONS.get(reason, reason)}")
    if found.gone:
        say(f"{found.gone} more {'are' if found.gone > 1 else 'is'} no longer there")
    print_freshness(fresh)


_VIEWS = {"text": _show_text, "entity": _show_entity, "uses": _show_uses, "recall": _show_recall}


@group(
    default="notes",
    takes=True,
    examples=[
        "init\nremember 'Nora drinks oolong tea' --note\nbrowse",
        "browse --kind episode --limit 10",
        "browse entities --kind people",
        "browse views --write",
    ],
)
def browse() -> None:
    """List what the vault holds: notes, entities, or pages of them.

    Of notes, pinned ones come first, then the newest. What is used often is marked as hot.
    """


@browse.command(
    "notes",
    examples=[
        "init\nremember 'Nora drinks oolong tea' --note\nbrowse notes",
        "browse --kind episode --limit 10",
        "browse --type decision",
        "browse --state archived --json",
    ],
)
@click.option(
    "--kind",
    metavar="KIND",
    default="",
    type=TEXT,
    help="Only one kind: episode, semantic, skill, note or log.",
)
@click.option(
    "--state",
    metavar="STATE",
    default="current",
    show_default=True,
    type=TEXT,
    help="current, archived, pending or draft.",
)
@click.option(
    "--type",
    "memory_type",
    metavar="TYPE",
    default="",
    type=TEXT,
    callback=_type,
    help="Only notes of one type, or with something of it: decision, preference, lesson, procedure, event or to-do.",
)
@click.option(
    "--limit",
    metavar="N",
    default=50,
    type=click.IntRange(1, MOST_LISTED),
    show_default=True,
    help="At most so many notes.",
)
@click.pass_obj
def notes(context: CliContext, *, kind: str, state: str, memory_type: str, limit: int) -> None:
    """List notes: pinned ones first, then the newest. What is used often is marked as hot."""
    with context.app() as app:
        listed = app.browse(kind=kind, state=state, memory_type=memory_type, limit=limit)
        fresh = app.freshness
    if context.json:
        as_json(shapes.browse(listed, fresh))
        return
    hot = any(note.hot for note in listed)
    rows = [
        [
            note.id,
            note.kind,
            note.at[:10],
            *(["hot" if note.hot else ""] if hot else []),
            note.title,
            " ".join(f"#{tag}" for tag in note.tags),
        ]
        for note in listed
    ]
    table(["id", "kind", "date", *(["use"] if hot else []), "title", "tags"], rows)
    if not rows:
        say("No such notes.")
    print_freshness(fresh)


@verb(
    examples=[
        "init\nremember oolong --entity Nora --field tea\nfacts",
        "facts 'Boathouse Aarhus' --history",
        "facts boathouse --as-of 2025-07-01",
        "facts boathouse --believed-at 2026-04-01",
        "facts --type preference",
    ]
)
@click.argument("entity", required=False, default="", type=ENTITY)
@click.option("--as-of", metavar="DATE", callback=_day, help="The facts that held on that day.")
@click.option(
    "--believed-at",
    metavar="WHEN",
    default="",
    type=TEXT,
    help="As the files were in the last commit of that day, or in this commit.",
)
@click.option("--history", is_flag=True, help="Include superseded values.")
@click.option(
    "--type",
    "memory_type",
    metavar="TYPE",
    default="",
    type=TEXT,
    callback=_type,
    help="Only facts of one type: decision, preference, lesson, procedure, event or to-do.",
)
@click.pass_obj
def facts(
    context: CliContext, *, entity: str, as_of: date | None, believed_at: str, history: bool, memory_type: str
) -> None:
    """List the facts of one entity, or all of them, then what was said of it, newest first."""
    with context.app() as app:
        then = app.commit_at(believed_at) if believed_at else None
        found = app.facts(
            entity,
            as_of=as_of,
            history=history,
            believed_at=then.commit if then else "",
            memory_type=memory_type,
        )
        fresh, apart = app.freshness, {} if then else app.conflicting(found)
    if context.json:
        as_json(shapes.facts(found, fresh, apart, then))
        return
    dated = history or as_of is not None
    doubted = any(fact.trust != "trusted" for _, fact in found)
    table(
        [
            "entity",
            "field",
            "value",
            "since",
            *(["until"] if dated else []),
            *(["trust"] if doubted else []),
            "where",
        ],
        [_fact(*pair, dated, doubted) for pair in found],
    )
    if not found:
        say("No such facts.")
    if then:
        remark(f"As the files were in commit {then.commit[:10]} of {then.when}: {then.subject}")
    told = set[str]()
    for id_, others in apart.items():
        if id_ not in told:
            remark(f"{id_} and {', '.join(others)} disagree; `memoryclaw review` lists the conflict")
        told.update(others)
    print_freshness(fresh)


@verb(
    examples=[
        "init\nremember --note -- '- [ ] Tar the boat'\ntodos",
        "todos --due 'this week'",
        "todos Boathouse --all --json",
        "edit 'notes/boat#todo-1a2b3c4d' --set done=true",
    ]
)
@click.argument("words", metavar="[ENTITY|WORDS]...", nargs=-1, type=ENTITY)
@click.option("--due", metavar="TIME", type=TEXT, default="", help="Only those due, or scheduled, then.")
@click.option("--done", is_flag=True, help="Those that are done or cancelled.")
@click.option("--all", "every", is_flag=True, help="Open ones, then those that are done.")
@click.pass_obj
def todos(context: CliContext, words: Sequence[str], due: str, done: bool, every: bool) -> None:
    """List to-dos, the soonest first: the lines `- [ ]` of all notes.

    Words narrow the list to what they are about. A TIME is a date or words such as this week, 30 April or
    next month. To tick one, edit it.
    """
    with context.app() as app:
        due, words = _time(due, list(words), app.clock().date()) if due else ("", list(words))
        state: TodoState = "all" if every else "done" if done else "open"
        found, fresh = app.todos(" ".join(words), due=due, state=state), app.freshness
    if context.json:
        as_json(shapes.todos(found, fresh))
        return
    rows = [(one.due or one.scheduled, one.text, one.id) for one in found]
    if state == "open":
        table(["due", "to do", "id"], rows)
    else:
        table(["", "due", "to do", "id"], [(one.status, *row) for one, row in zip(found, rows, strict=True)])
    if not found:
        say("No such to-dos.")
    print_freshness(fresh)


def _time(due: str, words: list[str], today: date) -> tuple[str, list[str]]:
    """A time of several words need not be quoted: as many of the words that follow as are part of it."""
    from memoryclaw.recall.browsing import due_in

    for end in range(len(words), 0, -1):
        with suppress(InputError):
            due_in(" ".join([due, *words[:end]]), today)
            return " ".join([due, *words[:end]]), words[end:]
    return due, words


@browse.command(
    "entities",
    examples=[
        "init\nremember oolong --entity Nora --field tea\nbrowse entities",
        "browse entities boathouse",
        "browse entities --kind people --json",
    ],
)
@click.argument("words", metavar="[WORDS]...", nargs=-1, type=TEXT)
@click.option(
    "--kind", metavar="KIND", default="", type=TEXT, help="Only those of one file of semantic/, like people."
)
@click.pass_obj
def entities(context: CliContext, words: Sequence[str], kind: str) -> None:
    """List everything that facts are known of."""
    with context.app() as app:
        found, fresh = app.entities(" ".join(words), kind=kind), app.freshness
    if context.json:
        as_json(shapes.entities(found, fresh))
        return
    rows = [(one.name, one.kind, str(one.facts), str(one.statements), one.last) for one in found]
    table(["entity", "kind", "facts", "statements", "last"], rows)
    if not rows:
        say("No such entities.")
    print_freshness(fresh)


@browse.command(
    "views",
    examples=[
        "init\nremember oolong --entity Nora --field tea\nbrowse views",
        "browse views --write",
        "browse views 'Boathouse Aarhus'",
    ],
)
@click.argument("words", metavar="[ENTITY|TOPIC]...", nargs=-1, type=ENTITY)
@click.option("--write", is_flag=True, help="Write those that are not there, or stale.")
@click.pass_obj
def views(context: CliContext, words: Sequence[str], write: bool) -> None:
    """List the pages of entities and topics that are compiled from the files, or write them."""
    name = " ".join(words)
    with context.app() as app:
        found = app.views(name, write=write)
    if context.json:
        as_json(shapes.views(found, name))
        return
    rows = [(one.title, one.kind, one.state, str(one.sources), one.path) for one in found.listed]
    table(["page", "kind", "state", "notes", "file"], rows)
    for notice in found.notices:
        remark(notice)
    if name and not write:
        for one in found.listed:
            say(f"\n{one.page.part if one.page else ''}".rstrip())
    elif not rows:
        say("Nothing is known of which a page could be made.")
    elif write:
        say(f"Wrote {plural(len(found.written), 'page')}.")


@verb(
    examples=[
        "init\nremember oolong --entity Nora --field tea\ntimeline",
        "timeline 'Boathouse Aarhus' --since 2025-06-01",
        "timeline --limit 10 --json",
    ]
)
@click.argument("entity", required=False, default="", type=ENTITY)
@click.option("--since", metavar="DATE", callback=_day, help="From that day on.")
@click.option("--until", metavar="DATE", callback=_day, help="Up to the end of that day.")
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(0, MOST_LISTED),
    default=50,
    show_default=True,
    help="The newest so many.",
)
@click.pass_obj
def timeline(context: CliContext, entity: str, since: date | None, until: date | None, limit: int) -> None:
    """Show what changed in the world, in order: facts, what was said, episodes."""
    with context.app() as app:
        found, fresh = app.timeline(entity, since=since, until=until, limit=limit), app.freshness
    if context.json:
        as_json(shapes.timeline(found, fresh))
        return
    table(["when", "what", "of", "", "where"], [_happened(one) for one in found.events])
    if not found.events:
        say("Nothing with a date.")
    if found.earlier:
        remark(f"{found.earlier} earlier; --limit shows more")
    print_freshness(fresh)


def _happened(one: TimelineEvent) -> list[str]:
    of = one.entity if one.field in ("", "value") else f"{one.entity}.{one.field}"
    value = f'"{one.value}"' if one.kind == "said" else one.value
    was = f" (was {one.was})" if one.was else ""
    return [one.at[:16].replace("T", " "), one.kind, of, f"{value}{was}", f"{one.path}:{one.line}"]


def print_freshness(fresh: Freshness) -> None:
    """Says on standard error what an answer may lack."""
    if fresh.degraded:
        remark(f"Degraded: {fresh.degraded}")


def _fact(path: str, fact: Fact, dated: bool, doubted: bool) -> list[str]:
    until = [fact.until] if dated else []
    trust = ["" if fact.trust == "trusted" else fact.trust] if doubted else []
    said = fact.is_statement
    return [
        fact.entity,
        "said" if said else "" if fact.field == "value" else fact.field,
        f'"{fact.value}"' if said else fact.value,
        fact.day,
        *until,
        *trust,
        f"{path}:{fact.line}",
    ]


# `history` and `blame`: what was done, and where a fact comes from.


@verb(
    examples=[
        "init\nhistory",
        "history 'semantic/projects#Boathouse Aarhus.deadline'",
        "history --limit 5 --json",
    ]
)
@click.argument("id_", metavar="[ID]", required=False, default="", type=ID)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1, MOST_LISTED),
    default=20,
    show_default=True,
    help="How many at most.",
)
@click.option(
    "--before", metavar="PLACE", default="", type=TEXT, help="The next page: `next` of the JSON of the last."
)
@click.option("--commit", metavar="C", default="", type=TEXT, help="One commit or run, word by word.")
@click.pass_obj
def history(context: CliContext, id_: str, limit: int, before: str, commit: str) -> None:
    """Show the changes to the vault, a note or a fact.

    Newest first, the changes of MemoryClaw and of people. Each can be undone by its commit or its run.
    """
    if commit and (id_ or before):
        raise click.UsageError("--commit shows one commit; give no ID and no --before")
    with context.app() as app:
        if commit:
            _print_commit(context, app.commit(commit))
            return
        events = app.history(id_, limit=limit, before=before)
    if context.json:
        from memoryclaw.interfaces import shapes

        as_json(shapes.history(events))
        return
    _events(events)


@verb(
    examples=[
        "init\nremember oolong --entity Nora --field tea\nblame Nora.tea",
        "blame 'Boathouse Aarhus.deadline'",
    ]
)
@click.argument("fact", metavar="FACT", type=ID)
@click.pass_obj
def blame(context: CliContext, fact: str) -> None:
    """Show where a fact comes from.

    The commit that set it, the episode that tells it, the line of the log that said it, and who approved it.
    """
    with context.app() as app:
        found = app.blame(fact)
    if context.json:
        from memoryclaw.interfaces import shapes

        as_json(shapes.blame(found))
        return
    for line in _sentences(found):
        say(line)


def _print_commit(context: CliContext, found: CommitShown) -> None:
    if context.json:
        as_json(shapes.change_made(found))
        return
    from memoryclaw.review.word_diff import mark_up, word_diff

    one = found.commit
    say(
        f"{styled(one.subject, bold=True)} ({one.commit[:10]}, {one.when[:16].replace('T', ' ')}, {styled(one.kind)})"
    )
    for words in one.body.splitlines():
        flow(words)
    for file in found.files:
        say(f"  {styled(file.path)}")
        for hunk in word_diff(file.before, file.after):
            for line in hunk:
                say(f"    {styled(mark_up(line.pieces))}")
    if found.more:
        remark(f"{found.more} more files are not shown")
    if found.notice:
        remark(found.notice)


def _events(events: CommitList) -> None:
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
    since = f", {'on' if fact.is_statement else 'since'} {fact.day}" if fact.day else ""
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
