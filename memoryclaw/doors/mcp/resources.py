"""Notes as resources: `memory://note/` and an id. The rule: what is read is fenced, as everywhere at this door."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote, unquote

from memoryclaw.app import App
from memoryclaw.core.errors import NotFoundError
from memoryclaw.core.fence import one_line
from memoryclaw.doors.mcp import verbs
from memoryclaw.doors.mcp.arguments import Get

PREFIX = "memory://note/"
TEMPLATE = f"{PREFIX}{{id}}"
ABOUT = "A note, section, fact or turn by its id; characters such as / and # of the id are percent-encoded."
TYPE = "text/plain"
_LISTED = 20


class Listed(NamedTuple):
    """One line of the list: pinned notes first, then the newest."""

    uri: str
    name: str
    title: str
    description: str


def listed(app: App) -> list[Listed]:
    """A short list, for people to choose from; every other id can be read as well."""
    return [
        Listed(
            f"{PREFIX}{quote(note.id, safe='')}",
            one_line(note.id),
            one_line(note.title or note.id),
            " ".join(filter(None, [note.kind, note.at[:10]])),
        )
        for note in app.browse(limit=_LISTED)
    ]


def read(app: App, uri: str) -> str:
    """What stands behind an address.

    Raises:
        NotFoundError: it is none of ours, or nothing has this id.
    """
    id_ = unquote(uri.removeprefix(PREFIX))
    if not uri.startswith(PREFIX) or not id_:
        raise NotFoundError(f"there is no resource {uri[:200]!r}; addresses are {TEMPLATE}")
    return verbs.get(app, Get.model_construct(id=id_, line=1, lines=2000)).text
