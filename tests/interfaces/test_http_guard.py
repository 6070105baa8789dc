"""Who may come in: every wrong host, origin, token, method, size, kind and rate is refused with its status and one sentence."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from conftest import STUDIO, git, put
from daemons import Daemon, Reply, serving

from memoryclaw.interfaces.http.routes import ROWS

RECALL = {"query": "boathouse deadline"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}
WAYS = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with serving(put(tmp_path_factory.mktemp("guarded") / "vault", STUDIO)) as running:
        yield running


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """Another vault's daemon, which answers one request a second."""
    vault = put(
        tmp_path_factory.mktemp("other") / "vault", {**STUDIO, "memoryclaw.yaml": "serve:\n  rate: 1\n"}
    )
    with serving(vault) as running:
        yield running


def raw(port: int, request: bytes) -> tuple[int, bytes]:
    """The status and the whole answer to bytes as they are."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall(request)
        line.shutdown(socket.SHUT_WR)
        answer = b""
        while part := line.recv(65536):
            answer += part
    return int(answer.split(b" ", 2)[1]), answer


def refused(reply: Reply, status: int, code: str) -> str:
    """The sentence of a refusal of this kind."""
    assert (reply.status, reply.code) == (status, code), reply
    sentence = str(reply.json["error"]["message"])
    assert sentence
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    return sentence


@pytest.mark.parametrize(
    "host",
    [
        "evil.test", "127.0.0.1", "localhost", "127.0.0.1.evil.test:{port}", "127.0.0.1:evil.test", "127.0.0.1:1", "localhost:80", "",
        "127.0.0.1:{port}.evil.test", "127.0.0.1:0{port}", "[::1]", "evil.test:{port}", "127.1:{port}", "0.0.0.0:{port}", " ",
        "user@127.0.0.1:{port}", "127.0.0.1:{port}, evil.test", "LOCALHOST.:{port}",
    ],
)  # fmt: skip
def test_a_host_that_is_not_exactly_ours_is_refused(daemon: Daemon, host: str) -> None:
    for path in ("/healthz", "/v1/status"):
        reply = daemon.ask("GET", path, headers={"Host": host.format(port=daemon.port)})
        assert refused(reply, 403, "forbidden")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_our_own_names_with_our_port_are_let_in(daemon: Daemon, host: str) -> None:
    named = f"{host}:{daemon.port}"
    own = {"Host": named, "Origin": f"http://{named}"}
    assert daemon.ask("GET", "/v1/status", headers=own).status == 200


def test_two_hosts_and_none_are_refused(daemon: Daemon) -> None:
    ours = f"Host: 127.0.0.1:{daemon.port}\r\n"
    for hosts in (ours * 2, f"{ours}Host: evil.test\r\n", ""):
        for version in ("1.1", "1.0"):
            line = f"GET /v1/status HTTP/{version}\r\n{hosts}Authorization: Bearer {daemon.token}\r\n\r\n"
            status, answer = raw(daemon.port, line.encode())
            assert status in (400, 403), (hosts, version)
            assert b"semantic" not in answer


@pytest.mark.parametrize(
    "origin", ["null", "", "http://evil.test", "https://127.0.0.1:{port}", "http://127.0.0.1", "http://127.0.0.1:1", "file://"]
)  # fmt: skip
def test_a_page_of_another_origin_is_refused(daemon: Daemon, origin: str) -> None:
    reply = daemon.ask("POST", "/v1/recall", RECALL, headers={"Origin": origin.format(port=daemon.port)})
    assert "web pages" in refused(reply, 403, "forbidden")


def test_no_answer_lets_other_origins_read_it(daemon: Daemon) -> None:
    asked = {"Access-Control-Request-Method": "POST"}
    for reply in (daemon.ask("OPTIONS", "/v1/recall", headers=asked), daemon.ask("GET", "/v1/status")):
        assert not [name for name in reply.headers if name.startswith("access-control")]
        assert "server" not in reply.headers


@pytest.mark.parametrize(
    "said", [None, "", "Bearer", "Bearer ", "Bearer x", "Basic {token}", "{token}", "Bearer {token}x", "Bearer  {token}"]
)  # fmt: skip
def test_without_the_token_nothing_is_told(daemon: Daemon, said: str | None) -> None:
    value = said if said is None else said.format(token=daemon.token)
    reply = daemon.ask("GET", "/v1/status", headers={"Authorization": value})
    assert ".memoryclaw/token" in refused(reply, 401, "unauthorized")
    assert reply.headers["www-authenticate"] == "Bearer"


def test_the_guard_stands_before_the_mcp_server_too(daemon: Daemon) -> None:
    for path in ("/mcp", "/mcp/", "/mcp/x"):
        bad = daemon.ask("POST", path, HELLO, headers={**WAYS, "Authorization": "Bearer x"})
        assert refused(bad, 401, "unauthorized")
    foreign = daemon.ask("POST", "/mcp", HELLO, headers={**WAYS, "Origin": "http://evil.test"})
    assert refused(foreign, 403, "forbidden")
    large = json.dumps({**HELLO, "x": "x" * (1 << 20)}).encode()
    assert refused(daemon.ask("POST", "/mcp", large, headers=WAYS), 413, "too_large")


@pytest.mark.laws
def test_behind_the_guard_the_mcp_server_answers(daemon: Daemon) -> None:
    """The first such request loads the SDK, which takes seconds."""
    answer = daemon.ask("POST", "/mcp", HELLO, headers=WAYS)
    assert answer.status == 200, answer
    assert answer.json["result"]["serverInfo"]["name"].lower() == "memoryclaw"


@pytest.mark.parametrize("path", ["/v1/recall", "/healthz", "/mcp"])
def test_a_request_that_tells_its_length_twice_is_refused_and_nothing_after_it_is_answered(
    daemon: Daemon, path: str
) -> None:
    head = f"Host: 127.0.0.1:{daemon.port}\r\nAuthorization: Bearer {daemon.token}\r\nContent-Type: application/json\r\n"
    smuggled = f"0\r\n\r\nGET /v1/status HTTP/1.1\r\n{head}\r\n"
    lengths = f"Transfer-Encoding: chunked\r\nContent-Length: {len(smuggled)}\r\n"
    status, answer = raw(daemon.port, f"POST {path} HTTP/1.1\r\n{head}{lengths}\r\n{smuggled}".encode())
    assert status == 400
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in answer.lower()
    assert b"length twice" in answer


@pytest.mark.parametrize(
    "half", ["", "GET /v1/status HT", "POST /healthz HTTP/1.1\r\n{}Content-Length: 9\r\n\r\n{{"]
)
def test_clients_that_say_half_a_request_take_the_daemon_from_nobody(daemon: Daemon, half: str) -> None:
    head = f"Host: 127.0.0.1:{daemon.port}\r\nAuthorization: Bearer {daemon.token}\r\nContent-Type: application/json\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(300):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", daemon.port), timeout=30))
            line.sendall(half.format(head).encode())
        assert daemon.get("/healthz")["ok"] is True
        assert daemon.ask("GET", "/healthz", headers={"Authorization": None}).status == 200


HUGE = 99999999999999999999
TWICE = [
    ("/v1/recall", '{"query": "boathouse", "query": "moon"}'),
    ("/v1/capture", '{"turns": [{"session": "s", "role": "user", "content": "a", "content": "b"}]}'),
    ("/v1/working/s", '{"facts": {"goal": "a", "goal": "b"}}'),
    ("/mcp", json.dumps(HELLO).replace('"version": "1"', '"version": "1", "version": "2"')),
]


@pytest.mark.parametrize(("path", "body"), TWICE)
def test_a_key_that_is_given_twice_is_refused_wherever_it_stands(
    daemon: Daemon, path: str, body: str
) -> None:
    method = "PATCH" if "working" in path else "POST"
    sentence = refused(daemon.ask(method, path, body.encode(), headers=WAYS), 400, "input")
    assert "is given twice" in sentence
    assert not list(daemon.vault.glob("logs/**/s.jsonl"))
    assert not list(daemon.vault.glob("working/*"))


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/recall", {**RECALL, "budget": HUGE}),
        ("POST", "/v1/recall", {**RECALL, "budget": 100_001}),
        ("POST", "/v1/recall", {**RECALL, "budget": -1}),
        ("GET", f"/v1/search?q=boathouse&limit={HUGE}", None),
        ("GET", f"/v1/notes?limit={HUGE}", None),
        ("GET", f"/v1/history?limit={HUGE}", None),
        ("POST", "/v1/feedback", {"id": "ep-wind", "rating": HUGE}),
    ],
)
def test_a_number_beyond_its_bounds_is_refused(
    daemon: Daemon, method: str, path: str, body: dict[str, object] | None
) -> None:
    assert "than or equal to" in refused(daemon.ask(method, path, body), 400, "input")


def test_two_tokens_are_none(daemon: Daemon) -> None:
    line = f"GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nConnection: close\r\n"
    status, _ = raw(daemon.port, (line + f"Authorization: Bearer {daemon.token}\r\n" * 2 + "\r\n").encode())
    assert status == 401


def test_the_token_of_one_vault_opens_no_address_of_another(daemon: Daemon, other: Daemon) -> None:
    for row in ROWS:
        path = row.path.replace("{", "").replace("}", "")
        reply = other.ask(row.method, path, {}, headers={"Authorization": f"Bearer {daemon.token}"})
        assert refused(reply, 401, "unauthorized"), row


def test_too_many_requests_are_told_when_to_come_again(other: Daemon) -> None:
    replies = [other.ask("GET", "/v1/nothing") for _ in range(30)]
    late = [reply for reply in replies if reply.status == 429]
    assert refused(late[0], 429, "too_many")
    assert int(late[0].headers["retry-after"]) >= 1
    assert other.ask("GET", "/healthz").json["ok"] is True


def test_addresses_and_methods_that_are_not_there(daemon: Daemon) -> None:
    assert "openapi" in refused(daemon.ask("GET", "/v1/nothing"), 404, "not_found")
    post = daemon.ask("POST", "/v1/notes/ep-wind", {})
    assert "GET" in refused(post, 405, "method_not_allowed")
    assert {"GET", "PUT", "PATCH", "DELETE"} <= set(post.headers["allow"].split(", "))
    assert refused(daemon.ask("GET", "/v1/recall"), 405, "method_not_allowed")
    options = daemon.ask("OPTIONS", "/v1/recall")
    assert (options.status, options.body, options.headers["allow"]) == (204, b"", "POST")
    head, get = daemon.ask("HEAD", "/v1/skills"), daemon.ask("GET", "/v1/skills")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(get.body)))


def test_a_note_that_is_not_there_and_ids_that_lead_out(daemon: Daemon) -> None:
    for id_ in (
        "nowhere",
        "..%2f..%2fetc%2fpasswd",
        "/etc/passwd",
        "%00",
        "semantic/projects%23Nobody.deadline",
        "%ff",
    ):
        reply = daemon.ask("GET", f"/v1/notes/{id_}")
        assert reply.status in (400, 404), (id_, reply)
        assert refused(reply, reply.status, reply.code)


@pytest.mark.parametrize(
    "kind",
    [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data"],
)
def test_a_body_that_is_not_called_json_is_refused(daemon: Daemon, kind: str | None) -> None:
    reply = daemon.ask("POST", "/v1/recall", RECALL, headers={"Content-Type": kind})
    assert "application/json" in refused(reply, 415, "media_type")


def test_json_with_a_charset_is_json(daemon: Daemon) -> None:
    kind = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert daemon.ask("POST", "/v1/recall", RECALL, headers=kind).status == 200


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"{", "not JSON"), (b"[]", "object"), (b"null", "object"), (b"\xff", "not JSON"), (b'{"query": 1}', "query"), (b"{}", "query"),
        (b'{"query": "x", "vault": "/etc", "limit": 1}', "'vault', 'limit'"), (b'{"query": "x", "budget": "9"}', "budget"),
        (b'{"query": "x", "budget": 1}', "budget"), (b"[" * 100_000, "not JSON"), (b'{"query": "\\ud800"}', "not JSON"),
    ],
)  # fmt: skip
def test_a_body_that_cannot_be_used_is_told_why(daemon: Daemon, body: bytes, word: str) -> None:
    assert word in refused(daemon.ask("POST", "/v1/recall", body), 400, "input")


def test_a_parameter_that_cannot_be_used_is_told_why(daemon: Daemon) -> None:
    for query, word in (
        ("q=x&vault=/etc", "'vault'"),
        ("", "'q'"),
        ("q=x&limit=0", "limit"),
        ("q=x&limit=a", "limit"),
    ):
        assert word in refused(daemon.ask("GET", f"/v1/search?{query}"), 400, "input")
    assert "is not a date" in refused(daemon.ask("GET", "/v1/facts?as_of=monday"), 400, "input")


@pytest.mark.parametrize("id_", ["..", "%2e%2e", ".", "log:", "log:%2F..", "a%2F..", "log:%20", "%00"])
def test_what_names_nothing_finds_nothing(daemon: Daemon, id_: str) -> None:
    for path in (f"/v1/notes/{id_}", f"/v1/links/{id_}", f"/v1/blame/{id_}"):
        assert refused(daemon.ask("GET", path), 404, "not_found"), path


def test_a_name_that_no_program_can_be_told_is_refused(daemon: Daemon) -> None:
    git(daemon.vault, "init", "-q")
    git(daemon.vault, "commit", "-q", "--allow-empty", "-m", "Mine")
    assert "NUL" in refused(daemon.ask("POST", "/v1/undo", {"what": "HEAD\0"}), 400, "input")
    assert "not a path inside" in refused(daemon.ask("GET", "/v1/history?id=%00"), 400, "input")


def test_a_parameter_that_is_given_twice_is_refused(daemon: Daemon) -> None:
    assert "twice" in refused(daemon.ask("GET", "/v1/search?q=boathouse&q=moon"), 400, "input")


def test_a_question_may_have_4_kib_and_no_more(daemon: Daemon) -> None:
    long = "boathouse " * 409
    assert daemon.ask("POST", "/v1/recall", {"query": long}).status == 200
    for reply in (
        daemon.ask("POST", "/v1/recall", {"query": f"{long}deadline"}),
        daemon.ask("POST", "/v1/recall", {"query": "x", "goal": "é" * 2049}),
        daemon.ask("GET", f"/v1/search?q={'x' * 4097}"),
        daemon.ask("GET", f"/v1/skills/match?q={'x' * 4097}"),
    ):
        assert "4096 bytes" in refused(reply, 400, "input")


def test_a_body_beyond_a_mebibyte_is_refused_as_it_comes(daemon: Daemon) -> None:
    large = json.dumps({"text": "x" * (1 << 20)}).encode()
    assert "1,048,576 bytes" in refused(daemon.ask("POST", "/v1/remember", large), 413, "too_large")
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
    kind = {"Authorization": f"Bearer {daemon.token}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/remember", iter([b"x" * (1 << 18)] * 5), kind, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()
    assert not list(daemon.vault.glob("episodes/2026-04-20*"))


def test_capture_takes_more(daemon: Daemon) -> None:
    turn = {"session": "long", "role": "user", "content": "The slipway. " * 100_000}
    assert daemon.ask("POST", "/v1/capture", {"turns": [turn]}).json["acknowledged"][0]["ok"] is True
    assert daemon.ask("POST", "/v1/capture", {"turns": [{**turn, "content": "x" * (8 << 20)}]}).status == 413


def test_a_get_changes_no_file(daemon: Daemon) -> None:
    def files() -> dict[str, bytes]:
        answer = (
            path for path in daemon.vault.rglob("*") if path.is_file() and ".memoryclaw" not in path.parts
        )
        return {str(path): path.read_bytes() for path in answer}

    before = files()
    for row in ROWS:
        if row.method == "GET":
            daemon.ask("GET", row.path.replace("{", "").replace("}", "") + "?q=boathouse")
            daemon.ask(
                "GET",
                row.path.replace("{id}", "ep-wind")
                .replace("{name}", "send-update")
                .replace("{session}", "s"),
            )
    assert files() == before


def test_text_is_exact_and_answers_are_kept_by_nobody(daemon: Daemon) -> None:
    said = "Søren 茶室 \u202e + & % #"
    reply = daemon.ask("GET", f"/v1/search?q={quote(said)}")
    assert reply.json["query"] == said
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["cache-control"] == "no-store"
