"""The HTTP server of nodes, as processes: tokens, quotas, homes, what is logged, and what an end leaves."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from conftest import Claw
from towns import Town, town

from memoryclaw.interfaces.http.fleet import ANYWHERE, route_of
from memoryclaw.interfaces.http.routes import ROWS

pytestmark = pytest.mark.fleet
__all__ = ["town"]
SECRETS = ("the-heron-is-blue", "zebra-crossing-91")


def test_a_token_opens_its_vault_and_no_other_on_any_route(town: Town) -> None:
    node = town.node("one")
    ann, bob = town.vault("ann"), town.vault("bob")
    for token, secret in ((ann, SECRETS[0]), (bob, SECRETS[1])):
        assert (
            node.ask("POST", "/v1/remember", token, json={"text": f"The secret is {secret}"}).status_code
            == 200
        )
    assert SECRETS[0] in node.ask("POST", "/v1/recall", ann, json={"query": "what is the secret?"}).text
    theirs = node.ask("GET", "/v1/search?q=secret", bob).json()["matches"][0]["id"]
    for row in ROWS:
        path = re.sub(r"\{\w+\}", theirs, row.path)
        query = {"q": "secret"} if row.method == "GET" else {}
        for said in (
            node.ask(row.method, path, ann, params=query),
            node.ask(row.method, path, ann, json={"query": "secret", "text": "x"})
            if row.method in ("POST", "PATCH", "PUT")
            else None,
        ):
            if said is not None:
                assert SECRETS[1] not in said.text, (row, said.text)
    assert SECRETS[1] in node.ask("POST", "/v1/recall", bob, json={"query": "what is the secret?"}).text


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
    found = node.ask("GET", "/v1/search?q=pears", owner).json()["matches"][0]["note"]
    assert (
        node.ask("PATCH", f"/v1/notes/{found}", owner, json={"set": {"audience": "owner"}}).status_code == 200
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
    said = [node.ask("GET", "/v1/notes", token) for _ in range(8)]
    assert said[-1].status_code == 429
    assert int(said[-1].headers["Retry-After"]) > 0
    assert "2 times a minute" in said[-1].json()["error"]["message"]


def test_any_node_reads_and_the_home_writes(town: Town) -> None:
    one, two = town.node("one"), town.node("two")
    token = town.vault("ann", "one")
    assert one.ask("POST", "/v1/remember", token, json={"text": "Bluebarn opens in May"}).status_code == 200
    read = two.ask("POST", "/v1/recall", token, json={"query": "when does bluebarn open?"})
    assert read.status_code == 200
    assert "Bluebarn opens in May" in read.json()["context"]
    moved = two.ask("POST", "/v1/remember", token, json={"text": "Bluebarn is red"})
    assert moved.status_code == 307
    assert moved.headers["Location"] == f"{one.url}/v1/remember"
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
    one.end()
    late = two.ask("POST", "/v1/recall", token, json={"query": "bluebarn"})
    assert late.status_code == 200
    assert "Bluebarn is red" in late.json()["context"]
    for _ in range(100):
        if (
            said := two.ask("POST", "/v1/remember", token, json={"text": "Bluebarn has a tower"})
        ).status_code == 200:
            break
        assert said.status_code in (307, 503)  # until the lease is over, it may still be there
        time.sleep(0.3)
    assert said.status_code == 200
    assert "tower" in two.ask("GET", "/v1/search?q=bluebarn tower", token).text


def test_a_node_that_proxies_answers_for_the_home(town: Town) -> None:
    one, two = town.node("one"), town.node("two", "--proxy")
    token = town.vault("ann", "one")
    assert two.ask("POST", "/v1/remember", token, json={"text": "Through the other node"}).status_code == 200
    assert "Through" in one.ask("GET", "/v1/search?q=through node", token).text
    assert two.ask("GET", "/v1/history", token).status_code == 200


def test_a_vault_moves_while_it_answers(town: Town) -> None:
    one, two = town.node("one"), town.node("two")
    token = town.vault("ann", "one")
    one.ask("POST", "/v1/remember", token, json={"text": "It starts here"})
    over, seen = threading.Event(), []

    def keep_asking() -> None:
        while not over.is_set():
            seen.append(
                two.ask("POST", "/v1/recall", token, json={"query": "where does it start?"}).status_code
            )

    with ThreadPoolExecutor(1) as thread:
        asking = thread.submit(keep_asking)
        town.run("fleet", "move", "ann", "two")
        over.set()
        asking.result()
    assert set(seen) == {200}
    assert two.ask("POST", "/v1/remember", token, json={"text": "And goes on there"}).status_code == 200
    assert one.ask("POST", "/v1/remember", token, json={"text": "not here"}).status_code == 307
    assert "agree" in town.run("fleet", "check").out


def test_neither_the_log_nor_the_metrics_tell_what_was_said(town: Town) -> None:
    node = town.node("one")
    token = town.vault("ann")
    note = node.ask("POST", "/v1/remember", token, json={"text": f"about {SECRETS[0]}"}).json()
    node.ask("POST", "/v1/recall", token, json={"query": SECRETS[1]})
    node.ask("GET", f"/v1/search?q={SECRETS[1]}", token)
    node.ask("GET", f"/v1/notes/{SECRETS[0]}", token)
    node.ask("POST", f"/v1/nowhere/{SECRETS[0]}", token)
    metrics = node.ask("GET", "/metrics").text
    assert 'memoryclaw_requests_total{method="POST",route="/v1/recall",status="200"} 1.0' in metrics
    assert "memoryclaw_request_seconds_bucket" in metrics
    assert "memoryclaw_vaults_home 1.0" in metrics
    assert metrics.endswith("# EOF\n")
    log = node.log.read_text()
    lines = [json.loads(line) for line in log.splitlines()]
    assert {"method": "POST", "route": "/v1/recall", "status": 200, "vault": "ann"}.items() <= next(
        line for line in lines if line.get("route") == "/v1/recall"
    ).items()
    for text in (log, metrics):
        for secret in (*SECRETS, token, str(note.get("id"))):
            assert secret not in text
    assert "ann" not in metrics


def test_health_tells_each_dependency(town: Town) -> None:
    node = town.node("one")
    assert node.ask("GET", "/healthz").json()["ok"]
    assert node.ask("GET", "/readyz").json() == {"ready": True, "waits_for": {}}
    assert town.run("fleet", "nodes", "--json").json["nodes"][0]["name"] == "one"


def test_an_end_acknowledges_what_was_begun_and_lets_go(town: Town) -> None:
    one = town.node("one")
    token = town.vault("ann")
    with ThreadPoolExecutor(6) as threads:
        said = [
            threads.submit(one.ask, "POST", "/v1/remember", token, json={"text": f"Memory number {n}x"})
            for n in range(6)
        ]
        time.sleep(0.3)
        assert one.end(signal.SIGTERM) == 0
        done = [
            n for n, one_ in enumerate(said) if one_.exception() is None and one_.result().status_code == 200
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
    assert {(row.method, row.path) for row in ROWS} >= ANYWHERE
    assert route_of("GET", "/v1/secret") == ""
    assert sys.version_info
