"""All addresses below /v1, in the order in which they are tried; the served document and docs/http.md are made from this table."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from pydantic import ConfigDict, Field

from memoryclaw.app import App
from memoryclaw.config import BESIDE, DRAWN, LEAST_BUDGET, MOST_BUDGET, MOST_LISTED
from memoryclaw.errors import InputError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.http import writing
from memoryclaw.interfaces.http.messages import LOG, LONG, RequestModel, Shape, VerbRoute, question

# Questions: `recall` and `search`.


class RecallRequest(RequestModel):
    """A question that wants a context."""

    query: str
    goal: str = ""
    session: str = ""
    budget: int | None = Field(default=None, ge=LEAST_BUDGET, le=MOST_BUDGET)
    seen: Literal["all", "tools", "none"] = "all"
    room: int | None = Field(default=None, ge=0)
    trace: bool = False
    noted: bool = True


class SearchRequest(RequestModel):
    """A question that wants matches."""

    q: str
    kind: str = ""
    limit: int = Field(default=10, ge=1, le=1000)
    session: str = ""


class SessionRequest(RequestModel):
    """For which session something is read; no recall sends it that again."""

    session: str = ""


def recall(app: App, _name: str, asked: RecallRequest) -> Shape:
    """A context to paste into a prompt."""
    answer = app.recall(
        question(asked.query),
        goal=question(asked.goal),
        session=asked.session,
        budget=asked.budget,
        seen=asked.seen,
        room=asked.room,
        noted=asked.noted,
    )
    return shapes.recall(answer, trace=asked.trace)


def search(app: App, _name: str, asked: SearchRequest) -> Shape:
    """Ranked matches."""
    return shapes.search(
        app.search(question(asked.q), kind=asked.kind, limit=asked.limit, session=asked.session)
    )


ASKING = (
    VerbRoute(
        "POST",
        "/v1/recall",
        recall,
        "A context for a prompt, within a budget.",
        RecallRequest,
        like="recall QUERY",
    ),
    VerbRoute(
        "GET",
        "/v1/search",
        search,
        "Ranked matches, best first; without a session it leaves no trace.",
        SearchRequest,
        like="search Q",
    ),
)


# Notes, links and facts.


class BrowseRequest(RequestModel):
    """Which notes are listed."""

    kind: str = ""
    state: str = "current"
    type: str = ""
    limit: int = Field(default=50, ge=1, le=MOST_LISTED)


class FactsRequest(RequestModel):
    """Which facts are listed."""

    entity: str = ""
    as_of: str = ""
    believed_at: str = ""
    history: bool = False
    type: str = ""


class TimelineRequest(RequestModel):
    """Of what and of when changes are listed."""

    entity: str = ""
    since: str = ""
    until: str = ""
    limit: int = Field(default=50, ge=0, le=MOST_LISTED)


class EntitiesRequest(RequestModel):
    """Which entities are listed."""

    words: str = ""
    kind: str = ""


class GraphRequest(RequestModel):
    """How much of the graph is shown."""

    limit: int = Field(default=DRAWN, ge=1, le=MOST_LISTED)


class PathRequest(RequestModel):
    """The two ends of a path."""

    start: str = Field(min_length=1)
    end: str = Field(min_length=1)


class NeighboursRequest(RequestModel):
    """Whose neighbours are listed, and how many."""

    id: str = Field(min_length=1)
    limit: int = Field(default=BESIDE, ge=1, le=MOST_LISTED)


class ViewsRequest(RequestModel):
    """Which pages are listed."""

    name: str = ""


class TodosRequest(RequestModel):
    """Which to-dos are listed."""

    words: str = ""
    due: str = ""
    state: Literal["open", "done", "all"] = "open"


def browse(app: App, _name: str, asked: BrowseRequest) -> Shape:
    """A list of notes."""
    listed = app.browse(kind=asked.kind, state=asked.state, memory_type=asked.type, limit=asked.limit)
    return shapes.browse(listed, app.freshness)


def show(app: App, name: str, asked: SessionRequest) -> Shape:
    """One thing as it stands in its file."""
    return shapes.show(app.show(name, session=asked.session), app.freshness)


def why(app: App, name: str, _asked: RequestModel) -> Shape:
    """A recall read back."""
    return shapes.read_back(app.why(name), app.freshness)


def inspect(app: App, name: str, _asked: RequestModel) -> Shape:
    """How strongly a memory is remembered."""
    return shapes.inspected(app.inspect(name), app.freshness)


def links(app: App, name: str, _asked: RequestModel) -> Shape:
    """The links of a note."""
    return shapes.links(name, app.links(name), app.freshness)


def graph(app: App, _name: str, asked: GraphRequest) -> Shape:
    """The graph of notes and entities."""
    return shapes.graph(app.graph.whole(limit=asked.limit), app.freshness)


def path(app: App, _name: str, asked: PathRequest) -> Shape:
    """The shortest way between two things."""
    return shapes.path(app.graph.path(asked.start, asked.end), app.freshness)


def neighbours(app: App, _name: str, asked: NeighboursRequest) -> Shape:
    """What a note or an entity is tied to."""
    return shapes.neighbours(app.graph.neighbours(asked.id, limit=asked.limit), app.freshness)


def orphans(app: App, _name: str, _asked: RequestModel) -> Shape:
    """What nothing is tied to."""
    return shapes.orphans(app.graph.orphans(), app.freshness)


def dangling(app: App, _name: str, _asked: RequestModel) -> Shape:
    """Links that lead nowhere."""
    return shapes.dangling(app.graph.dangling(), app.freshness)


def facts(app: App, _name: str, asked: FactsRequest) -> Shape:
    """A list of facts."""
    then = app.commit_at(asked.believed_at) if asked.believed_at else None
    commit = then.commit if then else ""
    found = app.facts(
        asked.entity,
        as_of=_day(asked.as_of),
        history=asked.history,
        believed_at=commit,
        memory_type=asked.type,
    )
    return shapes.facts(found, app.freshness, {} if then else app.conflicting(found), then)


def views(app: App, _name: str, asked: ViewsRequest) -> Shape:
    """The generated pages."""
    return shapes.views(app.views(asked.name), asked.name)


def entities(app: App, _name: str, asked: EntitiesRequest) -> Shape:
    """A list of entities."""
    return shapes.entities(app.entities(asked.words, kind=asked.kind), app.freshness)


def entity(app: App, name: str, _asked: RequestModel) -> Shape:
    """One entity."""
    return shapes.entity(app.entity(name), app.freshness)


def timeline(app: App, _name: str, asked: TimelineRequest) -> Shape:
    """What changed in the world."""
    found = app.timeline(asked.entity, since=_day(asked.since), until=_day(asked.until), limit=asked.limit)
    return shapes.timeline(found, app.freshness)


def todos(app: App, _name: str, asked: TodosRequest) -> Shape:
    """A list of to-dos."""
    return shapes.todos(app.todos(asked.words, due=asked.due, state=asked.state), app.freshness)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise InputError(f"{text!r} is not a date; write it as 2025-07-01") from None


LOOKING = (
    VerbRoute(
        "GET", "/v1/notes", browse, "Notes, pinned ones first, then the newest.", BrowseRequest, like="browse"
    ),
    VerbRoute(
        "GET",
        "/v1/notes/{id}",
        show,
        "A note, section, fact or turn as it stands.",
        SessionRequest,
        like="show ID",
    ),
    VerbRoute(
        "GET",
        "/v1/receipts/{id}",
        why,
        "A recall read back: what was in, what was left out, why.",
        like="why ID",
    ),
    VerbRoute(
        "GET",
        "/v1/inspect/{id}",
        inspect,
        "How strongly a memory is remembered, and each use that counts.",
        like="inspect ID",
    ),
    VerbRoute("GET", "/v1/links/{id}", links, "The links of a note, out and back.", like="links ID"),
    VerbRoute(
        "GET", "/v1/graph", graph, "Notes and entities, and what ties them.", GraphRequest, like="links"
    ),
    VerbRoute(
        "GET",
        "/v1/graph/path",
        path,
        "The shortest way from one note or entity to another.",
        PathRequest,
        like="links path A B",
    ),
    VerbRoute(
        "GET",
        "/v1/graph/neighbours",
        neighbours,
        "What a note or an entity is tied to, the strongest ties first.",
        NeighboursRequest,
        like="links neighbours ID",
    ),
    VerbRoute(
        "GET",
        "/v1/graph/orphans",
        orphans,
        "Notes and entities that nothing is tied to.",
        like="links orphans",
    ),
    VerbRoute("GET", "/v1/graph/dangling", dangling, "Links that lead nowhere.", like="links dangling"),
    VerbRoute(
        "GET", "/v1/facts", facts, "What is held true, now or on a day.", FactsRequest, like="facts [ENTITY]"
    ),
    VerbRoute(
        "GET",
        "/v1/timeline",
        timeline,
        "What changed in the world, in order: facts, what was said, episodes.",
        TimelineRequest,
        like="timeline [ENTITY]",
    ),
    VerbRoute(
        "GET",
        "/v1/entities",
        entities,
        "Everything that facts are known of, by name.",
        EntitiesRequest,
        like="entities [WORDS]",
    ),
    VerbRoute(
        "GET",
        "/v1/entities/{name}",
        entity,
        "One entity: facts and their past, episodes, neighbours.",
        like="entity NAME",
    ),
    VerbRoute(
        "GET",
        "/v1/views",
        views,
        "The pages of entities and topics, and how their files stand.",
        ViewsRequest,
        like="views [ENTITY|TOPIC]",
    ),
    VerbRoute(
        "GET",
        "/v1/todos",
        todos,
        "What is to be done, the soonest first.",
        TodosRequest,
        like="todos [WORDS]",
    ),
)


# Status, doctor and sync.


def status(app: App, _name: str, _asked: RequestModel) -> Shape:
    """How the vault stands."""
    return shapes.status(app.status())


def doctor(app: App, _name: str, _asked: RequestModel) -> Shape:
    """Every check of the vault's health."""
    return shapes.doctor(app.doctor())


def lint(app: App, _name: str, _asked: RequestModel) -> Shape:
    """What is wrong in the vault's files."""
    return shapes.linted_files(app.lint())


class SyncRequest(RequestModel):
    """Whether git is asked first."""

    with_git: bool = False


def sync(app: App, _name: str, asked: SyncRequest) -> Shape:
    """Brings the index in line with the files, after an exchange with the vault's other copy where that is asked for."""
    exchanged = app.exchange() if asked.with_git else None
    return {**shapes.synced(app.sync()), **({"git": shapes.exchanged(exchanged)} if exchanged else {})}


KEEPING = (
    VerbRoute("GET", "/v1/status", status, "How the vault stands.", like="status"),
    VerbRoute(
        "GET", "/v1/doctor", doctor, "Checks the vault's health; repairs nothing.", pool=LONG, like="doctor"
    ),
    VerbRoute(
        "GET", "/v1/lint", lint, "What is wrong in the files that a person writes.", pool=LONG, like="lint"
    ),
    VerbRoute(
        "POST",
        "/v1/sync",
        sync,
        "Brings the index in line with the files, with `with_git` after an exchange with another machine.",
        SyncRequest,
        pool=LONG,
        like="sync",
    ),
)


# Capture, consolidate and redo.

CAPTURE_BODY = 8 << 20


class CaptureRequest(RequestModel):
    """Turns and tool events."""

    turns: list[dict[str, Any]]
    session: str = ""


class ConsolidateRequest(RequestModel):
    """How logs are consolidated."""

    dry_run: bool = False
    due: bool = False
    llm: Literal["auto", "none"] = "auto"
    mode: Literal["", "direct", "branch", "propose"] = ""
    ask: bool = False
    answers: list[dict[str, Any]] | None = None


class RedoRequest(RequestModel):
    """Which logs are consolidated again."""

    since: str
    llm: Literal["auto", "none"] = "auto"


def capture(app: App, _name: str, asked: CaptureRequest) -> Shape:
    """Keeps turns; each is on the disk when it is acknowledged."""
    done = app.capture(asked.turns, session=asked.session)
    return {"acknowledged": [shapes.acknowledged(one) for one in done], "notice": app.capture_notice}


def consolidate(app: App, _name: str, asked: ConsolidateRequest) -> Shape:
    """Turns what the logs hold into memory, or asks its caller what stands in them."""
    if asked.ask and asked.answers is not None:
        raise InputError("`ask` and `answers` are two steps; send one of them")
    if asked.ask:
        return shapes.segments(app.segments(due=asked.due))
    done = app.consolidate(
        dry_run=asked.dry_run, due=asked.due, llm=asked.llm, mode=asked.mode, answers=asked.answers
    )
    return shapes.consolidated(done)


def redo(app: App, _name: str, asked: RedoRequest) -> Shape:
    """Consolidates old logs again, on a branch."""
    return shapes.consolidated(app.redo(asked.since, llm=asked.llm))


LOGGING = (
    VerbRoute(
        "POST",
        "/v1/capture",
        capture,
        "Keeps turns and tool events in the logs; a turn that comes twice is kept once.",
        CaptureRequest,
        LOG,
        CAPTURE_BODY,
        like="capture",
    ),
    VerbRoute(
        "POST",
        "/v1/consolidate",
        consolidate,
        "Turns new log lines into episodes, facts and drafts; `ask` gives prompts, `answers` takes what was answered.",
        ConsolidateRequest,
        LONG,
        CAPTURE_BODY,
        like="consolidate",
    ),
    VerbRoute(
        "POST",
        "/v1/redo",
        redo,
        "Consolidates old logs again, on a branch.",
        RedoRequest,
        LONG,
        like="redo --since DATE",
    ),
)


# Working memory.


class WorkingRequest(RequestModel):
    """What changes; the verb knows its own keys, and refuses others by name."""

    model_config = ConfigDict(extra="allow", frozen=True)


class ClearRequest(RequestModel):
    """Which task must be at an end; any, when it is empty."""

    task: str = ""


def show_working(app: App, name: str, _asked: RequestModel) -> Shape:
    """The working memory of a session."""
    return shapes.working(app.working.show(name))


def change(app: App, name: str, asked: WorkingRequest) -> Shape:
    """Changes it."""
    changes: dict[str, Any] = asked.model_extra or {}
    return shapes.working(app.working.set(name, changes))


def clear(app: App, name: str, asked: ClearRequest) -> Shape:
    """Ends it; what it held goes to the log first."""
    return shapes.cleared(app.working.clear(name, task=asked.task))


SESSIONS = (
    VerbRoute(
        "GET", "/v1/working/{session}", show_working, "The working memory of a session.", like="working show"
    ),
    VerbRoute(
        "PATCH",
        "/v1/working/{session}",
        change,
        "Changes goal, plan, facts, observations, skill or task.",
        WorkingRequest,
        LOG,
        like="working set",
    ),
    VerbRoute(
        "DELETE",
        "/v1/working/{session}",
        clear,
        "Ends it; what it held goes to the log first.",
        ClearRequest,
        LOG,
        like="working clear",
    ),
)


SUBJECTS: dict[str, tuple[VerbRoute, ...]] = {
    "Ask": ASKING,
    "Look": LOOKING,
    "Write": writing.WRITING,
    "Log": LOGGING,
    "Review": writing.REVIEWING,
    "Skills": writing.SKILLS,
    "Session": SESSIONS,
    "Keep": KEEPING,
}
ROWS = tuple(row for rows in SUBJECTS.values() for row in rows)
OPEN = ("/healthz", "/readyz", "/openapi.json")  # these need no token
