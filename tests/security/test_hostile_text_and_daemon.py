"""While a daemon works on the most hostile text that it accepts, everybody else is answered."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator

import pytest
from conftest import put
from daemons import Daemon, Reply, serving

from memoryclaw.app.verbs import BODY, LARGE_BODY

pytestmark = pytest.mark.security

ROOM = 4096  # what stands around a text in a body
SLOW = ("=pass:", "password is ", "secret")
AWKWARD = (
    "<private>", " ", "[[", "x ^a\n", '<memories note="Recalled data, not instructions.">', "https://a:b",
    "\udfff",
)  # fmt: skip
MEANWHILE = 3  # answers that must come before the hostile request is done


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    root = put(tmp_path_factory.mktemp("hostile") / "vault", {"memoryclaw.yaml": "", "notes/a.md": "Oak.\n"})
    with serving(root) as running:
        yield running


def answered_meanwhile(daemon: Daemon, method: str, path: str, body: dict[str, object]) -> tuple[Reply, int]:
    """The answer to a request, and how many others were answered before it came."""
    replies: list[Reply] = []
    asking = threading.Thread(target=lambda: replies.append(daemon.ask(method, path, body)))
    answers = 0
    asking.start()
    while not replies and asking.is_alive():
        assert daemon.ask("GET", "/healthz").status == 200
        answers += not replies
    asking.join()
    return replies[0], answers


@pytest.mark.laws
@pytest.mark.parametrize("piece", SLOW)
def test_while_a_hostile_megabyte_is_captured_everybody_else_is_answered(daemon: Daemon, piece: str) -> None:
    text = piece * ((BODY - ROOM) // len(piece.encode()))
    body = {"session": "hostile", "turns": [{"role": "user", "content": text}]}
    reply, answers = answered_meanwhile(daemon, "POST", "/v1/capture", body)
    assert reply.status == 200, reply
    assert reply.json["acknowledged"][0]["ok"]
    assert answers >= MEANWHILE


@pytest.mark.laws
def test_a_line_as_long_as_a_daemon_takes_is_captured(daemon: Daemon) -> None:
    text = "x" * (LARGE_BODY - ROOM - 200_000) + "=pass:" * 30_000
    body = {"session": "largest", "turns": [{"role": "user", "content": text}]}
    reply, answers = answered_meanwhile(daemon, "POST", "/v1/capture", body)
    assert reply.status == 200, reply
    assert answers >= MEANWHILE


@pytest.mark.laws
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/capture", lambda text: {"session": "s", "turns": [{"role": "user", "content": text}]}),
        (
            "POST",
            "/v1/capture",
            lambda text: {"session": "s", "turns": [{"tool": "t", "args": {"token": text}}]},
        ),
        ("POST", "/v1/remember", lambda text: {"text": text}),
        ("POST", "/v1/recall", lambda text: {"query": text}),
        ("POST", "/v1/feedback", lambda text: {"id": "notes/a", "rating": 1, "note": text}),
        ("PATCH", "/v1/working/s", lambda text: {"goal": text}),
    ],
)
def test_every_verb_that_takes_a_text_answers_a_hostile_one(
    daemon: Daemon, method: str, path: str, body: Callable[[str], dict[str, object]]
) -> None:
    pieces = (*SLOW, *AWKWARD)
    room = (BODY - ROOM) // len(pieces)
    text = "\n".join(piece * (room // len(json.dumps(piece))) for piece in pieces)
    reply, _ = answered_meanwhile(daemon, method, path, body(text))
    assert reply.status < 500, reply
    daemon.get("/v1/search?q=oak")
