"""Where a model may be asked, and what goes over the wire. Real servers on loopback."""

from __future__ import annotations

import subprocess
import sys

import pytest
from servers.faulty import Faulty, patience
from servers.scripted import ModelServer

from memoryclaw.models.llm import Endpoint, ModelError, Prompt, is_loopback
from memoryclaw.models.ollama import Ollama
from memoryclaw.models.openai import OpenAI

PROMPT = Prompt("You report.", 'LOG x BEGINS\n["1 | user | Oats are out."]\nLOG x ENDS')
SCHEMA = {"type": "object"}


def at(url: str, **values: object) -> Endpoint:
    return Endpoint(**{"who": "Ollama", "setting": "llm.url", "url": url, "timeout": 5.0, **values})


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_this_machine_is_loopback(host: str):
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "192.168.1.2", "localhost.evil.example", "127.0.0.1.nip.io", "", "::"]
)
def test_all_else_is_not(host: str):
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "url", ["http://192.0.2.1:11434", "https://api.openai.com/v1", "http://127.0.0.1@192.0.2.1/"]
)
def test_another_machine_is_not_asked_unless_allowed(url: str):
    with pytest.raises(ModelError, match=r"another machine .*`llm.allowRemote: true`") as raised:
        at(url).reach()
    assert raised.value.lasting


def test_the_setting_opens_the_way_to_another_machine():
    with pytest.raises(ModelError, match=r"cannot be reached at 192\.0\.2\.1:80"):
        at("http://192.0.2.1", allow_remote=True).reach()


@pytest.mark.parametrize(
    "url", ["", "ollama", "ftp://127.0.0.1", "http://", "http://127.0.0.1:port", "http://[::1"]
)
def test_an_address_that_is_none_is_said(url: str):
    with pytest.raises(ModelError, match=r"llm\.url is not an address"):
        at(url).reach()


def test_nobody_there_is_said_without_loading_a_client():
    with Faulty("refused") as server:
        code = (
            "import sys\n"
            "from memoryclaw.models.llm import Endpoint, ModelError\n"
            "from memoryclaw.models.ollama import Ollama\n"
            "try:\n    Ollama(Endpoint('Ollama', 'llm.url', sys.argv[1], 5), 'm').reach()\n"
            "except ModelError as error:\n    print(error)\n"
            "print(sorted({'ollama', 'httpx', 'pydantic', 'jinja2'} & set(sys.modules)))\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, server.url], capture_output=True, encoding="utf-8", check=True
        )
    assert done.stdout.splitlines() == [f"Ollama is not running at {server.url[7:]}", "[]"]


def test_ollama_is_asked_for_the_same_answer_every_time_and_held_to_the_schema():
    with ModelServer(lambda asked: "said") as server:
        assert Ollama(at(server.url), "m").ask(PROMPT, SCHEMA) == "said"
        [asked] = server.asked
    assert asked.path == "/api/chat"
    assert asked.body["format"] == SCHEMA
    assert asked.body["stream"] is False
    assert (asked.body["options"]["temperature"], asked.body["options"]["seed"]) == (0, 0)
    assert [message["role"] for message in asked.body["messages"]] == ["system", "user"]
    assert asked.headers["accept-encoding"] == "identity"


def test_an_openai_endpoint_is_asked_alike():
    with ModelServer(lambda asked: "said") as server:
        mind = OpenAI(at(f"{server.url}/v1/"), "gpt", {"OPENAI_API_KEY": "sk-x"})
        assert mind.ask(PROMPT, SCHEMA) == "said"
        [asked] = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert asked.body["temperature"] == 0
    assert asked.headers["authorization"] == "Bearer sk-x"


@pytest.mark.parametrize(
    ("environ", "sent"),
    [
        ({"MEMORYCLAW_OPENAI_KEY": "ours", "OPENAI_API_KEY": "theirs"}, "Bearer ours"),
        ({"MEMORYCLAW_OPENAI_KEY": " ", "OPENAI_API_KEY": "theirs"}, "Bearer theirs"),
        ({}, None),
    ],
)
def test_the_key_comes_from_the_environment(environ: dict[str, str], sent: str | None):
    with ModelServer(lambda asked: "said") as server:
        OpenAI(at(server.url), "gpt", environ).ask(PROMPT, SCHEMA)
        assert server.asked[0].headers.get("authorization") == sent


@pytest.mark.parametrize("key", ["sk-geheim\n", "sk-ge\nheim", "sk-gehéim☃"])
def test_the_key_is_in_no_error(key: str):
    with Faulty("reset") as server, pytest.raises(ModelError) as raised:
        OpenAI(at(server.url), "gpt", {"OPENAI_API_KEY": key}).ask(PROMPT, SCHEMA)
    assert "heim" not in str(raised.value) + repr(raised.value)
    assert raised.value.__cause__ is None


def test_the_key_is_not_sent_where_others_can_read_it():
    mind = OpenAI(at("http://127.0.0.1:1"), "gpt", {"OPENAI_API_KEY": "sk-x"})
    assert mind._endpoint.is_private()
    assert at("https://api.example.org").is_private()
    assert not at("http://192.0.2.1", allow_remote=True).is_private()


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch):
    with Faulty("status_500") as proxy, ModelServer(lambda asked: "said") as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert Ollama(at(server.url), "m").ask(PROMPT, SCHEMA) == "said"
        assert OpenAI(at(server.url), "m", {}).ask(PROMPT, SCHEMA) == "said"
        assert proxy.asked == []


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("hang", "took too long"), ("drip", "took too long"), ("drip_headers", "took too long"),
        ("endless", "(took too long|more than 1,000 kB)"), ("huge", "more than 1,000 kB"),
        ("bomb", "encoding that was not asked for"), ("reset", "broke the connection off"),
        ("cut_off", "broke the connection off"), ("not_http", "broke the connection off"),
        ("redirect", "status 307"), ("status_500", "status 500"), ("model_missing", "has no model m"),
        ("empty", "something other than an answer"), ("deep", "something other than an answer"),
        ("bad_utf8", "something other than an answer"),
    ],
)  # fmt: skip
def test_every_failure_ends_in_one_sentence(mode: str, why: str):
    for make in (Ollama, lambda where, model: OpenAI(where, model, {})):
        with Faulty(mode) as server, pytest.raises(ModelError, match=why) as raised:
            make(at(server.url, timeout=patience(mode)), "m").ask(PROMPT, SCHEMA)
        assert "\n" not in str(raised.value)
        assert raised.value.lasting == (mode == "model_missing")


def test_a_redirect_is_not_followed():
    with Faulty("redirect") as server:
        with pytest.raises(ModelError):
            Ollama(at(server.url), "m").ask(PROMPT, SCHEMA)
        assert [asked.path for asked in server.asked] == ["/api/chat"]
