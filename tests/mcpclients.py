"""The SDK's own client for tests: the server is a process of its own, and each call a plain function call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal
from conftest import Claw
from forked import GRAFT
from mcp import Client, StdioServerParameters, stdio_client


class Answer(NamedTuple):
    """What a tool answered."""

    failed: bool
    text: str


class Asker(NamedTuple):
    """A connected client."""

    portal: BlockingPortal
    client: Client

    def __call__(self, tool: str, **arguments: Any) -> Answer:
        """Calls one tool."""
        return answer(self.do(lambda: self.client.call_tool(tool, arguments)))

    def at_once(self, calls: list[tuple[str, dict[str, Any]]]) -> list[Answer]:
        """Calls tools, all at the same time."""
        answers: dict[int, Answer] = {}

        async def call(number: int, tool: str, arguments: dict[str, Any]) -> None:
            answers[number] = answer(await self.client.call_tool(tool, arguments))

        async def all_of_them() -> None:
            async with anyio.create_task_group() as tasks:
                for number, (tool, arguments) in enumerate(calls):
                    tasks.start_soon(call, number, tool, arguments)

        self.do(all_of_them)
        return [answers[number] for number in range(len(calls))]

    def read(self, uri: str) -> str:
        """Reads one resource."""
        return str(self.do(lambda: self.client.read_resource(uri)).contents[0].text)

    def do(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """Anything else of the client."""
        return self.portal.call(work)


def answer(result: Any) -> Answer:
    """A result of the protocol in short."""
    (content,) = result.content
    assert result.structured_content is None, "hosts show a model nothing else, and nothing fences it"
    return Answer(result.is_error, content.text)


@contextmanager
def connected(server: Any, **options: Any) -> Iterator[Asker]:
    """A client of a server, for the length of a block."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server, **options)) as client,
    ):
        yield Asker(portal, client)


@contextmanager
def started(vault: Path, log: Path) -> Iterator[Asker]:
    """A client of `memoryclaw mcp`; what the server says of itself goes to `log`."""
    command = StdioServerParameters(command=GRAFT.command, args=["mcp"], env=Claw(vault).environment())
    with log.open("w") as errors, connected(stdio_client(command, errlog=errors)) as asker:
        yield asker
