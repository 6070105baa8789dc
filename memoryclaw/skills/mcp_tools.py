"""Tools of MCP servers, through the official client. A server that fails, dies or hangs gives one sentence, never a traceback.

The client is asynchronous; it runs in a thread of its own and gets one call at a time.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Self, TextIO

from memoryclaw import late
from memoryclaw.errors import ConfigError, InputError, MemoryClawError
from memoryclaw.skills.tools import Result, Tool, ToolServer
from memoryclaw.text.encoding import json_value
from memoryclaw.text.prompts import one_line

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import Client

_PAGES = 50  # of a server's list of tools


class McpTools:
    """The tools of some servers; a server starts when a step needs it, and stops at the end of the block.

    Args:
        timeout: limit in seconds of one answer, and of the start of a server.
    """

    def __init__(self, servers: Sequence[ToolServer], timeout: float, home: str) -> None:
        self._servers = {server.name: server for server in servers}
        self._timeout = timeout
        self._home = home
        self._stack = ExitStack()
        self._open: dict[str, tuple[Client, Mapping[str, Tool]]] = {}  # and the tools by name
        self._broken: dict[str, str] = {}  # servers that were tried, and what was wrong
        self._portal: BlockingPortal | None = None
        self._nowhere: TextIO  # where what a server writes to its standard error goes

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._portal is None:
            return
        with suppress(*_failures()):  # a server that dies while it is told to stop has stopped
            self._stack.close()

    def find(self, name: str) -> Tool | None:
        """The tool `server.tool`, `server__tool`, or the only one of a bare name; None where there is none."""
        bare = name.removeprefix("mcp__") if name.startswith("mcp__") else name
        for server in sorted(self._servers, key=len, reverse=True):
            for separator in (".", "__", "/"):
                if bare.startswith(server + separator):
                    tools, wanted = self._tools(server), bare[len(server + separator) :]
                    if wanted in tools:
                        return tools[wanted]
                    close = get_close_matches(wanted, tools, 1)
                    has = f"it has {', '.join(sorted(tools)[:8]) or 'none'}"
                    hint = f"did you mean {close[0]}?" if close else has
                    raise InputError(f"the MCP server {server} has no tool {wanted[:80]!r}; {hint}")
        alike = [tool for server in self._servers if (tool := self._tools(server).get(name))]
        if len(alike) > 1:
            names = " and ".join(f"{tool.host.removeprefix('mcp:')}.{name}" for tool in alike)
            raise InputError(f"several servers have a tool {name}: write {names}, whichever is meant")
        return alike[0] if alike else None

    def names(self, server: str) -> list[str]:
        """The names of a server's tools."""
        return list(self._tools(server))

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Result:
        """Calls a tool; an error, a crash and a timeout are each a Result that is not ok."""
        server = tool.host.removeprefix("mcp:")
        client, _ = self._open[server]
        arguments = fit_arguments(args, tool.schema or {})
        try:
            answer = self._run().call(client.call_tool, tool.name, arguments, self._timeout)
        except _failures() as error:
            return Result(ok=False, text=f"the MCP server {server} failed: {_words(error)}")
        texts = [block.text for block in answer.content if block.type == "text"]
        text = "\n".join(texts) or ", ".join(f"[{block.type}]" for block in answer.content)
        value = answer.structured_content
        if isinstance(value, dict) and value.keys() == {"result"}:
            value = value["result"]  # how the SDK wraps what is no map
        words = text or ("the tool failed and does not say why" if answer.is_error else "")
        return Result(not answer.is_error, words, text if value is None else value)

    def _tools(self, server: str) -> Mapping[str, Tool]:
        if server in self._broken:  # to wait for it again at each step would take as many times as long
            raise InputError(self._broken[server])
        if server not in self._open:
            portal, about = self._run(), self._servers[server]
            cwd = os.path.join(self._home, os.path.expanduser(about.cwd))
            try:
                session = portal.wrap_async_context_manager(self._session(about, cwd))
                client = self._stack.enter_context(session)
                tools = portal.call(_list_tools, client, server)
            except _failures() as error:
                self._broken[server] = f"the MCP server {server} cannot be used: {_words(error)}"
                raise InputError(self._broken[server]) from None
            self._open[server] = client, tools
        return self._open[server][1]

    @asynccontextmanager
    async def _session(self, server: ToolServer, cwd: str) -> AsyncIterator[Client]:
        wait = self._timeout
        with late.anyio.fail_after(wait) as start:
            async with AsyncExitStack() as stack:
                if server.url:
                    web = late.httpx2.AsyncClient(headers=dict(server.headers), timeout=wait, trust_env=False)
                    web = await stack.enter_async_context(web)
                    transport = late.streamable_http.streamable_http_client(server.url, http_client=web)
                else:
                    program = late.mcp.StdioServerParameters(
                        command=server.command, args=list(server.args), env=dict(server.env), cwd=cwd
                    )
                    transport = late.mcp.stdio_client(program, errlog=self._nowhere)
                client = late.mcp.Client(transport, read_timeout_seconds=wait, cache=None)
                client = await stack.enter_async_context(client)
                start.deadline = float("inf")
                yield client

    def _run(self) -> BlockingPortal:
        if self._portal is None:
            try:
                _, start_blocking_portal = late.mcp, late.anyio_thread.start_blocking_portal
            except ImportError:
                raise ConfigError(
                    "tools of MCP servers need an extra: pip install 'memoryclaw[mcp]'"
                ) from None
            self._nowhere = self._stack.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as it should be
            # The client logs what a server does wrong, tracebacks and all; with no handler Python would print that.
            logging.getLogger("mcp").addHandler(logging.NullHandler())
            self._portal = self._stack.enter_context(start_blocking_portal())
        return self._portal


async def _list_tools(client: Client, server: str) -> dict[str, Tool]:
    tools: dict[str, Tool] = {}
    cursor = None
    for _ in range(_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools |= {tool.name: Tool(f"mcp:{server}", tool.name, tool.input_schema) for tool in page.tools}
        cursor = page.next_cursor
        if not cursor:
            break
    return tools


def _failures() -> tuple[type[Exception], ...]:
    """What the client, its transports and a broken server can raise."""
    anyio = late.anyio
    streams = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)
    others = OSError, RuntimeError, ValueError, ExceptionGroup
    return (late.mcp.MCPError, *streams, late.httpx2.HTTPError, *others)


def _words(error: BaseException) -> str:
    """The first error message of a failure that is not empty."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, MemoryClawError):
        return str(error)
    if isinstance(error, TimeoutError):
        return "it took too long"
    return one_line(str(error))[:200] or type(error).__name__


# Arguments checked against a tool's JSON schema. Schemas are not trusted: no reference in one is fetched.

_TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,),
}  # fmt: skip


def fit_arguments(args: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments; a text that stands where the schema wants a number, a list or the like is read as one if it is one."""
    about = schema.get("properties")
    properties = about if isinstance(about, dict) else {}
    fitted = dict(args)
    for key, value in args.items():
        of_key = properties.get(key)
        kind = of_key.get("type") if isinstance(of_key, dict) else None
        types = _TYPES.get(kind) if isinstance(kind, str) and isinstance(value, str) else None
        read = json_value(value) if types else None
        if types and isinstance(read, types) and (kind == "boolean" or not isinstance(read, bool)):
            fitted[key] = read
    return fitted


def trouble(args: Mapping[str, Any], schema: Mapping[str, Any], unknown: frozenset[str]) -> str:
    """What is wrong with the arguments in one sentence, or nothing; those in `unknown` are not looked at."""
    required = schema.get("required")
    if unknown and isinstance(required, list):
        schema = {**schema, "required": [name for name in required if name not in unknown]}
    args_known = {key: value for key, value in args.items() if key not in unknown}
    kind = late.validators.validator_for(schema)
    try:
        kind.check_schema(schema)
        # With a registry of our own a `$ref` leads nowhere but into the schema itself.
        error = late.schema_errors.best_match(
            kind(schema, registry=late.referencing.Registry()).iter_errors(args_known)
        )
    except (late.schema_errors.SchemaError, late.referencing_errors.Unresolvable, RecursionError):
        return "the schema of its arguments cannot be read"
    if error is None:
        return ""
    where = ".".join(map(str, error.absolute_path))
    return f"{where}: {error.message}" if where else str(error.message)
