"""Requests of programs, over HTTP or MCP: what a verb takes, as a model made from its signature, and every way a request can fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, nullcontext
from datetime import date
from queue import Empty, LifoQueue
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from memoryclaw import errors
from memoryclaw.app import App
from memoryclaw.app.verbs import Parameter
from memoryclaw.config import SettingsStamp, stamp
from memoryclaw.errors import InputError
from memoryclaw.late import NamedTuple
from memoryclaw.writing.secret_gate import without_secrets

if TYPE_CHECKING:  # no server runs beside a program that is asked over a pipe
    from starlette.types import Receive, Scope, Send

R = TypeVar("R", bound="RequestModel")


Report = Callable[[Exception], str]  # keeps the details of a bug, and says where
_PATIENCE = 10.0  # seconds that a borrower waits for a vault


Apps = Callable[..., AbstractContextManager[App]]  # lends a vault, as an audience, else who asks, sees it


class VaultPool:
    """Open vaults that are lent out, one at a time to each; opened on first use, and anew when the settings change."""

    def __init__(self, open_app: Callable[[], App], count: int) -> None:
        self._open = open_app
        self._free: LifoQueue[App | None] = LifoQueue()
        self._stamps: dict[int, SettingsStamp] = {}
        for _ in range(count):
            self._free.put(None)

    @contextmanager
    def lend(self) -> Iterator[App]:
        """An open vault, for the caller alone until the end of the block."""
        try:
            app = self._free.get(timeout=_PATIENCE)
        except Empty:
            raise errors.IndexBusyError("too many requests are at work; try again") from None
        try:
            app = self._current(app)
            yield app
        finally:
            self._free.put(app)

    def close(self) -> None:
        """Closes those that nobody has borrowed."""
        while True:
            try:
                app = self._free.get_nowait()
            except Empty:
                return
            if app is not None:
                app.close()

    def _current(self, app: App | None) -> App:
        settings = None if app is None else _stamp(app)  # before the settings are read
        if app is not None and self._stamps[id(app)] == settings and app.root.is_dir():
            return app
        fresh = self._open()  # before the old one is let go: settings that are wrong leave it in its place
        if app is not None:
            self._stamps.pop(id(app), None)
            app.close()
        self._stamps[id(fresh)] = settings or _stamp(fresh)
        return fresh


def _stamp(app: App) -> SettingsStamp:
    return stamp(app.root, app.config.vault_id)


class MountedApp:
    """An application below an address of the daemon; it is given requests as they came."""

    # With some, it checks its visitors itself, and is given any request for them or for this machine.
    own_names: Sequence[str] = ()

    def lifespan(self) -> AbstractAsyncContextManager[object]:
        """What it needs around it while the server runs."""
        return nullcontext()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        raise NotImplementedError


class RequestModel(BaseModel):
    """The keys of one request; an unknown one is refused by name."""

    # Built at once: calls come in threads, and what is built on first use is built by one thread only.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=False)


class NoArguments(RequestModel):
    """A request that takes no keys."""


def request_model(
    name: str, keys: Mapping[str, Parameter], *, is_open: bool = False, longest: int | None = None
) -> type[RequestModel]:
    """What a request may say.

    Args:
        keys: the parameters, by the names that they have in a request.
        longest: the most characters of each text and entries of each list; a text that is required is not empty then.
    """
    if is_open:
        return type(name, (RequestModel,), {"model_config": ConfigDict(extra="allow", frozen=True)})
    if not keys:
        return NoArguments
    fields: dict[str, Any] = {key: _field(parameter, longest) for key, parameter in keys.items()}
    return create_model(name, __base__=RequestModel, **fields)


def _field(parameter: Parameter, longest: int | None) -> tuple[Any, Any]:
    kind, default, param = parameter.type, parameter.default, parameter.param
    if kind == date | None:
        kind, default = str, ""
    about: dict[str, Any] = {"description": param.help or None}
    if param.choices:  # told, but checked by the verb, which takes other words for them, too
        about["json_schema_extra"] = {"enum": [*([""] if default == "" else []), *param.choices]}
    least, most = param.least, param.most
    if {int, float} & {kind, *get_args(kind)}:
        about |= {"ge": least, "le": most}
    elif kind is not bool and get_origin(kind) is not Literal:
        least = 1 if longest and least is None and default is ... and kind is str else least
        about |= {"min_length": least, "max_length": longest}
    collection = {Sequence: list, Mapping: dict}.get(get_origin(kind))
    if collection and default is not ...:
        return kind, Field(default_factory=collection, **about)
    return kind, Field(default, **about)


def from_json(model: type[R], body: str | bytes, word: str = "key") -> R:
    """The keys of a request, checked."""
    try:
        return model.model_validate_json(body, strict=True)
    except ValidationError as error:
        raise _refused(model, error, word) from None


def from_query(model: type[R], query: Sequence[tuple[str, str]], word: str = "parameter") -> R:
    """The query string of a request, checked."""
    values = dict(query)
    if len(values) < len(query):
        raise InputError(f"a {word} is given twice; give each once")
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _refused(model, error, word) from None


def _refused(model: type[RequestModel], error: ValidationError, word: str) -> InputError:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    unknown = [repr(str(each["loc"][-1]))[:80] for each in problems if each["type"] == "extra_forbidden"]
    if unknown:
        names = ", ".join(model.model_fields)
        sentence = f"there is no {word} {', '.join(unknown)} here"
        return InputError(f"{sentence}; {f'known are {names}' if names else 'none is known'}")
    first = problems[0]
    if first["type"] == "json_invalid":
        return InputError("the body is not JSON; send one object")
    place = ".".join(map(str, first["loc"]))[:80]
    return InputError(f"{word} {place!r}: {first['msg'].lower()}" if place else f"the body: {first['msg']}")


def arguments_of(
    request: RequestModel, keys: Mapping[str, Parameter], *, given: bool = False
) -> dict[str, Any]:
    """The arguments of a verb, as a request says them; only those that it says where `given`."""
    values = {name: value for name, value in request if not given or name in request.model_fields_set}
    for key, parameter in keys.items():
        if key in values:
            value = values.pop(key)
            values[parameter.argument] = parameter.param.parse(value) if parameter.param.parse else value
    return values


# Every way a request can fail: a status, a code that stays the same, and one sentence.

FAILURES: tuple[tuple[type[errors.MemoryClawError], int, str], ...] = (
    (errors.NotFoundError, 404, "not_found"),
    (errors.ForbiddenError, 403, "forbidden"),
    (errors.ConflictError, 409, "conflict"),
    (errors.NotAcknowledgedError, 503, "not_acknowledged"),
    (errors.MovedError, 503, "moved"),
    (errors.IndexUnreachableError, 503, "unreachable"),
    (errors.HistoryError, 409, "history"),
    (errors.BudgetError, 409, "budget"),
    (errors.LockedError, 423, "locked"),
    (errors.VaultError, 503, "vault"),
    (errors.IndexBusyError, 503, "busy"),
    (errors.IndexDamagedError, 503, "damaged"),
    (errors.ConfigError, 400, "config"),
    (errors.InputError, 400, "input"),
    (errors.MemoryClawError, 409, "failed"),
)


class Refusal(NamedTuple):
    """One answer that is a failure."""

    status: int
    code: str
    message: str
    headers: Mapping[str, str] = {}

    @property
    def shape(self) -> dict[str, dict[str, str]]:
        """The body of the answer."""
        return {"error": {"code": self.code, "message": without_secrets(self.message)}}


class RefusedError(Exception):
    """A request that ends here."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def bug(error: Exception, place: str, where: str = "") -> str:
    """What a client is told of what nobody foresaw; the details are at a place."""
    return f"a bug in MemoryClaw stopped this ({type(error).__name__}); please report it with {place}{where}"


def refusal_of(error: Exception) -> Refusal | None:
    """What a client is told of a failure; None when nobody foresaw it."""
    if isinstance(error, RefusedError):
        return error.refusal
    for kind, status, code in FAILURES:
        if isinstance(error, kind):
            return Refusal(status, code, str(error))
    if refused := errors.refused_by_system(error):
        return Refusal(503, "system", refused)
    return None
