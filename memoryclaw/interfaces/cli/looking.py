"""`show`, `browse`, `facts`, `todos`, `timeline`, `history` and `blame`: the vault without a question."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING

import click

from memoryclaw import rooms
from memoryclaw.errors import InputError, NotFoundError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import plural, print_freshness, remark, say, styled
from memoryclaw.interfaces.cli.tables import flow, pairs, table
from memoryclaw.interfaces.cli.verbs import CliContext, choice, flag, group, option, verb
from memoryclaw.model import Fact
from memoryclaw.text.prompts import visible

_TEA = "init\nremember oolong --entity Nora --field tea\n"
_CONFLICTS = 3  # that are told beside a list of facts

if TYPE_CHECKING:
    from memoryclaw.app.verbs import TodoState


@verb(
    f"{_TEA}show Nora",
    "show 'semantic/projects#Boathouse Aarhus.deadline'",
    "show log:2025-10-21-kanazawa/8 --json",
    of="show",
)
@choice(
    "--as",
    ("text", "entity", "uses", "recall"),
    "Instead of the text: an entity with its past and its neighbours, how a memory was used, or a recall.",
    name="form",
)
def show(context: CliContext, *, id_: str, session: str, form: str | None) -> None:
    """Print a note, section, fact, turn or entity as it is in its file, or a recall: the `last`, or an earlier one by its receipt."""
    from memoryclaw.interfaces.cli.table import answer  # `--help` needs no app

    with context.app() as app:
        receipt = app.ledger.last_recall() if id_ == "last" else id_
        values = {"id_": id_, "name": id_, "receipt": receipt, "session": session}
        try:
            answer(context, app, *_VIEWS[form or "text"], values)
        except NotFoundError:
            if form or not receipt.startswith("r-"):
                raise
            answer(context, app, *_VIEWS["recall"], values)


def _show_text(shown: rooms.browsing.ShownUnit) -> None:
    if sys.stdout.isatty():
        address = shown.address
        day = f"  {shown.day}, from its {shown.day_from}" if shown.day else ""
        say(styled(f"{address.path}:{address.line}-{address.end_line}{day}", dim=True))
    click.echo(visible(shown.text), nl=not shown.text.endswith("\n"))
    for newer in shown.superseded:
        fact = rooms.context.fact_in_words(newer.entity, newer.field, newer.value)
        remark(f"line {newer.line}: {fact} ({newer.mark()})")


def _show_entity(entity: rooms.browsing.EntityShown) -> None:
    also = f", also {', '.join(entity.also)}" if entity.also else ""
    say(f"{styled(entity.name, bold=True)} ({styled(entity.kind + also)})")
    rows = [_fact(*pair, True, False) for pair in entity.facts]
    table(["entity", "field", "value", "since", "until", "where"], rows)
    say()
    table(
        ["date", "what happened", "id"],
        [(episode.at[:10], episode.title, episode.id) for episode in entity.episodes],
    )
    say()
    beside = [
        (neighbour.name, neighbour.kind, ", ".join(neighbour.fields), str(neighbour.episodes))
        for neighbour in entity.neighbours
    ]
    table(["neighbour", "kind", "by", "notes"], beside)


def _show_uses(memory: rooms.browsing.Inspected) -> None:
    strength = memory.strength
    hot = " (hot)" if strength.is_hot else ""
    faded = f"by half in {strength.half_life} active days ({memory.kind}); last used {strength.idle} active days ago"
    pairs([
        ("kept because", memory.worth),
        ("strength", f"{strength.value:.3f}{hot} = 2 ^ {strength.x:.3f}"),
        ("fades", faded if strength.steps else ""),
        ("used", "" if strength.steps else "never cited or rated"),
        ("exposure", f"shown {memory.shown}, searched {memory.searched}, fetched {memory.fetched} (for information only)"),
    ])  # fmt: skip
    rows = []
    for step in strength.steps:
        way = f"rated {step.use.rating}" if step.use.rating else f"cited by {step.use.cited}"
        numbers = f"{step.credit:+.2f}", f"{step.faded:.3f}", f"{step.x:.3f}"
        rows.append((step.use.ts[:10], way, *numbers, step.use.receipt or "-"))
    if rows:
        say()
        table(["day", "use", "credit", "x before", "x after", "receipt"], rows)


def _show_recall(recall: rooms.recall.ReadBack) -> None:
    of = f" for session {styled(recall.session)}" if recall.session else ""
    say(f"{recall.ts}{of}: {recall.tokens} of {recall.budget} tokens\n")
    rows = []
    for unit in recall.decided:
        changed = "; it says something else now" * unit.changed
        rows.append([unit.decision, rooms.reasons.REASONS.get(unit.decision, "") + changed, unit.id])
    table(["decision", "because", "id"], rows)
    for reason, count in recall.more.items():
        say(f"{count} more: {rooms.reasons.REASONS.get(reason, reason)}")
    if recall.gone:
        say(f"{recall.gone} more {'are' if recall.gone > 1 else 'is'} no longer there")


# How they are printed, and by which verb of the app.
_VIEWS: Mapping[str, tuple[Callable[..., None], str]] = {
    "text": (_show_text, "show"),
    "entity": (_show_entity, "entity"),
    "uses": (_show_uses, "inspect"),
    "recall": (_show_recall, "why"),
}


@group(
    "init\nremember 'Nora drinks oolong tea' --note\nbrowse",
    "browse --kind episode --limit 10",
    "browse entities --kind people",
    "browse views --write",
    default="notes",
    takes=True,
)
def browse() -> None:
    """List notes, entities, or generated pages.

    Pinned notes come first, then the newest. Those that are used often are marked as hot.
    """


@browse.verb(
    "init\nremember 'Nora drinks oolong tea' --note\nbrowse notes",
    "browse --kind episode --limit 10",
    "browse --type decision",
    "browse --state archived --json",
    of="browse",
)
def notes(notes: Sequence[rooms.browsing.NoteEntry]) -> None:
    """List notes: pinned ones first, then the newest."""
    rows = []
    for note in notes:
        tags = " ".join(f"#{tag}" for tag in note.tags)
        rows.append((note.id, note.kind, note.at[:10], "hot" * note.hot, note.title, tags))
    table(["id", "kind", "date", "use?", "title", "tags"], rows, "No such notes.")


@verb(
    f"{_TEA}facts",
    "facts 'Boathouse Aarhus' --history",
    "facts boathouse --as-of 2025-07-01",
    "facts boathouse --believed-at 2026-04-01",
    "facts --type preference",
    of="facts",
)
def facts(
    context: CliContext, *, entity: str, as_of: date | None, believed_at: str, history: bool, memory_type: str
) -> None:
    """List the facts about one entity, or all facts; then what was said, newest first."""
    with context.app() as app:
        then = app.commit_at(believed_at) if believed_at else None
        at = then.commit if then else ""
        rows = app.facts(entity, as_of=as_of, history=history, believed_at=at, memory_type=memory_type)
        fresh, apart = app.freshness, {} if then else app.conflicting(rows)
    if context.printed(shapes.facts, rows, fresh, apart, then):
        return
    dated = history or as_of is not None
    doubted = any(fact.trust != "trusted" for _, fact in rows)
    heads = ["entity", "field", "value", "since", *["until"] * dated, *["trust"] * doubted, "where"]
    table(heads, [_fact(*pair, dated, doubted) for pair in rows], "No such facts.")
    if then:
        remark(f"As the files were in commit {then.commit[:10]} of {then.when}: {then.subject}")
    listed, conflicts = set[str](), list[str]()
    for id_, others in apart.items():
        if id_ not in listed:
            rivals = f"{id_} and {', '.join(others)}"
            conflicts.append(f"{rivals} disagree; `memoryclaw review` lists the conflict")
        listed.update(others)
    remark(*conflicts[:_CONFLICTS])
    if (unlisted := len(conflicts) - _CONFLICTS) > 0:
        remark(f"{plural(unlisted, 'more conflict')}; `memoryclaw review` lists all of them")
    print_freshness(fresh)


@verb(
    "init\nremember --note -- '- [ ] Tar the boat'\ntodos",
    "todos --due 'this week'",
    "todos Boathouse --all --json",
    "edit 'notes/boat#todo-1a2b3c4d' --set done=true",
    of="todos",
    without=("state",),
)
@flag("--done", "Those that are done or cancelled.")
@flag("--all", "Open ones, then those that are done.", name="every")
def todos(context: CliContext, *, words: str, due: str, done: bool, every: bool) -> None:
    """List the to-dos of all notes, the soonest first.

    Words narrow the list. A TIME is a date, or words such as this week, 30 April or next month. To
    tick a to-do, use `edit`.
    """
    with context.app() as app:
        due, words = _time(due, words.split(), app.clock().date()) if due else ("", words)
        state: TodoState = "all" if every else "done" if done else "open"
        entries, fresh = app.todos(words, due=due, state=state), app.freshness
    if context.printed(shapes.todos, entries, fresh):
        return
    rows: list[tuple[str, ...]] = [(entry.due or entry.scheduled, entry.text, entry.id) for entry in entries]
    heads = ["due", "to do", "id"]
    if state != "open":
        heads, rows = ["", *heads], [(todo.status, *row) for todo, row in zip(entries, rows, strict=True)]
    table(heads, rows, "No such to-dos.")
    print_freshness(fresh)


def _time(due: str, words: list[str], today: date) -> tuple[str, str]:
    """A time of several words need not be quoted: as many of the words that follow as are part of it."""
    for end in range(len(words), 0, -1):
        with suppress(InputError):
            rooms.browsing.due_in(" ".join([due, *words[:end]]), today)
            return " ".join([due, *words[:end]]), " ".join(words[end:])
    return due, " ".join(words)


@browse.verb(
    f"{_TEA}browse entities",
    "browse entities boathouse",
    "browse entities --kind people --json",
    of="entities",
)
def entities(listed: Sequence[rooms.browsing.EntityEntry]) -> None:
    """List everything that has facts."""
    rows = [
        (entity.name, entity.kind, str(entity.facts), str(entity.statements), entity.last)
        for entity in listed
    ]
    table(["entity", "kind", "facts", "statements", "last"], rows, "No such entities.")


@browse.verb(f"{_TEA}browse views", "browse views --write", "browse views 'Boathouse Aarhus'", of="views")
@flag("--write", "Write the missing and the stale ones.")
def views(context: CliContext, *, name: str, write: bool) -> None:
    """List the generated pages of entities and topics, or write them."""
    with context.app() as app:
        pages = app.views(name, write=write)
    if context.printed(shapes.views, pages, name):
        return
    rows = [(page.title, page.kind, page.state, str(page.sources), page.path) for page in pages.listed]
    table(["page", "kind", "state", "notes", "file"], rows)
    remark(*pages.notices)
    if name and not write:
        for page in pages.listed:
            say(f"\n{page.page.part if page.page else ''}".rstrip())
    elif not rows:
        say("Nothing is known that a page could be made from.")
    elif write:
        say(f"Wrote {plural(len(pages.written), 'page')}.")


@verb(
    f"{_TEA}timeline",
    "timeline 'Boathouse Aarhus' --since 2025-06-01",
    "timeline --limit 10 --json",
    of="timeline",
)
def timeline(timeline: rooms.browsing.Timeline) -> None:
    """Show what happened in the world, in order: facts that changed, what was said, episodes."""
    rows = [_happened(event) for event in timeline.events]
    table(["when", "what", "of", "", "where"], rows, "Nothing with a date.")
    if timeline.earlier:
        remark(f"{timeline.earlier} earlier; --limit shows more")


def _happened(event: rooms.browsing.TimelineEvent) -> list[str]:
    of = event.entity if event.field in ("", "value") else f"{event.entity}.{event.field}"
    value = f'"{event.value}"' if event.kind == "said" else event.value
    was = f" (was {event.was})" if event.was else ""
    return [event.at[:16].replace("T", " "), event.kind, of, f"{value}{was}", f"{event.path}:{event.line}"]


def _fact(path: str, fact: Fact, dated: bool, doubted: bool) -> list[str]:
    trust = "" if fact.trust == "trusted" else fact.trust
    is_said = fact.is_statement
    return [
        fact.entity,
        "said" if is_said else "" if fact.field == "value" else fact.field,
        f'"{fact.value}"' if is_said else fact.value,
        fact.day,
        *[fact.until] * dated,
        *[trust] * doubted,
        f"{path}:{fact.line}",
    ]


# `history` and `blame`: what was done, and where a fact comes from.


@verb(
    "init\nhistory",
    "history 'semantic/projects#Boathouse Aarhus.deadline'",
    "history --limit 5 --json",
    of="history",
)
@option("--commit", "C", "One commit or run, word by word.")
def history(context: CliContext, *, id_: str, limit: int, before: str, commit: str) -> None:
    """Show the changes to the vault, a note or a fact.

    Newest first, by MemoryClaw or by hand.
    """
    if commit and (id_ or before):
        raise click.UsageError("--commit shows one commit; give no ID and no --before")
    if commit:
        context.carry_out(_show_commit, "commit", {"name": commit})
    else:
        context.carry_out(_show_history, "history", {"id_": id_, "limit": limit, "before": before})


def _show_history(events: rooms.file_history.CommitList) -> None:
    rows = []
    for commit in events.commits:
        when = commit.when[:16].replace("T", " ")
        # What was decided or goes on waiting comes last: the first name should say what it is about.
        names = sorted(commit.files, key=lambda name: name.startswith(("review/", "semantic/_")))
        files = "".join(names[:1]) + f" and {len(names) - 1} more" * (len(names) > 1)
        rows.append((when, commit.commit[:10], commit.kind, commit.subject, files))
    table(("when", "commit", "by", "what", "files"), rows)
    remark(events.notice)


@verb(f"{_TEA}blame Nora.tea", "blame 'Boathouse Aarhus.deadline'", of="blame")
def blame(blame: rooms.file_history.Blame) -> None:
    """Show where a fact comes from.

    Prints the commit that set it, who approved it, the episode, and the line of the log.
    """
    fact = blame.fact
    since = f", {'on' if fact.is_statement else 'since'} {fact.day}" if fact.day else ""
    words = styled(rooms.context.fact_in_words(fact.entity, fact.field, fact.value), bold=True)
    say(f"{words}{styled(since)} ({styled(blame.path)}:{fact.line})")
    if blame.commit:
        commit = blame.commit
        who = f"by hand, by {commit.author}," if not commit.run else f"by {commit.run}"
        say(
            f"Set {styled(who)} on {commit.when[:10]} in commit {commit.commit[:10]}: {styled(commit.subject)}"
        )
    elif blame.notice:
        say(f"{styled(blame.notice[:1].upper() + blame.notice[1:])}.")
    if blame.approved:
        say(f"Approved by {styled(blame.approved.by or 'a person')} on {blame.approved.at[:10]}.")
    for cited in blame.sources:
        if cited.path:
            say(f"Told in {styled(cited.path)}{f': {styled(cited.quote)}' if cited.quote else ''}")
        if cited.said:
            say(f"Said in {styled(cited.log)}, line {cited.line}: {styled(cited.said)}")
        if cited.notice:
            say(f"But {styled(cited.notice)}.")
    if not blame.sources:
        say("It names no source.")


def _show_commit(shown: rooms.file_history.CommitShown) -> None:
    commit, when = shown.commit, shown.commit.when[:16].replace("T", " ")
    say(f"{styled(commit.subject, bold=True)} ({commit.commit[:10]}, {when}, {styled(commit.kind)})")
    for words in commit.body.splitlines():
        flow(words)
    for file in shown.files:
        say(f"  {styled(file.path)}")
        for line in rooms.word_diff.marked_lines(file.before, file.after):
            say(f"    {styled(line)}")
    if shown.more:
        remark(f"{shown.more} more files are not shown")
    remark(shown.notice)
