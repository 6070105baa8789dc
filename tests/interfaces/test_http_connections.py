"""Connections on which nothing moves are closed, whoever opened them; one on which a verb is at work is not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from memoryclaw.interfaces.http.server import Connection

LARGE = b"x" * (8 << 20)
GET = b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n"


class Quick(Connection):
    """The same, with less patience."""

    HEAD = LOOK = 0.25


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """`/slow` thinks for longer than a head may take; `/large` has much to say; a POST hears its body first."""
    while scope["method"] == "POST":
        heard = await receive()
        if heard["type"] == "http.disconnect":
            return
        if not heard["more_body"]:
            break
    if scope["path"] == "/slow":
        await asyncio.sleep(0.6)
    body = LARGE if scope["path"] == "/large" else b"fine"
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]}
    )
    await send({"type": "http.response.body", "body": body})


@contextmanager
def patience(kept: float) -> Iterator[tuple[ServerState, type[asyncio.Protocol]]]:
    """What a server makes its connections with."""
    config, state = uvicorn.Config(app, ws="none", lifespan="off", log_config=None), ServerState()
    config.timeout_keep_alive = kept  # type: ignore[assignment]
    config.load()

    class Made(Quick):
        def __init__(self) -> None:
            super().__init__(config, state, {})

    yield state, Made


async def heard(sent: bytes, *, kept: float = 30.0, is_all: bool = False) -> bytes:
    """All that comes back until the server hangs up."""
    with patience(kept) as (state, made):
        server = await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(sent)
        if is_all:
            writer.write_eof()
        answer = await reader.read()
        writer.close()
        server.close()
        assert not state.connections
        return answer


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\n"])
def test_a_client_that_never_asks_is_hung_up_on(sent: bytes) -> None:
    assert asyncio.run(heard(sent)) == b""


def test_a_second_head_that_does_not_come_ends_it_too() -> None:
    answer = asyncio.run(heard(GET % b"/" + b"GET / HT", kept=0.1))
    assert answer.count(b"fine") == 1


def test_a_verb_may_take_longer_than_a_head() -> None:
    assert asyncio.run(heard(GET % b"/slow", kept=0.1)).count(b"fine") == 1


@pytest.mark.parametrize("path", [b"/", b"/slow"])
def test_a_client_that_closed_its_half_is_answered(path: bytes) -> None:
    assert asyncio.run(heard(GET % path * 2, is_all=True)).count(b"fine") == 2


def test_half_a_request_and_then_nothing_is_none() -> None:
    half = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nfive"
    assert asyncio.run(heard(half, is_all=True)) == b""
    assert b"fine" in asyncio.run(heard(half + b" more", is_all=True))


def test_where_there_are_too_many_the_one_that_was_waited_for_longest_gives_way() -> None:
    async def crowded() -> None:
        with patience(30.0) as (_, made):
            made.HEAD, made.MOST = 30.0, 3  # type: ignore[attr-defined]
            server = await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0)
            place = server.sockets[0].getsockname()
            first, slow, quick, silent = [await asyncio.open_connection(*place) for _ in range(4)]
            assert await first[0].read() == b""
            slow[1].write(GET % b"/slow")
            quick[1].write(GET % b"/")
            assert b"fine" in await quick[0].readuntil(b"fine")
            late = await asyncio.open_connection(*place)
            assert await silent[0].read() == b""
            late[1].write(GET % b"/")
            assert b"fine" in await late[0].readuntil(b"fine")
            assert b"fine" in await slow[0].readuntil(b"fine")
            for _, writer in (first, slow, quick, silent, late):
                writer.close()
            server.close()

    asyncio.run(crowded())


def test_an_answer_that_nobody_takes_is_given_up() -> None:
    async def ignored() -> None:
        with patience(30.0) as (state, made):
            server = await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0)
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(GET % b"/large")
            while not state.connections:  # noqa: ASYNC110 - nor when it is there
                await asyncio.sleep(0)
            while state.connections:  # noqa: ASYNC110 - nobody tells when it is given up
                await asyncio.sleep(0.01)
            assert len(await _rest(reader)) < len(LARGE)
            writer.close()
            server.close()

    asyncio.run(ignored())


async def _rest(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionError:
        return b""
