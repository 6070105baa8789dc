"""Applications of other doors that answer behind the same guard. The rule: they get open vaults lent, and never open one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from memoryclaw.app import App

Apps = Callable[[], AbstractContextManager[App]]


class Guest(Protocol):
    """One application; it is given requests as they came."""

    def lifespan(self) -> AbstractAsyncContextManager[object]:
        """What it needs around it while the server runs."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""


class Reception:
    """Sends a request to the guest whose address it names, or an address below, else to the house."""

    def __init__(self, house: ASGIApp, guests: Mapping[str, Guest]) -> None:
        self._house, self._guests = house, guests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        for path, guest in self._guests.items() if scope["type"] == "http" else ():
            if scope["path"] == path or scope["path"].startswith(f"{path}/"):
                await guest(scope, receive, send)
                return
        await self._house(scope, receive, send)
