"""Tools over OpenClaw's gateway, tried on a small HTTP server on loopback that answers as the gateway does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from servers.gateway import Gateway, running

from memoryclaw.errors import ConfigError
from memoryclaw.skills.mcp_tools import McpTools
from memoryclaw.skills.tool_hosts import GatewayTools, ToolHosts
from memoryclaw.skills.tools import LONGEST_RESULT, Result


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with running() as server:
        yield server


def call(gateway: Gateway, name: str, args: dict[str, Any] | None = None, token: str = "sesame") -> Result:
    tools = GatewayTools(gateway.url, token, 0.3 if name == "slow" else 60)
    return tools.call(tools.find(name), args or {})


def test_a_tool_is_called_with_its_arguments_as_they_are(gateway: Gateway) -> None:
    args = {"text": "$x {{y}} ü", "list": [1, None, {"a": True}]}
    done = call(gateway, "echo", args)
    assert gateway.asked[-1] == ("/tools/invoke", {"tool": "echo", "args": args})
    assert (done.ok, json.loads(done.text), done.value) == (True, args, {"id": 7})


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("bad", "it broke"),
        ("refused", "text is missing"),
        ("none", "has no tool 'none'"),
        ("slow", "took too long"),
    ],
)
def test_what_fails_is_a_result_that_is_not_ok(gateway: Gateway, tool: str, words: str) -> None:
    done = call(gateway, tool)
    assert (done.ok, words in done.text) == (False, True)


@pytest.mark.parametrize("token", ["moonlight", "moonlight …"])
def test_a_wrong_token_is_refused_and_never_repeated(gateway: Gateway, token: str) -> None:
    done = call(gateway, "echo", token=token)
    assert not done.ok
    assert "OPENCLAW_GATEWAY_TOKEN" in done.text
    assert "moonlight" not in done.text


def test_no_redirect_is_followed_and_no_proxy_is_asked(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    before = len(gateway.asked)
    assert not call(gateway, "elsewhere").ok
    assert [path for path, _ in gateway.asked[before:]] == ["/tools/invoke"]


def test_nothing_goes_to_another_machine_or_without_a_token(gateway: Gateway) -> None:
    with pytest.raises(ConfigError, match="set OPENCLAW_GATEWAY_TOKEN"):
        call(gateway, "echo", token="")
    with pytest.raises(ConfigError, match="another machine"):
        GatewayTools("https://gateway.example", "sesame", 1).find("echo")
    with pytest.raises(ConfigError, match="https://"):
        GatewayTools("http://gateway.example", "sesame", 1, allow_remote=True).find("echo")
    assert (
        GatewayTools("https://gateway.example", "sesame", 1, allow_remote=True).find("echo").host
        == "openclaw"
    )


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999", "http://[::1", "http://", "", "http://me:pass@127.0.0.1:1"]
)
def test_what_is_no_address_is_one_sentence(url: str) -> None:
    with pytest.raises(ConfigError, match="gatewayUrl is not an address such as"):
        GatewayTools(url, "sesame", 1).find("echo")


def test_a_token_that_no_header_can_hold_is_said_and_never_repeated(gateway: Gateway) -> None:
    with pytest.raises(ConfigError, match="OPENCLAW_GATEWAY_TOKEN contains a character") as error:
        call(gateway, "echo", token="moon\nlight")
    assert "moon" not in str(error.value)


@pytest.mark.parametrize(
    ("value", "words"), [("x" * LONGEST_RESULT, "more than the 1,000,000"), (None, "nested too deeply")]
)
def test_an_answer_that_is_too_large_is_not_handed_on(
    gateway: Gateway, value: str | None, words: str
) -> None:
    deep: Any = value
    for _ in range(0 if value else 90):
        deep = [deep]
    tools = ToolHosts(McpTools([], 1, "/"), GatewayTools(gateway.url, "sesame", 60), "openclaw")
    done = tools.call(tools.find("plain"), {"value": deep})
    assert (done.ok, done.value) == (False, None)
    assert done.text.startswith("it was done, but its answer")
    assert words in done.text


def test_a_gateway_that_is_not_there_is_a_result_that_is_not_ok() -> None:
    tools = GatewayTools("http://127.0.0.1:9", "sesame", 1)
    done = tools.call(tools.find("echo"), {})
    assert (done.ok, "cannot be asked" in done.text) == (False, True)
