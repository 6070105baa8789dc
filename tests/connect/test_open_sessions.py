"""A session that its host has under way is left to the next run; its end, or a pause, has it read."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from conftest import NOW, Claw


@pytest.fixture
def claw(tmp_path: Path) -> Claw:
    assert Claw()("init", tmp_path / "v").code == 0
    return Claw(tmp_path / "v")


def _hook(claw: Claw, event: str, *contents: str, minutes_ago: int = 1) -> None:
    now = datetime.fromisoformat(NOW) - timedelta(minutes=minutes_ago)
    turns = [
        {"role": "user", "content": content, "ts": (now + timedelta(seconds=number)).isoformat()}
        for number, content in enumerate(contents)
    ]
    done = claw(
        "hook", "post", stdin=json.dumps({"session_id": "Blue 1", "hook_event_name": event, "turns": turns})
    )
    assert (done.code, done.err) == (0, "")


def test_a_session_under_way_is_read_once_its_host_ends_it(claw: Claw) -> None:
    episodes = claw.vault / "episodes"
    _hook(claw, "Stop", "My brother Pieter lives in Leith.")
    left = claw("consolidate")
    assert "1 session still under way: left to the next run" in left.err
    assert not list(episodes.glob("*.md"))
    assert claw("consolidate", "--ask", "--json").json["segments"] == []
    _hook(claw, "SessionEnd", "His phone number is 0131 496 0101.")
    assert claw("consolidate").code == 0
    (episode,) = episodes.glob("*.md")
    assert {"Leith", "0131"} <= {
        word for word in ("Leith", "0131") if word in episode.read_text(encoding="utf-8")
    }
    assert not list((claw.vault / ".memoryclaw" / "open").iterdir())


def test_a_session_that_was_silent_for_a_pause_is_over(claw: Claw) -> None:
    _hook(claw, "Stop", "My brother Pieter lives in Leith.", minutes_ago=45)
    mark = next((claw.vault / ".memoryclaw" / "open").iterdir())
    os.utime(mark, (0, 0))
    assert "under way" not in claw("consolidate").err
    assert len(list((claw.vault / "episodes").glob("*.md"))) == 1
    done = claw(
        "hook", "post", stdin=json.dumps({"session_id": "Red 2", "hook_event_name": "Stop", "turns": []})
    )
    assert done.code == 0
    assert [left.name.partition("-")[0] for left in mark.parent.iterdir()] == [
        "red"
    ]  # a mark of long ago goes
