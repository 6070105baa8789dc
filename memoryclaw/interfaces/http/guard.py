"""Checks every request before anything of it is read, and refuses what is not exactly right."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import math
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from time import monotonic

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoryclaw.errors import InputError
from memoryclaw.interfaces.http.routes import refused
from memoryclaw.interfaces.requests import Refusal, RefusedError
from memoryclaw.model import EVERYBODY
from memoryclaw.text.encoding import read_json

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
AT_WORK = 256  # requests that are let in at once
CALLER = ContextVar("CALLER", default=EVERYBODY)  # the audience of the request that is being answered


class Guard:
    """Checks Host, Origin, token, rate, kind and size of a request.

    Args:
        tokens: the SHA-256 in hex of each token that `Authorization: Bearer` may hold, and its audience.
        hosts: what `Host` may be, with the port.
        open_paths: addresses that need no token.
        bucket: how fast requests may come.
        most: how many bytes an address takes.
        apart: applications that check their visitors themselves, by path, each with what `Host` may be there.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        tokens: Mapping[str, str],
        hosts: Iterable[str],
        open_paths: Iterable[str],
        bucket: Bucket,
        most: Callable[[str, str], int],
        apart: Mapping[str, Iterable[str]] = {},
    ) -> None:
        self._app, self._bucket, self._most = app, bucket, most
        self._apart = {path: {host.encode() for host in names} for path, names in apart.items()}
        self._tokens = dict(tokens)
        self._hosts = {host.encode() for host in hosts}
        self._origins = {b"http://" + host for host in self._hosts}
        self._open = set(open_paths)
        self._at_work = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or answers it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # a websocket: there is none here, and the server closes it
        try:
            self._check(scope)
            if self._own_hosts(scope) is None and scope["path"] not in self._open:
                await self._let_in(scope)
            body = await whole(receive, self._most(scope["method"], scope["path"]))
            if self._own_hosts(scope) is None:
                self._check_body(scope, body)
            if self._at_work >= AT_WORK and scope["path"] not in self._open:
                raise _no(503, "busy", "too many requests are waiting; try again", {"Retry-After": "1"})
        except RefusedError as error:
            await refused(error.refusal)(scope, receive, send)
            return
        self._at_work += 1
        try:
            await self._app(scope, replayed(body, receive), send)
        finally:
            self._at_work -= 1

    def _check(self, scope: Scope) -> None:
        # Two programs may each believe another of the two lengths: one's body is then the other's next request.
        if _all(scope, b"transfer-encoding") and _all(scope, b"content-length"):
            sentence = (
                "this request gives its length twice; send Content-Length or Transfer-Encoding, not both"
            )
            raise _no(400, "input", sentence, {"Connection": "close"})
        own_hosts = self._own_hosts(scope)
        if _all(scope, b"host") not in [[host] for host in (self._hosts if own_hosts is None else own_hosts)]:
            sentence = "this daemon answers to its own address and port only; check the Host header"
            raise _no(403, "forbidden", sentence)
        if own_hosts is not None:
            return  # it looks at the rest itself
        if any(origin not in self._origins for origin in _all(scope, b"origin")):
            raise _no(403, "forbidden", "other web pages may not ask this daemon")

    async def _let_in(self, scope: Scope) -> None:
        """Lets one in who sent a token and does not come too often."""
        # The audience of the one token that was sent.
        given = _all(scope, b"authorization")
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        digest, tokens = hashlib.sha256(token).hexdigest(), self._tokens.items()
        audiences = [audience for known, audience in tokens if hmac.compare_digest(digest, known)]
        if not audiences or not audiences[0] or scheme.lower() != b"bearer":
            way = "send `Authorization: Bearer TOKEN` with the token from the vault's .memoryclaw/token"
            raise _no(401, "unauthorized", way, {"WWW-Authenticate": "Bearer"})
        if wait := self._bucket.wait():
            raise _no(429, "too_many", f"too many requests; wait {wait} s", {"Retry-After": str(wait)})
        CALLER.set(audiences[0])

    def _own_hosts(self, scope: Scope) -> set[bytes] | None:
        """What `Host` may be of an application that checks its visitors itself; None for all others."""
        return next((hosts for path, hosts in self._apart.items() if below(scope["path"], path)), None)

    def _check_body(self, scope: Scope, body: bytes) -> None:
        if not body:
            return
        kinds = _all(scope, b"content-type")
        kind = kinds[0].partition(b";")[0].strip().lower() if len(kinds) == 1 else b""
        if kind != b"application/json":
            raise _no(415, "media_type", "send the body as JSON, with `Content-Type: application/json`")
        try:
            read_json(body.decode("utf-8", "surrogateescape"), "the body is not JSON; send one object")
        except InputError as error:
            raise _no(400, "input", str(error)) from None


def below(path: str, mount: str) -> bool:
    """True for the address of a mounted application, and for all below it."""
    return path == mount or path.startswith(f"{mount}/")


def _all(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]


def _no(status: int, code: str, sentence: str, headers: dict[str, str] | None = None) -> RefusedError:
    return RefusedError(Refusal(status, code, sentence, headers or {}))


# The body of a request, read to its end before a verb sees it, and never more than its address takes.

_SECONDS = 30.0  # in which a body must have come
_DRAINED = 32 << 20  # bytes of a body that is too large are still read, so that the client hears why


async def whole(receive: Receive, most: int) -> bytes:
    """The body."""
    chunks: list[bytes] = []
    size, more = 0, True
    try:
        async with asyncio.timeout(_SECONDS):
            while more and size <= _DRAINED:
                message = await receive()
                if message["type"] == "http.disconnect":
                    break
                chunk = message.get("body", b"")
                size += len(chunk)
                more = message.get("more_body", False)
                if size <= most:
                    chunks.append(chunk)
    except TimeoutError:
        raise _no(408, "timeout", f"the body did not come within {_SECONDS:.0f} seconds") from None
    if size > most:
        raise _no(413, "too_large", f"this address takes {most:,} bytes at most; send less at a time")
    return b"".join(chunks)


def replayed(body: bytes, receive: Receive) -> Receive:
    """What an application hears: the body that was read, then whatever comes after it."""
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again


# Rate limit: a token bucket.

BURST = 2  # seconds' worth of requests that may come at once


class Bucket:
    """Lets so many through a second, and a burst now and then."""

    def __init__(self, rate: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._most, self._clock = rate, rate * BURST, clock
        self._credit, self._at = self._most, clock()

    def wait(self) -> int:
        """Takes one; 0, or the whole seconds after which there will be one again."""
        now = self._clock()
        self._credit = min(self._most, self._credit + (now - self._at) * self._rate)
        self._at = now
        if self._credit >= 1:
            self._credit -= 1
            return 0
        return max(1, math.ceil((1 - self._credit) / self._rate))
