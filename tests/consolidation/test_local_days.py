"""Days are the speaker's: by the turn's own offset, else the host's, else the machine's, else the vault's `timezone:`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from memoryclaw.app import App, init_vault, open_vault
from memoryclaw.errors import ConfigError

DENTIST = "the dentist is tomorrow at 9"


@pytest.fixture
def machine() -> Iterator[pytest.MonkeyPatch]:
    """Sets the zone of this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        yield patch
    time.tzset()


def opened(root: Path, zone: str = "", now: str = "2026-11-25T05:00:00+00:00") -> App:
    if not root.exists():
        init_vault(root)
        if zone:
            settings = root / "memoryclaw.yaml"
            settings.write_text(f"timezone: {zone}\n{settings.read_text()}")
    return open_vault(root, clock=lambda: datetime.fromisoformat(now))


def moment_of(app: App, **turn: str) -> dict[str, str]:
    """A turn is captured and read; what its line says of time."""
    app.capture([json.dumps({"session": "s", "role": "user", "content": DENTIST, **turn})])
    app.consolidate(llm="none")
    [path] = Path(app.root).glob("logs/*/s.jsonl")
    line = json.loads(path.read_text())
    return {key: line[key] for key in ("ts", "tz") if key in line}


def days(app: App) -> set[str]:
    text = "".join(path.read_text() for path in Path(app.root).rglob("semantic/*.md"))
    return {day for day in ("2026-11-24", "2026-11-25", "2026-11-26") if day in text}


@pytest.mark.parametrize(
    ("turn", "vault", "tz", "expected"),
    [
        ({"ts": "2026-11-24T20:30:00-08:00"}, "", "-08:00", {"2026-11-24", "2026-11-25"}),
        ({"ts": "2026-11-24T20:30:00-08:00"}, "Europe/Berlin", "-08:00", {"2026-11-24", "2026-11-25"}),
        ({"ts": "2026-11-25T04:30:00Z", "tz": "America/Los_Angeles"}, "", "America/Los_Angeles", {"2026-11-24", "2026-11-25"}),
        ({"ts": "2026-11-25T04:30:00Z"}, "America/Los_Angeles", "", {"2026-11-24", "2026-11-25"}),
        ({"ts": "2026-11-25T04:30:00Z"}, "", "", {"2026-11-25", "2026-11-26"}),
        ({"ts": "2026-11-25T04:30:00Z", "tz": "Moon/Crater"}, "", "", {"2026-11-25", "2026-11-26"}),
    ],
)  # fmt: skip
def test_tomorrow_is_counted_where_it_was_said(
    tmp_path: Path, machine: pytest.MonkeyPatch, turn: dict[str, str], vault: str, tz: str, expected: set[str]
) -> None:
    time.tzset()
    with opened(tmp_path / "vault", vault) as app:
        assert moment_of(app, **turn).get("tz", "") == tz
        assert days(app) == expected


def test_the_zone_of_the_machine_is_written_down_and_asked_no_more(
    tmp_path: Path, machine: pytest.MonkeyPatch
) -> None:
    machine.setenv("TZ", "America/Los_Angeles")
    time.tzset()
    with opened(tmp_path / "vault") as app:
        app.capture([json.dumps({"session": "s", "ts": "2026-11-25T04:30:00Z", "content": DENTIST})])
    machine.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    with opened(tmp_path / "vault") as app:
        app.consolidate(llm="none")
        assert days(app) == {"2026-11-24", "2026-11-25"}
        [path] = (tmp_path / "vault").glob("logs/*/s.jsonl")
        assert path.parent.name == "2026-11-25"
        assert json.loads(path.read_text())["tz"] == "-08:00"


def test_questions_and_what_is_due_count_in_the_zone_of_the_vault(tmp_path: Path) -> None:
    with opened(tmp_path / "vault", "America/Los_Angeles") as app:
        app.remember("The gate is green", entity="Gate", field="colour")
        [(_, fact)] = app.facts()
        assert fact.since == "2026-11-24"
        (tmp_path / "vault/list.md").write_text("- [ ] call the bank 📅 2026-11-24\n")
        assert [todo.text for todo in app.todos(due="today")] == ["call the bank"]


def test_a_new_vault_counts_in_the_zone_of_its_machine(tmp_path: Path, machine: pytest.MonkeyPatch) -> None:
    machine.setenv("TZ", "America/Los_Angeles")
    with opened(tmp_path / "one") as app:
        assert app.config.timezone == "America/Los_Angeles"
    machine.setenv("TZ", "UTC")
    with opened(tmp_path / "two") as app:
        assert app.config.timezone == ""
    with pytest.raises(ConfigError, match="Moon/Crater"):
        opened(tmp_path / "three", "Moon/Crater").facts()


def test_what_was_said_on_a_day_is_looked_for_on_the_day_of_the_speaker(tmp_path: Path) -> None:
    with opened(tmp_path / "vault") as app:
        app.capture(
            [json.dumps({"session": "s", "ts": "2026-11-24T20:30:00-08:00", "content": "the heron is back"})]
        )
        assert app.search("heron on:2026-11-24").matches
        assert not app.search("heron on:2026-11-25").matches


def test_another_zone_in_the_settings_counts_for_what_is_there(
    tmp_path: Path, machine: pytest.MonkeyPatch
) -> None:
    time.tzset()
    root = tmp_path / "vault"
    with opened(root) as app:
        app.capture(
            [json.dumps({"session": "s", "ts": "2026-11-25T04:30:00Z", "content": "the heron is back"})]
        )
        assert app.search("heron on:2026-11-25").matches
    settings = root / "memoryclaw.yaml"
    settings.write_text(f"timezone: -08:00\n{settings.read_text()}")
    with opened(root) as app:
        assert app.search("heron on:2026-11-24").matches
    assert os.path.exists(root / ".memoryclaw")


def test_what_was_said_later_is_newer_whatever_the_clock_on_the_wall_shows(tmp_path: Path) -> None:
    app = opened(tmp_path / "v", now="2026-11-26T05:00:00+00:00")
    for session, ts, budget in (
        ("a", "2026-11-25T10:00:00+09:00", 900),
        ("b", "2026-11-25T02:00:00+00:00", 1200),
    ):
        app.capture(
            [
                json.dumps(
                    {
                        "session": session,
                        "ts": ts,
                        "role": "user",
                        "name": "Nora",
                        "content": f"my budget is {budget}",
                    }
                )
            ]
        )
    app.consolidate(llm="none")
    current = [fact.value for _, fact in app.facts() if fact.field == "budget" and fact.current]
    assert current == ["1200"]


def test_a_machine_whose_clock_stands_at_greenwich_in_winter_is_somewhere(
    tmp_path: Path, machine: pytest.MonkeyPatch
) -> None:
    opened(tmp_path / "vault", "America/Los_Angeles").close()
    machine.setenv("TZ", "Europe/London")
    time.tzset()
    with opened(tmp_path / "vault") as app:
        assert moment_of(app, ts="2026-11-25T04:30:00Z")["tz"] == "+00:00"
        assert days(app) == {"2026-11-25", "2026-11-26"}


def test_a_vault_that_names_no_zone_is_told_so_once_where_the_machine_keeps_one(
    tmp_path: Path, machine: pytest.MonkeyPatch
) -> None:
    machine.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    machine.setenv("TZ", "Europe/Berlin")
    with opened(tmp_path / "new") as app:
        assert app.news() == []
    root = tmp_path / "old"
    machine.setenv("TZ", "UTC")
    with opened(root) as app:
        assert app.news() == []
    machine.setenv("TZ", "Europe/Berlin")
    settings = (root / "memoryclaw.yaml").read_bytes()
    with opened(root) as app:
        [notice] = app.news()
        assert "timezone: Europe/Berlin" in notice
        assert app.news() == []
    with opened(root) as app:
        assert app.news() == []
    assert (root / "memoryclaw.yaml").read_bytes() == settings
