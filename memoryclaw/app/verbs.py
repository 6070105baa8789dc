"""What a verb says of itself, once, for every interface: who may call it, its HTTP address, and of each parameter what a person is told.

Nothing here looks at a signature; an interface does so with `parameters` when it is asked what a verb takes.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Literal, ParamSpec, TypedDict, TypeVar, get_args, get_type_hints

from memoryclaw import rooms
from memoryclaw.config import LEAST_BUDGET, MOST_BUDGET, MOST_LISTED
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.model import AGENT, MATCH_KINDS, MEMORY_TYPES, NOTE_KINDS, NOTE_STATES, OWNER

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

READ, WRITE, LOG, LONG = "read", "write", "log", "long"  # the worker pools of the daemon
BODY, LARGE_BODY = 1 << 20, 8 << 20  # bytes of a request
AGENTS = (OWNER, AGENT)  # who may do what an agent may


class Route(NamedTuple):
    """The address of a verb below /v1.

    Args:
        path: with at most one `{name}`, which is the verb's first argument.
        most: bytes of a request.
        anywhere: whether the index alone answers, so that any copy of it can.
        adds: how many notes it adds to a vault, which are held against its quota; None where it is no addition.
        keys: arguments whose key has another name at this address.
    """

    method: str
    path: str
    subject: str
    like: str
    pool: str = READ
    most: int = BODY
    anywhere: bool = False
    adds: int | None = None
    keys: Mapping[str, str] = {}


def allowed(*audiences: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A method that only these audiences may call; others are refused before anything is looked at."""

    def decorate(method: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(method)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            args[0]._context.allow(*audiences)  # type: ignore[attr-defined]  # noqa: SLF001 - the method's own object
            return method(*args, **kwargs)

        return checked

    return decorate


def verb(
    address: str = "",
    subject: str = "",
    like: str = "",
    *,
    pool: str = "",
    audience: tuple[str, ...] = (),
    most: int = BODY,
    anywhere: bool = False,
    adds: int | None = None,
    **keys: str,
) -> Callable[[F], F]:
    """Makes a method a verb.

    `address` is its method and path over HTTP, such as `GET /v1/notes/{id}`, `audience` is who may call it, everybody when none is named,
    and the rest is as of a `Route`.
    """
    method, _, path = address.partition(" ")
    pool = pool or (READ if method == "GET" else WRITE)

    def decorate(function: F) -> F:
        made: Any = allowed(*audience)(function) if audience else function
        made.route = Route(method, path, subject, like, pool, most, anywhere, adds, keys)
        return made  # type: ignore[no-any-return]

    return decorate


# What an interface knows of a parameter. Whatever is not annotated so is for Python alone.


class Param(NamedTuple):
    """One parameter of a verb.

    Args:
        key: its name in a request, where it is not that of the argument.
        least: the smallest number, or the fewest characters.
        choices: the words that a text may be, besides others that mean the same.
        metavar: what stands for it in a synopsis, where that is not its key.
        flag: its option on the command line, where that is not its key.
        completes: what of the vault a shell completes it with.
    """

    help: str = ""
    key: str = ""
    least: int | None = None
    most: int | None = None
    parse: Callable[[str], Any] | None = None
    choices: Sequence[str] = ()
    metavar: str = ""
    flag: str = ""
    words: bool = False
    completes: str = ""


MOST_BYTES = 4096  # of a question


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise InputError(f"{text!r} is not a date; write it as 2025-07-01") from None


def _type(text: str) -> str:
    return rooms.properties.check_type(text)


def question(text: str) -> str:
    """A question that is no longer than is read."""
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        sentence = f"this question is longer than {MOST_BYTES} bytes"
        raise InputError(f"{sentence}; ask with the words that matter, not the whole conversation")
    return text


Text = Annotated[str, Param()]
Flag = Annotated[bool, Param()]
_QUERY = 'Plain words, or a query: "a phrase", AND, OR, -word, proj*, tag:x, kind:fact, since:2025-06.'
Question = Annotated[str, Param(_QUERY, parse=question, words=True)]
Id = Annotated[str, Param("An id, as printed by a search or a list.", key="id", completes="id")]
Anything = Annotated[str, Param("An id or the name of an entity.", key="id", completes="id or entity")]
SkillName = Annotated[str, Param("A skill, by its name, folder or path.", completes="skill")]
FactId = Annotated[str, Param("A fact, by its id.", key="id", metavar="FACT", completes="id")]
NodeId = Annotated[str, Param("An id or a name.", key="id", least=1, completes="id")]
End = Annotated[str, Param("An id or a name.", least=1, completes="id")]
Session = Annotated[str, Param("The session to record this under.", metavar="S")]
WorkingSession = Annotated[str, Param("The session.", metavar="S", flag="session")]
OfTask = Annotated[str, Param("Only if it belongs to this task.", metavar="NAME")]
Kind = Annotated[str, Param("Those of one file of semantic/, such as people.")]
MatchKind = Annotated[str, Param("One kind only; empty: all.", choices=MATCH_KINDS)]
NoteKind = Annotated[str, Param("One kind only; empty: all.", choices=NOTE_KINDS)]
_TYPE = Param("One type only; empty: all.", key="type", choices=MEMORY_TYPES, parse=_type)
MemoryType = Annotated[str, _TYPE]
State = Annotated[str, Param("One state only.", choices=NOTE_STATES)]
About = Annotated[str, Param("The entity, by name or synonym; empty: all.", completes="entity")]
_PAGE = "The entity or topic; empty: all."
Page = Annotated[str, Param(_PAGE, metavar="ENTITY|TOPIC", words=True, completes="entity")]
Words = Annotated[str, Param("Words that it must contain.", words=True, completes="entity")]
_WHEN = "What the files said in the last commit of that day, or in this commit."
When = Annotated[str, Param(_WHEN, metavar="WHEN")]
Due = Annotated[str, Param("Those due, or scheduled, at that time.", metavar="TIME")]
Before = Annotated[str, Param("The next page: `next` in the JSON of this one.", metavar="PLACE")]
Past = Annotated[bool, Param("Superseded values too.")]
_AS_OF = Param("What was true on that day, such as 2025-07-01.", parse=_day, metavar="DATE")
AsOf = Annotated[date | None, _AS_OF]
Since = Annotated[date | None, Param("From that day on, such as 2025-07-01.", parse=_day, metavar="DATE")]
Until = Annotated[date | None, Param("Up to the end of that day.", parse=_day, metavar="DATE")]
Matches = Annotated[int, Param("The most matches to list.", least=1, most=1000)]
Listed = Annotated[int, Param("The most to list.", least=1, most=MOST_LISTED)]
Newest = Annotated[int, Param("The most to list.", least=0, most=MOST_LISTED)]
Budget = Annotated[int, Param("Tokens of the context at most.", least=LEAST_BUDGET, most=MOST_BUDGET)]
_ROOM = "Tokens left in the host's own context; a recall takes at most a tenth of them."
Room = Annotated[int, Param(_ROOM, least=0)]
_SEEN = Param("What the host still shows of the session's earlier recalls.")
Seen = Annotated[Literal["all", "tools", "none"], _SEEN]
TodoState = Annotated[Literal["open", "done", "all"], Param("Which of them.")]
_KEPT = "What to keep; with entity and field, the value of the fact; with entity alone, what was said."
Kept = Annotated[str, Param(_KEPT, metavar="TEXT", words=True)]
_SUBJECT = "The person, project or thing that it is about."
Subject = Annotated[str, Param(_SUBJECT, metavar="E", completes="entity")]
FieldName = Annotated[str, Param("A field of that entity, such as deadline.", metavar="F")]
_TAGS = Param("Tags; the text is then kept as an episode.", flag="tag", metavar="T", completes="tag")
Tags = Annotated[Sequence[str], _TAGS]
_OWN_TYPE = "Its type: decision, preference, lesson, procedure, event, or a word of your own."
OwnType = Annotated[str, Param(_OWN_TYPE, key="type")]
WorkFolder = Annotated[str, Param("The current folder; what belongs to another project is left out.")]
Scope = Annotated[str, Param("Where it applies: permanent, project:NAME or session[:NAME].")]
Expires = Annotated[str, Param("The last day on which it applies.", metavar="DATE")]
Reason = Annotated[str, Param("Why.", metavar="TEXT")]
Change = Annotated[str, Param("A commit or a run.", metavar="RUN|COMMIT")]
Yes = Annotated[bool, Param("Also undo the commit that made the folder a vault.")]
ReceiptId = Annotated[str, Param("A receipt, as a recall printed it.", key="id", metavar="RECEIPT")]
Receipt = Annotated[str, Param("The recall that showed it; by default the last one.", metavar="R")]
Rating = Annotated[int, Param("From 1 (useless) to 5 (just right).", least=1, most=5, metavar="1..5")]
_DIGEST = Param("The digest of what was shown; if it has changed since, the request is refused.")
Digest = Annotated[str, _DIGEST]
Number = Annotated[int, Param("The number of a value, from 1.", least=0)]
Values = Annotated[Mapping[str, str], Param("Values by name.")]
Model = Annotated[Literal["auto", "none"], Param("The models of the settings, or none.")]
Mode = Annotated[Literal["", "direct", "branch", "propose"], Param("The mode; empty: as in the settings.")]
Objects = Annotated[list[dict[str, Any]], Param("Objects, as the documentation says.")]
Scalar = str | bool | int | float
Fields = Annotated[dict[str, Scalar | list[Scalar]], Param("New values by field.", least=1)]


class Changes(TypedDict, total=False):
    """The working memory that a session sets."""

    task: Annotated[str, Param("The task at hand; another task begins a new working memory.")]
    goal: Annotated[str, Param("The goal; helps every recall of this session.")]
    plan: Annotated[Sequence[str], Param("The steps; replaces the old ones.")]
    facts: Annotated[Mapping[str, str | None], Param("Names and values to keep at hand; null removes one.")]
    recent_observations: Annotated[Sequence[str], Param("What was just observed; appended.")]
    active_skill: Annotated[str, Param("The skill that is being followed.")]


class Parameter(NamedTuple):
    """A parameter as an interface sees it: its argument, type and default (`...` where it is required)."""

    argument: str
    type: Any
    default: Any
    param: Param
    positional: bool = False

    @property
    def key(self) -> str:
        """Its name in a request."""
        return self.param.key or self.argument


def parameters(function: Callable[..., Any]) -> list[Parameter]:
    """The parameters of a verb that an interface may give, in their order."""
    names = globals() | inspect.unwrap(function).__globals__
    given: list[Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        name, _, rest = str(parameter.annotation).replace("verbs.", "").partition(" | ")
        if name == "Unpack[Changes]":
            hints = get_type_hints(Changes, include_extras=True)
            parts = ((key, *get_args(part)) for key, part in hints.items())
            given += (Parameter(key, kind, None, param) for key, kind, param in parts)
        elif hasattr(names.get(name), "__metadata__"):  # of `Annotated`
            kind, param = get_args(names[name])
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            positional = parameter.kind is not inspect.Parameter.KEYWORD_ONLY
            given.append(Parameter(parameter.name, kind | None if rest else kind, default, param, positional))
    return given
