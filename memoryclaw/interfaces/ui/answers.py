"""What a page is asked, and what it answers with: a page, the way to another one, or JSON."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, quote, urlencode

from pydantic import create_model

from memoryclaw import rooms
from memoryclaw.app import App
from memoryclaw.errors import InputError
from memoryclaw.interfaces.requests import RequestModel, from_query
from memoryclaw.late import NamedTuple

if TYPE_CHECKING:
    from memoryclaw.interfaces.ui.sessions import Pulse, Session, Sessions

_FIELDS = 200  # of a form


class PageRequest(NamedTuple):
    """One request of a browser that is signed in."""

    name: str  # what the address names
    query: Mapping[str, str]
    form: Mapping[str, str]
    cookies: Mapping[str, str]
    session: Session
    sessions: Sessions
    daemon: rooms.daemon.Daemon
    pulse: Pulse


class Shown(NamedTuple):
    """A page: a template and its values."""

    template: str
    values: Mapping[str, Any]
    status: int = 200
    cookies: Mapping[str, str] = {}  # kept by the browser for a year; no secret


class Moved(NamedTuple):
    """The way to another page, and what that page says first."""

    to: str
    said: str = ""
    undo: str = ""  # the commit or run that takes it back
    about: str = ""


class Reply(NamedTuple):
    """JSON, for our own script."""

    shape: Mapping[str, Any]


Answer = Shown | Moved | Reply


class Page(NamedTuple):
    """One address of the page.

    Args:
        path: below `/ui`; with at most one `{name}`, which may hold slashes.
        view: answers it, given a vault as its owner sees it.
        keys: what the form, or the query where there is no form, may say; any query where it is not looked at.
        given: what the view is told besides.
    """

    method: str
    path: str
    view: Callable[..., Answer]
    mark: str
    keys: type[RequestModel] | None
    given: Mapping[str, Any]

    def answer(self, app: App, asked: PageRequest) -> Answer:
        """What the view answers to a request."""
        if self.keys is None:
            return self.view(app, asked, **self.given)
        values = asked.form or {key: value for key, value in asked.query.items() if key != "said"}
        checked = from_query(self.keys, list(values.items()), "field")
        return self.view(app, asked, *(value for _, value in checked), **self.given)


V = TypeVar("V", bound=Callable[..., Answer])
PAGES: list[Page] = []
_KINDS: dict[str, type] = {"str": str, "int": int}


def page(place: str, mark: str = "", **given: Any) -> Callable[[V], V]:
    """Makes a function the view of a place such as `GET /note/{id}`: what it takes after the vault and the request are the keys."""
    method, path = place.split()

    def decorate(view: V) -> V:
        fields: dict[str, Any] = {}
        for parameter in list(inspect.signature(view).parameters.values())[2:]:
            if parameter.kind != parameter.KEYWORD_ONLY:
                default = ... if parameter.default is parameter.empty else parameter.default
                fields[parameter.name.strip("_")] = _KINDS[parameter.annotation], default
        keys = create_model(view.__name__, __base__=RequestModel, **fields) if fields else None
        PAGES.append(Page(method, path, view, mark, keys, given))
        return view

    return decorate


def address(*parts: str, **query: object) -> str:
    """`/ui/note/projects%23Boathouse?from=review`: an address of the page; what is empty in the query is left out."""
    path = "/".join(quote(part, safe="") for part in parts)
    query_text = urlencode({key: value for key, value in query.items() if value not in (None, "")})
    return f"/ui/{path}{'?' if query_text else ''}{query_text}"


def pairs(text: str) -> dict[str, str]:
    """The keys of a query or of a form."""
    try:
        fields = parse_qsl(text, keep_blank_values=True, max_num_fields=_FIELDS, errors="replace")
    except ValueError:
        raise InputError(f"a form of this page has at most {_FIELDS} fields") from None
    values = dict(fields)
    if len(values) < len(fields):
        raise InputError("a field is given twice; give each once")
    return values
