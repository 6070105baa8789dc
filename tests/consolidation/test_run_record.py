from __future__ import annotations

import json

import pytest
from changesets import BOATHOUSE, KITCHEN, RUN, whole

from memoryclaw.consolidation.changes import ChangeSet
from memoryclaw.consolidation.run_record import read_record, record_path, render_record

AT = "2026-11-21T10:15:00Z"


def test_a_record_is_read_back_as_what_makes_lines_done():
    record = read_record(render_record(whole(), [], AT, "direct"))
    assert (record.run, record.at) == (RUN, AT)
    assert [str(range_) for range_ in record.ranges] == [KITCHEN, BOATHOUSE]
    assert record.acted == list(whole().acted)
    assert record.episodes == {
        "2026-11-20_17-48-20_kitchen-wall-colour": KITCHEN,
        "2026-11-20_18-00-00_boathouse": BOATHOUSE,
    }


def test_a_record_says_what_was_read_decided_and_skipped_and_why():
    record = json.loads(render_record(whole(), ["review/fact-1.md"], AT, "direct"))
    assert record["skipped"][0]["reason"] == "only greetings"
    decided = record["decided"][0]
    assert (decided["action"], decided["known"]) == ("supersede", "2026-12-11")
    assert decided["reason"] == "newer than what is known"
    assert [change["kind"] for change in record["changes"]] == ["episode"] * 2 + ["fact", "pending", "skill", "merge"]  # fmt: skip
    assert record["changes"][5]["files"][2].startswith("archive/")
    assert record["proposed"] == ["review/fact-1.md"]
    assert record["minds"] == ["patterns"]


def test_the_same_change_set_gives_the_same_record():
    assert render_record(whole(), [], AT, "direct") == render_record(whole(), [], AT, "direct")


def test_half_a_character_in_a_log_stays_valid_json():
    text = render_record(whole(dropped=("\ud83d half",)), [], AT, "direct")
    assert text.encode()
    assert json.loads(text)["dropped"] == ["\ud83d half"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "junk",
        "[]",
        "3",
        '{"ranges": 3, "acted": [1, {"tools": 2}], "episodes": []}',
        '{"run": {}, "ranges": [4, "x#1@"], "episodes": {"a": 1}}',
        "[" * 100_000,
    ],
)
def test_junk_reads_as_a_record_of_nothing(text):
    record = read_record(text)
    assert (record.run, record.ranges, record.episodes) == ("", [], {})
    assert all(not acted.tools for acted in record.acted)


def test_an_empty_run_has_a_record_too():
    assert read_record(render_record(ChangeSet("r-1"), [], AT, "propose")).run == "r-1"
    assert record_path("r-1") == "runs/r-1.json"
