"""The server, whatever carries its messages. The rule: a tool that fails says so in its answer, and the server goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import mcp_types as types
from anyio import CapacityLimiter, to_thread
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from memoryclaw import __version__
from memoryclaw.app import App
from memoryclaw.doors.mcp import listing, prompts, resources
from memoryclaw.doors.mcp.asked import asked
from memoryclaw.doors.mcp.lending import Apps, Report
from memoryclaw.doors.mcp.refusals import bug, refusal
from memoryclaw.doors.mcp.tools import BY_NAME, Row
from memoryclaw.doors.mcp.verbs import Told
from memoryclaw.jobs.gates import harmless

T = TypeVar("T")
_AT_ONCE = 4  # calls; each has a vault of its own, and writers wait for one another at the vault's lock


class Desk:
    """Answers requests, each in a thread and with an open vault of its own.

    Args:
        apps: lends open vaults.
        report: keeps the details of a bug, and says where.
    """

    def __init__(self, apps: Apps, report: Report) -> None:
        self._apps, self._report = apps, report
        self._limiter = CapacityLimiter(_AT_ONCE)

    async def tools(self, _ctx: Any, _params: Any) -> types.ListToolsResult:
        """Every tool."""
        return types.ListToolsResult(tools=listing.tools())

    async def call(self, _ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        """What a tool answers; a failure is an answer too, so that the model can read it."""
        row = BY_NAME.get(params.name)
        if row is None:
            unknown = f"not_found: there is no tool {params.name[:80]!r}"
            raise MCPError(types.INVALID_PARAMS, harmless(unknown, params.name))
        try:
            told = await self._ask(lambda app: _told(app, row, params.arguments or {}))
        except Exception as error:  # noqa: BLE001 - the gate: what nobody foresaw is kept and told in one sentence
            return types.CallToolResult(
                content=[_text(self._refused(error, params.arguments))], is_error=True
            )
        return types.CallToolResult(content=[_text(told.text)], structured_content=told.shape)

    async def resources(self, _ctx: Any, _params: Any) -> types.ListResourcesResult:
        """A short list of notes."""
        found = await self._answered(resources.listed)
        return types.ListResourcesResult(
            resources=[types.Resource(**one._asdict(), mime_type=resources.TYPE) for one in found]
        )

    async def templates(self, _ctx: Any, _params: Any) -> types.ListResourceTemplatesResult:
        """Where every other note is."""
        return types.ListResourceTemplatesResult(resource_templates=listing.templates())

    async def read(self, _ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """One note, fenced."""
        uri = str(params.uri)
        text = await self._answered(lambda app: resources.read(app, uri), uri)
        content = types.TextResourceContents(uri=uri, mime_type=resources.TYPE, text=text)
        return types.ReadResourceResult(contents=[content])

    async def prompts(self, _ctx: Any, _params: Any) -> types.ListPromptsResult:
        """The one prompt."""
        return types.ListPromptsResult(prompts=[listing.prompt()])

    async def prompt(self, _ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """A question with what memory holds on it."""
        name, given = params.name, params.arguments or {}
        text = await self._answered(lambda app: prompts.recalled(app, name, given), name, given)
        message = types.PromptMessage(role="user", content=_text(text))
        return types.GetPromptResult(description=prompts.ABOUT, messages=[message])

    async def _answered(self, work: Callable[[App], T], *given: object) -> T:
        """The answer of requests that can only fail as a whole."""
        try:
            return await self._ask(work)
        except Exception as error:  # noqa: BLE001 - the gate
            raise MCPError(types.INVALID_PARAMS, self._refused(error, *given)) from None

    async def _ask(self, work: Callable[[App], T]) -> T:
        def done() -> T:
            with self._apps() as app:
                return work(app)

        return await to_thread.run_sync(done, limiter=self._limiter)

    def _refused(self, error: Exception, *given: object) -> str:
        return refusal(error, *given) or bug(error, self._report(error))


def server(apps: Apps, report: Report) -> Server[Any]:
    """A server over the vaults that `apps` lends."""
    desk = Desk(apps, report)
    return Server(
        "memoryclaw",
        version=__version__,
        title="MemoryClaw",
        instructions=listing.INSTRUCTIONS,
        on_list_tools=desk.tools,
        on_call_tool=desk.call,
        on_list_resources=desk.resources,
        on_list_resource_templates=desk.templates,
        on_read_resource=desk.read,
        on_list_prompts=desk.prompts,
        on_get_prompt=desk.prompt,
    )


def _told(app: App, row: Row, arguments: Mapping[str, Any]) -> Told:
    return row.verb(app, asked(row.takes, arguments))


def _text(text: str) -> types.TextContent:
    # Half a character in a file: UTF-8 cannot say it.
    return types.TextContent(text=text.encode("utf-8", "replace").decode())
