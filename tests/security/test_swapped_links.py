"""Somebody swaps a folder of the vault for a link to another place while we write: nothing is ever written there.

And no id that we mint is a path, whatever it was made of.
"""

from __future__ import annotations

import contextlib
import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.errors import MemoryClawError
from memoryclaw.vault import files
from memoryclaw.vault.layout import episode_name, is_minted_id, safe_path, slug
from memoryclaw.vault.notes import ReadingSettings, read_note

WHEN = datetime(2026, 11, 21, 10, 15, tzinfo=UTC)
PATHS = st.text(max_size=300) | st.lists(
    st.sampled_from(["..", "/", "\\", ".", "~", "a", "\0", "%2e", "COM1", "\u2215", "-", "é", "茶", " "]),
    max_size=40,
).map("".join)


@given(PATHS)
def test_no_id_that_we_mint_is_a_path(text: str) -> None:
    name = episode_name(WHEN, text)
    id_ = name.rpartition("/")[2].removesuffix(".md")
    assert safe_path(name) == name
    assert name.count("/") <= 1
    assert is_minted_id(id_)
    assert not slug(text) or is_minted_id(slug(text))


@pytest.mark.parametrize("swaps", [400, pytest.param(10_000, marks=pytest.mark.laws)])
def test_a_folder_that_is_swapped_for_a_link_leads_no_write_outside(tmp_path: Path, swaps: int) -> None:
    root, outside = tmp_path / "vault", tmp_path / "outside"
    (root / "notes").mkdir(parents=True)
    outside.mkdir()
    (outside / "kept.md").write_text("theirs\n")
    over = threading.Event()

    def swap() -> None:
        for n in range(swaps):
            # A writer may make the folder anew meanwhile; the next round takes that one away.
            with contextlib.suppress(OSError):
                os.rename(root / "notes", tmp_path / f"aside{n}")
                os.symlink(outside, root / "notes")
                os.unlink(root / "notes")
                os.rename(tmp_path / f"aside{n}", root / "notes")
        over.set()

    swapper = threading.Thread(target=swap)
    swapper.start()
    written = refused = 0
    while not over.is_set():
        for path in ("notes/new.md", "notes/deep/new.md", "notes/kept.md"):
            try:
                files.write_file(str(root), path, b"ours\n", None)
                written += 1
            except (MemoryClawError, OSError):
                refused += 1
            with contextlib.suppress(MemoryClawError, OSError):
                files.remove_file(str(root), path, files.digest_of(b"ours\n"))
    swapper.join()
    assert written + refused > 10
    assert written
    assert sorted(os.listdir(outside)) == ["kept.md"]
    assert (outside / "kept.md").read_text() == "theirs\n"


@pytest.mark.parametrize("where", ["folder", "file"])
def test_a_link_is_neither_read_nor_written_through(tmp_path: Path, where: str) -> None:
    root, outside = tmp_path / "vault", tmp_path / "outside.md"
    root.mkdir()
    outside.write_text("theirs\n")
    (root / "notes").symlink_to(tmp_path) if where == "folder" else (root / "outside.md").symlink_to(outside)
    path = "notes/outside.md" if where == "folder" else "outside.md"
    with pytest.raises(MemoryClawError):
        files.write_file(str(root), path, b"ours\n", files.digest_of(b"theirs\n"))
    with pytest.raises(MemoryClawError):
        files.read_file(str(root), path)
    assert outside.read_text() == "theirs\n"


def test_an_id_in_a_note_is_no_path_either() -> None:
    note = read_note("notes/a.md", b"---\nid: ../../etc/passwd\n---\nx\n", ReadingSettings())
    assert note.path == "notes/a.md"
