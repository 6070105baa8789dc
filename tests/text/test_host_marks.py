"""What hosts put around a person's words is taken off, wherever it stands; `data/host_marks.json` is the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryclaw.text.host_marks import HostMark, host_marks, host_records, without_marks


@pytest.mark.parametrize("mark", host_marks(), ids=lambda mark: f"{mark.host}: {mark.what}")
def test_each_row_reads_its_example(mark: HostMark) -> None:
    text = without_marks(mark.example)
    assert text.own == mark.own
    assert text.tool == ("" if mark.own else mark.tool)
    assert text.marks


@pytest.mark.parametrize("mark", host_marks(), ids=lambda mark: f"{mark.host}: {mark.what}")
def test_own_words_stay_before_and_behind_each_mark(mark: HostMark) -> None:
    own = "my cat is called Oskar"
    if mark.place != "turn" and "ends a message" not in mark.what:
        assert without_marks(f"{mark.example}\n\n{own}").own.split("\n")[-1] == own
    if not mark.place:
        assert without_marks(f"{own}\n{mark.example}").own.split("\n")[0] == own


@pytest.mark.parametrize("mark", host_marks(), ids=lambda mark: f"{mark.host}: {mark.what}")
def test_a_mark_that_is_not_closed_takes_nothing_of_what_follows(mark: HostMark) -> None:
    own = "my cat is called Oskar"
    cut = mark.example[: len(mark.example) // 2]
    if mark.place != "turn" and "ends a message" not in mark.what:
        assert without_marks(f"{cut}\n\n{own}").own.endswith(own)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("if a <b> then </c>", "if a <b> then </c>"),
        ("why does `<system-reminder>x</system-reminder>` show up?", "why does `<system-reminder>x</system-reminder>` show up?"),
        ("what is a <system-reminder>?", "what is a <system-reminder>?"),
        ("Read HEARTBEAT.md if it exists and tell me what it says", "Read HEARTBEAT.md if it exists and tell me what it says"),
        ("[2025 budget] hello", "[2025 budget] hello"),
        ("Sender: Nora\nSubject: the crane", "Sender: Nora\nSubject: the crane"),
        ("<rules>\n<a/>\n</rules> is my XML", "<rules>\n<a/>\n</rules> is my XML"),
        ("---\nQueued jobs: 3", "---\nQueued jobs: 3"),
    ],
)  # fmt: skip
def test_what_only_resembles_a_mark_was_typed(text: str, own: str) -> None:
    assert without_marks(text) == (own, (), "")


def test_the_page_on_capture_names_every_host() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "capture.md").read_text(encoding="utf-8")
    assert [row.host for row in (*host_marks(), *host_records()) if row.host not in page] == []
