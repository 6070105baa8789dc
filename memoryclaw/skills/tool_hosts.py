"""Finds the tool of a step on an MCP server or OpenClaw's gateway, by the step's prefix, else by the settings."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Self
from urllib.parse import urlsplit

from memoryclaw.errors import ConfigError, InputError
from memoryclaw.skills.mcp_tools import McpTools, fit_arguments, trouble
from memoryclaw.skills.skill_file import as_text, too_deep
from memoryclaw.skills.tools import LONGEST_RESULT, LOOPBACK, Result, Tool, is_private
from memoryclaw.text.encoding import json_value
from memoryclaw.text.prompts import one_line

TOKEN = "OPENCLAW_GATEWAY_TOKEN"  # noqa: S105 - the name of the variable, not what is in it
HOST = "openclaw"
_MOST_BYTES = 4 * LONGEST_RESULT
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")  # what no header may hold
_OK, _FORBIDDEN, _MISSING = 200, frozenset({401, 403}), 404


class GatewayTools:
    """Tools of a running OpenClaw, over its gateway. The token is sent to that address alone: no proxy, no redirect.

    Args:
        timeout: limit of one answer, in seconds.
        allow_remote: True for a gateway on another machine, over https.
    """

    def __init__(self, url: str, token: str, timeout: float, *, allow_remote: bool = False) -> None:
        self._url = url
        self._token = token
        self._timeout = timeout
        self._allow_remote = allow_remote

    @property
    def known(self) -> bool:
        """True with a token; without one nothing is sent."""
        return bool(self._token)

    def find(self, name: str) -> Tool:
        """The tool of this name; only a call shows whether it exists. Raises ConfigError: the gateway may not be asked."""
        if not self._token:
            raise ConfigError(f"the OpenClaw gateway needs its token: set {TOKEN} in the environment")
        if _CONTROL.search(self._token):
            raise ConfigError(f"{TOKEN} contains a character that tokens cannot have, such as a line break")
        host = _host(self._url)
        if host not in LOOPBACK and not self._allow_remote:
            sentence = f"openclaw.gatewayUrl is on another machine ({host})"
            raise ConfigError(f"{sentence}; openclaw.allowRemoteGateway: true allows that")
        if not is_private(self._url):
            raise ConfigError("openclaw.gatewayUrl must begin with https://, or with http:// on this machine")
        return Tool(HOST, name)

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Result:
        """Calls a tool once; any failure is a Result that is not ok."""
        try:
            status, body = self._post({"tool": tool.name, "args": dict(args)})
        except TimeoutError:
            return Result(ok=False, text="the OpenClaw gateway took too long")
        except (OSError, HTTPException) as error:
            words = one_line(str(error))[:200]
            return Result(ok=False, text=f"the OpenClaw gateway at {self._url} cannot be asked ({words})")
        reply = json_value(body)
        if status in _FORBIDDEN:
            return Result(ok=False, text=f"the OpenClaw gateway refused the token; check {TOKEN}")
        if status == _MISSING and not _error(reply):
            return Result(ok=False, text=f"the OpenClaw gateway has no tool {tool.name!r}")
        if status != _OK or not isinstance(reply, dict) or reply.get("ok") is False:
            return Result(
                ok=False, text=_error(reply) or f"the OpenClaw gateway answered with status {status}"
            )
        result = reply.get("result", reply)
        if not isinstance(result, dict) or not isinstance(result.get("content"), list):
            text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
            return Result(ok=True, text=text, value=result)
        blocks = [part for part in result["content"] if isinstance(part, dict)]
        text = "\n".join(
            str(block["text"]) for block in blocks if block.get("type") == "text" and "text" in block
        )
        details = result.get("details")
        return Result(result.get("isError") is not True, text, details if isinstance(details, dict) else text)

    def _post(self, request: Mapping[str, Any]) -> tuple[int, bytes]:
        address = urlsplit(self._url)
        kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
        connection = kind(address.hostname or "", address.port, timeout=self._timeout)
        bearer = f"Bearer {self._token}".encode()
        headers: dict[str, str | bytes] = {"Authorization": bearer, "Content-Type": "application/json"}
        try:
            path = f"{address.path.rstrip('/')}/tools/invoke"
            connection.request("POST", path, json.dumps(request).encode(), headers)
            answer = connection.getresponse()
            # Reads an answer within its limits of size and time.
            end = time.monotonic() + self._timeout
            chunks, size = [], 0
            while data := answer.read1(65_536):
                chunks.append(data)
                size += len(data)
                if size > _MOST_BYTES:
                    raise HTTPException(f"it answered with more than {_MOST_BYTES:,} bytes")
                if time.monotonic() > end:
                    raise TimeoutError
            return answer.status, b"".join(chunks)
        finally:
            connection.close()


def _host(url: str) -> str:
    """The host of a URL. Raises ConfigError: the URL is invalid."""
    try:
        address = urlsplit(url)
        if address.port != 0 and address.hostname and address.username is None:
            return address.hostname
    except ValueError:
        pass
    raise ConfigError("openclaw.gatewayUrl is not an address such as http://127.0.0.1:18789")


def _error(said: Any) -> str:
    error = said.get("error") if isinstance(said, dict) else None
    words = error.get("message") if isinstance(error, dict) else error
    return one_line(words)[:500] if isinstance(words, str) else ""


_MCP, _GATEWAY = "mcp:", f"{HOST}:"


class ToolHosts:
    """All tools that the settings of a vault offer to skills. `chosen`: where to look for a tool without a prefix: auto, mcp or openclaw."""

    def __init__(self, servers: McpTools, gateway: GatewayTools, chosen: str) -> None:
        self._servers = servers
        self._gateway = gateway
        self._chosen = chosen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._servers.__exit__(*error)

    def find(self, name: str) -> Tool:
        """The tool that a step names, with or without the prefix `mcp:` or `openclaw:`; InputError if there is none or more than one."""
        if name.startswith(_GATEWAY):
            return self._gateway.find(name.removeprefix(_GATEWAY))
        if self._chosen == HOST and not name.startswith(_MCP):
            return self._gateway.find(name)
        tool = self._servers.find(name.removeprefix(_MCP))
        if tool is None and self._chosen == "auto" and self._gateway.known and not name.startswith(_MCP):
            return self._gateway.find(name)
        if tool is None:
            raise InputError(
                f"no tool is called {name[:80]!r}: no server under mcp.servers in your settings has it, and for OpenClaw's own {TOKEN} must be set"
            )
        return tool

    def check(self, tool: Tool, args: Mapping[str, Any], unknown: frozenset[str]) -> str:
        """Checks the arguments if the tool has a schema; returns what is wrong. Those in `unknown` have no value yet."""
        return "" if tool.schema is None else trouble(fit_arguments(args, tool.schema), tool.schema, unknown)

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Result:
        """Calls it once; an answer that is too large is a failure, since half of one would be wrong."""
        result = self._gateway.call(tool, args) if tool.host == HOST else self._servers.call(tool, args)
        subject = "it was done, but its answer" if result.ok else "it failed, and its answer"
        if too_deep(result.value):
            return Result(ok=False, text=f"{subject} is nested too deeply")
        size = max(len(result.text), len(as_text(result.value)))
        if size > LONGEST_RESULT:
            most = f"more than the {LONGEST_RESULT:,} that are taken"
            return Result(ok=False, text=f"{subject} has {size:,} characters, {most}")
        return result
