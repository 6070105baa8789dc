"""What a page is asked, and what it answers with: a page, the way to another one, or JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, quote, urlencode

from pydantic import BaseModel, ConfigDict, ValidationError

from memoryclaw import rooms
from memoryclaw.app import App
from memoryclaw.errors import InputError

if TYPE_CHECKING:
    from memoryclaw.interfaces.ui.sessions import Pulse, Session, Sessions

_FIELDS = 200  # of a form


class Fields(BaseModel):
    """The keys of one query or form; one that is not known is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DecisionForm(Fields):
    """The digest of what was shown, what is looked at next, and of a conflict the number of the value that holds."""

    digest: str
    next: str = ""
    value: int = 0


F = TypeVar("F", bound=Fields)


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

    def fields(self, model: type[F]) -> F:
        """The keys of the form, or of the query where there is no form, checked.

        Raises:
            InputError: one is not known, or cannot be read.
        """
        values = self.form or {key: value for key, value in self.query.items() if key != "said"}
        try:
            return model.model_validate(dict(values))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            raise InputError(f"{'.'.join(map(str, first['loc']))!r}: {first['msg'].lower()}") from None


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
    """

    method: str
    path: str
    view: Callable[[App, PageRequest], Answer]
    mark: str = ""


def address(*parts: str, **query: object) -> str:
    """`/ui/note/projects%23Boathouse?from=review`: an address of the page; what is empty in the query is left out."""
    path = "/".join(quote(part, safe="") for part in parts)
    query_text = urlencode({key: value for key, value in query.items() if value not in (None, "")})
    return f"/ui/{path}{'?' if query_text else ''}{query_text}"


def pairs(text: str) -> dict[str, str]:
    """The keys of a query or of a form.

    Raises:
        InputError: a key is given twice, or there are too many.
    """
    try:
        fields = parse_qsl(text, keep_blank_values=True, max_num_fields=_FIELDS, errors="replace")
    except ValueError:
        raise InputError(f"a form of this page has at most {_FIELDS} fields") from None
    values = dict(fields)
    if len(values) < len(fields):
        raise InputError("a field is given twice; give each once")
    return values
