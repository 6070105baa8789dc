"""Which log lines are still to be read: told by run records and decisions alone, whatever is remembered beside the index."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import put

from memoryclaw.consolidation.changes import ChangeSet, render_record
from memoryclaw.consolidation.selecting import past, run_files, select
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.logs import LogRange, range_of, whole_lines
from memoryclaw.writing.decisions import UNDONE, Decision

LOG = "logs/2026-03-10/evening.jsonl"


def line(turn: int, text: str = "It is Dünensand 14.") -> str:
    value = {"ts": f"2026-03-10T17:{turn:02}:00Z", "session": "evening", "turn": turn, "role": "user"}
    return json.dumps({**value, "content": text}, ensure_ascii=False) + "\n"


def log(*turns: int) -> str:
    return "".join(map(line, turns))


def cited(root: Path, first: int, last: int) -> LogRange:
    return range_of(LOG, whole_lines((root / LOG).read_bytes()), first, last)


def recorded(root: Path, *ranges: LogRange, run: str = "consolidate-1") -> None:
    put(root, {f"runs/{run}.json": render_record(ChangeSet(run, tuple(map(str, ranges))), (), "", "direct")})


def waiting(root: Path, since: str = "") -> dict[str, list[int]]:
    vault = Vault(root)
    return {
        segment.path: [t.line for t in segment.turns]
        for segment in select(vault, past(vault, ()), since=since, remember=True)
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path, {LOG: log(1, 2, 3), "Home.md": "# Home\n"})
    (tmp_path / ".memoryclaw").mkdir()
    return tmp_path


def test_a_new_log_waits_whole(root: Path) -> None:
    assert waiting(root) == {LOG: [1, 2, 3]}


def test_lines_that_a_run_record_cites_are_done(root: Path) -> None:
    recorded(root, cited(root, 1, 2))
    assert waiting(root) == {LOG: [3]}
    recorded(root, cited(root, 3, 3), run="consolidate-2")
    assert waiting(root) == {}


def test_lines_appended_to_a_done_log_wait_alone(root: Path) -> None:
    recorded(root, cited(root, 1, 3))
    assert waiting(root) == {}
    with (root / LOG).open("a", encoding="utf-8") as file:
        file.write(line(4))
    assert waiting(root) == {LOG: [4]}


def test_a_decision_makes_lines_done_and_an_open_branch_too(root: Path) -> None:
    undone = Decision("", UNDONE, "run", ranges=(str(cited(root, 1, 1)),))
    put(root, {"review/decisions.jsonl": undone.line()})
    branch = render_record(ChangeSet("consolidate-9", (str(cited(root, 2, 2)),)), (), "", "branch")
    vault = Vault(root)
    assert [[t.line for t in segment.turns] for segment in select(vault, past(vault, [branch]))] == [[3]]


def test_what_is_remembered_beside_the_index_changes_no_answer(root: Path) -> None:
    recorded(root, cited(root, 1, 3))
    assert waiting(root) == {}
    assert (root / ".memoryclaw" / "consolidated.json").exists()
    shutil.rmtree(root / ".memoryclaw")
    assert waiting(root) == {}


def test_a_run_record_deleted_by_hand_makes_its_lines_wait_again(root: Path) -> None:
    recorded(root, cited(root, 1, 3))
    assert waiting(root) == {}
    (root / "runs" / "consolidate-1.json").unlink()
    assert waiting(root) == {LOG: [1, 2, 3]}


def test_junk_beside_the_index_is_passed_over(root: Path) -> None:
    for junk in ("", "[]", '{"logs/2026-03-10/evening.jsonl": 5}', "\xff"):
        put(root, {".memoryclaw/consolidated.json": junk})
        assert waiting(root) == {LOG: [1, 2, 3]}


def test_a_line_that_is_still_being_written_is_left_for_later(root: Path) -> None:
    with (root / LOG).open("a", encoding="utf-8") as file:
        file.write(line(4)[:30])
    assert waiting(root) == {LOG: [1, 2, 3]}


def test_a_last_line_without_its_end_counts_and_stays_done_when_more_is_appended(root: Path) -> None:
    put(root, {LOG: log(1, 2).rstrip("\n")})
    assert waiting(root) == {LOG: [1, 2]}
    recorded(root, cited(root, 1, 2))
    with (root / LOG).open("a", encoding="utf-8") as file:
        file.write("\n" + line(3))
    assert waiting(root) == {LOG: [3]}


def test_since_reads_logs_of_that_day_and_later_again(root: Path) -> None:
    put(root, {"logs/2026-03-11/s.jsonl": log(1)})
    recorded(root, cited(root, 1, 3))
    assert waiting(root, since="2026-03-10") == {LOG: [1, 2, 3], "logs/2026-03-11/s.jsonl": [1]}
    assert waiting(root, since="2026-03-11") == {"logs/2026-03-11/s.jsonl": [1]}
    assert waiting(root) == {"logs/2026-03-11/s.jsonl": [1]}


def test_markdown_logs_wait_as_well(root: Path) -> None:
    put(root, {"logs/2026-03-12/old.md": "### user (2026-03-12T09:00:00Z)\nThe permit is granted.\n"})
    assert waiting(root)["logs/2026-03-12/old.md"] == [1]


def test_run_records_are_found_and_a_folder_of_junk_is_none(root: Path) -> None:
    put(root, {"runs/b.json": "junk", "runs/.hidden.json": "{}", "runs/notes.md": "x"})
    assert run_files(Vault(root)) == ["runs/b.json"]
    assert waiting(root) == {LOG: [1, 2, 3]}
