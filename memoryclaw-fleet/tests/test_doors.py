"""The HTTP server of nodes, as processes: tokens, quotas, homes, what is logged, and what an end leaves."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import psycopg
from conftest import Claw, git
from postgres import Server
from towns import Node, Town, town

from memoryclaw.interfaces.http.routes import QUERIED, ROWS, VerbRoute
from memoryclaw.text.redaction import Redactor
from memoryclaw_fleet.server import route_of

__all__ = ["town"]
ROOT = Path(__file__).resolve().parents[2]
SECRETS = ("the-heron-is-blue", "zebra-crossing-91")


# What a request may say, by the names of its keys, where one of bob's notes is meant.
def said_of(row: VerbRoute, theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Keys that a request of this row takes, all of them about what is another vault's."""
    known = {
        **dict.fromkeys(("query", "q", "text", "note", "reason", "why", "goal"), "what is the secret of bluebarn?"),
        **dict.fromkeys(("id", "start", "end"), theirs["note"]),
        "what": theirs["commit"], "receipt": theirs["receipt"], "rating": 5, "ok": True, "since": "2020-01-01",
        "set": {"tags": ["seen"]}, "turns": [{"role": "user", "content": "The weather is fine", "session": "other"}],
        "digest": "0" * 64, "version": "0" * 64, "params": {}, "before": theirs["commit"],
    }  # fmt: skip
    required = {name for name, field in row.asks.model_fields.items() if field.is_required()}
    return {name: known[name] for name in required | ({"q", "query", "id"} & row.asks.model_fields.keys())}


def walked(
    node: Node, token: str, theirs: Mapping[str, Any], rows: Iterable[VerbRoute]
) -> dict[str, list[httpx.Response]]:
    """The answers of all these rows, for each thing of another vault that their address could name."""
    answers: dict[str, list[httpx.Response]] = {}
    for row in rows:
        names = list(theirs.values()) if "{" in row.path else [""]
        asked = said_of(row, theirs)
        more = {"params": asked} if row.method in QUERIED else {"json": asked}
        answers[f"{row.method} {row.path}"] = [
            node.ask(row.method, re.sub(r"\{\w+\}", quote(name, safe=""), row.path), token, **more)
            for name in names
        ]
    return answers


def test_a_token_opens_its_vault_and_no_other_on_any_route(town: Town) -> None:
    node = town.node("one")
    ann, bob = town.vault("ann"), town.vault("bob")
    secret, fact = (
        f"Bluebarn has the secret {SECRETS[1]}",
        {"entity": "Bluebarn", "field": "code", "text": SECRETS[1]},
    )
    note = node.ask("POST", "/v1/remember", bob, json={"text": secret}).json()
    assert node.ask("POST", "/v1/remember", bob, json=fact).status_code == 200
    assert node.ask("PATCH", "/v1/working/s1", bob, json={"goal": secret}).status_code == 200
    turns = [{"role": "user", "content": secret, "session": "s1"}]
    assert node.ask("POST", "/v1/capture", bob, json={"turns": turns}).status_code == 200
    theirs = {
        "note": note["id"],
        "receipt": node.ask("POST", "/v1/recall", bob, json={"query": "bluebarn"}).json()["receipt"],
        "commit": note["commit"],
        "session": "s1",
        "entity": "Bluebarn",
        "turn": "log:s1/1",
    }
    before = git(town.folder / "bob.git", "rev-parse", "main")
    hidden = walked(node, ann, theirs, ROWS)
    for where, answers in hidden.items():
        for said in answers:
            assert SECRETS[1] not in said.text, (where, said.text)
            assert said.status_code != 500, (where, said.text)
    assert git(town.folder / "bob.git", "rev-parse", "main") == before
    # The same requests tell bob himself; so the walk above could have found something.
    seen = walked(node, bob, theirs, [row for row in ROWS if row.method == "GET" or row.path == "/v1/recall"])
    telling = {where for where, answers in seen.items() if any(SECRETS[1] in said.text for said in answers)}
    assert telling >= {
        "POST /v1/recall", "GET /v1/search", "GET /v1/notes/{id}", "GET /v1/facts", "GET /v1/entities/{name}", "GET /v1/timeline",
        "GET /v1/history/{commit}", "GET /v1/blame/{id}", "GET /v1/working/{session}",
    }  # fmt: skip


def test_without_a_good_token_nobody_is_let_in(town: Town) -> None:
    node = town.node("one")
    token = town.vault("ann")
    assert node.ask("GET", "/v1/notes").status_code == 401
    assert node.ask("GET", "/v1/notes", "mclaw_guess").status_code == 401
    assert node.ask("GET", "/v1/notes", token).status_code == 200
    listed = town.run("tokens", "list", "ann", "--json").json["tokens"]
    assert token not in json.dumps(listed)
    town.run("tokens", "revoke", "ann", listed[0]["id"])
    assert node.ask("GET", "/v1/notes", token).status_code == 401


def test_an_audience_sees_what_is_for_it(town: Town) -> None:
    node = town.node("one")
    owner, agent = town.vault("ann"), town.token("ann", "agent")
    for text, tags in (("Apples are for all", []), ("Pears are private", [])):
        node.ask("POST", "/v1/remember", owner, json={"text": text, "tags": tags})
    note = node.ask("GET", "/v1/search?q=pears", owner).json()["matches"][0]["note"]
    assert (
        node.ask("PATCH", f"/v1/notes/{note}", owner, json={"set": {"audience": "owner"}}).status_code == 200
    )
    assert node.ask("GET", "/v1/search?q=pears", agent).json()["matches"] == []
    assert len(node.ask("GET", "/v1/search?q=apples", agent).json()["matches"]) == 1


def test_quotas_are_told_clearly(town: Town) -> None:
    node = town.node("one")
    token = town.vault("ann")
    town.run("fleet", "limit", "ann", "--notes", "0")
    time.sleep(2)
    refused = node.ask("POST", "/v1/remember", token, json={"text": "one more"})
    assert refused.status_code == 400
    assert "may hold 0 notes" in refused.json()["error"]["message"]
    town.run("fleet", "limit", "ann", "--requests", "2")
    # A minute may end among these eight; three of them at least are then in one minute.
    answers = [node.ask("GET", "/v1/notes", token) for _ in range(8)]
    refusal = next(answer for answer in answers if answer.status_code == 429)
    assert int(refusal.headers["Retry-After"]) > 0
    assert "2 times a minute" in refusal.json()["error"]["message"]


def test_any_node_reads_and_the_home_writes(town: Town) -> None:
    first, second = town.node("one"), town.node("two")
    token = town.vault("ann", "one")
    assert first.ask("POST", "/v1/remember", token, json={"text": "Bluebarn opens in May"}).status_code == 200
    read = second.ask("POST", "/v1/recall", token, json={"query": "when does bluebarn open?"})
    assert read.status_code == 200
    assert "Bluebarn opens in May" in read.json()["context"]
    moved = second.ask("POST", "/v1/remember", token, json={"text": "Bluebarn is red"})
    assert moved.status_code == 307
    assert moved.headers["Location"] == f"{first.url}/v1/remember"
    assert (
        httpx.post(
            moved.headers["Location"],
            json={"text": "Bluebarn is red"},
            headers={"Authorization": f"Bearer {token}"},
            timeout=60,
            trust_env=False,
        ).status_code
        == 200
    )
    first.end()
    late = second.ask("POST", "/v1/recall", token, json={"query": "bluebarn"})
    assert late.status_code == 200
    assert "Bluebarn is red" in late.json()["context"]
    for _ in range(100):
        if (
            said := second.ask("POST", "/v1/remember", token, json={"text": "Bluebarn has a tower"})
        ).status_code == 200:
            break
        assert said.status_code in (307, 503)  # until the lease is over, it may still be there
        time.sleep(0.3)
    assert said.status_code == 200
    assert "tower" in second.ask("GET", "/v1/search?q=bluebarn tower", token).text


def test_a_name_that_another_process_has_is_refused_and_that_one_goes_on(town: Town) -> None:
    node = town.node("one")
    token = town.vault("ann")
    started = town.claw(
        "serve", "--vaults", town.folder / "other", "--node", "one", "--port", "0", "--lease", "1"
    )
    assert (started.code, started.out) == (1, "")
    assert "another process is the node one" in started.err
    assert node.ask("POST", "/v1/remember", token, json={"text": "It goes on"}).status_code == 200


def test_a_process_that_slept_while_its_name_went_to_another_ends_and_says_why(town: Town) -> None:
    asleep = town.node("one")
    token = town.vault("ann")
    assert (
        asleep.ask("POST", "/v1/remember", token, json={"text": "Before it fell asleep"}).status_code == 200
    )
    asleep.process.send_signal(signal.SIGSTOP)
    awake = Node(town.folder / "other", "one", town.url, town.folder / "other.log")  # when the lease is over
    town.nodes.append(awake)
    asleep.process.send_signal(signal.SIGCONT)
    assert asleep.process.wait(30) == 1
    assert "another process has become the node one" in asleep.log.read_text()
    for _ in range(100):
        said = awake.ask("POST", "/v1/remember", token, json={"text": "After it woke"})
        if said.status_code == 200:
            break
        assert said.status_code == 503
        time.sleep(0.2)
    matches = awake.ask("GET", "/v1/search?q=asleep woke", token).json()["matches"]
    assert len(matches) == 2


def test_a_node_that_proxies_answers_for_the_home(town: Town) -> None:
    first, second = town.node("one"), town.node("two", "--proxy")
    token = town.vault("ann", "one")
    assert (
        second.ask("POST", "/v1/remember", token, json={"text": "Through the other node"}).status_code == 200
    )
    assert "Through" in first.ask("GET", "/v1/search?q=through node", token).text
    assert second.ask("GET", "/v1/history", token).status_code == 200


def test_a_vault_moves_while_it_answers(town: Town) -> None:
    first, second = town.node("one"), town.node("two")
    token = town.vault("ann", "one")
    first.ask("POST", "/v1/remember", token, json={"text": "It starts here"})
    over, seen = threading.Event(), []

    def keep_asking() -> None:
        while not over.is_set():
            seen.append(
                second.ask("POST", "/v1/recall", token, json={"query": "where does it start?"}).status_code
            )

    with ThreadPoolExecutor(1) as thread:
        asking = thread.submit(keep_asking)
        town.run("fleet", "move", "ann", "two")
        over.set()
        asking.result()
    assert set(seen) == {200}
    assert second.ask("POST", "/v1/remember", token, json={"text": "And goes on there"}).status_code == 200
    assert first.ask("POST", "/v1/remember", token, json={"text": "not here"}).status_code == 307
    assert "agree" in town.run("fleet", "check").out


def test_neither_the_log_nor_the_metrics_tell_what_was_said(town: Town) -> None:
    node, other = town.node("one"), town.node("two", "--proxy")
    token = town.vault("ann", "one")
    note = node.ask("POST", "/v1/remember", token, json={"text": f"about {SECRETS[0]}"}).json()
    node.ask("POST", "/v1/recall", token, json={"query": SECRETS[1]})
    node.ask("POST", "/v1/remember", token, json={"text": "more", "entity": SECRETS[0], "field": SECRETS[1]})
    secret = dict.fromkeys(("note", "receipt", "commit", "session"), SECRETS[0])
    for row in ROWS:
        asked = {name: value for name, value in said_of(row, secret).items() if not isinstance(value, str)}
        asked |= {name: f"{SECRETS[1]} {SECRETS[0]}" for name in said_of(row, secret) if name not in asked}
        path = re.sub(r"\{\w+\}", SECRETS[0], row.path)
        for at in (node, other):
            at.ask(
                row.method, path, token, **({"params": asked} if row.method in QUERIED else {"json": asked})
            )
        node.ask(row.method, f"{path}?{SECRETS[1]}={SECRETS[0]}", token, content=f'{{"{SECRETS[1]}": ')
    node.ask("POST", f"/v1/nowhere/{SECRETS[0]}", token)
    node.ask("GET", f"/v1/search?q={SECRETS[1]}", f"mclaw_{SECRETS[0]}")
    node.ask(f"{SECRETS[0]}".upper(), "/v1/search", token)
    httpx.get(
        f"{node.url}/v1/notes",
        headers={"Host": SECRETS[0], "Origin": f"http://{SECRETS[1]}"},
        timeout=60,
        trust_env=False,
    )
    metrics = node.ask("GET", "/metrics").text
    assert re.search(
        r'^memoryclaw_requests_total\{method="POST",route="/v1/recall",status="200"\} 2\.0$',
        metrics,
        re.MULTILINE,
    )
    assert "memoryclaw_request_seconds_bucket" in metrics
    assert "memoryclaw_vaults_home 1.0" in metrics
    assert "memoryclaw_lease_changes_total 1.0" in metrics
    assert "memoryclaw_jobs_waiting 0.0" in metrics
    assert metrics.endswith("# EOF\n")
    exposed = metrics + other.ask("GET", "/metrics").text
    log = node.log.read_text() + other.log.read_text()
    lines = [json.loads(line) for line in log.splitlines()]
    assert all(line["time"] and line["node"] in ("one", "two") for line in lines)
    assert {
        "method": "POST",
        "route": "/v1/recall",
        "status": 200,
        "vault": "ann",
        "audience": "owner",
    }.items() <= next(line for line in lines if line.get("route") == "/v1/recall").items()
    assert len([line for line in lines if "ms" in line]) > 3 * len(ROWS)
    for secret_ in (*SECRETS, SECRETS[0].upper(), token, note["id"]):
        assert secret_ not in log
        assert secret_ not in exposed
    assert "ann" not in exposed


def test_health_tells_each_dependency(town: Town) -> None:
    node = town.node("one")
    assert node.ask("GET", "/healthz").json()["ok"]
    assert node.ask("GET", "/readyz").json() == {"ready": True, "waits_for": {}}
    assert town.run("fleet", "nodes", "--json").json["nodes"][0]["name"] == "one"


def test_an_end_acknowledges_what_was_begun_and_lets_go(town: Town) -> None:
    node = town.node("one")
    token = town.vault("ann")
    with ThreadPoolExecutor(6) as threads:
        said = [
            threads.submit(node.ask, "POST", "/v1/remember", token, json={"text": f"Memory number {n}x"})
            for n in range(6)
        ]
        time.sleep(0.3)
        assert node.end(signal.SIGTERM) == 0
        done = [
            n
            for n, future in enumerate(said)
            if future.exception() is None and future.result().status_code == 200
        ]
    two = town.node("two")
    for n in done:
        assert two.ask("GET", f"/v1/search?q=memory number {n}x", token).json()["matches"], n
    until = time.monotonic() + 20
    while two.ask("POST", "/v1/remember", token, json={"text": "on the next node"}).status_code != 200:
        assert time.monotonic() < until
        time.sleep(0.2)


def test_a_wrong_server_is_one_sentence_without_its_password(tmp_path: Path) -> None:
    for words in (["fleet", "list"], ["tokens", "list", "ann"], ["serve", "--vaults", os.fspath(tmp_path)]):
        ran = Claw()(*words, "--index", "postgresql://claw:hunter2@127.0.0.1:1/x")
        assert ran.code == 1
        assert "cannot be reached" in ran.err
        assert "hunter2" not in ran.err
        assert ran.err.count("\n") == 1
    assert "--index" in Claw()("fleet", "list").err


def test_two_nodes_of_one_folder_are_refused(town: Town) -> None:
    town.node("one")
    ran = town.claw("serve", "--vaults", os.fspath(town.folder / "one"), "--node", "other", "--port", "0")
    assert ran.code == 1
    assert "another node works in" in ran.err


def test_every_address_is_known_to_the_log() -> None:
    for row in ROWS:
        assert route_of(row.method, re.sub(r"\{\w+\}", "x/y#z", row.path)) == row.path
    assert route_of("GET", "/v1/secret") == ""
    assert sys.version_info


def test_a_token_is_kept_as_its_digest_and_ends(town: Town, migrated_url: str) -> None:
    node = town.node("one")
    town.vault("ann")
    token = town.run(
        "tokens", "make", "ann", "family", "--days", "2", "--note", "the kitchen", "--json"
    ).json["token"]
    assert node.ask("GET", "/v1/notes", token).status_code == 200
    assert token not in Redactor(b"key").text(f"use {token} for the kitchen").value
    listed = town.run("tokens", "list", "ann").out
    assert "the kitchen" in listed
    assert "family" in listed
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        connection.execute("select set_config('memoryclaw.tenant', 'ann', false)")
        rows = connection.execute("select t::text, digest from memoryclaw.token t").fetchall()
        assert hashlib.sha256(token.encode()).hexdigest() in {digest for _, digest in rows}
        assert token not in str(rows)
        connection.execute("update memoryclaw.token set until = now() where note = 'the kitchen'")
    assert node.ask("GET", "/v1/notes", token).status_code == 401


def test_another_node_answers_what_the_home_answers(town: Town) -> None:
    first, second = town.node("one"), town.node("two")
    shutil.copytree(ROOT / "vault", town.folder / "sample")
    git(town.folder / "sample", "init", "-q", "-b", "main")
    git(town.folder / "sample", "add", "-A")
    git(town.folder / "sample", "commit", "-qm", "The sample vault")
    git(town.folder, "clone", "-q", "--bare", "sample", "ann.git")
    town.run("fleet", "add", "ann", "--remote", os.fspath(town.folder / "ann.git"), "--node", "one")
    token, agent = town.token("ann"), town.token("ann", "agent")
    notes = first.ask("GET", "/v1/notes", token).json()["notes"]
    entities = first.ask("GET", "/v1/entities", token).json()["entities"]
    theirs = {"note": notes[0]["id"], "entity": entities[0]["name"], "receipt": "", "commit": ""}
    theirs |= {"receipt": theirs["note"], "commit": theirs["note"]}
    rows = [row for row in ROWS if row.route.anywhere]
    assert len(rows) == 14
    for who in (token, agent):
        here, there = walked(first, who, theirs, rows), walked(second, who, theirs, rows)
        assert sum(answer.status_code == 200 for answers in here.values() for answer in answers) >= len(rows)
        for where, answers in here.items():
            for at_home, elsewhere in zip(answers, there[where], strict=True):
                assert elsewhere.status_code == at_home.status_code, (where, elsewhere.text)
                assert without_trace(elsewhere) == without_trace(at_home), where


def without_trace(said: httpx.Response) -> dict[str, Any]:
    return {key: value for key, value in said.json().items() if key not in ("receipt", "timings_ms")}


def test_what_the_index_cannot_answer_goes_home(town: Town) -> None:
    first, second = town.node("one"), town.node("two")
    owner = town.vault("ann", "one")
    assert first.ask("POST", "/v1/remember", owner, json={"text": "Bluebarn opens in May"}).status_code == 200
    family = town.token("ann", "family")  # for whom nothing was indexed yet
    for token, path in (
        (owner, "/v1/history?limit=3"),
        (owner, "/v1/facts?believed_at=2020-01-01"),
        (family, "/v1/search?q=bluebarn"),
    ):
        said = second.ask("GET", path, token)
        assert said.status_code == 307, said.text
        assert said.headers["Location"] == first.url + path
    assert first.ask("GET", "/v1/search?q=bluebarn", family).status_code == 200
    said = second.ask("GET", "/v1/search?q=bluebarn", family)  # now that the home was asked
    assert said.status_code == 200, said.text


class Tarpit:
    """A git remote that takes connections and says nothing, until it is closed."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._taken: list[socket.socket] = []
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}/ann.git"
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._taken.append(self._server.accept()[0])

    def wait(self) -> None:
        """Until somebody hangs in it."""
        while not self._taken:
            time.sleep(0.05)

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)  # ends `accept`, too
        self._server.close()
        for connection in self._taken:
            connection.close()


def test_a_vault_whose_remote_hangs_holds_up_no_other_and_not_the_end(town: Town) -> None:
    node = town.node("one")
    ann, bob = town.vault("ann"), town.vault("bob")
    assert node.ask("POST", "/v1/remember", ann, json={"text": "Bluebarn opens in May"}).status_code == 200
    pit = Tarpit()
    git(town.folder / "one" / "ann", "remote", "set-url", "origin", pit.url)
    with ThreadPoolExecutor(48) as threads:
        stuck = [
            threads.submit(node.ask, "POST", "/v1/remember", ann, json={"text": f"Number {n}"})
            for n in range(48)
        ]
        pit.wait()
        for n in range(3):
            assert node.ask("POST", "/v1/remember", bob, json={"text": f"Greenbarn {n}"}).status_code == 200
            assert len(node.ask("GET", "/v1/search?q=greenbarn", bob).json()["matches"]) == n + 1
        assert node.ask("GET", "/v1/search?q=bluebarn", ann).status_code == 200
        answered = [future.result() for future in stuck if future.done()]
        assert 0 < len(answered) < len(stuck)
        for said in answered:
            assert (said.status_code, said.json()["error"]["code"]) == (503, "busy")
            assert int(said.headers["Retry-After"]) > 0
        node.process.send_signal(signal.SIGTERM)
        assert node.process.wait(31) in (0, 1)  # the push would take a minute
        ended = [future.result() for future in stuck if not future.exception()]
        assert {answer.json()["error"]["code"] for answer in ended} == {"busy", "not_acknowledged"}
        assert {answer.status_code for answer in ended} == {503}
    pit.close()


def test_a_node_that_ends_says_so_and_finishes_what_it_began(town: Town) -> None:
    node = town.node("one")
    ann, bob = town.vault("ann"), town.vault("bob")
    pit = Tarpit()
    git(town.folder / "one" / "ann", "remote", "set-url", "origin", pit.url)
    with ThreadPoolExecutor(1) as threads:
        begun = threads.submit(node.ask, "POST", "/v1/remember", ann, json={"text": "Bluebarn opens in May"})
        pit.wait()
        node.process.send_signal(signal.SIGTERM)
        while (ready := node.ask("GET", "/readyz")).status_code == 200:
            time.sleep(0.05)
        assert ready.status_code == 503
        assert "ending" in ready.json()["waits_for"]["node"]
        assert node.ask("GET", "/healthz").status_code == 200
        late = node.ask("GET", "/v1/notes", bob)
        assert (late.status_code, late.json()["error"]["code"]) == (503, "moved")
        assert int(late.headers["Retry-After"]) > 0
        pit.close()
        said = begun.result()
        assert (said.status_code, said.json()["error"]["code"]) == (503, "not_acknowledged")
        assert node.process.wait(31) == 0
    listed = town.run("fleet", "nodes", "--json").json["nodes"]
    assert not listed[0]["up"]  # others need not wait for its lease


def test_a_full_pool_is_busy_and_hangs_nobody(town: Town, migrated_url: str) -> None:
    node = town.node("one", "--connections", "2")
    token = town.vault("ann")
    with psycopg.connect(migrated_url) as connection, ThreadPoolExecutor(12) as threads:
        connection.execute("lock table memoryclaw.request in access exclusive mode")
        said = [
            future.result()
            for future in [threads.submit(node.ask, "GET", "/v1/notes", token) for _ in range(12)]
        ]
        assert {answer.status_code for answer in said} == {503}
        assert {answer.json()["error"]["code"] for answer in said} <= {"busy", "unreachable"}
        assert all(int(answer.headers["Retry-After"]) > 0 for answer in said)
        waits = node.ask("GET", "/readyz")
        assert waits.status_code == 503
        assert "postgresql" in waits.json()["waits_for"]
        assert "memoryclaw_connections_in_use 2.0" in node.ask("GET", "/metrics").text
    until = time.monotonic() + 60
    while node.ask("POST", "/v1/remember", token, json={"text": "after it"}).status_code != 200:
        assert time.monotonic() < until
        time.sleep(0.2)


def test_a_server_that_is_frozen_is_told_and_nobody_waits_for_it(
    town: Town, migrated_url: str, postgres_server: Server
) -> None:
    node = town.node("one")
    token = town.vault("ann")
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        sql = (
            "select pid from pg_stat_activity where datname = current_database() and pid != pg_backend_pid()"
        )
        backends = [postgres_server.pid, *(row[0] for row in connection.execute(sql).fetchall())]
    for pid in backends:
        os.kill(pid, signal.SIGSTOP)
    try:
        with ThreadPoolExecutor(20) as threads:
            said = [
                future.result()
                for future in [threads.submit(node.ask, "GET", "/v1/notes", token) for _ in range(20)]
            ]
        assert {answer.status_code for answer in said} == {503}
        for answer in said:
            assert "host=" not in answer.text
            assert migrated_url.rpartition("=")[2] not in answer.text
        assert node.ask("GET", "/healthz").status_code == 200
        assert node.ask("GET", "/metrics").status_code == 200
    finally:
        for pid in backends:
            os.kill(pid, signal.SIGCONT)
    until = time.monotonic() + 60
    while node.ask("POST", "/v1/remember", token, json={"text": "after it"}).status_code != 200:
        assert time.monotonic() < until
        time.sleep(0.2)


def test_metrics_are_for_this_machine_unless_they_are_opened(town: Town) -> None:
    shut, wide = (
        town.node("one", "--name", "memory.example.org"),
        town.node("two", "--name", "memory.example.org", "--open-metrics"),
    )
    for node, status in ((shut, 403), (wide, 200)):
        assert node.ask("GET", "/metrics").status_code == 200
        for headers in ({"Host": "memory.example.org"}, {"X-Forwarded-For": "203.0.113.7"}):
            said = httpx.get(f"{node.url}/metrics", headers=headers, timeout=60, trust_env=False)
            assert said.status_code == status, headers


def test_a_node_that_others_cannot_reach_is_refused(town: Town) -> None:
    where = ("serve", "--vaults", os.fspath(town.folder / "one"), "--port", "0", "--allow-remote")
    for words, sentence in (
        (("--host", "0.0.0.0"), "say with --address"),
        (("--address", "node-1:7411"), "cannot be --address"),
    ):
        ran = town.claw(*where, *words)
        assert ran.code == 1
        assert sentence in ran.err


def test_a_home_that_hangs_keeps_no_other_vault_from_being_passed_on(town: Town) -> None:
    first, second, _ = (town.node(name, "--proxy", "--lease", "300") for name in ("one", "two", "three"))
    ann, bob = town.vault("ann", "two"), town.vault("bob", "three")

    def write(n: int) -> int:
        return first.ask("POST", "/v1/remember", ann, json={"text": f"Anna has {n} doors"}).status_code

    second.process.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor(130) as threads:
        asked = [threads.submit(write, n) for n in range(130)]
        try:
            assert wait(asked, return_when=FIRST_COMPLETED, timeout=30).done
            said = first.ask("POST", "/v1/remember", bob, json={"text": "Bob lives in Rome"})
            assert said.status_code == 200, said.text
            assert any(not future.done() for future in asked)
        finally:
            second.process.send_signal(signal.SIGCONT)
    assert {future.result() for future in asked} <= {200, 503}
