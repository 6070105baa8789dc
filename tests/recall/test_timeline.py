"""`timeline`: what changed in the world, in order, from the index alone."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from conftest import Claw, VaultOf, put

from memoryclaw.app import App
from memoryclaw.errors import NotFoundError

FILES = {
    "semantic/_schema.yaml": "fields:\n  likes: many\n",
    "semantic/aliases.yaml": "boathouse: [rowing club]\n",
    "semantic/projects.md": (
        "# Boathouse\n"
        "- deadline: 2026-12-11 [since:: 2025-11-20]\n- lead: Priya\n- roof: tar\n"
        '- "we want a larger slipway" [said:: 2025-12-01]\n\n'
        "## History\n"
        "- deadline: 2025-06-27 [since:: 2025-05-20] [until:: 2025-11-20]\n"
        "- lead: Zoë [since:: 2025-04-09] [until:: 2026-04-01]\n"
        "- budget: 6.2 million [until:: 2025-12-31]\n"
    ),
    "semantic/people.md": "# Ann\n- likes: tea [since:: 2025-01-01]\n- likes: rowing [since:: 2025-02-01]\n",
    "episodes/2025-11-20_09-40-00_permit.md": (
        "---\nid: ep-permit\ntimestamp: 2025-11-20T09:40:00Z\nentities: [Boathouse]\nsummary: The permit is there\n---\n\nGranted.\n"
    ),
    "episodes/2026-01-17_18-15-00_moving.md": "---\ntimestamp: 2026-01-17T18:15:00Z\nsummary: Moving day\n---\n\nBoxes.\n",
}


@pytest.fixture
def vault(vault_of: VaultOf) -> Path:
    return vault_of(FILES)


def lines_of(app: App, *args: str, **when: object) -> list[str]:
    timeline = app.timeline(*args, **when)  # type: ignore[arg-type]
    return [
        " ".join(filter(None, (e.at, e.kind, e.field, e.value, e.was and f"< {e.was}")))
        for e in timeline.events
    ]


BOATHOUSE = [
    "2025-04-09 began lead Zoë",
    "2025-05-20 began deadline 2025-06-27",
    "2025-11-20 superseded deadline 2026-12-11 < 2025-06-27",
    "2025-11-20T09:40:00Z episode The permit is there",
    "2025-12-01 said we want a larger slipway",
    "2025-12-31 ended budget 6.2 million",
    "2026-04-01 superseded lead Priya < Zoë",
]


def test_the_newest_are_those_of_the_whole_order_whatever_they_are(vault: Path) -> None:
    with App(vault) as app:
        for when in ({}, {"since": date(2025, 2, 1)}, {"until": date(2025, 11, 20)}):
            whole = lines_of(app, **when)
            for limit in range(len(whole) + 2):
                assert lines_of(app, limit=limit, **when) == (whole[-limit:] if limit else [])
                assert app.timeline(limit=limit, **when).earlier == max(len(whole) - limit, 0)


def test_facts_begin_give_way_and_end_in_the_order_of_the_world(vault: Path) -> None:
    with App(vault) as app:
        assert lines_of(app, "Boathouse") == lines_of(app, "rowing club") == BOATHOUSE
        everything = lines_of(app)
        assert [event for event in everything if event in BOATHOUSE] == BOATHOUSE
        assert set(everything) - set(BOATHOUSE) == {
            "2025-01-01 began likes tea",
            "2025-02-01 began likes rowing",
            "2026-01-17T18:15:00Z episode Moving day",
        }
        event = app.timeline("Boathouse").events[2]
        assert (event.path, event.line, event.id) == (
            "semantic/projects.md",
            2,
            "semantic/projects#Boathouse.deadline",
        )


def test_a_span_and_the_newest_so_many(vault: Path) -> None:
    with App(vault) as app:
        autumn = {"since": date(2025, 11, 20), "until": date(2025, 12, 1)}
        assert lines_of(app, "Boathouse", **autumn) == BOATHOUSE[2:5]
        timeline = app.timeline("Boathouse", limit=2)
        assert (lines_of(app, "Boathouse", limit=2), timeline.earlier) == (BOATHOUSE[-2:], 5)
        assert app.timeline("Boathouse", limit=0) == ((), 7)


def test_what_only_episodes_name_has_a_timeline_and_nothing_unknown_has(vault: Path) -> None:
    path = "episodes/2026-02-01_10-00-00_visit.md"
    put(
        vault,
        {path: "---\ntimestamp: 2026-02-01T10:00:00Z\nparticipants: [Oda]\nsummary: Oda came\n---\nx\n"},
    )
    with App(vault) as app:
        assert lines_of(app, "Oda") == ["2026-02-01T10:00:00Z episode Oda came"]
        with pytest.raises(NotFoundError):
            app.timeline("Nobody")


def test_what_is_quarantined_archived_or_for_others_is_not_told(vault: Path) -> None:
    put(
        vault,
        {
            "episodes/2026-02-01_10-00-00_bad.md": "---\ntimestamp: 2026-02-01T10:00:00Z\ntrust: quarantined\nsummary: bad\n---\nx\n",
            "archive/episodes/2026-02-02_10-00-00_old.md": "---\ntimestamp: 2026-02-02T10:00:00Z\nsummary: old\n---\nx\n",
            "semantic/secrets.md": "---\naudience: owner\n---\n# Ann\n- code: 4711 [since:: 2026-02-03]\n",
            "semantic/doubt.md": "---\ntrust: quarantined\n---\n# Ann\n- age: 7 [since:: 2026-02-04]\n",
        },
    )
    with App(vault) as app:
        late = lines_of(app, since=date(2026, 2, 1))
        assert late == ["2026-02-03 began code 4711", "2026-04-01 superseded lead Priya < Zoë"]
        assert "4711" not in str(app.seen_by("agent").timeline("Ann"))


def test_the_command_prints_a_line_each_and_json_the_same(vault: Path) -> None:
    claw = Claw(vault)
    ran = claw("timeline", "Boathouse", "--limit", "5")
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[1] == ["2025-11-20", "superseded", "Boathouse.deadline", "2026-12-11", "(was", "2025-06-27)", "semantic/projects.md:2"]  # fmt: skip
    assert lines[2][:3] == ["2025-11-20", "09:40", "episode"]
    assert ran.err == "2 earlier; --limit shows more\n"
    timeline = claw("timeline", "Boathouse", "--limit", "5", "--json").json
    assert [event["kind"] for event in timeline["timeline"]] == [
        "superseded",
        "episode",
        "said",
        "ended",
        "superseded",
    ]
    assert timeline["earlier"] == 2
    assert claw("timeline", "--since", "2030-01-01").out == "Nothing with a date.\n"
