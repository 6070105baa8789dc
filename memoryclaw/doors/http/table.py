"""The route table's row: one address, its verb, what it takes, and where it is answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from memoryclaw.app import App
from memoryclaw.doors.http.asked import Asked, Nothing
from memoryclaw.doors.http.lanes import READ

Shape = dict[str, Any]
QUERIED = ("GET", "DELETE")  # these take their keys from the query string, the others from a JSON body
BODY = 1 << 20  # bytes that an address takes


class Row(NamedTuple):
    """One address."""

    method: str
    path: str  # with at most one `{name:path}`
    verb: Callable[[App, str, Any], Shape]  # the vault, what the path names, and the keys
    about: str
    asks: type[Asked] = Nothing
    lane: str = READ
    most: int = BODY
    like: str = ""  # the command that answers the same
