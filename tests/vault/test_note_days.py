"""The day of a plain note: its header's, else that of its name, of its first heading or of its folders."""

from __future__ import annotations

import pytest

from memoryclaw.vault.notes import ReadingSettings, read_note
from memoryclaw.vault.properties import source_of_day


@pytest.mark.parametrize(
    ("path", "text", "day", "source"),
    [
        ("2021-11-30-planning.md", "", "2021-11-30", "name"),
        ("j/20211130.md", "", "2021-11-30", "name"),
        ("202111301245 Oak.md", "", "2021-11-30", "name"),
        ("journals/2021_11_30.md", "", "2021-11-30", "name"),
        ("2021.11.30 plan.md", "", "2021-11-30", "name"),
        ("2021-11-30-08-15-session.md", "", "2021-11-30", "name"),
        ("2021-11-30_08-15-00.md", "", "2021-11-30T08:15:00Z", "name"),
        ("a.md", "# Planning of the regatta in spring, 2021-11-30\n", "2021-11-30", "heading"),
        ("a.md", "# 30 November 2021\n", "2021-11-30", "heading"),
        ("2021/11/30/plan.md", "", "2021-11-30", "folder"),
        ("diary/2021/11/30.md", "", "2021-11-30", "folder"),
        ("diary/2021-11-30/plan.md", "", "2021-11-30", "folder"),
        ("2021-11-30-x.md", "---\ndate: 2020-01-02\n---\n# 2019-01-01\n", "2020-01-02", "header"),
        ("2021/11/plan.md", "", "", ""),
        ("20219999.md", "", "", ""),
        ("2021113012.md", "", "", ""),
        ("a.md", "# From 2021-11-30 to 2021-12-02\n", "", ""),
        ("a.md", "# Plan 9\n", "", ""),
        ("Templates/2021/11/30/x.md", "", "", ""),
    ],
)
def test_a_note_is_of_the_day_that_it_names(path: str, text: str, day: str, source: str) -> None:
    note = read_note(path, (text + "\nText.\n").encode(), ReadingSettings())
    assert (note.when, source_of_day(path, note.when, note.title)) == (day, source)
