"""Commands and hooks beside a running daemon: the same bytes as without it, and nobody notices when it is gone."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import STUDIO, Claw, Ran, put
from indexed import until

QUESTION = json.dumps({"session_id": "s-1", "prompt": "boathouse deadline"})


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Claw]:
    """The command beside a daemon; without a clock of its own, or it would not ask."""
    folder = tmp_path_factory.mktemp("served")
    claw = Claw(
        put(folder / "vault", STUDIO), XDG_CONFIG_HOME=os.fspath(folder / "config"), MEMORYCLAW_NOW=""
    )
    process = claw.start("serve", "--port", "0", "--json", stdout=subprocess.PIPE)
    assert json.loads(process.stdout.readline())["pid"] == process.pid
    assert claw("search", "boathouse", "--json").code == 0  # answered once the daemon watches
    yield claw
    process.terminate()
    process.wait(60)
    process.stdout.close()


@pytest.fixture
def idle(served: Claw, tmp_path: Path) -> Claw:
    """The command beside the daemon, in a place where it could answer nothing by itself."""
    (tmp_path / "sqlite3.py").write_text("raise SystemError('this process opens no index')\n")
    return Claw(served.vault, **served.env, PYTHONPATH=f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}")


def alone(served: Claw, now: datetime) -> Claw:
    """The command in the same vault with a clock of its own: it does not ask the daemon."""
    return Claw(served.vault, **{**served.env, "MEMORYCLAW_NOW": f"{now:%Y-%m-%dT%H:%M:%SZ}"})


def both(idle: Claw, served: Claw, *args: str) -> tuple[Ran, Ran]:
    """What the daemon and the own work answer on one day."""

    def remembered() -> tuple[Ran, Ran] | None:
        now = datetime.now(UTC)
        # Where the daemon takes over two seconds, the command does the work itself; this one cannot.
        answers = until(lambda: (ran := idle(*args)).code == 0 and ran), alone(served, now)(*args)
        return answers if datetime.now(UTC).date() == now.date() else None

    return until(remembered)


def plain(out: str) -> Any:
    """An answer without what is another one each time."""
    return {key: value for key, value in json.loads(out).items() if key not in {"timings_ms", "receipt"}}


@pytest.mark.parametrize(
    "args",
    [
        ("search", "boathouse", "--kind", "fact", "--limit", "1", "--json"),
        ("search", "størrelse & 100% = ?", "--json"),
        ("recall", "boathouse deadline", "--goal", "kiosk", "--budget", "90", "--trace", "--json"),
    ],
)
def test_json_is_the_same_from_the_daemon_and_from_the_own_work(
    idle: Claw, served: Claw, args: tuple[str, ...]
) -> None:
    asked, own = both(idle, served, *args)
    assert (asked.code, asked.err) == (own.code, own.err) == (0, "")
    assert list(json.loads(asked.out)) == list(json.loads(own.out))
    assert plain(asked.out) == plain(own.out)


def test_text_is_the_same_to_the_byte(idle: Claw, served: Claw) -> None:
    for args in (("recall", "boathouse", "deadlin"), ("recall", "boathouse", "--trace"), ("recall", "xyzzy")):
        asked, own = both(idle, served, *args)
        assert asked == own


def test_what_the_daemon_refuses_is_told_by_the_own_work(served: Claw) -> None:
    for args in (("recall", "boathouse", "--budget", "3"), ("search", "  ", "--json")):
        asked, own = served(*args), alone(served, datetime.now(UTC))(*args)
        assert (asked.code, asked.err) == (own.code, own.err)


def test_hooks_go_through_the_daemon(idle: Claw, tmp_path: Path) -> None:
    # A slow machine may not answer one prompt in time.
    context = until(lambda: idle("hook", "pre", "--host", "plain", stdin=QUESTION).json["context"])
    assert "2026-12-11" in context
    message = {"role": "user", "content": "The eel traps are out."}
    line = {"type": "user", "uuid": "u-1", "timestamp": "2026-04-19T10:00:00Z", "message": message}
    (tmp_path / "s-1.jsonl").write_text(json.dumps(line) + "\n")
    stop = json.dumps(
        {"session_id": "s-1", "hook_event_name": "Stop", "transcript_path": os.fspath(tmp_path / "s-1.jsonl")}
    )
    assert idle("hook", "post", "--host", "plain", stdin=stop).json == {
        "kept": 1, "again": 0, "left_out": 0, "refused": 0,
    }  # fmt: skip
    assert "eel traps" in (idle.vault / "logs/2026-04-19/s-1.jsonl").read_text()


def test_a_daemon_that_was_killed_is_not_missed(studio: Path) -> None:
    claw = Claw(studio, MEMORYCLAW_NOW="")
    process = claw.start("serve", "--port", "0", stdout=subprocess.PIPE)
    process.stdout.readline()
    process.kill()
    process.wait()
    process.stdout.close()
    assert (studio / ".memoryclaw/serve.json").exists()
    ran = claw("search", "boathouse", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["matches"]
