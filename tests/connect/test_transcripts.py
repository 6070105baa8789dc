"""A transcript that grows is kept turn by turn, once; nothing counts as read before it is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memoryclaw.connect import transcripts
from memoryclaw.connect.transcripts import keep_new
from memoryclaw.errors import InputError


def said(number: int, text: str = "", **more: Any) -> str:
    message = {"role": "user", "content": text or f"turn {number}"}
    return json.dumps({"type": "user", "uuid": f"u-{number}", "message": message, **more}) + "\n"


class Kept:
    """Takes turns in, knows them by their id, and can be made to refuse."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.handed = 0
        self.full = False

    def __call__(self, turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        return [self._answer(turn["uuid"]) for turn in turns]

    def _answer(self, id_: str) -> dict[str, Any]:
        self.handed += 1
        if self.full:
            return {"ok": False, "error": "the disk is full", "line": 1}
        again = id_ in self.ids
        self.ids += [] if again else [id_]
        return {"ok": True, "id": id_, **({"again": True} if again else {})}


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    path = tmp_path / "s.jsonl"
    path.write_text("".join(map(said, range(3))))
    return path


def keep(path: Path, kept: Kept) -> dict[str, int]:
    return keep_new(os.fspath(path), "s", os.fspath(path.parent / "state"), kept)


def test_only_what_is_new_is_read_again(transcript: Path, kept: Kept) -> None:
    before = transcript.read_bytes()
    assert keep(transcript, kept) == {"kept": 3, "again": 0, "left_out": 0, "refused": 0}
    assert transcript.read_bytes() == before
    with transcript.open("a") as file:
        file.write(said(3))
    assert keep(transcript, kept)["kept"] == 1
    assert keep(transcript, kept)["kept"] == 0
    assert kept.handed == 4


def test_without_its_place_everything_is_read_and_nothing_kept_twice(transcript: Path, kept: Kept) -> None:
    keep(transcript, kept)
    for mark in (transcript.parent / "state/hooks").iterdir():
        mark.write_text("{")
    assert keep(transcript, kept) == {"kept": 0, "again": 3, "left_out": 0, "refused": 0}


def test_what_was_not_kept_is_handed_over_again(transcript: Path, kept: Kept) -> None:
    kept.full = True
    assert keep(transcript, kept)["refused"] == 3
    kept.full = False
    assert keep(transcript, kept)["kept"] == 3


def test_a_line_that_is_not_whole_yet_is_kept_when_it_is(transcript: Path, kept: Kept) -> None:
    torn = said(3)
    with transcript.open("a") as file:
        file.write(torn[:30])
    assert keep(transcript, kept)["kept"] == 3
    with transcript.open("a") as file:
        file.write(torn[30:-1])
    assert keep(transcript, kept)["kept"] == 1, "a last line without its newline counts, once it is JSON"
    with transcript.open("a") as file:
        file.write("\n" + said(4))
    assert keep(transcript, kept) == {"kept": 1, "again": 1, "left_out": 0, "refused": 0}


def test_a_transcript_that_was_written_anew_is_read_from_its_beginning(transcript: Path, kept: Kept) -> None:
    keep(transcript, kept)
    transcript.write_text("".join(map(said, range(10, 20))))
    assert keep(transcript, kept)["kept"] == 10


def test_many_turns_come_in_batches_and_a_place_is_kept_for_those_before_a_failure(
    transcript: Path, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "_BATCH", 200)
    transcript.write_text("".join(map(said, range(20))))

    def stops(turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        kept.full = len(kept.ids) >= 8
        return kept(turns)

    keep_new(os.fspath(transcript), "s", os.fspath(transcript.parent / "state"), stops)
    assert 8 <= len(kept.ids) < 20
    kept.full = False
    assert keep(transcript, kept)["again"] == 0
    assert sorted(kept.ids) == sorted(f"u-{n}" for n in range(20))


def test_a_line_without_end_is_passed_over(
    transcript: Path, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "_LONGEST", 500)
    with transcript.open("a") as file:
        file.write(said(3, "x" * 1500) + said(4))
    assert keep(transcript, kept)["kept"] == 4
    assert "u-3" not in kept.ids


def test_what_is_no_file_is_told_in_one_sentence(tmp_path: Path, kept: Kept) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "nowhere"):
        with pytest.raises(InputError, match="the transcript"):
            keep_new(os.fspath(path), "s", os.fspath(tmp_path), kept)


def test_no_state_folder_is_made_for_a_place(transcript: Path, kept: Kept) -> None:
    (transcript.parent / "state").rmdir()
    assert keep(transcript, kept)["kept"] == 3
    assert not (transcript.parent / "state").exists()
