"""An HTTP transport that limits the time and size of a whole answer, however slowly it arrives.

It uses no proxy of the environment, follows no redirect and decompresses nothing.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

from memoryclaw.models.llm import MOST_BYTES, Endpoint, ModelError

_PLAIN = {"Accept-Encoding": "identity"}


def settings(endpoint: Endpoint) -> dict[str, Any]:
    """The arguments of an httpx client for one request to this endpoint."""
    return {
        "transport": LimitedTransport(endpoint),
        "headers": dict(_PLAIN),
        "trust_env": False,
        "follow_redirects": False,
        "timeout": endpoint.timeout,
    }


class LimitedTransport(httpx.BaseTransport):
    """Carries one request and its answer; any failure is a ModelError."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._who = endpoint.who
        self._pool = httpcore.ConnectionPool(network_backend=_Network(_Allowance(endpoint)))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The whole answer."""
        place = request.url
        url = httpcore.URL(
            scheme=place.raw_scheme, host=place.raw_host, port=place.port, target=place.raw_path
        )
        sent = httpcore.Request(request.method, url, headers=request.headers.raw, content=request.read())
        try:
            answer = self._pool.handle_request(sent)
            body = answer.read()
        except httpcore.TimeoutException:
            raise ModelError(f"{self._who} took too long") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol):
            raise ModelError(f"{self._who} broke the connection off") from None
        encodings = [value for name, value in answer.headers if name.lower() == b"content-encoding"]
        if any(encoding != b"identity" for encoding in encodings):
            raise ModelError(f"{self._who} answered in an encoding that was not asked for")
        return httpx.Response(answer.status, headers=answer.headers, content=body, request=request)

    def close(self) -> None:
        """Closes the connection."""
        self._pool.close()


class _Allowance:
    """The remaining seconds and bytes of one answer."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._who = endpoint.who
        self._end = time.monotonic() + endpoint.timeout
        self._bytes = MOST_BYTES

    def seconds(self) -> float:
        remaining = self._end - time.monotonic()
        if remaining <= 0:
            raise ModelError(f"{self._who} took too long")
        return remaining

    def taken(self, data: bytes) -> bytes:
        self._bytes -= len(data)
        if self._bytes < 0:
            raise ModelError(f"{self._who} answered with more than {MOST_BYTES // 1000:,} kB")
        return data


class _Network(httpcore.SyncBackend):
    def __init__(self, allowance: _Allowance) -> None:
        self._allowance = allowance

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - what is left of the allowance counts
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        stream = super().connect_tcp(host, port, self._allowance.seconds(), local_address, socket_options)
        return _Stream(stream, self._allowance)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, allowance: _Allowance) -> None:
        self._inner = inner
        self._allowance = allowance

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - as above
        return self._allowance.taken(self._inner.read(max_bytes, self._allowance.seconds()))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - as above
        self._inner.write(buffer, self._allowance.seconds())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - as above
    ) -> httpcore.NetworkStream:
        remaining = self._allowance.seconds()
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, remaining), self._allowance)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
