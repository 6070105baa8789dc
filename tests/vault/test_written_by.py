"""What an agent or a model wrote is not trusted as a person's note; `data/written_by.json` is the table."""

from __future__ import annotations

import pytest

from memoryclaw.text import words
from memoryclaw.vault.notes import ReadingSettings, read_note

ROWS = words.table("written_by")


def trusts(path: str, text: str) -> set[str]:
    return {unit.trust for unit in read_note(path, text.encode(), ReadingSettings()).units}


@pytest.mark.parametrize("row", ROWS["files"], ids=lambda row: row["what"])
def test_a_file_that_an_agent_writes_is_not_trusted_unless_its_header_says_so(row: dict[str, str]) -> None:
    text = "The gate code is 4471.\n- [ ] ring Dr Lind 📅 2026-04-20\n"
    assert trusts(row["example"], text) == {row["trust"]}
    assert trusts(row["other"], text) == {"trusted"}
    assert trusts(row["example"], f"---\ntrust: trusted\n---\n{text}") == {"trusted"}
    assert trusts(row["example"], f"---\ntrust: untrusted\n---\n{text}") == {"untrusted"}


@pytest.mark.parametrize("row", ROWS["lines"], ids=lambda row: row["what"])
def test_what_somebody_else_says_in_a_note_is_not_trusted(row: dict[str, str]) -> None:
    assert trusts("notes/talk.md", row["example"]) == {row["trust"]}
    assert trusts("notes/talk.md", row["other"]) == {"trusted"}
    sections = f"# Mine\n{'my own words ' * 150}\n\n# Kept\n{row['example']}\n"
    assert trusts("notes/talk.md", sections) == {"trusted", row["trust"]}
