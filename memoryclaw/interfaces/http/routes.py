"""All addresses below /v1, made from what the verbs of the app say of themselves; the served document and docs/reference/http.md come from this table.

A verb is called with the keys of the request, and its answer told by the shape of its type. What does more stands here, below `tells`.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.responses import Response

from memoryclaw.app import App, verbs
from memoryclaw.app.graph import VaultGraph
from memoryclaw.app.review import Review
from memoryclaw.app.skills import Skills
from memoryclaw.app.verbs import Route
from memoryclaw.app.working import Working
from memoryclaw.errors import ForbiddenError, InputError
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.requests import Refusal, RequestModel, arguments_of, request_model
from memoryclaw.interfaces.shapes import AnswerShape, JsonObject
from memoryclaw.late import NamedTuple
from memoryclaw.model import OWNER

Adapter = Callable[..., JsonObject]  # of an open vault, what the path names if it names anything, and keys

# What does more than one verb of the app, or tells of its answer together with something else.

_ADAPTERS: dict[Callable[..., Any], tuple[Adapter, tuple[AnswerShape, ...]]] = {}


def tells(verb: Callable[..., Any], *answers: AnswerShape) -> Callable[[Adapter], Adapter]:
    """Makes a function what answers at the address of a verb, in one of these shapes; its `**keys` are those of the verb."""

    def decorate(adapter: Adapter) -> Adapter:
        _ADAPTERS[verb] = (adapter, answers)
        return adapter

    return decorate


@tells(App.recall, shapes.recall)
def recall(app: App, *, trace: verbs.Flag = False, **keys: Any) -> JsonObject:
    """A context; `trace` adds every candidate."""
    return shapes.recall(app.recall(**keys), trace=trace)


@tells(App.facts, shapes.facts)
def facts(app: App, *, believed_at: verbs.When = "", **keys: Any) -> JsonObject:
    """Facts, and those that contradict one another."""
    then = app.commit_at(believed_at) if believed_at else None
    listed = app.facts(**keys, believed_at=then.commit if then else "")
    return shapes.facts(listed, app.freshness, {} if then else app.conflicting(listed), then)


@tells(App.views, shapes.views)
def views(app: App, **keys: Any) -> JsonObject:
    """The generated pages; those of a name with their text."""
    return shapes.views(app.views(**keys), keys["name"])


@tells(App.remember, shapes.written)
def remember(app: App, *, session: verbs.Session = "", **keys: Any) -> JsonObject:
    """Keeps a text; from the agent it is a claim."""
    if app.audience == OWNER:
        return shapes.written(app.remember(**keys))
    lifecycle = [keys.pop(name) for name in ("memory_type", "scope", "expires")]
    if any(lifecycle):
        raise ForbiddenError("only the owner says what type a memory is, for what it counts and until when")
    return shapes.written(app.claim(tool=keys.pop("source"), session=session, **keys))


@tells(App.edit, shapes.written)
def edit(app: App, name: str, *, set: verbs.Fields) -> JsonObject:  # noqa: A002 - the key
    """Sets fields of a note, or the value of a fact."""

    def text(value: verbs.Scalar) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    def texts(value: verbs.Scalar | list[verbs.Scalar]) -> str | list[str]:
        return list(map(text, value)) if isinstance(value, list) else text(value)

    return shapes.written(app.edit(name, {field: texts(value) for field, value in set.items()}))


@tells(Review.get, shapes.review_item)
def review_item(app: App, name: str) -> JsonObject:
    """One thing that waits, and what it would change."""
    item = app.review.get(name)
    files = app.review.diff(item) if item.can_be_shown else []
    details = app.review.details(item) if app.audience == OWNER else None
    return shapes.review_item(shapes.DifferencesShown((shapes.ItemShown(item, files),), details))


@tells(Review.edit, shapes.written)
def reword(app: App, name: str, *, text: verbs.Text, **keys: Any) -> JsonObject:
    """Puts what waits in other words."""
    return shapes.written(app.review.edit(name, lambda _: text, **keys))


@tells(Skills.match, shapes.matches)
def match(app: App, *, request: verbs.Question) -> JsonObject:
    """The skills that fit a request."""
    return shapes.matches(shapes.SkillMatches(request, app.skills.match(request)))


@verbs.verb("GET /v1/host-skills", "Skills", "skills host")
def host_skills(app: App) -> JsonObject:
    """The skills that hosts are given, as they are now."""
    return shapes.host_skills(app.skills.hosted(refresh=False))


tells(host_skills, shapes.host_skills)(host_skills)


@tells(App.sync, shapes.synced)
def sync(app: App, *, with_git: verbs.Flag = False) -> JsonObject:
    """Brings the index in line with the files, after an exchange with the vault's other copy where that is asked for."""
    exchanged = app.exchange() if with_git else None
    return shapes.synced(shapes.SyncShown(app.sync(), git=exchanged))


@tells(App.capture, shapes.captured)
def capture(app: App, *, turns: verbs.Objects, **keys: Any) -> JsonObject:
    """Keeps turns; each is on the disk when it is acknowledged."""
    return shapes.captured(shapes.CaptureShown(tuple(app.capture(turns, **keys)), app.capture_notice))


@tells(App.consolidate, shapes.consolidated, shapes.segments)
def consolidate(
    app: App, *, ask: verbs.Flag = False, answers: verbs.Objects | None = None, **keys: Any
) -> JsonObject:
    """Turns what the logs hold into memory, or asks its caller what stands in them."""
    if not ask:
        return shapes.consolidated(app.consolidate(**keys, answers=answers))
    if answers is not None:
        raise InputError("`ask` and `answers` are two steps; send one of them")
    return shapes.segments(app.segments(due=keys["due"]))


@tells(Working.set, shapes.working)
def change(app: App, name: str, **changes: Any) -> JsonObject:
    """Changes what is said; the verb knows its own keys, and refuses others by name."""
    return shapes.working(app.working.set(name, changes))


# The table.

_PARTS = {App: "", VaultGraph: "graph", Review: "review", Skills: "skills", Working: "working"}
_SUBJECTS = ("Ask", "Look", "Write", "Log", "Review", "Skills", "Session", "Keep")
_OPEN = (Working.set,)  # these know their own keys


# What goes over the wire: answers in JSON, and the rows of the route table.

_ALWAYS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def encoded(shape: Mapping[str, Any]) -> bytes:
    """The JSON of an answer."""
    try:
        return json.dumps(shape, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a character in a file: JSON can say it, UTF-8 cannot
        return json.dumps(shape).encode()


def answer(shape: Mapping[str, Any] | bytes, status: int = 200, headers: Mapping[str, str] = {}) -> Response:
    """One answer, of a shape or of its JSON."""
    data = shape if isinstance(shape, bytes) else encoded(shape)
    return Response(data, status, {**_ALWAYS, **headers}, "application/json")


def refused(refusal: Refusal) -> Response:
    """One answer that is a failure."""
    return answer(refusal.shape, refusal.status, refusal.headers)


# What each status of a failure means.

CODES = {
    307: "another node is the home of the vault; `Location` says where to ask: `moved`",
    400: "what was sent cannot be used: `input`, `config`",
    401: "no token, or another daemon's: `unauthorized`",
    403: "a Host or an Origin that is not this daemon: `forbidden`",
    404: "no such thing, or no such address: `not_found`",
    405: "this address accepts another method: `method_not_allowed`",
    408: "the body did not come in time: `timeout`",
    409: "the vault is not in a state for this: `conflict`, `history`, `budget`, `failed`",
    413: "more than this address takes: `too_large`",
    415: "a body that is not `application/json`: `media_type`",
    423: "another process writes: `locked`",
    429: "too many requests; `Retry-After` says when: `too_many`",
    500: "a bug; the sentence names a file with the details: `bug`",
    503: "the vault or the index cannot be used now, or too much is waiting: `vault`, `busy`, `damaged`, `system`; of many vaults also `not_acknowledged`, `moved`, `unreachable`",
}


# A row of the route table: an address, what it takes, what it answers, and which pool of workers does so.

QUERIED = ("GET", "DELETE")  # these take their keys from the query string, the others from a JSON body


class VerbRoute(NamedTuple):
    """One address, which answers as the command `like` does."""

    method: str  # in capitals
    path: str  # with at most one `{name}`
    pool: str  # of workers, which answers
    like: str
    route: Route
    name: str  # of the operation
    about: str
    verb: Callable[[App, str, RequestModel], JsonObject]  # the vault, what the path names, and the keys
    asks: type[RequestModel]
    shapes: tuple[AnswerShape, ...]  # of its answers


def _row(method: Callable[..., Any], part: str) -> VerbRoute:
    route: verbs.Route = method.route  # type: ignore[attr-defined]
    adapter, answers = _ADAPTERS.get(method) or _plain_adapter(method, part)
    # What a request may say: the parameters of the verb, but for what the path names, and those of its adapter.
    added = {parameter.argument: parameter for parameter in verbs.parameters(adapter)}
    named = list(inspect.signature(method).parameters)[1] if "{" in route.path else ""
    passed = verbs.parameters(method) if "keys" in adapter.__annotations__ else []
    merged = {parameter.argument: parameter for parameter in passed if parameter.argument != named} | added
    keys = {route.keys.get(parameter.argument, parameter.key): parameter for parameter in merged.values()}

    def answer(app: App, name: str, request: RequestModel) -> JsonObject:
        return adapter(app, *([name] if "{" in route.path else []), **arguments_of(request, keys))

    about = (method.__doc__ or "").partition("\n")[0]
    name = f"{part}_{method.__name__}".strip("_")
    model = request_model(name, keys, is_open=method in _OPEN)
    where = route.method, route.path, route.pool, route.like
    return VerbRoute(*where, route, name, about, answer, model, answers)


def _plain_adapter(method: Callable[..., Any], part: str) -> tuple[Adapter, tuple[AnswerShape, ...]]:
    """What answers for a verb that is called with the keys alone, by the shape of its type."""
    shape = shapes.shape_of(method)

    def answer(app: App, *names: str, **keys: Any) -> JsonObject:
        value = getattr(getattr(app, part) if part else app, method.__name__)(*names, **keys)
        return shape(value, app.freshness if shape.fresh else None)

    return answer, (shape,)


_METHODS = [(method, part) for kind, part in _PARTS.items() for method in vars(kind).values()]
_ROWS = [_row(method, part) for method, part in (*_METHODS, (host_skills, "")) if hasattr(method, "route")]
SUBJECTS: dict[str, tuple[VerbRoute, ...]] = {
    subject: tuple(row for row in _ROWS if row.route.subject == subject) for subject in _SUBJECTS
}
ROWS = tuple(row for rows in SUBJECTS.values() for row in rows)
BY_NAME = {row.name: row for row in ROWS}
OPEN = ("/healthz", "/readyz", "/openapi.json")  # these need no token
