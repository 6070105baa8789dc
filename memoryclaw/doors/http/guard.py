"""Who may come in: in front of every address, before anything of a request is read. The rule: what is not exactly right is out."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from memoryclaw.core.bounds import read_json
from memoryclaw.core.errors import InputError
from memoryclaw.doors.http.answers import refused
from memoryclaw.doors.http.body import replayed, whole
from memoryclaw.doors.http.bucket import Bucket
from memoryclaw.doors.http.refusals import Refusal, RefusedError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
AT_WORK = 256  # requests that are let in at once


class Guard:
    """Checks Host, Origin, token, rate, kind and size of a request.

    Args:
        app: what is guarded.
        token: what `Authorization: Bearer` must hold.
        hosts: what `Host` may be, with the port.
        open_paths: addresses that need no token.
        bucket: how fast requests may come.
        most: how many bytes an address takes.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        hosts: Iterable[str],
        open_paths: Iterable[str],
        bucket: Bucket,
        most: Callable[[str, str], int],
    ) -> None:
        self._app, self._bucket, self._most = app, bucket, most
        self._token = token.encode()
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
            body = await whole(receive, self._most(scope["method"], scope["path"]))
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
            raise _no(
                400,
                "input",
                "this request tells its length twice; send Content-Length or Transfer-Encoding, not both",
                {"Connection": "close"},
            )
        if _all(scope, b"host") not in [[host] for host in self._hosts]:
            raise _no(
                403,
                "forbidden",
                "this daemon answers to its own address and port only; check the Host header",
            )
        if any(origin not in self._origins for origin in _all(scope, b"origin")):
            raise _no(403, "forbidden", "web pages of other places may not ask this daemon")
        if scope["path"] in self._open:
            return
        if not self._knows(_all(scope, b"authorization")):
            raise _no(
                401,
                "unauthorized",
                "send `Authorization: Bearer TOKEN` with the token from the vault's .memoryclaw/token",
                {"WWW-Authenticate": "Bearer"},
            )
        if wait := self._bucket.wait():
            raise _no(429, "too_many", f"too many requests; wait {wait} s", {"Retry-After": str(wait)})

    def _knows(self, said: list[bytes]) -> bool:
        scheme, _, token = said[0].partition(b" ") if len(said) == 1 else (b"", b"", b"")
        return hmac.compare_digest(token, self._token) and scheme.lower() == b"bearer"

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


def _all(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]


def _no(status: int, code: str, sentence: str, headers: dict[str, str] | None = None) -> RefusedError:
    return RefusedError(Refusal(status, code, sentence, headers or {}))
